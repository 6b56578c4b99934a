//! Settings of running commands.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Running commands. Never a model's parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Exec {
    /// `off` until an administrator enables the sandboxed form.
    pub mode: ExecMode,
    /// The commands that may run.
    pub security: ExecSecurity,
    /// The cases in which a person is asked beyond what the risk demands.
    pub ask: ExecAsk,
    /// Programs (first word of a command) that `allowlist` lets through; `*` globs. A listed program may start others,
    /// which are not looked at: a shell, `env`, `xargs`, `find` or an interpreter on this list lets everything through.
    pub allowlist: Vec<String>,
    /// Programs that never run.
    pub blocked: Vec<String>,
}

impl Default for Exec {
    fn default() -> Self {
        Self {
            mode: ExecMode::Off,
            security: ExecSecurity::Full,
            ask: ExecAsk::Off,
            allowlist: Vec::new(),
            blocked: ["sudo", "su", "shutdown", "reboot", "mkfs", "mount", "umount"].map(str::to_owned).to_vec(),
        }
    }
}

/// The mode of commands: whether they run at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExecMode {
    /// exec and process are switched off.
    Off,
    /// They run in the sandbox.
    Sandboxed,
}

/// The commands that may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExecSecurity {
    /// None.
    Deny,
    /// Those on the allow list.
    Allowlist,
    /// All that are not blocked.
    Full,
}

/// The cases in which a person is asked beyond what the risk demands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExecAsk {
    /// Only as the risk demands.
    Off,
    /// If the program is not on the allow list.
    #[serde(alias = "on-miss")]
    OnMiss,
    /// Always.
    Always,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_to_ask_is_also_read_as_people_write_it() {
        for word in ["on_miss", "on-miss"] {
            let read: ExecAsk = serde_json::from_value(serde_json::json!(word)).unwrap();
            assert_eq!((read, serde_json::json!(read)), (ExecAsk::OnMiss, serde_json::json!("on_miss")));
        }
    }
}
