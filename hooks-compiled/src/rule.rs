//! What the code of a compiled rule calls: when it holds, what it reads, and what it says.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::sync::Arc;

use hooks_core::__private::{Does, Says};
use hooks_core::agent::{
    AfterLlmCall, AfterToolCall, AgentContext, AgentEvent, AgentEventMut, AgentSaid,
    ApproveToolCall, BeforeCompact, BeforeLlmCall, BeforeModelResolve, BeforePromptBuild,
    BeforeStop, BeforeToolCall, InvalidToolCall, LlmFailed, MessageReceived, MessageSending,
    SessionStart, SubagentStart,
};
use hooks_core::{AnyEvent, HookAction, Intercepted, Scope};
use hooks_rules::cel::compiled::{self, MOST_SEEN};
use hooks_rules::cel::{Failed, Fault, Type, Value};
use serde_json::Value as Json;

use crate::cut::cut;
use crate::effect::{self, Change, Effect, Verdict, kind_of};
use crate::renamed::Renamed;
use crate::variables::{FieldVariables, NOTHING, walk};

/// A value, or why there is none. A fault is rare, so it takes no room.
pub type FaultResult<T> = Result<T, Box<Fault>>;

/// A value, or the words of its failure.
pub type TextResult<T> = Result<T, String>;

/// A rule, as its failures name it.
#[derive(Debug)]
pub struct RuleName {
    /// Its place among the rules of its priority.
    pub nth: usize,
    /// Its name.
    pub name: &'static str,
    /// Whether the event is blocked if it fails.
    pub blocks: bool,
}

/// An event that rules judge.
#[derive(Debug)]
pub struct RuleEvent<'e>(FieldVariables<'e>);

impl<'e> RuleEvent<'e> {
    /// An event that no rule has read yet.
    #[inline]
    #[must_use]
    pub fn new(cx: &'e AgentContext, event: AgentEvent<'e>) -> Self {
        RuleEvent(FieldVariables::new(cx, event))
    }

    /// The arguments of the tool.
    #[inline]
    #[must_use]
    pub fn args(&self) -> &'e Json {
        self.0.args().unwrap_or(&NOTHING)
    }

    /// The arguments under the names that go with another name of the tool.
    #[must_use]
    pub fn renamed(&self, expected: &[&str]) -> Option<Renamed> {
        Renamed::of(expected, self.args())
    }

    /// The arguments, or one of them, for an expression that reads them now.
    ///
    /// # Errors
    ///
    /// If it may not.
    #[inline]
    pub fn asked<T>(&self, what: T) -> FaultResult<T> {
        self.0.may_read_args()?;
        Ok(what)
    }

    /// The value of an expression.
    ///
    /// # Errors
    ///
    /// If it has none.
    #[inline]
    pub fn value<T>(
        &self,
        text: &'static str,
        value: impl FnOnce() -> FaultResult<T>,
    ) -> TextResult<T> {
        value().map_err(|fault| failed(text, *fault))
    }

    /// Reads the event for one expression, and counts what that reads. There may be further variables, which count first.
    #[must_use]
    pub fn reading<'r>(&'r self, more: &'r [(&'static str, Json)]) -> Reading<'r> {
        Reading {
            variables: &self.0,
            more,
            seen: Cell::new(0),
        }
    }
}

#[cold]
fn failed(text: &'static str, fault: Fault) -> String {
    let expression = Arc::from(text);
    Failed { expression, fault }.to_string()
}

/// What one expression reads.
#[derive(Debug)]
pub struct Reading<'r> {
    variables: &'r FieldVariables<'r>,
    more: &'r [(&'static str, Json)],
    seen: Cell<usize>,
}

impl Reading<'_> {
    /// Returns the value at a path.
    ///
    /// # Errors
    ///
    /// If there is none, or the expression has read too much.
    pub fn read(&self, variable: &str, keys: &[&str]) -> FaultResult<Value<'_>> {
        let value = self.variables.read(self.more, variable, keys)?;
        self.spend(compiled::read_size(&value))?;
        Ok(value)
    }

    /// Counts what the expression reads.
    ///
    /// # Errors
    ///
    /// If it has read too much.
    pub fn spend(&self, bytes: usize) -> FaultResult<()> {
        self.seen.set(self.seen.get().saturating_add(bytes));
        match self.seen.get() {
            seen if seen > MOST_SEEN => Err(Fault::TooMuch.into()),
            _ => Ok(()),
        }
    }
}

