//! The moments at which a job runs, as they are written and as they are computed.

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};

use super::{cron::CronRule, recurrence::Recurrence, zone};
use crate::{
    error::{Error, Result},
    text::clip,
    time::Time,
};

/// The least number of seconds between two runs.
const LEAST_SECONDS: u64 = 60;
/// The largest: a hundred years.
const MOST_SECONDS: u64 = 100 * 366 * 86_400;

/// The moments at which a job runs: exactly one of `cron`, `at`, `every_seconds` and `webhook`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = JobWhen)]
pub struct When {
    /// A cron expression of five fields: minute, hour, day, month, weekday. Where both days are given, either is enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cron: Option<String>,
    /// A moment, as RFC 3339; without an offset it is a moment of `time_zone`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Beside `at`, which is the first time then: `hourly`, `daily`, `weekdays`, `weekly`, `monthly`, or an RRULE with an end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recurrence: Option<String>,
    /// The zone whose clock `cron`, `at` and `recurrence` follow; UTC if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
    /// So many seconds after each other, from 60 on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 60)]
    pub every_seconds: Option<u64>,
    /// When its address is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webhook: Option<Webhook>,
}

/// The webhook that runs a job.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = JobWebhook)]
pub struct Webhook {
    /// The path of its address; Satchel chooses it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// The moments as they are computed.
#[derive(Debug, Clone)]
pub enum Trigger {
    /// By a cron expression.
    Cron(Box<CronRule>),
    /// Once.
    Once(Time),
    /// Again and again from a first time on.
    Repeat(Recurrence),
    /// At equal distances.
    Every {
        /// The distance in milliseconds.
        millis: i64,
        /// The moment it is counted from.
        from: Time,
    },
    /// When another program says so.
    Webhook,
}

impl When {
    /// The same, written one way, and its trigger.
    ///
    /// # Errors
    ///
    /// If it has no kind or several, is no moment, never comes, or is over.
    pub fn check(self, now: Time) -> Result<(Self, Trigger)> {
        let Self { cron, at, recurrence, time_zone, every_seconds, webhook } = self;
        let kinds = [cron.is_some(), at.is_some(), every_seconds.is_some(), webhook.is_some()];
        if kinds.into_iter().filter(|given| *given).count() != 1 {
            return Err(Error::invalid(
                "'when' has exactly one kind: 'cron' (with 'time_zone'), 'at', 'every_seconds' or 'webhook'.",
            ));
        }
        if recurrence.is_some() && at.is_none() {
            return Err(Error::invalid("'recurrence' stands beside 'at', which is its first time."));
        }
        let has_zone = cron.is_some() || at.is_some();
        let zone = zone::parse(time_zone.as_deref())?;
        let at = match at {
            Some(text) => Some(moment(&text, zone)?),
            None => None,
        };
        if let Some(past) = at.filter(|at| *at <= now) {
            return Err(Error::invalid(format!("{past} is over: name a moment that is still to come.")));
        }
        let when = Self {
            cron: cron.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" ")),
            at: at.map(|at| at.to_string()),
            recurrence: recurrence.map(|text| text.trim().to_owned()),
            time_zone: has_zone.then(|| zone.name().to_owned()),
            every_seconds,
            webhook: webhook.map(|_| Webhook::default()),
        };
        let trigger = Trigger::read(&when, now)?;
        if let (Trigger::Repeat(rule), Some(text)) = (&trigger, &when.recurrence) {
            rule.require_end(text)?;
        }
        match trigger.after(now) {
            None if !matches!(trigger, Trigger::Webhook) => {
                Err(Error::invalid("This never fires: change 'recurrence', or name another first time."))
            }
            _ => Ok((when, trigger)),
        }
    }
}

impl Trigger {
    /// The trigger of a job that was made at `from`.
    ///
    /// # Errors
    ///
    /// If what is written is none.
    pub fn read(when: &When, from: Time) -> Result<Self> {
        let zone = when.time_zone.as_deref();
        if let Some(cron) = &when.cron {
            return CronRule::parse(cron, zone).map(|rule| Self::Cron(Box::new(rule)));
        }
        if let Some(seconds) = when.every_seconds {
            if seconds < LEAST_SECONDS {
                return Err(Error::invalid(format!("'every_seconds' is a number from {LEAST_SECONDS} on.")));
            }
            if seconds > MOST_SECONDS {
                return Err(Error::invalid("'every_seconds' is at most a hundred years."));
            }
            return Ok(Self::Every { millis: i64::try_from(seconds * 1_000).map_err(Error::internal)?, from });
        }
        let Some(at) = &when.at else { return Ok(Self::Webhook) };
        let zone = zone::parse(zone)?;
        let start = moment(at, zone)?;
        match &when.recurrence {
            Some(rule) => Recurrence::parse(rule, start, zone).map(Self::Repeat),
            None => Ok(Self::Once(start)),
        }
    }

