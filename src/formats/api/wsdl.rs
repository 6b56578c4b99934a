//! WSDL 1.1: the SOAP operations of its ports.

mod fields;
pub(super) mod files;
mod schemas;
mod types;

use std::cell::RefCell;

use url::Url;

use self::{
    fields::{are_bare, settle, variable},
    schemas::{Declared, Schemas},
    types::Types,
};
use super::{
    budget::{self, Budget},
    text,
};
use satchel_model::{
    catalog::{
        endpoint::{Operation, Parameter},
        proposal::{Proposal, Proposals},
    },
    error::{Error, Result},
    spec::Risk,
    xml::{Element, local},
};

const SOAP12: &str = "http://schemas.xmlsoap.org/wsdl/soap12/";

/// Reads a WSDL, by its outermost element.
pub fn read(root: &Element) -> Result<Proposals> {
    if root.local() != "definitions" {
        let told = match root.local() {
            "description" => "This is WSDL 2.0: WSDL 1.1 is known here.",
            _ => "The XML is no WSDL: its outermost element is not `definitions`.",
        };
        return Err(Error::invalid(told));
    }
    let bindings = root.all("binding").filter(|binding| binding.first("binding").is_some());
    let number = bindings.map(|binding| binding.all("operation").count()).sum();
    let budget = RefCell::new(Budget::new(budget::DOCUMENT, number)?);
    let wsdl = Wsdl { root, schemas: Schemas::new(root), budget };
    let address = wsdl.address().and_then(|address| Url::parse(address).ok());
    let path = address.as_ref().map_or("/", Url::path).to_owned();
    let operations: Vec<Proposal> = wsdl.operations(&path)?;
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
            .or(Some(root))
            .and_then(|one| one.attribute("name"))
            .unwrap_or("SOAP service")
            .to_owned(),
        description: documented(root),
        base_url: address.map(|url| url.origin().ascii_serialization()),
        operations,
        warnings,
        ..Proposals::default()
    })
}

struct Wsdl<'a> {
    root: &'a Element,
    schemas: Schemas<'a>,
    /// The budget of its operations.
    budget: RefCell<Budget>,
}

/// The content that is put into the body.
#[derive(Default)]
struct Input {
    element: String,
    namespace: String,
    unqualified: bool,
    parameters: Vec<Parameter>,
    warnings: Vec<String>,
}

