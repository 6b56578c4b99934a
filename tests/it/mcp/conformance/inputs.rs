//! Fixtures that ask for input before they run, in the revision where a client comes back with it.

use base64::{Engine, engine::general_purpose::STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use satchel::doors::http::protocol::extra::Exchange;
use serde_json::{Map, Value, json};
use sha2::Sha256;

use super::answers::text;

/// The prompt that asks.
pub const PROMPT: &str = "test_input_required_result_prompt";

/// The tools that ask.
pub const TOOLS: &[&str] = &[
    "test_input_required_result_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_request_state",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round",
    "test_input_required_result_tampered_state",
    "test_input_required_result_capabilities",
];

type Outcome = Result<Value, (i32, String, Option<Value>)>;

fn elicitation(message: &str, field: &str, kind: &str) -> Value {
    let mut properties = json!({});
    properties[field] = json!({"type": kind});
    let schema = json!({"type": "object", "properties": properties, "required": [field]});
    let params = json!({"mode": "form", "message": message, "requestedSchema": schema});
    json!({"method": "elicitation/create", "params": params})
}

fn sampling(text: &str, tokens: u32) -> Value {
    let message = json!({"role": "user", "content": {"type": "text", "text": text}});
    json!({"method": "sampling/createMessage", "params": {"messages": [message], "maxTokens": tokens}})
}

fn roots() -> Value {
    json!({"method": "roots/list", "params": {}})
}

fn asks(requests: Value, state: Option<&str>) -> Value {
    let mut result = json!({"resultType": "input_required", "inputRequests": requests});
    if let Some(state) = state {
        result["requestState"] = json!(sealed(state));
    }
    result
}

fn sealed(state: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(b"a key of the fixtures").unwrap();
    mac.update(state.as_bytes());
    format!("{state}.{}", STANDARD.encode(mac.finalize().into_bytes()))
}

/// The state that was sealed.
fn opened(params: &Map<String, Value>) -> Result<Option<String>, (i32, String, Option<Value>)> {
    let Some(shown) = params.get("requestState").and_then(Value::as_str) else { return Ok(None) };
    let state = shown.split_once('.').map_or(shown, |(state, _)| state).to_owned();
    match sealed(&state) == shown {
        true => Ok(Some(state)),
        false => Err((-32602, "The requestState was changed.".to_owned(), None)),
    }
}

/// Calls a tool.
pub fn call(name: &str, params: &Map<String, Value>, exchange: &Exchange) -> Outcome {
    let given = params.get("inputResponses").cloned().unwrap_or_default();
    let (state, said) = (opened(params)?, |name: &str| given.get(name).filter(|one| one.is_object()).cloned());
    let who = || elicitation("What is your name?", "name", "string");
    Ok(match name.strip_prefix("test_input_required_result_").unwrap() {
        "elicitation" => match said("user_name").and_then(|one| one["content"]["name"].as_str().map(str::to_owned)) {
            Some(name) => text(&format!("Hello, {name}!")),
            None => asks(json!({"user_name": who()}), None),
        },
        "sampling" => match said("capital_question") {
            Some(answer) => text(answer["content"]["text"].as_str().unwrap_or_default()),
            None => asks(json!({"capital_question": sampling("What is the capital of France?", 100)}), None),
        },
        "list_roots" => match said("client_roots") {
            Some(answer) => text(&format!("Roots: {}", answer["roots"])),
            None => asks(json!({"client_roots": roots()}), None),
        },
        "request_state" | "tampered_state" => match (said("confirm"), state) {
            (Some(_), Some(_)) => text("state-ok"),
            _ => asks(json!({"confirm": elicitation("Please confirm", "ok", "boolean")}), Some("waits")),
        },
        "multiple_inputs" => match (said("user_name"), said("greeting"), said("client_roots"), state) {
            (Some(_), Some(_), Some(_), Some(_)) => text("All came."),
            _ => {
                let greeting = sampling("Generate a greeting", 50);
                asks(json!({"user_name": who(), "greeting": greeting, "client_roots": roots()}), Some("waits"))
            }
        },
        "multi_round" => match (state.as_deref(), said("step1"), said("step2")) {
            (Some("second"), _, Some(_)) => text("All came."),
            (Some("first"), Some(_), _) => {
                let color = elicitation("Step 2: What is your favorite color?", "color", "string");
                asks(json!({"step2": color}), Some("second"))
            }
            _ => asks(json!({"step1": elicitation("Step 1: What is your name?", "name", "string")}), Some("first")),
        },
        _ => {
            let mut requests = json!({});
            if exchange.capabilities.sampling.is_some() {
                requests["question"] = sampling("What is the capital of France?", 100);
            }
            if exchange.capabilities.elicitation.is_some() {
                requests["user_name"] = who();
            }
            match requests.as_object().is_some_and(Map::is_empty) || !given.is_null() {
                true => text("Nothing to ask."),
                false => asks(requests, None),
            }
        }
    })
}

/// Gets the prompt.
pub fn prompt(params: &Map<String, Value>) -> Outcome {
    let given = params.get("inputResponses").cloned().unwrap_or_default();
    Ok(match given["user_context"]["content"]["context"].as_str() {
        Some(context) => {
            let content = json!({"type": "text", "text": format!("In this context: {context}")});
            json!({"messages": [{"role": "user", "content": content}]})
        }
        None => {
            let question = elicitation("What context should the prompt use?", "context", "string");
            asks(json!({"user_context": question}), None)
        }
    })
}
