//! XML as a tree. Entities of a document's own are not expanded, so nothing in it can grow.

use std::borrow::Cow;

use quick_xml::{
    Reader,
    escape::resolve_html5_entity,
    events::{BytesStart, Event},
};
use serde_json::{Map, Value};

/// Most attributes of an element: each is compared with those before it.
pub const MAX_ATTRIBUTES: usize = 500;
/// Longest name of an entity, in bytes.
const MAX_ENTITY: usize = 32;

/// The most a document may hold.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Deepest elements in elements.
    pub depth: usize,
    /// Most elements and attributes.
    pub nodes: usize,
}

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

/// Returns the elements that stand outermost: one, if a document is well-formed.
///
/// # Errors
///
/// Why the text cannot be read, in a few words: elements that do not fit each other, none, or more than the limits.
pub fn parse(text: &str, limits: Limits) -> Result<Vec<Element>, String> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().expand_empty_elements = true;
    let (mut open, mut nodes) = (vec![Element::default()], 0);
    loop {
        let event = reader.read_event().map_err(|error| format!("{error}, at byte {}", reader.error_position()))?;
        match event {
            Event::Start(start) => {
                let element = element(&start)?;
                nodes += 1 + element.attributes.len();
                if nodes > limits.nodes {
                    return Err(format!("it has more than {} elements and attributes", limits.nodes));
                }
                if open.len() > limits.depth {
                    return Err(format!("it is nested deeper than {}", limits.depth));
                }
                open.push(element);
            }
            Event::End(_) => {
                let (done, parent) = (open.pop(), open.last_mut());
                let (Some(done), Some(parent)) = (done, parent) else {
                    return Err("an element ends that never began".to_owned());
                };
                parent.children.push(done);
            }
            Event::Text(text) => push(&mut open, &text),
            Event::CData(text) => push(&mut open, &text),
            Event::GeneralRef(name) => {
                let text = entity(&name);
                push(&mut open, &text.unwrap_or_else(|| format!("&{};", &*name).into()));
            }
            Event::Eof => break,
            _ => {}
        }
    }
    match open.pop() {
        Some(document) if open.is_empty() && !document.children.is_empty() => Ok(document.children),
        Some(_) if open.is_empty() => Err("it has no element".to_owned()),
        _ => Err("an element is not closed".to_owned()),
    }
}

fn push(open: &mut [Element], text: &str) {
    if let Some(element) = open.last_mut() {
        element.text.push_str(text);
    }
}

fn element(start: &BytesStart<'_>) -> Result<Element, String> {
    let name = start.name().as_ref().to_owned();
    let mut attributes = Vec::new();
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|error| error.to_string())?;
        if attributes.len() == MAX_ATTRIBUTES {
            return Err("an element has too many attributes".to_owned());
        }
        attributes.push((attribute.key.as_ref().to_owned(), unescape(&attribute.value)));
    }
    Ok(Element { name, attributes, ..Element::default() })
}

/// Returns a text with the characters that its references stand for; what stands for none stays.
pub fn unescape(text: &str) -> String {
    let (mut plain, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once('&') {
        plain.push_str(before);
        let end = after.char_indices().take(MAX_ENTITY).find(|(_, letter)| *letter == ';').map(|(end, _)| end);
        let read = end.and_then(|end| Some((entity(after.get(..end)?)?, after.get(end + 1..)?)));
        rest = match read {
            Some((meaning, next)) => {
                plain.push_str(&meaning);
                next
            }
            None => {
                plain.push('&');
                after
            }
        };
    }
    plain + rest
}

/// Returns the text a reference stands for, in XML or in HTML; `None` for one that a document defines itself.
fn entity(name: &str) -> Option<Cow<'static, str>> {
    let Some(code) = name.strip_prefix('#') else { return resolve_html5_entity(name).map(Cow::from) };
    let hexadecimal = code.strip_prefix(['x', 'X']).map(|code| u32::from_str_radix(code, 16));
    let character = char::from_u32(hexadecimal.unwrap_or_else(|| code.parse()).ok()?)?;
    Some(Cow::from(character.to_string()))
}
