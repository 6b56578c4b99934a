//! The items of a request for a response.

use serde::Deserialize;
use serde_json::Value;

use super::super::{
    images::{Images, wrong},
    tools::{add_result, add_run, read_arguments},
};
use satchel_model::{
    call::TicketId,
    error::Result,
    id::shorten,
    llm::{ChatMessage, Image, ToolCall, ToolResult},
};

/// An item. What it has besides is not looked at.
#[derive(Debug, Deserialize)]
pub(super) struct Item {
    #[serde(rename = "type", default)]
    kind: Option<String>,
    #[serde(default)]
    role: Option<Role>,
    #[serde(default)]
    content: Option<Content>,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    call_id: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    arguments: Option<String>,
    #[serde(default)]
    input: Option<String>,
    #[serde(default)]
    output: Option<Value>,
    #[serde(default)]
    error: Option<Value>,
    #[serde(default)]
    approval_request_id: Option<String>,
    #[serde(default)]
    approve: Option<bool>,
    #[serde(default)]
    reason: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Role {
    User,
    Assistant,
    System,
    Developer,
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
    image_url: Option<String>,
}

/// The decision of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Approval {
    /// The question.
    pub(super) ticket: TicketId,
    /// `true` if it is approved.
    pub(super) approve: bool,
    /// The reason against it.
    pub(super) reason: Option<String>,
}

/// The content of the items.
#[derive(Debug, Default)]
pub(super) struct Said {
    pub(super) instructions: Vec<String>,
    pub(super) messages: Vec<ChatMessage>,
    pub(super) approvals: Vec<Approval>,
}

impl Said {
    /// Adds an item.
    ///
    /// # Errors
    ///
    /// If it is none that can be read.
    pub(super) async fn add(&mut self, field: &str, item: Item, images: &mut Images<'_>) -> Result<()> {
        let missing = |name: &str| wrong(&format!("{field}.{name}"), "it is missing");
        match item.kind.as_deref().unwrap_or("message") {
            "message" => {
                let role = item.role.ok_or_else(|| missing("role"))?;
                let content = item.content.ok_or_else(|| missing("content"))?;
                let (text, pictures) = content.read(field, images).await?;
                match role {
                    Role::System | Role::Developer => {
                        self.instructions.extend(Some(text).filter(|text| !text.trim().is_empty()));
                    }
                    Role::User => self.messages.push(ChatMessage::User { text, images: pictures }),
                    Role::Assistant => self.messages.push(ChatMessage::Assistant { text, calls: Vec::new() }),
                }
            }
            "function_call" | "custom_tool_call" => {
                let id = item.call_id.ok_or_else(|| missing("call_id"))?;
                let name = item.name.ok_or_else(|| missing("name"))?;
                let arguments = read_arguments(&item.arguments.or(item.input).unwrap_or_default());
                self.call(ToolCall { id, name, arguments, malformed: None });
            }
            "function_call_output" | "custom_tool_call_output" => {
                let call = item.call_id.ok_or_else(|| missing("call_id"))?;
                let text = text_of(item.output.as_ref());
                add_result(&mut self.messages, ToolResult { call, name: String::new(), text, failed: false });
            }
            "mcp_call" => self.run(field, item)?,
            "mcp_approval_response" => {
                let ticket = item.approval_request_id.ok_or_else(|| missing("approval_request_id"))?;
                let ticket = ticket.parse().map_err(|_| wrong(field, "there is no such approval request"))?;
                let approve = item.approve.ok_or_else(|| missing("approve"))?;
                self.approvals.push(Approval { ticket, approve, reason: item.reason });
            }
            // What the model thought, and what was listed or asked, stands where it was said.
            "reasoning" | "mcp_list_tools" | "mcp_approval_request" | "item_reference" | "compaction" => {}
            kind => {
                let told = format!("items of the type '{}' are not taken here", shorten(kind));
                return Err(wrong(&format!("{field}.type"), &told));
            }
        }
        Ok(())
    }

    /// Adds a call to the message before it, if that is the model's.
    fn call(&mut self, call: ToolCall) {
        match self.messages.last_mut() {
            Some(ChatMessage::Assistant { calls, .. }) => calls.push(call),
            _ => self.messages.push(ChatMessage::Assistant { text: String::new(), calls: vec![call] }),
        }
    }

    /// Adds a call that was run here.
    fn run(&mut self, field: &str, item: Item) -> Result<()> {
        let missing = |name: &str| wrong(&format!("{field}.{name}"), "it is missing");
        let (id, name) = (item.id.ok_or_else(|| missing("id"))?, item.name.ok_or_else(|| missing("name"))?);
        let failed = item.error.as_ref().is_some_and(|error| !error.is_null());
        let text = text_of(item.output.as_ref().filter(|output| !output.is_null()).or(item.error.as_ref()));
        let result = ToolResult { call: id.clone(), name: name.clone(), text, failed };
        let arguments = read_arguments(&item.arguments.unwrap_or_default());
        add_run(&mut self.messages, (vec![ToolCall { id, name, arguments, malformed: None }], vec![result]));
        Ok(())
    }
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
                ("input_text" | "output_text" | "text" | "refusal", Some(text), _) => texts.push(text),
                ("input_image", _, Some(url)) => {
                    pictures.push(images.at(&url, &format!("{field}.image_url")).await?);
                }
                (kind, ..) => {
                    let told = format!("a part is an input_text or an input_image, this one is '{}'", shorten(kind));
                    return Err(wrong(&field, &told));
                }
            }
        }
        Ok((texts.join("\n"), pictures))
    }
}

/// The texts of a tool's result.
fn text_of(output: Option<&Value>) -> String {
    match output {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            let texts = parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str));
            texts.collect::<Vec<_>>().join("\n")
        }
        Some(other) => other.to_string(),
    }
}
