//! Checks what a hook's function says: its return type, and its body, as far as the tokens show it.

use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;
use syn::{
    Block, Expr, ExprIf, PathSegment, ReturnType, Signature, Stmt, TypeParamBound, TypeTraitObject,
    parse_quote,
};

use super::parameters::last_segment;
use super::parse::{HookFunction, unless_it_fails};
use crate::driver::{Errors, text};
use crate::lifetimes::first_ident;

/// Checks a function. A body with a mistake is left out, so that rustc says nothing more about it.
pub(super) fn check(
    handler: &HookFunction,
    signature: &mut Signature,
    block: &mut Block,
    errors: &mut Errors,
) {
    let mut said = ReturnCheck {
        handler,
        found: Errors::default(),
    };
    said.visit_return_type_mut(&mut signature.output);
    let tokens = block.to_token_stream();
    let is_async = |word: &Ident| word == "async";
    let mut body = Body {
        handler,
        own_name: handler
            .action()
            .filter(|_| handler.options.guard.is_some())
            .and_then(last_segment),
        may_wait: handler.is_async || first_ident(tokens.clone(), &is_async).is_some(),
        says_nothing: matches!(signature.output, ReturnType::Default),
        found: said.found,
    };
    body.tokens(tokens);
    if let Some(at) = action_of(block) {
        body.action_without_type(at);
    }
    if let ReturnType::Type(_, ty) = &signature.output
        && last_segment(unless_it_fails(ty)).is_some_and(|name| name == "HookAction")
        && let Some(at) = ends_open(block)
    {
        let fails = last_segment(ty).is_some_and(|name| name == "Result");
        let [before, after] = if fails { ["Ok(", ")"] } else { ["", ""] };
        body.found.at(
            at,
            format!("after this, the hook says nothing: write `{before}HookAction::Continue{after}` at its end"),
        );
    }
    if let Err(error) = body.found.finish() {
        errors.push(error);
        *block = parse_quote!({ ::core::unreachable!() });
    }
}

/// Checks a return type.
struct ReturnCheck<'h> {
    handler: &'h HookFunction,
    found: Errors,
}

impl VisitMut for ReturnCheck<'_> {
    /// An action is on one event, and a hook returns no result of a dispatch.
    fn visit_path_segment_mut(&mut self, segment: &mut PathSegment) {
        syn::visit_mut::visit_path_segment_mut(self, segment);
        let (why, result) = match segment.ident.to_string().as_str() {
            "HookAction" if segment.arguments.is_none() => ("an action is on one event", ""),
            "HookResult" => (
                "a dispatch returns a `HookResult`, and a hook an action",
                ", and `result.into()` to return what other hooks decided",
            ),
            _ => return,
        };
        let action = format!("HookAction<{}>", self.handler.event.written());
        let message = format!("{why}: write `{action}`{result}");
        self.found.at(segment.span(), message);
        *segment = syn::parse_str(&action).expect("a type");
    }

    /// `Box<dyn Error>` is not `Send`.
    fn visit_type_trait_object_mut(&mut self, object: &mut TypeTraitObject) {
        if self.handler.is_async
            && object.bounds.len() == 1
            && let Some(TypeParamBound::Trait(bound)) = object.bounds.first()
            && bound
                .path
                .segments
                .last()
                .is_some_and(|last| last.ident == "Error")
        {
            let error = text(&bound.path);
            self.found.at(
                object.span(),
                format!(
                    "an `async` hook may run on several threads, and `dyn {error}` cannot be sent between them: write \
                     `dyn {error} + Send + Sync`"
                ),
            );
        }
    }
}

/// Checks the tokens of a body.
struct Body<'h> {
    handler: &'h HookFunction,
    /// The name that a guard has for `HookAction`.
    own_name: Option<String>,
    may_wait: bool,
    says_nothing: bool,
    found: Errors,
}

