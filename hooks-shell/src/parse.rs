//! From text to tree: a strict subset of the shell's language, and a reason for everything else.
//!
//! The parser reads from left to right and never goes back, but for the few bytes of a keyword. Its stack is bounded by
//! the depth that [`Work`] counts, its time by the steps.

use std::sync::Arc;
use std::sync::OnceLock;

use crate::bounds::{LONGEST, Rejected, Work};
use crate::braces;
use crate::syntax::{
    Command, Item, Join, Kind, List, Operation, Parameter, Part, Pipeline, Redirect, Redirection,
    Simple, Test, Token, Word,
};

type Result<T> = std::result::Result<T, Rejected>;

/// A script as a tree; its words are numbered from `next_word` on.
pub(crate) fn parse(text: &str, work: &mut Work, next_word: &mut usize) -> Result<List> {
    if text.len() > LONGEST {
        let reason = format!("the script is longer than {LONGEST} bytes: put it into smaller ones");
        return Err(Rejected::new(reason, 0..text.len()));
    }
    check_characters(text)?;
    work.spend(2 * text.len(), &(0..text.len()))?;
    let mut parser = Parser {
        text,
        bytes: text.as_bytes(),
        at: 0,
        work,
        next_word,
        documents: Vec::new(),
    };
    let list = parser.list(&[])?;
    parser.skip_lines()?;
    match parser.peek() {
        None if parser.documents.is_empty() => Ok(list),
        None => parser.reject("the here-document has no text, nor an end", 0),
        Some(_) => Err(parser.unexpected()),
    }
}

