//! The authentication of a curl command: the kind of credential it needs. What it holds is never taken over.

use url::Url;

use super::curl_command::Command;
use satchel_model::{
    catalog::auth::{Auth, AuthType, KeyPlace},
    secret_name::is_credential,
};

/// The header of cookies.
const COOKIE: &str = "Cookie";

/// The credential a command asks with.
pub(super) fn auth(command: &Command, url: &Url) -> Auth {
    proofs(command, url).into_iter().next().map_or(Auth::None, |(_, auth)| auth)
}

/// Returns what is to be known of the credential of a command, in words.
pub(super) fn warnings(command: &Command, url: &Url) -> Vec<String> {
    let mut told: Vec<String> = Vec::new();
    if let Some(proof) = &command.unknown_proof {
        told.push(format!(
            "It proves who asks by --{proof}, which is not known here: choose another way under Credentials."
        ));
    }
    let proofs = proofs(command, url);
    if let [(first, auth), others @ ..] = proofs.as_slice() {
        let others: Vec<&str> = others.iter().map(|(name, _)| name.as_str()).collect();
        if !others.is_empty() {
            let others = others.join(", ");
            told.push(format!(
                "Who asks is proven in several ways, and a system has one: {first} is proposed, and {others} is not \
                 sent. Calls that need both are refused: look for a way with one, such as an API token."
            ));
        }
        if matches!(auth, Auth::ApiKey { name, .. } if name == "Authorization") {
            told.push("Its key is the whole header Authorization, with the word before it: enter both.".to_owned());
        }
    }
    let is_basic = matches!(proofs.first(), Some((_, Auth::Basic { .. })));
    if is_basic && (command.no_password || (!url.username().is_empty() && url.password().is_none())) {
        told.push(
            "It sends a user name without a password. Where that is a key, enter it under Credentials as username, and \
             leave the password empty."
                .to_owned(),
        );
    }
    told
}

/// Every credential of a command by its name, the one to be taken first.
fn proofs(command: &Command, url: &Url) -> Vec<(String, Auth)> {
    let mut found: Vec<(String, Auth)> = Vec::new();
    let mut add = |name: &str, auth: Auth| {
        if !found.iter().any(|(known, _)| known.eq_ignore_ascii_case(name)) {
            found.push((name.to_owned(), auth));
        }
    };
    if command.certificate {
        add("the client certificate", Auth::MutualTls);
    }
    if command.bearer {
        add("Authorization", Auth::Bearer);
    }
    if command.basic || !url.username().is_empty() {
        add("Authorization", Auth::of_type(AuthType::Basic));
    }
    // What guards against forged requests is nothing without the session it belongs to.
    let is_guard = |name: &str| ["csrf", "xsrf"].iter().any(|word| name.to_lowercase().contains(word));
    let key = |name: &str| Auth::ApiKey { place: KeyPlace::Header, name: name.to_owned() };
    for header in command.headers.iter().filter(|header| !is_guard(&header.name)) {
        if header.lower() == "authorization" {
            add("Authorization", of_authorization(&header.value));
        } else if is_credential(&header.name) {
            add(&header.name, key(&header.name));
        }
    }
    if command.cookies {
        add(COOKIE, key(COOKIE));
    }
    for header in command.headers.iter().filter(|header| is_guard(&header.name)) {
        add(&header.name, key(&header.name));
    }
    if found.is_empty() {
        let in_query = url.query_pairs().find(|(name, _)| is_credential(name) || name == "key");
        found.extend(
            in_query
                .map(|(name, _)| (name.to_string(), Auth::ApiKey { place: KeyPlace::Query, name: name.into_owned() })),
        );
    }
    found
}

/// By the scheme of the header; of one that is not known the whole value is the key.
fn of_authorization(value: &str) -> Auth {
    match value.split_whitespace().next().unwrap_or_default().to_lowercase().as_str() {
        "basic" => Auth::of_type(AuthType::Basic),
        "bearer" => Auth::Bearer,
        _ => Auth::ApiKey { place: KeyPlace::Header, name: "Authorization".to_owned() },
    }
}
