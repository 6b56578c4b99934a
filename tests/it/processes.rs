//! Business processes: who finds them and how, how they come in, and that nobody overwrites what they have not read.

use rustix::process::Pid;
use satchel::{
    model::{business_process::draft::ProcessDraft, error::Kind, origin::Origin, user::BUILT_IN_ROLES},
    store::processes::Processes,
};
use serde_json::{Value, json};

use crate::support::{
    app::TestApp,
    chat::{Chat, Person},
    fake_llm::{call, say},
    program::Home,
};

/// A process of two steps, the second first.
fn process(name: &str, description: &str) -> Value {
    json!({
        "name": name, "category": "Sales", "description": description, "owner": "Mara", "tags": ["new"],
        "steps": [
            {"id": "sign", "name": "Sign the contract", "depends_on": ["check"], "who": "Legal"},
            {"id": "check", "name": "Check the credit", "system": "Ledger"},
        ],
    })
}

async fn put(owner: &Person, body: Value) -> Value {
    owner.do_it("POST", "/api/processes", body).await
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect()
}

/// Returns what the tool finds for somebody who may.
async fn found(app: &TestApp, query: &str) -> Value {
    let viewer = app.caller(&["processes:read"]).await;
    app.data(&viewer, "search_processes", json!({"query": query})).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn steps_come_in_order_with_dependencies_and_categories() {
    let chat = Chat::start(vec![]).await;
    put(&chat.owner, process("Contract templates", "")).await;
    let mut onboarding = process("Customer onboarding", "How a customer begins.");
    onboarding["depends_on"] = json!(["contract TEMPLATES", "Credit policy"]);
    put(&chat.owner, onboarding).await;
    let answer = found(&chat.app, "how does the customer onboarding process work?").await;
    let first = &answer["processes"][0];
    assert_eq!((&first["name"], &first["category"]), (&json!("Customer onboarding"), &json!("Sales")));
    assert_eq!(names(&first["steps"]), ["Check the credit", "Sign the contract"]);
    assert_eq!(first["steps"][1]["depends_on"], json!(["check"]));
    assert_eq!((&first["steps"][0]["system"], &first["steps"][1]["who"]), (&json!("Ledger"), &json!("Legal")));
    assert_eq!(first["dependencies"], json!(["Contract templates", "Credit policy"]));
    assert_eq!(answer["categories"], json!(["Sales"]));
    assert!(answer["reference"].as_str().unwrap().starts_with("Reference material"), "{answer}");
    let needed = found(&chat.app, "templates").await;
    assert_eq!(needed["processes"][0]["needed_by"], json!(["Customer onboarding"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_match_in_a_name_outranks_any_in_a_description() {
    let chat = Chat::start(vec![]).await;
    let full = "Onboarding of customers: onboarding, customer onboarding, onboarding a customer again.";
    put(&chat.owner, process("Account care", full)).await;
    put(&chat.owner, process("Supplier onboarding", "")).await;
    let answer = found(&chat.app, "onboarding").await;
    assert_eq!(names(&answer["processes"]), ["Supplier onboarding", "Account care"]);
    let why: Vec<&Value> = answer["processes"].as_array().unwrap().iter().map(|one| &one["matched_by"]).collect();
    assert_eq!(why, [&json!("name"), &json!("text")]);
    let listed = chat.owner.do_it("GET", "/api/processes?q=onboarding", Value::Null).await;
    assert_eq!(names(&listed), ["Supplier onboarding", "Account care"], "the console searches alike");
}

#[tokio::test(flavor = "multi_thread")]
async fn where_nothing_fits_names_and_categories_are_offered() {
    let chat = Chat::start(vec![]).await;
    let none = found(&chat.app, "refund").await;
    assert_eq!((&none["count"], &none["nearest"]), (&json!(0), &json!([])));
    assert!(none["hint"].as_str().unwrap().starts_with("No business process is published yet"), "{none}");
    put(&chat.owner, process("Customer onboarding", "")).await;
    let other = found(&chat.app, "zzxq").await;
    assert_eq!(other["nearest"], json!(["Customer onboarding"]));
    assert_eq!((&other["count"], &other["categories"]), (&json!(0), &json!(["Sales"])));
    assert!(other["hint"].as_str().unwrap().contains("None of the 1 processes fits 'zzxq'"), "{other}");
    let viewer = chat.app.caller(&["processes:read"]).await;
    let empty = chat.app.data(&viewer, "search_processes", json!({"query": " "})).await.unwrap_err();
    assert_eq!(empty.kind(), Kind::Invalid);
}

#[tokio::test(flavor = "multi_thread")]
async fn viewers_and_operators_read_and_others_do_not() {
    let chat = Chat::start(vec![]).await;
    let made = put(&chat.owner, process("Customer onboarding", "")).await;
    let one = format!("/api/processes/{}", made["id"].as_str().unwrap());
    let update = json!({"revision": 1, "process": process("Other", "")});
    let changes = [
        ("POST", "/api/processes".to_owned(), process("Other", "")),
        ("PUT", one.clone(), update),
        ("DELETE", one.clone(), Value::Null),
        ("POST", format!("{one}/publish"), json!({"revision": 1})),
        ("POST", "/api/processes/import/preview".to_owned(), json!({"text": "name: A"})),
        ("POST", "/api/processes/import/apply".to_owned(), json!({"text": "name: A"})),
        ("POST", "/api/processes/propose".to_owned(), json!({})),
    ];
    for (role, reads) in [("viewer", true), ("operator", true), ("nobody", false)] {
        let permissions = BUILT_IN_ROLES.iter().find(|(name, _)| *name == role);
        let permissions = permissions.map_or(&["knowledge:read"][..], |(_, permissions)| permissions);
        let person = chat.person(permissions).await;
        let caller = chat.app.caller(permissions).await;
        for path in ["/api/processes", &one, "/api/processes/export"] {
            let (status, answer) = person.ask("GET", path, Value::Null).await;
            assert_eq!(status == 200, reads, "{role} {path}: {status} {answer}");
        }
        let search = chat.app.data(&caller, "search_processes", json!({"query": "onboarding"})).await;
        assert_eq!(search.as_ref().map_err(|e| e.kind()).err(), (!reads).then_some(Kind::NotFound), "{role}");
        for (method, path, body) in &changes {
            let (status, answer) = person.ask(method, path, body.clone()).await;
            assert_eq!(status, 403, "{role} {method} {path}: {answer}");
        }
    }
    assert_eq!(chat.llm.seen().len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_has_not_read_the_latest_changes_nothing() {
    let chat = Chat::start(vec![]).await;
    let owner = &chat.owner;
    let made = put(owner, process("Onboarding", "")).await;
    let path = format!("/api/processes/{}", made["id"].as_str().unwrap());
    let mut waits = process("Invoice", "");
    waits["depends_on"] = json!(["Onboarding"]);
    put(owner, waits).await;
    let change = |revision: u32, name: &str| json!({"revision": revision, "process": process(name, "")});
    let changed = owner.do_it("PUT", &path, change(1, "Customer onboarding")).await;
    assert_eq!((&changed["revision"], &changed["order"]), (&json!(2), &json!(["check", "sign"])));
    assert_eq!(names(&changed["needed_by"]), ["Invoice"], "it follows to the new name");
    let (status, lost) = owner.ask("PUT", &path, change(1, "Mine")).await;
    assert_eq!(status, 409);
    assert!(
        lost["detail"].as_str().unwrap().contains("Somebody has changed the process 'Customer onboarding'"),
        "{lost}"
    );
    assert_eq!(owner.do_it("GET", &path, Value::Null).await["name"], "Customer onboarding");
    let (status, taken) = owner.ask("POST", "/api/processes", process("customer  ONBOARDING", "")).await;
    assert_eq!(status, 409, "{taken}");
    let mut round = process("Customer onboarding", "");
    round["depends_on"] = json!(["Invoice"]);
    let (status, circle) = owner.ask("PUT", &path, json!({"revision": 2, "process": round})).await;
    assert_eq!(status, 409);
    assert!(circle["detail"].as_str().unwrap().contains("wait for each other"), "{circle}");
    owner.do_it("DELETE", &path, Value::Null).await;
    assert_eq!(owner.ask("GET", &path, Value::Null).await.0, 404);
    let audit = owner.do_it("GET", "/api/audit?event_type=admin_action&limit=50", Value::Null).await.to_string();
    for action in ["process.create", "process.change", "process.delete"] {
        assert!(audit.contains(action), "{action} is not in {audit}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_a_process_is_said_by_step() {
    let chat = Chat::start(vec![]).await;
    let mut wrong = process("A", "");
    wrong["steps"][0]["depends_on"] = json!(["chek"]);
    let (status, answer) = chat.owner.ask("POST", "/api/processes", wrong).await;
    assert_eq!(status, 400);
    let wanted =
        "Step 'Sign the contract' depends on 'chek', which is no step of this process. Steps are: sign, check.";
    assert_eq!(answer["detail"], wanted);
    let (status, answer) = chat.owner.ask("POST", "/api/processes", json!({"name": "A", "steps": [], "x": 1})).await;
    assert_eq!(status, 400, "{answer}");
    assert_eq!(chat.owner.do_it("GET", "/api/processes", Value::Null).await, json!([]));
}

const YAML: &str = "\
name: Refund
category: Finance
steps:
  - id: check
    name: Check the claim
  - name: Pay it back
    depends_on: [check]
---
name: Hiring
steps:
  - name: Interview
";

#[tokio::test(flavor = "multi_thread")]
async fn what_is_imported_again_is_compared_and_changes_what_is_there() {
    let chat = Chat::start(vec![]).await;
    let owner = &chat.owner;
    let preview = async |text: &str| owner.do_it("POST", "/api/processes/import/preview", json!({"text": text})).await;
    let kinds = |list: &Value| list.as_array().unwrap().iter().map(|one| one["change"].clone()).collect::<Vec<_>>();
    let first = preview(YAML).await;
    assert_eq!(kinds(&first), ["new", "new"]);
    assert_eq!(owner.do_it("GET", "/api/processes", Value::Null).await, json!([]), "nothing is kept by looking");
    let choices = json!([{"name": "Refund", "revision": null}]);
    let kept = owner.do_it("POST", "/api/processes/import/apply", json!({"text": YAML, "choices": choices})).await;
    assert_eq!((names(&kept), &kept[0]["source"]), (vec!["Refund"], &json!("imported")));
    let text = YAML.replace("Check the claim", "Check the receipt");
    let again = preview(&text).await;
    assert_eq!(kinds(&again), ["changed", "new"]);
    assert_eq!((&again[0]["differs"], &again[0]["revision"]), (&json!(["steps"]), &json!(1)));
    assert!(again[0]["before"].as_str().unwrap().contains("Check the claim"), "{again}");
    // Compared with another state than the one there is, nothing of it is taken in.
    let stale = json!([{"name": "Hiring", "revision": null}, {"name": "Refund", "revision": null}]);
    let (status, lost) =
        owner.ask("POST", "/api/processes/import/apply", json!({"text": text, "choices": stale})).await;
    assert_eq!(status, 409, "{lost}");
    assert_eq!(owner.do_it("GET", "/api/processes", Value::Null).await.as_array().unwrap().len(), 1);
    let all = owner.do_it("POST", "/api/processes/import/apply", json!({"text": text})).await;
    assert_eq!(names(&all), ["Refund", "Hiring"]);
    assert_eq!((&all[0]["id"], &all[0]["revision"]), (&kept[0]["id"], &json!(2)));
    assert_eq!(owner.do_it("POST", "/api/processes/import/apply", json!({"text": text})).await, json!([]));
    // What is exported is the same when it comes back.
    let yaml = String::from_utf8(owner.bytes("/api/processes/export").await).unwrap();
    assert_eq!(kinds(&preview(&yaml).await), ["same", "same"]);
    let (status, wrong) =
        owner.ask("POST", "/api/processes/import/preview", json!({"text": "name: A\nsteps:\n  - nam: B"})).await;
    assert_eq!(status, 400);
    assert!(wrong["detail"].as_str().unwrap().starts_with("Line 3, column 5: unknown field `nam`"), "{wrong}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_model_proposes_counts_once_a_person_publishes_it() {
    let chat = Chat::start(vec![]).await;
    let owner = &chat.owner;
    let propose = async |about: &str| owner.ask("POST", "/api/processes/propose", json!({"about": about})).await;
    let (status, nothing) = propose("").await;
    assert_eq!(status, 409);
    assert!(nothing["detail"].as_str().unwrap().contains("There is nothing to go by"), "{nothing}");
    owner
        .do_it("POST", "/api/catalog/systems", json!({"name": "Ledger", "description": "Invoices and payments."}))
        .await;
    put(owner, process("Hiring", "")).await;
    let refund =
        json!({"name": "Refund", "steps": [{"name": "Check", "system": "Ledger"}, {"name": "Pay", "system": "Bank"}]});
    let again = json!({"name": "hiring", "steps": [{"name": "Call"}]});
    chat.llm.then(vec![say(&json!({"processes": [refund, again]}).to_string()), say("I would rather not.")]);
    let (status, made) = propose("money").await;
    assert_eq!((status, names(&made["kept"])), (200, vec!["Refund"]), "{made}");
    assert_eq!(made["refused"], json!([{"name": "hiring", "problem": "A process of this name is known already."}]));
    assert_eq!((&made["tokens"], &made["model"]), (&json!(15), &json!("fake-1")));
    let told = chat.llm.body(0).to_string();
    for part in ["Invoices and payments.", "Known already: Hiring", "about: money"] {
        assert!(told.contains(part), "{part} is not in {told}");
    }
    let proposal = &made["kept"][0];
    assert_eq!((&proposal["status"], &proposal["steps"][1]["system"]), (&json!("proposed"), &Value::Null));
    let path = format!("/api/processes/{}", proposal["id"].as_str().unwrap());
    let viewer = chat.person(&["processes:read"]).await;
    assert_eq!(viewer.ask("GET", &path, Value::Null).await.0, 404, "a proposal is for those who decide");
    assert_eq!(names(&viewer.do_it("GET", "/api/processes", Value::Null).await), ["Hiring"]);
    assert_eq!(found(&chat.app, "refund").await["count"], json!(0));
    let (status, _) = propose("more").await;
    assert_eq!(status, 502, "an answer in another form is nobody's process");
    assert_eq!(owner.ask("POST", &format!("{path}/publish"), json!({"revision": 7})).await.0, 409);
    let live = owner.do_it("POST", &format!("{path}/publish"), json!({"revision": 1})).await;
    assert_eq!((&live["status"], &live["source"]), (&json!("published"), &json!("proposed")));
    assert_eq!(found(&chat.app, "refund").await["processes"][0]["name"], "Refund");
    assert_eq!(viewer.do_it("GET", &path, Value::Null).await["name"], "Refund");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_is_found_by_what_it_means() {
    let chat = Chat::start(vec![]).await;
    assert!(
        chat.app.satchel.app.search.embedder.model().is_some(),
        "no model of meaning is built in: run `make model`"
    );
    for (name, description) in [
        ("Recruiting", "How we look for, interview and hire new colleagues."),
        ("Waste disposal", "What becomes of old batteries and paper."),
    ] {
        let made = json!({"name": name, "description": description, "steps": [{"name": "Begin"}]});
        put(&chat.owner, made).await;
    }
    let answer = found(&chat.app, "job applicants").await;
    assert_eq!(names(&answer["processes"]), ["Recruiting"]);
    assert_eq!(answer["processes"][0]["matched_by"], json!("meaning"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_proposes_from_passages_of_documents() {
    let chat = Chat::start(vec![]).await;
    let text = "A complaint is answered within two days. If it is justified, support sends a voucher.";
    chat.owner.add_text("Complaints handbook", text).await;
    let made = json!({"processes": [{"name": "Complaint", "steps": [{"name": "Answer"}, {"name": "Send a voucher"}]}]});
    chat.llm.then(vec![say(&made.to_string())]);
    let proposed = chat.owner.do_it("POST", "/api/processes/propose", json!({"about": "complaints"})).await;
    assert_eq!(names(&proposed["kept"]), ["Complaint"]);
    let told = chat.llm.body(0).to_string();
    assert!(told.contains("Complaints handbook") && told.contains("support sends a voucher"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_reads_only_what_the_asker_may_see() {
    let chat = Chat::start(vec![]).await;
    let writer = chat.person(&["processes:read", "processes:write"]).await;
    chat.owner.do_it("POST", "/api/catalog/systems", json!({"name": "Ledger"})).await;
    let (status, refused) = writer.ask("POST", "/api/processes/propose", json!({})).await;
    assert_eq!(status, 409, "neither catalog nor knowledge are theirs: {refused}");
    assert_eq!(chat.llm.seen().len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_made_of_a_page_keeps_where_it_came_from_until_a_person_publishes_it() {
    let chat = Chat::start(vec![]).await;
    put(&chat.owner, process("Hiring", "")).await;
    let store = Processes::new(&chat.app.satchel.app.db);
    let draft: ProcessDraft = serde_json::from_value(process("Refund", "")).unwrap();
    let by = chat.app.owner().await;
    let made = store
        .propose(&by, vec![draft.checked().unwrap()], Some(Origin::new("document: https://a.example/", by.now)))
        .await
        .unwrap();
    assert_eq!(made[0].origin.as_ref().unwrap().source, "document: https://a.example/");
    let published = store.publish(&by, made[0].id, 1).await.unwrap();
    assert_eq!(published.origin, None, "whoever publishes it has read it");
    for query in ["hiring", "refund"] {
        chat.llm.then(vec![call("search_processes", json!({"query": query})), say("So it goes.")]);
        let (conversation, _) = chat.owner.turn("How is it done?").await;
        let view = chat.owner.view(&conversation).await;
        assert_eq!(view["tainted"], json!(false), "{query}: {view}");
    }
}

#[tokio::test]
async fn without_a_model_proposing_says_what_to_do() {
    let home = Home::new().await;
    let server = home.serve(&[]).await;
    let owner = Person::sign_in(&server.url, "owner").await;
    owner.do_it("POST", "/api/catalog/systems", json!({"name": "Ledger"})).await;
    let (status, answer) = owner.ask("POST", "/api/processes/propose", json!({})).await;
    assert_eq!(status, 409);
    assert!(answer["detail"].as_str().unwrap().starts_with("No model is connected."), "{answer}");
    server.stop().await;
}

#[tokio::test]
async fn what_was_acknowledged_outlives_a_kill() {
    let home = Home::new().await;
    let server = home.serve(&[]).await;
    let owner = Person::sign_in(&server.url, "owner").await;
    let made = put(&owner, process("Customer onboarding", "How a customer begins.")).await;
    let path = format!("/api/processes/{}", made["id"].as_str().unwrap());
    let update = json!({"revision": 1, "process": process("Client onboarding", "")});
    let changed = owner.do_it("PUT", &path, update).await;
    let pid = Pid::from_raw(i32::try_from(server.pid()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    server.end().await;
    let server = home.serve(&[]).await;
    let owner = Person::sign_in(&server.url, "owner").await;
    assert_eq!(owner.do_it("GET", &path, Value::Null).await, changed);
    let call = json!({"params": {"query": "client onboarding"}});
    let answer = owner.do_it("POST", "/api/tools/search_processes/invoke", call).await;
    assert_eq!(answer["data"]["processes"][0]["name"], "Client onboarding", "{answer}");
    server.stop().await;
}
