//! The authentication a system wants: the kind of credential and its parts that are no secret.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::{
    error::{Error, Result},
    provider::parse_url,
};

/// The kinds of credential (F's `auth_type`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AuthType {
    /// None is sent.
    #[default]
    None,
    /// An access token fetched with OAuth 2.0.
    Oauth2,
    /// A key in a header or in the query.
    ApiKey,
    /// User name and password.
    Basic,
    /// A fixed token.
    Bearer,
    /// A client certificate.
    MutualTls,
}

/// The place of an API key in a request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum KeyPlace {
    /// In a header.
    #[default]
    Header,
    /// In the query.
    Query,
}

/// The way an access token is asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Grant {
    /// As this program itself.
    #[default]
    ClientCredentials,
    /// With a refresh token somebody was given.
    RefreshToken,
}

/// The way the client shows itself to the token server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClientProof {
    /// In the `Authorization` header.
    #[default]
    Header,
    /// In the form.
    Body,
}

/// The way a system wants to be asked. Secrets are in the vault, under the names [`Auth::secrets`] gives.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
#[schema(as = SystemAuth)]
pub enum Auth {
    /// No credential.
    #[default]
    None,
    /// A key.
    ApiKey {
        /// Header or query.
        #[serde(default, rename = "in")]
        place: KeyPlace,
        /// The name of the header or of the query parameter.
        #[serde(default = "default_key_name")]
        #[schema(min_length = 1, max_length = 100, pattern = r"^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")]
        name: String,
    },
    /// User name and password.
    Basic {
        /// The user name, where it is no secret.
        #[serde(default)]
        #[schema(pattern = r"^[^:\x00-\x1f\x7f-\x9f]*$")]
        username: String,
    },
    /// A fixed token.
    Bearer,
    /// OAuth 2.0.
    Oauth2 {
        /// The way the token is asked for.
        #[serde(default)]
        grant: Grant,
        /// The address of the token server.
        #[serde(default)]
        #[schema(value_type = Option<String>, pattern = r"^https?://\S+$")]
        token_url: Option<Url>,
        /// As whom.
        #[serde(default)]
        client_id: String,
        /// For what.
        #[serde(default)]
        scopes: Vec<String>,
        /// The way the client shows itself.
        #[serde(default)]
        client_proof: ClientProof,
        /// For whom the token is, where the server asks.
        #[serde(default)]
        audience: Option<String>,
    },
    /// A client certificate.
    MutualTls,
}

fn default_key_name() -> String {
    "X-API-Key".to_owned()
}

/// One secret a kind of credential is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SecretPart {
    /// Its name in the vault and in the API.
    pub name: &'static str,
    /// `true` if calls fail without it.
    pub required: bool,
    /// `true` if the empty text is a value of it.
    pub may_be_empty: bool,
    /// A description of what to enter.
    pub description: &'static str,
}

const fn part(name: &'static str, required: bool, description: &'static str) -> SecretPart {
    SecretPart { name, required, may_be_empty: false, description }
}

impl Auth {
    /// A credential of this kind with nothing said of it yet.
    pub fn of_type(kind: AuthType) -> Self {
        match kind {
            AuthType::None => Self::None,
            AuthType::ApiKey => Self::ApiKey { place: KeyPlace::Header, name: default_key_name() },
            AuthType::Basic => Self::Basic { username: String::new() },
            AuthType::Bearer => Self::Bearer,
            AuthType::MutualTls => Self::MutualTls,
            AuthType::Oauth2 => Self::Oauth2 {
                grant: Grant::default(),
                token_url: None,
                client_id: String::new(),
                scopes: Vec::new(),
                client_proof: ClientProof::default(),
                audience: None,
            },
        }
    }

    /// Its kind.
    pub fn kind(&self) -> AuthType {
        match self {
            Self::None => AuthType::None,
            Self::ApiKey { .. } => AuthType::ApiKey,
            Self::Basic { .. } => AuthType::Basic,
            Self::Bearer => AuthType::Bearer,
            Self::Oauth2 { .. } => AuthType::Oauth2,
            Self::MutualTls => AuthType::MutualTls,
        }
    }

