//! The options of `#[hook(…)]`, as written.

use std::time::Duration;

use darling::FromMeta;
use hooks_glob::{Glob, Token};
use proc_macro2::{Span, TokenStream, TokenTree};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, Lit, LitStr, Meta, Path};

use crate::driver;

const ON_HOOKS: &str = "`priority`, `name`, `only(…)`, `tool(…)`, `when`, `timeout`, `on_timeout`, \
                        `on_panic`, `around`, `guard`, `every`, `vocabulary` and `crate`";
const ON_METHODS: &str = "`only(…)`, `tool(…)`, `when`, `timeout`, `on_timeout`, `on_panic`, `around` and `guard`; the \
                          others belong to the whole `impl` block";

/// The options on a function or an `impl` block.
#[derive(FromMeta, Default)]
#[darling(default)]
pub(super) struct HookOptions {
    #[darling(with = driver::expression)]
    pub(super) priority: Option<Expr>,
    #[darling(with = driver::expression)]
    pub(super) name: Option<Expr>,
    #[darling(with = driver::flag)]
    pub(super) every: bool,
    #[darling(with = driver::path)]
    pub(super) vocabulary: Option<Path>,
    #[darling(rename = "crate", with = driver::path)]
    pub(super) krate: Option<Path>,
    /// The options for every handler.
    #[darling(flatten)]
    pub(super) of_handlers: HandlerOptions,
}

/// The options that are also allowed on a method of an `impl` block, where they override the block's.
#[derive(FromMeta, Default, Clone)]
#[darling(default)]
pub(super) struct HandlerOptions {
    pub(super) only: Option<Only>,
    pub(super) tool: Option<Only>,
    #[darling(with = driver::expression)]
    pub(super) when: Option<Expr>,
    pub(super) timeout: Option<Timeout>,
    pub(super) on_timeout: Option<OnFailure>,
    pub(super) on_panic: Option<OnFailure>,
    pub(super) around: Option<Flag>,
    pub(super) guard: Option<Flag>,
}

impl HookOptions {
    pub(super) fn read(tokens: TokenStream) -> syn::Result<Self> {
        if let Some(TokenTree::Literal(first)) = tokens.clone().into_iter().next() {
            return Err(syn::Error::new(
                first.span(),
                format!(
                    "an option has a name: write `priority = {first}`, or another of {ON_HOOKS}"
                ),
            ));
        }
        driver::options(tokens, ON_HOOKS)
    }
}

impl HandlerOptions {
    pub(super) fn read(tokens: TokenStream) -> syn::Result<Self> {
        driver::options(tokens, ON_METHODS)
    }

    /// What the event's subject must match: `only(…)`, `tool(…)`, or either.
    pub(super) fn subjects(&self) -> impl Iterator<Item = &Only> {
        self.only.iter().chain(&self.tool)
    }

