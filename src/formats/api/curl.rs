//! A curl command: one operation. Credentials in it are never taken over.

use serde_json::{Map, Value, json};
use url::Url;

use super::{
    curl_command::{Command, parse},
    curl_words::{Word, words},
    example::Examples,
};
use crate::{
    formats::media::ANYTHING,
    model::{
        catalog::{
            auth::{Auth, AuthType, KeyPlace},
            endpoint::{Operation, Parameter, ParameterPlace},
            proposal::{Proposal, Proposals, proposed_risk},
            style::Style,
            upload,
        },
        error::{Error, Result},
        secret_name::is_secret,
    },
};

const FORM: &str = "application/x-www-form-urlencoded";

/// Reads a command.
pub fn read(text: &str) -> Result<Proposals> {
    let command = parse(&words(text)?)?;
    let word = command.url.as_ref().ok_or_else(|| Error::invalid("The curl command names no URL."))?;
    let mut url = url(word)?;
    let host = url.host_str().unwrap_or_default().to_owned();
    let body_in_query = if command.in_query { command.data.as_slice() } else { &[] };
    add_to_query(&mut url, command.query.iter().chain(body_in_query));
    let auth = auth(&command, &url);
    let mut examples = Examples::default();
    let method = method(&command).to_ascii_uppercase();
    let (path, mut parameters) = templated(url.path());
    parameters.extend(query(&url, &auth, &mut examples));
    parameters.extend(headers(&command, &auth, &mut examples));
    parameters.extend(body(&command, &mut examples));
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
    let has_secrets = auth != Auth::None || command.cookies || examples.left_out;
    let warnings = warnings(&command, has_secrets);
    let (format, operations) = ("curl".to_owned(), vec![operation]);
    Ok(Proposals { format, title: host, base_url, auth, operations, warnings, ..Proposals::default() })
}

fn warnings(command: &Command, has_secrets: bool) -> Vec<String> {
    let proof = command.unknown_proof.as_deref().map(|proof| {
        format!("It proves who asks by --{proof}, which is not known here: choose another way under Credentials.")
    });
    let said = [
        (has_secrets, "Credentials in the command are not taken over: enter them under Credentials."),
        (command.file && !sends_file(command), "It reads its body from a file: describe the body yourself."),
        (command.more, "Only its first request is read: import what follows --next on its own."),
    ];
    proof.into_iter().chain(said.iter().filter(|(holds, _)| *holds).map(|(_, words)| (*words).to_owned())).collect()
}

fn url(word: &Word) -> Result<Url> {
    if let Some(variable) = &word.variable {
        let told = format!(
            "The URL of the curl command holds {variable}, which only your shell knows: write out what it stands for, \
             or put the URL in single quotes where it is meant as it stands."
        );
        return Err(Error::invalid(told));
    }
    let text = &word.text;
    let with_scheme = if text.contains("://") { text.clone() } else { format!("http://{text}") };
    let url = Url::parse(&with_scheme).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    let url = url.ok_or_else(|| Error::invalid("The URL of the curl command cannot be read."))?;
    match url.host_str() {
        Some(host) if host.contains(['$', '{', '}', '`', '*']) => Err(Error::invalid(format!(
            "The host of the curl command, '{}', is a placeholder: write out the host.",
            crate::model::id::shorten(host)
        ))),
        Some(_) => Ok(url),
        None => Err(Error::invalid("The URL of the curl command names no host.")),
    }
}

fn method(command: &Command) -> &str {
    let sends = command.file || !command.form.is_empty() || (!command.data.is_empty() && !command.in_query);
    match &command.method {
        Some(method) => method,
        None if command.upload => "PUT",
        None if sends => "POST",
        None => "GET",
    }
}

fn auth(command: &Command, url: &Url) -> Auth {
    if command.certificate {
        return Auth::MutualTls;
    }
    if command.bearer {
        return Auth::Bearer;
    }
    if command.basic || !url.username().is_empty() {
        return Auth::of_type(AuthType::Basic);
    }
    for (name, value) in &command.headers {
        if name.eq_ignore_ascii_case("authorization") {
            let is_basic = value.to_lowercase().starts_with("basic ");
            return if is_basic { Auth::of_type(AuthType::Basic) } else { Auth::Bearer };
        }
        if is_credential(name) {
            return Auth::ApiKey { place: KeyPlace::Header, name: name.clone() };
        }
    }
    let key = url.query_pairs().find(|(name, _)| is_credential(name) || name == "key");
    key.map_or(Auth::None, |(name, _)| Auth::ApiKey { place: KeyPlace::Query, name: name.into_owned() })
}

