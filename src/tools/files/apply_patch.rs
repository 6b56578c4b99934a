//! `apply_patch`: a unified diff on one file, all hunks or nothing.

use diffy::{Line, Patch};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{READ, scope};
use satchel_engine::{context::Context, preparation::Preparation, tool::Tool};
use satchel_host::files::Parents;
use satchel_model::{
    error::{Error, Result},
    output::Output,
    question::Question,
    spec::{Category, Risk},
};
use satchel_services::own_files::OwnFiles;

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The file to change: relative to the workspace, or absolute. File names in the patch are not looked at.
    path: String,
    /// The changes as a unified diff of this one file: hunks that begin with `@@ -line,count +line,count @@`.
    patch: String,
    /// Only check whether the patch fits, and change nothing.
    dry_run: Option<bool>,
}

pub(super) fn tool() -> Tool {
    let before = || vec![("write", json!({"path": "fruit.txt", "content": "apple\nbanana\n"}))];
    let patch = "@@ -1,2 +1,2 @@\n apple\n-banana\n+cherry\n";
    Tool::prepared(
        "apply_patch",
        Category::Files,
        "Changes a file by a unified diff. Every hunk must fit exactly, wherever its lines stand by now; otherwise \
         nothing is changed and the error names the hunk. A diff from /dev/null makes a new file.",
        "Several places of a file change at once, or a diff is at hand.",
        Preparation::new(run).ahead(ahead).scoped(|args: &Args| scope::folder(&args.path)),
    )
    .permission("host:fs.write")
    .personal("your files")
    .private(&["patch"])
    .risk(Risk::HighWrite)
    .example_after(
        before(),
        "One line for another",
        json!({"path": "fruit.txt", "patch": patch}),
        json!({"ok": true, "hunks": 1, "added": 1, "removed": 1, "dry_run": false}),
    )
    .example_after(
        before(),
        "Only to see whether it fits",
        json!({"path": "fruit.txt", "patch": patch, "dry_run": true}),
        json!({"ok": true, "hunks": 1, "dry_run": true}),
    )
}

/// A change a patch makes.
#[derive(Clone, Copy)]
struct Change {
    hunks: usize,
    added: usize,
    removed: usize,
}

/// Says whether the patch fits before anybody is asked, to those who may read the file.
async fn ahead(cx: Context, args: Args) -> Result<Question> {
    let (files, path) = (OwnFiles::new(&cx)?, args.path.clone());
    parse(&args.patch)?;
    files.ensure_writable(&path, Parents::Must).await?;
    if cx.caller().permissions.grants(READ) {
        change(&files, Args { dry_run: Some(true), ..args }).await?;
    }
    Ok(Question::about("Change", &path))
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    let (path, dry_run) = (args.path.clone(), args.dry_run.unwrap_or(false));
    let change = change(&OwnFiles::new(&cx)?, args).await?;
    let data = json!({
        "ok": true, "hunks": change.hunks, "added": change.added, "removed": change.removed, "dry_run": dry_run,
    });
    Ok(Output { title: Some(path), ..Output::json(data) })
}

async fn change(files: &OwnFiles, args: Args) -> Result<Change> {
    let Args { path, patch: text, dry_run } = args;
    let dry_run = dry_run.unwrap_or(false);
    if makes_a_file(&parse(&text)?) {
        return create(files, &path, &text, dry_run).await;
    }
    match dry_run {
        true => files.rehearse(&path, move |before| patch(before, &text).map(|(_, change)| change)).await,
        false => files.update(&path, move |before| patch(before, &text).map(|(after, c)| (Some(after), c))).await,
    }
}

async fn create(files: &OwnFiles, path: &str, text: &str, dry_run: bool) -> Result<Change> {
    if files.exists(path).await? {
        return Err(Error::conflict(format!("The patch makes a new file, but '{path}' exists already.")));
    }
    let (content, change) = patch("", text)?;
    if !dry_run {
        files.write(path, content.into_bytes(), Parents::Must).await?;
    }
    Ok(change)
}

fn makes_a_file(patch: &Patch<'_, str>) -> bool {
    patch.original() == Some("/dev/null")
}

