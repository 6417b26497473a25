//! The options of `hooks serve` from the environment and from a file. The command line comes before the environment, and that
//! before the file.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{ArgMatches, Command, CommandFactory as _, FromArgMatches as _, Parser as _};
use toml::{Table, Value};

use crate::commands::run::SOCKET;
use crate::{Cli, Failure};

const SERVE: &str = "serve";

/// Reads the command line and, for `hooks serve`, what adds to it.
pub(crate) fn parse() -> Result<Cli, Failure> {
    let mut words: Vec<_> = std::env::args_os().collect();
    // An agent waits for `hooks run`.
    let Some(place) = words.iter().position(|word| word == SERVE) else {
        return Ok(Cli::parse());
    };
    let command = command();
    // What is missing may be in the file.
    let given = command.clone().ignore_errors(true);
    if let Ok(given) = given.try_get_matches_from(&words)
        && let Some((SERVE, given)) = given.subcommand()
        && let Some(file) = given.get_one::<PathBuf>("config")
    {
        let added = of_file(&command, given, file)?;
        words.splice(place + 1..=place, added);
    }
    let given = command.get_matches_from(words);
    Ok(Cli::from_arg_matches(&given).unwrap_or_else(|error| error.exit()))
}

/// The command line, where each option of `hooks serve` may be a variable: `--keep-days` is `HOOKS_KEEP_DAYS`.
fn command() -> Command {
    Cli::command().mut_subcommand(SERVE, |serve| {
        serve.mut_args(|arg| match arg.get_long() {
            Some(name) if variable(name) != SOCKET => {
                let variable = variable(name);
                // It may be an address with a password.
                arg.env(variable).hide_env_values(true)
            }
            // This variable also switches the socket off, and `hooks run` reads it, too.
            _ => arg,
        })
    })
}

fn variable(option: &str) -> String {
    format!("HOOKS_{}", option.replace('-', "_").to_uppercase())
}

/// The words for what only a file says.
fn of_file(command: &Command, given: &ArgMatches, file: &Path) -> Result<Vec<OsString>, Failure> {
    let wrong = |why: String| Failure::usage(format!("{}: {why}", file.display()));
    let text = std::fs::read_to_string(file).map_err(|error| wrong(error.to_string()))?;
    let table: Table = toml::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    let mut words = Vec::new();
    for (key, value) in table {
        let options = command.find_subcommand(SERVE).into_iter();
        let mut options = options.flat_map(Command::get_arguments);
        let option = options.find(|option| option.get_long() == Some(&key) && key != "config");
        let option = option.ok_or_else(|| {
            wrong(format!(
                "`{key}` is not an option of `hooks serve`: see `hooks serve --help`"
            ))
        })?;
        let source = given.value_source(option.get_id().as_str());
        let is_said = matches!(
            source,
            Some(ValueSource::CommandLine | ValueSource::EnvVariable)
        );
        if is_said || variable(&key) == SOCKET && std::env::var_os(SOCKET).is_some() {
            continue;
        }
        let values = match value {
            Value::Boolean(false) => continue,
            Value::Boolean(true) => {
                words.push(format!("--{key}").into());
                continue;
            }
            Value::Array(values) => values,
            value => vec![value],
        };
        for value in values {
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            words.push(format!("--{key}={text}").into());
        }
    }
    Ok(words)
}
