//! The simulator: one event through all hooks, step by step. Nothing with effects runs, unless somebody ticks it.

use askama::Template;
use axum::extract::Query;
use axum::response::IntoResponse as _;
use hooks_core::agent::{AgentContext, AgentEvent};
use hooks_runtime::OwnedEvent;
use hooks_store::{NewSample, Role};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::diff::{self, Line, pretty};
use super::executions::input;
use super::frame::{Answer, Frame, done, page};
use super::guard::Site;
use super::sent::{Form, Sent};
use super::session::Visitor;
use crate::api::problem::Problem;
use crate::api::simulate::{Simulated, Step};

/// Where the event comes from.
#[derive(Deserialize)]
pub(super) struct Asked {
    /// An event of this name, with what it has by default.
    event: Option<String>,
    /// A saved event.
    sample: Option<String>,
    /// What a hook saw.
    execution: Option<u64>,
    #[serde(default)]
    of: String,
}

/// What hooks would do.
pub(super) struct Simulation {
    pub(super) simulated: Simulated,
    /// What all of them change together.
    pub(super) lines: Vec<Line>,
    /// Each hook, and what it changes.
    pub(super) steps: Vec<(Step, Vec<Line>)>,
}

impl Simulation {
    /// What was done with an event.
    pub(super) fn of(event: &Value, mut simulated: Simulated) -> Self {
        let whole = diff::changed(event, &simulated.change);
        let mut now = event.clone();
        let steps = std::mem::take(&mut simulated.steps).into_iter();
        let steps = steps.map(|step| {
            let change = step.change.as_ref();
            match change.and_then(|change| diff::changed(&now, change)) {
                Some((after, lines)) => {
                    now = after;
                    (step, lines)
                }
                // A hook that only watches changes nothing for those after it.
                None => (step, Vec::new()),
            }
        });
        Simulation {
            steps: steps.collect(),
            lines: whole.map(|(_, lines)| lines).unwrap_or_default(),
            simulated,
        }
    }

    /// The hooks that were left out, because their handlers may change something.
    fn left_out(&self) -> Vec<&str> {
        let steps = self.steps.iter().map(|(step, _)| step);
        let left =
            steps.filter(|step| step.would_run && step.outcome.as_deref() == Some("skipped"));
        left.map(|step| &*step.hook).collect()
    }
}

#[derive(Template)]
#[template(path = "simulator.html")]
struct Page {
    frame: Frame,
    /// The ids and the names of samples.
    samples: Vec<(String, String)>,
    /// The `name` of the event, its fields as `event`, where it happens as `cx`, the hooks that it is for as `of`, those that
    /// `run`, and the name of the `sample` that it is saved as.
    form: Sent,
    result: Option<Simulation>,
}

async fn show(visitor: &Visitor, form: Sent, tried: Result<Option<Simulation>, Problem>) -> Answer {
    let mut frame = Frame::new(visitor, "/simulator", "Simulator").await?;
    let result = tried.unwrap_or_else(|problem| {
        frame.problem = Some(problem);
        None
    });
    let status = frame.status();
    let shown = page(&Page {
        frame,
        samples: visitor.tenant().sample_names().await?,
        form,
        result,
    });
    Ok((status, shown).into_response())
}

