//! From tree to text again: the script in the form in which it was judged.

use std::fmt::Write as _;
use std::sync::Arc;

use crate::evaluate::{Note, Trace};
use crate::syntax::{
    Command, Item, Join, Kind, List, Operation, Parameter, Part, Pipeline, Redirect, Redirection,
    Simple, Test, Token, Word,
};

/// Passes on names of files, but for those of symbolic links.
pub(crate) const WITHOUT_LINKS: &str =
    "while IFS= read -r name; do { [ -L \"${name}\" ] || printf '%s\\n' \"${name}\"; }; done";

/// Words that mean something to one shell or another where a program's name is expected.
const RESERVED: [&str; 30] = [
    "!",
    "[[",
    "]]",
    "case",
    "coproc",
    "do",
    "done",
    "elif",
    "else",
    "end",
    "esac",
    "fi",
    "for",
    "foreach",
    "function",
    "if",
    "in",
    "nocorrect",
    "noglob",
    "repeat",
    "return",
    "select",
    "then",
    "time",
    "typeset",
    "until",
    "while",
    "always",
    "builtin",
    "-",
];

/// Whether a text means itself to every shell.
fn is_bare(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_./:@%+,-=".contains(&byte);
    !text.is_empty() && text.bytes().all(is_plain) && !text.starts_with(['=', '%'])
}

/// A text in single quotes.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// A text, in quotes where it needs them.
pub(crate) fn written(text: &str) -> String {
    if is_bare(text) {
        text.to_owned()
    } else {
        quoted(text)
    }
}

/// A list as it was judged; nothing if it has no such form.
pub(crate) fn script(list: &List, trace: &Trace) -> Option<String> {
    let mut printer = Printer {
        out: String::with_capacity(256),
        documents: Vec::new(),
        trace,
    };
    printer.list(list, "\n")?;
    printer.end_line();
    let trimmed = printer.out.trim_end_matches('\n').len();
    printer.out.truncate(trimmed);
    Some(printer.out)
}

struct Printer<'t> {
    out: String,
    /// Here-documents that begin after the next end of a line.
    documents: Vec<(String, String)>,
    trace: &'t Trace,
}

impl<'t> Printer<'t> {
    /// Ends the line if here-documents wait for it.
    fn end_line(&mut self) {
        if self.documents.is_empty() {
            return;
        }
        self.out.push('\n');
        for (text, delimiter) in std::mem::take(&mut self.documents) {
            self.out.push_str(&text);
            self.out.push_str(&delimiter);
            self.out.push('\n');
        }
    }

    /// What stands between two commands.
    fn separate(&mut self, separator: &str) {
        if self.documents.is_empty() {
            self.out.push_str(separator);
        } else {
            self.end_line();
        }
    }

    fn list(&mut self, list: &List, separator: &str) -> Option<()> {
        let mut is_first = true;
        for item in list {
            let is_dead = matches!(item.first.stages.as_slice(), [Command { kind: Kind::Function { body, .. }, .. }]
                if !self.trace.called.contains(&Arc::as_ptr(body)));
            if is_dead {
                continue;
            }
            if !is_first && !self.out.ends_with(['\n', '&']) {
                self.separate(separator);
            } else if !is_first && self.out.ends_with('&') {
                self.out.push(' ');
            }
            is_first = false;
            self.item(item)?;
        }
        if is_first {
            self.out.push(':');
        }
        Some(())
    }

    /// A list within a compound command, and its end.
    fn inner(&mut self, list: &List, end: &str) -> Option<()> {
        self.list(list, "; ")?;
        if self.out.ends_with('&') {
            self.out.push(' ');
        } else {
            self.separate("; ");
        }
        self.out.push_str(end);
        Some(())
    }

    fn item(&mut self, item: &Item) -> Option<()> {
        self.pipeline(&item.first)?;
        for (join, pipeline) in &item.rest {
            self.out.push_str(match join {
                Join::And => " && ",
                Join::Or => " || ",
            });
            self.pipeline(pipeline)?;
        }
        if item.is_background {
            self.out.push_str(" &");
            self.end_line();
        }
        Some(())
    }

    fn pipeline(&mut self, pipeline: &Pipeline) -> Option<()> {
        if pipeline.is_negated {
            self.out.push_str("! ");
        }
        for (nth, stage) in pipeline.stages.iter().enumerate() {
            if nth > 0 {
                self.out.push_str(" | ");
            }
            self.command(stage)?;
        }
        Some(())
    }

