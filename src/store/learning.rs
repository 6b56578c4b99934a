//! Which tools needs were met with: what find_tools learns from.
//!
//! A need stands with the conversation it was told in and goes with it, and with the person; so does its vector.

use std::collections::BTreeMap;

use serde_json::json;

use super::{
    db::Db,
    people::Actor,
    sql::Tx,
    vectors,
    versions::{self, Thing},
};
use satchel_model::{
    error::Result,
    learning::{Ended, Learned, OwnNeed, PastNeed, Used},
    user::UserId,
};

/// Most needs that are kept; the oldest go first.
const KEPT: i64 = 20_000;
/// Most of a person's own needs that are shown of a tool.
const SHOWN: i64 = 50;

/// All that was learned. Cheap to clone.
#[derive(Clone)]
pub struct Learning {
    db: Db,
}

impl Learning {
    /// What was learned in this database.
    pub fn new(db: &Db) -> Self {
        Self { db: db.clone() }
    }

    /// Remembers how a call ended. Returns the version that has it; none where the conversation is not the person's.
    pub async fn note(&self, ended: Ended) -> Result<Option<i64>> {
        self.db.write(move |tx| note(tx, &ended)).await
    }

    /// Grows with every change.
    pub async fn version(&self) -> Result<i64> {
        self.db.read(version).await
    }

    /// Every need with the vector of this model, the oldest first, and the version they are of.
    pub async fn all(&self, model: &str) -> Result<(i64, Vec<PastNeed>)> {
        let model = model.to_owned();
        self.db.read(move |tx| Ok((version(tx)?, all(tx, &model)?))).await
    }

    /// Keeps vectors of needs that another model had embedded, or none.
    pub async fn embed(&self, model: &str, made: Vec<(i64, Vec<f32>)>) -> Result<()> {
        let model = model.to_owned();
        self.db
            .write(move |tx| {
                let sql = "UPDATE needs SET model = ?1, vector = ?2 WHERE id = ?3";
                made.iter().try_for_each(|(need, vector)| tx.run(sql, (&model, vectors::bytes(vector), need)).map(drop))
            })
            .await
    }

    /// What was learned of a tool, with this person's own needs.
    pub async fn of_tool(&self, tool: &str, person: Option<UserId>, bound: f32) -> Result<Learned> {
        let (tool, person) = (tool.to_owned(), person.map(|person| person.to_string()));
        self.db.read(move |tx| learned(tx, &tool, person, bound)).await
    }

    /// Forgets what was learned of a tool.
    pub async fn reset(&self, by: &Actor, tool: String) -> Result<()> {
        let by = by.clone();
        self.db
            .write(move |tx| {
                tx.run("DELETE FROM need_tools WHERE tool = ?1", [&tool])?;
                tx.run("DELETE FROM needs WHERE id NOT IN (SELECT need FROM need_tools)", ())?;
                by.record(tx, "tool.forget", json!({"tool": tool}))
            })
            .await
    }
}

fn version(tx: &Tx) -> Result<i64> {
    versions::last(tx, Thing::Learning)
}

fn note(tx: &Tx, ended: &Ended) -> Result<Option<i64>> {
    let (user, topic) = (ended.user.to_string(), ended.topic.to_string());
    let own = "SELECT 1 FROM conversations WHERE id = ?1 AND person = ?2";
    if !tx.exists(own, (&topic, &user))? {
        return Ok(None);
    }
    let (model, vector) = ended.vector.as_ref().map(|(model, vector)| (model, vectors::bytes(vector))).unzip();
    let need: i64 = tx.one(
        "INSERT INTO needs (person, topic, text, model, vector, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT (topic, text) DO UPDATE SET model = excluded.model, vector = excluded.vector
             RETURNING id",
        (&user, &topic, &ended.need, model, vector, ended.at.millis()),
    )?;
    let (successes, failures) = if ended.success { (1, 0) } else { (0, 1) };
    tx.run(
        "INSERT INTO need_tools (need, tool, successes, failures, last_at) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (need, tool) DO UPDATE SET successes = need_tools.successes + excluded.successes,
           failures = need_tools.failures + excluded.failures, last_at = excluded.last_at",
        (need, &ended.tool, successes, failures, ended.at.millis()),
    )?;
    tx.run("DELETE FROM needs WHERE id <= (SELECT max(id) FROM needs) - ?1", [KEPT])?;
    version(tx).map(Some)
}

