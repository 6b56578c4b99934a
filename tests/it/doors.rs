//! One pipeline behind every door: the same calls through REST, the chat and the command line (beside a server, and
//! without one) leave the same rows in the audit, and come to the same.

use serde_json::{Value, json};

use crate::support::{
    chat::{Person, find},
    fake_llm::{FakeLlm, call, say},
    program::{Home, Serving},
};

/// A call, and what comes of it.
struct Case {
    what: &'static str,
    tool: &'static str,
    params: Value,
    /// The status over HTTP; for a tool's own failure it is 200.
    status: u16,
    /// The exit code of the command line.
    exit: i32,
    /// The audit's `action` and `outcome`, in order.
    rows: &'static [[&'static str; 2]],
}

const RAN: &[[&str; 2]] = &[["invoke", "success"]];
const FAILED: &[[&str; 2]] = &[["invoke", "failure"]];
const REFUSED: &[[&str; 2]] = &[["invoke", "refused"]];
const ASKED: &[[&str; 2]] = &[["invoke", "waiting"], ["invoke", "success"]];

fn cases() -> Vec<Case> {
    let case = |what, (tool, params), (status, exit), rows| Case { what, tool, params, status, exit, rows };
    let sum = || json!({"expression": "6 * 7"});
    vec![
        case("success", ("calculator", sum()), (200, 0), RAN),
        case("the full id", ("builtin:calculator", sum()), (200, 0), RAN),
        case("a wire name", ("builtin__calculator", sum()), (200, 0), RAN),
        case("a model's prefix", ("functions.calculator", sum()), (200, 0), RAN),
        case("an alias", ("memory_search", json!({"query": "tea", "limit": 3})), (200, 0), RAN),
        case("a write", ("list", json!({"action": "add", "list": "shopping", "items": ["tea"]})), (200, 0), RAN),
        case("the tool's failure", ("memory_get", json!({"key": "nothing"})), (200, 1), FAILED),
        case("a secret among the arguments", ("memory_get", json!({"token": "hush"})), (400, 1), FAILED),
        case("invalid arguments", ("calculator", json!({"expresion": "1"})), (400, 1), FAILED),
        case("an unknown tool", ("no_such_tool", json!({"a": 1})), (404, 1), FAILED),
        case("one switched off", ("grep_result", json!({"data": "a", "pattern": "a"})), (503, 1), REFUSED),
        case("must be confirmed", ("exec", json!({"command": "true"})), (409, 3), ASKED),
    ]
}

/// A row without what differs from call to call and from door to door.
fn essence(row: &Value) -> Value {
    let mut row = row.clone();
    for field in ["seq", "time", "door", "topic", "call_id", "duration_ms", "agent", "situation", "prev_hash", "hash"] {
        let there = !row[field].is_null();
        row[field] = match field {
            // Whether it ran at all is part of what is compared.
            "duration_ms" => json!(there),
            _ => Value::Null,
        };
    }
    row
}

/// The rows of calls after `seen`, in order, and the number of the last.
async fn rows(owner: &Person, seen: i64) -> (Vec<Value>, i64) {
    let page = owner.do_it("GET", "/api/audit?limit=100&event_type=tool_invocation", Value::Null).await;
    let mut rows: Vec<Value> = page["entries"].as_array().unwrap().clone();
    rows.retain(|row| row["seq"].as_i64().unwrap() > seen);
    rows.reverse();
    let last = rows.last().map_or(seen, |row| row["seq"].as_i64().unwrap());
    (rows, last)
}

struct Scene {
    home: Home,
    llm: FakeLlm,
    server: Serving,
    owner: Person,
}

impl Scene {
    async fn set() -> Self {
        let (home, llm) = (Home::new().await, FakeLlm::start(Vec::new()).await);
        let (server, owner) = Self::start(&home, &llm).await;
        let settings = json!({"disabled_tools": ["grep_result"], "exec": {"mode": "sandboxed", "ask": "always"}});
        owner.do_it("PUT", "/api/settings", settings).await;
        Self { home, llm, server, owner }
    }

