//! The rewritten script does what the original does, in every shell, and is judged as that was.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use hooks_shell::{Access, Argument, Effects, Environment, Script};
use proptest::prelude::*;

fn effects(text: &str) -> Effects {
    Script::parse(text)
        .unwrap_or_else(|error| panic!("{text}: {error}"))
        .evaluate(&Environment::new("/work"))
}

fn rewritten(text: &str) -> String {
    let effects = effects(text);
    effects
        .rewritten()
        .unwrap_or_else(|| panic!("{text}: {effects}"))
        .to_owned()
}

#[test]
fn known_values_are_filled_in_and_everything_else_is_quoted() {
    for (text, expected) in [
        ("ls   -la", "ls -la"),
        ("X=a; ls $X \"$X b\"", "X=a\nls a 'a b'"),
        ("ls {a,b}.rs", "ls a.rs b.rs"),
        ("ls $'a\\tb'", "ls 'a\tb'"),
        ("ls *.rs 'a*'", "ls -- *.rs 'a*'"),
        ("echo $((1+2))", "echo \"$(( 1 + 2 ))\""),
        ("echo `date`", "echo $(date)"),
        ("ls &> x", "ls >x 2>&1"),
        ("ls |& cat", "ls 2>&1 | cat"),
        ("cat <<< \"a b\"", "cat <<'EOF'\na b\nEOF"),
        ("cat <<E\n$HOME\nE", "cat <<EOF\n${HOME}\nEOF"),
        ("cd src; ls", "{ cd -P src || exit; }\nls"),
        ("cd src || ls", "cd -P src || ls"),
        (
            "[[ -f a && b == c* ]]",
            "{ [[ -f 'a' ]] && [[ 'b' == c* ]]; }",
        ),
        ("sh -c 'ls {a,b}'", "sh -c 'ls a b'"),
        ("eval 'ls' \"-l\"", "eval 'ls -l'"),
        (
            "sh -c 'f() { ls \"$1\"; }; f a'",
            "sh -c 'f() { ls a; }\nf a'",
        ),
        (
            "f() { ls \"$1\"; }; f a; f b",
            "f() { ls \"${1}\"; }\nf a\nf b",
        ),
        ("unused() { ls; }; ls", "ls"),
        (
            "if ls; then cat a; else cat b; fi",
            "if ls; then cat a; else cat b; fi",
        ),
        (
            "for f in a b; do cat $f; done",
            "for f in a b; do cat \"${f}\"; done",
        ),
        (
            "while read -r x; do echo \"$x\"; done < a",
            "while read -r x; do echo \"${x}\"; done <a",
        ),
        (
            "case x in a|b) ls;; *) cat c;; esac",
            "case x in\n(a | b) ls;;\n(*) cat c;;\nesac",
        ),
        ("ls & cat a", "ls & cat a"),
        ("(cd a && ls)", "({ cd -P a || exit; } && ls)"),
        (
            "find a -type f | xargs cat",
            "find a -type f | tr '\\n' '\\0' | xargs -0 cat",
        ),
        ("git ls-files a | xargs rg -n x", {
            "git ls-files a | while IFS= read -r name; do { '[' -L \"${name}\" ']' || printf '%s\\n' \"${name}\"; }; done | tr '\\n' '\\0' | xargs -0 rg -n x --"
        }),
        ("cat *", "cat -- *"),
        (
            "find a -type f | time xargs cat",
            "find a -type f | tr '\\n' '\\0' | 'time' xargs -0 cat",
        ),
        (
            "find a -type f | xargs -d '\\n' cat",
            "find a -type f | xargs -d '\\n' cat",
        ),
        (
            "echo $(ls *.rs | wc -l) \"$(git log -1)\"",
            "echo $(ls -- *.rs | wc -l) \"$(git log -1)\"",
        ),
        (
            "cat $(find a -type f); n=$(ls *.rs | wc -l)",
            "cat $(find a -type f)\nn=\"$(set +f; ls -- *.rs | wc -l)\"",
        ),
        ("fd -e rs -tf -x wc -l", "fd -e rs -tf -x wc -l --"),
        ("a=(x \"y z\"); cat \"${a[@]}\"", "a=(x 'y z')\ncat x 'y z'"),
        (
            "a=(x *.rs); cat \"${a[@]}\"",
            "a=(x *.rs)\ncat -- \"${a[@]}\"",
        ),
        (
            "echo ${X:0:3} \"${S^^}\" \"${S/a/b}\" \"${#a[@]}\"",
            "echo ${X:0:3} \"${S^^}\" \"${S/a/b}\" \"${#a[@]}\"",
        ),
        (
            "for f in *.txt; do mv \"$f\" \"${f%.txt}.md\"; done",
            "for f in *.txt; do mv -- \"${f}\" \"${f%.txt}\".md; done",
        ),
        (
            "B=$(git rev-parse HEAD); git log \"origin/$B..HEAD\"",
            "B=\"$(git rev-parse HEAD)\"\ngit log origin/\"${B}\"..HEAD",
        ),
    ] {
        assert_eq!(rewritten(text), expected, "{text}");
    }
}

