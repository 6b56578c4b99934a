//! The types of a WSDL: the fields of an element, as parameters. What is not understood is said.

mod content;

use serde_json::json;

use self::content::literal;
use super::{
    super::{budget::Allowance, schema::MAX_NAME},
    fields::variable,
    schemas::{Declared, Schemas},
};
use satchel_model::{
    catalog::{
        endpoint::{Parameter, ParameterPlace},
        xml_name,
    },
    xml::{Element, local},
};

/// Deepest nesting of types that is kept.
const MAX_DEPTH: usize = 8;
/// Most elements and groups that are followed for one operation.
const MAX_NODES: usize = 1_500;

const XSD: &str = "http://www.w3.org/2001/XMLSchema";

/// The types read for one operation.
pub(super) struct Types<'a, 's> {
    schemas: &'s Schemas<'a>,
    nodes: usize,
    /// The operation's allowance, less what it has taken.
    pub(super) allowance: Allowance,
    /// All that was not understood.
    pub(super) warnings: Vec<String>,
}

/// The place of a group of fields: whether it may be left out, whether it repeats, what is said of it.
#[derive(Clone, Default)]
struct Place {
    optional: bool,
    repeats: bool,
    said: String,
}

impl<'a, 's> Types<'a, 's> {
    pub(super) fn new(schemas: &'s Schemas<'a>, allowance: Allowance) -> Self {
        Self { schemas, nodes: 0, allowance, warnings: Vec::new() }
    }

    pub(super) fn warn(&mut self, told: String) {
        if !self.warnings.contains(&told) {
            self.warnings.push(told);
        }
    }

    /// Returns whether it is too much, or too deep, to read on.
    fn is_spent(&mut self, depth: usize) -> bool {
        self.nodes += 1;
        self.allowance.take();
        let spent = depth > MAX_DEPTH || self.nodes > MAX_NODES || self.allowance.is_spent();
        if spent {
            self.warn("Its types are nested too deep or have too many fields: some are left out.".to_owned());
        }
        spent
    }

    /// The fields of an element: of the type in it, or of the one it names.
    pub(super) fn fields_of(&mut self, declared: Declared<'a>) -> Vec<Parameter> {
        let mut fields = Vec::new();
        if let Some(complex) = self.complex_of(declared) {
            self.complex(complex, 0, &mut fields);
        } else if let Some(name) = declared.element.attribute("type") {
            self.warn(format!("What stands in it is of the type '{name}', which has no fields here."));
        }
        fields
    }

