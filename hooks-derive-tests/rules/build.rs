//! Writes random rules, which the test compiles and loads. `HOOKS_RULES_SEED=7 cargo test -p hooks-rules-tests` takes
//! others.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use hooks_rules::check::{Given, Written, check};
use hooks_rules::events::{CONTEXT, EventInfo};
use hooks_rules::template::Data;
use hooks_rules::tools::Aliases;

#[allow(dead_code)]
mod random {
    include!("random.rs");
}

use random::{Random, rule};

/// How many rules there are.
const RULES: usize = 2_000;

fn main() {
    for file in ["build.rs", "random.rs"] {
        println!("cargo::rerun-if-changed={file}");
    }
    println!("cargo::rerun-if-env-changed=HOOKS_RULES_SEED");
    let seed = env::var("HOOKS_RULES_SEED").ok();
    let seed: u64 = seed.map_or(34, |seed| seed.parse().expect("a number"));
    let mut random = Random(seed);
    let (mut text, mut groups, mut count) = (String::new(), 0, 0);
    while count < RULES {
        for nth in 0..=random.below(4) {
            let mut written = rule(&mut random, &format!("g{groups}-{nth}"), groups);
            while !is_right(&written) {
                written = rule(&mut random, &format!("g{groups}-{nth}"), groups);
            }
            let _ = writeln!(text, "{written}");
            count += 1;
        }
        groups += 1;
    }
    let out = env::var_os("OUT_DIR").unwrap();
    let path = Path::new(&out).join("random.toml");
    fs::write(&path, text).unwrap();
    let path = format!("{:?}", path.to_str().unwrap());
    let code = format!(
        "const GROUPS: usize = {groups};\nconst TEXT: &str = include_str!({path});\n\
         fn compiled() -> impl hooks_core::agent::AgentHooks {{ hooks_core::hooks![late, include!({path})] }}\n"
    );
    fs::write(Path::new(&out).join("random.rs"), code).unwrap();
}

/// Whether a rule has no mistake: not all that the grammar allows fits together.
fn is_right(rule: &str) -> bool {
    let value = |key: &str| {
        let lines = rule.lines().filter_map(|line| line.split_once(" = "));
        let mut values = lines
            .filter(|(known, _)| *known == key)
            .map(|(_, value)| value);
        let value = values.next()?;
        let within = |quotes: &str| value.strip_prefix(quotes)?.strip_suffix(quotes);
        Some(within("'''").or_else(|| within("\"")).unwrap_or(value))
    };
    let handlers = hooks_rules::check::HANDLERS.into_iter();
    let handlers = handlers.filter_map(|key| Some((key, data(value(key)?)?)));
    let events = [EventInfo::named(value("event").unwrap()).unwrap()];
    let entry = Written {
        condition: value("if"),
        handlers: handlers.map(|(key, data)| (key, Some(data))).collect(),
        ..Written::default()
    };
    let given = Given {
        events: &events,
        context: &CONTEXT,
        claudes: &Aliases::default(),
    };
    let checked = check(&entry, &given);
    let mut cels = checked.condition.iter();
    checked.wrong.is_empty()
        && checked.action.is_some()
        && cels.all(|cel| cel.never_equal().is_empty())
}

/// A text, or a table of texts on one line; all of them under its first key, because only the texts are checked.
fn data(value: &str) -> Option<Data> {
    if !value.starts_with("{ ") {
        return Some(Data::Text(value.to_owned()));
    }
    let key = value.trim_matches(['{', '}', ' ']).split(" = ").next()?;
    let texts = value.split("'''").skip(1).step_by(2);
    let fields = texts.map(|text| (key.to_owned(), Data::Text(text.to_owned())));
    Some(Data::Table(fields.collect()))
}
