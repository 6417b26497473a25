//! Tests the expansion of `#[derive(HookEvent)]`. `UPDATE_EXPECT=1 cargo test -p hooks-macros` rewrites the snapshot.

use quote::quote;

use super::expand;
use crate::driver::pretty;

#[test]
fn a_vocabulary_is_its_events_a_bound_and_a_handler() {
    let code = expand(quote! {
        #[events(context = ShopContext, crate = ::hooks_core)]
        pub enum ShopEvent<'a> {
            /// Before the cart is paid for.
            #[intercept(respond = Vec<Receipt>, patch = Coupon, subject = owner)]
            Checkout(&'a Cart),
            /// The cart is paid for.
            #[intercept(no_block)]
            Paid(&'a Payment),
            /// A parcel has left.
            #[observe]
            Shipped(&'a Parcel<'a>),
        }
    });
    expect_test::expect_file!["../../tests/snapshots/hook_event.rs"]
        .assert_eq(&pretty(code.unwrap()));
}
