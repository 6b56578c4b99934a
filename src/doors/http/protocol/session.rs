//! Sessions of the revisions that have a handshake: each belongs to the credential that began it, and ends with it.

use std::{
    collections::{BTreeMap, HashMap, HashSet, VecDeque},
    hash::{BuildHasher, RandomState},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use rmcp::model::ClientCapabilities;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::{
    principal::Principal,
    revision::Revision,
    rpc::{self, RequestId},
};
use satchel_model::origin::Origin;

/// Sessions at once, in all and of one credential: the one that was silent longest makes room.
const MOST: (usize, usize) = (4_096, 600);
/// A session that nothing was heard of for so long has ended, unless somebody listens.
const IDLE: Duration = Duration::from_secs(30 * 60);
/// Ids of requests that a session remembers, so that none is taken twice.
const REMEMBERED: usize = 512;
/// Messages that wait for a client to take them.
const WAITING: usize = 64;

/// A session.
#[derive(Debug)]
pub(in crate::http) struct Session {
    /// Its name, which no one guesses.
    pub(in crate::http) id: String,
    /// The revision that the handshake agreed on.
    pub(in crate::http) revision: Revision,
    /// The client's capabilities.
    pub(in crate::http) capabilities: ClientCapabilities,
    /// Ends with it.
    pub(in crate::http) ended: CancellationToken,
    principal: Principal,
    state: Mutex<State>,
    next: AtomicU64,
    digests: RandomState,
}

#[derive(Debug)]
struct State {
    heard: Instant,
    /// Requests that are under way, with what stops them.
    running: HashMap<RequestId, CancellationToken>,
    /// Digests of the ids that were taken, in their order: an id may be long.
    taken: HashSet<u64>,
    order: VecDeque<u64>,
    /// Requests of ours that the client has not answered.
    asked: HashMap<RequestId, oneshot::Sender<Option<Value>>>,
    /// Those who listen, the newest last.
    listeners: Vec<mpsc::Sender<Value>>,
    /// Resources whose changes it wants to hear of.
    watched: BTreeMap<String, Option<u32>>,
    /// The least of what it wants to hear of what goes on.
    level: Level,
    /// The origin of what it was given from outside.
    outside: Option<Origin>,
}

impl Session {
    fn new(principal: Principal, revision: Revision, capabilities: ClientCapabilities) -> Self {
        let state = State {
            heard: Instant::now(),
            running: HashMap::new(),
            taken: HashSet::new(),
            order: VecDeque::new(),
            asked: HashMap::new(),
            listeners: Vec::new(),
            watched: BTreeMap::new(),
            level: Level::Warning,
            outside: None,
        };
        Self {
            id: Uuid::new_v4().simple().to_string(),
            revision,
            capabilities,
            ended: CancellationToken::new(),
            principal,
            state: Mutex::new(state),
            next: AtomicU64::new(0),
            digests: RandomState::new(),
        }
    }

    /// Enters a request that is under way; `None` if one of this id was taken before.
    pub(in crate::http) fn enter(self: &Arc<Self>, id: &RequestId) -> Option<UnderWay> {
        let mut state = self.state.lock();
        state.heard = Instant::now();
        let digest = self.digests.hash_one(id);
        if !state.taken.insert(digest) {
            return None;
        }
        state.order.push_back(digest);
        if state.order.len() > REMEMBERED
            && let Some(oldest) = state.order.pop_front()
        {
            state.taken.remove(&oldest);
        }
        let stop = CancellationToken::new();
        state.running.insert(id.clone(), stop.clone());
        drop(state);
        Some(UnderWay { session: Arc::clone(self), id: id.clone(), stop })
    }

    /// Stops a request that is under way, if it is.
    pub(in crate::http) fn stop(&self, id: &RequestId) {
        if let Some(stop) = self.state.lock().running.get(id) {
            stop.cancel();
        }
    }

    /// A place for the answer to a request of ours, and its id.
    pub(in crate::http) fn ask(&self) -> (RequestId, oneshot::Receiver<Option<Value>>) {
        let id = RequestId::String(format!("satchel-{}", self.next.fetch_add(1, Ordering::Relaxed)).into());
        let (give, take) = oneshot::channel();
        self.state.lock().asked.insert(id.clone(), give);
        (id, take)
    }

    /// Takes the client's answer to a request of ours. Returns whether there was one of this id.
    pub(in crate::http) fn answer(&self, id: &RequestId, result: Option<Value>) -> bool {
        let waiting = {
            let mut state = self.state.lock();
            state.heard = Instant::now();
            state.asked.remove(id)
        };
        waiting.is_some_and(|waiting| waiting.send(result).is_ok())
    }

    /// No longer waits for the answer to a request of ours.
    pub(in crate::http) fn forget(&self, id: &RequestId) {
        self.state.lock().asked.remove(id);
    }

    /// The messages that are told to those who listen, from now on.
    pub(in crate::http) fn listen(&self) -> mpsc::Receiver<Value> {
        let (give, take) = mpsc::channel(WAITING);
        let mut state = self.state.lock();
        state.listeners.retain(|listener| !listener.is_closed());
        state.listeners.push(give);
        take
    }

    /// Tells something to one of those who listen, the newest first; nobody hears it twice.
    pub(in crate::http) fn tell(&self, message: Value) {
        let mut state = self.state.lock();
        state.listeners.retain(|listener| !listener.is_closed());
        for listener in state.listeners.iter().rev() {
            if listener.try_send(message.clone()).is_ok() {
                return;
            }
        }
    }

    /// The origin of what it was given from outside.
    pub(in crate::http) fn outside(&self) -> Option<Origin> {
        self.state.lock().outside.clone()
    }

    /// It is given content from outside.
    pub(in crate::http) fn note(&self, origin: Origin) {
        let mut state = self.state.lock();
        state.outside = Origin::joined(state.outside.take(), Some(origin));
    }

    /// Wants to hear of what goes on from this level.
    pub(in crate::http) fn hear_from(&self, level: Level) {
        self.state.lock().level = level;
    }

    /// Tells of something that goes on, where it is of a level that is to be heard.
    pub(in crate::http) fn log(&self, level: Level, data: Value) {
        if level >= self.state.lock().level {
            let params = json!({"level": level, "logger": "satchel", "data": data});
            self.tell(rpc::notification("notifications/message", params));
        }
    }

    /// Watches a resource that has this version now. Returns whether it is among so many at most.
    pub(in crate::http) fn watch(&self, uri: String, version: Option<u32>, most: usize) -> bool {
        let mut state = self.state.lock();
        let fits = state.watched.len() < most || state.watched.contains_key(&uri);
        if fits {
            state.watched.insert(uri, version);
        }
        fits
    }

    /// Watches a resource no longer.
    pub(in crate::http) fn forget_resource(&self, uri: &str) {
        self.state.lock().watched.remove(uri);
    }

    /// Resources it watches, with the versions it knows.
    pub(in crate::http) fn watched(&self) -> BTreeMap<String, Option<u32>> {
        self.state.lock().watched.clone()
    }

    /// Knows a version of a resource that it watches.
    pub(in crate::http) fn saw(&self, uri: &str, version: Option<u32>) {
        if let Some(known) = self.state.lock().watched.get_mut(uri) {
            *known = version;
        }
    }

    fn silent_since(&self) -> Instant {
        let mut state = self.state.lock();
        state.listeners.retain(|listener| !listener.is_closed());
        if !state.listeners.is_empty() || !state.running.is_empty() {
            state.heard = Instant::now();
        }
        state.heard
    }
}

/// The severity of a log message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(in crate::http) enum Level {
    /// Details.
    Debug,
    /// What goes on.
    Info,
    /// What is worth noting.
    Notice,
    /// What may be wrong.
    Warning,
    /// What is wrong.
    Error,
    /// What is broken.
    Critical,
    /// What is to be mended now.
    Alert,
    /// Nothing works.
    Emergency,
}

