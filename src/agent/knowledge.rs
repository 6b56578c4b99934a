//! Passages of documents in a turn: those it is given, and those its answer cites.

use super::{prompt, turn::Run};
use satchel_model::{conversation::Role, error::Result, knowledge::Citation};
use satchel_services::knowledge::context;
use satchel_store::{messages::Placed, passages};

impl Run {
    /// The passages that bear on the last question, under the numbers this conversation cites them by. What came from
    /// outside is noted as such before the model reads it.
    pub(super) async fn known(&self, placed: &[Placed]) -> Result<Vec<Citation>> {
        let question = placed.iter().rev().map(|placed| &placed.message).find(|message| message.role == Role::User);
        let Some(question) = question else { return Ok(Vec::new()) };
        let found = match context::relevant(self.app(), self.caller(), &question.text).await {
            Ok(found) => found,
            Err(error) => {
                // An answer without passages is better than none.
                tracing::warn!(?error, "the knowledge base was not searched for a turn");
                return Ok(Vec::new());
            }
        };
        let outside = found.iter().filter_map(|hit| hit.outside.clone());
        if let Some(origin) = outside.into_iter().find(|origin| origin.is_outside_for(self.caller())) {
            self.shared().conversations.taint(self.conversation(), origin).await?;
        }
        let citations = found.iter().map(|hit| hit.citation()).collect();
        passages::number(&self.app().db, self.caller().user, self.conversation(), citations).await
    }

    /// The passages a text cites, of those this conversation was given.
    pub(super) async fn cited(&self, text: &str) -> Result<Vec<Citation>> {
        let numbers = prompt::cited_numbers(text);
        if numbers.is_empty() {
            return Ok(Vec::new());
        }
        passages::among(&self.app().db, self.conversation(), numbers).await
    }
}