    fn command(&mut self, command: &Command) -> Option<()> {
        match &command.kind {
            Kind::Simple(simple) => return self.simple(simple, &command.redirects),
            Kind::Group(list) => {
                self.out.push_str("{ ");
                self.inner(list, "}")?;
            }
            Kind::Subshell(list) => {
                self.out.push('(');
                let begin = self.out.len();
                self.list(list, "; ")?;
                self.keep_apart(begin);
                self.end_line();
                self.out.push(')');
            }
            Kind::If {
                branches,
                otherwise,
            } => {
                let mut word = "if ";
                for (condition, then) in branches {
                    self.out.push_str(word);
                    self.inner(condition, "then ")?;
                    word = "elif ";
                    self.list(then, "; ")?;
                    self.after_list();
                }
                if let Some(otherwise) = otherwise {
                    self.out.push_str("else ");
                    self.list(otherwise, "; ")?;
                    self.after_list();
                }
                self.out.push_str("fi");
            }
            Kind::While {
                is_until,
                condition,
                body,
            } => {
                self.out
                    .push_str(if *is_until { "until " } else { "while " });
                self.inner(condition, "do ")?;
                self.inner(body, "done")?;
            }
            Kind::For { name, words, body } => {
                write!(self.out, "for {name}").ok()?;
                if let Some(words) = words {
                    self.out.push_str(" in");
                    if words
                        .iter()
                        .all(|word| self.note(word).texts().is_some_and(<[_]>::is_empty))
                    {
                        // Its body was not looked at, as it is not run.
                        self.out.push_str("; do :; done");
                        return self.redirects(&command.redirects);
                    }
                    for word in words {
                        self.word(word)?;
                    }
                }
                self.separate("; ");
                self.out.push_str("do ");
                self.inner(body, "done")?;
            }
            Kind::Case { subject, arms } => {
                self.out.push_str("case");
                self.word(subject)?;
                self.out.push_str(" in\n");
                for (patterns, body) in arms {
                    self.out.push('(');
                    for (nth, pattern) in patterns.iter().enumerate() {
                        self.out.push_str(if nth > 0 { " |" } else { "" });
                        self.word(pattern)?;
                    }
                    self.out.push_str(") ");
                    self.list(body, "; ")?;
                    self.end_line();
                    if self.out.ends_with('&') {
                        self.out.push(' ');
                    }
                    self.out.push_str(";;\n");
                }
                self.out.push_str("esac");
            }
            Kind::Test(test) => {
                self.out.push_str("{ ");
                self.test(test)?;
                self.out.push_str("; }");
            }
            Kind::Function { name, body } => {
                write!(self.out, "{name}() ").ok()?;
                self.command(body)?;
            }
        }
        self.redirects(&command.redirects)
    }

    fn after_list(&mut self) {
        if self.out.ends_with('&') {
            self.out.push(' ');
        } else {
            self.separate("; ");
        }
    }

    /// The parts of `[[ … ]]` as commands of their own, so that no shell sees a `&&` or a bracket between them.
    fn test(&mut self, test: &Test) -> Option<()> {
        match test {
            Test::Not(test) => {
                self.out.push_str("! { ");
                self.test(test)?;
                self.out.push_str("; }");
            }
            Test::Both(left, join, right) => {
                self.out.push_str("{ ");
                self.test(left)?;
                self.out.push_str(if *join == Join::And {
                    "; } && { "
                } else {
                    "; } || { "
                });
                self.test(right)?;
                self.out.push_str("; }");
            }
            Test::Words(words) => {
                self.out.push_str("[[");
                for (nth, word) in words.iter().enumerate() {
                    let is_operator =
                        (nth == 0 && words.len() == 2) || (nth == 1 && words.len() == 3);
                    match word.literal().filter(|_| is_operator) {
                        Some(operator) => write!(self.out, " {operator}").ok()?,
                        None => self.quoted_word(word)?,
                    }
                }
                self.out.push_str(" ]]");
            }
        }
        Some(())
    }

    /// A word of `[[ … ]]`, where even a plain one is put in quotes: it might be an operator.
    fn quoted_word(&mut self, word: &Word) -> Option<()> {
        match self.note(word).texts() {
            Some(texts) if !self.trace.changes.contains_key(&word.id) => {
                for text in texts {
                    write!(self.out, " {}", quoted(text)).ok()?;
                }
                Some(())
            }
            _ => self.word(word),
        }
    }

