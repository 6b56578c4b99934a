//! What an administrator may set while the server runs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    error::{Error, Result},
    spec::Source,
};

/// All settings. Each has a default, so an old stored text still reads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// The kill switch: off stops every tool (R41).
    pub tools_enabled: bool,
    /// Canonical names of tools that are switched off.
    pub disabled_tools: Vec<String>,
    /// Sources whose tools are all switched off.
    #[schemars(with = "Vec<String>")]
    pub disabled_sources: Vec<Source>,
    /// Running commands.
    pub exec: Exec,
    /// Where file tools may go.
    pub files: Files,
    /// The chat.
    pub chat: Chat,
    /// What is remembered of people.
    pub memory: Memory,
    /// The graph.
    pub graph: Graph,
    /// Documents.
    pub knowledge: Knowledge,
    /// Requests to other machines.
    pub outbound: Outbound,
    /// Pages and search of the web.
    pub web: Web,
    /// The model that search by meaning goes by.
    pub embeddings: Embeddings,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            tools_enabled: true,
            disabled_tools: Vec::new(),
            disabled_sources: Vec::new(),
            exec: Exec::default(),
            files: Files::default(),
            chat: Chat::default(),
            memory: Memory::default(),
            graph: Graph::default(),
            knowledge: Knowledge::default(),
            outbound: Outbound::default(),
            web: Web::default(),
            embeddings: Embeddings::default(),
        }
    }
}

/// A number among the settings, and what it may be.
struct Range {
    name: &'static str,
    of: fn(&Settings) -> u32,
    least: u32,
    most: u32,
}

const RANGES: [Range; 9] = [
    Range { name: "chat.max_steps", of: |all| all.chat.max_steps, least: 1, most: 200 },
    Range { name: "chat.context_tokens", of: |all| all.chat.context_tokens, least: 1_024, most: u32::MAX },
    Range { name: "knowledge.max_file_mb", of: |all| all.knowledge.max_file_mb, least: 1, most: u32::MAX },
    Range { name: "knowledge.chat_tokens", of: |all| all.knowledge.chat_tokens, least: 100, most: u32::MAX },
    Range { name: "outbound.keep_days", of: |all| all.outbound.keep_days, least: 1, most: u32::MAX },
    Range { name: "outbound.keep_rows", of: |all| all.outbound.keep_rows, least: 1_000, most: u32::MAX },
    Range { name: "web.max_page_mb", of: |all| all.web.max_page_mb, least: 1, most: 64 },
    Range { name: "web.searches_per_minute", of: |all| all.web.searches_per_minute, least: 1, most: u32::MAX },
    Range { name: "embeddings.idle_minutes", of: |all| all.embeddings.idle_minutes, least: 1, most: u32::MAX },
];

impl Range {
    fn told(&self) -> String {
        match self.most {
            u32::MAX => format!("a whole number from {} on", self.least),
            most => format!("a whole number from {} to {most}", self.least),
        }
    }
}

impl Settings {
    /// Fails with the first number that was changed to what it may not be. What stood before is left alone: nothing else,
    /// the kill switch least of all, waits for it to be mended.
    pub fn demand_in_range(&self, before: &Self) -> Result<()> {
        for range in RANGES {
            let number = (range.of)(self);
            if number != (range.of)(before) && !(range.least..=range.most).contains(&number) {
                let (name, told) = (range.name, range.told());
                return Err(Error::invalid(format!("`{name}` must be {told}, not {number}."))
                    .with_details(serde_json::json!({"field": name})));
            }
        }
        Ok(())
    }
}

/// What is remembered of people.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
#[schema(as = MemorySettings)]
pub struct Memory {
    /// Whether a conversation that is over leaves an episode: what was asked, which tools were used, how it ended.
    pub episodes: bool,
}

impl Default for Memory {
    fn default() -> Self {
        Self { episodes: true }
    }
}

/// The graph of documents and what they speak of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
#[schema(as = GraphSettings)]
pub struct Graph {
    /// Whether a model reads new documents for people, places, things and how they are related. It sends their text to
    /// the connected model.
    pub ask_model: bool,
    /// Tokens this may take in a day (UTC).
    pub daily_tokens: u64,
}

impl Default for Graph {
    fn default() -> Self {
        Self { ask_model: false, daily_tokens: 200_000 }
    }
}

/// Running commands (R21). Never a model's parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Exec {
    /// `off` until an administrator enables the sandboxed form.
    pub mode: ExecMode,
    /// Which commands may run.
    pub security: ExecSecurity,
    /// When a person is asked beyond what the risk demands.
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

/// Whether commands run at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExecMode {
    /// exec and process are switched off.
    Off,
    /// They run in the sandbox.
    Sandboxed,
}

/// Which commands may run.
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

/// When a person is asked beyond what the risk demands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExecAsk {
    /// Only as the risk demands.
    Off,
    /// Where the program is not on the allow list.
    #[serde(alias = "on-miss")]
    OnMiss,
    /// Always.
    Always,
}

