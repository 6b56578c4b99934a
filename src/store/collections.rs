//! Collections: documents that are seen by the same people.

use std::collections::HashSet;

use rusqlite::{Connection, Row};
use serde_json::json;

use super::{
    db::Db,
    people::Actor,
    purge,
    rows::{all, first, parsed, run, time},
};
use crate::model::{
    error::{Error, Result},
    id::shorten,
    knowledge::{Collection, CollectionId, NewCollection},
    user::UserId,
};

/// The number of the collection for documents that name no other.
pub(super) const DEFAULT: i64 = 1;

/// That the user `?1` sees the collection `k`: it is open to all, or to his role, or his role may do everything.
pub(super) const VISIBLE: &str = "(k.roles IS NULL
   OR EXISTS (SELECT 1 FROM users u, json_each(k.roles) r WHERE u.id = ?1 AND u.role = r.value)
   OR EXISTS (SELECT 1 FROM users u JOIN roles r ON r.name = u.role, json_each(r.permissions) p
              WHERE u.id = ?1 AND p.value = '*'))";

const COLUMNS: &str = "k.id, k.name, k.description, k.roles,
   (SELECT count(*) FROM documents d WHERE d.collection = k.number AND d.deleted_at IS NULL),
   k.number, k.created_at, k.updated_at";

/// The collections of one database. Cheap to clone.
#[derive(Clone)]
pub struct Collections {
    db: Db,
}

impl Collections {
    /// The collections of this database.
    pub fn of(db: &Db) -> Self {
        Self { db: db.clone() }
    }

    /// Those this person sees, by name.
    pub async fn list(&self, user: UserId) -> Result<Vec<Collection>> {
        let sql = format!("SELECT {COLUMNS} FROM collections k WHERE {VISIBLE} ORDER BY k.name_key");
        self.db.read(move |c| all(c, &sql, [user.to_string()], read)).await
    }

    /// Makes one.
    pub async fn create(&self, by: &Actor, new: NewCollection) -> Result<Collection> {
        let by = by.clone();
        self.db
            .write(move |c| {
                demand_free(c, &new.name, None)?;
                demand_roles(c, new.roles.as_deref())?;
                let id = CollectionId::new();
                run(
                    c,
                    "INSERT INTO collections (id, name, name_key, description, roles, created_at, updated_at)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)",
                    (id.to_string(), &new.name, key(&new.name), &new.description, roles(&new)?, by.now.millis()),
                )?;
                by.record(c, "collection.create", json!({"id": id, "name": new.name, "roles": new.roles}))?;
                whole(c, id)
            })
            .await
    }

    /// Changes one that the actor sees.
    pub async fn change(&self, by: &Actor, id: CollectionId, new: NewCollection) -> Result<Collection> {
        let by = by.clone();
        self.db
            .write(move |c| {
                number(c, by.caller.user, Some(id))?;
                demand_free(c, &new.name, Some(id))?;
                demand_roles(c, new.roles.as_deref())?;
                run(
                    c,
                    "UPDATE collections SET name = ?2, name_key = ?3, description = ?4, roles = ?5, updated_at = ?6
                     WHERE id = ?1",
                    (id.to_string(), &new.name, key(&new.name), &new.description, roles(&new)?, by.now.millis()),
                )?;
                by.record(c, "collection.change", json!({"id": id, "name": new.name, "roles": new.roles}))?;
                whole(c, id)
            })
            .await
    }

    /// Removes one that the actor sees and that holds nothing; what lies in its trash goes with it.
    /// Gives the hashes of files that may no longer be needed.
    pub(super) async fn delete(&self, by: &Actor, id: CollectionId) -> Result<Vec<String>> {
        let by = by.clone();
        self.db
            .purge(move |c| {
                let number = number(c, by.caller.user, Some(id))?;
                if number == DEFAULT {
                    return Err(Error::conflict(
                        "This collection takes the documents that name no other, and stays. You can rename it.",
                    ));
                }
                let left = whole(c, id)?.documents;
                if left > 0 {
                    return Err(Error::conflict(format!(
                        "The collection still holds {left} documents. Delete them first; nothing was changed."
                    )));
                }
                let trash = purge::documents(c, "collection = ?1", [number])?;
                run(c, "DELETE FROM collections WHERE number = ?1", [number])?;
                by.record(c, "collection.delete", json!({ "id": id }))?;
                Ok(trash)
            })
            .await
    }