/// Refuses characters that a reader does not see, and blanks that are none for the shell.
fn check_characters(text: &str) -> Result<()> {
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
    if text.bytes().all(is_plain) {
        return Ok(());
    }
    for (at, character) in text.char_indices() {
        let (is_odd, what, instead) = match character {
            '\n' | '\t' | ' ' => continue,
            hidden if is_hidden(hidden) => (true, "character that is not seen", "leave it out"),
            blank => (blank.is_whitespace(), "unusual blank", "write a space"),
        };
        if is_odd {
            let shown = character.escape_default();
            let reason = format!("the command has a {what}, `{shown}`: {instead}");
            return Err(Rejected::new(reason, at..at + character.len_utf8()));
        }
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

/// What the words of some shells do that are no programs, and that are not supported.
const UNSUPPORTED: [(&str, &str); 8] = [
    ("coproc", "it runs a program beside the script"),
    ("function", "write `name() { …; }`"),
    ("select", "it waits for a person"),
    ("foreach", "write `for`"),
    ("repeat", "write `for`"),
    ("nocorrect", "leave it out"),
    ("noglob", "leave it out, and use quotes"),
    ("always", "leave it out"),
];

/// Words that end a list of commands, or go on with what was begun.
const CLOSING: [&str; 8] = ["then", "else", "elif", "fi", "do", "done", "esac", "}"];

struct Parser<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    work: &'t mut Work,
    next_word: &'t mut usize,
    /// Those whose text begins after the end of the line.
    documents: Vec<Document>,
}

/// A here-document that was asked for.
struct Document {
    delimiter: String,
    is_quoted: bool,
    /// Whether tabs at the beginning of its lines are taken away.
    strips: bool,
    text: Arc<OnceLock<Vec<Part>>>,
}

pub(crate) fn is_identifier(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|first: char| first.is_ascii_digit())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn is_meta(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>'
    )
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn starts_with(&self, text: &str) -> bool {
        self.bytes[self.at..].starts_with(text.as_bytes())
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.starts_with(text);
        self.at += if found { text.len() } else { 0 };
        found
    }

    fn reject<T>(&self, reason: impl Into<String>, from: usize) -> Result<T> {
        let end = self.at.max(from + 1).min(self.text.len());
        Err(Rejected::new(reason, from.min(end)..end))
    }

    fn unexpected(&self) -> Rejected {
        let (shown, end) = match self.text[self.at..].chars().next() {
            None => ("its end".into(), self.at),
            Some('\n') => ("the end of the line".into(), self.at),
            Some(found) => match self.keyword() {
                "" => (format!("`{found}`"), self.at + found.len_utf8()),
                word => (format!("`{word}`"), self.at + word.len()),
            },
        };
        let reason =
            format!("the command cannot be parsed: {shown} stands where it is not expected");
        Rejected::new(reason, self.at..end)
    }

    /// The word that begins here, if it is written as keywords are and the next character ends it.
    fn keyword(&self) -> &str {
        let rest = &self.bytes[self.at..];
        if matches!(rest.first(), Some(b'{' | b'}' | b'!')) {
            let ends = rest.get(1).is_none_or(|next| is_meta(*next));
            return if ends {
                &self.text[self.at..=self.at]
            } else {
                ""
            };
        }
        let length = rest
            .iter()
            .take(12)
            .take_while(|byte| byte.is_ascii_lowercase() || **byte == b'[')
            .count();
        match rest.get(length) {
            Some(next) if !is_meta(*next) => "",
            _ => &self.text[self.at..self.at + length],
        }
    }

    fn eat_keyword(&mut self, word: &str) -> bool {
        let found = self.keyword() == word;
        self.at += if found { word.len() } else { 0 };
        found
    }

    fn expect_keyword(&mut self, word: &str) -> Result<()> {
        if self.eat_keyword(word) {
            return Ok(());
        }
        let mut error = self.unexpected();
        if self.peek().is_none() {
            let reason = format!("the command cannot be parsed: `{word}` is missing at its end");
            error = Rejected::new(reason, error.span());
        }
        Err(error)
    }

    /// Skips blanks, comments, and lines that go on after a blank and a backslash.
    fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.at += 1,
                Some(b'\\') if self.bytes.get(self.at + 1) == Some(&b'\n') => {
                    let is_between =
                        self.at == 0 || matches!(self.bytes[self.at - 1], b' ' | b'\t' | b'\n');
                    if !is_between {
                        return;
                    }
                    self.at += 2;
                }
                Some(b'#') => {
                    while self.peek().is_some_and(|byte| byte != b'\n') {
                        self.at += 1;
                    }
                }
                _ => return,
            }
        }
    }

    /// Skips ends of lines as well; the here-documents that were asked for begin after the first.
    fn skip_lines(&mut self) -> Result<()> {
        loop {
            self.skip_blanks();
            if self.peek() != Some(b'\n') {
                return Ok(());
            }
            self.at += 1;
            self.read_documents()?;
        }
    }

    /// Commands up to one of the words, a `)` or `;;`, or the end.
    fn list(&mut self, closing: &[&str]) -> Result<List> {
        let mut list = List::new();
        loop {
            self.skip_lines()?;
            let word = self.keyword();
            let ends = self.peek().is_none()
                || matches!(self.peek(), Some(b')'))
                || (self.starts_with(";;") && closing.contains(&"esac"))
                || closing.contains(&word);
            if ends {
                return Ok(list);
            }
            let mut item = self.item()?;
            self.skip_blanks();
            match self.peek() {
                Some(b'&') if !self.starts_with("&&") => {
                    self.at += 1;
                    if matches!(self.peek(), Some(b'!' | b'|' | b'>')) {
                        return Err(self.unexpected());
                    }
                    item.is_background = true;
                }
                Some(b';') if !self.starts_with(";;") => self.at += 1,
                Some(b';' | b')' | b'\n') | None => {}
                Some(_) => return Err(self.unexpected()),
            }
            list.push(item);
        }
    }

    /// A list that has to have a command in it.
    fn commands(&mut self, closing: &[&str]) -> Result<List> {
        let list = self.list(closing)?;
        if list.is_empty() {
            return Err(self.unexpected());
        }
        Ok(list)
    }

    fn item(&mut self) -> Result<Item> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            self.skip_blanks();
            let join = if self.eat("&&") {
                Join::And
            } else if self.eat("||") {
                Join::Or
            } else {
                return Ok(Item {
                    first,
                    rest,
                    is_background: false,
                });
            };
            self.skip_lines()?;
            rest.push((join, self.pipeline()?));
        }
    }

    fn pipeline(&mut self) -> Result<Pipeline> {
        let mut is_negated = false;
        if self.keyword() == "!" {
            self.at += 1;
            is_negated = true;
            self.skip_blanks();
            if self.keyword() == "!" {
                return Err(self.unexpected());
            }
        }
        let mut stages = vec![self.command()?];
        loop {
            self.skip_blanks();
            if self.peek() != Some(b'|') || self.starts_with("||") {
                return Ok(Pipeline { is_negated, stages });
            }
            let bar = self.at;
            self.at += 1;
            if self.eat("&") {
                // `|&` is `2>&1 |`.
                let target = self.word_of(vec![Part::Text("1".into(), true)], bar);
                if let Some(stage) = stages.last_mut() {
                    stage.redirects.push(Redirect {
                        descriptor: Some(2),
                        kind: Redirection::CopyOut,
                        target,
                    });
                }
            }
            self.skip_lines()?;
            if self.keyword() == "!" {
                return Err(self.unexpected());
            }
            stages.push(self.command()?);
        }
    }

    fn command(&mut self) -> Result<Command> {
        let from = self.at;
        self.work.enter(&(from..from + 1))?;
        self.work.spend(16, &(from..from + 1))?;
        let kind = self.kind()?;
        self.work.leave();
        let (kind, mut redirects) = kind;
        if !matches!(kind, Kind::Simple(_) | Kind::Function { .. }) {
            loop {
                self.skip_blanks();
                match self.redirect()? {
                    Some(redirect) => redirects.push(redirect),
                    None => break,
                }
            }
        }
        Ok(Command {
            kind,
            redirects,
            span: from..self.at,
        })
    }

    fn kind(&mut self) -> Result<(Kind, Vec<Redirect>)> {
        let from = self.at;
        let word = self.keyword();
        if let Some((name, why)) = UNSUPPORTED.iter().find(|(name, _)| *name == word) {
            self.at += name.len();
            return self.reject(format!("`{name}` is not supported: {why}"), from);
        }
        let kind = match word {
            "if" => self.r#if()?,
            "while" | "until" => {
                let is_until = word == "until";
                self.at += 5;
                let condition = self.commands(&["do"])?;
                let body = self.body()?;
                Kind::While {
                    is_until,
                    condition,
                    body,
                }
            }
            "for" => self.r#for()?,
            "case" => self.case()?,
            "{" => {
                self.at += 1;
                let list = self.commands(&["}"])?;
                self.expect_keyword("}")?;
                Kind::Group(list)
            }
            "[[" => {
                self.at += 2;
                let test = self.test_or()?;
                self.skip_blanks();
                self.expect_test_end()?;
                Kind::Test(test)
            }
            _ if self.starts_with("((") => {
                self.at += 2;
                return self.reject("`((…))` is not supported: use `[ … ]` and `$((…))`", from);
            }
            _ if self.peek() == Some(b'(') => {
                self.at += 1;
                let list = self.commands(&[])?;
                self.close()?;
                Kind::Subshell(list)
            }
            word if CLOSING.contains(&word) => return Err(self.unexpected()),
            _ => return self.simple(),
        };
        Ok((kind, Vec::new()))
    }

    fn close(&mut self) -> Result<()> {
        if self.eat(")") {
            return Ok(());
        }
        if self.peek().is_none() {
            return self.reject(
                "the command cannot be parsed: `)` is missing at its end",
                self.at,
            );
        }
        Err(self.unexpected())
    }

    fn body(&mut self) -> Result<List> {
        self.skip_lines()?;
        self.expect_keyword("do")?;
        let body = self.commands(&["done"])?;
        self.expect_keyword("done")?;
        Ok(body)
    }

    fn r#if(&mut self) -> Result<Kind> {
        let mut branches = Vec::new();
        let mut otherwise = None;
        self.at += 2;
        loop {
            let condition = self.commands(&["then"])?;
            self.expect_keyword("then")?;
            let then = self.commands(&["elif", "else", "fi"])?;
            branches.push((condition, then));
            if self.eat_keyword("elif") {
                continue;
            }
            if self.eat_keyword("else") {
                otherwise = Some(self.commands(&["fi"])?);
            }
            self.expect_keyword("fi")?;
            return Ok(Kind::If {
                branches,
                otherwise,
            });
        }
    }

    fn r#for(&mut self) -> Result<Kind> {
        let from = self.at;
        self.at += 3;
        self.skip_blanks();
        if self.starts_with("((") {
            self.at += 2;
            return self.reject(
                "`for ((…))` is not supported: use `for i in {1..9}`, or `while`",
                from,
            );
        }
        let name = self.identifier()?;
        self.skip_lines()?;
        let mut words = None;
        if self.eat_keyword("in") {
            let mut list = Vec::new();
            loop {
                self.skip_blanks();
                match self.peek() {
                    Some(b';' | b'\n') => break,
                    _ => self.word(&mut list)?,
                }
            }
            words = Some(list);
        }
        self.skip_blanks();
        self.eat(";");
        let body = self.body()?;
        Ok(Kind::For { name, words, body })
    }

    fn identifier(&mut self) -> Result<String> {
        let length = self.bytes[self.at..]
            .iter()
            .take_while(|byte| !is_meta(**byte))
            .count();
        let name = self.text.get(self.at..self.at + length).unwrap_or("");
        if !is_identifier(name) {
            return Err(self.unexpected());
        }
        self.at += length;
        Ok(name.into())
    }

    fn case(&mut self) -> Result<Kind> {
        self.at += 4;
        self.skip_blanks();
        let subject = self.one_word()?;
        self.skip_lines()?;
        self.expect_keyword("in")?;
        let mut arms = Vec::new();
        loop {
            self.skip_lines()?;
            if self.eat_keyword("esac") {
                return Ok(Kind::Case { subject, arms });
            }
            self.eat("(");
            let mut patterns = Vec::new();
            loop {
                self.skip_blanks();
                patterns.push(self.one_word()?);
                self.skip_blanks();
                if !self.eat("|") {
                    break;
                }
            }
            self.close()?;
            let body = self.list(&["esac"])?;
            arms.push((patterns, body));
            self.skip_lines()?;
            if self.eat(";;") {
                if matches!(self.peek(), Some(b'&' | b';' | b'|')) {
                    return Err(self.unexpected());
                }
            } else if self.keyword() != "esac" {
                return Err(self.unexpected());
            }
        }
    }

    fn expect_test_end(&mut self) -> Result<()> {
        let ends =
            self.starts_with("]]") && self.bytes.get(self.at + 2).is_none_or(|b| is_meta(*b));
        if !ends {
            return Err(self.unexpected());
        }
        self.at += 2;
        Ok(())
    }

    fn test_or(&mut self) -> Result<Test> {
        self.test_chain("||", Join::Or, Self::test_and)
    }

    fn test_and(&mut self) -> Result<Test> {
        self.test_chain("&&", Join::And, Self::test_not)
    }

    fn test_chain(
        &mut self,
        operator: &str,
        join: Join,
        operand: fn(&mut Self) -> Result<Test>,
    ) -> Result<Test> {
        let from = self.at;
        let mut left = operand(self)?;
        let mut depth = 0;
        loop {
            self.skip_blanks();
            if !self.eat(operator) {
                break;
            }
            depth += 1;
            if depth > 16 {
                return self.reject("the test is too long: write several", from);
            }
            let right = operand(self)?;
            left = Test::Both(Box::new(left), join, Box::new(right));
        }
        Ok(left)
    }

    fn test_not(&mut self) -> Result<Test> {
        self.skip_blanks();
        let from = self.at;
        self.work.enter(&(from..from))?;
        let test = if self.eat_keyword("!") {
            Test::Not(Box::new(self.test_not()?))
        } else if self.eat("(") {
            let inner = self.test_or()?;
            self.skip_blanks();
            self.close()?;
            inner
        } else {
            let mut words = Vec::new();
            loop {
                self.skip_blanks();
                let ends = self.starts_with("]]");
                if ends || matches!(self.peek(), Some(b'&' | b'|' | b')')) {
                    break;
                }
                if words.len() == 3 {
                    return Err(self.unexpected());
                }
                words.push(self.one_word()?);
            }
            if words.is_empty() {
                return Err(self.unexpected());
            }
            Test::Words(words)
        };
        self.work.leave();
        Ok(test)
    }

    fn simple(&mut self) -> Result<(Kind, Vec<Redirect>)> {
        let mut redirects = Vec::new();
        let mut simple = Simple {
            assignments: Vec::new(),
            words: Vec::new(),
        };
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
                _ => {}
            }
            if has_both {
                return self.reject(
                    "what stands after `&> file` is another command for some shells: write it before",
                    from,
                );
            }
            if simple.words.is_empty()
                && let Some(assignment) = self.assignment()?
            {
                simple.assignments.push(assignment);
                continue;
            }
            self.word(&mut simple.words)?;
        }
        if simple.words.is_empty()
            && (has_both || (simple.assignments.is_empty() && redirects.is_empty()))
        {
            return Err(self.unexpected());
        }
        Ok((Kind::Simple(simple), redirects))
    }

    fn function(&mut self, simple: &Simple, from: usize) -> Result<(Kind, Vec<Redirect>)> {
        let name = match simple.words.as_slice() {
            [word] if simple.assignments.is_empty() => word.literal().unwrap_or(""),
            _ => "",
        };
        self.at += 1;
        self.skip_blanks();
        if !is_identifier(name) || !self.eat(")") {
            return self.reject(
                "the command cannot be parsed: `(` stands where it is not expected",
                from,
            );
        }
        let name = name.to_owned();
        self.skip_lines()?;
        if self.keyword() != "{" && self.peek() != Some(b'(') {
            return Err(self.unexpected());
        }
        let body = Arc::new(self.command()?);
        Ok((Kind::Function { name, body }, Vec::new()))
    }

    /// `name=value` before a command.
    fn assignment(&mut self) -> Result<Option<(String, Word)>> {
        let from = self.at;
        let rest = &self.bytes[from..];
        let is_of_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
        let length = rest.iter().take_while(is_of_name).count();
        let name = &self.text[from..from + length];
        if !is_identifier(name) {
            return Ok(None);
        }
        match rest.get(length) {
            Some(b'[' | b'+')
                if rest.get(length) == Some(&b'[') || rest.get(length + 1) == Some(&b'=') =>
            {
                self.at += length;
                self.reject(
                    format!("`{name}` is no plain variable here: lists, `+=` and patterns of programs are not supported"),
                    from,
                )
            }
            Some(b'=') => {
                let name = name.to_owned();
                self.at += length + 1;
                if self.peek() == Some(b'(') {
                    return self.reject(
                        format!("`{name}=(…)` is not supported: lists are not followed"),
                        from,
                    );
                }
                let parts = self.parts(true)?;
                let mut word = self.word_of(parts, from + length + 1);
                word.is_disputed |= self.text[from..self.at].contains("$'");
                Ok(Some((name, word)))
            }
            _ => Ok(None),
        }
    }

    fn redirect(&mut self) -> Result<Option<Redirect>> {
        let from = self.at;
        let digits = self.bytes[from..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let next = self.bytes.get(from + digits);
        let is_both = digits == 0 && self.starts_with("&>");
        if !matches!(next, Some(b'<' | b'>')) && !is_both {
            return Ok(None);
        }
        if digits == 0 && (self.starts_with("<(") || self.starts_with(">(")) {
            return Ok(None);
        }
        if digits > 1 {
            self.at += digits;
            return self.reject("a descriptor has one digit", from);
        }
        let descriptor = (digits == 1).then(|| self.bytes[from] - b'0');
        self.at += digits;
        let operators = [
            ("&>>", Redirection::BothAppend),
            ("&>", Redirection::Both),
            ("<<<", Redirection::HereString),
            ("<<", Redirection::Document),
            ("<>", Redirection::ReadWrite),
            ("<&", Redirection::CopyIn),
            ("<", Redirection::Read),
            (">>", Redirection::Append),
            (">|", Redirection::Clobber),
            (">&", Redirection::CopyOut),
            (">", Redirection::Write),
        ];
        let Some((operator, kind)) = operators.into_iter().find(|(text, _)| self.eat(text)) else {
            return Err(self.unexpected());
        };
        if kind == Redirection::Document {
            let target = self.document(from)?;
            return Ok(Some(Redirect {
                descriptor,
                kind,
                target,
            }));
        }
        if self.peek() == Some(b'!') {
            self.at += 1;
            return self.reject(
                format!("`{operator}!` is read in more than one way: write `>|`, or quotes"),
                from,
            );
        }
        self.skip_blanks();
        let target = self.one_word()?;
        let is_copy = matches!(kind, Redirection::CopyIn | Redirection::CopyOut);
        let is_descriptor =
            |text: &str| text == "-" || (text.len() == 1 && text.as_bytes()[0].is_ascii_digit());
        if is_copy && !target.literal().is_some_and(is_descriptor) {
            return self.reject(
                format!("`{operator}` takes a descriptor: for a file write `> file 2>&1`"),
                from,
            );
        }
        Ok(Some(Redirect {
            descriptor,
            kind,
            target,
        }))
    }

    /// A here-document: its delimiter stands here, its text after the end of the line.
    fn document(&mut self, from: usize) -> Result<Word> {
        let strips = self.eat("-");
        self.skip_blanks();
        let quote = match self.peek() {
            Some(quote @ (b'\'' | b'"')) => {
                self.at += 1;
                Some(quote)
            }
            Some(b'\\') => {
                self.at += 1;
                Some(b'\\')
            }
            _ => None,
        };
        let begin = self.at;
        while self.peek().is_some_and(|byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'!' | b'%')
        }) {
            self.at += 1;
        }
        let delimiter = self.text[begin..self.at].to_owned();
        let is_closed = match quote {
            Some(quote @ (b'\'' | b'"')) => self.eat(&char::from(quote).to_string()),
            _ => true,
        };
        if delimiter.is_empty() || !is_closed || self.peek().is_some_and(|byte| !is_meta(byte)) {
            return self.reject(
                "where this here-document ends is not agreed upon: use a plain delimiter, as `EOF`",
                from,
            );
        }
        let text = Arc::new(OnceLock::new());
        self.documents.push(Document {
            delimiter,
            is_quoted: quote.is_some(),
            strips,
            text: text.clone(),
        });
        Ok(self.word_of(vec![Part::Document(text)], from))
    }

    /// Reads the here-documents that were asked for in the line that has ended.
    fn read_documents(&mut self) -> Result<()> {
        for document in std::mem::take(&mut self.documents) {
            let from = self.at;
            let mut text = String::new();
            loop {
                let rest = &self.text[self.at..];
                if rest.is_empty() {
                    let reason = format!(
                        "the here-document does not end: its last line has to be `{}`",
                        document.delimiter
                    );
                    return self.reject(reason, from);
                }
                let (line, length) = match rest.find('\n') {
                    Some(end) => (&rest[..end], end + 1),
                    None => (rest, rest.len()),
                };
                let line = if document.strips {
                    line.trim_start_matches('\t')
                } else {
                    line
                };
                self.at += length;
                if line == document.delimiter {
                    break;
                }
                if !document.is_quoted && line.ends_with('\\') {
                    return self.reject(
                        "a line of a here-document that ends with `\\` is joined to the next: quote the delimiter, as `'EOF'`",
                        from,
                    );
                }
                text.push_str(line);
                text.push('\n');
            }
            let parts = if document.is_quoted {
                vec![Part::Text(text, true)]
            } else {
                self.expansions(&text, from)?
            };
            // It is filled once, as it was asked for once.
            let _ = document.text.set(parts);
        }
        Ok(())
    }

    /// The parts of a here-document whose delimiter is not quoted: it is read as in double quotes, where `"` is plain.
    fn expansions(&mut self, text: &str, from: usize) -> Result<Vec<Part>> {
        if !text.contains(['$', '`', '\\']) {
            return Ok(vec![Part::Text(text.into(), true)]);
        }
        self.work.spend(text.len(), &(from..self.at))?;
        self.inner(text, from, |inner| {
            let parts = inner.quoted(None)?;
            match inner.peek() {
                None => Ok(parts),
                Some(_) => Err(inner.unexpected()),
            }
        })
    }

    /// Parses a text that stands in this one, escaped or joined. What is wrong there is shown at the whole.
    fn inner<T>(
        &mut self,
        text: &str,
        from: usize,
        parse: impl FnOnce(&mut Parser<'_>) -> Result<T>,
    ) -> Result<T> {
        let mut parser = Parser {
            text,
            bytes: text.as_bytes(),
            at: 0,
            work: &mut *self.work,
            next_word: &mut *self.next_word,
            documents: Vec::new(),
        };
        parse(&mut parser).map_err(|error| Rejected::new(error.reason(), from..self.at))
    }

    fn word_of(&mut self, parts: Vec<Part>, from: usize) -> Word {
        let id = *self.next_word;
        *self.next_word += 1;
        let begins_odd =
            matches!(parts.first(), Some(Part::Text(text, false)) if text.starts_with('='));
        Word {
            id,
            parts,
            span: from..self.at,
            is_disputed: begins_odd,
        }
    }

    fn one_word(&mut self) -> Result<Word> {
        let from = self.at;
        let mut words = Vec::new();
        match self.peek() {
            Some(byte) if !is_meta(byte) || self.starts_with("<(") || self.starts_with(">(") => {
                self.word(&mut words)?;
            }
            _ => return Err(self.unexpected()),
        }
        if words.len() == 1
            && let Some(word) = words.pop()
        {
            return Ok(word);
        }
        self.reject("braces become several words here: write one", from)
    }

    /// One word; several where braces expand.
    fn word(&mut self, into: &mut Vec<Word>) -> Result<()> {
        let from = self.at;
        // Most words are plain.
        let is_plain = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_./:@%+-".contains(byte);
        let length = self.bytes[from..].iter().take_while(is_plain).count();
        let is_whole = self
            .bytes
            .get(from + length)
            .is_none_or(|next| is_meta(*next) && !b"(<>".contains(next));
        if length > 0 && is_whole {
            self.at += length;
            let word = self.word_of(
                vec![Part::Text(self.text[from..self.at].into(), false)],
                from,
            );
            into.push(word);
            return Ok(());
        }
        let mut disputed = false;
        let parts = if self.starts_with("<(") || self.starts_with(">(") {
            let writes = self.peek() == Some(b'>');
            self.at += 2;
            let list = self.substitution(from)?;
            disputed = true;
            vec![Part::Process(list, writes)]
        } else {
            self.parts(false)?
        };
        if self.at == from
            || matches!(self.peek(), Some(b'(' | b'<' | b'>')) && !self.is_after_word(from)
        {
            return Err(self.unexpected());
        }
        let text = &self.text[from..self.at];
        disputed |= text.contains("=~") || text.contains("$'");
        if text.contains('{') {
            let expanded = braces::expand(parts, self.work, &(from..self.at))?;
            disputed |= expanded.len() > 1;
            for parts in expanded {
                let mut word = self.word_of(parts, from);
                word.is_disputed |= disputed;
                into.push(word);
            }
            return Ok(());
        }
        let mut word = self.word_of(parts, from);
        word.is_disputed |= disputed;
        into.push(word);
        Ok(())
    }

    /// Whether what follows directly on the word may: `ls>x`, `f()`, but neither `a<(b)` nor `{fd}>x`.
    fn is_after_word(&self, from: usize) -> bool {
        if let Some(b'(') = self.peek() {
            is_identifier(&self.text[from..self.at])
        } else {
            let is_process = self.starts_with("<(") || self.starts_with(">(");
            !is_process && self.bytes[self.at - 1] != b'}'
        }
    }

    /// The parts of a word, up to a blank or an operator.
    fn parts(&mut self, is_value: bool) -> Result<Vec<Part>> {
        let start = self.at;
        let mut parts: Vec<Part> = Vec::new();
        while let Some(byte) = self.peek() {
            if is_meta(byte) {
                break;
            }
            let from = self.at;
            match byte {
                b'\'' => {
                    self.at += 1;
                    let Some(length) = self.text[self.at..].find('\'') else {
                        return self
                            .reject("the command cannot be parsed: a `'` is not closed", from);
                    };
                    let text = self.text[self.at..self.at + length].to_owned();
                    self.at += length + 1;
                    self.check_line(from)?;
                    push_text(&mut parts, &text, true);
                }
                b'"' => {
                    self.at += 1;
                    let inner = self.quoted(Some(b'"'))?;
                    if !self.eat("\"") {
                        return self
                            .reject("the command cannot be parsed: a `\"` is not closed", from);
                    }
                    self.check_line(from)?;
                    if inner.is_empty() {
                        push_text(&mut parts, "", true);
                    }
                    parts.extend(inner);
                }
                b'\\' => {
                    self.at += 1;
                    let Some(next) = self.text[self.at..].chars().next() else {
                        return self
                            .reject("the command cannot be parsed: it ends with `\\`", from);
                    };
                    if next == '\n' {
                        return self.reject(
                            "a word that goes on in the next line, after `\\`, is not looked at: write it in one",
                            from,
                        );
                    }
                    self.at += next.len_utf8();
                    push_text(&mut parts, next.encode_utf8(&mut [0; 4]), true);
                }
                b'$' | b'`' => self.expansion(&mut parts, false)?,
                b'*' | b'?' => {
                    self.at += 1;
                    parts.push(Part::Glob(char::from(byte).into()));
                }
                b'[' => self.class(&mut parts)?,
                b'{' | b'}' | b',' => {
                    self.at += 1;
                    if is_value {
                        push_text(&mut parts, char::from(byte).encode_utf8(&mut [0; 4]), false);
                    } else {
                        parts.push(Part::Brace(byte.into()));
                    }
                }
                b'~' if self.at == start || (is_value && self.bytes[self.at - 1] == b':') => {
                    self.at += 1;
                    let ends = self.peek().is_none_or(|next| next == b'/' || is_meta(next));
                    if !ends || !parts.is_empty() {
                        return self.reject(
                            "only `~` and `~/…` are looked at, and not the directories of others",
                            from,
                        );
                    }
                    parts.push(Part::Home);
                }
                _ => {
                    let rest = &self.bytes[self.at..];
                    let is_plain =
                        |byte: &&u8| !is_meta(**byte) && !b"'\"\\$`*?[{},~".contains(byte);
                    let length = rest.iter().take_while(is_plain).count().max(1);
                    push_text(&mut parts, &self.text[from..from + length], false);
                    self.at += length;
                }
            }
        }
        if !is_value {
            return Ok(parts);
        }
        // Neither patterns nor braces expand in a value.
        Ok(parts
            .into_iter()
            .map(|part| match part {
                Part::Glob(text) => Part::Text(text, true),
                part => part,
            })
            .collect())
    }

    /// A word that goes over several lines, in a line that asks for a here-document, is read in more than one way.
    fn check_line(&self, from: usize) -> Result<()> {
        if !self.documents.is_empty() && self.text[from..self.at].contains('\n') {
            return self.reject(
                "what goes on in the next line stands beside a here-document: write it in another line",
                from,
            );
        }
        Ok(())
    }

    /// `[a-z]`; `[` by itself.
    fn class(&mut self, parts: &mut Vec<Part>) -> Result<()> {
        let from = self.at;
        self.work.spend(16, &(from..from + 1))?;
        let rest = &self.bytes[from + 1..];
        let is_plain = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_.!^-".contains(byte);
        let length = rest.iter().take(64).take_while(is_plain).count();
        if rest.get(length) == Some(&b']') && length > 0 {
            self.at += length + 2;
            parts.push(Part::Glob(self.text[from..self.at].into()));
            return Ok(());
        }
        let rest_of_word = rest
            .iter()
            .take_while(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b';'));
        let has_end = rest_of_word.take(64).any(|byte| *byte == b']');
        self.at += 1;
        if has_end && rest.first() != Some(&b']') {
            return self.reject(
                "a pattern in brackets may only have letters, digits, `-`, `_` and `.`: use quotes, or write the names out",
                from,
            );
        }
        push_text(parts, "[", false);
        Ok(())
    }

    /// What stands in double quotes, up to the closing one, or a here-document, up to its end.
    fn quoted(&mut self, end: Option<u8>) -> Result<Vec<Part>> {
        let mut parts = Vec::new();
        while let Some(byte) = self.peek() {
            if Some(byte) == end {
                break;
            }
            match byte {
                b'\\' => {
                    let next = self.bytes.get(self.at + 1).copied();
                    match next {
                        Some(b'\n') => {
                            return self.reject(
                                "a word that goes on in the next line, after `\\`, is not looked at: write it in one",
                                self.at,
                            );
                        }
                        Some(b'$' | b'`' | b'\\') => {
                            push_text(&mut parts, &self.text[self.at + 1..self.at + 2], true);
                            self.at += 2;
                        }
                        Some(b'"') if end.is_some() => {
                            push_text(&mut parts, "\"", true);
                            self.at += 2;
                        }
                        _ => {
                            push_text(&mut parts, "\\", true);
                            self.at += 1;
                        }
                    }
                }
                b'$' | b'`' => self.expansion(&mut parts, true)?,
                _ => {
                    let from = self.at;
                    let is_plain = |byte: &&u8| Some(**byte) != end && !b"\\$`".contains(byte);
                    let length = self.bytes[from..].iter().take_while(is_plain).count();
                    push_text(&mut parts, &self.text[from..from + length], true);
                    self.at += length;
                }
            }
        }
        Ok(parts)
    }

    /// `$…` and backquotes.
    fn expansion(&mut self, parts: &mut Vec<Part>, is_quoted: bool) -> Result<()> {
        let from = self.at;
        if self.eat("`") {
            let Some(length) = self.text[self.at..].find('`') else {
                return self.reject(
                    "the command cannot be parsed: a backquote is not closed",
                    from,
                );
            };
            let text = &self.text[self.at..self.at + length];
            self.at += length + 1;
            if text.contains('\\') {
                return self.reject(
                    "backquotes with `\\` in them are not looked at: write `$(…)`",
                    from,
                );
            }
            let text = text.to_owned();
            self.work.enter(&(from..self.at))?;
            let list = self.inner(&text, from, |inner| {
                let list = inner.commands(&[])?;
                inner.skip_lines()?;
                match inner.peek() {
                    None if inner.documents.is_empty() => Ok(list),
                    _ => Err(inner.unexpected()),
                }
            })?;
            self.work.leave();
            parts.push(Part::Substitution(Arc::new(list), is_quoted));
            return Ok(());
        }
        self.at += 1;
        match self.peek() {
            Some(b'(') if self.starts_with("((") => {
                self.at += 2;
                let tokens = self.arithmetic(from)?;
                parts.push(Part::Arithmetic(Arc::new(tokens), is_quoted));
            }
            Some(b'(') => {
                self.at += 1;
                let list = self.substitution(from)?;
                parts.push(Part::Substitution(list, is_quoted));
            }
            Some(b'{') => {
                self.at += 1;
                let parameter = self.parameter(from)?;
                parts.push(Part::Parameter(Arc::new(parameter), is_quoted));
            }
            Some(b'\'') if !is_quoted => {
                self.at += 1;
                let text = self.ansi(from)?;
                push_text(parts, &text, true);
            }
            Some(b'[') => return self.reject("`$[…]` is not supported: write `$((…))`", from),
            Some(b'"') if !is_quoted => {
                return self.reject("`$\"…\"` is not supported: leave out the `$`", from);
            }
            Some(b'$')
                if matches!(
                    self.bytes.get(self.at + 1),
                    Some(b'{' | b'(' | b'\'' | b'[')
                ) =>
            {
                self.at += 2;
                return self.reject(
                    "`$$` before a bracket is read in more than one way: write it otherwise",
                    from,
                );
            }
            Some(byte) if byte.is_ascii_alphabetic() || byte == b'_' => {
                let is_of_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
                let length = self.bytes[self.at..].iter().take_while(is_of_name).count();
                let name = self.text[self.at..self.at + length].to_owned();
                self.at += length;
                if !is_quoted && self.peek() == Some(b'[') {
                    return self.reject(
                        format!("`${name}[…]` is read in more than one way: write `${{{name}}}`"),
                        from,
                    );
                }
                parts.push(parameter_of(name, is_quoted));
            }
            Some(byte) if byte.is_ascii_digit() || b"@*#?$!-".contains(&byte) => {
                self.at += 1;
                parts.push(parameter_of(char::from(byte).into(), is_quoted));
            }
            _ => push_text(parts, "$", is_quoted),
        }
        Ok(())
    }

    /// A list up to a closing bracket.
    fn substitution(&mut self, from: usize) -> Result<Arc<List>> {
        self.work.enter(&(from..self.at))?;
        let outer = std::mem::take(&mut self.documents);
        let list = self.commands(&[])?;
        self.close()?;
        if !self.documents.is_empty() {
            return self.reject("the here-document does not end before the `)`", from);
        }
        self.documents = outer;
        self.check_line(from)?;
        self.work.leave();
        Ok(Arc::new(list))
    }

    fn parameter(&mut self, from: usize) -> Result<Parameter> {
        let unsupported = |parser: &Self| {
            parser.reject(
                "this `${…}` is not supported: use `${name}`, `${name:-text}`, `${name%text}` or `${name#text}`",
                from,
            )
        };
        let is_length = self.starts_with("#") && self.bytes.get(self.at + 1) != Some(&b'}');
        self.at += usize::from(is_length);
        let rest = &self.bytes[self.at..];
        let is_of_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
        let mut length = rest.iter().take_while(is_of_name).count();
        if length == 0 && rest.first().is_some_and(|byte| b"@*#?$!-".contains(byte)) {
            length = 1;
        }
        let name = self.text[self.at..self.at + length].to_owned();
        let is_positional =
            !name.is_empty() && name.len() < 3 && name.bytes().all(|byte| byte.is_ascii_digit());
        if !(is_identifier(&name) || is_positional || length == 1 && !rest[0].is_ascii_digit()) {
            self.at += 1;
            return unsupported(self);
        }
        self.at += length;
        let operation = if is_length {
            Operation::Length
        } else {
            self.operation(from, &name)?
        };
        if !self.eat("}") {
            self.at += 1;
            return unsupported(self);
        }
        Ok(Parameter { name, operation })
    }

    fn operation(&mut self, from: usize, name: &str) -> Result<Operation> {
        for operator in [":-", ":+", ":?", "-", "+", "?"] {
            if name != "!" && self.eat(operator) {
                self.work.enter(&(from..self.at))?;
                let begin = self.at;
                let mut parts = Vec::new();
                while self.peek().is_some_and(|byte| byte != b'}') {
                    match self.peek() {
                        Some(b'$' | b'`') => self.expansion(&mut parts, true)?,
                        Some(b'\'' | b'"' | b'\\' | b'{' | b'<' | b'>' | b'\n') => {
                            return self.reject(
                                "quotes, brackets and lines within `${…}` are not looked at: use a variable",
                                begin,
                            );
                        }
                        _ => {
                            let at = self.at;
                            let rest = &self.bytes[at..];
                            let is_plain = |byte: &&u8| !b"}$`'\"\\{<>\n".contains(byte);
                            let length = rest.iter().take_while(is_plain).count();
                            push_text(&mut parts, &self.text[at..at + length], true);
                            self.at += length;
                        }
                    }
                }
                self.work.leave();
                return Ok(Operation::Default(operator, self.word_of(parts, begin)));
            }
        }
        for operator in ["##", "#", "%%", "%"] {
            if self.eat(operator) {
                let is_plain =
                    |byte: &&u8| byte.is_ascii_alphanumeric() || b"_.*?/:=-".contains(byte);
                let length = self.bytes[self.at..].iter().take_while(is_plain).count();
                let pattern = self.text[self.at..self.at + length].to_owned();
                self.at += length;
                return Ok(Operation::Cut(operator, pattern));
            }
        }
        if self.eat("[") {
            let is_plain = |byte: &&u8| byte.is_ascii_digit() || matches!(byte, b'@' | b'*');
            let length = self.bytes[self.at..].iter().take_while(is_plain).count();
            let index = self.text[self.at..self.at + length].to_owned();
            self.at += length;
            if length == 0 || length > 4 || !self.eat("]") {
                self.at += 1;
                return self.reject("an index may run a command: write a number", from);
            }
            return Ok(Operation::Item(index));
        }
        Ok(Operation::Value)
    }

    /// `$'…'`, whose escapes are those of C.
    fn ansi(&mut self, from: usize) -> Result<String> {
        let mut text = String::new();
        loop {
            let Some(character) = self.text[self.at..].chars().next() else {
                return self.reject("the command cannot be parsed: a `'` is not closed", from);
            };
            self.at += character.len_utf8();
            match character {
                '\'' => {
                    self.check_line(from)?;
                    return Ok(text);
                }
                '\\' => {
                    let escape = self.peek().unwrap_or(b' ');
                    if escape == b'\'' {
                        return self.reject(
                            "where `$'…\\'…'` ends is not agreed upon: use double quotes",
                            from,
                        );
                    }
                    self.at += usize::from(escape.is_ascii());
                    let digits = |parser: &mut Self, radix: u32, most: usize| {
                        let rest = &parser.bytes[parser.at..];
                        let is_digit = |byte: &&u8| char::from(**byte).is_digit(radix);
                        let length = rest.iter().take(most).take_while(is_digit).count();
                        let digits = &parser.text[parser.at..parser.at + length];
                        parser.at += length;
                        u32::from_str_radix(digits, radix).ok()
                    };
                    let code = match escape {
                        b'n' => Some(10),
                        b't' => Some(9),
                        b'r' => Some(13),
                        b'\\' | b'"' | b'?' => Some(escape.into()),
                        b'x' => digits(self, 16, 2),
                        b'u' => digits(self, 16, 4),
                        b'0'..=b'7' => {
                            self.at -= 1;
                            digits(self, 8, 3)
                        }
                        _ => None,
                    };
                    let is_text = |code: &u32| {
                        (9..=13).contains(code)
                            || (32..127).contains(code)
                            || (*code > 159 && escape == b'u')
                    };
                    match code.filter(is_text).and_then(char::from_u32) {
                        Some(character) => text.push(character),
                        None => {
                            return self.reject(
                                "this escape is not supported: write the character itself",
                                from,
                            );
                        }
                    }
                }
                character => text.push(character),
            }
        }
    }

    /// What stands in `$((…))`: numbers, variables and operators that change nothing.
    fn arithmetic(&mut self, from: usize) -> Result<Vec<Token>> {
        const OPERATORS: [&str; 22] = [
            "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+", "-", "*", "/", "%", "<", ">", "!",
            "&", "|", "^", "~", "(", ")",
        ];
        let mut tokens = Vec::new();
        let mut depth = 0_usize;
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\n') => {
                    self.at += 1;
                    continue;
                }
                Some(b')') if depth == 0 => {
                    if !self.eat("))") || tokens.is_empty() {
                        return Err(self.unexpected());
                    }
                    self.check_line(from)?;
                    return Ok(tokens);
                }
                Some(byte) if byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' => {
                    let is_braced = self.eat("${");
                    if !is_braced {
                        self.eat("$");
                    }
                    let rest = &self.bytes[self.at..];
                    let is_of_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
                    let length = rest.iter().take_while(is_of_name).count();
                    let name = self.text[self.at..self.at + length].to_owned();
                    self.at += length;
                    if is_braced && !self.eat("}") {
                        self.at += 1;
                    } else if is_identifier(&name) {
                        tokens.push(Token::Variable(name));
                        continue;
                    } else if byte != b'$'
                        && length < 19
                        && name.bytes().all(|byte| byte.is_ascii_digit())
                    {
                        tokens.push(Token::Number(name));
                        continue;
                    }
                }
                _ => {
                    let operator = OPERATORS.iter().find(|operator| self.starts_with(operator));
                    let repeats = self.starts_with("++") || self.starts_with("--");
                    if let Some(operator) = operator.filter(|_| !repeats) {
                        self.at += operator.len();
                        depth += usize::from(*operator == "(");
                        depth -= usize::from(*operator == ")");
                        tokens.push(Token::Operator(operator));
                        continue;
                    }
                }
            }
            return self.reject(
                "only numbers, variables and operators that set nothing are supported in `$((…))`",
                from,
            );
        }
    }
}

fn parameter_of(name: String, is_quoted: bool) -> Part {
    let operation = Operation::Value;
    Part::Parameter(Arc::new(Parameter { name, operation }), is_quoted)
}

/// Joins texts that stand together, so that a word has few parts.
fn push_text(parts: &mut Vec<Part>, text: &str, is_quoted: bool) {
    match parts.last_mut() {
        Some(Part::Text(before, was_quoted)) if *was_quoted == is_quoted => before.push_str(text),
        _ => parts.push(Part::Text(text.into(), is_quoted)),
    }
}
