//! The rows of turns: begun by somebody, and read back with the permissions they still have.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{NewTurn, OpenTurn};
use crate::{
    nodes::NodeId,
    sql::{Row, Tx, params},
};
use satchel_model::{
    agent::{ActingAgent, AgentAt, session::Report},
    call::TicketId,
    caller::{Caller, Credential, Door, Permissions},
    conversation::{Turn, TurnId, TurnState},
    error::{Error, Kind, Result},
    id::Id,
    job::JobName,
    llm::Usage,
    policy::Situation,
    run::{Purpose, RunKind},
    user::{ApiKey, UserId},
};

/// Who began a turn, as its row keeps it.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Asker {
    user: UserId,
    username: String,
    permissions: Permissions,
    key: Option<Id<ApiKey>>,
    /// The agent within whose bounds it is begun, where one had it begun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    within: Option<Arc<ActingAgent>>,
    /// The circumstances of the session it is in, if it is in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session: Option<Arc<Situation>>,
    /// The door they came through, where calls come through that one too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    door: Option<Door>,
}

pub(super) const LATEST: &str =
    "SELECT id, state, error, input_tokens, output_tokens, context, started_at, finished_at, last_event, failure
    FROM turns WHERE conversation = ?1 ORDER BY id DESC LIMIT 1";

/// Most turns of one person that run at once.
const AT_ONCE: i64 = 16;

/// Why no turn begins beside another one of its conversation.
pub const UNDER_WAY: &str = "An answer is under way here. Wait for it, or stop it first.";

/// Fails where as many turns of a person run as may at once. One that waits for a session that runs has left its place to that:
/// a tree of them never waits for places that it holds itself. `leaving` is the one that is about to.
pub(super) fn require_few(tx: &Tx, user: UserId, leaving: Option<TurnId>) -> Result<()> {
    let running = "SELECT count(*) FROM turns t JOIN conversations c ON c.id = t.conversation
                   WHERE t.state = 'running' AND c.person = ?1 AND t.id <> ?2
                     AND NOT EXISTS (SELECT 1 FROM turns s WHERE s.parent = t.id AND s.report = 'awaited' AND s.state = 'running')";
    let leaving = leaving.map(|id| id.to_string()).unwrap_or_default();
    if tx.one::<i64>(running, (user.to_string(), leaving))? < AT_ONCE {
        return Ok(());
    }
    Err(Error::conflict(format!(
        "{AT_ONCE} answers are being written for you already. Wait for one, or stop one first."
    )))
}

/// Whoever sends a message, as rows keep them; in a session, with its circumstances.
pub(super) fn asker(caller: &Caller, session: Option<Arc<Situation>>) -> Result<String> {
    let Caller { user, username, permissions, credential, agent, .. } = caller.clone();
    let door = Some(caller.door).filter(|door| door.is_for_programs());
    let asker = Asker { user, username, permissions, key: credential.key(), within: agent, session, door };
    serde_json::to_string(&asker).map_err(Error::internal)
}