fn all(tx: &Tx, model: &str) -> Result<Vec<PastNeed>> {
    let mut used: BTreeMap<i64, Vec<Used>> = BTreeMap::new();
    let sql = "SELECT need, tool, successes, failures FROM need_tools ORDER BY need, tool";
    let calls = tx.all(sql, (), |row| {
        Ok((
            row.get("need")?,
            Used { tool: row.get("tool")?, successes: row.get("successes")?, failures: row.get("failures")? },
        ))
    })?;
    calls.into_iter().for_each(|(need, call)| used.entry(need).or_default().push(call));
    let sql = "SELECT id, person, text, CASE WHEN model = ?1 THEN vector END AS vector FROM needs ORDER BY id";
    tx.all(sql, [model], |row| {
        let id = row.get("id")?;
        let vector = row.get::<Option<Vec<u8>>>("vector")?.map(|bytes| vectors::floats(&bytes));
        Ok(PastNeed {
            id,
            user: row.parsed("person")?,
            text: row.get("text")?,
            vector,
            used: used.get(&id).cloned().unwrap_or_default(),
        })
    })
}

fn learned(tx: &Tx, tool: &str, person: Option<String>, bound: f32) -> Result<Learned> {
    let sums = "SELECT count(DISTINCT text) AS needs, count(DISTINCT person) AS people,
                       CAST(coalesce(sum(successes), 0) AS BIGINT) AS successes,
                       CAST(coalesce(sum(failures), 0) AS BIGINT) AS failures
                FROM need_tools JOIN needs ON needs.id = need WHERE tool = ?1";
    let sums = tx.first(sums, [tool], |row| {
        Ok((row.get("needs")?, row.get("people")?, row.get("successes")?, row.get("failures")?))
    })?;
    let (needs, people, successes, failures) = sums.unwrap_or_default();
    let own = tx.all(
        "SELECT text, CAST(sum(successes) AS BIGINT) AS successes, CAST(sum(failures) AS BIGINT) AS failures,
                max(last_at) AS last_at
         FROM need_tools JOIN needs ON needs.id = need
         WHERE tool = ?1 AND person = ?2
         GROUP BY text ORDER BY max(last_at) DESC, max(needs.id) DESC LIMIT ?3",
        (tool, person, SHOWN),
        |row| {
            let last_at = row.time("last_at")?;
            Ok(OwnNeed {
                need: row.get("text")?,
                successes: row.get("successes")?,
                failures: row.get("failures")?,
                last_at,
            })
        },
    )?;
    Ok(Learned { needs, people, successes, failures, bound, own })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{db::Commit, users};
    use satchel_model::{conversation::ConversationId, time::Time};

    #[tokio::test]
    async fn a_need_told_in_several_conversations_is_one_need() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(&dir.path().join("satchel.db"), Commit::Grouped).unwrap();
        let topics = [ConversationId::new(), ConversationId::new()];
        let seeded = db.write(move |tx| {
            let user = users::mara(tx)?;
            let sql = "INSERT INTO conversations (id, person, title, created_at, updated_at) VALUES (?1, ?2, '', 0, 0)";
            topics.iter().try_for_each(|topic| tx.run(sql, (topic.to_string(), user.to_string())).map(drop))?;
            Ok(user)
        });
        let user = seeded.await.unwrap();
        let learning = Learning::new(&db);
        for (n, (topic, need)) in
            [(topics[0], "add numbers"), (topics[1], "add numbers"), (topics[1], "a sum")].into_iter().enumerate()
        {
            let at = Time::from_millis(n as i64);
            let (need, tool) = (need.to_owned(), "calculator".to_owned());
            let ended = Ended { user, topic, need, vector: None, tool, success: true, at };
            learning.note(ended).await.unwrap();
        }
        let learned = learning.of_tool("calculator", Some(user), 1.0).await.unwrap();
        assert_eq!((learned.needs, learned.successes), (2, 3));
        let own: Vec<_> = learned.own.iter().map(|own| (own.need.as_str(), own.successes)).collect();
        assert_eq!(own, [("a sum", 1), ("add numbers", 2)]);
    }
}
