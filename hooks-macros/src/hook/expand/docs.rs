//! The line in the docs of a hook that says what it hooks.

use syn::{Expr, Type};

use crate::driver::text;
use crate::hook::parameters::last_segment;
use crate::hook::parse::{Handled, HookFunction, ParsedHook};

/// What the hook handles, and when: ``Hook on `BeforeToolCall`, priority 1000, guard, only `shell`.``
pub(super) fn line(hook: &ParsedHook) -> String {
    let priority = match &hook.priority {
        number @ (Expr::Lit(_) | Expr::Unary(_)) => text(number),
        expr => format!("`{}`", text(expr)),
    };
    if let [handler] = &hook.handlers[..] {
        let (event, conditions) = (event(handler), conditions(handler));
        return format!(" Hook {event}, priority {priority}{conditions}.");
    }
    let handlers = hook.handlers.iter().map(|handler| {
        let (event, conditions) = (event(handler), conditions(handler));
        format!("\n- `{}`: {event}{conditions}", handler.function)
    });
    let handlers: String = handlers.collect();
    format!(" Hook, priority {priority}:\n{handlers}")
}

/// What a handler hooks.
fn event(handler: &HookFunction) -> String {
    let name = |ty: &Type| last_segment(ty).unwrap_or_else(|| text(ty));
    match &handler.event {
        Handled::Every { view, .. } => format!("on every event, as `{}`", name(view)),
        Handled::One { written, .. } if handler.is_around() => {
            format!("around `{}`", name(&written.ty))
        }
        Handled::One { written, .. } => format!("on `{}`", name(&written.ty)),
    }
}

/// When it runs.
fn conditions(handler: &HookFunction) -> String {
    let options = &handler.options;
    let mut all = Vec::new();
    if options.guard.is_some() {
        all.push(", guard".to_owned());
    }
    for (option, subjects) in [("only", &options.only), ("tool", &options.tool)] {
        let globs = subjects.iter().flat_map(|subjects| &subjects.globs);
        let globs: Vec<_> = globs.map(|glob| format!("`{glob}`")).collect();
        if !globs.is_empty() {
            all.push(format!(", {option} {}", globs.join(" or ")));
        }
    }
    match &options.when {
        None => {}
        Some(Expr::Path(path)) => all.push(format!(", when `{}` holds", text(path))),
        Some(_) => all.push(", when its predicate holds".to_owned()),
    }
    all.concat()
}
