//! The future of a dispatch stays small: an agent keeps it in its own.

use benches::future_bytes;

fn bytes(case: &str) -> usize {
    let all = future_bytes();
    let (_, bytes) = all.iter().find(|(name, _)| *name == case).unwrap();
    *bytes
}

#[test]
fn the_future_of_eight_synchronous_hooks_holds_what_it_is_given_and_no_more() {
    assert!(bytes("sync_8") <= 48, "{}", bytes("sync_8"));
}

#[test]
fn the_future_of_eight_hooks_that_await_holds_one_of_them_at_a_time() {
    assert!(bytes("async_ready_8") <= 128, "{}", bytes("async_ready_8"));
    assert!(
        bytes("async_pending_8") <= 128,
        "{}",
        bytes("async_pending_8")
    );
}