/// Whether a header or parameter of this name carries the credential of every call.
fn is_credential(name: &str) -> bool {
    is_secret(name) || ["auth", "x-auth"].iter().any(|known| name.eq_ignore_ascii_case(known))
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
            members: Default::default(),
            required: true,
            description: String::new(),
            schema,
        });
    }
    (segments.join("/"), parameters)
}

fn query(url: &Url, auth: &Auth, examples: &mut Examples) -> Vec<Parameter> {
    let mut found: Vec<Parameter> = Vec::new();
    for (name, value) in url.query_pairs() {
        if auth.query() == Some(name.as_ref()) || found.iter().any(|known| known.name == name) {
            continue;
        }
        let schema = examples.text(&name, &value);
        found.push(Parameter {
            name: name.into_owned(),
            place: ParameterPlace::Query,
            style: Style::Plain,
            members: Default::default(),
            required: false,
            description: String::new(),
            schema,
        });
    }
    found
}

fn headers(command: &Command, auth: &Auth, examples: &mut Examples) -> Vec<Parameter> {
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
        !ours.contains(&lower.as_str()) && auth.header().as_deref() != Some(lower.as_str()) && !is_credential(&lower)
    });
    let parameters = others.map(|(name, value)| Parameter {
        name: name.clone(),
        place: ParameterPlace::Header,
        style: Style::Plain,
        members: Default::default(),
        required: false,
        description: String::new(),
        schema: examples.text(name, value),
    });
    parameters.collect()
}

/// What the body is said to be.
fn media(command: &Command) -> Option<String> {
    let media = command.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    media.map(|(_, value)| value.to_lowercase())
}

/// Whether the body is a file as it is, and no text.
fn sends_file(command: &Command) -> bool {
    command.upload || (command.file && media(command).is_some_and(|media| !upload::is_text(&media)))
}

fn body(command: &Command, examples: &mut Examples) -> Option<Parameter> {
    let media = media(command);
    let schema = if !command.form.is_empty() {
        form_with_files(&command.form, examples)
    } else if sends_file(command) {
        json!({"type": "string", "format": upload::BINARY, "contentMediaType": media.as_deref().unwrap_or(ANYTHING)})
    } else if command.in_query || (command.data.is_empty() && !command.file) {
        return None;
    } else if command.data.is_empty() {
        match media.as_deref() {
            Some(media) if media.contains("json") => json!({}),
            media => json!({"type": "string", "contentMediaType": media.unwrap_or(FORM)}),
        }
    } else {
        of_data(&command.data.join(if command.json { "" } else { "&" }), media.as_deref(), examples)
    };
    Some(Parameter {
        name: "body".to_owned(),
        place: ParameterPlace::Body,
        style: Style::Plain,
        members: Default::default(),
        required: true,
        description: String::new(),
        schema,
    })
}

fn of_data(text: &str, media: Option<&str>, examples: &mut Examples) -> Value {
    match (serde_json::from_str::<Value>(text), media) {
        (Ok(value @ (Value::Object(_) | Value::Array(_))), _) => examples.of_value("", &value),
        (_, Some(media)) if !media.contains("form") => json!({"type": "string", "contentMediaType": media}),
        // No fields: the whole is a value.
        _ if !text.contains('=') => json!({"type": "string", "contentMediaType": media.unwrap_or(FORM)}),
        _ => {
            let fields: Vec<_> = url::form_urlencoded::parse(text.as_bytes()).collect();
            form(fields.iter().map(|(name, value)| (name.as_ref(), value.as_ref())), examples)
        }
    }
}

fn form_with_files(fields: &[(String, Option<String>)], examples: &mut Examples) -> Value {
    let one = |(name, value): &(String, Option<String>)| {
        let schema = match value {
            Some(text) => field(name, text, examples),
            None => json!({"type": "string", "format": upload::BINARY}),
        };
        (name.clone(), schema)
    };
    object(fields.iter().map(one).collect(), upload::FORM)
}

fn form<'a>(fields: impl Iterator<Item = (&'a str, &'a str)>, examples: &mut Examples) -> Value {
    object(fields.map(|(name, value)| (name.to_owned(), field(name, value, examples))).collect(), FORM)
}

fn field(name: &str, value: &str, examples: &mut Examples) -> Value {
    if value.is_empty() { json!({"type": "string"}) } else { examples.text(name, value) }
}

fn object(properties: Map<String, Value>, media: &str) -> Value {
    json!({"type": "object", "properties": properties, "contentMediaType": media})
}

fn add_to_query<'a>(url: &mut Url, data: impl Iterator<Item = &'a String>) {
    let pieces: Vec<&str> = data.map(String::as_str).collect();
    let text = pieces.join("&");
    if !text.is_empty() {
        url.query_pairs_mut().extend_pairs(url::form_urlencoded::parse(text.as_bytes()));
    }
}
