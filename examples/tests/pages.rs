//! The pages of the book show files of the repository: each block below a comment such as
//! `<!-- from examples/tutorial/first.rs:program -->` is equal to that file, or to the part of it that the comment names.
//!
//! `UPDATE_EXPECT=1 cargo test -p examples --test pages` writes the blocks anew.

use std::fs;
use std::path::{Path, PathBuf};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// All pages in a folder and those in it.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let mut pages = Vec::new();
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            pages.extend(self::pages(&path));
        } else if path.extension().is_some_and(|extension| extension == "md") {
            pages.push(path);
        }
    }
    pages
}

/// What a comment names: `FILE`, `FILE:FIRST:LAST` in lines, of which one may be left out, or `FILE:ANCHOR`, the lines
/// between `// ANCHOR: …` and `// ANCHOR_END: …`.
fn part(named: &str) -> String {
    let mut of = named.split(':');
    let path = Path::new(ROOT).join(of.next().unwrap());
    let text = fs::read_to_string(&path).unwrap_or_else(|_| panic!("no {}", path.display()));
    let lines = text.lines();
    let anchor = |line: &&str| line.trim_start().starts_with("// ANCHOR");
    let lines: Vec<_> = match (of.next(), of.next()) {
        (None, _) => lines.collect(),
        (Some(first), Some(last)) => {
            let first = first.parse().unwrap_or(1_usize);
            lines
                .take(last.parse().unwrap_or(usize::MAX))
                .skip(first - 1)
                .collect()
        }
        (Some(name), None) => {
            let (begin, end) = (
                format!("// ANCHOR: {name}"),
                format!("// ANCHOR_END: {name}"),
            );
            let after = lines.skip_while(|line| line.trim() != begin);
            after.take_while(|line| line.trim() != end).collect()
        }
    };
    let lines: Vec<_> = lines.into_iter().filter(|line| !anchor(line)).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}

/// The page with the blocks as they should be, and how many there are.
fn written(page: &str) -> (String, usize) {
    let mut parts = page.split("<!-- from ");
    let mut text = parts.next().unwrap().to_owned();
    let mut count = 0;
    for part in parts {
        let (named, rest) = part.split_once(" -->\n```").expect("a block follows");
        let (block, rest) = rest.split_once("\n```\n").expect("the block ends");
        // The language, and the command that prints the file.
        let kept = |line: &&str| line.starts_with("$ ");
        let (language, block) = block.split_once('\n').unwrap_or((block, ""));
        let head: String = block
            .lines()
            .take_while(kept)
            .flat_map(|line| [line, "\n"])
            .collect();
        let shown = self::part(named);
        let whole = format!("<!-- from {named} -->\n```{language}\n{head}{shown}\n```\n{rest}");
        text.push_str(&whole);
        count += 1;
    }
    (text, count)
}

#[test]
fn the_pages_show_the_files_that_they_name() {
    let mut count = 0;
    for path in pages(&Path::new(ROOT).join("docs")) {
        let page = fs::read_to_string(&path).unwrap();
        assert!(
            !page.contains("{{#include"),
            "{}: a forge does not show it",
            path.display()
        );
        let (expected, blocks) = written(&page);
        count += blocks;
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            fs::write(&path, expected).unwrap();
        } else {
            let run = "run `UPDATE_EXPECT=1 cargo test -p examples --test pages`";
            assert!(
                page == expected,
                "{} does not show its files: {run}",
                path.display()
            );
        }
    }
    assert!(count > 12, "the pages have lost their files: {count}");
}
