//! The answers of fixtures that need no input before they run.

use std::time::Duration;

use satchel::doors::http::protocol::extra::Exchange;
use serde_json::{Map, Value, json};
use tokio::time::sleep;

/// The tool whose schema has everything a schema can have.
pub const RICH: &str = "json_schema_2020_12_tool";

/// One red pixel.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/// A sound of no length.
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";
/// Between two things that a fixture tells.
const PAUSE: Duration = Duration::from_millis(50);

type Outcome = Result<Value, (i32, String, Option<Value>)>;

pub fn text(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

fn image() -> Value {
    json!({"type": "image", "data": PNG, "mimeType": "image/png"})
}

fn embedded(uri: &str, mime: &str, text: &str) -> Value {
    json!({"type": "resource", "resource": {"uri": uri, "mimeType": mime, "text": text}})
}

/// Calls a tool.
pub async fn call(name: &str, params: &Map<String, Value>, exchange: &Exchange) -> Outcome {
    let argument = |name: &str| params.get("arguments").and_then(|all| all[name].as_str()).unwrap_or_default();
    Ok(match name {
        "test_simple_text" => text("This is a simple text response for testing."),
        "test_image_content" => json!({"content": [image()]}),
        "test_audio_content" => json!({"content": [{"type": "audio", "data": WAV, "mimeType": "audio/wav"}]}),
        "test_embedded_resource" => {
            let resource = embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.");
            json!({"content": [resource]})
        }
        "test_multiple_content_types" => {
            let data = json!({"test": "data", "value": 123}).to_string();
            let told = json!({"type": "text", "text": "Multiple content types test:"});
            json!({"content": [told, image(), embedded("test://mixed-content-resource", "application/json", &data)]})
        }
        "test_error_handling" => {
            let mut failed = text("This tool intentionally returns an error for testing");
            failed["isError"] = json!(true);
            failed
        }
        "test_tool_with_logging" => {
            for told in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
                exchange.tell("notifications/message", json!({"level": "info", "data": told})).await;
                sleep(PAUSE).await;
            }
            text("Told.")
        }
        "test_tool_with_progress" => {
            for progress in [0, 50, 100] {
                if let Some(token) = exchange.meta.get("progressToken") {
                    let params = json!({"progressToken": token, "progress": progress, "total": 100});
                    exchange.tell("notifications/progress", params).await;
                }
                sleep(PAUSE).await;
            }
            text("Done.")
        }
        "test_sampling" => {
            let message = json!({"role": "user", "content": {"type": "text", "text": argument("prompt")}});
            let asked = json!({"messages": [message], "maxTokens": 100});
            let answer = exchange.ask("sampling/createMessage", asked).await.unwrap_or_default();
            text(&format!("LLM response: {}", answer["content"]["text"].as_str().unwrap_or_default()))
        }
        "test_elicitation" => {
            let field = |told: &str| json!({"type": "string", "description": told});
            let properties = json!({"username": field("User's response"), "email": field("User's email address")});
            let schema = json!({"type": "object", "properties": properties, "required": ["username", "email"]});
            elicit(exchange, argument("message"), schema, "User response").await
        }
        "test_elicitation_sep1034_defaults" => {
            let properties = json!({
                "name": {"type": "string", "default": "John Doe"},
                "age": {"type": "integer", "default": 30},
                "score": {"type": "number", "default": 95.5},
                "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
                "verified": {"type": "boolean", "default": true},
            });
            let schema = json!({"type": "object", "properties": properties});
            elicit(exchange, "Look at the defaults.", schema, "Elicitation completed").await
        }
        "test_elicitation_sep1330_enums" => elicit(exchange, "Choose.", choices(), "Elicitation completed").await,
        "test_missing_capability" if exchange.capabilities.sampling.is_none() => {
            let required = json!({"requiredCapabilities": {"sampling": {}}});
            return Err((-32021, "Missing required client capability".to_owned(), Some(required)));
        }
        _ => text("Done."),
    })
}

