//! What was refused, in words and back.

use super::{Attempt, Reason, Refused, Report};

fn refused(attempt: Attempt, target: &str, reason: Reason) -> Refused {
    Refused {
        attempt,
        target: target.to_owned(),
        reason,
    }
}

#[test]
fn each_line_says_one_thing_and_can_be_read_back() {
    let report: Report = [
        (Attempt::Read, "/home/u/a b: c", Reason::NotAllowed),
        (Attempt::Write, "/home/u/.bashrc", Reason::NotAllowed),
        (Attempt::Run, "/opt/tool", Reason::NotAllowed),
        (Attempt::Connect, "/run/docker.sock", Reason::NotAllowed),
        (Attempt::Connect, "1.2.3.4:443", Reason::NotAllowed),
        (Attempt::Connect, "evil.com:443", Reason::NotListed),
        (Attempt::Connect, "example.com:22", Reason::OtherPort),
        (Attempt::Connect, "example.com:80", Reason::NotPublic),
        (Attempt::Listen, "[::]:80", Reason::NotAllowed),
        (Attempt::Call, "socket for UDP", Reason::NotAllowed),
    ]
    .map(|(attempt, target, reason)| refused(attempt, target, reason))
    .into_iter()
    .collect();
    let text = report.to_string();
    expect_test::expect![[r"
        sandbox: tried to read /home/u/a b: c: not allowed
        sandbox: tried to write /home/u/.bashrc: not allowed
        sandbox: tried to run /opt/tool: not allowed
        sandbox: tried to connect to /run/docker.sock: not allowed
        sandbox: tried to connect to 1.2.3.4:443: not allowed
        sandbox: tried to connect to evil.com:443: not among the allowed hosts
        sandbox: tried to connect to example.com:22: allowed, but not on this port
        sandbox: tried to connect to example.com:80: its address is not public
        sandbox: tried to listen on [::]:80: not allowed
        sandbox: tried to make the system call socket for UDP: not allowed
    "]]
    .assert_eq(&text);
    let stderr =
        format!("make: failed\n{text}sandbox: tried to do harm\nsandbox: tried to read /a\n");
    assert_eq!(Report::parse(&stderr), report);
    let json = serde_json::to_string(&report).unwrap();
    assert_eq!(serde_json::from_str::<Report>(&json).unwrap(), report);
}

#[test]
fn each_thing_stands_once_and_in_the_order_of_the_first_attempts() {
    let [a, b] = ["/a", "/b"].map(|name| refused(Attempt::Read, name, Reason::NotAllowed));
    let tried = [&b, &a, &b, &b, &a].map(Clone::clone);
    let report: Report = tried.into_iter().collect();
    assert_eq!(report.refused, [b, a]);
}

#[test]
fn a_report_has_fifty_lines_at_most() {
    let write = |number: u32| refused(Attempt::Write, &format!("/{number}"), Reason::NotAllowed);
    let report: Report = (0..1000).map(write).collect();
    assert_eq!(report.to_string().lines().count(), 50);
}

#[test]
fn a_name_begins_no_line_and_does_not_speak_to_the_terminal() {
    let name = "/x\nsandbox: tried to write /etc/passwd: not allowed\u{1b}]52;c;\r";
    let text = refused(Attempt::Write, name, Reason::NotAllowed).to_string();
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(!text.contains(['\u{1b}', '\r']), "{text}");
}
