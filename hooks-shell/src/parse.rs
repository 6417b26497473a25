//! From text to tree: a strict subset of the shell's language, and a reason for everything else.
//!
//! The parser reads from left to right and never goes back, but for the few bytes of a keyword. Its stack is bounded by
//! the depth that [`Work`] counts, its time by the steps. Here are its cursor and the commands; words are in [`crate::words`].

use std::ops::Range;
use std::sync::Arc;

use crate::bounds::{LONGEST, REASONS, Rejected, Work, rejected};
use crate::syntax::{
    Command, Item, Join, Kind, List, Part, Pipeline, REDIRECTIONS, Redirect, Redirection, Simple,
    Word, is_identifier, is_of_name,
};

pub(crate) type Result<T> = std::result::Result<T, Rejected>;

/// Words that end a list of commands, or go on with what was begun.
const CLOSING: [&str; 8] = ["then", "else", "elif", "fi", "do", "done", "esac", "}"];

/// A script as a tree; its words are numbered from `next_word` on.
pub(crate) fn parse(text: &str, work: &mut Work, next_word: &mut usize) -> Result<List> {
    if text.len() > LONGEST {
        return Err(rejected("too long", &LONGEST.to_string(), 0..text.len()));
    }
    check_characters(text)?;
    work.spend(2 * text.len(), &(0..text.len()))?;
    let mut parser = Parser {
        text,
        at: 0,
        work,
        next_word,
        document: None,
    };
    let list = parser.list(&[])?;
    parser.expect_end()?;
    Ok(list)
}

/// Refuses characters that a reader does not see, and blanks that are none for the shell.
fn check_characters(text: &str) -> Result<()> {
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
    if text.bytes().all(is_plain) {
        return Ok(());
    }
    for (at, character) in text.char_indices() {
        let name = match character {
            '\n' | '\t' | ' ' => continue,
            hidden if is_hidden(hidden) => "hidden character",
            blank if blank.is_whitespace() => "odd blank",
            _ => continue,
        };
        let shown = character.escape_default().to_string();
        return Err(rejected(name, &shown, at..at + character.len_utf8()));
    }
    Ok(())
}

fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Whether a byte ends a word.
pub(crate) fn is_meta(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>'
    )
}

pub(crate) struct Parser<'t> {
    /// The script up to where the part ends that is parsed.
    pub(crate) text: &'t str,
    pub(crate) at: usize,
    pub(crate) work: &'t mut Work,
    next_word: &'t mut usize,
    /// The end of the line that has asked for here-documents, and where the script goes on behind their texts.
    document: Option<(usize, usize)>,
}

/// The cursor.
impl<'t> Parser<'t> {
    pub(crate) fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    pub(crate) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    pub(crate) fn starts_with(&self, text: &str) -> bool {
        self.text.as_bytes()[self.at..].starts_with(text.as_bytes())
    }

    /// Goes over the text, if it stands here.
    pub(crate) fn eat(&mut self, text: &str) -> bool {
        let found = self.starts_with(text);
        self.at += if found { text.len() } else { 0 };
        found
    }

