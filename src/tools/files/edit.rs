//! `edit`: one text for another in a file.

use std::num::NonZeroUsize;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{READ, scope};
use satchel_engine::{context::Context, preparation::Preparation, tool::Tool};
use satchel_host::files::{MAX_READ, Parents};
use satchel_model::{
    error::{Error, Result},
    figure,
    output::Output,
    question::Question,
    spec::{Category, Risk},
};
use satchel_services::own_files::OwnFiles;

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The file: relative to the workspace, or absolute.
    path: String,
    /// The text to find, exactly as it stands in the file, line ends and blanks included.
    old_text: String,
    /// What takes its place; empty removes it.
    new_text: String,
    /// Which occurrence to replace, counted from 1; all of them unless said otherwise.
    occurrence: Option<Occurrence>,
}

#[derive(Deserialize, JsonSchema, Clone, Copy)]
#[serde(untagged)]
enum Occurrence {
    Nth(NonZeroUsize),
    All(All),
}

#[derive(Deserialize, JsonSchema, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum All {
    All,
}

pub(super) fn tool() -> Tool {
    let before = || vec![("write", json!({"path": "todo.txt", "content": "call Ann\ncall Bob\n"}))];
    Tool::prepared(
        "edit",
        Category::Files,
        "Replaces a text in a file by another: every occurrence, or one of them. The file stays as it is where the \
         text does not occur.",
        "A few known words or lines of a file must change. Read the file first to quote it exactly.",
        Preparation::new(run).ahead(ahead).scoped(|args: &Args| scope::folder(&args.path)),
    )
    .giving(&[("ok", "boolean"), ("replaced", "integer")])
    .permission("host:fs.write")
    .personal("your files")
    .private(&["old_text", "new_text"])
    .risk(Risk::HighWrite)
    .example_after(
        before(),
        "Every occurrence",
        json!({"path": "todo.txt", "old_text": "call", "new_text": "write to"}),
        json!({"ok": true, "replaced": 2}),
    )
    .example_after(
        before(),
        "One of them",
        json!({"path": "todo.txt", "old_text": "call", "new_text": "visit", "occurrence": 2}),
        json!({"ok": true, "replaced": 1}),
    )
}

/// Says whether the text occurs before anybody is asked, to those who may read the file.
async fn ahead(cx: Context, args: Args) -> Result<Question> {
    let (files, path) = (OwnFiles::new(&cx)?, args.path.clone());
    files.ensure_writable(&path, Parents::Must).await?;
    if cx.caller().permissions.grants(READ) {
        files.rehearse(&path, move |text| replace(text, &args).map(drop)).await?;
    }
    Ok(Question::about("Change", &path))
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    let path = args.path.clone();
    let replaced = OwnFiles::new(&cx)?
        .update(&path, move |text| replace(text, &args).map(|(after, count)| (Some(after), count)))
        .await?;
    Ok(Output { title: Some(path), ..Output::json(json!({"ok": true, "replaced": replaced})) })
}

fn replace(text: &str, args: &Args) -> Result<(String, usize)> {
    if args.old_text.is_empty() {
        return Err(Error::invalid("`old_text` is empty: quote the text to replace."));
    }
    let found = text.matches(&args.old_text).count();
    let replaced = if matches!(args.occurrence, Some(Occurrence::Nth(_))) { found.min(1) } else { found };
    ensure_fits(text.len() - replaced * args.old_text.len(), replaced.saturating_mul(args.new_text.len()))?;
    match args.occurrence {
        _ if found == 0 => Err(absent(text, &args.old_text)),
        None | Some(Occurrence::All(All::All)) => Ok((text.replace(&args.old_text, &args.new_text), found)),
        Some(Occurrence::Nth(nth)) => {
            let Some((at, old)) = text.match_indices(&args.old_text).nth(nth.get() - 1) else {
                return Err(Error::invalid(format!("`old_text` occurs {found} times, so there is no {nth}.")));
            };
            let (head, tail) = text.split_at(at);
            Ok((format!("{head}{}{}", args.new_text, tail.get(old.len()..).unwrap_or_default()), 1))
        }
    }
}

/// Checks the size of the file before anything of it is written.
///
/// # Errors
///
/// If it would have more bytes than can be read again.
fn ensure_fits(kept: usize, new: usize) -> Result<()> {
    match kept.saturating_add(new) as u64 {
        bytes if bytes > MAX_READ => Err(Error::invalid(format!(
            "The file would have {}: {} are the most that can be read again. Replace fewer occurrences, or by less.",
            figure::bytes(bytes),
            figure::bytes(MAX_READ)
        ))),
        _ => Ok(()),
    }
}

fn absent(text: &str, old: &str) -> Error {
    let other_ends = text.contains("\r\n") && text.replace("\r\n", "\n").contains(old);
    let hint =
        if other_ends { "Its lines end in \\r\\n: write them so." } else { "Read the file and quote it exactly." };
    Error::invalid(format!("`old_text` does not occur in the file. {hint}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edited(text: &str, old: &str, nth: Option<usize>) -> Result<(String, usize)> {
        let occurrence = nth.and_then(NonZeroUsize::new).map(Occurrence::Nth);
        let args = Args { path: String::new(), old_text: old.to_owned(), new_text: "-".to_owned(), occurrence };
        replace(text, &args)
    }

    #[test]
    fn an_occurrence_is_counted_from_one() {
        assert_eq!(edited("ab ab ab", "ab", Some(2)).unwrap(), ("ab - ab".to_owned(), 1));
        assert_eq!(edited("ab ab ab", "ab", None).unwrap(), ("- - -".to_owned(), 3));
        assert_eq!(edited("ab", "ab", Some(2)).unwrap_err().message(), "`old_text` occurs 1 times, so there is no 2.");
    }

    #[test]
    fn a_file_that_would_be_too_large_is_refused_before_it_is_made() {
        let file = "a\n".repeat(1_000_000);
        let long = |occurrence| {
            let new_text = "b".repeat(7_000_000);
            replace(&file, &Args { path: String::new(), old_text: "a".to_owned(), new_text, occurrence })
        };
        let error = long(None).unwrap_err();
        assert!(error.message().contains("9.5 MB are the most"), "{error}");
        assert_eq!(long(NonZeroUsize::new(7).map(Occurrence::Nth)).unwrap().1, 1);
    }

    #[test]
    fn an_absent_text_is_an_error_that_says_what_to_do() {
        assert!(edited("a\r\nb", "a\nb", None).unwrap_err().message().contains("\\r\\n"));
        assert!(edited("a", "b", None).unwrap_err().message().contains("quote it exactly"));
        assert!(edited("a", "", None).unwrap_err().message().contains("empty"));
    }
}
