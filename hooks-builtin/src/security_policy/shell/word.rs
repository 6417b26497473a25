//! What a word of a command stands for, as far as that can be told before it runs.

use brush_parser::ParserOptions;
use brush_parser::word::{
    self, BraceExpressionMember, BraceExpressionOrText, Parameter, ParameterExpr, SpecialParameter,
    TildeExpr, WordPiece, WordPieceWithSource,
};

use super::check_word;
use super::script::Script;

/// A word, or one of the words that it becomes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Value {
    pub(super) text: String,
    pub(super) known: Known,
}

/// How much is known of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Known {
    /// Every character.
    All,
    /// Every character, but in a shell that expands no braces, where it is as it was written.
    Braced,
    /// That it is a number.
    Number,
    /// That it is one of the names of files that a pattern matches.
    Match,
    /// That it is all the names of files that a pattern matches, each a word.
    Pattern,
    /// Nothing: it holds the output of a command, or a variable of the environment.
    Nothing,
    /// Nothing, and without quotes: it may become any number of words.
    Several,
}

impl Value {
    pub(super) fn literal(text: impl Into<String>) -> Self {
        Value {
            text: text.into(),
            known: Known::All,
        }
    }

    pub(super) fn number() -> Self {
        Value {
            text: "0".into(),
            known: Known::Number,
        }
    }

    fn unknown() -> Self {
        Value {
            text: String::new(),
            known: Known::Nothing,
        }
    }

    /// What is only known when the command runs, with quotes around it or without.
    pub(super) fn unknown_in(quoted: bool) -> Self {
        Value {
            text: String::new(),
            known: if quoted {
                Known::Nothing
            } else {
                Known::Several
            },
        }
    }

    /// Whether it is a number, if not which one.
    pub(super) fn is_number(&self) -> bool {
        let is_digits =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        self.known == Known::Number || self.written().is_some_and(is_digits)
    }

    /// The text, if every character of it is known where braces are expanded.
    pub(super) fn written(&self) -> Option<&str> {
        (self.known <= Known::Braced).then_some(&self.text)
    }

    /// What is said of a word that is meant as a text, and that a shell makes several of.
    pub(super) fn becomes_files(&self) -> String {
        format!(
            "`{}` becomes the names of files: put it in single quotes",
            self.text
        )
    }

    /// The text, if every character of it is known.
    pub(super) fn text(&self) -> Option<&str> {
        (self.known == Known::All).then_some(&self.text)
    }
}

/// How many bytes of text cost as much to look at as the name of a file.
const BYTES_OF_A_NAME: usize = 64;

/// What each word costs that another becomes beside the first, compared to the name of a file.
const COST_OF_ANOTHER: usize = 4;

/// The most words that one word may become.
const MOST: usize = 64;

/// Whether a text means itself, wherever it stands: the fast way for most words.
pub(super) fn is_plain(raw: &str) -> bool {
    raw.bytes().all(|byte| {
        byte.is_ascii_alphanumeric()
            || matches!(
                byte,
                b'_' | b'-' | b'.' | b'/' | b'=' | b':' | b',' | b'@' | b'%' | b'+'
            )
    })
}

/// What a word as it is written stands for: one value, or several where it is expanded to alternatives.
///
/// Substitutions in it are checked as the scripts that they are.
pub(super) fn values(
    script: &mut Script<'_>,
    raw: &str,
    depth: usize,
) -> Result<Vec<Value>, String> {
    let mut values = Vec::new();
    add_values(script, raw, depth, &mut values)?;
    Ok(values)
}

/// The same, added to others.
pub(super) fn add_values(
    script: &mut Script<'_>,
    raw: &str,
    depth: usize,
    values: &mut Vec<Value>,
) -> Result<(), String> {
    if is_plain(raw) {
        values.push(Value::literal(raw));
        return Ok(());
    }
    check_word(raw)?;
    let before = values.len();
    for word in braces(raw)? {
        // `--file=~/x`, where zsh and an assignment would have a home directory, is for the paths to see.
        let pieces = word::parse(&word, &ParserOptions::default())
            .map_err(|error| format!("the word `{raw}` cannot be parsed: {error}"))?;
        let is_braced = word != raw;
        values.extend(
            joined(script, &word, &pieces, false, depth)?
                .into_iter()
                .map(|value| Value {
                    known: if is_braced {
                        value.known.max(Known::Braced)
                    } else {
                        value.known
                    },
                    ..value
                }),
        );
        if values.len() - before > MOST {
            return Err(too_many(raw));
        }
    }
    let more = (values.len() - before).saturating_sub(1);
    script.spend(more * COST_OF_ANOTHER)
}

