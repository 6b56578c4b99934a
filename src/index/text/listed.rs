//! The list of files that a Tantivy index keeps: what is not in it is not looked at where the index is checked for damage.

use std::path::PathBuf;

use tantivy::{
    Index,
    index::SegmentComponent::{Delete, FastFields, FieldNorms, Positions, Postings, Store, Terms},
};

use satchel_model::error::{Error, Result};

/// Returns a file of a segment in use that the index does not list among its own.
pub(super) fn unlisted(index: &Index) -> Result<Option<PathBuf>> {
    let listed = index.directory().list_managed_files();
    let segments = index.searchable_segment_metas().map_err(Error::internal)?;
    let needed = segments.iter().flat_map(|segment| {
        let deletes = segment.has_deletes().then_some(Delete);
        [Postings, Positions, Terms, Store, FastFields, FieldNorms]
            .into_iter()
            .chain(deletes)
            .map(|part| segment.relative_path(part))
    });
    let mut unlisted = needed.filter(|path| !listed.contains(path));
    Ok(unlisted.next())
}
