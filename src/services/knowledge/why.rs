//! The reason a passage was not found: each stage of the search, asked about that one passage.

use std::collections::HashSet;

use serde::Serialize;

use super::search::{self, Question, Scope};
use satchel_app::App;
use satchel_model::{
    error::{Kind, Result},
    index::{Ask, Found, Space},
    knowledge::{ChunkId, Document, DocumentId, Status},
    reader::Reader,
    words,
};

/// The depth to which a stage is looked through.
const DEEP: usize = 10_000;

/// One stage of the search and what it made of the passage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[schema(as = KnowledgeStage)]
pub struct Stage {
    /// `access`, `ready`, `filter`, `text`, `vector`, `fusion` or `limit`.
    pub name: &'static str,
    /// `true` if the passage got past it.
    pub passed: bool,
    /// A description of what happened there.
    pub detail: String,
}

/// The subject of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// Any passage of this document.
    Document(DocumentId),
    /// This passage.
    Chunk(ChunkId),
}

/// Returns the verdict of each stage on a passage. Ends with the stage that lost it.
pub async fn why(app: &App, reader: Reader, question: &Question, missing: Missing) -> Result<Vec<Stage>> {
    let query = question.query.as_str();
    let limit = question.limit.unwrap_or(search::RESULTS).clamp(1, search::MOST);
    search::check(query)?;
    let found = match missing {
        Missing::Document(id) => app.stores.knowledge.documents.get(reader.clone(), id).await,
        Missing::Chunk(id) => app.stores.knowledge.documents.with_chunk(reader.clone(), id).await,
    };
    let document = match found {
        Err(error) if error.kind() == Kind::NotFound => {
            let detail = "There is no such document, or it is in a collection that is not open to you.";
            return Ok(vec![stage("access", false, detail.to_owned())]);
        }
        found => found?,
    };
    let mut stages =
        vec![stage("access", true, format!("It is in '{}', which is open to you.", document.collection_name))];
    stages.push(ready(&document));
    if document.chunks == 0 {
        return Ok(stages);
    }
    let ids: HashSet<ChunkId> = match missing {
        Missing::Chunk(id) => HashSet::from([id]),
        Missing::Document(id) => app.stores.knowledge.documents.chunk_ids(reader.clone(), vec![id], Vec::new()).await?,
    };
    if let Some(lost) = left_out(app, reader.clone(), question, &document).await? {
        stages.push(lost);
        return Ok(stages);
    }
    let scope = Scope::new(app, reader, question).await?;
    let by_words = alone(app, &scope, (query, None)).await?;
    stages.push(text(query, &by_words, &ids));
    let by_meaning = match app.search.embedder.query(query).await?.as_deref() {
        Some(vector) => Some(alone(app, &scope, ("", Some(vector))).await?),
        None => None,
    };
    stages.push(meaning(by_meaning.as_deref(), &ids));
    let fused = search::ask(app, query, &scope, DEEP).await?;
    stages.extend(together(&fused, &ids, limit));
    Ok(stages)
}

/// The stage that lost a document because the question was not asked of it.
async fn left_out(app: &App, reader: Reader, question: &Question, document: &Document) -> Result<Option<Stage>> {
    let Question { collections, documents, kinds, .. } = question;
    let asked = app.stores.knowledge.collections.tags(reader.clone(), collections.clone()).await?;
    let own = app.stores.knowledge.collections.tags(reader, vec![document.collection.to_string()]).await?;
    let detail = if own.is_disjoint(&asked) {
        format!("It is in '{}', which was not searched.", document.collection_name)
    } else if !documents.is_empty() && !documents.contains(&document.id) {
        "Only other documents were searched.".to_owned()
    } else if !kinds.is_empty() && kinds.iter().all(|kind| document.kind.as_deref() != Some(kind.as_str())) {
        format!("It is of the kind '{}', which was not searched.", document.kind.as_deref().unwrap_or("unknown"))
    } else {
        return Ok(None);
    };
    Ok(Some(stage("filter", false, detail)))
}

