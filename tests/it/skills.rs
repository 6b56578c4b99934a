//! Skills: taken in by the rules of the form, trusted by an administrator, followed by agents within their bounds.

mod followed;
mod found;
mod reference;
mod taken;

use std::io::{Cursor, Write};

use serde_json::Value;
use zip::{ZipWriter, write::SimpleFileOptions};

use crate::support::{
    chat::Person,
    library::{File, form},
};

/// A SKILL.md with this head and this text.
fn skill_md(name: &str, head: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: Checks an invoice for wrong sums, before it is paid.\n{head}---\n{body}")
}

/// A zip of these files.
fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// Sends files, and what stands beside them. Gives status and answer.
async fn sent(by: &Person, files: &[(&str, &[u8])], fields: &[(&str, &str)]) -> (u16, Value) {
    let files: Vec<File<'_>> = files.iter().map(|(name, bytes)| File::new(name, *bytes)).collect();
    by.send_form("/api/skills", form(&files, fields)).await
}

/// Takes in a lone SKILL.md.
async fn taken(by: &Person, text: &str) -> Value {
    let (status, skill) = sent(by, &[("SKILL.md", text.as_bytes())], &[]).await;
    assert_eq!(status, 201, "{skill}");
    skill
}

/// Trusts a skill as it was read.
async fn trust(by: &Person, skill: &Value) -> Value {
    let path = format!("/api/skills/{}/trust", skill["name"].as_str().unwrap());
    by.do_it("PUT", &path, serde_json::json!({"trusted": true, "digest": skill["digest"]})).await
}
