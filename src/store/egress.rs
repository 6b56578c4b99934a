//! The egress ledger: one row for each attempt to reach another machine.

use serde::Serialize;

use super::{
    db::Db,
    nodes::ABANDONED,
    sql::{Bind, Row as Read, Tx, params},
    versions::{self, Thing},
};
use satchel_model::{
    conversation::ConversationId,
    destination::Destination,
    egress::{Crossing, Passed, Row},
    error::{Error, Result},
    secret_text::without_secrets,
    time::Time,
};

/// Most rows one sweep removes, so that nobody waits for it.
const SWEEP: i64 = 5_000;

/// The retention of rows.
#[derive(Debug, Clone, Copy)]
pub struct Keep {
    /// Those that began before this go.
    pub since: Time,
    /// Of the others, this many of the newest stay.
    pub most: u32,
}

/// Which rows a query wants; empty fields want all.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Rows before this number.
    pub before: Option<i64>,
    /// A host, exactly, or every host below it where it begins with a dot.
    pub host: Option<String>,
    /// A tool's canonical id or bare name, or a part's name.
    pub by: Option<String>,
    /// A user's name.
    pub user: Option<String>,
    /// A call's id.
    pub call: Option<String>,
    /// `open`, `done`, `refused` or `failed`.
    pub outcome: Option<Passed>,
}

/// What went to one host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[schema(as = EgressHost)]
pub struct Host {
    /// The host.
    pub host: String,
    /// Attempts.
    pub attempts: u64,
    /// Attempts the guard refused.
    pub refused: u64,
    /// Bytes sent.
    pub sent: u64,
    /// Bytes received.
    pub received: u64,
    /// When it was last tried.
    pub last_at: Time,
}

/// How many rows stand under one value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[schema(as = EgressCount)]
pub struct Count {
    /// The value.
    pub name: String,
    /// How many rows have it.
    pub count: u64,
}

/// The ledger in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[schema(as = EgressSummary)]
pub struct Summary {
    /// The hosts that were tried most, a hundred at most.
    pub hosts: Vec<Host>,
    /// Tools and parts of the product.
    pub by: Vec<Count>,
    /// People, by name.
    pub users: Vec<Count>,
    /// How attempts ended.
    pub outcomes: Vec<Count>,
}

const COLUMNS: &str =
    "e.id, e.at, e.host, e.port, e.protocol, e.by, e.user_id, u.username, e.call_id, e.sent, e.received, e.status,
     e.outcome, e.reason, e.ms FROM egress e LEFT JOIN users u ON u.id = e.user_id";

/// What is said of an attempt whose end nobody saw.
const UNSEEN: &str = "The server stopped while this was under way: what was sent and received is not known.";

/// A crossing as the ledger keeps it.
#[derive(Debug)]
pub struct Entry {
    /// Its number.
    pub number: i64,
    /// When it began.
    pub at: Time,
    /// What crosses, or crossed.
    pub crossing: Crossing,
}

/// The last number there is a row of; 0 where there is none.
const LAST: &str = "SELECT coalesce(max(id), 0) FROM egress";

/// Returns the last number that a row has, or had.
pub async fn last(db: &Db) -> Result<i64> {
    db.read(|tx| Ok(tx.one::<i64>(LAST, ())?.max(versions::last(tx, Thing::Egress)?))).await
}

/// Closes attempts that were left open. Returns how many.
pub(super) fn close_left(tx: &Tx) -> Result<usize> {
    let sql = format!("UPDATE egress SET outcome = 'failed', reason = ?1 WHERE outcome = 'open' AND {ABANDONED}");
    tx.run(&sql, [UNSEEN])
}

/// Writes entries, each over what stood under its number, if that was open.
pub async fn write(db: &Db, entries: Vec<Entry>) -> Result<()> {
    let node = db.node().to_string();
    db.append(move |tx| {
        for Entry { number, at, crossing } in &entries {
            let Crossing { origin, host, port, protocol, sent, received, status, passed, reason, took } = crossing;
            tx.run(
                "INSERT INTO egress (id, at, host, port, protocol, by, user_id, call_id, topic, sent, received, status,
                                     outcome, reason, ms, node)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)
                 ON CONFLICT (id) DO UPDATE SET sent = excluded.sent, received = excluded.received,
                   status = excluded.status, outcome = excluded.outcome, reason = excluded.reason, ms = excluded.ms
                 WHERE egress.outcome = 'open'",
                params![
                    number,
                    at.millis(),
                    host,
                    port,
                    protocol,
                    origin.by,
                    origin.user.map(|id| id.to_string()),
                    origin.call.map(|id| id.to_string()),
                    origin.topic.map(|id| id.to_string()),
                    sent.cast_signed(),
                    received.cast_signed(),
                    status,
                    passed.as_str(),
                    reason.as_deref().map(without_secrets),
                    i64::try_from(took.as_millis()).unwrap_or(i64::MAX),
                    node,
                ],
            )?;
        }
        Ok(())
    })
    .await
}

/// Removes what is kept no longer, some thousands at most. Returns how many.
pub async fn sweep(db: &Db, keep: Keep) -> Result<usize> {
    db.write(move |tx| {
        let old = "DELETE FROM egress WHERE id IN (SELECT id FROM egress WHERE at < ?1 ORDER BY id LIMIT ?2)";
        let surplus = "DELETE FROM egress WHERE id IN (SELECT id FROM egress
                       WHERE id <= (SELECT max(id) FROM egress) - ?1 ORDER BY id LIMIT ?2)";
        // No number is given twice, also where no row is left.
        versions::raise(tx, Thing::Egress, tx.one(LAST, ())?)?;
        Ok(tx.run(old, (keep.since.millis(), SWEEP))? + tx.run(surplus, (keep.most, SWEEP))?)
    })
    .await
}

