//! Every route and who may use it: one row each.

use std::collections::HashMap;

use super::{
    audit, auth, backups, collections, conversations, discovery, doctor, documents, egress, embeddings, endpoints,
    file_origins, files, folders, graph, health, imports, indexes, intake, keys, knowledge, learning, memories,
    messages, offline, openapi, origins, processes, providers, restore, roles, scripts, search, services::Services,
    sessions, settings, setup, systems, tickets, tool_config, tool_stats, tools, users, vault,
};

/// Who may use a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guard {
    /// Anybody.
    Public,
    /// Who shows a session or a key.
    SignedIn,
    /// A person: a session or this machine's command line, not a key.
    Person,
    /// Who holds the permission.
    Permission(&'static str),
    /// A person who holds the permission.
    PersonWith(&'static str),
    /// A program on this machine; from elsewhere, who holds `settings:manage`.
    Machine,
}

/// One route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Route {
    /// `GET`, `POST`, `PUT`, `PATCH` or `DELETE`.
    pub method: &'static str,
    /// The pattern, with `{name}` for one segment.
    pub path: &'static str,
    /// Who may use it.
    pub guard: Guard,
    /// Whether it touches what belongs to the person: a key opens it only where its owner said so.
    pub personal: bool,
}

const fn route(method: &'static str, path: &'static str, guard: Guard) -> Route {
    Route { method, path, guard, personal: false }
}

const fn personal(method: &'static str, path: &'static str, guard: Guard) -> Route {
    Route { method, path, guard, personal: true }
}

use Guard::{Machine, Permission, Person, PersonWith, Public, SignedIn};

