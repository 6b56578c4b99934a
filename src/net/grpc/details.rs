//! The details of a failure beside its words: the messages of `google.rpc`, which need no reflection.
//!
//! Format: <https://github.com/googleapis/googleapis/blob/master/google/rpc/error_details.proto>.

use std::sync::LazyLock;

use prost_reflect::DescriptorPool;
use prost_types::Any;
use serde_json::Value;
use tonic_types::pb::FILE_DESCRIPTOR_SET;

use super::to_json;

/// The types of `google.rpc`, and those of `google.protobuf` in them.
static TYPES: LazyLock<DescriptorPool> = LazyLock::new(types);

#[expect(clippy::expect_used, reason = "the description is the same at every start; a test reads with it")]
fn types() -> DescriptorPool {
    let mut pool = DescriptorPool::global();
    pool.decode_file_descriptor_set(FILE_DESCRIPTOR_SET).expect("a description");
    pool
}

/// Returns a detail as JSON: its fields beside `@type`, or its bytes as base64 where its type is none of these.
pub fn as_json(detail: &Any) -> Value {
    to_json::any(&TYPES, detail)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use prost::Message;
    use prost_types::Duration;
    use serde_json::json;
    use tonic_types::pb::{BadRequest, ErrorInfo, QuotaFailure, RetryInfo, bad_request::FieldViolation, quota_failure};

    use super::*;

    fn any(name: &str, message: &impl Message) -> Any {
        Any { type_url: format!("type.googleapis.com/google.rpc.{name}"), value: message.encode_to_vec() }
    }

    #[test]
    fn the_messages_of_google_rpc_are_told_field_by_field() {
        let violation = FieldViolation {
            field: "user.email".to_owned(),
            description: "It has no '@'.".to_owned(),
            reason: "FORMAT".to_owned(),
            localized_message: None,
        };
        let bad = any("BadRequest", &BadRequest { field_violations: vec![violation] });
        let wanted = json!({"@type": bad.type_url, "fieldViolations":
            [{"field": "user.email", "description": "It has no '@'.", "reason": "FORMAT"}]});
        assert_eq!(as_json(&bad), wanted);
        let delay = Some(Duration { seconds: 1, nanos: 500_000_000 });
        let retry = any("RetryInfo", &RetryInfo { retry_delay: delay });
        assert_eq!(as_json(&retry)["retryDelay"], "1.500s");
        let metadata = HashMap::from([("zone".to_owned(), "eu".to_owned())]);
        let info = ErrorInfo { reason: "STOCKOUT".to_owned(), domain: "shop".to_owned(), metadata };
        let wanted = json!({"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "STOCKOUT", "domain": "shop",
            "metadata": {"zone": "eu"}});
        assert_eq!(as_json(&any("ErrorInfo", &info)), wanted);
        let violation = quota_failure::Violation { quota_id: "per-day".to_owned(), ..Default::default() };
        let quota = as_json(&any("QuotaFailure", &QuotaFailure { violations: vec![violation] }));
        assert_eq!(quota["violations"][0]["quotaId"], "per-day");
    }

    #[test]
    fn what_is_unknown_or_damaged_is_told_as_its_bytes() {
        let odd = Any { type_url: "google.rpc.Help".to_owned(), value: vec![0xff] };
        assert_eq!(as_json(&odd), json!({"@type": "google.rpc.Help", "value": "/w=="}));
        let damaged = Any { type_url: "x/google.rpc.Help".to_owned(), value: vec![0xff] };
        assert_eq!(as_json(&damaged), json!({"@type": "x/google.rpc.Help", "value": "/w=="}));
    }
}
