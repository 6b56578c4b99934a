//! The clock of scripts: the machine's, or one that a test fixed.

use chrono::{DateTime, Utc};
use rhai::NativeCallContext;

/// The clock of one run. Set it as the engine's default tag to fix the time:
/// `engine.set_default_tag(Dynamic::from(Clock::fixed(time)))`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Clock(Option<DateTime<Utc>>);

impl Clock {
    /// A clock that stands still.
    pub fn fixed(time: DateTime<Utc>) -> Self {
        Self(Some(time))
    }

    /// The time of a call: what the run's clock says, the machine's time without one.
    pub(super) fn now(context: &NativeCallContext<'_>) -> DateTime<Utc> {
        let clock = context.tag().and_then(|tag| tag.read_lock::<Self>().map(|clock| *clock));
        clock.unwrap_or_default().0.unwrap_or_else(Utc::now)
    }
}
