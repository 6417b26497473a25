//! What words become: parameters, substitutions and patterns put together.

use std::sync::Arc;

use crate::bounds::Rejected;
use crate::effects::Access;
use crate::evaluate::{Arg, Evaluator, Note, Output, Result};
use crate::syntax::{List, Operation, Parameter, Part, Token, Word};
use crate::value::{Argument, Field, Names};

/// One word that is being put together.
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are independent of each other"
)]
#[derive(Default)]
struct Builder {
    text: String,
    /// The same as a pattern of file names, where what is quoted is escaped.
    pattern: String,
    has_pattern: bool,
    has_number: bool,
    names: Option<Arc<Names>>,
    /// How it begins, once something is not known.
    unknown: Option<String>,
    is_several: bool,
    is_disputed: bool,
    /// Whether there is a word even if it is empty.
    is_there: bool,
}

impl Builder {
    fn push(&mut self, text: &str, is_glob: bool) {
        self.is_there = true;
        self.text.push_str(text);
        if is_glob {
            self.has_pattern = true;
            self.pattern.push_str(text);
            return;
        }
        if !text.contains(['*', '?', '[', '\\']) {
            self.pattern.push_str(text);
            return;
        }
        for character in text.chars() {
            if matches!(character, '*' | '?' | '[' | '\\') {
                self.pattern.push('\\');
            }
            self.pattern.push(character);
        }
    }

    fn forget(&mut self) {
        self.is_there = true;
        if self.unknown.is_none() {
            // What comes before a name is known as well, but for which name it is.
            let known = if self.names.is_some() { "" } else { &self.text };
            self.unknown = Some(known.to_owned());
        }
    }

    fn finish(self) -> Option<Field> {
        if !self.is_there {
            return None;
        }
        let value = if self.is_several {
            Argument::Several
        } else if let Some(begins) = self.unknown {
            Argument::Unknown {
                begins: begins.into(),
            }
        } else if let Some(names) = self.names {
            with_ending(&names, &self.text)
        } else if self.has_pattern && !self.has_number {
            Argument::Pattern(self.pattern.into())
        } else if self.has_number && self.text.is_empty() {
            Argument::Number
        } else if self.has_number {
            Argument::Unknown {
                begins: self.text.into(),
            }
        } else {
            Argument::Text(self.text.into())
        };
        Some(Field {
            value,
            is_disputed: self.is_disputed,
        })
    }
}

/// Names with a text behind each.
fn with_ending(names: &Arc<Names>, ending: &str) -> Argument {
    if ending.is_empty() {
        return Argument::Names(names.clone());
    }
    if ending.contains('/') || !names.is_one {
        return Argument::unknown();
    }
    Argument::Names(Arc::new(Names {
        pattern: Some(format!("*{ending}")),
        may_be_links: true,
        ..(**names).clone()
    }))
}

