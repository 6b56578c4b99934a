//! curl commands: each request an operation. Credentials in them are never taken over.

use std::collections::BTreeSet;

use serde_json::json;
use url::Url;

use super::{
    curl_auth, curl_body,
    curl_command::{Command, parse},
    curl_headers,
    curl_path::{placeholder, templated, url},
    curl_shell::{self, Variables},
    curl_words::{Word, commands},
    example::Examples,
};
use satchel_model::{
    catalog::{
        auth::Auth,
        endpoint::{Operation, Parameter, ParameterPlace},
        proposal::{Proposal, Proposals, proposed_risk},
        style::Style,
    },
    error::{Error, Result},
    id::shorten,
    text::one_line,
};

/// One request of what was pasted.
struct Asked {
    operation: Proposal,
    url: Url,
    auth: Auth,
    warnings: Vec<String>,
}

/// Returns whether a text is to be read as curl commands: the first thing it would run is one.
pub(super) fn is_curl(text: &str) -> bool {
    curl_shell::is_curl(text)
}

/// Reads commands, one or more: each request is an operation of the system the first one asks.
pub fn read(text: &str) -> Result<Proposals> {
    let (mut asked, mut left_out, mut wrong) = (Vec::new(), BTreeSet::new(), Vec::new());
    let mut variables = Variables::default();
    for words in commands(&curl_shell::unfenced(text))? {
        let (words, dropped) = variables.read(words);
        let name = words.first().map_or("", |word| word.text.as_str());
        if !curl_shell::is_program(name) {
            // What stands behind a variable may be a part of its value.
            let named = (dropped.is_empty() && !name.is_empty()).then(|| name.to_owned());
            left_out.extend(dropped.into_iter().chain(named).map(|name| shorten(&name).into_owned()));
            continue;
        }
        left_out.extend(dropped);
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
    let auth = curl_auth::auth(command, &url);
    let mut examples = Examples { is_open: command.is_open, ..Examples::default() };
    let method = method(command).to_ascii_uppercase();
    let (path, mut parameters) = templated(url.path(), word)?;
    parameters.extend(query(&url, word, &auth, &mut examples));
    parameters.extend(curl_headers::parameters(command, &auth, &mut examples));
    parameters.extend(curl_body::parameter(command, &mut examples));
    let name = format!("{} {}", method.to_lowercase(), path.trim_matches('/').replace(['/', '{', '}'], " "));
    let operation = Proposal {
        key: format!("{method} {path}"),
        group: None,
        name: one_line(&name),
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
    let warnings = warnings(command, &url, has_secrets);
    Ok(Asked { operation, url, auth, warnings })
}

fn warnings(command: &Command, url: &Url, has_secrets: bool) -> Vec<String> {
    let secrets = "Credentials in the command are not taken over: enter them under Credentials.";
    let mut told = curl_auth::warnings(command, url);
    told.extend(has_secrets.then(|| secrets.to_owned()));
    told.extend(curl_headers::warning(command));
    told.extend(curl_body::warnings(command));
    told
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

fn query(url: &Url, word: &Word, auth: &Auth, examples: &mut Examples) -> Vec<Parameter> {
    let mut found: Vec<Parameter> = Vec::new();
    for (name, value) in url.query_pairs() {
        if auth.query() == Some(name.as_ref()) || found.iter().any(|known| known.name == name) {
            continue;
        }
        let is_open = placeholder(&value, word).is_some() || (word.variable.is_some() && value.contains('$'));
        let schema = if is_open { json!({"type": "string"}) } else { examples.text(&name, &value) };
        let times = url.query_pairs().filter(|(other, _)| *other == name).count();
        found.push(Parameter {
            schema: curl_body::listed(schema, &name, times),
            name: name.into_owned(),
            place: ParameterPlace::Query,
            style: Style::Plain,
            members: Default::default(),
            required: false,
            description: String::new(),
        });
    }
    found
}

fn add_to_query<'a>(url: &mut Url, data: impl Iterator<Item = &'a String>) {
    let pieces: Vec<&str> = data.map(String::as_str).collect();
    let text = pieces.join("&");
    if !text.is_empty() {
        url.query_pairs_mut().extend_pairs(url::form_urlencoded::parse(text.as_bytes()));
    }
}
