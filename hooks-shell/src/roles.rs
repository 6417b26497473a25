//! What a program does with one argument, by the role that the table gives it.

use std::ops::Range;
use std::sync::Arc;

use crate::effects::{Access, Network};
use crate::evaluate::{Evaluator, Result};
use crate::operands::{Call, shown};
use crate::parse::is_identifier;
use crate::table::{Role, is_one_of};
use crate::value::{Argument, Field};
use crate::{Dialect, languages, variables};

/// Does with a value what its role says.
pub(crate) fn apply(
    this: &mut Evaluator<'_>,
    call: &Call<'_>,
    role: Role,
    field: &Field,
    span: &Range<usize>,
) -> Result<()> {
    let value = &field.value;
    // What may be something else than it seems is not judged by what it is.
    match role {
        Role::Text => return Ok(()),
        Role::Number if matches!(value, Argument::Number) => return Ok(()),
        Role::Format if value.known().is_none() && call.operands.len() == 1 => return Ok(()),
        Role::Read => return path(this, call, &[Access::Read], value, span),
        Role::Write => return path(this, call, &[Access::Write], value, span),
        Role::Path => return path(this, call, &[Access::Write, Access::Read], value, span),
        Role::List => return path(this, call, &[Access::List], value, span),
        Role::Tree => return path(this, call, &[Access::Tree], value, span),
        Role::Git if value.known().is_none() => {
            return path(this, call, &[git_access(call)], value, span);
        }
        _ => {}
    }
    let is_agreed = !field.is_disputed || this.environment.dialect == Dialect::Bash;
    let Some(text) = value.known().filter(|_| is_agreed) else {
        call.must_be_known(this, span);
        return Ok(());
    };
    let refused = match role {
        Role::Sed => languages::sed(text).err(),
        Role::Awk => languages::awk(text).err(),
        Role::Config if !variables::is_harmless_setting(text) => Some(format!(
            "the setting `{}` may have git run another program: leave it out",
            shown(text)
        )),
        Role::Flags if !variables::is_harmless_flag(text) => Some(format!(
            "the flag `{}` is not looked at: use `-D`, `-W`, `-A` and `-F`",
            shown(text)
        )),
        Role::OneOf(list) if !is_one_of(list, text) => Some(format!(
            "`{} {}` is not looked at: write one of `{list}`",
            call.full(),
            shown(text)
        )),
        Role::Number if !text.bytes().all(|byte| byte.is_ascii_digit()) => {
            Some(format!("`{}` takes a number", call.name))
        }
        Role::Format if text.starts_with('-') || counts(text) => {
            Some("`printf` may set a variable in passing, by `%n`: leave it out".into())
        }
        Role::Name => name(this, text, span)?,
        Role::Assign => assign(this, call, text, span)?,
        Role::Enter if text.is_empty() || text.starts_with('-') => Some(format!(
            "where `{} {text}` leads, is only known when it runs",
            call.full()
        )),
        Role::Enter => {
            this.touch(value, Access::Enter, span);
            this.enter(text)?;
            None
        }
        Role::Net => net(this, call, text, span),
        Role::At => {
            if let Some(at) = text.find(['@', '<']) {
                let path = text[at + 1..].split(';').next().unwrap_or_default();
                this.touch(&Argument::text(path), Access::Read, span);
            }
            None
        }
        Role::Lines => {
            if let Some((_, file)) = text.rsplit_once(':') {
                this.touch(&Argument::text(file), Access::Read, span);
            }
            None
        }
        Role::Git => git(this, call, text, span),
        _ => None,
    };
    if let Some(reason) = refused {
        this.unknown(reason, span);
    }
    Ok(())
}

/// A path among the arguments. What is only known to begin somehow is not.
fn path(
    this: &mut Evaluator<'_>,
    call: &Call<'_>,
    access: &[Access],
    value: &Argument,
    span: &Range<usize>,
) -> Result<()> {
    match value {
        Argument::Unknown { .. } | Argument::Several | Argument::Number => {
            call.must_be_known(this, span);
        }
        Argument::Text(text) if text.as_ref() == "-" => {}
        value => access
            .iter()
            .for_each(|access| this.touch(value, *access, span)),
    }
    Ok(())
}

/// A variable that is taken away, or read.
fn name(this: &mut Evaluator<'_>, name: &str, span: &Range<usize>) -> Result<Option<String>> {
    if !is_identifier(name) {
        return Ok(Some(format!(
            "`{}` is not the name of a variable",
            shown(name)
        )));
    }
    this.assign(name, Field::known(""), span, false)?;
    this.forget(name)?;
    Ok(None)
}

