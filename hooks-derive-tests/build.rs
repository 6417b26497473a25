//! The documentation of the macros as one page, so that its examples are tests of this crate. As tests of `hooks-macros`,
//! which is built for the compiler, they would need `hooks-core` and what it uses built a second time.

use std::path::Path;
use std::{env, fs};

fn main() {
    let macros = "../hooks-macros/src/lib.rs";
    println!("cargo::rerun-if-changed={macros}");
    let source = fs::read_to_string(macros).unwrap();
    // A line of the page is the same line of the source.
    let page: String = source
        .lines()
        .map(|line| {
            let text = line.strip_prefix("///").unwrap_or_default();
            text.strip_prefix(' ').unwrap_or(text).to_owned() + "\n"
        })
        .collect();
    let out = env::var_os("OUT_DIR").unwrap();
    fs::write(Path::new(&out).join("macros.md"), page).unwrap();
}
