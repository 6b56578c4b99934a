//! What an importer found: operations that may become endpoints. Every importer returns this.

use serde::{Deserialize, Serialize};

use super::{
    auth::Auth,
    endpoint::{Operation, Parameter},
};
use crate::model::spec::Risk;

/// One operation of a document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Proposal {
    /// What it is recognised by when the document is read again: `GET /users/{id}`, `query:users`.
    pub key: String,
    /// The group the document puts it into.
    pub group: Option<String>,
    /// A name.
    pub name: String,
    /// What is sent.
    #[serde(flatten)]
    pub operation: Operation,
    /// HTTP method, capitals.
    pub method: String,
    /// Path under the system's base URL.
    pub path: String,
    /// What a caller says.
    pub parameters: Vec<Parameter>,
    /// What it does.
    pub description: String,
    /// When to choose it.
    pub when_to_use: String,
    /// Proposed by the method.
    pub risk: Risk,
    /// What is doubtful about it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Whether it is on another server than the system: it is not chosen unless somebody chooses it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub elsewhere: bool,
}

/// A document, read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Proposals {
    /// The kind of document, for people: `OpenAPI 3.1`.
    pub format: String,
    /// The name it gives itself.
    pub title: String,
    /// What it says of itself.
    pub description: String,
    /// Where it says the system is.
    pub base_url: Option<String>,
    /// The credential it asks for.
    pub auth: Auth,
    /// Its operations, in its order.
    pub operations: Vec<Proposal>,
    /// What is doubtful about the whole.
    pub warnings: Vec<String>,
}

/// The risk proposed for an operation that says nothing of it but its method.
pub fn proposed_risk(method: &str) -> Risk {
    match method.to_ascii_uppercase().as_str() {
        "GET" | "HEAD" | "OPTIONS" | "TRACE" => Risk::Read,
        "DELETE" => Risk::Destructive,
        _ => Risk::HighWrite,
    }
}
