//! The other side of a request: its revision, what it can do, and its session where the revision has those.

use std::sync::Arc;

use actix_web::http::{StatusCode, header::HeaderMap};
use rmcp::model::{ClientCapabilities, JsonObject};
use serde_json::Value;

use super::{
    headers,
    principal::Principal,
    revision::Revision,
    rpc::{Failure, Request},
    session::{Session, Sessions},
};

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// The header that names a session.
pub(in crate::http) const SESSION: &str = "mcp-session-id";

/// The client behind a request.
#[derive(Debug, Clone)]
pub(in crate::http) struct Peer {
    /// The revision it speaks.
    pub(in crate::http) revision: Revision,
    /// Its capabilities.
    pub(in crate::http) capabilities: ClientCapabilities,
    /// Its session, where the revision has those.
    pub(in crate::http) session: Option<Arc<Session>>,
}

impl Peer {
    /// Returns whether it can put a form before its person.
    pub(in crate::http) fn takes_forms(&self) -> bool {
        // Before there were kinds of questions, a form was the only one.
        self.capabilities.elicitation.as_ref().is_some_and(|kinds| kinds.form.is_some() || kinds.url.is_none())
    }

    /// The client of a request that is no handshake.
    ///
    /// # Errors
    ///
    /// If its revision is not spoken here, what a revision demands is missing, or the session is not this caller's.
    pub(in crate::http) fn of_request(
        sessions: &Sessions,
        principal: Principal,
        headers: &HeaderMap,
        request: &Request,
    ) -> Result<Self, Failure> {
        let shown = headers::text(headers, headers::VERSION)?;
        let announced = shown.is_some_and(|shown| Revision::parse(shown).is_some_and(Revision::is_stateless));
        if request.meta.contains_key(VERSION) || announced {
            return stateless(headers, request, shown);
        }
        let session = of_session(sessions, principal, headers)?;
        Ok(Self { revision: session.revision, capabilities: session.capabilities.clone(), session: Some(session) })
    }
}

/// The session that headers name.
///
/// # Errors
///
/// If they name none, none of this caller's, or a revision that is not spoken here.
pub(in crate::http) fn of_session(
    sessions: &Sessions,
    principal: Principal,
    headers: &HeaderMap,
) -> Result<Arc<Session>, Failure> {
    if let Some(version) = headers::text(headers, headers::VERSION)?
        && Revision::parse(version).is_none()
        && version != "2025-03-26"
    {
        return Err(Failure::version(version));
    }
    let Some(id) = headers::text(headers, SESSION)? else {
        return Err(Failure::request(
            "There is no Mcp-Session-Id: begin with `initialize`, or say in `_meta` what revision 2026-07-28 demands.",
        ));
    };
    let gone = || Failure::request("There is no such session, or it has ended: begin again with `initialize`.");
    sessions.find(id, principal).ok_or_else(|| gone().at(StatusCode::NOT_FOUND))
}

fn stateless(headers: &HeaderMap, request: &Request, shown: Option<&str>) -> Result<Peer, Failure> {
    let missing = |key: &str, what: &str| {
        Failure::params(format!("`_meta` must hold `{key}`: {what}")).at(StatusCode::BAD_REQUEST)
    };
    let Some(version) = request.meta.get(VERSION).and_then(Value::as_str) else {
        return Err(missing(VERSION, "the revision that is spoken, as a text."));
    };
    headers::same(headers::VERSION, shown, version)?;
    let revision = Revision::parse(version).filter(|revision| revision.is_stateless());
    let revision = revision.ok_or_else(|| Failure::version(version))?;
    let capabilities = request.meta.get(CAPABILITIES).and_then(read_capabilities);
    let capabilities = capabilities.ok_or_else(|| missing(CAPABILITIES, "what the client can do, as an object."))?;
    headers::check(headers, request)?;
    Ok(Peer { revision, capabilities, session: None })
}

fn read_capabilities(value: &Value) -> Option<ClientCapabilities> {
    match value.as_object()? {
        none if none.is_empty() => Some(ClientCapabilities::default()),
        some => serde_json::from_value(Value::Object(JsonObject::clone(some))).ok(),
    }
}

/// What is known of a client's abilities for as long as it has a session: that it has one, without whatever it says of it.
pub(in crate::http) fn in_short(capabilities: ClientCapabilities) -> ClientCapabilities {
    let mut short = capabilities;
    (short.experimental, short.extensions) = (None, None);
    short.sampling = short.sampling.map(|_| Default::default());
    short
}
