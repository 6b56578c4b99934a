//! Time zones: from a moment of a zone's clock to the instant, also where the clock is put forward or back.

use chrono::{DateTime, Duration, LocalResult, NaiveDateTime, TimeZone, Utc};
use chrono_tz::Tz;

use crate::{
    error::{Error, Result},
    text::clip,
    time::Time,
};

/// The longest a clock was ever put forward, in minutes: a whole day.
const LONGEST_GAP: i64 = 25 * 60;

/// The zone of this name; UTC where none is given.
///
/// # Errors
///
/// If there is no such zone.
pub fn parse(name: Option<&str>) -> Result<Tz> {
    let Some(name) = name else { return Ok(Tz::UTC) };
    name.parse().map_err(|_| {
        let name = clip(name, 40);
        Error::invalid(format!("'{name}' is no time zone: name one as Europe/Berlin, America/New_York or UTC."))
    })
}

/// The instant of a moment of the zone's clock. One that the clock leaves out is the first instant after the gap; one that it
/// shows twice is the first of the two.
pub fn instant(zone: Tz, local: NaiveDateTime) -> Option<Time> {
    for minutes in 0..=LONGEST_GAP {
        let later = local.checked_add_signed(Duration::minutes(minutes))?;
        match zone.from_local_datetime(&later) {
            LocalResult::Single(found) | LocalResult::Ambiguous(found, _) => {
                return Some(Time::from_millis(found.timestamp_millis()));
            }
            LocalResult::None => {}
        }
    }
    None
}

/// An instant as the zone's clock shows it; `None` far beyond what calendars have.
pub fn local(zone: Tz, time: Time) -> Option<DateTime<Tz>> {
    DateTime::<Utc>::from_timestamp_millis(time.millis()).map(|utc| utc.with_timezone(&zone))
}
