//! Expressions in CEL, with limits: the crate itself does not limit the cost of an expression.
//!
//! An expression is compiled when its file is loaded, from a text of at most 2 KiB with little nesting. Unknown
//! variables and functions, nested loops, and calls that may make a text much longer are mistakes. The evaluation reads
//! the event without a copy. The size of the values that it reads is limited, and so is the size that loops read
//! repeatedly. So the time and the size of the result are bounded for every event.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};

use cel::common::ast::{EntryExpr, Expr, LiteralValue, operators};
use cel::common::types::{
    CelBool, CelDouble, CelInt, CelList, CelMap, CelMapKey, CelNull, CelString, CelUInt,
};
use cel::common::value::{CowVal, Val};
use cel::context::VariableResolver;
use cel::parser::PrattParser;
use cel::{Context, Env, ExecutionError, IdedExpr};
use hooks_core::agent::{AgentContext, AgentEvent, ToolAnnotations};
use serde_json::{Map, Value};

use super::quick::Quick;
use super::{pattern, spent};
use crate::fault::Fault;
use crate::system::raw::Raw;
use crate::system::tools;

/// The maximum length of an expression, in bytes.
const MOST_BYTES: usize = 2048;
/// The maximum number of open brackets.
const MOST_BRACKETS: usize = 40;
/// The maximum size of the values that an expression uses, in bytes of JSON, approximately.
const MOST_INPUT: usize = 256 * 1024;
/// The maximum size of all values that an expression reads, if a loop reads the same values repeatedly.
const MOST_SEEN: usize = 32 * 1024 * 1024;
/// How many times longer than a value a text made from it may be.
const MOST_GROWTH: usize = 64;

/// The functions that an expression may call, in addition to operators and macros.
const FUNCTIONS: &[&str] = &[
    "bool",
    "bytes",
    "charAt",
    "contains",
    "double",
    "dyn",
    "endsWith",
    "indexOf",
    "int",
    "join",
    "lastIndexOf",
    "lowerAscii",
    "matches",
    "max",
    "min",
    "replace",
    "reverse",
    "size",
    "split",
    "startsWith",
    "string",
    "substring",
    "trim",
    "type",
    "uint",
    "upperAscii",
];

static ENV: LazyLock<Arc<Env>> = LazyLock::new(|| {
    let mut env = Env::stdlib();
    // This fails only if a function is added twice.
    let _ = env.add_extension(cel::extensions::strings);
    Arc::new(env)
});

/// A compiled expression.
#[derive(Clone)]
pub(crate) struct Cel {
    text: Arc<str>,
    written: Arc<IdedExpr>,
    /// The same with each path, such as `args.a.b`, as one variable of this name.
    by_paths: Arc<IdedExpr>,
    /// The same without the crate, if it has a common shape.
    quick: Option<Arc<Quick>>,
}

impl fmt::Debug for Cel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Cel").field(&self.text).finish()
    }
}

impl Cel {
    /// Compiles an expression that may name these variables.
    ///
    /// # Errors
    ///
    /// What is wrong with it, in a sentence.
    pub(crate) fn compile(text: &str, known: &[&str]) -> Result<Self, String> {
        if text.len() > MOST_BYTES {
            return Err(format!(
                "the expression has {} bytes, and at most {MOST_BYTES} are allowed",
                text.len()
            ));
        }
        if nesting(text) > MOST_BRACKETS {
            return Err(format!(
                "more than {MOST_BRACKETS} brackets are open at once"
            ));
        }
        let written = parsed(text)?;
        let mut unknown = Vec::new();
        free_names(&written, &mut known.to_vec(), &mut unknown);
        if let Some(unknown) = unknown.into_iter().find(|name| !is_type(name)) {
            return Err(format!(
                "`{unknown}` is not known here: {}",
                known_names(unknown, known)
            ));
        }
        if known.contains(&"cx")
            && let Some(field) = unknown_field(&written, &mut Vec::new())
        {
            let fields: Vec<_> = CONTEXT.iter().map(String::as_str).collect();
            return Err(format!(
                "`cx` has no field `{field}`: {}",
                known_names(field, &fields)
            ));
        }
        let references = written.references();
        let mut functions = references.functions();
        functions.sort_unstable();
        let is_operator = |name: &str| !name.starts_with(|first: char| first.is_ascii_alphabetic());
        if let Some(unknown) = functions
            .into_iter()
            .find(|name| !is_operator(name) && !FUNCTIONS.contains(name))
        {
            return Err(format!(
                "the function `{unknown}` is not known: {}",
                known_names(unknown, FUNCTIONS)
            ));
        }
        if loops(&written) > 1 {
            return Err(
                "a loop (`all`, `exists`, `map`, `filter`) in a loop may take too long".into(),
            );
        }
        if growth(&written)? > MOST_GROWTH {
            return Err(format!(
                "`replace` and `join` may make text more than {MOST_GROWTH} times longer: give them shorter text"
            ));
        }
        count_patterns(&written)?;
        let mut by_paths = written.clone();
        join_paths(&mut by_paths, known, &mut Vec::new());
        Ok(Cel {
            text: text.into(),
            quick: Quick::of(&by_paths, known).map(Arc::new),
            by_paths: Arc::new(by_paths),
            written: Arc::new(written),
        })
    }

