//! A mistake in a file is told by the compiler as it is told when the file is loaded.

use std::fs;
use std::path::Path;

use hooks_runtime::Runtime;

/// The messages of mistakes: each with its place, and what to write instead.
fn messages(told: &str) -> Vec<String> {
    let lines = told.lines().map(|line| line.trim_start_matches("error: "));
    let lines = lines.map(str::trim_start);
    let is_message = |line: &&str| line.contains(".toml:") || line.starts_with("= help:");
    let lines = lines.filter(is_message).map(str::to_owned);
    lines.collect()
}

#[tokio::test]
async fn a_mistake_has_the_words_that_it_has_when_the_file_is_loaded() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/rules/fail");
    for name in ["mistakes", "unreadable"] {
        let file = folder.join(name).with_extension("toml");
        let loaded = Runtime::load(&file).await.unwrap_err().to_string();
        let shown = format!("{}", file.display());
        let loaded = messages(&loaded.replace(&shown, &format!("{name}.toml")));
        let compiled = fs::read_to_string(file.with_extension("stderr")).unwrap();
        let mut compiled = messages(&compiled);
        // This one is a notice there.
        compiled.retain(|line| !line.contains("never equal"));
        assert_eq!(compiled, loaded, "{name}");
    }
}
