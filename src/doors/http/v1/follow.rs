//! Answers that a program follows until their end: runs of agents are begun for it, and stopped where it goes away.

use actix_web::{HttpRequest, web::Data};
use uuid::Uuid;

use super::{
    again::Named,
    model::ModelPieces,
    pieces::{Piece, RunPieces},
    rows::RowPieces,
    target::{AGENTS, not_found},
    thread::Thread,
};
use crate::http::state::State;
use satchel_agent::programs::ProgramRequest;
use satchel_model::{
    caller::Caller,
    conversation::{ConversationId, ConversationState},
    error::Result,
    run::RunId,
};

/// The pieces of an answer, wherever they come from.
pub(super) enum Pieces {
    /// A run of an agent.
    Run(RunPieces),
    /// One that was begun before.
    Rows(RowPieces),
    /// A model.
    Model(Box<ModelPieces>),
}

impl Pieces {
    /// The next pieces; `None` after the end. Safe to drop and to call again.
    pub(super) async fn next(&mut self) -> Option<Vec<Piece>> {
        match self {
            Self::Run(run) => run.next().await,
            Self::Rows(rows) => rows.next().await,
            Self::Model(model) => model.next().await,
        }
    }
}

/// An answer that a program follows: a run of an agent, or a model's.
pub(super) struct Followed {
    /// Its id.
    pub(super) id: String,
    /// Its conversation and its run, if it is one.
    pub(super) at: Option<(ConversationId, RunId)>,
    /// The pieces that come of it.
    pub(super) pieces: Pieces,
    /// `true` if its conversation was made for it.
    is_first: bool,
    leaving: Option<Leaving>,
    /// Deletes its conversation once it has ended.
    forgetting: Option<Forgetting>,
    /// The name of a request that a model answers.
    pub(super) named: Option<Named>,
    /// The handles of the door, of a run.
    state: Option<Data<State>>,
    /// The thread until now.
    pub(super) thread: Option<Thread>,
}

impl Followed {
    /// An answer of a model, which ends with whoever follows it.
    pub(super) fn of_model(pieces: ModelPieces, named: Option<Named>) -> Self {
        let id = Uuid::now_v7().simple().to_string();
        Self {
            id,
            at: None,
            pieces: Pieces::Model(Box::new(pieces)),
            is_first: false,
            leaving: None,
            forgetting: None,
            named,
            thread: None,
            state: None,
        }
    }

    /// Nothing of its conversation is kept once it is answered, if that was made for it.
    pub(super) fn forgets(&mut self) {
        if let (true, Some((conversation, _)), Some(leaving)) = (self.is_first, self.at, &self.leaving) {
            let (state, caller) = (leaving.state.clone(), leaving.caller.clone());
            self.forgetting = Some(Forgetting { state, caller, conversation });
        }
    }

    /// Keeps what a model has answered, for a request that may be sent again.
    pub(super) async fn keep(&mut self, text: &str, is_over: bool) {
        if let Some(named) = &mut self.named {
            named.write(text);
        }
        if let Some(named) = self.named.take_if(|_| is_over) {
            named.finish().await;
        }
    }

    /// Keeps what was said until its end, to go on from there.
    pub(super) async fn mark(&mut self, said: Option<String>) {
        let (Some((thread, (_, run))), Some(said)) = (self.thread.take().zip(self.at), said) else { return };
        if let (Pieces::Run(_), Some(state)) = (&self.pieces, &self.state)
            && let Err(error) = state.agent.set_thread(run, thread.answered(&said)).await
        {
            tracing::warn!(?error, %run, "what was said could not be kept to go on from");
        }
    }

    /// Nobody needs to stop it any more.
    pub(super) fn is_over(&mut self) {
        if let Some(leaving) = self.leaving.take() {
            leaving.forget();
        }
    }
}

/// Deletes a conversation of which nothing is to be kept, unless a question waits in it.
struct Forgetting {
    state: Data<State>,
    caller: Caller,
    conversation: ConversationId,
}

