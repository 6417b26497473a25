//! From tree to text: writes the script in the form that was judged.
//!
//! Every word is written as the [form](PrintForm) says, which the evaluator has noted, followed by a blank, which is removed
//! after the last word.

mod form;
mod quotes;

use std::fmt::Write as _;
use std::sync::Arc;

pub(crate) use self::form::{Note, PrintForm, Splits, WordChange};
pub(crate) use self::quotes::{quoted, written};

use self::quotes::{escaped, is_bare};
use crate::parse::syntax::{
    ArithmeticToken, Command, CommandKind, CommandList, CommandListItem, CommandPipeline,
    Expansion, Join, Operation, REDIRECTIONS, Redirect, Redirection, Simple, TEXTS, Word, WordPart,
    is_plain_default, is_set,
};
use crate::table::is_one_of;

/// Passes on file names, except those of symbolic links.
pub(crate) const WITHOUT_LINKS: &str =
    "while IFS= read -r name; do { '[' -L \"${name}\" ']' || printf '%s\\n' \"${name}\"; }; done";

/// Words that have a special meaning in some shell in the place of a program's name.
const RESERVED: &str = "[[,]],!,-,always,builtin,case,coproc,do,done,elif,else,end,esac,fi,for,foreach,function,if,in,\
    nocorrect,noglob,repeat,return,select,then,time,typeset,until,while";

/// Returns a list as it was judged; nothing if it has no such form.
pub(crate) fn script(list: &CommandList, form: &PrintForm) -> Option<String> {
    printed(form, |printer| printer.list(list, "\n"))
}

/// Returns a command as it was judged.
pub(crate) fn command(command: &Command, form: &PrintForm) -> Option<String> {
    printed(form, |printer| printer.command(command))
}

fn printed<'t>(
    form: &'t PrintForm,
    print: impl FnOnce(&mut Printer<'t>) -> Option<()>,
) -> Option<String> {
    let mut printer = Printer {
        out: String::with_capacity(256),
        documents: Vec::new(),
        form,
    };
    print(&mut printer)?;
    printer.separate("");
    let trimmed = printer.out.trim_end().len();
    printer.out.truncate(trimmed);
    Some(printer.out)
}

/// How the parts of a word are written.
#[derive(Clone, Copy, PartialEq)]
enum Style {
    /// Each in quotes, so that the word stays one word.
    Quoted,
    /// Without quotes, so that the shell splits it.
    Split,
    /// As the text of a here-document.
    Document,
}

struct Printer<'t> {
    out: String,
    /// Here-documents that begin after the next line end, with their delimiters.
    documents: Vec<(String, String)>,
    form: &'t PrintForm,
}

impl<'t> Printer<'t> {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Removes the blank after the last word.
    fn trim(&mut self) {
        if self.out.ends_with(' ') {
            self.out.pop();
        }
    }

