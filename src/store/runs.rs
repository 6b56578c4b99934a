//! Runs, as their rows have them: turns with what began them.

use super::{
    db::Db,
    sql::{Bind, Row, Tx},
};
use satchel_model::{
    caller::Caller,
    error::{Error, Result},
    llm::Usage,
    price::Cost,
    run::{Run, RunId, RunKind, RunState},
    user::UserId,
};

/// The runs that a query asks for; an empty field asks for all.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Of one kind.
    pub kind: Option<RunKind>,
    /// Of one agent, by its id.
    pub agent: Option<String>,
    /// In one state.
    pub state: Option<RunState>,
    /// Begun before this one.
    pub before: Option<RunId>,
}

/// Whose runs somebody sees.
#[derive(Debug, Clone, Copy)]
pub struct Sight {
    user: UserId,
    /// Others', too: that they exist and what they took.
    others: bool,
}

impl Sight {
    /// The sight of a caller.
    pub fn new(caller: &Caller) -> Self {
        Self { user: caller.user, others: caller.permissions.is_all() }
    }
}

/// Holds for a turn `t` in which a call may have taken effect or not.
const UNCERTAIN: &str = "EXISTS (SELECT 1 FROM messages m JOIN steps s ON s.message = m.id
                                 WHERE m.turn = t.id AND s.state = 'uncertain')";

/// Columns of a run, and where they come from.
const COLUMNS: &str = "t.id, t.kind, t.agent, u.username, t.conversation, t.parent, t.job, t.state, t.started_at,
    t.finished_at, t.input_tokens, t.output_tokens, t.error, t.cost, t.currency, t.unpriced, c.person";
const TABLES: &str = "turns t JOIN conversations c ON c.id = t.conversation JOIN users u ON u.id = c.person";

/// The newest runs that pass, newest first.
pub async fn find(db: &Db, sight: Sight, filter: Filter, limit: u32) -> Result<Vec<Run>> {
    db.read(move |tx| {
        let (condition, bound) = clause(sight, &filter);
        let sql = format!(
            "SELECT {COLUMNS}, {UNCERTAIN} AS uncertain FROM {TABLES} WHERE {condition} ORDER BY t.id DESC LIMIT {limit}"
        );
        tx.all(&sql, bound, |row| run(row, sight))
    })
    .await
}

/// A run.
///
/// # Errors
///
/// If there is none that they see.
pub async fn get(db: &Db, sight: Sight, id: RunId) -> Result<Run> {
    db.read(move |tx| one(tx, sight, id)).await
}

fn one(tx: &Tx, sight: Sight, id: RunId) -> Result<Run> {
    let (condition, mut bound) = clause(sight, &Filter::default());
    bound.push(Box::new(id.to_string()));
    let sql = format!(
        "SELECT {COLUMNS}, {UNCERTAIN} AS uncertain FROM {TABLES} WHERE {condition} AND t.id = ?{}",
        bound.len()
    );
    let found = tx.first(&sql, bound, |row| run(row, sight))?;
    found.ok_or_else(|| Error::not_found(format!("There is no run '{id}'.")))
}

fn clause(sight: Sight, filter: &Filter) -> (String, Vec<Box<dyn Bind>>) {
    // What has no kind is a copy of a run.
    let mut conditions = vec!["t.kind IS NOT NULL".to_owned()];
    let mut bound: Vec<Box<dyn Bind>> = Vec::new();
    let mut add = |condition: &str, value: String| {
        bound.push(Box::new(value));
        conditions.push(condition.replace('?', &format!("?{}", bound.len())));
    };
    if !sight.others {
        add("c.person = ?", sight.user.to_string());
    }
    if let Some(kind) = filter.kind {
        add("t.kind = ?", kind.as_str().to_owned());
    }
    if let Some(agent) = filter.agent.clone() {
        add("t.agent = ?", agent);
    }
    if let Some(before) = filter.before {
        add("t.id < ?", before.to_string());
    }
    match filter.state {
        Some(RunState::Uncertain) => {
            conditions.push(format!("t.state NOT IN ('running', 'waiting') AND {UNCERTAIN}"));
        }
        Some(state) if state.is_over() => add(&format!("t.state = ? AND NOT {UNCERTAIN}"), state.as_str().to_owned()),
        Some(state) => add("t.state = ?", state.as_str().to_owned()),
        None => {}
    }
    (conditions.join(" AND "), bound)
}

fn run(row: &Row<'_>, sight: Sight) -> Result<Run> {
    let number = |column| row.get::<i64>(column).map(i64::unsigned_abs);
    let kind: String = row.get("kind")?;
    let id: RunId = row.parsed("id")?;
    let user: String = row.get("username")?;
    let agent: String = row.get("agent")?;
    let conversation = row.parsed("conversation")?;
    let parent = row.get::<Option<String>>("parent")?.map(|id| id.parse()).transpose()?;
    let state = RunState::parse(row.get("state")?)?;
    let is_uncertain = state.is_over() && row.get("uncertain")?;
    let cost: Option<(i64, String)> = row.get::<Option<i64>>("cost")?.zip(row.get("currency")?);
    let is_priced = !row.get::<bool>("unpriced")?;
    let is_own = row.get::<&str>("person")? == sight.user.to_string();
    Ok(Run {
        id,
        kind: RunKind::parse(&kind)?,
        agent,
        user,
        conversation,
        parent,
        job: row.get("job")?,
        state: if is_uncertain { RunState::Uncertain } else { state },
        started_at: row.time("started_at")?,
        ended_at: row.optional_time("finished_at")?,
        usage: Usage::new(number("input_tokens")?, number("output_tokens")?),
        cost: cost.filter(|_| is_priced).map(|(cost, currency)| Cost::from_billionths(cost, currency)),
        error: row.get::<Option<String>>("error")?.filter(|_| is_own),
    })
}
