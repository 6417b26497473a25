//! One name, one meaning: which types of the workspace share their name.
//!
//! A search for a type should find one type. So a type is named by what it is and what it is for (`ReplayQuestion`,
//! `HandlerFault`), in the words of `docs/glossary.md`. A participle (`Asked`, `Told`) fits many types, and says nothing about
//! any of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The names that several types have. The list gets shorter, not longer: the public ones wait for a version that may rename
/// them.
const SHARED: &[&str] = &[
    "Access",
    "Approval",
    "Call",
    "Capabilities",
    "Change",
    "Changes",
    "Decided",
    "Evaluated",
    "EventInfo",
    "Execution",
    "Explanation",
    "Group",
    "Hook",
    "Judged",
    "Kind",
    "Known",
    "Mistake",
    "Mode",
    "OnEntry",
    "Part",
    "Pattern",
    "Program",
    "Refused",
    "Result",
    "ResultOf",
    "Revision",
    "Role",
    "Told",
    "Unknown",
    "Verdict",
    "When",
];

#[test]
fn a_type_has_its_name_for_itself() {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut places = BTreeMap::<String, Vec<String>>::new();
    for package in fs::read_dir(workspace).unwrap() {
        let package = package.unwrap();
        if !package.file_name().to_string_lossy().starts_with("hooks-") {
            continue; // Benchmarks and examples play agents and frameworks, and use their words.
        }
        visit(&package.path().join("src"), &mut |path, text| {
            for name in text.lines().filter_map(declared) {
                let place = path.strip_prefix(workspace).unwrap();
                let places = places.entry(name.to_owned()).or_default();
                places.push(place.display().to_string());
            }
        });
    }
    assert!(places.len() > 500, "only {} types", places.len());

    places.retain(|_, places| places.len() > 1);
    let shared: BTreeSet<&str> = SHARED.iter().copied().collect();
    let new = places
        .iter()
        .filter(|(name, _)| !shared.contains(name.as_str()));
    let new = new.map(|(name, places)| {
        format!("`{name}` names several types: name one by what it is for. They are in {places:?}")
    });
    let gone = shared.iter().filter(|name| !places.contains_key(**name));
    let gone = gone.map(|name| format!("`{name}` names one type now: take it off the list"));
    let wrong: Vec<_> = new.chain(gone).collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// Hands on each source file below a folder. A package may have none.
fn visit(folder: &Path, file: &mut impl FnMut(&Path, &str)) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            visit(&path, file);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            file(&path, &fs::read_to_string(&path).unwrap());
        }
    }
}

/// The type that a line declares for more than its own module. A line that is indented is in a function, a macro or a test.
fn declared(line: &str) -> Option<&str> {
    let mut rest = line.strip_prefix("pub")?;
    if let Some(scoped) = rest.strip_prefix('(') {
        rest = scoped.split_once(')')?.1;
    }
    let (kind, rest) = rest.strip_prefix(' ')?.split_once(' ')?;
    let is_type = matches!(kind, "struct" | "enum" | "trait" | "union" | "type");
    let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_')?;
    is_type.then_some(&rest[..end])
}

#[test]
fn declarations_are_found() {
    assert_eq!(declared("pub struct Call<'a> {"), Some("Call"));
    assert_eq!(declared("pub(crate) type Answer = u8;"), Some("Answer"));
    assert_eq!(
        declared("pub(in crate::hook) trait Asks: Send {"),
        Some("Asks")
    );
    assert_eq!(declared("    pub struct Inner {"), None);
    assert_eq!(declared("pub fn call() {"), None);
    assert_eq!(declared("struct Call {"), None);
}
