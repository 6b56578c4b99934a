//! The schedule: when the next backup is due, and whoever makes it then. One that was missed while nothing ran is made up
//! for, once.

use std::{sync::Arc, time::Duration};

use chrono::{DateTime, Datelike, Days, NaiveDate, TimeZone, Weekday};
use serde_json::json;

use super::{
    keys::Given,
    prune,
    service::{Backups, OwnTurn, Verdict, Wish},
};
use satchel_model::{
    backup::{Backup, Reason, SealedTo, State},
    error::{Error, Result},
    figure,
    settings::{self, BackupSchedule, BackupWeekday},
    time::Time,
};
use satchel_store::backup::{log::By, watch::Watch};

/// The pause between two looks whether one is due.
const LOOK: Duration = Duration::from_secs(1);
/// The pause until one that failed is tried again.
const AGAIN: Duration = Duration::from_secs(3_600);

/// The last moment at or before `now` at which one was due, and the first after it. `None` where none ever is.
pub(super) fn due<Z: TimeZone>(settings: &settings::Backups, now: &DateTime<Z>) -> Option<(Time, Time)> {
    let (hour, minute) = settings.time_of_day().ok()?;
    let step = match settings.schedule {
        BackupSchedule::Off => return None,
        BackupSchedule::Daily => 1,
        BackupSchedule::Weekly => 7,
    };
    let wanted = weekday(settings.weekday);
    let at = |day: NaiveDate| {
        let local = day.and_hms_opt(hour, minute, 0)?;
        // An hour that a day does not have begins when the next one does; one that it has twice counts the first time.
        let zone = now.timezone();
        let found = zone.from_local_datetime(&local).earliest();
        found.or_else(|| zone.from_local_datetime(&(local + chrono::Duration::hours(1))).earliest())
    };
    let mut day = now.date_naive();
    while step == 7 && day.weekday() != wanted {
        day = day.checked_sub_days(Days::new(1))?;
    }
    let mut last = at(day)?;
    if last > *now {
        day = day.checked_sub_days(Days::new(step))?;
        last = at(day)?;
    }
    let next = at(day.checked_add_days(Days::new(step))?)?;
    Some((Time::from_millis(last.timestamp_millis()), Time::from_millis(next.timestamp_millis())))
}

fn weekday(day: BackupWeekday) -> Weekday {
    match day {
        BackupWeekday::Monday => Weekday::Mon,
        BackupWeekday::Tuesday => Weekday::Tue,
        BackupWeekday::Wednesday => Weekday::Wed,
        BackupWeekday::Thursday => Weekday::Thu,
        BackupWeekday::Friday => Weekday::Fri,
        BackupWeekday::Saturday => Weekday::Sat,
        BackupWeekday::Sunday => Weekday::Sun,
    }
}

/// A point in time on the server's clock.
pub(super) fn local(now: Time) -> DateTime<chrono::Local> {
    chrono::Local.timestamp_millis_opt(now.millis()).earliest().unwrap_or_default()
}

/// Makes backups as they become due, until the process ends.
pub(super) async fn run(backups: Arc<Backups>) {
    let mut tried: Option<Time> = None;
    loop {
        tokio::select! {
            () = backups.app.lifecycle.shutdown.cancelled() => return,
            () = tokio::time::sleep(LOOK) => {}
        }
        let now = backups.app.clock.now();
        let settings = backups.app.settings.get();
        let Some((last, _)) = due(&settings.backups, &local(now)) else { continue };
        if rests(tried, last, now) {
            continue;
        }
        // Another one may be under way: this one has its turn after it.
        let Ok(turn) = backups.take_turn() else { continue };
        tried = Some(now);
        let made = match is_made(&backups, last, now) {
            Ok(true) => continue,
            Ok(false) => backups.make_in(turn).await,
            Err(error) => Err(error),
        };
        if let Err(error) = made {
            backups.unbegun(error).await;
        }
    }
}

