//! Rows of systems and endpoints.

use std::collections::HashMap;

use rusqlite::{Connection, Row, params};
use serde::Serialize;

use super::super::{
    origin,
    rows::{all as every, first, json, optional_json, parsed, run, time},
};
use crate::model::{
    catalog::{
        directory::Registered,
        draft,
        endpoint::{Endpoint, EndpointId},
        system::{System, SystemId},
    },
    error::{Error, Result},
    spec::Risk,
};

const SYSTEM: &str = "SELECT id, name, slug, description, base_url, tags, status, auth, rate_limit, retries, timeout_s, \
     created_at, updated_at, waiting, origin FROM systems";
const ENDPOINT: &str = "SELECT id, system, name, slug, operation, method, path, parameters, description, when_to_use, \
     risk, reviewed, rate_limit, retries, imported, created_at, updated_at, waiting, origin FROM endpoints";

/// Every system with its endpoints.
pub(super) fn all(c: &Connection) -> Result<Vec<Registered>> {
    let mut of: HashMap<SystemId, Vec<Endpoint>> = HashMap::new();
    for endpoint in every(c, &format!("{ENDPOINT} ORDER BY path, method, id"), (), read_endpoint)? {
        of.entry(endpoint.system_id).or_default().push(endpoint);
    }
    let systems = every(c, SYSTEM, (), read_system)?;
    let mut with = |system: System| {
        let endpoints = of.remove(&system.id).unwrap_or_default();
        Registered::new(system, endpoints)
    };
    Ok(systems.into_iter().map(&mut with).collect())
}

/// One system with its endpoints; none where it is gone.
pub(super) fn one(c: &Connection, id: SystemId) -> Result<Option<Registered>> {
    let Some(system) = system(c, id)? else { return Ok(None) };
    Ok(Some(Registered::new(system, endpoints(c, id)?)))
}

/// The endpoints of a system.
pub(super) fn endpoints(c: &Connection, id: SystemId) -> Result<Vec<Endpoint>> {
    every(c, &format!("{ENDPOINT} WHERE system = ?1 ORDER BY path, method, id"), [id.to_string()], read_endpoint)
}

/// One system.
pub(super) fn system(c: &Connection, id: SystemId) -> Result<Option<System>> {
    first(c, &format!("{SYSTEM} WHERE id = ?1"), [id.to_string()], read_system)
}

/// One system; fails where there is none.
pub(super) fn demand_system(c: &Connection, id: SystemId) -> Result<System> {
    system(c, id)?.ok_or_else(|| Error::not_found(format!("There is no system '{id}'.")))
}

/// One endpoint; fails where there is none.
pub(super) fn demand_endpoint(c: &Connection, id: EndpointId) -> Result<Endpoint> {
    let found = first(c, &format!("{ENDPOINT} WHERE id = ?1"), [id.to_string()], read_endpoint)?;
    found.ok_or_else(|| Error::not_found(format!("There is no endpoint '{id}'.")))
}

/// Writes a system, new or not.
pub(super) fn put_system(c: &Connection, system: &System) -> Result<()> {
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
    run(c, sql, values).map(drop)
}

/// Writes an endpoint, new or not.
pub(super) fn put_endpoint(c: &Connection, endpoint: &Endpoint) -> Result<()> {
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
        text(&endpoint.imported)?,
        endpoint.created_at.millis(),
        endpoint.updated_at.millis(),
        endpoint.waiting.as_ref().map(text).transpose()?,
        origin::text(&endpoint.origin),
    ];
    run(c, sql, values).map(drop)
}

fn read_system(row: &Row<'_>) -> Result<System> {
    let base_url: Option<String> = row.get(4)?;
    Ok(System {
        id: parsed(row, 0)?,
        name: row.get(1)?,
        slug: row.get(2)?,
        description: row.get(3)?,
        base_url: base_url.as_deref().map(draft::base_url).transpose()?,
        tags: json(row, 5)?,
        status: parsed(row, 6)?,
        auth: json(row, 7)?,
        rate_limit: json(row, 8)?,
        retries: row.get(9)?,
        timeout_s: row.get(10)?,
        created_at: time(row, 11)?,
        updated_at: time(row, 12)?,
        waiting: optional_json(row, 13)?,
        origin: origin::read(row, 14)?,
    })
}

fn read_endpoint(row: &Row<'_>) -> Result<Endpoint> {
    let risk: String = row.get(10)?;
    Ok(Endpoint {
        id: parsed(row, 0)?,
        system_id: parsed(row, 1)?,
        name: row.get(2)?,
        slug: row.get(3)?,
        operation: json(row, 4)?,
        method: row.get(5)?,
        path: row.get(6)?,
        parameters: json(row, 7)?,
        description: row.get(8)?,
        when_to_use: row.get(9)?,
        risk: serde_json::from_value::<Risk>(risk.into()).map_err(Error::internal)?,
        reviewed: row.get(11)?,
        rate_limit: json(row, 12)?,
        retries: row.get(13)?,
        imported: json(row, 14)?,
        created_at: time(row, 15)?,
        updated_at: time(row, 16)?,
        waiting: optional_json(row, 17)?,
        origin: origin::read(row, 18)?,
    })
}

fn text(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(Error::internal)
}
