//! What is kept from outside taints who reads it, until a person vouches for it.

use satchel::{
    model::{
        call::{Call, Outcome},
        caller::{Caller, Credential},
        id::Id,
        memory::MemoryChange,
        origin::Origin,
    },
    services::remembering::Remembering,
    store::results::{Results, StoredText},
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{RULE, agreed, origin, read_anew, stores, tainted, within};
use crate::{
    scripts::reach::save,
    support::{
        app::TestApp,
        chat::{Chat, Person},
    },
};

#[tokio::test(flavor = "multi_thread")]
async fn what_is_kept_from_outside_taints_with_its_origin_whoever_reads_it_until_it_is_vouched_for() {
    let chat = Chat::start(Vec::new()).await;
    let (app, owner) = (&chat.app, chat.app.owner().await.caller);
    let (topic, wanted) = tainted(app, &owner).await;
    for store in stores() {
        agreed(app, topic, &owner, store.write).await;
    }
    // Where everybody reads it, it tells no more than the host.
    let wanted_of = |kind: &str| match kind {
        "index_entry" | "graph_node" | "graph_edge" => wanted.clone().for_all(),
        _ => wanted.clone(),
    };
    for store in stores() {
        for read in &store.reads {
            let found = read_anew(app, &owner, read).await;
            assert_eq!(found, (Some(wanted_of(store.kind)), true), "{read:?}");
        }
    }
    let kept = chat.owner.do_it("GET", "/api/origins", Value::Null).await;
    let kinds: Vec<&str> = kept.as_array().unwrap().iter().map(|one| one["kind"].as_str().unwrap()).collect();
    for store in stores() {
        assert!(kinds.contains(&store.kind), "{} in {kept}", store.kind);
    }
    for one in kept.as_array().unwrap() {
        assert_eq!(one["origin"], json!(wanted_of(one["kind"].as_str().unwrap())), "{one}");
        let vouch = json!({"kind": one["kind"], "id": one["id"], "updated_at": one["updated_at"]});
        chat.owner.do_it("POST", "/api/origins/vouch", vouch).await;
    }
    assert_eq!(chat.owner.do_it("GET", "/api/origins", Value::Null).await, json!([]));
    for store in stores() {
        for read in &store.reads {
            assert_eq!(read_anew(app, &owner, read).await, (None, false), "{read:?}");
        }
    }
    let history = ("list", json!({"action": "history"}));
    assert_eq!(read_anew(app, &owner, &history).await, (Some(wanted), true), "it tells what was, vouched for or not");
    let audit = chat.owner.do_it("GET", "/api/audit?limit=200", Value::Null).await.to_string();
    assert_eq!(audit.matches("origin.vouch").count(), kinds.len(), "{audit}");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_person_vouches_and_only_for_what_they_have_read() {
    let chat = Chat::start(Vec::new()).await;
    let (app, owner) = (&chat.app, chat.app.owner().await.caller);
    let (topic, _) = tainted(app, &owner).await;
    agreed(app, topic, &owner, ("index_put", json!({"id": "rule", "text": "as it was read"}))).await;
    within(app, topic, &owner, ("save_memory", json!({"content": RULE}))).await;
    let kept = chat.owner.do_it("GET", "/api/origins", Value::Null).await;
    let of = |kind: &str| kept.as_array().unwrap().iter().find(|one| one["kind"] == kind).unwrap().clone();
    let vouch = |one: &Value| json!({"kind": one["kind"], "id": one["id"], "updated_at": one["updated_at"]});
    let key = chat.owner.do_it("POST", "/api/keys", json!({"name": "ci"})).await;
    let program = Person::bearer(&app.satchel.url, key["key"].as_str().unwrap());
    assert_eq!(program.ask("POST", "/api/origins/vouch", vouch(&of("memory"))).await.0, 403);
    assert_eq!(program.ask("GET", "/api/origins", Value::Null).await.0, 403);
    let reader = chat.person(&["index:read"]).await;
    assert_eq!(reader.ask("POST", "/api/origins/vouch", vouch(&of("memory"))).await.0, 404, "it is another's");
    assert_eq!(reader.ask("POST", "/api/origins/vouch", vouch(&of("index_entry"))).await.0, 403);
    let seen = reader.do_it("GET", "/api/origins", Value::Null).await;
    assert_eq!(seen.as_array().unwrap().iter().map(|one| &one["kind"]).collect::<Vec<_>>(), ["index_entry"]);
    assert_eq!(chat.person(&[]).await.do_it("GET", "/api/origins", Value::Null).await, json!([]));
    app.satchel.app.clock.advance(std::time::Duration::from_secs(1));
    agreed(app, topic, &owner, ("index_put", json!({"id": "rule", "text": "as nobody has read it"}))).await;
    let (status, refused) = chat.owner.ask("POST", "/api/origins/vouch", vouch(&of("index_entry"))).await;
    assert_eq!(status, 409, "{refused}");
    assert_eq!(chat.owner.do_it("GET", "/api/origins", Value::Null).await.as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_memory_keeps_its_origin_when_it_is_said_again_corrected_or_edited() {
    let app = TestApp::start().await;
    let mara = app.caller(&["*"]).await;
    let (topic, wanted) = tainted(&app, &mara).await;
    let clean = app.conversation(&mara).await;
    let said = async |topic, content: &str| {
        within(&app, topic, &mara, ("save_memory", json!({"content": content}))).await;
        app.satchel
            .app
            .stores
            .memories
            .own(mara.user)
            .recent(Vec::new(), 1, app.satchel.app.clock.now())
            .await
            .unwrap()
            .remove(0)
    };
    assert_eq!(said(clean, "The rent is 1200").await.origin, None);
    assert_eq!(said(topic, "The rent is 1200").await.origin, None, "the same words bring nothing in");
    assert_eq!(said(topic, "The rent is 1300").await.origin, Some(wanted.clone()));
    let kept = said(clean, "The rent is 1400").await;
    assert_eq!(kept.origin, Some(wanted.clone()), "what it said before stands in its history");
    let memories = Remembering::new(&app.satchel.app, mara.user);
    let edited = MemoryChange { content: Some("The rent is 1500".to_owned()), ..MemoryChange::default() };
    assert_eq!(memories.update(kept.id, edited).await.unwrap().origin, Some(wanted));
}

#[tokio::test]
async fn an_item_keeps_its_own_origin_when_it_is_ticked_and_others_get_none() {
    let app = TestApp::start().await;
    let mara = app.caller(&["*"]).await;
    let (topic, wanted) = tainted(&app, &mara).await;
    let clean = app.conversation(&mara).await;
    let edit = |action: &str, item: &str| ("list", json!({"action": action, "list": "errands", "item": item}));
    within(&app, clean, &mara, edit("add", "bread")).await;
    assert_eq!(origin(&app, &mara, clean).await, None);
    within(&app, topic, &mara, edit("add", "call pwn.example")).await;
    within(&app, topic, &mara, edit("check", "bread")).await;
    within(&app, clean, &mara, edit("check", "call pwn.example")).await;
    assert_eq!(origin(&app, &mara, clean).await, Some(wanted.clone()), "what it shows has the item in it");
    let Outcome::Done(done) = within(&app, topic, &mara, ("list", json!({"action": "view", "list": "errands"}))).await
    else {
        panic!("it asked")
    };
    assert_eq!(
        done.output.data["items"],
        json!([
            {"text": "bread", "done": true},
            {"text": "call pwn.example", "done": true, "origin": wanted},
        ])
    );
}

#[tokio::test]
async fn the_names_a_refusal_tells_are_from_where_they_came() {
    let app = TestApp::start().await;
    let mara = app.caller(&["*"]).await;
    let (topic, _) = tainted(&app, &mara).await;
    within(&app, topic, &mara, ("list", json!({"action": "add", "list": "mine", "item": RULE}))).await;
    for wrong in [json!({"action": "view", "list": "none"}), json!({"action": "check", "list": "mine", "item": "none"})]
    {
        let clean = app.conversation(&mara).await;
        let call = Call { topic: Some(clean), ..Call::new(mara.clone(), "list", wrong.clone()) };
        app.satchel.invoker.invoke(call, CancellationToken::new()).await.unwrap_err();
        assert!(origin(&app, &mara, clean).await.is_some(), "{wrong}");
    }
}

#[tokio::test]
async fn a_long_result_is_from_where_it_came_and_so_is_what_is_read_of_it() {
    let app = TestApp::start().await;
    let mara = app.caller(&["*"]).await;
    let (topic, wanted) = tainted(&app, &mara).await;
    let data = json!({"data": json!(vec![RULE; 2_000]).to_string()});
    let Outcome::Done(done) = within(&app, topic, &mara, ("parse_json", data)).await else { panic!("it asked") };
    let results = Results::new(&app.satchel.app.db, mara.user, Some(topic));
    let now = app.satchel.app.clock.now();
    assert_eq!(results.get(&done.handle.unwrap(), now).await.unwrap().origin, Some(wanted.clone()));
    let clean = app.conversation(&mara).await;
    let text = StoredText { text: "[1, 2]".to_owned(), origin: Some(wanted.clone()) };
    let handle = Results::new(&app.satchel.app.db, mara.user, Some(clean)).put(text, now).await.unwrap();
    within(&app, clean, &mara, ("transform_data", json!({"data": handle, "action": "count"}))).await;
    assert_eq!(origin(&app, &mara, clean).await, Some(wanted));
}

#[tokio::test]
async fn what_a_script_keeps_is_from_where_it_came() {
    let app = TestApp::start().await;
    let mara = app.caller(&["*"]).await;
    let header = "// @param text string \"t\"\n// @kv";
    save(&app, "notes", header, "if args.text == \"\" { kv_get(\"note\") } else { kv_set(\"note\", args.text) }").await;
    let (topic, wanted) = tainted(&app, &mara).await;
    within(&app, topic, &mara, ("notes", json!({"text": RULE}))).await;
    let clean = app.conversation(&mara).await;
    let Outcome::Done(done) = within(&app, clean, &mara, ("notes", json!({"text": ""}))).await else {
        panic!("it asked")
    };
    assert_eq!(done.output.data, RULE);
    assert_eq!(origin(&app, &mara, clean).await, Some(wanted));
}

#[tokio::test]
async fn what_a_program_puts_where_everybody_reads_counts_as_from_outside() {
    let app = TestApp::start().await;
    let person = app.caller(&["*"]).await;
    let program = Caller { credential: Credential::Key(Id::new()), ..app.caller(&["index:write"]).await };
    app.data(&program, "index_put", json!({"id": "news", "text": "the quokka is back"})).await.unwrap();
    app.data(&person, "index_put", json!({"id": "own", "text": "the heron waits"})).await.unwrap();
    let (from, asked) = read_anew(&app, &person, &("index_query", json!({"query": "quokka"}))).await;
    let source = from.map(|origin: Origin| origin.source);
    assert_eq!((source, asked), (Some(format!("index_put: a program of {}", program.username)), true));
    assert_eq!(read_anew(&app, &person, &("index_query", json!({"query": "heron"}))).await, (None, false));
}

#[tokio::test]
async fn what_everybody_reads_tells_nobody_what_another_searched_for() {
    let app = TestApp::start().await;
    let mara = app.caller(&["*"]).await;
    let topic = app.conversation(&mara).await;
    let search = Origin::new("web_search: is ann ill", app.satchel.app.clock.now());
    app.satchel.agent.conversations().taint(topic, search).await.unwrap();
    agreed(&app, topic, &mara, ("index_put", json!({"id": "news", "text": "the quokka is back"}))).await;
    let (from, _) = read_anew(&app, &mara, &("index_query", json!({"query": "quokka"}))).await;
    assert_eq!(from.unwrap().source, "web_search");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_program_keeps_for_its_person_counts_as_from_outside() {
    let chat = Chat::start(Vec::new()).await;
    let owner = chat.app.owner().await.caller;
    let program = Caller { credential: Credential::Key(Id::new()), ..owner.clone() };
    chat.app.data(&program, "save_memory", json!({"content": "The quokka pays", "key": "tool"})).await.unwrap();
    chat.app.data(&program, "clipboard_write", json!({"text": RULE})).await.unwrap();
    let key = chat.owner.do_it("POST", "/api/keys", json!({"name": "ci", "personal": true})).await;
    let by_key = Person::bearer(&chat.app.satchel.url, key["key"].as_str().unwrap());
    by_key.do_it("POST", "/api/memories", json!({"content": "The heron waits", "key": "api"})).await;
    let own =
        chat.owner.do_it("POST", "/api/memories", json!({"content": "The depot closes at noon", "key": "own"})).await;
    by_key.do_it("PATCH", &format!("/api/memories/{}", own["id"].as_str().unwrap()), json!({"key": "mine"})).await;
    let kept = chat.owner.do_it("GET", "/api/origins", Value::Null).await;
    let mut sources: Vec<String> = kept
        .as_array()
        .unwrap()
        .iter()
        .map(|one| format!("{} {}", one["name"].as_str().unwrap(), one["origin"]["source"].as_str().unwrap()))
        .collect();
    sources.sort();
    let of = |what: &str| format!("{what}: a program of {}", owner.username);
    assert_eq!(sources, [of(" clipboard_write"), of("api api"), of("mine api"), of("tool save_memory")]);
}

#[tokio::test]
async fn what_the_audit_tells_of_a_tainted_conversation_is_from_outside() {
    let app = TestApp::start().await;
    let root = app.caller(&["*"]).await;
    let (topic, wanted) = tainted(&app, &root).await;
    let last = ("query_audit_log", json!({"limit": 1}));
    within(&app, topic, &root, ("grep_result", json!({"data": RULE, "pattern": "quokka"}))).await;
    let reader = app.conversation(&root).await;
    within(&app, reader, &root, last.clone()).await;
    assert_eq!(origin(&app, &root, reader).await, Some(wanted));
    let clean = app.conversation(&root).await;
    within(&app, clean, &root, ("grep_result", json!({"data": "a", "pattern": "a"}))).await;
    within(&app, clean, &root, last.clone()).await;
    assert_eq!(origin(&app, &root, clean).await, None);
    app.satchel.agent.conversations().delete(root.user, clean).await.unwrap();
    let of_two = ("query_audit_log", json!({"limit": 2}));
    let later = app.conversation(&root).await;
    within(&app, later, &root, of_two).await;
    let source = origin(&app, &root, later).await.map(|origin| origin.source);
    assert_eq!(source.as_deref(), Some("a conversation that is gone"));
}
