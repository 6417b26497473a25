//! Expands words: combines parameters, substitutions and patterns.

use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

use super::effects::Access;
use super::{CommandArg, OutputStream, Result, ScriptEvaluator};
use crate::parse::syntax::{
    ArithmeticToken, CommandList, Expansion, Operation, Word, WordPart, is_identifier,
};
use crate::print::Note;
use crate::rejected::{RejectReason, Rejected};
use crate::table::addresses::is_address;
use crate::value::{Argument, GLOBS, Names};

/// What a word expands to, most often one value.
type Values = SmallVec<[Argument; 1]>;

const BLANKS: [char; 3] = [' ', '\t', '\n'];

/// One field of a word that is being built.
#[derive(Default)]
struct Piece {
    text: String,
    /// Its value, if it is not plain text: a pattern, names with an ending, or unknown.
    known: Option<Argument>,
    /// The text as a pattern of file names, with quoted characters escaped.
    pattern: String,
    /// Whether the field exists even if it is empty.
    is_there: bool,
}

impl Piece {
    fn push(&mut self, text: &str, is_glob: bool) {
        self.is_there = true;
        match self.known {
            None if is_glob => self.known = Some(Argument::Pattern("".into())),
            Some(Argument::Number) if !text.is_empty() => self.forget(),
            Some(Argument::Revisions { .. }) if !text.bytes().all(is_of_revision) => self.forget(),
            _ => {}
        }
        self.text.push_str(text);
        for character in text.chars() {
            let is_quoted = !is_glob && GLOBS.contains(&character);
            self.pattern.push_str(if is_quoted { "\\" } else { "" });
            self.pattern.push(character);
        }
    }

    fn forget(&mut self) {
        self.is_there = true;
        let begins = match self.known {
            None | Some(Argument::Pattern(_)) => self.text.as_str().into(),
            // What comes before a name is known as well, but for which name it is.
            Some(Argument::Number | Argument::Names(_) | Argument::Revisions { .. }) => "".into(),
            Some(_) => return,
        };
        self.known = Some(Argument::Unknown { begins });
    }

    /// Adds a value that is not text. It must be at the beginning, otherwise it is unknown.
    fn put(&mut self, value: Argument) {
        self.is_there = true;
        let is_prefix = matches!(value, Argument::Revisions { .. })
            && self.text.bytes().all(is_of_revision)
            && !self.text.contains("../")
            && !self.text.starts_with(['-', '/']);
        if self.known.is_none() && (self.text.is_empty() || is_prefix) {
            self.known = Some(value);
        } else {
            self.forget();
        }
    }

    fn names(&mut self, names: &Arc<Names>) {
        let mut names = names.clone();
        if self.text == "./" && names.folders().all(|folder| !folder.starts_with('/')) {
            self.text.clear();
            Arc::make_mut(&mut names).may_be_options = false;
        } else if names.is_base && self.known.is_none() && self.text.ends_with('/') {
            let folder = std::mem::take(&mut self.text);
            let within = Arc::make_mut(&mut names);
            (within.may_be_options, within.is_base) = (folder.starts_with('-'), false);
            within.folders = vec![folder];
        }
        self.put(Argument::Names(names));
    }

    fn several(&mut self) {
        self.is_there = true;
        self.known = Some(Argument::Several);
    }

    fn finish(self) -> Option<Argument> {
        let value = match self.known {
            None => Argument::Text(self.text.into()),
            // The `?` of an address matches no file.
            Some(Argument::Pattern(_)) if self.text.contains("://") && is_address(&self.text) => {
                Argument::Text(self.text.into())
            }
            Some(Argument::Pattern(_)) => Argument::Pattern(self.pattern.into()),
            Some(Argument::Names(names)) => with_ending(names, &self.text),
            Some(value) => value,
        };
        self.is_there.then_some(value)
    }
}

/// Whether a byte may come before or after the name of a revision within a longer one: `origin/main`, `HEAD~1`.
fn is_of_revision(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"/._~^-".contains(&byte)
}

/// Names with a text behind each.
fn with_ending(names: Arc<Names>, ending: &str) -> Argument {
    if ending.is_empty() {
        return Argument::Names(names);
    }
    if ending.contains('/') || !names.is_one || names.is_text {
        return Argument::unknown();
    }
    Argument::Names(Arc::new(Names {
        pattern: Some(format!("*{ending}")),
        may_be_links: true,
        ..(*names).clone()
    }))
}

