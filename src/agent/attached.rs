//! Documents that come with a message: read as document_read does it, within the turn's budget.

use std::{mem, num::NonZeroUsize};

use base64::{Engine as _, engine::general_purpose::STANDARD};

use super::{chat::Shared, history::ATTACHED, situation::situation};
use satchel_engine::authorise;
use satchel_formats::{limits::Limits, picture};
use satchel_host::files::{Rooted, stored_name};
use satchel_model::{
    caller::Caller,
    conversation::{Attachment, ConversationId},
    error::{Error, Kind, Result},
    id::shorten,
    llm::ProviderId,
    origin::Origin,
};
use satchel_services::{
    own_files::{self, NewFile},
    reading::Reader,
};
use satchel_store::promotions;

/// The folder of what is sent, where tools put what they make.
const FOLDER: &str = "documents";
/// The tool that reads the rest of a document.
const READER: &str = "builtin:document_read";
/// The permission to have documents read.
const PERMISSION: &str = "knowledge:read";

/// The share of the model's context that one document of a message may take.
#[derive(Debug, Clone, Copy)]
struct Share {
    /// Bytes of its text.
    bytes: usize,
    /// `true` if the person has the tool that reads the rest of it.
    has_reader: bool,
}

/// The attachments of a message, read. Nothing of them is stored yet.
pub(super) struct Attached {
    parts: Vec<Part>,
    share: Share,
    origin: Option<Origin>,
}

enum Part {
    /// An image, a text, or a document that was read for an earlier message.
    AsSent(Attachment),
    /// A document.
    Read(ReadDocument),
}

struct ReadDocument {
    sent: Attachment,
    text: String,
    pages: Option<u32>,
    /// The ending of its name, where it has none.
    ending: &'static str,
    /// Its bytes, where it is not among the person's files.
    unstored: Option<Vec<u8>>,
}

impl Attached {
    /// The origin of the first that lay among the person's files; `None` if nothing is known to be from outside.
    pub(super) fn origin(&self) -> Option<Origin> {
        self.origin.clone()
    }

    /// Returns whether a document is too long to stand in the turn whole.
    pub(super) fn is_cut(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Read(one) if one.text.len() > self.share.bytes))
    }
}

impl Shared {
    /// Reads the documents among the attachments and stores nothing.
    ///
    /// # Errors
    ///
    /// One of them is neither an image, nor a text, nor a document that can be read.
    pub(super) async fn read_attached(
        &self,
        caller: &Caller,
        given: Vec<Attachment>,
        provider: Option<ProviderId>,
    ) -> Result<Attached> {
        given.iter().try_for_each(ensure_readable)?;
        let documents = given.iter().filter(|one| one.is_document()).count();
        let mut share = Share { bytes: ATTACHED, has_reader: self.offers_reader(caller) };
        if let Some(documents) = NonZeroUsize::new(documents) {
            caller.require(PERMISSION)?;
            share.bytes = self.room(provider).await?.min(ATTACHED) / documents;
        }
        let mut parts = Vec::with_capacity(given.len());
        let mut origin = None;
        for one in given {
            let path = one.path.clone();
            let before = self.origin_of_attached(caller, &path).await?;
            parts.push(match one.is_document() {
                true => Part::Read(self.read_document(caller, one).await?),
                false => Part::AsSent(one),
            });
            // A tool may have written it between the two.
            let after = self.origin_of_attached(caller, &path).await?;
            origin = origin.or(before).or(after);
        }
        Ok(Attached { parts, share, origin })
    }

    /// Stores the documents that are not among the person's files yet. Returns the attachments as the turn keeps them,
    /// with the text of a document in place of its bytes.
    pub(super) async fn store_attached(&self, caller: &Caller, attached: Attached) -> Result<Vec<Attachment>> {
        let mut kept = Vec::with_capacity(attached.parts.len());
        for part in attached.parts {
            kept.push(match part {
                Part::AsSent(one) => one,
                Part::Read(one) => self.store_document(caller, one, attached.share).await?,
            });
        }
        Ok(kept)
    }

    /// Returns the origin of the file that an attachment names, be it read now or sent as it was read.
    async fn origin_of_attached(&self, caller: &Caller, path: &Option<String>) -> Result<Option<Origin>> {
        let Some(path) = path else { return Ok(None) };
        let found = match self.files(caller) {
            Ok(files) => own_files::origin_of(&self.app, &files, path).await,
            Err(error) => Err(error),
        };
        match found {
            // Reading it fails, and says so; a text that is sent along is not of a file that cannot be reached.
            Err(error) if matches!(error.kind(), Kind::Denied | Kind::Invalid | Kind::Disabled) => Ok(None),
            found => Ok(found?.filter(|origin| origin.is_outside_for(caller))),
        }
    }

    /// Keeps what reads documents among the tools the model is shown in a conversation.
    pub(super) async fn offer_reader(&self, conversation: ConversationId) -> Result<()> {
        promotions::promote(&self.app.db, conversation, vec![READER.to_owned()]).await
    }

    /// Bytes of all documents of a message: a quarter of the model's tokens, of about four bytes each.
    async fn room(&self, provider: Option<ProviderId>) -> Result<usize> {
        let first = self.providers.chain(provider).await?.into_iter().next();
        let tokens = first.and_then(|first| first.context_tokens);
        let tokens = tokens.unwrap_or_else(|| self.app.settings.get().chat.context_tokens);
        usize::try_from(tokens).map_err(Error::internal)
    }

