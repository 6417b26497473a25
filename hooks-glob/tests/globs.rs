//! What globs match, what is no glob, and how long a match takes.

use hooks_glob::{Glob, LARGEST};

fn glob(pattern: &str) -> Glob {
    Glob::new(pattern).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_glob_matches_whole_names() {
    for (pattern, matching, others) in [
        (
            "shell",
            &["shell"][..],
            &["shell2", "my_shell", "Shell", ""][..],
        ),
        ("*", &["", "a", "a/b"], &[]),
        ("mcp__*", &["mcp__", "mcp__a/b.c"], &["mcp_a"]),
        ("*_file", &["_file", "read_file"], &["file", "read_files"]),
        ("*edit*", &["edit", "file_edit_2"], &["file"]),
        ("a*z", &["az", "a-z"], &["a", "za"]),
        ("tool_?", &["tool_1", "tool_é"], &["tool_", "tool_12"]),
        ("*ab*b", &["abb", "xaababxb"], &["ab"]),
        (r"\*", &["*"], &["x"]),
        (r"a\b\ ", &["ab "], &["ab"]),
        ("a]b,c", &["a]b,c"], &["ab"]),
        ("é{α,β}*", &["éβ1"], &["éγ"]),
    ] {
        let glob = glob(pattern);
        for name in matching {
            assert!(glob.matches(name), "{pattern} {name}");
        }
        for name in others {
            assert!(!glob.matches(name), "{pattern} {name}");
        }
    }
}

#[test]
fn a_class_takes_one_character() {
    for (pattern, matching, others) in [
        ("[a-cx]", "abcx", "dy-"),
        ("[!a-c]", "dx]é", "abc"),
        ("[^a-c]", "dx^", "abc"),
        ("[a^!]", "a^!", "b"),
        ("[]a]", "]a", "["),
        ("[!]]", "a[", "]"),
        ("[a-]", "a-", "b"),
        ("[-a]", "a-", "b"),
        (r"[\]\\\-a]", r"]\-a", "b"),
        ("[*?{,}]", "*?{,}", "a"),
        ("[α-ω]", "αβω", "a"),
    ] {
        let glob = glob(pattern);
        for name in matching.chars() {
            assert!(glob.matches(&name.to_string()), "{pattern} {name}");
        }
        for name in others.chars() {
            assert!(!glob.matches(&name.to_string()), "{pattern} {name}");
        }
        assert!(!glob.matches("") && !glob.matches("aa"), "{pattern}");
    }
}

#[test]
fn braces_stand_for_several_globs() {
    for (pattern, names) in [
        ("file_{read,write}", "file_read file_write"),
        ("file{,_read}", "file file_read"),
        ("{a,b{c,d{e,f}}}g", "ag bcg bdeg bdfg"),
        ("{a,b}{c,d}", "ac ad bc bd"),
        (r"{a\,b,c}", "a,b c"),
        ("{[,],x}", ", x"),
        ("x{}{a}", "xa"),
    ] {
        let expected: Vec<_> = names.split(' ').collect();
        let glob = glob(pattern);
        assert_eq!(glob.alternatives().len(), expected.len(), "{pattern}");
        for name in expected {
            assert!(glob.matches(name), "{pattern} {name}");
        }
        assert!(!glob.matches("z") && !glob.matches(""), "{pattern}");
    }
}

#[test]
fn two_stars_cross_folders_and_may_cross_none() {
    let matches = |pattern: &str, name: &str| glob(pattern).matches(name);
    assert!(matches("a**", "a/b/c") && matches("***", "x/y") && matches("a/**", "a/b/c"));
    assert!(matches("src/**/a.rs", "src/a.rs") && matches("src/**/a.rs", "src/x/y/a.rs"));
    assert!(matches("**/a.rs", "a.rs") && matches("**/a.rs", "x/a.rs"));
    assert!(!matches("src/**/a.rs", "src/xa.rs") && !matches("x**/a", "a"));
}

#[test]
fn case_matters_unless_it_is_ignored() {
    for (pattern, name) in [
        ("Shell", "sHELL"),
        ("mcp__*_x", "MCP__a_X"),
        ("[a-c]?", "Bé"),
        ("{É,x}", "X"),
    ] {
        let glob = glob(pattern);
        assert!(!glob.matches(name), "{pattern} {name}");
        assert!(glob.clone().ignoring_case().matches(name), "{pattern}");
    }
    let glob = glob("[!a]É*").ignoring_case();
    assert!(!glob.matches("AÉ") && !glob.matches("bé") && !glob.matches("É"));
}

#[test]
fn what_is_no_glob_is_told_its_place_and_what_to_write() {
    for (pattern, reason) in [
        (
            "",
            "the pattern is empty, so it matches nothing: write `*` for everything",
        ),
        (
            "a[bé",
            r"`[` at character 2 is not closed: write `[a-z]`, or `\[` for the character",
        ),
        (
            "é[]",
            r"`[` at character 2 is not closed: write `[a-z]`, or `\[` for the character",
        ),
        (
            r"[a\",
            r"`[` at character 1 is not closed: write `[a-z]`, or `\[` for the character",
        ),
        (
            "{x}a{b",
            r"`{` at character 5 is not closed: write `{a,b}`, or `\{` for the character",
        ),
        (
            "{a}}",
            r"`}` at character 4 closes nothing: write `\}` for the character",
        ),
        (
            r"é\",
            r"`\` at character 2 escapes nothing: write `\\` for the character",
        ),
        (
            "x[az-a]",
            "`z-a` at character 4 is the wrong way round: write `a-z`",
        ),
        (
            "[a-b-c]",
            "`-` at character 5 follows a range: write it at the end, as in `[a-z-]`",
        ),
        (
            "[[:digit:]]",
            "`[` at character 2 begins a class by name, which globs do not have here: write its characters, as `[a-z0-9]`",
        ),
        (
            "shell ",
            r"the blank at character 6 begins or ends it: leave it out, or write `\ ` for the character",
        ),
        (
            " shell",
            r"the blank at character 1 begins or ends it: leave it out, or write `\ ` for the character",
        ),
    ] {
        let error = Glob::new(pattern).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("`{pattern}` is not a glob: {reason}")
        );
    }
}

