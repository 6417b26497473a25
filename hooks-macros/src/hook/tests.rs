//! Tests the expansion of `#[hook]`. `UPDATE_EXPECT=1 cargo test -p hooks-macros` rewrites the snapshots.

use quote::quote;

use super::expand;
use crate::driver::pretty;

/// Compares the expansion of `#[hook(options)] item` with `tests/snapshots/$name.rs`.
macro_rules! snapshot {
    ($name:literal, ($($options:tt)*), { $($item:tt)* }) => {
        expect_test::expect_file![concat!("../../tests/snapshots/", $name, ".rs")]
            .assert_eq(&pretty(expand(quote!($($options)*), quote!($($item)*))))
    };
}

#[test]
fn a_function_becomes_a_unit_struct_that_is_a_hook() {
    snapshot!("hook_function", (), {
        /// Lower-cases the name.
        #[allow(clippy::ptr_arg)]
        pub fn lower(call: &mut BeforeToolCall) {
            call.name.make_ascii_lowercase();
        }
    });
}

#[test]
fn options_become_a_filter_and_constants() {
    snapshot!(
        "hook_options",
        (
            priority = priority::HIGH + 1,
            name = "guard",
            only("deploy", "file_*"),
            tool("web_search", "mcp__*"),
            when = is_remote,
            on_panic = skip,
            crate = hooks
        ),
        {
            fn guard(
                cx: &AgentContext,
                call: &mut BeforeToolCall,
            ) -> Result<HookAction<BeforeToolCall>, Denied> {
                judge(cx, call)
            }
        }
    );
}

#[test]
fn the_future_of_an_asynchronous_hook_is_the_users_own() {
    snapshot!("hook_async", (), {
        async fn report(done: &ToolCallEnd<'_>) {
            send(done).await
        }
    });
}

#[test]
fn a_guard_judges_only_events_that_can_be_blocked() {
    snapshot!("hook_guard", (guard, only("shell")), {
        fn no_force(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
            judge(call)
        }
    });
}

#[test]
fn a_timeout_and_a_panic_are_caught_around_the_future() {
    snapshot!(
        "hook_policies",
        (timeout = "1s 500ms", on_timeout = skip, on_panic = block),
        {
            async fn check(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
                ask(call).await
            }
        }
    );
}

#[test]
fn an_impl_block_answers_several_events() {
    snapshot!("hook_impl", (priority = 200), {
        impl<'s, S: Store + Send + Sync> RateLimit<'s, S> {
            pub fn per_minute(calls: u32) -> Self {
                RateLimit { calls }
            }

            #[hook(only("shell"))]
            fn check(&self, call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
                self.store.check(call)
            }

            #[cfg(feature = "notes")]
            async fn note(&self, cx: &AgentContext, done: &ToolCallEnd<'_>) {
                self.store.note(cx, done).await
            }
        }
    });
}

#[test]
fn a_hook_with_every_answers_all_events_of_its_vocabulary() {
    snapshot!("hook_every", (every, priority = priority::LAST), {
        fn trace(event: AgentEvent<'_>) {
            println!("{}", event.name());
        }
    });
}

#[test]
fn after_an_error_the_function_is_still_a_hook() {
    snapshot!("hook_function_in_error", (prioritty = 1), {
        fn lower(call: &mut BeforeToolCall) {
            call.name.make_ascii_lowercase();
        }
    });
}

#[test]
fn after_an_error_the_type_is_still_a_hook() {
    snapshot!("hook_impl_in_error", (), {
        impl<T> Count<T> {
            fn note(&mut self, _: &BeforeToolCall) {}
        }
    });
}
