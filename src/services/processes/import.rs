//! Bringing processes in as YAML: what would change, shown before anything does.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use satchel_formats::processes;
use satchel_model::{
    business_process::{Process, ProcessId, draft::ProcessDraft, draft::key},
    error::{Error, Result},
    id::shorten,
};
use satchel_store::processes::Import;

/// The difference between a process of a text and what is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ProcessChangeKind)]
pub enum Change {
    /// There is none of this name.
    New,
    /// It says something else than the one there is.
    Changed,
    /// It says the same.
    Same,
}

/// A process of a text, compared.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
#[schema(as = ProcessDifference)]
pub struct Difference {
    /// Its name.
    pub name: String,
    /// Its category.
    pub category: String,
    /// Its steps, counted.
    pub steps: usize,
    /// The difference to what is known.
    pub change: Change,
    /// The process it changes.
    #[schema(value_type = Option<String>, format = "uuid")]
    pub id: Option<ProcessId>,
    /// The revision of it that was compared.
    pub revision: Option<u32>,
    /// The fields in which they differ.
    pub differs: Vec<&'static str>,
    /// The one there is, as YAML.
    pub before: String,
    /// The one of the text, as YAML.
    pub after: String,
}

/// A process that was chosen from a text.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ProcessChoice)]
pub struct Choice {
    /// Its name.
    pub name: String,
    /// The revision it was compared with; null where there was none.
    pub revision: Option<u32>,
}

/// Compares the processes of a text with those that are known.
pub fn compare(drafts: &[ProcessDraft], known: &[Process]) -> Result<Vec<Difference>> {
    let known: HashMap<String, &Process> = known.iter().map(|one| (one.content.key(), one)).collect();
    drafts.iter().map(|draft| difference(known.get(&draft.key()).copied(), draft)).collect()
}

fn difference(known: Option<&Process>, draft: &ProcessDraft) -> Result<Difference> {
    let differs = known.map(|known| known.content.differs(draft)).unwrap_or_default();
    let change = match known {
        None => Change::New,
        // To publish a proposal is a change, too.
        Some(known) if differs.is_empty() && known.is_published() => Change::Same,
        Some(_) => Change::Changed,
    };
    let yaml = |draft: &ProcessDraft| processes::write(std::slice::from_ref(draft));
    Ok(Difference {
        name: draft.name.clone(),
        category: draft.category.clone(),
        steps: draft.steps.len(),
        change,
        id: known.map(|known| known.id),
        revision: known.map(|known| known.revision),
        differs,
        before: known.map(|known| yaml(&known.content)).transpose()?.unwrap_or_default(),
        after: yaml(draft)?,
    })
}

/// Returns what is to be taken in of a text: what was chosen, or all of it. What says nothing new is left alone.
pub fn plan(drafts: Vec<ProcessDraft>, known: &[Process], choices: Option<Vec<Choice>>) -> Result<Vec<Import>> {
    let compared = compare(&drafts, known)?;
    let mut chosen: HashMap<String, Option<u32>> = HashMap::new();
    for choice in choices.iter().flatten() {
        let wanted = key(&choice.name);
        if !drafts.iter().any(|draft| draft.key() == wanted) {
            let name = shorten(&choice.name);
            return Err(Error::invalid(format!("The text has no process '{name}': choose among those it has.")));
        }
        chosen.insert(wanted, choice.revision);
    }
    let mut imports = Vec::new();
    for (draft, found) in drafts.into_iter().zip(compared) {
        let read = chosen.get(&draft.key()).copied();
        if found.change == Change::Same || (choices.is_some() && read.is_none()) {
            continue;
        }
        imports.push(Import { draft, read });
    }
    Ok(imports)
}
