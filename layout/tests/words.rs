//! The words of messages, documentation and pages: habits that make a reader read a sentence twice.
//!
//! Each is said otherwise by meaning: "`x` is not a role", not "`x` is no role"; a message names its subject, because it
//! is printed alone; and who acts has a name, such as "you", "a person" or "another user".

use std::fs;
use std::path::Path;

/// A word alone.
const WORDS: [&str; 4] = ["nobody", "somebody", "whoever", "stands"];

/// What may follow "is no": these say how much, and not what something is.
const COMPARED: [&str; 4] = ["longer", "larger", "more", "less"];

#[test]
fn no_message_and_no_page_has_a_habit() {
    let mut found = Vec::new();
    visit(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join(".."),
        &mut found,
    );
    assert!(found.is_empty(), "say it otherwise:\n{}", found.join("\n"));
}

#[test]
fn a_habit_is_found_in_a_string_a_comment_and_a_page() {
    for wrong in [
        "Err(\"`x` is no role\")",
        "/// The names are\n/// no names of tools.",
        "Whoever asks needs a token.",
        "What the model is told of a call.",
        "A guard stands before the call.",
        "failed(\"it belongs to another user\")",
    ] {
        assert_eq!(habits(wrong).len(), 1, "{wrong}");
    }
    for right in [
        "there is no file, and the hook is no longer asked",
        "the default is no: `nobody` stands for it",
        "use order::{Listed, Stands};\nlet is_told = \"It is Monday.\";",
    ] {
        assert_eq!(habits(right), [], "{right}");
    }
}

/// Looks at the sources and the pages in a folder. What tests say is theirs, and what was released is written.
fn visit(folder: &Path, found: &mut Vec<String>) {
    const OTHERS: [&str; 5] = ["target", "tests", "node_modules", "shared", "CHANGELOG.md"];
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("the folder can be read").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let kind = path.extension().unwrap_or_default();
        if name.starts_with('.') || OTHERS.contains(&&*name) {
            continue;
        }
        if path.is_dir() {
            visit(&path, found);
        } else if ["rs", "md", "html"].iter().any(|known| kind == *known) {
            let text = fs::read_to_string(&path).expect("the file is text");
            let habits = habits(&text).into_iter();
            found.extend(habits.map(|(line, words)| format!("{}:{line}: {words}", path.display())));
        }
    }
}

/// The habits in a text, each with its line.
fn habits(text: &str) -> Vec<(usize, String)> {
    let marks = ["//", "///", "//!", ">"];
    let words: Vec<(usize, &str)> = text
        .lines()
        .zip(1..)
        .flat_map(|(line, at)| line.split([' ', '(', '"']).map(move |word| (at, word)))
        .filter(|(_, word)| !word.is_empty() && !marks.contains(word))
        .collect();
    let word = |at: usize| words.get(at).map_or("", |(_, word)| word);
    let mut found = Vec::new();
    for (at, (line, raw)) in words.iter().enumerate() {
        let plain = raw.trim_matches(|letter: char| !letter.is_alphanumeric() && letter != '`');
        let next = word(at + 1).trim_end_matches(|letter: char| !letter.is_alphanumeric());
        let is_name = plain == "stands" && next == "for" || plain == "Stands";
        let is = matches!(*raw, "is" | "are" | "was" | "be");
        let compares = at > 0 && word(at - 1).to_lowercase().ends_with("there")
            || COMPARED.contains(&word(at + 2).trim_end_matches([',', '.']));
        if WORDS.contains(&&*plain.to_lowercase()) && !is_name {
            found.push((*line, plain.to_owned()));
        } else if is && word(at + 1) == "no" && !compares
            || matches!(*raw, "is" | "are") && next == "told"
        {
            found.push((*line, format!("{raw} {next}")));
        }
    }
    let begins = text
        .lines()
        .zip(1..)
        .filter(|(line, _)| line.contains("\"it "));
    found.extend(begins.map(|(_, at)| (at, "\"it …".to_owned())));
    found
}
