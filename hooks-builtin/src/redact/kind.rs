//! The kinds of secrets: what each looks like, and how to tell it from text that only looks like it.

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What [`Redact`](crate::Redact) looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SecretKind {
    /// Numbers of payment cards: 13 to 19 digits with an issuer's prefix and the right check digit, in one piece or in
    /// groups of four (or 4, 6 and 5) with a space or a dash between them. Some numbers are found only in groups, or
    /// after a word about payment (`card`, `pan`): those with a length that is rare for cards and common for times and
    /// identifiers, and the values of keys such as `order_id`, `offset` and `timestamp`.
    Card,
    /// US social security numbers, `ddd-dd-dddd`, in the ranges that are assigned.
    UsSsn,
    /// Korean resident registration numbers, `YYMMDD-ddddddd`, with a valid date.
    KoreanRrn,
    /// E-mail addresses, also with `%40`. `git@github.com` is not an address. Neither are package versions
    /// (`left-pad@1.3.0.tgz`), systemd units (`getty@tty1.service`), names of SSH algorithms, and code
    /// (`this@Main.getText`).
    Email,
    /// AWS access key IDs, and secret keys that are named as such: next to the name, or as the `value` after it.
    AwsKey,
    /// GitHub tokens: `ghp_…`, `gho_…`, `ghu_…`, `ghs_…`, `ghr_…`, `github_pat_…`.
    GithubToken,
    /// Slack tokens, `xox…` and `xapp-…`, and the URLs of Slack webhooks.
    SlackToken,
    /// API keys of OpenAI, Anthropic and others: `sk-…`.
    OpenaiKey,
    /// JSON web tokens, signed (three parts) or encrypted (five).
    Jwt,
    /// Private keys in PEM format, the whole block. If the end of the block is missing, only the lines that look like a
    /// key are found. If the first line is only mentioned, for example in code, nothing is found.
    PrivateKey,
}

impl SecretKind {
    /// All kinds. If a text matches two kinds, the first one in this list applies.
    pub const ALL: [SecretKind; 10] = [
        SecretKind::Card,
        SecretKind::UsSsn,
        SecretKind::KoreanRrn,
        SecretKind::AwsKey,
        SecretKind::GithubToken,
        SecretKind::SlackToken,
        SecretKind::OpenaiKey,
        SecretKind::Jwt,
        SecretKind::PrivateKey,
        SecretKind::Email,
    ];

