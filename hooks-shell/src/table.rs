//! What is known of single programs: `programs.txt`, read once.

use std::collections::HashMap;
use std::sync::LazyLock;

/// What an operand, or the value of an option, is to a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Text,
    Read,
    Write,
    Path,
    List,
    Tree,
    Enter,
    Net,
    /// Text, or a file to read behind `@` or `<`.
    At,
    /// A revision or a path of git's.
    Git,
    /// `1,20:file`.
    Lines,
    Sed,
    Awk,
    /// A setting of git's for one command.
    Config,
    /// A way of git's to merge, which may be the name of a program.
    Strategy,
    /// The ending of a copy's name.
    Suffix,
}

/// An option: its value, if it takes one.
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are independent of each other"
)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opt {
    pub(crate) role: Option<Role>,
    /// Whether the value has to be joined to it.
    pub(crate) is_joined: bool,
    /// Whether it stands for the first operand.
    pub(crate) replaces_first: bool,
    /// Whether operands are read through links, or are written.
    pub(crate) follows_links: bool,
    pub(crate) writes: bool,
}

/// How a program takes its arguments.
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are independent of each other"
)]
#[derive(Debug, Default)]
pub(crate) struct Program {
    pub(crate) first: Vec<Role>,
    pub(crate) rest: Option<Role>,
    pub(crate) last: Option<Role>,
    pub(crate) has_commands: bool,
    pub(crate) short: HashMap<char, Opt>,
    pub(crate) long: HashMap<&'static str, Opt>,
    pub(crate) takes_numbers: bool,
    pub(crate) is_inert: bool,
    pub(crate) uses_network: bool,
    pub(crate) hands_on: bool,
    pub(crate) only: Vec<&'static str>,
}

/// The entries by name, and by name and command.
static TABLE: LazyLock<HashMap<String, Program>> = LazyLock::new(|| {
    let mut table: HashMap<String, Program> = HashMap::new();
    let mut aliases = Vec::new();
    let joined = include_str!("programs.txt").replace("\n    ", " ");
    // The table lives as long as the process.
    let text: &'static str = Box::leak(joined.into_boxed_str());
    for line in text
        .lines()
        .filter(|line| !line.starts_with('#') && !line.trim().is_empty())
    {
        let Some((names, entry)) = line.split_once(" :") else {
            aliases.extend(line.split_once(" = "));
            continue;
        };
        let names: Vec<_> = names.split(' ').collect();
        let is_of_commands = table
            .get(names[0])
            .is_some_and(|program| program.has_commands);
        let keys: Vec<String> = if is_of_commands && names.len() > 1 {
            names[1..]
                .iter()
                .map(|command| format!("{} {command}", names[0]))
                .collect()
        } else {
            names.iter().map(ToString::to_string).collect()
        };
        for key in keys {
            table.insert(key, program(entry));
        }
    }
    for (name, of) in aliases {
        let entry = text
            .lines()
            .find_map(|line| line.strip_prefix(of)?.strip_prefix(" :"));
        table.insert(name.into(), program(entry.unwrap_or_default()));
    }
    table
});

fn program(entry: &'static str) -> Program {
    let mut program = Program::default();
    for token in entry.split_whitespace() {
        if let Some(flag) = token.strip_prefix('@') {
            match flag.split_once('=') {
                Some((_, commands)) => program.only = commands.split(',').collect(),
                None if flag == "inert" => program.is_inert = true,
                None if flag == "net" => program.uses_network = true,
                None => program.hands_on = true,
            }
        } else if token == "-#" {
            program.takes_numbers = true;
        } else if token.starts_with('-') {
            option(&mut program, token);
        } else if let Some(role) = token.strip_suffix('*') {
            program.rest = role_of(role);
        } else if let Some(role) = token.strip_suffix('$') {
            program.last = role_of(role);
        } else if token == "sub" {
            program.has_commands = true;
        } else if token != ";" {
            program.first.extend(role_of(token));
        }
    }
    program
}

fn option(program: &mut Program, token: &'static str) {
    let (name, value) = match token.find(['=', '?']) {
        // The flag `-?` stands nowhere.
        Some(at) => token.split_at(at),
        None => (token, ""),
    };
    let marked = name.trim_end_matches(['!', '+', '^']);
    let mark = &name[marked.len()..];
    let name = marked;
    let replaces_first = value.ends_with('!') || mark == "!";
    let role = value.trim_start_matches(['=', '?']).trim_end_matches('!');
    let option = Opt {
        role: role_of(role),
        is_joined: value.starts_with('?'),
        replaces_first,
        follows_links: mark == "+",
        writes: mark == "^",
    };
    match name.strip_prefix("--") {
        Some(name) => drop(program.long.insert(name, option)),
        None if value.is_empty() => {
            // Of two entries the one with a value holds: it is the stricter.
            for flag in name[1..].chars() {
                program.short.entry(flag).or_insert(option);
            }
        }
        None => {
            let name = &name[1..];
            if name.chars().count() == 1 {
                program
                    .short
                    .extend(name.chars().map(|flag| (flag, option)));
            } else {
                program.long.insert(name, option);
            }
        }
    }
}

fn role_of(name: &str) -> Option<Role> {
    Some(match name {
        "text" => Role::Text,
        "read" => Role::Read,
        "write" => Role::Write,
        "path" => Role::Path,
        "list" => Role::List,
        "tree" => Role::Tree,
        "enter" => Role::Enter,
        "net" => Role::Net,
        "at" => Role::At,
        "git" => Role::Git,
        "lines" => Role::Lines,
        "sed" => Role::Sed,
        "awk" => Role::Awk,
        "config" => Role::Config,
        "strategy" => Role::Strategy,
        "suffix" => Role::Suffix,
        _ => return None,
    })
}

/// What is known of a program.
pub(crate) fn find(name: &str) -> Option<&'static Program> {
    TABLE.get(name)
}

/// What is known of a command of a program, and its name.
pub(crate) fn find_command(name: &str, command: &str) -> Option<(&'static str, &'static Program)> {
    let (key, program) = TABLE.get_key_value(&format!("{name} {command}"))?;
    Some((&key[name.len() + 1..], program))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_the_table_is_known() {
        for line in include_str!("programs.txt")
            .lines()
            .filter(|line| !line.starts_with('#'))
        {
            for token in line.split_whitespace() {
                let role = token
                    .trim_start_matches('-')
                    .split_once(['=', '?'])
                    .map(|(_, role)| role);
                if let Some(role) = role.filter(|_| token.starts_with('-')) {
                    assert!(
                        role_of(role.trim_end_matches('!')).is_some(),
                        "{token} in {line}"
                    );
                }
            }
        }
    }

    #[test]
    fn programs_commands_and_other_names_are_found() {
        assert_eq!(find("cp").unwrap().last, Some(Role::Write));
        assert_eq!(find("egrep").unwrap().first, [Role::Text]);
        assert!(
            find_command("git", "log").is_some() && find_command("git", "filter-branch").is_none()
        );
        assert!(find("grep").unwrap().short[&'e'].replaces_first);
    }
}
