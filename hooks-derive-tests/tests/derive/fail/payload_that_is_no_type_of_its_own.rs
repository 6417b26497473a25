use hooks_core::HookEvent;

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

fn main() {}
