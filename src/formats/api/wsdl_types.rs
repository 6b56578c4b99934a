//! The types of a WSDL: what stands in an element, as parameters. What is not understood is said.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::{Map, Value, json};

use super::schema::allow_null;
use crate::{
    formats::xml::{Element, local},
    model::catalog::{
        endpoint::{Parameter, ParameterPlace},
        style::Style,
        xml_name,
    },
};

/// Deepest nesting of types that is kept.
const MAX_DEPTH: usize = 8;
/// Most elements and groups that are followed for one operation.
const MAX_NODES: usize = 1_500;
/// Most values of a list of choices.
const MAX_CHOICES: usize = 200;
const XSD: &str = "http://www.w3.org/2001/XMLSchema";
/// The namespace of the prefix `xml`, which documents need not declare.
const XML: &str = "http://www.w3.org/XML/1998/namespace";

/// Something declared, and the schema it is declared in.
#[derive(Clone, Copy)]
pub(super) struct Declared<'a> {
    pub(super) element: &'a Element,
    pub(super) schema: &'a Element,
}

impl<'a> Declared<'a> {
    /// Something that stands in it.
    fn inner(self, element: &'a Element) -> Self {
        Self { element, ..self }
    }

    /// The namespace of its schema.
    pub(super) fn namespace(self) -> &'a str {
        self.schema.attribute("targetNamespace").unwrap_or_default()
    }
}

/// Everything the schemas of a document declare.
pub(super) struct Schemas<'a> {
    root: &'a Element,
    /// By kind and name.
    named: HashMap<(&'a str, &'a str), Vec<Declared<'a>>>,
    namespaces: BTreeSet<&'a str>,
}

impl<'a> Schemas<'a> {
    pub(super) fn of(root: &'a Element) -> Self {
        let mut found = Self { root, named: HashMap::new(), namespaces: BTreeSet::new() };
        for schema in root.all("types").flat_map(|types| types.all("schema")) {
            found.namespaces.insert(schema.attribute("targetNamespace").unwrap_or_default());
            for element in &schema.children {
                if let Some(name) = element.attribute("name") {
                    found.named.entry((element.local(), name)).or_default().push(Declared { element, schema });
                }
            }
        }
        found
    }

