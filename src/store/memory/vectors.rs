//! What memories mean: vectors beside their rows, and a bounded copy in memory of those that are searched.

use std::{collections::HashSet, sync::Arc, time::Duration};

use moka::sync::Cache as Bounded;
use parking_lot::Mutex;

use crate::{
    sql::{Row, Tx, params},
    vectors::{bytes, floats},
};
use satchel_model::{
    error::{Error, Result},
    memory::{MemoryId, Vector},
    user::UserId,
    vector::cosine,
};

/// Most bytes the copies take together.
const MOST: u64 = 64 << 20;
/// The time for which an unused copy is kept.
const IDLE: Duration = Duration::from_secs(600);

/// Whose memories are being read for their meaning. Cheap to clone.
#[derive(Clone, Default)]
pub(super) struct Readings(Arc<Mutex<HashSet<UserId>>>);

/// One person's memories are being read until it is dropped.
pub struct Reading {
    all: Readings,
    user: UserId,
}

impl Readings {
    /// None where somebody reads them already.
    pub(super) fn begin(&self, user: UserId) -> Option<Reading> {
        self.0.lock().insert(user).then(|| Reading { all: self.clone(), user })
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.all.0.lock().remove(&self.user);
    }
}

/// One person's vectors of one model.
#[derive(Debug, Clone, Default)]
pub(super) struct Vectors {
    stamp: (i64, i64),
    entries: Vec<(i64, Vec<f32>)>,
}

/// Copies of the vectors that were searched last. Cheap to clone.
#[derive(Clone)]
pub(super) struct Cache {
    copies: Bounded<(UserId, String), Arc<Vectors>>,
}

impl Cache {
    pub(super) fn new() -> Self {
        let copies = Bounded::builder()
            .max_capacity(MOST)
            .weigher(|_, vectors: &Arc<Vectors>| vectors.bytes())
            .time_to_idle(IDLE)
            .build();
        Self { copies }
    }

    /// The vectors as the connection sees them: a copy that is out of date is brought up to it.
    pub(super) fn get(&self, tx: &Tx, user: UserId, model: &str) -> Result<Arc<Vectors>> {
        let key = (user, model.to_owned());
        let stamp = stamp(tx, user, model)?;
        let copy = self.copies.get(&key).unwrap_or_default();
        if copy.stamp == stamp {
            return Ok(copy);
        }
        let fresh = Arc::new(copy.brought_to(tx, (user, model), stamp)?);
        self.copies.insert(key, Arc::clone(&fresh));
        Ok(fresh)
    }
}

impl Vectors {
    /// Reads them.
    pub(super) fn load(tx: &Tx, user: UserId, model: &str) -> Result<Self> {
        Self::default().brought_to(tx, (user, model), stamp(tx, user, model)?)
    }

    /// The vectors at another stamp. Where some were added and none was changed or taken away, only those are read.
    fn brought_to(&self, tx: &Tx, (user, model): (UserId, &str), stamp: (i64, i64)) -> Result<Self> {
        let after = |last: i64| {
            let sql = "SELECT memory, vector FROM memory_vectors WHERE person = ?1 AND model = ?2 AND stamp > ?3";
            let entry = |row: &Row<'_>| Ok((row.get("memory")?, floats(row.get("vector")?)));
            tx.all(sql, (user.to_string(), model, last), entry)
        };
        let (count, last) = self.stamp;
        let added = after(last)?;
        if count + i64::try_from(added.len()).map_err(Error::internal)? == stamp.0 {
            return Ok(Self { stamp, entries: self.entries.iter().cloned().chain(added).collect() });
        }
        Ok(Self { stamp, entries: after(0)? })
    }

    /// Takes one more in, in place of what was known of that memory.
    pub(super) fn learn(&mut self, number: i64, vector: Option<&Vector>) {
        self.entries.retain(|(known, _)| *known != number);
        self.entries.extend(vector.map(|vector| (number, vector.values.clone())));
    }

    /// The memories nearest to a direction, nearest first, with the cosine of the angle between.
    pub(super) fn nearest(&self, to: &[f32], most: usize) -> Vec<(i64, f32)> {
        let mut found: Vec<(i64, f32)> =
            self.entries.iter().map(|(number, vector)| (*number, cosine(vector, to))).collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
        found.truncate(most);
        found
    }

    fn bytes(&self) -> u32 {
        let bytes: usize = self.entries.iter().map(|(_, vector)| vector.len() * 4 + 40).sum();
        u32::try_from(bytes).unwrap_or(u32::MAX)
    }
}

