//! What a person's recent time was about, by counting: themes, episodes, what was learned and what changed.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde::Serialize;

use super::rows::{read, with_wordings};
use crate::sql::Tx;
use satchel_model::{
    error::Result,
    memory::{Layer, Memory, MemoryId},
    origin::Origin,
    time::Time,
    user::UserId,
    words,
};

/// Most memories looked at.
const LOOKED_AT: i64 = 300;
/// Most themes, episodes and statements named.
const NAMED: usize = 8;

/// Words that episodes are put together with.
const FRAME: &[&str] = &["asked", "more", "tools", "answered", "failed", "stopped", "outcome", "sent"];

/// What a time was about.
#[derive(Debug, Clone, Default)]
pub struct Digest {
    /// What came up more than once, the most frequent first.
    pub themes: Vec<Theme>,
    /// The episodes, the latest first.
    pub episodes: Vec<Memory>,
    /// What was remembered, the latest first.
    pub learned: Vec<Memory>,
    /// How many episodes there are, the named ones among them.
    pub episodes_total: usize,
    /// How many statements were remembered, the named ones among them.
    pub learned_total: usize,
    /// What was corrected, the latest first.
    pub changed: Vec<Memory>,
    /// The origin of all that was looked at: its words may be among the themes.
    pub origin: Option<Origin>,
}

/// Something that came up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Theme {
    /// The word, as it was said most.
    pub word: String,
    /// In how many memories.
    pub times: usize,
}

pub(super) fn since(
    tx: &Tx,
    user: UserId,
    from: Time,
    (only, now): (Option<HashSet<MemoryId>>, Time),
) -> Result<Digest> {
    let sql =
        "SELECT * FROM memories WHERE person = ?1 AND updated_at >= ?2 ORDER BY updated_at DESC, number DESC LIMIT ?3";
    let mut found = tx.all(sql, (user.to_string(), from.millis(), LOOKED_AT), |row| read(row, now))?;
    found.retain(|memory| only.as_ref().is_none_or(|only| only.contains(&memory.id)));
    found.iter_mut().try_for_each(|memory| with_wordings(tx, memory))?;
    let themes = themes(&found);
    let origin = found.iter().map(|memory| memory.origin.clone()).fold(None, Origin::joined);
    let (episodes_total, learned_total) = totals(tx, user, from, only.as_ref())?;
    let (episodes, learned): (Vec<Memory>, Vec<Memory>) =
        found.into_iter().partition(|memory| memory.layer == Layer::Episode);
    let changed = learned.iter().filter(|memory| !memory.history.is_empty()).take(NAMED).cloned().collect();
    Ok(Digest {
        themes,
        episodes: episodes.into_iter().take(NAMED).collect(),
        learned: learned.into_iter().take(NAMED).collect(),
        episodes_total,
        learned_total,
        changed,
        origin,
    })
}

/// How many episodes and how many other memories there are, also beyond those that are looked at.
fn totals(tx: &Tx, user: UserId, from: Time, only: Option<&HashSet<MemoryId>>) -> Result<(usize, usize)> {
    let sql = "SELECT id, layer FROM memories WHERE person = ?1 AND updated_at >= ?2";
    let mut found: Vec<(MemoryId, String)> =
        tx.all(sql, (user.to_string(), from.millis()), |row| Ok((row.parsed("id")?, row.get("layer")?)))?;
    found.retain(|(id, _)| only.is_none_or(|only| only.contains(id)));
    let episodes = found.iter().filter(|(_, layer)| layer == Layer::Episode.as_str()).count();
    Ok((episodes, found.len() - episodes))
}

/// Words by the number of memories that hold them; forms of a word are one, shown as it was said most.
fn themes(memories: &[Memory]) -> Vec<Theme> {
    let mut found: BTreeMap<String, (usize, BTreeMap<String, usize>)> = BTreeMap::new();
    for memory in memories {
        let said: BTreeSet<String> = words::split(&memory.content).into_iter().collect();
        let telling = |word: &String| {
            word.chars().count() > 3 && !word.contains(char::is_numeric) && !FRAME.contains(&word.as_str())
        };
        for word in said.into_iter().filter(telling) {
            for stem in words::topics(&word) {
                let (times, forms) = found.entry(stem).or_default();
                *times += 1;
                *forms.entry(word.clone()).or_default() += 1;
            }
        }
    }
    let mut themes: Vec<Theme> = found
        .into_values()
        .filter(|(times, _)| *times > 1)
        .filter_map(|(times, forms)| {
            let word = forms.into_iter().max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(&a.0)))?.0;
            Some(Theme { word, times })
        })
        .collect();
    themes.sort_by(|a, b| b.times.cmp(&a.times).then(a.word.cmp(&b.word)));
    themes.truncate(NAMED);
    themes
}
