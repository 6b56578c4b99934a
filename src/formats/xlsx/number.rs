//! Numbers as a reader sees them: dates, times and percentages where the cell's format says so.

use chrono::{Days, NaiveDate, NaiveTime};
use serde_json::Number;

/// The kind of value a number format shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Format {
    /// The number itself.
    #[default]
    Plain,
    /// A share, times 100, with this many decimals.
    Percent(usize),
    /// A day.
    Date,
    /// A time of day.
    Time,
    /// Both.
    DateTime,
    /// A length of time.
    Elapsed,
}

/// The format of a built-in number.
pub(super) fn built_in(id: u32) -> Format {
    match id {
        9 => Format::Percent(0),
        10 => Format::Percent(2),
        14..=17 | 27..=31 | 36 | 50..=54 | 57 | 58 => Format::Date,
        18..=21 | 32..=35 | 45 | 47 | 55 | 56 => Format::Time,
        22 => Format::DateTime,
        46 => Format::Elapsed,
        _ => Format::Plain,
    }
}

/// The format a code such as `dd/mm/yyyy` or `0.0%` stands for.
pub(super) fn of_code(code: &str) -> Format {
    let (mut bare, mut chars, mut elapsed) = (String::new(), code.chars(), false);
    while let Some(c) = chars.next() {
        match c {
            '"' => drop(chars.by_ref().find(|c| *c == '"')),
            '\\' | '_' | '*' => drop(chars.next()),
            '[' => {
                let inner: String = chars.by_ref().take_while(|c| *c != ']').collect();
                elapsed |= !inner.is_empty() && inner.chars().all(|c| "hms".contains(c.to_ascii_lowercase()));
            }
            ';' => break,
            c => bare.push(c.to_ascii_lowercase()),
        }
    }
    let has = |wanted: &[char]| bare.contains(wanted);
    let general = bare.contains("general");
    match () {
        () if elapsed => Format::Elapsed,
        () if general => Format::Plain,
        () if has(&['y', 'd']) && has(&['h', 's']) => Format::DateTime,
        () if has(&['y', 'd']) => Format::Date,
        () if has(&['h', 's']) => Format::Time,
        () if has(&['m']) => Format::Date,
        () if has(&['%']) => {
            let decimals =
                bare.split('.').nth(1).map_or(0, |behind| behind.chars().take_while(|c| "0#".contains(*c)).count());
            Format::Percent(decimals.min(10))
        }
        () => Format::Plain,
    }
}

/// A number as text. `since_1904` is how some workbooks count days.
pub(super) fn show(value: f64, format: Format, since_1904: bool) -> String {
    let shown = match format {
        Format::Plain => None,
        Format::Percent(decimals) => Some(format!("{:.decimals$}%", value * 100.0)),
        Format::Elapsed => elapsed(value),
        Format::Date | Format::Time | Format::DateTime => moment(value, format, since_1904),
    };
    shown.unwrap_or_else(|| plain(value))
}

/// Up to here a cell holds each whole number.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A number of JSON as a cell holds it; `None` if digits would be lost.
pub(super) fn kept(number: &Number) -> Option<f64> {
    let value = number.as_f64()?;
    (number.is_f64() || value.abs() < EXACT).then_some(value)
}

/// Whole numbers as they are, others with at most 15 digits, as a spreadsheet shows.
pub(super) fn plain(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < EXACT {
        return format!("{}", value + 0.0);
    }
    let rounded = format!("{value:.14e}").parse().unwrap_or(value);
    if rounded == 0.0 { "0".to_owned() } else { format!("{rounded}") }
}

fn seconds(days: f64) -> Option<u64> {
    let seconds = (days * 86_400.0).round();
    // A cast saturates, and the range was checked.
    (0.0..1e13).contains(&seconds).then_some(seconds as u64)
}

fn elapsed(value: f64) -> Option<String> {
    let all = seconds(value)?;
    Some(format!("{}:{:02}:{:02}", all / 3600, all / 60 % 60, all % 60))
}

fn moment(value: f64, format: Format, since_1904: bool) -> Option<String> {
    let all = seconds(value)?;
    let (days, seconds) = (all / 86_400, u32::try_from(all % 86_400).ok()?);
    let time = NaiveTime::from_num_seconds_from_midnight_opt(seconds, 0)?;
    // The 29th of February 1900, which never was, is day 60.
    let first = match (since_1904, days) {
        (true, _) => NaiveDate::from_ymd_opt(1904, 1, 1)?,
        (false, 0..60) => NaiveDate::from_ymd_opt(1899, 12, 31)?,
        (false, _) => NaiveDate::from_ymd_opt(1899, 12, 30)?,
    };
    let day = first.checked_add_days(Days::new(days)).filter(|day| *day < NaiveDate::MAX)?;
    Some(match format {
        Format::Time => time.format("%H:%M:%S").to_string(),
        Format::DateTime => day.and_time(time).format("%Y-%m-%d %H:%M:%S").to_string(),
        // A day with a time in it shows it: the format may be the one that hides it.
        _ if seconds > 0 => day.and_time(time).format("%Y-%m-%d %H:%M:%S").to_string(),
        _ => day.format("%Y-%m-%d").to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_told_apart() {
        for (code, wanted) in [
            ("General", Format::Plain),
            ("#,##0.00\\ \"days\"", Format::Plain),
            ("[Red]0.00", Format::Plain),
            ("yyyy\\-mm\\-dd", Format::Date),
            ("[$-407]d. mmmm yyyy;@", Format::Date),
            ("mmm", Format::Date),
            ("h:mm AM/PM", Format::Time),
            ("dd.mm.yy hh:mm", Format::DateTime),
            ("[h]:mm:ss", Format::Elapsed),
            ("0.0%", Format::Percent(1)),
            ("0%", Format::Percent(0)),
            ("\"%\"0", Format::Plain),
        ] {
            assert_eq!(of_code(code), wanted, "{code}");
        }
    }

    #[test]
    fn numbers_are_shown_as_they_are_meant() {
        assert_eq!(show(0.1 + 0.2, Format::Plain, false), "0.3");
        assert_eq!(show(1e6, Format::Plain, false), "1000000");
        assert_eq!(show(4_111_111_111_111_111.0, Format::Plain, false), "4111111111111111");
        assert_eq!(show(-0.0, Format::Plain, false), "0");
        assert_eq!(show(-2.5, Format::Plain, false), "-2.5");
        assert_eq!(show(0.125, Format::Percent(1), false), "12.5%");
        assert_eq!(show(45_000.0, Format::Date, false), "2023-03-15");
        assert_eq!(show(45_000.75, Format::DateTime, false), "2023-03-15 18:00:00");
        assert_eq!(show(1.0, Format::Date, false), "1900-01-01");
        assert_eq!(show(61.0, Format::Date, false), "1900-03-01");
        assert_eq!(show(0.0, Format::Date, true), "1904-01-01");
        assert_eq!(show(0.5, Format::Time, false), "12:00:00");
        assert_eq!(show(1.5, Format::Elapsed, false), "36:00:00");
        assert_eq!(show(-1.0, Format::Date, false), "-1");
        assert_eq!(show(1e300, Format::Date, false).len(), 301);
    }
}
