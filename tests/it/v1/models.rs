//! The list of models.

use serde_json::{Value, json};

use super::stage::own;
use crate::support::chat::Chat;

#[tokio::test(flavor = "multi_thread")]
async fn agents_and_models_are_listed_by_the_names_that_requests_have() {
    let chat = Chat::start(vec![]).await;
    chat.owner.do_it("POST", "/api/agents", json!({"name": "reader", "description": "Reads."})).await;
    let program = own(&chat).await;
    let listed = program.do_it("GET", "/v1/models", Value::Null).await;
    assert_eq!(listed["object"], "list");
    let ids: Vec<&str> = listed["data"].as_array().unwrap().iter().map(|model| model["id"].as_str().unwrap()).collect();
    assert_eq!(ids[..3], ["satchel/assistant", "satchel/reader", "openai:fake-1"]);
    for id in ids {
        for written in [id.to_owned(), id.replace('/', "%2F")] {
            assert_eq!(program.do_it("GET", &format!("/v1/models/{written}"), Value::Null).await["id"], id);
        }
    }
    let (status, told) = program.ask("GET", "/v1/models/nothing", Value::Null).await;
    assert_eq!((status, &told["error"]["code"]), (404, &json!("model_not_found")));
}
