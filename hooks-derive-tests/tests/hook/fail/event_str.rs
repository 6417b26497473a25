use hooks_core::hook;

#[hook]
fn look(name: &str) {
    println!("{name}");
}

fn main() {}
