//! Prices of models, entered by administrators. Another model of the same provider has none until one is entered.

use std::collections::HashMap;

use serde_json::json;

use super::{
    db::Db,
    people::Actor,
    sql::{Row, Tx},
};
use satchel_model::{
    error::Result,
    llm::{Provider, ProviderId},
    price::Price,
};

/// The prices there are, by provider and model.
pub async fn all(db: &Db) -> Result<HashMap<(ProviderId, String), Price>> {
    let sql = "SELECT provider, model, input, output, currency FROM prices";
    let read = db.read(move |tx| {
        tx.all(sql, (), |row| Ok(((row.parsed("provider")?, row.get::<String>("model")?), price(row)?)))
    });
    Ok(read.await?.into_iter().collect())
}

/// Sets the price of a provider's model.
///
/// # Errors
///
/// If it cannot be one.
pub async fn set(db: &Db, by: &Actor, provider: &Provider, price: Price) -> Result<()> {
    price.ensure()?;
    let (by, id, model) = (by.clone(), provider.id, provider.model.clone());
    db.write(move |tx| {
        let (input, output) = price.millionths();
        tx.run(
            "INSERT INTO prices (provider, model, input, output, currency) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (provider, model) DO UPDATE SET input = excluded.input, output = excluded.output,
               currency = excluded.currency",
            (id.to_string(), &model, input, output, &price.currency),
        )?;
        by.record(tx, "provider.price", json!({"id": id, "model": model, "price": price}))
    })
    .await
}

/// Takes the price of a provider's model away.
pub async fn clear(db: &Db, by: &Actor, provider: &Provider) -> Result<()> {
    let (by, id, model) = (by.clone(), provider.id, provider.model.clone());
    db.write(move |tx| {
        let sql = "DELETE FROM prices WHERE provider = ?1 AND model = ?2";
        match tx.run(sql, (id.to_string(), &model))? {
            0 => Ok(()),
            _ => by.record(tx, "provider.price", json!({"id": id, "model": model, "price": null})),
        }
    })
    .await
}

/// The price of a model, if it has one.
pub(super) fn of(tx: &Tx, provider: ProviderId, model: &str) -> Result<Option<Price>> {
    let sql = "SELECT input, output, currency FROM prices WHERE provider = ?1 AND model = ?2";
    tx.first(sql, (provider.to_string(), model.to_owned()), price)
}

fn price(row: &Row<'_>) -> Result<Price> {
    Ok(Price::from_millionths((row.get("input")?, row.get("output")?), row.get("currency")?))
}
