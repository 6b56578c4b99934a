//! A gRPC method of a system: its types learned by reflection, native where the system speaks HTTP/2, else gRPC-Web.

use std::{
    collections::BTreeSet,
    sync::Arc,
    time::{Duration, Instant},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use futures_util::future::BoxFuture;
use http::HeaderMap;
use prost_reflect::MethodDescriptor;
use serde_json::{Value, json};

use super::{
    credential::{self, Credential, Ready},
    intake::{self, unread},
    rest::{self, Target},
};
use crate::reading::Reader;
use satchel_app::calling::Described;
use satchel_formats::types::{self, TypesRead};
use satchel_model::{
    catalog::system::System,
    error::{Error, Kind, Result},
    output::Output,
};
use satchel_net::{
    grpc::{
        line::{Ask, Line},
        message,
        reflection::{self, Reflected, ReflectionAnswers},
        status::{Status, UNAUTHENTICATED},
    },
    tls::Tls,
};

/// Most messages taken, and most bytes of all together: as many as gRPC takes of one unless told otherwise.
const MOST: (usize, usize) = (1_000, 4 << 20);
/// Messages of more bytes than this together are shown beside the async threads.
const LONG: usize = 16 << 10;
/// Longest time in which all services of a system are described.
const ALL_SERVICES: Duration = Duration::from_secs(120);
/// The time a system has to show that it speaks native gRPC.
const TRIAL: Duration = Duration::from_secs(5);
/// Most types asked for beside a service's own, for one call, and the longest name of one.
const MOST_TYPES: usize = 20;
const LONGEST_NAME: usize = 1_000;
/// A service of more types than this, those included that were asked for, gets no more.
const MANY: u32 = 25_000;
/// Headers that gRPC sets itself, beside those that begin with `grpc-`.
const OWN: &[&str] = &["te", "content-type", "user-agent", "accept", "x-grpc-web"];

/// A call to make.
#[derive(Debug, Clone)]
pub struct GrpcAsk {
    /// Full name of the service.
    pub service: String,
    /// Name of the method.
    pub method: String,
    /// The message, as JSON.
    pub body: Value,
    /// Metadata, none of it a credential.
    pub headers: Vec<(String, String)>,
}

/// The answer.
struct Answered {
    method: MethodDescriptor,
    messages: Vec<Value>,
    /// Bytes in which they came.
    bytes: usize,
    status: Status,
    more: bool,
}

/// Calls it. A status other than OK is an error with its code and name.
pub(super) async fn call(target: &Target<'_>, ask: &GrpcAsk) -> Result<Output> {
    let given = given(target.system, &ask.headers)?;
    rest::take_turn(target).await?;
    let code = |error: &Error| error.details().and_then(|details| details.get("code")?.as_u64());
    let is_refused = |ended: &Result<Answered>| match ended {
        Ok(answered) => answered.status.code == UNAUTHENTICATED,
        Err(error) => code(error) == Some(UNAUTHENTICATED.into()),
    };
    let conversation = |ready| converse(target, ask, given.clone(), ready);
    let (ready, ended) = credential::attempt(target, conversation, is_refused).await?;
    let ready = ready.knowing(credential::given(&given));
    match ended {
        Ok(answered) if answered.bytes > LONG => {
            let clean = move || ready.cleaned(shown(answered));
            let read = target.app.host.work.run(target.http.user(), clean).await;
            read.map_err(|error| unread(error, None))
        }
        ended => ready.cleaned(ended.and_then(shown)),
    }
}

/// Hands each of a system's services over, by its name and with its types, until `each` wants no more. Calls learn them anew
/// from then on.
///
/// # Errors
///
/// [`Kind::Timeout`] if they are not all described in two minutes; if they cannot be asked for, or are too many.
pub(super) async fn services(target: &Target<'_>, mut each: impl FnMut(&str, &Described) -> bool) -> Result<()> {
    let begun = Instant::now();
    rest::take_turn(target).await?;
    let ready = credential::prepare(target.app, target.http, target.system).await?;
    let patience = patience(target);
    let native = async {
        let line = open(target, &ready, HeaderMap::new(), false).await?;
        let names = reflection::services(&line, TRIAL.min(patience), &reading(target)).await?;
        Ok((line, names))
    };
    let (line, names) = match native.await {
        Ok(found) => found,
        Err(first) if is_final(&first) => return Err(first),
        Err(first) => {
            let line = open(target, &ready, HeaderMap::new(), true).await?;
            let names = reflection::services(&line, patience, &reading(target)).await;
            let names = names.map_err(|error| neither(first, error))?;
            (line, names)
        }
    };
    let web = matches!(line, Line::Web(_));
    for name in names {
        let left = ALL_SERVICES.saturating_sub(begun.elapsed()).min(patience);
        let pool = reflection::describe(&line, &name, left, &reading(target)).await?;
        if !each(&name, &Described { pool, web, missing: BTreeSet::new() }) {
            break;
        }
    }
    target.app.net.calling.forget_types();
    Ok(())
}

/// Returns whether trying gRPC-Web after native gRPC would be told the same.
fn is_final(error: &Error) -> bool {
    matches!(error.kind(), Kind::Denied | Kind::NotFound | Kind::Invalid | Kind::Unconfigured | Kind::Busy)
}

/// Native gRPC and gRPC-Web both failed, and nobody knows which of them was meant.
fn neither(native: Error, web: Error) -> Error {
    if native.message() == web.message() {
        return native;
    }
    let kind = if native.kind() == Kind::Upstream { web.kind() } else { native.kind() };
    let details = web.details().or(native.details()).cloned();
    let told = Error::new(kind, format!("{} Over gRPC-Web: {}", native.message(), web.message())).caused_by(native);
    details.into_iter().fold(told, Error::with_details)
}

async fn converse(target: &Target<'_>, ask: &GrpcAsk, given: HeaderMap, ready: Ready) -> Result<Answered> {
    let key = format!("{} {}", target.system.binding(), ask.service);
    let (line, mut described) = learned(target, (&key, &ask.service), given, &ready).await?;
    let method = message::method(&described.pool, &ask.service, &ask.method)?;
    let types = Types { target, line: &line, key: &key };
    types.learn(&mut described, &message::named_types(&ask.body)).await;
    let reply = line
        .call(Ask {
            service: ask.service.clone(),
            method: ask.method.clone(),
            messages: vec![message::encode(&described.pool, &method.input(), &ask.body)?],
            patience: patience(target),
            most: MOST,
        })
        .await
        .map_err(|error| unread(error, None))?;
    let messages = types.read(&mut described, &method, &reply.messages).await.map_err(|error| unread(error, None))?;
    let bytes = reply.messages.iter().map(Bytes::len).sum();
    Ok(Answered { method, messages, bytes, status: reply.status, more: reply.more })
}

/// The types of what an `Any` holds: a service does not name them, so they are asked for when they are met.
struct Types<'a> {
    target: &'a Target<'a>,
    line: &'a Line,
    key: &'a str,
}

