//! The models that can be chosen: the embedded one, those in folders, and fastembed's catalogue.

use std::path::{Path, PathBuf};

use fastembed::{EmbeddingModel, ModelInfo as Listed, ModelTrait, TextEmbedding};
use serde::Serialize;

use satchel_app::App;
use satchel_index::embed::{
    folder::{self, Description},
    model::{BUILTIN, Model, Pooling},
};
use satchel_model::{
    error::{Error, Result},
    settings::Embeddings,
};

/// The name that stands for no model: search goes by words alone.
pub const NONE: &str = "none";
/// The most tokens catalogue models are given, whatever they could read: what fastembed gives them.
const MOST_TOKENS: usize = 512;

/// The source of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = EmbeddingSource)]
pub enum Source {
    /// It is in the binary.
    Builtin,
    /// Somebody put it into the folder of models, or it was fetched.
    Folder,
    /// It would have to be fetched.
    Catalogue,
}

/// One model that can be chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[schema(as = OfferedEmbeddingModel)]
pub struct Offer {
    /// The name it is chosen by.
    pub name: String,
    /// The source it comes from.
    pub source: Source,
    /// The number of dimensions of its vectors.
    pub dimensions: Option<usize>,
    /// A description of what it is good for.
    pub description: String,
    /// The reason it cannot be used as it is.
    pub problem: Option<String>,
}

/// Returns the folder of models.
pub fn place(data: &Path) -> PathBuf {
    data.join("models")
}

/// Names of folders with models that can be fetched again.
pub fn fetched() -> std::collections::HashSet<String> {
    catalogue().iter().map(Entry::folder).collect()
}

/// Every model there is. Those of the catalogue that were fetched stand among the folders.
pub fn all(app: &App) -> Result<Vec<Offer>> {
    let builtin = Model::embedded().map(|model| Offer {
        name: BUILTIN.to_owned(),
        source: Source::Builtin,
        dimensions: Some(model.info.dimensions),
        description: "all-MiniLM-L6-v2: small and quick, for English".to_owned(),
        problem: None,
    });
    let folders = folder::list(&place(&app.config.data))?;
    let allowed = app.settings.get().embeddings.downloads;
    let fetchable = catalogue().into_iter().filter(|entry| folders.iter().all(|found| found.name != entry.folder()));
    let fetchable = fetchable.map(|entry| Offer {
        problem: (!allowed).then(|| NOT_ALLOWED.to_owned()),
        dimensions: Some(entry.listed.dim),
        name: entry.listed.model_code,
        source: Source::Catalogue,
        description: entry.listed.description,
    });
    let fetchable: Vec<Offer> = fetchable.collect();
    let folders = folders.into_iter().map(|found| match found.description {
        Ok(description) => offer(found.name, Some(description.dimensions), None),
        Err(problem) => offer(found.name, None, Some(problem)),
    });
    Ok(builtin.into_iter().chain(folders).chain(fetchable).collect())
}

fn offer(name: String, dimensions: Option<usize>, problem: Option<String>) -> Offer {
    Offer { name, source: Source::Folder, dimensions, description: "From the folder of models".to_owned(), problem }
}

/// The refusal of a model that would have to be fetched where that is not allowed.
pub(super) const NOT_ALLOWED: &str = "Models may not be fetched: allow it with the setting embeddings.downloads.";

/// Checks that the model these settings name can be gone over to.
///
/// # Errors
///
/// If there is no such model, or it would have to be fetched and these settings do not allow that.
pub async fn ensure_choosable(app: &App, wanted: Embeddings) -> Result<()> {
    let models = place(&app.config.data);
    tokio::task::spawn_blocking(move || look_up(&models, &wanted)).await.map_err(Error::internal)?
}

fn look_up(models: &Path, wanted: &Embeddings) -> Result<()> {
    let name = wanted.model.as_str();
    if name == NONE || (name == BUILTIN && Model::embedded().is_some()) {
        return Ok(());
    }
    if name == BUILTIN {
        return Err(Error::not_found("This build has no embedding model in it: choose one from a folder, or none."));
    }
    match entry(name) {
        Some(entry) if models.join(entry.folder()).is_dir() => Ok(()),
        Some(_) if !wanted.downloads => Err(Error::denied(NOT_ALLOWED)),
        Some(_) => Ok(()),
        None => folder::find(models, name).map(drop),
    }
}

