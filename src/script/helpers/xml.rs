//! XML as maps: feeds and answers of old services.

use rhai::{Array, Dynamic, Engine, Map};

use super::{
    Group, Helper,
    list::helper,
    values::{Fallible, check_text, fail},
};
use satchel_model::xml::{self, Element, Limits};

pub(super) const GROUP: Group = Group { name: "xml", helpers: HELPERS, register };

/// Most elements and attributes.
const MAX_NODES: usize = 20_000;
const LIMITS: Limits = Limits { depth: 32, nodes: MAX_NODES };

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

fn parse(text: &str) -> Fallible<Dynamic> {
    let roots = xml::parse(text, LIMITS).or_else(|why| fail(format!("the XML cannot be read: {why}")))?;
    roots.into_iter().next().map_or_else(|| fail("the XML has no element"), node)
}

fn node(element: Element) -> Fallible<Dynamic> {
    check_text(element.text.len())?;
    let attributes = element.attributes.into_iter().map(|(name, value)| (name.into(), value.into()));
    let attributes: Map = attributes.collect();
    let children = element.children.into_iter().map(node).collect::<Fallible<Array>>()?;
    Ok(Dynamic::from(Map::from([
        ("name".into(), element.name.into()),
        ("attributes".into(), attributes.into()),
        ("text".into(), element.text.trim().to_string().into()),
        ("children".into(), children.into()),
    ])))
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
