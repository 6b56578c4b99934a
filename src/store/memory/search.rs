//! Finding memories: by their words, which a table names candidates for, and by what they mean.
//!
//! A score by words weighs each word by how rare it is among the person's own memories (`ln(1 + n / (holders + ½))`), so
//! it depends on nobody else's, and is between 0 and 1. So is the cosine between two statements that have anything to do
//! with each other. Their score together is the better of the cosine and `.6 cosine + .4 words`: a paraphrase counts
//! without a common word, and of two that mean as much, the one with the words that were asked for comes first.

use std::collections::{BTreeSet, HashMap};

use super::{
    rows::{read, recent, with_wordings},
    vectors::Cache,
};
use crate::sql::{Row, Tx, places, rounded};
use satchel_model::{
    error::{Error, Result},
    memory::{Layer, Match, Memory, Vector},
    time::Time,
    user::UserId,
    words,
};

/// Most memories one search looks at closely by words.
const CANDIDATES: u32 = 300;
/// Most words of a text that are looked for.
const WORDS: usize = 200;
/// Most memories a search looks at closely by meaning.
const NEAREST: usize = 100;
/// Least cosine that says anything: with all-MiniLM-L6-v2 short texts about different things lie below 0.25.
const NEAR: f32 = 0.3;
/// How well the words of a memory must answer a turn's text for it to be given to the turn.
const RELEVANT: f64 = 0.3;
/// The same by meaning.
const RELEVANT_MEANING: f64 = 0.35;
/// Most episodes a turn is given: each says little for its length, and every conversation leaves one.
const EPISODES: usize = 2;
/// Most preferences a turn is given that do not match its text.
const PREFERENCES: usize = 3;
/// How much of a memory's place its strength decides: a faded one comes after a fresh one that fits nearly as well.
const FADING: f64 = 0.2;

/// Which memories a search wants.
#[derive(Debug, Clone)]
pub struct Search {
    /// What they are about.
    pub query: String,
    /// What that means, where a model said.
    pub vector: Option<Vector>,
    /// Only these layers; empty means all.
    pub layers: Vec<Layer>,
    /// Only matches at least this good, 0 to 1; 0 takes what does not match as well. `None` takes what matches at all.
    pub threshold: Option<f64>,
    /// Most matches.
    pub limit: usize,
    /// When it is asked.
    pub now: Time,
}

/// The words by which a memory is found.
pub(super) fn own_words(memory: &Memory) -> BTreeSet<String> {
    with_labels(words::topics(&memory.content), memory)
}

/// The words of what a memory says with those of its category and key.
fn with_labels(mut said: BTreeSet<String>, memory: &Memory) -> BTreeSet<String> {
    said.extend(words::topics(&format!("{} {}", memory.category, memory.key)));
    said
}

/// The memories that a turn may be given without asking for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Only those with nothing from outside in them, or that the person has vouched for.
    Own,
    /// Those, and what the person's programs wrote: for a program of theirs.
    Programs,
    /// Those from outside as well.
    Outside,
}

impl Reach {
    fn holds(self, memory: &Memory, user: UserId) -> bool {
        let Some(origin) = &memory.origin else { return true };
        match self {
            Self::Own => false,
            Self::Programs => origin.program_of == Some(user),
            Self::Outside => true,
        }
    }
}

/// A memory that may match.
struct Candidate {
    memory: Memory,
    /// The words of what it says.
    said: BTreeSet<String>,
    /// Those, and the words of its category and key.
    own: BTreeSet<String>,
    cosine: f64,
}

impl Candidate {
    fn new(memory: Memory, cosine: f64) -> Self {
        let said = words::topics(&memory.content);
        let own = with_labels(said.clone(), &memory);
        Self { memory, said, own, cosine }
    }
}

