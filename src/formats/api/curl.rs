//! A curl command: one operation. Credentials in it are never taken over.

use serde_json::{Value, json};
use url::Url;

use super::schema::of_value;
use crate::model::{
    catalog::{
        auth::{Auth, AuthType, KeyPlace},
        endpoint::{Operation, Parameter, ParameterPlace},
        proposal::{Proposal, Proposals, proposed_risk},
        style::Style,
    },
    error::{Error, Result},
};

/// Options that take a value we have no use for.
const IGNORED: &[&str] = &[
    "-o",
    "--output",
    "-A",
    "--user-agent",
    "-e",
    "--referer",
    "-m",
    "--max-time",
    "--connect-timeout",
    "-x",
    "--proxy",
    "--retry",
    "-w",
    "--write-out",
    "-c",
    "--cookie-jar",
    "--resolve",
    "--cacert",
    "--capath",
    "-D",
    "--dump-header",
];
/// Headers that may hold a credential.
const SECRET: &[&str] = &["api-key", "apikey", "token", "secret", "auth"];

#[derive(Default)]
struct Command {
    method: Option<String>,
    url: Option<String>,
    headers: Vec<(String, String)>,
    data: Vec<String>,
    in_query: bool,
    basic: bool,
    certificate: bool,
    form: bool,
    cookies: bool,
}

/// Reads a command.
pub fn read(text: &str) -> Result<Proposals> {
    let command = parse(&words(text)?)?;
    let url = command.url.as_deref().ok_or_else(|| Error::invalid("The curl command names no URL."))?;
    let with_scheme = if url.contains("://") { url.to_owned() } else { format!("http://{url}") };
    let mut url =
        Url::parse(&with_scheme).map_err(|_| Error::invalid("The URL of the curl command cannot be read."))?;
    let host = url.host_str().ok_or_else(|| Error::invalid("The URL of the curl command names no host."))?.to_owned();
    let mut warnings = Vec::new();
    let auth = auth(&command, &url);
    if auth != Auth::None || command.cookies {
        warnings.push("Credentials in the command are not taken over: enter them under Credentials.".to_owned());
    }
    if command.form {
        warnings.push("It takes an upload (multipart), which cannot be sent.".to_owned());
    }
    let body = if command.in_query {
        add_to_query(&mut url, &command.data);
        None
    } else {
        body(&command)
    };
    let method = command
        .method
        .clone()
        .unwrap_or_else(|| if body.is_some() || command.form { "POST" } else { "GET" }.to_owned());
    let method = method.to_ascii_uppercase();
    let (path, mut parameters) = templated(url.path());
    parameters.extend(query(&url, &auth));
    parameters.extend(headers(&command, &auth));
    parameters.extend(body);
    let name = format!("{} {}", method.to_lowercase(), path.trim_matches('/').replace(['/', '{', '}'], " "));
    let operation = Proposal {
        key: format!("{method} {path}"),
        group: None,
        name: name.split_whitespace().collect::<Vec<_>>().join(" "),
        operation: Operation::Rest,
        risk: proposed_risk(&method),
        method,
        path,
        parameters,
        description: String::new(),
        when_to_use: String::new(),
        warnings: vec!["It has no description: a model will not know when to use it. Write one line.".to_owned()],
        elsewhere: false,
    };
    let base_url = Some(url.origin().ascii_serialization());
    let (format, operations) = ("curl".to_owned(), vec![operation]);
    Ok(Proposals { format, title: host, base_url, auth, operations, warnings, ..Proposals::default() })
}

fn parse(words: &[String]) -> Result<Command> {
    let mut command = Command::default();
    let mut words = words.iter().skip(1);
    while let Some(word) = words.next() {
        let (option, glued) = split(word);
        let mut value = || {
            glued
                .clone()
                .or_else(|| words.next().cloned())
                .ok_or_else(|| Error::invalid(format!("The option {option} of the curl command lacks its value.")))
        };
        match option.as_str() {
            "-X" | "--request" => command.method = Some(value()?),
            "-H" | "--header" => {
                if let Some((name, text)) = value()?.split_once(':') {
                    command.headers.push((name.trim().to_owned(), text.trim().to_owned()));
                }
            }
            "-d" | "--data" | "--data-raw" | "--data-ascii" | "--data-binary" | "--data-urlencode" => {
                command.data.push(value()?)
            }
            "--json" => {
                command.data.push(value()?);
                command.headers.push(("Content-Type".to_owned(), "application/json".to_owned()));
            }
            "-G" | "--get" => command.in_query = true,
            "-I" | "--head" => command.method = Some("HEAD".to_owned()),
            "-u" | "--user" => {
                value()?;
                command.basic = true;
            }
            "-E" | "--cert" | "--key" => {
                value()?;
                command.certificate = true;
            }
            "-b" | "--cookie" => {
                value()?;
                command.cookies = true;
            }
            "-F" | "--form" => {
                value()?;
                command.form = true;
            }
            "--url" => command.url = Some(value()?),
            other if IGNORED.contains(&other) => drop(value()?),
            other if other.starts_with('-') => {}
            _ => {
                command.url.get_or_insert_with(|| word.clone());
            }
        }
    }
    Ok(command)
}

/// An option and a value that is written onto it: `-XPOST`, `--url=…`.
fn split(word: &str) -> (String, Option<String>) {
    if let Some((option, value)) = word.split_once('=').filter(|(option, _)| option.starts_with("--")) {
        return (option.to_owned(), Some(value.to_owned()));
    }
    let short = word.starts_with('-') && !word.starts_with("--") && word.len() > 2;
    match word.split_at_checked(2) {
        Some((option, value))
            if short
                && matches!(
                    option,
                    "-X" | "-H" | "-d" | "-u" | "-b" | "-F" | "-o" | "-A" | "-e" | "-m" | "-x" | "-E"
                ) =>
        {
            (option.to_owned(), Some(value.to_owned()))
        }
        _ => (word.to_owned(), None),
    }
}

