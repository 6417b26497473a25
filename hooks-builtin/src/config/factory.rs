//! Hooks by the names of their types: what a chain in a configuration is made of.

use std::collections::HashMap;
use std::error::Error;
use std::fmt;

use hooks_core::agent::{AgentEvent, AgentHandler};
use hooks_core::{HookRegistry, OnPanic, hooks};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::error::{At, ConfigError, Names, Segment, Wrong};
use super::read::{read, suggestion};
use super::supervision::Supervision;
use super::{HooksConfig, is_nothing};
use crate::{Approval, ApprovalConfig, BuildError, JsonlLogConfig, SecurityPolicy};

/// Makes hooks of one type.
///
/// ClawSeed's `HookFactory`, whose `create` returns an `Option`: here what is wrong is told.
///
/// ```
/// use hooks_builtin::config::{FactoryError, HookFactory, HookFactoryRegistry, HooksConfig, read};
/// use hooks_core::agent::{AgentContext, AgentHandler, BeforeToolCall};
/// use hooks_core::{HookAction, async_trait};
/// use serde::Deserialize;
/// use serde_json::Value;
///
/// #[derive(Deserialize)]
/// #[serde(deny_unknown_fields)]
/// struct Curfew { from_hour: u8 }
///
/// #[async_trait]
/// impl AgentHandler for Curfew {
///     fn name(&self) -> &str { "curfew" }
///
///     async fn before_tool_call(
///         &self, _cx: &AgentContext, _call: &mut BeforeToolCall,
///     ) -> HookAction<BeforeToolCall> {
///         HookAction::block(format!("no tools after {} o'clock", self.from_hour))
///     }
/// }
///
/// struct CurfewFactory;
///
/// impl HookFactory for CurfewFactory {
///     fn hook_type(&self) -> &str { "curfew" }
///
///     fn create(&self, config: &Value) -> Result<Box<dyn AgentHandler>, FactoryError> {
///         Ok(Box::new(read::<Curfew>(config)?))
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let config = HooksConfig::from_toml(r#"
///     [[hooks.chain]]
///     type = "audit_log"
///
///     [[hooks.chain]]
///     type = "curfew"
///     config = { from_hour = 22 }
/// "#)?;
/// let registry = HookFactoryRegistry::with_builtins().with(CurfewFactory).build(&config)?;
/// assert_eq!(format!("{registry:?}"), "[CommandLogger, curfew]");
///
/// let mut call = BeforeToolCall::default();
/// let result = registry.intercept(&AgentContext::new("s1"), &mut call).await;
/// assert_eq!(result.as_cancel().unwrap().reason, "no tools after 22 o'clock");
/// # Ok(())
/// # }
/// ```
pub trait HookFactory: Send + Sync {
    /// The type that it makes, as a configuration names it.
    fn hook_type(&self) -> &str;

    /// Checks the settings, and starts nothing: all of a chain are checked before the first [`create`](Self::create).
    /// By default everything is right.
    ///
    /// # Errors
    ///
    /// If the settings are not as they should be.
    fn check(&self, config: &Value) -> Result<(), FactoryError> {
        let _ = config;
        Ok(())
    }

    /// Makes a hook.
    ///
    /// # Errors
    ///
    /// If the settings are not as they should be, or the hook cannot start.
    fn create(&self, config: &Value) -> Result<Box<dyn AgentHandler>, FactoryError>;
}

/// Why a factory could not make a hook.
#[derive(Debug)]
pub struct FactoryError(Box<Inner>);

#[derive(Debug)]
struct Inner {
    wrong: Wrong,
    source: Option<BuildError>,
}

impl FactoryError {
    /// What is wrong, in a sentence.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        FactoryError::from_wrong(Wrong {
            path: Vec::new(),
            message: message.into(),
            names: Names::Before,
            help: None,
            at: At::Key,
        })
    }

    /// The key of the settings that is to blame.
    #[must_use]
    pub fn at(mut self, key: impl Into<String>) -> Self {
        self.0.wrong.path = vec![Segment::Key(key.into())];
        self.0.wrong.at = At::Value;
        self
    }

    pub(super) fn from_wrong(wrong: Wrong) -> Self {
        FactoryError(Box::new(Inner {
            wrong,
            source: None,
        }))
    }
}

impl From<BuildError> for FactoryError {
    fn from(error: BuildError) -> Self {
        FactoryError(Box::new(Inner {
            wrong: Wrong::of_build(&error, Vec::new()),
            source: Some(error),
        }))
    }
}

