//! What whoever runs a daemon does: tokens, backups, upgrades, options.

use std::path::Path;

use serde_json::{Value, json as value};

use crate::common::{Said, command, hooks, json, run};
use crate::daemon::{started, store};

const URL: &str = "sqlite:hooks.db";

fn asked(folder: &Path, args: &[&str]) -> Said {
    let mut command = command(folder, args);
    command.env("HOOKS_STORE", URL);
    run(command, "")
}

fn done(folder: &Path, args: &[&str]) -> Value {
    let said = asked(folder, &[&["--json"], args].concat());
    assert_eq!(said.code, 0, "{args:?}: {said:?}");
    if said.out.is_empty() {
        return Value::Null;
    }
    json(&said.out)
}

#[test]
fn a_token_is_made_listed_replaced_and_ended() {
    let folder = tempfile::tempdir().unwrap();
    let new = [
        "token", "new", "--role", "owner", "--tenant", "acme", "--name", "ci",
    ];
    let missing = asked(folder.path(), &new);
    assert_eq!(missing.code, 2);
    assert!(
        missing.errors.contains("`hooks serve --store`"),
        "{missing:?}"
    );
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);

    store(folder.path());
    let first = done(folder.path(), &[&new[..], &["--expires", "90d"]].concat());
    let id = first["id"].as_str().unwrap();
    let list = || done(folder.path(), &["token", "list"]);
    let listed = list();
    let (made, ends) = (&listed[0]["at"], &listed[0]["ends"]);
    let days = |time: &Value| time.as_str().unwrap().parse::<jiff::Timestamp>().unwrap();
    assert_eq!(
        days(ends).duration_since(days(made)).as_hours(),
        90 * 24 - 1
    );
    assert_eq!(listed[0]["tenant"], "acme");
    for wrong in [
        &["--expires", "-1h"][..],
        &["--expires", "soon"],
        &["--expires", "1mo"],
    ] {
        let said = asked(folder.path(), &[&new[..], wrong].concat());
        assert_ne!(said.code, 0, "{said:?}");
    }
    let second = done(folder.path(), &["token", "rotate", id, "--grace", "0s"]);
    assert_ne!(second["token"], first["token"]);
    let listed = asked(folder.path(), &["token", "list"]).out;
    assert_eq!(listed.matches(" ci ").count(), 2, "{listed}");
    assert!(!listed.contains("hks_"), "{listed}");
    let gone = asked(folder.path(), &["token", "rotate", id]);
    assert!(gone.errors.contains("no token"), "{gone:?}");

    let id = second["id"].as_str().unwrap();
    done(folder.path(), &["token", "revoke", id]);
    assert!(
        list()
            .as_array()
            .unwrap()
            .iter()
            .all(|token| token["id"] != id)
    );
    let gone = asked(folder.path(), &["token", "revoke", id]);
    assert!(
        gone.code == 2 && gone.errors.contains("`hooks token list`"),
        "{gone:?}"
    );
}

#[test]
fn a_store_is_backed_up_restored_and_brought_up_to_date() {
    let folder = tempfile::tempdir().unwrap();
    store(folder.path());
    let new = ["token", "new", "--role", "owner"];
    let token = done(folder.path(), &new);
    done(folder.path(), &["store", "backup", "-o", "backup"]);
    let again = asked(folder.path(), &["store", "backup", "-o", "backup"]);
    assert_eq!(again.code, 1);
    assert_eq!(
        again.errors.trim(),
        "error: backup is there already; name a new file"
    );
    let to = ["store", "restore", "backup", "--to", "sqlite:new.db"];
    done(folder.path(), &to);
    let again = asked(folder.path(), &to);
    assert!(
        again.errors.contains("new.db is there already"),
        "{again:?}"
    );
    let listed = done(
        folder.path(),
        &["token", "list", "--store", "sqlite:new.db"],
    );
    assert_eq!(listed[0]["id"], token["id"]);
    let keyless = asked(folder.path(), &["store", "restored", "sqlite:new.db"]);
    assert!(keyless.errors.contains("there is no key"), "{keyless:?}");
    let key = |name: &str| folder.path().join(name);
    std::fs::copy(key("hooks.db.key"), key("new.db.key")).unwrap();
    assert_eq!(
        done(folder.path(), &["store", "restored", "sqlite:new.db"]),
        value!({ "tenants": 0 })
    );

    let up_to_date = value!({ "changes": [] });
    assert_eq!(
        done(folder.path(), &["store", "migrate", "--check"]),
        up_to_date
    );
    assert_eq!(
        done(folder.path(), &["store", "migrate", "sqlite:new.db"]),
        up_to_date
    );
    let missing = asked(folder.path(), &["store", "migrate", "sqlite:gone.db"]);
    assert!(
        missing.code == 2 && !folder.path().join("gone.db").exists(),
        "{missing:?}"
    );
    let said = asked(folder.path(), &["store", "reencrypt"]);
    assert!(
        said.out.starts_with("0 values are encrypted anew"),
        "{said:?}"
    );

    let postgres = "postgres://me:s3cret@db.example.com/hooks";
    for (args, tool) in [
        (&["store", "backup", postgres, "-o", "x"][..], "pg_dump"),
        (&["store", "restore", "x", "--to", postgres], "pg_restore"),
    ] {
        let said = asked(folder.path(), args);
        assert_eq!(said.code, 2, "{said:?}");
        assert!(
            said.errors.contains(tool) && said.errors.contains("postgres://me@db"),
            "{said:?}"
        );
        assert!(!said.errors.contains("s3cret"), "{said:?}");
    }
}

