//! Which arguments of a program are texts, and which may be paths: options say it of the word that follows them.

use super::arguments::is_option;
use super::sed;
use super::word::{Known, Value};

/// Programs whose first argument that is no option is a pattern, not a path.
const PATTERN_FIRST: [&str; 4] = ["egrep", "fgrep", "grep", "rg"];

/// What an argument is.
pub(super) enum Read<'t> {
    /// Text, which names no file.
    Text,
    /// An option with a text joined to it.
    Joined,
    /// Perhaps a path.
    Path,
    /// Text, of which this may be a path.
    PathIn(&'t str),
}

/// Reads arguments in their order, to tell texts from paths. What is not known to be a text may be a path.
pub(super) struct Reader<'a> {
    program: &'a str,
    command: Option<&'a str>,
    arguments: &'a [Value],
    /// Whether the next word that is no option is a pattern, or a script of sed's.
    pattern: bool,
    of_sed: bool,
    /// What the next word is, because of the option before it.
    next: Option<Next>,
}

/// What an option has the next word be.
#[derive(Clone, Copy, PartialEq)]
enum Next {
    /// A text.
    Text,
    /// A value, which may be a path, and is not the pattern.
    Value,
    /// Lines of a file, as `git log -L` has them.
    Lines,
}

/// Options of grep's, and of rg's, that take the next word.
const VALUES_OF_GREP: [&str; 16] = [
    "-A",
    "-B",
    "-C",
    "-D",
    "-d",
    "-m",
    "--after-context",
    "--before-context",
    "--context",
    "--devices",
    "--directories",
    "--exclude",
    "--exclude-dir",
    "--exclude-from",
    "--include",
    "--max-count",
];
const VALUES_OF_RG: [&str; 24] = [
    "-A",
    "-B",
    "-C",
    "-E",
    "-M",
    "-T",
    "-d",
    "-g",
    "-j",
    "-m",
    "-r",
    "-t",
    "--after-context",
    "--before-context",
    "--context",
    "--encoding",
    "--glob",
    "--iglob",
    "--max-columns",
    "--max-count",
    "--max-depth",
    "--replace",
    "--type",
    "--type-not",
];

impl<'a> Reader<'a> {
    pub(super) fn new(
        program: &'a str,
        command: Option<&'a str>,
        arguments: &'a [Value],
        options: &[Value],
    ) -> Self {
        let takes_pattern =
            PATTERN_FIRST.contains(&program) || (program, command) == ("git", Some("grep"));
        let has_pattern = || {
            options.iter().any(|argument| {
                let text = argument.text.as_str();
                // A long option may be shortened.
                let is_short_for =
                    |prefix, others: &[&str]| text.starts_with(prefix) && !others.contains(&text);
                is_option(text, "-e")
                    || is_option(text, "-f")
                    || is_short_for("--re", &["--recursive"])
                    || (is_short_for("--fi", &["--files-with-matches", "--files-without-match"])
                        && !text.starts_with("--fix"))
                    || (program == "rg" && text == "--type-list")
            })
        };
        let of_sed = program == "sed"
            && !options
                .iter()
                .any(|argument| sed::is_before_script(&argument.text));
        Reader {
            program,
            command,
            arguments,
            pattern: takes_pattern && !has_pattern(),
            of_sed,
            next: None,
        }
    }

