//! Parses commands: lists, pipelines, compound commands, and assignments.

use std::ops::Range;
use std::sync::Arc;

use smallvec::smallvec;

use super::cursor::{Parser, Result, is_meta};
use super::syntax::{
    Command, CommandKind, CommandList, CommandListItem, CommandPipeline, Expansion, Join,
    Operation, Redirect, Redirection, Simple, Word, WordPart, is_identifier, is_of_name,
};
use crate::rejected::RejectReason;

/// Words that end a list of commands, or continue a compound command.
const CLOSING: [&str; 8] = ["then", "else", "elif", "fi", "do", "done", "esac", "}"];

impl Parser<'_> {
    /// Parses commands up to one of the words, a `)` or `;;`, or the end.
    pub(super) fn list(&mut self, closing: &[&str]) -> Result<CommandList> {
        let mut list = CommandList::new();
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

    /// Parses a list that must contain a command.
    fn commands(&mut self, closing: &[&str]) -> Result<CommandList> {
        let list = self.list(closing)?;
        if list.is_empty() {
            return self.unexpected();
        }
        Ok(list)
    }

    /// Parses commands, and the word that ends them.
    fn block(&mut self, end: &str) -> Result<CommandList> {
        let list = self.commands(&[end])?;
        self.expect(end)?;
        Ok(list)
    }

    /// Parses the script inside `$(…)`, backquotes and the like.
    pub(crate) fn inner(&mut self, from: usize) -> Result<CommandList> {
        self.work.enter(&(from..self.at))?;
        let outer = self.document.take();
        let list = self.commands(&[])?;
        if self.document.is_some() {
            return self.reject(from, RejectReason::DocumentInBrackets);
        }
        self.document = outer;
        self.work.leave();
        Ok(list)
    }

    pub(crate) fn close(&mut self) -> Result<()> {
        self.expect(")")
    }

    fn item(&mut self) -> Result<CommandListItem> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            let join = if self.eat("&&") {
                Join::And
            } else if self.eat("||") {
                Join::Or
            } else {
                return Ok(CommandListItem::new(first, rest));
            };
            self.skip_lines()?;
            rest.push((join, self.pipeline()?));
        }
    }

    fn pipeline(&mut self) -> Result<CommandPipeline> {
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
                return Ok(CommandPipeline { is_negated, stages });
            }
            if self.eat("&") {
                // `|&` is `2>&1 |`.
                let target = self.word_of(smallvec![WordPart::Text("1".into())], bar, false);
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
        self.work.spend(20, &(from..from + 1))?;
        let mut redirects = Vec::new();
        let kind = self.kind(&mut redirects)?;
        self.work.leave();
        if !matches!(kind, CommandKind::Simple(_) | CommandKind::Function(..)) {
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

    fn kind(&mut self, redirects: &mut Vec<Redirect>) -> Result<CommandKind> {
        let from = self.at;
        let word = self.keyword();
        if let Some(reason) = RejectReason::of_word(word) {
            self.at += word.len();
            return self.reject(from, reason);
        }
        if CLOSING.contains(&word) {
            return self.unexpected();
        }
        let body = from + word.len();
        match word {
            "if" | "while" | "until" | "for" | "case" | "{" | "[[" => self.at = body,
            _ if self.eat("((") => {
                return self.reject(from, RejectReason::DoubleBracket);
            }
            _ if self.eat("(") => {
                let list = self.commands(&[])?;
                self.close()?;
                return Ok(CommandKind::Subshell(list));
            }
            _ => return self.simple(redirects),
        }
        match word {
            "if" => self.r#if(),
            "for" => self.r#for(from),
            "case" => self.case(),
            "{" => Ok(CommandKind::Group(self.block("}")?)),
            "[[" => {
                let mut test = self.test_or()?;
                self.expect("]]")?;
                Ok(match test.stages.pop() {
                    Some(only) if !test.is_negated => only.kind,
                    only => {
                        test.stages.extend(only);
                        CommandKind::Group(vec![CommandListItem::new(test, Vec::new())])
                    }
                })
            }
            word => {
                let condition = self.block("do")?;
                let body = self.block("done")?;
                Ok(CommandKind::While(word == "until", condition, body))
            }
        }
    }

    fn r#if(&mut self) -> Result<CommandKind> {
        let mut branches = Vec::new();
        loop {
            let condition = self.block("then")?;
            branches.push((condition, self.commands(&["elif", "else", "fi"])?));
            if self.eat_keyword("elif") {
                continue;
            }
            let has_else = self.eat_keyword("else");
            let otherwise = has_else.then(|| self.commands(&["fi"])).transpose()?;
            self.expect("fi")?;
            return Ok(CommandKind::If(branches, otherwise));
        }
    }

    fn r#for(&mut self, from: usize) -> Result<CommandKind> {
        self.skip_blanks();
        if self.eat("((") {
            return self.reject(from, RejectReason::CountingFor);
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
        Ok(CommandKind::For(name, words, body))
    }

    fn case(&mut self) -> Result<CommandKind> {
        self.skip_blanks();
        let subject = self.one_word()?;
        self.skip_lines()?;
        self.expect("in")?;
        let mut arms = Vec::new();
        loop {
            self.skip_lines()?;
            if self.eat_keyword("esac") {
                return Ok(CommandKind::Case(subject, arms));
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

    /// Parses the inside of `[[ … ]]`: its parts become commands of their own, so that `&&` and brackets work as for
    /// commands.
    fn test_or(&mut self) -> Result<CommandPipeline> {
        self.test_chain("||", Join::Or, Self::test_and)
    }

    fn test_and(&mut self) -> Result<CommandPipeline> {
        self.test_chain("&&", Join::And, Self::test_not)
    }

    fn test_chain(
        &mut self,
        operator: &str,
        join: Join,
        operand: fn(&mut Self) -> Result<CommandPipeline>,
    ) -> Result<CommandPipeline> {
        let from = self.at;
        let first = operand(self)?;
        let mut rest = Vec::new();
        while self.eat(operator) {
            rest.push((join, operand(self)?));
        }
        if rest.is_empty() {
            return Ok(first);
        }
        let group = CommandKind::Group(vec![CommandListItem::new(first, rest)]);
        Ok(CommandPipeline::of(group, from..self.at))
    }

    fn test_not(&mut self) -> Result<CommandPipeline> {
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
            CommandPipeline::of(CommandKind::Test(words), from..self.at)
        };
        self.skip_blanks();
        self.work.leave();
        Ok(test)
    }

    fn simple(&mut self, redirects: &mut Vec<Redirect>) -> Result<CommandKind> {
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
                    return self.reject(from, RejectReason::WordsBehindBoth);
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
                Some((name, None)) => {
                    let is_alone = simple.assignments.is_empty() && redirects.is_empty();
                    let words = self.list_of(from)?;
                    self.skip_blanks();
                    let ends = self.peek().is_none_or(|byte| b";&|\n)".contains(&byte));
                    if !is_alone || !ends {
                        return self.reject(from, RejectReason::WholeList(&name));
                    }
                    return Ok(CommandKind::List(name, words));
                }
                Some((name, Some(word))) => simple.assignments.push((name, word)),
                None => self.word(&mut simple.words)?,
            }
        }
        let is_nothing = simple.assignments.is_empty() && redirects.is_empty();
        if simple.words.is_empty() && (has_both || is_nothing) {
            return self.unexpected();
        }
        Ok(CommandKind::Simple(simple))
    }

    fn function(&mut self, simple: &Simple, from: usize) -> Result<CommandKind> {
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
        Ok(CommandKind::Function(name.to_owned(), body))
    }

    /// `(a b c)`, behind its name.
    fn list_of(&mut self, from: usize) -> Result<Vec<Word>> {
        let mut words = Vec::new();
        self.at += 1;
        loop {
            self.take(|byte| matches!(byte, b' ' | b'\t' | b'\n'));
            match self.peek() {
                Some(b')') => break,
                None | Some(b'#' | b'&' | b';' | b'|' | b'<' | b'>' | b'(') => {
                    return self.unexpected();
                }
                Some(_) => self.word(&mut words)?,
            }
        }
        self.at += 1;
        self.work.spend(1, &(from..self.at))?;
        Ok(words)
    }

    /// `name=value` before a command; without its value if that is a list.
    fn assignment(&mut self) -> Result<Option<(String, Option<Word>)>> {
        let from = self.at;
        let name = self.take(is_of_name);
        if is_identifier(name) {
            if self.peek() == Some(b'[') || self.starts_with("+=(") {
                return self.reject(from, RejectReason::ListItem(name));
            }
            let is_longer = self.starts_with("+=");
            self.at += usize::from(is_longer);
            if self.starts_with("=(") {
                self.at += 1;
                return Ok(Some((name.to_owned(), None)));
            }
            if self.eat("=") {
                let begin = self.at;
                let (mut parts, is_disputed) = self.parts(true)?;
                if is_longer {
                    // `x+=a` is `x="$x"a`.
                    let before = Expansion::Parameter(name.to_owned(), Operation::Value);
                    parts.insert(0, WordPart::Expansion(Arc::new(before), true));
                }
                return Ok(Some((
                    name.to_owned(),
                    Some(self.word_of(parts, begin, is_disputed)),
                )));
            }
        }
        self.at = from;
        Ok(None)
    }
}

impl CommandListItem {
    fn new(first: CommandPipeline, rest: Vec<(Join, CommandPipeline)>) -> Self {
        CommandListItem {
            first,
            rest,
            is_background: false,
        }
    }
}

impl CommandPipeline {
    fn of(kind: CommandKind, span: Range<usize>) -> Self {
        let redirects = Vec::new();
        CommandPipeline {
            is_negated: false,
            stages: vec![Command {
                kind,
                redirects,
                span,
            }],
        }
    }
}
