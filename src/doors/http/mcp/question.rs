//! A question to a person, as their client puts it before them: a form with a yes or a no, and the answer to it.

use rmcp::model::{ElicitResult, ElicitationAction};
use serde_json::{Value, json};

use crate::http::protocol::revision::Revision;
use satchel_model::{
    call::{Decision, Ticket},
    json::weighs_more,
    unseen::visible,
};

/// The name of the question among those of a request.
pub(super) const NAME: &str = "approve";
/// Most bytes of arguments that a form shows.
const SHOWN: usize = 4_000;

/// The answer of a person, as their client tells it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Said {
    /// Yes or no, perhaps with a reason.
    Decided(Decision, Option<String>),
    /// Nothing: they put it away.
    Nothing,
}

/// Returns whether a form can show all that would run. What it cannot is decided in the console.
pub(super) fn fits(ticket: &Ticket) -> bool {
    !weighs_more(&ticket.arguments, SHOWN)
}

/// The form about a ticket.
pub(super) fn form(revision: Revision, ticket: &Ticket) -> Value {
    let approve = json!({
        "type": "boolean",
        "title": "Run it",
        "description": "Yes runs it once, with exactly these arguments. No runs nothing.",
    });
    let reason =
        json!({"type": "string", "title": "Why not", "description": "What the model is told.", "maxLength": 500});
    let mut form = json!({
        "message": message(ticket),
        "requestedSchema": {
            "type": "object",
            "properties": {"approve": approve, "reason": reason},
            "required": ["approve"],
        },
    });
    // Before, there was no other kind.
    if let (true, Some(form)) = (revision >= Revision::November2025, form.as_object_mut()) {
        form.insert("mode".to_owned(), json!("form"));
    }
    form
}

/// The words of the question: what it is about, why it is asked, and all that would run.
fn message(ticket: &Ticket) -> String {
    let arguments = visible(&ticket.arguments.to_string()).into_owned();
    let warnings: String = ticket.warnings.iter().map(|warning| format!("\n- {warning}")).collect();
    format!("{}\n{}\n{} {arguments}{warnings}", visible(&ticket.question), visible(&ticket.reason), ticket.tool)
}

/// Reads the answer; `None` if it is none.
pub(super) fn read(answer: Value) -> Option<Said> {
    let answer: ElicitResult = serde_json::from_value(answer).ok()?;
    match answer.action {
        ElicitationAction::Accept => {
            let content = answer.content?;
            let reason = content.get("reason").and_then(Value::as_str).filter(|reason| !reason.is_empty());
            let decision = if content.get("approve")?.as_bool()? { Decision::Approve } else { Decision::Deny };
            Some(Said::Decided(decision, reason.map(str::to_owned)))
        }
        ElicitationAction::Decline => Some(Said::Decided(Decision::Deny, None)),
        _ => Some(Said::Nothing),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_yes_is_one() {
        let said = |answer: Value| read(answer);
        let yes = json!({"action": "accept", "content": {"approve": true}});
        assert_eq!(said(yes), Some(Said::Decided(Decision::Approve, None)));
        let no = json!({"action": "accept", "content": {"approve": false, "reason": "Later."}});
        assert_eq!(said(no), Some(Said::Decided(Decision::Deny, Some("Later.".to_owned()))));
        assert_eq!(said(json!({"action": "decline"})), Some(Said::Decided(Decision::Deny, None)));
        assert_eq!(said(json!({"action": "cancel"})), Some(Said::Nothing));
        for none in [
            json!({}),
            json!("yes"),
            json!({"action": "accept"}),
            json!({"action": "accept", "content": {}}),
            json!({"action": "accept", "content": {"approve": "true"}}),
            json!({"action": "accept", "content": true}),
            json!({"action": "agree", "content": {"approve": true}}),
        ] {
            assert_eq!(said(none.clone()), None, "{none}");
        }
    }
}
