//! Tests what the guarded agent prints.

use crate::common::run;

/// The lines below a heading, up to the next empty one.
fn section<'a>(printed: &'a str, heading: &str) -> Vec<&'a str> {
    let start = printed
        .find(heading)
        .unwrap_or_else(|| panic!("no {heading:?} in:\n{printed}"));
    printed[start..]
        .lines()
        .skip(2)
        .take_while(|line| !line.is_empty())
        .map(str::trim)
        .collect()
}

#[test]
fn every_hook_shows_what_it_did() {
    let printed = run("guarded_agent", &[], "").stdout;
    let blocked = section(&printed, "\nBlocked:");
    let by = |hook: &str| {
        blocked
            .iter()
            .filter(|line| line.contains(&format!("by {hook}: ")))
            .count()
    };
    assert_eq!(
        [
            by("SecurityPolicy"),
            by("BlockTools"),
            by("Approval"),
            by("RateLimit")
        ],
        [4, 1, 1, 4],
        "{printed}"
    );
    let rewritten = section(&printed, "\nRewritten:");
    assert!(
        rewritten
            .iter()
            .any(|line| line.starts_with("read: the path \"notes.txt\" became \"/"))
    );
    let asked = section(&printed, "\nAsked a person:");
    assert_eq!(asked.len(), 4, "{asked:?}");
    for (line, answer) in asked.iter().zip([": always", ": yes", ": yes", ": no"]) {
        assert!(line.ends_with(answer), "{line}");
    }
    assert!(
        printed.contains("Answered from the cache: 5 calls"),
        "{printed}"
    );
    assert_eq!(
        section(&printed, "\nRedacted:"),
        ["card: 1", "email: 2", "ticket: 1"]
    );
    assert_eq!(
        section(&printed, "\nLogged, the last three of 11:").len(),
        3
    );
    assert!(
        printed.contains("FIXME notes.txt >&2; then exit 1; fi`: 1:FIXME"),
        "{printed}"
    );
    let delivered = section(&printed, "\nDelivered: 4 of 4 audit events (0 dropped)");
    assert_eq!(delivered.len(), 3);
    assert!(
        delivered
            .iter()
            .all(|line| line.starts_with("{\"event\":\"tool_call\","))
    );
    // Redacted data appears nowhere else.
    let reply = printed
        .lines()
        .find(|line| line.starts_with("The reply: "))
        .unwrap_or_default();
    assert_eq!(reply, "The reply: It is done; write to [REDACTED:email].");
}

#[test]
#[cfg(target_os = "linux")]
fn a_build_script_does_not_get_the_key_outside() {
    let printed = run("guarded_agent", &[], "").stdout;
    assert!(
        printed.contains("the build script got Err(")
            && printed.contains("sandbox: tried to read ")
            && printed.contains("/key: not allowed"),
        "{printed}"
    );
    assert!(!printed.contains("production database"), "{printed}");
}

#[test]
fn help_runs_nothing() {
    let printed = run("guarded_agent", &["--help"], "").stdout;
    assert!(printed.contains("Usage: guarded_agent"), "{printed}");
    assert!(!printed.contains("The hooks:"), "{printed}");
}
