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
    price::Cost,
    time::Time,
    user::UserId,
};
use satchel_store::usage::{self, By, Range};

/// Permissions that show everybody's usage.
const OTHERS: [&str; 2] = ["settings:manage", "users:manage"];
/// The days of an answer where none are asked for.
const DAYS: u64 = 30;

pub(super) fn routes() -> Vec<Route> {
    vec![route!(report, SignedIn).personal(), route!(budgets, SignedIn).personal()]
}

/// What usage is put together by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum UsageBy {
    Day,
    Person,
    Agent,
    Model,
    Tool,
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
    /// What the rows are put together by.
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

/// The usage of one day, person, agent, model or tool.
#[derive(Serialize, ToSchema)]
struct UsageRow {
    /// The day, the person's name, the agent's id, the model or the tool's id; empty where that is not known.
    key: String,
    /// The name of the agent, or of the model's provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// Requests to models, or calls of the tool in conversations.
    requests: u64,
    /// Calls of the tool that failed.
    #[serde(skip_serializing_if = "is_none")]
    failed: u64,
    /// Tokens that were sent.
    input_tokens: u64,
    /// Tokens that were answered. Of a tool, about as many as models read of its answers.
    output_tokens: u64,
    /// Tokens of models without a price.
    unpriced_tokens: u64,
    /// The cost of the others, by currency.
    costs: Vec<Cost>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it so")]
fn is_none(number: &u64) -> bool {
    *number == 0
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
    let wanted = match by {
        UsageBy::Day => By::Day,
        UsageBy::Person => By::Person,
        UsageBy::Agent => By::Agent,
        UsageBy::Model => By::Model,
        UsageBy::Tool => By::Tool,
    };
    let range = Range { from: from.clone(), to: to.clone() };
    let rows = usage::report(&state.app.db, wanted, range, reader).await?.into_iter().map(row).collect();
    Ok(Json(UsageReport { by, from, to, everybody: reader.is_none(), rows }))
}

fn row(row: usage::UsageRow) -> UsageRow {
    let usage::UsageRow { key, name, requests, failed, input_tokens, output_tokens, unpriced_tokens, costs } = row;
    UsageRow { key, name, requests, failed, input_tokens, output_tokens, unpriced_tokens, costs }
}

/// Checks a day.
fn day_of(text: String) -> Result<String> {
    let midnight = serde_json::from_value::<Time>(format!("{text}T00:00:00Z").into());
    match midnight.is_ok_and(|midnight| midnight.day() == text) {
        true => Ok(text),
        false => Err(Error::invalid(format!("'{}' is no day: write it as 2026-11-27.", shorten(&text)))),
    }
}

/// Whose usage a caller reads: with `None`, everybody's.
async fn reader(state: &State, caller: &Caller, person: Option<String>) -> Result<Option<UserId>> {
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

/// A budget of tokens for a day (UTC), and how much of it is used today.
#[derive(Serialize, ToSchema)]
struct UsageBudget {
    /// The person whose tokens are counted.
    person: String,
    /// The agent's id, where it is what the agent may take for that person.
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    /// The agent's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_name: Option<String>,
    /// Tokens used.
    used: u64,
    /// The most; left out where nothing limits them.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<u64>,
}

/// The budgets of today, as far as something of them is used: those of people first, then those of agents.
#[utoipa::path(get, path = "/api/usage/budgets", tag = "usage", responses((status = 200, body = Vec<UsageBudget>)))]
async fn budgets(state: Data<State>, Who(caller): Who<Caller>) -> HttpResult<Json<Vec<UsageBudget>>> {
    let (reader, now) = (reader(&state, &caller, None).await?, state.app.clock.now());
    let limit = state.app.settings.get().chat.daily_token_budget;
    let people = usage::person_days(&state.app.db, now, reader).await?.into_iter().map(|one| UsageBudget {
        person: one.person,
        agent: None,
        agent_name: None,
        used: one.used,
        limit,
    });
    let agents = usage::agent_days(&state.app.db, now, reader).await?.into_iter().map(|one| UsageBudget {
        person: one.person,
        agent: Some(one.agent),
        agent_name: Some(one.name),
        used: one.used,
        limit: Some(one.limit),
    });
    Ok(Json(people.chain(agents).collect()))
}