/// What a here-document stands for.
pub(super) fn document(script: &mut Script<'_>, raw: &str, depth: usize) -> Result<(), String> {
    check_word(raw)?;
    let pieces = word::parse_heredoc(raw, &ParserOptions::default())
        .map_err(|error| format!("a here-document cannot be parsed: {error}"))?;
    joined(script, raw, &pieces, true, depth).map(drop)
}

fn too_many(raw: &str) -> String {
    format!("the word `{raw}` stands for more than {MOST} words: write fewer")
}

/// The words that braces make of one: `a{b,c}` is `ab` and `ac`.
fn braces(raw: &str) -> Result<Vec<String>, String> {
    // Without a comma or dots there is nothing to choose from.
    if !raw.contains('{') || !(raw.contains(',') || raw.contains("..")) {
        return Ok(vec![raw.to_owned()]);
    }
    // The parser takes twice as long for each that is open.
    if open_braces(raw) > MOST_BRACES {
        return Err(format!(
            "the word `{raw}` has too many braces: write out what they stand for"
        ));
    }
    let parts = word::parse_brace_expansions(raw, &ParserOptions::default())
        .map_err(|error| format!("the braces of `{raw}` cannot be parsed: {error}"))?;
    match parts {
        None => Ok(vec![raw.to_owned()]),
        Some(parts) => expanded(&parts).ok_or_else(|| too_many(raw)),
    }
}

/// How many braces a word may have without quotes.
const MOST_BRACES: usize = 8;

/// How many braces a word opens without quotes.
fn open_braces(raw: &str) -> usize {
    let mut open = 0;
    let mut quote = None;
    let mut characters = raw.chars();
    while let Some(character) = characters.next() {
        match (character, quote) {
            ('\\', None | Some('"')) => drop(characters.next()),
            ('\'' | '"', None) => quote = Some(character),
            (_, Some(of)) if character == of => quote = None,
            ('{', None) => open += 1,
            _ => {}
        }
    }
    open
}

fn expanded(parts: &[BraceExpressionOrText]) -> Option<Vec<String>> {
    let mut words = vec![String::new()];
    for part in parts {
        let ends = match part {
            BraceExpressionOrText::Text(text) => vec![text.clone()],
            BraceExpressionOrText::Expr(members) => {
                let mut ends = Vec::new();
                for member in members {
                    match member {
                        BraceExpressionMember::Child(parts) => ends.extend(expanded(parts)?),
                        BraceExpressionMember::NumberSequence {
                            start,
                            end,
                            increment,
                        } => {
                            let step = usize::try_from(increment.unsigned_abs().max(1)).ok()?;
                            let (low, high) = (*start.min(end), *start.max(end));
                            if high.checked_sub(low)? / i64::try_from(step).ok()? > 64 {
                                return None;
                            }
                            ends.extend(
                                (low..=high).step_by(step).map(|number| number.to_string()),
                            );
                        }
                        // All between: which of them is left out does not matter.
                        BraceExpressionMember::CharSequence { start, end, .. } => {
                            let range = *start.min(end)..=*start.max(end);
                            ends.extend(range.take(MOST + 1).map(String::from));
                        }
                    }
                }
                ends
            }
        };
        if words.len() * ends.len() > MOST {
            return None;
        }
        words = words
            .iter()
            .flat_map(|word| ends.iter().map(move |end| format!("{word}{end}")))
            .collect();
    }
    Some(words)
}

/// The pieces of a word, one after the other.
fn joined(
    script: &mut Script<'_>,
    source: &str,
    pieces: &[WordPieceWithSource],
    quoted: bool,
    depth: usize,
) -> Result<Vec<Value>, String> {
    let mut all = vec![Value::literal("")];
    for piece in pieces {
        let ends = piece_values(script, source, piece, quoted, depth)?;
        if all.len() * ends.len() > MOST {
            return Err(too_many(source));
        }
        let is_whole = pieces.len() == 1;
        all = all
            .iter()
            .flat_map(|value| {
                ends.iter().map(move |end| {
                    let known = value.known.max(end.known);
                    let has_number = [value.known, end.known].contains(&Known::Number);
                    Value {
                        text: format!("{}{}", value.text, end.text),
                        // `link$((1))` may be any of `link0`, `link1`, ….
                        known: if has_number && !is_whole {
                            known.max(Known::Nothing)
                        } else {
                            known
                        },
                    }
                })
            })
            .collect();
        let written: usize = all.iter().map(|value| value.text.len()).sum();
        script.spend(written / BYTES_OF_A_NAME)?;
    }
    Ok(all)
}

