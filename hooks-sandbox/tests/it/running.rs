//! How a program runs: its exit code, its signals, its environment, its limits, and what is left afterwards.

use std::fs;
use std::io::Read as _;
use std::process::{Command, Output, Stdio};

use libtest_mimic::Trial;

use crate::agent::{Mode, copy_program, executable};
use crate::place::Place;
use crate::{Tested, check, test};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        test("running::the_exit_code_is_the_programs", exit_code),
        test("running::a_signal_reaches_the_program", signal),
        test(
            "running::the_program_ends_with_its_supervisor",
            supervisor_dies,
        ),
        test(
            "running::a_folder_in_the_place_of_an_allowed_one_is_refused",
            other_folder,
        ),
        test(
            "running::a_link_in_the_place_of_an_allowed_folder_is_refused",
            other_link,
        ),
        test("running::a_path_that_is_not_there_is_an_error", no_path),
        test("running::two_sandboxes_share_a_place_holder", two_at_once),
        test("running::what_is_hidden_is_there_and_closed", hidden),
        test("running::a_path_you_write_yourself_is_protected", yours),
        test(
            "running::a_folder_on_the_way_to_a_place_holder_is_yours",
            on_the_way,
        ),
        test("running::a_link_to_nowhere_is_protected", link_to_nowhere),
        test(
            "running::a_workspace_may_be_in_a_protected_folder",
            workspace_of_an_agent,
        ),
        test("running::limits_hold", limits),
        test("running::a_variable_comes_along_if_you_name_it", variable),
        test("running::a_socket_you_name_is_reached", socket),
        test("running::the_times_of_files_can_be_set", times),
        test("running::an_open_port_is_reached", port),
        test("running::the_whole_network_is_reached", network),
        test(
            "running::a_program_with_a_path_may_be_read",
            program_by_path,
        ),
        test("running::nothing_is_left_of_a_run", nothing_left),
        test(
            "running::no_file_is_written_where_nobody_sees_it",
            unseen_folder,
        ),
    ]
}

fn sh(mode: Mode, options: &str, script: &str) -> (Place, Output) {
    let place = Place::new(mode);
    let options = options.replace("PLACE", place.path().to_str().expect("UTF-8"));
    let words = place.words();
    let mut all = vec!["bash", "-c", script, "bash"];
    all.extend(words.iter().map(String::as_str));
    let output = mode.run(place.path(), &options, &all);
    (place, output)
}

/// Runs a script in all modes, or in those with namespaces, and compares what it prints.
fn prints(
    modes: impl Iterator<Item = Mode>,
    options: &str,
    script: &str,
    expected: &str,
) -> Tested {
    for mode in modes {
        let (_place, output) = sh(mode, options, script);
        let text = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        check(
            text.trim_end() == expected,
            format!("{mode:?}: {text}{errors}"),
        )?;
    }
    Ok(())
}

fn all() -> impl Iterator<Item = Mode> {
    Mode::all().into_iter()
}

fn with_namespaces() -> impl Iterator<Item = Mode> {
    all().filter(|mode| mode.has_namespaces)
}

fn exit_code() -> Tested {
    for mode in all() {
        for (script, code) in [
            ("exit 0", 0),
            ("exit 7", 7),
            ("kill -9 $$", 137),
            ("kill $$", 143),
        ] {
            let (_, output) = sh(mode, "", script);
            check(
                output.status.code() == Some(code),
                format!("{mode:?}: {script}: {output:?}"),
            )?;
        }
        let place = Place::new(mode);
        for (program, code) in [("no-such-program", 127), ("./src", 126)] {
            let output = mode.run(place.path(), "", &[program]);
            check(
                output.status.code() == Some(code),
                format!("{mode:?}: {program}: {output:?}"),
            )?;
        }
    }
    Ok(())
}

