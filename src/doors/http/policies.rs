//! `/api/policies`: the nine layers that narrow what calls may use, explained and tried out on the past.

use std::{collections::BTreeMap, fmt, sync::Arc};

use actix_web::web::Data;
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{MapAccess, Visitor, value::MapAccessDeserializer},
};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::{
    body::Body,
    json::Json,
    route::{
        Guard::{Permission, SignedIn},
        Route, route,
    },
    rules::RuleDraft,
    state::State,
};
use crate::http::caller::Who;
use crate::http::error::HttpResult;
use satchel_engine::policy::View;
use satchel_model::{
    caller::Caller,
    error::{Error, Result},
    id::shorten,
    policy::{GROUPS, PROFILES, Policies, SUBAGENT_DENY, Situation},
    time::Time,
    user::User,
};
use satchel_services::policies::{
    explain::{self, Explanation, Sight},
    replay::{self, Draft, Replay},
    warnings::{Known, warnings},
};
use satchel_store::{agents::Agents, audit::Past, people::Actor, policies::StoredPolicies};

/// The permission to read and write policies.
const MANAGE: &str = "settings:manage";

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(read, Permission(MANAGE)),
        route!(replace, Permission(MANAGE)),
        route!(groups, SignedIn),
        route!(ask, SignedIn),
        route!(view, Permission(MANAGE)),
        route!(try_out, Permission(MANAGE)),
    ]
}

/// The policies in force.
#[derive(Serialize, ToSchema)]
pub(super) struct PoliciesView {
    #[serde(flatten)]
    document: Policies,
    /// The number of this version; 0 before anybody wrote one.
    version: i64,
    /// Warnings, each a sentence: of what fits nothing, or allows nothing.
    warnings: Vec<String>,
}

impl PoliciesView {
    async fn new(state: &State, stored: &StoredPolicies) -> Result<Self> {
        let document = stored.document.clone();
        let warnings = warnings_about(state, &document).await?;
        Ok(Self { document, version: stored.version, warnings })
    }
}

async fn warnings_about(state: &State, document: &Policies) -> Result<Vec<String>> {
    let (registry, document) = (state.invoker.registry(), document.clone());
    let providers: Vec<String> =
        state.agent.providers().list().await?.into_iter().map(|provider| provider.name).collect();
    let find = move || Ok(warnings(&document, &Known { registry: &registry, providers: &providers }));
    state.app.host.work.run(None, find).await
}

/// The policies in force, with what is odd about them.
#[utoipa::path(get, path = "/api/policies", tag = "policies", responses((status = 200, body = PoliciesView)))]
async fn read(state: Data<State>) -> HttpResult<Json<PoliciesView>> {
    Ok(PoliciesView::new(&state, &state.app.stores.policies.get()).await.map(Json)?)
}

/// Puts a document in the place of the one in force. `version`, where it is given, is the one it was made from; `warnings`
/// is taken and not looked at.
#[utoipa::path(put, path = "/api/policies", request_body = Policies, tag = "policies", responses(
    (status = 200, body = PoliciesView),
    (status = 409, description = "Another version is in force than the one it was made from.", body = super::error::Problem),
))]
async fn replace(
    state: Data<State>,
    Who(by): Who<Actor>,
    mut body: Body<Map<String, Value>>,
) -> HttpResult<Json<PoliciesView>> {
    body.0.remove("warnings");
    let seen = match body.0.remove("version") {
        None | Some(Value::Null) => None,
        Some(version) => Some(version.as_i64().ok_or_else(|| Error::invalid("`version` is the number of a version."))?),
    };
    let document = parse(Value::Object(body.0))?;
    let stored = state.app.stores.policies.replace(&by, seen, document).await?;
    Ok(PoliciesView::new(&state, &stored).await.map(Json)?)
}

/// Reads a document, or says which field cannot be one.
pub(super) fn parse(document: Value) -> Result<Policies> {
    let parsed: Policies = serde_path_to_error::deserialize(document).map_err(|error| {
        let (place, reason) = (error.path().to_string(), error.inner().to_string());
        Error::invalid(format!("These policies cannot be used: `{place}`: {}.", shorten_long(&reason)))
    })?;
    parsed.ensure_bounded()?;
    Ok(parsed)
}

fn shorten_long(reason: &str) -> String {
    reason.chars().take(300).collect()
}