    /// Returns the text of the expression.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The arguments of a tool that it reads without asking whether they are there. None if it asks for the tool by itself.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let references = self.by_paths.references();
        let read = references.variables();
        if read.contains(&"name") {
            return Vec::new();
        }
        let arguments = read.into_iter().filter_map(|path| {
            let name = path.strip_prefix("args.")?.split('.').next()?;
            (!self.text.contains(&format!("has(args.{name}"))).then(|| name.to_owned())
        });
        arguments.collect()
    }

    /// Returns its value for an event, as JSON.
    pub(crate) fn evaluate(&self, variables: &Variables<'_>) -> Result<Value, Fault> {
        self.with(variables, |value| {
            let value = cel::Value::try_from(value).map_err(|error| self.failed(error))?;
            value.json().map_err(|error| self.failed(error))
        })
    }

    /// Whether it is true for an event.
    #[inline]
    pub(crate) fn is_true(&self, variables: &Variables<'_>) -> Result<bool, Fault> {
        variables.begin()?;
        match self.without_crate(variables) {
            Some(is_true) => Ok(is_true),
            None => self.is_true_by_crate(variables),
        }
    }

    /// Whether it is true for an event, if that is certain without the crate.
    pub(super) fn without_crate(&self, variables: &Variables<'_>) -> Option<bool> {
        self.quick.as_ref()?.is_true(variables)
    }

    pub(super) fn is_true_by_crate(&self, variables: &Variables<'_>) -> Result<bool, Fault> {
        self.with(variables, |value| match value.downcast_ref::<CelBool>() {
            Some(value) => Ok(*value.inner()),
            None => Err(Fault::filter(format_args!(
                "`{}` gives a {} where true or false is expected",
                self.text,
                value.get_type().name()
            ))),
        })
    }

    fn with<T>(
        &self,
        variables: &Variables<'_>,
        then: impl FnOnce(&dyn Val) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        variables.begin()?;
        let mut context = Context::with_env(Arc::clone(&ENV));
        context.set_variable_resolver(variables);
        let mut value = cel::Value::resolve_val(&self.by_paths, &context);
        if let Err(ExecutionError::UndeclaredReference(_)) = value {
            // Something on a path does not exist. The expression as it is written says what.
            value = cel::Value::resolve_val(&self.written, &context);
        }
        let value = value.map_err(|error| match variables.seen.load(Ordering::Relaxed) {
            seen if seen > MOST_SEEN => self.failed(format_args!(
                "its loop reads more than {} MiB",
                MOST_SEEN / 1024 / 1024
            )),
            _ => self.failed(error),
        })?;
        then(&*value)
    }

    fn failed(&self, error: impl fmt::Display) -> Fault {
        Fault::filter(format_args!("`{}` cannot be evaluated: {error}", self.text))
    }
}

