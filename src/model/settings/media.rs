//! Settings of pictures and speech: the endpoints that make them, in the form of OpenAI's. Their keys are in the vault.

use std::{fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::{
    error::{Error, Result},
    id::shorten,
    provider::parse_url,
};

/// Endpoints for pictures and speech.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
#[schema(as = MediaSettings)]
pub struct Media {
    /// The one that makes and changes pictures.
    pub image: MediaModel,
    /// The one that reads texts aloud.
    pub speech: SpeechModel,
    /// The one that writes down what is said.
    pub transcription: MediaModel,
}

/// A model behind an endpoint.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MediaModel {
    /// The address it is asked at, which ends in `/v1`; empty means that there is none.
    pub url: String,
    /// The model's name there.
    pub model: String,
}

/// A model that speaks.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SpeechModel {
    /// The address it is asked at, which ends in `/v1`; empty means that there is none.
    pub url: String,
    /// The model's name there.
    pub model: String,
    /// The voice, where a call names none.
    pub voice: String,
}

/// One of the endpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MediaPart {
    /// Pictures.
    Image,
    /// Speech.
    Speech,
    /// Transcription.
    Transcription,
}

impl MediaPart {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Image, Self::Speech, Self::Transcription];

    /// The word, as settings and the vault have it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Speech => "speech",
            Self::Transcription => "transcription",
        }
    }

    /// The words for people, in the middle of a sentence.
    pub fn words(self) -> &'static str {
        match self {
            Self::Image => "pictures",
            Self::Speech => "speech",
            Self::Transcription => "transcription",
        }
    }
}

impl fmt::Display for MediaPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for MediaPart {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|part| part.as_str() == text);
        found.ok_or_else(|| {
            Error::not_found(format!("There is no '{}': it is image, speech or transcription.", shorten(text)))
        })
    }
}

impl Media {
    /// Address and model of an endpoint, as they stand.
    pub fn of(&self, part: MediaPart) -> (&str, &str) {
        match part {
            MediaPart::Image => (&self.image.url, &self.image.model),
            MediaPart::Speech => (&self.speech.url, &self.speech.model),
            MediaPart::Transcription => (&self.transcription.url, &self.transcription.model),
        }
    }

    /// Returns whether an endpoint can be asked.
    pub fn has(&self, part: MediaPart) -> bool {
        let (url, model) = self.of(part);
        !url.trim().is_empty() && !model.trim().is_empty()
    }
}

/// The address of an endpoint.
///
/// # Errors
///
/// If it is none, or does not end in `/v1`.
pub fn endpoint_address(text: &str) -> Result<Url> {
    let url = parse_url(text)?;
    match url.path().trim_end_matches('/').ends_with("/v1") {
        true => Ok(url),
        false => Err(Error::invalid("The address ends in /v1, as in https://api.openai.com/v1.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_ends_in_v1() {
        for (text, fits) in [
            ("https://api.openai.com/v1", true),
            ("http://127.0.0.1:8000/audio/v1/", true),
            ("https://api.openai.com", false),
            ("https://a:b@api.openai.com/v1", false),
            ("ftp://a.example/v1", false),
            ("v1", false),
        ] {
            assert_eq!(endpoint_address(text).is_ok(), fits, "{text}");
        }
    }
}