    fn note(&self, word: &Word) -> &'t Note {
        self.trace.notes.get(word.id).unwrap_or(&Note::Unseen)
    }

    fn simple(&mut self, simple: &Simple, redirects: &[Redirect]) -> Option<()> {
        let change = simple
            .words
            .first()
            .and_then(|word| self.trace.changes.get(&word.id));
        let is_fatal = change.is_some_and(|change| change.is_fatal);
        if let Some(before) = change
            .map(|change| change.before)
            .filter(|before| before.ends_with("| "))
        {
            self.out.push_str(before);
        }
        if is_fatal {
            self.out.push_str("{ ");
        }
        let start = self.out.len();
        let is_xargs = change.is_some_and(|change| change.before.ends_with("| "));
        for (name, word) in &simple.assignments {
            let is_of_read = name == "IFS";
            if is_of_read && change.is_some_and(|change| change.instead.is_some()) {
                continue;
            }
            self.gap(start);
            write!(self.out, "{name}=").ok()?;
            match self.note(word) {
                Note::Text(text) => self.text(text),
                Note::Texts(texts) => self.text(texts.first()?),
                Note::Keep | Note::Split => self.parts(&word.parts, true)?,
                Note::Unseen | Note::Never => return None,
            }
        }
        let mut has_name = false;
        for word in &simple.words {
            if !has_name && let Some(texts) = self.note(word).texts() {
                let Some(name) = texts.first() else { continue };
                has_name = true;
                let is_odd = RESERVED.contains(&&**name) || name.contains('=');
                if is_odd && !self.trace.changes.contains_key(&word.id) {
                    self.gap(start);
                    self.out.push_str(&quoted(name));
                    for text in &texts[1..] {
                        write!(self.out, " {}", written(text)).ok()?;
                    }
                    continue;
                }
            }
            let _ = is_xargs;
            self.word_from(word, start)?;
        }
        for redirect in redirects {
            self.redirect(redirect, start)?;
        }
        if change.is_some_and(|change| change.drops_links) {
            self.out.push_str(" | ");
            self.out.push_str(WITHOUT_LINKS);
        }
        if is_fatal {
            self.out.push_str(" || exit");
            self.separate("; ");
            self.out.push('}');
        }
        Some(())
    }

    fn text(&mut self, text: &str) {
        if is_bare(text) {
            self.out.push_str(text);
        } else {
            self.out.push_str(&quoted(text));
        }
    }

    fn gap(&mut self, start: usize) {
        if self.out.len() > start {
            self.out.push(' ');
        }
    }

    fn redirects(&mut self, redirects: &[Redirect]) -> Option<()> {
        redirects
            .iter()
            .try_for_each(|redirect| self.redirect(redirect, 0))
    }

    fn redirect(&mut self, redirect: &Redirect, start: usize) -> Option<()> {
        self.gap(start);
        if let Some(descriptor) = redirect.descriptor {
            write!(self.out, "{descriptor}").ok()?;
        }
        let operator = match redirect.kind {
            Redirection::Read => "<",
            Redirection::Write | Redirection::Both => ">",
            Redirection::Append | Redirection::BothAppend => ">>",
            Redirection::Clobber => ">|",
            Redirection::ReadWrite => "<>",
            Redirection::CopyOut => ">&",
            Redirection::CopyIn => "<&",
            Redirection::Document | Redirection::HereString => return self.document(redirect),
        };
        self.out.push_str(operator);
        match self.note(&redirect.target) {
            Note::Text(text) => self.text(text),
            Note::Keep => {
                self.out.push(' ');
                self.parts(&redirect.target.parts, true)?;
            }
            _ => return None,
        }
        if matches!(redirect.kind, Redirection::Both | Redirection::BothAppend) {
            self.out.push_str(" 2>&1");
        }
        Some(())
    }

    /// Here-documents, and here-strings, which not every shell has.
    fn document(&mut self, redirect: &Redirect) -> Option<()> {
        let parts = match redirect.target.parts.as_slice() {
            [Part::Document(text)] => text.get()?.as_slice(),
            parts => parts,
        };
        let ending = if redirect.kind == Redirection::HereString {
            "\n"
        } else {
            ""
        };
        let (text, is_known) = match self.note(&redirect.target) {
            Note::Text(text) => (text.to_string(), true),
            Note::Keep | Note::Split => {
                let mut text = String::new();
                for part in parts {
                    match part {
                        Part::Text(plain, _) => text.push_str(&escaped(plain)),
                        part => {
                            let outer = std::mem::replace(&mut self.out, text);
                            self.expansion(part)?;
                            text = std::mem::replace(&mut self.out, outer);
                        }
                    }
                }
                (text, false)
            }
            _ => return None,
        };
        let mut delimiter = String::from("EOF");
        while text.lines().any(|line| line == delimiter) {
            delimiter.push('_');
        }
        if is_known {
            write!(self.out, "<<'{delimiter}'").ok()?;
        } else {
            write!(self.out, "<<{delimiter}").ok()?;
        }
        self.documents.push((text + ending, delimiter));
        Some(())
    }

    fn word(&mut self, word: &Word) -> Option<()> {
        self.word_from(word, 0)
    }

    fn word_from(&mut self, word: &Word, start: usize) -> Option<()> {
        let change = self.trace.changes.get(&word.id);
        let is_stage = |before: &str| before.ends_with("| ");
        if let Some(change) = change {
            if !change.before.is_empty() && !is_stage(change.before) {
                self.gap(start);
                self.out.push_str(change.before.trim_end());
            }
            if let Some(instead) = &change.instead {
                if *self.note(word) == Note::Never {
                    return None;
                }
                if !instead.is_empty() {
                    self.gap(start);
                    self.out.push_str(instead);
                }
                self.out.push_str(change.after);
                return Some(());
            }
        }
        match self.note(word) {
            Note::Unseen | Note::Never => return None,
            Note::Text(text) => {
                self.gap(start);
                self.text(text);
            }
            Note::Texts(texts) => {
                for text in texts {
                    self.gap(start);
                    self.text(text);
                }
            }
            Note::Keep => {
                self.gap(start);
                self.parts(&word.parts, true)?;
            }
            Note::Split => {
                self.gap(start);
                self.parts(&word.parts, false)?;
            }
        }
        if let Some(change) = change {
            self.out.push_str(change.after);
        }
        Some(())
    }

    fn parts(&mut self, parts: &[Part], quotes: bool) -> Option<()> {
        for part in parts {
            match part {
                Part::Text(text, _) if text.is_empty() => self.out.push_str("''"),
                Part::Text(text, _) => self.text(text),
                Part::Glob(text) => self.out.push_str(text),
                Part::Brace(brace) => self.out.push_str(&quoted(&brace.to_string())),
                Part::Home => return None,
                Part::Process(list, writes) => {
                    self.out.push_str(if *writes { ">(" } else { "<(" });
                    self.substitution(list)?;
                }
                part if quotes => {
                    self.out.push('"');
                    self.expansion(part)?;
                    self.out.push('"');
                }
                part => self.expansion(part)?,
            }
        }
        Some(())
    }

    /// Two brackets that stand together would begin arithmetic.
    fn keep_apart(&mut self, begin: usize) {
        if self.out[begin..].starts_with('(') {
            self.out.insert(begin, ' ');
        }
    }

    /// The rest of a substitution, whose bracket is open.
    fn substitution(&mut self, list: &List) -> Option<()> {
        // It has documents of its own.
        let outer = std::mem::take(&mut self.documents);
        if !outer.is_empty() {
            return None;
        }
        let begin = self.out.len();
        self.list(list, "; ")?;
        self.keep_apart(begin);
        self.end_line();
        self.out.push(')');
        self.documents = outer;
        Some(())
    }

    /// What begins with `$`, as it stands in double quotes.
    fn expansion(&mut self, part: &Part) -> Option<()> {
        match part {
            Part::Parameter(parameter, _) => self.parameter(parameter)?,
            Part::Substitution(list, _) => {
                self.out.push_str("$(");
                self.substitution(list)?;
            }
            Part::Arithmetic(tokens, _) => {
                self.out.push_str("$((");
                for token in tokens.iter() {
                    match token {
                        Token::Number(text) | Token::Variable(text) => {
                            write!(self.out, " {text}").ok()?;
                        }
                        Token::Operator(operator) => write!(self.out, " {operator}").ok()?,
                    }
                }
                self.out.push_str(" ))");
            }
            Part::Document(_)
            | Part::Text(..)
            | Part::Glob(_)
            | Part::Brace(_)
            | Part::Home
            | Part::Process(..) => return None,
        }
        Some(())
    }

    fn parameter(&mut self, parameter: &Parameter) -> Option<()> {
        let name = &parameter.name;
        match &parameter.operation {
            Operation::Value => write!(self.out, "${{{name}}}").ok(),
            Operation::Length => write!(self.out, "${{#{name}}}").ok(),
            Operation::Item(index) => write!(self.out, "${{{name}[{index}]}}").ok(),
            Operation::Cut(operator, pattern) => {
                write!(self.out, "${{{name}{operator}{pattern}}}").ok()
            }
            Operation::Default(operator, default) => {
                let texts = self.note(default).texts()?;
                let text = escaped(texts.first().map_or("", |text| text));
                write!(self.out, "${{{name}{operator}{text}}}").ok()
            }
        }
    }
}

/// A text as it stands in double quotes, or in a here-document.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(character, '$' | '`' | '\\') {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}