/// The parser treats the names of types as variables.
fn is_type(name: &str) -> bool {
    matches!(
        name,
        "bool"
            | "bytes"
            | "double"
            | "int"
            | "list"
            | "map"
            | "null_type"
            | "string"
            | "type"
            | "uint"
    )
}

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

/// Returns the maximum number of brackets that are open at once.
fn nesting(text: &str) -> usize {
    let (mut open, mut most) = (0_usize, 0);
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' | b'?' | b'!' | b'-' => open += 1,
            b')' | b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        most = most.max(open);
    }
    most
}

/// Parses an expression with the second parser of the crate. It takes a twentieth of the time of the first, and recurses
/// only as deep as brackets are open.
fn parsed(text: &str) -> Result<IdedExpr, String> {
    let parser = PrattParser::new().enable_optional_syntax(true);
    let parse = || parser.parse(text).map_err(|errors| errors.to_string());
    let parsed = catch_unwind(AssertUnwindSafe(parse))
        .unwrap_or_else(|_| Err("the parser does not understand it".into()));
    parsed.map_err(|error| {
        let first = error.lines().next().unwrap_or_default();
        let said = first.strip_prefix("ERROR: <input>:").unwrap_or(first);
        // The parser's list of expected tokens does not help the reader.
        let said = said.split(" expecting {").next().unwrap_or(said);
        match text.split_whitespace().last() {
            None => "the expression is empty".into(),
            Some(last) if said.contains("'<EOF>'") => {
                format!("the expression ends too early: something is missing after `{last}`")
            }
            Some(_) => {
                let said = said.replace("Syntax error: mismatched input", "unexpected");
                format!(
                    "it is not an expression: {}",
                    said.replace(" expecting ", ", expected ")
                )
            }
        }
    })
}

/// Returns the direct subexpressions, each with the names that only it may use.
fn parts(expression: &IdedExpr) -> Vec<(&IdedExpr, Vec<&str>)> {
    fn plain<'e>(
        parts: impl IntoIterator<Item = &'e IdedExpr>,
    ) -> Vec<(&'e IdedExpr, Vec<&'e str>)> {
        parts.into_iter().map(|part| (part, Vec::new())).collect()
    }
    fn entry(entry: &EntryExpr) -> Vec<&IdedExpr> {
        match entry {
            EntryExpr::MapEntry(entry) => vec![&entry.key, &entry.value],
            EntryExpr::StructField(field) => vec![&field.value],
        }
    }
    match &expression.expr {
        Expr::Call(call) => plain(call.args.iter().chain(call.target.as_deref())),
        Expr::Comprehension(each) => {
            let accumulated = vec![each.accu_var.as_str()];
            let mut both = accumulated.clone();
            both.push(&each.iter_var);
            both.extend(each.iter_var2.as_deref());
            vec![
                (&each.iter_range, Vec::new()),
                (&each.accu_init, Vec::new()),
                (&each.loop_cond, both.clone()),
                (&each.loop_step, both),
                (&each.result, accumulated),
            ]
        }
        Expr::List(list) => plain(&list.elements),
        Expr::Map(map) => plain(map.entries.iter().flat_map(|part| entry(&part.expr))),
        Expr::Struct(made) => plain(made.entries.iter().flat_map(|part| entry(&part.expr))),
        Expr::Select(select) => plain([&*select.operand]),
        Expr::Unspecified | Expr::Ident(_) | Expr::Literal(_) => Vec::new(),
    }
}

