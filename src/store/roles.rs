//! Roles: named sets of permissions. Three are built in; an administrator makes others.

use serde_json::json;

use super::{
    db::Db,
    people::{Actor, People},
    sql::{Row, Tx},
};
use satchel_model::{
    caller::Permissions,
    error::{Error, Result},
    id::shorten,
    user::{BUILT_IN_ROLES, Role, look_alike},
};

/// Most permissions one role or key may list.
const LONGEST_LIST: usize = 200;

impl People {
    /// All roles, built-in ones first.
    pub async fn roles(&self) -> Result<Vec<Role>> {
        self.db
            .read(|tx| tx.all("SELECT name, permissions, built_in FROM roles ORDER BY built_in DESC, name", (), read))
            .await
    }

    /// Makes a role. A person does, and puts nothing into it that they do not hold.
    pub async fn create_role(&self, by: &Actor, name: String, permissions: Permissions) -> Result<Role> {
        by.caller.ensure_person()?;
        by.require_all(&permissions)?;
        let role = Role { name: parse_name(&name)?, permissions: bounded(permissions)?, built_in: false };
        let made = role.clone();
        self.change_by(by, move |tx, by| {
            ensure_unlike_others(tx, &role.name)?;
            let text = permissions_text(&role.permissions)?;
            tx.run("INSERT INTO roles (name, permissions, built_in) VALUES (?1, ?2, FALSE)", (&role.name, text))?;
            by.record(tx, "role.create", json!({"role": role.name, "permissions": role.permissions}))
        })
        .await?;
        Ok(made)
    }

    /// Replaces what a role grants, for all who have it, at once.
    pub async fn change_role(&self, by: &Actor, name: String, permissions: Permissions) -> Result<Role> {
        by.caller.ensure_person()?;
        by.require_all(&permissions)?;
        let permissions = bounded(permissions)?;
        self.change_by(by, move |tx, by| {
            let before = find_custom(tx, &name)?;
            by.require_all(&before.permissions)?;
            tx.run("UPDATE roles SET permissions = ?2 WHERE name = ?1", (&name, permissions_text(&permissions)?))?;
            require_administrator(tx)?;
            let details = json!({"role": name, "permissions": permissions, "before": before.permissions});
            by.record(tx, "role.change", details)?;
            Ok(Role { permissions, ..before })
        })
        .await
    }

    /// Deletes a role nobody has. Collections that were open to it are not open to another one of its name.
    pub async fn delete_role(&self, by: &Actor, name: String) -> Result<()> {
        by.caller.ensure_person()?;
        self.change_by(by, move |tx, by| {
            let role = find_custom(tx, &name)?;
            by.require_all(&role.permissions)?;
            let users: i64 = tx.one("SELECT count(*) FROM users WHERE role = ?1", [&name])?;
            if users > 0 {
                let who = if users == 1 { "one user has".to_owned() } else { format!("{users} users have") };
                return Err(Error::conflict(format!(
                    "The role '{name}' is in use: {who} it. Give them another first."
                )));
            }
            tx.run("DELETE FROM roles WHERE name = ?1", [&name])?;
            by.record(tx, "role.delete", json!({"role": name}))
        })
        .await
    }
}

/// Brings the built-in roles to what this version says; writes only where something differs.
pub(super) async fn seed(db: &Db) -> Result<()> {
    let wanted = built_in()?;
    let there = db.read(|tx| tx.all("SELECT name, permissions, built_in FROM roles", (), read)).await?;
    let missing: Vec<Role> = wanted.into_iter().filter(|role| !there.contains(role)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    db.write(move |tx| {
        for role in missing {
            const SQL: &str = "INSERT INTO roles (name, permissions, built_in) VALUES (?1, ?2, TRUE) \
                 ON CONFLICT (name) DO UPDATE SET permissions = excluded.permissions, built_in = TRUE";
            tx.run(SQL, (&role.name, permissions_text(&role.permissions)?))?;
        }
        Ok(())
    })
    .await
}

/// The role of this name.
pub(super) fn find(tx: &Tx, name: &str) -> Result<Option<Role>> {
    tx.first("SELECT name, permissions, built_in FROM roles WHERE name = ?1", [name], read)
}

/// The role of this name, for giving it to somebody.
pub(super) fn require(tx: &Tx, name: &str) -> Result<Role> {
    find(tx, name)?.ok_or_else(|| Error::not_found(format!("There is no role '{}'.", shorten(name))))
}

/// Fails where a change has left nobody who may do everything.
pub(super) fn require_administrator(tx: &Tx) -> Result<()> {
    let roles = tx.all(
        "SELECT DISTINCT r.name, r.permissions, r.built_in FROM roles r JOIN users u ON u.role = r.name WHERE NOT u.disabled",
        (),
        read,
    )?;
    if roles.iter().any(|role| role.permissions.is_all()) {
        return Ok(());
    }
    Err(Error::conflict("This is the last administrator: make another one first, or nobody could manage Satchel."))
}

/// What a column of permissions holds.
pub(super) fn permissions_text(permissions: &Permissions) -> Result<String> {
    serde_json::to_string(permissions).map_err(Error::internal)
}

/// Refuses lists nobody writes by hand.
pub(super) fn bounded(permissions: Permissions) -> Result<Permissions> {
    if permissions.iter().count() > LONGEST_LIST || permissions.iter().any(|text| text.len() > 100) {
        return Err(Error::invalid(format!("At most {LONGEST_LIST} permissions of at most 100 characters.")));
    }
    Ok(permissions)
}

/// Fails where a role has this name, or one that people could take for it.
fn ensure_unlike_others(tx: &Tx, name: &str) -> Result<()> {
    let names: Vec<String> = tx.all("SELECT name FROM roles ORDER BY name", (), |row| row.get("name"))?;
    match names.iter().find(|other| look_alike(name, other)) {
        None => Ok(()),
        Some(same) if same == name => Err(Error::conflict(format!("There is a role '{name}' already."))),
        Some(like) => Err(Error::conflict(format!(
            "'{name}' looks like the role '{like}'. Choose a name that nobody mistakes for it."
        ))),
    }
}

fn find_custom(tx: &Tx, name: &str) -> Result<Role> {
    let role = find(tx, name)?.ok_or_else(|| Error::not_found(format!("There is no role '{}'.", shorten(name))))?;
    if role.built_in {
        return Err(Error::conflict(format!("'{name}' is built in and stays as it is. Make a role of your own.")));
    }
    Ok(role)
}

fn parse_name(text: &str) -> Result<String> {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    if (1..=64).contains(&text.len()) && text.chars().all(allowed) {
        return Ok(text.to_owned());
    }
    Err(Error::invalid("A role's name is 1 to 64 lower-case letters, digits, '-' or '_'.")
        .with_details(json!({"field": "name"})))
}

fn built_in() -> Result<Vec<Role>> {
    let role = |(name, permissions): &(&str, &[&str])| {
        Ok(Role { name: (*name).to_owned(), permissions: Permissions::parse(*permissions)?, built_in: true })
    };
    BUILT_IN_ROLES.iter().map(role).collect()
}

fn read(row: &Row<'_>) -> Result<Role> {
    Ok(Role { name: row.get("name")?, permissions: row.json("permissions")?, built_in: row.get("built_in")? })
}
