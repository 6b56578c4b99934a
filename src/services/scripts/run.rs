//! One run of a script, as the tool it is.

use std::{borrow::Cow, sync::Arc};

use serde_json::{Map, Value, json};

use super::{answers::Answers, loaded::Loaded, worker};
use satchel_engine::context::{Context, MAX_DEPTH};
use satchel_host::workers::LEVELS;
use satchel_model::{
    error::{Error, Kind, Result},
    output::{Content, Output},
};
use satchel_script::wire::{Fault, Ran, Reply, Task};

const _: () = assert!((MAX_DEPTH as usize) < LEVELS, "each depth has places of its own");

/// The members of a tool's result, by their documented names.
const RESULT: &[&str] = &["text", "html", "title", "error"];

/// Runs it with these arguments.
pub(super) async fn run(cx: Context, script: Arc<Loaded>, arguments: Value) -> Result<Output> {
    let settings = cx.settings();
    let config = script
        .head
        .settings
        .iter()
        .filter_map(|setting| Some((setting.key.clone(), settings.get(&setting.key)?.expose().to_owned())));
    let task = Task::Run {
        key: script.digest.clone(),
        args: script.head.prepared(Cow::Owned(arguments)),
        config: config.collect(),
        now: cx.now(),
    };
    let workers = cx.app().host.workers.for_user(cx.caller().user);
    let _place = match script.asks_nothing() {
        true => None,
        false => Some(workers.asking(usize::from(cx.call().depth)).await.map_err(worker::ended)?),
    };
    let answers = Answers::new(&cx, &script);
    let reply = worker::converse(&workers, &task, &script, |ask| answers.answer(ask)).await?;
    match reply {
        Reply::Ran(ran) => output(ran),
        _ => Err(Error::internal("a worker answered another question")),
    }
}

pub(super) fn output(ran: Ran<Value>) -> Result<Output> {
    let facts = json!({"log": ran.log, "operations": ran.operations});
    let value = ran.outcome.map_err(|fault| failed(fault, &facts))?;
    let mut output = result(value).map_err(|error| error.with_details(facts.clone()))?;
    if let Value::Object(facts) = facts {
        output.meta.extend(facts);
    }
    Ok(output)
}

fn failed(Fault { message, thrown, line, column }: Fault, facts: &Value) -> Error {
    let mut details = facts.clone();
    if let Some(map) = details.as_object_mut() {
        map.insert("line".to_owned(), json!(line));
        map.insert("column".to_owned(), json!(column));
    }
    let kind = if thrown { Kind::Invalid } else { Kind::Upstream };
    Error::new(kind, message).with_details(details)
}

/// Returns the result of what a script gave back: any value, or a map with the documented names of a tool's result,
/// whatever else it holds. An error in it fails the call; it is shown by its text, what it does not name beside it, and
/// all of it is the data.
fn result(value: Value) -> Result<Output> {
    let part = |name: &str| value.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned);
    if let Some(error) = part("error") {
        return Err(Error::upstream(error));
    }
    let content = part("text").map(|text| shown(text, &value)).unwrap_or_default();
    Ok(Output { title: part("title"), html: part("html"), content, ..Output::json(value) })
}

/// The text, and the members it does not stand for.
fn shown(text: String, value: &Value) -> Vec<Content> {
    let is_told =
        |(key, part): &(&String, &Value)| RESULT.contains(&key.as_str()) && (part.is_string() || part.is_null());
    let rest: Map<String, Value> = value
        .as_object()
        .into_iter()
        .flatten()
        .filter(|member| !is_told(member))
        .map(|(key, part)| (key.clone(), part.clone()))
        .collect();
    let mut content = vec![Content::Text { text }];
    if !rest.is_empty() {
        content.push(Content::Json { json: Value::Object(rest) });
    }
    content
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Content {
        Content::Text { text: text.to_owned() }
    }

    #[test]
    fn the_map_of_the_seeds_is_taken_apart() {
        let output = result(json!({"text": "t", "html": "<b>t</b>", "title": "T"})).unwrap();
        assert_eq!((output.title.as_deref(), output.html.as_deref()), (Some("T"), Some("<b>t</b>")));
        assert_eq!(output.shown(), [text("t")]);
        for other in [json!({"title": 1}), json!({"text": 1}), json!({"text": "", "n": 1}), json!({}), json!(["x"])] {
            assert_eq!(result(other.clone()).unwrap(), Output::json(other));
        }
    }

    #[test]
    fn what_else_a_map_holds_changes_nothing_about_its_text_and_title() {
        let whole = json!({"text": "Hello!", "html": null, "title": "T", "letters": 6, "error": ""});
        let output = result(whole.clone()).unwrap();
        assert_eq!((output.title.as_deref(), &output.data), (Some("T"), &whole));
        assert_eq!(output.shown(), [text("Hello!"), Content::Json { json: json!({"letters": 6}) }]);
        let output = result(json!({"html": "<b>t</b>", "title": 1, "letters": 6})).unwrap();
        assert_eq!((output.title, output.html.as_deref(), output.content), (None, Some("<b>t</b>"), Vec::new()));
    }

    #[test]
    fn an_error_in_a_map_fails_the_call_whatever_stands_beside_it() {
        for map in [json!({"text": "t", "error": "used up"}), json!({"error": "used up", "left": 0, "text": 1})] {
            assert_eq!(result(map).unwrap_err().message(), "used up");
        }
        for harmless in [json!({"error": "", "left": 0}), json!({"error": null}), json!({"error": 5, "left": 0})] {
            assert_eq!(result(harmless.clone()).unwrap(), Output::json(harmless));
        }
    }
}
