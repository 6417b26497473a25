//! The rules as a profile of macOS' Seatbelt, which `sandbox-exec` enforces.
//!
//! It is a list of rules of which the last that fits decides. Without namespaces, what does not exist yet is held by
//! its name, so no place-holder is needed.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::protect::PathHold;
use crate::rules::{ConfinementRules, PathAccess};

/// What every program needs.
const HEAD: &str = r#"(version 1)
(deny default)
(allow process-fork)
(allow process-exec)
(allow process-info* (target same-sandbox))
(allow signal (target same-sandbox))
(allow sysctl-read)
(allow file-read-metadata)
(allow file-read* (subpath "/System") (subpath "/Library") (subpath "/private/var/db/dyld") (literal "/"))
(allow file-read* (literal "/dev/random") (literal "/dev/urandom") (subpath "/dev/fd"))
(allow file-read* file-write* (literal "/dev/null") (literal "/dev/zero"))
(allow pseudo-tty)
"#;

/// Returns the profile. `scratch` is the folder for temporary files, and `proxy` the port of the proxy.
pub(crate) fn profile<'p>(
    rules: &ConfinementRules,
    held: impl Iterator<Item = (&'p PathBuf, &'p PathHold)>,
    scratch: &Path,
    proxy: Option<u16>,
) -> String {
    let mut profile = HEAD.to_owned();
    let mut rule = |rule: &str, kind: &str, path: &Path| {
        let _ = writeln!(profile, "({rule} ({kind} {}))", quoted(path));
    };
    rule("allow file-read* file-write*", "subpath", scratch);
    for grant in &rules.grants {
        match grant.access {
            PathAccess::Hide => rule("deny file-read* file-write*", "subpath", &grant.path),
            PathAccess::Read => rule("allow file-read*", "subpath", &grant.path),
            PathAccess::Write => rule("allow file-read* file-write*", "subpath", &grant.path),
        }
    }
    for (path, hold) in held {
        // A folder on the way may change inside, and not be moved.
        let kind = if *hold == PathHold::Still {
            "subpath"
        } else {
            "literal"
        };
        let what = if *hold == PathHold::Still {
            "deny file-write*"
        } else {
            "deny file-write-unlink"
        };
        rule(what, kind, path);
    }
    if rules.network {
        profile.push_str("(allow network*)\n(allow system-socket)\n");
    }
    for port in &rules.connect {
        let _ = writeln!(
            profile,
            "(allow network-outbound (remote tcp \"*:{port}\"))"
        );
    }
    if let Some(port) = proxy {
        let _ = writeln!(
            profile,
            "(allow network-outbound (remote tcp \"localhost:{port}\"))"
        );
    }
    profile
}

/// A path as a string of the profile's language.
fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::rules::Grant;

    #[test]
    fn the_profile_has_each_rule_and_the_stricter_ones_last() {
        let grant = |path: &str, access| Grant {
            path: path.into(),
            access,
            identity: (0, 0),
            from: String::new(),
        };
        let rules = ConfinementRules {
            grants: vec![
                grant("/usr", PathAccess::Read),
                grant("/w \"o\"", PathAccess::Write),
                grant("/w \"o\"/.env", PathAccess::Hide),
            ],
            connect: vec![443],
            ..ConfinementRules::default()
        };
        let held = BTreeMap::from([
            ("/w/.git".into(), PathHold::InPlace),
            ("/w/.git/hooks".into(), PathHold::Still),
        ]);
        let profile = profile(&rules, held.iter(), Path::new("/tmp/x"), Some(8080));
        assert_eq!(
            profile.strip_prefix(HEAD),
            Some(
                r#"(allow file-read* file-write* (subpath "/tmp/x"))
(allow file-read* (subpath "/usr"))
(allow file-read* file-write* (subpath "/w \"o\""))
(deny file-read* file-write* (subpath "/w \"o\"/.env"))
(deny file-write-unlink (literal "/w/.git"))
(deny file-write* (subpath "/w/.git/hooks"))
(allow network-outbound (remote tcp "*:443"))
(allow network-outbound (remote tcp "localhost:8080"))
"#
            )
        );
    }
}
