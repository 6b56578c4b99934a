//! An agent as somebody writes it, and what is wrong with it by itself.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{
    error::{Error, Result},
    figure,
    id::shorten,
    policy::{GROUPS, PROFILES},
    provider::parameters::ReasoningEffort,
    settings::Exposure,
    spec::Risk,
    unseen::is_unseen,
    user::Username,
};

/// Longest instructions, in characters.
const INSTRUCTIONS: usize = 32_000;
/// Longest description, in characters.
const DESCRIPTION: usize = 500;
/// Most entries of a list.
const LISTED: usize = 100;
/// Longest entry of a list, in characters.
const LONGEST: usize = 420;
/// The least budget in tokens: less holds no question.
const LEAST: u64 = 1_000;

/// An agent as it is written. What is left out has its default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentDraft {
    /// The name, by which `@name` calls it: 1 to 64 letters, digits, `.`, `_` or `-`.
    #[schema(min_length = 1, max_length = 64, pattern = r"^[\w.-]+$")]
    pub name: String,
    /// Its purpose, in a sentence.
    #[serde(default)]
    #[schema(max_length = 500)]
    pub description: String,
    /// Instructions for its model, besides the platform's own.
    #[serde(default)]
    #[schema(max_length = 32_000)]
    pub instructions: String,
    /// Models it asks, each as `provider:model`, the first to be asked first; empty means those of the settings.
    #[serde(default)]
    pub models: Vec<String>,
    /// Reasoning before an answer; left out, as the provider has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_effort: Option<ReasoningEffort>,
    /// The tools its model is shown; left out, as the settings have it. `selected` shows those that `allow` names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exposure: Option<Exposure>,
    /// The profile that its tools are of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// Tools it may call: names, `group:<name>` or patterns with `*`; empty means all that its person may.
    #[serde(default)]
    pub allow: Vec<String>,
    /// Tools it may not call. This holds over `allow`.
    #[serde(default)]
    pub deny: Vec<String>,
    /// Collections it searches, by id or name; empty means all that its person sees.
    #[serde(default)]
    pub collections: Vec<String>,
    /// Skills it has, by name: it knows what each is for, and reads one when it needs it.
    #[serde(default)]
    pub skills: Vec<String>,
    /// Limits of what it spends.
    #[serde(default)]
    pub budget: AgentBudget,
    /// The highest risk of its calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_risk: Option<Risk>,
    /// `false` makes a specialist, which calls no tools.
    #[serde(default = "yes")]
    pub tools: bool,
    /// Whom it is shared with: `*`, names of roles or of people. Sharing needs `settings:manage`.
    #[serde(default)]
    pub shared_with: Vec<String>,
}

fn yes() -> bool {
    true
}

/// Limits of what an agent spends. An absent one is none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentBudget {
    /// Most tokens of one run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1_000)]
    pub tokens_per_run: Option<u64>,
    /// Most tokens a day (UTC) for each person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1_000)]
    pub tokens_per_day: Option<u64>,
    /// Most model calls of one run. The platform's own limit holds besides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 500)]
    pub steps: Option<u32>,
}

impl AgentDraft {
    /// One of this name, with the default of everything else.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            description: String::new(),
            instructions: String::new(),
            models: Vec::new(),
            reasoning_effort: None,
            exposure: None,
            profile: None,
            allow: Vec::new(),
            deny: Vec::new(),
            collections: Vec::new(),
            skills: Vec::new(),
            budget: AgentBudget::default(),
            max_risk: None,
            tools: true,
            shared_with: Vec::new(),
        }
    }

    /// The key by which its name is compared.
    pub fn key(&self) -> String {
        self.name.to_lowercase()
    }

    /// The same, trimmed.
    ///
    /// # Errors
    ///
    /// If a part of it is out of its bounds: the field is named in the details.
    pub fn checked(mut self) -> Result<Self> {
        self.name = self.name.trim().to_owned();
        let is_plain = !self.name.contains('@') && Username::try_from(self.name.clone()).is_ok();
        if !is_plain {
            let message = "An agent's name is 1 to 64 letters of one script, digits, '.', '_' or '-', so that people can \
                           write @name and none passes for another.";
            return Err(wrong("name", message));
        }
        self.description = text("description", self.description, DESCRIPTION)?;
        if self.description.contains(is_unseen) {
            return Err(wrong("description", "The description is one line without characters that cannot be seen."));
        }
        self.instructions = text("instructions", self.instructions, INSTRUCTIONS)?;
        for (field, entries) in [
            ("models", &mut self.models),
            ("allow", &mut self.allow),
            ("deny", &mut self.deny),
            ("collections", &mut self.collections),
            ("skills", &mut self.skills),
            ("shared_with", &mut self.shared_with),
        ] {
            *entries = list(field, std::mem::take(entries))?;
        }
        if let Some(name) = self.profile.as_deref()
            && !PROFILES.iter().any(|(known, _)| *known == name)
        {
            let known = names(PROFILES);
            let message = format!("There is no profile '{}': there are {known}.", shorten(name));
            return Err(wrong("profile", message));
        }
        for entry in self.allow.iter().chain(&self.deny).filter_map(|entry| entry.strip_prefix("group:")) {
            if !GROUPS.iter().any(|(known, _)| *known == entry) {
                let known = names(GROUPS);
                let is_allowed = self.allow.iter().any(|one| one.strip_prefix("group:") == Some(entry));
                let field = if is_allowed { "allow" } else { "deny" };
                return Err(wrong(field, format!("There is no group '{}': there are {known}.", shorten(entry))));
            }
        }
        self.budget.check()?;
        Ok(self)
    }
}

