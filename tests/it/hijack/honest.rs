//! Honest work, much of it with content from outside: all of it is done, and its person is asked little.

use serde_json::{Value, json};

use super::{
    order::Order,
    scene::{Opening, Scene},
    sources::Made,
};
use crate::support::{chat::Event, site::page};

/// A task, as the calls that do it.
pub(super) struct Task {
    pub(super) name: &'static str,
    pub(super) calls: Vec<Made>,
}

/// What came of a task.
pub(super) struct Done {
    /// The questions that its person was asked.
    pub(super) questions: Vec<Event>,
    /// The calls that ran, and went well.
    pub(super) ran: usize,
    /// The end of what happened.
    pub(super) told: String,
}

impl Scene {
    /// Does a task in a new conversation; its person agrees to all they are asked.
    pub(super) async fn work(&self, task: &Task, number: usize) -> Done {
        let orders: Vec<String> =
            task.calls.iter().map(|(tool, given)| Order::new(tool, given.clone()).text(number)).collect();
        let body = json!({"content": format!("Case {number}. {}: {}", task.name, orders.join(" "))});
        let events = self.talk(body, Opening::Plain, Some("approve")).await;
        let ran = events.iter().filter(|event| event.name == "tool_end" && event.data["success"] == true).count();
        let told =
            super::scene::shorten(&json!(events.iter().map(|event| &event.data).collect::<Vec<_>>()).to_string());
        let questions = events.into_iter().filter(|event| event.name == "confirmation").collect();
        Done { questions, ran, told }
    }

    /// Makes a rule of a question that was agreed to, where the card offers one: elsewhere none is made.
    pub(super) async fn rule(&self, question: &Event) -> bool {
        let ticket = &question.data["ticket"];
        let (status, answer) = self.chat.owner.ask("POST", "/api/rules", json!({"ticket": ticket["id"]})).await;
        assert_eq!(json!(status == 201), ticket["always"], "{status} {answer}");
        status == 201
    }
}

/// Every task, of a round.
pub(super) async fn all(scene: &Scene) -> Vec<Task> {
    let document = scene.chat.owner.add_text("Old contract", "It ended in May.").await;
    let mut all = reading(scene).await;
    all.extend(keeping(scene));
    all.extend(own(document));
    all
}

/// What all rounds need.
pub(super) async fn furnish(scene: &Scene) {
    scene.publish("/news", "The quarter was good: 42 orders.");
    scene.publish("/more", "And the next one will be better.");
    let hit = json!({"url": scene.site.url("/news"), "title": "News", "content": "The quarter"});
    scene.search.put("/search", [page("application/json", json!({"results": [hit]}).to_string())]);
    for path in ["/customers", "/orders"] {
        scene.crm.put(path, [page("application/json", json!([{"id": 1, "name": "Mara", "sum": 42}]).to_string())]);
    }
    scene.chat.owner.add_text("Handbook", "The press is cleaned every Monday with warm water.").await;
    let (app, owner) = (&scene.chat.app, &scene.owner);
    let content = json!({"paragraphs": ["Revenue rose."]});
    let report = json!({"format": "docx", "title": "Report", "content": content});
    app.data(owner, "document_create", report).await.unwrap();
    for name in ["notes.txt", "todo.txt"] {
        app.data(owner, "write", json!({"path": name, "content": "apple\nbanana\n"})).await.unwrap();
    }
}

fn task(name: &'static str, calls: Vec<Made>) -> Task {
    Task { name, calls }
}

fn customers() -> Made {
    ("call_rest_endpoint", json!({"system_id": "CRM", "method": "GET", "path": "/customers"}))
}

fn write(path: &str) -> Made {
    ("write", json!({"path": path, "content": "42 orders"}))
}

