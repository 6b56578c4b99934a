//! Trying again: only what may be repeated, only where that can help, and when the system says so.

use std::time::Duration;

use backon::{ExponentialBuilder, Retryable};
use reqwest::Method;

use satchel_model::error::{Error, Kind, Result};
use satchel_net::{http::Response, retry_after::retry_after};

/// Longest wait a system may ask for; one that wants more is not waited for.
const LONGEST: Duration = Duration::from_secs(10);

/// The reason an attempt is not the last word.
enum Missed {
    /// It answered that it cannot now.
    Busy(Box<Response>),
    /// It did not answer.
    Failed(Error),
}

/// Returns whether doing it twice is the same as doing it once (RFC 9110, 9.2.2).
fn may_repeat(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS | Method::PUT | Method::DELETE)
}

/// Sends until an answer is the last word, and says how often it was sent.
pub(super) async fn send<F, Sending>(method: &Method, retries: u8, send: F) -> Result<(Response, u32)>
where
    F: Fn() -> Sending,
    Sending: Future<Output = Result<Response>>,
{
    let retries = if may_repeat(method) { usize::from(retries) } else { 0 };
    let waits = ExponentialBuilder::default()
        .with_min_delay(Duration::from_millis(200))
        .with_max_delay(Duration::from_secs(5))
        .with_max_times(retries)
        .with_jitter();
    let tried = std::sync::atomic::AtomicU32::new(0);
    let attempt = || {
        tried.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let sending = send();
        async move {
            match sending.await {
                Ok(response) if is_busy(&response) => Err(Missed::Busy(Box::new(response))),
                Ok(response) => Ok(response),
                Err(error) => Err(Missed::Failed(error)),
            }
        }
    };
    let ended = attempt.retry(waits).when(can_help).adjust(adjusted).await;
    let times = tried.load(std::sync::atomic::Ordering::Relaxed);
    match ended {
        Ok(response) => Ok((response, times)),
        Err(Missed::Busy(response)) => Ok((*response, times)),
        Err(Missed::Failed(error)) => Err(error),
    }
}

fn is_busy(response: &Response) -> bool {
    matches!(response.status.as_u16(), 429 | 502 | 503 | 504)
}

/// A refusal of the guard or a time limit stays what it is.
fn can_help(missed: &Missed) -> bool {
    match missed {
        Missed::Busy(_) => true,
        Missed::Failed(error) => error.kind() == Kind::Upstream,
    }
}

fn adjusted(missed: &Missed, wait: Option<Duration>) -> Option<Duration> {
    let wait = wait?;
    let Missed::Busy(response) = missed else { return Some(wait) };
    match retry_after(&response.headers) {
        None => Some(wait),
        Some(asked) if asked > LONGEST => None,
        Some(asked) => Some(asked.max(wait)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_may_be_repeated_is() {
        for method in [Method::GET, Method::PUT, Method::DELETE, Method::HEAD, Method::OPTIONS] {
            assert!(may_repeat(&method));
        }
        assert!(!may_repeat(&Method::POST) && !may_repeat(&Method::PATCH));
    }
}
