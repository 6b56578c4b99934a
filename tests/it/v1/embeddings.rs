//! Vectors of texts.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::json;

use super::stage::own;
use crate::support::chat::Chat;

const PATH: &str = "/v1/embeddings";

#[tokio::test(flavor = "multi_thread")]
async fn texts_become_vectors_as_numbers_or_as_base64() {
    let chat = Chat::start(vec![]).await;
    let program = own(&chat).await;
    let body = json!({"model": "satchel/embedding", "input": ["a heron", "a stork"]});
    let (status, answer) = program.ask("POST", PATH, body).await;
    // Built without the model.
    if status == 503 {
        return;
    }
    assert_eq!(status, 200, "{answer}");
    let numbers = |at: usize| answer["data"][at]["embedding"].as_array().unwrap().clone();
    assert_eq!((numbers(0).len(), numbers(1).len()), (384, 384));
    assert!(answer["usage"]["prompt_tokens"].as_u64().unwrap() >= 4, "{}", answer["usage"]);
    let body = json!({"model": "satchel/embedding", "input": "a heron", "encoding_format": "base64"});
    let packed = program.do_it("POST", PATH, body).await;
    let bytes = STANDARD.decode(packed["data"][0]["embedding"].as_str().unwrap()).unwrap();
    let first = f64::from(f32::from_le_bytes(bytes[..4].try_into().unwrap()));
    assert!((first - numbers(0)[0].as_f64().unwrap()).abs() < 1e-3);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_embedded_is_refused_by_its_field() {
    let chat = Chat::start(vec![]).await;
    let program = own(&chat).await;
    for (body, field) in [
        (json!({"model": "satchel/embedding", "input": []}), "input"),
        (json!({"model": "satchel/embedding", "input": "x", "dimensions": 7}), "dimensions"),
        (json!({"model": "satchel/embedding", "input": [1, 2]}), "input"),
    ] {
        let (status, told) = program.ask("POST", PATH, body).await;
        assert!(status == 400 || status == 503, "{told}");
        assert!(status == 503 || told["error"]["param"] == field, "{told}");
    }
    let (status, _) = program.ask("POST", PATH, json!({"model": "other", "input": "x"})).await;
    assert_eq!(status, 404);
}
