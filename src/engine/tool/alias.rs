//! Another name of a tool.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::parse::parse;
use crate::validate::Schema;
use satchel_model::{
    error::{Error, Result},
    spec::Example,
};

type Adapt = Arc<dyn Fn(Value) -> Result<Value> + Send + Sync>;
type Project = Arc<dyn Fn(Value) -> Value + Send + Sync>;

/// Another name of a tool, with parameters and a result shape of its own; the implementation is the tool's.
#[derive(Clone)]
pub struct Alias {
    name: String,
    description: Option<String>,
    schema: Option<Schema>,
    adapt: Option<Adapt>,
    project: Option<Project>,
    examples: Vec<Example>,
}

impl Alias {
    /// The same tool under another name.
    pub fn same(name: &str) -> Self {
        let name = name.to_owned();
        Self { name, description: None, schema: None, adapt: None, project: None, examples: Vec::new() }
    }

    /// A name with its own parameters, turned into the tool's, and its own result, made from the tool's.
    pub fn new<Mine, Theirs>(
        name: &str,
        what: &str,
        adapt: impl Fn(Mine) -> Result<Theirs> + Send + Sync + 'static,
        project: impl Fn(Value) -> Value + Send + Sync + 'static,
    ) -> Self
    where
        Mine: DeserializeOwned + JsonSchema,
        Theirs: serde::Serialize,
    {
        Self {
            description: Some(what.to_owned()),
            schema: Some(Schema::new::<Mine>()),
            adapt: Some(Arc::new(move |arguments| {
                serde_json::to_value(adapt(parse(&arguments)?)?).map_err(Error::internal)
            })),
            project: Some(Arc::new(project)),
            ..Self::same(name)
        }
    }

    /// Adds a worked example under this name.
    #[must_use]
    pub fn example(self, title: &str, arguments: Value, result: Value) -> Self {
        self.example_after(Vec::new(), title, arguments, result)
    }

    /// Adds a worked example under this name that needs other calls first.
    #[must_use]
    pub fn example_after(mut self, before: Vec<(&str, Value)>, title: &str, arguments: Value, result: Value) -> Self {
        self.examples.push(example(before, title, arguments, result));
        self
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The description, where it differs from the tool's.
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// Its parameters, where they differ from the tool's.
    pub fn schema(&self) -> Option<&Schema> {
        self.schema.as_ref()
    }

    /// Its worked examples.
    pub fn examples(&self) -> &[Example] {
        &self.examples
    }

    /// The tool's arguments from this name's.
    pub fn adapt(&self, arguments: Value) -> Result<Value> {
        self.adapt.as_ref().map_or(Ok(arguments.clone()), |adapt| adapt(arguments))
    }

    /// This name's result from the tool's.
    pub fn project(&self, data: Value) -> Value {
        match &self.project {
            Some(project) => project(data),
            None => data,
        }
    }
}

pub(super) fn example(before: Vec<(&str, Value)>, title: &str, arguments: Value, result: Value) -> Example {
    let before = before.into_iter().map(|(tool, arguments)| (tool.to_owned(), arguments)).collect();
    Example { title: title.to_owned(), before, arguments, result }
}