/// Returns an argument of a call.
///
/// # Errors
///
/// If it does not exist.
#[inline]
pub fn arg<'v>(args: &'v Json, keys: &[&str]) -> FaultResult<Value<'v>> {
    Ok(walk(args, "args", keys)?)
}

/// An argument that several rules read: if it is a text, it is looked for once.
#[derive(Debug)]
pub struct Arg<'e> {
    args: &'e Json,
    keys: &'static [&'static str],
    text: OnceCell<Option<&'e str>>,
}

impl<'e> Arg<'e> {
    /// The argument at these keys.
    #[inline]
    #[must_use]
    pub fn new(args: &'e Json, keys: &'static [&'static str]) -> Self {
        let text = OnceCell::new();
        Arg { args, keys, text }
    }

    #[inline]
    fn text(&self) -> Option<&'e str> {
        *self.text.get_or_init(|| match arg(self.args, self.keys) {
            Ok(Value::Text(Cow::Borrowed(text))) => Some(text),
            _ => None,
        })
    }

    /// Whether something holds of the text, on which a function is called.
    ///
    /// # Errors
    ///
    /// If it is not a text, or does not exist.
    #[inline]
    pub fn holds(&self, of: &'static str, holds: impl FnOnce(&str) -> bool) -> FaultResult<bool> {
        match self.text() {
            Some(text) => Ok(holds(text)),
            None => Ok(holds(text(&arg(self.args, self.keys)?, of)?)),
        }
    }

    /// Whether it is one of these texts.
    ///
    /// # Errors
    ///
    /// If it does not exist.
    #[inline]
    pub fn is_one_of(&self, texts: &[&str]) -> FaultResult<bool> {
        match self.text() {
            Some(text) => Ok(texts.contains(&text)),
            None => Ok(is_one_of(&arg(self.args, self.keys)?, texts)),
        }
    }
}

/// An argument under the names that go with another name of the tool, or else as other rules read it.
#[derive(Debug)]
pub struct Either<'q, 'r, 'e> {
    renamed: Option<Arg<'r>>,
    asked: &'q Arg<'e>,
}

impl<'q, 'r, 'e> Either<'q, 'r, 'e> {
    /// The argument.
    #[inline]
    #[must_use]
    pub fn new(renamed: Option<&'r Renamed>, asked: &'q Arg<'e>) -> Self {
        let renamed = renamed.map(|renamed| Arg::new(renamed.args(), asked.keys));
        Either { renamed, asked }
    }

    /// As [`Arg::holds`].
    ///
    /// # Errors
    ///
    /// As [`Arg::holds`].
    #[inline]
    pub fn holds(&self, of: &'static str, holds: impl FnOnce(&str) -> bool) -> FaultResult<bool> {
        match &self.renamed {
            Some(renamed) => renamed.holds(of, holds),
            None => self.asked.holds(of, holds),
        }
    }

    /// As [`Arg::is_one_of`].
    ///
    /// # Errors
    ///
    /// As [`Arg::is_one_of`].
    #[inline]
    pub fn is_one_of(&self, texts: &[&str]) -> FaultResult<bool> {
        match &self.renamed {
            Some(renamed) => renamed.is_one_of(texts),
            None => self.asked.is_one_of(texts),
        }
    }
}

/// Returns the text on which a function is called that also takes a text.
///
/// # Errors
///
/// If it is something else.
#[inline]
pub fn text<'a>(value: &'a Value<'_>, of: &'static str) -> FaultResult<&'a str> {
    match value {
        Value::Text(text) => Ok(text),
        other => Err(not_text(of, other.kind()).into()),
    }
}

#[cold]
fn not_text(of: &'static str, kind: Type) -> Fault {
    let given = match of {
        "matches" => vec![kind],
        _ => vec![kind, Type::Text],
    };
    Fault::Type { of, given }
}

/// Whether a value is this text.
#[inline]
#[must_use]
pub fn is_text(value: &Value<'_>, text: &str) -> bool {
    matches!(value, Value::Text(known) if known == text)
}

/// Whether a value is one of these texts.
#[inline]
#[must_use]
pub fn is_one_of(value: &Value<'_>, texts: &[&str]) -> bool {
    matches!(value, Value::Text(known) if texts.contains(&&**known))
}

/// Whether two values are the same.
#[must_use]
pub fn equals(one: &Value<'_>, other: &Value<'_>) -> bool {
    compiled::equals(one, other)
}

/// Whether a value is true.
///
/// # Errors
///
/// If it is neither true nor false.
#[inline]
pub fn is_true(value: &Value<'_>) -> FaultResult<bool> {
    Ok(compiled::is_true(value)?)
}

