//! GraphQL: an introspection's answer, each field of query and mutation as an operation with a document of its own.

use std::{cell::RefCell, collections::HashMap, mem};

use serde_json::Value;
use url::Url;

use super::{
    budget::{self, Allowance, Budget},
    graphql_input::{declared, is_file, name_of, requires_file, variable},
    graphql_selection::Selecting,
    text,
};
use satchel_model::{
    catalog::{
        endpoint::{Operation, Parameter},
        proposal::{Proposal, Proposals},
    },
    error::{Error, Result},
    spec::Risk,
};

/// The query that asks a system for its schema.
pub const INTROSPECTION: &str = "query IntrospectionQuery { __schema { queryType { name } mutationType { name } subscriptionType { name } types { \
     kind name description isOneOf fields(includeDeprecated: false) { name description args { ...In } type { ...T } } \
     inputFields { ...In } enumValues(includeDeprecated: false) { name } possibleTypes { name } } } } \
     fragment In on __InputValue { name description defaultValue type { ...T } } \
     fragment T on __Type { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } } }";

/// Returns the query for a system that does not know [`INTROSPECTION`] in full: `isOneOf` is of September 2025.
pub fn older_introspection() -> String {
    INTROSPECTION.replace(" isOneOf", "")
}

/// The types of a schema by their names, and what the operation that is being read may take of them.
pub(super) struct Types<'a> {
    named: HashMap<&'a str, &'a Value>,
    allowance: RefCell<Allowance>,
}

impl<'a> Types<'a> {
    pub(super) fn get(&self, name: &str) -> Option<&'a Value> {
        self.named.get(name).copied()
    }

    /// Takes a value with a name, or words, of so many bytes.
    pub(super) fn take(&self, bytes: usize) {
        let mut allowance = self.allowance.borrow_mut();
        allowance.take();
        allowance.add(bytes);
    }

    /// Returns whether the operation has taken all that it may.
    pub(super) fn is_spent(&self) -> bool {
        self.allowance.borrow().is_spent()
    }

    /// Begins another operation. Gives what the one before has taken.
    fn begin(&self, allowance: Allowance) -> Allowance {
        mem::replace(&mut *self.allowance.borrow_mut(), allowance)
    }
}

impl<'a> FromIterator<(&'a str, &'a Value)> for Types<'a> {
    fn from_iter<I: IntoIterator<Item = (&'a str, &'a Value)>>(types: I) -> Self {
        Self { named: types.into_iter().collect(), allowance: RefCell::new(Allowance::whole()) }
    }
}

/// Reads an introspection. `from` is where the system is asked.
pub fn read(document: &Value, from: Option<&Url>) -> Result<Proposals> {
    let schema = document.get("__schema").or_else(|| document.pointer("/data/__schema"));
    let schema = schema.ok_or_else(|| Error::invalid("The introspection has no `__schema`."))?;
    let types: Types<'_> = schema
        .get("types")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|one| Some((one.get("name")?.as_str()?, one)))
        .collect();
    let path = from.map_or("/graphql", |url| url.path()).to_owned();
    let roots = [("queryType", "query", Risk::Read), ("mutationType", "mutation", Risk::HighWrite)];
    let of_root = |root: &str| types.get(schema.get(root)?.get("name")?.as_str()?)?.get("fields")?.as_array();
    let fields: Vec<(&Value, (&str, Risk))> = roots
        .into_iter()
        .flat_map(|(root, kind, risk)| of_root(root).into_iter().flatten().map(move |field| (field, (kind, risk))))
        .collect();
    let mut budget = Budget::new(budget::DOCUMENT, fields.len())?;
    let (mut operations, mut of_files, mut cut) = (Vec::new(), Vec::new(), 0);
    for (field, of) in fields {
        types.begin(budget.next());
        let requires_file = args(field).any(|arg| requires_file(arg, &types, 0));
        match requires_file {
            true => of_files.extend(name_of(field)),
            false => operations.extend(operation(field, of, &path, &types)),
        }
        let taken = types.begin(Allowance::whole());
        cut += usize::from(taken.is_spent());
        budget.spend(&taken);
    }
    let mut warnings = Vec::new();
    if cut > 0 {
        warnings.push(format!("The schema says more than is kept of it: {cut} operations are cut."));
    }
    if operations.is_empty() {
        warnings.push("The schema has neither queries nor mutations.".to_owned());
    }
    warnings.extend(subscriptions(schema, &types));
    warnings.extend((!of_files.is_empty()).then(|| {
        let names = text::cut(&of_files.join(", "), 200);
        format!("Operations that need a file (Upload) are left out, GraphQL has no way of its own to send it: {names}.")
    }));
    Ok(Proposals {
        format: "GraphQL".to_owned(),
        title: from.and_then(Url::host_str).unwrap_or("GraphQL").to_owned(),
        base_url: from.map(|url| url.origin().ascii_serialization()),
        operations,
        warnings,
        ..Proposals::default()
    })
}

