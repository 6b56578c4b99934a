//! Knowledge for a running call: what its caller may see, and the numbers under which its conversation cites.

use super::search::{self, Hit, Question};
use satchel_engine::context::Context;
use satchel_model::{error::Result, knowledge::Citation};
use satchel_store::{knowledge::Knowledge, passages};

pub use satchel_store::passages::Page;

/// The passages of documents that answer best, among those the caller may see.
pub async fn search(cx: &Context, question: &Question) -> Result<Vec<Hit>> {
    search::search(cx.app(), cx.caller().reader(), question).await
}

/// Documents; each call names who asks, and shows what they may see.
pub fn documents(cx: &Context) -> &Knowledge {
    &cx.app().stores.knowledge
}

/// The numbers under which this conversation cites these passages; outside one, their places.
pub async fn number_passages(cx: &Context, passages: &[Hit]) -> Result<Vec<u32>> {
    let citations: Vec<Citation> = passages.iter().map(Hit::citation).collect();
    match cx.call().topic {
        Some(topic) => {
            let numbered = passages::number(&cx.app().db, cx.caller().user, topic, citations).await?;
            Ok(numbered.into_iter().map(|citation| citation.number).collect())
        }
        None => Ok((1..).take(citations.len()).collect()),
    }
}

/// The number under which this conversation cites a page that was fetched; `None` outside one.
pub async fn number_page(cx: &Context, page: Page) -> Result<Option<u32>> {
    let Some(topic) = cx.call().topic else { return Ok(None) };
    passages::number_page(&cx.app().db, cx.caller().user, topic, page).await
}
