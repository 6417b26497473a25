use hooks_core::Hook;

fn main() {
    println!("{}", "lower".plan());
}
