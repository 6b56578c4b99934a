//! Stretches of time as they are counted: cutting a time into the fewest of them.

/// Milliseconds of a minute.
pub(super) const MINUTE: i64 = 60_000;
/// Milliseconds of an hour.
pub(super) const HOUR: i64 = 60 * MINUTE;
/// Minutes of the stretches that are counted by kind, the shortest first: five minutes, one hour and 4, a day, 4, 16 and 64
/// days, and all time. Each but the last is few times the one before, so that few are left at the ends of a time.
pub(super) const SPANS: [i64; 8] = [5, 60, 240, 1_440, 5_760, 23_040, 92_160, 60_000_000_000];
/// Minutes of the stretches of which the rows of any kind are counted, and known where they stand.
pub(super) const TOTALS: [i64; 2] = [5, 60];
/// Milliseconds of the shortest stretch that is counted.
pub(super) const SHORTEST: i64 = 5 * MINUTE;

/// Stretches in a row: of how many minutes each is, from which minute on, before which.
pub(super) type Stretch = (i64, i64, i64);

/// The minute at which the shortest stretch of a moment begins; no end stays none.
pub(super) fn floor(millis: i64) -> i64 {
    if millis == i64::MAX { millis } else { millis.div_euclid(SHORTEST) * (SHORTEST / MINUTE) }
}

/// The minute at which the first of the shortest stretches from a moment on begins; no end stays none.
pub(super) fn ceil(millis: i64) -> i64 {
    if millis.rem_euclid(SHORTEST) == 0 { floor(millis) } else { floor(millis).saturating_add(SHORTEST / MINUTE) }
}

/// A minute in milliseconds.
pub(super) fn millis(minute: i64) -> i64 {
    minute.saturating_mul(MINUTE)
}

/// The fewest stretches that make up the minutes from `first` on and before `end`, of these lengths, none of more minutes
/// than `longest`.
pub(super) fn stretches((first, end): (i64, i64), lengths: &[i64], longest: i64) -> Vec<Stretch> {
    let fitting = lengths.iter().filter(|minutes| **minutes <= longest).count();
    let mut made = Vec::new();
    cover((first, end), lengths.get(..fitting).unwrap_or_default(), &mut made);
    made
}

fn cover((first, end): (i64, i64), lengths: &[i64], made: &mut Vec<Stretch>) {
    let Some((minutes, shorter)) = lengths.split_last().filter(|_| first < end) else { return };
    let start = first.div_euclid(*minutes) * minutes + if first.rem_euclid(*minutes) > 0 { *minutes } else { 0 };
    let stop = if end == i64::MAX { end } else { end.div_euclid(*minutes) * minutes };
    if start >= stop {
        return cover((first, end), shorter, made);
    }
    made.push((*minutes, start, stop));
    cover((first, start), shorter, made);
    cover((stop, end), shorter, made);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_cover_each_five_minutes_once_with_the_longest_that_fit() {
        let all = (0, i64::MAX);
        assert_eq!(stretches(all, &SPANS, i64::MAX), [(60_000_000_000, 0, i64::MAX)]);
        assert_eq!(stretches(all, &SPANS, 5_760), [(5_760, 0, i64::MAX)]);
        assert_eq!(stretches(all, &TOTALS, i64::MAX), [(60, 0, i64::MAX)]);
        assert_eq!(stretches((25, 35), &SPANS, 5_760), [(5, 25, 35)]);
        for (first, end) in [(11_500, 36_000), (0, 5_760), (5, 5_755), (1_435, 2_885), (6_000, 120_000), (5, 5)] {
            for longest in [5, 60, 1_440, 5_760, i64::MAX] {
                let made = stretches((first, end), &SPANS, longest);
                let mut covered: Vec<i64> = made.iter().flat_map(|(_, from, to)| (*from..*to).step_by(5)).collect();
                covered.sort_unstable();
                assert_eq!(covered, (first..end).step_by(5).collect::<Vec<_>>(), "{first} {end} {longest}");
                let whole = |(minutes, from, to): &Stretch| (to - from) % minutes == 0 && *minutes <= longest;
                assert!(made.iter().all(whole), "{made:?}");
            }
        }
        let fewest = [(5_760, 5_760, 17_280), (60, 5_640, 5_760), (5, 5_635, 5_640), (5, 17_280, 17_290)];
        assert_eq!(stretches((5_635, 17_290), &SPANS, i64::MAX), fewest);
    }

    #[test]
    fn a_moment_is_rounded_to_five_minutes_and_no_end_stays_none() {
        let quarter = 15 * MINUTE;
        assert_eq!((floor(quarter), ceil(quarter)), (15, 15));
        assert_eq!((floor(quarter + 1), ceil(quarter + 1)), (15, 20));
        assert_eq!((floor(i64::MAX), ceil(i64::MAX)), (i64::MAX, i64::MAX));
    }
}
