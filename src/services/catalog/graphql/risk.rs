//! The risk of GraphQL, whichever door it goes through: that of what is registered at its place.

use super::carried::Carried;
use satchel_formats::graphql::{self, Kind};
use satchel_host::aside;
use satchel_model::{
    catalog::{
        directory::Registered,
        endpoint::{Endpoint, Operation},
        graphql_index::GraphqlIndex,
    },
    error::{Error, Result},
    id::shorten,
    spec::Risk,
};

/// What is registered, read. The first to ask after a change waits for it, and with them a thread of the runtime's own.
fn index(found: &Registered) -> &GraphqlIndex {
    let read = || found.graphql(|document, name| graphql::registered(document, name).ok());
    if found.has_read_graphql() { read() } else { aside::in_place(read) }
}

/// The risk of a document at a path.
///
/// # Errors
/// One of which it is not clear what it runs, or that subscribes.
pub(in crate::catalog) fn queried(found: &Registered, path: &str, document: &str, name: Option<&str>) -> Result<Risk> {
    let asked = graphql::operation(document, name)?;
    if asked.kind == Kind::Subscription {
        return Err(Error::invalid(
            "A subscription goes on and on: open it with call_websocket, which says how under further_messages.",
        ));
    }
    Ok(index(found).at(path).weigh(&asked))
}

/// What a document does, the riskiest first, each with its risk.
///
/// # Errors
/// One of which it is not clear what it runs.
pub(in crate::catalog) fn actions(
    found: &Registered,
    document: &str,
    name: Option<&str>,
) -> Result<Vec<(String, Risk)>> {
    let asked = graphql::operation(document, name)?;
    let there = index(found).at(&path(found));
    let unknown = there.unknown(&asked);
    let risk = |field: &String| {
        let floor = if unknown.contains(field.as_str()) { asked.kind.risk() } else { Risk::Read };
        there.of_field(asked.kind, field).max(floor)
    };
    let mut actions: Vec<(String, Risk)> =
        asked.fields.iter().zip(asked.actions()).map(|(field, action)| (action.to_owned(), risk(field))).collect();
    actions.sort_by_key(|(_, risk)| std::cmp::Reverse(*risk));
    Ok(actions)
}

/// The risk that something has because GraphQL is registered where it goes, or above. What it carries is weighed as by
/// [`queried`], and what cannot be read as unknown. Where none is registered, what it has `in_query` counts, as nothing that is
/// known there.
pub(in crate::catalog) fn carried(
    found: &Registered,
    path: &str,
    carried: impl FnOnce() -> Carried,
    in_query: impl FnOnce() -> Carried,
) -> Risk {
    let there = index(found).at(path);
    let floor = if there.is_empty() { Risk::Read } else { there.highest() };
    let near = if there.is_empty() { index(found).above(path) } else { there };
    let (carried, near) = if near.is_empty() { (in_query(), index(found).elsewhere()) } else { (carried(), near) };
    let own = match carried {
        Carried::Nothing => Risk::Read,
        Carried::Operations(all) => all.iter().map(|one| near.weigh(one)).max().unwrap_or(Risk::Read),
        Carried::Unclear => Risk::HighWrite,
    };
    own.max(floor)
}

/// Where a system takes GraphQL: where the operations that a person has let through have it, else at its base URL itself.
pub(in crate::catalog) fn path(found: &Registered) -> String {
    let is_meant =
        |one: &&Endpoint| one.reviewed && matches!(one.operation, Operation::Graphql { .. }) && !one.path.contains('{');
    found.endpoints.iter().find(is_meant).map(|endpoint| endpoint.path.clone()).unwrap_or_default()
}