    /// The kind's name in configurations, and in the replacement of a secret.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            SecretKind::Card => "card",
            SecretKind::UsSsn => "us_ssn",
            SecretKind::KoreanRrn => "korean_rrn",
            SecretKind::Email => "email",
            SecretKind::AwsKey => "aws_key",
            SecretKind::GithubToken => "github_token",
            SecretKind::SlackToken => "slack_token",
            SecretKind::OpenaiKey => "openai_key",
            SecretKind::Jwt => "jwt",
            SecretKind::PrivateKey => "private_key",
        }
    }

    /// The regular expression for the kind, or for its beginning. It matches ASCII only, and its boundaries are ASCII
    /// as well, so that text in any script runs through the fast automaton.
    ///
    /// A candidate that may be rejected is matched for a bounded length. The search continues just after the
    /// candidate's start, so otherwise it would read the same text many times.
    pub(super) const fn pattern(self) -> &'static str {
        match self {
            SecretKind::Card => {
                r"(?-u:(?:\b|_|%[0-9A-Fa-f]{2}|\\[nrtbf]|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\[[0-9;]{0,16}[A-Za-z])[2-6](?:[ -]?[0-9]){12,30})"
            }
            SecretKind::UsSsn => {
                r"(?-u:(?:\b|_|%[0-9A-Fa-f]{2}|\\[nrtbf]|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\[[0-9;]{0,16}[A-Za-z])[0-9]{3}-[0-9]{2}-[0-9]{4}\b)"
            }
            SecretKind::KoreanRrn => {
                r"(?-u:(?:\b|_|%[0-9A-Fa-f]{2}|\\[nrtbf]|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\[[0-9;]{0,16}[A-Za-z])[0-9]{6}-[1-8][0-9]{6}\b)"
            }
            // The part from the `@` on.
            SecretKind::Email => r"(?-u:(?:@|%40)(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,})",
            SecretKind::AwsKey => {
                r#"(?-u:(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b|(?i:secret[_-]?(?:access[_-]?)?key)\\?["']?(?:\s{0,8}(?::?=|=>|:|>|,)\s{0,16}|[ \t]{1,8}|,?\s{0,40}\\?["']?(?i:value)\\?["']?\s{0,8}[:=]\s{0,16})\\?["']?(?:[A-Za-z0-9/+]|%2[BbFf]){40})"#
            }
            SecretKind::GithubToken => {
                r"(?-u:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{22})"
            }
            SecretKind::SlackToken => {
                r"(?-u:xox[a-z]-[A-Za-z0-9-]{10}|xapp-[A-Za-z0-9-]{12}|hooks\.slack\.com(?:/|%2[Ff])(?:services|workflows|triggers)(?:/|%2[Ff])(?:[A-Za-z0-9/]|%2[Ff]){20,})"
            }
            SecretKind::OpenaiKey => r"(?-u:sk-[A-Za-z0-9_-]{20})",
            SecretKind::Jwt => r"(?-u:eyJ[A-Za-z0-9_-]{6})",
            SecretKind::PrivateKey => {
                r"(?-u:-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----)"
            }
        }
    }

    /// Returns the range of the secret, from `floor` on, if the candidate that was found is one.
    pub(super) fn secret(
        self,
        text: &str,
        floor: usize,
        found: Range<usize>,
    ) -> Option<Range<usize>> {
        let is_token = !matches!(
            self,
            SecretKind::Card
                | SecretKind::UsSsn
                | SecretKind::KoreanRrn
                | SecretKind::Email
                | SecretKind::PrivateKey
        );
        if is_token && is_in_word(text, found.start) {
            return None;
        }
        match self {
            SecretKind::Card => card(text, without_escape(text, found)),
            SecretKind::UsSsn => {
                Some(without_escape(text, found)).filter(|found| is_ssn(text, found))
            }
            SecretKind::KoreanRrn => {
                Some(without_escape(text, found)).filter(|found| is_rrn(text, found))
            }
            SecretKind::Email => email(text, floor, found),
            SecretKind::AwsKey => Some(match found.len() {
                20 => found,
                _ if after(text, found.end)[0].is_ascii_alphanumeric() => return None,
                _ if matches!(after(text, found.end)[0], b'/' | b'+' | b'=') => return None,
                // The label stays.
                _ => start_of_value(text, found.end, 40)..found.end,
            }),
            SecretKind::OpenaiKey => key(text, found),
            SecretKind::Jwt => jwt(text, found),
            SecretKind::PrivateKey => Some(found.start..end_of_block(text, &found)?),
            SecretKind::GithubToken | SecretKind::SlackToken => {
                Some(found.start..end_of_token(text, found.end, usize::MAX))
            }
        }
    }
}

/// Returns the two bytes before a position, the nearer one first; 0 if there is none.
fn before(text: &str, at: usize) -> [u8; 2] {
    let bytes = text.as_bytes();
    [1, 2].map(|back| at.checked_sub(back).map_or(0, |at| bytes[at]))
}

/// Returns the two bytes after a position; 0 if there is none.
fn after(text: &str, at: usize) -> [u8; 2] {
    let bytes = text.as_bytes();
    [0, 1].map(|on| bytes.get(at + on).copied().unwrap_or(0))
}

/// Whether digits are a number of their own, and not a part of a longer number or of an identifier: `0.4111…`,
/// `550e8400-…`, `v4-…`. In a list they are: `1,4111…,07/27`.
fn stands_alone(text: &str, range: &Range<usize>) -> bool {
    let joined = |[near, far]: [u8; 2]| match near {
        b'.' | b'-' | b'_' => far.is_ascii_digit(),
        // A byte of a longer character belongs to a word or to punctuation. A word is rare here.
        near => near.is_ascii_alphanumeric(),
    };
    let begins = !joined(before(text, range.start)) || is_escaped(text, range.start);
    begins && !joined(after(text, range.end))
}

/// Returns the range without the escape, or the underscore, that it may begin with.
fn without_escape(text: &str, found: Range<usize>) -> Range<usize> {
    let length = match text.as_bytes()[found.clone()] {
        [b'_', ..] => 1,
        [b'%', ..] => 3,
        [b'\\', b'u', ..] => 6,
        [b'\\', b'x', ..] => 4,
        [b'\\', ..] => 2,
        // A colour sequence, up to its letter.
        [b'[', ref rest @ ..] => {
            2 + rest
                .iter()
                .take_while(|byte| !byte.is_ascii_alphabetic())
                .count()
        }
        _ => 0,
    };
    found.start + length..found.end
}