impl Wrong {
    /// What is wrong with a hook whose settings stand at the path.
    pub(super) fn of_build(error: &BuildError, mut path: Vec<Segment>) -> Self {
        path.push(Segment::Key(error.key().to_owned()));
        Wrong {
            message: error.message().to_owned(),
            names: Names::Subject,
            help: None,
            at: At::Value,
            path,
        }
    }
}

impl fmt::Display for FactoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.wrong.told())?;
        match &self.0.wrong.help {
            Some(help) => write!(f, ": {help}"),
            None => Ok(()),
        }
    }
}

impl Error for FactoryError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source.as_ref().map(|error| error as _)
    }
}

/// The factories that a configuration can name.
///
/// ClawSeed's `HookFactoryRegistry`; PicoClaw's `RegisterBuiltinHook` is [`register`](Self::register).
#[derive(Default)]
pub struct HookFactoryRegistry {
    factories: HashMap<String, Factory>,
}

/// A factory, and whose it is.
enum Factory {
    Builtin(Builtin),
    Own(Box<dyn HookFactory>),
}

impl HookFactoryRegistry {
    /// No factories.
    #[must_use]
    pub fn new() -> Self {
        HookFactoryRegistry::default()
    }

    /// The factories of the built-in hooks, by the names that `[hooks.builtin]` has for them, and `audit_log`, which
    /// is what ClawSeed calls its `command_logger`.
    #[must_use]
    pub fn with_builtins() -> Self {
        let mut registry = HookFactoryRegistry::new();
        for builtin in BUILTINS {
            let hook_type = builtin.hook_type.to_owned();
            registry
                .factories
                .insert(hook_type, Factory::Builtin(builtin));
        }
        registry
    }

    /// Adds a factory, in the place of one of the same type.
    pub fn register(&mut self, factory: impl HookFactory + 'static) {
        let hook_type = factory.hook_type().to_owned();
        self.factories
            .insert(hook_type, Factory::Own(Box::new(factory)));
    }

    /// As [`register`](Self::register), for building a registry in one expression.
    #[must_use]
    pub fn with(mut self, factory: impl HookFactory + 'static) -> Self {
        self.register(factory);
        self
    }

    /// Makes the hooks of `hooks.chain`, in its order, and after them those of `hooks.builtins`, by their priorities: of
    /// a configuration that has no others. [`HooksConfig::build_with`] makes all that a configuration says.
    ///
    /// Each may take as long as `hooks.defaults` says; with one of its numbers, tokio's timer has to run.
    ///
    /// `security_policy` comes first whatever the order. Hooks that are not enabled are left out, and all of them if
    /// the whole is not. What the handlers say of their own priority does not matter.
    ///
    /// Where a `security_policy` says `supervised`, which is the default, a built-in `approval` asks for every tool that
    /// is not in its own `except` nor declared read-only; of several, the first does. Without an `approval`, built in or
    /// of your own, the policy blocks what is to be approved of.
    ///
    /// # Errors
    ///
    /// If a type is not known, a hook cannot be made, one of `processes` is enabled, or something in `[hooks.builtin]`
    /// is on. Then there is none. Of hooks that are not enabled, the settings of the built-in ones are read all the
    /// same.
    pub fn build(
        &self,
        config: &HooksConfig,
    ) -> Result<HookRegistry<AgentEvent<'static>>, ConfigError> {
        config.refuse(config.builtin_keys(), "HookFactoryRegistry::build")?;
        let chain = config.parts(self)?.chain;
        Ok(chain.unwrap_or_else(|| empty_chain(config)))
    }

    /// Checks the hooks, and takes note of what others have to know.
    pub(super) fn checked<'a>(
        &'a self,
        config: &'a HooksConfig,
        supervision: &mut Supervision,
        wrong: &mut Vec<ConfigError>,
    ) -> Chain<'a> {
        let mut steps = Vec::new();
        for step in self.steps(config) {
            match step {
                Ok(step) => match step.check(supervision) {
                    Ok(()) => steps.push(step),
                    Err(error) => wrong.push(step.located(error, config)),
                },
                Err(error) => wrong.push(error),
            }
        }
        let handlers = steps.iter().map(|_| None).collect();
        Chain {
            config,
            steps,
            handlers,
        }
    }

    /// What is to be made, in order, and what is off but known.
    fn steps<'a>(
        &'a self,
        config: &'a HooksConfig,
    ) -> impl Iterator<Item = Result<Step<'a>, ConfigError>> {
        let key = Segment::key;
        let chain = config.chain.iter().enumerate().map(move |(index, entry)| {
            let path = vec![key("hooks"), key("chain"), Segment::Index(index)];
            let of_type = [path.clone(), vec![key("type")]].concat();
            (
                entry.enabled,
                entry.hook_type.as_str(),
                &entry.config,
                path,
                of_type,
            )
        });
        let mut builtins: Vec<_> = config.builtins.iter().collect();
        // There the lower one runs first, and equal ones in the order of their names, in which they stand.
        builtins.sort_by_key(|(_, entry)| entry.priority);
        let builtins = builtins.into_iter().map(move |(hook_type, entry)| {
            let path = vec![key("hooks"), key("builtins"), key(hook_type)];
            (
                entry.enabled,
                hook_type.as_str(),
                &entry.config,
                path.clone(),
                path,
            )
        });
        chain.chain(builtins).filter_map(
            move |(is_enabled, hook_type, settings, mut path, of_type)| {
                path.push(key("config"));
                match self.factories.get(hook_type) {
                    Some(factory) => Some(Ok(Step {
                        is_enabled,
                        hook_type,
                        factory,
                        settings,
                        path,
                    })),
                    None if is_enabled => Some(Err(self.unknown(hook_type, of_type, config))),
                    None => None,
                }
            },
        )
    }

    fn unknown(&self, hook_type: &str, path: Vec<Segment>, config: &HooksConfig) -> ConfigError {
        let mut known: Vec<_> = self.factories.keys().cloned().collect();
        known.sort_unstable();
        let wrong = Wrong {
            message: format!("there is no type `{hook_type}` of hooks"),
            names: Names::Nothing,
            help: Some(format!(
                "{}; a factory of your own is given to `HooksConfig::build_with`",
                suggestion(hook_type, &known, "type")
            )),
            at: match path.last() {
                Some(Segment::Key(key)) if key == hook_type => At::Key,
                _ => At::Value,
            },
            path,
        };
        ConfigError::new(wrong, config.origin.source())
    }
}

