//! Step 2, for a call that an agent makes: the bounds of the agent, which narrow what its person may do.

use super::tool::Tool;
use satchel_model::{
    agent::ActingAgent,
    caller::Caller,
    error::{Error, Result},
    policy::{PROFILES, Patterns},
    spec::Risk,
};

/// Checks that the agent that acts for the caller may call a tool. Its denials come first; then its profile and its list of
/// what it may call have to name the tool, both.
///
/// # Errors
///
/// If it may not, with the bound that says so.
pub(super) fn check(tool: &Tool, caller: &Caller) -> Result<()> {
    let Some(agent) = caller.agent.as_deref() else { return Ok(()) };
    let refuse = |why: String| Err(refusal(agent, &tool.spec().name, &why));
    if !agent.tools {
        return refuse("it is a specialist, which calls no tools".to_owned());
    }
    if agent.deny.is_empty() && agent.allow.is_empty() && agent.profile.is_none() {
        return check_risk(tool, caller, tool.spec().risk);
    }
    let names = tool.names();
    if let Some(rule) = Patterns::new(&agent.deny).find(&names) {
        return refuse(format!("its list of denied tools has '{rule}'"));
    }
    if let Some(name) = &agent.profile {
        let Some((_, allowed)) = PROFILES.iter().find(|(known, _)| known == name) else {
            return refuse(format!("its profile '{name}' is not known, and so allows nothing"));
        };
        if Patterns::new(allowed).find(&names).is_none() {
            return refuse(format!("its profile '{name}' does not have it"));
        }
    }
    if !agent.allow.is_empty() && Patterns::new(&agent.allow).find(&names).is_none() {
        return refuse("its list of allowed tools does not have it".to_owned());
    }
    check_risk(tool, caller, tool.spec().risk)
}

/// Checks that the agent that acts for the caller may make a call of this risk.
///
/// # Errors
///
/// If that is more than it may.
pub(super) fn check_risk(tool: &Tool, caller: &Caller, risk: Risk) -> Result<()> {
    match caller.agent.as_deref() {
        Some(agent) if agent.max_risk.is_some_and(|most| risk > most) => {
            let most = agent.max_risk.map(Risk::as_str).unwrap_or_default();
            let why = format!("this is {}, and its calls are {most} at most", risk.as_str());
            Err(refusal(agent, &tool.spec().name, &why.replace('_', " ")))
        }
        _ => Ok(()),
    }
}

fn refusal(agent: &ActingAgent, tool: &str, why: &str) -> Error {
    let name = &agent.name;
    Error::denied(format!(
        "The agent {name} may not do this with {tool}: {why}. Whoever may change the agent can allow it."
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use satchel_model::{
        agent::AgentId,
        caller::{Credential, Door, Permissions},
        output::Output,
        spec::Category,
        user::UserId,
    };
    use schemars::JsonSchema;
    use serde::Deserialize;
    use serde_json::{Value, json};
    use std::sync::Arc;

    #[derive(Deserialize, JsonSchema)]
    struct Nothing {}

    fn tool(name: &str, category: Category) -> Tool {
        Tool::new(name, category, "Does.", "When.", |_, _: Nothing| async { Ok(Output::default()) })
    }

    fn caller(bounds: Value) -> Caller {
        let mut whole = json!({"id": AgentId::new(), "version": 1, "name": "reader", "tools": true});
        whole.as_object_mut().unwrap().extend(bounds.as_object().unwrap().clone());
        Caller {
            user: UserId::new(),
            username: "ada".to_owned(),
            permissions: Permissions::all(),
            door: Door::Chat,
            credential: Credential::Session,
            personal: true,
            agent: Some(Arc::new(serde_json::from_value(whole).unwrap())),
        }
    }

    #[test]
    fn denials_come_before_what_is_allowed() {
        let read = tool("read", Category::Files).alias(super::super::tool::Alias::same("fs-read"));
        for (bounds, wanted) in [
            (json!({}), None),
            (json!({"allow": ["re*"]}), None),
            (json!({"allow": ["FS-read"]}), None),
            (json!({"allow": ["builtin:read"]}), None),
            (json!({"allow": ["write"]}), Some("list of allowed")),
            (json!({"allow": ["read"], "deny": ["group:fs"]}), Some("'group:fs'")),
            (json!({"deny": ["fs-*"]}), Some("'fs-*'")),
            (json!({"profile": "coding"}), None),
            (json!({"profile": "messaging"}), Some("profile 'messaging'")),
            (json!({"profile": "coding", "allow": ["exec"]}), Some("list of allowed")),
            (json!({"profile": "unknown", "allow": ["read"]}), Some("allows nothing")),
            (json!({"tools": false}), Some("specialist")),
        ] {
            let told = check(&read, &caller(bounds.clone())).err().map(|error| error.message().to_owned());
            match wanted {
                None => assert_eq!(told, None, "{bounds}"),
                Some(wanted) => assert!(told.is_some_and(|told| told.contains(wanted)), "{bounds}"),
            }
        }
    }

    #[test]
    fn a_risk_above_the_agents_is_refused() {
        let write = tool("write", Category::Files).risk(Risk::HighWrite);
        let bounded = caller(json!({"max_risk": "low_write"}));
        let told = check(&write, &bounded).unwrap_err();
        assert!(told.message().contains("high write, and its calls are low write at most"), "{told}");
        assert!(check_risk(&write, &bounded, Risk::LowWrite).is_ok());
        assert!(check(&write, &caller(json!({"max_risk": "high_write"}))).is_ok());
    }
}
