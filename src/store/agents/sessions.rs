//! Sessions, as their rows have them: conversations below others, and the runs in them.

mod reports;
mod stop;

use self::reports::turn_to;
pub use self::{
    reports::{Told, due, heard, report, tell, to_tell, unawait, wakes},
    stop::{Root, stop},
};
use crate::{
    conversations::{self, NewConversation},
    db::Db,
    sql::Row,
    turns::{self, NewTurn, OpenTurn, Question},
};
use satchel_model::{
    agent::{
        AgentId,
        session::{Report, SessionKey, SessionMessage, StepSession},
    },
    call::CallId,
    conversation::{ConversationId, MessageId, Role},
    error::{Error, Result},
    llm::Usage,
    origin::Origin,
    price::Cost,
    run::{RunId, RunKind, RunState},
    time::Time,
    user::UserId,
};

/// Most sessions of a list.
const LISTED: i64 = 500;

/// A run of a session to be begun.
#[derive(Debug, Clone)]
pub struct NewRun {
    /// The conversation, where that is begun with it.
    pub session: Option<NewConversation>,
    /// The run.
    pub turn: NewTurn,
    /// The words it begins with.
    pub question: Question,
    /// The origin of those, if from outside.
    pub origin: Option<Origin>,
}

/// Begins a run of a session, and the session itself where it is new: both or neither.
///
/// # Errors
///
/// If the person has as many runs under way as they may, one is under way there, or what it is below was stopped or is gone.
pub async fn begin(db: &Db, new: NewRun) -> Result<OpenTurn> {
    let node = db.node();
    db.write(move |tx| {
        let NewRun { session, turn, question, origin } = new;
        if let Some(session) = session {
            // Else it would be in no list: nothing deletes the sessions of a conversation that is gone.
            if let Some(parent) = session.parent {
                conversations::get(tx, turn.caller.user, parent)?;
            }
            conversations::insert(tx, turn.conversation, turn.caller.user, &session, turn.now)?;
        }
        if let Some(origin) = origin {
            conversations::taint(tx, turn.conversation, &origin)?;
        }
        let (begun, ..) = turns::begin(tx, &turn, node, (MessageId::new(), question))?;
        // Whoever follows the run above by its rows reads it again.
        if let Some(parent) = turn.purpose.parent {
            tx.run("UPDATE turns SET changes = changes + 1 WHERE id = ?1", [parent.to_string()])?;
        }
        Ok(begun)
    })
    .await
}

/// A run that a call has begun.
#[derive(Debug, Clone)]
pub struct Begun {
    /// The run.
    pub run: RunId,
    /// Its session.
    pub conversation: ConversationId,
    /// The agent of the session.
    pub agent: AgentId,
}

impl Begun {
    /// The key of its session.
    pub fn key(&self) -> SessionKey {
        SessionKey { agent: self.agent.clone(), kind: RunKind::Sub, conversation: self.conversation }
    }
}

fn begun(row: &Row<'_>) -> Result<Begun> {
    Ok(Begun { run: row.parsed("id")?, conversation: row.parsed("conversation")?, agent: row.parsed("agent")? })
}

/// The run that a call has begun, if it has: its end is awaited by the call or told later from now on.
pub async fn begun_by(db: &Db, call: CallId, report: Report) -> Result<Option<Begun>> {
    let sql = "SELECT t.id, t.conversation, c.agent FROM turns t JOIN conversations c ON c.id = t.conversation
               WHERE t.call = ?1";
    let node = db.node();
    db.write(move |tx| {
        let found = tx.first(sql, [call.to_string()], begun)?;
        if let Some(begun) = &found {
            turn_to(tx, begun.run, report, node)?;
        }
        Ok(found)
    })
    .await
}

/// The run that a session was begun with.
pub async fn first_run(db: &Db, session: ConversationId) -> Result<RunId> {
    let sql = "SELECT id FROM turns WHERE conversation = ?1 ORDER BY id LIMIT 1";
    db.read(move |tx| tx.first(sql, [session.to_string()], |row| row.parsed("id")))
        .await?
        .ok_or_else(|| Error::internal("a session has no run"))
}