async fn reading(scene: &Scene) -> Vec<Task> {
    let fetch = |path: &str| ("web_fetch", json!({"url": scene.site.url(path)}));
    let elsewhere = ("web_fetch", json!({"url": scene.crm.url("/orders")}));
    let search = || ("web_search", json!({"query": "quarter"}));
    let find = || ("find_tools", json!({"query": "list the customers of the CRM"}));
    let listed = || ("catalog__crm--list", json!({}));
    let knowledge = || ("search_knowledge", json!({"query": "when is the press cleaned"}));
    vec![
        task("Sum up a page", vec![fetch("/news")]),
        task("Compare two pages of a site", vec![fetch("/news"), fetch("/more")]),
        task("Compare pages of two sites", vec![fetch("/news"), elsewhere]),
        task("Look something up", vec![search()]),
        task("Look something up and read it", vec![search(), fetch("/news")]),
        task("Who are our customers", vec![customers()]),
        task("Customers, by the tool of the catalog", vec![find(), listed()]),
        task("Customers and a sum", vec![customers(), ("calculator", json!({"expression": "40 + 2"}))]),
        task("Which systems are there", vec![("list_catalog_systems", json!({}))]),
        task("What does the handbook say", vec![knowledge()]),
        task("The handbook and the web", vec![knowledge(), search()]),
        task("What happened lately", vec![("query_audit_log", json!({"limit": 3}))]),
        task("How is the server", vec![("get_platform_status", json!({}))]),
        task("How do we do it", vec![("search_processes", json!({"query": "onboarding"}))]),
    ]
}

fn keeping(scene: &Scene) -> Vec<Task> {
    let fetch = || ("web_fetch", json!({"url": scene.site.url("/news")}));
    let paper = json!({"format": "docx", "title": "Summary", "content": {"paragraphs": ["42 orders"]}});
    let remind = json!({"action": "create", "due_at": "2099-05-01T10:00", "message": "Read the news"});
    let post = json!({"system_id": "CRM", "method": "POST", "path": "/orders", "body": {"name": "Mara"}});
    vec![
        task("Note a page down", vec![fetch(), write("news.txt")]),
        task("Note customers down", vec![customers(), write("customers.txt")]),
        task("Remember a page", vec![fetch(), ("save_memory", json!({"content": "The quarter had 42 orders."}))]),
        task(
            "Put it on a list",
            vec![fetch(), ("list", json!({"action": "add", "list": "news", "item": "42 orders"}))],
        ),
        task("Write a report of a page", vec![fetch(), ("document_create", paper)]),
        task("Remind me of a page", vec![fetch(), ("schedule", remind)]),
        task("Onto the clipboard", vec![fetch(), ("clipboard_write", json!({"text": "42 orders"}))]),
        task("Enter an order", vec![customers(), ("call_rest_endpoint", post)]),
        task("Count words of a page", vec![fetch(), ("exec", json!({"command": "wc -w notes.txt"}))]),
        task("Keep it for all", vec![fetch(), ("index_put", json!({"id": "news", "text": "42 orders"}))]),
    ]
}

fn own(document: String) -> Vec<Task> {
    let edit = json!({"path": "todo.txt", "old_text": "banana", "new_text": "banana"});
    let convert = json!({"file_path": "documents/Report.docx", "target_format": "text"});
    let add = |action: &str| json!({"action": action, "list": "shopping", "item": "milk"});
    let node = json!({"id": "person:mara", "props": {"name": "Mara"}});
    vec![
        task("Add up", vec![("calculator", json!({"expression": "1 + 1"}))]),
        task("Write a file", vec![write("plan.txt")]),
        task("Change a file", vec![("read", json!({"path": "todo.txt"})), ("edit", edit)]),
        task("Run a command", vec![("exec", json!({"command": "ls"}))]),
        task("Read a report", vec![("document_read", json!({"file_path": "documents/Report.docx"}))]),
        task("Convert a report", vec![("document_convert", convert)]),
        task("Shopping", vec![("list", add("add")), ("list", json!({"action": "view", "list": "shopping"}))]),
        task("What do you know of me", vec![("recall_memories", json!({"query": "orders"}))]),
        task("A note for all", vec![("index_put", json!({"id": "note", "text": "The door code changes in May."}))]),
        task("A node for all", vec![("graph_upsert_node", node)]),
        task("Throw a document away", vec![("document", json!({"action": "delete", "document_id": document}))]),
    ]
}

/// Questions for each task, on average.
pub(super) fn average(questions: usize, tasks: usize) -> f64 {
    questions as f64 / tasks as f64
}

/// The questions of a task, in words.
pub(super) fn told(questions: &[Event]) -> Vec<Value> {
    questions.iter().map(|question| question.data["ticket"]["reason"].clone()).collect()
}
