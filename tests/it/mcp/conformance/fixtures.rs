//! The tools, resources and prompts that the suite asks for by name.

use std::sync::atomic::{AtomicBool, Ordering};

use satchel::{
    doors::http::protocol::extra::{Answered, Exchange, Extra},
    engine::{invoker::Invoker, tool::Tool},
    model::{
        output::Output,
        spec::{Category, Source, Spec},
    },
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{answers, inputs};

/// Tools that are called without arguments.
const TOOLS: &[&str] = &[
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "test_tool_with_logging",
    "test_error_handling",
    "test_tool_with_progress",
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
    "test_missing_capability",
    "test_streaming_elicitation",
    "test_logging_tool",
    "test_trigger_tool_change",
];

/// The fixtures.
pub struct Fixtures {
    invoker: Invoker,
    changed: AtomicBool,
}

impl Fixtures {
    pub fn new(invoker: Invoker) -> Self {
        Self { invoker, changed: AtomicBool::new(false) }
    }

    /// A real tool comes, or goes.
    fn change_tools(&self) {
        let there = self.changed.fetch_xor(true, Ordering::SeqCst);
        let tools = if there { Vec::new() } else { vec![coming()] };
        self.invoker.offer(Source::Interface, tools);
    }
}

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

fn coming() -> Tool {
    let plain = Tool::new("test_coming", Category::Data, "Comes.", "When it is there.", |_, _: Nothing| async {
        Ok(Output::default())
    });
    let spec = Spec { source: Source::Interface, ..plain.spec().clone() };
    Tool::of_spec(spec, |_, _| async { Ok(Output::default()) }).unwrap()
}

fn tool(name: &str, properties: Value, required: Value) -> Value {
    let schema = json!({"type": "object", "properties": properties, "required": required});
    json!({"name": name, "description": format!("A fixture: {name}."), "inputSchema": schema})
}

impl Extra for Fixtures {
    fn listed(&self, list: &str) -> Vec<Value> {
        match list {
            "tools" => {
                let text = json!({"type": "string"});
                let plain = TOOLS.iter().chain(inputs::TOOLS).map(|name| tool(name, json!({}), json!([])));
                plain
                    .chain([
                        tool("test_sampling", json!({"prompt": text}), json!(["prompt"])),
                        tool("test_elicitation", json!({"message": text}), json!(["message"])),
                        answers::rich_schema(),
                    ])
                    .collect()
            }
            "resources" => ["static-text", "static-binary", "watched-resource"]
                .map(|name| json!({"uri": format!("test://{name}"), "name": name, "description": "A fixture."}))
                .to_vec(),
            "resourceTemplates" => {
                let template = "test://template/{id}/data";
                vec![json!({"uriTemplate": template, "name": "template", "description": "A fixture."})]
            }
            "prompts" => answers::prompts(),
            _ => Vec::new(),
        }
    }

    fn answer(&self, method: &str, params: &Map<String, Value>, exchange: Exchange) -> Option<Answered> {
        let text = |name: &str| params.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        match method {
            "tools/call" => {
                let (name, params) = (text("name"), params.clone());
                if name == "test_trigger_tool_change" {
                    self.change_tools();
                }
                if inputs::TOOLS.contains(&name.as_str()) {
                    return Some(Box::pin(async move { inputs::call(&name, &params, &exchange) }));
                }
                let known = TOOLS.contains(&name.as_str()) || ["test_sampling", "test_elicitation"].contains(&&*name);
                (known || name == answers::RICH)
                    .then(|| Box::pin(async move { answers::call(&name, &params, &exchange).await }) as Answered)
            }
            "resources/read" if text("uri").starts_with("test://") => answers::resource(&text("uri")).map(ready),
            "resources/subscribe" | "resources/unsubscribe" if text("uri").starts_with("test://") => {
                Some(ready(json!({})))
            }
            "prompts/get" if text("name") == inputs::PROMPT => {
                let params = params.clone();
                Some(Box::pin(async move { inputs::prompt(&params) }))
            }
            "prompts/get" => answers::prompt(&text("name"), params).map(ready),
            "completion/complete" if params["ref"]["name"].as_str().is_some_and(|name| name.starts_with("test_")) => {
                Some(ready(json!({"completion": {"values": ["paris", "park"], "total": 2, "hasMore": false}})))
            }
            _ => None,
        }
    }
}

fn ready(result: Value) -> Answered {
    Box::pin(std::future::ready(Ok(result)))
}
