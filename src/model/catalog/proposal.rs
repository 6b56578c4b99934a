//! The proposals of an importer: operations that may become endpoints. Every importer returns this.

use serde::{Deserialize, Serialize};

use super::{
    auth::Auth,
    endpoint::{Operation, Parameter},
};
use crate::spec::Risk;

/// One operation of a document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Proposal {
    /// The key it is recognised by when the document is read again: `GET /users/{id}`, `query:users`.
    pub key: String,
    /// The group the document puts it into.
    pub group: Option<String>,
    /// A name.
    pub name: String,
    /// The request that is sent.
    #[serde(flatten)]
    pub operation: Operation,
    /// HTTP method, capitals.
    pub method: String,
    /// Path under the system's base URL.
    pub path: String,
    /// The parameters a caller gives.
    pub parameters: Vec<Parameter>,
    /// A description of what it does.
    pub description: String,
    /// A description of when to choose it.
    pub when_to_use: String,
    /// Proposed by the method.
    pub risk: Risk,
    /// Doubts about it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// `true` if it is on another server than the system: it is not chosen unless somebody chooses it.
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
    /// The description it gives of itself.
    pub description: String,
    /// The address it gives for the system.
    pub base_url: Option<String>,
    /// The credential it asks for.
    pub auth: Auth,
    /// Its operations, in its order.
    pub operations: Vec<Proposal>,
    /// Doubts about the whole.
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