    async fn start(home: &Home, llm: &FakeLlm) -> (Serving, Person) {
        let url = format!("http://{}/v1", llm.address);
        let server = home.serve(&[("SATCHEL_MODEL", "openai:fake-1"), ("SATCHEL_MODEL_URL", &url)]).await;
        let owner = Person::sign_in(&server.url, "owner").await;
        (server, owner)
    }

    /// The newest question, approved by the person.
    async fn approve(&self) -> String {
        let asked = self.owner.do_it("GET", "/api/tickets", Value::Null).await;
        let id = asked[0]["id"].as_str().unwrap().to_owned();
        let decided = self.owner.do_it("POST", &format!("/api/tickets/{id}"), json!({"decision": "approve"})).await;
        assert_eq!(decided["result"]["success"], true, "{decided}");
        id
    }

    async fn rest(&self, case: &Case) {
        let path = format!("/api/tools/{}/invoke", case.tool);
        let (status, answer) = self.owner.ask("POST", &path, json!({"params": case.params})).await;
        assert_eq!(status, case.status, "{}: {answer}", case.what);
        assert_eq!(status == 200, answer["success"].is_boolean(), "{}: {answer}", case.what);
        if status == 409 {
            let id = self.approve().await;
            let again = json!({"params": case.params, "ticket": id});
            assert_eq!(self.owner.do_it("POST", &path, again).await["success"], true);
        }
    }

    async fn chat(&self, case: &Case) {
        self.llm.then(vec![call(case.tool, case.params.clone()), say("So it is.")]);
        let conversation = self.owner.conversation().await;
        let mut events = self.owner.say(&conversation, "Do it.").await.rest().await;
        if case.exit == 3 {
            assert_eq!(find(&events, "done").data["state"], "waiting", "{}", case.what);
            self.approve().await;
            events = self.owner.follow(&conversation, None).await.rest().await;
        }
        let end = find(&events, "tool_end");
        assert_eq!(end.data["success"], case.exit != 1, "{}: {}", case.what, end.data);
        assert_eq!(events.last().unwrap().data["state"], "done", "{}", case.what);
    }

    /// Through `/v1`, as a client of OpenAI's or Anthropic's.
    async fn v1(&self, case: &Case, path: &str) {
        self.llm.then(vec![call(case.tool, case.params.clone()), say("So it is.")]);
        let said = json!([{"role": "user", "content": "Do it."}]);
        let body = json!({"model": "satchel/assistant", "max_tokens": 100, "messages": said});
        let answer = self.owner.do_it("POST", path, body).await.to_string();
        assert_eq!(answer.contains("waits for a decision"), case.exit == 3, "{}: {answer}", case.what);
        if case.exit == 3 {
            self.approve().await;
            let runs = self.owner.do_it("GET", "/api/runs", Value::Null).await;
            let conversation = format!("/api/conversations/{}", runs[0]["conversation"].as_str().unwrap());
            let events = self.owner.follow(&conversation, None).await.rest().await;
            assert_eq!(events.last().unwrap().data["state"], "done", "{}", case.what);
        }
    }

    /// Through the command line; where it stands beside no server, `pause` stops and starts the server around it.
    async fn cli(self, case: &Case, beside: bool) -> Self {
        let params = case.params.to_string();
        let words = ["call", case.tool, params.as_str()];
        let (told, scene) = self.run(&words, beside).await;
        assert_eq!(told, case.exit, "{}", case.what);
        if told != 3 {
            return scene;
        }
        let id = scene.approve().await;
        let (told, scene) = scene.run(&[&words as &[&str], &["--ticket", &id]].concat(), beside).await;
        assert_eq!(told, 0, "{}", case.what);
        scene
    }

    async fn run(self, words: &[&str], beside: bool) -> (i32, Self) {
        if beside {
            return (self.home.run(words).await.code, self);
        }
        let Self { home, llm, server, .. } = self;
        assert_eq!(server.stop().await.code, 0);
        let code = home.run(words).await.code;
        let (server, owner) = Self::start(&home, &llm).await;
        (code, Self { home, llm, server, owner })
    }
}

