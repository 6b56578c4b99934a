//! Drafts of endpoints: what somebody writes of one, and the endpoint that comes of it.

use std::collections::BTreeSet;

use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::{Value, json};

use super::{MAX_NAME, line, present, slug::endpoint_slug, text};
use crate::{
    catalog::{
        endpoint::{Endpoint, EndpointId, Operation, Parameter, ParameterPlace},
        pace::{self, RateLimit},
        place::Template,
        style::Style,
        system::SystemId,
    },
    error::{Error, Result},
    spec::Risk,
    time::Time,
};

/// The methods an endpoint may have.
pub const METHODS: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
/// Most parameters of an endpoint.
const MAX_PARAMETERS: usize = 200;
/// Longest schema of an endpoint's parameters, as JSON.
const MAX_SCHEMA: usize = 64 * 1024;

/// An endpoint as somebody writes it. Fields left out stay, or have their default in a new one.
#[derive(Debug, Clone, Default, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EndpointDraft {
    /// The name people call it by; a new endpoint needs one.
    #[schema(
        min_length = 1,
        max_length = 100,
        pattern = r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$"
    )]
    pub name: Option<String>,
    /// The kind of message that is sent; a plain request unless said.
    pub operation: Option<Operation>,
    /// HTTP method.
    #[serde(default, deserialize_with = "known_method")]
    pub method: Option<String>,
    /// Path under the base URL.
    #[schema(max_length = 2000, pattern = r"^/[^?#\\]*$")]
    pub path: Option<String>,
    /// The parameters a caller gives; they replace those there are. Parameters of the path are added where they are missing.
    #[schema(max_items = 200)]
    pub parameters: Option<Vec<Parameter>>,
    /// A description of what it does.
    #[schema(max_length = 4000)]
    pub description: Option<String>,
    /// A description of when to choose it.
    #[schema(max_length = 4000)]
    pub when_to_use: Option<String>,
    /// Its risk; that of its method unless said.
    pub risk: Option<Risk>,
    /// Its rate limit; null for no limit of its own.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<RateLimit>)]
    pub rate_limit: Option<Option<RateLimit>>,
    /// Its own retries; null for the system's.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<u8>, maximum = 5)]
    pub retries: Option<Option<u8>>,
}

impl EndpointDraft {
    /// The endpoint this describes where there was none.
    pub fn into_new(self, system_id: SystemId, slugs: &BTreeSet<String>, now: Time) -> Result<Endpoint> {
        let name = self.name.clone().ok_or_else(|| Error::invalid("Say the name of the endpoint."))?;
        let operation = self.operation.clone().unwrap_or_default();
        let method = self.method.clone().unwrap_or_else(|| default_method(&operation).to_owned());
        let path = self.path.as_deref().unwrap_or("/");
        let blank = Endpoint {
            id: EndpointId::new(),
            system_id,
            slug: endpoint_slug(&name, (&method, path), slugs),
            name,
            risk: operation.risk(&method),
            operation,
            method,
            path: path.to_owned(),
            parameters: Vec::new(),
            description: String::new(),
            when_to_use: String::new(),
            reviewed: false,
            rate_limit: None,
            retries: None,
            imported: None,
            waiting: None,
            origin: None,
            created_at: now,
            updated_at: now,
        };
        if self.path.is_none() && matches!(blank.operation, Operation::Rest) {
            return Err(Error::invalid("Say the path of the endpoint, such as /users/{id}."));
        }
        self.apply(blank, slugs, now)
    }

    /// The endpoint with these changes. `slugs` are those of the system's others.
    pub fn apply(self, old: Endpoint, slugs: &BTreeSet<String>, now: Time) -> Result<Endpoint> {
        let name = line(self.name.unwrap_or_else(|| old.name.clone()), "name of an endpoint")?;
        let method = method(&self.method.unwrap_or(old.method))?;
        let path = self.path.unwrap_or(old.path).trim().to_owned();
        let template = Template::parse(&path)?;
        let parameters = complete(self.parameters.unwrap_or(old.parameters), &template);
        ensure_parameters(&parameters)?;
        let rate_limit = self.rate_limit.unwrap_or(old.rate_limit);
        rate_limit.map_or(Ok(()), RateLimit::require_sound)?;
        let retries = self.retries.unwrap_or(old.retries);
        retries.map_or(Ok(()), pace::require_retries)?;
        Ok(Endpoint {
            slug: if name == old.name { old.slug } else { endpoint_slug(&name, (&method, &path), slugs) },
            name,
            operation: self.operation.unwrap_or(old.operation),
            method,
            path,
            parameters,
            description: text(self.description.unwrap_or(old.description), "description")?,
            when_to_use: text(self.when_to_use.unwrap_or(old.when_to_use), "situation")?,
            risk: self.risk.unwrap_or(old.risk),
            rate_limit,
            retries,
            updated_at: now,
            ..old
        })
    }
}

fn default_method(operation: &Operation) -> &'static str {
    if matches!(operation, Operation::Rest | Operation::Websocket) { "GET" } else { "POST" }
}

fn known_method<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Option<String>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    text.map(|text| method(&text).map_err(|error| D::Error::custom(error.message()))).transpose()
}

fn method(text: &str) -> Result<String> {
    let method = text.trim().to_ascii_uppercase();
    let wrong = || Error::invalid(format!("The method is one of {}.", METHODS.join(", ")));
    METHODS.contains(&method.as_str()).then_some(method).ok_or_else(wrong)
}