/// The best matches, best first; of equal ones the newer first.
pub(super) fn best(tx: &Tx, cache: &Cache, user: UserId, search: &Search) -> Result<Vec<Match>> {
    let wanted = words::topics(&search.query);
    let found = candidates(tx, cache, user, (&wanted, search))?;
    let rarity = Rarity::new(&wanted, &found, count(tx, user)?);
    let mut matches: Vec<Match> = found
        .into_iter()
        .filter(|one| search.layers.is_empty() || search.layers.contains(&one.memory.layer))
        .map(|one| Match { score: together(one.cosine, rarity.similarity(&wanted, &one.own)), memory: one.memory })
        .filter(|m| search.threshold.map_or(m.score > 0.0, |least| m.score >= least))
        .collect();
    if search.threshold == Some(0.0) {
        let known: BTreeSet<_> = matches.iter().map(|found| found.memory.key.clone()).collect();
        let rest = recent(tx, user, &search.layers, search.limit, search.now)?;
        let rest = rest.into_iter().filter(|memory| !known.contains(&memory.key));
        matches.extend(rest.map(|memory| Match { score: 0.0, memory }));
    }
    order(&mut matches, search.limit);
    matches.iter_mut().try_for_each(|found| with_wordings(tx, &mut found.memory))?;
    Ok(matches)
}

/// What a turn about this text should know.
pub(super) fn relevant(tx: &Tx, cache: &Cache, user: UserId, search: &Search, reach: Reach) -> Result<Vec<Memory>> {
    let wanted = words::topics(&search.query);
    let mut found = candidates(tx, cache, user, (&wanted, search))?;
    found.retain(|one| reach.holds(&one.memory, user));
    let rarity = Rarity::new(&wanted, &found, count(tx, user)?);
    let mut matches: Vec<Match> = found
        .into_iter()
        .filter_map(|one| {
            let overlap = rarity.overlap(&wanted, &one.said);
            let bears = overlap >= RELEVANT || one.cosine >= RELEVANT_MEANING;
            let faded = 1.0 - FADING + FADING * one.memory.strength;
            bears.then(|| Match { score: together(one.cosine, overlap) * faded, memory: one.memory })
        })
        .collect();
    order(&mut matches, usize::MAX);
    let mut episodes = 0;
    matches.retain(|found| {
        episodes += usize::from(found.memory.layer == Layer::Episode);
        found.memory.layer != Layer::Episode || episodes <= EPISODES
    });
    matches.truncate(search.limit);
    let mut chosen: Vec<Memory> = matches.into_iter().map(|m| m.memory).collect();
    // A preference bears on turns that do not name its words.
    let latest = recent(tx, user, &[Layer::Fact], 50, search.now)?;
    let room = PREFERENCES.min(search.limit - chosen.len());
    let known: BTreeSet<_> = chosen.iter().map(|memory| memory.key.clone()).collect();
    let preferences = latest.into_iter().filter(|m| reach.holds(m, user));
    let preferences = preferences.filter(|m| m.category == "preference" && !known.contains(&m.key));
    chosen.extend(preferences.take(room));
    Ok(chosen)
}

/// The person's memories that hold any of these words, with their numbers: those first that hold the rarest of them.
pub(super) fn holding(tx: &Tx, user: UserId, wanted: &BTreeSet<String>, now: Time) -> Result<Vec<(i64, Memory)>> {
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let words = rounded(&wanted.iter().take(WORDS).cloned().collect::<Vec<_>>());
    let sql = format!(
        "WITH held AS (SELECT word, memory FROM memory_words WHERE person = ?1 AND word IN ({})),
              rare AS (SELECT word, 1.0 / count(*) AS weight FROM held GROUP BY word),
              found AS (SELECT held.memory, sum(rare.weight) AS weight FROM held JOIN rare ON rare.word = held.word
                        GROUP BY held.memory)
         SELECT memories.* FROM found JOIN memories ON memories.number = found.memory
         ORDER BY found.weight DESC, memories.number DESC LIMIT {CANDIDATES}",
        places(2, words.len())
    );
    let bound: Vec<String> = std::iter::once(user.to_string()).chain(words).collect();
    tx.all(&sql, bound, |row| numbered(row, now))
}

