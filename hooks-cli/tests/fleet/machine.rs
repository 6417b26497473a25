//! The processes of a fleet: daemons, and a server of Postgres, each with what it costs.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;

use rustix::process::{Pid, Resource, Signal, getrlimit, kill_process, setrlimit};
use serde_json::Value;
use tempfile::TempDir;

/// The key of the store, in base64.
pub(crate) const KEY: &str = "a2tra2tra2tra2tra2tra2tra2tra2tra2tra2tra2s=";

/// How many clock ticks of `/proc` are a second on Linux.
const TICKS: f64 = 100.0;

/// Lets this process have as many connections as it may.
pub(crate) fn most_files() {
    let mut files = getrlimit(Resource::Nofile);
    files.current = files.maximum;
    let _ = setrlimit(Resource::Nofile, files);
}

/// The seconds of a core that a process has taken.
fn cpu(process: u32) -> f64 {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let fields = text.rsplit(") ").next().unwrap_or_default().split(' ');
    let ticks: Vec<f64> = fields.filter_map(|field| field.parse().ok()).collect();
    // The first field is a letter, so the user's and the system's ticks are these.
    ticks
        .get(10..12)
        .map_or(0.0, |both| both.iter().sum::<f64>() / TICKS)
}

/// The memory of a process that no other one shares, in MiB.
fn memory(process: u32) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{process}/smaps_rollup")).unwrap_or_default();
    let own = text.lines().filter(|line| line.starts_with("Private_"));
    let sizes = own.filter_map(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    sizes.sum::<u64>() / 1024
}

/// A daemon on a store.
pub(crate) struct Daemon {
    child: Child,
    pub(crate) address: String,
}

impl Daemon {
    pub(crate) fn start(store: &str) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_hooks"))
            .args([
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--json",
                "--store",
                store,
            ])
            .env("HOOKS_STORE_KEY", KEY)
            .env("HOOKS_SOCKET", "off")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = String::new();
        let stdout = child.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut said).unwrap();
        let said: Value = serde_json::from_str(&said).unwrap();
        Daemon {
            child,
            address: said["listen"].as_str().unwrap().to_owned(),
        }
    }

    pub(crate) fn cpu(&self) -> f64 {
        cpu(self.child.id())
    }

    pub(crate) fn memory(&self) -> u64 {
        memory(self.child.id())
    }

    pub(crate) fn stop(mut self) -> String {
        let id = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        kill_process(id.unwrap(), Signal::TERM).unwrap();
        format!("a daemon ends: {}", self.child.wait().unwrap())
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A server of Postgres in a scratch folder, whose only door is a socket there.
pub(crate) struct Postgres {
    folder: TempDir,
    running: Mutex<Option<Child>>,
}

impl Postgres {
    pub(crate) fn start() -> Self {
        let folder = tempfile::Builder::new()
            .prefix("hooks-fleet-")
            .tempdir_in("/tmp");
        let server = Postgres {
            folder: folder.unwrap(),
            running: Mutex::default(),
        };
        if rustix::process::getuid().is_root() {
            let mut chown = Command::new("chown");
            chown.args(["nobody", &server.path()]);
            assert!(chown.status().unwrap().success());
        }
        let mut made = server.command(
            "initdb",
            &["-A", "trust", "-U", "hooks", "-D", &server.data()],
        );
        assert!(made.stdout(Stdio::null()).status().unwrap().success());
        server.begin();
        server
    }

    fn path(&self) -> String {
        self.folder.path().display().to_string()
    }

    fn data(&self) -> String {
        format!("{}/data", self.path())
    }

    /// A program of the server, as a user who may run it: root may not.
    fn command(&self, program: &str, args: &[&str]) -> Command {
        let folder: PathBuf = std::env::var_os("HOOKS_POSTGRES")
            .expect("see `.ci/postgres`")
            .into();
        let program = folder.join(program);
        let mut command = Command::new(&program);
        if rustix::process::getuid().is_root() {
            command = Command::new("runuser");
            command.args(["-u", "nobody", "--"]).arg(program);
        }
        command.args(args).current_dir("/").stdin(Stdio::null());
        command
    }

    /// Starts the server, also again.
    pub(crate) fn begin(&self) {
        let sockets = format!("unix_socket_directories={}", self.path());
        let args = [
            "-D",
            &self.data(),
            "-c",
            "listen_addresses=",
            "-c",
            &sockets,
        ];
        let mut command = self.command("postgres", &args);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        *self.running.lock().unwrap() = Some(child.unwrap());
        for _ in 0..1200 {
            if self.state().contains("ready") {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("the server does not start");
    }

    fn state(&self) -> String {
        std::fs::read_to_string(format!("{}/postmaster.pid", self.data())).unwrap_or_default()
    }

    fn id(&self) -> Option<u32> {
        self.state().lines().next()?.parse().ok()
    }

    /// Ends the server at once, as a failure of its machine does.
    pub(crate) fn end(&self) {
        let id = self.id().and_then(|id| Pid::from_raw(id.try_into().ok()?));
        if let (Some(mut child), Some(id)) = (self.running.lock().unwrap().take(), id) {
            kill_process(id, Signal::QUIT).unwrap();
            child.wait().unwrap();
        }
    }

    /// The address of a new database.
    pub(crate) fn database(&self) -> String {
        let args = ["-h", &self.path(), "-U", "hooks", "fleet"];
        assert!(self.command("createdb", &args).status().unwrap().success());
        format!("postgres:///fleet?host={}&user=hooks", self.path())
    }

    /// All processes of the server.
    fn processes(&self) -> Vec<u32> {
        let Some(id) = self.id() else {
            return Vec::new();
        };
        let children = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children"));
        let children = children.unwrap_or_default();
        let children = children.split_whitespace().filter_map(|id| id.parse().ok());
        children.chain([id]).collect()
    }

    pub(crate) fn cpu(&self) -> f64 {
        self.processes().into_iter().map(cpu).sum()
    }

    pub(crate) fn memory(&self) -> u64 {
        self.processes().into_iter().map(memory).sum()
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.end();
    }
}
