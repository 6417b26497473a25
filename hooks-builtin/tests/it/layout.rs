//! The arrows between the modules: hooks use what is in `shared` and no other hook, and only the configuration knows
//! them all. Rust does not check this within a crate. This test does, by reading the source.

use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn hooks_use_what_is_shared_and_only_the_configuration_uses_hooks() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut wrong, mut used) = (Vec::new(), 0);
    for path in sources(&root) {
        let within = path.strip_prefix(&root).expect("the file is within `src`");
        let first = within.iter().next().and_then(|name| name.to_str());
        let module = first.expect("a name is text").trim_end_matches(".rs");
        if matches!(module, "lib" | "config") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a source file is text");
        for name in names_after_crate(&text) {
            used += 1;
            if name != "shared" && name != module {
                wrong.push(format!("{}: `crate::{name}`", within.display()));
            }
        }
    }
    assert!(used > 20, "the test sees {used} paths only");
    assert!(
        wrong.is_empty(),
        "an arrow points the wrong way:\n{}",
        wrong.join("\n")
    );
}

/// The names that follow `crate::` in code. A list in braces has none, and so is wrong wherever it stands.
fn names_after_crate(text: &str) -> Vec<String> {
    let lines = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default());
    let code: String = lines.collect::<Vec<_>>().join("\n").replace("$crate::", "");
    let after = code.split("crate::").skip(1);
    after
        .map(|rest| {
            rest.chars()
                .take_while(|letter| letter.is_alphanumeric() || *letter == '_')
                .collect()
        })
        .collect()
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the source can be read");
    let paths = entries.map(|entry| entry.expect("the source can be read").path());
    paths
        .flat_map(|path| {
            if path.is_dir() {
                sources(&path)
            } else {
                vec![path]
            }
        })
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect()
}
