//! Hides values in what a mistake shows, because anybody may read a log.
//!
//! A mistake shows its line, and a line may hold a key for an endpoint beside what is wrong. A masked text is as long
//! as it was, so the caret below stays where it is.

use crate::place::Segment;

/// The parts of names whose values may be secrets.
const PARTS: [&str; 6] = ["secret", "token", "passw", "auth", "cookie", "credential"];
/// The names of tables whose values may be secrets.
const TABLES: [&str; 2] = ["env", "headers"];

/// Whether the value of a key may be a secret.
fn is_secret(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    // `tokens_per_month` is a number.
    let key = key.replace("tokens", "");
    TABLES.contains(&&*key) || key.ends_with("key") || PARTS.iter().any(|part| key.contains(part))
}

/// Returns a line of a text without the values that may be secrets. `before` is the text before the line.
pub(crate) fn line(before: &str, line: &str) -> String {
    let mut keys = separators(line);
    let is_value = option(before).is_some_and(|end| !before[end..].contains(is_of_word));
    let from = if is_value || is_in_secret_table(before) {
        Some(0)
    } else {
        let key = keys.find(|(_, key)| is_secret(key)).map(|(at, _)| at + 1);
        key.into_iter().chain(option(line)).min()
    };
    let (open, hidden) = line.split_at(from.unwrap_or(line.len()));
    forms(open, false) + &values(hidden)
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-')
}

/// Returns the end of the last line's first option of a program whose value may be a secret, such as `--token`.
fn option(text: &str) -> Option<usize> {
    let start = text.trim_end().rfind('\n').unwrap_or(0);
    text[start..].match_indices("--").find_map(|(at, _)| {
        let option = &text[start + at..];
        let end = option.find(|c| !is_of_word(c)).unwrap_or(option.len());
        let is_quoted = option[end..].starts_with(['"', '\'']);
        is_secret(&option[..end]).then_some(start + at + end + usize::from(is_quoted))
    })
}

/// Hides all values of a part of a line. Keys stay, and so do names of variables and secrets.
fn values(mut part: &str) -> String {
    let mut shown = String::with_capacity(part.len());
    while let Some(first) = part.chars().next() {
        let is_quoted = matches!(first, '"' | '\'');
        let is_form = |c: char| c.is_whitespace() || "{}[](),\"'=:".contains(c);
        let end = if is_quoted {
            let close = part[1..].find(first);
            close.map_or(part.len(), |close| close + 2)
        } else if is_form(first) {
            first.len_utf8()
        } else {
            part.find(is_form).unwrap_or(part.len())
        };
        let (word, rest) = part.split_at(end);
        let is_key = rest.trim_start().starts_with(['=', ':']);
        let inside = word.trim_matches(['"', '\'']);
        let is_name = (inside.starts_with('$') || inside.starts_with("secret:"))
            && inside
                .chars()
                .all(|c| c.is_alphanumeric() || "_-${}:".contains(c));
        if is_form(first) && !is_quoted || is_key || is_name {
            shown.push_str(word);
        } else {
            let quote = |c: char| matches!(c, '"' | '\'');
            shown.extend(word.chars().map(|c| if quote(c) { c } else { '*' }));
        }
        part = rest;
    }
    shown
}

/// Returns a message without the value that serde quotes in it, if that may be a secret, or have one in it.
pub(crate) fn message(told: &str, path: &[Segment]) -> String {
    const QUOTED: &str = "string \"";
    let told = text(told);
    let is_hidden = |part: &Segment| matches!(part, Segment::Key(key) if is_secret(key));
    if let Some(at) = told.find(QUOTED)
        && let (open, quoted) = told.split_at(at + QUOTED.len())
        && (path.iter().any(is_hidden) || separators(quoted).any(|(_, key)| is_secret(key)))
    {
        let end = quoted.find("\", expected").or(quoted.rfind('"'));
        return format!("{open}…{}", &quoted[end.unwrap_or(quoted.len())..]);
    }
    told
}

