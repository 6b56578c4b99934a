//! Which conversations are over and have no episode yet, and the episodes that are made of them.

use super::rows;
use crate::{
    conversations,
    db::Db,
    messages::{self, Span},
    sql::{Params, Tx, params},
};
use satchel_model::{
    conversation::{ConversationId, Message},
    error::{Error, Result},
    memory::{Layer, Memory, MemoryId, NewMemory},
    time::Time,
    user::UserId,
};

/// Most conversations looked at in one go.
const AT_ONCE: i64 = 50;
/// Most of those a person has just left: their turn waits for them, the others are found once they rest.
const LEFT: i64 = 3;

/// Conversations in which something was said that their episodes do not tell, and no answer is under way.
const LEAVING: &str = "SELECT c.id, c.person, c.title, c.episode_upto FROM conversations c WHERE c.depth = 0
    AND EXISTS (SELECT 1 FROM messages m WHERE m.conversation = c.id AND m.seq > c.episode_upto)
    AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.conversation = c.id AND t.state IN ('running', 'waiting'))";

/// A conversation that is over, or rests.
#[derive(Debug, Clone)]
pub struct Due {
    /// Whose.
    pub user: UserId,
    /// Which.
    pub conversation: ConversationId,
    /// Its name.
    pub title: String,
    /// What was said in it that its episode is to tell: all, or what came after an episode the person has deleted.
    pub messages: Vec<Message>,
    upto: i64,
}

/// The conversations whose episode is to be written. Cheap to clone.
#[derive(Clone)]
pub struct Episodes {
    db: Db,
}

impl Episodes {
    pub(super) fn new(db: &Db) -> Self {
        Self { db: db.clone() }
    }

    /// Everybody's conversations in which nothing has happened since `before`.
    pub async fn resting(&self, before: Time) -> Result<Vec<Due>> {
        let sql = format!("{LEAVING} AND c.person IS NOT NULL AND c.updated_at < ?1 ORDER BY c.updated_at LIMIT ?2");
        self.db.read(move |tx| due(tx, &sql, (before.millis(), AT_ONCE))).await
    }

    /// One person's conversations but this one: they have left them for it.
    pub async fn left(&self, user: UserId, current: ConversationId) -> Result<Vec<Due>> {
        let sql = format!("{LEAVING} AND c.person = ?1 AND c.id <> ?2 ORDER BY c.updated_at DESC LIMIT ?3");
        self.db.read(move |tx| due(tx, &sql, (user.to_string(), current.to_string(), LEFT))).await
    }

    /// A conversation as it would be left now; `None` where its episode tells all that was said, or an answer is under way.
    pub async fn one(&self, user: UserId, conversation: ConversationId) -> Result<Option<Due>> {
        let sql = format!("{LEAVING} AND c.person = ?1 AND c.id = ?2");
        let found = self.db.read(move |tx| due(tx, &sql, (user.to_string(), conversation.to_string()))).await?;
        Ok(found.into_iter().next())
    }

    /// Writes the episode of a conversation, over the one it has.
    pub async fn write(&self, due: &Due, episode: NewMemory, now: Time) -> Result<()> {
        let (user, conversation, upto) = (due.user, due.conversation, due.upto);
        self.db.write(move |tx| write(tx, (user, conversation, upto), &episode, now)).await
    }

    /// Marks a conversation as told without an episode: nothing worth one was said.
    pub async fn pass_over(&self, due: &Due) -> Result<()> {
        let (conversation, upto) = (due.conversation, due.upto);
        self.db.write(move |tx| told(tx, conversation, upto)).await
    }
}

fn due(tx: &Tx, sql: &str, bound: impl Params) -> Result<Vec<Due>> {
    let moment = tx.moment()?;
    let found = moment.all(sql, bound, |row| {
        Ok((
            row.parsed::<ConversationId>("id")?,
            row.parsed("person")?,
            row.get::<String>("title")?,
            row.get::<i64>("episode_upto")?,
        ))
    })?;
    found
        .into_iter()
        .map(|(conversation, user, title, told)| {
            let from = if of_conversation(&moment, user, conversation)?.is_some() { 0 } else { told };
            let placed = messages::list(&moment, conversation, Span::after(from))?;
            let upto = placed.last().map_or(told, |placed| placed.seq);
            let messages = placed.into_iter().map(|placed| placed.message).collect();
            Ok(Due { user, conversation, title, messages, upto })
        })
        .collect()
}

