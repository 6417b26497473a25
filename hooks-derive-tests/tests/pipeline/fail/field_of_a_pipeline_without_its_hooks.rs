use hooks_core::Pipeline;

struct Agent {
    hooks: Pipeline,
}

fn main() {}
