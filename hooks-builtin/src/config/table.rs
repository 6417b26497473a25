//! The table of the built-in hooks: a line each, from which everything that lists them is made.

use std::sync::Arc;

use hooks_core::agent::AgentEvent;
use hooks_core::{BoxHook, HookRegistry, RegisterError};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::factory::{FactoryError, of_build};
use super::{ConfigError, HooksConfig, Segment, Switch, read};
use crate::BuildError;

/// Makes, of lines `key: Hook, its settings, its reach;`:
///
/// - [`BuiltinConfig`], a switch each, with the schema;
/// - [`BuiltinHooks`], the hooks that are on, and how they are created and registered;
/// - [`Builtin::ALL`], a factory each, for the chain;
/// - [`HooksConfig::switch_off`];
/// - [`with_builtins!`](crate::with_builtins), the pipeline.
///
/// `$d` is a dollar, for the last of them.
macro_rules! builtins {
    (
        $d:tt
        hooks { $($(#[$doc:meta])* $key:ident: $Hook:ident, $Config:ident, $reach:ident;)* }
        probes {
            $($(#[$probe_doc:meta])* $probe_key:ident: $Probe:ident, $ProbeConfig:ident, $probe_reach:ident;)*
        }
    ) => {
        /// The built-in hooks: `[hooks.builtin]`. Each is off by default. `true` turns it on with its defaults, and a
        /// table turns it on with settings. `enabled = false` in the table turns it off. In ZeroClaw, a table without
        /// `enabled` is off.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields, default)]
        pub struct BuiltinConfig {
            $($(#[$doc])* pub $key: Switch<crate::$Config>,)*
            $($(#[$probe_doc])* pub $probe_key: Switch<crate::$ProbeConfig>,)*
        }

        /// The built-in hooks that are on, one by one.
        ///
        /// You can clone every hook to get a handle to the same state: keep one to read the log of an
        /// [`EventLog`](crate::EventLog), for example. You can also replace a hook, for example with an
        /// [`Approval`](crate::Approval) that asks in your own user interface.
        ///
        /// ```
        /// use hooks_builtin::config::{HookFactoryRegistry, HooksConfig};
        /// use hooks_builtin::{Approval, DenyAll};
        ///
        /// let config = HooksConfig::from_toml("[hooks.builtin]\nevent_log = true")?;
        /// let mut hooks = config.hooks(&HookFactoryRegistry::with_builtins())?;
        /// hooks.builtin.approval = Some(Approval::new(DenyAll));
        /// let log = hooks.builtin.event_log.clone().expect("the log is on");
        /// assert_eq!(format!("{:?}", hooks.into_pipeline()), "[Approval]");
        /// assert!(log.messages().is_empty());
        /// # Ok::<(), hooks_builtin::config::ConfigError>(())
        /// ```
        #[derive(Clone, Debug, Default)]
        pub struct BuiltinHooks {
            $($(#[$doc])* pub $key: Option<crate::$Hook>,)*
            $($(#[$probe_doc])* pub $probe_key: Option<crate::$Probe>,)*
            /// Runs the commands that the policy allows in a sandbox. It is there where the policy's settings want it
            /// and the kernel can.
            #[doc(hidden)]
            pub sandbox: Option<crate::PolicySandbox>,
            /// Whether a hook that a factory created asks about the actions of a supervised agent.
            #[doc(hidden)]
            pub is_asked_in_chain: bool,
            /// The logs that factories created. They see all hooks of the file.
            #[doc(hidden)]
            pub chain_logs: HookRegistry<AgentEvent<'static>>,
        }

        impl BuiltinHooks {
            /// Creates the hooks that are on, of those whose keys `is_meant` accepts.
            pub(super) fn make(
                &mut self,
                config: &HooksConfig,
                is_meant: impl Fn(&str) -> bool,
                wrong: &mut Vec<ConfigError>,
            ) {
                $(if let Some(settings) = config.builtin.$key.as_on()
                    && is_meant(stringify!($key))
                {
                    match crate::$Hook::from_config(settings) {
                        Ok(hook) => self.$key = Some(hook),
                        Err(error) => wrong.push(located(error, config)),
                    }
                })*
                $(if let Some(settings) = config.builtin.$probe_key.as_on()
                    && is_meant(stringify!($probe_key))
                {
                    match crate::$Probe::from_config(settings) {
                        Ok(probe) => self.$probe_key = Some(probe),
                        Err(error) => wrong.push(located(error, config)),
                    }
                })*
            }

            /// Registers the hooks, each at its own priority, and attaches the logs.
            pub(super) fn register_in(
                self,
                registry: &HookRegistry<AgentEvent<'static>>,
            ) -> Result<(), RegisterError> {
                let hooks = self.__complete();
                $(if let Some(hook) = hooks.$key {
                    registry.register(hook)?;
                })*
                if let Some(sandbox) = hooks.sandbox {
                    registry.register(sandbox)?;
                }
                $(if let Some(probe) = hooks.$probe_key {
                    registry.attach(Arc::new(probe));
                })*
                registry.attach_all(&hooks.chain_logs);
                Ok(())
            }
        }

        impl Builtin {
            /// The factories, by the keys of the table.
            pub(super) const ALL: &[Builtin] = &[$(Builtin {
                hook_type: stringify!($key),
                reach: Reach::$reach,
                read: |config| are_settings_of(crate::$Hook::from_config, config),
                create: |config| {
                    let hook = crate::$Hook::from_config(&read(config)?)?;
                    Ok(FactoryProduct::Hook(BoxHook::new(hook)))
                },
            },)* $(Builtin {
                hook_type: stringify!($probe_key),
                reach: Reach::$probe_reach,
                read: |config| are_settings_of(crate::$Probe::from_config, config),
                create: |config| {
                    let probe = Arc::new(crate::$Probe::from_config(&read(config)?)?);
                    Ok(FactoryProduct::Probe(Box::new(move |registry| registry.attach(probe))))
                },
            },)*];
        }

        impl HooksConfig {
            /// Switches off the hooks that are on and whose types `is_meant` accepts, wherever the file has them. Returns
            /// the type of each, and its place in the file.
            ///
            /// ```
            /// use hooks_builtin::config::{HooksConfig, Reach};
            ///
            /// let text = "[hooks.builtin]\nredact = true\n[[hooks.chain]]\ntype = 'shell_hook'\nconfig = { command = 'ls' }";
            /// let mut config = HooksConfig::from_toml(text)?;
            /// let off = config.switch_off(|hook_type| Reach::of(hook_type) == Some(Reach::Programs));
            /// assert_eq!(off[0].0, "shell_hook");
            /// assert!(!config.chain[0].enabled && config.builtin.redact.as_on().is_some());
            /// # Ok::<(), hooks_builtin::config::ConfigError>(())
            /// ```
            pub fn switch_off(
                &mut self,
                is_meant: impl Fn(&str) -> bool,
            ) -> Vec<(String, Vec<Segment>)> {
                let mut off = Vec::new();
                $(if self.builtin.$key.as_on().is_some() && is_meant(stringify!($key)) {
                    self.builtin.$key = Switch::Off;
                    off.push(of_builtin(stringify!($key)));
                })*
                $(if self.builtin.$probe_key.as_on().is_some() && is_meant(stringify!($probe_key)) {
                    self.builtin.$probe_key = Switch::Off;
                    off.push(of_builtin(stringify!($probe_key)));
                })*
                for (index, entry) in self.chain.iter_mut().enumerate() {
                    if entry.enabled && is_meant(&entry.hook_type) {
                        entry.enabled = false;
                        let path = vec!["hooks".into(), "chain".into(), index.into()];
                        off.push((entry.hook_type.clone(), path));
                    }
                }
                for (name, entry) in &mut self.builtins {
                    if entry.enabled && is_meant(name) {
                        entry.enabled = false;
                        let path = ["hooks", "builtins", name.as_str()].map(Segment::from);
                        off.push((name.clone(), path.to_vec()));
                    }
                }
                off
            }
        }

        /// Creates a pipeline of [`BuiltinHooks`](crate::config::BuiltinHooks) and hooks of your own, all sorted by
        /// priority.
        ///
        /// After the built-in hooks, write a list as for [`hooks!`](hooks_core::hooks).
        ///
        /// ```
        /// use hooks_builtin::config::{FileHooks, HookFactoryRegistry, HooksConfig};
        /// use hooks_builtin::with_builtins;
        /// use hooks_core::agent::BeforeToolCall;
        /// use hooks_core::{hook, priority};
        ///
        /// #[hook(priority = priority::HIGH)]
        /// fn lower(call: &mut BeforeToolCall) { call.name.make_ascii_lowercase(); }
        ///
        /// #[hook]
        /// fn last(_: &BeforeToolCall) {}
        ///
        /// let text = "[hooks.builtin]\nsecurity_policy = true\n[[hooks.chain]]\ntype = 'redact'";
        /// let config = HooksConfig::from_toml(text)?;
        /// let FileHooks { builtin, chain } = config.hooks(&HookFactoryRegistry::with_builtins())?;
        /// let hooks = with_builtins![builtin; lower, chain @ 0, last @ priority::LAST];
        /// assert_eq!(format!("{hooks:?}"), "[SecurityPolicy, lower, HookRegistry, Redact, last]");
        /// # Ok::<(), hooks_builtin::config::ConfigError>(())
        /// ```
        #[macro_export]
        macro_rules! with_builtins {
            ($d builtins:expr $d(; $d($d own:tt)*)?) => {{
                let builtins: $crate::config::BuiltinHooks = $d builtins;
                let $crate::config::BuiltinHooks { $($key,)* $($probe_key,)* sandbox, chain_logs, .. } =
                    $crate::config::BuiltinHooks::__complete(builtins);
                let hooks = $crate::__hooks![$($key,)* sandbox, $d($d($d own)*)?];
                let hooks = $crate::__hooks![hooks, ..chain_logs];
                let logs = ();
                $(let logs = $crate::__Logs(logs, $probe_key);)*
                $crate::__hooks![$crate::__with_logs(hooks, logs)]
            }};
        }
    };
}

builtins! {
    $
    // Hooks of the same priority run in this order.
    hooks {
        /// Blocks what an agent may not do.
        security_policy: SecurityPolicy, SecurityPolicyConfig, Inside;
        /// Blocks calls of certain tools.
        block_tools: BlockTools, BlockToolsConfig, Inside;
        /// Limits how often tools may be called.
        rate_limit: RateLimit, RateLimitConfig, Inside;
        /// Asks a person before a tool runs.
        approval: Approval, ApprovalConfig, Inside;
        /// Makes relative paths of file tools absolute under a root, and keeps all paths inside it.
        path_prefix: PathPrefix, PathPrefixConfig, Inside;
        /// Runs a command before or after tool calls.
        shell_hook: ShellHook, ShellHookConfig, Programs;
        /// Answers repeated calls from memory.
        tool_cache: ToolCache, ToolCacheConfig, Inside;
        /// Rewrites secrets and personal data.
        redact: Redact, RedactConfig, Inside;
    }
    // They see the hooks, and are none.
    probes {
        /// Logs one line per tool call, for people.
        command_logger: CommandLogger, CommandLoggerConfig, Inside;
        /// Posts an audit event for every tool call.
        webhook_audit: WebhookAudit, WebhookAuditConfig, Network;
        /// Keeps every event in memory, in order.
        event_log: EventLog, EventLogConfig, Inside;
        /// Writes every event as a line of JSON to a file.
        jsonl_log: JsonlLog, JsonlLogConfig, Files;
    }
}

/// What a built-in hook reaches outside of the agent. Each line of the table says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reach {
    /// Nothing: it stays inside.
    Inside,
    /// It calls an endpoint.
    Network,
    /// It writes files.
    Files,
    /// It runs programs.
    Programs,
}

impl Reach {
    /// Returns what the hooks of a type reach; nothing if no built-in hook has this type.
    #[must_use]
    pub fn of(hook_type: &str) -> Option<Reach> {
        let mut all = Builtin::ALL.iter();
        let builtin = all.find(|builtin| builtin.hook_type == hook_type)?;
        Some(builtin.reach)
    }
}

/// The type of a hook in `[hooks.builtin]`, and its place.
fn of_builtin(key: &str) -> (String, Vec<Segment>) {
    let path = ["hooks", "builtin", key].map(Segment::from);
    (key.to_owned(), path.to_vec())
}

/// The factory of a built-in hook.
#[derive(Clone, Copy)]
pub(super) struct Builtin {
    pub(super) hook_type: &'static str,
    pub(super) reach: Reach,
    /// Reads the settings.
    pub(super) read: fn(&Value) -> Result<(), FactoryError>,
    pub(super) create: fn(&Value) -> Result<FactoryProduct, FactoryError>,
}

/// What a factory of ours creates.
pub(super) enum FactoryProduct {
    Hook(BoxHook<AgentEvent<'static>>),
    /// Attaches a probe to the hooks of the file.
    Probe(Box<Attach>),
}

type Attach = dyn FnOnce(&HookRegistry<AgentEvent<'static>>);

fn are_settings_of<C: DeserializeOwned, H>(
    _: fn(&C) -> Result<H, BuildError>,
    config: &Value,
) -> Result<(), FactoryError> {
    Ok(read::<C>(config).map(drop)?)
}

/// An error of a built-in hook, at its key.
pub(super) fn located(error: BuildError, config: &HooksConfig) -> ConfigError {
    let path = ["hooks", "builtin", error.hook()].map(Segment::key);
    let mistake = of_build(&error, &path);
    config.origin.show(mistake).with_source(error)
}

impl super::FileHooks {
    /// Returns the pipeline of the hooks.
    ///
    /// Each hook runs at its own priority, and those of [`chain`](Self::chain) at 0. A hook that is off costs one
    /// branch, and an event that none of the hooks handles costs one test for all of them.
    #[must_use]
    pub fn into_pipeline(
        self,
    ) -> impl hooks_core::agent::AgentHooks + std::fmt::Debug + Clone + use<> {
        let super::FileHooks { builtin, chain } = self;
        with_builtins![builtin; chain @ 0]
    }
}