/// Whether the character before a token belongs to the same word.
fn is_in_word(text: &str, at: usize) -> bool {
    before(text, at)[0].is_ascii_alphanumeric() && !is_escaped(text, at)
}

/// Whether an escape ends here, whose last character only looks like a letter of the text.
fn is_escaped(text: &str, at: usize) -> bool {
    escape(text, at).is_some()
}

/// Returns where the escape begins that ends here, in JSON, in URLs or on terminals: `\n`, `\u003c`, `%20`, and the
/// colours of `grep` and `git diff`, `ESC[31m`, even if the ESC itself is escaped.
fn escape(text: &str, at: usize) -> Option<usize> {
    const MOST_OF_COLOUR: usize = 17;
    let before = &text.as_bytes()[..at];
    let is_hex = |bytes: &[u8]| bytes.iter().all(u8::is_ascii_hexdigit);
    match before {
        [.., b'\\', b'n' | b'r' | b't' | b'b' | b'f'] => return Some(at - 2),
        [.., b'%', high, low] if is_hex(&[*high, *low]) => return Some(at - 3),
        [.., b'\\', b'x', high, low] if is_hex(&[*high, *low]) => return Some(at - 4),
        [.., b'\\', b'u', a, b, c, d] if is_hex(&[*a, *b, *c, *d]) => return Some(at - 6),
        _ => {}
    }
    let parameters = before.strip_suffix(
        before
            .last()
            .filter(|byte| byte.is_ascii_alphabetic())
            .map(std::slice::from_ref)?,
    )?;
    let digits = parameters
        .iter()
        .rev()
        .take(MOST_OF_COLOUR)
        .take_while(|byte| byte.is_ascii_digit() || **byte == b';')
        .count();
    let introduced = parameters[..parameters.len() - digits].strip_suffix(b"[")?;
    let introducers: [&[u8]; 6] = [b"\x1b", b"\\u001b", b"\\u001B", b"\\x1b", b"\\e", b"\\033"];
    let begin = introducers
        .iter()
        .find_map(|introducer| introduced.strip_suffix(*introducer))?;
    Some(begin.len())
}

/// Returns the longest card number that the digits begin with.
fn card(text: &str, found: Range<usize>) -> Option<Range<usize>> {
    let bytes = &text.as_bytes()[found.clone()];
    let mut is_payment = None;
    let mut digits = [0_u8; 19];
    let mut groups = [0_u8; 19];
    let (mut count, mut group) = (0, 0);
    let mut separator = None;
    let mut longest = None;
    for (at, &byte) in bytes.iter().enumerate() {
        if !byte.is_ascii_digit() {
            if *separator.get_or_insert(byte) != byte {
                break;
            }
            group += 1;
            continue;
        }
        if count == digits.len() {
            break;
        }
        digits[count] = byte - b'0';
        count += 1;
        groups[group] += 1;
        let range = found.start..found.start + at + 1;
        if count >= 13
            && is_grouped(&groups[..=group])
            && is_issued(&digits[..count])
            && has_check_digit(&digits[..count])
            && stands_alone(text, &range)
            && (group > 0
                || (is_of_usual_length(&digits[..count]) && !is_of_other_name(text, found.start))
                || *is_payment.get_or_insert_with(|| is_of_payment(text, found.start)))
        {
            longest = Some(range);
        }
    }
    longest
}

/// Whether digits are grouped as on cards.
fn is_grouped(groups: &[u8]) -> bool {
    match groups {
        [_] | [4, 6, 4 | 5] => true,
        [whole @ .., 1..=4] => whole.len() >= 3 && whole.iter().all(|digits| *digits == 4),
        _ => false,
    }
}

/// Whether a number begins with an issuer's prefix, and has a length of that issuer.
fn is_issued(digits: &[u8]) -> bool {
    let number = |count: usize| {
        digits[..count]
            .iter()
            .fold(0_u32, |number, digit| number * 10 + u32::from(*digit))
    };
    let length = digits.len();
    match number(1) {
        4 => matches!(length, 13 | 16 | 19),
        2 => length == 16 && (2221..=2720).contains(&number(4)),
        3 => match number(2) {
            34 | 37 => length == 15,
            30 | 36 | 38 | 39 => (14..=19).contains(&length),
            35 => (16..=19).contains(&length),
            _ => false,
        },
        5 => match number(2) {
            51..=55 => length == 16,
            50 | 56..=58 => length >= 13,
            _ => false,
        },
        6 => match number(2) {
            60 | 62 | 64 | 65 => (16..=19).contains(&length),
            _ => length >= 13 && matches!(number(2), 63 | 67),
        },
        _ => false,
    }
}

