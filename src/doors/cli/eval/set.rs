//! The files of an evaluation: a set's tools, its needs, and a log of use.

use std::path::Path;

use serde::Deserialize;

use satchel_host::jsonl;
use satchel_model::error::Result;
use satchel_services::find::{profile::Profile, trial::Case};

/// Characters of what else is said of a tool.
const EXTRA: usize = 400;

#[derive(Deserialize)]
struct ToolLine {
    id: String,
    name: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    when_to_use: String,
    #[serde(default)]
    parameters: Vec<ParameterLine>,
    #[serde(default)]
    category: Option<String>,
    #[serde(default)]
    server: Option<String>,
    #[serde(default)]
    server_description: Option<String>,
    #[serde(default)]
    extra: Option<String>,
}

#[derive(Deserialize)]
struct ParameterLine {
    name: String,
    #[serde(default)]
    description: Option<String>,
}

#[derive(Deserialize)]
struct IdLine {
    id: String,
}

#[derive(Deserialize)]
struct NeedLine {
    #[serde(default)]
    id: Option<String>,
    query: String,
    relevant: Vec<String>,
    #[serde(default)]
    groups: Option<Vec<Vec<String>>>,
}

/// A need of a log, and the tools that met it.
pub(super) struct Logged {
    pub(super) need: String,
    pub(super) tools: Vec<String>,
}

/// The tools of a set.
pub(super) fn tools(folder: &Path) -> Result<Vec<Profile>> {
    Ok(jsonl::read::<ToolLine>(&folder.join("tools.jsonl"))?.into_iter().map(Profile::from).collect())
}

/// The needs of a set.
pub(super) fn cases(folder: &Path) -> Result<Vec<Case>> {
    let case = |(number, line): (usize, NeedLine)| Case {
        id: line.id.unwrap_or_else(|| number.to_string()),
        query: line.query,
        groups: line.groups.unwrap_or_else(|| line.relevant.into_iter().map(|id| vec![id]).collect()),
    };
    Ok(jsonl::read(&folder.join("queries.jsonl"))?.into_iter().enumerate().map(case).collect())
}

/// The ids of a catalogue, in order.
pub(super) fn ids(catalogue: &Path) -> Result<Vec<String>> {
    Ok(jsonl::read::<IdLine>(catalogue)?.into_iter().map(|line| line.id).collect())
}

/// The needs of a log.
pub(super) fn log(file: &Path) -> Result<Vec<Logged>> {
    let logged = |line: NeedLine| Logged { need: line.query, tools: line.relevant };
    Ok(jsonl::read(file)?.into_iter().map(logged).collect())
}

impl From<ToolLine> for Profile {
    fn from(line: ToolLine) -> Self {
        let described = |p: ParameterLine| (p.name, p.description.unwrap_or_default());
        let extra = line.extra.filter(|extra| !extra.is_empty());
        Self {
            id: line.id,
            name: line.name,
            aliases: Vec::new(),
            description: line.description,
            when_to_use: line.when_to_use,
            category: line.category.unwrap_or_default(),
            server: line.server.map(|name| (name, line.server_description.unwrap_or_default())),
            parameters: line.parameters.into_iter().map(described).collect(),
            examples: extra.map(|extra| extra.chars().take(EXTRA).collect()).into_iter().collect(),
        }
    }
}
