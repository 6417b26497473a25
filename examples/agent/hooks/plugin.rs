//! A hook that only exists at run time: a registry takes it.

use hooks_core::agent::{AfterToolCall, ToolOutput};
use hooks_core::{HookAction, hook};

use super::super::journal::decided;

/// The model reads so many lines of an output.
pub(crate) struct Shorten {
    pub(crate) lines: usize,
}

#[hook]
impl Shorten {
    fn shorten(&self, done: &AfterToolCall) -> HookAction<AfterToolCall> {
        let content = &done.output.content;
        let Some((end, _)) = content
            .match_indices('\n')
            .nth(self.lines.saturating_sub(1))
        else {
            return decided("Shorten", HookAction::Continue, "");
        };
        let left = content[end + 1..].lines().count();
        if left == 0 {
            return decided("Shorten", HookAction::Continue, "");
        }
        let output = ToolOutput {
            content: format!("{}\n({left} more lines)", &content[..end]),
            ..done.output.clone()
        };
        decided(
            "Shorten",
            HookAction::modify(output),
            format!("left out {left} lines"),
        )
    }
}

#[cfg(test)]
mod tests {
    use hooks_core::agent::{AgentContext, AgentRegistry};

    use super::*;

    #[tokio::test]
    async fn an_output_is_cut_after_its_first_lines() {
        let plugins = AgentRegistry::new().with(Shorten { lines: 2 });
        let cx = AgentContext::new("test");
        for (content, short) in [
            ("", ""),
            ("1\n2", "1\n2"),
            ("1\n2\n", "1\n2\n"),
            ("1\n2\n3\n4\n", "1\n2\n(2 more lines)"),
        ] {
            let mut done = AfterToolCall {
                output: ToolOutput::new(content),
                ..AfterToolCall::default()
            };
            assert!(plugins.intercept(&cx, &mut done).await.is_continue());
            assert_eq!(done.output.content, short);
        }
    }
}