/// Returns whether the one that was due at `last` was tried, and is not to be tried again yet. A try of the future says
/// nothing: a clock was wrong.
fn rests(tried: Option<Time>, last: Time, now: Time) -> bool {
    tried.is_some_and(|tried| (last..=now).contains(&tried) && now < tried.after(AGAIN))
}

/// Returns whether this server's schedule made one since it was due. One of the future says nothing: a clock was wrong.
fn is_made(backups: &Backups, due: Time, now: Time) -> Result<bool> {
    let (all, shelf) = (backups.list()?, backups.shelf());
    let counts = |one: &Backup| {
        one.reason == Some(Reason::Schedule) && one.state == State::Done && (due..=now).contains(&one.created_at)
    };
    Ok(all.iter().any(|one| counts(one) && shelf.owns(&one.id)))
}

impl Backups {
    /// Makes one as the schedule does, which is verified and kept as those are; says in a sentence that it is made.
    ///
    /// # Errors
    ///
    /// If another one is under way, or it was not made.
    pub async fn make_scheduled(self: &Arc<Self>) -> Result<String> {
        let turn = self.take_turn()?;
        let backup = self.make_in(turn).await?;
        match self.get(&backup.id)? {
            Backup { state: State::Failed, problem, .. } => {
                Err(Error::conflict(format!("The backup was not made. {}", problem.unwrap_or_default())))
            }
            made => Ok(format!("The backup {} is made, {}.", made.id, figure::bytes(made.bytes))),
        }
    }

    /// Makes one in a turn that was taken. What is older goes only for one that is not known to be worse.
    async fn make_in(self: &Arc<Self>, turn: OwnTurn) -> Result<Backup> {
        let (backup, ended) = self.begin(turn, By::Schedule, Wish::default())?;
        let is_made = ended.await.is_ok_and(|made| made);
        if is_made && self.verify_scheduled(&backup).await != Verdict::Unreliable {
            self.prune().await;
        }
        Ok(backup)
    }

    /// Verifies one the schedule made, where the settings say so and the server can open it.
    pub(super) async fn verify_scheduled(self: &Arc<Self>, backup: &Backup) -> Verdict {
        let settings = self.app.settings.get();
        if !settings.backups.verify || settings.backups.sealed_to == SealedTo::Recipient {
            return Verdict::Unknown;
        }
        match self.verify(By::Schedule, &backup.id, Given::default()).await {
            Ok((_, ended)) => ended.await.unwrap_or(Verdict::Unknown),
            Err(error) => {
                tracing::warn!(?error, "the scheduled backup was not verified");
                Verdict::Unknown
            }
        }
    }

    /// Tells of a scheduled backup that could not begin, as of one that failed.
    pub(super) async fn unbegun(&self, error: Error) {
        let shelf = self.shelf();
        let backup = self.running(&By::Schedule, &shelf);
        self.runs.begin(backup.clone(), &Watch::default());
        let ended = self.ended(By::Schedule, backup, Err(error), None).await;
        self.runs.end(ended);
    }

    /// Removes scheduled ones that are kept no longer.
    pub(super) async fn prune(&self) {
        let (settings, shelf) = (self.app.settings.get(), self.shelf());
        let outdated = match self.list() {
            Ok(mut all) => {
                all.retain(|one| shelf.owns(&one.id));
                prune::outdated(&all, &settings.backups, self.app.clock.now())
            }
            Err(error) => return tracing::warn!(?error, "old backups stay: their folder cannot be read"),
        };
        for id in outdated {
            match shelf.remove(&id) {
                Ok(()) => self.record(&By::Schedule, "backup.delete", json!({"id": id}), None).await,
                Err(error) => tracing::warn!(?error, id, "an old backup stays"),
            }
        }
    }