    /// The first moment after this one; `None` where there is none.
    pub fn after(&self, time: Time) -> Option<Time> {
        match self {
            Self::Cron(rule) => rule.after(time),
            Self::Once(at) => (*at > time).then_some(*at),
            Self::Repeat(rule) => rule.after(time),
            Self::Every { millis, from } => {
                let passed = (time.millis() - from.millis()).max(0) / millis;
                Some(Time::from_millis(from.millis() + (passed + 1) * millis))
            }
            Self::Webhook => None,
        }
    }

    /// The next moments, so many at most.
    pub fn next(&self, mut time: Time, number: usize) -> Vec<Time> {
        let mut next = || {
            time = self.after(time)?;
            Some(time)
        };
        std::iter::from_fn(&mut next).take(number).collect()
    }

    /// The moments in words.
    pub fn words(&self, when: &When) -> String {
        let zone = when.time_zone.as_deref().unwrap_or("UTC");
        let shown = |time: Time| {
            let local = zone::parse(Some(zone)).ok().and_then(|zone| zone::local(zone, time));
            local.map(|local| format!("{}, {zone}", local.format("%-d %B %Y %H:%M"))).unwrap_or_default()
        };
        match self {
            Self::Cron(rule) => rule.words(),
            Self::Once(at) => format!("once, {}", shown(*at)),
            Self::Repeat(rule) => format!("{} from {}", rule.words(), shown(rule.start())),
            Self::Every { millis, .. } => format!("every {}", span(millis / 1_000)),
            Self::Webhook => "when its address is called".to_owned(),
        }
    }
}

fn span(seconds: i64) -> String {
    let units = [(86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second")];
    let found = units.into_iter().find(|(length, _)| seconds % length == 0);
    match found.map(|(length, name)| (seconds / length, name)) {
        Some((1, name)) => name.to_owned(),
        Some((number, name)) => format!("{number} {name}s"),
        None => format!("{seconds} seconds"),
    }
}

/// The moment that a text names: with an offset, or on the zone's clock.
fn moment(text: &str, zone: Tz) -> Result<Time> {
    let text = text.trim();
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Ok(Time::from_millis(time.timestamp_millis()));
    }
    let forms = ["%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M"];
    let local = forms.iter().find_map(|form| NaiveDateTime::parse_from_str(text, form).ok());
    let day = || NaiveDate::parse_from_str(text, "%Y-%m-%d").ok().map(|day| day.and_time(NaiveTime::MIN));
    local.or_else(day).and_then(|local| zone::instant(zone, local)).ok_or_else(|| {
        let text = clip(text, 40);
        Error::invalid(format!("'{text}' is no moment: write it as 2026-12-01T09:00:00+01:00, or 2026-12-01T09:00."))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Time {
        serde_json::from_value(text.into()).unwrap()
    }

    fn once(text: &str, zone: Option<&str>) -> Result<(When, Trigger)> {
        let when = When { at: Some(text.to_owned()), time_zone: zone.map(str::to_owned), ..When::default() };
        when.check(at("2026-11-27T00:00:00Z"))
    }

    #[test]
    fn a_moment_without_an_offset_is_one_of_the_zone() {
        for (text, zone, wanted) in [
            ("2026-12-01T09:00:00+01:00", None, "2026-12-01T08:00:00.000Z"),
            ("2026-12-01T09:00", Some("Europe/Berlin"), "2026-12-01T08:00:00.000Z"),
            ("2026-12-01 09:00", None, "2026-12-01T09:00:00.000Z"),
            ("2027-03-28T02:30", Some("Europe/Berlin"), "2027-03-28T01:00:00.000Z"),
        ] {
            assert_eq!(once(text, zone).unwrap().0.at.unwrap(), wanted, "{text}");
        }
    }

    #[test]
    fn what_is_over_or_no_moment_says_so() {
        let refused = |text| once(text, None).unwrap_err().message().to_owned();
        assert_eq!(
            refused("2026-11-26T00:00:00Z"),
            "2026-11-26T00:00:00.000Z is over: name a moment that is still to come."
        );
        assert!(refused("tomorrow").starts_with("'tomorrow' is no moment"));
    }

    #[test]
    fn equal_distances_are_counted_from_when_the_job_was_made() {
        let when = When { every_seconds: Some(90), ..When::default() };
        let trigger = Trigger::read(&when, Time::from_millis(1_000)).unwrap();
        let times: Vec<i64> = trigger.next(Time::from_millis(100_000), 2).iter().map(|time| time.millis()).collect();
        assert_eq!(times, [181_000, 271_000]);
        assert_eq!(trigger.words(&when), "every 90 seconds");
    }

    #[test]
    fn a_webhook_is_an_object() {
        for text in [r#"{"webhook": {}}"#, r#"{"webhook": {"path": "/hooks/x"}}"#] {
            let when: When = serde_json::from_str(text).unwrap();
            let (when, trigger) = when.check(Time::from_millis(0)).unwrap();
            assert!(matches!(trigger, Trigger::Webhook), "{text}");
            assert_eq!(serde_json::to_string(&when).unwrap(), r#"{"webhook":{}}"#);
        }
    }
}