/// `&&`: false on either side decides, whatever else fails.
///
/// # Errors
///
/// The first fault, if nothing decides.
#[inline]
pub fn and(
    one: impl FnOnce() -> FaultResult<bool>,
    other: impl FnOnce() -> FaultResult<bool>,
) -> FaultResult<bool> {
    match one() {
        Ok(true) => other(),
        Ok(false) => Ok(false),
        Err(fault) => match other() {
            Ok(false) => Ok(false),
            _ => Err(fault),
        },
    }
}

/// `||`: true on either side decides, whatever else fails.
///
/// # Errors
///
/// The first fault, if nothing decides.
#[inline]
pub fn or(
    one: impl FnOnce() -> FaultResult<bool>,
    other: impl FnOnce() -> FaultResult<bool>,
) -> FaultResult<bool> {
    match one() {
        Ok(false) => other(),
        Ok(true) => Ok(true),
        Err(fault) => match other() {
            Ok(true) => Ok(true),
            _ => Err(fault),
        },
    }
}

/// What an operator makes of two values.
///
/// # Errors
///
/// If it does not take them, or makes nothing of them.
pub fn binary<'v>(of: &'static str, one: &Value<'v>, other: &Value<'v>) -> FaultResult<Value<'v>> {
    Ok(compiled::binary(of, one, other)?)
}

/// What a function makes of values.
///
/// # Errors
///
/// If it does not take them, or makes nothing of them.
pub fn call<'v>(name: &str, args: &[Value<'v>]) -> FaultResult<Value<'v>> {
    Ok(compiled::call(name, args)?)
}

/// `-value`.
///
/// # Errors
///
/// If it is not a number that has one.
pub fn negative<'v>(value: &Value<'v>) -> FaultResult<Value<'v>> {
    Ok(compiled::negative(value)?)
}

/// The value of a key, or at a place.
///
/// # Errors
///
/// If there is none.
pub fn at<'v>(of: &Value<'v>, key: &Value<'_>, what: &'static str) -> FaultResult<Value<'v>> {
    Ok(compiled::at(of, key, what)?)
}

/// Whether a map has a key.
///
/// # Errors
///
/// If it is not a map.
pub fn has(of: &Value<'_>, key: &str) -> FaultResult<bool> {
    Ok(compiled::has(of, key)?)
}

/// A list that is written down.
#[must_use]
pub fn list<const N: usize>(items: [Value<'_>; N]) -> Value<'_> {
    Value::List(Arc::new(items.into()))
}

/// The part of a map for a key that is written down, and a value that follows.
///
/// # Errors
///
/// If the key cannot be one, or is there already.
pub fn key<'v>(of: &[(Value<'v>, Value<'v>)], key: Value<'v>) -> FaultResult<Value<'v>> {
    compiled::key(of, &key)?;
    Ok(key)
}

/// A loop.
///
/// # Errors
///
/// If it has no value.
pub fn each<'v>(
    does: &str,
    range: &Value<'v>,
    body: impl Fn(&Value<'v>) -> FaultResult<Value<'v>>,
) -> FaultResult<Value<'v>> {
    let mut body = |item: &Value<'v>| body(item).map_err(|fault| *fault);
    Ok(compiled::each(does, range, None, &mut body)?)
}

/// `map` with a condition.
///
/// # Errors
///
/// If it has no value.
pub fn each_if<'v>(
    range: &Value<'v>,
    only: impl Fn(&Value<'v>) -> FaultResult<Value<'v>>,
    body: impl Fn(&Value<'v>) -> FaultResult<Value<'v>>,
) -> FaultResult<Value<'v>> {
    let mut body = |item: &Value<'v>| body(item).map_err(|fault| *fault);
    let mut only = |item: &Value<'v>| only(item).map_err(|fault| *fault);
    Ok(compiled::each("map", range, Some(&mut only), &mut body)?)
}

/// A text as a value.
#[inline]
#[must_use]
pub fn t(text: &str) -> Value<'_> {
    Value::Text(text.into())
}

/// How long a text is, in characters.
#[inline]
#[must_use]
pub fn len(text: &str) -> i64 {
    i64::try_from(text.chars().count()).unwrap_or(i64::MAX)
}

/// A value as JSON.
///
/// # Errors
///
/// If JSON has no such value.
pub fn json(value: &Value<'_>) -> FaultResult<Json> {
    Ok(value.to_json()?)
}

/// A value in a text.
///
/// # Errors
///
/// If JSON has no such value.
pub fn shown(value: &Value<'_>) -> FaultResult<String> {
    Ok(match json(value)? {
        Json::String(text) => text,
        other => other.to_string(),
    })
}