fn piece_values(
    script: &mut Script<'_>,
    source: &str,
    piece: &WordPieceWithSource,
    quoted: bool,
    depth: usize,
) -> Result<Vec<Value>, String> {
    let one = |value| Ok(vec![value]);
    let written = source
        .get(piece.start_index..piece.end_index)
        .unwrap_or(source);
    match &piece.piece {
        WordPiece::Text(text) if quoted => one(Value::literal(text)),
        WordPiece::Text(text) => one(Value {
            text: text.clone(),
            known: match text {
                text if is_between(text, '(', "|", ')') || is_between(text, '{', ",.", '}') => {
                    Known::Nothing
                }
                text if text.contains(['*', '?']) || is_between(text, '[', "", ']') => {
                    Known::Pattern
                }
                _ => Known::All,
            },
        }),
        WordPiece::SingleQuotedText(text) => one(Value::literal(text)),
        WordPiece::AnsiCQuotedText(text) => one(ansi_c(text)?),
        WordPiece::DoubleQuotedSequence(pieces) => joined(script, source, pieces, true, depth),
        WordPiece::GettextDoubleQuotedSequence(pieces) => {
            joined(script, source, pieces, true, depth)?;
            one(Value::unknown())
        }
        WordPiece::TildeExpansion(TildeExpr::Home) => one(match std::env::home_dir() {
            Some(home) => Value::literal(home.to_string_lossy()),
            None => Value::unknown(),
        }),
        WordPiece::TildeExpansion(_) => one(Value::unknown()),
        WordPiece::EscapeSequence(text) => {
            one(Value::literal(text.strip_prefix('\\').unwrap_or(text)))
        }
        WordPiece::CommandSubstitution(command) => {
            script.run_apart(command, depth + 1)?;
            one(match document_of(command) {
                Some(text) if quoted => Value::literal(text),
                _ => Value::unknown_in(quoted),
            })
        }
        WordPiece::BackquotedCommandSubstitution(command) => {
            script.run_apart(&unescaped(command), depth + 1)?;
            one(Value::unknown_in(quoted))
        }
        WordPiece::ArithmeticExpression(expression) => {
            arithmetic(script, &expression.value)?;
            one(Value::number())
        }
        WordPiece::ParameterExpansion(expression) => parameter(script, written, expression, quoted),
    }
}

/// What `$(cat <<'EOF' … EOF)` stands for, which is how a text of several lines is written.
fn document_of(command: &str) -> Option<&str> {
    let rest = command
        .trim_start()
        .strip_prefix("cat <<")?
        .trim_start_matches(' ');
    let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let (delimiter, rest) = rest[1..].split_once(quote)?;
    let rest = rest.strip_prefix('\n')?;
    let is_word = delimiter
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let mut length = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end_matches('\n') == delimiter {
            let after = &rest[length + line.len()..];
            let is_all = is_word && !delimiter.is_empty() && after.trim().is_empty();
            return is_all.then(|| rest[..length].trim_end_matches('\n'));
        }
        length += line.len();
    }
    None
}

/// Whether a text has brackets, with one of the characters between them if there are any to choose from.
fn is_between(text: &str, open: char, one_of: &str, close: char) -> bool {
    let inner = text
        .split_once(open)
        .and_then(|(_, rest)| rest.rsplit_once(close));
    inner.is_some_and(|(inner, _)| {
        open == '(' || one_of.is_empty() || inner.contains(|c| one_of.contains(c))
    })
}

