//! A document, with the files it is written in: what it refers to in another file is read along, `$ref` of OpenAPI
//! (RFC 3986, RFC 6901) as imports and includes of a WSDL and its schemas.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;

use super::{curl, graphql, graphql_sdl, openapi, references, text, web_page, wsdl};
use crate::xml;
use satchel_model::{
    catalog::proposal::Proposals,
    error::{Error, Result},
    json,
    xml::Element,
};

/// Longest document, all its files together.
pub const MAX_DOCUMENT: usize = 20 * 1024 * 1024;
/// Most files beside the first.
pub const MAX_FILES: usize = 200;
/// Most objects and lists of a document in JSON: each takes many times its text in memory.
const MAX_PARTS: usize = 600_000;
/// Deepest document.
const MAX_DEPTH: usize = 200;

/// A document and the files it is written in, as far as they are known. Their texts stand in a list beside it: the
/// document's own first.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ApiFiles {
    /// The address it was asked for at, and the one it was found at behind redirects; `None` for a text without a
    /// place.
    pub from: Option<(Url, Url)>,
    /// The further files in the order of their texts, and why one could not be fetched: that has no text.
    pub further: Vec<(Url, Option<String>)>,
}

/// The outcome of reading a document.
#[derive(Debug, Serialize, Deserialize)]
pub enum ApiRead {
    /// These files of it are to be fetched before it can be read.
    Wanted(Vec<Url>),
    /// All that the document describes.
    Whole(Box<Proposals>),
}

impl ApiFiles {
    /// Reads the document, or says which of its files are missing.
    ///
    /// # Errors
    ///
    /// If the document is none that is known, or is damaged.
    pub fn read(self, texts: &[Vec<u8>]) -> Result<ApiRead> {
        let mut texts = texts.iter();
        let mut next = || match texts.next().map(|text| str::from_utf8(text)) {
            Some(Ok(text)) => Ok(text.to_owned()),
            Some(Err(_)) => Err(Error::invalid("The document is not text in UTF-8.")),
            None => Err(Error::internal("a file of a document has no text")),
        };
        let mut document = Document::open(&next()?, self.from)?;
        let mut known: BTreeMap<Url, Result<String>> = BTreeMap::new();
        for (url, missing) in self.further {
            let found = missing.map_or_else(&mut next, |why| Err(Error::upstream(why)));
            known.insert(url, found);
        }
        loop {
            let wanted = document.wanted();
            if wanted.is_empty() {
                return Ok(ApiRead::Whole(Box::new(document.read()?)));
            }
            let missing: Vec<Url> = wanted.iter().filter(|url| !known.contains_key(*url)).cloned().collect();
            if !missing.is_empty() {
                return Ok(ApiRead::Wanted(missing));
            }
            for url in wanted {
                if let Some(found) = known.remove(&url) {
                    document.add(url, found);
                }
            }
        }
    }
}

/// A document as it is read.
struct Document {
    main: File,
    /// The address it was asked for at, and the one it was found at behind redirects; `None` for a text without a
    /// place.
    from: Option<(Url, Url)>,
    /// The further files in the order they were named; none is one that could not be read.
    files: Vec<(Url, Option<File>)>,
    /// Namespaces that schemas without one get from who includes them.
    includers: BTreeMap<Url, String>,
    wanted: BTreeSet<Url>,
    bytes: usize,
    warnings: Vec<String>,
}

/// The contents of a file.
enum File {
    Tree(Value),
    Xml(Element),
    Curl(String),
    /// The introspection of a GraphQL schema that was written down.
    Sdl(Value),
}

impl Document {
    /// Begins with a text. `from` is where it was asked for and where it was found, where it was fetched.
    fn open(text: &str, from: Option<(Url, Url)>) -> Result<Self> {
        let main = File::parse(text)?;
        let (files, wanted, includers) = (Vec::new(), BTreeSet::new(), BTreeMap::new());
        let named = main.named();
        let mut opened = Self { main, from, files, includers, wanted, bytes: text.len(), warnings: Vec::new() };
        let found = opened.found().cloned();
        opened.note(found.as_ref(), named);
        Ok(opened)
    }

    /// The files that are to be fetched and added. They stand on the document's own host: a document leads nobody to
    /// another.
    fn wanted(&mut self) -> Vec<Url> {
        let room = MAX_FILES.saturating_sub(self.files.len());
        let wanted = std::mem::take(&mut self.wanted);
        if wanted.len() > room {
            self.warn(format!("It is written in more than {MAX_FILES} files: the rest is not read."));
        }
        wanted.into_iter().take(room).collect()
    }

