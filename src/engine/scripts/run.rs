//! One run of a script, as the tool it is.

use std::{borrow::Cow, sync::Arc};

use serde_json::{Value, json};

use super::{answers::Answers, loaded::Loaded, worker};
use crate::{
    engine::context::Context,
    model::{
        error::{Error, Kind, Result},
        output::Output,
    },
    script::wire::{Fault, Ran, Reply, Task},
};

/// The members of what the seeds call a tool's result.
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
    let answers = Answers::new(&cx, &script);
    let reply = worker::converse(&cx.app().workers, &task, &script, |ask| answers.answer(ask)).await?;
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

/// What a script gave back: any value, or the map of the seeds, in which an error makes the rest be ignored (R24).
fn result(value: Value) -> Result<Output> {
    let is_result = value.as_object().is_some_and(|map| {
        !map.is_empty()
            && map.iter().all(|(key, part)| RESULT.contains(&key.as_str()) && (part.is_string() || part.is_null()))
    });
    if !is_result {
        return Ok(Output::json(value));
    }
    let part = |name: &str| value.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned);
    if let Some(error) = part("error") {
        return Err(Error::upstream(error));
    }
    let text = part("text").map_or(Value::Null, Value::String);
    let content = match &text {
        Value::String(text) => vec![crate::model::output::Content::Text { text: text.clone() }],
        _ => Vec::new(),
    };
    Ok(Output { title: part("title"), html: part("html"), content, ..Output::json(value) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_map_of_the_seeds_is_taken_apart() {
        let output = result(json!({"text": "t", "html": "<b>t</b>", "title": "T"})).unwrap();
        assert_eq!((output.title.as_deref(), output.html.as_deref()), (Some("T"), Some("<b>t</b>")));
        assert_eq!(output.shown().len(), 1);
        assert_eq!(result(json!({"text": "t", "error": "broke"})).unwrap_err().message(), "broke");
        for other in [json!({"text": "t", "count": 1}), json!({"title": 1}), json!({}), json!("x")] {
            assert_eq!(result(other.clone()).unwrap(), Output::json(other));
        }
    }
}
