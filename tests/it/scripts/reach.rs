//! The reach of a script, and whose rights it has.

#![expect(clippy::disallowed_methods, reason = "saves files as a person does")]

use satchel::{
    engine::decide::Answer,
    model::{
        call::{Call, Decision, Outcome},
        caller::Caller,
        error::Kind,
        spec::Risk,
    },
    store::{conversations::Conversations, tickets::Verdict},
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::{
    app::TestApp,
    site::{Site, page, status},
};

/// Saves a script as a file and waits until it is a tool.
pub(crate) async fn save(app: &TestApp, name: &str, header: &str, body: &str) {
    let text = format!("// @name {name}\n// @description d\n// @when w\n{header}\nfn run(args) {{\n{body}\n}}\n");
    let scripts = &app.satchel.services.scripts;
    std::fs::write(scripts.folder().join(format!("{name}.rhai")), text).unwrap();
    scripts.reload().await.unwrap();
    let problem = scripts.one(name).unwrap().problem;
    assert_eq!(problem, None, "{name}");
}

/// The data of a call of a script that its caller agrees to for the first time.
async fn agreed(app: &TestApp, call: Call) -> Value {
    let caller = call.caller.clone();
    let asked = app.satchel.invoker.invoke(call, CancellationToken::new()).await.unwrap();
    let Outcome::Confirm(ticket) = asked else { panic!("it ran unasked") };
    assert!(ticket.reason.contains("your files. You agree to a text once."), "{}", ticket.reason);
    let yes =
        Answer { decision: Decision::Approve, reason: None, params: None, question: None, for_conversation: false };
    match app.satchel.invoker.decide(ticket.id, yes, &caller, CancellationToken::new()).await.unwrap().1 {
        Verdict::Ran { output, .. } => output.data,
        other => panic!("{other:?}"),
    }
}

async fn error(app: &TestApp, caller: &Caller, tool: &str, params: Value) -> String {
    app.call(caller, tool, params).await.unwrap_err().message().to_owned()
}

#[tokio::test]
async fn tools_are_called_with_the_callers_rights_and_no_others() {
    let app = TestApp::start().await;
    let body =
        "tool(\"write\", #{ path: \"a.txt\", content: args.text });\ntool(\"read\", #{ path: \"a.txt\" }).content";
    save(&app, "round", "// @param text string \"t\"\n// @uses write, read", body).await;
    let owner = app.caller(&["*"]).await;
    assert_eq!(agreed(&app, Call::new(owner.clone(), "round", json!({"text": "hi"}))).await, "hi");
    assert_eq!(app.data(&owner, "round", json!({"text": "hi"})).await.unwrap(), "hi");
    let (viewer, writer) =
        (app.caller(&["knowledge:read"]).await, app.caller(&["host:fs.read", "host:fs.write"]).await);
    // The script is as risky as what it uses, so that a person is asked about it before anything runs: where it can.
    assert_eq!(app.call(&viewer, "round", json!({"text": "hi"})).await.unwrap_err().kind(), Kind::Denied);
    let asked = app.call(&writer, "round", json!({"text": "hi"})).await.unwrap();
    let Outcome::Confirm(ticket) = asked else { panic!("it ran") };
    assert_eq!(ticket.tool, "script:round");
    save(&app, "look", "// @uses read", "tool(\"read\", #{ path: \"a.txt\" })").await;
    let said = error(&app, &viewer, "look", json!({})).await;
    assert!(said.contains("The script uses a tool that you may not use."), "{said}");
    save(
        &app,
        "catches",
        "// @uses read",
        "let said = (); try { tool(\"read\", #{ path: \"none\" }) } catch (e) { said = `caught: ${e}` } said",
    )
    .await;
    let caught = agreed(&app, Call::new(owner, "catches", json!({}))).await;
    assert!(caught.as_str().unwrap().starts_with("caught: "), "{caught}");
}

#[tokio::test]
async fn what_a_script_uses_that_asks_a_person_asks_before_the_script_runs() {
    let app = TestApp::start().await;
    app.set(json!({"exec": {"mode": "sandboxed", "ask": "always"}})).await;
    save(
        &app,
        "sneaks",
        "// @uses exec",
        "let said = (); try { tool(\"exec\", #{ command: \"id\" }) } catch (e) { said = e } said",
    )
    .await;
    save(&app, "hides", "// @uses sneaks", "let said = (); try { tool(\"sneaks\") } catch (e) { said = e } said").await;
    let owner = app.caller(&["*"]).await;
    let asked = app.call(&owner, "sneaks", json!({})).await.unwrap();
    let Outcome::Confirm(ticket) = asked else { panic!("it ran") };
    assert!(ticket.reason.contains("It uses exec. The settings ask about every command."), "{}", ticket.reason);
    app.satchel.app.stores.tickets.refuse(ticket.id, owner.user, None, app.satchel.app.clock.now()).await.unwrap();
    let asked = app.call(&owner, "hides", json!({})).await.unwrap();
    let Outcome::Confirm(ticket) = asked else { panic!("it ran") };
    assert!(ticket.reason.contains("It uses exec. The settings ask about every command."), "{}", ticket.reason);
    assert_eq!(questions(&app), 2, "their own and no other");
}

/// Returns the number of questions that were ever asked.
fn questions(app: &TestApp) -> i64 {
    let database = rusqlite::Connection::open(app.dir.path().join("satchel.db")).unwrap();
    database.query_row("SELECT count(*) FROM tickets", [], |row| row.get(0)).unwrap()
}

#[tokio::test]
async fn a_call_within_another_that_would_ask_is_refused_without_a_question() {
    let app = TestApp::start().await;
    let owner = app.caller(&["*"]).await;
    let topic = app.conversation(&owner).await;
    app.taint(topic).await;
    // Of itself it only reads; where it leads from a conversation with words from outside, nobody knows before it does.
    let body =
        "let said = (); try { tool(\"web_fetch\", #{ url: \"http://new.example/\" }) } catch (e) { said = e } said";
    save(&app, "reads_on", "// @uses web_fetch", body).await;
    let call = Call { topic: Some(topic), ..Call::new(owner.clone(), "reads_on", json!({})) };
    let ended = app.satchel.invoker.invoke(call, CancellationToken::new()).await;
    let said = ended.unwrap_err().message().to_owned();
    assert!(said.contains("web_fetch asks a person before this, and here nobody can be asked: "), "{said}");
    assert!(said.contains("new.example:80"), "{said}");
    assert_eq!(questions(&app), 0);
}

#[tokio::test]
async fn what_a_script_brings_in_is_told_when_it_has_ended() {
    let app = TestApp::start().await;
    let site = Site::new(&app).await;
    site.put("/heron", [page("text/plain", "It waits.")]);
    let body = "let seen = tool(\"web_fetch\", #{ url: args.url }).markdown;\n\
                tool(\"write\", #{ path: \"a.txt\", content: seen }); seen";
    save(&app, "keeps_page", "// @param url string \"u\"\n// @uses web_fetch, write", body).await;
    let owner = app.caller(&["*"]).await;
    let topic = app.conversation(&owner).await;
    let alone = || Call::new(owner.clone(), "keeps_page", json!({"url": site.url("/heron")}));
    agreed(&app, alone()).await;
    let call = || Call { topic: Some(topic), ..alone() };
    // Nobody is asked in its midst, where the page it has just fetched would forbid it to write.
    let outcome = app.satchel.invoker.invoke(call(), CancellationToken::new()).await.unwrap();
    assert!(matches!(&outcome, Outcome::Done(done) if done.output.data == "It waits."), "{outcome:?}");
    let talk = Conversations::new(&app.satchel.app.db).get(owner.user, topic).await.unwrap();
    assert!(talk.tainted && talk.tainted_by.unwrap().contains("/heron"));
    let again = app.satchel.invoker.invoke(call(), CancellationToken::new()).await.unwrap();
    assert!(matches!(again, Outcome::Confirm(_)), "{again:?}");
}

#[tokio::test]
async fn a_script_with_a_secret_that_fails_after_it_brought_something_in_taints_too() {
    let app = TestApp::start().await;
    let site = Site::new(&app).await;
    site.put("/heron", [page("text/plain", "It waits.")]);
    let body = "tool(\"web_fetch\", #{ url: args.url }); throw \"no use with \" + config(\"key\")";
    let header = "// @config key secret required \"k\"\n// @param url string \"u\"\n// @uses web_fetch";
    save(&app, "fails", header, body).await;
    let by = app.owner().await;
    let settings = app.satchel.services.scripts.one("fails").unwrap().live.unwrap().spec().settings;
    let values = json!({"key": "s3cret-canary"}).as_object().unwrap().clone();
    app.satchel.app.stores.tool_config.set(&by, "fails", &settings, values).await.unwrap();
    let owner = app.caller(&["*"]).await;
    let topic = app.conversation(&owner).await;
    let call = Call { topic: Some(topic), ..Call::new(owner.clone(), "fails", json!({"url": site.url("/heron")})) };
    let error = app.satchel.invoker.invoke(call, CancellationToken::new()).await.unwrap_err();
    assert!(error.message().contains("no use with ***") && error.is_tools_own(), "{error}");
    assert!(!format!("{error:?}").contains("s3cret-canary"), "{error:?}");
    let talk = Conversations::new(&app.satchel.app.db).get(owner.user, topic).await.unwrap();
    assert!(talk.tainted && talk.tainted_by.unwrap().contains("/heron"));
}

#[tokio::test]
async fn html_of_a_script_comes_without_what_acts() {
    let app = TestApp::start().await;
    let body = "#{ text: \"t\", html: \"<b onclick='a()'>x</b><script>a()</script>\" }";
    save(&app, "draws", "", body).await;
    let owner = app.owner().await.caller;
    let Outcome::Done(done) = app.call(&owner, "draws", json!({})).await.unwrap() else { panic!("it asked") };
    assert_eq!(done.output.html.as_deref(), Some("<b>x</b>"));
}

#[tokio::test]
async fn calls_are_three_deep_at_most() {
    let app = TestApp::start().await;
    save(&app, "deeper", "// @param n integer \"n\"\n// @uses deeper", "tool(\"deeper\", #{ n: args.n + 1 })").await;
    let owner = app.owner().await.caller;
    let said = error(&app, &owner, "deeper", json!({"n": 0})).await;
    assert!(said.contains("3 levels deep"), "{said}");
}

#[tokio::test]
async fn values_are_kept_for_each_script_and_user_apart() {
    let app = TestApp::start().await;
    let body = "if args.n >= 0 { kv_set(args.key, args.n) } [kv_get(args.key), kv_keys()]";
    let header = "// @kv\n// @param key string \"k\"\n// @param n integer = -1 \"n\"";
    save(&app, "keeps", header, body).await;
    save(&app, "keeps_too", header, body).await;
    let (one, other) = (app.caller(&[]).await, app.caller(&[]).await);
    assert_eq!(app.data(&one, "keeps", json!({"key": "a", "n": 7})).await.unwrap(), json!([7, ["a"]]));
    let app = app.restart().await;
    app.satchel.services.scripts.reload().await.unwrap();
    assert_eq!(app.data(&one, "keeps", json!({"key": "a"})).await.unwrap(), json!([7, ["a"]]));
    assert_eq!(app.data(&other, "keeps", json!({"key": "a"})).await.unwrap(), json!([null, []]));
    assert_eq!(app.data(&one, "keeps_too", json!({"key": "a"})).await.unwrap(), json!([null, []]));
    let said = error(&app, &one, "keeps", json!({"key": "k".repeat(300), "n": 1})).await;
    assert!(said.contains("1 to 200 bytes"), "{said}");
}

#[tokio::test]
async fn requests_go_to_granted_hosts_alone_and_secrets_come_back_nowhere() {
    let app = TestApp::start().await;
    let site = Site::start().await;
    site.put("/", [page("application/json", r#"{"seen": "s3cret-canary"}"#)]);
    site.put("/away", [status(302, &[("location", "http://127.0.0.1:1/")])]);
    let place = site.place.clone();
    app.set(json!({"outbound": {"exceptions": [place, "127.0.0.1:1"]}})).await;
    let header = format!("// @config key secret required \"k\"\n// @param path string \"p\"\n// @http {place}");
    let body = format!(
        "log(config(\"key\")); let a = http(#{{ url: \"http://{place}\" + args.path, headers: #{{ authorization: \
         config(\"key\") }} }}); #{{ json: a.json, hex: hex_encode(config(\"key\")), status: a.status }}"
    );
    save(&app, "asks", &header, &body).await;
    let owner = app.owner().await;
    let caller = owner.caller.clone();
    let missing = app.call(&caller, "asks", json!({"path": "/"})).await.unwrap_err();
    assert_eq!(
        (missing.kind(), missing.message().contains("Missing required config: key")),
        (Kind::Unconfigured, true)
    );
    let settings = app.satchel.services.scripts.one("asks").unwrap().live.unwrap().spec().settings;
    let values = json!({"key": "s3cret-canary"}).as_object().unwrap().clone();
    app.satchel.app.stores.tool_config.set(&owner, "asks", &settings, values).await.unwrap();
    let said = error(&app, &caller, "asks", json!({"path": "/"})).await;
    assert!(said.contains("not yet granted"), "{said}");
    satchel::services::scripts::Workbench::new(&app.satchel.services.scripts)
        .grant(&owner, "asks", vec![place.clone()])
        .await
        .unwrap();
    let Outcome::Done(done) = app.call(&caller, "asks", json!({"path": "/"})).await.unwrap() else {
        panic!("it asked")
    };
    assert_eq!(done.output.data, json!({"json": {"seen": "***"}, "hex": "***", "status": 200}));
    assert!(!format!("{done:?}").contains("s3cret"), "{done:?}");
    assert!(site.asked()[0].contains("authorization: s3cret-canary"), "{:?}", site.asked());
    // A redirect to a host it was not granted ends it, exception or not.
    let said = error(&app, &caller, "asks", json!({"path": "/away"})).await;
    assert!(said.contains("does not name the host '127.0.0.1:1': add // @http 127.0.0.1:1"), "{said}");
}

#[tokio::test]
async fn a_secret_is_sent_to_the_hosts_of_its_setting_and_to_no_other_that_the_script_calls() {
    let app = TestApp::start().await;
    let (shop, bank) = (Site::start().await, Site::start().await);
    let [own, other] = [&shop, &bank].map(|site| site.place.clone());
    shop.put("/", [page("text/plain", "ok")]).put("/away", [status(302, &[("location", &format!("http://{other}/"))])]);
    bank.put("/", [page("text/plain", "ok")]);
    app.set(json!({"outbound": {"exceptions": [own, other]}})).await;
    let header = format!(
        "// @config key secret to {own} required \"k\"\n// @param at string \"a\"\n// @param how string \"h\"\n\
         // @http {own}, {other}"
    );
    let body = "let key = config(\"key\"); let ask = #{ url: \"http://\" + args.at };\n\
                if args.how == \"header\" { ask.headers = #{ authorization: `Bearer ${key}` }; }\n\
                if args.how == \"coded\" { ask.headers = #{ authorization: \"Basic \" + base64_encode(\"u:\" + key) }; }\n\
                if args.how == \"query\" { ask.query = #{ key: key }; }\n\
                if args.how == \"body\" { ask.method = \"POST\"; ask.body = #{ key: key }; }\nhttp(ask).status";
    save(&app, "pays", &header, body).await;
    let owner = app.owner().await;
    let settings = app.satchel.services.scripts.one("pays").unwrap().live.unwrap().spec().settings;
    let values = json!({"key": "s3cret \"canary"}).as_object().unwrap().clone();
    app.satchel.app.stores.tool_config.set(&owner, "pays", &settings, values).await.unwrap();
    let bench = satchel::services::scripts::Workbench::new(&app.satchel.services.scripts);
    bench.grant(&owner, "pays", vec![own.clone(), other.clone()]).await.unwrap();
    let ways = ["header", "coded", "query", "body"];
    for how in ways {
        let asks = |at: &str| json!({"at": format!("{at}/"), "how": how});
        assert_eq!(app.data(&owner.caller, "pays", asks(&own)).await.unwrap(), 200, "{how}");
        let said = error(&app, &owner.caller, "pays", asks(&other)).await;
        assert_eq!(said, format!("The secret 'key' is sent to {own} only, as its setting says."), "{how}");
    }
    assert_eq!((shop.asked().len(), bank.asked()), (ways.len(), Vec::<String>::new()));
    // Without it the other host is reached, also by way of the first one.
    for (at, how) in [(&other, "not"), (&own, "header")] {
        let path = if how == "not" { "/" } else { "/away" };
        assert_eq!(
            app.data(&owner.caller, "pays", json!({"at": format!("{at}{path}"), "how": how})).await.unwrap(),
            200
        );
    }
    assert!(
        bank.asked().iter().all(|asked| !asked.contains("s3cret")) && bank.asked().len() == 2,
        "{:?}",
        bank.asked()
    );
}

#[tokio::test]
async fn a_question_says_where_a_scripts_secrets_may_go_and_how_risky_its_calls_may_get() {
    let app = TestApp::start().await;
    let asks = |name: &'static str, secret: &str| {
        let header = format!(
            "// @config key secret {secret} \"k\"\n// @uses write, read\n\
             // @http a.example.test, b.example.test"
        );
        let app = &app;
        async move {
            save(app, name, &header, "1").await;
            let bench = satchel::services::scripts::Workbench::new(&app.satchel.services.scripts);
            let hosts = ["a.example.test", "b.example.test"].map(str::to_owned);
            bench.grant(&app.owner().await, name, hosts.into()).await.unwrap();
            let caller = app.caller(&["host:fs.read", "host:fs.write"]).await;
            match app.call(&caller, name, json!({})).await.unwrap() {
                Outcome::Confirm(ticket) => *ticket,
                Outcome::Done(done) => panic!("{done:?}"),
            }
        }
    };
    let (loose, bound) = (asks("loose", "").await, asks("bound", "to a.example.test").await);
    let registry = app.satchel.invoker.registry();
    let described = |name: &str| registry.find(name).unwrap().tool.spec().settings[0].description.clone();
    assert_eq!(described("loose"), "k (sent to any of a.example.test, b.example.test)");
    assert_eq!(described("bound"), "k (sent to a.example.test)");
    let may = "It may send its secret 'key' to any of a.example.test, b.example.test.";
    assert_eq!((loose.question, bound.question), (format!("Run loose? {may}"), "Run bound?".to_owned()));
    for reason in [loose.reason, bound.reason] {
        assert!(reason.ends_with("A yes covers what it calls, up to high write."), "{reason}");
    }
    save(&app, "fetches", "// @uses web_fetch", "1").await;
    let tool = app.satchel.invoker.registry().find("fetches").unwrap().tool;
    assert_eq!(app.satchel.invoker.registry().risk_up_to(&tool), Some(Risk::HighWrite));
}

#[tokio::test]
async fn a_request_goes_out_as_it_is_written_or_not_at_all() {
    let app = TestApp::start().await;
    let site = Site::new(&app).await;
    site.put("/", [page("text/plain", "ok")]);
    let place = site.place.clone();
    let body = format!(
        "let ask = args.ask; if !(\"url\" in ask) {{ ask.url = \"http://{place}/\"; }}\n\
         if ask.body == \"bytes\" {{ ask.body = \"a\\x00b\".to_blob(); }}\n\
         if ask.body == \"nan\" {{ ask.body = #{{ a: 0.0 / 0.0 }}; }}\nhttp(ask).body"
    );
    save(&app, "sends", &format!("// @param ask object \"a\"\n// @http {place}"), &body).await;
    let owner = app.owner().await;
    let bench = satchel::services::scripts::Workbench::new(&app.satchel.services.scripts);
    bench.grant(&owner, "sends", vec![place]).await.unwrap();
    let ask = json!({"method": "post", "body": "bytes", "query": "a=1", "timeout": "5s"});
    assert_eq!(app.data(&owner.caller, "sends", json!({"ask": ask})).await.unwrap(), "ok");
    let asked = site.asked();
    assert!(asked[0].starts_with("POST /?a=1 ") && asked[0].ends_with("\r\n\r\na\0b"), "{asked:?}");
    for (ask, told) in [
        (json!({"headers": {"Host": "evil.test"}}), "The header 'host' belongs to the connection: leave it out."),
        (json!({"headers": {"transfer-encoding": "chunked"}}), "'transfer-encoding' belongs to the connection"),
        (json!({"headers": "x: 1"}), "http takes 'headers' as a map"),
        (json!({"body": "nan"}), "http cannot send this body: JSON has no number NaN"),
        (json!({"url": "file:///etc/passwd"}), "Only http and https can be called, not 'file:'."),
    ] {
        let said = error(&app, &owner.caller, "sends", json!({"ask": ask})).await;
        assert!(said.contains(told), "{said}");
    }
    assert_eq!(site.asked().len(), 1);
}

#[tokio::test]
async fn what_is_no_number_is_not_kept_and_forgets_nothing() {
    let app = TestApp::start().await;
    let body = "kv_set(\"k\", 1); let said = (); try { kv_set(\"k\", 0.0 / 0.0) } catch (e) { said = e }\n\
                [said, kv_get(\"k\")]";
    save(&app, "keeps", "// @kv", body).await;
    let caller = app.caller(&[]).await;
    let said = app.data(&caller, "keeps", json!({})).await.unwrap();
    assert_eq!(said, json!(["kv_set cannot keep this: JSON has no number NaN", 1]));
}

#[tokio::test]
async fn a_number_is_the_same_however_it_is_written() {
    let app = TestApp::start().await;
    save(&app, "quarter", "// @param n number = 6 \"n\"", "args.n / 4").await;
    let owner = app.owner().await.caller;
    for (params, quarter) in
        [(json!({"n": 10}), 2.5), (json!({"n": 10.0}), 2.5), (json!({}), 1.5), (json!({"n": 40}), 10.0)]
    {
        assert_eq!(app.data(&owner, "quarter", params).await.unwrap(), quarter);
    }
}

#[tokio::test]
async fn a_map_with_an_error_fails_and_one_with_a_text_is_shown_with_all_it_holds() {
    let app = TestApp::start().await;
    save(&app, "spent", "", "#{ error: \"quota is used up\", left: 0 }").await;
    save(&app, "greets", "", "#{ text: \"Hello!\", letters: 6 }").await;
    let owner = app.owner().await.caller;
    assert_eq!(error(&app, &owner, "spent", json!({})).await, "quota is used up");
    let Outcome::Done(done) = app.call(&owner, "greets", json!({})).await.unwrap() else { panic!("it asked") };
    assert_eq!(done.output.data, json!({"text": "Hello!", "letters": 6}));
    assert_eq!(satchel::engine::sanitise::render(&done.output), "Hello!\nletters: 6");
}
