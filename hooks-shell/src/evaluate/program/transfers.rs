//! Finds what a program creates, copies or moves, after its arguments are parsed: files in the folders that it names,
//! and links.

use super::operands::ProgramCall;
use crate::evaluate::{Access, CommandArg, ScriptEvaluator};
use crate::table::addresses::pathspec;
use crate::table::{Role, is_one_of};
use crate::value::Argument;

pub(crate) fn after(this: &mut ScriptEvaluator<'_>, call: &ProgramCall<'_>) {
    let here = Argument::text(".");
    let has = |flag| call.program.is(flag) && !keeps_files(call);
    let unpacks = call.reads_as == Some(Role::Into) || has("unpacks");
    if has("makes") || (call.name == "git" && unpacks) {
        // git does not follow links.
        match cloned(call) {
            Some(folder) => {
                this.touch_from(&Argument::text(folder), Access::Make, None, false);
            }
            None if is_limited(call) => {
                this.touch_from(&Argument::text("/"), Access::Make, None, false);
            }
            None => this.touch(&here, Access::Checkout),
        }
    } else if unpacks {
        let members = call.operands.iter().skip(usize::from(call.name == "unzip"));
        for name in members.filter_map(|arg| arg.known()) {
            let base = name.rsplit('/').next().unwrap_or(name);
            this.touch(&Argument::text(base), Access::Write);
        }
        this.touch(&here, Access::Tree);
        this.touch(&here, Access::WriteTree);
        this.touch(&here, Access::Make);
    } else if call.reads_as == Some(Role::Tree) && call.files.is_empty() {
        this.touch(&here, Access::Tree);
    }
    if let Some(into) = &call.into {
        moved(this, call, into);
    }
    if call.name == "split" && call.operands.len() < 2 {
        this.touch(&Argument::Pattern("x*".into()), Access::Write);
    }
    if let Some(folder) = named_by_address(call) {
        let urls = call.values.iter().filter(|(option, _)| *option == "url");
        let urls = urls.map(|(_, url)| Some(&**url));
        for address in call.operands.iter().map(|arg| arg.known()).chain(urls) {
            fetched(this, call, folder, address);
        }
    }
    // What is written is in the folder that another option names.
    if let Some(folder) = value_of(call, &["output-dir", "outputdir"]) {
        let files = [
            "o",
            "output",
            "coverprofile",
            "cpuprofile",
            "memprofile",
            "blockprofile",
        ];
        for (_, file) in call
            .values
            .iter()
            .filter(|(option, _)| files.contains(option))
        {
            this.touch(&Argument::text(format!("{folder}/{file}")), Access::Write);
        }
    }
    if call.name == "git"
        && call.command == Some("clean")
        && call.operands.is_empty()
        && !call.has("n")
        && !call.has("dry-run")
    {
        this.unknown("`git clean` removes what git does not know, also settings: name the folders, as `git clean -fd build`");
    }
    if call.command == Some("format-patch") && !call.has("stdout") {
        let folder = value_of(call, &["o", "output-directory"]).unwrap_or(".");
        this.touch(
            &Argument::text(format!("{folder}/0001-a.patch")),
            Access::Write,
        );
    }
    let unpacks_one = matches!(call.name, "gzip" | "gunzip");
    for arg in &call.files {
        if unpacks_one && arg.known().is_none() {
            this.unknown_argument(format!(
                "`{}` names its files by those that it is given: write their names out",
                call.name
            ));
        }
        if let Some(name) = arg.known().and_then(|name| beside(call, name)) {
            this.touch(&Argument::text(name), Access::Write);
        }
    }
}

/// Returns the file that a program writes beside one that it is given: a packed or an unpacked one, or a copy of what it
/// was before.
fn beside(call: &ProgramCall<'_>, name: &str) -> Option<String> {
    let unpacks = call.name == "gunzip" || call.has("d") || call.has("decompress");
    match call.name {
        "gzip" | "gunzip" if unpacks => {
            let tar = name.strip_suffix(".tgz").map(|stem| format!("{stem}.tar"));
            let ends = ["-gz", "-z", "_z"]
                .iter()
                .find_map(|end| name.strip_suffix(end));
            let stem = ends.or_else(|| Some(name.rsplit_once('.')?.0));
            tar.or_else(|| stem.map(str::to_owned))
        }
        "gzip" => Some(format!("{name}.gz")),
        "sed" => {
            let mut values = call.values.iter();
            let (_, ending) = values.find(|(option, _)| matches!(*option, "i" | "in-place"))?;
            Some(format!("{name}{ending}"))
        }
        _ => None,
    }
}

/// Returns the value of the first of these options.
fn value_of<'c>(call: &'c ProgramCall<'_>, options: &[&str]) -> Option<&'c str> {
    // The last one counts.
    let mut values = call.values.iter().rev();
    values
        .find(|(option, _)| options.contains(option))
        .map(|(_, value)| &**value)
}

/// Returns the folder in which a program writes a file that has the last name of the address.
fn named_by_address<'c>(call: &'c ProgramCall<'_>) -> Option<&'c str> {
    let has = |options: &[&str]| options.iter().any(|option| call.has(option));
    match call.name {
        "curl" if has(&["O", "remote-name", "remote-name-all"]) => {
            Some(value_of(call, &["output-dir"]).unwrap_or("."))
        }
        "wget" if !has(&["O", "output-document", "spider"]) => {
            Some(value_of(call, &["P", "directory-prefix"]).unwrap_or("."))
        }
        _ => None,
    }
}

