//! The rooms of the server, and the arrows between them.

use layout::Layout;

const LAYOUT: Layout = Layout {
    rooms: &[
        "metrics",
        "connections",
        "program",
        "api",
        "shared",
        "edge",
        "door",
        "goclaw",
        "console",
        "health",
        "server",
    ],
    leaves: &[
        "lanes",
        "limits",
        "page",
        "peer",
        "shutdown",
        "socket",
        "websocket",
    ],
    collections: &["lib"],
    macros: &[],
};

#[test]
fn a_room_uses_only_the_rooms_before_it() {
    LAYOUT.check(env!("CARGO_MANIFEST_DIR"));
}
