use hooks_core::agent::{AgentContext, BeforeToolCall, MessageReceived};
use hooks_core::{HookAction, HookEvent, hook, hooks};

/// A hook for whatever event, name and options the caller gives.
macro_rules! pass {
    ($($name:ident: $event:ty, $priority:expr, |$bound:ident| $body:expr;)*) => { $(
        #[hook(priority = $priority, when = |_| true, on_panic = skip)]
        fn $name($bound: &mut $event) {
            $body
        }
    )* };
}
pass! {
    first: BeforeToolCall, 1 + 1, |call| call.name.push('1');
    second: BeforeToolCall, -1, |call| call.name.push('2');
    third: MessageReceived, 0, |message| message.content.push('3');
}

/// The same in an `impl` block, asynchronous, with what it returns.
macro_rules! typed {
    ($name:ident, $event:ty, $returned:ty) => {
        struct $name;

        #[hook]
        impl $name {
            async fn look(&self, _: &AgentContext, _: &$event) -> $returned {
                HookAction::Continue
            }
        }
    };
}
typed!(Look, BeforeToolCall, HookAction<BeforeToolCall>);

macro_rules! list {
    ($($hook:expr),* $(; $last:path)?) => { hooks![$($hook),* $(, $last @ i32::MIN)?] };
}

macro_rules! vocabulary {
    ($name:ident, $($variant:ident($payload:ident)),*) => {
        $(pub struct $payload;)*

        #[derive(HookEvent)]
        pub enum $name<'v> {
            $(#[observe] $variant(&'v $payload),)*
        }
    };
}
vocabulary!(ShopEvent, Opened(Open), Closed(Close));

fn main() {
    let cx = AgentContext::new("s1");
    let hooks = list![second, first; third];
    assert_eq!(format!("{hooks:?}"), "[first, second, third]");
    let mut call = BeforeToolCall::default();
    assert!(hooks.intercept_now(&cx, &mut call).is_continue());
    assert_eq!(call.name, "12");
    assert!(hooks![Look].handles::<BeforeToolCall>());
    assert_eq!(ShopEvent::NAMES, ["Opened", "Closed"]);
}
