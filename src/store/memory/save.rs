//! Remembering: what says the same is merged, what corrects an earlier value takes its place, and a full layer lets its
//! weakest go. All of it is said in the answer.

use serde::Serialize;

use super::{
    count, keys,
    rows::{self, Earlier},
    search,
    vectors::{self, Vectors},
};
use crate::sql::Tx;
use satchel_model::{
    conversation::{ConversationId, MessageId},
    error::{Error, Result},
    likeness,
    memory::{Layer, Memory, MemoryId, NewMemory, Wording},
    origin::Origin,
    strength::Strength,
    time::Time,
    user::UserId,
    words,
};

/// How near in meaning two wordings of one thing are at least. With all-MiniLM-L6-v2 a paraphrase of a short statement
/// lies at 0.75 to 0.95 and another statement about the same subject at 0.65 to 0.82, or above where one word is changed.
const ONE: f32 = 0.88;

/// The outcome for something to remember.
#[derive(Debug, Clone, PartialEq)]
pub struct Saved {
    /// The memory as it stands now.
    pub memory: Memory,
    /// It was there already, in these words or nearly, and was renewed.
    pub merged: bool,
    /// What it said before, where this corrects it.
    pub replaced: Option<String>,
    /// What was forgotten to make room for it.
    pub forgotten: Vec<Forgotten>,
}

/// A memory that made room.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Forgotten {
    /// Its key.
    pub key: String,
    /// Its layer.
    pub layer: Layer,
    /// What it said.
    pub content: String,
    /// Its origin, if from outside.
    #[serde(skip)]
    pub origin: Option<Origin>,
}

/// Whose, from where, and when.
struct Saying {
    user: UserId,
    source: Option<ConversationId>,
    message: Option<MessageId>,
    now: Time,
}

pub(super) fn all(
    tx: &Tx,
    user: UserId,
    new: &[NewMemory],
    source: Option<ConversationId>,
    now: Time,
) -> Result<Vec<Saved>> {
    let saying = Saying { user, source, message: source.map(|id| last_said(tx, id)).transpose()?.flatten(), now };
    let model = new.iter().find_map(NewMemory::vector).map(|vector| vector.model.clone());
    let mut known = model.map(|model| Vectors::load(tx, user, &model)).transpose()?.unwrap_or_default();
    new.iter().map(|new| save(tx, &saying, new, &mut known)).collect()
}

/// The person's last message in a conversation: what made it worth remembering.
fn last_said(tx: &Tx, source: ConversationId) -> Result<Option<MessageId>> {
    let sql = "SELECT id FROM messages WHERE conversation = ?1 AND role = 'user' ORDER BY seq DESC LIMIT 1";
    tx.first(sql, [source.to_string()], |row| row.parsed("id"))
}

/// What a new statement has to do with an old memory.
enum Relation {
    /// It says the same.
    Same,
    /// It corrects it.
    Corrects,
}

fn save(tx: &Tx, saying: &Saying, new: &NewMemory, known: &mut Vectors) -> Result<Saved> {
    let related = match new.key() {
        Some(key) => named(tx, saying, key, new)?.map(|old| (old, Relation::Corrects)),
        None => unnamed(tx, saying, new, known)?,
    };
    let saved = match related {
        Some((old, Relation::Corrects)) => correct(tx, saying, old, new)?,
        Some((old, Relation::Same)) => merge(tx, saying, old, new)?,
        None => add(tx, saying, new)?,
    };
    if saved.memory.content == new.content() {
        vectors::put(tx, saying.user, saved.memory.id, new.vector())?;
        known.learn(vectors::number(tx, saved.memory.id)?, new.vector());
    }
    Ok(saved)
}

fn named(tx: &Tx, saying: &Saying, key: &str, new: &NewMemory) -> Result<Option<Memory>> {
    let old = keys::find(tx, saying.user, key, saying.now)?;
    match &old {
        Some(old) if old.layer != new.layer() => Err(Error::conflict(format!(
            "The key '{key}' names a {}: a {} needs another key.",
            old.layer.as_str(),
            new.layer().as_str()
        ))),
        _ => Ok(old),
    }
}

