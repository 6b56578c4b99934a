//! Responses of an agent: their events, what is kept of them, and what goes on after them.

use serde_json::{Value, json};

use super::stage::{Frame, own, program, stream};
use crate::support::{
    chat::Chat,
    fake_llm::{Piece, Reply, call, calls, say},
    library::pause,
};

const PATH: &str = "/v1/responses";

fn asking(text: &str) -> Value {
    json!({"model": "satchel/assistant", "input": text})
}

fn types(frames: &[Frame]) -> Vec<&str> {
    frames.iter().map(|(_, data)| data["type"].as_str().unwrap()).collect()
}

fn kinds(response: &Value) -> Vec<&str> {
    response["output"].as_array().unwrap().iter().map(|item| item["type"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_events_of_a_text_come_in_their_order_with_their_numbers() {
    let texts = ["One", ", two."].map(|text| Piece::Text(text.to_owned()));
    let chat = Chat::start(vec![Reply::Answer(texts.into_iter().chain([Piece::Usage(10, 5)]).collect())]).await;
    let program = own(&chat).await;
    let frames = stream(&program, PATH, asking("Count.")).await;
    let wanted = [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_text.delta",
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.completed",
    ];
    assert_eq!(types(&frames), wanted);
    for (number, (event, data)) in frames.iter().enumerate() {
        assert_eq!((event.as_deref(), &data["sequence_number"]), (data["type"].as_str(), &json!(number)));
    }
    assert_eq!(frames[6].1["text"], "One, two.");
    let response = &frames[9].1["response"];
    assert_eq!(
        (&response["status"], &response["output"][0]["content"][0]["text"]),
        (&json!("completed"), &json!("One, two."))
    );
    assert_eq!(response["usage"]["total_tokens"], 15);
    let id = response["id"].as_str().unwrap();
    let mut kept = program.do_it("GET", &format!("{PATH}/{id}"), Value::Null).await;
    kept["usage"] = response["usage"].clone();
    assert_eq!(&kept, response);
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_of_both_kinds_are_items_and_the_next_request_goes_on() {
    let both = vec![("calculator", json!({"expression": "6*7"})), ("get_weather", json!({"town": "Bern"}))];
    let chat = Chat::start(vec![calls(both), say("42, and sun."), say("Gladly.")]).await;
    let program = own(&chat).await;
    let mut body = asking("6 by 7, and the weather?");
    body["tools"] = json!([
        {"type": "function", "name": "get_weather", "parameters": {"type": "object"}, "strict": false},
        {"type": "web_search"},
    ]);
    let first = program.do_it("POST", PATH, body.clone()).await;
    assert_eq!(kinds(&first), ["mcp_call", "function_call"]);
    let (ran, given) = (&first["output"][0], &first["output"][1]);
    assert_eq!((&given["name"], &given["arguments"]), (&json!("get_weather"), &json!("{\"town\":\"Bern\"}")));
    assert_eq!(
        (&ran["name"], &ran["output"], &ran["status"]),
        (&json!("calculator"), &json!("42"), &json!("completed"))
    );
    body["previous_response_id"] = first["id"].clone();
    body["input"] = json!([{"type": "function_call_output", "call_id": given["call_id"], "output": "sunny"}]);
    let second = program.do_it("POST", PATH, body.clone()).await;
    assert_eq!((kinds(&second), &second["output"][0]["content"][0]["text"]), (vec!["message"], &json!("42, and sun.")));
    body["previous_response_id"] = second["id"].clone();
    body["input"] = json!("Thanks.");
    program.do_it("POST", PATH, body).await;
    let asked = chat.llm.body(2);
    let roles: Vec<&str> =
        asked["messages"].as_array().unwrap().iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool", "tool", "assistant", "user"]);
    assert_eq!(chat.owner.do_it("GET", "/api/conversations", Value::Null).await.as_array().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_earlier_response_can_be_gone_on_after_again() {
    let chat = Chat::start(vec![say("One."), say("Two."), say("Other.")]).await;
    let program = own(&chat).await;
    let first = program.do_it("POST", PATH, asking("Count.")).await;
    let mut body = asking("On.");
    body["previous_response_id"] = first["id"].clone();
    program.do_it("POST", PATH, body.clone()).await;
    body["input"] = json!("Otherwise.");
    program.do_it("POST", PATH, body).await;
    let asked = chat.llm.body(2);
    let said: Vec<&Value> =
        asked["messages"].as_array().unwrap().iter().skip(1).map(|message| &message["content"]).collect();
    assert_eq!(said, ["Count.", "One.", "Otherwise."]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_an_item_for_who_may_decide_it_and_the_run_goes_on_with_their_say() {
    let chat = Chat::start(vec![]).await;
    let mara = chat.person(&["host:fs.write", "host:fs.read"]).await;
    let trusted = program(&chat, &mara, json!({"approves": true})).await;
    let both = |(approve, status)| [(&mara, approve, status), (&trusted, approve, status)];
    for (who, approve, status) in [(true, "completed"), (false, "failed")].into_iter().flat_map(both) {
        chat.llm.replace_script(vec![call("write", json!({"path": "a.txt", "content": "x"})), say("So it is.")]);
        let asked = who.do_it("POST", PATH, asking("Write it.")).await;
        assert_eq!((kinds(&asked), &asked["status"]), (vec!["mcp_approval_request"], &json!("completed")));
        let question = &asked["output"][0];
        let tickets = mara.do_it("GET", "/api/tickets", Value::Null).await;
        assert_eq!((&question["id"], &question["name"]), (&tickets[0]["id"], &json!("write")));
        let say = json!([{"type": "mcp_approval_response", "approval_request_id": question["id"], "approve": approve}]);
        let mut body = asking("");
        body["previous_response_id"] = asked["id"].clone();
        body["input"] = say;
        let frames = stream(who, PATH, body.clone()).await;
        let response = &frames.last().unwrap().1["response"];
        assert_eq!(kinds(response), ["mcp_call", "message"]);
        assert_eq!(
            (&response["output"][0]["status"], &response["output"][0]["approval_request_id"]),
            (&json!(status), &question["id"])
        );
        assert_eq!(response["output"][1]["content"][0]["text"], "So it is.");
        let id = response["id"].as_str().unwrap();
        let kept = who.do_it("GET", &format!("{PATH}/{id}"), Value::Null).await;
        assert_eq!(kinds(&kept), ["mcp_call", "message"]);
        assert!(who.ask("POST", PATH, body).await.0 >= 400, "it is decided once");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_without_that_say_is_told_where_the_question_is_decided() {
    let chat = Chat::start(vec![call("write", json!({"path": "a.txt", "content": "x"})), say("Written.")]).await;
    let mara = chat.person(&["host:fs.write", "host:fs.read"]).await;
    let program = program(&chat, &mara, json!({})).await;
    let asked = program.do_it("POST", PATH, asking("Write it.")).await;
    assert_eq!(kinds(&asked), ["message"]);
    let ticket = mara.do_it("GET", "/api/tickets", Value::Null).await[0]["id"].clone();
    let mut body = asking("");
    body["previous_response_id"] = asked["id"].clone();
    body["input"] = json!([{"type": "mcp_approval_response", "approval_request_id": ticket, "approve": true}]);
    let (status, told) = program.ask("POST", PATH, body).await;
    assert_eq!((status, &told["error"]["type"]), (403, &json!("permission_error")));
    mara.do_it("POST", &format!("/api/tickets/{}", ticket.as_str().unwrap()), json!({"decision": "approve"})).await;
    let path = format!("{PATH}/{}", asked["id"].as_str().unwrap());
    let mut now = program.do_it("GET", &path, Value::Null).await;
    while now["status"] == "in_progress" || kinds(&now).len() < 2 {
        pause().await;
        now = program.do_it("GET", &path, Value::Null).await;
    }
    assert_eq!(kinds(&now), ["mcp_call", "message"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_in_the_background_is_read_later_and_can_be_stopped() {
    let chat = Chat::start(vec![say("Done."), Reply::Silence]).await;
    let program = own(&chat).await;
    let mut body = asking("Slowly.");
    body["background"] = json!(true);
    let begun = program.do_it("POST", PATH, body.clone()).await;
    let path = format!("{PATH}/{}", begun["id"].as_str().unwrap());
    let mut now = begun;
    while now["status"] == "in_progress" {
        pause().await;
        now = program.do_it("GET", &path, Value::Null).await;
    }
    assert_eq!((&now["status"], &now["output"][0]["content"][0]["text"]), (&json!("completed"), &json!("Done.")));
    let begun = program.do_it("POST", PATH, body.clone()).await;
    chat.llm.until_asked(2).await;
    let path = format!("{PATH}/{}/cancel", begun["id"].as_str().unwrap());
    assert_eq!(program.do_it("POST", &path, Value::Null).await["status"], "cancelled");
    body["store"] = json!(false);
    assert_eq!(program.ask("POST", PATH, body).await.0, 400);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kept_one_survives_a_restart_lists_its_items_and_is_forgotten() {
    let chat = Chat::start(vec![say("Blue.")]).await;
    let key = super::stage::key(&chat.owner, json!({})).await;
    let program = crate::support::chat::Person::bearer(&chat.app.satchel.url, &key);
    let mut body = asking("");
    body["input"] = json!([{"role": "user", "content": "My colour?"}, {"role": "user", "content": "Say it."}]);
    let first = program.do_it("POST", PATH, body).await;
    let path = format!("{PATH}/{}", first["id"].as_str().unwrap());
    let chat = chat.restart().await;
    let program = crate::support::chat::Person::bearer(&chat.app.satchel.url, &key);
    let kept = program.do_it("GET", &path, Value::Null).await;
    assert_eq!(kept["output"], first["output"]);
    let items = program.do_it("GET", &format!("{path}/input_items?order=asc&limit=1"), Value::Null).await;
    assert_eq!((&items["data"][0]["content"][0]["text"], &items["has_more"]), (&json!("My colour?"), &json!(true)));
    let mara = chat.person(&[]).await;
    assert_eq!(mara.ask("GET", &path, Value::Null).await.0, 404);
    assert_eq!(mara.ask("DELETE", &path, Value::Null).await.0, 404);
    assert_eq!(program.do_it("DELETE", &path, Value::Null).await["deleted"], true);
    let (status, told) = program.ask("GET", &path, Value::Null).await;
    assert_eq!((status, &told["error"]["code"]), (404, &json!("previous_response_not_found")));
    assert_eq!(chat.owner.do_it("GET", "/api/conversations", Value::Null).await, json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_to_be_kept_is_gone_and_can_be_told_again_by_its_items() {
    let chat = Chat::start(vec![call("calculator", json!({"expression": "6*7"})), say("It is 42."), say("Yes.")]).await;
    let program = own(&chat).await;
    let mut body = asking("6 by 7?");
    body["store"] = json!(false);
    let first = program.do_it("POST", PATH, body.clone()).await;
    let path = format!("{PATH}/{}", first["id"].as_str().unwrap());
    assert_eq!(program.ask("GET", &path, Value::Null).await.0, 404);
    while chat.owner.do_it("GET", "/api/conversations", Value::Null).await != json!([]) {
        pause().await;
    }
    let mut items = vec![json!({"role": "user", "content": "6 by 7?"})];
    items.extend(first["output"].as_array().unwrap().iter().cloned());
    items.push(json!({"role": "user", "content": "Sure?"}));
    body["input"] = json!(items);
    program.do_it("POST", PATH, body).await;
    let asked = chat.llm.body(2);
    let roles: Vec<&str> =
        asked["messages"].as_array().unwrap().iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool", "assistant", "user"]);
    assert!(asked["messages"][3]["content"].as_str().unwrap().contains("42"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_without_an_agent_responds_too_and_keeps_nothing() {
    let chat = Chat::start(vec![say("Hello.")]).await;
    let program = own(&chat).await;
    let mut body = asking("Hi.");
    body["model"] = json!("openai:fake-1");
    let answer = program.do_it("POST", PATH, body.clone()).await;
    assert_eq!((&answer["output"][0]["content"][0]["text"], &answer["store"]), (&json!("Hello."), &json!(false)));
    body["previous_response_id"] = answer["id"].clone();
    let (status, told) = program.ask("POST", PATH, body).await;
    assert_eq!((status, &told["error"]["param"]), (400, &json!("previous_response_id")));
}
