//! Results too large for one answer: the whole is kept under a handle, and the answer says how to read it.

use std::{mem, sync::Arc};

use serde_json::{Value, json};

use satchel_app::App;
use satchel_host::aside;
use satchel_model::{
    conversation::ConversationId,
    figure,
    json::{Counter, beginning, weighs_more, weight},
    origin::Origin,
    output::{Content, Output},
    time::Time,
    user::UserId,
};
use satchel_store::results::{Results, StoredText};

/// Most bytes of a tool's answer, as JSON.
pub const LARGEST: usize = 8 << 20;
/// Room for what an answer holds beside the result: what a model reads of it, and facts.
const BESIDE: usize = 64 << 10;
/// A value of fewer bytes and parts is written where it is.
pub const SMALL: usize = 64 << 10;
/// Most bytes of a result that is kept; of a longer one only the beginning is answered.
const KEPT: usize = 32 << 20;
/// Characters of a cut result that are answered.
const PREVIEW: usize = 2_000;
/// Largest details of a failure that are answered.
const DETAILS: usize = 1 << 20;

/// The tools that read a result in pieces, by its handle, as a sentence names them.
pub(super) const READERS: &str = "grep_result, parse_json, filter_rows or transform_data";

/// A recipient of results.
pub struct Recipient<'a> {
    /// The handles.
    pub app: &'a App,
    /// The person who asked.
    pub user: UserId,
    /// The conversation it belongs to.
    pub topic: Option<ConversationId>,
}

/// Whether a result is written in no time. Looks at no more of it than that takes.
pub fn is_small(output: &Output) -> bool {
    let shown = output.content.iter().map(|part| match part {
        Content::Image { data, .. } => data.len(),
        part => weight_shown(part, SMALL),
    });
    let words = output.html.as_ref().map_or(0, String::len);
    let meta: usize = output.meta.values().map(|fact| weight(fact, SMALL)).sum();
    shown.sum::<usize>() + words + meta + weight(&output.data, SMALL) <= SMALL
}

/// Whether the words of a result have more bytes and parts than this. Looks at no more of it than that takes.
pub fn says_more(output: &Output, than: usize) -> bool {
    match output.content.is_empty() {
        true => weighs_more(&output.data, than),
        false => output.content.iter().map(|part| weight_shown(part, than)).sum::<usize>() > than,
    }
}

/// Bytes and parts of what is shown in words; a picture has none.
fn weight_shown(part: &Content, most: usize) -> usize {
    match part {
        Content::Text { text } => text.len(),
        Content::Json { json } => weight(json, most),
        Content::Image { .. } => 0,
    }
}

/// Whether an answer holds the whole of a result: its data, the same as it is shown, and what stands beside it. Writes it
/// to nowhere, up to that size.
pub fn fits(output: &Output) -> bool {
    let mut left = Counter::new(LARGEST - BESIDE);
    let shown = match output.content.is_empty() {
        true => left.takes(&output.data),
        false => left.takes(&output.content),
    };
    shown && left.takes(&output.data) && left.takes(&output.html) && left.takes(&output.meta)
}

/// A result in short, and the whole of its data.
pub struct Excerpt {
    short: Output,
    whole: String,
    preview: String,
    origin: Option<Origin>,
}

/// Takes the beginning of a result and writes out the whole: work that belongs beside the async threads.
pub fn shorten(output: Output, now: Time) -> Excerpt {
    let origin = output.outside().map(|source| Origin::new(source, output.outside_at().unwrap_or(now)));
    let mut short = Output { title: output.title, ..Output::default() };
    if weight(&Value::Object(output.meta.clone()), SMALL) <= SMALL {
        short.meta = output.meta;
    }
    let whole = text_of(output.data);
    let preview = whole.chars().take(PREVIEW).collect();
    Excerpt { short, whole, preview, origin }
}

/// A result's data as text: of a text, itself, else JSON.
pub fn text_of(data: Value) -> String {
    match data {
        Value::String(text) => text,
        data => data.to_string(),
    }
}

