//! What comes back of what was refused.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::process::Output;
use std::{fs, thread};

use hooks_sandbox::{Attempt, Reason, Refused, Report};
use libtest_mimic::Trial;

use crate::agent::Mode;
use crate::place::Place;
use crate::{Tested, check, test};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        test("reports::a_refused_path_is_named", paths),
        test("reports::a_refused_system_call_is_named", calls),
        test("reports::what_works_is_not_named", quiet),
        test("reports::a_call_fails_as_it_does_untraced", same_errors),
        test("reports::a_host_is_reached_or_named", hosts),
        test("reports::the_proxy_is_the_only_way_out", only_way),
        test("reports::a_report_can_go_to_a_file", file),
        test(
            "reports::a_link_in_the_place_of_the_file_is_not_followed",
            link,
        ),
        test("reports::an_untraced_program_has_its_hosts_named", untraced),
        test(
            "reports::real_time_signals_need_an_untraced_program",
            real_time,
        ),
        test("reports::a_filter_of_the_program_opens_nothing", own_filter),
    ]
}

/// Runs a script, and returns what it printed and what was refused.
fn sh(mode: Mode, options: &str, script: &str) -> (Place, Output, Report) {
    let place = Place::new(mode);
    let options = options.replace("PLACE", place.path().to_str().expect("UTF-8"));
    let output = mode.run(place.path(), &options, &["bash", "-c", script]);
    let report = Report::parse(&String::from_utf8_lossy(&output.stderr));
    (place, output, report)
}

fn refused(attempt: Attempt, target: impl Into<String>) -> Refused {
    let (target, reason) = (target.into(), Reason::NotAllowed);
    Refused {
        attempt,
        target,
        reason,
    }
}

/// Fails unless a report is exactly this.
fn equal(mode: Mode, output: &Output, report: &Report, expected: Vec<Refused>) -> Tested {
    let errors = String::from_utf8_lossy(&output.stderr);
    check(report.refused == expected, format!("{mode:?}: {errors}"))
}

fn paths() -> Tested {
    for mode in Mode::all() {
        let script = "cat ../outside/secret ../outside/secret; echo x > ../outside/new; cd src; echo x >> ../hooks.toml; \
                      mkdir ../.claude/x; rm ../.git/hooks/sample; ../../outside/file; exit 4";
        let (place, output, report) = sh(mode, "", script);
        check(
            output.status.code() == Some(4),
            format!("{mode:?}: {output:?}"),
        )?;
        let expected = [
            (Attempt::Read, "outside/secret"),
            (Attempt::Write, "outside/new"),
            (Attempt::Write, "work/hooks.toml"),
            (Attempt::Write, "work/.claude/x"),
            (Attempt::Write, "work/.git/hooks/sample"),
            (Attempt::Run, "outside/file"),
        ];
        let at = |name: &str| place.path().join(name).display().to_string();
        let expected = expected.map(|(attempt, name)| refused(attempt, at(name)));
        equal(mode, &output, &report, expected.into())?;
    }
    Ok(())
}

fn calls() -> Tested {
    for mode in Mode::all() {
        let script = "python3 -c \"import socket\ntry: socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\nexcept PermissionError: print('no UDP')\"; unshare -U true";
        let (_place, output, report) = sh(mode, "", script);
        check(
            output.stdout == b"no UDP\n",
            format!("{mode:?}: {output:?}"),
        )?;
        let expected = ["socket for UDP", "unshare"].map(|name| refused(Attempt::Call, name));
        equal(mode, &output, &report, expected.into())?;
    }
    Ok(())
}

fn quiet() -> Tested {
    for mode in Mode::all() {
        let script = "cd deploy; ls -l; echo x > new; cat new none; mv new newer; rm newer; mkdir -p a/b; rmdir a/b a; mktemp; PATH=/root/none:/etc/shadow:$PATH env true";
        let (_place, output, report) = sh(mode, "", script);
        equal(mode, &output, &report, Vec::new())?;
    }
    Ok(())
}

/// The errors of many calls, traced and not.
fn same_errors() -> Tested {
    for mode in Mode::all() {
        let script = "python3 -c 'import ctypes
call = ctypes.CDLL(None, use_errno=True).syscall
for number in [101, 155, 161, 165, 169, 175, 246, 248, 272, 298, 304, 310, 321, 323, 425, 428, 435, 999]:
    ctypes.set_errno(0)
    print(number, call(number, 0, 0, 0, 0, 0, 0), ctypes.get_errno())'";
        let (_place, traced, report) = sh(mode, "", script);
        let (_place, untraced, _) = sh(mode, "untraced", script);
        check(
            !traced.stdout.is_empty() && traced.stdout == untraced.stdout,
            format!("{mode:?}: {traced:?} {untraced:?}"),
        )?;
        check(
            report.refused.contains(&refused(Attempt::Call, "ptrace")),
            format!("{mode:?}: {report}"),
        )?;
    }
    Ok(())
}

