//! The small languages in arguments: scripts of sed and awk, addresses, settings of git's.

/// A script of sed's that may run: it prints, deletes, inserts and replaces, and neither reads, writes nor runs anything.
pub(crate) fn sed(script: &str) -> Result<(), String> {
    let wrong = || {
        Err(format!(
            "the script `{script}` for `sed` is not looked at, as it may read, write or run something: use `p`, `d`, `q`, `a`, `i`, `c` and `s/…/…/`"
        ))
    };
    let mut rest = script.trim_start();
    while !rest.is_empty() {
        rest = skip_addresses(rest);
        let Some(command) = rest.chars().next() else {
            return wrong();
        };
        rest = &rest[command.len_utf8()..];
        match command {
            '{' | '}' => {
                rest = rest.trim_start_matches([' ', '\t', ';', '\n']);
                continue;
            }
            'p' | 'd' | 'q' | 'Q' | '=' | 'P' | 'D' | 'n' | 'N' | 'g' | 'G' | 'h' | 'H' | 'x'
            | 'z' | 'F' | 'l' => {
                if matches!(command, 'q' | 'Q' | 'l') {
                    rest = rest
                        .trim_start_matches([' ', '\t'])
                        .trim_start_matches(|c: char| c.is_ascii_digit());
                }
            }
            ':' | 'b' | 't' | 'T' => {
                let label = rest.trim_start_matches([' ', '\t']);
                let end = label
                    .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                    .unwrap_or(label.len());
                rest = &label[end..];
            }
            // What stands in the lines that follow is text as long as they end with a backslash.
            'a' | 'i' | 'c' => {
                let mut text = rest.trim_start_matches([' ', '\t']);
                loop {
                    let (line, after) = text.split_once('\n').unwrap_or((text, ""));
                    text = after;
                    if !line.ends_with('\\') {
                        break;
                    }
                    if after.is_empty() {
                        return wrong();
                    }
                }
                rest = text.trim_start();
                continue;
            }
            's' | 'y' => {
                let Some(end) = delimited(rest, 2) else {
                    return wrong();
                };
                let flags = rest[end..].trim_start_matches(|c| {
                    matches!(c, 'g' | 'p' | 'i' | 'I' | 'M' | 'm' | '0'..='9')
                });
                rest = flags;
            }
            _ => return wrong(),
        }
        rest = rest.trim_start_matches([' ', '\t']);
        match rest.chars().next() {
            None | Some('}') => {}
            Some(';' | '\n') => rest = rest[1..].trim_start(),
            Some(_) => return wrong(),
        }
    }
    Ok(())
}

/// What follows the addresses that a command of sed's begins with: `1`, `$`, `/x/`, `1,/x/`, `!`.
fn skip_addresses(mut rest: &str) -> &str {
    loop {
        rest = rest.trim_start_matches([' ', ',', '!', '$', '~', '+', ';', '\t']);
        rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        match rest.strip_prefix('/').and_then(|_| delimited(rest, 1)) {
            Some(end) => rest = rest[end..].trim_start_matches('I'),
            None if rest.starts_with([' ', ',', '!', '$', '~', '+']) => {}
            None => return rest,
        }
    }
}