/// A session, or the conversation above one.
#[derive(Debug, Clone)]
pub struct Found {
    /// Its key.
    pub key: SessionKey,
    /// Sessions above its answers.
    pub depth: u8,
    /// The name of its agent.
    pub agent: String,
    /// The conversation it was begun in.
    pub parent: Option<ConversationId>,
    /// The state of its last run; a run in which a call may have taken effect or not counts as it ended.
    pub state: RunState,
    /// The time at which it was begun.
    pub started_at: Time,
}

const FOUND: &str = "c.id, c.agent, c.depth, c.parent, c.created_at,
    (SELECT v.content ->> 'name' FROM agents a JOIN agent_versions v ON v.agent = a.id AND v.version = a.version
     WHERE a.id = c.agent) AS name,
    (SELECT t.kind FROM turns t WHERE t.conversation = c.id ORDER BY t.id LIMIT 1) AS kind,
    (SELECT t.state FROM turns t WHERE t.conversation = c.id ORDER BY t.id DESC LIMIT 1) AS state";

fn found(row: &Row<'_>) -> Result<Found> {
    let kind: Option<String> = row.get("kind")?;
    let state: Option<String> = row.get("state")?;
    let agent: AgentId = row.parsed("agent")?;
    let kind = kind.map_or(Ok(RunKind::Chat), |kind| RunKind::parse(&kind))?;
    Ok(Found {
        agent: name(row, &agent.to_string())?,
        key: SessionKey { agent, kind, conversation: row.parsed("id")? },
        depth: u8::try_from(row.get::<u32>("depth")?).unwrap_or(u8::MAX),
        parent: row.get::<Option<String>>("parent")?.map(|id| id.parse()).transpose()?,
        state: state.map_or(Ok(RunState::Done), |state| RunState::parse(&state))?,
        started_at: row.time("created_at")?,
    })
}

/// The name of an agent as somebody wrote it; of one that is gone, its id.
fn name(row: &Row<'_>, id: &str) -> Result<String> {
    Ok(row.get::<Option<String>>("name")?.unwrap_or_else(|| id.to_owned()))
}

/// The sessions below a conversation of a person, the newest first; with `None`, those they began outside of one.
pub async fn below(db: &Db, user: UserId, top: Option<ConversationId>) -> Result<Vec<Found>> {
    let sql = format!(
        "WITH RECURSIVE below (id) AS (
           SELECT id FROM conversations
           WHERE person = ?1 AND depth > 0 AND coalesce(parent, '') = ?2
           UNION SELECT c.id FROM conversations c JOIN below b ON c.parent = b.id
         )
         SELECT {FOUND} FROM conversations c JOIN below b ON b.id = c.id WHERE c.person = ?1
         ORDER BY c.id DESC LIMIT {LISTED}"
    );
    let top = top.map(|id| id.to_string()).unwrap_or_default();
    db.read(move |tx| tx.all(&sql, (user.to_string(), top), found)).await
}

/// A conversation of a person and those above it, the nearest first.
pub async fn line(db: &Db, user: UserId, conversation: ConversationId) -> Result<Vec<Found>> {
    let sql = format!(
        "WITH RECURSIVE up (id, parent) AS (
           SELECT id, parent FROM conversations WHERE id = ?2
           UNION SELECT c.id, c.parent FROM conversations c JOIN up u ON c.id = u.parent
         )
         SELECT {FOUND} FROM conversations c JOIN up u ON u.id = c.id WHERE c.person = ?1 ORDER BY c.depth DESC, c.id"
    );
    db.read(move |tx| tx.all(&sql, (user.to_string(), conversation.to_string()), found)).await
}

/// The sessions that were begun in a conversation.
pub async fn children(db: &Db, conversation: ConversationId) -> Result<Vec<ConversationId>> {
    let sql = "SELECT id FROM conversations WHERE parent = ?1 AND person IS NOT NULL ORDER BY id";
    db.read(move |tx| tx.all(sql, [conversation.to_string()], |row| row.parsed("id"))).await
}

