//! The result of a call in the protocol's form: the exact data, the same as text, and facts beside it.

use rmcp::model::{CallToolResult, ContentBlock, JsonObject, MetaObject, ResultType};
use serde_json::{Map, Value, json};

use crate::http::protocol::revision::Revision;
use satchel_model::{
    call::{Done, Ticket},
    error::Error,
    output::{Content, Output},
};
use satchel_services::answer::{InvokeAnswer, facts};

/// Before every name of a fact of ours.
const PREFIX: &str = "satchel/";
/// Bytes of a result that are told as text beside its data; of more, the beginning is.
const TOLD: usize = 256 << 10;
/// Bytes of such a beginning.
const BEGINNING: usize = 32 << 10;

/// A call that worked.
pub(super) fn done(revision: Revision, done: Done) -> CallToolResult {
    let mut meta = done.output.meta.clone();
    meta.insert("call_id".to_owned(), json!(done.call));
    meta.insert("duration_ms".to_owned(), json!(done.duration_ms));
    if let Some(handle) = &done.handle {
        meta.insert("handle".to_owned(), json!(handle));
    }
    meta.extend(facts(&done.approved, None));
    let mut result = CallToolResult::success(told(&done.output));
    result.structured_content = Some(structured(revision, done.output.data));
    finish(revision, result, meta)
}

/// A call that ran and failed, or was not let through.
pub(super) fn failed(revision: Revision, error: &Error) -> CallToolResult {
    let InvokeAnswer { mut meta, problem, .. } = InvokeAnswer::failed(satchel_model::call::CallId::new(), error);
    meta.remove("call_id");
    if let Some((approved, duration)) = error.approval() {
        meta.extend(facts(approved, Some(duration)));
    }
    meta.insert("problem".to_owned(), json!(problem));
    if let Some((place, _)) = error.outside() {
        meta.insert("outside".to_owned(), json!(place));
    }
    let mut result = CallToolResult::success(vec![ContentBlock::text(error.message())]);
    result.is_error = Some(true);
    finish(revision, result, meta)
}

/// A call that a person must confirm first: where they do, and until when.
pub(super) fn asks(revision: Revision, ticket: &Ticket, url: &str) -> CallToolResult {
    let question = json!({"ticket": ticket.id, "url": url, "expires_at": ticket.expires_at});
    let text = format!(
        "{} {} A person decides it at {url} (ticket {}, until {}). Nothing was run. Then make the identical call again: \
         it gives the result, once.",
        ticket.question, ticket.reason, ticket.id, ticket.expires_at
    );
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = Some(question);
    result.is_error = Some(true);
    let facts = json!({"risk": ticket.risk, "question": ticket.question, "warnings": ticket.warnings});
    finish(revision, result, facts.as_object().cloned().unwrap_or_default())
}

fn finish(revision: Revision, mut result: CallToolResult, facts: Map<String, Value>) -> CallToolResult {
    result.result_type = revision.is_stateless().then_some(ResultType::COMPLETE);
    let facts: JsonObject = facts.into_iter().map(|(name, fact)| (format!("{PREFIX}{name}"), fact)).collect();
    result.meta = (!facts.is_empty()).then(|| MetaObject::from(facts));
    result
}

/// The data as a revision takes it: up to 2025-11-25, what is no object stands in one.
fn structured(revision: Revision, data: Value) -> Value {
    match data {
        Value::Object(_) => data,
        data if revision.takes_any_structure() => data,
        data => json!({"result": data}),
    }
}

fn told(output: &Output) -> Vec<ContentBlock> {
    if output.content.is_empty() {
        return vec![text_of(&output.data)];
    }
    let block = |part: &Content| match part {
        Content::Text { text } => ContentBlock::text(cut(text.clone())),
        Content::Json { json } => text_of(json),
        Content::Image { mime, data } => ContentBlock::image(data.clone(), mime.clone()),
    };
    output.content.iter().map(block).collect()
}

fn text_of(value: &Value) -> ContentBlock {
    ContentBlock::text(cut(match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }))
}

/// A text, or the beginning of a long one.
fn cut(text: String) -> String {
    if text.len() <= TOLD {
        return text;
    }
    let end = text.floor_char_boundary(BEGINNING);
    let beginning = text.get(..end).unwrap_or_default();
    format!("{beginning}\n(The first {end} of {} bytes: all of it is in the structured content.)", text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_that_is_no_object_stands_in_one_until_any_structure_is_taken() {
        assert_eq!(structured(Revision::June2025, json!([1])), json!({"result": [1]}));
        assert_eq!(structured(Revision::November2025, json!("a")), json!({"result": "a"}));
        assert_eq!(structured(Revision::July2026, json!([1])), json!([1]));
        assert_eq!(structured(Revision::June2025, json!({"a": 1})), json!({"a": 1}));
    }

    #[test]
    fn a_long_text_is_told_by_its_beginning() {
        let text = cut("é".repeat(TOLD));
        assert!(text.len() < BEGINNING + 200 && text.contains("in the structured content"), "{}", text.len());
        assert_eq!(cut("short".to_owned()), "short");
    }
}