pub(crate) fn insert(tx: &Tx, new: &NewTurn, node: NodeId) -> Result<OpenTurn> {
    let busy = "SELECT 1 FROM turns WHERE conversation = ?1 AND state IN ('running', 'waiting')";
    if tx.exists(busy, [new.conversation.to_string()])? {
        return Err(Error::conflict(UNDER_WAY));
    }
    let Purpose { kind, parent, job, session, call, tells, brief } = &new.purpose;
    let awaited = tells.is_some_and(|(_, report)| report == Report::Awaited);
    require_few(tx, new.caller.user, parent.filter(|_| awaited))?;
    if let Some(parent) = parent {
        require_going(tx, *parent)?;
    }
    let caller = &new.caller;
    let id = TurnId::new();
    let draft = (new.agent.version == 0).then(|| serde_json::to_string(&new.agent.content)).transpose();
    let draft = draft.map_err(Error::internal)?;
    let told = brief.as_deref().map(serde_json::to_string).transpose().map_err(Error::internal)?;
    tx.run(
        "INSERT INTO turns (id, conversation, state, caller, provider, started_at, node, run, kind, parent, job, agent,
                            agent_version, agent_draft, call, tells, report, waiter, brief)
         VALUES (?1, ?2, 'running', ?3, ?4, ?5, ?6, 1, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
        params![
            id.to_string(),
            new.conversation.to_string(),
            asker(caller, session.clone())?,
            new.provider.map(|id| id.to_string()),
            new.now.millis(),
            node.to_string(),
            kind.as_str(),
            parent.map(|id| id.to_string()),
            job.as_ref().map(|job| job.id.to_string()),
            new.agent.id.as_str(),
            new.agent.version,
            draft,
            call.map(|id| id.to_string()),
            tells.map(|(conversation, _)| conversation.to_string()),
            tells.map(|(_, report)| report.as_str()),
            awaited.then(|| node.to_string()),
            told,
        ],
    )?;
    let acting = new.agent.acting().within(caller.agent.clone()).in_session(session.clone());
    let acting = Some(Arc::new(acting));
    Ok(OpenTurn {
        id,
        conversation: new.conversation,
        state: TurnState::Running,
        caller: Caller { agent: acting, ..caller.through(door(*kind, job.is_some(), Some(caller.door))) },
        provider: new.provider,
        agent: Arc::new(new.agent.clone()),
        tokens: 0,
        model_calls: 0,
        last_event: 0,
        stop_asked: false,
        job: job.clone(),
        parent: *parent,
        session: session.clone(),
        tells: tells.map(|(conversation, _)| conversation),
        kind: *kind,
        brief: brief.clone(),
        run: 1,
    })
}

/// Fails where a run was stopped: nothing begins below it any more.
fn require_going(tx: &Tx, run: TurnId) -> Result<()> {
    let stopped = "SELECT 1 FROM turns WHERE id = ?1 AND stop_asked";
    match tx.exists(stopped, [run.to_string()])? {
        true => Err(Error::new(Kind::Cancelled, "This was stopped: nothing is begun for it any more.")),
        false => Ok(()),
    }
}

/// The text of an agent that was deleted with its owner: it calls nothing.
pub(crate) const GONE: &str = r#"'{"name":"gone","tools":false}'"#;

/// The door that the calls of a run come through; those of a session, the one that it was begun through.
fn door(kind: RunKind, of_job: bool, began: Option<Door>) -> Door {
    match kind {
        RunKind::Sub if of_job => Door::Job,
        RunKind::Job => Door::Job,
        RunKind::Sub | RunKind::Api => began.filter(|door| door.is_for_programs()).unwrap_or(Door::Chat),
        RunKind::Chat | RunKind::Channel | RunKind::Acp => Door::Chat,
    }
}

/// The job behind a turn; one that was deleted has no name any more.
fn job(row: &Row<'_>) -> Result<Option<JobName>> {
    let Some(id) = row.get::<Option<String>>("job")? else { return Ok(None) };
    let name = row.get::<Option<String>>("job_name")?.unwrap_or_default();
    Ok(Some(JobName { id: id.parse()?, name }))
}

pub(super) fn open_turn(row: &Row<'_>) -> Result<OpenTurn> {
    let state: String = row.get("state")?;
    let provider: Option<String> = row.get("provider")?;
    let (id, version, content) = (row.parsed("agent")?, row.get("agent_version")?, row.json("agent_content")?);
    // Its origin has come into the conversation with the turn.
    let agent = AgentAt { id, version, content, origin: None };
    let began = caller(row)?;
    let parsed = |column| row.get::<Option<String>>(column);
    Ok(OpenTurn {
        id: row.parsed("id")?,
        conversation: row.parsed("conversation")?,
        state: if state == "waiting" { TurnState::Waiting } else { TurnState::Running },
        session: began.session.clone(),
        caller: began.acting_as(&agent),
        agent: Arc::new(agent),
        tokens: row.get::<i64>("tokens")?.unsigned_abs(),
        provider: provider.map(|text| text.parse()).transpose()?,
        model_calls: row.get("model_calls")?,
        last_event: row.get::<i64>("last_event")?.unsigned_abs(),
        stop_asked: row.get("stop_asked")?,
        job: job(row)?,
        parent: parsed("parent")?.map(|id| id.parse()).transpose()?,
        tells: parsed("tells")?.map(|id| id.parse()).transpose()?,
        kind: parsed("kind")?.map_or(Ok(RunKind::Chat), |kind| RunKind::parse(&kind))?,
        brief: row.optional_json("brief")?.map(Arc::new),
        run: row.get("run")?,
    })
}

