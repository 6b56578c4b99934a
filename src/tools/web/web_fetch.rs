//! `web_fetch`: a page of the web as Markdown; `web-fetch`: an HTTP request and its answer as it came.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use http::{
    Method,
    header::{ACCEPT, HeaderName, HeaderValue, USER_AGENT},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use url::Url;

use super::{
    answer::{Body, Told, Wanted},
    robots::Robots,
};
use satchel_engine::{
    context::Context,
    preparation::Preparation,
    tool::{Alias, Tool},
};
use satchel_model::{
    catalog::endpoint::risk_of_method,
    destination::Destination,
    error::{Error, Kind, Result},
    output::{Content, Output},
    question::Question,
    spec::{Category, Risk},
};
use satchel_net::http::{OF_CONNECTION, Request, Response};
use satchel_services::{
    knowledge::calls::{self, Page},
    reading::Reader,
};

/// Seconds unless told otherwise, and at most.
const TIMEOUT: f64 = 20.0;
const MAX_TIMEOUT: f64 = 120.0;
/// Redirects followed unless told otherwise.
const REDIRECTS: u8 = 5;
/// Bytes read unless told otherwise.
const BYTES: u64 = 5 << 20;
const ACCEPTED: HeaderValue = HeaderValue::from_static(
    "text/html,application/xhtml+xml,text/markdown,text/plain;q=0.9,application/pdf;q=0.9,*/*;q=0.5",
);

#[derive(Clone, Deserialize, Serialize, JsonSchema, Default)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The address, http or https.
    url: String,
    /// Seconds the whole request may take: 20 unless said otherwise, 120 at most.
    timeout: Option<f64>,
    /// The same as `timeout`.
    timeout_seconds: Option<f64>,
    /// Whether a page comes as Markdown (default) or as its source.
    extract_text: Option<bool>,
    /// Most bytes of the answer that are read; the rest is left out.
    #[schemars(range(min = 1))]
    max_bytes: Option<u64>,
    /// Whether only the article of a page is wanted, if it is one (default: true). If not, the page comes whole, with its
    /// menus and footers.
    prefer_readable: Option<bool>,
    /// What to call oneself, in the User-Agent header.
    user_agent: Option<String>,
    /// Redirects that are followed: 5 unless said otherwise, 20 at most.
    #[schemars(range(max = 20))]
    max_redirects: Option<u8>,
    /// GET unless it is POST, PUT, PATCH or DELETE.
    method: Option<String>,
    /// Headers to send.
    headers: Option<BTreeMap<String, String>>,
    /// The body to send.
    body: Option<String>,
    /// Whether the answer comes as it is: status, headers and body as text (default: false).
    raw: Option<bool>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Fetch {
    /// Absolute http(s) URL.
    url: String,
    /// HTTP method (default GET).
    method: Option<String>,
    /// String-string headers.
    headers: Option<BTreeMap<String, String>>,
    /// Request body.
    body: Option<String>,
    /// Timeout in milliseconds (default 20000).
    timeout_ms: Option<f64>,
}

pub(super) fn tool() -> Tool {
    let robots = Robots::default();
    let calls = Preparation::new(move |cx, args| run(cx, args, robots.clone()))
        .ahead(ahead)
        .reaches(|args: &Args| Destination::from_url(&Url::parse(args.url.trim()).ok()?))
        .risk_of(|args| match method(args.method.as_deref()) {
            Method::GET => Risk::Read,
            other => risk_of_method(other.as_str()),
        });
    Tool::prepared(
        "web_fetch",
        Category::Web,
        "Fetches an address of the web and gives the page as Markdown: its title, text, links, tables and code; the text \
         of a PDF; an image. A page fetched in a conversation has a number: cite what you take from it as [number].",
        "Somebody gives an address to read, or a result of a web search is to be read and cited.",
        calls,
    )
    .timeout(Duration::from_secs_f64(MAX_TIMEOUT + 10.0))
    .usual_timeout(Duration::from_secs_f64(TIMEOUT))
    .up_to(Risk::Destructive)
    .example(
        "A page as Markdown",
        json!({"url": "https://example.org/herons"}),
        json!({"status": 200, "content_type": "text/html", "title": "Herons", "truncated": false}),
    )
    .example(
        "Only the beginning",
        json!({"url": "https://example.org/notes.txt", "max_bytes": 4}),
        json!({"status": 200, "content_type": "text/plain", "markdown": "Tea,", "truncated": true}),
    )
    .alias(web_fetch())
}