/// Whether a number has the usual length of its issuer. Otherwise it may well be a time in ticks, or an identifier.
fn is_of_usual_length(digits: &[u8]) -> bool {
    match digits {
        // Maestro's numbers have any length.
        [5, 0 | 6..=8, ..] | [6, 3 | 7, ..] => false,
        [3, 4 | 7, ..] => digits.len() == 15,
        [3, 0 | 6 | 8 | 9, ..] => digits.len() == 14,
        _ => digits.len() == 16,
    }
}

/// Whether a number is the value of a name that says that it is not a card: `order_id=4…`, `"offset": 4…`. One number
/// in ten has the check digit of a card by chance.
fn is_of_other_name(text: &str, at: usize) -> bool {
    let is_around = |c: char| matches!(c, ' ' | '"' | '\'' | '\\' | ':' | '=');
    let name = text[..at].trim_end_matches(is_around);
    let is_value = text[name.len()..at].contains([':', '=']);
    let others = [
        "id",
        "ids",
        "offset",
        "size",
        "bytes",
        "seed",
        "hash",
        "time",
        "timestamp",
        "ticks",
    ];
    // Matches the last word of `order_id`, `orderId` or `orderID`, but not of `void`.
    let is_last_word = |other: &&str| {
        let start = name.len().checked_sub(other.len());
        let word = start.and_then(|start| name.get(start..).map(|word| (start, word)));
        word.is_some_and(|(start, word)| {
            let [near, _] = before(name, start);
            let is_hump = near.is_ascii_lowercase() && word.starts_with(|c: char| c.is_uppercase());
            word.eq_ignore_ascii_case(other) && (is_hump || !near.is_ascii_alphabetic())
        })
    };
    is_value && others.iter().any(is_last_word)
}

/// Whether a word about payment is shortly before a number.
fn is_of_payment(text: &str, at: usize) -> bool {
    const NEAR: usize = 40;
    let near = text.as_bytes()[at.saturating_sub(NEAR)..at].to_ascii_lowercase();
    let near = String::from_utf8_lossy(&near);
    ["card", "credit", "debit", "payment", "maestro", "visa"]
        .iter()
        .any(|word| near.contains(word))
        || near
            .split(|letter: char| !letter.is_ascii_alphanumeric())
            .any(|word| matches!(word, "pan" | "cc"))
}

/// Luhn's check.
fn has_check_digit(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, &digit)| match (at % 2, u32::from(digit) * 2) {
            (0, _) => digit.into(),
            (_, doubled) => doubled / 10 + doubled % 10,
        })
        .sum();
    sum.is_multiple_of(10)
}

fn is_ssn(text: &str, found: &Range<usize>) -> bool {
    let number = &text[found.clone()];
    let (area, group, serial) = (&number[..3], &number[4..6], &number[7..]);
    !matches!(area, "000" | "666")
        && !area.starts_with('9')
        && group != "00"
        && serial != "0000"
        && stands_alone(text, found)
}

fn is_rrn(text: &str, found: &Range<usize>) -> bool {
    let number = &text.as_bytes()[found.clone()];
    let two = |at: usize| (number[at] - b'0') * 10 + number[at + 1] - b'0';
    let days = match two(2) {
        2 => 29,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&two(4)) && stands_alone(text, found)
}

/// The maximum number of letters and digits in an escape.
const MOST_OF_ESCAPE: usize = 20;

/// Returns the range of an address. `found` is its end, from the `@` on.
fn email(text: &str, floor: usize, found: Range<usize>) -> Option<Range<usize>> {
    // Latin letters only: text in other scripts may be next to an address without a blank.
    let is_word = |c: char| {
        c.is_ascii_alphanumeric()
            || matches!(c, '_' | '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}')
    };
    let before = &text[floor..found.start];
    let local = before
        .rsplit(|c| !is_word(c) && !matches!(c, '.' | '%' | '+' | '-'))
        .next()
        .unwrap_or_default();
    let mut local = &local[local.find(is_word)?..];
    // `\nada@…`, `ESC[31mada@…`: the last letter of an escape belongs to the escape.
    let begin = found.start - local.len();
    let escaped = (1..=local.len().min(MOST_OF_ESCAPE)).find(|&length| {
        local.is_char_boundary(length)
            && escape(text, begin + length).is_some_and(|escape| escape < begin)
    });
    if let Some(length) = escaped {
        local = &local[length..];
    }
    let at = if text.as_bytes()[found.start] == b'@' {
        1
    } else {
        "%40".len()
    };
    let is_address = !local.is_empty()
        && !is_of_code(local, &text[found.end..])
        && is_of_mail(&text[found.start + at..found.end]);
    is_address.then_some(found.start - local.len()..found.end)
}

