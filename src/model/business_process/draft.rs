//! A business process as somebody writes it, and the checks that it can be one.

use std::{borrow::Cow, collections::HashSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Process, ProcessId, ProcessSource, ProcessStatus,
    order::{Waiting, order},
};
use crate::{
    error::{Error, Result},
    id::shorten,
    origin::Origin,
    text::one_line,
    time::Time,
    words,
};

/// Longest name, in characters.
pub const MAX_NAME: usize = 120;
/// Longest description, in characters.
pub const MAX_TEXT: usize = 4_000;
/// Most steps.
pub const MAX_STEPS: usize = 200;
/// Most tags, or dependencies of one step or process.
const MAX_LIST: usize = 50;
/// Longest id of a step, in characters.
const MAX_ID: usize = 60;

/// A business process as somebody writes it: in the console, as YAML, or as a model proposes it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ProcessDraft {
    /// What people call it; no two processes have the same name.
    #[schema(
        min_length = 1,
        max_length = 120,
        pattern = r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$"
    )]
    pub name: String,
    /// The group it belongs to, such as Sales or Finance.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schema(max_length = 120, pattern = r"^[^\x00-\x1f\x7f-\x9f]*$")]
    pub category: String,
    /// Its purpose, and when it begins.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schema(max_length = 4000, pattern = r"^(\r\n|[^\x00-\x08\x0b-\x1f\x7f-\x9f])*$")]
    pub description: String,
    /// Who answers for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 120, pattern = r"^[^\x00-\x1f\x7f-\x9f]*$")]
    pub owner: Option<String>,
    /// Words to find it by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 50)]
    pub tags: Vec<String>,
    /// Names of processes that must be done before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 50)]
    pub depends_on: Vec<String>,
    /// What is done; at least one step.
    #[schema(min_items = 1, max_items = 200)]
    pub steps: Vec<Step>,
}

/// One step of a business process.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ProcessStep)]
#[schemars(rename = "ProcessStep")]
pub struct Step {
    /// A short name for other steps to depend on, such as `check-credit`; made of the name where it is left out.
    #[serde(default)]
    #[schema(max_length = 60, pattern = r"^[^\x00-\x2c\x2f\x3a-\x40\x5b-\x5e\x60\x7b-\x7f]*$")]
    pub id: String,
    /// What is done, in a few words.
    #[schema(
        min_length = 1,
        max_length = 120,
        pattern = r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$"
    )]
    pub name: String,
    /// How it is done.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schema(max_length = 4000, pattern = r"^(\r\n|[^\x00-\x08\x0b-\x1f\x7f-\x9f])*$")]
    pub description: String,
    /// Who does it: a role, a team, a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 120, pattern = r"^[^\x00-\x1f\x7f-\x9f]*$")]
    pub who: Option<String>,
    /// The system or endpoint of the catalog it is done with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 120, pattern = r"^[^\x00-\x1f\x7f-\x9f]*$")]
    pub system: Option<String>,
    /// Ids of the steps that must be done before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 50)]
    pub depends_on: Vec<String>,
}

/// A fault of a draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The step's place, where it is about one.
    pub step: Option<usize>,
    /// A description of what is wrong and what to do.
    pub message: String,
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        Self::invalid(fault.message)
    }
}

type Checked<T> = std::result::Result<T, Fault>;