#[tokio::test]
async fn the_same_call_leaves_the_same_rows_through_every_door() {
    let mut scene = Scene::set().await;
    let mut seen = 0;
    for case in cases() {
        let mut found = Vec::new();
        for door in ["api", "chat", "openai", "anthropic", "cli", "cli alone"] {
            match door {
                "api" => scene.rest(&case).await,
                "chat" => scene.chat(&case).await,
                "openai" => scene.v1(&case, "/v1/chat/completions").await,
                "anthropic" => scene.v1(&case, "/v1/messages").await,
                door => scene = scene.cli(&case, door == "cli").await,
            }
            let (rows, last) = rows(&scene.owner, seen).await;
            seen = last;
            // Who decides comes through the console; the call itself came through its own door.
            let doors = rows.iter().all(|row| row["door"] == door.split(' ').next().unwrap());
            assert!(doors, "{} through {door}: {rows:#?}", case.what);
            found.push((door, rows.iter().map(essence).collect::<Vec<_>>()));
        }
        let (_, first) = &found[0];
        let told: Vec<[&str; 2]> =
            first.iter().map(|row| ["action", "outcome"].map(|field| row[field].as_str().unwrap())).collect();
        assert_eq!(told, case.rows, "{}", case.what);
        for (door, rows) in &found {
            assert_eq!(rows, first, "{} through {door}", case.what);
        }
    }
    scene.server.stop().await;
}

#[tokio::test]
async fn who_may_not_use_a_tool_is_refused_with_the_same_row() {
    let scene = Scene::set().await;
    let user = json!({"username": "vera", "password": crate::support::program::PASSWORD, "role": "viewer"});
    scene.owner.do_it("POST", "/api/users", user).await;
    let vera = Person::sign_in(&scene.server.url, "vera").await;
    let path = json!({"path": "notes.txt"});
    let (status, answer) = vera.ask("POST", "/api/tools/read/invoke", json!({"params": path})).await;
    assert_eq!(status, 404, "{answer}");
    let (rest, seen) = rows(&scene.owner, 0).await;
    scene.llm.then(vec![call("read", path), say("I may not.")]);
    let conversation = vera.conversation().await;
    let events = vera.say(&conversation, "Read it.").await.rest().await;
    assert_eq!(find(&events, "tool_end").data["success"], false);
    let (chat, _) = rows(&scene.owner, seen).await;
    assert_eq!((rest.len(), &rest[0]["outcome"]), (1, &json!("refused")));
    assert_eq!(rest.iter().map(essence).collect::<Vec<_>>(), chat.iter().map(essence).collect::<Vec<_>>());
    // The command line is the owner's own, who may use every tool: nothing can be denied them there.
    assert_eq!(scene.home.json(&["tools"]).await, scene.owner.do_it("GET", "/api/tools", Value::Null).await);
}

#[tokio::test]
async fn a_failure_that_was_approved_is_the_tools_own_for_whoever_repeats_the_call() {
    let scene = Scene::set().await;
    let wrong = json!({"params": {"command": "sleep 60", "timeout": 0.2}});
    let (status, problem) = scene.owner.ask("POST", "/api/tools/exec/invoke", wrong.clone()).await;
    assert_eq!((status, &problem["type"]), (409, &json!("urn:satchel:needs-confirmation")));
    let asked = scene.owner.do_it("GET", "/api/tickets", Value::Null).await;
    let id = asked[0]["id"].as_str().unwrap();
    let decided = scene.owner.do_it("POST", &format!("/api/tickets/{id}"), json!({"decision": "approve"})).await;
    assert_eq!(decided["result"]["success"], false, "{decided}");
    let again = json!({"params": wrong["params"], "ticket": id});
    let repeated = scene.owner.do_it("POST", "/api/tools/exec/invoke", again).await;
    assert_eq!((&repeated["success"], &repeated["error"]), (&json!(false), &decided["result"]["error"]));
}

#[tokio::test]
async fn a_tool_that_is_not_ready_fails_like_any_other() {
    let scene = Scene::set().await;
    let search = json!({"params": {"query": "herons"}});
    let answer = scene.owner.do_it("POST", "/api/tools/web_search/invoke", search).await;
    assert_eq!(answer["success"], false, "{answer}");
    assert!(answer["error"].to_string().contains("Missing required config: base_url"), "{answer}");
}
