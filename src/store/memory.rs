//! What is remembered: each person's own, merged where it says the same again, capped.

use std::str::FromStr;

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{db::Db, memory_search};
use crate::model::{
    conversation::ConversationId,
    error::{Error, Result},
    memory::{Layer, Match, Memory, MemoryChange, MemoryId, NewMemory},
    time::Time,
    user::UserId,
    words,
};

/// Most memories one person has; beyond it the oldest gists make room.
pub const MOST: i64 = 5_000;
/// Longest key made from a content.
const MAX_KEY: usize = 48;

/// One person's memories: nobody else's can be reached through it. Cheap to clone.
#[derive(Clone)]
pub struct Memories {
    db: Db,
    user: UserId,
}

/// What became of something to remember.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saved {
    /// The memory as it stands now.
    pub memory: Memory,
    /// It was there already, in these words or nearly, and was renewed.
    pub merged: bool,
}

/// Which memories a search wants.
#[derive(Debug, Clone, Default)]
pub struct Search {
    /// What they are about.
    pub query: String,
    /// Only these layers; empty means all.
    pub layers: Vec<Layer>,
    /// Only matches at least this good, 0 to 1.
    pub threshold: f64,
    /// Most matches.
    pub limit: usize,
}

impl Memories {
    /// This person's memories.
    pub fn of(db: &Db, user: UserId) -> Self {
        Self { db: db.clone(), user }
    }

    /// Remembers these, all or none, in order. What is there already is renewed instead of doubled.
    pub async fn save(&self, new: Vec<NewMemory>, source: Option<ConversationId>, now: Time) -> Result<Vec<Saved>> {
        let user = self.user;
        self.db.write(move |c| new.iter().map(|new| save(c, user, new, source, now)).collect()).await
    }

    /// The memory with this key or id.
    pub async fn get(&self, key: &str) -> Result<Memory> {
        let (user, wanted) = (self.user, key.trim().to_owned());
        let found = self.db.read(move |c| {
            first(c, "SELECT * FROM memories WHERE user = ?1 AND (key = ?2 OR id = ?2)", (user.to_string(), wanted))
        });
        found.await?.ok_or_else(|| no_memory(key))
    }

    /// The best matches, best first.
    pub async fn search(&self, search: Search) -> Result<Vec<Match>> {
        let user = self.user;
        self.db.read(move |c| memory_search::best(c, user, &search)).await
    }

    /// The memories last said or changed, newest first; empty `layers` means all.
    pub async fn recent(&self, layers: Vec<Layer>, limit: usize) -> Result<Vec<Memory>> {
        let user = self.user;
        self.db.read(move |c| recent(c, user, &layers, limit)).await
    }

    /// What a turn about `text` should know: the memories that match, then the latest preferences.
    pub async fn relevant(&self, text: &str, limit: usize) -> Result<Vec<Memory>> {
        let (user, text) = (self.user, text.to_owned());
        self.db.read(move |c| memory_search::relevant(c, user, &text, limit)).await
    }

    /// Changes one memory. Fails where a text is empty or too long, or the key is another memory's.
    pub async fn update(&self, id: MemoryId, change: MemoryChange, now: Time) -> Result<Memory> {
        let (user, change) = (self.user, change.checked()?);
        self.db
            .write(move |c| {
                let memory = demand(c, user, id)?;
                let key = change.key.unwrap_or_else(|| memory.key.clone());
                if key != memory.key && by_key(c, user, &key)?.is_some() {
                    return Err(Error::conflict(format!("Another memory has the key '{key}'.")));
                }
                let changed = Memory {
                    layer: change.layer.unwrap_or(memory.layer),
                    category: change.category.unwrap_or(memory.category),
                    content: change.content.unwrap_or(memory.content),
                    key,
                    updated_at: now,
                    ..memory
                };
                replace(c, &changed)?;
                Ok(changed)
            })
            .await
    }

    /// Forgets one memory.
    pub async fn delete(&self, id: MemoryId) -> Result<()> {
        let user = self.user;
        self.db
            .write(move |c| {
                demand(c, user, id)?;
                c.execute("DELETE FROM memories WHERE id = ?1", [id.to_string()])?;
                Ok(())
            })
            .await
    }
}

fn save(c: &Connection, user: UserId, new: &NewMemory, source: Option<ConversationId>, now: Time) -> Result<Saved> {
    let same = match new.key().map(|key| by_key(c, user, key)).transpose()?.flatten() {
        Some(named) => Some(named),
        None if new.key().is_some() => None,
        None => memory_search::duplicate(c, user, new)?,
    };
    if let Some(old) = same {
        let named = new.key().is_some();
        // What says less than what is known already only renews it.
        let says_less = !named && new.content().len() < old.content.len();
        let memory = Memory {
            layer: new.layer(),
            category: if new.category() == "general" { old.category } else { new.category().to_owned() },
            content: if says_less { old.content } else { new.content().to_owned() },
            updated_at: now,
            ..old
        };
        replace(c, &memory)?;
        return Ok(Saved { memory, merged: true });
    }
    make_room(c, user)?;
    let memory = Memory {
        id: MemoryId::new(),
        layer: new.layer(),
        category: new.category().to_owned(),
        content: new.content().to_owned(),
        key: match new.key() {
            Some(key) => key.to_owned(),
            None => free_key(c, user, new.content())?,
        },
        created_at: now,
        updated_at: now,
        source_conversation: source,
    };
    insert(c, user, &memory)?;
    Ok(Saved { memory, merged: false })
}

