//! Rows of systems and endpoints.

use std::collections::HashMap;

use serde::Serialize;

use super::super::{
    origin,
    sql::{Row, Tx, params},
};
use satchel_model::{
    catalog::{
        directory::Registered,
        draft,
        endpoint::{Endpoint, EndpointId},
        imported::Imported,
        system::{System, SystemId},
    },
    error::{Error, Result},
    spec::Risk,
};

/// The column `imported` of an endpoint that comes from no document.
const NOT_IMPORTED: &str = "null";

const SYSTEM: &str = "SELECT id, name, slug, description, base_url, tags, status, auth, rate_limit, retries, timeout_s, \
     created_at, updated_at, waiting, origin FROM systems";
const ENDPOINT: &str = "SELECT id, system, name, slug, operation, method, path, parameters, description, when_to_use, \
     risk, reviewed, rate_limit, retries, imported, created_at, updated_at, waiting, origin FROM endpoints";

/// Every system with its endpoints.
pub(super) fn all(tx: &Tx) -> Result<Vec<Registered>> {
    let mut of: HashMap<SystemId, Vec<Endpoint>> = HashMap::new();
    for endpoint in tx.all(&format!("{ENDPOINT} ORDER BY path, method, id"), (), read_endpoint)? {
        of.entry(endpoint.system_id).or_default().push(endpoint);
    }
    let systems = tx.all(SYSTEM, (), read_system)?;
    let mut with = |system: System| {
        let endpoints = of.remove(&system.id).unwrap_or_default();
        Registered::new(system, endpoints)
    };
    Ok(systems.into_iter().map(&mut with).collect())
}

/// One system with its endpoints; none where it is gone.
pub(super) fn one(tx: &Tx, id: SystemId) -> Result<Option<Registered>> {
    let Some(system) = system(tx, id)? else { return Ok(None) };
    Ok(Some(Registered::new(system, endpoints(tx, id)?)))
}

/// The endpoints of a system.
pub(super) fn endpoints(tx: &Tx, id: SystemId) -> Result<Vec<Endpoint>> {
    tx.all(&format!("{ENDPOINT} WHERE system = ?1 ORDER BY path, method, id"), [id.to_string()], read_endpoint)
}

/// One system.
pub(super) fn system(tx: &Tx, id: SystemId) -> Result<Option<System>> {
    tx.first(&format!("{SYSTEM} WHERE id = ?1"), [id.to_string()], read_system)
}

/// One system; fails where there is none.
pub(super) fn require_system(tx: &Tx, id: SystemId) -> Result<System> {
    system(tx, id)?.ok_or_else(|| Error::not_found(format!("There is no system '{id}'.")))
}

/// One endpoint; fails where there is none.
pub(super) fn require_endpoint(tx: &Tx, id: EndpointId) -> Result<Endpoint> {
    let found = tx.first(&format!("{ENDPOINT} WHERE id = ?1"), [id.to_string()], read_endpoint)?;
    found.ok_or_else(|| Error::not_found(format!("There is no endpoint '{id}'.")))
}

/// Writes a system, new or not.
pub(super) fn put_system(tx: &Tx, system: &System) -> Result<()> {
    let sql = "INSERT INTO systems (id, name, name_key, slug, description, base_url, tags, status, auth, rate_limit, \
         retries, timeout_s, created_at, updated_at, waiting, origin) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16) \
         ON CONFLICT (id) DO UPDATE SET name = excluded.name, name_key = excluded.name_key, slug = excluded.slug, \
           description = excluded.description, base_url = excluded.base_url, tags = excluded.tags, \
           status = excluded.status, auth = excluded.auth, rate_limit = excluded.rate_limit, \
           retries = excluded.retries, timeout_s = excluded.timeout_s, updated_at = excluded.updated_at, \
           waiting = excluded.waiting, origin = excluded.origin";
    let values = params![
        system.id.to_string(),
        system.name,
        system.name.to_lowercase(),
        system.slug,
        system.description,
        system.base_url.as_ref().map(url::Url::as_str),
        text(&system.tags)?,
        system.status.as_str(),
        text(&system.auth)?,
        text(&system.rate_limit)?,
        system.retries,
        system.timeout_s,
        system.created_at.millis(),
        system.updated_at.millis(),
        system.waiting.as_ref().map(text).transpose()?,
        origin::text(&system.origin),
    ];
    tx.run(sql, values).map(drop)
}

