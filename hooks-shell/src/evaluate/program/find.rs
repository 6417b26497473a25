//! `find`: what it searches, runs and prints.

use std::sync::Arc;

use crate::evaluate::{Access, CommandArg, Input, OutputStream, Result, ScriptEvaluator};
use crate::table::{self, Role, is_one_of};
use crate::value::{Argument, Names};

/// What is known about the files that reach this point of the expression.
#[derive(Clone, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are independent of each other"
)]
struct Tests {
    are_plain: bool,
    pattern: Option<String>,
    is_negated: bool,
    /// The names that it does not go into, and that do not come here: those before a `-prune … -o`.
    pruned: Vec<String>,
    /// Those of this branch.
    pruning: Vec<String>,
    /// The plain names and paths that are tested since the last `-o`, and how often there is an `-o` among them.
    named: Vec<String>,
    choices: usize,
    /// Whether other tests are beside those since the last `-o`.
    is_narrowed: bool,
    /// The folders of which nothing that is in them is found.
    emptied: Vec<String>,
    /// Whether only plain files are found.
    are_files: bool,
    /// Whether there is an `-o` before.
    is_other_branch: bool,
    /// The number of open brackets: inside, another test may be true instead.
    depth: usize,
}

impl Tests {
    /// Whether all names have the same ending, such as `*.rs`.
    fn tells_ending(&self) -> bool {
        let pattern = self.pattern.as_deref();
        pattern.is_some_and(|pattern| pattern.contains('.'))
    }
}

/// What is found.
fn found(this: &ScriptEvaluator<'_>, folders: &[String], tests: &Tests) -> Names {
    Names {
        found_in: Some(this.state.directories.clone()),
        folders: if folders.is_empty() {
            vec![".".into()]
        } else {
            folders.to_vec()
        },
        pattern: tests.pattern.clone(),
        may_be_links: !tests.are_plain,
        without: if tests.are_files {
            [&*tests.pruned, &tests.emptied].concat()
        } else {
            tests.pruned.clone()
        },
        ..Names::default()
    }
}

pub(crate) fn run(this: &mut ScriptEvaluator<'_>, args: &[CommandArg]) -> Result<OutputStream> {
    let options = table::find("find").map(|program| &program.options);
    let mut folders = Vec::new();
    let mut tests = Tests::default();
    let mut rest = args.iter();
    let mut has_action = false;
    let mut ends_with_nul = false;
    let is_depth_first = args
        .iter()
        .any(|arg| matches!(arg.known(), Some("-delete" | "-depth" | "-d")));
    while let Some(arg) = rest.next() {
        let was_negated = std::mem::take(&mut tests.is_negated);
        let is_certain = tests.depth == 0 && !was_negated;
        let Some(text) = arg.known() else {
            let value = &arg.value;
            let is_path = matches!(value, Argument::Pattern(_) | Argument::Names(_));
            if !is_path || value.may_be_option() {
                let reason = "an argument of `find` is only known at run time: write it out";
                this.unknown(reason);
                return Ok(OutputStream::Unknown);
            }
            this.touch(value, Access::Read);
            folders.push(".".to_owned());
            continue;
        };
        let option = text.strip_prefix('-').unwrap_or_default();
        let known = options.and_then(|options| options.get(option));
        match text {
            "-exec" | "-ok" => {
                has_action = true;
                if is_certain
                    && tests.tells_ending()
                    && !tests.are_plain
                    && !this.environment.is_as_written
                {
                    // Links with such an ending are left out.
                    this.change(arg.word).before = "'!' -type l ";
                    tests.are_plain = true;
                }
                executed(this, &mut rest, &folders, &tests)?;
            }
            "!" | "-not" => tests.is_negated = !was_negated,
            "(" => {
                tests.is_narrowed |= was_negated;
                tests.depth += 1;
            }
            "," if tests.depth > 0 => tests.is_narrowed = true,
            ")" => tests.depth = tests.depth.saturating_sub(1),
            "-o" | "-or" | "," if tests.depth > 0 => tests.choices += 1,
            "-o" | "-or" => {
                tests.pruned.append(&mut tests.pruning);
                tests = Tests {
                    is_other_branch: true,
                    pruned: tests.pruned,
                    ..Tests::default()
                }
            }
            "," => {
                tests = Tests {
                    is_other_branch: true,
                    ..Tests::default()
                }
            }
            // Of what is deleted, a folder comes after what is in it.
            "-prune"
                if !is_depth_first
                    && !tests.is_narrowed
                    && tests.named.len() == tests.choices + 1 =>
            {
                tests.pruning.append(&mut tests.named);
            }
            _ if let Some(known) = known => {
                has_action |= matches!(option, "ls" | "printf" | "delete");
                const PLAIN: &str = "name,path,wholename,prune,maxdepth,mount,xdev,print,print0";
                tests.is_narrowed |= was_negated || !is_one_of(PLAIN, option);
                if option == "delete" {
                    let found = found(this, &folders, &tests);
                    this.touch(&Argument::Names(Arc::new(found)), Access::Write);
                }
                ends_with_nul |= option == "print0";
                let Some(role) = known.value else { continue };
                let Some(value) = rest.next() else { continue };
                if !value.value.is_one() {
                    this.unknown(format!(
                        "`{text}` needs quotes: the shell puts the names of files in its place"
                    ));
                }
                match (option, value.known()) {
                    _ if role == Role::List => {
                        this.touch(&value.value, Access::List);
                    }
                    ("type", Some(kind @ ("f" | "d"))) if is_certain => {
                        (tests.are_plain, tests.are_files) = (true, kind == "f");
                    }
                    ("type", Some("l")) if tests.depth == 0 && was_negated => {
                        tests.are_plain = true;
                    }
                    ("path" | "wholename", Some(path)) if was_negated => {
                        let folder = path.strip_suffix("/*").filter(|path| path.contains('/'));
                        let folder = folder.and_then(|path| left_out(path, &folders));
                        tests.emptied.extend(folder.filter(|_| tests.depth == 0));
                    }
                    ("name" | "path" | "wholename", Some(name)) if !was_negated => {
                        match left_out(name, &folders)
                            .filter(|_| (option == "name") != name.contains('/'))
                        {
                            Some(name) => tests.named.push(name),
                            None => tests.is_narrowed = true,
                        }
                        if is_certain && option == "name" {
                            tests.pattern = Some(name.to_owned());
                        }
                    }
                    ("name" | "iname", pattern) if is_certain => {
                        tests.pattern = pattern.map(str::to_owned);
                    }
                    _ => {}
                }
            }
            _ if text.starts_with('-') => {
                this.unknown(format!("`find {text}` may change a file, run a program in another folder, or follow links: use `-exec`, and redirect the output"));
                return Ok(OutputStream::Unknown);
            }
            _ => {
                this.touch(&arg.value, Access::Read);
                folders.push(text.to_owned());
            }
        }
    }
    if has_action {
        return Ok(OutputStream::Unknown);
    }
    if !args
        .iter()
        .any(|arg| matches!(arg.known(), Some("-print" | "-print0")))
    {
        // What it does not go into is printed as well.
        tests.pruned.clear();
    }
    // Its operands may be links themselves, and the printed names begin with them.
    let names = found(this, &folders, &tests);
    Ok(OutputStream::Names(Names {
        ends_with_nul,
        may_break: !ends_with_nul,
        ..names
    }))
}

