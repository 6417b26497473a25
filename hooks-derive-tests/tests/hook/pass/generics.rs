use std::fmt::Debug;
use std::sync::Mutex;

use hooks_core::agent::{AgentContext, BeforeToolCall, ToolCallEnd};
use hooks_core::{hook, hooks};

/// A type parameter, a const parameter, a lifetime of a name that the macro would like, and a bound.
struct Log<'event, T, const N: usize> {
    seen: &'event Mutex<Vec<T>>,
}

#[hook(priority = N_OF_HOOKS)]
impl<'event, T, const N: usize> Log<'event, T, N>
where
    T: From<String> + Debug + Send + Sync,
{
    fn before(&self, call: &BeforeToolCall) {
        let mut seen = self.seen.lock().unwrap();
        if seen.len() < N {
            seen.push(call.name.clone().into());
        }
    }

    async fn after(&self, end: &ToolCallEnd<'_>) {
        self.seen.lock().unwrap().push(end.name.to_owned().into());
    }
}

const N_OF_HOOKS: i32 = 1;

fn main() {
    let seen = Mutex::new(Vec::<String>::new());
    let hooks = hooks![Log::<_, 1> { seen: &seen }];
    let mut call = BeforeToolCall {
        name: "list".into(),
        ..Default::default()
    };
    for _ in 0..3 {
        assert!(hooks.intercept_now(&AgentContext::new("s1"), &mut call).is_continue());
    }
    assert_eq!(*seen.lock().unwrap(), ["list"]);
}
