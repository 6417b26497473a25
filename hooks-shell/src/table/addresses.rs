//! Addresses and paths in a text: whether it names another computer, or a place outside of the folder.

use super::is_one_of;

/// Returns what looks like a path that leaves the folder in a word that may be anything: `--out=/x`, `x@file:../y`. The
/// host in an address is none.
pub(crate) fn pieces_that_lead_out(text: &str) -> impl Iterator<Item = &str> {
    let is_of_scheme = |c: char| c.is_ascii_alphanumeric() || c == '+';
    let before = text.split_once("://").map(|(before, _)| before);
    let scheme = before.and_then(|before| before.rsplit(|c| !is_of_scheme(c)).next());
    let has_host = scheme.is_some_and(is_scheme);
    text.split(['=', ':', ',', '@']).filter(move |piece| {
        let leads_out = piece.starts_with('/')
            || *piece == "~"
            || piece.starts_with("~/")
            || piece.split('/').any(|part| part == "..");
        leads_out && !(has_host && piece.starts_with("//"))
    })
}

/// Whether it is the scheme of addresses that do not lead to local files.
fn is_scheme(scheme: &str) -> bool {
    const SCHEMES: &str = "http,https,ssh,git,git+ssh,git+http,git+https,ftp,ftps,ws,wss,postgres,postgresql,mysql,redis,rediss,amqp,mongodb,s3";
    is_one_of(SCHEMES, &scheme.to_ascii_lowercase())
}

/// Whether a text is the address of something other than a local file.
pub(crate) fn is_address(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once("://") else {
        // `git@host:path`
        let (host, path) = text.split_once(':').unwrap_or(("", ""));
        // `name@file:../x` is a package of npm's.
        let computer = host.rsplit_once('@').map(|(_, computer)| computer);
        return computer
            .is_some_and(|name| is_one_of("!exec,file,link,patch,portal,workspace", name))
            && !host.contains('/')
            && !path.starts_with("..")
            && !is_one_of("-*", host)
            && !text.contains("::");
    };
    is_scheme(scheme) && !rest.starts_with(['/', '-'])
}

/// Returns the path in a pattern of git's, which is empty if it only leaves files out; nothing if it begins elsewhere
/// than in the folder, as `:/x` and `:(top)x` do.
pub(crate) fn pathspec(text: &str) -> Option<&str> {
    let Some(rest) = text.strip_prefix(':') else {
        return Some(text);
    };
    let (words, path) = match rest.strip_prefix('(') {
        Some(rest) => rest.split_once(')')?,
        None if rest.starts_with(['!', '^']) => ("exclude", ""),
        // `:2:x` is a file of the index.
        None => ("", rest.trim_start_matches(|c: char| c.is_ascii_digit())),
    };
    let is_known = |word: &str| is_one_of("exclude,glob,icase,literal,", word);
    let path = path.strip_prefix(':').unwrap_or(path);
    match words.split(',').all(is_known) {
        true if words.contains("exclude") => Some(""),
        true if path.is_empty() || path.starts_with('/') => None,
        true => Some(path),
        false => None,
    }
}

/// Returns the path of `file:///path`.
pub(crate) fn without_scheme(text: &str) -> &str {
    match text.get(..7) {
        Some(scheme) if scheme.eq_ignore_ascii_case("file://") => {
            &text[7 + text[7..].find('/').unwrap_or(0)..]
        }
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
