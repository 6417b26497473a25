//! Applies the effects of the shell's own commands, after their arguments are read.

use std::sync::Arc;

use super::operands::ProgramCall;
use crate::evaluate::effects::Program;
use crate::evaluate::{
    CommandArg, Directories, Input, OutputStream, Result, ScriptEvaluator, StateFrame,
};
use crate::print::{self, Note};
use crate::table::is_one_of;
use crate::value::{Argument, Names};

pub(crate) fn after(
    this: &mut ScriptEvaluator<'_>,
    call: &ProgramCall<'_>,
    before: &Directories,
) -> Result<()> {
    match call.name {
        "cd" | "pushd" | "popd" => {
            match (call.name, call.operands.len()) {
                ("cd", 1) => this.state.old = Some(before.clone()).filter(|old| old.len() == 1),
                ("pushd", 1) => this.state.left.push(before.clone()),
                ("popd", 0) if let Some(folders) = this.state.left.pop() => this.enter_all(folders),
                _ => this.unknown_argument("this changes to a folder that is only known at run time: write `cd folder`, and `popd` after `pushd folder`"),
            }
            let is_tested = this.is_tested || this.environment.is_as_written;
            let change = this.change(call.args[0].word);
            if call.name == "cd" && !call.has("P") {
                change.instead = Some("cd -P".into());
            }
            change.is_fatal = !is_tested;
            this.state.failed = is_tested.then(|| before.clone());
        }
        "export" | "local" if call.operands.is_empty() => {
            this.unknown("variables may hold secrets: name those that you export");
        }
        "read" => {
            if let (Input::Names(found), [name]) = (call.input, call.operands.as_slice())
                && !found.ends_with_nul
                && !this.environment.is_as_written
            {
                let value = Names {
                    is_one: true,
                    ..found.clone()
                };
                let field = Argument::names(value);
                this.set(name.known().unwrap_or_default(), field)?;
                let written = if call.has("r") {
                    "IFS= read"
                } else {
                    "IFS= read -r"
                };
                this.change(call.args[0].word).instead = Some(written.into());
            }
        }
        "shift" => this.scope.positional = None,
        "set" if !call.operands.is_empty() => {
            let turns_on = |arg: &&CommandArg| arg.known() == Some("+f");
            if call.operands.iter().any(turns_on) {
                this.trace.form.splits.has_patterns = true;
            }
            this.scope.positional = None;
        }
        // Nothing is run after it.
        "exit" => this.state.directories = Arc::default(),
        "break" | "continue" | "return" => this.escape(),
        _ => {}
    }
    Ok(())
}

/// Returns the folder of programs that the script of an environment of Python's puts before all others.
pub(crate) fn activated<'a>(call: &ProgramCall<'a>) -> Option<&'a str> {
    match &call.args[1..] {
        [script] => script
            .known()?
            .strip_suffix("/activate")
            .filter(|folder| folder.ends_with("/bin")),
        _ => None,
    }
}

/// From here on, a program may be one of that environment: to use it is to run what is in it.
pub(crate) fn activate(this: &mut ScriptEvaluator<'_>, python: String) {
    let program = Program {
        name: python,
        arguments: Vec::new(),
        assignments: Vec::new(),
        span: this.at.clone(),
        directories: this.state.directories.clone(),
        is_builtin: false,
        is_wrapper: false,
        is_known: false,
        command: 0,
    };
    this.trace.effects.programs.push(program);
}

pub(crate) fn pwd(this: &ScriptEvaluator<'_>) -> OutputStream {
    match this.state.directories.as_slice() {
        [only] => OutputStream::Text(only.as_str().into()),
        _ => OutputStream::Unknown,
    }
}

/// Remembers a command that runs when the script ends or gets a signal.
pub(crate) fn trap(this: &mut ScriptEvaluator<'_>, args: &[CommandArg]) {
    let is_signal = |arg: &CommandArg| {
        arg.known()
            .is_some_and(|text| is_one_of("EXIT,INT,TERM,HUP,QUIT,ERR,0,1,2,3,15", text))
    };
    match args {
        [_, command, signals @ ..] if !signals.is_empty() && signals.iter().all(is_signal) => {
            if !matches!(command.known(), Some("" | "-")) {
                let begin = || (this.state.clone(), StateFrame::default());
                this.since_trap.get_or_insert_with(begin);
                this.traps.push((command.clone(), this.at.clone()));
            }
            if this.outer.is_some() {
                this.unknown("`trap` is only supported in the script itself");
            }
        }
        _ => this.unknown("this `trap` is not supported: write `trap 'command' EXIT`"),
    }
}

pub(crate) fn eval(this: &mut ScriptEvaluator<'_>, of: &str, args: &[CommandArg]) -> Result<()> {
    let texts = args
        .iter()
        .map(CommandArg::agreed)
        .collect::<Option<Vec<_>>>();
    let Some(texts) = texts else {
        this.unknown(format!(
            "the command of `{of}` is only known at run time: write it out"
        ));
        return Ok(());
    };
    let rewritten = this.script(&texts.join(" "))?;
    replace(this, args, rewritten);
    Ok(())
}

/// Replaces the words that contained a script by its rewritten form.
pub(crate) fn replace(
    this: &mut ScriptEvaluator<'_>,
    args: &[CommandArg],
    rewritten: Option<String>,
) {
    let mut rewritten = rewritten.map(|text| print::quoted(&text));
    for arg in args {
        let text: Arc<str> = rewritten.take().unwrap_or_default().into();
        let change = this.change(arg.word);
        let is_other = change
            .instead
            .as_ref()
            .is_some_and(|before| *before != text);
        change.instead = Some(text);
        if is_other {
            this.note(arg.word, Note::Never);
        }
    }
}
