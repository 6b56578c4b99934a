//! The core and extended properties of an office document.

use super::{
    package::Package,
    xml::{Node, Xml, local},
};
use crate::extracted::Draft;
use satchel_model::error::Result;

/// Elements of the properties and the names they get.
const NAMES: [(&str, &str); 14] = [
    ("creator", "author"),
    ("lastModifiedBy", "last_author"),
    ("created", "created"),
    ("modified", "modified"),
    ("subject", "subject"),
    ("keywords", "keywords"),
    ("description", "description"),
    ("category", "category"),
    ("language", "language"),
    ("Application", "application"),
    ("Company", "company"),
    ("Words", "words"),
    ("Pages", "pages"),
    ("Slides", "slides"),
];

/// Notes the properties of a document and its title.
pub(crate) fn read(package: &mut Package<'_>, draft: &mut Draft) -> Result<()> {
    let relations = package.relations("")?;
    let part = |kind: &str, usual: &str| {
        let found = relations.values().find(|relation| relation.kind == kind);
        found.map_or_else(|| usual.to_owned(), |relation| relation.target.clone())
    };
    let parts = [part("core-properties", "docProps/core.xml"), part("extended-properties", "docProps/app.xml")];
    for name in parts {
        let Some(text) = package.text(&name)? else { continue };
        let mut xml = Xml::new(&text);
        while let Some(node) = xml.next()? {
            let Node::Open(element) = node else { continue };
            let known = NAMES.iter().find(|(name, _)| *name == local(&element));
            let title = local(&element) == "title";
            if !title && known.is_none() {
                continue;
            }
            let value = xml.content()?;
            match known {
                None => draft.title(&value),
                Some((_, name @ ("words" | "pages" | "slides"))) => draft.note(name, value.trim().parse::<u32>().ok()),
                Some((_, name)) => draft.note(name, value.trim()),
            }
        }
    }
    Ok(())
}