/// A copy of a result's data as text, made beside the async threads where it is large; `None` if it cannot be made.
pub async fn copy_text(data: &mut Value) -> Option<String> {
    let copy = |data: &Value| match data {
        Value::String(text) => text.clone(),
        data => data.to_string(),
    };
    if !weighs_more(data, SMALL) {
        return Some(copy(data));
    }
    let shared = Arc::new(mem::take(data));
    let taken = Arc::clone(&shared);
    let text = aside::run(move || copy(&taken)).await;
    *data = Arc::unwrap_or_clone(shared);
    text.ok().flatten()
}

impl Excerpt {
    /// The result in short: `data` is `{handle, bytes, preview}`, and `meta` names the handle as well. The whole is kept
    /// where it is not kept under a handle already, for its person and in its conversation; `handle` is null where it is
    /// too long for that.
    pub async fn keep(self, to: Recipient<'_>, handle: Option<String>) -> (Output, Option<String>) {
        let Self { mut short, whole, preview, origin } = self;
        let bytes = whole.len();
        let handle = match handle {
            None if bytes <= KEPT => {
                let results = Results::new(&to.app.db, to.user, to.topic);
                let kept = results.put(StoredText { text: whole, origin }, to.app.clock.now()).await;
                kept.inspect_err(|error| tracing::warn!(?error, "a large result could not be kept")).ok()
            }
            handle => handle,
        };
        let size = figure::bytes(bytes as u64);
        let how = match &handle {
            Some(handle) => format!("Give '{handle}' as `data` to {READERS} to read the rest, or ask for less."),
            None => "The rest is not kept: ask for less.".to_owned(),
        };
        let notice =
            format!("(cut: the result has {size}, and an answer at most {}. {how})", figure::bytes(LARGEST as u64));
        short.content = vec![Content::Text { text: format!("{preview}\n{notice}") }];
        short.meta.extend([("handle".to_owned(), json!(handle)), ("bytes".to_owned(), json!(bytes))]);
        short.data = json!({"handle": handle, "bytes": bytes, "preview": preview});
        (short, handle)
    }
}

/// A result in short, as [`Excerpt::keep`] gives it; the whole is written out beside the async threads.
pub async fn cut(to: Recipient<'_>, output: Output, handle: Option<String>) -> (Output, Option<String>) {
    let now = to.app.clock.now();
    match aside::run(move || shorten(output, now)).await.ok().flatten() {
        Some(excerpt) => excerpt.keep(to, handle).await,
        None => (Output::text("(the result is too large for an answer: ask for less)"), handle),
    }
}

/// The details of a failure, or the beginning of such that are too large: `{bytes, preview}`.
pub fn short_details(details: &Value) -> Value {
    if !weighs_more(details, DETAILS) {
        return details.clone();
    }
    let mut all = Counter::new(usize::MAX);
    all.takes(details);
    json!({"bytes": usize::MAX - all.left(), "preview": beginning(details, PREVIEW)})
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
    fn words_are_weighed_as_they_are_shown() {
        let long = Output::text("x".repeat(3_000));
        assert!(says_more(&long, 2_999) && !says_more(&long, 3_001));
        let picture = Content::Image { data: "x".repeat(3_000), mime: "image/png".to_owned() };
        assert!(!says_more(&Output { content: vec![picture], ..long.clone() }, 2_999));
        assert!(says_more(&Output::json(json!({"a": vec![0; 3_000]})), 2_999));
    }

    #[test]
    fn details_that_are_too_large_are_told_in_short() {
        assert_eq!(short_details(&json!({"field": "a"})), json!({"field": "a"}));
        let short = short_details(&json!({"body": "x".repeat(2 << 20)}));
        assert_eq!(
            (short["bytes"].as_u64(), short["preview"].as_str().map(str::len)),
            (Some((2 << 20) + 11), Some(PREVIEW))
        );
    }
}
