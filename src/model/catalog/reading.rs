//! The ways servers may read a path: as it is written, and with its escapes taken off before it is split. What is
//! registered for a call is looked up in every reading.

use std::fmt::Write as _;

use super::place::{Template, decode};

/// Most layers of escapes that are taken off.
const LAYERS: usize = 5;
/// The count of a segment without a parameter, against the letters of one that has one.
const FIXED: usize = 1_000;

/// One reading of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// Its segments, spelled in one way.
    strict: Vec<String>,
    /// Its segments as the laxest servers may see them.
    lax: Vec<Vec<String>>,
}

/// The extent to which a template fixes each segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fixed(Vec<usize>);

impl Fixed {
    /// Returns whether this is closer to the path than another: it fixes more of it, and nowhere less.
    pub fn is_closer_than(&self, other: &Self) -> bool {
        self != other && self.0.iter().zip(&other.0).all(|(own, other)| own >= other)
    }

    /// Returns how much it fixes altogether.
    pub fn sum(&self) -> usize {
        self.0.iter().sum()
    }
}

/// Every reading of a path, the written one first. Its query is left out.
pub fn readings(path: &str) -> Vec<Reading> {
    let mut text = path.split(['?', '#']).next().unwrap_or_default().to_owned();
    let mut found = vec![Reading::new(&text)];
    for _ in 0..LAYERS {
        let decoded = decode(&text);
        if decoded == text {
            break;
        }
        found.push(Reading::new(&decoded));
        text = decoded;
    }
    found
}

impl Reading {
    fn new(path: &str) -> Self {
        let strict = path.strip_prefix('/').unwrap_or(path).split('/').map(spelled).collect();
        Self { strict, lax: lax(path) }
    }
}

/// The ways in which the laxest servers may split a path: no matter how slashes lean and how many there are, without
/// what follows a semicolon or a question mark, and without the ending that names a format.
fn lax(path: &str) -> Vec<Vec<String>> {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let segments = path.split(['/', '\\']).filter(|segment| !segment.is_empty());
    let whole: Vec<String> = segments.map(plain).collect();
    let filled: Vec<String> = whole.iter().filter(|segment| !segment.is_empty()).cloned().collect();
    let mut ways = vec![whole, filled];
    for way in ways.clone() {
        if let Some((last, before)) = way.split_last()
            && let Some((stem, _)) = last.rsplit_once('.')
        {
            ways.push(before.iter().cloned().chain([stem.to_owned()]).collect());
        }
    }
    ways.dedup();
    ways
}

/// A segment as the laxest server may read it.
fn plain(segment: &str) -> String {
    let mut text = segment.to_owned();
    for _ in 0..LAYERS {
        if !text.contains('%') {
            break;
        }
        text = decode(&text);
    }
    text.split([';', '?', '#']).next().unwrap_or_default().trim().to_lowercase()
}

/// A segment in the one spelling in which it goes out: what a URL cannot hold as codes, and those in capitals.
fn spelled(segment: &str) -> String {
    let mut text = String::with_capacity(segment.len());
    let mut digits = 0;
    for byte in segment.bytes() {
        let in_code = digits > 0 && byte.is_ascii_hexdigit();
        digits = if byte == b'%' {
            2
        } else if in_code {
            digits - 1
        } else {
            0
        };
        match byte {
            _ if in_code => text.push(char::from(byte.to_ascii_uppercase())),
            b'!'..=b'~' if !b"\"<>`{}|^\\".contains(&byte) => text.push(char::from(byte)),
            // Writing to a text cannot fail.
            other => drop(write!(text, "%{other:02X}")),
        }
    }
    text
}

/// A registered path, ready to be compared: each segment as the texts around its parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    strict: Vec<Vec<String>>,
    lax: Vec<Vec<String>>,
}

impl Pattern {
    /// Of a template.
    pub fn new(template: &Template) -> Self {
        let text = template.text();
        let split = |change: fn(&str) -> String| {
            let segments = text.strip_prefix('/').unwrap_or(&text).split('/');
            segments.map(|segment| around(segment).into_iter().map(change).collect()).collect()
        };
        let mut lax: Vec<Vec<String>> = split(plain);
        lax.retain(|segment| segment.iter().any(|text| !text.is_empty()) || segment.len() > 1);
        Self { strict: split(spelled), lax }
    }

    /// Returns how much of a reading it fixes, where that is exactly what it says: to the letter, and with a value for
    /// every parameter.
    pub fn fits(&self, reading: &Reading) -> Option<Fixed> {
        if self.strict.len() != reading.strict.len() {
            return None;
        }
        let pairs = self.strict.iter().zip(&reading.strict);
        pairs.map(|(texts, segment)| filled(texts, segment, 1)).collect::<Option<_>>().map(Fixed)
    }

    /// Returns whether some server may take a reading for it.
    pub fn may_fit(&self, reading: &Reading) -> bool {
        reading.lax.iter().any(|way| self.lax.len() == way.len() && self.may_begin_way(way))
    }

    /// Whether a reading may lie below it: some servers give what is mounted at a place all that begins with it. Of what is at
    /// the base URL itself nothing is said.
    pub fn may_begin(&self, reading: &Reading) -> bool {
        !self.lax.is_empty() && reading.lax.iter().any(|way| self.lax.len() < way.len() && self.may_begin_way(way))
    }

