//! A script, walked as bash would run it.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::rc::Rc;

use brush_parser::ast::{
    AndOr, AndOrList, Assignment, AssignmentName, AssignmentValue, BinaryPredicate, Command,
    CommandPrefixOrSuffixItem as Item, CompoundCommand, CompoundList, ExtendedTestExpr,
    IoFileRedirectTarget, IoRedirect, Pipeline, Program, RedirectList, SimpleCommand,
    UnaryPredicate,
};

use super::programs::{self, Programs};
use super::word::{self, Known, Value};
use super::{DEEPEST, parse, split_statement, tokens};
use crate::security_policy::guard::Guard;

/// How many names of files are looked at for one command.
const MOST_NAMES: usize = 65_536;
/// In how many folders a script may be at once, for all that is known.
const MOST_DIRECTORIES: usize = 16;

/// Where a script may be; it is kept and put back at every branch, and seldom changes.
type Directories = Rc<Vec<PathBuf>>;

/// What is known while a script is walked.
pub(super) struct Script<'p> {
    pub(super) programs: &'p Programs,
    pub(super) guard: &'p Guard,
    /// Where the script may be by now.
    pub(super) directories: Directories,
    /// What variables may hold, of those that the script has set.
    variables: HashMap<String, Vec<Value>>,
    /// The variables that were used.
    used: HashSet<String>,
    loops: usize,
    /// Words that were found harmless where the script is now, and paths.
    pub(super) harmless: HashSet<Value>,
    touched: HashSet<String>,
    /// How many names of files may still be looked at.
    left: usize,
}

impl<'p> Script<'p> {
    pub(super) fn new(programs: &'p Programs, guard: &'p Guard) -> Self {
        Script {
            programs,
            guard,
            directories: Rc::new(vec![guard.workspace().to_owned()]),
            variables: HashMap::new(),
            used: HashSet::new(),
            loops: 0,
            harmless: HashSet::new(),
            touched: HashSet::new(),
            left: MOST_NAMES,
        }
    }

    /// Walks a text as a script.
    pub(super) fn run(&mut self, script: &str, depth: usize) -> Result<(), String> {
        if depth > DEEPEST {
            return Err("scripts are nested too deep in scripts: write them flat".into());
        }
        let tokens = tokens(script)?;
        let mut rest = tokens.as_slice();
        // One statement after the other: what one was parsed to is gone before the next is, and memory stays small.
        while !rest.is_empty() {
            let (statement, after) = split_statement(rest);
            match parse(statement) {
                Ok(program) => self.program(&program, depth)?,
                Err(error) if after.is_empty() => return Err(error),
                // The separator stood within a statement. As they may all do so, there is no second try.
                Err(_) => return self.program(&parse(rest)?, depth),
            }
            rest = after;
        }
        Ok(())
    }

    fn program(&mut self, program: &Program, depth: usize) -> Result<(), String> {
        program
            .complete_commands
            .iter()
            .try_for_each(|list| self.list(list, depth))
    }

    /// The same in a shell of its own, which leaves the directory of this one as it is.
    pub(super) fn run_apart(&mut self, script: &str, depth: usize) -> Result<(), String> {
        self.apart(|script_| script_.run(script, depth))
    }

    fn apart(&mut self, walk: impl FnOnce(&mut Self) -> Result<(), String>) -> Result<(), String> {
        let directories = self.directories.clone();
        walk(self)?;
        self.go_to(directories);
        Ok(())
    }

    fn go_to(&mut self, directories: Directories) {
        if self.directories != directories {
            self.directories = directories;
            self.harmless.clear();
            self.touched.clear();
        }
    }

    fn list(&mut self, CompoundList(items): &CompoundList, depth: usize) -> Result<(), String> {
        items
            .iter()
            .try_for_each(|item| self.and_or(&item.0, depth))
    }

