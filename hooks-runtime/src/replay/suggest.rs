//! What the security policy would have to allow: asks the policy about each call that ran in the past and is blocked now.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use hooks_builtin::{Missing, SecurityPolicy, SecurityPolicyConfig};
use hooks_core::agent::{AgentContext, AgentEvent};
use serde::Serialize;
use serde_json::Value;

/// How many different calls and folders are kept, so that memory does not grow with the past.
const MOST: usize = 10_000;

/// What would let calls of the past pass that the security policy blocks now.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Suggestion {
    /// How many calls the policy blocks that ran in the past without a failure.
    pub blocked: u64,
    /// How many of them would pass.
    pub passing: u64,
    /// What to add to the settings, each by itself; first what lets most calls pass.
    pub lines: Vec<SuggestedLine>,
    /// The keys of `[hooks.builtin.security_policy]` with the additions, as TOML; empty if there are none.
    pub toml: String,
}

/// One addition to the settings of the security policy.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[non_exhaustive]
pub struct SuggestedLine {
    /// The key: `allowed_commands` or `workspace`.
    pub key: &'static str,
    /// The program, or the folder.
    pub value: String,
    /// How many calls need it.
    pub count: u64,
}

/// A call: the folder of the agent, the tool, and its arguments as JSON.
type CallKey = (String, String, String);

/// The calls that the policy blocks, and the folders of all calls.
#[derive(Default)]
pub(super) struct Blocked {
    calls: HashMap<CallKey, u64>,
    folders: BTreeSet<String>,
    count: u64,
}

impl Blocked {
    /// Keeps the folder of a call, blocked or not.
    pub(super) fn saw(&mut self, cx: &AgentContext) {
        if self.folders.len() <= MOST && !self.folders.contains(&cx.cwd) {
            self.folders.insert(cx.cwd.clone());
        }
    }

    /// Keeps a call.
    pub(super) fn add(&mut self, cx: &AgentContext, event: &AgentEvent<'_>) {
        if let AgentEvent::BeforeToolCall(call) = event {
            let call = (cx.cwd.clone(), call.name.clone(), call.args.to_string());
            self.count += 1;
            self.keep(call, 1);
        }
    }

    fn keep(&mut self, call: CallKey, count: u64) {
        if self.calls.len() < MOST || self.calls.contains_key(&call) {
            *self.calls.entry(call).or_default() += count;
        }
    }

    pub(super) fn merge(&mut self, other: Blocked) {
        self.count += other.count;
        self.folders.extend(other.folders);
        for (call, count) in other.calls {
            self.keep(call, count);
        }
    }

    /// Returns what would let these calls pass.
    pub(super) fn suggestion(&self, config: &SecurityPolicyConfig) -> Suggestion {
        let before = self.missing(config);
        let programs = before.values().flat_map(|needs| &needs.allowed_commands);
        let programs: BTreeSet<_> = programs.cloned().collect();
        let mut wanted = config.clone();
        wanted.allowed_commands.extend(programs);
        // All are around the same workspace, so the widest holds the others.
        let folders = before.values().filter_map(|needs| needs.workspace.as_ref());
        let widest = folders.min_by_key(|folder| folder.components().count());
        if let Some(folder) = widest.filter(|folder| self.suits(config, folder)) {
            wanted.workspace = Some(folder.clone());
        }
        // What passes with all of it counts, and only what that needs is suggested.
        let mut counts: BTreeMap<(&'static str, String), u64> = BTreeMap::new();
        let mut passing = 0;
        let after = self.missing(&wanted);
        for (call, needs) in before {
            if !after.get(call).is_some_and(Missing::is_empty) {
                continue;
            }
            let count = self.calls[call];
            passing += count;
            for name in &needs.allowed_commands {
                *counts
                    .entry(("allowed_commands", name.clone()))
                    .or_default() += count;
            }
            if let (Some(_), Some(folder)) = (&needs.workspace, &wanted.workspace) {
                let folder = folder.display().to_string();
                *counts.entry(("workspace", folder)).or_default() += count;
            }
        }
        let lines = counts.into_iter();
        let mut lines: Vec<_> = lines
            .map(|((key, value), count)| SuggestedLine { key, value, count })
            .collect();
        lines.sort_by_key(|line| std::cmp::Reverse(line.count));
        Suggestion {
            blocked: self.count,
            passing,
            toml: toml_of(config, &lines),
            lines,
        }
    }

    /// Returns what each call needs under these settings, if something harmless helps.
    fn missing(&self, config: &SecurityPolicyConfig) -> HashMap<&CallKey, Missing> {
        let Ok(policy) = SecurityPolicy::from_config(config) else {
            return HashMap::new();
        };
        let (policy, _sandbox) = policy.with_sandbox();
        let found = self.calls.keys().filter_map(|call| {
            let (cwd, tool, args) = call;
            let mut cx = AgentContext::new("");
            cx.cwd.clone_from(cwd);
            let args: Value = serde_json::from_str(args).ok()?;
            Some((call, policy.missing(&cx, tool, &args)?))
        });
        found.collect()
    }

    /// Whether a workspace may be written down: without one, each folder of an agent is its own, and it must hold all.
    fn suits(&self, config: &SecurityPolicyConfig, workspace: &Path) -> bool {
        let is_inside = |folder: &String| {
            let folder = if folder.is_empty() { "." } else { folder };
            // In a folder that is gone, every call is blocked anyway.
            let real = Path::new(folder).canonicalize();
            real.is_ok_and(|real| real.starts_with(workspace)) || !Path::new(folder).exists()
        };
        let is_known = self.folders.len() <= MOST;
        config.workspace.is_some() || (is_known && self.folders.iter().all(is_inside))
    }
}

/// The settings with these lines: only the keys that change.
#[derive(Serialize)]
struct ChangedSettings {
    #[serde(skip_serializing_if = "Option::is_none")]
    allowed_commands: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    workspace: Option<PathBuf>,
}

fn toml_of(config: &SecurityPolicyConfig, lines: &[SuggestedLine]) -> String {
    let of = |key| {
        let lines = lines.iter().filter(move |line| line.key == key);
        lines.map(|line| line.value.clone())
    };
    let mut commands: Vec<_> = of("allowed_commands").collect();
    let has_commands = !commands.is_empty();
    commands.extend(config.allowed_commands.iter().cloned());
    let keys = ChangedSettings {
        allowed_commands: has_commands.then_some(commands),
        workspace: of("workspace").next().map(PathBuf::from),
    };
    match toml::to_string_pretty(&keys) {
        Ok(keys) if !keys.is_empty() => format!("[hooks.builtin.security_policy]\n{keys}"),
        _ => String::new(),
    }
}
