//! `/api/usage`: tokens, what they cost, and what of each budget is used.

use actix_web::web::{Data, Query};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{
    json::Json,
    route::{Guard::SignedIn, Route, route},
    state::State,
};
use crate::http::caller::Who;
use crate::http::error::HttpResult;
use satchel_model::{
    caller::Caller,
    error::{Error, Result},
    id::shorten,
    time::Time,
    usage::{UsageBudget, UsageBy, UsageRow},
};
use satchel_store::usage::{self, Range, Reader};

/// Permissions that show everybody's usage.
const OTHERS: [&str; 2] = ["settings:manage", "users:manage"];
/// The days of an answer where none are asked for.
const DAYS: u64 = 30;

pub(super) fn routes() -> Vec<Route> {
    vec![route!(report, SignedIn).personal(), route!(budgets, SignedIn).personal()]
}

/// The usage that is wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct UsageQuery {
    /// `day`, `person`, `agent`, `model` or `tool`; `day` if left out.
    #[param(inline)]
    by: Option<UsageBy>,
    /// The first day (UTC); 30 days before today if left out.
    #[param(pattern = r"^(\d{4}-\d{2}-\d{2})?$")]
    from: Option<String>,
    /// The last day; today if left out.
    #[param(pattern = r"^(\d{4}-\d{2}-\d{2})?$")]
    to: Option<String>,
    /// The name of one person; left out, everybody whose usage the caller sees.
    person: Option<String>,
}

/// The usage of some days.
#[derive(Serialize, ToSchema)]
struct UsageReport {
    /// The dimension by which it is summed.
    by: UsageBy,
    /// The first day.
    from: String,
    /// The last day.
    to: String,
    /// `true` if it is everybody's, `false` if one person's.
    everybody: bool,
    /// Days in their order; all else by what took most.
    rows: Vec<UsageRow>,
}

/// Tokens, and what they cost where their models have prices. A caller sees their own; whoever manages settings or people
/// sees everybody's.
#[utoipa::path(get, path = "/api/usage", tag = "usage", params(UsageQuery), responses((status = 200, body = UsageReport)))]
async fn report(
    state: Data<State>,
    Who(caller): Who<Caller>,
    query: Query<UsageQuery>,
) -> HttpResult<Json<UsageReport>> {
    let UsageQuery { by, from, to, person } = query.into_inner();
    let reader = reader(&state, &caller, person.filter(|name| !name.is_empty())).await?;
    let now = state.app.clock.now();
    let given = |day: Option<String>| day.filter(|day| !day.is_empty()).map(day_of).transpose();
    let to = given(to)?.unwrap_or_else(|| now.day());
    let first = now.before(std::time::Duration::from_secs((DAYS - 1) * 86_400)).day();
    let from = given(from)?.unwrap_or(first);
    let by = by.unwrap_or(UsageBy::Day);
    let range = Range { from: from.clone(), to: to.clone() };
    let rows = usage::report(&state.app.db, by, range, reader).await?;
    Ok(Json(UsageReport { by, from, to, everybody: reader.is_none(), rows }))
}

/// Checks a day.
fn day_of(text: String) -> Result<String> {
    let midnight = serde_json::from_value::<Time>(format!("{text}T00:00:00Z").into());
    match midnight.is_ok_and(|midnight| midnight.day() == text) {
        true => Ok(text),
        false => Err(Error::invalid(format!("'{}' is no day: write it as 2026-11-27.", shorten(&text)))),
    }
}

/// The person whose usage a caller reads; `None` is everybody.
async fn reader(state: &State, caller: &Caller, person: Option<String>) -> Result<Reader> {
    let sees_others = OTHERS.iter().any(|one| caller.permissions.grants(one));
    let Some(person) = person else { return Ok((!sees_others).then_some(caller.user)) };
    if person == caller.username {
        return Ok(Some(caller.user));
    }
    if !sees_others {
        return Err(Error::denied(format!(
            "What others used is seen with the permission {}.",
            OTHERS.map(|one| format!("'{one}'")).join(" or ")
        )));
    }
    let users = state.app.stores.people.users().await?;
    let found = users.into_iter().find(|user| user.username.as_str() == person);
    found.map(|user| Some(user.id)).ok_or_else(|| Error::not_found(format!("There is no user '{}'.", shorten(&person))))
}

/// The budgets of today, as far as something of them is used: those of people first, then those of agents.
#[utoipa::path(get, path = "/api/usage/budgets", tag = "usage", responses((status = 200, body = Vec<UsageBudget>)))]
async fn budgets(state: Data<State>, Who(caller): Who<Caller>) -> HttpResult<Json<Vec<UsageBudget>>> {
    let (reader, now) = (reader(&state, &caller, None).await?, state.app.clock.now());
    let limit = state.app.settings.get().chat.daily_token_budget;
    Ok(usage::budgets(&state.app.db, now, reader, limit).await.map(Json)?)
}