impl Types<'_> {
    /// Adds those of these types that the system tells of; no other is asked for again while the service's are kept.
    async fn learn(&self, described: &mut Arc<Described>, names: &BTreeSet<String>) -> bool {
        let is_new = |name: &&String| {
            name.len() <= LONGEST_NAME
                && !described.missing.contains(*name)
                && described.pool.get_message_by_name(name).is_none()
        };
        let wanted: Vec<String> = names.iter().filter(is_new).take(MOST_TYPES).cloned().collect();
        if wanted.is_empty() || described.size() > MANY {
            return false;
        }
        let (begun, patience) = (Instant::now(), TRIAL.min(patience(self.target)));
        let (pool, missing) = (described.pool.clone(), described.missing.clone());
        let mut known = Described { pool, web: described.web, missing };
        for name in wanted {
            if known.size() > MANY {
                break;
            }
            let left = patience.saturating_sub(begun.elapsed());
            match reflection::extended(self.line, known.pool.clone(), &name, left, &reading(self.target)).await {
                Ok(Some(more)) if more.get_message_by_name(&name).is_some() => known.pool = more,
                Ok(_) | Err(_) => drop(known.missing.insert(name)),
            }
        }
        *described = Arc::new(known);
        self.target.app.net.calling.keep_types(self.key, Arc::clone(described));
        true
    }

    /// The messages of an answer. What is in an `Any` in an `Any` is learned in rounds.
    async fn read(&self, described: &mut Arc<Described>, of: &MethodDescriptor, all: &[Bytes]) -> Result<Vec<Value>> {
        for last in [false, false, true] {
            let (output, types, all, cx) = (of.output(), Arc::clone(described), all.to_vec(), self.target.cx.cloned());
            let decode = move || {
                let mut room = message::Room::default();
                let each = all.into_iter().map(|bytes| message::decode(&types.pool, &output, bytes, &mut room));
                let read = each.collect::<Result<Vec<message::Decoded>>>()?;
                // Fields at their defaults are written, too: it may be much more than what came.
                if let Some(cx) = &cx {
                    cx.room().ensure_now(&read.iter().map(|one| &one.json).collect::<Vec<_>>())?;
                }
                Ok(read)
            };
            let read = self.target.app.host.work.run(self.target.http.user(), decode).await?;
            let unknown: BTreeSet<String> = read.iter().flat_map(|one| one.unknown.iter().cloned()).collect();
            if last || !self.learn(described, &unknown).await {
                return Ok(read.into_iter().map(|one| one.json).collect());
            }
        }
        Ok(Vec::new())
    }
}