/// Where a text ends that begins with a delimiter and has so many parts: `/a/b/`.
fn delimited(text: &str, parts: usize) -> Option<usize> {
    let delimiter = text
        .chars()
        .next()
        .filter(|c| c.is_ascii_punctuation() && *c != '\\')?;
    let mut left = parts;
    let mut at = 1;
    while let Some(character) = text[at..].chars().next() {
        match character {
            '\\' => at += text[at + 1..].chars().next()?.len_utf8(),
            '\n' => return None,
            // A delimiter in brackets ends a part for some seds and does not for others.
            '[' if left == parts => {
                let brackets = brackets(&text[at..])?;
                if brackets.contains(delimiter) {
                    return None;
                }
                at += brackets.len() - 1;
            }
            _ if character == delimiter => {
                left -= 1;
                if left == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
        at += character.len_utf8();
    }
    None
}

/// The brackets that a text begins with, as in `[^]a-z[:space:]]`; none where they have no end.
fn brackets(text: &str) -> Option<&str> {
    let mut rest = text.strip_prefix('[')?;
    rest = rest.strip_prefix('^').unwrap_or(rest);
    rest = rest.strip_prefix(']').unwrap_or(rest);
    loop {
        let at = rest.find(['[', ']', '\\', '\n'])?;
        let found = &rest[at..];
        rest = match found.as_bytes() {
            [b']', ..] => return Some(&text[..=text.len() - found.len()]),
            // A class ends with what it began with.
            [b'[', kind @ (b':' | b'.' | b'='), ..] => {
                let end = [*kind, b']'];
                let end = std::str::from_utf8(&end).ok()?;
                &found[2..][found[2..].find(end)? + 2..]
            }
            [b'[', ..] => &found[1..],
            // Whether a backslash hides what follows is not agreed upon.
            _ => return None,
        };
    }
}

/// A script of awk's that only prints.
pub(crate) fn awk(script: &str) -> Result<(), String> {
    let runs = [
        "system", "getline", "close", "@", "ENVIRON", "ARGV", "ARGC", "PROCINFO", "SYMTAB", "/inet",
    ];
    // Where something is compared there is no file to write to.
    let writes = script
        .match_indices('>')
        .any(|(at, _)| script[..at].contains("print"));
    let pipes = script.replace("||", "").contains('|');
    if writes || pipes || runs.iter().any(|word| script.contains(word)) {
        return Err(format!(
            "the script `{script}` may have awk read, write or run something: print only"
        ));
    }
    Ok(())
}

/// Whether a text is the address of something that is no file here.
pub(crate) fn is_address(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once("://") else {
        // `git@host:path`
        let host = text.split_once(':').map_or("", |(host, _)| host);
        return host.contains('@')
            && !host.contains('/')
            && !text.contains("::")
            && !host.starts_with('-');
    };
    let is_scheme = !scheme.is_empty()
        && scheme
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+.-".contains(&byte));
    let names_files = ["file", "ext", "fd", "dict", "gopher", "scp", "tftp"]
        .iter()
        .any(|of_files| scheme.eq_ignore_ascii_case(of_files));
    is_scheme && !names_files && !rest.starts_with('/') && !scheme.starts_with('-')
}

/// The path in `file:///path`.
pub(crate) fn without_scheme(text: &str) -> &str {
    let is_file = text
        .get(..7)
        .is_some_and(|scheme| scheme.eq_ignore_ascii_case("file://"));
    if is_file {
        &text[7 + text[7..].find('/').unwrap_or(0)..]
    } else {
        text
    }
}

/// Whether a text is the name of a package or a host, and no path: `serde`, `@types/node`, `localhost:8080/x`.
pub(crate) fn is_name(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"@/_.:^~=+-?&%*".contains(&byte);
    !text.starts_with(['.', '/', '~'])
        && !text.contains("..")
        && !text.starts_with("file:")
        && text.bytes().all(is_plain)
}

/// Settings of git's that only change how something looks, or who somebody is.
pub(crate) fn is_harmless_setting(setting: &str) -> bool {
    let (key, value) = setting.split_once('=').unwrap_or((setting, "true"));
    let key = key.to_ascii_lowercase();
    let begins = ["color.", "advice.", "column."];
    let known = [
        "user.name",
        "user.email",
        "core.quotepath",
        "core.autocrlf",
        "core.eol",
        "init.defaultbranch",
        "commit.gpgsign",
        "tag.gpgsign",
        "log.date",
        "log.decorate",
        "diff.renames",
        "diff.algorithm",
        "diff.noprefix",
        "diff.context",
        "merge.conflictstyle",
        "pull.rebase",
        "pull.ff",
        "push.default",
        "rebase.autosquash",
        "rebase.autostash",
        "fetch.prune",
        "http.postbuffer",
        "gc.auto",
        "status.short",
        "status.branch",
        "protocol.version",
        "core.longpaths",
        "merge.ff",
        "rerere.enabled",
        "submodule.recurse",
        "commit.verbose",
        "push.autosetupremote",
    ];
    let runs_cat = matches!(
        key.as_str(),
        "core.pager" | "core.editor" | "sequence.editor"
    ) && matches!(value, "cat" | "true" | ":" | "");
    let turns_off = matches!(key.as_str(), "core.fsmonitor" | "core.hookspath")
        && matches!(value, "false" | "/dev/null");
    known.contains(&key.as_str())
        || begins.iter().any(|begin| key.starts_with(begin))
        || runs_cat
        || turns_off
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sed_may_change_text_and_nothing_else() {
        for script in [
            "1,20p",
            "s/a/b/g",
            "/fn main/,/^}/p",
            "s|a/b|c/d|",
            "$!N;P;D",
            ":a;N;$!ba;s/\\n/ /g",
            "/x/{s/a/b/;p}",
            "/x/a after it",
            "1i\\\nfirst",
            "$a last",
            "/x/{n;d}",
            "2q",
            "s/[[:space:]]*$//",
            "y/abc/xyz/",
            "/a/!d",
            "s/x/[/",
        ] {
            assert_eq!(sed(script), Ok(()), "{script}");
        }
        for script in [
            "1e rm x",
            "s/x/rm y/e",
            "w /tmp/x",
            "1r /etc/passwd",
            "s/a/b/w x",
            "s/[/]/x/;1e rm y;s/[/]/x/",
            "a\\",
            "W x",
            "R x",
            "/x/{p;e rm\n}",
            "s/a/b/ge",
            "1!{w x\n}",
            "a hi\nw x",
            "v;e rm",
        ] {
            assert!(sed(script).is_err(), "{script}");
        }
    }

    #[test]
    fn awk_may_print() {
        assert!(
            awk("{ print $1 }").is_ok()
                && awk("$3 > 5 { print }").is_ok()
                && awk("/a/ || /b/").is_ok()
        );
        for script in [
            "BEGIN { system(\"x\") }",
            "{ print > \"x\" }",
            "{ print | \"sh\" }",
            "{ getline x }",
            "@include \"x\"",
        ] {
            assert!(awk(script).is_err(), "{script}");
        }
    }

    #[test]
    fn an_address_names_no_file() {
        assert!(is_address("https://example.org/x") && is_address("git@example.org:a/b"));
        for text in [
            "file:///etc/passwd",
            "FILE://x/y",
            "https:///x",
            "a/b",
            "ext::sh",
            "../x",
            "-x@y:z",
        ] {
            assert!(!is_address(text), "{text}");
        }
        assert_eq!(without_scheme("file://localhost/etc/x"), "/etc/x");
    }

    #[test]
    fn settings_that_run_programs_are_not_harmless() {
        assert!(
            is_harmless_setting("user.name=a")
                && is_harmless_setting("color.ui=always")
                && is_harmless_setting("core.pager=cat")
        );
        for setting in [
            "core.pager=less",
            "alias.x=!rm",
            "core.sshCommand=x",
            "core.fsmonitor=x",
            "diff.external=x",
        ] {
            assert!(!is_harmless_setting(setting), "{setting}");
        }
    }
}