/// Fails where the person has [`MOST`] memories and none of them is a gist that could go.
fn make_room(c: &Connection, user: UserId) -> Result<()> {
    let user = user.to_string();
    let count: i64 =
        c.prepare_cached("SELECT count(*) FROM memories WHERE user = ?1")?.query_row([&user], |row| row.get(0))?;
    if count < MOST {
        return Ok(());
    }
    let gone = c.execute(
        "DELETE FROM memories WHERE number =
           (SELECT number FROM memories WHERE user = ?1 AND layer = 'gist' ORDER BY updated_at LIMIT 1)",
        [&user],
    )?;
    if gone == 0 {
        return Err(Error::conflict(format!(
            "{MOST} memories are kept at most. Forget some on the page Memories first."
        )));
    }
    Ok(())
}

/// A key nobody has: the first words of the content, and a number where they are taken.
fn free_key(c: &Connection, user: UserId, content: &str) -> Result<String> {
    let mut plain = String::new();
    for word in words::split(content) {
        if plain.chars().count() + word.chars().count() >= MAX_KEY {
            break;
        }
        if !plain.is_empty() {
            plain.push('-');
        }
        plain.push_str(&word);
    }
    if plain.is_empty() {
        plain.push_str("memory");
    }
    let mut key = plain.clone();
    let mut number = 2;
    while by_key(c, user, &key)?.is_some() {
        key = format!("{plain}-{number}");
        number += 1;
    }
    Ok(key)
}

fn insert(c: &Connection, user: UserId, memory: &Memory) -> Result<()> {
    c.prepare_cached(
        "INSERT INTO memories (id, user, layer, category, key, content, words, source, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )?
    .execute(params![
        memory.id.to_string(),
        user.to_string(),
        memory.layer.as_str(),
        memory.category,
        memory.key,
        memory.content,
        memory_search::indexed(memory),
        memory.source_conversation.map(|id| id.to_string()),
        memory.created_at.millis(),
        memory.updated_at.millis(),
    ])?;
    Ok(())
}

fn replace(c: &Connection, memory: &Memory) -> Result<()> {
    c.prepare_cached(
        "UPDATE memories SET layer = ?2, category = ?3, key = ?4, content = ?5, words = ?6, updated_at = ?7 WHERE id = ?1",
    )?
    .execute(params![
        memory.id.to_string(),
        memory.layer.as_str(),
        memory.category,
        memory.key,
        memory.content,
        memory_search::indexed(memory),
        memory.updated_at.millis(),
    ])?;
    Ok(())
}

pub(super) fn recent(c: &Connection, user: UserId, layers: &[Layer], limit: usize) -> Result<Vec<Memory>> {
    let wanted: Vec<&str> = layers.iter().map(|layer| layer.as_str()).collect();
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut statement = c.prepare_cached(
        "SELECT * FROM memories WHERE user = ?1 AND (?2 = '' OR instr(?2, layer)) ORDER BY updated_at DESC, number DESC
         LIMIT ?3",
    )?;
    let mut rows = statement.query((user.to_string(), wanted.join(","), limit))?;
    let mut memories = Vec::new();
    while let Some(row) = rows.next()? {
        memories.push(read(row)?);
    }
    Ok(memories)
}

fn by_key(c: &Connection, user: UserId, key: &str) -> Result<Option<Memory>> {
    first(c, "SELECT * FROM memories WHERE user = ?1 AND key = ?2", (user.to_string(), key.to_owned()))
}

fn demand(c: &Connection, user: UserId, id: MemoryId) -> Result<Memory> {
    let found = first(c, "SELECT * FROM memories WHERE user = ?1 AND id = ?2", (user.to_string(), id.to_string()))?;
    found.ok_or_else(|| no_memory(&id.to_string()))
}

fn first(c: &Connection, sql: &str, bound: (String, String)) -> Result<Option<Memory>> {
    c.prepare_cached(sql)?.query_row(bound, |row| Ok(read(row))).optional()?.transpose()
}

fn no_memory(key: &str) -> Error {
    let shown: String = key.chars().take(80).collect();
    Error::not_found(format!("There is no memory '{shown}'. Search with recall_memories to see what there is."))
}

/// A row of the table.
pub(super) fn read(row: &Row<'_>) -> Result<Memory> {
    let text = |name: &str| row.get::<_, String>(name);
    let source: Option<String> = row.get("source")?;
    Ok(Memory {
        id: MemoryId::from_str(&text("id")?)?,
        layer: serde_json::from_value(text("layer")?.into()).map_err(Error::internal)?,
        category: text("category")?,
        content: text("content")?,
        key: text("key")?,
        created_at: Time::from_millis(row.get("created_at")?),
        updated_at: Time::from_millis(row.get("updated_at")?),
        source_conversation: source.as_deref().map(ConversationId::from_str).transpose()?,
    })
}
