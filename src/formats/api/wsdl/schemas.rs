//! The schemas of a WSDL: all that is declared in them, found by kind and name.

use std::collections::{BTreeSet, HashMap};

use satchel_model::xml::{Element, local};

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
    pub(super) fn inner(self, element: &'a Element) -> Self {
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
    /// The namespaces of its schemas.
    pub(super) namespaces: BTreeSet<&'a str>,
}

impl<'a> Schemas<'a> {
    pub(super) fn new(root: &'a Element) -> Self {
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

    /// The declaration of a name; where no schema of its namespace has it, one of any.
    pub(super) fn find(&self, kind: &str, name: &str, at: Declared<'a>) -> Option<Declared<'a>> {
        let namespace = self.namespace(name, at);
        let found = self.named.get(&(kind, local(name)))?;
        let own = found.iter().find(|one| namespace == Some(one.namespace()));
        own.or_else(|| found.first()).copied()
    }
}
