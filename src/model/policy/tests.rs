//! Tests of policies as a document, and of its layers.

use super::*;

fn names(id: &str, aliases: &[&str]) -> ToolNames {
    ToolNames::new(id, aliases.iter().copied())
}

fn exec() -> ToolNames {
    names("builtin:exec", &["bash", "shell-exec", "run_cli"])
}

fn layer(json: serde_json::Value) -> CompiledLayer {
    CompiledLayer::new(&serde_json::from_value(json).unwrap(), &exec())
}

#[test]
fn a_tool_is_matched_by_every_name_it_has() {
    let tool = names("builtin:web_fetch", &["web-fetch"]);
    for pattern in [
        "web_fetch",
        "WEB_FETCH",
        "builtin:web_fetch",
        "web-fetch",
        "web*",
        "*fetch",
        "w*b*f*h",
        "*",
        "group:web",
        "functions.web_fetch",
        "builtin__web_fetch",
    ] {
        assert!(!layer(serde_json::json!({"deny": [pattern]})).judge(&tool).allowed, "{pattern}");
    }
    for pattern in ["web", "fetch", "w*x", "group:fs", "group:nothing", "web_fetch*x"] {
        assert!(layer(serde_json::json!({"deny": [pattern]})).judge(&tool).allowed, "{pattern}");
    }
}

#[test]
fn deny_wins_an_empty_list_allows_all_and_an_unknown_profile_nothing() {
    let tool = names("builtin:read", &["fs-read"]);
    let judge = |json| layer(json).judge(&tool);
    assert!(judge(serde_json::json!({})).allowed);
    assert!(judge(serde_json::json!({"profile": "full"})).allowed);
    assert!(judge(serde_json::json!({"profile": "coding"})).allowed);
    assert!(!judge(serde_json::json!({"profile": "messaging"})).allowed);
    assert!(!judge(serde_json::json!({"allow": ["nothing_there"]})).allowed);
    let denied = judge(serde_json::json!({"allow": ["read"], "deny": ["fs-*"]}));
    assert_eq!((denied.allowed, denied.rule.as_deref()), (false, Some("deny: fs-*")));
    let unknown = judge(serde_json::json!({"profile": "codign", "allow": ["read"]}));
    assert_eq!(unknown.rule.as_deref(), Some("profile: 'codign' is unknown and allows nothing"));
    assert!(!unknown.allowed);
}

#[test]
fn patches_follow_commands_unless_they_are_denied_by_name() {
    let patch = names("builtin:apply_patch", &[]);
    let allowed = |json| layer(json).judge(&patch).allowed;
    assert!(allowed(serde_json::json!({"allow": ["bash"]})));
    assert!(allowed(serde_json::json!({"allow": ["exec"], "deny": ["group:fs"]})));
    assert!(allowed(serde_json::json!({"deny": ["apply_*"]})));
    assert!(!allowed(serde_json::json!({"allow": ["exec"], "deny": ["builtin:apply_patch"]})));
    assert!(!allowed(serde_json::json!({"deny": ["group:fs", "exec"]})));
    assert!(!allowed(serde_json::json!({"deny": ["*"]})));
    assert!(!layer(serde_json::json!({"deny": ["shell-exec"]})).allows_exec());
}

#[test]
fn layers_apply_where_they_belong_and_a_subagent_is_denied_by_default() {
    let policies: Policies = serde_json::from_value(serde_json::json!({
        "provider_profile": {"local": {"profile": "minimal"}}, "agent": {"assistant": {"deny": ["exec"]}},
        "agent_provider": {"assistant": {"local": {"deny": ["read"]}}}, "group": {"c": {}}, "sandbox": {},
    }))
    .unwrap();
    let some = |text: &str| Some(text.to_owned());
    let applies = |situation: &Situation| -> Vec<&str> {
        let of = |kind: &LayerKind| !policies.layers(*kind, situation).is_empty();
        LayerKind::ALL.into_iter().filter(of).map(LayerKind::as_str).collect()
    };
    assert!(applies(&Situation::default()).is_empty());
    let all = Situation {
        agent: some("assistant"),
        provider: some("local"),
        channel: some("c"),
        sandboxed: true,
        depth: 1,
        ..Situation::default()
    };
    assert_eq!(applies(&all), ["provider_profile", "agent", "agent_provider", "group", "sandbox", "subagent"]);
    assert_eq!(
        applies(&Situation { provider: some("other"), ..all.clone() }),
        ["agent", "group", "sandbox", "subagent"]
    );
    assert!(policies.layers(LayerKind::Subagent, &all)[0].deny.contains(&"sessions_spawn".to_owned()));
}

#[test]
fn an_agent_has_a_layer_of_its_own_for_the_sessions_it_leads() {
    let policies: Policies = serde_json::from_value(serde_json::json!({
        "subagent": {"deny": ["group:sessions"]}, "agent_subagent": {"lead": {"deny": ["exec"]}},
    }))
    .unwrap();
    let denied = |agents: &[&str], depth| -> Vec<String> {
        let mut agents = agents.iter().map(|name| (*name).to_owned());
        let situation = Situation { agent: agents.next(), within: agents.collect(), depth, ..Situation::default() };
        policies.layers(LayerKind::Subagent, &situation).into_iter().flat_map(|layer| layer.deny.clone()).collect()
    };
    assert!(denied(&["lead"], 0).is_empty());
    assert_eq!(denied(&["lead", "assistant"], 1), ["exec"], "the conversation above is no session");
    assert_eq!(denied(&["other", "lead"], 1), ["group:sessions"]);
    assert_eq!(
        denied(&["other", "lead", "assistant"], 2),
        ["group:sessions", "exec"],
        "as what it leads, and as below it"
    );
}

#[test]
fn unknown_fields_and_endless_patterns_are_refused() {
    for wrong in [
        serde_json::json!({"globall": {}}),
        serde_json::json!({"global": {"alow": []}}),
        serde_json::json!({"global": 3}),
    ] {
        assert!(serde_json::from_value::<Policies>(wrong).is_err());
    }
    let of = |deny: &str| Policies {
        global: Some(Layer { deny: vec![deny.to_owned()], ..Layer::default() }),
        ..Policies::default()
    };
    assert!(of("read").ensure_bounded().is_ok());
    assert!(of(" ").ensure_bounded().is_err() && of(&"x".repeat(201)).ensure_bounded().is_err());
}

proptest::proptest! {
    #[test]
    fn what_passes_only_shrinks_as_more_is_denied(
        first in proptest::collection::vec("[a-c*]{1,3}|group:fs|exec|apply_patch|read", 0..4),
        more in proptest::collection::vec("[a-c*]{1,3}|group:fs|exec|apply_patch|read", 0..4),
        allow in proptest::collection::vec("[a-c*]{1,3}|group:fs|exec|\\*", 0..3),
    ) {
        let tools = ["a", "ab", "abc", "read", "exec", "apply_patch", "c"].map(|name| names(&format!("builtin:{name}"), &[]));
        let passing = |deny: Vec<String>| -> Vec<bool> {
            let layer = Layer { allow: allow.clone(), deny, ..Layer::default() };
            let layer = CompiledLayer::new(&layer, &names("builtin:exec", &[]));
            tools.iter().map(|tool| layer.judge(tool).allowed).collect()
        };
        let (before, after) = (passing(first.clone()), passing([first, more].concat()));
        proptest::prop_assert!(before.iter().zip(&after).all(|(before, after)| *before || !after));
    }
}
