//! Ends of runs that others began: whose call awaits them, and which conversations are still to be told.

use super::{Begun, begun};
use crate::{
    conversations,
    db::Db,
    messages,
    nodes::NodeId,
    sql::{Row, Tx},
    turns::{self, Claim, NewTurn, OpenTurn},
};
use satchel_model::{
    agent::session::Report,
    conversation::{ConversationId, Message},
    error::{Error, Result},
    origin::Origin,
    run::RunId,
};

/// Holds for a run `t` of the session `s` whose end is to be told: nobody hears of what a run began that was told to stop, or
/// of what is deleted.
const DUE: &str = "t.report = 'due' AND t.state NOT IN ('running', 'waiting') AND s.person IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM turns p WHERE p.id = t.parent AND p.stop_asked)";

/// Changes whether the end of a run is awaited or told later, unless it was told already.
pub async fn report(db: &Db, run: RunId, report: Report) -> Result<()> {
    let node = db.node();
    db.write(move |tx| turn_to(tx, run, report, node)).await
}

pub(super) fn turn_to(tx: &Tx, run: RunId, report: Report, node: NodeId) -> Result<()> {
    let sql = "UPDATE turns SET report = ?2, waiter = ?3 WHERE id = ?1 AND report IN ('awaited', 'due')";
    let waiter = (report == Report::Awaited).then(|| node.to_string());
    tx.run(sql, (run.to_string(), report.as_str(), waiter)).map(drop)
}

/// Keeps that a call has given the end of a run.
pub async fn heard(db: &Db, run: RunId) -> Result<()> {
    let sql = "UPDATE turns SET report = 'told' WHERE id = ?1 AND report IS NOT NULL";
    db.write(move |tx| tx.run(sql, [run.to_string()]).map(drop)).await
}

/// Lets the ends be told later of the runs that were awaited by calls of nodes which are gone.
pub async fn unawait(db: &Db) -> Result<()> {
    let sql = "UPDATE turns SET report = 'due', waiter = NULL
               WHERE report = 'awaited' AND (waiter IS NULL OR waiter NOT IN (SELECT id FROM nodes))";
    db.write(move |tx| tx.run(sql, ()).map(drop)).await
}

/// The conversations that are to be told of runs which are over.
pub async fn to_tell(db: &Db) -> Result<Vec<ConversationId>> {
    let sql = format!(
        "SELECT DISTINCT t.tells FROM turns t JOIN conversations c ON c.id = t.tells
           JOIN conversations s ON s.id = t.conversation
         WHERE t.tells IS NOT NULL AND c.person IS NOT NULL AND {DUE}"
    );
    db.read(move |tx| tx.all(&sql, (), |row| row.parsed("tells"))).await
}

/// The runs that are over and that a conversation is to be told of, the first begun first, each with the run that began it.
pub async fn due(db: &Db, conversation: ConversationId) -> Result<Vec<(Begun, Option<RunId>)>> {
    let sql = format!(
        "SELECT t.id, t.conversation, t.parent, s.agent FROM turns t JOIN conversations s ON s.id = t.conversation
         WHERE t.tells = ?1 AND {DUE} ORDER BY t.id"
    );
    let parent = |row: &Row<'_>| row.get::<Option<String>>("parent")?.map(|id| id.parse()).transpose();
    db.read(move |tx| tx.all(&sql, [conversation.to_string()], |row| Ok((begun(row)?, parent(row)?)))).await
}

/// The number of turns that were begun to tell of sessions, in the tree of a conversation, since a person last spoke at its
/// top.
pub async fn wakes(db: &Db, conversation: ConversationId) -> Result<u64> {
    let sql = "WITH RECURSIVE up (id, parent) AS (
                 SELECT id, parent FROM conversations WHERE id = ?1
                 UNION SELECT c.id, c.parent FROM conversations c JOIN up u ON c.id = u.parent
               ), tree (id) AS (
                 SELECT id FROM up WHERE parent IS NULL
                 UNION SELECT c.id FROM conversations c JOIN tree b ON c.parent = b.id
               )
               SELECT count(*) FROM turns t JOIN tree b ON b.id = t.conversation
                 JOIN turns p ON p.id = t.parent AND p.conversation = t.conversation
               WHERE t.id > coalesce((SELECT max(m.turn) FROM messages m JOIN up u ON u.id = m.conversation
                                      WHERE u.parent IS NULL AND m.role = 'user'), '')";
    db.read(move |tx| tx.one::<i64>(sql, [conversation.to_string()])).await.map(i64::unsigned_abs)
}

/// A turn that is to be told of runs: the one that is under way, by its claim, or a new one.
#[derive(Debug, Clone)]
pub enum Told {
    /// It goes on with what it is told.
    UnderWay(Claim),
    /// It begins with it.
    New(Box<NewTurn>),
    /// It is over with it: the model is asked nothing.
    Over(Box<NewTurn>),
}

/// Tells a conversation of runs which are over: the message is kept with the turn that goes on from there. Returns that where
/// it is new and goes on.
///
/// # Errors
///
/// If another was first, the turn is another's by now, or a new one may not begin. Nobody was told.
pub async fn tell(
    db: &Db,
    told: Told,
    runs: Vec<RunId>,
    (message, origin): (Message, Option<Origin>),
) -> Result<Option<OpenTurn>> {
    let node = db.node();
    db.write(move |tx| {
        let sql = "UPDATE turns SET report = 'told' WHERE id = ?1 AND report = 'due'";
        let mut count = 0;
        for run in &runs {
            count += tx.run(sql, [run.to_string()])?;
        }
        if count != runs.len() {
            // What was changed is undone with the rest.
            return Err(Error::conflict("This was told already."));
        }
        let (turn, conversation, begun) = match told {
            Told::UnderWay(claim) => (claim.turn, turns::hold_in(tx, claim)?, None),
            Told::New(new) => {
                let begun = turns::insert(tx, &new, node)?;
                (begun.id, new.conversation, Some(begun))
            }
            Told::Over(new) => {
                let id = turns::insert(tx, &new, node)?.id;
                let over =
                    "UPDATE turns SET state = 'done', finished_at = ?2, node = NULL, report = 'told' WHERE id = ?1";
                tx.run(over, (id.to_string(), new.now.millis()))?;
                (id, new.conversation, None)
            }
        };
        if let Some(origin) = origin {
            conversations::taint(tx, conversation, &origin)?;
        }
        messages::insert(tx, conversation, &Message { turn_id: turn, ..message })?;
        Ok(begun)
    })
    .await
}
