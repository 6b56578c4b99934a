//! The header `Retry-After` (RFC 9110, 10.2.3): how long a server asks to be left alone.

use std::time::{Duration, SystemTime};

use http::{HeaderMap, header::RETRY_AFTER};

/// Returns the wait it asks for; `None` where it asks for none that can be understood. A date that is past is no wait.
pub fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    parse(headers.get(RETRY_AFTER)?.to_str().ok()?.trim())
}

/// Seconds, or a date. Some servers give fractions of a second, which the standard does not know.
fn parse(text: &str) -> Option<Duration> {
    if let Ok(seconds) = text.parse() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let at = SystemTime::from(chrono::DateTime::parse_from_rfc2822(text).ok()?);
    Some(at.duration_since(SystemTime::now()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_fractions_and_dates_are_understood() {
        assert_eq!(parse("7"), Some(Duration::from_secs(7)));
        assert_eq!(parse("0.25"), Some(Duration::from_millis(250)));
        assert_eq!(parse("Wed, 21 Oct 2015 07:28:00 GMT"), Some(Duration::ZERO));
        for odd in ["soon", "-1", "inf", "NaN", ""] {
            assert_eq!(parse(odd), None, "{odd}");
        }
    }

    #[test]
    fn an_answer_without_the_header_asks_for_no_wait() {
        assert_eq!(retry_after(&HeaderMap::new()), None);
        let headers = HeaderMap::from_iter([(RETRY_AFTER, " 3 ".parse().unwrap())]);
        assert_eq!(retry_after(&headers), Some(Duration::from_secs(3)));
    }
}
