//! Reads the arguments of a program by the table: options, values of options, operands, and a command of its own.

use std::sync::Arc;

use smallvec::SmallVec;

use super::{network, transfers};
use crate::evaluate::{
    Access, CommandArg, Directories, Input, OutputStream, Result, ScriptEvaluator,
};
use crate::table::addresses::is_address;
use crate::table::{self, Opt, ProgramArguments, Role};
use crate::value::{Argument, Names};

/// Added to the number of a word if the argument is not in the word, but appended after it when the program runs.
pub(crate) const APPENDED: usize = usize::MAX / 2;

/// A program that runs, and what its arguments have determined so far.
pub(crate) struct ProgramCall<'a> {
    pub(crate) name: &'a str,
    pub(crate) command: Option<&'static str>,
    pub(crate) program: &'static ProgramArguments,
    /// Its name, and its arguments.
    pub(crate) args: &'a [CommandArg],
    pub(crate) input: &'a Input,
    /// Its options.
    pub(crate) options: SmallVec<[&'static str; 4]>,
    /// The values of some options.
    pub(crate) values: Vec<(&'static str, Arc<str>)>,
    pub(crate) operands: SmallVec<[&'a CommandArg; 4]>,
    /// The operands that are not text.
    pub(crate) files: SmallVec<[&'a CommandArg; 4]>,
    /// The program that it runs, with its arguments.
    pub(crate) inner: Option<&'a [CommandArg]>,
    /// How many operands stand before a `--`.
    pub(crate) ended_at: Option<usize>,
    /// What options have determined about the operands.
    has_first: bool,
    pub(crate) reads_as: Option<Role>,
    /// The folder that operands are copied or moved to.
    pub(crate) into: Option<Argument>,
    /// Where it was started.
    start: Directories,
}

/// The arguments that are not read yet.
type Rest<'a> = std::slice::Iter<'a, CommandArg>;

impl<'a> ProgramCall<'a> {
    pub(crate) fn new(
        name: &'a str,
        program: &'static ProgramArguments,
        args: &'a [CommandArg],
        input: &'a Input,
    ) -> Self {
        ProgramCall {
            name,
            command: None,
            program,
            args,
            input,
            options: SmallVec::new(),
            values: Vec::new(),
            operands: SmallVec::new(),
            files: SmallVec::new(),
            inner: None,
            ended_at: None,
            has_first: false,
            reads_as: None,
            into: None,
            start: Directories::default(),
        }
    }

    /// Returns its name, followed by its subcommand.
    pub(crate) fn full(&self) -> String {
        match self.command {
            Some(command) => format!("{} {command}", self.name),
            None => self.name.to_owned(),
        }
    }

    pub(crate) fn has(&self, option: &str) -> bool {
        self.options.contains(&option)
    }

    /// Returns how git accesses a path among its operands.
    pub(crate) fn git_access(&self) -> Access {
        let is_push = || self.operands.first().and_then(|arg| arg.known()) == Some("push");
        if self.program.is("writes") || self.command == Some("stash") && is_push() {
            Access::Write
        } else {
            Access::Read
        }
    }

    /// Returns the role of the operand at a position, if there may be one.
    fn role(&self, place: usize) -> Option<Role> {
        let first = self.program.first.get(place + usize::from(self.has_first));
        first.copied().or(self.program.rest)
    }

    /// Reads the arguments after the name, or after the subcommand.
    pub(crate) fn read(
        &mut self,
        this: &mut ScriptEvaluator<'_>,
        mut rest: Rest<'a>,
    ) -> Result<()> {
        self.start = this.state.directories.clone();
        // Without a program, `exec` only redirects what follows.
        let redirects = self.name == "exec" && rest.as_slice().is_empty();
        if let Some(reason) = self.program.refused.filter(|_| !redirects) {
            this.unknown(format!("`{}` {reason}", self.full()));
        }
        let all = rest.as_slice();
        let is_asked =
            matches!(all, [only] if matches!(only.known(), Some("--version" | "--help")));
        if self.program.is("inert")
            || (is_asked && !self.program.is("builtin") && self.program.refused.is_none())
        {
            return Ok(());
        }
        while let Some(arg) = rest.next() {
            this.look_at(&arg.span);
            let ended = self.ended_at.is_some();
            let may_be_script = !self.has_first && self.operands.is_empty();
            if self.name == "sed" && may_be_script && arg.is_disputed {
                this.must_be_known(self);
            }
            match (arg.known(), self.program.behind) {
                (_, Some(role)) if ended => this.apply(self, role, &arg.value)?,
                (Some("--"), _) if !ended => self.ended_at = Some(self.operands.len()),
                (Some(text), _) if self.program.is("lists") && text.starts_with('@') => {
                    self.unknown_option(this, text);
                }
                // Its letters are options, and only the last may take a value.
                (Some(text), _)
                    if self.program.is("dash")
                        && all.len() - rest.len() == 1
                        && !text.starts_with('-') =>
                {
                    let is_plain = |at: usize| {
                        self.program
                            .options
                            .get(&text[at..=at])
                            .is_some_and(|option| option.value.is_none())
                    };
                    if text.is_ascii() && (0..text.len().saturating_sub(1)).all(is_plain) {
                        self.option(this, &format!("-{text}"), &mut rest)?;
                    } else {
                        self.unknown_option(this, text);
                    }
                }
                (Some(text), _) if !ended && text.len() > 1 && text.starts_with('-') => {
                    this.note_option(self.args[0].word, arg.word, false);
                    self.option(this, text, &mut rest)?;
                }
                (None, _) if !ended && self.ends_with_unknown(&arg.value) => {}
                (known, _) if self.program.is("sub") => {
                    return self.command(this, known.unwrap_or("…"), rest);
                }
                _ => {
                    if !ended
                        && arg.value.may_be_option()
                        && self.end_options(this, arg, rest.as_slice())
                    {
                        self.ended_at = Some(self.operands.len());
                    }
                    if self.role(self.operands.len()) == Some(Role::Run) {
                        self.inner = Some(&all[all.len() - rest.len() - 1..]);
                        break;
                    }
                    if self.program.is("ends") {
                        self.ended_at.get_or_insert_default();
                    }
                    self.operands.push(arg);
                }
            }
        }
        this.look_at(&self.args[0].span);
        if let Some(needs) = self.program.needs
            && !all
                .iter()
                .filter_map(CommandArg::known)
                .any(|text| table::is_one_of(needs, text))
        {
            this.unknown_effect(format!(
                "`{}` may do more than can be judged: write it with one of `{needs}`, or leave it to a person",
                self.full()
            ));
        }
        if self.name == "unzip" {
            self.at_start(this, ProgramCall::apply_roles)?;
        } else {
            self.apply_roles(this)?;
        }
        this.look_at(&self.args[0].span);
        transfers::after(this, self);
        network::after(this, self);
        Ok(())
    }

    /// Does something where it was started, whatever folder an option has named since: there `tar` and `unzip` look for
    /// the archive.
    fn at_start(
        &mut self,
        this: &mut ScriptEvaluator<'_>,
        act: impl FnOnce(&mut Self, &mut ScriptEvaluator<'_>) -> Result<()>,
    ) -> Result<()> {
        let entered = std::mem::replace(&mut this.state.directories, self.start.clone());
        let done = act(self, this);
        this.state.directories = entered;
        done
    }

    /// Applies the role of every operand.
    fn apply_roles(&mut self, this: &mut ScriptEvaluator<'_>) -> Result<()> {
        let first = self
            .program
            .first
            .len()
            .saturating_sub(usize::from(self.has_first));
        for place in 0..self.operands.len() {
            let arg = self.operands[place];
            this.look_at(&arg.span);
            let is_last = place > 0 && place + 1 == self.operands.len() && self.into.is_none();
            let Some(role) = self.program.last.filter(|_| is_last).or(self.role(place)) else {
                this.unknown(format!(
                    "`{}` takes fewer arguments: leave the last ones out",
                    self.full()
                ));
                continue;
            };
            let is_into = self.program.last == Some(Role::Into) && self.into.is_none();
            if is_into && place + 1 == self.operands.len() && !arg.value.is_one() {
                this.unknown_argument(format!(
                    "the last argument of `{}` is only known at run time: write `-t folder`",
                    self.full()
                ));
            }
            if place < first && !arg.value.is_one() {
                this.must_be_one(self, arg);
            }
            let role = match (role, self.reads_as) {
                (Role::Read | Role::Copy, Some(other @ (Role::Tree | Role::Write)))
                | (Role::List | Role::Git, Some(other @ Role::Tree))
                | (Role::Write, Some(other @ (Role::Read | Role::Below))) => other,
                (role, _) => role,
            };
            if role == Role::Into {
                self.into = Some(arg.value.clone());
            }
            if !matches!(role, Role::Text | Role::Any) {
                self.files.push(arg);
            }
            if role == Role::Text
                && matches!(arg.value, Argument::Unknown { .. } | Argument::Several)
            {
                this.must_be_known(self);
            }
            this.apply(self, role, &arg.value)?;
        }
        Ok(())
    }

    /// Reads a subcommand.
    fn command(
        &mut self,
        this: &mut ScriptEvaluator<'_>,
        name: &str,
        rest: Rest<'a>,
    ) -> Result<()> {
        let of = self.name;
        if of == "cargo" && name.starts_with('+') && !name.contains('/') {
            return self.read(this, rest);
        }
        let Some((command, program)) = self.program.commands.get_key_value(name) else {
            this.unknown(format!(
                "`{of} {name}` may run another program, or change what `{of}` does: use another of its commands"
            ));
            return Ok(());
        };
        self.command = Some(command);
        self.program = program;
        if let Some(listed) = this.trace.effects.programs.last_mut()
            && listed.name == of
        {
            listed.command = (listed.arguments.len() - rest.len()).saturating_sub(1);
        }
        self.options.clear();
        if matches!(of, "git" | "gh") {
            this.touch(&Argument::text("."), Access::Repository);
        }
        self.read(this, rest)
    }

    /// Whether an argument is a long option whose value may be anything, as `--format=%s {}`.
    fn ends_with_unknown(&mut self, value: &Argument) -> bool {
        let name = match value {
            Argument::Unknown { begins } => begins
                .strip_prefix("--")
                .and_then(|long| long.split_once('=')),
            _ => None,
        };
        let known = name.and_then(|(name, _)| self.program.options.get_key_value(name));
        let known = known.filter(|(_, option)| option.value == Some(Role::Any));
        self.options.extend(known.map(|(name, _)| *name));
        known.is_some()
    }

    /// Reads an option, or several in one argument, and the value.
    fn option(
        &mut self,
        this: &mut ScriptEvaluator<'_>,
        text: &str,
        rest: &mut Rest<'a>,
    ) -> Result<()> {
        let options = &self.program.options;
        let find = |name: &str| {
            options
                .get_key_value(name)
                .map(|(name, option)| (*name, *option))
        };
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        // npm and find accept a long option with any number of dashes.
        let name_of = |long: &'_ str| long.find('=').unwrap_or(long.len());
        let is_long = self.program.is("long");
        let long = text.strip_prefix("--").or_else(|| {
            let end = 1 + name_of(&text[1..]);
            let is_known = end > 2 && options.contains_key(&text[1..end]);
            (is_long || is_known).then_some(&text[1..])
        });
        if let Some(long) = long {
            let (name, value) = long.split_at(name_of(long));
            let value = value.strip_prefix('=');
            match find(name) {
                Some(found)
                    if (is_long || name.len() > 1)
                        && (value.is_none() || found.1.value.is_some()) =>
                {
                    self.value(this, found, value, rest)?;
                }
                _ => self.unknown_option(this, text),
            }
        } else if is_number(&text[1..]) && options.contains_key("#") {
            self.options.push("#");
        } else {
            for (at, flag) in text.char_indices().skip(1) {
                let (flag, joined) = text[at..].split_at(flag.len_utf8());
                let Some(found) = find(flag).filter(|_| flag != "#") else {
                    self.unknown_option(this, text);
                    break;
                };
                let takes_value = found.1.value.is_some();
                let joined = (takes_value && !joined.is_empty()).then_some(joined);
                // Some programs take the `=` for a separator, others for a part of the value.
                let is_text = matches!(found.1.value, Some(Role::Any | Role::Text));
                if !is_text && joined.is_some_and(|value| value.starts_with('=')) {
                    self.unknown_option(this, text);
                    break;
                }
                self.value(this, found, joined, rest)?;
                if takes_value {
                    break;
                }
            }
        }
        Ok(())
    }

    fn unknown_option(&self, this: &mut ScriptEvaluator<'_>, text: &str) {
        let (shown, name) = (shown(text), self.full());
        this.unknown(format!(
            "the option `{shown}` of `{name}` is not known to the policy, and may run another program or touch files: leave it out, or do it in another way"
        ));
    }

    /// Records an option. Its value is joined to it, or is the next argument.
    fn value(
        &mut self,
        this: &mut ScriptEvaluator<'_>,
        (name, option): (&'static str, Opt),
        joined: Option<&str>,
        rest: &mut Rest<'a>,
    ) -> Result<()> {
        self.options.push(name);
        self.has_first |= option.replaces_first;
        if option.replaces_first && self.program.is("ends") {
            self.ended_at.get_or_insert_default();
        }
        self.reads_as = option.operands.or(self.reads_as);
        let Some(role) = option.value else {
            return Ok(());
        };
        if let Some(value) = joined {
            if role == Role::Run {
                self.unknown_option(this, name);
            }
            let value = Argument::text(value);
            return self.given(this, name, role, &value);
        }
        if role == Role::Run {
            self.inner = Some(std::mem::take(rest).as_slice());
            return Ok(());
        }
        if option.is_joined {
            return Ok(());
        }
        let Some(value) = rest.next() else {
            this.unknown(format!(
                "the option `{name}` of `{}` has no value",
                self.full()
            ));
            return Ok(());
        };
        let text = value.known().unwrap_or_default();
        if text
            .strip_prefix('-')
            .is_some_and(|text| text.starts_with(|c: char| !c.is_ascii_digit()))
        {
            this.unknown(format!(
                "the value of `{name}` looks like an option: join the two, as in `--name=value`"
            ));
        } else if !value.value.is_one() {
            this.must_be_one(self, value);
        } else {
            self.given(this, name, role, &value.value)?;
        }
        if let Some(role) = option.second
            && let Some(value) = rest.next()
        {
            this.apply(self, role, &value.value)?;
        }
        Ok(())
    }

    /// Records the value of an option, and applies its role.
    fn given(
        &mut self,
        this: &mut ScriptEvaluator<'_>,
        name: &'static str,
        role: Role,
        value: &Argument,
    ) -> Result<()> {
        if let Argument::Text(text) = value {
            self.values.push((name, text.clone()));
        }
        if role == Role::Into {
            self.into = Some(value.clone());
        }
        if self.name == "tar" && role != Role::Enter {
            return self.at_start(this, |call, this| this.apply(call, role, value));
        }
        this.apply(self, role, value)
    }

    /// Writes `--` before names of files that might be read as options, if the program allows it there.
    fn end_options(
        &self,
        this: &mut ScriptEvaluator<'_>,
        arg: &CommandArg,
        rest: &[CommandArg],
    ) -> bool {
        let is_operand = |arg: &CommandArg| !arg.known().is_some_and(|text| text.starts_with('-'));
        let knows_dashes = self.command.is_none() || self.name == "git";
        let runs = self.program.is("runs");
        if !matches!(arg.value, Argument::Names(_) | Argument::Pattern(_)) {
            if runs {
                let name = self.full();
                this.unknown(format!(
                    "an argument of `{name}` that is only known at run time may be an option, which may run a program: write it out, or `--` before it"
                ));
            } else {
                this.must_be_known(self);
            }
        } else if this.environment.is_as_written || !rest.iter().all(is_operand) || !knows_dashes {
            let shown = this.shown(&arg.span);
            let reason = format!(
                "a file that `{shown}` matches would be taken for an option: write `--` before it"
            );
            if runs {
                this.unknown(reason);
            } else {
                this.unknown_argument(reason);
            }
        } else {
            let reason = "file names may look like options: write `--` before them";
            if runs {
                this.relies(reason);
            }
            this.dispute(reason);
            this.note_option(self.args[0].word, arg.word, true);
            match arg.word.checked_sub(APPENDED) {
                Some(word) => this.change(word).after = " --",
                None => this.change(arg.word).before = "-- ",
            }
            return true;
        }
        false
    }

    /// What it prints, where that matters: names of files, and lines of what it reads.
    pub(crate) fn output(&self, this: &ScriptEvaluator<'_>) -> OutputStream {
        let is_so = |print: &&table::Print| {
            let has = |option: &str, value: &str| {
                let mut given = self.values.iter();
                given.any(|(name, given)| *name == option && **given == *value)
            };
            let is_among = |all: &[table::OptionPattern], option: &&str| {
                all.iter().any(|(name, value)| {
                    name == option && value.is_none_or(|value| has(option, value))
                })
            };
            let is_by = |option: &&str| is_among(&print.by, option);
            self.options
                .iter()
                .all(|option| is_among(&print.with, option) || is_by(option))
                && (print.by.is_empty() || self.options.iter().any(is_by))
        };
        let Some(print) = self.program.prints.iter().find(is_so) else {
            return OutputStream::Unknown;
        };
        let texts = || self.operands.iter().map(|arg| arg.known());
        match (print.what, self.input) {
            ("number", _) if self.prints_one_number() => OutputStream::Number,
            ("revisions", _) => OutputStream::Revisions,
            ("top", _) => match this.state.directories.as_slice() {
                [only] => {
                    let top = this.environment.files.and_then(|files| (files.top)(only));
                    top.map_or(OutputStream::Unknown, |top| OutputStream::Text(top.into()))
                }
                _ => OutputStream::Unknown,
            },
            ("words", _) => match &self.args[1..] {
                [one] => printed(&one.value),
                [format, one] if format.known() == Some("%s\\n") => printed(&one.value),
                _ => OutputStream::Unknown,
            },
            ("lines", Input::Text(text)) if self.name == "cat" && self.operands.is_empty() => {
                OutputStream::Text(text.clone())
            }
            ("lines", Input::Names(names)) if self.files.is_empty() && !names.ends_with_nul => {
                let is_one =
                    names.is_one || matches!(self.name, "head" | "tail") && self.takes_one();
                OutputStream::Names(Names {
                    is_one,
                    ..names.clone()
                })
            }
            ("base" | "folder", _) => self.part_of_path(print.what == "base"),
            ("nul", Input::Names(names)) if texts().eq([Some("\\n"), Some("\\0")]) => {
                OutputStream::Names(Names {
                    ends_with_nul: true,
                    ..names.clone()
                })
            }
            ("names" | "entries", _) => self.names(this, print.what == "entries"),
            _ => OutputStream::Unknown,
        }
    }

    /// Whether `head` or `tail` prints one line.
    fn takes_one(&self) -> bool {
        let mut args = self.args[1..].iter().map(CommandArg::known);
        matches!(
            (args.next(), args.next(), args.next()),
            (Some(Some("-1" | "-n1")), None, None) | (Some(Some("-n")), Some(Some("1")), None)
        )
    }

    /// What `basename` and `dirname` print of one path.
    fn part_of_path(&self, is_base: bool) -> OutputStream {
        let (path, ending) = match self.args[1..] {
            [ref path] => (path, ""),
            [ref path, ref ending] if is_base => (path, ending.known().unwrap_or_default()),
            _ => return OutputStream::Unknown,
        };
        match &path.value {
            Argument::Text(text) if !text.starts_with('-') => {
                let path = text.trim_end_matches('/');
                let (folder, name) = path.rsplit_once('/').unwrap_or((".", path));
                let base = name.strip_suffix(ending).filter(|base| !base.is_empty());
                let part = if is_base {
                    base.unwrap_or(name)
                } else {
                    folder
                };
                OutputStream::Text(part.into())
            }
            Argument::Names(names) if names.is_one && !names.is_text && !names.may_be_options => {
                let mut part = Names {
                    pattern: None,
                    may_be_links: true,
                    is_tracked: false,
                    may_break: true,
                    is_base,
                    producer: None,
                    ..(**names).clone()
                };
                if is_base {
                    (part.folders, part.is_flat, part.may_be_options) =
                        (vec![".".into()], true, true);
                    part.found_in = None;
                }
                OutputStream::Names(part)
            }
            _ => OutputStream::Unknown,
        }
    }

    /// Whether it prints no names, and no number for each of several files.
    fn prints_one_number(&self) -> bool {
        match (self.name, self.files.as_slice()) {
            ("date", [format]) => format.known().is_some_and(|format| {
                let letters = format.split('%').skip(1);
                !format.is_empty()
                    && letters
                        .into_iter()
                        .all(|letter| table::is_one_of("s,N,Y,m,d,H,M,S,j,u", letter))
            }),
            ("git", _) | (_, []) => true,
            ("grep", [only]) => only.known().is_some() || only.value.is_one_name(),
            _ => false,
        }
    }

    /// The names of files below the operands.
    pub(crate) fn names(&self, this: &ScriptEvaluator<'_>, has_entries: bool) -> OutputStream {
        let directories = &this.state.directories;
        let has = |options: &[&str]| options.iter().any(|option| self.has(option));
        let mut names = Names {
            may_be_links: true,
            may_be_options: true,
            is_tracked: match self.name {
                "git" => !has(&["o", "others"]),
                // Hidden files are skipped.
                "rg" | "fd" => !has(&["u", "unrestricted", "hidden", "H", "."]),
                _ => false,
            },
            ends_with_nul: self.has("z"),
            // git writes an odd name in quotes.
            may_break: self.name != "git" && !self.has("z"),
            // Some of git's names are relative to the root of the repository.
            found_in: (!has_entries
                || self.name != "git"
                || directories[..] == [this.environment.directory.clone()])
            .then(|| directories.clone()),
            ..Names::default()
        };
        for file in &self.files {
            let (Argument::Text(text) | Argument::Pattern(text)) = &file.value else {
                return OutputStream::Unknown;
            };
            // A pattern of git matches names below its folder.
            let plain = text.find(['*', '?', '[']).unwrap_or(text.len());
            let folder = match text[..plain].rfind('/') {
                _ if plain == text.len() => text,
                Some(slash) => &text[..slash.max(1)],
                None => ".",
            };
            names.folders.push(folder.to_owned());
            let is_pattern = self.name == "git" && plain < text.len() && self.files.len() == 1;
            names.pattern = is_pattern.then(|| text.rsplit('/').next().unwrap_or_default().into());
        }
        if has_entries || self.files.is_empty() {
            names.folders.push(".".into());
        }
        OutputStream::Names(names)
    }
}

/// What comes of printing a word.
fn printed(word: &Argument) -> OutputStream {
    match word {
        Argument::Number => OutputStream::Number,
        Argument::Revisions { is_one: true } => OutputStream::Revisions,
        Argument::Names(names) if names.is_one && !names.is_text => OutputStream::Names(Names {
            may_break: true,
            ..(**names).clone()
        }),
        Argument::Names(names) if names.is_text => OutputStream::Names(Names {
            is_one: false,
            is_text: false,
            ..(**names).clone()
        }),
        _ => OutputStream::Unknown,
    }
}

/// What is shown of a text in a reason.
pub(crate) fn shown(text: &str) -> &str {
    &text[..text.floor_char_boundary(100)]
}

/// Runs a program that is not in the table: every argument may be a path, and so may the text joined to an option.
pub(crate) fn unlisted(this: &mut ScriptEvaluator<'_>, name: &str, args: &[CommandArg]) {
    for arg in args {
        this.look_at(&arg.span);
        let value = &arg.value;
        let pieces = match value {
            // A script.
            Argument::Text(text) if text.contains('\n') => continue,
            Argument::Text(text) if is_address(text) => {
                this.reach(Some(text.clone()));
                continue;
            }
            // `-I../x`, `--out=/x`, `a:b`
            Argument::Text(text) => {
                let flag = |c: char| c == '-' || c.is_ascii_alphanumeric();
                let joined = text.starts_with('-').then(|| text.trim_start_matches(flag));
                let pieces = text.split(['=', ':', ',', '@']).chain(joined);
                let pieces = pieces.filter(|piece| **piece != **text).chain([&**text]);
                let is_path = |piece: &&str| !piece.is_empty() && !piece.starts_with(['-', '=']);
                pieces.filter(is_path).map(Argument::text).collect()
            }
            Argument::Names(_) | Argument::Pattern(_) if !value.may_be_option() => {
                vec![value.clone()]
            }
            _ => {
                this.unknown_argument(format!(
                    "an argument of `{name}` is only known at run time: write it out"
                ));
                continue;
            }
        };
        for path in pieces {
            this.touch(&path, Access::Read);
            this.touch(&path, Access::Write);
        }
    }
}
