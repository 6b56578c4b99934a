//! Finding tools by what they are for, learning from use, and what both show.

use std::time::{Duration, Instant};

use satchel::host::jsonl;
#[cfg(feature = "embedded-model")]
use satchel::{
    engine::tool::Tool,
    model::spec::{Risk, Source, Spec},
};
use serde_json::{Value, json};

#[cfg(feature = "embedded-model")]
use super::support::tools::{Runs, counting};
use super::support::{
    chat::{Chat, Person},
    fake_llm::{call, say},
    library::pause,
    program::Home,
};

const PATIENCE: Duration = Duration::from_secs(600);

/// Asks until `done` holds: tools are embedded, and learned of, in the background.
async fn until(person: &Person, ask: (&str, &str, Value), done: impl Fn(&Value) -> bool) -> Value {
    let (method, path, body) = ask;
    let started = Instant::now();
    loop {
        let answer = person.do_it(method, path, body.clone()).await;
        if done(&answer) {
            return answer;
        }
        assert!(started.elapsed() < PATIENCE, "{path} still answers {answer}");
        pause().await;
    }
}

#[cfg(feature = "embedded-model")]
#[tokio::test]
async fn embedding_goes_on_whoever_searches_meanwhile() {
    let chat = Chat::start(Vec::new()).await;
    let like = counting("archive", Risk::Read, &Runs::default());
    let tool = |number: u32| {
        let spec = Spec { name: format!("archive-{number}"), source: Source::Catalog, ..like.spec().clone() };
        Tool::of_spec(spec, |_, _| std::future::pending()).unwrap()
    };
    assert!(chat.app.satchel.invoker.offer(Source::Catalog, (0..300).map(tool).collect()).is_empty());
    let (mara, nobody) = (chat.person(&["host:fs.read"]).await, chat.person(&[]).await);
    let started = Instant::now();
    // Each search begins while the tools are embedded for the one before: what was done for that one counts.
    loop {
        let mut notes = Vec::new();
        for person in [&mara, &nobody] {
            let need = json!({"params": {"query": "archive a text"}});
            let answer = person.do_it("POST", "/api/tools/find_tools/invoke", need).await;
            notes.extend(answer["data"]["note"].as_str().map(str::to_owned));
        }
        if notes.iter().all(|note| !note.contains("still being embedded")) {
            return;
        }
        assert!(started.elapsed() < PATIENCE, "{notes:?}");
        pause().await;
    }
}

/// Checks that the order shown is the one the scores give.
fn assert_in_order(hits: &Value) {
    let scores: Vec<f64> = hits.as_array().unwrap().iter().map(|hit| hit["score"].as_f64().unwrap()).collect();
    assert!(scores.is_sorted_by(|one, next| one >= next) && scores[0] == 1.0, "{scores:?}");
}

async fn found(person: &Person, need: &str) -> Value {
    let ask = ("POST", "/api/tools/find", json!({"query": need, "limit": 3}));
    let embedded = |answer: &Value| {
        let still = answer["note"].as_str().is_some_and(|note| note.contains("still being embedded"));
        !still && answer["results"][0]["why"]["cosine"].is_number()
    };
    until(person, ask, embedded).await["results"].clone()
}

#[tokio::test]
async fn a_tool_is_found_by_what_it_is_for_among_those_one_may_call() {
    let chat = Chat::start(Vec::new()).await;
    let (mara, nobody) = (chat.person(&["host:fs.read"]).await, chat.person(&[]).await);
    let results = found(&mara, "what does the text in my document say").await;
    let names: Vec<&str> = results.as_array().unwrap().iter().filter_map(|hit| hit["name"].as_str()).collect();
    assert!(names.contains(&"read"), "{results}");
    assert_in_order(&results);
    let cosine = results[0]["why"]["cosine"].as_f64().unwrap();
    assert!(cosine > 0.1 && cosine <= 1.0, "{results}");
    let read = found(&mara, "read a file").await;
    assert_eq!([&read[0]["name"], &read[0]["why"]["field"]], ["read", "alias"]);
    assert_eq!(read[0]["why"]["words"], json!(["file", "read"]));
    let others = found(&nobody, "read a file").await;
    assert!(!others.to_string().contains("builtin:read\""), "{others}");
}

