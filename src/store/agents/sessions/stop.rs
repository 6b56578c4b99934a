//! Trees of runs that are stopped: all at once, so that nothing in them begins anything else meanwhile.

use crate::{db::Db, sql::Tx};
use satchel_model::{conversation::ConversationId, error::Result, run::RunId};

/// The top of what is stopped.
#[derive(Debug, Clone, Copy)]
pub enum Root {
    /// A run.
    Run(RunId),
    /// Whatever is under way in a conversation, and every run that it would be told of.
    Conversation(ConversationId),
}

/// Asks all runs under way of a tree to end, and tells nobody of what they began: whoever stops it wants none. Returns the
/// conversations that they are in. From then on none of them begins another one.
pub async fn stop(db: &Db, root: Root) -> Result<Vec<ConversationId>> {
    db.write(move |tx| {
        let (roots, id) = match root {
            Root::Run(run) => ("id = ?1", run.to_string()),
            Root::Conversation(conversation) => {
                ("tells = ?1 OR conversation = ?1 AND state IN ('running', 'waiting')", conversation.to_string())
            }
        };
        let tree = format!(
            "tree (id) AS (
               SELECT id FROM turns WHERE {roots} UNION SELECT t.id FROM turns t JOIN tree b ON t.parent = b.id
             )"
        );
        let top = top(tx, root)?;
        // What began the top still hears that it was stopped.
        let hush = format!(
            "WITH RECURSIVE {tree} UPDATE turns SET report = 'told'
             WHERE report IN ('awaited', 'due') AND conversation <> ?2 AND id IN (SELECT id FROM tree)"
        );
        tx.run(&hush, (&id, top))?;
        let ask = format!(
            "WITH RECURSIVE {tree} UPDATE turns SET stop_asked = TRUE
             WHERE state IN ('running', 'waiting') AND id IN (SELECT id FROM tree)"
        );
        tx.run(&ask, [&id])?;
        let found = format!(
            "WITH RECURSIVE {tree} SELECT t.conversation FROM turns t JOIN tree b ON b.id = t.id
             WHERE t.state IN ('running', 'waiting') ORDER BY t.id"
        );
        tx.all(&found, [&id], |row| row.parsed("conversation"))
    })
    .await
}

/// The conversation of the top.
fn top(tx: &Tx, root: Root) -> Result<String> {
    match root {
        Root::Conversation(conversation) => Ok(conversation.to_string()),
        Root::Run(run) => {
            let sql = "SELECT conversation FROM turns WHERE id = ?1";
            Ok(tx.first(sql, [run.to_string()], |row| row.get("conversation"))?.unwrap_or_default())
        }
    }
}
