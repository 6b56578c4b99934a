//! The graph: things, and how they are related.

use serde::Serialize;
use serde_json::{Map, Value};

use super::{
    author::Author,
    error::{Error, Result},
    origin::Origin,
    time::Time,
    user::UserId,
};

/// Longest id or relation, in characters.
pub const MAX_NAME: usize = 500;
/// Most labels of a node.
pub const MAX_LABELS: usize = 20;
/// Longest properties, as JSON in bytes.
pub const MAX_PROPS: usize = 64 << 10;
/// Farthest a neighbourhood reaches.
pub const MAX_DEPTH: u8 = 4;

/// A thing.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
#[schema(as = GraphNode)]
pub struct Node {
    /// Its id; no other has it.
    pub id: String,
    /// The name: its property `name` or `title`, else its id.
    pub name: String,
    /// The kinds of thing it is.
    pub labels: Vec<String>,
    /// The properties that are known of it.
    #[schema(value_type = Object)]
    pub props: Map<String, Value>,
    /// The number of edges, in and out, that the caller may see.
    pub degree: u64,
    /// The documents that speak of it, by id, as far as the caller may see them.
    pub documents: Vec<String>,
    /// The time at which it was first put here.
    pub created_at: Time,
    /// The time of its last change.
    pub updated_at: Time,
    /// Origin of content from outside that was near when it was put.
    pub origin: Option<Origin>,
    /// The person who put it, if one did.
    #[serde(skip)]
    pub author: Option<Author>,
}

/// A relation from one thing to another.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
#[schema(as = GraphEdge)]
pub struct Edge {
    /// The id it comes from.
    pub src: String,
    /// The name of the relation.
    pub rel: String,
    /// The id it goes to.
    pub dst: String,
    /// The properties that are known of it.
    #[schema(value_type = Object)]
    pub props: Map<String, Value>,
    /// Origin of content from outside that was near when it was put.
    pub origin: Option<Origin>,
}

/// Target of an edge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Neighbor {
    /// The node's id.
    pub id: String,
    /// `true` if it, or an edge to it, was found in a document.
    pub found: bool,
    /// Origin of content from outside that was near when it, or an edge to it, was put.
    pub origin: Option<Origin>,
    /// The person who put it and the edge to it, if one did.
    pub author: Option<Author>,
}

/// A part of the graph.
#[derive(Debug, Clone, Default, PartialEq, Serialize, utoipa::ToSchema)]
#[schema(as = GraphPart)]
pub struct Part {
    /// Its nodes; of a neighbourhood the one in the middle comes first, then the near ones.
    pub nodes: Vec<Node>,
    /// The edges between them.
    pub edges: Vec<Edge>,
    /// `true` if there is more that was left out.
    pub truncated: bool,
}

/// The number of things of a kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[schema(as = GraphCount)]
pub struct Count {
    /// The label or relation.
    pub name: String,
    /// The number.
    pub count: u64,
}

/// The graph at a glance.
#[derive(Debug, Clone, Default, PartialEq, Serialize, utoipa::ToSchema)]
#[schema(as = GraphOverview)]
pub struct Overview {
    /// The number of nodes the caller may see.
    pub nodes: u64,
    /// The number of edges.
    pub edges: u64,
    /// Kinds of nodes, the most frequent first.
    pub labels: Vec<Count>,
    /// Kinds of edges, the most frequent first.
    pub relations: Vec<Count>,
    /// The nodes with the most edges, and the edges between them.
    pub hubs: Part,
}

/// A node to be put, checked. What is none stays as it is.
#[derive(Debug, Clone)]
pub struct NewNode {
    id: String,
    labels: Option<Vec<String>>,
    props: Option<Map<String, Value>>,
    origin: Option<Origin>,
    author: Option<UserId>,
}

impl NewNode {
    /// Makes a node.
    ///
    /// # Errors
    ///
    /// If a text is empty or too long.
    pub fn new(id: &str, labels: Option<Vec<String>>, props: Option<Map<String, Value>>) -> Result<Self> {
        let id = checked(id, "id")?;
        let labels = labels.map(checked_labels).transpose()?;
        props.as_ref().map_or(Ok(()), check_props)?;
        Ok(Self { id, labels, props, origin: None, author: None })
    }

    /// Adds where content from outside came from that is near.
    #[must_use]
    pub fn with_origin(self, origin: Option<Origin>) -> Self {
        Self { origin, ..self }
    }

    /// Says who puts it.
    #[must_use]
    pub fn by(self, author: Option<UserId>) -> Self {
        Self { author, ..self }
    }

