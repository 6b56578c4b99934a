//! What is remembered: each person's own, in layers, merged where it says the same again, capped, found by its words and
//! by what it means.

mod digest;
mod episodes;
mod keys;
mod rows;
mod save;
mod search;
mod vectors;

use std::collections::HashSet;

pub use self::{
    digest::{Digest, Theme},
    episodes::{Due, Episodes},
    save::{Forgotten, Saved},
    search::{Reach, Search},
    vectors::Reading,
};
use self::{
    rows::first,
    vectors::{Cache, Readings},
};
use super::{db::Db, sql::Tx};
use satchel_model::{
    conversation::ConversationId,
    error::{Error, Result},
    memory::{Layer, Match, Memory, MemoryChange, MemoryId, NewMemory, Vector},
    origin::Origin,
    time::Time,
    user::UserId,
};

/// Everybody's memories, each person's behind a handle of their own. Cheap to clone.
#[derive(Clone)]
pub struct MemoryStore {
    db: Db,
    cache: Cache,
    readings: Readings,
}

impl MemoryStore {
    /// The memories of this database.
    pub fn new(db: &Db) -> Self {
        Self { db: db.clone(), cache: Cache::new(), readings: Readings::default() }
    }

    /// One person's.
    pub fn own(&self, user: UserId) -> Memories {
        Memories { store: self.clone(), user }
    }

    /// The conversations whose episode is to be written.
    pub fn episodes(&self) -> Episodes {
        Episodes::new(&self.db)
    }
}

/// One person's memories: nobody else's can be reached through it. Cheap to clone.
#[derive(Clone)]
pub struct Memories {
    store: MemoryStore,
    user: UserId,
}

impl Memories {
    /// Remembers these, all or none, in order. What is there already is renewed instead of doubled.
    pub async fn save(&self, new: Vec<NewMemory>, source: Option<ConversationId>, now: Time) -> Result<Vec<Saved>> {
        let user = self.user;
        self.store.db.write(move |tx| save::all(tx, user, &new, source, now)).await
    }

    /// The memory with this key or id; a key made from what it said before counts too.
    pub async fn get(&self, key: &str, now: Time) -> Result<Memory> {
        let (user, wanted) = (self.user, key.trim().to_owned());
        let found = self.store.db.read(move |tx| {
            let sql = "SELECT * FROM memories WHERE person = ?1 AND (key = ?2 OR id = ?2)";
            match first(tx, sql, (user.to_string(), wanted.clone()), now)? {
                Some(found) => Ok(Some(found)),
                None => keys::once_made(tx, user, &wanted, now),
            }
        });
        found.await?.ok_or_else(|| rows::no_memory(key))
    }

    /// The best matches, best first.
    pub async fn search(&self, search: Search) -> Result<Vec<Match>> {
        let (user, cache) = (self.user, self.store.cache.clone());
        self.store.db.read(move |tx| search::best(tx, &cache, user, &search)).await
    }

    /// The memories last said or changed, newest first; empty `layers` means all.
    pub async fn recent(&self, layers: Vec<Layer>, limit: usize, now: Time) -> Result<Vec<Memory>> {
        let user = self.user;
        self.store.db.read(move |tx| rows::recent(tx, user, &layers, limit, now)).await
    }

    /// What a turn about this should know: the memories that bear on it, then the latest preferences. Of the search,
    /// layers and threshold do not count.
    pub async fn relevant(&self, search: Search, reach: Reach) -> Result<Vec<Memory>> {
        let (user, cache) = (self.user, self.store.cache.clone());
        self.store.db.read(move |tx| search::relevant(tx, &cache, user, &search, reach)).await
    }

    /// What the time since `from` was about, as far as it is among `only`, where that is given.
    pub async fn digest(&self, from: Time, only: Option<HashSet<MemoryId>>, now: Time) -> Result<Digest> {
        let user = self.user;
        self.store.db.read(move |tx| digest::since(tx, user, from, (only, now))).await
    }

    /// Notes that these were called back, which firms them up.
    pub async fn recalled(&self, ids: Vec<MemoryId>, now: Time) -> Result<()> {
        let user = self.user;
        self.store.db.write(move |tx| ids.iter().try_for_each(|id| rows::renew(tx, user, *id, now))).await
    }

    /// Changes one memory. Fails where a text is empty or too long, or the key is another memory's.
    pub async fn update(&self, id: MemoryId, change: MemoryChange, now: Time) -> Result<Memory> {
        let (user, change) = (self.user, change.checked()?);
        self.store.db.write(move |tx| update(tx, user, id, change, now)).await
    }

