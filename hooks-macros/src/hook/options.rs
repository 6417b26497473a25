//! The options of `#[hook(…)]`, as written.

use std::time::Duration;

use darling::FromMeta;
use hooks_glob::Glob;
use proc_macro2::{Span, TokenStream, TokenTree};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, Lit, LitStr, Meta, Path, Token};

use crate::driver;

const ON_HOOKS: &str = "`priority`, `name`, `only(…)`, `when`, `timeout`, `on_timeout`, `on_panic`, \
                        `around`, `guard`, `every`, `vocabulary` and `crate`";
const ON_METHODS: &str = "`only(…)`, `when`, `timeout`, `on_timeout`, `on_panic`, `around` and `guard`; the others \
                          belong to the whole `impl` block";

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

    /// These options, with the block's for those that are not set. A policy goes with its timeout.
    pub(super) fn over(self, block: &HandlerOptions) -> HandlerOptions {
        HandlerOptions {
            only: self.only.or_else(|| block.only.clone()),
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

/// `only("glob", …)`.
#[derive(Clone)]
pub(super) struct Only {
    pub(super) globs: Vec<Glob>,
    pub(super) span: Span,
}

impl FromMeta for Only {
    fn from_meta(meta: &Meta) -> darling::Result<Self> {
        const HOW: &str = "`only` takes globs: write `only(\"shell\", \"file_*\")`";
        let Meta::List(list) = meta else {
            return Err(error(meta, HOW));
        };
        let written = list
            .parse_args_with(Punctuated::<LitStr, Token![,]>::parse_terminated)
            .map_err(|wrong| error(&wrong.span(), HOW))?;
        if written.is_empty() {
            return Err(error(meta, HOW));
        }
        let mut errors = darling::Error::accumulator();
        let globs = written.iter().filter_map(|glob| {
            errors.handle(Glob::new(&glob.value()).map_err(|wrong| error(glob, wrong)))
        });
        let globs = globs.collect();
        let span = list.path.span();
        errors.finish_with(Only { globs, span })
    }
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
