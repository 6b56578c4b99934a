//! Sessions as whoever began them looks at them.

use std::collections::HashMap;

use super::place::Place;
use crate::chat::Agent;
use satchel_engine::context::Context;
use satchel_model::{
    agent::session::{SessionEntry, SessionMessage, SessionStatus},
    conversation::ConversationId,
    error::{Error, Result},
};
use satchel_store::agents::sessions::{self, Found, Taken};

/// Most bytes of the messages that are looked at in one go.
const LARGEST: u64 = 4 << 20;

impl Agent {
    /// The sessions below the conversation of a call, the newest first.
    pub(super) async fn sessions(&self, cx: &Context) -> Result<Vec<SessionEntry>> {
        let (db, user) = (&self.shared.app.db, cx.caller().user);
        let place = self.place(cx).await?;
        let below = sessions::below(db, user, place.conversation).await?;
        let mut keys: HashMap<_, _> = below.iter().map(|found| (found.key.conversation, found.key.clone())).collect();
        if let Some(conversation) = place.conversation {
            let line = sessions::line(db, user, conversation).await?;
            keys.extend(line.into_iter().take(1).map(|found| (found.key.conversation, found.key)));
        }
        let entry = |found: Found| SessionEntry {
            parent: found.parent.and_then(|parent| keys.get(&parent).cloned()),
            session_key: found.key,
            agent: found.agent,
            state: found.state,
            started_at: found.started_at,
        };
        Ok(below.into_iter().map(entry).collect())
    }

    /// The last messages of a session, in order.
    pub(super) async fn session_history(&self, cx: &Context, key: &str, limit: usize) -> Result<Vec<SessionMessage>> {
        let place = self.place(cx).await?;
        let conversation = self.below(cx, &place, key).await?.key.conversation;
        cx.room().take(LARGEST).await?;
        let said = sessions::last_texts(&self.shared.app.db, conversation, (limit, LARGEST)).await?;
        // After what is read: the session works meanwhile.
        self.note_of(cx, conversation).await?;
        Ok(said)
    }

    /// The standing of a session below, or of the one a call is made in.
    pub(super) async fn session_status(&self, cx: &Context, key: Option<&str>) -> Result<SessionStatus> {
        let place = self.place(cx).await?;
        let own = self.own(cx, &place).await?;
        let is_own = |key: &str| own.as_ref().is_some_and(|own| own.key.to_string() == key.trim());
        let found = match key.filter(|key| !key.trim().is_empty()) {
            Some(key) if !is_own(key) => self.below(cx, &place, key).await?,
            _ => own.ok_or_else(|| Error::invalid("Name a session: 'session_key' is missing."))?,
        };
        let conversation = found.key.conversation;
        let Taken { usage, cost, model } = sessions::taken_in(&self.shared.app.db, conversation).await?;
        Ok(SessionStatus { session_key: found.key, state: found.state, agent: found.agent, model, usage, cost })
    }

    async fn own(&self, cx: &Context, place: &Place) -> Result<Option<Found>> {
        let Some(conversation) = place.conversation else { return Ok(None) };
        Ok(sessions::line(&self.shared.app.db, cx.caller().user, conversation).await?.into_iter().next())
    }

    /// Notes that what is said in a session is read.
    async fn note_of(&self, cx: &Context, conversation: ConversationId) -> Result<()> {
        let (conversations, user) = (&self.shared.conversations, cx.caller().user);
        cx.taint().note(conversations.get(user, conversation).await?.origin());
        cx.taint().note(conversations.programs(user, vec![conversation]).await?);
        Ok(())
    }
}
