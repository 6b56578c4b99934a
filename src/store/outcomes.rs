//! The outcomes of each tool's calls: counts, the learned weight, and how long the last ones took.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;
use serde_json::json;

use super::{
    db::Db,
    people::Actor,
    sql::{Row, Tx},
};
use satchel_model::{error::Result, time::Time};

/// How many of a tool's last calls its timing is taken from.
const TIMED: i64 = 500;
/// How many days are told one by one, today among them.
pub const DAYS: i64 = 7;
/// Milliseconds of a day.
const DAY: i64 = 24 * 3_600 * 1_000;

/// A tool's record.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tally {
    /// Calls that ran.
    pub calls: i64,
    /// Those that failed.
    pub failures: i64,
    /// What was learned: 1 at first, 0.1 to 5.
    pub weight: f64,
    /// The last call.
    pub last_used_at: Time,
}

/// The durations of a tool's last calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timing {
    /// Half took less.
    pub median_ms: u64,
    /// 95 in 100 took less.
    pub p95_ms: u64,
}

/// One day of a tool, in UTC.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Day {
    /// The date, for instance `2026-11-20`.
    pub day: String,
    /// Calls that ran.
    pub calls: i64,
    /// Those that failed.
    pub failures: i64,
    /// What they took on the average; none where none ran.
    pub mean_ms: Option<f64>,
}

/// All tools' records. Cheap to make.
pub struct Outcomes {
    db: Db,
}

impl Outcomes {
    /// The records of this database.
    pub fn new(db: &Db) -> Self {
        Self { db: db.clone() }
    }

    /// Every tool's record, by canonical id. A tool that never ran has none.
    pub async fn tallies(&self) -> Result<BTreeMap<String, Tally>> {
        self.db
            .read(|tx| {
                let sql = "SELECT tool, calls, failures, weight, last_used_at FROM tool_outcomes";
                let tallies = tx.all(sql, (), |row| {
                    let tally = Tally {
                        calls: row.get("calls")?,
                        failures: row.get("failures")?,
                        weight: row.get("weight")?,
                        last_used_at: row.time("last_used_at")?,
                    };
                    Ok((row.get("tool")?, tally))
                })?;
                Ok(tallies.into_iter().collect())
            })
            .await
    }

    /// The weight learned of each tool, by canonical id; tools of which nothing was learned are left out.
    pub async fn weights(&self) -> Result<HashMap<String, f64>> {
        let sql = "SELECT tool, weight FROM tool_outcomes WHERE weight <> 1.0";
        let read = |row: &Row<'_>| -> Result<(String, f64)> { Ok((row.get("tool")?, row.get("weight")?)) };
        self.db.read(move |tx| Ok(tx.all(sql, (), read)?.into_iter().collect())).await
    }

    /// The durations of a tool's last calls; none where it never ran.
    pub async fn timing(&self, tool: &str) -> Result<Option<Timing>> {
        let tool = tool.to_owned();
        self.db
            .read(move |tx| {
                let sql = "SELECT duration_ms FROM audit WHERE tool = ?1 AND duration_ms IS NOT NULL
                           ORDER BY seq DESC LIMIT ?2";
                let mut times: Vec<i64> = tx.all(sql, (tool, TIMED), |row| row.get("duration_ms"))?;
                times.sort_unstable();
                let at = |share: usize| times.get((times.len() * share / 100).min(times.len().saturating_sub(1)));
                let timing = at(50).zip(at(95)).map(|(median, p95)| Timing {
                    median_ms: u64::try_from(*median).unwrap_or_default(),
                    p95_ms: u64::try_from(*p95).unwrap_or_default(),
                });
                Ok(timing)
            })
            .await
    }

    /// The last [`DAYS`] days of a tool up to `now`, the oldest first, days without a call included.
    pub async fn days(&self, tool: &str, now: Time) -> Result<Vec<Day>> {
        let tool = tool.to_owned();
        let today = now.millis().div_euclid(DAY);
        let first = today - (DAYS - 1);
        self.db
            .read(move |tx| {
                let since = first_since(tx, first * DAY)?;
                let mut found = by_day(tx, &tool, (since, first * DAY))?;
                let quiet = |day: i64| {
                    let day = Time::from_millis(day * DAY).day();
                    Day { day, calls: 0, failures: 0, mean_ms: None }
                };
                Ok((first..=today).map(|day| found.remove(&day).unwrap_or_else(|| quiet(day))).collect())
            })
            .await
    }

