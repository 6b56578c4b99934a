//! Which files hold what came from outside: kept by path, and for whole trees where a command may have written anything.

use rusqlite::{Connection, Row, params};
use serde_json::json;
use uuid::Uuid;

use super::{
    db::Db,
    origin,
    people::Actor,
    rows::{all, first, run},
};
use crate::model::{
    error::{Error, Result},
    origin::Origin,
    user::UserId,
};

/// Most files of one owner that are listed.
const LISTED: u32 = 1_000;

/// How long a row stays, in nanoseconds, whose file is gone: until then it may be one that is just being written.
const JUST: i64 = 3_600_000_000_000;

/// A place among the files: of a person's workspace, or of another directory of the machine.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FilePlace {
    /// Whose workspace it lies in; `None` for other directories.
    pub owner: Option<UserId>,
    /// Relative to the workspace, empty for the workspace itself; else absolute.
    pub path: String,
}

impl FilePlace {
    fn owner(&self) -> String {
        self.owner.map(|user| user.to_string()).unwrap_or_default()
    }

    /// Whether it is `tree` or lies below it.
    pub fn is_below(&self, tree: &Self) -> bool {
        let below = |rest: &str| rest.is_empty() || rest.starts_with('/') || tree.path.is_empty() || tree.path == "/";
        self.owner == tree.owner && self.path.strip_prefix(tree.path.as_str()).is_some_and(below)
    }
}

/// A tree whose files count as from outside, as far as they changed since.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    /// Names it.
    pub id: Uuid,
    /// The directory.
    pub place: FilePlace,
    /// Where from.
    pub origin: Origin,
    /// Nanoseconds since 1970.
    pub since: i64,
}

/// What is known of one file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Known {
    /// Its own row: an origin, or that it has none as long as its inode does not change.
    own: Option<(Option<Origin>, Option<i64>)>,
    trees: Vec<Tree>,
}

impl Known {
    /// Whether nothing speaks for content from outside, whenever the file was changed.
    pub fn is_clean(&self) -> bool {
        self.trees.is_empty() && !matches!(self.own, Some((Some(_), _)))
    }

    /// Whether there is no row for it, nor one of a tree around it.
    pub fn is_unknown(&self) -> bool {
        self.trees.is_empty() && self.own.is_none()
    }

    /// Where the content of the file came from that last changed then; `None` if there is no file, or nothing is known.
    pub fn origin(&self, changed: Option<i64>) -> Option<Origin> {
        match (&self.own, changed) {
            (Some((Some(origin), _)), _) => Some(origin.clone()),
            (Some((None, vouched)), Some(_)) if *vouched == changed => None,
            (_, None) => None,
            (_, Some(changed)) => self.trees.iter().find(|tree| tree.since <= changed).map(|tree| tree.origin.clone()),
        }
    }

    /// Whether the file lies in a tree that counts as from outside.
    pub fn is_in_tree(&self) -> bool {
        !self.trees.is_empty()
    }
}

/// What an owner's files hold from outside.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Held {
    /// Files with an origin, by path.
    pub files: Vec<(FilePlace, Origin)>,
    /// Whether there are more.
    pub has_more: bool,
    /// Trees with one.
    pub trees: Vec<Tree>,
}

/// The origins of files. Cheap to clone.
#[derive(Clone)]
pub struct FileOrigins {
    db: Db,
}

impl FileOrigins {
    /// Those of this database.
    pub fn of(db: &Db) -> Self {
        Self { db: db.clone() }
    }

    /// What is known of a file.
    pub async fn known(&self, place: FilePlace) -> Result<Known> {
        self.db.read(move |c| known(c, &place)).await
    }

    /// From now on, `at`, this file holds what came from there.
    pub async fn put(&self, place: FilePlace, origin: Origin, at: i64) -> Result<()> {
        self.db.write(move |c| put(c, &place, &origin, at)).await
    }

    /// From now on all that changes below a directory counts as from there.
    pub async fn put_tree(&self, tree: Tree) -> Result<()> {
        let work = move |c: &Connection| {
            let sql = "INSERT INTO tree_origins (id, owner, path, origin, since) VALUES (?1, ?2, ?3, ?4, ?5)";
            let Tree { id, place, origin, since } = tree;
            run(c, sql, params![id.to_string(), place.owner(), place.path, origin::text(&Some(origin)), since])
                .map(drop)
        };
        self.db.write(work).await
    }

