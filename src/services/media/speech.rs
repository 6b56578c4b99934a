//! Texts read aloud, and what is said written down.

use serde_json::{Value, json};

use super::endpoint::{Endpoint, Field};
use crate::own_files::{NewFile, OwnFiles};
use satchel_app::App;
use satchel_engine::context::Context;
use satchel_host::files::stored_name;
use satchel_model::{
    error::{Error, Result},
    figure,
    output::Output,
    settings::MediaPart,
    user::UserId,
};

/// Longest text that is read aloud, in characters.
pub const MAX_TEXT: usize = 4_096;
/// Largest recording that is made.
const MAX_AUDIO: usize = 64 << 20;
/// Largest recording that is written down, as OpenAI has it.
pub const MAX_RECORDING: u64 = 25 << 20;
/// The folder of recordings.
const FOLDER: &str = "audio";
/// The endings that a recording may have, each the name of its format.
const FORMATS: [&str; 5] = ["mp3", "wav", "opus", "aac", "flac"];
/// Most characters of a name that is made of a text.
const NAME: usize = 48;

/// The place a recording goes to.
struct Place {
    folder: String,
    name: String,
    ending: &'static str,
}

impl Place {
    /// Of the path that a call names, or of the text.
    fn new(output: Option<&str>, text: &str) -> Result<Self> {
        let Some(path) = output.map(str::trim).filter(|path| !path.is_empty()) else {
            let name = stored_name(text).chars().take(NAME).collect();
            return Ok(Self { folder: FOLDER.to_owned(), name, ending: "mp3" });
        };
        let (folder, file) = path.rsplit_once('/').unwrap_or((".", path));
        let (name, ending) = file.rsplit_once('.').unwrap_or((file, "mp3"));
        let known = FORMATS.into_iter().find(|known| *known == ending.to_ascii_lowercase());
        let ending = known.ok_or_else(|| {
            Error::invalid(format!("`output` ends in one of {}: the ending is the format.", FORMATS.join(", ")))
        })?;
        Ok(Self { folder: folder.to_owned(), name: stored_name(name), ending })
    }
}

/// Reads a text aloud and keeps the recording: a new file, whatever there is.
///
/// # Errors
///
/// If there is no endpoint, or it gives nothing back.
pub async fn speak(cx: &Context, text: &str, voice: Option<&str>, output: Option<&str>) -> Result<Output> {
    let place = Place::new(output, text)?;
    let endpoint = Endpoint::for_run(cx, MediaPart::Speech).await?;
    let settings = cx.platform();
    let voice = voice.map(str::trim).filter(|voice| !voice.is_empty()).unwrap_or(settings.media.speech.voice.trim());
    let mut body = json!({"model": endpoint.model, "input": text, "response_format": place.ending});
    if let (false, Some(body)) = (voice.is_empty(), body.as_object_mut()) {
        body.insert("voice".to_owned(), voice.into());
    }
    let audio = endpoint.post("audio/speech", &body).await?.bytes(MAX_AUDIO).await?;
    if audio.is_empty() || audio.starts_with(b"{") || audio.starts_with(b"<") {
        let host = endpoint.host();
        return Err(Error::upstream(format!("The endpoint for speech at {host} gave no recording back. Try again.")));
    }
    let length = audio.len();
    let new = NewFile { folder: &place.folder, name: &place.name, ending: place.ending };
    let path = OwnFiles::new(cx)?.write_new(new, audio.to_vec()).await?;
    let path = path.trim_start_matches("./").to_owned();
    let data = json!({
        "ok": true, "path": path, "format": place.ending, "bytes": length, "voice": voice, "model": endpoint.model,
    });
    Ok(Output::json(data).with_files(vec![path]))
}

/// Writes down what is said in a recording.
///
/// # Errors
///
/// If there is no endpoint, or it understands nothing.
pub async fn transcribe(app: &App, user: UserId, (name, mime): (&str, &str), audio: &[u8]) -> Result<String> {
    if audio.len() as u64 > MAX_RECORDING {
        let most = figure::bytes(MAX_RECORDING);
        return Err(Error::invalid(format!("A recording may have {most}: speak in parts.")));
    }
    let endpoint = Endpoint::for_person(app, MediaPart::Transcription, user).await?;
    heard(&endpoint, (name, mime), audio).await
}

/// The words that an endpoint hears in a recording.
pub(super) async fn heard(endpoint: &Endpoint, (name, mime): (&str, &str), audio: &[u8]) -> Result<String> {
    let plain =
        |text: &str| text.chars().filter(|c| c.is_ascii_alphanumeric() || "._/-".contains(*c)).collect::<String>();
    let (name, mime) = (plain(name), plain(mime));
    let fields = [Field::Text("model", &endpoint.model), Field::File("file", &name, &mime, audio)];
    let answer = endpoint.post_form("audio/transcriptions", &fields).await?.json(1 << 20).await?;
    let text = answer.get("text").and_then(Value::as_str).map(|text| text.trim().to_owned());
    text.ok_or_else(|| {
        Error::upstream(format!("The endpoint for transcription at {} gave no text back. Try again.", endpoint.host()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recordings_ending_is_its_format_and_its_place_the_one_that_is_named() {
        let place = |output| Place::new(output, "Good morning!").map(|one| (one.folder, one.name, one.ending));
        assert_eq!(place(None).unwrap(), ("audio".to_owned(), stored_name("Good morning!"), "mp3"));
        assert_eq!(place(Some("talks/day one.WAV")).unwrap(), ("talks".to_owned(), stored_name("day one"), "wav"));
        assert_eq!(place(Some("hello")).unwrap().2, "mp3");
        assert!(place(Some("a.exe")).unwrap_err().message().contains("ends in one of mp3"));
    }
}