    /// The numbers of the collections this person sees, of those named, by id or name; none named means all. One he does
    /// not see is an error.
    pub async fn tags(&self, user: UserId, named: Vec<String>) -> Result<HashSet<i64>> {
        self.db
            .read(move |c| {
                if !named.is_empty() {
                    return named.iter().map(|text| called(c, user, text.trim())).collect();
                }
                let sql = format!("SELECT k.number FROM collections k WHERE {VISIBLE}");
                Ok(all(c, &sql, [user.to_string()], |row| Ok(row.get(0)?))?.into_iter().collect())
            })
            .await
    }
}

/// The number of a collection this person sees, by its id or its name.
fn called(c: &Connection, user: UserId, text: &str) -> Result<i64> {
    // In an id no letter is a capital one either.
    let sql = format!("SELECT k.number FROM collections k WHERE {VISIBLE} AND ?2 IN (k.id, k.name_key)");
    let found = first(c, &sql, (user.to_string(), key(text)), |row| Ok(row.get(0)?))?;
    let missing = || format!("There is no collection '{}'. GET /api/knowledge/collections lists them.", shorten(text));
    found.ok_or_else(|| Error::not_found(missing()))
}

/// The number of a collection this person sees; that of the default one where none is named.
pub(super) fn number(c: &Connection, user: UserId, id: Option<CollectionId>) -> Result<i64> {
    let found = match id {
        Some(id) => {
            let sql = format!("SELECT k.number FROM collections k WHERE {VISIBLE} AND k.id = ?2");
            first(c, &sql, (user.to_string(), id.to_string()), |row| Ok(row.get(0)?))?
        }
        None => {
            let sql = format!("SELECT k.number FROM collections k WHERE {VISIBLE} AND k.number = ?2");
            first(c, &sql, (user.to_string(), DEFAULT), |row| Ok(row.get(0)?))?
        }
    };
    found.ok_or_else(|| match id {
        Some(id) => Error::not_found(format!("There is no collection '{id}'.")),
        None => Error::invalid("Name a collection: the default one is not open to you."),
    })
}

fn whole(c: &Connection, id: CollectionId) -> Result<Collection> {
    let sql = format!("SELECT {COLUMNS} FROM collections k WHERE k.id = ?1");
    first(c, &sql, [id.to_string()], read)?.ok_or_else(|| Error::internal("a collection is missing"))
}

fn demand_free(c: &Connection, name: &str, own: Option<CollectionId>) -> Result<()> {
    let sql = "SELECT id FROM collections WHERE name_key = ?1 AND id IS NOT ?2";
    match first(c, sql, (key(name), own.map(|id| id.to_string())), |_| Ok(()))? {
        Some(()) => Err(Error::conflict(format!("A collection named '{name}' is there already. Choose another name."))),
        None => Ok(()),
    }
}

fn demand_roles(c: &Connection, roles: Option<&[String]>) -> Result<()> {
    for role in roles.unwrap_or_default() {
        if first(c, "SELECT 1 FROM roles WHERE name = ?1", [role], |_| Ok(()))?.is_none() {
            let shown: String = role.chars().take(60).collect();
            return Err(Error::not_found(format!("There is no role '{shown}'. GET /api/roles lists them.")));
        }
    }
    Ok(())
}

fn roles(new: &NewCollection) -> Result<Option<String>> {
    new.roles.as_ref().map(|roles| serde_json::to_string(roles).map_err(Error::internal)).transpose()
}

fn key(name: &str) -> String {
    name.to_lowercase()
}

fn read(row: &Row<'_>) -> Result<Collection> {
    let roles: Option<String> = row.get(3)?;
    Ok(Collection {
        id: parsed(row, 0)?,
        name: row.get(1)?,
        description: row.get(2)?,
        roles: roles.as_deref().map(serde_json::from_str).transpose().map_err(Error::internal)?,
        documents: row.get::<_, i64>(4)?.unsigned_abs(),
        default: row.get::<_, i64>(5)? == DEFAULT,
        created_at: time(row, 6)?,
        updated_at: time(row, 7)?,
    })
}
