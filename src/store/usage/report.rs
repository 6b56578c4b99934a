//! Usage as its readers see it: sums of what was spent, and how much of each budget is used.

use std::collections::BTreeMap;

use crate::{db::Db, sql::Row};
use satchel_model::{
    agent::draft::AgentDraft,
    error::{Error, Result},
    price::Cost,
    time::Time,
    usage::{UsageBudget, UsageBy, UsageRow},
    user::UserId,
};

/// The days from one to another, both among them, as `2026-11-27`.
#[derive(Debug, Clone)]
pub struct Range {
    /// The first.
    pub from: String,
    /// The last.
    pub to: String,
}

/// The person whose usage is read; `None` reads everybody's.
pub type Reader = Option<UserId>;

/// The usage of some days. Days are in their order, all else by what took most.
pub async fn report(db: &Db, by: UsageBy, range: Range, reader: Reader) -> Result<Vec<UsageRow>> {
    let reader = reader.map(|user| user.to_string());
    let rows = db.read(move |tx| {
        let bound = (range.from, range.to, reader);
        if by == UsageBy::Tool {
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
    if by != UsageBy::Day {
        rows.sort_by_key(|row| std::cmp::Reverse(row.input_tokens + row.output_tokens));
    }
    Ok(rows)
}

const TOOLS: &str = "SELECT tool AS key, CAST(sum(calls) AS BIGINT) AS requests, CAST(sum(failed) AS BIGINT) AS failed,
      CAST(sum(tokens) AS BIGINT) AS output_tokens
    FROM tool_spending
    WHERE day >= ?1 AND day <= ?2 AND (CAST(?3 AS TEXT) IS NULL OR person = ?3) GROUP BY tool";

/// One row for each currency.
fn spending(by: UsageBy) -> String {
    let (key, name) = match by {
        UsageBy::Day | UsageBy::Tool => ("s.day", "NULL"),
        UsageBy::Person => ("(SELECT u.username FROM users u WHERE u.id = s.person)", "NULL"),
        UsageBy::Agent => (
            "s.agent",
            "(SELECT v.content FROM agents a JOIN agent_versions v ON v.agent = a.id AND v.version = a.version
              WHERE a.id = s.agent)",
        ),
        UsageBy::Model => ("s.model", "s.provider"),
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
fn part(row: &Row<'_>, by: UsageBy) -> Result<(UsageRow, String, i64)> {
    let name: Option<String> = match by {
        UsageBy::Agent => row.optional_json::<AgentDraft>("name")?.map(|draft| draft.name),
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
        failed: Some(number(row, "failed")?),
        output_tokens: number(row, "output_tokens")?,
        ..UsageRow::default()
    })
}

/// The budgets of the day of `now`, as far as something of them is used: those of people, of which each is `limit`, then those
/// of agents; of each kind, whoever took most first.
pub async fn budgets(db: &Db, now: Time, reader: Reader, limit: Option<u64>) -> Result<Vec<UsageBudget>> {
    let people = "SELECT u.username AS person, CAST(sum(s.input_tokens + s.output_tokens) AS BIGINT) AS used
                  FROM spending s JOIN users u ON u.id = s.person
                  WHERE s.day = ?1 AND (CAST(?2 AS TEXT) IS NULL OR s.person = ?2)
                  GROUP BY u.username ORDER BY used DESC, u.username";
    let agents = "SELECT u.username AS person, g.agent, g.tokens, v.content
                  FROM agent_usage g JOIN users u ON u.id = g.person JOIN agents a ON a.id = g.agent
                    JOIN agent_versions v ON v.agent = a.id AND v.version = a.version
                  WHERE g.day = ?1 AND (CAST(?2 AS TEXT) IS NULL OR g.person = ?2) ORDER BY g.tokens DESC, u.username";
    let bound = (now.day(), reader.map(|user| user.to_string()));
    let of_person = move |row: &Row<'_>| {
        let (person, used) = (row.get("person")?, number(row, "used")?);
        Ok::<_, Error>(UsageBudget { person, agent: None, agent_name: None, used, limit })
    };
    let of_agent = |row: &Row<'_>| {
        let content: AgentDraft = row.json("content")?;
        let limit = content.budget.tokens_per_day;
        let (person, agent, used) = (row.get("person")?, row.get("agent")?, number(row, "tokens")?);
        Ok::<_, Error>(UsageBudget { person, agent: Some(agent), agent_name: Some(content.name), used, limit })
    };
    db.read(move |tx| {
        let moment = tx.moment()?;
        let mut budgets = moment.all(people, &bound, of_person)?;
        let limited = moment.all(agents, &bound, of_agent)?.into_iter().filter(|budget| budget.limit.is_some());
        budgets.extend(limited);
        Ok(budgets)
    })
    .await
}
