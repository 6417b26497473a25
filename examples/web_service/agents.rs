//! Agents with different hooks in one `Vec`: with their hooks in a box, and behind a trait of your own.

use std::sync::Arc;

use hooks_core::agent::prelude::*;
use hooks_core::async_trait;

use crate::hooks::{Forbid, no_force_push};
use crate::{model, tool};

// ANCHOR: agent
pub(crate) struct Agent<H> {
    name: &'static str,
    hooks: H,
}

impl<H: AgentHooks> Agent<H> {
    async fn answer(&self, prompt: &str) -> Result<String, RunError> {
        let cx = AgentContext::new("review").with_agent_id(self.name);
        let mut conversation = Conversation::new("script", "script");
        let turn = run_turn(&self.hooks, &cx, &mut conversation, prompt, model, tool);
        Ok(format!("{}: {}", self.name, turn.await?.response))
    }
}
// ANCHOR_END: agent

#[hook]
fn in_capitals(stop: &mut BeforeStop) {
    stop.response.make_ascii_uppercase();
}

// ANCHOR: vec
/// A box has a type that you can write, whatever the hooks in it are.
fn reviewers() -> Vec<Agent<AgentBox>> {
    let forbid = Forbid {
        tool: "shell".into(),
    };
    vec![
        Agent {
            name: "strict",
            hooks: AgentBox::new(hooks![no_force_push, forbid]),
        },
        Agent {
            name: "loud",
            hooks: AgentBox::new(in_capitals),
        },
    ]
}

/// Asks all of them at the same time, each in a task.
pub(crate) async fn review(prompt: String) -> String {
    let ask = |agent: Agent<AgentBox>| {
        let prompt = prompt.clone();
        tokio::spawn(async move { agent.answer(&prompt).await })
    };
    let asked: Vec<_> = reviewers().into_iter().map(ask).collect();
    let mut answers = Vec::new();
    for task in asked {
        answers.extend(task.await.into_iter().flatten());
    }
    answers.join("\n")
}
// ANCHOR_END: vec

// ANCHOR: dyn
/// An agent with any hooks, without its type. The hooks stay static: one box an answer, and none a hook.
#[async_trait]
pub(crate) trait Answers: Send + Sync {
    async fn answer(&self, prompt: &str) -> Result<String, RunError>;
}

#[async_trait]
impl<H: AgentHooks> Answers for Agent<H> {
    async fn answer(&self, prompt: &str) -> Result<String, RunError> {
        self.answer(prompt).await
    }
}

/// The agent of a name, which a request may ask for.
pub(crate) fn by_name(name: &str) -> Option<Arc<dyn Answers>> {
    match name {
        "plain" => Some(Arc::new(Agent {
            name: "plain",
            hooks: hooks![no_force_push],
        })),
        "loud" => Some(Arc::new(Agent {
            name: "loud",
            hooks: hooks![no_force_push, in_capitals],
        })),
        _ => None,
    }
}
// ANCHOR_END: dyn