/// A way to call a service, and its types: as they were learned a while ago, or anew.
async fn learned(
    target: &Target<'_>,
    (key, service): (&str, &str),
    given: HeaderMap,
    ready: &Ready,
) -> Result<(Line, Arc<Described>)> {
    if let Some(known) = target.app.net.calling.types(key) {
        return Ok((open(target, ready, given, known.web).await?, known));
    }
    let (line, described) = learn(target, service, given, ready).await?;
    let described = Arc::new(described);
    target.app.net.calling.keep_types(key, Arc::clone(&described));
    Ok((line, described))
}

/// Tries native gRPC, then gRPC-Web. Only questions about types are tried twice, never a call.
async fn learn(target: &Target<'_>, service: &str, given: HeaderMap, ready: &Ready) -> Result<(Line, Described)> {
    let native = async {
        let line = open(target, ready, given.clone(), false).await?;
        let pool = reflection::describe(&line, service, TRIAL.min(patience(target)), &reading(target)).await?;
        Ok((line, Described { pool, web: false, missing: BTreeSet::new() }))
    };
    let first: Error = match native.await {
        Ok(learned) => return Ok(learned),
        Err(error) if is_final(&error) => return Err(error),
        Err(error) => error,
    };
    let line = open(target, ready, given, true).await?;
    match reflection::describe(&line, service, patience(target), &reading(target)).await {
        Ok(pool) => Ok((line, Described { pool, web: true, missing: BTreeSet::new() })),
        Err(error) if error.kind() == Kind::NotFound => Err(error),
        Err(error) => Err(neither(first, error)),
    }
}

async fn open(target: &Target<'_>, ready: &Ready, given: HeaderMap, web: bool) -> Result<Line> {
    let base = target.system.base_url()?.clone();
    let mut headers = given;
    headers.extend(metadata(ready)?);
    if web {
        return Ok(Line::web(ready.way(target.http), base, headers).within(intake::room(target)));
    }
    let tls = Tls { alpn: vec![b"h2".to_vec()], ..ready.tls() };
    let connection = target.http.dial(&base, &tls).await?;
    if base.scheme() == "https" && connection.alpn() != Some(b"h2") {
        return Err(Error::upstream(format!("{} does not offer HTTP/2, which gRPC needs.", target.system.name)));
    }
    Ok(Line::native(connection, base, headers).await?.within(intake::room(target)))
}

