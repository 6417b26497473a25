use hooks_core::hook;

struct RateLimit {
    left: u32,
}

#[hook]
impl RateLimit {
    fn new() -> Self {
        RateLimit { left: 60 }
    }

    fn left(&self) -> u32 {
        self.left
    }
}

fn main() {}
