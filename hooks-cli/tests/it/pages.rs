//! The pages of the book show what the program prints: each block `console` that begins with `$ hooks` is run.
//!
//! It runs in a folder with the files of hooks that its page shows, and with the records of the tutorial.

use std::fs;
use std::path::Path;

use crate::common::hooks;

const DOCS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs");

/// The blocks of a page in one language.
fn blocks<'a>(page: &'a str, language: &'a str) -> impl Iterator<Item = &'a str> {
    let after = move |block: &'a str| block.strip_prefix(language)?.strip_prefix('\n');
    page.split("```").skip(1).step_by(2).filter_map(after)
}

/// The name and the text of a file that a block shows: its first line is the name.
fn file(block: &str) -> Option<(&str, &str)> {
    Some((block.lines().next()?.strip_prefix("# ")?, block))
}

/// A line without what differs from run to run: durations, and the width of columns.
fn words(line: &str) -> String {
    let mut words = Vec::new();
    for word in line.split_whitespace() {
        if ["s", "ms", "µs"].contains(&word) {
            words.pop();
        } else {
            words.push(word);
        }
    }
    words.join(" ")
}

/// Runs the blocks of a page, and returns how many commands they have.
fn run(page: &Path) -> usize {
    let text = fs::read_to_string(page).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let records = Path::new(DOCS).join("../examples/tutorial/records.jsonl");
    fs::copy(records, folder.path().join("records.jsonl")).unwrap();
    for (name, text) in blocks(&text, "toml").filter_map(file) {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let mut count = 0;
    for block in blocks(&text, "console") {
        for command in block.split("$ ").filter(|part| part.starts_with("hooks ")) {
            let (command, shown) = command.split_once('\n').unwrap();
            let args = shlex::split(command).unwrap();
            let args: Vec<_> = args.iter().skip(1).map(String::as_str).collect();
            let said = hooks(folder.path(), &args, "");
            let printed: Vec<_> = said.out.lines().map(words).collect();
            for line in shown.lines() {
                let is_printed = printed.contains(&words(line));
                assert!(
                    is_printed,
                    "{}: {command}\n{line}\n---\n{}{}",
                    page.display(),
                    said.out,
                    said.errors
                );
            }
            count += 1;
        }
    }
    count
}

#[test]
fn the_pages_show_what_the_program_prints() {
    let docs = Path::new(DOCS);
    let how_to = fs::read_dir(docs.join("how-to")).unwrap();
    let mut pages: Vec<_> = how_to.map(|entry| entry.unwrap().path()).collect();
    pages.extend(["introduction.md", "tutorial.md", "rules.md"].map(|page| docs.join(page)));
    let commands: usize = pages.iter().map(|page| run(page)).sum();
    assert!(
        commands > 9,
        "the pages have lost their commands: {commands}"
    );
}
