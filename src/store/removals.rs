//! Conversations on their way out: they belong to nobody from the first moment, so nobody finds them, and what they hold goes
//! in pieces, between which others write.

use super::{
    attachments,
    db::Db,
    sql::{Column, Params, Tx},
};
use satchel_model::{conversation::ConversationId, error::Result};

/// Bytes of texts that are removed at once, and most rows that are looked at.
const PIECE: i64 = 4 << 20;
const ROWS: i64 = 64;

/// Takes a conversation, or all of a person, from whoever has them. What is under way in them ends.
pub(super) fn disown(tx: &Tx, whose: &str) -> Result<()> {
    tx.run(
        "UPDATE turns SET state = 'cancelled' WHERE state IN ('running', 'waiting')
           AND conversation IN (SELECT id FROM conversations WHERE id = ?1 OR person = ?1)",
        [whose],
    )?;
    tx.run(
        "UPDATE conversations SET person = NULL, title = '', folder = NULL, summary = NULL, summary_upto = NULL
         WHERE id = ?1 OR person = ?1",
        [whose],
    )
    .map(drop)
}

/// Removes all that belongs to nobody, also where the process ended before it was done.
pub(super) async fn sweep(db: &Db) -> Result<()> {
    let sql = "SELECT id FROM conversations WHERE person IS NULL";
    for id in db.read(move |tx| tx.all(sql, (), |row| row.parsed("id"))).await? {
        remove(db, id).await?;
    }
    attachments::sweep(db).await
}

/// Removes a conversation that belongs to nobody.
pub(super) async fn remove(db: &Db, id: ConversationId) -> Result<()> {
    while db.write(move |tx| piece(tx, id)).await? {}
    Ok(())
}

/// Removes some of it. Returns whether there may be more.
fn piece(tx: &Tx, id: ConversationId) -> Result<bool> {
    let id = id.to_string();
    let mut room = Room(PIECE);
    let is_done = messages(tx, &id, &mut room)?
        && results(tx, &id, &mut room)?
        && passages(tx, &id, &mut room)?
        && turns(tx, &id, &mut room)?;
    if is_done {
        // What still belongs to it are rows of a few bytes.
        tx.run("DELETE FROM conversations WHERE id = ?1 AND person IS NULL", [&id])?;
    }
    Ok(!is_done)
}

/// Bytes that may still be removed in a transaction.
struct Room(i64);

impl Room {
    /// Takes room. Returns whether there is any left.
    fn take(&mut self, bytes: i64) -> bool {
        self.0 -= bytes;
        self.0 > 0
    }
}

/// Removes messages with their calls, the first ones first. Returns whether none is left.
fn messages(tx: &Tx, conversation: &str, room: &mut Room) -> Result<bool> {
    let sql =
        "SELECT id AS part, octet_length(text) AS bytes FROM messages WHERE conversation = ?1 ORDER BY seq LIMIT ?2";
    for (message, bytes) in parts::<String>(tx, sql, (conversation, ROWS))? {
        let former = "SELECT number AS part, octet_length(messages) AS bytes FROM former_answers WHERE question = ?1";
        for (number, bytes) in parts::<i64>(tx, former, [&message])? {
            tx.run("DELETE FROM former_answers WHERE question = ?1 AND number = ?2", (&message, number))?;
            if !room.take(bytes) {
                return Ok(false);
            }
        }
        let steps = "SELECT position AS part, octet_length(arguments) + coalesce(octet_length(asked_arguments), 0)
                       + coalesce(octet_length(output), 0) + coalesce(octet_length(model_text), 0) AS bytes
                     FROM steps WHERE message = ?1 ORDER BY position";
        for (position, bytes) in parts::<i64>(tx, steps, [&message])? {
            tx.run("DELETE FROM steps WHERE message = ?1 AND position = ?2", (&message, position))?;
            if !room.take(bytes) {
                return Ok(false);
            }
        }
        tx.run("DELETE FROM messages WHERE id = ?1", [&message])?;
        if !room.take(bytes) {
            return Ok(false);
        }
    }
    Ok(!tx.exists("SELECT 1 FROM messages WHERE conversation = ?1", [conversation])?)
}

/// Removes long results. Returns whether none is left.
fn results(tx: &Tx, conversation: &str, room: &mut Room) -> Result<bool> {
    let sql = "SELECT id AS part, octet_length(text) AS bytes FROM results WHERE topic = ?1 LIMIT ?2";
    for (result, bytes) in parts::<String>(tx, sql, (conversation, ROWS))? {
        let sql = "SELECT part, octet_length(text) AS bytes FROM result_parts WHERE result = ?1";
        for (part, bytes) in parts::<i64>(tx, sql, [&result])? {
            tx.run("DELETE FROM result_parts WHERE result = ?1 AND part = ?2", (&result, part))?;
            if !room.take(bytes) {
                return Ok(false);
            }
        }
        tx.run("DELETE FROM results WHERE id = ?1", [&result])?;
        if !room.take(bytes) {
            return Ok(false);
        }
    }
    Ok(!tx.exists("SELECT 1 FROM results WHERE topic = ?1", [conversation])?)
}

/// Removes passages. Returns whether none is left.
fn passages(tx: &Tx, conversation: &str, room: &mut Room) -> Result<bool> {
    let sql = "SELECT number AS part, octet_length(text) AS bytes FROM passages WHERE conversation = ?1 LIMIT ?2";
    for (number, bytes) in parts::<i64>(tx, sql, (conversation, ROWS))? {
        tx.run("DELETE FROM passages WHERE conversation = ?1 AND number = ?2", (conversation, number))?;
        if !room.take(bytes) {
            return Ok(false);
        }
    }
    Ok(!tx.exists("SELECT 1 FROM passages WHERE conversation = ?1", [conversation])?)
}

