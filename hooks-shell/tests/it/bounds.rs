//! No text hurts who looks at it.

use hooks_shell::{Environment, MOST_STEPS, Script};
use proptest::prelude::*;

fn steps(text: &str) -> usize {
    match Script::parse(text) {
        Ok(script) => script.evaluate(&Environment::new("/work")).steps(),
        Err(_) => 0,
    }
}

#[test]
fn five_hundred_texts_of_64_kib_end_within_the_steps() {
    let texts = crate::adversarial::texts();
    assert_eq!(texts.len(), 500);
    for text in texts {
        // The step that is one too many is counted as well, and may be a large one.
        let begin: String = text.chars().take(40).collect();
        assert!(steps(&text) <= 2 * MOST_STEPS, "{begin}");
    }
}

#[test]
fn the_stack_of_a_small_thread_is_enough() {
    let thread = std::thread::Builder::new().stack_size(1 << 20);
    let run = || {
        crate::adversarial::texts()
            .iter()
            .map(|text| steps(text))
            .max()
    };
    assert!(thread.spawn(run).unwrap().join().is_ok());
}

#[test]
fn what_is_too_long_is_rejected() {
    let rejected = Script::parse(&"ls ".repeat(30_000)).unwrap_err();
    assert!(
        rejected
            .reason()
            .starts_with("the script is longer than 65536 bytes")
    );
    assert!(Script::parse(&"ls src; ".repeat(8_000)).is_ok());
}

#[test]
fn a_list_of_64_kib_of_plain_commands_is_looked_at() {
    let line = "ls -la src | head -20; grep -n parse src/main.rs; ";
    let list = line.repeat(64 * 1024 / line.len());
    let effects = Script::parse(&list)
        .unwrap()
        .evaluate(&Environment::new("/work"));
    assert!(effects.rewritten().is_some());
    assert!(
        effects.steps() <= MOST_STEPS / 10 * 9,
        "{} steps",
        effects.steps()
    );
}

#[test]
fn a_line_that_asks_for_a_here_document_ends_where_its_text_begins() {
    for text in [
        "cat <<E 'x\nE\n'",
        "cat <<E \\\nE\n",
        "cat <<E $(ls\n)\nE\n",
        "cat <<E \"\nE\n\"\nls",
        "echo `cat <<E`\nE\n",
    ] {
        assert!(Script::parse(text).is_err(), "{text}");
    }
    assert!(Script::parse("cat <<E <<F | cat \"$(cat <<G\ng\nG\n)\" # x\n").is_err());
    assert!(Script::parse("cat <<E <<F # x\ne\nE\nf\nF\nls \"$(cat <<G\ng\nG\n)\"").is_ok());
}

#[test]
fn a_place_is_one_of_the_text() {
    for text in ["${é", "xargs -é", "echo é | é)", "ls; [[ é", "$((é", "é=(é"] {
        match Script::parse(text) {
            Ok(script) => {
                let effects = script.evaluate(&Environment::new("/work"));
                let unknown = effects.unknown().next().expect("it has an odd option");
                assert_eq!(text.get(unknown.span.clone()), Some("-é"), "{text}");
            }
            Err(rejected) => assert!(text.get(rejected.span()).is_some(), "{text}"),
        }
    }
}

#[test]
fn an_argument_of_a_program_that_is_not_known_is_one_path() {
    let script = Script::parse("tool --out=a b").unwrap();
    let effects = script.evaluate(&Environment::new("/work"));
    let paths: Vec<_> = effects.paths().map(|path| path.path.to_string()).collect();
    assert_eq!(paths, ["a", "a", "b", "b"]);
}

fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "ls",
        " ",
        ";",
        "|",
        "&&",
        "||",
        "(",
        ")",
        "{ ",
        "}",
        "$(",
        "`",
        "'",
        "\"",
        "<<E\n",
        "\nE\n",
        "\n",
        "if ",
        "then ",
        "fi",
        "for x in ",
        "do ",
        "done",
        "case x in ",
        "esac",
        ";;",
        "$x",
        "${x",
        "${x:-",
        "$((",
        "))",
        "[[ ",
        " ]]",
        ">",
        "<",
        "&",
        "\\",
        "#",
        "=",
        "x=",
        "*",
        "~",
        "! ",
        "a",
        "/",
        "é",
        "sed ",
        "git ",
        "find ",
        "-exec ",
        "{}",
        "cd ",
        "..",
        "99999999999999999999",
        "{a,b}",
        "f() ",
        "f",
        "eval ",
        "xargs ",
        "while ",
        "read ",
        "$'",
        "1",
        "-",
        "+",
        "sh -c ",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_text_panics_or_takes_more_steps_than_there_are(text in "\\PC{0,80}") {
        prop_assert!(steps(&text) <= 2 * MOST_STEPS);
    }

    #[test]
    fn nor_does_what_looks_like_a_script(text in pieces()) {
        prop_assert!(steps(&text) <= 2 * MOST_STEPS);
    }

    #[test]
    fn what_is_rewritten_is_rewritten_to_itself(text in pieces()) {
        let rewritten = |text: &str| {
            let script = Script::parse(text).ok()?;
            let effects = script.evaluate(&Environment::new("/work"));
            effects.rewritten().map(String::from)
        };
        if let Some(once) = rewritten(&text) {
            let twice = rewritten(&once);
            prop_assert!(twice.is_some(), "{text:?} became {once:?}");
        }
    }
}
