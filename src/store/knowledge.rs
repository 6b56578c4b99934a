//! Knowledge as one handle: rows, files, and the workers' signals, so that what changes one changes the others.

use std::path::Path;

use super::{
    collections::Collections,
    db::Db,
    documents::{Documents, Keep, NewDocument, Replacement},
    files::{Files, Stored},
    folders::Folders,
    ingest::{Ingest, Worker},
    people::Actor,
};
use satchel_model::{
    error::Result,
    knowledge::{CollectionId, Document, DocumentId, Folder, FolderId},
};

/// The knowledge of one data directory. Cheap to clone.
#[derive(Clone)]
pub struct Knowledge {
    /// Who sees what.
    pub collections: Collections,
    /// What there is.
    pub documents: Documents,
    /// Folders whose files are documents.
    pub folders: Folders,
    /// The work on documents.
    pub ingest: Ingest,
    /// Their files.
    pub files: Files,
}

impl Knowledge {
    /// The knowledge of this data directory.
    pub fn new(db: &Db, data_dir: &Path) -> Self {
        Self {
            collections: Collections::new(db),
            documents: Documents::new(db),
            folders: Folders::new(db),
            ingest: Ingest::new(db),
            files: Files::new(data_dir),
        }
    }

    /// Takes a document in, with its file where it has one already.
    pub async fn add(&self, by: &Actor, new: NewDocument, stored: Option<Stored>) -> Result<Document> {
        let added = self.documents.add(by, new).await;
        // From here on a row names the file, or nobody does.
        let kept = stored.map(|stored| stored.hash.clone());
        if added.is_err() {
            self.forget_files(kept).await?;
        }
        self.ingest.wake(Worker::Reader);
        added
    }

    /// Gives a document a new content; none means: fetch its source again.
    pub async fn update(
        &self,
        by: &Actor,
        id: DocumentId,
        title: Option<String>,
        content: Option<(Replacement, Stored)>,
    ) -> Result<Document> {
        let (content, stored) = content.unzip();
        let updated = self.documents.update(by, id, title, content).await;
        let kept = stored.map(|stored| stored.hash.clone());
        let (document, before) = match updated {
            Ok(updated) => updated,
            Err(error) => {
                self.forget_files(kept).await?;
                return Err(error);
            }
        };
        self.ingest.interrupt(id);
        self.ingest.wake(Worker::Reader);
        self.forget_files(before).await?;
        Ok(document)
    }

    /// Deletes a document; see [`Keep`].
    pub async fn delete(&self, by: &Actor, id: DocumentId, keep: Keep) -> Result<()> {
        let file = self.documents.delete(by, id, keep).await?;
        self.ingest.interrupt(id);
        self.forget_files(file).await
    }

    /// Stops the work on a document.
    pub async fn cancel(&self, by: &Actor, id: DocumentId) -> Result<Document> {
        let document = self.documents.cancel(by, id).await?;
        self.ingest.interrupt(id);
        Ok(document)
    }

    /// Tries a document again that failed or was stopped.
    pub async fn retry(&self, by: &Actor, id: DocumentId) -> Result<Document> {
        let document = self.documents.retry(by, id).await?;
        self.ingest.wake(Worker::Reader);
        Ok(document)
    }

    /// Takes a document out of the trash.
    pub async fn restore(&self, by: &Actor, id: DocumentId) -> Result<Document> {
        let document = self.documents.restore(by, id).await?;
        self.ingest.wake(Worker::Reader);
        Ok(document)
    }

    /// Adds a folder; its files follow as soon as somebody has looked.
    pub async fn add_folder(
        &self,
        by: &Actor,
        path: String,
        collection: Option<CollectionId>,
        watch: bool,
    ) -> Result<Folder> {
        let folder = self.folders.add(by, path, collection, watch).await?;
        self.ingest.wake(Worker::Folders);
        Ok(folder)
    }

    /// Removes a folder with its documents. The files in it are not touched.
    pub async fn delete_folder(&self, by: &Actor, id: FolderId) -> Result<()> {
        let files = self.folders.delete(by, id).await?;
        self.ingest.wake(Worker::Folders);
        self.forget_files(files).await
    }

    /// Removes a collection that holds nothing, and its trash.
    pub async fn delete_collection(&self, by: &Actor, id: CollectionId) -> Result<()> {
        let files = self.collections.delete(by, id).await?;
        self.forget_files(files).await
    }

    /// Removes files of the storage, unless rows still name them.
    pub async fn forget_files(&self, hashes: impl IntoIterator<Item = String>) -> Result<()> {
        for hash in hashes {
            self.files.remove_unless(&hash, || self.documents.uses_file(hash.clone())).await?;
        }
        Ok(())
    }
}
