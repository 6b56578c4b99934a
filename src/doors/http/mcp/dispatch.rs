//! Requests: who asks them, in which revision, and what answers.

use std::time::Duration;

use actix_web::{
    HttpRequest, HttpResponse, Responder,
    http::header::{HOST, HeaderName},
    web::Data,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{
    call::{Asked, Told},
    lifecycle::{self, Handshake},
    listening, prompts, resources,
    stream::{self, Calling, Progress, Running},
    tools,
};
use crate::http::protocol::{
    headers::Accepted,
    peer::{Peer, SESSION, in_short},
    principal::Principal,
    rpc::{self, Failure, Request, RequestId, Response},
    session::{Level, UnderWay},
};
use crate::http::{json::Json, state::State};
use satchel_model::caller::{Caller, Door};
#[cfg(debug_assertions)]
use satchel_model::error::Error;
use satchel_store::people::SharedIdentity;

/// The time after which a call that is still running is answered by a stream.
const PATIENCE: Duration = Duration::from_secs(2);
/// The beginning of what a request says about itself where there are no sessions.
const ABOUT: &str = "io.modelcontextprotocol/";

#[derive(Deserialize)]
struct SetLevel {
    level: Level,
}

/// A request with whoever makes it.
struct Asking<'a> {
    state: Data<State>,
    http: &'a HttpRequest,
    identity: &'a SharedIdentity,
    caller: Caller,
    peer: Peer,
    hung_up: CancellationToken,
    under_way: Option<UnderWay>,
}

/// Answers a request.
///
/// # Errors
///
/// In the protocol's words.
pub(super) async fn answer(
    state: Data<State>,
    http: &HttpRequest,
    identity: &SharedIdentity,
    hung_up: CancellationToken,
    request: Request,
) -> Result<HttpResponse, Failure> {
    let principal = Principal::of(&identity.caller);
    if request.method == "initialize" && !request.meta.keys().any(|key| key.starts_with(ABOUT)) {
        return begin(&state, http, principal, request);
    }
    let peer = Peer::of_request(&state.mcp.sessions, principal, http.headers(), &request)?;
    let under_way = match &peer.session {
        Some(session) => Some(session.enter(&request.id).ok_or_else(|| {
            Failure::request("A request of this id was taken before in this session: it is not carried out twice.")
        })?),
        None => None,
    };
    let caller = identity.caller.through(Door::Mcp);
    Asking { state, http, identity, caller, peer, hung_up, under_way }.answer(request).await
}

fn begin(state: &State, http: &HttpRequest, principal: Principal, request: Request) -> Result<HttpResponse, Failure> {
    let handshake = Handshake::read(request.params)?;
    let answer = handshake.answer();
    let session = state.mcp.sessions.begin(principal, handshake.revision, in_short(handshake.params.capabilities));
    let mut response = Json(Response::new(request.id, answer)).respond_to(http);
    if let Ok(id) = session.id.parse() {
        response.headers_mut().insert(HeaderName::from_static(SESSION), id);
    }
    Ok(response)
}

