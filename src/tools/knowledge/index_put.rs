//! `index_put`: puts a text or a vector under a name into the index.

use std::{collections::BTreeMap, time::Duration};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use satchel_engine::{
    context::Context,
    tool::{Alias, Tool},
};
use satchel_model::{
    error::{Error, Result},
    index::Scalar,
    output::Output,
    spec::{Category, Risk},
};
use satchel_services::entries::{self, NewEntry};

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The entry's name, unique in the index: putting it again takes the place of what was given before.
    id: String,
    /// What it says: found by its words and, where no vector is given, by its meaning.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// Its vector, as long as the index's; left out, it is made from the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    vector: Option<Vec<f32>>,
    /// Facts to filter by, e.g. `{"lang": "en", "year": 2026}`: texts, numbers, booleans or null.
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<BTreeMap<String, Scalar>>,
}

/// `search_index`: always a text.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Document {
    /// Unique document ID.
    id: String,
    /// Document contents.
    text: String,
    /// string->string map of metadata.
    metadata: Option<BTreeMap<String, String>>,
}

pub(super) fn tool() -> Tool {
    Tool::new(
        "index_put",
        Category::Knowledge,
        "Puts a text, a vector, or both under a name into the platform's search index, with metadata to filter by. \
         Everybody who may read the index finds it.",
        "Small pieces of text or vectors of your own should be kept to be searched later by word or by nearness. For \
         whole documents use knowledge.",
        run,
    )
    .risk(Risk::LowWrite)
    // A text is embedded first, after those that were there before it.
    .timeout(Duration::from_secs(30))
    .for_everybody()
    .permission("index:write")
    .giving(&[("ok", "boolean")])
    .example(
        "A text",
        json!({"id": "faq-1", "text": "Refunds take five days.", "metadata": {"lang": "en"}}),
        json!({"ok": true}),
    )
    .alias(
        Alias::new(
            "search_index",
            "Indexes a text document in the full-text search index.",
            |document: Document| {
                let Document { id, text, metadata } = document;
                let texts =
                    |map: BTreeMap<_, _>| map.into_iter().map(|(key, text)| (key, Scalar::Text(text))).collect();
                let metadata = metadata.map(texts);
                Ok(Args { id, text: Some(text), vector: None, metadata })
            },
            |data| data,
        )
        .example("A document", json!({"id": "doc-1", "text": "The quick brown fox"}), json!({"ok": true})),
    )
    .alias(
        Alias::new(
            "vector_upsert",
            "Puts a vector, or a text to be embedded, with optional metadata under an id.",
            |args: Args| {
                if args.text.is_none() && args.vector.is_none() {
                    return Err(Error::invalid("Give 'vector', or 'text' to be embedded."));
                }
                Ok(args)
            },
            |data| data,
        )
        .example(
            "A text to be embedded",
            json!({"id": "v-1", "text": "a warm day", "metadata": {"kind": "weather", "degrees": 24}}),
            json!({"ok": true}),
        ),
    )
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    let Args { id, text, vector, metadata } = args;
    entries::put(&cx, NewEntry { name: id, text, vector, metadata }).await?;
    Ok(Output::json(json!({"ok": true})).ours())
}