/// Replaces each path from a variable by one variable. The interpreter reads a variable faster, and the event's
/// [`Variables`] know it by the path. `own` are the names that only this part may use.
fn join_paths(expression: &mut IdedExpr, known: &[&str], own: &mut Vec<String>) {
    let is_variable =
        |name: &str, own: &[String]| known.contains(&name) && !own.iter().any(|own| own == name);
    if let Some(path) = path_of(expression)
        && let Some((variable, _)) = path.split_once('.')
        && is_variable(variable, own)
    {
        expression.expr = Expr::Ident(path);
        return;
    }
    let mut all = |parts: &mut dyn Iterator<Item = &mut IdedExpr>| {
        parts.for_each(|part| join_paths(part, known, own));
    };
    match &mut expression.expr {
        Expr::Call(call) => all(&mut call.args.iter_mut().chain(call.target.as_deref_mut())),
        Expr::List(list) => all(&mut list.elements.iter_mut()),
        Expr::Map(map) => all(&mut map
            .entries
            .iter_mut()
            .flat_map(|part| parts_of_entry(&mut part.expr))),
        Expr::Struct(made) => all(&mut made
            .entries
            .iter_mut()
            .flat_map(|part| parts_of_entry(&mut part.expr))),
        Expr::Select(select) => all(&mut std::iter::once(&mut *select.operand)),
        Expr::Comprehension(each) => {
            join_paths(&mut each.iter_range, known, own);
            join_paths(&mut each.accu_init, known, own);
            let outside = own.len();
            own.push(each.accu_var.clone());
            join_paths(&mut each.result, known, own);
            own.push(each.iter_var.clone());
            own.extend(each.iter_var2.clone());
            join_paths(&mut each.loop_cond, known, own);
            join_paths(&mut each.loop_step, known, own);
            own.truncate(outside);
        }
        Expr::Unspecified | Expr::Ident(_) | Expr::Literal(_) => {}
    }
}

fn parts_of_entry(entry: &mut EntryExpr) -> Vec<&mut IdedExpr> {
    match entry {
        EntryExpr::MapEntry(entry) => vec![&mut entry.key, &mut entry.value],
        EntryExpr::StructField(field) => vec![&mut field.value],
    }
}

/// Returns the path that an expression is: `args.a.b`.
fn path_of(expression: &IdedExpr) -> Option<String> {
    match &expression.expr {
        Expr::Ident(name) => Some(name.clone()),
        Expr::Select(select) if !select.test => {
            Some(format!("{}.{}", path_of(&select.operand)?, select.field))
        }
        _ => None,
    }
}

/// Collects the unknown names that an expression uses.
fn free_names<'e>(expression: &'e IdedExpr, known: &mut Vec<&'e str>, unknown: &mut Vec<&'e str>) {
    if let Expr::Ident(name) = &expression.expr
        && !known.contains(&name.as_str())
    {
        unknown.push(name);
    }
    for (part, own) in parts(expression) {
        let outside = known.len();
        known.extend(own);
        free_names(part, known, unknown);
        known.truncate(outside);
    }
}

/// The fields of `cx`.
static CONTEXT: LazyLock<Vec<String>> = LazyLock::new(|| {
    let context = serde_json::to_value(AgentContext::default()).unwrap_or_default();
    let fields = context.as_object().into_iter().flat_map(Map::keys);
    fields.cloned().collect()
});

