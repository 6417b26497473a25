//! For which tools a rule runs, as a function of the tool's name.
//!
//! The function returns 0 for a tool that the rule is not for, 1 for one that it names, and for one that has another name in
//! the file, 2 and more: which names the arguments have there.

use std::fmt::Write as _;
use std::sync::LazyLock;

use hooks_glob::tools::{Same, lines};
use hooks_glob::{Glob, Token};
use hooks_rules::tools::known;

use super::pattern;

/// The tools of a rule.
pub(super) struct RuleTools {
    /// The body of the function.
    pub(super) code: String,
    /// For each number from 2 on, the names of the arguments that go with the tool's name in the file.
    pub(super) names: Vec<Vec<&'static str>>,
}

/// All names of well-known tools, each once.
static NAMES: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let mut names = Vec::new();
    for name in known().iter().flat_map(Same::names) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
});

/// The name of a tool in the file that is not the tool's own, if the file means it by one.
fn theirs(name: &str, has: &dyn Fn(&str) -> bool) -> Option<&'static str> {
    let tools = known()
        .iter()
        .filter(|tool| tool.names().any(|known| known == name));
    let mut names = tools.flat_map(Same::names);
    names.find(|other| *other != name && has(other))
}

/// The names of the arguments of a tool with this name, of any agent.
fn arguments_of(tool: &str) -> Vec<&'static str> {
    static LINES: LazyLock<Vec<(&str, &str, &str)>> = LazyLock::new(|| lines().collect());
    let named = LINES.iter().filter(|(_, name, _)| *name == tool);
    let pairs = named.flat_map(|(_, _, arguments)| arguments.split_whitespace());
    pairs
        .filter_map(|pair| Some(pair.split_once('=')?.0))
        .collect()
}

impl RuleTools {
    /// The tools that match one of these patterns by any of their names.
    pub(super) fn of_globs(globs: &[Glob]) -> Self {
        let plain: Option<Vec<_>> = globs.iter().map(plain).collect();
        let has = |name: &str| globs.iter().any(|glob| glob.matches(name));
        if let Some(names) = plain {
            return RuleTools::made(String::new(), names, Some(&has));
        }
        let tests: Vec<_> = globs.iter().map(matches).collect();
        let first = format!("if {} {{ return 1; }} ", tests.join(" || "));
        RuleTools::made(first, Vec::new(), Some(&has))
    }

    /// The tools in whose names an expression is found. One that excludes a name is compared with the tool's own.
    pub(super) fn of_regex(
        text: &str,
        has: &dyn Fn(&str) -> bool,
        statics: &mut String,
        prefix: &str,
    ) -> Self {
        let found = pattern::test(text, "n", statics, prefix);
        let first = format!("if {found} {{ return 1; }} ");
        let has = (!text.contains("[^")).then_some(has);
        RuleTools::made(first, Vec::new(), has)
    }

    fn made(first: String, plain: Vec<String>, has: Option<&dyn Fn(&str) -> bool>) -> Self {
        let mut numbers: Vec<(String, usize)> = plain.into_iter().map(|name| (name, 1)).collect();
        let mut names: Vec<Vec<&str>> = Vec::new();
        for name in NAMES.iter().copied() {
            let Some(has) = has.filter(|has| !has(name)) else {
                continue;
            };
            let Some(theirs) = theirs(name, has) else {
                continue;
            };
            let arguments = arguments_of(theirs);
            let nth = names.iter().position(|known| *known == arguments);
            let nth = nth.unwrap_or_else(|| {
                names.push(arguments);
                names.len() - 1
            });
            numbers.push((name.to_owned(), nth + 2));
        }
        numbers.sort();
        numbers.dedup();
        let mut code = first;
        let mut lens: Vec<_> = numbers.iter().map(|(name, _)| name.len()).collect();
        lens.sort_unstable();
        lens.dedup();
        code.push_str("match n.len() {");
        for len in lens {
            let _ = write!(code, "{len} => match n {{");
            for (name, number) in numbers.iter().filter(|(name, _)| name.len() == len) {
                let _ = write!(code, "{name:?} => {number},");
            }
            code.push_str("_ => 0 },");
        }
        code.push_str("_ => 0 }");
        RuleTools { code, names }
    }
}

/// The one text that a pattern matches, if it is one.
fn plain(glob: &Glob) -> Option<String> {
    match glob.alternatives() {
        [tokens] => match &tokens[..] {
            [Token::Text(text)] => Some(text.to_string()),
            _ => None,
        },
        _ => None,
    }
}

/// Code for whether a pattern matches `n`.
fn matches(glob: &Glob) -> String {
    let glob = crate::glob::comparison(glob, &quote::quote!(n));
    glob.to_string()
        .replace(":: hooks_core :: __private", "__core")
}