/// A request that is under way, as long as this lasts.
pub(in crate::http) struct UnderWay {
    session: Arc<Session>,
    id: RequestId,
    /// Fires when the client takes it back.
    pub(in crate::http) stop: CancellationToken,
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.session.state.lock().running.remove(&self.id);
    }
}

/// The sessions of a server.
#[derive(Default)]
pub(in crate::http) struct Sessions(Mutex<HashMap<String, Arc<Session>>>);

impl Sessions {
    /// Begins one.
    pub(in crate::http) fn begin(
        &self,
        principal: Principal,
        revision: Revision,
        capabilities: ClientCapabilities,
    ) -> Arc<Session> {
        let session = Arc::new(Session::new(principal, revision, capabilities));
        let mut all = self.0.lock();
        let now = Instant::now();
        let silent: HashMap<String, Instant> =
            all.iter().map(|(id, session)| (id.clone(), session.silent_since())).collect();
        let is_over = |id: &str| silent.get(id).is_some_and(|since| now.duration_since(*since) > IDLE);
        all.retain(|id, session| {
            let over = is_over(id);
            if over {
                session.ended.cancel();
            }
            !over
        });
        let of_one = all.values().filter(|session| session.principal == principal).count();
        if of_one >= MOST.1 || all.len() >= MOST.0 {
            let own = |session: &&Arc<Session>| of_one < MOST.1 || session.principal == principal;
            let longest = all.values().filter(own).min_by_key(|session| silent.get(&session.id).copied());
            if let Some(id) = longest.map(|session| session.id.clone())
                && let Some(ended) = all.remove(&id)
            {
                ended.ended.cancel();
            }
        }
        all.insert(session.id.clone(), Arc::clone(&session));
        session
    }