    /// Forgets what was learned of a tool.
    pub async fn reset(&self, by: &Actor, tool: String) -> Result<()> {
        let by = by.clone();
        self.db
            .write(move |tx| {
                tx.run("DELETE FROM tool_outcomes WHERE tool = ?1", [&tool])?;
                by.record(tx, "tool.reset", json!({"tool": tool}))
            })
            .await
    }
}

/// The number of the first row written at `time` or later. Times grow with the numbers, but for the length of a call:
/// so no index over times is needed, which every call would have to pay for.
fn first_since(tx: &Tx, time: i64) -> Result<i64> {
    let end = tx.one::<i64>("SELECT coalesce(max(seq), 0) FROM audit", ())?;
    let (mut low, mut high) = (1, end + 1);
    while low < high {
        let middle = low + (high - low) / 2;
        let at = tx.first("SELECT time FROM audit WHERE seq = ?1", [middle], |row| row.get::<i64>("time"))?;
        match at {
            Some(at) if at < time => low = middle + 1,
            _ => high = middle,
        }
    }
    Ok(low)
}

fn by_day(tx: &Tx, tool: &str, (seq, time): (i64, i64)) -> Result<BTreeMap<i64, Day>> {
    let sql = "SELECT time / ?4 AS day, count(*) AS calls, count(*) FILTER (WHERE outcome = 'failure') AS failures,
                 CAST(avg(duration_ms) AS DOUBLE PRECISION) AS mean_ms FROM audit
               WHERE tool = ?1 AND seq >= ?2 AND time >= ?3 AND duration_ms IS NOT NULL GROUP BY 1";
    let read = |row: &Row<'_>| {
        let number: i64 = row.get("day")?;
        let day = Time::from_millis(number * DAY).day();
        Ok((
            number,
            Day { day, calls: row.get("calls")?, failures: row.get("failures")?, mean_ms: row.get("mean_ms")? },
        ))
    };
    Ok(tx.all(sql, (tool, seq, time, DAY), read)?.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{audit, db::Commit};
    use satchel_model::{
        audit::{AuditOutcome, Event, EventType},
        caller::Door,
    };

    fn ran(tool: &str, time: i64, outcome: AuditOutcome, duration_ms: Option<u64>) -> Event {
        Event {
            user: "ada".to_owned(),
            tool: Some(tool.to_owned()),
            outcome,
            duration_ms,
            ..Event::new(Time::from_millis(time), EventType::ToolInvocation, Door::Api, "invoke")
        }
    }

    #[tokio::test]
    async fn a_week_is_told_day_by_day_and_nothing_older() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(&dir.path().join("satchel.db"), Commit::Grouped).unwrap();
        let today = 20_000 * DAY;
        for (day, tool, outcome, took) in [
            (7, "t", AuditOutcome::Success, Some(1)),
            (6, "t", AuditOutcome::Success, Some(2)),
            (3, "t", AuditOutcome::Failure, Some(10)),
            (3, "t", AuditOutcome::Success, Some(20)),
            (3, "u", AuditOutcome::Success, Some(500)),
            (3, "t", AuditOutcome::Refused, None),
            (0, "t", AuditOutcome::Success, Some(4)),
        ] {
            let event = ran(tool, today - day * DAY, outcome, took);
            db.write(move |tx| audit::append(tx, &event)).await.unwrap();
        }
        let days = Outcomes::new(&db).days("t", Time::from_millis(today + 5)).await.unwrap();
        let told: Vec<_> = days.iter().map(|d| (d.calls, d.failures, d.mean_ms)).collect();
        let none = (0, 0, None);
        assert_eq!(told, [(1, 0, Some(2.0)), none, none, (2, 1, Some(15.0)), none, none, (1, 0, Some(4.0))]);
        assert_eq!((days[0].day.as_str(), days[6].day.as_str()), ("2024-09-28", "2024-10-04"));
        assert!(Outcomes::new(&db).days("never", Time::from_millis(0)).await.unwrap().iter().all(|d| d.calls == 0));
    }
}
