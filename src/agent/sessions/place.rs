//! The place that a call stands at among sessions, and those it may reach from there: the ones below.

use std::sync::Arc;

use crate::chat::Agent;
use satchel_engine::context::Context;
use satchel_model::{
    agent::{
        Above,
        session::{SessionKey, unknown},
    },
    conversation::ConversationId,
    error::{Error, Result},
};
use satchel_store::{
    agents::sessions::{self, Found},
    turns::OpenTurn,
};

/// The place that a call stands at.
pub(super) struct Place {
    /// Its conversation. `None` if a person calls outside of one.
    pub(super) conversation: Option<ConversationId>,
    /// The run that makes it. `None` if a person does.
    pub(super) turn: Option<OpenTurn>,
    /// Whoever calls, as a session that is begun here has them above it.
    pub(super) above: Arc<Above>,
}

impl Agent {
    /// The place of a call.
    pub(super) async fn place(&self, cx: &Context) -> Result<Place> {
        let conversation = cx.topic();
        let turn = match conversation.filter(|_| cx.caller().agent.is_some()) {
            Some(conversation) => self.shared.turns.open_in(conversation).await?,
            None => None,
        };
        let above = Above { agent: cx.caller().agent.clone(), situation: cx.situation().clone() };
        Ok(Place { conversation, turn, above: Arc::new(above) })
    }

    /// The session of this key below a place.
    ///
    /// # Errors
    ///
    /// If there is none: one that was begun elsewhere is answered alike. It says so of the place itself, and of those above.
    pub(super) async fn below(&self, cx: &Context, place: &Place, key: &str) -> Result<Found> {
        let wanted: SessionKey = key.parse()?;
        let (db, user) = (&self.shared.app.db, cx.caller().user);
        let below = sessions::below(db, user, place.conversation).await?;
        if let Some(found) = below.into_iter().find(|found| found.key == wanted) {
            return Ok(found);
        }
        let line = match place.conversation {
            Some(conversation) => sessions::line(db, user, conversation).await?,
            None => Vec::new(),
        };
        match line.iter().position(|found| found.key == wanted) {
            Some(0) => Err(Error::conflict("This is the session that you are in: a session does not turn to itself.")),
            Some(_) => Err(Error::conflict(
                "This is above the session that you are in: a session does not turn to those that began it. Say it in your \
                 answer, which they read.",
            )),
            None => Err(unknown(key)),
        }
    }
}
