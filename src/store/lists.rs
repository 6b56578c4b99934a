//! Lists: each person's own, their items in order, and what was done to them.

use rusqlite::{Connection, OptionalExtension};

use super::db::Db;
use crate::model::{
    error::{Error, Result},
    list::{Item, List, ListEvent, ListName, ListSummary, MAX_ITEMS, MAX_LISTS},
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

    /// A new list. Fails where the name is taken.
    pub async fn create(&self, name: ListName, items: Vec<Item>, now: Time) -> Result<List> {
        let user = self.user.to_string();
        self.db
            .write(move |c| {
                if let Some(row) = find(c, &user, &name)? {
                    return Err(Error::conflict(format!("There is a list '{}' already: add to it.", row.name)));
                }
                let row = create(c, &user, &name, now)?;
                write_items(c, &row, &items, now)?;
                note(c, &user, &event(&row.name, "create", items, now))?;
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
                    None if edit.creates => create(c, &user, &name, now)?,
                    None => return Err(no_list(c, &user, &name)?),
                };
                let mut list = load(c, &row)?;
                let changed = change(&mut list.items)?;
                if !changed.is_empty() {
                    write_items(c, &row, &list.items, now)?;
                    note(c, &user, &event(&row.name, edit.action, changed.clone(), now))?;
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
                note(c, &user, &event(&list.name, "delete", list.items.clone(), now))?;
                c.execute("DELETE FROM lists WHERE id = ?1", [row.id])?;
                Ok(list)
            })
            .await
    }

    /// Gives a list another name; its history goes with it. Fails where the name is taken.
    pub async fn rename(&self, name: ListName, new: ListName, now: Time) -> Result<List> {
        let user = self.user.to_string();
        self.db
            .write(move |c| {
                let row = demand(c, &user, &name)?;
                if let Some(taken) = find(c, &user, &new)?.filter(|taken| taken.id != row.id) {
                    return Err(Error::conflict(format!("There is a list '{}' already.", taken.name)));
                }
                note(c, &user, &event(&row.name, &format!("rename to {}", new.as_str()), Vec::new(), now))?;
                c.execute(
                    "UPDATE list_history SET name_key = ?3 WHERE user = ?1 AND name_key = ?2",
                    (&user, name.key(), new.key()),
                )?;
                c.execute(
                    "UPDATE lists SET name = ?2, name_key = ?3, updated_at = ?4 WHERE id = ?1",
                    (row.id, new.as_str(), new.key(), now.millis()),
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
#[derive(Debug, Clone, Copy)]
pub struct Edit {
    /// `add`, `remove`, `check`, `uncheck`, `clear`.
    pub action: &'static str,
    /// Whether a missing list is made.
    pub creates: bool,
}

struct ListRow {
    id: i64,
    name: String,
    updated_at: Time,
}

fn find(c: &Connection, user: &str, name: &ListName) -> Result<Option<ListRow>> {
    let mut statement = c.prepare_cached("SELECT id, name, updated_at FROM lists WHERE user = ?1 AND name_key = ?2")?;
    let read = |row: &rusqlite::Row<'_>| {
        Ok(ListRow { id: row.get(0)?, name: row.get(1)?, updated_at: Time::from_millis(row.get(2)?) })
    };
    Ok(statement.query_row((user, name.key()), read).optional()?)
}

fn demand(c: &Connection, user: &str, name: &ListName) -> Result<ListRow> {
    match find(c, user, name)? {
        Some(row) => Ok(row),
        None => Err(no_list(c, user, name)?),
    }
}

fn no_list(c: &Connection, user: &str, name: &ListName) -> Result<Error> {
    let names: Vec<String> = all(c, user)?.into_iter().take(20).map(|list| list.list).collect();
    let there = if names.is_empty() {
        "There are no lists yet.".to_owned()
    } else {
        format!("There are: {}.", names.join(", "))
    };
    Ok(Error::not_found(format!("There is no list '{}'. {there}", name.as_str())))
}

fn create(c: &Connection, user: &str, name: &ListName, now: Time) -> Result<ListRow> {
    let count: i64 = c.query_row("SELECT count(*) FROM lists WHERE user = ?1", [user], |row| row.get(0))?;
    if usize::try_from(count).is_ok_and(|count| count >= MAX_LISTS) {
        return Err(Error::conflict(format!(
            "There are {MAX_LISTS} lists already, the most there can be: delete one."
        )));
    }
    c.execute(
        "INSERT INTO lists (user, name, name_key, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?4)",
        (user, name.as_str(), name.key(), now.millis()),
    )?;
    Ok(ListRow { id: c.last_insert_rowid(), name: name.as_str().to_owned(), updated_at: now })
}

fn load(c: &Connection, row: &ListRow) -> Result<List> {
    let mut statement = c.prepare_cached("SELECT text, done FROM list_items WHERE list = ?1 ORDER BY position")?;
    let items = statement.query_map([row.id], |row| Ok(Item { text: row.get(0)?, done: row.get(1)? }))?;
    Ok(List { items: items.collect::<rusqlite::Result<_>>()?, name: row.name.clone(), updated_at: row.updated_at })
}

fn write_items(c: &Connection, row: &ListRow, items: &[Item], now: Time) -> Result<()> {
    if items.len() > MAX_ITEMS {
        return Err(Error::conflict(format!("A list holds at most {MAX_ITEMS} items: remove some or begin another.")));
    }
    c.prepare_cached("DELETE FROM list_items WHERE list = ?1")?.execute([row.id])?;
    let mut insert = c.prepare_cached("INSERT INTO list_items (list, position, text, done) VALUES (?1, ?2, ?3, ?4)")?;
    for (position, item) in (1_i64..).zip(items) {
        insert.execute((row.id, position, &item.text, item.done))?;
    }
    c.prepare_cached("UPDATE lists SET updated_at = ?2 WHERE id = ?1")?.execute((row.id, now.millis()))?;
    Ok(())
}

fn event(list: &str, action: &str, items: Vec<Item>, time: Time) -> ListEvent {
    ListEvent { time, list: list.to_owned(), action: action.to_owned(), items }
}

fn note(c: &Connection, user: &str, event: &ListEvent) -> Result<()> {
    let items = serde_json::to_string(&event.items).map_err(Error::internal)?;
    let key = ListName::new(&event.list)?.key();
    c.prepare_cached(
        "INSERT INTO list_history (user, name, name_key, time, action, items) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?
    .execute((user, &event.list, &key, event.time.millis(), &event.action, items))?;
    c.prepare_cached(
        "DELETE FROM list_history WHERE user = ?1 AND name_key = ?2 AND id <= (SELECT id FROM list_history
           WHERE user = ?1 AND name_key = ?2 ORDER BY id DESC LIMIT 1 OFFSET ?3)",
    )?
    .execute((user, &key, MAX_EVENTS))?;
    Ok(())
}

fn all(c: &Connection, user: &str) -> Result<Vec<ListSummary>> {
    let mut statement = c.prepare_cached(
        "SELECT name, count(position) - coalesce(sum(done), 0), coalesce(sum(done), 0), updated_at
         FROM lists LEFT JOIN list_items ON list = id WHERE user = ?1 GROUP BY id ORDER BY updated_at DESC, id DESC",
    )?;
    let rows = statement.query_map([user], |row| {
        let updated_at = Time::from_millis(row.get(3)?);
        Ok(ListSummary { list: row.get(0)?, open: row.get(1)?, done: row.get(2)?, updated_at })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn history(c: &Connection, user: &str, name_key: Option<String>, limit: u32) -> Result<Vec<ListEvent>> {
    let mut statement = c.prepare_cached(
        "SELECT time, name, action, items FROM list_history
         WHERE user = ?1 AND (?2 IS NULL OR name_key = ?2) ORDER BY id DESC LIMIT ?3",
    )?;
    let mut rows = statement.query((user, name_key, limit))?;
    let mut events = Vec::new();
    while let Some(row) = rows.next()? {
        let items: String = row.get(3)?;
        events.push(ListEvent {
            time: Time::from_millis(row.get(0)?),
            list: row.get(1)?,
            action: row.get(2)?,
            items: serde_json::from_str(&items).map_err(Error::internal)?,
        });
    }
    Ok(events)
}
