//! The content of an element or a type of XML Schema, as JSON Schema.

use serde_json::{Value, json};

use super::{MAX_DEPTH, Types, XSD};
use crate::api::{
    schema::allow_null,
    wsdl::{fields::object, schemas::Declared},
};
use satchel_model::xml::local;

/// Most values of a list of choices.
const MAX_CHOICES: usize = 200;

impl<'a> Types<'a, '_> {
    /// The schema of an element: of the type in it, or of the one it names. One that is nillable may be null.
    pub(super) fn element(&mut self, declared: Declared<'a>, depth: usize) -> Value {
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
    pub(in crate::api::wsdl) fn typed(&mut self, name: &str, at: Declared<'a>, depth: usize) -> Value {
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
}

/// A value as a schema writes it, where the type of what it is for is this.
pub(super) fn literal(value: &str, kind: Option<&Value>) -> Value {
    let parsed = || serde_json::from_str(value).unwrap_or_else(|_| json!(value));
    if kind.is_none_or(|kind| kind == "string") { json!(value) } else { parsed() }
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
