//! Arguments, read by the table: what a program reads, writes, fetches, and what is not known of it.

use std::ops::Range;

use crate::effects::{Access, Network};
use crate::evaluate::{Arg, Evaluator, Input, Output, Result};
use crate::roles;
use crate::table::{self, Opt, Program, Role};
use crate::value::{Argument, Field, Names};

/// Added to the number of a word: the argument is not in the word, but appended behind it when the program runs.
pub(crate) const APPENDED: usize = usize::MAX / 2;

/// A program that is run, and what its arguments have said so far.
pub(crate) struct Call<'a> {
    pub(crate) name: &'a str,
    pub(crate) command: Option<&'static str>,
    pub(crate) program: &'static Program,
    pub(crate) span: &'a Range<usize>,
    /// The options that it has.
    pub(crate) options: Vec<&'static str>,
    pub(crate) operands: Vec<&'a Arg>,
    /// The operands that are no text.
    files: Vec<&'a Arg>,
    /// The program that it runs, with its arguments.
    pub(crate) inner: Option<&'a [Arg]>,
    /// What options have said of the operands.
    has_first: bool,
    reads_as: Option<Role>,
}

impl<'a> Call<'a> {
    pub(crate) fn new(name: &'a str, program: &'static Program, span: &'a Range<usize>) -> Self {
        Call {
            name,
            command: None,
            program,
            span,
            options: Vec::new(),
            operands: Vec::new(),
            files: Vec::new(),
            inner: None,
            has_first: false,
            reads_as: None,
        }
    }

    /// Its name, with that of its command.
    pub(crate) fn full(&self) -> String {
        match self.command {
            Some(command) => format!("{} {command}", self.name),
            None => self.name.to_owned(),
        }
    }

    pub(crate) fn has(&self, option: &str) -> bool {
        self.options.contains(&option)
    }

    /// What the operand at a place is, if there may be one.
    fn role(&self, place: usize) -> Option<Role> {
        let first = self.program.first.get(place + usize::from(self.has_first));
        first.copied().or(self.program.rest)
    }

    /// Reads all arguments.
    pub(crate) fn read(&mut self, this: &mut Evaluator<'_>, args: &'a [Arg]) -> Result<()> {
        if self.program.is("net") {
            let span = self.span.clone();
            this.trace.network.push(Network {
                address: None,
                span,
            });
        }
        if let Some(reason) = self.program.refused {
            this.unknown(format!("`{}` {reason}", self.full()), self.span);
        }
        if self.program.is("inert") {
            return Ok(());
        }
        let mut ended = false;
        let mut nth = 0;
        while let Some(arg) = args.get(nth) {
            nth += 1;
            match (arg.known(), self.program.behind) {
                (_, Some(role)) if ended => {
                    roles::apply(this, self, role, &arg.field, &arg.span)?;
                }
                (Some("--"), _) if !ended => ended = true,
                (Some(text), _) if !ended && text.len() > 1 && text.starts_with('-') => {
                    self.option(this, text, args, &mut nth)?;
                }
                (known, _) => {
                    if self.program.is("dash") && nth == 1 {
                        let reason = format!("the options of `{}` begin with a `-`", self.name);
                        this.unknown(reason, &arg.span);
                    }
                    if self.program.is("sub") {
                        return self.command(this, known, arg, &args[nth..]);
                    }
                    if !ended && arg.field.value.may_be_option() {
                        self.end_options(this, arg, &args[nth..]);
                    }
                    if self.role(self.operands.len()) == Some(Role::Run) {
                        self.inner = Some(&args[nth - 1..]);
                        break;
                    }
                    self.operands.push(arg);
                }
            }
        }
        if let Some(needs) = self.program.needs {
            let is_needed = |text| table::is_one_of(needs, text);
            if !args.iter().filter_map(Arg::known).any(is_needed) {
                let reason = format!("`{}` is only looked at with `{needs}`", self.full());
                this.unknown(reason, self.span);
            }
        }
        if self.reads_as == Some(Role::Tree) && self.operands.is_empty() {
            this.touch(&Argument::text("."), Access::Tree, self.span);
        }
        self.apply_roles(this)
    }

