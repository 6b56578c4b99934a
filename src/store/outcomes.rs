//! What became of each tool's calls: counts, the learned weight (R43), and how long the last ones took.

use std::collections::BTreeMap;

use serde_json::json;

use super::{db::Db, people::Actor};
use crate::model::{error::Result, time::Time};

/// How many of a tool's last calls its timing is taken from.
const TIMED: i64 = 500;

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

/// How long a tool's last calls took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timing {
    /// Half took less.
    pub median_ms: u64,
    /// 95 in 100 took less.
    pub p95_ms: u64,
}

/// All tools' records. Cheap to make.
pub struct Outcomes {
    db: Db,
}

impl Outcomes {
    /// The records of this database.
    pub fn of(db: &Db) -> Self {
        Self { db: db.clone() }
    }

    /// Every tool's record, by canonical id. A tool that never ran has none.
    pub async fn tallies(&self) -> Result<BTreeMap<String, Tally>> {
        self.db
            .read(|c| {
                let mut statement =
                    c.prepare_cached("SELECT tool, calls, failures, weight, last_used_at FROM tool_outcomes")?;
                let rows = statement.query_map([], |row| {
                    let last_used_at = Time::from_millis(row.get(4)?);
                    let tally = Tally { calls: row.get(1)?, failures: row.get(2)?, weight: row.get(3)?, last_used_at };
                    Ok((row.get(0)?, tally))
                })?;
                Ok(rows.collect::<rusqlite::Result<_>>()?)
            })
            .await
    }

    /// How long a tool's last calls took; none where it never ran.
    pub async fn timing(&self, tool: &str) -> Result<Option<Timing>> {
        let tool = tool.to_owned();
        self.db
            .read(move |c| {
                let mut statement = c.prepare_cached(
                    "SELECT duration_ms FROM audit WHERE tool = ?1 AND duration_ms IS NOT NULL ORDER BY seq DESC LIMIT ?2",
                )?;
                let rows = statement.query_map((tool, TIMED), |row| row.get::<_, i64>(0))?;
                let mut times = rows.collect::<rusqlite::Result<Vec<i64>>>()?;
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

    /// Forgets what was learned of a tool.
    pub async fn reset(&self, by: &Actor, tool: String) -> Result<()> {
        let by = by.clone();
        self.db
            .write(move |c| {
                c.execute("DELETE FROM tool_outcomes WHERE tool = ?1", [&tool])?;
                by.record(c, "tool.reset", json!({"tool": tool}))
            })
            .await
    }
}
