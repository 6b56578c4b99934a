//! Tools found in a conversation, which stay in its model's context.

use super::db::Db;
use satchel_model::{conversation::ConversationId, error::Result};

/// Keeps these tools, by id, in the conversation's context.
pub async fn promote(db: &Db, topic: ConversationId, tools: Vec<String>) -> Result<()> {
    db.write(move |tx| {
        let sql = "INSERT INTO promotions (topic, tool) VALUES (?1, ?2) ON CONFLICT (topic, tool) DO NOTHING";
        tx.many(sql, tools.iter().map(|tool| (topic.to_string(), tool))).map(drop)
    })
    .await
}

/// The ids of the tools that were found in the conversation.
pub async fn promoted(db: &Db, topic: ConversationId) -> Result<Vec<String>> {
    db.read(move |tx| {
        let sql = "SELECT tool FROM promotions WHERE topic = ?1 ORDER BY tool";
        tx.all(sql, [topic.to_string()], |row| row.get("tool"))
    })
    .await
}
