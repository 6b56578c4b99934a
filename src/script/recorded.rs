//! Answers of the outside world, written down for a script's examples and tests.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use url::Url;

use super::{
    header::Host,
    testing::same,
    wire::{Answer, Ask},
};

/// The recorded answers of the world.
#[derive(Debug, Clone, Default)]
pub(super) struct Recorded {
    tools: Vec<(String, Option<Value>, Result<Value, String>)>,
    requests: Vec<(String, String, Value)>,
    kv: BTreeMap<String, Value>,
    /// The things the header lets the script use.
    allowed: Allowed,
}

/// The things a header declares.
#[derive(Debug, Clone, Default)]
pub(super) struct Allowed {
    /// Tools it may call.
    pub(super) tools: BTreeSet<String>,
    /// Hosts it may call.
    pub(super) hosts: Vec<Host>,
    /// `true` if it keeps values.
    pub(super) kv: bool,
}

impl Recorded {
    /// Nothing yet, for a script with this header.
    pub(super) fn new(allowed: Allowed) -> Self {
        Self { allowed, ..Self::default() }
    }

    /// Writes down what a tool gives, for these arguments or for any. The last that fits is given.
    pub(super) fn tool(&mut self, name: &str, params: Option<Value>, result: Result<Value, String>) {
        self.tools.push((name.to_owned(), params, result));
    }

    /// Writes down the answer to a request.
    pub(super) fn request(&mut self, method: &str, url: &str, answer: Value) {
        self.requests.push((method.to_uppercase(), url.to_owned(), answer));
    }

    /// Returns the recorded answer to this question.
    pub(super) fn answer(&mut self, ask: &Ask) -> Answer {
        match ask {
            Ask::Tool { name, .. } if !self.allowed.tools.contains(name) => {
                Answer::Ended(format!("The header does not say that the script uses '{name}': add // @uses {name}"))
            }
            Ask::Tool { name, params } => {
                let fits = |wanted: &Option<Value>| wanted.as_ref().is_none_or(|wanted| same(wanted, params));
                match self.tools.iter().rfind(|(tool, wanted, _)| tool == name && fits(wanted)) {
                    Some((_, _, Ok(value))) => Answer::Value(value.clone()),
                    Some((_, _, Err(message))) => Answer::Failed(message.clone()),
                    None => Answer::Ended(format!("No answer is recorded for {name}({params}): add tool_answer(…).")),
                }
            }
            Ask::Http(request) => {
                let Ok(url) = Url::parse(&request.url) else {
                    return Answer::Ended(format!("'{}' is not an address: begin it with https://", request.url));
                };
                if let Some(refused) = Host::refusal(&self.allowed.hosts, &url) {
                    return Answer::Ended(refused);
                }
                let found = self.requests.iter().rfind(|(m, url, _)| *m == request.method && *url == request.url);
                match found {
                    Some((_, _, answer)) => Answer::Value(with_defaults(answer)),
                    None => Answer::Ended(format!(
                        "No answer is recorded for {} {}: add http_answer(…).",
                        request.method, request.url
                    )),
                }
            }
            _ if !self.allowed.kv => Answer::Ended("The script keeps values: add // @kv to its header".to_owned()),
            Ask::KvGet { key } => Answer::Value(self.kv.get(key).cloned().unwrap_or_default()),
            Ask::KvSet { key, value: Value::Null } => Answer::Value(json!(self.kv.remove(key).is_some())),
            Ask::KvSet { key, value } => {
                self.kv.insert(key.clone(), value.clone());
                Answer::Value(Value::Bool(true))
            }
            Ask::KvKeys => Answer::Value(json!(self.kv.keys().collect::<Vec<_>>())),
        }
    }
}

/// Fills what a recorded answer leaves out with what a plain one has.
fn with_defaults(answer: &Value) -> Value {
    let part = |name: &str, usual: Value| answer.get(name).cloned().unwrap_or(usual);
    let body = match part("body", json!("")) {
        Value::String(text) => text,
        other => other.to_string(),
    };
    json!({"status": part("status", json!(200)), "headers": part("headers", json!({})), "body": body})
}
