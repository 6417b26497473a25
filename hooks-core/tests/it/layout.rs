//! The rooms of the core, and the arrows between them.

use layout::Layout;

const LAYOUT: Layout = Layout {
    rooms: &[
        "event", "decision", "hook", "pipeline", "registry", "testing", "agent",
    ],
    leaves: &["once", "priority", "trace"],
    collections: &["lib", "private"],
    macros: &[
        "__rank",
        "__private",
        "assert_aborts",
        "assert_blocks",
        "assert_passes",
        "assert_responds",
    ],
};

#[test]
fn a_room_uses_only_the_rooms_before_it() {
    LAYOUT.check(env!("CARGO_MANIFEST_DIR"));
}