/// A hook that is to be made, or that is off.
struct Step<'a> {
    is_enabled: bool,
    hook_type: &'a str,
    factory: &'a Factory,
    settings: &'a Value,
    /// Where the settings stand.
    path: Vec<Segment>,
}

/// The hooks that factories make, those that are made and those that are to be.
pub(super) struct Chain<'a> {
    config: &'a HooksConfig,
    steps: Vec<Step<'a>>,
    handlers: Vec<Option<Box<dyn AgentHandler>>>,
}

impl Chain<'_> {
    /// Makes the hooks of this outcome.
    pub(super) fn make(
        &mut self,
        outcome: Outcome,
        supervision: &mut Supervision,
        wrong: &mut Vec<ConfigError>,
    ) {
        for (step, handler) in self.steps.iter().zip(&mut self.handlers) {
            if step.is_enabled && step.outcome() == outcome {
                match step.create(supervision) {
                    Ok(made) => *handler = Some(made),
                    Err(error) => wrong.push(step.located(error, self.config)),
                }
            }
        }
    }

    /// The hooks that were made, in order.
    pub(super) fn into_registry(self) -> Result<HookRegistry<AgentEvent<'static>>, ConfigError> {
        let mut registry = empty_chain(self.config);
        for (step, handler) in self.steps.iter().zip(self.handlers) {
            if let Some(handler) = handler {
                let name = free_name(&registry, handler.name());
                registry
                    .register_as(&name, place(step.hook_type), handler)
                    .map_err(|error| {
                        step.located(FactoryError::new(error.to_string()), self.config)
                    })?;
            }
        }
        Ok(registry)
    }
}

/// Where it shows that a hook was made.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Outcome {
    /// Nowhere, once it is dropped.
    Inside,
    /// Its factory knows.
    Unknown,
    /// A file stays behind.
    File,
}

