//! Splits an expression into its words.

use std::ops::Range;

use super::expression::{Mistake, MistakeKind};
use super::literal::Literal;

/// A word, a value or a sign.
#[derive(Clone, Debug)]
pub(super) enum CelToken {
    Name(String),
    /// A name in backquotes, which can have any character and is never a keyword.
    Quoted(String),
    Value(Literal),
    /// A number without a sign or a fraction, which may be one more than an `int` if a minus comes before it.
    Whole(u64),
    Sign(&'static str),
    End,
}

/// Longer signs come before their beginnings.
const SIGNS: [&str; 24] = [
    "||", "&&", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "!", "?", ":", "(", ")",
    "[", "]", "{", "}", ",", ".",
];

/// Splits a text into words, each with its place. The last one is [`CelToken::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<(Range<usize>, CelToken)>, Mistake> {
    let mut tokens = Vec::new();
    let mut at = 0;
    loop {
        let rest = text[at..].trim_start_matches([' ', '\t', '\n', '\r', '\x0b', '\x0c']);
        at = text.len() - rest.len();
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        let (len, token) = match rest {
            "" => (0, CelToken::End),
            _ => {
                token(rest).map_err(|why| Mistake::new(MistakeKind::Syntax, at..text.len(), why))?
            }
        };
        let is_end = matches!(token, CelToken::End);
        tokens.push((at..at + len, token));
        if is_end {
            return Ok(tokens);
        }
        at += len;
    }
}

/// Reads the first word of a text that does not begin with a space.
fn token(text: &str) -> Result<(usize, CelToken), String> {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name = text.find(|c| !is_of_name(c)).unwrap_or(text.len());
    let after_dot = text.strip_prefix('.').unwrap_or(text);
    if let Some(quoted) = quoted(text)? {
        return Ok(quoted);
    }
    if after_dot.starts_with(|c: char| c.is_ascii_digit()) {
        return number(text);
    }
    if name > 0 {
        return Ok((name, CelToken::Name(text[..name].to_owned())));
    }
    if let Some(rest) = text.strip_prefix('`') {
        let end = rest.find('`').ok_or("a name in backquotes has no end")?;
        return Ok((end + 2, CelToken::Quoted(rest[..end].to_owned())));
    }
    let mut signs = SIGNS.iter();
    if let Some(sign) = signs.find(|sign| text.starts_with(**sign)) {
        return Ok((sign.len(), CelToken::Sign(sign)));
    }
    let c = text.chars().next().unwrap_or_default();
    Err(match c {
        '=' | '&' | '|' => format!("`{c}` is not an operator: write `{c}{c}`"),
        _ => format!("`{c}` has no meaning here"),
    })
}

fn number(text: &str) -> Result<(usize, CelToken), String> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let (mut len, mut is_whole) = (digits(text), true);
    let hex = text
        .strip_prefix("0x")
        .or_else(|| text.strip_prefix("0X"))
        .map(|hex| hex.bytes().take_while(u8::is_ascii_hexdigit).count());
    if let Some(hex) = hex {
        len = 2 + hex;
    } else {
        if let Some(rest) = text[len..].strip_prefix('.')
            && digits(rest) > 0
        {
            (len, is_whole) = (len + 1 + digits(rest), false);
        }
        if let Some(rest) = text[len..].strip_prefix(['e', 'E']) {
            let sign = usize::from(rest.starts_with(['+', '-']));
            (len, is_whole) = (len + 1 + sign + digits(&rest[sign..]), false);
        }
    }
    let written = &text[..len];
    let is_uint = is_whole && text[len..].starts_with(['u', 'U']);
    len += usize::from(is_uint);
    let whole = match hex {
        Some(_) => u64::from_str_radix(&written[2..], 16).ok(),
        None => written.parse().ok(),
    };
    let ends = !text[len..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let token = match whole.filter(|_| is_whole) {
        Some(whole) if is_uint => Some(CelToken::Value(Literal::Uint(whole))),
        Some(whole) => Some(CelToken::Whole(whole)),
        None if is_whole => None,
        None => written
            .parse()
            .ok()
            .map(|number| CelToken::Value(Literal::Double(number))),
    };
    let token = token.filter(|_| ends).ok_or_else(|| {
        let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '.');
        let written = &text[..end.unwrap_or(text.len())];
        format!("`{written}` is not a number, or is too large")
    })?;
    Ok((len, token))
}

/// Reads a text or bytes in quotes; none if the text begins with something else.
fn quoted(text: &str) -> Result<Option<(usize, CelToken)>, String> {
    let prefix = text
        .find(|c: char| !"rRbB".contains(c))
        .unwrap_or(text.len());
    let (is_raw, is_bytes) = match &text[..prefix].to_lowercase()[..] {
        "" => (false, false),
        "r" => (true, false),
        "b" => (false, true),
        "rb" | "br" => (true, true),
        _ => return Ok(None),
    };
    let start = &text[prefix..];
    let quotes = ["'''", "\"\"\"", "'", "\""];
    let Some(quote) = quotes.into_iter().find(|quote| start.starts_with(*quote)) else {
        return Ok(None);
    };
    let inner = &start[quote.len()..];
    let mut made = Vec::new();
    let mut at = 0;
    while !inner[at..].starts_with(quote) {
        let rest = &inner[at..];
        let c = rest.chars().next().ok_or("a text in quotes has no end")?;
        if c == '\\' && !is_raw {
            at += escape(&rest[1..], is_bytes, &mut made)? + 1;
        } else {
            made.extend_from_slice(&rest.as_bytes()[..c.len_utf8()]);
            at += c.len_utf8();
        }
    }
    let value = if is_bytes {
        Literal::Bytes(made)
    } else {
        // Escapes of a text are characters, so it is UTF-8.
        Literal::Text(String::from_utf8_lossy(&made).into_owned())
    };
    let len = prefix + quote.len() + at + quote.len();
    Ok(Some((len, CelToken::Value(value))))
}

/// Adds the character after a `\\`, and returns the length of what is written.
fn escape(text: &str, is_bytes: bool, made: &mut Vec<u8>) -> Result<usize, String> {
    let c = text.chars().next().ok_or("a text in quotes has no end")?;
    let unknown = || format!("`\\{c}` is not an escape: write `\\\\` for a backslash");
    let (from, len, radix) = match c {
        'a' | 'b' | 'f' | 'n' | 'r' | 't' | 'v' | '\\' | '\'' | '"' | '`' | '?' => {
            made.push(match c {
                'a' => 7,
                'b' => 8,
                't' => 9,
                'n' => 10,
                'v' => 11,
                'f' => 12,
                'r' => 13,
                c => c as u8,
            });
            return Ok(1);
        }
        'x' | 'X' => (1, 2, 16),
        'u' if !is_bytes => (1, 4, 16),
        'U' if !is_bytes => (1, 8, 16),
        '0'..='3' => (0, 3, 8),
        _ => return Err(unknown()),
    };
    let digits = text.get(from..from + len).ok_or_else(unknown)?;
    let code = u32::from_str_radix(digits, radix).map_err(|_| unknown())?;
    match (is_bytes, char::from_u32(code)) {
        (true, _) => made.push(u8::try_from(code).map_err(|_| unknown())?),
        (false, Some(c)) => made.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        (false, None) => return Err(unknown()),
    }
    Ok(from + len)
}
