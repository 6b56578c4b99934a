//! Checks of the settings of backups.

use std::path::{Component, Path};

use serde_json::{Value, json};

use satchel_model::{
    error::{Error, Result},
    settings::Backups,
};
use satchel_store::backup::seal::Seal;

/// Checks the settings of a patch.
///
/// # Errors
///
/// If they name what cannot be: a time of day, a recipient, a folder.
pub fn require_usable(data: &Path, patch: &Value) -> Result<()> {
    let field = |name: &str| patch.get("backups")?.get(name)?.as_str();
    if let Some(at) = field("at") {
        Backups { at: at.to_owned(), ..Default::default() }.time_of_day()?;
    }
    if let Some(recipient) = field("recipient") {
        Seal::recipient(recipient)?;
    }
    match field("folder") {
        Some(folder) => require_folder(data, Path::new(folder)),
        None => Ok(()),
    }
}

fn require_folder(data: &Path, folder: &Path) -> Result<()> {
    let told = |why: &str| {
        Err(Error::invalid(format!("`backups.folder` {why}.")).with_details(json!({"field": "backups.folder"})))
    };
    let plain = folder.components().all(|part| !matches!(part, Component::ParentDir | Component::CurDir));
    if !folder.is_absolute() || !plain {
        return told("must be an absolute path, for instance /mnt/backups, without '..'");
    }
    let (data, folder) = (
        data.canonicalize().unwrap_or_else(|_| data.to_owned()),
        folder.canonicalize().unwrap_or_else(|_| folder.to_owned()),
    );
    if folder.starts_with(&data) && folder != data.join("backups") {
        return told("must not lie in the data directory: backups would be in backups");
    }
    if folder.exists() && !folder.is_dir() {
        return told("is a file, not a folder");
    }
    Ok(())
}
