//! `call_soap_endpoint`: an operation of a SOAP service.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::given;
use satchel_engine::{context::Context, preparation::Preparation, tool::Tool};
use satchel_model::{error::Result, output::Output, question::Question, spec::Category};
use satchel_services::{
    catalog::{ahead, calls, risk, soap_call::SoapAsk},
    handles::Handles,
};

#[derive(Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The system: its id, name or slug, as list_catalog_systems shows it.
    system_id: String,
    /// SOAPAction of the operation; empty where it has none.
    soap_action: String,
    /// XML of the request: the body's element with its namespace, or a whole SOAP envelope (1.1 or 1.2).
    body_xml: String,
    /// Path under the system's base URL; the base URL itself unless given.
    path: Option<String>,
}

pub(super) fn tool(handles: &Handles) -> Tool {
    let calls = Preparation::new(run).ahead(ahead);
    let calls = given::to_system(
        calls,
        handles,
        |args: &Args| &args.system_id,
        |directory, args| {
            let path = args.path.as_deref().unwrap_or_default();
            risk::of_soap(directory, &args.system_id, &args.soap_action, &args.body_xml, path)
        },
    );
    let tool = Tool::prepared(
        "call_soap_endpoint",
        Category::Catalog,
        "Sends a SOAP request (1.1 or 1.2) to a system of the catalog. Returns the body of the answer as JSON; a fault is \
         an error with its code and reason.",
        "A connected system is a SOAP or XML web service, as older enterprise systems are.",
        calls,
    );
    given::caller(tool).example(
        "The state of an order",
        json!({
            "system_id": "orders-soap",
            "soap_action": "urn:orders#Status",
            "body_xml": "<o:Status xmlns:o=\"urn:orders\"><number>7</number></o:Status>",
        }),
        json!({"status": 200, "body": {"StatusResponse": {"number": "7", "state": "shipped"}}}),
    )
}

async fn ahead(cx: Context, args: Args) -> Result<Question> {
    let (system, ask) = asked(args);
    ahead::soap(&cx, &system, &ask)
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    let (system, ask) = asked(args);
    calls::soap(&cx, &system, &ask).await
}

fn asked(args: Args) -> (String, SoapAsk) {
    let path = args.path.unwrap_or_default();
    (args.system_id, SoapAsk { action: args.soap_action, body: args.body_xml, path })
}
