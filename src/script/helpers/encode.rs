//! Encodings, digests, addresses and identifiers.

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE_NO_PAD},
};
use hmac::{Hmac, KeyInit as _, Mac as _};
use rhai::{Array, Dynamic, Engine, Map};
use sha2::{Digest as _, Sha256, Sha512};
use url::{Url, form_urlencoded};

use super::{
    Group, Helper,
    list::helper,
    values::{Fallible, check_text, fail, push, quoted, scalar_text},
};
use satchel_model::xml::unescape;

pub(super) const GROUP: Group = Group { name: "encode", helpers: HELPERS, register };

#[rustfmt::skip]
const HELPERS: &[Helper] = &[
    helper("base64_encode(text) -> text", "Base64 with padding; takes blobs too.", r#"base64_encode("hé?")"#, r#""aMOpPw==""#),
    helper("base64_decode(text) -> text", "The text it stands for; an error if that is not UTF-8.", r#"base64_decode("aMOpPw==")"#, r#""hé?""#),
    helper("base64url_encode(text) -> text", "Base64 for addresses, without padding; takes blobs too.", r#"base64url_encode("??>")"#, r#""Pz8-""#),
    helper("base64url_decode(text) -> text", "The text it stands for; an error if that is not UTF-8.", r#"base64url_decode("Pz8-")"#, r#""??>""#),
    helper("hex_encode(text) -> text", "Two hexadecimal digits a byte; takes blobs too.", r#"hex_encode("Az")"#, r#""417a""#),
    helper("hex_decode(text) -> text", "The text it stands for; an error if that is not UTF-8.", r#"hex_decode("417a")"#, r#""Az""#),
    helper("sha256(text) -> text", "The SHA-256 digest in hexadecimal; takes blobs too.", r#"sha256("abc").sub_string(0, 16)"#, r#""ba7816bf8f01cfea""#),
    helper("sha512(text) -> text", "The SHA-512 digest in hexadecimal; takes blobs too.", r#"sha512("abc").sub_string(0, 16)"#, r#""ddaf35a193617aba""#),
    helper("hmac_sha256(key, text) -> text", "The keyed digest in hexadecimal, as webhooks are signed.", r#"hmac_sha256("key", "text").len"#, "64"),
    helper("url_encode(text) -> text", "For one part of an address: all but letters, digits, - . _ ~ as %XX.", r#"url_encode("a b/ü")"#, r#""a%20b%2F%C3%BC""#),
    helper("url_decode(text) -> text", "Reads %XX; a + stays. An error if it is not UTF-8.", r#"url_decode("a%20b+%C3%BC")"#, r#""a b+ü""#),
    helper("build_query(map) -> text", "A query string, sorted by name; arrays repeat their name, () is left out.", r#"build_query(#{q: "a b", tag: ["x", "y"]})"#, r#""q=a+b&tag=x&tag=y""#),
    helper("parse_query(text) -> map", "The texts of a query string; an array where a name is repeated.", r#"parse_query("?q=a+b&tag=x&tag=y")"#, r#"{"q": "a b", "tag": ["x", "y"]}"#),
    helper("parse_url(text) -> map", "scheme, host, port, path, query (a map) and fragment of an address; user names are an error.", r#"parse_url("https://example.org/a?b=1").host"#, r#""example.org""#),
    helper("join_url(base, path) -> text", "An address seen from another one, as a browser follows a link.", r#"join_url("https://example.org/a/b", "../c")"#, r#""https://example.org/c""#),
    helper("html_escape(text) -> text", "For HTML: & < > and quotes as entities.", r#"html_escape("<b>\"a\" & 'b'</b>")"#, r#""&lt;b&gt;&quot;a&quot; &amp; &#39;b&#39;&lt;/b&gt;""#),
    helper("html_unescape(text) -> text", "Entities as what they stand for; unknown ones stay.", r#"html_unescape("1 &lt; 2 &amp;&#x41;&nope;")"#, r#""1 < 2 &A&nope;""#),
    helper("strip_tags(html) -> text", "What a fragment of HTML says, without tags, scripts and styles, entities read, space as one space.", r#"strip_tags("<p>a&amp;b<script>x</script></p> <b>c</b>")"#, r#""a&b c""#),
    helper("uuid() -> text", "A new random identifier (UUID, version 4).", "uuid().len", "36"),
];

fn register(engine: &mut Engine) {
    register_bytes(engine);
    engine
        .register_fn("hmac_sha256", hmac_sha256)
        .register_fn("url_encode", url_encode)
        .register_fn("url_decode", url_decode)
        .register_fn("build_query", build_query)
        .register_fn("parse_query", parse_query)
        .register_fn("parse_url", parse_url)
        .register_fn("join_url", |base: &str, path: &str| {
            let joined = parsed(base)?.join(path);
            joined.map(String::from).or_else(|why| fail(format!("{} is no address: {why}", quoted(path))))
        })
        .register_fn("html_escape", html_escape)
        .register_fn("html_unescape", html_unescape)
        .register_fn("strip_tags", strip_tags)
        .register_fn("uuid", || uuid::Uuid::new_v4().to_string());
}

/// Registers what is encoded or digested: of texts and of blobs.
fn register_bytes(engine: &mut Engine) {
    of_bytes(engine, "base64_encode", 2, |bytes| STANDARD.encode(bytes));
    of_bytes(engine, "base64url_encode", 2, |bytes| URL_SAFE_NO_PAD.encode(bytes));
    of_bytes(engine, "hex_encode", 2, |bytes| hex::encode(bytes));
    of_bytes(engine, "sha256", 0, |bytes| hex::encode(Sha256::digest(bytes)));
    of_bytes(engine, "sha512", 0, |bytes| hex::encode(Sha512::digest(bytes)));
    engine
        .register_fn("base64_decode", |text: &str| {
            decoded(STANDARD_NO_PAD.decode(text.trim().trim_end_matches('=')).ok(), "base64", text)
        })
        .register_fn("base64url_decode", |text: &str| {
            decoded(URL_SAFE_NO_PAD.decode(text.trim().trim_end_matches('=')).ok(), "base64url", text)
        })
        .register_fn("hex_decode", |text: &str| decoded(hex::decode(text.trim()).ok(), "hexadecimal", text));
}

/// `growth`: how many bytes of text one byte may become.
fn of_bytes(engine: &mut Engine, name: &str, growth: usize, of: fn(&[u8]) -> String) {
    engine
        .register_fn(name, move |text: &str| check_text(text.len() * growth).map(|()| of(text.as_bytes())))
        .register_fn(name, move |blob: rhai::Blob| check_text(blob.len() * growth).map(|()| of(&blob)));
}

fn decoded(bytes: Option<Vec<u8>>, code: &str, text: &str) -> Fallible<String> {
    let Some(bytes) = bytes else { return fail(format!("{} is not {code}", quoted(text))) };
    String::from_utf8(bytes).or_else(|_| fail(format!("{} stands for bytes that are no UTF-8 text", quoted(text))))
}

fn hmac_sha256(key: &str, text: &str) -> Fallible<String> {
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key.as_bytes()) else { return fail("the key cannot be used") };
    mac.update(text.as_bytes());
    Ok(hex::encode(mac.finalize().into_bytes()))
}

fn url_encode(text: &str) -> Fallible<String> {
    check_text(text.len())?;
    let mut encoded = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => encoded.push(byte.into()),
            other => encoded.push_str(&format!("%{other:02X}")),
        }
    }
    check_text(encoded.len())?;
    Ok(encoded)
}

fn url_decode(text: &str) -> Fallible<String> {
    let (mut bytes, mut rest) = (Vec::with_capacity(text.len()), text.as_bytes());
    while let Some((first, more)) = rest.split_first() {
        let code = more.get(..2).filter(|_| *first == b'%').and_then(|pair| hex::decode(pair).ok());
        match code {
            Some(code) => {
                bytes.extend(code);
                rest = more.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = more;
            }
        }
    }
    decoded(Some(bytes), "percent-encoded", text)
}

fn build_query(map: Map) -> Fallible<String> {
    let mut query = form_urlencoded::Serializer::new(String::new());
    let mut size = 0_usize;
    for (name, value) in map {
        let values = value.as_array_ref().map(|values| values.clone()).unwrap_or_else(|_| vec![value.clone()]);
        for value in values.into_iter().filter(|value| !value.is_unit()) {
            let text = scalar_text(&value)?;
            size = size.saturating_add(3 * (name.len() + text.len() + 2));
            check_text(size)?;
            query.append_pair(&name, &text);
        }
    }
    Ok(query.finish())
}

fn parse_query(text: &str) -> Fallible<Map> {
    let mut map = Map::new();
    let pairs = form_urlencoded::parse(text.strip_prefix('?').unwrap_or(text).as_bytes());
    for (name, value) in pairs.take(1_000) {
        let value = Dynamic::from(value.into_owned());
        let both = match map.remove(name.as_ref()) {
            None => value,
            Some(before) if before.is_array() => {
                before.into_array().unwrap_or_default().into_iter().chain([value]).collect::<Array>().into()
            }
            Some(before) => Dynamic::from(vec![before, value]),
        };
        map.insert(name.as_ref().into(), both);
    }
    Ok(map)
}

fn parsed(text: &str) -> Fallible<Url> {
    let url = Url::parse(text.trim());
    let url =
        url.or_else(|why| fail(format!("{} is no address: {why}; https://host/path is expected", quoted(text))))?;
    if !url.username().is_empty() || url.password().is_some() {
        return fail("an address with a user name or password is not allowed: send them in a header");
    }
    Ok(url)
}

fn parse_url(text: &str) -> Fallible<Map> {
    let url = parsed(text)?;
    let optional = |text: Option<&str>| text.map_or(Dynamic::UNIT, |text| text.to_string().into());
    Ok(Map::from([
        ("scheme".into(), url.scheme().to_string().into()),
        ("host".into(), optional(url.host_str())),
        ("port".into(), url.port_or_known_default().map_or(Dynamic::UNIT, |port| i64::from(port).into())),
        ("path".into(), url.path().to_string().into()),
        ("query".into(), parse_query(url.query().unwrap_or_default())?.into()),
        ("fragment".into(), optional(url.fragment())),
    ]))
}

fn html_escape(text: &str) -> Fallible<String> {
    let mut escaped = String::new();
    for piece in text.split_inclusive(['&', '<', '>', '"', '\'']) {
        let (plain, sign) = match piece.chars().last() {
            Some(sign @ ('&' | '<' | '>' | '"' | '\'')) => (piece.strip_suffix(sign).unwrap_or_default(), Some(sign)),
            _ => (piece, None),
        };
        push(&mut escaped, plain)?;
        let entity = match sign {
            Some('&') => "&amp;",
            Some('<') => "&lt;",
            Some('>') => "&gt;",
            Some('"') => "&quot;",
            Some(_) => "&#39;",
            None => "",
        };
        push(&mut escaped, entity)?;
    }
    Ok(escaped)
}

fn html_unescape(text: &str) -> Fallible<String> {
    let plain = unescape(text);
    check_text(plain.len())?;
    Ok(plain)
}

fn strip_tags(html: &str) -> Fallible<String> {
    let (mut text, mut rest) = (String::new(), html);
    while let Some((before, tag)) = rest.split_once('<') {
        push(&mut text, before)?;
        let name: String = tag.chars().take_while(char::is_ascii_alphabetic).flat_map(char::to_lowercase).collect();
        rest = match name.as_str() {
            "script" | "style" => past(tag, &format!("</{name}")),
            _ if tag.starts_with("!--") => past(tag.get(3..).unwrap_or_default(), "--"),
            _ if !tag.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!' || c == '?') => {
                push(&mut text, "<")?;
                rest = tag;
                continue;
            }
            _ => tag,
        };
        rest = rest.split_once('>').map_or("", |(_, after)| after);
        if !matches!(name.as_str(), "b" | "i" | "em" | "strong" | "a" | "span" | "code" | "u" | "sub" | "sup")
            && !tag.starts_with('/')
        {
            push(&mut text, " ")?;
        }
    }
    push(&mut text, rest)?;
    let plain = html_unescape(&text)?;
    Ok(plain.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Returns the text after the mark, which is sought without regard to case.
fn past<'a>(text: &'a str, mark: &str) -> &'a str {
    let place = text.as_bytes().windows(mark.len()).position(|part| part.eq_ignore_ascii_case(mark.as_bytes()));
    place.and_then(|place| text.get(place + mark.len()..)).unwrap_or("")
}
