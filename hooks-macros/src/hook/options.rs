//! The options of `#[hook(…)]`, as written.

use std::time::Duration;

use hooks_glob::{Glob, Token};
use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, ExprClosure, ExprLit, Lit, LitStr, Pat, Path};

use crate::driver::{Errors, nearest};
use crate::lifetimes::first_ident;
use crate::options::{AttributeOptions, Options};
use crate::rank;

const ON_HOOKS: AttributeOptions = AttributeOptions {
    examples: &[
        "priority = 50",
        "name = \"…\"",
        "only(\"shell\", \"file_*\")",
        "tool(\"shell\")",
        "when = |event| …",
        "timeout = \"2s\"",
        "on_timeout = skip",
        "on_panic = skip",
        "around",
        "guard",
        "every",
        "vocabulary = AgentEvent",
        "crate = some::path",
    ],
    rest: "",
    instead,
};

const ON_METHODS: AttributeOptions = AttributeOptions {
    // From `only` to `guard`.
    examples: ON_HOOKS.examples.split_at(10).0.split_at(2).1,
    rest: "; the others belong to the whole `impl` block",
    instead: |name| match name {
        "priority" | "name" => None,
        name => instead(name),
    },
};

/// What to write instead of what other systems have, or the files of this one.
fn instead(name: &str) -> Option<&'static str> {
    Some(match name {
        "" => "write `priority = 50`, or `name = \"…\"`",
        "event" | "events" | "on" | "hook" => {
            "the function's parameter says the event: write `fn name(call: &BeforeToolCall)`"
        }
        "observe" | "intercept" | "kind" => "the event says it: leave it out",
        "async" | "sync" | "blocking" => "the function says it: write `async fn`, or `fn`",
        "tools" | "matcher" | "matches" | "filter" => {
            "write `tool(\"shell\")` for a tool under any of its names, or `only(\"shell\")` for the name alone"
        }
        "if" | "condition" | "predicate" | "where" => "write `when = |event| …`",
        "mode" | "shadow" | "enabled" | "read_only" => {
            "write it where the hook is listed: `hook.shadow()`, `hook.read_only()`, or `on.then_some(hook)`"
        }
        "order" | "weight" | "rank" => "write `priority = 50`: a higher one runs first",
        "on_failure" | "on_error" | "fail" => {
            "an `Err` that the hook returns blocks the event; for a panic write `on_panic = skip`, for a timeout \
             `on_timeout = skip`"
        }
        name if name.starts_with(char::is_uppercase) => return instead("event"),
        name if name.starts_with("before_") || name.starts_with("after_") => {
            return instead("event");
        }
        _ => return None,
    })
}

/// The options on a function or an `impl` block.
#[derive(Default)]
pub(super) struct HookOptions {
    pub(super) priority: Option<Expr>,
    pub(super) name: Option<Expr>,
    pub(super) every: bool,
    pub(super) vocabulary: Option<Path>,
    pub(super) krate: Option<Path>,
    /// The options for every handler.
    pub(super) of_handlers: HandlerOptions,
}

/// The options that are also allowed on a method of an `impl` block, where they override the block's.
#[derive(Default, Clone)]
pub(super) struct HandlerOptions {
    pub(super) only: Option<OnlyOption>,
    pub(super) tool: Option<OnlyOption>,
    pub(super) when: Option<Expr>,
    pub(super) timeout: Option<TimeoutOption>,
    pub(super) on_timeout: Option<OnFailure>,
    pub(super) on_panic: Option<OnFailure>,
    /// The span of `around`.
    pub(super) around: Option<Span>,
    /// The span of `guard`.
    pub(super) guard: Option<Span>,
}

impl HookOptions {
    pub(super) fn read(tokens: TokenStream, errors: &mut Errors) -> Self {
        let options = &mut Options::read(tokens, &ON_HOOKS, errors);
        HookOptions {
            priority: options
                .expr("priority")
                .map(|(_, priority)| priority)
                .inspect(|priority| rank::check(priority, options.errors)),
            name: options
                .expr("name")
                .map(|(_, name)| text(name, options.errors)),
            every: options.flag("every").is_some(),
            vocabulary: options.path("vocabulary"),
            krate: options.path("crate"),
            of_handlers: HandlerOptions::of(options),
        }
    }
}

impl HandlerOptions {
    pub(super) fn read(tokens: TokenStream, errors: &mut Errors) -> Self {
        HandlerOptions::of(&mut Options::read(tokens, &ON_METHODS, errors))
    }

