//! Reads conversations: whole, in pages, and the events of their last turn.

use std::collections::HashMap;

use super::{chat::Agent, follow::Followed, log::Subscription};
use satchel_model::{
    call::TicketState,
    conversation::{ConversationId, ConversationView, FormerAnswer, FormerPlace, Message, TurnId},
    error::{Error, Result},
    user::UserId,
};
use satchel_store::{
    agents::sessions,
    turns::{AttachmentData, PageMark, ViewPage},
};

impl Agent {
    /// The events of the last turn, from after the one with this id on.
    pub async fn events(&self, user: UserId, id: ConversationId, after: Option<&str>) -> Result<Subscription> {
        self.shared.conversations.get(user, id).await?;
        let turn = self.shared.turns.latest(id).await?;
        let turn = turn.ok_or_else(|| Error::not_found("Nothing was asked here yet."))?;
        Ok(self.events_of(id, turn.id, after))
    }

    /// The events of a turn: of the task that is at it where that is here, else as its rows tell them.
    pub(super) fn events_of(&self, id: ConversationId, turn: TurnId, after: Option<&str>) -> Subscription {
        match self.live(id, turn) {
            Some(live) => live.log.subscribe(after),
            None => Subscription::from_rows(Followed::new(&self.shared.turns, turn)),
        }
    }

    /// A conversation with its messages, and the questions that wait in it.
    pub async fn view(&self, user: UserId, id: ConversationId) -> Result<ConversationView> {
        let mut view = self.shared.turns.view(user, id).await?;
        self.add_tickets(user, &mut view.messages).await;
        self.add_sessions(id, &mut view.messages).await?;
        Ok(view)
    }

    /// The page of a conversation after a mark, or the first one, and the questions that wait in it.
    ///
    /// # Errors
    ///
    /// If this person has no such conversation, or the message of the mark gave way to another since.
    pub async fn page(
        &self,
        user: UserId,
        id: ConversationId,
        after: Option<PageMark>,
        data: AttachmentData,
    ) -> Result<ViewPage> {
        let mut page = self.shared.turns.page(user, id, after, data).await?;
        self.add_tickets(user, &mut page.messages).await;
        self.add_sessions(id, &mut page.messages).await?;
        Ok(page)
    }

    /// About so many bytes such a page has.
    ///
    /// # Errors
    ///
    /// As [`Self::page`] has them.
    pub async fn page_weight(
        &self,
        user: UserId,
        id: ConversationId,
        after: Option<PageMark>,
        data: AttachmentData,
    ) -> Result<usize> {
        self.shared.turns.page_weight(user, id, after, data).await
    }

    /// Adds the sessions that calls have begun or written to.
    async fn add_sessions(&self, id: ConversationId, messages: &mut [Message]) -> Result<()> {
        let mut begun: HashMap<_, _> = sessions::of_calls(&self.shared.app.db, id).await?.into_iter().collect();
        for step in messages.iter_mut().flat_map(|message| &mut message.steps) {
            step.session = begun.remove(&step.call_id);
        }
        Ok(())
    }

    /// Adds the questions that calls wait for, and what is approved and being run.
    async fn add_tickets(&self, user: UserId, messages: &mut [Message]) {
        let now = self.shared.app.clock.now();
        for step in messages.iter_mut().flat_map(|message| &mut message.steps) {
            let Some(ticket) = step.ticket_id else { continue };
            let found = self.shared.app.stores.tickets.get_with_approval(ticket, user, now).await;
            step.ticket = found.ok().map(|(ticket, approved)| {
                if ticket.state == TicketState::Running {
                    step.set_running(approved.as_ref());
                }
                ticket
            });
        }
    }

    /// About so many bytes a conversation's messages have.
    pub async fn weight(&self, user: UserId, id: ConversationId) -> Result<usize> {
        self.shared.turns.weight(user, id).await
    }

    /// A former answer of a question.
    pub async fn former(&self, user: UserId, place: FormerPlace) -> Result<FormerAnswer> {
        self.shared.turns.former(user, place).await
    }

    /// About so many bytes a former answer has.
    pub async fn former_weight(&self, user: UserId, place: FormerPlace) -> Result<usize> {
        self.shared.turns.former_weight(user, place).await
    }
}