/// Returns what words alone, or meaning alone, find.
async fn alone(app: &App, scope: &Scope, (text, vector): (&str, Option<&[f32]>)) -> Result<Vec<Found>> {
    let ask = Ask { text, vector, tags: Some(&scope.tags), ids: scope.ids.as_ref(), limit: DEEP };
    app.search.indexes.search(Space::Knowledge, &ask).await
}

fn ready(document: &Document) -> Stage {
    let passages = document.chunks;
    let detail = match document.status {
        Status::Ready if passages == 1 => "It is found by 1 passage.".to_owned(),
        Status::Ready => format!("It is found by {passages} passages."),
        Status::Failed => {
            format!("It could not be read: {}", document.reason.as_deref().unwrap_or("no reason is known."))
        }
        Status::Cancelled => "Taking it in was stopped. Retry it.".to_owned(),
        Status::Deleted => "It is in the trash. Restore it.".to_owned(),
        _ if passages > 0 => format!("It is being updated; it is found by the {passages} passages it had before."),
        _ => format!("It is still being taken in ({} %).", (document.progress * 100.0).round()),
    };
    stage("ready", passages > 0, detail)
}

fn place<'a>(found: &'a [Found], ids: &HashSet<ChunkId>) -> Option<(usize, &'a Found)> {
    found.iter().enumerate().find(|(_, found)| ids.contains(&found.id)).map(|(at, found)| (at + 1, found))
}

fn text(query: &str, found: &[Found], ids: &HashSet<ChunkId>) -> Stage {
    match place(found, ids) {
        Some((rank, found)) => stage(
            "text",
            true,
            format!(
                "By words alone it is number {rank} (BM25 {:.2}); it holds {}.",
                found.bm25.unwrap_or_default(),
                listed(&found.terms)
            ),
        ),
        None => {
            let asked = words::telling(query);
            let detail = match asked.is_empty() {
                true => "The question has no word that says anything; only its meaning counts.".to_owned(),
                false => format!("It holds none of the question's words: {}.", listed(&asked)),
            };
            stage("text", false, detail)
        }
    }
}

fn meaning(found: Option<&[Found]>, ids: &HashSet<ChunkId>) -> Stage {
    match found.map(|found| (place(found, ids), found.len())) {
        None => stage("vector", false, "There is no embedding model, so only words are searched.".to_owned()),
        Some((Some((rank, found)), _)) => {
            let cosine = found.cosine.unwrap_or_default();
            stage("vector", true, format!("By meaning alone it is number {rank} (cosine {cosine:.3})."))
        }
        Some((None, looked)) if looked < DEEP => {
            stage("vector", false, "It has no vector of the present model yet.".to_owned())
        }
        Some((None, looked)) => {
            stage("vector", false, format!("It is not among the {looked} passages nearest in meaning."))
        }
    }
}

fn together(found: &[Found], ids: &HashSet<ChunkId>, limit: usize) -> Vec<Stage> {
    let Some((rank, one)) = place(found, ids) else {
        let detail = "Neither its words nor its meaning brought it among the candidates.";
        return vec![stage("fusion", false, detail.to_owned())];
    };
    let fused = format!("Words and meaning together make it number {rank} (score {:.3}).", one.score);
    let detail = match rank <= limit {
        true => format!("It is among the {limit} results."),
        false => {
            let last = found.get(limit.saturating_sub(1)).map_or(0.0, |found| found.score);
            format!(
                "The answer has {limit} results, and the last of them scores {last:.3}. Ask for more, or more exactly."
            )
        }
    };
    vec![stage("fusion", true, fused), stage("limit", rank <= limit, detail)]
}

fn listed(terms: &[String]) -> String {
    terms.iter().map(|term| format!("'{term}'")).collect::<Vec<_>>().join(", ")
}

fn stage(name: &'static str, passed: bool, detail: String) -> Stage {
    Stage { name, passed, detail }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_that_are_missing_are_named_as_they_were_asked() {
        let stage = text("Where is the xyzzy of the invoices?", &[], &HashSet::new());
        assert_eq!(stage.detail, "It holds none of the question's words: 'xyzzy', 'invoices'.");
    }
}
