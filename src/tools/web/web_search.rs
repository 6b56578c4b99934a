//! `web_search`: results of a SearXNG instance, within a limit of our own and again where it is busy.

use std::time::Duration;

use backon::{ExponentialBuilder, Retryable};
use http::header::{ACCEPT, HeaderValue};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use url::Url;

use satchel_engine::{context::Context, tool::Tool};
use satchel_model::{
    catalog::pace::RateLimit,
    error::{Error, Kind, Result},
    output::{Content, Output},
    spec::{Category, Setting},
    text::{head, one_line},
};
use satchel_net::{
    guard::HostPort,
    http::{Http, Request, Response},
    rate_limits::RateLimits,
    retry_after::retry_after,
};

/// Results unless told otherwise.
const RESULTS: u8 = 5;
/// Answers beside the results, and the longest one, in characters.
const ANSWERS: usize = 3;
const LONGEST_ANSWER: usize = 1_000;
/// Longest answer of an instance.
const LONGEST: usize = 4 << 20;
/// Attempts after the first.
const RETRIES: usize = 2;
/// An instance that asks for a longer wait is not waited for.
const LONGEST_WAIT: Duration = Duration::from_secs(5);
/// The longest one attempt waits for an answer.
const PATIENCE: Duration = Duration::from_secs(10);
const TIMEOUT: Duration = Duration::from_secs(45);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// What to search for.
    query: String,
    /// How many results, 1 to 10 (default: 5).
    #[schemars(range(min = 1, max = 10))]
    max_results: Option<u8>,
    /// The same as `max_results`.
    #[schemars(range(min = 1, max = 10))]
    num_results: Option<u8>,
    /// Where to search: `general` (default), `news`, `images`, `science`, `it`, …
    category: Option<String>,
    /// `json` (default); anything else gives the results as Markdown, too.
    format: Option<String>,
}

pub(super) fn tool() -> Tool {
    let limits = RateLimits::default();
    Tool::new(
        "web_search",
        Category::Web,
        "Searches the web and gives the title, the address and a few words of each result. To cite a result, fetch it with \
         web_fetch first.",
        "A question is about something recent or public that neither you nor the documents know.",
        move |cx, args| run(cx, args, limits.clone()),
    )
    .timeout(TIMEOUT)
    .setting(Setting {
        key: "base_url".to_owned(),
        description: "The address of a SearXNG instance that gives JSON, such as http://localhost:8888. It may be on this \
                      machine or network: setting it here allows this host and port."
            .to_owned(),
        secret: false,
        required: true,
        default: None,
    })
    .reaches_setting("base_url")
    .accepts(|key, value| if key == "base_url" { base(value).map(drop) } else { Ok(()) })
    .example(
        "Two results",
        json!({"query": "herons", "max_results": 2}),
        json!({"query": "herons", "count": 2, "results": [
            {"title": "Herons", "url": "https://birds.example/heron", "snippet": "They wait."},
            {"title": "Egrets", "url": "https://birds.example/egret", "snippet": "They wait, too."},
        ]}),
    )
}

async fn run(cx: Context, args: Args, limits: RateLimits) -> Result<Output> {
    let query = args.query.trim().to_owned();
    if query.is_empty() {
        return Err(Error::invalid("'query' is empty: say what to search for."));
    }
    let most = match (args.max_results, args.num_results) {
        (Some(one), Some(other)) if one != other => {
            return Err(Error::invalid("'max_results' and 'num_results' differ: give one of them."));
        }
        (one, other) => one.or(other).unwrap_or(RESULTS),
    };
    let base = base(cx.settings().require("base_url")?.expose())?;
    let category = args.category.as_deref().unwrap_or("general");
    let mut url = base.clone();
    url.query_pairs_mut().append_pair("q", &query).append_pair("format", "json").append_pair("categories", category);
    let http = cx.http()?.allowing(HostPort::from_url(&base).as_slice());
    // One limit for everybody together, whatever they search for.
    let limit = RateLimit { calls: cx.platform().web.searches_per_minute.max(1), seconds: 60 };
    limits.acquire("", limit, "The web search", Some(cx.caller().user)).await?;
    let answer = ask(&http, &url).await?;
    let results = results(&answer, usize::from(most));
    let direct = direct(&answer);
    let silent = if results.is_empty() { silent(&answer) } else { Vec::new() };
    let markdown =
        [direct.iter().map(Direct::markdown).collect(), vec![markdown(&results, &silent)]].concat().join("\n");
    let mut data = json!({"query": query, "count": results.len(), "results": results});
    if let (false, Some(fields)) = (direct.is_empty(), data.as_object_mut()) {
        fields.insert("answers".to_owned(), direct.iter().map(Direct::data).collect());
    }
    if let (false, Some(fields)) = (silent.is_empty(), data.as_object_mut()) {
        fields.insert("engines_without_answer".to_owned(), json!(silent));
    }
    if args.format.as_deref().is_some_and(|format| !format.eq_ignore_ascii_case("json"))
        && let Some(fields) = data.as_object_mut()
    {
        fields.insert("text".to_owned(), markdown.clone().into());
    }
    let output = Output { content: vec![Content::Text { text: markdown }], ..Output::json(data) };
    Ok(output.with_origin(Some(query)))
}

