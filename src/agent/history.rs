//! A conversation as a model is told it: rows become messages, what came from outside is marked as data.

use base64::{Engine as _, engine::general_purpose::STANDARD};

use super::data;
use satchel_model::{
    conversation::{Attachment, Message, Role, Step, StepState},
    llm::{ChatMessage, IMAGE_TOKENS, Image, ToolCall, ToolResult, estimate_tokens},
};
use satchel_store::messages::Placed;

/// Longest attached text a model is shown, in characters.
pub(super) const ATTACHED: usize = 100_000;

/// The messages in order. Every call is followed by what came of it: providers refuse a conversation in which one is not.
pub(super) fn tell(messages: &[Message]) -> Vec<ChatMessage> {
    messages.iter().flat_map(one).collect()
}

/// The message of a row; attachments that were left out are named in it.
pub(super) fn with_left_out(Placed { mut message, left_out, .. }: Placed) -> Message {
    for name in &left_out {
        let note = data::mark("ATTACHMENT", Some(name), "(left out to make room)");
        message.text = format!("{}\n\n{note}", message.text);
    }
    message
}

fn one(message: &Message) -> Vec<ChatMessage> {
    match message.role {
        Role::User => vec![question(message)],
        Role::Assistant if message.text.is_empty() && message.steps.is_empty() => Vec::new(),
        Role::Assistant => {
            let answer =
                ChatMessage::Assistant { text: message.text.clone(), calls: message.steps.iter().map(call).collect() };
            let results: Vec<_> = message.steps.iter().map(result).collect();
            let results = (!results.is_empty()).then_some(ChatMessage::Tool { results });
            [answer].into_iter().chain(results).collect()
        }
    }
}

fn question(message: &Message) -> ChatMessage {
    let (images, texts): (Vec<&Attachment>, Vec<&Attachment>) =
        message.attachments.iter().partition(|attachment| attachment.is_image());
    let texts = texts.into_iter().map(attached);
    let text = [message.text.clone()].into_iter().chain(texts).collect::<Vec<_>>().join("\n\n");
    let images = images.into_iter().map(|image| Image { mime: image.mime.clone(), data: image.data.clone() });
    ChatMessage::User { text: text.trim().to_owned(), images: images.collect() }
}

fn attached(attachment: &Attachment) -> String {
    let bytes = STANDARD.decode(&*attachment.data).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let (shown, cut) = match text.char_indices().nth(ATTACHED) {
        Some((end, _)) => (text.get(..end).unwrap_or_default(), "\n(cut)"),
        None => (text.as_ref(), ""),
    };
    data::mark("ATTACHMENT", Some(&attachment.name), &format!("{shown}{cut}"))
}

fn call(step: &Step) -> ToolCall {
    ToolCall {
        id: step.provider_id.clone(),
        name: step.asked_as.clone(),
        arguments: step.asked().clone(),
        malformed: None,
    }
}

fn result(step: &Step) -> ToolResult {
    let text = step.model_text.clone().unwrap_or_else(|| unsettled(step.state).to_owned());
    ToolResult { call: step.provider_id.clone(), name: step.asked_as.clone(), text, failed: step.success != Some(true) }
}

fn unsettled(state: StepState) -> &'static str {
    match state {
        StepState::Cancelled => "The person stopped this call.",
        _ => "This call was not run.",
    }
}

/// About how many tokens a message is.
pub(super) fn tokens(message: &ChatMessage) -> u64 {
    // Roles and separators cost a few tokens in every dialect.
    4 + match message {
        ChatMessage::User { text, images } => estimate_tokens(text) + images.len() as u64 * IMAGE_TOKENS,
        ChatMessage::Assistant { text, calls } => {
            let calls = calls.iter().map(|call| {
                estimate_tokens(&call.name) + estimate_tokens(&call.id) + estimate_tokens(&call.arguments.to_string())
            });
            estimate_tokens(text) + calls.sum::<u64>()
        }
        ChatMessage::Tool { results } => {
            results.iter().map(|result| estimate_tokens(&result.text) + estimate_tokens(&result.call)).sum()
        }
    }
}
