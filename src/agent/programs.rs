//! Runs that programs ask for over `/v1`: an agent answers what they say, with the platform's tools and with their own.

use std::sync::Arc;

use satchel_model::{
    agent::AgentAt,
    call::CallId,
    caller::Caller,
    conversation::{Attachment, ConversationId, Message, MessageId, Role, Step, StepState, TurnId},
    error::{Error, Result},
    id::shorten,
    llm::{ChatMessage, Image, ToolResult, options::Brief},
    origin::Origin,
    run::{Purpose, Run, RunId, RunKind},
    time::Time,
};
use satchel_store::{
    agents::Agents,
    conversations::NewConversation,
    repeatable::RequestName,
    turns::{Handed, Opening, Question},
};

use super::{
    begin::Begun,
    chat::{Agent, NewMessage, check, ensure_held},
    data, prompt,
};

/// The folder of conversations that programs begin.
const FOLDER: &str = "API";
/// Most messages of a request: a conversation has its own, where what is older is shortened.
const MOST: usize = 2_000;
/// Begins the ids by which a program names calls it was given, in every dialect: what follows is the call's own.
const IDS: [&str; 3] = ["call_", "toolu_", "fc_"];

/// A request of a program to an agent.
#[derive(Debug, Clone, Default)]
pub struct ProgramRequest {
    /// The agent, by its id or name.
    pub agent: String,
    /// All that was said, the question or the results of the program's tools last.
    pub messages: Vec<ChatMessage>,
    /// The way it is to be answered.
    pub brief: Brief,
    /// The conversation that it goes on in, where that is known; what is said before its question stands there.
    pub conversation: Option<ConversationId>,
    /// The thread of what was said before its question, by which the conversation is found that it goes on in.
    pub thread: Option<String>,
    /// The origin of content that was fetched for it.
    pub origin: Option<Origin>,
    /// The name of the request, if it may be repeated.
    pub named: Option<RequestName>,
}

/// The messages after the last answer.
struct Tail {
    results: Vec<ToolResult>,
    question: Option<(String, Vec<Image>)>,
}

impl Agent {
    /// Begins a run that a program asks for. It goes on in the conversation in which its calls were given to the program, if
    /// it brings their results; else a conversation is made, with what was said before.
    ///
    /// # Errors
    ///
    /// As [`Agent::begin`] has them.
    pub async fn begin_for_program(&self, caller: &Caller, asked: ProgramRequest) -> Result<Begun> {
        caller.ensure_personal()?;
        let shared = &self.shared;
        let (db, now) = (&shared.app.db, shared.app.clock.now());
        let ProgramRequest { agent, mut messages, brief, conversation, thread, origin, named } = asked;
        if messages.len() > MOST {
            return Err(Error::invalid(format!("A request has at most {MOST} messages: leave out the oldest.")));
        }
        let agent = Agents::new(db).offered_as(caller, &agent).await?.at();
        self.require_model(caller.user, &agent).await?;
        shared.turns.require_few(caller.user, None).await?;
        let bytes: usize = messages.iter().map(weight).sum();
        self.ensure_room(caller.user, bytes as u64).await?;
        let conversation = match (conversation, thread) {
            (None, Some(thread)) => shared.turns.by_thread(caller.user, thread).await?,
            (known, _) => known,
        };
        let tail = split(&mut messages, conversation.is_some())?;
        let outside = tail.results.first().or_else(|| first_result(&messages)).map(|result| of_tool(&result.name, now));
        let opening = self.opening(caller, &agent, (messages, tail, conversation)).await?;
        let (id, opening) = opening;
        let is_first = opening.made.is_some();
        // What an agent answered elsewhere may say what it had read there.
        let was_answered = is_first && opening.history.iter().any(|message| message.role == Role::Assistant);
        let before = was_answered.then(|| Origin::new("answers that were sent along", now));
        let origin = Origin::joined(Origin::joined(origin, outside), before);
        let opening = Opening { origin: Origin::joined(origin, agent.origin.clone()), named, ..opening };
        let purpose = Purpose { kind: RunKind::Api, brief: Some(Arc::new(brief)), ..Purpose::default() };
        let new = self.new_turn(caller, id, None, (agent, purpose));
        let agent = self.clone();
        let begin = async move {
            let turn = agent.shared.turns.begin_for_program(new, opening).await?;
            Ok((turn.id, agent.start((turn, None))))
        };
        let (run, events) = self.unbroken(caller.user, begin).await?;
        Ok(Begun::new(self, caller, (id, run), events).first(is_first))
    }

    /// Keeps what the thread of a run is at its end.
    ///
    /// # Errors
    ///
    /// As the database has them.
    pub async fn set_thread(&self, run: RunId, thread: String) -> Result<()> {
        self.shared.turns.set_thread(run, thread).await
    }