impl Body<'_> {
    fn tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        for (nth, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Ident(word) => self.word(&tokens[..nth], word, &tokens[nth + 1..]),
                _ => {}
            }
        }
    }

    fn word(&mut self, before: &[TokenTree], word: &Ident, after: &[TokenTree]) {
        match before {
            [.., dot] if is_punct(dot, '.') && word == "await" && !self.may_wait => {
                self.may_wait = true;
                self.found
                    .at(word.span(), "a hook that awaits something is an `async fn`");
            }
            [.., TokenTree::Ident(before)] if before == "return" && word == "HookAction" => {
                self.action_without_type(word.span());
            }
            [.., colon] if is_punct(colon, ':') => self.of_a_path(before, word, after),
            _ => {}
        }
    }

    /// An action of a hook without a return type.
    fn action_without_type(&mut self, at: Span) {
        if std::mem::take(&mut self.says_nothing) {
            let event = self.handler.event.written();
            let message =
                format!("a hook that decides says so in its type: write `-> HookAction<{event}>`");
            self.found.at(at, message);
        }
    }

    /// A word after `HookAction::`, with or without type arguments, or after the name that a guard has for it.
    fn of_a_path(&mut self, before: &[TokenTree], word: &Ident, after: &[TokenTree]) {
        let is_action = |token: &TokenTree| {
            matches!(token, TokenTree::Ident(ident)
                if ident == "HookAction" || self.own_name.as_ref().is_some_and(|name| ident == name))
        };
        let is_of_path = |token: &&TokenTree| {
            matches!(token, TokenTree::Ident(_))
                || [':', '<', '>'].iter().any(|one| is_punct(token, *one))
        };
        let start = before.len() - before.iter().rev().take_while(is_of_path).count();
        let (before, path) = before.split_at(start);
        if !path.iter().any(is_action) {
            return;
        }
        let is_new_statement = match before {
            [] => true,
            [.., TokenTree::Group(group)] => group.delimiter() == Delimiter::Brace,
            [.., token] => is_punct(token, ';'),
        };
        let instead = match word.to_string().as_str() {
            "modify" | "Modify" | "respond" | "Respond" if self.handler.options.guard.is_some() => {
                return self.found.at(
                    word.span(),
                    "a guard returns `HookAction::Continue`, `block`, `abort_turn` or `abort_run`: what changes or \
                     answers the event is a hook without `guard`",
                );
            }
            "Block" | "Deny" | "deny" | "Reject" | "reject" | "Refuse" | "Stop" | "stop"
            | "Abort" | "abort" | "cancel" | "skip" | "Skip" => "block(reason)",
            "Allow" | "allow" | "continue_" | "Approve" | "Accept" | "Pass" | "pass"
            | "Proceed" | "Ok" | "ok" | "None" => "Continue",
            "Replace" | "replace" | "Change" | "Update" | "Rewrite" => "modify(change)",
            "Answer" | "answer" | "Reply" | "reply" => "respond(answer)",
            _ => {
                let dropped = matches!(after, [TokenTree::Group(_), end, ..] if is_punct(end, ';'));
                if is_new_statement && dropped && is_action(&path[0]) {
                    let how = format!(
                        "an action does nothing until the hook returns it: write `return HookAction::{word}(…)`"
                    );
                    self.found.at(path[0].span(), how);
                } else if ["block", "abort_turn", "abort_run"]
                    .iter()
                    .any(|known| word == known)
                    && let Some(at) = after.first().and_then(borrowed)
                {
                    self.found.at(
                        at,
                        "the reason outlives the hook: give it away, as `format!(…)`, or as `text.clone()` without `&`",
                    );
                }
                return;
            }
        };
        let message = format!("there is no `HookAction::{word}`: write `HookAction::{instead}`");
        self.found.at(word.span(), message);
    }
}

/// Where arguments begin with a borrow of what is not a constant.
fn borrowed(arguments: &TokenTree) -> Option<Span> {
    let TokenTree::Group(group) = arguments else {
        return None;
    };
    let mut tokens = group.stream().into_iter();
    let is_borrow = tokens.next().filter(|token| is_punct(token, '&'))?;
    let is_variable = |word: &Ident| word.to_string().starts_with(char::is_lowercase);
    matches!(tokens.next()?, TokenTree::Ident(word) if is_variable(&word)).then(|| is_borrow.span())
}

fn is_punct(token: &TokenTree, one: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == one)
}

/// Where a block has an action as its value.
fn action_of(block: &Block) -> Option<Span> {
    match block.stmts.last()? {
        Stmt::Expr(expr, None) => action(expr),
        _ => None,
    }
}

fn action(expr: &Expr) -> Option<Span> {
    match expr {
        Expr::Path(path) => {
            let segments = &path.path.segments;
            segments
                .iter()
                .any(|part| part.ident == "HookAction")
                .then(|| path.span())
        }
        Expr::Call(call) => action(&call.func),
        Expr::Block(block) => action_of(&block.block),
        Expr::If(ExprIf {
            then_branch,
            else_branch,
            ..
        }) => action_of(then_branch).or_else(|| action(&else_branch.as_ref()?.1)),
        Expr::Match(all) => all.arms.iter().find_map(|arm| action(&arm.body)),
        _ => None,
    }
}

/// Where a block ends with an `if` without an `else`, or with a loop, which have no value.
fn ends_open(block: &Block) -> Option<Span> {
    let Stmt::Expr(mut expr, _) = block.stmts.last()?.clone() else {
        return None;
    };
    // The keyword.
    let at = expr.to_token_stream().into_iter().next()?.span();
    while let Expr::If(ExprIf {
        else_branch: Some((_, other)),
        ..
    }) = expr
    {
        expr = *other;
    }
    matches!(expr, Expr::If(_) | Expr::ForLoop(_) | Expr::While(_)).then_some(at)
}