    async fn read_document(&self, caller: &Caller, mut sent: Attachment) -> Result<ReadDocument> {
        let name = sent.name.clone();
        let of_document = |error: Error| {
            let told = format!("'{name}' cannot be attached: {}", error.message());
            Error::new(error.kind(), told).caused_by(error)
        };
        let (files, limits) = (self.files(caller), Limits::default());
        let size = match (&sent.path, &files) {
            (Some(path), Ok(files)) => files.open(path).await.map_err(&of_document)?.1,
            _ => sent.data.len() as u64,
        };
        let (name, path, data) = (sent.name.clone(), sent.path.clone(), mem::take(&mut sent.data));
        let reader = Reader::new(&self.app.host.readers);
        // Its bytes are there when it is its turn: those of others that wait take no memory.
        let read = move || {
            let (read, unstored) = match &path {
                Some(path) => (reader.text(files?.open_up_to_here(path, limits.file as u64)?, &name)?, None),
                None => {
                    let bytes = STANDARD.decode(&*data).map_err(|_| Error::invalid("It is not base64."))?;
                    (reader.text(&bytes, &name)?, Some(bytes))
                }
            };
            Ok((read.text, read.pages, read.kind.as_str(), unstored))
        };
        let read = self.app.host.work.run_on(Some(caller.user), size, read).await;
        let (text, pages, ending, unstored) = read.map_err(&of_document)?;
        Ok(ReadDocument { text, pages, ending, unstored, sent })
    }

    async fn store_document(&self, caller: &Caller, one: ReadDocument, share: Share) -> Result<Attachment> {
        let ReadDocument { mut sent, text, pages, ending, unstored } = one;
        if let Some(bytes) = unstored {
            let (stem, ending) = sent.name.rsplit_once('.').unwrap_or((&sent.name, ending));
            let (stem, ending) = (stored_name(stem), stored_name(ending));
            let files = self.files(caller)?;
            let new = NewFile { folder: FOLDER, name: &stem, ending: &ending };
            let origin = Origin::of_program(caller, "attachment", self.app.clock.now());
            sent.path = Some(own_files::write_new(&self.app, &files, origin, new, bytes).await?);
        }
        let path = sent.path.as_deref().unwrap_or_default();
        sent.data = STANDARD.encode(document_text(&text, pages, path, share)).into();
        Ok(sent)
    }

    fn files(&self, caller: &Caller) -> Result<Rooted> {
        self.app.files_of(caller.user)
    }

    fn offers_reader(&self, caller: &Caller) -> bool {
        let settings = self.app.settings.get();
        let found = self.invoker.registry().find(READER);
        let policy = self.invoker.policy(&situation(caller, None));
        found.is_ok_and(|found| authorise::may_call(&found.tool, caller, &settings, &policy))
    }
}

/// Checks that what is called an image or a text is one.
///
/// # Errors
///
/// If it is none.
fn ensure_readable(one: &Attachment) -> Result<()> {
    if one.is_document() {
        return Ok(());
    }
    let holds = |bytes: &[u8]| match one.is_image() {
        true => picture::look(bytes).is_some_and(|found| found.mime == one.mime),
        // What was read of a document, and is sent again, is UTF-8 whatever the document was.
        false => !bytes.contains(&0) && (one.is_text() || str::from_utf8(bytes).is_ok()),
    };
    if STANDARD.decode(&*one.data).is_ok_and(|bytes| holds(&bytes)) {
        return Ok(());
    }
    let wanted = if one.is_image() { format!("no {}", one.mime) } else { "no text".to_owned() };
    Err(Error::invalid(format!(
        "'{}' cannot be attached: it is {wanted}. Images (PNG, JPEG, GIF, WebP), PDF, Office documents and texts can be.",
        shorten(&one.name)
    )))
}

/// The text that stands for a document: all of it, or as much as there is room for, with how to read on.
fn document_text(text: &str, pages: Option<u32>, path: &str, share: Share) -> String {
    let total = text.chars().count();
    if total == 0 {
        return format!("(The document at '{path}' holds no text; it may be scanned pages or pictures.)");
    }
    if text.len() <= share.bytes {
        return text.to_owned();
    }
    let end = (0..=share.bytes).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let head = text.get(..end).unwrap_or_default();
    let pages = pages.map_or_else(String::new, |pages| format!(" on {pages} pages"));
    let how = match share.has_reader {
        true => format!(" document_read reads all of it: its file_path is '{path}'."),
        false => String::new(),
    };
    let shown = head.chars().count();
    format!(
        "{head}\n(The document is too long to stand here whole: these are {shown} of {total} characters{pages}.{how})"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_stands_whole_or_says_that_it_does_not() {
        let share = |bytes: usize, has_reader: bool| Share { bytes, has_reader };
        assert_eq!(document_text("short", None, "a.pdf", share(10, true)), "short");
        let cut = document_text(&"é".repeat(20), Some(3), "documents/a.pdf", share(9, true));
        assert!(
            cut.starts_with("éééé\n(The document is too long") && cut.contains("4 of 20 characters on 3 pages"),
            "{cut}"
        );
        assert!(cut.contains("its file_path is 'documents/a.pdf'"), "{cut}");
        assert!(!document_text(&"é".repeat(20), None, "a.pdf", share(9, false)).contains("document_read"));
        assert!(document_text("", None, "scan.pdf", share(9, true)).contains("holds no text"));
    }
}
