//! Usage: tokens by day, person, agent, model and tool, with what they cost where there is a price.

use serde_json::{Value, json};

use crate::support::{
    chat::{Chat, Person},
    fake_llm::{Piece, Reply, call},
};

fn say(input: u64, output: u64) -> Reply {
    Reply::Answer(vec![Piece::Text("So.".to_owned()), Piece::Usage(input, output)])
}

async fn rows(person: &Person, query: &str) -> Vec<Value> {
    let usage = person.do_it("GET", &format!("/api/usage{query}"), Value::Null).await;
    usage["rows"].as_array().unwrap().clone()
}

async fn price(chat: &Chat, body: Value) {
    let providers = chat.owner.do_it("GET", "/api/providers", Value::Null).await;
    let path = format!("/api/providers/{}/price", providers[0]["id"].as_str().unwrap());
    chat.owner.do_it("PUT", &path, body).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_are_told_by_day_person_agent_model_and_tool_and_cost_from_when_there_is_a_price() {
    let sum = call("calculator", json!({"expression": "6 * 7"}));
    let chat = Chat::start(vec![say(1_000, 100), sum, say(2_000, 200)]).await;
    chat.owner.turn("One?").await;
    let before = rows(&chat.owner, "?by=model").await;
    assert_eq!((before.len(), &before[0]["costs"], &before[0]["unpriced_tokens"]), (1, &json!([]), &json!(1_100)));
    let runs = chat.owner.do_it("GET", "/api/runs", Value::Null).await;
    assert!(runs[0].get("cost").is_none(), "absent, not 0: {runs}");
    price(&chat, json!({"input": 3.0, "output": 15.0, "currency": "USD"})).await;
    let providers = chat.owner.do_it("GET", "/api/providers", Value::Null).await;
    assert_eq!(providers[0]["price"], json!({"input": 3.0, "output": 15.0, "currency": "USD"}));
    chat.owner.turn("Two?").await;
    let runs = chat.owner.do_it("GET", "/api/runs", Value::Null).await;
    let amount = (2_010.0 * 3.0 + 205.0 * 15.0) / 1e6;
    let cost = runs[0]["cost"]["amount"].as_f64().unwrap();
    assert!((cost - amount).abs() < 1e-9 && runs[0]["cost"]["currency"] == "USD", "{runs}");
    let today = chat.app.satchel.app.clock.now().day();
    for (by, key) in [("day", today.as_str()), ("person", "owner"), ("agent", "assistant"), ("model", "fake-1")] {
        let found = rows(&chat.owner, &format!("?by={by}")).await;
        assert_eq!((found.len(), found[0]["key"].as_str()), (1, Some(key)), "{by}: {found:?}");
        let told = &found[0];
        assert_eq!(
            (&told["requests"], &told["input_tokens"], &told["output_tokens"], &told["unpriced_tokens"]),
            (&json!(3), &json!(3_010), &json!(305), &json!(1_100)),
            "{by}: {told}"
        );
        assert!((told["costs"][0]["amount"].as_f64().unwrap() - amount).abs() < 1e-9, "{told}");
    }
    let tools = rows(&chat.owner, "?by=tool").await;
    assert_eq!((&tools[0]["key"], &tools[0]["requests"]), (&json!("builtin:calculator"), &json!(1)));
    assert!(tools[0]["output_tokens"].as_u64().unwrap() > 0 && tools.len() == 1, "{tools:?}");
    assert_eq!(rows(&chat.owner, "?by=day&from=2020-01-01&to=2020-12-31").await, Vec::<Value>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_sees_their_own_usage_and_who_manages_settings_or_people_everybodys() {
    let chat = Chat::start(vec![say(100, 10), say(200, 20)]).await;
    chat.set(json!({"chat": {"daily_token_budget": 5_000}})).await;
    let caller = chat.app.caller(&["tools:run"]).await;
    let (mara, other) = (Person::sign_in(&chat.app.satchel.url, &caller.username).await, chat.person(&[]).await);
    let manager = chat.person(&["users:manage"]).await;
    chat.owner.turn("One?").await;
    mara.turn("Two?").await;
    let names = |rows: Vec<Value>| rows.iter().map(|row| row["key"].as_str().unwrap().to_owned()).collect::<Vec<_>>();
    assert_eq!(names(rows(&mara, "?by=person").await), std::slice::from_ref(&caller.username));
    assert_eq!(names(rows(&other, "?by=person").await), Vec::<String>::new());
    for sees_all in [&chat.owner, &manager] {
        assert_eq!(names(rows(sees_all, "?by=person").await), [caller.username.clone(), "owner".to_owned()]);
    }
    let of_mara = rows(&manager, &format!("?by=day&person={}", caller.username)).await;
    assert_eq!(of_mara[0]["input_tokens"], 200);
    assert_eq!(mara.ask("GET", "/api/usage?person=owner", Value::Null).await.0, 403);
    assert_eq!(manager.ask("GET", "/api/usage?person=nobody", Value::Null).await.0, 404);
    for day in ["2026-13-01", "yesterday", "2026-1-1"] {
        assert_eq!(mara.ask("GET", &format!("/api/usage?from={day}"), Value::Null).await.0, 400, "{day}");
    }
    let budgets = mara.do_it("GET", "/api/usage/budgets", Value::Null).await;
    assert_eq!(budgets, json!([{"person": caller.username, "used": 220, "limit": 5_000}]));
    assert_eq!(manager.do_it("GET", "/api/usage/budgets", Value::Null).await.as_array().unwrap().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_price_is_of_one_model_and_set_by_who_manages_settings() {
    let chat = Chat::start(vec![say(1_000, 0), say(1_000, 0)]).await;
    let providers = chat.owner.do_it("GET", "/api/providers", Value::Null).await;
    let path = format!("/api/providers/{}/price", providers[0]["id"].as_str().unwrap());
    let right = json!({"input": 1.0, "output": 2.0, "currency": "EUR"});
    assert_eq!(chat.person(&[]).await.ask("PUT", &path, right.clone()).await.0, 403);
    for wrong in [
        json!({"input": -1.0, "output": 2.0, "currency": "EUR"}),
        json!({"input": 1.0, "output": 2.0, "currency": "euro"}),
        json!({"input": 1.0, "currency": "EUR"}),
    ] {
        assert_eq!(chat.owner.ask("PUT", &path, wrong.clone()).await.0, 400, "{wrong}");
    }
    price(&chat, right).await;
    chat.owner.turn("One?").await;
    chat.owner.do_it("DELETE", &path, Value::Null).await;
    chat.owner.turn("Two?").await;
    let told = rows(&chat.owner, "?by=model").await;
    assert_eq!(
        (&told[0]["costs"], &told[0]["unpriced_tokens"]),
        (&json!([{"amount": 0.001, "currency": "EUR"}]), &json!(1_000),)
    );
}
