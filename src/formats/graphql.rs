//! The effect of a GraphQL document, without a schema: which operation runs, of which kind, and the fields it asks for.
//!
//! Grammar: <https://spec.graphql.org/October2021/#sec-Document-Syntax>.

mod fields;

use std::{
    borrow::Cow,
    collections::{BTreeSet, HashMap},
};

use async_graphql_parser::{
    parse_query,
    types::{DocumentOperations, OperationDefinition, OperationType},
};

use crate::model::error::{Error, Result};

/// Deepest brackets, and fragments in fragments: as deep go the parser and what reads its answer.
const MAX_DEPTH: usize = 64;
/// Longest document, in bytes.
const MAX_LENGTH: usize = 1 << 20;
/// Most bytes of it beside texts, comments and blanks: each may become some 500 bytes in memory.
const MAX_WORDS: usize = 1 << 16;

/// The kinds of operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Reads.
    Query,
    /// Writes.
    Mutation,
    /// Listens.
    Subscription,
}

/// The operation that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// Its kind.
    pub kind: Kind,
    /// Its outermost fields by their own names, fragments followed; none twice.
    pub fields: Vec<String>,
    /// All its fields by their own names, each behind those it stands in: `customer`, `customer.rename`.
    pub paths: BTreeSet<String>,
}

impl Operation {
    /// Returns what it does, in the words of its schema: for each outermost field the path that all it asks for there
    /// has in common, as `customer.rename`. Its own name says nothing: whoever asks chooses it.
    pub fn actions(&self) -> Vec<&str> {
        let mut common: HashMap<&str, &str> = HashMap::new();
        for leaf in self.leaves() {
            let path = common.entry(leaf.split('.').next().unwrap_or(leaf)).or_insert(leaf);
            *path = common_path(path, leaf);
        }
        self.fields.iter().filter_map(|field| common.get(field.as_str()).copied()).collect()
    }

    /// The paths of fields in which no other is asked for.
    pub fn leaves(&self) -> impl Iterator<Item = &str> {
        // No character of a name sorts before the dot: what stands in a field follows it.
        let following = self.paths.iter().skip(1).map(Some).chain([None]);
        let is_leaf = |path: &str, next: Option<&String>| {
            next.and_then(|next| next.strip_prefix(path)).is_none_or(|rest| !rest.starts_with('.'))
        };
        self.paths.iter().zip(following).filter(move |(path, next)| is_leaf(path, *next)).map(|(path, _)| path.as_str())
    }
}

/// The fields that two paths have in common from the outermost on.
fn common_path<'a>(one: &'a str, other: &str) -> &'a str {
    let same = one.split('.').zip(other.split('.')).take_while(|(a, b)| a == b).map(|(field, _)| field.len() + 1);
    one.get(..same.sum::<usize>().saturating_sub(1)).unwrap_or(one)
}

/// Returns the operation a document runs, by its name where there are several.
///
/// # Errors
///
/// A document that is none, or of which it is not clear what it runs.
pub fn operation(document: &str, name: Option<&str>) -> Result<Operation> {
    if document.len() > MAX_LENGTH {
        return Err(Error::invalid(format!("The GraphQL document is longer than {MAX_LENGTH} bytes.")));
    }
    ensure_read_alike(document)?;
    // No text decides what runs; without them the parser refuses none that another spells otherwise.
    let bare = bare(document)?;
    if bare.bytes().filter(|byte| !b" ,\t\r\n".contains(byte)).count() > MAX_WORDS {
        return Err(wrong(&format!("it is longer than {MAX_WORDS} bytes beside texts and comments")));
    }
    ensure_depth(&bare)?;
    let document = parse_query(bare).map_err(|error| unreadable("document", &error))?;
    let operation = choose(&document.operations, name)?;
    let (fields, paths) = fields::collect(&document, &operation.selection_set.node)?;
    let kind = match operation.ty {
        OperationType::Query => Kind::Query,
        OperationType::Mutation => Kind::Mutation,
        OperationType::Subscription => Kind::Subscription,
    };
    Ok(Operation { kind, fields, paths })
}

/// Refuses what servers read in different ways: where a comment ends, and where a text does, decides what runs.
fn ensure_read_alike(document: &str) -> Result<()> {
    let lines = ['\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'];
    let is_lone_return = document.replace("\r\n", "").contains('\r');
    if is_lone_return || document.contains(lines) {
        return Err(wrong(
            "its lines must end with \\n or \\r\\n, and other characters that end a line must be escaped",
        ));
    }
    if document.contains("\\\"\"\"") {
        return Err(wrong("a text must not hold \\\"\"\": give it as a variable"));
    }
    Ok(())
}

