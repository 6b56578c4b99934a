//! Nodes: each start of the program is one. Whatever is owned says by which; what a node that is gone has left is closed, or
//! claimed by another.
//!
//! A node is there while it has a row. It says by the database's clock that it is alive; the row of one that has not for a
//! while is removed, and from then on nothing is its own: what it still writes is refused.

use std::time::Duration;

use super::{audit, db::Db, egress, ingest, jobs, tickets, turns};
use satchel_model::{
    conversation::TurnId,
    error::Result,
    id::{Id, Noun},
    job::FiringId,
    time::Time,
};

/// The interval at which a node says that it is alive.
pub const BEAT: Duration = Duration::from_secs(5);
/// A node that has been silent for longer than this is gone.
const SILENCE: Duration = Duration::from_secs(15);

/// Holds for a row that no node owns which is there.
pub(crate) const ABANDONED: &str = "(node IS NULL OR node NOT IN (SELECT id FROM nodes))";

/// One start of the program.
#[derive(Debug)]
pub struct Node;

impl Noun for Node {
    const NAME: &'static str = "node";
}

/// A node's id.
pub type NodeId = Id<Node>;

/// The work that was left by nodes which are gone.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Calls whose rows in the audit say now that their end is not known.
    pub calls: usize,
    /// Approved calls that are said to be uncertain.
    pub tickets: usize,
    /// Requests to other machines that are said to have failed.
    pub requests: usize,
    /// Documents that wait to be read again.
    pub documents: usize,
    /// Turns that this node owns now.
    pub turns: Vec<TurnId>,
    /// Runs of jobs that this node owns now.
    pub firings: Vec<FiringId>,
}

/// Enters this node as the only one: whoever holds the data directory knows that every other is gone.
pub async fn enter(db: &Db) -> Result<()> {
    let node = db.node();
    db.write(move |tx| {
        tx.run("DELETE FROM nodes", ())?;
        let now = tx.clock()?;
        let sql = "INSERT INTO nodes (id, version, started_at, seen_at) VALUES (?1, ?2, ?3, ?3)";
        tx.run(sql, (node.to_string(), env!("CARGO_PKG_VERSION"), now)).map(drop)
    })
    .await
}

/// Says that this node is alive. Returns whether others are gone since.
pub async fn beat(db: &Db) -> Result<bool> {
    let node = db.node();
    db.write(move |tx| {
        let now = tx.clock()?;
        tx.run(
            "INSERT INTO nodes (id, version, started_at, seen_at) VALUES (?1, ?2, ?3, ?3)
             ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at",
            (node.to_string(), env!("CARGO_PKG_VERSION"), now),
        )?;
        Ok(tx.run("DELETE FROM nodes WHERE seen_at < ?1", [now.before(SILENCE)])? > 0)
    })
    .await
}

/// Closes or claims all that was left by nodes which are gone.
pub async fn recover(db: &Db, now: Time) -> Result<Recovered> {
    let node = db.node();
    db.write(move |tx| {
        Ok(Recovered {
            calls: audit::close_left(tx, now)?,
            tickets: tickets::close_left(tx)?,
            requests: egress::close_left(tx)?,
            documents: ingest::give_back_left(tx)?,
            turns: turns::claim_left(tx, node)?,
            firings: jobs::claim_left(tx, node)?,
        })
    })
    .await
}
