//! Arguments and fields of inputs that are named twice: some servers take the first value, some the last.

use std::collections::HashSet;

use super::wrong;
use satchel_model::error::Result;

/// Refuses a document without texts and comments in which an argument, a field of an input or a variable is named twice.
///
/// # Errors
///
/// If one is.
pub(super) fn ensure_named_once(bare: &str) -> Result<()> {
    // The names in each bracket that is open: of arguments, and of inputs in them. Selections have names of their own.
    let mut open: Vec<HashSet<&str>> = Vec::new();
    let mut rest = bare;
    while let Some(first) = rest.chars().next() {
        let length =
            if is_of_name(first) { rest.find(|c| !is_of_name(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
        let (token, after) = rest.split_at_checked(length).ok_or_else(|| wrong("it cannot be cut there"))?;
        rest = after;
        match first {
            '(' => open.push(HashSet::new()),
            '{' if !open.is_empty() => open.push(HashSet::new()),
            ')' | '}' => drop(open.pop()),
            _ if is_of_name(first) && after.trim_start_matches(is_ignored).starts_with(':') => {
                let is_new = open.last_mut().is_none_or(|names| names.insert(token));
                is_new.then_some(()).ok_or_else(|| wrong(&format!("it gives '{token}' twice in one place")))?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

fn is_ignored(c: char) -> bool {
    c.is_ascii_whitespace() || matches!(c, ',' | '\u{feff}')
}
