//! A web service: hooks in the state of axum, a registry for each tenant, a limit for each session. `docs/web-service.md`
//! explains it. Run it, and its tests, with
//!
//! ```sh
//! cargo run --example web_service
//! cargo test --example web_service
//! ```

mod agents;
mod hooks;

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex};

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{delete, post, put};
use axum::{Json, Router};
use hooks_core::agent::prelude::*;
use tokio::net::TcpListener;

use crate::hooks::{CallsPerSession, Forbid, no_force_push};

// ANCHOR: state
/// What all requests share. `H` are the hooks of all tenants.
struct Service<H> {
    hooks: H,
    /// The hooks of each tenant. A registry changes by `&self`, so no lock is around it.
    tenants: HashMap<String, AgentRegistry>,
    /// The conversation of each session, by tenant and session. A turn holds it until it ends.
    sessions: Mutex<HashMap<(String, String), Session>>,
}

type Session = Arc<tokio::sync::Mutex<Conversation>>;

impl<H: AgentHooks> Service<H> {
    fn new(hooks: H, tenants: &[&str]) -> Self {
        let registry = |tenant: &&str| ((*tenant).to_owned(), AgentRegistry::new());
        Service {
            hooks,
            tenants: tenants.iter().map(registry).collect(),
            sessions: Mutex::default(),
        }
    }

    /// The hooks of all tenants, and after them those of one.
    fn hooks_of(&self, tenant: &str) -> Result<impl AgentHooks, StatusCode> {
        let theirs = self.tenants.get(tenant).ok_or(StatusCode::NOT_FOUND)?;
        Ok((&self.hooks).then(theirs))
    }

    fn session(&self, tenant: &str, session: &str) -> Session {
        let mut sessions = self.sessions.lock().unwrap();
        let key = (tenant.to_owned(), session.to_owned());
        Arc::clone(sessions.entry(key).or_default())
    }
}
// ANCHOR_END: state

// ANCHOR: router
/// The one bound of an agent, and what axum wants of a state.
fn router<H: AgentHooks + 'static>(service: Service<H>) -> Router {
    Router::new()
        .route("/{tenant}/sessions/{session}", delete(end::<H>))
        .route("/{tenant}/sessions/{session}/calls", post(call::<H>))
        .route("/{tenant}/sessions/{session}/turns", post(turn::<H>))
        .route(
            "/{tenant}/forbidden/{tool}",
            put(forbid::<H>).delete(allow::<H>),
        )
        .route("/reviews", post(agents::review))
        .route("/agents/{name}", post(ask))
        .with_state(Arc::new(service))
}

#[tokio::main]
async fn main() -> io::Result<()> {
    let hooks = hooks![no_force_push, CallsPerSession::new(100)];
    let service = Service::new(hooks, &["acme", "globex"]);
    let listener = TcpListener::bind("127.0.0.1:3000").await?;
    println!("http://{}", listener.local_addr()?);
    axum::serve(listener, router(service)).await
}
// ANCHOR_END: router

// ANCHOR: call
/// Runs one tool call.
async fn call<H: AgentHooks>(
    State(service): State<Arc<Service<H>>>,
    Path((tenant, session)): Path<(String, String)>,
    Json(call): Json<ToolCall>,
) -> Result<Json<ToolOutput>, StatusCode> {
    let hooks = service.hooks_of(&tenant)?;
    let cx = AgentContext::new(session).with_tenant_id(tenant.as_str());
    match run_tool_call(&hooks, &cx, call, tool).await {
        Ok(done) => Ok(Json(done.output)),
        // A hook has ended the turn, or the run.
        Err(_) => Err(StatusCode::FORBIDDEN),
    }
}

/// The tool.
async fn tool(call: &BeforeToolCall) -> ToolOutput {
    ToolOutput::new(format!("{} ran with {}", call.name, call.args))
}
// ANCHOR_END: call

