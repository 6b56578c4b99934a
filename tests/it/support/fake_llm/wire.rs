//! The words of the scripted model, in the dialect of whoever asks.

use serde_json::{Value, json};

use super::Piece;

/// An answer that is not streamed.
pub(super) fn in_one_piece(path: &str, pieces: &[Piece]) -> Value {
    let is_anthropic = path.ends_with("/messages");
    let (mut text, mut calls, mut usage) = (String::new(), Vec::new(), (0, 0));
    for (at, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Text(more) => text.push_str(more),
            Piece::Call(name, input) if is_anthropic => {
                calls.push(json!({"type": "tool_use", "id": format!("call_{at}"), "name": name, "input": input}));
            }
            Piece::Call(name, arguments) => {
                let function = json!({"name": name, "arguments": raw(arguments)});
                calls.push(json!({"id": format!("call_{at}"), "type": "function", "function": function}));
            }
            Piece::Usage(input, output) => usage = (*input, *output),
            Piece::Hold(_) | Piece::Break => {}
        }
    }
    if is_anthropic {
        let content: Vec<Value> = [json!({"type": "text", "text": text})].into_iter().chain(calls).collect();
        return json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "fake-1", "content": content,
            "stop_reason": "end_turn", "usage": {"input_tokens": usage.0, "output_tokens": usage.1}});
    }
    let mut message = json!({"role": "assistant", "content": text});
    if !calls.is_empty() {
        message["tool_calls"] = json!(calls);
    }
    json!({"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "fake-1",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": usage.0, "completion_tokens": usage.1, "total_tokens": usage.0 + usage.1}})
}

/// A dialect, as far as an answer in it has come.
pub(super) enum Dialect {
    Openai(usize),
    Anthropic(usize),
    Ollama(Value),
}

impl Dialect {
    pub(super) fn new(path: &str) -> Self {
        match path {
            path if path.ends_with("/messages") => Self::Anthropic(0),
            path if path.ends_with("/api/chat") => Self::Ollama(json!({})),
            _ => Self::Openai(0),
        }
    }

    pub(super) fn piece(&mut self, piece: &Piece) -> String {
        match self {
            Self::Openai(calls) => openai(calls, piece),
            Self::Anthropic(blocks) => anthropic(blocks, piece),
            Self::Ollama(usage) => ollama(usage, piece),
        }
    }

    pub(super) fn end(&mut self) -> String {
        match self {
            Self::Openai(_) => {
                format!("{}data: [DONE]\n\n", data(&json!({"choices": [{"delta": {}, "finish_reason": "stop"}]})))
            }
            Self::Anthropic(_) => data(&json!({"type": "message_stop"})),
            Self::Ollama(usage) => {
                let mut end = json!({"message": {"role": "assistant", "content": ""}, "done": true});
                end.as_object_mut().unwrap().extend(usage.as_object().unwrap().clone());
                format!("{end}\n")
            }
        }
    }
}

fn data(value: &Value) -> String {
    format!("data: {value}\n\n")
}

fn raw(arguments: &Value) -> String {
    arguments.as_str().map_or_else(|| arguments.to_string(), str::to_owned)
}

fn openai(calls: &mut usize, piece: &Piece) -> String {
    match piece {
        Piece::Text(text) => data(&json!({"choices": [{"delta": {"content": text}}]})),
        Piece::Call(name, arguments) => {
            let function = json!({"name": name, "arguments": raw(arguments)});
            let call = json!({"index": calls, "id": format!("call_{calls}"), "function": function});
            *calls += 1;
            data(&json!({"choices": [{"delta": {"tool_calls": [call]}}]}))
        }
        Piece::Usage(input, output) => {
            data(&json!({"choices": [], "usage": {"prompt_tokens": input, "completion_tokens": output}}))
        }
        Piece::Hold(_) | Piece::Break => String::new(),
    }
}

fn anthropic(blocks: &mut usize, piece: &Piece) -> String {
    let index = *blocks;
    *blocks += 1;
    match piece {
        Piece::Text(text) => {
            let delta = json!({"type": "text_delta", "text": text});
            data(&json!({"type": "content_block_delta", "index": index, "delta": delta}))
        }
        Piece::Call(name, arguments) => {
            let block = json!({"type": "tool_use", "id": format!("call_{index}"), "name": name});
            let delta = json!({"type": "input_json_delta", "partial_json": raw(arguments)});
            [
                json!({"type": "content_block_start", "index": index, "content_block": block}),
                json!({"type": "content_block_delta", "index": index, "delta": delta}),
                json!({"type": "content_block_stop", "index": index}),
            ]
            .iter()
            .map(data)
            .collect()
        }
        Piece::Usage(input, output) => {
            let usage = json!({"input_tokens": input, "output_tokens": output});
            data(&json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": usage}))
        }
        Piece::Hold(_) | Piece::Break => String::new(),
    }
}

fn ollama(usage: &mut Value, piece: &Piece) -> String {
    let message = match piece {
        Piece::Text(text) => json!({"role": "assistant", "content": text}),
        Piece::Call(name, arguments) => {
            let call = json!({"function": {"name": name, "arguments": arguments}});
            json!({"role": "assistant", "content": "", "tool_calls": [call]})
        }
        Piece::Usage(input, output) => {
            *usage = json!({"prompt_eval_count": input, "eval_count": output});
            return String::new();
        }
        Piece::Hold(_) | Piece::Break => return String::new(),
    };
    format!("{}\n", json!({"message": message, "done": false}))
}
