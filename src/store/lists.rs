//! Lists: each person's own, their items in order, and what was done to them.

use super::{db::Db, origin, sql::Tx};
use satchel_model::{
    error::{Error, Result},
    list::{Item, List, ListEvent, ListName, ListSummary, MAX_ITEMS, MAX_LISTS},
    origin::Origin,
    time::Time,
    user::UserId,
};

/// Most events kept of one list.
const MAX_EVENTS: i64 = 500;

/// One person's lists: nobody else's can be reached through it. Cheap to clone.
#[derive(Clone)]
pub struct Lists {
    db: Db,
    user: UserId,
}

impl Lists {
    /// This person's lists.
    pub fn new(db: &Db, user: UserId) -> Self {
        Self { db: db.clone(), user }
    }

    /// A new list, its name from `origin`. Fails where the name is taken.
    pub async fn create(&self, name: ListName, items: Vec<Item>, origin: Option<Origin>, now: Time) -> Result<List> {
        let user = self.user.to_string();
        self.db
            .write(move |tx| {
                if let Some(row) = find(tx, &user, &name)? {
                    return Err(Error::conflict(format!("There is a list '{}' already: add to it.", row.name)));
                }
                let row = create(tx, &user, &name, origin, now)?;
                write_items(tx, &row, &items, now)?;
                note(tx, &user, &event(&row, "create", items, now))?;
                load(tx, &row)
            })
            .await
    }

    /// Changes the items of a list. `change` gives back the items it changed, as they are now or were when they are
    /// gone; they are written down, and returned beside the list.
    pub async fn edit<F>(&self, name: ListName, edit: Edit, now: Time, change: F) -> Result<(List, Vec<Item>)>
    where
        F: FnOnce(&mut Vec<Item>) -> Result<Vec<Item>> + Send + 'static,
    {
        let user = self.user.to_string();
        self.db
            .write(move |tx| {
                let row = match find(tx, &user, &name)? {
                    Some(row) => row,
                    None if edit.creates => create(tx, &user, &name, edit.origin, now)?,
                    None => return Err(no_list(tx, &user, &name)?),
                };
                let mut list = load(tx, &row)?;
                let changed = change(&mut list.items)?;
                if !changed.is_empty() {
                    write_items(tx, &row, &list.items, now)?;
                    note(tx, &user, &event(&row, edit.action, changed.clone(), now))?;
                    list.updated_at = now;
                }
                Ok((list, changed))
            })
            .await
    }

    /// One list.
    pub async fn get(&self, name: ListName) -> Result<List> {
        let user = self.user.to_string();
        self.db.read(move |tx| load(tx, &require(tx, &user, &name)?)).await
    }

    /// All lists, the last changed first.
    pub async fn all(&self) -> Result<Vec<ListSummary>> {
        let user = self.user.to_string();
        self.db.read(move |tx| all(tx, &user)).await
    }

    /// Deletes a list; its history stays.
    pub async fn delete(&self, name: ListName, now: Time) -> Result<List> {
        let user = self.user.to_string();
        self.db
            .write(move |tx| {
                let row = require(tx, &user, &name)?;
                let list = load(tx, &row)?;
                note(tx, &user, &event(&row, "delete", list.items.clone(), now))?;
                tx.run("DELETE FROM lists WHERE id = ?1", [row.id])?;
                Ok(list)
            })
            .await
    }

    /// Gives a list another name, from `origin`; its history goes with it. Fails where the name is taken.
    pub async fn rename(&self, name: ListName, new: ListName, origin: Option<Origin>, now: Time) -> Result<List> {
        let user = self.user.to_string();
        self.db
            .write(move |tx| {
                let mut row = require(tx, &user, &name)?;
                if let Some(taken) = find(tx, &user, &new)?.filter(|taken| taken.id != row.id) {
                    return Err(Error::conflict(format!("There is a list '{}' already.", taken.name)));
                }
                row.origin = Origin::joined(row.origin, origin);
                note(tx, &user, &event(&row, &format!("rename to {}", new.as_str()), Vec::new(), now))?;
                tx.run(
                    "UPDATE list_history SET name_key = ?3 WHERE person = ?1 AND name_key = ?2",
                    (&user, name.key(), new.key()),
                )?;
                tx.run(
                    "UPDATE lists SET name = ?2, name_key = ?3, updated_at = ?4, origin = ?5 WHERE id = ?1",
                    (row.id, new.as_str(), new.key(), now.millis(), origin::text(&row.origin)),
                )?;
                load(tx, &require(tx, &user, &new)?)
            })
            .await
    }

    /// What was done, newest first: to one list, deleted ones included, or to all.
    pub async fn history(&self, name: Option<ListName>, limit: u32) -> Result<Vec<ListEvent>> {
        let user = self.user.to_string();
        self.db.read(move |tx| history(tx, &user, name.map(|name| name.key()), limit)).await
    }
}

/// What an edit is called in the history, and whether it makes a list that is not there.
#[derive(Debug, Clone)]
pub struct Edit {
    /// `add`, `remove`, `check`, `uncheck`, `clear`.
    pub action: &'static str,
    /// Whether a missing list is made.
    pub creates: bool,
    /// The origin of the name of one that is made, if from outside.
    pub origin: Option<Origin>,
}

struct ListRow {
    id: i64,
    name: String,
    updated_at: Time,
    origin: Option<Origin>,
}

