//! What hooks may not do that are written by people who may not act as this process:
//! [`RuntimeBuilder::shared`](crate::RuntimeBuilder::shared). Each is a mistake, at its place.
//!
//! The handlers of `[[hooks.on]]` are not here: a deployment refuses their kinds by `[hooks.limits]`. What a handler takes
//! from the process is refused where the handler is made.

use hooks_builtin::config::{HooksConfig, Reach};
use hooks_config::Segment;
use serde_json::json;

use super::Loader;
use crate::entry::FileConfig;
use crate::handler::{SHARED_HELP, SHARED_LOOPBACK};

impl Loader<'_> {
    /// Whether people who may not act as this process write the hooks.
    pub(super) fn is_shared(&self) -> bool {
        self.plan.services.is_shared
    }

    /// Checks the imports, and the built-in hooks in all tables. Those that do not run are switched off.
    pub(super) fn check_shared(&mut self, file: &FileConfig, config: &mut HooksConfig) {
        if !self.is_shared() {
            return;
        }
        for index in 0..file.entries.import.len() {
            let path = ["hooks".into(), "import".into(), index.into()];
            let message = "no file of this machine is imported here";
            let help = "write the hooks of that file into this set";
            self.mistakes.push(file.mistake(&path, message, Some(help)));
        }
        for (reach, does) in [
            (Reach::Files, "writes files"),
            (Reach::Programs, "runs programs"),
        ] {
            for (hook_type, path) in config.switch_off(|one| Reach::of(one) == Some(reach)) {
                let message = format!("`{hook_type}` {does}, so it does not run here");
                let wrong = file.mistake(&path, message, Some(SHARED_HELP));
                self.mistakes.push(wrong);
            }
        }
        let mut calling = config.clone();
        for (_, path) in calling.switch_off(|one| Reach::of(one) == Some(Reach::Network)) {
            self.check_loopback(file, path);
        }
    }

    /// Checks that a built-in hook, whose place this is, names no hosts of this machine.
    fn check_loopback(&mut self, config: &FileConfig, mut path: Vec<Segment>) {
        if path[1] != "builtin".into() {
            path.push("config".into());
        }
        path.push("allow_loopback".into());
        let pointer = path[1..].iter().map(|segment| match segment {
            Segment::Key(key) => format!("/{key}"),
            Segment::Index(index) => format!("/{index}"),
        });
        let hooks = serde_json::to_value(&config.hooks).unwrap_or_default();
        let hosts = hooks.pointer(&pointer.collect::<String>());
        if hosts.is_some_and(|hosts| *hosts != json!([])) {
            let wrong = config.mistake(&path, SHARED_LOOPBACK, Some(SHARED_HELP));
            self.mistakes.push(wrong);
        }
    }
}
