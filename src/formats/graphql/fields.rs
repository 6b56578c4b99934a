//! The fields that an operation asks for, fragments followed.

use std::collections::{BTreeSet, HashSet};

use async_graphql_parser::types::{ExecutableDocument, Selection, SelectionSet};

use super::{MAX_DEPTH, wrong};
use crate::model::error::Result;

/// Most fields that are looked at: with fragments in fragments, a short document asks for any number.
const MAX_FIELDS: usize = 20_000;
/// Most bytes of their paths.
const MAX_BYTES: usize = 4 << 20;
/// Deepest selections, those of fragments counted where they are asked for.
const MAX_NESTED: usize = 2 * MAX_DEPTH;
/// Says what a value's type is, whatever the value: it does nothing.
const TYPE_NAME: &str = "__typename";

/// Returns the outermost fields in their order, and the paths of all of them.
///
/// # Errors
///
/// Fragments that are missing, contain each other, or make more fields than are looked at.
pub(super) fn collect(
    document: &ExecutableDocument,
    selected: &SelectionSet,
) -> Result<(Vec<String>, BTreeSet<String>)> {
    let mut fields = Fields::new(document);
    fields.add(selected, "")?;
    Ok((fields.outermost, fields.paths))
}

struct Fields<'a> {
    document: &'a ExecutableDocument,
    /// Fragments whose fields are being added, the outermost first.
    open: Vec<&'a str>,
    /// Fragments whose fields were added at a place: twice would be twice as much work for each fragment in a fragment.
    done: HashSet<(String, &'a str)>,
    outermost: Vec<String>,
    paths: BTreeSet<String>,
    looked_at: usize,
    bytes: usize,
    depth: usize,
}

impl<'a> Fields<'a> {
    fn new(document: &'a ExecutableDocument) -> Self {
        Self {
            document,
            open: Vec::new(),
            done: HashSet::new(),
            outermost: Vec::new(),
            paths: BTreeSet::new(),
            looked_at: 0,
            bytes: 0,
            depth: 0,
        }
    }

    /// Adds what is selected in the field of a path; that of the operation itself is empty.
    fn add(&mut self, selected: &'a SelectionSet, within: &str) -> Result<()> {
        self.depth += 1;
        if self.depth > MAX_NESTED {
            return Err(wrong(&format!("it selects more than {MAX_NESTED} levels deep")));
        }
        for one in &selected.items {
            self.looked_at += 1;
            self.bytes += within.len();
            if self.looked_at > MAX_FIELDS || self.bytes > MAX_BYTES {
                return Err(wrong(&format!(
                    "it asks for more than {MAX_FIELDS} fields, or for names that are too long"
                )));
            }
            match &one.node {
                Selection::Field(field) => {
                    // What stands before a colon is only what the answer calls it.
                    let path = self.keep(field.node.name.node.as_str(), within);
                    self.add(&field.node.selection_set.node, &path)?;
                }
                Selection::InlineFragment(inline) => self.add(&inline.node.selection_set.node, within)?,
                Selection::FragmentSpread(spread) => self.follow(spread.node.fragment_name.node.as_str(), within)?,
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn keep(&mut self, name: &str, within: &str) -> String {
        let path = if within.is_empty() { name.to_owned() } else { format!("{within}.{name}") };
        if within.is_empty() && !self.paths.contains(&path) {
            self.outermost.push(path.clone());
        }
        if name != TYPE_NAME || within.is_empty() {
            self.paths.insert(path.clone());
        }
        path
    }

    fn follow(&mut self, name: &'a str, within: &str) -> Result<()> {
        if self.open.contains(&name) {
            return Err(wrong("its fragments contain each other"));
        }
        if self.open.len() >= MAX_DEPTH {
            return Err(wrong("its fragments are nested too deep"));
        }
        let fragment = self.document.fragments.get(name);
        let fragment = fragment.ok_or_else(|| wrong(&format!("it has no fragment {name}")))?;
        if self.done.insert((within.to_owned(), name)) {
            self.open.push(name);
            self.add(&fragment.node.selection_set.node, within)?;
            self.open.pop();
        }
        Ok(())
    }
}
