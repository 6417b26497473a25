//! `patch` of a here-document: the files that the text names.

use super::operands::Call;
use crate::evaluate::{Access, Evaluator, Input, Output, Result};
use crate::value::Argument;

pub(crate) fn run(this: &mut Evaluator<'_>, call: &Call<'_>) -> Result<Output> {
    let Input::Text(text) = call.input else {
        this.unknown_argument(
            "`patch` writes the files that its input names: give it a here-document",
        );
        return Ok(Output::Unknown);
    };
    // Other lines may be commands for `ed`, or create links.
    let is_plain = |line: &str| {
        line.is_empty()
            || line.starts_with([' ', '+', '-', '@', '\\'])
            || line.starts_with("diff --git ")
            || line.starts_with("index ")
    };
    if !text.lines().all(is_plain) || !call.has("p") {
        this.unknown("`patch` is only supported with `-p0` or `-p1`, and a unified diff: write `patch -p1 <<'EOF'`");
        return Ok(Output::Unknown);
    }
    this.work.spend(text.len(), &this.at.clone())?;
    for line in text.lines() {
        let Some(name) = line
            .strip_prefix("--- ")
            .or_else(|| line.strip_prefix("+++ "))
        else {
            continue;
        };
        let name = name.split('\t').next().unwrap_or_default().trim_end();
        let stripped = name.split_once('/').map(|(_, rest)| rest);
        for name in [Some(name), stripped].into_iter().flatten() {
            this.touch(&Argument::text(name), Access::Write);
        }
    }
    Ok(Output::Unknown)
}
