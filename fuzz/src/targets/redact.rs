//! Secrets and personal data.
//!
//! A text may have places for secrets, `{{card 7}}`: the seventh number of a card is there when it is redacted, and
//! nowhere afterwards.

use std::borrow::Cow;
use std::sync::LazyLock;

use fastrand::Rng;
use hooks_builtin::{NamedPattern, Redact, RedactConfig, SecretKind};

use crate::Features;

const OPEN: &str = "[REDACTED:";

static ALL: LazyLock<Redact> = LazyLock::new(Redact::new);

/// With patterns that match next to secrets, in them, and in what takes their place.
static WITH_OWN: LazyLock<Redact> = LazyLock::new(|| {
    let own = |name: &str, regex: &str| NamedPattern {
        name: name.into(),
        regex: regex.parse().expect("the text is a regular expression"),
    };
    let config = RedactConfig {
        patterns: vec![
            own("all", "[A-Z]+:[a-z]"),
            own("edge", r"^.\b|\]$|.$"),
            own("x", "REDACTED"),
        ],
        ..RedactConfig::default()
    };
    Redact::from_config(&config).expect("the patterns are right")
});

/// What secrets leave behind is marked, what is not secret stays, and to redact twice changes nothing more.
///
/// # Panics
///
/// If that does not hold.
pub fn redact(data: &[u8]) -> Features {
    let mut features = Features::default();
    let (text, planted) = planted(&String::from_utf8_lossy(data));
    for (who, redact) in [("all", &*ALL), ("with own", &*WITH_OWN)] {
        let redacted = redact.redact(&text);
        assert_eq!(redact.redact(&redacted), redacted, "the second time");
        assert_eq!(streamed(redact, &text), redacted, "in pieces");
        if let Cow::Borrowed(same) = redacted {
            assert_eq!(same, text);
        }
        assert!(
            stays(&text, &redacted),
            "what is left stood there: {redacted:?}"
        );
        for (secret, kind) in &planted {
            let count = |text: &str| text.matches(secret.as_str()).count();
            // Elsewhere the same text may be none.
            let others = planted.iter().filter(|(other, _)| other == secret).count();
            assert!(
                count(&redacted) <= count(&text) - others,
                "{secret} is in {redacted:?}"
            );
            features.add("planted", kind.name());
        }
        features.add_count(who, redacted.split(OPEN).count());
        for (at, _) in redacted.match_indices(OPEN).take(8) {
            let (mark, after) = redacted[at + OPEN.len()..]
                .split_once(']')
                .unwrap_or_default();
            let mark = SecretKind::ALL
                .into_iter()
                .position(|kind| kind.name() == mark);
            features.add(
                "before",
                (mark, redacted[..at].chars().next_back().map(class)),
            );
            features.add("after", (mark, after.chars().next().map(class)));
        }
    }
    features
}

/// What a stream returns of a text that comes in short pieces.
fn streamed(redact: &Redact, text: &str) -> String {
    let mut stream = redact.stream();
    let letters = text.chars().collect::<Vec<_>>();
    let pieces = letters.chunks(17).map(String::from_iter);
    let shown: String = pieces.map(|piece| stream.push(&piece)).collect();
    shown + &stream.finish()
}

/// What kind of character it is, but for marks, which are themselves.
fn class(c: char) -> char {
    match c {
        '0'..='9' => '0',
        'a'..='z' => 'a',
        'A'..='Z' => 'A',
        c if c.is_ascii() => c,
        _ => 'é',
    }
}

/// Whether what is left of a text beside the marks stood in it, in that order.
fn stays(text: &str, redacted: &str) -> bool {
    let mut rest = text;
    redacted.split(OPEN).enumerate().all(|(nth, part)| {
        let part = match (nth, part.split_once(']')) {
            (1.., Some((_, part))) => part,
            _ => part,
        };
        let Some((_, after)) = rest.split_once(part) else {
            return false;
        };
        rest = after;
        true
    })
}

