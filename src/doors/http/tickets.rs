//! `/api/tickets`: questions to the person who is signed in.

use actix_web::{
    HttpResponse, get,
    http::StatusCode,
    post,
    web::{Data, Json, Path},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::{body::Body, error, services::Services, state::State};
use crate::{
    engine::{answer::InvokeAnswer, decide::Answer},
    model::{
        call::{Decision, Ticket, TicketId, TicketState},
        caller::Caller,
        error::{Error, Result},
    },
};

pub(super) fn services(config: &mut Services<'_>) {
    config.service(pending);
    config.service(one);
    config.service(decide);
}

/// The caller's undecided tickets, oldest first.
#[utoipa::path(tag = "tickets", responses((status = 200, body = Vec<Ticket>)))]
#[get("/api/tickets")]
async fn pending(state: Data<State>, caller: Caller) -> Result<Json<Vec<Ticket>>> {
    Ok(Json(state.app.tickets.pending(caller.user, state.app.clock.now()).await?))
}

/// One of the caller's tickets.
#[utoipa::path(tag = "tickets", responses((status = 200, body = Ticket)))]
#[get("/api/tickets/{id}")]
async fn one(state: Data<State>, caller: Caller, id: Path<String>) -> Result<Json<Ticket>> {
    Ok(Json(state.app.tickets.get(id.parse()?, caller.user, state.app.clock.now()).await?))
}

/// A decision.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DecisionBody {
    /// `approve` runs it once, with exactly these arguments.
    decision: Decision,
    /// Why not; the model reads it.
    reason: Option<String>,
    /// Arguments in place of those asked for.
    params: Option<Value>,
    /// Do not ask again for this tool in this conversation; never for destructive ones.
    #[serde(default)]
    for_conversation: bool,
}

/// What a decision led to.
#[derive(Serialize, ToSchema)]
pub(super) struct Decided {
    /// Where the ticket stands now.
    state: TicketState,
    /// What came of the call; null where it was refused.
    result: Option<InvokeAnswer>,
}

/// Decides a ticket. Only the person it is addressed to can, not his API keys.
#[utoipa::path(request_body = DecisionBody, tag = "tickets", responses((status = 200, body = Decided)))]
#[post("/api/tickets/{id}")]
async fn decide(
    state: Data<State>,
    caller: Caller,
    id: Path<String>,
    Body(body): Body<DecisionBody>,
) -> Result<Json<Decided>> {
    let id: TicketId = id.parse()?;
    let DecisionBody { decision, reason, params, for_conversation } = body;
    let answer = Answer { decision, reason, params, for_conversation };
    let (ticket, verdict) = state.invoker.decide(id, answer, &caller).await?;
    state.agent.ticket_decided(&ticket).await?;
    Ok(Json(Decided { state: ticket.state, result: InvokeAnswer::of_verdict(&ticket.tool, &verdict) }))
}

/// 409: the ticket's fields, and the ticket itself under `ticket`.
pub(super) fn must_confirm(ticket: &Ticket) -> HttpResponse {
    let told = format!("{} A person decides it in the console; then repeat the call with the ticket.", ticket.reason);
    let error = Error::conflict(told).with_details(json!({
        "ticket": ticket.id,
        "risk": ticket.risk,
        "reason": ticket.reason,
        "tool": ticket.tool,
        "arguments": ticket.arguments,
        "expires_at": ticket.expires_at,
    }));
    error::respond(&error, StatusCode::CONFLICT, "needs-confirmation", "Needs confirmation")
}
