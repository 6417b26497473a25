//! Tests the expansion of `hooks![…]`. `UPDATE_EXPECT=1 cargo test -p hooks-macros` rewrites the snapshots.

use quote::quote;

use super::expand;
use crate::driver::pretty;

/// Compares the expansion of `hooks![list]` with `tests/snapshots/$name.rs`.
macro_rules! snapshot {
    ($name:literal, [$($list:tt)*]) => {{
        // `hooks!` adds `$crate` in front of the list, which is one token.
        let pipeline = expand(quote!(hooks_core, $($list)*));
        expect_test::expect_file![concat!("../../tests/snapshots/", $name, ".rs")]
            .assert_eq(&pretty(quote!(fn pipeline() { #pipeline })))
    }};
}

#[test]
fn a_list_is_sorted_by_a_network() {
    snapshot!("hooks_three", [deny_rm, RateLimit::per_minute(60), trace]);
}

#[test]
fn an_item_has_a_priority_and_may_be_absent() {
    snapshot!(
        "hooks_at_and_cfg",
        [plugins @ -10, #[cfg(feature = "trace")] trace @ priority::LAST]
    );
}

#[test]
fn more_than_eight_hooks_are_groups_of_groups() {
    snapshot!("hooks_nine", [a, b, c, d, e, f, g, h, i]);
}

#[test]
fn an_empty_list_is_a_pipeline() {
    snapshot!("hooks_none", []);
}