/// Removes turns, which have no messages any more. Returns whether none is left.
fn turns(tx: &Tx, conversation: &str, room: &mut Room) -> Result<bool> {
    let sql = "SELECT id AS part, octet_length(CAST(caller AS TEXT)) + coalesce(octet_length(CAST(context AS TEXT)), 0) AS bytes FROM turns
               WHERE conversation = ?1 LIMIT ?2";
    for (turn, bytes) in parts::<String>(tx, sql, (conversation, ROWS))? {
        tx.run("DELETE FROM turns WHERE id = ?1", [turn])?;
        if !room.take(bytes) {
            return Ok(false);
        }
    }
    Ok(!tx.exists("SELECT 1 FROM turns WHERE conversation = ?1", [conversation])?)
}

/// Reads the keys and bytes of parts of something.
fn parts<T: for<'c> Column<'c>>(tx: &Tx, sql: &str, bound: impl Params) -> Result<Vec<(T, i64)>> {
    tx.all(sql, bound, |row| Ok((row.get::<T>("part")?, row.get::<i64>("bytes")?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{conversations::Conversations, db::Commit, users};

    const TEXT: &str = "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk";

    /// A conversation of 12 messages with a call each, which have a megabyte and more.
    fn seed(tx: &Tx, person: &str, id: ConversationId) -> Result<()> {
        let (id, large) = (id.to_string(), TEXT.repeat(16 << 10));
        let sql = "INSERT INTO conversations (id, person, title, created_at, updated_at) VALUES (?1, ?2, 'a', 0, 0)";
        tx.run(sql, (&id, person))?;
        let sql = "INSERT INTO turns (id, conversation, state, caller, started_at) VALUES (?1, ?1, 'running', '{}', 0)";
        tx.run(sql, [&id])?;
        for number in 0..12 {
            let message = format!("{id}-{number}");
            let sql = "INSERT INTO messages (id, conversation, turn, role, text, created_at) VALUES (?1, ?2, ?2, 'user', ?3, 0)";
            tx.run(sql, (&message, &id, &large))?;
            let sql = "INSERT INTO steps (message, position, call_id, provider_id, tool, asked_as, arguments, risk, state, output,
                         started_at) VALUES (?1, 0, 'c', 'p', 't', 't', '{}', 'read', 'done', ?2, 0)";
            tx.run(sql, (&message, &large))?;
            let sql = "INSERT INTO former_answers (question, number, messages) VALUES (?1, 1, ?2)";
            tx.run(sql, (&message, &large))?;
        }
        let sql = "INSERT INTO results (id, person, topic, text, created_at) VALUES (?1, ?2, ?1, 'a', 0)";
        tx.run(sql, (&id, person))?;
        let sql = "INSERT INTO result_parts (result, part, text) VALUES (?1, ?2, ?3)";
        (0..8).try_for_each(|part: i64| tx.run(sql, (&id, part, &large)).map(drop))
    }

    async fn left(db: &Db, id: ConversationId) -> i64 {
        let sql = "SELECT (SELECT count(*) FROM messages WHERE conversation = ?1)
                     + (SELECT count(*) FROM result_parts WHERE result = ?1)
                     + (SELECT count(*) FROM conversations WHERE id = ?1) AS rest";
        db.read(move |tx| tx.one::<i64>(sql, [id.to_string()])).await.unwrap()
    }

    #[tokio::test]
    async fn a_conversation_goes_in_pieces_unseen_also_after_a_process_that_ended_before_it_was_done() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("satchel.db");
        let db = Db::open(&path, Commit::Grouped).unwrap();
        let id = ConversationId::new();
        let user = db.write(move |tx| {
            let user = users::mara(tx)?;
            seed(tx, &user.to_string(), id)?;
            disown(tx, &id.to_string())?;
            Ok(user)
        });
        let user = user.await.unwrap();
        assert!(Conversations::new(&db).get(user, id).await.is_err(), "nobody has it any more");
        assert_eq!(left(&db, id).await, 12 + 8 + 1);
        assert!(db.write(move |tx| piece(tx, id)).await.unwrap());
        assert_eq!(left(&db, id).await, 11 + 8 + 1, "4 MB go with the first piece");
        drop(db);

        let db = Db::open(&path, Commit::Grouped).unwrap();
        let mut pieces = 0;
        while db.write(move |tx| piece(tx, id)).await.unwrap() {
            pieces += 1;
            assert!(Conversations::new(&db).list(user, Some("kkk".to_owned())).await.unwrap().is_empty());
        }
        assert!((9..20).contains(&pieces), "{pieces} pieces");
        assert_eq!(left(&db, id).await, 0);
    }

    #[tokio::test]
    async fn conversations_of_somebody_who_is_gone_are_swept() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(&dir.path().join("satchel.db"), Commit::Grouped).unwrap();
        let (id, other) = (ConversationId::new(), ConversationId::new());
        let seeded = db.write(move |tx| {
            let user = users::mara(tx)?.to_string();
            seed(tx, &user, id)?;
            disown(tx, &user)?;
            seed(tx, &user, other)
        });
        seeded.await.unwrap();
        sweep(&db).await.unwrap();
        assert_eq!((left(&db, id).await, left(&db, other).await), (0, 12 + 8 + 1));
    }
}