fn choose<'a>(operations: &'a DocumentOperations, name: Option<&str>) -> Result<&'a OperationDefinition> {
    let operations = operations.iter().map(|(own, operation)| (own.map(|own| own.as_str()), operation));
    let mut operations: Vec<_> = operations.collect();
    operations.sort_by_key(|(_, operation)| operation.pos);
    let names: Vec<&str> = operations.iter().map(|(own, _)| own.unwrap_or("one without a name")).collect();
    let listed = names.join(", ");
    let several = operations.len() > 1;
    let found = operations.into_iter().find(|(own, _)| name.is_none() || *own == name);
    match (found, name) {
        (Some(_), None) if several => {
            Err(Error::invalid(format!("The document has several operations: name one as operation_name: {listed}.")))
        }
        (Some((_, operation)), _) => Ok(&operation.node),
        (None, Some(name)) => Err(Error::invalid(format!("The document has no operation '{name}'. It has: {listed}."))),
        (None, None) => Err(wrong("it has no operation")),
    }
}

/// Refuses brackets that nest deeper than the parser's stack should go.
///
/// # Errors
///
/// A text that is nested deeper, or one of whose texts has no end.
pub(super) fn ensure_shallow(document: &str) -> Result<()> {
    ensure_depth(&bare(document)?)
}

fn ensure_depth(bare: &str) -> Result<()> {
    let mut depth = 0_usize;
    for byte in bare.bytes() {
        match byte {
            b'[' | b'{' | b'(' => depth += 1,
            b']' | b'}' | b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_DEPTH {
            return Err(Error::invalid(format!("What is GraphQL here is nested deeper than {MAX_DEPTH} levels.")));
        }
    }
    Ok(())
}

/// The document with empty texts and no comments; places stay.
///
/// # Errors
///
/// A text that has no end.
fn bare(document: &str) -> Result<Cow<'_, str>> {
    let blank = |c: char| if matches!(c, '\n' | '\r') { c } else { ' ' };
    let (mut bare, mut rest) = (String::new(), document);
    while let Some((before, from)) = rest.find(['"', '#']).and_then(|at| rest.split_at_checked(at)) {
        bare.push_str(before);
        let is_text = from.starts_with('"');
        let length = if is_text { text(from)? } else { from.find(['\n', '\r']).unwrap_or(from.len()) };
        let (piece, after) = from.split_at_checked(length).ok_or_else(|| wrong("it cannot be cut there"))?;
        let kept = if is_text { "\"\"" } else { "" };
        bare.push_str(kept);
        bare.extend(piece.chars().skip(kept.len()).map(blank));
        rest = after;
    }
    if bare.is_empty() {
        return Ok(document.into());
    }
    bare.push_str(rest);
    Ok(bare.into())
}

/// The length of a text with its quotes.
fn text(rest: &str) -> Result<usize> {
    let unfinished = || wrong("a text has no end");
    if let Some(block) = rest.strip_prefix("\"\"\"") {
        let mut from = 0;
        loop {
            let end = from + block.get(from..).and_then(|rest| rest.find("\"\"\"")).ok_or_else(unfinished)?;
            if !block.get(..end).unwrap_or_default().ends_with('\\') {
                return Ok(end + 6);
            }
            from = end + 3;
        }
    }
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            '\n' | '\r' => return Err(unfinished()),
            '"' if !escaped => return Ok(at + 1),
            _ => escaped = c == '\\' && !escaped,
        }
    }
    Err(unfinished())
}

/// Returns the parser's message about a document or a schema, with the place.
pub(super) fn unreadable(what: &str, error: &async_graphql_parser::Error) -> Error {
    let at = error.positions().next().map(|at| format!(" at line {}, column {}", at.line, at.column));
    let told = error.to_string();
    let told = told.lines().last().unwrap_or_default().trim_start_matches([' ', '=']);
    Error::invalid(format!("The GraphQL {what} cannot be read{}: {told}.", at.unwrap_or_default()))
}

fn wrong(what: &str) -> Error {
    Error::invalid(format!("The GraphQL document cannot be read: {what}."))
}

#[cfg(test)]
mod tests;