/// Returns a field of `cx` that does not exist. `own` are the names that only this part may use, such as a `cx` of a
/// loop.
fn unknown_field<'e>(expression: &'e IdedExpr, own: &mut Vec<&'e str>) -> Option<&'e str> {
    let is_context = |of: &IdedExpr| matches!(&of.expr, Expr::Ident(name) if name == "cx");
    let field = match &expression.expr {
        Expr::Select(select) if is_context(&select.operand) => Some(select.field.as_str()),
        Expr::Call(call) if call.func_name == operators::INDEX => match call.args.as_slice() {
            [of, key] if is_context(of) => match &key.expr {
                Expr::Literal(LiteralValue::String(key)) => Some(key.inner()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    };
    let is_unknown = |field: &&str| !own.contains(&"cx") && !CONTEXT.iter().any(|one| one == field);
    if let Some(field) = field.filter(is_unknown) {
        return Some(field);
    }
    parts(expression).into_iter().find_map(|(part, names)| {
        let outside = own.len();
        own.extend(names);
        let field = unknown_field(part, own);
        own.truncate(outside);
        field
    })
}

/// Returns how deep loops are nested.
fn loops(expression: &IdedExpr) -> usize {
    let is_loop = matches!(expression.expr, Expr::Comprehension(_));
    let within = parts(expression)
        .into_iter()
        .enumerate()
        .map(|(nth, (part, _))| {
            // The range of a loop is evaluated only once.
            loops(part) + usize::from(is_loop && nth > 0)
        });
    within.max().unwrap_or(0).max(usize::from(is_loop))
}

/// Counts the regular expressions that are compiled when they are first needed.
///
/// # Errors
///
/// What is wrong with one of them.
fn count_patterns(expression: &IdedExpr) -> Result<(), String> {
    if let Expr::Call(call) = &expression.expr
        && call.func_name == "matches"
        && let Some(Expr::Literal(LiteralValue::String(text))) =
            call.args.last().map(|argument| &argument.expr)
    {
        let text = text.inner();
        pattern::counted(text).map_err(|why| format!("`{text}` in `matches`: {why}"))?;
    }
    let mut parts = parts(expression).into_iter();
    parts.try_for_each(|(part, _)| count_patterns(part))
}

/// Returns how many times longer than a value of the event the texts may be that an expression makes from it.
///
/// # Errors
///
/// If that depends on the event.
fn growth(expression: &IdedExpr) -> Result<usize, String> {
    let text = |argument: Option<&IdedExpr>| match argument.map(|argument| &argument.expr) {
        Some(Expr::Literal(LiteralValue::String(text))) => Some(text.inner().len()),
        _ => None,
    };
    let unknown = |what: &str| {
        format!("{what} must be text in quotes, because the length of any other value is unknown")
    };
    let own = match &expression.expr {
        Expr::Call(call) if call.func_name == "replace" => {
            let new = text(call.args.get(1))
                .ok_or_else(|| unknown("the second argument of `replace`"))?;
            match text(call.args.first()) {
                Some(old) if old > 0 => new.div_ceil(old).max(1),
                // It may be empty. An empty text is found before and after each letter.
                _ => new + 1,
            }
        }
        Expr::Call(call) if call.func_name == "join" && !call.args.is_empty() => {
            let between = text(call.args.first());
            between.ok_or_else(|| unknown("the argument of `join`"))? + 1
        }
        _ => 1,
    };
    let mut most = 1;
    for (part, _) in parts(expression) {
        most = growth(part)?.max(most);
    }
    Ok(own.saturating_mul(most))
}

/// What is known about a tool of which nothing is known, so that `annotations.destructive == true` is false for it.
static UNKNOWN: LazyLock<Value> =
    LazyLock::new(|| serde_json::to_value(ToolAnnotations::default()).unwrap_or_default());

/// What an agent has said that says nothing in words of its own: one that is written in Rust.
static NOTHING: LazyLock<Value> = LazyLock::new(|| Value::Object(Map::new()));

/// What an expression sees: the event's fields by their names, `cx`, and `raw`, which is what the agent has said.
pub(crate) struct Variables<'a> {
    cx: &'a AgentContext,
    event: AgentEvent<'a>,
    /// Further names, such as `tool_name` of a dialect.
    more: &'a [(&'static str, Value)],
    payload: OnceLock<Value>,
    context: OnceLock<Value>,
    raw: OnceLock<Option<Arc<Raw>>>,
    /// The text of a command that is a list of words.
    command: OnceLock<String>,
    /// The size of what an expression has read.
    seen: AtomicUsize,
}

impl<'a> Variables<'a> {
    /// The variables of an event, and further ones, which count first.
    pub(crate) fn with(
        cx: &'a AgentContext,
        event: AgentEvent<'a>,
        more: &'a [(&'static str, Value)],
    ) -> Self {
        Variables {
            cx,
            event,
            more,
            payload: OnceLock::new(),
            context: OnceLock::new(),
            raw: OnceLock::new(),
            command: OnceLock::new(),
            seen: AtomicUsize::new(0),
        }
    }

    /// Returns the arguments of a tool call, the only part that is read without a copy.
    fn args(&self) -> Option<&'a Value> {
        crate::events::args(&self.event)
    }

    fn payload(&self) -> &Value {
        self.payload
            .get_or_init(|| serde_json::to_value(self.event).unwrap_or_default())
    }

    /// Checks the size of the event before an evaluation, which has read nothing yet.
    #[inline]
    fn begin(&self) -> Result<(), Fault> {
        self.seen.store(0, Ordering::Relaxed);
        spent::check()?;
        let size = match self.args() {
            Some(args) => size_of(args, MOST_INPUT),
            None => size_of(self.payload(), MOST_INPUT),
        };
        if size > MOST_INPUT {
            return Err(Fault::filter(format_args!(
                "the event is larger than the {} KiB that an expression may read",
                MOST_INPUT / 1024
            )));
        }
        Ok(())
    }

    /// Whether an expression may read a value of this size.
    #[inline]
    fn may_see(&self, size: usize) -> bool {
        // An evaluation stays on its thread. The crate asks for a type that could be shared.
        let seen = self.seen.load(Ordering::Relaxed).saturating_add(size);
        self.seen.store(seen, Ordering::Relaxed);
        spent::add(size);
        seen <= MOST_SEEN
    }
}

