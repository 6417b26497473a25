//! Which hooks of a store run: by default, none that acts as the user of the daemon, because others publish there.

use clap::builder::PossibleValuesParser;
use hooks_runtime::Edition;
use hooks_runtime::entry::LimitsConfig;
use hooks_store::Capabilities;

use crate::Failure;
use crate::file;

/// The kinds that act as the user of the daemon, and what a publisher can do with them.
const AS_USER: [(&str, &str); 3] = [
    ("command", "run commands"),
    ("process", "start programs"),
    ("file", "read and write files"),
];

/// Which hooks of a store run.
#[derive(Debug, clap::Args)]
pub(crate) struct Allowed {
    /// Run no hooks of this kind, which is their key in `[[hooks.on]]`. `command`, `process` and `file` do not run anyway.
    #[arg(long, value_name = "KIND", requires = "store", value_delimiter = ',', value_parser = PossibleValuesParser::new(LimitsConfig::kinds()), hide_possible_values = true)]
    forbid: Vec<String>,
    /// Run hooks of this kind, too. They act as the user of this daemon, for everyone who may publish in the store.
    #[arg(long, value_name = "KIND", requires = "store", value_delimiter = ',', value_parser = PossibleValuesParser::new(AS_USER.map(|(kind, _)| kind)))]
    allow: Vec<String>,
}

impl Allowed {
    /// What runs if nothing is said.
    pub(super) fn by_default() -> Capabilities {
        Capabilities::all().without_handlers(AS_USER.map(|(kind, _)| kind))
    }

    /// What runs. Tells which rights `--allow` gives away.
    pub(super) fn capabilities(&self, edition: Option<Edition>) -> Result<Capabilities, Failure> {
        let mut forbidden = self.forbid.clone();
        if edition == Some(Edition::Standard) {
            forbidden.push("command".to_owned());
        }
        for (kind, what) in AS_USER {
            let is_allowed = self.allow.iter().any(|allowed| allowed == kind);
            if !is_allowed {
                forbidden.push(kind.to_owned());
            } else if forbidden.iter().any(|forbidden| forbidden == kind) {
                let both = format!("`{kind}` is allowed and forbidden: leave one of them out");
                return Err(Failure::usage(both));
            } else {
                file::warn(&format!(
                    "--allow {kind}: everyone who may publish in the store can {what} as the user of this daemon"
                ));
            }
        }
        Ok(Capabilities::all().without_handlers(forbidden))
    }
}