// ANCHOR: turn
/// Works on a prompt. The work is a task of its own, so it goes on if the client hangs up.
async fn turn<H: AgentHooks + 'static>(
    State(service): State<Arc<Service<H>>>,
    Path((tenant, session)): Path<(String, String)>,
    prompt: String,
) -> Result<String, StatusCode> {
    let work = tokio::spawn(async move {
        let hooks = service.hooks_of(&tenant)?;
        let cx = AgentContext::new(session.as_str()).with_tenant_id(tenant.as_str());
        // Turns of one session wait for each other.
        let session = service.session(&tenant, &session);
        let mut conversation = session.lock().await;
        let turn = run_turn(&hooks, &cx, &mut conversation, prompt, model, tool);
        let done = turn.await.map_err(|_| StatusCode::FORBIDDEN)?;
        Ok(done.response)
    });
    work.await.map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?
}

/// The model: your client. This one repeats the prompt.
async fn model(request: &BeforeLlmCall, _: Deltas<'_>) -> Result<LlmResponse, String> {
    let last = request.messages.last().ok_or("there is no prompt")?;
    Ok(LlmResponse::new(last.content.as_str()))
}
// ANCHOR_END: turn

// ANCHOR: end
/// Ends a session: the service forgets the conversation, and hooks what they keep for it.
async fn end<H: AgentHooks>(
    State(service): State<Arc<Service<H>>>,
    Path((tenant, session)): Path<(String, String)>,
) -> Result<StatusCode, StatusCode> {
    let hooks = service.hooks_of(&tenant)?;
    let cx = AgentContext::new(session.as_str()).with_tenant_id(tenant.as_str());
    let key = (tenant.clone(), session.clone());
    service.sessions.lock().unwrap().remove(&key);
    let ended = SessionEnd {
        session_id: &session,
        channel: "http",
        reason: "logout",
    };
    hooks.observe(&cx, &ended).await;
    Ok(StatusCode::NO_CONTENT)
}
// ANCHOR_END: end

// ANCHOR: tenant
/// Forbids a tool to one tenant, while its agents run.
async fn forbid<H: AgentHooks>(
    State(service): State<Arc<Service<H>>>,
    Path((tenant, tool)): Path<(String, String)>,
) -> Result<StatusCode, StatusCode> {
    let registry = service.tenants.get(&tenant).ok_or(StatusCode::NOT_FOUND)?;
    let hook = Forbid { tool: tool.clone() }.named(tool);
    // A name that is taken is an error.
    registry.register(hook).map_err(|_| StatusCode::CONFLICT)?;
    Ok(StatusCode::CREATED)
}

async fn allow<H: AgentHooks>(
    State(service): State<Arc<Service<H>>>,
    Path((tenant, tool)): Path<(String, String)>,
) -> StatusCode {
    match service.tenants.get(&tenant) {
        Some(registry) if registry.unregister(&tool) => StatusCode::NO_CONTENT,
        _ => StatusCode::NOT_FOUND,
    }
}
// ANCHOR_END: tenant

/// Asks the agent of a name.
async fn ask(Path(name): Path<String>, prompt: String) -> Result<String, StatusCode> {
    let agent = agents::by_name(&name).ok_or(StatusCode::NOT_FOUND)?;
    let answer = tokio::spawn(async move { agent.answer(&prompt).await });
    let answer = answer
        .await
        .map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
    answer.map_err(|_| StatusCode::FORBIDDEN)
}

// ANCHOR: tests
#[cfg(test)]
mod tests {
    use axum::body::{Body, to_bytes};
    use axum::http::Request;
    use serde_json::{Value, json};
    use tower::ServiceExt;

    use super::*;

    /// Sends a request to the service, without a network.
    async fn send(router: &Router, method: &str, path: &str, body: Value) -> (StatusCode, String) {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("content-type", "application/json")
            .body(Body::from(body.to_string()))
            .unwrap();
        let response = router.clone().oneshot(request).await.unwrap();
        let status = response.status();
        let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        (status, String::from_utf8(body.into()).unwrap())
    }