impl Variables<'_> {
    /// Returns the value of a variable.
    #[inline]
    fn variable(&self, name: &str) -> Option<&Value> {
        if let Some((_, value)) = self.more.iter().find(|(known, _)| *known == name) {
            return Some(value);
        }
        match name {
            "cx" => {
                let context = || serde_json::to_value(self.cx).unwrap_or_default();
                Some(self.context.get_or_init(context))
            }
            "args" => self.args(),
            "raw" => {
                let raw = self.raw.get_or_init(Raw::current).as_ref();
                Some(raw.map_or(&*NOTHING, |raw| &raw.value))
            }
            // A field that the JSON leaves out is empty.
            _ if crate::events::info(&self.event).fields.contains(&name) => {
                let empty = || match name {
                    "annotations" => &*UNKNOWN,
                    _ => &Value::Null,
                };
                Some(self.payload().get(name).unwrap_or_else(empty))
            }
            _ => None,
        }
    }
}

/// A value that an expression reads, in its place.
pub(super) enum Read<'v> {
    Text(&'v str),
    /// Any value but a text.
    Json(&'v Value),
}

impl Variables<'_> {
    /// Returns the value at a path, which is a variable and keys, unless the expression has read too much.
    #[inline]
    pub(super) fn read<'n>(
        &self,
        variable: &str,
        mut keys: impl Iterator<Item = &'n str>,
    ) -> Option<Read<'_>> {
        let mut next = keys.next();
        if next.is_none()
            && variable == "name"
            && let Some(subject) = crate::events::subject(&self.event)
        {
            let is_small = self.may_see(subject.len());
            return is_small.then_some(Read::Text(subject));
        }
        let mut value = self.variable(variable)?;
        let is_args = variable == "args";
        while let Some(key) = next {
            let found = field(value, key);
            // A command has several names, and may be a list of words. A condition sees its text.
            let is_command = is_args && key == "command";
            let found = found.or_else(|| {
                let mut others = tools::other_names(key).iter().filter(|_| is_command);
                others.find_map(|other| field(value, other))
            })?;
            if is_command
                && found.is_array()
                && let Some(text) = text_of(found)
            {
                return Some(Read::Text(self.command.get_or_init(|| text.into_owned())));
            }
            (value, next) = (found, keys.next());
        }
        let is_small = self.may_see(size_of(value, MOST_SEEN));
        is_small.then_some(match value {
            Value::String(text) => Read::Text(text),
            other => Read::Json(other),
        })
    }
}

/// A variable may be a path, such as `args.a.b`: the field is read in its place, and only the field is converted.
impl VariableResolver for Variables<'_> {
    fn resolve<'b>(&'b self, name: &str) -> Option<CowVal<'b, 'b>> {
        let mut names = name.split('.');
        Some(match self.read(names.next()?, names)? {
            Read::Text(text) => CowVal::owned(CelString::from(text)),
            Read::Json(value) => CowVal::Owned(seen(value)),
        })
    }
}

/// Returns the text of a command, which may be a list: the script of a shell, or all words.
pub(super) fn text_of(command: &Value) -> Option<Cow<'_, str>> {
    if let Some(text) = command.as_str() {
        return Some(text.into());
    }
    let words: Option<Vec<&str>> = command.as_array()?.iter().map(Value::as_str).collect();
    Some(match words?.as_slice() {
        [_, "-c" | "-lc" | "-cl", script] | [_, "-l", "-c", script] => (*script).into(),
        words => words.join(" ").into(),
    })
}

