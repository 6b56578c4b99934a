//! Turns that programs ask for: with all that was said before, or going on with the results of calls that they ran.

use super::{
    NewTurn, OpenTurn, Question, Turns,
    rows::{asker, insert},
};
use crate::{
    conversations::{self, NewConversation},
    messages::{self, Span},
    repeatable::{self, RequestName},
    sql::{Tx, params},
};
use satchel_model::{
    call::CallId,
    conversation::{ConversationId, Message, MessageId, Role, Step, TurnId},
    error::Result,
    origin::Origin,
    user::UserId,
};

/// The beginning of a turn of a program.
#[derive(Debug, Clone, Default)]
pub struct Opening {
    /// The conversation that is made for it; `None` if it goes on in one.
    pub made: Option<NewConversation>,
    /// The messages before the question, of a conversation that is made.
    pub history: Vec<Message>,
    /// Results of calls that were given to the program, each with the place of its step.
    pub results: Vec<((MessageId, usize), Step)>,
    /// The question, if one is asked.
    pub question: Option<Question>,
    /// The origin of content from outside among all that.
    pub origin: Option<Origin>,
    /// The name of the request, if it may be repeated.
    pub named: Option<RequestName>,
}

/// The message whose calls were given to a program.
#[derive(Debug, Clone)]
pub struct Handed {
    /// Its conversation.
    pub conversation: ConversationId,
    /// The message, which is the last one there.
    pub message: Message,
}

impl Turns {
    /// Begins a turn that a program asks for.
    ///
    /// # Errors
    ///
    /// As [`Turns::begin`] has them.
    pub async fn begin_for_program(&self, new: NewTurn, opening: Opening) -> Result<OpenTurn> {
        let node = self.db.node();
        self.db
            .write(move |tx| {
                let (id, user) = (new.conversation, new.caller.user);
                let Opening { made, history, results, question, origin, named } = opening;
                match made {
                    Some(made) => conversations::insert(tx, id, user, &made, new.now)?,
                    None => drop(conversations::get(tx, user, id)?),
                }
                if let Some(origin) = origin {
                    conversations::taint(tx, id, &origin)?;
                }
                keep_history(tx, &new, history)?;
                let turn = insert(tx, &new, node)?;
                if let Some(named) = named {
                    repeatable::bind(tx, &named, (id, turn.id))?;
                }
                for ((message, position), step) in results {
                    messages::put_step(tx, message, position, &step)?;
                }
                if let Some(Question { text, attachments, .. }) = question {
                    let said = Message::new(MessageId::new(), turn.id, Role::User, text, new.now);
                    messages::insert(tx, id, &Message { attachments, ..said })?;
                }
                let sql = "UPDATE conversations SET updated_at = ?2 WHERE id = ?1";
                tx.run(sql, (id.to_string(), new.now.millis()))?;
                Ok(turn)
            })
            .await
    }

    /// Keeps what the thread of a turn is at its end.
    pub async fn set_thread(&self, turn: TurnId, thread: String) -> Result<()> {
        let sql = "UPDATE turns SET thread = ?2 WHERE id = ?1";
        self.db.write(move |tx| tx.run(sql, (turn.to_string(), thread)).map(drop)).await
    }

    /// The conversation of a person's whose last turn ended with this thread. `None` if more was said in each since.
    pub async fn by_thread(&self, user: UserId, thread: String) -> Result<Option<ConversationId>> {
        let sql = "SELECT t.conversation FROM turns t JOIN conversations c ON c.id = t.conversation
                   WHERE t.thread = ?1 AND c.person = ?2 AND t.state <> 'running'
                     AND NOT EXISTS (SELECT 1 FROM turns l WHERE l.conversation = t.conversation AND l.id > t.id)
                   ORDER BY t.id DESC LIMIT 1";
        self.db.read(move |tx| tx.first(sql, (thread, user.to_string()), |row| row.parsed("conversation"))).await
    }

    /// The message of a person's that these calls of a program stand in, if it is the last of its conversation.
    pub async fn handed(&self, user: UserId, calls: Vec<CallId>) -> Result<Option<Handed>> {
        let Some(first) = calls.first().copied() else { return Ok(None) };
        let sql = "SELECT m.conversation, m.seq FROM steps s JOIN messages m ON m.id = s.message
                     JOIN conversations c ON c.id = m.conversation
                   WHERE s.call_id = ?1 AND s.state = 'handed' AND c.person = ?2";
        self.db
            .read(move |tx| {
                let tx = &tx.moment()?;
                let found = tx.first(sql, (first.to_string(), user.to_string()), |row| {
                    Ok((row.parsed("conversation")?, row.get::<i64>("seq")?))
                })?;
                let Some((conversation, seq)) = found else { return Ok(None) };
                let rest = messages::list(tx, conversation, Span::after(seq - 1))?;
                // Something was said there since: it cannot go on from here.
                let Ok([placed]) = <[_; 1]>::try_from(rest) else { return Ok(None) };
                let has = |call: &CallId| placed.message.steps.iter().any(|step| step.call_id == *call);
                Ok(calls.iter().all(has).then_some(Handed { conversation, message: placed.message }))
            })
            .await
    }
}

/// Keeps what was said before, under a turn that is over and no run.
fn keep_history(tx: &Tx, new: &NewTurn, history: Vec<Message>) -> Result<()> {
    if history.is_empty() {
        return Ok(());
    }
    let turn = TurnId::new();
    tx.run(
        "INSERT INTO turns (id, conversation, state, caller, started_at, finished_at, agent, agent_version, kind)
         VALUES (?1, ?2, 'done', ?3, ?4, ?4, ?5, ?6, NULL)",
        params![
            turn.to_string(),
            new.conversation.to_string(),
            asker(&new.caller, None)?,
            new.now.millis(),
            new.agent.id.as_str(),
            new.agent.version,
        ],
    )?;
    history
        .into_iter()
        .try_for_each(|message| messages::insert(tx, new.conversation, &Message { turn_id: turn, ..message }))
}