/// A word that is being expanded to fields.
struct Expanding<'w> {
    word: &'w Word,
    /// Whether it may become several fields, or none.
    splits: bool,
    done: Values,
    piece: Piece,
    /// Whether shells read it differently.
    is_disputed: bool,
    /// How it is rewritten, if not as its texts.
    note: Option<Note>,
}

impl Expanding<'_> {
    /// Rewrites it without quotes, if the word has no other part.
    fn split(&mut self) {
        if self.note != Some(Note::Never) {
            let is_alone = self.word.parts.len() == 1;
            self.note = Some(if is_alone { Note::Split } else { Note::Never });
        }
    }

    /// Texts are rewritten as they are. Anything else that stays one word is rewritten as its parts.
    fn note(&mut self) -> Note {
        let texts: Option<Vec<_>> = self
            .done
            .iter()
            .map(|field| match &field {
                Argument::Text(text) => Some(text.clone()),
                _ => None,
            })
            .collect();
        match (self.note.take(), texts) {
            (Some(note), _) => note,
            (None, Some(texts)) => match <[_; 1]>::try_from(texts) {
                Ok([text]) => Note::Text(text),
                Err(texts) => Note::Texts(texts),
            },
            (None, None) if self.done.len() == 1 => Note::Keep,
            (None, None) => Note::Never,
        }
    }
}

