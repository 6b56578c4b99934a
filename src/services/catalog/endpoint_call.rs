//! Calling a registered endpoint with the arguments of its tool.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Map, Value, json};
use url::form_urlencoded;

use super::{
    answer::Answer,
    calls, graphql,
    grpc_call::{self, GrpcAsk},
    resolve,
    rest::{self, Body, JSON, RestRequest, Target},
    soap, soap_call,
    spelling::{line, pairs},
    upload::Upload,
    websocket_call::{self, SocketAsk},
};
use satchel_engine::context::Context;
use satchel_model::{
    caller::Caller,
    catalog::{
        directory::Directory,
        endpoint::{Endpoint, EndpointId, Operation, Parameter, ParameterPlace, is_json},
        place::Template,
        system::System,
        upload::media_type,
    },
    error::{Error, Result},
    output::Output,
};

/// Calls an endpoint in the caller's name.
///
/// # Errors
///
/// If its system may not be called, or refuses.
pub async fn call(cx: &Context, id: EndpointId, arguments: &Value) -> Result<Output> {
    let (to, endpoint) = resolve::callable_endpoint(cx.app(), id)?;
    let (system, name) = (&to.system, &to.system.name);
    let target = Target { app: cx.app(), cx: Some(cx), http: &cx.http()?, system, endpoint: Some(&endpoint) };
    match spoken(&endpoint, system, arguments)? {
        Spoken::Grpc(ask) => grpc_call::call(&target, &ask).await,
        Spoken::Websocket(ask) => websocket_call::call(&target, &ask).await,
        Spoken::Request => {
            let answer = answer(&target, &endpoint, arguments, cx.caller()).await?;
            match &endpoint.operation {
                Operation::Graphql { query, operation_name } => {
                    graphql::call::read(answer, name, (query, operation_name.as_deref()))
                }
                Operation::Soap { .. } => soap_call::read(answer, name),
                _ if answer.is_file() => calls::keep_answer(cx, answer, &path(&endpoint, arguments)?).await,
                _ => answer.into_output(name),
            }
        }
    }
}

/// The protocol an endpoint is spoken to in, with its arguments where it is no request.
pub(super) enum Spoken {
    /// A request and its answer.
    Request,
    /// A gRPC method.
    Grpc(GrpcAsk),
    /// A message over a WebSocket.
    Websocket(SocketAsk),
}

/// Returns what these arguments say in an endpoint's protocol.
pub(super) fn spoken(endpoint: &Endpoint, system: &System, arguments: &Value) -> Result<Spoken> {
    match &endpoint.operation {
        Operation::Rest | Operation::Graphql { .. } | Operation::Soap { .. } => Ok(Spoken::Request),
        Operation::Websocket => Ok(Spoken::Websocket(message(endpoint, system, arguments)?)),
        Operation::Grpc { service, rpc } => {
            let arguments = arguments.as_object().cloned().unwrap_or_default();
            let given = Given::new(endpoint, &arguments);
            let (body, headers) = (Value::Object(given.variables()), given.headers());
            Ok(Spoken::Grpc(GrpcAsk { service: service.clone(), method: rpc.clone(), body, headers }))
        }
    }
}

/// The path these arguments make of an endpoint's.
pub(super) fn path(endpoint: &Endpoint, arguments: &Value) -> Result<String> {
    let arguments = arguments.as_object().cloned().unwrap_or_default();
    Given::new(endpoint, &arguments).path(endpoint)
}

/// The message a WebSocket endpoint's arguments make: its body, else its fields as a JSON object.
fn message(endpoint: &Endpoint, system: &System, arguments: &Value) -> Result<SocketAsk> {
    let arguments = arguments.as_object().cloned().unwrap_or_default();
    let given = Given::new(endpoint, &arguments);
    let path = given.path(endpoint)?;
    let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(given.query()).finish();
    Ok(SocketAsk {
        path: if query.is_empty() { path } else { format!("{path}?{query}") },
        message: match given.body() {
            Body::Text(_, text) | Body::Json(_, Value::String(text)) => text,
            Body::Json(_, value) => value.to_string(),
            Body::None | Body::Form(_) | Body::Bytes(..) => Value::Object(given.variables()).to_string(),
        },
        further: Vec::new(),
        timeout: Duration::from_secs(system.timeout_s.into()),
        quiet: websocket_call::QUIET,
        headers: given.headers(),
    })
}

