//! The simulator: one event through all hooks, step by step. Nothing with effects runs, unless somebody ticks it.

use askama::Template;
use axum::body::Bytes;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use hooks_core::agent::{AgentContext, AgentEvent};
use hooks_runtime::OwnedEvent;
use hooks_store::{NewSample, Role, Sample};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::Console;
use super::diff::{self, Line, pretty};
use super::executions::{changed, input, look_of, took};
use super::failed::Failed;
use super::frame::{Frame, done, page};
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

/// What is sent, and shown again.
#[derive(Default)]
struct Form {
    /// The name of the event, its fields, and where it happens.
    name: String,
    event: String,
    cx: String,
    of: String,
    /// The hooks in force whose handlers run.
    run: Vec<String>,
    /// What to call it, if it is to be saved.
    sample: String,
}

impl Form {
    fn of(name: &str, event: &Value, cx: &Value) -> Self {
        Form {
            name: name.to_owned(),
            event: pretty(event),
            cx: pretty(cx),
            ..Form::default()
        }
    }

    /// Reads what a browser sends. A field may stand there several times.
    fn read(body: &[u8]) -> Self {
        let mut form = Form::default();
        for (key, value) in url::form_urlencoded::parse(body) {
            let value = value.into_owned();
            match &*key {
                "name" => form.name = value,
                "event" => form.event = value,
                "cx" => form.cx = value,
                "of" => form.of = value,
                "run" => form.run.push(value),
                "sample" => form.sample = value,
                _ => {}
            }
        }
        form
    }

    /// The fields of the event, and its context.
    fn values(&self) -> Result<(Value, AgentContext), Problem> {
        let read = |path: &str, text: &str| {
            let text = if text.trim().is_empty() { "{}" } else { text };
            let read = serde_json::from_str::<Map<String, Value>>(text);
            read.map_err(|error| Problem::at(path, format!("this is no JSON object: {error}")))
        };
        let event = read("/event", &self.event)?;
        let cx = serde_json::from_value(read("/cx", &self.cx)?.into());
        let cx = cx.map_err(|error| Problem::at("/cx", error.to_string()))?;
        Ok((event.into(), cx))
    }
}

/// A step, as people read it.
struct Shown {
    step: Step,
    took: String,
    look: &'static str,
    /// What it changed, side by side.
    lines: Vec<Line>,
}

/// What the hooks would do.
struct Simulation {
    simulated: Simulated,
    look: &'static str,
    steps: Vec<Shown>,
    lines: Vec<Line>,
    output: Option<String>,
}

impl Simulation {
    /// The hooks that were left out, because their handlers may change something.
    fn left_out(&self) -> impl Iterator<Item = &Shown> {
        let steps = self.steps.iter();
        steps.filter(|shown| {
            shown.step.would_run && shown.step.outcome.as_deref() == Some("skipped")
        })
    }

    fn has_left_out(&self) -> bool {
        self.left_out().next().is_some()
    }
}

#[derive(Template)]
#[template(path = "simulator.html")]
struct Page {
    frame: Frame,
    title: &'static str,
    events: &'static [&'static str],
    samples: Vec<Sample>,
    form: Form,
    problem: Option<Problem>,
    result: Option<Simulation>,
}

async fn show(
    console: &Console,
    visitor: &Visitor,
    form: Form,
    tried: Result<Simulation, Problem>,
) -> Result<Response, Failed> {
    let (result, problem) = match tried {
        Ok(result) => (Some(result), None),
        Err(problem) => (None, Some(problem)),
    };
    let status = problem.as_ref().map_or(StatusCode::OK, Problem::status);
    let shown = page(&Page {
        frame: Frame::new(console, visitor, "/simulator").await?,
        title: "Simulator",
        events: AgentEvent::NAMES,
        samples: visitor.caller.tenant.samples().await?,
        form,
        problem,
        result,
    });
    Ok((status, shown).into_response())
}

