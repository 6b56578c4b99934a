//! A response, as OpenAI's clients read it: its items, and the events by which they come.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::super::{
    completions::tell::told,
    dialect::{Dialect, status_of},
    pieces::{End, EndedCall, Failure, Piece, Question, RunCall},
    writer::{Writer, event},
};
use satchel_model::{call::CallId, llm::Usage, response::ResponseId, time::Time};

/// The name by which tools that run here are told.
const SERVER: &str = "satchel";

/// Writes a response.
pub(super) struct Responses {
    head: Head,
    items: Vec<Value>,
    sequence: u64,
    /// `true` if the last item is a text that goes on.
    is_in_text: bool,
    begun: HashMap<CallId, RunCall>,
    /// Questions that were decided, by the calls that waited.
    decided: HashMap<CallId, String>,
    usage: Usage,
    cut: Option<&'static str>,
    status: &'static str,
    error: Value,
    /// `true` if its client can decide questions.
    approves: bool,
}

/// The head that every form of a response has.
#[derive(Clone)]
pub(super) struct Head {
    /// Its id.
    pub(super) id: ResponseId,
    /// The fields of its request that it repeats.
    pub(super) repeated: Value,
    /// The time at which it was asked for.
    pub(super) at: Time,
}

impl Responses {
    pub(super) fn new(head: Head, approves: bool) -> Self {
        Self {
            head,
            items: Vec::new(),
            sequence: 0,
            is_in_text: false,
            begun: HashMap::new(),
            decided: HashMap::new(),
            usage: Usage::default(),
            cut: None,
            status: "in_progress",
            error: Value::Null,
            approves,
        }
    }

    /// The same, which begins with what comes of calls whose questions were decided.
    pub(super) fn after(mut self, decided: Vec<(RunCall, String)>) -> Self {
        for (call, question) in decided {
            self.decided.insert(call.call_id, question);
            self.begun.insert(call.call_id, call);
        }
        self
    }

    fn response(&self) -> Value {
        let mut response = self.head.repeated.clone();
        let is_over = self.status != "in_progress";
        let details = self.cut.filter(|_| is_over).map(|reason| json!({"reason": reason}));
        let took = is_over.then(|| usage(self.usage));
        let own = json!({
            "id": format!("resp_{}", self.head.id.simple()),
            "object": "response",
            "created_at": self.head.at.millis() / 1_000,
            "completed_at": null,
            "status": self.status,
            "error": self.error,
            "incomplete_details": details,
            "output": self.items,
            "usage": took,
            "user": null,
        });
        if let (Some(fields), Value::Object(own)) = (response.as_object_mut(), own) {
            fields.extend(own);
        }
        response
    }

    fn event(&mut self, name: &str, mut data: Value) -> String {
        if let Some(fields) = data.as_object_mut() {
            fields.insert("type".to_owned(), name.into());
            fields.insert("sequence_number".to_owned(), self.sequence.into());
        }
        self.sequence += 1;
        event(name, &data)
    }

    fn last(&self) -> usize {
        self.items.len().saturating_sub(1)
    }

    fn last_id(&self) -> Value {
        self.items.last().and_then(|item| item.get("id")).cloned().unwrap_or_default()
    }

    /// Adds an item, after the end of the text before it.
    fn add(&mut self, item: Value) -> String {
        let ended = self.end_text();
        self.items.push(item.clone());
        let data = json!({"output_index": self.last(), "item": item});
        format!("{ended}{}", self.event("response.output_item.added", data))
    }

    fn done(&mut self) -> String {
        let item = self.items.last().cloned().unwrap_or_default();
        self.event("response.output_item.done", json!({"output_index": self.last(), "item": item}))
    }

    /// The place of the last item, with more.
    fn at_last(&self, mut more: Value) -> Value {
        if let Some(fields) = more.as_object_mut() {
            fields.insert("item_id".to_owned(), self.last_id());
            fields.insert("output_index".to_owned(), self.last().into());
        }
        more
    }

    fn text(&mut self, text: &str) -> String {
        let mut events = String::new();
        if !self.is_in_text {
            let id = format!("msg_{}_{}", self.head.id.simple(), self.items.len());
            let item =
                json!({"id": id, "type": "message", "status": "in_progress", "role": "assistant", "content": []});
            events.push_str(&self.add(item));
            let added = self.at_last(json!({"content_index": 0, "part": part("")}));
            events.push_str(&self.event("response.content_part.added", added));
            self.set("content", json!([part("")]));
            self.is_in_text = true;
        }
        if let Some(Value::String(whole)) = self.items.last_mut().and_then(|item| item.pointer_mut("/content/0/text")) {
            whole.push_str(text);
        }
        let delta = self.at_last(json!({"content_index": 0, "delta": text, "logprobs": []}));
        events.push_str(&self.event("response.output_text.delta", delta));
        events
    }

    fn end_text(&mut self) -> String {
        if !std::mem::take(&mut self.is_in_text) {
            return String::new();
        }
        self.set("status", json!("completed"));
        let text = self.items.last().and_then(|item| item.pointer("/content/0/text")).cloned().unwrap_or_default();
        let text = text.as_str().unwrap_or_default().to_owned();
        let whole = self.at_last(json!({"content_index": 0, "text": text, "logprobs": []}));
        let whole = self.event("response.output_text.done", whole);
        let done = self.at_last(json!({"content_index": 0, "part": part(&text)}));
        let done = self.event("response.content_part.done", done);
        format!("{whole}{done}{}", self.done())
    }

