//! Which hosts a program reaches: those of the addresses among its arguments, of a remote of git's, or its own.

use super::operands::{ProgramCall, shown};
use crate::evaluate::{Access, Network, ScriptEvaluator};
use crate::table::addresses::{is_address, without_scheme};
use crate::table::is_one_of;
use crate::value::Argument;

/// Records what a program reaches, after its arguments are read.
pub(crate) fn after(this: &mut ScriptEvaluator<'_>, call: &ProgramCall<'_>) {
    if is_local(call) {
        return;
    }
    if call.program.is("remote") {
        return remote(this, call);
    }
    named(this, call);
    let has = |options: &[&str]| options.iter().any(|option| call.has(option));
    if call.name == "npx" && has(&["y", "yes", "p", "package"]) {
        this.reach(Some("https://registry.npmjs.org".into()));
    }
    if call.name == "git" && has(&["recursive", "recurse-submodules"]) {
        this.reach(None);
    }
    match call.program.net {
        None => {}
        Some("") => this.reach(None),
        Some(hosts) => hosts
            .split(',')
            .for_each(|host| this.reach(Some(format!("https://{host}").into()))),
    }
}

/// Returns the host that a prefix of npm's names, as in `gitlab:a/b`.
fn of_prefix(text: &str) -> Option<&'static str> {
    const HOSTS: [(&str, &str); 4] = [
        ("github:", "github.com"),
        ("gitlab:", "gitlab.com"),
        ("bitbucket:", "bitbucket.org"),
        ("gist:", "gist.github.com"),
    ];
    // `name@gitlab:a/b` gives the package a name.
    let behind = text.rsplit_once('@').map_or(text, |(_, rest)| rest);
    let found = HOSTS
        .iter()
        .find(|(prefix, _)| text.starts_with(prefix) || behind.starts_with(prefix));
    found.map(|(_, host)| *host)
}

/// Records the hosts that begin the names of modules and repositories: `example.org/a/b`.
fn named(this: &mut ScriptEvaluator<'_>, call: &ProgramCall<'_>) {
    let parts = match call.name {
        "go" => 1,
        "gh" => 3,
        _ => return,
    };
    let repository = call
        .values
        .iter()
        .filter(|(option, _)| matches!(*option, "R" | "repo"));
    let names = call.operands.iter().filter_map(|arg| arg.known());
    let names: Vec<&str> = names.chain(repository.map(|(_, value)| &**value)).collect();
    for name in names {
        if is_address(name) {
            this.reach(Some(name.into()));
            continue;
        }
        let host = name
            .split('/')
            .next()
            .filter(|host| host.contains('.') && !host.starts_with('.'));
        if let Some(host) = host.filter(|_| name.split('/').count() >= parts) {
            this.reach(Some(format!("https://{host}").into()));
        }
    }
}

/// Whether this form of a command reaches nothing.
fn is_local(call: &ProgramCall<'_>) -> bool {
    let Some(list) = call.program.local else {
        return false;
    };
    let lists = call.command == Some("list") && call.has("m");
    if lists || call.has("outdated") {
        return false;
    }
    let words = call.operands.iter().filter_map(|arg| arg.known());
    let words: Vec<&str> = call.command.into_iter().chain(words).take(2).collect();
    let both = words.join(":");
    let is_named = |list: &str| {
        words.first().is_some_and(|word| is_one_of(list, word)) || is_one_of(list, &both)
    };
    match list.strip_prefix('!') {
        Some(list) => !is_named(list),
        None => is_named(list),
    }
}

