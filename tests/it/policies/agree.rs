//! For random policies, what explains, lists and runs says the same.

use std::sync::Arc;

use proptest::{prelude::*, strategy::ValueTree, test_runner::TestRunner};
use satchel::{
    engine::authorise,
    model::{
        agent::{ActingAgent, AgentId},
        call::Call,
        caller::Caller,
        error::Kind,
        policy::{Layer, Policies, Situation},
    },
    services::policies::explain,
};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::support::app::TestApp;

/// The tools that are called: none of them changes anything, whatever their arguments.
const TOOLS: [&str; 6] = ["calculator", "parse_json", "read", "web_search", "recall_memories", "get_platform_status"];

fn layer() -> impl Strategy<Value = Option<Layer>> {
    let pattern =
        "(calculator|parse_json|read|memory_search|fs-read|get_.*|group:data|group:memory|group:none|\\*|web\\*|c\\*r)"
            .prop_map(|text: String| text.replace(".*", "*"));
    let list = || proptest::collection::vec(pattern.clone(), 0..3);
    let profile = proptest::option::weighted(0.2, "(full|coding|unknown)");
    proptest::option::weighted(
        0.5,
        (profile, list(), list(), list()).prop_map(|(profile, allow, deny, ask)| Layer { profile, allow, deny, ask }),
    )
}

fn document() -> impl Strategy<Value = Policies> {
    (layer(), layer(), layer(), layer(), layer(), layer(), layer(), layer()).prop_map(
        |(profile, global, agent, provider, group, sandbox, subagent, of_one)| {
            let of =
                |name: &str, layer: Option<Layer>| layer.into_iter().map(|layer| (name.to_owned(), layer)).collect();
            Policies {
                profile,
                global,
                agent: of("assistant", agent),
                global_provider: of("local", provider),
                group: of("c", group),
                sandbox,
                subagent,
                agent_subagent: of("assistant", of_one),
                ..Policies::default()
            }
        },
    )
}

fn situation() -> impl Strategy<Value = Situation> {
    let some = |text: &'static str| proptest::option::of(Just(text.to_owned()));
    (some("assistant"), some("local"), some("c"), any::<bool>(), 0_u8..2, some("local")).prop_map(
        |(agent, provider, channel, sandboxed, depth, through)| Situation {
            agent,
            provider,
            channel,
            sandboxed,
            depth,
            through: through.into_iter().collect(),
            ..Situation::default()
        },
    )
}

/// An agent with random bounds, perhaps within those of another.
fn agent() -> impl Strategy<Value = Option<ActingAgent>> {
    let one = || {
        let risk = proptest::option::weighted(0.3, Just("read"));
        (layer(), risk, proptest::bool::weighted(0.1)).prop_map(|(layer, max_risk, is_specialist)| -> ActingAgent {
            let Layer { profile, allow, deny, .. } = layer.unwrap_or_default();
            let agent = json!({
                "id": AgentId::new(), "version": 1, "name": "reader", "profile": profile, "allow": allow, "deny": deny,
                "max_risk": max_risk, "tools": !is_specialist,
            });
            serde_json::from_value(agent).unwrap()
        })
    };
    let outer = proptest::option::weighted(0.3, one());
    proptest::option::of((one(), outer).prop_map(|(one, outer)| one.within(outer.map(Arc::new))))
}

#[tokio::test]
async fn explain_lists_and_calls_agree_for_random_policies() {
    let app = TestApp::start().await;
    let (owner, satchel) = (app.owner().await, &app.satchel);
    let callers = [app.caller(&["*"]).await, app.caller(&["host:fs.read"]).await];
    let mut runner = TestRunner::deterministic();
    let (mut denied, mut let_through) = (0, 0);
    for _ in 0..60 {
        let document = document().new_tree(&mut runner).unwrap().current();
        satchel.app.stores.policies.replace(&owner, None, document.clone()).await.unwrap();
        let situation = situation().new_tree(&mut runner).unwrap().current();
        let agent = agent().new_tree(&mut runner).unwrap().current().map(Arc::new);
        let callers = callers.clone().map(|caller| Caller { agent: agent.clone(), ..caller });
        for (caller, tool) in callers.iter().flat_map(|caller| TOOLS.map(|tool| (caller, tool))) {
            let (registry, settings) = (satchel.invoker.registry(), satchel.app.settings.get());
            let policy = satchel.invoker.policy(&situation);
            let found = registry.find(tool).unwrap();
            let explained = explain::explain(&registry, &found.tool, caller, &settings, &policy);
            let is_listed = authorise::may_use(&found.tool, caller, &policy);
            let call = Call { situation: situation.clone(), ..Call::new(caller.clone(), tool, json!({"wrong": 1})) };
            let outcome = satchel.invoker.invoke(call, CancellationToken::new()).await;
            // Arguments come after policies: whoever is told of them has passed.
            let kind = outcome.err().map(|error| error.kind());
            let passed = kind != Some(Kind::Denied) && kind != Some(Kind::NotFound);
            assert_eq!(explained.allowed, passed, "{tool} {situation:?} {document:?} {agent:?} {kind:?}");
            assert_eq!(explained.allowed, is_listed, "{tool} {situation:?} {document:?} {agent:?}");
            assert_eq!(explained.bounds.is_some(), agent.is_some());
            assert_eq!(
                explained.layers.iter().all(|layer| layer.allowed),
                policy.denial(found.tool.as_ref()).is_none()
            );
            if passed { let_through += 1 } else { denied += 1 }
        }
    }
    assert!(denied > 50 && let_through > 50, "{denied} {let_through}");
}