    /// The namespace of a name that is written in `at`, by the prefixes that are declared there, on the schema or on
    /// the outermost element.
    pub(super) fn namespace(&self, name: &str, at: Declared<'a>) -> Option<&'a str> {
        let key = name.split_once(':').map_or("xmlns".to_owned(), |(prefix, _)| format!("xmlns:{prefix}"));
        let places = [at.element, at.schema, self.root];
        let found = places.iter().flat_map(|place| &place.attributes).find(|(name, _)| *name == key);
        found.map(|(_, namespace)| namespace.as_str()).or_else(|| name.starts_with("xml:").then_some(XML))
    }

    /// What is declared under a name; where no schema of its namespace has it, one of any.
    pub(super) fn find(&self, kind: &str, name: &str, at: Declared<'a>) -> Option<Declared<'a>> {
        let namespace = self.namespace(name, at);
        let found = self.named.get(&(kind, local(name)))?;
        let own = found.iter().find(|one| namespace == Some(one.namespace()));
        own.or_else(|| found.first()).copied()
    }
}

/// What is read for one operation.
pub(super) struct Types<'a, 's> {
    schemas: &'s Schemas<'a>,
    nodes: usize,
    /// What was not understood.
    pub(super) warnings: Vec<String>,
}

/// Where a group of fields stands: whether it may be left out, whether it repeats, what is said of it.
#[derive(Clone, Default)]
struct Place {
    optional: bool,
    repeats: bool,
    said: String,
}

impl<'a, 's> Types<'a, 's> {
    pub(super) fn of(schemas: &'s Schemas<'a>) -> Self {
        Self { schemas, nodes: 0, warnings: Vec::new() }
    }

    pub(super) fn warn(&mut self, told: String) {
        if !self.warnings.contains(&told) {
            self.warnings.push(told);
        }
    }

    /// Whether it is too much, or too deep, to read on.
    fn is_spent(&mut self, depth: usize) -> bool {
        self.nodes += 1;
        let spent = depth > MAX_DEPTH || self.nodes > MAX_NODES;
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

    /// The schema of an element: of the type in it, or of the one it names. One that is nillable may be null.
    fn element(&mut self, declared: Declared<'a>, depth: usize) -> Value {
        let mut schema = self.content(declared, depth);
        let is_nillable = matches!(declared.element.attribute("nillable"), Some("true" | "1"));
        if let (true, Some(map)) = (is_nillable, schema.as_object_mut()) {
            allow_null(map);
        }
        schema
    }

    fn content(&mut self, declared: Declared<'a>, depth: usize) -> Value {
        if let Some(complex) = declared.element.first("complexType") {
            return self.object(declared.inner(complex), depth);
        }
        if let Some(simple) = declared.element.first("simpleType") {
            return self.simple(declared.inner(simple), depth);
        }
        declared
            .element
            .attribute("type")
            .map_or_else(|| json!({"type": "string"}), |name| self.typed(name, declared, depth))
    }

    fn object(&mut self, complex: Declared<'a>, depth: usize) -> Value {
        let mut fields = Vec::new();
        self.complex(complex, depth + 1, &mut fields);
        match fields.as_slice() {
            // Without attributes it is the text alone.
            [text] if text.name == "#text" => text.schema.clone(),
            _ => object(fields),
        }
    }

    /// The schema of a type by its name, written in `at`.
    pub(super) fn typed(&mut self, name: &str, at: Declared<'a>, depth: usize) -> Value {
        let namespace = self.schemas.namespace(name, at);
        let is_own = namespace.is_some_and(|namespace| self.schemas.namespaces.contains(namespace));
        if !is_own && let Some(plain) = plain(local(name)) {
            return plain;
        }
        if self.is_spent(depth) {
            return json!({});
        }
        if let Some(complex) = self.schemas.find("complexType", name, at) {
            return self.object(complex, depth);
        }
        if let Some(simple) = self.schemas.find("simpleType", name, at) {
            return self.simple(simple, depth + 1);
        }
        if namespace.is_some_and(|namespace| namespace != XSD) {
            self.warn(format!("The type '{name}' is not in the document: it is taken as a text."));
        }
        json!({"type": "string"})
    }

    fn simple(&mut self, simple: Declared<'a>, depth: usize) -> Value {
        let Some(restriction) = simple.element.first("restriction") else { return json!({"type": "string"}) };
        let within = simple.inner(restriction);
        let mut schema = match (restriction.first("simpleType"), restriction.attribute("base")) {
            (Some(inner), _) if depth <= MAX_DEPTH => self.simple(within.inner(inner), depth + 1),
            (_, Some(base)) => self.typed(base, within, depth + 1),
            _ => json!({"type": "string"}),
        };
        let kind = schema.get("type").cloned();
        let values = restriction.all("enumeration").filter_map(|one| one.attribute("value"));
        let values: Vec<Value> = values.take(MAX_CHOICES).map(|value| literal(value, kind.as_ref())).collect();
        if let (false, Some(map)) = (values.is_empty(), schema.as_object_mut()) {
            map.insert("enum".to_owned(), Value::Array(values));
        }
        schema
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

/// Whether most fields stand in no namespace.
pub(super) fn are_bare(fields: &[Parameter]) -> bool {
    // What repeats says it of each.
    let one =
        |field: &'_ Parameter| xml_name::namespace(field.schema.get("items").unwrap_or(&field.schema)) == Some("");
    let bare = fields.iter().filter(|field| one(field)).count();
    2 * bare > fields.iter().filter(|field| !field.name.starts_with('@')).count()
}

/// Leaves the namespaces of fields out that go without saying in an element of the namespace `around`.
pub(super) fn settle(fields: &mut [Parameter], around: &str) {
    for field in fields.iter_mut().filter(|field| !field.name.starts_with('@')) {
        xml_name::settle(&mut field.schema, around);
    }
}

fn name(element: &Element) -> Option<&str> {
    element.attribute("name").or_else(|| element.attribute("ref").map(local))
}

/// A value as a schema writes it, where the type of what it is for is this.
fn literal(value: &str, kind: Option<&Value>) -> Value {
    let parsed = || serde_json::from_str(value).unwrap_or_else(|_| json!(value));
    if kind.is_none_or(|kind| kind == "string") { json!(value) } else { parsed() }
}

fn repeats(element: &Element) -> bool {
    element.attribute("maxOccurs").is_some_and(|most| most != "1" && most != "0")
}

/// The schema of a type of XML Schema itself.
fn plain(name: &str) -> Option<Value> {
    Some(match name {
        "int" | "integer" | "long" | "short" | "byte" | "unsignedInt" | "unsignedLong" | "unsignedShort"
        | "unsignedByte" | "positiveInteger" | "nonNegativeInteger" | "negativeInteger" | "nonPositiveInteger" => {
            json!({"type": "integer"})
        }
        "decimal" | "float" | "double" => json!({"type": "number"}),
        "boolean" => json!({"type": "boolean"}),
        "dateTime" => json!({"type": "string", "format": "date-time"}),
        "date" => json!({"type": "string", "format": "date"}),
        "anyType" => json!({}),
        "string" | "anyURI" | "base64Binary" | "token" | "normalizedString" | "QName" | "time" | "duration" | "ID"
        | "NCName" | "hexBinary" | "language" | "anySimpleType" => json!({"type": "string"}),
        _ => return None,
    })
}

/// A parameter of a SOAP operation.
pub(super) fn variable(name: String, required: bool, said: &str, schema: Value) -> Parameter {
    let place = ParameterPlace::Variable;
    let (style, members) = (Style::Plain, BTreeMap::new());
    Parameter { name, place, style, members, required, description: said.to_owned(), schema }
}

fn object(fields: Vec<Parameter>) -> Value {
    let required: Vec<&str> = fields.iter().filter(|field| field.required).map(|field| field.name.as_str()).collect();
    let one = |field: &Parameter| {
        let mut schema = field.schema.clone();
        if let (false, Some(map)) = (field.description.is_empty(), schema.as_object_mut()) {
            map.insert("description".to_owned(), json!(field.description));
        }
        (field.name.clone(), schema)
    };
    let properties: Map<String, Value> = fields.iter().map(one).collect();
    json!({"type": "object", "properties": properties, "required": required})
}
