//! What a start in the sandbox costs: `cargo test --release -p hooks-sandbox --test it -- --ignored --exact by_hand::start`.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use libtest_mimic::Trial;

use crate::agent::{Mode, executable};
use crate::place::Place;
use crate::{Tested, check, test};

pub(crate) fn trials() -> Vec<Trial> {
    vec![test("by_hand::start", start).with_ignored_flag(true)]
}

const PAIRS: usize = 300;

/// Compares the start of `/bin/true` with its start in the sandbox, in pairs, and prints the medians of the differences.
fn start() -> Tested {
    for mode in Mode::all() {
        for options in ["", "domain=example.com"] {
            let place = Place::new(mode);
            let output = mode.run(place.path(), &format!("{options} words"), &["/bin/true"]);
            let words = fs::read_to_string(place.path().join("work/words"))
                .map_err(|_| format!("{output:?}"))?;
            let words: Vec<&str> = words.split('\0').collect();
            let mut more = Vec::new();
            for _ in 0..PAIRS {
                let mut bare = mode.command("/bin/true");
                let mut confined = mode.command(executable());
                confined
                    .args(&words[1..])
                    .env("HOME", place.path().join("home"));
                let bare = time(bare.current_dir(place.path().join("work")))?;
                more.push(
                    time(confined.current_dir(place.path().join("work")))?.saturating_sub(bare),
                );
            }
            more.sort();
            println!("{mode:?} {options:20} {:?} more", more[PAIRS / 2]);
        }
    }
    Ok(())
}

fn time(command: &mut Command) -> Result<Duration, libtest_mimic::Failed> {
    let start = Instant::now();
    let status = command.stdin(Stdio::null()).status()?;
    let time = start.elapsed();
    check(status.success(), "it has failed")?;
    Ok(time)
}
