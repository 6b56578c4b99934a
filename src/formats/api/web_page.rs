//! A web page in a document's place: the page that shows an API for people, which names the document it shows.

use regex::Regex;

use super::text;
use satchel_model::error::Error;

/// The number of bytes of a page that are looked at.
const LOOKED_AT: usize = 256 * 1024;
/// The ways in which Swagger UI, Redoc, RapiDoc, Scalar and Elements name the document, in scripts and in attributes.
const NAMED: &str = r#"(?i)(?:\b(?:spec-url|data-url|apidescriptionurl)\s*=\s*|["']?\b(?:url|spec_?url)["']?\s*:\s*)["']([^"'<>\s]{1,500})["']"#;

/// Returns why a text is refused, where it is a web page.
pub(super) fn refusal(text: &str) -> Option<Error> {
    let start: String = text.chars().take(LOOKED_AT).collect();
    let head: String = start.chars().take(2_000).collect::<String>().to_ascii_lowercase();
    let is_page = head.starts_with("<!doctype html") || head.starts_with("<html") || head.contains("<head>");
    if !is_page {
        return None;
    }
    let told = match named(&start) {
        Some(place) => {
            let place = text::cut(place, 200);
            format!("This is a web page that shows the document '{place}': give the address of that instead.")
        }
        None => {
            "This is a web page, not a document: give the address of the OpenAPI file or WSDL itself, which the page \
                 often links to."
                .to_owned()
        }
    };
    Some(Error::invalid(told))
}

fn named(page: &str) -> Option<&str> {
    let pattern = Regex::new(NAMED).ok()?;
    let found = pattern.captures_iter(page).filter_map(|found| found.get(1)).map(|found| found.as_str());
    let mut found = found.filter(|place| !place.starts_with('#') && !place.starts_with("data:"));
    let first = found.next()?;
    let is_likely =
        |place: &&str| ["json", "yaml", "yml", "openapi", "swagger"].iter().any(|word| place.contains(word));
    Some(std::iter::once(first).chain(found).find(is_likely).unwrap_or(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_named_as_one_with_the_document_it_shows() {
        for (page, wanted) in [
            (
                "<!DOCTYPE html><html><head><link href=x></head><script>SwaggerUIBundle({ url: '/openapi.json', dom_id: '#a' })</script>",
                "'/openapi.json'",
            ),
            ("<html><redoc spec-url='https://a.example/api.yaml'></redoc>", "'https://a.example/api.yaml'"),
            (
                "<!doctype html><script>x({\"url\": \"/theme.css\"}); y({\"url\": \"v1/swagger.json\"})</script>",
                "'v1/swagger.json'",
            ),
            ("<html><p>Hello.</p></html>", "not a document"),
        ] {
            let told = refusal(page).unwrap();
            assert!(told.message().contains(wanted), "{told}");
        }
        assert!(refusal("<?xml version=\"1.0\"?><definitions/>").is_none());
    }
}
