// action_borrowed
#[hook]
fn check(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    if call.id.is_empty() {
        return HookAction::block(&call.name);
    }
    HookAction::block(&REASON)
}
//~ `&`: the reason outlives the hook: give it away, as `format!(…)`, or as `text.clone()` without `&`

// action_dropped
#[hook]
fn check(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    if call.id.is_empty() {
        HookAction::<BeforeToolCall>::block("no id");
    }
    HookAction::Continue
}
//~ `HookAction`: an action does nothing until the hook returns it: write `return HookAction::block(…)`

// action_guessed
#[hook]
fn check(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    match call.name.as_str() {
        "rm" => HookAction::Deny("no".into()),
        "date" => HookAction::Reply(ToolOutput::new("Monday")),
        "ls" => HookAction::Replace(patch()),
        _ => HookAction::Allow,
    }
}
//~ `Deny`: there is no `HookAction::Deny`: write `HookAction::block(reason)`
//~ `Reply`: there is no `HookAction::Reply`: write `HookAction::respond(answer)`
//~ `Replace`: there is no `HookAction::Replace`: write `HookAction::modify(change)`
//~ `Allow`: there is no `HookAction::Allow`: write `HookAction::Continue`

// action_missing_after_a_loop
#[hook]
fn check(call: &BeforeToolCall) -> Result<HookAction<BeforeToolCall>, Denied> {
    for word in words(call)? {
        if word == "rm" {
            return Ok(HookAction::block("no"));
        }
    }
}
//~ `for`: after this, the hook says nothing: write `Ok(HookAction::Continue)` at its end

// action_missing_at_the_end
#[hook]
fn check(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    if call.id.is_empty() {
        return HookAction::block("no id");
    } else if call.name.is_empty() {
        return HookAction::block("no name");
    }
}
//~ `if`: after this, the hook says nothing: write `HookAction::Continue` at its end

// action_without_event
#[hook]
fn deny(_: &BeforeToolCall) -> HookAction {
    HookAction::block("no")
}
#[hook]
fn deny_or_fail(_: &BeforeToolCall) -> Result<HookAction, String> {
    Ok(HookAction::Continue)
}
//~ `HookAction`: an action is on one event: write `HookAction<BeforeToolCall>`
//~ `HookAction`: an action is on one event: write `HookAction<BeforeToolCall>`

// around_changes_the_event
#[hook(around)]
async fn rename(call: &mut BeforeToolCall, mut next: Next<'_, BeforeToolCall>) -> ToolOutput {
    call.name.clear();
    next.run().await
}
//~ `mut`: a hook with `around` looks at the event, which the work borrows: take it by `&`, and change it in a hook without `around`

// around_next_of_no_event
#[hook(around)]
async fn retry(call: &BeforeToolCall, mut next: Next) -> ToolOutput {
    next.run().await
}
//~ `Next`: `Next` is the work of one event: write `Next<'_, BeforeToolCall>`

// around_on_a_synchronous_function
#[hook(around)]
fn retry(_: &BeforeToolCall, _: Next<'_, BeforeToolCall>) -> ToolOutput {
    ToolOutput::new("")
}
//~ `fn`: a hook with `around` awaits the work: write `async fn`

// around_with_every
#[hook(around, every)]
async fn retry(_: AgentEvent<'_>, mut next: Next<'_, BeforeToolCall>) -> ToolOutput {
    next.run().await
}
//~ `AgentEvent<'_>`: `every` and `around` do not go together: a hook wraps the work of one event

// around_with_on_panic
#[hook(around, on_panic = skip)]
async fn limit(_: &BeforeToolCall, mut next: Next<'_, BeforeToolCall>) -> ToolOutput {
    next.run().await
}
//~ `on_panic`: a hook with `around` holds the work, so no policy could leave it out: limit the work itself, as `tokio::time::timeout(limit, next.run()).await`

// around_with_timeout
#[hook(around, timeout = "2s")]
async fn limit(_: &BeforeToolCall, mut next: Next<'_, BeforeToolCall>) -> ToolOutput {
    next.run().await
}
//~ `timeout`: a hook with `around` holds the work, so no policy could leave it out: limit the work itself, as `tokio::time::timeout(limit, next.run()).await`

