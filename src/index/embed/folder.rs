//! Models on the disk: a folder each, with `model.toml`, `model.onnx` and the tokenizer's files.

#![expect(clippy::disallowed_methods, reason = "the folder of models is this module's own; user files are host's")]

use std::{
    fs,
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::model::{BUILTIN, File, Model, ModelInfo, Pooling};
use satchel_model::{
    error::{Error, Result},
    id::shorten,
};

/// The graph with its weights.
pub const GRAPH: &str = "model.onnx";
/// The files every folder must hold beside `model.toml` and the graph.
pub const TOKENIZER: [&str; 4] = ["tokenizer.json", "config.json", "special_tokens_map.json", "tokenizer_config.json"];
const DESCRIPTION: &str = "model.toml";
/// The bytes of each end of the graph that tell it from others. Reading all of it would make every start wait.
const TOLD_BY: u64 = 1 << 20;

/// `model.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// The number of dimensions of a vector.
    pub dimensions: usize,
    /// The way token vectors become one.
    #[serde(default = "mean")]
    pub pooling: Pooling,
    /// Longer texts are cut to this many tokens.
    #[serde(default = "most_tokens")]
    pub max_tokens: usize,
    /// Put before every query.
    #[serde(default)]
    pub query_prefix: String,
    /// Put before every passage.
    #[serde(default)]
    pub passage_prefix: String,
}

fn mean() -> Pooling {
    Pooling::Mean
}

fn most_tokens() -> usize {
    512
}

/// One folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The folder's name.
    pub name: String,
    /// The contents of its `model.toml`, or what keeps it from being used.
    pub description: Result<Description, String>,
}

/// The models below a folder, by name. A folder that is not there has none.
pub fn list(models: &Path) -> Result<Vec<Found>> {
    let entries = match fs::read_dir(models) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(unreadable(models, &error)),
    };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| is_name(name) && models.join(name).is_dir()).collect();
    names.sort();
    let describe = |name: String| {
        let description = describe(&models.join(&name)).map_err(|error| error.message().to_owned());
        Found { name, description }
    };
    Ok(names.into_iter().map(describe).collect())
}

/// The model of this name, ready to be loaded.
pub fn find(models: &Path, name: &str) -> Result<Model> {
    let folder = models.join(name);
    if !is_name(name) || !folder.is_dir() {
        return Err(Error::not_found(format!(
            "There is no embedding model '{0}': put its files into {1}/{0}.",
            shorten(name),
            models.display()
        )));
    }
    let described = describe(&folder)?;
    let fingerprint = fingerprint(&folder)?;
    let file = |name: &str| File::At(folder.join(name));
    let [tokenizer, config, special_tokens, tokenizer_config] = TOKENIZER.map(file);
    Ok(Model {
        name: name.to_owned(),
        info: ModelInfo { id: format!("{name}@{fingerprint}"), dimensions: described.dimensions },
        pooling: described.pooling,
        max_tokens: described.max_tokens,
        query_prefix: described.query_prefix,
        passage_prefix: described.passage_prefix,
        onnx: file(GRAPH),
        tokenizer,
        config,
        special_tokens,
        tokenizer_config,
    })
}

/// A folder may be called so: no path, nothing hidden, not the embedded model's name.
fn is_name(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    name != BUILTIN && !name.is_empty() && !name.starts_with('.') && name.chars().all(allowed)
}

fn describe(folder: &Path) -> Result<Description> {
    for name in [GRAPH].iter().chain(&TOKENIZER) {
        if !folder.join(name).is_file() {
            return Err(Error::invalid(format!("{} has no {name}.", folder.display())));
        }
    }
    let path = folder.join(DESCRIPTION);
    let text = fs::read_to_string(&path).map_err(|error| unreadable(&path, &error))?;
    let described: Description =
        toml::from_str(&text).map_err(|e| Error::invalid(format!("{} cannot be used: {e}", path.display())))?;
    if described.dimensions == 0 || described.max_tokens < 8 {
        return Err(Error::invalid(format!("{}: dimensions and max_tokens are too small.", path.display())));
    }
    Ok(described)
}

/// Eight digits that change when the model does.
fn fingerprint(folder: &Path) -> Result<String> {
    let mut hash = Sha256::new();
    for name in [DESCRIPTION, "tokenizer.json"] {
        hash.update(read(&folder.join(name))?);
    }
    let path = folder.join(GRAPH);
    ends(&path, &mut hash).map_err(|error| unreadable(&path, &error))?;
    Ok(hex::encode(hash.finalize()).chars().take(8).collect())
}

fn ends(path: &Path, hash: &mut Sha256) -> io::Result<()> {
    let mut file = fs::File::open(path)?;
    let length = file.metadata()?.len();
    hash.update(length.to_le_bytes());
    let mut end = Vec::new();
    (&mut file).take(TOLD_BY).read_to_end(&mut end)?;
    hash.update(&end);
    end.clear();
    file.seek(SeekFrom::Start(length.saturating_sub(TOLD_BY)))?;
    file.read_to_end(&mut end)?;
    hash.update(&end);
    Ok(())
}