impl ScriptEvaluator<'_> {
    /// Returns the arguments that words expand to.
    pub(crate) fn words(&mut self, words: &[Word]) -> Result<Vec<CommandArg>> {
        let mut args = Vec::with_capacity(words.len());
        for word in words {
            let (values, is_disputed) = self.fields(word, true)?;
            for value in values {
                // Expanding a pattern lists the files, whatever the command does with the names.
                if matches!(value, Argument::Pattern(_)) {
                    self.look_at(&word.span);
                    self.touch(&value, Access::List);
                    self.trace.form.splits.has_patterns = true;
                }
                args.push(CommandArg {
                    value,
                    is_disputed,
                    word: word.id,
                    span: word.span.clone(),
                });
            }
        }
        Ok(args)
    }

    /// Expands a word that stays one word, as after `=` and `>`.
    pub(crate) fn one(&mut self, word: &Word) -> Result<Argument> {
        let (mut values, _) = self.fields(word, false)?;
        Ok(match (values.pop(), values.is_empty()) {
            (Some(one), true) => one,
            (None, _) => Argument::text(""),
            _ => Argument::Several,
        })
    }

    /// Evaluates a pattern that is compared with a text. It does not name files.
    pub(crate) fn pattern(&mut self, word: &Word) -> Result<()> {
        let value = self.one(word)?;
        if word
            .parts
            .iter()
            .any(|part| matches!(part, WordPart::Glob(_)))
        {
            self.note(word.id, Note::Keep);
        }
        let may_be_pattern = |part: &WordPart| match part {
            WordPart::Expansion(expansion, false) => match &**expansion {
                Expansion::Arithmetic(_) => false,
                Expansion::Parameter(name, Operation::Value) => {
                    let value = self.variable(name);
                    !value.is_number() && value.known().is_none_or(|text| text.contains(GLOBS))
                }
                _ => true,
            },
            _ => false,
        };
        if !word.parts.iter().any(may_be_pattern) {
            return Ok(());
        }
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"*?_./-".contains(&byte);
        let is_plain = |text: &&str| text.bytes().all(is_plain) && !text.contains("**");
        match value.known().filter(is_plain) {
            Some(text) if word.parts.len() == 1 => self.change(word.id).instead = Some(text.into()),
            _ => {
                self.look_at(&word.span);
                self.note(word.id, Note::Never);
                self.dispute("shells disagree on whether a variable may hold a pattern: write the pattern out, or put the variable in double quotes");
            }
        }
        Ok(())
    }

    /// Returns what a word expands to, and whether shells read it differently.
    fn fields(&mut self, word: &Word, splits: bool) -> Result<(Values, bool)> {
        if let [WordPart::Text(text)] = word.parts.as_slice() {
            self.work.spend(8 + text.len() / 8, &word.span)?;
            self.note(word.id, Note::Text(text.clone()));
            self.dispute_word(word, word.is_disputed);
            return Ok((smallvec![Argument::Text(text.clone())], word.is_disputed));
        }
        self.work.spend(8 + 8 * word.parts.len(), &word.span)?;
        let mut to = Expanding {
            word,
            splits,
            done: Values::new(),
            is_disputed: word.is_disputed,
            piece: Piece {
                is_there: !splits,
                ..Piece::default()
            },
            note: None,
        };
        for part in &word.parts {
            self.part(part, &mut to)?;
        }
        to.done.extend(std::mem::take(&mut to.piece).finish());
        if self.lists_folders {
            let done = std::mem::take(&mut to.done).into_iter();
            to.done = done.flat_map(|value| self.folders(value, word)).collect();
        }
        let built = to.done.iter().filter_map(Argument::known);
        let built: usize = built.map(str::len).sum();
        let steps = 16 * to.done.len() + built / 2;
        self.work.spend(steps, &word.span)?;
        self.note(word.id, to.note());
        self.dispute_word(word, to.is_disputed);
        Ok((to.done, to.is_disputed))
    }

    /// Records that shells disagree on a word.
    fn dispute_word(&mut self, word: &Word, is_disputed: bool) {
        if is_disputed {
            self.look_at(&word.span);
            self.dispute(match word.parts.as_slice() {
                [WordPart::Expansion(expansion, _)] if expansion.is_process() => {
                    "some shells do not support `<(…)`: write a pipe, or a file"
                }
                _ => "shells read this word differently: write it in a plainer way",
            });
        }
    }

    /// Returns the folders that a pattern matches, if they are known, and otherwise the pattern.
    fn folders(&mut self, field: Argument, word: &Word) -> Vec<Argument> {
        if let (Argument::Pattern(pattern), Some(files)) = (&field, self.environment.files)
            && let [directory] = self.state.directories.as_slice()
            && let Some(folders) = (files.folders)(pattern, directory)
        {
            self.look_at(&word.span);
            self.touch(&field, Access::List);
            return folders.iter().map(Argument::text).collect();
        }
        vec![field]
    }

    fn part(&mut self, part: &WordPart, to: &mut Expanding<'_>) -> Result<()> {
        match part {
            WordPart::Text(text) => to.piece.push(text, false),
            WordPart::Glob(text) => to.piece.push(text, to.splits),
            WordPart::Home if self.environment.home.is_some() => {
                to.piece
                    .push(self.environment.home.as_deref().unwrap_or_default(), false);
            }
            WordPart::Home | WordPart::Brace(_) | WordPart::Range(_) => {
                to.piece.forget();
                to.note = Some(Note::Never);
            }
            WordPart::Expansion(expansion, is_quoted) => {
                let is_quoted = *is_quoted || !to.splits;
                return self.expansion(expansion, is_quoted, to);
            }
        }
        Ok(())
    }

    fn expansion(
        &mut self,
        expansion: &Expansion,
        is_quoted: bool,
        to: &mut Expanding<'_>,
    ) -> Result<()> {
        let field = match expansion {
            Expansion::Arithmetic(tokens) => {
                self.arithmetic(tokens, to.word)?;
                to.piece.put(Argument::Number);
                return Ok(());
            }
            Expansion::Process(list, _) => {
                let output = self.beside(|this| this.in_subshell(list))?;
                self.process = Some(output);
                to.piece.push("/dev/null", false);
                to.note = Some(Note::Keep);
                return Ok(());
            }
            Expansion::Substitution(list) => match self.substitution(list)? {
                OutputStream::Names(names) if names.ends_with_nul => Argument::Several,
                OutputStream::Text(text) => Argument::text(text.trim_end_matches('\n')),
                OutputStream::Revisions => {
                    // Next to other text, there is one field, and the word is written in quotes.
                    let is_one = is_quoted || to.word.parts.len() > 1;
                    if !is_one {
                        self.trace.form.splits.at_blanks = true;
                        to.split();
                    }
                    Argument::Revisions { is_one }
                }
                OutputStream::Number => {
                    if !is_quoted && to.word.parts.len() == 1 {
                        to.note = Some(Note::Split);
                    }
                    Argument::Number
                }
                OutputStream::Names(names) if !self.environment.is_as_written => {
                    Argument::names(Names {
                        is_text: !names.is_one,
                        is_one: true,
                        ..names
                    })
                }
                _ if !is_quoted => Argument::Several,
                _ => Argument::unknown(),
            },
            Expansion::Parameter(name, _) if matches!(name.as_str(), "@" | "*") => {
                let all = self.scope.positional.clone();
                return self.all(all, name == "@" && is_quoted, to);
            }
            Expansion::Parameter(name, Operation::Value) if name.ends_with("[@]") => {
                let list = self.scope.lists.get(name.trim_end_matches("[@]")).cloned();
                return self.all(list, is_quoted, to);
            }
            Expansion::Parameter(name, operation) => self.parameter(name, operation, to)?,
        };
        self.put(&field, is_quoted, to)
    }

    /// Expands `"$@"` and `"${list[@]}"` to all their elements. Any other form of them is unknown.
    fn all(
        &mut self,
        all: Option<Arc<Vec<Argument>>>,
        is_exact: bool,
        to: &mut Expanding<'_>,
    ) -> Result<()> {
        match all {
            Some(all) if is_exact && to.word.parts.len() == 1 => {
                self.work.spend(8 * all.len(), &to.word.span)?;
                to.done.extend(all.iter().cloned());
                if all.iter().any(|field| field.known().is_none()) {
                    to.note = Some(Note::Keep);
                }
            }
            _ => {
                to.note = Some(Note::Never);
                to.piece.several();
            }
        }
        Ok(())
    }

    /// Adds an expanded value.
    fn put(&mut self, field: &Argument, is_quoted: bool, to: &mut Expanding<'_>) -> Result<()> {
        to.piece.is_there |= is_quoted;
        match &field {
            Argument::Text(text) if is_quoted => to.piece.push(text, false),
            Argument::Text(text) if text.contains(GLOBS) => {
                to.piece.several();
                to.note = Some(Note::Never);
            }
            Argument::Text(text) => {
                self.work.spend(text.len(), &to.word.span)?;
                // Not every shell splits it.
                to.is_disputed |= text.contains(BLANKS);
                for (nth, piece) in text.split(BLANKS).enumerate() {
                    if nth > 0 {
                        to.done.extend(std::mem::take(&mut to.piece).finish());
                    }
                    if !piece.is_empty() {
                        to.piece.push(piece, false);
                    }
                }
            }
            // The value of an option, as `-j4`: which number makes no difference.
            Argument::Number if to.piece.known.is_none() && to.piece.text.starts_with('-') => {
                to.piece.push("1", false);
                to.note = Some(Note::Keep);
            }
            Argument::Number | Argument::Revisions { .. } => to.piece.put(field.clone()),
            Argument::Names(names) if names.is_text && !is_quoted => {
                self.trace.form.splits.at_lines = true;
                to.split();
                to.piece.names(&Arc::new(Names {
                    is_one: false,
                    is_text: false,
                    ..(**names).clone()
                }));
            }
            Argument::Names(names) => to.piece.names(names),
            _ if is_quoted => to.piece.forget(),
            _ => {
                to.piece.several();
                self.trace.form.splits.at_blanks = true;
                to.split();
            }
        }
        Ok(())
    }

    /// Returns the value of a parameter. A word with an unknown parameter is not rewritten.
    fn parameter(
        &mut self,
        name: &str,
        operation: &Operation,
        to: &mut Expanding<'_>,
    ) -> Result<Argument> {
        let item = name.trim_end_matches(']').split_once('[');
        let value = match item.filter(|(_, index)| !matches!(*index, "@" | "*")) {
            Some((list, index)) => self.item_of(list, index, to)?,
            None => self.variable(name),
        };
        let unknown = Argument::unknown();
        Ok(match (operation, value.known()) {
            (Operation::Value, _) => value,
            (Operation::Length, _) => Argument::Number,
            (Operation::Default(operator, default), known) => {
                let default = self.one(default)?;
                if default.known().is_none() {
                    to.note = Some(Note::Never);
                    return Ok(unknown);
                }
                match known {
                    Some("") if operator.starts_with(":-") => default,
                    None | Some("") => unknown,
                    Some(_) if operator.ends_with('+') => default,
                    Some(_) => value,
                }
            }
            (Operation::Cut(operator, pattern), Some(text)) if !pattern.contains(['*', '?']) => {
                let cut = if operator.starts_with('#') {
                    text.strip_prefix(pattern.as_str())
                } else {
                    text.strip_suffix(pattern.as_str())
                };
                Argument::text(cut.unwrap_or(text))
            }
            // It is another name in the same folder.
            (Operation::Cut("%", ending), None)
                if ending.starts_with('.') && !ending.contains(['*', '?', '/']) =>
            {
                match value {
                    Argument::Names(names) if names.is_one && !names.is_text => {
                        Argument::names(Names {
                            pattern: None,
                            may_be_links: true,
                            producer: None,
                            ..(*names).clone()
                        })
                    }
                    _ => unknown,
                }
            }
            (Operation::Cut(..) | Operation::Edit(_), _) => unknown,
        })
    }

    /// Returns an item of a list, by a number or the name of a variable that holds one.
    fn item_of(&self, list: &str, index: &str, to: &Expanding<'_>) -> Result<Argument> {
        let name = index.trim_start_matches('$');
        let index = if is_identifier(name) {
            self.variable(name)
        } else {
            Argument::text(index)
        };
        if !index.is_number() {
            return Err(Rejected::new(
                RejectReason::OddIndex,
                self.span(&to.word.span),
            ));
        }
        let nth = index.known().and_then(|text| text.parse::<usize>().ok());
        let item = self
            .scope
            .lists
            .get(list)
            .zip(nth)
            .and_then(|(list, nth)| list.get(nth));
        Ok(item.cloned().unwrap_or(Argument::unknown()))
    }

    fn variable(&self, name: &str) -> Argument {
        let unknown = Argument::unknown();
        if let Ok(nth) = name.parse::<usize>() {
            return match &self.scope.positional {
                Some(all) if nth > 0 => all.get(nth - 1).cloned().unwrap_or(Argument::text("")),
                _ => unknown,
            };
        }
        match (name, self.state.directories.as_slice()) {
            ("?" | "#" | "$" | "!", _) => return Argument::Number,
            ("PWD", [only]) => return Argument::text(only),
            ("PWD", _) => return unknown,
            ("RANDOM" | "SECONDS" | "LINENO" | "UID" | "EUID" | "EPOCHSECONDS", _)
                if !self.state.variables.contains_key(name) =>
            {
                return Argument::Number;
            }
            _ => {}
        }
        if let Some(value) = self.state.variables.get(name) {
            return value.clone();
        }
        match &self.environment.home {
            Some(home) if name == "HOME" => Argument::text(home),
            _ => self
                .environment
                .variables
                .get(name)
                .map_or(unknown, Argument::text),
        }
    }

    /// Variables in arithmetic must hold numbers, because the shell evaluates anything else again.
    fn arithmetic(&mut self, tokens: &[ArithmeticToken], word: &Word) -> Result<()> {
        for token in tokens {
            let (is_number, shown) = match token {
                ArithmeticToken::Word(name) if is_identifier(name) => {
                    (self.variable(name).is_number(), name.as_str())
                }
                ArithmeticToken::Word(_) => continue,
                ArithmeticToken::Output(list) => {
                    let output = self.substitution(list)?;
                    (matches!(output, OutputStream::Number), "$(…)")
                }
            };
            if !is_number {
                let reason =
                    format!("`$((…))` evaluates the value of `{shown}`: set it to a number first");
                return Err(Rejected::new(reason, self.span(&word.span)));
            }
        }
        self.work.spend(8 * tokens.len(), &word.span)
    }

    /// Expands the output of commands. If words are split around it, patterns may be expanded only in it.
    fn substitution(&mut self, list: &CommandList) -> Result<OutputStream> {
        let outer = std::mem::take(&mut self.trace.form.splits);
        let output = self.in_subshell(list)?;
        let inner = std::mem::replace(&mut self.trace.form.splits, outer);
        let all = &mut self.trace.form.splits;
        all.at_blanks |= inner.at_blanks;
        all.at_lines |= inner.at_lines;
        if inner.has_patterns && !inner.at_blanks && !inner.at_lines {
            self.trace.form.globs.insert(std::ptr::from_ref(list));
        } else {
            all.has_patterns |= inner.has_patterns;
        }
        Ok(output)
    }

    fn in_subshell(&mut self, list: &CommandList) -> Result<OutputStream> {
        self.apart(|this| this.tested(true, |this| this.list(list)))
    }
}
