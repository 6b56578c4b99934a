//! WebSocket: text, bytes, several answers, subprotocols, close codes, and servers that behave badly.

use std::time::Duration;

use http::HeaderMap;
use satchel::{
    model::error::{Error, Kind, Result},
    net::{
        room::Room,
        ws::{self, Ended, Exchange, Heard, Piece},
    },
};
use tokio::net::TcpStream;

use crate::support::remote::ws::Talker;

/// Longer than anything takes that comes.
const LONG: Duration = Duration::from_secs(120);

fn exchange(server: &Talker, message: &str) -> Exchange {
    Exchange {
        url: format!("ws://{}/talk?x=1", server.address).parse().unwrap(),
        headers: HeaderMap::new(),
        messages: vec![message.to_owned()],
        answer: LONG,
        patience: LONG,
        quiet: LONG,
        most: (5, 1_000),
        room: Room::unbounded(),
    }
}

async fn say(server: &Talker, message: &str) -> Result<Heard> {
    run(server, exchange(server, message)).await
}

/// Says it and listens until the server falls quiet, which is so many messages later: silence must last longer where a busy
/// machine is slow to send them.
async fn say_until_quiet(server: &Talker, message: &str, messages: usize) -> Heard {
    let mut quiet = Duration::from_secs(1);
    loop {
        let heard = run(server, Exchange { quiet, ..exchange(server, message) }).await.unwrap();
        if heard.messages.len() >= messages || 2 * quiet > LONG {
            return heard;
        }
        quiet *= 2;
    }
}

async fn run(server: &Talker, exchange: Exchange) -> Result<Heard> {
    ws::exchange(TcpStream::connect(server.address).await.unwrap(), exchange).await
}

fn texts(heard: &Heard) -> Vec<&str> {
    heard
        .messages
        .iter()
        .filter_map(|piece| if let Piece::Text(text) = piece { Some(text.as_str()) } else { None })
        .collect()
}

#[tokio::test]
async fn a_message_is_sent_and_everything_until_quiet_is_heard() {
    let server = Talker::start().await;
    let heard = say_until_quiet(&server, "hello", 1).await;
    assert_eq!((texts(&heard), heard.closed.clone(), heard.ended), (vec!["hello"], None, Ended::Quiet));
    let heard = say_until_quiet(&server, "several 3", 3).await;
    assert_eq!(texts(&heard), ["1", "2", "3"]);
    let heard = say_until_quiet(&server, "bytes", 1).await;
    assert_eq!(heard.messages, [Piece::Binary(vec![0, 1, 2].into())]);
    assert_eq!(server.seen()[0].0, "/talk?x=1");
}

#[tokio::test]
async fn a_close_is_told_with_its_code_and_reason() {
    let server = Talker::start().await;
    let heard = say(&server, "close 4001 enough").await.unwrap();
    assert_eq!((heard.messages, heard.closed), (Vec::new(), Some((4001, "enough".to_owned()))));
    let heard = say(&server, "close 1000").await.unwrap();
    assert_eq!(heard.closed, Some((1000, String::new())));
    let heard = say(&server, "answer and close").await.unwrap();
    assert_eq!((texts(&heard), heard.closed.clone()), (vec!["done"], Some((1000, String::new()))));
    assert_eq!(heard.ended, Ended::Closed);
    let heard = say(&server, "drop").await.unwrap();
    assert_eq!(heard.closed, Some((1006, String::new())));
}

#[tokio::test]
async fn a_server_that_never_ends_is_left_at_the_limits() {
    let server = Talker::start().await;
    let heard = say(&server, "endless").await.unwrap();
    assert_eq!((heard.messages.len(), heard.ended), (5, Ended::Limit));
    let heard = say_until_quiet(&server, "several 2 of 400", 2).await;
    assert_eq!((heard.messages.len(), heard.ended), (2, Ended::Quiet));
    let heard = say(&server, "several 5 of 400").await.unwrap();
    assert_eq!((heard.messages.len(), heard.ended), (2, Ended::Limit));
    let error = say(&server, "several 1 of 5000").await.err().unwrap();
    assert!(error.message().contains("more than 1000 bytes"), "{error}");
}