    /// These options, with the block's for those that are not set.
    pub(super) fn over(self, block: &HandlerOptions) -> HandlerOptions {
        let has_subjects = self.subjects().next().is_some();
        let of_block = |only: &Option<Only>| only.clone().filter(|_| !has_subjects);
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

/// `around` or `guard`, with its span.
#[derive(Clone, Copy)]
pub(super) struct Flag {
    pub(super) span: Span,
}

impl FromMeta for Flag {
    fn from_meta(meta: &Meta) -> darling::Result<Self> {
        driver::flag(meta).map(|_| Flag {
            span: meta.path().span(),
        })
    }
}

/// `only("glob", …)` or `tool("glob", …)`.
#[derive(Clone)]
pub(super) struct Only {
    pub(super) globs: Vec<Glob>,
    /// The names that well-known agents give to the tools of `tool(…)`.
    pub(super) names: Vec<&'static str>,
    pub(super) span: Span,
}

impl FromMeta for Only {
    fn from_meta(meta: &Meta) -> darling::Result<Self> {
        let option = driver::name_of(meta.path());
        let how = format!("`{option}` takes globs: write `{option}(\"shell\", \"file_*\")`");
        let Meta::List(list) = meta else {
            return Err(error(meta, how));
        };
        let written = list
            .parse_args_with(Punctuated::<LitStr, syn::Token![,]>::parse_terminated)
            .map_err(|wrong| error(&wrong.span(), &how))?;
        if written.is_empty() {
            return Err(error(meta, how));
        }
        let mut errors = darling::Error::accumulator();
        let mut only = Only {
            globs: Vec::new(),
            names: Vec::new(),
            span: list.path.span(),
        };
        for text in &written {
            let glob = Glob::new(&text.value()).map_err(|wrong| error(text, wrong));
            let Some(glob) = errors.handle(glob) else {
                continue;
            };
            if option == "tool" {
                only.names
                    .extend(errors.handle(tools(&glob, text)).into_iter().flatten());
            }
            only.globs.push(glob);
        }
        errors.finish_with(only)
    }
}

/// The names of the tools that a glob means. A name of which no agent has a tool is a mistake.
fn tools(glob: &Glob, written: &LitStr) -> darling::Result<Vec<&'static str>> {
    for tokens in glob.alternatives() {
        let [Token::Text(name)] = &tokens[..] else {
            continue;
        };
        let likeness = |known: &&str| strsim::jaro_winkler(known, name);
        let nearest = all_tools().max_by(|one, other| likeness(one).total_cmp(&likeness(other)));
        let how = match nearest {
            Some(known) if known == &**name => continue,
            Some(known) if likeness(&known) > 0.8 => format!("did you mean `{known}`? For"),
            _ => "for".to_owned(),
        };
        return Err(error(
            written,
            format!(
                "no well-known agent has a tool `{name}`: {how} a tool that only your agent has, write \
                 `only(\"{name}\")`"
            ),
        ));
    }
    Ok(hooks_glob::tools::names(glob))
}

/// The names of all tools of well-known agents.
fn all_tools() -> impl Iterator<Item = &'static str> {
    let same = hooks_glob::tools::same().flat_map(|tool| tool.names().collect::<Vec<_>>());
    same.chain(hooks_glob::tools::lines().map(|(_, name, _)| name))
}

/// `timeout = "2s"`.
#[derive(Clone, Copy)]
pub(super) struct Timeout {
    pub(super) duration: Duration,
    pub(super) span: Span,
}

impl FromMeta for Timeout {
    fn from_meta(meta: &Meta) -> darling::Result<Self> {
        const HOW: &str = "write a duration in words, as `\"2s\"`, `\"500ms\"` or `\"1m 30s\"`";
        let value = driver::expression(meta)?;
        let Some(Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        })) = &value
        else {
            return Err(error(&value, HOW));
        };
        match humantime::parse_duration(&text.value()) {
            Ok(Duration::ZERO) => Err(error(text, "a timeout of zero lets no hook run")),
            Ok(duration) => {
                let span = meta.path().span();
                Ok(Timeout { duration, span })
            }
            Err(wrong) => Err(error(text, format!("not a duration ({wrong}): {HOW}"))),
        }
    }
}

/// What happens when a hook fails.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Choice {
    Propagate,
    Skip,
    Block,
}

/// `on_panic = …` or `on_timeout = …`.
#[derive(Clone, Copy)]
pub(super) struct OnFailure {
    pub(super) choice: Choice,
    /// The span of the choice.
    pub(super) span: Span,
    /// The span of the option's name.
    pub(super) option: Span,
}

impl FromMeta for OnFailure {
    fn from_meta(meta: &Meta) -> darling::Result<Self> {
        let is_panic = meta.path().is_ident("on_panic");
        let value = driver::expression(meta)?;
        let choice = match &value {
            Some(Expr::Path(path)) if path.path.is_ident("skip") => Choice::Skip,
            Some(Expr::Path(path)) if path.path.is_ident("block") => Choice::Block,
            Some(Expr::Path(path)) if is_panic && path.path.is_ident("propagate") => {
                Choice::Propagate
            }
            _ if is_panic => {
                return Err(error(
                    &value,
                    "`on_panic` is `propagate`, `skip` or `block`",
                ));
            }
            _ => return Err(error(&value, "`on_timeout` is `block` or `skip`")),
        };
        Ok(OnFailure {
            choice,
            span: value.span(),
            option: meta.path().span(),
        })
    }
}

fn error(at: &impl Spanned, message: impl std::fmt::Display) -> darling::Error {
    darling::Error::custom(message).with_span(&at.span())
}
