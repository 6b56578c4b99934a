//! Tools found in a conversation, which stay in its model's context (R47).

use super::db::Db;
use crate::model::{conversation::ConversationId, error::Result};

/// Keeps these tools, by id, in the conversation's context.
pub async fn promote(db: &Db, topic: ConversationId, tools: Vec<String>) -> Result<()> {
    db.write(move |c| {
        let mut statement = c.prepare_cached("INSERT OR IGNORE INTO promotions (topic, tool) VALUES (?1, ?2)")?;
        for tool in tools {
            statement.execute((topic.to_string(), tool))?;
        }
        Ok(())
    })
    .await
}

/// The ids of the tools that were found in the conversation.
pub async fn promoted(db: &Db, topic: ConversationId) -> Result<Vec<String>> {
    db.read(move |c| {
        let mut statement = c.prepare_cached("SELECT tool FROM promotions WHERE topic = ?1 ORDER BY tool")?;
        let rows = statement.query_map([topic.to_string()], |row| row.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    })
    .await
}
