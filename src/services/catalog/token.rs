//! Access tokens (RFC 6749): fetched once, kept until they end, and renewed secrets kept in the vault.

use std::time::{Duration, Instant};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use reqwest::{
    Method, StatusCode,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue},
};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use url::form_urlencoded;

use satchel_app::{App, calling::Token};
use satchel_engine::sanitise;
use satchel_model::{
    catalog::{
        auth::{Auth, ClientProof, Grant},
        credentials::Credentials,
        system::System,
    },
    error::{Error, Kind, Result},
    secret::{Secret, forms},
};
use satchel_net::http::{Http, Request, Response};

/// The time a token is kept where its server does not say.
const UNSAID: u64 = 300;
/// A token that ends this soon is not used any more.
const MARGIN: u64 = 30;
/// Longest answer of a token server.
const MAX_ANSWER: usize = 256 * 1024;

#[derive(Deserialize)]
struct Granted {
    access_token: Secret,
    #[serde(default)]
    token_type: Option<String>,
    #[serde(default, deserialize_with = "seconds")]
    expires_in: Option<u64>,
    #[serde(default)]
    refresh_token: Option<Secret>,
}

/// Seconds as a number or, as some servers write them, as a text; what is neither is as if unsaid.
fn seconds<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<Option<u64>, D::Error> {
    Ok(match Value::deserialize(from)? {
        Value::Number(number) => number.as_u64().or_else(|| number.as_f64().map(|seconds| seconds as u64)),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    })
}

#[derive(Deserialize)]
struct Refused {
    error: String,
    #[serde(default)]
    error_description: Option<String>,
}

/// Returns the key a system's token is kept under: another address, another client or another scope is another token.
pub(super) fn key(system: &System) -> String {
    let auth = serde_json::to_string(&system.auth).unwrap_or_default();
    format!("{} {auth}", system.binding())
}

/// The token of a system, asked for where none is at hand.
pub(super) async fn get(app: &App, http: &Http, system: &System, stored: &Credentials) -> Result<Secret> {
    let key = key(system);
    if let Some(token) = app.net.calling.token(&key) {
        return Ok(token);
    }
    let asking = app.net.calling.asking(&key);
    let _one = asking.lock().await;
    if let Some(token) = app.net.calling.token(&key) {
        return Ok(token);
    }
    // Another call may have renewed the refresh token meanwhile.
    let fresh = app.stores.catalog.credentials(system).await?;
    let granted = ask(http, system, if fresh.secrets().next().is_some() { &fresh } else { stored }).await?;
    if let Some(renewed) = granted.refresh_token {
        app.stores.catalog.renew_secret(system, "refresh_token", renewed, app.clock.now()).await?;
    }
    let lasts = granted.expires_in.unwrap_or(UNSAID).saturating_sub(MARGIN);
    let until = Instant::now() + Duration::from_secs(lasts.min(86_400));
    app.net.calling.keep_token(&key, Token { token: granted.access_token.clone(), until });
    Ok(granted.access_token)
}

async fn ask(http: &Http, system: &System, stored: &Credentials) -> Result<Granted> {
    let request = request(system, stored)?;
    let response = http.aside().send(request).await?;
    read(response, system, stored).await
}

fn request(system: &System, stored: &Credentials) -> Result<Request> {
    let Auth::Oauth2 { grant, token_url, client_id, scopes, client_proof, audience } = &stored.auth else {
        return Err(Error::internal("a token for a system without oauth2"));
    };
    let url = token_url.clone().ok_or_else(|| {
        let told = format!("The system '{}' has no token_url: enter it in the console, under Catalog.", system.name);
        Error::new(Kind::Unconfigured, told)
    })?;
    let secret = match grant {
        Grant::ClientCredentials => Some(stored.require("client_secret")?),
        Grant::RefreshToken => stored.get("client_secret"),
    };
    let mut form = form_urlencoded::Serializer::new(String::new());
    match grant {
        Grant::ClientCredentials => form.append_pair("grant_type", "client_credentials"),
        Grant::RefreshToken => form
            .append_pair("grant_type", "refresh_token")
            .append_pair("refresh_token", stored.require("refresh_token")?.expose()),
    };
    if !scopes.is_empty() {
        form.append_pair("scope", &scopes.join(" "));
    }
    if let Some(audience) = audience {
        form.append_pair("audience", audience);
    }
    let in_header = *client_proof == ClientProof::Header && secret.is_some();
    if !in_header {
        form.append_pair("client_id", client_id);
        if let Some(secret) = secret {
            form.append_pair("client_secret", secret.expose());
        }
    }
    let mut request = Request::new(Method::POST, url);
    request.body = form.finish().into();
    request.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded"));
    request.headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
    match secret.filter(|_| in_header) {
        None => Ok(request),
        Some(secret) => {
            let coded = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
            let pair = format!("{}:{}", coded(client_id), coded(secret.expose()));
            request.secret_header(AUTHORIZATION, &format!("Basic {}", STANDARD.encode(pair)))
        }
    }
}

