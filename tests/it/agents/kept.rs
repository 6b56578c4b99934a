//! Agents over the API: versions, who sees and changes them, and what is refused.

use serde_json::{Value, json};

use super::{draft, made, refused};
use crate::support::chat::{Chat, Person};

#[tokio::test]
async fn a_change_makes_a_version_and_the_old_ones_can_be_read() {
    let chat = Chat::start(Vec::new()).await;
    let first = made(&chat.owner, "reader", json!({"instructions": "Read.", "allow": ["read"]})).await;
    assert_eq!((&first["version"], &first["built_in"], &first["tools"]), (&json!(1), &json!(false), &json!(true)));
    let path = format!("/api/agents/{}", first["id"].as_str().unwrap());
    let second = draft("reader", json!({"instructions": "Read twice."}));
    let changed = chat.owner.do_it("PUT", &format!("{path}?version=1"), second.clone()).await;
    assert_eq!((&changed["version"], &changed["instructions"]), (&json!(2), &json!("Read twice.")));
    let (status, told) = refused(&chat.owner, "PUT", &format!("{path}?version=1"), second).await;
    assert_eq!((status, told.contains("has version 2 now")), (409, true), "{told}");
    let versions = chat.owner.do_it("GET", &format!("{path}/versions"), Value::Null).await;
    let known: Vec<_> = versions.as_array().unwrap().iter().map(|one| (&one["version"], &one["current"])).collect();
    assert_eq!(known, [(&json!(2), &json!(true)), (&json!(1), &json!(false))]);
    let old = chat.owner.do_it("GET", &format!("{path}/versions/1"), Value::Null).await;
    assert_eq!((&old["instructions"], &old["allow"]), (&json!("Read."), &json!(["read"])));
    assert_eq!(refused(&chat.owner, "GET", &format!("{path}/versions/3"), Value::Null).await.0, 404);
    chat.owner.do_it("DELETE", &path, Value::Null).await;
    assert_eq!(refused(&chat.owner, "GET", &path, Value::Null).await.0, 404);
}

#[tokio::test]
async fn the_built_in_agent_is_changed_and_put_back_and_stays() {
    let chat = Chat::start(Vec::new()).await;
    let path = "/api/agents/assistant";
    let original = chat.owner.do_it("GET", path, Value::Null).await;
    assert_eq!((&original["built_in"], &original["shared_with"]), (&json!(true), &json!(["*"])));
    chat.owner.do_it("PUT", path, draft("assistant", json!({"instructions": "Rhyme."}))).await;
    let first = chat.owner.do_it("GET", &format!("{path}/versions/1"), Value::Null).await;
    let back = chat.owner.do_it("PUT", path, first).await;
    assert_eq!((&back["instructions"], &back["version"]), (&json!(""), &json!(3)));
    assert_eq!(refused(&chat.owner, "PUT", path, draft("helper", json!({}))).await.0, 409);
    assert_eq!(refused(&chat.owner, "DELETE", path, Value::Null).await.0, 409);
    let viewer = chat.person(&["agents:run"]).await;
    let (status, told) = refused(&viewer, "PUT", path, draft("assistant", json!({}))).await;
    assert_eq!((status, told.contains("settings:manage")), (403, true), "{told}");
}