#[test]
fn what_is_not_known_has_no_rewritten_form_and_says_why() {
    for (text, reason) in [
        (
            "$x a",
            "the program `$x` is only known at run time: write its name out",
        ),
        (
            "cat $x",
            "an argument of `cat` is only known at run time: write it out",
        ),
        (
            "cat \"$x\"",
            "an argument of `cat` is only known at run time: write it out",
        ),
        (
            "eval \"$x\"",
            "the command of `eval` is only known at run time: write it out",
        ),
        (
            "cd $x",
            "an argument of `cd` is only known at run time: write it out",
        ),
        (
            "git x",
            "`git x` may run another program, or change what `git` does: use another of its commands",
        ),
        (
            "trap \"$x\" EXIT",
            "the command of `trap` is only known at run time: write it out",
        ),
        (
            "env",
            "`env` alone shows the environment, and the secrets in it: write `echo \"$NAME\"`",
        ),
        (
            "[ \"$x\" -gt 3 ]",
            "some shells evaluate what is beside a comparison of numbers: set it to a number first, as by `wc -l`, or compare texts",
        ),
        (
            "printf %d \"$x\"",
            "some shells evaluate the numbers that `printf` is given: use `%s`, or set it to a number first",
        ),
        (
            "PATH=. ls",
            "the variable `PATH` may change which programs run, or what they do: leave it out",
        ),
    ] {
        let effects = effects(text);
        assert_eq!(effects.rewritten(), None, "{text}");
        assert_eq!(
            effects
                .unknown()
                .next()
                .map(|unknown| unknown.reason.as_str()),
            Some(reason),
            "{text}"
        );
    }
}

#[test]
fn what_shells_read_in_different_ways_is_disputed_but_for_bash() {
    for text in [
        "ls {a,b}",
        "ls $'a'",
        "ls &> x",
        "[[ -f a ]]",
        "cat <(ls)",
        "X='a b'; ls $X",
    ] {
        assert!(effects(text).disputed().count() > 0, "{text}");
        let bash = Environment::new("/work").in_bash();
        assert_eq!(
            Script::parse(text)
                .unwrap()
                .evaluate(&bash)
                .disputed()
                .count(),
            0,
            "{text}"
        );
    }
    assert_eq!(
        effects("ls 'a' \"b\" && cat c | wc -l > d")
            .disputed()
            .count(),
        0
    );
}

#[test]
fn folders_variables_and_branches_are_followed() {
    let reads = |text: &str| -> Vec<String> {
        let effects = effects(text);
        let show = |path: &hooks_shell::PathUse| {
            format!("{} from {}", path.path, path.directories.join(" or "))
        };
        effects
            .reads()
            .filter(|path| path.access != hooks_shell::Access::Enter)
            .map(show)
            .collect()
    };
    assert_eq!(
        reads("cd a; cat b; cd ..; cat c"),
        ["b from /work/a", "c from /work"]
    );
    assert_eq!(
        reads("cd a || cat b; cat c"),
        ["b from /work", "c from /work/a or /work"]
    );
    assert_eq!(
        reads("if cd a; then cat b; fi; cat c"),
        ["b from /work/a", "c from /work or /work/a"]
    );
    assert_eq!(
        reads("(cd a; cat b); cat c"),
        ["b from /work/a", "c from /work"]
    );
    assert_eq!(reads("cd a | cat b"), ["b from /work"]);
    for text in ["cd a >x && cat b", "{ cd a >x || exit; } && cat b"] {
        assert_eq!(reads(text), ["b from /work/a"], "{text}");
    }
    assert_eq!(
        reads("cd a 2>x <y; cat b"),
        ["y from /work", "b from /work/a or /work"]
    );
    assert_eq!(
        reads("X=a; for f in b c; do cat $X/$f; done"),
        ["a/b from /work", "a/c from /work"]
    );
    let last = |text: &str| effects(text).programs().last().unwrap().arguments[0].clone();
    assert_eq!(
        last("if ls; then X=a; fi; echo \"$X\""),
        Argument::Unknown { begins: "".into() }
    );
    assert_eq!(
        last("X=1; while ls; do X=$((X+1)); done; echo $X"),
        Argument::Number
    );
    assert_eq!(
        last("X=a; ls | X=b; echo \"$X\""),
        Argument::Unknown { begins: "".into() }
    );
    assert_eq!(last("X=a; (X=b); echo $X").known(), Some("a"));
}

