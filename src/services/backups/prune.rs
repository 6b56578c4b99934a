//! The scheduled backups to remove: beyond the number, beyond the age, and never the last.

use std::time::Duration;

use satchel_model::{
    backup::{Backup, Reason, State},
    settings::Backups,
    time::Time,
};

const DAY: Duration = Duration::from_secs(86_400);

/// Ids of those that go. What somebody asked for, or put there, is none of them.
pub(super) fn outdated(all: &[Backup], settings: &Backups, now: Time) -> Vec<String> {
    let mut scheduled: Vec<&Backup> =
        all.iter().filter(|one| one.reason == Some(Reason::Schedule) && one.state == State::Done).collect();
    // One of the future is not the latest: a clock was wrong, and what is made now must not go for it.
    scheduled.sort_by_key(|one| (one.created_at > now, std::cmp::Reverse(one.created_at)));
    let oldest = (settings.keep_days > 0).then(|| now.before(DAY * settings.keep_days));
    let keep = usize::try_from(settings.keep.max(1)).unwrap_or(usize::MAX);
    let goes = |place: usize, one: &Backup| place >= keep || oldest.is_some_and(|oldest| one.created_at < oldest);
    let outdated = scheduled.into_iter().enumerate().filter(|(place, one)| *place > 0 && goes(*place, one));
    outdated.map(|(_, one)| one.id.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn backup(id: &str, days: i64, reason: Option<Reason>) -> Backup {
        Backup {
            id: id.to_owned(),
            state: State::Done,
            path: String::new(),
            created_at: Time::from_millis(days * 86_400_000),
            bytes: 1,
            reason,
            sealed_to: None,
            vault_key: None,
            progress: None,
            verified: None,
            problem: None,
        }
    }

    #[test]
    fn scheduled_ones_go_by_number_and_by_age_and_the_last_stays() {
        let made = |id: &str, days| backup(id, days, Some(Reason::Schedule));
        let all =
            [made("a", 10), made("b", 9), backup("mine", 1, Some(Reason::Asked)), made("c", 8), backup("put", 1, None)];
        let now = Time::from_millis(10 * 86_400_000);
        let goes = |keep, keep_days, now| outdated(&all, &Backups { keep, keep_days, ..Backups::default() }, now);
        assert_eq!(goes(14, 0, now), Vec::<String>::new());
        assert_eq!(goes(2, 0, now), ["c"]);
        assert_eq!(goes(14, 1, now), ["c"]);
        assert_eq!(goes(14, 1, Time::from_millis(99 * 86_400_000)), ["b", "c"]);
        // Made while the clock was a day ahead.
        assert_eq!(goes(1, 0, Time::from_millis(9 * 86_400_000)), ["c", "a"]);
    }
}