    /// Adds a file, or why it could not be fetched.
    fn add(&mut self, url: Url, found: Result<String>) {
        let parsed = found.and_then(|text| {
            self.bytes += text.len();
            if self.bytes > MAX_DOCUMENT {
                return Err(Error::invalid(format!("All its files have more than {} MB.", MAX_DOCUMENT >> 20)));
            }
            File::parse(&text)
        });
        match parsed {
            Ok(file) => {
                let named = file.named();
                self.note(Some(&url), named);
                self.files.push((url, Some(file)));
            }
            Err(error) => {
                let named = text::cut(url.as_str(), 200);
                self.warn(format!("The file {named} is missing: {}", error.message()));
                self.files.push((url, None));
            }
        }
    }

    /// Reads all of it.
    fn read(self) -> Result<Proposals> {
        let Self { main, from, files, includers, warnings, .. } = self;
        let mut read = match main {
            File::Curl(text) => curl::read(&text),
            // Where the schema stands is not where the system is.
            File::Sdl(introspection) => graphql::read(&introspection, None),
            File::Xml(root) => {
                let xml = files.into_iter().filter_map(|(url, file)| match file {
                    Some(File::Xml(root)) => Some((root, includers.get(&url).cloned())),
                    _ => None,
                });
                wsdl::read(&wsdl::files::joined(root, xml.collect()))
            }
            File::Tree(root) => {
                let trees = files.into_iter().filter_map(|(url, file)| match file {
                    Some(File::Tree(tree)) => Some((url, tree)),
                    _ => None,
                });
                let (asked, found) = from.unzip();
                let root = references::joined(root, found.as_ref(), trees.collect());
                let is_graphql = root.get("__schema").is_some() || root.pointer("/data/__schema").is_some();
                let from = asked.as_ref();
                if is_graphql { graphql::read(&root, from) } else { openapi::read(&root, from) }
            }
        }?;
        read.warnings.extend(warnings);
        Ok(read)
    }

    fn found(&self) -> Option<&Url> {
        self.from.as_ref().map(|(_, found)| found)
    }

    /// Takes down what a file refers to.
    fn note(&mut self, base: Option<&Url>, named: Vec<Named>) {
        for Named { place, includer } in named {
            let absolute = base.map_or_else(|| Url::parse(&place), |base| base.join(&place));
            let own = |url: &Url| self.found().is_some_and(|found| found.origin() == url.origin());
            let Some(mut url) = absolute.ok().filter(own) else {
                self.leave(&place);
                continue;
            };
            url.set_fragment(None);
            if let Some(namespace) = includer {
                self.includers.entry(url.clone()).or_insert(namespace);
            }
            let is_main = self.found() == Some(&url);
            if !is_main && !self.files.iter().any(|(known, _)| *known == url) {
                self.wanted.insert(url);
            }
        }
    }

    /// Says that a file is not read.
    fn leave(&mut self, place: &str) {
        let place = text::cut(place, 200);
        match self.from {
            Some(_) => self.warn(format!("Part of it stands on another host, which is not read: '{place}'.")),
            // Where one is missing, all are.
            None if self.warnings.is_empty() => self.warn(format!(
                "Part of it stands in other files, such as '{place}': import it by its address, so that they are read along."
            )),
            None => {}
        }
    }

    fn warn(&mut self, told: String) {
        if self.warnings.len() < 20 && !self.warnings.contains(&told) {
            self.warnings.push(told);
        }
    }
}

/// A file that another names.
pub(super) struct Named {
    /// As it stands there.
    pub(super) place: String,
    /// The namespace of the schema that includes it.
    pub(super) includer: Option<String>,
}

impl File {
    fn parse(text: &str) -> Result<Self> {
        if text.len() > MAX_DOCUMENT {
            return Err(Error::invalid(format!("The document has more than {} MB.", MAX_DOCUMENT >> 20)));
        }
        let text = text.trim_start_matches('\u{feff}').trim();
        if text.is_empty() {
            return Err(Error::invalid("The document is empty."));
        }
        if text.starts_with('<') {
            if let Some(refusal) = web_page::refusal(text) {
                return Err(refusal);
            }
            return xml::parse(text).map(Self::Xml);
        }
        if curl::is_curl(text) {
            return Ok(Self::Curl(text.to_owned()));
        }
        if graphql_sdl::is_schema(text) {
            return graphql_sdl::introspection(text).map(Self::Sdl);
        }
        value(text).map(Self::Tree)
    }

