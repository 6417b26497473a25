//! Checks an expression before an event comes: its names, its functions, the types that are known, and what it may cost.

use std::ops::Range;
use std::sync::OnceLock;

use super::expression::{Known, Mistake, MistakeKind};
use super::fault::Fault;
use super::functions::{CallForm, FUNCTIONS, Function};
use super::literal::{Literal, Type};
use super::parse::{Expr, Kind, Loop};
use crate::pattern;

/// How many times longer than a value a text made from it may be.
const MOST_GROWTH: usize = 64;

/// What is known about a part.
struct Facts {
    kind: Type,
    /// How deep loops are nested.
    loops: usize,
    /// How many times longer than a value of the event the texts may be that it makes.
    growth: usize,
}

type TypeResult<T = Type> = Result<T, Mistake>;

struct Checker<'k> {
    known: &'k Known<'k>,
    /// The names of the loops around a part.
    locals: Vec<String>,
    reads: ExpressionReads,
}

/// What an expression reads.
#[derive(Debug, Default)]
pub(super) struct ExpressionReads {
    /// The variables.
    pub(super) variables: Vec<String>,
    /// The keys of `args`.
    pub(super) args: Vec<String>,
    /// Those of them for which it asks whether they exist.
    pub(super) asked: Vec<String>,
    /// Comparisons whose sides can never be equal.
    pub(super) never: Vec<Mistake>,
}

/// Checks an expression, and completes it: paths have their keys, and functions are found. Returns its type.
pub(super) fn check(expr: &mut Expr, known: &Known<'_>) -> TypeResult<(Type, ExpressionReads)> {
    let mut checker = Checker {
        known,
        locals: Vec::new(),
        reads: ExpressionReads::default(),
    };
    let facts = checker.facts(expr)?;
    Ok((facts.kind, checker.reads))
}

