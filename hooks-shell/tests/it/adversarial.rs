//! Texts of 64 KiB that are meant to hurt who reads them. The tests and the benches take them from here.

/// How long each of them is, at most.
const SIZE: usize = 64 * 1024;

/// Pieces that begin or end something, or mean something elsewhere.
const PIECES: [&str; 60] = [
    "(",
    ")",
    "{ ",
    "}",
    "[",
    "]",
    "[[ ",
    " ]]",
    "$(",
    "$((",
    "))",
    "${",
    "`",
    "'",
    "\"",
    "$'",
    "\\",
    "<<E\n",
    "E\n",
    "<<-'E' ",
    "<<< ",
    "<(",
    ">(",
    "if ",
    "then ",
    "fi ",
    "for x in ",
    "do ",
    "done ",
    "while ",
    "case x in ",
    "x) ",
    ";; ",
    "esac ",
    "f() { ",
    "f; ",
    "|",
    "||",
    "&&",
    "&",
    ";",
    "\n",
    "! ",
    "x=",
    "$x",
    "${x:-",
    "*",
    "?",
    "{a,",
    "{1..9}",
    "~",
    "#",
    " ",
    "a",
    "sed 's/",
    "find . -exec ",
    "xargs ",
    "sh -c '",
    "eval ",
    "coproc ",
];

fn fill(piece: &str) -> String {
    piece.repeat(SIZE / piece.len().max(1))
}

/// An opening so many times, something, and the closing as often, cut to the size.
fn nested(open: &str, inner: &str, close: &str, depth: usize) -> String {
    let depth = depth.min((SIZE - inner.len()) / (open.len() + close.len()));
    format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
}

fn numbered(count: usize, line: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for nth in 0..count {
        let line = line(nth);
        if text.len() + line.len() > SIZE {
            break;
        }
        text.push_str(&line);
    }
    text
}

