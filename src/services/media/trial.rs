//! A test of an endpoint, step by step: which one fails is said.

use serde::Serialize;
use serde_json::json;

use super::{endpoint::Endpoint, speech};
use satchel_app::App;
use satchel_model::{
    error::{Error, Result},
    settings::MediaPart,
    user::UserId,
};

/// Largest answer of a trial.
const MAX_ANSWER: usize = 32 << 20;

/// A step of a test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct MediaStep {
    /// The part that was tried: `settings`, `reach` or `use`.
    pub step: &'static str,
    /// `true` if it worked.
    pub ok: bool,
    /// The finding, in words.
    pub message: String,
}

/// Tries an endpoint out: its settings, then whether it can be reached, then the smallest use of it. Nothing is kept.
pub async fn try_out(app: &App, part: MediaPart, user: UserId) -> Vec<MediaStep> {
    let mut steps = Vec::new();
    let endpoint = match Endpoint::for_person(app, part, user).await {
        Ok(endpoint) => endpoint,
        Err(error) => return vec![failed("settings", &error)],
    };
    steps.push(done("settings", format!("It is asked at {} with the model '{}'.", endpoint.host(), endpoint.model)));
    match endpoint.models().await {
        Ok(models) if models.is_empty() => steps.push(done("reach", "It answers, and lists no models.".to_owned())),
        Ok(models) => {
            let listed = if models.contains(&endpoint.model) { "lists" } else { "does not list" };
            let message = format!("It answers, has {} models, and {listed} '{}'.", models.len(), endpoint.model);
            steps.push(done("reach", message));
        }
        Err(error) => {
            steps.push(failed("reach", &error));
            return steps;
        }
    }
    steps.push(match used(app, &endpoint).await {
        Ok(message) => done("use", message),
        Err(error) => failed("use", &error),
    });
    steps
}

/// The smallest use of an endpoint. No picture is made: it costs more than a test should.
async fn used(app: &App, endpoint: &Endpoint) -> Result<String> {
    match endpoint.part {
        MediaPart::Image => Ok("No picture was made, as that costs: ask for one in the chat.".to_owned()),
        MediaPart::Speech => {
            let settings = app.settings.get();
            let voice = Some(settings.media.speech.voice.trim()).filter(|voice| !voice.is_empty()).unwrap_or("alloy");
            let body = json!({"model": endpoint.model, "input": "Hello.", "voice": voice, "response_format": "wav"});
            let audio = endpoint.post("audio/speech", &body).await?.bytes(MAX_ANSWER).await?;
            match audio.len() {
                0 => Err(Error::upstream("It gave an empty recording back.")),
                bytes => Ok(format!("It said 'Hello.' in {bytes} bytes.")),
            }
        }
        MediaPart::Transcription => {
            let heard = speech::heard(endpoint, ("silence.wav", "audio/wav"), &silence()).await?;
            Ok(format!("It heard '{heard}' in a second of silence."))
        }
    }
}

/// A second of silence: 16-bit samples, 8,000 of them, behind the head of a WAV file.
fn silence() -> Vec<u8> {
    const SAMPLES: u32 = 8_000;
    let data = SAMPLES * 2;
    let mut wav = Vec::with_capacity(44 + data as usize);
    wav.extend_from_slice(b"RIFF");
    wav.extend_from_slice(&(36 + data).to_le_bytes());
    wav.extend_from_slice(b"WAVEfmt ");
    for (number, bytes) in [(16_u32, 4_usize), (1, 2), (1, 2), (SAMPLES, 4), (SAMPLES * 2, 4), (2, 2), (16, 2)] {
        wav.extend(number.to_le_bytes().into_iter().take(bytes));
    }
    wav.extend_from_slice(b"data");
    wav.extend_from_slice(&data.to_le_bytes());
    wav.resize(44 + data as usize, 0);
    wav
}

fn done(step: &'static str, message: String) -> MediaStep {
    MediaStep { step, ok: true, message }
}

fn failed(step: &'static str, error: &Error) -> MediaStep {
    MediaStep { step, ok: false, message: error.message().to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_is_a_wav_file() {
        let wav = silence();
        assert_eq!(wav.len(), 44 + 16_000);
        assert_eq!((&wav[..4], &wav[8..16], &wav[36..40]), (&b"RIFF"[..], &b"WAVEfmt "[..], &b"data"[..]));
    }
}