impl ProcessDraft {
    /// The draft with its texts trimmed and its steps' ids made, if it can be a process.
    pub fn checked(mut self) -> Checked<Self> {
        self.name = line(&self.name, "The name of the process", None)?;
        if self.name.is_empty() {
            return fault(None, "Say the name of the process.");
        }
        self.category = line(&self.category, "The category", None)?;
        self.description = text(&self.description, "The description", None)?;
        self.owner = optional(self.owner, "The owner", None)?;
        self.tags = list(self.tags, "tags", None)?;
        self.depends_on = list(self.depends_on, "processes it depends on", None)?;
        let own = key(&self.name);
        if self.depends_on.iter().any(|name| key(name) == own) {
            return fault(None, format!("The process '{}' depends on itself.", shorten(&self.name)));
        }
        if self.steps.is_empty() {
            return fault(None, format!("The process '{}' has no steps: write at least one.", shorten(&self.name)));
        }
        if self.steps.len() > MAX_STEPS {
            let (count, name) = (self.steps.len(), shorten(&self.name));
            let what =
                format!("The process '{name}' has {count} steps; {MAX_STEPS} are the most. Split it into several.");
            return fault(None, what);
        }
        let steps = std::mem::take(&mut self.steps).into_iter().enumerate();
        self.steps = steps.map(|(at, step)| step.checked(at)).collect::<Checked<_>>()?;
        require_ids(&self.steps)?;
        require_order(&self.steps)?;
        Ok(self)
    }

    /// The process this is where there was none. It must have been checked.
    pub fn into_new(self, source: ProcessSource, origin: Option<Origin>, now: Time) -> Process {
        let status = match source {
            ProcessSource::Proposed => ProcessStatus::Proposed,
            ProcessSource::Written | ProcessSource::Imported => ProcessStatus::Published,
        };
        Process {
            id: ProcessId::new(),
            content: self,
            source,
            status,
            origin,
            revision: 1,
            created_at: now,
            updated_at: now,
        }
    }

    /// Returns the key that processes of one name have in common.
    pub fn key(&self) -> String {
        key(&self.name)
    }

    /// The places of the steps in an order in which they can be done.
    pub fn order(&self) -> Vec<usize> {
        order(&waiting(&self.steps)).unwrap_or_else(|_| (0..self.steps.len()).collect())
    }

    /// Returns its text, for a search by meaning.
    pub fn text(&self) -> String {
        let mut text = format!("{}. {}. {}", self.name, self.category, self.description);
        for step in &self.steps {
            text.push_str(&format!("\n{}. {}", step.name, step.description));
        }
        text.chars().take(2 * MAX_TEXT).collect()
    }

    /// The fields in which another one differs.
    pub fn differs(&self, other: &Self) -> Vec<&'static str> {
        let fields = [
            ("name", self.name != other.name),
            ("category", self.category != other.category),
            ("description", self.description != other.description),
            ("owner", self.owner != other.owner),
            ("tags", self.tags != other.tags),
            ("depends_on", self.depends_on != other.depends_on),
            ("steps", self.steps != other.steps),
        ];
        fields.into_iter().filter_map(|(name, differs)| differs.then_some(name)).collect()
    }
}

impl Step {
    fn checked(self, at: usize) -> Checked<Self> {
        let here = Some(at);
        let name = line(&self.name, &format!("The name of step {}", at + 1), here)?;
        if name.is_empty() {
            return fault(here, format!("Step {} has no name: say what is done.", at + 1));
        }
        let step = shorten(&name);
        let id = match self.id.trim() {
            "" => slug(&name, at),
            id if id.chars().count() > MAX_ID || !id.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c)) => {
                let what = format!("Step '{step}': its id may have {MAX_ID} letters, digits, '-', '_' and '.'.");
                return fault(here, what);
            }
            id => id.to_owned(),
        };
        Ok(Self {
            description: text(&self.description, &format!("The description of step '{step}'"), here)?,
            who: optional(self.who, &format!("Who does step '{step}'"), here)?,
            system: optional(self.system, &format!("The system of step '{step}'"), here)?,
            depends_on: list(self.depends_on, &format!("dependencies of step '{step}'"), here)?,
            id,
            name,
        })
    }
}

fn require_ids(steps: &[Step]) -> Checked<()> {
    let mut seen = HashSet::new();
    for (at, step) in steps.iter().enumerate() {
        if !seen.insert(step.id.as_str()) {
            let what = format!("Two steps have the id '{}': give step '{}' another.", step.id, shorten(&step.name));
            return fault(Some(at), what);
        }
    }
    for (at, step) in steps.iter().enumerate() {
        if let Some(unknown) = step.depends_on.iter().find(|id| !seen.contains(id.as_str())) {
            let all: Vec<&str> = steps.iter().map(|step| step.id.as_str()).take(20).collect();
            let (name, unknown, all) = (shorten(&step.name), shorten(unknown), all.join(", "));
            let what =
                format!("Step '{name}' depends on '{unknown}', which is no step of this process. Steps are: {all}.");
            return fault(Some(at), what);
        }
    }
    Ok(())
}

