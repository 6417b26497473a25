//! The simulator: one event through all hooks, step by step. Nothing with effects runs, unless the visitor ticks it.

use std::collections::BTreeMap;

use askama::Template;
use axum::extract::{Path, Query};
use axum::response::IntoResponse as _;
use hooks_core::agent::{AgentContext, AgentEvent};
use hooks_runtime::OwnedEvent;
use hooks_runtime::entry::TestEntry;
use hooks_store::{Node, Role};
use serde_json::{Map, Value, json};

use super::diff::{self, DiffLine, pretty};
use super::executions::{EXPECTED, kept, look_of};
use super::frame::{PageAnswer, PageFrame, done, page};
use super::guard::Site;
use super::name::SafeName;
use super::sent::{FormBody, FormFields};
use super::session::Visitor;
use crate::api::problem::{Problem, found};
use crate::api::samples::SampleOutcome;
use crate::api::simulate::{Simulated, SimulationStep, StepState};

/// What hooks would do, or have done.
pub(super) struct Simulation {
    pub(super) simulated: Simulated,
    /// What all of them change together.
    pub(super) lines: Vec<DiffLine>,
    pub(super) steps: Vec<Shown>,
}

/// A hook, and what it changes.
pub(super) struct Shown {
    pub(super) step: SimulationStep,
    pub(super) lines: Vec<DiffLine>,
    /// The id of the hook, if it is one of the draft.
    pub(super) id: Option<String>,
}

impl Shown {
    /// What became of it, in a word or two.
    pub(super) fn word(&self) -> String {
        let outcome = self.step.outcome.as_deref().unwrap_or_default();
        match self.step.state {
            StepState::Ran if self.step.shadow => format!("would {outcome}"),
            StepState::Ran => outcome.to_owned(),
            StepState::LeftOut => "not run".to_owned(),
            StepState::NotAsked | StepState::Compiled => "not asked".to_owned(),
            StepState::Unmet | StepState::OtherTools => "does not match".to_owned(),
            StepState::Off => "off".to_owned(),
        }
    }

    /// Whose code it is, if it is not a stored hook.
    pub(super) fn code(&self) -> &'static str {
        match &*self.step.handler {
            "builtin" => "built-in",
            "compiled" => "compiled into the agent",
            _ => "",
        }
    }

    pub(super) fn look(&self) -> &'static str {
        match self.step.state {
            StepState::Ran if !self.step.shadow => look_of(self.step.outcome.as_deref()),
            _ => "outline",
        }
    }

    /// Whether it is shown with others of its kind, folded.
    pub(super) fn is_folded(&self) -> bool {
        matches!(self.step.state, StepState::OtherTools | StepState::Off)
    }
}

impl Simulation {
    /// What was done with an event.
    pub(super) fn of(event: &Value, mut simulated: Simulated) -> Self {
        let whole = diff::changed(event, &simulated.change);
        let mut now = event.clone();
        let steps = std::mem::take(&mut simulated.steps).into_iter();
        let steps = steps.map(|step| {
            let change = step.change.as_ref();
            let lines = match change.and_then(|change| diff::changed(&now, change)) {
                Some((after, lines)) if !step.shadow => {
                    now = after;
                    lines
                }
                Some((_, lines)) => lines,
                // A hook that only watches changes nothing for those after it.
                None => Vec::new(),
            };
            let id = None;
            Shown { step, lines, id }
        });
        let steps: Vec<_> = steps.collect();
        let mut changed = steps.iter().filter(|one| !one.lines.is_empty());
        // The change of a single hook is shown with it.
        let is_shown = changed.next().is_some() && changed.next().is_none();
        let whole = whole.filter(|_| !is_shown);
        Simulation {
            steps,
            lines: whole.map(|(_, lines)| lines).unwrap_or_default(),
            simulated,
        }
    }

    /// Notes which hooks have a page.
    pub(super) fn link(&mut self, ids: &BTreeMap<String, (String, u64)>) {
        for one in self.steps.iter_mut().filter(|one| one.code().is_empty()) {
            one.id = ids.get(&one.step.hook).map(|(id, _)| id.clone());
        }
    }

    /// The hooks of which one of these became.
    pub(super) fn those(&self, states: &[StepState]) -> Vec<&Shown> {
        let steps = self.steps.iter();
        steps
            .filter(|one| states.contains(&one.step.state))
            .collect()
    }

