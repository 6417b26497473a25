//! A script, walked as bash would run it.

use std::collections::{HashMap, HashSet};
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use brush_parser::ast::{
    AndOr, AndOrList, Assignment, AssignmentName, AssignmentValue, BinaryPredicate, Command,
    CommandPrefixOrSuffixItem as Item, CompoundCommand, CompoundList, ExtendedTestExpr,
    IoFileRedirectTarget, IoRedirect, Pipeline, Program, RedirectList, SeparatorOperator,
    SimpleCommand, UnaryPredicate,
};

use super::programs::{self, Programs};
use super::word::{self, Known, Value};
use super::{DEEPEST, TOO_MUCH, arguments, parse, split_statement, tokens};
use crate::security_policy::guard::Guard;

/// How many names of files are looked at for one command.
const MOST_NAMES: usize = 10_000;
/// What a round of a loop costs, compared to a name of a file.
const ROUND_COST: usize = 8;
/// How many variables cost as much to forget as the name of a file.
const SETS_OF_A_NAME: usize = 4;
/// How many bytes of a script that is parsed again cost as much as the name of a file.
const BYTES_OF_A_NAME: usize = 64;
/// How many words of a command in a loop cost as much as the name of a file.
const WORDS_OF_A_NAME: usize = 4;
/// The longest value of a variable that is kept in mind, in bytes.
const LONGEST_VALUE: usize = 4096;
/// In how many folders a script may be at once, for all that is known.
const MOST_DIRECTORIES: usize = 16;

/// Where a script may be; it is kept and put back at every branch, and seldom changes.
type Directories = Rc<Vec<PathBuf>>;

/// What variables hold, where that is known: one that may have been set, or not, holds what is not known.
type Variables = HashMap<String, Value>;

/// A variable was set.
struct Set {
    name: String,
    /// Whether it held a number before, and after.
    was_number: bool,
    is_number: bool,
}

/// What is known while a script is walked.
pub(super) struct Script<'p> {
    pub(super) programs: &'p Programs,
    pub(super) guard: &'p Guard,
    /// Where the script may be by now.
    pub(super) directories: Directories,
    /// What the variables hold that the script has set.
    variables: Variables,
    /// What was set so far, in order.
    sets: Vec<Set>,
    /// How many loops of this shell the script is in.
    loops: usize,
    /// And of those that this one runs in.
    rounds: usize,
    /// Words that were found harmless where the script is now, and paths.
    pub(super) harmless: HashSet<Value>,
    touched: HashSet<String>,
    /// How many names of files may still be looked at.
    left: usize,
}