    /// A session of this credential; `None` if there is none of this name, or it is another's.
    pub(in crate::http) fn find(&self, id: &str, principal: Principal) -> Option<Arc<Session>> {
        let session = self.0.lock().get(id).filter(|session| session.principal == principal).cloned()?;
        session.state.lock().heard = Instant::now();
        Some(session)
    }

    /// Ends a session. Returns whether there was one of this credential.
    pub(in crate::http) fn end(&self, id: &str, principal: Principal) -> bool {
        let mut all = self.0.lock();
        if all.get(id).is_none_or(|session| session.principal != principal) {
            return false;
        }
        if let Some(session) = all.remove(id) {
            session.ended.cancel();
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use satchel_model::{caller::Credential, id::Id, user::UserId};

    fn principal() -> Principal {
        Principal::with(UserId::new(), Credential::Key(Id::new()))
    }

    fn begin(sessions: &Sessions, principal: Principal) -> Arc<Session> {
        sessions.begin(principal, Revision::November2025, ClientCapabilities::default())
    }

    #[test]
    fn a_session_is_of_the_credential_that_began_it() {
        let (sessions, ada, bob) = (Sessions::default(), principal(), principal());
        let session = begin(&sessions, ada);
        assert!(sessions.find(&session.id, ada).is_some());
        assert!(sessions.find(&session.id, bob).is_none() && !sessions.end(&session.id, bob));
        assert!(sessions.end(&session.id, ada) && session.ended.is_cancelled());
        assert!(sessions.find(&session.id, ada).is_none());
    }

    #[test]
    fn one_credential_takes_no_room_of_another() {
        let (sessions, ada, bob) = (Sessions::default(), principal(), principal());
        let (first, own) = (begin(&sessions, ada), begin(&sessions, bob));
        for _ in 0..MOST.1 {
            begin(&sessions, bob);
        }
        assert!(sessions.find(&first.id, ada).is_some());
        assert!(sessions.find(&own.id, bob).is_none() && own.ended.is_cancelled());
    }

    #[test]
    fn no_request_is_taken_twice_and_each_can_be_stopped() {
        let session = begin(&Sessions::default(), principal());
        let id = RequestId::Number(7);
        let first = session.enter(&id).unwrap();
        assert!(session.enter(&id).is_none());
        session.stop(&id);
        assert!(first.stop.is_cancelled());
        drop(first);
        assert!(session.enter(&id).is_none(), "it was taken before");
        for number in 0..i64::try_from(REMEMBERED).unwrap() {
            drop(session.enter(&RequestId::Number(1_000 + number)).unwrap());
        }
        assert!(session.enter(&id).is_some(), "what is long past is not remembered");
    }

    #[test]
    fn one_of_those_who_listen_hears_a_message() {
        let session = begin(&Sessions::default(), principal());
        let (mut old, mut new) = (session.listen(), session.listen());
        session.tell(1.into());
        assert_eq!((new.try_recv().ok(), old.try_recv().ok()), (Some(1.into()), None));
        drop(new);
        session.tell(2.into());
        assert_eq!(old.try_recv().ok(), Some(2.into()));
    }

    #[test]
    fn an_answer_reaches_whoever_asked_once() {
        let session = begin(&Sessions::default(), principal());
        let (id, mut answer) = session.ask();
        assert!(session.answer(&id, Some(1.into())) && !session.answer(&id, Some(2.into())));
        assert_eq!(answer.try_recv().unwrap(), Some(1.into()));
    }
}