    /// Does with every operand what its role says.
    fn apply_roles(&mut self, this: &mut Evaluator<'_>) -> Result<()> {
        let program = self.program;
        let first = program.first.len() - usize::from(self.has_first && !program.first.is_empty());
        for place in 0..self.operands.len() {
            let arg = self.operands[place];
            let is_last = place > 0 && place + 1 == self.operands.len();
            let role = program.last.filter(|_| is_last).or(self.role(place));
            let Some(role) = role else {
                let reason = format!("`{}` takes fewer arguments", self.full());
                this.unknown(reason, &arg.span);
                continue;
            };
            if place < first && !arg.field.value.is_one() {
                self.must_be_known(this, &arg.span);
            }
            let role = match (role, self.reads_as) {
                (Role::Read, Some(role)) | (Role::List, Some(role @ Role::Tree)) => role,
                (role, _) => role,
            };
            if role != Role::Text {
                self.files.push(arg);
            }
            roles::apply(this, self, role, &arg.field, &arg.span)?;
        }
        Ok(())
    }

    pub(crate) fn must_be_known(&self, this: &mut Evaluator<'_>, span: &Range<usize>) {
        let name = self.full();
        let reason = format!("what `{name}` is given is only known when it runs: write it out");
        this.unknown(reason, span);
    }

    /// The command of a program that has many.
    fn command(
        &mut self,
        this: &mut Evaluator<'_>,
        known: Option<&str>,
        arg: &Arg,
        rest: &'a [Arg],
    ) -> Result<()> {
        let name = known.unwrap_or("…");
        let is_toolchain = |name: &str| name.starts_with('+') && !name.contains('/');
        if self.name == "cargo" && is_toolchain(name) {
            return self.read(this, rest);
        }
        let Some((command, program)) = table::find_command(self.name, name) else {
            let of = self.name;
            this.unknown(
                format!("`{of} {name}` may run another program, or change what `{of}` does"),
                &arg.span,
            );
            return Ok(());
        };
        self.command = Some(command);
        self.program = program;
        self.options.clear();
        self.read(this, rest)
    }

    /// Reads an option, or several in one argument, and the value.
    fn option(
        &mut self,
        this: &mut Evaluator<'_>,
        text: &str,
        args: &[Arg],
        nth: &mut usize,
    ) -> Result<()> {
        let options = &self.program.options;
        let arg = &args[*nth - 1];
        let find = |name: &str| {
            options
                .get_key_value(name)
                .map(|(name, option)| (*name, *option))
        };
        let is_script = arg.field.is_disputed && self.name == "sed";
        // npm takes a long option with any number of dashes.
        let name_of = |long: &str| long.split('=').next().unwrap_or_default().to_owned();
        let long = text.strip_prefix("--").or_else(|| {
            let is_long = text.len() > 2 && options.contains_key(text[1..].split('=').next()?);
            is_long.then_some(&text[1..])
        });
        if let Some(long) = long {
            let name = name_of(long);
            let value = long.get(name.len() + 1..);
            return match find(&name).filter(|_| name.len() > 1 && !is_script) {
                Some((_, option)) if option.value.is_none() && value.is_some() => {
                    self.unknown_option(this, text, arg);
                    Ok(())
                }
                Some(found) => self.value(this, found, value, args, nth),
                None => {
                    self.unknown_option(this, text, arg);
                    Ok(())
                }
            };
        }
        if options.contains_key("#") && text[1..].bytes().all(|byte| byte.is_ascii_digit()) {
            self.options.push("#");
            return Ok(());
        }
        for (at, flag) in text.char_indices().skip(1) {
            let end = at + flag.len_utf8();
            let Some(found) = find(&text[at..end]).filter(|_| !is_script) else {
                self.unknown_option(this, text, arg);
                return Ok(());
            };
            let joined = Some(&text[end..]).filter(|value| !value.is_empty());
            if found.1.value.is_some() {
                return self.value(this, found, joined, args, nth);
            }
            self.value(this, found, None, args, nth)?;
        }
        Ok(())
    }

