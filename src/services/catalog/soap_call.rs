//! A SOAP call with XML somebody wrote, in the version the service speaks.

use reqwest::Method;
use serde_json::{Map, Value, json};

use super::{
    answer::Answer,
    rest::{self, Body, RestRequest, Target},
};
use satchel_formats::{
    payload::Form,
    soap::{self, Request, Version},
};
use satchel_model::{
    catalog::{directory::Registered, endpoint::Operation},
    error::{Error, Result},
    output::Output,
};

/// Longest action.
const LONGEST_ACTION: usize = 500;

/// A call to make.
#[derive(Debug, Clone)]
pub struct SoapAsk {
    /// The SOAPAction; it may be empty.
    pub action: String,
    /// The body, or a whole envelope.
    pub body: String,
    /// The path; empty is the base URL itself.
    pub path: String,
}

/// Calls it. A fault is an error with its code and reason. A service that takes the other version only is called in
/// that one, unless the caller chose: it has done nothing yet.
pub(super) async fn call(target: &Target<'_>, of: &Registered, ask: &SoapAsk) -> Result<Output> {
    require_action(&ask.action)?;
    let first = Request::new(&ask.body, soap_version(of, &ask.action))?;
    let answer = send(target, ask, &first).await?;
    if first.chosen || !is_other_version(&answer) {
        return read(answer, &of.system.name);
    }
    let second = Request::new(&ask.body, first.version.other())?;
    read(send(target, ask, &second).await?, &of.system.name)
}

/// Checks that it can be sent, as far as that shows before.
///
/// # Errors
///
/// If it cannot.
pub(super) fn ensure_sendable(of: &Registered, ask: &SoapAsk) -> Result<()> {
    require_action(&ask.action)?;
    let soap = Request::new(&ask.body, soap_version(of, &ask.action))?;
    rest::build(&of.system, &request(ask, &soap)).map(drop)
}

async fn send(target: &Target<'_>, ask: &SoapAsk, soap: &Request) -> Result<Answer> {
    rest::send(target, &request(ask, soap)).await
}

fn request(ask: &SoapAsk, soap: &Request) -> RestRequest {
    let mut headers = vec![("accept".to_owned(), "text/xml, application/soap+xml, application/xml".to_owned())];
    if soap.version == Version::V11 {
        headers.push(("soapaction".to_owned(), format!("\"{}\"", ask.action)));
    }
    let body = Body::Text(soap.version.content_type(&ask.action), soap.envelope.clone());
    RestRequest { method: Method::POST, path: ask.path.clone(), query: Vec::new(), headers, body }
}

/// The version of SOAP registered for an action.
fn soap_version(found: &Registered, action: &str) -> Version {
    let registered = found.endpoints.iter().find_map(|endpoint| match &endpoint.operation {
        Operation::Soap { action: known, version, .. } if known == action => Some(Version::parse(version)),
        _ => None,
    });
    registered.unwrap_or(Version::V11)
}

/// Returns whether the service takes the other version only: it says so, or cannot read the media type.
fn is_other_version(answer: &Answer) -> bool {
    let mismatch = || match soap::read(&answer.body) {
        Some(soap::Answer::Fault(fault)) => fault.code == "VersionMismatch",
        _ => false,
    };
    answer.status == 415 || mismatch()
}

/// Returns what an answer says: the content of its body, or its fault.
pub(super) fn read(answer: Answer, system: &str) -> Result<Output> {
    match soap::read(&answer.body).filter(|_| answer.form == Form::Xml) {
        Some(soap::Answer::Fault(fault)) => Err(fault.into_error()),
        Some(soap::Answer::Body { body, header }) => {
            let mut data = Map::new();
            data.insert("status".to_owned(), json!(answer.status));
            data.insert("body".to_owned(), body);
            data.extend(header.map(|header| ("header".to_owned(), header)));
            Ok(Output::json(Value::Object(data)))
        }
        None if !answer.is_success() => answer.into_output(system),
        // One-way operations answer with nothing.
        None if answer.form == Form::Empty => Ok(Output::json(json!({"status": answer.status, "body": null}))),
        None => Err(Error::upstream(format!(
            "{system} answered with something else than a SOAP envelope: check path and soap_action."
        ))),
    }
}

/// Checks an action.
///
/// # Errors
///
/// If it could say more than itself in a header.
fn require_action(action: &str) -> Result<()> {
    let strange = |c: char| c.is_control() || c == '"' || c == '\\' || !c.is_ascii();
    if action.len() > LONGEST_ACTION || action.chars().any(strange) {
        return Err(Error::invalid(format!(
            "A soap_action is at most {LONGEST_ACTION} ASCII characters, without quotes and backslashes."
        )));
    }
    Ok(())
}
