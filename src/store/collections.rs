//! Collections: documents that are seen by the same people.

use std::collections::{HashMap, HashSet};

use serde_json::json;

use super::{
    db::Db,
    people::Actor,
    purge,
    sql::{Row, Tx},
};
use satchel_model::{
    error::{Error, Result},
    id::shorten,
    knowledge::{Collection, CollectionId, NewCollection},
    reader::Reader,
};

/// The number of the collection for documents that name no other.
pub(super) const DEFAULT: i64 = 1;

/// The condition that the [`Reader`] `?1` sees the collection `k`: it is open to all, or to their role, or they may do everything
/// through the credential they show; and it is among those that the agent which acts for them has, where it has any.
pub(super) const VISIBLE: &str = "((?1 NOT LIKE '%/%' OR ?1 LIKE '%/' || k.id || '/%')
   AND (NOT k.restricted OR substr(?1, 1, 1) = '*' OR EXISTS (SELECT 1 FROM users u JOIN collection_roles o ON o.role = u.role
     WHERE u.id = substr(?1, 1, 36) AND o.collection = k.number)))";

/// Between a name's key and the id that tells it apart from a hidden one of the same name.
const APART: char = '\u{1f}';

/// The condition that the collection `k` has the name whose key is `?2`.
const NAMED: &str = "(k.name_key = ?2 OR substr(k.name_key, 1, length(?2) + 1) = ?2 || '\u{1f}')";

const COLUMNS: &str = "k.id, k.name, k.description, k.restricted,
   (SELECT count(*) FROM documents d WHERE d.collection = k.number AND d.deleted_at IS NULL) AS documents,
   k.number, k.created_at, k.updated_at";

/// The collections of one database. Cheap to clone.
#[derive(Clone)]
pub struct Collections {
    db: Db,
}

impl Collections {
    /// The collections of this database.
    pub fn new(db: &Db) -> Self {
        Self { db: db.clone() }
    }

    /// Those this person sees, by name.
    pub async fn list(&self, reader: Reader) -> Result<Vec<Collection>> {
        let sql = format!("SELECT {COLUMNS} FROM collections k WHERE {VISIBLE} ORDER BY k.name_key");
        self.db
            .read(move |tx| {
                let moment = tx.moment()?;
                let mut found = moment.all(&sql, [reader.to_string()], read)?;
                let sql = "SELECT k.id, o.role FROM collection_roles o JOIN collections k ON k.number = o.collection
                           ORDER BY o.position";
                let mut roles: HashMap<CollectionId, Vec<String>> = HashMap::new();
                for (id, role) in moment.all(sql, (), |row| Ok((row.parsed("id")?, row.get("role")?)))? {
                    roles.entry(id).or_default().push(role);
                }
                for one in &mut found {
                    one.roles = one.roles.take().map(|_| roles.remove(&one.id).unwrap_or_default());
                }
                Ok(found)
            })
            .await
    }

    /// Makes one.
    pub async fn create(&self, by: &Actor, new: NewCollection) -> Result<Collection> {
        let by = by.clone();
        self.db
            .write(move |tx| {
                let id = CollectionId::new();
                let name_key = free_key(tx, by.caller.reader(), &new.name, id)?;
                require_roles(tx, new.roles.as_deref())?;
                let number = tx.one(
                    "INSERT INTO collections (id, name, name_key, description, restricted, created_at, updated_at)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6) RETURNING number",
                    (id.to_string(), &new.name, name_key, &new.description, new.roles.is_some(), by.now.millis()),
                )?;
                put_roles(tx, number, new.roles.as_deref())?;
                by.record(tx, "collection.create", json!({"id": id, "name": new.name, "roles": new.roles}))?;
                whole(tx, id)
            })
            .await
    }

