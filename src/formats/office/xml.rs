//! XML of a part, piece by piece: bounded depth, no entities of its own, nothing kept.

use std::borrow::Cow;

use quick_xml::{
    Reader, XmlVersion,
    events::{BytesStart, Event},
};

use satchel_model::error::{Error, Result};

/// Deepest elements in elements.
const MAX_DEPTH: usize = 256;

/// A piece of a part.
pub(crate) enum Node<'a> {
    /// An element begins. One without content ends at once.
    Open(BytesStart<'a>),
    /// An element ends: its name without prefix.
    Close(Cow<'a, str>),
    /// Text, references resolved.
    Text(Cow<'a, str>),
}

/// Reads one part.
pub(crate) struct Xml<'a> {
    reader: Reader<&'a [u8]>,
    depth: usize,
}

impl<'a> Xml<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let mut reader = Reader::from_str(text);
        reader.config_mut().expand_empty_elements = true;
        Self { reader, depth: 0 }
    }

    /// The next piece; none at the end.
    pub(crate) fn next(&mut self) -> Result<Option<Node<'a>>> {
        loop {
            let node = match self.reader.read_event().map_err(damaged)? {
                Event::Start(element) => {
                    self.depth += 1;
                    if self.depth > MAX_DEPTH {
                        return Err(Error::invalid(format!(
                            "The document was refused: its XML is nested more than {MAX_DEPTH} deep."
                        )));
                    }
                    Node::Open(element)
                }
                Event::End(end) => {
                    self.depth = self.depth.saturating_sub(1);
                    Node::Close(Cow::Owned(end.local_name().into_inner().to_owned()))
                }
                Event::Text(text) => Node::Text(Cow::Owned(text.xml10_content().into_owned())),
                Event::CData(text) => Node::Text(Cow::Owned(text.xml10_content().into_owned())),
                Event::GeneralRef(reference) => Node::Text(Cow::Owned(resolve(&reference)?.to_string())),
                Event::DocType(_) => return Err(entities()),
                Event::Eof if self.depth > 0 => return Err(cut_off()),
                Event::Eof => return Ok(None),
                _ => continue,
            };
            return Ok(Some(node));
        }
    }

    /// The text up to the end of the element that was opened last, elements in it left out.
    pub(crate) fn content(&mut self) -> Result<String> {
        let (mut text, mut open) = (String::new(), 1);
        while open > 0 {
            match self.next()? {
                Some(Node::Open(_)) => open += 1,
                Some(Node::Close(_)) => open -= 1,
                Some(Node::Text(piece)) if open == 1 => text.push_str(&piece),
                Some(Node::Text(_)) => {}
                None => return Err(cut_off()),
            }
        }
        Ok(text)
    }
}

/// An element's name without prefix.
pub(crate) fn local<'a>(element: &'a BytesStart<'_>) -> &'a str {
    let name = element.name().into_inner();
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

/// An attribute by its name without prefix.
pub(crate) fn attribute<'a>(element: &'a BytesStart<'_>, name: &str) -> Option<Cow<'a, str>> {
    let found = element.attributes().with_checks(false).flatten().find(|found| {
        let key = found.key.into_inner();
        key.rsplit_once(':').map_or(key, |(_, local)| local) == name
    })?;
    found.normalized_value(XmlVersion::Implicit1_0).ok()
}

/// The values of all attributes.
pub(crate) fn values<'a>(element: &'a BytesStart<'_>) -> impl Iterator<Item = Cow<'a, str>> {
    let attributes = element.attributes().with_checks(false).flatten().collect::<Vec<_>>();
    attributes.into_iter().filter_map(|found| found.normalized_value(XmlVersion::Implicit1_0).ok())
}

/// The character a reference stands for.
pub(crate) fn resolve(reference: &quick_xml::events::BytesRef<'_>) -> Result<char> {
    if let Some(c) = reference.resolve_char_ref().map_err(damaged)? {
        return Ok(c);
    }
    match reference.xml10_content().as_ref() {
        "amp" => Ok('&'),
        "lt" => Ok('<'),
        "gt" => Ok('>'),
        "quot" => Ok('"'),
        "apos" => Ok('\''),
        _ => Err(entities()),
    }
}

pub(super) fn entities() -> Error {
    Error::invalid("The document was refused: its XML defines entities, as only hostile files do.")
}

fn cut_off() -> Error {
    Error::invalid("The document is damaged or incomplete: its XML ends too early. Save it anew, or fetch it again.")
}

pub(super) fn damaged(cause: quick_xml::Error) -> Error {
    Error::invalid("The document is damaged: its XML is not well-formed. Save it anew, or fetch it again.")
        .caused_by(cause)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Result<String> {
        let mut xml = Xml::new(text);
        let mut out = String::new();
        while let Some(node) = xml.next()? {
            match node {
                Node::Open(element) => out.push_str(&format!("<{}>", local(&element))),
                Node::Close(name) => out.push_str(&format!("</{name}>")),
                Node::Text(text) => out.push_str(&text),
            }
        }
        Ok(out)
    }

    #[test]
    fn names_lose_their_prefix_and_references_are_resolved() {
        assert_eq!(all("<w:p><a:b/>x &amp; &#228;<![CDATA[<]]></w:p>").unwrap(), "<p><b></b>x & ä<</p>");
    }

    #[test]
    fn bombs_and_damage_are_refused() {
        let bomb = "<!DOCTYPE a [<!ENTITY b \"cc\"><!ENTITY c \"&b;&b;\">]><a>&c;</a>";
        assert!(all(bomb).unwrap_err().message().contains("entities"));
        assert!(all("<a>&c;</a>").unwrap_err().message().contains("entities"));
        assert!(all(&"<a>".repeat(1_000_000)).unwrap_err().message().contains("deep"));
        assert!(all("<a><b></b>").unwrap_err().message().contains("too early"));
        assert!(all("<a></b>").unwrap_err().message().contains("well-formed"));
    }
}
