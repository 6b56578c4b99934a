//! The documented names: each of them is here, with exactly its parameters, its permission and its risk.

use std::collections::{BTreeMap, BTreeSet};

use satchel::model::{
    caller::Permissions,
    spec::Risk::{self, HighWrite, LowWrite, Read},
    user::Role,
};
use serde_json::Value;

use crate::support::app::TestApp;

/// Firefly Desk's tools with the permission and the risk it gives them.
const DESK: [(&str, &str, Risk); 24] = [
    ("search_knowledge", "knowledge:read", Read),
    ("document_read", "knowledge:read", Read),
    ("document_convert", "knowledge:read", Read),
    ("document_create", "knowledge:write", LowWrite),
    ("document_modify", "knowledge:write", HighWrite),
    ("list_catalog_systems", "catalog:read", Read),
    ("list_system_endpoints", "catalog:read", Read),
    ("create_catalog_system", "catalog:write", LowWrite),
    ("update_catalog_system", "catalog:write", LowWrite),
    ("create_system_endpoint", "catalog:write", LowWrite),
    ("call_rest_endpoint", "catalog:read", LowWrite),
    ("call_graphql_endpoint", "catalog:read", LowWrite),
    ("call_soap_endpoint", "catalog:read", LowWrite),
    ("call_grpc_endpoint", "catalog:read", LowWrite),
    ("call_websocket", "catalog:read", LowWrite),
    ("grep_result", "", Read),
    ("parse_json", "", Read),
    ("filter_rows", "", Read),
    ("transform_data", "", Read),
    ("query_audit_log", "audit:read", Read),
    ("get_platform_status", "", Read),
    ("search_processes", "processes:read", Read),
    ("save_memory", "", LowWrite),
    ("recall_memories", "", Read),
];

/// Every name with its documented parameters: `?` may be left out; after the colon the type's first letter.
const NAMES: [(&str, &str); 65] = [
    // Firefly Desk
    ("search_knowledge", "query:s top_k?:i"),
    ("document_read", "file_path:s"),
    ("document_convert", "file_path:s target_format:s"),
    ("document_create", "format:s title:s content:o"),
    ("document_modify", "file_path:s operation:s data:o"),
    ("list_catalog_systems", ""),
    ("list_system_endpoints", "system_id:s"),
    ("create_catalog_system", "name:s description?:s base_url?:s tags?:s auth_type?:s"),
    ("update_catalog_system", "system_id:s name?:s description?:s base_url?:s tags?:s"),
    ("create_system_endpoint", "system_id:s name:s method:s path:s description?:s when_to_use?:s risk_level?:s"),
    ("call_rest_endpoint", "system_id:s method:s path:s query_params?:o body?:o headers?:o"),
    ("call_graphql_endpoint", "system_id:s query:s variables?:o operation_name?:s"),
    ("call_soap_endpoint", "system_id:s soap_action:s body_xml:s path?:s"),
    ("call_grpc_endpoint", "system_id:s service:s method:s body?:o"),
    ("call_websocket", "system_id:s path:s message:s timeout?:n headers?:o"),
    ("grep_result", "data:s pattern:s"),
    ("parse_json", "data:s action?:s path?:s"),
    ("filter_rows", "data:s field:s operator:s value:s"),
    ("transform_data", "data:s action:s field?:s order?:s fields?:s"),
    ("query_audit_log", "limit?:i event_type?:s"),
    ("get_platform_status", ""),
    ("save_memory", "content:s category?:s"),
    ("recall_memories", "query:s"),
    // Asyar
    ("calculator", "expression:s"),
    ("clipboard-read", ""),
    ("clipboard-write", "text:s"),
    ("fs-read", "path:s"),
    ("fs-write", "path:s content:s"),
    ("shell-exec", "command:s args?:a cwd?:s"),
    ("web-fetch", "url:s method?:s headers?:o body?:s timeoutMs?:n"),
    ("search", "query:s limit?:n"),
    // LurkBot
    ("exec", "command:s timeout?:n cwd?:s env?:o"),
    ("bash", "command:s timeout?:n cwd?:s env?:o"),
    ("process", "action:s command?:s session_id?:s"),
    ("read", "path:s encoding?:s offset?:n limit?:n"),
    ("write", "path:s content:s encoding?:s create_dirs?:b"),
    ("edit", "path:s old_text:s new_text:s occurrence?"),
    ("apply_patch", "path:s patch:s dry_run?:b"),
    ("memory_search", "query:s limit?:n threshold?:n"),
    ("memory_get", "key:s"),
    ("cron", "action:s schedule?:s task?:s job_id?:s"),
    ("sessions_spawn", "task:s agent_id?:s blocking?:b"),
    ("sessions_send", "session_key:s message:s"),
    ("sessions_list", ""),
    ("sessions_history", "session_key:s limit?:i"),
    ("session_status", "session_key?:s"),
    ("agents_list", ""),
    (
        "web_fetch",
        "url:s timeout?:n extract_text?:b timeout_seconds?:i max_bytes?:i prefer_readable?:b user_agent?:s max_redirects?:i",
    ),
    ("web_search", "query:s num_results?:n max_results?:i category?:s format?:s"),
    // Manifold
    ("run_cli", "command:s args:a timeout_seconds?:i stdin?:s"),
    ("search_index", "id:s text:s metadata?:o"),
    ("search_query", "query:s limit?:i"),
    ("search_remove", "id:s"),
    ("vector_upsert", "id:s vector?:a text?:s metadata?:o"),
    ("vector_query", "vector:a k?:i filter?:o"),
    ("vector_delete", "id:s"),
    ("graph_upsert_node", "id:s labels?:a props?:o"),
    ("graph_upsert_edge", "src:s rel:s dst:s props?:o"),
    ("graph_neighbors", "id:s rel:s"),
    ("graph_get_node", "id:s"),
    ("specialists_infer", "specialist:s prompt:s override_reasoning_effort?"),
    ("multi_tool_use_parallel", "tool_uses:a"),
    ("multi_tool_use.parallel", "tool_uses:a"),
    // Chalie
    ("tool_search", "query:s"),
    ("schedule", "action:s message?:s due_at?:s recurrence?:s"),
];