async fn elicit(exchange: &Exchange, message: &str, schema: Value, told: &str) -> Value {
    let asked = json!({"message": message, "requestedSchema": schema});
    let answer = exchange.ask("elicitation/create", asked).await.unwrap_or_default();
    text(&format!("{told}: action={}, content={}", answer["action"].as_str().unwrap_or_default(), answer["content"]))
}

/// The five kinds of choices.
fn choices() -> Value {
    let titled = |names: [&str; 3]| {
        let named = |(n, title): (usize, &str)| json!({"const": format!("value{}", n + 1), "title": title});
        Value::Array(names.into_iter().enumerate().map(named).collect())
    };
    let plain = json!(["option1", "option2", "option3"]);
    json!({"type": "object", "properties": {
        "untitledSingle": {"type": "string", "enum": plain},
        "titledSingle": {"type": "string", "oneOf": titled(["First Option", "Second Option", "Third Option"])},
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": plain}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled(["First Choice", "Second Choice", "Third Choice"])}},
    }})
}

/// Reads a resource.
pub fn resource(uri: &str) -> Option<Value> {
    let contents = match uri {
        "test://static-text" => {
            json!({"uri": uri, "mimeType": "text/plain", "text": "This is the content of the static text resource."})
        }
        "test://static-binary" => json!({"uri": uri, "mimeType": "image/png", "blob": PNG}),
        "test://watched-resource" => json!({"uri": uri, "mimeType": "text/plain", "text": "Watched."}),
        _ => {
            let id = uri.strip_prefix("test://template/")?.strip_suffix("/data")?;
            let data = json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")});
            json!({"uri": uri, "mimeType": "application/json", "text": data.to_string()})
        }
    };
    Some(json!({"contents": [contents], "ttlMs": 0, "cacheScope": "private"}))
}

/// The prompts.
pub fn prompts() -> Vec<Value> {
    let prompt = |name: &str, arguments: &[&str]| {
        let arguments: Vec<Value> =
            arguments.iter().map(|name| json!({"name": name, "description": "A text.", "required": true})).collect();
        json!({"name": name, "description": "A fixture.", "arguments": arguments})
    };
    vec![
        prompt("test_simple_prompt", &[]),
        prompt("test_prompt_with_arguments", &["arg1", "arg2"]),
        prompt("test_prompt_with_embedded_resource", &["resourceUri"]),
        prompt("test_prompt_with_image", &[]),
        prompt(super::inputs::PROMPT, &[]),
    ]
}

/// The messages of a prompt.
pub fn prompt(name: &str, params: &Map<String, Value>) -> Option<Value> {
    let argument = |name: &str| params.get("arguments").and_then(|all| all[name].as_str()).unwrap_or_default();
    let said = |content: Value| json!({"role": "user", "content": content});
    let told = |text: &str| said(json!({"type": "text", "text": text}));
    let messages = match name {
        "test_simple_prompt" => vec![told("This is a simple prompt for testing.")],
        "test_prompt_with_arguments" => {
            let (one, two) = (argument("arg1"), argument("arg2"));
            vec![told(&format!("Prompt with arguments: arg1='{one}', arg2='{two}'"))]
        }
        "test_prompt_with_embedded_resource" => {
            let resource = embedded(argument("resourceUri"), "text/plain", "Embedded resource content for testing.");
            vec![said(resource), told("Please process the embedded resource above.")]
        }
        "test_prompt_with_image" => vec![said(image()), told("Please analyze the image above.")],
        _ => return None,
    };
    Some(json!({"messages": messages}))
}

/// The tool with everything a schema can have.
pub fn rich_schema() -> Value {
    json!({
        "name": RICH,
        "description": "A fixture with a schema of its own.",
        "inputSchema": {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "$defs": {
                "address": {
                    "$anchor": "addressDef",
                    "type": "object",
                    "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
                },
            },
            "properties": {
                "name": {"type": "string"},
                "address": {"$ref": "#/$defs/address"},
                "contactMethod": {"type": "string", "enum": ["phone", "email"]},
                "phone": {"type": "string"},
                "email": {"type": "string"},
            },
            "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
            "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
            "then": {"required": ["phone"]},
            "else": {"required": ["email"]},
            "additionalProperties": false,
        },
    })
}