/// Whether the text around an `@` is code: a label of Kotlin, a slot of R, or git's usual user.
fn is_of_code(local: &str, rest: &str) -> bool {
    matches!(
        local,
        "git" | "this" | "super" | "return" | "break" | "continue"
    ) || rest.starts_with('$')
        || rest.starts_with("[[")
}

/// Whether a domain can receive mail. It cannot if it is a package version, an image scale, a systemd unit, a method
/// name, or a namespace of SSH's algorithms.
fn is_of_mail(domain: &str) -> bool {
    let mut labels = domain.split('.');
    let first = labels.next().unwrap_or_default();
    let last = domain.rsplit('.').next().unwrap_or_default();
    let is_number = |label: &str| label.bytes().all(|byte| byte.is_ascii_digit());
    // Some providers have a number as their name, but none has such a short one, or two of them.
    let is_version = is_number(first) && (first.len() <= 2 || labels.next().is_some_and(is_number));
    let scale = first
        .split('-')
        .next()
        .unwrap_or_default()
        .strip_suffix('x');
    let is_scale = scale.is_some_and(|scale| !scale.is_empty() && is_number(scale));
    // `object@meta.data` is a slot of R.
    let is_unit = matches!(
        last,
        "data"
            | "service"
            | "socket"
            | "timer"
            | "mount"
            | "automount"
            | "swap"
            | "path"
            | "slice"
            | "scope"
            | "device"
    );
    let has_hump =
        |[before, letter]: &[u8; 2]| before.is_ascii_lowercase() && letter.is_ascii_uppercase();
    let is_method = last.as_bytes().array_windows().any(has_hump);
    let is_algorithm = matches!(domain, "openssh.com" | "libssh.org");
    !(is_version || is_scale || is_unit || is_method || is_algorithm)
}

/// Returns where a value begins that ends here and has this many characters, some of which may be percent-encoded.
fn start_of_value(text: &str, end: usize, characters: usize) -> usize {
    (0..characters).fold(end, |end, _| match &text.as_bytes()[..end] {
        [.., b'%', b'2', _] => end - 3,
        _ => end - 1,
    })
}

/// Returns the end of the token characters, at most this many from a position.
fn end_of_token(text: &str, from: usize, most: usize) -> usize {
    let is_of_token = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let rest = text.as_bytes()[from..].iter();
    from + rest.take(most).take_while(is_of_token).count()
}

/// The maximum number of bytes that are read to recognise a key.
const MOST_OF_KEY: usize = 512;
const MOST_OF_HEADER: usize = 8192;
const MOST_OF_PAYLOAD: usize = 64 * 1024;

/// Returns the range of a key. A name made of words, such as `sk-learn-based-classifier-for-text`, is not a key.
fn key(text: &str, found: Range<usize>) -> Option<Range<usize>> {
    let known = &text[found.start..end_of_token(text, found.end, MOST_OF_KEY)];
    let has = |is: fn(&u8) -> bool| known.as_bytes().iter().any(is);
    // The prefixes of some vendors are sufficient.
    let is_known = [
        "sk-proj-",
        "sk-ant-",
        "sk-svcacct-",
        "sk-admin-",
        "sk-or-v1-",
    ]
    .iter()
    .any(|prefix| known.starts_with(prefix) && has(u8::is_ascii_uppercase));
    // Slugs and names of pods consist of words with numbers between them.
    let least = if has(u8::is_ascii_uppercase) { 6 } else { 20 };
    let is_random = is_known
        || known
            .split(['-', '_'])
            .any(|part| is_mixed(part) && part.len() >= least);
    is_random.then(|| found.start..end_of_token(text, found.end, usize::MAX))
}

/// Whether letters and digits are mixed.
fn is_mixed(part: &str) -> bool {
    let has = |is: fn(&u8) -> bool| part.as_bytes().iter().any(is);
    has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic)
}

