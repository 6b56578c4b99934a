//! OpenAPI 3.0 and 3.1, and Swagger 2.

mod auth;
mod operation;
mod parts;
mod styles;
#[cfg(test)]
mod tests;

use serde_json::Value;
use url::Url;

use self::{
    auth::Security,
    operation::{One, Place},
};
use super::{
    budget::{self, Budget},
    schema::Inliner,
    text,
};
use satchel_model::{
    catalog::proposal::Proposals,
    error::{Error, Result},
};

/// Longest path; an endpoint takes no longer one.
const MAX_PATH: usize = 2_000;
/// Most doubts of the whole document, and of one operation, that are told.
const MAX_DOUBTS: usize = 50;
/// The methods an operation may have.
const METHODS: &[&str] = &["get", "put", "post", "delete", "options", "head", "patch"];

/// Reads a document.
///
/// # Errors
///
/// If it is none, or has too many operations.
pub fn read(document: &Value, from: Option<&Url>) -> Result<Proposals> {
    read_within(document, from, budget::DOCUMENT)
}

/// The same, where its operations together may take `most` in memory.
fn read_within(document: &Value, from: Option<&Url>, most: usize) -> Result<Proposals> {
    let version = document.get("openapi").or_else(|| document.get("swagger")).and_then(text::word);
    let Some(version) = version else {
        return Err(Error::invalid(
            "The document is neither OpenAPI nor Swagger: it has no `openapi` and no `swagger` field.",
        ));
    };
    let swagger = document.get("swagger").is_some();
    if !(version.starts_with("3.") || (swagger && version.starts_with('2'))) {
        return Err(Error::invalid(format!(
            "OpenAPI {} is not known here: 3.0, 3.1 and Swagger 2 are.",
            text::cut(&version, 20)
        )));
    }
    let short: String = version.split('.').take(2).collect::<Vec<_>>().join(".");
    let base_url = parts::base_url(document, swagger, from);
    let under = base_url.as_ref().and_then(|base| Url::parse(&format!("{base}/")).ok());
    let security = Security::new(document, swagger, under.as_ref().or(from));
    let mut read = Proposals {
        format: if swagger { "Swagger 2".to_owned() } else { format!("OpenAPI {short}") },
        title: text::cut(parts::text_at(document, "/info/title").trim(), 100),
        description: text::tidy(parts::text_at(document, "/info/description")),
        base_url,
        auth: security.auth.clone(),
        warnings: security.warnings.clone(),
        ..Proposals::default()
    };
    let places = places(document, &mut read.warnings);
    let (mut budget, mut cut) = (Budget::new(most, places.len())?, 0);
    for (path, item, method, operation) in places {
        let place = Place { base: read.base_url.as_deref(), from, security: &security };
        let one = One { document, path, method, item, operation, swagger, place };
        let (proposal, allowance) = one.proposal(budget.next());
        budget.spend(&allowance);
        cut += usize::from(allowance.is_spent() && !allowance.is_whole());
        read.operations.push(proposal);
    }
    if cut > 0 {
        read.warnings.push(format!(
            "The document says more than is kept of one: large schemas of {cut} operations are cut further than in a \
             smaller document. Import it in parts, such as by tag, to have them whole."
        ));
    }
    doubt(document, swagger, &mut read);
    Ok(read)
}

/// The operations and where they stand: path, its item, method.
fn places<'a>(document: &'a Value, warnings: &mut Vec<String>) -> Vec<(&'a str, &'a Value, &'static str, &'a Value)> {
    let mut places = Vec::new();
    for (path, item) in document.get("paths").and_then(Value::as_object).into_iter().flatten() {
        let mut inliner = Inliner::new(document);
        let item = inliner.resolve(item);
        let doubt = match inliner.missing {
            Some(missing) => Some(format!("refers to '{missing}', which is not in the document")),
            None if path.len() > MAX_PATH => Some(format!("is longer than {MAX_PATH} bytes")),
            None => None,
        };
        if let Some(doubt) = doubt {
            warnings.push(format!("'{}' {doubt}: it is left out.", text::cut(path, 100)));
            warnings.truncate(MAX_DOUBTS);
            continue;
        }
        let named = METHODS.iter().filter_map(|method| Some((*method, item.get(*method)?)));
        let named = named.filter(|(_, operation)| operation.is_object());
        places.extend(named.map(|(method, operation)| (path.as_str(), item, method, operation)));
    }
    places
}

/// Says what is doubtful about the whole.
fn doubt(document: &Value, swagger: bool, read: &mut Proposals) {
    if read.operations.is_empty() {
        read.warnings.push("The document has no operations.".to_owned());
    }
    if read.base_url.is_none() {
        read.warnings.push(match parts::base_path(document, swagger) {
            Some(path) => format!("The document does not say its host: enter the base URL with the path {path}, such as https://crm.example.org{path}."),
            None => "The document does not say where the system is: enter its base URL.".to_owned(),
        });
    }
    if let Some(both) = auth::asked_together(document) {
        read.warnings
            .push(format!("The system asks for {both} at once: only one credential is sent, so it may refuse calls."));
    }
}
