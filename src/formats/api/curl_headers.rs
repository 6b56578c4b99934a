//! The headers of a curl command: what is fixed goes with every call, what a browser or the connection adds is left out.

use serde_json::json;

use super::{
    curl_command::{Command, Header},
    example::Examples,
};
use satchel_model::{
    catalog::{
        auth::Auth,
        endpoint::{Parameter, ParameterPlace},
        style::Style,
    },
    secret_name::is_credential,
};

/// Headers that are not taken over: they are those of the body, of the connection, or of a program that asked.
const OURS: &[&str] = &[
    "accept",
    "accept-encoding",
    "cache-control",
    "connection",
    "content-length",
    "content-type",
    "dnt",
    "expect",
    "forwarded",
    "host",
    "if-modified-since",
    "if-none-match",
    "keep-alive",
    "origin",
    "pragma",
    "priority",
    "referer",
    "save-data",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "upgrade-insecure-requests",
    "user-agent",
    "via",
    "x-real-ip",
];
/// The beginnings of the names of more of them.
const OURS_BEGIN: &[&str] = &["access-control-", "proxy-", "sec-", "x-forwarded-"];
/// Headers that make a request another than it says: none is ever sent.
const TURNING: &[&str] =
    &["x-http-method", "x-http-method-override", "x-method-override", "x-original-url", "x-rewrite-url"];
/// Words of names whose values are of one call only.
const OF_ONE_CALL: &[&str] = &[
    "correlation",
    "date",
    "idempotency",
    "match",
    "nonce",
    "range",
    "since",
    "timestamp",
    "trace",
    "traceparent",
    "tracestate",
];

/// The headers as parameters, but for credentials.
pub(super) fn parameters(command: &Command, auth: &Auth, examples: &mut Examples) -> Vec<Parameter> {
    let mut parameters: Vec<Parameter> = accepted(command).into_iter().collect();
    let is_browser = command.headers.iter().any(|header| header.lower().starts_with("sec-"));
    for header in &command.headers {
        let lower = header.lower();
        let is_own = OURS.contains(&lower.as_str())
            || TURNING.contains(&lower.as_str())
            || OURS_BEGIN.iter().any(|begin| lower.starts_with(begin))
            || (is_browser && lower == "accept-language");
        let is_proof = is_credential(&lower) || auth.header().as_deref() == Some(lower.as_str());
        let is_known = parameters.iter().any(|known| known.name.eq_ignore_ascii_case(&lower));
        if !is_own && !is_proof && !is_known {
            parameters.push(parameter(header, examples));
        }
    }
    parameters
}

/// Returns a warning about headers that change what a request means.
pub(super) fn warning(command: &Command) -> Option<String> {
    let found = command.headers.iter().find(|header| TURNING.contains(&header.lower().as_str()))?;
    Some(format!("The header {} is never sent, it makes a request another than it says: check the method.", found.name))
}

/// A header as a parameter. One value for every call is sent without being said.
fn parameter(header: &Header, examples: &mut Examples) -> Parameter {
    let text = || json!({"type": "string"});
    let (required, schema) = if header.is_open {
        (true, text())
    } else if uuid::Uuid::parse_str(&header.value).is_ok() {
        (false, text())
    } else {
        let example = examples.text(&header.name, &header.value);
        let is_fixed = example.get("examples").is_some() && !is_of_one_call(header);
        if is_fixed { (true, json!({"type": "string", "const": header.value})) } else { (false, example) }
    };
    made(header, required, schema)
}

fn is_of_one_call(header: &Header) -> bool {
    let lower = header.lower();
    let is_data = header.value.is_empty() || header.value.starts_with(['{', '[']);
    is_data || lower.contains("request-id") || lower.split('-').any(|word| OF_ONE_CALL.contains(&word))
}

fn made(header: &Header, required: bool, schema: serde_json::Value) -> Parameter {
    Parameter {
        name: header.name.clone(),
        place: ParameterPlace::Header,
        style: Style::Plain,
        members: Default::default(),
        required,
        description: String::new(),
        schema,
    }
}

/// Returns the parameter for the kind of answer asked for, where it is a particular one: it is always sent.
fn accepted(command: &Command) -> Option<Parameter> {
    let header = command.headers.iter().rfind(|header| header.lower() == "accept")?;
    let value = &header.value;
    let is_particular = !value.is_empty() && !value.contains("*/*") && !value.eq_ignore_ascii_case("application/json");
    is_particular.then(|| made(header, true, json!({"type": "string", "const": value})))
}
