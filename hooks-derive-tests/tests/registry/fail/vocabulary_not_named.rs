use hooks_core::HookRegistry;

fn main() {
    let registry = HookRegistry::new();
    println!("{registry:?}");
}
