//! A request for a response, as OpenAI's clients send it.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    super::{
        images::Images,
        tools::{Function, ensure_bounded, typed},
    },
    items::{Approval, Item, Said},
};
use satchel_model::{
    error::Result,
    llm::{
        ChatMessage, ToolDefinition,
        options::{AnswerFormat, Brief, RequestOptions, ToolChoice},
    },
};

/// A request for a response. What it has besides is not looked at.
#[derive(Debug, Deserialize)]
pub(super) struct ResponseRequest {
    /// The model.
    pub(super) model: String,
    #[serde(default)]
    input: Option<Input>,
    #[serde(default)]
    instructions: Option<String>,
    #[serde(default)]
    tools: Option<Vec<Map<String, Value>>>,
    #[serde(default)]
    tool_choice: Option<Choice>,
    #[serde(default)]
    parallel_tool_calls: Option<bool>,
    #[serde(default)]
    max_output_tokens: Option<u32>,
    #[serde(default)]
    temperature: Option<f64>,
    #[serde(default)]
    top_p: Option<f64>,
    #[serde(default)]
    text: Option<TextOptions>,
    #[serde(default)]
    reasoning: Option<Reasoning>,
    #[serde(default)]
    pub(super) store: Option<bool>,
    #[serde(default)]
    pub(super) stream: Option<bool>,
    #[serde(default)]
    pub(super) background: Option<bool>,
    /// The response that it goes on after.
    #[serde(default)]
    pub(super) previous_response_id: Option<String>,
    #[serde(default)]
    metadata: Option<Map<String, Value>>,
    #[serde(default)]
    prompt_cache_key: Option<String>,
    #[serde(default)]
    safety_identifier: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "a text or a list of items")]
enum Input {
    Text(String),
    Items(Vec<Value>),
}