#[tokio::test]
async fn a_success_speaks_for_a_tool_and_its_need_is_shown_to_nobody_else() {
    let script = vec![call("calculator", json!({"expression": "1 + 2"})), say("3.")];
    let chat = Chat::start(script).await;
    let (mara, other) = (chat.person(&[]).await, chat.person(&[]).await);
    let (conversation, _) = mara.turn("How heavy are my two parcels together?").await;
    let learned = |learned: &Value| learned["needs"] == 1;
    let path = "/api/tools/calculator/learning";
    let own = until(&mara, ("GET", path, Value::Null), learned).await;
    assert_eq!([&own["successes"], &own["failures"], &own["people"]], [&json!(1), &json!(0), &json!(1)]);
    assert_eq!(own["own"][0]["need"], "How heavy are my two parcels together?");
    let seen = other.do_it("GET", path, Value::Null).await;
    assert_eq!([&seen["needs"], &seen["own"]], [&json!(1), &json!([])]);

    let hits = found(&mara, "How heavy are my three parcels together?").await;
    assert_eq!(hits[0]["name"], "calculator", "{hits}");
    assert_in_order(&hits);
    assert_eq!(hits[0]["why"]["past"]["query"], "How heavy are my two parcels together?");
    let params = json!({"params": {"query": "How heavy are my three parcels together?"}});
    let by_model = mara.do_it("POST", "/api/tools/find_tools/invoke", params).await["data"]["tools"].clone();
    assert_eq!(by_model[0]["why"]["past"]["query"], Value::Null, "a model reads no need of another conversation");
    assert!(by_model[0]["why"]["past"]["similarity"].as_f64().unwrap() > 0.5, "{by_model}");
    assert!(!by_model.to_string().contains("two parcels"), "{by_model}");
    let hits = found(&other, "How heavy are my three parcels together?").await;
    assert!(hits[0]["why"]["past"]["similarity"].as_f64().unwrap() > 0.5 && !hits.to_string().contains("two parcels"));

    let key = mara.do_it("POST", "/api/keys", json!({"name": "k", "personal": false})).await;
    let program = Person::bearer(&chat.app.satchel.url, key["key"].as_str().unwrap());
    let seen = program.do_it("GET", path, Value::Null).await;
    assert_eq!([&seen["needs"], &seen["own"]], [&json!(1), &json!([])]);
    for (path, asked) in [
        ("/api/tools/find", json!({"query": "How heavy are my three parcels together?"})),
        ("/api/offline/ask", json!({"text": "How heavy are my three parcels together?"})),
        ("/api/tools/find_tools/invoke", json!({"params": {"query": "How heavy are my three parcels together?"}})),
    ] {
        let answer = program.do_it("POST", path, asked).await.to_string();
        assert!(answer.contains("similarity") && !answer.contains("two parcels"), "{path}: {answer}");
    }

    mara.do_it("DELETE", &conversation, Value::Null).await;
    assert_eq!(mara.do_it("GET", path, Value::Null).await["needs"], 0);
    // Nothing else speaks for any tool.
    let need = json!({"query": "How heavy are my three parcels together?"});
    assert_eq!(mara.do_it("POST", "/api/tools/find", need).await["results"], json!([]));
}

#[tokio::test]
async fn what_content_from_outside_may_have_chosen_teaches_nothing() {
    let sum = |text: &str| [call("calculator", json!({"expression": "1 + 2"})), say(text)];
    let chat = Chat::start(sum("3.").into_iter().chain(sum("Three.")).collect()).await;
    let mara = chat.person(&[]).await;
    let tainted = mara.conversation().await;
    chat.app.taint(tainted.rsplit('/').next().unwrap().parse().unwrap()).await;
    mara.say(&tainted, "Where is the quokka?").await.rest().await;
    let weight = |stats: Value| stats["stats"]["weight"].clone();
    let tool = || mara.do_it("GET", "/api/tools/calculator", Value::Null);
    assert_eq!(weight(tool().await), 1.0);
    mara.turn("How heavy are my two parcels together?").await;
    // In turn: what comes later is learned later.
    let path = "/api/tools/calculator/learning";
    let own = until(&mara, ("GET", path, Value::Null), |learned| learned["needs"] != 0).await;
    assert_eq!((&own["needs"], &own["own"][0]["need"]), (&json!(1), &json!("How heavy are my two parcels together?")));
    assert_eq!(weight(tool().await), 1.3);
}

#[tokio::test]
async fn what_was_learned_is_forgotten_on_demand() {
    let chat = Chat::start(vec![call("calculator", json!({"expression": "2"})), say("2.")]).await;
    let mara = chat.person(&[]).await;
    mara.turn("What is two?").await;
    let path = "/api/tools/calculator/learning";
    until(&mara, ("GET", path, Value::Null), |learned| learned["needs"] == 1).await;
    assert_eq!(mara.ask("DELETE", path, Value::Null).await.0, 403);
    assert_eq!(chat.owner.ask("DELETE", path, Value::Null).await.0, 204);
    assert_eq!(mara.do_it("GET", path, Value::Null).await["needs"], 0);
}