#[test]
fn options_come_from_the_command_line_the_environment_and_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let write = |text: &str| std::fs::write(folder.path().join("serve.toml"), text).unwrap();
    write(
        "store = 'sqlite:file.db'\nlisten = '127.0.0.1:0'\nno-login-link = true\nforbid = ['http', 'prompt']\n\
         tenant = 'acme'\nkeep-days = 7\ndemo = false\n",
    );
    let serve = |more: &[&str], variables: &[(&str, &str)]| {
        let args = ["serve", "--json", "--config", "serve.toml"];
        let mut command = command(folder.path(), &[&args, more].concat());
        command.envs(variables.iter().copied());
        command
    };
    let is_there = |name: &str| folder.path().join(name).exists();
    let errors = folder.path().join("errors");
    let told = || std::fs::read_to_string(&errors).unwrap();
    let first = || {
        let mut first = serve(&[], &[]);
        first.stderr(std::fs::File::create(&errors).unwrap());
        started(first)
    };
    let daemon = first();
    assert!(told().contains("a new one is made"), "{}", told());
    drop(daemon);
    let daemon = first();
    assert_eq!(told(), "");
    assert!(daemon.ready["listen"].is_string() && is_there("file.db"));
    assert_eq!(daemon.ready["login"], Value::Null);
    drop(daemon);
    drop(started(serve(
        &[],
        &[("HOOKS_STORE", "sqlite:variable.db")],
    )));
    assert!(is_there("variable.db"));
    let both = serve(
        &["--store", "sqlite:word.db"],
        &[("HOOKS_STORE", "sqlite:none.db")],
    );
    drop(started(both));
    assert!(is_there("word.db") && !is_there("none.db"));
    // A variable alone is enough, also for what needs a store.
    let mut alone = command(folder.path(), &["serve", "--json", "--tenant", "acme"]);
    alone
        .env("HOOKS_STORE", "sqlite:alone.db")
        .env("HOOKS_LISTEN", "127.0.0.1:0");
    let daemon = started(alone);
    assert!(daemon.ready["login"].is_string() && is_there("alone.db"));

    for (text, told) in [
        ("lisen = 'x'", "`lisen` is not an option"),
        ("config = 'x'", "`config` is not an option"),
        ("store = ", "serve.toml"),
        ("keep-days = 'many'", "--keep-days"),
    ] {
        write(text);
        let said = run(serve(&[], &[]), "");
        assert_eq!(said.code, 2, "{said:?}");
        assert!(said.errors.contains(told), "{said:?}");
    }
    let missing = hooks(folder.path(), &["serve", "--config", "gone.toml"], "");
    assert!(
        missing.code == 2 && missing.errors.contains("gone.toml"),
        "{missing:?}"
    );
    let mut help = command(folder.path(), &["serve", "--help"]);
    help.env("HOOKS_STORE", "postgres://me:s3cret@host/db");
    let help = run(help, "").out;
    assert!(
        help.contains("HOOKS_KEEP_DAYS") && !help.contains("s3cret"),
        "{help}"
    );
}
