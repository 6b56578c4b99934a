//! `call_rest_endpoint`: an HTTP request to a connected system.

use std::collections::BTreeMap;

use http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::given;
use satchel_engine::{context::Context, preparation::Preparation, tool::Tool};
use satchel_model::{
    catalog::endpoint::is_json,
    error::{Error, Result},
    id::shorten,
    output::Output,
    question::Question,
    spec::Category,
};
use satchel_services::{
    catalog::{
        ahead, calls,
        rest::{Body, RestRequest},
        risk,
    },
    handles::Handles,
};

/// The media type of a form.
const FORM: &str = "application/x-www-form-urlencoded";
/// The methods there are, in capitals; any case is taken.
const METHODS: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

#[derive(Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The system: its id, name or slug, as list_catalog_systems shows it.
    system_id: String,
    /// HTTP method: `GET`, `POST`, `PUT`, `PATCH`, `DELETE`; also `HEAD` and `OPTIONS`.
    method: String,
    /// Path under the system's base URL, beginning with a slash: `/customers/1042`.
    path: String,
    /// Query string parameters; a list is its name several times.
    query_params: Option<BTreeMap<String, Value>>,
    /// Request body, sent as JSON. With another `Content-Type` in `headers`, a text goes out as it is, and an object as
    /// the fields of a form.
    body: Option<Value>,
    /// Further HTTP headers. Credentials are added from the vault and cannot be given here; only a system of the auth_type
    /// none takes `Authorization` and `Cookie`.
    headers: Option<BTreeMap<String, Value>>,
}

pub(super) fn tool(handles: &Handles) -> Tool {
    let calls = Preparation::new(run).ahead(ahead);
    let calls = given::to_system(
        calls,
        handles,
        |args: &Args| &args.system_id,
        |directory, args| {
            risk::of_rest(directory, &args.system_id, (&args.method, &args.path), || request(args.clone()))
        },
    );
    let tool = Tool::prepared(
        "call_rest_endpoint",
        Category::Catalog,
        "Makes an HTTP request to a system of the catalog, with the system's credentials. Returns status, headers, format \
         (json, xml, csv, text, binary) and the parsed body; a binary body becomes a file of the workspace.",
        "A REST API of a connected system is needed and no endpoint is registered for exactly this operation.",
        calls,
    );
    given::caller(tool)
    .example(
        "A customer's record",
        json!({"system_id": "crm-01", "method": "GET", "path": "/api/v2/customers/1042"}),
        json!({"status": 200, "format": "json", "body": {"id": 1042, "name": "Zoë Anders"}}),
    )
    .example(
        "A search, with its parameters in the query",
        json!({"system_id": "crm-01", "method": "GET", "path": "/api/v2/customers", "query_params": {"name": "Zoë", "limit": 1}}),
        json!({"status": 200, "body": {"count": 1, "query": "limit=1&name=Zo%C3%AB"}}),
    )
}

async fn ahead(cx: Context, args: Args) -> Result<Question> {
    let system = args.system_id.clone();
    ahead::rest(&cx, &system, &request(args)?)
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    let system = args.system_id.clone();
    calls::rest(&cx, &system, &request(args)?).await
}

fn request(args: Args) -> Result<RestRequest> {
    let headers = given::pairs("headers", args.headers)?;
    let body = args.body.map_or(Ok(Body::None), |value| body(value, &headers))?;
    let (method, query) = (method(&args.method)?, given::pairs("query_params", args.query_params)?);
    Ok(RestRequest { method, path: args.path, query, headers, body })
}

/// The body as the headers say it is.
fn body(value: Value, headers: &[(String, String)]) -> Result<Body> {
    let said = headers.iter().rfind(|(name, _)| name.trim().eq_ignore_ascii_case("content-type"));
    let Some((_, said)) = said else { return Ok(Body::json(value)) };
    let media = said.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match value {
        value if is_json(&media) => Ok(Body::Json(said.clone(), value)),
        Value::String(text) => Ok(Body::Text(said.clone(), text)),
        Value::Object(fields) if media == FORM => {
            given::pairs("body", Some(fields.into_iter().collect())).map(Body::Form)
        }
        _ => Err(Error::invalid(format!(
            "A body of the type '{}' is a text: give it as one, or leave Content-Type out to send JSON.",
            shorten(&media)
        ))),
    }
}

fn method(text: &str) -> Result<Method> {
    let upper = text.trim().to_ascii_uppercase();
    let known = METHODS.contains(&upper.as_str()).then(|| Method::from_bytes(upper.as_bytes()).ok()).flatten();
    known.ok_or_else(|| Error::invalid(format!("The method is one of {}.", METHODS.join(", "))))
}
