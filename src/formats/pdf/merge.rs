//! Several PDFs as one: the pages of the first, then of the second, each with everything it needs.

use std::collections::{HashMap, HashSet};

use hayro_syntax::{
    Pdf,
    metadata::Metadata,
    object::{Dict, MaybeRef, Name, Object, ObjectIdentifier},
    xref::XRef,
};
use pdf_writer::{Name as Key, Null, Obj, Ref, Settings, Str};

use super::file;
use satchel_model::error::{Error, Result};

/// Entries of an outline's first level that are taken.
const MAX_ENTRIES: usize = 10_000;

/// Deepest nodes over a page that are asked for what it inherits.
const MAX_DEPTH: usize = 64;

/// The entries a page may have from the nodes above it.
const INHERITED: [&str; 4] = ["Resources", "MediaBox", "CropBox", "Rotate"];

/// Returns the pages of all files in their order, and how many there are. The first file's information is kept.
///
/// # Errors
///
/// If one of them cannot be read, or has no pages.
pub(crate) fn merge(files: Vec<Vec<u8>>) -> Result<(Vec<u8>, usize)> {
    let mut out = Out::new(files.iter().map(Vec::len).sum());
    for (number, bytes) in (1..).zip(files) {
        let added = file::open(bytes).and_then(|file| out.add(&file));
        added.map_err(|e| if number > 1 { Error::invalid(format!("File {number}: {}", e.message())) } else { e })?;
    }
    Ok(out.finish())
}

/// The document that is being put together.
struct Out {
    pdf: pdf_writer::Pdf,
    /// The number of the next object.
    next: Ref,
    tree: Ref,
    outline: Ref,
    kids: Vec<Ref>,
    /// Entries of the outlines' first level.
    entries: Vec<Ref>,
    /// The number that the next one of them gets.
    entry: Ref,
}

impl Out {
    fn new(size: usize) -> Self {
        let mut next = Ref::new(1);
        Self {
            // Room for all of it: growing would take twice the memory.
            pdf: pdf_writer::Pdf::with_settings_and_capacity(Settings { pretty: false }, size + size / 4),
            tree: next.bump(),
            outline: next.bump(),
            entry: next.bump(),
            next,
            kids: Vec::new(),
            entries: Vec::new(),
        }
    }

    fn add(&mut self, file: &Pdf) -> Result<()> {
        if file.pages().is_empty() {
            return Err(Error::invalid("The PDF has no pages."));
        }
        let mut copy = Copy { next: self.next, names: HashMap::new(), pending: Vec::new() };
        let is_first = self.kids.is_empty();
        self.pages(file, &mut copy);
        self.outline(file.xref(), &mut copy);
        while let Some((old, id)) = copy.pending.pop() {
            match file.xref().get::<Object<'_>>(old) {
                Some(Object::Stream(stream)) => {
                    let data = stream.raw_data();
                    copy.entries(&mut self.pdf.stream(id, &data), stream.dict(), &["Length"]);
                }
                Some(object) => copy.object(self.pdf.indirect(id), &object),
                None => self.pdf.indirect(id).primitive(Null),
            }
        }
        self.next = copy.next;
        if is_first {
            let id = self.next.bump();
            information(file.metadata(), &mut self.pdf.document_info(id));
        }
        Ok(())
    }

    fn pages(&mut self, file: &Pdf, copy: &mut Copy) {
        let first = self.kids.len();
        for page in file.pages().iter() {
            let id = copy.next.bump();
            self.kids.push(id);
            if let Some(old) = page.raw().obj_id() {
                copy.names.insert(old, id);
            }
        }
        let mut nodes = Nodes { xref: file.xref(), known: HashMap::new() };
        for (page, id) in file.pages().iter().zip(self.kids.iter().skip(first)) {
            let mut to = self.pdf.indirect(*id).dict();
            to.pair(Key(b"Type"), Key(b"Page")).pair(Key(b"Parent"), self.tree);
            copy.entries(&mut to, page.raw(), &["Type", "Parent"]);
            for key in INHERITED.into_iter().filter(|key| !page.raw().contains_key(key)) {
                if let Some(value) = nodes.inherited(page.raw(), key) {
                    copy.value(to.insert(Key(key.as_bytes())), value);
                }
            }
        }
    }

    /// Adds a file's outline to that of all.
    fn outline(&mut self, xref: &XRef, copy: &mut Copy) {
        let old = entries(xref, &copy.names);
        let mut new = Vec::with_capacity(old.len());
        for id in &old {
            new.push(self.entry);
            copy.names.insert(*id, self.entry);
            self.entry = copy.next.bump();
        }
        let next = new.iter().skip(1).copied().chain([self.entry]);
        for ((old, id), next) in old.iter().zip(&new).zip(next) {
            let mut to = self.pdf.indirect(*id).dict();
            to.pair(Key(b"Parent"), self.outline).pair(Key(b"Next"), next);
            if let Some(before) = self.entries.last() {
                to.pair(Key(b"Prev"), *before);
            }
            let entry = xref.get::<Dict<'_>>(*old).unwrap_or_default();
            copy.entries(&mut to, &entry, &["Parent", "Next", "Prev"]);
            self.entries.push(*id);
        }
    }

    fn finish(mut self) -> (Vec<u8>, usize) {
        let count = self.kids.len();
        self.pdf.pages(self.tree).kids(self.kids).count(i32::try_from(count).unwrap_or(i32::MAX));
        let mut catalog = self.pdf.catalog(self.next);
        catalog.pages(self.tree);
        let ends = self.entries.first().zip(self.entries.last());
        if ends.is_some() {
            catalog.outlines(self.outline);
        }
        drop(catalog);
        if let Some((first, last)) = ends {
            let entries = i32::try_from(self.entries.len()).unwrap_or(i32::MAX);
            self.pdf.outline(self.outline).first(*first).last(*last).count(entries);
            // The last entry names a next one, which there is not.
            self.pdf.indirect(self.entry).primitive(Null);
        }
        (self.pdf.finish(), count)
    }
}

