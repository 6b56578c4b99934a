//! A request for a chat completion, as OpenAI's clients send it.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::super::{
    images::{Images, wrong},
    tools::{Function, add_result, ensure_bounded, read_arguments, typed},
};
use satchel_model::{
    error::Result,
    llm::{
        ChatMessage, Image, ToolCall, ToolDefinition, ToolResult,
        options::{AnswerFormat, Brief, RequestOptions, ToolChoice},
    },
};

/// A request for a chat completion. What it has besides is not looked at.
#[derive(Debug, Deserialize)]
pub(super) struct Completion {
    /// The model.
    pub(super) model: String,
    /// Whoever asks the program.
    #[serde(default)]
    pub(super) user: Option<String>,
    messages: Vec<Message>,
    #[serde(default)]
    pub(super) stream: Option<bool>,
    #[serde(default)]
    pub(super) stream_options: Option<StreamOptions>,
    #[serde(default)]
    tools: Option<Vec<Map<String, Value>>>,
    #[serde(default)]
    tool_choice: Option<Value>,
    #[serde(default)]
    parallel_tool_calls: Option<bool>,
    #[serde(default)]
    max_tokens: Option<u32>,
    #[serde(default)]
    max_completion_tokens: Option<u32>,
    #[serde(default)]
    temperature: Option<f64>,
    #[serde(default)]
    top_p: Option<f64>,
    #[serde(default)]
    stop: Option<OneOrMore>,
    #[serde(default)]
    seed: Option<i64>,
    #[serde(default)]
    n: Option<u32>,
    #[serde(default)]
    response_format: Option<Map<String, Value>>,
    #[serde(default)]
    reasoning_effort: Option<String>,
}

/// Options of a stream.
#[derive(Debug, Default, Deserialize)]
pub(super) struct StreamOptions {
    /// `true` if it ends with what the answer took.
    #[serde(default)]
    pub(super) include_usage: Option<bool>,
    /// `true` if text tells which tools are at work.
    #[serde(default)]
    pub(super) include_tool_events: Option<bool>,
}

#[derive(Debug, Deserialize)]
struct Message {
    role: Role,
    #[serde(default)]
    content: Option<Content>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    tool_calls: Option<Vec<Call>>,
    #[serde(default)]
    tool_call_id: Option<String>,
}

#[derive(Debug, Deserialize, PartialEq, Eq, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum Role {
    System,
    Developer,
    User,
    Assistant,
    Tool,
    Function,
}

#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "a text or a list of parts")]
enum Content {
    Text(String),
    Parts(Vec<Part>),
}

#[derive(Debug, Deserialize)]
struct Part {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    refusal: Option<String>,
    #[serde(default)]
    image_url: Option<ImageUrl>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "an object with the picture's url")]
enum ImageUrl {
    Object { url: String },
    Text(String),
}

#[derive(Debug, Deserialize)]
struct Call {
    id: String,
    function: CalledFunction,
}

#[derive(Debug, Deserialize)]
struct CalledFunction {
    name: String,
    #[serde(default)]
    arguments: String,
}

#[derive(Debug, Deserialize)]
struct Tool {
    #[serde(rename = "type", default)]
    kind: Option<String>,
    #[serde(default)]
    function: Option<Function>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "auto, none, required, or an object that names a function")]
enum Choice {
    Word(ChoiceWord),
    Named { function: Named },
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ChoiceWord {
    Auto,
    None,
    Required,
}

#[derive(Debug, Deserialize)]
struct Named {
    name: String,
}

#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "a text or a list of texts")]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Format {
    Text,
    JsonObject,
    JsonSchema { json_schema: JsonSchema },
}

#[derive(Debug, Deserialize)]
struct JsonSchema {
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    schema: Option<Value>,
    #[serde(default)]
    strict: Option<bool>,
}

impl Completion {
    /// The messages, and the way they are to be answered.
    ///
    /// # Errors
    ///
    /// If something in it is wrong: the field is named.
    pub(super) async fn read(self, images: &mut Images<'_>) -> Result<(Vec<ChatMessage>, Brief)> {
        if self.n.is_some_and(|n| n != 1) {
            return Err(wrong("n", "one answer is given to a request: leave it out, or write 1"));
        }
        let tools = self.tools.unwrap_or_default().into_iter().enumerate();
        let tools = tools.map(|(at, tool)| Tool::read(tool, at)).collect::<Result<Vec<_>>>()?;
        let format: Option<Format> =
            self.response_format.map(|format| typed(Value::Object(format), "response_format")).transpose()?;
        let choice: Option<Choice> = self.tool_choice.map(|choice| typed(choice, "tool_choice")).transpose()?;
        let options = RequestOptions {
            max_tokens: self.max_completion_tokens.or(self.max_tokens),
            temperature: self.temperature,
            top_p: self.top_p,
            stop: match self.stop {
                None => Vec::new(),
                Some(OneOrMore::One(one)) => vec![one],
                Some(OneOrMore::More(more)) => more,
            },
            seed: self.seed,
            reasoning_effort: self.reasoning_effort,
            format: format.and_then(Format::read),
            tool_choice: choice.map(Choice::read),
            parallel_tool_calls: self.parallel_tool_calls,
        };
        let (instructions, messages) = read_messages(self.messages, images).await?;
        let brief = Brief { instructions, tools, options };
        ensure_bounded(&brief)?;
        Ok((messages, brief))
    }
}

