//! Settings: who may what, secrets, limits, what this deployment runs, and who changed what.

use std::collections::HashMap;

use askama::Template;
use axum::extract::{Path, Query};
use axum::response::IntoResponse as _;
use hooks_store::{AdminEntry, BudgetUse, Hook, Role, SETTINGS, SecretInfo, Token};
use serde::Deserialize;
use url::form_urlencoded;

use super::frame::{self, Answer, Frame, done, page};
use super::sent::Form;
use super::session::Visitor;
use super::when::When;
use crate::api::capabilities::Capabilities;
use crate::api::convert;
use crate::api::problem::Problem;

/// How many entries of the change log a page has.
const ENTRIES: usize = 50;

/// How many times 200 entries one page searches.
const SEARCHED: usize = 10;

/// What was just done, and shows once.
#[derive(Default)]
struct Shown {
    /// A new token.
    token: Option<String>,
    problem: Option<Problem>,
    /// What was typed for the tables of the set.
    tables: Option<String>,
}

#[derive(Template)]
#[template(path = "settings.html")]
struct Page {
    frame: Frame,
    token: Option<String>,
    tokens: Vec<Token>,
    secrets: Vec<SecretInfo>,
    budgets: Vec<BudgetUse>,
    settings: Hook,
    tables: String,
    runs: Capabilities,
    asked: Asked,
    log: Vec<Logged>,
    older: Option<u64>,
}

#[derive(Clone, Default, Deserialize)]
pub(super) struct Asked {
    /// Entries of the change log before this one.
    before: Option<u64>,
    /// Those of a hook, by its name or id, and those of a person.
    #[serde(default)]
    hook: String,
    #[serde(default)]
    who: String,
}

/// What the change log says in one line.
struct Logged {
    entry: AdminEntry,
    what: &'static str,
    name: String,
    link: Option<String>,
    /// How many there were: one person reads many executions.
    count: u64,
}

/// The words for what was done, and where it can be seen.
const ACTIONS: &[(&str, &str, Option<&str>)] = &[
    ("hook.create", "made the hook", Some("/hook/{}/versions")),
    ("hook.update", "changed the hook", Some("/hook/{}/versions")),
    ("hook.delete", "deleted the hook", Some("/hook/{}/versions")),
    ("hook.refused", "does not run the hook", None),
    (
        "revision.publish",
        "published revision",
        Some("/revisions/{}"),
    ),
    (
        "revision.rollback",
        "went back, as revision",
        Some("/revisions/{}"),
    ),
    ("token.new", "made the token", None),
    ("token.revoke", "revoked the token", None),
    ("secret.put", "set the secret", None),
    ("secret.delete", "deleted the secret", None),
    ("budget.set", "set the budget", None),
    ("breaker.reset", "resumed the hook", None),
    ("sample.save", "saved the sample", None),
    ("sample.delete", "deleted the sample", None),
    (
        READ,
        "opened the event of execution",
        Some("/executions/{}"),
    ),
    ("execution.past", "replayed the executions", None),
    ("reencrypt", "changed the key of", None),
];

/// The action that is told once for a person and an hour.
const READ: &str = "execution.detail";

impl Logged {
    fn of(entry: AdminEntry, names: &HashMap<String, String>) -> Self {
        let known = ACTIONS.iter().find(|(action, ..)| *action == entry.action);
        let (what, link) = known.map_or(("did something", None), |(_, what, link)| (*what, *link));
        let id: String = form_urlencoded::byte_serialize(entry.entity.as_bytes()).collect();
        let name = names.get(&entry.entity).cloned();
        Logged {
            what,
            link: link
                .map(|link| link.replace("{}", &id))
                .filter(|_| entry.entity != SETTINGS),
            // A token that is gone has its name in the comment.
            name: name.unwrap_or_else(|| match &*entry.action {
                "token.new" | "token.revoke" if !entry.comment.is_empty() => entry.comment.clone(),
                _ => entry.entity.clone(),
            }),
            count: 1,
            entry,
        }
    }

    fn is_asked(&self, asked: &Asked) -> bool {
        let is_hook = self.entry.action.starts_with("hook.");
        let hook = [&self.entry.entity, &self.name];
        (asked.who.is_empty() || asked.who == self.entry.actor)
            && (asked.hook.is_empty() || is_hook && hook.contains(&&asked.hook))
    }

    /// Whether both are views of executions by one person within an hour.
    fn is_with(&self, other: &Logged) -> bool {
        let hour = |one: &Logged| one.entry.at.as_second() / 3600;
        let (one, other_entry) = (&self.entry, &other.entry);
        (READ, READ) == (&*one.action, &*other_entry.action)
            && one.actor == other_entry.actor
            && hour(self) == hour(other)
    }
}