    /// Changes one that the actor sees. Who sees it is widened only by somebody who manages people.
    pub async fn change(&self, by: &Actor, id: CollectionId, new: NewCollection) -> Result<Collection> {
        let by = by.clone();
        self.db
            .write(move |tx| {
                let number = number(tx, by.caller.reader(), Some(id))?;
                let name_key = free_key(tx, by.caller.reader(), &new.name, id)?;
                require_roles(tx, new.roles.as_deref())?;
                let before = whole(tx, id)?;
                if widens(before.roles.as_deref(), new.roles.as_deref()) {
                    by.caller.require("users:manage")?;
                }
                tx.run(
                    "UPDATE collections SET name = ?2, name_key = ?3, description = ?4, restricted = ?5, updated_at = ?6
                     WHERE number = ?1",
                    (number, &new.name, name_key, &new.description, new.roles.is_some(), by.now.millis()),
                )?;
                put_roles(tx, number, new.roles.as_deref())?;
                let roles = json!({"before": before.roles, "after": new.roles});
                by.record(tx, "collection.change", json!({"id": id, "name": new.name, "roles": roles}))?;
                whole(tx, id)
            })
            .await
    }

    /// Removes one that the actor sees and that holds nothing; what lies in its trash goes with it.
    /// Gives the hashes of files that may no longer be needed.
    pub(super) async fn delete(&self, by: &Actor, id: CollectionId) -> Result<Vec<String>> {
        let by = by.clone();
        self.db
            .purge(move |tx| {
                let number = number(tx, by.caller.reader(), Some(id))?;
                if number == DEFAULT {
                    return Err(Error::conflict(
                        "This collection takes the documents that name no other, and stays. You can rename it.",
                    ));
                }
                let left = whole(tx, id)?.documents;
                if left > 0 {
                    return Err(Error::conflict(format!(
                        "The collection still holds {left} documents. Delete them first; nothing was changed."
                    )));
                }
                let trash = purge::documents(tx, "collection = ?1", [number])?;
                tx.run("DELETE FROM collections WHERE number = ?1", [number])?;
                by.record(tx, "collection.delete", json!({ "id": id }))?;
                Ok(trash)
            })
            .await
    }

    /// The numbers of the collections this person sees, of those named, by id or name; none named means all. One they do
    /// not see is an error.
    pub async fn tags(&self, reader: Reader, named: Vec<String>) -> Result<HashSet<i64>> {
        self.db
            .read(move |tx| {
                if !named.is_empty() {
                    return named.iter().map(|text| called(tx, &reader, text.trim())).collect();
                }
                let sql = format!("SELECT k.number FROM collections k WHERE {VISIBLE}");
                Ok(tx.all(&sql, [reader.to_string()], |row| row.get("number"))?.into_iter().collect())
            })
            .await
    }
}

/// The number of a collection this person sees, by its id or its name.
fn called(tx: &Tx, reader: &Reader, text: &str) -> Result<i64> {
    // In an id no letter is a capital one either.
    let sql = format!(
        "SELECT k.number FROM collections k WHERE {VISIBLE} AND (k.id = ?2 OR {NAMED}) ORDER BY k.number LIMIT 1"
    );
    let found = tx.first(&sql, (reader.to_string(), key(text)), |row| row.get("number"))?;
    let missing = || format!("There is no collection '{}'. GET /api/knowledge/collections lists them.", shorten(text));
    found.ok_or_else(|| Error::not_found(missing()))
}

/// The number of a collection this person sees; that of the default one where none is named.
pub(super) fn number(tx: &Tx, reader: Reader, id: Option<CollectionId>) -> Result<i64> {
    let found = match id {
        Some(id) => {
            let sql = format!("SELECT k.number FROM collections k WHERE {VISIBLE} AND k.id = ?2");
            tx.first(&sql, (reader.to_string(), id.to_string()), |row| row.get("number"))?
        }
        None => {
            let sql = format!("SELECT k.number FROM collections k WHERE {VISIBLE} AND k.number = ?2");
            tx.first(&sql, (reader.to_string(), DEFAULT), |row| row.get("number"))?
        }
    };
    found.ok_or_else(|| match id {
        Some(id) => Error::not_found(format!("There is no collection '{id}'.")),
        None => Error::invalid("Name a collection: the default one is not open to you."),
    })
}

