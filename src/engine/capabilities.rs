//! The handles a tool gets from its context: each bound to the caller, so that nothing wider can be reached.

use super::context::Context;
use crate::{
    model::{audit::Entry, error::Result},
    store::{
        audit::{Audit, Filter},
        lists::Lists,
        memory::Memories,
        results::Results,
    },
};

impl Context {
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
