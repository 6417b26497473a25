use hooks_core::HookEvent;

#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[intercept]
    Said(&'a std::path::PathBuf),
}

fn main() {}
