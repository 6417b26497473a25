//! The rooms of the runtime, and the arrows between them.

use layout::Layout;

const LAYOUT: Layout = Layout {
    rooms: &[
        "events",
        "entry",
        "secrets",
        "trust",
        "bundle",
        "request",
        "source",
        "budget",
        "answer",
        "system",
        "filter",
        "record",
        "owned",
        "dry_run",
        "safeguard",
        "evaluator",
        "services",
        "handler",
        "definition",
        "unit",
        "trial",
        "load",
        "runtime",
        "bridge",
        "replay",
    ],
    leaves: &["cut", "fault", "json", "text"],
    collections: &["lib"],
    macros: &[],
};

#[test]
fn a_room_uses_only_the_rooms_before_it() {
    LAYOUT.check(env!("CARGO_MANIFEST_DIR"));
}
