//! The paragraph styles that are headings or lists, following what they are based on.

use std::collections::HashMap;

use crate::office::xml::{Node, Xml, attribute, local};
use satchel_model::error::Result;

/// A paragraph style, as far as text is concerned.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Style {
    heading: Option<u8>,
    list: bool,
    based_on: Option<String>,
}

/// The styles of a document, by id.
#[derive(Debug, Default)]
pub(super) struct Styles(HashMap<String, Style>);

/// Styles based on styles that are followed.
const MAX_STEPS: usize = 20;

impl Styles {
    pub(super) fn read(text: &str) -> Result<Self> {
        let mut styles = HashMap::new();
        let mut current: Option<(String, Style)> = None;
        let mut xml = Xml::new(text);
        while let Some(node) = xml.next()? {
            match node {
                Node::Open(element) => {
                    let value = |name| attribute(&element, name).map(|value| value.into_owned());
                    match (local(&element), &mut current) {
                        ("style", _) => current = value("styleId").map(|id| (id, Style::default())),
                        ("name", Some((_, style))) => {
                            style.heading = style.heading.or(value("val").and_then(|name| by_name(&name)));
                        }
                        ("basedOn", Some((_, style))) => style.based_on = value("val"),
                        ("outlineLvl", Some((_, style))) => {
                            style.heading = value("val").and_then(|level| outline(&level))
                        }
                        ("numPr", Some((_, style))) => style.list = true,
                        _ => {}
                    }
                }
                Node::Close(name) if name == "style" => styles.extend(current.take()),
                _ => {}
            }
        }
        Ok(Self(styles))
    }

    /// The level of a heading's style.
    pub(super) fn heading(&self, id: &str) -> Option<u8> {
        self.line(id).find_map(|style| style.heading)
    }

    /// Returns whether paragraphs of the style are entries of a list.
    pub(super) fn is_list(&self, id: &str) -> bool {
        self.line(id).any(|style| style.list)
    }

    fn line<'a>(&'a self, id: &str) -> impl Iterator<Item = &'a Style> {
        let next = |style: &&'a Style| style.based_on.as_ref().and_then(|id| self.0.get(id));
        std::iter::successors(self.0.get(id), next).take(MAX_STEPS)
    }
}

/// The names Word gives its headings, in every language.
fn by_name(name: &str) -> Option<u8> {
    let name = name.to_ascii_lowercase();
    if name == "title" {
        return Some(1);
    }
    name.strip_prefix("heading ")?.parse().ok().filter(|level| (1..=9).contains(level)).map(|level: u8| level.min(6))
}

/// An outline level: 0 is the highest, 9 running text.
pub(super) fn outline(level: &str) -> Option<u8> {
    level.parse::<u8>().ok().filter(|level| *level < 9).map(|level| (level + 1).min(6))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_inherit_and_loops_end() {
        let text = r#"<w:styles><w:style w:styleId="berschrift2"><w:name w:val="heading 2"/></w:style>
            <w:style w:styleId="Mine"><w:name w:val="Mine"/><w:basedOn w:val="berschrift2"/></w:style>
            <w:style w:styleId="Deep"><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style>
            <w:style w:styleId="A"><w:basedOn w:val="B"/></w:style><w:style w:styleId="B"><w:basedOn w:val="A"/></w:style>
            <w:style w:styleId="Item"><w:pPr><w:numPr/></w:pPr></w:style></w:styles>"#;
        let styles = Styles::read(text).unwrap();
        let headings = ["berschrift2", "Mine", "Deep", "A", "None"].map(|id| styles.heading(id));
        assert_eq!(headings, [Some(2), Some(2), Some(1), None, None]);
        assert!(styles.is_list("Item") && !styles.is_list("A"));
    }
}
