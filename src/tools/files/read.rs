//! `read`: a text file, or a part of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::READ;
use satchel_engine::{
    context::Context,
    tool::{Alias, Tool},
};
use satchel_host::files::Window;
use satchel_model::{error::Result, output::Output, spec::Category};
use satchel_services::own_files::OwnFiles;

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The file: relative to the workspace, or absolute.
    path: String,
    /// The file's encoding, `utf-8` unless said otherwise; for instance `iso-8859-1` or `utf-16le`.
    encoding: Option<String>,
    /// First byte to read; 0 unless said otherwise.
    offset: Option<u64>,
    /// Most bytes to read; a character is never split. Without it the file is read to its end.
    limit: Option<u64>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FsRead {
    /// Absolute path to the file.
    path: String,
}

pub(super) fn tool() -> Tool {
    let notes = || vec![("write", json!({"path": "notes.txt", "content": "milk\neggs\n"}))];
    Tool::new(
        "read",
        Category::Files,
        "Reads a text file and returns its content. Large files are read in parts with offset and limit, both in \
         bytes; where more follows, next_offset says where.",
        "A file's content must be seen: a note, source code, a log, a configuration.",
        run,
    )
    .permission(READ)
    .personal("your files")
    .example_after(notes(), "A whole file", json!({"path": "notes.txt"}), json!({"content": "milk\neggs\n"}))
    .example_after(
        notes(),
        "A part of it; more follows",
        json!({"path": "notes.txt", "offset": 0, "limit": 4}),
        json!({"content": "milk", "next_offset": 4, "size": 10}),
    )
    .alias(
        Alias::new(
            "fs-read",
            "Reads a UTF-8 text file at the given path and returns its content.",
            |args: FsRead| Ok(Args { path: args.path, encoding: None, offset: None, limit: None }),
            |mut data: Value| {
                let content = data.get_mut("content").map(Value::take).unwrap_or_default();
                Value::Object(Map::from_iter([("content".to_owned(), content)]))
            },
        )
        .example_after(
            notes(),
            "A whole file",
            json!({"path": "notes.txt"}),
            json!({"content": "milk\neggs\n"}),
        ),
    )
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    let charset = args.encoding.as_deref().map(str::parse).transpose()?.unwrap_or_default();
    let window = Window { offset: args.offset.unwrap_or(0), limit: args.limit };
    let text = OwnFiles::new(&cx)?.read_text(&args.path, charset, window).await?;
    // The text is moved: it may be large.
    let mut data = Map::from_iter([("content".to_owned(), Value::String(text.content))]);
    if let Some(next) = text.next_offset {
        data.extend([("next_offset".to_owned(), json!(next)), ("size".to_owned(), json!(text.size))]);
    }
    Ok(Output { title: Some(args.path), ..Output::json(Value::Object(data)) })
}
