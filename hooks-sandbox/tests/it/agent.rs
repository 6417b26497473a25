//! An agent: it makes rules, and runs a program under them. Each mode is one way in which a machine lets it.

use std::fs::File;
use std::os::fd::AsRawFd as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use hooks_sandbox::Sandbox;

/// Who runs the agent, and what the kernel permits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mode {
    pub(crate) is_root: bool,
    pub(crate) has_namespaces: bool,
}

/// Whom root becomes to be an ordinary user.
pub(crate) const USER: u32 = 65534;

impl Mode {
    /// All modes that can run here.
    pub(crate) fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for is_root in [true, false] {
            for has_namespaces in [true, false] {
                all.push(Mode {
                    is_root,
                    has_namespaces,
                });
            }
        }
        if !is_root() {
            assert!(!is_full(), "the tests of a full machine run as root");
            all.retain(|mode| !mode.is_root);
        }
        all
    }

    /// A command that root runs as the user of this mode.
    pub(crate) fn command(self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        if self.is_root || !is_root() {
            return Command::new(program);
        }
        let mut command = Command::new("setpriv");
        let user = [
            format!("--reuid={USER}"),
            format!("--regid={USER}"),
            "--clear-groups".into(),
        ];
        command.args(user).arg(program);
        command
    }

    /// Runs a program in a sandbox that may write to `work` and `plain` of a place, as an agent that knows a secret.
    pub(crate) fn run(self, place: &Path, options: &str, words: &[&str]) -> Output {
        let mut agent = self.command(executable());
        agent
            .env_clear()
            .env("PATH", PATH)
            .env("HOME", place.join("home"));
        agent
            .env("SECRET_TOKEN", crate::place::SECRET)
            .current_dir(place.join("work"));
        agent.stdin(File::open(place.join("outside/file")).expect("the place is made"));
        let alone = if self.has_namespaces { "" } else { "alone" };
        agent
            .arg("--agent")
            .arg(place)
            .arg(format!("{options} {alone}"))
            .args(words);
        agent.stdout(Stdio::piped()).stderr(Stdio::piped());
        agent.output().expect("the agent starts")
    }
}

const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Whether a test that cannot run here is a failure.
pub(crate) fn is_full() -> bool {
    std::env::var_os("HOOKS_SANDBOX_FULL").is_some()
}

/// This executable, where every user may run it.
pub(crate) fn executable() -> &'static Path {
    static COPY: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    let (_, path) = COPY.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        open_to_all(folder.path());
        let path = folder.path().join("it");
        copy_program(&std::env::current_exe().expect("it runs"), &path);
        (folder, path)
    });
    path
}

/// Copies a program that is to run. No child that another thread starts meanwhile has the copy open: while one has, the
/// kernel does not run it.
pub(crate) fn copy_program(from: &Path, to: &Path) {
    let copied = Command::new("cp").arg(from).arg(to).status();
    assert!(copied.expect("cp is there").success());
}

/// Lets every user look into a folder.
pub(crate) fn open_to_all(folder: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755)).expect("it is ours");
}

/// Is the agent, if this process was started as one: `--agent PLACE OPTIONS PROGRAM …`.
pub(crate) fn enter_if_asked() {
    let mut words = std::env::args_os().skip(1);
    if words.next().is_none_or(|word| word != "--agent") {
        return;
    }
    let place = PathBuf::from(words.next().expect("a place"));
    let options = words
        .next()
        .and_then(|word| word.into_string().ok())
        .expect("options");
    let program = words.next().expect("a program");
    // A library of the agent has left a secret open, and not marked it.
    let left_open = File::open(place.join("outside/secret"));
    if let Ok(file) = &left_open {
        rustix::io::fcntl_setfd(file, rustix::io::FdFlags::empty()).expect("it is open");
        assert!(
            file.as_raw_fd() < 10,
            "the escapes look at the first descriptors"
        );
    }
    let mut sandbox = Sandbox::new().hide(place.join("work/.env"));
    for folder in ["work", "plain"] {
        sandbox = sandbox.write(place.join(folder));
    }
    let (mut replace, mut writes_words) = (None, false);
    for option in options.split_ascii_whitespace() {
        sandbox = match option.split_once('=').unwrap_or((option, "")) {
            ("alone", _) => sandbox.without_namespaces(),
            ("best", _) => sandbox.best_effort(),
            ("connect", port) => sandbox.connect(port.parse().expect("a port")),
            ("network", _) => sandbox.network(),
            ("unix", path) => sandbox.unix(path),
            ("env", name) => sandbox.env(name),
            ("write", path) => sandbox.write(path),
            ("allow", path) => sandbox.allow_writing(path),
            ("read", path) => sandbox.read(path),
            ("protect", path) => sandbox.protect(path),
            ("cpu", seconds) => sandbox.cpu_seconds(seconds.parse().expect("seconds")),
            ("memory", bytes) => sandbox.memory(bytes.parse().expect("bytes")),
            ("size", bytes) => sandbox.file_size(bytes.parse().expect("bytes")),
            ("processes", most) => sandbox.processes(most.parse().expect("a number")),
            ("domain", pattern) => sandbox.domain(pattern),
            ("report", path) => sandbox.report(path),
            ("untraced", _) => sandbox.untraced(),
            ("words", _) => {
                writes_words = true;
                sandbox
            }
            ("replace", how) => {
                replace = Some(how.to_owned());
                sandbox
            }
            (other, _) => panic!("{other} is no option"),
        };
    }
    let confinement = sandbox.prepare().unwrap_or_else(|error| {
        eprintln!("agent: {error}");
        std::process::exit(2);
    });
    if let Some(how) = replace {
        let sub = place.join("work/out/sub");
        std::fs::rename(&sub, place.join("work/out/moved")).expect("it is there");
        match &*how {
            "link" => std::os::unix::fs::symlink(place.join("outside"), &sub).expect("it can"),
            _ => std::fs::create_dir(&sub).expect("it can"),
        }
    }
    let words: Vec<_> = words.collect();
    if writes_words {
        let all = confinement.words(&program, &words);
        std::fs::write(
            "words",
            all.join(std::ffi::OsStr::new("\0")).as_encoded_bytes(),
        )
        .expect("it can");
    }
    let status = confinement
        .command(program, words)
        .status()
        .expect("it starts");
    std::process::exit(status.code().unwrap_or(3));
}
