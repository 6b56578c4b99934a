//! Files with one JSON value a line, named by the person at the command line.

#![expect(clippy::disallowed_methods, reason = "the files a person names themselves")]

use std::{
    fs::{self, File},
    io::{BufRead, BufReader, BufWriter, Write},
    path::{Path, PathBuf},
};

use serde::{Serialize, de::DeserializeOwned};

use satchel_model::error::{Error, Result};

/// Every line as a value. An empty line is passed over; a wrong one is named with its number.
pub fn read<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>> {
    let file = File::open(path).map_err(|e| unreadable(path, &e.to_string()))?;
    let mut values = Vec::new();
    for (number, line) in BufReader::new(file).lines().enumerate() {
        let line = line.map_err(|e| unreadable(path, &e.to_string()))?;
        if line.trim().is_empty() {
            continue;
        }
        values.push(serde_json::from_str(&line).map_err(|e| unreadable(path, &format!("line {}: {e}", number + 1)))?);
    }
    Ok(values)
}

/// Writes each value on a line; what the file held is gone.
pub fn write<T: Serialize>(path: &Path, values: &[T]) -> Result<()> {
    let failed = |e: &dyn std::fmt::Display| Error::invalid(format!("{} cannot be written: {e}.", path.display()));
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(|e| failed(&e))?;
    }
    let mut out = BufWriter::new(File::create(path).map_err(|e| failed(&e))?);
    for value in values {
        serde_json::to_writer(&mut out, value).map_err(|e| failed(&e))?;
        out.write_all(b"\n").map_err(|e| failed(&e))?;
    }
    out.flush().map_err(|e| failed(&e))
}

/// The folder itself, made where it is missing.
pub fn folder(path: &Path) -> Result<&Path> {
    fs::create_dir_all(path).map_err(|e| Error::invalid(format!("{} cannot be made: {e}.", path.display())))?;
    Ok(path)
}

/// The folders of `path` that hold a file of this name, by name.
pub fn folders_with(path: &Path, file: &str) -> Result<Vec<(String, PathBuf)>> {
    let entries = fs::read_dir(path).map_err(|e| unreadable(path, &e.to_string()))?;
    let mut found: Vec<(String, PathBuf)> = entries
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let holds = entry.path().join(file).is_file();
            holds.then(|| (entry.file_name().to_string_lossy().into_owned(), entry.path()))
        })
        .collect();
    found.sort();
    Ok(found)
}

fn unreadable(path: &Path, why: &str) -> Error {
    Error::invalid(format!("{} cannot be read: {}.", path.display(), why.trim_end_matches('.')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn what_was_written_is_read_and_a_wrong_line_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("set/lines.jsonl");
        write(&path, &[json!({"a": 1}), json!({"a": 2})]).unwrap();
        assert_eq!(read::<Value>(&path).unwrap(), [json!({"a": 1}), json!({"a": 2})]);
        assert_eq!(folders_with(dir.path(), "lines.jsonl").unwrap(), [("set".to_owned(), dir.path().join("set"))]);
        fs::write(&path, "{}\n\n{oops\n").unwrap();
        let error = read::<Value>(&path).unwrap_err();
        assert!(error.message().contains("line 3"), "{}", error.message());
        assert!(read::<Value>(&dir.path().join("none.jsonl")).unwrap_err().message().contains("none.jsonl"));
    }
}