    /// The secrets it is made of.
    pub fn secrets(&self) -> &'static [SecretPart] {
        const KEY: &[SecretPart] = &[part("api_key", true, "The key.")];
        // RFC 7617 allows the empty password; of some systems the user name is the key.
        const PASSWORD: &[SecretPart] = &[
            part(
                "username",
                false,
                "The user name, where it is a secret such as an API key; it is sent in place of the open one.",
            ),
            SecretPart {
                may_be_empty: true,
                ..part("password", true, "The password; empty where the system wants none.")
            },
        ];
        const TOKEN: &[SecretPart] = &[part("token", true, "The token, without the word Bearer.")];
        const CLIENT: &[SecretPart] = &[part("client_secret", true, "The client's secret.")];
        const REFRESH: &[SecretPart] = &[
            part("refresh_token", true, "The refresh token."),
            part("client_secret", false, "The client's secret, where it has one."),
        ];
        const CERTIFICATE: &[SecretPart] = &[
            part("certificate", true, "The client certificate and its chain, PEM."),
            part("private_key", true, "Its private key, PEM."),
            part("ca", false, "The authority the server's certificate is of, PEM; the usual ones where empty."),
        ];
        match self {
            Self::None => &[],
            Self::ApiKey { .. } => KEY,
            Self::Basic { .. } => PASSWORD,
            Self::Bearer => TOKEN,
            Self::Oauth2 { grant: Grant::ClientCredentials, .. } => CLIENT,
            Self::Oauth2 { grant: Grant::RefreshToken, .. } => REFRESH,
            Self::MutualTls => CERTIFICATE,
        }
    }

    /// The token server, where there is one.
    pub fn token_url(&self) -> Option<&Url> {
        match self {
            Self::Oauth2 { token_url, .. } => token_url.as_ref(),
            _ => None,
        }
    }

    /// The name of the header that carries it, lower case: a caller may not set it.
    pub fn header(&self) -> Option<String> {
        match self {
            Self::None | Self::MutualTls => None,
            Self::ApiKey { place: KeyPlace::Query, .. } => None,
            Self::ApiKey { place: KeyPlace::Header, name } => Some(name.to_lowercase()),
            Self::Basic { .. } | Self::Bearer | Self::Oauth2 { .. } => Some("authorization".to_owned()),
        }
    }

    /// The name of the query parameter that carries it: a caller may not set it.
    pub fn query(&self) -> Option<&str> {
        match self {
            Self::ApiKey { place: KeyPlace::Query, name } => Some(name),
            _ => None,
        }
    }

    /// Checks that every part can be used.
    ///
    /// # Errors
    ///
    /// If one cannot.
    pub fn require_sound(&self) -> Result<()> {
        match self {
            Self::ApiKey { place, name } => {
                let token = |c: char| c.is_ascii_alphanumeric() || "-_.~!#$%&'*+^`|".contains(c);
                let fits = !name.is_empty() && name.len() <= 100 && name.chars().all(token);
                let where_ = if *place == KeyPlace::Header { "header" } else { "query parameter" };
                let wrong = || {
                    Error::invalid(format!(
                        "The name of the key's {where_} is 1 to 100 letters, digits or characters of -_.~!#$%&'*+^`|."
                    ))
                };
                fits.then_some(()).ok_or_else(wrong)
            }
            Self::Basic { username } if username.contains(':') || username.chars().any(char::is_control) => {
                Err(Error::invalid("A user name of basic authentication holds no colon and no control character."))
            }
            Self::Oauth2 { token_url: Some(url), .. } => parse_url(url.as_str()).map(drop),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn parts_have_defaults_and_unknown_ones_are_refused() {
        let read = |value| serde_json::from_value::<Auth>(value);
        assert_eq!(read(json!({"type": "api_key"})).unwrap(), Auth::of_type(AuthType::ApiKey));
        assert_eq!(read(json!({"type": "oauth2"})).unwrap(), Auth::of_type(AuthType::Oauth2));
        assert!(read(json!({"type": "api_key", "key": "secret"})).is_err());
    }

    #[test]
    fn the_header_of_a_credential_is_known() {
        let key = Auth::ApiKey { place: KeyPlace::Header, name: "X-Key".to_owned() };
        assert_eq!(key.header().as_deref(), Some("x-key"));
        assert_eq!(Auth::Bearer.header().as_deref(), Some("authorization"));
        let query = Auth::ApiKey { place: KeyPlace::Query, name: "k".to_owned() };
        assert_eq!((query.header(), query.query()), (None, Some("k")));
    }

    #[test]
    fn a_header_name_with_a_line_break_is_refused() {
        for name in ["", "a b", "a\nb", "a:b", "ä"] {
            assert!(Auth::ApiKey { place: KeyPlace::Header, name: name.to_owned() }.require_sound().is_err(), "{name}");
        }
    }
}
