//! Per-tool configuration (R34).

use std::collections::BTreeMap;

use crate::model::{error::Result, secret::Secret};

/// All tools' configuration.
#[derive(Clone, Default)]
pub struct ToolConfig;

impl ToolConfig {
    /// The stored values of one tool.
    pub async fn values(&self, _tool: &str) -> Result<BTreeMap<String, Secret>> {
        Ok(BTreeMap::new())
    }
}
