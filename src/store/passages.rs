//! The passages a conversation was given, and which of them its messages cite.

use std::collections::HashMap;

use super::{
    conversations,
    db::Db,
    messages::Span,
    sql::{Row, Tx, params},
};
use satchel_model::{
    conversation::{ConversationId, MessageId},
    error::Result,
    knowledge::Citation,
    user::UserId,
};

/// Gives passages their numbers in a conversation, in order; one it was given before keeps its own. What they say, and
/// how well they answer, is kept as it was when they were given first.
pub async fn number(
    db: &Db,
    user: UserId,
    conversation: ConversationId,
    passages: Vec<Citation>,
) -> Result<Vec<Citation>> {
    db.write(move |tx| {
        let id = conversation.to_string();
        if conversations::get(tx, user, conversation).is_err() {
            return Ok((1..).zip(passages).map(|(number, passage)| Citation { number, ..passage }).collect());
        }
        let mut numbered = Vec::new();
        for mut passage in passages {
            let (Some(document), Some(chunk)) = (passage.document_id, passage.chunk_id) else { continue };
            tx.run(
                "INSERT INTO passages (conversation, number, chunk, document, title, heading, page, start, until, text, score)
                 SELECT ?1, coalesce(max(number), 0) + 1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10
                 FROM passages WHERE conversation = ?1
                 ON CONFLICT (conversation, chunk) DO NOTHING",
                params![
                    id,
                    chunk,
                    document.to_string(),
                    passage.title,
                    passage.heading,
                    passage.page,
                    passage.start.cast_signed(),
                    passage.end.cast_signed(),
                    passage.text,
                    passage.score,
                ],
            )?;
            let sql = "SELECT number FROM passages WHERE conversation = ?1 AND chunk = ?2";
            passage.number = tx.one(sql, (&id, chunk))?;
            numbered.push(passage);
        }
        Ok(numbered)
    })
    .await
}

/// A page of the web that was fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Where it came from, after redirects.
    pub url: String,
    /// Its title.
    pub title: String,
    /// What it says.
    pub text: String,
}

/// Characters of a page that are kept to be shown with its number.
const KEPT: usize = 1_000;

/// Gives a page its number in a conversation; one that was fetched before keeps its own. None where there is no such
/// conversation.
pub async fn number_page(db: &Db, user: UserId, conversation: ConversationId, page: Page) -> Result<Option<u32>> {
    db.write(move |tx| {
        let id = conversation.to_string();
        if conversations::get(tx, user, conversation).is_err() {
            return Ok(None);
        }
        let known = "SELECT number FROM passages WHERE conversation = ?1 AND url = ?2";
        if let Some(number) = tx.first(known, (&id, &page.url), |row| row.get("number"))? {
            return Ok(Some(number));
        }
        let text: String = page.text.chars().take(KEPT).collect();
        // Passages of documents are counted upwards by their chunks, pages downwards.
        let sql = "INSERT INTO passages (conversation, number, chunk, document, title, heading, page, start, until, text, score, url)
                   SELECT ?1, coalesce(max(number), 0) + 1, CASE WHEN min(chunk) < 0 THEN min(chunk) ELSE 0 END - 1, '',
                     ?3, '', NULL, 0, 0, ?4, 1, ?2
                   FROM passages WHERE conversation = ?1";
        tx.run(sql, (&id, &page.url, &page.title, text))?;
        tx.first(known, (&id, &page.url), |row| row.get("number"))
    })
    .await
}

/// The passages of a conversation among these numbers, in their order.
pub async fn among(db: &Db, conversation: ConversationId, numbers: Vec<u32>) -> Result<Vec<Citation>> {
    let known = db.read(move |tx| by_number(tx, conversation)).await?;
    Ok(numbers.into_iter().filter_map(|number| known.get(&number).cloned()).collect())
}

/// Every passage of a conversation, by its number.
pub(super) fn by_number(tx: &Tx, conversation: ConversationId) -> Result<HashMap<u32, Citation>> {
    let sql = format!("SELECT {COLUMNS} FROM passages p WHERE p.conversation = ?1");
    let known = tx.all(&sql, [conversation.to_string()], read)?;
    Ok(known.into_iter().map(|passage| (passage.number, passage)).collect())
}

/// Writes down what a message cites.
pub(super) fn cite(tx: &Tx, message: MessageId, citations: &[Citation]) -> Result<()> {
    let sql = "INSERT INTO citations (message, number) VALUES (?1, ?2) ON CONFLICT (message, number) DO NOTHING";
    tx.many(sql, citations.iter().map(|citation| (message.to_string(), citation.number))).map(drop)
}

/// What each of these messages of a conversation cites, by the message's id.
pub(super) fn cited(tx: &Tx, conversation: ConversationId, span: Span) -> Result<HashMap<String, Vec<Citation>>> {
    let sql = format!(
        "SELECT i.message, {COLUMNS} FROM messages m JOIN citations i ON i.message = m.id
           JOIN passages p ON p.conversation = m.conversation AND p.number = i.number
         WHERE m.conversation = ?1 AND m.seq > ?2 AND m.seq <= ?3 ORDER BY i.message, i.number"
    );
    let place = (conversation.to_string(), span.after, span.upto);
    let mut cited: HashMap<String, Vec<Citation>> = HashMap::new();
    for (message, citation) in tx.all(&sql, place, |row| Ok((row.get("message")?, read(row)?)))? {
        cited.entry(message).or_default().push(citation);
    }
    Ok(cited)
}

/// Gives a copy of a conversation the passages of the original.
pub(super) fn copy(tx: &Tx, from: ConversationId, to: ConversationId) -> Result<()> {
    tx.run(
        "INSERT INTO passages (conversation, number, chunk, document, title, heading, page, start, until, text, score, url)
         SELECT ?2, number, chunk, document, title, heading, page, start, until, text, score, url
         FROM passages WHERE conversation = ?1",
        (from.to_string(), to.to_string()),
    )?;
    Ok(())
}

const COLUMNS: &str = "p.number, p.document, p.chunk, p.title, p.heading, p.page, p.start, p.until, p.text, p.score,
     p.url";

fn read(row: &Row<'_>) -> Result<Citation> {
    let url: Option<String> = row.get("url")?;
    let document: String = row.get("document")?;
    let of_document = url.is_none();
    Ok(Citation {
        number: row.get("number")?,
        document_id: of_document.then(|| document.parse()).transpose()?,
        chunk_id: of_document.then(|| row.get("chunk")).transpose()?,
        url,
        title: row.get("title")?,
        heading: row.get("heading")?,
        page: row.get("page")?,
        start: row.get::<i64>("start")?.unsigned_abs(),
        end: row.get::<i64>("until")?.unsigned_abs(),
        text: row.get("text")?,
        score: row.get("score")?,
    })
}
