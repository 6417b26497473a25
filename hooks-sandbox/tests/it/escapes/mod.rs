//! Programs that try to get out. Each is harmless if it succeeds: it touches only what the test has made.
//!
//! An escape is judged by what it has done: something that must stay as it was has changed, a secret is in its output,
//! somebody has got in touch with a listener, or it says `OUT` itself. Each one is run without a sandbox, too, where it
//! must succeed: so it is one that works.

mod calls;
mod files;
mod network;
mod processes;
mod protected;

use std::process::Output;

use libtest_mimic::Trial;

use crate::agent::{Mode, executable, is_root};
use crate::place::{Place, SECRET};
use crate::{Tested, check, test};

/// How an escape has gone: only a person looks at it.
type Done = Result<(), Box<dyn std::error::Error>>;

/// A way out.
pub(crate) struct Escape {
    name: &'static str,
    how: How,
    /// What the sandbox is told in addition.
    options: &'static str,
    /// Where it works without a sandbox, and where it is tried in one.
    needs: Needs,
}

#[derive(Clone, Copy)]
enum How {
    /// A script, with the place as `$1`, two TCP ports, a UDP port, and the number of a process.
    Shell(&'static str),
    /// The same in Rust.
    Rust(fn(&[String]) -> Done),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Needs {
    /// Works for everybody.
    Nothing,
    /// Works only for root.
    Root,
    /// Works nowhere: the kernel, or this machine, already stops it. A sandbox must not lift that.
    Luck,
    /// Nothing without namespaces can stop it, and nothing is harmed: a name can be looked at.
    Namespaces,
}

const fn shell(name: &'static str, script: &'static str) -> Escape {
    Escape {
        name,
        how: How::Shell(script),
        options: "",
        needs: Needs::Nothing,
    }
}

const fn rust(name: &'static str, run: fn(&[String]) -> Done) -> Escape {
    Escape {
        name,
        how: How::Rust(run),
        options: "",
        needs: Needs::Nothing,
    }
}

impl Escape {
    const fn needs(mut self, needs: Needs) -> Self {
        self.needs = needs;
        self
    }

    const fn with(mut self, options: &'static str) -> Self {
        self.options = options;
        self
    }

    /// The program, as the words that start it.
    fn words(&self, place: &Place) -> Vec<String> {
        let start = match self.how {
            How::Shell(script) => ["timeout", "-k", "1", "20", "bash", "-c", script, "bash"]
                .map(String::from)
                .to_vec(),
            How::Rust(_) => vec![
                executable().display().to_string(),
                "--escape".into(),
                self.name.into(),
            ],
        };
        start.into_iter().chain(place.words()).collect()
    }

    fn try_in(&self, mode: Mode) -> Tested {
        let place = Place::new(mode);
        let before = place.state();
        let words = self.words(&place);
        let words: Vec<_> = words.iter().map(String::as_str).collect();
        let options = self
            .options
            .replace("PLACE", place.path().to_str().expect("UTF-8"));
        let output = mode.run(place.path(), &options, &words);
        let text = said(&output);
        check(
            !text.contains("hooks-sandbox:") && !text.contains("agent:"),
            format!("{mode:?}: it did not start: {text}"),
        )?;
        let harm = harm(&place, &before, &text);
        check(harm.is_empty(), format!("{mode:?}: {harm}\n{text}"))
    }

    /// Whether it gets out when nothing holds it.
    fn try_alone(&self) -> Tested {
        let mode = Mode {
            is_root: is_root(),
            has_namespaces: true,
        };
        let place = Place::new(mode);
        let before = place.state();
        let words = self.words(&place);
        let output = mode
            .command(&words[0])
            .args(&words[1..])
            .current_dir(place.path().join("work"))
            .env("HOME", place.path().join("home"))
            .env("SECRET_TOKEN", SECRET)
            .stdin(std::fs::File::open(place.path().join("outside/file"))?)
            .output()?;
        let text = said(&output);
        let harm = harm(&place, &before, &text);
        check(
            !harm.is_empty(),
            format!("it does no harm without a sandbox, so it shows nothing: {text}"),
        )
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// What has happened that must not.
fn harm(place: &Place, before: &str, text: &str) -> String {
    let mut harm = Vec::new();
    let after = place.state();
    for (one, other) in [(before, &*after), (&*after, before)] {
        harm.extend(
            one.lines()
                .filter(|line| !other.lines().any(|own| own == *line))
                .map(String::from),
        );
    }
    harm.extend(
        place
            .visitors()
            .into_iter()
            .map(|how| format!("got in touch over {how}")),
    );
    harm.extend(text.contains(SECRET).then(|| "knows the secret".to_owned()));
    harm.extend(
        text.contains("OUT")
            .then(|| "says that it is out".to_owned()),
    );
    harm.extend((!place.left_behind().is_empty()).then(|| "left a process behind".to_owned()));
    harm.join("\n")
}

fn all() -> impl Iterator<Item = &'static Escape> {
    [files::ALL, protected::ALL, processes::ALL, network::ALL]
        .into_iter()
        .flatten()
}

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = calls::trials();
    for escape in all() {
        trials.push(test(format!("escapes::{}", escape.name), || {
            for mode in Mode::all() {
                if escape.needs != Needs::Namespaces || mode.has_namespaces {
                    escape.try_in(mode)?;
                }
            }
            Ok(())
        }));
        let works = match escape.needs {
            Needs::Nothing | Needs::Namespaces => true,
            Needs::Root => is_root(),
            Needs::Luck => false,
        };
        if works {
            trials.push(test(format!("escapes_alone::{}", escape.name), || {
                escape.try_alone()
            }));
        }
    }
    trials
}

/// Is an escape, if this process was started as one: `--escape NAME PLACE …`.
pub(crate) fn enter_if_asked() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [flag, name, words @ ..] = &*words else {
        return;
    };
    if flag != "--escape" {
        return;
    }
    let escape = all()
        .find(|escape| escape.name == name)
        .expect("it is in a list");
    let How::Rust(run) = escape.how else {
        panic!("{name} is a script")
    };
    if let Err(error) = run(words) {
        eprintln!("{name}: {error}");
    }
    std::process::exit(0);
}
