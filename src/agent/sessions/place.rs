//! The place that a call stands at among sessions, and those it may reach from there: the ones below.

use crate::chat::Agent;
use satchel_engine::context::Context;
use satchel_model::{
    agent::session::{SessionKey, unknown},
    conversation::ConversationId,
    error::{Error, Result},
    policy::Situation,
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
    /// The circumstances of a session that is begun here.
    pub(super) session: Situation,
}

impl Agent {
    /// The place of a call.
    ///
    /// # Errors
    ///
    /// If it is a session, and nobody who acts in it calls: the sessions of an agent are its own.
    pub(super) async fn place(&self, cx: &Context) -> Result<Place> {
        let conversation = cx.call().topic;
        if let Some(conversation) = conversation.filter(|_| cx.caller().agent.is_none())
            && self.shared.conversations.get(cx.caller().user, conversation).await?.depth > 0
        {
            return Err(Error::conflict(
                "An agent leads this session, and it alone begins and steers sessions here: name the conversation that it \
                 was begun in as 'topic', or none.",
            ));
        }
        let turn = match conversation.filter(|_| cx.caller().agent.is_some()) {
            Some(conversation) => self.shared.turns.open_in(conversation).await?,
            None => None,
        };
        Ok(Place { conversation, turn, session: cx.call().situation.of_session() })
    }

    /// The session of this key below a place.
    ///
    /// # Errors
    ///
    /// If there is none: one that was begun elsewhere is answered alike. It says so of the place itself, and of those above.
    pub(super) async fn below(&self, cx: &Context, place: &Place, key: &str) -> Result<Found> {
        let wanted: SessionKey = key.parse()?;
        let (db, user) = (&self.shared.app.db, cx.caller().user);
        let mut up = sessions::line(db, user, wanted.conversation).await?.into_iter();
        if let Some(found) = up.next().filter(|found| found.key == wanted && found.depth > 0) {
            let is_below = match place.conversation {
                Some(conversation) => up.any(|above| above.key.conversation == conversation),
                // Those that were begun outside of a conversation: nothing that a person holds is above them.
                None => up.last().map_or(found.depth > 0 && found.parent.is_none(), |top| top.depth > 0),
            };
            if is_below {
                return Ok(found);
            }
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
