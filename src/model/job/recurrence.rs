//! Recurrences: the words for them, and the part of RFC 5545's RRULE that jobs take.

use std::collections::BTreeSet;

use chrono::{DateTime, Datelike, Days, Duration, Months, NaiveDate, NaiveDateTime, Weekday};
use chrono_tz::Tz;

use super::zone;
use crate::{
    error::{Error, Result},
    text::clip,
    time::Time,
};

/// Most periods that are looked at for a next time: with hours, more than 20 years.
const MOST_PERIODS: u32 = 200_000;
/// Most times of a rule that counts them.
const MOST_COUNT: u32 = 100_000;

/// The words, and the rules they stand for. They go on without an end.
const WORDS: [(&str, &str); 5] = [
    ("hourly", "FREQ=HOURLY"),
    ("daily", "FREQ=DAILY"),
    ("weekdays", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
    ("weekly", "FREQ=WEEKLY"),
    ("monthly", "FREQ=MONTHLY"),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Frequency {
    Hourly,
    Daily,
    Weekly,
    Monthly,
}

/// A rule by which a first time comes again.
#[derive(Debug, Clone)]
pub struct Recurrence {
    start: Time,
    zone: Tz,
    frequency: Frequency,
    interval: u32,
    /// Weekdays, each with its number in the month where it has one: the first, or, from the end, the last.
    days: Vec<(i64, Weekday)>,
    month_days: Vec<i64>,
    count: Option<u32>,
    until: Option<Time>,
    words: String,
}

impl Recurrence {
    /// The rule of a word or an RRULE.
    ///
    /// # Errors
    ///
    /// If it is none of those that jobs take.
    pub fn parse(text: &str, start: Time, zone: Tz) -> Result<Self> {
        let text = text.trim();
        let word = WORDS.iter().find(|(word, _)| word.eq_ignore_ascii_case(text));
        let rule = word.map_or(text, |(_, rule)| rule);
        let words = word.map_or_else(|| rule.to_owned(), |(word, _)| (*word).to_owned());
        let mut parsed = Self {
            start,
            zone,
            frequency: Frequency::Daily,
            interval: 1,
            days: Vec::new(),
            month_days: Vec::new(),
            count: None,
            until: None,
            words,
        };
        let parts = rule.strip_prefix("RRULE:").unwrap_or(rule);
        let mut seen = BTreeSet::new();
        for part in parts.split(';').filter(|part| !part.is_empty()) {
            let (name, value) = part.split_once('=').ok_or_else(|| wrong(text, "a part is written NAME=value"))?;
            let name = name.trim().to_ascii_uppercase();
            parsed.take(text, &name, &value.trim().to_ascii_uppercase())?;
            if !seen.insert(name) {
                return Err(wrong(text, "a part is there twice"));
            }
        }
        if !seen.contains("FREQ") {
            return Err(wrong(text, "FREQ is missing"));
        }
        if parsed.count.is_some() && parsed.until.is_some() {
            return Err(wrong(text, "it ends by COUNT or by UNTIL, not by both"));
        }
        if parsed.frequency != Frequency::Monthly && parsed.days.iter().any(|(number, _)| *number != 0) {
            return Err(wrong(text, "a weekday has a number in BYDAY with FREQ=MONTHLY alone"));
        }
        Ok(parsed)
    }

    fn take(&mut self, text: &str, name: &str, value: &str) -> Result<()> {
        match name {
            "FREQ" => {
                self.frequency = match value {
                    "HOURLY" => Frequency::Hourly,
                    "DAILY" => Frequency::Daily,
                    "WEEKLY" => Frequency::Weekly,
                    "MONTHLY" => Frequency::Monthly,
                    _ => return Err(wrong(text, "FREQ is HOURLY, DAILY, WEEKLY or MONTHLY")),
                }
            }
            "INTERVAL" => {
                let number = value.parse().ok().filter(|number| (1..=10_000).contains(number));
                self.interval = number.ok_or_else(|| wrong(text, "INTERVAL is a number from 1 to 10000"))?;
            }
            "COUNT" => {
                let number = value.parse().ok().filter(|number| (1..=MOST_COUNT).contains(number));
                self.count = Some(number.ok_or_else(|| wrong(text, "COUNT is a number from 1 to 100000"))?);
            }
            "UNTIL" => {
                let until = until(value, self.zone).ok_or_else(|| wrong(text, "UNTIL is written 20261231T235959Z"))?;
                self.until = Some(until);
            }
            "BYDAY" => {
                let days = value.split(',').map(weekday).collect::<Option<_>>();
                self.days = days.ok_or_else(|| wrong(text, "BYDAY lists MO, TU, WE, TH, FR, SA and SU"))?;
            }
            "BYMONTHDAY" => {
                let day = |day: &str| day.parse().ok().filter(|day: &i64| *day != 0 && day.abs() <= 31);
                let days = value.split(',').map(day).collect::<Option<_>>();
                self.month_days = days.ok_or_else(|| wrong(text, "BYMONTHDAY lists days from 1 to 31, or from -1"))?;
            }
            _ => {
                return Err(wrong(
                    text,
                    "it may have FREQ, INTERVAL, BYDAY, BYMONTHDAY, COUNT and UNTIL, and no other part",
                ));
            }
        }
        Ok(())
    }

    /// Checks that a rule ends. The words go on until somebody pauses the job: that is what they say.
    ///
    /// # Errors
    ///
    /// If it is an RRULE without an end.
    pub fn require_end(&self, text: &str) -> Result<()> {
        let is_word = WORDS.iter().any(|(word, _)| word.eq_ignore_ascii_case(text));
        if is_word || self.count.is_some() || self.until.is_some() {
            return Ok(());
        }
        Err(Error::invalid(format!(
            "The RRULE '{}' has no end: add COUNT or UNTIL. What goes on for good is hourly, daily, weekdays, weekly, \
             monthly, or a cron expression.",
            clip(text, 80)
        )))
    }

    /// The first time.
    pub fn start(&self) -> Time {
        self.start
    }

    /// The rule in words.
    pub fn words(&self) -> &str {
        &self.words
    }

    /// The first time after this one.
    pub fn after(&self, time: Time) -> Option<Time> {
        let start = zone::local(self.zone, self.start)?.naive_local();
        let mut counted = 0;
        for period in 0..MOST_PERIODS {
            for next in self.times(start, period.checked_mul(self.interval)?)? {
                if next < self.start {
                    continue;
                }
                counted += 1;
                if self.count.is_some_and(|most| counted > most) || self.until.is_some_and(|until| next > until) {
                    return None;
                }
                if next > time {
                    return Some(next);
                }
            }
        }
        None
    }

    /// The times of the period that begins so many hours, days, weeks or months after the first; `None` beyond the calendar.
    fn times(&self, start: NaiveDateTime, passed: u32) -> Option<Vec<Time>> {
        if self.frequency == Frequency::Hourly {
            let time = self.start.after(std::time::Duration::from_secs(u64::from(passed) * 3_600));
            let day = zone::local(self.zone, time)?.date_naive();
            return Some(if self.fits(day) { vec![time] } else { Vec::new() });
        }
        let first = start.date();
        let days: Vec<NaiveDate> = match self.frequency {
            Frequency::Weekly => {
                let monday = first.checked_sub_days(Days::new(first.weekday().num_days_from_monday().into()))?;
                let monday = monday.checked_add_days(Days::new(u64::from(passed) * 7))?;
                let is_day = |day: &NaiveDate| match self.days.is_empty() {
                    true => day.weekday() == first.weekday(),
                    false => self.fits(*day),
                };
                monday.iter_days().take(7).filter(is_day).filter(|day| self.fits(*day)).collect()
            }
            Frequency::Monthly => {
                let month = first.with_day(1)?.checked_add_months(Months::new(passed))?;
                self.days_of(month, first.day())
            }
            _ => {
                let day = first.checked_add_days(Days::new(passed.into()))?;
                if self.fits(day) { vec![day] } else { Vec::new() }
            }
        };
        days.into_iter().map(|day| zone::instant(self.zone, day.and_time(start.time()))).collect()
    }

    /// Returns whether a day is one of the weekdays and of the month's days, where those are given.
    fn fits(&self, day: NaiveDate) -> bool {
        let is_weekday = self.days.is_empty() || self.days.iter().any(|(_, weekday)| *weekday == day.weekday());
        is_weekday && self.is_month_day(day)
    }

    fn is_month_day(&self, day: NaiveDate) -> bool {
        let (number, length) = (i64::from(day.day()), length(day));
        self.month_days.is_empty() || self.month_days.iter().any(|one| *one == number || length + 1 + one == number)
    }

    /// The days of a month; without any rule for days, the one of this number.
    fn days_of(&self, month: NaiveDate, number: u32) -> Vec<NaiveDate> {
        let length = length(month);
        let is_day = |day: &NaiveDate| {
            if self.days.is_empty() {
                return if self.month_days.is_empty() { day.day() == number } else { self.is_month_day(*day) };
            }
            let (nth, from_end) = ((i64::from(day.day()) - 1) / 7 + 1, (length - i64::from(day.day())) / 7 + 1);
            let fits = |(wanted, weekday): &(i64, Weekday)| {
                *weekday == day.weekday() && (*wanted == 0 || *wanted == nth || *wanted == -from_end)
            };
            self.days.iter().any(fits) && self.is_month_day(*day)
        };
        month.iter_days().take_while(|day| day.month() == month.month()).filter(is_day).collect()
    }
}

fn length(day: NaiveDate) -> i64 {
    let next = day.with_day(1).and_then(|first| first.checked_add_months(Months::new(1)));
    next.and_then(|next| next.pred_opt()).map_or(31, |last| i64::from(last.day()))
}

fn weekday(text: &str) -> Option<(i64, Weekday)> {
    let (number, day) = text.trim().split_at_checked(text.trim().len().checked_sub(2)?)?;
    let day = match day {
        "MO" => Weekday::Mon,
        "TU" => Weekday::Tue,
        "WE" => Weekday::Wed,
        "TH" => Weekday::Thu,
        "FR" => Weekday::Fri,
        "SA" => Weekday::Sat,
        "SU" => Weekday::Sun,
        _ => return None,
    };
    let number = if number.is_empty() { 0 } else { number.parse().ok().filter(|n: &i64| *n != 0 && n.abs() <= 5)? };
    Some((number, day))
}

fn until(text: &str, zone: Tz) -> Option<Time> {
    if let Ok(utc) = NaiveDateTime::parse_from_str(text, "%Y%m%dT%H%M%SZ") {
        return Some(Time::from_millis(utc.and_utc().timestamp_millis()));
    }
    if let Ok(given) = DateTime::parse_from_rfc3339(text) {
        return Some(Time::from_millis(given.timestamp_millis()));
    }
    if let Ok(local) = NaiveDateTime::parse_from_str(text, "%Y%m%dT%H%M%S") {
        return zone::instant(zone, local);
    }
    // A day with all of its hours.
    let day = NaiveDate::parse_from_str(text, "%Y%m%d").ok()?;
    zone::instant(zone, day.and_hms_opt(0, 0, 0)? + Duration::days(1) - Duration::seconds(1))
}

fn wrong(text: &str, why: &str) -> Error {
    Error::invalid(format!(
        "'{}' is no recurrence that jobs take: {why}. Take hourly, daily, weekdays, weekly or monthly, or an RRULE as \
         FREQ=WEEKLY;BYDAY=MO,TH;COUNT=10.",
        clip(text, 80)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(text: &str, start: &str, zone: &str) -> Result<Recurrence> {
        let start = serde_json::from_value(start.into()).unwrap();
        Recurrence::parse(text, start, zone.parse().unwrap())
    }

    fn times(text: &str, start: &str, number: usize) -> Vec<String> {
        let rule = rule(text, start, "Europe/Berlin").unwrap();
        let mut time = Time::from_millis(0);
        let mut next = || {
            time = rule.after(time)?;
            Some(zone::local(rule.zone, time)?.format("%m-%d %a %H:%M").to_string())
        };
        std::iter::from_fn(&mut next).take(number).collect()
    }

    /// Each as dateutil.rrule has it.
    #[test]
    fn rules_come_again_as_the_standard_says() {
        // A Friday, 9 o'clock in Berlin.
        let friday = "2026-11-27T08:00:00Z";
        assert_eq!(times("weekdays", friday, 3), ["11-27 Fri 09:00", "11-30 Mon 09:00", "12-01 Tue 09:00"]);
        assert_eq!(
            times("monthly", "2027-01-31T08:00:00Z", 3),
            ["01-31 Sun 09:00", "03-31 Wed 09:00", "05-31 Mon 09:00"]
        );
        assert_eq!(times("hourly", friday, 2), ["11-27 Fri 09:00", "11-27 Fri 10:00"]);
        assert_eq!(
            times("FREQ=DAILY;INTERVAL=10;COUNT=3", friday, 9),
            ["11-27 Fri 09:00", "12-07 Mon 09:00", "12-17 Thu 09:00"]
        );
        assert_eq!(
            times("RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR;UNTIL=20261224", friday, 9),
            ["11-27 Fri 09:00", "12-07 Mon 09:00", "12-11 Fri 09:00", "12-21 Mon 09:00"]
        );
        assert_eq!(
            times("FREQ=MONTHLY;BYDAY=-1FR;COUNT=3", friday, 9),
            ["11-27 Fri 09:00", "12-25 Fri 09:00", "01-29 Fri 09:00"]
        );
        assert_eq!(times("FREQ=MONTHLY;BYDAY=1MO;COUNT=2", friday, 9), ["12-07 Mon 09:00", "01-04 Mon 09:00"]);
        assert_eq!(
            times("FREQ=MONTHLY;BYMONTHDAY=-1,15;COUNT=3", friday, 9),
            ["11-30 Mon 09:00", "12-15 Tue 09:00", "12-31 Thu 09:00"]
        );
        // The clock is put forward between the two.
        assert_eq!(
            times("daily", "2027-03-27T01:30:00Z", 3),
            ["03-27 Sat 02:30", "03-28 Sun 03:00", "03-29 Mon 02:30"]
        );
    }

    #[test]
    fn what_has_no_end_or_is_no_rule_says_so() {
        let friday = "2026-11-27T08:00:00Z";
        let endless = "FREQ=DAILY;INTERVAL=2";
        let told = rule(endless, friday, "UTC").unwrap().require_end(endless).unwrap_err();
        assert!(
            told.message().starts_with("The RRULE 'FREQ=DAILY;INTERVAL=2' has no end: add COUNT or UNTIL."),
            "{told}"
        );
        assert!(rule("daily", friday, "UTC").unwrap().require_end("daily").is_ok());
        for text in [
            "yearly",
            "FREQ=YEARLY;COUNT=1",
            "FREQ=DAILY;BYSETPOS=1",
            "COUNT=3",
            "FREQ=DAILY;COUNT=0",
            "FREQ=WEEKLY;BYDAY=1MO",
        ] {
            let told = rule(text, friday, "UTC").unwrap_err();
            assert!(told.message().contains("is no recurrence that jobs take"), "{text}: {told}");
        }
        let never = rule("FREQ=MONTHLY;BYMONTHDAY=31;INTERVAL=12;COUNT=1", "2027-02-01T08:00:00Z", "UTC").unwrap();
        assert_eq!(never.after(Time::from_millis(0)), None);
    }
}
