//! The audit for reading, in the hands of somebody who may.

use satchel_engine::context::Context;
use satchel_model::{audit::Entry, error::Result};
use satchel_store::{audit::Filter, conversations::Conversations};

/// The log of what happened on the platform.
pub struct AuditLog {
    cx: Context,
}

impl AuditLog {
    /// The log in the hands of a run's caller.
    ///
    /// # Errors
    ///
    /// If they may not read the audit.
    pub fn open(cx: &Context) -> Result<Self> {
        cx.caller().require("audit:read")?;
        Ok(Self { cx: cx.clone() })
    }

    /// The newest rows that pass, newest first. Only the caller's own words, said in a clean conversation, are not from
    /// outside: a name at a failed sign-in, an argument of somebody else's, a stranger's refusal may be an order.
    pub async fn find(&self, filter: Filter, limit: u32) -> Result<Vec<Entry>> {
        let (app, taint) = (self.cx.app(), self.cx.taint());
        let entries = app.stores.audit.find(filter, limit).await?;
        let moments = entries.iter().filter_map(|entry| Some((entry.topic?, entry.time))).collect();
        taint.note(Conversations::new(&app.db).origin_among(moments).await?);
        let is_own = |entry: &Entry| entry.own_words && entry.user_id == Some(self.cx.caller().user);
        if let Some(entry) = entries.iter().find(|entry| !is_own(entry)) {
            taint.note_place(&format!("entry {} of the audit", entry.seq));
        }
        Ok(entries)
    }
}
