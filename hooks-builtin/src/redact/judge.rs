//! How to tell a secret from text that only looks like one.

use std::ops::{Range, RangeInclusive};

use super::kind::SecretKind;

impl SecretKind {
    /// Returns the range of the secret, from `floor` on, if the candidate that was found is one.
    pub(super) fn secret(
        self,
        text: &str,
        floor: usize,
        found: Range<usize>,
    ) -> Option<Range<usize>> {
        match self {
            SecretKind::Card => card(text, without_escape(text, found)),
            SecretKind::UsSsn | SecretKind::KoreanRrn => {
                Some(without_escape(text, found)).filter(|found| is_of_person(self, text, found))
            }
            SecretKind::Email => email(text, floor, found),
            SecretKind::Credential => credential(text, found),
            SecretKind::UrlPassword => url_password(text, found),
            SecretKind::PrivateKey => private_key(text, floor, found),
            SecretKind::AwsKey | SecretKind::Azure | SecretKind::Authorization => {
                named(self, text, found)
            }
            _ if is_in_word(text, found.start) || is_masked(&text[found.clone()]) => None,
            SecretKind::OpenaiKey => key(text, found),
            SecretKind::Jwt => jwt(text, found),
            _ => Some(found.start..found.end + self.rest(text, found.end)),
        }
    }

    /// Returns how many characters behind a match belong to it.
    fn rest(self, text: &str, from: usize) -> usize {
        // Those of base64, of base64 in URLs, and of either when it is percent-encoded.
        let is_wide = matches!(
            self,
            SecretKind::Adyen
                | SecretKind::AwsKey
                | SecretKind::Authorization
                | SecretKind::Azure
                | SecretKind::Fly
                | SecretKind::Grafana
                | SecretKind::OnePassword
                | SecretKind::Sentry
                | SecretKind::SlackToken
                | SecretKind::Stripe
        );
        let is_rest = |byte: &&u8| is_of_token(**byte) || (is_wide && is_of_value(**byte));
        text.as_bytes()[from..].iter().take_while(is_rest).count()
    }
}

fn is_of_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// Whether a character may be in a value, and not between a name and its value.
fn is_of_value(byte: u8) -> bool {
    is_of_token(byte) || matches!(byte, b'+' | b'/' | b'%' | b'=')
}

