//! Finding memories by their words: the full-text table names candidates, the score is computed here.
//!
//! A score weighs each word by how rare it is among the person's own memories (`ln(1 + n / (holders + ½))`), so it
//! depends on nobody else's, and is between 0 and 1.

use std::collections::{BTreeSet, HashMap};

use rusqlite::Connection;

use super::memory::{self, Search};
use crate::model::{
    error::{Error, Result},
    memory::{Match, Memory, NewMemory},
    user::UserId,
    words,
};

/// Most memories one search looks at closely.
const CANDIDATES: i64 = 300;
/// How well a memory must answer a turn's text to be given to it.
const RELEVANT: f64 = 0.3;
/// Most preferences a turn is given that do not match its text.
const PREFERENCES: usize = 3;
/// Words that turn a sentence round: texts that differ in one of these never say the same.
const TURNING: &[&str] =
    &["not", "no", "never", "none", "without", "except", "only", "instead", "t", "from", "to", "before", "after"];
/// Words that texts may differ in and still say the same.
const HOLLOW: &[&str] = &["a", "an", "the", "i", "my", "me", "user", "s", "his", "her", "he", "she", "is", "that"];

/// What the full-text table keeps of a memory.
pub(super) fn indexed(memory: &Memory) -> String {
    let all: BTreeSet<String> = own_words(memory);
    all.into_iter().collect::<Vec<_>>().join(" ")
}

fn own_words(memory: &Memory) -> BTreeSet<String> {
    words::topics(&format!("{} {} {}", memory.content, memory.category, memory.key))
}

/// The best matches, best first; of equal ones the newer first.
pub(super) fn best(c: &Connection, user: UserId, search: &Search) -> Result<Vec<Match>> {
    let wanted = words::topics(&search.query);
    let found = candidates(c, user, &wanted)?;
    let rarity = Rarity::of(&wanted, &found, count(c, user)?);
    let mut matches: Vec<Match> = found
        .into_iter()
        .filter(|(memory, _)| search.layers.is_empty() || search.layers.contains(&memory.layer))
        .map(|(memory, own)| Match { score: rarity.similarity(&wanted, &own), memory })
        .filter(|m| m.score > 0.0 && m.score >= search.threshold)
        .collect();
    order(&mut matches);
    matches.truncate(search.limit);
    Ok(matches)
}

/// What a turn about this text should know.
pub(super) fn relevant(c: &Connection, user: UserId, text: &str, limit: usize) -> Result<Vec<Memory>> {
    let wanted = words::topics(text);
    let found = candidates(c, user, &wanted)?;
    let rarity = Rarity::of(&wanted, &found, count(c, user)?);
    let mut matches: Vec<Match> = found
        .into_iter()
        .map(|(memory, _)| {
            let said = words::topics(&memory.content);
            Match { score: rarity.overlap(&wanted, &said), memory }
        })
        .filter(|m| m.score >= RELEVANT)
        .collect();
    order(&mut matches);
    matches.truncate(limit);
    let mut chosen: Vec<Memory> = matches.into_iter().map(|m| m.memory).collect();
    // A preference bears on turns that do not name its words.
    let preferences = memory::recent(c, user, &[], 50)?.into_iter().filter(|m| m.category == "preference");
    let fresh =
        preferences.filter(|m| !chosen.contains(m)).take(PREFERENCES.min(limit - chosen.len())).collect::<Vec<_>>();
    chosen.extend(fresh);
    Ok(chosen)
}

/// A memory of the same layer that says the same as this one, or the same and a word more or less.
pub(super) fn duplicate(c: &Connection, user: UserId, new: &NewMemory) -> Result<Option<Memory>> {
    let found = candidates(c, user, &words::topics(new.content()))?;
    let same = |memory: &Memory| memory.layer == new.layer() && says_the_same(&memory.content, new.content());
    Ok(found.into_iter().map(|(memory, _)| memory).find(same))
}

fn says_the_same(one: &str, other: &str) -> bool {
    let (one, other) = (telling(one), telling(other));
    let (short, long) = if one.len() <= other.len() { (&one, &other) } else { (&other, &one) };
    if long.is_empty() || short.len() * 5 < long.len() * 4 {
        return false;
    }
    let mut rest = short.iter().peekable();
    let mut extra = Vec::new();
    for word in long {
        if rest.peek() == Some(&word) {
            rest.next();
        } else {
            extra.push(word);
        }
    }
    let turns = |word: &&String| TURNING.contains(&word.as_str()) || word.contains(|c: char| c.is_ascii_digit());
    rest.next().is_none() && !extra.iter().any(turns)
}

/// The words of a text that tell something, in order.
fn telling(text: &str) -> Vec<String> {
    words::split(text).into_iter().filter(|word| !HOLLOW.contains(&word.as_str())).collect()
}

fn order(matches: &mut [Match]) {
    matches.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.memory.updated_at.cmp(&a.memory.updated_at)));
}

/// The person's memories that hold any of these words, with their own words.
fn candidates(c: &Connection, user: UserId, wanted: &BTreeSet<String>) -> Result<Vec<(Memory, BTreeSet<String>)>> {
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let terms: Vec<String> = wanted.iter().take(200).map(|word| format!("\"{word}\"")).collect();
    let owner = user.to_string().replace('-', "");
    let query = format!("owner : \"{owner}\" AND words : ({})", terms.join(" OR "));
    let mut statement = c.prepare_cached(
        "SELECT memories.* FROM memory_words JOIN memories ON memories.number = memory_words.rowid
         WHERE memory_words MATCH ?1 AND memories.user = ?2 ORDER BY bm25(memory_words, 0.0, 1.0) LIMIT ?3",
    )?;
    let mut rows = statement.query((query, user.to_string(), CANDIDATES))?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let memory = memory::read(row)?;
        let own = own_words(&memory);
        found.push((memory, own));
    }
    Ok(found)
}

fn count(c: &Connection, user: UserId) -> Result<usize> {
    let mut statement = c.prepare_cached("SELECT count(*) FROM memories WHERE user = ?1")?;
    let count: i64 = statement.query_row([user.to_string()], |row| row.get(0))?;
    usize::try_from(count).map_err(Error::internal)
}

/// What each word of a query weighs.
struct Rarity {
    weights: HashMap<String, f64>,
    unseen: f64,
}

impl Rarity {
    fn of(wanted: &BTreeSet<String>, found: &[(Memory, BTreeSet<String>)], all: usize) -> Self {
        let weigh = |holders: usize| (1.0 + float(all.max(1)) / (float(holders) + 0.5)).ln();
        let holders = |word: &String| found.iter().filter(|(_, own)| own.contains(word)).count();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_said_again_is_the_same() {
        for (one, other) in [
            ("User prefers reports in CSV", "The user prefers reports in CSV."),
            ("Prefers weekly sales reports in CSV", "prefers weekly sales reports in CSV format"),
        ] {
            assert!(says_the_same(one, other) && says_the_same(other, one), "{one} / {other}");
        }
    }

    #[test]
    fn what_says_something_else_is_not() {
        for (one, other) in [
            ("Anna has her birthday on a Monday in May", "Ben has his birthday on a Monday in May"),
            ("Moved from Berlin to Paris", "Moved from Paris to Berlin"),
            ("Moved to Paris", "Moved from Paris"),
            ("Likes coffee with milk in the morning", "Does not like coffee with milk in the morning"),
            ("The budget for the project is 100 euros", "The budget for the project is 200 euros"),
            ("Likes cats", "Likes big cats"),
            ("", ""),
        ] {
            assert!(!says_the_same(one, other), "{one} / {other}");
        }
    }
}
