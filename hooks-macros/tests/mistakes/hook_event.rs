// context_string
#[derive(HookEvent)]
#[events(context = "ShopContext")]
pub enum ShopEvent<'a> {
    #[intercept]
    Checkout(&'a Cart),
}
//~ `"ShopContext"`: `context` takes a type: write `context = Type`

// context_that_borrows
#[derive(HookEvent)]
#[events(context = Cx<'_, &'static str>)]
enum E<'a> {
    #[observe]
    Done(&'a Done),
}
//~ `'_`: all dispatches have one type of context, so it cannot borrow: let it own what it holds, as `String` or `Arc<str>` for a `&str`; only `'static` may be borrowed

// events_twice
#[derive(HookEvent)]
#[events(context = u32)]
#[events(context = u64)]
pub enum ShopEvent<'a> {
    #[intercept]
    Checkout(&'a Cart),
}
//~ `events`: `#[events(…)]` is written twice: write its options in one

// events_unknown_option
#[derive(HookEvent)]
#[events(contxt = u32)]
pub enum ShopEvent<'a> {
    #[intercept]
    Checkout(&'a Cart),
}
//~ `contxt`: unknown option `contxt`: did you mean `context`? The options are `context` and `crate`

// events_without_parentheses
#[derive(HookEvent)]
#[events = "ShopContext"]
pub enum ShopEvent<'a> {
    #[intercept]
    Checkout(&'a Cart),
}
//~ `=`: options stand in parentheses: the options are `context` and `crate`