    /// A command has ended whose tree this was: only these files changed, and those named as gone are there no more. They
    /// were looked for from `at` on.
    pub async fn settle_tree(&self, tree: Tree, changed: Vec<FilePlace>, gone: Vec<FilePlace>, at: i64) -> Result<()> {
        let work = move |c: &Connection| {
            changed.iter().try_for_each(|place| put(c, place, &tree.origin, at))?;
            gone.iter().try_for_each(|place| forget_before(c, place, at))?;
            run(c, "DELETE FROM tree_origins WHERE id = ?1", [tree.id.to_string()]).map(drop)
        };
        self.db.write(work).await
    }

    /// A file was written whole with nothing from outside near. `changed` is when its inode last changed.
    pub async fn clean(&self, place: FilePlace, changed: i64) -> Result<()> {
        self.db.write(move |c| clean(c, &place, changed)).await
    }

    /// Forgets files that were not there at `now`, nor an hour before.
    pub async fn forget_gone(&self, places: Vec<FilePlace>, now: i64) -> Result<()> {
        let before = now.saturating_sub(JUST);
        self.db.write(move |c| places.iter().try_for_each(|place| forget_before(c, place, before))).await
    }

    /// What this person's workspace holds from outside, and other directories of the machine.
    pub async fn held(&self, user: UserId) -> Result<Held> {
        self.db.read(move |c| held(c, user)).await
    }

    /// A person has read a file and vouches for it as it is: last changed then.
    ///
    /// # Errors
    /// Where it has another origin by now than the person was shown.
    pub async fn vouch(&self, by: &Actor, place: FilePlace, shown: Origin, changed: i64) -> Result<()> {
        let by = by.clone();
        let work = move |c: &Connection| {
            match known(c, &place)?.origin(Some(changed)) {
                Some(origin) if origin == shown => {}
                Some(_) => return Err(Error::conflict(CHANGED)),
                None => return Err(Error::conflict("Nothing of this file is known to be from outside.")),
            }
            clean(c, &place, changed)?;
            by.record(c, "file.vouch", json!({"path": place.path, "origin": shown}))
        };
        self.db.write(work).await
    }

    /// A person vouches for what commands wrote into a tree.
    ///
    /// # Errors
    /// Where there is no such tree.
    pub async fn vouch_tree(&self, by: &Actor, id: Uuid) -> Result<()> {
        let by = by.clone();
        let work = move |c: &Connection| {
            let tree = first(c, &format!("{TREE} WHERE id = ?1"), [id.to_string()], read_tree)?;
            let tree = tree.ok_or_else(|| Error::not_found("Nobody has to vouch for this any more."))?;
            run(c, "DELETE FROM tree_origins WHERE id = ?1", [id.to_string()])?;
            by.record(c, "file.vouch", json!({"tree": tree.place.path, "origin": tree.origin}))
        };
        self.db.write(work).await
    }

    /// A tree by its id; fails where there is none.
    pub async fn tree(&self, id: Uuid) -> Result<Tree> {
        let found =
            self.db.read(move |c| first(c, &format!("{TREE} WHERE id = ?1"), [id.to_string()], read_tree)).await?;
        found.ok_or_else(|| Error::not_found("Nobody has to vouch for this any more."))
    }
}

/// Said where a file is not as a person was shown it.
pub const CHANGED: &str = "The file has changed since you read it: read it again, then vouch for it.";

const TREE: &str = "SELECT id, owner, path, origin, since FROM tree_origins";

fn known(c: &Connection, place: &FilePlace) -> Result<Known> {
    let sql = "SELECT origin, changed FROM file_origins WHERE owner = ?1 AND path = ?2";
    let own = first(c, sql, (place.owner(), &place.path), |row| Ok((origin::read(row, 0)?, row.get(1)?)))?;
    let trees = trees(c, &place.owner())?.into_iter().filter(|tree| place.is_below(&tree.place)).collect();
    Ok(Known { own, trees })
}

fn trees(c: &Connection, owner: &str) -> Result<Vec<Tree>> {
    all(c, &format!("{TREE} WHERE owner = ?1 ORDER BY since"), [owner], read_tree)
}

fn held(c: &Connection, user: UserId) -> Result<Held> {
    let mut held = Held::default();
    for owner in [user.to_string(), String::new()] {
        let sql = "SELECT owner, path, origin FROM file_origins WHERE owner = ?1 AND origin IS NOT NULL
                   ORDER BY path LIMIT ?2";
        let files = all(c, sql, params![owner, LISTED], |row| Ok((read_place(row, 0)?, origin::read(row, 2)?)))?;
        held.has_more |= files.len() >= LISTED as usize;
        held.files.extend(files.into_iter().filter_map(|(place, origin)| Some((place, origin?))));
        held.trees.extend(trees(c, &owner)?);
    }
    Ok(held)
}

