//! The clipboard: the desktop's where there is one, else the caller's own.

use satchel_engine::context::Context;
use satchel_model::error::Result;
use satchel_store::clipboard::{self, Clip};

/// The text it holds.
///
/// Text that somebody else put on the desktop's is from outside: it may have been copied from anywhere.
pub async fn read(cx: &Context) -> Result<String> {
    let own = clipboard::read(&cx.app().db, cx.caller().user).await?;
    let Some(desktop) = &cx.app().host.desktop else {
        cx.taint().note(own.origin);
        return Ok(own.text);
    };
    let text = desktop.read().await?;
    if text == own.text {
        cx.taint().note(own.origin);
    } else {
        cx.taint().note_place("the desktop's clipboard");
    }
    Ok(text)
}

/// Replaces what it holds.
pub async fn write(cx: &Context, text: String) -> Result<()> {
    if let Some(desktop) = &cx.app().host.desktop {
        desktop.write(text.clone()).await?;
    }
    // Of a desktop's clipboard, this tells what was written here from what was copied there.
    let clip = Clip { text, origin: cx.taint().origin_to_keep() };
    clipboard::write(&cx.app().db, cx.caller().user, clip, cx.now()).await
}