/// The change log as people read it, and where it goes on.
async fn log(visitor: &Visitor, asked: &Asked) -> Result<(Vec<Logged>, Option<u64>), Problem> {
    let tenant = visitor.tenant();
    let ids = tenant.ids().await?.into_iter();
    let mut names: HashMap<_, _> = ids.map(|(name, (id, _))| (id, name)).collect();
    let deleted = tenant.deleted(1000).await?.into_iter();
    names.extend(deleted.map(|hook| (hook.id, hook.name)));
    let tokens = tenant.tokens().await?.into_iter();
    names.extend(tokens.map(|token| (token.id, token.name)));
    names.insert(SETTINGS.to_owned(), "limits and other tables".to_owned());
    let (mut shown, mut before) = (Vec::<Logged>::new(), asked.before);
    for _ in 0..SEARCHED {
        let page = tenant.admin_log(before, 200).await?;
        for entry in page.items {
            let seq = entry.seq;
            let logged = Logged::of(entry, &names);
            if !logged.is_asked(asked) {
                continue;
            }
            if let Some(same) = shown.iter_mut().find(|same| same.is_with(&logged)) {
                same.count += 1;
            } else if shown.len() == ENTRIES {
                return Ok((shown, Some(seq + 1)));
            } else {
                shown.push(logged);
            }
        }
        before = page.next;
        if before.is_none() {
            break;
        }
    }
    Ok((shown, before))
}

async fn show(visitor: &Visitor, asked: &Asked, shown: Shown) -> Answer {
    let tenant = visitor.tenant();
    let mut frame = Frame::new(visitor, "/settings", "Settings").await?;
    frame.problem = shown.problem;
    let settings = tenant.settings().await?;
    let mut read = Page {
        token: shown.token,
        tokens: Vec::new(),
        secrets: Vec::new(),
        budgets: tenant.budgets().await?,
        tables: match shown.tables {
            Some(typed) => typed,
            None => convert::write(&settings.body).unwrap_or_default(),
        },
        settings,
        runs: visitor.api.capabilities(),
        asked: asked.clone(),
        log: Vec::new(),
        older: None,
        frame,
    };
    // What a role may not see is not read.
    if read.frame.may(Role::Owner) {
        read.tokens = tenant.tokens().await?;
    }
    if read.frame.may(Role::Author) {
        read.secrets = tenant.secrets().await?;
    }
    if read.frame.may(Role::Operator) {
        (read.log, read.older) = log(visitor, asked).await?;
    }
    Ok((read.frame.status(), page(&read)).into_response())
}

/// Shows the settings.
pub(super) async fn get(visitor: Visitor, Query(asked): Query<Asked>) -> Answer {
    show(&visitor, &asked, Shown::default()).await
}

/// Goes back to the settings, or shows what is wrong and what was typed.
async fn told(visitor: &Visitor, tried: Result<String, Problem>, tables: Option<String>) -> Answer {
    let problem = match tried {
        Ok(word) => return Ok(done("/settings", &word)),
        Err(problem) => problem,
    };
    let shown = Shown {
        problem: Some(problem),
        tables,
        ..Shown::default()
    };
    show(visitor, &Asked::default(), shown).await
}

#[derive(Deserialize)]
pub(super) struct NewToken {
    name: String,
    role: String,
    #[serde(default)]
    agent: String,
}

/// Makes a token, and shows it once.
pub(super) async fn new_token(visitor: Visitor, Form(new): Form<NewToken>) -> Answer {
    let made = async {
        let by = visitor.at_least(Role::Owner)?;
        let role = new.role.parse();
        let role = role.map_err(|_| Problem::at("/role", "choose one of the roles"))?;
        let agent = Some(new.agent.trim()).filter(|agent| !agent.is_empty());
        let tenant = visitor.tenant();
        Ok::<_, Problem>(tenant.token_new(new.name.trim(), role, agent, &by).await?)
    };
    let mut shown = Shown::default();
    match made.await {
        Ok(token) => shown.token = Some(token.to_string()),
        Err(problem) => shown.problem = Some(problem),
    }
    show(&visitor, &Asked::default(), shown).await
}

#[derive(Template)]
#[template(path = "confirm.html")]
struct Confirm {
    frame: Frame,
    /// What happens then, and why it cannot.
    then: String,
    refused: bool,
    /// The token that would be revoked.
    token: Option<Token>,
}

