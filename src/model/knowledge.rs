//! Knowledge: collections of documents, and the passages they are found by.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    error::{Error, Result},
    id::{Id, Noun},
    time::Time,
};

/// A collection's id.
pub type CollectionId = Id<Collection>;
/// A document's id.
pub type DocumentId = Id<Document>;
/// A folder's id.
pub type FolderId = Id<Folder>;
/// A chunk's number; indexes know it by that.
pub type ChunkId = i64;

/// Longest name of a collection or title of a document, in characters.
pub const MAX_NAME: usize = 200;
/// Longest description of a collection, in characters.
pub const MAX_DESCRIPTION: usize = 2_000;

/// Documents that belong together and are seen by the same people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Collection {
    /// Stable id.
    #[schema(value_type = String, format = "uuid")]
    pub id: CollectionId,
    /// Its name; no other has it.
    pub name: String,
    /// A description of its contents.
    pub description: String,
    /// Names of the roles that see it; `null` means everybody who may read knowledge. Administrators see all.
    pub roles: Option<Vec<String>>,
    /// Documents in it.
    pub documents: u64,
    /// `true` if documents go here that name no other.
    pub default: bool,
    /// The time at which it was made.
    pub created_at: Time,
    /// The time of its last change.
    pub updated_at: Time,
}

impl Noun for Collection {
    const NAME: &'static str = "collection";
    const LISTED_AT: &'static str = "/api/knowledge/collections";
}

/// A collection to be made, or what one is to become; checked.
#[derive(Debug, Clone)]
pub struct NewCollection {
    /// Its name.
    pub name: String,
    /// A description of its contents.
    pub description: String,
    /// Names of the roles that see it; `None` means everybody who may read knowledge.
    pub roles: Option<Vec<String>>,
}

impl NewCollection {
    /// Makes a collection.
    ///
    /// # Errors
    ///
    /// If the name is empty, or a text too long.
    pub fn new(name: &str, description: &str, roles: Option<Vec<String>>) -> Result<Self> {
        let name = checked_name(name, "name of a collection")?;
        if description.chars().count() > MAX_DESCRIPTION {
            return Err(Error::invalid(format!("A description has at most {MAX_DESCRIPTION} characters.")));
        }
        if roles.as_ref().is_some_and(Vec::is_empty) {
            return Err(Error::invalid("'roles' names no role: send null to open the collection to all readers."));
        }
        Ok(Self { name, description: description.trim().to_owned(), roles })
    }
}

/// Something that was taken in to be found again.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Document {
    /// Stable id.
    #[schema(value_type = String, format = "uuid")]
    pub id: DocumentId,
    /// The collection it is in.
    #[schema(value_type = String, format = "uuid")]
    pub collection: CollectionId,
    /// The name of that collection.
    pub collection_name: String,
    /// Its title: its own, or the name of its file.
    pub title: String,
    /// The origin.
    pub source: Source,
    /// Media type.
    pub mime: String,
    /// The format it was read as: pdf, docx, markdown, …; `null` until it was read.
    pub kind: Option<String>,
    /// Size of the file.
    pub bytes: u64,
    /// SHA-256 of the file; `null` until it was fetched.
    pub sha256: Option<String>,
    /// The status.
    pub status: Status,
    /// The progress, 0 to 1.
    pub progress: f64,
    /// The reason it failed, or what is wrong with its last update.
    pub reason: Option<String>,
    /// Passages it is found by.
    pub chunks: u64,
    /// Its pages, where it has any.
    pub pages: Option<u32>,
    /// The person who brought it in.
    pub added_by: Option<String>,
    /// The time.
    pub created_at: Time,
    /// The time of its last change.
    pub updated_at: Time,
    /// Counts its contents: 1 is the first, 0 none yet.
    pub version: u32,
}

impl Noun for Document {
    const NAME: &'static str = "document";
    const LISTED_AT: &'static str = "/api/knowledge/documents";
}

/// The origin of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[schema(as = DocumentSource)]
pub struct Source {
    /// The way it came.
    pub kind: SourceKind,
    /// The file's name, the address, or the path.
    pub uri: Option<String>,
}

/// The way a document came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    /// A file was sent.
    Upload,
    /// An address was fetched.
    Url,
    /// It lies in a folder of this machine.
    Folder,
    /// It was written here.
    Text,
}

impl SourceKind {
    /// The word as it stands in rows and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Upload => "upload",
            Self::Url => "url",
            Self::Folder => "folder",
            Self::Text => "text",
        }
    }
}

/// The status of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = DocumentStatus)]
pub enum Status {
    /// It waits to be read.
    Queued,
    /// It is fetched, read and cut into passages.
    Reading,
    /// Its passages are embedded.
    Embedding,
    /// It is found.
    Ready,
    /// It could not be read; `reason` says why.
    Failed,
    /// Somebody stopped it.
    Cancelled,
    /// It is in the trash: found no more, and gone for good after a while.
    Deleted,
}

