//! Skills: folders with a SKILL.md that say how a kind of task is done, in the form of agentskills.io.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{error::Error, id::shorten, origin::Origin, time::Time, user::UserId};

/// Most bytes of a SKILL.md.
pub const MAX_TEXT: usize = 128 << 10;
/// Most files of a skill.
pub const MAX_FILES: usize = 200;
/// Most bytes of all its files.
pub const MAX_BYTES: usize = 8 << 20;

/// The head of a SKILL.md, checked by the rules of the form.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SkillHead {
    /// Its name: letters in lower case, digits and single hyphens, 64 at most.
    #[schema(max_length = 64)]
    pub name: String,
    /// Its purpose, and when it is to be used.
    #[schema(max_length = 1024)]
    pub description: String,
    /// The licence it names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub license: Option<String>,
    /// The surroundings it needs, in its words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 500)]
    pub compatibility: Option<String>,
    /// Whatever else its head holds.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<String, String>,
    /// Tools it asks for, as it writes them. While it is active nothing else is called; empty means that it narrows nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allowed_tools: Vec<String>,
}

impl SkillHead {
    /// The names of the tools it asks for: of `Bash(git:*)` the tool, for what stands in brackets is no name.
    pub fn tool_names(&self) -> Vec<String> {
        let bare = |entry: &String| entry.split('(').next().unwrap_or_default().trim().to_lowercase();
        self.allowed_tools.iter().map(bare).filter(|name| !name.is_empty()).collect()
    }
}

/// A file beside a SKILL.md.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SkillFile {
    /// Its path within the folder.
    pub path: String,
    /// Its length.
    pub bytes: u64,
}

/// A skill as it was read: its head, its text, and its files, whose bytes come after one another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillRead {
    /// The head.
    pub head: SkillHead,
    /// The text below the head.
    pub body: String,
    /// The files, SKILL.md not among them.
    pub files: Vec<SkillFile>,
}

/// A skill that was taken in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Skill {
    /// The head of its SKILL.md.
    #[serde(flatten)]
    pub head: SkillHead,
    /// The place it was taken from: `upload`, or an address.
    pub source: String,
    /// The digest of all of it: whoever trusts a skill names it, so that nobody trusts what they have not read.
    pub digest: String,
    /// The person who took it in.
    #[schema(value_type = Option<String>, format = "uuid")]
    pub owner: Option<UserId>,
    /// Their name.
    pub owner_name: String,
    /// The name of the administrator who trusts it. Until one does, its text is content from outside.
    pub trusted_by: Option<String>,
    /// Its origin, until it is trusted.
    pub origin: Option<Origin>,
    /// The number of its files, SKILL.md not among them.
    pub files_count: u32,
    /// The tokens of its text, about.
    pub tokens: u64,
    /// The time at which it was taken in.
    pub created_at: Time,
    /// The time at which it was replaced last.
    pub updated_at: Time,
}

/// A skill with all that it says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct WholeSkill {
    /// The skill.
    #[serde(flatten)]
    pub skill: Skill,
    /// The text below its head, Markdown.
    pub body: String,
    /// Its files.
    pub files: Vec<SkillFile>,
}

/// A skill that is active in a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActiveSkill {
    /// Its name.
    pub name: String,
    /// The tools that are called while it is active; empty means that it narrows nothing.
    pub allowed: Vec<String>,
    /// Its text, as it was when it became active.
    pub body: String,
}

/// The answer for a skill that is not there.
pub fn unknown(name: &str) -> Error {
    Error::not_found(format!("There is no skill '{}': see the list of skills.", shorten(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_is_asked_for_by_its_name_whatever_stands_in_brackets() {
        let head = SkillHead {
            allowed_tools: ["Read", "Bash(git:*)", "web_fetch", "(odd)"].map(str::to_owned).to_vec(),
            ..SkillHead::default()
        };
        assert_eq!(head.tool_names(), ["read", "bash", "web_fetch"]);
    }
}