impl Step<'_> {
    /// Checks the settings, and takes note of what others have to know.
    fn check(&self, supervision: &mut Supervision) -> Result<(), FactoryError> {
        let builtin = match self.factory {
            Factory::Builtin(builtin) => builtin,
            Factory::Own(own) if self.is_enabled => {
                supervision.is_asked_in_chain |= self.hook_type == APPROVAL;
                return own.check(self.settings);
            }
            Factory::Own(_) => return Ok(()),
        };
        // Also of a hook that is off the settings are read, if it has any: it will be turned on some day.
        if self.is_enabled || !is_nothing(self.settings) {
            (builtin.read)(self.settings)?;
        }
        if !self.is_enabled {
            return Ok(());
        }
        match builtin.hook_type {
            APPROVAL => supervision.is_asked_in_chain = true,
            JSONL_LOG => read::<JsonlLogConfig>(self.settings)?.check()?,
            SECURITY_POLICY => {
                supervision.note(&read(self.settings)?);
            }
            _ => {}
        }
        Ok(())
    }

    fn outcome(&self) -> Outcome {
        match self.factory {
            Factory::Builtin(builtin) if builtin.hook_type == JSONL_LOG => Outcome::File,
            Factory::Builtin(_) => Outcome::Inside,
            Factory::Own(_) => Outcome::Unknown,
        }
    }

    fn create(&self, supervision: &mut Supervision) -> Result<Box<dyn AgentHandler>, FactoryError> {
        let builtin = match self.factory {
            Factory::Builtin(builtin) => builtin,
            Factory::Own(own) => return own.create(self.settings),
        };
        match builtin.hook_type {
            SECURITY_POLICY if !supervision.is_asked() => {
                let policy = SecurityPolicy::from_config(&read(self.settings)?)?;
                Ok(Box::new(hooks![policy.without_approver()]))
            }
            APPROVAL => {
                let config: ApprovalConfig = read(self.settings)?;
                let approval = Approval::from_config(&config)?;
                Ok(Box::new(hooks![supervision.supervising(approval, &config)]))
            }
            _ => (builtin.create)(self.settings),
        }
    }

    fn located(&self, error: FactoryError, config: &HooksConfig) -> ConfigError {
        let Inner { mut wrong, source } = *error.0;
        wrong.path = [self.path.clone(), wrong.path].concat();
        let error = ConfigError::new(wrong, config.origin.source());
        match source {
            Some(source) => error.with_source(source),
            None => error,
        }
    }
}

/// A chain that has no hooks yet. It is for guards: one that panics must not let through what it has not judged.
fn empty_chain(config: &HooksConfig) -> HookRegistry<AgentEvent<'static>> {
    HookRegistry::new()
        .on_panic(OnPanic::Block)
        .timeouts(config.defaults.into())
}

/// The name of a handler, with a number if the chain has one of this name already.
fn free_name(registry: &HookRegistry<AgentEvent<'static>>, name: &str) -> String {
    let mut free = name.to_owned();
    for number in 2.. {
        if registry.names().all(|taken| taken != free) {
            break;
        }
        free = format!("{name}#{number}");
    }
    free
}

/// The priority at which hooks of a type are registered: equal ones run as they were registered.
fn place(hook_type: &str) -> i32 {
    match hook_type {
        SECURITY_POLICY => i32::MAX,
        _ => 0,
    }
}

/// The types that are known, in order.
impl fmt::Debug for HookFactoryRegistry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut types: Vec<_> = self.factories.keys().collect();
        types.sort_unstable();
        f.debug_list().entries(types).finish()
    }
}

/// Makes a built-in hook.
type Create = fn(&Value) -> Result<Box<dyn AgentHandler>, FactoryError>;

/// Reads the settings of a built-in hook.
type Read = fn(&Value) -> Result<(), FactoryError>;

struct Builtin {
    hook_type: &'static str,
    read: Read,
    create: Create,
}

fn are_settings_of<C: DeserializeOwned, H>(
    _: fn(&C) -> Result<H, BuildError>,
    config: &Value,
) -> Result<(), FactoryError> {
    read::<C>(config).map(drop)
}

/// The factories of built-in hooks, each of which is made from its settings alone.
macro_rules! builtins {
    ($($hook_type:expr => $Hook:ident,)*) => {
        [$(Builtin {
            hook_type: $hook_type,
            read: |config| are_settings_of(crate::$Hook::from_config, config),
            create: |config| {
                let hook = crate::$Hook::from_config(&read(config)?)?;
                Ok(Box::new(hooks![hook]))
            },
        },)*]
    };
}

// The types of which more is known here than how they are made.
const SECURITY_POLICY: &str = "security_policy";
const APPROVAL: &str = "approval";
const JSONL_LOG: &str = "jsonl_log";

const BUILTINS: [Builtin; 13] = builtins! {
    SECURITY_POLICY => SecurityPolicy,
    "block_tools" => BlockTools,
    APPROVAL => Approval,
    "rate_limit" => RateLimit,
    "path_prefix" => PathPrefix,
    "shell_hook" => ShellHook,
    "tool_cache" => ToolCache,
    "redact" => Redact,
    "command_logger" => CommandLogger,
    "audit_log" => CommandLogger,
    "event_log" => EventLog,
    JSONL_LOG => JsonlLog,
    "webhook_audit" => WebhookAudit,
};