fn require_order(steps: &[Step]) -> Checked<()> {
    let Err(circle) = order(&waiting(steps)) else { return Ok(()) };
    let at = steps.iter().position(|step| circle.first() == Some(&step.id.as_str()));
    let way = circle.iter().map(|id| format!("'{id}'")).collect::<Vec<_>>().join(" → ");
    fault(at, format!("These steps wait for each other: {way}. Take one of these dependencies away."))
}

fn waiting(steps: &[Step]) -> Vec<Waiting<'_>> {
    steps.iter().map(|step| (step.id.as_str(), step.depends_on.iter().map(String::as_str).collect())).collect()
}

/// Returns the key that two names have in common which differ in case or spaces alone.
pub fn key(name: &str) -> String {
    one_line(name).to_lowercase()
}

fn slug(name: &str, at: usize) -> String {
    let made: String = words::split(name).join("-").chars().take(MAX_ID).collect();
    if made.is_empty() { format!("step-{}", at + 1) } else { made }
}

fn fault<T>(step: Option<usize>, message: impl Into<String>) -> Checked<T> {
    Err(Fault { step, message: message.into() })
}

/// One line, with single spaces.
fn line(given: &str, what: &str, step: Option<usize>) -> Checked<String> {
    let line = one_line(given);
    bounded(line, MAX_NAME, what, step)
}

fn text(given: &str, what: &str, step: Option<usize>) -> Checked<String> {
    bounded(given.trim().replace("\r\n", "\n"), MAX_TEXT, what, step)
}

fn bounded(text: String, most: usize, what: &str, step: Option<usize>) -> Checked<String> {
    let count = text.chars().count();
    if count > most {
        return fault(step, format!("{what} has {count} characters; {most} are the most."));
    }
    match text.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
        Some(_) => fault(step, format!("{what} holds a control character: take it away.")),
        None => Ok(text),
    }
}

fn optional(given: Option<String>, what: &str, step: Option<usize>) -> Checked<Option<String>> {
    let line = given.map(|given| line(&given, what, step)).transpose()?;
    Ok(line.filter(|line| !line.is_empty()))
}

/// Each once, in order, without those that are empty.
fn list(given: Vec<String>, what: &str, step: Option<usize>) -> Checked<Vec<String>> {
    let mut seen = HashSet::new();
    let mut kept = Vec::new();
    for item in given {
        let item = line(&item, &format!("One of the {what}"), step)?;
        if !item.is_empty() && seen.insert(item.clone()) {
            kept.push(item);
        }
    }
    if kept.len() > MAX_LIST {
        return fault(step, format!("There are {} {what}; {MAX_LIST} are the most.", kept.len()));
    }
    Ok(kept)
}

/// Checks that no processes wait for each other.
///
/// # Errors
///
/// If some do; it names the circle.
pub fn require_no_circle<'a>(all: impl Iterator<Item = &'a ProcessDraft>) -> Result<()> {
    let all: Vec<(String, Vec<String>)> =
        all.map(|one| (one.key(), one.depends_on.iter().map(|name| key(name)).collect())).collect();
    let waiting: Vec<Waiting<'_>> =
        all.iter().map(|(name, waits)| (name.as_str(), waits.iter().map(String::as_str).collect())).collect();
    order(&waiting).map(drop).map_err(|circle| {
        let way: Vec<Cow<'_, str>> = circle.into_iter().map(shorten).collect();
        Error::conflict(format!(
            "These processes wait for each other: {}. Take one of these dependencies away.",
            way.join(" → ")
        ))
    })
}

#[cfg(test)]
#[path = "draft_tests.rs"]
mod tests;
