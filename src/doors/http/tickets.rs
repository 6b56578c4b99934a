//! `/api/tickets`: questions to the person who is signed in.

use actix_web::{
    HttpResponse,
    http::{
        StatusCode,
        header::{CONTENT_TYPE, HeaderValue},
    },
    web::{Data, Path},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::{
    body::Body,
    client::HangUp,
    delivery::{self, Delivery},
    error::{PROBLEM, Problem},
    route::{
        Guard::{Person, SignedIn},
        Route, route,
    },
    rules::RuleDraft,
    state::State,
};
use crate::http::caller::Who;
use crate::http::error::HttpResult;
use satchel_engine::{
    cut::{self, LARGEST, Recipient},
    decide::Answer,
};
use satchel_model::{
    call::{Decision, Ticket, TicketId, TicketState},
    caller::Caller,
    error::{Error, Result},
    json::weighs_more,
    rule::Rule,
    spec::Risk,
    time::Time,
};
use satchel_services::answer::InvokeAnswer;
use satchel_share::behalf;
use satchel_store::{people::Actor, tickets::Verdict};

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(pending, SignedIn).personal(),
        route!(one, SignedIn).personal(),
        route!(decide, Person).personal().calls_others(),
    ]
}

/// The caller's undecided tickets, oldest first.
#[utoipa::path(get, path = "/api/tickets", tag = "tickets", responses((status = 200, body = Vec<Ticket>)))]
async fn pending(state: Data<State>, Who(caller): Who<Caller>) -> HttpResult<HttpResponse> {
    let (tickets, user, now) = (&state.app.stores.tickets, caller.user, state.app.clock.now());
    let bytes = tickets.pending_bytes(user, now).await?;
    Ok(state.delivery.load(user, bytes, tickets.pending(user, now)).await?)
}

/// One of the caller's tickets.
#[utoipa::path(get, path = "/api/tickets/{id}", tag = "tickets", responses((status = 200, body = Ticket)))]
async fn one(state: Data<State>, Who(caller): Who<Caller>, id: Path<String>) -> HttpResult<HttpResponse> {
    let (tickets, user, id) = (&state.app.stores.tickets, caller.user, id.parse()?);
    let bytes = tickets.bytes(id, user).await?;
    Ok(state.delivery.load(user, bytes, tickets.get(id, user, state.app.clock.now())).await?)
}

/// A decision.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DecisionBody {
    /// `approve` runs it once, with exactly these arguments.
    decision: Decision,
    /// The reason against it; the model reads it.
    reason: Option<String>,
    /// Arguments in place of those asked for.
    params: Option<Value>,
    /// The question that `params` make, as a 409 gave it: needed where they destroy something else than was asked about.
    question: Option<String>,
    /// Do not ask again in this conversation about what the ticket's `scope` says; refused where it has none.
    #[serde(default)]
    for_conversation: bool,
    /// Make a rule of the question, which lets later calls like it through: the host of each address, every other value
    /// exactly. It is made once the question is decided, so that none is left of what was not approved.
    #[serde(default)]
    always: bool,
}

/// The result of a decision.
#[derive(Serialize, ToSchema)]
pub(super) struct Decided {
    /// The state of the ticket now.
    state: TicketState,
    /// The result of the call; null where it was refused.
    result: Option<InvokeAnswer>,
    /// The rule that was made of it; null where none was.
    rule: Option<Rule>,
}