fn metadata(ready: &Ready) -> Result<HeaderMap> {
    if matches!(ready.credential, Credential::Query(..)) {
        return Err(Error::new(
            Kind::Unconfigured,
            "gRPC has no query: an administrator puts the system's API key into a header, under Catalog, Credentials.",
        ));
    }
    ready.headers()
}

/// Returns the metadata a caller gives.
///
/// # Errors
///
/// If it is set by Satchel or by gRPC.
pub(super) fn given(system: &System, pairs: &[(String, String)]) -> Result<HeaderMap> {
    let mut given = HeaderMap::new();
    for (name, value) in pairs {
        let (name, value) = rest::header(system, name, value)?;
        if name.as_str().starts_with("grpc-") || OWN.contains(&name.as_str()) {
            return Err(Error::invalid(format!("The header '{name}' is set by gRPC itself: leave it out.")));
        }
        if name.as_str().ends_with("-bin") && STANDARD.decode(value.as_bytes()).is_err() {
            return Err(Error::invalid(format!("The header '{name}' is binary: give its value as base64.")));
        }
        given.append(name, value);
    }
    Ok(given)
}

/// Returns the way to read what is told of types: in a turn of whoever calls, and in a process of its own. Here its result is
/// put together once more, for it is what messages are written and read by.
fn reading(
    target: &Target<'_>,
) -> impl Fn(ReflectionAnswers) -> BoxFuture<'static, Result<Reflected>> + Send + Sync + use<> {
    let (work, who) = (target.app.host.work.clone(), target.http.user());
    let reader = target.cx.map_or_else(|| Reader::new(&target.app.host.readers), Reader::for_run);
    move |ReflectionAnswers { pool, answers }| {
        let (work, reader, bytes) = (work.clone(), reader.clone(), answers.iter().map(Bytes::len).sum::<usize>());
        let read = move || match reader.types(&types::known(&pool), &answers)? {
            (TypesRead::Whole, set) => types::add(pool, &set).map(Reflected::Whole),
            (TypesRead::Missing(files), _) => Ok(Reflected::Missing(files)),
            (TypesRead::Services(names), _) => types::ensure_few(&names).map(|()| Reflected::Services(names)),
            (TypesRead::Unknown, _) => Ok(Reflected::Unknown),
        };
        Box::pin(async move { work.run_on(who, bytes as u64, read).await })
    }
}

fn patience(target: &Target<'_>) -> Duration {
    Duration::from_secs(target.system.timeout_s.into())
}

fn shown(answered: Answered) -> Result<Value> {
    let mut messages = answered.messages;
    if let Err(error) = answered.status.require_ok() {
        return Err(after(error, messages));
    }
    if answered.method.is_server_streaming() {
        return Ok(json!({"messages": messages, "more": answered.more}));
    }
    match messages.pop() {
        Some(message) if messages.is_empty() => Ok(json!({"message": message})),
        _ => Err(Error::upstream("The service answered with no message, or with several where one belongs.")),
    }
}

/// A failure that came after these messages: its details hold them.
fn after(error: Error, messages: Vec<Value>) -> Error {
    let Some(Value::Object(details)) = error.details().filter(|_| !messages.is_empty()) else { return error };
    let mut details = details.clone();
    let came = if messages.len() == 1 { "a message".to_owned() } else { format!("{} messages", messages.len()) };
    details.insert("messages".to_owned(), Value::Array(messages));
    let told = format!("{} (before that came {came}, which the details hold)", error.message());
    Error::new(error.kind(), told).with_details(Value::Object(details)).as_answer()
}
