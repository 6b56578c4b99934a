//! Step 2, for a call that an agent makes: the bounds of the agent, which narrow what its person may do. In a session, those of
//! the agents that began it and the sessions above it hold as well.

use super::{
    policy::{Named, View},
    tool::Tool,
};
use satchel_model::{
    agent::ActingAgent,
    caller::Caller,
    error::{Error, Result},
    spec::Risk,
};

/// Checks that the agent that acts for the caller may call a tool. Its profile and lists are judged as a policy layer is.
///
/// # Errors
///
/// If it may not, with the bound that says so.
pub(super) fn check(tool: &Tool, caller: &Caller, policy: &View) -> Result<()> {
    for agent in acting(caller) {
        if !agent.tools {
            return Err(refusal(agent, &tool.spec().name, "it is a specialist, which calls no tools"));
        }
        if let Some(layer) = agent.layer(policy.exec()) {
            let judged = layer.judge(&tool.names());
            if !judged.allowed {
                return Err(refusal(agent, &tool.spec().name, &judged.rule.unwrap_or_default()));
            }
        }
    }
    check_risk(tool, caller, tool.spec().risk)
}

/// Checks that the agent that acts for the caller may start a process, by whichever tool: without `exec` it may not.
///
/// # Errors
///
/// If it may not.
pub(super) fn check_process(tool: &Tool, caller: &Caller, policy: &View) -> Result<()> {
    let denies = |agent: &&ActingAgent| agent.layer(policy.exec()).is_some_and(|layer| !layer.allows_exec());
    match acting(caller).find(denies) {
        Some(agent) => Err(refusal(agent, &tool.spec().name, "exec is denied")),
        None => Ok(()),
    }
}

/// Checks that the agent that acts for the caller may make a call of this risk.
///
/// # Errors
///
/// If that is more than it may.
pub(super) fn check_risk(tool: &Tool, caller: &Caller, risk: Risk) -> Result<()> {
    let exceeded = |agent: &ActingAgent| agent.max_risk.filter(|most| risk > *most);
    match acting(caller).find_map(|agent| Some((agent, exceeded(agent)?))) {
        Some((agent, most)) => {
            let why = format!("this is {}, and its calls are {} at most", risk.as_str(), most.as_str());
            Err(refusal(agent, &tool.spec().name, &why.replace('_', " ")))
        }
        None => Ok(()),
    }
}

/// The agent that acts for the caller, and those within whose bounds it does.
fn acting(caller: &Caller) -> impl Iterator<Item = &ActingAgent> {
    caller.agent.iter().flat_map(|agent| agent.chain())
}

fn refusal(agent: &ActingAgent, tool: &str, why: &str) -> Error {
    let name = &agent.name;
    if agent.of_skill {
        return Error::denied(format!(
            "The skill {name}, which this run follows, is done with the tools it asks for, and {tool} is none of them. Say what \
             you would need it for; once this answer is over, the skill is not followed any more."
        ));
    }
    Error::denied(format!(
        "The agent {name} may not make this call of {tool}: {why}. Whoever may change the agent can allow it."
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::PolicySet;
    use satchel_model::{
        agent::AgentId,
        caller::{Credential, Door, Permissions},
        output::Output,
        policy::Situation,
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

    fn no_policy() -> Arc<View> {
        PolicySet::new(Arc::default(), Arc::new(Vec::<Arc<Tool>>::new())).view(&Situation::default())
    }

    #[test]
    fn denials_come_before_what_is_allowed() {
        let read = tool("read", Category::Files).alias(super::super::tool::Alias::same("fs-read"));
        for (bounds, wanted) in [
            (json!({}), None),
            (json!({"allow": ["re*"]}), None),
            (json!({"allow": ["FS-read"]}), None),
            (json!({"allow": ["builtin:read"]}), None),
            (json!({"allow": ["write"]}), Some("allow: nothing")),
            (json!({"allow": ["read"], "deny": ["group:fs"]}), Some("deny: group:fs")),
            (json!({"deny": ["fs-*"]}), Some("deny: fs-*")),
            (json!({"profile": "coding"}), None),
            (json!({"profile": "messaging"}), Some("profile: messaging")),
            (json!({"profile": "coding", "allow": ["exec"]}), Some("allow: nothing")),
            (json!({"profile": "unknown", "allow": ["read"]}), Some("allows nothing")),
            (json!({"tools": false}), Some("specialist")),
        ] {
            let told =
                check(&read, &caller(bounds.clone()), &no_policy()).err().map(|error| error.message().to_owned());
            match wanted {
                None => assert_eq!(told, None, "{bounds}"),
                Some(wanted) => assert!(told.is_some_and(|told| told.contains(wanted)), "{bounds}"),
            }
        }
    }

    #[test]
    fn in_a_session_the_bounds_of_every_agent_above_hold() {
        let read = tool("read", Category::Files).risk(Risk::LowWrite);
        let below = |bounds: Value, above: &Caller| {
            let mut session = caller(bounds);
            let acting = ActingAgent::clone(session.agent.as_ref().unwrap());
            session.agent = Some(Arc::new(acting.within(above.agent.clone())));
            session
        };
        for (first, wanted) in [
            (json!({}), None),
            (json!({"deny": ["read"]}), Some("deny")),
            (json!({"max_risk": "read"}), Some("low write")),
        ] {
            let second = below(json!({}), &caller(first.clone()));
            let third = below(json!({"allow": ["read"]}), &second);
            let told = check(&read, &third, &no_policy()).err().map(|error| error.message().to_owned());
            assert_eq!(told.is_some(), wanted.is_some(), "{first}: {told:?}");
            assert!(wanted.is_none_or(|wanted| told.unwrap().contains(wanted)));
        }
    }

    #[test]
    fn a_risk_above_the_agents_is_refused() {
        let write = tool("write", Category::Files).risk(Risk::HighWrite);
        let bounded = caller(json!({"max_risk": "low_write"}));
        let told = check(&write, &bounded, &no_policy()).unwrap_err();
        assert!(told.message().contains("high write, and its calls are low write at most"), "{told}");
        assert!(check_risk(&write, &bounded, Risk::LowWrite).is_ok());
        assert!(check(&write, &caller(json!({"max_risk": "high_write"})), &no_policy()).is_ok());
    }
}
