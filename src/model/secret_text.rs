//! Texts without the secrets that addresses in them carry: who asks, and values of a query with the name of a secret.

use std::{borrow::Cow, sync::LazyLock};

use regex::{Captures, Regex};

use super::{catalog::place::decode, secret::MASK, secret_name::may_be_secret};

/// How often an address may be encoded within another and still be looked into.
const MAX_LAYERS: usize = 3;

type Pattern = LazyLock<Result<Regex, regex::Error>>;

/// `user:password@` before a host, however many slashes stand there.
static USERINFO: Pattern = LazyLock::new(|| Regex::new(r#"(?i)(//|\b(?:https?|wss?|ftp):[/\\]*)([^/\\?\#\s"<>]+)@"#));
/// A name and its value in a query or a fragment.
static PAIR: Pattern = LazyLock::new(|| Regex::new(r#"([?&\#]|&amp;)([^?&\#=;\s"<>]+)=([^&\#\s"<>]+)"#));

/// A text whose addresses, and paths with a query, show no secret. All else in it stays.
pub fn without_secrets(text: &str) -> Cow<'_, str> {
    masked(text, MAX_LAYERS)
}

fn masked(text: &str, layers: usize) -> Cow<'_, str> {
    // Each pattern has one of these: most texts are done with here.
    if !text.contains(['@', '=']) {
        return Cow::Borrowed(text);
    }
    let (Ok(userinfo), Ok(pair)) = (USERINFO.as_ref(), PAIR.as_ref()) else { return Cow::Borrowed(MASK) };
    let part = |found: &Captures<'_>, at: usize| found.get(at).map_or("", |part| part.as_str()).to_owned();
    let nobody = userinfo.replace_all(text, |found: &Captures<'_>| format!("{}{MASK}@", part(found, 1)));
    let value = |found: &Captures<'_>| {
        let (sign, name, value) = (part(found, 1), part(found, 2), part(found, 3));
        let secret = may_be_secret(&decode(&name)) || holds_secret(&value, layers);
        format!("{sign}{name}={}", if secret { MASK } else { &value })
    };
    match pair.replace_all(&nobody, value) {
        Cow::Borrowed(_) => nobody,
        Cow::Owned(text) => Cow::Owned(text),
    }
}

/// Whether a value is an address, encoded, that carries a secret itself.
fn holds_secret(value: &str, layers: usize) -> bool {
    let mut text = value.to_owned();
    for _ in 0..layers {
        let plain = decode(&text);
        if plain == text {
            return false;
        }
        if masked(&plain, layers - 1) != plain {
            return true;
        }
        text = plain;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_show_no_secret() {
        for (text, shown) in [
            ("http://a.example/json?api_key=CANARY&sig=CANARY&n=1", "http://a.example/json?api_key=***&sig=***&n=1"),
            ("/x?token=CANARY", "/x?token=***"),
            ("?a=1&pass=CANARY#b", "?a=1&pass=***#b"),
            ("https://bob:CANARY@a.example/x", "https://***@a.example/x"),
            ("HTTPS:\\\\bob:CAN@ARY@a.example", "HTTPS:\\\\***@a.example"),
            ("http:bob:CANARY@a.example", "http:***@a.example"),
            ("postgres://bob:CANARY@db/x?sslmode=on", "postgres://***@db/x?sslmode=on"),
            ("https://a.example/cb#access_token=CANARY&state=1", "https://a.example/cb#access_token=***&state=1"),
            ("/x?api%5Fkey=CANARY", "/x?api%5Fkey=***"),
            ("/x?next=https%3A%2F%2Fa.example%2F%3Ftoken%3DCANARY&n=1", "/x?next=***&n=1"),
            ("/x?next=https%253A%252F%252Fbob%253ACANARY%2540a.example", "/x?next=***"),
            (
                "See https://a.example/?q=tea&amp;sid=CANARY (old),\nor <ws://u:CANARY@b.example>.",
                "See https://a.example/?q=tea&amp;sid=*** (old),\nor <ws://***@b.example>.",
            ),
            (r#"{"url": "/x?token=CANARY", "n": 1}"#, r#"{"url": "/x?token=***", "n": 1}"#),
        ] {
            assert_eq!(without_secrets(text), shown);
        }
    }

    #[test]
    fn ordinary_texts_stay_as_they_are() {
        for text in [
            "Write to bob@a.example, or git@github.com:o/r.git.",
            "https://a.example/@bob/posts?page=2&q=a%20b#top",
            "let key = 1; // @param pass\nif a == b { token = c }",
            "a = b && key = c; what? yes = no",
            "WHERE token = 5 AND pin=7",
            "user=bob",
            "https://a.example/100%/?x=%zz",
        ] {
            assert_eq!(without_secrets(text), text);
        }
    }
}