/// The only programs that generated scripts run. Each prints what it is given; `p2` prints the lines of its input.
const PROGRAMS: [(&str, &str); 3] = [
    ("p0", "printf 'p0'; printf '[%s]' \"$@\"; echo"),
    ("p1", "printf 'p1'; printf '[%s]' \"$@\"; echo"),
    (
        "p2",
        "while IFS= read -r line; do printf '%s<%s>' \"$*\" \"$line\"; done; echo",
    ),
];

/// A folder of these programs, which is all that scripts have for a `PATH`.
struct Stubs(tempfile::TempDir);

impl Stubs {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, body) in PROGRAMS {
            let path = folder.path().join(name);
            fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        Stubs(folder)
    }

    /// What a shell prints for a script, in an empty folder; nothing if there is no such shell.
    fn run(&self, shell: &str, script: &str) -> Option<(String, Option<i32>)> {
        self.run_with(shell, script, &[])
    }

    fn run_with(
        &self,
        shell: &str,
        script: &str,
        variables: &[(&str, &str)],
    ) -> Option<(String, Option<i32>)> {
        let shell = Path::new("/bin").join(shell);
        let folder = tempfile::tempdir().unwrap();
        let output = Command::new(shell)
            .args(["-c", script])
            .env_clear()
            .env("PATH", self.0.path())
            .envs(variables.iter().copied())
            .current_dir(&folder)
            .stdin(Stdio::null())
            .output()
            .ok()?;
        Some((
            String::from_utf8_lossy(&output.stdout).into_owned(),
            output.status.code(),
        ))
    }
}

/// Whether a script runs nothing but the shell's own commands and the programs above.
fn is_harmless(effects: &Effects) -> bool {
    effects
        .programs()
        .all(|program| program.is_builtin || PROGRAMS.iter().any(|(name, _)| *name == program.name))
}

fn word() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "a",
        "'b c'",
        "\"d e\"",
        "$X",
        "\"$X\"",
        "${Y}",
        "\"$Y-f\"",
        "g\\ h",
        "{i,j}",
        "{1..3}",
        "{a,'b c'}{1,2}",
        "$'k\\tl'",
        "$'\\x41'",
        "\"${X}m\"",
        "'$n'",
        "\"\\$o\"",
        "\"a\\\\b\"",
        "''",
        "q=r",
        "'*'",
        "'[a]'",
        "$((1 + 2))",
        "\"$((Z * 2))\"",
        "s'' ",
        "\"t'u\"",
        "'v\"w'",
        "-x",
        "'#y'",
        "!z",
        "${Y%b}",
        "\"${X#x}\"",
        "\"${#X}\"",
        "${X:-aa}",
        "\"${U-un set}\"",
        "\"${Y:+set}\"",
        "'~bb/..~'",
        "'é ü'",
    ])
    .prop_map(|word| word.trim().to_owned())
}

/// A condition that runs no program.
fn condition() -> impl Strategy<Value = String> {
    let word = || word();
    prop_oneof![
        Just("true".to_owned()),
        Just("false".to_owned()),
        word().prop_map(|word| format!("test \"$Y\" = {word}x")),
        word().prop_map(|word| format!("[ -n {word}x ]")),
        Just("[[ $Y == a* ]]".to_owned()),
        Just("[[ -z $Y || $X == 'x1 x2' ]]".to_owned()),
        Just("[ \"$Z\" -gt 7 ]".to_owned()),
    ]
}

