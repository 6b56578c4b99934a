//! Keys of memories that were given none: the first words of what they say.

use super::rows::{by_key, first};
use crate::sql::Tx;
use satchel_model::{error::Result, memory::Memory, time::Time, user::UserId, words};

/// Longest key made from a content.
const MAX_KEY: usize = 48;

/// The memory with this key; one that was made from what a memory said before still names it.
pub(super) fn find(tx: &Tx, user: UserId, key: &str, now: Time) -> Result<Option<Memory>> {
    match by_key(tx, user, key, now)? {
        Some(found) => Ok(Some(found)),
        None => once_made(tx, user, key, now),
    }
}

/// The memory whose key was made from what it said before.
pub(super) fn once_made(tx: &Tx, user: UserId, key: &str, now: Time) -> Result<Option<Memory>> {
    let sql = "SELECT m.id, v.content FROM memory_versions v JOIN memories m ON m.number = v.memory
               WHERE m.person = ?1 AND v.corrected ORDER BY v.id DESC";
    let said = tx.all(sql, [user.to_string()], |row| Ok((row.get::<String>("id")?, row.get::<String>("content")?)))?;
    match said.into_iter().find(|(_, content)| is_made(key, content)) {
        Some((id, _)) => first(tx, "SELECT * FROM memories WHERE person = ?1 AND id = ?2", (user.to_string(), id), now),
        None => Ok(None),
    }
}

/// A key nobody has: the first words of the content, and a number where they are taken.
pub(super) fn free(tx: &Tx, user: UserId, content: &str, now: Time) -> Result<String> {
    let plain = plain(content);
    let mut key = plain.clone();
    let mut number = 2;
    while by_key(tx, user, &key, now)?.is_some() {
        key = format!("{plain}-{number}");
        number += 1;
    }
    Ok(key)
}

/// Whether a key is one that is made from a content, with or without a number.
pub(super) fn is_made(key: &str, content: &str) -> bool {
    key.strip_prefix(&plain(content)).is_some_and(|rest| {
        rest.is_empty() || rest.strip_prefix('-').is_some_and(|number| number.parse::<u32>().is_ok_and(|n| n >= 2))
    })
}

fn plain(content: &str) -> String {
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
    plain
}
