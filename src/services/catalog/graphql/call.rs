//! A GraphQL operation, as a request (<https://graphql.github.io/graphql-over-http/>).

use reqwest::Method;
use serde_json::{Map, Value, json};

use super::{
    super::{
        answer::Answer,
        rest::{self, Body, RestRequest, Target},
    },
    risk,
};
use satchel_formats::graphql::{self, Kind};
use satchel_model::{
    catalog::directory::Registered,
    error::{Error, Result},
    output::Output,
};

/// Errors told of an answer.
const TOLD: usize = 5;

/// A GraphQL query to send.
#[derive(Debug, Clone)]
pub struct Query {
    /// The document.
    pub query: String,
    /// The values of its variables.
    pub variables: Option<Map<String, Value>>,
    /// The name of the operation among them.
    pub operation_name: Option<String>,
}

/// Runs it.
///
/// # Errors
///
/// If the system refuses all of it; what it refuses a part of comes back with the errors.
pub(in crate::catalog) async fn call(target: &Target<'_>, of: &Registered, query: &Query) -> Result<Output> {
    let asked = (query.query.as_str(), query.operation_name.as_deref());
    read(rest::send(target, &request(of, query)).await?, &of.system.name, asked)
}

/// The request that carries it.
pub(in crate::catalog) fn request(of: &Registered, query: &Query) -> RestRequest {
    let mut body = Map::new();
    body.insert("query".to_owned(), json!(query.query));
    body.extend(query.variables.clone().map(|variables| ("variables".to_owned(), Value::Object(variables))));
    body.extend(query.operation_name.clone().map(|name| ("operationName".to_owned(), Value::String(name))));
    let accept = "application/graphql-response+json, application/json;q=0.9";
    RestRequest {
        method: Method::POST,
        path: risk::path(of),
        query: Vec::new(),
        headers: vec![("accept".to_owned(), accept.to_owned())],
        body: Body::json(Value::Object(body)),
    }
}

/// Returns what an answer to a document, and the name of its operation, says: its data, and the errors beside it.
///
/// # Errors
///
/// If nothing of what was asked for is there.
pub(in crate::catalog) fn read(answer: Answer, system: &str, asked: (&str, Option<&str>)) -> Result<Output> {
    let data = answer.body.get("data").filter(|data| !data.is_null());
    let errors = answer.body.get("errors").and_then(Value::as_array).filter(|errors| !errors.is_empty());
    match (data, errors) {
        (Some(data), Some(errors)) if is_all_missing(data, errors) => Err(refusal(&answer, errors, system, asked)),
        (None, Some(errors)) => Err(refusal(&answer, errors, system, asked)),
        (None, None) if !answer.is_success() => answer.into_output(system),
        (None, None) if answer.body.get("data").is_none() => Err(Error::upstream(format!(
            "{system} answered with something else than GraphQL: check that its base_url is where it takes GraphQL."
        ))),
        _ => Ok(Output::json(shown(&answer))),
    }
}

fn shown(answer: &Answer) -> Value {
    let kept = ["data", "errors", "extensions"].into_iter();
    let kept = kept.filter_map(|key| Some((key.to_owned(), answer.body.get(key)?.clone())));
    Value::Object(kept.collect())
}

/// Returns whether the one thing that was asked for is null because of an error.
fn is_all_missing(data: &Value, errors: &[Value]) -> bool {
    let mut fields = data.as_object().into_iter().flatten();
    let (Some((name, Value::Null)), None) = (fields.next(), fields.next()) else { return false };
    errors.iter().any(|error| error.pointer("/path/0").and_then(Value::as_str) == Some(name))
}

/// Returns whether a mutation was run: then there is data, or an error in one of its fields.
fn has_run(answer: &Answer, errors: &[Value], (query, name): (&str, Option<&str>)) -> bool {
    let is_mutation = graphql::operation(query, name).is_ok_and(|read| read.kind == Kind::Mutation);
    is_mutation && (answer.body.get("data").is_some() || errors.iter().any(|error| error.get("path").is_some()))
}

fn refusal(answer: &Answer, errors: &[Value], system: &str, asked: (&str, Option<&str>)) -> Error {
    let told = errors.iter().take(TOLD).map(|error| {
        let message = error.get("message").and_then(Value::as_str).unwrap_or("an error without a message");
        let path: Vec<String> = error.get("path").and_then(Value::as_array).into_iter().flatten().map(step).collect();
        if path.is_empty() { message.to_owned() } else { format!("{message} (at {})", path.join(".")) }
    });
    let told: Vec<String> = told.collect();
    let details = json!({"status": answer.status, "errors": errors});
    let told = told.join("; ");
    let message = match has_run(answer, errors, asked) {
        true => format!(
            "{system} failed while it ran the mutation, which may have been carried out: look before you repeat it. {told}"
        ),
        false => format!("{system} refused the operation: {told}"),
    };
    Error::upstream(message).with_details(details).as_answer()
}

fn step(step: &Value) -> String {
    step.as_str().map_or_else(|| step.to_string(), str::to_owned)
}
