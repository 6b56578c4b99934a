//! The readable part of a web page: the article, without what stands around it.

use dom_smoothie::{Config, Readability};

use super::{
    extracted::{Extracted, Kind},
    kind,
    limits::Limits,
    read,
};
use satchel_model::error::Result;

/// Largest page that is looked at as a whole.
const LARGEST: usize = 4 << 20;
/// Most tags: a page with more is no article.
pub(super) const TAGS: usize = 100_000;
/// Deepest nesting; a page of people is nested less deep by far.
const DEEPEST: usize = 400;
/// An article shorter than this is rather a page whose text was not understood.
pub(super) const SHORTEST: usize = 200;

/// An article.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Article {
    /// Its title.
    title: String,
    /// Its content, HTML.
    html: String,
}

/// Reads a page for its article; the whole page where it is none, and any other file as it is.
///
/// # Errors
///
/// As [`read::read`].
pub(super) fn read(bytes: Vec<u8>, name: &str, address: Option<&str>, limits: &Limits) -> Result<Extracted> {
    if !kind::detect(&bytes, name).is_ok_and(|kind| kind == Kind::Html) {
        return read::read(bytes, name, limits);
    }
    let extracted = read::read(&bytes, name, limits)?;
    let page = String::from_utf8_lossy(&bytes);
    let Some(article) = article(&page, address) else { return Ok(extracted) };
    let mut inner = read::read(article.html.as_bytes(), "article.html", limits)?;
    inner.title = Some(article.title).filter(|title| !title.is_empty()).or(extracted.title);
    Ok(inner)
}

/// The article of a page; `None` if there is no telling what it is.
fn article(page: &str, address: Option<&str>) -> Option<Article> {
    if is_too_much(page) {
        return None;
    }
    let config = Config { max_elements_to_parse: TAGS, ..Config::default() };
    let article = Readability::new(page, address, Some(config)).ok()?.parse().ok()?;
    let (title, html) = (article.title.trim().to_owned(), article.content.to_string());
    (article.text_content.trim().chars().count() >= SHORTEST).then_some(Article { title, html })
}

/// Larger than is looked at as a whole, or built to hang who does.
pub(super) fn is_too_much(page: &str) -> bool {
    page.len() > LARGEST || is_hostile(page)
}

/// Nested deeper, or with more tags, than a tree of it is worth.
fn is_hostile(page: &str) -> bool {
    let (mut depth, mut tags) = (0_usize, 0_usize);
    let bytes = page.as_bytes();
    for (at, _) in page.match_indices('<') {
        tags += 1;
        match bytes.get(at + 1) {
            Some(b'/') => depth = depth.saturating_sub(1),
            Some(c) if c.is_ascii_alphabetic() && !is_alone(page.get(at + 1..).unwrap_or_default()) => depth += 1,
            _ => {}
        }
        if tags > TAGS || depth > DEEPEST {
            return true;
        }
    }
    false
}

/// Elements that are often not closed.
fn is_alone(tag: &str) -> bool {
    let name: String =
        tag.chars().take_while(char::is_ascii_alphanumeric).take(8).collect::<String>().to_ascii_lowercase();
    let known = [
        "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr", "p",
        "li", "td", "tr", "th", "dt", "dd", "option",
    ];
    known.contains(&name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_article_is_found_among_what_surrounds_it() {
        let text =
            "<p>The heron waits at the water's edge for hours, and does not move at all until a fish comes by.</p>";
        let page = format!(
            "<html><head><title>Herons - The Bird Page</title></head><body><div id=menu><a href=/>Home</a> <a href=/x>Shop</a></div>\
             <article><h1>Herons</h1>{}</article><footer>Imprint, cookies</footer></body></html>",
            text.repeat(8)
        );
        let article = article(&page, Some("https://a.example/herons")).unwrap();
        assert!(article.title.contains("Herons"), "{}", article.title);
        assert!(article.html.contains("heron waits") && !article.html.contains("cookies"), "{}", article.html);
    }

    #[test]
    fn what_is_no_article_is_left_alone() {
        assert_eq!(article("<html><body><p>Hi.</p></body></html>", None), None);
        assert_eq!(article(&"<div>".repeat(1_000), None), None);
        assert_eq!(article(&"<b>x</b>".repeat(100_001), None), None);
    }
}
