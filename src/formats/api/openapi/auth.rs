//! The credential an OpenAPI document asks for: which one the system gets, and what is left to a person.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use serde_json::{Map, Value};
use url::Url;

use super::METHODS;
use crate::api::{schema::Inliner, text};
use satchel_model::{
    catalog::auth::{Auth, AuthType, Grant, KeyPlace},
    provider::parse_url,
};

/// Most scopes that are taken over, and most doubts that are told.
const MAX_SCOPES: usize = 100;
const MAX_DOUBTS: usize = 3;
/// Most schemes that are looked at.
const MAX_SCHEMES: usize = 100;

/// The credentials a document asks for.
#[derive(Default)]
pub(super) struct Security<'a> {
    /// The credential of the system.
    pub(super) auth: Auth,
    /// A note on what a person has to do about it.
    pub(super) warnings: Vec<String>,
    schemes: Vec<Scheme<'a>>,
    chosen: Option<&'a str>,
}

/// One scheme, as far as it is known here.
struct Scheme<'a> {
    name: &'a str,
    /// The credential that does for it; `None` if nothing does.
    auth: Option<Auth>,
    /// A note on what a person has to do about it.
    doubt: Option<String>,
    /// The scopes it describes.
    scopes: Vec<&'a str>,
}

impl Scheme<'_> {
    /// Returns whether the document says all there is to know.
    fn is_whole(&self) -> bool {
        self.auth.is_some() && self.doubt.is_none()
    }
}

impl<'a> Security<'a> {
    /// The first credential known here of those the document asks for, else those its operations ask for, else those it
    /// only describes. Relative addresses are under `place`.
    pub(super) fn new(document: &'a Value, swagger: bool, place: Option<&Url>) -> Self {
        let pointer = if swagger { "/securityDefinitions" } else { "/components/securitySchemes" };
        let described = document.pointer(pointer).and_then(Value::as_object).into_iter().flatten();
        let resolve = |value: &'a Value| Inliner::new(document).resolve(value);
        let schemes = described.take(MAX_SCHEMES).map(|(name, value)| scheme(name, resolve(value), place)).collect();
        let mut read = Self { schemes, ..Self::default() };
        let asked = read.asked(document);
        let usable = |name: &&str| read.find(name).is_some_and(|one| one.auth.is_some());
        let at = asked.iter().position(usable);
        read.chosen = at.and_then(|at| asked.get(at)).copied();
        let doubts = asked.iter().take(at.map_or(MAX_DOUBTS, |at| at + 1)).filter_map(|name| read.doubt(name));
        read.warnings = doubts.take(MAX_DOUBTS).collect();
        if let Some(chosen) = read.chosen.and_then(|name| read.find(name)) {
            read.auth = chosen.auth.clone().map(|auth| with_scopes(auth, chosen, document)).unwrap_or_default();
        }
        read
    }

    /// The names of what is asked for, each once, the first choice first.
    fn asked(&self, document: &'a Value) -> Vec<&'a str> {
        let mut asked: Vec<&str> = Vec::new();
        for name in self.of_whole(document).into_iter().chain(self.of_operations(document)) {
            if asked.len() < MAX_SCHEMES && !asked.contains(&name) {
                asked.push(name);
            }
        }
        if asked.is_empty() {
            asked = self.schemes.iter().map(|one| one.name).collect();
            asked.sort_by_key(|name| !self.is_whole(name));
        }
        asked
    }

    fn find(&self, name: &str) -> Option<&Scheme<'a>> {
        self.schemes.iter().find(|one| one.name == name)
    }

    fn is_whole(&self, name: &str) -> bool {
        self.find(name).is_some_and(Scheme::is_whole)
    }

    fn doubt(&self, name: &str) -> Option<String> {
        let Some(known) = self.find(name) else {
            let name = shown(name);
            return Some(format!(
                "The document asks for '{name}', which it does not describe: set the credential by hand."
            ));
        };
        known.doubt.clone()
    }