fn simple() -> impl Strategy<Value = String> {
    let words = prop::collection::vec(word(), 0..4)
        .prop_map(|words| words.join(" "))
        .boxed();
    let with = |form: &'static str| {
        words
            .clone()
            .prop_map(move |words| form.replace('@', &words))
    };
    prop_oneof![
        3 => with("p0 @"),
        1 => with("printf '<%s>' @"),
        1 => with("printf '%s ' \"$(p1 @)\" \"`p1 back`\""),
        1 => with("p0 @ | while read -r line; do printf '{%s}' \"$line\"; done"),
        1 => with("p0 @ | p2 | p2 x"),
        1 => with("p0 @ 2>&1 |& p2"),
        1 => with("p0 @ >out; p1 @ >>out; p2 <out"),
        1 => with("for w in a @; do [ \"$w\" = a ] && continue; p0 \"$w\"; done"),
        1 => with("for w in @ b; do p0 \"$w\"; break; done"),
        1 => with("V='v w'; p0 @ \"$V\"; V=; p1 \"${V:-empty}\""),
        1 => with("export V=\"$X w\"; p0 @; unset V; printf '<%s>' \"${V-gone}\""),
        1 => with("( X=sub; p0 \"$X\" @ ); p0 \"$X\""),
        1 => word().prop_map(|word| format!("p2 y <<< {word}")),
        1 => with("N=0; while [ \"$N\" -lt 3 ]; do N=$((N + 1)); printf '%s,' \"$N\"; p0 @; done"),
        1 => with("N=3; until [ \"$N\" -eq 0 ]; do N=$((N - 1)); p0 @; done"),
        2 => Just("X='new'".to_owned()),
        1 => condition(),
        1 => Just("p2 z <<E\none $Y\n'two' \\$X $((Z + 1))\nE\n".to_owned()),
        1 => Just("p2 <<'E'\none $Y\n\\`two`\nE\n".to_owned()),
        1 => Just("p2 <<-E\n\tone ${Y}\n\t\ttwo\n\tE\n".to_owned()),
    ]
}

fn script() -> impl Strategy<Value = String> {
    let command =
        simple().prop_recursive(3, 12, 3, |inner| {
            let two = (inner.clone(), inner.clone());
            let numbered = (0..10_000_u32, inner.clone());
            prop_oneof![
            two.clone().prop_map(|(a, b)| format!("{a}\n{b}")),
            two.clone()
                .prop_map(|(a, b)| format!("if {a}\nthen {b}\nfi")),
            (condition(), inner.clone(), inner.clone()).prop_map(|(condition, a, b)| format!(
                "if {condition}; then {a}\nelif {condition}; then :; else {b}\nfi"
            )),
            (condition(), inner.clone())
                .prop_map(|(condition, a)| format!("{condition} && {{ {a}\n}} || p0 no")),
            two.clone()
                .prop_map(|(a, b)| format!("{{ {a}\n}} && {{ {b}\n}}")),
            two.clone()
                .prop_map(|(a, b)| format!("( {a}\n) || {{ {b}\n}}")),
            two.clone()
                .prop_map(|(a, b)| format!("case \"$Y\" in a*) {a}\n;; *) {b}\n;; esac")),
            two.prop_map(|(a, b)| format!(
                "case $X in [a-w]*|?) {a}\n;; 'x1 '*) p0 case;; esac\n{b}"
            )),
            inner.clone().prop_map(|a| format!(
                "for v in 1 'x y' {{2,3}}; do {a}\nprintf '%s;' \"$v\"; done"
            )),
            inner.clone().prop_map(|a| format!("! {{ {a}\n}}")),
            inner.clone().prop_map(|a| format!("{{ {a}\n}} | p2 pipe")),
            inner.clone().prop_map(|a| format!("eval p0 e 'f  g'; {a}")),
            numbered.clone().prop_map(|(nth, a)| format!("f{nth}() {{ {a}\n}}; f{nth} arg")),
            numbered.prop_map(|(nth, a)| format!(
                "f{nth}() {{ local L=\"$1\"; printf '%s;' \"$L\" \"$#\" \"$@\"; {a}\n}}; f{nth} 'l m' \"$X\""
            )),
        ]
        });
    command.prop_map(|command| format!("X='x1 x2'\nY=ab\nZ=21\n{command}\n"))
}

