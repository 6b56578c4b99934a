//! The pages of a PDF in their order, each with what it inherits.

use std::{collections::HashSet, rc::Rc};

use lopdf::{Dictionary, Object};

use super::file::File;
use satchel_model::error::Result;

/// The entries a page may have from the nodes above it.
const INHERITED: [&[u8]; 4] = [b"Resources", b"MediaBox", b"CropBox", b"Rotate"];

/// Deepest nodes in nodes.
const MAX_DEPTH: usize = 64;

/// A page.
pub(crate) struct Page {
    /// Its object's number, where it has one.
    pub(crate) id: Option<u32>,
    /// Its own dictionary.
    pub(crate) dictionary: Dictionary,
    /// The entries it has from above.
    pub(crate) inherited: Rc<Dictionary>,
}

impl Page {
    /// Returns the value under a key of the page, or above it.
    pub(crate) fn attribute(&self, key: &[u8]) -> Option<&Object> {
        self.dictionary.get(key).or_else(|_| self.inherited.get(key)).ok()
    }
}

/// All pages. Loops and nodes that stand twice are passed over.
pub(crate) fn all(file: &mut File<'_>) -> Result<Vec<Page>> {
    let root = file.catalog()?.get(b"Pages").cloned().unwrap_or(Object::Null);
    let mut pending = vec![(root, Rc::new(Dictionary::new()), 0)];
    let (mut seen, mut pages) = (HashSet::new(), Vec::new());
    while let Some((node, inherited, depth)) = pending.pop() {
        let id = node.as_reference().ok().map(|(id, _)| id);
        if depth > MAX_DEPTH || id.is_some_and(|id| !seen.insert(id)) {
            continue;
        }
        let node = file.resolve(&node)?;
        let Ok(dictionary) = node.as_dict() else { continue };
        let kids = file.value(dictionary, b"Kids")?;
        let Ok(kids) = kids.as_array() else {
            file.budget.page(pages.len())?;
            pages.push(Page { id, dictionary: dictionary.clone(), inherited });
            continue;
        };
        let mut below = inherited;
        for key in INHERITED {
            if let Ok(value) = dictionary.get(key) {
                Rc::make_mut(&mut below).set(key, value.clone());
            }
        }
        pending.extend(kids.iter().rev().map(|kid| (kid.clone(), Rc::clone(&below), depth + 1)));
    }
    Ok(pages)
}
