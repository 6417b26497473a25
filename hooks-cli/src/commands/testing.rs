//! `hooks test` runs the tests of a file.

mod coverage;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use hooks_core::agent::AgentContext;
use hooks_runtime::entry::{Expect, TestEntry};
use hooks_runtime::{ConfigError, Test, TestError, Tested, Trials, past_events};
use serde_json::{Value, json};

use super::check::mistake;
use crate::file::{self, FormatArgs};
use crate::paint::{self, BAD, GOOD, Visible, lines, painted, say};
use crate::{Done, Failure};

/// The files, and what to do with them.
#[derive(Debug, clap::Args)]
pub(crate) struct TestArgs {
    /// The files; by default the hooks.toml here or in a folder above.
    files: Vec<PathBuf>,
    /// Also show the rules that no test made true, and the parts of conditions that were not both true and false.
    #[arg(long)]
    coverage: bool,
    /// Write the coverage of all rules to this file, as a page.
    #[arg(long, value_name = "FILE", requires = "coverage")]
    html: Option<PathBuf>,
    /// Stay, and run the tests again when a file changes.
    #[arg(long, conflicts_with = "from")]
    watch: bool,
    /// Write tests instead, as TOML: the events in these files and folders, each once, with what the hooks decide now. They are
    /// what `hooks replay` reads.
    #[arg(long, value_name = "SESSIONS", conflicts_with = "coverage")]
    from: Vec<PathBuf>,
}

/// A test that has run.
type Ran = (Test, Tested);

/// How often `--watch` looks whether hooks were loaded again.
const LOOKS: Duration = Duration::from_millis(100);

pub(crate) fn run(args: &TestArgs, json: bool) -> Done {
    let files = match &*args.files {
        [] => vec![file::find(None)?.path],
        files => files.to_vec(),
    };
    file::block_on(async {
        let mut loaded = Vec::new();
        for file in files {
            let builder = file::builder(&file.clone().into(), FormatArgs::default());
            loaded.push((file, Trials::new(builder).await));
        }
        if !args.from.is_empty() {
            return write(&args.from, loaded).await;
        }
        loop {
            for trials in fine(&loaded).filter(|_| args.watch) {
                trials.runtime().watch().map_err(Failure::found)?;
            }
            let before = state(&loaded);
            let is_fine = all(args, &mut loaded, json).await?;
            // A file that had a mistake at the beginning is not followed.
            if !args.watch || before.is_empty() {
                return Ok(ExitCode::from(u8::from(!is_fine)));
            }
            while state(&loaded) == before {
                tokio::time::sleep(LOOKS).await;
            }
        }
    })?
}

/// The files without mistakes.
fn fine(loaded: &[Loaded]) -> impl Iterator<Item = &Trials> {
    loaded.iter().filter_map(|(_, trials)| trials.as_ref().ok())
}

/// Which hooks are loaded, and which were refused since.
fn state(loaded: &[Loaded]) -> Vec<impl PartialEq + use<>> {
    let states = fine(loaded).map(|trials| trials.runtime().troubled());
    let states = states.map(|state| (state.revision, state.refused.map(|one| one.at)));
    states.collect()
}

/// Runs the tests of all files, and says whether each has passed.
async fn all(args: &TestArgs, loaded: &mut [Loaded], json: bool) -> Result<bool, Failure> {
    let (mut is_fine, mut all, mut covered) = (true, Vec::new(), Vec::new());
    for (file, trials) in loaded {
        let trials = match trials {
            Ok(trials) => match trials.runtime().status().refused {
                None => Ok(trials),
                Some(refused) => Err(ConfigError::clone(&refused.error)),
            },
            Err(error) => Err(error.clone()),
        };
        let trials = match trials {
            Ok(trials) => trials,
            Err(error) => {
                is_fine = false;
                let mistakes: Vec<_> = error.mistakes().map(mistake).collect();
                all.push(json!({ "file": file, "ok": false, "mistakes": mistakes }));
                if !json {
                    say!("{}\n", lines(&error.to_string()));
                }
                continue;
            }
        };
        if args.coverage {
            trials.cover();
        }
        let ran = ran(trials).await.map_err(Failure::found)?;
        let (passed, failed) = result(&ran);
        is_fine &= failed.is_empty();
        let rules = args.coverage.then(|| trials.coverage());
        if json {
            all.push(json!({
                "file": file, "ok": failed.is_empty(), "mistakes": [], "passed": passed, "failed": failed.len(),
                "tests": ran.iter().map(object).collect::<Vec<_>>(), "coverage": rules,
            }));
        } else {
            show(file, &ran);
            if let Some(rules) = &rules {
                coverage::show(rules);
            }
        }
        covered.extend(rules.map(|rules| (file.display().to_string(), rules)));
    }
    if json {
        paint::json(&all.into());
    }
    if let Some(page) = &args.html {
        coverage::write(page, &covered)?;
    }
    Ok(is_fine)
}

