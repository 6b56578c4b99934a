//! Rules for arguments: a person's standing yes, question or no to calls of one tool with certain arguments.

mod condition;
mod coverage;
mod derive;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    call::TicketId,
    destination::Destination,
    error::{Error, Result},
    id::{Id, Noun},
    policy::Situation,
    time::Time,
    user::UserId,
};

pub use self::{condition::Condition, derive::conditions};

/// A rule's id.
pub type RuleId = Id<Rule>;

/// Conditions by JSON pointer into the arguments.
pub type When = BTreeMap<String, Condition>;

/// Most conditions of one rule.
const MOST: usize = 50;
/// Most bytes of them, as JSON.
const LARGEST: usize = 16 << 10;

/// A rule's decision on the calls it matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RuleDecision {
    /// The question is spared, where every argument given is named or equals its default.
    Allow,
    /// A person is asked, whatever the risk.
    Ask,
    /// The call is refused.
    Deny,
}

impl RuleDecision {
    /// The word as it stands in rows and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// A rule for arguments.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Rule {
    /// Stable id.
    #[schema(value_type = String, format = "uuid")]
    pub id: RuleId,
    /// The person who made it.
    #[schema(value_type = String, format = "uuid")]
    pub user: UserId,
    /// The name of the person.
    pub username: String,
    /// `true` if it serves everybody, not only whoever made it.
    pub everybody: bool,
    /// Canonical id of the tool.
    pub tool: String,
    /// Conditions by JSON pointer into the tool's own arguments; all of them hold where it matches.
    #[schema(value_type = std::collections::HashMap<String, Condition>)]
    pub when: When,
    /// Its decision.
    pub decision: RuleDecision,
    /// The agent whose calls it is for; null for all, and for calls without one.
    pub agent: Option<String>,
    /// Hosts, with their ports, that the call it was made from reached though its arguments do not name them.
    pub hosts: Vec<String>,
    /// The digest of what a tool that is not built in was when the rule was made: one that is changed asks again.
    #[serde(skip)]
    pub definition: Option<String>,
    /// The time at which it ends.
    pub expires_at: Option<Time>,
    /// The question it was made from.
    #[schema(value_type = Option<String>, format = "uuid")]
    pub ticket: Option<TicketId>,
    /// The time at which it was made.
    pub created_at: Time,
    /// The number of calls it has decided.
    pub uses: i64,
    /// The time of the last of them.
    pub last_used_at: Option<Time>,
}

impl Noun for Rule {
    const NAME: &'static str = "rule";
    const LISTED_AT: &'static str = "/api/rules";
}

/// Gives the place that a path of the person's leads to, without `..` and links; `None` where that is nobody's to say.
pub type Locate<'a> = &'a (dyn Fn(&str) -> Option<String> + Send + Sync);

impl Rule {
    /// Returns whether it is for calls in this situation, at this time.
    pub fn is_for(&self, situation: &Situation, now: Time) -> bool {
        let is_of = self.agent.as_ref().is_none_or(|agent| match self.decision {
            // A yes to one agent is none to another that has it do something.
            RuleDecision::Allow => situation.within.is_empty() && situation.agent.as_ref() == Some(agent),
            _ => situation.agent.iter().chain(&situation.within).any(|one| one == agent),
        });
        is_of && self.expires_at.is_none_or(|end| now < end)
    }

    /// Returns whether it matches these arguments of the tool's own. One that allows matches only what it is sure of and
    /// where nothing is given that it does not name; another one also what it cannot tell.
    pub fn matches(&self, arguments: &Value, schema: &Value, locate: Locate<'_>) -> bool {
        let holds = |(pointer, condition): (&String, &Condition)| {
            let given = arguments.pointer(pointer).or_else(|| coverage::default_at(schema, pointer));
            match (given, self.decision) {
                (None, _) => false,
                (Some(value), RuleDecision::Allow) => condition.holds(value, locate) == Some(true),
                (Some(value), _) => condition.holds(value, locate) != Some(false),
            }
        };
        self.when.iter().all(holds)
            && (self.decision != RuleDecision::Allow || coverage::is_covered(&self.when, arguments, schema))
    }

    /// Returns whether it names this destination.
    pub fn names(&self, place: &Destination) -> bool {
        self.hosts.contains(&place.to_string()) || self.when.values().any(|condition| condition.names(place))
    }

    /// The rule in words, as the audit and cards tell of it.
    pub fn told(&self) -> String {
        format!("rule {} of {}", self.id, self.username)
    }
}

/// Brings conditions to the form they are compared in.
///
/// # Errors
///
/// If there is none, there are too many, or one of them can never hold.
pub fn canonical(when: When) -> Result<When> {
    if when.is_empty() {
        return Err(Error::invalid(
            "`when` names no argument: a rule says which arguments it is for, for instance {\"/path\": {\"prefix\": \
             \"reports/\"}}.",
        ));
    }
    let bytes = serde_json::to_vec(&when).map_err(Error::internal)?.len();
    if when.len() > MOST || bytes > LARGEST {
        return Err(Error::invalid("`when` is too long: at most 50 conditions, and 16 KB."));
    }
    when.into_iter()
        .map(|(pointer, condition)| {
            if !pointer.starts_with('/') || pointer.len() < 2 {
                return Err(Error::invalid(format!(
                    "`when` has '{}': arguments are named by JSON pointers, for instance /path.",
                    super::id::shorten(&pointer)
                )));
            }
            condition.canonical().map(|condition| (pointer, condition))
        })
        .collect()
}

#[cfg(test)]
mod tests;