// kind_missing_twice
#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    Checkout(&'a Cart),
    Shipped(&'a Parcel),
    #[observe]
    Paid(&'a Payment),
}
//~ `Checkout`: an event has a kind: write `#[observe]` before it if hooks only look, or `#[intercept]` if they may change or stop it
//~ `Shipped`: an event has a kind: write `#[observe]` before it if hooks only look, or `#[intercept]` if they may change or stop it

// kind_on_the_enum
#[derive(HookEvent)]
#[intercept]
pub enum ShopEvent<'a> {
    Checkout(&'a Cart),
}
//~ `Checkout`: an event has a kind: write `#[observe]` before it if hooks only look, or `#[intercept]` if they may change or stop it

// no_block_with_value
#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[intercept(no_block = 3)]
    Checkout(&'a Cart),
}
//~ `no_block`: `no_block` takes no value: write it alone, or leave it out

// no_lifetime
#[derive(HookEvent)]
pub enum ShopEvent {
    #[intercept]
    Checkout(Cart),
}
//~ `ShopEvent`: a vocabulary borrows its payloads for one lifetime, and has no other parameter: write `enum ShopEvent<'a>`

// no_lifetime_static_payload
#[derive(HookEvent)]
pub enum ShopEvent {
    #[intercept]
    Checkout(&'static Cart),
}
//~ `ShopEvent`: a vocabulary borrows its payloads for one lifetime, and has no other parameter: write `enum ShopEvent<'a>`

// no_variants
#[derive(HookEvent)]
pub enum ShopEvent {}
//~ `ShopEvent`: a vocabulary has at least one event: write a variant, as `#[observe] Done(&'a Done)`

// on_struct
#[derive(HookEvent)]
pub struct Cart {
    pub total: u32,
}
//~ `struct`: a vocabulary is an enum with a variant for each event: write `enum MyEvent<'a> { #[observe] Done(&'a Done) }`; the payloads are structs, and derive nothing of ours

// on_union
#[derive(HookEvent)]
pub union Either {
    one: u32,
    other: i32,
}
//~ `union`: a vocabulary is an enum with a variant for each event: write `enum MyEvent<'a> { #[observe] Done(&'a Done) }`; the payloads are structs, and derive nothing of ours

// option_of_intercept_on_observe
#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[observe(no_block)]
    Checkout(&'a Cart),
}
//~ `no_block`: unknown option `no_block`: the option is `subject`; the others belong to `#[intercept(…)]`

// option_twice
#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[intercept(respond = String, respond = u32)]
    Checkout(&'a Cart),
}
//~ `respond`: the option `respond` is written twice: remove one

// payload_by_mutable_reference
#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[intercept]
    Checkout(&'a mut Cart),
}
//~ `mut`: the enum is a view of the event, so it borrows its payload by `&`: hooks change it through the dispatch

// payload_by_value
#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[intercept]
    Checkout(Cart),
    #[observe]
    Shipped(&'a Parcel),
}
//~ `Cart`: an event's payload is borrowed, so that nothing is moved or cloned to raise it: write `&'a Cart`

// payload_in_two_variants
#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[intercept]
    Checkout(&'a Cart),
    #[observe]
    Paid(&'a Cart),
}
//~ `Cart`: `Checkout` has this payload already: the payload tells which event it is, so each has a type of its own

// payload_of_the_language
#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[observe]
    Said(&'a String),
    #[observe]
    Listed(&'a Vec<Cart>),
}
//~ `String`: an event's payload is a struct or an enum of this crate, as its type tells which event it is: write `struct Done<'a> { text: &'a str }`, and `&'a Done<'a>` here
//~ `Vec<Cart>`: an event's payload is a struct or an enum of this crate, as its type tells which event it is: write `struct Done<'a> { text: &'a str }`, and `&'a Done<'a>` here

// payload_that_is_no_type_of_its_own
#[derive(HookEvent)]
pub enum StreamEvent<'a> {
    #[observe]
    Token(&'a str),
    #[observe]
    Tokens(&'a [u8]),
    #[observe]
    Both(&'a (u8, u8)),
    #[observe]
    Any(&'a dyn Send),
}
//~ `str`: an event's payload is a struct or an enum of this crate, as its type tells which event it is: write `struct Done<'a> { text: &'a str }`, and `&'a Done<'a>` here
//~ `[u8]`: an event's payload is a struct or an enum of this crate, as its type tells which event it is: write `struct Done<'a> { text: &'a str }`, and `&'a Done<'a>` here
//~ `(u8, u8)`: an event's payload is a struct or an enum of this crate, as its type tells which event it is: write `struct Done<'a> { text: &'a str }`, and `&'a Done<'a>` here
//~ `dyn Send`: an event's payload is a struct or an enum of this crate, as its type tells which event it is: write `struct Done<'a> { text: &'a str }`, and `&'a Done<'a>` here

// respond_on_observe
#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[observe(respond = String)]
    Checkout(&'a Cart),
}
//~ `respond`: unknown option `respond`: the option is `subject`; the others belong to `#[intercept(…)]`

// respond_string
#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[intercept(respond = "Receipt")]
    Checkout(&'a Cart),
}
//~ `"Receipt"`: `respond` takes a type: write `respond = Type`

// respond_without_type
#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[intercept(respond)]
    Checkout(&'a Cart),
}
//~ `respond`: `respond` is written `respond = Type`

// subject_string
#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[observe(subject = "name")]
    Checkout(&'a Cart),
}
//~ `"name"`: `subject` takes the name of a field: write `subject = field`

// subject_without_value
#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[observe(subject)]
    Checkout(&'a Cart),
}
//~ `subject`: `subject` is written `subject = field`

// two_lifetimes
#[derive(HookEvent)]
pub enum ShopEvent<'a, 'b> {
    #[intercept]
    Checkout(&'a Cart),
    #[observe]
    Shipped(&'b Parcel),
}
//~ `'a, 'b`: a vocabulary borrows its payloads for one lifetime, and has no other parameter: write `enum ShopEvent<'a>`

// type_parameter
#[derive(HookEvent)]
pub enum ShopEvent<'a, T> {
    #[intercept]
    Checkout(&'a T),
}
//~ `'a, T`: a vocabulary borrows its payloads for one lifetime, and has no other parameter: write `enum ShopEvent<'a>`

// unknown_option
#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[intercept(reply = String)]
    Checkout(&'a Cart),
}
//~ `reply`: unknown option `reply`: the options are `respond`, `patch`, `no_block`, `around`, `approval` and `subject`

// unknown_option_nearly_right
#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[intercept(responds = String)]
    Checkout(&'a Cart),
}
//~ `responds`: unknown option `responds`: did you mean `respond`? The options are `respond`, `patch`, `no_block`, `around`, `approval` and `subject`

// variant_with_named_payload
#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[intercept]
    Checkout { cart: &'a Cart },
}
//~ `Checkout`: an event has one payload, by reference: write `Checkout(&'a Checkout)`, with its data in `struct Checkout`

// variant_with_one_kind_twice
#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[observe]
    #[observe]
    Checkout(&'a Cart),
}
//~ `observe`: an event has one kind: `#[observe]`, or `#[intercept]`, once

// variant_with_two_kinds
#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[observe]
    #[intercept]
    Checkout(&'a Cart),
}
//~ `intercept`: an event has one kind: `#[observe]`, or `#[intercept]`, once

// variant_with_two_payloads
#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[intercept]
    Checkout(&'a Cart, &'a Coupon),
}
//~ `Checkout`: an event has one payload, by reference: write `Checkout(&'a Checkout)`, with its data in `struct Checkout`

// variant_without_kind
#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    Checkout(&'a Cart),
}
//~ `Checkout`: an event has a kind: write `#[observe]` before it if hooks only look, or `#[intercept]` if they may change or stop it

// variant_without_payload
#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[observe]
    Opened,
    #[intercept]
    Checkout(&'a Cart),
}
//~ `Opened`: an event has one payload, by reference: write `Opened(&'a Opened)`, with its data in `struct Opened`
