//! `call_grpc_endpoint`: a method of a gRPC service, JSON in and out.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::given;
use satchel_engine::{context::Context, preparation::Preparation, tool::Tool};
use satchel_model::{error::Result, output::Output, question::Question, spec::Category};
use satchel_services::{
    catalog::{ahead, calls, grpc_call::GrpcAsk, risk},
    handles::Handles,
};

#[derive(Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The system: its id, name or slug, as list_catalog_systems shows it.
    system_id: String,
    /// Fully qualified gRPC service name, such as `mypackage.MyService`.
    service: String,
    /// gRPC method name, such as `GetUser`.
    method: String,
    /// JSON object of the request message, fields in protobuf's JSON spelling.
    body: Option<Map<String, Value>>,
}

pub(super) fn tool(handles: &Handles) -> Tool {
    let calls = Preparation::new(run).ahead(ahead);
    let calls = given::to_system(
        calls,
        handles,
        |args: &Args| &args.system_id,
        |directory, args| risk::of_grpc(directory, &args.system_id, &args.service, &args.method),
    );
    let tool = Tool::prepared(
        "call_grpc_endpoint",
        Category::Catalog,
        "Calls a gRPC method of a system of the catalog. The system's server reflection tells the types; native gRPC and \
         gRPC-Web are both spoken. Returns message, or messages where the method streams.",
        "A connected system offers gRPC and a method is needed that is not registered as an endpoint.",
        calls,
    );
    given::caller(tool).example(
        "Whether a service is up",
        json!({
            "system_id": "users-grpc",
            "service": "grpc.health.v1.Health",
            "method": "Check",
            "body": {"service": "echo.v1.Echo"},
        }),
        json!({"message": {"status": "SERVING"}}),
    )
}

async fn ahead(cx: Context, args: Args) -> Result<Question> {
    let (system, ask) = asked(args);
    ahead::grpc(&cx, &system, &ask)
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    let (system, ask) = asked(args);
    calls::grpc(&cx, &system, &ask).await
}

fn asked(args: Args) -> (String, GrpcAsk) {
    let body = Value::Object(args.body.unwrap_or_default());
    (args.system_id, GrpcAsk { service: args.service, method: args.method, body, headers: Vec::new() })
}