async fn read(response: Response, system: &System, stored: &Credentials) -> Result<Granted> {
    let status = response.status;
    let bytes = response.bytes(MAX_ANSWER).await?;
    if !status.is_success() {
        return Err(refusal((status, &bytes), system, stored));
    }
    // The text of the failure could quote the token.
    let granted: Granted = serde_json::from_slice(&bytes).map_err(|_| {
        Error::upstream(format!("The token server of '{}' answered without an access_token.", system.name))
    })?;
    match &granted.token_type {
        Some(kind) if !kind.eq_ignore_ascii_case("bearer") => {
            let kind: String = kind.chars().take(40).collect();
            Err(Error::upstream(format!(
                "The token server of '{}' gives tokens of the kind '{kind}': only Bearer is known.",
                system.name
            )))
        }
        _ => Ok(granted),
    }
}

/// Returns the error for a refusal (RFC 6749, 5.2).
fn refusal((status, bytes): (StatusCode, &[u8]), system: &System, stored: &Credentials) -> Error {
    let refused = serde_json::from_slice::<Refused>(bytes).ok();
    let code = refused.as_ref().map(|refused| refused.error.clone()).unwrap_or_default();
    let words = refused.map_or_else(String::new, |refused| {
        let more = refused.error_description.map_or_else(String::new, |more| format!(" ({more})"));
        format!(": {}{more}", refused.error)
    });
    let words: String = words.chars().take(500).collect();
    let forms = forms::of(stored.secrets().map(Secret::expose));
    let words = sanitise::hide_text(&words, &forms);
    let (kind, advice) = advice(status.as_u16(), &code, &stored.auth);
    let told = format!("The token server of '{}' answered {}{words}. {advice}", system.name, status.as_u16());
    Error::new(kind, told)
}

fn advice(status: u16, code: &str, auth: &Auth) -> (Kind, &'static str) {
    let renews = matches!(auth, Auth::Oauth2 { grant: Grant::RefreshToken, .. });
    let by_person = match (code, status) {
        (_, 429 | 500..=599) => return (Kind::Upstream, "Try again later."),
        ("invalid_grant", _) if renews => {
            "The refresh token has ended, was used already or was taken back: sign in there anew and enter the new one in \
             the console, under Catalog, Credentials."
        }
        ("invalid_scope", _) => "Check the scopes of the system: the token server does not grant them.",
        ("unsupported_grant_type" | "unauthorized_client", _) => {
            "This client may not ask in this way: choose the other grant, or allow it at the token server."
        }
        (_, 300..=399 | 404 | 405) => "Check the token_url.",
        _ => "Check client id and secrets, and how the client proves itself.",
    };
    (Kind::Unconfigured, by_person)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_says_what_is_to_be_done_about_it() {
        let renewing = Auth::Oauth2 {
            grant: Grant::RefreshToken,
            token_url: None,
            client_id: "me".to_owned(),
            scopes: Vec::new(),
            client_proof: ClientProof::Header,
            audience: None,
        };
        for (status, code, kind, wanted) in [
            (400, "invalid_grant", Kind::Unconfigured, "refresh token has ended"),
            (401, "invalid_client", Kind::Unconfigured, "client id and secrets"),
            (400, "invalid_scope", Kind::Unconfigured, "scopes"),
            (307, "", Kind::Unconfigured, "token_url"),
            (503, "", Kind::Upstream, "later"),
        ] {
            let (is, told) = advice(status, code, &renewing);
            assert!(is == kind && told.contains(wanted), "{status} {code}: {told}");
        }
    }

    #[test]
    fn a_tokens_end_is_read_as_a_number_or_a_text() {
        for (said, wanted) in [
            ("3600", Some(3600)),
            ("\"3600\"", Some(3600)),
            ("60.5", Some(60)),
            ("\"soon\"", None),
            ("null", None),
            ("-1", Some(0)),
        ] {
            let granted: Granted =
                serde_json::from_str(&format!("{{\"access_token\": \"t\", \"expires_in\": {said}}}")).unwrap();
            assert_eq!(granted.expires_in, wanted, "{said}");
        }
    }
}
