//! Rules for arguments: what they spare, ask and refuse, and what they never do.

use satchel::{
    engine::{decide::Answer, invoker::Invoker},
    model::{
        call::{Call, Decision, Done, Outcome, Ticket},
        caller::Caller,
        conversation::ConversationId,
        destination::Destination,
        error::{Error, Kind},
        rule::{Rule, RuleDecision, RuleId},
        spec::Risk,
        time::Time,
    },
    store::{audit::Filter, people::Actor},
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::{
    app::TestApp,
    http::{Request, TestServer as Server},
    tools::{self, Runs},
};

struct Scene {
    app: TestApp,
    invoker: Invoker,
    mara: Caller,
    topic: ConversationId,
    runs: Runs,
}

impl Scene {
    /// `send` is a high write that reaches the host its text names; `wipe` destroys.
    async fn set() -> Self {
        let (app, runs) = (TestApp::start().await, Runs::default());
        let calls = tools::counting_calls(&runs).reaches(|_| Some(Destination::new("crm.example", 443)));
        let send = tools::counted("send", Risk::HighWrite, calls);
        let invoker = tools::invoker(
            &app,
            vec![send, tools::counting("wipe", Risk::Destructive, &runs), tools::counting("look", Risk::Read, &runs)],
        );
        let mara = app.caller(&["channel:send"]).await;
        let topic = app.conversation(&mara).await;
        Self { app, invoker, mara, topic, runs }
    }

    async fn rule(&self, tool: &str, when: Value, decision: RuleDecision) -> RuleId {
        self.rule_of(&self.mara, tool, (when, decision), |rule| rule).await
    }

    async fn rule_of(
        &self,
        by: &Caller,
        tool: &str,
        (when, decision): (Value, RuleDecision),
        change: impl Fn(Rule) -> Rule,
    ) -> RuleId {
        let rule = Rule {
            id: RuleId::new(),
            user: by.user,
            username: by.username.clone(),
            everybody: false,
            tool: format!("builtin:{tool}"),
            when: serde_json::from_value(when).unwrap(),
            decision,
            agent: None,
            hosts: Vec::new(),
            definition: None,
            expires_at: None,
            ticket: None,
            created_at: self.app.satchel.app.clock.now(),
            uses: 0,
            last_used_at: None,
        };
        let by = Actor::at(by, self.app.satchel.app.clock.now());
        self.app.satchel.app.stores.rules.create(&by, change(rule)).await.unwrap().id
    }

    async fn call(&self, tool: &str, text: &str) -> Result<Outcome, Error> {
        let call = Call { topic: Some(self.topic), ..Call::new(self.mara.clone(), tool, json!({"text": text})) };
        self.invoker.invoke(call, CancellationToken::new()).await
    }

    async fn ran(&self, tool: &str, text: &str) -> Box<Done> {
        match self.call(tool, text).await.unwrap() {
            Outcome::Done(done) => done,
            Outcome::Confirm(ticket) => panic!("asked: {}", ticket.reason),
        }
    }

    async fn asked(&self, tool: &str, text: &str) -> Box<Ticket> {
        match self.call(tool, text).await.unwrap() {
            Outcome::Confirm(ticket) => ticket,
            Outcome::Done(done) => panic!("ran: {}", done.output.data),
        }
    }
}

#[tokio::test]
async fn a_rule_spares_the_question_about_exactly_its_arguments_is_counted_and_told() {
    let scene = Scene::set().await;
    assert!(scene.asked("send", "hello").await.always);
    let id = scene.rule("send", json!({"/text": {"one_of": ["hello", "hi"]}}), RuleDecision::Allow).await;
    let done = scene.ran("send", "hello").await;
    let told = format!("rule {id} of {}", scene.mara.username);
    assert_eq!(done.approved.approved_by.as_deref(), Some(told.as_str()));
    scene.asked("send", "hello!").await;
    let rows = scene.app.satchel.app.stores.audit.find(Filter::default(), 10).await.unwrap();
    assert!(rows.iter().any(|row| row.approved_by.as_deref() == Some(told.as_str()) && row.outcome == "success"));
    let rules = scene.app.satchel.app.stores.rules.list(scene.mara.user).await.unwrap();
    assert_eq!((rules[0].uses, rules[0].last_used_at.is_some(), scene.runs.count()), (1, true, 1));
    // Ended, it spares nothing.
    let by = Actor::at(&scene.mara, scene.app.satchel.app.clock.now());
    scene.app.satchel.app.stores.rules.end(&by, id, false).await.unwrap();
    scene.asked("send", "hi").await;
}

#[tokio::test]
async fn deny_is_stronger_than_ask_and_ask_than_allow_and_nothing_allows_destruction() {
    let scene = Scene::set().await;
    let when = json!({"/text": {"equals": "x"}});
    scene.rule("send", when.clone(), RuleDecision::Allow).await;
    scene.ran("send", "x").await;
    scene.rule("send", when.clone(), RuleDecision::Ask).await;
    assert!(scene.asked("send", "x").await.reason.contains("asks about calls like this one"));
    scene.rule("send", when.clone(), RuleDecision::Deny).await;
    let refused = scene.call("send", "x").await.unwrap_err();
    assert_eq!(refused.kind(), Kind::Denied);
    assert!(refused.message().contains("refuses calls with these arguments"), "{refused}");
    scene.rule("look", when.clone(), RuleDecision::Ask).await;
    scene.ran("look", "y").await;
    scene.asked("look", "x").await;
    scene.rule("wipe", when, RuleDecision::Allow).await;
    let asked = scene.asked("wipe", "x").await;
    assert!(asked.reason.contains("destructive") && !asked.always, "{asked:?}");
}

#[tokio::test]
async fn with_content_from_outside_a_new_host_is_asked_about_unless_the_rule_names_it() {
    let scene = Scene::set().await;
    let when = json!({"/text": {"equals": "x"}});
    let id = scene.rule("send", when.clone(), RuleDecision::Allow).await;
    scene.app.taint(scene.topic).await;
    assert!(scene.asked("send", "x").await.reason.contains("It reaches 'crm.example:443'"));
    let by = Actor::at(&scene.mara, scene.app.satchel.app.clock.now());
    scene.app.satchel.app.stores.rules.end(&by, id, false).await.unwrap();
    let named = |rule: Rule| Rule { hosts: vec!["crm.example:443".to_owned()], ..rule };
    scene.rule_of(&scene.mara, "send", (when, RuleDecision::Allow), named).await;
    scene.ran("send", "x").await;
    assert!(scene.asked("send", "y").await.reason.contains("content from outside"));
}

#[tokio::test]
async fn a_layer_that_asks_is_stronger_than_a_rule_and_rules_are_their_makers_and_end() {
    let scene = Scene::set().await;
    let when = json!({"/text": {"equals": "x"}});
    let other = scene.app.caller(&["*"]).await;
    scene.rule_of(&other, "send", (when.clone(), RuleDecision::Allow), |rule| rule).await;
    scene.asked("send", "x").await;
    let past = |rule: Rule| Rule { expires_at: Some(Time::from_millis(1)), ..rule };
    scene.rule_of(&scene.mara, "send", (when.clone(), RuleDecision::Allow), past).await;
    let agents = |rule: Rule| Rule { agent: Some("assistant".to_owned()), ..rule };
    scene.rule_of(&scene.mara, "send", (when.clone(), RuleDecision::Allow), agents).await;
    scene.asked("send", "x").await;
    let everybody = |rule: Rule| Rule { everybody: true, ..rule };
    scene.rule_of(&other, "send", (when, RuleDecision::Allow), everybody).await;
    scene.ran("send", "x").await;
    let document = serde_json::from_value(json!({"global": {"ask": ["send"]}})).unwrap();
    scene.app.satchel.app.stores.policies.replace(&scene.app.owner().await, None, document).await.unwrap();
    let asked = scene.asked("send", "x").await;
    assert!(asked.reason.contains("The policy layer 'global' asks") && !asked.always, "{asked:?}");
}

/// Signs somebody in who may write files, and is asked about each.
async fn writer(server: &Server) -> String {
    server.owner("PUT", "/api/policies", &json!({"global": {}})).await;
    let role = json!({"name": "writers", "permissions": ["host:fs.write"]});
    server.owner("POST", "/api/roles", &role).await;
    server.add("noor", "writers").await;
    server.sign_in("noor").await
}

fn write(cookie: &str, text: &str) -> Request {
    Request::post("/api/tools/write/invoke", &json!({"params": {"path": "a.txt", "content": text}})).cookie(cookie)
}

#[tokio::test]
async fn a_rule_is_made_of_a_question_in_one_step_by_a_person() {
    let server = Server::start().await;
    let mara = server.sign_in("owner").await;
    server.add("vera", "operator").await;
    let vera = server.sign_in("vera").await;
    let noor = writer(&server).await;
    let invoke = |text: &str| write(&noor, text);
    let asked = server.send(invoke("one")).await;
    assert_eq!(asked.status, 409, "{}", asked.text());
    let ticket = asked.json()["ticket"].clone();
    let make = |cookie: &str| Request::post("/api/rules", &json!({"ticket": ticket})).cookie(cookie);
    assert_eq!(server.send(make(&vera)).await.status, 404, "another's question");
    let made = server.send(make(&noor)).await;
    assert_eq!(made.status, 201, "{}", made.text());
    let rule = made.json();
    assert_eq!(rule["when"], json!({"/path": {"equals": "a.txt"}, "/content": {"equals": "one"}}));
    assert_eq!((&rule["tool"], &rule["decision"]), (&json!("builtin:write"), &json!("allow")));
    assert_eq!(server.send(invoke("one")).await.status, 200);
    assert_eq!(server.send(invoke("two")).await.status, 409);
    let under = json!({"tool": "write", "decision": "allow", "when": {"/path": {"prefix": "drafts"}, "/content": {"one_of": ["x", "y"]}}});
    assert_eq!(server.send(Request::post("/api/rules", &under).cookie(&noor)).await.status, 201);
    let dotted = json!({"params": {"path": "drafts/../b.txt", "content": "x"}});
    assert_eq!(server.send(Request::post("/api/tools/write/invoke", &dotted).cookie(&noor)).await.status, 409);
    let straight = json!({"params": {"path": "c/../drafts/a.txt", "content": "x", "create_dirs": false}});
    let went = server.send(Request::post("/api/tools/write/invoke", &straight).cookie(&noor)).await;
    assert_ne!(went.status, 409, "{}", went.text());
    // A program allows nothing in its owner's name.
    let key = server.key(&noor, None).await;
    let by_key = Request::post("/api/rules", &under).bearer(&key);
    assert_eq!(server.send(by_key).await.status, 403);
    for wrong in [
        json!({"tool": "write", "decision": "allow", "when": {}}),
        json!({"tool": "write", "decision": "allow", "when": {"/pth": {"equals": 1}}}),
        json!({"tool": "write", "decision": "allow", "when": {"/path": {"like": 1}}}),
        json!({"tool": "write", "decision": "allow", "when": {"/path": {"equals": 1}}, "expires_at": "2020-01-01T00:00:00Z"}),
        json!({"tool": "write", "when": {"/path": {"equals": 1}}}),
        json!({"decision": "deny", "when": {"/path": {"equals": 1}}}),
    ] {
        assert_eq!(server.send(Request::post("/api/rules", &wrong).cookie(&noor)).await.status, 400, "{wrong}");
    }
    let all = json!({"tool": "write", "decision": "deny", "everybody": true, "when": {"/path": {"prefix": "/"}}});
    assert_eq!(server.send(Request::post("/api/rules", &all).cookie(&noor)).await.status, 403);
    let rules = server.send(Request::get("/api/rules").cookie(&noor)).await.json();
    assert_eq!(rules.as_array().unwrap().len(), 2);
    assert_eq!(server.send(Request::get("/api/rules").cookie(&mara)).await.json(), json!([]));
    let id = rule["id"].as_str().unwrap();
    let end = |cookie: &str| Request::new("DELETE", &format!("/api/rules/{id}")).cookie(cookie);
    assert_eq!(server.send(end(&vera)).await.status, 404);
    assert_eq!(server.send(end(&noor)).await.status, 204);
    assert_eq!(server.send(invoke("one")).await.status, 409);
}

#[tokio::test]
async fn a_rule_goes_with_the_yes_and_none_is_left_of_what_was_not_approved() {
    let server = Server::start().await;
    let noor = writer(&server).await;
    let invoke = |text: &str| write(&noor, text);
    let decide = async |ticket: &Value, body: Value| {
        let path = format!("/api/tickets/{}", ticket.as_str().unwrap());
        server.send(Request::post(&path, &body).cookie(&noor)).await
    };
    let rules = async || server.send(Request::get("/api/rules").cookie(&noor)).await.json().as_array().unwrap().len();
    let always = json!({"decision": "approve", "always": true});
    let first = server.send(invoke("one")).await.json()["ticket"].clone();
    let done = decide(&first, always.clone()).await;
    assert_eq!(done.status, 200, "{}", done.text());
    assert_eq!(done.json()["rule"]["when"], json!({"/path": {"equals": "a.txt"}, "/content": {"equals": "one"}}));
    assert_eq!(server.send(invoke("one")).await.status, 200);
    let second = server.send(invoke("two")).await.json()["ticket"].clone();
    let edited = json!({"decision": "approve", "always": true, "params": {"path": "b.txt", "content": "two"}});
    assert_eq!(decide(&second, edited).await.status, 400, "a rule of other arguments than were asked");
    assert_eq!(decide(&second, json!({"decision": "deny", "always": true})).await.status, 400);
    let denied = decide(&second, json!({"decision": "deny"})).await;
    assert_eq!((denied.status, &denied.json()["rule"]), (200, &json!(null)));
    assert_eq!(decide(&second, always).await.status, 409);
    assert_eq!((rules().await, server.send(invoke("two")).await.status), (1, 409));
    // No rule is offered or made that would not spare the next question: it would cover no call within another one.
    let call = json!({"recipient_name": "write", "parameters": {"path": "c.txt", "content": "x"}});
    let several = Request::post("/api/tools/parallel/invoke", &json!({"params": {"tool_uses": [call]}})).cookie(&noor);
    let asked = server.send(several).await.json();
    assert_eq!((&asked["tool"], &asked["always"]), (&json!("builtin:parallel"), &json!(false)), "{asked}");
    server.owner("PUT", "/api/policies", &json!({"global": {"ask": ["write"]}})).await;
    let third = server.send(invoke("three")).await.json();
    assert_eq!(third["always"], json!(false), "{third}");
    let told = decide(&third["ticket"], json!({"decision": "approve", "always": true})).await;
    assert!(told.status == 400 && told.text().contains("A rule would not spare this question"), "{}", told.text());
    assert_eq!(decide(&third["ticket"], json!({"decision": "approve"})).await.status, 200);
}

#[tokio::test]
async fn an_approval_after_the_rule_runs_once_as_ever() {
    let scene = Scene::set().await;
    let ticket = scene.asked("send", "x").await;
    scene.rule("send", json!({"/text": {"equals": "x"}}), RuleDecision::Deny).await;
    let answer =
        Answer { decision: Decision::Approve, reason: None, params: None, question: None, for_conversation: false };
    let decided = scene.invoker.decide(ticket.id, answer, &scene.mara, CancellationToken::new()).await;
    // What denies came after the question, and holds all the same.
    assert!(decided.is_ok_and(|(_, verdict)| matches!(verdict, satchel::store::tickets::Verdict::Failed { .. })));
    assert_eq!(scene.runs.count(), 0);
}