/// A parameter: whether it is needed, and its type's first letter where the schema has one type.
type Parameters = BTreeMap<String, (bool, Option<char>)>;

fn published(text: &str) -> Parameters {
    let one = |word: &str| {
        let (name, kind) = word.split_once(':').map_or((word, None), |(name, kind)| (name, kind.chars().next()));
        (name.trim_end_matches('?').to_owned(), (!name.ends_with('?'), kind))
    };
    text.split_whitespace().map(one).collect()
}

fn of_schema(document: &Value) -> Parameters {
    let needed = |name: &str| document["required"].as_array().is_some_and(|all| all.iter().any(|one| one == name));
    let one = |(name, property): (&String, &Value)| {
        let kind = property["type"].as_str().and_then(|kind| kind.chars().next());
        (name.clone(), (needed(name), kind))
    };
    document["properties"].as_object().unwrap().iter().map(one).collect()
}

#[tokio::test]
async fn every_name_takes_the_parameters_of_its_seed() {
    let app = TestApp::start().await;
    let registry = app.satchel.invoker.registry();
    for (name, text) in NAMES {
        let found = registry.find(name).unwrap();
        let own = found.alias().and_then(|alias| alias.schema());
        let here = of_schema(&own.unwrap_or(found.tool.schema()).document());
        let seed = published(text);
        for (parameter, (needed, kind)) in &seed {
            let (needed_here, kind_here) = here.get(parameter).unwrap_or_else(|| panic!("{name} has no '{parameter}'"));
            assert_eq!(needed_here, needed, "{name}: '{parameter}' is needed here, or in the seed, alone");
            // A whole number is a number; one of several words, or of several types, has none of its own.
            let number = |kind: &Option<char>| matches!(kind, Some('i' | 'n'));
            let numbers = number(kind) && number(kind_here);
            let fits = kind_here.is_none() || kind.is_none() || kind_here == kind || numbers;
            assert!(fits, "{name}: '{parameter}' is {kind_here:?}, not {kind:?}");
        }
        for (parameter, (needed, _)) in &here {
            assert!(own.is_none() || seed.contains_key(parameter), "{name} has '{parameter}', and its seed has not");
            assert!(!needed || seed.contains_key(parameter), "{name} needs '{parameter}', and its seed has it not");
        }
    }
}

#[tokio::test]
async fn permissions_and_risks_are_those_of_the_desk_and_roles_see_as_many_of_its_tools() {
    let app = TestApp::start().await;
    let registry = app.satchel.invoker.registry();
    for (name, permission, risk) in DESK {
        let found = registry.find(name).unwrap();
        let spec = found.tool.spec();
        assert_eq!((spec.permission.as_deref().unwrap_or_default(), spec.risk), (permission, risk), "{name}");
    }
    let sees = |permissions: &Permissions| {
        DESK.iter().filter(|(_, wanted, _)| wanted.is_empty() || permissions.grants(wanted)).count()
    };
    let roles: BTreeMap<String, usize> = app
        .satchel
        .app
        .stores
        .people
        .roles()
        .await
        .unwrap()
        .into_iter()
        .map(|role: Role| (role.name, sees(&role.permissions)))
        .collect();
    let wanted =
        [("administrator", 24), ("operator", 22), ("viewer", 18)].map(|(name, count)| (name.to_owned(), count));
    assert_eq!(roles, BTreeMap::from(wanted));
    assert_eq!(sees(&Permissions::default()), 7);
}

#[tokio::test]
async fn the_time_that_is_published_is_the_one_that_holds_unless_more_is_asked_for() {
    let app = TestApp::start().await;
    let registry = app.satchel.invoker.registry();
    for (name, seconds) in [("calculator", 9), ("exec", 120), ("web_fetch", 20), ("call_websocket", 30)] {
        assert_eq!(registry.find(name).unwrap().tool.holding_timeout().as_secs(), seconds, "{name}");
    }
}

#[tokio::test]
async fn what_chalie_has_at_hand_is_always_in_a_models_context() {
    let app = TestApp::start().await;
    let registry = app.satchel.invoker.registry();
    let tools = registry.tools().iter().filter(|tool| tool.spec().innate);
    let innate: BTreeSet<&str> = tools.map(|tool| tool.spec().name.as_str()).collect();
    let wanted =
        ["document", "find_tools", "list", "recall_memories", "reflect", "save_memory", "schedule", "search_knowledge"];
    assert_eq!(innate, BTreeSet::from(wanted));
    for (name, canonical) in [("recall", "recall_memories"), ("memorize", "save_memory")] {
        assert_eq!(registry.find(name).unwrap().tool.spec().name, canonical);
    }
}