impl<'p> Script<'p> {
    /// A script that begins in one of the directories.
    pub(super) fn new(programs: &'p Programs, guard: &'p Guard, directories: Vec<PathBuf>) -> Self {
        Script {
            programs,
            guard,
            directories: Rc::new(directories),
            variables: Variables::default(),
            sets: Vec::new(),
            loops: 0,
            rounds: 0,
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
        if depth > 0 {
            self.spend(script.len() / BYTES_OF_A_NAME)?;
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

    /// Walks a text as a script for a shell of its own, which leaves the directory of this one as it is.
    pub(super) fn run_apart(&mut self, text: &str, depth: usize) -> Result<(), String> {
        self.apart(|script| script.run(text, depth))
    }

    /// The same in a program of its own, which does not have the variables of this one either.
    pub(super) fn run_afresh(&mut self, text: &str, depth: usize) -> Result<(), String> {
        let variables = std::mem::take(&mut self.variables);
        let then = self.sets.len();
        let walked = self.run_apart(text, depth);
        self.variables = variables;
        self.sets.truncate(then);
        walked
    }

    fn apart(&mut self, walk: impl FnOnce(&mut Self) -> Result<(), String>) -> Result<(), String> {
        let directories = self.directories.clone();
        // Each round begins anew where the loop is, wherever this has been in the last one.
        let loops = std::mem::take(&mut self.loops);
        self.perhaps(walk)?;
        self.loops = loops;
        self.go_to(directories);
        Ok(())
    }

    /// Walks what may run, or not, or in a shell of its own: what it sets is not known afterwards.
    fn perhaps(
        &mut self,
        walk: impl FnOnce(&mut Self) -> Result<(), String>,
    ) -> Result<(), String> {
        let then = self.sets.len();
        walk(self)?;
        self.forget_since(then)
    }

    /// Forgets what was set since then: whether it was, and which was the last, is not known.
    fn forget_since(&mut self, then: usize) -> Result<(), String> {
        if self.sets.len() == then {
            return Ok(());
        }
        let mut since = HashMap::new();
        for set in &self.sets[then..] {
            let are_numbers = since.entry(set.name.as_str()).or_insert(set.was_number);
            *are_numbers &= set.is_number;
        }
        let cost = (self.sets.len() - then) / SETS_OF_A_NAME;
        for (name, are_numbers) in since {
            // A counter is one after every round.
            let value = if are_numbers {
                Value::number()
            } else {
                Value::unknown_in(true)
            };
            self.variables.insert(name.to_owned(), value);
        }
        self.spend(cost)
    }

    fn go_to(&mut self, directories: Directories) {
        if self.directories != directories {
            self.directories = directories;
            self.harmless.clear();
            self.touched.clear();
        }
    }

    fn list(&mut self, CompoundList(items): &CompoundList, depth: usize) -> Result<(), String> {
        items.iter().try_for_each(|item| match item.1 {
            SeparatorOperator::Sequence => self.and_or(&item.0, depth),
            SeparatorOperator::Async => self.apart(|script| script.and_or(&item.0, depth)),
        })
    }

    /// `a && b || c`: after `cd x &&` the script is in `x`; after the whole it may be anywhere it was.
    fn and_or(&mut self, list: &AndOrList, depth: usize) -> Result<(), String> {
        let mut been = self.directories.clone();
        let mut only_and = true;
        self.pipeline(&list.first, depth)?;
        let certain = self.sets.len();
        for next in &list.additional {
            let (pipeline, is_and) = match next {
                AndOr::And(pipeline) => (pipeline, true),
                AndOr::Or(pipeline) => (pipeline, false),
            };
            merge(&mut been, &self.directories)?;
            only_and &= is_and;
            if !only_and {
                self.go_to(been.clone());
                self.forget_since(certain)?;
            }
            self.pipeline(pipeline, depth)?;
        }
        self.forget_since(certain)?;
        merge(&mut been, &self.directories)?;
        self.go_to(been);
        Ok(())
    }

    fn pipeline(&mut self, pipeline: &Pipeline, depth: usize) -> Result<(), String> {
        let mut been = self.directories.clone();
        match pipeline.seq.as_slice() {
            [only] if pipeline.timed.is_some() => {
                if let Command::Simple(simple) = only
                    && let Some(name) = &simple.word_or_name
                    && programs::changes_the_shell(&name.value)
                {
                    return Err(format!(
                        "`time` is a program for `sh`, and `{}` is the shell's own: write it by itself",
                        name.value
                    ));
                }
                // For `sh` it is the program that sets nothing.
                self.perhaps(|script| script.command(only, depth, false))?;
            }
            [only] => self.command(only, depth, false)?,
            members => members.iter().enumerate().try_for_each(|(nth, member)| {
                self.apart(|script| script.command(member, depth, nth > 0))
            })?,
        }
        // What follows on `! cd x` follows on its failure.
        if pipeline.bang {
            merge(&mut been, &self.directories)?;
            self.go_to(been);
        }
        Ok(())
    }

    fn command(&mut self, command: &Command, depth: usize, piped: bool) -> Result<(), String> {
        match command {
            Command::Simple(simple) => self.simple(simple, depth, piped),
            Command::Compound(compound, redirects) => {
                let joins =
                    |redirect: &IoRedirect| matches!(redirect, IoRedirect::OutputAndError(..));
                if redirects.iter().flat_map(|list| &list.0).any(joins) {
                    return Err(OUTPUT_AND_ERROR.into());
                }
                self.redirects(redirects.as_ref(), depth)?;
                // Where a file cannot be opened, it does not run.
                match redirects {
                    Some(_) => self.perhaps(|script| script.compound(compound, depth)),
                    None => self.compound(compound, depth),
                }
            }
            Command::Function(function) => Err(format!(
                "the function `{}` may take a program's name: write its commands where they are to run",
                function.fname.value
            )),
            Command::ExtendedTest(_, Some(redirects))
                if redirects
                    .0
                    .iter()
                    .any(|redirect| matches!(redirect, IoRedirect::OutputAndError(..))) =>
            {
                Err(OUTPUT_AND_ERROR.into())
            }
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
                self.perhaps(|script| script.list(&clause.then, depth))?;
                merge(&mut been, &self.directories)?;
                for branch in clause.elses.iter().flatten() {
                    self.go_to(been.clone());
                    self.perhaps(|script| {
                        if let Some(condition) = &branch.condition {
                            script.list(condition, depth)?;
                        }
                        script.list(&branch.body, depth)
                    })?;
                    merge(&mut been, &self.directories)?;
                }
                self.go_to(been);
                Ok(())
            }
            // What the first round sets, the second may find: then it is not known, nor in any later one.
            CompoundCommand::WhileClause(clause) | CompoundCommand::UntilClause(clause) => {
                for _ in 0..2 {
                    self.round(|script| {
                        script.list(&clause.0, depth)?;
                        script.list(&clause.1.list, depth)
                    })?;
                }
                Ok(())
            }
            CompoundCommand::ForClause(clause) => {
                let mut values = Vec::new();
                match &clause.values {
                    Some(words) => {
                        for word in words {
                            word::add_values(self, &word.value, depth, &mut values)?;
                        }
                    }
                    None => values.push(Value::unknown_in(true)),
                }
                programs::check_variable(&clause.variable_name)?;
                for value in values {
                    if value.known == Known::Pattern {
                        arguments::no_options(self, &value.text)?;
                    }
                    // It may stand for many words, or for none.
                    let rounds = if value.text().is_some() { 1 } else { 2 };
                    for _ in 0..rounds {
                        self.set(&clause.variable_name, value.clone())?;
                        self.round(|script| script.list(&clause.body.list, depth))?;
                    }
                }
                self.set(&clause.variable_name, Value::unknown_in(true))
            }
            CompoundCommand::CaseClause(clause) => {
                self.word(&clause.value.value, depth)?;
                let mut been = self.directories.clone();
                for case in &clause.cases {
                    for pattern in &case.patterns {
                        self.word(&pattern.value, depth)?;
                    }
                    if let Some(list) = &case.cmd {
                        self.go_to(been.clone());
                        self.perhaps(|script| script.list(list, depth))?;
                        merge(&mut been, &self.directories)?;
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

    /// One round of a loop.
    fn round(&mut self, walk: impl FnOnce(&mut Self) -> Result<(), String>) -> Result<(), String> {
        self.spend(ROUND_COST)?;
        self.loops += 1;
        self.rounds += 1;
        self.perhaps(walk)?;
        self.rounds -= 1;
        self.loops -= 1;
        Ok(())
    }

    /// `[[ … ]]`.
    fn test(&mut self, test: &ExtendedTestExpr, depth: usize) -> Result<(), String> {
        let operand = |script: &mut Self, word: &str| {
            if word.contains(['|', '&', ';', '<', '>', '(', ')']) && !word.contains("$(") {
                return Err(
                    "`sh` reads the `|` and the like in `[[ … ]]` as a command's: put them in a variable, or use \
                     `grep`"
                        .into(),
                );
            }
            script.word(word, depth)
        };
        let both = |script: &mut Self, words: [&str; 2]| {
            words.into_iter().try_for_each(|word| operand(script, word))
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
            ExtendedTestExpr::UnaryTest(
                UnaryPredicate::StringHasZeroLength
                | UnaryPredicate::StringHasNonZeroLength
                | UnaryPredicate::FdIsOpenTerminal
                | UnaryPredicate::ShellOptionEnabled,
                word,
            ) => operand(self, &word.value),
            // The others ask for a file.
            ExtendedTestExpr::UnaryTest(_, word) => {
                operand(self, &word.value)?;
                for value in word::values(self, &word.value, depth)? {
                    if let Some(path) = value.text() {
                        self.check_path(path)?;
                    }
                }
                Ok(())
            }
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
        check_output_and_error(simple)?;
        let items = [
            simple.prefix.as_ref().map_or(&[][..], |prefix| &prefix.0),
            simple.suffix.as_ref().map_or(&[][..], |suffix| &suffix.0),
        ];
        let is_redirect = |item: &Item| matches!(item, Item::IoRedirect(_));
        // Where a file cannot be opened, nothing is set.
        if items.into_iter().flatten().any(is_redirect) {
            return self.perhaps(|script| script.words_of(simple, depth, piped));
        }
        self.words_of(simple, depth, piped)
    }

    fn words_of(
        &mut self,
        simple: &SimpleCommand,
        depth: usize,
        piped: bool,
    ) -> Result<(), String> {
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
        if self.rounds > 0 {
            self.spend(1 + words.values.len() / WORDS_OF_A_NAME)?;
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
            let value = self.assigned(assignment, depth)?;
            // `IFS= read -r line`
            if name == "IFS" && written == "read" && value.text().is_some() {
                continue;
            }
            programs::check_environment(name)?;
            // Before some builtins, and in `sh`, it stays.
            self.set(name, Value::unknown_in(true))?;
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
                    // Bash expands it, and then once more.
                    if !word::is_plain(&word.value) {
                        return Err(format!(
                            "`>&{}` is read in more than one way: write `> file 2>&1`",
                            word.value
                        ));
                    }
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
            if value.known == Known::Match {
                arguments::files(self, &value.text)?;
                continue;
            }
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

    /// Counts what is looked at, in names of files, so that no command takes long to judge.
    pub(super) fn spend(&mut self, names: usize) -> Result<(), String> {
        match self.left.checked_sub(names) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(TOO_MUCH.into()),
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
            let folder = self.guard.enter(path, directory)?;
            // After a link, `..` leads back for a shell's `cd`, and up for all others.
            let written = match (path.strip_prefix('~'), std::env::home_dir()) {
                (Some(rest), Some(home)) => home.join(rest.trim_start_matches('/')),
                _ => directory.join(path),
            };
            if folder != lexical(&written) {
                return Err(format!(
                    "`cd {path}` goes through a link: write where it leads"
                ));
            }
            merge(&mut entered, &[folder])?;
        }
        self.go_to(entered);
        Ok(())
    }

    /// What a variable holds.
    pub(super) fn variable(&self, name: &str, quoted: bool) -> Value {
        let known = match (self.variables.get(name), self.directories.as_slice()) {
            (Some(value), _) => Some(value.clone()),
            (None, [directory]) if name == "PWD" => {
                Some(Value::literal(directory.to_string_lossy()))
            }
            (None, _) if name == "HOME" => {
                std::env::home_dir().map(|home| Value::literal(home.to_string_lossy()))
            }
            _ => None,
        };
        // Without quotes it is left out, split at blanks, or matched with files.
        let is_one_word = |text: &str| {
            quoted || !(text.is_empty() || text.contains([' ', '\t', '\n', '*', '?', '[']))
        };
        known
            .and_then(|value| match value.known {
                // The name of a file that a loop is at.
                Known::Pattern | Known::Match => quoted.then_some(Value {
                    known: Known::Match,
                    ..value
                }),
                Known::Number => Some(value),
                _ => value.written().is_some_and(is_one_word).then_some(value),
            })
            .unwrap_or_else(|| Value::unknown_in(quoted))
    }

    /// `name=value`, for the script itself.
    fn assign(&mut self, assignment: &Assignment, depth: usize) -> Result<(), String> {
        let value = self.assigned(assignment, depth)?;
        match &assignment.name {
            AssignmentName::VariableName(name) => {
                programs::check_variable(name)?;
                self.set(name, value)
            }
            AssignmentName::ArrayElementName(name, _) => Err(format!(
                "the index of `{name}[…]` may run a command: use variables without an index"
            )),
        }
    }

    fn assigned(&mut self, assignment: &Assignment, depth: usize) -> Result<Value, String> {
        match &assignment.value {
            AssignmentValue::Scalar(word) => {
                let mut values = word::values(self, &word.value, depth)?;
                match (values.pop(), values.is_empty() && !assignment.append) {
                    (Some(value), true) => Ok(value),
                    _ => Ok(Value::unknown_in(true)),
                }
            }
            AssignmentValue::Array(_) => {
                Err("arrays are not looked at: use variables, or `for x in a b c`".into())
            }
        }
    }

    pub(super) fn set(&mut self, name: &str, value: Value) -> Result<(), String> {
        // Arithmetic, among others, would run it.
        if value.text.contains("$(") || value.text.contains('`') {
            return Err(format!(
                "what `{name}` holds may be run: leave out `$(` and backquotes"
            ));
        }
        let is_kept = value.known <= Known::Pattern && value.text.len() <= LONGEST_VALUE;
        let value = if is_kept && !programs::is_changed_by_the_shell(name) {
            value
        } else {
            Value::unknown_in(true)
        };
        let was_number = self.variables.get(name).is_some_and(Value::is_number);
        self.sets.push(Set {
            name: name.to_owned(),
            was_number,
            is_number: value.is_number(),
        });
        self.variables.insert(name.to_owned(), value);
        Ok(())
    }
}

const OUTPUT_AND_ERROR: &str =
    "`sh` runs what stands before `&>` beside the script: write `> file 2>&1`";

/// For `sh`, `a &> b` is `a &` and then `> b`. What follows would be a command, and what changes the shell would not.
fn check_output_and_error(simple: &SimpleCommand) -> Result<(), String> {
    let joins = |item: &Item| matches!(item, Item::IoRedirect(IoRedirect::OutputAndError(..)));
    let prefix = simple.prefix.as_ref().map_or(&[][..], |prefix| &prefix.0);
    let suffix = simple.suffix.as_ref().map_or(&[][..], |suffix| &suffix.0);
    let (last, before) = match suffix.split_last() {
        Some((last, before)) => (Some(last), before),
        None => (None, suffix),
    };
    let is_elsewhere = prefix.iter().chain(before).any(joins);
    let is_last = last.is_some_and(joins);
    let name = simple.word_or_name.as_ref().map(|word| word.value.as_str());
    let is_harmless =
        name.is_some_and(|name| word::is_plain(name) && !programs::changes_the_shell(name));
    if is_elsewhere || (is_last && !is_harmless) {
        return Err(OUTPUT_AND_ERROR.into());
    }
    Ok(())
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

/// A path without its `.` and `..`, as if there were no links.
fn lexical(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

/// Adds the directories that are not there yet.
fn merge(directories: &mut Directories, more: &[PathBuf]) -> Result<(), String> {
    for directory in more {
        if !directories.contains(directory) {
            Rc::make_mut(directories).push(directory.clone());
        }
    }
    if directories.len() > MOST_DIRECTORIES {
        return Err("the script may be in too many folders by then: use `( cd … && … )`".into());
    }
    Ok(())
}
