//! The model: its answers are the script's lines.

use std::io;

use hooks_core::agent::{Deltas, LlmResponse, ToolCall};

use super::super::report::Report;
use super::super::script::{Answer, Line, Numbered, Script};
use super::super::watched::Watched;

pub(super) struct Model {
    script: Script,
    /// A line that was read and belongs to what comes next.
    ahead: Option<(usize, Line)>,
}

impl Model {
    pub(super) fn new(script: Script) -> Self {
        Model {
            script,
            ahead: None,
        }
    }

    /// What the user says next. A script that begins with the model's answers has been asked to.
    pub(super) async fn message<H>(&mut self, hooks: &Watched<H>) -> io::Result<Option<String>> {
        Ok(match self.line(hooks).await? {
            Some((_, Line::User(message))) => Some(message),
            Some(answer) => {
                self.ahead = Some(answer);
                Some("Work through the script.".into())
            }
            None => None,
        })
    }

    /// The script's next line. The model has done its work when the script has nothing more for it in this turn.
    pub(super) async fn answer<H>(
        &mut self,
        hooks: &Watched<H>,
        deltas: Deltas<'_>,
    ) -> io::Result<LlmResponse> {
        hooks.report(Report::asked);
        let (line, answer) = match self.line(hooks).await? {
            Some((number, Line::Answer(answer))) => (Some(number), answer),
            next => {
                self.ahead = next;
                let say = "The script has nothing more to do.".into();
                (None, Answer { say, call: None })
            }
        };
        hooks.report(|report| report.answered(line, &answer.say, answer.call.is_some()));
        if !hooks.is_reported() {
            return Err(io::Error::other("the report cannot be written"));
        }
        for text in answer.say.split_inclusive(' ') {
            deltas.text(text).await;
        }
        if let Some((_, args)) = &answer.call {
            deltas.tool_call(&args.to_string()).await;
        }
        let tool_calls = answer.call.into_iter().map(|(name, args)| {
            let id = format!("line-{}", line.unwrap_or_default());
            ToolCall::new(id, name, args)
        });
        Ok(LlmResponse {
            tool_calls: tool_calls.collect(),
            ..LlmResponse::new(answer.say)
        })
    }

    /// Skips what the script still has for a turn that was aborted.
    pub(super) async fn skip_turn<H>(&mut self, hooks: &Watched<H>) -> io::Result<()> {
        while let Some(line) = self.line(hooks).await? {
            if let (_, Line::User(_)) = line {
                self.ahead = Some(line);
                break;
            }
            hooks.report(|report| {
                report.skipped();
                Ok(())
            });
        }
        Ok(())
    }

    /// The next line that is well formed; the others are reported.
    async fn line<H>(&mut self, hooks: &Watched<H>) -> io::Result<Option<(usize, Line)>> {
        if let Some(line) = self.ahead.take() {
            return Ok(Some(line));
        }
        while let Some(Numbered { number, line }) = self.script.next().await? {
            match line {
                Ok(line) => return Ok(Some((number, line))),
                Err(wrong) => hooks.report(|report| report.malformed(number, &wrong)),
            }
        }
        Ok(None)
    }
}