    /// Forgets one memory, with its wordings and its meaning: of what it said, nothing stays in the database's files.
    pub async fn delete(&self, id: MemoryId) -> Result<()> {
        let user = self.user;
        let forgotten = self.store.db.erase(move |tx| {
            let sql = "DELETE FROM memories WHERE person = ?1 AND id = ?2";
            let gone = tx.run(sql, (user.to_string(), id.to_string()))?;
            if gone == 0 { Err(rows::no_memory(&id.to_string())) } else { Ok(()) }
        });
        forgotten.await
    }

    /// Takes on the reading of what is [`Self::unread`]; none where somebody is at it.
    pub fn begin_reading(&self) -> Option<Reading> {
        self.store.readings.begin(self.user)
    }

    /// Up to `limit` memories whose meaning under this model is not known yet.
    pub async fn unread(&self, model: String, limit: usize) -> Result<Vec<(MemoryId, String)>> {
        let user = self.user;
        self.store.db.read(move |tx| vectors::missing(tx, user, &model, limit)).await
    }

    /// Adds what memories mean, where they still say what was read.
    pub async fn understand(&self, read: Vec<(MemoryId, String, Vector)>) -> Result<()> {
        let user = self.user;
        self.store
            .db
            .write(move |tx| read.iter().try_for_each(|(id, said, v)| vectors::add(tx, user, *id, said, v)))
            .await
    }
}

fn update(tx: &Tx, user: UserId, id: MemoryId, change: MemoryChange, now: Time) -> Result<Memory> {
    let sql = "SELECT * FROM memories WHERE person = ?1 AND id = ?2";
    let memory = first(tx, sql, (user.to_string(), id.to_string()), now)?;
    let memory = memory.ok_or_else(|| rows::no_memory(&id.to_string()))?;
    let key = change.key.unwrap_or_else(|| memory.key.clone());
    if key != memory.key && rows::by_key(tx, user, &key, now)?.is_some() {
        return Err(Error::conflict(format!("Another memory has the key '{key}'.")));
    }
    let said_anew = change.content.as_ref().is_some_and(|content| *content != memory.content);
    let changed = Memory {
        layer: change.layer.unwrap_or(memory.layer),
        category: change.category.unwrap_or(memory.category),
        content: change.content.unwrap_or(memory.content),
        key,
        updated_at: now,
        // Earlier wordings stay with it, and so does their origin.
        origin: Origin::joined(memory.origin, change.origin),
        ..memory
    };
    rows::replace(tx, &changed)?;
    if said_anew {
        vectors::put(tx, user, id, change.vector.as_ref())?;
    }
    Ok(changed)
}

/// How many memories this person has in a layer.
fn count(tx: &Tx, user: UserId, layer: Layer) -> Result<usize> {
    let sql = "SELECT count(*) FROM memories WHERE person = ?1 AND layer = ?2";
    let count: i64 = tx.one(sql, (user.to_string(), layer.as_str()))?;
    usize::try_from(count).map_err(Error::internal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{db::Commit, fold, users};

    #[tokio::test]
    async fn the_words_of_a_forgotten_memory_stand_in_no_file_and_the_others_are_found() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(&dir.path().join("satchel.db"), Commit::Grouped).unwrap();
        let own = MemoryStore::new(&db).own(db.write(users::mara).await.unwrap());
        let now = Time::from_millis(1);
        for content in ["Apples grow at Alm", "Quokkas nest at Zwiebelsee", "The rent is due in May"] {
            let new = NewMemory::new(content, Layer::Fact).unwrap();
            own.save(vec![new], None, now).await.unwrap();
        }
        let holds = |text: &str| fold::holds(dir.path(), text);
        let forgotten = own.get("quokkas-nest-at-zwiebelsee", now).await.unwrap().id;
        db.fold().await.unwrap();
        assert!(holds("wiebelse") && holds("uokka"));
        own.delete(forgotten).await.unwrap();
        assert!(!holds("wiebelse") && !holds("uokka"));
        for (query, content) in [("apples", "Apples grow at Alm"), ("rent", "The rent is due in May")] {
            let search =
                Search { query: query.to_owned(), vector: None, layers: Vec::new(), threshold: None, limit: 5, now };
            let found = own.search(search).await.unwrap();
            assert_eq!(found.iter().map(|one| one.memory.content.as_str()).collect::<Vec<_>>(), [content]);
        }
    }
}
