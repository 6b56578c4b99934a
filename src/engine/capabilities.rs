//! The handles a tool gets from its context: each bound to the caller, so that nothing wider can be reached.

use super::{
    context::Context,
    search::{self, Hit},
};
use crate::{
    host::{
        files::Rooted,
        fonts,
        process::OwnProcesses,
        sandbox::{Command, Finished},
    },
    model::{audit::Entry, error::Result},
    store::{
        audit::{Audit, Filter},
        clipboard,
        lists::Lists,
        memory::Memories,
        promotions,
        results::Results,
    },
};

impl Context {
    /// The best tools for a need, among those the caller may call.
    pub fn find_tools(&self, need: &str, limit: usize) -> Vec<Hit> {
        search::find(&self.registry(), self.caller(), &self.platform(), need, limit)
    }

    /// Keeps tools in this conversation's context; does nothing outside one.
    pub async fn promote(&self, tools: Vec<String>) -> Result<()> {
        match self.topic() {
            Some(topic) if !tools.is_empty() => promotions::promote(&self.app().db, topic, tools).await,
            _ => Ok(()),
        }
    }

    /// The caller's files.
    pub fn files(&self) -> Result<Rooted> {
        self.app().workspaces.of(self.caller().user, &self.platform().files.roots)
    }

    /// Does heavy work beside the async threads, when it is its turn.
    pub async fn work<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce() -> Result<T> + Send + 'static,
    {
        self.app().work.run(work).await
    }

    /// The first font of this machine that suits.
    pub async fn font(&self, suits: impl Fn(&[u8]) -> bool + Send + 'static) -> Result<Option<Vec<u8>>> {
        self.work(move || Ok(fonts::find(suits))).await
    }

    /// Runs a command in the sandbox; it ends with the call.
    pub async fn run_command(&self, command: Command) -> Result<Finished> {
        self.app().sandbox.run(&self.files()?, command, self.cancelled()).await
    }

    /// The caller's background processes.
    pub fn processes(&self) -> Result<OwnProcesses> {
        Ok(self.app().processes.of(self.caller().user, self.files()?))
    }

    /// The text on the desktop's clipboard where there is one, else on the caller's own.
    pub async fn read_clipboard(&self) -> Result<String> {
        match &self.app().desktop {
            Some(desktop) => desktop.read().await,
            None => clipboard::read(&self.app().db, self.caller().user).await,
        }
    }

    /// Replaces what that clipboard holds.
    pub async fn write_clipboard(&self, text: String) -> Result<()> {
        match &self.app().desktop {
            Some(desktop) => desktop.write(text).await,
            None => clipboard::write(&self.app().db, self.caller().user, text, self.now()).await,
        }
    }

    /// What is remembered of the caller.
    pub fn memories(&self) -> Memories {
        Memories::of(&self.app().db, self.caller().user)
    }

    /// The caller's lists.
    pub fn lists(&self) -> Lists {
        Lists::of(&self.app().db, self.caller().user)
    }

    /// Long results of this conversation.
    pub fn results(&self) -> Results {
        Results::of(&self.app().db, self.caller().user, self.topic())
    }

    /// What happened on the platform. Fails where the caller may not read the audit.
    pub fn audit_log(&self) -> Result<AuditLog> {
        self.caller().demand("audit:read")?;
        Ok(AuditLog { audit: self.app().audit.clone() })
    }
}

/// The audit for reading, in the hands of somebody who may.
pub struct AuditLog {
    audit: Audit,
}

impl AuditLog {
    /// The newest rows that pass, newest first.
    pub async fn find(&self, filter: Filter, limit: u32) -> Result<Vec<Entry>> {
        self.audit.find(filter, limit).await
    }
}
