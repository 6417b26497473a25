//! What was found about a command: it is kept for the call, so that each that asks gets the same answer.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::hash::{BuildHasher as _, Hash as _, Hasher, RandomState};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};

use hooks_core::agent::{AgentContext, BeforeToolCall};
use hooks_sandbox::Confinement;
use hooks_shell::Effects;
use serde_json::Value;

use super::command::CommandForm;
use super::guard::PathGuard;

/// A command of a tool call that a [`SecurityPolicy`](super::SecurityPolicy) has judged: what it would do, and how it runs.
/// [`SecurityPolicy::judged`](super::SecurityPolicy::judged) returns it.
///
/// None of the five systems has it: their policies return yes or no.
#[derive(Debug)]
pub struct Judged {
    /// The argument that the command is in.
    pub(super) argument: String,
    /// The argument with the words after the program, if they are beside the command.
    pub(super) beside: Option<String>,
    pub(super) form: CommandForm,
    /// The script that may run, if it is another one than is written.
    pub(super) script: Option<String>,
    pub(super) effects: Effects,
    pub(super) guard: Arc<PathGuard>,
    /// Where it runs.
    pub(super) folder: PathBuf,
    /// The variables that are set beside the command.
    pub(super) variables: Vec<String>,
    /// What the kernel holds it to, if it does.
    pub(super) rules: Option<Confinement>,
}

impl Judged {
    /// Returns what the command would do: programs, paths, hosts, and what is unknown.
    #[must_use]
    pub fn effects(&self) -> &Effects {
        &self.effects
    }

    /// Returns the script that runs. It is the one that was written, unless the policy has rewritten it.
    #[must_use]
    pub fn script(&self) -> String {
        self.script.clone().unwrap_or_else(|| self.form.script())
    }

    /// Returns how to run the command: what was judged, held to what was predicted of it.
    ///
    /// ```
    /// use hooks_builtin::SecurityPolicy;
    /// use hooks_core::agent::{AgentContext, BeforeToolCall};
    /// use serde_json::json;
    ///
    /// let policy = SecurityPolicy::new()?;
    /// let call = BeforeToolCall::new("1", "shell", json!({ "command": "X=src; ls $X" }));
    /// let judged = policy.judged(&AgentContext::new("s1"), &call).unwrap().expect("the call has a command");
    /// let plan = judged.plan();
    /// assert_eq!(plan.program(), "sh");
    /// assert!(plan.arguments().last().unwrap().ends_with("ls src"));
    /// # Ok::<_, hooks_builtin::BuildError>(())
    /// ```
    #[must_use]
    pub fn plan(&self) -> RunPlan {
        let words = match &self.form {
            CommandForm::Text(_) => vec![self.shell().to_owned(), "-c".to_owned(), self.script()],
            CommandForm::Shell(words, _) => words.iter().cloned().chain([self.script()]).collect(),
            CommandForm::Words(words) => words.clone(),
        };
        let mut words = words.into_iter();
        RunPlan {
            program: words.next().unwrap_or_default(),
            arguments: words.collect(),
            folder: self.folder.clone(),
            rules: self.rules.clone(),
        }
    }

    /// The shell that understands the script.
    fn shell(&self) -> &'static str {
        match self.effects.disputed().next() {
            Some(_) => "bash",
            None => "sh",
        }
    }

    /// Makes the arguments of the call what was judged.
    pub(super) fn rewrite(&self, args: &mut Value) {
        let value = match (&self.script, &self.form) {
            (Some(script), CommandForm::Text(_)) => script.as_str().into(),
            (Some(script), CommandForm::Shell(words, _)) => {
                let words = words.iter().map(String::as_str).chain([script.as_str()]);
                words.collect()
            }
            _ => return,
        };
        self.set(args, value, None);
    }

    /// Makes them what runs in the sandbox, for an agent that runs what it finds there.
    pub(super) fn confine(&self, args: &mut Value) -> Result<(), String> {
        let words = self.plan().words();
        match (&self.form, &self.beside) {
            (CommandForm::Text(_), _) => {
                let text = shlex::try_join(words.iter().map(String::as_str));
                let text = text.map_err(|_| "the command has a zero byte: remove it")?;
                self.set(args, text.into(), None);
            }
            (_, Some(_)) => {
                let (program, arguments) = words.split_first().ok_or("the command is empty")?;
                self.set(args, program.as_str().into(), Some(arguments.into()));
            }
            (_, None) => self.set(args, words.into(), None),
        }
        Ok(())
    }

    fn set(&self, args: &mut Value, value: Value, beside: Option<Value>) {
        let beside = self.beside.as_ref().zip(beside);
        for (argument, value) in [Some((&self.argument, value)), beside]
            .into_iter()
            .flatten()
        {
            if let Some(place) = args.get_mut(argument) {
                *place = value;
            }
        }
    }
}

