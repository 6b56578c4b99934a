//! Times, zones and spans behind the helpers: read from texts, shown as RFC 3339.

use chrono::{
    DateTime, Days, FixedOffset, MappedLocalTime, Months, NaiveDate, NaiveDateTime, SecondsFormat, TimeDelta, TimeZone,
    Utc,
};
use chrono_tz::Tz;

use super::values::{Fallible, fail, quoted};

/// The zone of a time: a named one, or the offset it was written with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Zone {
    Named(Tz),
    Fixed(FixedOffset),
}

impl Zone {
    /// A zone by its IANA name.
    pub(super) fn named(name: &str) -> Fallible<Self> {
        let zone = name.trim().parse::<Tz>();
        zone.map(Self::Named).or_else(|_| {
            fail(format!("{} is no time zone: a name such as Europe/Berlin or UTC is expected", quoted(name)))
        })
    }

    /// Returns that time here.
    pub(super) fn at(self, time: DateTime<FixedOffset>) -> DateTime<FixedOffset> {
        match self {
            Self::Named(zone) => time.with_timezone(&zone).fixed_offset(),
            Self::Fixed(offset) => time.with_timezone(&offset),
        }
    }

    /// Returns the times the clocks here call that: none, one or two.
    pub(super) fn local(self, naive: NaiveDateTime) -> MappedLocalTime<DateTime<FixedOffset>> {
        match self {
            Self::Named(zone) => zone.from_local_datetime(&naive).map(|time| time.fixed_offset()),
            Self::Fixed(offset) => offset.from_local_datetime(&naive),
        }
    }

    /// The earlier of two; where clocks skip it, as much later as they skip.
    pub(super) fn resolve(self, naive: NaiveDateTime) -> Fallible<DateTime<FixedOffset>> {
        if let Some(time) = self.local(naive).earliest() {
            return Ok(time);
        }
        let before = naive.checked_sub_days(Days::new(1)).and_then(|day| self.local(day).earliest());
        let time = before.and_then(|before| before.offset().from_local_datetime(&naive).earliest());
        time.map_or_else(|| fail("the time is beyond the years 0 to 9999"), |time| Ok(self.at(time)))
    }
}

/// RFC 3339, or a date alone: its midnight in UTC.
pub(super) fn read(text: &str) -> Fallible<DateTime<FixedOffset>> {
    let text = text.trim();
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Ok(time);
    }
    if let Ok(date) = NaiveDate::parse_from_str(text, "%Y-%m-%d") {
        let time = date.and_time(chrono::NaiveTime::MIN).and_utc().fixed_offset();
        return within(time);
    }
    fail(format!(
        "{} is no time: 2026-05-01T09:30:00Z or 2026-05-01 is expected; parse_time and local_time read others",
        quoted(text)
    ))
}

/// Refuses what RFC 3339 cannot write.
pub(super) fn within(time: DateTime<FixedOffset>) -> Fallible<DateTime<FixedOffset>> {
    use chrono::Datelike;
    if (0..=9999).contains(&time.year()) && (0..=9999).contains(&time.to_utc().year()) {
        return Ok(time);
    }
    fail("the time is beyond the years 0 to 9999")
}

/// As RFC 3339, Z for UTC.
pub(super) fn show(time: DateTime<FixedOffset>) -> Fallible<String> {
    Ok(within(time)?.to_rfc3339_opts(SecondsFormat::AutoSi, true))
}

/// A span of time: calendar months and days, then seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Span {
    months: i64,
    days: i64,
    pub(super) seconds: f64,
}

impl Span {
    /// `2h 30m`, `3 days`, `-1w`, `1y 2mo`, or ISO 8601 as `P1DT2H`.
    pub(super) fn read(text: &str) -> Fallible<Self> {
        let lower = text.trim().to_lowercase();
        let (back, body) = lower.strip_prefix('-').map_or((false, lower.as_str()), |rest| (true, rest));
        let body = body.trim().trim_start_matches('+');
        let span = if body.starts_with('p') { iso(body) } else { words(body) };
        let Some(span) = span.filter(|_| text.len() <= 100) else {
            return fail(format!(
                "{} is no span of time: 2h 30m, 3 days, -1w, 1y 2mo or P1DT2H is expected",
                quoted(text)
            ));
        };
        let sign = if back { -1 } else { 1 };
        Ok(Self { months: span.months * sign, days: span.days * sign, seconds: span.seconds * sign as f64 })
    }

