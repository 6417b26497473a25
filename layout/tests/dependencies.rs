//! `docs/dependencies.md` has a line for each crate that this workspace uses.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)).unwrap()
}

#[test]
fn each_dependency_has_a_line() {
    let manifest = read("Cargo.toml");
    let (_, dependencies) = manifest.split_once("[workspace.dependencies]").unwrap();
    let dependencies = dependencies.split("\n[").next().unwrap().lines();
    let used = dependencies.filter(|line| !line.contains("path = "));
    let used: BTreeSet<_> = used
        .filter_map(|line| line.split(" = ").nth(1).and(line.split(' ').next()))
        .collect();
    let page = read("docs/dependencies.md");
    let (page, _) = page.split_once("\n## ").unwrap();
    let rows = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let (_, tests) = page.split_once("Only tests and benchmarks use").unwrap();
    let listed: BTreeSet<_> = rows.chain(tests.split('`').skip(1).step_by(2)).collect();
    assert_eq!(listed, used);
}
