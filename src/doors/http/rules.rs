//! `/api/rules`: rules for arguments, which spare a question, ask one, or refuse.

use actix_web::{
    HttpResponse,
    web::{Data, Path},
};
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::{
    agents,
    body::Body,
    json::Json,
    route::{
        Guard::{Person, SignedIn},
        Route, route,
    },
    state::State,
};
use crate::http::caller::Who;
use crate::http::error::HttpResult;
use satchel_model::{
    call::{Approved, Ticket, TicketId, TicketState},
    caller::Caller,
    error::{Error, Result},
    id::shorten,
    rule::{Condition, Rule, RuleDecision, RuleId, When, canonical, conditions},
    spec::{Risk, Source},
    time::Time,
};
use satchel_store::{people::Actor, tickets::Verdict};

pub(super) fn routes() -> Vec<Route> {
    vec![route!(list, SignedIn).personal(), route!(create, SignedIn).personal(), route!(end, Person).personal()]
}

/// The caller's rules, and those that serve everybody: the newest first.
#[utoipa::path(get, path = "/api/rules", tag = "policies", responses((status = 200, body = Vec<Rule>)))]
async fn list(state: Data<State>, Who(caller): Who<Caller>) -> HttpResult<Json<Vec<Rule>>> {
    Ok(Json(state.app.stores.rules.list(caller.user).await?))
}

/// A rule to be made: of a tool and conditions, or from a question that was asked.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewRule)]
pub(super) struct RuleDraft {
    /// The tool: id, name or alias. Left out where it is made from a question.
    tool: Option<String>,
    /// Conditions by JSON pointer into the tool's own arguments. Left out, they are made of the question's: the host of
    /// each address, every other value exactly.
    #[schema(value_type = Option<std::collections::HashMap<String, Condition>>)]
    when: Option<When>,
    /// Its decision; `allow` where it is made from a question.
    decision: Option<RuleDecision>,
    /// The agent whose calls it is for, by id or name; all if left out.
    agent: Option<String>,
    /// The time at which it ends.
    expires_at: Option<Time>,
    /// The question it is made from: one of the caller's own.
    #[schema(value_type = Option<String>, format = "uuid")]
    ticket: Option<String>,
    /// `true` if it serves everybody. Only an administrator makes such rules.
    #[serde(default)]
    everybody: bool,
}

/// Makes a rule. One that allows, and one made from a question, is a person's to make.
#[utoipa::path(post, path = "/api/rules", request_body = RuleDraft, tag = "policies", responses(
    (status = 201, body = Rule),
    (status = 409, description = "The question was refused or has changed, or there are too many rules.", body = super::error::Problem),
))]
async fn create(state: Data<State>, Who(by): Who<Actor>, Body(draft): Body<RuleDraft>) -> HttpResult<HttpResponse> {
    let rule = draft.into_rule(&state, &by).await?;
    if rule.decision == RuleDecision::Allow || rule.ticket.is_some() {
        by.caller.ensure_person()?;
    }
    let rule = state.app.stores.rules.create(&by, rule).await?;
    Ok(HttpResponse::Created().json(rule))
}

