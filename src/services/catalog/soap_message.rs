//! The message of a SOAP envelope: the elements of its body, and the actions its header names.

use satchel_formats::xml;
use satchel_model::{
    error::{Error, Result},
    xml::Element,
};

/// The message of an envelope.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Message {
    /// The body's elements, each by its name without prefix and its namespace; that of none is empty.
    pub(super) elements: Vec<(String, String)>,
    /// The actions of the header (WS-Addressing): many services go by these.
    pub(super) actions: Vec<String>,
}

impl Message {
    /// Reads an envelope.
    ///
    /// # Errors
    ///
    /// If a service could find another body in it than we do: it has one body and one header at most, both of SOAP, and
    /// nothing beside them.
    pub(super) fn read(envelope: &str) -> Result<Self> {
        let inner = envelope.strip_prefix("<?xml").and_then(|rest| rest.split_once("?>"));
        let all = xml::parse(&format!("<all>{}</all>", inner.map_or(envelope, |(_, inner)| inner)))?;
        let [envelope] = all.children.as_slice() else { return Err(ambiguous()) };
        let soap = namespace(envelope, &[envelope]);
        let (mut header, mut body) = (None, None);
        for part in &envelope.children {
            let place = match part.local() {
                "Header" if body.is_none() => &mut header,
                "Body" => &mut body,
                _ => return Err(ambiguous()),
            };
            if place.replace(part).is_some() || namespace(part, &[part, envelope]) != soap {
                return Err(ambiguous());
            }
        }
        let body = body.ok_or_else(ambiguous)?;
        let header = header.map_or(&[][..], |header| &header.children);
        let named = |element: &Element| {
            let namespace = namespace(element, &[element, body, envelope]).unwrap_or_default();
            (element.local().to_owned(), namespace.to_owned())
        };
        let actions = header.iter().filter(|one| one.local() == "Action").map(|one| one.text.trim().to_owned());
        Ok(Self { elements: body.children.iter().map(named).collect(), actions: actions.collect() })
    }
}

/// The namespace of an element, as it or one around it declares its prefix; the closest first.
fn namespace<'a>(element: &Element, around: &[&'a Element]) -> Option<&'a str> {
    let declared = match element.name.split_once(':') {
        Some((prefix, _)) => format!("xmlns:{prefix}"),
        None => "xmlns".to_owned(),
    };
    let mut attributes = around.iter().flat_map(|element| &element.attributes);
    attributes.find(|(name, _)| *name == declared).map(|(_, namespace)| namespace.as_str())
}

fn ambiguous() -> Error {
    Error::invalid(
        "The SOAP envelope must have one Body, one Header at most before it, both in the envelope's own namespace, and \
         nothing else: send each operation in an envelope of its own.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOAP: &str = "http://schemas.xmlsoap.org/soap/envelope/";

    fn read(inner: &str) -> Result<Message> {
        Message::read(&format!("<?xml version=\"1.0\"?><s:Envelope xmlns:s=\"{SOAP}\">{inner}</s:Envelope>"))
    }

    #[test]
    fn the_body_and_the_actions_are_found_whatever_the_prefixes() {
        let element = |name: &str, namespace: &str| (name.to_owned(), namespace.to_owned());
        let elements = vec![element("a", ""), element("b", "urn:n")];
        let wanted = Message { elements, actions: vec!["urn:x".to_owned()] };
        let header = "<s:Header><w:Action xmlns:w=\"urn:w\"> urn:x </w:Action><Other/></s:Header>";
        assert_eq!(read(&format!("{header}<s:Body><a/><n:b xmlns:n=\"urn:n\"/></s:Body>")).unwrap(), wanted);
        let other = format!("<t:Body xmlns:t=\"{SOAP}\"><a/></t:Body>");
        assert_eq!(read(&other).unwrap().elements, [element("a", "")]);
        let inner = "<a/><b xmlns=\"\"/><s:c/><d xmlns=\"urn:d\"/>";
        let around = [element("a", SOAP), element("b", ""), element("c", SOAP), element("d", "urn:d")];
        assert_eq!(read(&format!("<Body xmlns=\"{SOAP}\">{inner}</Body>")).unwrap().elements, around);
        assert_eq!(read("<s:Body/>").unwrap(), Message::default());
    }

    #[test]
    fn an_envelope_a_service_could_read_otherwise_is_refused() {
        for inner in [
            "<Body xmlns=\"urn:other\"><safe/></Body><s:Body><drop/></s:Body>",
            "<s:Body><safe/></s:Body><s:Body><drop/></s:Body>",
            "<Body><safe/></Body>",
            "<s:Body xmlns:s=\"urn:other\"><safe/></s:Body>",
            "<s:Body><safe/></s:Body><s:Header/>",
            "<s:Header/><s:Header/><s:Body><safe/></s:Body>",
            "<s:Body><safe/></s:Body><more/>",
            "<s:Header/>",
            "",
        ] {
            assert!(read(inner).unwrap_err().message().contains("must have one Body"), "{inner}");
        }
        let one = format!("<s:Envelope xmlns:s=\"{SOAP}\"><s:Body><a/></s:Body></s:Envelope>");
        assert!(Message::read(&one).is_ok() && Message::read(&one.repeat(2)).is_err());
    }
}