/// A server that answers one request. Returns its port.
fn server() -> std::io::Result<u16> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let port = listener.local_addr()?.port();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut stream = stream;
            let _ = stream.read(&mut [0; 1000]);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello");
        }
    });
    Ok(port)
}

fn hosts() -> Tested {
    for mode in Mode::all() {
        let port = server()?;
        let script = format!(
            "curl -s --noproxy '' http://localhost:{port}/; curl -s --noproxy '' http://localhost/; curl -s http://evil.example/"
        );
        let options = format!("domain=localhost:{port}");
        let (_place, output, report) = sh(mode, &options, &script);
        let host = |target: &str, reason| Refused {
            attempt: Attempt::Connect,
            target: target.into(),
            reason,
        };
        equal(
            mode,
            &output,
            &report,
            vec![
                host("localhost:80", Reason::OtherPort),
                host("evil.example:80", Reason::NotListed),
            ],
        )?;
        let text = String::from_utf8_lossy(&output.stdout);
        check(
            text.starts_with("hello")
                && text.contains("evil.example:80 is refused: not among the allowed hosts"),
            text,
        )?;
    }
    Ok(())
}

fn only_way() -> Tested {
    for mode in Mode::all() {
        let port = server()?;
        let script = format!("echo x > /dev/tcp/127.0.0.1/{port}");
        let (_place, output, report) = sh(mode, "domain=example.com", &script);
        check(!output.status.success(), format!("{mode:?}: it got out"))?;
        // In a network of its own, nobody listens there.
        let expected = refused(Attempt::Connect, format!("127.0.0.1:{port}"));
        let expected = if mode.has_namespaces {
            vec![]
        } else {
            vec![expected]
        };
        equal(mode, &output, &report, expected)?;
    }
    Ok(())
}

fn file() -> Tested {
    for mode in Mode::all() {
        let script = "cat ../outside/secret";
        let (place, output, report) = sh(mode, "report=PLACE/home/report", script);
        equal(mode, &output, &report, Vec::new())?;
        let text = fs::read_to_string(place.path().join("home/report"))?;
        let report: Report = serde_json::from_str(&text)?;
        let secret = place.path().join("outside/secret").display().to_string();
        equal(mode, &output, &report, vec![refused(Attempt::Read, secret)])?;
    }
    Ok(())
}

fn link() -> Tested {
    for mode in Mode::all() {
        let (_place, output, _) = sh(
            mode,
            "report=PLACE/work/link-out/../work/hooks.lock",
            "echo ran",
        );
        check(output.stdout.is_empty(), format!("{mode:?}: {output:?}"))?;
    }
    Ok(())
}

fn untraced() -> Tested {
    for mode in Mode::all() {
        let script = "cat ../outside/secret; curl -s http://evil.example/";
        let (_place, output, report) = sh(mode, "untraced domain=example.com", script);
        let evil = Refused {
            attempt: Attempt::Connect,
            target: "evil.example:80".into(),
            reason: Reason::NotListed,
        };
        equal(mode, &output, &report, vec![evil])?;
    }
    Ok(())
}

fn real_time() -> Tested {
    for mode in Mode::all() {
        let script = "trap 'echo got it' 40; kill -40 $$; echo on";
        let (_place, traced, _) = sh(mode, "", script);
        let errors = String::from_utf8_lossy(&traced.stderr);
        check(
            traced.status.code() == Some(125) && errors.contains("do not trace it"),
            format!("{mode:?}: {traced:?}"),
        )?;
        let (_place, untraced, _) = sh(mode, "untraced", script);
        check(
            untraced.stdout == b"got it\non\n",
            format!("{mode:?}: {untraced:?}"),
        )?;
    }
    Ok(())
}

/// A program with a filter of its own, which asks a tracer or a supervisor about a refused call, or allows it, or answers
/// with the signal.
fn own_filter() -> Tested {
    for mode in Mode::all() {
        for (action, expected) in [
            ("0x7ff00000", "0 -1\n"),
            ("0x7ff00001", "0 -1\n"),
            ("0x7fc00000", "0 -1\n"),
            ("0x7fff0000", "0 -1\n"),
            ("0x30000", "0 -1\n"),
            // It gets its own signal, and dies of it.
            ("0x30001", ""),
        ] {
            let script = format!(
                "python3 -c 'import ctypes, struct
libc = ctypes.CDLL(None, use_errno=True)
code = struct.pack(\"HBBI\" * 4, 0x20, 0, 0, 0, 0x15, 0, 1, 272, 0x6, 0, 0, {action}, 0x6, 0, 0, 0x7fff0000)
text = ctypes.create_string_buffer(code)
program = struct.pack(\"HxxxxxxQ\", 4, ctypes.addressof(text))
print(libc.prctl(22, 2, program), libc.unshare(0x10000000))'"
            );
            let (_place, output, _) = sh(mode, "", &script);
            check(
                output.stdout == expected.as_bytes(),
                format!("{mode:?} {action}: {output:?}"),
            )?;
        }
    }
    Ok(())
}