/// All routes.
pub const ROUTES: &[Route] = &[
    route("GET", "/healthz", Public),
    route("GET", "/metrics", Machine),
    route("GET", "/api/openapi.json", Public),
    route("GET", "/api/setup", Public),
    route("POST", "/api/setup", Public),
    route("POST", "/api/setup/link", Public),
    route("POST", "/api/setup/restore", Public),
    route("POST", "/api/auth/login", Public),
    route("POST", "/api/auth/logout", Person),
    route("GET", "/api/auth/me", SignedIn),
    route("POST", "/api/auth/password", Person),
    route("GET", "/api/users", Permission("users:manage")),
    route("POST", "/api/users", PersonWith("users:manage")),
    route("PATCH", "/api/users/{id}", PersonWith("users:manage")),
    route("DELETE", "/api/users/{id}", PersonWith("users:manage")),
    route("GET", "/api/roles", Permission("users:manage")),
    route("POST", "/api/roles", PersonWith("users:manage")),
    route("PUT", "/api/roles/{name}", PersonWith("users:manage")),
    route("DELETE", "/api/roles/{name}", PersonWith("users:manage")),
    route("GET", "/api/permissions", SignedIn),
    route("GET", "/api/keys", SignedIn),
    route("POST", "/api/keys", Person),
    route("DELETE", "/api/keys/{id}", SignedIn),
    personal("GET", "/api/sessions", SignedIn),
    personal("DELETE", "/api/sessions/{id}", SignedIn),
    route("GET", "/api/settings", Permission("settings:manage")),
    route("PUT", "/api/settings", Permission("settings:manage")),
    route("GET", "/api/settings/schema", SignedIn),
    route("GET", "/api/tools", SignedIn),
    route("GET", "/api/tools/{name}", SignedIn),
    route("GET", "/api/tools/costs", SignedIn),
    route("GET", "/api/tools/collisions", SignedIn),
    personal("POST", "/api/eval/tools", Permission("settings:manage")),
    route("POST", "/api/tools/find", SignedIn),
    route("POST", "/api/tools/{name}/invoke", SignedIn),
    personal("GET", "/api/tools/{name}/history", SignedIn),
    route("GET", "/api/tools/{name}/stats", SignedIn),
    route("DELETE", "/api/tools/{name}/stats", Permission("settings:manage")),
    route("GET", "/api/tools/{name}/learning", SignedIn),
    route("DELETE", "/api/tools/{name}/learning", Permission("settings:manage")),
    route("PUT", "/api/tools/{name}/enabled", Permission("settings:manage")),
    route("GET", "/api/tools/{name}/config", Permission("settings:manage")),
    route("PUT", "/api/tools/{name}/config", Permission("settings:manage")),
    route("DELETE", "/api/tools/{name}/config/{key}", Permission("settings:manage")),
    route("POST", "/api/tools/{name}/test", Permission("settings:manage")),
    route("GET", "/api/scripts", Permission("scripts:write")),
    route("GET", "/api/scripts/reference", Permission("scripts:write")),
    route("POST", "/api/scripts/check", Permission("scripts:write")),
    route("POST", "/api/scripts/from-calls", Permission("scripts:write")),
    route("GET", "/api/scripts/export", Permission("scripts:write")),
    route("POST", "/api/scripts/import", Permission("scripts:write")),
    route("GET", "/api/scripts/{name}", Permission("scripts:write")),
    route("PUT", "/api/scripts/{name}", Permission("scripts:write")),
    route("DELETE", "/api/scripts/{name}", Permission("scripts:write")),
    route("DELETE", "/api/scripts/{name}/draft", Permission("scripts:write")),
    route("POST", "/api/scripts/{name}/test", Permission("scripts:write")),
    route("POST", "/api/scripts/{name}/run", Permission("scripts:write")),
    route("POST", "/api/scripts/{name}/publish", Permission("scripts:write")),
    route("POST", "/api/scripts/{name}/rollback", Permission("scripts:write")),
    route("GET", "/api/scripts/{name}/versions/{version}", Permission("scripts:write")),
    route("PUT", "/api/scripts/{name}/grants", Permission("settings:manage")),
    personal("GET", "/api/tickets", SignedIn),
    personal("GET", "/api/tickets/{id}", SignedIn),
    personal("POST", "/api/tickets/{id}", Person),
    personal("GET", "/api/conversations", SignedIn),
    personal("POST", "/api/conversations", SignedIn),
    personal("GET", "/api/conversations/{id}", SignedIn),
    personal("PATCH", "/api/conversations/{id}", SignedIn),
    personal("DELETE", "/api/conversations/{id}", SignedIn),
    personal("POST", "/api/conversations/{id}/messages", SignedIn),
    personal("GET", "/api/conversations/{id}/events", SignedIn),
    personal("POST", "/api/conversations/{id}/stop", SignedIn),
    personal("POST", "/api/conversations/{id}/branch", SignedIn),
    personal("GET", "/api/conversations/{id}/branches", SignedIn),
    personal("POST", "/api/conversations/{id}/regenerate", SignedIn),
    personal("GET", "/api/conversations/{id}/messages/{message_id}/former/{number}", SignedIn),
    personal("GET", "/api/conversations/{id}/export", SignedIn),
    route("POST", "/api/offline/ask", SignedIn),
    route("GET", "/api/catalog/systems", Permission("catalog:read")),
    route("POST", "/api/catalog/systems", Permission("catalog:write")),
    route("GET", "/api/catalog/systems/{id}", Permission("catalog:read")),
    route("PATCH", "/api/catalog/systems/{id}", Permission("catalog:write")),
    route("DELETE", "/api/catalog/systems/{id}", Permission("catalog:write")),
    route("PUT", "/api/catalog/systems/{id}/status", Permission("settings:manage")),
    route("POST", "/api/catalog/systems/{id}/review", PersonWith("catalog:write")),
    route("GET", "/api/catalog/systems/{id}/credentials", Permission("settings:manage")),
    route("PUT", "/api/catalog/systems/{id}/credentials", Permission("settings:manage")),
    route("GET", "/api/catalog/systems/{id}/endpoints", Permission("catalog:read")),
    route("POST", "/api/catalog/systems/{id}/endpoints", Permission("catalog:write")),
    route("GET", "/api/catalog/endpoints/{id}", Permission("catalog:read")),
    route("PATCH", "/api/catalog/endpoints/{id}", Permission("catalog:write")),
    route("DELETE", "/api/catalog/endpoints/{id}", Permission("catalog:write")),
    route("POST", "/api/catalog/endpoints/{id}/review", PersonWith("catalog:write")),
    route("POST", "/api/catalog/endpoints/{id}/test", Permission("settings:manage")),
    route("POST", "/api/catalog/import/preview", Permission("catalog:write")),
    route("POST", "/api/catalog/import/apply", Permission("catalog:write")),
    route("GET", "/api/processes", Permission("processes:read")),
    route("POST", "/api/processes", Permission("processes:write")),
    route("GET", "/api/processes/export", Permission("processes:read")),
    route("GET", "/api/processes/{id}", Permission("processes:read")),
    route("PUT", "/api/processes/{id}", Permission("processes:write")),
    route("DELETE", "/api/processes/{id}", Permission("processes:write")),
    route("POST", "/api/processes/{id}/publish", PersonWith("processes:write")),
    route("POST", "/api/processes/import/preview", Permission("processes:write")),
    route("POST", "/api/processes/import/apply", Permission("processes:write")),
    route("POST", "/api/processes/propose", Permission("processes:write")),
    route("GET", "/api/providers", SignedIn),
    route("GET", "/api/providers/detect", Permission("settings:manage")),
    route("POST", "/api/providers", Permission("settings:manage")),
    route("PUT", "/api/providers/order", Permission("settings:manage")),
    route("POST", "/api/providers/test", Permission("settings:manage")),
    route("PUT", "/api/providers/{id}", Permission("settings:manage")),
    route("DELETE", "/api/providers/{id}", Permission("settings:manage")),
    route("POST", "/api/providers/{id}/test", Permission("settings:manage")),
    route("GET", "/api/audit", Permission("audit:read")),
    route("GET", "/api/audit/facets", Permission("audit:read")),
    route("GET", "/api/audit/histogram", Permission("audit:read")),
    route("GET", "/api/audit/export", Permission("audit:read")),
    route("GET", "/api/audit/tail", Permission("audit:read")),
    route("GET", "/api/audit/entries/{seq}", Permission("audit:read")),
    route("POST", "/api/audit/verify", Permission("audit:read")),
    route("POST", "/api/audit/anchors", Permission("audit:read")),
    route("GET", "/api/egress", Permission("audit:read")),
    route("GET", "/api/egress/summary", Permission("audit:read")),
    route("GET", "/api/search", SignedIn),
    personal("POST", "/api/search/used", SignedIn),
    route("GET", "/api/graph/nodes", Permission("index:read")),
    route("GET", "/api/graph/nodes/{id}", Permission("index:read")),
    route("GET", "/api/graph/nodes/{id}/neighbors", Permission("index:read")),
    route("GET", "/api/graph/overview", Permission("index:read")),
    personal("GET", "/api/memories", SignedIn),
    personal("POST", "/api/memories", SignedIn),
    personal("GET", "/api/memories/export", SignedIn),
    personal("PATCH", "/api/memories/{id}", SignedIn),
    personal("DELETE", "/api/memories/{id}", SignedIn),
    route("GET", "/api/origins", Person),
    route("POST", "/api/origins/vouch", Person),
    route("GET", "/api/knowledge/collections", Permission("knowledge:read")),
    route("POST", "/api/knowledge/collections", Permission("knowledge:write")),
    route("PUT", "/api/knowledge/collections/{id}", Permission("knowledge:write")),
    route("DELETE", "/api/knowledge/collections/{id}", Permission("knowledge:write")),
    route("GET", "/api/knowledge/documents", Permission("knowledge:read")),
    route("POST", "/api/knowledge/documents", Permission("knowledge:write")),
    route("GET", "/api/knowledge/documents/{id}", Permission("knowledge:read")),
    route("DELETE", "/api/knowledge/documents/{id}", Permission("knowledge:write")),
    route("GET", "/api/knowledge/documents/{id}/chunks", Permission("knowledge:read")),
    route("GET", "/api/knowledge/documents/{id}/content", Permission("knowledge:read")),
    route("GET", "/api/knowledge/documents/{id}/file", Permission("knowledge:read")),
    route("POST", "/api/knowledge/documents/{id}/retry", Permission("knowledge:write")),
    route("POST", "/api/knowledge/documents/{id}/cancel", Permission("knowledge:write")),
    route("POST", "/api/knowledge/documents/{id}/restore", Permission("knowledge:write")),
    route("POST", "/api/knowledge/documents/{id}/update", Permission("knowledge:write")),
    personal("POST", "/api/files", Permission("knowledge:write")),
    personal("GET", "/api/files/content", Permission("knowledge:read")),
    personal("GET", "/api/files/origins", Permission("knowledge:read")),
    personal("POST", "/api/files/vouch", PersonWith("knowledge:read")),
    personal("POST", "/api/files/trees/{id}/vouch", PersonWith("knowledge:read")),
    route("GET", "/api/knowledge/folders", Permission("settings:manage")),
    route("POST", "/api/knowledge/folders", Permission("settings:manage")),
    route("DELETE", "/api/knowledge/folders/{id}", Permission("settings:manage")),
    route("POST", "/api/knowledge/search", Permission("knowledge:read")),
    route("POST", "/api/knowledge/why", Permission("knowledge:read")),
    route("GET", "/api/vault", Permission("settings:manage")),
    route("POST", "/api/vault/rotate", Permission("settings:manage")),
    route("GET", "/api/backups", Permission("settings:manage")),
    route("POST", "/api/backups", Permission("settings:manage")),
    route("GET", "/api/backups/own/plan", Permission("settings:manage")),
    route("GET", "/api/backups/own/key", PersonWith("*")),
    route("PUT", "/api/backups/own/passphrase", PersonWith("*")),
    route("GET", "/api/backups/{id}", Permission("settings:manage")),
    route("DELETE", "/api/backups/{id}", PersonWith("settings:manage")),
    route("POST", "/api/backups/{id}/verify", Permission("settings:manage")),
    route("GET", "/api/backups/{id}/file", PersonWith("*")),
    route("GET", "/api/embeddings", Permission("index:read")),
    route("GET", "/api/embeddings/models", Permission("settings:manage")),
    route("PUT", "/api/embeddings", Permission("settings:manage")),
    route("GET", "/api/indexes", Permission("index:read")),
    route("POST", "/api/indexes/{space}/rebuild", Permission("settings:manage")),
    route("GET", "/api/doctor", Permission("settings:manage")),
];

