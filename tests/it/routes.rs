//! Every route, asked as everybody who could ask, with every kind of credential.

mod said;

use std::{collections::BTreeSet, time::Duration};

use satchel::{
    doors::http::{
        route::{Guard, Route},
        routes,
    },
    model::caller::Permissions,
};
use serde_json::json;

use crate::support::http::{Request, TestServer};

const NOBODY: &str = "00000000-0000-7000-8000-000000000000";

/// The credential somebody shows.
#[derive(Debug, Clone)]
enum Shows {
    Nothing,
    Cookie(String),
    Bearer(String),
    Both { bearer: String, cookie: String },
}

/// Somebody who asks.
#[derive(Debug, Clone)]
struct Asker {
    name: &'static str,
    shows: Shows,
    /// The permissions they have; `None` if their credential is no good.
    may: Option<Permissions>,
    is_person: bool,
    /// `true` if what belongs to the person is open to it.
    is_personal: bool,
}

impl Asker {
    fn good(name: &'static str, shows: Shows, permissions: &[&str]) -> Self {
        let is_person = matches!(shows, Shows::Cookie(_));
        Self { name, shows, may: Some(Permissions::parse(permissions).unwrap()), is_person, is_personal: true }
    }

    fn impersonal(name: &'static str, key: String, permissions: &[&str]) -> Self {
        Self { is_personal: false, ..Self::good(name, Shows::Bearer(key), permissions) }
    }

    fn bad(name: &'static str, shows: Shows) -> Self {
        Self { name, shows, may: None, is_person: false, is_personal: false }
    }

    fn request(&self, route: &Route) -> Request {
        let path = route.path.split('/').map(|part| match part {
            "{id}" | "{message_id}" => NOBODY,
            "{seq}" | "{number}" => "999999999",
            part if part.starts_with('{') => "nothing",
            part => part,
        });
        let request = Request::new(route.method.as_str(), &path.collect::<Vec<_>>().join("/"));
        let request =
            if matches!(route.method.as_str(), "GET" | "DELETE") { request } else { request.json(&json!({})) };
        match &self.shows {
            Shows::Nothing => request,
            Shows::Cookie(session) => request.cookie(session),
            Shows::Bearer(key) => request.bearer(key),
            Shows::Both { bearer, cookie } => request.bearer(bearer).cookie(cookie),
        }
    }

    /// The statuses the guard promises.
    fn expects(&self, route: &Route, status: u16) -> bool {
        let let_in = status != 401 && status != 403 && status < 500;
        match (route.guard, &self.may) {
            // What they show is not looked at.
            (Guard::Public, _) => status < 500 && !(status == 401 && route.path != "/api/auth/login"),
            (Guard::Machine, None) if matches!(self.shows, Shows::Nothing) => status == 200,
            (_, None) => status == 401,
            (_, Some(_)) if route.personal && !self.is_personal => status == 403,
            (Guard::Program, Some(_)) if self.is_person => status == 401,
            (Guard::Machine | Guard::SignedIn | Guard::Program, Some(_)) => let_in,
            (Guard::Person, Some(_)) if self.is_person => let_in,
            (Guard::Person, Some(_)) => status == 403,
            (Guard::Permission(permission), Some(may)) if may.grants(permission) => let_in,
            (Guard::PersonWith(permission), Some(may)) if self.is_person && may.grants(permission) => let_in,
            (Guard::Permission(_) | Guard::PersonWith(_), Some(_)) => status == 403,
        }
    }
}

const OPERATOR: &[&str] = &[
    "knowledge:read",
    "catalog:read",
    "catalog:write",
    "audit:read",
    "processes:read",
    "index:read",
    "index:write",
    "jobs:manage",
    "agents:run",
    "channel:send",
];
const VIEWER: &[&str] = &["knowledge:read", "catalog:read", "processes:read", "index:read"];

