//! A turn: from the user's message to the agent's.

use std::io;
use std::time::Instant;

use hooks_core::agent::{
    AgentEnd, AgentHooks, AgentStart, AgentStatus, BeforeModelResolve, BeforePromptBuild,
    BeforeStop, ChatMessage, MessageReceived, MessageSending, MessageSent, Role, Usage,
};
use hooks_core::{HookResult, Scope};

use super::super::journal;
use super::{Agent, CHANNEL, Ended, Stop, go_on};

const PROMPT: &str = "You are a coding agent. Work with your tools, in your workspace.";
/// How often hooks may have the model asked again in a turn, before it gets its way.
const PATIENCE: u32 = 3;

impl<H: AgentHooks> Agent<H> {
    /// One turn: from the user's message to the agent's.
    pub(super) async fn turn(
        &mut self,
        content: String,
        mut beside: Vec<String>,
    ) -> io::Result<Ended> {
        let mut message = MessageReceived::new(CHANNEL, "user", content);
        if let Err(cancel) = go_on(self.hooks.ask(&mut message).await) {
            self.report.stopped("the message is dropped", &cancel)?;
            return Ok(Ended::by(&cancel));
        }
        beside.append(&mut message.context);
        let start = AgentStart {
            prompt: &message.content,
        };
        self.hooks.tell(&start).await;

        let started = Instant::now();
        let (response, ended) = match self.work(message.content, beside).await {
            Ok(response) => (response, Ended::Done),
            Err(Stop::Cancelled(cancel)) => (cancel.to_string(), Ended::by(&cancel)),
            Err(Stop::Failed(error)) => return Err(error),
        };

        let status = match ended {
            Ended::Done => AgentStatus::Completed,
            Ended::Aborted | Ended::Run => AgentStatus::Aborted,
        };
        let end = AgentEnd {
            response: &response,
            status,
            // A script uses no tokens.
            usage: Usage::default(),
            duration: started.elapsed(),
        };
        self.hooks.tell(&end).await;
        self.report.decisions(&journal::take())?;
        if ended == Ended::Run {
            self.report.run_aborted(&response)?;
            return Ok(ended);
        }
        let sent = self.send(response).await?;
        Ok(if sent == Ended::Run { sent } else { ended })
    }

    /// Sends the agent's message.
    async fn send(&mut self, content: String) -> io::Result<Ended> {
        let mut message = MessageSending::new(CHANNEL, "user", content);
        let decision = self.hooks.ask(&mut message).await;
        self.report.decisions(&journal::take())?;
        if let Err(cancel) = go_on(decision) {
            self.report.stopped("the message is held back", &cancel)?;
            return Ok(Ended::by(&cancel));
        }
        self.report.message(&message.content)?;
        let sent = MessageSent::from(&message);
        self.hooks.tell(&sent).await;
        Ok(Ended::Done)
    }

    /// Asks the model and calls its tools, until it has nothing more to call.
    async fn work(&mut self, content: String, beside: Vec<String>) -> Result<String, Stop> {
        let mut model = BeforeModelResolve {
            provider: "script".into(),
            model: "script".into(),
        };
        go_on(self.hooks.ask(&mut model).await)?;
        self.request.model = model.model;

        let mut building = BeforePromptBuild {
            prompt: PROMPT.into(),
        };
        go_on(self.hooks.ask(&mut building).await)?;
        let system = ChatMessage::new(Role::System, building.prompt);
        match self.request.messages.first_mut() {
            Some(first) => *first = system,
            None => self.request.messages.push(system),
        }
        self.say(Role::User, content);
        for text in beside {
            self.say(Role::System, text);
        }
        self.report.decisions(&journal::take())?;

        // How often hooks had the model asked again, in all; since it last pleased them; when it wanted to stop.
        let (mut asked_again, mut attempt, mut sent_back) = (0, 0, 0);
        loop {
            let (line, response, retry) = self.ask_model(attempt).await?;
            self.report.decisions(&journal::take())?;
            if let Some(retry) = retry.filter(|_| asked_again < PATIENCE) {
                asked_again += 1;
                attempt += 1;
                self.request.messages.extend(
                    retry
                        .feedback
                        .map(|feedback| ChatMessage::new(Role::User, feedback)),
                );
                continue;
            }
            attempt = 0;
            self.request.messages.push(response.clone().into());
            if !response.tool_calls.is_empty() {
                self.report.says(line, &response.content)?;
                for call in response.tool_calls {
                    self.tool_call(line, call).await?;
                }
                continue;
            }
            let mut stop = BeforeStop::new(response.content, sent_back);
            match self.hooks.ask(&mut stop).await {
                HookResult::Cancel(cancel)
                    if cancel.scope == Scope::Event && asked_again < PATIENCE =>
                {
                    asked_again += 1;
                    sent_back += 1;
                    self.report.says(line, &stop.response)?;
                    self.report.decisions(&journal::take())?;
                    self.say(Role::User, cancel.reason);
                }
                HookResult::Cancel(cancel) if cancel.scope > Scope::Event => {
                    return Err(cancel.into());
                }
                _ => return Ok(stop.response),
            }
        }
    }

    pub(super) fn say(&mut self, role: Role, content: impl Into<String>) {
        self.request.messages.push(ChatMessage::new(role, content));
    }
}
