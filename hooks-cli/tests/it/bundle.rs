//! `hooks bundle`.

use super::common::{hooks, json};

const FILE: &str = "[[hooks.on]]\nname = 'no'\nevent = 'BeforeToolCall'\ntools = ['deploy']\nblock = 'not today'\n";

#[test]
fn a_bundle_is_built_signed_verified_and_run() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("hooks.toml"), FILE).unwrap();
    let run = |args: &[&str]| hooks(here, args, "");

    let public = json(&run(&["bundle", "key", "new", "-o", "key.pem", "--json"]).out);
    let public = public["public"].as_str().unwrap();
    assert_ne!(
        run(&["bundle", "key", "new", "-o", "key.pem"]).code,
        0,
        "a key is never overwritten"
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = here
            .join("key.pem")
            .metadata()
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    let build = ["bundle", "build", "hooks.toml", "--revision", "3", "-o"];
    assert_eq!(run(&[&build[..], &["a.json"]].concat()).code, 0);
    assert_eq!(run(&[&build[..], &["b.json"]].concat()).code, 0);
    let read = |name: &str| std::fs::read_to_string(here.join(name)).unwrap();
    assert_eq!(
        read("a.json"),
        read("b.json"),
        "the same file gives the same bundle"
    );

    let verify = ["bundle", "verify", "a.json", "--key", public];
    let unsigned = run(&verify);
    assert_eq!(unsigned.code, 1);
    assert!(
        unsigned.errors.contains("the bundle has no signature"),
        "{}",
        unsigned.errors
    );
    assert_eq!(
        run(&["bundle", "sign", "a.json", "--key", "key.pem"]).code,
        0
    );
    assert_eq!(run(&verify).code, 0);

    let args = [
        "fire",
        "a.json",
        "--event",
        "BeforeToolCall",
        "--tool",
        "deploy",
        "--json",
    ];
    assert_eq!(json(&run(&args).out)["reason"], "not today");
    assert_eq!(run(&["check", "a.json"]).code, 0);
    let toml = run(&["bundle", "toml", "a.json"]).out;
    assert!(
        toml.contains("[[hooks.on]]") && toml.contains("not today"),
        "{toml}"
    );

    std::fs::write(
        here.join("a.json"),
        read("a.json").replace("not today", "any day"),
    )
    .unwrap();
    assert_eq!(run(&verify).code, 1);
    let diff = json(&run(&["bundle", "diff", "b.json", "a.json", "--json"]).out);
    assert_eq!(diff["changes"][0]["hook"], "no");
    assert_eq!(diff["changes"][0]["keys"][0], "block");
}
