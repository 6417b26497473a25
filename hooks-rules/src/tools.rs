//! The names of well-known tools in different systems, and those of their arguments.

#[cfg(feature = "json")]
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use hooks_glob::tools::{Same, arguments, same};
#[cfg(feature = "json")]
use serde_json::Value;

/// What a tool does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// It runs commands.
    Shell,
    /// It reads files.
    Read,
    /// It changes files.
    Edit,
    /// It reads from the web.
    Web,
    /// Something else.
    Other,
}

impl Class {
    fn of(word: &str) -> Self {
        match word {
            "shell" => Class::Shell,
            "read" => Class::Read,
            "edit" => Class::Edit,
            "web" => Class::Web,
            _ => Class::Other,
        }
    }
}

/// The well-known tools.
static TOOLS: LazyLock<Vec<Same>> = LazyLock::new(|| same().collect());

/// Returns the well-known tools.
#[must_use]
pub fn known() -> &'static [Same] {
    &TOOLS
}

/// Returns what a tool of any system does, if its name is well known.
#[must_use]
pub fn class_of(name: &str) -> Option<Class> {
    let mut tools = TOOLS.iter();
    let tool = tools.find(|tool| tool.names().any(|known| known == name))?;
    Some(Class::of(tool.class))
}

/// The names by which a file may mean a tool, for each name that an agent may give it.
#[derive(Clone, Debug, Default)]
pub struct Aliases {
    theirs: Arc<HashMap<String, Vec<String>>>,
    /// The names that the file's agent itself has for one tool.
    same: &'static [(String, Vec<String>)],
    /// Whether hooks read the file's name of a tool even if the file does not name tools.
    renames: bool,
    /// Whether hooks read that name even if the file asks for another one.
    is_fixed: bool,
}

impl Aliases {
    /// Makes them of the names by which a file may mean a tool, for each name that an agent may give it, and of the names
    /// that the file's agent itself has for one tool.
    #[must_use]
    pub fn new(
        theirs: HashMap<String, Vec<String>>,
        same: &'static [(String, Vec<String>)],
        renames: bool,
        is_fixed: bool,
    ) -> Self {
        Aliases {
            theirs: Arc::new(theirs),
            same,
            renames,
            is_fixed,
        }
    }

    /// Claude Code's names of well-known tools, in which rules for the input of a tool are written.
    #[must_use]
    pub fn claudes() -> Self {
        static CLAUDES: LazyLock<Aliases> = LazyLock::new(|| {
            let own: Vec<&str> = known().iter().map(|tool| tool.names[0]).collect();
            let mut theirs: HashMap<String, Vec<String>> = HashMap::new();
            for tool in known().iter().filter(|tool| !tool.names[0].is_empty()) {
                for name in tool.names().filter(|name| !own.contains(name)) {
                    let names = theirs.entry(name.to_owned()).or_default();
                    names.push(tool.names[0].to_owned());
                }
            }
            Aliases::new(theirs, &*SAME, true, false)
        });
        /// An older name of one of its tools.
        static SAME: LazyLock<[(String, Vec<String>); 1]> =
            LazyLock::new(|| [("Agent".to_owned(), vec!["Task".to_owned()])]);
        CLAUDES.clone()
    }

    /// Returns them with the names that a file sets, which count alone: each with this agent's.
    #[must_use]
    pub fn with(self, own: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut set: HashMap<String, Vec<String>> = HashMap::new();
        for (theirs, ours) in own {
            set.entry(ours).or_default().push(theirs);
        }
        if set.is_empty() {
            return self;
        }
        let mut theirs = Arc::unwrap_or_clone(self.theirs);
        theirs.extend(set);
        Aliases {
            theirs: Arc::new(theirs),
            ..self
        }
    }

    /// Returns the other names by which the file may mean an agent's tool.
    pub fn of_tool<'a>(&'a self, ours: &'a str) -> impl Iterator<Item = &'a String> {
        let same = self
            .same
            .iter()
            .filter(move |(tool, others)| tool == ours || others.iter().any(|other| other == ours));
        let same = same.flat_map(|(tool, others)| std::iter::once(tool).chain(others));
        self.names(ours).iter().chain(same)
    }