/// The words of a command as a shell takes it apart.
fn words(text: &str) -> Result<Vec<String>> {
    let (mut words, mut word, mut quote): (Vec<String>, Option<String>, Option<char>) = (Vec::new(), None, None);
    let mut chars = text.trim_start_matches(['$', ' ']).chars().peekable();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (None, '\\') if matches!(chars.peek(), Some('\n' | '\r')) => drop(chars.next()),
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(chars.next()),
            (None, '$') if chars.peek() == Some(&'\'') => {}
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (Some(open), c) if open == c => quote = None,
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, '|' | ';' | '&' | '>') => break,
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err(Error::invalid("A quote of the curl command is never closed."));
    }
    words.extend(word);
    Ok(words)
}

fn auth(command: &Command, url: &Url) -> Auth {
    if command.certificate {
        return Auth::MutualTls;
    }
    if command.basic || !url.username().is_empty() {
        return Auth::of_type(AuthType::Basic);
    }
    for (name, value) in &command.headers {
        let (lower, value) = (name.to_lowercase(), value.to_lowercase());
        if lower == "authorization" {
            return if value.starts_with("basic ") { Auth::of_type(AuthType::Basic) } else { Auth::Bearer };
        }
        if is_secret(&lower) {
            return Auth::ApiKey { place: KeyPlace::Header, name: name.clone() };
        }
    }
    let key = url.query_pairs().find(|(name, _)| is_secret(&name.to_lowercase()) || name == "key");
    key.map_or(Auth::None, |(name, _)| Auth::ApiKey { place: KeyPlace::Query, name: name.into_owned() })
}

fn is_secret(name: &str) -> bool {
    SECRET.iter().any(|word| name.contains(word))
}

/// The path with a name for each segment that is a number or an id.
fn templated(path: &str) -> (String, Vec<Parameter>) {
    let (mut segments, mut parameters, mut before) = (Vec::new(), Vec::new(), "");
    for segment in path.split('/') {
        let number = !segment.is_empty() && segment.chars().all(|c| c.is_ascii_digit());
        if !number && uuid::Uuid::parse_str(segment).is_err() {
            segments.push(segment.to_owned());
            before = segment;
            continue;
        }
        let stem = before.trim_end_matches('s');
        let name = if parameters.is_empty() || stem.is_empty() { "id".to_owned() } else { format!("{stem}_id") };
        segments.push(format!("{{{name}}}"));
        let schema = json!({"type": "string", "examples": [segment]});
        parameters.push(Parameter {
            name,
            place: ParameterPlace::Path,
            style: Style::Plain,
            required: true,
            description: String::new(),
            schema,
        });
    }
    (segments.join("/"), parameters)
}

fn query(url: &Url, auth: &Auth) -> Vec<Parameter> {
    let mut found: Vec<Parameter> = Vec::new();
    for (name, value) in url.query_pairs() {
        if auth.query() == Some(name.as_ref()) || found.iter().any(|known| known.name == name) {
            continue;
        }
        let schema = json!({"type": "string", "examples": [value]});
        found.push(Parameter {
            name: name.into_owned(),
            place: ParameterPlace::Query,
            style: Style::Plain,
            required: false,
            description: String::new(),
            schema,
        });
    }
    found
}

fn headers(command: &Command, auth: &Auth) -> Vec<Parameter> {
    let ours = [
        "authorization",
        "accept",
        "content-type",
        "cookie",
        "user-agent",
        "host",
        "content-length",
        "accept-encoding",
        "connection",
        "origin",
        "referer",
    ];
    let others = command.headers.iter().filter(|(name, _)| {
        let lower = name.to_lowercase();
        !ours.contains(&lower.as_str()) && auth.header().as_deref() != Some(lower.as_str()) && !is_secret(&lower)
    });
    let parameters = others.map(|(name, value)| Parameter {
        name: name.clone(),
        place: ParameterPlace::Header,
        style: Style::Plain,
        required: false,
        description: String::new(),
        schema: json!({"type": "string", "examples": [value]}),
    });
    parameters.collect()
}

fn body(command: &Command) -> Option<Parameter> {
    if command.data.is_empty() {
        return None;
    }
    let text = command.data.join("&");
    let media = command
        .headers
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case("content-type"))
        .map(|(_, value)| value.to_lowercase());
    let schema = match (serde_json::from_str::<Value>(&text), media.as_deref()) {
        (Ok(value @ (Value::Object(_) | Value::Array(_))), _) => of_value(&value),
        (_, Some(media)) if !media.contains("form") => json!({"type": "string", "contentMediaType": media}),
        _ => {
            let fields = url::form_urlencoded::parse(text.as_bytes());
            let properties: serde_json::Map<String, Value> = fields
                .map(|(name, value)| (name.into_owned(), json!({"type": "string", "examples": [value]})))
                .collect();
            json!({"type": "object", "properties": properties, "contentMediaType": "application/x-www-form-urlencoded"})
        }
    };
    Some(Parameter {
        name: "body".to_owned(),
        place: ParameterPlace::Body,
        style: Style::Plain,
        required: true,
        description: String::new(),
        schema,
    })
}

fn add_to_query(url: &mut Url, data: &[String]) {
    let text = data.join("&");
    let pairs: Vec<(String, String)> = url::form_urlencoded::parse(text.as_bytes()).into_owned().collect();
    url.query_pairs_mut().extend_pairs(pairs);
}
