//! The driver: mutates, runs, keeps what is new, and makes a failing text small.

use std::cell::RefCell;
use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{Seek, Write as _};
use std::panic;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::{Duration, Instant};

use fastrand::Rng;

use crate::mutate::{mutate, tokens};
use crate::{Features, Target};

/// How long a run lasts.
#[derive(Clone, Copy, Debug)]
pub enum Limit {
    /// So many texts: with the same seed, always the same ones.
    Runs(u64),
    /// About so long.
    Time(Duration),
}

/// What to do.
#[derive(Clone, Debug)]
pub struct Plan {
    /// How long.
    pub limit: Limit,
    /// Where the random numbers begin.
    pub seed: u64,
    /// A folder of texts, which are tried first, and to which new ones are added.
    pub corpus: Option<PathBuf>,
    /// Whether to go on after a failure, to find others.
    pub keep_going: bool,
}

/// How small the stack is: as that of a thread of an agent.
const STACK: usize = 1 << 20;
/// How long one text may take. It is far more than any text should, so that a busy machine does no harm.
const LONGEST: Duration = Duration::from_secs(30);
/// How many texts are tried to make a failing one smaller.
const MOST_ATTEMPTS: usize = 5000;

thread_local! {
    /// What the last panic of a target said, and where it was; `None` in a thread that runs no target.
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Keeps what panics of targets say. All other threads say it as before.
static HOOK: LazyLock<()> = LazyLock::new(|| {
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        PANIC.with_borrow_mut(|last| match last {
            Some(last) => *last = info.to_string(),
            None => before(info),
        });
    }));
});

/// Runs a target, and says how many different failures there were. Their texts are in the folder `failing`.
///
/// A text that overflows the stack, or runs for more than half a minute, ends the process. It is then in the file
/// `failing/<target>-running`.
///
/// # Panics
///
/// If a file cannot be read or written.
#[must_use]
pub fn run(target: Target, plan: &Plan) -> usize {
    let plan = plan.clone();
    let started = Arc::new(AtomicU64::new(0));
    let progress = Arc::clone(&started);
    LazyLock::force(&HOOK);
    let worker = thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || {
            PANIC.set(Some(String::new()));
            Run::new(target, progress).all(&plan)
        })
        .expect("a thread can be started");
    let (mut seen, mut since) = (0, Instant::now());
    while !worker.is_finished() {
        thread::sleep(Duration::from_millis(20));
        let now = started.load(Ordering::Relaxed);
        if now != seen {
            (seen, since) = (now, Instant::now());
        } else if since.elapsed() > LONGEST {
            eprintln!("{}: one text takes longer than {LONGEST:?}", target.name);
            eprintln!("  it is in {}", running(target).display());
            std::process::exit(1);
        }
    }
    worker.join().expect("failures are caught")
}

/// Runs a target on one text. It panics as the target does.
///
/// # Panics
///
/// If a property does not hold, or the file cannot be read.
pub fn replay(target: Target, file: &Path) {
    let data = fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let data = data.as_slice();
    thread::scope(|scope| {
        let run = move || drop((target.run)(data));
        let thread = thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, run);
        let ended = thread.expect("a thread can be started").join();
        if let Err(panicked) = ended {
            panic::resume_unwind(panicked);
        }
    });
    println!("{}: every property holds", target.name);
}

fn failing() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("failing")
}

fn running(target: Target) -> PathBuf {
    failing().join(format!("{}-running", target.name))
}

/// A run of one target.
struct Run {
    target: Target,
    started: Arc<AtomicU64>,
    running: File,
    corpus: Vec<String>,
    dictionary: Vec<String>,
    features: HashSet<u64>,
    failures: HashSet<String>,
    slowest: (Duration, String),
}

impl Run {
    fn new(target: Target, started: Arc<AtomicU64>) -> Self {
        fs::create_dir_all(failing()).expect("the folder can be made");
        Run {
            target,
            started,
            running: File::create(running(target)).expect("the file can be made"),
            corpus: Vec::new(),
            dictionary: Vec::new(),
            features: HashSet::new(),
            failures: HashSet::new(),
            slowest: (Duration::ZERO, String::new()),
        }
    }

