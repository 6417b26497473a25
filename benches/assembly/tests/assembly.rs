//! What no hook wants costs no instruction: the assembly of functions with hooks, beside those without.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

use hooks_core::agent::AgentEvent;

/// The functions of the crate in assembly, by their symbols, as users have them: optimised, one unit.
struct Assembly {
    functions: HashMap<String, Vec<String>>,
}

impl Assembly {
    fn of_this_crate() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("assembly.s");
        let built = Command::new(env!("CARGO"))
            .args(["rustc", "--quiet", "--release", "--lib", "--manifest-path"])
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"))
            .args(["--", "-C", "codegen-units=1", "--emit"])
            .arg(format!("asm={}", file.display()))
            .status()
            .unwrap();
        assert!(built.success());
        Assembly::read(&std::fs::read_to_string(file).unwrap())
    }

    fn read(text: &str) -> Self {
        let mut functions = HashMap::<String, Vec<String>>::new();
        let mut aliases = Vec::new();
        let mut current = None;
        for line in text.lines() {
            if let Some((alias, function)) = line.split_once(" = ") {
                // Functions of the same instructions are one.
                aliases.push((alias.to_owned(), function.to_owned()));
            } else if let Some(symbol) = line.strip_suffix(':') {
                if symbol.starts_with(".Lfunc_end") {
                    current = None;
                } else if !symbol.starts_with('.') {
                    current = Some(functions.entry(symbol.to_owned()).or_default());
                }
            } else if let Some(instructions) = &mut current
                && let Some(instruction) = line.strip_prefix('\t')
                && !instruction.starts_with(['.', '#'])
            {
                instructions.push(unnumbered(instruction));
            }
        }
        for (alias, function) in aliases {
            let instructions = functions.get(&function).cloned().unwrap_or_default();
            functions.insert(alias, instructions);
        }
        Assembly { functions }
    }

    /// The instructions of a function of a module.
    fn function(&self, module: &str, function: &str) -> &[String] {
        let path = format!("{}{module}{}{function}", module.len(), function.len());
        let mut found = self.functions.iter();
        let (_, instructions) = found
            .find(|(symbol, _)| symbol.contains(&path))
            .unwrap_or_else(|| panic!("no function `{module}::{function}`"));
        assert!(!instructions.is_empty(), "`{module}::{function}`");
        instructions
    }
}

/// An instruction without the number of its function in the labels: `jne .LBB12_3`.
fn unnumbered(instruction: &str) -> String {
    match instruction.split_once(".LBB") {
        Some((before, label)) => {
            let label = label.trim_start_matches(|c: char| c.is_ascii_digit());
            format!("{before}.LBB{label}")
        }
        None => instruction.to_owned(),
    }
}

#[test]
fn what_no_hook_wants_costs_no_instruction() {
    let assembly = Assembly::of_this_crate();
    let modules: Vec<&str> = AgentEvent::INFO.iter().map(|event| event.name).collect();
    assert_eq!(modules.len(), 35);
    for module in modules {
        let without = assembly.function(module, "without");
        for with in ["now", "awaited"] {
            let with_hooks = assembly.function(module, with);
            assert_eq!(
                with_hooks, without,
                "`{module}::{with}` is not `{module}::without`"
            );
        }
    }
    // Guards that no changer follows are no more than their code by hand, in whichever order the compiler lays it out.
    for with in ["now", "awaited"] {
        let (guards, by_hand) = (
            assembly.function("guards", with),
            assembly.function("guards", "without"),
        );
        assert!(
            guards.len() <= by_hand.len(),
            "`guards::{with}`: {guards:#?}\nby hand: {by_hand:#?}"
        );
    }
    // The control: what is compared tells hooks from none.
    let (with, without) = (("guards", "now"), ("BeforeToolCall", "without"));
    assert_ne!(
        assembly.function(with.0, with.1),
        assembly.function(without.0, without.1)
    );
}
