//! Answers of models, piece by piece.

use serde_json::Value;

use super::pieces::{End, Piece};
use satchel_agent::gateway::ModelAnswer;
use satchel_model::llm::{Event, StopReason, Usage};

/// The pieces of an answer of a model.
pub(super) struct ModelPieces {
    answer: ModelAnswer,
    /// `true` if it is passed on as it comes.
    is_passed: bool,
    /// `true` if the tokens it took are not told: its reader has not asked for them.
    hides_usage: bool,
    usage: Option<Usage>,
    ended: bool,
}

impl ModelPieces {
    /// The pieces of an answer, which is passed on as it comes, if so.
    pub(super) fn new(answer: ModelAnswer, is_passed: bool, hides_usage: bool) -> Self {
        Self { answer, is_passed, hides_usage, usage: None, ended: false }
    }

    /// The next pieces; `None` after the end. Safe to drop and to call again.
    pub(super) async fn next(&mut self) -> Option<Vec<Piece>> {
        while !self.ended {
            let pieces = match self.answer.next().await {
                Ok(Some(event)) => self.read(event),
                Ok(None) => {
                    self.ended = true;
                    vec![Piece::Usage(self.usage.unwrap_or_default()), Piece::End(End::Done)]
                }
                Err(error) => {
                    self.ended = true;
                    vec![Piece::End(End::failed(error))]
                }
            };
            if !pieces.is_empty() {
                return Some(pieces);
            }
        }
        None
    }

    fn read(&mut self, event: Event) -> Vec<Piece> {
        match event {
            Event::Raw(frame) if self.is_withheld(&frame) => Vec::new(),
            Event::Raw(frame) => vec![Piece::Raw(frame)],
            Event::Usage(usage) => {
                self.usage = Some(usage);
                Vec::new()
            }
            _ if self.is_passed => Vec::new(),
            Event::Text(text) => vec![Piece::Text(text)],
            Event::ToolCall(call) => {
                vec![Piece::Call { id: call.id, name: call.name, arguments: call.arguments }]
            }
            Event::Stop(StopReason::Length) => vec![Piece::Cut],
            Event::Stop(StopReason::Filtered) => vec![Piece::Filtered],
            Event::Stop(StopReason::Complete | StopReason::ToolUse) => Vec::new(),
        }
    }

    /// The end is told by whoever writes the answer; what it took, to whoever wants it.
    fn is_withheld(&self, frame: &str) -> bool {
        if frame == "data: [DONE]\n\n" {
            return true;
        }
        let Some(data) = frame.strip_prefix("data: ").filter(|_| self.hides_usage) else { return false };
        if !data.contains("\"usage\"") {
            return false;
        }
        let chunk: Value = serde_json::from_str(data.trim_end()).unwrap_or_default();
        chunk.get("choices").and_then(Value::as_array).is_some_and(Vec::is_empty)
    }
}