/// Returns the address an instance is asked at: its own may lie below a path.
fn base(text: &str) -> Result<Url> {
    let wrong =
        || Error::new(Kind::Unconfigured, "The setting base_url of web_search is not an http or https address.");
    let mut url = Url::parse(text.trim()).map_err(|_| wrong())?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(wrong());
    }
    if !url.username().is_empty() || url.password().is_some() {
        let told = "The setting base_url of web_search must not hold a user name or password.";
        return Err(Error::new(Kind::Unconfigured, told));
    }
    let path = url.path().trim_end_matches('/').to_owned();
    let path = if path.ends_with("/search") { path } else { format!("{path}/search") };
    url.set_path(&path);
    url.set_query(None);
    Ok(url)
}

/// A failure, and whether asking again can help.
struct Failure {
    error: Error,
    again: bool,
    after: Option<Duration>,
}

async fn ask(http: &Http, url: &Url) -> Result<Value> {
    let backoff =
        ExponentialBuilder::default().with_min_delay(Duration::from_millis(300)).with_max_times(RETRIES).with_jitter();
    (|| ask_once(http, url))
        .retry(backoff)
        .when(|failure| failure.again)
        .adjust(|failure, planned| match (failure.after, planned) {
            (Some(asked), Some(_)) => (asked <= LONGEST_WAIT).then_some(asked),
            (_, planned) => planned,
        })
        .await
        .map_err(|failure| failure.error)
}

async fn ask_once(http: &Http, url: &Url) -> Result<Value, Failure> {
    let mut request = Request::get(url.clone());
    request.patience = PATIENCE;
    request.headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
    let passing = |error: Error| {
        let again = matches!(error.kind(), Kind::Upstream | Kind::Timeout);
        Failure { error, again, after: None }
    };
    let response = http.send(request).await.map_err(passing)?;
    if !response.status.is_success() {
        return Err(refused(&response));
    }
    let again = |error| Failure { error, again: false, after: None };
    response.json(LONGEST).await.map_err(again)
}

fn refused(response: &Response) -> Failure {
    let status = response.status.as_u16();
    let message = match status {
        403 => "The search instance refuses JSON: its administrator adds 'json' to search.formats in its settings.yml."
            .to_owned(),
        429 => "The search instance has had too many requests. Try again in a minute.".to_owned(),
        _ => format!("The search instance answered with status {status}. Try again later."),
    };
    let again = status == 429 || status >= 500;
    Failure { error: Error::upstream(message), again, after: retry_after(&response.headers) }
}

/// Title, address and snippet of the first results that lead somewhere, each address once.
fn results(answer: &Value, most: usize) -> Vec<Value> {
    let mut seen = Vec::new();
    let found = answer.get("results").and_then(Value::as_array).into_iter().flatten();
    found
        .filter_map(|one| {
            let text = |key: &str| one_line(one.get(key).and_then(Value::as_str).unwrap_or_default());
            let url = Url::parse(&text("url")).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
            if seen.contains(&url) {
                return None;
            }
            seen.push(url.clone());
            let title = Some(text("title")).filter(|title| !title.is_empty()).unwrap_or_else(|| url.to_string());
            let snippet: String = text("content").chars().take(500).collect();
            Some(json!({"title": title, "url": url, "snippet": snippet}))
        })
        .take(most)
        .collect()
}

