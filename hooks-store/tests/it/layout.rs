//! The rooms of the store, and the arrows between them.

use layout::Layout;

const LAYOUT: Layout = Layout {
    rooms: &[
        "engine",
        "kept",
        "crypt",
        "chain",
        "recorder",
        "scope",
        "capability",
        "retention",
        "health",
        "news",
        "store",
        "last",
        "verify",
        "head",
        "admin",
        "secret",
        "goclaw",
        "bundle",
        "hook",
        "revision",
        "execution",
        "budget",
        "node",
        "sample",
        "token",
        "session",
        "reencrypt",
        "import",
        "audit",
        "open",
        "backup",
    ],
    leaves: &["error", "page", "text"],
    collections: &["lib"],
    macros: &[],
};

#[test]
fn a_room_uses_only_the_rooms_before_it() {
    LAYOUT.check(env!("CARGO_MANIFEST_DIR"));
}