    fn all(mut self, plan: &Plan) -> usize {
        let begin = Instant::now();
        let mut rng = Rng::with_seed(plan.seed);
        let mut seeds = self.target.seeds();
        if let Some(folder) = &plan.corpus {
            fs::create_dir_all(folder).expect("the folder can be made");
            seeds.extend(
                crate::files(folder)
                    .iter()
                    .filter_map(|file| fs::read_to_string(file).ok()),
            );
        }
        let mut words: Vec<String> = seeds
            .iter()
            .flat_map(|seed| tokens(seed))
            .map(str::to_owned)
            .collect();
        words.sort();
        words.dedup();
        self.dictionary = words;
        let mut runs = 0;
        for seed in seeds {
            self.one(seed.clone());
            // The change of a seed may be new even where the seed is not.
            if self.corpus.last() != Some(&seed) {
                self.corpus.push(seed);
            }
        }
        loop {
            let is_over = match plan.limit {
                Limit::Runs(most) => runs >= most,
                Limit::Time(most) => begin.elapsed() >= most,
            };
            if is_over || (!self.failures.is_empty() && !plan.keep_going) {
                break;
            }
            runs += 1;
            let text = mutate(&self.corpus, &self.dictionary, &mut rng);
            if self.one(text)
                && let (Some(folder), Some(new)) = (&plan.corpus, self.corpus.last())
            {
                fs::write(folder.join(name_of(new)), new).expect("a text can be kept");
            }
        }
        println!(
            "{}: {runs} texts in {:.1} s from seed {}, {} features, a corpus of {}, at most {:?} for a text, {} failures",
            self.target.name,
            begin.elapsed().as_secs_f64(),
            plan.seed,
            self.features.len(),
            self.corpus.len(),
            self.slowest.0,
            self.failures.len(),
        );
        if self.slowest.0 > Duration::from_millis(500) {
            println!("  the slowest text: {:?}", self.slowest.1);
        }
        let _ = fs::remove_file(running(self.target));
        self.failures.len()
    }

    /// Tries a text, and says whether it has shown something new.
    fn one(&mut self, text: String) -> bool {
        let begin = Instant::now();
        let attempt = self.attempt(&text);
        let took = begin.elapsed();
        if took > self.slowest.0 {
            self.slowest = (took, text.chars().take(200).collect());
        }
        match attempt {
            Ok(features) => {
                let before = self.features.len();
                self.features.extend(features.iter());
                let is_new = self.features.len() > before;
                if is_new {
                    self.corpus.push(text);
                }
                is_new
            }
            Err(failure) => {
                if self.failures.insert(kind_of(&failure)) {
                    self.report(text);
                }
                false
            }
        }
    }

    fn attempt(&mut self, text: &str) -> Result<Features, String> {
        self.started.fetch_add(1, Ordering::Relaxed);
        // An abort cannot be caught, so the text has to be somewhere already.
        let written = self
            .running
            .rewind()
            .and_then(|()| self.running.write_all(text.as_bytes()))
            .and_then(|()| self.running.set_len(text.len() as u64));
        written.expect("the text can be kept");
        let run = self.target.run;
        panic::catch_unwind(|| run(text.as_bytes()))
            .map_err(|_| PANIC.replace(Some(String::new())).unwrap_or_default())
    }

    /// Makes a failing text small, keeps it, and says how to try it again.
    fn report(&mut self, text: String) {
        let (text, failure) = self.smaller(text);
        let file = failing().join(format!("{}-{}", self.target.name, name_of(&text)));
        fs::write(&file, &text).expect("the text can be kept");
        let shown: String = failure.lines().fold(String::new(), |mut shown, line| {
            let _ = writeln!(shown, "  {line}");
            shown
        });
        eprintln!(
            "{}: a property does not hold\n{shown}  for {text:?}",
            self.target.name
        );
        eprintln!(
            "  again: cargo run --manifest-path fuzz/Cargo.toml --profile fuzz -- {} --replay {}\n",
            self.target.name,
            file.display()
        );
    }

    /// The text with as much left out as possible, so that it still fails in the same way.
    fn smaller(&mut self, mut text: String) -> (String, String) {
        let mut failure = self.attempt(&text).err().unwrap_or_default();
        let kind = kind_of(&failure);
        let mut attempts = 0;
        let mut size = text.chars().count().div_ceil(2);
        while size > 0 {
            let mut at = 0;
            while at < text.len() && attempts < MOST_ATTEMPTS {
                attempts += 1;
                let end = text[at..]
                    .char_indices()
                    .nth(size)
                    .map_or(text.len(), |(end, _)| at + end);
                let without = format!("{}{}", &text[..at], &text[end..]);
                match self.attempt(&without) {
                    Err(other) if kind_of(&other) == kind => (text, failure) = (without, other),
                    _ => at = end,
                }
            }
            size /= 2;
        }
        (text, failure)
    }
}

/// Where a failure was, and the first words of its message.
fn kind_of(failure: &str) -> String {
    let mut lines = failure.lines();
    let place = lines.next().unwrap_or_default();
    let message = lines.next().unwrap_or_default();
    let words: String = message
        .chars()
        .filter(|c| c.is_alphabetic() || *c == ' ')
        .take(30)
        .collect();
    format!("{place} {words}")
}

/// A name for a text.
fn name_of(text: &str) -> String {
    let mut features = Features::default();
    features.add("text", text);
    format!("{:016x}", features.iter().next().unwrap_or_default())
}
