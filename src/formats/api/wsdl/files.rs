//! Imports and includes of a WSDL and its schemas, put into one document.

use crate::api::document::Named;
use satchel_model::xml::Element;

/// The files a WSDL or a schema names.
pub(in crate::api) fn named(root: &Element) -> Vec<Named> {
    let imports = root.all("import").filter(|_| !is_schema(root));
    let imports = imports.filter_map(|one| one.attribute("location")).map(|place| (place, None));
    let schemas = root.all("types").flat_map(|types| types.all("schema")).chain(is_schema(root).then_some(root));
    let of_schemas = schemas.flat_map(|schema| {
        let parts = schema.children.iter().filter(|one| matches!(one.local(), "import" | "include" | "redefine"));
        parts.filter_map(|one| {
            let includer = schema.attribute("targetNamespace").filter(|_| one.local() != "import");
            Some((one.attribute("schemaLocation")?, includer))
        })
    });
    let one = |(place, includer): (&str, Option<&str>)| Named {
        place: place.to_owned(),
        includer: includer.map(str::to_owned),
    };
    imports.chain(of_schemas).map(one).collect()
}

/// A WSDL with its files in it, each with the namespace that a schema without one gets from who includes it.
pub(in crate::api) fn joined(mut root: Element, files: Vec<(Element, Option<String>)>) -> Element {
    for (mut file, includer) in files {
        if is_schema(&file) {
            if let (None, Some(namespace)) = (file.attribute("targetNamespace"), includer) {
                file.attributes.push(("targetNamespace".to_owned(), namespace));
            }
            root.children.push(Element { name: "types".to_owned(), children: vec![file], ..Element::default() });
            continue;
        }
        let Element { attributes, children, .. } = file;
        let prefixes: Vec<(String, String)> =
            attributes.into_iter().filter(|(name, _)| name.starts_with("xmlns")).collect();
        root.children.extend(children.into_iter().map(|mut child| {
            let schemas = child.children.iter_mut().filter(|_| child.name.ends_with("types"));
            schemas.for_each(|schema| declare(schema, &prefixes));
            declare(&mut child, &prefixes);
            child
        }));
    }
    root
}

/// Declares the prefixes of the file an element stood in.
fn declare(element: &mut Element, prefixes: &[(String, String)]) {
    let own = element.attributes.clone();
    let others = prefixes.iter().filter(|(prefix, _)| own.iter().all(|(name, _)| name != prefix));
    element.attributes.extend(others.cloned());
}

fn is_schema(root: &Element) -> bool {
    root.local() == "schema"
}
