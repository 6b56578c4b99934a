//! Backups: what one says of itself, how it is sealed, how far one under way is.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    error::{Error, Result},
    time::Time,
};

/// The layout of the archives this version writes, and the newest it reads.
pub const FORMAT: u32 = 1;
/// The word by which an archive of ours is known.
pub const PROGRAM: &str = "satchel";

/// The key that opens a backup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SealedTo {
    /// `backup.key`, which Satchel made and keeps in the data directory.
    OwnKey,
    /// The identity of an age recipient.
    Recipient,
    /// A passphrase.
    Passphrase,
}

/// The first entry of an archive.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// [`PROGRAM`].
    pub program: String,
    /// [`FORMAT`] of the version that wrote it.
    pub format: u32,
    /// The version itself.
    pub version: String,
    /// The number of its last migration.
    pub schema: usize,
    /// The time at which the copy of the database was taken.
    pub created_at: Time,
    /// The key that opens it.
    pub sealed_to: SealedTo,
    /// The public key it is sealed to, if to one.
    pub recipient: Option<String>,
    /// `true` if the vault's key is in it.
    pub vault_key: bool,
    /// The key the vault's secrets are sealed with.
    pub vault_key_id: Option<String>,
    /// Bytes of all entries after this one.
    pub bytes: u64,
    /// Number of entries after this one, but for the digests.
    pub files: u64,
    /// Rows of each table.
    pub rows: BTreeMap<String, i64>,
    /// The last row of the audit, which a restored one must have.
    pub audit: Option<AuditHead>,
    /// Files that rows name and that were gone already, the first of them.
    pub missing: Vec<String>,
    /// The things that were there and are not in it.
    #[serde(default)]
    pub left_out: LeftOut,
}

/// Files and folders that were there and did not go into a backup.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// The number.
    pub count: u64,
    /// The first of them, and why.
    pub first: Vec<String>,
}

impl LeftOut {
    /// Most that are named.
    const NAMED: usize = 100;
    /// Most characters of a name that are shown.
    const SHOWN: usize = 160;

    /// Adds one.
    pub fn add(&mut self, name: &[u8], why: &str) {
        self.count += 1;
        if self.first.len() < Self::NAMED {
            let text = String::from_utf8_lossy(name);
            let mut shown: String =
                text.chars().take(Self::SHOWN).map(|c| if c.is_control() { '?' } else { c }).collect();
            if text.chars().nth(Self::SHOWN).is_some() {
                shown.push('…');
            }
            self.first.push(format!("{shown}: {why}"));
        }
    }

    /// Adds what was found out later.
    pub fn extend(&mut self, later: Self) {
        self.count += later.count;
        let room = Self::NAMED.saturating_sub(self.first.len());
        self.first.extend(later.first.into_iter().take(room));
    }

    /// A sentence that says what is not in the backup. `None` if everything is.
    pub fn message(&self) -> Option<String> {
        let first = self.first.first()?;
        let (count, one) = (self.count, self.count == 1);
        let (noun, verb) = if one { ("file or folder", "is") } else { ("files or folders", "are") };
        Some(format!("{count} {noun} {verb} not in the backup, {first}."))
    }
}

/// The last row of an audit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditHead {
    /// Its number.
    pub seq: i64,
    /// Its hash, hexadecimal.
    pub hash: String,
}

impl Manifest {
    /// Reads an archive's first entry. Fails in one sentence where another program or a newer version wrote it.
    pub fn parse(text: &[u8]) -> Result<Self> {
        let value: serde_json::Value = serde_json::from_slice(text).map_err(|e| foreign().caused_by(e))?;
        if value.get("program").and_then(serde_json::Value::as_str) != Some(PROGRAM) {
            return Err(foreign());
        }
        let format = value.get("format").and_then(serde_json::Value::as_u64).ok_or_else(foreign)?;
        if format > u64::from(FORMAT) {
            let version: String = value
                .get("version")
                .and_then(serde_json::Value::as_str)
                .unwrap_or("unknown")
                .chars()
                .take(40)
                .collect();
            return Err(Error::conflict(format!(
                "The backup was made by a newer Satchel ({version}). Restore it with that version or a later one."
            )));
        }
        serde_json::from_value(value).map_err(|e| foreign().caused_by(e))
    }
}

/// The error for an age file that holds something else.
pub fn foreign() -> Error {
    Error::invalid("The file opens, but it is no backup of Satchel: another program made it.")
}

/// The part a backup or a verification is at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = BackupPart)]
pub enum Part {
    /// It waits for its turn, or looks at what there is.
    #[default]
    Preparing,
    /// The database is being copied.
    Database,
    /// Everything is being written into the file.
    Writing,
    /// The file is being read and its digests compared.
    Reading,
    /// The copy is being looked through.
    Checking,
    /// Questions are put to the copy.
    Asking,
}

impl Part {
    /// Its number and back, to be kept in an atomic.
    pub const ALL: [Self; 6] =
        [Self::Preparing, Self::Database, Self::Writing, Self::Reading, Self::Checking, Self::Asking];
}

/// Progress of one under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = BackupProgress)]
pub struct Progress {
    /// The part it is at.
    pub part: Part,
    /// Bytes done of this part.
    pub done: u64,
    /// Bytes of this part; 0 where that is not known.
    pub total: u64,
}

/// The state of a backup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = BackupState)]
pub enum State {
    /// It is being made.
    Running,
    /// It is there.
    Done,
    /// It was not made: `problem` says why.
    Failed,
}

/// The reason a backup was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = BackupReason)]
pub enum Reason {
    /// Somebody asked for it.
    #[default]
    Asked,
    /// The schedule did.
    Schedule,
}

/// The findings of a verification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Drill {
    /// The time at which it ended.
    pub at: Time,
    /// `true` if the backup can be relied on.
    pub ok: bool,
    /// Each step and what came of it, a sentence each.
    pub steps: Vec<String>,
    /// The reason it cannot be relied on.
    pub problem: Option<String>,
}

/// One backup, for lists.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Backup {
    /// Its id: the file's name without its ending.
    pub id: String,
    /// Its state.
    pub state: State,
    /// The path of the file.
    pub path: String,
    /// The time at which it was begun.
    pub created_at: Time,
    /// The file's size; 0 while it is not there.
    pub bytes: u64,
    /// The reason it was made; unknown for a file somebody put there.
    pub reason: Option<Reason>,
    /// The key that opens it; unknown for a file somebody put there.
    pub sealed_to: Option<SealedTo>,
    /// `true` if the vault's key is in it; unknown for a file somebody put there.
    pub vault_key: Option<bool>,
    /// Its progress, or that of its verification, while one runs.
    pub progress: Option<Progress>,
    /// The findings of the last verification.
    pub verified: Option<Drill>,
    /// The reason it was not made.
    pub problem: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_programs_manifest_and_a_newer_one_are_told_apart() {
        let said = |text: &str| Manifest::parse(text.as_bytes()).unwrap_err().message().to_owned();
        for other in ["", "[]", "{}", r#"{"program": "restic", "format": 1}"#, r#"{"program": "satchel"}"#] {
            assert!(said(other).contains("no backup of Satchel"), "{other}");
        }
        let newer = said(r#"{"program": "satchel", "format": 2, "version": "9.1.0", "new": true}"#);
        assert_eq!(
            newer,
            "The backup was made by a newer Satchel (9.1.0). Restore it with that version or a later one."
        );
    }
}
