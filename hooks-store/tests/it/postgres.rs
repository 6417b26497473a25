//! A server of Postgres for the tests: the one that `DATABASE_URL` names, or one of their own.
//!
//! Its own one has a folder, a socket in it and no other door. Root cannot run a server, so then somebody else does.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::common::Place;

/// A server that ends with the value.
pub(crate) struct Server {
    programs: PathBuf,
    folder: TempDir,
    user: Option<&'static str>,
}

impl Server {
    /// Starts a server, if there are the programs for it. Says why not otherwise.
    pub(crate) fn start() -> Option<Self> {
        let mut versions: Vec<_> = std::fs::read_dir("/usr/lib/postgresql")
            .into_iter()
            .flatten()
            .collect();
        versions.sort_by_key(|version| version.as_ref().map(std::fs::DirEntry::path).ok());
        let Some(Ok(version)) = versions.pop() else {
            eprintln!(
                "SKIPPED: there is no `DATABASE_URL`, and no Postgres in /usr/lib/postgresql"
            );
            return None;
        };
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
            programs: version.path().join("bin"),
            folder,
            user,
        };
        server.run(
            "initdb",
            &["-A", "trust", "-U", "hooks", "-D", &server.data()],
        );
        server.begin();
        Some(server)
    }

    fn data(&self) -> String {
        self.folder.path().join("data").display().to_string()
    }

    /// Starts the server, also again.
    pub(crate) fn begin(&self) {
        let socket = self.folder.path().display();
        let options = format!("-c listen_addresses='' -c unix_socket_directories='{socket}'");
        let log = self.folder.path().join("log").display().to_string();
        self.run(
            "pg_ctl",
            &[
                "-w",
                "-D",
                &self.data(),
                "-l",
                &log,
                "-o",
                &options,
                "start",
            ],
        );
    }

    /// Ends the server, as a loss of power does.
    pub(crate) fn end(&self) {
        self.run(
            "pg_ctl",
            &["-w", "-m", "immediate", "-D", &self.data(), "stop"],
        );
    }

    /// Makes a database.
    pub(crate) fn database(&self, name: &str) -> Place {
        let socket = self.folder.path().display().to_string();
        self.run("createdb", &["-h", &socket, "-U", "hooks", name]);
        Place::at(format!("postgres:///{name}?host={socket}&user=hooks"))
    }

    fn run(&self, program: &str, args: &[&str]) {
        let program = self.programs.join(program);
        let mut command = match self.user {
            Some(user) => {
                let mut command = Command::new("runuser");
                command.args(["-u", user, "--"]).arg(&program);
                command
            }
            None => Command::new(&program),
        };
        let command = command.args(args).current_dir("/").stdin(Stdio::null());
        // A server keeps what it inherits, so it inherits no pipe.
        let status = command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap();
        assert!(status.success(), "{} {args:?}", program.display());
    }
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
    pub(crate) fn find() -> Option<Self> {
        match std::env::var("DATABASE_URL") {
            Ok(address) => Some(Databases::Given(address)),
            Err(_) => Server::start().map(Databases::Own),
        }
    }

    pub(crate) async fn create(&self, name: &str) -> Place {
        match self {
            Databases::Own(server) => server.database(name),
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