/// `NAME=value`, or a variable that has its value already.
fn assign(
    this: &mut Evaluator<'_>,
    call: &Call<'_>,
    text: &str,
    span: &Range<usize>,
) -> Result<Option<String>> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(Field::known(value))),
        None => (text, this.state.variables.get(text).cloned()),
    };
    if !is_identifier(name) {
        return Ok(Some(format!(
            "`{}` is only looked at as `{} NAME=value`",
            call.name, call.name
        )));
    }
    let value = value.unwrap_or(Field::of(Argument::unknown()));
    this.assign(name, value, span, call.name == "export")?;
    Ok(None)
}

/// Whether a format of printf's has `%n` in it.
fn counts(format: &str) -> bool {
    format.replace("%%", "").split('%').skip(1).any(|rest| {
        let is_of_size = |c: char| c.is_ascii_digit() || "-+ #'.*hlqjztL".contains(c);
        rest.trim_start_matches(is_of_size).starts_with('n')
    })
}

/// An address, a name that is looked up, or a path; why it is none of them.
fn net(
    this: &mut Evaluator<'_>,
    call: &Call<'_>,
    text: &str,
    span: &Range<usize>,
) -> Option<String> {
    if is_address(text) {
        let (address, span) = (Some(Arc::from(text)), span.clone());
        this.trace.network.push(Network { address, span });
    } else if text.contains("::") || (call.name == "curl" && text.contains(['{', '['])) {
        return Some(format!(
            "the address `{}` may be one of a file, or run a program: write it out",
            shown(text)
        ));
    } else if !is_name(text) || call.name == "git" {
        this.touch(&Argument::text(without_scheme(text)), Access::Read, span);
    }
    None
}

fn git_access(call: &Call<'_>) -> Access {
    if call.program.is("writes") {
        Access::Write
    } else {
        Access::Read
    }
}

/// A revision of git's, or a path; `rev:path` is one in the repository.
fn git(
    this: &mut Evaluator<'_>,
    call: &Call<'_>,
    text: &str,
    span: &Range<usize>,
) -> Option<String> {
    if text.contains("ext::") || text.contains("fd::") {
        return Some("an address with `ext::` has git run a program".into());
    }
    let is_revision = ["@~", "@^", "@{"]
        .iter()
        .any(|begin| text.starts_with(begin));
    let path = match text.split_once(':') {
        // `:/fix`, `:(top)src`, `:!src`
        Some(("", _)) => "",
        Some((revision, file)) if !revision.contains('/') || is_revision => file,
        _ if is_revision && !text.contains('/') => "",
        _ => text,
    };
    if !path.is_empty() {
        this.touch(&Argument::text(path), git_access(call), span);
    }
    None
}

/// Whether a text is the address of something that is no file here.
pub(crate) fn is_address(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once("://") else {
        // `git@host:path`
        let host = text.split_once(':').map_or("", |(host, _)| host);
        return host.contains('@')
            && !host.contains('/')
            && !text.contains("::")
            && !host.starts_with('-');
    };
    let scheme = scheme.to_ascii_lowercase();
    is_one_of(
        "http,https,ssh,git,git+ssh,ftp,ftps,ws,wss,postgres,postgresql,mysql,redis",
        &scheme,
    ) && !rest.starts_with('/')
}

/// The path in `file:///path`.
fn without_scheme(text: &str) -> &str {
    match text.get(..7) {
        Some(scheme) if scheme.eq_ignore_ascii_case("file://") => {
            &text[7 + text[7..].find('/').unwrap_or(0)..]
        }
        _ => text,
    }
}

/// Whether a text is the name of a package or a host, and no path: `serde`, `@types/node`, `localhost:8080/x`.
fn is_name(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"@/_.:^~=+-?&%*".contains(&byte);
    !text.starts_with(['.', '/', '~'])
        && !text.contains("..")
        && !text.starts_with("file:")
        && text.bytes().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_no_file() {
        assert!(is_address("https://example.org/x") && is_address("git@example.org:a/b"));
        for text in [
            "file:///etc/passwd",
            "FILE://x/y",
            "https:///x",
            "a/b",
            "ext::sh",
            "../x",
            "-x@y:z",
        ] {
            assert!(!is_address(text), "{text}");
        }
        assert_eq!(without_scheme("file://localhost/etc/x"), "/etc/x");
    }

    #[test]
    fn a_format_that_sets_a_variable_is_seen() {
        assert!(counts("a%n") && counts("%-5ln") && !counts("%%n") && !counts("%s\\n"));
    }
}
