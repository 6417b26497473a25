//! Rules as you write them: what is wrong is said before anything runs.

use hooks_sandbox::{Sandbox, SandboxError};
use libtest_mimic::Trial;

use crate::{Tested, check, test};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        test("writing::a_mistake_says_what_to_write", mistakes),
        test("writing::a_launcher_must_be_one", launcher),
        test("writing::a_check_runs_the_rules", check_of_rules),
        test("writing::a_launcher_stays_as_it_is", writable_launcher),
        test("writing::the_words_are_those_of_the_command", words),
        test(
            "writing::an_explanation_names_each_rule_and_its_origin",
            explained,
        ),
    ]
}

fn mistakes() -> Tested {
    let here = tempfile::tempdir()?;
    let folder = here.path();
    let cases = [
        (Sandbox::new().network().connect(443), "leave one out"),
        (
            Sandbox::new().network().domain("example.com"),
            "leave one out",
        ),
        (
            Sandbox::new().write(folder).hide(folder),
            "is both hidden and allowed: leave one out",
        ),
        (
            Sandbox::new().domain("https://example.com"),
            "`https://example.com` names no hosts: write `example.com`",
        ),
        (
            Sandbox::new().presets(["gti"]),
            "`gti` is not a preset: there are git, cargo, ",
        ),
        (
            Sandbox::new().read(folder.join("nothing")),
            "cannot be opened for the sandbox: No such file",
        ),
        (
            Sandbox::new().unix(folder.join("nothing")),
            "cannot be opened for the sandbox: No such file",
        ),
    ];
    for (sandbox, text) in cases {
        let error = sandbox.prepare().err().ok_or("it is accepted")?.to_string();
        check(
            error.contains(text),
            format!("{error:?} does not say {text:?}"),
        )?;
    }
    Ok(())
}

fn launcher() -> Tested {
    // `cat` knows no such argument, and does not answer as a launcher does.
    let cat = Sandbox::new().launcher("/bin/cat").prepare()?;
    for error in [cat.explain().err(), cat.check().err()] {
        check(
            matches!(error, Some(SandboxError::Launcher { .. })),
            format!("{error:?}"),
        )?;
    }
    Ok(())
}

/// Copies this executable. A process of its own writes it: a file that is open here to be written might be handed on to a
/// child of another test, and could not be run.
fn copy_of_this(place: &std::path::Path) -> Tested {
    let copied = std::process::Command::new("cp")
        .arg(std::env::current_exe()?)
        .arg(place)
        .status()?;
    check(copied.success(), "it cannot be copied")
}

fn check_of_rules() -> Tested {
    Sandbox::new().prepare()?.check()?;
    // Another launcher than this executable is tried out.
    let folder = tempfile::tempdir()?;
    let launcher = folder.path().join("agent");
    copy_of_this(&launcher)?;
    Ok(Sandbox::new().launcher(&launcher).prepare()?.check()?)
}

fn writable_launcher() -> Tested {
    let folder = tempfile::tempdir()?;
    let launcher = folder.path().join("agent");
    copy_of_this(&launcher)?;
    let confinement = Sandbox::new()
        .write(folder.path())
        .launcher(&launcher)
        .prepare()?;
    let script =
        "mv \"$0\" x; rm -f \"$0\"; echo > \"$0\"; cp /bin/true \"$0.new\"; mv \"$0.new\" \"$0\"";
    let mut command = confinement.command("sh", ["-c", script]);
    let output = command.arg(&launcher).output()?;
    check(
        std::fs::read(&launcher)? == std::fs::read(std::env::current_exe()?)?,
        format!("{output:?}"),
    )
}

fn words() -> Tested {
    let confinement = Sandbox::new().prepare()?;
    let words = confinement.words("echo", ["a b", "c"]);
    let command = confinement.command("echo", ["a b", "c"]);
    let all: Vec<_> = [command.get_program()]
        .into_iter()
        .chain(command.get_args())
        .collect();
    check(all == words, format!("{all:?}"))?;
    if cfg!(not(any(target_os = "linux", target_os = "macos"))) {
        return Ok(());
    }
    let script = confinement.shell_prefix() + "echo 'a b' c";
    let output = std::process::Command::new("sh")
        .args(["-c", &script])
        .output()?;
    check(output.stdout == b"a b c\n", format!("{output:?}"))
}

fn explained() -> Tested {
    let here = tempfile::tempdir()?;
    let folder = here.path().canonicalize()?;
    let sandbox = Sandbox::new()
        .write(&folder)
        .protect(folder.join("x"))
        .domain("example.com");
    let text = sandbox.clone().prepare()?.explain()?.to_string();
    let folder = folder.display();
    for line in [
        format!("writes {folder}  (your rule)\n"),
        format!("keeps {folder}/x  (your rule)\n"),
        "reaches example.com through the proxy  (your rule)\n".into(),
        "  (system)\n".into(),
        "limit of the sandbox here: a hard link that was made before leads to a protected file\n"
            .into(),
    ] {
        check(text.contains(&line), format!("{line:?} is not in\n{text}"))?;
    }
    let alone = sandbox
        .without_namespaces()
        .prepare()?
        .explain()?
        .to_string();
    check(
        alone.contains("limit of the sandbox here: without user namespaces, "),
        alone,
    )
}
