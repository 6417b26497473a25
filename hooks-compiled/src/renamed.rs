//! A call's arguments under the names that go with another name of the tool.

use hooks_rules::tools::meanings;
use serde_json::{Map, Value};

/// The arguments of a call, with the names that go with another name of the tool.
#[derive(Clone, Debug)]
pub struct Renamed {
    /// The arguments, as the variable of conditions and templates.
    variable: [(&'static str, Value); 1],
    /// The file's name of each argument, and the agent's.
    names: Vec<(String, String)>,
}

impl Renamed {
    /// Returns the arguments with these names, if they have others that mean the same.
    #[must_use]
    pub fn of(expected: &[&str], args: &Value) -> Option<Self> {
        let args = args.as_object()?;
        let mut names = Vec::new();
        for meaning in meanings() {
            let mut wanted = meaning.iter().filter(|name| expected.contains(name));
            let Some(theirs) = wanted.clone().next() else {
                continue;
            };
            let mut given = meaning.iter().filter(|name| args.contains_key(**name));
            if let (Some(ours), None) = (given.next(), given.next())
                && !wanted.any(|name| name == ours)
            {
                names.push(((*theirs).to_owned(), (*ours).to_owned()));
            }
        }
        if names.is_empty() {
            return None;
        }
        let renamed = args.iter().map(|(name, value)| {
            let theirs = names.iter().find(|(_, ours)| ours == name);
            let name = theirs.map_or(name, |(theirs, _)| theirs);
            (name.clone(), value.clone())
        });
        Some(Renamed {
            variable: [("args", Value::Object(renamed.collect()))],
            names,
        })
    }

    /// Returns them.
    #[must_use]
    pub fn args(&self) -> &Value {
        let [(_, args)] = &self.variable;
        args
    }

    #[must_use]
    /// Returns them as a variable of conditions and templates.
    pub fn variables(of: Option<&Self>) -> &[(&'static str, Value)] {
        of.map(|renamed| &renamed.variable[..]).unwrap_or_default()
    }

    #[must_use]
    /// Gives arguments that a hook has set the agent's names again.
    pub fn back(&self, args: Map<String, Value>) -> Map<String, Value> {
        let ours = args.into_iter().map(|(name, value)| {
            let ours = self.names.iter().find(|(theirs, _)| *theirs == name);
            (ours.map_or(name, |(_, ours)| ours.clone()), value)
        });
        ours.collect()
    }
}