/// Writes an endpoint, new or not.
pub(super) fn put_endpoint(tx: &Tx, endpoint: &Endpoint) -> Result<()> {
    let sql = "INSERT INTO endpoints (id, system, name, slug, operation, method, path, parameters, description, \
         when_to_use, risk, reviewed, rate_limit, retries, imported, created_at, updated_at, waiting, origin) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19) \
         ON CONFLICT (id) DO UPDATE SET name = excluded.name, slug = excluded.slug, operation = excluded.operation, \
           method = excluded.method, path = excluded.path, parameters = excluded.parameters, \
           description = excluded.description, when_to_use = excluded.when_to_use, risk = excluded.risk, \
           reviewed = excluded.reviewed, rate_limit = excluded.rate_limit, retries = excluded.retries, \
           imported = excluded.imported, updated_at = excluded.updated_at, waiting = excluded.waiting, \
           origin = excluded.origin";
    let values = params![
        endpoint.id.to_string(),
        endpoint.system_id.to_string(),
        endpoint.name,
        endpoint.slug,
        text(&endpoint.operation)?,
        endpoint.method,
        endpoint.path,
        text(&endpoint.parameters)?,
        endpoint.description,
        endpoint.when_to_use,
        endpoint.risk.as_str(),
        endpoint.reviewed,
        text(&endpoint.rate_limit)?,
        endpoint.retries,
        endpoint.imported.as_ref().map_or(NOT_IMPORTED, Imported::as_json),
        endpoint.created_at.millis(),
        endpoint.updated_at.millis(),
        endpoint.waiting.as_ref().map(text).transpose()?,
        origin::text(&endpoint.origin),
    ];
    tx.run(sql, values).map(drop)
}

fn read_system(row: &Row<'_>) -> Result<System> {
    let base_url: Option<String> = row.get("base_url")?;
    Ok(System {
        id: row.parsed("id")?,
        name: row.get("name")?,
        slug: row.get("slug")?,
        description: row.get("description")?,
        base_url: base_url.as_deref().map(draft::base_url).transpose()?,
        tags: row.json("tags")?,
        status: row.parsed("status")?,
        auth: row.json("auth")?,
        rate_limit: row.json("rate_limit")?,
        retries: row.get("retries")?,
        timeout_s: row.get("timeout_s")?,
        created_at: row.time("created_at")?,
        updated_at: row.time("updated_at")?,
        waiting: row.optional_json("waiting")?,
        origin: origin::read(row)?,
    })
}

fn read_endpoint(row: &Row<'_>) -> Result<Endpoint> {
    let risk: String = row.get("risk")?;
    Ok(Endpoint {
        id: row.parsed("id")?,
        system_id: row.parsed("system")?,
        name: row.get("name")?,
        slug: row.get("slug")?,
        operation: row.json("operation")?,
        method: row.get("method")?,
        path: row.get("path")?,
        parameters: row.json("parameters")?,
        description: row.get("description")?,
        when_to_use: row.get("when_to_use")?,
        risk: serde_json::from_value::<Risk>(risk.into()).map_err(Error::internal)?,
        reviewed: row.get("reviewed")?,
        rate_limit: row.json("rate_limit")?,
        retries: row.get("retries")?,
        imported: imported(row.get("imported")?),
        created_at: row.time("created_at")?,
        updated_at: row.time("updated_at")?,
        waiting: row.optional_json("waiting")?,
        origin: origin::read(row)?,
    })
}

/// Reads the column `imported`.
fn imported(text: &str) -> Option<Imported> {
    (text != NOT_IMPORTED).then(|| Imported::from_json(text))
}

fn text(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(Error::internal)
}
