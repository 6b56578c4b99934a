//! A package: its parts by name.

use std::{
    collections::HashMap,
    io::{Cursor, Read},
};

use encoding_rs::Encoding;
use zip::{ZipArchive, result::ZipError};

use super::xml::{Node, Xml, attribute, local};
use satchel_model::error::{Error, Result};

/// Most parts of a package.
const MAX_PARTS: usize = 50_000;

/// Most bytes a part may unpack to.
const MAX_PART: usize = 32 << 20;

/// A package that was opened.
pub(crate) struct Package<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    /// Parts by their names in small letters.
    places: HashMap<String, usize>,
}

/// A part another part refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Relation {
    /// The last word of its type, for instance `worksheet`.
    pub(crate) kind: String,
    /// The part's name in the package.
    pub(crate) target: String,
}

/// The parts that a part refers to, by id.
pub(crate) type Relations = HashMap<String, Relation>;

impl<'a> Package<'a> {
    pub(crate) fn open(bytes: &'a [u8]) -> Result<Self> {
        let entries = bytes.windows(4).filter(|mark| mark == b"PK\x01\x02").take(MAX_PARTS + 1).count();
        if entries > MAX_PARTS {
            return Err(Error::invalid(format!("The document was refused: it has more than {MAX_PARTS} parts.")));
        }
        let archive = ZipArchive::new(Cursor::new(bytes)).map_err(damaged)?;
        let mut places = HashMap::with_capacity(archive.len());
        for (place, name) in archive.file_names().enumerate() {
            // The first of one name stands.
            places.entry(name.map_err(damaged)?.to_ascii_lowercase()).or_insert(place);
        }
        Ok(Self { archive, places })
    }

    /// The archive itself, to copy parts from.
    pub(crate) fn archive(&mut self) -> &mut ZipArchive<Cursor<&'a [u8]>> {
        &mut self.archive
    }

    /// A part's bytes; `None` if there is no such part.
    fn bytes(&mut self, name: &str) -> Result<Option<Vec<u8>>> {
        let found = self.archive.index_for_name(name).or_else(|| self.places.get(&name.to_ascii_lowercase()).copied());
        let Some(index) = found else { return Ok(None) };
        let mut bytes = Vec::new();
        let part = self.archive.by_index(index).map_err(damaged)?;
        part.take(MAX_PART as u64 + 1).read_to_end(&mut bytes).map_err(|e| damaged(e.into()))?;
        if bytes.len() <= MAX_PART {
            return Ok(Some(bytes));
        }
        Err(Error::invalid(format!(
            "The document was refused: a part of it unpacks to more than {} MB, as only damaged or hostile files do.",
            MAX_PART >> 20
        )))
    }

    /// A part as text; `None` if there is no such part.
    pub(crate) fn text(&mut self, name: &str) -> Result<Option<String>> {
        let Some(bytes) = self.bytes(name)? else { return Ok(None) };
        let text = match Encoding::for_bom(&bytes) {
            Some((encoding, _)) => encoding.decode(&bytes).0.into_owned(),
            None => String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned()),
        };
        Ok(Some(text))
    }

    /// A part that must be there.
    pub(crate) fn needed(&mut self, name: &str) -> Result<String> {
        self.text(name)?
            .ok_or_else(|| Error::invalid(format!("The document is damaged: its part '{name}' is missing.")))
    }

    /// Returns the parts a part refers to; an empty name is the package itself.
    pub(crate) fn relations(&mut self, part: &str) -> Result<Relations> {
        let (folder, file) = part.rsplit_once('/').unwrap_or(("", part));
        let name = if folder.is_empty() { format!("_rels/{file}.rels") } else { format!("{folder}/_rels/{file}.rels") };
        let Some(text) = self.text(&name)? else { return Ok(Relations::new()) };
        let mut relations = Relations::new();
        let mut xml = Xml::new(&text);
        while let Some(node) = xml.next()? {
            let Node::Open(element) = node else { continue };
            let external = attribute(&element, "TargetMode").is_some_and(|mode| mode == "External");
            if local(&element) != "Relationship" || external {
                continue;
            }
            let (Some(id), Some(kind), Some(target)) =
                (attribute(&element, "Id"), attribute(&element, "Type"), attribute(&element, "Target"))
            else {
                continue;
            };
            let kind = kind.rsplit('/').next().unwrap_or_default().to_owned();
            relations.insert(id.into_owned(), Relation { kind, target: resolve(folder, &target) });
        }
        Ok(relations)
    }

    /// The main part: what the package says its document is, else the name it usually has.
    pub(crate) fn main_part(&mut self, usual: &str) -> Result<String> {
        let relations = self.relations("")?;
        let main = relations.into_values().find(|relation| relation.kind == "officeDocument");
        Ok(main.map_or_else(|| usual.to_owned(), |relation| relation.target))
    }
}

/// A target as seen from a folder; `..` never leads out of the package.
fn resolve(folder: &str, target: &str) -> String {
    let (base, target) = target.strip_prefix('/').map_or((folder, target), |absolute| ("", absolute));
    let mut names: Vec<&str> = base.split('/').filter(|name| !name.is_empty()).collect();
    for name in target.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()),
            name => names.push(name),
        }
    }
    names.join("/")
}

/// Returns the archive's error, in words a person can act on.
pub(crate) fn damaged(cause: ZipError) -> Error {
    let text = cause.to_string();
    let locked = text.to_ascii_lowercase().contains("password");
    let message = if locked {
        "The document is protected by a password. Save it without one and try again."
    } else {
        "The document is damaged or incomplete: its package cannot be unpacked. Save it anew, or fetch it again."
    };
    Error::invalid(message).caused_by(cause)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_resolved_within_the_package() {
        assert_eq!(resolve("word", "media/a.png"), "word/media/a.png");
        assert_eq!(resolve("xl/worksheets", "../sharedStrings.xml"), "xl/sharedStrings.xml");
        assert_eq!(resolve("xl", "/xl/a.xml"), "xl/a.xml");
        assert_eq!(resolve("", "../../../etc/passwd"), "etc/passwd");
    }
}