/// The tokens and the cost of all runs of a conversation.
#[derive(Debug, Clone, Default)]
pub struct Taken {
    /// Tokens.
    pub usage: Usage,
    /// Their cost. `None` if some of them have no price, or prices in several currencies.
    pub cost: Option<Cost>,
    /// The model that wrote last.
    pub model: Option<String>,
}

/// Returns the tokens and the cost of all runs of a conversation.
pub async fn taken_in(db: &Db, conversation: ConversationId) -> Result<Taken> {
    let sum = "SELECT CAST(coalesce(sum(input_tokens), 0) AS BIGINT) AS input,
                 CAST(coalesce(sum(output_tokens), 0) AS BIGINT) AS output, CAST(sum(cost) AS BIGINT) AS cost,
                 min(currency) AS currency, count(DISTINCT currency) AS currencies,
                 count(CASE WHEN unpriced THEN 1 END) AS unpriced
               FROM turns WHERE conversation = ?1 AND input_tokens + output_tokens > 0";
    let model = "SELECT model FROM messages WHERE conversation = ?1 AND model IS NOT NULL ORDER BY seq DESC LIMIT 1";
    db.read(move |tx| {
        let number = |row: &Row<'_>, column| row.get::<i64>(column).map(i64::unsigned_abs);
        let taken = tx.first(sum, [conversation.to_string()], |row| {
            let usage = Usage::new(number(row, "input")?, number(row, "output")?);
            let is_priced = row.get::<i64>("unpriced")? == 0 && row.get::<i64>("currencies")? == 1;
            let cost = row.get::<Option<i64>>("cost")?.zip(row.get::<Option<String>>("currency")?);
            let cost = cost.filter(|_| is_priced).map(|(cost, currency)| Cost::from_billionths(cost, currency));
            Ok(Taken { usage, cost, model: None })
        })?;
        let model = tx.first(model, [conversation.to_string()], |row| row.get("model"))?;
        Ok(Taken { model, ..taken.unwrap_or_default() })
    })
    .await
}

/// The sessions that the calls of a conversation have begun or written to, by the call.
pub async fn of_calls(db: &Db, conversation: ConversationId) -> Result<Vec<(CallId, StepSession)>> {
    let sql = "SELECT t.call, t.id, t.conversation, t.state, t.agent, v.content ->> 'name' AS name
               FROM turns t LEFT JOIN agent_versions v ON v.agent = t.agent AND v.version = t.agent_version
               WHERE t.tells = ?1 AND t.call IS NOT NULL";
    let read = |row: &Row<'_>| {
        let agent: String = row.get("agent")?;
        let session = StepSession {
            run: row.parsed("id")?,
            conversation: row.parsed("conversation")?,
            agent: name(row, &agent)?,
            state: RunState::parse(row.get("state")?)?,
        };
        Ok((row.parsed("call")?, session))
    };
    db.read(move |tx| tx.all(sql, [conversation.to_string()], read)).await
}

/// The last messages of a conversation that have a text, so many at most and about so many bytes, in order.
pub async fn last_texts(
    db: &Db,
    conversation: ConversationId,
    (limit, most): (usize, u64),
) -> Result<Vec<SessionMessage>> {
    let sql = "SELECT role, text, created_at FROM (
                 SELECT role, text, created_at, seq, sum(octet_length(text)) OVER (ORDER BY seq DESC) AS bytes
                 FROM messages WHERE conversation = ?1 AND text <> '') said
               WHERE bytes <= ?3 ORDER BY seq DESC LIMIT ?2";
    let bound =
        (conversation.to_string(), i64::try_from(limit).unwrap_or(i64::MAX), i64::try_from(most).unwrap_or(i64::MAX));
    let read = |row: &Row<'_>| {
        let role: String = row.get("role")?;
        let role: Role = serde_json::from_value(role.into()).map_err(Error::internal)?;
        Ok(SessionMessage { role, text: row.get("text")?, time: row.time("created_at")? })
    };
    let mut last = db.read(move |tx| tx.all(sql, bound, read)).await?;
    last.reverse();
    Ok(last)
}