    /// Goes over all bytes that are such.
    pub(crate) fn take(&mut self, is_such: impl Fn(u8) -> bool) -> &'t str {
        let from = self.at;
        let rest = &self.text.as_bytes()[from..];
        self.at += rest.iter().take_while(|byte| is_such(**byte)).count();
        &self.text[from..self.at]
    }

    /// Rejects what stands between `from` and here.
    pub(crate) fn reject<T>(&self, from: usize, name: &str) -> Result<T> {
        self.reject_as(from, name, "")
    }

    /// Rejects it for a reason that names something.
    pub(crate) fn reject_as<T>(&self, from: usize, name: &str, what: &str) -> Result<T> {
        let end = self.at.max(from + 1).min(self.text.len());
        Err(rejected(name, what, from.min(end)..end))
    }

    pub(crate) fn unexpected<T>(&self) -> Result<T> {
        let (shown, length) = match (self.rest().chars().next(), self.keyword()) {
            (None, _) => ("its end".into(), 0),
            (Some('\n'), _) => ("the end of the line".into(), 0),
            (Some(found), "") => (format!("`{found}`"), found.len_utf8()),
            (_, word) => (format!("`{word}`"), word.len()),
        };
        let span = self.at..self.at + length;
        Err(rejected("unexpected", &shown, span))
    }

    pub(crate) fn expect_end(&self) -> Result<()> {
        match self.peek() {
            None => Ok(()),
            Some(_) => self.unexpected(),
        }
    }

    /// The word that begins here, if it is written as keywords are and the next character ends it.
    fn keyword(&self) -> &'t str {
        let rest = self.rest();
        let length = match rest.as_bytes() {
            [b'{' | b'}' | b'!', ..] => 1,
            bytes => {
                let is_of_keyword = |byte: &&u8| byte.is_ascii_lowercase() || b"[]".contains(byte);
                bytes.iter().take(12).take_while(is_of_keyword).count()
            }
        };
        let ends = rest
            .as_bytes()
            .get(length)
            .is_none_or(|next| is_meta(*next));
        if ends { &rest[..length] } else { "" }
    }

    fn eat_keyword(&mut self, word: &str) -> bool {
        let found = self.keyword() == word;
        self.at += if found { word.len() } else { 0 };
        found
    }

    /// Goes over what has to stand here.
    fn expect(&mut self, word: &str) -> Result<()> {
        if self.eat_keyword(word) || (word == ")" && self.eat(word)) {
            return Ok(());
        }
        if self.peek().is_none() {
            return self.reject_as(self.at, "missing end", word);
        }
        self.unexpected()
    }

    /// Skips blanks, comments, and lines that go on after a blank and a backslash.
    pub(crate) fn skip_blanks(&mut self) {
        loop {
            self.take(|byte| matches!(byte, b' ' | b'\t'));
            match self.peek() {
                Some(b'#') => drop(self.take(|byte| byte != b'\n')),
                Some(b'\\') if self.starts_with("\\\n") => {
                    let before = self.text[..self.at].as_bytes().last();
                    if before.is_some_and(|before| !matches!(before, b' ' | b'\t' | b'\n')) {
                        return;
                    }
                    self.at += 2;
                }
                _ => return,
            }
        }
    }

    /// Skips ends of lines as well, and the here-documents that begin there.
    fn skip_lines(&mut self) -> Result<()> {
        loop {
            self.skip_blanks();
            if self.peek() != Some(b'\n') {
                return Ok(());
            }
            if self.document.is_some_and(|(end, _)| end != self.at) {
                return self.reject(self.at, "line beside document");
            }
            self.at = self
                .document
                .take()
                .map_or(self.at + 1, |(_, resume)| resume);
        }
    }

    /// Parses a part of the script to its end.
    pub(crate) fn within<T>(
        &mut self,
        part: Range<usize>,
        parse: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let outer = (self.text, self.at);
        self.text = &self.text[..part.end];
        self.at = part.start;
        let parsed = parse(self)?;
        self.expect_end()?;
        (self.text, self.at) = outer;
        Ok(parsed)
    }

    /// A word that was parsed up to here.
    pub(crate) fn word_of(&mut self, parts: Vec<Part>, from: usize, is_disputed: bool) -> Word {
        let id = *self.next_word;
        *self.next_word += 1;
        Word {
            id,
            parts,
            span: from..self.at,
            is_disputed,
        }
    }
}