    /// A run as it is now, and the messages that were written in it, with the questions that wait there.
    ///
    /// # Errors
    ///
    /// If there is none that they see.
    pub async fn come_of_run(
        &self,
        caller: &Caller,
        (conversation, run): (ConversationId, RunId),
    ) -> Result<(Run, Vec<Message>)> {
        let view = self.view(caller.user, conversation).await?;
        let written = view.messages.into_iter();
        let written = written.filter(|message| message.turn_id == run && message.role == Role::Assistant);
        Ok((self.one_run(caller, run).await?, written.collect()))
    }

    /// The conversation in which a program goes on after a run: its own, or a branch of it where more was said since.
    ///
    /// # Errors
    ///
    /// If the run has not ended, or said nothing.
    pub async fn conversation_after(
        &self,
        caller: &Caller,
        (conversation, run): (ConversationId, RunId),
    ) -> Result<ConversationId> {
        let latest = self.shared.turns.latest(conversation).await?;
        if latest.is_none_or(|latest| latest.id == run) {
            return Ok(conversation);
        }
        let last = self.shared.turns.last_message(conversation, run).await?;
        let last = last.ok_or_else(|| Error::conflict("Nothing was answered there to go on from."))?;
        Ok(self.branch(caller.user, conversation, last.id).await?.id)
    }

    /// The conversation of the run, and what it begins with.
    async fn opening(
        &self,
        caller: &Caller,
        agent: &AgentAt,
        (history, tail, known): (Vec<ChatMessage>, Tail, Option<ConversationId>),
    ) -> Result<(ConversationId, Opening)> {
        let Tail { results, question } = tail;
        let now = self.shared.app.clock.now();
        let handed = self.handed(caller, &results).await?;
        let at = handed.as_ref().map(|handed| handed.conversation).or(known);
        let question = match question {
            Some((text, images)) => Some(self.question(caller, text, images).await?),
            None => None,
        };
        let Some(id) = at else {
            let title = question.as_ref().map(|question| question.title.clone());
            let made = NewConversation {
                title: title.unwrap_or_else(|| prompt::title("")),
                agent: agent.id.clone(),
                folder: Some(FOLDER.to_owned()),
                ..NewConversation::default()
            };
            let history = imported((history, results), now)?;
            return Ok((ConversationId::new(), Opening { made: Some(made), history, question, ..Opening::default() }));
        };
        ensure_held(&self.shared.conversations.get(caller.user, id).await?)?;
        self.ensure_free(id).await?;
        self.give_up_waiting(id).await?;
        let results = match handed {
            Some(Handed { message, .. }) => answered(message, results, now),
            None if results.is_empty() => Vec::new(),
            None => return Err(no_such_call(&results)),
        };
        Ok((id, Opening { results, question, ..Opening::default() }))
    }

    async fn handed(&self, caller: &Caller, results: &[ToolResult]) -> Result<Option<Handed>> {
        let calls: Option<Vec<CallId>> = results.iter().map(|result| call_id(&result.call)).collect();
        match calls.filter(|calls| !calls.is_empty()) {
            Some(calls) => self.shared.turns.handed(caller.user, calls).await,
            None => Ok(None),
        }
    }

    async fn question(&self, caller: &Caller, text: String, images: Vec<Image>) -> Result<Question> {
        let attachments: Vec<Attachment> = images.into_iter().enumerate().map(attachment).collect();
        check(&NewMessage { content: text.clone(), attachments: attachments.clone(), ..NewMessage::default() })?;
        let title = prompt::title(&text);
        let read = self.shared.read_attached(caller, attachments, None).await?;
        let attachments = self.shared.store_attached(caller, read).await?;
        Ok(Question { text, attachments, title })
    }
}

/// Takes what is said last away from what was said before. In a conversation that is `known`, all of it is said last.
///
/// # Errors
///
/// If nothing is asked.
fn split(messages: &mut Vec<ChatMessage>, known: bool) -> Result<Tail> {
    let after = messages.iter().rposition(|one| matches!(one, ChatMessage::Assistant { .. })).map_or(0, |at| at + 1);
    let last = messages.split_off(after);
    let (mut results, mut said) = (Vec::new(), Vec::new());
    for message in last {
        match message {
            ChatMessage::Tool { results: more } => results.extend(more),
            ChatMessage::User { text, images } => said.push((text, images)),
            ChatMessage::Assistant { .. } => {}
        }
    }
    let question = said.pop();
    if question.is_none() && results.is_empty() {
        return Err(Error::invalid(
            "Nothing is asked: the last message must be the user's, or the result of a tool that was called.",
        ));
    }
    // Some send a message in several pieces; what stands before the last one was said before it.
    if results.is_empty() && !known {
        messages.extend(said.into_iter().map(|(text, images)| ChatMessage::User { text, images }));
        return Ok(Tail { results, question });
    }
    let question = question.map(|(text, images)| {
        let texts = said.iter().map(|(text, _)| text.as_str()).chain([text.as_str()]);
        let joined = texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n");
        (joined, said.iter().flat_map(|(_, images)| images.clone()).chain(images).collect())
    });
    Ok(Tail { results, question })
}

