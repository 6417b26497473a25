//! The versions of a hook: what each has changed, and how an old one comes back.

use askama::Template;
use axum::extract::{Path, Query};
use axum::http::StatusCode;
use axum::response::IntoResponse as _;
use hooks_store::{Hook, HookVersion, Role};
use serde::Deserialize;
use serde_json::Value;

use super::diff::{self, DiffLine};
use super::frame::{PageAnswer, PageFrame, done, own, page, undo};
use super::name::SafeName;
use super::sent::{FormBody, FormFields};
use super::session::Visitor;
use super::when::TimeElement;
use crate::api::problem::found;

/// How many versions a page has.
const PAGE: u32 = 50;

#[derive(Deserialize)]
pub(super) struct VersionsPageQuery {
    /// Versions before this one.
    before: Option<u64>,
    /// What is compared; by default the newest version with the one before.
    from: Option<u64>,
    to: Option<u64>,
}

#[derive(Template)]
#[template(path = "versions.html")]
struct Page {
    frame: PageFrame,
    id: String,
    newest: HookVersion,
    versions: Vec<HookVersion>,
    older: Option<u64>,
    /// What is compared.
    from: u64,
    to: u64,
    lines: Vec<DiffLine>,
}

impl Page {
    fn differs(&self) -> bool {
        self.lines.iter().any(|line| !line.is_same())
    }
}

/// Lists the versions of a hook, and compares two of them.
pub(super) async fn get(
    visitor: Visitor,
    Path(id): Path<String>,
    Query(asked): Query<VersionsPageQuery>,
) -> PageAnswer {
    let tenant = visitor.tenant();
    let newest = tenant.versions(&id, None, 1).await?.items.pop();
    let newest = found(newest, "hook", &id)?;
    let versions = tenant.versions(&id, asked.before, PAGE).await?;
    let to = asked.to.unwrap_or(newest.version);
    let from = asked.from.unwrap_or(to.saturating_sub(1));
    let [before, after] = [from, to].map(|number| tenant.version(&id, number));
    let last = if newest.is_deleted {
        newest.parent
    } else {
        newest.version
    };
    let last = tenant.version(&id, last).await?;
    let name = last.as_ref().and_then(|hook| hook["name"].as_str());
    let title = format!("Versions of {}", name.unwrap_or_default());
    Ok(page(&Page {
        frame: PageFrame::new(&visitor, "/", title).await?,
        lines: diff::hooks(before.await?.as_ref(), after.await?.as_ref()),
        newest,
        versions: versions.items,
        older: versions.next,
        id,
        from,
        to,
    }))
}

/// Saves an old version as the newest one. A deleted hook comes back. It goes on at the hook, if the form does not say where.
pub(super) async fn restore(
    visitor: Visitor,
    Path(id): Path<String>,
    FormBody(sent): FormBody<FormFields>,
) -> PageAnswer {
    let by = visitor.at_least(Role::Author)?;
    let (version, expected) = (sent.parsed("version")?, sent.parsed("expected")?);
    let by = by.comment(format!("version {version} again"));
    let tenant = visitor.tenant();
    let saved = tenant.restore(&id, version, expected, &by).await?;
    let next = sent.get("next").unwrap_or_else(|| format!("/hook/{id}"));
    Ok(done(&next, &undo("back", &id, saved.version)))
}

/// Takes the newest version back, if it is the one that was read: the one before is the newest again.
pub(super) async fn take_back(
    visitor: Visitor,
    Path(id): Path<String>,
    FormBody(sent): FormBody<FormFields>,
) -> PageAnswer {
    let by = visitor.at_least(Role::Author)?.comment("undone");
    let version: u64 = sent.parsed("version")?;
    let (tenant, before) = (visitor.tenant(), version.saturating_sub(1));
    if tenant.version(&id, before).await?.is_some() {
        tenant.restore(&id, before, version, &by).await?;
    } else {
        // Before it, there was no such hook.
        tenant.delete(&id, version, &by).await?;
    }
    // A hook that is gone has no form.
    Ok(done(&sent.text("next"), &undo("undone", &id, version + 1)))
}

#[derive(Template)]
#[template(path = "conflict.html")]
struct Conflict {
    frame: PageFrame,
    hook: Hook,
    /// The key that both wanted to change, what it is now, and what the visitor wants.
    key: &'static str,
    theirs: String,
    yours: String,
    /// Whether the other person has changed this key.
    is_same_key: bool,
    next: String,
}

/// Says what has changed since the version that the visitor has read, and asks which is to be.
pub(super) async fn conflict(
    visitor: &Visitor,
    id: &str,
    read: u64,
    (key, yours): (&'static str, &Value),
    next: String,
) -> PageAnswer {
    let tenant = visitor.tenant();
    let hook = found(tenant.hook(id).await?, "hook", id)?;
    let before = tenant.version(id, read).await?.unwrap_or_default();
    let word = |value: &Value| match value {
        Value::Null if key == "mode" => "enforce".to_owned(),
        Value::Null => "0".to_owned(),
        Value::String(word) => word.clone(),
        other => other.to_string(),
    };
    let shown = page(&Conflict {
        frame: PageFrame::new(visitor, "/", "Changed meanwhile").await?,
        theirs: word(&hook.body[key]),
        is_same_key: word(&before[key]) != word(&hook.body[key]),
        yours: word(yours),
        hook,
        key,
        next: own(&next).to_owned(),
    });
    Ok((StatusCode::PRECONDITION_FAILED, shown).into_response())
}