/// Starts a script as a process of this one, with the supervisor as its only child.
fn started(mode: Mode, place: &Place, script: &str) -> std::io::Result<std::process::Child> {
    let mut command = mode.command(executable());
    command
        .arg("--agent")
        .arg(place.path())
        .arg(if mode.has_namespaces { "" } else { "alone" });
    command
        .args(["bash", "-c", script, "bash"])
        .args(place.words());
    command
        .env("HOME", place.path().join("home"))
        .current_dir(place.path().join("work"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()
}

/// The process that the agent has started: the supervisor.
fn supervisor(agent: u32) -> Result<rustix::process::Pid, Box<dyn std::error::Error>> {
    let children = fs::read_to_string(format!("/proc/{agent}/task/{agent}/children"))?;
    let child = children
        .split(' ')
        .next()
        .and_then(|pid| rustix::process::Pid::from_raw(pid.parse().ok()?));
    child.ok_or_else(|| "no supervisor".into())
}

fn signal() -> Tested {
    for mode in all() {
        let place = Place::new(mode);
        let mut agent = started(
            mode,
            &place,
            "trap 'echo got it; exit 3' TERM; echo ready; while :; do sleep 0.1; done",
        )?;
        let mut output = agent.stdout.take().ok_or("no output")?;
        output.read_exact(&mut [0; 6])?;
        rustix::process::kill_process(supervisor(agent.id())?, rustix::process::Signal::TERM)?;
        let mut text = String::new();
        output.read_to_string(&mut text)?;
        let code = agent.wait()?.code();
        check(
            text == "got it\n" && code == Some(3),
            format!("{mode:?}: {text} {code:?}"),
        )?;
    }
    Ok(())
}

fn supervisor_dies() -> Tested {
    for mode in all() {
        let place = Place::new(mode);
        let mut agent = started(mode, &place, "echo ready; exec sleep 1000")?;
        let mut output = agent.stdout.take().ok_or("no output")?;
        output.read_exact(&mut [0; 6])?;
        rustix::process::kill_process(supervisor(agent.id())?, rustix::process::Signal::KILL)?;
        // The pipe ends when the last process that has it does.
        output.read_to_string(&mut String::new())?;
        agent.wait()?;
    }
    Ok(())
}

/// The rules are made, then something else takes the place of a path, then a program runs under the rules.
fn replaced(replace: &str) -> Tested {
    for mode in all() {
        let place = Place::new(mode);
        fs::create_dir(place.path().join("work/out"))?;
        fs::create_dir(place.path().join("work/out/sub"))?;
        let chown = Command::new("chown")
            .args(["-R", "--reference"])
            .arg(place.path())
            .arg(place.path().join("work/out"))
            .status()?;
        check(chown.success(), "chown")?;
        let options = format!(
            "write={0}/work/out/sub replace={replace}",
            place.path().display()
        );
        let output = mode.run(
            place.path(),
            &options,
            &["sh", "-c", "echo x > out/sub/new; cat out/sub/secret"],
        );
        let text = String::from_utf8_lossy(&output.stderr);
        check(
            output.status.code() == Some(125),
            format!("{mode:?}: it ran: {text}"),
        )?;
        check(text.contains("took its place"), text)?;
        check(
            !place.path().join("outside/new").exists(),
            "it has written outside",
        )?;
    }
    Ok(())
}

fn other_folder() -> Tested {
    replaced("folder")
}

fn other_link() -> Tested {
    replaced("link")
}

fn no_path() -> Tested {
    for mode in all() {
        let (_, output) = sh(mode, "write=PLACE/nothing best", "echo ran");
        let text = String::from_utf8_lossy(&output.stderr);
        check(
            text.contains("nothing cannot be opened for the sandbox") && output.stdout.is_empty(),
            text,
        )?;
    }
    Ok(())
}

/// While one still runs, the end of another must not free a name.
fn two_at_once() -> Tested {
    for mode in with_namespaces() {
        let place = Place::new(mode);
        let before = place.state();
        let mut first = started(
            mode,
            &place,
            "echo ready; read -r _; echo x > .mcp.json; mkdir -p .vscode/x; exit 0",
        )?;
        let mut output = first.stdout.take().ok_or("no output")?;
        output.read_exact(&mut [0; 6])?;
        let second = mode.run(place.path(), "", &["true"]);
        check(second.status.success(), "the second one runs")?;
        check(
            place.path().join("work/.mcp.json").exists(),
            "the place-holder is gone too early",
        )?;
        drop(first.stdin.take());
        first.wait()?;
        check(
            place.state() == before,
            format!("{mode:?}: something has changed"),
        )?;
    }
    Ok(())
}

fn hidden() -> Tested {
    prints(
        all(),
        "",
        "test -e .env && ! cat .env 2> /dev/null && echo closed",
        "closed",
    )
}

/// A protected name that is a link to nothing does not stop a start, and what it leads to is not made.
fn link_to_nowhere() -> Tested {
    for mode in with_namespaces() {
        let place = Place::new(mode);
        let work = place.path().join("work");
        std::os::unix::fs::symlink("src/settings", work.join(".vscode"))?;
        std::os::unix::fs::symlink(".idea", work.join(".idea"))?;
        let script = "(echo x > src/settings; mkdir src/settings) 2> /dev/null; echo ran";
        let output = mode.run(place.path(), "", &["sh", "-c", script]);
        check(output.stdout == b"ran\n", format!("{mode:?}: {output:?}"))?;
        check(!work.join("src/settings").exists(), "its target was made")?;
    }
    Ok(())
}

/// A workspace in a protected folder is one, but not what is protected in it.
fn workspace_of_an_agent() -> Tested {
    for mode in all() {
        let place = Place::new(mode);
        let tree = place.path().join("outside/.claude/worktrees/a");
        fs::create_dir_all(tree.join("src"))?;
        fs::create_dir_all(tree.join(".claude"))?;
        let mut chown = Command::new("chown");
        chown.arg("-R").arg("--reference").arg(place.path());
        let all = chown.arg(place.path().join("outside/.claude")).status()?;
        check(all.success(), "chown")?;
        let options = format!("write={0} write={0}/.claude", tree.display());
        let script = "cd $0 && echo x > src/a; echo x > .claude/settings.json; cat src/a";
        let mut agent = mode.command(executable());
        let alone = if mode.has_namespaces { "" } else { "alone" };
        agent.arg("--agent").arg(place.path());
        agent.arg(format!("{options} {alone}"));
        agent.args(["sh", "-c", script]).arg(&tree);
        let output = agent.current_dir(tree.join("src")).output()?;
        check(output.stdout == b"x\n", format!("{mode:?}: {output:?}"))?;
        let written = tree.join(".claude/settings.json").exists();
        check(!written, format!("{mode:?}: the agent is set"))?;
    }
    Ok(())
}

fn yours() -> Tested {
    for mode in all() {
        for (option, text) in [("write", "# as it was\n"), ("allow", "new\n")] {
            let options = format!("{option}=PLACE/work/hooks.toml");
            let (place, _) = sh(mode, &options, "echo new > hooks.toml");
            let written = fs::read_to_string(place.path().join("work/hooks.toml"))?;
            check(written == text, format!("{mode:?}: {option}: {written}"))?;
        }
    }
    Ok(())
}

/// What is protected below a folder that does not exist takes nothing else of it.
fn on_the_way() -> Tested {
    for mode in with_namespaces() {
        let script = "mkdir -p .github/workflows; echo x > .github/workflows/ci.yml; git status --porcelain | head -3";
        let (place, output) = sh(mode, "", script);
        let text = fs::read_to_string(place.path().join("work/.github/workflows/ci.yml"));
        check(
            text.is_ok_and(|text| text == "x\n"),
            format!("{mode:?}: {output:?}"),
        )?;
        let place = Place::new(mode);
        fs::create_dir(place.path().join("work/.vscode"))?;
        let options = format!(
            "allow={0}/work/.vscode allow={0}/work/.idea",
            place.path().display()
        );
        let mut chown = Command::new("chown");
        chown.arg("--reference").arg(place.path());
        chown.arg(place.path().join("work/.vscode"));
        check(chown.status()?.success(), "chown")?;
        let script = "echo x > .vscode/a && mkdir .idea && echo x > .idea/a && echo both";
        let output = mode.run(place.path(), &options, &["sh", "-c", script]);
        check(output.stdout == b"both\n", format!("{mode:?}: {output:?}"))?;
    }
    Ok(())
}

fn limits() -> Tested {
    prints(
        all(),
        "size=1000",
        "(head -c 2000 /dev/zero > src/code) 2> /dev/null; stat -c %s src/code",
        "1000",
    )?;
    prints(
        all(),
        "memory=100000000",
        "perl -e 'my $x = \"a\" x 200000000; print \"much\"' 2> /dev/null || echo refused",
        "refused",
    )?;
    prints(all(), "cpu=1", "ulimit -t", "1")?;
    prints(all(), "processes=500", "ulimit -u", "500")?;
    prints(all(), "", "ulimit -c", "0")
}

fn variable() -> Tested {
    prints(
        all(),
        "env=SECRET_*",
        "echo ${SECRET_TOKEN:+known}",
        "known",
    )?;
    prints(
        all(),
        "",
        "echo ${SECRET_TOKEN:+known}${PATH:+path}",
        "path",
    )
}

fn socket() -> Tested {
    for mode in with_namespaces() {
        let script =
            "perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new($ARGV[0]) or die' $1/outside/socket";
        let (place, output) = sh(mode, "unix=PLACE/outside/socket", script);
        check(
            place.visitors() == ["a socket by path"],
            String::from_utf8_lossy(&output.stderr),
        )?;
    }
    // Without namespaces, nothing limits which sockets: that is an error.
    for mode in all().filter(|mode| !mode.has_namespaces) {
        let (_, output) = sh(mode, "unix=PLACE/outside/socket", "echo ran");
        check(
            output.stdout.is_empty() && !output.status.success(),
            format!("{output:?}"),
        )?;
    }
    Ok(())
}

fn port() -> Tested {
    for mode in all() {
        let place = Place::new(mode);
        let port = &place.words()[1];
        let script = format!("echo x > /dev/tcp/127.0.0.1/{port}");
        let output = mode.run(
            place.path(),
            &format!("connect={port}"),
            &["bash", "-c", &script],
        );
        check(
            place.visitors() == ["TCP"],
            format!("{mode:?}: {}", String::from_utf8_lossy(&output.stderr)),
        )?;
    }
    Ok(())
}

fn network() -> Tested {
    for mode in all() {
        let (place, output) = sh(
            mode,
            "network",
            "echo x > /dev/tcp/127.0.0.1/$2; echo x > /dev/udp/127.0.0.1/$4",
        );
        check(
            place.visitors() == ["TCP", "UDP"],
            format!("{mode:?}: {}", String::from_utf8_lossy(&output.stderr)),
        )?;
    }
    Ok(())
}

/// One line of the table allows it under a condition, and another one without.
fn times() -> Tested {
    let script = "touch -d @1 src/code && stat -c %Y src/code";
    prints(with_namespaces(), "", script, "1")
}

fn program_by_path() -> Tested {
    for mode in all() {
        let place = Place::new(mode);
        copy_program("/bin/echo".as_ref(), &place.path().join("outside/echo"));
        let program = place.path().join("outside/echo");
        let output = mode.run(
            place.path(),
            "",
            &[program.to_str().ok_or("UTF-8")?, "fine"],
        );
        check(
            output.stdout == b"fine\n",
            String::from_utf8_lossy(&output.stderr),
        )?;
    }
    Ok(())
}

/// The program starts in a temporary folder that it may not see.
fn unseen_folder() -> Tested {
    for mode in all() {
        let place = Place::new(mode);
        let mut agent = mode.command(executable());
        agent.arg("--agent").arg(place.path());
        agent.arg(if mode.has_namespaces { "" } else { "alone" });
        agent.args(["sh", "-c", "echo x > new"]);
        let output = agent
            .env("HOME", place.path().join("home"))
            .current_dir(place.path().join("outside"))
            .output()?;
        let text = String::from_utf8_lossy(&output.stderr);
        check(
            !output.status.success() && text.contains("/outside/new: not allowed"),
            format!("{mode:?}: {text}"),
        )?;
    }
    Ok(())
}

fn nothing_left() -> Tested {
    for mode in all() {
        let place = Place::new(mode);
        let own = place.path().join("home/tmp");
        fs::create_dir(&own)?;
        let chown = Command::new("chown")
            .arg("--reference")
            .arg(place.path())
            .args([&own])
            .status()?;
        check(chown.success(), "chown")?;
        let before: Vec<_> = names(&place.path().join("work"))?;
        let mut agent = mode.command(executable());
        agent
            .env("TMPDIR", &own)
            .arg("--agent")
            .arg(place.path())
            .arg(if mode.has_namespaces { "" } else { "alone" });
        let status = agent
            .current_dir(place.path().join("work"))
            .args([
                "sh",
                "-c",
                "t=${TMPDIR:-/tmp}; mkdir $t/x; chmod 0 $t/x; mktemp",
            ])
            .stdout(Stdio::null())
            .status()?;
        check(status.success(), "it runs")?;
        check(
            names(&own)?.is_empty(),
            format!("{mode:?}: temporary files are left: {:?}", names(&own)?),
        )?;
        check(
            names(&place.path().join("work"))? == before,
            "place-holders are left",
        )?;
    }
    Ok(())
}

fn names(folder: &std::path::Path) -> std::io::Result<Vec<std::ffi::OsString>> {
    let mut names: Vec<_> = fs::read_dir(folder)?
        .map(|entry| Ok(entry?.file_name()))
        .collect::<std::io::Result<_>>()?;
    names.sort();
    Ok(names)
}