    /// Returns the credentials the document as a whole asks for, the best first: one that is enough before several at
    /// once.
    fn of_whole(&self, document: &'a Value) -> Vec<&'a str> {
        let mut asked: Vec<(bool, &str)> =
            alternatives(document).flat_map(|one| one.keys().map(|name| (one.len() > 1, name.as_str()))).collect();
        asked.sort_by_key(|(is_together, name)| (*is_together, !self.is_whole(name)));
        asked.into_iter().map(|(_, name)| name).collect()
    }

    /// Returns the credentials the operations ask for, those of most of them first.
    fn of_operations(&self, document: &'a Value) -> Vec<&'a str> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for operation in operations(document) {
            let names: BTreeSet<&str> = alternatives(operation).flat_map(Map::keys).map(String::as_str).collect();
            names.into_iter().for_each(|name| *counts.entry(name).or_default() += 1);
        }
        let mut asked: Vec<(&str, usize)> = counts.into_iter().collect();
        asked.sort_by_key(|(name, count)| (Reverse(*count), !self.is_whole(name)));
        asked.into_iter().map(|(name, _)| name).collect()
    }

    /// Says so where an operation asks for another credential than the system's.
    pub(super) fn doubt_of(&self, operation: &Value) -> Option<String> {
        if let Some(both) = asked_together(operation) {
            return Some(format!("It asks for {both} at once: only one credential is sent, so it may be refused."));
        }
        let own = self.chosen?;
        let does =
            |name: &String| name == own || self.find(name).is_some_and(|one| one.auth.as_ref() == Some(&self.auth));
        let mut asked = operation.get("security")?.as_array()?.iter().filter_map(Value::as_object).peekable();
        let wanted = asked.peek()?.keys().next()?;
        if asked.any(|one| one.keys().all(does)) {
            return None;
        }
        let (wanted, own) = (shown(wanted), shown(own));
        Some(format!(
            "It asks for the credential '{wanted}', and the system's is '{own}': it may be refused. Import it as a system of its own."
        ))
    }
}

/// The schemes that are asked for together, where none of them is enough.
pub(super) fn asked_together(place: &Value) -> Option<String> {
    let asked: Vec<&Map<String, Value>> =
        place.get("security")?.as_array()?.iter().filter_map(Value::as_object).collect();
    let first = asked.first().filter(|_| asked.iter().all(|one| one.len() > 1))?;
    Some(first.keys().take(4).map(|name| shown(name)).collect::<Vec<_>>().join(" and "))
}

fn alternatives(place: &Value) -> impl Iterator<Item = &Map<String, Value>> {
    place.get("security").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object)
}

fn operations(document: &Value) -> impl Iterator<Item = &Value> {
    let items = document.get("paths").and_then(Value::as_object).into_iter().flatten();
    items.flat_map(|(_, item)| METHODS.iter().filter_map(|method| item.get(*method)))
}

fn shown(name: &str) -> String {
    text::cut(name, 60)
}

/// The scopes that are asked for with a scheme; where none is, those it describes.
fn with_scopes(mut auth: Auth, scheme: &Scheme<'_>, document: &Value) -> Auth {
    let Auth::Oauth2 { grant: Grant::ClientCredentials, scopes, .. } = &mut auth else { return auth };
    let places = std::iter::once(document).chain(operations(document));
    let asked = places.flat_map(alternatives).filter_map(|one| one.get(scheme.name)?.as_array()).flatten();
    let asked: Vec<&str> = asked.filter_map(Value::as_str).collect();
    let is_one = |scope: &&str| !scope.is_empty() && !scope.contains(|c: char| c.is_whitespace() || c.is_control());
    for scope in if asked.is_empty() { &scheme.scopes } else { &asked }.iter().filter(|scope| is_one(scope)) {
        if scopes.len() < MAX_SCOPES && !scopes.iter().any(|known| known == scope) {
            scopes.push((*scope).to_owned());
        }
    }
    auth
}

fn scheme<'a>(name: &'a str, given: &'a Value, place: Option<&Url>) -> Scheme<'a> {
    let says = |field: &str| given.get(field).and_then(Value::as_str).unwrap_or_default();
    let known = |auth: Auth| Scheme { name, auth: Some(auth), doubt: None, scopes: Vec::new() };
    let doubtful = |auth: Option<Auth>, what: &str| {
        let doubt = Some(format!("The document asks for '{}', {what}", shown(name)));
        Scheme { name, auth, doubt, scopes: Vec::new() }
    };
    match says("type") {
        "basic" => known(Auth::of_type(AuthType::Basic)),
        "mutualTLS" => known(Auth::MutualTls),
        "openIdConnect" => doubtful(
            Some(Auth::Bearer),
            "which is OpenID Connect: enter an access token as bearer token, or choose OAuth 2.0 and enter its token URL.",
        ),
        "http" => match says("scheme").to_ascii_lowercase().as_str() {
            "basic" => known(Auth::of_type(AuthType::Basic)),
            "bearer" => known(Auth::Bearer),
            other => doubtful(
                None,
                &format!(
                    "which is HTTP authentication of the kind '{}' and not known here: set another credential the system takes.",
                    text::cut(other, 20)
                ),
            ),
        },
        "apiKey" if says("in") == "cookie" => {
            doubtful(None, "which is a key in a cookie and is not sent: set another credential the system takes.")
        }
        "apiKey" => {
            let place = if says("in") == "query" { KeyPlace::Query } else { KeyPlace::Header };
            let auth = Auth::ApiKey { place, name: says("name").to_owned() };
            if auth.require_sound().is_ok() {
                return known(auth);
            }
            doubtful(None, "a key whose header or query parameter has no name that can be sent: set it by hand.")
        }
        "oauth2" => oauth2(name, given, place),
        _ => doubtful(None, "which is of a kind not known here: set another credential the system takes."),
    }
}

