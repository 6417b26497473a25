//! The versions of a hook: what each has changed, and how an old one comes back.

use askama::Template;
use axum::extract::{Path, Query};
use hooks_store::{HookVersion, Role};
use serde::Deserialize;

use super::diff::{self, Line};
use super::frame::{Answer, Frame, done, page};
use super::sent::Form;
use super::session::Visitor;
use super::when::When;
use crate::api::problem::Problem;

#[derive(Deserialize)]
pub(super) struct Asked {
    /// What is compared; by default the newest version with the one before.
    from: Option<u64>,
    to: Option<u64>,
}

#[derive(Template)]
#[template(path = "versions.html")]
struct Page {
    frame: Frame,
    id: String,
    versions: Vec<HookVersion>,
    /// What is compared.
    from: u64,
    to: u64,
    lines: Vec<Line>,
}

impl Page {
    fn newest(&self) -> &HookVersion {
        &self.versions[0]
    }

    fn differs(&self) -> bool {
        self.lines.iter().any(|line| !line.is_same())
    }
}

/// Lists the versions of a hook, and compares two of them.
pub(super) async fn get(
    visitor: Visitor,
    Path(id): Path<String>,
    Query(asked): Query<Asked>,
) -> Answer {
    let versions = visitor.tenant().versions(&id).await?;
    let newest = versions.first().ok_or_else(|| Problem::no("hook", &id))?;
    let name = newest.body["name"].as_str().unwrap_or_default();
    let to = asked.to.unwrap_or(newest.version);
    let from = asked.from.unwrap_or(to.saturating_sub(1));
    let hook = |number| {
        let mut versions = versions.iter();
        let version = versions.find(|version| version.version == number)?;
        (!version.is_deleted).then_some(&version.body)
    };
    Ok(page(&Page {
        frame: Frame::new(&visitor, "/", format!("Versions of {name}")).await?,
        lines: diff::hooks(hook(from), hook(to)),
        versions,
        id,
        from,
        to,
    }))
}

#[derive(Deserialize)]
pub(super) struct Restored {
    version: u64,
    expected: u64,
}

/// Saves an old version as the newest one.
pub(super) async fn restore(
    visitor: Visitor,
    Path(id): Path<String>,
    Form(Restored { version, expected }): Form<Restored>,
) -> Answer {
    let by = visitor.at_least(Role::Author)?;
    let by = by.comment(format!("version {version} again"));
    let tenant = visitor.tenant();
    tenant.restore(&id, version, expected, &by).await?;
    Ok(done(&format!("/hook/{id}"), "saved"))
}