    pub(super) fn read(
        &mut self,
        nth: usize,
        argument: &'a Value,
        is_flag: bool,
    ) -> Result<Read<'a>, String> {
        let text = argument.text.as_str();
        match self.next.take() {
            // It looks like an option, and may be one: then what follows on it may be anything.
            Some(_) if text.starts_with('-') => {
                let read = if is_flag {
                    self.flag(nth, text)?
                } else {
                    Read::Path
                };
                self.next = None;
                return Ok(read);
            }
            Some(Next::Text) => {
                one_word(argument)?;
                return Ok(Read::Text);
            }
            Some(Next::Value) => return Ok(Read::Path),
            Some(Next::Lines) => return Ok(Read::PathIn(file_of_lines(text))),
            None => {}
        }
        if is_flag {
            return self.flag(nth, text);
        }
        // The command of `git grep` stands before the pattern.
        let is_command = self.command == Some(text)
            && !self.arguments[..nth]
                .iter()
                .any(|before| before.text == text);
        if is_command || !(self.pattern || self.of_sed) {
            return Ok(self.revision(text));
        }
        one_word(argument)?;
        if argument.known == Known::Match {
            return Err(format!("`{text}` becomes the name of a file: write it out"));
        }
        if std::mem::take(&mut self.of_sed) {
            written_out(argument)?;
            sed::script(text)?;
            return Ok(Read::Text);
        }
        self.pattern = false;
        // After `--`, which may be the value of an option.
        Ok(if text.starts_with('-') {
            Read::Path
        } else {
            Read::Text
        })
    }

    fn flag(&mut self, nth: usize, text: &'a str) -> Result<Read<'a>, String> {
        let before = nth
            .checked_sub(1)
            .map_or("", |before| self.arguments[before].text.as_str());
        match self.program {
            "git" => return Ok(self.git_flag(before, text)),
            // What fields are cut at.
            "cut" | "sort" => {
                let (option, flags) = match self.program {
                    "cut" => ('d', "nsz"),
                    _ => ('t', "bdfghinrsuz"),
                };
                if ["--delimiter=", "--field-separator="]
                    .iter()
                    .any(|option| text.starts_with(option))
                {
                    return Ok(Read::Joined);
                }
                let is_option = !before.starts_with('-')
                    || is_cluster(before, flags)
                    || is_list_of_fields(before);
                let joined = text[1..].trim_start_matches(|flag| flags.contains(flag));
                match joined.strip_prefix(option) {
                    Some("") if is_option => self.next = Some(Next::Text),
                    Some(_) if is_option => return Ok(Read::Joined),
                    _ => {}
                }
            }
            "grep" | "rg" | "egrep" | "fgrep" => {
                // Else it may be the value of the option before it.
                let flags = match self.program {
                    "rg" => "0abcFhHiIlnNopPqsSuUvVwxz",
                    _ => "abcEFGhHiIlLnoPqrsTuUvVwxyzZ",
                };
                if before.starts_with('-') && !before.contains('=') && !is_cluster(before, flags) {
                    return Ok(Read::Path);
                }
                let takes_value = match self.program {
                    "rg" => VALUES_OF_RG.contains(&text),
                    _ => VALUES_OF_GREP.contains(&text),
                };
                if matches!(text, "-e" | "--regexp") {
                    self.next = Some(Next::Text);
                } else if takes_value {
                    self.next = Some(Next::Value);
                } else if text.starts_with("-e")
                    || [
                        "--include=",
                        "--exclude=",
                        "--exclude-dir=",
                        "--glob=",
                        "--regexp=",
                    ]
                    .iter()
                    .any(|option| text.starts_with(option))
                {
                    return Ok(Read::Joined);
                }
            }
            "sed" if sed::is_before_script(text) => {
                if let Some(next) = self.arguments.get(nth + 1) {
                    written_out(next)?;
                    sed::script(&next.text)?;
                    if next.text.starts_with('-') {
                        return Err("a script for `sed` that begins with `-` is not looked at: write it otherwise".into());
                    }
                }
                self.next = Some(Next::Text);
            }
            "sed" => sed::option(text)?,
            _ => {}
        }
        Ok(Read::Path)
    }

    /// The options of git's that take texts: messages, formats, what is searched for.
    fn git_flag(&mut self, before: &str, text: &'a str) -> Read<'a> {
        let command = self.command.unwrap_or_default();
        let is_told = matches!(command, "commit" | "merge" | "notes" | "stash" | "tag");
        let is_searched = matches!(
            command,
            "diff" | "diff-tree" | "log" | "rev-list" | "shortlog" | "show" | "whatchanged"
        );
        let with_value = [
            "--message=",
            "--grep=",
            "--author=",
            "--committer=",
            "--format=",
            "--pretty=",
            "--since=",
            "--until=",
            "--date=",
        ];
        if with_value.iter().any(|option| text.starts_with(option)) {
            return Read::Joined;
        }
        let is_text = match text {
            "--message" => is_told,
            "--author" => matches!(command, "commit" | "log" | "rev-list" | "shortlog"),
            "--grep" | "-S" | "-G" => is_searched,
            "--format" => matches!(
                command,
                "branch" | "for-each-ref" | "ls-files" | "ls-tree" | "tag"
            ),
            "-e" => command == "grep" && (!before.starts_with("--") || before.contains('=')),
            _ => is_told && is_cluster(text, "aqsvnm") && text.ends_with('m'),
        };
        if is_text {
            // Two files that are no git's may follow on `diff`.
            self.next = Some(if command == "diff" {
                Next::Value
            } else {
                Next::Text
            });
            return Read::Text;
        }
        if text == "-L" {
            self.next = match command {
                "log" => Some(Next::Lines),
                "blame" => Some(Next::Text),
                _ => None,
            };
        }
        // `-mtext`, `-Gtext`, `-L1,2:file`
        let joined = text.get(..2).unwrap_or_default();
        match joined {
            "-m" if is_told => Read::Joined,
            "-a" if is_told && text.starts_with("-am") => Read::Joined,
            "-S" | "-G" if is_searched => Read::Joined,
            "-L" if command == "log" => Read::PathIn(file_of_lines(text)),
            "-L" if command == "blame" => Read::Text,
            _ => Read::Path,
        }
    }

    /// `@~1:file`, which is no home directory.
    fn revision(&self, text: &'a str) -> Read<'a> {
        let is_revision = self.program == "git"
            && ["@~", "@^", "@{"]
                .iter()
                .any(|begin| text.starts_with(begin));
        match text.split_once(':') {
            _ if !is_revision => Read::Path,
            Some((before, file)) if !before.contains('/') => Read::PathIn(file),
            Some(_) => Read::Path,
            None if text.contains('/') => Read::Path,
            None => Read::Text,
        }
    }
}

/// Whether a word stays one: a pattern of file names becomes several, of which the first is not the last.
fn one_word(argument: &Value) -> Result<(), String> {
    match argument.known {
        Known::Pattern => Err(argument.becomes_files()),
        _ => Ok(()),
    }
}

/// Whether a script is known as it is.
fn written_out(argument: &Value) -> Result<(), String> {
    if argument.known != Known::All {
        return Err(format!(
            "the script `{}` is not written out: put it in single quotes",
            argument.text
        ));
    }
    Ok(())
}

/// `1,20:src/main.rs`, `/from/,/to/:src/main.rs`.
fn file_of_lines(text: &str) -> &str {
    text.rsplit_once(':').map_or("", |(_, file)| file)
}

/// Whether a text is options that stand together, all of them among these, or a number.
fn is_cluster(text: &str, among: &str) -> bool {
    text.strip_prefix('-').is_some_and(|flags| {
        let is_known = |flag: char| among.contains(flag) || flag.is_ascii_digit();
        !flags.is_empty() && flags.chars().all(is_known)
    })
}

/// Whether an option says which fields: `-f1,3`, `-c1-9`, `-k2`.
fn is_list_of_fields(text: &str) -> bool {
    ["-b", "-c", "-f", "-k"].iter().any(|option| {
        text.strip_prefix(option).is_some_and(|list| {
            !list.is_empty()
                && list
                    .bytes()
                    .all(|byte| byte.is_ascii_digit() || b",-".contains(&byte))
        })
    })
}