/// The commands.
impl Parser<'_> {
    /// Commands up to one of the words, a `)` or `;;`, or the end.
    fn list(&mut self, closing: &[&str]) -> Result<List> {
        let mut list = List::new();
        loop {
            self.skip_lines()?;
            let ends = match self.peek() {
                None | Some(b')') => true,
                Some(b';') => self.starts_with(";;") && closing.contains(&"esac"),
                Some(_) => closing.contains(&self.keyword()),
            };
            if ends {
                return Ok(list);
            }
            let mut item = self.item()?;
            match self.peek() {
                Some(b'&') => {
                    self.at += 1;
                    if matches!(self.peek(), Some(b'!' | b'|' | b'>')) {
                        return self.unexpected();
                    }
                    item.is_background = true;
                }
                Some(b';') if !self.starts_with(";;") => self.at += 1,
                Some(b';' | b')' | b'\n') | None => {}
                Some(_) => return self.unexpected(),
            }
            list.push(item);
        }
    }

    /// A list that has to have a command in it.
    fn commands(&mut self, closing: &[&str]) -> Result<List> {
        let list = self.list(closing)?;
        if list.is_empty() {
            return self.unexpected();
        }
        Ok(list)
    }

    /// Commands, and the word that ends them.
    fn block(&mut self, end: &str) -> Result<List> {
        let list = self.commands(&[end])?;
        self.expect(end)?;
        Ok(list)
    }

    /// What stands within `$(…)`, backquotes and the like: a script of its own.
    pub(crate) fn inner(&mut self, from: usize) -> Result<List> {
        self.work.enter(&(from..self.at))?;
        let outer = self.document.take();
        let list = self.commands(&[])?;
        if self.document.is_some() {
            return self.reject(from, "document in brackets");
        }
        self.document = outer;
        self.work.leave();
        Ok(list)
    }

    pub(crate) fn close(&mut self) -> Result<()> {
        self.expect(")")
    }

    fn item(&mut self) -> Result<Item> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            let join = if self.eat("&&") {
                Join::And
            } else if self.eat("||") {
                Join::Or
            } else {
                return Ok(Item::new(first, rest));
            };
            self.skip_lines()?;
            rest.push((join, self.pipeline()?));
        }
    }

    fn pipeline(&mut self) -> Result<Pipeline> {
        let is_negated = self.eat_keyword("!");
        let mut stages: Vec<Command> = Vec::with_capacity(1);
        self.skip_blanks();
        loop {
            if self.keyword() == "!" {
                return self.unexpected();
            }
            stages.push(self.command()?);
            self.skip_blanks();
            let bar = self.at;
            if self.starts_with("||") || !self.eat("|") {
                return Ok(Pipeline { is_negated, stages });
            }
            if self.eat("&") {
                // `|&` is `2>&1 |`.
                let target = self.word_of(vec![Part::Text("1".into())], bar, false);
                if let Some(stage) = stages.last_mut() {
                    let copy = Redirect::new(Some(2), Redirection::CopyOut, target);
                    stage.redirects.push(copy);
                }
            }
            self.skip_lines()?;
        }
    }

    fn command(&mut self) -> Result<Command> {
        let from = self.at;
        self.work.enter(&(from..from + 1))?;
        self.work.spend(16, &(from..from + 1))?;
        let mut redirects = Vec::new();
        let kind = self.kind(&mut redirects)?;
        self.work.leave();
        if !matches!(kind, Kind::Simple(_) | Kind::Function(..)) {
            self.skip_blanks();
            while let Some(redirect) = self.redirect()? {
                redirects.push(redirect);
                self.skip_blanks();
            }
        }
        let span = from..self.at;
        Ok(Command {
            kind,
            redirects,
            span,
        })
    }

    fn kind(&mut self, redirects: &mut Vec<Redirect>) -> Result<Kind> {
        let from = self.at;
        let word = self.keyword();
        if REASONS.contains_key(word) {
            self.at += word.len();
            return self.reject_as(from, word, word);
        }
        if CLOSING.contains(&word) {
            return self.unexpected();
        }
        let body = from + word.len();
        match word {
            "if" | "while" | "until" | "for" | "case" | "{" | "[[" => self.at = body,
            _ if self.eat("((") => {
                return self.reject(from, "double bracket");
            }
            _ if self.eat("(") => {
                let list = self.commands(&[])?;
                self.close()?;
                return Ok(Kind::Subshell(list));
            }
            _ => return self.simple(redirects),
        }
        match word {
            "if" => self.r#if(),
            "for" => self.r#for(from),
            "case" => self.case(),
            "{" => Ok(Kind::Group(self.block("}")?)),
            "[[" => {
                let test = self.test_or()?;
                self.expect("]]")?;
                Ok(Kind::Group(vec![Item::new(test, Vec::new())]))
            }
            word => {
                let condition = self.block("do")?;
                let body = self.block("done")?;
                Ok(Kind::While(word == "until", condition, body))
            }
        }
    }

    fn r#if(&mut self) -> Result<Kind> {
        let mut branches = Vec::new();
        loop {
            let condition = self.block("then")?;
            branches.push((condition, self.commands(&["elif", "else", "fi"])?));
            if self.eat_keyword("elif") {
                continue;
            }
            let otherwise = match self.eat_keyword("else") {
                true => Some(self.commands(&["fi"])?),
                false => None,
            };
            self.expect("fi")?;
            return Ok(Kind::If(branches, otherwise));
        }
    }

    fn r#for(&mut self, from: usize) -> Result<Kind> {
        self.skip_blanks();
        if self.eat("((") {
            return self.reject(from, "counting for");
        }
        let begin = self.at;
        let name = self.take(|byte| !is_meta(byte)).to_owned();
        if !is_identifier(&name) {
            self.at = begin;
            return self.unexpected();
        }
        self.skip_lines()?;
        let mut words = None;
        if self.eat_keyword("in") {
            let list = words.insert(Vec::new());
            self.skip_blanks();
            while !matches!(self.peek(), Some(b';' | b'\n')) {
                self.word(list)?;
                self.skip_blanks();
            }
        }
        self.eat(";");
        self.skip_lines()?;
        self.expect("do")?;
        let body = self.block("done")?;
        Ok(Kind::For(name, words, body))
    }

    fn case(&mut self) -> Result<Kind> {
        self.skip_blanks();
        let subject = self.one_word()?;
        self.skip_lines()?;
        self.expect("in")?;
        let mut arms = Vec::new();
        loop {
            self.skip_lines()?;
            if self.eat_keyword("esac") {
                return Ok(Kind::Case(subject, arms));
            }
            self.eat("(");
            let mut patterns = Vec::new();
            while patterns.is_empty() || self.eat("|") {
                self.skip_blanks();
                patterns.push(self.one_word()?);
                self.skip_blanks();
            }
            self.close()?;
            arms.push((patterns, self.list(&["esac"])?));
            let goes_on = self.eat(";;") && !matches!(self.peek(), Some(b'&' | b';' | b'|'));
            if !goes_on && self.keyword() != "esac" {
                return self.unexpected();
            }
        }
    }

    /// What stands in `[[ … ]]`: its parts become commands of their own, so that `&&` and brackets are those of commands.
    fn test_or(&mut self) -> Result<Pipeline> {
        self.test_chain("||", Join::Or, Self::test_and)
    }

    fn test_and(&mut self) -> Result<Pipeline> {
        self.test_chain("&&", Join::And, Self::test_not)
    }

    fn test_chain(
        &mut self,
        operator: &str,
        join: Join,
        operand: fn(&mut Self) -> Result<Pipeline>,
    ) -> Result<Pipeline> {
        let from = self.at;
        let first = operand(self)?;
        let mut rest = Vec::new();
        while self.eat(operator) {
            rest.push((join, operand(self)?));
        }
        if rest.is_empty() {
            return Ok(first);
        }
        let group = Kind::Group(vec![Item::new(first, rest)]);
        Ok(Pipeline::of(group, from..self.at))
    }

    fn test_not(&mut self) -> Result<Pipeline> {
        self.skip_blanks();
        let from = self.at;
        self.work.enter(&(from..from))?;
        self.work.spend(16, &(from..from))?;
        let test = if self.eat_keyword("!") {
            let mut test = self.test_not()?;
            test.is_negated = !test.is_negated;
            test
        } else if self.eat("(") {
            let test = self.test_or()?;
            self.close()?;
            test
        } else {
            let mut words = Vec::new();
            while !self.starts_with("]]") && !matches!(self.peek(), Some(b'&' | b'|' | b')')) {
                words.push(self.one_word()?);
                self.skip_blanks();
            }
            if !(1..=3).contains(&words.len()) {
                return self.unexpected();
            }
            Pipeline::of(Kind::Test(words), from..self.at)
        };
        self.skip_blanks();
        self.work.leave();
        Ok(test)
    }

    fn simple(&mut self, redirects: &mut Vec<Redirect>) -> Result<Kind> {
        let mut simple = Simple::default();
        let mut has_both = false;
        loop {
            self.skip_blanks();
            let from = self.at;
            if let Some(redirect) = self.redirect()? {
                has_both |= matches!(redirect.kind, Redirection::Both | Redirection::BothAppend);
                redirects.push(redirect);
                continue;
            }
            match self.peek() {
                None | Some(b';' | b'&' | b'|' | b'\n' | b')') => break,
                Some(b'(') => return self.function(&simple, from),
                Some(_) if has_both => {
                    return self.reject(from, "words behind both");
                }
                Some(_) => {}
            }
            match simple
                .words
                .is_empty()
                .then(|| self.assignment())
                .transpose()?
                .flatten()
            {
                Some(assignment) => simple.assignments.push(assignment),
                None => self.word(&mut simple.words)?,
            }
        }
        let is_nothing = simple.assignments.is_empty() && redirects.is_empty();
        if simple.words.is_empty() && (has_both || is_nothing) {
            return self.unexpected();
        }
        Ok(Kind::Simple(simple))
    }

    fn function(&mut self, simple: &Simple, from: usize) -> Result<Kind> {
        let name = match simple.words.as_slice() {
            [word] if simple.assignments.is_empty() => word.literal().unwrap_or(""),
            _ => "",
        };
        self.at += 1;
        self.skip_blanks();
        if !is_identifier(name) || !self.eat(")") {
            self.at = from;
            return self.unexpected();
        }
        self.skip_lines()?;
        if self.keyword() != "{" && self.peek() != Some(b'(') {
            return self.unexpected();
        }
        let body = Arc::new(self.command()?);
        Ok(Kind::Function(name.to_owned(), body))
    }

    /// `name=value` before a command.
    fn assignment(&mut self) -> Result<Option<(String, Word)>> {
        let from = self.at;
        let name = self.take(is_of_name);
        if is_identifier(name) {
            if self.peek() == Some(b'[') || self.starts_with("+=") {
                return self.reject_as(from, "list item", name);
            }
            if self.starts_with("=(") {
                self.at += 1;
                return self.reject_as(from, "whole list", name);
            }
            if self.eat("=") {
                let begin = self.at;
                let (parts, is_disputed) = self.parts(true)?;
                return Ok(Some((
                    name.to_owned(),
                    self.word_of(parts, begin, is_disputed),
                )));
            }
        }
        self.at = from;
        Ok(None)
    }

    fn redirect(&mut self) -> Result<Option<Redirect>> {
        if !matches!(self.peek(), Some(b'<' | b'>' | b'&' | b'0'..=b'9')) {
            return Ok(None);
        }
        let from = self.at;
        let digits = self.take(|byte| byte.is_ascii_digit());
        let rest = self.rest();
        let found = REDIRECTIONS.iter().find(|(text, _)| rest.starts_with(text));
        let Some((operator, kind)) = found
            .filter(|(text, _)| digits.is_empty() || !text.starts_with('&'))
            .filter(|_| !digits.is_empty() || !self.is_at_process())
        else {
            self.at = from;
            return Ok(None);
        };
        if digits.len() > 1 {
            return self.reject(from, "long descriptor");
        }
        self.at += operator.len();
        let descriptor = digits.bytes().next().map(|digit| digit - b'0');
        if *kind == Redirection::Document {
            let text = self.document(from)?;
            return Ok(Some(Redirect::new(descriptor, *kind, text)));
        }
        if self.eat("!") {
            return self.reject_as(from, "forced write", operator);
        }
        self.skip_blanks();
        let target = self.one_word()?;
        let is_copy = matches!(kind, Redirection::CopyIn | Redirection::CopyOut);
        let is_descriptor = |text: &str| matches!(text.as_bytes(), [b'-' | b'0'..=b'9']);
        if is_copy && !target.literal().is_some_and(is_descriptor) {
            return self.reject_as(from, "copy to file", operator);
        }
        Ok(Some(Redirect::new(descriptor, *kind, target)))
    }

    /// A here-document: its delimiter stands here, its text after the end of the line, where it is read at once.
    fn document(&mut self, from: usize) -> Result<Word> {
        let strips = self.eat("-");
        self.skip_blanks();
        let quote = self
            .peek()
            .filter(|byte| matches!(byte, b'\'' | b'"' | b'\\'));
        self.at += usize::from(quote.is_some());
        let delimiter = self.take(|byte| byte.is_ascii_alphanumeric() || b"_-.!%".contains(&byte));
        let is_closed = match quote {
            Some(quote @ (b'\'' | b'"')) => self.peek() == Some(quote),
            _ => true,
        };
        self.at += usize::from(is_closed && matches!(quote, Some(b'\'' | b'"')));
        if delimiter.is_empty() || !is_closed || self.peek().is_some_and(|byte| !is_meta(byte)) {
            return self.reject(from, "odd delimiter");
        }
        let (line_end, begin) = self.document.unwrap_or_else(|| {
            let line_end = self
                .rest()
                .find('\n')
                .map_or(self.text.len(), |end| self.at + end);
            (line_end, line_end + 1)
        });
        let mut end = begin;
        let mut text = String::new();
        loop {
            let Some(rest) = self.text.get(end..).filter(|rest| !rest.is_empty()) else {
                return self.reject_as(from, "unended document", delimiter);
            };
            let line = rest.split('\n').next().unwrap_or(rest);
            let stripped = if strips {
                line.trim_start_matches('\t')
            } else {
                line
            };
            if stripped == delimiter {
                self.document = Some((line_end, self.text.len().min(end + line.len() + 1)));
                break;
            }
            if quote.is_none() && line.ends_with('\\') {
                return self.reject(from, "joined document");
            }
            text.extend([stripped, "\n"]);
            end = self.text.len().min(end + line.len() + 1);
        }
        if quote.is_some() || !text.contains(['$', '`', '\\']) {
            return Ok(self.word_of(vec![Part::Text(text)], from, false));
        }
        if strips {
            return self.reject(from, "stripped document");
        }
        self.work.spend(text.len(), &(from..self.at))?;
        let mut parts = Vec::new();
        self.within(begin..end, |parser| parser.quoted(&mut parts, None))?;
        Ok(self.word_of(parts, from, false))
    }
}

impl Item {
    fn new(first: Pipeline, rest: Vec<(Join, Pipeline)>) -> Self {
        Item {
            first,
            rest,
            is_background: false,
        }
    }
}

impl Pipeline {
    fn of(kind: Kind, span: Range<usize>) -> Self {
        let redirects = Vec::new();
        Pipeline {
            is_negated: false,
            stages: vec![Command {
                kind,
                redirects,
                span,
            }],
        }
    }
}

impl Redirect {
    fn new(descriptor: Option<u8>, kind: Redirection, target: Word) -> Self {
        Redirect {
            descriptor,
            kind,
            target,
        }
    }
}
