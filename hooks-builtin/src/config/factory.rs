//! Creates hooks by the names of their types, for the chain of a configuration.

use std::collections::HashMap;
use std::fmt;

use hooks_core::agent::AgentEvent;
use hooks_core::{BoxHook, Hook, HookRegistry, OnPanic};
use serde_json::Value;

use super::HooksConfig;
use super::foreign::{FactoryEntry, entries, is_nothing};
use super::supervision::Supervision;
use super::table::{Builtin, FactoryProduct};
use crate::{
    Approval, ApprovalConfig, BuildError, JsonlLogConfig, SandboxMode, SecurityPolicy,
    SecurityPolicyConfig,
};
use hooks_config::{At, ConfigError, Mistake, Naming, Segment, read, suggestion};

/// Creates hooks of one type.
///
/// It corresponds to ClawSeed's `HookFactory`, whose `create` returns an `Option`. Here, it returns an error that says
/// what is wrong.
///
/// ```
/// use hooks_builtin::config::{FactoryError, HookFactory, HookFactoryRegistry, HooksConfig, read};
/// use hooks_core::agent::{AgentContext, AgentEvent, BeforeToolCall};
/// use hooks_core::{BoxHook, HookAction, hook};
/// use serde::Deserialize;
/// use serde_json::Value;
///
/// #[derive(Deserialize)]
/// #[serde(deny_unknown_fields)]
/// struct Curfew { from_hour: u8 }
///
/// #[hook(name = "curfew")]
/// impl Curfew {
///     fn check(&self, _: &BeforeToolCall) -> HookAction<BeforeToolCall> {
///         HookAction::block(format!("no tools after {} o'clock", self.from_hour))
///     }
/// }
///
/// struct CurfewFactory;
///
/// impl HookFactory for CurfewFactory {
///     fn hook_type(&self) -> &str { "curfew" }
///
///     fn create(&self, config: &Value) -> Result<BoxHook<AgentEvent<'static>>, FactoryError> {
///         Ok(BoxHook::new(read::<Curfew>(config)?))
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
/// let hooks = config.hooks(&HookFactoryRegistry::with_builtins().with(CurfewFactory))?;
/// let chain = hooks.chain.expect("the file has one");
/// assert_eq!(format!("{chain:?}"), "[curfew]");
///
/// let mut call = BeforeToolCall::default();
/// let result = chain.intercept(&AgentContext::new("s1"), &mut call).await;
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
    fn create(&self, config: &Value) -> Result<BoxHook<AgentEvent<'static>>, FactoryError>;
}

/// Why a factory could not create a hook.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct FactoryError(Box<BuildFailure>);

#[derive(Debug, thiserror::Error)]
#[error("{mistake}")]
struct BuildFailure {
    mistake: Mistake,
    source: Option<BuildError>,
}

impl FactoryError {
    /// Creates an error from a sentence that says what is wrong.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Mistake::new([], message)
            .naming(Naming::Before)
            .at(At::Key)
            .into()
    }

    /// Sets the key of the settings that is wrong.
    #[must_use]
    pub fn at(mut self, key: impl Into<String>) -> Self {
        self.0.mistake.path = vec![Segment::Key(key.into())];
        self.0.mistake.at = At::Value;
        self
    }
}

/// The error of [`read`].
impl From<Mistake> for FactoryError {
    fn from(mistake: Mistake) -> Self {
        FactoryError(Box::new(BuildFailure {
            mistake,
            source: None,
        }))
    }
}

impl From<BuildError> for FactoryError {
    fn from(error: BuildError) -> Self {
        FactoryError(Box::new(BuildFailure {
            mistake: of_build(&error, &[]),
            source: Some(error),
        }))
    }
}

/// Converts an error of a hook whose settings are at the path.
pub(super) fn of_build(error: &BuildError, path: &[Segment]) -> Mistake {
    Mistake::new([Segment::key(error.key())], error.message())
        .naming(Naming::Subject)
        .within(path)
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
        let mut register = |name: &str, builtin: &Builtin| {
            let factory = Factory::Builtin(*builtin);
            registry.factories.insert(name.to_owned(), factory);
        };
        for builtin in Builtin::ALL {
            register(builtin.hook_type, builtin);
            if builtin.hook_type == "command_logger" {
                register("audit_log", builtin);
            }
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

    /// Checks the hooks, and records what other hooks need to know.
    pub(super) fn checked<'a>(
        &'a self,
        config: &'a HooksConfig,
        supervision: &mut Supervision,
        wrong: &mut Vec<ConfigError>,
    ) -> FactoryChain<'a> {
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
        let hooks = steps.iter().map(|_| None).collect();
        FactoryChain {
            config,
            steps,
            hooks,
        }
    }

    /// Returns the hooks to create, in order, and the known hooks that are off.
    fn steps<'a>(
        &'a self,
        config: &'a HooksConfig,
    ) -> impl Iterator<Item = Result<FactoryStep<'a>, ConfigError>> {
        entries(config).filter_map(move |entry| match self.factories.get(entry.hook_type) {
            Some(factory) => Some(Ok(FactoryStep { entry, factory })),
            None if entry.is_enabled => Some(Err(self.unknown(entry, config))),
            None => None,
        })
    }

    fn unknown(&self, entry: FactoryEntry<'_>, config: &HooksConfig) -> ConfigError {
        let hook_type = entry.hook_type;
        let mut known: Vec<_> = self.factories.keys().cloned().collect();
        known.sort_unstable();
        let at = match entry.type_path.last() {
            Some(Segment::Key(key)) if key == hook_type => At::Key,
            _ => At::Value,
        };
        let message = format!("the hook type `{hook_type}` does not exist");
        let mistake = Mistake::new(entry.type_path, message)
            .with_help(format!(
                "{}; to add a type of your own, pass its factory to `HooksConfig::hooks`",
                suggestion(hook_type, &known, "type")
            ))
            .at(at);
        config.origin.show(mistake)
    }
}

