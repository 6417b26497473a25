use hooks_core::hooks;

fn main() {
    let _ = hooks![include!("syntax.toml")];
}
