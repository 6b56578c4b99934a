//! Cron expressions of five fields in a time zone.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use croner::{
    Cron,
    parser::{CronParser, Seconds, Year},
};

use super::zone;
use crate::{
    error::{Error, Result},
    text::clip,
    time::Time,
};

/// A cron expression and the zone whose clock it follows. Where both fields of days are given, either is enough; the seventh
/// day of the week is Sunday, as the zeroth is.
#[derive(Debug, Clone)]
pub struct CronRule {
    cron: Cron,
    zone: Tz,
    /// Runs in every hour: then it follows time as it passes, and an hour that the clock leaves out or shows twice changes
    /// nothing.
    is_hourly: bool,
}

impl CronRule {
    /// The rule of an expression.
    ///
    /// # Errors
    ///
    /// If it is none, or never fires.
    pub fn parse(text: &str, zone: Option<&str>) -> Result<Self> {
        let zone = zone::parse(zone)?;
        let parser = CronParser::builder().seconds(Seconds::Disallowed).year(Year::Disallowed).build();
        let cron = parser.parse(text).map_err(|_| {
            let fault = match text.split_whitespace().count() {
                5 => "one of its fields is out of range or cannot be read".to_owned(),
                1 => "it has one field".to_owned(),
                number => format!("it has {number} fields"),
            };
            Error::invalid(format!(
                "'{}' is no cron expression: {fault}. Write five fields, minute hour day month weekday: 0 9 * * 1-5.",
                clip(text, 80)
            ))
        })?;
        let is_hourly = text.split_whitespace().nth(1) == Some("*");
        let rule = Self { cron, zone, is_hourly };
        match rule.after(Time::from_millis(0)) {
            Some(_) => Ok(rule),
            None => Err(Error::invalid(format!(
                "The cron expression '{}' never fires: no month has that day. Change its day or its month.",
                clip(text, 80)
            ))),
        }
    }

    /// The first moment after this one.
    pub fn after(&self, time: Time) -> Option<Time> {
        let now = zone::local(self.zone, time)?;
        if self.is_hourly {
            let next = self.cron.find_next_occurrence(&now, false).ok()?;
            return Some(Time::from_millis(next.timestamp_millis()));
        }
        // The clock's own hours, as if each day had all of them once. From a day before: an hour that the clock shows twice
        // counts the first time, and one that it leaves out counts later than it says.
        let mut shown: DateTime<Utc> = (now.naive_local() - chrono::Duration::days(1)).and_utc();
        loop {
            shown = self.cron.find_next_occurrence(&shown, false).ok()?;
            match zone::instant(self.zone, shown.naive_utc())? {
                next if next > time => return Some(next),
                _ => {}
            }
        }
    }

    /// The rule in words.
    pub fn words(&self) -> String {
        let words = self.cron.describe();
        let words = words.trim_end_matches('.');
        let mut letters = words.chars();
        let first = letters.next().map(|letter| letter.to_lowercase().to_string()).unwrap_or_default();
        format!("{first}{}, {}", letters.as_str(), self.zone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(text: &str, zone: &str, from: &str, number: usize) -> Vec<String> {
        let rule = CronRule::parse(text, Some(zone)).unwrap();
        let mut time: Time = serde_json::from_value(from.into()).unwrap();
        let mut next = || {
            time = rule.after(time)?;
            Some(time.to_string().replace(":00.000Z", "Z"))
        };
        std::iter::from_fn(&mut next).take(number).collect()
    }

    fn berlin(text: &str, from: &str) -> Vec<String> {
        times(text, "Europe/Berlin", from, 2)
    }

    #[test]
    fn a_time_that_the_clock_leaves_out_runs_at_the_first_instant_after() {
        let gap = "2026-03-28T12:00:00Z";
        assert_eq!(berlin("30 2 * * *", gap), ["2026-03-29T01:00Z", "2026-03-30T00:30Z"]);
        assert_eq!(berlin("15,30 2 * * *", gap), ["2026-03-29T01:00Z", "2026-03-30T00:15Z"]);
        assert_eq!(
            times("30 2 * * *", "America/New_York", "2026-03-07T12:00:00Z", 2),
            ["2026-03-08T07:00Z", "2026-03-09T06:30Z"]
        );
        // Half an hour, at Lord Howe.
        assert_eq!(times("10 2 * * *", "Australia/Lord_Howe", "2026-10-03T12:00:00Z", 1), ["2026-10-03T15:30Z"]);
        assert_eq!(berlin("30 * * * *", "2026-03-29T00:10:00Z"), ["2026-03-29T00:30Z", "2026-03-29T01:30Z"]);
    }

    #[test]
    fn a_time_that_the_clock_shows_twice_runs_once_at_the_first() {
        let back = "2026-10-24T12:00:00Z";
        assert_eq!(berlin("30 2 * * *", back), ["2026-10-25T00:30Z", "2026-10-26T01:30Z"]);
        // It is between the two: the second one is not another.
        assert_eq!(berlin("30 2 * * *", "2026-10-25T00:45:00Z")[0], "2026-10-26T01:30Z");
        // An hourly one goes on as time does.
        assert_eq!(berlin("30 * * * *", "2026-10-25T00:10:00Z"), ["2026-10-25T00:30Z", "2026-10-25T01:30Z"]);
    }

    #[test]
    fn either_day_is_enough_and_the_seventh_is_sunday() {
        assert_eq!(
            times("0 0 13 * 5", "UTC", "2026-11-10T00:00:00Z", 3),
            ["2026-11-13T00:00Z", "2026-11-20T00:00Z", "2026-11-27T00:00Z"]
        );
        let sundays = ["2026-11-29T00:00Z", "2026-12-06T00:00Z"];
        assert_eq!(times("0 0 * * 7", "UTC", "2026-11-27T00:00:00Z", 2), sundays);
        assert_eq!(times("0 0 * * 0", "UTC", "2026-11-27T00:00:00Z", 2), sundays);
    }

    #[test]
    fn what_is_no_rule_says_so() {
        let refused = |text: &str, zone: &str| CronRule::parse(text, Some(zone)).unwrap_err().message().to_owned();
        assert!(refused("0 0 31 2 *", "UTC").contains("never fires"));
        assert!(refused("0 0 * * * *", "UTC").contains("five fields"));
        assert!(refused("61 * * * *", "UTC").contains("is no cron expression"));
        assert!(refused("0 0 * * *", "Europe/Berln").starts_with("'Europe/Berln' is no time zone"));
        let words = CronRule::parse("0 9 * * 1-5", Some("Europe/Berlin")).unwrap().words();
        assert!(words.starts_with("at 09:00") && words.ends_with(", Europe/Berlin"), "{words}");
    }
}