    fn of(options: &mut Options<'_>) -> Self {
        HandlerOptions {
            only: OnlyOption::of("only", options),
            tool: OnlyOption::of("tool", options),
            when: options
                .expr("when")
                .and_then(|(_, when)| predicate(when, options.errors)),
            timeout: TimeoutOption::of(options),
            on_timeout: OnFailure::of("on_timeout", options),
            on_panic: OnFailure::of("on_panic", options),
            around: options.flag("around"),
            guard: options.flag("guard"),
        }
    }

    /// What the event's subject must match: `only(…)`, `tool(…)`, or either.
    pub(super) fn subjects(&self) -> impl Iterator<Item = &OnlyOption> {
        self.only.iter().chain(&self.tool)
    }

    /// These options, with the block's for those that are not set.
    pub(super) fn over(self, block: &HandlerOptions) -> HandlerOptions {
        let has_subjects = self.subjects().next().is_some();
        let of_block = |only: &Option<OnlyOption>| only.clone().filter(|_| !has_subjects);
        HandlerOptions {
            only: self.only.or_else(|| of_block(&block.only)),
            tool: self.tool.or_else(|| of_block(&block.tool)),
            when: self.when.or_else(|| block.when.clone()),
            timeout: self.timeout.or(block.timeout),
            on_timeout: self.on_timeout.or(block.on_timeout),
            on_panic: self.on_panic.or(block.on_panic),
            around: self.around.or(block.around),
            guard: self.guard.or(block.guard),
        }
    }
}

/// Checks a name as far as its tokens show it.
fn text(name: Expr, errors: &mut Errors) -> Expr {
    let is_wrong = match &name {
        Expr::Lit(lit) => !matches!(lit.lit, Lit::Str(_)),
        Expr::Macro(call) => call.mac.path.is_ident("format"),
        Expr::Binary(_) => true,
        Expr::Call(call) => call
            .func
            .to_token_stream()
            .to_string()
            .starts_with("String"),
        Expr::MethodCall(call) => call.method.to_string().starts_with("to_"),
        other => rank::is_variable(other),
    };
    if is_wrong {
        errors.at(
            name.span(),
            "a name is a text in quotes, or a constant: write `name = \"…\"`; a name that is made at run time is \
             given in the list, as `hook.named(name)`",
        );
    }
    name
}

/// Checks a predicate as far as its tokens show it.
fn predicate(when: Expr, errors: &mut Errors) -> Option<Expr> {
    let (at, message) = match &when {
        _ if first_ident(when.to_token_stream(), &|ident| ident == "self").is_some() => (
            when.span(),
            "a predicate sees the event and the context, not the hook: look at `self` in the method",
        ),
        Expr::Closure(ExprClosure {
            asyncness: Some(token),
            ..
        }) => (
            token.span,
            "a predicate is not `async`: what waits for something is the hook itself",
        ),
        Expr::Closure(closure) if !matches!(closure.inputs.len(), 1 | 2) => (
            closure.span(),
            "a predicate takes the event, and before it, if wanted, the context: write `|event| …` or \
             `|cx, event| …`",
        ),
        Expr::Closure(closure) if closure.inputs.iter().nth(1).is_some_and(is_context) => (
            closure.inputs[1].span(),
            "the context comes before the event: write `|cx, event| …`",
        ),
        Expr::Closure(_) | Expr::Path(_) | Expr::Macro(_) | Expr::Block(_) => return Some(when),
        Expr::Group(group) => return predicate((*group.expr).clone(), errors),
        other => (
            other.span(),
            "a predicate is a function, or a closure from the event: write `when = |event| …`, or with the context \
             `when = |cx, event| …`",
        ),
    };
    errors.at(at, message);
    None
}

/// Whether a parameter is named as a context is.
fn is_context(parameter: &Pat) -> bool {
    matches!(parameter, Pat::Ident(name) if ["cx", "ctx", "context"].iter().any(|cx| name.ident == cx))
}

/// `only("glob", …)` or `tool("glob", …)`.
#[derive(Clone)]
pub(super) struct OnlyOption {
    pub(super) globs: Vec<Glob>,
    /// The names that well-known agents give to the tools of `tool(…)`.
    pub(super) names: Vec<&'static str>,
    pub(super) span: Span,
}