/// How a judged command runs: a program, its arguments, its folder, and the rules that the kernel holds it to.
/// [`Judged::plan`] returns it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunPlan {
    program: String,
    arguments: Vec<String>,
    folder: PathBuf,
    rules: Option<Confinement>,
}

impl RunPlan {
    /// Returns the program: a shell, unless the call names a program and its arguments as a list.
    #[must_use]
    pub fn program(&self) -> &str {
        &self.program
    }

    /// Returns its arguments.
    #[must_use]
    pub fn arguments(&self) -> &[String] {
        &self.arguments
    }

    /// Returns the folder in which it runs: absolute, without links.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the rules of the sandbox; nothing if the kernel does not hold it.
    #[must_use]
    pub fn rules(&self) -> Option<&Confinement> {
        self.rules.as_ref()
    }

    /// Returns the command to start, in its folder and in the sandbox, if there is one.
    ///
    /// ```no_run
    /// use hooks_builtin::SecurityPolicy;
    /// use hooks_core::agent::{AgentContext, BeforeToolCall};
    /// use serde_json::json;
    ///
    /// let policy = SecurityPolicy::new()?;
    /// let call = BeforeToolCall::new("1", "shell", json!({ "command": "ls" }));
    /// if let Some(judged) = policy.judged(&AgentContext::new("s1"), &call)? {
    ///     let output = judged.plan().command().output()?;
    /// }
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn command(&self) -> Command {
        let mut command = if let Some(rules) = &self.rules {
            rules.command(&self.program, &self.arguments)
        } else {
            let mut command = Command::new(&self.program);
            command.args(&self.arguments);
            command
        };
        command.current_dir(&self.folder);
        command
    }

    /// Returns the words of that command, for an API that takes a list of words.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        let arguments = self.arguments.iter();
        match &self.rules {
            Some(rules) => {
                let words = rules.words(OsStr::new(&self.program), arguments);
                let words = words.into_iter();
                words
                    .map(|word| word.to_string_lossy().into_owned())
                    .collect()
            }
            None => [&self.program]
                .into_iter()
                .chain(arguments)
                .cloned()
                .collect(),
        }
    }
}

/// Hashes a value with its keys in their order: the hash of `serde_json` sorts them, in memory of its own.
fn hash(value: &Value, state: &mut impl Hasher) {
    match value {
        Value::Array(values) => {
            (0_u8, values.len()).hash(state);
            for value in values {
                hash(value, state);
            }
        }
        Value::Object(values) => {
            (1_u8, values.len()).hash(state);
            for (name, value) in values {
                name.hash(state);
                hash(value, state);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            (2_u8, value).hash(state);
        }
    }
}

/// How many judgements are kept: as many calls may be between their judgement and their start.
const MOST: usize = 64;

/// The last judgements, by the arguments of their calls. What has other arguments is judged anew.
#[derive(Debug, Default)]
pub(super) struct Judgements {
    keys: RandomState,
    kept: Mutex<VecDeque<CallEntry>>,
}

/// What was found about a call: its command, if it runs one.
pub(super) struct CallFinding {
    pub(super) judged: Option<Arc<Judged>>,
    /// The arguments as the model wrote them, if they are others now.
    pub(super) written: Option<Value>,
}

/// What is kept of a call.
#[derive(Debug)]
struct CallEntry {
    /// The hash of its id: to keep a call allocates nothing.
    id: u64,
    key: u64,
    judged: Option<Arc<Judged>>,
    written: Option<Value>,
}

impl Judgements {
    fn key(&self, cx: &AgentContext, tool: &str, args: &Value) -> u64 {
        let mut state = self.keys.build_hasher();
        (&cx.session_id, &cx.cwd, tool).hash(&mut state);
        hash(args, &mut state);
        state.finish()
    }

    /// Returns what was found about a call with exactly these arguments. Without an id, the last such call is meant.
    pub(super) fn find(
        &self,
        cx: &AgentContext,
        id: Option<&str>,
        tool: &str,
        args: &Value,
    ) -> Option<CallFinding> {
        let key = self.key(cx, tool, args);
        let id = id.map(|id| self.keys.hash_one(id));
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let is_meant = |kept: &&CallEntry| kept.key == key && id.is_none_or(|id| kept.id == id);
        let found = kept.iter().find(is_meant);
        found.map(|kept| CallFinding {
            judged: kept.judged.clone(),
            written: kept.written.clone(),
        })
    }

    /// Keeps what was found about a call whose arguments were written in another way, if they were.
    pub(super) fn keep(
        &self,
        cx: &AgentContext,
        call: &BeforeToolCall,
        judged: Option<Arc<Judged>>,
        written: Option<Value>,
    ) {
        let key = self.key(cx, &call.name, &call.args);
        let id = self.keys.hash_one(&*call.id);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|kept| (kept.key, kept.id) != (key, id));
        kept.truncate(MOST - 1);
        kept.push_front(CallEntry {
            id,
            key,
            judged,
            written,
        });
    }
}