    /// Returns whether the schedule keeps what it promises, for the doctor.
    ///
    /// # Errors
    ///
    /// If the folder is missing, or the last one that was due was not made.
    pub fn scheduled(&self) -> Result<String> {
        let (settings, shelf) = (self.app.settings.get(), self.shelf());
        if settings.backups.schedule == BackupSchedule::Off {
            return Ok("No schedule is set: a backup is made when somebody asks for one.".to_owned());
        }
        shelf.require_folder()?;
        let all = self.list()?;
        match all.iter().find(|one| one.reason == Some(Reason::Schedule) && shelf.owns(&one.id)) {
            Some(Backup { state: State::Failed, problem, .. }) => {
                let why = problem.as_deref().unwrap_or_default();
                Err(Error::conflict(format!("The last scheduled backup was not made. {why}")))
            }
            Some(Backup { verified: Some(drill), .. }) if !drill.ok => {
                let why = drill.problem.as_deref().unwrap_or_default();
                Err(Error::conflict(format!("The last scheduled backup cannot be relied on. {why}")))
            }
            Some(last) if last.state == State::Done => {
                Ok(format!("The schedule made the last one at {}.", last.created_at))
            }
            Some(_) => Ok("The schedule is making one.".to_owned()),
            None => Ok("The schedule is set, and its first one is about to be made.".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::Utc;

    fn between(schedule: BackupSchedule, now: &str) -> Option<(String, String)> {
        let settings = settings::Backups { schedule, at: "02:30".to_owned(), ..settings::Backups::default() };
        let now = now.parse::<DateTime<Utc>>().unwrap();
        due(&settings, &now).map(|(last, next)| (last.to_string(), next.to_string()))
    }

    #[test]
    fn a_daily_one_is_due_once_a_day() {
        let found = |now| between(BackupSchedule::Daily, now).unwrap();
        let days = |last: &str, next: &str| (format!("{last}T02:30:00.000Z"), format!("{next}T02:30:00.000Z"));
        assert_eq!(found("2026-03-01T02:29:59Z"), days("2026-02-28", "2026-03-01"));
        assert_eq!(found("2026-03-01T02:30:00Z"), days("2026-03-01", "2026-03-02"));
        assert_eq!(between(BackupSchedule::Off, "2026-03-01T02:30:00Z"), None);
    }

    #[test]
    fn one_that_was_tried_rests_for_an_hour_unless_it_was_tried_in_the_future() {
        let hours = |number: i64| Time::from_millis(number * 3_600_000);
        let (last, tried) = (hours(2), Some(hours(3)));
        assert!(!rests(None, last, hours(3)));
        assert!(rests(tried, last, hours(3)));
        assert!(!rests(tried, last, hours(4)));
        // The clock was put back, and the next one has become due.
        assert!(!rests(Some(hours(30)), last, hours(3)));
        assert!(!rests(tried, hours(26), hours(26)));
    }

    #[test]
    fn a_weekly_one_is_due_on_its_day() {
        let found = |now| between(BackupSchedule::Weekly, now).unwrap().0;
        // The 22nd of November 2026 is a Sunday.
        assert_eq!(found("2026-11-22T02:29:00Z"), "2026-11-15T02:30:00.000Z");
        assert_eq!(found("2026-11-22T02:30:00Z"), "2026-11-22T02:30:00.000Z");
        assert_eq!(found("2026-11-28T23:00:00Z"), "2026-11-22T02:30:00.000Z");
    }

    #[test]
    fn an_hour_the_day_does_not_have_is_made_up_for() {
        let settings = settings::Backups {
            schedule: BackupSchedule::Daily,
            at: "02:30".to_owned(),
            ..settings::Backups::default()
        };
        let now = chrono_tz::Europe::Berlin.with_ymd_and_hms(2026, 3, 29, 12, 0, 0).unwrap();
        assert_eq!(due(&settings, &now).unwrap().0.to_string(), "2026-03-29T01:30:00.000Z");
    }
}
