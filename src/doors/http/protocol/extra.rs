//! What a test serves beside the product: the fixtures that the protocol's conformance suite asks for by name. Only where
//! assertions are built; what ships has none of it.

use std::sync::{Arc, OnceLock};

use futures_util::future::BoxFuture;
use rmcp::model::{ClientCapabilities, JsonObject};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::{peer::Peer, rpc, session::Session};

/// The fixtures of a test.
pub trait Extra: Send + Sync {
    /// Further entries of a list (`tools`, `resources`, `resourceTemplates`, `prompts`).
    fn listed(&self, list: &str) -> Vec<Value>;

    /// The result of a request, or the code, the words and the data of an error. `None` if it is none of its own.
    fn answer(&self, method: &str, params: &JsonObject, exchange: Exchange) -> Option<Answered>;
}

/// The answer of a fixture, in time.
pub type Answered = BoxFuture<'static, Result<Value, (i32, String, Option<Value>)>>;

/// A request, as a fixture sees it.
#[derive(Clone)]
pub struct Exchange {
    /// The revision's date.
    pub revision: String,
    /// The client's capabilities.
    pub capabilities: ClientCapabilities,
    /// The metadata of the request.
    pub meta: JsonObject,
    session: Option<Arc<Session>>,
    before: mpsc::Sender<Value>,
}

impl Exchange {
    /// Tells the client something before the answer.
    pub async fn tell(&self, method: &str, params: Value) {
        let _ = self.before.send(rpc::notification(method, params)).await;
    }

    /// Asks the client something before the answer; `None` if it failed, or has no session.
    pub async fn ask(&self, method: &str, params: Value) -> Option<Value> {
        let session = self.session.as_ref()?;
        let (id, answer) = session.ask();
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.before.send(request).await.ok()?;
        answer.await.ok().flatten()
    }
}

/// The place of a test's fixtures. Copies share it.
#[derive(Clone, Default)]
pub struct Extras(Arc<OnceLock<Arc<dyn Extra>>>);

impl Extras {
    /// Serves these from now on.
    pub fn serve(&self, extra: Arc<dyn Extra>) {
        let _ = self.0.set(extra);
    }

    pub(in crate::http) fn listed(&self, list: &str) -> Vec<Value> {
        self.0.get().map(|extra| extra.listed(list)).unwrap_or_default()
    }

    /// The answer to a request, if it is a fixture's.
    pub(in crate::http) fn answer(
        &self,
        (method, params, meta): (&str, &JsonObject, &JsonObject),
        peer: &Peer,
        before: mpsc::Sender<Value>,
    ) -> Option<Answered> {
        let (revision, capabilities) = (peer.revision.version().to_string(), peer.capabilities.clone());
        let exchange = Exchange { revision, capabilities, meta: meta.clone(), session: peer.session.clone(), before };
        self.0.get()?.answer(method, params, exchange)
    }
}