/// Groups and profiles.
#[derive(Serialize, ToSchema)]
pub(super) struct Groups {
    /// Patterns of each group's members; `group:<name>` stands for them.
    groups: BTreeMap<&'static str, Vec<&'static str>>,
    /// Patterns of what each profile allows.
    profiles: BTreeMap<&'static str, Vec<&'static str>>,
    /// Denied to sessions below an agent's where no `subagent` layer is written.
    subagent_deny: Vec<&'static str>,
}

/// The groups and profiles that layers may name.
#[utoipa::path(get, path = "/api/policies/groups", tag = "policies", responses((status = 200, body = Groups)))]
async fn groups() -> Json<Groups> {
    let map = |all: &[(&'static str, &'static [&'static str])]| {
        all.iter().map(|(name, members)| (*name, members.to_vec())).collect()
    };
    Json(Groups { groups: map(GROUPS), profiles: map(PROFILES), subagent_deny: SUBAGENT_DENY.to_vec() })
}

/// A situation to look at tools in.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PolicySituation)]
pub(super) struct Seen {
    /// A part of the ids of the tools that are listed; all if left out.
    #[serde(default)]
    query: String,
    /// The person, by name or id; the caller where it is left out.
    user: Option<String>,
    /// The agent that asks, by id or name: one that both the caller and the person may use. Its bounds count as well.
    agent: Option<String>,
    /// The name of the provider whose model asks.
    provider: Option<String>,
    /// The id of the channel that the message came through.
    channel: Option<String>,
    /// `true` if code in a confined worker makes the call.
    #[serde(default)]
    sandboxed: bool,
    /// Sessions above the one that asks.
    #[serde(default)]
    depth: u8,
    /// Policies to look at in place of those in force: a draft.
    #[serde(default, deserialize_with = "document")]
    policies: Option<Policies>,
}

/// Returns what somebody sees of all tools in a situation: by the code that decides.
#[utoipa::path(post, path = "/api/policies/view",
    request_body = Seen, tag = "policies", responses((status = 200, body = Sight)))]
async fn view(state: Data<State>, Who(caller): Who<Caller>, Body(asked): Body<Seen>) -> HttpResult<Json<Sight>> {
    let Seen { query, user, agent, provider, channel, sandboxed, depth, policies } = asked;
    let about = person(&state, &caller, user).await?;
    let about = with_agent(&state, &caller, about, agent).await?;
    let agent = about.agent.as_ref().map(|agent| agent.id.to_string());
    let situation = Situation { agent, provider, channel, sandboxed, depth, ..Situation::default() };
    let (registry, settings) = (state.invoker.registry(), state.app.settings.get());
    let policy = policy_for(&state, &caller, &situation, policies)?;
    let look = move || Ok(explain::sight(&registry, &about, &settings, &policy, &query));
    Ok(state.app.host.work.run(Some(caller.user), look).await.map(Json)?)
}

/// A tool and a situation to explain.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PolicyQuestion)]
pub(super) struct Question {
    /// The tool: id, name, alias or wire name.
    tool: String,
    /// The person, by name or id; the caller where it is left out. Others' need `settings:manage`.
    user: Option<String>,
    /// The agent that asks, by id or name: one that both the caller and the person may use. Its bounds count as well.
    agent: Option<String>,
    /// The name of the provider whose model asks.
    provider: Option<String>,
    /// The id of the channel that the message came through.
    channel: Option<String>,
    /// `true` if code in a confined worker makes the call.
    #[serde(default)]
    sandboxed: bool,
    /// Sessions above the one that asks.
    #[serde(default)]
    depth: u8,
    /// Policies to look at in place of those in force: a draft. Needs `settings:manage`.
    #[serde(default, deserialize_with = "document")]
    policies: Option<Policies>,
}

/// Explains whether a tool may be used, and what each layer says of it: by the code that decides.
#[utoipa::path(post, path = "/api/policies/explain",
    request_body = Question, tag = "policies", responses((status = 200, body = Explanation)))]
