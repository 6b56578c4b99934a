//! The statements of a document about the system itself, which an import into a known system leaves as it is.

use url::Url;

use satchel_model::catalog::{
    auth::{Auth, KeyPlace},
    proposal::Proposals,
    system::System,
};

/// Returns what the document says otherwise than the system has it, in words: nobody believes it was taken over.
pub fn kept(system: &System, read: &Proposals) -> Vec<String> {
    [base_url(system, read), credential(system, read)].into_iter().flatten().collect()
}

fn base_url(system: &System, read: &Proposals) -> Option<String> {
    let said = read.base_url.as_deref()?;
    let plain = |text: &str| text.trim_end_matches('/').to_owned();
    let parsed = Url::parse(said).map_or_else(|_| plain(said), |url| plain(url.as_str()));
    let own = system.base_url.as_ref().map(|url| plain(url.as_str()));
    match own {
        Some(own) if own == parsed => None,
        Some(own) => Some(format!(
            "The document is for {parsed}; calls still go to {own}, the base URL of this system. If it has moved, \
             change that on the page of the system."
        )),
        None => Some(format!("The document is for {parsed}; this system has no base URL: enter it on its page.")),
    }
}

fn credential(system: &System, read: &Proposals) -> Option<String> {
    if read.auth == Auth::None || is_same(&read.auth, &system.auth) {
        return None;
    }
    let (said, own) = (words(&read.auth), words(&system.auth));
    Some(format!(
        "The document asks for {said}; this system still sends {own}. If that has changed, choose it on the page of \
         the system, and enter its secret there."
    ))
}

/// Returns whether a credential of one is sent as that of the other: who asks is the system's own matter.
fn is_same(a: &Auth, b: &Auth) -> bool {
    match (a, b) {
        (Auth::ApiKey { place: KeyPlace::Header, name: a }, Auth::ApiKey { place: KeyPlace::Header, name: b }) => {
            a.eq_ignore_ascii_case(b)
        }
        (Auth::ApiKey { .. }, Auth::ApiKey { .. }) => a == b,
        _ => a.kind() == b.kind(),
    }
}

fn words(auth: &Auth) -> String {
    match auth {
        Auth::None => "no credential".to_owned(),
        Auth::ApiKey { place: KeyPlace::Header, name } => format!("a key in the header '{name}'"),
        Auth::ApiKey { place: KeyPlace::Query, name } => format!("a key in the query parameter '{name}'"),
        Auth::Basic { .. } => "a user name and password".to_owned(),
        Auth::Bearer => "a bearer token".to_owned(),
        Auth::Oauth2 { .. } => "a token fetched with OAuth 2.0".to_owned(),
        Auth::MutualTls => "a client certificate".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use satchel_model::{catalog::draft::SystemDraft, time::Time};
    use serde_json::{Value, json};

    fn differences(auth: Value, base_url: Option<&str>, document: Value) -> Vec<String> {
        let draft = json!({"name": "x", "base_url": "https://a.example/v1", "auth": auth});
        let draft: SystemDraft = serde_json::from_value(draft).unwrap();
        let system = draft.into_new(&Default::default(), Time::from_millis(0)).unwrap();
        let (base_url, auth) = (base_url.map(str::to_owned), serde_json::from_value(document).unwrap());
        kept(&system, &Proposals { base_url, auth, ..Proposals::default() })
    }

    #[test]
    fn what_the_document_says_otherwise_is_told_and_what_is_the_same_is_not() {
        let (none, key) = (json!({"type": "none"}), json!({"type": "api_key", "in": "header", "name": "X-Key"}));
        let moved = differences(none.clone(), Some("https://b.example/v1/"), key.clone());
        assert_eq!(moved.len(), 2);
        assert!(moved[0].contains("https://b.example/v1; calls still go to https://a.example/v1,"), "{moved:?}");
        assert!(moved[1].contains("a key in the header 'X-Key'; this system still sends no credential"), "{moved:?}");
        let lower = json!({"type": "api_key", "in": "header", "name": "x-key"});
        for (own, base, document) in [
            (key.clone(), Some("https://A.example/v1/"), lower),
            (json!({"type": "basic", "username": "me"}), None, json!({"type": "basic"})),
            (key, None, none),
        ] {
            assert_eq!(differences(own, base, document), [""; 0]);
        }
    }
}
