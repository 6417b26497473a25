//! `/activity`: how often hooks decided what, and how long they took.

use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use utoipa::IntoParams;

use super::Answer;
use super::caller::Caller;
use super::extract::Query;
use super::wire::{Activity, List};

/// Which counts.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Asked {
    /// Of this hook, hour by hour; of each hook if it is empty; by default of all hooks together, minute by minute.
    hook: Option<String>,
    /// Since how many hours, at most 168; 1 by default.
    #[param(maximum = 168, minimum = 1)]
    hours: Option<u32>,
}

/// Returns how often hooks decided what.
#[utoipa::path(get, path = "/activity", params(Asked), responses((status = 200, body = List<Activity>)))]
pub(super) async fn get(caller: Caller, Query(asked): Query<Asked>) -> Answer<List<Activity>> {
    let hours = i64::from(asked.hours.unwrap_or(1).clamp(1, 168));
    let since = Timestamp::now() - SignedDuration::from_hours(hours);
    let tenant = &caller.tenant;
    let counted = match &asked.hook {
        None => tenant.activity(since).await?,
        Some(hook) => {
            let hook = Some(hook.as_str()).filter(|hook| !hook.is_empty());
            tenant.activity_of(hook, since).await?
        }
    };
    Ok(axum::Json(List::whole(counted)))
}
