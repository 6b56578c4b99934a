//! XML as a tree, and as the JSON that is easiest to read: attributes as `@name`, text as itself, equal neighbours as a
//! list. Entities of a document's own are not expanded, so nothing in it can grow.

use quick_xml::{
    Reader,
    escape::{resolve_predefined_entity, resolve_xml_entity},
    events::{BytesStart, Event},
};
use serde_json::{Map, Value};

use crate::model::error::{Error, Result};

/// Deepest nesting.
const MAX_DEPTH: usize = 128;
/// Most elements.
const MAX_ELEMENTS: usize = 500_000;
/// Most attributes of an element: each is compared with those before it.
const MAX_ATTRIBUTES: usize = 500;

/// An element.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Element {
    /// Its name with the prefix as written.
    pub name: String,
    /// Its attributes in order, prefixes as written.
    pub attributes: Vec<(String, String)>,
    /// The elements in it.
    pub children: Vec<Element>,
    /// The text in it, without that of its children.
    pub text: String,
}

impl Element {
    /// The name without its prefix.
    pub fn local(&self) -> &str {
        local(&self.name)
    }

    /// An attribute by its name without prefix.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(key, _)| local(key) == name && !key.starts_with("xmlns"));
        found.map(|(_, value)| value.as_str())
    }

    /// The elements in it with this name, whatever their prefix.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Self> {
        self.children.iter().filter(move |child| child.local() == name)
    }

    /// The first of them.
    pub fn first(&self, name: &str) -> Option<&Self> {
        self.children.iter().find(|child| child.local() == name)
    }

    /// It as JSON, without its own name.
    pub fn to_json(&self) -> Value {
        let text = self.text.trim();
        let attributes = self.attributes.iter().filter(|(name, _)| name != "xmlns" && !name.starts_with("xmlns:"));
        let mut map: Map<String, Value> =
            attributes.map(|(name, value)| (format!("@{}", local(name)), Value::from(value.as_str()))).collect();
        for child in &self.children {
            let value = child.to_json();
            match map.get_mut(child.local()) {
                None => drop(map.insert(child.local().to_owned(), value)),
                // A list of ours: an element never becomes an array by itself.
                Some(Value::Array(list)) => list.push(value),
                Some(one) => *one = Value::Array(vec![one.take(), value]),
            }
        }
        match (map.is_empty(), text.is_empty()) {
            (true, true) => Value::Null,
            (true, false) => Value::from(text),
            (false, true) => Value::Object(map),
            (false, false) => {
                map.insert("#text".to_owned(), Value::from(text));
                Value::Object(map)
            }
        }
    }
}

/// A name without its prefix.
pub fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

/// A document as JSON: one key, its outermost element.
pub fn to_json(text: &str) -> Result<Value> {
    let root = parse(text)?;
    Ok(Value::Object(Map::from_iter([(root.local().to_owned(), root.to_json())])))
}

/// A document's outermost element. Fails where it is not well-formed, too deep or too large.
pub fn parse(text: &str) -> Result<Element> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().expand_empty_elements = true;
    let (mut open, mut count) = (vec![Element::default()], 0_usize);
    loop {
        match reader.read_event().map_err(|error| wrong(&error.to_string()))? {
            Event::Start(start) => {
                count += 1;
                if open.len() > MAX_DEPTH || count > MAX_ELEMENTS {
                    return Err(wrong("it is nested too deep or has too many elements"));
                }
                open.push(element(&start)?);
            }
            Event::End(_) => {
                let done = open.pop().ok_or_else(|| wrong("an element ends that never began"))?;
                let parent = open.last_mut().ok_or_else(|| wrong("an element ends that never began"))?;
                parent.children.push(done);
            }
            Event::Text(text) => push(&mut open, &text),
            Event::CData(text) => push(&mut open, &text),
            Event::GeneralRef(name) => push(&mut open, &entity(&name)),
            Event::Eof => break,
            _ => {}
        }
    }
    match open.as_mut_slice() {
        [document] => document.children.pop().ok_or_else(|| wrong("it has no element")),
        _ => Err(wrong("an element never ends")),
    }
}

fn push(open: &mut [Element], text: &str) {
    if let Some(element) = open.last_mut() {
        element.text.push_str(text);
    }
}

/// What a reference stands for; one that the document defines itself stays as it is.
fn entity(name: &str) -> String {
    let number = name.strip_prefix('#').and_then(|number| match number.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => number.parse().ok(),
    });
    let character = number.and_then(char::from_u32).map(String::from);
    character.or_else(|| resolve_predefined_entity(name).map(str::to_owned)).unwrap_or_else(|| format!("&{name};"))
}

fn element(start: &BytesStart<'_>) -> Result<Element> {
    let name = start.name().as_ref().to_owned();
    let mut attributes = Vec::new();
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|error| wrong(&error.to_string()))?;
        if attributes.len() == MAX_ATTRIBUTES {
            return Err(wrong("an element has too many attributes"));
        }
        let key = attribute.key.as_ref().to_owned();
        let raw = attribute.value.into_owned();
        let value = quick_xml::escape::unescape_with(&raw, resolve_xml_entity).map(|text| text.into_owned());
        attributes.push((key, value.unwrap_or(raw)));
    }
    Ok(Element { name, attributes, ..Element::default() })
}

fn wrong(what: &str) -> Error {
    Error::invalid(format!("This is not XML that can be read: {what}."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_element_has_a_bounded_number_of_attributes() {
        let many = |number: usize| (0..number).map(|n| format!(" a{n}=\"\"")).collect::<String>();
        assert_eq!(parse(&format!("<a{}/>", many(MAX_ATTRIBUTES))).unwrap().attributes.len(), MAX_ATTRIBUTES);
        let error = parse(&format!("<a{}/>", many(400_000))).unwrap_err();
        assert!(error.message().contains("too many attributes"), "{error}");
    }

    #[test]
    fn elements_become_keys_and_equal_neighbours_a_list() {
        let text = r#"<?xml version="1.0"?><o:Order xmlns:o="urn:x" id="7"><item>a &amp; b</item><item qty="2">c</item>
            <note><![CDATA[<x>]]>&#33;</note><empty/></o:Order>"#;
        let wanted = json!({"Order": {
            "@id": "7", "item": ["a & b", {"@qty": "2", "#text": "c"}], "note": "<x>!", "empty": null,
        }});
        assert_eq!(to_json(text).unwrap(), wanted);
    }

    #[test]
    fn entities_of_a_document_are_not_expanded() {
        let bomb = r#"<!DOCTYPE a [<!ENTITY x "yyyyyyyyyy"><!ENTITY z "&x;&x;">]><a>&z;</a>"#;
        assert_eq!(to_json(bomb).unwrap(), json!({"a": "&z;"}));
    }

    #[test]
    fn what_is_broken_or_bottomless_is_refused() {
        for text in ["", "x", "<a>", "<a></b>", "<a><b></a>"] {
            assert!(to_json(text).is_err(), "{text}");
        }
        let deep = format!("{}{}", "<a>".repeat(200), "</a>".repeat(200));
        assert!(to_json(&deep).is_err());
    }
}
