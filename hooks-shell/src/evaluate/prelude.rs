//! What runs before a script, so that it does what was judged.

use super::effects::{Effects, PathUse};
use crate::table::variables::UNSET;

impl Effects {
    /// Returns a line to run before the [rewritten](Self::rewritten) script, so that the script does what was judged.
    /// The line unsets variables that would make the script read other files, such as `CDPATH` and `GIT_DIR`, and makes
    /// the shell split words as they were judged. Other variables of the environment are the user's own, and stay. The
    /// line is empty if none of the variables is [inherited](crate::Environment::with_inherited), no word is split, and
    /// nothing that runs before `git` may create a repository.
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
        // git must not use a bare repository among the files by accident, because its settings can run programs. Who
        // judges the effects has checked that there is none where `git` runs, but not for what is created before.
        let runs_git = |used: &PathUse| used.access.is_of_git();
        let mut since_created = self.paths().skip_while(|used| !may_be_of_repository(used));
        if since_created.nth(0).is_some() && since_created.any(runs_git) {
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

/// Whether a folder may be a bare repository after this, which has `HEAD`, `objects` and `refs`.
fn may_be_of_repository(used: &PathUse) -> bool {
    let is_of_one = |path: &str| {
        let name = path.trim_end_matches(['/', '.']).rsplit('/').next();
        let parts = ["head", "objects", "refs"];
        name.is_some_and(|name| parts.iter().any(|part| name.eq_ignore_ascii_case(part)))
    };
    used.access.makes_links() || (used.access.changes() && used.path.known().is_none_or(is_of_one))
}
