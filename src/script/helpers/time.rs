//! Times as RFC 3339 texts: reading, showing, adding, measuring.

use std::fmt::Write as _;

use chrono::{
    DateTime, NaiveDate, NaiveDateTime, TimeZone as _,
    format::{Item, StrftimeItems},
};
use rhai::{Dynamic, Engine, ImmutableString, NativeCallContext};

use super::{
    Clock, Group, Helper,
    list::helper,
    moment::{Span, Zone, from_unix, read, seconds_between, show},
    values::{Fallible, fail, number, quoted},
};

pub(super) const GROUP: Group = Group { name: "time", helpers: HELPERS, register };

/// Longest format, in bytes.
const MAX_FORMAT: usize = 200;

#[rustfmt::skip]
const HELPERS: &[Helper] = &[
    helper("now() -> text", "The time in UTC; a test fixes it with time_is.", r#"now().ends_with("Z")"#, "true"),
    helper("today(zone) -> text", "The date there.", r#"today("UTC").len"#, "10"),
    helper("parse_time(text) -> text", "Reads RFC 3339, RFC 2822 (mail, feeds), dates, and dates with a time; without an offset they are UTC.", r#"parse_time("Fri, 1 May 2026 09:30:00 +0200")"#, r#""2026-05-01T09:30:00+02:00""#),
    helper("parse_time(text, format) -> text", "Reads another format (strftime: %d.%m.%Y %H:%M); without an offset in it, UTC.", r#"parse_time("01.05.2026", "%d.%m.%Y")"#, r#""2026-05-01T00:00:00Z""#),
    helper("parse_time(text, format, zone) -> text", "The same by the clocks of a zone; a time they skip or show twice is an error.", r#"parse_time("1.5.2026 9:30", "%d.%m.%Y %H:%M", "Europe/Berlin")"#, r#""2026-05-01T09:30:00+02:00""#),
    helper("is_time(text) -> boolean", "Whether it is a time or date as these helpers take them.", r#"is_time("2026-02-30")"#, "false"),
    helper("format_time(time, format) -> text", "As strftime writes it, in the time's own offset.", r#"format_time("2026-05-01T09:30:00Z", "%A, %-d %B %Y %H:%M")"#, r#""Friday, 1 May 2026 09:30""#),
    helper("format_time(time, format, zone) -> text", "The same by the clocks of a zone; %Z is its abbreviation.", r#"format_time("2026-05-01T09:30:00Z", "%H:%M %Z", "Europe/Berlin")"#, r#""11:30 CEST""#),
    helper("add_time(time, span) -> text", "Later by 2h 30m, 3 days, 1y 2mo or P1DT2H, earlier by -1w; a month's missing days are its last.", r#"add_time("2026-01-31T08:00:00Z", "1 month")"#, r#""2026-02-28T08:00:00Z""#),
    helper("add_time(time, span, zone) -> text", "The same by a zone's calendar: days keep the hour when clocks change (a skipped one moves on).", r#"add_time("2026-03-28T12:00:00+01:00", "1d", "Europe/Berlin")"#, r#""2026-03-29T12:00:00+02:00""#),
    helper("seconds_between(from, to) -> float", "Negative if to is earlier.", r#"seconds_between("2026-05-01T00:00:00Z", "2026-05-01T00:01:30Z")"#, "90.0"),
    helper("hours_between(from, to) -> float", "Hours of 3600 seconds, with their fraction.", r#"hours_between("2026-03-29T00:00:00+01:00", "2026-03-30T00:00:00+02:00")"#, "23.0"),
    helper("days_between(from, to) -> integer", "Midnights between the two dates as they are written.", r#"days_between("2026-02-27T23:00:00Z", "2026-03-01")"#, "2"),
    helper("compare_times(a, b) -> integer", "-1, 0 or 1: a is earlier, the same or later, whatever their offsets.", r#"compare_times("2026-05-01T10:00:00+02:00", "2026-05-01T08:00:00Z")"#, "0"),
    helper("to_unix(time) -> integer", "Whole seconds since 1970.", r#"to_unix("1970-01-02")"#, "86400"),
    helper("from_unix(seconds) -> text", "The time in UTC.", "from_unix(86400)", r#""1970-01-02T00:00:00Z""#),
    helper("parse_duration(text) -> number", "The seconds of a span such as 1h 30m or PT90S; months and years are an error.", r#"parse_duration("1h 30m")"#, "5400.0"),
    helper("format_duration(seconds) -> text", "Its two largest units.", "format_duration(93784)", r#""1 d 2 h""#),
];

fn register(engine: &mut Engine) {
    engine
        .register_fn("now", |context: NativeCallContext| show(Clock::now(&context).fixed_offset()))
        // by the now() of the engine, whoever registered it
        .register_fn("today", |context: NativeCallContext, zone: &str| -> Fallible<String> {
            let now = context.call_native_fn::<ImmutableString>("now", ())?;
            Ok(Zone::named(zone)?.at(read(&now)?).date_naive().to_string())
        })
        .register_fn("parse_time", parse)
        .register_fn("parse_time", |text: &str, format: &str| parse_as(text, format, Zone::Named(chrono_tz::UTC)))
        .register_fn("parse_time", |text: &str, format: &str, zone: &str| parse_as(text, format, Zone::named(zone)?))
        .register_fn("is_time", |text: &str| read(text).is_ok())
        .register_fn("format_time", |time: &str, format: &str| format_in(time, format, None))
        .register_fn("format_time", |time: &str, format: &str, zone: &str| {
            format_in(time, format, Some(Zone::named(zone)?))
        })
        .register_fn("add_time", |time: &str, span: &str| {
            let time = read(time)?;
            show(Span::read(span)?.after(time, Zone::Fixed(*time.offset()))?)
        })
        .register_fn("add_time", |time: &str, span: &str, zone: &str| {
            show(Span::read(span)?.after(read(time)?, Zone::named(zone)?)?)
        });
    register_measures(engine);
}

fn register_measures(engine: &mut Engine) {
    engine
        .register_fn("seconds_between", |from: &str, to: &str| -> Fallible<f64> {
            Ok(seconds_between(read(from)?, read(to)?))
        })
        .register_fn("hours_between", |from: &str, to: &str| -> Fallible<f64> {
            Ok(seconds_between(read(from)?, read(to)?) / 3600.0)
        })
        .register_fn("days_between", |from: &str, to: &str| -> Fallible<i64> {
            Ok((read(to)?.date_naive() - read(from)?.date_naive()).num_days())
        })
        .register_fn("compare_times", |a: &str, b: &str| -> Fallible<i64> { Ok(read(a)?.cmp(&read(b)?) as i64) })
        .register_fn("to_unix", |time: &str| -> Fallible<i64> { Ok(read(time)?.timestamp()) })
        .register_fn("from_unix", |seconds: Dynamic| show(from_unix(number(&seconds)?)?))
        .register_fn("parse_duration", |text: &str| Span::read(text)?.length())
        .register_fn("format_duration", format_duration);
}

fn parse(text: &str) -> Fallible<String> {
    let text = text.trim();
    let known = DateTime::parse_from_rfc3339(text).or_else(|_| DateTime::parse_from_rfc2822(text));
    if let Ok(time) = known {
        return show(time);
    }
    let formats = ["%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M"];
    let naive = formats.iter().find_map(|format| NaiveDateTime::parse_from_str(text, format).ok());
    match naive {
        Some(naive) => show(naive.and_utc().fixed_offset()),
        None => show(read(text)?),
    }
}

fn items(format: &str) -> Fallible<Vec<Item<'_>>> {
    let items: Vec<_> = StrftimeItems::new(format).collect();
    if format.len() > MAX_FORMAT || items.contains(&Item::Error) {
        return fail(format!("{} is no format of times: parts such as %Y-%m-%d %H:%M are expected", quoted(format)));
    }
    Ok(items)
}

fn parse_as(text: &str, format: &str, zone: Zone) -> Fallible<String> {
    items(format)?;
    let text = text.trim();
    if let Ok(time) = DateTime::parse_from_str(text, format) {
        return show(time);
    }
    let naive = NaiveDateTime::parse_from_str(text, format)
        .or_else(|_| NaiveDate::parse_from_str(text, format).map(|date| date.and_time(chrono::NaiveTime::MIN)));
    match naive {
        Ok(naive) => show(super::zones::only_one(naive, zone)?),
        Err(why) => fail(format!("{} is not written as {format:?}: {why}", quoted(text))),
    }
}

fn format_in(time: &str, format: &str, zone: Option<Zone>) -> Fallible<String> {
    let (time, items) = (read(time)?, items(format)?);
    let mut text = String::new();
    let written = match zone {
        Some(Zone::Named(zone)) => {
            write!(text, "{}", zone.from_utc_datetime(&time.naive_utc()).format_with_items(items.iter()))
        }
        _ => write!(text, "{}", time.format_with_items(items.iter())),
    };
    match written {
        Ok(()) => Ok(text),
        Err(_) => fail(format!("a time cannot be shown as {}", quoted(format))),
    }
}

fn format_duration(seconds: Dynamic) -> Fallible<String> {
    let length = number(&seconds)?;
    if length.is_nan() || length.abs() >= 1e12 {
        return fail("a number of seconds is expected");
    }
    let mut rest = length.abs().round() as u64;
    let mut parts = Vec::new();
    for (unit, size) in [("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1)] {
        if rest >= size {
            parts.push(format!("{} {unit}", rest / size));
        } else if !parts.is_empty() {
            parts.push(String::new());
        }
        rest %= size;
    }
    let shown: Vec<String> = parts.into_iter().take(2).filter(|part| !part.is_empty()).collect();
    let text = if shown.is_empty() { "0 s".to_string() } else { shown.join(" ") };
    Ok(if length < 0.0 && text != "0 s" { format!("-{text}") } else { text })
}
