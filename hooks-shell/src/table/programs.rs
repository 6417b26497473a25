//! The table of programs, `programs.txt`, which is read once.

use std::sync::{LazyLock, OnceLock};

use foldhash::HashMap;

use super::unfolded;

macro_rules! roles {
    ($($role:ident $name:literal),*) => {
        /// What an operand, or the value of an option, is to a program. The head of `programs.txt` explains each role.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Role {
            $($role,)*
            OneOf(&'static str),
        }

        fn role_of(name: &'static str) -> Option<Role> {
            match name {
                $($name => Some(Role::$role),)*
                _ => Some(Role::OneOf(name.strip_prefix('(')?.strip_suffix(')')?)),
            }
        }
    };
}

roles! {
    Any "any", Text "text", Copy "copy", Move "move", Into "into", Setting "setting", Read "read", Write "write", Below "below", Path "path", List "list", Tree "tree", Patch "patch", Enter "enter", Net "net", At "at", Head "head", Form "form", Git "git",
    Lines "lines", Prefix "prefix", Sed "sed", Awk "awk", Jq "jq", Script "script", Config "config", Flags "flags", Number "number", Format "format", Name "name",
    Assign "assign", Run "run"
}

impl Role {
    /// Whether a value may make the program run another one, or decides what its other arguments are.
    pub(crate) fn decides_what_runs(self) -> bool {
        matches!(
            self,
            Role::Sed
                | Role::Awk
                | Role::Config
                | Role::Flags
                | Role::Assign
                | Role::Name
                | Role::Setting
                | Role::Run
        ) || matches!(self, Role::OneOf(list) if !list.starts_with('!'))
    }
}

/// An option, and the role of its value, if it takes one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opt {
    pub(crate) value: Option<Role>,
    /// Whether the value must be joined to the option.
    pub(crate) is_joined: bool,
    /// Whether it replaces the first operand.
    pub(crate) replaces_first: bool,
    /// What a second value is, if it takes two.
    pub(crate) second: Option<Role>,
    /// The role of operands instead; with `into`, files are unpacked.
    pub(crate) operands: Option<Role>,
}

/// What a program prints, if it has only these options, and at least one of the second list.
#[derive(Clone, Debug, Default)]
pub(crate) struct Print {
    pub(crate) what: &'static str,
    pub(crate) with: Vec<OptionPattern>,
    pub(crate) by: Vec<OptionPattern>,
}

/// An option by its name, with any value, or with just this one.
pub(crate) type OptionPattern = (&'static str, Option<&'static str>);

/// How a program takes its arguments.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProgramArguments {
    pub(crate) first: Vec<Role>,
    pub(crate) rest: Option<Role>,
    pub(crate) last: Option<Role>,
    pub(crate) behind: Option<Role>,
    /// The options by name; options of one letter have one dash.
    pub(crate) options: HashMap<&'static str, Opt>,
    /// Its subcommands, if the other arguments depend on them.
    pub(crate) commands: HashMap<&'static str, ProgramArguments>,
    pub(crate) prints: Vec<Print>,
    pub(crate) needs: Option<&'static str>,
    /// The options or subcommands with which it creates no files.
    pub(crate) keeps: Option<&'static str>,
    /// The hosts that it reaches by itself, if it does so: an empty list if it chooses them.
    pub(crate) net: Option<&'static str>,
    /// The arguments with which it does not.
    pub(crate) local: Option<&'static str>,
    /// Why it is not looked at.
    pub(crate) refused: Option<&'static str>,
    flags: Vec<&'static str>,
}

impl ProgramArguments {
    /// Whether it has a flag, such as `@inert`.
    pub(crate) fn is(&self, flag: &str) -> bool {
        self.flags.contains(&flag)
    }
}

