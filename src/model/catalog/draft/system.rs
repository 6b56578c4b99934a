//! Drafts of systems: what somebody writes of one, and the system that comes of it.

use std::collections::BTreeSet;

use serde::Deserialize;
use url::Url;

use super::{line, present, slug::unique_slug, text};
use crate::{
    catalog::{
        auth::Auth,
        pace::{self, RateLimit},
        status::SystemStatus,
        system::{System, SystemId},
    },
    error::{Error, Result},
    time::Time,
};

/// Most tags, and longest tag.
const MAX_TAGS: (usize, usize) = (30, 50);

/// A system as somebody writes it. Fields left out stay, or have their default in a new one.
#[derive(Debug, Clone, Default, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SystemDraft {
    /// The name people call it by; a new system needs one.
    #[schema(
        min_length = 1,
        max_length = 100,
        pattern = r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$"
    )]
    pub name: Option<String>,
    /// A description of what it is.
    #[schema(max_length = 4000)]
    pub description: Option<String>,
    /// The URL every path is put under; null for none.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, pattern = r"^$|^(https?|wss?)://[^\s/?#@]+(/[^\s?#]*)?$")]
    pub base_url: Option<Option<String>>,
    /// Words to find it by; they replace those there are.
    #[schema(max_items = 30)]
    pub tags: Option<Vec<String>>,
    /// Its authentication.
    pub auth: Option<Auth>,
    /// Its rate limit; null for no limit.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<RateLimit>)]
    pub rate_limit: Option<Option<RateLimit>>,
    /// Number of times a call that may be repeated is tried again, 0 to 5.
    #[schema(maximum = 5)]
    pub retries: Option<u8>,
    /// Seconds it has to answer, 1 to 300.
    #[schema(minimum = 1, maximum = 300)]
    pub timeout_s: Option<u16>,
}

impl SystemDraft {
    /// The system this describes where there was none: a draft.
    pub fn into_new(self, slugs: &BTreeSet<String>, now: Time) -> Result<System> {
        let name = self.name.clone().ok_or_else(|| Error::invalid("Say the name of the system."))?;
        let blank = System {
            id: SystemId::new(),
            slug: unique_slug(&name, "system", slugs),
            name,
            description: String::new(),
            base_url: None,
            tags: Vec::new(),
            status: SystemStatus::Draft,
            auth: Auth::None,
            rate_limit: None,
            retries: pace::RETRIES,
            timeout_s: pace::TIMEOUT,
            waiting: None,
            origin: None,
            created_at: now,
            updated_at: now,
        };
        self.apply(blank, slugs, now)
    }

    /// The system with these changes. `slugs` are those of the others.
    pub fn apply(self, old: System, slugs: &BTreeSet<String>, now: Time) -> Result<System> {
        let base_url = match self.base_url {
            None => old.base_url,
            Some(None) => None,
            Some(Some(text)) if text.trim().is_empty() => None,
            Some(Some(text)) => Some(base_url(&text)?),
        };
        let name = line(self.name.unwrap_or_else(|| old.name.clone()), "name of a system")?;
        let auth = self.auth.unwrap_or(old.auth);
        auth.require_sound()?;
        let rate_limit = self.rate_limit.unwrap_or(old.rate_limit);
        rate_limit.map_or(Ok(()), RateLimit::require_sound)?;
        let retries = self.retries.unwrap_or(old.retries);
        pace::require_retries(retries)?;
        let timeout_s = self.timeout_s.unwrap_or(old.timeout_s);
        pace::require_timeout(timeout_s)?;
        Ok(System {
            slug: if name == old.name { old.slug } else { unique_slug(&name, "system", slugs) },
            name,
            description: text(self.description.unwrap_or(old.description), "description")?,
            base_url,
            tags: self.tags.map_or(Ok(old.tags), tags)?,
            auth,
            rate_limit,
            retries,
            timeout_s,
            updated_at: now,
            ..old
        })
    }
}

/// A base URL: an address with a host, without user name, query and fragment.
pub fn base_url(text: &str) -> Result<Url> {
    let wrong = || {
        Error::invalid(
            "The base_url must be a URL such as https://crm.example.org/api, without user name, query or fragment.",
        )
    };
    let url = Url::parse(text.trim()).map_err(|_| wrong())?;
    let known = matches!(url.scheme(), "http" | "https" | "ws" | "wss") && url.host_str().is_some();
    let plain =
        url.username().is_empty() && url.password().is_none() && url.query().is_none() && url.fragment().is_none();
    (known && plain && url.as_str().len() <= 2_000).then_some(url).ok_or_else(wrong)
}

fn tags(given: Vec<String>) -> Result<Vec<String>> {
    let (most, longest) = MAX_TAGS;
    let mut tags: Vec<String> = Vec::new();
    for tag in given {
        let tag = tag.trim().to_owned();
        if tag.chars().count() > longest || tag.chars().any(char::is_control) {
            return Err(Error::invalid(format!("A tag is at most {longest} characters on one line.")));
        }
        if !tag.is_empty() && !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    if tags.len() <= most { Ok(tags) } else { Err(Error::invalid(format!("There are at most {most} tags."))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_url_names_a_host_and_nothing_secret() {
        assert!(base_url("https://a.example/x").is_ok() && base_url("wss://a.example").is_ok());
        for text in ["", "a.example", "ftp://a/", "https://u:p@a.example", "https://a.example/?key=1", "file:///etc"] {
            assert!(base_url(text).is_err(), "{text}");
        }
    }
}