/// A memory of the same layer that says the same as this one, or that this one corrects: by words first.
fn unnamed(tx: &Tx, saying: &Saying, new: &NewMemory, known: &Vectors) -> Result<Option<(Memory, Relation)>> {
    let layer = new.layer();
    let near = search::holding(tx, saying.user, &words::topics(new.content()), saying.now)?;
    let near: Vec<Memory> = near.into_iter().map(|(_, memory)| memory).filter(|memory| memory.layer == layer).collect();
    if let Some(old) = near.iter().find(|old| likeness::same(&old.content, new.content())) {
        return Ok(Some((old.clone(), Relation::Same)));
    }
    // Of what happened, a later one corrects nothing.
    let corrected = |old: &&Memory| layer == Layer::Fact && likeness::corrects(&old.content, new.content());
    if let Some(old) = near.iter().find(corrected) {
        return Ok(Some((old.clone(), Relation::Corrects)));
    }
    for (number, cosine) in new.vector().map(|vector| known.nearest(&vector.values, 5)).unwrap_or_default() {
        let Some(old) = rows_by_number(tx, number, saying.now)? else { continue };
        if cosine >= ONE && old.layer == layer && likeness::may_be_one(&old.content, new.content()) {
            return Ok(Some((old, Relation::Same)));
        }
    }
    Ok(None)
}

fn rows_by_number(tx: &Tx, number: i64, now: Time) -> Result<Option<Memory>> {
    tx.first("SELECT * FROM memories WHERE number = ?1", [number], |row| rows::read(row, now))
}

/// The new wording, or the old one where the new says less; the other is kept as one it was merged from.
fn merge(tx: &Tx, saying: &Saying, old: Memory, new: &NewMemory) -> Result<Saved> {
    let says_less = new.content().len() < old.content.len();
    let (content, other) =
        if says_less { (old.content.clone(), new.content()) } else { (new.content().to_owned(), old.content.as_str()) };
    let said_at = if says_less { saying.now } else { old.updated_at };
    if other != content {
        rows::keep(tx, old.id, Earlier::Merged, &Wording { content: other.to_owned(), said_at })?;
    }
    let origin = origin_of(&old, new);
    let memory = renewed(tx, saying, Memory { content, origin, ..old }, new)?;
    Ok(Saved { memory, merged: true, replaced: None, forgotten: Vec::new() })
}

/// The new statement in the old one's place; what that said becomes its history.
fn correct(tx: &Tx, saying: &Saying, old: Memory, new: &NewMemory) -> Result<Saved> {
    if old.content == new.content() {
        return merge(tx, saying, old, new);
    }
    let before = old.content.clone();
    rows::keep(tx, old.id, Earlier::Corrected, &Wording { content: before.clone(), said_at: old.updated_at })?;
    let source = (saying.source.or(old.source_conversation), saying.message.or(old.source_message));
    let content = new.content().to_owned();
    let key = key_after(tx, saying, &old, new)?;
    let origin = origin_of(&old, new);
    let corrected = Memory { content, key, source_conversation: source.0, source_message: source.1, origin, ..old };
    let memory = renewed(tx, saying, corrected, new)?;
    Ok(Saved { memory, merged: false, replaced: Some(before), forgotten: Vec::new() })
}

/// The origin of a memory that is said again: its earlier wordings stay with it, and so does where they came from.
fn origin_of(old: &Memory, new: &NewMemory) -> Option<Origin> {
    // The very same words bring nothing in.
    let new = new.origin().filter(|_| old.content != new.content());
    Origin::joined(old.origin.clone(), new.cloned())
}

/// Writes a memory that was said again.
fn renewed(tx: &Tx, saying: &Saying, memory: Memory, new: &NewMemory) -> Result<Memory> {
    let category = if new.category() == "general" { memory.category.clone() } else { new.category().to_owned() };
    let changed = Memory {
        category,
        updated_at: saying.now,
        source_conversation: memory.source_conversation.or(saying.source),
        source_message: memory.source_message.or(saying.message),
        ..memory
    };
    rows::replace(tx, &changed)?;
    rows::renew(tx, saying.user, changed.id, saying.now)?;
    let sql = "SELECT * FROM memories WHERE person = ?1 AND id = ?2";
    let bound = (saying.user.to_string(), changed.id.to_string());
    rows::first(tx, sql, bound, saying.now)?.ok_or_else(|| rows::no_memory(&changed.key))
}