/// A table of values.
#[must_use]
pub fn table<const N: usize>(fields: [(&str, Json); N]) -> Json {
    let fields = fields.into_iter();
    Json::Object(fields.map(|(key, value)| (key.into(), value)).collect())
}

/// An event that rules may act on.
pub trait Acts: AnyEvent + Intercepted {
    /// Lends it for a change.
    fn lend_all(&mut self) -> AgentEventMut<'_>;
    /// A decision about any event, as one about this.
    fn decided(said: AgentSaid) -> HookAction<Self>;
}

macro_rules! acts {
    ($($event:ident $(<$life:lifetime>)?)*) => { $(
        impl $(<$life>)? Acts for $event $(<$life>)? {
            fn lend_all(&mut self) -> AgentEventMut<'_> {
                AgentEventMut::$event(self)
            }

            fn decided(said: AgentSaid) -> HookAction<Self> {
                <Self as AnyEvent>::fit(said)
            }
        }
    )* };
}
acts! {
    SessionStart MessageReceived BeforeModelResolve BeforePromptBuild BeforeLlmCall LlmFailed AfterLlmCall InvalidToolCall
    BeforeToolCall ApproveToolCall<'a> AfterToolCall SubagentStart BeforeStop MessageSending BeforeCompact
}

/// Says that a rule has failed.
#[cold]
#[must_use]
pub fn fails<E: Acts>(rule: &RuleName, why: String) -> Option<Says<E>> {
    let why = cut(why);
    if !rule.blocks {
        return Some(Says::Fails(rule.nth, why));
    }
    let reason = format!("the hook `{}` failed: {why}", rule.name);
    Some(Says::Cancels(rule.nth, Scope::Event, reason.into()))
}

/// Says that a rule cancels.
#[must_use]
pub fn cancels<E: Acts>(
    rule: &RuleName,
    scope: Scope,
    reason: TextResult<String>,
) -> Option<Says<E>> {
    match reason {
        Ok(reason) => Some(Says::Cancels(rule.nth, scope, cut(reason).into())),
        Err(why) => fails(rule, why),
    }
}

/// Says that a rule does something.
#[must_use]
pub fn does<E: Acts>(rule: &'static RuleName, effect: TextResult<Effect>) -> Option<Says<E>> {
    let effect = match effect {
        Ok(effect) => effect,
        Err(why) => return fails(rule, why),
    };
    let changes = effect.change.is_some()
        || !effect.context.is_empty()
        || !matches!(effect.verdict, Verdict::Continue | Verdict::Respond(_));
    let act = move |event: &mut E| match effect::apply(event.lend_all(), effect) {
        Ok(said) => Ok(E::decided(said)),
        Err(unfit) if rule.blocks => {
            let why = cut(unfit.0);
            Err(format!("the hook `{}` failed: {why}", rule.name))
        }
        Err(unfit) => Err(cut(unfit.0)),
    };
    let does = Does {
        changes,
        blocks: rule.blocks,
        act: Box::new(act),
    };
    Some(Says::Does(rule.nth, does))
}

/// A decision that is a text.
///
/// # Errors
///
/// If the text has none.
pub fn verdict(text: TextResult<String>, of: fn(String) -> Verdict) -> TextResult<Effect> {
    Ok(Effect {
        verdict: of(cut(text?)),
        ..Effect::default()
    })
}

/// A text for the model.
///
/// # Errors
///
/// If there is none.
pub fn context(text: TextResult<String>) -> TextResult<Effect> {
    Ok(Effect {
        context: vec![cut(text?)],
        ..Effect::default()
    })
}

/// An answer in the agent's place.
///
/// # Errors
///
/// If there is none.
pub fn respond(answer: TextResult<Json>) -> TextResult<Effect> {
    Ok(Effect {
        verdict: Verdict::Respond(answer?),
        ..Effect::default()
    })
}

/// A change of these keys, which have the names that go with another name of the tool.
///
/// # Errors
///
/// If there is none.
pub fn modify(keys: TextResult<Json>, renamed: Option<&Renamed>) -> TextResult<Effect> {
    match keys? {
        Json::Object(keys) => Ok(Effect {
            change: Some(Change::Merge(match renamed {
                Some(renamed) => renamed.back(keys),
                None => keys,
            })),
            ..Effect::default()
        }),
        other => Err(unset(&other)),
    }
}

/// Says that what `modify` gives sets nothing.
#[must_use]
pub fn unset(given: &Json) -> String {
    format!(
        "`modify` gives {}, but must give a table of the keys to set",
        kind_of(given)
    )
}