/// `$'…'`, which only bash knows: `sh` ends it at the first quote, also after a backslash.
fn ansi_c(text: &str) -> Result<Value, String> {
    if text.contains("\\'") || text.contains('\'') {
        return Err(
            "a quote within `$'…'` ends it for `sh`, and does not for bash: write it otherwise"
                .into(),
        );
    }
    // For `sh` it is a `$`, or a variable, and the text. One character, as for `sort -t`, does no harm either way.
    Ok(match text {
        "\\n" => Value::literal("\n"),
        "\\t" => Value::literal("\t"),
        _ => Value::unknown(),
    })
}

/// What stands between backquotes, where a backslash hides them, itself and `$`.
fn unescaped(command: &str) -> String {
    let mut plain = String::with_capacity(command.len());
    let mut characters = command.chars().peekable();
    while let Some(character) = characters.next() {
        if character == '\\' && matches!(characters.peek(), Some('`' | '\\' | '$')) {
            continue;
        }
        plain.push(character);
        if character == '\\' {
            plain.extend(characters.next());
        }
    }
    plain
}

/// `$name`, `${name}` and what can be done to it.
fn parameter(
    script: &mut Script<'_>,
    written: &str,
    expression: &ParameterExpr,
    quoted: bool,
) -> Result<Vec<Value>, String> {
    match expression {
        ParameterExpr::Parameter {
            parameter,
            indirect: false,
        } => match parameter {
            Parameter::Named(name) => Ok(vec![script.variable(name, quoted)]),
            Parameter::Special(
                SpecialParameter::LastExitStatus
                | SpecialParameter::PositionalParameterCount
                | SpecialParameter::ProcessId
                | SpecialParameter::LastBackgroundProcessId,
            ) => Ok(vec![Value::number()]),
            // Arithmetic, and so whatever it is that the index says.
            Parameter::NamedWithIndex { index, .. }
                if !index.bytes().all(|byte| byte.is_ascii_digit()) =>
            {
                Err(format!(
                    "the index of `{written}` may run a command: use variables without an index"
                ))
            }
            _ => Ok(vec![Value::unknown_in(quoted)]),
        },
        ParameterExpr::ParameterLength {
            indirect: false,
            parameter: Parameter::Named(_),
        } => Ok(vec![Value::number()]),
        // It runs what the variable holds, if that looks like a command substitution.
        ParameterExpr::Transform { .. } => Err(format!(
            "`{written}` may run what the variable holds: leave the `@` out"
        )),
        // A substitution in a default value, or in an index, would run.
        _ if written.contains(['`', '<', '>', '['])
            || written.contains("$(")
            || written.contains("$[") =>
        {
            Err(format!(
                "`{written}` may run a command: write the command by itself"
            ))
        }
        // A substring begins at what is computed, and `${!x}` is what another variable names.
        ParameterExpr::Substring { .. } => Err(format!(
            "`{written}` may run what a variable holds: use `cut`, or write it out"
        )),
        _ if written.contains("${!") => Err(format!(
            "which variable `{written}` is, is only known when it runs: name it"
        )),
        ParameterExpr::AssignDefaultValues { .. } => Err(format!(
            "`{written}` sets a variable in passing: set it before"
        )),
        _ => Ok(vec![Value::unknown_in(quoted)]),
    }
}

/// Arithmetic runs what its variables hold, if that looks like an index with a substitution: so they have to
/// hold numbers.
fn arithmetic(script: &mut Script<'_>, expression: &str) -> Result<(), String> {
    let wrong = || {
        format!(
            "what `$(({expression}))` computes cannot be told: use numbers, and variables that hold numbers"
        )
    };
    let is_operator = |character: char| " \t+-*/%<>=!&|^~?:,()$".contains(character);
    let changes = ["=", "++", "--"]
        .iter()
        .any(|change| expression.contains(change));
    let mut rest = expression;
    while let Some(character) = rest.chars().next() {
        if character.is_ascii_digit() {
            rest = rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '#');
        } else if character.is_ascii_alphabetic() || character == '_' {
            let end = rest
                .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                .unwrap_or(rest.len());
            let name = &rest[..end];
            if !script.variable(name, true).is_number() {
                return Err(wrong());
            }
            if changes {
                script.set(name, Value::number())?;
            }
            // `x=1`, `x++` and `x+=1` leave a number in it.
            rest = &rest[end..];
        } else if is_operator(character) {
            if rest.starts_with("$(") || rest.starts_with("$((") {
                return Err(wrong());
            }
            rest = &rest[character.len_utf8()..];
        } else {
            return Err(wrong());
        }
    }
    Ok(())
}
