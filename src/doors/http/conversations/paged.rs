//! Conversations that are sent page by page: of a large one no more is in memory than a page.

use std::future::ready;

use actix_web::web::{Bytes, Data};
use futures_util::{Stream, StreamExt, TryStreamExt, stream};

use crate::http::{delivery::Pieces, standing::Standing, state::State};
use satchel_agent::export;
use satchel_model::{
    conversation::ConversationId,
    error::{Error, Result},
    user::UserId,
};
use satchel_share::behalf;
use satchel_store::turns::{AttachmentData, PageMark, ViewPage};

/// Bytes that a page has beside those it is weighed by.
const BESIDE: usize = 4 << 10;

/// The format a conversation is sent in.
#[derive(Clone, Copy)]
pub(super) enum Form {
    /// As the JSON of a `ConversationView`.
    Json,
    /// As Markdown, in which attachments have only their names.
    Markdown,
}

/// A conversation on its way to its reader.
pub(super) struct Paged {
    pub(super) state: Data<State>,
    pub(super) standing: Standing,
    pub(super) user: UserId,
    pub(super) id: ConversationId,
    pub(super) form: Form,
}

impl Paged {
    /// The conversation, written. The first page is made before this returns, each other one when the last was taken.
    ///
    /// # Errors
    ///
    /// If this person has no such conversation.
    pub(super) async fn pieces(self) -> Result<impl Stream<Item = Result<Bytes>>> {
        let (first, next) = self.page(None).await?;
        let rest = stream::try_unfold((self, next), |(paged, next)| async move {
            let Some(mark) = next else { return Ok(None) };
            paged.standing.ensure().await?;
            let (pieces, next) = paged.page(Some(mark)).await?;
            Ok(Some((pieces, (paged, next))))
        });
        Ok(stream::once(ready(Ok::<_, Error>(first))).chain(rest).try_flatten())
    }

    /// A page, with the room it takes, and its end.
    async fn page(&self, after: Option<PageMark>) -> Result<(Pieces, Option<PageMark>)> {
        let (agent, user, form) = (&self.state.agent, self.user, self.form);
        let data = match form {
            Form::Json => AttachmentData::Read,
            Form::Markdown => AttachmentData::LeftOut,
        };
        let weight = behalf::run_as(Some(user), agent.page_weight(user, self.id, after, data)).await?;
        let page = agent.page(user, self.id, after, data);
        let write = move |page: ViewPage| {
            let (mut text, next) = (Vec::with_capacity(weight + BESIDE), page.next);
            match form {
                Form::Json => write_json(page, after.is_none(), &mut text)?,
                Form::Markdown => write_markdown(page, after.is_none(), &mut text),
            }
            Ok((text, next))
        };
        self.state.delivery.page_in_room(user, weight, page, write).await
    }
}

/// Writes a page as its part of the JSON of a `ConversationView`.
fn write_json(page: ViewPage, is_first: bool, text: &mut Vec<u8>) -> Result<()> {
    let ViewPage { conversation, messages, turn, next } = page;
    if is_first {
        serde_json::to_writer(&mut *text, &conversation).map_err(Error::internal)?;
        // The messages are fields of the same object.
        text.pop();
        text.extend_from_slice(b",\"messages\":[");
    }
    // Each is let go when it is written.
    for (place, message) in messages.into_iter().enumerate() {
        if place > 0 || !is_first {
            text.push(b',');
        }
        serde_json::to_writer(&mut *text, &message).map_err(Error::internal)?;
    }
    if next.is_none() {
        text.extend_from_slice(b"],\"turn\":");
        serde_json::to_writer(&mut *text, &turn).map_err(Error::internal)?;
        text.push(b'}');
    }
    Ok(())
}

/// Writes a page as its part of the Markdown.
fn write_markdown(page: ViewPage, is_first: bool, text: &mut Vec<u8>) {
    if is_first {
        text.extend_from_slice(export::head(&page.conversation).as_bytes());
    }
    for message in page.messages {
        text.extend_from_slice(export::message(&message).as_bytes());
    }
}