impl Filter {
    fn clause(&self) -> (String, Vec<Box<dyn Bind>>) {
        let mut conditions = vec!["TRUE".to_owned()];
        let mut bound: Vec<Box<dyn Bind>> = Vec::new();
        let mut add = |condition: &str, value: Box<dyn Bind>| {
            bound.push(value);
            conditions.push(condition.replace('?', &format!("?{}", bound.len())));
        };
        if let Some(before) = self.before {
            add("e.id < ?", Box::new(before));
        }
        match self.host.clone().filter(|host| !host.is_empty()) {
            Some(host) if host.starts_with('.') => {
                add("substr(e.host, length(e.host) - length(?) + 1) = ?", Box::new(host))
            }
            Some(host) => add("e.host = ?", Box::new(host)),
            None => {}
        }
        let texts = [
            ("(e.by = ? OR e.by = 'builtin:' || ?)", &self.by),
            ("u.username = ?", &self.user),
            ("e.call_id = ?", &self.call),
        ];
        for (condition, text) in texts {
            if let Some(text) = text.clone().filter(|text| !text.is_empty()) {
                add(condition, Box::new(text));
            }
        }
        if let Some(outcome) = self.outcome {
            add("e.outcome = ?", Box::new(outcome.as_str()));
        }
        (conditions.join(" AND "), bound)
    }
}

/// The newest rows that pass, newest first.
pub async fn find(db: &Db, filter: Filter, limit: u32) -> Result<Vec<Row>> {
    db.read(move |tx| {
        let (condition, bound) = filter.clause();
        let sql = format!("SELECT {COLUMNS} WHERE {condition} ORDER BY e.id DESC LIMIT {limit}");
        tx.all(&sql, bound, row)
    })
    .await
}

/// Those of these places that no call of this conversation has reached: where a redirect led, none went on purpose.
pub async fn unreached(db: &Db, topic: ConversationId, places: Vec<Destination>) -> Result<Vec<Destination>> {
    db.read(move |tx| {
        // The ledger has hosts as they were named, with the dot at the end that makes no other host.
        let sql =
            "SELECT 1 FROM egress WHERE topic = ?1 AND host IN (?2, ?2 || '.') AND port = ?3 AND outcome <> 'refused'";
        let (mut new, topic) = (Vec::new(), topic.to_string());
        for place in places {
            if !tx.exists(sql, (&topic, place.host(), place.port()))? {
                new.push(place);
            }
        }
        Ok(new)
    })
    .await
}

/// The ledger in short.
pub async fn summary(db: &Db) -> Result<Summary> {
    db.read(|tx| {
        let hosts = "SELECT host, count(*) AS attempts, count(*) FILTER (WHERE outcome = 'refused') AS refused,
                       CAST(sum(sent) AS BIGINT) AS sent, CAST(sum(received) AS BIGINT) AS received, max(at) AS last_at
                     FROM egress GROUP BY host ORDER BY attempts DESC, host LIMIT 100";
        let hosts = tx.all(hosts, (), |row| {
            Ok(Host {
                host: row.get("host")?,
                attempts: number(row, "attempts")?,
                refused: number(row, "refused")?,
                sent: number(row, "sent")?,
                received: number(row, "received")?,
                last_at: row.time("last_at")?,
            })
        })?;
        let count = |value: &str, from: &str| {
            let sql =
                format!("SELECT {value} AS name, count(*) AS count FROM {from} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 50");
            tx.all(&sql, (), |row| Ok(Count { name: row.get("name")?, count: number(row, "count")? }))
        };
        Ok(Summary {
            hosts,
            by: count("by", "egress")?,
            users: count("u.username", "egress e JOIN users u ON u.id = e.user_id")?,
            outcomes: count("outcome", "egress")?,
        })
    })
    .await
}

fn row(row: &Read<'_>) -> Result<Row> {
    let id = |column| row.get::<Option<String>>(column);
    let outcome: String = row.get("outcome")?;
    Ok(Row {
        id: row.get("id")?,
        at: row.time("at")?,
        host: row.get("host")?,
        port: row.get("port")?,
        protocol: row.get("protocol")?,
        by: row.get("by")?,
        user_id: id("user_id")?.map(|id| id.parse()).transpose()?,
        user: row.get("username")?,
        call_id: id("call_id")?.map(|id| id.parse()).transpose()?,
        sent: number(row, "sent")?,
        received: number(row, "received")?,
        status: row.get("status")?,
        outcome: Passed::parse(&outcome).ok_or_else(|| Error::internal(format!("egress ended '{outcome}'")))?,
        reason: row.get("reason")?,
        duration_ms: number(row, "ms")?,
    })
}

fn number(row: &Read<'_>, column: &str) -> Result<u64> {
    Ok(row.get::<i64>(column)?.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::Commit;

    #[tokio::test]
    async fn no_number_is_given_twice_also_where_no_row_is_left() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(&dir.path().join("satchel.db"), Commit::Grouped).unwrap();
        let put = |tx: &crate::sql::Tx| {
            let sql = "INSERT INTO egress (id, at, host, port, protocol, by, sent, received, outcome, ms)
                       VALUES (?1, ?1, 'a', 1, 'http', 'b', 0, 0, 'done', 0)";
            [3, 7].into_iter().try_for_each(|id| tx.run(sql, [id]).map(drop))
        };
        db.write(put).await.unwrap();
        let keep = |since| Keep { since: Time::from_millis(since), most: 100 };
        assert_eq!(sweep(&db, keep(100)).await.unwrap(), 2);
        assert_eq!(sweep(&db, keep(100)).await.unwrap(), 0);
        assert_eq!(last(&db).await.unwrap(), 7);
    }
}
