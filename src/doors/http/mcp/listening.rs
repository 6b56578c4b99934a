//! Who listens: a session for what it is told without having asked, and a client without one for the changes it asked for.

use std::{
    collections::{BTreeMap, VecDeque},
    pin::pin,
    sync::Arc,
    time::Duration,
};

use actix_web::{HttpRequest, HttpResponse, web::Data};
use bytes::Bytes;
use futures_util::stream;
use rmcp::model::{JsonObject, SubscriptionFilter};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::{
    sync::mpsc,
    time::{Instant, Interval},
};

use super::{
    resources::{self, WATCHED},
    stream::{event, ticks},
    tools::Watch,
};
use crate::http::protocol::{
    rpc::{self, Failure, RequestId, Response},
    session::Session,
};
use crate::http::{sse, state::State};
use satchel_model::error::Result;
use satchel_store::people::SharedIdentity;

/// Time between two looks at whether anything has changed, and whether the credential still holds.
const LOOK: Duration = Duration::from_millis(500);
/// Looks between two at the resources somebody watches.
const RESOURCES: u32 = 8;

/// Somebody who listens.
struct Listening {
    state: Data<State>,
    source: Source,
    tools: Watch,
    /// Resources a request watches, with the versions it knows; a session keeps its own.
    watched: BTreeMap<String, Option<u32>>,
    waiting: VecDeque<Value>,
    looks: Interval,
    looked: u32,
    silent: Instant,
    /// `true` once the last message is among those that wait.
    over: bool,
}

/// The notifications that are listened to.
enum Source {
    /// A session: its messages, and changes of what it watches.
    Session { session: Arc<Session>, messages: mpsc::Receiver<Value> },
    /// A request: the changes it asks for, each with its id.
    Request { id: RequestId, filter: SubscriptionFilter },
}

#[derive(Deserialize)]
struct ListenParams {
    notifications: SubscriptionFilter,
}

/// The stream of a session.
pub(super) fn of_session(
    state: Data<State>,
    http: &HttpRequest,
    identity: SharedIdentity,
    session: Arc<Session>,
) -> HttpResponse {
    let messages = session.listen();
    let listening = Listening::new(state, identity, Source::Session { session, messages });
    match sse::response(http, stream::unfold(listening, Listening::next)) {
        Ok(response) => response,
        Err(error) => Failure::from(error.0).into_response(),
    }
}

/// The stream of a request: what of it is heard comes first.
///
/// # Errors
///
/// If it asks for more than is watched for one client, or too many listen.
pub(super) async fn of_request(
    state: Data<State>,
    http: &HttpRequest,
    identity: SharedIdentity,
    (id, params): (RequestId, JsonObject),
) -> std::result::Result<HttpResponse, Failure> {
    let ListenParams { notifications } = rpc::params(params)?;
    if notifications.resource_subscriptions.as_ref().is_some_and(|uris| uris.len() > WATCHED) {
        return Err(Failure::params(format!("One request watches {WATCHED} resources at most.")));
    }
    let mut heard = json!({});
    if let Some(heard) = heard.as_object_mut() {
        if notifications.tools_list_changed == Some(true) {
            heard.insert("toolsListChanged".to_owned(), Value::Bool(true));
        }
        if let Some(uris) = &notifications.resource_subscriptions {
            heard.insert("resourceSubscriptions".to_owned(), json!(uris));
        }
    }
    let mut watched = BTreeMap::new();
    for uri in notifications.resource_subscriptions.iter().flatten() {
        watched.insert(uri.clone(), resources::version(&state, &identity.caller, uri).await);
    }
    let source = Source::Request { id, filter: notifications };
    let mut listening = Listening { watched, ..Listening::new(state, identity, source) };
    listening.tell("notifications/subscriptions/acknowledged", json!({"notifications": heard}));
    sse::posted(http, stream::unfold(listening, Listening::next)).map_err(|error| error.0.into())
}

impl Listening {
    fn new(state: Data<State>, identity: SharedIdentity, source: Source) -> Self {
        let tools = Watch::new(&state, identity);
        let (watched, waiting, looks) = (BTreeMap::new(), VecDeque::new(), ticks(LOOK));
        Self { state, source, tools, watched, waiting, looks, looked: 0, silent: Instant::now(), over: false }
    }

    /// The next event; `None` at the end.
    async fn next(mut self) -> Option<(Result<Bytes>, Self)> {
        loop {
            if let Some(message) = self.waiting.pop_front() {
                self.silent = Instant::now();
                return Some((Ok(event(&message)), self));
            }
            if self.over {
                return None;
            }
            if self.silent.elapsed() >= sse::ALIVE_EVERY {
                self.silent = Instant::now();
                return Some((Ok(sse::beat()), self));
            }
            self.wait().await?;
        }
    }

    /// Waits for something; `None` where there is nothing more to come.
    async fn wait(&mut self) -> Option<()> {
        let shutdown = self.state.app.lifecycle.shutdown.clone();
        let told = match &mut self.source {
            Source::Session { session, messages } => {
                let ended = session.ended.clone();
                tokio::select! {
                    biased;
                    () = ended.cancelled() => return None,
                    message = messages.recv() => Some(message?),
                    _ = self.looks.tick() => None,
                }
            }
            Source::Request { id, .. } => {
                let mut ends = pin!(shutdown.cancelled());
                tokio::select! {
                    biased;
                    () = &mut ends => {
                        let end = json!({"resultType": "complete", "_meta": tag(id)});
                        self.over = true;
                        Some(json!(Response::new(id.clone(), end)))
                    }
                    _ = self.looks.tick() => None,
                }
            }
        };
        match told {
            Some(message) => self.waiting.push_back(message),
            None => self.look().await?,
        }
        Some(())
    }

    /// Looks whether the credential still holds, and what has changed; `None` if it does not.
    async fn look(&mut self) -> Option<()> {
        let state = self.state.clone();
        let people = &state.app.stores.people;
        let identity = people.refreshed(self.tools.identity(), state.app.clock.now()).await.ok()?;
        let caller = identity.caller.clone();
        let hears = match &self.source {
            Source::Session { .. } => true,
            Source::Request { filter, .. } => filter.tools_list_changed == Some(true),
        };
        if self.tools.has_changed(&state, identity) && hears {
            self.tell("notifications/tools/list_changed", json!({}));
        }
        self.looked = self.looked.wrapping_add(1);
        if self.looked.is_multiple_of(RESOURCES) {
            let watched = match &self.source {
                Source::Session { session, .. } => session.watched(),
                Source::Request { .. } => self.watched.clone(),
            };
            for (uri, known) in watched {
                let now = resources::version(&state, &caller, &uri).await;
                if now != known {
                    match &self.source {
                        Source::Session { session, .. } => session.saw(&uri, now),
                        Source::Request { .. } => drop(self.watched.insert(uri.clone(), now)),
                    }
                    self.tell("notifications/resources/updated", json!({"uri": uri}));
                }
            }
        }
        Some(())
    }

    /// Tells something, with the id of the request where one asked for it.
    fn tell(&mut self, method: &str, mut params: Value) {
        if let (Source::Request { id, .. }, Some(params)) = (&self.source, params.as_object_mut()) {
            params.insert("_meta".to_owned(), tag(id));
        }
        self.waiting.push_back(rpc::notification(method, params));
    }
}

fn tag(id: &RequestId) -> Value {
    json!({"io.modelcontextprotocol/subscriptionId": id})
}