/// The parameters with those of the path that nobody declared.
fn complete(mut parameters: Vec<Parameter>, template: &Template) -> Vec<Parameter> {
    for name in template.names() {
        let declared = |parameter: &Parameter| parameter.place == ParameterPlace::Path && parameter.name == name;
        if !parameters.iter().any(declared) {
            parameters.push(Parameter {
                name: name.to_owned(),
                place: ParameterPlace::Path,
                style: Style::Plain,
                members: Default::default(),
                required: true,
                description: String::new(),
                schema: json!({"type": "string"}),
            });
        }
    }
    parameters.retain(|parameter| {
        parameter.place != ParameterPlace::Path || template.names().any(|name| name == parameter.name)
    });
    for parameter in parameters.iter_mut().filter(|parameter| parameter.place == ParameterPlace::Path) {
        parameter.required = true;
    }
    parameters
}

fn ensure_parameters(parameters: &[Parameter]) -> Result<()> {
    if parameters.len() > MAX_PARAMETERS {
        return Err(Error::invalid(format!("An endpoint has at most {MAX_PARAMETERS} parameters.")));
    }
    let mut seen = BTreeSet::new();
    for parameter in parameters {
        let name = &parameter.name;
        if name.is_empty() || name.chars().count() > MAX_NAME || name.chars().any(char::is_control) {
            return Err(Error::invalid(format!("The name of a parameter is 1 to {MAX_NAME} characters on one line.")));
        }
        if !seen.insert((parameter.place, name)) {
            let place = parameter.place.as_str();
            return Err(Error::invalid(format!("The parameter '{name}' stands twice in the {place}.")));
        }
        if !matches!(parameter.schema, Value::Object(_) | Value::Null | Value::Bool(_)) {
            return Err(Error::invalid(format!(
                "The schema of '{name}' is a JSON Schema, such as {{\"type\": \"string\"}}."
            )));
        }
    }
    let bodies = parameters.iter().filter(|parameter| parameter.place == ParameterPlace::Body).count();
    if bodies > 1 {
        return Err(Error::invalid("An endpoint has one body at most: describe its fields in the body's schema."));
    }
    let size: usize = parameters.iter().map(|parameter| parameter.schema.to_string().len()).sum();
    if size > MAX_SCHEMA {
        return Err(Error::invalid(format!(
            "The schemas of an endpoint's parameters take at most {MAX_SCHEMA} bytes."
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(value: Value) -> Result<Endpoint> {
        let draft: EndpointDraft = serde_json::from_value(value).map_err(Error::internal)?;
        draft.into_new(SystemId::new(), &BTreeSet::new(), Time::from_millis(0))
    }

    #[test]
    fn parameters_of_the_path_are_always_there() {
        let made = endpoint(json!({"name": "Get user", "method": "get", "path": "/users/{id}"})).unwrap();
        assert_eq!(made.method, "GET");
        assert_eq!(made.slug, "get_user");
        assert_eq!(made.schema()["required"], json!(["id"]));
        assert_eq!(made.schema()["additionalProperties"], json!(false));
    }

    #[test]
    fn a_name_in_two_places_is_two_arguments() {
        let parameters = json!([
            {"name": "id", "in": "path", "schema": {"type": "string"}},
            {"name": "id", "in": "query", "schema": {"type": "integer"}},
        ]);
        let made = endpoint(json!({"name": "x", "path": "/a/{id}", "parameters": parameters})).unwrap();
        let names: Vec<String> = made.arguments().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["id", "query_id"]);
    }

    #[test]
    fn every_argument_has_a_name_that_providers_take() {
        let long = "x".repeat(70);
        let query = |name: &str| json!({"name": name, "in": "query", "description": "What."});
        let parameters = json!(["$filter", "filter", "filter[color]", "größe", "@", "X-A.b", &long].map(query));
        let made = endpoint(json!({"name": "x", "path": "/a", "parameters": parameters})).unwrap();
        let names: Vec<String> = made.arguments().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["filter", "query_filter", "filter_color", "gr__e", "value", "X-A.b", &long[..64]]);
        let told = |name: &str| made.schema()["properties"][name]["description"].clone();
        assert_eq!((told("filter"), told("query_filter")), (json!("What. Sent as '$filter'."), json!("What.")));
    }

    #[test]
    fn what_cannot_be_called_is_refused() {
        let body = json!({"name": "b", "in": "body"});
        for wrong in [
            json!({"path": "/a"}),
            json!({"name": "x"}),
            json!({"name": "x", "path": "a"}),
            json!({"name": "x", "path": "/a", "method": "STEAL"}),
            json!({"name": "x", "path": "/a", "retries": 9}),
            json!({"name": "x", "path": "/a", "parameters": [body, {"name": "c", "in": "body"}]}),
        ] {
            assert!(endpoint(wrong.clone()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_endpoint_nobody_reviewed_is_as_risky_as_its_method() {
        let mut made = endpoint(json!({"name": "x", "path": "/a", "method": "DELETE", "risk": "read"})).unwrap();
        assert_eq!((made.risk, made.effective_risk()), (Risk::Read, Risk::Destructive));
        made.reviewed = true;
        assert_eq!(made.effective_risk(), Risk::Read);
    }
}