/// A file, and its hooks and tests, unless it has a mistake.
type Loaded = (PathBuf, Result<Trials, ConfigError>);

/// Where a test happens that does not say it: where this program runs.
fn here() -> AgentContext {
    let mut cx = AgentContext::new("test");
    let folder = std::env::current_dir().unwrap_or_default();
    cx.cwd = folder.to_string_lossy().into_owned();
    cx.project_dir.clone_from(&cx.cwd);
    cx
}

/// Runs all tests of a file.
async fn ran(trials: &mut Trials) -> Result<Vec<Ran>, TestError> {
    let (cx, mut ran) = (here(), Vec::new());
    for test in trials.runtime().tests() {
        let tested = trials.ask(&test.entry, cx.clone()).await?;
        ran.push((test, tested));
    }
    Ok(ran)
}

/// Writes what has happened as tests, with what the hooks decide about it now.
async fn write(past: &[PathBuf], loaded: Vec<Loaded>) -> Done {
    let [(_, trials)] = <[Loaded; 1]>::try_from(loaded)
        .map_err(|_| Failure::usage("`--from` writes the tests of one file"))?;
    let mut trials = trials.map_err(Failure::found)?;
    let (mut tests, mut known) = (Vec::new(), HashSet::new());
    let unread = past_events(past, |cx, event| {
        let test = TestEntry::of(&cx, &event);
        if known.insert(json!(test).to_string()) {
            tests.push(test);
        }
    });
    file::warn_all(&unread.map_err(Failure::usage)?);
    let mut names = HashMap::<_, usize>::new();
    for mut test in tests {
        let said = trials.ask(&test, here()).await.map_err(Failure::found)?;
        test.expect = Some(Expect {
            hook: said.decision.hook,
            ..(&*said.decision.decision).into()
        });
        let nth = names.entry(test.name.clone()).or_default();
        *nth += 1;
        if *nth > 1 {
            test.name = format!("{} #{nth}", test.name);
        }
        match toml::to_string(&json!({ "hooks": { "test": [test] } })) {
            Ok(text) => say!("{text}"),
            Err(error) => file::warn(&format!("{}: {error}", test.name)),
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// How many tests have passed, and those that have not.
fn result(ran: &[Ran]) -> (usize, Vec<&Ran>) {
    let failed = ran
        .iter()
        .filter(|(_, tested)| !tested.differences.is_empty());
    let failed: Vec<_> = failed.collect();
    (ran.len() - failed.len(), failed)
}

/// Prints what came of the tests as cargo does.
fn show(file: &Path, ran: &[Ran]) {
    let (passed, failed) = result(ran);
    let tests = if ran.len() == 1 { "test" } else { "tests" };
    say!("running {} {tests} of {}", ran.len(), file.display());
    for (test, tested) in ran {
        let result = match &*tested.differences {
            [] => painted(GOOD, "ok"),
            _ => painted(BAD, "FAILED"),
        };
        say!("test {} ... {result}", Visible(&test.entry.name));
    }
    if !failed.is_empty() {
        say!("\nfailures:");
        for (test, tested) in &failed {
            say!(
                "\n---- {} ({}) ----",
                Visible(&test.entry.name),
                test.source
            );
            for difference in &tested.differences {
                say!("{}", Visible(difference));
            }
            for told in &tested.hooks {
                say!("  {}: {}", Visible(&told.hook), Visible(&told.said));
            }
        }
        say!("\nfailures:");
        for (test, _) in &failed {
            say!("    {}", Visible(&test.entry.name));
        }
    }
    let word = match &*failed {
        [] => painted(GOOD, "ok"),
        _ => painted(BAD, "FAILED"),
    };
    say!(
        "\ntest result: {word}. {passed} passed; {} failed\n",
        failed.len()
    );
}

/// Returns what came of a test, for programs.
fn object((test, tested): &Ran) -> Value {
    let mut of = json!(tested);
    of["name"] = (&*test.entry.name).into();
    of["source"] = (&*test.source).into();
    of["ok"] = tested.differences.is_empty().into();
    of
}