/// Records the addresses of the remotes of git's that are named by operands, or of the usual one.
fn remote(this: &mut ScriptEvaluator<'_>, call: &ProgramCall<'_>) {
    let is_each = call.command == Some("remote") || call.has("multiple") || call.has("all");
    let begin = usize::from(call.command == Some("remote"));
    let most = if is_each { usize::MAX } else { 1 };
    let given = call.operands.iter().skip(begin).take(most);
    let mut names: Vec<Option<&str>> = given.map(|arg| arg.known()).collect();
    if names.is_empty() {
        // All of them.
        names.push(Some(""));
    }
    let directories = this.state.directories.clone();
    let remotes = this.environment.files.map(|files| files.remote);
    for name in names {
        // An address is recorded where it is read.
        if name.is_some_and(|name| is_address(name) || name.contains(':')) {
            continue;
        }
        for directory in directories.iter() {
            let found = name.zip(remotes).map(|(name, of)| of(name, directory));
            match found.unwrap_or_default() {
                found if found.is_empty() => this.reach(None),
                found => found
                    .into_iter()
                    .for_each(|address| this.reach(Some(address.into()))),
            }
        }
    }
    if call.has("recurse-submodules") {
        this.reach(None);
    }
}

impl ScriptEvaluator<'_> {
    /// Records an address in an argument of a program that reaches hosts, as in `name@https://example.org/x`. Returns whether
    /// there is one.
    pub(super) fn fetches(&mut self, call: &ProgramCall<'_>, text: &str) -> bool {
        let is_of_scheme = |c: char| c.is_ascii_alphanumeric() || c == '+';
        let address = text.find("://").map(|at| {
            let begin = text[..at]
                .rfind(|c| !is_of_scheme(c))
                .map_or(0, |before| before + 1);
            &text[begin..]
        });
        let behind = text.split_once('@').map(|(_, rest)| rest);
        let by_ssh = [Some(text), behind]
            .into_iter()
            .flatten()
            .find(|text| is_address(text));
        let address = address.or(by_ssh);
        let is_of_packages = is_one_of("npm,npx,pnpm,yarn,bun", call.name) && address.is_none();
        if let Some(host) = of_prefix(text).filter(|_| is_of_packages) {
            self.reach(Some(format!("https://{host}").into()));
            return true;
        }
        let address = address.filter(|address| call.program.net.is_some() && is_address(address));
        self.trace
            .effects
            .network
            .extend(address.map(|address| Network {
                address: Some(address.into()),
                span: self.at.clone(),
            }));
        address.is_some()
    }

    /// Applies an address, a host name, or a path. Returns the reason if it is none of them.
    pub(super) fn net(&mut self, call: &ProgramCall<'_>, text: &str) -> Option<String> {
        let shown = shown(text);
        let is_file = |text: &str| {
            text.get(..5)
                .is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:"))
        };
        if text.contains("://-") {
            return Some(format!(
                "the host of `{shown}` looks like an option: write out an address"
            ));
        }
        let is_host = call.program.is("host") && !is_file(text);
        if is_address(text) || is_host && !text.contains(['{', '[']) {
            self.reach(Some(text.into()));
            return None;
        }
        if text.contains("::") && !text.contains('[')
            || (call.name == "curl" && text.contains(['{', '[']))
        {
            return Some(format!(
                "the address `{shown}` may name a file, or run a program: write it out"
            ));
        }
        if call.name == "git" {
            // `host:path`
            if let Some((host, _)) = text.split_once(':').filter(|(host, _)| !host.contains('/')) {
                self.reach(Some(format!("ssh://{host}/").into()));
                return None;
            }
            if text.contains('/') && text != "." {
                return Some(format!(
                    "git runs hooks of the repository in `{shown}`: name a remote, such as `origin`, or an address"
                ));
            }
            self.touch(&Argument::text(text), Access::Remote);
        } else {
            self.pieces(text);
            let is_short = text.split('/').count() == 2 && !text.starts_with(['@', '.', '/', '~']);
            if let Some(host) = of_prefix(text).or(is_short.then_some("github.com")) {
                self.reach(Some(format!("https://{host}").into()));
            }
            if !is_name(text) {
                self.touch(&Argument::text(without_scheme(text)), Access::Read);
            }
        }
        None
    }
}

/// Whether a text is the name of a package, and not a path: `serde`, `@types/node`.
fn is_name(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"@/_.:^~=+-?&%*".contains(&byte);
    is_one_of("!.*,/*,~*,file:*", text)
        && !text.contains("..")
        && !text.contains("://")
        && text.bytes().all(is_plain)
}
