//! What somebody writes of a system or an endpoint, and what comes of it.

use std::collections::BTreeSet;

use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use url::Url;

use super::{
    auth::Auth,
    endpoint::{Endpoint, EndpointId, Operation, Parameter, ParameterPlace},
    pace::{self, RateLimit},
    place::Template,
    status::SystemStatus,
    style::Style,
    system::{System, SystemId},
};
use crate::model::{
    error::{Error, Result},
    spec::Risk,
    time::Time,
    words,
};

/// Longest name, in characters.
pub const MAX_NAME: usize = 100;
/// Longest description, in characters.
pub const MAX_TEXT: usize = 4_000;
/// Most tags, and longest tag.
const MAX_TAGS: (usize, usize) = (30, 50);
/// Most parameters of an endpoint.
const MAX_PARAMETERS: usize = 200;
/// Longest schema of an endpoint's parameters, as JSON.
const MAX_SCHEMA: usize = 64 * 1024;
/// Longest slug.
const MAX_SLUG: usize = 40;

/// What somebody writes of a system. What is left out stays, or has its default in a new one.
#[derive(Debug, Clone, Default, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SystemDraft {
    /// What people call it; a new system needs one.
    pub name: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// What every path is put under; null for none.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>)]
    pub base_url: Option<Option<String>>,
    /// Words to find it by; they replace those there are.
    pub tags: Option<Vec<String>>,
    /// How it wants to be asked.
    pub auth: Option<Auth>,
    /// How often it may be asked; null for no limit.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<RateLimit>)]
    pub rate_limit: Option<Option<RateLimit>>,
    /// How often a call that may be repeated is tried again, 0 to 5.
    pub retries: Option<u8>,
    /// Seconds it has to answer, 1 to 300.
    pub timeout_s: Option<u16>,
}

/// What somebody writes of an endpoint. What is left out stays, or has its default in a new one.
#[derive(Debug, Clone, Default, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EndpointDraft {
    /// What people call it; a new endpoint needs one.
    pub name: Option<String>,
    /// What is sent; a plain request unless said.
    pub operation: Option<Operation>,
    /// HTTP method.
    pub method: Option<String>,
    /// Path under the base URL.
    pub path: Option<String>,
    /// What a caller says; they replace those there are. Parameters of the path are added where they are missing.
    pub parameters: Option<Vec<Parameter>>,
    /// What it does.
    pub description: Option<String>,
    /// When to choose it.
    pub when_to_use: Option<String>,
    /// Its risk; that of its method unless said.
    pub risk: Option<Risk>,
    /// How often it may be called; null for no limit of its own.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<RateLimit>)]
    pub rate_limit: Option<Option<RateLimit>>,
    /// Its own retries; null for the system's.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<u8>)]
    pub retries: Option<Option<u8>>,
}

/// Tells "null" from "left out".
fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

impl SystemDraft {
    /// The system this describes where there was none: a draft.
    pub fn into_new(self, slugs: &BTreeSet<String>, now: Time) -> Result<System> {
        let name = self.name.clone().ok_or_else(|| Error::invalid("Say the name of the system."))?;
        let blank = System {
            id: SystemId::new(),
            slug: unique_slug(&name, "system", slugs),
            name,
            description: String::new(),
            base_url: None,
            tags: Vec::new(),
            status: SystemStatus::Draft,
            auth: Auth::None,
            rate_limit: None,
            retries: pace::RETRIES,
            timeout_s: pace::TIMEOUT,
            created_at: now,
            updated_at: now,
        };
        self.apply(blank, slugs, now)
    }