// around_without_next
#[hook(around)]
async fn retry(_: &BeforeToolCall) -> ToolOutput {
    ToolOutput::new("")
}
//~ `around`: a hook with `around` takes the work as its last parameter: write `mut next: Next<'_, BeforeToolCall>`, and `next.run().await` in its middle

// await_in_a_function
#[hook]
fn check(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    ask(call).await
}
//~ `await`: a hook that awaits something is an `async fn`

// const_function
#[hook]
const fn look(_: &BeforeToolCall) {}
//~ `const`: a hook is called by the pipeline, at run time: remove `const`

// context_after_event
#[hook]
fn look(_: &BeforeToolCall, _: &AgentContext) {}
//~ `AgentContext`: the context comes before the event: swap the two

// context_by_mutable_reference
#[hook]
fn look(_: &mut AgentContext, _: &BeforeToolCall) {}
//~ `mut`: all hooks read the same context: take it by `&`, as `cx: &AgentContext`

// context_by_value
#[hook]
fn look(_: AgentContext, _: &BeforeToolCall) {}
//~ `AgentContext`: the parameter before the event is the context, by reference: write `cx: &AgentContext`; if this is the event, the context goes before it

// crate_not_a_path
#[hook(crate = "hooks_core")]
fn look(_: &BeforeToolCall) {}
//~ `"hooks_core"`: `crate` takes a path: write `crate = some::path`

// error_of_any_type_asynchronous
#[hook]
async fn look(call: &BeforeToolCall) -> Result<HookAction<BeforeToolCall>, Box<dyn std::error::Error>> {
    let fine: Box<dyn std::error::Error> = ask(call).await?;
    Ok(HookAction::Continue)
}
//~ `dyn std::error::Error`: an `async` hook may run on several threads, and `dyn std::error::Error` cannot be sent between them: write `dyn std::error::Error + Send + Sync`

// event_by_value
#[hook]
fn look(_: BeforeToolCall) {}
//~ `BeforeToolCall`: a hook takes its event by reference: write `&BeforeToolCall`, or `&mut BeforeToolCall` to change it

// event_dyn
#[hook]
fn look(_: &dyn Debug) {}
//~ `dyn Debug`: a hook handles one type of event, so its function is not generic: name the event, as `&BeforeToolCall`

// event_for_static
#[hook]
fn report(done: &ToolCallEnd<'static>) {
    println!("{}", done.name);
}
//~ `'static`: a hook sees its event for as long as the dispatch lasts, not for `'static`: write `'_`

// event_mutable_not_an_event
#[hook]
fn look(_: &mut String) {}
//~ `String`: `String` is not an event: a hook takes the payload of a variant of an enum with `#[derive(HookEvent)]`, by reference, as `&BeforeToolCall`

// event_str
#[hook]
fn look(name: &str) {
    println!("{name}");
}
//~ `str`: `str` is not an event: a hook takes the payload of a variant of an enum with `#[derive(HookEvent)]`, by reference, as `&BeforeToolCall`

// every_by_reference
#[hook(every)]
fn trace(event: &AgentEvent<'_>) {
    println!("{}", event.name());
}
//~ `&AgentEvent<'_>`: a hook with `every` takes the vocabulary's enum by value: write `event: AgentEvent<'_>`, or `event: AgentEventMut<'_>` to change it or to decide; a hook on one event goes without `every`, and in a block of its own

// every_for_static
#[hook(every)]
fn trace(event: AgentEvent<'static>) {
    println!("{}", event.name());
}
//~ `'static`: a hook sees its event for as long as the dispatch lasts, not for `'static`: write `'_`

// every_forgotten
#[hook]
fn trace(event: AgentEvent<'_>) {
    println!("{}", event.name());
}
//~ `AgentEvent<'_>`: a hook on every event of a vocabulary is written `#[hook(every)]`; a hook on one event takes its payload by reference, as `&BeforeToolCall`