/// Hides secrets that are known by their form: all of a URL but its scheme and its host, and words that look random, as the
/// tokens of all services do.
///
/// The path of a file stays: a message is about that file, and a folder may have any name.
pub(crate) fn text(text: &str) -> String {
    forms(text, true)
}

fn forms(text: &str, shows_paths: bool) -> String {
    let is_end = |c: char| c.is_whitespace() || "\"'`<>{}".contains(c);
    let words = text.split_inclusive(is_end);
    let shown = |word: &str| {
        if shows_paths && word.starts_with('/') {
            return word.to_owned();
        }
        hide(word, is_end)
    };
    words.map(shown).collect()
}

/// Hides what is secret in a word, except the character that ends it.
fn hide(word: &str, is_end: impl Fn(char) -> bool) -> String {
    let (word, end) = word.split_at(word.trim_end_matches(is_end).len());
    let stars = |hidden: &str| "*".repeat(hidden.chars().count());
    // JSON may escape a slash.
    let marks = ["://", r":\/\/"];
    let mark = marks.into_iter().find(|mark| word.contains(mark));
    let Some((mark, (scheme, rest))) = mark.and_then(|mark| Some((mark, word.split_once(mark)?)))
    else {
        let parts = word.split_inclusive(|c| !(is_of_word(c) || ".+=".contains(c)));
        let parts = parts.map(|part| {
            // The files' own secrets begin so.
            let is_own = part.len() > 7 && part.contains("whsec_");
            let is_secret = is_own || part.split(|c: char| !c.is_alphanumeric()).any(is_random);
            if is_secret {
                let inside = part.trim_end_matches(|c| !(is_of_word(c) || ".+=".contains(c)));
                stars(inside) + &part[inside.len()..]
            } else {
                part.to_owned()
            }
        });
        return parts.chain([end.to_owned()]).collect();
    };
    // A password may have a slash, and so may a path have an `@`.
    let path = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
    let host = if rest[path..].contains('@') {
        path
    } else {
        rest[..path].rfind('@').unwrap_or(0)
    };
    let shown = path + usize::from(rest[path..].starts_with('/'));
    let open = stars(&rest[..host]) + &rest[host..shown];
    [scheme, mark, &open, &stars(&rest[shown..]), end].concat()
}

/// Whether a part of a word has letters and digits mixed, as only tokens and hashes have.
fn is_random(part: &str) -> bool {
    let has = |is: fn(&u8) -> bool| part.as_bytes().iter().any(is);
    let least = if has(u8::is_ascii_uppercase) { 8 } else { 12 };
    part.len() >= least && has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic)
}

/// Returns what separates a key from its value in a line, with the key.
fn separators(line: &str) -> impl Iterator<Item = (usize, &str)> {
    line.match_indices(['=', ':']).filter_map(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + 1..]);
        // A comparison, and the scheme of a URL, have no value.
        if after.starts_with(['=', '/']) || before.ends_with(['=', '!', '<', '>']) {
            return None;
        }
        // The quotes of a text in a text are escaped.
        let key = before.trim_end().trim_end_matches(['"', '\'', '\\']);
        let start = key.rfind(|c| !is_of_word(c)).map_or(0, |at| {
            at + key[at..].chars().next().map_or(1, char::len_utf8)
        });
        Some((at, &key[start..]))
    })
}

