//! One call of `hooks run`: all that its answer depends on, and the answer.

use std::collections::BTreeMap;
use std::path::PathBuf;

use hooks_runtime::bridge::{self, Call, LeftToAgent, Reply, Stops};
use hooks_runtime::{Dialect, Runtime, RuntimeBuilder, Trust};
use serde::{Deserialize, Serialize};

use crate::file::{self, FormatArgs, NamedFile};

/// What is asked, but for the event itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct RunQuestion {
    pub(super) loads: Loads,
    /// The agent, by its name: the file may name it.
    pub(super) system: String,
    /// The event, if the agent's input does not name it.
    pub(super) event: Option<String>,
    /// The folder and the variables of the process that asks.
    pub(super) folder: Option<PathBuf>,
    pub(super) variables: Option<BTreeMap<String, String>>,
}

/// Which hooks answer. Questions with the same are for the same runtime.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Loads {
    pub(super) file: NamedFile,
    pub(super) format: FormatArgs,
    /// The project, as the agent names it.
    pub(super) project: Option<String>,
    /// Where each hook is recorded.
    pub(super) records: Option<PathBuf>,
}

/// Variables that differ in each process of one agent, and that no hook is about.
const OF_THE_PROCESS: &[&str] = &["HOOKS_SOCKET", "HOOKS_TRACE", "OLDPWD", "PWD", "SHLVL", "_"];

/// The variables of this process that hooks may be about. None if one of them is not text, which no other process can
/// get.
pub(super) fn variables() -> Option<BTreeMap<String, String>> {
    let all = std::env::vars_os();
    let all = all.filter(|(name, _)| !OF_THE_PROCESS.iter().any(|other| name == other));
    all.map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

/// What the process says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RunAnswer {
    pub(super) exit_code: u8,
    pub(super) stdout: String,
    pub(super) stderr: String,
    /// What is worth knowing about the files.
    pub(super) notices: Vec<String>,
    /// What could not be done, and does not change the decision.
    pub(super) warnings: Vec<String>,
}

impl From<Reply> for RunAnswer {
    fn from(reply: Reply) -> Self {
        RunAnswer {
            exit_code: reply.exit_code,
            stdout: reply.stdout,
            stderr: reply.stderr,
            ..RunAnswer::default()
        }
    }
}

impl RunAnswer {
    /// A refusal in the words of an agent; in those that every agent understands if only the file knows the agent.
    pub(super) fn refused(system: &str, why: impl std::fmt::Display) -> Self {
        let known: Dialect = system.parse().unwrap_or_default();
        known.refuse(why).into()
    }
}

impl Loads {
    /// The builder of the runtime that answers, and warnings.
    pub(super) fn builder(&self) -> (RuntimeBuilder, Vec<String>) {
        let mut warnings = Vec::new();
        let builder = file::builder_as(&self.file, self.format, &mut warnings);
        let records = self.records.as_deref();
        let mut builder = file::recorded(builder, records, &mut warnings).approver(LeftToAgent);
        if let Some(folder) = &self.project {
            builder = builder.project_dir(folder);
        }
        (builder, warnings)
    }
}

impl RunQuestion {
    /// The process that asks; none if it has not told its folder and its variables.
    #[cfg(feature = "server")]
    pub(super) fn caller(&self) -> Option<hooks_runtime::Caller> {
        let variables = self.variables.iter().flatten();
        let variables = variables.map(|(name, value)| (name.into(), value.into()));
        let folder = self.folder.as_ref().filter(|_| self.variables.is_some())?;
        Some(hooks_runtime::Caller::new(variables, folder))
    }

    /// Asks the hooks of a runtime that was built for this.
    ///
    /// # Errors
    ///
    /// The refusal, if there is no such agent.
    pub(super) async fn judge(
        &self,
        runtime: &Runtime,
        input: &[u8],
    ) -> Result<(RunAnswer, bridge::Judged), RunAnswer> {
        let system = runtime.dialect(&self.system);
        let system = system.map_err(|why| RunAnswer::refused(&self.system, why))?;
        let is_set = |name: &str| match &self.variables {
            Some(variables) => variables.contains_key(name),
            None => std::env::var_os(name).is_some(),
        };
        let path = &self.loads.file.path;
        let judge = path.canonicalize().unwrap_or_else(|_| path.clone());
        let judge = judge.to_string_lossy();
        let within = match &self.variables {
            Some(variables) => variables.get(bridge::WITHIN).cloned(),
            None => std::env::var(bridge::WITHIN).ok(),
        };
        let variable = |name: &str| match &self.variables {
            Some(variables) => variables.get(name).cloned(),
            None => std::env::var(name).ok(),
        };
        // Only the file knows which variable names the project of an agent of the user's own.
        let project = self.loads.project.clone();
        let project = project.or_else(|| system.project_dir(variable));
        let folder = Trust::user_file().map(|file| file.with_file_name("stops"));
        let stops = folder.map(Stops::in_folder);
        let call = Call {
            stops: stops.as_ref(),
            judge: &judge,
            within: within.as_deref().unwrap_or_default(),
            event: self.event.as_deref(),
            project_dir: project.as_deref(),
            is_set: &is_set,
            ..Call::new(system, input)
        };
        let judged = bridge::run(runtime, call).await;
        let mut said = RunAnswer::from(judged.reply.clone());
        // Otherwise standard error is the reason of a refusal, or what Gemini CLI shows to its user.
        let is_shown = system == Dialect::Gemini && said.stdout.is_empty();
        if said.exit_code == 0 && !is_shown {
            // Each event is a run of its own: what is about the whole file is said once, if the agent has a place for
            // that.
            let plain = judged.named.replace('_', "");
            let is_first = plain.eq_ignore_ascii_case("SessionStart")
                || !system.raises().contains("SessionStart");
            said.notices =
                file::notices(runtime, |notice| is_first || notice.contains(&judged.named));
        }
        Ok((said, judged))
    }

    /// Does the work in this process.
    pub(super) fn answer(&self, input: &[u8]) -> RunAnswer {
        let done = file::block_on(async {
            let (builder, warnings) = self.loads.builder();
            let mut said = match builder.build().await {
                Ok(runtime) => {
                    let judged = self.judge(&runtime, input).await;
                    runtime.shutdown().await;
                    judged.map_or_else(|refused| refused, |(said, _)| said)
                }
                Err(error) => RunAnswer::refused(&self.system, error),
            };
            said.warnings = warnings;
            said
        });
        done.unwrap_or_else(|failure| RunAnswer::refused(&self.system, failure))
    }
}