// every_mutable_by_reference
#[hook(every)]
fn gate(_: &mut AgentEventMut<'_>) -> AgentSaid {
    AgentSaid::Continue
}
//~ `&mut AgentEventMut<'_>`: a hook with `every` takes the vocabulary's enum by value: write `event: AgentEvent<'_>`, or `event: AgentEventMut<'_>` to change it or to decide; a hook on one event goes without `every`, and in a block of its own

// every_mutable_forgotten
#[hook]
fn gate(_: AgentEventMut<'_>) -> AgentSaid {
    AgentSaid::Continue
}
//~ `AgentEventMut<'_>`: a hook on every event of a vocabulary is written `#[hook(every)]`; a hook on one event takes its payload by reference, as `&BeforeToolCall`

// every_with_only
#[hook(every, only("shell"))]
fn trace(_: AgentEvent<'_>) {}
//~ `only`: `only(…)` goes with one event, and `every` is for all: match on the event in the hook

// every_with_value
#[hook(every = true)]
fn trace(_: AgentEvent<'_>) {}
//~ `every`: `every` takes no value: write it alone, or leave it out

// every_with_when
#[hook(every, when = |_| true)]
fn trace(_: AgentEvent<'_>) {}
//~ `|_| true`: `when` goes with one event, and `every` is for all: match on the event in the hook

// every_without_lifetime
#[hook(every)]
fn trace(event: AgentEvent) {
    println!("{}", event.name());
}
//~ `AgentEvent`: a hook with `every` takes the vocabulary's enum, which borrows the event: write `event: AgentEvent<'_>`

// extern_function
#[hook]
extern "C" fn look(_: &BeforeToolCall) {}
//~ `extern "C"`: a hook is called by the pipeline, from Rust: remove `extern`

// generic_const
#[hook]
fn look<const N: usize>(_: &BeforeToolCall) {}
//~ `const N: usize`: a hook handles one type of event, so its function is not generic: a generic hook is a type, written `#[hook] impl<T> MyHook<T> { … }`

// generic_function
#[hook]
fn look<T>(_: &BeforeToolCall) {}
//~ `T`: a hook handles one type of event, so its function is not generic: a generic hook is a type, written `#[hook] impl<T> MyHook<T> { … }`

// generic_over_events
#[hook]
fn look<E: Event>(_: &E) {}
//~ `E: Event`: a hook handles one type of event, so its function is not generic: a generic hook is a type, written `#[hook] impl<T> MyHook<T> { … }`

// guard_answers
#[hook(guard)]
fn cached(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    if call.name == "now" {
        return HookAction::respond(ToolOutput::new("12:00"));
    }
    hooks_core::HookAction::Respond(ToolOutput::new(""))
}
//~ `respond`: a guard returns `HookAction::Continue`, `block`, `abort_turn` or `abort_run`: what changes or answers the event is a hook without `guard`
//~ `Respond`: a guard returns `HookAction::Continue`, `block`, `abort_turn` or `abort_run`: what changes or answers the event is a hook without `guard`

// guard_answers_by_other_names
#[hook(guard)]
fn cached(call: &BeforeToolCall) -> Result<Act, Denied> {
    let change = || HookAction::<BeforeToolCall>::modify(ToolCallPatch::default());
    let answer = <HookAction<BeforeToolCall>>::respond;
    let allowed = Policy::respond(call).and(Ask { modify: 1 });
    Ok(Act::respond(ToolOutput::new("12:00")))
}
//~ `modify`: a guard returns `HookAction::Continue`, `block`, `abort_turn` or `abort_run`: what changes or answers the event is a hook without `guard`
//~ `respond`: a guard returns `HookAction::Continue`, `block`, `abort_turn` or `abort_run`: what changes or answers the event is a hook without `guard`
//~ `respond`: a guard returns `HookAction::Continue`, `block`, `abort_turn` or `abort_run`: what changes or answers the event is a hook without `guard`

// guard_around
#[hook(guard, around)]
async fn retry(_: &BeforeToolCall, mut next: Next<'_, BeforeToolCall>) -> ToolOutput {
    next.run().await
}
//~ `guard`: a hook wraps the work, or it is a guard that judges the event before: write two hooks

// guard_asynchronous_beside_a_method_that_changes
#[hook]
impl Policy {
    fn rename(&self, call: &mut BeforeToolCall) {
        call.name.clear();
    }

    #[hook(guard)]
    async fn judge(&self, call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        HookAction::Continue
    }
}
//~ `judge`: a guard beside a method that changes the same event is a plain `fn`: remove `async`, or write the guard as a hook of its own

// guard_every
#[hook(guard, every)]
fn gate(event: AgentEventMut<'_>) -> AgentSaid {
    AgentSaid::block("no")
}
//~ `guard`: a guard judges one event, and `every` is for all: write `#[hook(guard)]` on a hook for each event

// guard_in_an_impl
#[hook]
impl Policy {
    #[hook(guard)]
    fn judge(&self, call: &mut BeforeToolCall) -> HookAction<BeforeToolCall> {
        HookAction::Continue
    }

    fn rename(&self, call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        HookAction::modify(ToolCallPatch::default())
    }
}
//~ `mut`: a guard judges the form of the event that takes effect, so it cannot change it: take it by `&`

// guard_modifies
#[hook(guard)]
fn rename(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    HookAction::modify(ToolCallPatch::default())
}
//~ `modify`: a guard returns `HookAction::Continue`, `block`, `abort_turn` or `abort_run`: what changes or answers the event is a hook without `guard`

// guard_mutable
#[hook(guard)]
fn rename(call: &mut BeforeToolCall) {
    call.name.clear();
}
//~ `mut`: a guard judges the form of the event that takes effect, so it cannot change it: take it by `&`

// guard_returns_nothing
#[hook(guard)]
async fn judge(request: &ApproveToolCall<'_>) {}
//~ `judge`: a guard that returns nothing judges nothing: write `-> HookAction<ApproveToolCall<'_>>`; only an event that can be blocked has guards

// guard_twice
#[hook(guard, guard)]
fn judge(_: &BeforeToolCall) {}
//~ `guard`: the option `guard` is written twice: remove one

// guard_with_value
#[hook(guard = false)]
fn judge(_: &BeforeToolCall) {}
//~ `guard`: `guard` takes no value: write it alone, or leave it out

// impl_generic_method
#[hook]
impl Guard {
    fn check<T>(&self, _: &BeforeToolCall) {}
}
//~ `T`: a hook handles one type of event, so its function is not generic: a generic hook is a type, written `#[hook] impl<T> MyHook<T> { … }`

// impl_helper_with_an_argument
#[hook]
impl Words {
    fn check(&self, call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        if self.is_bad(&call.name) { HookAction::block("bad") } else { HookAction::Continue }
    }

    fn is_bad(&self, text: &str) -> bool {
        text == "bad"
    }
}
//~ `str`: `str` is not an event: a method that is not a hook goes in an `impl` block without `#[hook]`

// impl_method_priority
#[hook]
impl Guard {
    #[hook(priority = 1)]
    fn check(&self, _: &BeforeToolCall) {}
}
//~ `priority`: unknown option `priority`: the options are `only(…)`, `tool(…)`, `when`, `timeout`, `on_timeout`, `on_panic`, `around` and `guard`; the others belong to the whole `impl` block

// impl_method_takes_no_event
#[hook]
impl Guard {
    fn check(&self, _: &BeforeToolCall) {}

    fn set_limit(&self, _: u32) {}
}
//~ `u32`: `u32` is not an event: a method that is not a hook goes in an `impl` block without `#[hook]`

// impl_methods_that_are_no_hooks
#[hook]
impl State {
    fn check(&self, call: &BeforeToolCall) -> Result<(), String> {
        if self.is_long(&call.name, self.limit) { Err("long".into()) } else { Ok(()) }
    }

    fn is_long(&self, name: &str, limit: usize) -> bool {
        name.len() > limit
    }

    fn is(&self, limit: usize) -> bool {
        self.limit == limit
    }

    fn with_limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }
}
//~ `usize`: `usize` is not an event: a method that is not a hook goes in an `impl` block without `#[hook]`
//~ `usize`: `usize` is not an event: a method that is not a hook goes in an `impl` block without `#[hook]`
//~ `self`: a hook is shared by all that use the pipeline: take `&self`, and keep what changes in an atomic or a `Mutex`; a method that is not a hook goes in an `impl` block without `#[hook]`

// impl_mutable_self
#[hook]
impl Count {
    fn note(&mut self, _: &BeforeToolCall) {
        self.0 += 1;
    }
}
//~ `self`: a hook is shared by all that use the pipeline: take `&self`, and keep what changes in an atomic or a `Mutex`; a method that is not a hook goes in an `impl` block without `#[hook]`

// impl_of_a_type_of_rust
#[hook]
impl Vec<Rule> {
    fn check(&self, call: &BeforeToolCall) -> HookAction<BeforeToolCall> { HookAction::Continue }
}
//~ `Vec<Rule>`: a hook is a type of your crate: write `struct MyHook(Vec<Rule>);`, and `#[hook]` on `impl MyHook`

// impl_options_on_a_method_that_is_no_handler
#[hook]
impl Guard {
    #[hook(only("shell"))]
    fn new() -> Self {
        Guard
    }

    fn check(&self, _: &BeforeToolCall) {}
}
//~ `hook`: this method handles no event: a hook takes `&self` and then the event, as `&BeforeToolCall`

// impl_trait_parameter
#[hook]
fn look(_: &impl Event) {}
//~ `impl Event`: a hook handles one type of event, so its function is not generic: name the event, as `&BeforeToolCall`

// impl_two_handlers_of_every_event
#[hook(every)]
impl Trace {
    fn first(&self, _: AgentEvent<'_>) {}

    fn second(&self, _: AgentEvent<'_>) {}
}
//~ `AgentEvent<'_>`: `first` is given every event already: a hook with `every` has one method

// impl_two_handlers_of_one_event
#[hook]
impl RateLimit {
    fn check(&self, _: &BeforeToolCall) {}

    fn note(&self, _: &mut BeforeToolCall) {}
}
//~ `BeforeToolCall`: `check` handles this event already: a hook answers an event once

// impl_without_handler
#[hook]
impl RateLimit {
    fn new() -> Self {
        RateLimit { left: 60 }
    }

    fn left(&self) -> u32 {
        self.left
    }
}
//~ `RateLimit`: this `impl` block handles no event: write a method that takes `&self` and an event, as `fn check(&self, call: &BeforeToolCall)`

// name_made_at_run_time
#[hook(name = format!("look {}", 1))]
fn look(_: &BeforeToolCall) {}
//~ `format!("look {}", 1)`: a name is a text in quotes, or a constant: write `name = "…"`; a name that is made at run time is given in the list, as `hook.named(name)`

// name_of_a_variable
#[hook(name = no_rm)]
fn look(_: &BeforeToolCall) {}
//~ `no_rm`: a name is a text in quotes, or a constant: write `name = "…"`; a name that is made at run time is given in the list, as `hook.named(name)`

// next_without_around
#[hook]
async fn retry(_: &BeforeToolCall, mut next: Next<'_, BeforeToolCall>) -> ToolOutput {
    next.run().await
}
//~ `Next<'_, BeforeToolCall>`: `Next` is for a hook that wraps the work: write `#[hook(around)]`

// no_parameter
#[hook]
fn look() {}
//~ `look`: a hook takes the event that it handles: write `event: &BeforeToolCall`

// on_const
#[hook]
const LIMIT: u32 = 60;
//~ `const`: `#[hook]` goes on a function or an `impl` block, not on a value: write it on a function; a closure becomes a hook with `intercept_fn` or `observe_fn`

// on_module
#[hook]
mod hooks {}
//~ `mod hooks {}`: `#[hook]` goes on a function or an `impl` block, not on this: write it on `fn name(event: &Event)`

// on_panic_string
#[hook(on_panic = "skip")]
fn look(_: &BeforeToolCall) {}
//~ `"skip"`: `on_panic` is `skip`, `block` or `propagate`, without quotes: write `on_panic = skip`

// on_panic_unknown_policy
#[hook(on_panic = ignore)]
fn look(_: &BeforeToolCall) {}
//~ `ignore`: `on_panic` is `skip`, `block` or `propagate`, without quotes: write `on_panic = skip`

// on_struct
#[hook]
struct DenyRm;
//~ `struct`: `#[hook]` goes on a function or an `impl` block, not on a type: write it on an `impl` block of the type, with a method for each event

// on_timeout_propagate
#[hook(timeout = "2s", on_timeout = propagate)]
async fn look(_: &BeforeToolCall) {}
//~ `propagate`: `on_timeout` is `skip` or `block`, without quotes: write `on_timeout = skip`

// on_timeout_unknown_policy
#[hook(timeout = "2s", on_timeout = retry)]
async fn look(_: &BeforeToolCall) {}
//~ `retry`: `on_timeout` is `skip` or `block`, without quotes: write `on_timeout = skip`

// on_timeout_without_timeout
#[hook(on_timeout = skip)]
async fn look(_: &BeforeToolCall) {}
//~ `on_timeout`: `on_timeout` without `timeout`: say how long the hook may take, as `timeout = "2s"`

// on_trait
#[hook]
trait Guard {}
//~ `trait`: `#[hook]` goes on a function or an `impl` block, not on a trait: write it on the `impl` block of a type

// on_trait_impl
#[hook]
impl Check for Guard {
    fn check(&self, _: &BeforeToolCall) {}
}
//~ `Check`: `#[hook]` goes on an `impl` block of the type itself: a trait's methods are not hooks

// only_malformed_glob
#[hook(only("file_[a-z"))]
fn look(_: &BeforeToolCall) {}
//~ `"file_[a-z"`: `file_[a-z` is not a glob: `[` at character 6 is not closed: write `[a-z]`, or `\[` for the character

// only_not_strings
#[hook(only(shell))]
fn look(_: &BeforeToolCall) {}
//~ `shell`: `only` takes globs: write `only("shell", "file_*")`

// only_one_of_two_globs_malformed
#[hook(only("shell", "{a,b"))]
fn look(_: &BeforeToolCall) {}
//~ `"{a,b"`: `{a,b` is not a glob: `{` at character 1 is not closed: write `{a,b}`, or `\{` for the character

// only_without_globs
#[hook(only())]
fn look(_: &BeforeToolCall) {}
//~ `only`: `only` takes globs: write `only("shell", "file_*")`

// only_written_with_equals
#[hook(only = "shell")]
fn look(_: &BeforeToolCall) {}
//~ `only`: `only` is written `only("shell", "file_*")`

// option_of_another_system
#[hook(event = "before_tool_call", tools = ["shell"], if = "true", mode = "shadow", order = 1, async, on_error = skip)]
fn look(_: &BeforeToolCall) {}
//~ `event`: unknown option `event`: the function's parameter says the event: write `fn name(call: &BeforeToolCall)`
//~ `tools`: unknown option `tools`: write `tool("shell")` for a tool under any of its names, or `only("shell")` for the name alone
//~ `if`: unknown option `if`: write `when = |event| …`
//~ `mode`: unknown option `mode`: write it where the hook is listed: `hook.shadow()`, `hook.read_only()`, or `on.then_some(hook)`
//~ `order`: unknown option `order`: write `priority = 50`: a higher one runs first
//~ `async`: unknown option `async`: the function says it: write `async fn`, or `fn`
//~ `on_error`: unknown option `on_error`: an `Err` that the hook returns blocks the event; for a panic write `on_panic = skip`, for a timeout `on_timeout = skip`

// option_twice
#[hook(priority = 10, priority = 20)]
fn lower(call: &mut BeforeToolCall) {
    call.name.make_ascii_lowercase();
}
//~ `priority`: the option `priority` is written twice: remove one

// option_with_a_colon
#[hook(priority: 1)]
fn colon(_: &BeforeToolCall) {}
#[hook(priority 1)]
fn blank(_: &BeforeToolCall) {}
//~ `priority`: `priority` is written `priority = 50`
//~ `priority`: `priority` is written `priority = 50`

// option_without_comma
#[hook(priority = 1 guard, name = "x"; every)]
fn look(_: &BeforeToolCall) {}
//~ `guard`: expected `,` before the next option
//~ `;`: expected `,` before the next option

// parameter_named_as_the_hook
#[hook]
fn event(event: &BeforeToolCall) {
    println!("{}", event.name);
}
//~ `event`: the hook itself is the value `event`, so no parameter can have its name: rename one of them

// priority_bare_number
#[hook(10)]
fn lower(call: &mut BeforeToolCall) {
    call.name.make_ascii_lowercase();
}
//~ `10`: an option has a name: write `priority = 50`, or `name = "…"`

// priority_in_parentheses
#[hook(priority(10))]
fn lower(call: &mut BeforeToolCall) {
    call.name.make_ascii_lowercase();
}
//~ `priority`: `priority` is written `priority = 50`

// priority_in_words
#[hook(priority = "high")]
fn look(_: &BeforeToolCall) {}
//~ `"high"`: a priority is a whole number, known when the program is compiled: write `50`, or a constant as `priority::HIGH`

// priority_of_a_variable
#[hook(priority = high)]
fn look(_: &BeforeToolCall) {}
//~ `high`: a priority is a whole number, known when the program is compiled: write `50`, or a constant as `priority::HIGH`

// priority_of_the_value
#[hook(priority = P)]
impl<const P: i32> At<P> {
    fn check(&self, _: &BeforeToolCall) {}
}
#[hook(priority = Self::PRIORITY)]
impl State {
    fn check(&self, _: &BeforeToolCall) {}
}
//~ `P`: a hook has one priority and one name for all `P`: write a constant; for a priority of one place in a list, write `hook @ 10` there
//~ `Self`: `Self` has no meaning in an option: write `State`

// priority_without_value
#[hook(priority)]
fn lower(call: &mut BeforeToolCall) {
    call.name.make_ascii_lowercase();
}
//~ `priority`: `priority` is written `priority = 50`

// return_result_of_a_dispatch
#[hook]
fn check(call: &BeforeToolCall) -> HookResult<BeforeToolCall> {
    HookResult::Continue
}
//~ `HookResult<BeforeToolCall>`: a dispatch returns a `HookResult`, and a hook an action: write `HookAction<BeforeToolCall>`, and `result.into()` to return what other hooks decided

// returns_an_action_without_a_type
#[hook]
fn check(request: &ApproveToolCall<'_>) {
    if request.name == "rm" {
        return HookAction::block("no");
    }
}
//~ `HookAction`: a hook that decides says so in its type: write `-> HookAction<ApproveToolCall<'_>>`

// returns_an_action_without_a_type_as_its_value
#[hook]
fn check(call: &BeforeToolCall) {
    match call.name.as_str() {
        "rm" => HookAction::block("no"),
        _ => HookAction::Continue,
    }
}
//~ `HookAction::block`: a hook that decides says so in its type: write `-> HookAction<BeforeToolCall>`

// self_on_function
#[hook]
fn look(&self, _: &hooks_core::agent::BeforeToolCall) {}
//~ `self`: a hook function has no `self`: for state, write `#[hook]` on the whole `impl` block of the type, whose methods with an event are hooks then

// syntax_error_in_options
#[hook(priority = )]
fn look(_: &BeforeToolCall) {}
//~ `priority`: `priority` is written `priority = 50`

// three_parameters
#[hook]
fn look(_: &AgentContext, _: &MessageReceived, _: &BeforeToolCall) {}
//~ `BeforeToolCall`: a hook takes one event, and before it, if wanted, the context: for several events write `#[hook]` on an `impl` block with a method for each

// timeout_malformed
#[hook(timeout = "2 parsecs")]
async fn look(_: &BeforeToolCall) {}
//~ `"2 parsecs"`: not a duration (unknown time unit "parsecs", supported units: ns, us/µs, ms, sec, min, hours, days, weeks, months, years (and few variations)): write a duration in words, as `"2s"`, `"500ms"` or `"1m 30s"`

// timeout_number
#[hook(timeout = 2)]
async fn look(_: &BeforeToolCall) {}
//~ `2`: write a duration in words, as `"2s"`, `"500ms"` or `"1m 30s"`

// timeout_on_synchronous_hook
#[hook(timeout = "2s")]
fn look(_: &BeforeToolCall) {}
//~ `timeout`: `timeout` needs an `async fn`: a synchronous hook runs to its end before anything can stop it

// timeout_zero
#[hook(timeout = "0s")]
async fn look(_: &BeforeToolCall) {}
//~ `"0s"`: a timeout of zero lets no hook run

// tool_empty
#[hook(tool())]
fn look(_: &BeforeToolCall) {}
//~ `tool`: `tool` takes globs: write `tool("shell", "file_*")`

// tool_of_every_event
#[hook(every, tool("shell"))]
fn look(_: AgentEvent<'_>) {}
//~ `tool`: `tool(…)` goes with one event, and `every` is for all: match on the event in the hook

// tool_unknown
#[hook(tool("shel", "deploy", "mcp__*", "web_{fetch,serch}"))]
fn look(_: &BeforeToolCall) {}
//~ `"shel"`: no well-known agent has a tool `shel`: did you mean `shell`? For a tool that only your agent has, write `only("shel")`
//~ `"web_{fetch,serch}"`: no well-known agent has a tool `web_serch`: did you mean `web_search`? For a tool that only your agent has, write `only("web_serch")`

// twice
#[hook(priority = 1)]
#[hook(on_panic = skip)]
fn function(_: &BeforeToolCall) {}
#[hook]
#[hook(priority = 1)]
impl State {
    #[hook(only("shell"))]
    #[hook(on_panic = skip)]
    fn method(&self, _: &BeforeToolCall) {}
}
//~ `hook`: `#[hook]` is written twice: write all options in one
//~ `hook`: `#[hook]` is written twice: write all options in one
//~ `hook`: `#[hook]` is written twice: write all options in one

// unknown_option
#[hook(prioritty = 10)]
fn lower(call: &mut BeforeToolCall) {
    call.name.make_ascii_lowercase();
}
//~ `prioritty`: unknown option `prioritty`: did you mean `priority`? The options are `priority`, `name`, `only(…)`, `tool(…)`, `when`, `timeout`, `on_timeout`, `on_panic`, `around`, `guard`, `every`, `vocabulary` and `crate`

// unknown_option_like_no_other
#[hook(colour = "red")]
fn lower(call: &mut BeforeToolCall) {
    call.name.make_ascii_lowercase();
}
//~ `colour`: unknown option `colour`: the options are `priority`, `name`, `only(…)`, `tool(…)`, `when`, `timeout`, `on_timeout`, `on_panic`, `around`, `guard`, `every`, `vocabulary` and `crate`

// unsafe_function
#[hook]
unsafe fn look(_: &BeforeToolCall) {}
//~ `unsafe`: a hook is called by the pipeline, which is safe code: remove `unsafe`

// vocabulary_without_every
#[hook(vocabulary = hooks_core::agent::AgentEvent)]
fn look(_: &BeforeToolCall) {}
//~ `hooks_core::agent::AgentEvent`: `vocabulary` goes with `every`: a hook on one event has that event's vocabulary

// when_asks_the_hook
#[hook(when = |call| self.names.contains(&call.name))]
impl Rate {
    fn look(&self, call: &BeforeToolCall) {}
}
//~ `|call| self.names.contains(&call.name)`: a predicate sees the event and the context, not the hook: look at `self` in the method

// when_asynchronous
#[hook(when = async |call| ask(call).await)]
fn look(call: &BeforeToolCall) {}
//~ `async`: a predicate is not `async`: what waits for something is the hook itself

// when_closure_with_three_parameters
#[hook(when = |_, _, _| true)]
fn look(_: &BeforeToolCall) {}
//~ `|_, _, _| true`: a predicate takes the event, and before it, if wanted, the context: write `|event| …` or `|cx, event| …`

// when_expression
#[hook(when = call.name == "shell")]
fn look(call: &BeforeToolCall) {}
//~ `call.name == "shell"`: a predicate is a function, or a closure from the event: write `when = |event| …`, or with the context `when = |cx, event| …`

// when_in_parentheses
#[hook(when(|call| call.name == "shell"))]
fn look(call: &BeforeToolCall) {}
//~ `when`: `when` is written `when = |event| …`

// when_swapped
#[hook(when = |call, cx| cx.depth > 0)]
fn look(call: &BeforeToolCall) {}
//~ `cx`: the context comes before the event: write `|cx, event| …`
