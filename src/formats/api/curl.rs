//! curl commands: each request an operation. Credentials in them are never taken over.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use url::Url;

use super::{
    curl_command::{Command, parse},
    curl_path::{placeholder, templated, url},
    curl_words::{Word, commands},
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
        id::shorten,
        secret_name::is_credential,
    },
};

const FORM: &str = "application/x-www-form-urlencoded";

/// One request of what was pasted.
struct Asked {
    operation: Proposal,
    url: Url,
    auth: Auth,
    warnings: Vec<String>,
}

/// Reads commands, one or more: each request is an operation of the system the first one asks.
pub fn read(text: &str) -> Result<Proposals> {
    let (mut asked, mut left_out, mut wrong) = (Vec::new(), BTreeSet::new(), Vec::new());
    for words in commands(text)? {
        let name = words.first().map_or("", |word| word.text.as_str());
        if !matches!(name, "curl" | "curl.exe") {
            // What is assigned to a variable may be a secret.
            left_out.insert(shorten(name.split('=').next().unwrap_or_default()).into_owned());
            continue;
        }
        match parse(&words).and_then(|commands| commands.iter().map(requests).collect::<Result<Vec<_>>>()) {
            Ok(requests) => asked.extend(requests.into_iter().flatten()),
            Err(error) => wrong.push(error),
        }
    }
    if asked.is_empty() {
        return Err(wrong.into_iter().next().unwrap_or_else(|| Error::invalid("There is no curl command in it.")));
    }
    let unread = wrong.iter().map(|error| format!("A curl command is left out. {}", error.message()));
    let mut warnings: Vec<String> = unread.collect();
    if !left_out.is_empty() {
        let names: Vec<String> = left_out.into_iter().collect();
        warnings.push(format!("Only curl commands are read. Left out: {}.", names.join(", ")));
    }
    Ok(together(asked, warnings))
}

/// The requests as operations of one system: that of the first.
fn together(mut asked: Vec<Asked>, mut warnings: Vec<String>) -> Proposals {
    let Some(first) = asked.first().map(|first| first.url.clone()) else { return Proposals::default() };
    let mut auth = Auth::None;
    for one in &mut asked {
        warnings.append(&mut one.warnings);
        if one.url.origin() != first.origin() {
            let (other, operation) = (one.url.origin().ascii_serialization(), &mut one.operation);
            let told = format!("on another server ({other}): import it as a system of its own.");
            warnings.push(format!("{} is {told}", operation.key));
            operation.warnings.push(format!("It is {told}"));
            operation.key = format!("{} {other}{}", operation.method, operation.path);
            operation.elsewhere = true;
        } else if auth == Auth::None {
            auth = one.auth.clone();
        } else if one.auth != Auth::None && one.auth != auth {
            warnings.push("The commands carry credentials of different kinds: the first kind is taken.".to_owned());
        }
    }
    let mut told = BTreeSet::new();
    warnings.retain(|warning| told.insert(warning.clone()));
    Proposals {
        format: "curl".to_owned(),
        title: first.host_str().unwrap_or_default().to_owned(),
        base_url: Some(first.origin().ascii_serialization()),
        auth,
        operations: asked.into_iter().map(|one| one.operation).collect(),
        warnings,
        ..Proposals::default()
    }
}

/// A command's requests: one for each address.
fn requests(command: &Command) -> Result<Vec<Asked>> {
    if command.urls.is_empty() {
        return Err(Error::invalid("The curl command names no URL."));
    }
    command.urls.iter().map(|word| request(command, word)).collect()
}

fn request(command: &Command, word: &Word) -> Result<Asked> {
    let mut url = url(word)?;
    let body_in_query = if command.in_query { command.data.as_slice() } else { &[] };
    add_to_query(&mut url, command.query.iter().chain(body_in_query));
    let auth = auth(command, &url);
    let mut examples = Examples::default();
    let method = method(command).to_ascii_uppercase();
    let (path, mut parameters) = templated(url.path(), word)?;
    parameters.extend(query(&url, word, &auth, &mut examples));
    parameters.extend(accepted(command));
    parameters.extend(headers(command, &auth, &mut examples));
    parameters.extend(body(command, &mut examples));
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
    let has_secrets = auth != Auth::None || command.cookies || examples.left_out;
    Ok(Asked { operation, url, auth, warnings: warnings(command, has_secrets) })
}

fn warnings(command: &Command, has_secrets: bool) -> Vec<String> {
    let proof = command.unknown_proof.as_deref().map(|proof| {
        format!("It proves who asks by --{proof}, which is not known here: choose another way under Credentials.")
    });
    let said = [
        (has_secrets, "Credentials in the command are not taken over: enter them under Credentials."),
        (command.file && !sends_file(command), "It reads its body from a file: describe the body yourself."),
    ];
    proof.into_iter().chain(said.iter().filter(|(holds, _)| *holds).map(|(_, words)| (*words).to_owned())).collect()
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

fn query(url: &Url, word: &Word, auth: &Auth, examples: &mut Examples) -> Vec<Parameter> {
    let mut found: Vec<Parameter> = Vec::new();
    for (name, value) in url.query_pairs() {
        if auth.query() == Some(name.as_ref()) || found.iter().any(|known| known.name == name) {
            continue;
        }
        let is_open = placeholder(&value, word).is_some() || (word.variable.is_some() && value.contains('$'));
        let schema = if is_open { json!({"type": "string"}) } else { examples.text(&name, &value) };
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

/// What kind of answer is asked for, where it is a particular one: it is always sent.
fn accepted(command: &Command) -> Option<Parameter> {
    let (name, value) = command.headers.iter().rfind(|(name, _)| name.eq_ignore_ascii_case("accept"))?;
    let is_particular = !value.is_empty() && !value.contains("*/*") && !value.eq_ignore_ascii_case("application/json");
    is_particular.then(|| Parameter {
        name: name.clone(),
        place: ParameterPlace::Header,
        style: Style::Plain,
        members: Default::default(),
        required: true,
        description: String::new(),
        schema: json!({"type": "string", "const": value}),
    })
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
