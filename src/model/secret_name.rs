//! The names of secrets: told by their words, whether written `api_key`, `X-Api-Key` or `apiKey`.

/// Words that make a name secret.
const WORDS: &[&str] = &["bearer", "cred", "creds", "cvc", "cvv", "jwt", "otp", "passcode", "pwd", "totp"];
/// The parts that make a name secret wherever they stand in it: such names are often written as one word.
const PARTS: &[&str] = &[
    "accesskey",
    "accountkey",
    "apikey",
    "authorization",
    "cookie",
    "credential",
    "encryptionkey",
    "passphrase",
    "passwd",
    "password",
    "privatekey",
    "satchelsession",
    "secret",
    "subscriptionkey",
    "token",
];
/// The same at its end.
const ENDS: &[&str] = &["pwd", "otp"];
/// Beside one of these words, tokens are counted: they are what a model reads.
const COUNTING: &[&str] = &["completion", "input", "limit", "max", "min", "output", "prompt", "total"];
/// Words, and parts, of names that are secret in one place and not in another.
const DOUBTFUL_WORDS: &[&str] = &["auth", "csrf", "hmac", "key", "keys", "pass", "pin", "pw", "sid", "sig", "xsrf"];
const DOUBTFUL_PARTS: &[&str] = &["session", "signature"];

/// Returns whether a name is that of a secret: what it names is shown to nobody.
pub fn is_secret(name: &str) -> bool {
    let is_known = holds(&words(name), WORDS, PARTS) || ENDS.iter().any(|end| words(name).concat().ends_with(end));
    is_known || (is_own_header(name) && is_doubtful(name))
}

/// Returns whether a header, or a parameter of a query, of this name carries the credential of every call.
pub fn is_credential(name: &str) -> bool {
    is_secret(name) || name.eq_ignore_ascii_case("auth")
}

/// Returns whether a name may be that of a secret: what it names is not written down where it need not be.
pub fn may_be_secret(name: &str) -> bool {
    is_secret(name) || is_doubtful(name)
}

fn is_doubtful(name: &str) -> bool {
    holds(&words(name), DOUBTFUL_WORDS, DOUBTFUL_PARTS)
}

/// Returns whether a name is written as those of headers that a system made up: what is doubtful elsewhere is a secret
/// there.
fn is_own_header(name: &str) -> bool {
    name.get(..2).is_some_and(|start| start.eq_ignore_ascii_case("x-"))
}

fn holds(name: &[String], words: &[&str], parts: &[&str]) -> bool {
    let joined = name.concat();
    name.iter().any(|word| words.contains(&word.as_str())) || parts.iter().any(|part| joined.contains(part))
}

/// The words of a name in small letters, parted at signs and at capitals, without tokens that are counted.
fn words(name: &str) -> Vec<String> {
    let (mut words, mut after_small) = (vec![String::new()], false);
    for c in name.chars() {
        let starts = !c.is_alphanumeric() || (c.is_uppercase() && after_small);
        if starts {
            words.push(String::new());
        }
        if let (true, Some(word)) = (c.is_alphanumeric(), words.last_mut()) {
            word.extend(c.to_lowercase());
        }
        after_small = c.is_lowercase() || c.is_numeric();
    }
    let counts = words.iter().any(|word| COUNTING.contains(&word.as_str()));
    let is_counted = |word: &str| counts && word == "tokens";
    words.retain(|word| !word.is_empty() && !is_counted(word));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &[&str] = &[
        "password",
        "userPassword",
        "passwd",
        "pwd",
        "X-Amz-Credential",
        "api_key",
        "apiKey",
        "api-key",
        "X-API-KEY",
        "apikey",
        "Ocp-Apim-Subscription-Key",
        "accessToken",
        "accesstoken",
        "refresh_tokens",
        "token",
        "client_secret",
        "otp",
        "Authorization",
        "Proxy-Authorization",
        "Set-Cookie",
        "csrfmiddlewaretoken",
        "page_access_token",
        "X-Session",
        "X-Amz-Signature",
        "x-auth",
        "AccountKey",
        "encryption_key",
        "satchel_session",
    ];
    const DOUBTFUL: &[&str] = &["session", "sessionid", "sig", "signature", "auth", "pass", "key", "pin"];
    const PLAIN: &[&str] = &[
        "author",
        "max_tokens",
        "totalTokens",
        "keyboard",
        "monkey",
        "passenger",
        "signal",
        "design",
        "user",
        "pinned",
        "q",
        "",
        "compass",
        "authority",
        "X-Mode",
        "sidebar",
    ];

    #[test]
    fn a_name_is_secret_by_its_words_however_it_is_written() {
        for (names, is, may) in [(SECRET, true, true), (DOUBTFUL, false, true), (PLAIN, false, false)] {
            for name in names {
                assert_eq!((is_secret(name), may_be_secret(name)), (is, may), "{name}");
            }
        }
    }
}
