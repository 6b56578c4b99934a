//! A request for a message, as Anthropic's clients send it.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::super::{
    images::{Images, picture, wrong},
    tools::{Function, add_result, add_run, ensure_bounded, typed},
};
use satchel_model::{
    error::Result,
    id::shorten,
    llm::{
        ChatMessage, Image, ToolCall, ToolDefinition, ToolResult,
        options::{AnswerFormat, Brief, RequestOptions, ToolChoice},
    },
};

/// A request for a message. What it has besides is not looked at.
#[derive(Debug, Deserialize)]
pub(super) struct MessageRequest {
    /// The model.
    pub(super) model: String,
    messages: Vec<Message>,
    #[serde(default)]
    metadata: Option<Metadata>,
    #[serde(default)]
    system: Option<Content>,
    /// Most tokens of the answer; needed where one is asked for.
    #[serde(default)]
    pub(super) max_tokens: Option<u32>,
    #[serde(default)]
    pub(super) stream: Option<bool>,
    #[serde(default)]
    tools: Option<Vec<Map<String, Value>>>,
    #[serde(default)]
    tool_choice: Option<Choice>,
    #[serde(default)]
    temperature: Option<f64>,
    #[serde(default)]
    top_p: Option<f64>,
    #[serde(default)]
    stop_sequences: Option<Vec<String>>,
    #[serde(default)]
    output_config: Option<OutputConfig>,
}

