//! Skills as agents read them: the body, which a run then follows, and files when they are needed.

use serde_json::{Value, json};

use satchel_engine::context::Context;
use satchel_model::{
    error::{Error, Result},
    output::{Content, Output},
    skill::WholeSkill,
};
use satchel_store::skills::Skills;

/// Reads the body of a skill; the run it is read in follows it from then on.
///
/// # Errors
///
/// If there is no such skill.
pub async fn body(cx: &Context, name: &str) -> Result<Output> {
    let skills = Skills::new(&cx.app().db);
    let skill = skills.get(name).await?;
    cx.taint().note(skill.skill.origin.clone());
    let followed = match cx.call().topic {
        Some(topic) => skills.follow(topic, &skill).await?,
        None => false,
    };
    let output = Output::json(described(&skill));
    Ok(if followed { Output { content: vec![Content::Text { text: told(&skill) }], ..output } } else { output })
}

/// Reads a file of a skill, which is a text.
///
/// # Errors
///
/// If there is no such file, or it is no text.
pub async fn file(cx: &Context, name: &str, path: &str) -> Result<Output> {
    let skills = Skills::new(&cx.app().db);
    let skill = skills.get(name).await?;
    cx.taint().note(skill.skill.origin);
    let text = String::from_utf8(skills.file(name, path).await?)
        .map_err(|_| Error::invalid(format!("'{path}' is no UTF-8 text: it cannot be read here.")))?;
    Ok(Output::json(json!({"name": name, "file": path, "text": text})))
}

fn described(skill: &WholeSkill) -> Value {
    let WholeSkill { skill, body, files } = skill;
    let files: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    json!({
        "name": skill.head.name, "description": skill.head.description, "body": body, "files": files,
        "allowed_tools": skill.head.tool_names(), "trusted": skill.trusted_by.is_some(),
    })
}

/// The words a model is told in a run: the body stands in its instructions from the next step on.
fn told(skill: &WholeSkill) -> String {
    let head = &skill.skill.head;
    let name = &head.name;
    let files = match skill.files.as_slice() {
        [] => String::new(),
        files => {
            let files: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
            format!(" Its files, which you read with `file`: {}.", files.join(", "))
        }
    };
    let tools = match head.tool_names().as_slice() {
        [] => String::new(),
        tools => format!(" Until this answer is over, no tools but these are called: {}.", tools.join(", ")),
    };
    format!("The skill {name} is followed now: its text stands between [SKILL:{name}] and [/SKILL].{files}{tools}")
}