    /// The hooks that are folded, by what is said of them.
    pub(super) fn folded(&self) -> Vec<(&'static str, Vec<&Shown>)> {
        let kinds = [
            ("for other tools", StepState::OtherTools),
            ("off", StepState::Off),
        ];
        let folded = kinds.map(|(said, state)| (said, self.those(&[state])));
        folded
            .into_iter()
            .filter(|(_, of)| !of.is_empty())
            .collect()
    }

    /// The decision, in words.
    fn headline(&self) -> String {
        let count = |state| self.those(&[state]).len();
        let left = count(StepState::LeftOut);
        match &*self.simulated.decision {
            "undecided" if left == 1 => "undecided: 1 hook was not asked".to_owned(),
            "undecided" => format!("undecided: {left} hooks were not asked"),
            "continue" => {
                let is_changed = self.simulated.change != json!([]);
                let changed = if is_changed { ", changed" } else { "" };
                let is_part = count(StepState::Compiled) > 0;
                let part = if is_part {
                    ", as far as the stored hooks go"
                } else {
                    ""
                };
                format!("continue{changed}{part}")
            }
            decision => decision.to_owned(),
        }
    }

    /// Whether hooks were left out, because they may have side effects.
    fn leaves_out(&self) -> bool {
        !self.those(&[StepState::LeftOut]).is_empty()
    }

    /// The hooks that were left out, and those that ran or were not asked because they or others were ticked.
    fn may_run(&self) -> Vec<&str> {
        let those = self.those(&[StepState::LeftOut, StepState::Ran, StepState::NotAsked]);
        let once = those.iter().filter(|one| !one.step.again);
        once.map(|one| &*one.step.hook).collect()
    }
}

/// The longest address that a simulation is sent as.
const ADDRESS: usize = 4000;

#[derive(Template)]
#[template(path = "simulator.html")]
struct Page {
    frame: PageFrame,
    /// The ids and the names of samples.
    samples: Vec<(String, String)>,
    nodes: Vec<Node>,
    /// The `name` of the event, its fields as `event`, where it happens as `cx`, the hooks that it is for as `of`, those that
    /// `run`, and the name of the `sample` that it is saved as.
    form: FormFields,
    result: Option<Simulation>,
    /// What the hooks decided about all samples.
    tried: Vec<SampleOutcome>,
}

impl Page {
    /// The address of this simulation, to send it to another person.
    fn link(&self) -> Option<String> {
        let none = [("run", None), ("sample", None), ("expect", None)];
        let address = self.form.address("/simulator", &none);
        Some(address).filter(|address| address.len() <= ADDRESS)
    }

    /// Whether a hook was ticked to run.
    fn runs(&self, hook: &str) -> bool {
        self.form.text("run").lines().any(|ticked| ticked == hook)
    }
}

async fn show(
    visitor: &Visitor,
    form: FormFields,
    result: Result<Option<Simulation>, Problem>,
    tried: Vec<SampleOutcome>,
) -> PageAnswer {
    let mut frame = PageFrame::new(visitor, "/simulator", "Simulator").await?;
    let result = result.unwrap_or_else(|problem| {
        frame.problem = Some(problem);
        None
    });
    let status = frame.status();
    let shown = page(&Page {
        frame,
        samples: visitor.tenant().sample_names().await?,
        nodes: visitor.tenant().nodes().await?,
        form,
        result,
        tried,
    });
    Ok((status, shown).into_response())
}

/// Shows the event that is asked for, and what the hooks would do with it: an event of a kind, as `event`, with what it has by default, a
/// `sample`, that of an `execution`, or one that was sent as an address.
pub(super) async fn get(visitor: Visitor, Query(asked): Query<FormFields>) -> PageAnswer {
    visitor.at_least(Role::Operator)?;
    let tenant = visitor.tenant();
    let of = asked.text("of");
    let (name, event, cx) = if let Some(id) = asked.written("sample") {
        let sample = found(tenant.sample(&id).await?, "sample", &id)?.saved;
        (sample.event, sample.body, sample.cx)
    } else if let Some(seq) = asked.written("execution") {
        let seq = seq.parse().map_err(|_| Problem::no("execution", &seq))?;
        let (execution, mut input) = kept(&visitor, seq).await?;
        let (event, cx) = (input["event"].take(), input["cx"].take());
        (execution.record.event, event, cx)
    } else if asked.written("name").is_some() {
        return answer(&visitor, asked).await;
    } else {
        let name = asked.written("event");
        let name = name.unwrap_or_else(|| "BeforeToolCall".to_owned());
        let mut event = example(&name, "Bash")?;
        event.as_object_mut().map(|fields| fields.remove("event"));
        let cx = json!({ "session_id": "simulator", "agent_id": "", "cwd": "/work" });
        (name, event, cx)
    };
    let (event, cx) = (pretty(&event), pretty(&cx));
    let form = FormFields::from([("name", name), ("event", event), ("cx", cx), ("of", of)]);
    answer(&visitor, form).await
}

