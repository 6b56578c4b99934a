//! `satchel serve`: what it prints, what it refuses, how it ends, and what the environment decides.

use std::time::Duration;

use rusqlite::Connection;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::support::{
    chat::{Person, find, text},
    fake_llm::{FakeLlm, Piece, Reply, say},
    program::{Home, PASSWORD, Told, With},
};

const SERVE: &[&str] = &["serve", "--listen", "127.0.0.1:0"];

/// A start that is refused: one line on standard error, nothing on standard output, exit 1.
fn refused(told: &Told) -> &str {
    assert_eq!((told.code, told.out.as_str(), told.err.lines().count()), (1, "", 1), "{told:?}");
    told.err.strip_prefix("satchel: ").unwrap_or_else(|| panic!("{told:?}")).trim_end()
}

#[tokio::test]
async fn a_first_start_prints_where_it_is_and_a_link_that_makes_the_owner() {
    let home = Home::empty();
    let mut server = home.serve(&[]).await;
    let line = server.line().await;
    let start = format!("satchel setup {}setup?token=", server.url);
    let token = line.strip_prefix(&start).unwrap_or_else(|| panic!("{line} does not begin with {start}"));
    let body = json!({"token": token, "username": "owner", "password": PASSWORD});
    let (status, made) = Person::bearer(&server.url, "").ask("POST", "/api/setup", body).await;
    assert_eq!((status, &made["username"]), (201, &json!("owner")));
    let told = server.stop().await;
    assert_eq!((told.code, told.out.as_str()), (0, ""));
    let again = home.serve(&[]).await;
    let told = again.stop().await;
    assert_eq!((told.code, told.out.as_str()), (0, ""), "with an owner there is no link");
}

#[tokio::test]
async fn an_unattended_start_makes_the_owner_of_the_environment_once() {
    let home = Home::empty();
    let owner = |password| [("SATCHEL_OWNER_NAME", "grace"), ("SATCHEL_OWNER_PASSWORD", password)];
    let server = home.serve(&owner(PASSWORD)).await;
    let person = Person::sign_in(&server.url, "grace").await;
    let me = person.do_it("GET", "/api/auth/me", Value::Null).await;
    assert_eq!((&me["role"], &me["permissions"]), (&json!("administrator"), &json!(["*"])));
    server.stop().await;
    let server = home.serve(&owner("quite another password")).await;
    Person::sign_in(&server.url, "grace").await;
    server.stop().await;
    let half = With { env: &[("SATCHEL_OWNER_NAME", "grace")], stdin: "" };
    assert!(refused(&home.run_with(SERVE, half).await).contains("or neither"));
    let weak = [("SATCHEL_OWNER_NAME", "grace"), ("SATCHEL_OWNER_PASSWORD", "short")];
    let told = Home::empty().run_with(SERVE, With { env: &weak, stdin: "" }).await;
    assert!(refused(&told).contains("too short"), "{told:?}");
}

#[tokio::test]
async fn a_model_of_the_environment_answers_and_is_shown_but_not_changed() {
    let home = Home::new().await;
    let llm = FakeLlm::start(vec![say("Good day.")]).await;
    let url = format!("http://{}/v1", llm.address);
    let model = [("SATCHEL_MODEL", "openai:fake-1"), ("SATCHEL_MODEL_URL", &url), ("SATCHEL_MODEL_KEY", "k-e-y")];
    let server = home.serve(&model).await;
    let owner = Person::sign_in(&server.url, "owner").await;
    let (_, events) = owner.turn("Hello?").await;
    assert_eq!(text(&events), "Good day.");
    assert!(llm.seen()[0].head.contains("authorization: bearer k-e-y"), "{}", llm.seen()[0].head);
    let providers = owner.do_it("GET", "/api/providers", Value::Null).await;
    assert_eq!((&providers[0]["from_environment"], &providers[0]["api_key"]), (&json!(true), &json!("***")));
    let path = format!("/api/providers/{}", providers[0]["id"].as_str().unwrap());
    assert_eq!(owner.ask("PUT", &path, json!({"model": "other"})).await.0, 409);
    server.stop().await;
    for wrong in ["gpt", "openai:", "gemini:x"] {
        let told = home.run_with(SERVE, With { env: &[("SATCHEL_MODEL", wrong)], stdin: "" }).await;
        assert!(refused(&told).contains("openai:<model>, anthropic:<model> or ollama:<model>"), "{told:?}");
    }
    let nowhere = [("SATCHEL_MODEL", "openai:m"), ("SATCHEL_MODEL_URL", "nowhere")];
    assert!(refused(&home.run_with(SERVE, With { env: &nowhere, stdin: "" }).await).contains("SATCHEL_MODEL_URL"));
}

