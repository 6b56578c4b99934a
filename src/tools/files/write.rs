//! `write`: a text file, whole.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::scope;
use satchel_engine::{
    context::Context,
    preparation::Preparation,
    tool::{Alias, Tool},
};
use satchel_host::files::{Charset, Parents};
use satchel_model::{
    error::Result,
    output::Output,
    question::Question,
    spec::{Category, Risk},
};
use satchel_services::own_files::OwnFiles;

#[derive(Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The file: relative to the workspace, or absolute. An existing file is replaced.
    path: String,
    /// The whole new content.
    content: String,
    /// The encoding to write, `utf-8` unless said otherwise.
    encoding: Option<String>,
    /// Make the directories the file lies in, where they are missing; otherwise they must exist.
    create_dirs: Option<bool>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FsWrite {
    /// Absolute path to the file.
    path: String,
    /// Text content to write.
    content: String,
}

pub(super) fn tool() -> Tool {
    Tool::prepared(
        "write",
        Category::Files,
        "Creates a text file or replaces it whole. Readers see the old content or the new, never a part of it.",
        "Text must be kept as a file, or a file is to be rewritten from the beginning. To change a part, use edit.",
        Preparation::new(run).ahead(ahead).scoped(|args: &Args| scope::folder(&args.path)),
    )
    .permission("host:fs.write")
    .personal("your files")
    .private(&["content"])
    .risk(Risk::HighWrite)
    .giving(&[("ok", "boolean"), ("bytesWritten", "integer")])
    .example("A new file", json!({"path": "notes.txt", "content": "Zoë"}), json!({"ok": true, "bytesWritten": 4}))
    .example(
        "With the directories it lies in",
        json!({"path": "reports/2026/may.md", "content": "# May\n", "create_dirs": true}),
        json!({"ok": true, "bytesWritten": 6}),
    )
    .alias(
        Alias::new(
            "fs-write",
            "Writes UTF-8 text to a file at the given path. An existing file is replaced; the parent directory must \
             exist.",
            |args: FsWrite| Ok(Args { path: args.path, content: args.content, encoding: None, create_dirs: None }),
            |data: Value| json!({"ok": data.get("ok"), "bytesWritten": data.get("bytesWritten")}),
        )
        .example(
            "A new file",
            json!({"path": "notes.txt", "content": "Zoë"}),
            json!({"ok": true, "bytesWritten": 4}),
        ),
    )
}

impl Args {
    fn bytes(&self) -> Result<Vec<u8>> {
        let charset: Charset = self.encoding.as_deref().map(str::parse).transpose()?.unwrap_or_default();
        charset.encode(&self.content)
    }

    fn parents(&self) -> Parents {
        if self.create_dirs == Some(true) { Parents::Create } else { Parents::Must }
    }
}

async fn ahead(cx: Context, args: Args) -> Result<Question> {
    args.bytes()?;
    let replaces = OwnFiles::new(&cx)?.ensure_writable(&args.path, args.parents()).await?;
    Ok(Question::about(if replaces { "Replace" } else { "Write" }, &args.path))
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    let written = OwnFiles::new(&cx)?.write(&args.path, args.bytes()?, args.parents()).await?;
    Ok(Output { title: Some(args.path), ..Output::json(json!({"ok": true, "bytesWritten": written})) })
}