/// Returns a field of an object. In a small object, comparing the keys is faster than a hash of one.
fn field<'v>(value: &'v Value, key: &str) -> Option<&'v Value> {
    let fields = value.as_object()?;
    if fields.len() > 8 {
        return fields.get(key);
    }
    let (_, value) = fields.iter().find(|(known, _)| *known == key)?;
    Some(value)
}

/// Converts a JSON value for an expression. Strings are borrowed.
fn seen<'v>(value: &'v Value) -> Box<dyn Val + 'v> {
    match value {
        Value::Null => Box::new(CelNull),
        Value::Bool(value) => Box::new(CelBool::from(*value)),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => Box::new(CelInt::from(number)),
            (None, Some(number)) => Box::new(CelUInt::from(number)),
            _ => Box::new(CelDouble::from(number.as_f64().unwrap_or_default())),
        },
        Value::String(text) => Box::new(CelString::from(text.as_str())),
        Value::Array(values) => {
            Box::new(CelList::from(values.iter().map(seen).collect::<Vec<_>>()))
        }
        Value::Object(fields) => Box::new(CelMap::from(entries(fields))),
    }
}

fn entries<'v>(fields: &'v Map<String, Value>) -> HashMap<CelMapKey<'v>, Box<dyn Val + 'v>> {
    let entry =
        |(key, value): (&'v String, &'v Value)| (CelMapKey::from(key.as_str()), seen(value));
    fields.iter().map(entry).collect()
}

/// Returns the approximate size of a value as JSON. Counting stops beyond `most`.
#[inline]
fn size_of(value: &Value, most: usize) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
        Value::String(text) => text.len() + 2,
        Value::Array(_) | Value::Object(_) => size_of_all(value, most),
    }
}

/// Returns the size of a list or an object. Most of their values are neither, and need no call.
fn size_of_all(all: &Value, most: usize) -> usize {
    let mut size = 2;
    match all {
        Value::Array(values) => {
            for value in values {
                size += size_of(value, most) + 1;
                if size > most {
                    break;
                }
            }
        }
        Value::Object(fields) => {
            for (key, value) in fields {
                size += key.len() + 4 + size_of(value, most);
                if size > most {
                    break;
                }
            }
        }
        _ => {}
    }
    size
}

/// A text with expressions in it: `"no {args.command} here"`. `{{` is a literal brace.
#[derive(Clone, Debug)]
pub(crate) struct Template(Vec<Piece>);

#[derive(Clone, Debug)]
enum Piece {
    Text(String),
    Expression(Cel),
}