async fn token(visitor: &Visitor, id: &str) -> Result<Token, Problem> {
    let mut tokens = visitor.tenant().tokens().await?.into_iter();
    tokens
        .find(|token| token.id == id)
        .ok_or_else(|| Problem::no("token", id))
}

/// Asks whether a token is to be revoked.
pub(super) async fn ask_revoke(visitor: Visitor, Path(id): Path<String>) -> Answer {
    visitor.at_least(Role::Owner)?;
    let token = token(&visitor, &id).await?;
    Ok(page(&Confirm {
        frame: Frame::new(&visitor, "/settings", format!("Revoke {}", token.name)).await?,
        then:
            "Programs that use it are refused at once, and its sessions end. It cannot come back."
                .to_owned(),
        refused: false,
        token: Some(token),
    }))
}

/// Revokes a token.
pub(super) async fn revoke_token(visitor: Visitor, Path(id): Path<String>) -> Answer {
    let revoked = async {
        let by = visitor.at_least(Role::Owner)?;
        let name = token(&visitor, &id).await?.name;
        let by = by.comment(&*name);
        visitor.tenant().revoke_token(&id, &by).await?;
        Ok(frame::told("revoked", "what", [name]))
    };
    told(&visitor, revoked.await, None).await
}

/// Asks whether a secret is to be deleted.
pub(super) async fn ask_delete(visitor: Visitor, Path(name): Path<String>) -> Answer {
    visitor.at_least(Role::Publisher)?;
    let hooks = visitor.tenant().hooks_with_secret(&name).await?;
    let then = match &*hooks {
        [] => "No live hook names it. All its values are removed, and cannot come back.".to_owned(),
        hooks => format!(
            "Live hooks name it: {}. Publish a set without it first.",
            hooks.join(", ")
        ),
    };
    Ok(page(&Confirm {
        frame: Frame::new(&visitor, "/settings", format!("Delete {name}")).await?,
        refused: !hooks.is_empty(),
        then,
        token: None,
    }))
}

#[derive(Deserialize)]
pub(super) struct Secret {
    name: String,
    value: String,
}

/// Sets a secret, which is never shown.
pub(super) async fn put_secret(visitor: Visitor, Form(secret): Form<Secret>) -> Answer {
    let put = async {
        let by = visitor.at_least(Role::Publisher)?;
        let (tenant, name) = (visitor.tenant(), secret.name.trim());
        tenant.put_secret(name, &secret.value, &by).await?;
        Ok("kept".to_owned())
    };
    told(&visitor, put.await, None).await
}

/// Deletes a secret.
pub(super) async fn delete_secret(visitor: Visitor, Path(name): Path<String>) -> Answer {
    let deleted = async {
        let by = visitor.at_least(Role::Publisher)?;
        visitor.tenant().delete_secret(&name, &by).await?;
        Ok(frame::told("gone", "what", [name]))
    };
    told(&visitor, deleted.await, None).await
}

#[derive(Deserialize)]
pub(super) struct Budget {
    limit: String,
}

/// Sets how many tokens of a model the hooks may use in a month.
pub(super) async fn put_budget(visitor: Visitor, Form(budget): Form<Budget>) -> Answer {
    let put = async {
        let by = visitor.at_least(Role::Owner)?;
        // People write 1,000,000.
        let digits = budget.limit.replace(|c: char| ",_' ".contains(c), "");
        let limit = Some(digits).filter(|digits| !digits.is_empty());
        let limit = limit.map(|digits| digits.parse()).transpose();
        let wrong = "write a whole number, such as 1000000";
        let limit = limit.map_err(|_| Problem::at("/limit", wrong))?;
        visitor.tenant().set_budget(None, limit, &by).await?;
        Ok("kept".to_owned())
    };
    told(&visitor, put.await, None).await
}

#[derive(Deserialize)]
pub(super) struct Tables {
    version: u64,
    toml: String,
}

/// Saves the tables of the set, such as its limits, as a draft.
pub(super) async fn put_tables(visitor: Visitor, Form(tables): Form<Tables>) -> Answer {
    let put = async {
        let by = visitor.at_least(Role::Author)?;
        let read = toml::from_str(&tables.toml);
        let read = read.map_err(|error| Problem::at("/toml", error.to_string()))?;
        let tenant = visitor.tenant();
        let saved = tenant.put_settings(tables.version, &read, &by).await?;
        // Before the first version there is nothing to go back to.
        Ok(match saved.version {
            1 => "saved".to_owned(),
            version => frame::undo("saved", SETTINGS, version),
        })
    };
    told(&visitor, put.await, Some(tables.toml)).await
}