/// Where file tools and commands may go (R23).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Files {
    /// `workspace` is each user's own folder; other entries are absolute paths open to all who hold the permission.
    pub roots: Vec<String>,
}

impl Default for Files {
    fn default() -> Self {
        Self { roots: vec!["workspace".to_owned()] }
    }
}

/// The chat.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Chat {
    /// Which tools the model is shown (R47).
    pub exposure: Exposure,
    /// The tools `selected` shows, by name.
    pub selected: Vec<String>,
    /// `auto` shows all permitted tools while their schemas fit this many tokens.
    pub tool_token_budget: u32,
    /// Most model calls in one turn.
    pub max_steps: u32,
    /// Tokens a user may spend in a day (UTC); none means no limit.
    pub daily_token_budget: Option<u64>,
    /// Tokens of context where the provider does not say.
    pub context_tokens: u32,
}

impl Default for Chat {
    fn default() -> Self {
        Self {
            exposure: Exposure::Auto,
            selected: Vec::new(),
            tool_token_budget: 8_000,
            max_steps: 25,
            daily_token_budget: None,
            context_tokens: 32_768,
        }
    }
}

/// Which tools the model is shown (R47).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Exposure {
    /// All permitted tools if they fit the budget, else innate tools and `find_tools`.
    Auto,
    /// All permitted tools.
    All,
    /// Those selected.
    Selected,
    /// Innate tools and `find_tools`.
    Discover,
}

/// The model that search by meaning goes by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
#[schema(as = EmbeddingSettings)]
pub struct Embeddings {
    /// `builtin`, the name of a folder below `models` in the data directory, a name of the catalogue, or `none` for search
    /// by words alone. Another one reads everything anew, in the background.
    pub model: String,
    /// Whether models of the catalogue may be fetched.
    pub downloads: bool,
    /// Where they are fetched from: a mirror has the same paths.
    pub catalogue: String,
    /// Texts read at the same time when documents are taken in; none means as many as there are processor cores.
    pub threads: Option<u32>,
    /// Minutes without use after which the model leaves memory.
    pub idle_minutes: u32,
}

impl Default for Embeddings {
    fn default() -> Self {
        Self {
            model: "builtin".to_owned(),
            downloads: false,
            catalogue: "https://huggingface.co/".to_owned(),
            threads: None,
            idle_minutes: 5,
        }
    }
}

/// Documents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Knowledge {
    /// Largest file that is taken in, in MB.
    pub max_file_mb: u32,
    /// Days a deleted document can be restored; 0 removes it at once.
    pub trash_days: u32,
    /// Whether the chat is given passages that bear on a question without being asked for them.
    pub in_chat: bool,
    /// Most tokens of a turn those passages take.
    pub chat_tokens: u32,
}

impl Default for Knowledge {
    fn default() -> Self {
        Self { max_file_mb: 100, trash_days: 30, in_chat: true, chat_tokens: 1_500 }
    }
}

/// Requests to other machines (R48).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Outbound {
    /// Places, as `host:port`, that may be reached although they are not public: this machine, the local network.
    pub exceptions: Vec<String>,
    /// Days the ledger of what went out is kept.
    pub keep_days: u32,
    /// Most rows of that ledger; the oldest go first.
    pub keep_rows: u32,
}

impl Default for Outbound {
    fn default() -> Self {
        Self { exceptions: Vec::new(), keep_days: 90, keep_rows: 1_000_000 }
    }
}

/// Pages and search of the web.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
#[schema(as = WebSettings)]
pub struct Web {
    /// Whether pages are left alone whose site asks programs to, in its robots.txt.
    pub respect_robots: bool,
    /// Most of a page that is read, in MB, unpacked.
    pub max_page_mb: u32,
    /// Searches in a minute, for everybody together.
    pub searches_per_minute: u32,
}

impl Default for Web {
    fn default() -> Self {
        Self { respect_robots: false, max_page_mb: 10, searches_per_minute: 20 }
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
        new.demand_in_range(&old).unwrap();
        for steps in [1, 200] {
            new.chat.max_steps = steps;
            new.demand_in_range(&old).unwrap();
        }
        for wrong in [0, 201] {
            new.chat.max_steps = wrong;
            let told = new.demand_in_range(&Settings::default()).unwrap_err().message().to_owned();
            assert_eq!(told, format!("`chat.max_steps` must be a whole number from 1 to 200, not {wrong}."));
        }
    }

    #[test]
    fn every_default_is_within_its_range() {
        let all = Settings::default();
        for range in RANGES {
            assert!((range.least..=range.most).contains(&(range.of)(&all)), "{}", range.name);
        }
    }

    #[test]
    fn when_to_ask_is_also_read_as_people_write_it() {
        for word in ["on_miss", "on-miss"] {
            let read: ExecAsk = serde_json::from_value(serde_json::json!(word)).unwrap();
            assert_eq!((read, serde_json::json!(read)), (ExecAsk::OnMiss, serde_json::json!("on_miss")));
        }
    }
}
