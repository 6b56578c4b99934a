//! Usage as its readers see it: by day, person, agent, model or tool, and what of each budget is used.

use std::collections::BTreeMap;

use crate::{db::Db, sql::Row};
use satchel_model::{
    agent::draft::AgentDraft,
    error::{Error, Result},
    price::Cost,
    time::Time,
    user::UserId,
};

/// What usage is put together by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// Days (UTC).
    Day,
    /// People.
    Person,
    /// Agents.
    Agent,
    /// Models.
    Model,
    /// Tools.
    Tool,
}

/// The days from one to another, both among them, as `2026-11-27`.
#[derive(Debug, Clone)]
pub struct Range {
    /// The first.
    pub from: String,
    /// The last.
    pub to: String,
}

/// Whose usage somebody reads; with `None`, everybody's.
pub type Reader = Option<UserId>;

/// The usage of one day, person, agent, model or tool.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UsageRow {
    /// The day, the person's name, the agent's id, the model or the tool's id; empty where that is not known.
    pub key: String,
    /// The name of an agent, or of a model's provider.
    pub name: Option<String>,
    /// Requests to models, or calls of a tool.
    pub requests: u64,
    /// Calls that failed.
    pub failed: u64,
    /// Tokens sent.
    pub input_tokens: u64,
    /// Tokens answered. Of a tool, about those of its answers.
    pub output_tokens: u64,
    /// Tokens without a price.
    pub unpriced_tokens: u64,
    /// The cost, by currency.
    pub costs: Vec<Cost>,
}

/// Tokens of a person on a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonDay {
    /// The person's name.
    pub person: String,
    /// Tokens taken.
    pub used: u64,
}

/// Tokens that an agent took for a person on a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentDay {
    /// The person's name.
    pub person: String,
    /// The agent's id.
    pub agent: String,
    /// The agent's name.
    pub name: String,
    /// Tokens taken.
    pub used: u64,
    /// Tokens it may take for one person in a day.
    pub limit: u64,
}

/// The usage of some days. Days are in their order, all else by what took most.
pub async fn report(db: &Db, by: By, range: Range, reader: Reader) -> Result<Vec<UsageRow>> {
    let reader = reader.map(|user| user.to_string());
    let rows = db.read(move |tx| {
        let bound = (range.from, range.to, reader);
        if by == By::Tool {
            return tx.all(TOOLS, bound, tool);
        }
        let mut rows: BTreeMap<(String, Option<String>), UsageRow> = BTreeMap::new();
        for (row, currency, cost) in tx.all(&spending(by), bound, |row| part(row, by))? {
            let entry = rows.entry((row.key.clone(), row.name.clone())).or_insert_with(|| UsageRow {
                key: row.key.clone(),
                name: row.name.clone(),
                ..UsageRow::default()
            });
            add(entry, &row, (currency, cost));
        }
        Ok(rows.into_values().collect())
    });
    let mut rows: Vec<UsageRow> = rows.await?;
    if by != By::Day {
        rows.sort_by_key(|row| std::cmp::Reverse(row.input_tokens + row.output_tokens));
    }
    Ok(rows)
}

const TOOLS: &str = "SELECT tool AS key, CAST(sum(calls) AS BIGINT) AS requests, CAST(sum(failed) AS BIGINT) AS failed,
      CAST(sum(tokens) AS BIGINT) AS output_tokens
    FROM tool_spending
    WHERE day >= ?1 AND day <= ?2 AND (CAST(?3 AS TEXT) IS NULL OR person = ?3) GROUP BY tool";

