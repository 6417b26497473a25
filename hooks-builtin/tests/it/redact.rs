//! What `Redact` finds, what it leaves, and that it finds no more the second time.

use std::borrow::Cow;
use std::sync::LazyLock;

use crate::common::corpus;
use hooks_builtin::{NamedPattern, Pattern, Redact, RedactConfig, RedactStream, SecretKind};
use hooks_core::agent::{
    AfterToolCall, AgentContext, BeforeLlmCall, ChatMessage, MessageSending, Role, ToolCall,
    ToolOutput,
};
use hooks_core::hooks;
use proptest::prelude::*;
use serde_json::json;

/// The cases of a corpus of `kind<TAB>text`.
fn cases(name: &str) -> Vec<(SecretKind, String)> {
    corpus(name)
        .map(|line| {
            let (kind, text) = line.split_once('\t').expect("a kind, a tab and a text");
            let kind = SecretKind::ALL
                .into_iter()
                .find(|known| known.name() == kind)
                .unwrap_or_else(|| panic!("there is no kind `{kind}`"));
            let text = text.replace("\\+", "");
            (kind, text.replace("\\n", "\n").replace("\\t", "\t"))
        })
        .collect()
}

/// How many cases a kind needs. A token is only a line of the table.
fn least(kind: SecretKind) -> usize {
    if kind < SecretKind::PrivateKey { 1 } else { 10 }
}

