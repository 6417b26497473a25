//! Texts and values with expressions in them.

#[cfg(feature = "json")]
use serde_json::{Map, Value as Json};

use crate::cel::{Cel, Known, Literal, Mistake, MistakeKind};
#[cfg(feature = "json")]
use crate::cel::{Failed, Value, Variables};

/// A text with expressions in it: `"no {args.command} here"`. `{{` is a literal brace.
#[derive(Clone, Debug)]
pub struct Template(Vec<Piece>);

/// A piece of a text.
#[derive(Clone, Debug)]
pub enum Piece {
    /// What is written.
    Text(String),
    /// An expression, whose value takes its place.
    Expression(Cel),
}

impl Template {
    /// Compiles a text.
    ///
    /// # Errors
    ///
    /// The first mistake in it, with its place in the text.
    pub fn compile(text: &str, known: &Known<'_>) -> Result<Self, Mistake> {
        let mut pieces = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            plain.push_str(&rest[..at]);
            let brace = &rest[at..=at];
            let after = &rest[at + 1..];
            if after.starts_with(brace) {
                plain.push_str(brace);
                rest = &after[1..];
                continue;
            }
            if brace == "}" {
                plain.push('}');
                rest = after;
                continue;
            }
            let start = text.len() - after.len();
            let end = end_of_expression(after).ok_or_else(|| {
                let why = "a `{` has no `}`: write `{{` for a literal brace";
                Mistake::new(MistakeKind::Syntax, start - 1..text.len(), why)
            })?;
            if !plain.is_empty() {
                pieces.push(Piece::Text(std::mem::take(&mut plain)));
            }
            let cel = Cel::compile(&after[..end], known).map_err(|mistake| mistake.after(start))?;
            pieces.push(Piece::Expression(cel));
            rest = &after[end + 1..];
        }
        plain.push_str(rest);
        if !plain.is_empty() || pieces.is_empty() {
            pieces.push(Piece::Text(plain));
        }
        Ok(Template(pieces))
    }

    /// Compiles a single expression, without braces around it.
    ///
    /// # Errors
    ///
    /// The first mistake in it.
    pub fn expression(text: &str, known: &Known<'_>) -> Result<Self, Mistake> {
        Cel::compile(text, known).map(|cel| Template(vec![Piece::Expression(cel)]))
    }

    /// Returns the text, if it contains no expression.
    #[must_use]
    pub fn as_plain(&self) -> Option<&str> {
        match self.0.as_slice() {
            [Piece::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// Returns its pieces.
    #[must_use]
    pub fn pieces(&self) -> &[Piece] {
        &self.0
    }

    #[cfg(feature = "json")]
    /// Returns the text for an event.
    ///
    /// # Errors
    ///
    /// If an expression has no value.
    pub fn fill(&self, variables: &dyn Variables) -> Result<String, Failed> {
        let mut filled = String::new();
        for piece in &self.0 {
            match piece {
                Piece::Text(text) => filled.push_str(text),
                Piece::Expression(cel) => match cel.evaluate(variables)? {
                    Json::String(text) => filled.push_str(&text),
                    other => filled.push_str(&other.to_string()),
                },
            }
        }
        Ok(filled)
    }
}

/// Returns the end of the expression that begins here: the closing brace, outside of inner strings and braces.
fn end_of_expression(text: &str) -> Option<usize> {
    let (mut open, mut quote, mut is_escaped) = (0_usize, None, false);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            _ if is_escaped => is_escaped = false,
            (Some(_), '\\') => is_escaped = true,
            (Some(quoted), c) if quoted == c => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '{') => open += 1,
            (None, '}') if open == 0 => return Some(at),
            (None, '}') => open -= 1,
            _ => {}
        }
    }
    None
}

/// A value with expressions in its texts.
///
/// ```
/// use hooks_rules::cel::Known;
/// use hooks_rules::template::{Data, Pattern};
/// use serde_json::json;
///
/// let known = Known::default();
/// assert!(Pattern::compile(&Data::from(&json!({ "content": "1 and {1 + 1}" })), &known).is_ok());
/// let mistake = Pattern::compile(&Data::from(&json!(["1 and {1 + }"])), &known).unwrap_err();
/// assert!(mistake.message.contains("something is missing after `+`"));
/// ```
#[derive(Clone, Debug)]
pub enum Pattern {
    /// A text. A single expression yields a value of its own type.
    Text(Template),
    /// A list.
    List(Vec<Pattern>),
    /// An object.
    Table(Vec<(String, Pattern)>),
    /// A value that is what it is.
    Other(Literal),
}

/// A value as a file has it.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// A text, perhaps with expressions in it.
    Text(String),
    /// A list.
    List(Vec<Data>),
    /// A table.
    Table(Vec<(String, Data)>),
    /// Any other value.
    Other(Literal),
}

#[cfg(feature = "json")]
impl From<&Json> for Data {
    fn from(json: &Json) -> Self {
        let all = |values: &Vec<Json>| values.iter().map(Data::from).collect();
        match json {
            Json::String(text) => Data::Text(text.clone()),
            Json::Array(values) => Data::List(all(values)),
            Json::Object(fields) => {
                let fields = fields.iter();
                Data::Table(
                    fields
                        .map(|(key, value)| (key.clone(), value.into()))
                        .collect(),
                )
            }
            Json::Null => Data::Other(Literal::Null),
            Json::Bool(value) => Data::Other(Literal::Bool(*value)),
            Json::Number(number) => Data::Other(match (number.as_i64(), number.as_u64()) {
                (Some(number), _) => Literal::Int(number),
                (None, Some(number)) => Literal::Uint(number),
                _ => Literal::Double(number.as_f64().unwrap_or_default()),
            }),
        }
    }
}

impl Pattern {
    /// Compiles a value.
    ///
    /// # Errors
    ///
    /// The first mistake in it, with its place in its text.
    pub fn compile(value: &Data, known: &Known<'_>) -> Result<Self, Mistake> {
        Ok(match value {
            Data::Text(text) => Pattern::Text(Template::compile(text, known)?),
            Data::List(values) => {
                let values = values.iter().map(|value| Pattern::compile(value, known));
                Pattern::List(values.collect::<Result<_, _>>()?)
            }
            Data::Table(fields) => {
                let fields = fields.iter();
                let fields =
                    fields.map(|(key, value)| Ok((key.clone(), Pattern::compile(value, known)?)));
                Pattern::Table(fields.collect::<Result<_, _>>()?)
            }
            Data::Other(literal) => Pattern::Other(literal.clone()),
        })
    }

    #[cfg(feature = "json")]
    /// Returns the value for an event.
    ///
    /// # Errors
    ///
    /// If an expression has no value.
    pub fn fill(&self, variables: &dyn Variables) -> Result<Json, Failed> {
        Ok(match self {
            Pattern::Text(Template(pieces)) if let [Piece::Expression(cel)] = &pieces[..] => {
                cel.evaluate(variables)?
            }
            Pattern::Text(template) => Json::String(template.fill(variables)?),
            Pattern::List(values) => {
                let values = values.iter().map(|value| value.fill(variables));
                Json::Array(values.collect::<Result<_, _>>()?)
            }
            Pattern::Table(fields) => {
                let fields = fields
                    .iter()
                    .map(|(key, value)| Ok((key.clone(), value.fill(variables)?)));
                Json::Object(fields.collect::<Result<Map<_, _>, Failed>>()?)
            }
            Pattern::Other(literal) => Value::from(literal).to_json().unwrap_or_default(),
        })
    }
}