/// The names of a table, for messages.
fn names(table: &[(&'static str, &[&str])]) -> String {
    table.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

impl AgentBudget {
    fn check(self) -> Result<()> {
        let named = [("tokens_per_run", self.tokens_per_run), ("tokens_per_day", self.tokens_per_day)];
        if let Some((field, _)) = named.into_iter().find(|(_, most)| most.is_some_and(|most| most < LEAST)) {
            let least = figure::grouped(LEAST);
            let message = format!("A budget of fewer than {least} tokens ('{field}') holds no question.");
            return Err(wrong(field, message));
        }
        match self.steps {
            Some(0 | 501..) => Err(wrong("steps", "A run has 1 to 500 steps.")),
            _ => Ok(()),
        }
    }
}

/// A text of so many characters at most, without what stands around it.
fn text(field: &str, text: String, most: usize) -> Result<String> {
    let count = text.chars().count();
    if count <= most {
        return Ok(text.trim().to_owned());
    }
    let (most, count) = (figure::grouped(most as u64), figure::grouped(count as u64));
    Err(wrong(field, format!("The {field} of an agent may have {most} characters, and here are {count}.")))
}

/// Entries without blanks, each once.
fn list(field: &str, entries: Vec<String>) -> Result<Vec<String>> {
    let mut kept: Vec<String> = Vec::new();
    for entry in entries {
        let entry = entry.trim().to_owned();
        if entry.chars().count() > LONGEST {
            return Err(wrong(field, format!("An entry of '{field}' has at most {LONGEST} characters.")));
        }
        if !entry.is_empty() && !kept.contains(&entry) {
            kept.push(entry);
        }
    }
    if kept.len() > LISTED {
        let message =
            format!("'{field}' has at most {LISTED} entries: patterns such as `catalog:*` name many at once.");
        return Err(wrong(field, message));
    }
    Ok(kept)
}

/// An error that names its field in the details.
pub fn wrong(field: &str, message: impl Into<String>) -> Error {
    Error::invalid(message).with_details(json!({ "field": field }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(value: serde_json::Value) -> Option<String> {
        let draft: AgentDraft = serde_json::from_value(value).unwrap();
        Some(draft.checked().err()?.details().unwrap()["field"].as_str().unwrap().to_owned())
    }

    #[test]
    fn each_part_has_its_bounds() {
        for (part, field) in [
            (json!({"name": "two words"}), Some("name")),
            (json!({"name": "a@b"}), Some("name")),
            (json!({"name": "аda"}), Some("name")),
            (json!({"name": " ada "}), None),
            (json!({"instructions": "x".repeat(1 << 20)}), Some("instructions")),
            (json!({"description": "x".repeat(501)}), Some("description")),
            (json!({"description": "a\u{202e}b"}), Some("description")),
            (json!({"profile": "everything"}), Some("profile")),
            (json!({"profile": "coding"}), None),
            (json!({"allow": ["group:files"]}), Some("allow")),
            (json!({"deny": ["group:fss"]}), Some("deny")),
            (json!({"allow": ["group:fs", "ca*"]}), None),
            (json!({"models": ["x".repeat(500)]}), Some("models")),
            (json!({"budget": {"tokens_per_run": 999}}), Some("tokens_per_run")),
            (json!({"skills": ["x".repeat(500)]}), Some("skills")),
            (json!({"skills": ["tables"]}), None),
            (json!({"budget": {"steps": 0}}), Some("steps")),
            (json!({"budget": {"steps": 500, "tokens_per_day": 1_000}}), None),
        ] {
            let mut whole = json!({"name": "reader"});
            whole.as_object_mut().unwrap().extend(part.as_object().unwrap().clone());
            assert_eq!(refusal(whole).as_deref(), field, "{part:.200}");
        }
    }

    #[test]
    fn blanks_and_repeated_entries_are_left_out() {
        let draft = json!({"name": "a", "allow": [" read ", "read", ""]});
        let draft: AgentDraft = serde_json::from_value(draft).unwrap();
        assert_eq!(draft.checked().unwrap().allow, ["read"]);
    }

    #[test]
    fn a_draft_has_the_fields_that_are_known() {
        assert!(serde_json::from_value::<AgentDraft>(json!({"name": "a", "skill": ["x"]})).is_err());
    }
}
