//! `patch` and `git apply` of a here-document: the files that the text names.

use super::operands::ProgramCall;
use crate::evaluate::{Access, Input, OutputStream, Result, ScriptEvaluator};
use crate::value::Argument;

pub(crate) fn run(this: &mut ScriptEvaluator<'_>, call: &ProgramCall<'_>) -> Result<OutputStream> {
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
        return Ok(OutputStream::Unknown);
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
    // Before the first part, a blank is the beginning of a head that is indented.
    let mut is_in_part = false;
    let mut is_plain = |line: &str| {
        is_in_part |= line.starts_with("@@");
        line.is_empty()
            || line.starts_with(['+', '-', '@', '\\'])
            || (is_in_part && line.starts_with(' '))
            || HEADS.iter().any(|head| line.starts_with(head))
    };
    if !text.lines().all(&mut is_plain) || (call.name == "patch" && !call.has("p")) {
        this.unknown(format!("`{name}` is only supported with a unified diff, and `patch` with `-p0` or `-p1`: write `patch -p1 <<'EOF'`"));
        return Ok(OutputStream::Unknown);
    }
    this.work.spend(text.len(), &this.at.clone())?;
    for line in text.lines() {
        let heads = ["--- ", "+++ ", "rename from ", "rename to "];
        let name = heads.iter().find_map(|head| line.strip_prefix(head));
        let both = line
            .strip_prefix("diff --git ")
            .map(|both| both.split(" b/"));
        for name in name.into_iter().chain(both.into_iter().flatten()) {
            if name.starts_with('"') {
                this.unknown("a name in quotes in a patch is not supported: write it plainly");
            }
            // A time may follow, behind a tab or a blank.
            let whole = name.split('\t').next().unwrap_or_default().trim_end();
            let word = whole.split(' ').next().unwrap_or_default();
            let stripped = |name: &'_ str| name.split_once('/').map(|(_, rest)| rest.to_owned());
            let names = [
                Some(whole.to_owned()),
                Some(word.to_owned()),
                stripped(whole),
                stripped(word),
            ];
            for name in names.into_iter().flatten().filter(|name| !name.is_empty()) {
                // git follows no links.
                this.touch_from(
                    &Argument::text(name),
                    Access::Write,
                    None,
                    call.name != "git",
                );
            }
        }
    }
    Ok(OutputStream::Unknown)
}

/// Whether `git apply` or `git am` reads the patch from its input.
pub(crate) fn reads_input(call: &ProgramCall<'_>) -> bool {
    let goes_on = ["abort", "continue", "skip", "quit", "show-current-patch"];
    matches!(call.command, Some("apply" | "am"))
        && call.name == "git"
        && call.operands.is_empty()
        && !goes_on.iter().any(|option| call.has(option))
}