impl<'a> Wsdl<'a> {
    fn address(&self) -> Option<&'a str> {
        let ports = self.root.all("service").flat_map(|service| service.all("port"));
        ports.filter_map(|port| port.first("address")?.attribute("location")).next()
    }

    fn operations(&self, path: &str) -> Result<Vec<Proposal>> {
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
                found.push(self.proposal((name, key), (binding, operation), version, path)?);
            }
        }
        Ok(found)
    }

    fn is_soap12(&self, soap: &Element) -> bool {
        let prefix = soap.name.split_once(':').map_or("xmlns".to_owned(), |(prefix, _)| format!("xmlns:{prefix}"));
        self.root.attributes.iter().chain(&soap.attributes).any(|(name, value)| *name == prefix && value == SOAP12)
    }

    fn proposal(
        &self,
        (name, key): (&str, String),
        (binding, bound): (&'a Element, &'a Element),
        version: &str,
        path: &str,
    ) -> Result<Proposal> {
        let named = |one: &&'a Element| one.attribute("name") == Some(name);
        let port = binding.attribute("type").map(local);
        let own = self
            .root
            .all("portType")
            .filter(|one| one.attribute("name") == port)
            .flat_map(|port| port.all("operation"))
            .find(named);
        let of_ports = || self.root.all("portType").flat_map(|port| port.all("operation")).find(named);
        let abstract_one = own.or_else(of_ports);
        let message = abstract_one.and_then(|one| one.first("input")?.attribute("message"));
        let input = self.input(name, message.map(local), (binding, bound))?;
        let action = bound.first("operation").and_then(|soap| soap.attribute("soapAction")).unwrap_or_default();
        let description = abstract_one.map(documented).unwrap_or_default();
        let is_read =
            ["get", "list", "find", "search", "read", "query"].iter().any(|verb| name.to_lowercase().starts_with(verb));
        let mut warnings = input.warnings;
        if description.is_empty() {
            warnings.push("It has no description: a model will not know when to use it. Write one line.".to_owned());
        }
        Ok(Proposal {
            key,
            group: None,
            name: name.to_owned(),
            operation: Operation::Soap {
                action: action.to_owned(),
                element: input.element,
                namespace: input.namespace,
                unqualified: input.unqualified,
                version: version.to_owned(),
            },
            method: "POST".to_owned(),
            path: path.to_owned(),
            parameters: input.parameters,
            description,
            when_to_use: String::new(),
            risk: if is_read { Risk::Read } else { Risk::HighWrite },
            warnings,
            elsewhere: false,
        })
    }

    /// Returns the element of the body and what stands in it.
    ///
    /// # Errors
    ///
    /// If the document is too much to read.
    fn input(&self, operation: &str, message: Option<&str>, place: (&'a Element, &'a Element)) -> Result<Input> {
        let mut types = Types::new(&self.schemas, self.budget.borrow_mut().next());
        let input = self.content(operation, message, place, &mut types);
        self.budget.borrow_mut().spend(&types.allowance);
        Ok(Input { warnings: types.warnings, ..input })
    }

    /// The same without warnings: of a document its type's fields, of an RPC its parts.
    fn content(
        &self,
        operation: &str,
        message: Option<&str>,
        (binding, bound): (&'a Element, &'a Element),
        types: &mut Types<'a, '_>,
    ) -> Input {
        let soap = bound.first("input").and_then(|input| input.first("body"));
        let headers = bound.first("input").into_iter().flat_map(|input| input.all("header"));
        let headers: Vec<Parameter> = headers.filter_map(|header| self.header(header, types)).collect();
        if soap.and_then(|body| body.attribute("use")) == Some("encoded") {
            types.warn("It is 'encoded', which is not known here: its values are sent as they are.".to_owned());
        }
        let own = || self.root.attribute("targetNamespace").unwrap_or_default();
        let message = message.and_then(|name| self.message(name));
        let parts: Vec<Declared<'_>> = message.into_iter().flat_map(parts).collect();
        let style = |of: &'a Element, kind: &str| of.first(kind).and_then(|soap| soap.attribute("style"));
        let is_rpc = style(bound, "operation").or_else(|| style(binding, "binding")) == Some("rpc");
        let named = parts.iter().find_map(|part| Some((*part, part.element.attribute("element")?)));
        let Some((here, name)) = named.filter(|_| !is_rpc) else {
            let namespace = soap.and_then(|body| body.attribute("namespace")).unwrap_or_else(own).to_owned();
            let mut parameters: Vec<Parameter> = parts.iter().filter_map(|part| rpc_part(*part, types)).collect();
            settle(&mut parameters, "");
            parameters.extend(headers);
            let element = operation.to_owned();
            return Input { element, namespace, unqualified: true, parameters, ..Input::default() };
        };
        let element = local(name).to_owned();
        let Some(declared) = self.schemas.find("element", name, here) else {
            types.warn(format!("The element '{name}' is not in the document: its fields are not known."));
            let namespace = self.schemas.namespace(name, here).unwrap_or_else(own).to_owned();
            return Input { element, namespace, parameters: headers, ..Input::default() };
        };
        let mut parameters = types.fields_of(declared);
        let unqualified = are_bare(&parameters);
        settle(&mut parameters, if unqualified { "" } else { declared.namespace() });
        parameters.extend(headers);
        let namespace = declared.namespace().to_owned();
        Input { element, namespace, unqualified, parameters, ..Input::default() }
    }

    fn message(&self, name: &str) -> Option<&'a Element> {
        self.root.all("message").find(|one| one.attribute("name") == Some(name))
    }

    /// An element of the SOAP header, where the document has it.
    fn header(&self, header: &'a Element, types: &mut Types<'a, '_>) -> Option<Parameter> {
        let part = header.attribute("part");
        let message = header.attribute("message").and_then(|name| self.message(local(name)));
        let named = message.into_iter().flat_map(parts).find(|one| one.element.attribute("name") == part);
        let declared = named.and_then(|here| self.schemas.find("element", here.element.attribute("element")?, here));
        if declared.is_none() {
            let part = text::cut(part.unwrap_or_default(), 80);
            types.warn(format!("It asks for the SOAP header '{part}', whose element is not in the document."));
        }
        types.header(declared?)
    }
}

/// The parts of a message; the prefixes of their names may be declared there.
fn parts(message: &Element) -> impl Iterator<Item = Declared<'_>> {
    message.all("part").map(move |element| Declared { element, schema: message })
}

/// The part of an RPC, as a parameter.
fn rpc_part<'a>(part: Declared<'a>, types: &mut Types<'a, '_>) -> Option<Parameter> {
    let name = part.element.attribute("name")?.to_owned();
    let schema = types.typed(part.element.attribute("type").unwrap_or("string"), part, 0);
    Some(variable(name, true, "", schema))
}