fn whole(tx: &Tx, id: CollectionId) -> Result<Collection> {
    let sql = format!("SELECT {COLUMNS} FROM collections k WHERE k.id = ?1");
    let found = tx.first(&sql, [id.to_string()], read)?;
    let mut found = found.ok_or_else(|| Error::internal("a collection is missing"))?;
    if let Some(roles) = &mut found.roles {
        let sql = "SELECT o.role FROM collection_roles o JOIN collections k ON k.number = o.collection
                   WHERE k.id = ?1 ORDER BY o.position";
        *roles = tx.all(sql, [id.to_string()], |row| row.get("role"))?;
    }
    Ok(found)
}

/// The key under which a collection has its name. Fails where one that the reader sees has the name already. One that
/// they do not see stands in nobody's way, and nothing tells that it is there: the key is told apart by the id then.
fn free_key(tx: &Tx, reader: Reader, name: &str, id: CollectionId) -> Result<String> {
    let taken = |visible: &str| {
        let sql = format!("SELECT 1 FROM collections k WHERE {visible} AND {NAMED} AND k.id <> ?3 LIMIT 1");
        tx.first(&sql, (reader.to_string(), key(name), id.to_string()), |_| Ok(()))
    };
    if taken(VISIBLE)?.is_some() {
        return Err(Error::conflict(format!("A collection named '{name}' is there already. Choose another name.")));
    }
    // The first parameter is bound, whether the condition looks at it or not.
    Ok(match taken("CAST(?1 AS TEXT) IS NOT NULL")? {
        Some(()) => format!("{}{APART}{id}", key(name)),
        None => key(name),
    })
}

/// Returns true where somebody would see a collection who does not yet. No list of roles means everybody.
fn widens(before: Option<&[String]>, after: Option<&[String]>) -> bool {
    match (before, after) {
        (None, _) => false,
        (Some(_), None) => true,
        (Some(before), Some(after)) => after.iter().any(|role| !before.contains(role)),
    }
}

fn require_roles(tx: &Tx, roles: Option<&[String]>) -> Result<()> {
    for role in roles.unwrap_or_default() {
        if tx.first("SELECT 1 FROM roles WHERE name = ?1", [role], |_| Ok(()))?.is_none() {
            let shown: String = role.chars().take(60).collect();
            return Err(Error::not_found(format!("There is no role '{shown}'. GET /api/roles lists them.")));
        }
    }
    Ok(())
}

/// Keeps the roles that a collection is open to, in place of those before.
fn put_roles(tx: &Tx, number: i64, roles: Option<&[String]>) -> Result<()> {
    tx.run("DELETE FROM collection_roles WHERE collection = ?1", [number])?;
    let sql = "INSERT INTO collection_roles (collection, role, position) VALUES (?1, ?2, ?3)
               ON CONFLICT (collection, role) DO NOTHING";
    let rows = (0_i64..).zip(roles.unwrap_or_default()).map(|(position, role)| (number, role, position));
    tx.many(sql, rows).map(drop)
}

fn key(name: &str) -> String {
    name.to_lowercase()
}

/// A row, with an empty list for the roles where it is open to some only.
fn read(row: &Row<'_>) -> Result<Collection> {
    let is_restricted: bool = row.get("restricted")?;
    Ok(Collection {
        id: row.parsed("id")?,
        name: row.get("name")?,
        description: row.get("description")?,
        roles: is_restricted.then(Vec::new),
        documents: row.get::<i64>("documents")?.unsigned_abs(),
        default: row.get::<i64>("number")? == DEFAULT,
        created_at: row.time("created_at")?,
        updated_at: row.time("updated_at")?,
    })
}
