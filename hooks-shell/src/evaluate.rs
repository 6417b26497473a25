//! From tree to trace: walks a script as a shell would, with what is known of its words.
//!
//! Where it cannot be known which way a script goes, all ways are taken, and what they disagree about is unknown.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use crate::bounds::{Rejected, Work};
use crate::effects::{Access, Network, PathUse, Program, Unknown};
use crate::environment::{Dialect, Environment};
use crate::operands::{Call, unlisted};
use crate::state::{Frame, State};
use crate::syntax::{
    Command, Item, Join, Kind, List, Pipeline, Redirect, Redirection, Simple, Test, Word,
};
use crate::value::{Argument, Field, Names};
use crate::{print, special, table, tests, variables};

pub(crate) use crate::trace::{Arg, Change, Input, Note, Output, Trace};

pub(crate) type Result<T> = std::result::Result<T, Rejected>;

pub(crate) struct Evaluator<'e> {
    pub(crate) text: &'e str,
    pub(crate) environment: &'e Environment,
    pub(crate) work: &'e mut Work,
    pub(crate) trace: Trace,
    pub(crate) state: State,
    pub(crate) next_word: usize,
    pub(crate) functions: HashMap<String, Arc<Command>>,
    pub(crate) positional: Option<Arc<Vec<Field>>>,
    /// The branches, loops, calls and subshells that the walk is in.
    pub(crate) frames: Vec<Frame>,
    /// Whether somebody looks at whether the command fails.
    pub(crate) is_tested: bool,
    /// What the last process substitution prints.
    pub(crate) process: Option<Output>,
    /// Where the script stands that is evaluated, if it stands in a word of another.
    outer: Option<Range<usize>>,
    /// Where that stands which is looked at.
    at: Range<usize>,
}

/// How many words a loop is followed through one by one.
const MOST_ROUNDS: usize = 256;

impl<'e> Evaluator<'e> {
    pub(crate) fn new(
        text: &'e str,
        environment: &'e Environment,
        work: &'e mut Work,
        next_word: usize,
    ) -> Self {
        Evaluator {
            text,
            environment,
            work,
            trace: Trace::default(),
            state: State {
                variables: Arc::default(),
                directories: Arc::new(vec![environment.directory.clone()]),
                failed: None,
            },
            next_word,
            functions: HashMap::new(),
            positional: None,
            frames: Vec::new(),
            is_tested: false,
            process: None,
            outer: None,
            at: 0..0,
        }
    }

    pub(crate) fn span(&self, span: &Range<usize>) -> Range<usize> {
        self.outer.clone().unwrap_or_else(|| span.clone())
    }

    /// Looks at what stands there: what is found out from now on is said of it.
    pub(crate) fn look_at(&mut self, span: &Range<usize>) {
        self.at = self.span(span);
    }