fn add(tx: &Tx, saying: &Saying, new: &NewMemory) -> Result<Saved> {
    let forgotten = make_room(tx, saying, new.layer())?;
    let memory = Memory {
        id: MemoryId::new(),
        layer: new.layer(),
        category: new.category().to_owned(),
        content: new.content().to_owned(),
        key: match new.key() {
            Some(key) => key.to_owned(),
            None => keys::free(tx, saying.user, new.content(), saying.now)?,
        },
        created_at: saying.now,
        updated_at: saying.now,
        source_conversation: saying.source,
        source_message: saying.message,
        strength: 1.0,
        recalls: 0,
        merged_from: Vec::new(),
        history: Vec::new(),
        origin: new.origin().cloned(),
    };
    rows::insert(tx, saying.user, &memory, saying.now)?;
    Ok(Saved { memory, merged: false, replaced: None, forgotten })
}

/// Lets the weakest memories of a full layer go; of equally weak ones the oldest.
fn make_room(tx: &Tx, saying: &Saying, layer: Layer) -> Result<Vec<Forgotten>> {
    let excess = (count(tx, saying.user, layer)? + 1).saturating_sub(layer.most());
    if excess == 0 {
        return Ok(Vec::new());
    }
    let sql = "SELECT number, stability, fresh_at FROM memories WHERE person = ?1 AND layer = ?2";
    let mut held = tx.all(sql, (saying.user.to_string(), layer.as_str()), |row| {
        let held = Strength { stability: row.get("stability")?, fresh_at: row.time("fresh_at")? };
        Ok((held.at(saying.now), row.get::<i64>("number")?))
    })?;
    held.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut forgotten = Vec::new();
    for (_, number) in held.into_iter().take(excess) {
        if let Some(weak) = rows_by_number(tx, number, saying.now)? {
            tx.run("DELETE FROM memories WHERE number = ?1", [number])?;
            let Memory { key, layer, content, origin, .. } = weak;
            forgotten.push(Forgotten { key, layer, content, origin });
        }
    }
    Ok(forgotten)
}

/// The key of a corrected memory: one made from what it said is made anew, lest it contradict it; one that was given stays.
fn key_after(tx: &Tx, saying: &Saying, old: &Memory, new: &NewMemory) -> Result<String> {
    match new.key() {
        None if keys::is_made(&old.key, &old.content) && !keys::is_made(&old.key, new.content()) => {
            keys::free(tx, saying.user, new.content(), saying.now)
        }
        _ => Ok(old.key.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        db::{Commit, Db},
        memory::MemoryStore,
        users,
    };

    #[tokio::test]
    async fn a_corrected_memory_gets_a_key_that_says_what_it_says_and_is_found_by_the_old_one() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(&dir.path().join("satchel.db"), Commit::Grouped).unwrap();
        let own = MemoryStore::new(&db).own(db.write(users::mara).await.unwrap());
        let now = Time::from_millis(1);
        let save = async |content: &str, key: Option<&str>| {
            let new = NewMemory::new(content, Layer::Fact).unwrap().with_key(key).unwrap();
            own.save(vec![new], None, now).await.unwrap().remove(0)
        };
        save("The rent is 1200", None).await;
        let changed = save("The rent is 1300", None).await;
        assert_eq!(changed.replaced.as_deref(), Some("The rent is 1200"));
        assert_eq!(changed.memory.key, "the-rent-is-1300");
        for key in ["the-rent-is-1300", "the-rent-is-1200"] {
            assert_eq!(own.get(key, now).await.unwrap().content, "The rent is 1300", "{key}");
        }
        assert!(own.get("the-rent-is-1400", now).await.is_err());
        let again = save("The rent is 1250", Some("the-rent-is-1200")).await;
        assert_eq!(again.replaced.as_deref(), Some("The rent is 1300"));
        // One that was numbered, as the first was taken, is one that was made.
        save("The toll is dear", Some("the-tax-is-low")).await;
        assert_eq!(save("The tax is low", None).await.memory.key, "the-tax-is-low-2");
        assert_eq!(save("The tax is high", None).await.memory.key, "the-tax-is-high");
        save("The fee is 1100", Some("fee")).await;
        assert_eq!(save("The fee is 1200", None).await.memory.key, "fee");
    }
}