#[tokio::test]
async fn a_second_server_on_the_same_directory_is_refused() {
    let home = Home::new().await;
    let server = home.serve(&[]).await;
    let told = home.run(SERVE).await;
    assert!(refused(&told).starts_with("Another Satchel is using the data directory "), "{told:?}");
    assert_eq!(server.stop().await.code, 0);
    assert_eq!(home.serve(&[]).await.stop().await.code, 0);
}

#[tokio::test]
async fn a_directory_of_a_newer_version_is_refused_by_every_command() {
    let home = Home::new().await;
    let database = Connection::open(home.path().join("satchel.db")).unwrap();
    database.pragma_update(None, "user_version", 999).unwrap();
    drop(database);
    for words in [SERVE, &["tools"]] {
        let told = home.run(words).await;
        assert!(refused(&told).starts_with("The data directory was written by a newer Satchel"), "{told:?}");
    }
}

#[tokio::test]
async fn a_key_file_that_others_can_read_is_refused_by_every_command() {
    let home = Home::new().await;
    home.expose("secret.key");
    for words in [SERVE, &["tools"]] {
        let told = home.run(words).await;
        assert!(refused(&told).contains("others can read it (mode 644). Run: chmod 600"), "{told:?}");
    }
}

#[tokio::test]
async fn an_address_that_is_taken_or_open_to_all_is_refused() {
    let home = Home::new().await;
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let told = home.run(&["serve", "--listen", &address]).await;
    assert!(refused(&told).contains("Choose another with --listen"), "{told:?}");
    let told = home.run(&["serve", "--listen", "0.0.0.0:0"]).await;
    assert!(refused(&told).contains("--behind-proxy"), "{told:?}");
    assert_eq!(home.run(&["serve", "--listen", "nowhere"]).await.code, 2);
}

#[tokio::test]
async fn a_server_asked_to_end_does_so_soon_while_streams_are_open() {
    let home = Home::new().await;
    let never = Piece::Hold(Default::default());
    let llm = FakeLlm::start(vec![Reply::Answer(vec![Piece::Text("Once".to_owned()), never])]).await;
    let url = format!("http://{}/v1", llm.address);
    let server = home.serve(&[("SATCHEL_MODEL", "openai:fake-1"), ("SATCHEL_MODEL_URL", &url)]).await;
    let owner = Person::sign_in(&server.url, "owner").await;
    let conversation = owner.conversation().await;
    let mut stream = owner.say(&conversation, "Tell me a story.").await;
    stream.until("token").await;
    let tail = owner.follow(&conversation, None).await;
    // Five seconds are promised; an end that waited for the answer would come when the model has been silent for 90.
    let told = timeout(Duration::from_secs(60), server.stop()).await.expect("it waits for a stream");
    assert_eq!((told.code, told.out.as_str()), (0, ""), "{told:?}");
    drop((stream, tail));
    // The turn goes on in the next process.
    llm.then(vec![say("Once upon a time.")]);
    let server = home.serve(&[("SATCHEL_MODEL", "openai:fake-1"), ("SATCHEL_MODEL_URL", &url)]).await;
    let events = owner.again(&server.url).follow(&conversation, None).await.rest().await;
    assert_eq!(find(&events, "done").data["state"], "done");
    server.stop().await;
}
