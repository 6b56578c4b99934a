//! Attachments of messages. Their data is stored once, however many messages of branches have them.

use std::collections::HashMap;

use sha2::{Digest, Sha256};

use super::{
    db::Db,
    messages::{Placed, Span},
    sql::{Tx, params},
};
use satchel_model::{
    conversation::{Attachment, ConversationId, MessageId},
    error::{Error, Result},
    user::UserId,
};

/// Bytes of attachments that are removed at once.
const PIECE: i64 = 4 << 20;

/// Stores the attachments of a message.
pub(super) fn put(tx: &Tx, message: MessageId, attachments: &[Attachment]) -> Result<()> {
    for (position, one) in attachments.iter().enumerate() {
        let id = hex::encode(Sha256::digest(one.data.as_bytes()));
        tx.run("INSERT INTO attachments (id, data) VALUES (?1, ?2) ON CONFLICT DO NOTHING", (&id, &*one.data))?;
        let position = i64::try_from(position).map_err(Error::internal)?;
        tx.run(
            "INSERT INTO message_attachments (message, position, mime, name, path, attachment)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![message.to_string(), position, one.mime, one.name, one.path, id],
        )?;
    }
    Ok(())
}

/// Gives one message the attachments of another.
pub(super) fn copy(tx: &Tx, from: MessageId, to: MessageId) -> Result<()> {
    let sql = "INSERT INTO message_attachments (message, position, mime, name, path, attachment)
               SELECT ?2, position, mime, name, path, attachment FROM message_attachments WHERE message = ?1";
    tx.run(sql, (from.to_string(), to.to_string())).map(drop)
}

/// Attachments of these messages of a conversation, by message, without their data.
pub(super) fn names(tx: &Tx, conversation: ConversationId, span: Span) -> Result<HashMap<String, Vec<Attachment>>> {
    let sql = "SELECT m.id, a.mime, a.name, a.path FROM messages m JOIN message_attachments a ON a.message = m.id
               WHERE m.conversation = ?1 AND m.seq > ?2 AND m.seq <= ?3 ORDER BY m.seq, a.position";
    let mut found: HashMap<String, Vec<Attachment>> = HashMap::new();
    let rows = tx.all(sql, (conversation.to_string(), span.after, span.upto), |row| {
        let one =
            Attachment { mime: row.get("mime")?, name: row.get("name")?, path: row.get("path")?, data: "".into() };
        Ok((row.get::<String>("id")?, one))
    })?;
    for (message, one) in rows {
        found.entry(message).or_default().push(one);
    }
    Ok(found)
}

/// Reads the data of attachments, the newest first, as far as `most` bytes go. Those without room are left out.
pub(super) fn fill(tx: &Tx, placed: &mut [Placed], most: usize) -> Result<()> {
    let sql = "SELECT b.data FROM message_attachments a JOIN attachments b ON b.id = a.attachment
               WHERE a.message = ?1 AND a.position = ?2 AND octet_length(b.data) <= ?3";
    let mut left = most;
    for Placed { message, left_out, .. } in placed.iter_mut().rev() {
        let id = message.id.to_string();
        for (position, one) in std::mem::take(&mut message.attachments).into_iter().enumerate().rev() {
            let position = i64::try_from(position).map_err(Error::internal)?;
            let fits = i64::try_from(left).unwrap_or(i64::MAX);
            match tx.first(sql, params![id, position, fits], |row| row.get::<String>("data"))? {
                Some(data) => {
                    left = left.saturating_sub(data.len());
                    message.attachments.insert(0, Attachment { data: data.into(), ..one });
                }
                None => left_out.insert(0, one.name),
            }
        }
    }
    Ok(())
}

/// Bytes of a conversation's attachments.
pub(super) fn weight(tx: &Tx, conversation: ConversationId) -> Result<i64> {
    let sql = "SELECT coalesce(sum(octet_length(b.data)), 0) FROM messages m
               JOIN message_attachments a ON a.message = m.id JOIN attachments b ON b.id = a.attachment
               WHERE m.conversation = ?1";
    tx.one(sql, [conversation.to_string()])
}

/// Bytes of all conversations of a person: attachments once, the rest as often as branches repeat it. Looks at each row
/// and reads no text.
pub(super) fn bytes_of(tx: &Tx, user: UserId) -> Result<u64> {
    let sql = "SELECT
      (SELECT coalesce(sum(octet_length(m.text)), 0) FROM conversations c JOIN messages m ON m.conversation = c.id
       WHERE c.person = ?1)
      + (SELECT coalesce(sum(octet_length(s.arguments) + coalesce(octet_length(s.output), 0)
                             + coalesce(octet_length(s.model_text), 0)), 0)
         FROM conversations c JOIN messages m ON m.conversation = c.id JOIN steps s ON s.message = m.id WHERE c.person = ?1)
      + (SELECT coalesce(sum(octet_length(f.messages) + coalesce(octet_length(f.question_text), 0)), 0)
         FROM conversations c JOIN messages m ON m.conversation = c.id JOIN former_answers f ON f.question = m.id
         WHERE c.person = ?1)
      + (SELECT coalesce(sum(octet_length(q.text) + octet_length(q.attachments)), 0)
         FROM conversations c JOIN queued_messages q ON q.conversation = c.id WHERE c.person = ?1)
      + (SELECT coalesce(sum(octet_length(data)), 0) FROM attachments WHERE id IN (
           SELECT a.attachment FROM conversations c JOIN messages m ON m.conversation = c.id
             JOIN message_attachments a ON a.message = m.id WHERE c.person = ?1))";
    Ok(tx.one::<i64>(sql, [user.to_string()])?.unsigned_abs())
}

/// Removes attachments that no message has any more, a piece at a time: what others write goes between.
pub(super) async fn sweep(db: &Db) -> Result<()> {
    while db.write(sweep_piece).await? {}
    Ok(())
}

/// Removes some of them. Returns whether there may be more.
fn sweep_piece(tx: &Tx) -> Result<bool> {
    let sql = "SELECT id, octet_length(data) AS bytes FROM attachments WHERE NOT EXISTS
                 (SELECT 1 FROM message_attachments a WHERE a.attachment = attachments.id) LIMIT 64";
    let orphans = tx.all(sql, (), |row| Ok((row.get::<String>("id")?, row.get::<i64>("bytes")?)))?;
    let mut bytes = 0;
    for (id, size) in &orphans {
        tx.run("DELETE FROM attachments WHERE id = ?1", [id])?;
        bytes += size;
        if bytes > PIECE {
            return Ok(true);
        }
    }
    Ok(!orphans.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::Commit;

    #[tokio::test]
    async fn what_no_message_has_goes_in_pieces() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(&dir.path().join("satchel.db"), Commit::Grouped).unwrap();
        let data = "x".repeat(3 << 20);
        let put = move |tx: &Tx| {
            (0..4).try_for_each(|n| tx.run("INSERT INTO attachments (id, data) VALUES (?1, ?2)", (n, &data)).map(drop))
        };
        db.write(put).await.unwrap();
        let left = async || db.read(|tx| tx.one::<i64>("SELECT count(*) FROM attachments", ())).await.unwrap();
        assert!(db.write(sweep_piece).await.unwrap());
        assert_eq!(left().await, 2, "more than a piece is left to the next");
        sweep(&db).await.unwrap();
        assert_eq!(left().await, 0);
    }
}