/// Returns the range of three parts with dots between them, of which the last may be empty, or of five, of which the
/// second may be empty.
fn jwt(text: &str, found: Range<usize>) -> Option<Range<usize>> {
    let dot_at = |at: usize| (text.as_bytes().get(at) == Some(&b'.')).then_some(at + 1);
    let next = |from: usize| dot_at(end_of_token(text, from, MOST_OF_PAYLOAD));
    let payload = dot_at(end_of_token(text, found.end, MOST_OF_HEADER))?;
    let signature = next(payload)?;
    // In an encrypted token, these are the vector, the text and the tag.
    if let Some(sealed) = next(signature).filter(|sealed| sealed - signature > 4)
        && let Some(tag) = next(sealed).filter(|tag| tag - sealed > 1)
        && let end = end_of_token(text, tag, usize::MAX)
        && end - tag >= 4
    {
        return Some(found.start..end);
    }
    (signature - payload > 4).then(|| found.start..end_of_token(text, signature, usize::MAX))
}

/// How far from its beginning the end of a PEM block is searched.
const MOST_OF_BLOCK: usize = 128 * 1024;
/// How far from the beginning the first line of a key is searched. There may be comments before it.
const MOST_OF_COMMENTS: usize = 1024;
/// The minimum length of a line of a key, except its last line.
const LINE_OF_KEY: usize = 40;

/// Returns the end of the PEM block that begins with this first line: the line with the same label, or the last line
/// that looks like a key. Returns nothing if the first line is only mentioned.
fn end_of_block(text: &str, first: &Range<usize>) -> Option<usize> {
    let last = text[first.clone()].replacen("BEGIN", "END", 1);
    let rest = &text[first.end..text.floor_char_boundary(first.end.saturating_add(MOST_OF_BLOCK))];
    if let Some(body) = rest.find(&last).map(|at| &rest[..at])
        && !body.contains("-----BEGIN ")
        && (has_line_of_key(body) || is_body(body))
    {
        return Some(first.end + body.len() + last.len());
    }
    let mut end = 0;
    for line in lines_of_key(rest) {
        let is_first = end == 0;
        let (text, at) = (bare(line), line.as_ptr().addr() - rest.as_ptr().addr());
        // Other words may follow the label on its line.
        let is_long = text.split_whitespace().any(|part| part.len() >= 16);
        let is_of_key = !text.is_empty()
            && text.bytes().all(|byte| is_of_key(byte) || byte == b' ')
            && (is_long || (at > 0 && (is_first || !text.contains(' '))));
        if is_of_key {
            end = at + line.len();
        } else if !(is_first && (text.is_empty() || is_comment(text))) {
            break;
        }
    }
    (end > 0).then_some(first.end + end)
}

/// Returns the lines of a text. A line may end with an escape.
fn lines_of_key(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n').flat_map(|line| line.split("\\n"))
}

/// Returns a line without the quotes of a language or the markers of a `diff`.
fn bare(line: &str) -> &str {
    line.trim_matches(|letter: char| {
        letter.is_whitespace() || matches!(letter, '"' | '\'' | ',' | '\\')
    })
    .trim_start_matches(['+', '-', '>', ' '])
    .trim_end_matches(['"', '\'', '+', ' '])
}

fn is_of_key(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// Whether a line is a header, such as `Proc-Type: 4,ENCRYPTED`.
fn is_comment(line: &str) -> bool {
    let is_name = |name: &str| {
        !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphabetic() || byte == b'-')
    };
    line.split_once(": ").is_some_and(|(name, _)| is_name(name))
}

/// Whether a line of a key is near the beginning.
fn has_line_of_key(body: &str) -> bool {
    let near = &body.as_bytes()[..body.len().min(MOST_OF_COMMENTS)];
    near.split(|byte| !is_of_key(*byte))
        .any(|run| run.len() >= LINE_OF_KEY)
}

/// Whether all lines are lines of a key, however short, or what was redacted of it.
fn is_body(body: &str) -> bool {
    let is_marked = |byte: u8| is_of_key(byte) || matches!(byte, b'[' | b']' | b':' | b'_');
    let mut lines = lines_of_key(body)
        .map(bare)
        .filter(|line| !line.is_empty())
        .peekable();
    lines.peek().is_some() && lines.all(|line| is_comment(line) || line.bytes().all(is_marked))
}
