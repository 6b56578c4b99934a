//! A gRPC method of a system: its types learned by reflection, native where the system speaks HTTP/2, else gRPC-Web.

use std::{sync::Arc, time::Duration};

use http::HeaderMap;
use prost_reflect::MethodDescriptor;
use serde_json::{Value, json};

use super::{
    credential::{self, Credential, Ready},
    rest::{self, Target},
};
use crate::{
    app::calling::Described,
    model::{
        error::{Error, Kind, Result},
        output::Output,
    },
    net::{
        grpc::{
            line::{Ask, Line, Reply},
            message, reflection,
        },
        tls::Tls,
    },
};

/// Most messages taken, and most bytes of all together.
const MOST: (usize, usize) = (1_000, 10 << 20);
/// How long a system has to show that it speaks native gRPC.
const TRIAL: Duration = Duration::from_secs(5);
/// The code of a credential that was refused.
const UNAUTHENTICATED: u32 = 16;

/// What is called.
#[derive(Debug, Clone)]
pub struct GrpcAsk {
    /// Full name of the service.
    pub service: String,
    /// Name of the method.
    pub method: String,
    /// The message, as JSON.
    pub body: Value,
}

/// Calls it. A status other than OK is an error with its code and name.
pub(super) async fn call(target: &Target<'_>, ask: &GrpcAsk) -> Result<Output> {
    rest::take_turn(target).await?;
    let is_refused = |ended: &Ended| matches!(ended, Ok((_, reply)) if reply.status.code == UNAUTHENTICATED);
    let (ready, ended) = credential::attempt(target, |ready| converse(target, ask, ready), is_refused).await?;
    ready.cleaned(ended.and_then(|(method, reply)| shown(&method, reply)))
}

/// The names of a system's services, and the types of each.
pub(super) async fn services(target: &Target<'_>) -> Result<Vec<(String, Arc<Described>)>> {
    rest::take_turn(target).await?;
    let ready = credential::prepare(target.app, target.http, target.system).await?;
    let patience = patience(target);
    let (line, names) = match open(target, &ready, false).await {
        Ok(line) => match reflection::services(&line, TRIAL.min(patience)).await {
            Ok(names) => (line, names),
            Err(first) => over_web(target, &ready, first).await?,
        },
        Err(first) if first.kind() == Kind::Denied => return Err(first),
        Err(first) => over_web(target, &ready, first).await?,
    };
    let web = matches!(line, Line::Web(_));
    let mut found = Vec::new();
    for name in names {
        let pool = reflection::describe(&line, &name, patience).await?;
        found.push((name, Arc::new(Described { pool, web })));
    }
    Ok(found)
}

async fn over_web(target: &Target<'_>, ready: &Ready, first: Error) -> Result<(Line, Vec<String>)> {
    let line = open(target, ready, true).await?;
    match reflection::services(&line, patience(target)).await {
        Ok(names) => Ok((line, names)),
        Err(_) => Err(first),
    }
}

type Ended = Result<(MethodDescriptor, Reply)>;

async fn converse(target: &Target<'_>, ask: &GrpcAsk, ready: Ready) -> Ended {
    let (line, described) = learned(target, &ask.service, &ready).await?;
    let method = message::method(&described.pool, &ask.service, &ask.method)?;
    let reply = line
        .call(Ask {
            service: ask.service.clone(),
            method: ask.method.clone(),
            messages: vec![message::encode(&method.input(), &ask.body)?],
            patience: patience(target),
            most: MOST,
        })
        .await?;
    Ok((method, reply))
}

/// A way to call a service, and its types: as they were learned a while ago, or anew.
async fn learned(target: &Target<'_>, service: &str, ready: &Ready) -> Result<(Line, Arc<Described>)> {
    let key = format!("{} {service}", target.system.binding());
    if let Some(known) = target.app.calling.types(&key) {
        return Ok((open(target, ready, known.web).await?, known));
    }
    let (line, described) = learn(target, service, ready).await?;
    let described = Arc::new(described);
    target.app.calling.keep_types(&key, Arc::clone(&described));
    Ok((line, described))
}

/// Tries native gRPC, then gRPC-Web. Only questions about types are tried twice, never a call.
async fn learn(target: &Target<'_>, service: &str, ready: &Ready) -> Result<(Line, Described)> {
    let native = async {
        let line = open(target, ready, false).await?;
        let pool = reflection::describe(&line, service, TRIAL.min(patience(target))).await?;
        Ok((line, Described { pool, web: false }))
    };
    let native: Result<(Line, Described)> = native.await;
    let first = match native {
        Ok(learned) => return Ok(learned),
        Err(error) if matches!(error.kind(), Kind::Denied | Kind::NotFound | Kind::Invalid) => return Err(error),
        Err(error) => error,
    };
    let line = open(target, ready, true).await?;
    match reflection::describe(&line, service, patience(target)).await {
        Ok(pool) => Ok((line, Described { pool, web: true })),
        Err(error) if error.kind() == Kind::NotFound => Err(error),
        Err(_) => Err(first),
    }
}

async fn open(target: &Target<'_>, ready: &Ready, web: bool) -> Result<Line> {
    let base = target.system.base_url()?.clone();
    let headers = metadata(ready)?;
    if web {
        return Ok(Line::web(ready.way(target.http), base, headers));
    }
    let tls = Tls { alpn: vec![b"h2".to_vec()], ..ready.tls() };
    let dialled = target.http.dial(&base, &tls).await;
    let connection = dialled.map_err(|error| rest::explained(error, target.system))?;
    if base.scheme() == "https" && connection.alpn() != Some(b"h2") {
        return Err(Error::upstream(format!("{} does not offer HTTP/2, which gRPC needs.", target.system.name)));
    }
    Line::native(connection, base, headers).await
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

fn patience(target: &Target<'_>) -> Duration {
    Duration::from_secs(target.system.timeout_s.into())
}

fn shown(method: &MethodDescriptor, reply: Reply) -> Result<Value> {
    reply.status.demand_ok()?;
    let output = method.output();
    let messages = reply.messages.into_iter().map(|bytes| message::decode(&output, bytes));
    let mut messages = messages.collect::<Result<Vec<Value>>>()?;
    if method.is_server_streaming() {
        return Ok(json!({"messages": messages, "more": reply.more}));
    }
    match messages.pop() {
        Some(message) if messages.is_empty() => Ok(json!({"message": message})),
        _ => Err(Error::upstream("The service answered with no message, or with several where one belongs.")),
    }
}
