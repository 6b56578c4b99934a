//! `query_audit_log`: the latest events of the audit.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::shown;
use satchel_engine::{context::Context, tool::Tool};
use satchel_model::{audit::EventType, error::Result, output::Output, spec::Category};
use satchel_services::audit::AuditLog;
use satchel_store::audit::Filter;

const DEFAULT_LIMIT: u32 = 20;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Maximum events to return (default: 20).
    #[schemars(range(min = 1, max = 200))]
    limit: Option<u32>,
    /// Filter by event type: `tool_invocation`, `chat_turn`, `auth` or `admin_action`.
    event_type: Option<Wanted>,
}

#[derive(Deserialize, JsonSchema, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum Wanted {
    ToolInvocation,
    ChatTurn,
    Auth,
    AdminAction,
}

impl From<Wanted> for EventType {
    fn from(wanted: Wanted) -> Self {
        match wanted {
            Wanted::ToolInvocation => Self::ToolInvocation,
            Wanted::ChatTurn => Self::ChatTurn,
            Wanted::Auth => Self::Auth,
            Wanted::AdminAction => Self::AdminAction,
        }
    }
}

pub(super) fn tool() -> Tool {
    Tool::new(
        "query_audit_log",
        Category::Operations,
        "Returns the latest events of the audit, newest first: tool calls, chat turns, sign-ins and administrative actions, \
         each with time, user, arguments, outcome and duration.",
        "Somebody asks about recent activity, wants to review what was done through the platform, or investigates a problem.",
        run,
    )
    .giving(&[("count", "integer"), ("events", "array")])
    .permission("audit:read")
    .example_after(
        vec![("calculator", json!({"expression": "1 + 1"}))],
        "The last tool call",
        json!({"limit": 1, "event_type": "tool_invocation"}),
        json!({"count": 1, "events": [{
            "event_type": "tool_invocation", "tool": "builtin:calculator", "action": "invoke", "outcome": "success",
            "risk": "read", "door": "api", "arguments": {"expression": "1 + 1"}, "error": null,
        }]}),
    )
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    let event_type = args.event_type.map(|wanted| EventType::from(wanted).as_str().to_owned());
    let filter = Filter { event_type, ..Filter::default() };
    let entries = AuditLog::open(&cx)?.find(filter, args.limit.unwrap_or(DEFAULT_LIMIT)).await?;
    let events: Vec<Value> = entries.iter().map(shown::event).collect();
    Ok(Output::json(json!({"count": events.len(), "events": events})))
}