    fn names(&self, ours: &str) -> &[String] {
        self.theirs.get(ours).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the name of a tool in the terms of a file: one that its matcher asks for, if it has one.
    pub fn theirs<'a>(&'a self, ours: &'a str, asks_for: Option<impl Fn(&str) -> bool>) -> &'a str {
        if self.is_fixed {
            return self.names(ours).first().map_or(ours, String::as_str);
        }
        let is_asked_for = asks_for.as_ref().is_some_and(|asks_for| asks_for(ours));
        if is_asked_for || asks_for.is_none() && !self.renames {
            return ours;
        }
        let mut names = self.of_tool(ours);
        let asked_for = asks_for.and_then(|asks_for| names.find(|name| asks_for(name)));
        let first = || self.names(ours).first().filter(|_| self.renames);
        let name = asked_for.or_else(first);
        name.map_or(ours, String::as_str)
    }
}

#[cfg(feature = "json")]
/// Returns the text of a command, which may be a list: the script of a shell, or all words.
#[must_use]
pub fn text_of(command: &Value) -> Option<Cow<'_, str>> {
    if let Some(text) = command.as_str() {
        return Some(text.into());
    }
    let words: Option<Vec<&str>> = command.as_array()?.iter().map(Value::as_str).collect();
    Some(match words?.as_slice() {
        [_, "-c" | "-lc" | "-cl", script] | [_, "-l", "-c", script] => (*script).into(),
        words => words.join(" ").into(),
    })
}

#[cfg(feature = "json")]
/// Returns the path in a tool's arguments.
#[must_use]
pub fn path_of(args: &Value) -> Option<&str> {
    let keys = ["file_path", "path", "notebook_path", "filename", "file"];
    keys.iter().find_map(|key| args[*key].as_str())
}

#[cfg(feature = "json")]
/// Returns two arguments of a call that mean the same, but differ: which of them the tool reads is not known.
#[must_use]
pub fn ambiguous(args: &Value) -> Option<(&'static str, &'static str)> {
    /// What arguments may mean whose names are alike: a bit for each of [`MEANINGS`].
    static ALIKE: LazyLock<[u64; 1024]> = LazyLock::new(|| {
        let mut all = [0; 1024];
        for (nth, names) in MEANINGS.iter().enumerate() {
            for name in names {
                all[likeness(name)] |= 1 << nth;
            }
        }
        all
    });
    // Every condition asks, and most calls have no two arguments that could mean the same.
    let args = args.as_object().filter(|args| args.len() > 1)?;
    let (alike, mut seen, mut again) = (&*ALIKE, 0, 0);
    for name in args.keys() {
        let meanings = alike[likeness(name)];
        again |= seen & meanings;
        seen |= meanings;
    }
    if again == 0 {
        return None;
    }
    MEANINGS.iter().find_map(|meaning| {
        let mut given = meaning.iter().filter(|name| args.contains_key(**name));
        let first = given.next()?;
        let other = given.find(|other| args[**other] != args[*first])?;
        Some((*first, *other))
    })
}

/// A number below 1024 that few names have together.
#[cfg(feature = "json")]
#[inline]
fn likeness(name: &str) -> usize {
    let bytes = name.as_bytes();
    let [first, .., last] = bytes else {
        return 0;
    };
    let middle = usize::from(bytes[bytes.len() / 2]);
    let (first, last) = (usize::from(*first), usize::from(*last));
    (bytes.len() * 131 + first * 31 + middle * 7 + last * 61) % 1024
}

/// Returns the other names of an argument.
#[must_use]
pub fn other_names(argument: &str) -> &'static [&'static str] {
    let meaning = MEANINGS.iter().find(|names| names[0] == argument);
    meaning.map_or(&[], |names| &names[1..])
}

/// Returns the names of arguments that mean the same.
#[must_use]
pub fn meanings() -> &'static [Vec<&'static str>] {
    &MEANINGS
}

/// The names of arguments that mean the same.
static MEANINGS: LazyLock<Vec<Vec<&str>>> = LazyLock::new(|| arguments().collect());
