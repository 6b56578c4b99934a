//! Time zones and calendars: local clocks, beginnings, weekdays, weeks.

use chrono::{DateTime, Datelike, Days, FixedOffset, MappedLocalTime, NaiveDate, NaiveDateTime, NaiveTime, Timelike};
use rhai::{Engine, Map};

use super::{
    Group, Helper,
    list::helper,
    moment::{Zone, read, show},
    values::{Fallible, fail, quoted},
};

pub(super) const GROUP: Group = Group { name: "zones", helpers: HELPERS, register };

#[rustfmt::skip]
const HELPERS: &[Helper] = &[
    helper("to_zone(time, zone) -> text", "The same moment by the clocks of a zone (an IANA name).", r#"to_zone("2026-07-01T12:00:00Z", "America/New_York")"#, r#""2026-07-01T08:00:00-04:00""#),
    helper("local_time(text, zone) -> text", "The moment a zone's clocks show 2026-05-01 09:30; a time they skip or show twice is an error.", r#"local_time("2026-05-01 09:30", "Europe/Berlin")"#, r#""2026-05-01T09:30:00+02:00""#),
    helper("local_time(text, zone, which) -> text", "The same; of two moments the \"earlier\" or the \"later\", a skipped one moved by as much.", r#"local_time("2026-10-25 02:30", "Europe/Berlin", "later")"#, r#""2026-10-25T02:30:00+01:00""#),
    helper("zone_offset(time, zone) -> integer", "Seconds its clocks are ahead of UTC at that moment.", r#"zone_offset("2026-07-01", "Asia/Kolkata")"#, "19800"),
    helper("is_zone(name) -> boolean", "Whether there is a zone of that name.", r#"is_zone("Mars/Phobos")"#, "false"),
    helper("start_of(time, unit) -> text", "When its minute, hour, day, week (Monday), month, quarter or year began, in the time's own offset.", r#"start_of("2026-05-20T13:45:10Z", "quarter")"#, r#""2026-04-01T00:00:00Z""#),
    helper("start_of(time, unit, zone) -> text", "The same by the clocks of a zone.", r#"start_of("2026-07-01T01:00:00Z", "day", "America/New_York")"#, r#""2026-06-30T00:00:00-04:00""#),
    helper("weekday(time) -> text", "Monday to Sunday, in the time's own offset.", r#"weekday("2026-05-01")"#, r#""Friday""#),
    helper("weekday(time, zone) -> text", "The same by the calendar of a zone.", r#"weekday("2026-05-01T23:30:00Z", "Asia/Tokyo")"#, r#""Saturday""#),
    helper("iso_week(time) -> map", "Year, week and day (Monday is 1) of ISO 8601.", r#"iso_week("2027-01-01")"#, r#"{"day": 5, "week": 53, "year": 2026}"#),
    helper("time_parts(time) -> map", "year, month, day, hour, minute, second, weekday (Monday is 1), day_of_year, in the time's own offset.", r#"time_parts("2026-05-01T09:30:00Z").day_of_year"#, "121"),
    helper("time_parts(time, zone) -> map", "The same by the clocks of a zone.", r#"time_parts("2026-05-01T09:30:00Z", "Asia/Tokyo").hour"#, "18"),
    helper("days_in_month(year, month) -> integer", "28 to 31.", "days_in_month(2028, 2)", "29"),
];

fn register(engine: &mut Engine) {
    engine
        .register_fn("to_zone", |time: &str, zone: &str| show(Zone::named(zone)?.at(read(time)?)))
        .register_fn("local_time", |text: &str, zone: &str| show(only_one(clock(text)?, Zone::named(zone)?)?))
        .register_fn("local_time", local_time)
        .register_fn("zone_offset", |time: &str, zone: &str| -> Fallible<i64> {
            Ok(Zone::named(zone)?.at(read(time)?).offset().local_minus_utc().into())
        })
        .register_fn("is_zone", |name: &str| Zone::named(name).is_ok())
        .register_fn("start_of", |time: &str, unit: &str| {
            let time = read(time)?;
            start_of(time, unit, Zone::Fixed(*time.offset()))
        })
        .register_fn("start_of", |time: &str, unit: &str, zone: &str| start_of(read(time)?, unit, Zone::named(zone)?))
        .register_fn("weekday", |time: &str| -> Fallible<String> { Ok(read(time)?.format("%A").to_string()) })
        .register_fn("weekday", |time: &str, zone: &str| -> Fallible<String> {
            Ok(Zone::named(zone)?.at(read(time)?).format("%A").to_string())
        })
        .register_fn("iso_week", iso_week)
        .register_fn("time_parts", |time: &str| -> Fallible<Map> { Ok(parts(read(time)?)) })
        .register_fn("time_parts", |time: &str, zone: &str| -> Fallible<Map> {
            Ok(parts(Zone::named(zone)?.at(read(time)?)))
        })
        .register_fn("days_in_month", days_in_month);
}

/// The one moment that clocks show so.
pub(super) fn only_one(naive: NaiveDateTime, zone: Zone) -> Fallible<DateTime<FixedOffset>> {
    match zone.local(naive) {
        MappedLocalTime::Single(time) => Ok(time),
        MappedLocalTime::None => {
            fail(format!("clocks there skip {naive}: choose another time, or local_time(text, zone, \"later\")"))
        }
        MappedLocalTime::Ambiguous(..) => fail(format!(
            "clocks there show {naive} twice: say which, local_time(text, zone, \"earlier\") or \"later\""
        )),
    }
}

fn clock(text: &str) -> Fallible<NaiveDateTime> {
    let text = text.trim();
    let formats = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M"];
    let naive = formats.iter().find_map(|format| NaiveDateTime::parse_from_str(text, format).ok());
    let date = || NaiveDate::parse_from_str(text, "%Y-%m-%d").ok().map(|date| date.and_time(NaiveTime::MIN));
    match naive.or_else(date) {
        Some(naive) if (0..=9999).contains(&naive.year()) => Ok(naive),
        _ => fail(format!("{} is no local time: 2026-05-01 09:30 is expected, without an offset", quoted(text))),
    }
}

fn local_time(text: &str, zone: &str, which: &str) -> Fallible<String> {
    let (naive, zone) = (clock(text)?, Zone::named(zone)?);
    let time = match (which, zone.local(naive)) {
        ("earlier", MappedLocalTime::None) => {
            let after = naive.checked_add_days(Days::new(1)).and_then(|day| zone.local(day).latest());
            let moved = after.and_then(|after| naive.and_local_timezone(*after.offset()).earliest());
            moved.map_or_else(|| fail("the time is beyond the years 0 to 9999"), |time| Ok(zone.at(time)))?
        }
        ("earlier" | "later", MappedLocalTime::None | MappedLocalTime::Single(_)) => zone.resolve(naive)?,
        ("earlier", MappedLocalTime::Ambiguous(earlier, _)) => earlier,
        ("later", MappedLocalTime::Ambiguous(_, later)) => later,
        _ => return fail(format!("which of two moments is \"earlier\" or \"later\", not {}", quoted(which))),
    };
    show(time)
}

fn start_of(time: DateTime<FixedOffset>, unit: &str, zone: Zone) -> Fallible<String> {
    let local = zone.at(time);
    let (date, clock) = (local.date_naive(), local.time());
    if let "minute" | "hour" = unit {
        // by the moment, not the clock: an hour that is shown twice has two beginnings
        let into = clock.second() + if unit == "hour" { clock.minute() * 60 } else { 0 };
        let into = chrono::TimeDelta::seconds(into.into()) + chrono::TimeDelta::nanoseconds(clock.nanosecond().into());
        return local.checked_sub_signed(into).map_or_else(|| fail("the time is too early"), show);
    }
    let first = match unit {
        "day" => Some(date),
        "week" => date.checked_sub_days(Days::new(date.weekday().num_days_from_monday().into())),
        "month" => date.with_day(1),
        "quarter" => date.with_day(1).and_then(|date| date.with_month0(date.month0() / 3 * 3)),
        "year" => NaiveDate::from_ymd_opt(date.year(), 1, 1),
        _ => {
            return fail(format!("the unit is minute, hour, day, week, month, quarter or year, not {}", quoted(unit)));
        }
    };
    first.map_or_else(|| fail("the time is too early"), |first| show(zone.resolve(first.and_time(NaiveTime::MIN))?))
}

fn iso_week(time: &str) -> Fallible<Map> {
    let time = read(time)?;
    let week = time.iso_week();
    Ok(map(&[
        ("year", week.year().into()),
        ("week", week.week().into()),
        ("day", time.weekday().number_from_monday().into()),
    ]))
}

fn parts(time: DateTime<FixedOffset>) -> Map {
    map(&[
        ("year", time.year().into()),
        ("month", time.month().into()),
        ("day", time.day().into()),
        ("hour", time.hour().into()),
        ("minute", time.minute().into()),
        ("second", time.second().into()),
        ("weekday", time.weekday().number_from_monday().into()),
        ("day_of_year", time.ordinal().into()),
    ])
}

fn map(fields: &[(&str, i64)]) -> Map {
    fields.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect()
}

fn days_in_month(year: i64, month: i64) -> Fallible<i64> {
    let first = i32::try_from(year).ok().zip(u32::try_from(month).ok());
    let first = first.and_then(|(year, month)| NaiveDate::from_ymd_opt(year, month, 1));
    let days = first.filter(|_| (0..=9999).contains(&year)).map(|first| first.num_days_in_month());
    days.map_or_else(|| fail("a year from 0 to 9999 and a month from 1 to 12 are expected"), |days| Ok(days.into()))
}