async fn read_messages(given: Vec<Message>, images: &mut Images<'_>) -> Result<(String, Vec<ChatMessage>)> {
    let (mut instructions, mut messages): (Vec<String>, Vec<ChatMessage>) = (Vec::new(), Vec::new());
    for (at, Message { role, content, name, tool_calls, tool_call_id }) in given.into_iter().enumerate() {
        let field = format!("messages[{at}]");
        let (text, pictures) = match content {
            None => (String::new(), Vec::new()),
            Some(content) => content.read(&field, images).await?,
        };
        match role {
            Role::System | Role::Developer => instructions.push(text),
            Role::User => messages.push(ChatMessage::User { text, images: pictures }),
            Role::Assistant => {
                let calls = tool_calls.unwrap_or_default().into_iter().map(Call::read).collect();
                messages.push(ChatMessage::Assistant { text, calls });
            }
            Role::Tool | Role::Function => {
                let call = tool_call_id.ok_or_else(|| wrong(&format!("{field}.tool_call_id"), "it is missing"))?;
                add_result(&mut messages, ToolResult { call, name: name.unwrap_or_default(), text, failed: false });
            }
        }
    }
    instructions.retain(|text| !text.trim().is_empty());
    Ok((instructions.join("\n\n"), messages))
}

impl Content {
    async fn read(self, field: &str, images: &mut Images<'_>) -> Result<(String, Vec<Image>)> {
        let parts = match self {
            Self::Text(text) => return Ok((text, Vec::new())),
            Self::Parts(parts) => parts,
        };
        let (mut texts, mut pictures) = (Vec::new(), Vec::new());
        for (at, part) in parts.into_iter().enumerate() {
            let field = format!("{field}.content[{at}]");
            match (part.kind.as_str(), part.text.or(part.refusal), part.image_url) {
                ("text" | "input_text" | "output_text" | "refusal", Some(text), _) => texts.push(text),
                ("image_url", _, Some(ImageUrl::Object { url } | ImageUrl::Text(url))) => {
                    pictures.push(images.at(&url, &format!("{field}.image_url")).await?);
                }
                (kind, ..) => {
                    let kind = satchel_model::id::shorten(kind);
                    return Err(wrong(&field, &format!("a part is a text or an image_url, this one is '{kind}'")));
                }
            }
        }
        Ok((texts.join("\n"), pictures))
    }
}

impl Call {
    fn read(self) -> ToolCall {
        let Self { id, function: CalledFunction { name, arguments } } = self;
        ToolCall { id, name, arguments: read_arguments(&arguments), malformed: None }
    }
}

impl Tool {
    fn read(given: Map<String, Value>, at: usize) -> Result<ToolDefinition> {
        let field = format!("tools[{at}]");
        match typed(Value::Object(given), &field)? {
            Self { kind: None, function: Some(function) } => function.read(&field),
            Self { kind: Some(kind), function: Some(function) } if kind == "function" => function.read(&field),
            Self { kind, .. } => {
                let kind = kind.unwrap_or_default();
                let kind = satchel_model::id::shorten(&kind);
                Err(wrong(&field, &format!("only tools of the type function are taken here, this one is '{kind}'")))
            }
        }
    }
}

impl Choice {
    fn read(self) -> ToolChoice {
        match self {
            Self::Word(ChoiceWord::Auto) => ToolChoice::Auto,
            Self::Word(ChoiceWord::None) => ToolChoice::None,
            Self::Word(ChoiceWord::Required) => ToolChoice::Required,
            Self::Named { function: Named { name } } => ToolChoice::Tool(name),
        }
    }
}

impl Format {
    fn read(self) -> Option<AnswerFormat> {
        match self {
            Self::Text => None,
            Self::JsonObject => Some(AnswerFormat::Object),
            Self::JsonSchema { json_schema: JsonSchema { name, schema, strict } } => Some(AnswerFormat::Schema {
                name: name.unwrap_or_else(|| "answer".to_owned()),
                schema: schema.unwrap_or_else(|| json!({})),
                strict,
            }),
        }
    }
}
