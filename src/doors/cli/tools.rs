//! `satchel tools`, `satchel find` and `satchel call`.

use http::Method;
use serde_json::{Map, Value, json};

use super::{
    args::{CallArgs, FindArgs},
    client::Client,
    run::Exit,
    screen::{Screen, cell, confirm, listing},
};
use satchel_model::error::{Error, Result};

pub(super) async fn list(client: &Client, screen: &Screen) -> Result<Exit> {
    let tools: Value = client.get("/api/tools").await?;
    screen.show(&tools, |tools| listing(tools, &["name", "category", "risk", "status", "permission", "aliases"]))?;
    Ok(Exit::Done)
}

pub(super) async fn collisions(client: &Client, screen: &Screen) -> Result<Exit> {
    let found: Value = client.get("/api/tools/collisions").await?;
    screen.show(&found, |found| match found.as_array().map(Vec::as_slice) {
        None | Some([]) => "No two tools are mistaken for each other.".to_owned(),
        Some(pairs) => pairs.iter().map(collision).collect::<Vec<_>>().join("\n"),
    })?;
    Ok(Exit::Done)
}

fn collision(pair: &Value) -> String {
    let needs = pair.get("needs").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let lost: Vec<String> = needs.iter().map(|need| format!("    \"{}\"", cell(need, "need"))).collect();
    let (tool, other, asked) = (cell(pair, "tool"), cell(pair, "other"), cell(pair, "asked"));
    let head = format!("{other} comes before {tool} in {} of {asked} of its own needs:", needs.len());
    format!("{head}\n{}\n    {}", lost.join("\n"), cell(pair, "advice"))
}

pub(super) async fn find(args: FindArgs, client: &Client, screen: &Screen) -> Result<Exit> {
    let body = json!({"query": args.need, "limit": args.limit});
    let found: Value = client.post("/api/tools/find", &body).await?;
    screen.show(&found, |found| {
        let list = listing(found.get("results").unwrap_or(&Value::Null), &["name", "score", "description"]);
        format!("{list}\n{}", cell(found, "note"))
    })?;
    Ok(Exit::Done)
}

pub(super) async fn call(args: CallArgs, client: &Client, screen: &Screen) -> Result<Exit> {
    let path = format!("/api/tools/{}", path_segment(&args.tool));
    let tool = client.send(Method::GET, &path, None).await?;
    // One that does not exist is called all the same: that somebody tried stands in the audit.
    if tool.status >= 400 && tool.status != 404 {
        return Err(tool.problem());
    }
    let params = match arguments(&args.arguments, parameters(&tool.body, &args.tool)) {
        Ok(params) => params,
        Err(error) => return screen.refuse(&error),
    };
    let body = json!({"params": params, "dry_run": args.dry_run, "ticket": args.ticket});
    let answer = client.send(Method::POST, &format!("{path}/invoke"), Some(&body)).await?;
    match answer.status {
        409 if answer.body.get("ticket").is_some() => decide(&answer.body, &args, client, screen).await,
        status if status >= 400 => Err(answer.problem()),
        _ => show(&answer.body, screen),
    }
}

/// Asks the person at the terminal about the ticket of a 409; `--yes` answers for them, but never for what is
/// destructive.
async fn decide(ticket: &Value, args: &CallArgs, client: &Client, screen: &Screen) -> Result<Exit> {
    let (asked, reason) = (cell(ticket, "question"), cell(ticket, "reason"));
    let warnings = ticket.get("warnings").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let warnings: String = warnings.map(|warning| format!("Note: {warning}\n")).collect();
    let question = format!("{} {}\n{warnings}{reason}\n{asked}", args.tool, cell(ticket, "arguments"));
    let approved = if waived(ticket, args) { Some(true) } else { confirm(&question)? };
    let decision = match approved {
        Some(true) => "approve",
        Some(false) => "deny",
        None => {
            screen.show(ticket, |t| {
                let (reason, id) = (cell(t, "reason"), cell(t, "ticket"));
                format!(
                    "{asked} Needs confirmation: {reason} Ticket {id}.\nDecide it in the console's inbox, then repeat the call with \
                     --ticket {id}; or repeat it at a terminal, which asks."
                )
            })?;
            return Ok(Exit::Unconfirmed);
        }
    };
    let path = format!("/api/tickets/{}", cell(ticket, "ticket"));
    let decided: Value = client.post(&path, &json!({"decision": decision})).await?;
    match decided.get("result") {
        Some(result) if !result.is_null() => show(result, screen),
        _ => {
            screen.show(&decided, |_| "Refused: nothing was run.".to_owned())?;
            Ok(Exit::Failed)
        }
    }
}

/// Returns whether `--yes` answers this question: never one about what is destructive, nor the same one asked again.
fn waived(ticket: &Value, args: &CallArgs) -> bool {
    args.yes && args.ticket.is_none() && cell(ticket, "risk") != "destructive"
}

