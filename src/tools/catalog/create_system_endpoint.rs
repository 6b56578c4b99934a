//! `create_system_endpoint`: registers an operation of a system.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::written::{WAITS, written};
use satchel_engine::{context::Context, tool::Tool};
use satchel_model::{
    catalog::{
        draft::EndpointDraft,
        endpoint::{Parameter, ParameterPlace},
        style::Style,
    },
    error::Result,
    output::Output,
    spec::{Category, Risk},
};
use satchel_services::catalog::{change::CatalogProposals, resolve};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Id of the system, from list_catalog_systems; its name does as well.
    system_id: String,
    /// Endpoint name.
    name: String,
    /// HTTP method.
    method: Method,
    /// Path under the base URL, for instance `/users/{id}`.
    path: String,
    /// What the endpoint does.
    description: Option<String>,
    /// When it should be used.
    when_to_use: Option<String>,
    /// How risky a call is. On a system in use, a level under the method's own counts once an administrator has looked.
    #[serde(default)]
    risk_level: RiskLevel,
}

#[derive(Serialize, Deserialize, JsonSchema)]
enum Method {
    #[serde(rename = "GET", alias = "get")]
    Get,
    #[serde(rename = "POST", alias = "post")]
    Post,
    #[serde(rename = "PUT", alias = "put")]
    Put,
    #[serde(rename = "PATCH", alias = "patch")]
    Patch,
    #[serde(rename = "DELETE", alias = "delete")]
    Delete,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum RiskLevel {
    #[default]
    Read,
    LowWrite,
    HighWrite,
    Destructive,
}

impl Method {
    /// Returns whether a request of it carries something (RFC 9110, 9.3).
    fn has_body(&self) -> bool {
        matches!(self, Self::Post | Self::Put | Self::Patch)
    }

    fn as_str(&self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }
}

/// The schema of a body until somebody gives it: any JSON.
fn any_body() -> Parameter {
    Parameter {
        name: "body".to_owned(),
        place: ParameterPlace::Body,
        required: false,
        description: "The body of the request: any JSON.".to_owned(),
        schema: json!({}),
        style: Style::default(),
        members: BTreeMap::new(),
    }
}

impl From<RiskLevel> for Risk {
    fn from(level: RiskLevel) -> Self {
        match level {
            RiskLevel::Read => Self::Read,
            RiskLevel::LowWrite => Self::LowWrite,
            RiskLevel::HighWrite => Self::HighWrite,
            RiskLevel::Destructive => Self::Destructive,
        }
    }
}

pub(super) fn tool() -> Tool {
    Tool::new(
        "create_system_endpoint",
        Category::Catalog,
        "Adds an endpoint (operation) to a system of the catalog. Once a person has reviewed it and the system is active, it \
         is a tool of its own. With POST, PUT or PATCH the tool takes `body`, any JSON, until a schema is given for it.",
        "An API endpoint was discovered or described that should be callable on a registered system.",
        run,
    )
    .giving(&[("id", "string"), ("system_id", "string"), ("tool", "string")])
    .risk(Risk::LowWrite)
    .for_everybody()
    .permission("catalog:write")
    .example_after(
        vec![("create_catalog_system", json!({"name": "Warehouse"}))],
        "One item by its number",
        json!({"system_id": "Warehouse", "name": "Get item", "method": "GET", "path": "/items/{number}", "description": "One item with its stock."}),
        json!({"name": "Get item", "method": "GET", "path": "/items/{number}", "risk_level": "low_write", "tool": "catalog:warehouse.get_item"}),
    )
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    let changing = CatalogProposals::new(&cx)?;
    let id = resolve::known_system(&cx, &args.system_id)?;
    let asked = Risk::from(args.risk_level);
    let draft = EndpointDraft {
        name: Some(args.name),
        method: Some(args.method.as_str().to_owned()),
        path: Some(args.path),
        description: args.description,
        when_to_use: args.when_to_use,
        risk: Some(asked),
        parameters: args.method.has_body().then(|| vec![any_body()]),
        ..EndpointDraft::default()
    };
    let endpoint = changing.create_endpoint(id, draft).await?;
    let counts = endpoint.effective_risk();
    let notes: Vec<String> =
        (counts != asked).then(|| why(asked, counts)).into_iter().chain([WAITS.to_owned()]).collect();
    let directory = resolve::systems_to_change(&cx)?;
    let system = &directory.get(id)?.system;
    let output = Output::json(json!({
        "id": endpoint.id, "system_id": id, "name": endpoint.name, "method": endpoint.method, "path": endpoint.path,
        "description": endpoint.description, "when_to_use": endpoint.when_to_use, "risk_level": counts,
        "note": notes.join(" "), "system_status": system.status, "tool": format!("catalog:{}.{}", system.slug, endpoint.slug),
    }));
    Ok(written(&cx, output))
}

/// Returns why a call is riskier than was asked for.
fn why(asked: Risk, counts: Risk) -> String {
    format!(
        "A call is {}, not {}: what the method itself does counts until an administrator has looked at the endpoint.",
        counts.as_str(),
        asked.as_str()
    )
}
