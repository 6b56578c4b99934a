//! Changes of documents by people: taken in, deleted and restored, tried again, stopped, given a new content.

use serde_json::json;

use super::{
    Content, Documents, NewDocument,
    rows::{discard, get, insert, put_content, requeue, whole},
};
use crate::{
    model::{
        error::{Error, Result},
        knowledge::{Document, DocumentId, SourceKind, Status},
    },
    store::{
        chunks, collections,
        people::Actor,
        purge::{self, Purged},
        rows::run,
        sent,
    },
};

/// The part of a deleted document that stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// The row and the file, for a while.
    Trash,
    /// Nothing.
    Nothing,
}

impl Documents {
    /// Takes one in: it is read as soon as a worker is free. A file that was sent before, under the same name and to the
    /// same collection, is the document it became then.
    pub(in crate::store) async fn add(&self, by: &Actor, new: NewDocument) -> Result<Document> {
        let by = by.clone();
        self.db
            .write(move |c| {
                let collection = collections::number(c, by.caller.reader(), new.collection)?;
                if let Some(before) = sent::before(c, collection, &new)? {
                    let known = whole(c, before)?;
                    if matches!(known.status, Status::Failed | Status::Cancelled) {
                        let number = get(c, by.caller.reader(), before)?.0;
                        requeue(c, number, by.now.millis())?;
                        by.record(c, "document.retry", json!({"id": before, "title": known.title}))?;
                    }
                    return whole(c, before);
                }
                let id = insert(c, Some(by.caller.user), by.now, (collection, &new))?;
                by.record(c, "document.add", json!({"id": id, "title": new.title, "source": new.source}))?;
                whole(c, id)
            })
            .await
    }

    /// Puts one in the trash, or, from there, removes it for good. Found it is no more with the answer; its file stays as
    /// long as it is in the trash. Gives the hash of a file that may no longer be needed.
    pub async fn delete(&self, by: &Actor, id: DocumentId, keep: Keep) -> Result<Option<String>> {
        let by = by.clone();
        let files = self.db.purge(move |c| {
            let (number, document) = get(c, by.caller.reader(), id)?;
            by.record(c, "document.delete", json!({"id": id, "title": document.title}))?;
            if keep == Keep::Nothing || document.status == Status::Deleted {
                return purge::documents(c, "number = ?1", [number]);
            }
            discard(c, number, by.now.millis())?;
            Ok(Purged::default())
        });
        Ok(files.await?.pop())
    }

    /// Takes one out of the trash: it is read again.
    pub(in crate::store) async fn restore(&self, by: &Actor, id: DocumentId) -> Result<Document> {
        self.again(by, id, "restore", |status| match status {
            Status::Deleted => Ok(()),
            _ => Err("It is not in the trash."),
        })
        .await
    }

    /// Tries one again that failed or was stopped.
    pub(in crate::store) async fn retry(&self, by: &Actor, id: DocumentId) -> Result<Document> {
        self.again(by, id, "retry", |status| match status {
            Status::Failed | Status::Cancelled => Ok(()),
            Status::Deleted => Err("It is in the trash: restore it first."),
            Status::Ready => Err("It is ready. Update it where its content has changed."),
            _ => Err("It is under way already."),
        })
        .await
    }

    async fn again(
        &self,
        by: &Actor,
        id: DocumentId,
        action: &'static str,
        allow: impl FnOnce(Status) -> std::result::Result<(), &'static str> + Send + 'static,
    ) -> Result<Document> {
        let by = by.clone();
        self.db
            .write(move |c| {
                let (number, document) = get(c, by.caller.reader(), id)?;
                allow(document.status).map_err(Error::conflict)?;
                requeue(c, number, by.now.millis())?;
                by.record(c, &format!("document.{action}"), json!({"id": id, "title": document.title}))?;
                whole(c, id)
            })
            .await
    }

    /// Stops the work on one at once. What it was found by before stays found.
    pub(in crate::store) async fn cancel(&self, by: &Actor, id: DocumentId) -> Result<Document> {
        let by = by.clone();
        self.db
            .write(move |c| {
                let (number, document) = get(c, by.caller.reader(), id)?;
                if !document.status.is_open() {
                    return Err(Error::conflict("Nothing is under way that could be stopped."));
                }
                let version = i64::from(document.version);
                chunks::remove(c, number, version + 1..=i64::MAX)?;
                let (status, reason) = match version {
                    0 => (Status::Cancelled, None),
                    _ => (Status::Ready, Some("The last update was stopped: this is the content before it.")),
                };
                run(
                    c,
                    "UPDATE documents SET status = ?2, reason = ?3, progress = 0, updated_at = ?4, run = run + 1
                     WHERE number = ?1",
                    (number, status.as_str(), reason, by.now.millis()),
                )?;
                by.record(c, "document.cancel", json!({"id": id, "title": document.title}))?;
                whole(c, id)
            })
            .await
    }

    /// Gives one a new content; none means: fetch its source again. What it says now is found until the new is ready.
    /// Gives the hash of the file before, too.
    pub(in crate::store) async fn update(
        &self,
        by: &Actor,
        id: DocumentId,
        title: Option<String>,
        content: Option<Content>,
    ) -> Result<(Document, Option<String>)> {
        let by = by.clone();
        self.db
            .write(move |c| {
                let (number, document) = get(c, by.caller.reader(), id)?;
                if document.status == Status::Deleted {
                    return Err(Error::conflict("It is in the trash: restore it first."));
                }
                if let Some(title) = title {
                    run(c, "UPDATE documents SET title = ?2, titled = 1 WHERE number = ?1", (number, title))?;
                }
                match content {
                    Some(content) => put_content(c, number, &content)?,
                    None if matches!(document.source.kind, SourceKind::Url | SourceKind::Folder) => {
                        run(c, "UPDATE documents SET file = NULL WHERE number = ?1", [number])?;
                    }
                    None => {
                        return Err(Error::conflict(
                            "Send the new content: it came from nowhere it could be read again.",
                        ));
                    }
                }
                requeue(c, number, by.now.millis())?;
                by.record(c, "document.update", json!({"id": id, "title": document.title}))?;
                Ok((whole(c, id)?, document.sha256))
            })
            .await
    }
}