fn web_fetch() -> Alias {
    Alias::new(
        "web-fetch",
        "Performs an HTTP request and returns the answer as it came.",
        |Fetch { url, method, headers, body, timeout_ms }| {
            let timeout = timeout_ms.map(|millis| millis / 1_000.0);
            let max_redirects = Some(10);
            Ok(Args { url, method, headers, body, timeout, max_redirects, raw: Some(true), ..Args::default() })
        },
        |data: Value| data,
    )
    .example(
        "A text",
        json!({"url": "https://example.org/notes.txt", "method": "get", "headers": {"accept": "text/plain"}}),
        json!({"status": 200, "statusText": "OK", "headers": {"content-type": "text/plain"}, "body": "Tea, milk", "ok": true}),
    )
}

async fn ahead(cx: Context, args: Args) -> Result<Question> {
    let request = request(&args, limit(&args)?)?;
    cx.http()?.check(&request.url)?;
    let method = method(args.method.as_deref());
    let verb = if method == Method::GET { "Fetch".to_owned() } else { format!("Send {method} to") };
    Ok(Question::about(&verb, args.url.trim()))
}

async fn run(cx: Context, args: Args, robots: Robots) -> Result<Output> {
    let limit = limit(&args)?;
    let work = fetch(&cx, args, &robots, limit);
    let late = || Error::new(Kind::Timeout, format!("timed out after {}s", limit.as_secs_f64()));
    tokio::time::timeout(limit, work).await.unwrap_or_else(|_| Err(late()))
}

/// Seconds as asked for; two that differ are an error.
fn limit(args: &Args) -> Result<Duration> {
    let seconds = match (args.timeout, args.timeout_seconds) {
        (Some(one), Some(other)) if one != other => {
            return Err(Error::invalid("'timeout' and 'timeout_seconds' differ: give one of them."));
        }
        (one, other) => one.or(other).unwrap_or(TIMEOUT),
    };
    if !(0.001..=MAX_TIMEOUT).contains(&seconds) {
        return Err(Error::invalid(format!("The timeout is more than 0 and at most {MAX_TIMEOUT} seconds.")));
    }
    Ok(Duration::from_secs_f64(seconds))
}

async fn fetch(cx: &Context, args: Args, robots: &Robots, limit: Duration) -> Result<Output> {
    let began = Instant::now();
    let web = cx.platform().web.clone();
    let request = request(&args, limit)?;
    let http = cx.http()?;
    http.check(&request.url)?;
    if web.respect_robots {
        robots.require(&http, &request.url).await?;
    }
    let asked = request.url.clone();
    let response = http.send(request).await?;
    if web.respect_robots && response.url != asked {
        robots.require(&http.aside(), &response.url).await?;
    }
    let most = args.max_bytes.unwrap_or(BYTES).min(u64::from(web.max_page_mb.max(1)) << 20);
    let (status, reason, url, headers) =
        (response.status, reason(&response), response.url.clone(), response.headers.clone());
    let leads_to = response.redirect().and_then(Result::ok);
    let (bytes, cut) = response.receive(&cx.into(), usize::try_from(most).unwrap_or(usize::MAX)).await?;
    tracing::debug!(status = status.as_u16(), bytes = bytes.len(), ms = began.elapsed().as_millis(), "a page came");
    let body = Body { bytes, cut, url, headers };
    if args.raw == Some(true) {
        return Ok(raw(&body, (status.as_u16(), &reason)));
    }
    let wanted = Wanted { extract: args.extract_text.unwrap_or(true), article: args.prefer_readable.unwrap_or(true) };
    let reader = Reader::for_run(cx);
    let long = body.bytes.len() as u64;
    let (body, mut told) = cx.work_on(long, move || body.tell(wanted, &reader).map(|told| (body, told))).await?;
    if let Some(target) = leads_to {
        told.text = format!("It redirects to {target}, which was not fetched. Fetch that address if it is wanted.");
    }
    let number = match status.is_success() {
        true => {
            let title = told.title.clone().unwrap_or_else(|| body.url.to_string());
            calls::number_page(cx, Page { url: body.url.to_string(), title, text: told.text.clone() }).await?
        }
        false => None,
    };
    Ok(output(&body, told, (status.as_u16(), &reason), number))
}