/// The text of an instance beside the results: an answer, or what an encyclopedia has of the subject.
struct Direct {
    title: String,
    text: String,
    url: Option<Url>,
}

impl Direct {
    fn data(&self) -> Value {
        json!({"title": self.title, "text": self.text, "url": self.url})
    }

    fn markdown(&self) -> String {
        let title = if self.title.is_empty() { String::new() } else { format!("{}: ", self.title) };
        let url = self.url.as_ref().map_or_else(String::new, |url| format!("\n  {url}"));
        format!("- {title}{}{url}", self.text)
    }
}

/// The answers and info boxes. Older instances give an answer as a text alone.
fn direct(answer: &Value) -> Vec<Direct> {
    let listed = |key: &str| answer.get(key).and_then(Value::as_array).into_iter().flatten();
    let plain = |value: Option<&Value>, most: usize| {
        let text = value.and_then(Value::as_str).unwrap_or_default();
        head(&one_line(text), most).to_owned()
    };
    let url = |value: Option<&Value>| {
        let url = Url::parse(value?.as_str()?.trim()).ok()?;
        matches!(url.scheme(), "http" | "https").then_some(url)
    };
    let answers = listed("answers").map(|one| Direct {
        title: String::new(),
        text: plain(one.get("answer").or(Some(one)), LONGEST_ANSWER),
        url: url(one.get("url")),
    });
    let boxes = listed("infoboxes").map(|one| Direct {
        title: plain(one.get("infobox"), 200),
        text: plain(one.get("content"), LONGEST_ANSWER),
        url: url(one.get("id")).or_else(|| url(one.pointer("/urls/0/url"))),
    });
    answers.chain(boxes).filter(|one| !one.text.is_empty()).take(ANSWERS).collect()
}

/// The engines that did not answer the instance, and why: `google (CAPTCHA)`.
fn silent(answer: &Value) -> Vec<String> {
    let engines = answer.get("unresponsive_engines").and_then(Value::as_array).into_iter().flatten();
    let told = engines.filter_map(|one| {
        let text =
            |at: usize| one.get(at).and_then(Value::as_str).map(|text| text.chars().take(100).collect::<String>());
        let name = text(0)?;
        Some(text(1).map_or_else(|| name.clone(), |why| format!("{name} ({why})")))
    });
    told.take(20).collect()
}

fn markdown(results: &[Value], silent: &[String]) -> String {
    if results.is_empty() && !silent.is_empty() {
        return format!("No result, and not all was asked: {} did not answer. Try again later.", silent.join(", "));
    }
    if results.is_empty() {
        return "Nothing was found.".to_owned();
    }
    let text = |one: &Value, key: &str| one.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let line = |one: &Value| format!("- {}\n  {}\n  {}", text(one, "title"), text(one, "url"), text(one, "snippet"));
    results.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instance_may_lie_below_a_path() {
        for (given, wanted) in [
            ("http://a.example", "http://a.example/search"),
            ("http://a.example:8888/searx/", "http://a.example:8888/searx/search"),
            ("https://a.example/search?q=x", "https://a.example/search"),
        ] {
            assert_eq!(base(given).unwrap().as_str(), wanted);
        }
        assert!(base("a.example").is_err() && base("ftp://a.example").is_err());
        for wrong in ["notaurl", "ftp://x/", "http://u:p@a.example"] {
            assert!(tool().require_setting("base_url", wrong).is_err(), "{wrong}");
        }
        tool().require_setting("base_url", "http://localhost:8888").unwrap();
    }

    #[test]
    fn no_result_of_engines_that_did_not_answer_is_told_apart_from_nothing() {
        let answer = json!({"results": [], "unresponsive_engines": [["google", "CAPTCHA"], ["bing"], 7]});
        let silent = silent(&answer);
        assert_eq!(silent, ["google (CAPTCHA)", "bing"]);
        assert!(markdown(&[], &silent).contains("google (CAPTCHA), bing did not answer"));
        assert_eq!(markdown(&[], &[]), "Nothing was found.");
    }
}
