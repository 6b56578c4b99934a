//! The settings handed to one run of one tool.

use std::collections::BTreeMap;

use satchel_model::{
    error::{Error, Kind, Result},
    secret::Secret,
};

/// The settings handed to one run of one tool.
#[derive(Debug, Clone, Default)]
pub struct ToolSettings {
    pub(super) values: BTreeMap<String, Secret>,
    /// The keys of those that are secret.
    pub(super) secret: Vec<String>,
}

impl ToolSettings {
    /// A setting's text, its default included; secrets too, for the one place that needs them.
    pub fn get(&self, key: &str) -> Option<&Secret> {
        self.values.get(key)
    }

    /// A setting's text, or an error that says which key to set.
    pub fn require(&self, key: &str) -> Result<&Secret> {
        self.get(key).ok_or_else(|| Error::new(Kind::Unconfigured, format!("Missing required config: {key}.")))
    }

    /// The secret values, to be kept out of everything this run gives back.
    pub fn secrets(&self) -> impl Iterator<Item = &Secret> {
        self.secret.iter().filter_map(|key| self.values.get(key))
    }
}
