//! What a script would do. Run it with `cargo run -p hooks-shell --example effects -- 'cd src && cargo test | tee log'`.

use hooks_shell::{Environment, Script};

fn main() {
    for text in std::env::args().skip(1) {
        let script = match Script::parse(&text) {
            Ok(script) => script,
            Err(rejected) => {
                println!("rejected at {:?}: {rejected}", rejected.span());
                continue;
            }
        };
        let effects = script.evaluate(&Environment::new("."));
        println!("{effects}");
        for disputed in effects.disputed() {
            println!("disputed: {}", disputed.reason);
        }
        if let Some(rewritten) = effects.rewritten() {
            println!("{rewritten}");
        }
    }
}
