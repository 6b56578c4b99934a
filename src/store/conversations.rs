//! Conversations: whose they are, what they are called, what has entered them. Another person's is not found.

use super::{
    attachments,
    db::Db,
    messages, removals, snippet,
    sql::{Row, Tx, like, params},
};
use satchel_model::{
    agent::AgentId,
    conversation::{Branch, Conversation, ConversationId, ConversationState, MessageId},
    error::{Error, Result},
    origin::Origin,
    time::Time,
    user::UserId,
};

/// What a person may change of a conversation; nothing where none.
#[derive(Debug, Clone, Default)]
pub struct ConversationChange {
    /// A new title.
    pub title: Option<String>,
    /// A new folder; the inner none takes it out of its folder.
    pub folder: Option<Option<String>>,
    /// Another agent that answers from now on.
    pub agent: Option<AgentId>,
}

/// A conversation to be begun.
#[derive(Debug, Clone, Default)]
pub struct NewConversation {
    /// Its title; empty until something is said.
    pub title: String,
    /// The agent that answers in it.
    pub agent: AgentId,
    /// `true` if an agent is only tried in it: it stands in no list.
    pub trial: bool,
    /// The conversation in which it was begun as a session, if it was in one.
    pub parent: Option<ConversationId>,
    /// Sessions above its answers: 0 of one that a person holds. A session stands in no list.
    pub depth: u8,
    /// The folder it lies in.
    pub folder: Option<String>,
}

/// The conversations of one database. Cheap to clone.
#[derive(Clone)]
pub struct Conversations {
    db: Db,
}

/// Longest list a person is given.
const LISTED: i64 = 1_000;

const COLUMNS: &str = "c.id, c.title, c.folder, c.created_at, c.updated_at, c.tainted_by, c.tainted_at, c.agent,
    c.parent, c.depth, (SELECT t.state FROM turns t WHERE t.conversation = c.id AND t.state IN ('running', 'waiting')) AS turn";

impl Conversations {
    /// The conversations of this database.
    pub fn new(db: &Db) -> Self {
        Self { db: db.clone() }
    }

    /// Begins one with a title, or none yet, and the built-in agent.
    pub async fn create(&self, user: UserId, title: String, now: Time) -> Result<Conversation> {
        self.begin(user, NewConversation { title, ..NewConversation::default() }, now).await
    }

    /// Begins one.
    pub async fn begin(&self, user: UserId, new: NewConversation, now: Time) -> Result<Conversation> {
        let id = ConversationId::new();
        self.db
            .write(move |tx| {
                insert(tx, id, user, &new, now)?;
                get(tx, user, id)
            })
            .await
    }

    /// Conversations of a person in which agents were tried, and in which nothing was said since `before`.
    pub async fn old_trials(&self, user: UserId, before: Time) -> Result<Vec<ConversationId>> {
        let sql = "SELECT id FROM conversations WHERE person = ?1 AND trial AND updated_at < ?2";
        self.db.read(move |tx| tx.all(sql, (user.to_string(), before.millis()), |row| row.parsed("id"))).await
    }

    /// This person's, the one last used first; with `search`, those whose title, folder or text holds it.
    pub async fn list(&self, user: UserId, search: Option<String>) -> Result<Vec<Conversation>> {
        let pattern = search.as_deref().map(like);
        let sql = format!(
            "SELECT {COLUMNS},
               CASE WHEN CAST(?2 AS TEXT) IS NULL THEN NULL ELSE (SELECT m.text FROM messages m
                  WHERE m.conversation = c.id AND lower(m.text) LIKE lower(?2) ESCAPE '\\'
                  ORDER BY m.seq DESC LIMIT 1) END AS text
             FROM conversations c
             WHERE c.person = ?1 AND NOT c.trial AND c.depth = 0 AND (CAST(?2 AS TEXT) IS NULL OR lower(c.title) LIKE lower(?2) ESCAPE '\\'
                OR lower(c.folder) LIKE lower(?2) ESCAPE '\\'
                OR EXISTS (SELECT 1 FROM messages m
                           WHERE m.conversation = c.id AND lower(m.text) LIKE lower(?2) ESCAPE '\\'))
             ORDER BY c.updated_at DESC, c.id DESC LIMIT ?3"
        );
        self.db
            .read(move |tx| {
                tx.all(&sql, (user.to_string(), pattern, LISTED), |row| {
                    let text: Option<String> = row.get("text")?;
                    let snippet = text.zip(search.as_deref()).and_then(|(text, wanted)| snippet::line(&text, wanted));
                    Ok(Conversation { snippet, ..read(row)? })
                })
            })
            .await
    }