#[derive(Debug, Deserialize)]
struct Metadata {
    #[serde(default)]
    user_id: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Message {
    role: Role,
    content: Content,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Role {
    User,
    Assistant,
    System,
}

#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "a text or a list of blocks")]
enum Content {
    Text(String),
    Blocks(Vec<Block>),
}

#[derive(Debug, Deserialize)]
struct Block {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    source: Option<Source>,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    input: Option<Value>,
    #[serde(default)]
    tool_use_id: Option<String>,
    #[serde(default)]
    content: Option<Value>,
    #[serde(default)]
    is_error: Option<bool>,
}

#[derive(Debug, Deserialize)]
struct Source {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    media_type: Option<String>,
    #[serde(default)]
    data: Option<String>,
    #[serde(default)]
    url: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Tool {
    #[serde(rename = "type", default)]
    kind: Option<String>,
    #[serde(flatten)]
    function: Function,
}

#[derive(Debug, Deserialize)]
struct Choice {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    disable_parallel_tool_use: Option<bool>,
}

#[derive(Debug, Deserialize)]
struct OutputConfig {
    #[serde(default)]
    effort: Option<String>,
    #[serde(default)]
    format: Option<OutputFormat>,
}

#[derive(Debug, Deserialize)]
struct OutputFormat {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    schema: Option<Value>,
}

/// The content of a message, block by block.
#[derive(Debug, Default)]
struct Held {
    texts: Vec<String>,
    images: Vec<Image>,
    calls: Vec<ToolCall>,
    results: Vec<ToolResult>,
    /// Calls that were run here, and what came of them.
    run: Vec<ToolCall>,
    came: Vec<ToolResult>,
}

impl MessageRequest {
    /// Whoever asks the program.
    pub(super) fn user(&self) -> Option<String> {
        self.metadata.as_ref().and_then(|metadata| metadata.user_id.clone())
    }

    /// The messages, and the way they are to be answered.
    ///
    /// # Errors
    ///
    /// If something in it is wrong: the field is named.
    pub(super) async fn read(self, images: &mut Images<'_>) -> Result<(Vec<ChatMessage>, Brief)> {
        let mut instructions = Vec::new();
        if let Some(system) = self.system {
            instructions.extend(system.read("system", images).await?.texts);
        }
        let mut messages = Vec::new();
        for (at, Message { role, content }) in self.messages.into_iter().enumerate() {
            let held = content.read(&format!("messages[{at}]"), images).await?;
            let text = held.texts.join("\n");
            match role {
                Role::System => instructions.push(text),
                Role::Assistant => {
                    add_run(&mut messages, (held.run, held.came));
                    messages.push(ChatMessage::Assistant { text, calls: held.calls });
                }
                Role::User => {
                    let has_results = !held.results.is_empty();
                    held.results.into_iter().for_each(|result| add_result(&mut messages, result));
                    if !has_results || !text.trim().is_empty() || !held.images.is_empty() {
                        messages.push(ChatMessage::User { text, images: held.images });
                    }
                }
            }
        }
        instructions.retain(|text| !text.trim().is_empty());
        let tools = self.tools.unwrap_or_default().into_iter().enumerate();
        let tools = tools.map(|(at, tool)| Tool::read(tool, at)).collect::<Result<Vec<_>>>()?;
        let one_at_a_time = self.tool_choice.as_ref().and_then(|choice| choice.disable_parallel_tool_use);
        let (effort, format) = self.output_config.map_or((None, None), |config| (config.effort, config.format));
        let options = RequestOptions {
            max_tokens: self.max_tokens,
            temperature: self.temperature,
            top_p: self.top_p,
            stop: self.stop_sequences.unwrap_or_default(),
            reasoning_effort: effort,
            format: format.and_then(OutputFormat::read),
            tool_choice: self.tool_choice.map(Choice::read).transpose()?,
            parallel_tool_calls: one_at_a_time.map(|one| !one),
            seed: None,
        };
        let brief = Brief { instructions: instructions.join("\n\n"), tools, options };
        ensure_bounded(&brief)?;
        Ok((messages, brief))
    }
}

impl Content {
    async fn read(self, field: &str, images: &mut Images<'_>) -> Result<Held> {
        let blocks = match self {
            Self::Text(text) => return Ok(Held { texts: vec![text], ..Held::default() }),
            Self::Blocks(blocks) => blocks,
        };
        let mut held = Held::default();
        for (at, block) in blocks.into_iter().enumerate() {
            block.read(&format!("{field}.content[{at}]"), (&mut held, images)).await?;
        }
        Ok(held)
    }
}

impl Block {
    async fn read(self, field: &str, (held, images): (&mut Held, &mut Images<'_>)) -> Result<()> {
        let missing = |name: &str| wrong(&format!("{field}.{name}"), "it is missing");
        match self.kind.as_str() {
            "text" => held.texts.push(self.text.ok_or_else(|| missing("text"))?),
            "image" => {
                let source = self.source.ok_or_else(|| missing("source"))?;
                held.images.push(source.read(&format!("{field}.source"), images).await?);
            }
            "tool_use" | "mcp_tool_use" => {
                let is_run = self.kind != "tool_use";
                let (id, name) = (self.id.ok_or_else(|| missing("id"))?, self.name.ok_or_else(|| missing("name"))?);
                let arguments = self.input.unwrap_or_default();
                let calls = if is_run { &mut held.run } else { &mut held.calls };
                calls.push(ToolCall { id, name, arguments, malformed: None });
            }
            "tool_result" | "mcp_tool_result" => {
                let is_run = self.kind != "tool_result";
                let call = self.tool_use_id.ok_or_else(|| missing("tool_use_id"))?;
                let (text, failed) = (text_of(self.content.as_ref()), self.is_error == Some(true));
                let results = if is_run { &mut held.came } else { &mut held.results };
                results.push(ToolResult { call, name: String::new(), text, failed });
            }
            // What the model thought stands where it was said.
            "thinking" | "redacted_thinking" => {}
            kind => {
                let told = format!(
                    "a block is a text, an image, a tool_use or a tool_result, this one is '{}'",
                    shorten(kind)
                );
                return Err(wrong(field, &told));
            }
        }
        Ok(())
    }
}

/// The texts of a tool's result.
fn text_of(content: Option<&Value>) -> String {
    match content {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(blocks)) => {
            let text = |block: &Value| match block.get("text").and_then(Value::as_str) {
                Some(text) => text.to_owned(),
                None => format!("({})", block.get("type").and_then(Value::as_str).unwrap_or("something else")),
            };
            blocks.iter().map(text).collect::<Vec<_>>().join("\n")
        }
        Some(other) => other.to_string(),
    }
}

impl Source {
    async fn read(self, field: &str, images: &mut Images<'_>) -> Result<Image> {
        match self {
            Self { kind, media_type: Some(mime), data: Some(data), .. } if kind == "base64" => {
                picture(&mime, &data, &format!("{field}.data"))
            }
            Self { kind, url: Some(url), .. } if kind == "url" => images.at(&url, &format!("{field}.url")).await,
            _ => Err(wrong(field, "a picture is of the type base64, with media_type and data, or url")),
        }
    }
}

impl Tool {
    fn read(given: Map<String, Value>, at: usize) -> Result<ToolDefinition> {
        let field = format!("tools[{at}]");
        let tool: Self = typed(Value::Object(given), &field)?;
        match tool.kind.as_deref() {
            None | Some("custom") => tool.function.read(&field),
            Some(kind) => {
                let told = format!(
                    "'{}' is run by its provider, not here: leave it out, or ask the provider's model",
                    shorten(kind)
                );
                Err(wrong(&field, &told))
            }
        }
    }
}

impl Choice {
    fn read(self) -> Result<ToolChoice> {
        match (self.kind.as_str(), self.name) {
            ("auto", _) => Ok(ToolChoice::Auto),
            ("none", _) => Ok(ToolChoice::None),
            ("any", _) => Ok(ToolChoice::Required),
            ("tool", Some(name)) => Ok(ToolChoice::Tool(name)),
            _ => Err(wrong("tool_choice", "it is of the type auto, any, none, or tool with a name")),
        }
    }
}

impl OutputFormat {
    fn read(self) -> Option<AnswerFormat> {
        let schema = self.schema.filter(|_| self.kind == "json_schema")?;
        Some(AnswerFormat::Schema { name: "answer".to_owned(), schema, strict: None })
    }
}