fn find(tx: &Tx, user: &str, name: &ListName) -> Result<Option<ListRow>> {
    let sql = "SELECT id, name, updated_at, origin FROM lists WHERE person = ?1 AND name_key = ?2";
    tx.first(sql, (user, name.key()), |row| {
        let (id, name, updated_at) = (row.get("id")?, row.get("name")?, row.time("updated_at")?);
        Ok(ListRow { id, name, updated_at, origin: origin::read(row)? })
    })
}

fn require(tx: &Tx, user: &str, name: &ListName) -> Result<ListRow> {
    match find(tx, user, name)? {
        Some(row) => Ok(row),
        None => Err(no_list(tx, user, name)?),
    }
}

fn no_list(tx: &Tx, user: &str, name: &ListName) -> Result<Error> {
    let lists: Vec<ListSummary> = all(tx, user)?.into_iter().take(20).collect();
    let origin = lists.iter().find_map(|list| list.origin.clone());
    let names: Vec<String> = lists.into_iter().map(|list| list.list).collect();
    let there = if names.is_empty() {
        "There are no lists yet.".to_owned()
    } else {
        format!("There are: {}.", names.join(", "))
    };
    let error = Error::not_found(format!("There is no list '{}'. {there}", name.as_str()));
    Ok(origin.into_iter().fold(error, Error::kept_from))
}

fn create(tx: &Tx, user: &str, name: &ListName, origin: Option<Origin>, now: Time) -> Result<ListRow> {
    let count: i64 = tx.one("SELECT count(*) FROM lists WHERE person = ?1", [user])?;
    if usize::try_from(count).is_ok_and(|count| count >= MAX_LISTS) {
        return Err(Error::conflict(format!(
            "There are {MAX_LISTS} lists already, the most there can be: delete one."
        )));
    }
    let sql = "INSERT INTO lists (person, name, name_key, created_at, updated_at, origin)
               VALUES (?1, ?2, ?3, ?4, ?4, ?5) RETURNING id";
    let id = tx.one(sql, (user, name.as_str(), name.key(), now.millis(), origin::text(&origin)))?;
    Ok(ListRow { id, name: name.as_str().to_owned(), updated_at: now, origin })
}

fn load(tx: &Tx, row: &ListRow) -> Result<List> {
    let sql = "SELECT text, done, origin FROM list_items WHERE list = ?1 ORDER BY position";
    let items = tx.all(sql, [row.id], |row| {
        Ok(Item { text: row.get("text")?, done: row.get("done")?, origin: origin::read(row)? })
    })?;
    Ok(List { items, name: row.name.clone(), updated_at: row.updated_at, origin: row.origin.clone() })
}

fn write_items(tx: &Tx, row: &ListRow, items: &[Item], now: Time) -> Result<()> {
    if items.len() > MAX_ITEMS {
        return Err(Error::conflict(format!("A list holds at most {MAX_ITEMS} items: remove some or begin another.")));
    }
    tx.run("DELETE FROM list_items WHERE list = ?1", [row.id])?;
    tx.many(
        "INSERT INTO list_items (list, position, text, done, origin) VALUES (?1, ?2, ?3, ?4, ?5)",
        (1_i64..).zip(items).map(|(at, item)| (row.id, at, &item.text, item.done, origin::text(&item.origin))),
    )?;
    tx.run("UPDATE lists SET updated_at = ?2 WHERE id = ?1", (row.id, now.millis()))?;
    Ok(())
}

fn event(row: &ListRow, action: &str, items: Vec<Item>, time: Time) -> ListEvent {
    ListEvent { time, list: row.name.clone(), action: action.to_owned(), items, origin: row.origin.clone() }
}

fn note(tx: &Tx, user: &str, event: &ListEvent) -> Result<()> {
    let items = serde_json::to_string(&event.items).map_err(Error::internal)?;
    let key = ListName::new(&event.list)?.key();
    tx.run(
        "INSERT INTO list_history (person, name, name_key, time, action, items, origin)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        (user, &event.list, &key, event.time.millis(), &event.action, items, origin::text(&event.origin)),
    )?;
    tx.run(
        "DELETE FROM list_history WHERE person = ?1 AND name_key = ?2 AND id <= (SELECT id FROM list_history
           WHERE person = ?1 AND name_key = ?2 ORDER BY id DESC LIMIT 1 OFFSET ?3)",
        (user, &key, MAX_EVENTS),
    )?;
    Ok(())
}

fn all(tx: &Tx, user: &str) -> Result<Vec<ListSummary>> {
    let sql =
        "SELECT name, count(position) FILTER (WHERE NOT done) AS open, count(position) FILTER (WHERE done) AS done,
                 updated_at, lists.origin
               FROM lists LEFT JOIN list_items ON list = id WHERE person = ?1 GROUP BY id
               ORDER BY updated_at DESC, id DESC";
    tx.all(sql, [user], |row| {
        let (list, open, done) = (row.get("name")?, row.get("open")?, row.get("done")?);
        Ok(ListSummary { list, open, done, updated_at: row.time("updated_at")?, origin: origin::read(row)? })
    })
}

fn history(tx: &Tx, user: &str, name_key: Option<String>, limit: u32) -> Result<Vec<ListEvent>> {
    let sql = "SELECT time, name, action, items, origin FROM list_history
               WHERE person = ?1 AND (CAST(?2 AS TEXT) IS NULL OR name_key = ?2) ORDER BY id DESC LIMIT ?3";
    tx.all(sql, (user, name_key, limit), |row| {
        let (list, action) = (row.get("name")?, row.get("action")?);
        Ok(ListEvent { time: row.time("time")?, list, action, items: row.json("items")?, origin: origin::read(row)? })
    })
}