/// Returns the answer of an endpoint, whatever its status and its system's. Files that are sent are the caller's.
pub(super) async fn answer(
    target: &Target<'_>,
    endpoint: &Endpoint,
    arguments: &Value,
    caller: &Caller,
) -> Result<Answer> {
    let (mut request, upload) = request(endpoint, arguments)?;
    if let Some(upload) = upload {
        request.body = upload.read(target.app, caller).await?;
    }
    rest::send(target, &request).await
}

/// Returns the paths of the files that a call with these arguments sends.
pub(super) fn sent_files(directory: &Directory, id: EndpointId, arguments: &Value) -> Vec<String> {
    let found = directory.endpoint(id).and_then(|(_, endpoint)| request(endpoint, arguments));
    // What makes no request sends none.
    found.ok().and_then(|(_, upload)| upload).map(Upload::paths).unwrap_or_default()
}

/// Checks that the arguments make a request.
///
/// # Errors
///
/// If they make none that can be sent, or name files the caller may not read.
pub(super) async fn ensure_sendable(
    cx: &Context,
    system: &System,
    endpoint: &Endpoint,
    arguments: &Value,
) -> Result<()> {
    let (mut request, upload) = request(endpoint, arguments)?;
    if let Some(upload) = upload {
        request.body = upload.read(cx.app(), cx.caller()).await?;
    }
    rest::build(system, &request).map(drop)
}

/// The request an endpoint's arguments make, and the files that are to be its body.
pub(super) fn request(endpoint: &Endpoint, arguments: &Value) -> Result<(RestRequest, Option<Upload>)> {
    let arguments = arguments.as_object().cloned().unwrap_or_default();
    let given = Given::new(endpoint, &arguments);
    let path = given.path(endpoint)?;
    match &endpoint.operation {
        Operation::Rest => {
            let method = Method::from_bytes(endpoint.method.as_bytes()).map_err(Error::internal)?;
            let upload = given.upload()?;
            let body = if upload.is_none() { given.body() } else { Body::None };
            Ok((RestRequest { method, path, query: given.query(), headers: given.headers(), body }, upload))
        }
        Operation::Graphql { query, operation_name } => {
            let mut body = json!({"query": query, "variables": given.variables()});
            if let (Some(name), Some(map)) = (operation_name, body.as_object_mut()) {
                map.insert("operationName".to_owned(), json!(name));
            }
            let (query, headers) = (given.query(), given.headers());
            Ok((RestRequest { method: Method::POST, path, query, headers, body: Body::json(body) }, None))
        }
        Operation::Soap { action, element, namespace, unqualified, version } => {
            let action = soap::Action { action, element, namespace, unqualified: *unqualified, version };
            let headers: Vec<soap::Field<'_>> = given.fields(ParameterPlace::Header).collect();
            let values: Vec<soap::Field<'_>> = given.fields(ParameterPlace::Variable).collect();
            Ok((soap::request(path, &action, &headers, &values)?, None))
        }
        Operation::Grpc { .. } | Operation::Websocket => {
            let protocol = endpoint.operation.protocol();
            Err(Error::invalid(format!("An endpoint of {protocol} is called with its own tool, not as a request.")))
        }
    }
}

/// The arguments by where they go.
struct Given<'a> {
    values: Vec<(&'a Parameter, &'a Value)>,
}

impl<'a> Given<'a> {
    fn new(endpoint: &'a Endpoint, arguments: &'a Map<String, Value>) -> Self {
        let named = endpoint.arguments().into_iter();
        let value = |name: &str, parameter: &'a Parameter| parameter.fixed().or_else(|| arguments.get(name));
        let values = named.filter_map(|(name, parameter)| Some((parameter, value(&name, parameter)?)));
        Self { values: values.filter(|(given, value)| !value.is_null() || endpoint.takes_null(given)).collect() }
    }

    fn at(&self, place: ParameterPlace) -> impl Iterator<Item = (&'a Parameter, &'a Value)> {
        self.values.iter().filter(move |(parameter, _)| parameter.place == place).copied()
    }

    fn path(&self, endpoint: &Endpoint) -> Result<String> {
        Template::parse(&endpoint.path)?.fill(|name| self.in_path(name))
    }

    fn in_path(&self, name: &str) -> Option<String> {
        self.at(ParameterPlace::Path)
            .find(|(given, _)| given.name == name)
            .map(|(given, value)| line(value, given.style))
    }

    fn query(&self) -> Vec<(String, String)> {
        self.at(ParameterPlace::Query).flat_map(|(given, value)| pairs(&given.name, value, given.style)).collect()
    }

    fn headers(&self) -> Vec<(String, String)> {
        self.at(ParameterPlace::Header).map(|(given, value)| (given.name.clone(), line(value, given.style))).collect()
    }