/// Every handler. No two rows of one method match the same path, but for a fixed path beside a pattern with the same
/// guard: there the fixed one is registered first.
/// What is asked most stands first, as the router looks in this order.
pub fn configure(config: &mut Services<'_>) {
    discovery::services(config);
    tools::services(config);
    auth::services(config);
    conversations::services(config);
    messages::services(config);
    health::services(config);
    openapi::services(config);
    setup::services(config);
    restore::services(config);
    users::services(config);
    roles::services(config);
    keys::services(config);
    sessions::services(config);
    settings::services(config);
    vault::services(config);
    backups::services(config);
    doctor::services(config);
    learning::services(config);
    tool_config::services(config);
    tool_stats::services(config);
    scripts::services(config);
    tickets::services(config);
    audit::services(config);
    egress::services(config);
    memories::services(config);
    origins::services(config);
    collections::services(config);
    folders::services(config);
    documents::services(config);
    files::services(config);
    file_origins::services(config);
    intake::services(config);
    knowledge::services(config);
    search::services(config);
    graph::services(config);
    indexes::services(config);
    embeddings::services(config);
    offline::services(config);
    providers::services(config);
    systems::services(config);
    endpoints::services(config);
    imports::services(config);
    processes::services(config);
}

/// What the table says of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Match {
    /// The row's number in [`ROUTES`].
    Route(usize),
    /// The path is known, with these other methods.
    Methods(Vec<&'static str>),
    /// No such path.
    Nothing,
}