/// A program's lines of the table, and what they mean.
#[derive(Default)]
struct ProgramLines {
    text: &'static str,
    /// The lines of its subcommands: their names, and what is said of them.
    commands: Vec<(&'static str, &'static str)>,
    /// Parsed when it is first asked for, because most programs never run.
    program: OnceLock<ProgramArguments>,
}

impl ProgramLines {
    fn program(&self) -> &ProgramArguments {
        self.program.get_or_init(|| {
            let mut of = program(self.text, &HashMap::default());
            // Those that are like another come last.
            let is_like = |(_, entry): &&(&str, &str)| entry.contains(" @like=");
            let (like, others): (Vec<_>, Vec<_>) = self.commands.iter().partition(is_like);
            for (names, entry) in others.into_iter().chain(like) {
                let program = program(entry, &of.commands);
                of.commands
                    .extend(names.split(' ').map(|name| (name, program.clone())));
            }
            of
        })
    }
}

static TABLE: LazyLock<HashMap<&str, ProgramLines>> = LazyLock::new(|| {
    let mut table: HashMap<&str, ProgramLines> = HashMap::default();
    // The table lives as long as the process.
    let text: &'static str = Box::leak(unfolded(include_str!("programs.txt")).into_boxed_str());
    for (names, text) in text.lines().filter_map(|line| line.split_once(" :")) {
        if let Some((first, commands)) = names.split_once(' ')
            && let Some(of) = table.get_mut(first)
            && of.text.split_whitespace().any(|token| token == "sub")
        {
            of.commands.push((commands, text));
        } else {
            let entry = || ProgramLines {
                text,
                ..ProgramLines::default()
            };
            table.extend(names.split(' ').map(|name| (name, entry())));
        }
    }
    table
});

/// Parses an entry; `@like` names one of these commands.
fn program(entry: &'static str, commands: &HashMap<&str, ProgramArguments>) -> ProgramArguments {
    let (entry, refused) = match entry.split_once(" ! ") {
        Some((entry, reason)) => (entry, Some(reason)),
        None => (entry, None),
    };
    let mut sections = entry.split(" > ");
    let mut program = ProgramArguments::default();
    for token in sections.next().unwrap_or_default().split_whitespace() {
        if let Some(flag) = token.strip_prefix('@') {
            match flag.split_once('=') {
                Some(("like", like)) => program = commands[like].clone(),
                Some(("needs", needs)) => program.needs = Some(needs),
                Some(("keeps", keeps)) => program.keeps = Some(keeps),
                Some(("net", hosts)) => program.net = Some(hosts),
                Some(("local", local)) => program.local = Some(local),
                Some((_, role)) => program.behind = role_of(role),
                None if flag == "net" => program.net = Some(""),
                None => program.flags.push(flag),
            }
        } else if token.starts_with('-') {
            option(&mut program, token);
        } else if let Some(role) = token.strip_suffix('*') {
            program.rest = role_of(role);
        } else if let Some(role) = token.strip_suffix('$') {
            program.last = role_of(role);
        } else if token == "sub" {
            program.flags.push(token);
        } else {
            program.first.extend(role_of(token));
        }
    }
    program.refused = refused;
    program.prints.extend(sections.map(print));
    program
}

fn option(program: &mut ProgramArguments, token: &'static str) {
    let (name, value) = token.split_at(token.find(['=', '?']).unwrap_or(token.len()));
    let suffixes = [
        ('+', Role::Tree),
        ('^', Role::Write),
        ('%', Role::Read),
        ('>', Role::Into),
        ('&', Role::Below),
    ];
    let suffix = suffixes.iter().find(|(suffix, _)| name.ends_with(*suffix));
    let operands = suffix.map(|(_, role)| *role);
    let name = &name[..name.len() - usize::from(suffix.is_some())];
    let roles = value.trim_start_matches(['=', '?']).trim_end_matches('!');
    let (first, second) = roles.split_once('=').unwrap_or((roles, ""));
    let option = Opt {
        value: role_of(first),
        second: role_of(second),
        is_joined: value.starts_with('?'),
        replaces_first: token.ends_with('!'),
        operands,
    };
    let name = name.trim_end_matches('!');
    if option.value.is_some() && !name.starts_with("--") {
        program.options.insert(&name[1..], option);
        return;
    }
    for name in names(name) {
        // If an option has two entries, the one with a value applies, because it is stricter.
        program.options.entry(name).or_insert(option);
    }
}

