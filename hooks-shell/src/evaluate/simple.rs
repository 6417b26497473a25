//! Simple commands: their arguments, their input, and the program, builtin or function that runs.

use std::ops::Range;
use std::sync::Arc;

use super::effects::{Access, Program};
use super::program::operands::{ProgramCall, unlisted};
use super::{CommandArg, Input, OutputStream, Result, ScriptEvaluator, program};
use crate::parse::syntax::{BOTH, Command, Redirect, Redirection, Simple, TEXTS};
use crate::print::Note;
use crate::table::{self, variables};
use crate::value::Argument;

impl ScriptEvaluator<'_> {
    /// Follows redirections. Returns what the command then reads.
    pub(crate) fn redirects(&mut self, redirects: &[Redirect], mut input: Input) -> Result<Input> {
        for redirect in redirects {
            let is_input = matches!(redirect.descriptor, None | Some(0));
            self.process = None;
            let field = self.one(&redirect.target)?;
            self.look_at(&redirect.target.span);
            let access = match redirect.kind {
                Redirection::CopyIn | Redirection::CopyOut => continue,
                Redirection::Document | Redirection::HereString => {
                    input = match field {
                        Argument::Text(text) => Input::Text(text),
                        _ => Input::Unknown,
                    };
                    continue;
                }
                Redirection::Read => {
                    if is_input {
                        input = match self.process.take() {
                            Some(OutputStream::Names(names)) => Input::Names(names),
                            _ => Input::Unknown,
                        };
                    }
                    Access::Read
                }
                Redirection::ReadWrite => {
                    self.touch(&field, Access::Read);
                    Access::Write
                }
                _ => Access::Write,
            };
            if BOTH.contains(&redirect.kind) {
                self.dispute("some shells read `&>` as two commands: write `> file 2>&1`");
            }
            if field.is_one() {
                self.touch(&field, access);
            } else {
                self.unknown_argument(
                    "the target of a redirection is only known at run time: write one file",
                );
            }
        }
        Ok(input)
    }

    pub(crate) fn simple(
        &mut self,
        simple: &Simple,
        redirects: &[Redirect],
        input: Input,
        span: &Range<usize>,
    ) -> Result<OutputStream> {
        let args = self.words(&simple.words)?;
        let mut assignments = Vec::new();
        let is_read = args.first().and_then(CommandArg::known) == Some("read");
        for (name, word) in &simple.assignments {
            let value = self.one(word)?;
            self.look_at(&word.span);
            assignments.push((name.clone(), value.clone()));
            if simple.words.is_empty() {
                self.assign(name, value, false)?;
                if !redirects.is_empty() {
                    // If a file cannot be opened, it is unknown whether it is set.
                    self.forget(name)?;
                }
            } else if !(is_read && name == "IFS") {
                self.check_variable(name, &value, true);
                self.forget(name)?;
            }
        }
        if simple.words.is_empty() {
            self.redirects(redirects, input)?;
            return Ok(OutputStream::Unknown);
        }
        let input = self.redirects(redirects, input)?;
        self.look_at(span);
        self.head = simple.words[0].id;
        let Some(first) = args.first() else {
            self.unknown("the program is only known at run time: write its name out");
            return Ok(OutputStream::Unknown);
        };
        let is_plain = [Redirection::Write, Redirection::CopyOut];
        let is_plain = redirects
            .iter()
            .all(|redirect| is_plain.contains(&redirect.kind));
        let is_cd = matches!(first.known(), Some("cd" | "pushd" | "popd"));
        let ends_script = is_plain && !self.is_tested && is_cd;
        if is_cd
            && redirects
                .iter()
                .any(|redirect| BOTH.contains(&redirect.kind))
        {
            // Shells disagree on the folder in which the script then is.
            self.note(first.word, Note::Never);
        }
        let run = |this: &mut Self| {
            this.tested(this.is_tested || !is_plain, |this| {
                this.run(&args, assignments, input)
            })
        };
        let mut output = if redirects.is_empty() || ends_script {
            run(self)?
        } else {
            // If a file cannot be opened, the command does not run, and fails.
            let (output, after, left) = self.maybe(|this| {
                let output = run(this)?;
                Ok((
                    output,
                    this.state.directories.clone(),
                    this.state.left.clone(),
                ))
            })?;
            self.state.left = left;
            if after != self.state.directories {
                self.state.failed = Some(std::mem::replace(&mut self.state.directories, after));
            }
            output
        };
        if let OutputStream::Names(names) = &mut output
            && names.may_be_links
            && !names.ends_with_nul
            && names.producer.is_none()
            && simple.words[0].id == first.word
            && !self.environment.is_as_written
        {
            names.producer = Some(first.word);
        }
        // A text is written in the place of what prints it, and so no file may be opened there.
        let is_text = matches!(output, OutputStream::Text(_));
        let is_elsewhere = |redirect: &Redirect| {
            let is_out = matches!(redirect.descriptor, None | Some(1));
            let prints = is_out && redirect.kind != Redirection::Read;
            (is_text || prints) && !TEXTS.contains(&redirect.kind)
        };
        let is_elsewhere = redirects.iter().any(is_elsewhere);
        Ok(if is_elsewhere {
            OutputStream::Unknown
        } else {
            output
        })
    }

    /// Sets a variable, which a program may inherit.
    pub(crate) fn assign(&mut self, name: &str, value: Argument, is_exported: bool) -> Result<()> {
        self.check_variable(name, &value, is_exported);
        self.set(name, value)
    }

    /// Judges an assignment.
    pub(crate) fn check_variable(&mut self, name: &str, held: &Argument, is_exported: bool) {
        if let Some(folders) = held.known().filter(|_| variables::holds_folders(name)) {
            for folder in folders.split(':').filter(|folder| !folder.is_empty()) {
                self.touch(&Argument::text(folder), Access::Read);
            }
        } else if is_exported
            && held.known().is_none()
            && !held.is_number()
            && variables::is_own(name)
        {
            self.unknown_argument(format!(
                "the value of `{name}` is only known at run time, and programs see it: write it out"
            ));
        } else if !variables::may_be_set(name, held, is_exported) {
            self.unknown(if variables::is_own(name) {
                format!(
                    "the value of `{name}` may be a command, or lead out of the folder: write one of letters, digits and `_.,:=+@%-/!#^`"
                )
            } else {
                format!("the variable `{name}` may change which programs run, or what they do: leave it out")
            });
        }
    }

    /// Whether a name is a function, or a builtin that affects the rest of the script.
    pub(crate) fn is_of_the_shell(&self, name: &str) -> bool {
        self.scope.functions.contains_key(name)
            || table::find(name).is_some_and(|program| program.is("shell"))
    }

    /// Runs a program, a builtin or a function with its arguments.
    pub(crate) fn run(
        &mut self,
        args: &[CommandArg],
        assignments: Vec<(String, Argument)>,
        input: Input,
    ) -> Result<OutputStream> {
        let span = self.at.clone();
        self.work.enter(&span)?;
        self.work.spend(16 + 8 * args.len(), &span)?;
        let Some((first, rest)) = args.split_first() else {
            return Ok(OutputStream::Unknown);
        };
        let Some(path) = first.agreed() else {
            let shown = self.text.get(self.span(&first.span)).unwrap_or_default();
            let reason =
                format!("the program `{shown}` is only known at run time: write its name out");
            self.unknown(reason);
            self.work.leave();
            return Ok(OutputStream::Unknown);
        };
        let name = program::name_of(path);
        let function = self.scope.functions.get(name).cloned();
        let program = table::find(name);
        let is = |flag: &str| program.is_some_and(|program| program.is(flag));
        self.trace.effects.programs.push(Program {
            name: name.into(),
            arguments: rest.iter().map(|arg| arg.value.clone()).collect(),
            assignments,
            span,
            directories: self.state.directories.clone(),
            is_builtin: is("builtin") || function.is_some(),
            is_wrapper: is("wrapper"),
            is_known: program.is_some(),
            command: 0,
        });
        let output = match (function, program) {
            (Some(body), _) => self.call(&body, rest)?,
            (None, Some(program)) => {
                program::run(self, ProgramCall::new(name, program, args, &input))?
            }
            (None, None) => {
                unlisted(self, name, rest);
                OutputStream::Unknown
            }
        };
        self.work.leave();
        Ok(output)
    }

    fn call(&mut self, body: &Arc<Command>, args: &[CommandArg]) -> Result<OutputStream> {
        self.trace.form.called.insert(Arc::as_ptr(body));
        let fields = args.iter().map(|arg| arg.value.clone()).collect();
        let outer = self.scope.positional.replace(Arc::new(fields));
        let output =
            self.once(|this| this.tested(true, |this| this.command(body, Input::Unknown)))?;
        self.scope.positional = outer;
        Ok(match output {
            OutputStream::Names(names) => OutputStream::Names(names),
            _ => OutputStream::Unknown,
        })
    }

    /// Runs a script that begins without variables and functions, and whose changes are discarded.
    pub(crate) fn afresh<T>(
        &mut self,
        positional: Vec<Argument>,
        run: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let outer = (std::mem::take(&mut self.scope), self.state.clone());
        self.scope.positional = Some(Arc::new(positional));
        self.state.variables = Arc::default();
        let done = self.tested(false, run)?;
        (self.scope, self.state) = outer;
        Ok(done)
    }
}