impl Checker<'_> {
    fn facts(&mut self, expr: &mut Expr) -> TypeResult<Facts> {
        let mut facts = Facts {
            kind: Type::Any,
            loops: 0,
            growth: 1,
        };
        facts.kind = match &mut expr.kind {
            Kind::Loop(each) => self.each(each, &expr.at, &mut facts)?,
            Kind::Path(name, _) => {
                let name = name.clone();
                self.name(expr, name)?
            }
            _ => {
                let mut kinds = Vec::new();
                for part in expr.parts() {
                    let part = self.facts(part)?;
                    kinds.push(part.kind);
                    facts.loops = facts.loops.max(part.loops);
                    facts.growth = facts.growth.max(part.growth);
                }
                facts.growth = facts.growth.saturating_mul(growth(expr)?);
                self.kind(expr, &kinds)?
            }
        };
        let too_large =
            |why: String| Err(Mistake::new(MistakeKind::TooLarge, expr.at.clone(), why));
        if facts.loops > 1 {
            let why = "a loop (`all`, `exists`, `map`, `filter`) in a loop may take too long";
            return too_large(why.into());
        }
        if facts.growth > MOST_GROWTH {
            return too_large(format!(
                "`replace` and `join` may make text more than {MOST_GROWTH} times longer: give them shorter text"
            ));
        }
        Ok(facts)
    }

    fn each(&mut self, each: &mut Loop, at: &Range<usize>, facts: &mut Facts) -> TypeResult {
        let range = self.facts(&mut each.range)?;
        if ![Type::List, Type::Map]
            .iter()
            .any(|kind| kind.may_be(range.kind))
        {
            return Err(of_type(at, Fault::types("a loop", &[range.kind])));
        }
        self.locals.push(each.name.clone());
        let only = each.only.as_mut().map(|only| self.facts(only)).transpose();
        let body = self.facts(&mut each.body);
        self.locals.pop();
        let (only, body) = (only?, body?);
        let condition = match (&only, each.does) {
            (Some(only), _) => only.kind,
            (None, "map") => Type::Bool,
            _ => body.kind,
        };
        if !condition.may_be(Type::Bool) {
            return Err(of_type(at, Fault::NotBool(condition)));
        }
        for part in only.iter().chain([&body]) {
            facts.loops = facts.loops.max(part.loops + 1);
            facts.growth = facts.growth.max(part.growth);
        }
        facts.loops = facts.loops.max(range.loops);
        // What is made of a value of a list, which may be made itself.
        facts.growth = facts.growth.saturating_mul(range.growth);
        Ok(match each.does {
            "map" | "filter" => Type::List,
            _ => Type::Bool,
        })
    }

    /// Finds out what a name means.
    fn name(&mut self, expr: &mut Expr, name: String) -> TypeResult {
        if self.locals.contains(&name) {
            expr.kind = Kind::Local;
            return Ok(Type::Any);
        }
        let mut variables = self.known.variables.iter();
        if let Some((_, kind)) = variables.find(|(known, _)| *known == name) {
            self.reads.variables.push(name);
            return Ok(*kind);
        }
        if let Some(kind) = Type::named(&name) {
            expr.kind = Kind::Literal(Literal::Type(kind));
            return Ok(Type::Type);
        }
        let known: Vec<_> = self
            .known
            .variables
            .iter()
            .map(|(known, _)| *known)
            .collect();
        let why = format!("`{name}` is not known here: {}", known_names(&name, &known));
        Err(Mistake::new(MistakeKind::Name, expr.at.clone(), why))
    }

    /// Returns the type of a part whose own parts have these types.
    fn kind(&mut self, expr: &mut Expr, kinds: &[Type]) -> TypeResult {
        let at = expr.at.clone();
        let wrong = |fault| of_type(&at, fault);
        Ok(match &mut expr.kind {
            Kind::Literal(value) => value.kind(),
            Kind::Has(of, key) => {
                self.field(of, key, &at)?;
                if let Kind::Path(variable, keys) = &of.kind
                    && variable == "args"
                {
                    self.reads.asked.push(keys.first().unwrap_or(key).clone());
                }
                Type::Bool
            }
            Kind::Field(of, key) => {
                if !kinds[0].may_be(Type::Map) {
                    return Err(wrong(Fault::types("a field", kinds)));
                }
                let kind = self.field(of, key, &at)?;
                if let Kind::Path(variable, keys) = &mut of.kind {
                    if variable == "args" && keys.is_empty() {
                        self.reads.args.push(key.clone());
                    }
                    let mut keys = std::mem::take(keys);
                    keys.push(std::mem::take(key));
                    expr.kind = Kind::Path(std::mem::take(variable), keys);
                }
                kind
            }
            Kind::Index(both) => {
                let [of, key] = &**both;
                if ![Type::List, Type::Map]
                    .iter()
                    .any(|kind| kind.may_be(kinds[0]))
                {
                    return Err(wrong(Fault::types("[…]", kinds)));
                }
                match &key.kind {
                    Kind::Literal(Literal::Text(key)) => self.field(of, key, &at)?,
                    _ => Type::Any,
                }
            }
            Kind::Not(_) | Kind::And(_) | Kind::Or(_) => {
                if let Some(other) = kinds.iter().find(|kind| !kind.may_be(Type::Bool)) {
                    return Err(wrong(Fault::NotBool(*other)));
                }
                Type::Bool
            }
            Kind::If(_) if !kinds[0].may_be(Type::Bool) => {
                return Err(wrong(Fault::NotBool(kinds[0])));
            }
            Kind::If(_) if kinds[1] == kinds[2] => kinds[1],
            Kind::Negative(_) => match kinds[0] {
                Type::Any | Type::Int | Type::Double => kinds[0],
                _ => return Err(wrong(Fault::types("-", kinds))),
            },
            Kind::Binary(operator, _) => {
                let given = gives(operator, kinds[0], kinds[1]);
                if matches!(*operator, "==" | "!=") && !can_be_equal(kinds[0], kinds[1]) {
                    let (one, other) = (kinds[0].name(), kinds[1].name());
                    let why =
                        format!("`{operator}` compares {one} and {other}, which are never equal");
                    self.reads
                        .never
                        .push(Mistake::new(MistakeKind::Type, at.clone(), why));
                }
                given.ok_or_else(|| wrong(Fault::types(operator, kinds)))?
            }
            Kind::List(_) => Type::List,
            Kind::Map(_) => Type::Map,
            Kind::Unchecked { .. } => return called(expr, kinds),
            _ => Type::Any,
        })
    }

    /// Checks a field of the context, whose fields are known, and returns its type.
    fn field(&self, of: &Expr, key: &str, at: &Range<usize>) -> TypeResult {
        let is_context =
            matches!(&of.kind, Kind::Path(name, keys) if name == "cx" && keys.is_empty());
        if !is_context {
            return Ok(Type::Any);
        }
        let mut fields = self.known.context.iter();
        if let Some((_, kind)) = fields.find(|(known, _)| *known == key) {
            return Ok(*kind);
        }
        let known: Vec<_> = self.known.context.iter().map(|(known, _)| *known).collect();
        let why = format!("`cx` has no field `{key}`: {}", known_names(key, &known));
        Err(Mistake::new(MistakeKind::Field, at.clone(), why))
    }
}

fn of_type(at: &Range<usize>, fault: Fault) -> Mistake {
    Mistake::new(MistakeKind::Type, at.clone(), fault.to_string())
}

