//! Changes a DOCX: adds paragraphs at its end, or replaces a text wherever it stands.

use std::collections::BTreeSet;

use quick_xml::events::Event;

use super::{
    replace::{self, Blanks, Wanted},
    write::paragraph,
};
use crate::office::{
    package::Package,
    rewrite::{Changes, rewrite},
    splice::{Edit, Places, splice},
};
use satchel_model::error::{Error, Result};

/// Parts that hold text beside the main one.
const PARTS: [&str; 5] = ["header", "footer", "footnotes", "endnotes", "comments"];

/// Adds paragraphs behind the last one.
pub(crate) fn append(bytes: &[u8], paragraphs: &[String]) -> Result<Vec<u8>> {
    let mut package = Package::open(bytes)?;
    let main = package.main_part("word/document.xml")?;
    let text = package.needed(&main)?;
    let (at, prefix) = end_of_body(&text)?;
    let added: String = paragraphs.iter().map(|text| paragraph(&prefix, text)).collect();
    let text = splice(&text, vec![Edit { range: at..at, text: added }]);
    rewrite(&mut package, &Changes::from([(main, Some(text.into_bytes()))]))
}

/// Returns where the next paragraph belongs: before the last section's page settings, which end the body. With it the
/// prefix the part has for its elements.
fn end_of_body(text: &str) -> Result<(usize, String)> {
    let mut places = Places::new(text);
    let (mut depth, mut body, mut settings) = (0_usize, None, None);
    while let Some((event, range)) = places.next()? {
        match event {
            Event::Start(ref element) | Event::Empty(ref element) => {
                let name = element.name().into_inner();
                let (prefix, local) = name.rsplit_once(':').map_or(("", name), |(prefix, local)| (prefix, local));
                match (local, &body) {
                    ("body", None) => body = Some((depth + 1, prefix.to_owned())),
                    (_, Some((inside, _))) if *inside == depth => {
                        settings = (local == "sectPr").then_some(range.start);
                    }
                    _ => {}
                }
                depth += usize::from(matches!(event, Event::Start(_)));
            }
            Event::End(_) => {
                depth = depth.saturating_sub(1);
                if let Some((_, prefix)) = body.take_if(|(inside, _)| depth + 1 == *inside) {
                    let prefix = if prefix.is_empty() { prefix } else { format!("{prefix}:") };
                    return Ok((settings.unwrap_or(range.start), prefix));
                }
            }
            _ => {}
        }
    }
    Err(Error::invalid("The document is damaged: its text has no body."))
}

/// A document with a text replaced, and how often it stood there.
#[derive(Debug)]
pub(crate) struct Replaced {
    pub(crate) bytes: Vec<u8>,
    pub(crate) count: usize,
}

/// Replaces a text in the body, headers, footers and notes. The new text looks as the old one's beginning did.
pub(crate) fn replace_all(bytes: &[u8], old: &str, new: &str) -> Result<Replaced> {
    if old.is_empty() {
        return Err(Error::invalid("`old_text` is empty: name the text to replace."));
    }
    let mut package = Package::open(bytes)?;
    let main = package.main_part("word/document.xml")?;
    let relations = package.relations(&main)?;
    let beside = relations.values().filter(|relation| PARTS.contains(&relation.kind.as_str()));
    let parts: BTreeSet<String> = beside.map(|relation| relation.target.clone()).chain([main]).collect();
    let mut texts = Vec::new();
    for part in parts {
        texts.extend(package.text(&part)?.map(|text| (part, text)));
    }
    for blanks in [Blanks::Exact, Blanks::AsRead] {
        let (mut changes, mut count) = (Changes::new(), 0);
        for (part, text) in &texts {
            let (edits, found) = replace::edits(text, Wanted { old, new, blanks })?;
            count += found;
            if !edits.is_empty() {
                changes.insert(part.clone(), Some(splice(text, edits).into_bytes()));
            }
        }
        if count > 0 {
            return Ok(Replaced { bytes: rewrite(&mut package, &changes)?, count });
        }
    }
    Err(Error::invalid(
        "`old_text` does not occur in the document, at least not within one paragraph. Read the document and quote it exactly.",
    ))
}
