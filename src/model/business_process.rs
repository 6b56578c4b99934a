//! Business processes: how the work of an organization is done, step by step. Not the programs of this machine.

pub mod draft;
pub mod order;

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use self::draft::ProcessDraft;
use super::{
    error::{Error, Result},
    id::{Id, Noun, shorten},
    origin::Origin,
    time::Time,
};

/// A business process's id.
pub type ProcessId = Id<Process>;

/// A business process.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Process {
    /// Stable id.
    #[schema(value_type = String, format = "uuid")]
    pub id: ProcessId,
    /// The text somebody wrote of it, checked.
    #[serde(flatten)]
    pub content: ProcessDraft,
    /// The origin.
    pub source: ProcessSource,
    /// The status: whether it counts.
    pub status: ProcessStatus,
    /// Origin of a proposal's material, if from outside; publishing it is its review.
    pub origin: Option<Origin>,
    /// Counted at every change.
    pub revision: u32,
    /// The time at which it was made.
    pub created_at: Time,
    /// The last change.
    pub updated_at: Time,
}

impl Noun for Process {
    const NAME: &'static str = "process";
}

/// The origin of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProcessSource {
    /// A person wrote it in the console.
    Written,
    /// A person brought it in as YAML.
    Imported,
    /// A model proposed it.
    Proposed,
}

/// The status of a process: whether it counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProcessStatus {
    /// A model proposed it and nobody has decided: no tool finds it.
    Proposed,
    /// It is found.
    Published,
}

impl ProcessSource {
    /// The word as it stands in rows and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Written => "written",
            Self::Imported => "imported",
            Self::Proposed => "proposed",
        }
    }
}

impl ProcessStatus {
    /// The word as it stands in rows and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Proposed => "proposed",
            Self::Published => "published",
        }
    }
}

impl FromStr for ProcessSource {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let all = [Self::Written, Self::Imported, Self::Proposed];
        all.into_iter().find(|one| one.as_str() == text).ok_or_else(|| unknown("source", text))
    }
}

impl FromStr for ProcessStatus {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let all = [Self::Proposed, Self::Published];
        all.into_iter().find(|one| one.as_str() == text).ok_or_else(|| unknown("status", text))
    }
}

fn unknown(what: &str, text: &str) -> Error {
    Error::invalid(format!("'{}' is no {what} of a process.", shorten(text)))
}

impl Process {
    /// Returns whether it is found.
    pub fn is_published(&self) -> bool {
        self.status == ProcessStatus::Published
    }
}