fn of_conversation(tx: &Tx, user: UserId, conversation: ConversationId) -> Result<Option<MemoryId>> {
    let sql = "SELECT id FROM memories WHERE person = ?1 AND source = ?2 AND layer = 'episode'";
    tx.first(sql, (user.to_string(), conversation.to_string()), |row| row.parsed("id"))
}

fn told(tx: &Tx, conversation: ConversationId, upto: i64) -> Result<()> {
    let sql = "UPDATE conversations SET episode_upto = ?2 WHERE id = ?1";
    tx.run(sql, (conversation.to_string(), upto)).map(drop)
}

fn write(
    tx: &Tx,
    (user, conversation, upto): (UserId, ConversationId, i64),
    episode: &NewMemory,
    now: Time,
) -> Result<()> {
    let there = "SELECT updated_at FROM conversations WHERE id = ?1 AND person IS NOT NULL";
    // It may have been deleted while its episode was made.
    let ended: Option<i64> = tx.first(there, [conversation.to_string()], |row| row.get("updated_at"))?;
    let Some(ended) = ended.map(Time::from_millis) else { return Ok(()) };
    told(tx, conversation, upto)?;
    let origin = match conversations::get(tx, user, conversation)?.origin() {
        Some(origin) => Some(origin),
        None => conversations::program_in(tx, user, conversation)?,
    };
    let episode = &episode.clone().with_origin(origin);
    let id = match of_conversation(tx, user, conversation)? {
        Some(id) => rewrite(tx, user, id, episode, ended)?,
        None => {
            make_room(tx, user)?;
            let memory = fresh(tx, (user, conversation), episode, ended)?;
            rows::insert(tx, user, &memory, now)?;
            memory.id
        }
    };
    super::vectors::put(tx, user, id, episode.vector())
}

fn rewrite(tx: &Tx, user: UserId, id: MemoryId, episode: &NewMemory, ended: Time) -> Result<MemoryId> {
    let sql = "SELECT * FROM memories WHERE person = ?1 AND id = ?2";
    let old = rows::first(tx, sql, (user.to_string(), id.to_string()), ended)?;
    let old = old.ok_or_else(|| rows::no_memory(&id.to_string()))?;
    let content = episode.content().to_owned();
    // What the person has vouched for stays vouched for while it says the same.
    let origin = if content == old.content { old.origin.clone() } else { episode.origin().cloned() };
    rows::replace(tx, &Memory { content, origin, updated_at: ended, ..old })?;
    Ok(id)
}

fn fresh(tx: &Tx, (user, conversation): (UserId, ConversationId), episode: &NewMemory, ended: Time) -> Result<Memory> {
    let first_said = "SELECT id FROM messages WHERE conversation = ?1 ORDER BY seq LIMIT 1";
    let begun = "SELECT created_at FROM conversations WHERE id = ?1";
    let begun: i64 =
        tx.first(begun, [conversation.to_string()], |row| row.get("created_at"))?.unwrap_or(ended.millis());
    let id = MemoryId::new();
    // The first letters of an id are its time and alike for two of one moment; the last are random.
    let key: String = conversation.to_string().chars().rev().take(12).collect::<Vec<_>>().into_iter().rev().collect();
    let mut key = format!("episode-{key}");
    if rows::by_key(tx, user, &key, ended)?.is_some() {
        key = format!("episode-{id}");
    }
    Ok(Memory {
        id,
        layer: Layer::Episode,
        category: "conversation".to_owned(),
        content: episode.content().to_owned(),
        key,
        created_at: Time::from_millis(begun),
        updated_at: ended,
        source_conversation: Some(conversation),
        source_message: tx.first(first_said, [conversation.to_string()], |row| row.parsed("id"))?,
        strength: 1.0,
        recalls: 0,
        merged_from: Vec::new(),
        history: Vec::new(),
        origin: episode.origin().cloned(),
    })
}

/// Lets the oldest episodes go: nobody asked for them to be kept.
fn make_room(tx: &Tx, user: UserId) -> Result<()> {
    let most = i64::try_from(Layer::Episode.most()).map_err(Error::internal)?;
    tx.run(
        "DELETE FROM memories WHERE person = ?1 AND layer = 'episode' AND number NOT IN
           (SELECT number FROM memories WHERE person = ?1 AND layer = 'episode' ORDER BY fresh_at DESC, number DESC LIMIT ?2)",
        params![user.to_string(), most - 1],
    )?;
    Ok(())
}