/// Whether the text ends inside of a table whose values may be secrets.
fn is_in_secret_table(before: &str) -> bool {
    let mut closed = 0_usize;
    for line in before.lines().rev() {
        let head = line.split('#').next().unwrap_or_default().trim();
        if closed == 0 && head.starts_with('[') && head.ends_with(']') {
            let is_end = |c: char| "[].\"' ".contains(c);
            return head.split(is_end).any(is_secret);
        }
        for (at, c) in line.char_indices().rev() {
            match c {
                '}' | ']' => closed += 1,
                '{' | '[' if closed > 0 => closed -= 1,
                '{' | '[' => {
                    let key = separators(&line[..at]).last();
                    if key.is_some_and(|(_, key)| is_secret(key)) {
                        return true;
                    }
                }
                _ => {}
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_may_be_secrets_are_hidden() {
        for (before, shown, masked) in [
            ("", "secret = \"s3cret\"", "secret = \"******\""),
            (
                "",
                r#""config": "{\"headers\": {\"A\": \"s3cret\"}}""#,
                r#""config": "{\"headers\": {*"A\": *"*******"}}""#,
            ),
            ("", "api-key: s3cret", "api-key: ******"),
            (
                "",
                "http = { url = 'https://a/?k=s3', headers = { X = 's3cret' } }",
                "http = { url = 'https://a/*****', headers = { X = '******' } }",
            ),
            (
                "",
                "'https://ada:s3cret@a/b' x",
                "'https://**********@a/*' x",
            ),
            ("", "a 'whsec_s3cret' b", "a '************' b"),
            (
                "",
                "url = 'http://10.0.0.1/token/s3cret'",
                "url = 'http://10.0.0.1/************'",
            ),
            (
                "",
                "url = \"https://hooks.example.com:8443/services/T0/B0?x=1\"",
                "url = \"https://hooks.example.com:8443/******************\"",
            ),
            (
                "",
                "u = https://ada:s/cret@a/b",
                "u = https://*****/********",
            ),
            (
                "",
                "x 'https://a.example#s3' y",
                "x 'https://a.example***' y",
            ),
            (
                "",
                "args = ['-p', '/srv/a1b2c3d4e5f6/x']",
                "args = ['-p', '/srv/************/x']",
            ),
            (
                "",
                "argv = ['gh', 'sk-s3cretS3cret'], cwdd = 'x'",
                "argv = ['gh', '***************'], cwdd = 'x'",
            ),
            (
                "",
                "argv = ['gh', '--api-key', 's3cret'], cwdd = 'x'",
                "argv = ['gh', '--api-key', '******'], cwdd = '*'",
            ),
            ("argv = [\n '--token',\n", "'s3cret', x", "'******', *"),
            (
                "[hooks.on.http.headers] # all\n",
                "X-Team = s3cret",
                "X-Team = ******",
            ),
            (
                "\"headers\": {\n \"A\": \"b\",\n",
                "\"X\": \"s3\" x",
                "\"X\": \"**\" *",
            ),
            ("env = [\n", "'A=s3cret'", "'********'"),
            ("", "authorization = 'é'", "authorization = '*'"),
            (
                "",
                "headers = { A = '$NAME', B = 'secret:a', C = 'Bearer x=' }",
                "headers = { A = '$NAME', B = 'secret:a', C = '*********' }",
            ),
        ] {
            assert_eq!(line(before, shown), masked, "{before}{shown}");
        }
    }

    #[test]
    fn other_values_are_shown() {
        for (before, shown) in [
            ("[hooks.limits]\n", "tokens_per_month = 0"),
            ("", "if = 'args.token == \"a\"'"),
            ("", "event = 'BeforeToolcal'"),
            (
                "",
                "argv = ['task-list', '--max-tokens', '5', '--x'], a = 1",
            ),
            ("argv = ['--token', 'a']\n", "name = 'b'"),
            ("", "url = 'ftp://a.example/'"),
            ("", "model = 'claude-opus-4-20250514'"),
            ("env = { A = 'b' }\n", "tools = ['shell'"),
            ("[hooks.env]\n[[hooks.on]]\n", "name = 'a'"),
        ] {
            assert_eq!(line(before, shown), shown, "{before}{shown}");
        }
    }

    #[test]
    fn a_message_does_not_quote_a_secret() {
        let path: [Segment; 2] = ["http".into(), "secret".into()];
        let told = "invalid value: string \"s3cret\", expected \"a\"";
        assert_eq!(
            message(told, &path),
            "invalid value: string \"…\", expected \"a\""
        );
        assert_eq!(message(told, &path[..1]), told);
        let nested = r#"invalid type: string "{\"headers\": {\"A\": \"s3cret\"}}", expected a map"#;
        let shown = "invalid type: string \"…\", expected a map";
        assert_eq!(message(nested, &["config".into()]), shown);
        let url = "`https://ada:pw@a/?k=v` is not allowed";
        assert_eq!(message(url, &[]), "`https://******@a/****` is not allowed");
    }
}