#[tokio::test]
async fn a_slow_answer_is_heard_where_silence_may_last_longer() {
    let server = Talker::start().await;
    let heard = say_until_quiet(&server, "slowly 600000", 1).await;
    assert_eq!((texts(&heard), heard.ended), (vec!["first"], Ended::Quiet));
    let heard = say(&server, "slowly 2000").await.unwrap();
    assert_eq!((texts(&heard), heard.ended), (vec!["first", "second"], Ended::Closed));
}

#[tokio::test]
async fn what_came_until_the_time_was_over_is_kept() {
    let server = Talker::start().await;
    let mut patience = Duration::from_secs(1);
    let heard = loop {
        match run(&server, Exchange { patience, ..exchange(&server, "slowly 600000") }).await {
            // On a busy machine not even the first message may have come by then.
            Err(error) if error.kind() == Kind::Timeout && patience < LONG => patience *= 2,
            heard => break heard.unwrap(),
        }
    };
    assert_eq!((texts(&heard), heard.ended), (vec!["first"], Ended::Timeout));
}

#[tokio::test]
async fn further_messages_wait_for_an_answer_each_but_not_for_ever() {
    let server = Talker::start().await;
    let all = |messages: &[&str]| Exchange {
        messages: messages.iter().map(|text| (*text).to_owned()).collect(),
        ..exchange(&server, "")
    };
    let heard = run(&server, all(&["a", "b", "answer and close", "c"])).await.unwrap();
    assert_eq!((texts(&heard), heard.ended), (vec!["a", "b", "done"], Ended::Closed));
    let second = Duration::from_secs(1);
    let heard = run(&server, Exchange { answer: second, quiet: second, ..all(&["nothing", "b"]) }).await.unwrap();
    assert_eq!((texts(&heard), heard.ended), (vec!["b"], Ended::Quiet));
}

#[tokio::test]
async fn a_server_that_says_nothing_is_a_timeout() {
    let server = Talker::start().await;
    let impatient = Exchange { patience: Duration::from_millis(300), ..exchange(&server, "silence") };
    let error = run(&server, impatient).await.err().unwrap();
    assert_eq!((error.kind(), error.message()), (Kind::Timeout, "'127.0.0.1' sent no message within 0.3 s."));
}

#[tokio::test]
async fn a_subprotocol_is_offered_and_the_choice_is_told() {
    let server = Talker::start().await;
    let offering = |offer: &str| {
        let mut exchange = exchange(&server, "answer and close");
        exchange.headers.insert("sec-websocket-protocol", offer.parse().unwrap());
        exchange.headers.insert("x-trace", "7".parse().unwrap());
        exchange
    };
    let heard = run(&server, offering("chat.v1, echo.v2")).await.unwrap();
    assert_eq!(heard.protocol.as_deref(), Some("echo.v2"));
    assert_eq!(server.seen()[0].1.get("x-trace").unwrap(), "7");
    let error = run(&server, offering("chat.v1")).await.err().unwrap();
    assert!(error.message().contains("speaks none of the subprotocols"), "{error}");
}

#[tokio::test]
async fn a_refused_upgrade_is_told_by_its_status() {
    let server = Talker::start().await;
    let refused = |path: &str| Exchange {
        url: format!("http://{}{path}", server.address).parse().unwrap(),
        ..exchange(&server, "hello")
    };
    let error: Error = run(&server, refused("/refused")).await.err().unwrap();
    let advice = "(its credential may not do this: an administrator looks at it in the console, under Catalog)";
    let told =
        format!("'127.0.0.1' answered the upgrade to WebSocket with status 403, not 101 {advice}: Only for members.");
    assert_eq!((error.kind(), error.message()), (Kind::Unconfigured, told.as_str()));
    assert_eq!(error.details().unwrap()["status"], 403);
    let error = run(&server, refused("/wrong-key")).await.err().unwrap();
    assert_eq!(error.message(), "'127.0.0.1' does not speak WebSocket at this path.");
}
