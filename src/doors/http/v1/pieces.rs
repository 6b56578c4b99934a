//! Answers piece by piece, in no dialect: those of an agent's run, by the events of its log.

use serde::Deserialize;
use serde_json::{Value, json};

use satchel_agent::log::{Frame, Subscription};
use satchel_model::{
    call::{CallId, TicketId},
    conversation::{ConversationId, TurnState},
    error::{Error, Kind},
    llm::Usage,
};

/// A piece of an answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Piece {
    /// More text.
    Text(String),
    /// A gap between the text before it and what comes.
    Apart,
    /// A call that is run here.
    Begun(RunCall),
    /// The end of one.
    Ended(EndedCall),
    /// A question to a person, which a call waits for.
    Asked(Question),
    /// A call that its client runs.
    Call {
        /// The id that its result names.
        id: String,
        /// The tool.
        name: String,
        /// The arguments.
        arguments: Value,
    },
    /// Tokens of a request to a model: they are added up.
    Usage(Usage),
    /// The answer ran into its limit of tokens.
    Cut,
    /// The provider held the answer back.
    Filtered,
    /// A frame of an answer, or the whole of it, as its provider sent it.
    Raw(String),
    /// The end; nothing comes after it.
    End(End),
}

/// A call that is run here.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct RunCall {
    /// Its id.
    pub(super) call_id: CallId,
    /// The tool's canonical id.
    pub(super) tool: String,
    /// The arguments.
    #[serde(default)]
    pub(super) arguments: Value,
}

impl RunCall {
    /// The tool's name without its source.
    pub(super) fn name(&self) -> &str {
        self.tool.rsplit_once(':').map_or(self.tool.as_str(), |(_, name)| name)
    }
}

/// The end of a call that was run here.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct EndedCall {
    /// Its id.
    pub(super) call_id: CallId,
    /// `true` if it worked.
    pub(super) success: Option<bool>,
    /// The text that the model read.
    #[serde(default)]
    pub(super) model_text: Option<String>,
    /// The reason it failed.
    #[serde(default)]
    pub(super) error: Option<String>,
    /// The result, as programs read it.
    #[serde(default)]
    pub(super) output: Option<Value>,
}

impl EndedCall {
    /// The result as a text: its data as JSON, or the reason it failed.
    pub(super) fn told(&self) -> String {
        let data = self.output.as_ref().and_then(|output| output.get("data")).filter(|data| !data.is_null());
        let told = self
            .error
            .clone()
            .or_else(|| data.map(|data| data.as_str().map_or_else(|| data.to_string(), str::to_owned)));
        told.or_else(|| self.model_text.clone()).unwrap_or_default()
    }
}

/// A question to a person.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Question {
    /// The ticket.
    pub(super) ticket: TicketId,
    /// The call that waits.
    pub(super) call: CallId,
    /// The question in words.
    pub(super) text: String,
    /// The tool's canonical id.
    pub(super) tool: String,
    /// The arguments.
    pub(super) arguments: Value,
    /// The address at which it is decided.
    pub(super) address: String,
}

/// The end of an answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum End {
    /// It is complete.
    Done,
    /// A person must decide something first.
    Waiting,
    /// It was stopped.
    Stopped,
    /// It failed.
    Failed(Box<Failure>),
}

/// A failure, as it is told.
#[derive(Debug, Clone)]
pub(super) struct Failure(pub(super) Error);

impl PartialEq for Failure {
    fn eq(&self, other: &Self) -> bool {
        (self.0.kind(), self.0.message()) == (other.0.kind(), other.0.message())
    }
}

impl End {
    /// The end of an answer that failed.
    pub(super) fn failed(error: Error) -> Self {
        Self::Failed(Box::new(Failure(error)))
    }
}

/// The pieces of a run.
pub(super) struct RunPieces {
    events: Subscription,
    /// The address of the conversation.
    address: String,
    /// `true` if text tells which tools are at work.
    tells_tools: bool,
    /// The message whose text came last, and whether any has come.
    last: Option<String>,
    error: Option<Error>,
    ended: bool,
}

#[derive(Deserialize)]
struct Token {
    text: String,
    message_id: String,
}

#[derive(Deserialize)]
struct Told {
    kind: Kind,
    message: String,
    #[serde(default)]
    code: Option<String>,
}

#[derive(Deserialize)]
struct Done {
    state: TurnState,
}

