//! The file names in a patch: the format of Codex, and unified diffs.

/// Returns the files that a patch touches.
///
/// # Errors
///
/// If it has neither format, or a line might name a file in an unknown way.
pub(crate) fn files(patch: &str) -> Result<Vec<String>, String> {
    let mut files = Vec::new();
    let trimmed = patch.trim_start();
    // A patch may be in a command: `apply_patch <<'EOF' … EOF`.
    let is_codex = trimmed.starts_with("*** Begin Patch") || patch.contains("\n*** Begin Patch");
    if !is_codex {
        return unified(patch);
    }
    let mut has_ended = false;
    for line in patch.lines() {
        let Some(rest) = line.trim_start().strip_prefix("*** ") else {
            // After the end of the patch, there is at most the end of a command.
            if has_ended && !line.trim().is_empty() && line.split_whitespace().count() > 1 {
                return Err(format!(
                    "the line `{}` comes after the end of the patch: send one patch",
                    shown(line)
                ));
            }
            continue;
        };
        has_ended = rest.trim_end() == "End Patch";
        let begins = ["Add File:", "Delete File:", "Update File:", "Move to:"];
        if let Some(path) = begins.iter().find_map(|begin| rest.strip_prefix(begin)) {
            files.push(path.trim().to_owned());
        } else if !matches!(rest.trim_end(), "Begin Patch" | "End Patch" | "End of File")
            && !rest.starts_with("Environment ID:")
        {
            return Err(format!(
                "the line `{}` of the patch is not understood",
                shown(line)
            ));
        }
    }
    named(files)
}

/// Returns the files that a unified diff touches.
///
/// # Errors
///
/// If it names none, or a line might name a file in an unknown way.
pub(crate) fn unified(patch: &str) -> Result<Vec<String>, String> {
    let mut files = Vec::new();
    for line in patch.lines() {
        // A patch may be indented as a whole.
        let line = line.trim_start();
        if line.starts_with("new ") && line.ends_with("mode 120000") {
            return Err(
                "the patch creates a symbolic link, whose target is not checked: copy the file"
                    .into(),
            );
        }
        let begins = [
            "--- ",
            "+++ ",
            "*** ",
            "rename from ",
            "rename to ",
            "copy from ",
            "copy to ",
            "Index: ",
        ];
        if let Some(name) = begins.iter().find_map(|begin| line.strip_prefix(begin)) {
            // A tab and a time may follow a name.
            let name = name.split('\t').next().unwrap_or_default().trim_end();
            if name.starts_with('"') {
                return Err(format!(
                    "the name `{}` in the patch is escaped: write it plainly",
                    shown(name)
                ));
            }
            if name == "/dev/null" {
                continue;
            }
            // `a/` and `b/` may be removed, and a time may stand behind a blank.
            let word = name.split(' ').next().filter(|word| *word != name);
            for name in [Some(name), word].into_iter().flatten() {
                files.push(name.to_owned());
                files.extend(name.split_once('/').map(|(_, rest)| rest.to_owned()));
            }
        } else if let Some(names) = line.strip_prefix("diff --git ") {
            if names.contains('"') {
                return Err(format!(
                    "the name in `{}` is escaped: write it plainly",
                    shown(line)
                ));
            }
            for name in names.split(" b/") {
                files.push(name.strip_prefix("a/").unwrap_or(name).to_owned());
            }
        }
    }
    if files.is_empty() && patch.trim().is_empty() {
        return Ok(files);
    }
    named(files)
}

fn named(files: Vec<String>) -> Result<Vec<String>, String> {
    if files.is_empty() {
        return Err("the patch names no file: write a unified diff, or `*** Begin Patch`".into());
    }
    Ok(files)
}

fn shown(text: &str) -> &str {
    &text[..text.floor_char_boundary(80)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_formats_name_their_files() {
        let codex = "*** Begin Patch\n*** Update File: src/a.rs\n*** Move to: ../b.rs\n@@\n-x\n+y\n*** Add File: c\n+text\n*** End Patch";
        assert_eq!(files(codex).unwrap(), ["src/a.rs", "../b.rs", "c"]);
        let unified = "diff --git a/x b/x\n--- a/x\n+++ b/../y\t2026-01-01\n@@ -1 +1 @@\n-a\n+b\n";
        assert_eq!(
            files(unified).unwrap(),
            ["x", "x", "a/x", "x", "b/../y", "../y"]
        );
        assert_eq!(
            files("--- /dev/null\n+++ b/new\n").unwrap(),
            ["b/new", "new"]
        );
    }

    #[test]
    fn what_is_no_patch_is_an_error() {
        for text in [
            "hello",
            "*** Begin Patch\n*** Replace File: x\n*** End Patch",
            "--- \"a/\\056\\056/x\"\n+++ b\n",
        ] {
            assert!(files(text).is_err(), "{text}");
        }
    }
}
