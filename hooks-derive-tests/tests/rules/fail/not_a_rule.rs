use hooks_core::hooks;

fn main() {
    let _ = hooks![include!("not_a_rule.toml")];
    let _ = hooks![include!("not_a_rule.toml", all)];
    let _ = hooks![include!("../pass/first.toml") @ 5];
    let _ = hooks![include!("missing.toml")];
}