impl Drop for Forgetting {
    fn drop(&mut self) {
        let (agent, user, id) = (self.state.agent.clone(), self.caller.user, self.conversation);
        let forget = async move {
            let forgotten = match agent.conversations().get(user, id).await {
                Ok(found) if found.state == ConversationState::Waiting => Ok(()),
                Ok(_) => agent.delete(user, id).await,
                Err(error) => Err(error),
            };
            if let Err(error) = forgotten {
                tracing::warn!(?error, conversation = %id, "a conversation that was not to be kept is still there");
            }
        };
        let lifecycle = &self.state.app.lifecycle;
        lifecycle.tracker.spawn_on(forget, &lifecycle.runtime);
    }
}

/// Stops a run once nobody follows it any more.
struct Leaving {
    state: Data<State>,
    caller: Caller,
    run: RunId,
    is_over: bool,
}

impl Leaving {
    fn forget(mut self) {
        self.is_over = true;
    }
}

impl Drop for Leaving {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        let (agent, caller, run) = (self.state.agent.clone(), self.caller.clone(), self.run);
        let stop = async move {
            if let Err(error) = agent.stop_run(&caller, run).await {
                tracing::warn!(?error, %run, "a run whose program went away could not be stopped");
            }
        };
        let lifecycle = &self.state.app.lifecycle;
        // At the end of the process it goes on with the next one.
        if !lifecycle.shutdown.is_cancelled() {
            lifecycle.tracker.spawn_on(stop, &lifecycle.runtime);
        }
    }
}

/// Begins a run. One whose request may be sent again goes on without its client.
///
/// # Errors
///
/// If there is no such agent, or it cannot begin.
pub(super) async fn begin(
    state: &Data<State>,
    request: &HttpRequest,
    (caller, asked, sent): (&Caller, ProgramRequest, Option<Named>),
    tells_tools: bool,
) -> Result<Followed> {
    let asked = ProgramRequest { named: sent.as_ref().and_then(Named::name), ..asked };
    let named = format!("{AGENTS}{}", asked.agent);
    let begun = state.agent.begin_for_program(caller, asked).await;
    let begun = begun.map_err(|error| not_found(error, &named))?;
    let pieces = RunPieces::new(begun.events, (&origin(request), begun.conversation), tells_tools);
    let mut followed = of_run(state, caller, ((begun.conversation, begun.id), pieces));
    followed.is_first = begun.is_first;
    if let Some(sent) = sent {
        sent.bind();
        followed.is_over();
    }
    Ok(followed)
}

fn of_run(state: &Data<State>, caller: &Caller, (at, pieces): ((ConversationId, RunId), RunPieces)) -> Followed {
    let leaving = Leaving { state: state.clone(), caller: caller.clone(), run: at.1, is_over: false };
    let (id, pieces) = (at.1.simple(), Pieces::Run(pieces));
    Followed {
        id,
        at: Some(at),
        pieces,
        is_first: false,
        leaving: Some(leaving),
        forgetting: None,
        named: None,
        thread: None,
        state: Some(state.clone()),
    }
}

/// Follows the run of a request that was sent before.
///
/// # Errors
///
/// If its conversation is gone.
pub(super) async fn again(
    state: &Data<State>,
    request: &HttpRequest,
    (caller, at): (&Caller, (ConversationId, RunId)),
) -> Result<Followed> {
    let pieces = Pieces::Rows(RowPieces::new(state, caller, (at, &origin(request))).await?);
    Ok(Followed {
        id: at.1.simple(),
        at: Some(at),
        pieces,
        is_first: false,
        leaving: None,
        forgetting: None,
        named: None,
        thread: None,
        state: None,
    })
}

/// Follows a run that goes on, from after an event.
///
/// # Errors
///
/// If its conversation is gone.
pub(super) async fn going_on(
    state: &Data<State>,
    request: &HttpRequest,
    (caller, at): (&Caller, (ConversationId, RunId)),
    after: &str,
) -> Result<Followed> {
    let events = state.agent.events(caller.user, at.0, Some(after)).await?;
    let pieces = RunPieces::new(events, (&origin(request), at.0), false);
    Ok(of_run(state, caller, (at, pieces)))
}

/// The address that a client has of this server.
pub(super) fn origin(request: &HttpRequest) -> String {
    let connection = request.connection_info();
    format!("{}://{}", connection.scheme(), connection.host())
}