/// Finds the function that a call means.
fn called(expr: &mut Expr, kinds: &[Type]) -> TypeResult {
    let at = expr.at.clone();
    let Kind::Unchecked {
        name,
        is_method,
        args,
    } = &mut expr.kind
    else {
        return Ok(Type::Any);
    };
    let wrong = |why: String| Mistake::new(MistakeKind::Function, at.clone(), why);
    let Some(function) = FUNCTIONS.iter().find(|function| function.0 == name) else {
        let names: Vec<_> = FUNCTIONS.iter().map(|function| function.0).collect();
        let known = known_names(name, &names);
        return Err(wrong(format!(
            "the function `{name}` is not known: {known}"
        )));
    };
    let Function(_, form, least, takes, gives) = function;
    match (form, *is_method) {
        (CallForm::Method, false) => {
            return Err(wrong(format!(
                "`{name}` is called on a value: `value.{name}(…)`"
            )));
        }
        (CallForm::Plain, true) => {
            return Err(wrong(format!(
                "`{name}` is not called on a value: `{name}(value)`"
            )));
        }
        _ if args.len() < *least || args.len() > takes.len() => {
            return Err(wrong(format!(
                "`{name}` does not take so many arguments, or so few"
            )));
        }
        _ if !function.takes(kinds.iter().copied()) => {
            return Err(of_type(&at, Fault::types(function.0, kinds)));
        }
        _ => {}
    }
    let mut args = std::mem::take(args);
    expr.kind = match &args[..] {
        [
            _,
            Expr {
                kind: Kind::Literal(Literal::Text(text)),
                ..
            },
        ] if function.0 == "matches" => {
            pattern::counted(text).map_err(|why| {
                let why = format!("`{text}` in `matches`: {why}");
                Mistake::new(MistakeKind::Pattern, args[1].at.clone(), why)
            })?;
            let text = text.clone();
            Kind::Matches(Box::new(args.remove(0)), Box::new((text, OnceLock::new())))
        }
        _ => Kind::Call(function, args),
    };
    Ok(*gives)
}

/// Returns how many times longer than its arguments the text of a call may be.
fn growth(expr: &Expr) -> TypeResult<usize> {
    let Kind::Unchecked { name, args, .. } = &expr.kind else {
        return Ok(1);
    };
    let text = |nth: usize| match args.get(nth).map(|argument| &argument.kind) {
        Some(Kind::Literal(Literal::Text(text))) => Some(text.len()),
        _ => None,
    };
    let unknown = |what: &str| {
        let why = format!(
            "{what} must be text in quotes, because the length of any other value is unknown"
        );
        Mistake::new(MistakeKind::TooLarge, expr.at.clone(), why)
    };
    Ok(match (&**name, args.len()) {
        ("replace", 3..) => {
            let new = text(2).ok_or_else(|| unknown("the second argument of `replace`"))?;
            match text(1) {
                Some(old) if old > 0 => new.div_ceil(old).max(1),
                // It may be empty. An empty text is found before and after each letter.
                _ => new + 1,
            }
        }
        ("join", 2..) => text(1).ok_or_else(|| unknown("the argument of `join`"))? + 1,
        _ => 1,
    })
}

/// Whether values of two types may be equal.
fn can_be_equal(one: Type, other: Type) -> bool {
    one.may_be(other) || is_number(one) && is_number(other)
}

fn is_number(kind: Type) -> bool {
    matches!(kind, Type::Int | Type::Uint | Type::Double)
}

/// Returns the type of the result of an operator; none if it does not take these types.
fn gives(operator: &str, one: Type, other: Type) -> Option<Type> {
    let is_any = one == Type::Any || other == Type::Any;
    match operator {
        "==" | "!=" => Some(Type::Bool),
        "in" => (other.may_be(Type::List) || other.may_be(Type::Map)).then_some(Type::Bool),
        "<" | "<=" | ">" | ">=" => {
            let has_order = matches!(one, Type::Text | Type::Bool | Type::Bytes);
            let is_both = one == other && has_order || is_number(one) && is_number(other);
            (is_any || is_both).then_some(Type::Bool)
        }
        _ if is_any => Some(Type::Any),
        _ if one != other => None,
        "+" if matches!(one, Type::Text | Type::Bytes | Type::List) => Some(one),
        "%" if one == Type::Double => None,
        _ => is_number(one).then_some(one),
    }
}

/// Says which names there are, and which of them is most like the unknown one.
fn known_names(unknown: &str, known: &[&str]) -> String {
    let near = known
        .iter()
        // To compare long texts takes long, and what is much longer is meant as something else.
        .filter(|name| unknown.len() < 10 * name.len())
        .map(|name| (strsim::jaro_winkler(unknown, name), name))
        .filter(|(near, _)| *near > 0.8)
        .max_by(|one, other| one.0.total_cmp(&other.0));
    let names = known.join("`, `");
    match near {
        Some((_, near)) => format!("did you mean `{near}`? the known names are `{names}`"),
        None => format!("the known names are `{names}`"),
    }
}
