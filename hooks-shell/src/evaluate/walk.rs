//! The control flow of a script: lists, pipelines, branches and loops.

use std::sync::Arc;

use super::{Input, OutputStream, Result, ScriptEvaluator, program};
use crate::parse::syntax::{
    Command, CommandKind, CommandList, CommandListItem, CommandPipeline, Join, Word, is_set,
};
use crate::rejected::Rejected;
use crate::value::{Argument, GLOBS, Names};
use crate::{print, table};

/// The maximum number of words that a loop is evaluated for one by one.
const MOST_ROUNDS: usize = 256;

impl ScriptEvaluator<'_> {
    pub(crate) fn list(&mut self, list: &CommandList) -> Result<OutputStream> {
        let mut output = OutputStream::Unknown;
        for item in list {
            output = self.item(item)?;
            self.settle()?;
        }
        match list.as_slice() {
            [before @ .., _] if before.iter().all(is_set) => Ok(output),
            _ => Ok(OutputStream::Unknown),
        }
    }

    fn item(&mut self, item: &CommandListItem) -> Result<OutputStream> {
        self.work.spend(1, &(0..0))?;
        if item.is_background {
            self.beside(|this| this.tested(true, |this| this.chain(item)))?;
            return Ok(OutputStream::Unknown);
        }
        self.chain(item)
    }

    /// Runs something that the script does not wait for.
    pub(crate) fn beside<T>(&mut self, run: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let since = self.trace.effects.paths.len();
        self.trace.beside_since.get_or_insert(since);
        self.apart(run)
    }

    /// Runs something, and sets whether the script checks its failure.
    pub(crate) fn tested<T>(
        &mut self,
        is_tested: bool,
        run: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let was_tested = std::mem::replace(&mut self.is_tested, is_tested);
        let done = run(self);
        self.is_tested = was_tested;
        done
    }

    fn chain(&mut self, item: &CommandListItem) -> Result<OutputStream> {
        if item.rest.is_empty() {
            return self.pipeline(&item.first);
        }
        // The command after `&&` does not run if its predecessor failed, and then nothing else checks the failure.
        let has_or = item.rest.iter().any(|(join, _)| *join == Join::Or);
        self.tested(self.is_tested || has_or, |this| {
            this.pipeline(&item.first)?;
            for (join, pipeline) in &item.rest {
                let before = this.state.directories.clone();
                let failed = this.state.failed.take().unwrap_or_else(|| before.clone());
                if *join == Join::Or {
                    this.state.directories = failed.clone();
                }
                let (after, failed_after) = this.maybe(|this| {
                    this.pipeline(pipeline)?;
                    Ok((this.state.directories.clone(), this.state.failed.take()))
                })?;
                let failed_after = failed_after.unwrap_or_else(|| after.clone());
                let (succeeded, failed) = match join {
                    Join::And => (after, this.joined(&failed, failed_after.iter())?),
                    Join::Or => (this.joined(&before, after.iter())?, failed_after),
                };
                this.state.failed = (succeeded != failed).then_some(failed);
                this.state.directories = succeeded;
            }
            Ok(OutputStream::Unknown)
        })
    }

    fn pipeline(&mut self, pipeline: &CommandPipeline) -> Result<OutputStream> {
        self.tested(self.is_tested || pipeline.is_negated, |this| {
            let output = match pipeline.stages.as_slice() {
                [only] => this.command(only, Input::Inherited)?,
                stages => this.stages(stages)?,
            };
            if pipeline.is_negated
                && let Some(failed) = &mut this.state.failed
            {
                std::mem::swap(failed, &mut this.state.directories);
            }
            Ok(output)
        })
    }

    fn stages(&mut self, stages: &[Command]) -> Result<OutputStream> {
        self.tested(true, |this| {
            let since = this.trace.effects.paths.len();
            let mut input = Input::Inherited;
            let mut output = OutputStream::Unknown;
            for (nth, stage) in stages.iter().enumerate() {
                let run = |this: &mut Self| this.command(stage, input);
                // Some shells run the last command themselves.
                output = if nth + 1 < stages.len() {
                    this.apart(run)?
                } else {
                    this.maybe(run)?
                };
                input = output.clone();
            }
            this.touch_again(since)?;
            Ok(output)
        })
    }

    pub(crate) fn command(&mut self, command: &Command, input: Input) -> Result<OutputStream> {
        let span = self.span(&command.span);
        self.work.enter(&span)?;
        self.work.spend(16, &span)?;
        let redirects = command.redirects.as_slice();
        let output = match &command.kind {
            CommandKind::Simple(simple) => self.simple(simple, redirects, input, &command.span)?,
            kind if redirects.is_empty() => {
                let paths = self.trace.effects.paths.len();
                let output = self.compound(kind, &input)?;
                match input {
                    Input::Names(names) if self.drops_links(command)? => {
                        // It only looks at the names that it passes on to the next program.
                        self.trace.effects.paths.truncate(paths);
                        OutputStream::Names(Names {
                            may_be_links: false,
                            producer: None,
                            ..names
                        })
                    }
                    _ => output,
                }
            }
            // If a file cannot be opened, nothing of it runs.
            kind => self.maybe(|this| {
                let input = this.redirects(redirects, input)?;
                this.tested(true, |this| this.compound(kind, &input))?;
                Ok(OutputStream::Unknown)
            })?,
        };
        self.work.leave();
        Ok(output)
    }

    /// Whether an evaluated command passes on file names, except those of links.
    fn drops_links(&mut self, command: &Command) -> Result<bool> {
        let is_loop = matches!(command.kind, CommandKind::While(..));
        self.work.spend(command.span.len(), &command.span)?;
        Ok(is_loop
            && print::command(command, &self.trace.form).as_deref() == Some(print::WITHOUT_LINKS))
    }

    fn compound(&mut self, kind: &CommandKind, input: &Input) -> Result<OutputStream> {
        match kind {
            CommandKind::Simple(_) => {}
            CommandKind::Group(list) => return self.list(list),
            CommandKind::Subshell(list) => return self.apart(|this| this.list(list)),
            CommandKind::If(branches, otherwise) => self.r#if(branches, otherwise.as_ref())?,
            CommandKind::While(_, condition, body) => self.r#while(condition, body, input)?,
            CommandKind::For(name, words, body) => self.r#for(name, words.as_deref(), body)?,
            CommandKind::Case(subject, arms) => {
                self.one(subject)?;
                for (patterns, body) in arms {
                    patterns
                        .iter()
                        .try_for_each(|pattern| self.pattern(pattern))?;
                    self.maybe(|this| this.list(body))?;
                }
            }
            CommandKind::Test(words) => program::conditions::double_bracket(self, words)?,
            CommandKind::List(name, words) => {
                let args = self.words(words)?;
                let fields = args.into_iter().map(|arg| arg.value).collect();
                self.assign(name, Argument::unknown(), false)?;
                self.trace.form.lists.insert(name.clone());
                let list = self.scope.lists.insert(name.clone(), Arc::new(fields));
                if list.is_some() || !self.scope.frames.is_empty() {
                    let reason = format!(
                        "the list `{name}` is only supported if it is set once, outside of other commands"
                    );
                    return Err(Rejected::new(reason, self.span(&(0..0))));
                }
            }
            CommandKind::Function(name, body) => {
                let reason =
                    if !self.scope.frames.is_empty() || self.scope.functions.contains_key(name) {
                        "is only supported if it is defined once, outside of other commands"
                    } else if table::find(name).is_some() {
                        "has the name of a program: give it another one"
                    } else if table::variables::is_called_by_the_shell(name) {
                        "would be called by the shell itself: give it another name"
                    } else {
                        self.scope.functions.insert(name.clone(), body.clone());
                        return Ok(OutputStream::Unknown);
                    };
                let reason = format!("the function `{name}` {reason}");
                return Err(Rejected::new(reason, self.span(&body.span)));
            }
        }
        Ok(OutputStream::Unknown)
    }

    /// Evaluates a list whose failure decides what comes next. Where the script is after a failure is in `failed`.
    fn condition(&mut self, list: &CommandList) -> Result<()> {
        self.tested(true, |this| {
            for item in list {
                this.settle()?;
                this.item(item)?;
            }
            Ok(())
        })
    }

    fn r#if(
        &mut self,
        branches: &[(CommandList, CommandList)],
        otherwise: Option<&CommandList>,
    ) -> Result<()> {
        self.maybe(|this| {
            for (condition, then) in branches {
                this.condition(condition)?;
                let failed = this.state.failed.take();
                this.maybe(|this| this.list(then))?;
                this.state.failed = failed;
                this.settle()?;
            }
            otherwise.map_or(Ok(OutputStream::Unknown), |list| this.list(list))
        })?;
        Ok(())
    }

    fn r#while(
        &mut self,
        condition: &CommandList,
        body: &CommandList,
        input: &Input,
    ) -> Result<()> {
        self.repeat(|this| {
            match (input, condition.as_slice()) {
                // `read` in the condition reads the input of the loop.
                (Input::Names(_), [CommandListItem { first, rest, .. }])
                    if rest.is_empty() && first.stages.len() == 1 =>
                {
                    this.tested(true, |this| this.command(&first.stages[0], input.clone()))?;
                }
                _ => this.condition(condition)?,
            }
            this.settle()?;
            this.list(body)?;
            Ok(())
        })
    }

    fn r#for(&mut self, name: &str, words: Option<&[Word]>, body: &CommandList) -> Result<()> {
        let fields: Vec<Argument> = match (words, &self.scope.positional) {
            (Some(words), _) => {
                self.lists_folders = !self.environment.is_as_written;
                let args = self.words(words)?;
                self.lists_folders = false;
                args.into_iter().map(|arg| arg.value).collect()
            }
            (None, Some(all)) => all.to_vec(),
            (None, None) => vec![Argument::Several],
        };
        let is_known = |field: &Argument| field.known().is_some();
        if fields.len() <= MOST_ROUNDS && fields.iter().all(is_known) {
            for field in fields {
                self.assign(name, field, false)?;
                self.once(|this| this.list(body))?;
            }
            return Ok(());
        }
        let one = |field: Argument| {
            match field {
                Argument::Several => Argument::unknown(),
                // One name that it matches.
                Argument::Pattern(pattern) => Argument::Names(Arc::new(self.of_pattern(&pattern))),
                Argument::Names(names) => Argument::Names(Arc::new(Names {
                    is_one: true,
                    ..(*names).clone()
                })),
                Argument::Revisions { .. } => Argument::Revisions { is_one: true },
                value => value,
            }
        };
        let values = fields
            .into_iter()
            .map(one)
            .reduce(|all, value| all.join(&value));
        let value = values.unwrap_or(Argument::unknown());
        self.repeat(|this| {
            this.assign(name, value.clone(), false)?;
            this.list(body)?;
            Ok(())
        })
    }

    /// Returns the value of a pattern of files: names below its folder.
    fn of_pattern(&self, pattern: &str) -> Names {
        let fixed = pattern.find(GLOBS).unwrap_or(pattern.len());
        let folder = match pattern[..fixed].rfind('/') {
            Some(0) => "/",
            Some(slash) => &pattern[..slash],
            None => ".",
        };
        let name = pattern.rsplit('/').next().unwrap_or(pattern);
        Names {
            folders: vec![folder.to_owned()],
            pattern: Some(name.to_owned()),
            may_be_links: true,
            may_be_options: Argument::Pattern(pattern.into()).may_be_option(),
            is_tracked: !name.starts_with('.'),
            is_one: true,
            is_flat: !pattern[..pattern.len() - name.len()].contains(GLOBS),
            found_in: Some(self.state.directories.clone()),
            ..Names::default()
        }
    }
}
