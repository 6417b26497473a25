//! `patch` and `git apply` of a here-document: the files that the text names.

use super::operands::Call;
use crate::evaluate::{Access, Evaluator, Input, Output, Result};
use crate::value::Argument;

pub(crate) fn run(this: &mut Evaluator<'_>, call: &Call<'_>) -> Result<Output> {
    let name = call.full();
    let Input::Text(text) = call.input else {
        let reason = format!(
            "`{name}` writes the files that its input names: give it a here-document, or the name of a file"
        );
        // In a sandbox, only names in a new place are not held.
        if call.name == "git" {
            this.unknown(reason);
        } else {
            this.unknown_argument(reason);
        }
        return Ok(Output::Unknown);
    };
    // Other lines may be commands for `ed`, or create links.
    const HEADS: [&str; 9] = [
        "diff --git ",
        "index ",
        "new file mode 100",
        "deleted file mode 100",
        "old mode 100",
        "new mode 100",
        "similarity index ",
        "rename from ",
        "rename to ",
    ];
    let is_plain = |line: &str| {
        line.is_empty()
            || line.starts_with([' ', '+', '-', '@', '\\'])
            || HEADS.iter().any(|head| line.starts_with(head))
    };
    if !text.lines().all(is_plain) || (call.name == "patch" && !call.has("p")) {
        this.unknown(format!("`{name}` is only supported with a unified diff, and `patch` with `-p0` or `-p1`: write `patch -p1 <<'EOF'`"));
        return Ok(Output::Unknown);
    }
    this.work.spend(text.len(), &this.at.clone())?;
    for line in text.lines() {
        let Some(name) = ["--- ", "+++ ", "rename from ", "rename to "]
            .iter()
            .find_map(|head| line.strip_prefix(head))
        else {
            continue;
        };
        let name = name.split('\t').next().unwrap_or_default().trim_end();
        if name.starts_with('"') {
            this.unknown("a name in quotes in a patch is not supported: write it plainly");
        }
        let stripped = name.split_once('/').map(|(_, rest)| rest);
        for name in [Some(name), stripped].into_iter().flatten() {
            // git follows no links.
            this.touch_from(
                &Argument::text(name),
                Access::Write,
                None,
                call.name != "git",
            );
        }
    }
    Ok(Output::Unknown)
}

/// Whether `git apply` or `git am` reads the patch from its input.
pub(crate) fn reads_input(call: &Call<'_>) -> bool {
    let goes_on = ["abort", "continue", "skip", "quit", "show-current-patch"];
    matches!(call.command, Some("apply" | "am"))
        && call.name == "git"
        && call.operands.is_empty()
        && !goes_on.iter().any(|option| call.has(option))
}
