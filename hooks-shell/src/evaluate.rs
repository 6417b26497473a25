//! From tree to trace: walks a script as a shell would, with what is known of its words.
//!
//! Where it cannot be known which way a script goes, all ways are taken, and what they disagree about is unknown.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use crate::bounds::{Rejected, Work};
use crate::effects::{Access, Network, PathUse, Program, Unknown};
use crate::environment::{Dialect, Environment};
use crate::syntax::{
    Command, Item, Join, Kind, List, Pipeline, Redirect, Redirection, Simple, Word,
};
use crate::value::{Argument, Field, Names};
use crate::{builtins, print, special, variables};

pub(crate) type Result<T> = std::result::Result<T, Rejected>;

/// How a word is written in the rewritten script.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Note {
    #[default]
    Unseen,
    /// As this text.
    Text(Arc<str>),
    /// As these texts; none if it says nothing.
    Texts(Vec<Arc<str>>),
    /// As it is, with every part in quotes: it stays one word, or is a pattern.
    Keep,
    /// As it is, without quotes: the shell splits it.
    Split,
    /// In no way.
    Never,
}

impl Note {
    /// The texts that it is written as.
    pub(crate) fn texts(&self) -> Option<&[Arc<str>]> {
        match self {
            Note::Text(text) => Some(std::slice::from_ref(text)),
            Note::Texts(texts) => Some(texts),
            _ => None,
        }
    }

    fn merge(self, other: Note) -> Note {
        let is_one = |note: &Note| match note {
            Note::Texts(texts) => texts.len() == 1,
            note => matches!(note, Note::Text(_) | Note::Keep),
        };
        match (self, other) {
            (Note::Unseen, note) => note,
            (before, note) if before == note => note,
            (before, note) if is_one(&before) && is_one(&note) => Note::Keep,
            _ => Note::Never,
        }
    }
}

/// What is added to a word, or written in its place, because the script was judged so.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Change {
    /// Written for the word: `cd -P --`.
    pub(crate) instead: Option<Arc<str>>,
    pub(crate) before: &'static str,
    pub(crate) after: &'static str,
    /// For a command's first word: whether links are taken out of the names that it prints.
    pub(crate) drops_links: bool,
    /// For a command's first word: the command ends the script if it fails.
    pub(crate) is_fatal: bool,
}

/// How unquoted words are split in the rewritten script.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Splits {
    pub(crate) at_blanks: bool,
    pub(crate) at_lines: bool,
    pub(crate) has_patterns: bool,
}

/// What was found out.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    pub(crate) programs: Vec<Program>,
    pub(crate) paths: Vec<PathUse>,
    pub(crate) network: Vec<Network>,
    pub(crate) unknown: Vec<Unknown>,
    pub(crate) disputed: Vec<Unknown>,
    pub(crate) notes: Vec<Note>,
    pub(crate) changes: HashMap<usize, Change>,
    pub(crate) called: HashSet<*const Command>,
    pub(crate) splits: Splits,
}

pub(crate) type Directories = Arc<Vec<String>>;

/// What a script has set so far.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct State {
    pub(crate) variables: Arc<HashMap<String, Field>>,
    /// Where it may be, if the last command succeeded.
    pub(crate) directories: Directories,
    /// Where it may be if not; as above where that makes no difference.
    pub(crate) failed: Option<Directories>,
}

/// What a command prints, as far as it matters.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Output {
    Unknown,
    Number,
    Text(Arc<str>),
    Names(Names),
}

/// What a command reads from its standard input.
#[derive(Clone, Debug)]
pub(crate) enum Input {
    Inherited,
    Unknown,
    Text(Arc<str>),
    Names(Names),
}

/// A word of a command that is run, and where it comes from.
#[derive(Clone, Debug)]
pub(crate) struct Arg {
    pub(crate) field: Field,
    pub(crate) word: usize,
    pub(crate) span: Range<usize>,
}

impl Arg {
    pub(crate) fn known(&self) -> Option<&str> {
        self.field.value.known()
    }
}

pub(crate) struct Evaluator<'e> {
    pub(crate) text: &'e str,
    pub(crate) environment: &'e Environment,
    pub(crate) work: &'e mut Work,
    pub(crate) trace: Trace,
    pub(crate) state: State,
    pub(crate) next_word: usize,
    pub(crate) functions: HashMap<String, Arc<Command>>,
    pub(crate) positional: Option<Arc<Vec<Field>>>,
    /// What was left at a `break`, `continue` or `return`, for each loop and call around.
    escapes: Vec<Option<State>>,
    /// In how many branches, loops and subshells the walk is.
    nested: usize,
    /// Whether somebody looks at whether the command fails.
    pub(crate) is_tested: bool,
    /// What the last process substitution prints.
    pub(crate) process: Option<Output>,
    /// Where the script stands that is evaluated, if it stands in a word of another.
    outer: Option<Range<usize>>,
}

