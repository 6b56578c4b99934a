//! The thread of what was said. Clients of chat completions and of messages send all of it each time: it is known again, and
//! goes on in the conversation in which it was begun, with what the agent called there.

use sha2::{Digest, Sha256};

use satchel_model::{caller::Caller, llm::ChatMessage};

/// The thread of a request.
#[derive(Clone)]
pub(super) struct Thread {
    /// Until the last answer; `None` if there was none yet.
    pub(super) before: Option<String>,
    whole: Sha256,
}

impl Thread {
    /// The thread of messages to an agent; `None` if there are calls among them, which are known by their ids. `user` is
    /// whoever asks the program.
    pub(super) fn new(caller: &Caller, (agent, user): (&str, Option<&str>), messages: &[ChatMessage]) -> Option<Self> {
        let mut whole = Sha256::new();
        let key = caller.credential.key().map(|key| key.to_string()).unwrap_or_default();
        for part in [key.as_str(), agent, user.unwrap_or_default()] {
            add(&mut whole, 0, part);
        }
        let mut before = None;
        for message in messages {
            match message {
                ChatMessage::User { text, images } => {
                    add(&mut whole, 1, text);
                    images.iter().for_each(|image| add(&mut whole, 2, &image.data));
                }
                ChatMessage::Assistant { text, calls } if calls.is_empty() => {
                    add(&mut whole, 3, text);
                    before = Some(hex::encode(whole.clone().finalize()));
                }
                ChatMessage::Assistant { .. } | ChatMessage::Tool { .. } => return None,
            }
        }
        Some(Self { before, whole })
    }

    /// The thread once it is answered so.
    pub(super) fn answered(mut self, text: &str) -> String {
        add(&mut self.whole, 3, text);
        hex::encode(self.whole.finalize())
    }
}

fn add(whole: &mut Sha256, kind: u8, text: &str) {
    whole.update([kind]);
    whole.update((text.len() as u64).to_le_bytes());
    whole.update(text);
}
