//! A yes for a whole conversation: it covers what it said, in the words the person was shown, and no more.

use super::Tickets;
use satchel_model::{conversation::ConversationId, definition::Definition, error::Result};

/// A yes for a whole conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationApproval {
    /// The conversation.
    pub conversation: ConversationId,
    /// Canonical id of the tool.
    pub tool: String,
    /// Its scope, in the words the person was shown.
    pub scope: String,
    /// The digest of what the tool did then: one that is changed is asked about again.
    pub definition: Definition,
}

impl Tickets {
    /// Remembers that calls of this scope need not ask again. An approval of what the tool was before is replaced.
    pub async fn approve_for(&self, approval: ConversationApproval) -> Result<()> {
        // Its ticket is taken by now, and would stay so.
        self.db
            .write_after_effect(move |tx| {
                let ConversationApproval { conversation, tool, scope, definition } = &approval;
                tx.run(
                    "INSERT INTO approvals (topic, tool, scope, definition) VALUES (?1, ?2, ?3, ?4)
                     ON CONFLICT (topic, tool, scope) DO UPDATE SET definition = excluded.definition",
                    (conversation.to_string(), tool, scope, definition.as_str()),
                )?;
                Ok(())
            })
            .await
    }

    /// Whether the person gave exactly this approval.
    pub async fn approved_for(&self, approval: ConversationApproval) -> Result<bool> {
        self.db
            .read(move |tx| {
                let ConversationApproval { conversation, tool, scope, definition } = &approval;
                let sql = "SELECT 1 FROM approvals WHERE topic = ?1 AND tool = ?2 AND scope = ?3 AND definition = ?4";
                tx.exists(sql, (conversation.to_string(), tool, scope, definition.as_str()))
            })
            .await
    }
}
