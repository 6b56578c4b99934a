//! WSDL 1.1: the SOAP operations of its ports.

use serde_json::{Map, Value, json};
use url::Url;

use super::text;
use crate::{
    formats::xml::{self, Element, local},
    model::{
        catalog::{
            endpoint::{Operation, Parameter, ParameterPlace},
            proposal::{Proposal, Proposals},
            style::Style,
        },
        error::{Error, Result},
        spec::Risk,
    },
};

/// Deepest nesting of types that is kept.
const MAX_DEPTH: usize = 6;
const SOAP12: &str = "http://schemas.xmlsoap.org/wsdl/soap12/";

/// Reads a WSDL.
pub fn read(document: &str) -> Result<Proposals> {
    let root = xml::parse(document)?;
    if root.local() != "definitions" {
        let told = match root.local() {
            "description" => "This is WSDL 2.0: WSDL 1.1 is known here.",
            _ => "The XML is no WSDL: its outermost element is not `definitions`.",
        };
        return Err(Error::invalid(told));
    }
    let wsdl = Wsdl { root: &root, namespace: root.attribute("targetNamespace").unwrap_or_default() };
    let address = wsdl.address().and_then(|address| Url::parse(address).ok());
    let path = address.as_ref().map_or("/", Url::path).to_owned();
    let operations: Vec<Proposal> = wsdl.operations(&path);
    let mut warnings = Vec::new();
    if operations.is_empty() {
        warnings.push("The WSDL has no SOAP operations.".to_owned());
    }
    if address.is_none() {
        warnings.push("The WSDL does not say where the service is: enter its base URL.".to_owned());
    }
    Ok(Proposals {
        format: "WSDL 1.1".to_owned(),
        title: root
            .first("service")
            .or(Some(&root))
            .and_then(|one| one.attribute("name"))
            .unwrap_or("SOAP service")
            .to_owned(),
        description: documented(&root),
        base_url: address.map(|url| url.origin().ascii_serialization()),
        operations,
        warnings,
        ..Proposals::default()
    })
}

struct Wsdl<'a> {
    root: &'a Element,
    namespace: &'a str,
}

