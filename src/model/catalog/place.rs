//! Paths under a base URL: templates, what fits them, and that nothing leads out from under it.

use std::fmt::Write as _;

use url::Url;

use crate::{
    error::{Error, Result},
    text::printable,
};

/// Longest path.
const LONGEST: usize = 2_000;

/// A path with `{name}` where a value goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Name(String),
}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    ///
    /// If it is no path under a base URL.
    pub fn parse(text: &str) -> Result<Self> {
        let (path, query) = text.split_once(['?', '#']).map_or((text, false), |(path, _)| (path, true));
        if query {
            return Err(Error::invalid("The path of an endpoint has no query: declare query parameters instead."));
        }
        require_inside(path)?;
        let (mut parts, mut rest) = (Vec::new(), path);
        while let Some((before, after)) = rest.split_once('{') {
            let (name, after) = after.split_once('}').filter(|(name, _)| is_name(name)).ok_or_else(|| {
                Error::invalid(format!(
                    "The path '{}' has a brace that names nothing: write /users/{{id}}.",
                    printable(text, 80)
                ))
            })?;
            if !before.is_empty() {
                parts.push(Part::Text(before.to_owned()));
            }
            parts.push(Part::Name(name.to_owned()));
            rest = after;
        }
        if !rest.is_empty() {
            parts.push(Part::Text(rest.to_owned()));
        }
        Ok(Self { parts })
    }

    /// The names in it, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Name(name) => Some(name.as_str()),
            Part::Text(_) => None,
        })
    }

    /// The path with its values, each encoded so that it stays within its segment.
    pub fn fill(&self, value: impl Fn(&str) -> Option<String>) -> Result<String> {
        let mut path = String::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => path.push_str(text),
                Part::Name(name) => {
                    let value = value(name).filter(|value| !value.is_empty());
                    let value = value.ok_or_else(|| Error::invalid(format!("The path needs a value for '{name}'.")))?;
                    encode(&value, &mut path);
                }
            }
        }
        require_inside(&path)?;
        Ok(path)
    }

    /// Returns it with a value in each place that has one, encoded as [`Template::fill`] does.
    pub(super) fn fill_some(self, value: impl Fn(&str) -> Option<String>) -> Self {
        let filled = |part| match part {
            Part::Name(name) => match value(&name).filter(|value| !value.is_empty()) {
                Some(value) => {
                    let mut text = String::new();
                    encode(&value, &mut text);
                    Part::Text(text)
                }
                None => Part::Name(name),
            },
            text => text,
        };
        Self { parts: self.parts.into_iter().map(filled).collect() }
    }

    /// It as it was written.
    pub(super) fn text(&self) -> String {
        let part = |part: &Part| match part {
            Part::Text(text) => text.clone(),
            Part::Name(name) => format!("{{{name}}}"),
        };
        self.parts.iter().map(part).collect()
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.len() <= 100 && !name.chars().any(|c| c.is_control() || "/{}?#".contains(c))
}

/// Puts a path, with its query where it has one, under a base URL.
///
/// # Errors
///
/// If it would lead anywhere else.
pub fn join(base: &Url, path: &str) -> Result<Url> {
    let (path, query) = path.split_once('?').map_or((path, None), |(path, query)| (path, Some(query)));
    require_inside(path)?;
    let under = base.path().trim_end_matches('/');
    let mut url = base.clone();
    url.set_path(&format!("{under}{path}"));
    url.set_query(query.filter(|query| !query.is_empty()));
    url.set_fragment(None);
    let prefix = format!("{under}/");
    let stays =
        url.origin() == base.origin() && (url.path().starts_with(&prefix) || url.path() == under || path == "/");
    // Whatever the parser makes of it, it has as many segments as were asked for.
    let counted = url.path().matches('/').count() == under.matches('/').count() + path.matches('/').count();
    if stays && counted { Ok(url) } else { Err(outside(path)) }
}

