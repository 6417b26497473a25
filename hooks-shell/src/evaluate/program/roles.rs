//! What a program does with an argument, by the argument's role in the table.

use super::operands::{ProgramCall, shown};
use crate::evaluate::{Access, CommandArg, Result, ScriptEvaluator};
use crate::parse::syntax::is_identifier;
use crate::table::addresses::{is_address, pathspec, pieces_that_lead_out};
use crate::table::languages::{self, ScriptVerdict};
use crate::table::{self, Role, is_one_of, variables};
use crate::value::{Argument, GLOBS};

/// The reason why an argument is rejected, if it is.
type ArgumentRejection = Option<String>;

impl ScriptEvaluator<'_> {
    /// Applies a role to a value.
    pub(crate) fn apply(
        &mut self,
        call: &ProgramCall<'_>,
        role: Role,
        value: &Argument,
    ) -> Result<()> {
        let is_path_of_git = call.name == "git"
            && matches!(
                role,
                Role::Git | Role::Write | Role::Below | Role::Move | Role::Into
            );
        if is_path_of_git && let Some(text) = value.known().filter(|text| text.starts_with(':')) {
            let shown = shown(text);
            match pathspec(text) {
                None => self.unknown(format!("`{shown}` begins at the top of the repository: write a path, or the hash of a commit")),
                Some("") if role != Role::Git || call.git_access() == Access::Write => {
                    self.unknown(format!("`{shown}` means all other files: write those out that you mean"));
                }
                Some("") => {}
                Some(path) => return self.apply(call, role, &Argument::text(path)),
            }
            return Ok(());
        }
        let known = value.known();
        self.check_expanded(call, role, known);
        if matches!(role, Role::Text | Role::Read)
            && known.is_some_and(|text| self.fetches(call, text))
        {
            return Ok(());
        }
        let access: &[Access] = match role {
            Role::Any => return Ok(()),
            Role::Script => {
                self.unknown(format!(
                    "`{}` reads a script from a file, which may be another when it runs: write the script as an argument",
                    call.full()
                ));
                return Ok(());
            }
            Role::Read
                if call.program.first == [Role::Awk]
                    && known.is_some_and(languages::is_assignment) =>
            {
                return Ok(());
            }
            Role::Text => {
                match value {
                    Argument::Text(text) => self.pieces(text),
                    Argument::Pattern(_) | Argument::Names(_) => {
                        self.touch(value, Access::Read);
                    }
                    _ => {}
                }
                return Ok(());
            }
            Role::Git if matches!(value, Argument::Revisions { .. }) => return Ok(()),
            Role::Number | Role::OneOf(_) if *value == Argument::Number => return Ok(()),
            Role::Format if known.is_none() && call.operands.len() == 1 => return Ok(()),
            // What is behind a `#` is shown in its place.
            Role::Read if call.name == "gh" && known.is_some_and(|text| text.contains('#')) => {
                let file = known
                    .and_then(|text| text.split('#').next())
                    .unwrap_or_default();
                self.touch(&Argument::text(file), Access::Read);
                return Ok(());
            }
            Role::Read | Role::Copy => &[Access::Read],
            Role::Write | Role::Into => &[Access::Write],
            Role::Below => &[Access::WriteTree],
            Role::Move => &[Access::Move],
            Role::Path => &[Access::Write, Access::Read],
            Role::List => &[Access::List],
            Role::Tree => &[Access::Tree],
            Role::Patch => &[Access::Read, Access::Patch],
            Role::Git if known.is_none() => &[call.git_access()],
            _ => &[],
        };
        if call.name == "curl"
            && !access.is_empty()
            && known.is_some_and(|text| text.contains(['{', '[', '#']))
        {
            self.unknown("`curl` puts parts of addresses in the place of `{…}`, `[…]` and `#1` in the name of a file: write a plain name");
        }
        if (role == Role::Path || call.name == "rsync") && known.is_some_and(is_on_host) {
            self.unknown(format!(
                "`{}` reads the text before a `:` as the name of a host: write `./` before it",
                call.full()
            ));
        }
        match (value, known) {
            (Argument::Text(text), _) if text.as_ref() == "-" && !access.is_empty() => {}
            (Argument::Text(_) | Argument::Pattern(_) | Argument::Names(_), _)
                if !access.is_empty() =>
            {
                let follows_links = call.name != "git" || matches!(role, Role::Read | Role::Tree);
                for access in access {
                    self.touch_from(value, *access, None, follows_links);
                }
            }
            (_, Some(text)) => {
                if let Some(reason) = self.apply_known(call, role, text)? {
                    self.unknown(reason);
                }
            }
            _ => self.apply_unknown(call, role, value)?,
        }
        Ok(())
    }

    /// Refuses a pattern that the program itself puts the names of files in the place of, where it changes them.
    fn check_expanded(&mut self, call: &ProgramCall<'_>, role: Role, known: Option<&str>) {
        let changes = matches!(role, Role::Write | Role::Move)
            || (role == Role::Git && call.git_access() == Access::Write);
        let mut options = call.program.options.values();
        let expands =
            call.name == "git" || options.any(|option| option.operands == Some(Role::Write));
        if let Some(text) =
            known.filter(|text| changes && expands && text.contains(['*', '?', '[', '{']))
        {
            let reason = format!(
                "`{}` puts the names of files in the place of `{}` itself: write them out, or leave out the quotes",
                call.full(),
                shown(text)
            );
            self.unknown(reason);
        }
    }

    /// Applies a role to a value that is only known at run time.
    fn apply_unknown(
        &mut self,
        call: &ProgramCall<'_>,
        role: Role,
        value: &Argument,
    ) -> Result<()> {
        let begins = match value {
            Argument::Unknown { begins } => begins,
            _ => "",
        };
        let variable = begins.split_once('=').map(|(name, _)| name);
        match (role, variable.filter(|name| is_identifier(name))) {
            (Role::Head, _) if !begins.starts_with('@') && !begins.is_empty() => {}
            (Role::Assign, Some(name)) => {
                self.assign(name, Argument::unknown(), call.name == "export")?;
            }
            (Role::Sed, _) if call.has("sandbox") => self.must_be_known(call),
            (Role::Sed, _) => self.unknown(
                "a script of `sed` that is only known at run time may run a program: write it out, or write `sed --sandbox` first",
            ),
            _ if role.decides_what_runs() => self.unknown(format!(
                "an argument of `{}` that decides what runs is only known at run time: write it out",
                call.full()
            )),
            _ => self.must_be_known(call),
        }
        Ok(())
    }

    /// Refuses what may be several words where one is expected.
    pub(crate) fn must_be_one(&mut self, call: &ProgramCall<'_>, arg: &CommandArg) {
        match &arg.value {
            Argument::Pattern(_) => {
                let shown = shown(self.shown(&arg.span));
                self.unknown_argument(format!(
                    "`*`, `?` and `[` make a pattern of file names of `{shown}`: put the argument in single quotes"
                ));
            }
            _ => self.must_be_known(call),
        }
    }

    pub(crate) fn must_be_known(&mut self, call: &ProgramCall<'_>) {
        let name = call.full();
        if call.program.first.contains(&Role::Run) {
            return self.unknown(format!(
                "an argument of `{name}` is only known at run time, so it is not known which program `{name}` runs: write it out"
            ));
        }
        self.unknown_argument(format!(
            "an argument of `{name}` is only known at run time: write it out"
        ));
    }

    /// Does the same for roles that need a known value.
    fn apply_known(
        &mut self,
        call: &ProgramCall<'_>,
        role: Role,
        text: &str,
    ) -> Result<ArgumentRejection> {
        let shown = shown(text);
        match role {
            Role::Sed => return Ok(self.language(languages::sed(text))),
            Role::Awk => return Ok(self.language(languages::awk(text))),
            Role::Jq => return Ok(self.language(languages::jq(text))),
            Role::Name => return self.name(text),
            Role::Assign => return self.assignment(call, text),
            Role::Net => return Ok(self.net(call, text)),
            Role::Git => return Ok(self.git(call, text)),
            Role::Enter
                if text == "-"
                    && call.name == "cd"
                    && let Some(old) = self.state.old.clone() =>
            {
                self.enter_all(old);
                return Ok(None);
            }
            Role::Enter if text.is_empty() || text.starts_with('-') => {
                return Ok(Some(format!(
                    "the folder of `{} {text}` is only known at run time: write it out",
                    call.full()
                )));
            }
            Role::Enter => {
                self.touch(&Argument::text(text), Access::Enter);
                if table::find(call.name).is_some_and(|program| program.is("code")) {
                    // What it builds or fetches, it writes there.
                    self.touch(&Argument::text(text), Access::Write);
                }
                self.enter(text)?;
            }
            Role::Head => {
                if let Some(path) = text.strip_prefix('@') {
                    self.touch(&Argument::text(path), Access::Read);
                }
            }
            Role::At | Role::Form => {
                if let Some(at) = text.find(['@', '<']) {
                    let path = text[at + 1..].split(';').next().unwrap_or_default();
                    self.touch(&Argument::text(path), Access::Read);
                }
            }
            Role::Prefix if !has_glob(text) => {
                let pattern = format!("{text}*").into();
                // They need not be there yet.
                self.touch_from(
                    &Argument::Pattern(pattern),
                    Access::Write,
                    Some(Argument::Number),
                    true,
                );
            }
            Role::OneOf(_) => self.pieces(text),
            Role::Lines => {
                if let Some((_, file)) = text.rsplit_once(':') {
                    self.touch(&Argument::text(file), Access::Read);
                }
            }
            _ => {}
        }
        let refused = match role {
            Role::At if text.contains("%output{") => {
                "`%output{…}` writes a file: redirect the output".into()
            }
            Role::Form if text.contains(['"', '\\']) || text.contains("headers=") || (text.contains(['@', '<']) && text.contains(',')) => {
                format!("the field `{shown}` may read more than one file: write `name=@file`")
            }
            Role::Prefix if has_glob(text) => {
                format!("cannot tell which files begin with `{shown}`: use a plainer name")
            }
            Role::Config if !variables::is_harmless_setting(text) => {
                format!("the setting `{shown}` may make git run another program: leave it out")
            }
            Role::Flags if !variables::is_harmless_flag(text) => {
                format!("the flag `{shown}` is not supported: use `-D`, `-W`, `-A` and `-F`")
            }
            Role::OneOf(list) if !is_one_of(list, text) => {
                let instead = match list.strip_prefix('!') {
                    Some(_) => "leave it out".to_owned(),
                    None => format!("write one of `{list}`"),
                };
                format!("`{} {shown}` is not supported: {instead}", call.full())
            }
            Role::Number if !text.bytes().all(|byte| byte.is_ascii_digit()) => {
                format!("`{}` takes a number: write it out", call.full())
            }
            Role::Format if text.starts_with('-') => {
                "`printf` takes its format first: write `printf '%s\\n' …`".into()
            }
            Role::Format if !is_given_numbers(text, &call.operands[1..]) => {
                "some shells evaluate the numbers that `printf` is given: use `%s`, or set it to a number first"
                    .into()
            }
            Role::Setting => return Ok(setting(call, shown)),
            _ => return Ok(None),
        };
        Ok(Some(refused))
    }

    /// Touches the files that a script of a small language names.
    fn language(&mut self, judged: ScriptVerdict<'_>) -> ArgumentRejection {
        let files = match judged {
            Ok(files) => files,
            Err(reason) => return Some(reason),
        };
        for (role, path) in files {
            let access = [Access::Read, Access::Write][usize::from(role == Role::Write)];
            self.touch(&Argument::text(path), access);
        }
        None
    }

    /// Applies the name of a variable that is unset or read.
    fn name(&mut self, name: &str) -> Result<ArgumentRejection> {
        if !is_identifier(name) {
            let shown = shown(name);
            return Ok(Some(format!(
                "`{shown}` is not the name of a variable: write letters, digits and `_`"
            )));
        }
        self.assign(name, Argument::text(""), false)?;
        self.forget(name)?;
        Ok(None)
    }

    /// Applies `NAME=value`, or a variable that already has its value.
    fn assignment(&mut self, call: &ProgramCall<'_>, text: &str) -> Result<ArgumentRejection> {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(Argument::text(value))),
            None => (text, self.state.variables.get(text).cloned()),
        };
        if !is_identifier(name) {
            let program = call.name;
            return Ok(Some(format!(
                "`{program}` is only supported as `{program} NAME=value`"
            )));
        }
        let value = value.unwrap_or(Argument::unknown());
        self.assign(name, value, call.name == "export")?;
        Ok(None)
    }

    /// Reads what looks like a path in a word that may be anything: `../x`, `--out=/x`, `x@file:../y`.
    pub(super) fn pieces(&mut self, text: &str) {
        if is_address(text) || !text.contains(['/', '~', '.']) {
            return;
        }
        if text.contains('/') && !text.contains("://") {
            self.touch(&Argument::text(text), Access::Read);
        }
        for piece in pieces_that_lead_out(text) {
            self.touch(&Argument::text(piece), Access::Read);
        }
    }

    /// A revision of git's, or a path; `rev:path` is one in the repository.
    fn git(&mut self, call: &ProgramCall<'_>, text: &str) -> ArgumentRejection {
        if text.contains("ext::") || text.contains("fd::") {
            return Some("an address with `ext::` makes git run a program".into());
        }
        let is_revision = is_one_of("@~*,@^*,@{*", text);
        let (path, access) = match text.split_once(':') {
            Some((revision, file)) if !revision.contains('/') || is_revision => {
                let is_of_folder = file.starts_with("./") || file.starts_with("../");
                let of_top = [Access::Repository, Access::Read][usize::from(is_of_folder)];
                (file, of_top)
            }
            _ if is_revision && !text.contains('/') => return None,
            _ => (text, call.git_access()),
        };
        if !path.is_empty() {
            self.touch_from(&Argument::text(path), access, None, false);
        }
        None
    }
}