fn parse(text: &str) -> Result<Patch<'_, str>> {
    if text.lines().filter(|line| line.starts_with("diff --git ")).count() > 1 {
        return Err(Error::invalid("The patch changes several files. Apply one patch for each."));
    }
    let patch = Patch::from_str(text).map_err(|e| {
        Error::invalid(format!("The patch is not a unified diff of one file: {e}. Nothing was changed."))
    })?;
    if patch.hunks().is_empty() {
        return Err(Error::invalid("The patch has no hunk. A hunk begins with `@@ -line,count +line,count @@`."));
    }
    if patch.modified() == Some("/dev/null") {
        return Err(Error::invalid("The patch deletes the file, which this tool does not do. Nothing was changed."));
    }
    Ok(patch)
}

/// Applies a patch. Whether its own last line ends is of no account, and a file whose last line does not end stays so.
fn patch(before: &str, text: &str) -> Result<(String, Change)> {
    let ended = if text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") };
    let patch = parse(&ended)?;
    let after = match diffy::apply(before, &patch) {
        Err(_) if !before.is_empty() && !before.ends_with('\n') => {
            let after = diffy::apply(&format!("{before}\n"), &patch);
            after.map(|after| after.strip_suffix('\n').map_or(after.clone(), str::to_owned))
        }
        tried => tried,
    };
    let after = after.map_err(|e| misfit(&patch, before, &e))?;
    let lines = || patch.hunks().iter().flat_map(|hunk| hunk.lines());
    let change = Change {
        hunks: patch.hunks().len(),
        added: lines().filter(|line| matches!(line, Line::Insert(_))).count(),
        removed: lines().filter(|line| matches!(line, Line::Delete(_))).count(),
    };
    Ok((after, change))
}

/// The library's error ends in the hunk's number.
fn misfit(patch: &Patch<'_, str>, before: &str, error: &diffy::ApplyError) -> Error {
    let text = error.to_string();
    let number = text.rsplit('#').next().and_then(|number| number.parse::<usize>().ok()).unwrap_or(1);
    let line = patch.hunks().get(number - 1).map_or(0, |hunk| hunk.old_range().start());
    let hint = if before.contains("\r\n") { " Its lines end in \\r\\n: those of the patch must, too." } else { "" };
    Error::conflict(format!(
        "Hunk {number} of {} (line {line}) does not fit: its unchanged and removed lines do not stand in the file like \
         this. Nothing was changed. Read the file again and make the patch from what it holds now.{hint}",
        patch.hunks().len()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use satchel_model::error::Kind;

    #[test]
    fn one_hunk_that_does_not_fit_undoes_all() {
        let text = "@@ -1 +1 @@\n-a\n+A\n@@ -3 +3 @@\n-x\n+X\n";
        let error = patch("a\nb\nc\n", text).map(|(after, _)| after).unwrap_err();
        assert_eq!(error.kind(), Kind::Conflict);
        assert!(error.message().starts_with("Hunk 2 of 2 (line 3) does not fit"), "{error}");
    }

    #[test]
    fn hunks_find_lines_that_have_moved() {
        let text = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n b\n-c\n+C\n";
        assert_eq!(patch("new\nnew\nb\nc\n", text).unwrap().0, "new\nnew\nb\nC\n");
    }

    #[test]
    fn a_last_line_may_end_or_not_in_the_patch_and_in_the_file() {
        let after = |before: &str, text: &str| patch(before, text).unwrap().0;
        assert_eq!(after("a\nb\n", "@@ -1,2 +1,2 @@\n-a\n+A\n b"), "A\nb\n");
        assert_eq!(after("a\nb", "@@ -1,2 +1,2 @@\n a\n-b\n+B\n"), "a\nB");
        assert_eq!(after("a\nb", "@@ -1,2 +1,3 @@\n a\n b\n+c"), "a\nb\nc");
        let marked = "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n";
        assert_eq!(after("a\nb", marked), "a\nc\n");
        let error = patch("a\r\nb\r\n", "@@ -1 +1 @@\n-a\n+A\n").map(|(after, _)| after).unwrap_err();
        assert!(error.message().contains("end in \\r\\n"), "{error}");
    }

    #[test]
    fn what_is_no_diff_is_refused() {
        for text in ["", "hello", "@@ -1,2 +1 @@\n-a\n", "--- a\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"] {
            assert_eq!(patch("a\n", text).map(|(after, _)| after).unwrap_err().kind(), Kind::Invalid, "{text:?}");
        }
    }
}