    /// `a && b || c`: after `cd x &&` the script is in `x`; after the whole it may be anywhere it was.
    fn and_or(&mut self, list: &AndOrList, depth: usize) -> Result<(), String> {
        let mut been = self.directories.clone();
        let mut only_and = true;
        self.pipeline(&list.first, depth)?;
        for next in &list.additional {
            let (pipeline, is_and) = match next {
                AndOr::And(pipeline) => (pipeline, true),
                AndOr::Or(pipeline) => (pipeline, false),
            };
            merge(&mut been, &self.directories);
            only_and &= is_and;
            if !only_and {
                self.go_to(been.clone());
            }
            self.pipeline(pipeline, depth)?;
        }
        merge(&mut been, &self.directories);
        self.go_to(been);
        Ok(())
    }

    fn pipeline(&mut self, pipeline: &Pipeline, depth: usize) -> Result<(), String> {
        match pipeline.seq.as_slice() {
            [only] => self.command(only, depth, false),
            members => members.iter().enumerate().try_for_each(|(nth, member)| {
                self.apart(|script| script.command(member, depth, nth > 0))
            }),
        }
    }

    fn command(&mut self, command: &Command, depth: usize, piped: bool) -> Result<(), String> {
        match command {
            Command::Simple(simple) => self.simple(simple, depth, piped),
            Command::Compound(compound, redirects) => {
                self.redirects(redirects.as_ref(), depth)?;
                self.compound(compound, depth)
            }
            Command::Function(function) => Err(format!(
                "the function `{}` may take a program's name: write its commands where they are to run",
                function.fname.value
            )),
            Command::ExtendedTest(test, redirects) => {
                self.redirects(redirects.as_ref(), depth)?;
                self.test(&test.expr, depth)
            }
        }
    }

    fn compound(&mut self, compound: &CompoundCommand, depth: usize) -> Result<(), String> {
        match compound {
            CompoundCommand::BraceGroup(group) => self.list(&group.list, depth),
            CompoundCommand::Subshell(subshell) => {
                self.apart(|script| script.list(&subshell.list, depth))
            }
            CompoundCommand::IfClause(clause) => {
                self.list(&clause.condition, depth)?;
                let mut been = self.directories.clone();
                self.list(&clause.then, depth)?;
                merge(&mut been, &self.directories);
                for branch in clause.elses.iter().flatten() {
                    self.go_to(been.clone());
                    if let Some(condition) = &branch.condition {
                        self.list(condition, depth)?;
                    }
                    self.list(&branch.body, depth)?;
                    merge(&mut been, &self.directories);
                }
                self.go_to(been);
                Ok(())
            }
            CompoundCommand::WhileClause(clause) | CompoundCommand::UntilClause(clause) => self
                .looped(|script| {
                    script.list(&clause.0, depth)?;
                    script.list(&clause.1.list, depth)
                }),
            CompoundCommand::ForClause(clause) => {
                let mut values = Vec::new();
                match &clause.values {
                    Some(words) => {
                        for word in words {
                            values.extend(word::values(self, &word.value, depth)?);
                        }
                    }
                    None => values.extend(self.variable("@", true)),
                }
                self.set(&clause.variable_name, values)?;
                self.looped(|script| script.list(&clause.body.list, depth))
            }
            CompoundCommand::CaseClause(clause) => {
                self.word(&clause.value.value, depth)?;
                let before = self.directories.clone();
                let mut been = before.clone();
                for case in &clause.cases {
                    for pattern in &case.patterns {
                        self.word(&pattern.value, depth)?;
                    }
                    if let Some(list) = &case.cmd {
                        self.go_to(been.clone());
                        self.list(list, depth)?;
                        merge(&mut been, &self.directories);
                    }
                }
                self.go_to(been);
                Ok(())
            }
            CompoundCommand::Arithmetic(_) | CompoundCommand::ArithmeticForClause(_) => Err(
                "`((…))` runs a command in `sh`, and computes in bash: write `$((…))`, `[ … ]` or `for x in …`".into(),
            ),
            CompoundCommand::Coprocess(_) => {
                Err("`coproc` runs a program beside the script: run it by itself".into())
            }
        }
    }

