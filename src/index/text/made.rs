//! The state an index was made from, sealed into its commits; and the folders of those made one after the other.

#![expect(clippy::disallowed_methods, reason = "index files are this module's own; user files are host's")]

use std::{fs, path::Path};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use satchel_model::error::{Error, Result};

/// The payload of a commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Made {
    /// The database it was made from.
    pub origin: String,
    /// The last change it has seen.
    pub seq: i64,
}

/// The numbers of the indexes in a folder, the newest last.
pub(super) fn generations(folder: &Path) -> Result<Vec<u64>> {
    fs::create_dir_all(folder).map_err(Error::internal)?;
    let entries = fs::read_dir(folder).map_err(Error::internal)?;
    let numbers = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let mut numbers: Vec<u64> = numbers.collect();
    numbers.sort_unstable();
    Ok(numbers)
}

/// The payload of a commit with a checksum: Tantivy has one for its other files only.
#[derive(Serialize, Deserialize)]
pub(super) struct Sealed {
    made: Made,
    sum: String,
}

impl Sealed {
    pub(super) fn seal(made: &Made) -> Result<String> {
        serde_json::to_string(&Self { made: made.clone(), sum: sum(made) }).map_err(Error::internal)
    }

    pub(super) fn open(payload: &str) -> Result<Made> {
        let sealed: Self = serde_json::from_str(payload).map_err(Error::internal)?;
        if sealed.sum != sum(&sealed.made) {
            return Err(Error::internal("the text index's last commit is damaged"));
        }
        Ok(sealed.made)
    }
}

fn sum(made: &Made) -> String {
    hex::encode(Sha256::digest(format!("{} {}", made.origin, made.seq)))
}
