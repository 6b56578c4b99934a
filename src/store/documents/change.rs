//! Changes of documents by people: taken in, deleted and restored, tried again, stopped, given a new content.

use serde_json::json;

use super::{
    Documents, NewDocument, Replacement,
    rows::{discard, get, insert, put_content, requeue, whole},
};
use crate::{
    chunks, collections, origin,
    people::Actor,
    purge::{self, Purged},
    sent,
    sql::Tx,
};
use satchel_model::{
    error::{Error, Result},
    knowledge::{Document, DocumentId, SourceKind, Status},
    origin::Origin,
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
    pub(crate) async fn add(&self, by: &Actor, new: NewDocument) -> Result<Document> {
        let by = by.clone();
        self.db
            .write(move |tx| {
                let collection = collections::number(tx, by.caller.reader(), new.collection)?;
                if let Some(before) = sent::before(tx, collection, &new)? {
                    let known = whole(tx, before)?;
                    if matches!(known.status, Status::Failed | Status::Cancelled) {
                        let number = get(tx, by.caller.reader(), before)?.0;
                        requeue(tx, number, by.now.millis())?;
                        by.record(tx, "document.retry", json!({"id": before, "title": open_title(tx, &known)?}))?;
                    }
                    return whole(tx, before);
                }
                let (number, id) = insert(tx, Some(by.caller.user), by.now, (collection, &new))?;
                note_writer(tx, number, &by, true)?;
                let document = whole(tx, id)?;
                let details = json!({"id": id, "title": open_title(tx, &document)?, "source": new.source});
                by.record(tx, "document.add", details)?;
                Ok(document)
            })
            .await
    }

    /// Puts one in the trash, or, from there, removes it for good. Found it is no more with the answer; its file stays as
    /// long as it is in the trash. Gives the hash of a file that may no longer be needed.
    pub async fn delete(&self, by: &Actor, id: DocumentId, keep: Keep) -> Result<Option<String>> {
        let by = by.clone();
        let files = self.db.purge(move |tx| {
            let (number, document) = get(tx, by.caller.reader(), id)?;
            by.record(tx, "document.delete", json!({"id": id, "title": open_title(tx, &document)?}))?;
            if keep == Keep::Nothing || document.status == Status::Deleted {
                return purge::documents(tx, "number = ?1", [number]);
            }
            discard(tx, number, by.now.millis())?;
            Ok(Purged::default())
        });
        Ok(files.await?.pop())
    }

    /// Takes one out of the trash: it is read again.
    pub(crate) async fn restore(&self, by: &Actor, id: DocumentId) -> Result<Document> {
        self.again(by, id, "restore", |status| match status {
            Status::Deleted => Ok(()),
            _ => Err("It is not in the trash."),
        })
        .await
    }

    /// Tries one again that failed or was stopped.
    pub(crate) async fn retry(&self, by: &Actor, id: DocumentId) -> Result<Document> {
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
            .write(move |tx| {
                let (number, document) = get(tx, by.caller.reader(), id)?;
                allow(document.status).map_err(Error::conflict)?;
                requeue(tx, number, by.now.millis())?;
                by.record(tx, &format!("document.{action}"), json!({"id": id, "title": open_title(tx, &document)?}))?;
                whole(tx, id)
            })
            .await
    }

    /// Stops the work on one at once. What it was found by before stays found.
    pub(crate) async fn cancel(&self, by: &Actor, id: DocumentId) -> Result<Document> {
        let by = by.clone();
        self.db
            .write(move |tx| {
                let (number, document) = get(tx, by.caller.reader(), id)?;
                if !document.status.is_open() {
                    return Err(Error::conflict("Nothing is under way that could be stopped."));
                }
                let version = i64::from(document.version);
                chunks::remove(tx, number, version + 1..=i64::MAX)?;
                let (status, reason) = match version {
                    0 => (Status::Cancelled, None),
                    _ => (Status::Ready, Some("The last update was stopped: this is the content before it.")),
                };
                tx.run(
                    "UPDATE documents SET status = ?2, reason = ?3, progress = 0, updated_at = ?4, run = run + 1,
                                          content_by = CASE WHEN version > 0 THEN NULL ELSE content_by END
                     WHERE number = ?1",
                    (number, status.as_str(), reason, by.now.millis()),
                )?;
                by.record(tx, "document.cancel", json!({"id": id, "title": open_title(tx, &document)?}))?;
                whole(tx, id)
            })
            .await
    }

    /// Gives one a new content; none means: fetch its source again. What it says now is found until the new is ready.
    /// Gives the hash of the file before, too.
    pub(crate) async fn update(
        &self,
        by: &Actor,
        id: DocumentId,
        title: Option<String>,
        content: Option<Replacement>,
    ) -> Result<(Document, Option<String>)> {
        let by = by.clone();
        self.db
            .write(move |tx| {
                let (number, document) = get(tx, by.caller.reader(), id)?;
                if document.status == Status::Deleted {
                    return Err(Error::conflict("It is in the trash: restore it first."));
                }
                let replaces_all = title.is_some() && content.is_some();
                note_writer(tx, number, &by, replaces_all)?;
                let who = by.caller.user.to_string();
                if let Some(title) = title {
                    let sql = "UPDATE documents SET title = ?2, titled = TRUE, title_by = ?3 WHERE number = ?1";
                    tx.run(sql, (number, title, &who))?;
                }
                match content {
                    Some(Replacement { source, uri, content }) => {
                        put_content(tx, number, &content)?;
                        tx.run("UPDATE documents SET content_by = ?2 WHERE number = ?1", (number, &who))?;
                        // A folder's file stays that: it is read again from there.
                        let sql = "UPDATE documents SET source = ?2, uri = ?3 WHERE number = ?1 AND source <> 'folder'";
                        tx.run(sql, (number, source.as_str(), uri))?;
                    }
                    None if matches!(document.source.kind, SourceKind::Url | SourceKind::Folder) => {
                        tx.run("UPDATE documents SET file = NULL WHERE number = ?1", [number])?;
                    }
                    None => {
                        return Err(Error::conflict(
                            "Send the new content: it came from nowhere it could be read again.",
                        ));
                    }
                }
                requeue(tx, number, by.now.millis())?;
                by.record(tx, "document.update", json!({"id": id, "title": open_title(tx, &document)?}))?;
                Ok((whole(tx, id)?, document.sha256))
            })
            .await
    }
}

/// Keeps in a document's origin that a program writes in it. What a person writes has none; the rest stays, unless all is
/// replaced.
fn note_writer(tx: &Tx, number: i64, by: &Actor, replaces_all: bool) -> Result<()> {
    let sql = "SELECT origin FROM documents WHERE number = ?1";
    let before = tx.first(sql, [number], origin::read)?.flatten();
    let origin = Origin::joined(before.filter(|_| !replaces_all), Origin::of_program(&by.caller, "api", by.now));
    tx.run("UPDATE documents SET origin = ?2 WHERE number = ?1", (number, origin::text(&origin))).map(drop)
}

/// The title for a row of the audit; none where not everybody sees the document: others read the audit.
fn open_title<'a>(tx: &Tx, document: &'a Document) -> Result<Option<&'a str>> {
    let sql = "SELECT 1 FROM collections WHERE id = ?1 AND NOT restricted";
    let is_open = tx.exists(sql, [document.collection.to_string()])?;
    Ok(is_open.then_some(document.title.as_str()))
}