/// The table, made quick to look up.
pub struct Table {
    fixed: HashMap<&'static str, Vec<usize>>,
    patterns: Vec<(Vec<&'static str>, usize)>,
}

impl Table {
    /// The rows of [`ROUTES`].
    pub(super) fn new() -> Self {
        let mut table = Self { fixed: HashMap::new(), patterns: Vec::new() };
        for (number, route) in ROUTES.iter().enumerate() {
            if route.path.contains('{') {
                table.patterns.push((route.path.split('/').collect(), number));
            } else {
                table.fixed.entry(route.path).or_default().push(number);
            }
        }
        table
    }

    /// The row for a request. `path` is decoded as the router decodes it.
    pub fn find(&self, method: &str, path: &str) -> Match {
        let fixed = self.fixed.get(path);
        let numbers = fixed.into_iter().flatten().copied();
        let segments: Vec<&str> = path.split('/').collect();
        let matching = self.patterns.iter().filter(|(pattern, _)| matches(pattern, &segments));
        let mut others = Vec::new();
        for number in numbers.chain(matching.map(|(_, number)| *number)) {
            match ROUTES.get(number) {
                Some(route) if route.method == method => return Match::Route(number),
                // A path that is written out is a resource of its own, with its own methods.
                Some(route) if fixed.is_none() || route.path == path => others.push(route.method),
                _ => {}
            }
        }
        if others.is_empty() { Match::Nothing } else { Match::Methods(others) }
    }
}

fn matches(pattern: &[&str], segments: &[&str]) -> bool {
    pattern.len() == segments.len()
        && pattern.iter().zip(segments).all(|(part, given)| match part.starts_with('{') {
            true => !given.is_empty(),
            false => part == given,
        })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn found(method: &str, path: &str) -> Option<&'static str> {
        match Table::new().find(method, path) {
            Match::Route(number) => Some(ROUTES[number].path),
            Match::Methods(_) => Some("other method"),
            Match::Nothing => None,
        }
    }