/// Five hundred texts, always the same.
#[expect(clippy::too_many_lines, reason = "it is a list")]
pub(crate) fn texts() -> Vec<String> {
    let mut texts = Vec::new();
    let nests = [
        ("(", "ls", ")"),
        ("{ ", "ls", "; }"),
        ("$(", "ls", ")"),
        ("echo $(", "ls", ")"),
        ("echo \"$(", "ls", ")\""),
        ("echo ${x:-", "a", "}"),
        ("echo ${x:-$(", "ls", ")}"),
        ("$((", "1", "))"),
        ("echo $((", "1", "))"),
        ("echo $((1+(", "1", ")))"),
        ("if ls; then ", "ls", "; fi"),
        ("if ", "ls", "; then ls; fi"),
        ("while ls; do ", "ls", "; done"),
        ("while ", "ls", "; do ls; done"),
        ("until ls; do ", "x=1", "; done"),
        ("for x in a b; do ", "ls $x", "; done"),
        ("for x in *; do ", "ls $x", "; done"),
        ("case x in x) ", "ls", ";; esac"),
        ("case $(", "ls", ") in x) ls;; esac"),
        ("f() { ", "ls", "; }"),
        ("f() ( ", "ls", " )"),
        ("[[ ( ", "a", " ) ]]"),
        ("[[ ! ", "a", " ]]"),
        ("! ", "ls", ""),
        ("diff <(", "ls", ") x"),
        ("sh -c '", "ls", "'"),
        ("eval \"", "ls", "\""),
        ("`", "ls", "`"),
        ("{a,", "b", "}"),
        ("cat <<E\n$(", "ls", ")\nE\n"),
        ("\"", "a", "\""),
        ("xargs ", "ls", ""),
        ("env ", "ls", ""),
        ("find . -exec ", "ls", " \\;"),
        ("time ", "ls", ""),
        ("ls | ", "ls", ""),
        ("ls && ", "ls", ""),
        ("cd a && ", "ls", ""),
        ("ls; ", "ls", ""),
        ("ls & ", "ls", ""),
    ];
    for (open, inner, close) in nests {
        for depth in [3, 8, 15, 23, 40, SIZE] {
            texts.push(nested(open, inner, close, depth));
        }
        // Unbalanced.
        texts.push(fill(open));
    }
    for piece in PIECES {
        texts.push(fill(piece));
    }
    let many = usize::MAX;
    texts.extend([
        numbered(many, |nth| format!("v{nth}=1; ")),
        numbered(many, |nth| format!("v{nth}=1 && ")) + "ls",
        numbered(many, |nth| {
            format!("v{nth}=$v{} && ", nth.saturating_sub(1))
        }) + "ls",
        numbered(many, |nth| format!("if ls; then v{nth}=1; fi; ")),
        numbered(many, |nth| format!("(v{nth}=1); ")),
        numbered(many, |nth| format!("v{nth}=1 | v=2; ")),
        numbered(many, |nth| format!("f{nth}() {{ ls; }}; ")),
        numbered(many, |nth| {
            format!("f{nth}() {{ f{}; f{}; }}; ", nth + 1, nth + 1)
        }) + "f0",
        numbered(many, |nth| {
            format!(
                "f{nth}() {{ f{}; f{}; }}\n",
                nth.saturating_sub(1),
                nth.saturating_sub(1)
            )
        }) + "f1000",
        "f() { f; f; }; f".to_owned(),
        "f() { g; g; }; g() { f; f; }; f".to_owned(),
        format!("f() {{ {} }}; f; f; f; f", fill("ls;")),
        numbered(many, |nth| format!("cat <<E{nth} ")),
        numbered(1000, |nth| format!("cat <<E{nth}\nx\nE{nth}\n")),
        format!("cat <<E\n{}", fill("x\n")),
        format!("cat <<E\n{}E", fill("$x\n")),
        format!("cat <<E\n{}E", fill("$(ls)\n")),
        format!("X=a; {}", fill("X=$X$X; ")),
        format!("X=abcdefgh; {}", fill("X=\"$X$X$X$X\"; ")),
        format!(
            "X=a; for i in {{1..200}}; do X=$X$X; done; {}",
            fill("echo $X; ")
        ),
        format!("X='{}'; {}", "a ".repeat(5000), "ls $X; ".repeat(5000)),
        format!("X='{}'; {}", "a".repeat(30000), "ls $X$X$X; ".repeat(2000)),
        format!("for i in {}; do ls; done", fill("a ")),
        format!("for i in {{1..255}}; do {} done", "ls $i;".repeat(5000)),
        format!(
            "{}{}{}",
            "for i in {1..99}; do ".repeat(10),
            "ls; ",
            "done; ".repeat(10)
        ),
        format!(
            "{}{}{}",
            "while ls; do x=$y; y=$x; ".repeat(20),
            "cd a; ",
            "done; ".repeat(20)
        ),
        format!("case x in {} esac", fill("a|b) ls;; ")),
        format!("case x in {}) ls;; esac", fill("a|")),
        format!("echo $(({}1))", fill("1+")),
        format!("echo $(({}1{}))", "(".repeat(20000), ")".repeat(20000)),
        format!("[[ {} a ]]", fill("a && ")),
        format!("[[ {} a ]]", fill("a || ")),
        format!("ls {}", fill("a")),
        format!("ls {}", fill("/a")),
        format!("ls {}", fill("../")),
        format!("ls {}", fill("*/")),
        format!("ls {}", fill("{a,b}")),
        format!("ls {}", fill("{a,b}{")),
        format!("ls {}", fill("{1..9}")),
        format!("ls {{{}}}", fill("a,")),
        format!("ls -{}", fill("a")),
        format!("ls {}", fill("--a ")),
        format!("sed '{}'", fill("s/a/b/;")),
        format!("sed '{}'", fill("{p;")),
        format!("sed '{}'", fill("/[[:a:]")),
        format!("awk '{}'", fill("print > ")),
        format!("find . {}", fill("-exec ls {} + ")),
        format!("find . {}", fill("\\( -name a -o ")),
        format!("git {}", fill("-C a ")),
        format!("git log {}", fill("--format=a ")),
        format!("{}ls", fill("a=b ")),
        format!("ls {}", fill("<a ")),
        format!("ls {}", fill(">a ")),
        format!("ls {}", fill("2>&1 ")),
        format!("eval '{}'", fill("ls; ")),
        format!("sh -c '{}'", fill("X=1; ")),
        format!(
            "for i in {{1..99}}; do sh -c '{}'; done",
            "ls; ".repeat(10000)
        ),
        fill("cd a; "),
        fill("cd a || ls; "),
        fill("cd a && cd b || cd c; "),
        fill("\u{1F600}"),
        fill("é'"),
        fill("\0"),
    ]);
    // The rest is thrown together, by a generator whose numbers are always the same.
    let mut seed = 0x2545_F491_4F6C_DD1D_u64;
    while texts.len() < 500 {
        let mut text = String::new();
        let kinds = 2 + texts.len() % 11;
        let mut next = || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            usize::try_from(seed >> 33).unwrap_or_default()
        };
        let chosen: Vec<&str> = (0..kinds).map(|_| PIECES[next() % PIECES.len()]).collect();
        while text.len() < SIZE - 16 {
            text.push_str(chosen[next() % kinds]);
        }
        texts.push(text);
    }
    for text in &mut texts {
        text.truncate(text.floor_char_boundary(SIZE));
    }
    texts.truncate(500);
    texts
}