/// Everybody whose credential is good.
async fn welcome(server: &TestServer) -> Vec<Asker> {
    for (name, role) in [("vera", "viewer"), ("victor", "viewer"), ("otto", "operator"), ("clerk", "clerks")] {
        if role == "clerks" {
            let body = json!({"name": role, "permissions": ["users:manage", "settings:manage"]});
            server.owner("POST", "/api/roles", &body).await;
        }
        server.add(name, role).await;
    }
    let (owner, otto) = (server.sign_in("owner").await, server.sign_in("otto").await);
    vec![
        Asker::good("a viewer", Shows::Cookie(server.sign_in("vera").await), VIEWER),
        Asker::good("another viewer", Shows::Cookie(server.sign_in("victor").await), VIEWER),
        Asker::good("a viewer's key", Shows::Bearer(server.key(&server.sign_in("vera").await, None).await), VIEWER),
        Asker::good("an operator", Shows::Cookie(otto.clone()), OPERATOR),
        Asker::good("an operator's full key", Shows::Bearer(server.key(&otto, None).await), OPERATOR),
        Asker::impersonal("an operator's narrow key", server.key(&otto, Some(&["index:read"])).await, &["index:read"]),
        Asker::good("a clerk", Shows::Cookie(server.sign_in("clerk").await), &["users:manage", "settings:manage"]),
        Asker::good("an administrator", Shows::Cookie(owner.clone()), &["*"]),
        Asker::good("an administrator's full key", Shows::Bearer(server.key(&owner, None).await), &["*"]),
        Asker::impersonal(
            "an administrator's narrow key",
            server.key(&owner, Some(&["audit:read"])).await,
            &["audit:read"],
        ),
        Asker::impersonal("an administrator's key for everything", server.key(&owner, Some(&["*"])).await, &["*"]),
        Asker::impersonal("an administrator's empty key", server.key(&owner, Some(&[])).await, &[]),
    ]
}

/// Everybody whose credential is no good.
async fn unwelcome(server: &TestServer) -> Vec<Asker> {
    let people = &server.app.satchel.app.stores.people;
    let id = server.add("gone", "administrator").await;
    let gone = server.sign_in("gone").await;
    let of_disabled = server.key(&gone, None).await;
    server.owner("PATCH", &format!("/api/users/{id}"), &json!({"disabled": true})).await;
    let owner = server.sign_in("owner").await;
    let (revoked, live) = (server.key(&owner, None).await, server.key(&owner, None).await);
    let by = server.app.owner().await;
    let keys = people.keys(by.caller.user).await.unwrap();
    people.revoke_key(&by, keys[1].id).await.unwrap();
    let ended = server.sign_in("owner").await;
    assert_eq!(server.send(Request::new("POST", "/api/auth/logout").cookie(&ended)).await.status, 204);
    vec![
        Asker::bad("nobody", Shows::Nothing),
        Asker::bad("a disabled user", Shows::Cookie(gone)),
        Asker::bad("a disabled user's key", Shows::Bearer(of_disabled)),
        Asker::bad("a revoked key", Shows::Bearer(revoked)),
        Asker::bad("an ended session", Shows::Cookie(ended)),
        Asker::bad("a key in the cookie", Shows::Cookie(live)),
        Asker::bad("a session as bearer", Shows::Bearer(owner.clone())),
        Asker::bad(
            "a wrong key beside a good session",
            Shows::Both { bearer: "sk_satchel_x".to_owned(), cookie: owner },
        ),
        Asker::bad("an empty bearer", Shows::Bearer(String::new())),
        Asker::bad("an empty cookie", Shows::Cookie(String::new())),
    ]
}

