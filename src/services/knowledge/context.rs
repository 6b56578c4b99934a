//! Passages the chat is given without asking: only those that bear on the question by their words and by their meaning.

use super::search::{self, Hit, Question};
use satchel_app::App;
use satchel_model::{caller::Caller, error::Result, llm::estimate_tokens, words};

/// Passages looked at.
const LOOKED_AT: usize = 12;
/// Most passages given.
const GIVEN: usize = 4;
/// Nearness in meaning below which a passage speaks of something else.
const NEAR: f32 = 0.4;
/// Share of the question's words a passage must hold, with a meaning to go by and without.
const WORDS: (f32, f32) = (0.3, 0.6);
/// Characters of a question that are looked at: a pasted text is no question.
const ASKED: usize = 1_000;
/// Longest passage, with its title, in characters: a document may hold longer words than any model reads.
const PASSAGE: usize = 2_400;

/// The passages a turn about `text` is given; none where the settings say so.
pub async fn relevant(app: &App, caller: &Caller, text: &str) -> Result<Vec<Hit>> {
    if app.settings.get().knowledge.in_chat { passages(app, caller, text).await } else { Ok(Vec::new()) }
}

/// The passages that bear on a question, best first, within the tokens the settings allow; none where the caller may not
/// read knowledge.
pub async fn passages(app: &App, caller: &Caller, text: &str) -> Result<Vec<Hit>> {
    let settings = app.settings.get();
    if caller.require("knowledge:read").is_err() {
        return Ok(Vec::new());
    }
    let query: String = text.trim().chars().take(ASKED).collect();
    let asked = words::topics(&query);
    if asked.is_empty() || app.stores.knowledge.documents.count(caller.reader()).await? == 0 {
        return Ok(Vec::new());
    }
    let question = Question { query, limit: Some(LOOKED_AT), ..Question::default() };
    let found = search::search(app, caller.reader(), &question).await?;
    let mut left = u64::from(settings.knowledge.chat_tokens);
    let mut given = Vec::new();
    for hit in found.into_iter().filter(|hit| bears_on(hit, &asked)).take(GIVEN) {
        let cost = estimate_tokens(&hit.text) + estimate_tokens(&hit.title) + estimate_tokens(&hit.heading);
        if cost > left || hit.text.chars().count() > PASSAGE {
            continue;
        }
        left -= cost;
        given.push(hit);
    }
    Ok(given)
}

fn bears_on(hit: &Hit, asked: &std::collections::BTreeSet<String>) -> bool {
    // First, since the words of a long passage take longer.
    if hit.cosine.is_some_and(|cosine| cosine < NEAR) {
        return false;
    }
    let held = words::topics(&format!("{} {} {}", hit.title, hit.heading, hit.text));
    let shared = asked.intersection(&held).count();
    let share = shared as f32 / asked.len() as f32;
    match hit.cosine {
        Some(_) => share >= WORDS.0,
        None => share >= WORDS.1 && shared >= 2.min(asked.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_meaning_must_both_speak_for_a_passage() {
        let asked = words::topics("How long does a heron wait for fish?");
        for (text, cosine, wanted) in [
            ("It waits for fish for hours.", Some(0.6), true),
            ("It waits for fish for hours.", Some(0.1), false),
            ("Invoices are due within thirty days.", Some(0.6), false),
            ("It waits for fish a long time.", None, true),
            ("Nests are built in colonies.", None, false),
        ] {
            let hit = Hit { cosine, ..Hit::saying(text) };
            assert_eq!(bears_on(&hit, &asked), wanted, "{text} {cosine:?}");
        }
    }
}