#[test]
fn variables_that_lead_elsewhere_are_taken_away_and_the_users_own_stay() {
    let stubs = Stubs::new();
    let git = stubs.0.path().join("git");
    fs::write(&git, "#!/bin/sh\necho \"$GIT_DIR,$GIT_PAGER,$TERM\"\n").unwrap();
    fs::set_permissions(&git, fs::Permissions::from_mode(0o755)).unwrap();
    let variables = [("GIT_DIR", "a"), ("GIT_PAGER", "b"), ("TERM", "c")];
    let script = Script::parse("git diff").unwrap();
    let environments = [
        Environment::new("/work"),
        Environment::new("/work").with_inherited(variables.map(|(name, _)| name)),
    ];
    for environment in environments {
        let effects = script.evaluate(&environment);
        let rewritten = format!("{}\n{}", effects.prelude(), effects.rewritten().unwrap());
        for shell in ["sh", "bash"] {
            if let Some((printed, _)) = stubs.run_with(shell, &rewritten, &variables) {
                assert_eq!(printed, ",b,c\n", "{shell} ran {rewritten}");
            }
        }
    }
    // Nothing stands before a command that nothing is taken away from.
    let nothing = Environment::new("/work").with_inherited(["TERM", "LANG"]);
    assert_eq!(script.evaluate(&nothing).prelude(), "");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_rewritten_script_prints_what_the_original_does(text in script()) {
        let Ok(script) = Script::parse(&text) else { return Ok(()) };
        let effects = script.evaluate(&Environment::new("/work"));
        let Some(body) = effects.rewritten() else { return Ok(()) };
        prop_assert!(is_harmless(&effects), "{}", effects);
        let stubs = Stubs::new();
        let Some(original) = stubs.run("bash", &text) else { return Ok(()) };
        let rewritten = format!("{}\n{body}", effects.prelude());
        for shell in ["bash", "dash"] {
            // There is no such command in dash, and so there is none in the rewritten script that it runs.
            if shell == "dash" && body.contains("[[") {
                continue;
            }
            if let Some(printed) = stubs.run(shell, &rewritten) {
                prop_assert_eq!(&printed, &original, "{} ran\n{}\nfor\n{}", shell, rewritten, text);
            }
        }
    }
}

#[test]
fn patterns_and_lists_in_variables_mean_the_same_to_every_shell() {
    let stubs = Stubs::new();
    for (text, has_lists) in [
        (
            "p='a*'; case abc in $p) printf yes;; *) printf no;; esac",
            false,
        ),
        (
            "p='a*'; case 'a*' in \"$p\") printf yes;; *) printf no;; esac",
            false,
        ),
        ("p='a*'; if [[ abc == $p ]]; then printf yes; fi", true),
        (
            "a=(x y); i=1; printf '%s;' ${a[1]} \"${a[$i]}\" \"${a[i]}z\"",
            true,
        ),
        ("x=a; x+=b; x+='c d'; printf '%s;' \"$x\"", false),
        ("printf '%s;' {a..e} {X..Z} $((0x1f))", false),
        ("x=1; trap 'printf \"bye $x\"' EXIT; x=2; printf hi", false),
        ("exec 2>&1; printf '%s;' a", false),
    ] {
        let effects = effects(text);
        let body = effects
            .rewritten()
            .unwrap_or_else(|| panic!("{text}: {effects}"));
        let rewritten = format!("{}\n{body}", effects.prelude());
        let Some(original) = stubs.run("bash", text) else {
            return;
        };
        for shell in ["bash", "dash", "zsh"] {
            if shell == "dash" && has_lists {
                continue;
            }
            if let Some(printed) = stubs.run(shell, &rewritten) {
                assert_eq!(printed, original, "{shell} ran {rewritten}");
            }
        }
    }
    for text in [
        "case abc in $p) ls;; esac",
        "p='a*'; case abc in $p.x) ls;; esac",
        "a=(x y); ls \"${a[1]}$x\"",
    ] {
        assert_eq!(effects(text).rewritten(), None, "{text}");
    }
}

#[test]
fn most_of_what_is_generated_has_a_rewritten_form() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let mut count = 0;
    for _ in 0..100 {
        let text = script().new_tree(&mut runner).unwrap().current();
        let parsed = Script::parse(&text);
        count += usize::from(parsed.is_ok_and(|script| {
            script
                .evaluate(&Environment::new("/work"))
                .rewritten()
                .is_some()
        }));
    }
    assert!(count > 60, "{count}");
}