async fn ask(
    state: Data<State>,
    Who(caller): Who<Caller>,
    Body(asked): Body<Question>,
) -> HttpResult<Json<Explanation>> {
    let Question { tool, user, agent, provider, channel, sandboxed, depth, policies } = asked;
    let about = person(&state, &caller, user).await?;
    let about = with_agent(&state, &caller, about, agent).await?;
    let agent = about.agent.as_ref().map(|agent| agent.id.to_string());
    let situation = Situation { agent, provider, channel, sandboxed, depth, ..Situation::default() };
    // Whoever manages the policies may name any tool; others, those they may use.
    let registry = state.invoker.registry();
    let found = match caller.require(MANAGE) {
        Ok(()) => registry.find(&tool)?,
        Err(_) => registry.as_seen_by(&caller).find(&tool)?,
    };
    let policy = policy_for(&state, &caller, &situation, policies)?;
    let settings = state.app.settings.get();
    Ok(Json(explain::explain(&registry, &found.tool, &about, &settings, &policy)))
}

/// The say of the policies in force, or of a draft of somebody who manages them, in a situation.
fn policy_for(state: &State, caller: &Caller, situation: &Situation, draft: Option<Policies>) -> Result<Arc<View>> {
    let Some(document) = draft else { return Ok(state.invoker.policy(situation)) };
    caller.require(MANAGE)?;
    document.ensure_bounded()?;
    let stored = Arc::new(StoredPolicies { version: 0, document });
    Ok(state.invoker.registry().under(stored).view(situation))
}

/// The caller, or somebody else as whom whoever manages the policies looks.
async fn person(state: &State, caller: &Caller, user: Option<String>) -> Result<Caller> {
    match user.filter(|user| *user != caller.username && *user != caller.user.to_string()) {
        None => Ok(caller.clone()),
        Some(user) => {
            caller.require(MANAGE)?;
            explain::as_person(&state.app, named(state, &user).await?, caller).await
        }
    }
}

/// Somebody for whom an agent acts, where one is named. Both they and whoever looks have to see it.
async fn with_agent(state: &State, caller: &Caller, about: Caller, agent: Option<String>) -> Result<Caller> {
    let Some(agent) = agent else { return Ok(about) };
    let agents = Agents::new(&state.app.db);
    let id = agents.meant(caller, agent.trim()).await?.id;
    let acting = agents.current(&about, id).await?.acting();
    Ok(Caller { agent: Some(Arc::new(acting)), ..about })
}

async fn named(state: &State, user: &str) -> Result<User> {
    let all = state.app.stores.people.users().await?;
    let is_it = |one: &User| one.id.to_string() == user || one.username.to_lowercase() == user.to_lowercase();
    all.into_iter().find(is_it).ok_or_else(|| Error::not_found(format!("There is no user '{}'.", shorten(user))))
}

/// A draft to judge past calls by.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PolicyReplay)]
pub(super) struct Trial {
    /// Policies in place of those in force.
    #[serde(default, deserialize_with = "document")]
    policies: Option<Policies>,
    /// Rules in place of the caller's own.
    rules: Option<Vec<RuleDraft>>,
    /// Calls from this time on.
    from: Option<Time>,
    /// Calls before this time.
    to: Option<Time>,
}

/// Judges the calls of the audit by a draft of policies and rules: without `audit:read` the caller's own. Nothing is
/// changed. What the audit does not keep of arguments matches no rule.
#[utoipa::path(post, path = "/api/policies/replay",
    request_body = Trial, tag = "policies", responses((status = 200, body = Replay)))]
async fn try_out(state: Data<State>, Who(by): Who<Actor>, Body(trial): Body<Trial>) -> HttpResult<Json<Replay>> {
    let Trial { policies, rules, from, to } = trial;
    if let Some(policies) = &policies {
        policies.ensure_bounded()?;
    }
    let drafted = match rules {
        None => None,
        Some(rules) => {
            let mut drafted = Vec::new();
            for rule in rules {
                drafted.push(rule.into_rule(&state, &by).await?);
            }
            Some(drafted)
        }
    };
    let user = by.caller.require("audit:read").is_err().then_some(by.caller.user);
    let draft = Draft { policies, rules: drafted };
    let past = Past { from, to, user, ..Past::default() };
    Ok(Json(replay::replay(&state.invoker, &by.caller, draft, past).await?))
}

/// Reads a document of policies where one is given: an object, and no list of its fields.
fn document<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Option<Policies>, D::Error> {
    deserializer.deserialize_any(Document)
}

struct Document;

impl<'de> Visitor<'de> for Document {
    type Value = Option<Policies>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_unit<E>(self) -> std::result::Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> std::result::Result<Self::Value, A::Error> {
        Policies::deserialize(MapAccessDeserializer::new(map)).map(Some)
    }
}
