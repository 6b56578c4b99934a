//! The fields that an operation asks for, fragments followed.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use async_graphql_parser::types::{ExecutableDocument, Field, Selection, SelectionSet};
use async_graphql_value::Value;

use super::{MAX_DEPTH, text::Texts, wrong};
use satchel_model::{
    catalog::graphql::{Given, Kind, Operation, Step},
    error::Result,
};

/// Most fields that are looked at: with fragments in fragments, a short document asks for any number.
const MAX_FIELDS: usize = 20_000;
/// Most bytes of their paths.
const MAX_BYTES: usize = 4 << 20;
/// Deepest selections, those of fragments counted where they are asked for.
const MAX_NESTED: usize = 2 * MAX_DEPTH;
/// Says what a value's type is, whatever the value: it does nothing.
const TYPE_NAME: &str = "__typename";

/// Returns the operation of this kind that selects this.
///
/// # Errors
///
/// Fragments that are missing, contain each other, or make more fields than are looked at.
pub(super) fn collect(
    document: &ExecutableDocument,
    texts: &Texts<'_>,
    kind: Kind,
    selected: &SelectionSet,
) -> Result<Operation> {
    let mut fields = Fields::new(document, texts);
    fields.add(selected, &Place::default())?;
    Ok(Operation { kind, fields: fields.outermost, paths: fields.paths, leaves: fields.leaves, steps: fields.steps })
}

/// Where something is selected.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
struct Place {
    /// The path of the field; that of the operation itself is empty.
    path: String,
    /// The innermost field around it that is given arguments, as [`Step::within`] says it.
    step: usize,
}

impl Place {
    /// The place of a fragment in it that is for a type. An operation's own fields are of one type.
    fn of_type(&self, condition: &str) -> Self {
        let part = format!("on:{condition}");
        let is_said = self.path.is_empty() || self.path.rsplit('.').next() == Some(&part);
        let path = if is_said { self.path.clone() } else { format!("{}.{part}", self.path) };
        Self { path, step: self.step }
    }
}

struct Fields<'a> {
    document: &'a ExecutableDocument,
    texts: &'a Texts<'a>,
    /// Fragments whose fields are being added, the outermost first.
    open: Vec<&'a str>,
    /// Fragments whose fields were added at a place, and whether there were any: twice would be twice as much work for each
    /// fragment in a fragment.
    done: HashMap<(Place, &'a str), bool>,
    outermost: Vec<String>,
    paths: BTreeMap<String, BTreeSet<usize>>,
    leaves: BTreeMap<String, BTreeSet<usize>>,
    steps: Vec<Arc<Step>>,
    looked_at: usize,
    bytes: usize,
    depth: usize,
}

impl<'a> Fields<'a> {
    fn new(document: &'a ExecutableDocument, texts: &'a Texts<'a>) -> Self {
        Self {
            document,
            texts,
            open: Vec::new(),
            done: HashMap::new(),
            outermost: Vec::new(),
            paths: BTreeMap::new(),
            leaves: BTreeMap::new(),
            steps: Vec::new(),
            looked_at: 0,
            bytes: 0,
            depth: 0,
        }
    }

    /// Adds what is selected at a place. Returns whether that is anything but the type's name.
    fn add(&mut self, selected: &'a SelectionSet, within: &Place) -> Result<bool> {
        let mut asks = false;
        self.depth += 1;
        if self.depth > MAX_NESTED {
            return Err(wrong(&format!("it selects more than {MAX_NESTED} levels deep")));
        }
        for one in &selected.items {
            self.looked_at += 1;
            self.bytes += within.path.len();
            if self.looked_at > MAX_FIELDS || self.bytes > MAX_BYTES {
                return Err(wrong(&format!(
                    "it asks for more than {MAX_FIELDS} fields, or for names that are too long"
                )));
            }
            asks |= match &one.node {
                Selection::Field(field) => self.add_field(&field.node, within)?,
                Selection::InlineFragment(inline) => {
                    let condition =
                        inline.node.type_condition.as_ref().map(|condition| condition.node.on.node.as_str());
                    let place = condition.map_or_else(|| within.clone(), |condition| within.of_type(condition));
                    self.add(&inline.node.selection_set.node, &place)?
                }
                Selection::FragmentSpread(spread) => self.follow(spread.node.fragment_name.node.as_str(), within)?,
            }
        }
        self.depth -= 1;
        Ok(asks)
    }

    fn add_field(&mut self, field: &'a Field, within: &Place) -> Result<bool> {
        let is_nothing = field.name.node.as_str() == TYPE_NAME && !within.path.is_empty();
        let place = self.keep(field, within);
        if !self.add(&field.selection_set.node, &place)? && !is_nothing {
            self.leaves.entry(place.path).or_default().insert(place.step);
        }
        Ok(!is_nothing)
    }

    fn keep(&mut self, field: &Field, within: &Place) -> Place {
        // What stands before a colon is only what the answer calls it.
        let name = field.name.node.as_str();
        let is_outermost = within.path.is_empty();
        let path = if is_outermost { name.to_owned() } else { format!("{}.{name}", within.path) };
        if is_outermost && !self.paths.contains_key(&path) {
            self.outermost.push(path.clone());
        }
        let mut step = within.step;
        if !field.arguments.is_empty() {
            let given = field.arguments.iter().map(|(name, value)| (name.node.to_string(), self.given(&value.node)));
            let arguments = given.collect();
            self.bytes += path.len();
            self.steps.push(Arc::new(Step { path: path.clone(), arguments, within: step }));
            step = self.steps.len();
        }
        if name != TYPE_NAME || is_outermost {
            self.paths.entry(path.clone()).or_default().insert(step);
        }
        Place { path, step }
    }

    fn given(&self, value: &Value) -> Given {
        match value {
            Value::Variable(_) => Given::Variable,
            Value::List(items) => Given::List(items.iter().map(|item| self.given(item)).collect()),
            Value::Object(fields) => {
                Given::Object(fields.iter().map(|(name, value)| (name.to_string(), self.given(value))).collect())
            }
            // Its number stands in its place.
            Value::String(number) => Given::Plain(self.texts.written(number).unwrap_or_default().to_owned()),
            plain => Given::Plain(plain.to_string()),
        }
    }

    fn follow(&mut self, name: &'a str, within: &Place) -> Result<bool> {
        if self.open.contains(&name) {
            return Err(wrong("its fragments contain each other"));
        }
        if self.open.len() >= MAX_DEPTH {
            return Err(wrong("its fragments are nested too deep"));
        }
        let fragment = self.document.fragments.get(name);
        let fragment = fragment.ok_or_else(|| wrong(&format!("it has no fragment {name}")))?;
        let place = within.of_type(fragment.node.type_condition.node.on.node.as_str());
        let key = (place, name);
        if let Some(asks) = self.done.get(&key) {
            return Ok(*asks);
        }
        self.open.push(name);
        let asks = self.add(&fragment.node.selection_set.node, &key.0)?;
        self.open.pop();
        self.done.insert(key, asks);
        Ok(asks)
    }
}