/// The model of this name, once it lies on this machine; `None` stands for words alone.
pub fn find(data: &Path, name: &str) -> Result<Option<Model>> {
    match name {
        NONE => Ok(None),
        BUILTIN => Ok(Model::embedded()),
        name => folder::find(&place(data), &entry(name).map_or(name.to_owned(), |entry| entry.folder())).map(Some),
    }
}

/// A model of the catalogue.
pub(super) struct Entry {
    pub(super) listed: Listed<EmbeddingModel>,
}

impl Entry {
    /// Its folder, once it was fetched.
    pub(super) fn folder(&self) -> String {
        let file = self.listed.model_file.rsplit('/').next().unwrap_or_default().trim_end_matches(".onnx");
        let code = self.listed.model_code.replace('/', "--");
        if file == "model" { code } else { format!("{code}--{file}") }
    }

    /// Returns how it is used.
    pub(super) fn description(&self) -> Description {
        let (query, passage) = prefixes(&self.listed.model_code);
        let pooling = match TextEmbedding::get_default_pooling_method(&self.listed.model) {
            Some(fastembed::Pooling::Mean) => Pooling::Mean,
            _ => Pooling::Cls,
        };
        Description {
            dimensions: self.listed.dim,
            pooling,
            max_tokens: MOST_TOKENS,
            query_prefix: query.to_owned(),
            passage_prefix: passage.to_owned(),
        }
    }
}

/// Returns the texts the makers of some models want before one. The catalogue does not say them.
fn prefixes(code: &str) -> (&'static str, &'static str) {
    let code = code.to_ascii_lowercase();
    let starts = |words: &[&str]| words.iter().any(|word| code.contains(word));
    if starts(&["e5-"]) {
        ("query: ", "passage: ")
    } else if starts(&["nomic-embed", "modernbert-embed"]) {
        ("search_query: ", "search_document: ")
    } else if starts(&["bge-small-en", "bge-base-en", "bge-large-en", "arctic-embed", "mxbai-embed"]) {
        ("Represent this sentence for searching relevant passages: ", "")
    } else {
        ("", "")
    }
}

/// The catalogue's entry of this name.
pub(super) fn entry(name: &str) -> Option<Entry> {
    catalogue().into_iter().find(|entry| entry.listed.model_code == name)
}

/// The models this engine can run: each in one file, of one weight type it knows, one entry for each name.
fn catalogue() -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut all = TextEmbedding::list_supported_models();
    // They come in the order of a hash map.
    all.sort_by(|one, other| (&one.model_code, &one.model_file).cmp(&(&other.model_code, &other.model_file)));
    for listed in all {
        let plain = listed.additional_files.is_empty() && !listed.model_file.contains("fp16");
        let quantised = TextEmbedding::get_quantization_mode(&listed.model) != fastembed::QuantizationMode::None;
        let known = entries.iter().any(|entry| entry.listed.model_code == listed.model_code);
        if plain && !quantised && !known && EmbeddingModel::get_model_info(&listed.model).is_some() {
            entries.push(Entry { listed });
        }
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogue_names_each_model_once_and_gives_it_a_folder() {
        let entries = catalogue();
        assert!(entries.len() > 10, "{}", entries.len());
        let mut names: Vec<&str> = entries.iter().map(|entry| entry.listed.model_code.as_str()).collect();
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all);
        for entry in &entries {
            assert!(!entry.folder().contains('/') && entry.listed.dim > 0, "{}", entry.folder());
        }
    }

    #[test]
    fn what_a_model_wants_before_a_text_is_known() {
        let described = |name: &str| entry(name).unwrap().description();
        let e5 = described("intfloat/multilingual-e5-small");
        assert_eq!((e5.query_prefix.as_str(), e5.passage_prefix.as_str()), ("query: ", "passage: "));
        assert_eq!(e5.pooling, Pooling::Mean);
        let bge = described("Xenova/bge-small-en-v1.5");
        assert!(bge.query_prefix.starts_with("Represent this sentence") && bge.passage_prefix.is_empty());
        assert_eq!((bge.pooling, bge.dimensions), (Pooling::Cls, 384));
    }
}
