//! Calls that end before they are done, or whose tool does: withdrawn meanwhile, hung up on, at the server's end.

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use rusqlite::Connection;
use satchel::{
    engine::tool::Tool,
    model::{
        call::{Call, Outcome},
        output::Output,
        spec::{Risk, Source, Spec},
    },
    store::conversations::Conversations,
};
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::support::{
    app::TestApp,
    chat::{Chat, Person, results, text},
    fake_llm::{call, say},
    http::{Answer, Request, TestServer},
    program::{Home, Serving},
    remote::http::{Remote, stalling},
    tools::{self, Gate},
};

/// Longest wait for something to happen.
const PATIENCE: Duration = Duration::from_secs(240);

/// An endpoint that says it has started, and waits to be let on.
fn endpoint(name: &str, risk: Risk, gate: &Gate) -> Tool {
    let like = tools::held(risk, gate);
    let spec = Spec { name: name.to_owned(), source: Source::Catalog, ..like.spec().clone() };
    let gate = gate.clone();
    Tool::of_spec(spec, move |_, _| {
        let gate = gate.clone();
        async move {
            gate.started.notify_one();
            gate.release.notified().await;
            Ok(Output::text("what a stranger says"))
        }
    })
    .unwrap()
}

/// Asks until there is an answer, for a while.
async fn wait_for<T>(what: &str, ask: impl AsyncFn() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(answer) = ask().await {
            return answer;
        }
        assert!(begun.elapsed() < PATIENCE, "{what} did not happen in time");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_is_withdrawn_while_it_runs_still_taints() {
    for (tool, params) in [
        ("slow.tell", json!({})),
        ("parallel", json!({"tool_uses": [{"recipient_name": "slow.tell", "parameters": {}}]})),
    ] {
        let (app, gate) = (TestApp::start().await, Gate::default());
        let invoker = app.satchel.invoker.clone();
        assert!(invoker.offer(Source::Catalog, vec![endpoint("slow.tell", Risk::Read, &gate)]).is_empty());
        let owner = app.caller(&["*"]).await;
        let topic = app.conversation(&owner).await;
        let call = Call { topic: Some(topic), ..Call::new(owner.clone(), tool, params) };
        let running = tokio::spawn({
            let invoker = invoker.clone();
            async move { invoker.invoke(call, CancellationToken::new()).await }
        });
        gate.started.notified().await;
        invoker.offer(Source::Catalog, Vec::<satchel::engine::tool::Tool>::new());
        gate.release.notify_one();
        let outcome = running.await.unwrap().unwrap();
        assert!(matches!(&outcome, Outcome::Done(done) if done.output.data.to_string().contains("stranger")));
        let talk = Conversations::new(&app.satchel.app.db).get(owner.user, topic).await.unwrap();
        assert!(talk.tainted && talk.tainted_by.is_some_and(|by| by.contains("slow.tell")), "{tool}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_hangs_up_ends_a_read_and_tears_no_write() {
    let server = Arc::new(TestServer::start().await);
    let (reads, writes) = (Gate::default(), Gate::default());
    let tools = vec![endpoint("slow.read", Risk::Read, &reads), endpoint("slow.write", Risk::HighWrite, &writes)];
    assert!(server.app.satchel.invoker.offer(Source::Catalog, tools).is_empty());
    let cookie = server.sign_in("owner").await;
    let call = |tool: &str| {
        let (server, cookie, path) = (Arc::clone(&server), cookie.clone(), format!("/api/tools/{tool}/invoke"));
        tokio::spawn(async move { server.send(Request::post(&path, &json!({})).cookie(&cookie)).await })
    };
    let row = async |tool: &str| {
        let path = format!("/api/audit?tool=catalog:{tool}");
        server.owner("GET", &path, &Value::Null).await["entries"].get(0).cloned()
    };
    for (tool, gate) in [("slow.write", &writes), ("slow.read", &reads)] {
        let calling = call(tool);
        gate.started.notified().await;
        calling.abort();
    }
    let read = wait_for("the end of the read", async || row("slow.read").await).await;
    assert_eq!(read["outcome"], "stopped");
    assert!(read["error"].as_str().unwrap().contains("has hung up"), "{read}");
    writes.release.notify_one();
    let write = wait_for("the end of the write", async || row("slow.write").await).await;
    assert_eq!((&write["outcome"], &write["error"]), (&json!("success"), &Value::Null));
}

/// Asks the owner, who must be asked, and gives the ticket.
async fn asked(server: &TestServer, tool: &str, body: Value) -> String {
    let path = format!("/api/tools/{tool}/invoke");
    let cookie = server.sign_in("owner").await;
    let answer = server.send(Request::post(&path, &body).cookie(&cookie)).await;
    assert_eq!(answer.status, 409, "{}", answer.text());
    answer.json()["ticket"].as_str().unwrap().to_owned()
}

/// Approves a ticket in a task of its own.
async fn approving(server: &Arc<TestServer>, ticket: &str) -> JoinHandle<Answer> {
    let (server, cookie) = (Arc::clone(server), server.sign_in("owner").await);
    let request = Request::post(&format!("/api/tickets/{ticket}"), &json!({"decision": "approve"})).cookie(&cookie);
    tokio::spawn(async move { server.send(request).await })
}

#[tokio::test(flavor = "multi_thread")]
async fn stopping_a_conversation_stops_what_was_approved_in_it() {
    let (server, gate) = (Arc::new(TestServer::start().await), Gate::default());
    let tools = vec![endpoint("slow.wipe", Risk::Destructive, &gate)];
    assert!(server.app.satchel.invoker.offer(Source::Catalog, tools).is_empty());
    let topic = server.owner("POST", "/api/conversations", &Value::Null).await["id"].clone();
    let ticket = asked(&server, "slow.wipe", json!({"topic": topic})).await;
    let deciding = approving(&server, &ticket).await;
    gate.started.notified().await;
    server.owner("POST", &format!("/api/conversations/{}/stop", topic.as_str().unwrap()), &Value::Null).await;
    let decided = deciding.await.unwrap().json();
    assert_eq!((&decided["state"], &decided["result"]["success"]), (&json!("done"), &json!(false)), "{decided}");
    let told = decided["result"]["error"].as_str().unwrap();
    assert!(told.contains("was stopped before it was done") && told.contains("may or may not"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_approves_a_read_and_hangs_up_ends_it() {
    let server = Arc::new(TestServer::start().await);
    let remote = Remote::start(|_| stalling("text/plain")).await;
    let exceptions = json!({"outbound": {"exceptions": [remote.address.to_string()]}});
    server.owner("PUT", "/api/settings", &exceptions).await;
    let topic = server.owner("POST", "/api/conversations", &Value::Null).await["id"].clone();
    // What came from outside may reach another host only where a person says so.
    server.app.taint(topic.as_str().unwrap().parse().unwrap()).await;
    let ticket = asked(&server, "web_fetch", json!({"topic": topic, "params": {"url": remote.url()}})).await;
    let deciding = approving(&server, &ticket).await;
    wait_for("the request", async || remote.seen().pop()).await;
    deciding.abort();
    let path = format!("/api/tickets/{ticket}");
    wait_for("the end of the read", async || {
        let ticket = server.owner("GET", &path, &Value::Null).await;
        (ticket["state"] == "done").then_some(())
    })
    .await;
    let rows = server.owner("GET", "/api/audit?tool=builtin:web_fetch", &Value::Null).await;
    assert!(rows["entries"][0]["error"].as_str().unwrap().contains("has hung up"), "{rows}");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_tries_a_script_that_reads_and_hangs_up_ends_it() {
    let (server, gate) = (Arc::new(TestServer::start().await), Gate::default());
    let tools = vec![endpoint("slow_read", Risk::Read, &gate)];
    assert!(server.app.satchel.invoker.offer(Source::Catalog, tools).is_empty());
    let text =
        "// @name looks\n// @description d\n// @when w\n// @uses slow_read\nfn run(args) { tool(\"slow_read\") }";
    let request = Request::post("/api/scripts/looks/run", &json!({"source": text}));
    let (trial, request) = (Arc::clone(&server), request.cookie(&server.sign_in("owner").await));
    let trying = tokio::spawn(async move { trial.send(request).await });
    gate.started.notified().await;
    trying.abort();
    let row = wait_for("the end of the trial", async || {
        let rows = server.owner("GET", "/api/audit?tool=script:looks", &Value::Null).await;
        rows["entries"].get(0).cloned()
    })
    .await;
    assert!(row["error"].as_str().unwrap().contains("has hung up"), "{row}");
}

/// A server with commands in the sandbox and a call of each kind to make; says with which rows it ended.
struct Busy {
    home: Home,
    server: Serving,
    owner: Arc<Person>,
}

impl Busy {
    async fn start() -> Self {
        let home = Home::new().await;
        let server = home.serve(&[]).await;
        let owner = Arc::new(Person::sign_in(&server.url, "owner").await);
        Self { home, server, owner }
    }

    async fn set(&self, settings: Value) {
        self.owner.do_it("PUT", "/api/settings", settings).await;
    }

    fn rows(&self, query: &str) -> Vec<String> {
        let database = Connection::open(self.home.path().join("satchel.db")).unwrap();
        let mut statement = database.prepare(query).unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
    }

    /// Waits until a call that changes things is under way.
    async fn changing(&self) {
        wait_for("the call", async || self.rows("SELECT call_id FROM open_calls").first().cloned()).await;
    }

    /// Ends the server as the system does, and well. A call that it waited for would be told with other words.
    async fn end(self) -> (Home, Arc<Person>) {
        let told = self.server.stop().await;
        assert_eq!((told.code, told.out.as_str()), (0, ""), "{told:?}");
        (self.home, self.owner)
    }
}

/// Returns what the audit says of a tool's calls after the end, having checked that none is left for the next start to
/// find.
fn audited(data: &Path, tool: &str) -> Vec<String> {
    let database = Connection::open(data.join("satchel.db")).unwrap();
    let open: i64 = database.query_row("SELECT count(*) FROM open_calls", [], |row| row.get(0)).unwrap();
    assert_eq!(open, 0, "a row was left open");
    let mut rows =
        database.prepare("SELECT outcome || ': ' || coalesce(error, '') FROM audit WHERE tool = ?1").unwrap();
    rows.query_map([tool], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
}

/// Ten minutes: longer than anything here waits.
fn long_command() -> Value {
    json!({"command": "exec sleep 600", "timeout": 600})
}

const ENDED: &str = "stopped: The call was stopped because the server stops.";
const UNCERTAIN: &str = "stopped: The call was stopped because the server stops. It may or may not have taken effect: \
                         check before you call it again.";

#[tokio::test(flavor = "multi_thread")]
async fn the_servers_end_stops_a_call_that_changes_things_and_its_row_says_so() {
    let busy = Busy::start().await;
    busy.set(json!({"exec": {"mode": "sandboxed", "ask": "off"}})).await;
    let (owner, call) = (Arc::clone(&busy.owner), json!({"params": long_command()}));
    let calling = tokio::spawn(async move { owner.ask("POST", "/api/tools/exec/invoke", call).await });
    busy.changing().await;
    let (home, _owner) = busy.end().await;
    assert_eq!(audited(&home.path(), "builtin:exec"), [UNCERTAIN]);
    let (status, answer) = calling.await.unwrap();
    assert_eq!((status, &answer["success"]), (200, &json!(false)), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_servers_end_stops_a_call_that_reads() {
    let busy = Busy::start().await;
    let remote = Remote::start(|_| stalling("text/plain")).await;
    busy.set(json!({"outbound": {"exceptions": [remote.address.to_string()]}})).await;
    let (owner, call) = (Arc::clone(&busy.owner), json!({"params": {"url": remote.url(), "timeout": 120}}));
    let calling = tokio::spawn(async move { owner.ask("POST", "/api/tools/web_fetch/invoke", call).await });
    wait_for("the request", async || remote.seen().pop()).await;
    let (home, _owner) = busy.end().await;
    assert_eq!(audited(&home.path(), "builtin:web_fetch"), [ENDED]);
    assert_eq!(calling.await.unwrap().1["success"], json!(false));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_servers_end_stops_an_approved_call_and_whoever_asked_is_told() {
    let busy = Busy::start().await;
    busy.set(json!({"exec": {"mode": "sandboxed", "ask": "always"}})).await;
    let call = json!({"params": long_command()});
    let (status, asked) = busy.owner.ask("POST", "/api/tools/exec/invoke", call.clone()).await;
    assert_eq!(status, 409, "{asked}");
    let ticket = asked["ticket"].as_str().unwrap().to_owned();
    let (owner, path) = (Arc::clone(&busy.owner), format!("/api/tickets/{ticket}"));
    let deciding = tokio::spawn(async move { owner.ask("POST", &path, json!({"decision": "approve"})).await });
    busy.changing().await;
    let (home, owner) = busy.end().await;
    assert_eq!(audited(&home.path(), "builtin:exec").last().unwrap(), UNCERTAIN);
    deciding.await.unwrap();
    let server = home.serve(&[]).await;
    let collected = json!({"params": call["params"], "ticket": ticket});
    let (_, answer) = owner.again(&server.url).ask("POST", "/api/tools/exec/invoke", collected).await;
    assert!(answer.to_string().contains("may or may not have taken effect"), "{answer}");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_servers_end_lets_a_chats_call_that_changes_things_come_to_its_own_end() {
    let (chat, gate) = (Chat::start(vec![call("slow_write", json!({}))]).await, Gate::default());
    let invoker = &chat.app.satchel.invoker;
    assert!(invoker.offer(Source::Catalog, vec![endpoint("slow_write", Risk::HighWrite, &gate)]).is_empty());
    let conversation = chat.owner.conversation().await;
    let _events = chat.owner.say(&conversation, "Write it.").await;
    gate.started.notified().await;
    let Chat { app, llm, .. } = chat;
    let services = Arc::clone(&app.satchel.app);
    let stopping = tokio::spawn(app.satchel.stop());
    services.lifecycle.shutdown.cancelled().await;
    gate.release.notify_one();
    stopping.await.unwrap();
    assert_eq!(audited(app.dir.path(), "catalog:slow_write"), ["success: "]);
    let database = Connection::open(app.dir.path().join("satchel.db")).unwrap();
    let states = "SELECT (SELECT state FROM steps) || ', ' || (SELECT state FROM turns)";
    let states: String = database.query_row(states, [], |row| row.get(0)).unwrap();
    // The next process goes on from there, with what the call gave.
    assert_eq!((states.as_str(), llm.seen().len()), ("done, running", 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_servers_end_stops_a_chats_call_that_does_not_end_and_it_is_said_to_be_uncertain() {
    let (chat, gate) = (Chat::start(vec![call("slow_write", json!({})), say("I cannot tell.")]).await, Gate::default());
    let invoker = &chat.app.satchel.invoker;
    assert!(invoker.offer(Source::Catalog, vec![endpoint("slow_write", Risk::HighWrite, &gate)]).is_empty());
    let conversation = chat.owner.conversation().await;
    let _events = chat.owner.say(&conversation, "Write it.").await;
    gate.started.notified().await;
    let chat = chat.restart().await;
    let events = chat.owner.follow(&conversation, None).await.rest().await;
    assert_eq!(text(&events), "I cannot tell.");
    let told = results(&chat.llm.body(1)).remove(0);
    assert!(told.contains("may or may not have taken effect"), "{told}");
}
