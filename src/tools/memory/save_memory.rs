//! `save_memory`: remembers something of the person for later conversations.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Number, Value, json};

use super::shown;
use satchel_engine::{
    context::Context,
    tool::{Alias, Tool},
};
use satchel_model::{
    error::{Error, Result},
    memory::{Layer, NewMemory},
    output::Output,
    spec::{Category, Risk},
};
use satchel_services::remembering::Remembering;
use satchel_store::memory::Saved;

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The information to remember, one statement that stands by itself.
    content: String,
    /// Category: `general` (default), `preference`, `fact` or `workflow`.
    category: Option<Kind>,
    /// Further things to remember with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 50))]
    also: Vec<Further>,
    /// What the content is: a `fact` (default), the `gist` of a talk, or an `episode`.
    #[serde(default)]
    layer: Layer,
    /// A short name to find it by; an existing memory of that name is replaced.
    key: Option<String>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Further {
    /// The information to remember.
    content: String,
    /// What it is: `fact` (default), `gist` or `episode`.
    #[serde(default)]
    layer: Layer,
    /// A short name to find it by.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
}

#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum Kind {
    General,
    Preference,
    Fact,
    Workflow,
}

impl Kind {
    fn as_str(self) -> &'static str {
        match self {
            Self::General => "general",
            Self::Preference => "preference",
            Self::Fact => "fact",
            Self::Workflow => "workflow",
        }
    }
}

/// `memorize`: gists of a talk and facts in one call.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Memorize {
    /// What was talked about, one gist each.
    #[serde(default)]
    #[schemars(length(max = 25))]
    gists: Vec<Statement>,
    /// What holds, one fact each: a sentence, or a key and its value.
    #[serde(default)]
    #[schemars(length(max = 25))]
    facts: Vec<Statement>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum Statement {
    /// A sentence.
    Sentence(String),
    /// A sentence in a field.
    Content {
        /// The sentence.
        content: String,
    },
    /// A named value.
    Pair {
        /// Its name, e.g. `birthday`.
        key: String,
        /// Its value.
        value: Plain,
    },
}

/// A value: a text, a number, or true or false.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum Plain {
    Text(String),
    Number(Number),
    Truth(bool),
}

impl std::fmt::Display for Plain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Number(number) => write!(f, "{number}"),
            Self::Truth(truth) => write!(f, "{truth}"),
        }
    }
}

pub(super) fn tool() -> Tool {
    Tool::new(
        "save_memory",
        Category::Memory,
        "Saves a piece of information about the user for future conversations. Only this user can ever read it. Saying \
         the same again renews the memory instead of doubling it, and a new value takes the place of the old one, \
         which is then its history.",
        "The user shares a preference, an important fact or a way of working that should be remembered across \
         conversations, or says 'remember this'.",
        run,
    )
    .risk(Risk::LowWrite)
    .own_data()
    .innate()
    .personal("your memories")
    .private(&["content", "key", "gists", "facts"])
    .example(
        "A preference",
        json!({"content": "User prefers reports in CSV format", "category": "preference"}),
        json!({"ok": true, "key": "user-prefers-reports-in-csv-format", "category": "preference", "layer": "fact", "merged": false}),
    )
    .example_after(
        vec![("save_memory", json!({"content": "User prefers reports in CSV"}))],
        "The same again is merged",
        json!({"content": "The user prefers reports in CSV."}),
        json!({"ok": true, "merged": true}),
    )
    .example_after(
        vec![("save_memory", json!({"content": "The rent is 1200 euros"}))],
        "A new value",
        json!({"content": "The rent is 1300 euros"}),
        json!({"ok": true, "merged": false, "replaced": "The rent is 1200 euros", "content": "The rent is 1300 euros"}),
    )
    .alias(
        Alias::new(
            "memorize",
            "Remembers gists of what was talked about and facts about the user, several in one call.",
            |given: Memorize| adapt(given),
            |data: Value| {
                let memories = data.get("memories").cloned().unwrap_or_default();
                json!({"ok": true, "count": memories.as_array().map_or(0, Vec::len), "memories": memories})
            },
        )
        .example(
            "A gist and three facts",
            json!({"gists": ["Planned the trip to Lisbon"], "facts": ["Travels with a dog", {"key": "birthday", "value": "12 May"}, {"key": "age", "value": 42}]}),
            json!({"ok": true, "count": 4, "memories": [
                {"layer": "gist", "content": "Planned the trip to Lisbon", "merged": false},
                {"layer": "fact", "content": "Travels with a dog"},
                {"layer": "fact", "content": "birthday: 12 May", "key": "birthday"},
                {"layer": "fact", "content": "age: 42", "key": "age"},
            ]}),
        ),
    )
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    let category = args.category.map(Kind::as_str);
    let first = NewMemory::new(&args.content, args.layer)?.with_category(category)?.with_key(args.key.as_deref())?;
    let further = args
        .also
        .iter()
        .map(|f| NewMemory::new(&f.content, f.layer)?.with_category(category)?.with_key(f.key.as_deref()));
    let origin = cx.taint().origin_to_keep();
    let all = std::iter::once(Ok(first)).chain(further).map(|new| Ok(new?.with_origin(origin.clone())));
    let all = all.collect::<Result<Vec<_>>>()?;
    let saved = Remembering::of_caller(&cx).save(all, cx.call().topic).await?;
    let memories: Vec<Value> = saved.iter().map(|saved| shown_saved(&cx, saved)).collect();
    let mut data = memories.first().cloned().unwrap_or_default();
    if let Value::Object(data) = &mut data {
        data.shift_insert(0, "ok".to_owned(), json!(true));
        data.insert("memories".to_owned(), json!(memories));
    }
    Ok(Output::json(data))
}

fn shown_saved(cx: &Context, saved: &Saved) -> Value {
    cx.taint().note(saved.forgotten.iter().filter_map(|forgotten| forgotten.origin.clone()));
    let mut data = shown::memory(cx, &saved.memory);
    if let Value::Object(data) = &mut data {
        data.insert("merged".to_owned(), json!(saved.merged));
        if let Some(before) = &saved.replaced {
            data.insert("replaced".to_owned(), json!(before));
        }
        if !saved.forgotten.is_empty() {
            data.insert("forgotten".to_owned(), json!(saved.forgotten));
        }
    }
    data
}

fn adapt(given: Memorize) -> Result<Args> {
    let gists = given.gists.into_iter().map(|s| further(s, Layer::Gist));
    let facts = given.facts.into_iter().map(|s| further(s, Layer::Fact));
    let mut all = gists.chain(facts);
    let Some(first) = all.next() else {
        return Err(Error::invalid("There is nothing to remember: give 'gists' or 'facts'."));
    };
    Ok(Args { content: first.content, category: None, layer: first.layer, key: first.key, also: all.collect() })
}

fn further(statement: Statement, layer: Layer) -> Further {
    match statement {
        Statement::Sentence(content) | Statement::Content { content } => Further { content, layer, key: None },
        Statement::Pair { key, value } => Further { content: format!("{key}: {value}"), layer, key: Some(key) },
    }
}
