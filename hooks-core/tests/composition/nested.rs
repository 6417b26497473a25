//! Lists in a list: each hook takes its own place among all.

use crate::vocabulary::*;
use hooks_core::{HookAction, HookRegistry, OnPanic, hook, hooks};

use crate::common::*;

/// Hooks that leave their names in a call, by priority.
macro_rules! marks {
    ($($name:ident $priority:literal)*) => { $(
        #[hook(priority = $priority)]
        fn $name(call: &mut BeforeToolCall) {
            call.id.push_str(stringify!($name));
        }
    )* };
}
marks! { a 1000 b 50 c 0 d -10 e 500 f 50 g 7 h 0 i 1 j 2 k 3 l 4 m 5 n 6 o 8 p 9 }

fn ran(hooks: &impl AgentHooksNow) -> String {
    order_now(hooks)
}

#[test]
fn each_hook_of_a_nested_list_takes_its_own_place() {
    let ours = hooks![a, c];
    assert_eq!(ran(&hooks![ours, b]), "abc");
    assert_eq!(ran(&hooks![b, ours]), "abc");
    assert_eq!(
        ran(&hooks![b, f, hooks![d, a, e], hooks![c, g, h]]),
        "aebfgchd"
    );
    let three_deep = hooks![hooks![hooks![a, d], hooks![e, c]], b];
    assert_eq!(ran(&three_deep), "aebcd");
    assert_eq!(ran(&hooks![hooks![], hooks![c, hooks![a]], b]), "abc");
}

#[test]
fn hooks_of_one_priority_keep_the_order_of_their_items() {
    assert_eq!(ran(&hooks![hooks![b], f]), "bf");
    assert_eq!(ran(&hooks![f, hooks![b]]), "fb");
    assert_eq!(ran(&hooks![hooks![f, c], b, hooks![h]]), "fbch");
    assert_eq!(ran(&hooks![hooks![b, c], hooks![f, h]]), "bfch");
    assert_eq!(ran(&hooks![hooks![f, h], hooks![b, c]]), "fbhc");
}

#[test]
fn a_place_makes_a_list_a_block() {
    let block = hooks![hooks![d, a] @ 10, b, g];
    assert_eq!(ran(&block), "badg");
    assert_eq!(ran(&hooks![hooks![a, hooks![d] @ 20], b]), "abd");
}

#[test]
fn a_list_is_taken_apart_behind_a_reference_in_an_option_and_in_a_field() {
    struct Library<H> {
        hooks: H,
    }
    let ours = hooks![a, c];
    assert_eq!(ran(&hooks![&ours, b]), "abc");
    assert_eq!(ran(&hooks![Some(ours), b]), "abc");
    assert_eq!(ran(&hooks![Some(&ours), b]), "abc");
    assert_eq!(ran(&hooks![Some(ours).filter(|_| false), b]), "b");
    let library = Library { hooks: ours };
    assert_eq!(ran(&hooks![&library.hooks, b]), "abc");
    assert_eq!(ran(&hooks![library.hooks, b]), "abc");
}

#[test]
fn what_remains_has_the_type_of_the_flat_list() {
    let flat = hooks![a, b, c, d, e, f, g, h];
    let nested = hooks![hooks![a, c, e, g], hooks![b, d], hooks![f, h]];
    assert_eq!(
        std::any::type_name_of_val(&flat),
        std::any::type_name_of_val(&nested)
    );
    let flat = hooks![a, b, c, d, e, f, g, h, i, j, k, l];
    let nested = hooks![hooks![a, b, c, d, e, f, g, h, i], hooks![j, k, l]];
    assert_eq!(
        std::any::type_name_of_val(&flat),
        std::any::type_name_of_val(&nested)
    );
}

#[test]
fn lists_of_more_than_eight_are_merged() {
    let nested = hooks![
        hooks![a, b, c, d, e, f, g, h],
        hooks![i, j, k, l, m],
        n,
        o,
        p
    ];
    assert_eq!(ran(&nested), "aebfpognmlkjichd");
    let nine = hooks![a, b, c, d, e, f, g, h, i];
    assert_eq!(ran(&hooks![j, &nine, k]), "aebfgkjichd");
    let ten = hooks![j, k, l, m, n, o, p, i, h, hooks![a, d], g];
    assert_eq!(ran(&ten), "apognmlkjihd");
}

/// As many as groups of groups of eight hold, and more.
#[test]
fn seventy_two_hooks_of_six_lists_are_merged() {
    let ours = || hooks![a, b, c, d, e, f, g, h, i, j, k, l];
    let all = hooks![ours(), ours(), ours(), ours(), ours(), ours()];
    let order = ran(&all);
    let expected: String = ["a", "e", "bf", "g", "l", "k", "j", "i", "ch", "d"]
        .iter()
        .map(|equal| equal.repeat(6))
        .collect();
    assert_eq!(order, expected);
}

#[hook(guard, priority = 100)]
fn judge(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    if call.id.contains('d') {
        HookAction::block("d")
    } else {
        HookAction::Continue
    }
}

#[test]
fn a_guard_of_a_nested_list_judges_what_an_outer_hook_has_changed() {
    let hooks = hooks![hooks![judge, c], d];
    let result = hooks.intercept_now(&cx(), &mut call("x"));
    assert_eq!(stopped(&result), Some(("judge", "d")));
}

#[tokio::test]
async fn hooks_of_a_source_run_between_those_of_nested_lists() {
    let source = HookRegistry::<AgentEvent>::new();
    source.register_at(40, p).unwrap();
    source.register_at(700, o).unwrap();
    let hooks = hooks![hooks![a, c], b, hooks![e], ..source];
    assert_eq!(order(&hooks).await, "aoebpc");
}

#[test]
fn the_plan_shows_a_block_as_a_row_of_its_own() {
    let source = HookRegistry::<AgentEvent>::new().with(g);
    let hooks = hooks![
        hooks![judge, c],
        hooks![d, a] @ 10,
        opaque(hooks![b]) @ 5,
        hooks![b, i].on_panic(OnPanic::Skip).named("theirs") @ 4,
        j.then(k) @ 3,
        source @ -1,
    ];
    assert_eq!(
        hooks.plan().to_string(),
        "\
order  hook          priority  event           runs
1      judge              100  BeforeToolCall  sync, guard, judges again after `a`
2      hooks               10                  one after the other
3        a               1000  BeforeToolCall  sync
4        d                -10  BeforeToolCall  sync
5      b                    5  BeforeToolCall  sync
6      theirs               4                  one after the other
7        b                 50  BeforeToolCall  sync
8        i                  1  BeforeToolCall  sync
9      hooks                3                  one after the other
10       j                  2  BeforeToolCall  sync
11       k                  3  BeforeToolCall  sync
12     c                    0  BeforeToolCall  sync
13     HookRegistry        -1  every event     async
14       g                  7  BeforeToolCall  sync
"
    );
    assert_eq!(hooks.plan().filter(|row| row.is_block).count(), 3);
    assert_eq!(
        format!("{hooks:?}"),
        "[judge, a, d, b, b, i, j, k, c, HookRegistry, g]"
    );
}
