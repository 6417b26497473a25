//! A scratch folder with everything that must stay as it is, and what listens for those who get out.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal};
use tempfile::TempDir;

use crate::agent::{Mode, USER, is_root, open_to_all};

/// What nobody inside may know. It is in files, in the agent's environment, and in that of another process.
pub(crate) const SECRET: &str = "canary-7f3a9c";

/// The protected names that are there, and some that are not.
const PROTECTED: [&str; 31] = [
    ".bashrc",
    ".claude",
    ".codex",
    ".cursor",
    ".env",
    ".envrc",
    ".gemini",
    ".git/commondir",
    ".git/config",
    ".git/config.worktree",
    ".git/hooks",
    ".git/modules/sub/config",
    ".git/modules/sub/hooks",
    ".github/hooks",
    ".gitmodules",
    ".goose",
    ".husky",
    ".idea",
    ".mcp.json",
    ".vscode",
    "hooks.lock",
    "hooks.toml",
    "app/web/.claude",
    "lib/vendored/.git/config",
    "lib/vendored/.git/hooks",
    "lib/vendored/.mcp.json",
    "lib/vendored/hooks.toml",
    "linked.toml",
    "deploy/run.sh",
    "shared.ini",
    "src/linked",
];

pub(crate) struct Place {
    folder: TempDir,
    tcp: [TcpListener; 2],
    udp: UdpSocket,
    sockets: [UnixListener; 2],
    victim: Child,
}

impl Place {
    pub(crate) fn new(mode: Mode) -> Self {
        let folder = TempDir::with_prefix("escape-").expect("a folder");
        open_to_all(folder.path());
        let at = |name: &str| folder.path().join(name);
        let files = [
            ("outside/secret", SECRET),
            ("outside/file", "as it was\n"),
            ("outside/folder/file", "as it was\n"),
            ("home/.ssh/id_ed25519", SECRET),
            ("home/.npmrc", SECRET),
            ("home/.cargo/credentials.toml", SECRET),
            ("home/.cargo/config.toml", "[net]\n"),
            ("home/.bashrc", "# as it was\n"),
            (
                "home/.gitconfig",
                "[user]\n\tname = A\n\temail = a@example.org\n[safe]\n\tdirectory = *\n",
            ),
            ("work/.env", SECRET),
            ("work/hooks.toml", "# as it was\n"),
            ("work/.claude/settings.json", "{}\n"),
            ("work/src/code", "as it was\n"),
            ("work/shared.ini", "# as it was\n"),
            ("work/deploy/run.sh", "as it was\n"),
            ("work/.git/hooks/sample", "as it was\n"),
            ("work/.git/modules/sub/HEAD", "ref: refs/heads/main\n"),
            ("work/.git/modules/sub/config", "[core]\n"),
            ("work/.git/modules/sub/hooks/sample", "as it was\n"),
            ("work/app/web/.claude/settings.json", "{}\n"),
            ("work/lib/vendored/.git/HEAD", "ref: refs/heads/main\n"),
            ("work/lib/vendored/.git/config", "[core]\n"),
            ("work/lib/vendored/.git/hooks/sample", "as it was\n"),
            ("plain/code", "as it was\n"),
        ];
        for (name, text) in files {
            fs::create_dir_all(at(name).parent().expect("it has one")).expect("a folder");
            fs::write(at(name), text).expect("a file");
        }
        std::os::unix::fs::symlink("../outside", at("work/link-out")).expect("a link");
        std::os::unix::fs::symlink("src/linked", at("work/hooks.lock")).expect("a link");
        fs::write(at("work/src/linked"), "as it was\n").expect("a file");
        let git = Command::new("git")
            .args(["init", "-q", "--template="])
            .arg(at("work"))
            .status();
        assert!(git.expect("git is there").success());
        let mut settings = fs::read_to_string(at("work/.git/config")).expect("git made it");
        settings += "\thooksPath = .husky\n[include]\n\tpath = ../shared.ini\n";
        fs::write(at("work/.git/config"), settings).expect("it can be written");
        let name = SocketAddr::from_abstract_name(folder.path().as_os_str().as_encoded_bytes());
        let place = Place {
            tcp: ["127.0.0.1:0", "[::1]:0"]
                .map(|address| TcpListener::bind(address).expect("loopback")),
            udp: UdpSocket::bind("127.0.0.1:0").expect("loopback"),
            sockets: [
                UnixListener::bind(at("outside/socket")).expect("a socket"),
                UnixListener::bind_addr(&name.expect("a name")).expect("a socket"),
            ],
            victim: mode
                .command("sleep")
                .arg("1000")
                .env("SECRET_TOKEN", SECRET)
                .stdin(Stdio::null())
                .spawn()
                .expect("sleep"),
            folder,
        };
        for listener in &place.tcp {
            listener.set_nonblocking(true).expect("it can");
        }
        for socket in &place.sockets {
            socket.set_nonblocking(true).expect("it can");
        }
        place.udp.set_nonblocking(true).expect("it can");
        if is_root() && !mode.is_root {
            let owner = format!("{USER}:{USER}");
            let status = Command::new("chown")
                .args(["-hR", &owner])
                .arg(place.path())
                .status();
            assert!(status.expect("chown is there").success());
        }
        place
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// What an escape is told: the place, two ports, one for UDP, and the process to harm.
    pub(crate) fn words(&self) -> Vec<String> {
        let port = |listener: &TcpListener| listener.local_addr().expect("it is bound").port();
        let [v4, v6] = &self.tcp;
        let udp = self.udp.local_addr().expect("it is bound").port();
        let numbers = [
            u32::from(port(v4)),
            u32::from(port(v6)),
            u32::from(udp),
            self.victim.id(),
        ];
        let numbers = numbers.map(|number| number.to_string());
        [self.path().to_str().expect("UTF-8").to_owned()]
            .into_iter()
            .chain(numbers)
            .collect()
    }

    /// Everything that must stay as it is, as text.
    pub(crate) fn state(&self) -> String {
        let mut state = BTreeMap::new();
        for folder in ["outside", "home"] {
            look(&self.path().join(folder), &mut state);
        }
        for folder in ["work", "plain"].map(|folder| self.path().join(folder)) {
            // In a folder that is no repository, nobody makes one.
            let bare = if folder.ends_with("plain") {
                &[".git", "HEAD"][..]
            } else {
                &[]
            };
            for name in PROTECTED.iter().chain(bare) {
                look(&folder.join(name), &mut state);
            }
            for name in ["", ".git", ".git/modules", ".git/modules/sub", "deploy"] {
                let found = fs::symlink_metadata(folder.join(name)).map(|found| found.ino());
                state.insert(folder.join(name).join("."), format!("{:?}", found.ok()));
            }
        }
        let mut text = String::new();
        for (path, what) in state {
            writeln!(text, "{} {what}", path.display()).expect("a text");
        }
        let process = |name: &str| fs::read_to_string(format!("/proc/{}/{name}", self.victim.id()));
        let stat = process("stat").unwrap_or_default();
        // The state, the priority, and the nice value.
        let fields: Vec<_> = stat
            .rsplit(") ")
            .next()
            .unwrap_or_default()
            .split(' ')
            .collect();
        writeln!(
            text,
            "victim {:?} {:?}",
            fields.first().map(|state| *state == "Z"),
            fields.get(15..17)
        )
        .expect("a text");
        writeln!(text, "{}", process("limits").unwrap_or_default()).expect("a text");
        text
    }

    /// Who has got in touch.
    pub(crate) fn visitors(&self) -> Vec<&'static str> {
        let mut visitors = Vec::new();
        let [v4, v6] = &self.tcp;
        let [path, name] = &self.sockets;
        let mut note = |came: bool, how| came.then(|| visitors.push(how));
        note(v4.accept().is_ok(), "TCP");
        note(v6.accept().is_ok(), "TCP over IPv6");
        note(self.udp.recv(&mut [0; 16]).is_ok(), "UDP");
        note(path.accept().is_ok(), "a socket by path");
        note(name.accept().is_ok(), "a socket by name");
        visitors
    }