/// Refuses an endpoint whose document cannot be read: nobody could say what others like it do.
///
/// # Errors
/// As the reader of documents says it.
pub(in crate::catalog) fn ensure_readable(endpoint: &Endpoint) -> Result<()> {
    let Operation::Graphql { query, operation_name } = &endpoint.operation else { return Ok(()) };
    graphql::registered(query, operation_name.as_deref()).map(drop).map_err(|error| {
        let name = shorten(&endpoint.name);
        Error::invalid(format!("The endpoint '{name}' is not registered. {} Change its document.", error.message()))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::catalog::testing::{self, system};

    fn endpoint(path: &str, query: &str, risk: Risk) -> Endpoint {
        let said = json!({"name": "operation", "path": path, "risk": risk, "operation": {"protocol": "graphql", "query": query}});
        testing::endpoint(said)
    }

    /// Weighs documents where these are registered as `low_write`.
    fn expect(registered: &[&str], asked: &[(&str, Risk)]) {
        let system = system(registered.iter().map(|query| endpoint("/graphql", query, Risk::LowWrite)).collect());
        for (document, risk) in asked {
            assert_eq!(queried(&system, "/graphql", document, None).unwrap(), *risk, "{document}");
        }
    }

    #[test]
    fn what_is_registered_of_one_type_says_nothing_of_another() {
        expect(
            &["mutation D($id: ID!) { node(id: $id) { ... on DraftMut { archive { ok } } } plain { run } }"],
            &[
                ("mutation { node(id: 1) { ... on DraftMut { archive { ok } } } }", Risk::LowWrite),
                ("mutation { node(id: 1) { ...F } } fragment F on DraftMut { archive { ok } }", Risk::LowWrite),
                ("mutation { node(id: 1) { ... on DraftMut { ... on DraftMut { archive { ok } } } } }", Risk::LowWrite),
                ("mutation { ... on Mutation { node(id: 1) { ... on DraftMut { archive { ok } } } } }", Risk::LowWrite),
                ("mutation { node(id: 1) { ... on AccountMut { archive { ok } } } }", Risk::HighWrite),
                ("mutation { node(id: 1) { ...F } } fragment F on AccountMut { archive { ok } }", Risk::HighWrite),
                ("mutation { node(id: 1) { archive { ok } } }", Risk::HighWrite),
                ("mutation { plain { run } }", Risk::LowWrite),
                ("mutation { plain { ... on Other { run } } }", Risk::HighWrite),
            ],
        );
    }

    #[test]
    fn a_value_that_was_let_through_lets_no_other_through() {
        let fixed = "mutation { setMode(mode: DRY_RUN) { ok } }";
        expect(
            &[
                fixed,
                "mutation R($id: ID) { rename(id: $id) { ok } tag(in: {id: $id, how: \"soft\"}) { ok } }",
                "mutation M($m: M) { account(mode: DRY_RUN) { wipe } account(mode: $m) { look } }",
            ],
            &[
                (fixed, Risk::LowWrite),
                ("mutation { x: setMode(mode: DRY_RUN) { ok } }", Risk::LowWrite),
                ("mutation { setMode(mode: DESTROY) { ok } }", Risk::HighWrite),
                ("mutation { setMode(mode: \"DRY_RUN\") { ok } }", Risk::HighWrite),
                ("mutation { setMode { ok } }", Risk::HighWrite),
                ("mutation { setMode(mode: DRY_RUN, force: true) { ok } }", Risk::HighWrite),
                ("mutation M($m: Mode) { setMode(mode: $m) { ok } }", Risk::HighWrite),
                ("mutation { setMode(mode: DRY_RUN) { ok } y: setMode(mode: DESTROY) { ok } }", Risk::HighWrite),
                ("mutation { rename(id: 1) { ok } }", Risk::LowWrite),
                ("mutation { tag(in: {id: 7, how: \"soft\"}) { ok } }", Risk::LowWrite),
                ("mutation { tag(in: {id: 7, how: \"hard\"}) { ok } }", Risk::HighWrite),
                ("mutation { account(mode: DRY_RUN) { wipe } }", Risk::LowWrite),
                ("mutation { account(mode: LIVE) { look } }", Risk::LowWrite),
                ("mutation { account(mode: LIVE) { wipe } }", Risk::HighWrite),
                (
                    "mutation { ...F } fragment F on M { account(mode: LIVE) { ...G } } fragment G on A { wipe }",
                    Risk::HighWrite,
                ),
                ("mutation { setMode(mode: DRY_RUN) { __typename } }", Risk::LowWrite),
                (
                    "mutation { setMode(mode: DRY_RUN) { ok } x: setMode(mode: DESTROY) { __typename } }",
                    Risk::HighWrite,
                ),
                (
                    "mutation { x: setMode(mode: DESTROY) { ...F } setMode(mode: DRY_RUN) { ok } } fragment F on R { __typename }",
                    Risk::HighWrite,
                ),
                (
                    "mutation { setMode(mode: DRY_RUN) { ok } x: setMode(mode: DESTROY) { ... on R { __typename } } }",
                    Risk::HighWrite,
                ),
                ("mutation { account(mode: LIVE) { look wipe { __typename } } }", Risk::HighWrite),
                ("mutation { account(mode: LIVE) { look { __typename } __typename } }", Risk::LowWrite),
            ],
        );
        let system = system(vec![endpoint("/graphql", fixed, Risk::LowWrite)]);
        for twice in [
            "mutation { setMode(mode: DRY_RUN, mode: DESTROY) { ok } }",
            "mutation { setMode(mode: DESTROY, mode: DRY_RUN) { ok } }",
        ] {
            assert!(queried(&system, "/graphql", twice, None).is_err(), "{twice}");
        }
        let document = "mutation { setMode(mode: DRY_RUN) { ok } x: setMode(mode: DESTROY) { __typename } }";
        assert_eq!(actions(&system, document, None).unwrap(), [("setMode".to_owned(), Risk::HighWrite)]);
    }

    #[test]
    fn a_call_is_compared_with_what_is_registered_where_it_goes() {
        let (low, destructive) = ("mutation { rename { ok } }", "mutation { wipe { ok } }");
        let mut hidden = endpoint("/a", "mutation { other }", Risk::Read);
        hidden.reviewed = false;
        let system = system(vec![
            hidden,
            endpoint("/m", low, Risk::LowWrite),
            endpoint("/m", destructive, Risk::Destructive),
            endpoint("/n", "mutation { go }", Risk::LowWrite),
        ]);
        assert_eq!(path(&system), "/m");
        let weighed = |path: &str, document: &str| queried(&system, path, document, None).unwrap();
        assert_eq!(weighed("/m", low), Risk::LowWrite);
        assert_eq!(weighed("/n", low), Risk::HighWrite);
        assert_eq!(weighed("/n", "mutation { go }"), Risk::LowWrite);
        assert_eq!(weighed("/M/", destructive), Risk::Destructive);
        assert_eq!(weighed("/M/", low), Risk::HighWrite, "it only looks like the place");
    }

    #[test]
    fn the_riskiest_of_what_a_document_does_comes_first() {
        let system = system(vec![
            endpoint("/graphql", "mutation { rename { ok } customer { look } }", Risk::LowWrite),
            endpoint("/graphql", "mutation { deleteAll { ok } }", Risk::Destructive),
        ]);
        let document = "mutation { rename { ok } other { ok } customer { wipe } deleteAll { ok } }";
        let found = actions(&system, document, None).unwrap();
        let expected = [
            ("deleteAll.ok", Risk::Destructive),
            ("other.ok", Risk::HighWrite),
            ("customer.wipe", Risk::HighWrite),
            ("rename.ok", Risk::LowWrite),
        ];
        assert_eq!(found, expected.map(|(action, risk)| (action.to_owned(), risk)));
    }

    #[test]
    fn what_cannot_be_read_is_not_registered() {
        let told = |query: &str| {
            let refused = ensure_readable(&endpoint("/", query, Risk::Destructive));
            refused.err().map(|error| error.message().to_owned()).unwrap_or_default()
        };
        for query in ["this is no graphql {{{", "query { deleteAll } # \r", "mutation { a(x: \"\"\"a\\\"\"\"b\"\"\") }"]
        {
            let told = told(query);
            assert!(told.contains("is not registered. The GraphQL document cannot be read"), "{query}: {told}");
        }
        let long = format!("{{ {} }}", "a ".repeat(40_000));
        assert!(told(&long).contains("at most 65536 bytes"));
        assert!(
            told(&format!("{{ {} }}", (0..3_000).map(|n| format!("f{n} ")).collect::<String>()))
                .contains("2000 fields")
        );
        assert_eq!(told("\"\"\"Deletes.\"\"\" query W { deleteAll }"), "");
    }
}