impl<'a> Wsdl<'a> {
    fn address(&self) -> Option<&'a str> {
        let ports = self.root.all("service").flat_map(|service| service.all("port"));
        ports.filter_map(|port| port.first("address")?.attribute("location")).next()
    }

    fn operations(&self, path: &str) -> Vec<Proposal> {
        let mut found: Vec<Proposal> = Vec::new();
        for binding in self.root.all("binding") {
            let Some(soap) = binding.first("binding") else { continue };
            let version = if self.is_soap12(soap) { "1.2" } else { "1.1" };
            for operation in binding.all("operation") {
                let Some(name) = operation.attribute("name") else { continue };
                let key = format!("soap:{name}");
                if found.iter().any(|known| known.key == key) {
                    continue;
                }
                let action =
                    operation.first("operation").and_then(|soap| soap.attribute("soapAction")).unwrap_or_default();
                found.push(self.proposal((name, key), action, version, path));
            }
        }
        found
    }

    fn is_soap12(&self, soap: &Element) -> bool {
        let prefix = soap.name.split_once(':').map_or("xmlns".to_owned(), |(prefix, _)| format!("xmlns:{prefix}"));
        self.root.attributes.iter().chain(&soap.attributes).any(|(name, value)| *name == prefix && value == SOAP12)
    }

    fn proposal(&self, (name, key): (&str, String), action: &str, version: &str, path: &str) -> Proposal {
        let of_port = self.root.all("portType").flat_map(|port| port.all("operation"));
        let abstract_one = of_port.into_iter().find(|operation| operation.attribute("name") == Some(name));
        let message = abstract_one.and_then(|one| one.first("input")?.attribute("message"));
        let (element, parameters) = self.input(name, message.map(local));
        let description = abstract_one.map(documented).unwrap_or_default();
        let is_read =
            ["get", "list", "find", "search", "read", "query"].iter().any(|verb| name.to_lowercase().starts_with(verb));
        let mut warnings = Vec::new();
        if description.is_empty() {
            warnings.push("It has no description: a model will not know when to use it. Write one line.".to_owned());
        }
        Proposal {
            key,
            group: None,
            name: name.to_owned(),
            operation: Operation::Soap {
                action: action.to_owned(),
                element,
                namespace: self.namespace.to_owned(),
                version: version.to_owned(),
            },
            method: "POST".to_owned(),
            path: path.to_owned(),
            parameters,
            description,
            when_to_use: String::new(),
            risk: if is_read { Risk::Read } else { Risk::HighWrite },
            warnings,
            elsewhere: false,
        }
    }

    /// The element of the body and what stands in it: of a document its type's fields, of an RPC its parts.
    fn input(&self, operation: &str, message: Option<&str>) -> (String, Vec<Parameter>) {
        let message =
            self.root.all("message").find(|one| one.attribute("name").is_some() && one.attribute("name") == message);
        let Some(message) = message else { return (operation.to_owned(), Vec::new()) };
        if let Some(element) = message.all("part").find_map(|part| part.attribute("element")).map(local) {
            let declared = self
                .schemas()
                .flat_map(|schema| schema.all("element"))
                .find(|one| one.attribute("name") == Some(element));
            let fields = declared.map(|one| self.fields(one, 0)).unwrap_or_default();
            return (element.to_owned(), fields);
        }
        let parts = message.all("part").filter_map(|part| {
            let name = part.attribute("name")?.to_owned();
            Some(variable(name, true, self.typed(part.attribute("type").map(local), 0)))
        });
        (operation.to_owned(), parts.collect())
    }

    fn schemas(&self) -> impl Iterator<Item = &'a Element> {
        self.root.all("types").flat_map(|types| types.all("schema"))
    }

    /// The fields of an element: of the type in it, or of the one it names.
    fn fields(&self, element: &Element, depth: usize) -> Vec<Parameter> {
        let named = element.attribute("type").map(local).and_then(|name| self.complex(name));
        let Some(complex) = element.first("complexType").or(named) else { return Vec::new() };
        let mut groups: Vec<&Element> = vec![complex];
        let extension = complex.first("complexContent").and_then(|content| content.first("extension"));
        groups.extend(extension);
        let lists = groups
            .iter()
            .flat_map(|group| group.children.iter())
            .filter(|one| matches!(one.local(), "sequence" | "all" | "choice"));
        let elements = lists.flat_map(|list| list.all("element"));
        let fields = elements.filter_map(|field| {
            let name = field.attribute("name").or_else(|| field.attribute("ref").map(local))?.to_owned();
            let required = field.attribute("minOccurs") != Some("0");
            let mut schema = match field.first("complexType") {
                Some(_) if depth < MAX_DEPTH => object(self.fields(field, depth + 1)),
                _ => self.typed(field.attribute("type").map(local), depth),
            };
            if field.attribute("maxOccurs").is_some_and(|most| most != "1" && most != "0") {
                schema = json!({"type": "array", "items": schema});
            }
            Some(variable(name, required, schema))
        });
        fields.collect()
    }

    fn complex(&self, name: &str) -> Option<&'a Element> {
        self.schemas().flat_map(|schema| schema.all("complexType")).find(|one| one.attribute("name") == Some(name))
    }

    fn typed(&self, name: Option<&str>, depth: usize) -> Value {
        match name {
            Some(
                "int" | "integer" | "long" | "short" | "byte" | "unsignedInt" | "unsignedLong" | "positiveInteger"
                | "nonNegativeInteger",
            ) => {
                json!({"type": "integer"})
            }
            Some("decimal" | "float" | "double") => json!({"type": "number"}),
            Some("boolean") => json!({"type": "boolean"}),
            Some("dateTime") => json!({"type": "string", "format": "date-time"}),
            Some("date") => json!({"type": "string", "format": "date"}),
            Some("anyType") => json!({}),
            Some(name) => match self.complex(name) {
                Some(complex) if depth < MAX_DEPTH => {
                    let holder = Element { children: vec![complex.clone()], ..Element::default() };
                    object(self.fields(&holder, depth + 1))
                }
                Some(_) => json!({"type": "object"}),
                None => json!({"type": "string"}),
            },
            None => json!({"type": "string"}),
        }
    }
}

fn variable(name: String, required: bool, schema: Value) -> Parameter {
    Parameter {
        name,
        place: ParameterPlace::Variable,
        style: Style::Plain,
        required,
        description: String::new(),
        schema,
    }
}

fn object(fields: Vec<Parameter>) -> Value {
    let required: Vec<&str> = fields.iter().filter(|field| field.required).map(|field| field.name.as_str()).collect();
    let properties: Map<String, Value> =
        fields.iter().map(|field| (field.name.clone(), field.schema.clone())).collect();
    json!({"type": "object", "properties": properties, "required": required})
}

fn documented(element: &Element) -> String {
    text::tidy(element.first("documentation").map(|one| one.text.as_str()).unwrap_or_default())
}
