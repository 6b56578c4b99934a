//! Texts without the secrets in them: those that addresses carry, who asks and values of a query with the name of a
//! secret; those that stand behind such a name, as in a header or a setting; and those that are known by their shape.

mod behind;

use std::{borrow::Cow, sync::LazyLock};

use regex::{Captures, Regex};

use super::{catalog::place::decode, secret::MASK, secret_name::may_be_secret};

/// The number of times an address may be encoded within another and still be looked into.
const MAX_LAYERS: usize = 3;

type Pattern = LazyLock<Result<Regex, regex::Error>>;

/// `user:password@` before a host, however many slashes stand there.
static USERINFO: Pattern = LazyLock::new(|| Regex::new(r#"(?i)(//|\b(?:https?|wss?|ftp):[/\\]*)([^/\\?\#\s"<>]+)@"#));
/// The same with a slash in the password, and no more of it: what a `:` parts.
static SLASHED: Pattern =
    LazyLock::new(|| Regex::new(r#"(//)([^/\\?\#\s"<>:@\[]+:)([^?\#\s"<>@\\/]*/[^?\#\s"<>@\\]*)@"#));
/// A name and its value in a query or a fragment.
static PAIR: Pattern = LazyLock::new(|| Regex::new(r#"([?&\#]|&amp;)([^?&\#=;\s"<>]+)=([^&\#\s"<>]+)"#));

/// Secrets known by how they begin, as their issuers write them, and whole private keys in PEM.
static SHAPED: Pattern = LazyLock::new(|| {
    Regex::new(concat!(
        r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|\z)",
        r"|\bsk[-_][A-Za-z0-9_-]{16,}",
        r"|\b(?:rk|pk)_live_[A-Za-z0-9]{10,}",
        r"|\bgh[opsur]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}|\bglpat-[A-Za-z0-9_-]{16,}",
        r"|\bxox[abeoprs]-[A-Za-z0-9-]{10,}",
        r"|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bAIza[A-Za-z0-9_-]{30,}",
        r"|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*",
        // Of age, which opens backups; SendGrid, npm, Hugging Face, PyPI, DigitalOcean, Google, Vault, Stripe's web hooks.
        r"|\bAGE-SECRET-KEY-1[A-Z0-9]{20,}",
        r"|\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|\bnpm_[A-Za-z0-9]{30,}|\bhf_[A-Za-z0-9]{30,}",
        r"|\bpypi-[A-Za-z0-9_-]{40,}|\bdo[opr]_v1_[a-f0-9]{40,}|\bya29\.[A-Za-z0-9_-]{20,}",
        r"|\bhv[sbr]\.[A-Za-z0-9_-]{20,}|\bwhsec_[A-Za-z0-9+/=]{20,}",
        // Slack's hooks, Telegram, Twilio, Discord.
        r"|\bT[A-Z0-9]{4,}/B[A-Z0-9]{4,}/[A-Za-z0-9]{16,}|\b[0-9]{8,10}:AA[A-Za-z0-9_-]{30,}|\bSK[0-9a-f]{32}\b",
        r"|\b[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}",
    ))
});
/// A text that shows no secret. All else in it stays.
pub fn without_secrets(text: &str) -> Cow<'_, str> {
    let text = masked(text, MAX_LAYERS);
    let Ok(shaped) = SHAPED.as_ref() else { return Cow::Borrowed(MASK) };
    let masked = match shaped.replace_all(&text, MASK) {
        Cow::Borrowed(_) => None,
        Cow::Owned(masked) => Some(masked),
    };
    behind::hidden(masked.map_or(text, Cow::Owned))
}

fn part<'a>(found: &'a Captures<'_>, at: usize) -> &'a str {
    found.get(at).map_or("", |part| part.as_str())
}

fn masked(text: &str, layers: usize) -> Cow<'_, str> {
    // Each pattern has one of these: most texts are done with here.
    if !text.contains(['@', '=']) {
        return Cow::Borrowed(text);
    }
    let (Ok(userinfo), Ok(pair)) = (USERINFO.as_ref(), PAIR.as_ref()) else { return Cow::Borrowed(MASK) };
    let nobody = userinfo.replace_all(text, |found: &Captures<'_>| format!("{}{MASK}@", part(found, 1)));
    let nobody = without_slashed(nobody);
    let value = |found: &Captures<'_>| {
        let (sign, name, value) = (part(found, 1), part(found, 2), part(found, 3));
        let secret = may_be_secret(&decode(name)) || holds_secret(value, layers);
        format!("{sign}{name}={}", if secret { MASK } else { value })
    };
    match pair.replace_all(&nobody, value) {
        Cow::Borrowed(_) => nobody,
        Cow::Owned(text) => Cow::Owned(text),
    }
}

/// An address without the user and the password before its host, where the password has a slash. A port is no password.
fn without_slashed(text: Cow<'_, str>) -> Cow<'_, str> {
    let Ok(slashed) = SLASHED.as_ref() else { return Cow::Borrowed(MASK) };
    let hidden = slashed.replace_all(&text, |found: &Captures<'_>| {
        let first = part(found, 3).split('/').next().unwrap_or_default();
        let is_port = first.bytes().all(|byte| byte.is_ascii_digit());
        if is_port { part(found, 0).to_owned() } else { format!("{}{MASK}@", part(found, 1)) }
    });
    match hidden {
        Cow::Borrowed(_) => text,
        Cow::Owned(hidden) => Cow::Owned(hidden),
    }
}

/// Returns whether a value is an address, encoded, that carries a secret itself.
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
            ("postgres://bob:CAN/ARY@db/x?sslmode=on", "postgres://***@db/x?sslmode=on"),
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
    fn what_stands_behind_the_name_of_a_secret_is_not_shown() {
        for (text, shown) in [
            ("password=MARK5-x", "password=***"),
            ("error=password=CANARY", "error=password=***"),
            (
                r#"{"message": "sent {\"api_key\": \"CANARY\", \"n\": 1}"}"#,
                r#"{"message": "sent {\"api_key\": \"***\", \"n\": 1}"}"#,
            ),
            (r#"{"password": "CAN\"ARY", "n": 1}"#, r#"{"password": "***", "n": 1}"#),
            ("curl -u x --data 'api_key=CANARY&n=1'", "curl -u x --data 'api_key=***&n=1'"),
            ("export AWS_SECRET_ACCESS_KEY=\"CAN ARY\"; run", "export AWS_SECRET_ACCESS_KEY=***; run"),
            ("Authorization: Bearer MARK9-x", "Authorization: ***"),
            ("-H 'X-Api-Key: CANARY' -H 'Accept: text/html'", "-H 'X-Api-Key: ***' -H 'Accept: text/html'"),
            ("Cookie: a=CANARY; b=CANARY\nHost: a.example", "Cookie: ***\nHost: a.example"),
            ("send it as bearer CANARY-CANARY, please", "send it as bearer ***, please"),
            ("Basic dXNlcjpDQU5BUlk=", "Basic ***"),
            (r#"{"user": "bob", "password": "CAN\tARY", "n": 1}"#, r#"{"user": "bob", "password": "***", "n": 1}"#),
            (r#"{\"client_secret\": \"CANARY\"}"#, r#"{\"client_secret\": \"***\"}"#),
            ("db:\n  password: \"CANARY\"", "db:\n  password: \"***\""),
            ("{'password': 'CAN\"ARY', 'n': 1}", "{'password': '***', 'n': 1}"),
            ("password: 'CAN''ARY' # it's new", "password: '***' # it's new"),
            ("password = \"CANARY\";", "password = \"***\";"),
            ("let api_key = 'CANARY'", "let api_key = '***'"),
            ("Authorization=Bearer CANARYx1 n=1", "Authorization=*** n=1"),
            ("authorization=bearer canarycanary", "authorization=***"),
            ("db:\n  - password: CANARY-1x\n  user: bob", "db:\n  - password: ***\n  user: bob"),
            ("mysql --password CANARY-1x --user bob", "mysql --password *** --user bob"),
            ("user=a&password%3DCANARY", "user=a&password%3D***"),
            (r#"{"passwords":["CANARY", "CANARY"], "n": 1}"#, r#"{"passwords":[***], "n": 1}"#),
            ("secret_key = CANARYxCANARY\nport = 80", "secret_key = ***\nport = 80"),
            ("db:\n  password: >-\n    CANARY\n  user: bob", "db:\n  password: >-\n    ***\n  user: bob"),
            ("mysql -uroot -pCANARY db", "mysql -uroot -p*** db"),
            ("curl -s -u 'admin:CANARY' https://a.example", "curl -s -u 'admin:***' https://a.example"),
            ("machine a.example login bob password CANARY", "machine a.example login bob password ***"),
            ("aws configure set aws_secret_access_key CANARYx1", "aws configure set aws_secret_access_key ***"),
            ("AccountName=bob;AccountKey=CANARY==;Suffix=net", "AccountName=bob;AccountKey=***;Suffix=net"),
            ("encryption_key: 0123456789abcdef", "encryption_key: ***"),
            ("satchel_session=CANARY", "satchel_session=***"),
            (
                "<user>bob</user><wsse:Password>CAN&lt;ARY</wsse:Password>",
                "<user>bob</user><wsse:Password>***</wsse:Password>",
            ),
        ] {
            assert_eq!(without_secrets(text), shown);
        }
    }

    #[test]
    fn secrets_are_known_by_their_shape_in_whatever_text() {
        for secret in [
            "sk-proj-CANARYCANARYCANARY",
            "sk_satchel_CANARYCANARYCANARY",
            "ghp_CANARYCANARYCANARYCANARY",
            "github_pat_CANARYCANARYCANARY_1",
            "AKIACANARYCANARYCANA",
            "xoxb-1234567890-CANARY",
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.CANARY",
            "AGE-SECRET-KEY-1QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7LQPZRY9X8GF2TVDW0S3JN54KHCE",
            "SG.CANARYCANARYCANARYCANA.CANARYCANARYCANARYCANARYCANARYCANARYCANA-_1",
            "npm_CANARYCANARYCANARYCANARYCANARYCANARY",
            "hf_CANARYCANARYCANARYCANARYCANARYCANA",
            "pypi-AgEIcHlwaS5vcmcCANARYCANARYCANARYCANARYCANARY",
            "dop_v1_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
            "ya29.CANARYCANARYCANARYCANARY-1",
            "hvs.CANARYCANARYCANARYCANARY_1",
            "whsec_CANARYCANARYCANARYCANARY",
            "T01234567/B01234567/CANARYCANARYCANARYCANARY",
            "123456789:AACANARYCANARYCANARYCANARYCANARYCANARY",
            "SK0123456789abcdef0123456789abcdef",
            "MTACANARYCANARYCANARYCANAR.GCANAR.CANARYCANARYCANARYCANARYCANARYCANARYCA",
            "-----BEGIN RSA PRIVATE KEY-----\nCANARY\n-----END RSA PRIVATE KEY-----",
        ] {
            assert_eq!(without_secrets(&format!("It is {secret} now")), "It is *** now");
        }
        assert_eq!(without_secrets("-----BEGIN PRIVATE KEY-----\nCANARY cut"), "***");
    }

    #[test]
    fn ordinary_texts_stay_as_they_are() {
        for text in [
            "Write to bob@a.example, or git@github.com:o/r.git.",
            "https://a.example/@bob/posts?page=2&q=a%20b#top",
            "https://a.example:8080/@bob/posts, and http://[::1]:80/@x",
            "HVS. The pypi-index and npm_config_registry are set. See T1/B2/C3 and MTA.north.of-the-river at 12:AA",
            "SK-II, AGE-SECRET-KEY-1 and SG.1.2",
            "let key = 1; // @param pass\nif a == b { token = c }",
            "a = b && key = c; what? yes = no",
            "WHERE token = 5 AND pin=7",
            "user=bob",
            "The password: choose a long one. Token: a word of a text.",
            "if password==other { max_tokens=500 } else { f(key=value) }",
            "A basic understanding of what the bearer certificates are, ask-me-anything-you-want sk-1",
            r#"{"author": "bob", "title": "Secret: a novel", "max_tokens": "5"}"#,
            "fn token() -> Token { password.len() }\ntime: 12:30, ratio 1:2",
            "password: required\ntoken: Option<Token>,\npassword: a word, then 2 more",
            "use --token to name it, or --password <word>",
            "if token == 'x' || password != \"y\" { it's }",
            "fn f(x: Vec<Token>) -> Token { 1 } // </b>",
            "https://a.example/100%/?x=%zz",
            "token = parse(text)\ntokens = [1, 2]\nsecret = 5",
            "password: > 8 characters\n  as before",
            "Use curl -u to sign in: it asks. mysql -p asks as well, and a machine with a login and a password too.",
            "Set the password anew, then configure set of rules.",
        ] {
            assert_eq!(without_secrets(text), text);
        }
    }
}