fn documented(element: &Element) -> String {
    text::tidy(element.first("documentation").map(|one| one.text.as_str()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::xml;

    const SHOP: &str = include_str!("shop.wsdl");

    fn read(text: &str) -> Proposals {
        super::read(&xml::parse(text).unwrap()).unwrap()
    }

    fn operation(name: &str) -> (Value, Vec<String>) {
        let mut operations = read(SHOP).operations;
        let found = operations.remove(operations.iter().position(|one| one.name == name).unwrap());
        let parameters: Vec<Value> =
            found.parameters.iter().map(|one| json!([one.name, one.required, one.description, one.schema])).collect();
        let Operation::Soap { element, namespace, unqualified, .. } = found.operation else { panic!("no SOAP") };
        (
            json!({"element": element, "namespace": namespace, "unqualified": unqualified, "fields": parameters}),
            found.warnings,
        )
    }

    #[test]
    fn many_operations_of_large_types_are_cut() {
        let element = |n: usize, of: usize| format!("<xs:element name=\"e{n}\" type=\"t:T{of}\"/>");
        let elements = |of: usize| (0..10).map(|n| element(n, (of + n + 1) % 40)).collect::<String>();
        let types: String = (0..40)
            .map(|of| {
                format!("<xs:complexType name=\"T{of}\"><xs:sequence>{}</xs:sequence></xs:complexType>", elements(of))
            })
            .collect();
        let each = |make: &dyn Fn(usize) -> String| (0..1_000).map(make).collect::<String>();
        let text = format!(
            "<definitions xmlns:t=\"urn:t\" xmlns:xs=\"http://www.w3.org/2001/XMLSchema\" targetNamespace=\"urn:t\">\
             <types><xs:schema targetNamespace=\"urn:t\">{types}<xs:element name=\"E\" type=\"t:T0\"/></xs:schema></types>\
             <message name=\"M\"><part name=\"p\" element=\"t:E\"/></message><portType name=\"P\">{}</portType>\
             <binding name=\"B\" type=\"t:P\"><soap:binding style=\"document\"/>{}</binding></definitions>",
            each(&|n| format!("<operation name=\"o{n}\"><input message=\"t:M\"/></operation>")),
            each(&|n| format!("<operation name=\"o{n}\"><input><soap:body use=\"literal\"/></input></operation>")),
        );
        let read = read(&text);
        assert_eq!(read.operations.len(), 1_000);
        let bytes: usize =
            read.operations.iter().flat_map(|one| &one.parameters).map(|one| one.schema.to_string().len()).sum();
        assert!((100_000..budget::DOCUMENT).contains(&bytes), "{bytes}");
    }

    #[test]
    fn fields_of_a_base_of_a_choice_and_by_reference_are_kept() {
        let (order, warnings) = operation("GetOrder");
        let text = json!({"type": "string"});
        let note = json!({"type": "object", "properties": {"text": text}, "required": ["text"]});
        let fields = json!([
            ["tenant", true, "", text],
            ["id", true, "", {"type": "integer"}],
            ["byName", false, "Only one of byName, byCode.", text],
            ["byCode", false, "Only one of byName, byCode.", text],
            ["note", false, "", note],
        ]);
        let wanted =
            json!({"element": "GetOrder", "namespace": "urn:shop:types", "unqualified": false, "fields": fields});
        assert_eq!((order, warnings), (wanted, Vec::<String>::new()));
    }

    #[test]
    fn lists_of_choices_and_attributes_are_kept() {
        let (order, warnings) = operation("PutOrder");
        assert_eq!(order["fields"][0], json!(["color", true, "", {"type": "string", "enum": ["red", "blue"]}]));
        let text = json!({"type": "string"});
        let price = json!({"type": "object", "required": ["#text"], "properties": {
            "#text": {"type": "number"}, "@currency": {"type": "string", "enum": ["EUR"]}}});
        let lang = json!({"type": "string", "xml": {"namespace": "http://www.w3.org/XML/1998/namespace"}});
        let line = json!({"type": "object", "required": ["sku", "@qty"], "properties": {
            "sku": text, "price": price, "@qty": {"type": "integer"}, "@lang": lang, "@unit": text}});
        assert_eq!(order["fields"][1], json!(["lines", true, "", {"type": "array", "items": line}]));
        assert_eq!(warnings, ["It has no description: a model will not know when to use it. Write one line."]);
    }

    #[test]
    fn an_element_that_is_nillable_may_be_null() {
        let nillable = SHOP.replace("name=\"sku\" type", "name=\"sku\" nillable=\"true\" type");
        let read = read(&nillable);
        let put = read.operations.iter().find(|one| one.name == "PutOrder").unwrap();
        assert_eq!(put.parameters[1].schema["items"]["properties"]["sku"], json!({"type": ["string", "null"]}));
    }

    #[test]
    fn the_namespace_of_an_rpc_is_that_of_its_body() {
        let (rpc, _) = operation("Rpc");
        let wanted = json!({"element": "Rpc", "namespace": "urn:shop:rpc", "unqualified": true, "fields": [["a", true, "", {"type": "integer"}]]});
        assert_eq!(rpc, wanted);
    }

    #[test]
    fn a_type_that_holds_itself_many_times_ends() {
        let many = "<xs:group ref='t:G'/><xs:element name='a' type='t:T'/>".repeat(50);
        let deep = SHOP.replace(
            "<xs:complexType name=\"Base\">",
            &format!(
                "<xs:complexType name='T'><xs:sequence>{many}</xs:sequence></xs:complexType><xs:group name='G'><xs:sequence>{many}</xs:sequence></xs:group><xs:complexType name=\"Base\"><xs:sequence><xs:element name='t' type='t:T'/></xs:sequence></xs:complexType><xs:complexType name=\"B\">"
            ),
        );
        let read = read(&deep);
        assert!(
            read.operations[0].warnings.iter().any(|told| told.contains("too deep")),
            "{:?}",
            read.operations[0].warnings
        );
    }
}
