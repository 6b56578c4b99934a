//! Which names are those of secrets: told by their words, whether written `api_key`, `X-Api-Key` or `apiKey`.

/// Words that make a name secret.
const WORDS: &[&str] = &[
    "auth",
    "authorization",
    "bearer",
    "cookie",
    "cookies",
    "cred",
    "creds",
    "csrf",
    "cvc",
    "cvv",
    "hmac",
    "jwt",
    "key",
    "keys",
    "otp",
    "pass",
    "passcode",
    "pin",
    "pw",
    "pwd",
    "sid",
    "sig",
    "totp",
    "xsrf",
];
/// What makes a name secret wherever it stands in it: such names are often written as one word.
const PARTS: &[&str] = &[
    "apikey",
    "accesskey",
    "privatekey",
    "credential",
    "passphrase",
    "passwd",
    "password",
    "secret",
    "session",
    "signature",
];

/// Whether a name looks like that of a secret.
pub fn is_secret(name: &str) -> bool {
    let words = words(name);
    let joined = words.concat();
    let ends = ["token", "pwd", "otp"].iter().any(|end| joined.ends_with(end));
    ends || words.iter().any(|word| word == "token" || WORDS.contains(&word.as_str()))
        || PARTS.iter().any(|part| joined.contains(part))
}

/// The words of a name in small letters, parted at signs and at capitals.
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
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_secret_by_its_words_however_it_is_written() {
        for name in [
            "password",
            "userPassword",
            "pwd",
            "X-Session",
            "sessionid",
            "sig",
            "X-Amz-Signature",
            "api_key",
            "apiKey",
            "X-API-KEY",
            "apikey",
            "accessToken",
            "accesstoken",
            "client_secret",
            "otp",
            "auth",
            "X-Auth",
            "pass",
            "key",
            "Authorization",
            "X-Amz-Credential",
            "csrfmiddlewaretoken",
        ] {
            assert!(is_secret(name), "{name}");
        }
        for name in [
            "author",
            "max_tokens",
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
        ] {
            assert!(!is_secret(name), "{name}");
        }
    }
}
