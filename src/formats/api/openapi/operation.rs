//! One operation of an OpenAPI document, as a proposal.

use serde_json::Value;
use url::Url;

use super::{MAX_DOUBTS, MAX_PATH, auth::Security, parts, styles};
use crate::api::{budget::Allowance, schema::Inliner, text};
use satchel_model::catalog::{
    auth::AuthType,
    endpoint::{Operation, Parameter, ParameterPlace},
    proposal::{Proposal, proposed_risk},
};

/// Most parameters of an operation that are looked at; an endpoint takes fewer.
const MAX_PARAMETERS: usize = 1_000;

/// The place of the system and what it asks for, as the whole document says.
pub(super) struct Place<'a> {
    pub(super) base: Option<&'a str>,
    pub(super) from: Option<&'a Url>,
    pub(super) security: &'a Security<'a>,
}

/// One operation, where it stands.
pub(super) struct One<'a> {
    pub(super) place: Place<'a>,
    pub(super) document: &'a Value,
    pub(super) path: &'a str,
    pub(super) method: &'a str,
    pub(super) item: &'a Value,
    pub(super) operation: &'a Value,
    pub(super) swagger: bool,
}

impl One<'_> {
    /// The proposal it becomes, and its allowance with what was taken of it.
    pub(super) fn proposal(&self, allowance: Allowance) -> (Proposal, Allowance) {
        let method = self.method.to_uppercase();
        let whole = if self.path.starts_with('/') { self.path.to_owned() } else { format!("/{}", self.path) };
        let mut path = whole.split(['?', '#']).next().unwrap_or_default().to_owned();
        let says = |field: &str| self.operation.get(field).and_then(Value::as_str).unwrap_or_default().trim();
        let (summary, long) = (text::first_sentence(says("summary")), text::tidy(says("description")));
        let mut inliner = Inliner::within(self.document, allowance);
        let mut warnings = Vec::new();
        let mut parameters = self.parameters(&mut inliner, (&mut path, &mut warnings));
        parts::fix_query(&whole, &mut parameters);
        let auth = &self.place.security.auth;
        if auth.kind() == AuthType::None && parameters.iter().any(parts::is_credential) {
            warnings.push(
                "It needs the header 'Authorization': set the system's credential, which is sent there.".to_owned(),
            );
        }
        parameters.retain(|parameter| !parts::is_ours(parameter, auth));
        if let Some(missing) = inliner.missing.take() {
            warnings.push(format!("It refers to '{missing}', which is not in the document."));
        }
        if inliner.was_cut {
            warnings.push("Its schema is large or refers to itself: it is cut.".to_owned());
        }
        if summary.is_empty() && long.is_empty() {
            warnings.push("It has no description: a model will not know when to use it. Write one line.".to_owned());
        }
        if self.operation.get("deprecated").and_then(Value::as_bool).unwrap_or(false) {
            warnings.push("It is deprecated.".to_owned());
        }
        warnings.extend(self.place.security.doubt_of(self.operation));
        let elsewhere = parts::other_server((self.operation, self.item), self.place.base, self.place.from);
        if let Some(other) = &elsewhere {
            let other = text::cut(other, 100);
            warnings.push(format!("It is on another server ({other}): import it as a system of its own."));
        }
        warnings.dedup();
        warnings.truncate(MAX_DOUBTS);
        let id = says("operationId");
        let name = [id, summary.as_str()].into_iter().find(|name| !name.is_empty()).map(|name| text::cut(name, 80));
        let (description, when_to_use) = if long.is_empty() { (summary, String::new()) } else { (long, summary) };
        let proposal = Proposal {
            key: format!("{method} {whole}"),
            group: self.operation.pointer("/tags/0").and_then(Value::as_str).map(|tag| text::cut(tag, 60)),
            name: name.unwrap_or_else(|| format!("{} {path}", method.to_lowercase())),
            operation: Operation::Rest,
            risk: proposed_risk(&method),
            method,
            path,
            parameters,
            description,
            when_to_use,
            elsewhere: elsewhere.is_some(),
            warnings,
        };
        (proposal, inliner.allowance)
    }

    /// Those of the operation go before those of its path; then the body. What stands before a value goes into the path.
    fn parameters<'a>(
        &'a self,
        inliner: &mut Inliner<'a>,
        (path, warnings): (&mut String, &mut Vec<String>),
    ) -> Vec<Parameter> {
        let own = self.operation.get("parameters").and_then(Value::as_array).into_iter().flatten();
        let shared = self.item.get("parameters").and_then(Value::as_array).into_iter().flatten();
        let (mut all, mut form): (Vec<Parameter>, Vec<&Value>) = (Vec::new(), Vec::new());
        for given in own.chain(shared).take(MAX_PARAMETERS) {
            let given = inliner.resolve(given);
            if given.get("in").and_then(Value::as_str) == Some("formData") {
                form.push(given);
                continue;
            }
            if let Some(cookie) = parts::needed_cookie(given) {
                warnings.push(format!("It needs the cookie '{cookie}', which is not sent: it may be refused."));
            }
            let Some(parameter) = parts::parameter(given, inliner, self.swagger, warnings) else { continue };
            let known = all.iter().any(|other| other.place == parameter.place && other.name == parameter.name);
            let second_body =
                parameter.place == ParameterPlace::Body && all.iter().any(|other| other.place == ParameterPlace::Body);
            if known || second_body {
                continue;
            }
            if let Some(before) = styles::before(given).filter(|before| before.len() + path.len() <= MAX_PATH) {
                *path = path.replace(&format!("{{{}}}", parameter.name), &format!("{before}{{{}}}", parameter.name));
            }
            all.push(parameter);
        }
        if !form.is_empty() {
            let consumes = self.operation.get("consumes").or_else(|| self.document.get("consumes"));
            all.push(parts::form(&form, inliner, consumes, warnings));
        }
        if let Some(body) = self.operation.get("requestBody") {
            let body = inliner.resolve(body);
            all.extend(parts::body(body, inliner, warnings));
        }
        all
    }
}