    /// The system with these changes. `slugs` are those of the others.
    pub fn apply(self, old: System, slugs: &BTreeSet<String>, now: Time) -> Result<System> {
        let base_url = match self.base_url {
            None => old.base_url,
            Some(None) => None,
            Some(Some(text)) if text.trim().is_empty() => None,
            Some(Some(text)) => Some(base_url(&text)?),
        };
        let name = line(self.name.unwrap_or_else(|| old.name.clone()), "name of a system")?;
        let auth = self.auth.unwrap_or(old.auth);
        auth.demand_sound()?;
        let rate_limit = self.rate_limit.unwrap_or(old.rate_limit);
        rate_limit.map_or(Ok(()), RateLimit::demand_sound)?;
        let retries = self.retries.unwrap_or(old.retries);
        pace::demand_retries(retries)?;
        let timeout_s = self.timeout_s.unwrap_or(old.timeout_s);
        pace::demand_timeout(timeout_s)?;
        Ok(System {
            slug: if name == old.name { old.slug } else { unique_slug(&name, "system", slugs) },
            name,
            description: text(self.description.unwrap_or(old.description), "description")?,
            base_url,
            tags: self.tags.map_or(Ok(old.tags), tags)?,
            auth,
            rate_limit,
            retries,
            timeout_s,
            updated_at: now,
            ..old
        })
    }
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
        demand_parameters(&parameters)?;
        let rate_limit = self.rate_limit.unwrap_or(old.rate_limit);
        rate_limit.map_or(Ok(()), RateLimit::demand_sound)?;
        let retries = self.retries.unwrap_or(old.retries);
        retries.map_or(Ok(()), pace::demand_retries)?;
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

fn method(text: &str) -> Result<String> {
    let method = text.trim().to_ascii_uppercase();
    let known = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
    let wrong = || Error::invalid(format!("The method is one of {}.", known.join(", ")));
    known.contains(&method.as_str()).then_some(method).ok_or_else(wrong)
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

fn demand_parameters(parameters: &[Parameter]) -> Result<()> {
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

/// A base URL: an address with a host, without user name, query and fragment.
pub fn base_url(text: &str) -> Result<Url> {
    let wrong = || {
        Error::invalid(
            "The base_url must be a URL such as https://crm.example.org/api, without user name, query or fragment.",
        )
    };
    let url = Url::parse(text.trim()).map_err(|_| wrong())?;
    let known = matches!(url.scheme(), "http" | "https" | "ws" | "wss") && url.host_str().is_some();
    let plain =
        url.username().is_empty() && url.password().is_none() && url.query().is_none() && url.fragment().is_none();
    (known && plain && url.as_str().len() <= 2_000).then_some(url).ok_or_else(wrong)
}

fn line(text: String, what: &str) -> Result<String> {
    let text = text.trim().to_owned();
    let fits = (1..=MAX_NAME).contains(&text.chars().count()) && !text.chars().any(char::is_control);
    fits.then_some(text).ok_or_else(|| Error::invalid(format!("The {what} is 1 to {MAX_NAME} characters on one line.")))
}

fn text(text: String, what: &str) -> Result<String> {
    let text = text.trim().to_owned();
    let fits = text.chars().count() <= MAX_TEXT;
    fits.then_some(text).ok_or_else(|| Error::invalid(format!("The {what} has at most {MAX_TEXT} characters.")))
}

fn tags(given: Vec<String>) -> Result<Vec<String>> {
    let (most, longest) = MAX_TAGS;
    let mut tags: Vec<String> = Vec::new();
    for tag in given {
        let tag = tag.trim().to_owned();
        if tag.chars().count() > longest || tag.chars().any(char::is_control) {
            return Err(Error::invalid(format!("A tag is at most {longest} characters on one line.")));
        }
        if !tag.is_empty() && !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    if tags.len() <= most { Ok(tags) } else { Err(Error::invalid(format!("There are at most {most} tags."))) }
}

/// The name in snake case, unlike any of `taken`.
pub fn unique_slug(name: &str, fallback: &str, taken: &BTreeSet<String>) -> String {
    let slug = match plain_slug(name) {
        slug if slug.is_empty() => fallback.to_owned(),
        slug => slug,
    };
    let numbered = (2..).map(|n: u32| format!("{slug}_{n}"));
    std::iter::once(slug.clone()).chain(numbered).find(|slug| !taken.contains(slug)).unwrap_or(slug)
}

/// The unique slug of an endpoint; of a name without letters a tool's name may have, that of its method and path.
pub fn endpoint_slug(name: &str, (method, path): (&str, &str), taken: &BTreeSet<String>) -> String {
    let place = plain_slug(&format!("{} {path}", method.to_lowercase()));
    unique_slug(name, &place, taken)
}

fn plain_slug(text: &str) -> String {
    let words = words::apart(text).to_lowercase();
    let mut slug = String::new();
    for word in words.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
        if !slug.is_empty() {
            slug.push('_');
        }
        slug.push_str(word);
    }
    slug.truncate(MAX_SLUG);
    slug.trim_matches('_').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(value: Value) -> Result<Endpoint> {
        let draft: EndpointDraft = serde_json::from_value(value).unwrap();
        draft.into_new(SystemId::new(), &BTreeSet::new(), Time::from_millis(0))
    }

    #[test]
    fn names_become_snake_case_and_unique() {
        let taken = BTreeSet::from(["list_users".to_owned(), "list_users_2".to_owned()]);
        assert_eq!(unique_slug("listUsers", "endpoint", &taken), "list_users_3");
        assert_eq!(unique_slug("Küche / Ä!", "endpoint", &taken), "k_che");
        assert_eq!(unique_slug("東京", "system", &taken), "system");
        assert_eq!(endpoint_slug("東京", ("GET", "/users/{id}"), &taken), "get_users_id");
        assert_eq!(endpoint_slug("東京", ("POST", "/список"), &taken), "post");
    }

    #[test]
    fn a_base_url_names_a_host_and_nothing_secret() {
        assert!(base_url("https://a.example/x").is_ok() && base_url("wss://a.example").is_ok());
        for text in ["", "a.example", "ftp://a/", "https://u:p@a.example", "https://a.example/?key=1", "file:///etc"] {
            assert!(base_url(text).is_err(), "{text}");
        }
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
