//! The judge of shell scripts.

use std::collections::BTreeSet;

use hooks_shell::{Access, Effects, Environment, MOST_STEPS, Script};

use crate::Features;

/// The analysis of a script ends within its steps, and a script that is rewritten does what the original was judged by.
///
/// # Panics
///
/// If that does not hold.
pub fn shell(data: &[u8]) -> Features {
    let mut features = Features::default();
    let text = String::from_utf8_lossy(data);
    let script = match Script::parse(&text) {
        Ok(script) => script,
        Err(rejected) => {
            features.add_message("rejected", rejected.reason());
            is_of(&text, &rejected.span());
            return features;
        }
    };
    let environment = any_shell();
    for environment in [environment.clone(), environment.in_bash()] {
        let _ = judged(&script, &text, &environment.clone().as_written());
        let effects = judged(&script, &text, &environment);
        note(&effects, &mut features);
        if let Some(rewritten) = effects.rewritten() {
            rewrites(&effects, rewritten, &environment);
        }
    }
    features
}

fn any_shell() -> Environment {
    Environment::new("/work").with_home("/home/ada")
}

/// The effects of a script, which are within bounds.
fn judged(script: &Script, text: &str, environment: &Environment) -> Effects {
    let effects = script.evaluate(environment);
    // The step that is one too many is counted as well, and may be a large one.
    assert!(
        effects.steps() <= 2 * MOST_STEPS,
        "{} steps",
        effects.steps()
    );
    for span in effects
        .programs()
        .map(|program| &program.span)
        .chain(effects.paths().map(|path| &path.span))
        .chain(effects.unknown().map(|unknown| &unknown.span))
        .chain(effects.disputed().map(|disputed| &disputed.span))
    {
        is_of(text, span);
    }
    assert!(
        effects.rewritten().is_none() || effects.unknown().count() == 0,
        "what is rewritten is known"
    );
    assert!(!effects.to_string().is_empty());
    effects
}

/// What not every shell has: one that does not know it fails there, and so it may be in what is rewritten.
const NOT_IN_EVERY_SHELL: [&str; 2] = ["`[[`", "`<(…)`"];

/// What is rewritten is a script itself, which is judged as the original was, and which all shells read alike.
fn rewrites(effects: &Effects, rewritten: &str, environment: &Environment) {
    let script = Script::parse(rewritten)
        .unwrap_or_else(|error| panic!("the rewritten text is a script: {error}\n{rewritten}"));
    let again = judged(&script, rewritten, environment);
    assert_eq!(
        again.rewritten(),
        Some(rewritten),
        "rewritten once more; {again}"
    );
    let any = script.evaluate(&any_shell());
    let mut disputed: Vec<_> = any.disputed().map(|unknown| &unknown.reason).collect();
    disputed.retain(|reason| !NOT_IN_EVERY_SHELL.iter().any(|not| reason.contains(not)));
    assert!(disputed.is_empty(), "{disputed:?}\n{rewritten}");
    assert_eq!(paths(&again), paths(effects), "the paths of\n{rewritten}");
    let network = |effects: &Effects| -> BTreeSet<Option<String>> {
        effects
            .network()
            .map(|network| network.address.as_deref().map(str::to_owned))
            .collect()
    };
    assert_eq!(
        network(&again),
        network(effects),
        "the network of\n{rewritten}"
    );
    let (before, after) = (programs(effects), programs(&again));
    let missing: Vec<_> = before.difference(&after).collect();
    assert!(
        missing.is_empty(),
        "{missing:?} are not among the programs of\n{rewritten}"
    );
}

/// The paths that are touched, and how.
fn paths(effects: &Effects) -> BTreeSet<String> {
    effects
        .paths()
        .filter(|path| path.access != Access::Enter)
        .map(|path| {
            format!(
                "{:?} {} from {:?}",
                path.access, path.path, path.directories
            )
        })
        .collect()
}

/// The names of the programs that run.
fn programs(effects: &Effects) -> BTreeSet<&str> {
    let programs = effects
        .programs()
        .filter(|program| !program.is_builtin && !program.is_wrapper);
    programs.map(|program| program.name.as_str()).collect()
}

/// A place is one of the text.
fn is_of(text: &str, span: &std::ops::Range<usize>) {
    assert!(
        text.get(span.clone()).is_some(),
        "{span:?} of a text of {} bytes",
        text.len()
    );
}

fn note(effects: &Effects, features: &mut Features) {
    for unknown in effects.unknown() {
        features.add_message("unknown", &unknown.reason);
    }
    for disputed in effects.disputed() {
        features.add_message("disputed", &disputed.reason);
    }
    for program in effects.programs() {
        features.add(
            "program",
            (
                program.line().is_some(),
                program.is_builtin,
                program.is_wrapper,
            ),
        );
        features.add_count("arguments", program.arguments.len());
    }
    for path in effects.paths() {
        features.add(
            "path",
            (
                path.access,
                path.path.known().is_some(),
                path.directories.len().min(3),
            ),
        );
    }
    features.add_count("programs", effects.programs().count());
    features.add_count("steps", effects.steps());
    let rewritten = effects.rewritten();
    features.add("is rewritten", rewritten.is_some());
    let bytes = rewritten.unwrap_or_default().as_bytes();
    for marks in bytes
        .array_windows::<2>()
        .filter(|marks| marks.iter().all(u8::is_ascii_punctuation))
    {
        features.add("marks", marks);
    }
}
