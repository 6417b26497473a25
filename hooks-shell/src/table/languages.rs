//! The small languages in arguments, such as scripts of sed, jq and awk.

use super::is_one_of;

/// Accepts a script of sed that only prints, deletes, inserts and replaces, and does not read, write or run anything.
pub(crate) fn sed(script: &str) -> Result<(), String> {
    let mut rest = script.trim_start();
    while !rest.is_empty() {
        rest = sed_command(rest).ok_or_else(|| {
            format!(
                "the script `{script}` for `sed` may read, write or run something: use only `p`, `d`, `q`, `a`, `i`, `c` and `s/…/…/`"
            )
        })?;
    }
    Ok(())
}

/// Returns the text after the first command of a script; nothing if the command is not supported.
fn sed_command(script: &str) -> Option<&str> {
    const BLANKS: [char; 2] = [' ', '\t'];
    let rest = skip_addresses(script)?;
    let command = rest.chars().next()?;
    let rest = &rest[command.len_utf8()..];
    let rest = match command {
        '{' | '}' => return Some(rest.trim_start_matches([' ', '\t', ';', '\n'])),
        'a' | 'i' | 'c' => {
            // The text may begin on the next line. Implementations disagree on where further lines end.
            let text = rest.trim_start_matches(BLANKS);
            let text = text.strip_prefix("\\\n").unwrap_or(text);
            return (!text.contains('\n') && !text.ends_with('\\')).then_some("");
        }
        'q' | 'Q' | 'l' => rest
            .trim_start_matches(BLANKS)
            .trim_start_matches(|c: char| c.is_ascii_digit()),
        ':' | 'b' | 't' | 'T' => rest
            .trim_start_matches(BLANKS)
            .trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_'),
        's' | 'y' => {
            let after = skip_delimited(rest, 2)?;
            after.trim_start_matches(|c| matches!(c, 'g' | 'p' | 'i' | 'I' | 'M' | 'm' | '0'..='9'))
        }
        _ if "pd=PDnNgGhHxzF".contains(command) => rest,
        _ => return None,
    };
    let rest = rest.trim_start_matches(BLANKS);
    match rest.chars().next() {
        None | Some('}') => Some(rest),
        Some(';' | '\n') => Some(rest[1..].trim_start()),
        Some(_) => None,
    }
}

/// Returns the text after the addresses of a sed command: `1`, `$`, `/x/`, `1,/x/`, `!`.
fn skip_addresses(mut rest: &str) -> Option<&str> {
    loop {
        let is_plain = |c: char| c.is_ascii_digit() || " \t,!$~+;".contains(c);
        rest = rest.trim_start_matches(is_plain);
        if !rest.starts_with('/') {
            return Some(rest);
        }
        rest = skip_delimited(rest, 1)?.trim_start_matches('I');
    }
}

/// Returns the text after that many parts of a text that begins with a delimiter: `/a/b/`.
fn skip_delimited(text: &str, parts: usize) -> Option<&str> {
    let delimiter = text
        .chars()
        .next()
        .filter(|c| c.is_ascii_punctuation() && *c != '\\')?;
    let mut rest = &text[1..];
    for nth in 0..parts {
        let mut is_escaped = false;
        let end = rest.find(|c| {
            let is_end = c == delimiter && !is_escaped;
            is_escaped = c == '\\' && !is_escaped;
            is_end
        })?;
        let part = &rest[..end];
        if part.contains('\n') || (nth == 0 && !has_whole_brackets(part)) {
            return None;
        }
        rest = &rest[end + 1..];
    }
    Some(rest)
}

/// Whether brackets such as `[^]a-z[:space:]]` are closed in the part in which they began. Implementations of sed
/// disagree on whether a delimiter in brackets ends a part, and on the meaning of a backslash in brackets.
fn has_whole_brackets(expression: &str) -> bool {
    // None of the escapes hides a delimiter.
    const CLASSES: &str =
        r"[:space:] [:alpha:] [:digit:] [:alnum:] [:upper:] [:lower:] \t \n \s \w";
    let mut plain = expression.to_owned();
    for class in CLASSES.split(' ') {
        plain = plain.replace(class, "a");
    }
    let mut rest = plain.as_str();
    while let Some(at) = rest.find(['[', '\\']) {
        let after = &rest[at + 1..];
        if rest[at..].starts_with('\\') {
            rest = after
                .get(after.chars().next().map_or(0, char::len_utf8)..)
                .unwrap_or_default();
            continue;
        }
        // A `]` at the beginning is a plain character.
        let after = after.strip_prefix('^').unwrap_or(after);
        let after = after.strip_prefix(']').unwrap_or(after);
        match after.split_once(']') {
            Some((inside, behind)) if !inside.contains(['[', '\\']) => rest = behind,
            _ => return false,
        }
    }
    true
}

/// Accepts a script of jq that reads only its input: no module, and nothing of the environment.
pub(crate) fn jq(script: &str) -> Result<(), String> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut words = script.split(|c| !is_word(c));
    const READS: &str =
        "import,include,env,$ENV,$__prog_args,input_filename,modulemeta,get_search_list";
    match words.find(|word| is_one_of(READS, word)) {
        Some(word) => Err(format!(
            "the script `{script}` may make jq read modules or the environment: leave `{word}` out"
        )),
        None => Ok(()),
    }
}

/// Accepts a script of awk that only prints.
pub(crate) fn awk(script: &str) -> Result<(), String> {
    let runs = [
        "system", "getline", "close", "@", "ENVIRON", "ARGV", "ARGC", "PROCINFO", "SYMTAB", "/inet",
    ];
    // A comparison does not write to a file.
    let writes = script
        .split_once("print")
        .is_some_and(|(_, printed)| printed.contains('>'));
    let pipes = script.replace("||", "").contains('|');
    if writes || pipes || runs.iter().any(|word| script.contains(word)) {
        return Err(format!(
            "the script `{script}` may make awk read, write or run something: print only"
        ));
    }
    Ok(())
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
            "a text\\\\\nw x",
            "a\\\nfirst\\\nw x",
            "s/[[.].]/]/;s,/;1e rm #,x,",
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
}