impl Asking<'_> {
    async fn answer(self, request: Request) -> Result<HttpResponse, Failure> {
        #[cfg(debug_assertions)]
        let (this, request) = match self.fixture(request).await? {
            Ok(answered) => return Ok(answered),
            Err(own) => own,
        };
        #[cfg(not(debug_assertions))]
        let this = self;
        match request.method.as_str() {
            "tools/call" => this.call(request).await,
            "subscriptions/listen" if this.peer.revision.is_stateless() => {
                let Self { state, http, identity, .. } = this;
                listening::of_request(state, http, identity.clone(), (request.id, request.params)).await
            }
            _ => this.result(request).await,
        }
    }

    /// Methods whose answer is one result.
    async fn result(self, request: Request) -> Result<HttpResponse, Failure> {
        let Request { id, method, params, .. } = request;
        let (state, caller, revision) = (&self.state, &self.caller, self.peer.revision);
        let result = match method.as_str() {
            "tools/list" => return Ok(self.whole(id, tools::list(state, self.identity, revision, params)?)),
            "resources/list" => resources::list(state, caller, revision, params).await?,
            "resources/templates/list" => resources::templates(state, caller, revision),
            "resources/read" => {
                let (read, origin) = resources::read(state, caller, revision, &resources::uri(params)?).await?;
                if let Some(origin) = origin {
                    let (session, now) = (self.peer.session.as_deref(), state.app.clock.now());
                    state.mcp.note(session, Principal::of(caller), origin, now);
                }
                read
            }
            "prompts/list" => prompts::list(state, caller, revision, params).await?,
            "prompts/get" => prompts::get(state, caller, revision, params).await?,
            "completion/complete" => prompts::complete(state, caller, revision, params).await?,
            "server/discover" if revision.is_stateless() => return Ok(self.whole(id, lifecycle::discover())),
            "ping" if !revision.is_stateless() => json!({}),
            "logging/setLevel" if !revision.is_stateless() => {
                let SetLevel { level } = rpc::params(params)?;
                self.peer.session.iter().for_each(|session| session.hear_from(level));
                json!({})
            }
            "resources/subscribe" if !revision.is_stateless() => {
                let uri = resources::uri(params)?;
                let version = resources::watchable(state, caller, revision, &uri).await?;
                self.watch(uri, version)?
            }
            "resources/unsubscribe" if !revision.is_stateless() => {
                let uri = resources::uri(params)?;
                self.peer.session.iter().for_each(|session| session.forget_resource(&uri));
                json!({})
            }
            _ => return Err(Failure::method(revision, &method)),
        };
        Ok(self.whole(id, result))
    }

    fn watch(&self, uri: String, version: Option<u32>) -> Result<Value, Failure> {
        match &self.peer.session {
            Some(session) if !session.watch(uri, version, resources::WATCHED) => {
                Err(Failure::params("Too many resources are watched: end some of them first."))
            }
            _ => Ok(json!({})),
        }
    }

    async fn call(self, request: Request) -> Result<HttpResponse, Failure> {
        let Request { id, params, meta, .. } = request;
        let (params, progress) = (rpc::params(params)?, Progress::of(&meta));
        let Self { state, http, identity, caller, peer, hung_up, under_way } = self;
        let unheard = hung_up.child_token();
        // Where there are no sessions, hanging up takes a call back.
        let stop = under_way.as_ref().map_or_else(|| unheard.clone(), |under_way| under_way.stop.clone());
        let streams = peer.revision.is_stateless() || Accepted::of(http.headers()).events;
        let asks = identity.terms.approves && peer.takes_forms() && streams;
        let (before, messages) = mpsc::channel(8);
        let (console, left) = (console(http), unheard.clone());
        let asked = Asked { state, caller, peer, id, params, asks, before, console, stop, unheard: left };
        let running: Running = Box::pin(async move {
            let told = asked.run().await;
            drop(under_way);
            told
        });
        called(http, Calling::new(running, messages, progress, unheard)).await
    }

    /// The answer of a test's fixture, where the request is one of its own.
    #[cfg(debug_assertions)]
    async fn fixture(self, request: Request) -> Result<Result<HttpResponse, (Self, Request)>, Failure> {
        let (before, messages) = mpsc::channel(8);
        let asked = (request.method.as_str(), &request.params, &request.meta);
        let Some(answered) = self.state.mcp.extras.answer(asked, &self.peer, before) else {
            return Ok(Err((self, request)));
        };
        let (id, is_stateless) = (request.id, self.peer.revision.is_stateless());
        let running: Running = Box::pin(async move {
            let mut result = match answered.await {
                Ok(result) => result,
                Err((code, message, data)) => return Err(Failure::of_fixture(code, message, data).of(Some(id))),
            };
            if let (true, Some(result)) = (is_stateless, result.as_object_mut()) {
                result.entry("resultType").or_insert_with(|| "complete".into());
            }
            let written = serde_json::to_vec(&Response::new(id, result)).map_err(Error::internal)?;
            Ok(Told::Small(written))
        });
        let unheard = self.hung_up.child_token();
        called(self.http, Calling::new(running, messages, Progress::of(&Default::default()), unheard)).await.map(Ok)
    }

    fn whole<T: Serialize + Send + 'static>(&self, id: RequestId, result: T) -> HttpResponse {
        Json(Response::new(id, result)).respond_to(self.http)
    }
}

/// The answer to a call: one object if it ends soon, a stream that ends with it if it does not.
async fn called(http: &HttpRequest, mut calling: Calling) -> Result<HttpResponse, Failure> {
    let accepted = Accepted::of(http.headers());
    if !accepted.events {
        return Ok(whole(calling.wait().await?));
    }
    match tokio::time::timeout(PATIENCE, calling.settle()).await {
        Ok(Some(told)) if accepted.json => Ok(whole(told?)),
        Ok(Some(told)) => stream::of_call(http, calling.ended(told)),
        Ok(None) | Err(_) => stream::of_call(http, calling),
    }
}

fn whole(told: Told) -> HttpResponse {
    let mut answer = HttpResponse::Ok();
    answer.content_type("application/json");
    match told {
        Told::Small(text) => answer.body(text),
        Told::Large(pieces) => answer.body(pieces),
    }
}

/// The console's address, as this client reaches the server.
fn console(http: &HttpRequest) -> String {
    let host = http.headers().get(HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost");
    format!("{}://{host}", http.connection_info().scheme())
}
