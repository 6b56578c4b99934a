//! Every example of every tool and alias runs and gives what it promises; and the rules of the list of tools.

use std::collections::HashSet;

use satchel::{
    model::{
        spec::{Example, Risk, Source},
        wire,
    },
    services::skills::intake::{Sent, take_sent},
    store::agents::Agents,
};
use serde_json::{Value, json};

use crate::support::{
    app::TestApp,
    chat::Chat,
    fake_llm::{FakeLlm, say},
    remote::systems::for_examples,
    site::{Site, page},
};

/// Returns whether `actual` holds everything `wanted` names; fields that are not named may hold anything.
fn holds(actual: &Value, wanted: &Value) -> bool {
    match (actual, wanted) {
        (Value::Object(actual), Value::Object(wanted)) => {
            wanted.iter().all(|(key, value)| actual.get(key).is_some_and(|a| holds(a, value)))
        }
        (Value::Array(actual), Value::Array(wanted)) => {
            actual.len() == wanted.len() && actual.iter().zip(wanted).all(|(a, w)| holds(a, w))
        }
        (actual, wanted) => actual == wanted,
    }
}

/// The site where examples fetch and search; the site they name is this one.
const SITE: &str = "https://example.org";

/// The outside that examples need: two pages, and a search instance.
async fn outside(app: &TestApp) -> Site {
    let site = Site::new(app).await;
    let found = json!({"results": [
        {"title": "Herons", "url": "https://birds.example/heron", "content": "They wait."},
        {"title": "Egrets", "url": "https://birds.example/egret", "content": "They wait, too."},
        {"title": "Storks", "url": "https://birds.example/stork", "content": "They clatter."},
    ]});
    site.put("/herons", [page("text/html", "<title>Herons</title><p>They wait.")])
        .put("/notes.txt", [page("text/plain", "Tea, milk")])
        .put("/search", [page("application/json", found.to_string())]);
    let registry = app.satchel.invoker.registry();
    let settings = registry.find("web_search").unwrap().tool.spec().settings.clone();
    let values = json!({"base_url": site.url("")}).as_object().unwrap().clone();
    app.satchel.app.stores.tool_config.set(&app.owner().await, "web_search", &settings, values).await.unwrap();
    site
}

/// Takes in the skill that examples read.
async fn keep_skill(app: &TestApp) {
    let text =
        "---\nname: invoice-check\ndescription: Checks invoices.\nallowed-tools: read calculator\n---\nAdd it up.";
    let sent = Sent {
        paths: vec!["invoice-check/SKILL.md".to_owned(), "invoice-check/references/rates.md".to_owned()],
        contents: vec![text.into(), "VAT: 19 %".into()],
    };
    take_sent(&app.satchel.app, &app.owner().await, sent, false).await.unwrap();
}

/// The same arguments, at the test's own site.
fn here(arguments: &Value, site: &Site) -> Value {
    serde_json::from_str(&arguments.to_string().replace(SITE, site.url("").as_str())).unwrap()
}

/// A server for the examples of one tool, with the outside they need.
struct Stage {
    app: TestApp,
    site: Site,
    /// Says what examples say that it does.
    _model: Option<FakeLlm>,
}

/// The key of a session in examples: the one that the call before has begun.
const SESSION: &str = "agent:assistant:sub:01931c6e-8a52-7c8e-b8f1-0d6f3f2a9c11";

impl Stage {
    async fn new(tool: &str) -> Self {
        let says = |text: &str| vec![say(text); 3];
        let (app, _model) = match tool {
            "llm_transform" | "image" | "tts" => {
                let words = if tool == "image" { "A heron." } else { "Herons." };
                let chat = Chat::start(says(words)).await;
                chat.with_media().await;
                (chat.app, Some(chat.llm))
            }
            "skill" => (Chat::start(Vec::new()).await.app, None),
            _ if tool.starts_with("session") || tool == "specialists_infer" => {
                let Chat { app, llm, .. } = Chat::start(says("6 * 7 is 42.")).await;
                let draft = json!({"name": "reviewer", "tools": false, "shared_with": ["*"]});
                let draft = serde_json::from_value(draft).unwrap();
                Agents::new(&app.satchel.app.db).create(&app.owner().await, draft).await.unwrap();
                (app, Some(llm))
            }
            _ => (TestApp::start().await, None),
        };
        let site = outside(&app).await;
        if tool == "skill" {
            keep_skill(&app).await;
        }
        app.set(json!({"exec": {"mode": "sandboxed"}})).await;
        if tool.starts_with("call_") {
            for_examples(&app).await;
        }
        Self { app, site, _model }
    }

