//! A SOAP call from named values, each an element of the body; as answers have it, `@name` is an attribute and `#text` the
//! text beside attributes.

use quick_xml::escape::escape;
use reqwest::Method;
use serde_json::{Map, Value};

use super::rest::{Body, RestRequest};
use satchel_model::{
    catalog::{endpoint::is_nullable, xml_name},
    error::{Error, Result},
};

/// The namespace of the prefix `xml`, which is never declared.
const XML: &str = "http://www.w3.org/XML/1998/namespace";
/// An element that is there and has no value (XML Schema).
const NIL: &str = " xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:nil=\"true\"";

/// Deepest nesting of a value.
const MAX_DEPTH: usize = 32;

/// The names of a SOAP operation.
pub(super) struct Action<'a> {
    pub(super) action: &'a str,
    pub(super) element: &'a str,
    pub(super) namespace: &'a str,
    /// `true` if what stands in the element is in no namespace.
    pub(super) unqualified: bool,
    pub(super) version: &'a str,
}

/// A named value, and the JSON Schema it was declared with: null where it was not.
#[derive(Debug, Clone, Copy)]
pub(super) struct Field<'a> {
    pub(super) name: &'a str,
    pub(super) value: &'a Value,
    pub(super) schema: &'a Value,
}

/// The request that calls `action` with these values, in their order, and these elements of the SOAP header.
pub(super) fn request(
    path: String,
    action: &Action<'_>,
    headers: &[Field<'_>],
    values: &[Field<'_>],
) -> Result<RestRequest> {
    let around = if action.unqualified { "" } else { action.namespace };
    let Content { attributes, inner } = content(values, around, 0)?;
    let name = checked(action.element)?;
    let namespace = escape(action.namespace);
    let body = match action.unqualified && !namespace.is_empty() {
        true => format!("<m:{name} xmlns:m=\"{namespace}\"{attributes}>{inner}</m:{name}>"),
        false => format!("<{name} xmlns=\"{namespace}\"{attributes}>{inner}</{name}>"),
    };
    let is_new = action.version == "1.2";
    let envelope =
        if is_new { "http://www.w3.org/2003/05/soap-envelope" } else { "http://schemas.xmlsoap.org/soap/envelope/" };
    let header = match content(headers, "", 0)?.inner {
        none if none.is_empty() => none,
        inner => format!("<soap:Header>{inner}</soap:Header>"),
    };
    let text = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<soap:Envelope xmlns:soap=\"{envelope}\">{header}<soap:Body>{body}</soap:Body></soap:Envelope>"
    );
    let quoted = action.action.replace(['"', '\\', '\r', '\n'], "");
    let (media, headers) = match is_new {
        true => (format!("application/soap+xml; charset=utf-8; action=\"{quoted}\""), Vec::new()),
        false => ("text/xml; charset=utf-8".to_owned(), vec![("soapaction".to_owned(), format!("\"{quoted}\""))]),
    };
    Ok(RestRequest { method: Method::POST, path, query: Vec::new(), headers, body: Body::Text(media, text) })
}

/// An element within one of the namespace `around`.
fn element(field: Field<'_>, around: &str, depth: usize, out: &mut String) -> Result<()> {
    if depth > MAX_DEPTH {
        return Err(Error::invalid(format!("The values are nested deeper than {MAX_DEPTH} levels.")));
    }
    // What repeats may come as a list or, once, as itself.
    let Field { name, value, schema } = Field { schema: field.schema.get("items").unwrap_or(field.schema), ..field };
    if let Value::Array(items) = value {
        return items.iter().try_for_each(|value| element(Field { name, value, schema }, around, depth + 1, out));
    }
    let name = checked(name)?;
    let own = xml_name::namespace(schema).unwrap_or(around);
    let declared = if own == around { String::new() } else { format!(" xmlns=\"{}\"", escape(own)) };
    let Content { attributes, inner } = match value {
        Value::Object(members) => content(&in_order(members, schema), own, depth + 1)?,
        Value::Null if is_nullable(schema) => Content { attributes: NIL.to_owned(), inner: String::new() },
        other => Content { attributes: String::new(), inner: text(name, other)? },
    };
    out.push_str(&format!("<{name}{declared}{attributes}>{inner}</{name}>"));
    Ok(())
}

/// The members in the order of their declaration, which many services insist on; what is not declared comes last.
fn in_order<'a>(members: &'a Map<String, Value>, schema: &'a Value) -> Vec<Field<'a>> {
    let declared = schema.get("properties").and_then(Value::as_object);
    let known = declared.into_iter().flatten();
    let known = known.filter_map(|(name, schema)| Some(Field { name, value: members.get(name)?, schema }));
    let others = members.iter().filter(|(name, _)| declared.is_none_or(|declared| !declared.contains_key(*name)));
    known.chain(others.map(|(name, value)| Field { name, value, schema: &Value::Null })).collect()
}

/// The contents of an element, as XML.
#[derive(Default)]
struct Content {
    attributes: String,
    inner: String,
}

/// Returns the contents of an element of the namespace `around`.
fn content(fields: &[Field<'_>], around: &str, depth: usize) -> Result<Content> {
    let mut made = Content::default();
    for (at, field) in fields.iter().enumerate() {
        let Field { name, value, schema } = *field;
        match name.strip_prefix('@') {
            Some(_) if value.is_null() => {}
            Some(attribute) => {
                let (attribute, value) = (checked(attribute)?, text(name, value)?);
                let named = match xml_name::namespace(schema) {
                    None | Some("") => attribute.to_owned(),
                    Some(XML) => format!("xml:{attribute}"),
                    // An attribute has the namespace of its prefix only.
                    Some(other) => format!("xmlns:a{at}=\"{}\" a{at}:{attribute}", escape(other)),
                };
                made.attributes.push_str(&format!(" {named}=\"{value}\""));
            }
            None if name == "#text" => made.inner.push_str(&text(name, value)?),
            None => element(*field, around, depth, &mut made.inner)?,
        }
    }
    Ok(made)
}

/// A value as the text of an element or an attribute.
fn text(name: &str, value: &Value) -> Result<String> {
    match value {
        Value::String(text) => Ok(escape(text.as_str()).into_owned()),
        Value::Null => Ok(String::new()),
        Value::Bool(_) | Value::Number(_) => Ok(value.to_string()),
        _ => Err(Error::invalid(format!("'{}' is one text, no list or object.", satchel_model::id::shorten(name)))),
    }
}

fn checked(name: &str) -> Result<&str> {
    let starts = name.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_');
    let fits = starts && name.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c));
    fits.then_some(name)
        .ok_or_else(|| Error::invalid(format!("'{}' is no name of an XML element.", satchel_model::id::shorten(name))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn field<'a>(name: &'a str, value: &'a Value) -> Field<'a> {
        Field { name, value, schema: &Value::Null }
    }

    #[test]
    fn values_become_elements_and_nothing_breaks_out() {
        let action =
            Action { action: "urn:Add", element: "Add", namespace: "urn:calc", unqualified: false, version: "1.1" };
        let (one, list) = (json!(1), json!(["<x>", {"c": "&"}]));
        let values = [field("a", &one), field("b", &list)];
        let request = request("/calc".to_owned(), &action, &[], &values).unwrap();
        let Body::Text(media, text) = request.body else { panic!("no text") };
        assert_eq!(media, "text/xml; charset=utf-8");
        assert!(text.contains("<Add xmlns=\"urn:calc\"><a>1</a><b>&lt;x&gt;</b><b><c>&amp;</c></b></Add>"), "{text}");
        assert_eq!(request.headers, [("soapaction".to_owned(), "\"urn:Add\"".to_owned())]);
        let unqualified = Action { unqualified: true, ..action };
        let Body::Text(_, text) = super::request("/".to_owned(), &unqualified, &[], &values[..1]).unwrap().body else {
            panic!("no text")
        };
        assert!(text.contains("<m:Add xmlns:m=\"urn:calc\"><a>1</a></m:Add>"), "{text}");
        assert!(super::request("/".to_owned(), &unqualified, &[], &[field("a><b", &one)]).is_err());
    }

    #[test]
    fn attributes_and_the_text_beside_them_are_written_as_answers_have_them() {
        let action =
            Action { action: "urn:Pay", element: "Pay", namespace: "urn:p", unqualified: false, version: "1.1" };
        let sent = |values: Value| {
            super::request("/".to_owned(), &action, &[], &in_order(values.as_object().unwrap(), &Value::Null)).map(
                |request| match request.body {
                    Body::Text(_, text) => text,
                    _ => panic!("no text"),
                },
            )
        };
        let sum = json!({"@currency": "E\"UR<", "@rate": 1.5, "@none": null, "#text": "7 & 8"});
        let text = sent(json!({"@id": 7, "sum": [sum, 3]})).unwrap();
        let wanted = "<Pay xmlns=\"urn:p\" id=\"7\"><sum currency=\"E&quot;UR&lt;\" rate=\"1.5\">7 &amp; 8</sum><sum>3</sum></Pay>";
        assert!(text.contains(wanted), "{text}");
        for wrong in [json!({"@a b": 1}), json!({"@a": []}), json!({"@": 1}), json!({"x": {"#text": {"a": 1}}})] {
            assert!(sent(wrong.clone()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn members_go_out_in_the_order_of_their_declaration() {
        let line = json!({"type": "object", "properties": {"sku": {}, "note": {}, "@qty": {}}});
        let order = json!({"type": "object", "properties": {
            "id": {}, "lines": {"type": "array", "items": line}, "color": {"type": "string"},
        }});
        let sent = |value: Value| {
            let mut out = String::new();
            element(Field { name: "order", value: &value, schema: &order }, "", 0, &mut out).unwrap();
            out
        };
        let value = json!({
            "more": 1, "color": "red", "@rev": "r1", "lines": [{"note": "n", "@qty": 2, "sku": "a"}], "id": 3,
        });
        let lines = "<lines qty=\"2\"><sku>a</sku><note>n</note></lines>";
        let wanted = format!("<order rev=\"r1\"><id>3</id>{lines}<color>red</color><more>1</more></order>");
        assert_eq!(sent(value), wanted);
        let single = json!({"lines": {"note": "n", "sku": "a"}});
        assert_eq!(sent(single), "<order><lines><sku>a</sku><note>n</note></lines></order>");
    }

    #[test]
    fn each_element_stands_in_the_namespace_of_its_schema_and_headers_go_before_the_body() {
        let data = json!({"xml": {"namespace": "urn:data"}, "properties": {
            "City": {"type": ["string", "null"]},
            "Own": {"type": "string", "xml": {"namespace": "urn:tempuri"}},
            "Bare": {"type": "string", "xml": {"namespace": ""}},
            "@lang": {"xml": {"namespace": XML}}, "@of": {"xml": {"namespace": "urn:\"attributes"}},
        }});
        let order = json!({"type": "array", "items": data});
        let session = json!({"xml": {"namespace": "urn:session"}, "properties": {"Id": {"type": "string"}}});
        let (value, id) = (
            json!([{"@of": 1, "@lang": "de", "Bare": "b", "Own": "o", "City": null}, {"City": "Bern"}]),
            json!({"Id": "s<1"}),
        );
        let action =
            Action { action: "", element: "Add", namespace: "urn:tempuri", unqualified: false, version: "1.2" };
        let values = [Field { name: "Order", value: &value, schema: &order }];
        let headers = [Field { name: "Session", value: &id, schema: &session }];
        let Body::Text(_, text) = super::request("/".to_owned(), &action, &headers, &values).unwrap().body else {
            panic!("no text")
        };
        let first = "<Order xmlns=\"urn:data\" xml:lang=\"de\" xmlns:a4=\"urn:&quot;attributes\" a4:of=\"1\">\
            <City xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:nil=\"true\"></City>\
            <Own xmlns=\"urn:tempuri\">o</Own><Bare xmlns=\"\">b</Bare></Order>";
        let second = "<Order xmlns=\"urn:data\"><City>Bern</City></Order>";
        let header = "<soap:Header><Session xmlns=\"urn:session\"><Id>s&lt;1</Id></Session></soap:Header>";
        let wanted = format!("{header}<soap:Body><Add xmlns=\"urn:tempuri\">{first}{second}</Add></soap:Body>");
        assert!(text.contains(&wanted), "{text}");
    }
}