#[test]
fn each_route_to_what_belongs_to_a_person_is_declared_so() {
    let all = routes::all();
    let declared: BTreeSet<String> =
        all.iter().filter(|route| route.personal).map(|route| format!("{} {}", route.method, route.path)).collect();
    let wanted = [
        "GET /api/sessions",
        "DELETE /api/sessions/{id}",
        "POST /api/eval/tools",
        "GET /api/tools/{name}/history",
        "GET /api/rules",
        "POST /api/rules",
        "DELETE /api/rules/{id}",
        "GET /api/tickets",
        "GET /api/tickets/decided",
        "GET /api/usage",
        "GET /api/usage/budgets",
        "GET /api/tickets/{id}",
        "POST /api/tickets/{id}",
        "GET /api/conversations",
        "POST /api/conversations",
        "GET /api/conversations/{id}",
        "PATCH /api/conversations/{id}",
        "DELETE /api/conversations/{id}",
        "POST /api/conversations/{id}/messages",
        "GET /api/conversations/{id}/events",
        "POST /api/conversations/{id}/stop",
        "POST /api/conversations/{id}/branch",
        "GET /api/conversations/{id}/branches",
        "POST /api/conversations/{id}/regenerate",
        "GET /api/conversations/{id}/messages/{message_id}/former/{number}",
        "GET /api/conversations/{id}/export",
        "GET /api/conversations/{id}/queue",
        "PATCH /api/conversations/{id}/queue/{message_id}",
        "DELETE /api/conversations/{id}/queue/{message_id}",
        "POST /api/conversations/{id}/queue/{message_id}/send",
        "POST /api/agents",
        "PUT /api/agents/{id}",
        "DELETE /api/agents/{id}",
        "GET /api/runs",
        "GET /api/runs/{id}",
        "POST /api/runs/{id}/stop",
        "GET /api/jobs",
        "POST /api/jobs",
        "GET /api/jobs/{id}",
        "PUT /api/jobs/{id}",
        "DELETE /api/jobs/{id}",
        "POST /api/jobs/{id}/run",
        "POST /api/jobs/{id}/pause",
        "POST /api/jobs/{id}/resume",
        "GET /api/jobs/{id}/runs",
        "GET /api/notices",
        "DELETE /api/notices/{id}",
        "POST /api/search/used",
        "GET /api/memories",
        "POST /api/media/transcriptions",
        "POST /api/memories",
        "GET /api/memories/export",
        "PATCH /api/memories/{id}",
        "DELETE /api/memories/{id}",
        "POST /api/files",
        "GET /api/files/content",
        "GET /api/files/origins",
        "POST /api/files/vouch",
        "POST /api/files/trees/{id}/vouch",
        "GET /v1/responses/{id}",
        "DELETE /v1/responses/{id}",
        "POST /v1/responses/{id}/cancel",
        "GET /v1/responses/{id}/input_items",
    ];
    assert_eq!(declared, wanted.map(str::to_owned).into());
    // Whatever lies below these, or is the caller's own, is declared: a route that is added is asked about here.
    let below = ["conversations", "memories", "tickets", "files", "sessions", "rules", "runs"];
    for route in all.iter().filter(|route| !route.personal) {
        for place in below.map(|noun| format!("/api/{noun}")) {
            assert!(!route.path.starts_with(&place), "{} {} is not declared personal", route.method, route.path);
        }
    }
}

/// All rows of all tables, but for the audit, the node, which says by itself that it is alive, and the times of last use.
async fn rows(server: &TestServer) -> Vec<String> {
    let path = server.app.dir.path().join("satchel.db");
    let read = move || -> rusqlite::Result<Vec<String>> {
        let c = rusqlite::Connection::open(path)?;
        let tables: Vec<String> = c
            .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'audit%' AND name <> 'nodes' AND sql NOT LIKE '%VIRTUAL%'")?
            .query_map([], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        let mut all = Vec::new();
        for table in tables {
            let mut statement = c.prepare(&format!("SELECT * FROM {table}"))?;
            let names: Vec<String> = statement.column_names().into_iter().map(str::to_owned).collect();
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let shown = |(at, name): (usize, &String)| match name.starts_with("last_") {
                    true => String::new(),
                    false => format!("{name}={:?}", row.get_ref(at)),
                };
                all.push(format!("{table}: {}", names.iter().enumerate().map(shown).collect::<Vec<_>>().join(" ")));
            }
        }
        Ok(all)
    };
    tokio::task::spawn_blocking(read).await.unwrap().unwrap()
}

/// Audit rows so far, and how many of them are refusals.
async fn audited(server: &TestServer) -> (i64, i64) {
    let read = server.app.satchel.app.db.read(|tx| {
        let refused = "SELECT count(*) FROM audit WHERE outcome = 'refused'";
        Ok((tx.one("SELECT count(*) FROM audit", ())?, tx.one(refused, ())?))
    });
    read.await.unwrap()
}

/// Asks every route and says where the answer is not what its guard promises.
async fn walk(server: &TestServer, asker: &Asker) -> Vec<String> {
    let mut wrong = Vec::new();
    for route in &routes::all() {
        let status = server.status(&asker.request(route)).await;
        if !asker.expects(route, status) {
            wrong.push(format!("{} {} as {}: {status}", route.method, route.path, asker.name));
        }
    }
    wrong
}