    #[test]
    fn each_handler_has_a_row_and_each_row_a_handler() {
        let rows: BTreeSet<_> = ROUTES.iter().map(|r| (r.path.to_owned(), r.method.to_lowercase())).collect();
        let document = serde_json::to_value(openapi::document()).unwrap();
        let paths = document["paths"].as_object().unwrap().iter();
        let handlers: BTreeSet<_> = paths
            .flat_map(|(path, item)| item.as_object().unwrap().keys().map(|method| (path.clone(), method.clone())))
            .collect();
        assert_eq!(handlers.difference(&rows).collect::<Vec<_>>(), Vec::<&(String, String)>::new(), "have no row");
        assert_eq!(rows.difference(&handlers).collect::<Vec<_>>(), Vec::<&(String, String)>::new(), "have no handler");
        assert_eq!(rows.len(), ROUTES.len(), "a row is there twice");
    }

    /// Two rows that match one path would leave the choice between their guards to the order of registration. A fixed
    /// path beside a pattern with the same guard does not: whichever answers, nobody sees more.
    #[test]
    fn no_two_rows_match_the_same_path() {
        let parts = |route: &Route| route.path.split('/').collect::<Vec<_>>();
        for (number, a) in ROUTES.iter().enumerate() {
            for b in ROUTES.iter().skip(number + 1).filter(|b| b.method == a.method) {
                let both = |(l, r): (&&str, &&str)| l == r || l.starts_with('{') || r.starts_with('{');
                let fixed = a.path.contains('{') != b.path.contains('{') && a.guard == b.guard;
                let (left, right) = (parts(a), parts(b));
                let same = left.len() == right.len() && left.iter().zip(&right).all(both);
                assert!(fixed || !same, "{} {} and {} match the same paths", a.method, a.path, b.path);
            }
        }
    }

    #[test]
    fn paths_are_matched_whole_and_by_method() {
        assert_eq!(found("GET", "/api/users"), Some("/api/users"));
        assert_eq!(found("DELETE", "/api/users/x"), Some("/api/users/{id}"));
        assert_eq!(found("DELETE", "/api/users"), Some("other method"));
        for path in ["/api/users/", "/api/users/x/y", "/api//users", "/api/Users", "/api/users/x/"] {
            assert_eq!(found("GET", path), None, "{path}");
        }
    }
}