impl OnlyOption {
    fn of(key: &str, options: &mut Options<'_>) -> Option<Self> {
        let (span, list) = options.list(key)?;
        let written = Punctuated::<LitStr, syn::Token![,]>::parse_terminated.parse2(list.clone());
        let wrong = match &written {
            Ok(written) if written.is_empty() => Some(span),
            Ok(_) => None,
            Err(error) => Some(error.span()),
        };
        if let Some(at) = wrong {
            let how = format!("`{key}` takes globs: write `{key}(\"shell\", \"file_*\")`");
            options.errors.at(at, how);
        }
        let mut only = OnlyOption {
            globs: Vec::new(),
            names: Vec::new(),
            span,
        };
        for text in &written.ok()? {
            match Glob::new(&text.value()) {
                Err(wrong) => options.errors.at(text.span(), wrong),
                Ok(glob) if key == "tool" => {
                    only.names.extend(tools(&glob, text, options.errors));
                    only.globs.push(glob);
                }
                Ok(glob) => only.globs.push(glob),
            }
        }
        Some(only)
    }
}

/// The names of the tools that a glob means. A name of which no agent has a tool is a mistake.
fn tools(glob: &Glob, written: &LitStr, errors: &mut Errors) -> Vec<&'static str> {
    for tokens in glob.alternatives() {
        let [Token::Text(name)] = &tokens[..] else {
            continue;
        };
        let how = match nearest(name, all_tools()) {
            Some(known) if known == &**name => continue,
            Some(known) => format!("did you mean `{known}`? For"),
            None => "for".to_owned(),
        };
        errors.at(
            written.span(),
            format!(
                "no well-known agent has a tool `{name}`: {how} a tool that only your agent has, write \
                 `only(\"{name}\")`"
            ),
        );
    }
    hooks_glob::tools::names(glob)
}

/// The names of all tools of well-known agents.
fn all_tools() -> impl Iterator<Item = &'static str> {
    let same = hooks_glob::tools::same().flat_map(|tool| tool.names().collect::<Vec<_>>());
    same.chain(hooks_glob::tools::lines().map(|(_, name, _)| name))
}

/// `timeout = "2s"`.
#[derive(Clone, Copy)]
pub(super) struct TimeoutOption {
    pub(super) duration: Duration,
    pub(super) span: Span,
}

impl TimeoutOption {
    fn of(options: &mut Options<'_>) -> Option<Self> {
        const HOW: &str = "write a duration in words, as `\"2s\"`, `\"500ms\"` or `\"1m 30s\"`";
        let (span, value) = options.expr("timeout")?;
        let text = match &value {
            Expr::Lit(ExprLit {
                lit: Lit::Str(text),
                ..
            }) => Some(text.value()),
            _ => None,
        };
        let message = match text.as_deref().map(humantime::parse_duration) {
            Some(Ok(Duration::ZERO)) => "a timeout of zero lets no hook run".to_owned(),
            Some(Ok(duration)) => return Some(TimeoutOption { duration, span }),
            Some(Err(wrong)) => format!("not a duration ({wrong}): {HOW}"),
            None => HOW.to_owned(),
        };
        options.errors.at(value.span(), message);
        None
    }
}

/// What happens when a hook fails.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FailureChoice {
    Propagate,
    Skip,
    Block,
}

/// `on_panic = …` or `on_timeout = …`.
#[derive(Clone, Copy)]
pub(super) struct OnFailure {
    pub(super) choice: FailureChoice,
    /// The span of the choice.
    pub(super) span: Span,
    /// The span of the option's name.
    pub(super) option: Span,
}

impl OnFailure {
    fn of(key: &str, options: &mut Options<'_>) -> Option<Self> {
        let (option, value) = options.expr(key)?;
        let is_panic = key == "on_panic";
        let word = match &value {
            Expr::Path(path) => path.path.get_ident().map(Ident::to_string),
            _ => None,
        };
        let choice = match word.as_deref() {
            Some("skip") => FailureChoice::Skip,
            Some("block") => FailureChoice::Block,
            Some("propagate") if is_panic => FailureChoice::Propagate,
            _ => {
                let all = if is_panic {
                    "`skip`, `block` or `propagate`"
                } else {
                    "`skip` or `block`"
                };
                let message = format!("`{key}` is {all}, without quotes: write `{key} = skip`");
                options.errors.at(value.span(), message);
                return None;
            }
        };
        Some(OnFailure {
            choice,
            span: value.span(),
            option,
        })
    }
}
