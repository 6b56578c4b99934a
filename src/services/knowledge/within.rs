//! The search of a caller: an agent that acts for them searches its own collections only, of those they see.

use super::search::{self, Hit, Question};
use satchel_app::App;
use satchel_model::{caller::Caller, error::Result, knowledge::Collection};

/// The passages that answer best, among what the caller sees and the agent that acts for them searches.
///
/// # Errors
///
/// As [`search::search`] has them.
pub(super) async fn search_as(app: &App, caller: &Caller, question: &Question) -> Result<Vec<Hit>> {
    let agents = caller.agent.iter().flat_map(|agent| agent.chain()).filter(|agent| !agent.collections.is_empty());
    let narrowing: Vec<&[String]> = agents.map(|agent| agent.collections.as_slice()).collect();
    if narrowing.is_empty() {
        return search::search(app, caller.reader(), question).await;
    }
    let seen = app.stores.knowledge.collections.list(caller.reader()).await?;
    let collections = narrowed(&seen, &narrowing, &question.collections);
    // None named would mean all.
    if collections.is_empty() {
        return Ok(Vec::new());
    }
    search::search(app, caller.reader(), &Question { collections, ..question.clone() }).await
}

/// The ids of those seen that each agent searches and, where a question names some, that it names.
fn narrowed(seen: &[Collection], agents: &[&[String]], asked: &[String]) -> Vec<String> {
    let is_named = |one: &Collection, names: &[String]| {
        let id = one.id.to_string();
        names.iter().any(|name| name.trim() == id || name.trim().to_lowercase() == one.name.to_lowercase())
    };
    let is_searched = |one: &&Collection| agents.iter().all(|names| is_named(one, names));
    let searched = seen.iter().filter(is_searched).filter(|one| asked.is_empty() || is_named(one, asked));
    searched.map(|one| one.id.to_string()).collect()
}
