//! `call_graphql_endpoint`: a query or mutation of a connected system.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::given;
use satchel_engine::{context::Context, preparation::Preparation, tool::Tool};
use satchel_model::{error::Result, output::Output, question::Question, spec::Category};
use satchel_services::{
    catalog::{ahead, calls, graphql::call::Query, resolve, risk},
    handles::Handles,
};

#[derive(Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The system: its id, name or slug, as list_catalog_systems shows it.
    system_id: String,
    /// GraphQL query or mutation.
    query: String,
    /// Values of its variables.
    variables: Option<Map<String, Value>>,
    /// Which operation to run, where the query has several.
    operation_name: Option<String>,
}

pub(super) fn tool(handles: &Handles) -> Tool {
    let calls = Preparation::new(run).ahead(ahead);
    let calls = given::to_system(
        calls,
        handles,
        |args: &Args| &args.system_id,
        |directory, args| risk::of_graphql(directory, &args.system_id, &args.query, args.operation_name.as_deref()),
    );
    let relied_on = handles.clone();
    let calls = calls.relies_on(move |args| resolve::graphql_as_it_is(&relied_on.directory(), &args.system_id));
    let tool = Tool::prepared(
        "call_graphql_endpoint",
        Category::Catalog,
        "Runs a GraphQL query or mutation on a system of the catalog. Returns data, and errors where a part of it failed.",
        "A connected system speaks GraphQL and an operation is needed that is not registered as an endpoint.",
        calls,
    );
    given::caller(tool)
    .example(
        "A query",
        json!({"system_id": "product-api", "query": "query { products(limit: 2) { id name price } }"}),
        json!({"data": {"products": [{"id": 1, "name": "Tea", "price": 2.5}, {"id": 2, "name": "Cake", "price": 3.1}]}}),
    )
    .example(
        "With variables",
        json!({
            "system_id": "product-api",
            "query": "query One($id: Int!) { product(id: $id) { name } }",
            "variables": {"id": 2},
            "operation_name": "One",
        }),
        json!({"data": {"product": {"name": "Cake"}}}),
    )
}

async fn ahead(cx: Context, args: Args) -> Result<Question> {
    let (system, query) = query(args);
    ahead::graphql(&cx, &system, &query)
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    let (system, query) = query(args);
    calls::graphql(&cx, &system, &query).await
}

fn query(args: Args) -> (String, Query) {
    let Args { system_id, query, variables, operation_name } = args;
    (system_id, Query { query, variables, operation_name })
}
