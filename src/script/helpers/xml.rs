//! XML as maps: feeds and answers of old services.

use quick_xml::{
    Reader,
    events::{BytesStart, Event},
};
use rhai::{Array, Dynamic, Engine, Map};

use super::{
    Group, Helper,
    encode::html_unescape,
    list::helper,
    values::{Fallible, fail, push},
};

pub(super) const GROUP: Group = Group { name: "xml", helpers: HELPERS, register };

/// Deepest nesting of elements.
const MAX_NESTING: usize = 32;
/// Most elements and attributes.
const MAX_NODES: usize = 20_000;

#[rustfmt::skip]
const HELPERS: &[Helper] = &[
    helper("parse_xml(text) -> map", "The root as name, attributes, text (its own, trimmed) and children, each like it. Documents may define no entities of their own.", r#"parse_xml("<a x='1'>hi <b>&lt;</b></a>").children[0].text"#, r#""<""#),
    helper("xml_all(node, name) -> array", "Every element of that name within a node of parse_xml, at any depth, in order.", r#"xml_all(parse_xml("<r><i>1</i><g><i>2</i></g></r>"), "i").len"#, "2"),
    helper("xml_text(node, name) -> text", "The text of the first child of that name, or \"\".", r#"xml_text(parse_xml("<r><t> x </t></r>"), "t")"#, r#""x""#),
];

fn register(engine: &mut Engine) {
    engine.register_fn("parse_xml", parse).register_fn("xml_all", all).register_fn(
        "xml_text",
        |node: Map, name: &str| {
            let found = children(&node).into_iter().find(|child| named(child, name));
            found.and_then(|child| child.get("text").cloned()).unwrap_or_else(|| "".into())
        },
    );
}

/// An element that is being read.
struct Open {
    name: String,
    attributes: Map,
    text: String,
    children: Array,
}

impl Open {
    fn close(self) -> Dynamic {
        Dynamic::from(Map::from([
            ("name".into(), self.name.into()),
            ("attributes".into(), self.attributes.into()),
            ("text".into(), self.text.trim().to_string().into()),
            ("children".into(), self.children.into()),
        ]))
    }
}

fn parse(text: &str) -> Fallible<Dynamic> {
    let mut reader = Reader::from_str(text);
    let mut stack: Vec<Open> = Vec::new();
    let mut nodes = 0;
    loop {
        let event = match reader.read_event() {
            Ok(event) => event,
            Err(why) => return fail(format!("the XML cannot be read at byte {}: {why}", reader.error_position())),
        };
        let closed = match event {
            Event::Start(start) => {
                stack.push(open(&start, &mut nodes)?);
                None
            }
            Event::Empty(start) => Some(open(&start, &mut nodes)?.close()),
            Event::End(_) => stack.pop().map(Open::close),
            Event::Eof => return fail("the XML has no element, or one that is not closed"),
            other => {
                add(&mut stack, &other)?;
                None
            }
        };
        if stack.len() > MAX_NESTING {
            return fail(format!("the XML is nested deeper than {MAX_NESTING}"));
        }
        match (closed, stack.last_mut()) {
            (Some(node), Some(parent)) => parent.children.push(node),
            (Some(root), None) => return Ok(root),
            (None, _) => {}
        }
    }
}

/// Text, CDATA and references, to the innermost element.
fn add(stack: &mut [Open], event: &Event<'_>) -> Fallible<()> {
    let Some(open) = stack.last_mut() else { return Ok(()) };
    match event {
        Event::Text(text) => push(&mut open.text, text),
        Event::CData(text) => push(&mut open.text, text),
        Event::GeneralRef(name) => push(&mut open.text, &html_unescape(&format!("&{};", &**name))?),
        _ => Ok(()),
    }
}

fn open(start: &BytesStart<'_>, nodes: &mut usize) -> Fallible<Open> {
    let mut attributes = Map::new();
    for attribute in start.attributes().with_checks(false) {
        let Ok(attribute) = attribute else { return fail("an attribute of the XML has no value in quotes") };
        let value = html_unescape(&attribute.value)?;
        attributes.insert(attribute.key.as_ref().into(), value.into());
        *nodes += 1;
    }
    *nodes += 1;
    if *nodes > MAX_NODES {
        return fail(format!("the XML has more than {MAX_NODES} elements and attributes"));
    }
    let name = start.name().as_ref().to_string();
    Ok(Open { name, attributes, text: String::new(), children: Array::new() })
}

fn children(node: &Map) -> Vec<Map> {
    let children = node.get("children").and_then(|children| children.as_array_ref().ok().map(|array| array.clone()));
    children.unwrap_or_default().into_iter().filter_map(Dynamic::try_cast::<Map>).collect()
}

fn named(node: &Map, name: &str) -> bool {
    node.get("name").and_then(|own| own.as_immutable_string_ref().ok().map(|own| own.as_str() == name)).unwrap_or(false)
}

fn all(node: Map, name: &str) -> Fallible<Array> {
    let (mut found, mut waiting, mut seen) = (Array::new(), children(&node), 0);
    waiting.reverse();
    while let Some(node) = waiting.pop() {
        seen += 1;
        if seen > MAX_NODES {
            return fail(format!("more than {MAX_NODES} elements"));
        }
        waiting.extend(children(&node).into_iter().rev());
        if named(&node, name) {
            found.push(node.into());
        }
    }
    Ok(found)
}
