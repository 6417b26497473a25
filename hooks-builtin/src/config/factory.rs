//! Creates hooks by the names of their types, for the chain of a configuration.

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

/// Creates hooks of one type.
///
/// It corresponds to ClawSeed's `HookFactory`, whose `create` returns an `Option`. Here, it returns an error that says
/// what is wrong.
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
    /// Returns the type of its hooks, as a configuration names it.
    fn hook_type(&self) -> &str;

    /// Checks the settings without starting anything. All settings of a chain are checked before the first
    /// [`create`](Self::create). The default accepts everything.
    ///
    /// # Errors
    ///
    /// If the settings are wrong.
    fn check(&self, config: &Value) -> Result<(), FactoryError> {
        let _ = config;
        Ok(())
    }

    /// Creates a hook.
    ///
    /// # Errors
    ///
    /// If the settings are wrong, or the hook cannot start.
    fn create(&self, config: &Value) -> Result<Box<dyn AgentHandler>, FactoryError>;
}

/// Why a factory could not create a hook.
#[derive(Debug)]
pub struct FactoryError(Box<Inner>);

#[derive(Debug)]
struct Inner {
    wrong: Wrong,
    source: Option<BuildError>,
}

impl FactoryError {
    /// Creates an error from a sentence that says what is wrong.
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

    /// Sets the key of the settings that is wrong.
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
    /// Converts an error of a hook whose settings are at the path.
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
/// It corresponds to ClawSeed's `HookFactoryRegistry`. PicoClaw's `RegisterBuiltinHook` is
/// [`register`](Self::register).
#[derive(Default)]
pub struct HookFactoryRegistry {
    factories: HashMap<String, Factory>,
}

/// A factory: a built-in one, or the user's own.
enum Factory {
    Builtin(Builtin),
    Own(Box<dyn HookFactory>),
}

impl HookFactoryRegistry {
    /// Creates a registry without factories.
    #[must_use]
    pub fn new() -> Self {
        HookFactoryRegistry::default()
    }

    /// Creates a registry of the factories for the built-in hooks. Their names are those of `[hooks.builtin]`, and
    /// `audit_log`, which is ClawSeed's name for `command_logger`.
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

    /// Adds a factory. It replaces a factory of the same type.
    pub fn register(&mut self, factory: impl HookFactory + 'static) {
        let hook_type = factory.hook_type().to_owned();
        self.factories
            .insert(hook_type, Factory::Own(Box::new(factory)));
    }

    /// Does the same as [`register`](Self::register), and returns the registry, so that you can build it in one
    /// expression.
    #[must_use]
    pub fn with(mut self, factory: impl HookFactory + 'static) -> Self {
        self.register(factory);
        self
    }

    /// Creates the hooks of `hooks.chain`, in its order, followed by those of `hooks.builtins`, by their priorities.
    /// The configuration must have no other hooks; [`HooksConfig::build_with`] builds all hooks of a configuration.
    ///
    /// `hooks.defaults` limits how long each hook may take. If it has a number, the hooks must run inside a tokio
    /// runtime with time enabled.
    ///
    /// `security_policy` comes first, whatever the order. Hooks that are not enabled are left out, and all of them if
    /// `hooks` is not enabled. The handlers' own priorities are ignored.
    ///
    /// If a `security_policy` says `supervised`, which is the default, a built-in `approval` asks about every tool,
    /// except those in its own `except` and those that are declared read-only. If there are several approvals, the
    /// first one does so. Without an `approval`, built in or of your own, the policy blocks what needs an approval.
    ///
    /// # Errors
    ///
    /// If a type is unknown, a hook cannot be created, one of `processes` is enabled, or something in `[hooks.builtin]`
    /// is on. Then no hook is created. The settings of built-in hooks are checked even if the hooks are not enabled.
    pub fn build(
        &self,
        config: &HooksConfig,
    ) -> Result<HookRegistry<AgentEvent<'static>>, ConfigError> {
        config.refuse(config.builtin_keys(), "HookFactoryRegistry::build")?;
        let chain = config.parts(self)?.chain;
        Ok(chain.unwrap_or_else(|| empty_chain(config)))
    }

    /// Checks the hooks, and records what other hooks need to know.
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

    /// Returns the hooks to create, in order, and the known hooks that are off.
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
        // In this table, lower priorities run first, and equal ones in the order of their names, which is the map's
        // order.
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

/// A hook to create, or a hook that is off.
struct Step<'a> {
    is_enabled: bool,
    hook_type: &'a str,
    factory: &'a Factory,
    settings: &'a Value,
    /// The path of the settings.
    path: Vec<Segment>,
}

/// The hooks that factories create, both those that exist already and those that do not yet.
pub(super) struct Chain<'a> {
    config: &'a HooksConfig,
    steps: Vec<Step<'a>>,
    handlers: Vec<Option<Box<dyn AgentHandler>>>,
}

impl Chain<'_> {
    /// Creates the hooks with this kind of effect.
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

    /// Returns the created hooks, in order.
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

/// The effects that creating a hook has.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Outcome {
    /// No effect remains once the hook is dropped.
    Inside,
    /// Only its factory knows.
    Unknown,
    /// A file remains.
    File,
}

impl Step<'_> {
    /// Checks the settings, and records what other hooks need to know.
    fn check(&self, supervision: &mut Supervision) -> Result<(), FactoryError> {
        let builtin = match self.factory {
            Factory::Builtin(builtin) => builtin,
            Factory::Own(own) if self.is_enabled => {
                supervision.is_asked_in_chain |= self.hook_type == APPROVAL;
                return own.check(self.settings);
            }
            Factory::Own(_) => return Ok(()),
        };
        // The settings of a hook that is off are checked too, if it has any, because it may be turned on later.
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

/// Returns a chain without hooks. It is for guards, so it fails closed: a guard that panics blocks what it has not
/// judged.
fn empty_chain(config: &HooksConfig) -> HookRegistry<AgentEvent<'static>> {
    HookRegistry::new()
        .on_panic(OnPanic::Block)
        .timeouts(config.defaults.into())
}

/// Returns the name of a handler, with a number if the name is already taken in the chain.
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

/// Returns the priority at which hooks of a type are registered. Hooks of the same priority run in the order of
/// registration.
fn place(hook_type: &str) -> i32 {
    match hook_type {
        SECURITY_POLICY => i32::MAX,
        _ => 0,
    }
}

/// Shows the known types, in order.
impl fmt::Debug for HookFactoryRegistry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut types: Vec<_> = self.factories.keys().collect();
        types.sort_unstable();
        f.debug_list().entries(types).finish()
    }
}

/// Creates a built-in hook.
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

/// The factories of built-in hooks that need nothing but their settings.
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

// Types that need more than their settings.
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
