//! Backups in the audit: who made, verified, fetched or removed one, and what came of it.

use serde_json::Value;

use crate::{audit::Audit, people::Actor};
use satchel_model::{
    audit::{AuditOutcome, Event, EventType},
    caller::Door,
    error::{Error, Result},
};

/// Who is behind it.
#[derive(Debug, Clone)]
pub enum By {
    /// Somebody.
    Person(Box<Actor>),
    /// The schedule.
    Schedule,
    /// Whoever runs the server, at its command line while nothing ran.
    CommandLine,
    /// Whoever had the link of the first run, before there was an owner.
    SetupLink,
}

/// Appends a row. `failure` is what went wrong, if something did.
pub async fn record(
    audit: &Audit,
    by: &By,
    (action, arguments): (&str, Value),
    failure: Option<&Error>,
    now: satchel_model::time::Time,
) -> Result<()> {
    let (user_id, user, door) = match by {
        By::Person(actor) => (Some(actor.caller.user), actor.caller.username.clone(), actor.caller.door),
        By::Schedule => (None, "schedule".to_owned(), Door::Job),
        By::CommandLine => (None, "command line".to_owned(), Door::Cli),
        By::SetupLink => (None, "set-up link".to_owned(), Door::Api),
    };
    let event = Event {
        user_id,
        user,
        arguments,
        outcome: if failure.is_some() { AuditOutcome::Failure } else { AuditOutcome::Success },
        error: failure.map(|error| error.message().to_owned()),
        ..Event::new(now, EventType::AdminAction, door, action)
    };
    audit.append(event).await.map(drop)
}
