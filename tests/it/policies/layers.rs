//! The document over HTTP, its warnings, and denials that name their layer.

use serde_json::{Value, json};

use crate::support::http::{Request, TestServer as Server};

async fn put(server: &Server, cookie: &str, document: Value) -> (u16, Value) {
    let answer = server.send(Request::new("PUT", "/api/policies").json(&document).cookie(cookie)).await;
    (answer.status, answer.json())
}

async fn post(server: &Server, cookie: &str, path: &str, body: Value) -> (u16, Value) {
    let answer = server.send(Request::post(path, &body).cookie(cookie)).await;
    (answer.status, answer.json())
}

async fn listed(server: &Server, cookie: &str) -> Vec<String> {
    let tools = server.send(Request::get("/api/tools").cookie(cookie)).await.json();
    tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_denied_tool_is_not_listed_and_its_refusal_names_the_layer_here_and_in_the_audit() {
    let server = Server::start().await;
    let mara = server.sign_in("owner").await;
    let sum = json!({"params": {"expression": "1+1"}});
    assert_eq!(post(&server, &mara, "/api/tools/calculator/invoke", sum.clone()).await.0, 200);
    let (status, stored) = put(&server, &mara, json!({"global": {"deny": ["Calc*"]}})).await;
    assert_eq!((status, &stored["version"], &stored["warnings"]), (200, &json!(1), &json!([])), "{stored}");
    let (status, refused) = post(&server, &mara, "/api/tools/calculator/invoke", sum.clone()).await;
    assert_eq!(status, 403, "{refused}");
    assert!(
        refused["detail"].as_str().unwrap().starts_with("The policy layer 'global' denies calculator (deny: Calc*)")
    );
    assert!(!listed(&server, &mara).await.contains(&"calculator".to_owned()));
    let audit = server.send(Request::get("/api/audit?limit=20").cookie(&mara)).await.text();
    assert!(audit.contains("The policy layer 'global' denies calculator"), "{audit}");
    // What was read can be changed and put back as it is; an old version is not.
    let mut read = server.send(Request::get("/api/policies").cookie(&mara)).await.json();
    read["global"]["deny"] = json!([]);
    assert_eq!(put(&server, &mara, read.clone()).await.0, 200);
    assert_eq!(put(&server, &mara, read).await.0, 409);
    assert_eq!(post(&server, &mara, "/api/tools/calculator/invoke", sum).await.0, 200);
}

#[tokio::test]
async fn what_is_odd_about_a_document_is_said_and_what_is_wrong_refused() {
    let server = Server::start().await;
    let mara = server.sign_in("owner").await;
    for wrong in
        [json!({"globl": {}}), json!({"global": {"alow": []}}), json!({"agent": []}), json!({"global": {"deny": [""]}})]
    {
        assert_eq!(put(&server, &mara, wrong.clone()).await.0, 400, "{wrong}");
    }
    let (_, stored) = put(
        &server,
        &mara,
        json!({
            "profile": {"profile": "codign"}, "global": {"allow": ["nothing_there"], "deny": ["group:felts"]},
            "provider_profile": {"nobody": {"profile": "full"}}, "agent": {"assistant": {"deny": ["group:fs"]}},
        }),
    )
    .await;
    let warnings: Vec<&str> = stored["warnings"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
    for part in [
        "no profile 'codign'",
        "nothing in its allow list",
        "'nothing_there' fits no tool",
        "no group 'felts'",
        "no provider 'nobody'",
        "apply_patch passes, as exec does",
    ] {
        assert!(warnings.iter().any(|warning| warning.contains(part)), "{part}: {warnings:?}");
    }
    assert_eq!(listed(&server, &mara).await, Vec::<String>::new(), "an unknown profile allows nothing");
    let groups = server.send(Request::get("/api/policies/groups").cookie(&mara)).await.json();
    assert_eq!(groups["groups"]["fs"], json!(["read", "write", "edit", "apply_patch"]));
    assert_eq!(groups["profiles"]["minimal"], json!(["session_status"]));
}

#[tokio::test]
async fn without_exec_no_process_is_started_though_processes_are_listed() {
    let server = Server::start().await;
    let mara = server.sign_in("owner").await;
    server.owner("PUT", "/api/settings", &json!({"exec": {"mode": "sandboxed"}})).await;
    put(&server, &mara, json!({"global": {"deny": ["bash"]}})).await;
    let start = json!({"params": {"action": "start", "command": "sleep 1"}});
    let (status, refused) = post(&server, &mara, "/api/tools/process/invoke", start).await;
    assert_eq!(status, 403, "{refused}");
    assert!(
        refused["detail"].as_str().unwrap().contains("'global' denies process with these arguments (exec is denied)")
    );
    let list = json!({"params": {"action": "list"}});
    assert_eq!(post(&server, &mara, "/api/tools/process/invoke", list).await.0, 200);
    assert_eq!(post(&server, &mara, "/api/tools/exec/invoke", json!({"params": {"command": "ls"}})).await.0, 403);
}

#[tokio::test]
async fn a_layer_can_make_a_harmless_tool_ask() {
    let server = Server::start().await;
    let mara = server.sign_in("owner").await;
    put(&server, &mara, json!({"global": {"ask": ["group:data"]}})).await;
    let sum = json!({"params": {"expression": "2*3"}});
    let (status, asked) = post(&server, &mara, "/api/tools/calculator/invoke", sum).await;
    assert_eq!(status, 409, "{asked}");
    assert_eq!(asked["reason"], "The policy layer 'global' asks about calculator (ask: group:data).");
    let ticket = asked["ticket"].as_str().unwrap();
    let (status, decided) =
        post(&server, &mara, &format!("/api/tickets/{ticket}"), json!({"decision": "approve"})).await;
    assert_eq!((status, &decided["result"]["data"]), (200, &json!(6)), "{decided}");
    // Within another call it is told beforehand, and the yes covers it.
    let inner = json!({"params": {"tool_uses": [{"recipient_name": "calculator", "parameters": {"expression": "4"}}]}});
    let (status, asked) = post(&server, &mara, "/api/tools/parallel/invoke", inner).await;
    assert_eq!(status, 409, "{asked}");
    let path = format!("/api/tickets/{}", asked["ticket"].as_str().unwrap());
    let (_, decided) = post(&server, &mara, &path, json!({"decision": "approve"})).await;
    assert_eq!(decided["result"]["data"]["results"][0]["result"], json!(4), "{decided}");
}

#[tokio::test]
async fn others_policies_and_people_are_for_those_who_manage_them() {
    let server = Server::start().await;
    let mara = server.sign_in("owner").await;
    server.add("vera", "viewer").await;
    let vera = server.sign_in("vera").await;
    assert_eq!(server.send(Request::get("/api/policies").cookie(&vera)).await.status, 403);
    assert_eq!(put(&server, &vera, json!({})).await.0, 403);
    assert_eq!(post(&server, &vera, "/api/policies/replay", json!({})).await.0, 403);
    let explain = |cookie: String, body: Value| {
        let server = &server;
        async move { post(server, &cookie, "/api/policies/explain", body).await }
    };
    assert_eq!(explain(vera.clone(), json!({"tool": "calculator"})).await.1["allowed"], true);
    assert_eq!(explain(vera.clone(), json!({"tool": "exec"})).await.0, 404, "as if it were not there");
    assert_eq!(explain(vera.clone(), json!({"tool": "calculator", "user": "owner"})).await.0, 403);
    let (_, exec) = explain(mara.clone(), json!({"tool": "bash", "user": "vera"})).await;
    assert_eq!(
        (&exec["tool"], &exec["allowed"], &exec["decided_by"]),
        (&json!("builtin:exec"), &json!(false), &json!("permission"))
    );
    put(&server, &mara, json!({"agent": {"assistant": {"deny": ["calculator"]}}})).await;
    let agents = json!({"tool": "calculator", "agent": "assistant"});
    let (_, told) = explain(mara.clone(), agents).await;
    assert_eq!((&told["allowed"], &told["decided_by"]), (&json!(false), &json!("agent")));
    assert_eq!(told["layers"].as_array().unwrap().len(), 9);
    assert_eq!(explain(mara.clone(), json!({"tool": "calculator"})).await.1["allowed"], true);
    let (_, below) = explain(mara, json!({"tool": "recall_memories", "depth": 1})).await;
    assert_eq!((&below["allowed"], &below["decided_by"]), (&json!(false), &json!("subagent")));
}

#[tokio::test]
async fn what_explains_and_looks_knows_an_agents_own_bounds_and_no_agent_that_is_not_there() {
    let server = Server::start().await;
    let mara = server.sign_in("owner").await;
    let reader = json!({"name": "reader", "deny": ["calc*"], "max_risk": "read"});
    assert_eq!(post(&server, &mara, "/api/agents", reader).await.0, 201);
    let explain = async |tool: &str, agent: &str| {
        post(&server, &mara, "/api/policies/explain", json!({"tool": tool, "agent": agent})).await
    };
    for (tool, wanted) in [("calculator", "deny: calc*"), ("write", "its calls are read at most")] {
        let (_, told) = explain(tool, "reader").await;
        assert_eq!((&told["allowed"], &told["decided_by"]), (&json!(false), &json!("bounds")), "{told}");
        assert!(told["reason"].as_str().unwrap().contains(wanted), "{told}");
        assert_eq!((&told["bounds"]["agent"], &told["bounds"]["allowed"]), (&json!("reader"), &json!(false)), "{told}");
    }
    assert_eq!(explain("read", "reader").await.1["allowed"], json!(true));
    assert_eq!(explain("read", "nosuch").await.0, 404);
    let seen = json!({"query": "calculator", "agent": "reader"});
    let (_, seen) = post(&server, &mara, "/api/policies/view", seen).await;
    assert_eq!(seen["tools"][0]["decided_by"], json!("bounds"), "{seen}");
    assert_eq!(post(&server, &mara, "/api/policies/view", json!({"agent": "nosuch"})).await.0, 404);
}

#[tokio::test]
async fn a_rule_means_an_agent_by_its_id_and_none_that_is_not_there() {
    let server = Server::start().await;
    let mara = server.sign_in("owner").await;
    let (_, reader) = post(&server, &mara, "/api/agents", json!({"name": "reader"})).await;
    let rule = |agent: &str| json!({"tool": "write", "when": {"/path": {"equals": "r.txt"}}, "decision": "deny", "agent": agent});
    let (status, made) = post(&server, &mara, "/api/rules", rule("Reader")).await;
    assert_eq!((status, &made["agent"]), (201, &reader["id"]), "{made}");
    assert_eq!(post(&server, &mara, "/api/rules", rule("assistant")).await.1["agent"], json!("assistant"));
    let (status, told) = post(&server, &mara, "/api/rules", rule("nosuch")).await;
    assert_eq!(status, 404);
    assert!(told["detail"].as_str().unwrap().starts_with("There is no agent 'nosuch'"), "{told}");
}