    fn looped(&mut self, walk: impl FnOnce(&mut Self) -> Result<(), String>) -> Result<(), String> {
        self.loops += 1;
        let walked = walk(self);
        self.loops -= 1;
        walked
    }

    /// `[[ … ]]`.
    fn test(&mut self, test: &ExtendedTestExpr, depth: usize) -> Result<(), String> {
        let both = |script: &mut Self, words: [&str; 2]| {
            words
                .into_iter()
                .try_for_each(|word| script.word(word, depth))
        };
        match test {
            ExtendedTestExpr::Not(test) => self.test(test, depth),
            ExtendedTestExpr::And(..)
            | ExtendedTestExpr::Or(..)
            | ExtendedTestExpr::Parenthesized(_) => Err(
                "`sh` runs what stands after `&&` and `||` in `[[ … ]]`: write `[ … ] && [ … ]`"
                    .into(),
            ),
            ExtendedTestExpr::UnaryTest(
                UnaryPredicate::ShellVariableIsSetAndAssigned
                | UnaryPredicate::ShellVariableIsSetAndNameRef,
                _,
            ) => Err("`-v` runs what is in an index: write `[ -n \"$name\" ]`".into()),
            ExtendedTestExpr::UnaryTest(_, word) => self.word(&word.value, depth),
            ExtendedTestExpr::BinaryTest(operator, left, right) => match operator {
                BinaryPredicate::StringExactlyMatchesPattern
                | BinaryPredicate::StringDoesNotExactlyMatchPattern
                | BinaryPredicate::StringExactlyMatchesString
                | BinaryPredicate::StringDoesNotExactlyMatchString
                | BinaryPredicate::StringMatchesRegex
                | BinaryPredicate::StringContainsSubstring => {
                    both(self, [&left.value, &right.value])
                }
                _ => Err("this test is read in more than one way: write it as `[ … ]`".into()),
            },
        }
    }

    /// Checks the substitutions of a word whose value does not matter.
    fn word(&mut self, raw: &str, depth: usize) -> Result<(), String> {
        word::values(self, raw, depth).map(drop)
    }

    fn simple(&mut self, simple: &SimpleCommand, depth: usize, piped: bool) -> Result<(), String> {
        let mut words = Words::default();
        let mut assignments = Vec::new();
        let mut has_script = piped;
        for item in simple.prefix.iter().flat_map(|prefix| &prefix.0) {
            match item {
                Item::AssignmentWord(assignment, _) => assignments.push(assignment),
                other => has_script |= self.item(other, depth, &mut words)?,
            }
        }
        if let Some(name) = &simple.word_or_name {
            words.add(self, &name.value, depth)?;
        }
        for item in simple.suffix.iter().flat_map(|suffix| &suffix.0) {
            has_script |= self.item(item, depth, &mut words)?;
        }
        let Some((written, becomes)) = words.first else {
            return assignments
                .into_iter()
                .try_for_each(|assignment| self.assign(assignment, depth));
        };
        for assignment in assignments {
            let AssignmentName::VariableName(name) = &assignment.name else {
                return Err("an element of an array is no variable of a program's".into());
            };
            self.assigned(assignment, depth)?;
            programs::check_environment(name)?;
        }
        match words.values.split_first() {
            Some((program, arguments)) if becomes == 1 => match program.text() {
                Some(program) => programs::check(self, program, arguments, has_script, depth),
                None => Err(undecided(written)),
            },
            _ => Err(undecided(written)),
        }
    }