    fn variables(&self) -> Map<String, Value> {
        self.at(ParameterPlace::Variable).map(|(given, value)| (given.name.clone(), value.clone())).collect()
    }

    /// The values of a place with what they are declared as.
    fn fields(&self, place: ParameterPlace) -> impl Iterator<Item = soap::Field<'_>> {
        self.at(place).map(|(given, value)| soap::Field { name: &given.name, value, schema: &given.schema })
    }

    fn upload(&self) -> Result<Option<Upload>> {
        match self.at(ParameterPlace::Body).next() {
            Some((parameter, value)) if parameter.is_upload() => Upload::new(parameter, value).map(Some),
            Some((parameter, _)) => parameter.require_sendable().map(|()| None),
            None => Ok(None),
        }
    }

    fn body(&self) -> Body {
        let Some((parameter, value)) = self.at(ParameterPlace::Body).next() else { return Body::None };
        let media = media_type(&parameter.schema).unwrap_or(JSON);
        match (media, value) {
            ("application/x-www-form-urlencoded", Value::Object(fields)) => {
                let said = fields.iter().filter(|(_, value)| !value.is_null());
                Body::Form(said.flat_map(|(name, value)| pairs(name, value, parameter.style_of(name))).collect())
            }
            (media, Value::String(text)) if !is_json(media) => Body::Text(media.to_owned(), text.clone()),
            (media, value) => {
                let media = if is_json(media) { media } else { JSON };
                Body::Json(media.to_owned(), value.clone())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use satchel_model::{
        catalog::{draft::EndpointDraft, system::SystemId},
        time::Time,
    };

    /// The request an endpoint with these parameters makes of these arguments.
    fn made(parameters: &Value, arguments: &Value) -> Result<RestRequest> {
        let draft = json!({"name": "x", "method": "POST", "path": "/x", "parameters": parameters});
        let draft: EndpointDraft = serde_json::from_value(draft).unwrap();
        let endpoint = draft.into_new(SystemId::new(), &Default::default(), Time::from_millis(0)).unwrap();
        request(&endpoint, arguments).map(|(request, _)| request)
    }

    #[test]
    fn what_has_one_value_only_is_sent_without_being_said() {
        let action = json!({"name": "action", "in": "query", "required": true, "schema": {"const": "one"}});
        let version = json!({"name": "v", "in": "header", "required": true, "schema": {"enum": [2]}});
        let choice = json!({"name": "c", "in": "query", "schema": {"const": "maybe"}});
        let sent = made(&json!([action, version, choice]), &json!({"action": "two"})).unwrap();
        assert_eq!(sent.query, [("action".to_owned(), "one".to_owned())]);
        assert_eq!(sent.headers, [("v".to_owned(), "2".to_owned())]);
    }

    #[test]
    fn the_query_and_the_form_are_written_in_their_style() {
        let media = "application/x-www-form-urlencoded";
        let parameters = json!([
            {"name": "ids", "in": "query", "style": "comma"},
            {"name": "old", "in": "query"},
            {"name": "body", "in": "body", "style": "pipe", "members": {"of": "deep_object"}, "schema": {"contentMediaType": media}},
        ]);
        let given = json!({"ids": [1, 2], "old": [1, 2], "body": {"of": {"k": "v"}, "none": null, "tags": ["a", "b"]}});
        let sent = made(&parameters, &given).unwrap();
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(sent.query, [pair("ids", "1,2"), pair("old", "1"), pair("old", "2")]);
        assert!(
            matches!(&sent.body, Body::Form(fields) if *fields == [pair("of[k]", "v"), pair("tags", "a|b")]),
            "{sent:?}"
        );
    }

    #[test]
    fn json_goes_out_under_its_own_media_type() {
        let body = |media: &str| json!([{"name": "body", "in": "body", "schema": {"contentMediaType": media}}]);
        let sent = made(&body("application/vnd.api+json"), &json!({"body": {"a": 1}})).unwrap();
        assert!(matches!(&sent.body, Body::Json(media, _) if media == "application/vnd.api+json"), "{sent:?}");
        let sent = made(&body("application/x-ndjson"), &json!({"body": "{}\n{}"})).unwrap();
        assert!(matches!(&sent.body, Body::Text(..)), "{sent:?}");
        let sent = made(&json!([{"name": "body", "in": "body"}]), &json!({"body": "text"})).unwrap();
        assert!(matches!(&sent.body, Body::Json(media, _) if media == "application/json"), "{sent:?}");
    }
}
