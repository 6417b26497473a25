//! What the command line asks for.

use std::path::PathBuf;

use lexopt::prelude::*;

const HELP: &str = "\
Runs a script of tool calls as a coding agent would, under the eyes of its hooks.

Usage: agent [OPTIONS] [SCRIPT]

  [SCRIPT]           JSON lines such as {\"tool\": \"shell\", \"args\": {\"command\": \"ls\"}}; by default a
                     script that shows every power of a hook
  --stdin            read the script from standard input, a line at a time
  --json             print one JSON object a call to standard output, and all else to standard error
  --workspace <DIR>  the folder that the tools work in, made if it is not there; by default a
                     temporary one, removed at the end
  -h, --help         print this help
";

#[derive(Default)]
pub(crate) struct Options {
    pub(crate) script: Option<PathBuf>,
    pub(crate) stdin: bool,
    pub(crate) json: bool,
    pub(crate) workspace: Option<PathBuf>,
}

impl Options {
    /// Reads the command line; `None` if it asked for help, which is then printed.
    ///
    /// # Errors
    ///
    /// An option is unknown or has no value, or the script has two sources.
    pub(crate) fn read() -> Result<Option<Self>, lexopt::Error> {
        let mut options = Options::default();
        let mut parser = lexopt::Parser::from_env();
        while let Some(argument) = parser.next()? {
            match argument {
                Short('h') | Long("help") => {
                    print!("{HELP}");
                    return Ok(None);
                }
                Long("stdin") => options.stdin = true,
                Long("json") => options.json = true,
                Long("workspace") => options.workspace = Some(parser.value()?.into()),
                Value(path) if options.script.is_none() => options.script = Some(path.into()),
                unexpected => return Err(unexpected.unexpected()),
            }
        }
        if options.stdin && options.script.is_some() {
            return Err("the script comes from a file or from `--stdin`, not from both".into());
        }
        Ok(Some(options))
    }
}
