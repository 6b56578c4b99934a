//! The list of all routes. Nothing else imports the nouns.

use super::{
    agents, audit, auth, backups, collections, conversations, decided, discovery, doctor, documents, egress,
    embeddings, endpoints, file_origins, files, folders, graph, health, hooks, imports, indexes, intake, jobs, keys,
    knowledge, learning, mcp, media, memories, messages, notices, offline, openapi, origins, policies, prices,
    processes, providers, queue, restore, roles, route::Route, rules, runs, scripts, search, sessions, settings, setup,
    skills, systems, tickets, tool_config, tool_stats, tools, usage, users, v1, vault,
};

/// Every route there is. The document lists them in this order.
pub fn all() -> Vec<Route> {
    [
        discovery::routes(),
        tools::routes(),
        auth::routes(),
        conversations::routes(),
        messages::routes(),
        queue::routes(),
        agents::routes(),
        runs::routes(),
        usage::routes(),
        health::routes(),
        openapi::routes(),
        setup::routes(),
        restore::routes(),
        users::routes(),
        roles::routes(),
        keys::routes(),
        sessions::routes(),
        settings::routes(),
        policies::routes(),
        rules::routes(),
        skills::routes(),
        media::routes(),
        vault::routes(),
        backups::routes(),
        doctor::routes(),
        learning::routes(),
        tool_config::routes(),
        tool_stats::routes(),
        scripts::routes(),
        tickets::routes(),
        decided::routes(),
        jobs::routes(),
        hooks::routes(),
        notices::routes(),
        audit::routes(),
        egress::routes(),
        memories::routes(),
        origins::routes(),
        collections::routes(),
        folders::routes(),
        documents::routes(),
        files::routes(),
        file_origins::routes(),
        intake::routes(),
        knowledge::routes(),
        search::routes(),
        graph::routes(),
        indexes::routes(),
        embeddings::routes(),
        offline::routes(),
        providers::routes(),
        prices::routes(),
        systems::routes(),
        endpoints::routes(),
        imports::routes(),
        processes::routes(),
        mcp::routes(),
        v1::models::routes(),
        v1::completions::serve::routes(),
        v1::messages::serve::routes(),
        v1::responses::serve::routes(),
        v1::embeddings::routes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{super::document, *};

    /// A handler documents one method, and no two the same path and method.
    #[test]
    fn each_route_is_in_the_document_once_and_nothing_else_is() {
        let routes = all();
        let document = serde_json::to_value(document::document(&routes)).unwrap();
        let paths = document["paths"].as_object().unwrap().iter();
        let documented: BTreeSet<_> = paths
            .flat_map(|(path, item)| item.as_object().unwrap().keys().map(|method| (path.clone(), method.clone())))
            .collect();
        let known: BTreeSet<_> =
            routes.iter().map(|route| (route.path.clone(), route.method.as_str().to_lowercase())).collect();
        assert_eq!(documented, known);
        assert_eq!(known.len(), routes.len(), "a route is there twice");
    }

    /// Two patterns that match one path would leave the choice between their guards to the order of the list. A fixed
    /// path beside a pattern with the same guard does not: whichever answers, nobody sees more.
    #[test]
    fn no_two_routes_match_the_same_path() {
        let (patterns, fixed): (Vec<_>, Vec<_>) = all().into_iter().partition(|route| route.path.contains('{'));
        let both = |(l, r): (&str, &str)| l == r || l.starts_with('{') || r.starts_with('{');
        let overlap = |a: &Route, b: &Route| {
            a.path.split('/').count() == b.path.split('/').count() && a.path.split('/').zip(b.path.split('/')).all(both)
        };
        for (number, a) in patterns.iter().enumerate() {
            for b in patterns.iter().skip(number + 1).filter(|b| b.path != a.path) {
                assert!(!overlap(a, b), "{} and {} match the same paths", a.path, b.path);
            }
            for b in fixed.iter().filter(|b| b.method == a.method && overlap(a, b)) {
                assert_eq!((a.guard, a.personal), (b.guard, b.personal), "{} {} and {}", a.method, a.path, b.path);
            }
        }
    }
}