impl Template {
    /// Compiles a text.
    ///
    /// # Errors
    ///
    /// What is wrong with it, in a sentence.
    pub(crate) fn compile(text: &str, known: &[&str]) -> Result<Self, String> {
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
            let end = end_of_expression(after)
                .ok_or("a `{` has no `}`: write `{{` for a literal brace")?;
            if !plain.is_empty() {
                pieces.push(Piece::Text(std::mem::take(&mut plain)));
            }
            pieces.push(Piece::Expression(Cel::compile(&after[..end], known)?));
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
    /// What is wrong with it, in a sentence.
    pub(crate) fn expression(text: &str, known: &[&str]) -> Result<Self, String> {
        Cel::compile(text, known).map(|cel| Template(vec![Piece::Expression(cel)]))
    }

    /// Returns the text, if it contains no expression.
    pub(crate) fn as_plain(&self) -> Option<&str> {
        match self.0.as_slice() {
            [Piece::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// Returns the expression, if there is nothing else.
    pub(crate) fn as_expression(&self) -> Option<&Cel> {
        match self.0.as_slice() {
            [Piece::Expression(cel)] => Some(cel),
            _ => None,
        }
    }

    /// Returns the text for an event.
    pub(crate) fn fill(&self, variables: &Variables<'_>) -> Result<String, Fault> {
        let mut filled = String::new();
        for piece in &self.0 {
            match piece {
                Piece::Text(text) => filled.push_str(text),
                Piece::Expression(cel) => match cel.evaluate(variables)? {
                    Value::String(text) => filled.push_str(&text),
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    use super::*;

    /// What the crate's first parser makes of a text, without the numbers of the parts.
    fn first(text: &str) -> Option<String> {
        let program = ENV.compile(text).ok()?;
        Some(shown(program.expression()))
    }

    fn shown(expression: &IdedExpr) -> String {
        let numbers = regex::Regex::new(r"\bid: [0-9]+").unwrap();
        let shown = format!("{expression:?}");
        numbers.replace_all(&shown, "").into_owned()
    }

    #[rustfmt::skip]
    const TOKENS: &[&str] = &[
        "a", "args", ".b", ".size()", "in", "has(a.b)", "x", "[", "]", "(", ")", "{", "}", ",", ":", "?", "!", "-",
        "+", "*", "/", "%", "==", "!=", "<", ">=", "&&", "||", "1", "0x1F", "2u", "1.5", "2e3", "true", "null", "'q'",
        "\"q\\n\"", "r'\\d'", "b'x'", "'''q'''", ".map(x, x)", ".exists(x, ", ".matches('^a')", ".?b", "[?0]",
        "{'k': 1}", "// c\n", "`b`", "if", ".if",
    ];

    proptest! {
        // It asks how two parsers of others differ, and no change here makes them: so it asks the same each time.
        #![proptest_config(ProptestConfig {
            cases: 3_000,
            failure_persistence: None,
            rng_seed: RngSeed::Fixed(1),
            ..ProptestConfig::default()
        })]

        #[test]
        fn both_parsers_of_the_crate_agree(
            tokens in prop::collection::vec(prop::sample::select(TOKENS), 1..9),
        ) {
            // The first parser wants brackets between `-` and `!`. Without them the evaluation fails. The second does
            // not take a list or a map that is a comma alone.
            let differs = |two: &[&str]| matches!(two, ["-", "!"] | ["!", "-"] | ["{" | "[", ","]);
            prop_assume!(!tokens.windows(2).any(differs));
            let text = tokens.join(" ");
            let second = parsed(&text).ok().as_ref().map(shown);
            prop_assert_eq!(second, first(&text), "{}", text);
        }
    }

    #[test]
    fn both_parsers_of_the_crate_agree_on_long_expressions() {
        for text in [
            "args.command.matches('git .*push.* (-[a-zA-Z]*f|--force)')",
            "a && b || !c && (d || e) && f || g",
            "a + b * c - d / e % f == g && -a.b.c[0] != --h",
            "a ? b : c ? d : e",
            "(a ? b : c) ? d : e",
            "args.list.all(x, x > 0 && x < 10) || args.list.exists_one(x, x == 3)",
            "{'a': [1, 2u, -3, -4.5e-1], 'b': {true: null}}.a[1]",
            "has(args.a.b) && !has(args.c) && size(args.d) >= 2",
            r#"args.a in ['x', "y\n", '''z''', r'\w', '\u00e9\x41\101']"#,
            "-9223372036854775808 < 0x7fffffffffffffff",
            "!!a == !b",
            "a.filter(x, x.b).map(x, x.c, x.d).size() == 1",
            "/* a */ b",
            "9223372036854775808",
            r"'\q'",
            "'open",
            "a.b.",
            "",
        ] {
            assert_eq!(parsed(text).ok().as_ref().map(shown), first(text), "{text}");
        }
    }

    #[test]
    fn the_deepest_expression_fits_a_small_stack() {
        let deep = |open: &str, close: &str| {
            format!(
                "{}a{}",
                open.repeat(MOST_BRACKETS),
                close.repeat(MOST_BRACKETS)
            )
        };
        for text in [
            deep("(", ")"),
            deep("a?b:", ""),
            deep("[a||b&&c==d+e*", "]"),
            deep("!", ""),
            deep("{a:", "}"),
        ] {
            let thread = std::thread::Builder::new().stack_size(1024 * 1024);
            let compiled = thread.spawn(move || Cel::compile(&text, &["a", "b", "c", "d", "e"]));
            compiled.unwrap().join().unwrap().unwrap();
        }
    }
}