/// Prints a result: text as it is, everything else as JSON.
fn show(result: &Value, screen: &Screen) -> Result<Exit> {
    screen.beside(&approval(result))?;
    if result.get("success").and_then(Value::as_bool) == Some(true) {
        screen.show(result, |result| match result.get("data") {
            Some(Value::String(text)) => text.clone(),
            data => serde_json::to_string_pretty(&data).unwrap_or_default(),
        })?;
        return Ok(Exit::Done);
    }
    let message = result.get("error").and_then(Value::as_str).unwrap_or("It failed and gave no reason.");
    screen.show(result, |_| format!("Failed: {message}"))?;
    Ok(Exit::Failed)
}

/// Returns who approved a call and what they changed: what ran is not what stands on the command line then.
fn approval(result: &Value) -> Vec<String> {
    let edits = result.pointer("/meta/edited").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    if edits.is_empty() {
        return Vec::new();
    }
    let by = result.pointer("/meta/approved_by").and_then(Value::as_str).unwrap_or_default();
    let head = format!("Approved by {by}, who changed what was asked for:");
    let value = |edit: &Value, name: &str| edit.get(name).unwrap_or(&Value::Null).to_string();
    let lines = edits
        .iter()
        .map(|edit| format!("  {}: {}, was {}", cell(edit, "name"), value(edit, "to"), value(edit, "from")));
    [head].into_iter().chain(lines).collect()
}

/// One JSON object, or `key=value` pairs read as the parameter's type.
pub(super) fn arguments(given: &[String], schema: &Value) -> Result<Value> {
    if let [only] = given
        && only.trim_start().starts_with('{')
    {
        return serde_json::from_str(only).map_err(|e| Error::invalid(format!("The arguments are not JSON: {e}.")));
    }
    let pairs = given.iter().map(|pair| {
        let (key, text) = pair.split_once('=').ok_or_else(|| {
            Error::invalid(format!("'{pair}' is not an argument: write key=value, or one JSON object."))
        })?;
        Ok((key.to_owned(), typed(text, schema.pointer(&format!("/properties/{key}/type")))))
    });
    pairs.collect::<Result<Map<_, _>>>().map(Value::Object)
}

/// The schema of the name that is called: an alias may have its own.
fn parameters<'a>(tool: &'a Value, name: &str) -> &'a Value {
    let aliases = tool.get("aliases").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let alias = aliases.iter().find(|alias| cell(alias, "name") == name);
    alias.and_then(|alias| alias.get("parameters")).or_else(|| tool.get("parameters")).unwrap_or(&Value::Null)
}

/// A string stays one where the schema wants one; all else that reads as JSON is JSON.
fn typed(text: &str, wanted: Option<&Value>) -> Value {
    if wanted.and_then(Value::as_str) == Some("string") {
        return Value::String(text.to_owned());
    }
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

fn path_segment(name: &str) -> String {
    url::form_urlencoded::byte_serialize(name.as_bytes()).collect::<String>().replace('+', "%20")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|w| (*w).to_owned()).collect()
    }

    fn args(words: &[&str]) -> CallArgs {
        CallArgs { tool: "t".into(), arguments: self::tests::words(words), yes: false, dry_run: false, ticket: None }
    }

    #[test]
    fn pairs_are_read_as_the_schema_types_them() {
        let schema = json!({"properties": {"query": {"type": "string"}, "limit": {"type": "integer"}}});
        let read = arguments(&words(&["query=12", "limit=3", "flag=true"]), &schema).unwrap();
        assert_eq!(read, json!({"query": "12", "limit": 3, "flag": true}));
    }

    #[test]
    fn yes_is_never_said_to_what_is_destructive() {
        for (risk, waves) in [("high_write", true), ("destructive", false)] {
            let mut args = args(&[]);
            assert!(!waived(&json!({"risk": risk}), &args));
            args.yes = true;
            assert_eq!(waived(&json!({"risk": risk}), &args), waves, "{risk}");
        }
    }

    #[test]
    fn what_a_person_changed_is_told_beside_the_result() {
        let edited = json!([{"name": "text", "from": "a", "to": "b"}]);
        let result = json!({"success": true, "meta": {"approved_by": "mara", "edited": edited}});
        assert_eq!(
            approval(&result),
            ["Approved by mara, who changed what was asked for:", "  text: \"b\", was \"a\""]
        );
        assert!(approval(&json!({"success": true, "meta": {"approved_by": "mara"}})).is_empty());
    }

    #[test]
    fn one_object_is_taken_as_it_is_and_a_stray_word_is_named() {
        assert_eq!(arguments(&words(&[r#"{"a": 1}"#]), &json!({})).unwrap(), json!({"a": 1}));
        assert!(arguments(&words(&["stray"]), &json!({})).unwrap_err().message().contains("'stray'"));
        assert!(arguments(&words(&["{oops"]), &json!({})).unwrap_err().message().contains("not JSON"));
    }
}
