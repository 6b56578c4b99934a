//! Putting a system's credential on a request, and nobody else's.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use serde_json::{Map, Value};
use url::Url;

use super::{rest::Target, token};
use satchel_app::App;
use satchel_engine::sanitise;
use satchel_model::{
    catalog::{
        auth::{Auth, AuthType, KeyPlace},
        credentials::Credentials,
        system::System,
    },
    error::{Error, Result},
    output::Output,
    secret::{MASK, Secret, forms},
};
use satchel_net::{
    http::{Http, Request},
    tls::{self, Identity, Tls},
};

/// Shortest part of a header that is hidden by itself: a shorter one would hide words.
const SHORTEST: usize = 6;

/// The credential that goes onto a request.
#[derive(Debug, Clone)]
pub enum Credential {
    /// Nothing.
    None,
    /// A header.
    Header(HeaderName, Secret),
    /// A parameter of the query.
    Query(String, Secret),
    /// A client certificate.
    Certificate(Box<Tls>),
}

/// A system's credential, ready to be used, and every secret it is made of.
#[derive(Debug, Clone)]
pub struct Ready {
    /// The credential that goes onto a request.
    pub credential: Credential,
    secrets: Vec<Secret>,
}

/// Makes a system's credential ready: from the vault, and from its token server where there is one. `http` is how the
/// token server is asked.
pub async fn prepare(app: &App, http: &Http, system: &System) -> Result<Ready> {
    let stored = app.stores.catalog.credentials(system).await?;
    let mut secrets: Vec<Secret> = stored.secrets().cloned().collect();
    let credential = match &stored.auth {
        Auth::None => Credential::None,
        Auth::ApiKey { place: KeyPlace::Header, name } => {
            Credential::Header(header(name)?, stored.require("api_key")?.clone())
        }
        Auth::ApiKey { place: KeyPlace::Query, name } => {
            Credential::Query(name.clone(), stored.require("api_key")?.clone())
        }
        Auth::Bearer => bearer(stored.require("token")?),
        Auth::Basic { username } => {
            let username = stored.get("username").map_or(username.as_str(), Secret::expose);
            let pair = format!("{username}:{}", stored.require("password")?.expose());
            Credential::Header(AUTHORIZATION, Secret::new(format!("Basic {}", STANDARD.encode(pair))))
        }
        Auth::Oauth2 { .. } => {
            let token = token::get(app, http, system, &stored).await?;
            secrets.push(token.clone());
            bearer(&token)
        }
        Auth::MutualTls => Credential::Certificate(Box::new(certificate(&stored)?)),
    };
    if let Credential::Header(_, value) = &credential {
        secrets.push(value.clone());
    }
    Ok(Ready { credential, secrets })
}

/// Makes a credential ready and calls with it. Where a token is refused, as it was taken back before its time,
/// one more is asked for, once. Gives the credential that was used last.
pub(super) async fn attempt<T, F: Future<Output = T>>(
    target: &Target<'_>,
    call: impl Fn(Ready) -> F,
    is_refused: impl Fn(&T) -> bool,
) -> Result<(Ready, T)> {
    let ready = prepare(target.app, target.http, target.system).await?;
    let outcome = call(ready.clone()).await;
    if target.system.auth.kind() != AuthType::Oauth2 || !is_refused(&outcome) {
        return Ok((ready, outcome));
    }
    target.app.net.calling.drop_token(&token::key(target.system));
    let ready = prepare(target.app, target.http, target.system).await?;
    let outcome = call(ready.clone()).await;
    Ok((ready, outcome))
}

/// The secrets in the headers a caller set, where the system has no credential of its own.
pub(super) fn given(headers: &HeaderMap) -> Vec<Secret> {
    let values = headers.values().filter(|value| value.is_sensitive()).filter_map(|value| value.to_str().ok());
    let mut secrets: Vec<String> = Vec::new();
    for value in values {
        // `Bearer <token>`, `Basic <user and password in base64>`, `name=value; name=value`.
        let after_scheme = value.split_once(' ').map(|(_, rest)| rest.trim().to_owned());
        let pair = after_scheme.as_ref().and_then(|rest| String::from_utf8(STANDARD.decode(rest).ok()?).ok());
        let password = pair.and_then(|pair| Some(pair.split_once(':')?.1.to_owned()));
        let crumbs = value.split(';').filter_map(|crumb| Some(crumb.split_once('=')?.1.trim().to_owned()));
        let parts = crumbs.chain(after_scheme).chain(password).filter(|part| part.chars().count() >= SHORTEST);
        secrets.extend(parts);
        secrets.push(value.to_owned());
    }
    secrets.into_iter().map(Secret::new).collect()
}

impl Ready {
    /// The same, with more secrets that may stand in no answer.
    #[must_use]
    pub(super) fn knowing(mut self, more: Vec<Secret>) -> Self {
        self.secrets.extend(more);
        self
    }

    /// Returns the result of a call, without the secrets of the credential.
    pub fn cleaned(&self, outcome: Result<Value>) -> Result<Output> {
        let forms = forms::of(self.secrets());
        match outcome {
            Ok(data) => Ok(Output::json(sanitise::hide(data, &forms))),
            Err(error) => Err(sanitise::hide_error(error, &forms)),
        }
    }

