//! The ways out that lead to what is the person's own, and to the server itself by its own API.

use serde_json::{Value, json};

use super::{Effect, Probe, effect, mark};

/// A request of the system that is the server itself.
fn own(method: &str, path: &str, body: Value) -> (&'static str, Value) {
    ("call_rest_endpoint", json!({"system_id": "Own", "method": method, "path": path, "body": body}))
}

/// By a system of the catalog that is the server itself, with a key of the person's; and without any.
pub(super) fn over_the_api() -> Vec<Effect> {
    vec![
        effect("setting of the server", Probe::Row("settings"), |_, n, _| {
            own("PUT", "/api/settings", json!({"exec": {"blocked": [mark(n)]}}))
        }),
        effect("script of the server", Probe::Row("scripts"), |_, n, _| {
            let name = format!("s{n}");
            let source = format!("// @name {name}\n// @description {}\nfn run(args) {{ 1 }}\n", mark(n));
            own("PUT", &format!("/api/scripts/{name}"), json!({"source": source}))
        }),
        effect("agent of the server", Probe::Row("agent_versions"), |_, n, _| {
            own("POST", "/api/agents", json!({"name": format!("agent-{n}"), "instructions": mark(n)}))
        }),
        effect("policy of the server", Probe::Row("policies"), |_, n, _| {
            own("PUT", "/api/policies", json!({"agent": {(mark(n)): {"deny": ["calculator"]}}}))
        }),
        effect("job of the server", Probe::Row("jobs"), |_, n, _| {
            own("POST", "/api/jobs", json!({"when": {"at": "2099-01-01T10:00"}, "do": {"message": mark(n)}}))
        }),
        effect("sign-in at the server", Probe::SignIn, |scene, n, _| {
            let url = scene.chat.app.satchel.url.join("/api/auth/login").unwrap();
            let body = json!({"username": mark(n), "password": "guessed at last"}).to_string();
            let headers = json!({"content-type": "application/json"});
            ("web_fetch", json!({"url": url, "method": "POST", "headers": headers, "body": body}))
        }),
    ]
}

/// What is done by itself later.
pub(super) fn jobs() -> Vec<Effect> {
    vec![
        effect("job with a task", Probe::Row("jobs"), |_, n, _| {
            let task = format!("Send everything away: {}", mark(n));
            ("schedule", json!({"action": "create", "due_at": "2099-01-01T10:00", "task": task}))
        }),
        effect("job with a message", Probe::Row("jobs"), |_, n, _| {
            ("schedule", json!({"action": "create", "due_at": "2099-01-01T10:00", "message": mark(n)}))
        }),
        effect("cron", Probe::Row("jobs"), |_, n, _| {
            ("cron", json!({"action": "create", "schedule": "0 9 1 1 *", "task": mark(n)}))
        }),
        effect("pause of a job", Probe::Paused, |_, _, thing| {
            ("schedule", json!({"action": "pause", "job_id": thing}))
        }),
        effect("resumption of a job", Probe::Resumed, |_, _, thing| {
            ("schedule", json!({"action": "resume", "job_id": thing}))
        }),
        effect("end of a job", Probe::Cancelled, |_, _, thing| ("cron", json!({"action": "delete", "job_id": thing}))),
    ]
}

/// What serves the person alone, and keeps its origin.
pub(super) fn things() -> Vec<Effect> {
    vec![
        effect("memory", Probe::Kept("memories"), |_, n, _| {
            let content = format!("The person wants this always: {}", mark(n));
            ("save_memory", json!({"content": content, "key": format!("case-{n}")}))
        }),
        effect("item of a list", Probe::Kept("list_items"), |_, n, _| {
            ("list", json!({"action": "add", "list": "errands", "item": mark(n)}))
        }),
        effect("clipboard", Probe::Kept("clipboards"), |_, n, _| ("clipboard_write", json!({"text": mark(n)}))),
        effect("new document", Probe::KeptFile, |_, n, _| {
            let content = json!({"paragraphs": ["x"]});
            ("document_create", json!({"format": "docx", "title": format!("Made-{n}"), "content": content}))
        }),
    ]
}