    /// What stands there, as it is written.
    pub(crate) fn shown(&self, span: &Range<usize>) -> &'e str {
        self.text.get(self.span(span)).unwrap_or_default()
    }

    pub(crate) fn unknown(&mut self, reason: impl Into<String>) {
        let (reason, span) = (reason.into(), self.at.clone());
        self.trace.unknown.push(Unknown { reason, span });
    }

    /// Notes that shells disagree, unless it is known which one it is.
    pub(crate) fn dispute(&mut self, reason: impl Into<String>) {
        if self.environment.dialect != Dialect::Bash {
            let (reason, span) = (reason.into(), self.at.clone());
            self.trace.disputed.push(Unknown { reason, span });
        }
    }

    /// Notes that the network is reached.
    pub(crate) fn reach(&mut self, address: Option<Arc<str>>) {
        let span = self.at.clone();
        self.trace.network.push(Network { address, span });
    }

    pub(crate) fn note(&mut self, word: usize, note: Note) {
        if self.trace.notes.len() <= word {
            self.trace
                .notes
                .resize(self.next_word.max(word + 1), Note::Unseen);
        }
        let before = std::mem::take(&mut self.trace.notes[word]);
        self.trace.notes[word] = before.merge(note);
    }

    pub(crate) fn change(&mut self, word: usize) -> &mut Change {
        self.trace.changes.entry(word).or_default()
    }

    pub(crate) fn touch(&mut self, path: &Argument, access: Access) {
        let mut path = path.clone();
        if let Argument::Names(names) = &mut path
            && let Some(producer) = names.producer
            && access != Access::List
        {
            self.change(producer).drops_links = true;
            Arc::make_mut(names).may_be_links = false;
        }
        let directories = self.state.directories.clone();
        let span = self.at.clone();
        let used = PathUse {
            path,
            access,
            directories,
            span,
        };
        if self.trace.paths.last() != Some(&used) {
            self.trace.paths.push(used);
        }
    }

    /// Evaluates a script that stands in a word of another, and gives its rewritten form.
    pub(crate) fn script(&mut self, text: &str) -> Result<Option<String>> {
        let span = self.at.clone();
        self.work.enter(&span)?;
        let located = |error: Rejected| Rejected::new(error.reason(), span.clone());
        let list = crate::parse::parse(text, self.work, &mut self.next_word).map_err(located)?;
        let outer = self.outer.replace(span.clone());
        let evaluated = self.list(&list).map_err(located);
        self.outer = outer;
        evaluated?;
        self.work.leave();
        Ok(print::script(&list, &self.trace))
    }

    pub(crate) fn list(&mut self, list: &List) -> Result<Output> {
        let mut output = Output::Unknown;
        for item in list {
            output = self.item(item)?;
            self.settle()?;
        }
        match list.len() {
            1 => Ok(output),
            _ => Ok(Output::Unknown),
        }
    }

    fn item(&mut self, item: &Item) -> Result<Output> {
        self.work.spend(1, &(0..0))?;
        if item.is_background {
            self.work.spend(24, &(0..0))?;
            self.apart(|this| this.tested(true, |this| this.chain(item)))?;
            return Ok(Output::Unknown);
        }
        self.chain(item)
    }

    /// Runs something whose failure somebody looks at, or nobody.
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

    fn chain(&mut self, item: &Item) -> Result<Output> {
        if item.rest.is_empty() {
            return self.pipeline(&item.first);
        }
        // What follows on `&&` alone is never run where its predecessor failed, and then nothing else looks.
        let has_or = item.rest.iter().any(|(join, _)| *join == Join::Or);
        self.tested(self.is_tested || has_or, |this| {
            this.pipeline(&item.first)?;
            for (join, pipeline) in &item.rest {
                let before = this.state.directories.clone();
                let failed = this.state.failed.take().unwrap_or_else(|| before.clone());
                if *join == Join::Or {
                    this.state.directories = failed.clone();
                }
                this.next(|this| this.pipeline(pipeline))?;
                let after = this.state.directories.clone();
                let failed_after = this.state.failed.take().unwrap_or_else(|| after.clone());
                let (succeeded, failed) = match join {
                    Join::And => (after, this.joined(&failed, &failed_after)?),
                    Join::Or => (this.joined(&before, &after)?, failed_after),
                };
                this.state.failed = (succeeded != failed).then_some(failed);
                this.state.directories = succeeded;
            }
            Ok(Output::Unknown)
        })
    }

    fn pipeline(&mut self, pipeline: &Pipeline) -> Result<Output> {
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

    fn stages(&mut self, stages: &[Command]) -> Result<Output> {
        self.tested(true, |this| {
            let mut input = Input::Inherited;
            let mut output = Output::Unknown;
            for (nth, stage) in stages.iter().enumerate() {
                let run = |this: &mut Self| this.command(stage, input);
                // Some shells run the last one themselves.
                output = if nth + 1 < stages.len() {
                    this.apart(run)?
                } else {
                    this.maybe(run)?
                };
                input = output.clone().into();
            }
            Ok(output)
        })
    }

    pub(crate) fn command(&mut self, command: &Command, input: Input) -> Result<Output> {
        let span = self.span(&command.span);
        self.work.enter(&span)?;
        self.work.spend(16, &span)?;
        let redirects = command.redirects.as_slice();
        let output = match &command.kind {
            Kind::Simple(simple) => self.simple(simple, redirects, input, &command.span)?,
            kind if redirects.is_empty() => {
                let output = self.compound(kind, &input)?;
                let text = self.text.get(span).map(str::trim_end);
                match input {
                    Input::Names(names) if text == Some(print::WITHOUT_LINKS) => {
                        Output::Names(Names {
                            may_be_links: false,
                            ..names
                        })
                    }
                    _ => output,
                }
            }
            // If a file cannot be opened, nothing of it is run.
            kind => self.maybe(|this| {
                let input = this.redirects(redirects, input)?;
                this.tested(true, |this| this.compound(kind, &input))?;
                Ok(Output::Unknown)
            })?,
        };
        self.work.leave();
        Ok(output)
    }

    fn compound(&mut self, kind: &Kind, input: &Input) -> Result<Output> {
        match kind {
            Kind::Simple(_) => {}
            Kind::Group(list) => return self.list(list),
            Kind::Subshell(list) => return self.apart(|this| this.list(list)),
            Kind::If {
                branches,
                otherwise,
            } => self.r#if(branches, otherwise.as_ref())?,
            Kind::While {
                condition, body, ..
            } => self.r#while(condition, body, input)?,
            Kind::For { name, words, body } => self.r#for(name, words.as_deref(), body)?,
            Kind::Case { subject, arms } => {
                self.one(subject)?;
                for (patterns, body) in arms {
                    patterns
                        .iter()
                        .try_for_each(|pattern| self.pattern(pattern))?;
                    self.maybe(|this| this.list(body))?;
                }
            }
            Kind::Test(test) => self.test(test)?,
            Kind::Function { name, body } => {
                let reason = if !self.frames.is_empty() || self.functions.contains_key(name) {
                    "is only looked at where it is defined once, outside of other commands"
                } else if table::find(name).is_some() {
                    "takes a program's name: give it another"
                } else {
                    self.functions.insert(name.clone(), body.clone());
                    return Ok(Output::Unknown);
                };
                let reason = format!("the function `{name}` {reason}");
                return Err(Rejected::new(reason, self.span(&body.span)));
            }
        }
        Ok(Output::Unknown)
    }

    /// A list whose failure decides what comes next; where the script is then is in `failed`.
    fn condition(&mut self, list: &List) -> Result<()> {
        self.tested(true, |this| {
            for item in list {
                this.settle()?;
                this.item(item)?;
            }
            Ok(())
        })
    }

    fn r#if(&mut self, branches: &[(List, List)], otherwise: Option<&List>) -> Result<()> {
        self.maybe(|this| {
            for (condition, then) in branches {
                this.condition(condition)?;
                let failed = this.state.failed.take();
                this.maybe(|this| this.list(then))?;
                this.state.failed = failed;
                this.settle()?;
            }
            otherwise.map_or(Ok(Output::Unknown), |list| this.list(list))
        })?;
        Ok(())
    }

    fn r#while(&mut self, condition: &List, body: &List, input: &Input) -> Result<()> {
        self.repeat(|this| {
            match (input, condition.as_slice()) {
                // `read` in the condition takes from what the loop is given.
                (Input::Names(_), [Item { first, rest, .. }])
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

    fn r#for(&mut self, name: &str, words: Option<&[Word]>, body: &List) -> Result<()> {
        let fields: Vec<Field> = match (words, &self.positional) {
            (Some(words), _) => self
                .words(words)?
                .into_iter()
                .map(|arg| arg.field)
                .collect(),
            (None, Some(all)) => all.to_vec(),
            (None, None) => vec![Field::of(Argument::Several)],
        };
        let is_known = |field: &Field| field.value.known().is_some();
        if fields.len() <= MOST_ROUNDS && fields.iter().all(is_known) {
            for field in fields {
                self.set(name, field)?;
                self.once(|this| this.list(body))?;
            }
            return Ok(());
        }
        let one = |field: Field| {
            let value = match field.value {
                Argument::Several => Argument::unknown(),
                // One name that it matches.
                Argument::Pattern(pattern) => Argument::Names(Arc::new(of_pattern(&pattern))),
                Argument::Names(names) => Argument::Names(Arc::new(Names {
                    is_one: true,
                    ..(*names).clone()
                })),
                value => value,
            };
            Field { value, ..field }
        };
        let values = fields
            .into_iter()
            .map(one)
            .reduce(|all, value| all.join(&value));
        let value = values.unwrap_or(Field::of(Argument::unknown()));
        self.repeat(|this| {
            this.set(name, value.clone())?;
            this.list(body)?;
            Ok(())
        })
    }

    fn test(&mut self, test: &Test) -> Result<()> {
        match test {
            Test::Not(test) => self.test(test),
            Test::Both(left, _, right) => {
                self.test(left)?;
                self.test(right)
            }
            Test::Words(words) => tests::double_bracket(self, words),
        }
    }

    /// Follows redirections; what the command reads then.
    fn redirects(&mut self, redirects: &[Redirect], mut input: Input) -> Result<Input> {
        for redirect in redirects {
            let is_input = matches!(redirect.descriptor, None | Some(0));
            self.process = None;
            let field = self.one(&redirect.target)?;
            self.look_at(&redirect.target.span);
            let access = match redirect.kind {
                Redirection::CopyIn | Redirection::CopyOut => continue,
                Redirection::Document | Redirection::HereString => {
                    input = match field.value {
                        Argument::Text(text) => Input::Text(text),
                        _ => Input::Unknown,
                    };
                    continue;
                }
                Redirection::Read => {
                    if is_input {
                        input = match self.process.take() {
                            Some(Output::Names(names)) => Input::Names(names),
                            _ => Input::Unknown,
                        };
                    }
                    Access::Read
                }
                Redirection::ReadWrite => {
                    self.touch(&field.value, Access::Read);
                    Access::Write
                }
                _ => Access::Write,
            };
            if matches!(redirect.kind, Redirection::Both | Redirection::BothAppend) {
                self.dispute("`&>` is two commands for some shells: write `> file 2>&1`");
            }
            if field.value.is_one() {
                self.touch(&field.value, access);
            } else {
                self.unknown(
                    "where a redirection leads is only known when it runs: write one file",
                );
            }
        }
        Ok(input)
    }

    fn simple(
        &mut self,
        simple: &Simple,
        redirects: &[Redirect],
        input: Input,
        span: &Range<usize>,
    ) -> Result<Output> {
        let args = self.words(&simple.words)?;
        let mut assignments = Vec::new();
        let is_read = args.first().and_then(Arg::known) == Some("read");
        for (name, word) in &simple.assignments {
            let value = self.one(word)?;
            assignments.push((name.clone(), value.value.clone()));
            if simple.words.is_empty() {
                // If a file cannot be opened, it is not known whether they are set.
                let value = if redirects.is_empty() {
                    value
                } else {
                    value.join(&Field::of(Argument::unknown()))
                };
                self.assign(name, value, false)?;
            } else if !(is_read && name == "IFS") {
                variables::check(self, name, &value, true);
                self.forget(name)?;
            }
        }
        if simple.words.is_empty() {
            self.redirects(redirects, input)?;
            return Ok(Output::Unknown);
        }
        let input = self.redirects(redirects, input)?;
        self.look_at(span);
        let Some(first) = args.first() else {
            let reason = "which program this is, is only known when the command runs: write it out";
            self.unknown(reason);
            return Ok(Output::Unknown);
        };
        let is_plain = |redirect: &Redirect| {
            matches!(redirect.kind, Redirection::Write | Redirection::CopyOut)
        };
        let is_plain = redirects.iter().all(is_plain);
        let ends_script = is_plain && !self.is_tested && first.known() == Some("cd");
        let run = |this: &mut Self| {
            this.tested(this.is_tested || !is_plain, |this| {
                this.run(&args, assignments, input)
            })
        };
        // If a file cannot be opened, it is not run.
        let mut output = match redirects.is_empty() || ends_script {
            true => run(self)?,
            false => self.maybe(run)?,
        };
        if let Output::Names(names) = &mut output
            && names.may_be_links
            && !names.ends_with_nul
            && names.producer.is_none()
            && simple.words[0].id == first.word
            && !self.environment.is_as_written
        {
            names.producer = Some(first.word);
        }
        let prints = |redirect: &Redirect| {
            matches!(redirect.descriptor, None | Some(1))
                && !matches!(
                    redirect.kind,
                    Redirection::Read | Redirection::Document | Redirection::HereString
                )
        };
        Ok(if redirects.iter().any(prints) {
            Output::Unknown
        } else {
            output
        })
    }

    /// Sets a variable, of which a program may be told.
    pub(crate) fn assign(&mut self, name: &str, value: Field, is_exported: bool) -> Result<()> {
        variables::check(self, name, &value, is_exported);
        self.set(name, value)
    }

    /// Whether a name is that of a function, or of a builtin after which the script goes on otherwise than before.
    pub(crate) fn is_of_the_shell(&self, name: &str) -> bool {
        self.functions.contains_key(name)
            || table::find(name).is_some_and(|program| program.is("shell"))
    }

    /// Runs a program, a builtin or a function with its arguments.
    pub(crate) fn run(
        &mut self,
        args: &[Arg],
        assignments: Vec<(String, Argument)>,
        input: Input,
    ) -> Result<Output> {
        let span = self.at.clone();
        self.work.enter(&span)?;
        self.work.spend(16 + 8 * args.len(), &span)?;
        let Some((first, rest)) = args.split_first() else {
            return Ok(Output::Unknown);
        };
        let is_agreed = !first.field.is_disputed || self.environment.dialect == Dialect::Bash;
        let Some(path) = first.known().filter(|_| is_agreed) else {
            let shown = self.text.get(self.span(&first.span)).unwrap_or_default();
            let reason = format!(
                "which program `{shown}` is, is only known when the command runs: write it out"
            );
            self.unknown(reason);
            self.work.leave();
            return Ok(Output::Unknown);
        };
        let name = special::name_of(path);
        let function = self.functions.get(name).cloned();
        let program = table::find(name);
        let is = |flag: &str| program.is_some_and(|program| program.is(flag));
        self.trace.programs.push(Program {
            name: name.into(),
            arguments: rest.iter().map(|arg| arg.field.value.clone()).collect(),
            assignments,
            span,
            directories: self.state.directories.clone(),
            is_builtin: is("builtin") || function.is_some(),
            is_wrapper: is("wrapper"),
        });
        let output = match (function, program) {
            (Some(body), _) => self.call(&body, rest)?,
            (None, Some(program)) => special::run(self, Call::new(name, program, args, &input))?,
            (None, None) => {
                unlisted(self, name, rest);
                Output::Unknown
            }
        };
        self.work.leave();
        Ok(output)
    }

    fn call(&mut self, body: &Arc<Command>, args: &[Arg]) -> Result<Output> {
        self.trace.called.insert(Arc::as_ptr(body));
        let fields = args.iter().map(|arg| arg.field.clone()).collect();
        let outer = self.positional.replace(Arc::new(fields));
        let output =
            self.once(|this| this.tested(true, |this| this.command(body, Input::Unknown)))?;
        self.positional = outer;
        Ok(match output {
            Output::Names(names) => Output::Names(names),
            _ => Output::Unknown,
        })
    }

    /// Runs a script that begins without variables and functions, and leaves nothing behind.
    pub(crate) fn afresh<T>(
        &mut self,
        positional: Vec<Field>,
        run: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let functions = std::mem::take(&mut self.functions);
        let outer = self.positional.replace(Arc::new(positional));
        let done = self.apart(|this| {
            this.state.variables = Arc::default();
            this.tested(false, run)
        })?;
        self.positional = outer;
        self.functions = functions;
        Ok(done)
    }
}

/// What a pattern of files becomes: names below its folder.
fn of_pattern(pattern: &str) -> Names {
    let fixed = pattern.find(['*', '?', '[', '\\']).unwrap_or(pattern.len());
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
        ends_with_nul: false,
        producer: None,
    }
}
