//! A message, as Anthropic's clients read it.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::super::{
    completions::tell::told,
    dialect::Dialect,
    pieces::{End, EndedCall, Piece, RunCall},
    writer::{Writer, event, failed},
};
use satchel_model::{call::CallId, llm::Usage};

/// Writes a message.
pub(super) struct Messages {
    id: String,
    model: String,
    content: Vec<Value>,
    /// `true` if the last block is a text that goes on.
    is_in_text: bool,
    usage: Usage,
    stop: &'static str,
    /// Calls that are run here and have not ended.
    begun: HashMap<CallId, RunCall>,
}

impl Messages {
    /// A message with this id, of a model by the name it was asked for.
    pub(super) fn new(id: &str, model: String) -> Self {
        Self {
            id: format!("msg_{id}"),
            model,
            content: Vec::new(),
            is_in_text: false,
            usage: Usage::default(),
            stop: "end_turn",
            begun: HashMap::new(),
        }
    }

    fn head(&self) -> Value {
        json!({
            "id": self.id,
            "type": "message",
            "role": "assistant",
            "model": self.model,
            "content": [],
            "stop_reason": null,
            "stop_sequence": null,
            "usage": usage(Usage::default()),
        })
    }

    fn text(&mut self, text: &str) -> String {
        let begun = if self.is_in_text { String::new() } else { self.start(json!({"type": "text", "text": ""})) };
        self.is_in_text = true;
        if let Some(Value::String(whole)) = self.content.last_mut().and_then(|block| block.get_mut("text")) {
            whole.push_str(text);
        }
        let delta = json!({"type": "text_delta", "text": text});
        format!("{begun}{}", self.delta(&delta))
    }

    /// Begins a block, after the end of the one before.
    fn start(&mut self, block: Value) -> String {
        let ended = self.end_text();
        self.content.push(block.clone());
        let start = json!({"type": "content_block_start", "index": self.last(), "content_block": block});
        format!("{ended}{}", event("content_block_start", &start))
    }

    fn delta(&self, delta: &Value) -> String {
        event("content_block_delta", &json!({"type": "content_block_delta", "index": self.last(), "delta": delta}))
    }

    fn stop_block(&self) -> String {
        event("content_block_stop", &json!({"type": "content_block_stop", "index": self.last()}))
    }

    fn end_text(&mut self) -> String {
        if std::mem::take(&mut self.is_in_text) { self.stop_block() } else { String::new() }
    }

    fn last(&self) -> usize {
        self.content.len().saturating_sub(1)
    }

    /// A block that is there at once.
    fn whole_block(&mut self, block: Value) -> String {
        let start = self.start(block);
        format!("{start}{}", self.stop_block())
    }

    /// A call that its client runs: its arguments come as a text.
    fn call(&mut self, (id, name, arguments): (String, String, Value)) -> String {
        self.stop = "tool_use";
        let start = self.start(json!({"type": "tool_use", "id": id, "name": name, "input": {}}));
        let delta = self.delta(&json!({"type": "input_json_delta", "partial_json": arguments.to_string()}));
        if let Some(input) = self.content.last_mut().and_then(|block| block.get_mut("input")) {
            *input = arguments;
        }
        format!("{start}{delta}{}", self.stop_block())
    }

    /// A call that was run here, and what came of it.
    fn ended(&mut self, ended: &EndedCall) -> String {
        let Some(call) = self.begun.remove(&ended.call_id) else { return String::new() };
        let id = format!("mcptoolu_{}", ended.call_id.simple());
        let (name, input) = (call.name(), &call.arguments);
        let used = json!({"type": "mcp_tool_use", "id": id, "name": name, "server_name": "satchel", "input": input});
        let used = self.whole_block(used);
        let result = self.whole_block(json!({
            "type": "mcp_tool_result",
            "tool_use_id": id,
            "is_error": ended.success != Some(true),
            "content": [{"type": "text", "text": ended.told()}],
        }));
        format!("{used}{result}")
    }
}

/// The tokens of an answer, in this dialect.
fn usage(usage: Usage) -> Value {
    json!({
        "input_tokens": usage.input_tokens.saturating_sub(usage.cached_tokens),
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": usage.cached_tokens,
        "output_tokens": usage.output_tokens,
    })
}

impl Writer for Messages {
    fn open(&mut self) -> String {
        let start = event("message_start", &json!({"type": "message_start", "message": self.head()}));
        format!("{start}{}", event("ping", &json!({"type": "ping"})))
    }

    fn write(&mut self, piece: Piece) -> String {
        match piece {
            Piece::Text(text) => self.text(&text),
            Piece::Apart => self.end_text(),
            Piece::Asked(question) => {
                self.begun.remove(&question.call);
                let ended = self.end_text();
                format!("{ended}{}", self.text(&told(&question)))
            }
            Piece::Begun(call) => {
                self.begun.insert(call.call_id, call);
                String::new()
            }
            Piece::Ended(ended) => self.ended(&ended),
            Piece::Call { id, name, arguments } => self.call((id, name, arguments)),
            Piece::Usage(more) => {
                self.usage = self.usage.plus(more);
                String::new()
            }
            Piece::Cut => {
                self.stop = "max_tokens";
                String::new()
            }
            Piece::Filtered => {
                self.stop = "refusal";
                String::new()
            }
            Piece::Raw(_) | Piece::End(_) => String::new(),
        }
    }

    fn close(&mut self, end: &End) -> String {
        let ended = self.end_text();
        if let End::Failed(failure) = end {
            return format!("{ended}{}", failed(Dialect::Anthropic, failure));
        }
        let delta = json!({"stop_reason": self.stop, "stop_sequence": null});
        let delta = json!({"type": "message_delta", "delta": delta, "usage": usage(self.usage)});
        let stop = event("message_stop", &json!({"type": "message_stop"}));
        format!("{ended}{}{stop}", event("message_delta", &delta))
    }

    fn said(&self) -> Option<String> {
        let text = |block: &Value| block.get("text").and_then(Value::as_str).map(str::to_owned);
        let texts: Option<Vec<String>> = self.content.iter().map(text).collect();
        texts.map(|texts| texts.join("\n"))
    }

    fn whole(&mut self) -> Value {
        let mut whole = self.head();
        if let Some(fields) = whole.as_object_mut() {
            fields.insert("content".to_owned(), std::mem::take(&mut self.content).into());
            fields.insert("stop_reason".to_owned(), self.stop.into());
            fields.insert("usage".to_owned(), usage(self.usage));
        }
        whole
    }
}