    /// The processes of an escape that still run.
    pub(crate) fn left_behind(&self) -> Vec<Pid> {
        let mark = format!("{}/left-behind", self.path().display());
        let all = fs::read_dir("/proc").expect("/proc").flatten();
        let left = all.filter(|entry| {
            let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&line).contains(&mark)
        });
        left.filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?))
            .collect()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        for process in self.left_behind() {
            let _ = rustix::process::kill_process(process, Signal::KILL);
        }
        let _ = self.victim.kill();
        let _ = self.victim.wait();
    }
}

/// Adds everything about a path and what is below it.
fn look(path: &Path, state: &mut BTreeMap<PathBuf, String>) {
    let Ok(found) = fs::symlink_metadata(path) else {
        state.insert(path.to_owned(), "missing".into());
        return;
    };
    // A folder's time changes when a place-holder comes and goes.
    let times = (!found.is_dir()).then(|| (found.mtime(), found.mtime_nsec()));
    let content = if found.is_symlink() {
        fs::read_link(path).map(PathBuf::into_os_string).ok()
    } else {
        None
    };
    let text = if found.is_file() {
        fs::read(path).unwrap_or_default()
    } else {
        Vec::new()
    };
    let attributes = rustix::fs::llistxattr(path, &mut [0_u8; 1000]);
    let what = format!(
        "{:o} {} {times:?} {content:?} {:?} {attributes:?}",
        found.mode(),
        found.uid(),
        String::from_utf8_lossy(&text)
    );
    state.insert(path.to_owned(), what);
    if found.is_dir() {
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            look(&entry.path(), state);
        }
    }
}