#[test]
fn alternatives_are_bounded_however_they_are_written() {
    for pattern in [
        "{a,b}".repeat(60),
        "{,}".repeat(60),
        "{".repeat(500_000) + &",}".repeat(500_000),
        "{a,b{".repeat(100_000) + &"}}".repeat(100_000),
        "**/".repeat(60),
        "a".repeat(LARGEST + 1),
        "{,}".repeat(12) + "[" + &"ab".repeat(LARGEST) + "]",
        format!("{{{}}}", ",".repeat(LARGEST)),
    ] {
        let error = Glob::new(&pattern).unwrap_err().to_string();
        assert!(
            error.ends_with(
                "it is larger than 16384 characters, with each `{…}` written out: write several globs"
            ),
            "{}",
            &error[error.len() - 200..]
        );
    }
    assert_eq!(glob(&"{a,b}".repeat(9)).alternatives().len(), 512);
    assert!(glob(&"a".repeat(LARGEST)).matches(&"a".repeat(LARGEST)));
    assert!(glob(&("{".repeat(4_000) + "a" + &"}".repeat(4_000))).matches("a"));
}

/// With any backtracking, one of these does not end.
#[test]
fn the_time_is_at_most_the_glob_times_the_name() {
    let name = "a".repeat(20_000);
    let near_misses = format!("mcp{}", "__".repeat(50_000));
    for (pattern, name) in [
        ("*a*a*a*a*a*a*a*a*b", &name),
        ("{a,*}{a,*}{a,*}{a,*}{a,*}{a,*}b", &name),
        ("**/**/**/**/**/b", &name),
        ("mcp__*__*_file", &near_misses),
    ] {
        assert!(!glob(pattern).matches(name), "{pattern}");
        assert!(!glob(pattern).ignoring_case().matches(name), "{pattern}");
    }
    assert!(glob("mcp__*__*_file").matches(&(near_misses + "_file")));
}
