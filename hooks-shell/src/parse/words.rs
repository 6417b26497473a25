//! Parses words: quotes, patterns, braces, and expansions that begin with `$`.

use std::borrow::Cow;
use std::sync::Arc;

use smallvec::smallvec;

use super::braces;
use super::cursor::{Parser, Result, is_meta};
use super::syntax::{
    ArithmeticToken, Expansion, Operation, Word, WordPart, WordParts, is_identifier, is_of_name,
    is_plain_default,
};
use crate::rejected::RejectReason;

/// Operators of `$((…))`. A longer one comes before its prefix.
const OPERATORS: [&str; 22] = [
    "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+", "-", "*", "/", "%", "<", ">", "!", "&",
    "|", "^", "~", "(", ")",
];

/// Whether a text is a number that every shell can hold.
fn is_number(text: &str) -> bool {
    (1..19).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a byte within a word has a special meaning.
fn is_special(byte: u8) -> bool {
    matches!(
        byte,
        b'\'' | b'"' | b'\\' | b'$' | b'`' | b'*' | b'?' | b'[' | b'{' | b'}' | b',' | b'~'
    )
}

/// The parts of a word that is being parsed. Adjacent texts are joined, so that a word has few parts, and the text of a
/// plain word is copied only once.
#[derive(Default)]
pub(crate) struct Building<'t> {
    done: WordParts,
    text: Option<Cow<'t, str>>,
}

impl<'t> Building<'t> {
    pub(crate) fn text(&mut self, text: impl Into<Cow<'t, str>>) {
        *self.text.get_or_insert_default() += text.into();
    }

    pub(crate) fn push(&mut self, part: WordPart) {
        self.end_text();
        self.done.push(part);
    }

    fn end_text(&mut self) {
        let text = self.text.take();
        self.done
            .extend(text.map(|text| WordPart::Text(text.into())));
    }

    pub(crate) fn finish(mut self) -> WordParts {
        self.end_text();
        self.done
    }
}

impl<'t> Parser<'t> {
    pub(crate) fn is_at_process(&self) -> bool {
        self.starts_with("<(") || self.starts_with(">(")
    }

    pub(crate) fn one_word(&mut self) -> Result<Word> {
        let from = self.at;
        let mut words = Vec::with_capacity(1);
        self.word(&mut words)?;
        match (words.pop(), words.is_empty()) {
            (Some(word), true) => Ok(word),
            _ => self.reject(from, RejectReason::BracesForOneWord),
        }
    }

    /// Parses one word; several if braces expand.
    pub(crate) fn word(&mut self, into: &mut Vec<Word>) -> Result<()> {
        let from = self.at;
        let is_process = self.is_at_process();
        let (parts, mut is_disputed) = if is_process {
            let writes = self.peek() == Some(b'>');
            self.at += 2;
            let list = self.inner(from)?;
            self.close()?;
            let part = WordPart::Expansion(Arc::new(Expansion::Process(list, writes)), false);
            (smallvec![part], true)
        } else {
            self.parts(false)?
        };
        // What may follow directly: `ls>x`, `f()`, but neither `a<(b)` nor `{fd}>x`.
        let is_unexpected = self.at == from
            || match self.peek() {
                Some(b'(') => !is_identifier(&self.text[from..self.at]),
                Some(b'<' | b'>') => self.is_at_process() || self.text[..self.at].ends_with('}'),
                _ => false,
            };
        if is_unexpected {
            return self.unexpected();
        }
        let is_brace = |part: &WordPart| matches!(part, WordPart::Brace(_) | WordPart::Range(_));
        if !parts.iter().any(is_brace) {
            into.push(self.word_of(parts, from, is_disputed));
            return Ok(());
        }
        let words = braces::expand(&parts, self.work, &(from..self.at))?;
        is_disputed |= words.len() > 1;
        into.extend(
            words
                .into_iter()
                .map(|parts| self.word_of(parts, from, is_disputed)),
        );
        Ok(())
    }