/// One file while its objects are copied.
struct Copy {
    /// The number of the next object.
    next: Ref,
    /// New numbers by old ones.
    names: HashMap<ObjectIdentifier, Ref>,
    /// Objects that are referred to and not copied yet.
    pending: Vec<(ObjectIdentifier, Ref)>,
}

impl Copy {
    /// Copies the entries of a dictionary but some.
    fn entries(&mut self, to: &mut pdf_writer::Dict<'_>, from: &Dict<'_>, but: &[&str]) {
        // The old tree of pages stays behind, with all that hangs on it.
        if from.get::<Name<'_>>("Type").as_deref() == Some(b"Pages") {
            return;
        }
        for (key, value) in from.entries() {
            if !but.contains(&key.as_str()) {
                self.value(to.insert(Key(&key)), value);
            }
        }
    }

    fn value(&mut self, to: Obj<'_>, value: MaybeRef<Object<'_>>) {
        match value {
            MaybeRef::Ref(old) => to.primitive(self.reference(old.into())),
            MaybeRef::NotRef(object) => self.object(to, &object),
        }
    }

    fn object(&mut self, to: Obj<'_>, object: &Object<'_>) {
        match object {
            Object::Boolean(value) => to.primitive(*value),
            Object::Number(number) => match i32::try_from(number.as_i64()) {
                Ok(whole) if f64::from(whole) == number.as_f64() => to.primitive(whole),
                _ => to.primitive(number.as_f32()),
            },
            Object::String(text) => to.primitive(Str(text)),
            Object::Name(name) => to.primitive(Key(name)),
            Object::Array(items) => {
                let mut to = to.array();
                items.raw_iter().for_each(|item| self.value(to.push(), item));
            }
            Object::Dict(entries) => self.entries(&mut to.dict(), entries, &[]),
            // A stream is always an object of its own.
            Object::Null(_) | Object::Stream(_) => to.primitive(Null),
        }
    }

    fn reference(&mut self, old: ObjectIdentifier) -> Ref {
        *self.names.entry(old).or_insert_with(|| {
            let new = self.next.bump();
            self.pending.push((old, new));
            new
        })
    }
}

/// The nodes of a file's tree of pages.
struct Nodes<'a> {
    xref: &'a XRef,
    /// Those that were asked before: one has thousands of pages, and reading it again for each would be felt.
    known: HashMap<ObjectIdentifier, Dict<'a>>,
}

impl<'a> Nodes<'a> {
    /// Returns the value a page has from above.
    fn inherited(&mut self, page: &Dict<'a>, key: &str) -> Option<MaybeRef<Object<'a>>> {
        let mut node = page.clone();
        for _ in 0..MAX_DEPTH {
            let parent = ObjectIdentifier::from(node.get_ref("Parent")?);
            node = self.known.entry(parent).or_insert_with(|| self.xref.get(parent).unwrap_or_default()).clone();
            if let Some(value) = node.get_raw(key) {
                return Some(value);
            }
        }
        None
    }
}

/// The entries of a file's outline, those of the first level.
fn entries(xref: &XRef, copied: &HashMap<ObjectIdentifier, Ref>) -> Vec<ObjectIdentifier> {
    let catalog = xref.get::<Dict<'_>>(xref.root_id()).unwrap_or_default();
    let mut next = catalog.get::<Dict<'_>>("Outlines").and_then(|outline| outline.get_ref("First"));
    let (mut entries, mut seen) = (Vec::new(), HashSet::new());
    while let Some(id) = next.map(ObjectIdentifier::from) {
        if entries.len() >= MAX_ENTRIES || copied.contains_key(&id) || !seen.insert(id) {
            break;
        }
        entries.push(id);
        next = xref.get::<Dict<'_>>(id).and_then(|entry| entry.get_ref("Next"));
    }
    entries
}

/// Copies what a document says about itself.
fn information(from: &Metadata, to: &mut pdf_writer::Dict<'_>) {
    for (key, value) in [
        ("Title", &from.title),
        ("Author", &from.author),
        ("Subject", &from.subject),
        ("Keywords", &from.keywords),
        ("Creator", &from.creator),
        ("Producer", &from.producer),
    ] {
        if let Some(value) = value {
            to.pair(Key(key.as_bytes()), Str(value));
        }
    }
    for (key, at) in [("CreationDate", from.creation_date), ("ModDate", from.modification_date)] {
        if let Some(at) = at {
            let date = pdf_writer::Date::new(at.year).month(at.month).day(at.day).hour(at.hour).minute(at.minute);
            let date = date.second(at.second).utc_offset_hour(at.utc_offset_hour);
            to.pair(Key(key.as_bytes()), date.utc_offset_minute(at.utc_offset_minute));
        }
    }
}
