//! What runs before a script, so that it does what was judged.

use super::effects::{Access, Effects, PathUse};
use crate::table::variables::UNSET;

impl Effects {
    /// Returns a line to run before the [rewritten](Self::rewritten) script, so that the script does what was judged.
    /// The line unsets variables that would make the script read other files, such as `CDPATH` and `GIT_DIR`, and makes
    /// the shell split words as they were judged. Other variables of the environment are the user's own, and stay. The
    /// line is empty if none of the variables is [inherited](crate::Environment::with_inherited), no word is split, and
    /// `git` runs at most once, at the beginning of the script before anything is written.
    ///
    /// ```
    /// use hooks_shell::{Environment, Script};
    ///
    /// let environment = Environment::new(".").with_inherited(["GIT_DIR", "PAGER"]);
    /// let effects = Script::parse("git status")?.evaluate(&environment);
    /// assert_eq!(effects.prelude(), "unset -v GIT_DIR");
    /// # Ok::<_, hooks_shell::Rejected>(())
    /// ```
    #[must_use]
    pub fn prelude(&self) -> String {
        let programs = self.programs();
        let names: Vec<&str> = programs.map(|program| program.name.as_str()).collect();
        let mut commands = Vec::new();
        let mut unset = String::from("unset -v");
        for (line, name) in self.inherited.as_deref().unwrap_or(&*UNSET) {
            if line.concerns(&names) {
                unset.extend([" ", name]);
            }
        }
        if !unset.ends_with("-v") {
            commands.push(unset.as_str());
        }
        // git must not use a bare repository among the files by accident, because its settings can run programs. If `git`
        // starts before the script creates or enters anything, the caller has already checked that there is none.
        let changes_folders = |path: &PathUse| {
            path.access.changes() || matches!(path.access, Access::Enter | Access::Make)
        };
        let runs = names.iter().filter(|name| **name == "git").count();
        if runs > 1 || (runs == 1 && self.paths().any(changes_folders)) {
            commands.push("export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.bareRepository GIT_CONFIG_VALUE_0=explicit");
        }
        if self.splits.at_blanks || self.splits.at_lines {
            commands.extend(["unset -v IFS", "set -f"]);
        }
        if self.splits.at_lines {
            // A line feed, in quotes that work in every shell.
            commands.push("IFS='\n'");
        }
        commands.join("; ")
    }
}