/// The text with secrets in their places, and those of them that stand alone.
fn planted(text: &str) -> (String, Vec<(String, SecretKind)>) {
    let mut whole = String::new();
    let mut planted = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        whole.push_str(before);
        let named = after.split_once("}}").and_then(|(named, after)| {
            let (name, seed) = named.split_once(' ')?;
            let kind = SecretKind::ALL
                .into_iter()
                .find(|kind| kind.name() == name)?;
            let mut rng = Rng::with_seed(seed.parse().ok()?);
            Some((kind, secret(kind, &mut rng)?, after))
        });
        let Some((kind, secret, after)) = named else {
            whole.push_str("{{");
            rest = after;
            continue;
        };
        // Beside a letter or a digit it may be something else.
        let is_edge = |c: Option<char>| {
            c.is_none_or(|c| matches!(c, ' ' | '\n' | '"' | '\'' | '(' | ')' | ',' | ';'))
        };
        if is_edge(whole.chars().next_back()) && is_edge(after.chars().next()) {
            planted.push((secret.clone(), kind));
        }
        whole.push_str(&secret);
        rest = after;
    }
    whole.push_str(rest);
    (whole, planted)
}

/// A secret of a kind; nothing for the kinds that are no more than a line of a table.
fn secret(kind: SecretKind, rng: &mut Rng) -> Option<String> {
    let text = |rng: &mut Rng, letters: &str, count: usize| -> String {
        let letters: Vec<char> = letters.chars().collect();
        (0..count)
            .map(|_| letters[rng.usize(..letters.len())])
            .collect()
    };
    const DIGITS: &str = "0123456789";
    const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    const WORD: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    Some(match kind {
        SecretKind::Card => {
            let mut digits = format!("4{}", text(rng, DIGITS, 14));
            let sum: u32 = digits
                .bytes()
                .enumerate()
                .map(|(at, digit)| match (at % 2, u32::from(digit - b'0')) {
                    (0, digit) => digit * 2 / 10 + digit * 2 % 10,
                    (_, digit) => digit,
                })
                .sum();
            digits.push_str(&((10 - sum % 10) % 10).to_string());
            if rng.bool() {
                let separator = if rng.bool() { ' ' } else { '-' };
                for at in [12, 8, 4] {
                    digits.insert(at, separator);
                }
            }
            digits
        }
        SecretKind::UsSsn => format!(
            "{}-{}-{}",
            rng.u32(100..600),
            rng.u32(10..100),
            rng.u32(1000..10000)
        ),
        SecretKind::KoreanRrn => {
            let (year, month, day) = (rng.u32(10..100), rng.u32(1..13), rng.u32(1..29));
            format!(
                "{year}{month:02}{day:02}-{}{}",
                rng.u32(1..9),
                text(rng, DIGITS, 6)
            )
        }
        SecretKind::Email => {
            let name = text(rng, "abcdefghijklmnop", 6);
            format!(
                "{name}.{}@{}.example.org",
                rng.u32(1..99),
                text(rng, "qrstuvwxyz", 5)
            )
        }
        SecretKind::AwsKey => format!("AKIA{}", text(rng, UPPER, 16)),
        SecretKind::GithubToken => format!("ghp_{}", text(rng, WORD, 36)),
        SecretKind::SlackToken => {
            format!("xoxb-{}-{}", text(rng, DIGITS, 12), text(rng, WORD, 24))
        }
        SecretKind::OpenaiKey => format!("sk-proj-A{}", text(rng, WORD, 40)),
        SecretKind::Jwt => {
            let (payload, signature) = (text(rng, WORD, 30), text(rng, WORD, 43));
            format!("eyJ{}.eyJ{payload}.{signature}", text(rng, WORD, 20))
        }
        SecretKind::PrivateKey => {
            let lines: String = (0..3).map(|_| text(rng, WORD, 64) + "\n").collect();
            format!("-----BEGIN PRIVATE KEY-----\n{lines}-----END PRIVATE KEY-----")
        }
        _ => return None,
    })
}