fn candidates(
    tx: &Tx,
    cache: &Cache,
    user: UserId,
    (wanted, search): (&BTreeSet<String>, &Search),
) -> Result<Vec<Candidate>> {
    let moment = tx.moment()?;
    let mut found = holding(&moment, user, wanted, search.now)?;
    let mut cosines: HashMap<i64, f64> = HashMap::new();
    if let Some(vector) = &search.vector {
        let near = cache.get(&moment, user, &vector.model)?.nearest(&vector.values, usize::MAX);
        let near: Vec<(i64, f32)> = near.into_iter().take_while(|(_, cosine)| *cosine >= NEAR).collect();
        let known: BTreeSet<i64> = found.iter().map(|(number, _)| *number).collect();
        let sql = "SELECT * FROM memories WHERE number = ?1 AND person = ?2";
        for (number, _) in near.iter().take(NEAREST).filter(|(number, _)| !known.contains(number)) {
            found.extend(moment.first(sql, (number, user.to_string()), |row| numbered(row, search.now))?);
        }
        cosines.extend(near.into_iter().map(|(number, cosine)| (number, f64::from(cosine))));
    }
    let candidate =
        |(number, memory): (i64, Memory)| Candidate::new(memory, cosines.get(&number).copied().unwrap_or(0.0));
    Ok(found.into_iter().map(candidate).collect())
}

fn numbered(row: &Row<'_>, now: Time) -> Result<(i64, Memory)> {
    Ok((row.get("number")?, read(row, now)?))
}

fn together(cosine: f64, words: f64) -> f64 {
    if cosine <= 0.0 { words } else { cosine.max(0.6 * cosine + 0.4 * words).min(1.0) }
}

fn order(matches: &mut Vec<Match>, limit: usize) {
    matches.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.memory.updated_at.cmp(&a.memory.updated_at)));
    matches.truncate(limit);
}

fn count(tx: &Tx, user: UserId) -> Result<usize> {
    let sql = "SELECT count(*) FROM memories WHERE person = ?1";
    let count: i64 = tx.one(sql, [user.to_string()])?;
    usize::try_from(count).map_err(Error::internal)
}

/// What each word of a query weighs.
struct Rarity {
    weights: HashMap<String, f64>,
    unseen: f64,
}

impl Rarity {
    fn new(wanted: &BTreeSet<String>, found: &[Candidate], all: usize) -> Self {
        let weigh = |holders: usize| (1.0 + float(all.max(1)) / (float(holders) + 0.5)).ln();
        let holders = |word: &String| found.iter().filter(|one| one.own.contains(word)).count();
        let weights = wanted.iter().map(|word| (word.clone(), weigh(holders(word)))).collect();
        Self { weights, unseen: weigh(1) }
    }

    fn sum<'a>(&self, words: impl Iterator<Item = &'a String>) -> f64 {
        words.map(|word| self.weights.get(word).copied().unwrap_or(self.unseen)).sum()
    }

    /// Mostly how much of the query the memory holds, and a little how much else it holds.
    fn similarity(&self, wanted: &BTreeSet<String>, own: &BTreeSet<String>) -> f64 {
        let common = self.sum(wanted.intersection(own));
        let (query, all) = (self.sum(wanted.iter()), self.sum(wanted.iter()) * self.sum(own.iter()));
        if query <= 0.0 || all <= 0.0 {
            return 0.0;
        }
        (0.7 * common / query + 0.3 * common / all.sqrt()).clamp(0.0, 1.0)
    }

    /// How much of the shorter one the other holds: a long message about a short memory is relevant to it.
    fn overlap(&self, wanted: &BTreeSet<String>, own: &BTreeSet<String>) -> f64 {
        let least = self.sum(wanted.iter()).min(self.sum(own.iter()));
        if least <= 0.0 { 0.0 } else { (self.sum(wanted.intersection(own)) / least).clamp(0.0, 1.0) }
    }
}

fn float(number: usize) -> f64 {
    u32::try_from(number).map_or(f64::MAX, f64::from)
}
