//! The policy and the sandbox as one. The commands run for real: this executable is the one that confines them.

#[cfg(target_os = "linux")]
mod trials;

fn main() {
    #[cfg(target_os = "linux")]
    {
        hooks_sandbox::enter_if_asked();
        let arguments = libtest_mimic::Arguments::from_args();
        libtest_mimic::run(&arguments, trials::all()).exit();
    }
}