/// Shows the event that is asked for, and what the hooks would do with it.
pub(super) async fn get(visitor: Visitor, Query(asked): Query<Asked>) -> Answer {
    visitor.at_least(Role::Operator)?;
    let tenant = visitor.tenant();
    let (name, event, cx) = if let Some(id) = &asked.sample {
        let sample = tenant.sample(id).await?;
        let sample = sample.ok_or_else(|| Problem::no("sample", id))?.saved;
        (sample.event, sample.body, sample.cx)
    } else if let Some(seq) = asked.execution {
        let execution = tenant.execution(seq).await?;
        let execution = execution.ok_or_else(|| Problem::no("execution", seq))?;
        let why = "the event of this execution was not kept: a store keeps events if it has a key";
        let input = input(&visitor, &execution).await?;
        let mut input = input.ok_or_else(|| Problem::at("", why))?;
        let (event, cx) = (input["event"].take(), input["cx"].take());
        (execution.record.event, event, cx)
    } else {
        let name = asked.event.as_deref().unwrap_or("BeforeToolCall");
        let mut event = example(name, "Bash")?;
        event.as_object_mut().map(|fields| fields.remove("event"));
        let cx = json!({ "session_id": "simulator", "agent_id": "", "cwd": "/work" });
        (name.to_owned(), event, cx)
    };
    let (event, cx) = (pretty(&event), pretty(&cx));
    let form = Sent::from([
        ("name", name),
        ("event", event),
        ("cx", cx),
        ("of", asked.of),
    ]);
    // Nothing with effects runs, so the answer is there at once. A page of others makes nothing run.
    let tried = match visitor.site {
        Site::Other => Ok(None),
        _ => simulated(&visitor, &form).await.map(Some),
    };
    show(&visitor, form, tried).await
}

/// An event with what it has by default, and something to judge.
pub(super) fn example(name: &str, tool: &str) -> Result<Value, Problem> {
    let given = if OwnedEvent::fields_of(name).contains(&"args") {
        json!({ "name": tool, "args": { "command": "git push --force" } })
    } else {
        json!({})
    };
    Ok(read(name, given)?.to_json())
}

fn read(name: &str, fields: Value) -> Result<OwnedEvent, Problem> {
    let event = OwnedEvent::from_json(name, fields);
    event.map_err(|error| Problem::at("/event", error.to_string()))
}

/// The fields of the event that was sent, and its context.
fn values(form: &Sent) -> Result<(Value, AgentContext), Problem> {
    let read = |path: &str| {
        let text = form.written(path).unwrap_or_else(|| "{}".to_owned());
        let read = serde_json::from_str::<Map<String, Value>>(&text);
        let no_json = |error| format!("this is no JSON object: {error}");
        read.map_err(|error| Problem::at(&format!("/{path}"), no_json(error)))
    };
    let event = read("event")?;
    let cx = serde_json::from_value(read("cx")?.into());
    let cx = cx.map_err(|error| Problem::at("/cx", error.to_string()))?;
    Ok((event.into(), cx))
}

async fn simulated(visitor: &Visitor, form: &Sent) -> Result<Simulation, Problem> {
    let (fields, cx) = values(form)?;
    let event = read(&form.text("name"), fields)?;
    let before = event.to_json();
    let draft = (form.text("of") == "draft").into();
    let run: Vec<_> = form.text("run").lines().map(str::to_owned).collect();
    let (api, caller) = (&visitor.api, &visitor.caller);
    let simulated = api.simulate(caller, &draft, &run, cx, event).await?;
    Ok(Simulation::of(&before, simulated))
}

/// Asks the hooks about the event that was sent.
pub(super) async fn post(visitor: Visitor, Form(form): Form<Sent>) -> Answer {
    let tried = simulated(&visitor, &form).await.map(Some);
    show(&visitor, form, tried).await
}

/// Saves the event that was sent as a sample.
pub(super) async fn save(visitor: Visitor, Form(form): Form<Sent>) -> Answer {
    let by = visitor.at_least(Role::Author)?;
    let saved = async {
        let (body, cx) = values(&form)?;
        let name = form.written("sample");
        let sample = NewSample {
            name: name.ok_or_else(|| Problem::at("/sample", "the sample has no name"))?,
            event: form.text("name"),
            cx: serde_json::to_value(cx).unwrap_or_default(),
            body,
        };
        Ok::<_, Problem>(visitor.tenant().save_sample(&sample, &by).await?)
    };
    match saved.await {
        Ok(sample) => Ok(done(&format!("/simulator?sample={}", sample.id), "kept")),
        Err(problem) => show(&visitor, form, Err(problem)).await,
    }
}