/// Returns a note on subscriptions, where the schema has some.
fn subscriptions(schema: &Value, types: &Types<'_>) -> Option<String> {
    let name = schema.pointer("/subscriptionType/name")?.as_str()?;
    let fields = types.get(name)?.get("fields")?.as_array()?;
    let names: Vec<&str> = fields.iter().filter_map(name_of).collect();
    let names = text::cut(&names.join(", "), 200);
    let told = format!("Subscriptions are left out, only queries and mutations are called: {names}.");
    (!names.is_empty()).then_some(told)
}

fn args(field: &Value) -> impl Iterator<Item = &Value> {
    field.get("args").and_then(Value::as_array).into_iter().flatten()
}

fn operation(field: &Value, (kind, risk): (&str, Risk), path: &str, types: &Types<'_>) -> Option<Proposal> {
    let name = field.get("name")?.as_str()?;
    let (files, args): (Vec<&Value>, Vec<&Value>) = args(field).partition(|arg| arg.get("type").is_some_and(is_file));
    let parameters: Vec<Parameter> = args.iter().filter_map(|arg| variable(arg, types, kind == "mutation")).collect();
    let declared: Vec<String> = args.iter().filter_map(|arg| declared(arg)).collect();
    let passed = args.iter().filter_map(|arg| name_of(arg)).map(|name| format!("{name}: ${name}"));
    let passed: Vec<String> = passed.collect();
    let brackets = |list: &[String]| if list.is_empty() { String::new() } else { format!("({})", list.join(", ")) };
    let mut selecting = Selecting::new(types);
    let selection = selecting.selection(field.get("type")?);
    let query = format!("{kind} {name}{} {{ {name}{}{selection} }}", brackets(&declared), brackets(&passed));
    let description = text::tidy(field.get("description").and_then(Value::as_str).unwrap_or_default());
    let mut warnings = Vec::new();
    if description.is_empty() {
        warnings.push("It has no description: a model will not know when to use it. Write one line.".to_owned());
    }
    if selecting.left_out {
        let told = "Its answer has several kinds, which are not asked for in full: complete its GraphQL document.";
        warnings.push(told.to_owned());
    }
    if let Some(file) = files.first().copied().and_then(name_of) {
        warnings.push(format!("'{file}' is left out: it takes a file, GraphQL has no way of its own to send it."));
    }
    Some(Proposal {
        key: format!("{kind}:{name}"),
        group: Some(if kind == "query" { "Queries" } else { "Mutations" }.to_owned()),
        name: name.to_owned(),
        operation: Operation::Graphql { query, operation_name: Some(name.to_owned()) },
        method: "POST".to_owned(),
        path: path.to_owned(),
        parameters,
        description,
        when_to_use: String::new(),
        risk,
        warnings,
        elsewhere: false,
    })
}
