//! A budget of tokens for each session, as one hook. Run it, and its tests, with
//!
//! ```sh
//! cargo run --example token_budget
//! cargo test --example token_budget
//! ```
//!
//! Two events do it. `LlmOutput` tells what a model call used. `BeforeLlmCall` is where the next one is stopped: the
//! hook aborts the turn, so the agent does not ask again, and the user reads why. What a call will use is known only
//! when it is over, so a session may exceed its budget by one call, and by those that run at the same time.

use std::convert::Infallible;

use hooks_builtin::PerSession;
use hooks_core::agent::{
    AgentContext, BeforeLlmCall, ChatMessage, LlmOutput, LlmResponse, Usage, run_llm_call,
};
use hooks_core::{HookAction, hook, hooks, priority};

/// Ends a turn when its session has spent its tokens.
struct TokenBudget {
    tokens: u64,
    /// What each session has used. One hook serves all sessions of an agent, so its state has to know them apart.
    spent: PerSession<Usage>,
}

impl TokenBudget {
    fn new(tokens: u64) -> Self {
        TokenBudget {
            tokens,
            spent: PerSession::default(),
        }
    }

    /// What a session has used.
    fn spent(&self, cx: &AgentContext) -> Usage {
        self.spent.get(cx)
    }
}

#[hook(priority = priority::SECURITY)]
impl TokenBudget {
    fn check(&self, cx: &AgentContext, _: &BeforeLlmCall) -> HookAction<BeforeLlmCall> {
        let spent = self.spent(cx).total();
        if spent < self.tokens {
            return HookAction::Continue;
        }
        HookAction::abort_turn(format!(
            "the session has used {spent} tokens of its {}",
            self.tokens
        ))
    }

    fn charge(&self, cx: &AgentContext, output: &LlmOutput<'_>) {
        self.spent.with(cx, |spent| *spent += output.response.usage);
    }
}

/// In a model's place: it reads ten tokens a message, and writes 100.
fn model(request: &BeforeLlmCall) -> LlmResponse {
    LlmResponse {
        usage: Usage::new(10 * request.messages.len() as u64, 100),
        ..LlmResponse::new("I am still at it.")
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let budget = TokenBudget::new(300);
    let hooks = hooks![&budget];
    println!("{}", hooks.plan());

    for session in ["session 1", "session 2"] {
        let cx = AgentContext::new(session);
        let question = ChatMessage::user("Tidy up.");
        let mut call = BeforeLlmCall::new("script", "model", vec![question]);
        // An agent that would never stop.
        let cancel = loop {
            match run_llm_call(&hooks, &cx, &mut call, async |request, _| {
                Ok::<_, Infallible>(model(request))
            })
            .await
            {
                Ok(done) => call.messages.push(done.response.into()),
                Err(cancel) => break cancel,
            }
        };
        let spent = budget.spent(&cx);
        println!(
            "{session}: {} calls, {} tokens read, {} written; {cancel}",
            call.messages.len() - 1,
            spent.input_tokens,
            spent.output_tokens,
        );
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use hooks_core::{Cancel, Scope};

    use super::*;

    fn used(budget: &TokenBudget, cx: &AgentContext, usage: Usage) {
        let response = LlmResponse {
            usage,
            ..LlmResponse::default()
        };
        let call = BeforeLlmCall::default();
        let output = LlmOutput::of(&call, &response, Duration::ZERO);
        hooks![budget].observe_now(cx, &output);
    }

    fn may_ask(budget: &TokenBudget, cx: &AgentContext) -> Result<(), Cancel> {
        hooks![budget]
            .intercept_now(cx, &mut BeforeLlmCall::default())
            .into_result()
            .map(drop)
    }

    #[test]
    fn a_spent_budget_ends_the_turn() {
        let (budget, cx) = (TokenBudget::new(100), AgentContext::new("s1"));
        used(&budget, &cx, Usage::new(60, 39));
        assert_eq!(may_ask(&budget, &cx), Ok(()));
        used(&budget, &cx, Usage::new(1, 0));
        let cancel = may_ask(&budget, &cx).unwrap_err();
        assert_eq!(cancel.scope, Scope::Turn);
        assert_eq!(cancel.reason, "the session has used 100 tokens of its 100");
    }

    #[test]
    fn each_session_of_each_tenant_has_a_budget_of_its_own() {
        let budget = TokenBudget::new(100);
        let of = |tenant: &str, session: &str| AgentContext::new(session).with_tenant_id(tenant);
        used(&budget, &of("acme", "s1"), Usage::new(100, 0));
        assert!(may_ask(&budget, &of("acme", "s1")).is_err());
        assert!(may_ask(&budget, &of("acme", "s2")).is_ok());
        assert!(may_ask(&budget, &of("other", "s1")).is_ok());
    }

    #[tokio::test]
    async fn an_answer_of_a_hook_costs_nothing() {
        #[hook]
        fn known(_: &BeforeLlmCall) -> HookAction<BeforeLlmCall> {
            HookAction::respond(LlmResponse::new("I know."))
        }
        let (budget, cx) = (TokenBudget::new(100), AgentContext::new("s1"));
        let hooks = hooks![&budget, known];
        let mut call = BeforeLlmCall::default();
        let done = run_llm_call(&hooks, &cx, &mut call, async |request, _| {
            Ok::<_, Infallible>(model(request))
        })
        .await;
        assert_eq!(done.unwrap().response, LlmResponse::new("I know."));
        assert_eq!(budget.spent(&cx), Usage::default());
    }
}
