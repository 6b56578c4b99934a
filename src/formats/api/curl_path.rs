//! The path of a curl command as a template: numbers, ids and what documentation writes in their place get a name.

use serde_json::{Value, json};
use url::Url;

use super::curl_words::Word;
use satchel_model::{
    catalog::{
        endpoint::{Parameter, ParameterPlace},
        style::Style,
    },
    error::{Error, Result},
    id::shorten,
};

/// Longest name of a placeholder.
const LONGEST: usize = 64;

/// The words that are written in capitals and stand for nothing but themselves.
const ABBREVIATIONS: &[&str] = &[
    "AJAX", "API", "CSV", "GRAPHQL", "HTML", "HTTP", "JSON", "OAUTH", "ODATA", "PDF", "REST", "RPC", "RSS", "SOAP",
    "SQL", "WEB", "WMS", "WFS", "WS", "XML",
];

/// The address a command names.
pub(super) fn url(word: &Word) -> Result<Url> {
    let text = &word.text;
    let with_scheme = if text.contains("://") { text.clone() } else { format!("http://{text}") };
    let url = Url::parse(&with_scheme).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    let url =
        url.ok_or_else(|| of_shell(word).unwrap_or_else(|| invalid("The URL of the curl command cannot be read.")))?;
    let host = url.host_str().ok_or_else(|| invalid("The URL of the curl command names no host."))?;
    let is_placeholder = host.contains(['$', '{', '}', '`', '*']);
    if let Some(error) = of_shell(word).filter(|_| is_placeholder || text.contains("$(")) {
        return Err(error);
    }
    if is_placeholder {
        let host = shorten(host);
        return Err(invalid(&format!("The host of the curl command, '{host}', is a placeholder: write out the host.")));
    }
    Ok(url)
}

/// The path with a name for each number, id and placeholder.
pub(super) fn templated(path: &str, word: &Word) -> Result<(String, Vec<Parameter>)> {
    let mut made = Template { segments: Vec::new(), parameters: Vec::new() };
    let mut before = String::new();
    for segment in path.split('/') {
        let plain = segment.replace("%7B", "{").replace("%7D", "}").replace("%3C", "<").replace("%3E", ">");
        let is_number = !segment.is_empty() && segment.chars().all(|c| c.is_ascii_digit());
        if is_number || uuid::Uuid::parse_str(segment).is_ok() {
            let schema = json!({"type": "string", "examples": [segment]});
            let name = made.named("id", &before, schema);
            made.segments.push(name);
        } else if let Some(name) = placeholder(&plain, word) {
            let name = made.named(name, &before, json!({"type": "string"}));
            made.segments.push(name);
        } else if is_shouted(segment) && path.contains(|c: char| c.is_ascii_lowercase()) {
            let name = made.named(segment, &before, json!({"type": "string"}));
            made.segments.push(name);
        } else if let Some(parts) = parts(&plain) {
            let schema = || json!({"type": "string"});
            let named = parts.into_iter().map(|(text, name)| {
                let name = name.map(|name| made.named(name, &before, schema()));
                format!("{text}{}", name.unwrap_or_default())
            });
            let segment = named.collect();
            made.segments.push(segment);
        } else {
            before = segment.to_owned();
            made.segments.push(segment.to_owned());
        }
    }
    let path = made.segments.join("/");
    match of_shell(word).filter(|_| path.contains('$')) {
        Some(error) => Err(error),
        None => Ok((path, made.parameters)),
    }
}

/// Returns the name that stands for a value, without the signs around it: `{id}`, `{{id}}`, `<id>`, `:id`, and `$ID`
/// where a shell would have put its value in place.
pub(super) fn placeholder<'a>(text: &'a str, word: &Word) -> Option<&'a str> {
    let within = |open: &str, close: &str| text.strip_prefix(open)?.strip_suffix(close);
    let variable = || within("${", "}").or_else(|| text.strip_prefix('$')).filter(|_| word.variable.is_some());
    let name = within("{{", "}}").or_else(|| within("{", "}")).or_else(|| within("<", ">"));
    name.or_else(variable).or_else(|| text.strip_prefix(':')).filter(|name| is_name(name))
}

/// Returns whether a segment stands for a value as documentation writes it, `OWNER`, among others in small letters. An
/// abbreviation is no such.
fn is_shouted(segment: &str) -> bool {
    let is_word = segment.chars().all(|c| c.is_ascii_uppercase() || "_-".contains(c));
    let fits = is_word && segment.len() > 1 && segment.starts_with(|c: char| c.is_ascii_uppercase());
    fits && segment.len() <= LONGEST && !ABBREVIATIONS.contains(&segment)
}

/// A segment with placeholders in it, `{name}.json`, as texts and the names behind them; `None` if it has none.
fn parts(segment: &str) -> Option<Vec<(&str, Option<&str>)>> {
    let (mut parts, mut rest) = (Vec::new(), segment);
    while let Some((text, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}').filter(|(name, _)| is_name(name))?;
        parts.push((text, Some(name)));
        rest = after;
    }
    let is_whole = !parts.is_empty() && !rest.contains(['}', '<', '>']);
    parts.push((rest, None));
    is_whole.then_some(parts)
}

fn is_name(text: &str) -> bool {
    let fits = text.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c));
    fits && text.len() <= LONGEST && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

struct Template {
    segments: Vec<String>,
    parameters: Vec<Parameter>,
}

impl Template {
    /// Adds a parameter of this name, or one like it, and gives it as a template has it.
    fn named(&mut self, name: &str, before: &str, schema: Value) -> String {
        let shouted = !name.contains(|c: char| c.is_ascii_lowercase());
        let name = if shouted { name.to_ascii_lowercase() } else { name.to_owned() };
        let stem = before.trim_end_matches('s');
        let of_stem = (!stem.is_empty()).then(|| format!("{stem}_{name}"));
        let numbered = (2..).map(|number: u32| format!("{name}_{number}"));
        let is_free = |name: &String| self.parameters.iter().all(|known| known.name != *name);
        let mut names = [name.clone()].into_iter().chain(of_stem).chain(numbered);
        let name = names.find(is_free).unwrap_or_default();
        let shown = format!("{{{name}}}");
        self.parameters.push(Parameter {
            name,
            place: ParameterPlace::Path,
            style: Style::Plain,
            members: Default::default(),
            required: true,
            description: String::new(),
            schema,
        });
        shown
    }
}

/// Returns the error for a place where a shell would have put a value.
fn of_shell(word: &Word) -> Option<Error> {
    let variable = word.variable.as_deref()?;
    Some(invalid(&format!(
        "The URL of the curl command holds {variable}, which only your shell knows: write out what it stands for, or \
         put the URL in single quotes where it is meant as it stands."
    )))
}

fn invalid(message: &str) -> Error {
    Error::invalid(message.to_owned())
}