/// Records the file that is named as an address ends.
fn fetched(
    this: &mut ScriptEvaluator<'_>,
    call: &ProgramCall<'_>,
    folder: &str,
    address: Option<&str>,
) {
    let whole = address.and_then(|address| address.split('#').next());
    let path = whole.and_then(|whole| whole.split('?').next());
    let path = path.map(|path| path.split_once("://").map_or(path, |(_, rest)| rest));
    let parts = path.map(|path| {
        path.split('/')
            .skip(1)
            .filter(|part| !matches!(*part, "" | "."))
    });
    let name = parts.map(|parts| parts.last().unwrap_or("index.html"));
    if let Some(name) =
        name.filter(|name| !name.contains(['%', '\\', '*', '{', '[']) && *name != "..")
    {
        return this.touch(&Argument::text(format!("{folder}/{name}")), Access::Write);
    }
    let option = if call.name == "curl" { "-o" } else { "-O" };
    this.unknown_argument(format!(
        "`{}` names the file as the address ends, which is not plain: write `{option} file`",
        call.name
    ));
}

/// Returns the folder that git clones to.
fn cloned<'a>(call: &ProgramCall<'a>) -> Option<&'a str> {
    let texts: Vec<_> = call.operands.iter().map(|arg| arg.known()).collect();
    let ((Some("repo"), [Some("clone"), texts @ ..]) | (Some("clone"), texts)) =
        (call.command, texts.as_slice())
    else {
        return None;
    };
    match texts {
        [Some(_), Some(folder)] => Some(folder),
        [Some(address)] => {
            let address = address.trim_end_matches('/').trim_end_matches(".git");
            address.rsplit(['/', ':']).next()
        }
        _ => None,
    }
}

/// Whether git is given the files that it changes, and so changes no others.
fn is_limited(call: &ProgramCall<'_>) -> bool {
    let begin = match call.command {
        Some("restore" | "apply") => 0,
        Some("checkout" | "stash") => call.ended_at.unwrap_or(usize::MAX),
        _ => usize::MAX,
    };
    let files = call.operands.iter().skip(begin);
    let files = files.map(|arg| match &arg.value {
        // What it matches begins as it does, and so not with a `:`.
        Argument::Pattern(pattern) if !pattern.starts_with([':', '*', '?', '[']) => {
            Some(&**pattern)
        }
        value => pathspec(value.known()?),
    });
    // Without any other, what is left out is left out of everything.
    let files = files.collect::<Option<Vec<_>>>().unwrap_or_default();
    files.iter().any(|path| !path.is_empty())
}

/// Whether this form of a command creates no files.
fn keeps_files(call: &ProgramCall<'_>) -> bool {
    let list = call.program.keeps.unwrap_or_default();
    let is_option = |option: &&str| {
        let mut kept = list.split(',').filter_map(|kept| kept.strip_prefix("--"));
        kept.any(|kept| kept == *option)
    };
    let command = call.operands.first().map(|arg| arg.known());
    // Behind the archive, a word with a dash is one of its files.
    let begins = call.args.get(1).and_then(CommandArg::known);
    if call.name == "unzip" && !begins.is_some_and(|text| text.starts_with('-')) {
        return false;
    }
    match command {
        // It creates a branch.
        None if call.program.is("writes") => true,
        Some(Some(command)) if is_one_of(list, command) => true,
        _ => call.options.iter().any(is_option),
    }
}

/// Finds the effect of copying or moving operands to a name, or into a folder.
fn moved(this: &mut ScriptEvaluator<'_>, call: &ProgramCall<'_>, into: &Argument) {
    let has = |options: &[&str]| options.iter().any(|option| call.has(option));
    let is_deep = call.name == "rsync" || has(&["r", "R", "a", "recursive", "archive"]);
    let keeps_links = is_deep || has(&["d", "P", "l", "no-dereference"]);
    let is_copy = call.name != "mv" && call.name != "git";
    for arg in &call.operands {
        let from = &arg.value;
        if from == into {
            continue;
        }
        let name = |from: &str| {
            from.trim_end_matches('/')
                .rsplit('/')
                .next()
                .map(str::to_owned)
        };
        if let (Argument::Text(into), Argument::Text(from)) = (into, from)
            && !is_copy
        {
            // Where it is moved into a folder, and where to a name.
            let to = format!("{into}/{}", name(from).unwrap_or_default());
            this.touch_from(
                &Argument::text(to),
                Access::Write,
                Some(Argument::text(from)),
                true,
            );
        } else if from.known().is_none() {
            this.touch_from(into, Access::Write, Some(from.clone()), true);
        }
        if is_copy {
            let to = match (into, from) {
                // With `--parents`, it copies into folders within the folder.
                _ if has(&["parents", "T", "no-target-directory"]) || call.name == "rsync" => {
                    into.clone()
                }
                (Argument::Text(into), Argument::Text(from)) => {
                    Argument::text(format!("{into}/{}", name(from).unwrap_or_default()))
                }
                // It may be any file in it.
                _ => into.clone(),
            };
            if is_deep {
                this.touch(&to, Access::Tree);
                this.touch(&to, Access::WriteTree);
            } else if to == *into {
                this.touch(&to, Access::Tree);
            } else {
                this.touch_from(&to, Access::Write, Some(from.clone()), true);
            }
        }
        if keeps_links || !is_copy {
            this.touch_from(into, Access::Make, Some(from.clone()), true);
        }
    }
}