#[tokio::test]
async fn the_cost_of_tools_adds_up_and_collisions_name_two_tools() {
    let chat = Chat::start(Vec::new()).await;
    let costs = chat.owner.do_it("GET", "/api/tools/costs", Value::Null).await;
    let tools = costs["tools"].as_array().unwrap();
    let sum: u64 = tools.iter().filter_map(|tool| tool["tokens"].as_u64()).sum();
    let sources: u64 = costs["sources"].as_array().unwrap().iter().filter_map(|one| one["tokens"].as_u64()).sum();
    assert_eq!([&costs["total"], &json!(sources)], [&json!(sum), &json!(sum)]);
    let one = chat.owner.do_it("GET", "/api/tools/calculator", Value::Null).await;
    let listed = tools.iter().find(|tool| tool["id"] == "builtin:calculator").unwrap();
    assert_eq!(one["tokens"], listed["tokens"]);
    found(&chat.owner, "add up some numbers").await;
    let nothing = json!({"query": "  "});
    assert_eq!(chat.owner.ask("POST", "/api/tools/find", nothing).await.0, 400);
    let nonsense = ("POST", "/api/tools/find", json!({"query": "asdkjh qwlekj zzzz"}));
    // Until everything is embedded, that is what the note says.
    let noted =
        until(&chat.owner, nonsense, |noted| noted["note"].as_str().unwrap().contains("Nothing fits well")).await;
    assert_eq!(noted["results"], json!([]), "what does not fit is not listed");
    let pairs = chat.owner.do_it("GET", "/api/tools/collisions", Value::Null).await;
    for pair in pairs.as_array().unwrap() {
        let builtin = |id: &Value| id.as_str().unwrap().starts_with("builtin:");
        assert!(!(builtin(&pair["tool"]) && builtin(&pair["other"])), "{pair}");
        assert!(pair["tool"] != pair["other"] && !pair["needs"].as_array().unwrap().is_empty(), "{pair}");
        assert!(pair["advice"].as_str().unwrap().contains("when-to-use"), "{pair}");
    }
}

#[tokio::test]
async fn ones_own_past_requests_are_a_set() {
    let chat = Chat::start(vec![call("calculator", json!({"expression": "2 * 3"})), say("6.")]).await;
    chat.owner.turn("multiply two by three").await;
    let tried = until(&chat.owner, ("POST", "/api/eval/tools", Value::Null), |trial| {
        trial["queries"] == 1 && trial["note"].is_null()
    })
    .await;
    assert_eq!(tried["set"], "requests");
    let place = tried["recall_10"].as_f64().unwrap();
    assert!(place == 1.0 || tried["lost"][0]["query"] == "multiply two by three", "{tried}");
}

#[tokio::test]
async fn a_set_is_evaluated_into_a_run_and_a_table() {
    let home = Home::empty();
    let dir = tempfile::tempdir().unwrap();
    let set = dir.path().join("sets/small");
    let tool = |id: &str, what: &str| json!({"id": id, "name": id, "description": what});
    let tools = [tool("getForecast", "Tells the weather of a place."), tool("send_mail", "Sends a message.")];
    jsonl::write(&set.join("tools.jsonl"), &tools).unwrap();
    let need = json!({"id": "q1", "query": "will it rain in Oslo", "relevant": ["getForecast"]});
    jsonl::write(&set.join("queries.jsonl"), &[need]).unwrap();
    let (sets, run) = (dir.path().join("sets"), dir.path().join("run"));
    let log = dir.path().join("log.jsonl");
    jsonl::write(&log, &[json!({"query": "is it sunny", "relevant": ["getForecast"]})]).unwrap();
    let [sets, run_to, log] = [&sets, &run, &log].map(|path| path.to_str().unwrap());
    let words = ["eval", "tools", sets, "--out", run_to, "--log", log];
    let told = home.run(&words).await;
    assert!(told.out.contains("nDCG@10") && told.out.contains("small"), "{told:?}");
    let line = jsonl::read::<Value>(&run.join("tools.small.jsonl")).unwrap().remove(0);
    assert_eq!([&line["id"], &line["ranked"]], [&json!("q1"), &json!(["getForecast", "send_mail"])]);
    assert!(line["ms"].as_f64().unwrap() > 0.0);
}

#[tokio::test]
async fn documents_are_evaluated_with_the_server_they_are_taken_into() {
    let home = Home::empty();
    let dir = tempfile::tempdir().unwrap();
    let set = dir.path().join("sets/small");
    let document = |id: &str, title: &str, text: &str| json!({"id": id, "title": title, "text": text});
    let documents = [
        document("d1", "Lighthouses", "A lighthouse warns ships of the rocks below it."),
        document("d2", "Bakeries", "A bakery makes bread before the sun rises."),
    ];
    jsonl::write(&set.join("docs.jsonl"), &documents).unwrap();
    let question = json!({"id": "q1", "query": "who makes bread", "relevant": ["d2"]});
    jsonl::write(&set.join("queries.jsonl"), &[question]).unwrap();
    let (sets, run) = (dir.path().join("sets"), dir.path().join("run"));
    let words = ["eval", "docs", sets.to_str().unwrap(), "--out", run.to_str().unwrap()];
    for _ in ["taken in", "asked again"] {
        let told = home.run(&words).await;
        assert!(told.code == 0 && told.out.contains("nDCG@10") && told.out.contains("small"), "{told:?}");
        let line = jsonl::read::<Value>(&run.join("docs.small.jsonl")).unwrap().remove(0);
        assert_eq!([&line["id"], &line["ranked"][0]], [&json!("q1"), &json!("d2")]);
    }
}