fn put(c: &Connection, place: &FilePlace, origin: &Origin, at: i64) -> Result<()> {
    let sql = "INSERT INTO file_origins (owner, path, origin, put_at) VALUES (?1, ?2, ?3, ?4)
               ON CONFLICT (owner, path) DO UPDATE SET origin = excluded.origin, changed = NULL, put_at = excluded.put_at";
    run(c, sql, params![place.owner(), place.path, origin::text(&Some(origin.clone())), at]).map(drop)
}

/// A row that says so is kept only where the tree around it would say otherwise.
fn clean(c: &Connection, place: &FilePlace, changed: i64) -> Result<()> {
    if !known(c, place)?.is_in_tree() {
        return forget(c, place);
    }
    let sql = "INSERT INTO file_origins (owner, path, changed, put_at) VALUES (?1, ?2, ?3, ?3)
               ON CONFLICT (owner, path) DO UPDATE SET origin = NULL, changed = excluded.changed, put_at = excluded.put_at";
    run(c, sql, params![place.owner(), place.path, changed]).map(drop)
}

fn forget(c: &Connection, place: &FilePlace) -> Result<()> {
    run(c, "DELETE FROM file_origins WHERE owner = ?1 AND path = ?2", (place.owner(), &place.path)).map(drop)
}

/// Forgets a file whose row was last written before.
fn forget_before(c: &Connection, place: &FilePlace, at: i64) -> Result<()> {
    let sql = "DELETE FROM file_origins WHERE owner = ?1 AND path = ?2 AND put_at < ?3";
    run(c, sql, params![place.owner(), place.path, at]).map(drop)
}

fn read_place(row: &Row<'_>, at: usize) -> Result<FilePlace> {
    let owner: String = row.get(at)?;
    let owner = if owner.is_empty() { None } else { Some(owner.parse()?) };
    Ok(FilePlace { owner, path: row.get(at + 1)? })
}

fn read_tree(row: &Row<'_>) -> Result<Tree> {
    let id: String = row.get(0)?;
    let origin = origin::read(row, 3)?.ok_or_else(|| Error::internal("a tree has no origin"))?;
    let id = Uuid::parse_str(&id).map_err(Error::internal)?;
    Ok(Tree { id, place: read_place(row, 1)?, origin, since: row.get(4)? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::time::Time;

    fn place(owner: Option<UserId>, path: &str) -> FilePlace {
        FilePlace { owner, path: path.to_owned() }
    }

    #[test]
    fn a_place_is_below_a_tree_by_whole_names_and_of_the_same_owner() {
        let (ann, bob) = (Some(UserId::new()), Some(UserId::new()));
        for (own, tree, wanted) in [
            (place(ann, "a/b.txt"), place(ann, ""), true),
            (place(ann, "a/b.txt"), place(ann, "a"), true),
            (place(ann, "ab.txt"), place(ann, "a"), false),
            (place(ann, "a/b.txt"), place(bob, ""), false),
            (place(None, "/srv/x"), place(None, "/srv"), true),
            (place(None, "/srv/x"), place(None, "/"), true),
            (place(None, "/srvx"), place(None, "/srv"), false),
            (place(None, "/srv/x"), place(ann, ""), false),
        ] {
            assert_eq!(own.is_below(&tree), wanted, "{own:?} below {tree:?}");
        }
    }

    #[test]
    fn a_row_of_its_own_counts_before_the_tree_and_a_vouched_file_only_as_it_was() {
        let origin = |source: &str| Origin::new(source, Time::from_millis(0));
        let tree = Tree { id: Uuid::nil(), place: place(None, "/"), origin: origin("tree"), since: 10 };
        let known = |own, trees: &[Tree]| Known { own, trees: trees.to_vec() };
        let told = |known: &Known, changed| known.origin(changed).map(|origin| origin.source);
        let in_tree = known(None, std::slice::from_ref(&tree));
        assert_eq!([told(&in_tree, Some(9)), told(&in_tree, Some(10))], [None, Some("tree".to_owned())]);
        let vouched = known(Some((None, Some(12))), std::slice::from_ref(&tree));
        assert_eq!([told(&vouched, Some(12)), told(&vouched, Some(13))], [None, Some("tree".to_owned())]);
        let own = known(Some((Some(origin("own")), None)), &[tree]);
        assert_eq!(told(&own, Some(5)), Some("own".to_owned()));
        assert!(known(None, &[]).is_clean() && !own.is_clean() && !in_tree.is_clean());
    }
}
