//! A chat completion, as OpenAI's clients read it.

use serde_json::{Value, json};

use super::super::{
    dialect::Dialect,
    pieces::{End, Piece, Question},
    writer::{Writer, data, failed},
};
use satchel_model::{llm::Usage, time::Time};

/// Writes a chat completion.
pub(super) struct Completions {
    id: String,
    model: String,
    created: i64,
    includes_usage: bool,
    text: String,
    calls: Vec<Value>,
    usage: Usage,
    finish: &'static str,
}

impl Completions {
    /// An answer with this id, of a model by the name it was asked for.
    pub(super) fn new(id: &str, model: String, at: Time, includes_usage: bool) -> Self {
        Self {
            id: format!("chatcmpl-{id}"),
            model,
            created: at.millis() / 1_000,
            includes_usage,
            text: String::new(),
            calls: Vec::new(),
            usage: Usage::default(),
            finish: "stop",
        }
    }

    fn chunk(&self, choices: &Value, usage: &Value) -> String {
        let mut chunk = json!({
            "id": self.id,
            "object": "chat.completion.chunk",
            "created": self.created,
            "model": self.model,
            "choices": choices,
        });
        if let (true, Some(fields)) = (self.includes_usage, chunk.as_object_mut()) {
            fields.insert("usage".to_owned(), usage.clone());
        }
        data(&chunk)
    }

    fn delta(&self, delta: &Value, finish: Option<&str>) -> String {
        let choice = json!({"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish});
        self.chunk(&json!([choice]), &Value::Null)
    }

    fn text(&mut self, text: &str) -> String {
        self.text.push_str(text);
        self.delta(&json!({"content": text}), None)
    }
}

/// A question in words, with the address where it is decided.
pub(in crate::http::v1) fn told(question: &Question) -> String {
    let Question { text, address, .. } = question;
    format!("**This waits for a decision:** {text} Approve or refuse it at {address}, then ask to go on.")
}

/// The tokens of an answer, in this dialect.
fn usage(usage: Usage) -> Value {
    json!({
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.total(),
        "prompt_tokens_details": {"cached_tokens": usage.cached_tokens, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning_tokens, "audio_tokens": 0},
    })
}

impl Writer for Completions {
    fn open(&mut self) -> String {
        self.delta(&json!({"role": "assistant", "content": ""}), None)
    }

    fn write(&mut self, piece: Piece) -> String {
        match piece {
            Piece::Text(text) => self.text(&text),
            Piece::Apart if self.text.is_empty() => String::new(),
            Piece::Apart => self.text("\n\n"),
            Piece::Asked(question) => {
                let apart = if self.text.is_empty() { "" } else { "\n\n" };
                self.text(&format!("{apart}{}", told(&question)))
            }
            Piece::Call { id, name, arguments } => {
                let function = json!({"name": name, "arguments": arguments.to_string()});
                let call = json!({"id": id, "type": "function", "function": function});
                let mut delta = call.clone();
                if let Some(fields) = delta.as_object_mut() {
                    fields.insert("index".to_owned(), self.calls.len().into());
                }
                self.calls.push(call);
                self.finish = "tool_calls";
                self.delta(&json!({"tool_calls": [delta]}), None)
            }
            Piece::Usage(more) => {
                self.usage = self.usage.plus(more);
                String::new()
            }
            Piece::Cut => {
                self.finish = "length";
                String::new()
            }
            Piece::Filtered => {
                self.finish = "content_filter";
                String::new()
            }
            Piece::Begun(_) | Piece::Ended(_) | Piece::Raw(_) | Piece::End(_) => String::new(),
        }
    }

    fn close(&mut self, end: &End) -> String {
        if let End::Failed(failure) = end {
            return failed(Dialect::Openai, failure);
        }
        let last = self.delta(&json!({}), Some(self.finish));
        let took = self.includes_usage.then(|| self.chunk(&json!([]), &usage(self.usage)));
        format!("{last}{}data: [DONE]\n\n", took.unwrap_or_default())
    }

    fn said(&self) -> Option<String> {
        self.calls.is_empty().then(|| self.text.clone())
    }

    fn whole(&mut self) -> Value {
        let text = std::mem::take(&mut self.text);
        let content = if text.is_empty() && !self.calls.is_empty() { Value::Null } else { text.into() };
        let mut message = json!({"role": "assistant", "content": content, "refusal": null});
        if let (false, Some(fields)) = (self.calls.is_empty(), message.as_object_mut()) {
            fields.insert("tool_calls".to_owned(), std::mem::take(&mut self.calls).into());
        }
        let choice = json!({"index": 0, "message": message, "logprobs": null, "finish_reason": self.finish});
        json!({
            "id": self.id,
            "object": "chat.completion",
            "created": self.created,
            "model": self.model,
            "choices": [choice],
            "usage": usage(self.usage),
        })
    }
}
