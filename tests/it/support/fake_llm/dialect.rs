//! The dialects in which a scripted model answers.

use serde_json::{Value, json};

use super::Piece;

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