    fn named(&self) -> Vec<Named> {
        match self {
            Self::Tree(value) => references::named(value),
            Self::Xml(root) => wsdl::files::named(root),
            Self::Curl(_) | Self::Sdl(_) => Vec::new(),
        }
    }
}

/// JSON or YAML.
fn value(text: &str) -> Result<Value> {
    let value: Value = if text.starts_with('{') {
        if text.bytes().filter(|byte| matches!(byte, b'{' | b'[')).count() > MAX_PARTS {
            return Err(Error::invalid(format!("The document has more than {MAX_PARTS} objects and lists: split it.")));
        }
        serde_json::from_str(text)
            .map_err(|error| Error::invalid(format!("The document is not valid JSON: {error}.")))?
    } else {
        let budget = serde_saphyr::budget! {
            max_events: 2_000_000,
            max_nodes: 1_000_000,
            max_depth: MAX_DEPTH,
        };
        // What stands for something else is read again each time: little of it is a document, much of it an attack.
        let alias_limits = serde_saphyr::alias_limits! { max_total_replayed_events: 100_000 };
        // Only `true` and `false` are truth values (YAML 1.2): `y` is a coordinate, `NO` is Norway.
        let options = serde_saphyr::options! { budget: budget, alias_limits: alias_limits, strict_booleans: true };
        serde_saphyr::from_str_with_options(text, options).map_err(|error| {
            let what: String = error.to_string().lines().next().unwrap_or_default().chars().take(300).collect();
            Error::invalid(format!("The document is neither JSON nor YAML that can be read: {what}."))
        })?
    };
    match &value {
        Value::Object(_) if json::depth(&value) <= MAX_DEPTH => Ok(value),
        Value::Object(_) => Err(Error::invalid(format!("The document is nested deeper than {MAX_DEPTH} levels."))),
        _ => Err(Error::invalid(
            "This is no document known here: paste OpenAPI, Swagger, a GraphQL schema, a WSDL or a curl command.",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(text: &str) -> Proposals {
        Document::open(text, None).unwrap().read().unwrap()
    }

    const PLACES: &str = "\
openapi: 3.0.3
paths:
  /places:
    get:
      summary: Finds places.
      parameters:
        - {name: y, in: query, required: true, schema: {type: integer}}
        - {name: n, in: query, schema: {type: string, enum: [DE, NO, SE, on, off, yes, 012]}}
        - {name: 7, in: query}
        - {in: query, schema: {type: boolean, enum: [true, False]}}
        - {name: {of: x}, in: header}
    post:
      summary: Adds a place.
      requestBody:
        content:
          application/json:
            schema:
              required: [x, y, 1]
              properties: {x: {type: [integer, null]}, y: {type: integer}, 1: {type: string}}
";

    #[test]
    fn yaml_has_no_other_truth_values_than_true_and_false() {
        let read = read(PLACES);
        let [find, add] = read.operations.as_slice() else { panic!() };
        let names: Vec<&str> = find.parameters.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["y", "n", "7"]);
        let choices = &find.parameters[1].schema["enum"];
        assert_eq!(
            choices.as_array().unwrap()[..6],
            json!(["DE", "NO", "SE", "on", "off", "yes"]).as_array().unwrap()[..]
        );
        let body = &add.parameters[0].schema;
        assert_eq!(body["required"], json!(["x", "y", "1"]));
        assert_eq!(body["properties"]["x"], json!({"type": ["integer", "null"]}));
    }

    #[test]
    fn a_document_of_very_many_parts_is_refused() {
        let text = format!("{{\"openapi\": \"3.0.0\", \"x\": [{}0]}}", "{},".repeat(MAX_PARTS));
        let refused = Document::open(&text, None).err().unwrap();
        assert!(refused.message().contains("split it"), "{refused}");
    }

    #[test]
    fn a_parameter_without_a_name_is_told() {
        let told = read(PLACES).operations[0].warnings.join(" ");
        assert!(
            told.contains("parameter of its query has no name") && told.contains("parameter of its header"),
            "{told}"
        );
    }
}