/// Shows what hooks would do. Nothing with effects runs, so the answer is there at once. A page of others makes nothing run.
async fn answer(visitor: &Visitor, form: FormFields) -> PageAnswer {
    let result = match visitor.site {
        Site::Other => Ok(None),
        _ => simulated(visitor, &form, false).await.map(Some),
    };
    show(visitor, form, result, Vec::new()).await
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

/// Says where a text is not JSON, and why.
pub(super) fn unread(what: &str, error: &serde_json::Error) -> String {
    let said = error.to_string();
    let (said, _) = said.rsplit_once(" at line ").unwrap_or((&said, ""));
    let (line, column) = (error.line(), error.column());
    format!("{what}, line {line}, column {column}: {said}")
}

/// The fields of the event that was sent, and its context.
fn values(form: &FormFields) -> Result<(Value, AgentContext), Problem> {
    let read = |path: &str, what: &str| {
        let text = form.written(path).unwrap_or_else(|| "{}".to_owned());
        let read = serde_json::from_str::<Map<String, Value>>(&text);
        read.map_err(|error| Problem::at("", unread(&format!("{what} (JSON)"), &error)))
    };
    let event = read("event", "Event")?;
    let cx = serde_json::from_value(read("cx", "Context")?.into());
    let cx = cx.map_err(|error| Problem::at("", format!("Context: {error}")))?;
    Ok((event.into(), cx))
}

async fn simulated(
    visitor: &Visitor,
    form: &FormFields,
    may_run: bool,
) -> Result<Simulation, Problem> {
    let (fields, cx) = values(form)?;
    let event = read(&form.text("name"), fields)?;
    let before = event.to_json();
    let is_draft = form.text("of") == "draft";
    // A link does not make anything run.
    let run: Vec<_> = if may_run {
        form.text("run").lines().map(str::to_owned).collect()
    } else {
        Vec::new()
    };
    let (of, hooks) = (form.text("of"), (&is_draft.into(), &*run));
    let node = of.strip_prefix("node:");
    let asked = visitor
        .api
        .simulate(&visitor.caller, hooks, node, cx, event);
    let mut simulation = Simulation::of(&before, Box::pin(asked).await?);
    simulation.link(&visitor.tenant().ids().await?);
    Ok(simulation)
}

/// Asks the hooks about the event that was sent.
pub(super) async fn post(visitor: Visitor, FormBody(form): FormBody<FormFields>) -> PageAnswer {
    let result = simulated(&visitor, &form, true).await.map(Some);
    show(&visitor, form, result, Vec::new()).await
}

/// Saves the event that was sent as a sample.
pub(super) async fn save(visitor: Visitor, FormBody(form): FormBody<FormFields>) -> PageAnswer {
    let by = visitor.at_least(Role::Operator)?;
    let saved = async {
        let (body, cx) = values(&form)?;
        let sample = TestEntry {
            name: form
                .written("sample")
                .ok_or_else(|| Problem::at("/sample", "Give the sample a name."))?,
            event: form.text("name"),
            cx: serde_json::to_value(cx).unwrap_or_default(),
            body,
            expect: form.written("expect").as_deref().map(Into::into),
            ..TestEntry::default()
        };
        Ok::<_, Problem>(visitor.tenant().save_sample(&sample, &by).await?)
    };
    match saved.await {
        Ok(sample) => Ok(done(&format!("/simulator?sample={}", sample.id), "sample")),
        Err(problem) => show(&visitor, form, Err(problem), Vec::new()).await,
    }
}

/// Removes a sample.
pub(super) async fn delete(visitor: Visitor, Path(id): Path<String>) -> PageAnswer {
    let by = visitor.at_least(Role::Operator)?;
    visitor.tenant().delete_sample(&id, &by).await?;
    Ok(done("/simulator/samples", "no-sample"))
}

/// Runs all samples, on what is live or on the draft.
pub(super) async fn samples(visitor: Visitor, Query(asked): Query<FormFields>) -> PageAnswer {
    visitor.at_least(Role::Operator)?;
    let is_draft = asked.text("of") == "draft";
    let tried = visitor
        .api
        .try_samples(visitor.tenant(), &is_draft.into())
        .await?;
    show(&visitor, asked, Ok(None), tried).await
}
