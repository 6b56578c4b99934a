//! The status of a gRPC call: its code, its name and what the server says of it.

use base64::{
    Engine as _, alphabet::STANDARD, engine::DecodePaddingMode::Indifferent, engine::GeneralPurpose,
    engine::GeneralPurposeConfig,
};
use http::{HeaderMap, HeaderValue, StatusCode};
use prost::Message;
use prost_types::Any;
use serde_json::{Map, Value, json};

use super::details;
use satchel_model::error::{Error, Kind, Result};

/// The code of success.
pub const OK: u32 = 0;
/// The code of what nothing else is known of.
pub const UNKNOWN: u32 = 2;
/// The code of a thing that is not there.
pub const NOT_FOUND: u32 = 5;
/// The code of a method that is not there.
pub const UNIMPLEMENTED: u32 = 12;
/// The code of a service that cannot be reached now.
pub const UNAVAILABLE: u32 = 14;
/// The code of a credential that was refused.
pub const UNAUTHENTICATED: u32 = 16;
/// The trailers that say how a call ended.
pub(super) const TRAILERS: [&str; 3] = [STATUS, MESSAGE, DETAILS];
const STATUS: &str = "grpc-status";
const MESSAGE: &str = "grpc-message";
const DETAILS: &str = "grpc-status-details-bin";
/// Most bytes of a trailer that are read: as many as HTTP/2 takes of all. Details take many times as many as JSON.
const MOST_BYTES: usize = 16 << 10;
/// Headers whose name ends in `-bin` are base64, with or without padding.
const BINARY: GeneralPurpose =
    GeneralPurpose::new(&STANDARD, GeneralPurposeConfig::new().with_decode_padding_mode(Indifferent));

/// The names of the codes, 0 to 16.
const NAMES: [&str; 17] = [
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
];

/// The end of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Status {
    /// 0 is success.
    pub code: u32,
    /// The server's words, perhaps none.
    pub message: String,
    /// The details it sends beside them, as `google.rpc.Status` holds them.
    pub details: Vec<Any>,
}

/// `google.rpc.Status`, of which only the details are not known from the headers.
#[derive(Clone, PartialEq, Message)]
struct Rich {
    #[prost(message, repeated, tag = "3")]
    details: Vec<Any>,
}

impl Status {
    /// A status without details.
    pub fn new(code: u32, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), details: Vec::new() }
    }

    /// Reads the status from trailers, or from headers where there are no others; `None` if it is not there.
    pub fn from_headers(headers: &HeaderMap) -> Option<Self> {
        let code = headers.get(STATUS)?.to_str().ok()?.trim().parse().ok()?;
        let bytes = |name| headers.get(name).map(HeaderValue::as_bytes);
        let message = bytes(MESSAGE).map(|words| percent_decoded(words.get(..MOST_BYTES).unwrap_or(words)));
        let rich = bytes(DETAILS).filter(|text| text.len() <= MOST_BYTES).and_then(|text| BINARY.decode(text).ok());
        let rich = rich.and_then(|bytes| Rich::decode(bytes.as_slice()).ok());
        Some(Self {
            code,
            message: message.unwrap_or_default(),
            details: rich.map(|rich| rich.details).unwrap_or_default(),
        })
    }

    /// Returns the status an HTTP status stands for where no gRPC was answered.
    ///
    /// Source: <https://github.com/grpc/grpc/blob/master/doc/http-grpc-status-mapping.md>.
    pub fn of_http(status: StatusCode) -> Self {
        let code = match status.as_u16() {
            400 => 13,
            401 => UNAUTHENTICATED,
            403 => 7,
            404 => UNIMPLEMENTED,
            429 | 502..=504 => UNAVAILABLE,
            _ => UNKNOWN,
        };
        Self::new(code, format!("an answer with HTTP status {}, not with gRPC", status.as_u16()))
    }

    /// The code's name.
    pub fn name(&self) -> &'static str {
        NAMES.get(self.code as usize).copied().unwrap_or("UNKNOWN")
    }

    /// Checks that it is success.
    ///
    /// # Errors
    ///
    /// If it is not; the details hold code, name, message and the server's own details for programs.
    pub fn require_ok(&self) -> Result<()> {
        if self.code == OK {
            return Ok(());
        }
        let said = if self.message.is_empty() { String::new() } else { format!(": {}", self.message) };
        let mut told = Map::new();
        told.insert("code".to_owned(), json!(self.code));
        told.insert("status".to_owned(), json!(self.name()));
        told.insert("message".to_owned(), json!(self.message));
        if !self.details.is_empty() {
            told.insert("details".to_owned(), self.details.iter().map(details::as_json).collect());
        }
        let advice = match self.code {
            UNAUTHENTICATED => {
                " (its credential was refused: an administrator enters it anew in the console, under Catalog)"
            }
            _ => "",
        };
        let text = format!("The service answered {} ({}){advice}{said}", self.name(), self.code);
        Err(Error::new(self.kind(), text).with_details(Value::Object(told)).as_answer())
    }

    /// Returns what a caller can do about it, as with the HTTP statuses of other systems.
    fn kind(&self) -> Kind {
        match self.name() {
            "INVALID_ARGUMENT" | "OUT_OF_RANGE" => Kind::Invalid,
            "DEADLINE_EXCEEDED" => Kind::Timeout,
            "NOT_FOUND" => Kind::NotFound,
            "ALREADY_EXISTS" | "FAILED_PRECONDITION" | "ABORTED" => Kind::Conflict,
            "PERMISSION_DENIED" | "UNAUTHENTICATED" => Kind::Unconfigured,
            "RESOURCE_EXHAUSTED" => Kind::Exhausted,
            _ => Kind::Upstream,
        }
    }
}

