//! How a gRPC call ended: its code, its name and what the server says of it.

use http::HeaderMap;
use serde_json::json;

use crate::model::error::{Error, Kind, Result};

/// The code of a method that is not there.
pub const UNIMPLEMENTED: u32 = 12;
/// The code of a thing that is not there.
pub const NOT_FOUND: u32 = 5;

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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    /// 0 is success.
    pub code: u32,
    /// The server's words, perhaps none.
    pub message: String,
}

impl Status {
    /// Reads the status from trailers, or from headers where there are no others; none where it is not there.
    pub fn of(headers: &HeaderMap) -> Option<Self> {
        let code = headers.get("grpc-status")?.to_str().ok()?.trim().parse().ok()?;
        let message = headers.get("grpc-message").map(|value| percent_decoded(value.as_bytes())).unwrap_or_default();
        Some(Self { code, message })
    }

    /// The code's name.
    pub fn name(&self) -> &'static str {
        NAMES.get(self.code as usize).copied().unwrap_or("UNKNOWN")
    }

    /// Fails where it is not success; the details hold code, name and message for programs.
    pub fn demand_ok(&self) -> Result<()> {
        if self.code == 0 {
            return Ok(());
        }
        let kind = if self.code == 4 { Kind::Timeout } else { Kind::Upstream };
        let said = if self.message.is_empty() { String::new() } else { format!(": {}", self.message) };
        let details = json!({"code": self.code, "status": self.name(), "message": self.message});
        let text = format!("The service answered {} ({}){said}", self.name(), self.code);
        Err(Error::new(kind, text).with_details(details))
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
        assert_eq!(Status::of(&trailers), None);
        trailers.insert("grpc-status", "5".parse().unwrap());
        trailers.insert("grpc-message", "no %C3%A4pfel, 100%".parse().unwrap());
        let error = Status::of(&trailers).unwrap().demand_ok().unwrap_err();
        assert_eq!(error.message(), "The service answered NOT_FOUND (5): no äpfel, 100%");
        assert_eq!(error.details().unwrap()["status"], "NOT_FOUND");
        assert!(Status { code: 0, message: String::new() }.demand_ok().is_ok());
        assert_eq!(Status { code: 99, message: String::new() }.name(), "UNKNOWN");
    }
}
