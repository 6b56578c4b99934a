//! The memories of a person.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    conversation::{ConversationId, MessageId},
    error::{Error, Result},
    id::{Id, Noun},
    origin::Origin,
    time::Time,
};

/// A memory's id.
pub type MemoryId = Id<Memory>;

/// Longest memory, in characters.
pub const MAX_CONTENT: usize = 4_000;
/// Longest category or key, in characters.
pub const MAX_NAME: usize = 100;

/// The kind of a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// Something that holds: a preference, a fact, a way of working.
    #[default]
    Fact,
    /// The gist of something that was talked about.
    Gist,
    /// Something that happened.
    Episode,
}

impl Layer {
    /// All layers.
    pub const ALL: [Self; 3] = [Self::Fact, Self::Gist, Self::Episode];

    /// Most memories one person has in this layer; beyond it the weakest makes room.
    pub fn most(self) -> usize {
        match self {
            Self::Fact => 3_000,
            Self::Gist => 1_000,
            Self::Episode => 500,
        }
    }

    /// The word as it stands in rows and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fact => "fact",
            Self::Gist => "gist",
            Self::Episode => "episode",
        }
    }
}

/// One memory. It belongs to one person and nobody else reads it, administrators included.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Memory {
    /// Stable id.
    #[schema(value_type = String, format = "uuid")]
    pub id: MemoryId,
    /// The kind.
    pub layer: Layer,
    /// `general`, `preference`, `fact`, `workflow`, or the person's own word.
    pub category: String,
    /// The text that is remembered.
    pub content: String,
    /// A short name, unique among the person's memories, made from the content where none was given.
    pub key: String,
    /// The time at which it was first remembered.
    pub created_at: Time,
    /// The time at which it was last said again or changed.
    pub updated_at: Time,
    /// The conversation it comes from.
    #[schema(value_type = Option<String>, format = "uuid")]
    pub source_conversation: Option<ConversationId>,
    /// The message it comes from: what the person had said last.
    #[schema(value_type = Option<String>, format = "uuid")]
    pub source_message: Option<MessageId>,
    /// The strength with which it is still held, above 0 and at most 1; it fades with age and firms up with each
    /// recall.
    pub strength: f64,
    /// The number of times it was called back.
    pub recalls: u32,
    /// Other wordings of the same that were merged into it, the latest first.
    pub merged_from: Vec<Wording>,
    /// The wordings before it was corrected, the latest first.
    pub history: Vec<Wording>,
    /// Origin of content from outside that was near when it, or a wording of it, was said; `None` if there was
    /// none, or the person has vouched for it.
    pub origin: Option<Origin>,
}

/// An earlier wording of a memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Wording {
    /// The text of that wording.
    pub content: String,
    /// The time at which that was said.
    pub said_at: Time,
}

/// The meaning of a text, as a model of meaning has it.
#[derive(Debug, Clone, PartialEq)]
pub struct Vector {
    /// The model's id: vectors of two models are not compared.
    pub model: String,
    /// Its direction, of length 1.
    pub values: Vec<f32>,
}

impl Noun for Memory {
    const NAME: &'static str = "memory";
}

/// A memory and how well it answers a query, 0 to 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Match {
    /// The memory.
    pub memory: Memory,
    /// 1 is the same words, 0 none in common.
    pub score: f64,
}

/// Something to remember, checked: not empty, not too long.
#[derive(Debug, Clone)]
pub struct NewMemory {
    layer: Layer,
    category: String,
    content: String,
    key: Option<String>,
    vector: Option<Vector>,
    origin: Option<Origin>,
}

impl NewMemory {
    /// Makes a memory.
    ///
    /// # Errors
    ///
    /// If the content is empty or longer than [`MAX_CONTENT`].
    pub fn new(content: &str, layer: Layer) -> Result<Self> {
        let content = checked_content(content)?;
        Ok(Self { layer, category: "general".to_owned(), content, key: None, vector: None, origin: None })
    }

    /// Adds what it means; none leaves it to be found by its words.
    #[must_use]
    pub fn with_vector(mut self, vector: Option<Vector>) -> Self {
        self.vector = vector;
        self
    }

    /// Adds where content from outside came from that is near where it is said.
    #[must_use]
    pub fn with_origin(mut self, origin: Option<Origin>) -> Self {
        self.origin = origin;
        self
    }

    /// Sets the category; none leaves `general`.
    pub fn with_category(mut self, category: Option<&str>) -> Result<Self> {
        if let Some(category) = category {
            self.category = checked_name(category, "category")?;
        }
        Ok(self)
    }

    /// Sets the key; none has one made from the content.
    pub fn with_key(mut self, key: Option<&str>) -> Result<Self> {
        self.key = key.map(|key| checked_name(key, "key")).transpose()?;
        Ok(self)
    }

    /// Returns its kind.
    pub fn layer(&self) -> Layer {
        self.layer
    }

    /// Its category.
    pub fn category(&self) -> &str {
        &self.category
    }

    /// Returns the text to be remembered.
    pub fn content(&self) -> &str {
        &self.content
    }

    /// The key that was given.
    pub fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }

    /// Origin of content from outside that is near where it is said.
    pub fn origin(&self) -> Option<&Origin> {
        self.origin.as_ref()
    }

    /// Returns its meaning, where a model said.
    pub fn vector(&self) -> Option<&Vector> {
        self.vector.as_ref()
    }
}

/// A change of a memory; what is `None` stays.
#[derive(Debug, Clone, Default)]
pub struct MemoryChange {
    /// Its kind.
    pub layer: Option<Layer>,
    /// Its category.
    pub category: Option<String>,
    /// The text that is remembered.
    pub content: Option<String>,
    /// Its key.
    pub key: Option<String>,
    /// The meaning of the new content.
    pub vector: Option<Vector>,
    /// The origin of what changes, if from outside.
    pub origin: Option<Origin>,
}

impl MemoryChange {
    /// Returns the change with its texts checked.
    ///
    /// # Errors
    ///
    /// If a text is empty or too long.
    pub fn checked(self) -> Result<Self> {
        Ok(Self {
            layer: self.layer,
            category: self.category.map(|c| checked_name(&c, "category")).transpose()?,
            content: self.content.map(|c| checked_content(&c)).transpose()?,
            key: self.key.map(|k| checked_name(&k, "key")).transpose()?,
            vector: self.vector,
            origin: self.origin,
        })
    }
}

fn checked_content(text: &str) -> Result<String> {
    let text = text.trim();
    let length = text.chars().count();
    if text.is_empty() {
        return Err(Error::invalid("There is nothing to remember: 'content' is empty."));
    }
    if length > MAX_CONTENT {
        return Err(Error::invalid(format!(
            "A memory has at most {MAX_CONTENT} characters, this one has {length}: keep what matters, or save it as a file."
        )));
    }
    Ok(text.to_owned())
}

fn checked_name(text: &str, what: &str) -> Result<String> {
    let text = text.trim();
    if text.is_empty() || text.chars().count() > MAX_NAME || text.chars().any(char::is_control) {
        return Err(Error::invalid(format!("The {what} is 1 to {MAX_NAME} characters on one line.")));
    }
    Ok(text.to_owned())
}
