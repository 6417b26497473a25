//! The rooms of the rules, and the arrows between them.

use layout::Layout;

const LAYOUT: Layout = Layout {
    rooms: &[
        "pattern", "cel", "template", "tools", "subjects", "input", "events", "action", "check",
        "entry",
    ],
    leaves: &[],
    collections: &["lib"],
    macros: &[],
};

#[test]
fn a_room_uses_only_the_rooms_before_it() {
    LAYOUT.check(env!("CARGO_MANIFEST_DIR"));
}