    /// Parses the parts of a word, up to a blank or an operator. Also returns whether shells disagree about them.
    pub(crate) fn parts(&mut self, is_value: bool) -> Result<(WordParts, bool)> {
        let start = self.at;
        let mut parts = Building::default();
        let mut is_disputed = self.peek() == Some(b'=') && !is_value;
        loop {
            let plain = self.take(|byte| !is_meta(byte) && !is_special(byte));
            if !plain.is_empty() {
                // A blank that is not one for the shell is fine in quotes only.
                if let Some(blank) = plain.chars().find(|c| c.is_whitespace()) {
                    return self.reject(start, RejectReason::OddBlank(blank));
                }
                parts.text(plain);
            }
            let from = self.at;
            let Some(byte) = self.peek().filter(|byte| !is_meta(*byte)) else {
                return Ok((parts.finish(), is_disputed));
            };
            match byte {
                b'\'' => {
                    self.at += 1;
                    parts.text(self.take(|byte| byte != b'\''));
                    self.expect_quote("'", from)?;
                }
                b'"' => {
                    self.at += 1;
                    if self.peek() == Some(b'"') {
                        parts.text("");
                    }
                    self.quoted(&mut parts, Some(b'"'))?;
                    self.expect_quote("\"", from)?;
                }
                b'\\' => {
                    self.at += 1;
                    let Some(next) = self.rest().chars().next() else {
                        return self.reject(from, RejectReason::LastBackslash);
                    };
                    if next == '\n' {
                        return self.reject(from, RejectReason::JoinedWord);
                    }
                    self.at += next.len_utf8();
                    parts.text(&self.text[from + 1..self.at]);
                }
                b'$' if self.eat("$'") => {
                    is_disputed = true;
                    let text = self.ansi(from)?;
                    parts.text(text);
                }
                b'$' if self.eat("$\"") => {
                    return self.reject(from, RejectReason::TranslatedQuote);
                }
                b'$' | b'`' => self.expansion(&mut parts, false)?,
                // Neither patterns nor braces expand in a value.
                b'*' | b'?' | b'{' | b'}' | b',' if is_value => {
                    self.at += 1;
                    parts.text(&self.text[from..self.at]);
                }
                b'*' | b'?' => {
                    self.at += 1;
                    parts.push(WordPart::Glob(self.text[from..self.at].into()));
                    // Some shells go through folders for `**`.
                    is_disputed |= byte == b'*' && !self.take(|byte| byte == b'*').is_empty();
                }
                b'[' => {
                    let class = self.class()?;
                    if is_value || class.len() == 1 {
                        parts.text(class);
                    } else {
                        parts.push(WordPart::Glob(class.into()));
                    }
                }
                b'{' => parts.push(self.brace()?),
                b'}' | b',' => {
                    self.at += 1;
                    parts.push(WordPart::Brace(byte.into()));
                }
                _ => {
                    self.at += 1;
                    let before = self.text.as_bytes()[..from].last();
                    if from == start || (is_value && before == Some(&b':')) {
                        let ends = self.peek().is_none_or(|next| next == b'/' || is_meta(next));
                        if !ends || from > start {
                            return self.reject(from, RejectReason::OtherHome);
                        }
                        parts.push(WordPart::Home);
                    } else {
                        is_disputed |= before == Some(&b'=');
                        parts.text("~");
                    }
                }
            }
        }
    }

    fn expect_quote(&mut self, quote: &str, from: usize) -> Result<()> {
        if self.eat(quote) {
            return Ok(());
        }
        self.reject(from, RejectReason::UnclosedQuote(quote))
    }

    /// Parses `{`, or a whole range such as `{1..9}` or `{a..e}`. It rejects `{01..9}`, which shells pad differently.
    fn brace(&mut self) -> Result<WordPart> {
        let from = self.at;
        self.at += 1;
        let is_of_range = |byte: &u8| byte.is_ascii_alphanumeric() || b".-+".contains(byte);
        let rest = self.rest();
        let length = rest.bytes().take(24).take_while(is_of_range).count();
        if !rest[length..].starts_with('}') {
            return Ok(WordPart::Brace('{'));
        }
        let Some((first, last)) = rest[..length].split_once("..") else {
            return Ok(WordPart::Brace('{'));
        };
        self.at += length + 1;
        let number = |text: &str| {
            let is_plain = text == "0" || !text.starts_with(['0', '+']);
            text.parse::<u16>().ok().filter(|_| is_plain)
        };
        let letter = |text: &str| {
            let first = text.chars().next().filter(char::is_ascii_alphabetic);
            first.filter(|_| text.len() == 1)
        };
        let words: Vec<Arc<str>> = match (number(first), number(last), letter(first), letter(last))
        {
            // One more than there may be is refused later.
            (Some(first), Some(last), ..) => {
                let numbers = (first..=last).take(braces::MOST_WORDS + 1);
                numbers.map(|number| number.to_string().into()).collect()
            }
            (.., Some(first), Some(last)) if first.is_lowercase() == last.is_lowercase() => (first
                ..=last)
                .map(|letter| letter.to_string().into())
                .collect(),
            _ => Vec::new(),
        };
        if words.is_empty() {
            return self.reject(from, RejectReason::OddRange);
        }
        Ok(WordPart::Range(words))
    }