/// One row for each currency.
fn spending(by: By) -> String {
    let (key, name) = match by {
        By::Day | By::Tool => ("s.day", "NULL"),
        By::Person => ("(SELECT u.username FROM users u WHERE u.id = s.person)", "NULL"),
        By::Agent => (
            "s.agent",
            "(SELECT v.content FROM agents a JOIN agent_versions v ON v.agent = a.id AND v.version = a.version
              WHERE a.id = s.agent)",
        ),
        By::Model => ("s.model", "s.provider"),
    };
    format!(
        "SELECT key, name, currency, CAST(sum(requests) AS BIGINT) AS requests,
           CAST(sum(input_tokens) AS BIGINT) AS input_tokens, CAST(sum(output_tokens) AS BIGINT) AS output_tokens,
           CAST(sum(cost) AS BIGINT) AS cost
         FROM (SELECT {key} AS key, CAST({name} AS TEXT) AS name, s.currency, s.requests, s.input_tokens,
                 s.output_tokens, s.cost
               FROM spending s WHERE s.day >= ?1 AND s.day <= ?2 AND (CAST(?3 AS TEXT) IS NULL OR s.person = ?3)) p
         GROUP BY key, name, currency"
    )
}

fn add(entry: &mut UsageRow, row: &UsageRow, (currency, cost): (String, i64)) {
    entry.requests += row.requests;
    entry.input_tokens += row.input_tokens;
    entry.output_tokens += row.output_tokens;
    match currency.as_str() {
        "" => entry.unpriced_tokens += row.input_tokens + row.output_tokens,
        _ => entry.costs.push(Cost::from_billionths(cost, currency)),
    }
}

fn number(row: &Row<'_>, column: &str) -> Result<u64> {
    row.get::<i64>(column).map(i64::unsigned_abs)
}

/// A part of a row, with its currency and its cost.
fn part(row: &Row<'_>, by: By) -> Result<(UsageRow, String, i64)> {
    let name: Option<String> = match by {
        By::Agent => row.optional_json::<AgentDraft>("name")?.map(|draft| draft.name),
        _ => row.get("name")?,
    };
    let part = UsageRow {
        key: row.get::<Option<String>>("key")?.unwrap_or_default(),
        name: name.filter(|name| !name.is_empty()),
        requests: number(row, "requests")?,
        input_tokens: number(row, "input_tokens")?,
        output_tokens: number(row, "output_tokens")?,
        ..UsageRow::default()
    };
    Ok((part, row.get("currency")?, row.get("cost")?))
}

fn tool(row: &Row<'_>) -> Result<UsageRow> {
    Ok(UsageRow {
        key: row.get("key")?,
        requests: number(row, "requests")?,
        failed: number(row, "failed")?,
        output_tokens: number(row, "output_tokens")?,
        ..UsageRow::default()
    })
}

/// What people took on the day of `now`, whoever took most first.
pub async fn person_days(db: &Db, now: Time, reader: Reader) -> Result<Vec<PersonDay>> {
    let sql = "SELECT u.username AS person, s.input_tokens + s.output_tokens AS used
               FROM usage s JOIN users u ON u.id = s.person
               WHERE s.day = ?1 AND (CAST(?2 AS TEXT) IS NULL OR s.person = ?2) ORDER BY used DESC, u.username";
    let bound = (now.day(), reader.map(|user| user.to_string()));
    db.read(move |tx| {
        tx.all(sql, bound, |row| Ok(PersonDay { person: row.get("person")?, used: number(row, "used")? }))
    })
    .await
}

/// What agents with a budget of a day took on the day of `now`, whichever took most first.
pub async fn agent_days(db: &Db, now: Time, reader: Reader) -> Result<Vec<AgentDay>> {
    let sql = "SELECT u.username AS person, g.agent, g.tokens, v.content
               FROM agent_usage g JOIN users u ON u.id = g.person JOIN agents a ON a.id = g.agent
                 JOIN agent_versions v ON v.agent = a.id AND v.version = a.version
               WHERE g.day = ?1 AND (CAST(?2 AS TEXT) IS NULL OR g.person = ?2) ORDER BY g.tokens DESC, u.username";
    let bound = (now.day(), reader.map(|user| user.to_string()));
    let read = |row: &Row<'_>| {
        let content: AgentDraft = row.json("content")?;
        let limit = content.budget.tokens_per_day;
        let (person, agent, used) = (row.get("person")?, row.get("agent")?, number(row, "tokens")?);
        Ok::<_, Error>(limit.map(|limit| AgentDay { person, agent, name: content.name, used, limit }))
    };
    Ok(db.read(move |tx| tx.all(sql, bound, read)).await?.into_iter().flatten().collect())
}