    /// The person who puts it.
    pub fn author(&self) -> Option<UserId> {
        self.author
    }

    /// Origin of content from outside that is near.
    pub fn origin(&self) -> &Option<Origin> {
        &self.origin
    }

    /// Its id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Its labels, where they are to be these.
    pub fn labels(&self) -> Option<&[String]> {
        self.labels.as_deref()
    }

    /// Properties to set; null takes one away.
    pub fn props(&self) -> Option<&Map<String, Value>> {
        self.props.as_ref()
    }
}

/// An edge to be put, checked.
#[derive(Debug, Clone)]
pub struct NewEdge {
    src: String,
    rel: String,
    dst: String,
    props: Option<Map<String, Value>>,
    origin: Option<Origin>,
    author: Option<UserId>,
}

impl NewEdge {
    /// Makes an edge.
    ///
    /// # Errors
    ///
    /// If a text is empty or too long.
    pub fn new(src: &str, rel: &str, dst: &str, props: Option<Map<String, Value>>) -> Result<Self> {
        props.as_ref().map_or(Ok(()), check_props)?;
        let (src, rel, dst) = (checked(src, "src")?, checked(rel, "rel")?, checked(dst, "dst")?);
        Ok(Self { src, rel, dst, props, origin: None, author: None })
    }

    /// Adds where content from outside came from that is near.
    #[must_use]
    pub fn with_origin(self, origin: Option<Origin>) -> Self {
        Self { origin, ..self }
    }

    /// Says who puts it.
    #[must_use]
    pub fn by(self, author: Option<UserId>) -> Self {
        Self { author, ..self }
    }

    /// The person who puts it.
    pub fn author(&self) -> Option<UserId> {
        self.author
    }

    /// Origin of content from outside that is near.
    pub fn origin(&self) -> &Option<Origin> {
        &self.origin
    }

    /// The id it comes from.
    pub fn src(&self) -> &str {
        &self.src
    }

    /// Returns the name of the relation.
    pub fn rel(&self) -> &str {
        &self.rel
    }

    /// The id it goes to.
    pub fn dst(&self) -> &str {
        &self.dst
    }

    /// Properties to set; null takes one away.
    pub fn props(&self) -> Option<&Map<String, Value>> {
        self.props.as_ref()
    }
}

/// Sets properties beside those there are; null takes one away.
pub fn set(props: &mut Map<String, Value>, new: &Map<String, Value>) {
    for (key, value) in new {
        if value.is_null() {
            props.shift_remove(key);
        } else {
            props.insert(key.clone(), value.clone());
        }
    }
}

/// Returns the name of a node.
pub fn name_of(id: &str, props: &Map<String, Value>) -> String {
    let said = ["name", "title"].iter().find_map(|key| props.get(*key).and_then(Value::as_str));
    said.map(str::trim).filter(|name| !name.is_empty()).unwrap_or(id).chars().take(MAX_NAME).collect()
}

/// Checks the size of properties.
///
/// # Errors
///
/// If they have grown too large.
pub fn check_props(props: &Map<String, Value>) -> Result<()> {
    let bytes = serde_json::to_string(props).map_err(Error::internal)?.len();
    if bytes > MAX_PROPS {
        return Err(Error::invalid(format!("'props' has at most {MAX_PROPS} bytes as JSON, this has {bytes}.")));
    }
    Ok(())
}

fn checked_labels(labels: Vec<String>) -> Result<Vec<String>> {
    if labels.len() > MAX_LABELS {
        return Err(Error::invalid(format!("A node has at most {MAX_LABELS} labels.")));
    }
    let mut kept: Vec<String> = Vec::new();
    for label in labels {
        let label = checked(&label, "label")?;
        if !kept.contains(&label) {
            kept.push(label);
        }
    }
    Ok(kept)
}

fn checked(text: &str, what: &str) -> Result<String> {
    let text = text.trim();
    if text.is_empty() || text.chars().count() > MAX_NAME || text.chars().any(char::is_control) {
        return Err(Error::invalid(format!("'{what}' is 1 to {MAX_NAME} characters on one line.")));
    }
    Ok(text.to_owned())
}

/// The statements of a text about the graph, found in it by its form or by a model.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Finding {
    /// The relation of the document to the thing, or of one thing to another.
    pub rel: String,
    /// The thing whose relation it is; `None` means the document.
    pub from: Option<Thing>,
    /// The thing.
    pub to: Thing,
}

/// A thing that a text names.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Thing {
    /// Its id in the graph.
    pub id: String,
    /// The kind of thing it is.
    pub label: String,
    /// Its name.
    pub name: String,
}