    fn note(&self, word: &Word) -> &'t Note {
        self.form.notes.get(word.id).unwrap_or(&Note::Unseen)
    }

    /// Writes what follows a command: the separator, if it needs one, or the here-documents that wait for the line end.
    fn separate(&mut self, separator: &str) {
        if self.documents.is_empty() {
            self.put(if self.out.ends_with('&') {
                " "
            } else {
                separator
            });
            return;
        }
        self.put("\n");
        for (text, delimiter) in std::mem::take(&mut self.documents) {
            self.out.extend([&text, &delimiter, "\n"]);
        }
    }

    /// Writes commands without a separator after the last one.
    fn list(&mut self, list: &CommandList, separator: &str) -> Option<()> {
        let begin = self.out.len();
        for item in list {
            let is_dead = matches!(item.first.stages.as_slice(), [Command { kind: CommandKind::Function(_, body), .. }]
                if !self.form.called.contains(&Arc::as_ptr(body)));
            if is_dead {
                continue;
            }
            if self.out.len() > begin {
                self.separate(separator);
            }
            self.item(item)?;
        }
        if self.out.len() == begin {
            self.put(":");
        }
        Some(())
    }

    /// Writes commands, and the word after them.
    fn block(&mut self, list: &CommandList, end: &str) -> Option<()> {
        self.list(list, "; ")?;
        self.separate("; ");
        self.put(end);
        Some(())
    }

    /// Writes commands in brackets. The opening bracket is already written.
    fn brackets(&mut self, list: &CommandList) -> Option<()> {
        let begin = self.out.len();
        self.list(list, "; ")?;
        self.separate("");
        if self.out[begin..].starts_with('(') {
            // Two adjacent brackets would begin an arithmetic expression.
            self.out.insert(begin, ' ');
        }
        self.put(")");
        Some(())
    }

    fn item(&mut self, item: &CommandListItem) -> Option<()> {
        self.pipeline(&item.first)?;
        for (join, pipeline) in &item.rest {
            self.put(if *join == Join::And { " && " } else { " || " });
            self.pipeline(pipeline)?;
        }
        self.put(if item.is_background { " &" } else { "" });
        Some(())
    }

    fn pipeline(&mut self, pipeline: &CommandPipeline) -> Option<()> {
        self.put(if pipeline.is_negated { "! " } else { "" });
        for (nth, stage) in pipeline.stages.iter().enumerate() {
            self.put(if nth > 0 { " | " } else { "" });
            self.command(stage)?;
        }
        Some(())
    }

    fn command(&mut self, command: &Command) -> Option<()> {
        match &command.kind {
            CommandKind::Simple(simple) => return self.simple(simple, &command.redirects),
            CommandKind::Group(list) => {
                self.put("{ ");
                self.block(list, "}")?;
            }
            CommandKind::Subshell(list) => {
                self.put("(");
                self.brackets(list)?;
            }
            CommandKind::If(branches, otherwise) => {
                for (nth, (condition, then)) in branches.iter().enumerate() {
                    self.put(if nth > 0 { "elif " } else { "if " });
                    self.block(condition, "then ")?;
                    self.block(then, "")?;
                }
                if let Some(otherwise) = otherwise {
                    self.put("else ");
                    self.block(otherwise, "")?;
                }
                self.put("fi");
            }
            CommandKind::While(is_until, condition, body) => {
                self.put(if *is_until { "until " } else { "while " });
                self.block(condition, "do ")?;
                self.block(body, "done")?;
            }
            CommandKind::For(name, words, body) => {
                write!(self.out, "for {name} ").ok()?;
                let mut is_run = true;
                if let Some(words) = words {
                    self.put("in ");
                    let begin = self.out.len();
                    self.words(words)?;
                    is_run = self.out.len() > begin;
                }
                self.trim();
                self.separate("; ");
                self.put("do ");
                if is_run {
                    self.block(body, "done")?;
                } else {
                    // The evaluator did not evaluate the body.
                    self.put(":; done");
                }
            }
            CommandKind::Case(subject, arms) => {
                self.put("case ");
                self.word(subject, false)?;
                self.put("in\n");
                for (patterns, body) in arms {
                    self.put("(");
                    for (nth, pattern) in patterns.iter().enumerate() {
                        self.put(if nth > 0 { "| " } else { "" });
                        self.word(pattern, false)?;
                    }
                    self.trim();
                    self.put(") ");
                    self.list(body, "; ")?;
                    self.separate("");
                    self.put(";;\n");
                }
                self.put("esac");
            }
            CommandKind::Test(words) => self.test(words)?,
            CommandKind::List(name, words) => {
                write!(self.out, "{name}=(").ok()?;
                self.words(words)?;
                self.trim();
                self.put(")");
            }
            CommandKind::Function(name, body) => {
                write!(self.out, "{name}() ").ok()?;
                self.command(body)?;
            }
        }
        if !command.redirects.is_empty() {
            self.put(" ");
            self.redirects(&command.redirects)?;
            self.trim();
        }
        Some(())
    }

    /// Writes `[[ … ]]`. Even plain words are quoted, because they might be operators.
    fn test(&mut self, words: &[Word]) -> Option<()> {
        self.put("[[ ");
        for (nth, word) in words.iter().enumerate() {
            let is_operator = nth + 2 == words.len();
            match (word.literal(), self.note(word)) {
                (Some(operator), _) if is_operator => write!(self.out, "{operator} ").ok()?,
                (_, Note::Text(text)) if !self.form.changes.contains_key(&word.id) => {
                    write!(self.out, "{} ", quoted(text)).ok()?;
                }
                _ => self.word(word, false)?,
            }
        }
        self.put("]]");
        Some(())
    }

    fn simple(&mut self, simple: &Simple, redirects: &[Redirect]) -> Option<()> {
        let first = simple.words.first();
        let change = first.and_then(|word| self.form.changes.get(&word.id));
        let is_fatal = change.is_some_and(|change| change.is_fatal);
        if let Some(change) = change.filter(|change| change.before.ends_with("| ")) {
            self.put(change.before);
        }
        self.put(if is_fatal { "{ " } else { "" });
        for (name, word) in &simple.assignments {
            // The text for `read` already contains it.
            if name == "IFS" && change.is_some_and(|change| change.instead.is_some()) {
                continue;
            }
            write!(self.out, "{name}=").ok()?;
            match self.note(word) {
                Note::Texts(texts) => self.text(texts.first()?),
                Note::Text(text) => self.text(text),
                Note::Keep | Note::Split => self.parts(&word.parts, Style::Quoted)?,
                Note::Unseen | Note::Never => return None,
            }
            self.put(" ");
        }
        self.words(&simple.words)?;
        self.redirects(redirects)?;
        self.trim();
        if change.is_some_and(|change| change.drops_links) {
            write!(self.out, " | {WITHOUT_LINKS}").ok()?;
        }
        if is_fatal {
            self.put(" || exit");
            self.separate("; ");
            self.put("}");
        }
        Some(())
    }

    fn text(&mut self, text: &str) {
        if is_bare(text) {
            self.put(text);
        } else {
            self.put(&quoted(text));
        }
    }

    /// Writes words. The first that is not empty might name a program.
    fn words(&mut self, words: &[Word]) -> Option<()> {
        let begin = self.out.len();
        words
            .iter()
            .try_for_each(|word| self.word(word, self.out.len() == begin))
    }

    /// Writes a word and a blank; nothing for an empty word.
    fn word(&mut self, word: &Word, is_name: bool) -> Option<()> {
        let note = self.note(word);
        let change = self.form.changes.get(&word.id);
        if let Some(change) = change.filter(|change| !change.before.ends_with("| ")) {
            self.put(change.before);
        }
        let begin = self.out.len();
        match (change.and_then(|change| change.instead.as_deref()), note) {
            (_, Note::Never) | (None, Note::Unseen) => return None,
            (Some(instead), _) => self.put(instead),
            (None, Note::Keep) => self.parts(&word.parts, Style::Quoted)?,
            (None, Note::Split) => self.parts(&word.parts, Style::Split)?,
            (None, Note::Text(_) | Note::Texts(_)) => {
                for (nth, text) in note.texts()?.iter().enumerate() {
                    self.put(if nth > 0 { " " } else { "" });
                    let is_reserved = || is_one_of(RESERVED, text) || text.contains('=');
                    if is_name && nth == 0 && is_reserved() {
                        self.put(&quoted(text));
                    } else {
                        self.text(text);
                    }
                }
            }
        }
        if self.out.len() > begin {
            self.put(change.map_or("", |change| change.after));
            self.put(" ");
        }
        Some(())
    }

    fn redirects(&mut self, redirects: &[Redirect]) -> Option<()> {
        for redirect in redirects {
            if let Some(descriptor) = redirect.descriptor {
                write!(self.out, "{descriptor}").ok()?;
            }
            if TEXTS.contains(&redirect.kind) {
                self.document(redirect)?;
                continue;
            }
            let (operator, _) = REDIRECTIONS
                .iter()
                .find(|(_, kind)| *kind == redirect.kind)?;
            let is_both = operator.starts_with('&');
            self.put(operator.trim_start_matches('&'));
            match self.note(&redirect.target) {
                Note::Text(text) => self.text(text),
                Note::Keep => {
                    self.put(" ");
                    self.parts(&redirect.target.parts, Style::Quoted)?;
                }
                _ => return None,
            }
            self.put(if is_both { " 2>&1 " } else { " " });
        }
        Some(())
    }

    /// Writes here-documents, and here-strings, which not every shell supports.
    fn document(&mut self, redirect: &Redirect) -> Option<()> {
        let (mut text, quote) = match self.note(&redirect.target) {
            Note::Text(text) => (text.to_string(), "'"),
            Note::Keep | Note::Split => {
                let begin = self.out.len();
                self.parts(&redirect.target.parts, Style::Document)?;
                (self.out.split_off(begin), "")
            }
            _ => return None,
        };
        if redirect.kind == Redirection::HereString {
            text.push('\n');
        }
        let mut delimiter = String::from("EOF");
        while text.lines().any(|line| line == delimiter) {
            delimiter.push('_');
        }
        write!(self.out, "<<{quote}{delimiter}{quote} ").ok()?;
        self.documents.push((text, delimiter));
        Some(())
    }

    fn parts(&mut self, parts: &[WordPart], style: Style) -> Option<()> {
        for part in parts {
            match part {
                WordPart::Text(text) if style == Style::Document => self.put(&escaped(text)),
                WordPart::Text(text) if text.is_empty() => self.put("''"),
                WordPart::Text(text) => self.text(text),
                WordPart::Glob(text) => self.put(text),
                WordPart::Expansion(expansion, _) => {
                    let quote = if style == Style::Quoted && !expansion.is_process() {
                        "\""
                    } else {
                        ""
                    };
                    self.put(quote);
                    self.expansion(expansion)?;
                    self.put(quote);
                }
                WordPart::Home | WordPart::Brace(_) | WordPart::Range(_) => return None,
            }
        }
        Some(())
    }

    fn expansion(&mut self, expansion: &Expansion) -> Option<()> {
        match expansion {
            // Shells count the items of a list differently.
            Expansion::Parameter(name, _)
                if !name.ends_with("[@]")
                    && let Some((list, _)) = name.split_once('[')
                    && self.form.lists.contains(list) =>
            {
                None
            }
            Expansion::Parameter(name, operation) => match operation {
                Operation::Value => write!(self.out, "${{{name}}}").ok(),
                Operation::Length => write!(self.out, "${{#{name}}}").ok(),
                Operation::Cut(operator, pattern) => {
                    write!(self.out, "${{{name}{operator}{pattern}}}").ok()
                }
                Operation::Edit(edit) => write!(self.out, "${{{name}{edit}}}").ok(),
                Operation::Default(operator, default) => {
                    let texts = self.note(default).texts()?;
                    let text = texts.first().map_or("", |text| text);
                    // No way of quoting inside it works in all shells.
                    let is_plain = is_plain_default(text) && !text.contains(['$', '`']);
                    is_plain.then(|| write!(self.out, "${{{name}{operator}{text}}}").ok())?
                }
            },
            Expansion::Arithmetic(tokens) => {
                self.put("$(( ");
                for token in tokens {
                    match token {
                        ArithmeticToken::Word(word) => self.put(word),
                        ArithmeticToken::Output(list) => self.substitution("$(", list)?,
                    }
                    self.put(" ");
                }
                self.put("))");
                Some(())
            }
            Expansion::Substitution(list) => self.substitution("$(", list),
            Expansion::Process(list, true) => self.substitution(">(", list),
            Expansion::Process(list, false) => self.substitution("<(", list),
        }
    }

    /// Writes commands with their own here-documents, which must not mix with those of the line.
    fn substitution(&mut self, open: &str, list: &CommandList) -> Option<()> {
        if !self.documents.is_empty() {
            return None;
        }
        self.put(open);
        let is_written = matches!(list.as_slice(), [first, _] if is_set(first));
        let splits = self.form.splits;
        let is_split = splits.at_blanks || splits.at_lines;
        if is_split && !is_written && self.form.globs.contains(&std::ptr::from_ref(list)) {
            self.put("set +f; ");
        }
        self.brackets(list)
    }
}