/// OAuth 2.0 by the flow that needs a person least.
fn oauth2<'a>(name: &'a str, given: &'a Value, place: Option<&Url>) -> Scheme<'a> {
    let swagger = given.get("flow").and_then(Value::as_str);
    let flow = |new: &str, old: &str| {
        given.get("flows").and_then(|flows| flows.get(new)).or_else(|| (swagger == Some(old)).then_some(given))
    };
    let token_url = |flow: &Value| {
        let said = flow.get("tokenUrl")?.as_str()?;
        let url = Url::parse(said).ok().or_else(|| place?.join(said).ok())?;
        parse_url(url.as_str()).ok()
    };
    let with = |grant, token_url| {
        let mut auth = Auth::of_type(AuthType::Oauth2);
        if let Auth::Oauth2 { grant: own, token_url: address, .. } = &mut auth {
            (*own, *address) = (grant, token_url);
        }
        auth
    };
    let (auth, scopes, doubt) = if let Some(flow) = flow("clientCredentials", "application") {
        let scopes = flow.get("scopes").and_then(Value::as_object).into_iter().flat_map(Map::keys);
        let url = token_url(flow);
        let doubt = url.is_none().then_some("which does not say its token URL in full: enter it by hand.");
        (with(Grant::ClientCredentials, url), scopes.map(String::as_str).collect(), doubt)
    } else if let Some(flow) = flow("authorizationCode", "accessCode") {
        let doubt = "for which a person signs in elsewhere: enter the client and the refresh token of that sign-in.";
        (with(Grant::RefreshToken, token_url(flow)), Vec::new(), Some(doubt))
    } else {
        let doubt = "a token that is given for a person's password or sign-in and is not fetched here: enter one as \
                     bearer token, and again when it has run out.";
        (Auth::Bearer, Vec::new(), Some(doubt))
    };
    let doubt = doubt.map(|what| format!("The document asks for '{}', {what}", shown(name)));
    Scheme { name, auth: Some(auth), doubt, scopes }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::api::openapi::read;
    use satchel_model::catalog::proposal::Proposals;

    /// Returns the reading of a document with these schemes, this `security`, and operations with these.
    fn asked(schemes: &Value, whole: Value, operations: &[Value]) -> Proposals {
        let one = |(n, security): (usize, &Value)| {
            let operation = if security.is_null() {
                json!({"summary": "A."})
            } else {
                json!({"summary": "A.", "security": security})
            };
            (format!("/o{n}"), json!({"get": operation}))
        };
        let paths: Map<String, Value> = operations.iter().enumerate().map(one).collect();
        let mut document = json!({"openapi": "3.0.3", "servers": [{"url": "https://a.example/v1"}], "paths": paths,
            "components": {"securitySchemes": schemes}});
        if !whole.is_null() {
            document["security"] = whole;
        }
        read(&document, None).unwrap()
    }

    fn ask(name: &str) -> Value {
        json!([{name: []}])
    }

    fn schemes() -> Value {
        json!({
            "Password": {"type": "oauth2", "flows": {"password": {"tokenUrl": "token", "scopes": {}}}},
            "Basic": {"type": "http", "scheme": "basic"},
            "Key": {"type": "apiKey", "in": "header", "name": "X-Key"},
            "Cookie": {"type": "apiKey", "in": "cookie", "name": "sid"},
            "Digest": {"type": "http", "scheme": "digest"},
        })
    }

    fn key() -> Auth {
        Auth::ApiKey { place: KeyPlace::Header, name: "X-Key".to_owned() }
    }

    #[test]
    fn what_the_operations_ask_for_is_chosen_where_the_whole_says_nothing() {
        let read = asked(
            &schemes(),
            Value::Null,
            &[ask("Basic"), ask("Key"), ask("Key"), json!([]), json!([{}, {"Basic": []}]), ask("Key")],
        );
        assert_eq!((&read.auth, read.warnings.len()), (&key(), 0), "{:?}", read.warnings);
        let doubtful: Vec<usize> = (0..5).filter(|n| !read.operations[*n].warnings.is_empty()).collect();
        assert_eq!(doubtful, [0]);
        let told = &read.operations[0].warnings[0];
        assert!(told.contains("'Basic', and the system's is 'Key'"), "{told}");
        // What can be used goes before what would need a person each time.
        let either = json!([{"Password": []}, {"Key": []}]);
        assert_eq!(asked(&schemes(), Value::Null, &[either.clone(), either]).auth, key());
    }

    #[test]
    fn what_the_whole_asks_for_goes_before_the_operations() {
        let read = asked(&schemes(), json!([{"Cookie": []}, {"Basic": []}]), &[ask("Key"), ask("Key"), Value::Null]);
        assert_eq!((read.auth.kind(), read.warnings.len()), (AuthType::Basic, 0));
        let doubtful = read.operations.iter().filter(|one| !one.warnings.is_empty()).count();
        assert_eq!(doubtful, 2);
    }

    #[test]
    fn what_is_not_known_here_is_told_and_nothing_else_is_taken_for_it() {
        for (name, kind, words) in [
            ("Cookie", AuthType::None, "a key in a cookie"),
            ("Digest", AuthType::None, "of the kind 'digest'"),
            ("Password", AuthType::Bearer, "enter one as bearer token"),
            ("Nowhere", AuthType::None, "does not describe"),
        ] {
            let read = asked(&schemes(), ask(name), &[Value::Null]);
            assert_eq!(read.auth.kind(), kind, "{name}");
            assert!(read.warnings.len() == 1 && read.warnings[0].contains(words), "{:?}", read.warnings);
        }
        let only = json!({"Oidc": {"type": "openIdConnect", "openIdConnectUrl": "https://a.example/x"}});
        let read = asked(&only, Value::Null, &[Value::Null]);
        assert!(read.warnings.join(" ").contains("OpenID Connect: enter an access token"), "{:?}", read.warnings);
        // Nobody asks for anything: what is known best is taken.
        assert_eq!(asked(&schemes(), Value::Null, &[Value::Null]).auth.kind(), AuthType::Basic);
    }

    #[test]
    fn a_client_gets_its_token_url_and_its_scopes() {
        let oauth = |url: &str| {
            json!({"O": {"type": "oauth2", "flows": {
            "authorizationCode": {"tokenUrl": "/code"}, "clientCredentials": {"tokenUrl": url, "scopes": {"a": "", "b": ""}}}}})
        };
        let parts = |read: &Proposals| match &read.auth {
            Auth::Oauth2 { grant: Grant::ClientCredentials, token_url, scopes, .. } => {
                (token_url.as_ref().map(Url::to_string).unwrap_or_default(), scopes.join(" "))
            }
            other => panic!("{other:?}"),
        };
        let named = asked(&oauth("oauth/token"), json!([{"O": ["b"]}]), &[json!([{"O": ["c", "b"]}])]);
        assert_eq!(parts(&named), ("https://a.example/v1/oauth/token".to_owned(), "b c".to_owned()));
        let described = asked(&oauth("/token"), ask("O"), &[]);
        assert_eq!(parts(&described), ("https://a.example/token".to_owned(), "a b".to_owned()));
        let wrong = asked(&oauth("ftp://a.example/token"), ask("O"), &[Value::Null]);
        assert!(parts(&wrong).0.is_empty() && wrong.warnings[0].contains("token URL in full"), "{:?}", wrong.warnings);
        let person = json!({"O": {"type": "oauth2", "flows": {"authorizationCode": {"tokenUrl": "/code"}}}});
        let read = asked(&person, ask("O"), &[Value::Null]);
        assert!(matches!(&read.auth, Auth::Oauth2 { grant: Grant::RefreshToken, token_url: Some(_), .. }));
        assert!(read.warnings[0].contains("refresh token"), "{:?}", read.warnings);
    }

    #[test]
    fn swagger_has_its_flow_beside_the_token_url() {
        let oauth = json!({"O": {"type": "oauth2", "flow": "application", "tokenUrl": "https://a.example/t", "scopes": {"r": ""}}});
        let document = json!({"swagger": "2.0", "securityDefinitions": oauth, "paths": {}});
        let Auth::Oauth2 { token_url, scopes, .. } = read(&document, None).unwrap().auth else { panic!() };
        assert_eq!((token_url.unwrap().as_str(), scopes), ("https://a.example/t", vec!["r".to_owned()]));
    }
}
