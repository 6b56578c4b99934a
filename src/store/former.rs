//! Answers that gave way to a later one, kept to be shown beside it. No model is told of them.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::{
    messages::Placed,
    passages,
    sql::{Column, Tx},
};
use satchel_model::{
    conversation::{ConversationId, FormerAnswer, FormerPlace, MessageId},
    error::{Error, Result},
    knowledge::Citation,
};

/// Most that are kept of one question: the oldest give way.
const KEPT: i64 = 20;

/// Keeps an answer that is about to be dropped, and the text of its question where that is about to be another. Where
/// neither says anything there is nothing to keep.
pub(super) fn keep(tx: &Tx, question: MessageId, answer: &[Placed], reworded: Option<&str>) -> Result<()> {
    let differs = "SELECT 1 FROM messages WHERE id = ?1 AND text <> ?2";
    let is_reworded = match reworded {
        Some(text) => tx.exists(differs, (question.to_string(), text.to_owned()))?,
        None => false,
    };
    if !answer.is_empty() || is_reworded {
        put(tx, question, answer)?;
    }
    match reworded.filter(|_| is_reworded) {
        Some(text) => reword(tx, question, text),
        None => Ok(()),
    }
}

fn put(tx: &Tx, question: MessageId, answer: &[Placed]) -> Result<()> {
    let messages = answer.iter().map(as_kept).collect::<Result<Vec<Value>>>()?;
    let question = question.to_string();
    let sql = "SELECT coalesce(max(number), 0) + 1 FROM former_answers WHERE question = ?1";
    let number: i64 = tx.one(sql, [&question])?;
    let sql = "INSERT INTO former_answers (question, number, messages) VALUES (?1, ?2, ?3)";
    tx.run(sql, (&question, number, Value::Array(messages).to_string()))?;
    let sql = "DELETE FROM former_answers WHERE question = ?1 AND number <= ?2";
    tx.run(sql, (&question, number.saturating_sub(KEPT)))?;
    Ok(())
}

/// Gives a question another text. Its former answers keep the one they were given to.
fn reword(tx: &Tx, question: MessageId, text: &str) -> Result<()> {
    let question = question.to_string();
    tx.run(
        "UPDATE former_answers SET question_text = (SELECT m.text FROM messages m WHERE m.id = ?1)
         WHERE question = ?1 AND question_text IS NULL",
        [&question],
    )?;
    tx.run("UPDATE messages SET text = ?2 WHERE id = ?1", (&question, text)).map(drop)
}

/// A message as the API shows it, with the numbers of what it cites in place of the passages.
fn as_kept(placed: &Placed) -> Result<Value> {
    let mut kept = serde_json::to_value(&placed.message).map_err(Error::internal)?;
    let numbers: Vec<u32> = placed.message.citations.iter().map(|citation| citation.number).collect();
    if let Some(fields) = kept.as_object_mut() {
        fields.insert("citations".to_owned(), json!(numbers));
    }
    Ok(kept)
}

/// The number of former answers of each question of a conversation that has any.
pub(super) fn counts(tx: &Tx, conversation: ConversationId) -> Result<HashMap<MessageId, u32>> {
    let sql = "SELECT f.question, count(*) AS number FROM former_answers f JOIN messages m ON m.id = f.question
               WHERE m.conversation = ?1 GROUP BY f.question";
    let counts = tx.all(sql, [conversation.to_string()], |row| Ok((row.parsed("question")?, row.get("number")?)))?;
    Ok(counts.into_iter().collect())
}

/// A former answer of a message.
///
/// # Errors
///
/// If the conversation has no such message, or that has no such former answer.
pub(super) fn get(tx: &Tx, place: FormerPlace) -> Result<FormerAnswer> {
    let kept: String = one(tx, place, "f.messages")?;
    let question: Option<String> = one(tx, place, "f.question_text")?;
    let mut messages: Vec<Value> = serde_json::from_str(&kept).map_err(Error::internal)?;
    let passages = passages::by_number(tx, place.conversation)?;
    messages.iter_mut().try_for_each(|message| cite(message, &passages))?;
    Ok(FormerAnswer { question, messages })
}

/// Bytes of a former answer as it is stored, without the passages it cites.
///
/// # Errors
///
/// As [`get`] has them.
pub(super) fn weight(tx: &Tx, place: FormerPlace) -> Result<usize> {
    let bytes: i64 = one(tx, place, "octet_length(f.messages) + coalesce(octet_length(f.question_text), 0)")?;
    usize::try_from(bytes).map_err(Error::internal)
}

/// A column of a former answer.
fn one<T: for<'a> Column<'a>>(tx: &Tx, place: FormerPlace, column: &str) -> Result<T> {
    let FormerPlace { conversation, question, number } = place;
    let sql = format!(
        "SELECT {column} AS value FROM former_answers f JOIN messages m ON m.id = f.question
         WHERE m.id = ?1 AND m.conversation = ?2 ORDER BY f.number LIMIT 1 OFFSET ?3"
    );
    // None stands before the first.
    let earlier = number.checked_sub(1);
    let found = earlier.map(|earlier| {
        tx.first(&sql, (question.to_string(), conversation.to_string(), earlier), |row| row.get("value"))
    });
    found.transpose()?.flatten().ok_or_else(|| {
        Error::not_found(format!("A message '{question}' with a former answer {number} is not in this conversation."))
    })
}

/// Puts the passages a message cites in place of their numbers.
fn cite(message: &mut Value, passages: &HashMap<u32, Citation>) -> Result<()> {
    let Some(cited) = message.get_mut("citations") else { return Ok(()) };
    let numbers: Vec<u32> = serde_json::from_value(cited.take()).map_err(Error::internal)?;
    let found: Vec<&Citation> = numbers.iter().filter_map(|number| passages.get(number)).collect();
    *cited = serde_json::to_value(found).map_err(Error::internal)?;
    Ok(())
}
