//! The specification of a tool: everything a model, a form, a document or a policy needs to know of it.

use std::{borrow::Cow, fmt, time::Duration};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    json_schema::JsonSchema,
    llm::{ToolDefinition, estimate_tokens},
    wire,
};

/// The time a tool has unless it declares its own.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(9);

/// The effect running a tool can have; decides whether a person is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    /// Changes nothing. Never asks.
    Read,
    /// Changes little, and undoable. Never asks.
    LowWrite,
    /// Asks unless the caller holds `*`.
    HighWrite,
    /// Always asks.
    Destructive,
}

impl Risk {
    /// The word as it stands in rows and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::LowWrite => "low_write",
            Self::HighWrite => "high_write",
            Self::Destructive => "destructive",
        }
    }
}

/// The origin of a tool: the part of its id before the colon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Compiled in.
    Builtin,
    /// A Rhai script.
    Script,
    /// An MCP server.
    Mcp,
    /// An endpoint of a connected system.
    Catalog,
    /// A paired application.
    Interface,
}

impl Source {
    /// The word before the colon.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Builtin => "builtin",
            Self::Script => "script",
            Self::Mcp => "mcp",
            Self::Catalog => "catalog",
            Self::Interface => "interface",
        }
    }
}

/// The groups of the console's library; policies name them too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// Shaping what other tools returned.
    Data,
    /// Files of the workspace.
    Files,
    /// Commands and processes.
    Processes,
    /// A person's desktop: clipboard, launcher.
    Desktop,
    /// A person's memories and lists.
    Memory,
    /// The platform itself: audit, status.
    Operations,
    /// Tools that run tools, and agents.
    Agents,
    /// Search and documents.
    Knowledge,
    /// Connected systems and calls to them.
    Catalog,
    /// The web.
    Web,
    /// Images and speech.
    Media,
    /// Messages, gateways, other nodes.
    Outside,
}

/// One setting of a tool's configuration. Values live in the vault.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Setting {
    /// The key, as `PUT /api/tools/{name}/config` takes it.
    pub key: String,
    /// A description of what it is for, shown under the field.
    pub description: String,
    /// Secrets are write-only: answers show `***`.
    pub secret: bool,
    /// Without it the tool's status is `available`, not `connected`.
    pub required: bool,
    /// Used where nothing is stored.
    pub default: Option<String>,
}

/// One worked example: it is documentation and a test.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Example {
    /// A sentence on what it shows.
    pub title: String,
    /// Calls made before it, as (tool, arguments): the file to read, the item to check.
    #[serde(skip)]
    pub before: Vec<(String, Value)>,
    /// The arguments.
    pub arguments: Value,
    /// The value that comes back. Fields that are not named here may hold anything.
    pub result: Value,
}

/// Everything known of a tool. One place: schema, permission, risk and examples stand nowhere else.
#[derive(Debug, Clone, PartialEq)]
pub struct Spec {
    /// Unique within its source, snake case, no colon.
    pub name: String,
    /// The source it comes from.
    pub source: Source,
    /// A description of what it does: one or two sentences.
    pub description: String,
    /// A description of when to choose it: the situation, in a user's words.
    pub when_to_use: String,
    /// Group in the library and in policies.
    pub category: Category,
    /// JSON Schema (2020-12) of the arguments: an object that refuses unknown keys.
    pub parameters: JsonSchema,
    /// Least risk of a call; `Tool::risk_of` may raise it.
    pub risk: Risk,
    /// The permission it needs; `None` for tools on the caller's own data.
    pub permission: Option<Cow<'static, str>>,
    /// The longest a call may take.
    pub timeout: Duration,
    /// Configuration it takes.
    pub settings: Vec<Setting>,
    /// Worked examples, one at least.
    pub examples: Vec<Example>,
    /// Innate tools are always in the model's context.
    pub innate: bool,
    /// `true` if it changes nothing but what belongs to its caller alone, and so needs no permission.
    pub own_data: bool,
}

impl Spec {
    /// The fully qualified id, `source:name`.
    pub fn id(&self) -> String {
        format!("{}:{}", self.source.as_str(), self.name)
    }

    /// The name that models call it by. Built-in tools go by their bare names, which no other tool may take: models know some
    /// of them.
    pub fn wire_name(&self) -> String {
        if self.source == Source::Builtin { self.name.clone() } else { wire::name(&self.id()) }
    }

    /// The tool as a model sees it.
    pub fn tool_definition(&self) -> ToolDefinition {
        let description = format!("{} {}", self.description, self.when_to_use).trim().to_owned();
        ToolDefinition { name: self.wire_name(), description, parameters: self.parameters.document() }
    }

    /// The cost of its definition in a model's context, in tokens, estimated. It writes the schema out: a tool keeps its own.
    pub fn tokens(&self) -> u64 {
        let ToolDefinition { name, description, parameters } = self.tool_definition();
        estimate_tokens(&name) + estimate_tokens(&description) + estimate_tokens(&parameters.to_string())
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.source.as_str(), self.name)
    }
}

/// The availability of a tool now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Needs no configuration.
    System,
    /// A required setting is missing.
    Available,
    /// All set.
    Connected,
    /// Switched off.
    Disabled,
    /// Cannot work here; the description says why.
    Error,
}
