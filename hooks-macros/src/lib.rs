//! The macros of `hooks-core`, which re-exports them. Use them through `hooks-core`.
//!
//! Each macro has a folder and the same three steps: `parse` reads the input, `check` reports mistakes at the user's
//! own token, and `expand` writes the code. `driver` holds what the macros share. Generated code accesses
//! `hooks-core` only through `__private`, and contains no `unsafe`.

mod driver;
mod glob;
mod hook;
mod hook_event;
mod hooks;
#[cfg(feature = "include")]
mod include;
mod lifetimes;
mod options;
mod rank;
#[cfg(test)]
mod tests;

use proc_macro::TokenStream;

/// Turns a function, or a type with an annotated `impl` block, into a hook.
///
/// ```
/// # use hooks_core::agent::{AgentContext, AgentEvent, BeforeToolCall, ToolCallEnd};
/// use hooks_core::{HookAction, hook, hooks, priority};
///
/// /// The event comes from the parameter's type, the kind from the event.
/// #[hook(priority = 50, only("shell"))]
/// fn deny_rm(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
///     if call.args["command"].as_str().is_some_and(|command| command.contains("rm -rf")) {
///         return HookAction::block("recursive delete is not allowed");
///     }
///     HookAction::Continue
/// }
///
/// /// The context comes before the event; what is taken by `&mut` is changed in place.
/// #[hook(priority = priority::NORMAL + 10, only("file_*"))]
/// fn absolute(cx: &AgentContext, call: &mut BeforeToolCall) {
///     if let Some(path) = call.args["path"].as_str() {
///         call.args["path"] = format!("{}/{path}", cx.cwd).into();
///     }
/// }
///
/// /// An asynchronous hook.
/// #[hook(priority = priority::AUDIT, on_panic = skip)]
/// async fn report(done: &ToolCallEnd<'_>) { /* … */ }
///
/// /// Sees every event of the vocabulary, read-only.
/// #[hook(every, priority = priority::LAST)]
/// fn trace(event: AgentEvent<'_>) { println!("{}", event.name()); }
///
/// /// State, and several events.
/// struct RateLimit { left: std::sync::atomic::AtomicI32 }
///
/// #[hook(priority = 200)]
/// impl RateLimit {
///     fn check(&self, _: &BeforeToolCall) -> HookAction<BeforeToolCall> {
///         match self.left.fetch_sub(1, std::sync::atomic::Ordering::Relaxed) {
///             1.. => HookAction::Continue,
///             _ => HookAction::block("too many calls"),
///         }
///     }
///     async fn note(&self, done: &ToolCallEnd<'_>) { /* … */ }
/// }
///
/// let hooks = hooks![trace, report, absolute, deny_rm, RateLimit { left: 60.into() }];
/// assert_eq!(format!("{hooks:?}"), "[RateLimit, deny_rm, absolute, report, trace]");
/// ```
///
/// # What a hook takes and returns
///
/// A hook takes the event by `&`, or by `&mut` if it is intercepted. Before the event, it may take the vocabulary's
/// context by `&`. Write an event that borrows with its lifetime elided: `&ToolCallEnd<'_>`. A hook returns nothing.
/// On an intercepted event it may also return `HookAction<E>`, or a `Result` of either, whose `Err` blocks the event:
/// see [`Return`](../hooks_core/trait.Return.html). What an `async` hook returns is `Send`: an error that can be any
/// error is a `Box<dyn Error + Send + Sync>`. Elide the lifetime in the action on a borrowing event, too:
///
/// ```
/// # use hooks_core::agent::ApproveToolCall;
/// # use hooks_core::{HookAction, hook};
/// #[hook]
/// fn approve(request: &ApproveToolCall<'_>) -> HookAction<ApproveToolCall<'_>> {
///     if request.name == "shell" { HookAction::block("no shell here") } else { HookAction::Continue }
/// }
/// ```
///
/// # Every event
///
/// A hook with `every` handles all events of a vocabulary in one function. Its parameter decides what it may do: with
/// `AgentEvent<'_>` it only looks, and returns nothing; with `AgentEventMut<'_>` it may change the event and decide. In
/// the second case it may return `AgentSaid`. `block`, `abort_turn` and `abort_run` fit every event that allows them;
/// `into()` turns an action on one event into an `AgentSaid`.
///
/// ```
/// # use hooks_core::agent::{AgentContext, AgentEventMut, AgentSaid, BeforeToolCall};
/// # use hooks_core::{hook, hooks, priority};
/// /// A subagent may only look.
/// #[hook(every, priority = priority::FIRST)]
/// fn only_look(cx: &AgentContext, event: AgentEventMut<'_>) -> AgentSaid {
///     if cx.depth > 0 && event.can_block() {
///         return AgentSaid::block(format!("a subagent may not do {}", event.name()));
///     }
///     AgentSaid::Continue
/// }
///
/// let subagent = AgentContext::new("s1").with_depth(1);
/// let result = hooks![only_look].intercept_now(&subagent, &mut BeforeToolCall::default());
/// assert_eq!(result.as_cancel().unwrap().reason, "a subagent may not do BeforeToolCall");
/// ```
///
/// # Guards
///
/// A later hook may change what an earlier one has approved. A guard judges what takes effect: in its place, and once
/// more at the end if a hook after it has changed the event. It takes the event by `&`, and returns
/// `HookAction::Continue`, `block`, `abort_turn` or `abort_run`. To judge twice must do no harm, so a counter is not a
/// guard.
///
/// `modify` and `respond` do not compile in a guard, and neither does a guard that returns nothing. A function that the
/// guard calls may still return them: the guard then blocks the event, with a reason that says so.
///
/// ```
/// # use hooks_core::agent::{AgentContext, BeforeToolCall};
/// # use hooks_core::{HookAction, hook, hooks, priority};
/// #[hook(guard, priority = priority::SECURITY)]
/// fn no_shell(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
///     if call.name == "shell" { HookAction::block("no shell here") } else { HookAction::Continue }
/// }
///
/// #[hook]
/// fn alias(call: &mut BeforeToolCall) {
///     if call.name == "sh" { call.name = "shell".into(); }
/// }
///
/// let mut call = BeforeToolCall { name: "sh".into(), ..Default::default() };
/// let result = hooks![no_shell, alias].intercept_now(&AgentContext::new("s1"), &mut call);
/// assert_eq!(result.as_cancel().unwrap().hook, "no_shell");
/// ```
///
/// # Around the work
///
/// A hook with `around` is an `async fn` that takes the event by `&` and, as its last parameter, `Next`. It awaits
/// `next.run()`, which runs the work that follows the event, and returns the output. Hooks of higher priority are
/// farther out. An around hook takes the options `priority`, `name`, `only` and `when`, and no policies. You can put
/// it in a list, but not in a registry. Only events with `around = Type` have work to wrap; in the standard
/// vocabulary these are `BeforeToolCall` and `BeforeLlmCall`. Around hooks need the feature `std`.
///
/// ```
/// # use hooks_core::agent::{AgentContext, BeforeToolCall, ToolCall, ToolOutput, run_tool_call};
/// # use hooks_core::{Next, hook, hooks};
/// #[hook(around, when = |cx, _| cx.depth == 0)]
/// async fn log(_: &AgentContext, call: &BeforeToolCall, mut next: Next<'_, BeforeToolCall>) -> ToolOutput {
///     println!("{} begins", call.name);
///     let output = next.run().await;
///     println!("{} is done", call.name);
///     output
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let call = ToolCall::new("1", "list", serde_json::json!({}));
/// let done = run_tool_call(&hooks![log], &AgentContext::new("s1"), call, async |_: &BeforeToolCall| {
///     ToolOutput::new("a.txt")
/// })
/// .await;
/// assert_eq!(done.unwrap().output.content, "a.txt");
/// # }
/// ```
///
/// # What it expands to
///
/// A function becomes a unit struct of the same name, with the visibility, docs, `cfg`s and lint attributes of the
/// function. So the name is the hook in a list. You can still call the function itself, as `deny_rm::call(…)`, and
/// test the hook like any function. A line of its docs says what it hooks, at which priority and when; for an `impl`
/// block, the line is at its `impl Hook`. As with any unit struct, no `let` in its scope can have its name.
///
/// In an `impl` block, the methods that take `&self` and more parameters are hooks. All methods stay as they are. A
/// type has one such block; put its other methods in blocks without `#[hook]`.
///
/// # Options
///
/// | option | meaning | default |
/// | --- | --- | --- |
/// | `priority = EXPR` | a const `i32`; higher runs first | `0` |
/// | `name = "…"` | a const `&str`: its name in plans, and in `cancel.hook` | the item's name |
/// | `only("glob", …)` | runs only if the event's subject matches one of the globs: `*`, `?`, `[a-z]`, `[!a-z]`, `{a,b}`; `\` escapes a character. `hooks-glob` has the rule, which is that of configurations too. A name is literal: `only("shell")` is the tool that the agent calls `shell`, and no other | every event |
/// | `tool("glob", …)` | the same for a tool under any of the names that well-known agents give it, as `tools` in a file: `tool("shell")` is `Bash` in Claude Code and `run_shell_command` in Gemini CLI. With `only(…)` too, either is enough | every event |
/// | `when = predicate` | runs only if the predicate holds: a path or a closure to `bool`, from `&E`, or from `&Context` and `&E` | every event |
/// | `timeout = "2s"` | drops an asynchronous hook that runs longer; write durations like `"1m 30s"` or `"500ms"`; needs the feature `tokio`, and a tokio runtime around the dispatch | none |
/// | `on_timeout = block \| skip` | after a timeout: block the event with that reason, or restore the event as it was before the hook and continue | `block` on intercepted events, `skip` on observed ones |
/// | `on_panic = propagate \| skip \| block` | the same for a panic; needs the feature `std` | `propagate` |
/// | `every` | the hook receives every event of a vocabulary. It takes the enum by value: `AgentEvent<'_>` to look, or `AgentEventMut<'_>` to change the event and decide, and then it may return `AgentSaid` | |
/// | `guard` | the hook only judges: it may block or abort. If a later hook changes the event, it judges the final form as well | |
/// | `around` | the hook wraps the work of the event, which it takes as its last parameter, `Next` | |
/// | `vocabulary = path` | with `every`: the enum, if the parameter's type does not name it | the parameter's type |
/// | `crate = path` | the path of `hooks_core` | `::hooks_core`, or its name in `Cargo.toml` |
///
/// ```
/// # use hooks_core::agent::{AgentContext, BeforeToolCall};
/// # use hooks_core::{HookAction, hook, hooks};
/// #[hook(tool("shell"))]
/// fn no_scripts(_: &BeforeToolCall) -> HookAction<BeforeToolCall> { HookAction::block("no scripts here") }
///
/// let blocks = |name: &str| {
///     let mut call = BeforeToolCall { name: name.into(), ..Default::default() };
///     !hooks![no_scripts].intercept_now(&AgentContext::new("s1"), &mut call).is_continue()
/// };
/// assert!(blocks("shell") && blocks("Bash") && blocks("run_shell_command"));
/// assert!(!blocks("file_read"));
/// ```
///
/// On an `impl` block, the options apply to every method. You may also put `only`, `tool`, `when`, `timeout`, `on_timeout`,
/// `on_panic`, `around` and `guard` on a method, as in `#[hook(only("shell"))]`. They override those of the block.
#[proc_macro_attribute]
pub fn hook(options: TokenStream, item: TokenStream) -> TokenStream {
    hook::expand(options.into(), item.into()).into()
}

