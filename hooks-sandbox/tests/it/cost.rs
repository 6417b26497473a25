//! What a start in the sandbox costs, beside one of `bwrap` with the same view:
//! `cargo test --release -p hooks-sandbox --test it -- --ignored --exact by_hand::start`.
//!
//! `HOOKS_SANDBOX_LAUNCHER` names the program that confines, by default this one, and `HOOKS_SANDBOX_FOLDERS` says how many
//! folders the workspace has besides its own.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs};

use libtest_mimic::Trial;

use crate::agent::{Mode, executable};
use crate::place::Place;
use crate::{Tested, check, test};

pub(crate) fn trials() -> Vec<Trial> {
    vec![test("by_hand::start", start).with_ignored_flag(true)]
}

const ROUNDS: usize = 40;

/// Starts `/bin/true` alone, in `bwrap` and in the sandbox, in turns, and prints the medians of what they cost more than it
/// does alone.
fn start() -> Tested {
    let launcher = env::var_os("HOOKS_SANDBOX_LAUNCHER");
    for mode in Mode::all() {
        for options in ["", "untraced", "domain=example.com"] {
            let place = Place::new(mode);
            let work = place.path().join("work");
            more_folders(&work)?;
            // What holds a place while it runs stays in that of the other one.
            let other = Place::new(mode);
            let bubble = bubble(mode, &other)?;
            let output = mode.run(place.path(), &format!("{options} words"), &["/bin/true"]);
            let words = fs::read_to_string(work.join("words"));
            let words = words.map_err(|_| format!("{output:?}"))?;
            let words: Vec<&str> = words.split('\0').skip(1).collect();
            let launcher = launcher.as_deref().unwrap_or(executable().as_ref());
            let ways: [(&Path, &[&str]); 3] = [
                ("/bin/true".as_ref(), &[]),
                ("bwrap".as_ref(), &bubble.split('\0').collect::<Vec<_>>()),
                (launcher.as_ref(), &words),
            ];
            let mut more = [Vec::new(), Vec::new()];
            for _ in 0..ROUNDS {
                let mut alone = Duration::ZERO;
                for (way, (program, arguments)) in ways.iter().enumerate() {
                    let mut command = mode.command(program);
                    command.args(*arguments).current_dir(&work);
                    let taken = time(command.env("HOME", place.path().join("home")))?;
                    match way.checked_sub(1) {
                        Some(way) => more[way].push(taken.saturating_sub(alone)),
                        None => alone = taken,
                    }
                }
            }
            let [bubble, ours] = more.map(|mut all| {
                all.sort();
                all[ROUNDS / 2]
            });
            let ratio = ours.as_secs_f64() / bubble.as_secs_f64();
            println!("{mode:?} {options:20} bwrap {bubble:?} ours {ours:?} ratio {ratio:.2}");
        }
    }
    Ok(())
}

/// Adds folders to a workspace, ten in each.
fn more_folders(work: &Path) -> Tested {
    let folders = env::var("HOOKS_SANDBOX_FOLDERS").map_or(0, |text| text.parse().unwrap_or(0));
    for number in 0..folders {
        let of_ten = format!("many/{}/{}/{number}", number / 100, number / 10);
        fs::create_dir_all(work.join(of_ten))?;
    }
    Ok(())
}

/// The arguments with which `bwrap` shows what the sandbox shows, as the sandbox itself lists it.
fn bubble(mode: Mode, place: &Place) -> Result<String, libtest_mimic::Failed> {
    let mode = Mode {
        has_namespaces: true,
        ..mode
    };
    let list = "cat /proc/self/mountinfo; find / -xdev -type l -printf '%p %l\\n'";
    let shown = mode.run(place.path(), "untraced", &["sh", "-c", list]);
    let shown = String::from_utf8(shown.stdout)?;
    let mut words = "--unshare-all --die-with-parent --new-session --clearenv --cap-drop ALL"
        .replace(' ', "\0");
    let mut add = |kind: &str, path: &str| words.extend(["\0", kind, "\0", path]);
    for line in shown.lines() {
        if let Some(path) = line
            .split(' ')
            .nth(4)
            .filter(|path| path.contains("/escape-"))
            && !Path::new(path).exists()
        {
            fs::create_dir_all(path)?;
        }
        let fields: Vec<_> = line.split(' ').collect();
        match &*fields {
            [path, _] if path.starts_with("/dev/") => {}
            [path, target] => add("--symlink", &format!("{target}\0{path}")),
            [_, _, _, _, "/" | "/dev/shm", ..] => {}
            [_, _, _, _, "/proc", ..] => add("--proc\0/proc\0--dev", "/dev"),
            [_, _, _, _, path, ..] if path.starts_with("/dev/") => {}
            [_, _, _, "/.folder", path, ..] => add("--tmpfs", path),
            [_, _, _, "/.file", path, ..] => add("--ro-bind\0/dev/null", path),
            [_, _, _, "/", "/tmp", ..] => add("--tmpfs", "/tmp"),
            [_, _, _, _, path, how, ..] if how.starts_with("ro") => {
                add("--ro-bind", &format!("{path}\0{path}"));
            }
            [_, _, _, _, path, ..] => add("--bind", &format!("{path}\0{path}")),
            _ => {}
        }
    }
    add(
        "--chdir",
        place.path().join("work").to_str().expect("UTF-8"),
    );
    Ok(words + "\0/bin/true")
}

fn time(command: &mut Command) -> Result<Duration, libtest_mimic::Failed> {
    let start = Instant::now();
    let status = command.stdin(Stdio::null()).status()?;
    let time = start.elapsed();
    check(status.success(), format!("it has failed: {command:?}"))?;
    Ok(time)
}
