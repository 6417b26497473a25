//! The rooms of what compiled rules call, and the arrows between them.

use layout::Layout;

const LAYOUT: Layout = Layout {
    rooms: &["event", "variables", "renamed", "effect", "rule", "input"],
    leaves: &["cut"],
    collections: &["lib", "private"],
    macros: &[],
};

#[test]
fn a_room_uses_only_the_rooms_before_it() {
    LAYOUT.check(env!("CARGO_MANIFEST_DIR"));
}
