//! Sends all of it to the real binary, and looks at it afterwards.

#![expect(clippy::print_stdout, reason = "says how much was sent")]

use std::net::SocketAddr;

use futures_util::{StreamExt, stream};
use rand::{SeedableRng, rngs::StdRng};
use serde_json::{Value, json};

use super::{
    document::{self, Operation},
    requests::{self, UNKNOWN, Wrong},
    values::NOBODY,
};
use crate::support::{
    http::{Answer, Request, send},
    program::Home,
};

/// The same requests in every run.
const SEED: u64 = 0x5A7C_4E11;
/// Requests at once.
const AT_ONCE: usize = 8;
/// Longest explanation of what is wrong.
const LONGEST: usize = 2_000;
/// Paths that ask a model. The one furnished here cannot be reached: 502 says that it is not us who failed.
const ASKING: &[&str] = &["/api/processes/propose"];
/// Tools that are switched off in a fresh installation say so with 503.
const OFF: &[&str] = &["exec", "bash", "shell-exec", "run_cli", "process"];
/// Nothing of a body is looked at here before its signature fits: a stranger is told that alone.
const SIGNED: &str = "/hooks/{token}";

struct Target {
    address: SocketAddr,
    token: String,
    /// Ids of things that exist, by the beginning of their paths.
    known: Vec<(&'static str, String)>,
}

impl Target {
    async fn send(&self, request: Request) -> Answer {
        send(self.address, &request.bearer(&self.token)).await
    }

    async fn make(&mut self, path: &'static str, body: Value) {
        let made = self.send(Request::post(path, &body)).await;
        assert_eq!(made.status, 201, "{path}: {}", made.text());
        let id = ["id", "name"].iter().find_map(|field| made.json()[field].as_str().map(str::to_owned));
        self.known.push((path, id.unwrap()));
    }

    /// Things of each kind, so that what is wrong lies in the request alone.
    async fn furnish(&mut self) {
        self.make("/api/conversations", json!({"title": "A talk"})).await;
        self.make("/api/memories", json!({"content": "Tea, not coffee.", "category": "preference"})).await;
        self.make("/api/roles", json!({"name": "auditor", "permissions": ["audit:read"]})).await;
        self.make("/api/users", json!({"username": "ada", "password": "a long password", "role": "auditor"})).await;
        self.make("/api/keys", json!({"name": "ci"})).await;
        let model = json!({"kind": "openai", "model": "m", "base_url": "http://127.0.0.1:1/v1"});
        self.make("/api/providers", model).await;
    }

    fn fill(&self, path: &str, parameter: &str) -> String {
        let made = self.known.iter().find(|(start, _)| path.starts_with(start));
        match (parameter, made) {
            ("{seq}", _) => "1".to_owned(),
            ("{name}", _) if path.starts_with("/api/tools") => "calculator".to_owned(),
            ("{id}" | "{name}", Some((_, id))) => id.clone(),
            _ => NOBODY.to_owned(),
        }
    }

    /// Returns what is wrong with the answer to a wrong request.
    async fn fault(&self, operation: &Operation, wrong: Wrong) -> Option<String> {
        let Wrong { what, request, refused } = wrong;
        let answer = self.send(request).await;
        let fault = judge(operation, &answer, refused.as_deref())?;
        let shown: String = answer.text().chars().take(300).collect();
        Some(format!("{} {}, {what}: {fault}: {} {shown}", operation.method, operation.path, answer.status))
    }
}

/// Returns whether a route refuses in the words of a protocol or a dialect.
fn has_own_errors(operation: &Operation) -> bool {
    operation.path == "/mcp" || operation.path.starts_with("/v1/")
}

fn judge(operation: &Operation, answer: &Answer, refused: Option<&str>) -> Option<String> {
    let off = OFF.iter().any(|tool| operation.path == format!("/api/tools/{tool}/invoke"));
    let unheard = ASKING.contains(&operation.path.as_str()) && answer.status == 502;
    if answer.status >= 500 && !(off && answer.status == 503) && !unheard {
        return Some("a failure of ours".to_owned());
    }
    // Programs of a dialect send parameters that only others know.
    let refused = refused.filter(|name| *name != UNKNOWN || !has_own_errors(operation));
    if answer.status < 400 {
        return refused.map(|_| "it was taken".to_owned());
    }
    let problem = match answer.header("content-type") {
        Some("application/problem+json") => answer.problem(),
        Some("application/json") if has_own_errors(operation) => {
            answer.json()["error"]["message"].as_str().unwrap_or_default().to_owned()
        }
        _ => return Some("no error as the document has it".to_owned()),
    };
    match refused {
        _ if problem.is_empty() => Some("nothing is said".to_owned()),
        _ if problem.len() > LONGEST => Some(format!("{} bytes are said", problem.len())),
        Some("params") if problem.contains("arguments") => None,
        _ if operation.path == SIGNED => None,
        Some(name) if !off && !problem.contains(name) => Some(format!("'{name}' is not named")),
        _ => None,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_that_is_sent_breaks_the_server() {
    let home = Home::new().await;
    let server = home.serve(&[]).await;
    let address = server.url.socket_addrs(|| None).unwrap()[0];
    let mut target = Target { address, token: home.token(), known: Vec::new() };
    target.furnish().await;
    let document = target.send(Request::get("/api/openapi.json")).await.json();
    let tools = target.send(Request::get("/api/tools")).await.json();
    let mut operations = document::operations(&document);
    operations.extend(document::calls(&tools));
    let mut random = StdRng::seed_from_u64(SEED);
    let mut all = Vec::new();
    for operation in &operations {
        let fill = |path: &str, parameter: &str| target.fill(path, parameter);
        all.extend(requests::of(operation, &fill, &mut random).into_iter().map(|wrong| (operation, wrong)));
    }
    let count = all.len();
    let faults = stream::iter(all).map(|(operation, wrong)| target.fault(operation, wrong)).buffer_unordered(AT_ONCE);
    let faults: Vec<String> = faults.filter_map(|fault| async { fault }).collect().await;
    println!("{count} requests to {} operations", operations.len());
    assert_eq!(target.send(Request::get("/healthz")).await.status, 200);
    let verified = target.send(Request::new("POST", "/api/audit/verify")).await.json();
    assert_eq!(verified["ok"], true, "{verified}");
    let told = server.stop().await;
    let logged: Vec<&str> =
        told.err.lines().filter(|line| line.contains("panicked") || line.contains("ERROR")).collect();
    assert!(faults.is_empty(), "{} of {count}:\n{}", faults.len(), faults.join("\n"));
    assert_eq!((told.code, logged), (0, Vec::new()));
    assert!(count > 1_000, "{count}");
}