    /// Sets a field of the last item.
    fn set(&mut self, field: &str, value: Value) {
        if let Some(item) = self.items.last_mut().and_then(Value::as_object_mut) {
            item.insert(field.to_owned(), value);
        }
    }

    /// A call that its client runs.
    fn call(&mut self, (id, name, arguments): (String, String, &Value)) -> String {
        let own = format!("fc_{}_{}", self.head.id.simple(), self.items.len());
        let arguments = arguments.to_string();
        let item = json!({"id": own, "type": "function_call", "status": "in_progress", "call_id": id, "name": name, "arguments": ""});
        let added = self.add(item);
        let delta = self.at_last(json!({"delta": arguments}));
        let delta = self.event("response.function_call_arguments.delta", delta);
        let whole = self.at_last(json!({"name": name, "arguments": arguments}));
        let whole = self.event("response.function_call_arguments.done", whole);
        self.set("arguments", json!(arguments));
        self.set("status", json!("completed"));
        format!("{added}{delta}{whole}{}", self.done())
    }

    /// A call that was run here.
    fn ended(&mut self, ended: &EndedCall) -> String {
        let Some(call) = self.begun.remove(&ended.call_id) else { return String::new() };
        let question = self.decided.get(&ended.call_id).cloned();
        let arguments = call.arguments.to_string();
        let item = json!({
            "id": format!("mcp_{}", ended.call_id.simple()),
            "type": "mcp_call",
            "server_label": SERVER,
            "name": call.name(),
            "arguments": "",
            "status": "in_progress",
            "approval_request_id": question,
            "output": null,
            "error": null,
        });
        let added = self.add(item);
        let place = self.at_last(json!({}));
        let going = self.event("response.mcp_call.in_progress", place.clone());
        let whole = self.at_last(json!({"arguments": arguments}));
        let whole = self.event("response.mcp_call_arguments.done", whole);
        self.set("arguments", json!(arguments));
        let (status, field) = match ended.success {
            Some(true) => ("completed", "output"),
            _ => ("failed", "error"),
        };
        self.set("status", json!(status));
        self.set(field, json!(ended.told()));
        let over = self.event(&format!("response.mcp_call.{status}"), place);
        format!("{added}{going}{whole}{over}{}", self.done())
    }

    /// A question: as an item for a client that may decide it, else in words.
    fn asked(&mut self, question: &Question) -> String {
        let call = self.begun.remove(&question.call);
        if !self.approves {
            let ended = self.end_text();
            return format!("{ended}{}", self.text(&told(question)));
        }
        let name = call.map_or_else(|| question.tool.clone(), |call| call.name().to_owned());
        let name = name.rsplit(':').next().unwrap_or_default().to_owned();
        let item = json!({
            "id": question.ticket,
            "type": "mcp_approval_request",
            "server_label": SERVER,
            "name": name,
            "arguments": question.arguments.to_string(),
        });
        let added = self.add(item);
        format!("{added}{}", self.done())
    }

    fn failed(&mut self, Failure(error): &Failure) {
        let told = Dialect::Openai.told(error, status_of(error), None);
        let code = told.pointer("/error/code").filter(|code| code.is_string()).cloned();
        self.error = json!({"code": code.unwrap_or_else(|| "server_error".into()), "message": error.message()});
        self.status = "failed";
    }
}

fn part(text: &str) -> Value {
    json!({"type": "output_text", "text": text, "annotations": [], "logprobs": []})
}

/// The tokens of an answer, in this dialect.
fn usage(usage: Usage) -> Value {
    json!({
        "input_tokens": usage.input_tokens,
        "input_tokens_details": {"cached_tokens": usage.cached_tokens},
        "output_tokens": usage.output_tokens,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
        "total_tokens": usage.total(),
    })
}

impl Writer for Responses {
    fn open(&mut self) -> String {
        let response = self.response();
        let created = self.event("response.created", json!({"response": response}));
        format!("{created}{}", self.event("response.in_progress", json!({"response": response})))
    }

    fn write(&mut self, piece: Piece) -> String {
        match piece {
            Piece::Text(text) => return self.text(&text),
            Piece::Apart => return self.end_text(),
            Piece::Asked(question) => return self.asked(&question),
            Piece::Ended(ended) => return self.ended(&ended),
            Piece::Call { id, name, arguments } => return self.call((id, name, &arguments)),
            Piece::Begun(call) => drop(self.begun.insert(call.call_id, call)),
            Piece::Usage(more) => self.usage = self.usage.plus(more),
            Piece::Cut => self.cut = Some("max_output_tokens"),
            Piece::Filtered => self.cut = Some("content_filter"),
            Piece::Raw(_) | Piece::End(_) => {}
        }
        String::new()
    }

    fn close(&mut self, end: &End) -> String {
        let ended = self.end_text();
        let name = match end {
            End::Failed(failure) => {
                self.failed(failure);
                "response.failed"
            }
            End::Stopped => {
                self.status = "cancelled";
                "response.incomplete"
            }
            End::Done | End::Waiting if self.cut.is_some() => {
                self.status = "incomplete";
                "response.incomplete"
            }
            End::Done | End::Waiting => {
                self.status = "completed";
                "response.completed"
            }
        };
        let response = self.response();
        format!("{ended}{}", self.event(name, json!({"response": response})))
    }

    fn whole(&mut self) -> Value {
        self.response()
    }
}
