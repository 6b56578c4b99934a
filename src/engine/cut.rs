//! Results too large for one answer: the whole is kept under a handle, and the answer says how to read it.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Value, json};

use crate::{
    app::App,
    model::{
        conversation::ConversationId,
        figure,
        origin::Origin,
        output::{Content, Output},
        user::UserId,
    },
    store::results::{Results, StoredText},
};

/// Most bytes of a tool's answer, as JSON.
pub const LARGEST: usize = 8 << 20;
/// Room for what an answer holds beside the result: what a model reads of it, and facts.
const BESIDE: usize = 64 << 10;
/// A value of fewer bytes and parts is written where it is.
const SMALL: usize = 64 << 10;
/// Most bytes of a result that is kept; of a longer one only the beginning is answered.
const KEPT: usize = 32 << 20;
/// Characters of a cut result that are answered.
const PREVIEW: usize = 2_000;
/// Largest details of a failure that are answered.
const DETAILS: usize = 1 << 20;

/// A result on its way out, and whose it is.
pub struct Leaving<'a> {
    /// The handles.
    pub app: &'a App,
    /// Who asked.
    pub user: UserId,
    /// The conversation it belongs to.
    pub topic: Option<ConversationId>,
}

/// Whether a result is written in no time. Looks at no more of it than that takes.
pub fn is_small(output: &Output) -> bool {
    let shown = output.content.iter().map(|part| match part {
        Content::Text { text } | Content::Image { data: text, .. } => text.len(),
        Content::Json { json } => weight(json, SMALL),
    });
    let words = output.html.as_ref().map_or(0, String::len);
    let meta: usize = output.meta.values().map(|fact| weight(fact, SMALL)).sum();
    shown.sum::<usize>() + words + meta + weight(&output.data, SMALL) <= SMALL
}

/// Whether an answer holds the whole of a result: its data, the same as it is shown, and what stands beside it. Writes it
/// to nowhere, up to that size.
pub fn fits(output: &Output) -> bool {
    let mut left = Counter { left: LARGEST - BESIDE };
    let shown = match output.content.is_empty() {
        true => left.takes(&output.data),
        false => left.takes(&output.content),
    };
    shown && left.takes(&output.data) && left.takes(&output.html) && left.takes(&output.meta)
}

/// The result in short: `data` is `{handle, bytes, preview}`, and `meta` names the handle as well. The whole is kept where
/// it is not kept under a handle already, for its person and in its conversation; `handle` is null where it is too long for
/// that.
pub async fn cut(leaving: Leaving<'_>, output: Output, handle: Option<String>) -> (Output, Option<String>) {
    let now = leaving.app.clock.now();
    let origin = output.outside().map(|source| Origin::new(source, output.outside_at().unwrap_or(now)));
    let mut short = Output { title: output.title, ..Output::default() };
    if weight(&Value::Object(output.meta.clone()), SMALL) <= SMALL {
        short.meta = output.meta;
    }
    let whole = match output.data {
        Value::String(text) => text,
        data => data.to_string(),
    };
    let (bytes, preview) = (whole.len(), whole.chars().take(PREVIEW).collect::<String>());
    let handle = match handle {
        None if bytes <= KEPT => {
            let results = Results::of(&leaving.app.db, leaving.user, leaving.topic);
            let kept = results.put(StoredText { text: whole, origin }, now).await;
            kept.inspect_err(|error| tracing::warn!(?error, "a large result could not be kept")).ok()
        }
        handle => handle,
    };
    let size = figure::bytes(bytes as u64);
    let how = match &handle {
        Some(handle) => format!(
            "Give '{handle}' as `data` to grep_result, parse_json, filter_rows or transform_data to read the rest, or ask for \
             less."
        ),
        None => "The rest is not kept: ask for less.".to_owned(),
    };
    let notice =
        format!("(cut: the result has {size}, and an answer at most {}. {how})", figure::bytes(LARGEST as u64));
    short.content = vec![Content::Text { text: format!("{preview}\n{notice}") }];
    short.meta.extend([("handle".to_owned(), json!(handle)), ("bytes".to_owned(), json!(bytes))]);
    short.data = json!({"handle": handle, "bytes": bytes, "preview": preview});
    (short, handle)
}

/// The details of a failure, or the beginning of such that are too large: `{bytes, preview}`.
pub fn short_details(details: Value) -> Value {
    if weight(&details, DETAILS) <= DETAILS {
        return details;
    }
    let text = details.to_string();
    json!({"bytes": text.len(), "preview": text.chars().take(PREVIEW).collect::<String>()})
}

/// Bytes of the texts in a value, and one for each part of it; something beyond `most` as soon as it is more than that.
fn weight(value: &Value, most: usize) -> usize {
    let mut total = 0;
    let mut left = vec![value];
    while let Some(value) = left.pop() {
        total += match value {
            Value::String(text) => text.len() + 1,
            Value::Array(items) => {
                left.extend(items.iter().take(most + 1));
                1
            }
            Value::Object(map) => {
                left.extend(map.values().take(most + 1));
                1 + map.keys().take(most + 1).map(String::len).sum::<usize>()
            }
            _ => 1,
        };
        if total > most {
            break;
        }
    }
    total
}

/// Counts what is written to it; fails beyond the end.
struct Counter {
    left: usize,
}

impl Counter {
    fn takes(&mut self, value: &impl Serialize) -> bool {
        serde_json::to_writer(self, value).is_ok()
    }
}

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.left = self.left.checked_sub(bytes.len()).ok_or_else(|| io::Error::from(io::ErrorKind::FileTooLarge))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_small_is_told_from_what_is_not_by_texts_and_parts() {
        let small = |data: Value| is_small(&Output::json(data));
        assert!(small(json!({"a": [1, 2, {"b": "x".repeat(60_000)}]})));
        assert!(!small(json!({"a": ["x".repeat(70_000)]})));
        assert!(!small(json!(vec![0; 70_000])));
        assert!(!small(json!({"k".repeat(70_000): 1})));
        assert!(!is_small(&Output { html: Some("x".repeat(70_000)), ..Output::default() }));
        assert!(!is_small(&Output { content: vec![Content::Text { text: "x".repeat(70_000) }], ..Output::default() }));
    }

    #[test]
    fn an_answer_holds_a_result_and_the_same_as_it_is_shown() {
        let text = |bytes: usize| Output::text("x".repeat(bytes));
        assert!(fits(&text(3 << 20)) && !fits(&text(4 << 20)));
        // Each takes six bytes on the wire.
        assert!(!fits(&Output::text("\u{1}".repeat(1 << 20))));
        assert!(fits(&Output { content: vec![Content::Text { text: String::new() }], ..text(7 << 20) }));
    }

    #[test]
    fn details_that_are_too_large_are_told_in_short() {
        assert_eq!(short_details(json!({"field": "a"})), json!({"field": "a"}));
        let short = short_details(json!({"body": "x".repeat(2 << 20)}));
        assert_eq!(
            (short["bytes"].as_u64(), short["preview"].as_str().map(str::len)),
            (Some((2 << 20) + 11), Some(PREVIEW))
        );
    }
}