    fn complex_of(&self, declared: Declared<'a>) -> Option<Declared<'a>> {
        if let Some(complex) = declared.element.first("complexType") {
            return Some(declared.inner(complex));
        }
        self.schemas.find("complexType", declared.element.attribute("type")?, declared)
    }

    /// The fields of a complex type, those of its base first.
    fn complex(&mut self, complex: Declared<'a>, depth: usize, out: &mut Vec<Parameter>) {
        if self.is_spent(depth) {
            return;
        }
        for child in &complex.element.children {
            let here = complex.inner(child);
            match child.local() {
                "complexContent" => {
                    for derived in
                        child.children.iter().filter(|one| matches!(one.local(), "extension" | "restriction"))
                    {
                        self.derived(here.inner(derived), depth, out);
                    }
                }
                "simpleContent" => {
                    for derived in child.children.iter().filter(|one| one.attribute("base").is_some()) {
                        self.text(here.inner(derived), depth, out);
                    }
                }
                "attribute" => out.extend(self.attribute(here, depth)),
                "attributeGroup" => {
                    let name = child.attribute("ref").unwrap_or_default();
                    match self.schemas.find("attributeGroup", name, here) {
                        Some(group) => self.complex(group, depth + 1, out),
                        None => {
                            self.warn(format!("The group '{name}' is not in the document: its attributes are missing."))
                        }
                    }
                }
                _ => self.particle(here, &Place::default(), depth, out),
            }
        }
    }

    /// A text, or the like, beside attributes, under the name answers have it by: `#text`. Its base may be one, too.
    fn text(&mut self, derived: Declared<'a>, depth: usize, out: &mut Vec<Parameter>) {
        let base = derived.element.attribute("base").unwrap_or_default();
        let is_plain = self.schemas.namespace(base, derived) == Some(XSD);
        match self.schemas.find("complexType", base, derived).filter(|_| !is_plain) {
            Some(base) => self.complex(base, depth + 1, out),
            None => out.push(variable("#text".to_owned(), true, "", self.typed(base, derived, depth + 1))),
        }
        self.complex(derived, depth + 1, out);
    }

    /// An attribute, under the name answers have it by: `@name`.
    fn attribute(&mut self, here: Declared<'a>, depth: usize) -> Option<Parameter> {
        let element = here.element;
        let (name, usage) = (name(element)?, element.attribute("use"));
        let form = element.attribute("form").or(here.schema.attribute("attributeFormDefault"));
        if usage == Some("prohibited") {
            return None;
        }
        let (declared, is_qualified) = match element.attribute("ref") {
            Some(reference) => (self.schemas.find("attribute", reference, here).unwrap_or(here), true),
            None => (here, form == Some("qualified")),
        };
        let mut schema = self.element(declared, depth + 1);
        if let (Some(only), Some(map)) = (element.attribute("fixed"), schema.as_object_mut()) {
            map.insert("enum".to_owned(), json!([literal(only, map.get("type"))]));
        }
        if is_qualified {
            let reference = element.attribute("ref").filter(|reference| reference.contains(':'));
            let named = reference.and_then(|reference| self.schemas.namespace(reference, here));
            xml_name::put(&mut schema, named.unwrap_or_else(|| declared.namespace()));
        }
        Some(variable(format!("@{name}"), usage == Some("required"), "", schema))
    }

    fn derived(&mut self, derived: Declared<'a>, depth: usize, out: &mut Vec<Parameter>) {
        let base = derived.element.attribute("base").unwrap_or_default();
        if derived.element.local() == "extension" {
            match self.schemas.find("complexType", base, derived) {
                Some(base) => self.complex(base, depth + 1, out),
                None => self.warn(format!("The base type '{base}' is not in the document: its fields are missing.")),
            }
        } else if local(base) == "Array" {
            self.warn("It takes an encoded array, which is not known here.".to_owned());
        }
        self.complex(derived, depth + 1, out);
    }

    /// A sequence, a choice, all, a group or one element of them.
    fn particle(&mut self, here: Declared<'a>, place: &Place, depth: usize, out: &mut Vec<Parameter>) {
        let element = here.element;
        if self.is_spent(depth) {
            return;
        }
        let mut place = place.clone();
        match element.local() {
            "element" => return out.extend(self.field(here, &place, depth)),
            "sequence" | "all" | "group" => {}
            "choice" => {
                place.optional = true;
                let names: Vec<&str> = element.children.iter().filter_map(name).collect();
                if names.len() > 1 && !repeats(element) {
                    place.said = format!("Only one of {}.", names.join(", "));
                }
            }
            "any" => return self.warn("It takes further elements of any kind, which are not sent.".to_owned()),
            _ => return,
        }
        place.optional |= element.attribute("minOccurs") == Some("0");
        place.repeats |= repeats(element);
        let group = element.attribute("ref").filter(|_| element.local() == "group");
        let holder = group.map_or(Some(here), |name| self.schemas.find("group", name, here));
        for child in holder.iter().flat_map(|holder| &holder.element.children) {
            let child = holder.unwrap_or(here).inner(child);
            self.particle(child, &place, depth + usize::from(element.local() == "group"), out);
        }
    }

    fn field(&mut self, here: Declared<'a>, place: &Place, depth: usize) -> Option<Parameter> {
        let element = here.element;
        let name = name(element)?.to_owned();
        self.allowance.add(name.len());
        let declared = match element.attribute("ref") {
            None => here,
            Some(reference) => self.schemas.find("element", reference, here).unwrap_or_else(|| {
                self.warn(format!("The element '{reference}' is not in the document: it is taken as a text."));
                here
            }),
        };
        let form = element.attribute("form").or(here.schema.attribute("elementFormDefault"));
        let is_qualified = element.attribute("ref").is_some() || form == Some("qualified");
        let mut schema = self.element(declared, depth);
        xml_name::put(&mut schema, if is_qualified { declared.namespace() } else { "" });
        if place.repeats || repeats(element) {
            schema = json!({"type": "array", "items": schema});
        }
        let required = !place.optional && element.attribute("minOccurs") != Some("0");
        Some(variable(name, required, &place.said, schema))
    }

    /// The element of a SOAP header, as a parameter.
    pub(super) fn header(&mut self, declared: Declared<'a>) -> Option<Parameter> {
        let mut schema = self.element(declared, 0);
        xml_name::put(&mut schema, declared.namespace());
        xml_name::settle(&mut schema, "");
        let said = "An element of the SOAP header.";
        let parameter = variable(name(declared.element)?.to_owned(), false, said, schema);
        Some(Parameter { place: ParameterPlace::Header, ..parameter })
    }
}

fn name(element: &Element) -> Option<&str> {
    let name = element.attribute("name").or_else(|| element.attribute("ref").map(local));
    name.filter(|name| name.len() <= MAX_NAME)
}

fn repeats(element: &Element) -> bool {
    element.attribute("maxOccurs").is_some_and(|most| most != "1" && most != "0")
}