/// Judges the operands of `git config`: a setting that is shown, or set.
fn setting(call: &ProgramCall<'_>, shown: &str) -> ArgumentRejection {
    let words: Vec<_> = call.operands.iter().map(|arg| arg.known()).collect();
    let words = match words.as_slice() {
        [Some("get" | "set"), rest @ ..] => rest,
        all => all,
    };
    Some(match *words {
        [Some(key)] if variables::may_be_shown(key) => return None,
        [_] => format!("the setting `{shown}` may hold a secret: name another, such as `user.name`"),
        _ if call.has("global") || call.has("system") => {
            "settings of all repositories lie outside of the workspace: leave `--global` and `--system` out".into()
        }
        [Some(key), Some(value)] if variables::is_harmless_setting(&format!("{key}={value}")) => {
            return None;
        }
        _ => format!("the setting `{shown}` may make git run another program, or hold a secret: name one, such as `user.name`"),
    })
}

/// Whether each value that a format of printf reads as a number is one. `%n`, `%*d` and `%(…)T` need more than that.
fn is_given_numbers(format: &str, given: &[&CommandArg]) -> bool {
    const OF_TEXT: &str = "sbqc";
    let plain = format.replace("%%", "");
    let letters = plain.split('%').skip(1).map(|rest| {
        let of_size = |c: char| c.is_ascii_digit() || "-+ #.".contains(c);
        rest.trim_start_matches(of_size).chars().next()
    });
    let Some(letters) = letters.collect::<Option<Vec<char>>>() else {
        return false;
    };
    let is_of_text = |letter: &char| OF_TEXT.contains(*letter);
    let is_known = |letter: &char| is_of_text(letter) || "diouxXeEfgG".contains(*letter);
    let is_number = |arg: &CommandArg| {
        let is_of_number = |byte: u8| byte.is_ascii_digit() || byte == b'.';
        let known = arg.known();
        arg.value.is_number() || known.is_some_and(|text| text.bytes().all(is_of_number))
    };
    // The format is used again for what is left, so every argument has its place only if all are single words.
    let is_right = |(arg, letter): (&&CommandArg, &char)| {
        arg.value.is_one() && (is_of_text(letter) || is_number(arg))
    };
    letters.iter().all(is_known)
        && (letters.iter().all(is_of_text)
            || given.iter().zip(letters.iter().cycle()).all(is_right))
}

/// Whether a path begins with the name of a computer, as `host:path`.
fn is_on_host(path: &str) -> bool {
    let first = path.split('/').next();
    first.is_some_and(|first| first.contains(':'))
}

/// Whether a text may be read as a pattern, here or by the judge of the effects.
fn has_glob(text: &str) -> bool {
    text.contains(GLOBS) || text.contains(['{', '}'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_that_takes_numbers_is_seen() {
        let is_fine = |format: &str| is_given_numbers(format, &[]);
        assert!(!is_fine("a%n") && !is_fine("%-5ln") && !is_fine("%*s") && !is_fine("%(%s)T"));
        assert!(is_fine("%%n") && is_fine("%-5s\\n") && is_fine("%5d %.2f"));
    }
}
