//! Numbers as people read them.

use std::time::Duration;

/// Units of memory and disk, each 1,024 of the one before.
const UNITS: [&str; 5] = ["KB", "MB", "GB", "TB", "PB"];

/// A number of bytes in the unit that fits: `70.2 GB`.
pub fn bytes(bytes: u64) -> String {
    if bytes < 1_024 {
        return format!("{bytes} B");
    }
    let (mut tenths, mut unit) = (tenths_of(bytes, 1_024), "KB");
    let mut size = 1_024_u64;
    for next in UNITS.into_iter().skip(1) {
        // What would be rounded to 1,024 is one of the next.
        if tenths < 10_240 {
            break;
        }
        size = size.saturating_mul(1_024);
        (tenths, unit) = (tenths_of(bytes, size), next);
    }
    match tenths % 10 {
        0 => format!("{} {unit}", tenths / 10),
        tenth => format!("{}.{tenth} {unit}", tenths / 10),
    }
}

fn tenths_of(bytes: u64, unit: u64) -> u64 {
    let tenths = (u128::from(bytes) * 10 + u128::from(unit / 2)) / u128::from(unit);
    u64::try_from(tenths).unwrap_or(u64::MAX)
}

/// A stretch of time in the unit that fits, what is left of it dropped: `45 s`, `12 min`, `3 h`, `4 days`.
pub fn duration(duration: Duration) -> String {
    match duration.as_secs() {
        seconds @ ..120 => format!("{seconds} s"),
        seconds @ ..7_200 => format!("{} min", seconds / 60),
        seconds @ ..172_800 => format!("{} h", seconds / 3_600),
        seconds => format!("{} days", seconds / 86_400),
    }
}

/// A whole number with its thousands apart: `1,000,000`.
pub fn grouped(number: impl Into<i128>) -> String {
    let number: i128 = number.into();
    let digits = number.unsigned_abs().to_string();
    let mut told = if number < 0 { String::from("-") } else { String::new() };
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            told.push(',');
        }
        told.push(digit);
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_told_in_the_unit_that_fits() {
        let told = [0, 1_023, 1_024, 1_492 << 10, (1 << 20) - 1, 99 << 20, 71_915 << 20, 3 << 40, u64::MAX].map(bytes);
        assert_eq!(told, ["0 B", "1023 B", "1 KB", "1.5 MB", "1 MB", "99 MB", "70.2 GB", "3 TB", "16384 PB"]);
    }

    #[test]
    fn a_time_is_told_in_the_unit_that_fits() {
        let told = [0, 119, 120, 7_199, 7_200, 172_799, 172_800].map(|s| duration(Duration::from_secs(s)));
        assert_eq!(told, ["0 s", "119 s", "2 min", "119 min", "2 h", "47 h", "2 days"]);
    }

    #[test]
    fn thousands_stand_apart() {
        assert_eq!([0_i64, 999, 1_000, -12_345, 1_000_000].map(grouped), ["0", "999", "1,000", "-12,345", "1,000,000"]);
    }
}