/// Shows the event that is asked for, and what the hooks would do with it.
pub(super) async fn get(
    State(console): State<Console>,
    visitor: Visitor,
    Query(asked): Query<Asked>,
) -> Result<Response, Failed> {
    visitor.caller.at_least(Role::Operator)?;
    let tenant = &visitor.caller.tenant;
    let mut form = if let Some(id) = &asked.sample {
        let sample = tenant
            .sample(id)
            .await?
            .ok_or_else(|| Problem::no("sample", id))?;
        Form::of(&sample.saved.event, &sample.saved.body, &sample.saved.cx)
    } else if let Some(seq) = asked.execution {
        let execution = tenant
            .execution(seq)
            .await?
            .ok_or_else(|| Problem::no("execution", seq))?;
        let name = execution.record.event.clone();
        let Some(input) = input(&visitor, &execution).await? else {
            let why =
                "the event of this execution was not kept: a store keeps events if it has a key";
            return Err(Problem::at("", why).into());
        };
        Form::of(&name, &input["event"], &input["cx"])
    } else {
        let name = asked.event.as_deref().unwrap_or("BeforeToolCall");
        let (event, cx) = example(name)?;
        Form {
            of: asked.of,
            ..Form::of(name, &event, &cx)
        }
    };
    form.of = asked_of(&form.of);
    // Nothing with effects runs, so the answer is there at once.
    let tried = simulated(&console, &visitor, &form).await;
    show(&console, &visitor, form, tried).await
}

fn asked_of(of: &str) -> String {
    if of == "draft" {
        "draft".to_owned()
    } else {
        String::new()
    }
}

/// An event with what it has by default, and something to judge.
fn example(name: &str) -> Result<(Value, Value), Problem> {
    let fields = OwnedEvent::fields_of(name);
    let mut given = Map::new();
    if fields.contains(&"args") {
        given.insert("name".to_owned(), "Bash".into());
        given.insert("args".to_owned(), json!({ "command": "git push --force" }));
    }
    let event = OwnedEvent::from_json(name, given.into())
        .map_err(|error| Problem::at("/event", error.to_string()))?;
    let mut event = event.to_json();
    if let Some(fields) = event.as_object_mut() {
        fields.remove("event");
    }
    Ok((
        event,
        json!({ "session_id": "simulator", "agent_id": "", "cwd": "/work" }),
    ))
}

async fn simulated(
    console: &Console,
    visitor: &Visitor,
    form: &Form,
) -> Result<Simulation, Problem> {
    let (fields, cx) = form.values()?;
    let event = OwnedEvent::from_json(&form.name, fields);
    let event = event.map_err(|error| Problem::at("/event", error.to_string()))?;
    let before = event.to_json();
    let draft = Value::Bool(form.of == "draft");
    let simulated = console
        .api
        .simulate(&visitor.caller, &draft, &form.run, cx, event)
        .await?;
    let mut now = before.clone();
    let steps = simulated.steps.iter().map(|step| {
        let after = step
            .change
            .as_ref()
            .and_then(|change| changed(&now, change));
        let lines = after
            .as_ref()
            .map(|after| diff::between(&now, after))
            .unwrap_or_default();
        // A hook that only watches changes nothing for those after it.
        if let Some(after) = after {
            now = after;
        }
        Shown {
            step: step.clone(),
            took: took(std::time::Duration::from_micros(step.duration_us)),
            look: look_of(step.outcome.as_deref()),
            lines,
        }
    });
    let steps = steps.collect();
    let after = changed(&before, &simulated.change).unwrap_or_else(|| before.clone());
    Ok(Simulation {
        look: look_of(Some(&simulated.decision)),
        steps,
        lines: if after == before {
            Vec::new()
        } else {
            diff::between(&before, &after)
        },
        output: simulated.output.as_ref().map(pretty),
        simulated,
    })
}

/// Asks the hooks about the event that was sent, or saves it.
pub(super) async fn post(
    State(console): State<Console>,
    visitor: Visitor,
    body: Bytes,
) -> Result<Response, Failed> {
    let form = Form::read(&body);
    let tried = simulated(&console, &visitor, &form).await;
    show(&console, &visitor, form, tried).await
}

/// Saves the event that was sent as a sample.
pub(super) async fn save(
    State(console): State<Console>,
    visitor: Visitor,
    body: Bytes,
) -> Result<Response, Failed> {
    let by = visitor.caller.at_least(Role::Author)?;
    let form = Form::read(&body);
    let saved = async {
        let (fields, cx) = form.values()?;
        let sample = NewSample {
            name: form.sample.trim().to_owned(),
            event: form.name.clone(),
            cx: serde_json::to_value(cx).unwrap_or_default(),
            body: fields,
        };
        if sample.name.is_empty() {
            return Err(Problem::at("/sample", "the sample has no name"));
        }
        Ok::<_, Problem>(visitor.caller.tenant.save_sample(&sample, &by).await?)
    };
    match saved.await {
        Ok(sample) => Ok(done(&format!("/simulator?sample={}", sample.id), "kept")),
        Err(problem) => show(&console, &visitor, form, Err(problem)).await,
    }
}
