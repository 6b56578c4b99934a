//! Several PDFs as one: the pages of the first, then of the second, each with everything it needs.

use std::collections::HashMap;

use lopdf::{Dictionary, Document, Object, ObjectId};

use super::{
    file::File,
    pages::{self, Page},
};
use crate::limits::{Budget, Limits};
use satchel_model::error::{Error, Result};

/// Entries of an outline's first level that are taken.
const MAX_ENTRIES: usize = 10_000;

/// The pages of all files in their order, and how many there are. The first file's information is kept.
pub(crate) fn merge(files: &[Vec<u8>], limits: &Limits) -> Result<(Vec<u8>, usize)> {
    let mut out = Out { document: Document::with_version("1.7"), kids: Vec::new(), outlines: Vec::new() };
    let root = out.document.new_object_id();
    for (number, bytes) in (1..).zip(files) {
        let added = out.add(bytes, root, limits);
        added.map_err(|e| if number > 1 { Error::invalid(format!("File {number}: {}", e.message())) } else { e })?;
    }
    let Out { mut document, kids, outlines } = out;
    let count = kids.len();
    let mut tree = Dictionary::new();
    tree.set("Type", "Pages");
    tree.set("Count", i64::try_from(count).unwrap_or(i64::MAX));
    tree.set("Kids", kids.into_iter().map(Object::Reference).collect::<Vec<_>>());
    document.objects.insert(root, Object::Dictionary(tree));
    let mut catalog = Dictionary::new();
    catalog.set("Type", "Catalog");
    catalog.set("Pages", root);
    if let Some(outlines) = chain(&mut document, &outlines) {
        catalog.set("Outlines", outlines);
    }
    let catalog = document.add_object(catalog);
    document.trailer.set("Root", catalog);
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).map_err(Error::internal)?;
    Ok((bytes, count))
}

/// The document that is being put together.
struct Out {
    document: Document,
    kids: Vec<ObjectId>,
    /// Entries of the outlines' first level.
    outlines: Vec<ObjectId>,
}

impl Out {
    fn add(&mut self, bytes: &[u8], root: ObjectId, limits: &Limits) -> Result<()> {
        let mut file = File::open(bytes, Budget::new(limits))?;
        let pages = pages::all(&mut file)?;
        if pages.is_empty() {
            return Err(Error::invalid("The PDF has no pages."));
        }
        let mut copy = Copy { names: HashMap::new(), pending: Vec::new(), pages: HashMap::new() };
        for page in &pages {
            let id = self.document.new_object_id();
            self.kids.push(id);
            if let Some(old) = page.id {
                copy.pages.insert(old, id);
            }
        }
        let first = self.kids.len() - pages.len();
        for (page, id) in pages.iter().zip(self.kids.iter().skip(first)) {
            let copied = copy.page(page, root, &mut self.document);
            self.document.objects.insert(*id, copied);
        }
        self.outlines.extend(outlines(&mut file, &mut copy, &mut self.document)?);
        if first == 0
            && let Ok(info) = file.trailer.get(b"Info")
        {
            let info = copy.object(info, &mut self.document);
            self.document.trailer.set("Info", info);
        }
        while let Some((old, new)) = copy.pending.pop() {
            let object = file.get(old)?;
            file.budget.object()?;
            let object = copy.object(&object, &mut self.document);
            self.document.objects.insert(new, object);
        }
        Ok(())
    }
}

/// One file while its objects are copied.
struct Copy {
    /// New numbers by old ones.
    names: HashMap<u32, ObjectId>,
    /// Objects that are referred to and not copied yet.
    pending: Vec<(u32, ObjectId)>,
    /// New numbers of pages.
    pages: HashMap<u32, ObjectId>,
}

impl Copy {
    fn page(&mut self, page: &Page, root: ObjectId, document: &mut Document) -> Object {
        let mut whole = (*page.inherited).clone();
        for (key, value) in &page.dictionary {
            whole.set(key.clone(), value.clone());
        }
        whole.remove(b"Parent");
        let mut copied = self.dictionary(&whole, document);
        copied.set("Type", "Page");
        copied.set("Parent", root);
        Object::Dictionary(copied)
    }

    fn object(&mut self, object: &Object, document: &mut Document) -> Object {
        match object {
            Object::Reference((id, _)) => Object::Reference(self.reference(*id, document)),
            Object::Array(items) => Object::Array(items.iter().map(|item| self.object(item, document)).collect()),
            Object::Dictionary(dictionary) => Object::Dictionary(self.dictionary(dictionary, document)),
            Object::Stream(stream) => {
                let mut stream = stream.clone();
                stream.dict = self.dictionary(&stream.dict, document);
                stream.dict.set("Length", i64::try_from(stream.content.len()).unwrap_or_default());
                Object::Stream(stream)
            }
            plain => plain.clone(),
        }
    }

    fn dictionary(&mut self, dictionary: &Dictionary, document: &mut Document) -> Dictionary {
        // The old tree of pages stays behind, with all that hangs on it.
        if dictionary.get(b"Type").and_then(Object::as_name).is_ok_and(|name| name == b"Pages") {
            return Dictionary::new();
        }
        dictionary.iter().map(|(key, value)| (key.clone(), self.object(value, document))).collect()
    }

    fn reference(&mut self, id: u32, document: &mut Document) -> ObjectId {
        if let Some(page) = self.pages.get(&id) {
            return *page;
        }
        if let Some(known) = self.names.get(&id) {
            return *known;
        }
        let new = document.new_object_id();
        self.names.insert(id, new);
        self.pending.push((id, new));
        new
    }
}

/// The new numbers of a file's outline entries of the first level.
fn outlines(file: &mut File<'_>, copy: &mut Copy, document: &mut Document) -> Result<Vec<ObjectId>> {
    let catalog = file.catalog()?;
    let outline = file.value(&catalog, b"Outlines")?;
    let mut next = outline.as_dict().ok().and_then(|outline| outline.get(b"First").cloned().ok());
    let (mut entries, mut seen) = (Vec::new(), Vec::new());
    while let Some(Object::Reference((id, _))) = next {
        if seen.len() >= MAX_ENTRIES || copy.names.contains_key(&id) {
            break;
        }
        seen.push(id);
        entries.push(copy.reference(id, document));
        let entry = file.get(id)?;
        next = entry.as_dict().ok().and_then(|entry| entry.get(b"Next").cloned().ok());
    }
    Ok(entries)
}

/// One outline of all entries.
fn chain(document: &mut Document, entries: &[ObjectId]) -> Option<ObjectId> {
    let (first, last) = (entries.first()?, entries.last()?);
    let mut outline = Dictionary::new();
    outline.set("Type", "Outlines");
    outline.set("First", *first);
    outline.set("Last", *last);
    outline.set("Count", i64::try_from(entries.len()).unwrap_or_default());
    let root = document.add_object(outline);
    for (at, entry) in entries.iter().enumerate() {
        let Some(Object::Dictionary(entry)) = document.objects.get_mut(entry) else { continue };
        entry.set("Parent", root);
        for (key, other) in [("Prev", at.checked_sub(1)), ("Next", Some(at + 1))] {
            match other.and_then(|other| entries.get(other)) {
                Some(other) => entry.set(key, *other),
                None => drop(entry.remove(key.as_bytes())),
            }
        }
    }
    Some(root)
}