#[tokio::test(flavor = "multi_thread")]
async fn everybody_reaches_what_his_permissions_open_and_nothing_else() {
    let server = TestServer::start().await;
    let (routes, mut wrong) = (routes::all(), Vec::new());
    for mut asker in welcome(&server).await {
        // Rotating and logging out change what the next routes need.
        for route in routes.iter().filter(|route| route.path != "/api/auth/logout") {
            let status = server.status(&asker.request(route)).await;
            if !asker.expects(route, status) {
                wrong.push(format!("{} {} as {}: {status}", route.method, route.path, asker.name));
            }
        }
        if asker.is_person {
            let logout = routes.iter().find(|route| route.path == "/api/auth/logout").unwrap();
            assert_eq!(server.status(&asker.request(logout)).await, 204, "{}", asker.name);
            (asker.may, asker.is_person) = (None, false);
            wrong.extend(walk(&server, &asker).await);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_credential_that_is_no_good_opens_nothing_and_changes_nothing() {
    let server = TestServer::start().await;
    let askers = unwelcome(&server).await;
    let (before, audit) = (rows(&server).await, audited(&server).await);
    let mut wrong = Vec::new();
    for asker in &askers {
        wrong.extend(walk(&server, asker).await);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(rows(&server).await, before);
    assert_eq!(audited(&server).await, audit);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_forbidden_changes_nothing_and_leaves_a_refusal_in_the_audit() {
    let server = TestServer::start().await;
    server.add("vera", "viewer").await;
    let cookie = server.sign_in("vera").await;
    let asker = Asker::good("a viewer", Shows::Cookie(cookie), VIEWER);
    let (before, (all, refused)) = (rows(&server).await, audited(&server).await);
    let forbidden =
        |route: &&Route| matches!(route.guard, Guard::Permission(p) | Guard::PersonWith(p) if !VIEWER.contains(&p));
    let mut changing = 0;
    for route in routes::all().iter().filter(forbidden) {
        assert_eq!(server.status(&asker.request(route)).await, 403, "{} {}", route.method, route.path);
        changing += i64::from(route.method != "GET");
    }
    assert!(changing > 5);
    assert_eq!(rows(&server).await, before);
    assert_eq!(audited(&server).await, (all + changing, refused + changing));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_expired_session_opens_nothing() {
    let server = TestServer::start().await;
    let owner = server.sign_in("owner").await;
    assert_eq!(server.status(&Request::get("/api/users").cookie(&owner)).await, 200);
    server.app.satchel.app.clock.advance(Duration::from_secs(7 * 24 * 3600 + 1));
    let asker = Asker::bad("an expired session", Shows::Cookie(owner));
    assert_eq!(walk(&server, &asker).await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_another_site_can_change_nothing_even_with_the_cookie() {
    let server = TestServer::start().await;
    let owner = server.sign_in("owner").await;
    let (before, audit) = (rows(&server).await, audited(&server).await);
    let asker = Asker::good("the owner", Shows::Cookie(owner), &["*"]);
    let foreign = [
        ("Origin", "http://evil.example"),
        ("Origin", "null"),
        ("Sec-Fetch-Site", "cross-site"),
        ("Host", "evil.example"),
    ];
    for (name, value) in foreign {
        for route in routes::all().iter().filter(|route| route.method != "GET") {
            let status = server.status(&asker.request(route).header(name, value)).await;
            assert_eq!(status, 403, "{} {} with {name}: {value}", route.method, route.path);
        }
        for route in routes::all().iter().filter(|route| route.method == "GET" && route.guard != Guard::Public) {
            let status = server.status(&asker.request(route).header(name, value)).await;
            assert_eq!(status, 403, "{} {} with {name}: {value}", route.method, route.path);
        }
    }
    assert_eq!(rows(&server).await, before);
    assert_eq!(audited(&server).await, audit);
}

#[tokio::test(flavor = "multi_thread")]
async fn our_own_pages_and_programs_with_a_key_pass() {
    let server = TestServer::start().await;
    let owner = server.sign_in("owner").await;
    let key = server.key(&owner, None).await;
    let ours = format!("http://{}", server.address);
    let save = || Request::new("PUT", "/api/settings").json(&json!({}));
    assert_eq!(server.status(&save().cookie(&owner).header("Origin", &ours)).await, 200);
    assert_eq!(server.status(&save().cookie(&owner).header("Sec-Fetch-Site", "same-origin")).await, 200);
    assert_eq!(server.status(&save().cookie(&owner)).await, 200);
    assert_eq!(server.status(&save().bearer(&key).header("Origin", "http://evil.example")).await, 200);
}
