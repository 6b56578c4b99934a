//! What a GraphQL document would do: the operation that runs, the fields it asks for, and the values it gives them.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use crate::spec::Risk;

/// The kinds of operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Reads.
    Query,
    /// Writes.
    Mutation,
    /// Listens.
    Subscription,
}

impl Kind {
    /// The risk of what nothing is known of but its kind.
    pub fn risk(self) -> Risk {
        match self {
            Self::Query | Self::Subscription => Risk::LowWrite,
            Self::Mutation => Risk::HighWrite,
        }
    }
}

/// The value of an argument as a document has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Given {
    /// A variable: whoever runs the document says what it is.
    Variable,
    /// A number, a text, a word or null, as it is written.
    Plain(String),
    /// A list.
    List(Vec<Given>),
    /// The fields of an input.
    Object(Vec<(String, Given)>),
}

impl Given {
    /// Whether a document fixes some of it.
    fn is_fixed(&self) -> bool {
        match self {
            Self::Variable => false,
            Self::Plain(_) => true,
            Self::List(items) => items.is_empty() || items.iter().any(Self::is_fixed),
            Self::Object(fields) => fields.is_empty() || fields.iter().any(|(_, value)| value.is_fixed()),
        }
    }

    /// Whether another value is one of those this leaves open.
    fn allows(&self, asked: &Self) -> bool {
        match (self, asked) {
            (Self::Variable, _) => true,
            (Self::Plain(own), Self::Plain(asked)) => own == asked,
            (Self::List(own), Self::List(asked)) => {
                own.len() == asked.len() && own.iter().zip(asked).all(|(own, asked)| own.allows(asked))
            }
            (Self::Object(own), Self::Object(asked)) => all_allowed(own, asked),
            _ => false,
        }
    }
}

/// Whether all that is asked has a name that is there, and each fixed value is given as it is fixed.
fn all_allowed(own: &[(String, Given)], asked: &[(String, Given)]) -> bool {
    let is_given = own.iter().all(|(name, fixed)| match asked.iter().find(|(asked, _)| asked == name) {
        Some((_, asked)) => fixed.allows(asked),
        None => !fixed.is_fixed(),
    });
    is_given && asked.iter().all(|(name, _)| own.iter().any(|(known, _)| known == name))
}

/// A field that is given arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Its path.
    pub path: String,
    /// Its arguments.
    pub arguments: Vec<(String, Given)>,
    /// The step it stands in: its number in [`Operation::steps`], counted from one; 0 if in none.
    pub within: usize,
}

impl Step {
    fn is_fixed(&self) -> bool {
        self.arguments.iter().any(|(_, value)| value.is_fixed())
    }
}

/// The operation that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// Its kind.
    pub kind: Kind,
    /// Its outermost fields by their own names, fragments followed; none twice.
    pub fields: Vec<String>,
    /// All its fields by their own names, each behind those it stands in and the type it is asked of where a fragment names
    /// one: `customer`, `customer.rename`, `node.on:Draft.archive`. Each with the steps it was found behind.
    pub paths: BTreeMap<String, BTreeSet<usize>>,
    /// The paths of fields that are asked for with nothing in them but their type's name, whatever another field of the same
    /// path asks for. Each with the steps behind which it is so.
    pub leaves: BTreeMap<String, BTreeSet<usize>>,
    /// The fields that are given arguments.
    pub steps: Vec<Arc<Step>>,
}

impl Operation {
    /// What it does, in the words of its schema: for each outermost field the path that all it asks for there has in common,
    /// as `customer.rename`. Its own name says nothing: whoever asks chooses it.
    pub fn actions(&self) -> Vec<&str> {
        let mut common: HashMap<&str, &str> = HashMap::new();
        for leaf in self.leaves.keys() {
            let path = common.entry(outermost(leaf)).or_insert(leaf);
            *path = common_path(path, leaf);
        }
        self.fields.iter().filter_map(|field| common.get(field.as_str()).copied()).collect()
    }

    /// The steps around a place from the innermost on.
    fn around(&self, step: usize) -> impl Iterator<Item = &Arc<Step>> {
        let at = |number: usize| self.steps.get(number.checked_sub(1)?);
        std::iter::successors(at(step), move |step| at(step.within))
    }

    /// The steps around a place that fix a value.
    pub(super) fn fixed(&self, step: usize) -> Vec<Arc<Step>> {
        self.around(step).filter(|step| step.is_fixed()).cloned().collect()
    }

    /// Whether a place gives what each of these steps fixes.
    pub(super) fn gives(&self, step: usize, fixed: &[Arc<Step>]) -> bool {
        let is_given = |fixed: &Arc<Step>| {
            let asked = self.around(step).find(|asked| asked.path == fixed.path);
            asked.is_some_and(|asked| all_allowed(&fixed.arguments, &asked.arguments))
        };
        fixed.iter().all(is_given)
    }
}

/// The outermost field of a path.
pub(super) fn outermost(path: &str) -> &str {
    path.split('.').next().unwrap_or(path)
}

/// The fields that two paths have in common from the outermost on.
fn common_path<'a>(one: &'a str, other: &str) -> &'a str {
    let same = one.split('.').zip(other.split('.')).take_while(|(a, b)| a == b).map(|(field, _)| field.len() + 1);
    one.get(..same.sum::<usize>().saturating_sub(1)).unwrap_or(one)
}