#[test]
fn every_secret_of_the_corpus_is_found_as_what_it_is() {
    let cases = cases("secrets.txt");
    for kind in SecretKind::ALL {
        let of_kind = cases.iter().filter(|(other, _)| *other == kind).count();
        assert!(of_kind >= least(kind), "{kind:?} has {of_kind}");
    }
    let alone = SecretKind::ALL.map(|kind| {
        let kinds = vec![kind];
        let config = RedactConfig {
            kinds,
            ..RedactConfig::default()
        };
        Redact::from_config(&config).unwrap()
    });
    let mut wrong = Vec::new();
    for (kind, text) in cases {
        let redacted = ALL.redact(&text);
        let mark = format!("[REDACTED:{}]", kind.name());
        let marks = |text: &str| text.matches("[REDACTED:").count();
        let of_kind = redacted.matches(&mark).count();
        if of_kind == 0 || marks(&redacted) - marks(&text) != of_kind {
            wrong.push(format!("{kind:?}: {text}\n  -> {redacted}"));
        }
        // Alone, each kind does as much.
        let alone = alone[kind as usize].redact(&text);
        if alone != redacted {
            wrong.push(format!("{kind:?} alone: {text}\n  -> {alone}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_lookalike_of_the_corpus_stays() {
    let cases = cases("secrets_lookalikes.txt");
    assert!(cases.len() >= 300);
    for kind in SecretKind::ALL {
        let of_kind = cases.iter().filter(|(other, _)| *other == kind).count();
        assert!(of_kind >= least(kind), "{kind:?} has {of_kind}");
    }
    let redact = Redact::new();
    let changed: Vec<_> = cases
        .iter()
        .filter_map(|(kind, text)| match redact.redact(text) {
            Cow::Borrowed(_) => None,
            Cow::Owned(redacted) => Some(format!("{kind:?}: {text}\n  -> {redacted}")),
        })
        .collect();
    assert!(changed.is_empty(), "{}", changed.join("\n"));
}

#[test]
fn what_stands_around_a_secret_stays() {
    let redact = Redact::new();
    for (text, redacted) in [
        ("4111 1111 1111 1111 12/29 123", "[REDACTED:card] 12/29 123"),
        (
            "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\n",
            "aws_secret_access_key = [REDACTED:aws_key]\n",
        ),
        (
            "a\n-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----\nb",
            "a\n[REDACTED:private_key]\nb",
        ),
        (
            "-----BEGIN PRIVATE KEY-----\nx[REDACTED:jwt]y\n-----END PRIVATE KEY-----z",
            "[REDACTED:private_key]z",
        ),
        (
            "ada@example.org,bob@example.org",
            "[REDACTED:email],[REDACTED:email]",
        ),
        ("[REDACTED:email] stays", "[REDACTED:email] stays"),
        (
            "[REDACTED: ada@example.org]",
            "[REDACTED: [REDACTED:email]]",
        ),
    ] {
        assert_eq!(redact.redact(text), redacted);
    }
}

#[test]
fn it_rewrites_what_it_is_told_to() {
    let secret = "ada@example.org";
    for (tool_output, messages, model_input) in [
        (true, true, false),
        (false, false, true),
        (false, true, true),
    ] {
        let redact = Redact::from_config(&RedactConfig {
            tool_output,
            messages,
            model_input,
            ..RedactConfig::default()
        })
        .unwrap();
        let hooks = hooks![redact];
        let cx = AgentContext::new("s1");

        let mut after = AfterToolCall {
            output: ToolOutput {
                for_user: Some(secret.into()),
                ..ToolOutput::new(secret)
            },
            ..AfterToolCall::default()
        };
        assert!(hooks.intercept_now(&cx, &mut after).is_continue());
        assert_eq!(after.output.content != secret, tool_output);
        assert_eq!(
            after.output.for_user.as_deref() != Some(secret),
            tool_output
        );

        let mut message = MessageSending {
            content: secret.into(),
            ..MessageSending::default()
        };
        assert!(hooks.intercept_now(&cx, &mut message).is_continue());
        assert_eq!(message.content != secret, messages);

        let mut call = BeforeLlmCall {
            messages: vec![ChatMessage::new(Role::User, secret)],
            ..BeforeLlmCall::default()
        };
        assert!(hooks.intercept_now(&cx, &mut call).is_continue());
        assert_eq!(call.messages[0].content != secret, model_input);
    }
}

#[test]
fn what_a_model_is_told_of_its_calls_is_rewritten_whatever_it_is() {
    let redact = Redact::from_config(&RedactConfig {
        model_input: true,
        ..RedactConfig::default()
    })
    .unwrap();
    let mut message = ChatMessage::new(Role::Assistant, "");
    message.tool_calls = vec![ToolCall {
        args: json!({
            "card": 4_111_111_111_111_111_u64,
            "total": 12,
            "to": ["ada@example.org"],
            "ada@example.org": 1,
            "bob@example.org": 2,
        }),
        ..ToolCall::default()
    }];
    let mut call = BeforeLlmCall {
        messages: vec![message],
        ..BeforeLlmCall::default()
    };
    let result = hooks![redact].intercept_now(&AgentContext::new("s1"), &mut call);
    assert!(result.is_continue());
    assert_eq!(
        call.messages[0].tool_calls[0].args,
        json!({
            "card": "[REDACTED:card]",
            "total": 12,
            "to": ["[REDACTED:email]"],
            "[REDACTED:email]": 1,
            "[REDACTED:email]'": 2,
        })
    );
}

fn own(name: &str, regex: &str) -> NamedPattern {
    NamedPattern {
        name: name.into(),
        regex: Pattern::new(regex).unwrap(),
    }
}

#[test]
fn patterns_of_ones_own_are_found_beside_the_others() {
    let redact = Redact::from_config(&RedactConfig {
        patterns: vec![own("ticket", r"TICKET-\d+"), own("name", "(?i)über")],
        ..RedactConfig::default()
    })
    .unwrap();
    assert_eq!(
        redact.redact("TICKET-12 of ada@example.org ÜBER TICKET-3"),
        "[REDACTED:ticket] of [REDACTED:email] [REDACTED:name] [REDACTED:ticket]"
    );
    assert_eq!(redact.counts(), [("email", 1), ("ticket", 2), ("name", 1)]);
}

#[test]
fn settings_that_cannot_be_are_errors() {
    let error = |config: RedactConfig| Redact::from_config(&config).unwrap_err().to_string();
    let nothing = RedactConfig {
        kinds: vec![],
        ..RedactConfig::default()
    };
    assert!(error(nothing).contains("nothing would be redacted"));
    let wrong_name = RedactConfig {
        patterns: vec![own("two words", "x")],
        ..RedactConfig::default()
    };
    assert!(error(wrong_name).contains("`two words`"));
    for wrong in ["(", "x*", "", r"(\pL{200}){200}"] {
        let json = serde_json::json!({ "patterns": [{ "name": "x", "regex": wrong }] });
        assert!(
            serde_json::from_value::<RedactConfig>(json).is_err(),
            "{wrong}"
        );
    }
}

static ALL: LazyLock<Redact> = LazyLock::new(Redact::new);
static WITH_OWN: LazyLock<Redact> = LazyLock::new(|| {
    let config = RedactConfig {
        patterns: vec![
            own("all", r"[A-Z]+:[a-z]"),
            own("edge", r"^.\b|\]$|.$"),
            own("x", "REDACTED"),
        ],
        ..RedactConfig::default()
    };
    Redact::from_config(&config).unwrap()
});

/// Texts in which secrets of all kinds stand close together.
fn mixtures() -> impl Strategy<Value = String> {
    let secrets: Vec<String> = cases("secrets.txt")
        .into_iter()
        .chain(cases("secrets_lookalikes.txt"))
        .map(|(_, text)| text)
        .collect();
    let piece = prop_oneof![
        3 => prop::sample::select(secrets),
        2 => "[ -~]{0,6}",
        1 => prop::sample::select(vec!["", " ", ".", "-", "1", "[REDACTED:", "]", "é", "@", "0."])
            .prop_map(String::from),
        1 => ".{0,4}",
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn redacting_twice_changes_nothing_more(text in mixtures()) {
        let redact = &*ALL;
        let once = redact.redact(&text).into_owned();
        prop_assert_eq!(redact.redact(&once), once.as_str());
    }

    #[test]
    fn nor_with_patterns_of_ones_own(text in mixtures()) {
        let redact = &*WITH_OWN;
        let once = redact.redact(&text).into_owned();
        prop_assert_eq!(redact.redact(&once), once.as_str());
    }

    #[test]
    fn a_text_without_digits_at_signs_and_triggers_comes_back_as_it_is(text in "[a-z éßあ.,\n]{0,200}") {
        prop_assert!(matches!(ALL.redact(&text), Cow::Borrowed(_)));
    }

    #[test]
    fn a_secret_between_words_is_all_that_changes(
        before in "[a-z ]{0,20}", after in "[a-z ]{0,20}", nth in any::<prop::sample::Index>(),
    ) {
        let secrets = ["ada@example.org", "123-45-6789", "4111111111111111", "900101-1234567"];
        let names = ["email", "us_ssn", "card", "korean_rrn"];
        let nth = nth.index(secrets.len());
        let text = format!("{before} {} {after}", secrets[nth]);
        prop_assert_eq!(
            ALL.redact(&text),
            format!("{before} [REDACTED:{}] {after}", names[nth])
        );
    }
}

/// What a stream returns of a text that comes in pieces.
fn streamed<'t>(redact: &Redact, pieces: impl IntoIterator<Item = &'t str>) -> String {
    let mut stream = redact.stream();
    let mut shown: String = pieces.into_iter().map(|piece| stream.push(piece)).collect();
    shown.push_str(&stream.finish());
    shown
}

/// A text in pieces that end there.
fn cut<'t>(text: &'t str, cuts: &[prop::sample::Index]) -> Vec<&'t str> {
    let at = |cut: &prop::sample::Index| text.floor_char_boundary(cut.index(text.len() + 1));
    let mut cuts: Vec<_> = cuts.iter().map(at).chain([0, text.len()]).collect();
    cuts.sort_unstable();
    cuts.windows(2).map(|cut| &text[cut[0]..cut[1]]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_stream_returns_the_same_wherever_the_text_is_cut(
        texts in prop::collection::vec(mixtures(), 1..4), between in "[ \n,あé]{0,3}",
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        let text = texts.join(&between);
        for redact in [&*ALL, &*WITH_OWN] {
            prop_assert_eq!(streamed(redact, cut(&text, &cuts)), redact.redact(&text));
        }
    }
}

#[test]
fn no_stream_shows_the_beginning_of_a_secret() {
    let cases = cases("secrets.txt").into_iter();
    for (_, text) in cases.chain(self::cases("secrets_lookalikes.txt")) {
        for text in [
            text.clone(),
            format!("It is: {text}\nあ, {text} and more.\n"),
        ] {
            let letters = text
                .char_indices()
                .map(|(at, c)| &text[at..at + c.len_utf8()]);
            assert_eq!(streamed(&ALL, letters), ALL.redact(&text));
        }
    }
}

#[test]
fn a_stream_holds_a_word_and_what_may_be_a_secret() {
    let mut stream = ALL.stream();
    for (piece, shown) in [
        ("An old", "An "),
        ("er word, a pass", "older word, a "),
        ("word: hun", ""),
        ("ter! and", "password: [REDACTED:credential] "),
        (" the number 4111 1111 ", "and the number "),
        ("1111 1111 of 2026 ", "[REDACTED:card] of "),
        ("あれは", "2026 あれは"),
        ("-----BEGIN PRIVATE KEY-----\nMIIE\nvQIB\n", ""),
        ("-----END PRIVATE KEY-----\n", "[REDACTED:private_key]\n"),
        (
            "It begins with -----BEGIN PRIVATE KEY----- and so on. ",
            "It begins with ",
        ),
    ] {
        assert_eq!(stream.push(piece), shown, "{piece}");
    }
    // It is no key if no line of one is near.
    let prose = "Then comes more about keys.\n";
    let count = (0..100).find(|_| !stream.push(prose).is_empty()).unwrap();
    assert!(count * prose.len() < 1100);
    assert_eq!(stream.finish(), "");
}

#[test]
fn a_stream_holds_no_more_than_it_says() {
    let mut stream = ALL.stream();
    let mut shown = String::new();
    for _ in 0..RedactStream::MOST_HELD / 8 {
        shown += &stream.push("0123456789");
    }
    shown += &stream.push("0123 and ada@example.org ");
    shown += &stream.finish();
    assert_eq!(shown, "[REDACTED:long] and [REDACTED:email] ");
    assert_eq!(ALL.redact(&shown), shown);
    let held = format!("{:?}", {
        let mut stream = ALL.stream();
        let _ = stream.push("hunter2");
        stream
    });
    assert_eq!(held, "RedactStream { held: 7, .. }");
}

#[test]
fn a_character_without_a_width_hides_no_secret() {
    for (text, redacted) in [
        (
            "x gh\u{200b}p_0123456789abcdefghij\u{ad}\u{200d}ABCDEFGHIJ012345, y",
            "x [REDACTED:github_token], y",
        ),
        ("AKIAIOSF\u{feff}ODNN7EXAMPLE.", "[REDACTED:aws_key]."),
        (
            "password: hun\u{2060}ter2!",
            "password: [REDACTED:credential]",
        ),
        (
            "4111\u{200b}111111111111 and ada\u{ad}@example.org",
            "[REDACTED:card] and [REDACTED:email]",
        ),
        ("co\u{ad}oper\u{ad}ation, می\u{200c}خواهم", ""),
    ] {
        let redacted = if redacted.is_empty() { text } else { redacted };
        assert_eq!(ALL.redact(text), redacted);
        let letters = text
            .char_indices()
            .map(|(at, c)| &text[at..at + c.len_utf8()]);
        assert_eq!(streamed(&ALL, letters), redacted);
    }
}

#[test]
fn the_end_of_a_private_key_hides_the_lines_before_it() {
    let line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjMIIEvQIBADANBgkqhkiG9w0B";
    let end = "-----END RSA PRIVATE KEY-----";
    for (text, redacted) in [
        (
            format!("$ tail -3 key.pem\n{line}\n{line}\nAQEF==\n{end}\n$ ls\n"),
            "$ tail -3 key.pem\n[REDACTED:private_key]\n$ ls\n",
        ),
        (
            format!("\"key\": \"{line}\\n{line}\\n{end}\\n\""),
            "\"key\": \"[REDACTED:private_key]\\n\"",
        ),
        (
            format!(
                "{line}\n{end}{}\n{line}\n{end}",
                end.replace("END", "BEGIN")
            ),
            "[REDACTED:private_key][REDACTED:private_key]",
        ),
    ] {
        assert_eq!(ALL.redact(&text), redacted);
        let letters = text
            .char_indices()
            .map(|(at, c)| &text[at..at + c.len_utf8()]);
        assert_eq!(streamed(&ALL, letters), redacted);
    }
    // Base64 of something else stays, and a stream does not hold all of it.
    let mut stream = ALL.stream();
    let lines = format!("{line}\n").repeat(1000);
    let shown = stream.push(&lines);
    assert!(lines.starts_with(&shown) && lines.len() - shown.len() < 5000);
    assert_eq!(shown + &stream.finish(), lines);
    let certificate = format!("{line}\n-----END CERTIFICATE-----\n");
    assert_eq!(ALL.redact(&certificate), certificate);
}

#[test]
fn a_token_in_a_url_has_the_name_of_its_vendor() {
    for (text, redacted) in [
        (
            "https://x-access-token:ghp_0123456789abcdefghijABCDEFGHIJ012345@github.com/o/r",
            "https://x-access-token:[REDACTED:github_token]@github.com/o/r",
        ),
        (
            "https://ada:hunter2@example.com/o/r",
            "https://ada:[REDACTED:url_password]@example.com/o/r",
        ),
    ] {
        assert_eq!(ALL.redact(text), redacted);
    }
}

#[test]
fn the_table_is_in_order() {
    let names = SecretKind::ALL.map(SecretKind::name);
    let tokens: Vec<_> = SecretKind::ALL
        .iter()
        .filter(|kind| **kind < SecretKind::PrivateKey)
        .collect();
    assert!(
        tokens.is_sorted_by_key(|kind| kind.name()),
        "the names of the tokens are sorted"
    );
    assert!(tokens.len() >= 55);
    for (kind, name) in SecretKind::ALL.into_iter().zip(names) {
        assert_eq!(serde_json::to_value(kind).unwrap(), name);
    }
}

#[test]
fn a_secret_is_found_behind_an_escape() {
    let redact = Redact::new();
    for secret in [
        "ghp_0123456789abcdefghijABCDEFGHIJ012345",
        "AKIAIOSFODNN7EXAMPLE",
        "sk-proj-0123456789abcdefghijABCDEFGHIJ012345",
        "xoxb-0123456789-abcdefghij",
        "4111111111111111",
        "123-45-6789",
        "900101-1234567",
        "ada@example.org",
    ] {
        for before in [
            r"\n",
            r"\r\n",
            r"\t",
            r"\u003c",
            r"\x0a",
            "%20",
            "%3D",
            "\x1b[01;31m\x1b[K",
            "\x1b[m",
            r"\u001b[32m",
            r"\033[1m",
        ] {
            let text = format!("{{\"text\":\"token:{before}{secret}\"}}");
            let redacted = redact.redact(&text);
            assert!(!redacted.contains(secret), "{redacted}");
        }
    }
    let escaped = redact.redact(r"to:\nada@example.org").into_owned();
    assert_eq!(escaped, r"to:\n[REDACTED:email]");
    let coloured =
        redact.redact("\x1b[01;31m4111111111111111\x1b[m, \x1b[32mada@example.org\x1b[m");
    assert_eq!(
        coloured,
        "\x1b[01;31m[REDACTED:card]\x1b[m, \x1b[32m[REDACTED:email]\x1b[m"
    );
}

/// One number in ten has the check digit that a card of this number had.
#[test]
fn ticks_and_identifiers_are_no_cards_by_chance() {
    let redact = Redact::new();
    for step in 0..1_000_u64 {
        let ticks = 638_000_000_000_000_000 + step * 123_456_789_123;
        let id = 6_400_000_000_000_000_000 + step * 1_234_567_891_234;
        let text = format!("{{\"ticks\":{ticks},\"id\":{id}}}");
        assert!(matches!(redact.redact(&text), Cow::Borrowed(_)), "{text}");
    }
}

#[test]
fn what_stands_behind_a_private_key_without_an_end_stays() {
    let key = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj\nMIIEvQ==";
    let redact = Redact::new();
    for rest in ["\n\nThe rest of it.", "\n$ ls -l\nkey.pem", "\n# not a key"] {
        let redacted = redact.redact(&format!("{key}{rest}")).into_owned();
        assert_eq!(redacted, format!("[REDACTED:private_key]{rest}"));
    }
    // A mention does not reach to the key that comes after it.
    let text = format!(
        "// \"-----BEGIN PRIVATE KEY-----\"\nfn f() {{}}\n{key}\n-----END PRIVATE KEY-----\n"
    );
    assert_eq!(
        redact.redact(&text),
        "// \"-----BEGIN PRIVATE KEY-----\"\nfn f() {}\n[REDACTED:private_key]\n"
    );
}

#[test]
fn what_a_pattern_matches_has_to_be_something() {
    for regex in ["x*", r"\b", "^", "a|", "$", "(?:)"] {
        let error = regex.parse::<Pattern>().unwrap_err().to_string();
        assert!(error.contains("matches the empty text"), "{error}");
    }
}

/// To read such a text over and over, from each of its beginnings, would take minutes.
#[test]
fn what_looks_like_a_secret_everywhere_is_read_once() {
    let redact = Redact::new();
    let size = 1 << 17;
    for part in [
        "41-",
        "4 ",
        "sk-",
        "eyJ",
        "eyJaaaaaa-",
        "a@",
        "a@b.",
        "-----BEGIN ",
        "123-45-67890-",
        "xoxb",
        "[REDACTED:",
        "secret_key = ",
        "axoxb-",
        "--key-",
        "password token ",
        "curl -u ",
        "echo aaaa |",
        "a\u{200b}",
        "key\n",
        "0123456789abcdefghijklmnopqrst\n",
        "x-----END PRIVATE KEY-----",
        "axapp-",
        "xgithub_pat_",
        "xghp_",
        "[0;",
        "\x1b[31",
    ] {
        let text = part.repeat(size / part.len());
        assert!(redact.redact(&text) == text, "{part}");
    }
    for (text, expected) in [
        (
            format!("sk-1A{}", "a".repeat(size)),
            "[REDACTED:openai_key]",
        ),
        (
            format!("{}@x.org", "a.".repeat(size / 2)),
            "[REDACTED:email]",
        ),
        (
            format!("eyJhbGciOi.{}.x", "a".repeat(50_000)),
            "[REDACTED:jwt]",
        ),
    ] {
        assert!(redact.redact(&text) == expected, "{expected}");
    }
}

/// Each is a secret only beside a boundary, which the replacement of its neighbour makes.
#[test]
fn secrets_that_uncover_each_other_are_found_in_few_passes() {
    let count = 20_000;
    let with = |pattern| {
        let patterns = vec![own("id", pattern)];
        Redact::from_config(&RedactConfig {
            patterns,
            ..RedactConfig::default()
        })
        .unwrap()
    };
    let redact = with(r"\bID[0-9]{4}");
    let redacted = redact.redact(&"ID1234".repeat(count)).into_owned();
    assert!(redacted == "[REDACTED:id]".repeat(count));
    // Those that the one behind them hides come to light one a pass: too many, and all is hidden.
    let redact = with(r"ID[0-9]{4}\b");
    assert_eq!(
        redact.redact(&"ID1234".repeat(3)),
        "[REDACTED:id]".repeat(3)
    );
    assert_eq!(redact.redact(&"ID1234".repeat(count)), "[REDACTED:id]");
    let twice = redact.redact("ID1234ID1234").into_owned();
    assert_eq!(redact.redact(&twice), twice);
}

#[test]
fn all_of_an_output_is_rewritten_but_what_its_files_hold() {
    use hooks_core::agent::{Media, MediaKind};

    let mail = || String::from("mail ada@example.org");
    let output = ToolOutput {
        for_user: Some(mail()),
        data: Some(json!({ "rows": [mail()] })),
        media: vec![
            Media::from_url(MediaKind::File, "https://example.org/?of=ada@example.org")
                .with_name("ada@example.org.txt"),
            Media::from_base64(MediaKind::Image, "image/png", "4111111111111111"),
        ],
        ..ToolOutput::new(mail())
    };
    let mut after = AfterToolCall {
        output,
        context: vec![mail()],
        ..AfterToolCall::default()
    };
    let hooks = hooks![Redact::new()];
    assert!(
        hooks
            .intercept_now(&AgentContext::new("s1"), &mut after)
            .is_continue()
    );
    let json = serde_json::to_string(&after).unwrap();
    assert!(!json.contains("ada@"), "{json}");
    assert_eq!(
        after.output.media[1].data.as_deref(),
        Some("4111111111111111")
    );
}

#[test]
fn the_conversation_is_rewritten_whichever_provider_it_is_of() {
    let config = RedactConfig {
        model_input: true,
        ..RedactConfig::default()
    };
    let hooks = hooks![Redact::from_config(&config).unwrap()];
    let messages = json!([
        { "role": "user", "content": [
            { "type": "text", "text": "mail ada@example.org" },
            { "type": "image_url", "image_url": { "url": "https://example.org/a.png" } },
            { "type": "text", "text": "or bob@example.org" },
        ] },
        { "role": "user", "content": [
            { "type": "tool_result", "tool_use_id": "1", "content": [{ "type": "text", "text": "ada@example.org" }] },
            { "type": "search_result", "title": "ada@example.org" },
        ] },
        { "role": "assistant", "refusal": "ada@example.org", "reasoning_content": "ada@example.org", "content": null,
          "tool_calls": [{ "id": "1", "type": "function",
                           "function": { "name": "mail", "arguments": "{\"to\":\"ada@example.org\"}" } }] },
        { "role": "assistant", "content": [
            { "type": "thinking", "thinking": "signed eve@example.org", "signature": "c2ln" },
            { "type": "text", "text": "ada@example.org" },
        ] },
    ]);
    let mut call = BeforeLlmCall {
        messages: serde_json::from_value(messages).unwrap(),
        ..BeforeLlmCall::default()
    };
    assert!(
        hooks
            .intercept_now(&AgentContext::new("s1"), &mut call)
            .is_continue()
    );
    let json = serde_json::to_value(&call.messages).unwrap();
    let text = json.to_string();
    assert!(!text.contains("ada@") && !text.contains("bob@"), "{text}");
    assert!(
        text.contains("signed eve@example.org"),
        "what is signed stays"
    );
    assert_eq!(json[0]["content"][2]["text"], "or [REDACTED:email]");
    assert_eq!(
        json[1]["content"][0]["content"][0]["text"],
        "[REDACTED:email]"
    );
}
