//! No text takes more memory than some megabytes. The counter sees the whole process, so this test has one of its own.

#[path = "it/adversarial.rs"]
mod adversarial;

use hooks_shell::{Environment, Script};
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

#[test]
fn five_hundred_texts_of_64_kib_take_less_than_16_mib_each() {
    for text in adversarial::texts() {
        MEMORY.reset_peak_usage();
        let before = MEMORY.current_usage();
        if let Ok(script) = Script::parse(&text) {
            drop(script.evaluate(&Environment::new("/work")));
        }
        let taken = MEMORY.peak_usage() - before;
        let begin: String = text.chars().take(40).collect();
        assert!(taken <= 16 << 20, "{taken}: {begin}");
    }
}