/// The kind of the turn `t`, whether it is of a job, and the permissions now of whoever began it: by their role, by the key
/// they began it with, and whether that opens what belongs to them. A key that was revoked grants nothing.
pub(super) const NOW: &str =
    "t.kind, t.job IS NOT NULL AS of_job, CASE WHEN u.disabled THEN '[]' ELSE r.permissions END AS by_role,
    CASE WHEN t.caller ->> 'key' IS NULL THEN '[\"*\"]' ELSE coalesce(k.permissions, '[]') END AS by_key,
    NOT u.disabled AND (t.caller ->> 'key' IS NULL OR coalesce(k.personal, FALSE)) AS personal";

/// Tables that the columns of [`NOW`] come from, beside the turn `t` and its conversation `c`.
pub(super) const WHO: &str = "JOIN users u ON u.id = c.person JOIN roles r ON r.name = u.role
    LEFT JOIN api_keys k ON k.id = t.caller ->> 'key'";

/// Whoever began a turn, before its agent acts for them.
pub(super) struct Began {
    pub(super) caller: Caller,
    session: Option<Arc<Situation>>,
}

impl Began {
    /// The caller of the turn: its agent acts, within the bounds of whichever had it begun.
    fn acting_as(self, agent: &AgentAt) -> Caller {
        let Self { caller, session } = self;
        let acting = agent.acting().within(caller.agent.clone()).in_session(session);
        Caller { agent: Some(Arc::new(acting)), ..caller }
    }
}

/// The person who began a turn, and what they may do by the columns of [`NOW`].
pub(super) fn caller(row: &Row<'_>) -> Result<Began> {
    let asker: Asker = row.json("caller")?;
    let (role, key): (Permissions, Permissions) = (row.json("by_role")?, row.json("by_key")?);
    let kind: Option<&str> = row.get("kind")?;
    let caller = Caller {
        user: asker.user,
        username: asker.username,
        permissions: asker.permissions.intersect(&role).intersect(&key),
        door: door(kind.map_or(Ok(RunKind::Chat), RunKind::parse)?, row.get("of_job")?, asker.door),
        credential: asker.key.map_or(Credential::Session, Credential::Key),
        personal: row.get("personal")?,
        agent: asker.within,
    };
    Ok(Began { caller, session: asker.session })
}

/// A ticket, who began its turn, and what they may do now.
pub(super) fn given_up(row: &Row<'_>) -> Result<(TicketId, Caller)> {
    Ok((row.parsed("ticket")?, Caller { agent: None, ..caller(row)?.caller }))
}

pub(super) fn usage(row: &Row<'_>) -> Result<Usage> {
    let number = |column| Ok::<_, Error>(row.get::<i64>(column)?.unsigned_abs());
    Ok(Usage::new(number("input_tokens")?, number("output_tokens")?))
}

pub(super) fn turn(row: &Row<'_>) -> Result<Turn> {
    let id: TurnId = row.parsed("id")?;
    let state: String = row.get("state")?;
    Ok(Turn {
        id,
        state: serde_json::from_value(state.into()).map_err(Error::internal)?,
        error: row.get("error")?,
        failure: row.optional_json("failure")?,
        usage: usage(row)?,
        context: row.optional_json("context")?,
        started_at: row.time("started_at")?,
        finished_at: row.optional_time("finished_at")?,
        last_event_id: format!("{id}-{}", row.get::<i64>("last_event")?.unsigned_abs()),
    })
}
