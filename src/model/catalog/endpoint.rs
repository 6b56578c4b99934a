//! An endpoint: one operation of a system, and what a caller must say.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{imported::Imported, pace::RateLimit, style::Style, system::SystemId, waiting::Waiting, xml_name};
use crate::{
    id::{Id, Noun},
    origin::Origin,
    spec::Risk,
    time::Time,
};

/// Names an endpoint.
pub type EndpointId = Id<Endpoint>;

/// Longest name of an argument.
const LONGEST: usize = 64;

/// The place of a parameter in a request.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ParameterPlace {
    /// Into the path's template.
    Path,
    /// Into the query.
    Query,
    /// Into a header; of a SOAP operation, an element of the SOAP header.
    Header,
    /// The body, whole. There is one at most.
    Body,
    /// A variable of a GraphQL document, an element of a SOAP body, a field of a gRPC message.
    Variable,
}

/// One thing a caller says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = EndpointParameter)]
pub struct Parameter {
    /// Its name where it goes.
    pub name: String,
    /// The place it goes to.
    #[serde(rename = "in")]
    pub place: ParameterPlace,
    /// `true` if a call fails without it.
    #[serde(default)]
    pub required: bool,
    /// A description.
    #[serde(default)]
    pub description: String,
    /// JSON Schema of its value.
    #[serde(default)]
    pub schema: Value,
    /// The way a list or an object is written; of a form, every list in it.
    #[serde(default, skip_serializing_if = "Style::is_plain")]
    pub style: Style,
    /// Of a form, the fields that are written in another style.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub members: BTreeMap<String, Style>,
}

impl Parameter {
    /// Returns how a field of a form is written.
    pub fn style_of(&self, field: &str) -> Style {
        self.members.get(field).copied().unwrap_or(self.style)
    }

    /// The one value it can have, where a call fails without it: nobody needs to say that.
    pub fn fixed(&self) -> Option<&Value> {
        let is_whole = matches!(self.place, ParameterPlace::Body | ParameterPlace::Variable);
        if self.required && !is_whole { only_value(&self.schema) } else { None }
    }
}

/// Returns the one value that a schema allows, where it names one only.
pub fn only_value(schema: &Value) -> Option<&Value> {
    let only = schema.get("enum").and_then(Value::as_array).filter(|choices| choices.len() == 1);
    schema.get("const").or_else(|| only?.first())
}

/// Returns whether a schema's type, or its choices, allow `null`.
pub fn is_nullable(schema: &Value) -> bool {
    let holds = |word: &str, none: &Value| match schema.get(word) {
        Some(Value::Array(all)) => all.contains(none),
        one => one.is_some_and(|one| one == none),
    };
    let has_type = schema.get("type").is_some();
    if has_type { holds("type", &Value::from("null")) } else { holds("enum", &Value::Null) }
}

/// Returns whether a body of this media type is one JSON value.
pub fn is_json(media: &str) -> bool {
    let media = media.to_ascii_lowercase();
    media.contains("json") && !["ndjson", "jsonl", "json-seq"].iter().any(|lines| media.contains(lines))
}

/// The request that is sent, by protocol.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "protocol", rename_all = "snake_case", deny_unknown_fields)]
#[schema(as = EndpointOperation)]
pub enum Operation {
    /// A request with a method, a path, and a body of this media type.
    #[default]
    #[serde(alias = "http")]
    Rest,
    /// A GraphQL document.
    Graphql {
        /// The document.
        query: String,
        /// The name of the operation among them.
        #[serde(default)]
        operation_name: Option<String>,
    },
    /// A SOAP operation.
    Soap {
        /// The SOAPAction.
        action: String,
        /// The name of the body's element.
        element: String,
        /// Its namespace.
        #[serde(default)]
        namespace: String,
        /// `true` if what stands in it is in no namespace.
        #[serde(default)]
        unqualified: bool,
        /// `1.1` or `1.2`.
        #[serde(default = "soap_version")]
        version: String,
    },
    /// A gRPC method.
    Grpc {
        /// Full name of the service.
        service: String,
        /// Name of the method.
        rpc: String,
    },
    /// A message over a WebSocket.
    Websocket,
}