    /// Runs one for a person of its own, whose data is empty.
    async fn run(&self, name: &str, example: &Example) {
        let caller = self.app.caller(&["*"]).await;
        let mut arguments = here(&example.arguments, &self.site);
        for (tool, given) in &example.before {
            let before = self.app.data(&caller, tool, given.clone()).await;
            assert!(before.is_ok(), "{name}, '{}': before it, {tool} failed: {before:?}", example.title);
            if let Some(key) = before.unwrap()["session_key"].as_str() {
                arguments = serde_json::from_str(&arguments.to_string().replace(SESSION, key)).unwrap();
            }
        }
        let data = self
            .app
            .data(&caller, name, arguments)
            .await
            .unwrap_or_else(|e| panic!("{name}, '{}': {e:?}", example.title));
        assert!(holds(&data, &example.result), "{name}, '{}': got {data}, wanted {}", example.title, example.result);
        let found = self.app.satchel.invoker.registry().find(name).unwrap();
        // An alias may give another shape.
        let gives = if found.alias().is_none() { found.tool.gives() } else { &[] };
        for (field, kind) in gives {
            let schema = json!({"type": "object", "properties": {*field: {"type": kind}}, "required": [field]});
            assert!(jsonschema::is_valid(&schema, &data), "{name}, '{}': no {kind} '{field}' in {data}", example.title);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_example_gives_what_it_promises() {
    let app = TestApp::start().await;
    let registry = app.satchel.invoker.registry();
    // Scripts are tried with what was recorded for them, in their own tests.
    for tool in registry.tools().iter().filter(|tool| tool.spec().source == Source::Builtin) {
        assert!(!tool.spec().examples.is_empty(), "{} has no example", tool.spec());
        let stage = Stage::new(&tool.spec().name).await;
        for example in &tool.spec().examples {
            stage.run(&tool.spec().name, example).await;
        }
        for alias in tool.aliases() {
            assert!(alias.schema().is_none() || !alias.examples().is_empty(), "{} has no example", alias.name());
            for example in alias.examples() {
                stage.run(alias.name(), example).await;
            }
        }
    }
}

#[tokio::test]
async fn every_tool_that_changes_more_than_its_callers_own_data_needs_a_permission() {
    let app = TestApp::start().await;
    for tool in app.satchel.invoker.registry().tools() {
        let spec = tool.spec();
        let free = spec.risk == Risk::Read || spec.own_data;
        assert!(free || spec.permission.is_some(), "{spec} changes things and asks for no permission");
    }
}

#[tokio::test]
async fn only_these_change_what_is_their_callers_own() {
    let app = TestApp::start().await;
    let registry = app.satchel.invoker.registry();
    let own = registry.tools().iter().filter(|tool| tool.spec().own_data).map(|tool| tool.spec().name.to_string());
    let mut own: Vec<String> = own.collect();
    own.sort();
    assert_eq!(
        own,
        ["clipboard_write", "image", "list", "llm_transform", "save_memory", "tts"],
        "what asks for no permission is said here as well"
    );
}

#[tokio::test]
async fn every_parameter_is_described_and_unknown_ones_are_refused() {
    let app = TestApp::start().await;
    for tool in app.satchel.invoker.registry().tools() {
        let schemas = tool.aliases().iter().filter_map(|a| a.schema()).chain([tool.schema()]);
        for document in schemas.map(|s| s.document()) {
            assert_eq!(document["additionalProperties"], json!(false), "{}: {document}", tool.spec());
            for (name, property) in document["properties"].as_object().unwrap() {
                assert!(property["description"].is_string(), "{}: '{name}' has no description", tool.spec());
            }
        }
    }
}

#[tokio::test]
async fn wire_names_are_lawful_and_distinct() {
    let app = TestApp::start().await;
    let names: Vec<String> =
        app.satchel.invoker.registry().tools().iter().map(|tool| wire::name(&tool.spec().id())).collect();
    assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len());
    for name in names {
        assert!(name.len() <= 64 && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c)), "{name}");
    }
}
