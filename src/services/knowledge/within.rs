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
    let Some(agent) = caller.agent.as_ref().filter(|agent| !agent.collections.is_empty()) else {
        return search::search(app, caller.reader(), question).await;
    };
    let seen = app.stores.knowledge.collections.list(caller.reader()).await?;
    let collections = narrowed(&seen, &agent.collections, &question.collections);
    // None named would mean all.
    if collections.is_empty() {
        return Ok(Vec::new());
    }
    search::search(app, caller.reader(), &Question { collections, ..question.clone() }).await
}

/// The ids of those seen that the agent searches and, where a question names some, that it names.
fn narrowed(seen: &[Collection], agents: &[String], asked: &[String]) -> Vec<String> {
    let is_named = |one: &Collection, names: &[String]| {
        let id = one.id.to_string();
        names.iter().any(|name| name.trim() == id || name.trim().to_lowercase() == one.name.to_lowercase())
    };
    let searched = seen.iter().filter(|one| is_named(one, agents) && (asked.is_empty() || is_named(one, asked)));
    searched.map(|one| one.id.to_string()).collect()
}
