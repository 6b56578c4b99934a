//! Reading rows: what every noun's SQL needs once.

use std::str::FromStr;

use rusqlite::{Connection, Params, Row};
use serde::de::DeserializeOwned;

use crate::model::{
    error::{Error, Result},
    time::Time,
};

/// Every row of a query, read by `read`.
pub(super) fn all<T>(
    c: &Connection,
    sql: &str,
    params: impl Params,
    read: impl Fn(&Row<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    let mut statement = c.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(read(row)?);
    }
    Ok(found)
}

/// The first row of a query, read by `read`.
pub(super) fn first<T>(
    c: &Connection,
    sql: &str,
    params: impl Params,
    read: impl Fn(&Row<'_>) -> Result<T>,
) -> Result<Option<T>> {
    let mut statement = c.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    rows.next()?.map(read).transpose()
}

/// Runs a statement and says how many rows it changed.
pub(super) fn run(c: &Connection, sql: &str, params: impl Params) -> Result<usize> {
    Ok(c.prepare_cached(sql)?.execute(params)?)
}

/// A column that holds an id or another word with a parser.
pub(super) fn parsed<T: FromStr<Err = Error>>(row: &Row<'_>, column: usize) -> Result<T> {
    row.get::<_, String>(column)?.parse().map_err(damaged)
}

/// A column that holds JSON.
pub(super) fn json<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> Result<T> {
    serde_json::from_str(&row.get::<_, String>(column)?).map_err(damaged)
}

/// A column that holds JSON, or nothing.
pub(super) fn optional_json<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> Result<Option<T>> {
    let text: Option<String> = row.get(column)?;
    text.as_deref().map(serde_json::from_str).transpose().map_err(damaged)
}

/// A column that holds milliseconds since 1970.
pub(super) fn time(row: &Row<'_>, column: usize) -> Result<Time> {
    Ok(Time::from_millis(row.get(column)?))
}

/// A column that holds milliseconds since 1970, or nothing.
pub(super) fn optional_time(row: &Row<'_>, column: usize) -> Result<Option<Time>> {
    Ok(row.get::<_, Option<i64>>(column)?.map(Time::from_millis))
}

fn damaged(error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::internal(error)
}

/// A LIKE pattern that finds the text itself, whatever signs it holds.
pub(super) fn like(text: &str) -> String {
    let mut pattern = String::from("%");
    for c in text.chars() {
        if matches!(c, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern + "%"
}