    /// This person's others that begin with the same message as one of theirs, the oldest first: a branch copies what was said.
    pub async fn branches(&self, user: UserId, id: ConversationId) -> Result<Vec<Branch>> {
        let sql = "SELECT c.id, c.title, c.created_at,
                     (SELECT count(*) FROM messages m JOIN messages o
                        ON o.conversation = ?2 AND o.created_at = m.created_at AND o.role = m.role AND o.text = m.text
                      WHERE m.conversation = c.id) AS shared
                   FROM conversations c
                   WHERE c.person = ?1 AND c.id <> ?2 AND EXISTS (
                     SELECT 1 FROM messages m JOIN messages o ON o.created_at = m.created_at AND o.text = m.text
                     WHERE m.seq = (SELECT min(seq) FROM messages WHERE conversation = c.id)
                       AND o.seq = (SELECT min(seq) FROM messages WHERE conversation = ?2))
                   ORDER BY c.created_at, c.id";
        self.db
            .read(move |tx| {
                get(tx, user, id)?;
                tx.all(sql, (user.to_string(), id.to_string()), |row| {
                    Ok(Branch {
                        id: row.parsed("id")?,
                        title: row.get("title")?,
                        created_at: row.time("created_at")?,
                        shared: row.get("shared")?,
                    })
                })
            })
            .await
    }

    /// One of this person's.
    pub async fn get(&self, user: UserId, id: ConversationId) -> Result<Conversation> {
        self.db.read(move |tx| get(tx, user, id)).await
    }

    /// Renames or files one.
    pub async fn change(&self, user: UserId, id: ConversationId, change: ConversationChange) -> Result<Conversation> {
        self.db
            .write(move |tx| {
                let is_session = get(tx, user, id)?.depth > 0;
                if is_session && change.agent.is_some() {
                    return Err(Error::conflict("A session keeps the agent it was begun with."));
                }
                if let Some(title) = change.title {
                    tx.run("UPDATE conversations SET title = ?2 WHERE id = ?1", (id.to_string(), title))?;
                }
                if let Some(agent) = change.agent {
                    tx.run("UPDATE conversations SET agent = ?2 WHERE id = ?1", (id.to_string(), agent.to_string()))?;
                }
                if let Some(folder) = change.folder {
                    tx.run("UPDATE conversations SET folder = ?2 WHERE id = ?1", (id.to_string(), folder))?;
                }
                get(tx, user, id)
            })
            .await
    }

    /// Gives one another title, where it still has this one. Returns whether it had.
    pub async fn retitle(&self, id: ConversationId, old: String, new: String) -> Result<bool> {
        let sql = "UPDATE conversations SET title = ?3 WHERE id = ?1 AND title = ?2 AND person IS NOT NULL";
        self.db.write(move |tx| Ok(tx.run(sql, (id.to_string(), old, new))? == 1)).await
    }

