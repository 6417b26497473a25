use hooks_core::agent::{AgentContext, BeforeLlmCall, BeforeToolCall, MessageReceived};
use hooks_core::{hook, hooks};

#[cfg(any())]
#[hook]
fn absent(call: &mut NoSuchEvent) {}

#[hook]
#[cfg(all())]
fn present(call: &mut BeforeToolCall) {
    call.name.push('!');
}

struct Both;

#[hook]
impl Both {
    #[cfg(any())]
    fn absent(&self, _: &mut BeforeLlmCall) {}

    #[cfg(any())]
    async fn absent_as_its_event_is(&self, _: &NoSuchEvent<'_>) {}

    #[cfg(all())]
    fn on_call(&self, call: &mut BeforeToolCall) {
        call.name.push('?');
    }

    #[cfg(not(any()))]
    #[hook(when = |message: &MessageReceived| message.channel == "cli")]
    fn on_message(&self, message: &mut MessageReceived) {
        message.content.clear();
    }
}

/// Nothing is left of it: still a hook, of any vocabulary.
struct Neither;

#[hook]
impl Neither {
    #[cfg(any())]
    fn absent(&self, _: &NoSuchEvent) {}
}

fn main() {
    let hooks = hooks![
        #[cfg(any())]
        absent,
        present,
        #[cfg(all())]
        Both,
        Neither,
        #[cfg(any())]
        present @ 10,
    ];
    assert_eq!(format!("{hooks:?}"), "[present, Both]");
    let cx = AgentContext::new("s1");
    let mut call = BeforeToolCall::default();
    assert!(hooks.intercept_now(&cx, &mut call).is_continue());
    assert_eq!(call.name, "!?");
    assert!(hooks.handles::<MessageReceived>());
    assert!(!hooks.handles::<BeforeLlmCall>());
}