/// Whether a token is a placeholder, `ghp_xxxx…`.
fn is_masked(text: &str) -> bool {
    let is_mask = |four: &[u8; 4]| matches!(four, b"xxxx" | b"XXXX" | b"****" | b"....");
    text.as_bytes().array_windows().any(is_mask)
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

/// How far before a number a word about it is searched.
const NEAR: usize = 40;

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
            && is_issued(&digits[..count], false)
            && has_check_digit(&digits[..count])
            && stands_alone(text, &range)
            && (group > 0
                || (is_issued(&digits[..count], true) && !is_of_other_name(text, found.start))
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

/// The first four digits of an issuer's numbers, their usual length, and all of their lengths. Maestro's have no usual
/// length.
const ISSUERS: [(RangeInclusive<u32>, usize, &[usize]); 16] = [
    (2221..=2720, 16, &[16]),
    (3000..=3099, 14, &[14, 15, 16, 17, 18, 19]),
    (3400..=3499, 15, &[15]),
    (3500..=3599, 16, &[16, 17, 18, 19]),
    (3600..=3699, 14, &[14, 15, 16, 17, 18, 19]),
    (3700..=3799, 15, &[15]),
    (3800..=3999, 14, &[14, 15, 16, 17, 18, 19]),
    (4000..=4999, 16, &[13, 16, 19]),
    (5000..=5099, 0, &[13, 14, 15, 16, 17, 18, 19]),
    (5100..=5599, 16, &[16]),
    (5600..=5899, 0, &[13, 14, 15, 16, 17, 18, 19]),
    (6000..=6099, 16, &[16, 17, 18, 19]),
    (6200..=6299, 16, &[16, 17, 18, 19]),
    (6300..=6399, 0, &[13, 14, 15, 16, 17, 18, 19]),
    (6400..=6599, 16, &[16, 17, 18, 19]),
    (6700..=6799, 0, &[13, 14, 15, 16, 17, 18, 19]),
];

/// Whether a number begins with an issuer's prefix, and has a length of that issuer. One of another than the usual length
/// may well be a time in ticks, or an identifier.
fn is_issued(digits: &[u8], is_usual: bool) -> bool {
    let first = digits[..4]
        .iter()
        .fold(0, |first, digit| first * 10 + u32::from(*digit));
    ISSUERS.iter().any(|(firsts, usual, lengths)| {
        let is_of_length = if is_usual {
            digits.len() == *usual
        } else {
            lengths.contains(&digits.len())
        };
        is_of_length && firsts.contains(&first)
    })
}

/// Whether a number is the value of a name that says that it is not a card: `order_id=4…`, `"offset": 4…`. One number
/// in ten has the check digit of a card by chance.
fn is_of_other_name(text: &str, at: usize) -> bool {
    let is_around = |c: char| matches!(c, ' ' | '"' | '\'' | '\\' | ':' | '=');
    let near = &text[text.floor_char_boundary(at.saturating_sub(NEAR))..at];
    let name = near.trim_end_matches(is_around);
    let is_value = near[name.len()..].contains([':', '=']);
    let mut others = "id ids offset size bytes seed hash time timestamp ticks".split(' ');
    // Matches the last word of `order_id`, `orderId` or `orderID`, but not of `void`.
    let is_last_word = |other: &str| {
        let start = name.len().checked_sub(other.len());
        let word = start.and_then(|start| name.get(start..).map(|word| (start, word)));
        word.is_some_and(|(start, word)| {
            let [near, _] = before(name, start);
            let is_hump = near.is_ascii_lowercase() && word.starts_with(|c: char| c.is_uppercase());
            word.eq_ignore_ascii_case(other) && (is_hump || !near.is_ascii_alphabetic())
        })
    };
    is_value && others.any(is_last_word)
}

/// Whether a word about payment is shortly before a number.
fn is_of_payment(text: &str, at: usize) -> bool {
    let near = &text[text.floor_char_boundary(at.saturating_sub(NEAR))..at];
    let words = ["card", "credit", "debit", "payment", "maestro", "visa"];
    let is_short = |word: &str| word.eq_ignore_ascii_case("pan") || word.eq_ignore_ascii_case("cc");
    words.iter().any(|word| contains(near, word))
        || near
            .split(|c: char| !c.is_ascii_alphanumeric())
            .any(is_short)
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

/// Whether digits are the number of a person. Without the usual dashes, a label must be before them.
fn is_of_person(kind: SecretKind, text: &str, found: &Range<usize>) -> bool {
    let number = &text[found.clone()];
    let digits: Vec<_> = number.bytes().filter(u8::is_ascii_digit).collect();
    let (dashes, is_valid) = if kind == SecretKind::UsSsn {
        let (area, group, serial) = (&digits[..3], &digits[3..5], &digits[5..]);
        let is_area = area != b"000" && area != b"666" && area[0] != b'9';
        (2, is_area && group != b"00" && serial != b"0000")
    } else {
        let two = |at: usize| (digits[at] - b'0') * 10 + digits[at + 1] - b'0';
        let days = match two(2) {
            2 => 29,
            4 | 6 | 9 | 11 => 30,
            1..=12 => 31,
            _ => 0,
        };
        (1, (1..=days).contains(&two(4)))
    };
    let is_label = |word: &str| {
        let mut labels = "ssn social rrn resident".split(' ');
        let last = word.rsplit('_').next().unwrap_or_default();
        labels.any(|label| last.eq_ignore_ascii_case(label)) || word.starts_with("주민")
    };
    is_valid
        && stands_alone(text, found)
        && (number.matches('-').count() == dashes
            || words_before(text, found.start, 4).any(is_label))
}

/// Returns the last words shortly before a position, the nearest one first.
fn words_before(text: &str, at: usize, count: usize) -> impl Iterator<Item = &str> {
    let near = &text[text.floor_char_boundary(at.saturating_sub(NEAR))..at];
    let words = near.rsplit(|c: char| !(c.is_alphanumeric() || "-_.".contains(c)));
    words.filter(|word| !word.is_empty()).take(count)
}

/// The maximum number of letters and digits in an escape.
const MOST_OF_ESCAPE: usize = 20;

/// Returns the range of an address. `found` is its end, from the `@` on.
fn email(text: &str, floor: usize, found: Range<usize>) -> Option<Range<usize>> {
    let is_word = |c: char| c == '_' || is_letter(c);
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

/// Whether a character is a digit, or a letter of a script that puts blanks between words.
fn is_letter(c: char) -> bool {
    c.is_alphanumeric() && matches!(c, '\0'..'\u{900}' | '\u{1e00}'..'\u{2000}')
}

/// Whether a secret cannot go on behind a character: a blank, or one of a script that needs none.
pub(super) fn is_border(c: char) -> bool {
    c.is_whitespace() || !(c.is_ascii() || is_letter(c) || is_hidden(c))
}

/// What [`is_hidden`] finds.
pub(super) const HIDDEN: &str = r"[\u{ad}\u{200b}-\u{200f}\u{2060}-\u{2064}\u{feff}]";

/// Whether a character has no width, and so may be in the middle of a secret.
pub(super) fn is_hidden(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
}

/// Whether the text around an `@` is code: a label of Kotlin, a slot of R, or git's usual user.
fn is_of_code(local: &str, rest: &str) -> bool {
    matches!(
        local,
        "git" | "this" | "super" | "return" | "break" | "continue" | "x-oauth-basic"
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
    // `object@meta.data` is a slot of R, and `host.local` is in the next room.
    let mut units =
        "data local localdomain service socket timer mount automount swap path slice scope device"
            .split(' ');
    let is_unit = units.any(|unit| unit == last);
    let has_hump =
        |[before, letter]: &[u8; 2]| before.is_ascii_lowercase() && letter.is_ascii_uppercase();
    let is_method = last.as_bytes().array_windows().any(has_hump);
    let is_algorithm = matches!(domain, "openssh.com" | "libssh.org");
    !(is_version || is_scale || is_unit || is_method || is_algorithm)
}

/// Returns the range of the value behind a name, or of a token that needs no name.
fn named(kind: SecretKind, text: &str, found: Range<usize>) -> Option<Range<usize>> {
    let is_between = |byte: &u8| !is_of_token(*byte) && !b"+/%.~".contains(byte);
    let name = text.as_bytes()[found.clone()].iter().rposition(is_between);
    let start = name.map_or(found.start, |at| found.start + at + 1);
    let end = found.end + kind.rest(text, found.end);
    let is_secret = match kind {
        _ if is_masked(&text[start..end]) => false,
        _ if name.is_none() && is_in_word(text, start) => false,
        // Exactly as long as the form.
        SecretKind::AwsKey if name.is_some() || found.len() == "AKIA".len() + 16 => {
            let next = after(text, found.end)[0];
            let is_longer = next.is_ascii_alphanumeric() || b"/+=".contains(&next);
            let is_id = text[found.clone()].starts_with('A') && !is_in_word(text, found.start);
            return (is_id || !is_longer)
                .then_some(if is_id { found.start } else { start }..found.end);
        }
        SecretKind::Authorization => {
            let (value, label) = (&text[start..end], &text[found.start..start]);
            let has = |word: &str| contains(label, word);
            let is_scheme = |c: char| c.is_ascii_alphabetic();
            // `Basic` is a word, and a header without a scheme may name a policy.
            if has("basic") && !has("authorization") {
                is_random(value) && is_base64(value)
            } else if has("authorization") && !label.trim_end().ends_with(is_scheme) {
                is_random(value) && value.bytes().filter(u8::is_ascii_digit).count() > 2
            } else {
                is_random(value) || is_base64(value)
            }
        }
        _ => true,
    };
    is_secret.then_some(start..end)
}

/// Whether a text is a UUID, or a part of it has letters and digits mixed, as no word and no name of a version has.
fn is_random(text: &str) -> bool {
    let is_uuid = text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        });
    is_uuid
        || text
            .split(|c: char| !c.is_ascii_alphanumeric())
            .any(|part| {
                let least = if part.bytes().any(|byte| byte.is_ascii_uppercase()) {
                    8
                } else {
                    12
                };
                part.len() >= least && is_mixed(part)
            })
}

/// Whether a text may be the base64 of something.
fn is_base64(text: &str) -> bool {
    let has = |is: fn(&u8) -> bool| text.as_bytes()[1..].iter().any(is);
    text.len() >= 12
        && text.len().is_multiple_of(4)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
}

/// The maximum number of bytes of a value that are judged.
const MOST_OF_VALUE: usize = 512;

/// Returns the range of the value behind a name and what is between them, or behind what a program takes.
fn credential(text: &str, found: Range<usize>) -> Option<Range<usize>> {
    let name = &text[found.clone()];
    let quote = name.chars().next_back().filter(|c| "\"'`".contains(*c));
    let is_command = name.starts_with(':') || (name.contains(" -") && !name.contains('\n'));
    // `echo ada:… | chpasswd`
    if let Some((echo, _)) = name.split_once('|')
        && let Some(value) = echo.strip_prefix("echo ")
    {
        let value = value.trim_matches(['"', '\'', ' ']).rsplit(':').next()?;
        let start = value.as_ptr().addr() - text.as_ptr().addr();
        return (!is_placeholder(value)).then_some(start..start + value.len());
    }
    if !is_command && !is_name_of_secret(text, found.start, name) {
        return None;
    }
    let is_end = |c: char| match c {
        '"' | '\'' | '`' | '\\' => true,
        ',' | ';' | '&' | '|' | '<' | '>' | '(' | ')' | '{' | '}' | '[' | ']' => quote.is_none(),
        c => is_border(c),
    };
    let rest = &text[found.end..];
    let known = &rest[..rest.floor_char_boundary(MOST_OF_VALUE)];
    let known = &known[..known.find(is_end).unwrap_or(known.len())];
    let next = rest[known.len()..].chars().next();
    let is_code = match quote {
        // A sentence, or the quotes of something else.
        Some(quote) => next.is_some_and(|next| is_end(next) && next != quote && next != '\\'),
        None => next.is_some_and(|next| "([{".contains(next)) || is_path(known),
    };
    let is_sign = |byte: u8| byte.is_ascii_digit() || b"!@#^*+?~$%&".contains(&byte);
    let is_password = PASSWORDS.split(' ').any(|word| contains(name, word));
    let has_sign = is_command || known.bytes().any(is_sign);
    let least = if is_command { 4 } else { 6 };
    let is_secret = if is_command || is_password {
        known.len() >= least && has_sign && !known.starts_with(['/', '~', '.', '-'])
    } else {
        is_random(known)
    };
    let is_secret = is_secret && !is_code && !is_placeholder(known);
    is_secret.then(|| found.end..found.end + rest.find(is_end).unwrap_or(rest.len()))
}

/// What names of passwords have in them. Other values are keys, which are random.
const PASSWORDS: &str = "pass psk pw masterauth rediscli identified securestring";

/// Whether a name, with what is between it and its value, is one of a secret, and what is between them gives it a value.
fn is_name_of_secret(text: &str, at: usize, name: &str) -> bool {
    // Models need those to turn pages, and the others are public.
    let mut others = "page next continuation sync public site primary foreign cache sort partition anon publishable \
        object s3 idempotency"
        .split(' ');
    let starts = |start: &str| {
        name.get(..start.len())
            .is_some_and(|name| name.eq_ignore_ascii_case(start))
    };
    let near = &text[text.floor_char_boundary(at.saturating_sub(NEAR))..at];
    let before = near.trim_end_matches(['_', '-']);
    let is_other = |other: &str| {
        let last = before.len().checked_sub(other.len());
        last.and_then(|last| before.get(last..))
            .is_some_and(|last| last.eq_ignore_ascii_case(other))
    };
    if (starts("token") || name.starts_with("_KEY")) && others.any(is_other) {
        return false;
    }
    let is_of_name =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/');
    let start = near.trim_end_matches(is_of_name);
    let part = &near[start.len()..];
    let between = name.trim_end_matches(|c: char| c.is_whitespace() || "\"'`\\".contains(c));
    match between.bytes().next_back() {
        Some(last) if last != b'(' && (part.starts_with('-') || starts("-")) => true,
        // An identifier of a session is none, but its cookie is.
        _ if ["sid", "sess", "_sess"].into_iter().any(starts) && !contains(name, "key") => {
            between.ends_with('=')
        }
        // `define('PASSWORD', '…')`
        Some(b',') => start.trim_end_matches(['"', '\'', '`', ' ']).ends_with('('),
        // `setPassword("…")`, `.password("…")`
        Some(b'(') => {
            let set = part.rsplit(['.', ':']).next().unwrap_or_default();
            let is_set = ["se", "Se", "with"]
                .iter()
                .any(|start| set.starts_with(start));
            is_set || near.ends_with(['.', '>', ':'])
        }
        // `ENV PASSWORD …`, `login ada password …`
        Some(last) if last.is_ascii_alphanumeric() && !between.contains([':', '=', '>', '|']) => {
            let setters = "env arg setenv setx -x -gx -ux config --global machine login default connect with \
                identified requirepass masterauth convertto-securestring"
                .split(' ');
            let is_setter = |word: &str| {
                setters
                    .clone()
                    .any(|setter| word.eq_ignore_ascii_case(setter))
            };
            words_before(text, at + between.len(), 3).any(is_setter)
        }
        _ => true,
    }
}

/// Whether a text has a word of ASCII in it, in any case.
fn contains(text: &str, word: &str) -> bool {
    let mut parts = text.as_bytes().windows(word.len());
    parts.any(|part| part.eq_ignore_ascii_case(word.as_bytes()))
}

/// Whether a text is the name of a value in code: `config.token2`.
fn is_path(text: &str) -> bool {
    let is_name = |part: &str| {
        !part.starts_with(|c: char| c.is_ascii_digit())
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    text.contains('.') && text.split('.').all(is_name)
}

/// Whether a value stands for another one: `$NAME`, `{{ name }}`, `<name>`, `your-password-1`, `xxxx`.
fn is_placeholder(value: &str) -> bool {
    let words = "a api basic change changeme enter example here insert key me my new none null oauth old passwd \
        password placeholder redacted secret string the token user x your";
    let algorithms =
        "aes argon base bcrypt email hmac int mb md oauth pbkdf scram scrypt sha utf varchar";
    let is_of = |words: &str| {
        let is_known = |word: &str| {
            let mut words = words.split(' ');
            word.is_empty() || words.any(|known| known.eq_ignore_ascii_case(word))
        };
        value
            .split(|c: char| !c.is_ascii_alphabetic())
            .all(is_known)
    };
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    value.starts_with(['$', '<', '{', '[', '*', '!', '%', '=', '>', '@'])
        || is_masked(value)
        || (is_of(words) && digits <= 1)
        || (is_of(algorithms) && digits < value.len())
}

/// Returns the range of the password in the beginning of a URL, `://user:password@`.
fn url_password(text: &str, found: Range<usize>) -> Option<Range<usize>> {
    let user = found.start + text[found.clone()].rfind('/')? + 1;
    let start = user + text[user..found.end].find(':')? + 1;
    let password = start..found.end - 1;
    (!is_placeholder(&text[password.clone()])).then_some(password)
}

/// Returns the end of the token characters, at most this many from a position.
fn end_of_token(text: &str, from: usize, most: usize) -> usize {
    let rest = text.as_bytes()[from..].iter();
    from + rest
        .take(most)
        .take_while(|byte| is_of_token(**byte))
        .count()
}

/// The maximum number of bytes that are read to recognise a key.
const MOST_OF_KEY: usize = 512;
const MOST_OF_HEADER: usize = 4096;
const MOST_OF_PAYLOAD: usize = 64 * 1024;

/// Returns the range of a key. A name made of words, such as `sk-learn-based-classifier-for-text`, is not a key.
fn key(text: &str, found: Range<usize>) -> Option<Range<usize>> {
    let known = &text[found.start..end_of_token(text, found.end, MOST_OF_KEY)];
    let has = |is: fn(&u8) -> bool| known.as_bytes().iter().any(is);
    // The prefixes of some vendors are sufficient.
    let vendors = ["proj-", "ant-", "svcacct-", "admin-", "or-v1-"];
    let is_of_vendor = vendors.iter().any(|vendor| known[3..].starts_with(vendor));
    let is_known = is_of_vendor && has(u8::is_ascii_uppercase);
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

/// How far from its beginning the end of a private key is searched. A key of RSA with 16384 bits has 13 KB.
const MOST_OF_BLOCK: usize = 48 * 1024;
const PEM_BEGINS: &str = "-----BEGIN ";
const PUTTY_BEGINS: &str = "Private-Lines: ";
const PEM_ENDS: &str = "-----END ";
/// How far before its end the lines of a key without a beginning are searched, the maximum length of one, and the minimum
/// length of the first.
const MOST_OF_TAIL: usize = 4096;
pub(super) const MOST_OF_LINE: usize = 128;
const LINE_OF_TAIL: usize = 20;
/// How far from the beginning the first line of a key is searched. There may be comments before it.
const MOST_OF_COMMENTS: usize = 1024;
/// The minimum length of a line of a key, except its last line.
const LINE_OF_KEY: usize = 40;

/// Returns the range in which the next private key from a position on may be, as far as the text tells. What follows the
/// range changes nothing before its end.
pub(super) fn next_key(text: &str, from: usize) -> Range<usize> {
    let mut at = from;
    for line in text[from..].split_inclusive('\n') {
        let begins = [PEM_BEGINS, PUTTY_BEGINS];
        let mut places = line.match_indices(['-', 'P']).map(|(at, _)| at);
        if let Some(begin) =
            places.find(|at| begins.iter().any(|begins| line[*at..].starts_with(begins)))
        {
            return block(text, at + begin);
        }
        let part = last_of_key(line);
        if (LINE_OF_TAIL..=MOST_OF_LINE).contains(&part.len()) {
            let begin = part.as_ptr().addr() - text.as_ptr().addr();
            return begin..end_of_tail(text, at + line.len());
        }
        at += line.len();
    }
    usize::MAX..usize::MAX
}

/// Returns what a line ends with, if that may be of a key.
fn last_of_key(line: &str) -> &str {
    let is_of_key = |c: char| u8::try_from(c).is_ok_and(is_of_key);
    let line = line.trim_end();
    &line[line.trim_end_matches(is_of_key).len()..]
}

/// Returns the end of the lines of a key whose beginning is missing, from the second line on.
fn end_of_tail(text: &str, from: usize) -> usize {
    let mut end = from;
    for line in text[from..].split_inclusive('\n') {
        // Another key may begin on the same line.
        if let Some(at) = line.find(PEM_ENDS) {
            return end + at + PEM_ENDS.len();
        }
        // The rest of the line is to come.
        if !line.ends_with('\n') && PEM_ENDS.starts_with(line.trim_start()) {
            return usize::MAX;
        }
        if last_of_key(line).len() < line.trim().len() || end - from > MOST_OF_TAIL {
            return end;
        }
        end += line.len();
    }
    usize::MAX
}

/// Returns the range of a private key that begins at a position.
fn block(text: &str, begin: usize) -> Range<usize> {
    let label = begin + PEM_BEGINS.len();
    let (label, last) = match &text[label..text.floor_char_boundary(label + 64)] {
        _ if text[begin..].starts_with(PUTTY_BEGINS) => ("", "Private-MAC: ".into()),
        near => match near.split_once("-----") {
            Some((label, _)) if label.contains("PRIVATE KEY") => {
                (label, format!("-----END {label}-----"))
            }
            // The rest of the line is to come.
            None if near.len() < 60 => return begin..usize::MAX,
            _ => return begin..label,
        },
    };
    let body = begin + PEM_BEGINS.len() + label.len();
    let rest = &text[body..];
    let near = &rest[..rest.floor_char_boundary(MOST_OF_BLOCK)];
    // No key is in another one.
    let known = near.split(PEM_BEGINS).next().unwrap_or(near);
    let end = match known.find(&last) {
        Some(at) => at + last.len(),
        None if known.len() < near.len() => known.len(),
        None if rest.len() >= MOST_OF_BLOCK => MOST_OF_BLOCK,
        None => usize::MAX,
    };
    let is_part = |line: &str| is_comment(bare(line)) || bare(line).bytes().all(is_marked);
    let end = if rest.len() < MOST_OF_COMMENTS || has_line_of_key(rest) {
        end
    } else {
        let mut lines = known.split_inclusive('\n');
        let other = lines.find(|line| line.ends_with('\n') && !is_part(line.trim_end()));
        let other = other.map(|line| line.as_ptr().addr() - rest.as_ptr().addr() + line.len());
        other.map_or(end, |other| end.min(other.max(MOST_OF_COMMENTS)))
    };
    begin..body.saturating_add(end)
}

/// Returns the range of a private key, in any of its forms.
fn private_key(text: &str, floor: usize, found: Range<usize>) -> Option<Range<usize>> {
    let form = &text[found.clone()];
    let end = || found.end + SecretKind::Azure.rest(text, found.end);
    match form.as_bytes() {
        _ if form.starts_with(PEM_ENDS) => {
            Some(start_of_tail(text, floor, found.start)?..found.end)
        }
        [b'-' | b'P', ..] => Some(found.start..end_of_block(text, &found)?),
        _ if is_in_word(text, found.start) || is_masked(form) => None,
        // A number of a JSON web key has no sign of its own, and a hash has no capital letters.
        [b'"' | b'\\', ..] => {
            let start = found.start + form.rfind('"')? + 1;
            let has = |is: fn(&u8) -> bool| text.as_bytes()[start..found.end].iter().any(is);
            (has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase)).then(|| start..end())
        }
        _ => Some(found.start..end()),
    }
}

/// Returns where the lines of a key begin, of which only the last line is a PEM's.
fn start_of_tail(text: &str, floor: usize, end: usize) -> Option<usize> {
    let from = floor.max(end.saturating_sub(2 * MOST_OF_TAIL));
    let before = &text[text.ceil_char_boundary(from)..end];
    let (mut start, mut count) = (end, 0);
    for line in before.rsplit('\n').flat_map(|line| line.rsplit("\\n")) {
        let line = bare(line);
        let part = last_of_key(line);
        if !part.is_empty() {
            start = part.as_ptr().addr() - text.as_ptr().addr();
            count += part.len();
        }
        if part.len() < line.len() || (part.is_empty() && count > 0) {
            break;
        }
    }
    (count >= LINE_OF_TAIL).then_some(start)
}

/// Returns the end of the PEM block that begins with this first line: the line with the same label, or the last line
/// that looks like a key. Returns nothing if the first line is only mentioned.
fn end_of_block(text: &str, first: &Range<usize>) -> Option<usize> {
    let last = text[first.clone()].replacen("BEGIN", "END", 1);
    let rest = &text[first.end..text.floor_char_boundary(first.end.saturating_add(MOST_OF_BLOCK))];
    // No key is in another one.
    let rest = rest.split(PEM_BEGINS).next().unwrap_or(rest);
    let is_pem = last.starts_with('-');
    if let Some(body) = rest.find(&last).map(|at| &rest[..at])
        && is_pem
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
        } else if !(is_first
            && (text.is_empty() || (is_pem && at < MOST_OF_COMMENTS && is_comment(text))))
        {
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

/// Whether a character is of a key, of what was redacted of it, or between the parts of a line.
fn is_marked(byte: u8) -> bool {
    is_of_key(byte) || matches!(byte, b'[' | b']' | b':' | b'_' | b' ')
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
    let is_marked = |byte: u8| is_marked(byte) && byte != b' ';
    let mut lines = lines_of_key(body)
        .map(bare)
        .filter(|line| !line.is_empty())
        .peekable();
    lines.peek().is_some() && lines.all(|line| is_comment(line) || line.bytes().all(is_marked))
}