#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "auto, none, required, or an object that names a function")]
enum Choice {
    Word(ChoiceWord),
    Other(ChoiceObject),
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ChoiceWord {
    Auto,
    None,
    Required,
}

#[derive(Debug, Deserialize)]
struct ChoiceObject {
    #[serde(default)]
    name: Option<String>,
}

#[derive(Debug, Deserialize)]
struct TextOptions {
    #[serde(default)]
    format: Option<Format>,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Format {
    Text,
    JsonObject,
    JsonSchema {
        #[serde(default)]
        name: Option<String>,
        #[serde(default)]
        schema: Option<Value>,
        #[serde(default)]
        strict: Option<bool>,
    },
}

#[derive(Debug, Deserialize)]
struct Reasoning {
    #[serde(default)]
    effort: Option<String>,
}

/// The content of a request.
pub(super) struct Asked {
    /// The messages.
    pub(super) messages: Vec<ChatMessage>,
    /// The way it is to be answered.
    pub(super) brief: Brief,
    /// Questions that it decides.
    pub(super) approvals: Vec<Approval>,
    /// The fields that its answer repeats.
    pub(super) repeated: Value,
    /// Its items, as they are listed.
    pub(super) items: Vec<Value>,
}

impl ResponseRequest {
    /// Reads all of it.
    ///
    /// # Errors
    ///
    /// If something in it is wrong: the field is named.
    pub(super) async fn read(self, images: &mut Images<'_>) -> Result<Asked> {
        let given = match self.input {
            None => Vec::new(),
            Some(Input::Text(text)) => vec![json!({"type": "message", "role": "user", "content": text})],
            Some(Input::Items(items)) => items,
        };
        let (mut said, mut items) = (Said::default(), Vec::with_capacity(given.len()));
        for (at, item) in given.into_iter().enumerate() {
            let field = format!("input[{at}]");
            items.push(listed(item.clone()));
            let item: Item = typed(item, &field)?;
            said.add(&field, item, images).await?;
        }
        let Said { mut instructions, messages, approvals } = said;
        let own = self.instructions.clone();
        instructions.splice(0..0, own.filter(|text| !text.trim().is_empty()));
        let given = self.tools.unwrap_or_default();
        let tools = given.iter().enumerate().filter_map(|(at, tool)| read_tool(at, tool).transpose());
        let tools = tools.collect::<Result<Vec<_>>>()?;
        let (effort, format) = (self.reasoning.and_then(|one| one.effort), self.text.and_then(|one| one.format));
        let options = RequestOptions {
            max_tokens: self.max_output_tokens,
            temperature: self.temperature,
            top_p: self.top_p,
            reasoning_effort: effort.clone(),
            format: format.and_then(Format::read),
            tool_choice: self.tool_choice.and_then(Choice::read),
            parallel_tool_calls: self.parallel_tool_calls,
            ..RequestOptions::default()
        };
        let previous = self.previous_response_id.filter(|id| !id.is_empty());
        let repeated = json!({
            "model": self.model,
            "background": self.background == Some(true),
            "instructions": self.instructions,
            "max_output_tokens": self.max_output_tokens,
            "metadata": self.metadata.unwrap_or_default(),
            "parallel_tool_calls": self.parallel_tool_calls.unwrap_or(true),
            "previous_response_id": previous,
            "reasoning": {"effort": effort, "summary": null},
            "store": self.store.unwrap_or(true),
            "temperature": self.temperature.unwrap_or(1.0),
            "text": {"format": format_of(options.format.as_ref())},
            "tool_choice": choice_of(options.tool_choice.as_ref()),
            "tools": given.into_iter().map(repeated_tool).collect::<Vec<_>>(),
            "top_p": self.top_p.unwrap_or(1.0),
            "truncation": "disabled",
            "frequency_penalty": 0,
            "presence_penalty": 0,
            "top_logprobs": 0,
            "max_tool_calls": null,
            "prompt_cache_key": self.prompt_cache_key,
            "safety_identifier": self.safety_identifier,
            "service_tier": "default",
        });
        let brief = Brief { instructions: instructions.join("\n\n"), tools, options };
        ensure_bounded(&brief)?;
        Ok(Asked { messages, brief, approvals, repeated, items })
    }
}

/// A tool of the program's own. What others run is passed over, as agents have tools of that kind: `None`.
fn read_tool(at: usize, tool: &Map<String, Value>) -> Result<Option<ToolDefinition>> {
    if tool.get("type").and_then(Value::as_str) != Some("function") {
        return Ok(None);
    }
    let field = format!("tools[{at}]");
    typed::<Function>(Value::Object(tool.clone()), &field)?.read(&field).map(Some)
}

/// A tool as an answer repeats it: with all the fields that the dialect has.
fn repeated_tool(mut tool: Map<String, Value>) -> Value {
    if tool.get("type").and_then(Value::as_str) == Some("function") {
        for field in ["description", "parameters", "strict"] {
            tool.entry(field).or_insert(Value::Null);
        }
    }
    Value::Object(tool)
}

/// An item as it is listed: with its type and an id.
fn listed(mut item: Value) -> Value {
    if let Some(fields) = item.as_object_mut() {
        let kind = fields.entry("type").or_insert_with(|| "message".into()).as_str().unwrap_or_default();
        let begin = if kind == "message" { "msg" } else { "item" };
        let id = format!("{begin}_{}", uuid::Uuid::now_v7().simple());
        fields.entry("id").or_insert_with(|| id.into());
        if let Some(Value::String(text)) = fields.get("content") {
            let kind =
                if fields.get("role").is_some_and(|role| role == "assistant") { "output_text" } else { "input_text" };
            let part = json!([{"type": kind, "text": text}]);
            fields.insert("content".to_owned(), part);
        }
    }
    item
}

fn format_of(format: Option<&AnswerFormat>) -> Value {
    match format {
        None => json!({"type": "text"}),
        Some(AnswerFormat::Object) => json!({"type": "json_object"}),
        Some(AnswerFormat::Schema { name, schema, strict }) => {
            json!({"type": "json_schema", "name": name, "schema": schema, "strict": strict})
        }
    }
}

fn choice_of(choice: Option<&ToolChoice>) -> Value {
    match choice {
        None | Some(ToolChoice::Auto) => json!("auto"),
        Some(ToolChoice::None) => json!("none"),
        Some(ToolChoice::Required) => json!("required"),
        Some(ToolChoice::Tool(name)) => json!({"type": "function", "name": name}),
    }
}

impl Choice {
    fn read(self) -> Option<ToolChoice> {
        match self {
            Self::Word(ChoiceWord::Auto) => Some(ToolChoice::Auto),
            Self::Word(ChoiceWord::None) => Some(ToolChoice::None),
            Self::Word(ChoiceWord::Required) => Some(ToolChoice::Required),
            Self::Other(ChoiceObject { name }) => name.map(ToolChoice::Tool),
        }
    }
}

impl Format {
    fn read(self) -> Option<AnswerFormat> {
        match self {
            Self::Text => None,
            Self::JsonObject => Some(AnswerFormat::Object),
            Self::JsonSchema { name, schema, strict } => {
                let (name, schema) = (name.unwrap_or_else(|| "answer".to_owned()), schema.unwrap_or_else(|| json!({})));
                Some(AnswerFormat::Schema { name, schema, strict })
            }
        }
    }
}
