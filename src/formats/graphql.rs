//! The effect of a GraphQL document, without a schema: which operation runs, of which kind, and the fields it asks for.
//!
//! Grammar: <https://spec.graphql.org/October2021/#sec-Document-Syntax>.

mod fields;
mod text;
mod twice;

use async_graphql_parser::{
    parse_query,
    types::{DocumentOperations, OperationDefinition, OperationType},
};

use self::text::{Texts, bare};
pub use satchel_model::catalog::graphql::{Kind, Operation};
use satchel_model::error::{Error, Result};

/// Deepest brackets, and fragments in fragments: as deep go the parser and what reads its answer.
const MAX_DEPTH: usize = 64;
/// Longest document, in bytes.
const MAX_LENGTH: usize = 1 << 20;
/// Most bytes of it beside texts, comments and blanks: each may become some 500 bytes in memory.
const MAX_WORDS: usize = 1 << 16;

/// Longest document that is registered, in bytes: all of a system's are kept as they were read.
const MAX_REGISTERED: usize = 1 << 16;
/// Most fields that a registered one asks for.
const MAX_REGISTERED_FIELDS: usize = 2_000;
/// Most bytes of their paths.
const MAX_REGISTERED_PATHS: usize = 1 << 18;

/// Returns the operation that a document runs which is to be registered, or is.
///
/// # Errors
/// As [`operation`], and one that is longer than what is registered.
pub fn registered(document: &str, name: Option<&str>) -> Result<Operation> {
    if document.len() > MAX_REGISTERED {
        return Err(Error::invalid(format!(
            "The GraphQL document of an endpoint has at most {MAX_REGISTERED} bytes: ask for fewer fields."
        )));
    }
    let operation = operation(document, name)?;
    let bytes: usize = operation.paths.keys().map(String::len).sum();
    if operation.paths.len() > MAX_REGISTERED_FIELDS || bytes > MAX_REGISTERED_PATHS {
        return Err(Error::invalid(format!(
            "The GraphQL document of an endpoint asks for at most {MAX_REGISTERED_FIELDS} fields."
        )));
    }
    Ok(operation)
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
    let (bare, texts) = (bare(document)?, Texts::new(document)?);
    if bare.bytes().filter(|byte| !b" ,\t\r\n".contains(byte)).count() > MAX_WORDS {
        return Err(wrong(&format!("it is longer than {MAX_WORDS} bytes beside texts and comments")));
    }
    ensure_depth(&bare)?;
    twice::ensure_named_once(&bare)?;
    // Places in the one with numbers are others: where it fails, the one with blanks says where.
    let document = parse_query(texts.numbered()).or_else(|error| parse_query(bare).and(Err(error)));
    let document = document.map_err(|error| unreadable("document", &error))?;
    let operation = choose(&document.operations, name)?;
    let kind = match operation.ty {
        OperationType::Query => Kind::Query,
        OperationType::Mutation => Kind::Mutation,
        OperationType::Subscription => Kind::Subscription,
    };
    fields::collect(&document, &texts, kind, &operation.selection_set.node)
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