    /// Every secret of it: none may stand in an answer.
    pub fn secrets(&self) -> impl Iterator<Item = &str> {
        self.secrets.iter().map(Secret::expose)
    }

    /// Whom to trust and who to be, on a connection that is dialled.
    pub fn tls(&self) -> Tls {
        match &self.credential {
            Credential::Certificate(tls) => tls.as_ref().clone(),
            _ => Tls::default(),
        }
    }

    /// The header that carries it, if one does.
    pub fn headers(&self) -> Result<HeaderMap> {
        let mut headers = HeaderMap::new();
        if let Credential::Header(name, value) = &self.credential {
            let mut value = HeaderValue::from_str(value.expose()).map_err(|_| {
                Error::invalid(format!("The value for the header '{name}' holds what a header cannot."))
            })?;
            value.set_sensitive(true);
            headers.insert(name.clone(), value);
        }
        Ok(headers)
    }

    /// The way out, with the client certificate where there is one.
    pub fn way(&self, http: &Http) -> Http {
        match &self.credential {
            Credential::Certificate(tls) => http.with_tls(tls.as_ref().clone()),
            _ => http.clone(),
        }
    }

    /// Puts it onto a request.
    pub fn put_on(&self, request: Request) -> Result<Request> {
        match &self.credential {
            Credential::None | Credential::Certificate(_) => Ok(request),
            Credential::Header(name, value) => request.secret_header(name.clone(), value.expose()),
            Credential::Query(name, value) => {
                let mut request = request;
                put_in_query(&mut request.url, name, value);
                Ok(request)
            }
        }
    }
}

/// Returns secrets as they are stored: a token has the word `Bearer` before it only where it was copied out of a
/// header, and a certificate needs its own key.
///
/// # Errors
///
/// If they could never be sent.
pub async fn checked(app: &App, system: &System, mut values: Map<String, Value>) -> Result<Map<String, Value>> {
    match &system.auth {
        Auth::Bearer => {
            if let Some(Value::String(token)) = values.get_mut("token") {
                *token = bare_token(token)?;
            }
        }
        Auth::MutualTls => require_certificate(app, system, &values).await?,
        _ => {}
    }
    Ok(values)
}

fn bare_token(text: &str) -> Result<String> {
    let mut bare = text.trim();
    for word in ["authorization:", "bearer "] {
        let start = bare.get(..word.len()).filter(|start| start.eq_ignore_ascii_case(word));
        bare = start.map_or(bare, |_| bare.get(word.len()..).unwrap_or_default()).trim();
    }
    if bare.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err(Error::invalid("A bearer token has no spaces in it: enter the token alone."));
    }
    Ok(bare.to_owned())
}

async fn require_certificate(app: &App, system: &System, values: &Map<String, Value>) -> Result<()> {
    let stored = app.stores.catalog.credentials(system).await?;
    let now = |name: &str| match values.get(name) {
        None => stored.get(name).cloned(),
        Some(Value::String(text)) if text == MASK => stored.get(name).cloned(),
        Some(Value::String(text)) => Some(Secret::new(text.trim())).filter(|secret| !secret.expose().is_empty()),
        Some(_) => None,
    };
    // What is not given now was looked at when it was.
    let is_given = |name: &str| matches!(values.get(name), Some(Value::String(text)) if text != MASK);
    if !["certificate", "private_key", "ca"].into_iter().any(is_given) {
        return Ok(());
    }
    let (ca, certificate, key) = (now("ca"), now("certificate"), now("private_key"));
    tls::require_sound(ca.as_ref().map(Secret::expose), certificate.as_ref().map(Secret::expose), key.as_ref())
}

fn put_in_query(url: &mut Url, name: &str, value: &Secret) {
    url.query_pairs_mut().append_pair(name, value.expose());
}

fn bearer(token: &Secret) -> Credential {
    Credential::Header(AUTHORIZATION, Secret::new(format!("Bearer {}", token.expose())))
}

fn header(name: &str) -> Result<HeaderName> {
    HeaderName::from_bytes(name.as_bytes()).map_err(|_| Error::invalid(format!("'{name}' is no name of a header.")))
}

fn certificate(stored: &Credentials) -> Result<Tls> {
    let identity = Identity {
        certificates: stored.require("certificate")?.expose().to_owned(),
        key: stored.require("private_key")?.clone(),
    };
    let roots = stored.get("ca").map(|ca| ca.expose().to_owned());
    Ok(Tls { roots, identity: Some(identity), ..Tls::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_stored_without_the_words_before_it() {
        for pasted in ["abc.def", " Bearer abc.def\n", "bearer  abc.def", "Authorization: Bearer abc.def"] {
            assert_eq!(bare_token(pasted).unwrap(), "abc.def", "{pasted}");
        }
        assert_eq!(bare_token("bearerish").unwrap(), "bearerish");
        assert!(bare_token("Token abc").is_err());
    }
}