    /// What the model reads after a call of a tool.
    async fn call(router: &Router, session: &str, tool: &str, command: &str) -> String {
        let call = json!({ "id": "1", "name": tool, "args": { "command": command } });
        let (status, body) = send(router, "POST", &format!("/{session}/calls"), call).await;
        assert_eq!(status, StatusCode::OK);
        let output: ToolOutput = serde_json::from_str(&body).unwrap();
        output.content
    }

    fn service() -> Router {
        let hooks = hooks![no_force_push, CallsPerSession::new(3)];
        router(Service::new(hooks, &["acme", "globex"]))
    }

    #[tokio::test]
    async fn a_session_has_so_many_calls_and_others_have_their_own() {
        let service = service();
        for _ in 0..3 {
            let output = call(&service, "acme/sessions/1", "list", "").await;
            assert_eq!(output, r#"list ran with {"command":""}"#);
        }
        let output = call(&service, "acme/sessions/1", "list", "").await;
        assert!(
            output.contains("`CallsPerSession` blocked the event"),
            "{output}"
        );
        for other in ["acme/sessions/2", "globex/sessions/1"] {
            assert!(call(&service, other, "list", "").await.contains("ran"));
        }
        let ended = send(&service, "DELETE", "/acme/sessions/1", json!({})).await;
        assert_eq!(ended.0, StatusCode::NO_CONTENT);
        assert!(
            call(&service, "acme/sessions/1", "list", "")
                .await
                .contains("ran")
        );
    }

    #[tokio::test]
    async fn a_tenant_changes_its_own_hooks_while_agents_run() {
        let service = service();
        let tool = "/acme/forbidden/browser";
        for (method, expected) in [("PUT", StatusCode::CREATED), ("PUT", StatusCode::CONFLICT)] {
            assert_eq!(send(&service, method, tool, json!({})).await.0, expected);
        }
        let output = call(&service, "acme/sessions/1", "browser", "").await;
        assert_eq!(
            output,
            "hook `browser` blocked the event: this tenant forbids it"
        );
        assert!(
            call(&service, "globex/sessions/1", "browser", "")
                .await
                .contains("ran")
        );

        for expected in [StatusCode::NO_CONTENT, StatusCode::NOT_FOUND] {
            assert_eq!(send(&service, "DELETE", tool, json!({})).await.0, expected);
        }
        assert!(
            call(&service, "acme/sessions/1", "browser", "")
                .await
                .contains("ran")
        );
        let unknown = send(&service, "PUT", "/nowhere/forbidden/browser", json!({})).await;
        assert_eq!(unknown.0, StatusCode::NOT_FOUND);
    }

    #[tokio::test]
    async fn the_hooks_of_all_tenants_hold_for_each() {
        let output = call(&service(), "globex/sessions/1", "shell", "git push --force").await;
        assert!(output.contains("force pushes are not allowed"), "{output}");
    }

    #[tokio::test]
    async fn agents_with_different_hooks_are_one_type_or_none() {
        let service = service();
        let post = async |path| send(&service, "POST", path, json!("Hi.")).await;
        let reviews = "strict: \"Hi.\"\nloud: \"HI.\"";
        assert_eq!(post("/reviews").await, (StatusCode::OK, reviews.into()));
        assert_eq!(post("/agents/plain").await.1, "plain: \"Hi.\"");
        assert_eq!(post("/agents/loud").await.1, "loud: \"HI.\"");
        assert_eq!(post("/agents/other").await.0, StatusCode::NOT_FOUND);
    }

    #[tokio::test]
    async fn a_session_keeps_its_conversation() {
        let app = Service::new(hooks![], &["acme"]);
        let session = app.session("acme", "1");
        let service = router(app);
        for count in [2, 4] {
            let turn = send(&service, "POST", "/acme/sessions/1/turns", json!("Hi.")).await;
            assert_eq!(turn, (StatusCode::OK, "\"Hi.\"".into()));
            assert_eq!(session.lock().await.request.messages.len(), count);
        }
    }
}
// ANCHOR_END: tests