#[tokio::test]
async fn an_agent_is_seen_by_its_owner_by_those_it_is_shared_with_and_by_administrators() {
    let chat = Chat::start(Vec::new()).await;
    let (ada, bob) = (chat.person(&["agents:run"]).await, chat.person(&["agents:run"]).await);
    let own = made(&ada, "mine", json!({})).await;
    let path = format!("/api/agents/{}", own["id"].as_str().unwrap());
    let hidden = bob.ask("GET", &path, Value::Null).await;
    let nowhere = "/api/agents/00000000-0000-7000-8000-000000000000";
    let missing = bob.ask("GET", nowhere, Value::Null).await;
    let same = |(status, problem): (u16, Value), id: &str| (status, problem["detail"].to_string().replace(id, "ID"));
    assert_eq!(same(hidden, own["id"].as_str().unwrap()), same(missing, &nowhere[12..]));
    for (method, body) in [("PUT", draft("mine", json!({}))), ("DELETE", Value::Null)] {
        assert_eq!(refused(&bob, method, &path, body).await.0, 404, "{method}");
    }
    assert_eq!(names(&chat.owner).await, ["assistant", "mine"]);
    assert_eq!(names(&bob).await, ["assistant"]);
    // To share it is an administrator's.
    let (status, told) = refused(&ada, "PUT", &path, draft("mine", json!({"shared_with": ["*"]}))).await;
    assert_eq!((status, told.contains("settings:manage")), (403, true), "{told}");
    let me = bob.do_it("GET", "/api/auth/me", Value::Null).await;
    let shared = draft("mine", json!({"shared_with": [me["username"].as_str().unwrap().to_uppercase()]}));
    chat.owner.do_it("PUT", &path, shared).await;
    assert_eq!(names(&bob).await, ["assistant", "mine"]);
    let (status, told) = refused(&bob, "PUT", &path, draft("mine", json!({}))).await;
    assert_eq!((status, told.contains("Make one of your own")), (403, true), "{told}");
    let nobody = chat.person(&[]).await;
    assert_eq!(refused(&nobody, "POST", "/api/agents", draft("x", json!({}))).await.0, 403);
}

async fn names(person: &Person) -> Vec<String> {
    let agents = person.do_it("GET", "/api/agents", Value::Null).await;
    agents.as_array().unwrap().iter().map(|agent| agent["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn what_is_wrong_with_an_agent_is_said_in_a_sentence() {
    let chat = Chat::start(Vec::new()).await;
    made(&chat.owner, "clerk", json!({})).await;
    for (name, parts, said) in [
        ("a b", json!({}), "@name"),
        ("c1erk", json!({}), "people could take"),
        ("аssistant", json!({}), "one script"),
        ("assistant", json!({}), "people could take"),
        ("x", json!({"allow": ["raed"]}), "'raed' in 'allow' is no tool"),
        ("x", json!({"deny": ["no*such"]}), "'no*such' in 'deny' is no tool"),
        ("x", json!({"allow": ["group:files"]}), "There is no group 'files'"),
        ("x", json!({"profile": "expert"}), "There is no profile 'expert'"),
        ("x", json!({"models": ["acme:m-1"]}), "There is no model 'acme:m-1'"),
        ("x", json!({"collections": ["Herons"]}), "There is no collection 'Herons'"),
        ("x", json!({"instructions": "x".repeat(1 << 20)}), "may have 32,000 characters, and here are 1,048,576"),
        ("x", json!({"shared_with": ["nobody-here"]}), "no role and no user 'nobody-here'"),
        ("x", json!({"skills": ["tables"]}), "There is no skill 'tables'"),
        ("x", json!({"budget": {"tokens_per_run": 1}}), "fewer than 1,000 tokens ('tokens_per_run')"),
        ("x", json!({"max_risk": "none"}), "max_risk"),
    ] {
        let (status, told) = refused(&chat.owner, "POST", "/api/agents", draft(name, parts.clone())).await;
        assert!(matches!(status, 400 | 409) && told.contains(said), "{name} {said}: {status} {told}");
    }
    assert_eq!(names(&chat.owner).await, ["assistant", "clerk"]);
}

#[tokio::test]
async fn a_person_has_so_many_agents_and_no_more() {
    let chat = Chat::start(Vec::new()).await;
    let ada = chat.person(&["agents:run"]).await;
    let mut told = None;
    for number in 0..1_000 {
        let (status, answer) = ada.ask("POST", "/api/agents", draft(&format!("n{number}x"), json!({}))).await;
        if status != 201 {
            told = Some((number, answer["detail"].as_str().unwrap().to_owned()));
            break;
        }
    }
    let (number, told) = told.unwrap();
    assert_eq!((number, told.contains("A person may have 200 agents")), (200, true), "{told}");
}