#[test]
fn what_is_rewritten_is_rewritten_to_itself() {
    for (text, expected) in [
        ("wc * *", "wc -- * *"),
        (
            "find . -name '*.rs' -exec wc {} +",
            "find . -name '*.rs' '!' -type l -exec wc '{}' +",
        ),
        (
            "pushd c > t; popd > v",
            "{ pushd c >t || exit; }\n{ popd >v || exit; }",
        ),
        ("cat **", "cat -- *"),
        ("sh *", "sh -- *"),
        ("ls -l a src/*.rs *", "ls -l a src/*.rs -- *"),
        ("echo '$'", "echo '$'"),
        ("echo {h*", "echo '{h'*"),
        ("echo a{' b',c}d*", "echo 'a bd'* acd*"),
        ("cd c&", "cd -P c &"),
        ("cd -P c", "{ cd -P c || exit; }"),
        ("cd .", "{ cd -P . || exit; }"),
        ("[[ - ]]", "[[ '-' ]]"),
        ("[[ ! a ]]", "{ ! [[ 'a' ]]; }"),
        (
            "[[ a && ( b || c ) ]]",
            "{ [[ 'a' ]] && { [[ 'b' ]] || [[ 'c' ]]; }; }",
        ),
        ("bash -l -c ls", "bash -c 'ls'"),
        ("echo \"${x-a b}\"", "echo \"${x-a b}\""),
        (
            "find . -type f | while read -r x; do cat \"$x\"; done",
            "find . -type f | while IFS= read -r x; do cat \"${x}\"; done",
        ),
        (
            "find . -type f | while read x; do cat \"$x\"; done",
            "find . -type f | while IFS= read -r x; do cat \"${x}\"; done",
        ),
        ("rg -l x | xargs wc *", {
            "rg -l x | while IFS= read -r name; do { '[' -L \"${name}\" ']' || printf '%s\\n' \"${name}\"; }; done | tr '\\n' '\\0' | xargs -0 wc -- *"
        }),
    ] {
        let first = rewritten(text);
        assert_eq!(first, expected, "{text}");
        assert_eq!(rewritten(&first), expected, "{text}");
        let again = effects(&first);
        let disputed = again
            .disputed()
            .find(|disputed| !disputed.reason.contains("`[[`"));
        assert_eq!(disputed, None, "{text}");
    }
}

#[test]
fn the_loop_that_takes_links_out_touches_nothing_itself() {
    for text in ["git ls-files | xargs wc", "sh -c 'git ls-files | xargs wc'"] {
        let first = effects(text);
        let again = effects(first.rewritten().unwrap());
        assert_eq!(again.rewritten(), first.rewritten(), "{text}");
        let programs: Vec<_> = again
            .programs()
            .map(|program| program.name.as_str())
            .collect();
        assert!(
            programs.ends_with(&["tr", "xargs", "wc"]),
            "{text}: {programs:?}"
        );
        assert!(
            again
                .paths()
                .all(|path| matches!(path.access, Access::Read | Access::Repository))
        );
    }
}

#[test]
fn what_cannot_be_written_again_has_no_rewritten_form() {
    for text in [
        "echo \"${x-$}\"",
        "y='}\"; touch z; \"'; echo \"${x-$y}\"",
        "y='a\\b'; echo ${x-$y}",
        "cd a &>x",
        // It would have an option in one call where it needs a `--` in another.
        "f() { cat \"$1\"; }; for x in *; do f \"$x\"; done; f -n",
        "f() { cat $1 $2; }; f *; f a -n",
        "x() { echo; }; y $(pwd <O)",
        "cat $(ls *.rs); ls *.x",
        "set +f; cat $(git ls-files)",
        "a=(x); a=(y)",
        "a=(x); a=y",
        "if ls; then a=(x); fi",
    ] {
        assert_eq!(effects(text).rewritten(), None, "{text}");
    }
    let environment = Environment::new("/work").with_variable("x", "a\rb");
    let script = Script::parse("echo \"$x\"").unwrap();
    assert_eq!(script.evaluate(&environment).rewritten(), None);
    assert!(Script::parse("echo $'\\r'").is_err());
    let long = format!("echo {}{{a,b}}{{a,b}}", "x".repeat(20_000));
    assert_eq!(effects(&long).rewritten(), None);
    assert!(
        Script::parse("sh --")
            .unwrap()
            .evaluate(&environment)
            .unknown()
            .count()
            > 0
    );
}

#[test]
fn every_script_has_a_line_that_shows_it() {
    for (text, shown) in [
        ("cd .", "runs cd"),
        ("cd . && cd .", "does nothing"),
        ("f() { ls; }", "does nothing"),
    ] {
        assert_eq!(effects(text).to_string(), shown, "{text}");
    }
}