pub(super) fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|error| unreadable(path, &error))
}

fn unreadable(path: &Path, error: &io::Error) -> Error {
    Error::invalid(format!("{} cannot be read: {error}.", path.display()))
}

/// A model that is being fetched: hidden until it is whole.
pub struct Incoming {
    beside: PathBuf,
    place: PathBuf,
}

impl Incoming {
    /// Begins a folder of this name; what an earlier attempt left goes.
    pub fn begin(models: &Path, name: &str) -> Result<Self> {
        if !is_name(name) {
            return Err(Error::invalid(format!("A model cannot be called '{name}'.")));
        }
        let beside = models.join(format!(".{name}.part"));
        let this = Self { beside, place: models.join(name) };
        this.clear();
        fs::create_dir_all(&this.beside).map_err(Error::internal)?;
        Ok(this)
    }

    /// A new file of it.
    pub fn file(&self, name: &str) -> Result<impl Write + Send + use<>> {
        fs::File::create(self.beside.join(name)).map_err(Error::internal)
    }

    /// Writes the description, and shows the folder.
    pub fn finish(self, description: &Description) -> Result<()> {
        let text = toml::to_string(description).map_err(Error::internal)?;
        fs::write(self.beside.join(DESCRIPTION), text).map_err(Error::internal)?;
        describe(&self.beside)?;
        fs::rename(&self.beside, &self.place).map_err(Error::internal)
    }

    fn clear(&self) {
        if let Err(error) = fs::remove_dir_all(&self.beside)
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(%error, folder = %self.beside.display(), "the rest of a download stays");
        }
    }
}

impl Drop for Incoming {
    fn drop(&mut self) {
        self.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(models: &Path, name: &str, toml: &str) {
        let folder = models.join(name);
        fs::create_dir_all(&folder).unwrap();
        for file in [GRAPH].iter().chain(&TOKENIZER) {
            fs::write(folder.join(file), file).unwrap();
        }
        fs::write(folder.join(DESCRIPTION), toml).unwrap();
    }

    #[test]
    fn a_folder_is_a_model_and_says_how_it_is_used() {
        let models = tempfile::tempdir().unwrap();
        model(models.path(), "e5", "dimensions = 4\npooling = 'cls'\nquery_prefix = 'query: '");
        let found = find(models.path(), "e5").unwrap();
        assert_eq!((found.info.dimensions, found.pooling, found.max_tokens), (4, Pooling::Cls, 512));
        assert_eq!((found.query_prefix.as_str(), found.passage_prefix.as_str()), ("query: ", ""));
        assert!(found.info.id.starts_with("e5@") && found.info.id.len() == "e5@".len() + 8, "{}", found.info.id);
    }

    #[test]
    fn another_description_makes_another_model() {
        let models = tempfile::tempdir().unwrap();
        model(models.path(), "one", "dimensions = 4");
        let before = find(models.path(), "one").unwrap().info.id;
        assert_eq!(find(models.path(), "one").unwrap().info.id, before);
        model(models.path(), "one", "dimensions = 4\npassage_prefix = 'passage: '");
        assert_ne!(find(models.path(), "one").unwrap().info.id, before);
    }

    #[test]
    fn what_is_wrong_with_a_folder_is_said() {
        let models = tempfile::tempdir().unwrap();
        model(models.path(), "wordy", "dimensions = 4\ncolour = 'red'");
        model(models.path(), "flat", "dimensions = 0");
        model(models.path(), "half", "dimensions = 4");
        fs::remove_file(models.path().join("half/config.json")).unwrap();
        let said: Vec<_> =
            list(models.path()).unwrap().into_iter().map(|f| (f.name, f.description.unwrap_err())).collect();
        let names: Vec<_> = said.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["flat", "half", "wordy"]);
        for ((_, reason), part) in said.iter().zip(["too small", "has no config.json", "colour"]) {
            assert!(reason.contains(part), "{reason}");
        }
        assert!(find(models.path(), "../flat").unwrap_err().message().contains("no embedding model"));
        assert_eq!(list(&models.path().join("none")).unwrap(), []);
    }

    #[test]
    fn a_download_is_seen_when_it_is_whole() {
        let models = tempfile::tempdir().unwrap();
        let incoming = Incoming::begin(models.path(), "new").unwrap();
        for name in [GRAPH].iter().chain(&TOKENIZER) {
            incoming.file(name).unwrap().write_all(b"{}").unwrap();
        }
        assert_eq!(list(models.path()).unwrap(), []);
        let description = Description {
            dimensions: 4,
            pooling: Pooling::Cls,
            max_tokens: 128,
            query_prefix: "query: ".to_owned(),
            passage_prefix: String::new(),
        };
        incoming.finish(&description).unwrap();
        assert_eq!(list(models.path()).unwrap(), [Found { name: "new".to_owned(), description: Ok(description) }]);
        drop(Incoming::begin(models.path(), "gone").unwrap());
        assert_eq!(fs::read_dir(models.path()).unwrap().count(), 1);
    }
}