    /// Parses `[a-z]`, or a single `[`.
    fn class(&mut self) -> Result<&'t str> {
        let from = self.at;
        self.at += 1;
        self.work.spend(16, &(from..self.at))?;
        let rest = self.rest().as_bytes();
        let is_plain = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_.!^-".contains(byte);
        let length = rest.iter().take(64).take_while(is_plain).count();
        if length > 0 && rest.get(length) == Some(&b']') {
            self.at += length + 1;
            return Ok(&self.text[from..self.at]);
        }
        let mut of_word = rest
            .iter()
            .take(64)
            .take_while(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b';'));
        if of_word.any(|byte| *byte == b']') && rest.first() != Some(&b']') {
            return self.reject(from, RejectReason::OddClass);
        }
        Ok("[")
    }

    /// Parses the inside of double quotes and the like, up to the given end, or that of the text.
    pub(crate) fn quoted(&mut self, parts: &mut Building<'t>, end: Option<u8>) -> Result<()> {
        loop {
            let plain = self.take(|byte| Some(byte) != end && !matches!(byte, b'\\' | b'$' | b'`'));
            if !plain.is_empty() {
                parts.text(plain);
            }
            match self.peek() {
                Some(b'\\') => {
                    let from = self.at;
                    let next = self.text.as_bytes().get(from + 1).copied();
                    match next {
                        Some(b'\n') => return self.reject(from, RejectReason::JoinedWord),
                        Some(b'$' | b'`' | b'\\') => self.at += 1,
                        Some(b'"') if end == next => self.at += 1,
                        _ => {}
                    }
                    parts.text(&self.text[self.at..=self.at]);
                    self.at += 1;
                }
                Some(byte @ (b'$' | b'`')) if Some(byte) != end => self.expansion(parts, true)?,
                _ => return Ok(()),
            }
        }
    }

    /// Parses `$…` and backquotes.
    fn expansion(&mut self, parts: &mut Building<'t>, is_quoted: bool) -> Result<()> {
        let from = self.at;
        if self.eat("$[") {
            return self.reject(from, RejectReason::OldArithmetic);
        }
        if ["$${", "$$(", "$$'", "$$["]
            .iter()
            .any(|text| self.eat(text))
        {
            return self.reject(from, RejectReason::TwoDollars);
        }
        let expansion = if self.eat("`") {
            self.backquotes(from)?
        } else if self.eat("$((") {
            self.arithmetic(from)?
        } else if self.eat("$(") {
            let list = self.inner(from)?;
            self.close()?;
            Expansion::Substitution(list)
        } else if self.eat("${") {
            self.parameter(from)?
        } else {
            self.at += 1;
            let name = self.name();
            if name.is_empty() {
                parts.text("$");
                return Ok(());
            }
            if !is_quoted && self.peek() == Some(b'[') && is_identifier(name) {
                return self.reject(from, RejectReason::ItemOfName(name));
            }
            Expansion::Parameter(name.to_owned(), Operation::Value)
        };
        parts.push(WordPart::Expansion(Arc::new(expansion), is_quoted));
        Ok(())
    }

    fn backquotes(&mut self, from: usize) -> Result<Expansion> {
        let begin = self.at;
        let text = self.take(|byte| byte != b'`');
        if !self.eat("`") {
            return self.reject(from, RejectReason::UnclosedBackquote);
        }
        if text.contains('\\') {
            return self.reject(from, RejectReason::EscapedBackquotes);
        }
        let end = begin + text.len();
        let list = self.within(begin..end, |parser| parser.inner(from))?;
        Ok(Expansion::Substitution(list))
    }

    /// Parses a variable's name, or a special one, such as `1` or `?`.
    fn name(&mut self) -> &'t str {
        let from = self.at;
        match self.peek() {
            Some(byte) if byte.is_ascii_digit() || b"@*#?$!-".contains(&byte) => self.at += 1,
            _ => drop(self.take(is_of_name)),
        }
        &self.text[from..self.at]
    }

    /// Parses `${…}`, after its opening brace.
    fn parameter(&mut self, from: usize) -> Result<Expansion> {
        let is_length = self.starts_with("#") && !self.starts_with("#}");
        self.at += usize::from(is_length);
        let begin = self.at;
        let is_indirect = self.name() == "!";
        let is_named = self.at > begin;
        if self.eat("[") {
            let begin = self.at;
            let is_named = self.eat("$");
            let word = self.take(|byte| is_of_name(byte) || matches!(byte, b'@' | b'*'));
            let is_item = word.len() <= 4 && word.parse::<u16>().is_ok();
            let is_known =
                is_identifier(word) || (!is_named && (is_item || matches!(word, "@" | "*")));
            if !is_known || self.at - begin > 64 || !self.eat("]") {
                self.at += 1;
                return self.reject(from, RejectReason::OddIndex);
            }
        }
        let name = self.text[begin..self.at].to_owned();
        let operation = match is_length {
            true => Operation::Length,
            false if is_indirect => Operation::Value,
            false => self.operation()?,
        };
        if !is_named || !self.eat("}") {
            self.at += 1;
            return self.reject(from, RejectReason::OddParameter);
        }
        Ok(Expansion::Parameter(name, operation))
    }

    fn operation(&mut self) -> Result<Operation> {
        let from = self.at;
        if let Some(operator) = [":-", ":+", ":?", "-", "+", "?"]
            .into_iter()
            .find(|text| self.eat(text))
        {
            self.work.enter(&(from..self.at))?;
            let begin = self.at;
            let mut parts = Building::default();
            self.quoted(&mut parts, Some(b'}'))?;
            let parts = parts.finish();
            let is_odd =
                |part: &WordPart| matches!(part, WordPart::Text(text) if !is_plain_default(text));
            if parts.iter().any(is_odd) || self.text[begin..self.at].contains('\\') {
                return self.reject(begin, RejectReason::QuotesInParameter);
            }
            self.work.leave();
            return Ok(Operation::Default(
                operator,
                self.word_of(parts, begin, false),
            ));
        }
        if let Some(operator) = ["##", "#", "%%", "%"]
            .into_iter()
            .find(|text| self.eat(text))
        {
            let pattern =
                self.take(|byte| byte.is_ascii_alphanumeric() || b"_.*?/:=-".contains(&byte));
            return Ok(Operation::Cut(operator, pattern.to_owned()));
        }
        let begin = self.at;
        let allowed: fn(u8) -> bool = match self.peek() {
            // The shell evaluates this text, so it must be a number.
            Some(b':') => |byte| byte.is_ascii_digit() || b": -".contains(&byte),
            Some(b'^' | b',') => |byte| matches!(byte, b'^' | b','),
            Some(b'/') => |byte| byte.is_ascii_alphanumeric() || b"/_. -".contains(&byte),
            _ => return Ok(Operation::Value),
        };
        let edit = self.take(allowed);
        if !(matches!(edit, "^" | "^^" | "," | ",,")
            || (edit.len() > 1 && edit.starts_with([':', '/'])))
        {
            return self.reject(begin, RejectReason::OddParameter);
        }
        Ok(Operation::Edit(edit.to_owned()))
    }

    /// Parses `$'…'`, after its opening quote: the escapes that mean the same in every shell.
    fn ansi(&mut self, from: usize) -> Result<String> {
        let mut text = String::new();
        loop {
            text.push_str(self.take(|byte| !matches!(byte, b'\'' | b'\\')));
            if !self.eat("\\") {
                self.expect_quote("'", from)?;
                return Ok(text);
            }
            text.push(match self.peek() {
                Some(b'n') => '\n',
                Some(b't') => '\t',
                Some(byte @ (b'\\' | b'"' | b'?')) => byte.into(),
                Some(b'\'') => {
                    return self.reject(from, RejectReason::QuoteInEscapes);
                }
                _ => {
                    return self.reject(from, RejectReason::OddEscape);
                }
            });
            self.at += 1;
        }
    }

    /// Parses `$((…))`, after its brackets: numbers, variables, and operators without side effects.
    fn arithmetic(&mut self, from: usize) -> Result<Expansion> {
        let mut tokens = Vec::new();
        let mut depth = 0_usize;
        loop {
            self.take(|byte| matches!(byte, b' ' | b'\t' | b'\n'));
            if depth == 0 && !tokens.is_empty() && self.eat("))") {
                return Ok(Expansion::Arithmetic(tokens));
            }
            let begin = self.at;
            if !self.starts_with("$((") && self.eat("$(") {
                let list = self.inner(from)?;
                self.close()?;
                tokens.push(ArithmeticToken::Output(list));
                continue;
            }
            let is_braced = self.eat("${");
            let is_named = is_braced || self.eat("$");
            let word = self.take(is_of_name);
            let is_closed = !is_braced || self.eat("}");
            let digits = word.strip_prefix("0x").filter(|_| word.len() < 17);
            let is_number = digits.map_or_else(
                || is_number(word),
                |digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit()),
            );
            if is_closed && (is_identifier(word) || (is_number && !is_named)) {
                tokens.push(ArithmeticToken::Word(word.to_owned()));
                continue;
            }
            let repeats = self.starts_with("++") || self.starts_with("--");
            let operator = OPERATORS.iter().find(|operator| self.starts_with(operator));
            match operator {
                Some(operator)
                    if self.at == begin && !repeats && (depth > 0 || *operator != ")") =>
                {
                    self.at += operator.len();
                    depth += usize::from(*operator == "(");
                    depth -= usize::from(*operator == ")");
                    tokens.push(ArithmeticToken::Word((*operator).to_owned()));
                }
                _ => return self.reject(from, RejectReason::OddArithmetic),
            }
        }
    }
}
