//! Everything an administrator may set while the server runs.

mod backups;
mod chat;
mod exec;
mod media;
mod range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::spec::Source;

pub use backups::{BackupSchedule, BackupWeekday, Backups};
pub use chat::{Chat, Exposure, Titles};
pub use exec::{Exec, ExecAsk, ExecMode, ExecSecurity};
pub use media::{Media, MediaModel, MediaPart, SpeechModel, endpoint_address};
pub use range::{RANGES, Range};

/// All settings. Each has a default, so an old stored text still reads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// The kill switch: off stops every tool.
    pub tools_enabled: bool,
    /// Canonical names of tools that are switched off.
    pub disabled_tools: Vec<String>,
    /// Sources whose tools are all switched off.
    #[schemars(with = "Vec<String>")]
    pub disabled_sources: Vec<Source>,
    /// Running commands.
    pub exec: Exec,
    /// The folders file tools may go to.
    pub files: Files,
    /// The chat.
    pub chat: Chat,
    /// The settings of memories.
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
    /// Pictures and speech.
    pub media: Media,
    /// Backups that are made by themselves, and how backups are sealed.
    pub backups: Backups,
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
            media: Media::default(),
            backups: Backups::default(),
        }
    }
}

/// The settings of what is remembered of people.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
#[schema(as = MemorySettings)]
pub struct Memory {
    /// `true` if a conversation that is over leaves an episode: what was asked, which tools were used, how it ended.
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
    /// `true` if a model reads new documents for people, places, things and how they are related. It sends their text
    /// to the connected model.
    pub ask_model: bool,
    /// Tokens this may take in a day (UTC).
    pub daily_tokens: u64,
}

impl Default for Graph {
    fn default() -> Self {
        Self { ask_model: false, daily_tokens: 200_000 }
    }
}

/// The folders file tools and commands may go to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Files {
    /// `workspace` is each user's own folder; other entries are absolute paths open to all who hold the permission.
    pub roots: Vec<String>,
    /// Most each user's own folder holds, in MB.
    pub workspace_mb: u32,
    /// Most files and folders in it.
    pub workspace_files: u32,
    /// MB of the disk that uploads, files of tools and documents leave free for the database. `null` means 500, or 2 % of
    /// a disk of which that is less.
    pub keep_free_mb: Option<u32>,
}

impl Default for Files {
    fn default() -> Self {
        let roots = vec!["workspace".to_owned()];
        Self { roots, workspace_mb: 4_096, workspace_files: 200_000, keep_free_mb: None }
    }
}

impl Files {
    /// Bytes that stay free of a disk of so many.
    pub fn kept_free(&self, disk: u64) -> u64 {
        self.keep_free_mb.map_or_else(|| (500 << 20).min(disk / 50), |mb| u64::from(mb) << 20)
    }
}

/// The model that search by meaning goes by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
#[schema(as = EmbeddingSettings)]
pub struct Embeddings {
    /// `builtin`, the name of a folder below `models` in the data directory, a name of the catalogue, or `none` for search
    /// by words alone. Another one reads everything anew, in the background.
    pub model: String,
    /// `true` if models of the catalogue may be fetched.
    pub downloads: bool,
    /// The address they are fetched from: a mirror has the same paths.
    #[schema(pattern = r"^https?://\S+$")]
    pub catalogue: String,
    /// Texts read at the same time when documents are taken in; `null` means as many as there are processor cores.
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
    /// Most MB of documents that one person adds, those in the trash among them.
    pub person_mb: u32,
    /// Days a deleted document can be restored; 0 removes it at once.
    pub trash_days: u32,
    /// `true` if the chat is given passages that bear on a question without being asked for them.
    pub in_chat: bool,
    /// Most tokens of a turn those passages take.
    pub chat_tokens: u32,
}

impl Default for Knowledge {
    fn default() -> Self {
        Self { max_file_mb: 100, person_mb: 20_480, trash_days: 30, in_chat: true, chat_tokens: 1_500 }
    }
}

/// Requests to other machines.
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
    /// `true` if pages are left alone whose site asks programs to, in its robots.txt.
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