fn method(named: Option<&str>) -> Method {
    let known = [Method::POST, Method::PUT, Method::PATCH, Method::DELETE];
    known
        .into_iter()
        .find(|method| named.is_some_and(|name| name.eq_ignore_ascii_case(method.as_str())))
        .unwrap_or_default()
}

fn request(args: &Args, limit: Duration) -> Result<Request> {
    let url = Url::parse(args.url.trim())
        .map_err(|_| Error::invalid("'url' is not an address: write it whole, as https://example.org/page."))?;
    let mut request = Request::new(method(args.method.as_deref()), url);
    request.max_redirects = args.max_redirects.unwrap_or(REDIRECTS);
    // The limit of the whole ends it, and says so.
    request.patience = limit + Duration::from_secs(1);
    request.headers.insert(ACCEPT, ACCEPTED);
    for (name, value) in args.headers.iter().flatten() {
        if OF_CONNECTION.iter().any(|ours| name.eq_ignore_ascii_case(ours)) {
            return Err(Error::invalid(format!("The header '{name}' belongs to the connection: leave it out.")));
        }
        let wrong = || Error::invalid(format!("'{name}' with this value is no header."));
        let value = HeaderValue::from_str(value).map_err(|_| wrong())?;
        request.headers.insert(HeaderName::try_from(name).map_err(|_| wrong())?, value);
    }
    if let Some(agent) = &args.user_agent {
        let agent = HeaderValue::from_str(agent).map_err(|_| Error::invalid("'user_agent' holds odd characters."))?;
        request.headers.insert(USER_AGENT, agent);
    }
    request.body = args.body.clone().unwrap_or_default().into();
    Ok(request)
}

fn reason(response: &Response) -> String {
    response.status.canonical_reason().unwrap_or_default().to_owned()
}

fn raw(body: &Body, (status, reason): (u16, &str)) -> Output {
    let mut headers = Map::new();
    for (name, value) in &body.headers {
        let value = String::from_utf8_lossy(value.as_bytes());
        let joined = match headers.get(name.as_str()).and_then(Value::as_str) {
            Some(before) => format!("{before}, {value}"),
            None => value.into_owned(),
        };
        headers.insert(name.as_str().to_owned(), joined.into());
    }
    let ok = (200..300).contains(&status);
    let data = json!({"status": status, "statusText": reason, "headers": headers, "body": body.as_text(), "ok": ok});
    let mut output = Output { title: Some(body.url.to_string()), ..Output::json(data) };
    output.meta.insert("truncated".to_owned(), body.cut.into());
    output.with_origin(Some(body.url.to_string()))
}

fn output(body: &Body, told: Told, (status, reason): (u16, &str), number: Option<u32>) -> Output {
    let Told { title, text, image } = told;
    let head = match number {
        Some(number) => format!("[{number}] {}\n{}", title.as_deref().unwrap_or("A page"), body.url),
        None => format!("{status} {reason}\n{}", body.url),
    };
    let mut content = vec![Content::Text { text: format!("{head}\n\n{text}") }];
    content.extend(image);
    let data = json!({
        "status": status, "final_url": body.url.as_str(), "content_type": body.mime(), "title": title,
        "markdown": text, "truncated": body.cut, "bytes": body.bytes.len(), "number": number,
    });
    let title = Some(title.unwrap_or_else(|| body.url.to_string()));
    let output = Output { content, title, ..Output::json(data) };
    output.with_origin(Some(body.url.to_string()))
}
