//! Providers that stand in for each other, over HTTP: who answered and why is told, also later; their order is made by
//! hand; and one is tried before it is saved.

use serde_json::{Value, json};

use super::support::{
    chat::{Chat, find, text},
    fake_llm::{FakeLlm, Piece, Reply, call, refuse, say},
    http::{Request, TestServer},
};

fn second(llm: &FakeLlm) -> Value {
    json!({"kind": "openai", "model": "fake-1", "name": "Second", "base_url": format!("http://{}", llm.address), "api_key": "sk-canary-3"})
}

#[tokio::test]
async fn a_stand_in_is_named_with_the_cause_in_stream_message_health_and_metrics() {
    // Enough for probes, too.
    let chat = Chat::start(vec![refuse(401); 50]).await;
    let other = FakeLlm::start(vec![call("calculator", json!({"expression": "1"})), say("One."), say("Two.")]).await;
    chat.owner.do_it("POST", "/api/providers", second(&other)).await;
    let (conversation, events) = chat.owner.turn("1?").await;
    assert_eq!(text(&events), "One.");
    let told = &find(&events, "stand_in").data;
    assert_eq!((&told["provider"], &told["model"]), (&json!("Second"), &json!("fake-1")));
    let first = json!({
        "provider": "fake-1 (from the environment)",
        "model": "fake-1",
        "address": chat.llm.address.to_string(),
        "status": 401,
        "cause": "The key was refused. Check it under Settings, Models.",
        "mend": "/settings/models",
    });
    assert_eq!(told["instead_of"], first);
    // Both model calls of the turn were answered by the stand-in, and the first provider was asked once.
    let messages = chat.owner.view(&conversation).await["messages"].clone();
    for message in messages.as_array().unwrap().iter().skip(1) {
        assert_eq!((&message["provider"], &message["instead_of"]), (&json!("Second"), &first));
    }
    assert_eq!((chat.llm.asked(), other.asked()), (1, 2));
    let list = chat.owner.do_it("GET", "/api/providers", Value::Null).await;
    assert_eq!((&list[0]["health"]["state"], &list[1]["health"]["state"]), (&json!("open"), &json!("closed")));
    let checks = chat.owner.do_it("GET", "/api/doctor", Value::Null).await["checks"].clone();
    let open = checks
        .as_array()
        .unwrap()
        .iter()
        .find(|check| check["ok"] == false && check["name"].as_str().unwrap().starts_with("model"));
    assert!(
        open.unwrap()["message"].as_str().unwrap().contains("does not answer questions. The key was refused"),
        "{checks}"
    );
    let metrics = String::from_utf8(chat.owner.bytes("/metrics").await).unwrap();
    let line = "provider=\"fake-1 (from the environment)\",model=\"fake-1\",state=\"open\"} 1";
    assert!(metrics.contains(line), "{metrics}");
    // Mended: a test by hand has it asked again.
    chat.llm.replace_script(vec![say("pong"), say("Back.")]);
    let path = format!("/api/providers/{}/test", list[0]["id"].as_str().unwrap());
    assert_eq!(chat.owner.do_it("POST", &path, Value::Null).await["ok"], true);
    let events = chat.owner.say(&conversation, "And now?").await.rest().await;
    assert_eq!(text(&events), "Back.");
    assert!(events.iter().all(|event| event.name != "stand_in"));
}

#[tokio::test]
async fn a_provider_that_fails_is_passed_over_under_a_new_name_too_and_forgotten_when_switched_off() {
    let chat = Chat::start(vec![say("One.")]).await;
    // Enough for probes, too.
    let other = FakeLlm::start(vec![refuse(401); 50]).await;
    let made = chat.owner.do_it("POST", "/api/providers", second(&other)).await;
    let conversation = chat.owner.conversation().await;
    let body = json!({"content": "1?", "provider": made["id"]});
    let events = chat.owner.post(&format!("{conversation}/messages"), body).await.rest().await;
    assert_eq!((text(&events).as_str(), other.asked()), ("One.", 1));
    let path = format!("/api/providers/{}", made["id"].as_str().unwrap());
    let renamed = chat.owner.do_it("PUT", &path, json!({"name": "Renamed"})).await;
    assert_ne!(renamed["health"]["state"], "closed", "{renamed}");
    let off = chat.owner.do_it("PUT", &path, json!({"enabled": false})).await;
    assert_eq!(off["health"]["state"], "closed", "{off}");
}

#[tokio::test]
async fn a_turn_that_fails_for_its_provider_tells_model_and_address_and_where_it_is_mended() {
    let chat = Chat::start(vec![refuse(401)]).await;
    let (conversation, events) = chat.owner.turn("Hello?").await;
    let error = &find(&events, "error").data;
    assert_eq!((&error["failure"]["model"], &error["failure"]["status"]), (&json!("fake-1"), &json!(401)));
    assert_eq!(error["failure"]["mend"], "/settings/models");
    assert!(error["message"].as_str().unwrap().contains(&format!("(fake-1 at {})", chat.llm.address)), "{error}");
    assert_eq!(chat.owner.view(&conversation).await["turn"]["failure"], error["failure"]);
    let chat = chat.restart().await;
    assert_eq!(chat.owner.view(&conversation).await["turn"]["failure"]["address"], chat.llm.address.to_string());
}