    fn may_begin_way(&self, way: &[String]) -> bool {
        self.lax.iter().zip(way).all(|(texts, segment)| filled(texts, segment, 0).is_some())
    }
}

/// The texts around the parameters of a segment: one more than there are parameters.
fn around(segment: &str) -> Vec<&str> {
    let (mut texts, mut rest) = (Vec::new(), segment);
    while let Some((before, after)) = rest.split_once('{') {
        texts.push(before);
        rest = after.split_once('}').map_or("", |(_, after)| after);
    }
    texts.push(rest);
    texts
}

/// Returns how much these texts fix of a segment that has them in their order, with values of at least so many bytes
/// between.
fn filled(texts: &[String], segment: &str, least: usize) -> Option<usize> {
    let (first, between, last) = match texts {
        [only] => return (only == segment).then_some(FIXED),
        [first, between @ .., last] => (first, between, last),
        [] => return None,
    };
    let mut rest = segment.strip_prefix(first.as_str())?.strip_suffix(last.as_str())?;
    for text in between {
        let at = rest.get(least..)?.find(text.as_str())?;
        rest = rest.get(least + at + text.len()..)?;
    }
    (rest.len() >= least).then(|| texts.iter().map(String::len).sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pattern(template: &str) -> Pattern {
        Pattern::new(&Template::parse(template).unwrap())
    }

    /// In how many readings of a path a template fits, and in how many it may.
    fn fits(template: &str, path: &str) -> (usize, usize) {
        let (pattern, all) = (pattern(template), readings(path));
        let exact = all.iter().filter(|reading| pattern.fits(reading).is_some()).count();
        (exact, all.iter().filter(|reading| pattern.may_fit(reading)).count())
    }

    #[test]
    fn only_what_is_written_to_the_letter_fits() {
        for (template, path) in [
            ("/", "/"),
            ("/", ""),
            ("/users/{id}", "/users/7"),
            ("/users/", "/users/?q=1"),
            ("/users/{id}/files/{name}.json", "/users/7/files/a.b.json"),
            ("/{a}x{b}:go", "/1x2:go"),
        ] {
            assert_eq!(fits(template, path), (1, 1), "{template} {path}");
        }
        // A letter beyond ASCII has one spelling in a URL.
        assert_eq!(fits("/übersicht/{id}", "/%c3%bcbersicht/%C3%BC"), (2, 2));
        for (template, path) in [
            ("/users/me", "/users/ME"),
            ("/users/me", "/users/me;7"),
            ("/users/me", "/users/me/"),
            ("/users/me", "/users/;x/me"),
            ("/users/me", "/users/me.json"),
        ] {
            assert_eq!(fits(template, path), (0, 1), "{template} {path}");
        }
        for (template, path) in [
            ("/users/{id}", "/users"),
            ("/users/{id}", "/users/7/x"),
            ("/users/{id}.json", "/users/7.xml"),
            ("/{a}x{b}", "/12"),
            ("/me", "/you"),
        ] {
            assert_eq!(fits(template, path), (0, 0), "{template} {path}");
        }
    }

    #[test]
    fn what_lies_below_a_place_begins_with_it() {
        let below = |template: &str, path: &str| pattern(template).may_begin(&readings(path)[0]);
        assert!(below("/graphql", "/graphql/x") && below("/graphql/", "/GraphQL/x/y") && below("/{a}/gql", "/1/gql/x"));
        assert!(!below("/graphql", "/graphql") && !below("/graphql", "/graphqlx/y") && !below("/", "/x"));
    }

    #[test]
    fn a_path_is_read_with_and_without_each_layer_of_escapes() {
        assert_eq!(fits("/admin/{x}", "/admin%2Fwipe"), (1, 1));
        assert_eq!(fits("/admin/wipe", "/admin%252fwipe"), (1, 1));
        assert_eq!(fits("/{x}", "/admin%2Fwipe"), (1, 1));
        assert_eq!(fits("/admin/wipe", "/admin/%77ipe"), (1, 2));
        assert_eq!(fits("/admin/wipe", "/admin%5cwipe"), (0, 1));
        assert_eq!(fits("/admin/wipe", "/admin/wipe%3Fa"), (0, 2));
    }

    #[test]
    fn the_closer_template_fixes_more_and_nowhere_less() {
        let fixed = |template: &str, path: &str| pattern(template).fits(&readings(path)[0]).unwrap();
        let closer = |one: &str, other: &str, path: &str| fixed(one, path).is_closer_than(&fixed(other, path));
        assert!(closer("/users/me", "/users/{id}", "/users/me") && !closer("/users/{id}", "/users/me", "/users/me"));
        assert!(closer("/f/{name}.json", "/f/{name}", "/f/a.json"));
        assert!(!closer("/a/{x}", "/{y}/b", "/a/b") && !closer("/{y}/b", "/a/{x}", "/a/b"));
        assert!(!closer("/a/{x}", "/a/{y}", "/a/b"));
        assert_eq!(fixed("/a/{x}", "/a/b").sum(), 1_000);
    }

    proptest! {
        #[test]
        fn a_filled_template_is_found_again(value in "\\PC{1,20}") {
            let template = Template::parse("/a/{v}/b").unwrap();
            if let Ok(path) = template.fill(|_| Some(value.clone())) {
                prop_assert!(Pattern::new(&template).fits(&readings(&path)[0]).is_some());
                prop_assert!(readings(&path).iter().any(|reading| Pattern::new(&template).may_fit(reading)));
            }
        }
    }
}