/// A hook to create, or a hook that is off.
struct FactoryStep<'a> {
    entry: FactoryEntry<'a>,
    factory: &'a Factory,
}

/// The hooks that factories create, both those that exist already and those that do not yet.
pub(super) struct FactoryChain<'a> {
    config: &'a HooksConfig,
    steps: Vec<FactoryStep<'a>>,
    hooks: Vec<Option<FactoryProduct>>,
}

impl FactoryChain<'_> {
    /// Creates the hooks with this kind of effect.
    pub(super) fn make(
        &mut self,
        outcome: FactoryEffects,
        supervision: &mut Supervision,
        wrong: &mut Vec<ConfigError>,
    ) {
        for (step, hook) in self.steps.iter().zip(&mut self.hooks) {
            if step.entry.is_enabled && step.outcome() == outcome {
                match step.create(supervision) {
                    Ok(made) => *hook = Some(made),
                    Err(error) => wrong.push(step.located(error, self.config)),
                }
            }
        }
    }

    /// Returns the created hooks, in order, and attaches the logs to `logs`.
    pub(super) fn into_registry(
        self,
        logs: &HookRegistry<AgentEvent<'static>>,
    ) -> Result<HookRegistry<AgentEvent<'static>>, ConfigError> {
        let registry = empty_chain(self.config);
        for (step, made) in self.steps.iter().zip(self.hooks) {
            match made {
                None => {}
                Some(FactoryProduct::Probe(attach)) => attach(logs),
                Some(FactoryProduct::Hook(hook)) => {
                    let name = free_name(&registry, &format!("{hook:?}"));
                    registry
                        .register_at(place(step.entry.hook_type), hook.named(name))
                        .map_err(|error| {
                            step.located(FactoryError::new(error.to_string()), self.config)
                        })?;
                }
            }
        }
        Ok(registry)
    }
}

/// The effects that creating a hook has.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum FactoryEffects {
    /// No effect remains once the hook is dropped.
    Inside,
    /// Only its factory knows.
    Unknown,
    /// A file remains.
    File,
}

impl FactoryStep<'_> {
    /// Checks the settings, and records what other hooks need to know.
    fn check(&self, supervision: &mut Supervision) -> Result<(), FactoryError> {
        let builtin = match self.factory {
            Factory::Builtin(builtin) => builtin,
            Factory::Own(own) if self.entry.is_enabled => {
                supervision.is_asked_in_chain |= self.entry.hook_type == APPROVAL;
                return own.check(self.entry.settings);
            }
            Factory::Own(_) => return Ok(()),
        };
        // The settings of a hook that is off are checked too, if it has any, because it may be turned on later.
        if self.entry.is_enabled || !is_nothing(self.entry.settings) {
            (builtin.read)(self.entry.settings)?;
        }
        if !self.entry.is_enabled {
            return Ok(());
        }
        match builtin.hook_type {
            APPROVAL => supervision.is_asked_in_chain = true,
            JSONL_LOG => read::<JsonlLogConfig>(self.entry.settings)?.check()?,
            SECURITY_POLICY => {
                let config: SecurityPolicyConfig = read(self.entry.settings)?;
                if config.sandbox == SandboxMode::Require {
                    let why = "cannot be `require` in a chain, whose hooks run one after another: write the policy under \
                               `[hooks.builtin.security_policy]`";
                    return Err(BuildError::new(SECURITY_POLICY, "sandbox", why).into());
                }
                supervision.note(&config);
            }
            _ => {}
        }
        Ok(())
    }

    fn outcome(&self) -> FactoryEffects {
        match self.factory {
            Factory::Builtin(builtin) if builtin.hook_type == JSONL_LOG => FactoryEffects::File,
            Factory::Builtin(_) => FactoryEffects::Inside,
            Factory::Own(_) => FactoryEffects::Unknown,
        }
    }

    fn create(&self, supervision: &mut Supervision) -> Result<FactoryProduct, FactoryError> {
        let builtin = match self.factory {
            Factory::Builtin(builtin) => builtin,
            Factory::Own(own) => return own.create(self.entry.settings).map(FactoryProduct::Hook),
        };
        match builtin.hook_type {
            SECURITY_POLICY if !supervision.is_asked() => {
                let policy = SecurityPolicy::from_config(&read(self.entry.settings)?)?;
                Ok(FactoryProduct::Hook(BoxHook::new(
                    policy.without_approver(),
                )))
            }
            APPROVAL => {
                let config: ApprovalConfig = read(self.entry.settings)?;
                let approval = Approval::from_config(&config)?;
                let approval = supervision.supervising(approval, &config);
                Ok(FactoryProduct::Hook(BoxHook::new(approval)))
            }
            _ => (builtin.create)(self.entry.settings),
        }
    }

    fn located(&self, error: FactoryError, config: &HooksConfig) -> ConfigError {
        let BuildFailure { mistake, source } = *error.0;
        let settings = [self.entry.path.as_slice(), &["config".into()]].concat();
        let error = config.origin.show(mistake.within(&settings));
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
        if registry.names().iter().all(|taken| *taken != free) {
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

// Types that need more than their settings.
const SECURITY_POLICY: &str = "security_policy";
const APPROVAL: &str = "approval";
const JSONL_LOG: &str = "jsonl_log";