    /// Deletes one with everything in it. Nobody finds it from the first moment; what it holds is removed in pieces. The
    /// audit keeps its rows.
    pub async fn delete(&self, user: UserId, id: ConversationId) -> Result<()> {
        self.db
            .write(move |tx| {
                get(tx, user, id)?;
                for rest in [
                    "DELETE FROM queued_messages WHERE conversation = ?1",
                    "DELETE FROM approvals WHERE topic = ?1",
                    "DELETE FROM promotions WHERE topic = ?1",
                    "DELETE FROM needs WHERE topic = ?1",
                    "DELETE FROM tickets WHERE topic = ?1 AND state = 'pending'",
                    "DELETE FROM uses WHERE kind = 'conversation' AND id = ?1",
                    // What the person asked to be remembered stays; what was put together from it goes with it.
                    "DELETE FROM memories WHERE source = ?1 AND layer = 'episode'",
                ] {
                    tx.run(rest, [id.to_string()])?;
                }
                removals::disown(tx, &id.to_string())
            })
            .await?;
        removals::remove(&self.db, id).await?;
        attachments::sweep(&self.db).await?;
        self.db.fold_if_possible().await;
        Ok(())
    }

    /// Removes what deleted conversations have left, also where the process ended before it was done.
    pub async fn sweep(&self) -> Result<()> {
        removals::sweep(&self.db).await?;
        self.db.fold_if_possible().await;
        Ok(())
    }

    /// Bytes that all conversations of a person take.
    pub async fn bytes_of(&self, user: UserId) -> Result<u64> {
        self.db.read(move |tx| attachments::bytes_of(tx, user)).await
    }

    /// A new conversation with everything up to and including one message; its title says what it is a branch of.
    pub async fn branch(&self, user: UserId, id: ConversationId, upto: MessageId, now: Time) -> Result<Conversation> {
        let copy = ConversationId::new();
        self.db
            .write(move |tx| {
                let original = get(tx, user, id)?;
                let title = branch_title(tx, user, &original.title)?;
                let new = NewConversation { title, agent: original.agent, ..NewConversation::default() };
                insert(tx, copy, user, &new, now)?;
                tx.run(
                    "UPDATE conversations SET (folder, tainted_by, tainted_at) =
                       (SELECT folder, tainted_by, tainted_at FROM conversations WHERE id = ?2) WHERE id = ?1",
                    (copy.to_string(), id.to_string()),
                )?;
                messages::copy(tx, id, copy, upto)?;
                tx.run(
                    "INSERT INTO promotions (topic, tool) SELECT ?1, tool FROM promotions WHERE topic = ?2",
                    (copy.to_string(), id.to_string()),
                )?;
                get(tx, user, copy)
            })
            .await
    }

    /// Origins of what programs with a key said in these conversations of a person.
    pub async fn programs(&self, user: UserId, ids: Vec<ConversationId>) -> Result<Vec<Origin>> {
        self.db
            .read(move |tx| {
                let mut found = Vec::new();
                for id in ids {
                    found.extend(program_in(tx, user, id)?);
                }
                Ok(found)
            })
            .await
    }

    /// Origin of content from outside that is in any of these conversations; beside each is a time when it may have come.
    /// Of one that is gone nobody knows: it counts as tainted.
    pub async fn origin_among(&self, moments: Vec<(ConversationId, Time)>) -> Result<Option<Origin>> {
        self.db
            .read(move |tx| {
                let sql = "SELECT tainted_by, tainted_at FROM conversations WHERE id = ?1 AND person IS NOT NULL";
                for (id, at) in moments {
                    let found = tx.first(sql, [id.to_string()], |row| {
                        Ok((row.get::<Option<String>>("tainted_by")?, row.optional_time("tainted_at")?))
                    })?;
                    let (source, from) =
                        found.unwrap_or_else(|| (Some("a conversation that is gone".to_owned()), None));
                    if let Some(source) = source {
                        return Ok(Some(Origin::new(source, from.unwrap_or(at))));
                    }
                }
                Ok(None)
            })
            .await
    }

    /// Remembers where the first content from outside came from.
    pub async fn taint(&self, id: ConversationId, origin: Origin) -> Result<()> {
        self.db.write_after_effect(move |tx| taint(tx, id, &origin)).await
    }
}

/// Remembers where the first content from outside in a conversation came from.
pub(super) fn taint(tx: &Tx, id: ConversationId, origin: &Origin) -> Result<()> {
    let sql = "UPDATE conversations SET (tainted_by, tainted_at) = (?2, ?3) WHERE id = ?1 AND tainted_by IS NULL";
    tx.run(sql, (id.to_string(), &origin.source, origin.at.millis())).map(drop)
}

