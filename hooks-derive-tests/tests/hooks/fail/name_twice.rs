use hooks_core::hooks;

mod a {
    #[hooks_core::hook]
    pub fn check(_: &hooks_core::agent::BeforeToolCall) {}
}

mod b {
    #[hooks_core::hook]
    pub fn check(_: &hooks_core::agent::BeforeToolCall) {}
}

fn main() {
    let _ = hooks![a::check, b::check];
}
