//! Parameters of a path that a document calls otherwise now: the path is the same one.

use satchel_model::catalog::endpoint::{Endpoint, ParameterPlace};

/// Returns a key, or a path, without the names of its parameters: `GET /users/{}`.
pub(super) fn shape(key: &str) -> String {
    mapped(key, |_| String::new())
}

/// An endpoint with the names that the path `from` has in `to`, where nothing else of it changed.
pub(super) fn renamed(mut endpoint: Endpoint, from: &str, to: &str) -> Endpoint {
    if from == to || shape(from) != shape(to) {
        return endpoint;
    }
    let (from, to) = (names(from), names(to));
    let new = |name: &str| {
        let at = from.iter().position(|old| old == name);
        at.and_then(|at| to.get(at)).cloned().unwrap_or_else(|| name.to_owned())
    };
    endpoint.path = mapped(&endpoint.path, new);
    for parameter in endpoint.parameters.iter_mut().filter(|one| one.place == ParameterPlace::Path) {
        parameter.name = new(&parameter.name);
    }
    endpoint
}

fn names(path: &str) -> Vec<String> {
    let mut names = Vec::new();
    mapped(path, |name| {
        names.push(name.to_owned());
        String::new()
    });
    names
}

/// A text with something else in each pair of its braces.
fn mapped(text: &str, mut name: impl FnMut(&str) -> String) -> String {
    let (mut made, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, inner, after)) = braced(rest) {
        made.push_str(&format!("{before}{{{}}}", name(inner)));
        rest = after;
    }
    made + rest
}

fn braced(text: &str) -> Option<(&str, &str, &str)> {
    let (before, after) = text.split_once('{')?;
    let (inner, after) = after.split_once('}')?;
    Some((before, inner, after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use satchel_model::{
        catalog::{draft::EndpointDraft, system::SystemId},
        time::Time,
    };
    use serde_json::json;

    #[test]
    fn names_change_and_the_path_stays_the_same() {
        assert_eq!(shape("GET /a/{b}/c/{d}.json"), "GET /a/{}/c/{}.json");
        assert_eq!(shape("query:users"), "query:users");
        let draft = json!({"name": "x", "path": "/v2/{a}/{b}", "parameters": [
            {"name": "a", "in": "path", "required": true, "description": "By hand."},
            {"name": "b", "in": "path", "required": true}, {"name": "a", "in": "query"},
        ]});
        let draft: EndpointDraft = serde_json::from_value(draft).unwrap();
        let endpoint = draft.into_new(SystemId::new(), &Default::default(), Time::from_millis(0)).unwrap();
        let swapped = renamed(endpoint.clone(), "/{a}/{b}", "/{b}/{c}");
        assert_eq!(swapped.path, "/v2/{b}/{c}");
        let names: Vec<&str> = swapped.parameters.iter().map(|one| one.name.as_str()).collect();
        assert_eq!((names, swapped.parameters[0].description.as_str()), (vec!["b", "c", "a"], "By hand."));
        assert_eq!(renamed(endpoint.clone(), "/{a}/{b}", "/x/{b}/{c}"), endpoint);
    }
}
