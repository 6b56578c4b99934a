//! Long results, which their conversation reads in pieces.

use satchel_engine::context::Context;
use satchel_model::error::Result;
use satchel_store::results::{Results, StoredText};

/// The whole of a long result of this conversation, by its handle. What gives it back is from where it came from.
pub async fn whole(cx: &Context, handle: &str) -> Result<String> {
    let results = Results::new(&cx.app().db, cx.caller().user, cx.call().topic);
    cx.room().take(results.bytes(handle).await?).await?;
    let StoredText { text, origin } = results.get(handle, cx.now()).await?;
    cx.taint().note(origin);
    Ok(text)
}