fn soap_version() -> String {
    "1.1".to_owned()
}

impl Operation {
    /// The protocol's word.
    pub fn protocol(&self) -> &'static str {
        match self {
            Self::Rest => "rest",
            Self::Graphql { .. } => "graphql",
            Self::Soap { .. } => "soap",
            Self::Grpc { .. } => "grpc",
            Self::Websocket => "websocket",
        }
    }

    /// The least risk this may be believed to have where nobody has looked at it.
    pub fn risk(&self, method: &str) -> Risk {
        match self {
            // The word may stand behind a comment or another operation: without it there is no mutation.
            Self::Graphql { query, .. } if !query.contains("mutation") => Risk::LowWrite,
            Self::Graphql { .. } | Self::Soap { .. } | Self::Grpc { .. } | Self::Websocket => Risk::HighWrite,
            Self::Rest => risk_of_method(method),
        }
    }
}

/// The risk of a call nothing is known of but its method.
pub fn risk_of_method(method: &str) -> Risk {
    match method.trim().to_ascii_uppercase().as_str() {
        "GET" | "HEAD" | "OPTIONS" => Risk::LowWrite,
        "DELETE" => Risk::Destructive,
        _ => Risk::HighWrite,
    }
}

/// An operation of a system.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Endpoint {
    /// Stable id.
    #[schema(value_type = String, format = "uuid")]
    pub id: EndpointId,
    /// The system it belongs to.
    #[schema(value_type = String, format = "uuid")]
    pub system_id: SystemId,
    /// The name people call it by.
    pub name: String,
    /// The name as its tool carries it, unique within the system.
    pub slug: String,
    /// The request that is sent.
    #[serde(flatten)]
    pub operation: Operation,
    /// HTTP method, capitals.
    pub method: String,
    /// Path under the system's base URL, `{name}` for a parameter.
    pub path: String,
    /// The parameters a caller gives.
    pub parameters: Vec<Parameter>,
    /// A description of what it does.
    pub description: String,
    /// A description of when to choose it.
    pub when_to_use: String,
    /// Its risk, as registered.
    pub risk: Risk,
    /// `true` if a person has let this through: by entering it, or by activating the system with it.
    pub reviewed: bool,
    /// The limit on how often it may be called, beside the system's own.
    pub rate_limit: Option<RateLimit>,
    /// Its own retries, where they differ from the system's.
    pub retries: Option<u8>,
    /// The proposal it was imported from: the difference to it is what people changed by hand. Answers say whether
    /// there is such.
    #[serde(serialize_with = "whether")]
    #[schema(value_type = bool)]
    pub imported: Option<Imported>,
    /// The writer, where a tool wrote it, until a person has reviewed it.
    pub waiting: Option<Waiting>,
    /// The origin of what waits, if from outside.
    pub origin: Option<Origin>,
    /// The time at which it was registered.
    pub created_at: Time,
    /// The time of its last change.
    pub updated_at: Time,
}

/// Answers say whether it came from a document, not what stood there.
fn whether<S: serde::Serializer>(imported: &Option<Imported>, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.serialize_bool(imported.is_some())
}

impl Noun for Endpoint {
    const NAME: &'static str = "endpoint";
}

impl Endpoint {
    /// Returns whether it is a tool while its system is in use: what a tool wrote waits for a person's review.
    pub fn is_offered(&self) -> bool {
        self.waiting.is_none()
    }

    /// The risk a call has: as registered, but never under its method's until a person has let it through. A model that
    /// registers a deletion as harmless wins nothing.
    pub fn effective_risk(&self) -> Risk {
        if self.reviewed { self.risk } else { self.risk.max(self.operation.risk(&self.method)) }
    }