    fn add(&mut self, count: f64, unit: &str) -> Option<()> {
        let whole = (count.fract() == 0.0 && count.abs() < 1e7).then_some(count as i64);
        match unit {
            "y" | "yr" | "year" | "years" => self.months += whole? * 12,
            "mo" | "month" | "months" => self.months += whole?,
            "w" | "wk" | "week" | "weeks" => self.days += whole? * 7,
            "d" | "day" | "days" => self.days += whole?,
            "h" | "hr" | "hrs" | "hour" | "hours" => self.seconds += count * 3600.0,
            "m" | "min" | "mins" | "minute" | "minutes" => self.seconds += count * 60.0,
            "s" | "sec" | "secs" | "second" | "seconds" => self.seconds += count,
            _ => return None,
        }
        Some(())
    }

    /// Its seconds, if it is the same everywhere: days count 24 hours, months have no length.
    pub(super) fn length(self) -> Fallible<f64> {
        if self.months != 0 {
            return fail("months and years have no fixed length: add them to a time instead");
        }
        Ok(self.days as f64 * 86_400.0 + self.seconds)
    }

    /// Returns the time that much later by the clocks and calendars of a zone: days keep the hour, a month's missing
    /// days are its last.
    pub(super) fn after(self, time: DateTime<FixedOffset>, zone: Zone) -> Fallible<DateTime<FixedOffset>> {
        let beyond = || fail("the time is beyond the years 0 to 9999");
        let mut moved = zone.at(time);
        if self.months != 0 || self.days != 0 {
            let months = Months::new(u32::try_from(self.months.unsigned_abs()).unwrap_or(u32::MAX));
            let days = Days::new(self.days.unsigned_abs());
            let naive = moved.naive_local();
            let naive =
                if self.months < 0 { naive.checked_sub_months(months) } else { naive.checked_add_months(months) };
            let naive =
                naive.and_then(|n| if self.days < 0 { n.checked_sub_days(days) } else { n.checked_add_days(days) });
            let Some(naive) = naive else { return beyond() };
            let same = moved
                .offset()
                .from_local_datetime(&naive)
                .earliest()
                .filter(|same| zone.at(*same).naive_local() == naive);
            moved = match same {
                Some(same) => zone.at(same),
                None => zone.resolve(naive)?,
            };
        }
        let seconds = TimeDelta::try_milliseconds((self.seconds * 1000.0).round() as i64);
        match seconds.and_then(|seconds| moved.checked_add_signed(seconds)) {
            Some(time) => within(zone.at(within(time)?)),
            None => beyond(),
        }
    }
}

fn words(text: &str) -> Option<Span> {
    let mut span = Span::default();
    let mut rest = text.trim();
    rest.starts_with(|c: char| c.is_ascii_digit()).then_some(())?;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (count, after) = rest.split_at_checked(digits)?;
        let after = after.trim_start();
        let end = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let (unit, next) = after.split_at_checked(end)?;
        span.add(count.parse().ok()?, unit)?;
        rest = next.trim_start_matches([' ', ',']).trim_start_matches("and ");
    }
    Some(span)
}

fn iso(text: &str) -> Option<Span> {
    let mut span = Span::default();
    let (date, time) = text.strip_prefix('p')?.split_once('t').unwrap_or((text.strip_prefix('p')?, ""));
    if date.is_empty() && time.is_empty() {
        return None;
    }
    for (part, minutes) in [(date, "mo"), (time, "m")] {
        let mut rest = part;
        while !rest.is_empty() {
            let end = rest.find(|c: char| c.is_ascii_alphabetic())?;
            let (count, unit) = (rest.get(..end)?, rest.get(end..=end)?);
            span.add(count.parse().ok()?, if unit == "m" { minutes } else { unit })?;
            rest = rest.get(end + 1..)?;
        }
    }
    Some(span)
}

/// Seconds between two times.
pub(super) fn seconds_between(from: DateTime<FixedOffset>, to: DateTime<FixedOffset>) -> f64 {
    (to.to_utc() - from.to_utc()).num_milliseconds() as f64 / 1000.0
}

/// Seconds since 1970 as a time in UTC.
pub(super) fn from_unix(seconds: f64) -> Fallible<DateTime<FixedOffset>> {
    let milliseconds = (seconds * 1000.0).round();
    let time =
        (milliseconds.abs() < 1e15).then(|| DateTime::<Utc>::from_timestamp_millis(milliseconds as i64)).flatten();
    time.map_or_else(
        || fail(format!("{seconds} seconds since 1970 are beyond the years 0 to 9999")),
        |t| within(t.fixed_offset()),
    )
}
