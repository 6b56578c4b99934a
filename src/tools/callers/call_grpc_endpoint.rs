//! `call_grpc_endpoint`: a method of a gRPC service, JSON in and out.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::given;
use crate::{
    engine::{context::Context, tool::Tool},
    model::{
        error::Result,
        output::Output,
        question::Question,
        spec::{Category, Risk},
    },
    services::catalog::{grpc_call::GrpcAsk, resolve, risk},
};

#[derive(Deserialize, Serialize, JsonSchema)]
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

pub(super) fn tool() -> Tool {
    Tool::new(
        "call_grpc_endpoint",
        Category::Catalog,
        "Calls a gRPC method of a system of the catalog. The system's server reflection tells the types; native gRPC and \
         gRPC-Web are both spoken. Returns message, or messages where the method streams.",
        "A connected system offers gRPC and a method is needed that is not registered as an endpoint.",
        run,
    )
    .permission("catalog:read")
    .risk(Risk::LowWrite)
    .timeout(given::TIMEOUT)
    .reaches_among(|args: &Args, registry| resolve::destinations(&registry.directory(), &args.system_id))
    .relies_on(|args: &Args, registry| resolve::system_as_it_is(&registry.directory(), &args.system_id))
    .up_to(Risk::Destructive)
    .ahead(ahead)
    .risk_of_call(|args: &Args, registry| {
        risk::of_grpc(&registry.directory(), &args.system_id, &args.service, &args.method)
    })
    .example(
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
    cx.ask_grpc(&system, &ask)
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    let (system, ask) = asked(args);
    cx.call_grpc(&system, &ask).await
}

fn asked(args: Args) -> (String, GrpcAsk) {
    let body = Value::Object(args.body.unwrap_or_default());
    (args.system_id, GrpcAsk { service: args.service, method: args.method, body, headers: Vec::new() })
}