/// Returns a name that is left out: `node_modules` and `*/node_modules` are left out everywhere, and `./node_modules` is so
/// at the top.
fn left_out(text: &str, folders: &[String]) -> Option<String> {
    let name = text.strip_prefix("./").or_else(|| text.strip_prefix("*/"));
    let name = name.unwrap_or(text);
    let is_plain = |c: char| c.is_alphanumeric() || "._-@+".contains(c);
    let is_name = !matches!(name, "" | "." | "..") && name.chars().all(is_plain);
    // What is found begins with the folder that is named.
    let is_here = folders.iter().all(|folder| folder == ".");
    (is_name && (is_here || !text.starts_with("./")))
        .then(|| text.strip_prefix("*/").unwrap_or(text).to_owned())
}

/// Returns the command after `-exec`, with the found names in place of `{}`.
fn executed<'a>(
    this: &mut ScriptEvaluator<'_>,
    rest: &mut impl Iterator<Item = &'a CommandArg>,
    folders: &[String],
    tests: &Tests,
) -> Result<()> {
    let mut command: Vec<CommandArg> = Vec::new();
    let mut has_place = false;
    let refused = loop {
        let Some(word) = rest.next() else {
            break Some("`find -exec` has no end: write `\\;`, or `{} +`");
        };
        match word.known() {
            Some(";") => break None,
            // A `+` that does not follow `{}` is an ordinary word.
            Some("+") if has_place => break None,
            Some("{}")
                if tests.is_other_branch && tests.pattern.is_none() && tests.pruned.is_empty() =>
            {
                break Some(
                    "cannot tell what is found after `-o`: write `\\( … -o … \\)`, or `-name '*.rs'` after it",
                );
            }
            Some("{}") => {
                let value = Argument::names(found(this, folders, tests));
                command.push(CommandArg {
                    value,
                    ..word.clone()
                });
            }
            Some(text) if text.contains("{}") => {
                break Some("`{}` is only supported as a word of its own");
            }
            Some(_) => command.push(word.clone()),
            // It might be the end of the command.
            None => {
                break Some("the command of `find -exec` is only known at run time: write it out");
            }
        }
        has_place = word.known() == Some("{}");
    };
    if let Some(reason) = refused {
        this.unknown(reason);
        return Ok(());
    }
    super::inner(this, "find", &command, &Input::Inherited)?;
    Ok(())
}