/// Percent signs and the hex digits after them as bytes; anything else stays.
fn percent_decoded(text: &[u8]) -> String {
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&first, after)) = rest.split_first() {
        let digits = after.first_chunk::<2>().and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) if first == b'%' => {
                decoded.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            _ => {
                decoded.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_named_and_its_message_decoded() {
        let mut trailers = HeaderMap::new();
        assert_eq!(Status::from_headers(&trailers), None);
        trailers.insert("grpc-status", "5".parse().unwrap());
        trailers.insert("grpc-message", "no %C3%A4pfel, 100%".parse().unwrap());
        let error = Status::from_headers(&trailers).unwrap().require_ok().unwrap_err();
        assert_eq!(error.message(), "The service answered NOT_FOUND (5): no äpfel, 100%");
        assert_eq!(error.details().unwrap()["status"], "NOT_FOUND");
        assert!(Status::new(OK, "").require_ok().is_ok());
        assert_eq!(Status::new(99, "").name(), "UNKNOWN");
    }

    #[test]
    fn no_more_details_are_read_than_a_head_may_hold() {
        let read = |details: usize| {
            let rich = Rich { details: vec![Any::default(); details] };
            let mut trailers = HeaderMap::new();
            trailers.insert(STATUS, "3".parse().unwrap());
            trailers.insert(MESSAGE, "a".repeat(1 << 20).parse().unwrap());
            trailers.insert(DETAILS, BINARY.encode(rich.encode_to_vec()).parse().unwrap());
            Status::from_headers(&trailers).unwrap()
        };
        assert_eq!((read(1_000).details.len(), read(20_000).details.len()), (1_000, 0));
        assert_eq!(read(0).message.len(), MOST_BYTES);
    }

    #[test]
    fn a_code_says_what_a_caller_can_do_about_it() {
        let kind = |code| Status::new(code, "").require_ok().unwrap_err().kind();
        let kinds: Vec<Kind> = [3, 4, 5, 6, 7, 8, 9, 13, 14].map(kind).into();
        let wanted = [
            Kind::Invalid,
            Kind::Timeout,
            Kind::NotFound,
            Kind::Conflict,
            Kind::Unconfigured,
            Kind::Exhausted,
            Kind::Conflict,
            Kind::Upstream,
            Kind::Upstream,
        ];
        assert_eq!(kinds, wanted);
        let refused = Status::new(UNAUTHENTICATED, "who are you").require_ok().unwrap_err();
        assert_eq!(refused.kind(), Kind::Unconfigured);
        assert!(refused.message().contains("an administrator enters it anew"), "{refused}");
    }

    #[test]
    fn http_statuses_stand_for_codes() {
        let codes = [400, 401, 403, 404, 429, 503, 500, 200]
            .map(|status| Status::of_http(StatusCode::from_u16(status).unwrap()).name());
        let wanted =
            ["INTERNAL", "UNAUTHENTICATED", "PERMISSION_DENIED", "UNIMPLEMENTED", "UNAVAILABLE", "UNAVAILABLE"];
        assert_eq!((&codes[..6], codes[6], codes[7]), (&wanted[..], "UNKNOWN", "UNKNOWN"));
    }

    #[test]
    fn details_are_read_with_and_without_padding() {
        let known = tonic_types::pb::RequestInfo { request_id: "r-1".to_owned(), serving_data: String::new() };
        let known =
            Any { type_url: "type.googleapis.com/google.rpc.RequestInfo".to_owned(), value: known.encode_to_vec() };
        let other = Any { type_url: "type.googleapis.com/a.B".to_owned(), value: vec![1, 2] };
        let text =
            base64::engine::general_purpose::STANDARD.encode(Rich { details: vec![known, other] }.encode_to_vec());
        for text in [text.as_str(), text.trim_end_matches('=')] {
            let mut trailers = HeaderMap::new();
            trailers.insert("grpc-status", "3".parse().unwrap());
            trailers.insert("grpc-status-details-bin", text.parse().unwrap());
            let error = Status::from_headers(&trailers).unwrap().require_ok().unwrap_err();
            let wanted = json!([
                {"@type": "type.googleapis.com/google.rpc.RequestInfo", "requestId": "r-1", "servingData": ""},
                {"@type": "type.googleapis.com/a.B", "value": "AQI="},
            ]);
            assert_eq!(error.details().unwrap()["details"], wanted);
        }
    }
}