#[tokio::test]
async fn the_order_is_made_by_hand_and_whoever_saw_another_list_moves_nothing() {
    let chat = Chat::start(vec![]).await;
    let other = FakeLlm::start(vec![say("I am second.")]).await;
    let made = chat.owner.do_it("POST", "/api/providers", second(&other)).await;
    let ids = async |chat: &Chat| {
        let list = chat.owner.do_it("GET", "/api/providers", Value::Null).await;
        list.as_array().unwrap().iter().map(|one| one["id"].clone()).collect::<Vec<_>>()
    };
    let before = ids(&chat).await;
    let after = vec![before[1].clone(), before[0].clone()];
    assert_eq!(before[1], made["id"]);
    let viewer = chat.person(&["knowledge:read"]).await;
    let body = json!({"seen": before, "order": after});
    assert_eq!(viewer.ask("PUT", "/api/providers/order", body.clone()).await.0, 403);
    let moved = chat.owner.do_it("PUT", "/api/providers/order", body.clone()).await;
    assert_eq!((&moved[0]["name"], &moved[1]["from_environment"]), (&json!("Second"), &json!(true)));
    let (status, told) = chat.owner.ask("PUT", "/api/providers/order", body).await;
    assert!(status == 409 && told["detail"].as_str().unwrap().contains("Somebody else"), "{told}");
    for order in [json!([after[0]]), json!([after[0], after[0]]), json!([after[0], after[1], after[1]])] {
        let body = json!({"seen": after, "order": order});
        assert_eq!(chat.owner.ask("PUT", "/api/providers/order", body).await.0, 409);
    }
    let (_, events) = chat.owner.turn("Who?").await;
    assert_eq!(text(&events), "I am second.");
    let chat = chat.restart().await;
    assert_eq!(ids(&chat).await, after);
}

#[tokio::test]
async fn a_provider_is_tried_before_it_is_saved_and_what_is_wrong_is_said_at_its_field() {
    let chat = Chat::start(vec![]).await;
    let other = FakeLlm::start(vec![]).await;
    let base_url = format!("http://{}", other.address);
    let tried = async |provider: Value| {
        let body = json!({"stored": null, "provider": provider});
        chat.owner.do_it("POST", "/api/providers/test", body).await
    };
    let listed = tried(json!({"kind": "openai", "base_url": base_url})).await;
    assert_eq!((&listed["ok"], &listed["models"]), (&json!(true), &json!(["fake-1"])));
    let absent = tried(json!({"kind": "openai", "base_url": base_url, "model": "fake-9"})).await;
    assert_eq!(
        (&absent["ok"], &absent["field"], &absent["models"]),
        (&json!(false), &json!("model"), &json!(["fake-1"]))
    );
    let nowhere = tried(json!({"kind": "openai", "base_url": "http://127.0.0.1:1/v1", "model": "m"})).await;
    assert_eq!((&nowhere["ok"], &nowhere["field"]), (&json!(false), &json!("base_url")));
    let wrong = tried(json!({"kind": "openai", "base_url": base_url, "model": "m", "api_key": "wrong"})).await;
    assert_eq!((&wrong["ok"], &wrong["field"]), (&json!(false), &json!("api_key")));
    let list = chat.owner.do_it("GET", "/api/providers", Value::Null).await;
    assert_eq!(list.as_array().unwrap().len(), 1, "nothing was saved");
    // A stored key goes to no other address, not even for a test.
    let made = chat.owner.do_it("POST", "/api/providers", second(&other)).await;
    let elsewhere = json!({"stored": made["id"], "provider": {"base_url": format!("http://{}", chat.llm.address)}});
    assert_eq!(chat.owner.ask("POST", "/api/providers/test", elsewhere).await.0, 400);
    let same = json!({"stored": made["id"], "provider": {"api_key": "***"}});
    assert_eq!(chat.owner.do_it("POST", "/api/providers/test", same).await["ok"], true);
}

#[tokio::test]
async fn an_answer_that_breaks_off_names_its_provider_and_is_not_asked_for_again() {
    let broken = Reply::Answer(vec![Piece::Text("Half".to_owned()), Piece::Break]);
    let chat = Chat::start(vec![broken]).await;
    let (conversation, events) = chat.owner.turn("Hello?").await;
    let error = &find(&events, "error").data;
    assert_eq!(error["failure"]["address"], chat.llm.address.to_string());
    let view = chat.owner.view(&conversation).await;
    assert_eq!((&view["messages"][1]["text"], chat.llm.asked()), (&json!("Half"), 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_set_up_link_is_judged_before_anything_is_filled_in() {
    let server = TestServer::empty().await;
    let look = async |token: &str| server.send(Request::post("/api/setup/link", &json!({"token": token}))).await.status;
    assert_eq!(look("wrong").await, 403);
    let app = &server.app.satchel.app;
    let token = app.stores.people.issue_link(app.clock.now());
    assert_eq!(look(token.expose()).await, 204);
    assert_eq!(look(token.expose()).await, 204, "looking uses nothing up");
    assert_eq!(server.set_up("owner").await.status, 201);
    assert_eq!(look(token.expose()).await, 409);
}