/// Origin of what a program with a key said in a conversation of a person, if one did.
pub(super) fn program_in(tx: &Tx, user: UserId, id: ConversationId) -> Result<Option<Origin>> {
    let sql = "SELECT t.caller ->> 'username' AS username, t.started_at
               FROM turns t JOIN conversations c ON c.id = t.conversation
               WHERE c.id = ?1 AND c.person = ?2 AND t.caller ->> 'key' IS NOT NULL ORDER BY t.id LIMIT 1";
    tx.first(sql, (id.to_string(), user.to_string()), |row| {
        let source = format!("chat: a program of {}", row.get::<String>("username")?);
        Ok(Origin { program_of: Some(user), ..Origin::new(source, row.time("started_at")?) })
    })
}

/// Longest part of a title that is named in that of a branch.
const NAMED: usize = 160;

/// "Branch of" a title, with a number where there is one already. None where what is branched has no title yet.
fn branch_title(tx: &Tx, user: UserId, original: &str) -> Result<String> {
    let root = match original.strip_prefix("Branch ") {
        Some(rest) => rest
            .split_once("of ")
            .filter(|(n, _)| n.trim().chars().all(|c| c.is_ascii_digit()))
            .map_or(original, |(_, root)| root),
        None => original,
    };
    let root: String = root.chars().take(NAMED).collect();
    if root.is_empty() {
        return Ok(root);
    }
    let sql = "SELECT title FROM conversations WHERE person = ?1 AND title LIKE ?2 ESCAPE '\\'";
    let known: Vec<String> = tx.all(sql, (user.to_string(), like(&format!(" of {root}"))), |row| row.get("title"))?;
    let mut title = format!("Branch of {root}");
    let mut number: u32 = 2;
    while known.contains(&title) {
        title = format!("Branch {number} of {root}");
        number = number.saturating_add(1);
    }
    Ok(title)
}

pub(super) fn insert(tx: &Tx, id: ConversationId, user: UserId, new: &NewConversation, now: Time) -> Result<()> {
    let parent = new.parent.map(|id| id.to_string());
    tx.run(
        "INSERT INTO conversations (id, person, title, agent, trial, parent, depth, created_at, updated_at, folder)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8, ?9)",
        params![
            id.to_string(),
            user.to_string(),
            &new.title,
            new.agent.to_string(),
            new.trial,
            parent,
            u32::from(new.depth),
            now.millis(),
            new.folder,
        ],
    )?;
    Ok(())
}

/// One conversation of a person, inside somebody else's transaction too.
pub(super) fn get(tx: &Tx, user: UserId, id: ConversationId) -> Result<Conversation> {
    let sql = format!("SELECT {COLUMNS} FROM conversations c WHERE c.id = ?1 AND c.person = ?2");
    tx.first(&sql, (id.to_string(), user.to_string()), read)?
        .ok_or_else(|| Error::not_found(format!("There is no conversation '{id}'.")))
}

fn read(row: &Row<'_>) -> Result<Conversation> {
    let tainted_by: Option<String> = row.get("tainted_by")?;
    let turn: Option<String> = row.get("turn")?;
    Ok(Conversation {
        id: row.parsed("id")?,
        title: row.get("title")?,
        folder: row.get("folder")?,
        created_at: row.time("created_at")?,
        updated_at: row.time("updated_at")?,
        state: match turn.as_deref() {
            Some("running") => ConversationState::Running,
            Some(_) => ConversationState::Waiting,
            None => ConversationState::Idle,
        },
        agent: row.parsed("agent")?,
        parent: row.get::<Option<String>>("parent")?.map(|id| id.parse()).transpose()?,
        depth: u8::try_from(row.get::<u32>("depth")?).unwrap_or(u8::MAX),
        tainted: tainted_by.is_some(),
        tainted_by,
        tainted_at: row.optional_time("tainted_at")?,
        snippet: None,
    })
}
