//! gRPC: reflection in both versions, one answer and many, statuses, limits, and gRPC-Web.

use std::{net::SocketAddr, time::Duration};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use http::HeaderMap;
use satchel::{
    formats::types::{self, TypesRead},
    model::error::{Kind, Result},
    net::grpc::{
        line::{Ask, Line, Reply},
        message,
        reflection::{self, Reflected, ReflectionAnswers},
    },
};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use url::Url;

use crate::support::{
    remote::grpc::{Reflection, start, web_bridge},
    way::way_out,
};

const PATIENCE: Duration = Duration::from_secs(120);

async fn native(address: SocketAddr) -> Line {
    let stream = TcpStream::connect(address).await.unwrap();
    Line::native(stream, url(address), HeaderMap::new()).await.unwrap()
}

async fn web(address: SocketAddr) -> Line {
    let bridge = web_bridge(address).await;
    let http = way_out().allowing(&[bridge.to_string().parse().unwrap()]);
    Line::web(http, url(bridge), HeaderMap::new())
}

/// Reads what a system has told, without a process of its own.
fn at_once(ReflectionAnswers { pool, answers }: ReflectionAnswers) -> BoxFuture<'static, Result<Reflected>> {
    let contents: Vec<Vec<u8>> =
        std::iter::once(types::known(&pool)).chain(answers.iter().map(|answer| answer.to_vec())).collect();
    Box::pin(async move {
        match types::read(&contents)? {
            (TypesRead::Whole, set) => types::add(pool, &set).map(Reflected::Whole),
            (TypesRead::Missing(files), _) => Ok(Reflected::Missing(files)),
            (TypesRead::Services(names), _) => Ok(Reflected::Services(names)),
            (TypesRead::Unknown, _) => Ok(Reflected::Unknown),
        }
    })
}

fn url(address: SocketAddr) -> Url {
    format!("http://{address}").parse().unwrap()
}

fn ask(method: &str, message: Bytes) -> Ask {
    Ask {
        service: "echo.v1.Echo".to_owned(),
        method: method.to_owned(),
        messages: vec![message],
        patience: PATIENCE,
        most: (10, 1 << 20),
    }
}