    /// A word or a redirection; whether it gives the command something to read.
    fn item<'w>(
        &mut self,
        item: &'w Item,
        depth: usize,
        words: &mut Words<'w>,
    ) -> Result<bool, String> {
        match item {
            Item::Word(word) | Item::AssignmentWord(_, word) => {
                words.add(self, &word.value, depth)?;
                Ok(false)
            }
            Item::IoRedirect(redirect) => self.redirect(redirect, depth),
            Item::ProcessSubstitution(_, subshell) => {
                self.apart(|script| script.list(&subshell.list, depth))?;
                Ok(true)
            }
        }
    }

    fn redirects(&mut self, redirects: Option<&RedirectList>, depth: usize) -> Result<(), String> {
        redirects
            .iter()
            .flat_map(|list| &list.0)
            .try_for_each(|redirect| self.redirect(redirect, depth).map(drop))
    }

    /// A redirection; whether it gives the command something to read.
    fn redirect(&mut self, redirect: &IoRedirect, depth: usize) -> Result<bool, String> {
        match redirect {
            IoRedirect::File(_, _, IoFileRedirectTarget::Fd(_)) => Ok(false),
            IoRedirect::File(_, _, IoFileRedirectTarget::Filename(word)) => {
                self.file(&word.value, depth)?;
                Ok(true)
            }
            IoRedirect::File(_, _, IoFileRedirectTarget::Duplicate(word)) => {
                let is_descriptor = |text: &str| {
                    text == "-"
                        || text
                            .trim_end_matches('-')
                            .bytes()
                            .all(|byte| byte.is_ascii_digit())
                };
                if !is_descriptor(&word.value) {
                    self.file(&word.value, depth)?;
                }
                Ok(false)
            }
            IoRedirect::File(_, _, IoFileRedirectTarget::ProcessSubstitution(_, subshell)) => {
                self.apart(|script| script.list(&subshell.list, depth))?;
                Ok(true)
            }
            IoRedirect::OutputAndError(word, _) => {
                self.file(&word.value, depth)?;
                Ok(false)
            }
            IoRedirect::HereDocument(_, document) => {
                if document.requires_expansion {
                    word::document(self, &document.doc.value, depth)?;
                }
                Ok(true)
            }
            IoRedirect::HereString(_, word) => {
                self.word(&word.value, depth)?;
                Ok(true)
            }
        }
    }

    /// A file that is read or written.
    fn file(&mut self, raw: &str, depth: usize) -> Result<(), String> {
        for value in word::values(self, raw, depth)? {
            let Some(path) = value.text() else {
                return Err(format!(
                    "which file `{raw}` is, is only known when the command runs: write it out"
                ));
            };
            self.check_path(path)?;
        }
        Ok(())
    }

    /// Whether a path may be touched from wherever the script may be.
    pub(super) fn check_path(&mut self, path: &str) -> Result<(), String> {
        if self.touched.contains(path) {
            return Ok(());
        }
        let names = 1 + path.bytes().filter(|byte| *byte == b'/').count();
        self.spend(names * self.directories.len())?;
        self.directories
            .iter()
            .try_for_each(|directory| self.guard.check(path, directory))?;
        self.touched.insert(path.to_owned());
        Ok(())
    }

    /// Counts names of files that are looked at, so that no command takes long to judge.
    pub(super) fn spend(&mut self, names: usize) -> Result<(), String> {
        match self.left.checked_sub(names) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(
                "the command touches more files than can be looked at: put it into smaller ones"
                    .into(),
            ),
        }
    }

    /// Goes to a directory.
    pub(super) fn enter(&mut self, path: &str) -> Result<(), String> {
        if self.loops > 0 {
            return Err(
                "a loop that changes its directory may end anywhere: use `( cd … && … )`".into(),
            );
        }
        let mut entered = Directories::default();
        for directory in &*self.directories {
            merge(&mut entered, &[self.guard.enter(path, directory)?]);
        }
        if entered.len() > MOST_DIRECTORIES {
            return Err(
                "the script may be in too many folders by then: use `( cd … && … )`".into(),
            );
        }
        self.go_to(entered);
        Ok(())
    }

    /// What a variable may hold.
    pub(super) fn variable(&mut self, name: &str, quoted: bool) -> Vec<Value> {
        self.used.insert(name.to_owned());
        let literal = |text: &str| Value {
            text: text.to_owned(),
            known: Known::All,
        };
        let unknown = Value {
            text: String::new(),
            known: Known::Nothing,
        };
        let mut values = match self.variables.get(name) {
            Some(values) => values.clone(),
            None if name == "PWD" => self
                .directories
                .iter()
                .map(|directory| literal(&directory.to_string_lossy()))
                .collect(),
            None if name == "HOME" => match std::env::home_dir() {
                Some(home) => vec![literal(&home.to_string_lossy())],
                None => vec![unknown.clone()],
            },
            None => vec![unknown.clone()],
        };
        // Where the script did not come by its own value, there is the one of the environment.
        if self.variables.contains_key(name)
            && let Some(inherited) = std::env::var_os(name)
        {
            values.push(literal(&inherited.to_string_lossy()));
        }
        for value in &mut values {
            // Without quotes it is split at blanks, and matched with files.
            if !quoted
                && value.text.contains([' ', '\t', '\n', '*', '?', '['])
                && value.known == Known::All
            {
                *value = unknown.clone();
            }
        }
        values
    }

    /// `name=value`, for the script itself.
    fn assign(&mut self, assignment: &Assignment, depth: usize) -> Result<(), String> {
        let values = self.assigned(assignment, depth)?;
        match &assignment.name {
            AssignmentName::VariableName(name) => {
                programs::check_variable(name)?;
                self.set(name, values)
            }
            AssignmentName::ArrayElementName(name, _) => Err(format!(
                "the index of `{name}[…]` may run a command: use variables without an index"
            )),
        }
    }

    fn assigned(&mut self, assignment: &Assignment, depth: usize) -> Result<Vec<Value>, String> {
        match &assignment.value {
            AssignmentValue::Scalar(word) if assignment.append => {
                self.word(&word.value, depth)?;
                Ok(vec![Value {
                    text: String::new(),
                    known: Known::Nothing,
                }])
            }
            AssignmentValue::Scalar(word) => word::values(self, &word.value, depth),
            AssignmentValue::Array(_) => {
                Err("arrays are not looked at: use variables, or `for x in a b c`".into())
            }
        }
    }

    pub(super) fn set(&mut self, name: &str, values: Vec<Value>) -> Result<(), String> {
        // Arithmetic, among others, would run it.
        if values
            .iter()
            .any(|value| value.text.contains("$(") || value.text.contains('`'))
        {
            return Err(format!(
                "what `{name}` holds may be run: leave out `$(` and backquotes"
            ));
        }
        let known = self.variables.entry(name.to_owned()).or_default();
        let new: Vec<_> = values
            .into_iter()
            .filter(|value| !known.contains(value))
            .collect();
        if self.loops > 0 && self.used.contains(name) && !new.is_empty() {
            return Err(format!(
                "`{name}` is set in a loop after it was used: set it before the loop"
            ));
        }
        known.extend(new);
        if known.len() > 64 {
            return Err(format!("`{name}` may hold too much: use fewer values"));
        }
        Ok(())
    }
}

/// The words of a command.
#[derive(Default)]
struct Words<'w> {
    /// The first word as it is written, and how many it becomes.
    first: Option<(&'w str, usize)>,
    /// What all of them become.
    values: Vec<Value>,
}

impl<'w> Words<'w> {
    fn add(&mut self, script: &mut Script<'_>, raw: &'w str, depth: usize) -> Result<(), String> {
        word::add_values(script, raw, depth, &mut self.values)?;
        self.first.get_or_insert((raw, self.values.len()));
        Ok(())
    }
}

fn undecided(written: &str) -> String {
    format!("which program `{written}` is, is only known when the command runs: write it out")
}

/// Adds the directories that are not there yet.
fn merge(directories: &mut Directories, more: &[PathBuf]) {
    for directory in more {
        if !directories.contains(directory) {
            Rc::make_mut(directories).push(directory.clone());
        }
    }
}
