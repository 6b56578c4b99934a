//! `tts`: a text read aloud, as a recording among the caller's files.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::image::TIMEOUT;
use satchel_engine::{context::Context, tool::Tool};
use satchel_model::{
    error::{Error, Result},
    figure,
    output::Output,
    spec::{Category, Risk},
};
use satchel_services::media::speech;

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The text, up to 4,096 characters.
    #[schemars(length(min = 1))]
    text: String,
    /// The voice, by the name the endpoint has for it. Left out, the one of the settings.
    voice: Option<String>,
    /// The path of the recording: mp3, wav, opus, aac or flac. A file that is there is not replaced. Left out, one in audio.
    output: Option<String>,
}

pub(super) fn tool() -> Tool {
    Tool::new(
        "tts",
        Category::Media,
        "Reads a text aloud and keeps the recording as a new file of the workspace.",
        "Somebody wants to hear a text, or have a recording of it.",
        run,
    )
    .risk(Risk::LowWrite)
    .own_data()
    .personal("your files")
    .timeout(TIMEOUT)
    .example(
        "A greeting",
        json!({"text": "Good morning", "voice": "alloy"}),
        json!({"ok": true, "path": "audio/Good-morning.mp3", "format": "mp3", "voice": "alloy"}),
    )
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    let Args { text, voice, output } = args;
    let count = text.chars().count();
    if text.trim().is_empty() || count > speech::MAX_TEXT {
        let (count, most) = (figure::grouped(count as u64), figure::grouped(speech::MAX_TEXT as u64));
        return Err(Error::invalid(format!("`text` has {count} characters: 1 to {most} can be read aloud at once.")));
    }
    speech::speak(&cx, &text, voice.as_deref(), output.as_deref()).await
}