/// In how many folders a script may be.
const MOST_DIRECTORIES: usize = 4;
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
            escapes: Vec::new(),
            nested: 0,
            is_tested: false,
            process: None,
            outer: None,
        }
    }

    pub(crate) fn span(&self, span: &Range<usize>) -> Range<usize> {
        self.outer.clone().unwrap_or_else(|| span.clone())
    }

    pub(crate) fn unknown(&mut self, reason: impl Into<String>, span: &Range<usize>) {
        let span = self.span(span);
        let reason = reason.into();
        self.trace.unknown.push(Unknown { reason, span });
    }

    /// Notes that shells disagree, unless it is known which one it is.
    pub(crate) fn dispute(&mut self, reason: impl Into<String>, span: &Range<usize>) {
        if self.environment.dialect != Dialect::Bash {
            let span = self.span(span);
            let reason = reason.into();
            self.trace.disputed.push(Unknown { reason, span });
        }
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

    pub(crate) fn touch(&mut self, path: &Argument, access: Access, span: &Range<usize>) {
        let mut path = path.clone();
        if let Argument::Names(names) = &path
            && let Some(producer) = names.producer
            && access != Access::List
        {
            self.change(producer).drops_links = true;
            path = Argument::Names(Arc::new(Names {
                may_be_links: false,
                ..(**names).clone()
            }));
        }
        let use_ = PathUse {
            path,
            access,
            directories: self.state.directories.clone(),
            span: self.span(span),
        };
        if self.trace.paths.last() != Some(&use_) {
            self.trace.paths.push(use_);
        }
    }

    /// Evaluates a script that stands in a word of another, and gives its rewritten form.
    pub(crate) fn script(&mut self, text: &str, span: &Range<usize>) -> Result<Option<String>> {
        let span = self.span(span);
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
        if list.len() == 1 {
            Ok(output)
        } else {
            Ok(Output::Unknown)
        }
    }

    /// After a command it does not matter any more whether it failed.
    fn settle(&mut self) -> Result<()> {
        if let Some(failed) = self.state.failed.take() {
            let directories = self.state.directories.clone();
            self.state.directories = self.joined(&directories, &failed)?;
        }
        Ok(())
    }

    fn item(&mut self, item: &Item) -> Result<Output> {
        self.work.spend(1, &(0..0))?;
        if item.is_background {
            self.work.spend(24, &(0..0))?;
            let before = self.state.clone();
            self.nested += 1;
            let was_tested = std::mem::replace(&mut self.is_tested, true);
            self.chain(item)?;
            self.is_tested = was_tested;
            self.nested -= 1;
            self.state = before;
            return Ok(Output::Unknown);
        }
        self.chain(item)
    }

    fn chain(&mut self, item: &Item) -> Result<Output> {
        if item.rest.is_empty() {
            return self.pipeline(&item.first);
        }
        let was_tested = self.is_tested;
        // What follows on `&&` alone is never run where its predecessor failed, and then nothing else looks.
        self.is_tested |= item.rest.iter().any(|(join, _)| *join == Join::Or);
        self.pipeline(&item.first)?;
        for (join, pipeline) in &item.rest {
            let before = self.state.clone();
            let failed = before
                .failed
                .clone()
                .unwrap_or_else(|| before.directories.clone());
            self.state.failed = None;
            if *join == Join::Or {
                self.state.directories = failed.clone();
            }
            self.nested += 1;
            self.pipeline(pipeline)?;
            self.nested -= 1;
            let after = self.state.clone();
            self.state.variables = self.join_variables(&before.variables, &after.variables)?;
            let failed_after = after.failed.unwrap_or_else(|| after.directories.clone());
            let (succeeded, failed) = match join {
                Join::And => (after.directories, self.joined(&failed, &failed_after)?),
                Join::Or => (
                    self.joined(&before.directories, &after.directories)?,
                    failed_after,
                ),
            };
            self.state.failed = (succeeded != failed).then_some(failed);
            self.state.directories = succeeded;
        }
        self.is_tested = was_tested;
        Ok(Output::Unknown)
    }

    fn join_variables(
        &mut self,
        one: &Arc<HashMap<String, Field>>,
        other: &Arc<HashMap<String, Field>>,
    ) -> Result<Arc<HashMap<String, Field>>> {
        if Arc::ptr_eq(one, other) {
            return Ok(one.clone());
        }
        self.work.spend(8 * (one.len() + other.len()), &(0..0))?;
        let unset = Field::of(Argument::unknown());
        let mut all = HashMap::with_capacity(other.len());
        for (name, value) in other.iter() {
            all.insert(name.clone(), one.get(name).unwrap_or(&unset).join(value));
        }
        for name in one.keys().filter(|name| !other.contains_key(*name)) {
            all.insert(name.clone(), unset.clone());
        }
        Ok(Arc::new(all))
    }

    /// The folders of both, if they are not too many.
    fn joined(&mut self, one: &Directories, other: &Directories) -> Result<Directories> {
        if Arc::ptr_eq(one, other) || one == other {
            return Ok(one.clone());
        }
        let mut all = (**one).clone();
        all.extend(
            other
                .iter()
                .filter(|directory| !one.contains(directory))
                .cloned(),
        );
        let length: usize = all.iter().map(String::len).sum();
        self.work.spend(16 + length / 4, &(0..0))?;
        if all.len() > MOST_DIRECTORIES {
            return Err(Rejected::new(
                "the script may be in too many folders: write `(cd folder && …)`",
                self.span(&(0..0)),
            ));
        }
        Ok(Arc::new(all))
    }

    /// What holds if either of two ways was taken.
    fn join(&mut self, one: &State, other: &State) -> Result<State> {
        let variables = self.join_variables(&one.variables, &other.variables)?;
        let mut all = [one, other].map(|state| state.directories.clone());
        for (directories, state) in all.iter_mut().zip([one, other]) {
            if let Some(failed) = &state.failed {
                *directories = self.joined(directories, failed)?;
            }
        }
        let directories = self.joined(&all[0], &all[1])?;
        Ok(State {
            variables,
            directories,
            failed: None,
        })
    }

    fn pipeline(&mut self, pipeline: &Pipeline) -> Result<Output> {
        let was_tested = self.is_tested;
        self.is_tested |= pipeline.is_negated;
        let output = match pipeline.stages.as_slice() {
            [only] => self.command(only, Input::Inherited)?,
            stages => self.stages(stages)?,
        };
        self.is_tested = was_tested;
        if pipeline.is_negated
            && let Some(failed) = self.state.failed.take()
        {
            self.state.failed = Some(std::mem::replace(&mut self.state.directories, failed));
        }
        Ok(output)
    }

    fn stages(&mut self, stages: &[Command]) -> Result<Output> {
        let before = self.state.clone();
        let mut output = Output::Unknown;
        self.nested += 1;
        let was_tested = std::mem::replace(&mut self.is_tested, true);
        for (nth, stage) in stages.iter().enumerate() {
            self.state = before.clone();
            let input = match output {
                _ if nth == 0 => Input::Inherited,
                Output::Names(names) => Input::Names(names),
                Output::Text(text) => Input::Text(text),
                Output::Unknown | Output::Number => Input::Unknown,
            };
            output = self.command(stage, input)?;
        }
        self.is_tested = was_tested;
        self.nested -= 1;
        // Some shells run the last one themselves.
        let last = std::mem::replace(&mut self.state, before.clone());
        self.state = self.join(&before, &last)?;
        Ok(output)
    }

    pub(crate) fn command(&mut self, command: &Command, input: Input) -> Result<Output> {
        let span = self.span(&command.span);
        self.work.enter(&span)?;
        self.work.spend(16, &span)?;
        let output = if let Kind::Simple(simple) = &command.kind {
            self.simple(simple, &command.redirects, input, &command.span)?
        } else {
            let before = self.state.clone();
            let input = self.redirects(&command.redirects, input)?;
            let is_all = command.redirects.is_empty();
            let was_tested = self.is_tested;
            self.is_tested |= !is_all;
            let mut output = self.compound(&command.kind, &input)?;
            let text = self.text.get(self.span(&command.span)).map(str::trim_end);
            if let Input::Names(names) = &input
                && text == Some(print::WITHOUT_LINKS)
            {
                output = Output::Names(Names {
                    may_be_links: false,
                    ..names.clone()
                });
            }
            self.is_tested = was_tested;
            if !is_all {
                // If a file cannot be opened, nothing of it is run.
                let after = self.state.clone();
                self.state = self.join(&before, &after)?;
                output = Output::Unknown;
            }
            output
        };
        self.work.leave();
        Ok(output)
    }

    fn compound(&mut self, kind: &Kind, input: &Input) -> Result<Output> {
        match kind {
            Kind::Simple(_) => {}
            Kind::Group(list) => return self.list(list),
            Kind::Subshell(list) => {
                let before = self.state.clone();
                let output = self.branch(list)?;
                self.state = before;
                return Ok(output);
            }
            Kind::If(branches, otherwise) => self.r#if(branches, otherwise.as_ref())?,
            Kind::While(is_until, condition, body) => {
                self.r#while(*is_until, condition, body, input)?;
            }
            Kind::For(name, words, body) => self.r#for(name, words.as_deref(), body)?,
            Kind::Case(subject, arms) => {
                self.one(subject)?;
                let before = self.state.clone();
                let mut after = before.clone();
                for (patterns, body) in arms {
                    for pattern in patterns {
                        self.pattern(pattern)?;
                    }
                    self.state = before.clone();
                    self.branch(body)?;
                    let state = self.state.clone();
                    after = self.join(&after, &state)?;
                }
                self.state = after;
            }
            Kind::Test(words) => builtins::double_bracket(self, words)?,
            Kind::Function(name, body) => {
                let reason = if self.nested > 0 || self.functions.contains_key(name) {
                    Some("is only looked at where it is defined once, outside of other commands")
                } else if builtins::is_known(name)
                    || special::is_known(name)
                    || crate::table::find(name).is_some()
                {
                    Some("takes a program's name: give it another")
                } else {
                    None
                };
                if let Some(reason) = reason {
                    return Err(Rejected::new(
                        format!("the function `{name}` {reason}"),
                        self.span(&body.span),
                    ));
                }
                self.functions.insert(name.clone(), body.clone());
            }
        }
        Ok(Output::Unknown)
    }

    /// A list that may not be run.
    pub(crate) fn branch(&mut self, list: &List) -> Result<Output> {
        self.nested += 1;
        let output = self.list(list)?;
        self.nested -= 1;
        Ok(output)
    }

    /// A list whose failure decides what comes next; which then is in `failed`.
    fn condition(&mut self, list: &List) -> Result<()> {
        let was_tested = std::mem::replace(&mut self.is_tested, true);
        self.nested += 1;
        for (nth, item) in list.iter().enumerate() {
            self.item(item)?;
            if nth + 1 < list.len() {
                self.settle()?;
            }
        }
        self.nested -= 1;
        self.is_tested = was_tested;
        Ok(())
    }

    fn r#if(&mut self, branches: &[(List, List)], otherwise: Option<&List>) -> Result<()> {
        let mut after: Option<State> = None;
        for (condition, then) in branches {
            self.condition(condition)?;
            let failed = self.state.failed.take();
            let mut other = self.state.clone();
            if let Some(failed) = failed {
                other.directories = failed;
            }
            self.branch(then)?;
            let state = std::mem::replace(&mut self.state, other);
            after = Some(match after {
                Some(after) => self.join(&after, &state)?,
                None => state,
            });
        }
        if let Some(otherwise) = otherwise {
            self.branch(otherwise)?;
        }
        if let Some(after) = after {
            let state = self.state.clone();
            self.state = self.join(&after, &state)?;
        }
        Ok(())
    }

    /// Repeats rounds until nothing changes any more. What still does is then unknown.
    fn until_stable(&mut self, mut round: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        for nth in 0.. {
            let before = self.state.clone();
            self.escapes.push(None);
            self.nested += 1;
            round(self)?;
            self.nested -= 1;
            self.escape_here()?;
            let after = self.state.clone();
            let mut both = self.join(&before, &after)?;
            if both == before {
                self.state = both;
                return Ok(());
            }
            if nth >= 1 {
                let unknown = Field::of(Argument::unknown());
                let variables = Arc::make_mut(&mut both.variables);
                for (name, value) in variables.iter_mut() {
                    if before.variables.get(name) != Some(value) {
                        *value = unknown.clone();
                    }
                }
            }
            if nth > 4 {
                return Err(Rejected::new(
                    "what a loop leaves cannot be told: write its commands out",
                    self.span(&(0..0)),
                ));
            }
            self.state = both;
        }
        Ok(())
    }

    /// Joins what was left at a `break` or the like within what ends here.
    fn escape_here(&mut self) -> Result<()> {
        if let Some(escaped) = self.escapes.pop().flatten() {
            let state = self.state.clone();
            self.state = self.join(&escaped, &state)?;
        }
        Ok(())
    }

    /// `break`, `continue`, `return`: what holds now may hold behind every loop and call around.
    pub(crate) fn escape(&mut self) -> Result<()> {
        let state = self.state.clone();
        for nth in 0..self.escapes.len() {
            self.escapes[nth] = Some(match self.escapes[nth].take() {
                Some(escaped) => self.join(&escaped, &state)?,
                None => state.clone(),
            });
        }
        Ok(())
    }

    fn r#while(
        &mut self,
        is_until: bool,
        condition: &List,
        body: &List,
        input: &Input,
    ) -> Result<()> {
        self.until_stable(|this| {
            // `read` in the condition takes from what the loop is given.
            let is_read = |item: &Item| item.rest.is_empty();
            if let (Input::Names(_), [item]) = (input, condition.as_slice())
                && is_read(item)
                && let [only] = item.first.stages.as_slice()
            {
                let was_tested = std::mem::replace(&mut this.is_tested, true);
                this.command(only, input.clone())?;
                this.is_tested = was_tested;
            } else {
                this.condition(condition)?;
            }
            let failed = this.state.failed.take();
            let exits = State {
                directories: failed
                    .clone()
                    .unwrap_or_else(|| this.state.directories.clone()),
                ..this.state.clone()
            };
            if let (true, Some(failed)) = (is_until, failed) {
                this.state.directories = failed;
            }
            this.list(body)?;
            let state = this.state.clone();
            this.state = this.join(&state, &exits)?;
            Ok(())
        })
    }

    fn r#for(&mut self, name: &str, words: Option<&[Word]>, body: &List) -> Result<()> {
        let fields: Vec<Field> = match words {
            Some(words) => self
                .words(words)?
                .into_iter()
                .map(|arg| arg.field)
                .collect(),
            None => match &self.positional {
                Some(all) => all.to_vec(),
                None => vec![Field::of(Argument::Several)],
            },
        };
        let is_known = |field: &Field| field.value.known().is_some();
        if fields.len() <= MOST_ROUNDS && fields.iter().all(is_known) {
            for field in fields {
                self.set(name, field)?;
                self.escapes.push(None);
                self.nested += 1;
                self.list(body)?;
                self.nested -= 1;
                self.escape_here()?;
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
        let mut values = fields.into_iter().map(one);
        let first = values.next().unwrap_or(Field::of(Argument::unknown()));
        let value = values.fold(first, |all, value| all.join(&value));
        self.until_stable(|this| {
            let before = this.state.clone();
            this.set(name, value.clone())?;
            this.list(body)?;
            let after = this.state.clone();
            this.state = this.join(&before, &after)?;
            Ok(())
        })
    }

    /// What a variable is set to.
    pub(crate) fn set(&mut self, name: &str, value: Field) -> Result<()> {
        let copies = Arc::strong_count(&self.state.variables) > 1;
        let cost = if copies {
            8 * self.state.variables.len()
        } else {
            0
        };
        self.work.spend(8 + cost, &(0..0))?;
        let value = if variables::is_changed_by_the_shell(name) {
            Field::of(Argument::unknown())
        } else {
            value
        };
        Arc::make_mut(&mut self.state.variables).insert(name.to_owned(), value);
        Ok(())
    }

    pub(crate) fn forget(&mut self, name: &str) -> Result<()> {
        self.set(name, Field::of(Argument::unknown()))
    }

    /// Follows redirections; what the command reads then.
    fn redirects(&mut self, redirects: &[Redirect], mut input: Input) -> Result<Input> {
        for redirect in redirects {
            let is_input = matches!(redirect.descriptor, None | Some(0));
            self.process = None;
            let field = self.one(&redirect.target)?;
            let span = &redirect.target.span;
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
                    self.touch(&field.value, Access::Read, span);
                    Access::Write
                }
                _ => Access::Write,
            };
            if matches!(redirect.kind, Redirection::Both | Redirection::BothAppend) {
                self.dispute(
                    "`&>` is two commands for some shells: write `> file 2>&1`",
                    span,
                );
            }
            if field.value.is_one() {
                self.touch(&field.value, access, span);
            } else {
                self.unknown(
                    "where a redirection leads is only known when it runs: write one file",
                    span,
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
        if simple.words.is_empty() {
            let before = self.state.clone();
            for (name, word) in &simple.assignments {
                let value = self.one(word)?;
                self.assign(name, value, &word.span, false)?;
            }
            if !redirects.is_empty() {
                self.redirects(redirects, input)?;
                let after = self.state.clone();
                self.state = self.join(&before, &after)?;
            }
            return Ok(Output::Unknown);
        }
        let mut assignments = Vec::new();
        for (name, word) in &simple.assignments {
            let value = self.one(word)?;
            let is_read = args.first().and_then(Arg::known) == Some("read");
            if !(is_read && name == "IFS") {
                self.assign(name, value.clone(), &word.span, true)?;
                self.forget(name)?;
            }
            assignments.push((name.clone(), value.value));
        }
        let before = self.state.clone();
        let input = self.redirects(redirects, input)?;
        let shown = || span.clone();
        let Some(first) = args.first() else {
            self.unknown(
                "which program this is, is only known when the command runs: write it out",
                &shown(),
            );
            return Ok(Output::Unknown);
        };
        let was_tested = self.is_tested;
        let is_plain = redirects
            .iter()
            .all(|redirect| matches!(redirect.kind, Redirection::Write | Redirection::CopyOut));
        self.is_tested |= !is_plain;
        let name = first.known().unwrap_or_default();
        let mut output = self.run(&args, assignments, input, span)?;
        self.is_tested = was_tested;
        if let Output::Names(names) = &mut output
            && names.may_be_links
            && !names.ends_with_nul
            && names.producer.is_none()
            && simple
                .words
                .first()
                .is_some_and(|word| word.id == first.word)
            && !self.environment.is_as_written
        {
            names.producer = Some(first.word);
        }
        let changes = builtins::changes_the_shell(name) || self.functions.contains_key(name);
        if !redirects.is_empty() && changes && self.state != before {
            let after = self.state.clone();
            let is_safe = is_plain && name == "cd" && !self.is_tested;
            if !is_safe {
                self.state = self.join(&before, &after)?;
            }
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
    pub(crate) fn assign(
        &mut self,
        name: &str,
        value: Field,
        span: &Range<usize>,
        is_exported: bool,
    ) -> Result<()> {
        variables::check(self, name, &value, span, is_exported);
        self.set(name, value)
    }

    /// Runs a program, a builtin or a function with its arguments.
    pub(crate) fn run(
        &mut self,
        args: &[Arg],
        assignments: Vec<(String, Argument)>,
        input: Input,
        span: &Range<usize>,
    ) -> Result<Output> {
        let span = &self.span(span);
        self.work.enter(span)?;
        self.work.spend(16 + 8 * args.len(), span)?;
        let Some((first, rest)) = args.split_first() else {
            return Ok(Output::Unknown);
        };
        let Some(path) = first
            .known()
            .filter(|_| !first.field.is_disputed || self.environment.dialect == Dialect::Bash)
        else {
            let shown = self.text.get(self.span(&first.span)).unwrap_or_default();
            self.unknown(
                format!(
                    "which program `{shown}` is, is only known when the command runs: write it out"
                ),
                &first.span,
            );
            self.work.leave();
            return Ok(Output::Unknown);
        };
        let name = special::name_of(path);
        let is_builtin = builtins::is_known(name);
        let function = self.functions.get(name).cloned();
        self.trace.programs.push(Program {
            name: name.into(),
            arguments: rest.iter().map(|arg| arg.field.value.clone()).collect(),
            assignments,
            span: span.clone(),
            directories: self.state.directories.clone(),
            is_builtin: is_builtin || function.is_some(),
            is_wrapper: special::is_transparent(name),
        });
        let output = if let Some(body) = function {
            self.call(&body, rest)?
        } else if is_builtin {
            builtins::run(self, name, args, &input, span)?
        } else {
            special::run(self, name, args, &input, span)?
        };
        self.work.leave();
        Ok(output)
    }

    fn call(&mut self, body: &Arc<Command>, args: &[Arg]) -> Result<Output> {
        self.trace.called.insert(Arc::as_ptr(body));
        let fields = args.iter().map(|arg| arg.field.clone()).collect();
        let outer = self.positional.replace(Arc::new(fields));
        self.escapes.push(None);
        self.nested += 1;
        let was_tested = std::mem::replace(&mut self.is_tested, true);
        let output = self.command(body, Input::Unknown)?;
        self.is_tested = was_tested;
        self.nested -= 1;
        self.settle()?;
        self.escape_here()?;
        self.positional = outer;
        Ok(match output {
            Output::Names(names) => Output::Names(names),
            _ => Output::Unknown,
        })
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