/// Ends a rule. A person does: without one that asks or denies, more is let through.
#[utoipa::path(delete, path = "/api/rules/{id}", tag = "policies", responses((status = 204)))]
async fn end(state: Data<State>, Who(by): Who<Actor>, id: Path<String>) -> HttpResult<HttpResponse> {
    let id: RuleId = id.parse()?;
    let is_administrator = by.caller.permissions.is_all();
    state.app.stores.rules.end(&by, id, is_administrator).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// The call a question was about, as it was approved.
struct Asked {
    ticket: TicketId,
    tool: String,
    arguments: Value,
    hosts: Vec<String>,
    /// Whatever asked, in words.
    reason: String,
    /// Whether a rule would spare such questions.
    always: bool,
}

impl RuleDraft {
    /// The draft of a rule that allows what a question asks.
    pub(super) fn of_question(ticket: TicketId) -> Self {
        Self {
            tool: None,
            when: None,
            decision: Some(RuleDecision::Allow),
            agent: None,
            expires_at: None,
            ticket: Some(ticket.to_string()),
            everybody: false,
        }
    }

    /// The rule. Fails where it could not hold.
    pub(super) async fn into_rule(self, state: &State, by: &Actor) -> Result<Rule> {
        let Self { tool, when, decision, agent, expires_at, ticket, everybody } = self;
        let asked = match ticket {
            Some(ticket) => Some(asked(state, &by.caller, ticket.parse()?).await?),
            None => None,
        };
        if everybody && !by.caller.permissions.is_all() {
            return Err(Error::denied("Only an administrator, who holds '*', makes rules for everybody."));
        }
        if expires_at.is_some_and(|end| end <= by.now) {
            return Err(Error::invalid("`expires_at` is past: the rule would never hold."));
        }
        let name = tool.or_else(|| asked.as_ref().map(|asked| asked.tool.clone()));
        let name = name.ok_or_else(|| Error::invalid("Name the `tool` that the rule is for, or the `ticket`."))?;
        let found = state.invoker.registry().as_seen_by(&by.caller).find(&name)?;
        let spec = found.tool.spec();
        let when = match (when, &asked) {
            (Some(when), _) => when,
            (None, Some(asked)) => conditions(&asked.arguments, &spec.parameters.document()),
            (None, None) => {
                return Err(Error::invalid("Say in `when` which arguments the rule is for, or name the `ticket`."));
            }
        };
        let when = canonical(when)?;
        ensure_arguments(&when, &spec.name, &spec.parameters.document())?;
        let decision = decision.or_else(|| asked.as_ref().map(|_| RuleDecision::Allow));
        let decision = decision.ok_or_else(|| Error::invalid("`decision` is allow, ask or deny."))?;
        if let Some(asked) = asked.as_ref().filter(|asked| decision == RuleDecision::Allow && !asked.always) {
            let told = format!("A rule would not spare this question: {}", asked.reason);
            return Err(Error::invalid(told));
        }
        if decision == RuleDecision::Allow && spec.risk == Risk::Destructive {
            return Err(Error::invalid(format!("{} destroys things: a person is always asked about it.", spec.name)));
        }
        // By its id, so that it goes on to mean that one.
        let agent = agents::chosen(state, &by.caller, agent.as_deref()).await?.map(|agent| agent.to_string());
        let is_own = spec.source == Source::Builtin;
        let definition = (!is_own).then(|| found.tool.definition().as_str().to_owned());
        let hosts = asked.as_ref().map(|asked| asked.hosts.clone()).unwrap_or_default();
        Ok(Rule {
            id: RuleId::new(),
            user: by.caller.user,
            username: by.caller.username.clone(),
            everybody,
            tool: spec.id(),
            when,
            decision,
            agent,
            hosts,
            definition,
            expires_at,
            ticket: asked.map(|asked| asked.ticket),
            created_at: by.now,
            uses: 0,
            last_used_at: None,
        })
    }
}

/// Fails where a condition is on an argument that the tool does not have.
fn ensure_arguments(when: &When, tool: &str, schema: &Value) -> Result<()> {
    let Some(known) = schema.get("properties").and_then(Value::as_object) else { return Ok(()) };
    for pointer in when.keys() {
        let name = pointer.trim_start_matches('/').split('/').next().unwrap_or_default();
        let name = name.replace("~1", "/").replace("~0", "~");
        if !known.contains_key(&name) {
            let told = format!("{tool} has no argument '{}': a rule is for its own arguments.", shorten(&name));
            return Err(Error::invalid(told));
        }
    }
    Ok(())
}

/// The call that one of the caller's questions was about.
async fn asked(state: &State, caller: &Caller, id: TicketId) -> Result<Asked> {
    let (tickets, now) = (&state.app.stores.tickets, state.app.clock.now());
    let ticket = tickets.get(id, caller.user, now).await?;
    if ticket.risk == Risk::Destructive {
        return Err(Error::invalid("What destroys something is always asked: no rule spares that."));
    }
    let approved = match ticket.state {
        TicketState::Denied => {
            return Err(Error::conflict("You refused this call: a rule would allow what you did not."));
        }
        TicketState::Changed => {
            return Err(Error::conflict("This has changed since you were asked: decide the question in its place."));
        }
        TicketState::Running => tickets.get_with_approval(id, caller.user, now).await?.1,
        TicketState::Done => match tickets.verdict(id, caller.user, now).await? {
            Some(Verdict::Ran { approved, .. } | Verdict::Failed { approved, .. }) => Some(approved),
            _ => None,
        },
        TicketState::Pending | TicketState::Expired => None,
    };
    let executed = approved.and_then(|Approved { executed, .. }| executed);
    let arguments = executed.unwrap_or(ticket.arguments);
    let reached = state.invoker.reached_by(&ticket.tool, &arguments, caller.user).await?;
    let hosts = reached.iter().map(ToString::to_string).collect();
    let Ticket { tool, reason, always, .. } = ticket;
    Ok(Asked { ticket: id, tool, arguments, hosts, reason, always })
}