    fn unknown_option(&self, this: &mut Evaluator<'_>, text: &str, arg: &Arg) {
        let (shown, name) = (shown(text), self.full());
        this.unknown(
            format!("the option `{shown}` of `{name}` may run another program, or touch files that are not looked at: leave it out"),
            &arg.span,
        );
    }

    /// Notes an option; its value is joined to it, or the next argument.
    fn value(
        &mut self,
        this: &mut Evaluator<'_>,
        (name, option): (&'static str, Opt),
        joined: Option<&str>,
        args: &[Arg],
        nth: &mut usize,
    ) -> Result<()> {
        self.options.push(name);
        self.has_first |= option.replaces_first;
        self.reads_as = option.operands.or(self.reads_as);
        let arg = &args[*nth - 1];
        let Some(role) = option.value else {
            return Ok(());
        };
        if let Some(value) = joined {
            let value = Argument::text(value);
            let is_disputed = arg.field.is_disputed;
            let field = Field { value, is_disputed };
            return roles::apply(this, self, role, &field, &arg.span);
        }
        if option.is_joined {
            return Ok(());
        }
        let Some(value) = args.get(*nth) else {
            let reason = format!("the option `{name}` of `{}` has no value", self.full());
            this.unknown(reason, &arg.span);
            return Ok(());
        };
        *nth += 1;
        let looks_like_option = value.known().is_some_and(|text| {
            let after = text.strip_prefix('-').unwrap_or_default();
            !after.is_empty() && !after.starts_with(|c: char| c.is_ascii_digit())
        });
        if looks_like_option {
            let reason = format!("the value of `{name}` looks like an option: join it to it");
            this.unknown(reason, &value.span);
            return Ok(());
        }
        if !value.field.value.is_one() {
            self.must_be_known(this, &value.span);
            return Ok(());
        }
        roles::apply(this, self, role, &value.field, &value.span)
    }

    /// Writes `--` before names of files that might be taken for options.
    fn end_options(&self, this: &mut Evaluator<'_>, arg: &Arg, rest: &[Arg]) {
        let is_operand = |arg: &Arg| !arg.known().is_some_and(|text| text.starts_with('-'));
        let is_names = matches!(arg.field.value, Argument::Names(_) | Argument::Pattern(_));
        if !is_names {
            return self.must_be_known(this, &arg.span);
        }
        let knows_dashes = self.command.is_none() || self.name == "git";
        if this.environment.is_as_written || !rest.iter().all(is_operand) || !knows_dashes {
            let shown = this.text.get(this.span(&arg.span)).unwrap_or("…");
            let reason = format!(
                "a file that `{shown}` matches would be taken for an option: write `--` before it"
            );
            return this.unknown(reason, &arg.span);
        }
        this.dispute(
            "names of files may look like options: write `--` before them",
            &arg.span,
        );
        if arg.word >= APPENDED {
            this.change(arg.word - APPENDED).after = " --";
        } else {
            this.change(arg.word).before = "-- ";
        }
    }

    /// What it prints, where that matters: names of files, and lines of what it reads.
    pub(crate) fn output(&self, input: &Input) -> Output {
        let is_so = |print: &&table::Print| {
            let is_by = |option| print.by.contains(option);
            self.options
                .iter()
                .all(|option| print.with.contains(option) || is_by(option))
                && (print.by.is_empty() || self.options.iter().any(is_by))
        };
        let Some(print) = self.program.prints.iter().find(is_so) else {
            return Output::Unknown;
        };
        let texts = || self.operands.iter().map(|arg| arg.known());
        match (print.what, input) {
            ("number", _) if self.files.is_empty() => Output::Number,
            ("lines", Input::Text(text)) if self.name == "cat" && self.operands.is_empty() => {
                Output::Text(text.clone())
            }
            ("lines", Input::Names(names)) if self.files.is_empty() && !names.ends_with_nul => {
                Output::Names(names.clone())
            }
            ("nul", Input::Names(names)) if texts().eq([Some("\\n"), Some("\\0")]) => {
                Output::Names(Names {
                    ends_with_nul: true,
                    ..names.clone()
                })
            }
            ("names" | "entries", _) => self.names(print.what == "entries"),
            _ => Output::Unknown,
        }
    }

    /// The names of files below the operands.
    fn names(&self, has_entries: bool) -> Output {
        let mut names = Names {
            may_be_links: true,
            may_be_options: true,
            is_tracked: self.name == "git" && !self.has("o") && !self.has("others"),
            ends_with_nul: self.has("z"),
            ..Names::default()
        };
        for file in &self.files {
            let (Argument::Text(text) | Argument::Pattern(text)) = &file.field.value else {
                return Output::Unknown;
            };
            // A pattern of git's is one of names below its folder.
            let plain = text.find(['*', '?', '[']).unwrap_or(text.len());
            let folder = match text[..plain].rfind('/') {
                _ if plain == text.len() => text,
                Some(slash) => &text[..slash],
                None => ".",
            };
            names.folders.push(folder.to_owned());
            let is_pattern = self.name == "git" && plain < text.len() && self.files.len() == 1;
            names.pattern = is_pattern.then(|| text.rsplit('/').next().unwrap_or_default().into());
        }
        if has_entries || self.files.is_empty() {
            names.folders.push(".".into());
        }
        Output::Names(names)
    }
}

/// What is shown of a text in a reason.
pub(crate) fn shown(text: &str) -> &str {
    &text[..text.floor_char_boundary(100)]
}

/// Runs a program of which the table knows nothing: every argument may be a path, and so may what is joined to an option.
pub(crate) fn unlisted(this: &mut Evaluator<'_>, name: &str, args: &[Arg], span: &Range<usize>) {
    for arg in args {
        let Some(text) = arg.known() else {
            match &arg.field.value {
                value @ (Argument::Names(_) | Argument::Pattern(_)) if !value.may_be_option() => {
                    this.touch(value, Access::Read, &arg.span);
                    this.touch(value, Access::Write, &arg.span);
                }
                _ => this.unknown(
                    format!("what `{name}` is given is only known when it runs: write it out"),
                    span,
                ),
            }
            continue;
        };
        let is_option = text.starts_with('-') && text.len() > 1;
        let joined = text
            .match_indices(['=', ':', ',', '@'])
            .map(|(at, _)| &text[at + 1..]);
        let clustered = text.char_indices().skip(2).map(|(at, _)| &text[at..]);
        let has_clusters = is_option && !text.starts_with("--");
        let clustered = clustered.take(if has_clusters { 16 } else { 0 });
        for piece in [text].into_iter().chain(joined.take(16)).chain(clustered) {
            let is_whole = piece.len() == text.len();
            let looks_like_path = piece.contains('/') || piece.starts_with('~') || piece == "..";
            let is_value = !is_whole && !piece.is_empty() && text.contains('=');
            if roles::is_address(piece) || (piece.starts_with("//") && text.contains("://")) {
                let (address, span) = (Some(piece.into()), span.clone());
                this.trace.network.push(Network { address, span });
            } else if looks_like_path || is_value || (is_whole && !is_option) {
                this.touch(&Argument::text(piece), Access::Read, &arg.span);
                this.touch(&Argument::text(piece), Access::Write, &arg.span);
            }
        }
    }
}