/// Says which state the vectors are in: a stamp is never used twice, so no two states have count and greatest alike.
fn stamp(tx: &Tx, user: UserId, model: &str) -> Result<(i64, i64)> {
    let sql = "SELECT count(*) AS number, coalesce(max(stamp), 0) AS last FROM memory_vectors WHERE person = ?1 AND model = ?2";
    Ok(tx.first(sql, (user.to_string(), model), |row| Ok((row.get("number")?, row.get("last")?)))?.unwrap_or_default())
}

/// Writes what a memory means; none leaves nothing of what it meant before.
pub(super) fn put(tx: &Tx, user: UserId, id: MemoryId, vector: Option<&Vector>) -> Result<()> {
    let number = number(tx, id)?;
    tx.run("DELETE FROM memory_vectors WHERE memory = ?1", [number])?;
    if let Some(vector) = vector {
        tx.run(
            "INSERT INTO memory_vectors (memory, person, model, vector) VALUES (?1, ?2, ?3, ?4)",
            params![number, user.to_string(), vector.model, bytes(&vector.values)],
        )?;
    }
    Ok(())
}

/// Writes what a memory means where it still says `said`.
pub(super) fn add(tx: &Tx, user: UserId, id: MemoryId, said: &str, vector: &Vector) -> Result<()> {
    let sql = "SELECT content FROM memories WHERE id = ?1 AND person = ?2";
    let says: Option<String> = tx.first(sql, (id.to_string(), user.to_string()), |row| row.get("content"))?;
    if says.as_deref() == Some(said) { put(tx, user, id, Some(vector)) } else { Ok(()) }
}

/// Memories without a vector of this model, the newest first.
pub(super) fn missing(tx: &Tx, user: UserId, model: &str, limit: usize) -> Result<Vec<(MemoryId, String)>> {
    let counted = "SELECT (SELECT count(*) FROM memories WHERE person = ?1)
                        > (SELECT count(*) FROM memory_vectors WHERE person = ?1 AND model = ?2)";
    if !tx.one::<bool>(counted, (user.to_string(), model))? {
        return Ok(Vec::new());
    }
    let sql =
        "SELECT m.id, m.content FROM memories m LEFT JOIN memory_vectors v ON v.memory = m.number AND v.model = ?2
               WHERE m.person = ?1 AND v.memory IS NULL ORDER BY m.number DESC LIMIT ?3";
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    tx.all(sql, params![user.to_string(), model, limit], |row| Ok((row.parsed("id")?, row.get("content")?)))
}

/// A memory's number.
pub(super) fn number(tx: &Tx, id: MemoryId) -> Result<i64> {
    let found = tx.first("SELECT number FROM memories WHERE id = ?1", [id.to_string()], |row| row.get("number"))?;
    found.ok_or_else(|| super::rows::no_memory(&id.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        db::{Commit, Db},
        memory::MemoryStore,
        users,
    };
    use satchel_model::{
        memory::{Layer, NewMemory},
        time::Time,
    };

    #[tokio::test]
    async fn a_copy_that_is_brought_up_to_date_is_what_reading_all_gives() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(&dir.path().join("satchel.db"), Commit::Grouped).unwrap();
        let user = db.write(users::mara).await.unwrap();
        let (own, cache) = (MemoryStore::new(&db).own(user), Cache::new());
        let save = async |content: &str| {
            let new = NewMemory::new(content, Layer::Fact).unwrap();
            own.save(vec![new], None, Time::from_millis(1)).await.unwrap().remove(0).memory.id
        };
        let mean = async |id: MemoryId, value: f32| {
            let vector = Vector { model: "m".to_owned(), values: vec![value, 1.0] };
            db.write(move |tx| put(tx, user, id, Some(&vector))).await.unwrap();
        };
        let same = async || {
            let cache = cache.clone();
            let both = db.read(move |tx| Ok((cache.get(tx, user, "m")?, Vectors::load(tx, user, "m")?)));
            let (copy, all) = both.await.unwrap();
            assert_eq!((copy.stamp, &copy.entries), (all.stamp, &all.entries));
            copy.entries.iter().map(|(_, vector)| vector[0]).collect::<Vec<_>>()
        };
        assert_eq!(same().await, Vec::<f32>::new());
        let apples = save("Apples grow at Alm").await;
        mean(apples, 1.0).await;
        assert_eq!(same().await, [1.0]);
        let rent = save("The rent is due in May").await;
        mean(rent, 2.0).await;
        assert_eq!(same().await, [1.0, 2.0], "one more");
        mean(apples, 3.0).await;
        assert_eq!(same().await, [2.0, 3.0], "another one in its place");
        own.delete(apples).await.unwrap();
        let tea = save("Tea is taken at five").await;
        mean(tea, 4.0).await;
        assert_eq!(same().await, [2.0, 4.0], "one less and one more");
        own.delete(rent).await.unwrap();
        assert_eq!(same().await, [4.0], "one less");
    }
}
