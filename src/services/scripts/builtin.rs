//! The scripts inside the binary: the folder `scripts` of the source tree.

use include_dir::{Dir, include_dir};

use satchel_script::header;

static SCRIPTS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../scripts");

/// The one of this name.
pub fn shipped(name: &str) -> Option<&'static str> {
    texts().into_iter().find(|text| header::name_of(text).as_deref() == Some(name))
}

/// Their texts, in the order of their names.
pub(super) fn texts() -> Vec<&'static str> {
    let mut files: Vec<_> =
        SCRIPTS.files().filter(|file| file.path().extension().is_some_and(|e| e == "rhai")).collect();
    files.sort_by_key(|file| file.path());
    files.into_iter().filter_map(|file| file.contents_utf8()).collect()
}
