//! The statements that stand in the store's source, and how a driver for PostgreSQL would write them.

#![expect(clippy::disallowed_methods, reason = "reads the tree's own files")]

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use crate::tidy::source;

/// The beginnings of statements that a database prepares.
const BEGINNINGS: [&str; 5] = ["SELECT ", "INSERT INTO ", "UPDATE ", "DELETE FROM ", "WITH "];

/// A statement of the source, with one space wherever there are several or lines end.
#[derive(Debug)]
pub struct Text {
    /// The file and the line.
    place: String,
    /// What stands between the places that are filled as it runs.
    parts: Vec<String>,
}

impl Text {
    /// Whether nothing is to be filled in.
    pub fn is_whole(&self) -> bool {
        self.parts.len() == 1
    }

    pub fn is_in(&self, file: &str) -> bool {
        self.place.strip_prefix(file).is_some_and(|line| line.starts_with(':'))
    }

    pub fn holds(&self, part: &str) -> bool {
        self.parts.iter().any(|own| own.contains(part))
    }

    pub fn sql(&self) -> String {
        self.parts.concat()
    }

    /// Whether this statement is what the text becomes with something at each place.
    pub fn is_form_of(&self, sql: &str) -> bool {
        let Some((first, rest)) = self.parts.split_first() else { return false };
        let Some(mut left) = sql.strip_prefix(first.as_str()) else { return false };
        for part in rest {
            let Some(at) = left.find(part.as_str()) else { return false };
            left = &left[at + part.len()..];
        }
        left.is_empty() || rest.last().is_some_and(|last| last.is_empty() || sql.ends_with(last.as_str()))
    }
}

/// Every statement in the source of the store, without its seam and its tests.
pub fn written() -> Vec<Text> {
    let mut files = Vec::new();
    walk(&root().join("src/store"), &mut files);
    let constants = constants(&files);
    let mut found = Vec::new();
    for (file, text) in &files {
        for (line, literal) in source::read(text).strings {
            let filled = fill(&unescaped(&literal), file, &constants);
            let sql = filled.split_whitespace().collect::<Vec<_>>().join(" ");
            if BEGINNINGS.iter().any(|beginning| sql.starts_with(beginning)) {
                found.push(Text { place: format!("{file}:{line}"), parts: parts(&sql) });
            }
        }
    }
    found
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The Rust files of a folder, each cut where its tests begin.
fn walk(folder: &Path, files: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() {
            if !["tests", "sql"].contains(&name) {
                walk(&path, files);
            }
        } else if name.ends_with(".rs") && !name.ends_with("tests.rs") {
            let text = fs::read_to_string(&path).unwrap();
            let text = text.split("#[cfg(test)]\nmod ").next().unwrap().to_owned();
            files.push((path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned(), text));
        }
    }
}

/// The texts that have a name, by file and name.
fn constants(files: &[(String, String)]) -> BTreeMap<(String, String), String> {
    let mut found = BTreeMap::new();
    for (file, text) in files {
        for (at, _) in text.match_indices("const ") {
            let Some((name, rest)) = text[at + "const ".len()..].split_once(": &str =") else { continue };
            let is_name = name.chars().all(|c| c.is_ascii_uppercase() || c == '_');
            if let Some((_, literal)) = source::read(rest).strings.into_iter().next().filter(|_| is_name) {
                found.insert((file.clone(), name.to_owned()), unescaped(&literal));
            }
        }
    }
    found
}

/// A literal as the compiler reads it.
fn unescaped(literal: &str) -> String {
    let mut text = String::new();
    let mut rest = literal;
    while let Some((before, after)) = rest.split_once('\\') {
        text.push_str(before);
        let escaped = after.chars().next().unwrap();
        rest = &after[escaped.len_utf8()..];
        match escaped {
            '\n' => rest = rest.trim_start(),
            'n' => text.push('\n'),
            'u' => {
                let (digits, after) = rest.strip_prefix('{').unwrap().split_once('}').unwrap();
                text.push(char::from_u32(u32::from_str_radix(digits, 16).unwrap()).unwrap());
                rest = after;
            }
            other => text.push(other),
        }
    }
    text + rest
}

/// Puts constants in their places: those of the file, else those it must have from elsewhere.
fn fill(text: &str, file: &str, constants: &BTreeMap<(String, String), String>) -> String {
    let mut filled = text.to_owned();
    let own = constants.iter().filter(|((place, _), _)| place == file);
    let others = constants.iter().filter(|((place, _), _)| place != file);
    let all: Vec<_> = own.chain(others).collect();
    // A constant may name others.
    for _ in 0..4 {
        for ((_, name), value) in &all {
            filled = filled.replace(&format!("{{{name}}}"), value);
        }
    }
    filled
}

/// Cuts a text at the places to be filled, which look as `format!` has them. An empty object of JSON is none.
fn parts(sql: &str) -> Vec<String> {
    const EMPTY: &str = "\u{1}";
    let sql = sql.replace("'{{}}'", EMPTY).replace("'{}'", EMPTY);
    let mut parts = vec![String::new()];
    let mut rest = sql.as_str();
    while let Some((before, after)) = rest.split_once('{') {
        parts.last_mut().unwrap().push_str(before);
        let (_, behind) = after.split_once('}').unwrap();
        parts.push(String::new());
        rest = behind;
    }
    parts.last_mut().unwrap().push_str(rest);
    parts.into_iter().map(|part| part.replace(EMPTY, "'{}'")).collect()
}

/// A statement as a driver for PostgreSQL would send it: `$1` for `?1`, `?` as the next one, and the one function that
/// merely has another name there.
pub fn translated(sql: &str) -> String {
    let mut text = String::new();
    let (mut quoted, mut last) = (false, 0);
    let mut signs = sql.chars().peekable();
    while let Some(sign) = signs.next() {
        quoted ^= sign == '\'';
        if sign != '?' || quoted {
            text.push(sign);
            continue;
        }
        let mut digits = String::new();
        while let Some(digit) = signs.next_if(char::is_ascii_digit) {
            digits.push(digit);
        }
        let number = digits.parse().unwrap_or(last + 1);
        last = last.max(number);
        text.push_str(&format!("${number}"));
    }
    text.replace("instr(", "strpos(")
}

#[test]
fn a_statement_is_known_by_what_stands_around_its_places() {
    let text = Text { place: String::new(), parts: parts("SELECT {a} FROM t WHERE {} AND b = '{}'") };
    assert_eq!(text.parts, ["SELECT ", " FROM t WHERE ", " AND b = '{}'"]);
    assert!(text.is_form_of("SELECT c, d FROM t WHERE TRUE AND b = '{}'"));
    assert!(!text.is_form_of("SELECT c FROM t WHERE b = '{}'"));
    assert!(!text.is_form_of("SELECT c FROM t WHERE TRUE AND b = '{}' LIMIT 1"));
}

#[test]
fn places_for_values_are_written_as_postgresql_has_them() {
    assert_eq!(translated("a = ?2 AND b = '?' AND instr(c, ?) > ?1"), "a = $2 AND b = '?' AND strpos(c, $3) > $1");
    assert_eq!(unescaped("a \\\n   b\\u{1f}\\\"\\\\"), "a b\u{1f}\"\\");
}