/// The messages of a conversation that was held elsewhere, the last calls with these results.
fn imported((history, results): (Vec<ChatMessage>, Vec<ToolResult>), now: Time) -> Result<Vec<Message>> {
    let mut messages: Vec<Message> = Vec::with_capacity(history.len());
    let last = (!results.is_empty()).then_some(ChatMessage::Tool { results });
    for one in history.into_iter().chain(last) {
        // The turn is known once it is kept.
        let said = |role, text| Message::new(MessageId::new(), TurnId::new(), role, text, now);
        match one {
            ChatMessage::User { text, images } => {
                let attachments = images.into_iter().enumerate().map(attachment).collect();
                messages.push(Message { attachments, ..said(Role::User, text) });
            }
            ChatMessage::Assistant { text, calls } => {
                let steps = calls.into_iter().map(|call| Step {
                    tool: own_tool(&call.name),
                    provider_id: call.id,
                    state: StepState::Skipped,
                    ..Step::new(call.name, call.arguments, now)
                });
                messages.push(Message { steps: steps.collect(), ..said(Role::Assistant, text) });
            }
            ChatMessage::Tool { results } => {
                for result in results {
                    let steps = messages.last_mut().map(|last| last.steps.as_mut_slice()).unwrap_or_default();
                    let step = steps.iter_mut().find(|step| step.provider_id == result.call);
                    let step = step.ok_or_else(|| no_such_call(std::slice::from_ref(&result)))?;
                    settle(step, result, now);
                }
            }
        }
    }
    Ok(messages)
}

/// The steps of a message whose calls were given to a program: those with a result have it, the others were not run.
fn answered(message: Message, results: Vec<ToolResult>, now: Time) -> Vec<((MessageId, usize), Step)> {
    let mut steps = Vec::new();
    for (position, mut step) in message.steps.into_iter().enumerate() {
        if step.state != StepState::Handed {
            continue;
        }
        let result = results.iter().find(|result| call_id(&result.call) == Some(step.call_id));
        match result {
            Some(result) => settle(&mut step, result.clone(), now),
            None => step.state = StepState::Skipped,
        }
        steps.push(((message.id, position), step));
    }
    steps
}

fn settle(step: &mut Step, result: ToolResult, now: Time) {
    step.state = StepState::Done;
    step.success = Some(!result.failed);
    step.duration_ms = u64::try_from(now.millis() - step.started_at.millis()).ok();
    step.model_text = Some(data::quote(&step.asked_as, &result.text));
}

/// The canonical name of a program's own tool.
pub(super) fn own_tool(name: &str) -> String {
    format!("client:{}", name.chars().take(80).collect::<String>())
}

fn call_id(text: &str) -> Option<CallId> {
    IDS.into_iter().find_map(|begin| text.strip_prefix(begin))?.parse().ok()
}

fn first_result(messages: &[ChatMessage]) -> Option<&ToolResult> {
    messages.iter().find_map(|message| match message {
        ChatMessage::Tool { results } => results.first(),
        ChatMessage::User { .. } | ChatMessage::Assistant { .. } => None,
    })
}

fn of_tool(name: &str, now: Time) -> Origin {
    let name = if name.is_empty() { String::new() } else { format!(" {}", shorten(name)) };
    Origin::new(format!("what a program's tool{name} gave"), now)
}

fn no_such_call(results: &[ToolResult]) -> Error {
    let call = results.first().map_or("", |result| result.call.as_str());
    Error::invalid(format!(
        "There is no call '{}' that waits for a result: send the message that made it before its result.",
        shorten(call)
    ))
}

fn attachment((position, image): (usize, Image)) -> Attachment {
    let ending = image.mime.rsplit('/').next().unwrap_or("bin").to_owned();
    Attachment { name: format!("file{}.{ending}", position + 1), mime: image.mime, data: image.data, path: None }
}

fn weight(message: &ChatMessage) -> usize {
    match message {
        ChatMessage::User { text, images } => text.len() + images.iter().map(|image| image.data.len()).sum::<usize>(),
        ChatMessage::Assistant { text, calls } => {
            text.len() + calls.iter().map(|call| call.arguments.to_string().len()).sum::<usize>()
        }
        ChatMessage::Tool { results } => results.iter().map(|result| result.text.len()).sum(),
    }
}