#[derive(Deserialize)]
struct Asked {
    ticket: AskedTicket,
    call_id: CallId,
}

#[derive(Deserialize)]
struct AskedTicket {
    id: TicketId,
    tool: String,
    arguments: Value,
    question: String,
}

#[derive(Deserialize)]
struct Handed {
    call_id: CallId,
    name: String,
    arguments: Value,
}

#[derive(Deserialize)]
struct Took {
    #[serde(flatten)]
    usage: Usage,
    #[serde(default)]
    cut: bool,
}

impl RunPieces {
    /// The pieces of a run by its events, from their beginning. `origin` is the address of this server.
    pub(super) fn new(events: Subscription, (origin, conversation): (&str, ConversationId), tells_tools: bool) -> Self {
        let address = format!("{origin}/chat/{conversation}");
        Self { events, address, tells_tools, last: None, error: None, ended: false }
    }

    /// The next pieces; `None` after the end. Safe to drop and to call again.
    pub(super) async fn next(&mut self) -> Option<Vec<Piece>> {
        while !self.ended {
            let Some(frame) = self.events.next().await else {
                self.ended = true;
                let gone =
                    Error::new(Kind::Cancelled, "Satchel is being stopped. The run goes on once it has started again.");
                return Some(vec![Piece::End(End::failed(gone))]);
            };
            let pieces = self.read(&frame);
            if !pieces.is_empty() {
                return Some(pieces);
            }
        }
        None
    }

    fn read(&mut self, frame: &Frame) -> Vec<Piece> {
        let data = frame.data.as_str();
        match frame.event {
            "token" => parse::<Token>(data).into_iter().flat_map(|token| self.text(token)).collect(),
            "tool_start" => parse(data).into_iter().flat_map(|call| self.begun(call)).collect(),
            "tool_end" => parse(data).map(Piece::Ended).into_iter().collect(),
            "confirmation" => parse(data).map(|asked| self.asked(asked)).into_iter().collect(),
            "handed" => parse(data).map(handed).into_iter().collect(),
            "usage" => parse(data).into_iter().flat_map(took).collect(),
            "error" => {
                self.error = parse::<Told>(data).map(failed);
                Vec::new()
            }
            "done" => parse(data).map(|done| self.done(&done)).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    /// Texts of several messages are apart.
    fn text(&mut self, token: Token) -> Vec<Piece> {
        let is_next = self.last.as_ref().is_some_and(|last| *last != token.message_id);
        self.last = Some(token.message_id);
        is_next.then_some(Piece::Apart).into_iter().chain([Piece::Text(token.text)]).collect()
    }

    fn begun(&mut self, call: RunCall) -> Vec<Piece> {
        let mut pieces = Vec::new();
        if self.tells_tools {
            // What follows is apart from it, whichever message it is of.
            self.last = Some(String::new());
            pieces.extend([Piece::Apart, Piece::Text(format!("> {} …", call.name()))]);
        }
        pieces.push(Piece::Begun(call));
        pieces
    }

    fn asked(&self, asked: Asked) -> Piece {
        let AskedTicket { id, tool, arguments, question } = asked.ticket;
        let address = self.address.clone();
        Piece::Asked(Question { ticket: id, call: asked.call_id, text: question, tool, arguments, address })
    }

    fn done(&mut self, done: &Done) -> Piece {
        self.ended = true;
        Piece::End(match done.state {
            TurnState::Done => End::Done,
            TurnState::Waiting => End::Waiting,
            TurnState::Cancelled => End::Stopped,
            TurnState::Failed | TurnState::Running => {
                End::failed(self.error.take().unwrap_or_else(|| Error::internal("a run failed without an error")))
            }
        })
    }
}

fn handed(Handed { call_id, name, arguments }: Handed) -> Piece {
    Piece::Call { id: format!("call_{}", call_id.simple()), name, arguments }
}

fn failed(Told { kind, message, code }: Told) -> Error {
    let error = Error::new(kind, message);
    match code {
        Some(code) => error.with_details(json!({"code": code})),
        None => error,
    }
}

fn took(Took { usage, cut }: Took) -> Vec<Piece> {
    [Piece::Usage(usage)].into_iter().chain(cut.then_some(Piece::Cut)).collect()
}

fn parse<'a, T: Deserialize<'a>>(data: &'a str) -> Option<T> {
    let parsed = serde_json::from_str(data);
    parsed.map_err(|error| tracing::error!(?error, "an event of a run could not be read")).ok()
}
