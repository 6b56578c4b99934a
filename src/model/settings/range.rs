//! The ranges of the numbers among the settings.

use super::Settings;
use crate::error::{Error, Result};

/// A number among the settings, and what it may be.
pub struct Range {
    /// Its group and its name, with a dot between them.
    pub name: &'static str,
    of: fn(&Settings) -> u32,
    /// The smallest it may be.
    pub least: u32,
    /// The largest it may be.
    pub most: u32,
}

/// The ranges of all numbers that have one.
pub const RANGES: [Range; 14] = [
    Range { name: "chat.max_steps", of: |all| all.chat.max_steps, least: 1, most: 200 },
    Range { name: "chat.context_tokens", of: |all| all.chat.context_tokens, least: 1_024, most: u32::MAX },
    Range { name: "files.workspace_mb", of: |all| all.files.workspace_mb, least: 1, most: u32::MAX },
    Range { name: "files.workspace_files", of: |all| all.files.workspace_files, least: 10, most: 5_000_000 },
    Range { name: "knowledge.max_file_mb", of: |all| all.knowledge.max_file_mb, least: 1, most: u32::MAX },
    Range { name: "knowledge.person_mb", of: |all| all.knowledge.person_mb, least: 1, most: u32::MAX },
    Range { name: "knowledge.chat_tokens", of: |all| all.knowledge.chat_tokens, least: 100, most: u32::MAX },
    Range { name: "outbound.keep_days", of: |all| all.outbound.keep_days, least: 1, most: u32::MAX },
    Range { name: "outbound.keep_rows", of: |all| all.outbound.keep_rows, least: 1_000, most: u32::MAX },
    Range { name: "web.max_page_mb", of: |all| all.web.max_page_mb, least: 1, most: 64 },
    Range { name: "web.searches_per_minute", of: |all| all.web.searches_per_minute, least: 1, most: u32::MAX },
    Range { name: "backups.keep", of: |all| all.backups.keep, least: 1, most: 1_000 },
    Range { name: "backups.keep_days", of: |all| all.backups.keep_days, least: 0, most: 36_500 },
    Range { name: "embeddings.idle_minutes", of: |all| all.embeddings.idle_minutes, least: 1, most: u32::MAX },
];

impl Range {
    fn description(&self) -> String {
        match self.most {
            u32::MAX => format!("a whole number from {} on", self.least),
            most => format!("a whole number from {} to {most}", self.least),
        }
    }
}

impl Settings {
    /// Checks the numbers that were changed. What stood before is left alone: nothing else, the kill switch least of
    /// all, waits for it to be mended.
    ///
    /// # Errors
    ///
    /// With the first one that was changed to what it may not be.
    pub fn ensure_in_range(&self, before: &Self) -> Result<()> {
        for range in RANGES {
            let number = (range.of)(self);
            if number != (range.of)(before) && !(range.least..=range.most).contains(&number) {
                let (name, wanted) = (range.name, range.description());
                return Err(Error::invalid(format!("`{name}` must be {wanted}, not {number}."))
                    .with_details(serde_json::json!({"field": name})));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_changed_within_its_range_and_what_stood_before_is_left_alone() {
        let mut old = Settings::default();
        old.chat.max_steps = 0;
        let mut new = old.clone();
        new.tools_enabled = false;
        new.ensure_in_range(&old).unwrap();
        for steps in [1, 200] {
            new.chat.max_steps = steps;
            new.ensure_in_range(&old).unwrap();
        }
        for wrong in [0, 201] {
            new.chat.max_steps = wrong;
            let message = new.ensure_in_range(&Settings::default()).unwrap_err().message().to_owned();
            assert_eq!(message, format!("`chat.max_steps` must be a whole number from 1 to 200, not {wrong}."));
        }
    }

    #[test]
    fn every_default_is_within_its_range() {
        let all = Settings::default();
        for range in RANGES {
            assert!((range.least..=range.most).contains(&(range.of)(&all)), "{}", range.name);
        }
    }
}
