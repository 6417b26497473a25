//! A server of Postgres for the tests: the one that `DATABASE_URL` names, or one of their own.
//!
//! Its own one has a folder, a socket in it and no other door. Root cannot run a server, so then somebody else does.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use tempfile::TempDir;

use crate::common::Place;

/// A server that ends with the value.
pub(crate) struct Server {
    programs: PathBuf,
    folder: TempDir,
    user: Option<&'static str>,
    running: Mutex<Option<Child>>,
}

impl Server {
    pub(crate) fn start() -> Self {
        let programs = programs().expect(
            "no `DATABASE_URL`, no folder `HOOKS_POSTGRES`, and no Postgres in /usr/lib/postgresql: \
             see `.ci/postgres`",
        );
        let is_root = rustix::process::getuid().is_root();
        let mut users = ["postgres", "nobody"].into_iter();
        let user = is_root.then(|| users.find(|user| exists(user)).unwrap());
        let folder = tempfile::Builder::new()
            .prefix("hooks-pg-")
            .tempdir_in("/tmp")
            .unwrap();
        if let Some(user) = user {
            assert!(
                Command::new("chown")
                    .arg(user)
                    .arg(folder.path())
                    .status()
                    .unwrap()
                    .success()
            );
        }
        let server = Server {
            programs,
            folder,
            user,
            running: Mutex::default(),
        };
        let data = server.data();
        // The machine does not lose its power, and a slow disk would be waited for at each of many databases.
        let args = ["-N", "-A", "trust", "-U", "hooks", "-D", &data];
        let made = server.command("initdb", &args).status().unwrap();
        assert!(made.success(), "initdb");
        server.begin();
        server
    }

    fn data(&self) -> String {
        self.folder.path().join("data").display().to_string()
    }

    /// Starts the server, also again.
    pub(crate) fn begin(&self) {
        let sockets = format!("unix_socket_directories={}", self.folder.path().display());
        let data = self.data();
        let settings = [
            "listen_addresses=",
            "max_connections=300",
            "fsync=off",
            &sockets,
        ];
        let settings = settings.iter().flat_map(|setting| ["-c", setting]);
        let args: Vec<_> = ["-D", &data].into_iter().chain(settings).collect();
        let child = self.command("postgres", &args).spawn().unwrap();
        *self.running.lock().unwrap() = Some(child);
        let is_ready = || self.state().is_some_and(|state| state.contains("ready"));
        for _ in 0..6000 {
            if is_ready() {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("the server does not start");
    }

    /// What the server says of itself: first the id of its process.
    fn state(&self) -> Option<String> {
        std::fs::read_to_string(Path::new(&self.data()).join("postmaster.pid")).ok()
    }

    /// Ends the server, as a crash of all its processes does.
    pub(crate) fn end(&self) {
        let Some(mut child) = self.running.lock().unwrap().take() else {
            return;
        };
        let id = || {
            let state = self.state()?;
            Pid::from_raw(state.lines().next()?.parse().ok()?)
        };
        // Asked again: a server that is about to start may not have said its id.
        for _ in 0..600 {
            if let Some(server) = id() {
                let _ = kill_process(server, Signal::QUIT);
            }
            if child.try_wait().unwrap().is_some() {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        // What starts it for another user hands nothing else on.
        let _ = child.kill();
        let _ = child.wait();
    }

    /// Makes a database.
    pub(crate) async fn database(&self, name: &str) -> Place {
        let socket = self.folder.path().display();
        let address = |name| format!("postgres:///{name}?host={socket}&user=hooks");
        let mut connection = PgConnection::connect(&address("postgres")).await.unwrap();
        let sql = format!("CREATE DATABASE {name}");
        let create = sqlx::query(AssertSqlSafe(sql));
        create.execute(&mut connection).await.unwrap();
        Place::at(address(name))
    }

    fn command(&self, program: &str, args: &[&str]) -> Command {
        let program = self.programs.join(program);
        let mut command = match self.user {
            Some(user) => {
                let mut command = Command::new("runuser");
                command.args(["-u", user, "--"]).arg(&program);
                command
            }
            None => Command::new(&program),
        };
        command.args(args).current_dir("/").stdin(Stdio::null());
        // A server keeps what it inherits, so it inherits no pipe.
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    }
}

/// The folder with `initdb` and `postgres`: the one that `HOOKS_POSTGRES` names, or that of the newest version here.
fn programs() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("HOOKS_POSTGRES") {
        return Some(named.into());
    }
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter();
    let versions = versions.flatten().flatten();
    let number = |path: &PathBuf| path.file_name()?.to_str()?.parse::<u32>().ok();
    let newest = versions.map(|version| version.path()).max_by_key(number)?;
    Some(newest.join("bin"))
}

fn exists(user: &str) -> bool {
    let users = std::fs::read_to_string(Path::new("/etc/passwd")).unwrap_or_default();
    users
        .lines()
        .any(|line| line.starts_with(&format!("{user}:")))
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end();
    }
}

/// Databases for tests: a new one for each.
pub(crate) enum Databases {
    Own(Server),
    /// The address up to the name of the database.
    Given(String),
}

impl Databases {
    pub(crate) fn find() -> Self {
        match std::env::var("DATABASE_URL") {
            Ok(address) => Databases::Given(address),
            Err(_) => Databases::Own(Server::start()),
        }
    }

    pub(crate) async fn create(&self, name: &str) -> Place {
        match self {
            Databases::Own(server) => server.database(name).await,
            Databases::Given(address) => {
                // A schema of its own, in the database that was given.
                let name = format!("hooks_{}_{name}", std::process::id());
                let pool = sqlx::PgPool::connect(address).await.unwrap();
                let sql = format!("CREATE SCHEMA {name}");
                sqlx::query(sqlx::AssertSqlSafe(sql))
                    .execute(&pool)
                    .await
                    .unwrap();
                let and = if address.contains('?') { '&' } else { '?' };
                Place::at(format!("{address}{and}options=-csearch_path%3D{name}"))
            }
        }
    }
}