impl Evaluator<'_> {
    /// The arguments that words become.
    pub(crate) fn words(&mut self, words: &[Word]) -> Result<Vec<Arg>> {
        let mut args = Vec::with_capacity(words.len());
        for word in words {
            // Most words are plain text.
            if let [Part::Text(text, _)] = word.parts.as_slice()
                && !word.is_disputed
            {
                let text: Arc<str> = text.as_str().into();
                self.work.spend(8 + text.len() / 8, &word.span)?;
                self.note(word.id, Note::Text(text.clone()));
                let field = Field::of(Argument::Text(text));
                args.push(Arg {
                    field,
                    word: word.id,
                    span: word.span.clone(),
                });
                continue;
            }
            for field in self.fields(word, true)? {
                // The names of files are seen, whatever is done with them.
                if matches!(field.value, Argument::Pattern(_)) {
                    self.look_at(&word.span);
                    self.touch(&field.value, Access::List);
                }
                if field.is_disputed {
                    self.look_at(&word.span);
                    self.dispute(
                        "what this word says is not agreed upon: write it in a plainer way",
                    );
                }
                let span = word.span.clone();
                args.push(Arg {
                    field,
                    word: word.id,
                    span,
                });
            }
        }
        Ok(args)
    }

    /// A word that stays one, as behind `=` and `>`.
    pub(crate) fn one(&mut self, word: &Word) -> Result<Field> {
        let mut fields = self.fields(word, false)?;
        Ok(match (fields.pop(), fields.is_empty()) {
            (Some(field), true) => field,
            (None, _) => Field::known(""),
            _ => Field::of(Argument::Several),
        })
    }

    /// A pattern that a text is compared with: it names no files.
    pub(crate) fn pattern(&mut self, word: &Word) -> Result<()> {
        self.fields(word, false)?;
        if word.parts.iter().any(|part| matches!(part, Part::Glob(_))) {
            self.note(word.id, Note::Keep);
        }
        Ok(())
    }

    fn fields(&mut self, word: &Word, splits: bool) -> Result<Vec<Field>> {
        self.work.spend(8 + 8 * word.parts.len(), &word.span)?;
        if let Some(text) = word.literal() {
            let is_empty = word.parts.is_empty();
            if is_empty && splits {
                self.note(word.id, Note::Texts(Vec::new()));
                return Ok(Vec::new());
            }
            let text: Arc<str> = text.into();
            self.note(word.id, Note::Text(text.clone()));
            return Ok(vec![Field {
                value: Argument::Text(text),
                is_disputed: word.is_disputed,
            }]);
        }
        let mut done = Vec::new();
        let mut builder = Builder {
            is_disputed: word.is_disputed,
            ..Builder::default()
        };
        let mut note = Note::Texts(Vec::new());
        self.parts(
            &word.parts,
            word,
            splits,
            &mut builder,
            &mut done,
            &mut note,
        )?;
        if !splits {
            builder.is_there = true;
        }
        done.extend(builder.finish());
        if note != Note::Split && note != Note::Never {
            let texts: Option<Vec<_>> = done
                .iter()
                .map(|field| match &field.value {
                    Argument::Text(text) => Some(text.clone()),
                    _ => None,
                })
                .collect();
            note = match texts {
                Some(mut texts) if note == Note::Texts(Vec::new()) => match texts.pop() {
                    Some(only) if texts.is_empty() => Note::Text(only),
                    last => {
                        texts.extend(last);
                        Note::Texts(texts)
                    }
                },
                _ if done.len() == 1 || !splits => Note::Keep,
                _ => Note::Never,
            };
        }
        let built: usize = done
            .iter()
            .map(|field| field.value.known().map_or(0, str::len))
            .sum();
        self.work.spend(16 * done.len() + built / 2, &word.span)?;
        self.trace.splits.has_patterns |= splits
            && done
                .iter()
                .any(|field| matches!(field.value, Argument::Pattern(_)));
        self.note(word.id, note);
        Ok(done)
    }

    fn parts(
        &mut self,
        parts: &[Part],
        word: &Word,
        splits: bool,
        builder: &mut Builder,
        done: &mut Vec<Field>,
        note: &mut Note,
    ) -> Result<()> {
        for part in parts {
            match part {
                Part::Text(text, _) => builder.push(text, false),
                Part::Glob(text) => builder.push(text, splits),
                Part::Brace(brace) => builder.push(brace.encode_utf8(&mut [0; 4]), false),
                Part::Home => {
                    if let Some(home) = &self.environment.home {
                        builder.push(home, false);
                    } else {
                        builder.forget();
                        *note = Note::Never;
                    }
                }
                Part::Document(text) => {
                    let text = text.get().map_or(&[][..], Vec::as_slice);
                    builder.is_there = true;
                    self.parts(text, word, splits, builder, done, note)?;
                }
                Part::Arithmetic(tokens, is_quoted) => {
                    self.arithmetic(tokens, word)?;
                    builder.has_number = true;
                    builder.is_there = true;
                    if builder.names.is_some() {
                        builder.forget();
                    }
                    let _ = is_quoted;
                }
                Part::Process(list, _) => {
                    let output = self.in_subshell(list)?;
                    self.process = Some(output);
                    builder.push("/dev/null", false);
                    *note = Note::Keep;
                }
                Part::Substitution(list, is_quoted) => {
                    let field = match self.in_subshell(list)? {
                        Output::Names(names) if names.ends_with_nul => Field::of(Argument::Several),
                        Output::Text(text) => Field::known(text.trim_end_matches('\n')),
                        Output::Number => {
                            if !is_quoted && splits && word.parts.len() == 1 {
                                *note = Note::Split;
                            }
                            Field::of(Argument::Number)
                        }
                        Output::Names(names)
                            if !is_quoted && splits && !self.environment.is_as_written =>
                        {
                            let is_alone = word.parts.len() == 1;
                            let names = Names {
                                is_one: false,
                                ..names
                            };
                            self.trace.splits.at_lines = true;
                            *note = if is_alone { Note::Split } else { Note::Never };
                            Field::of(Argument::Names(Arc::new(names)))
                        }
                        _ if !is_quoted && splits => Field::of(Argument::Several),
                        _ => Field::of(Argument::unknown()),
                    };
                    self.put(&field, *is_quoted || !splits, word, builder, done, note)?;
                }
                Part::Parameter(parameter, is_quoted) => {
                    let is_quoted = *is_quoted || !splits;
                    if matches!(parameter.name.as_str(), "@" | "*") {
                        self.all_positional(parameter, is_quoted, word, builder, done, note)?;
                        continue;
                    }
                    let field = self.parameter(parameter, word)?;
                    if field.is_none() {
                        *note = Note::Never;
                    }
                    let field = field.unwrap_or(Field::of(Argument::unknown()));
                    self.put(&field, is_quoted, word, builder, done, note)?;
                }
            }
        }
        Ok(())
    }

    fn all_positional(
        &mut self,
        parameter: &Parameter,
        is_quoted: bool,
        word: &Word,
        builder: &mut Builder,
        done: &mut Vec<Field>,
        note: &mut Note,
    ) -> Result<()> {
        let all = self.positional.clone();
        match all {
            Some(all) if parameter.name == "@" && is_quoted && word.parts.len() == 1 => {
                self.work.spend(8 * all.len(), &word.span)?;
                done.extend(all.iter().cloned());
                let is_known = all.iter().all(|field| field.value.known().is_some());
                *note = if is_known {
                    Note::Texts(Vec::new())
                } else {
                    Note::Keep
                };
                let _ = builder;
            }
            _ => {
                *note = Note::Never;
                builder.is_there = true;
                builder.is_several = true;
            }
        }
        Ok(())
    }

    /// Puts a value where a parameter stood.
    fn put(
        &mut self,
        field: &Field,
        is_quoted: bool,
        word: &Word,
        builder: &mut Builder,
        done: &mut Vec<Field>,
        note: &mut Note,
    ) -> Result<()> {
        builder.is_disputed |= field.is_disputed;
        builder.is_there |= is_quoted;
        match &field.value {
            Argument::Text(text) if is_quoted => builder.push(text, false),
            Argument::Text(text) if text.contains(['*', '?', '[', '\\']) => {
                builder.is_there = true;
                builder.is_several = true;
                *note = Note::Never;
            }
            Argument::Text(text) if text.contains([' ', '\t', '\n']) => {
                // Not every shell splits it.
                builder.is_disputed = true;
                let blanks = [' ', '\t', '\n'];
                self.work.spend(text.len(), &word.span)?;
                for (nth, piece) in text.split(blanks).enumerate() {
                    if nth > 0 {
                        let next = Builder {
                            is_disputed: true,
                            ..Builder::default()
                        };
                        done.extend(std::mem::replace(builder, next).finish());
                    }
                    if !piece.is_empty() {
                        builder.push(piece, false);
                    }
                }
            }
            Argument::Text(text) => {
                if !text.is_empty() {
                    builder.push(text, false);
                }
            }
            Argument::Number => {
                builder.is_there = true;
                builder.has_number = true;
            }
            Argument::Names(names) => {
                let is_free = !builder.has_pattern
                    && !builder.has_number
                    && builder.names.is_none()
                    && builder.unknown.is_none();
                if is_free && builder.text.is_empty() {
                    builder.names = Some(names.clone());
                    builder.is_there = true;
                } else if is_free
                    && builder.text == "./"
                    && names.folders().all(|folder| !folder.starts_with('/'))
                {
                    builder.text.clear();
                    builder.pattern.clear();
                    builder.names = Some(Arc::new(Names {
                        may_be_options: false,
                        ..(**names).clone()
                    }));
                } else {
                    builder.forget();
                }
            }
            _ if is_quoted => builder.forget(),
            _ => {
                builder.is_there = true;
                builder.is_several = true;
                self.trace.splits.at_blanks = true;
                if *note != Note::Never {
                    *note = if word.parts.len() == 1 {
                        Note::Split
                    } else {
                        Note::Never
                    };
                }
            }
        }
        Ok(())
    }

    /// What a parameter holds; nothing if it cannot be written again as it was judged.
    fn parameter(&mut self, parameter: &Parameter, word: &Word) -> Result<Option<Field>> {
        let name = parameter.name.as_str();
        let value = self.variable(name);
        Ok(Some(match &parameter.operation {
            Operation::Value => value,
            Operation::Length => Field::of(Argument::Number),
            Operation::Item(_) => Field::of(Argument::unknown()),
            Operation::Default(operator, default) => {
                let default = self.one(default)?;
                let is_known = default.value.known().is_some();
                let field = match value.value.known() {
                    Some(text) if !text.is_empty() => match operator.trim_start_matches(':') {
                        "+" => default,
                        _ => value,
                    },
                    Some(_) if operator.starts_with(":-") => default,
                    _ => Field::of(Argument::unknown()),
                };
                return Ok(is_known.then_some(field));
            }
            Operation::Cut(operator, pattern) => match value.value.known() {
                Some(text) if !pattern.contains(['*', '?']) => {
                    let cut = if operator.starts_with('#') {
                        text.strip_prefix(pattern.as_str())
                    } else {
                        text.strip_suffix(pattern.as_str())
                    };
                    Field::known(cut.unwrap_or(text))
                }
                _ => {
                    self.work.spend(1, &word.span)?;
                    Field::of(Argument::unknown())
                }
            },
        }))
    }

    fn variable(&self, name: &str) -> Field {
        let unknown = Field::of(Argument::unknown());
        if let Ok(nth) = name.parse::<usize>() {
            return match &self.positional {
                Some(all) if nth > 0 => all.get(nth - 1).cloned().unwrap_or(Field::known("")),
                _ => unknown,
            };
        }
        match name {
            "?" | "#" | "$" | "!" => return Field::of(Argument::Number),
            "PWD" => {
                if let [only] = self.state.directories.as_slice() {
                    return Field::known(only);
                }
                return unknown;
            }
            _ => {}
        }
        if let Some(value) = self.state.variables.get(name) {
            return value.clone();
        }
        match (name, &self.environment.home) {
            ("HOME", Some(home)) => Field::known(home),
            _ => self
                .environment
                .variables
                .get(name)
                .map_or(unknown, Field::known),
        }
    }

    /// Only numbers may stand in variables here: anything else is evaluated again by the shell.
    fn arithmetic(&mut self, tokens: &[Token], word: &Word) -> Result<()> {
        for token in tokens {
            let Token::Variable(name) = token else {
                continue;
            };
            let is_number = match self.variable(name).value {
                Argument::Number => true,
                Argument::Text(text) => text
                    .trim_start_matches('-')
                    .bytes()
                    .all(|byte| byte.is_ascii_digit()),
                _ => false,
            };
            if !is_number {
                return Err(Rejected::new(
                    format!(
                        "what `{name}` holds is evaluated in `$((…))`: set it to a number before"
                    ),
                    self.span(&word.span),
                ));
            }
        }
        self.work.spend(8 * tokens.len(), &word.span)
    }

    fn in_subshell(&mut self, list: &List) -> Result<Output> {
        self.apart(|this| this.tested(true, |this| this.list(list)))
    }
}
