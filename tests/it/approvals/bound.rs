//! A yes is bound to what runs: what was changed since it was asked about is not run, but asked anew.

use satchel::{
    engine::decide::Answer,
    host::files::Parents,
    model::{
        call::{Call, Outcome, TicketState},
        catalog::{
            draft::{EndpointDraft, SystemDraft},
            endpoint::Endpoint,
            system::System,
        },
        error::Kind,
        spec::Risk,
    },
    services::{catalog::offer::offer, scripts::Workbench},
    store::tickets::Verdict,
};
use serde_json::{Value, json};

use super::asker::{Asker, yes};
use crate::{
    scripts::reach::save,
    support::{
        app::TestApp,
        chat::Chat,
        library::pause,
        remote::{
            http::{Remote, reply},
            systems::{allow, endpoint, open},
        },
        system::TestSystem,
    },
};

const WRITER: &[&str] = &["host:fs.read", "host:fs.write", "knowledge:*"];

async fn job(app: &TestApp, header: &str, content: &str) {
    let body = format!("tool(\"write\", #{{ path: \"benign.txt\", content: \"{content}\" }})");
    save(app, "job", &format!("// @param city string \"c\"\n{header}"), &body).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_published_anew_since_the_question_is_asked_about_again() {
    let asker = Asker::new(TestApp::start().await, WRITER).await;
    job(&asker.app, "// @risk high_write\n// @uses write", "ok").await;
    let old = asker.ask("job", json!({"city": "x"})).await;
    assert_eq!(old.risk, Risk::HighWrite);
    job(&asker.app, "// @risk destructive\n// @uses write, document", "EVIL").await;
    let new = asker.asked_anew(&old).await;
    assert_eq!((new.risk, &new.arguments, &new.asked_as), (Risk::Destructive, &old.arguments, &old.asked_as));
    assert!(new.reason.starts_with("It has changed since you were asked, and nothing was run. job"), "{new:?}");
    let end = "You agree to a text once. It is destructive: that is always asked. \
               A yes covers what it calls, up to destructive.";
    assert!(new.reason.ends_with(end), "{new:?}");
    let read = asker.invoke(asker.call("read", json!({"path": "benign.txt"}))).await;
    assert_eq!(read.unwrap_err().kind(), Kind::NotFound, "nothing was written");
    assert_eq!(asker.decide(&old, yes()).await.unwrap_err().kind(), Kind::Conflict, "the old question is closed");
    asker.approve(&new).await;
    assert_eq!(asker.run("read", json!({"path": "benign.txt"})).await["content"], "EVIL");
    // Whoever holds the old ticket is given what came of the question in its place.
    let collected =
        asker.invoke(Call { ticket: Some(old.id), ..asker.call("job", json!({"city": "x"})) }).await.unwrap();
    assert!(matches!(&collected, Outcome::Done(done) if done.tool == "script:job"), "{collected:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_that_is_the_same_again_when_it_is_approved_runs() {
    let asker = Asker::new(TestApp::start().await, WRITER).await;
    job(&asker.app, "// @uses write", "ok").await;
    let ticket = asker.ask("job", json!({"city": "x"})).await;
    job(&asker.app, "// @uses write", "EVIL").await;
    job(&asker.app, "// @uses write", "ok").await;
    asker.approve(&ticket).await;
    assert_eq!(asker.run("read", json!({"path": "benign.txt"})).await["content"], "ok");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_script_uses_and_what_it_was_granted_are_part_of_it() {
    let asker = Asker::new(TestApp::start().await, WRITER).await;
    job(&asker.app, "// @uses write\n// @http a.example", "ok").await;
    save(&asker.app, "outer", "// @risk high_write\n// @uses job", "tool(\"job\", #{ city: \"x\" })").await;
    let (inner, outer) = (asker.ask("job", json!({"city": "x"})).await, asker.ask("outer", json!({})).await);
    job(&asker.app, "// @uses write\n// @http a.example", "EVIL").await;
    let (_, verdict) = asker.decide(&outer, yes()).await.unwrap();
    assert!(matches!(verdict, Verdict::Changed { .. }), "the script it uses was changed: {verdict:?}");
    job(&asker.app, "// @uses write\n// @http a.example", "ok").await;
    let owner = asker.app.owner().await;
    Workbench::new(&asker.app.satchel.services.scripts)
        .grant(&owner, "job", vec!["a.example".to_owned()])
        .await
        .unwrap();
    let (_, verdict) = asker.decide(&inner, yes()).await.unwrap();
    assert!(matches!(verdict, Verdict::Changed { .. }), "it was granted a host: {verdict:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_call_whose_tool_was_changed_is_given_the_new_question() {
    let asker = Asker::new(TestApp::start().await, WRITER).await;
    job(&asker.app, "// @uses write", "ok").await;
    let old = asker.ask("job", json!({"city": "x"})).await;
    job(&asker.app, "// @uses write", "EVIL").await;
    let repeated = || Call { ticket: Some(old.id), ..asker.call("job", json!({"city": "x"})) };
    let Outcome::Confirm(new) = asker.invoke(repeated()).await.unwrap() else { panic!("it ran") };
    assert_ne!(new.id, old.id);
    assert_eq!(asker.ticket(&old).await.state, TicketState::Changed);
    let Outcome::Confirm(same) = asker.invoke(repeated()).await.unwrap() else { panic!("it ran") };
    assert_eq!(same.id, new.id, "it is asked once");
}

/// A system with an endpoint that writes, and a server behind each of its two addresses.
async fn crm(app: &TestApp, server: &TestSystem) -> (System, Endpoint) {
    let system = open(app, "crm", &server.url("")).await;
    let draft = json!({"name": "Set", "method": "POST", "path": "/customers/{id}", "risk": "high_write"});
    let made = endpoint(app, &system, draft).await;
    offer(&app.satchel.invoker);
    (system, made)
}

async fn change_endpoint(app: &TestApp, made: &Endpoint, change: Value) {
    let change: EndpointDraft = serde_json::from_value(change).unwrap();
    app.satchel.app.stores.catalog.change_endpoint(&app.owner().await, made.id, change).await.unwrap();
    offer(&app.satchel.invoker);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_whose_path_or_risk_was_changed_is_asked_about_again() {
    let (app, server) = (TestApp::start().await, TestSystem::start().await);
    let (_, made) = crm(&app, &server).await;
    let asker = Asker::new(app, &["catalog:read"]).await;
    let old = asker.ask("catalog:crm.set", json!({"id": "7"})).await;
    change_endpoint(&asker.app, &made, json!({"path": "/admins/{id}"})).await;
    let new = asker.asked_anew(&old).await;
    assert_eq!(new.question, format!("Send POST {}/admins/7 to crm?", server.address));
    change_endpoint(&asker.app, &made, json!({"risk": "destructive"})).await;
    let newest = asker.asked_anew(&new).await;
    assert_eq!(newest.risk, Risk::Destructive);
    assert!(server.asked().is_empty(), "nothing was sent before the yes to what it is now");
    asker.approve(&newest).await;
    assert_eq!(server.asked()[0].target, "/admins/7");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_yes_to_an_upload_is_to_what_was_in_the_file_then() {
    let (app, server) = (TestApp::start().await, TestSystem::start().await);
    let system = open(&app, "crm", &server.url("")).await;
    let body =
        json!({"name": "body", "in": "body", "required": true, "schema": {"type": "string", "format": "binary"}});
    let draft = json!({"name": "Photo", "method": "PUT", "path": "/photo", "risk": "high_write", "parameters": [body]});
    endpoint(&app, &system, draft).await;
    offer(&app.satchel.invoker);
    let asker = Asker::new(app, &["catalog:read", "host:fs.read"]).await;
    let files = asker.app.satchel.app.files_of(asker.caller.user).unwrap();
    let write = async |content: &[u8]| files.write("a.png", content.to_vec(), Parents::Must).await.unwrap();
    write(b"what was seen").await;
    let old = asker.ask("catalog:crm.photo", json!({"body": "a.png"})).await;
    write(b"something else").await;
    let new = asker.asked_anew(&old).await;
    assert!(new.reason.starts_with("It has changed since you were asked"), "{new:?}");
    assert!(server.asked().is_empty(), "nothing was sent before the yes to what it is now");
    asker.approve(&new).await;
    let asked = server.asked();
    assert_eq!((asked.len(), asked[0].target.as_str()), (1, "/photo"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_system_that_was_moved_is_asked_about_again_by_every_way_to_it() {
    let (app, before, after) = (TestApp::start().await, TestSystem::start().await, TestSystem::start().await);
    let (system, _) = crm(&app, &before).await;
    let asker = Asker::new(app, &["catalog:read"]).await;
    let rest = json!({"system_id": "crm", "method": "POST", "path": "/x"});
    let within = json!({"tool_uses": [{"recipient_name": "call_rest_endpoint", "parameters": rest}]});
    let olds = [
        asker.ask("catalog:crm.set", json!({"id": "7"})).await,
        asker.ask("call_rest_endpoint", rest.clone()).await,
        asker.ask("parallel", within).await,
    ];
    let owner = asker.app.owner().await;
    let change: SystemDraft = serde_json::from_value(json!({"base_url": after.url("")})).unwrap();
    asker.app.satchel.app.stores.catalog.change(&owner, system.id, change).await.unwrap();
    allow(&asker.app, &after.url("")).await;
    offer(&asker.app.satchel.invoker);
    for old in &olds {
        let (_, verdict) = asker.decide(old, yes()).await.unwrap();
        assert!(matches!(verdict, Verdict::Changed { .. }), "{}: {verdict:?}", old.tool);
    }
    assert!(before.asked().is_empty() && after.asked().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_yes_covers_calls_within_it_up_to_its_own_risk() {
    let asker =
        Asker::new(TestApp::start().await, &["host:fs.read", "host:fs.write", "host:exec", "catalog:read"]).await;
    let server = TestSystem::start().await;
    open(&asker.app, "crm", &server.url("")).await;
    let body = "tool(\"write\", #{ path: \"a.txt\", content: \"x\" });\n\
                tool(\"call_rest_endpoint\", #{ system_id: \"crm\", method: \"DELETE\", path: \"/all\" })";
    save(&asker.app, "sneaks", "// @uses write, call_rest_endpoint", body).await;
    let ticket = asker.ask("sneaks", json!({})).await;
    assert_eq!(ticket.risk, Risk::HighWrite);
    let (_, verdict) = asker.decide(&ticket, yes()).await.unwrap();
    let Verdict::Failed { message, .. } = &verdict else { panic!("{verdict:?}") };
    assert!(message.contains("call_rest_endpoint asks a person before this"), "{message}");
    assert!(server.asked().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_that_is_refused_leaves_the_question_open() {
    let asker = Asker::new(TestApp::start().await, WRITER).await;
    let files = asker.app.satchel.app.files_of(asker.caller.user).unwrap();
    files.write("a.txt", b"apple\n".to_vec(), Parents::Must).await.unwrap();
    let ticket = asker.ask("edit", json!({"path": "a.txt", "old_text": "apple", "new_text": "pear"})).await;
    let edit =
        |path: &str| Answer { params: Some(json!({"path": path, "old_text": "apple", "new_text": "pear"})), ..yes() };
    for path in ["../../satchel.db", "/etc/passwd", "none.txt"] {
        asker.decide(&ticket, edit(path)).await.unwrap_err();
        assert_eq!(asker.ticket(&ticket).await.state, TicketState::Pending, "{path}");
    }
    asker.app.set(json!({"disabled_tools": ["edit"]})).await;
    assert_eq!(asker.decide(&ticket, edit("./a.txt")).await.unwrap_err().kind(), Kind::Disabled);
    asker.app.set(json!({"disabled_tools": []})).await;
    asker.decide(&ticket, edit("./a.txt")).await.unwrap();
    assert_eq!(asker.run("read", json!({"path": "a.txt"})).await["content"], "pear\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn over_http_a_changed_question_is_a_conflict_with_the_one_in_its_place() {
    let chat = Chat::start(Vec::new()).await;
    job(&chat.app, "// @uses write", "ok").await;
    let mara = chat.person(&["host:fs.read", "host:fs.write"]).await;
    let (_, asked) = mara.ask("POST", "/api/tools/job/invoke", json!({"params": {"city": "x"}})).await;
    let old = format!("/api/tickets/{}", asked["ticket"].as_str().unwrap());
    job(&chat.app, "// @uses write", "EVIL").await;
    let (status, told) = mara.ask("POST", &old, json!({"decision": "approve"})).await;
    assert_eq!((status, &told["type"]), (409, &json!("urn:satchel:needs-confirmation")), "{told}");
    assert!(told["detail"].as_str().unwrap().contains("It has changed since you were asked"), "{told}");
    assert_eq!(mara.do_it("GET", &old, Value::Null).await["state"], "changed");
    let new = format!("/api/tickets/{}", told["ticket"].as_str().unwrap());
    let decided = mara.do_it("POST", &new, json!({"decision": "approve"})).await;
    assert_eq!(decided["result"]["success"], true, "{decided}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_was_configured_anew_since_the_question_is_asked_about_again() {
    let asker = Asker::new(TestApp::start().await, WRITER).await;
    let body = "tool(\"write\", #{ path: config(\"to\"), content: \"x\" })";
    save(&asker.app, "sender", "// @config to required \"t\"\n// @uses write", body).await;
    save(&asker.app, "around", "// @risk high_write\n// @uses sender", "tool(\"sender\", #{})").await;
    let owner = asker.app.owner().await;
    let configure = async |to: &str| {
        let settings = asker.app.satchel.invoker.registry().find("sender").unwrap().tool.spec().settings.clone();
        let values = json!({"to": to}).as_object().unwrap().clone();
        asker.app.satchel.app.stores.tool_config.set(&owner, "sender", &settings, values).await.unwrap();
    };
    configure("told.txt").await;
    let (own, around) = (asker.ask("sender", json!({})).await, asker.ask("around", json!({})).await);
    configure("hidden.txt").await;
    for old in [own, around] {
        let (_, verdict) = asker.decide(&old, yes()).await.unwrap();
        assert!(matches!(verdict, Verdict::Changed { .. }), "{}: {verdict:?}", old.question);
    }
    let read = asker.invoke(asker.call("read", json!({"path": "hidden.txt"}))).await;
    assert_eq!(read.unwrap_err().kind(), Kind::NotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_changed_while_an_approved_call_runs_is_not_run_within_it() {
    let asker = Asker::new(TestApp::start().await, &["index:read", "index:write"]).await;
    let (release, gate) = std::sync::mpsc::channel::<()>();
    let gate = parking_lot::Mutex::new(gate);
    let slow = Remote::start(move |_| {
        // Until nobody holds it back any more.
        let _ = tokio::task::block_in_place(|| gate.lock().recv());
        reply(200, "text/plain", "x")
    })
    .await;
    allow(&asker.app, &slow.url()).await;
    let put = |text: &str| format!("tool(\"index_put\", #{{ id: \"a\", text: \"{text}\" }})");
    let header = "// @risk high_write\n// @uses index_put";
    save(&asker.app, "notes", header, &put("heron")).await;
    let uses = |tool: &str, parameters: Value| json!({"recipient_name": tool, "parameters": parameters});
    // Eight run at once: the ninth waits for the first.
    let mut calls = vec![uses("web_fetch", json!({"url": slow.url()}))];
    calls.extend((0..7).map(|_| uses("calculator", json!({"expression": "1 + 1"}))));
    calls.push(uses("notes", json!({})));
    let ticket = asker.ask("parallel", json!({"tool_uses": calls})).await;
    let change = async {
        while slow.seen().is_empty() {
            pause().await;
        }
        save(&asker.app, "notes", header, &put("quokka")).await;
        drop(release);
    };
    let (done, ()) = tokio::join!(asker.approve(&ticket), change);
    let told = done["results"][8]["error"].as_str().unwrap_or_default();
    assert!(told.contains("It has changed since you were asked"), "{done}");
    let found = asker.run("index_query", json!({"query": "quokka"})).await;
    assert_eq!(found["results"], json!([]));
}
