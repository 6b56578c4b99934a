//! The work of a job, as it is written and as it is read.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::name_from;
use crate::{
    agent::ASSISTANT,
    error::{Error, Result},
    text::clip,
};

/// The name under which params take a value of what a webhook carries.
const WEBHOOK: &str = "$webhook";
/// Most characters of a message.
const MAX_MESSAGE: usize = 4_000;
/// Most characters of a task.
const MAX_TASK: usize = 20_000;
/// Most bytes of a tool's params.
const MAX_PARAMS: usize = 64 << 10;
/// The work of a job: exactly one of a tool's call, a backup, a message to the inbox, and an agent's task.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = JobDo)]
pub struct Do {
    /// The tool it calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The arguments. With a webhook, `{"$webhook": "/a/pointer"}` stands for the value that its body has there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub params: Option<Value>,
    /// Makes a backup, as the settings have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backup: Option<Backup>,
    /// Puts this text into the owner's inbox.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The agent that does the task; `assistant` if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The task of an agent, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
}

/// A backup as the settings have it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = JobBackup)]
pub struct Backup {}

/// The work of a job.
#[derive(Debug, Clone, PartialEq)]
pub enum Deed {
    /// A tool's call.
    Tool {
        /// Its name.
        tool: String,
        /// Its arguments.
        params: Value,
    },
    /// A backup.
    Backup,
    /// A text for the owner's inbox.
    Message(String),
    /// An agent's task.
    Task {
        /// The agent.
        agent: String,
        /// The task.
        task: String,
    },
}

impl Do {
    /// The deed.
    ///
    /// # Errors
    ///
    /// If there is none, or several, or a text is empty or too long.
    pub fn check(self) -> Result<Deed> {
        let Self { tool, params, backup, message, agent, task } = self;
        let agents = agent.is_some() || task.is_some();
        let kinds = [tool.is_some(), backup.is_some(), message.is_some(), agents];
        if kinds.into_iter().filter(|given| *given).count() != 1 || (params.is_some() && tool.is_none()) {
            return Err(Error::invalid(
                "'do' has exactly one kind: 'tool' with 'params', 'backup', 'message', or 'agent' with 'task'.",
            ));
        }
        if let Some(tool) = tool {
            let params = params.unwrap_or_else(|| json!({}));
            if params.to_string().len() > MAX_PARAMS {
                return Err(Error::invalid("The params of a job are 64 KB at most: keep larger things in a file."));
            }
            return Ok(Deed::Tool { tool, params });
        }
        if let Some(message) = message {
            return text(message, "message", MAX_MESSAGE).map(Deed::Message);
        }
        if backup.is_some() {
            return Ok(Deed::Backup);
        }
        let task = text(task.unwrap_or_default(), "task", MAX_TASK)?;
        Ok(Deed::Task { agent: agent.unwrap_or_else(|| ASSISTANT.to_owned()), task })
    }
}

fn text(text: String, name: &str, most: usize) -> Result<String> {
    let length = text.trim().chars().count();
    if (1..=most).contains(&length) {
        return Ok(text.trim().to_owned());
    }
    Err(Error::invalid(format!("'{name}' is a text of 1 to {most} characters.")))
}

impl From<&Deed> for Do {
    fn from(deed: &Deed) -> Self {
        match deed.clone() {
            Deed::Tool { tool, params } => Self { tool: Some(tool), params: Some(params), ..Self::default() },
            Deed::Backup => Self { backup: Some(Backup {}), ..Self::default() },
            Deed::Message(message) => Self { message: Some(message), ..Self::default() },
            Deed::Task { agent, task } => Self { agent: Some(agent), task: Some(task), ..Self::default() },
        }
    }
}

impl Deed {
    /// A name for the job that does it.
    pub fn name(&self) -> String {
        match self {
            Self::Tool { tool, .. } => name_from(tool),
            Self::Backup => "Backup".to_owned(),
            Self::Message(text) | Self::Task { task: text, .. } => name_from(text),
        }
    }

    /// Returns whether it takes values of what a webhook carries.
    pub fn reads_webhook(&self) -> bool {
        matches!(self, Self::Tool { params, .. } if has_reference(params))
    }
}

/// The pointer, where a value stands for a part of what a webhook carries.
fn reference(value: &Value) -> Option<&str> {
    value.as_object().filter(|map| map.len() == 1)?.get(WEBHOOK)?.as_str()
}

/// Returns whether a value takes something of what a webhook carries.
pub fn has_reference(value: &Value) -> bool {
    reference(value).is_some()
        || match value {
            Value::Array(all) => all.iter().any(has_reference),
            Value::Object(all) => all.values().any(has_reference),
            _ => false,
        }
}

/// Params with the values of what a webhook carried.
///
/// # Errors
///
/// If it has nothing at a pointer.
pub fn filled(params: &Value, body: &Value) -> Result<Value> {
    if let Some(pointer) = reference(params) {
        let found = body.pointer(pointer).cloned();
        return found.ok_or_else(|| {
            Error::invalid(format!("What the webhook carried has nothing at '{}'. Nothing ran.", clip(pointer, 80)))
        });
    }
    Ok(match params {
        Value::Array(all) => Value::Array(all.iter().map(|one| filled(one, body)).collect::<Result<_>>()?),
        Value::Object(all) => {
            let one = |(name, value): (&String, &Value)| Ok((name.clone(), filled(value, body)?));
            Value::Object(all.iter().map(one).collect::<Result<_>>()?)
        }
        other => other.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn params_take_values_of_what_a_webhook_carries() {
        let params = json!({"list": "inbox", "items": [{"$webhook": "/title"}], "whole": {"$webhook": ""}});
        let deed = Deed::Tool { tool: "list".to_owned(), params: params.clone() };
        assert!(deed.reads_webhook());
        let body = json!({"title": "Tea"});
        let wanted = json!({"list": "inbox", "items": ["Tea"], "whole": {"title": "Tea"}});
        assert_eq!(filled(&params, &body).unwrap(), wanted);
        let missing = filled(&params, &json!({})).unwrap_err();
        assert_eq!(missing.message(), "What the webhook carried has nothing at '/title'. Nothing ran.");
    }

    #[test]
    fn a_task_is_the_assistants_unless_an_agent_is_named() {
        let deed: Do = serde_json::from_value(json!({"task": " Sum up the day \n"})).unwrap();
        let wanted = Deed::Task { agent: "assistant".to_owned(), task: "Sum up the day".to_owned() };
        assert_eq!(deed.check().unwrap(), wanted);
        let deed: Do = serde_json::from_value(json!({"backup": {}})).unwrap();
        assert_eq!(deed.check().unwrap(), Deed::Backup);
    }
}