impl Status {
    /// The word as it stands in rows and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Reading => "reading",
            Self::Embedding => "embedding",
            Self::Ready => "ready",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Deleted => "deleted",
        }
    }

    /// Returns whether work on it is left.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Queued | Self::Reading | Self::Embedding)
    }
}

/// A passage of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Chunk {
    /// Its number.
    pub id: ChunkId,
    /// Its place among the document's passages, from 0.
    pub ordinal: u32,
    /// The headings it stands under, outermost first, joined by ` › `.
    pub heading: String,
    /// The page it begins on.
    pub page: Option<u32>,
    /// Its beginning in the document's text, in characters (Unicode code points).
    pub start: u64,
    /// Its end.
    pub end: u64,
    /// Exactly that part of the text.
    pub text: String,
}

/// A passage that was cut, before it has a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewChunk {
    /// The headings it stands under.
    pub heading: String,
    /// The text put before it when it is embedded and searched: a table's header.
    pub context: String,
    /// The page it begins on.
    pub page: Option<u32>,
    /// Its beginning in the document's text, in characters.
    pub start: u64,
    /// Its end.
    pub end: u64,
    /// Exactly that part of the text.
    pub text: String,
}

/// Exactly what is embedded for a passage. The title is said only where it is the document's own: the same content
/// under another file name is the same text, and is not embedded again.
pub fn embedded(title: Option<&str>, heading: &str, context: &str, text: &str) -> String {
    let title = title.filter(|title| !heading.starts_with(title) && !text.starts_with(title));
    let parts = [title.unwrap_or_default(), heading, context, text];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

/// A folder of this machine whose files are documents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Folder {
    /// Stable id.
    #[schema(value_type = String, format = "uuid")]
    pub id: FolderId,
    /// Its absolute path.
    pub path: String,
    /// The collection its files go to.
    #[schema(value_type = String, format = "uuid")]
    pub collection: CollectionId,
    /// `true` if changes are followed.
    pub watch: bool,
    /// Documents from it.
    pub documents: u64,
    /// The time at which it was last looked through.
    pub scanned_at: Option<Time>,
    /// The reason that failed.
    pub reason: Option<String>,
    /// The time at which it was added.
    pub created_at: Time,
}

impl Noun for Folder {
    const NAME: &'static str = "folder";
}

/// A passage a message cites: of a document, or of a page of the web that was fetched in its conversation.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Citation {
    /// The number it stands under in the message's text, as `[3]`.
    pub number: u32,
    /// The document; `null` for a page.
    #[schema(value_type = Option<String>, format = "uuid")]
    pub document_id: Option<DocumentId>,
    /// The passage, as it was numbered then; `null` for a page.
    pub chunk_id: Option<ChunkId>,
    /// The page's address; `null` for a document.
    pub url: Option<String>,
    /// The document's or page's title then.
    pub title: String,
    /// The headings it stands under.
    pub heading: String,
    /// Its page.
    pub page: Option<u32>,
    /// Its beginning in the document's text then, in characters.
    pub start: u64,
    /// Its end.
    pub end: u64,
    /// The text; empty once the document was deleted.
    pub text: String,
    /// The quality as an answer, 0 to 1.
    pub score: f64,
}

/// Checks a name or title: 1 to [`MAX_NAME`] characters on one line.
pub fn checked_name(text: &str, what: &str) -> Result<String> {
    let text = text.trim();
    if text.is_empty() || text.chars().count() > MAX_NAME || text.chars().any(char::is_control) {
        return Err(Error::invalid(format!("The {what} is 1 to {MAX_NAME} characters on one line.")));
    }
    Ok(text.to_owned())
}

/// A title that fits from one that may not: one line, cut where it is too long.
pub fn fitted_title(text: &str) -> String {
    let line = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    let line = line.collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_NAME) {
        Some((end, _)) => line.get(..end).unwrap_or_default().to_owned(),
        None if line.is_empty() => "Untitled".to_owned(),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_embedded_says_nothing_twice_and_no_file_name() {
        assert_eq!(embedded(Some("Guide"), "Guide › Start", "", "Press it."), "Guide › Start\nPress it.");
        assert_eq!(embedded(Some("Guide"), "", "a | b", "1 | 2"), "Guide\na | b\n1 | 2");
        assert_eq!(embedded(None, "", "", "Press it."), "Press it.");
    }

    #[test]
    fn a_title_fits_on_a_line() {
        assert_eq!(fitted_title(" a\n b\tc "), "a b c");
        assert_eq!(fitted_title("\u{1}"), "Untitled");
        assert_eq!(fitted_title(&"é".repeat(300)).chars().count(), MAX_NAME);
    }
}