async fn call(line: &Line, method: &str, body: Value) -> Result<(Vec<Value>, Reply)> {
    let pool = reflection::describe(line, "echo.v1.Echo", PATIENCE, &at_once).await?;
    let found = message::method(&pool, "echo.v1.Echo", method)?;
    let mut reply = line.call(ask(method, message::encode(&pool, &found.input(), &body)?)).await?;
    let messages = std::mem::take(&mut reply.messages);
    let read =
        |message| message::decode(&pool, &found.output(), message, &mut Default::default()).map(|read| read.json);
    let decoded: Result<Vec<Value>> = messages.into_iter().map(read).collect();
    Ok((decoded?, reply))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_method_learned_by_reflection_takes_json_and_gives_json() {
    let body = json!({"text": "Zoë", "mood": "GLAD", "at": "2026-05-01T10:00:00Z", "bigNumber": "9007199254740993"});
    for reflection in [Reflection::V1, Reflection::V1Alpha] {
        let server = start(reflection).await;
        for line in [native(server).await, web(server).await] {
            let (messages, reply) = call(&line, "Say", body.clone()).await.unwrap();
            assert_eq!((reply.status.code, reply.more), (0, false));
            let question = json!({"text": "Zoë", "times": 0, "mood": "GLAD", "at": "2026-05-01T10:00:00Z",
                "bigNumber": "9007199254740993"});
            assert_eq!(messages, [json!({"question": question, "number": 1, "headers": []})], "{line:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_is_collected_as_far_as_the_limits_let_it() {
    let server = start(Reflection::V1).await;
    for line in [native(server).await, web(server).await] {
        let (messages, reply) = call(&line, "Count", json!({"times": 7})).await.unwrap();
        assert_eq!((messages.len(), reply.more, reply.status.code), (7, false, 0));
        let (messages, reply) = call(&line, "Count", json!({"times": 50})).await.unwrap();
        assert_eq!((messages.len(), reply.more), (10, true));
        assert_eq!(messages[9]["number"], 10);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endless_stream_is_cut_when_its_time_is_over_and_a_call_that_hangs_fails() {
    let line = native(start(Reflection::V1).await).await;
    let pool = reflection::describe(&line, "echo.v1.Echo", PATIENCE, &at_once).await.unwrap();
    let input = message::method(&pool, "echo.v1.Echo", "Count").unwrap().input();
    let within = |patience, method, most| Ask {
        patience,
        most: (most, 1 << 20),
        ..ask(method, message::encode(&pool, &input, &json!({"times": -1})).unwrap())
    };
    let mut patience = Duration::from_secs(1);
    let reply = loop {
        match line.call(within(patience, "Count", 1_000)).await {
            // On a busy machine not even the first message may have come by then.
            Err(error) if error.kind() == Kind::Timeout && patience < PATIENCE => patience *= 2,
            reply => break reply.unwrap(),
        }
    };
    assert!(reply.more && !reply.messages.is_empty());
    let error = line.call(within(Duration::from_secs(2), "Stuck", 1)).await.err().unwrap();
    assert_eq!((error.kind(), error.message()), (Kind::Timeout, "'127.0.0.1' did not answer within 2 s."));
    // The connection goes on.
    assert_eq!(call(&line, "Say", json!({})).await.unwrap().0.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_status_other_than_ok_is_told_by_code_name_and_words() {
    let server = start(Reflection::V1).await;
    for line in [native(server).await, web(server).await] {
        for (code, name) in [(3, "INVALID_ARGUMENT"), (7, "PERMISSION_DENIED"), (14, "UNAVAILABLE")] {
            let (messages, reply) = call(&line, "Fail", json!({"times": code})).await.unwrap();
            let error = reply.status.require_ok().unwrap_err();
            assert_eq!(error.message(), format!("The service answered {name} ({code}): it was asked to: ä%"));
            assert!(messages.is_empty());
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_there_is_named_with_what_is() {
    let line = native(start(Reflection::V1).await).await;
    let mut services = reflection::services(&line, PATIENCE, &at_once).await.unwrap();
    services.sort_unstable();
    assert_eq!(services, ["echo.v1.Echo", "grpc.health.v1.Health", "things.v1.Things"]);
    let error = reflection::describe(&line, "echo.v1.Eco", PATIENCE, &at_once).await.err().unwrap();
    assert_eq!(error.kind(), Kind::NotFound);
    assert!(error.message().contains("no gRPC service 'echo.v1.Eco'. It has: "), "{error}");
    let error = call(&line, "Sey", json!({})).await.err().unwrap();
    assert_eq!(error.message(), "'echo.v1.Echo' has no method 'Sey'. It has: Say, Fail, Stuck, Count.");
    let error = call(&line, "Say", json!({"texts": "a"})).await.err().unwrap();
    assert_eq!(error.kind(), Kind::Invalid);
    assert!(error.message().contains("Its fields: text, times, mood, at, bigNumber."), "{error}");
    let silent = native(start(Reflection::None).await).await;
    let error = reflection::describe(&silent, "echo.v1.Echo", PATIENCE, &at_once).await.err().unwrap();
    assert!(error.message().contains("no gRPC server reflection"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_of_something_else_is_told_apart() {
    let bridge = web_bridge(start(Reflection::V1).await).await;
    // It knows HTTP/1.1 only, so that HTTP/2 finds nobody who understands it.
    let stream = TcpStream::connect(bridge).await.unwrap();
    let refused = match Line::native(stream, url(bridge), HeaderMap::new()).await {
        Ok(line) => reflection::services(&line, PATIENCE, &at_once).await.err().unwrap(),
        Err(error) => error,
    };
    assert!(refused.message().contains("does not speak HTTP/2"), "{refused}");
}