/// Checks that a path stays under where it is put.
///
/// # Errors
///
/// If it could be read as leading out from there.
pub fn require_inside(path: &str) -> Result<()> {
    if !path.starts_with('/') {
        return Err(Error::invalid(format!(
            "The path '{}' must begin with a slash: it is put under the base URL.",
            printable(path, 80)
        )));
    }
    if path.len() > LONGEST {
        return Err(Error::invalid(format!("A path has at most {LONGEST} bytes.")));
    }
    let strange = |c: char| c.is_control() || c == '\\' || c == '#';
    if path.starts_with("//") || path.contains("//") || path.chars().any(strange) {
        return Err(outside(path));
    }
    // Encoded twice or thrice: each server on the way may take one layer off.
    let mut text = path.to_owned();
    for _ in 0..4 {
        let climbs = |segment: &str| matches!(segment.split(';').next(), Some("." | ".."));
        if text.split(['/', '\\']).any(climbs) || text.chars().any(char::is_control) {
            return Err(outside(path));
        }
        let decoded = decode(&text);
        if decoded == text {
            return Ok(());
        }
        text = decoded;
    }
    Err(outside(path))
}

fn outside(path: &str) -> Error {
    Error::invalid(format!("The path '{}' would lead out from under the system's base URL.", printable(path, 80)))
}

/// A text as one segment of a path holds it.
fn encode(text: &str, into: &mut String) {
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => into.push(char::from(byte)),
            // Writing to a text cannot fail.
            other => drop(write!(into, "%{other:02X}")),
        }
    }
}

/// A text with one layer of percent-encoding taken off.
pub fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let (mut decoded, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while let Some(byte) = bytes.get(at) {
        let code = (*byte == b'%').then(|| text.get(at + 1..at + 3)).flatten();
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(value) => {
                decoded.push(value);
                at += 3;
            }
            None => {
                decoded.push(*byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn base() -> Url {
        Url::parse("https://crm.example/api/v2").unwrap()
    }

    #[test]
    fn a_path_is_put_under_the_base() {
        let at = |path: &str| join(&base(), path).unwrap().to_string();
        assert_eq!(at("/users/7"), "https://crm.example/api/v2/users/7");
        assert_eq!(at("/users?q=a%20b"), "https://crm.example/api/v2/users?q=a%20b");
        assert_eq!(at("/"), "https://crm.example/api/v2/");
        assert_eq!(at("/groups/a%2Fb"), "https://crm.example/api/v2/groups/a%2Fb");
        let root = Url::parse("https://crm.example/").unwrap();
        assert_eq!(join(&root, "/users").unwrap().as_str(), "https://crm.example/users");
    }

    #[test]
    fn no_path_leads_out_from_under_the_base() {
        for path in [
            "users",
            "",
            "//evil.example/x",
            "/../admin",
            "/a/../../admin",
            "/a/..",
            "/./a",
            "/%2e%2e/admin",
            "/%2E./x",
            "/%252e%252e/admin",
            "/a/..;/admin",
            "/a/..%2fadmin",
            "/a/%2e%2e%5cadmin",
            "/a\\..\\b",
            "/a\t/b",
            "/a\n",
            "/a#b",
            "/a%00b",
            "/a//b",
            "https://evil.example/",
            "/%25252525252e",
        ] {
            assert!(join(&base(), path).is_err(), "{path}");
        }
    }

    #[test]
    fn a_template_is_filled() {
        let template = Template::parse("/users/{id}/files/{name}.json").unwrap();
        assert_eq!(template.names().collect::<Vec<_>>(), ["id", "name"]);
        let path = template.fill(|name| Some(format!("{name} /?")));
        assert_eq!(path.unwrap(), "/users/id%20%2F%3F/files/name%20%2F%3F.json");
        assert!(template.fill(|_| None).is_err());
        assert!(template.fill(|_| Some("..".to_owned())).is_err());
        assert_eq!(template.text(), "/users/{id}/files/{name}.json");
    }

    #[test]
    fn a_broken_template_is_refused() {
        for text in ["/a/{", "/a/{}", "/a/{b", "a", "/a?b={c}", "/../a"] {
            assert!(Template::parse(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn whatever_a_path_holds_it_stays_under_the_base(path in "/[a-z./%25eEfF\\\\;?#:@ \\t]{0,20}") {
            if let Ok(url) = join(&base(), &path) {
                prop_assert!(url.as_str().starts_with("https://crm.example/api/v2/"), "{path} -> {url}");
            }
        }

        #[test]
        fn whatever_a_value_holds_it_stays_in_its_segment(value in "\\PC{1,20}") {
            let template = Template::parse("/a/{v}/b").unwrap();
            if let Ok(path) = template.fill(|_| Some(value.clone())) {
                prop_assert_eq!(path.matches('/').count(), 3);
            }
        }
    }
}
