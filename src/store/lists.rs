//! Lists: each person's own, their items in order, and what was done to them.

use rusqlite::Connection;

use super::{
    db::Db,
    origin,
    rows::{all as every, first, json, time},
};
use crate::model::{
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
    pub fn of(db: &Db, user: UserId) -> Self {
        Self { db: db.clone(), user }
    }

    /// A new list, its name from `origin`. Fails where the name is taken.
    pub async fn create(&self, name: ListName, items: Vec<Item>, origin: Option<Origin>, now: Time) -> Result<List> {
        let user = self.user.to_string();
        self.db
            .write(move |c| {
                if let Some(row) = find(c, &user, &name)? {
                    return Err(Error::conflict(format!("There is a list '{}' already: add to it.", row.name)));
                }
                let row = create(c, &user, &name, origin, now)?;
                write_items(c, &row, &items, now)?;
                note(c, &user, &event(&row, "create", items, now))?;
                load(c, &row)
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
            .write(move |c| {
                let row = match find(c, &user, &name)? {
                    Some(row) => row,
                    None if edit.creates => create(c, &user, &name, edit.origin, now)?,
                    None => return Err(no_list(c, &user, &name)?),
                };
                let mut list = load(c, &row)?;
                let changed = change(&mut list.items)?;
                if !changed.is_empty() {
                    write_items(c, &row, &list.items, now)?;
                    note(c, &user, &event(&row, edit.action, changed.clone(), now))?;
                    list.updated_at = now;
                }
                Ok((list, changed))
            })
            .await
    }

    /// One list.
    pub async fn get(&self, name: ListName) -> Result<List> {
        let user = self.user.to_string();
        self.db.read(move |c| load(c, &demand(c, &user, &name)?)).await
    }

    /// All lists, the last changed first.
    pub async fn all(&self) -> Result<Vec<ListSummary>> {
        let user = self.user.to_string();
        self.db.read(move |c| all(c, &user)).await
    }

    /// Deletes a list; its history stays.
    pub async fn delete(&self, name: ListName, now: Time) -> Result<List> {
        let user = self.user.to_string();
        self.db
            .write(move |c| {
                let row = demand(c, &user, &name)?;
                let list = load(c, &row)?;
                note(c, &user, &event(&row, "delete", list.items.clone(), now))?;
                c.execute("DELETE FROM lists WHERE id = ?1", [row.id])?;
                Ok(list)
            })
            .await
    }

    /// Gives a list another name, from `origin`; its history goes with it. Fails where the name is taken.
    pub async fn rename(&self, name: ListName, new: ListName, origin: Option<Origin>, now: Time) -> Result<List> {
        let user = self.user.to_string();
        self.db
            .write(move |c| {
                let mut row = demand(c, &user, &name)?;
                if let Some(taken) = find(c, &user, &new)?.filter(|taken| taken.id != row.id) {
                    return Err(Error::conflict(format!("There is a list '{}' already.", taken.name)));
                }
                row.origin = Origin::joined(row.origin, origin);
                note(c, &user, &event(&row, &format!("rename to {}", new.as_str()), Vec::new(), now))?;
                c.execute(
                    "UPDATE list_history SET name_key = ?3 WHERE user = ?1 AND name_key = ?2",
                    (&user, name.key(), new.key()),
                )?;
                c.execute(
                    "UPDATE lists SET name = ?2, name_key = ?3, updated_at = ?4, origin = ?5 WHERE id = ?1",
                    (row.id, new.as_str(), new.key(), now.millis(), origin::text(&row.origin)),
                )?;
                load(c, &demand(c, &user, &new)?)
            })
            .await
    }

    /// What was done, newest first: to one list, deleted ones included, or to all.
    pub async fn history(&self, name: Option<ListName>, limit: u32) -> Result<Vec<ListEvent>> {
        let user = self.user.to_string();
        self.db.read(move |c| history(c, &user, name.map(|name| name.key()), limit)).await
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

fn find(c: &Connection, user: &str, name: &ListName) -> Result<Option<ListRow>> {
    let sql = "SELECT id, name, updated_at, origin FROM lists WHERE user = ?1 AND name_key = ?2";
    first(c, sql, (user, name.key()), |row| {
        let (id, name, updated_at) = (row.get(0)?, row.get(1)?, time(row, 2)?);
        Ok(ListRow { id, name, updated_at, origin: origin::read(row, 3)? })
    })
}

fn demand(c: &Connection, user: &str, name: &ListName) -> Result<ListRow> {
    match find(c, user, name)? {
        Some(row) => Ok(row),
        None => Err(no_list(c, user, name)?),
    }
}

fn no_list(c: &Connection, user: &str, name: &ListName) -> Result<Error> {
    let lists: Vec<ListSummary> = all(c, user)?.into_iter().take(20).collect();
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

fn create(c: &Connection, user: &str, name: &ListName, origin: Option<Origin>, now: Time) -> Result<ListRow> {
    let count: i64 = c.query_row("SELECT count(*) FROM lists WHERE user = ?1", [user], |row| row.get(0))?;
    if usize::try_from(count).is_ok_and(|count| count >= MAX_LISTS) {
        return Err(Error::conflict(format!(
            "There are {MAX_LISTS} lists already, the most there can be: delete one."
        )));
    }
    c.execute(
        "INSERT INTO lists (user, name, name_key, created_at, updated_at, origin) VALUES (?1, ?2, ?3, ?4, ?4, ?5)",
        (user, name.as_str(), name.key(), now.millis(), origin::text(&origin)),
    )?;
    Ok(ListRow { id: c.last_insert_rowid(), name: name.as_str().to_owned(), updated_at: now, origin })
}

fn load(c: &Connection, row: &ListRow) -> Result<List> {
    let sql = "SELECT text, done, origin FROM list_items WHERE list = ?1 ORDER BY position";
    let items = every(c, sql, [row.id], |row| {
        Ok(Item { text: row.get(0)?, done: row.get(1)?, origin: origin::read(row, 2)? })
    })?;
    Ok(List { items, name: row.name.clone(), updated_at: row.updated_at, origin: row.origin.clone() })
}

fn write_items(c: &Connection, row: &ListRow, items: &[Item], now: Time) -> Result<()> {
    if items.len() > MAX_ITEMS {
        return Err(Error::conflict(format!("A list holds at most {MAX_ITEMS} items: remove some or begin another.")));
    }
    c.prepare_cached("DELETE FROM list_items WHERE list = ?1")?.execute([row.id])?;
    let mut insert =
        c.prepare_cached("INSERT INTO list_items (list, position, text, done, origin) VALUES (?1, ?2, ?3, ?4, ?5)")?;
    for (position, item) in (1_i64..).zip(items) {
        insert.execute((row.id, position, &item.text, item.done, origin::text(&item.origin)))?;
    }
    c.prepare_cached("UPDATE lists SET updated_at = ?2 WHERE id = ?1")?.execute((row.id, now.millis()))?;
    Ok(())
}

fn event(row: &ListRow, action: &str, items: Vec<Item>, time: Time) -> ListEvent {
    ListEvent { time, list: row.name.clone(), action: action.to_owned(), items, origin: row.origin.clone() }
}

fn note(c: &Connection, user: &str, event: &ListEvent) -> Result<()> {
    let items = serde_json::to_string(&event.items).map_err(Error::internal)?;
    let key = ListName::new(&event.list)?.key();
    c.prepare_cached(
        "INSERT INTO list_history (user, name, name_key, time, action, items, origin)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?
    .execute((user, &event.list, &key, event.time.millis(), &event.action, items, origin::text(&event.origin)))?;
    c.prepare_cached(
        "DELETE FROM list_history WHERE user = ?1 AND name_key = ?2 AND id <= (SELECT id FROM list_history
           WHERE user = ?1 AND name_key = ?2 ORDER BY id DESC LIMIT 1 OFFSET ?3)",
    )?
    .execute((user, &key, MAX_EVENTS))?;
    Ok(())
}

fn all(c: &Connection, user: &str) -> Result<Vec<ListSummary>> {
    let sql = "SELECT name, count(position) - coalesce(sum(done), 0), coalesce(sum(done), 0), updated_at, lists.origin
               FROM lists LEFT JOIN list_items ON list = id WHERE user = ?1 GROUP BY id
               ORDER BY updated_at DESC, id DESC";
    every(c, sql, [user], |row| {
        let (list, open, done) = (row.get(0)?, row.get(1)?, row.get(2)?);
        Ok(ListSummary { list, open, done, updated_at: time(row, 3)?, origin: origin::read(row, 4)? })
    })
}

fn history(c: &Connection, user: &str, name_key: Option<String>, limit: u32) -> Result<Vec<ListEvent>> {
    let sql = "SELECT time, name, action, items, origin FROM list_history
               WHERE user = ?1 AND (?2 IS NULL OR name_key = ?2) ORDER BY id DESC LIMIT ?3";
    every(c, sql, (user, name_key, limit), |row| {
        let (list, action) = (row.get(1)?, row.get(2)?);
        Ok(ListEvent { time: time(row, 0)?, list, action, items: json(row, 3)?, origin: origin::read(row, 4)? })
    })
}