/// Decides a ticket. Only the person it is addressed to can, not their API keys.
#[utoipa::path(post, path = "/api/tickets/{id}", request_body = DecisionBody, tag = "tickets", responses(
    (status = 200, body = Decided),
    (status = 409, body = Problem, description = "It was decided already, or it has lapsed. With `question`, `subject` and `risk`: the given `params` would destroy something else than was asked about; decide again with that `question`. With `ticket`: what it asked about was changed meanwhile; the old question is closed, and `ticket` stands in its place."),
))]
async fn decide(
    state: Data<State>,
    Who(by): Who<Actor>,
    id: Path<String>,
    HangUp(unheard): HangUp,
    Body(body): Body<DecisionBody>,
) -> HttpResult<HttpResponse> {
    let (id, user): (TicketId, _) = (id.parse()?, by.caller.user);
    let DecisionBody { decision, reason, params, question, for_conversation, always } = body;
    // One that cannot be made is refused before anything is decided.
    let draft = match always {
        true if decision == Decision::Approve && params.is_none() => {
            state.app.stores.rules.ensure_room(user).await?;
            Some(RuleDraft::of_question(id).into_rule(&state, &by).await?)
        }
        true => {
            let told = "A rule is made of a call that is approved as it was asked: leave 'always' out.";
            return Err(Error::invalid(told).into());
        }
        false => None,
    };
    let answer = Answer { decision, reason, params, question, for_conversation };
    let (invoker, agent, jobs) = (state.invoker.clone(), state.agent.clone(), state.jobs.clone());
    let rules = state.app.stores.rules.clone();
    // In a task of its own: the conversation is told what came of it, whether the person's page is still open or not.
    let deciding = async move {
        let (ticket, verdict) = invoker.decide(id, answer, &by.caller, unheard).await?;
        let draft = draft.filter(|_| !matches!(verdict, Verdict::Changed { .. }));
        let rule = match draft {
            Some(rule) => rules.create(&by, rule).await.map(Some),
            None => Ok(None),
        };
        let rule = rule.unwrap_or_else(|error| {
            // What was decided stands, and the next call asks again.
            tracing::warn!(?error, "a rule could not be made of an approved question");
            None
        });
        if let Err(error) = jobs.ticket_decided(&ticket).await {
            // It stands, and the next start tells its run.
            tracing::error!(?error, "a job could not be told what was decided");
        }
        if let Err(error) = agent.ticket_decided(&ticket, &by.caller).await {
            // What was decided stands, and a turn that waits for it looks for itself a little later.
            tracing::error!(?error, "a conversation could not be told what was decided");
        }
        Ok::<_, Error>((ticket, verdict, rule))
    };
    let deciding = behalf::run_as(Some(user), deciding);
    let (ticket, verdict, rule) = state
        .app
        .lifecycle
        .tracker
        .spawn_on(deciding, &state.app.lifecycle.runtime)
        .await
        .map_err(Error::internal)??;
    if let Verdict::Changed { instead } = verdict {
        let ticket = state.app.stores.tickets.get(instead, user, state.app.clock.now()).await?;
        return Ok(must_confirm(&state.delivery, ticket).await?);
    }
    let to = Recipient { app: &state.app, user, topic: ticket.topic };
    let verdict = state.delivery.verdict(to, verdict).await?;
    let is_small = delivery::is_small(&verdict);
    let decided =
        move || Decided { state: ticket.state, result: InvokeAnswer::of_verdict(&ticket.tool, &verdict), rule };
    if is_small {
        return Ok(HttpResponse::Ok().json(decided()));
    }
    Ok(state.delivery.json(user, LARGEST, decided).await?)
}

/// The answer to a call that a person must confirm first.
#[derive(Serialize, ToSchema)]
pub(super) struct MustConfirm {
    #[serde(flatten)]
    problem: Problem,
    /// The ticket, to repeat the call with once a person has decided.
    #[schema(value_type = String, format = "uuid")]
    ticket: TicketId,
    /// Canonical id of the tool.
    tool: String,
    /// The arguments it would run with.
    arguments: Value,
    /// The risk of the call.
    risk: Risk,
    /// The question, in words that name the thing.
    question: String,
    /// The thing's name; null if it has none.
    subject: Option<String>,
    /// The rule that asks, in words.
    reason: String,
    /// Scope of a yes for the whole conversation, in words; null where there is no such yes.
    scope: Option<String>,
    /// `true` if a rule for arguments like these would spare such questions.
    always: bool,
    /// Things to look at before saying yes: long values, characters that cannot be seen, hosts that may look like others.
    warnings: Vec<String>,
    /// The time at which the question lapses.
    expires_at: Time,
}

/// 409 with the ticket of a call.
pub(super) async fn must_confirm(delivery: &Delivery, ticket: Ticket) -> Result<HttpResponse> {
    let Ticket {
        id, user, tool, arguments, risk, question, subject, reason, scope, always, warnings, expires_at, ..
    } = ticket;
    let problem = Problem {
        kind: "urn:satchel:needs-confirmation".to_owned(),
        title: "Needs confirmation".to_owned(),
        status: StatusCode::CONFLICT.as_u16(),
        detail: format!(
            "{question} {reason} A person decides it in the console; then repeat the call with the ticket."
        ),
    };
    let body = MustConfirm {
        problem,
        ticket: id,
        tool,
        arguments,
        risk,
        question,
        subject,
        reason,
        scope,
        always,
        warnings,
        expires_at,
    };
    let mut answer = match weighs_more(&body.arguments, cut::SMALL) {
        true => delivery.json(user, LARGEST, move || body).await?,
        false => HttpResponse::Ok().json(body),
    };
    *answer.status_mut() = StatusCode::CONFLICT;
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(PROBLEM));
    Ok(answer)
}