/// Returns the options of `-abc` and of `--long`.
fn names(token: &'static str) -> Vec<&'static str> {
    match token.strip_prefix("--") {
        Some(long) => vec![long],
        None => (1..token.len()).map(|at| &token[at..=at]).collect(),
    }
}

fn print(section: &'static str) -> Print {
    let given = |option: &'static str| match option.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (option, None),
    };
    let mut tokens = section.split_whitespace();
    let what = tokens.next().unwrap_or_default();
    let with = tokens.by_ref().take_while(|token| *token != "by");
    Print {
        what,
        with: with.flat_map(names).map(given).collect(),
        by: tokens.flat_map(names).map(given).collect(),
    }
}

/// Returns the entry of a program.
pub(crate) fn find(name: &str) -> Option<&'static ProgramArguments> {
    TABLE.get(name).map(ProgramLines::program)
}

/// Whether a program of the system does no more than what the [effects](crate::Effects) of its call say: the table
/// describes it, and it neither runs code that it is given or finds in its folder, nor uses the network.
///
/// ```
/// use hooks_shell::is_predictable;
///
/// assert!(is_predictable("jq") && is_predictable("mkdir"));
/// assert!(!is_predictable("bash") && !is_predictable("sudo") && !is_predictable("pytest"));
/// assert!(!is_predictable("curl") && !is_predictable("a-program-of-yours"));
/// ```
#[must_use]
pub fn is_predictable(program: &str) -> bool {
    let is_quiet = |program: &ProgramArguments| program.net.is_none() && !program.is("host");
    find(program).is_some_and(|program| {
        let mut commands = program.commands.values();
        let is_heard = !program.commands.is_empty() && !commands.any(is_quiet);
        program.refused.is_none() && !program.is("code") && is_quiet(program) && !is_heard
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::is_one_of;

    #[test]
    fn every_word_of_the_table_is_known() {
        for line in unfolded(include_str!("programs.txt")).lines() {
            let line: &'static str = Box::leak(line.to_owned().into_boxed_str());
            let Some((_, entry)) = line.split_once(" :") else {
                assert!(line.is_empty(), "{line}");
                continue;
            };
            let entry = entry
                .split(" ! ")
                .next()
                .unwrap()
                .split(" > ")
                .next()
                .unwrap();
            for token in entry.split_whitespace() {
                let role = match token.find(['=', '?']) {
                    Some(at) if token.starts_with('-') => token[at + 1..].trim_end_matches('!'),
                    _ if token.starts_with(['-', '@', ';']) || token == "sub" => continue,
                    _ => token.trim_end_matches('$'),
                };
                let is_known =
                    |role: &str| role.is_empty() || role_of(Box::leak(role.into())).is_some();
                let is_known = is_known(role.trim_end_matches('*'))
                    || is_known(role)
                    || role.split('=').all(is_known);
                assert!(is_known, "{token} in {line}");
            }
        }
    }

    #[test]
    fn every_line_and_every_option_has_its_place() {
        let text = include_str!("programs.txt");
        for section in text.split("\n\n") {
            let lines = unfolded(section);
            let names: Vec<_> = lines
                .lines()
                .filter_map(|line| line.split_once(" :"))
                .collect();
            // Subcommands stand after their program.
            assert!(
                names.is_sorted_by_key(|(names, _)| names.split(' ').next()),
                "{section}"
            );
            for (names, entry) in names {
                let options = entry.split(" ; ").nth(1).unwrap_or_default();
                let options = options
                    .split(" > ")
                    .flat_map(|part| part.split(" ! "))
                    .next();
                let options = options.unwrap_or_default().split_whitespace();
                let name = |option: &str| {
                    option
                        .trim_start_matches('-')
                        .split(['=', '?'])
                        .next()
                        .unwrap()
                        .to_lowercase()
                };
                let order = |option: &str| {
                    let is_plain = !option.contains(['=', '?', '+', '^', '%', '>', '&', '!', '#']);
                    let kind = if option.starts_with("--") {
                        2
                    } else {
                        i32::from(!is_plain)
                    };
                    (kind, name(option))
                };
                let all: Vec<_> = options.map(order).collect();
                assert!(all.is_sorted(), "{names}: {all:?}");
            }
        }
        let mut seen = std::collections::HashSet::new();
        let lines = unfolded(text);
        for (names, _) in lines.lines().filter_map(|line| line.split_once(" :")) {
            assert!(seen.insert(names.to_owned()), "{names} has two lines");
        }
    }

    #[test]
    fn what_a_program_prints_depends_on_options_that_it_has() {
        let programs = TABLE.iter().map(|(name, entry)| (name, entry.program()));
        let all = programs
            .clone()
            .chain(programs.flat_map(|(_, program)| &program.commands));
        for (command, program) in all {
            for print in &program.prints {
                for (name, _) in print.with.iter().chain(&print.by) {
                    assert!(program.options.contains_key(name), "{name} of {command}");
                }
            }
        }
    }

    /// A sign says what a program does to the folders that it is given.
    #[test]
    fn what_writes_its_operands_says_what_becomes_of_folders() {
        let writes = |role: &Role| {
            matches!(
                role,
                Role::Write | Role::Path | Role::Move | Role::Into | Role::Below
            )
        };
        for (name, entry) in TABLE.iter() {
            let of = entry.program();
            let all = of
                .commands
                .iter()
                .map(|(command, program)| (*command, program));
            for (command, program) in all.chain([("", of)]) {
                let mut roles = program.first.iter().chain(&program.rest);
                if !roles.any(writes) {
                    continue;
                }
                for option in ["r", "R", "recursive", "dereference-recursive"] {
                    let is_told = program
                        .options
                        .get(option)
                        .is_none_or(|option| option.operands.is_some() || option.value.is_some());
                    // git changes what it tracks, and so nothing of its own, and follows no links. The others turn
                    // something round, or read what they are given with all below it.
                    let is_other = ["cargo", "git", "touch", "truncate", "xxd"].contains(name);
                    let reads_all = program.rest == Some(Role::Tree);
                    assert!(
                        is_told || is_other || reads_all,
                        "{name} {command} -{option}"
                    );
                }
            }
        }
    }

    #[test]
    fn what_runs_others_is_not_predictable() {
        for (name, entry) in TABLE.iter() {
            let program = entry.program();
            let runs = program.first.contains(&Role::Run) && !program.is("wrapper");
            assert!(
                !(runs && is_predictable(name)) || program.is("builtin"),
                "{name}"
            );
        }
        assert!(is_predictable("git") && !is_predictable("gh") && !is_predictable("ln"));
    }

    #[test]
    fn programs_commands_and_choices_are_found() {
        assert_eq!(find("cp").unwrap().last, Some(Role::Into));
        assert_eq!(find("egrep").unwrap().first, [Role::Any]);
        let git = &find("git").unwrap().commands;
        assert!(git.contains_key("log") && !git.contains_key("filter-branch"));
        assert!(find("grep").unwrap().options["e"].replaces_first);
        let clippy = &find("cargo").unwrap().commands["clippy"];
        assert!(clippy.options.contains_key("fix") && clippy.behind == Some(Role::Flags));
        assert!(is_one_of("a,b*", "bc") && !is_one_of("a,b*", "ab") && is_one_of("!env", "test"));
    }
}
