//! `find_tools`: the tools that fit a need, kept in the conversation once found.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use satchel_engine::{
    context::Context,
    tool::{Alias, Tool},
};
use satchel_model::{
    error::Result,
    output::Output,
    spec::{Category, Risk},
};
use satchel_services::{handles::Handles, skills::find as skills};

const DEFAULT_LIMIT: u32 = 5;
const MAX_LIMIT: u32 = 10;

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// What you need to do, in plain words: the capability, not a tool's name.
    query: String,
    /// How many tools to return, 1 to 10; 5 if left out.
    #[schemars(range(min = 1, max = 10))]
    limit: Option<u32>,
}

pub(super) fn tool(handles: &Handles) -> Tool {
    let handles = handles.clone();
    Tool::new(
        "find_tools",
        Category::Agents,
        "Finds the tools that fit a need and makes them callable in this conversation. Returns each tool's name, score, \
         parameters and why it fits, and the skills that say how such a thing is done.",
        "You need a capability that none of the tools in front of you has.",
        move |cx, args| run(handles.clone(), cx, args),
    )
    .risk(Risk::Read)
    .innate()
    .giving(&[("count", "integer"), ("tools", "array")])
    .example(
        "A need in plain words",
        json!({"query": "add up some numbers exactly", "limit": 1}),
        json!({"count": 1}),
    )
    .alias(Alias::same("tool_search"))
}

async fn run(handles: Handles, cx: Context, args: Args) -> Result<Output> {
    let limit = args.limit.unwrap_or(DEFAULT_LIMIT).min(MAX_LIMIT);
    let finder = handles.finder()?;
    let mut found = finder.find_for(&cx, &args.query, limit as usize).await?;
    // A need of another conversation is no model's business, and may be a stranger's words: only people see it.
    found.hits.iter_mut().filter_map(|hit| hit.why.past.as_mut()).for_each(|past| past.query = None);
    let skills = skills::for_need(&cx, &args.query).await?;
    cx.taint().note(skills.iter().filter_map(|skill| skill.origin.clone()));
    let mut promoted: Vec<String> = found.hits.iter().map(|hit| hit.id.clone()).collect();
    promoted.extend((!skills.is_empty()).then(|| skills::READER.to_owned()));
    finder.promote(&cx, promoted).await?;
    let mut answer = json!({"count": found.hits.len(), "tools": found.hits});
    if let (false, Some(answer)) = (skills.is_empty(), answer.as_object_mut()) {
        answer.insert("skills".to_owned(), json!(skills));
    }
    if let (Some(note), Some(answer)) = (found.note, answer.as_object_mut()) {
        answer.insert("note".to_owned(), json!(note));
    }
    Ok(Output::json(answer))
}

#[cfg(test)]
mod tests {
    use crate::list;
    use satchel_engine::registry::Registry;
    use satchel_index::embed::{embedder::Embedder, model::Model, workers::Limits};
    use satchel_services::{
        find::{
            catalogue::Catalogue,
            past::Past,
            ranking::{self, Question},
        },
        handles::Handles,
    };

    #[tokio::test(flavor = "multi_thread")]
    async fn nonsense_is_far_from_every_tool_and_a_need_is_not() {
        let embedder = Embedder::new(Model::embedded(), Limits::default());
        let catalogue = Catalogue::of_registry(&Registry::new(list::all(&Handles::default())).unwrap());
        let vectors = embedder.passages(catalogue.texts()).await.unwrap().unwrap();
        catalogue.see(&vectors);
        let allowed = vec![true; catalogue.profiles().len()];
        for (need, far) in [
            ("asdkjh qwlekj zzzz", true),
            ("add up some numbers", false),
            ("what does the text in my document say", false),
            ("put this onto what I can paste elsewhere", false),
        ] {
            let question = Question::new(&embedder, need).await.unwrap();
            let first = ranking::rank(&catalogue, &question, &allowed, &Past::default(), 1)[0];
            assert_eq!(first.is_far(), far, "{need}: {first:?}");
        }
    }
}
