//! The status of a system: a new one is a draft, and only people let it be called.

use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// The state of a system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SystemStatus {
    /// Registered, not yet let loose: nothing calls it.
    Draft,
    /// It may be called.
    Active,
    /// It may be called, and people know that it fails at times.
    Degraded,
    /// Switched off.
    Disabled,
    /// Gone for good: nothing leads out of this.
    Deprecated,
}

use SystemStatus::{Active, Degraded, Deprecated, Disabled, Draft};

impl SystemStatus {
    /// The word as it stands in rows and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Draft => "draft",
            Active => "active",
            Degraded => "degraded",
            Disabled => "disabled",
            Deprecated => "deprecated",
        }
    }

    /// Returns the states that may come after it.
    pub fn next(self) -> &'static [Self] {
        match self {
            Draft => &[Active],
            Active => &[Disabled, Deprecated, Degraded],
            Disabled => &[Active, Deprecated],
            Degraded => &[Active, Disabled],
            Deprecated => &[],
        }
    }

    /// Checks that `to` may come next.
    ///
    /// # Errors
    ///
    /// If it may not, with what is allowed.
    pub fn require_next(self, to: Self) -> Result<()> {
        if self.next().contains(&to) {
            return Ok(());
        }
        let allowed: Vec<&str> = self.next().iter().map(|status| status.as_str()).collect();
        let told = match allowed.as_slice() {
            [] => format!("A {} system stays as it is: register it anew.", self.as_str()),
            [one] => format!("From {} it can only become {one}.", self.as_str()),
            many => format!("From {} it can become: {}.", self.as_str(), many.join(", ")),
        };
        Err(Error::conflict(format!("The system is {} and cannot become {}. {told}", self.as_str(), to.as_str())))
    }

    /// Returns whether it may be called.
    pub fn is_callable(self) -> bool {
        matches!(self, Active | Degraded)
    }

    /// Checks that it may be called.
    ///
    /// # Errors
    ///
    /// If it may not, with what to do.
    pub fn require_callable(self, name: &str) -> Result<()> {
        let what = match self {
            Active | Degraded => return Ok(()),
            Draft => "is a draft: an administrator activates it in the console, under Catalog, before it is called",
            Disabled => "is disabled: an administrator can activate it again in the console, under Catalog",
            Deprecated => "is deprecated and is not called any more: use another one",
        };
        Err(Error::conflict(format!("The system '{name}' {what}.")))
    }
}

impl FromStr for SystemStatus {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let all = [Draft, Active, Degraded, Disabled, Deprecated];
        all.into_iter()
            .find(|status| status.as_str() == text)
            .ok_or_else(|| Error::invalid("The status of a system is draft, active, degraded, disabled or deprecated."))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_the_declared_transitions_are_allowed() {
        let all = [Draft, Active, Degraded, Disabled, Deprecated];
        let mut allowed = Vec::new();
        for from in all {
            allowed.extend(all.into_iter().filter(|to| from.require_next(*to).is_ok()).map(|to| (from, to)));
        }
        let wanted = [
            (Draft, Active),
            (Active, Degraded),
            (Active, Disabled),
            (Active, Deprecated),
            (Degraded, Active),
            (Degraded, Disabled),
            (Disabled, Active),
            (Disabled, Deprecated),
        ];
        assert_eq!(allowed, wanted);
    }

    #[test]
    fn a_refusal_says_what_is_allowed() {
        let told = |from: SystemStatus, to| from.require_next(to).unwrap_err().message().to_owned();
        assert!(told(Draft, Disabled).ends_with("From draft it can only become active."));
        assert!(told(Active, Draft).ends_with("From active it can become: disabled, deprecated, degraded."));
        assert!(told(Deprecated, Active).contains("stays as it is"));
        assert!(Draft.require_callable("CRM").unwrap_err().message().contains("administrator activates"));
    }
}
