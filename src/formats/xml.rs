//! XML as the JSON that is easiest to read: attributes as `@name`, text as itself, equal neighbours as a list.

use serde_json::{Map, Value};

use satchel_model::{
    error::{Error, Result},
    xml::{self, Element, Limits},
};

/// Of a document from outside.
const LIMITS: Limits = Limits { depth: 128, nodes: 1_000_000 };

/// Returns a document as JSON: one key, its outermost element.
///
/// # Errors
///
/// As [`parse`].
pub fn to_json(text: &str) -> Result<Value> {
    let root = parse(text)?;
    Ok(Value::Object(Map::from_iter([(root.local().to_owned(), root.to_json())])))
}

/// Returns a document's outermost element.
///
/// # Errors
///
/// A document that is not well-formed, too deep or too large.
pub fn parse(text: &str) -> Result<Element> {
    let wrong = |what: String| Error::invalid(format!("This is not XML that can be read: {what}."));
    let mut roots = xml::parse(text, LIMITS).map_err(wrong)?;
    roots.pop().ok_or_else(|| wrong("it has no element".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use satchel_model::xml::MAX_ATTRIBUTES;
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
        let known = r#"<a b="&z;&amp;&x">&copy;&nbsp;&#x41;</a>"#;
        assert_eq!(to_json(known).unwrap(), json!({"a": {"@b": "&z;&&x", "#text": "©\u{a0}A"}}));
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
