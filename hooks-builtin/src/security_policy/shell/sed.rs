//! Scripts of sed's that may run: they print, delete and replace, and neither read, write nor run anything.

/// Whether a script of sed's follows on the option.
pub(super) fn is_before_script(option: &str) -> bool {
    option == "--expression"
        || option
            .strip_prefix('-')
            .and_then(|flags| flags.strip_suffix('e'))
            .is_some_and(|flags| flags.bytes().all(|flag| b"nErsuz".contains(&flag)))
}

pub(super) fn option(option: &str) -> Result<(), String> {
    let harmless = matches!(
        option,
        "--quiet" | "--silent" | "--regexp-extended" | "--in-place" | "--null-data" | "--sandbox"
    ) || option
        .strip_prefix('-')
        .is_some_and(|flags| flags.bytes().all(|flag| b"nErisuz".contains(&flag)))
        || option.strip_prefix("-i.").is_some_and(|suffix| {
            suffix
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
        });
    if harmless {
        return Ok(());
    }
    Err(format!(
        "the option `{option}` of `sed` is not looked at: leave it out"
    ))
}

/// A script for sed that prints, deletes or replaces, and neither reads, writes nor runs anything.
pub(super) fn script(script: &str) -> Result<(), String> {
    let wrong = || {
        Err(format!(
            "the script `{script}` for `sed` is not looked at: use `p`, `d`, `q`, `=` and `s/…/…/`, one after another with `;`"
        ))
    };
    let mut rest = script.trim();
    while !rest.is_empty() {
        rest = skip_addresses(rest);
        let Some(command) = rest.chars().next() else {
            return wrong();
        };
        rest = &rest[command.len_utf8()..];
        match command {
            'p' | 'd' | 'q' | '=' | 'P' | 'D' | 'n' | 'N' | 'g' | 'G' | 'h' | 'H' | 'x' => {}
            's' | 'y' => {
                let Some(end) = delimited(rest, 2) else {
                    return wrong();
                };
                rest = &rest[end..];
                let flags = rest
                    .find(|c: char| !matches!(c, 'g' | 'p' | 'i' | 'I' | '0'..='9'))
                    .unwrap_or(rest.len());
                rest = &rest[flags..];
            }
            _ => return wrong(),
        }
        rest = rest.trim_start_matches([' ', '\t']);
        match rest.chars().next() {
            None => {}
            Some(';' | '\n') => rest = rest[1..].trim_start(),
            Some(_) => return wrong(),
        }
    }
    Ok(())
}

/// What follows the addresses that a command of sed's begins with: `1`, `$`, `/x/`, `1,/x/`, `!`.
fn skip_addresses(mut rest: &str) -> &str {
    loop {
        rest = rest.trim_start_matches([' ', ',', '!', '$', '~', '+']);
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
    let mut characters = text.char_indices().skip(1);
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => {
                characters.next();
            }
            '\n' => return None,
            // A delimiter in brackets ends a part for some seds and does not for others.
            '[' => {
                let brackets = brackets(&text[at..])?;
                if brackets.contains(delimiter) {
                    return None;
                }
                let end = at + brackets.len();
                while characters.clone().next().is_some_and(|(at, _)| at < end) {
                    characters.next();
                }
            }
            _ if character == delimiter => {
                left -= 1;
                if left == 0 {
                    return Some(at + character.len_utf8());
                }
            }
            _ => {}
        }
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
