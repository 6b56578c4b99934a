//! Tokens a person spent on a day (UTC): in all, for their budget, and by agent and model, with what they cost.

mod report;

pub use self::report::{Range, Reader, budgets, report};
use super::{
    audit,
    db::Db,
    prices,
    sql::{Tx, params},
};
use satchel_model::{audit::Event, error::Result, llm::Usage, price::Spent, time::Time, user::UserId};

/// The tokens this person spent on the day of `now`.
pub async fn spent(db: &Db, user: UserId, now: Time) -> Result<Usage> {
    let sql = "SELECT CAST(coalesce(sum(input_tokens), 0) AS BIGINT) AS input,
                 CAST(coalesce(sum(output_tokens), 0) AS BIGINT) AS output
               FROM spending WHERE person = ?1 AND day = ?2";
    let read = db.read(move |tx| {
        tx.first(sql, (user.to_string(), now.day()), |row| {
            let number = |column| row.get::<i64>(column).map(i64::unsigned_abs);
            Ok(Usage::new(number("input")?, number("output")?))
        })
    });
    Ok(read.await?.unwrap_or_default())
}

/// Notes what a model call outside a turn cost this person.
pub async fn spend(db: &Db, user: UserId, now: Time, spent: Spent) -> Result<()> {
    db.write(move |tx| add(tx, (user, ""), now, &spent).map(drop)).await
}

/// Notes what a model call took of this person, and its row in the audit; a call that took nothing is no request.
pub async fn spend_audited(db: &Db, (user, now): (UserId, Time), spent: Spent, event: Event) -> Result<()> {
    db.write_after_effect(move |tx| {
        if spent.usage.total() > 0 {
            add(tx, (user, ""), now, &spent)?;
        }
        audit::append(tx, &event).map(drop)
    })
    .await
}

/// The cost of a request, as rows have it.
pub(super) struct Billed {
    /// In billionths of the currency's unit.
    pub(super) cost: i64,
    pub(super) currency: String,
}

/// Adds to what a person spent on the day of `now`, for an agent; '' is none. Returns what it cost, if its model has a price.
pub(super) fn add(tx: &Tx, (user, agent): (UserId, &str), now: Time, spent: &Spent) -> Result<Option<Billed>> {
    let (input, output) = (spent.usage.input_tokens.cast_signed(), spent.usage.output_tokens.cast_signed());
    let price = prices::of(tx, spent.provider, &spent.model)?;
    let billed = price.map(|price| Billed { cost: price.of(spent.usage), currency: price.currency });
    let (cost, currency) = billed.as_ref().map_or((0, ""), |billed| (billed.cost, billed.currency.as_str()));
    tx.run(
        "INSERT INTO spending (day, person, agent, provider, model, currency, requests, input_tokens, output_tokens, cost)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1, ?7, ?8, ?9)
         ON CONFLICT (day, person, agent, provider, model, currency) DO UPDATE SET requests = spending.requests + 1,
           input_tokens = spending.input_tokens + excluded.input_tokens,
           output_tokens = spending.output_tokens + excluded.output_tokens, cost = spending.cost + excluded.cost",
        params![now.day(), user.to_string(), agent, spent.name, spent.model, currency, input, output, cost],
    )?;
    Ok(billed)
}

/// Adds a call of a tool in a conversation, and about how many tokens a model read of its answer.
pub(super) fn add_call(tx: &Tx, user: UserId, now: Time, (tool, failed, tokens): (&str, bool, u64)) -> Result<()> {
    tx.run(
        "INSERT INTO tool_spending (day, person, tool, calls, failed, tokens) VALUES (?1, ?2, ?3, 1, ?4, ?5)
         ON CONFLICT (day, person, tool) DO UPDATE SET calls = tool_spending.calls + 1,
           failed = tool_spending.failed + excluded.failed, tokens = tool_spending.tokens + excluded.tokens",
        params![now.day(), user.to_string(), tool, i64::from(failed), tokens.cast_signed()],
    )
    .map(drop)
}