/// The macro behind `hooks_core::hooks![…]`, which passes it the path of `hooks_core`.
#[doc(hidden)]
#[proc_macro]
pub fn hooks(list: TokenStream) -> TokenStream {
    hooks::expand(list.into()).into()
}

/// Turns an enum into a vocabulary: its variants are events, and hooks take their payloads.
///
/// The enum borrows its payloads. It is both the declaration and the read-only view of any event. Each variant holds
/// one payload by reference, and its attribute decides what hooks may do.
///
/// ```
/// use hooks_core::{HookAction, HookEvent, HookResult, hook, hooks};
///
/// #[derive(Debug, Clone)]
/// pub struct Cart { pub total: u32 }
/// pub struct Parcel<'a> { pub address: &'a str }
/// #[derive(Debug, PartialEq)]
/// pub struct Receipt(u32);
/// pub struct ShopContext { pub currency: &'static str }
///
/// #[derive(HookEvent, Clone, Copy)]
/// #[events(context = ShopContext)]
/// pub enum ShopEvent<'a> {
///     /// Before the cart is paid for.
///     #[intercept(respond = Receipt)]
///     Checkout(&'a Cart),
///     /// A parcel has left.
///     #[observe]
///     Shipped(&'a Parcel<'a>),
/// }
///
/// #[hook]
/// fn free_for_staff(cart: &Cart) -> HookAction<Cart> {
///     if cart.total == 0 { HookAction::respond(Receipt(0)) } else { HookAction::Continue }
/// }
///
/// #[hook]
/// fn announce(cx: &ShopContext, parcel: &Parcel<'_>) {
///     println!("to {}, paid in {}", parcel.address, cx.currency);
/// }
///
/// /// The bound that an agent author writes.
/// fn checkout(hooks: &impl ShopHooks, mut cart: Cart) -> bool {
///     hooks.handles::<Cart>() && cart.total > 0
/// }
/// assert!(checkout(&hooks![announce, free_for_staff], Cart { total: 5 }));
///
/// let cx = ShopContext { currency: "EUR" };
/// let result = hooks![free_for_staff].intercept_now(&cx, &mut Cart { total: 0 });
/// assert_eq!(result, HookResult::Respond(Receipt(0)));
/// assert_eq!(ShopEvent::NAMES, ["Checkout", "Shipped"]);
/// assert_eq!(ShopEvent::from(&Parcel { address: "here" }).name(), "Shipped");
/// ```
///
/// # What it generates
///
/// For an enum `ShopEvent` (the names leave out the suffix `Event`):
///
/// | item | what it is |
/// | --- | --- |
/// | `ShopEvent::NAMES`, `event.name()`, `From<&Payload>` for the enum | the names of the events, and a view of one event |
/// | [`Event`](../hooks_core/trait.Event.html) for each payload | with the traits for what its hooks may do |
/// | `trait ShopHooks` | the one bound that an agent author writes. Every hook and every pipeline of the vocabulary meets it. A future that dispatches through it is `Send`. Its method `when` filters all events at once |
/// | `trait ShopHooksNow` | the same for agents without an executor, met by hooks of which none is `async` |
/// | `enum ShopEventMut<'a>` | any event, lent for changes: as `&'a mut` if it is intercepted, as `&'a` if it is observed or itself borrows. A hook with `every` takes it; `view()` reads it |
/// | `enum ShopSaid` | a hook's decision about a `ShopEventMut`: `Continue`, `block(…)`, `abort_turn(…)`, `abort_run(…)`, or an action on one event, by `into()` |
/// | `trait ShopHandler` | a hook in a box, for events that are known only at run time. Implement it with `#[async_trait]`: one method, `handle`, and if wanted `name`, `priority`, `wants` and `is_guard`. A `Box<dyn ShopHandler>` is a hook |
///
/// The documentation of `ShopEvent` also gets a table of all events: the kind, what a hook may do, and the first
/// sentence of the variant's documentation, which should say when the event is raised.
///
/// ```
/// use hooks_core::{HookEvent, HookRegistry, async_trait, hook, hooks};
///
/// #[derive(Clone)]
/// pub struct Cart { pub total: u32 }
/// pub struct Parcel<'a> { pub address: &'a str }
///
/// #[derive(HookEvent)]
/// pub enum ShopEvent<'a> {
///     /// Before the cart is paid for.
///     #[intercept]
///     Checkout(&'a Cart),
///     /// A parcel has left.
///     #[observe]
///     Shipped(&'a Parcel<'a>),
/// }
///
/// /// Every event, in one function.
/// #[hook(every)]
/// fn closed(event: ShopEventMut<'_>) -> ShopSaid {
///     match event {
///         ShopEventMut::Checkout(cart) if cart.total > 100 => ShopSaid::block("the shop is closed"),
///         ShopEventMut::Checkout(cart) => { cart.total = 0; ShopSaid::Continue }
///         ShopEventMut::Shipped(_) => ShopSaid::Continue,
///     }
/// }
///
/// /// An agent that runs without an executor.
/// fn total(hooks: &impl ShopHooksNow, mut cart: Cart) -> Option<u32> {
///     hooks.intercept_now(&(), &mut cart).is_continue().then_some(cart.total)
/// }
///
/// /// A hook that exists only at run time.
/// struct Plugin { limit: u32 }
///
/// #[async_trait]
/// impl ShopHandler for Plugin {
///     fn name(&self) -> &str { "plugin" }
///     async fn handle(&self, _: &(), event: ShopEventMut<'_>) -> ShopSaid {
///         match event {
///             ShopEventMut::Checkout(cart) if cart.total > self.limit => ShopSaid::block("too much"),
///             _ => ShopSaid::Continue,
///         }
///     }
/// }
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// assert_eq!(total(&hooks![closed], Cart { total: 5 }), Some(0));
/// assert_eq!(total(&hooks![closed], Cart { total: 500 }), None);
///
/// let plugin: Box<dyn ShopHandler> = Box::new(Plugin { limit: 10 });
/// let registry = HookRegistry::<ShopEvent>::new().with(plugin);
/// let result = registry.intercept(&(), &mut Cart { total: 11 }).await;
/// assert_eq!(result.as_cancel().unwrap().hook, "plugin");
/// # }
/// ```
///
/// The enum, its context and its response types must be as visible as the payloads. A hook function in the same
/// module cannot be named `cx`, `event` or `subject`, because the parameters of the generated methods have these names.
///
/// # Options
///
/// | on | option | meaning |
/// | --- | --- | --- |
/// | the enum | `#[events(context = Type)]` | what every hook may read besides the event; default `()` |
/// | the enum | `#[events(crate = path)]` | the path of `hooks_core` |
/// | a variant | `#[observe]` | hooks look; asynchronous ones run concurrently |
/// | a variant | `#[intercept]` | hooks run in order; they may change the event, or stop it |
/// | | `#[intercept(respond = Type)]` | a hook may answer instead of the agent; without this option, no hook can |
/// | | `#[intercept(patch = Type)]` | what `HookAction::modify` takes, a `Patch<Payload>`; without this option, the whole payload |
/// | | `#[intercept(no_block)]` | the work is already done: hooks may rewrite the event, and abort the turn or the run, but not block |
/// | | `#[intercept(around = Type)]` | hooks with `#[hook(around)]` may wrap the work that follows, whose output has this type. Your agent runs the work through [`wrap_around`](../hooks_core/fn.wrap_around.html) |
/// | | `#[intercept(approval)]` | hooks on the event may wait for a person: a registry limits them by `timeouts.approve` instead of `timeouts.intercept` |
/// | | `subject = field`, on either kind | the field that `only("glob")` matches, a `String` or `&str` |
#[proc_macro_derive(HookEvent, attributes(events, observe, intercept))]
pub fn derive_hook_event(item: TokenStream) -> TokenStream {
    driver::or_compile_error(hook_event::expand(item.into())).into()
}