    /// Returns whether it is a plain request of this method. A server answers HEAD by doing what GET does.
    pub fn takes(&self, method: &str) -> bool {
        let method = method.trim();
        let is = |own: &str| own.eq_ignore_ascii_case(method);
        let is_own = is(&self.method) || (self.method == "GET" && is("HEAD"));
        is_own && matches!(self.operation, Operation::Rest)
    }

    /// The arguments its tool takes, each with the parameter it is for, under names every provider of models takes. Where
    /// a name stands in two places, all but the first carry their place: `id`, `query_id`.
    pub fn arguments(&self) -> Vec<(String, &Parameter)> {
        let mut taken: Vec<(String, &Parameter)> = Vec::new();
        for parameter in &self.parameters {
            let is_taken = |name: &str| taken.iter().any(|(other, _)| other == name);
            let plain = argument(&parameter.name);
            let placed = argument(&format!("{}_{plain}", parameter.place.as_str()));
            let numbered = (2..).map(|n: u32| format!("{}_{n}", placed.get(..LONGEST - 4).unwrap_or(&placed)));
            let mut names = [plain, placed.clone()].into_iter().chain(numbered);
            let name = names.find(|name| !is_taken(name)).unwrap_or_default();
            taken.push((name, parameter));
        }
        taken
    }

    /// Returns whether `null` says something: of a GraphQL variable that it has no value, of a SOAP element that must
    /// be there that it is empty; in a gRPC message it is a value of some types, and leaves the fields of all others
    /// out. Elsewhere a null is left out.
    pub fn takes_null(&self, parameter: &Parameter) -> bool {
        let is_said = match self.operation {
            Operation::Grpc { .. } => true,
            Operation::Graphql { .. } => is_nullable(&parameter.schema),
            _ => parameter.required && is_nullable(&parameter.schema),
        };
        is_said && parameter.place == ParameterPlace::Variable
    }

    /// A parameter's schema as callers are told it.
    fn parameter_schema(&self, parameter: &Parameter) -> Map<String, Value> {
        let schema = parameter.schema.clone();
        let told = if matches!(self.operation, Operation::Soap { .. }) { xml_name::untold(schema) } else { schema };
        if let Value::Object(told) = told { told } else { Map::new() }
    }

    /// JSON Schema of the arguments.
    pub fn schema(&self) -> Value {
        let mut properties = Map::new();
        let mut required = Vec::new();
        for (name, parameter) in self.arguments() {
            let mut schema = self.parameter_schema(parameter);
            let is_plain = argument(&parameter.name) == parameter.name;
            let meant = if is_plain { String::new() } else { format!("Sent as '{}'.", parameter.name) };
            let said = [parameter.description.as_str(), &meant].join(" ");
            if !said.trim().is_empty() {
                schema.insert("description".to_owned(), json!(said.trim()));
            }
            parameter.tell_files(&mut schema);
            // What has one value only is sent without being said.
            if parameter.required && parameter.fixed().is_none() {
                required.push(name.clone());
            }
            properties.insert(name, Value::Object(schema));
        }
        let mut whole = Map::new();
        whole.insert("type".to_owned(), json!("object"));
        whole.insert("properties".to_owned(), Value::Object(properties));
        if !required.is_empty() {
            whole.insert("required".to_owned(), json!(required));
        }
        whole.insert("additionalProperties".to_owned(), json!(false));
        Value::Object(whole)
    }
}

/// A parameter's name as an argument: providers take `^[a-zA-Z0-9_.-]{1,64}$`.
fn argument(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "_.-".contains(c) { c } else { '_' };
    if name.len() <= LONGEST && name.chars().all(|c| plain(c) == c) && !name.is_empty() {
        return name.to_owned();
    }
    let name: String = name.chars().map(plain).take(LONGEST).collect();
    match name.trim_matches('_') {
        "" => "value".to_owned(),
        name => name.to_owned(),
    }
}

impl ParameterPlace {
    /// The word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Query => "query",
            Self::Header => "header",
            Self::Body => "body",
            Self::Variable => "variable",
        }
    }
}
