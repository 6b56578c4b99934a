//! The files of a skill: a zip, or a folder that is sent file by file. Nothing is unpacked onto a disk.

use std::{
    collections::{BTreeMap, HashSet},
    io::{Cursor, Read},
};

use zip::ZipArchive;

use super::head;
use satchel_model::{
    error::{Error, Result},
    skill::{MAX_BYTES, MAX_FILES, MAX_TEXT, SkillFile, SkillRead},
};

/// Longest path within a skill, in bytes.
const MAX_PATH: usize = 240;
/// The names of the file with the head; the first that is there counts.
const SKILL_MD: [&str; 2] = ["SKILL.md", "skill.md"];

/// Reads a skill of files under these paths, or of one zip. Returns it, and the bytes of its files one after the other.
///
/// # Errors
///
/// If it breaks a rule of the form, holds too much, or a path leads out of it.
pub fn read(paths: &[String], contents: Vec<Vec<u8>>) -> Result<(SkillRead, Vec<u8>)> {
    let mut files = match (paths, contents.as_slice()) {
        ([_], [zip]) if zip.starts_with(b"PK") => unpacked(zip)?,
        _ => sent(paths, contents)?,
    };
    let folder = take_folder(&mut files)?;
    let found = SKILL_MD.iter().find_map(|name| files.remove(*name));
    let text = found.ok_or_else(|| {
        Error::invalid(
            "There is no SKILL.md: it lies at the top of the skill's folder, which may be the zip's only one.",
        )
    })?;
    if text.len() > MAX_TEXT {
        return Err(Error::invalid(format!("SKILL.md has more than {} KB: put details into files.", MAX_TEXT >> 10)));
    }
    let text = String::from_utf8(text).map_err(|_| Error::invalid("SKILL.md is no UTF-8 text."))?;
    let (head, body) = head::read(&text.replace("\r\n", "\n"), folder.as_deref())?;
    let mut bytes = Vec::new();
    let mut listed = Vec::with_capacity(files.len());
    for (path, content) in files {
        listed.push(SkillFile { path, bytes: content.len() as u64 });
        bytes.extend_from_slice(&content);
    }
    Ok((SkillRead { head, body, files: listed }, bytes))
}

type Files = BTreeMap<String, Vec<u8>>;

fn sent(paths: &[String], contents: Vec<Vec<u8>>) -> Result<Files> {
    let mut files = Kept::default();
    for (path, content) in paths.iter().zip(contents) {
        if let Some(path) = checked(path)? {
            files.keep(path, content)?;
        }
    }
    Ok(files.files)
}

fn unpacked(zip: &[u8]) -> Result<Files> {
    // Their number first: a directory of a hundred thousand entries takes memory by itself.
    let entries = zip.windows(4).filter(|mark| mark == b"PK\x01\x02").take(MAX_FILES * 4 + 1).count();
    if entries > MAX_FILES * 4 {
        return Err(too_many());
    }
    let damaged = |cause: zip::result::ZipError| {
        Error::invalid("The zip is damaged or incomplete, and cannot be unpacked. Pack it anew.").caused_by(cause)
    };
    let mut archive = ZipArchive::new(Cursor::new(zip)).map_err(damaged)?;
    let mut files = Kept::default();
    for index in 0..archive.len() {
        let entry = archive.by_index(index).map_err(damaged)?;
        let name = entry.name().map_err(damaged)?.into_owned();
        if entry.is_symlink() {
            return Err(Error::invalid(format!("'{}' is a link: a skill holds files only.", told(&name))));
        }
        if entry.is_dir() {
            checked(name.trim_end_matches('/'))?;
            continue;
        }
        let Some(path) = checked(&name)? else { continue };
        let mut content = Vec::new();
        let left = (MAX_BYTES - files.bytes) as u64;
        entry.take(left + 1).read_to_end(&mut content).map_err(|error| damaged(error.into()))?;
        files.keep(path, content)?;
    }
    Ok(files.files)
}

/// Files as they are counted.
#[derive(Default)]
struct Kept {
    files: Files,
    /// Their paths in small letters: two that differ in case alone are one file on some machines.
    names: HashSet<String>,
    bytes: usize,
}

impl Kept {
    fn keep(&mut self, path: String, content: Vec<u8>) -> Result<()> {
        if self.files.len() >= MAX_FILES {
            return Err(too_many());
        }
        self.bytes = self.bytes.saturating_add(content.len());
        if self.bytes > MAX_BYTES {
            let most = MAX_BYTES >> 20;
            return Err(Error::invalid(format!(
                "The skill holds more than {most} MB: leave out what it does not need."
            )));
        }
        if !self.names.insert(path.to_lowercase()) {
            return Err(Error::invalid(format!("'{}' stands in it twice.", told(&path))));
        }
        self.files.insert(path, content);
        Ok(())
    }
}

fn too_many() -> Error {
    Error::invalid(format!("The skill holds more than {MAX_FILES} files: leave out what it does not need."))
}

/// A path within the skill; `None` of what packers leave behind.
fn checked(path: &str) -> Result<Option<String>> {
    let plain = |part: &str| !matches!(part, "" | "." | "..") && !part.ends_with(' ');
    let escapes = path.contains(['\\', ':', '\0']) || path.chars().any(char::is_control);
    if path.len() > MAX_PATH || escapes || !path.split('/').all(plain) {
        return Err(Error::invalid(format!(
            "'{}' is no path within a skill: nothing was taken in. Paths are relative, with '/' between folders.",
            told(path)
        )));
    }
    let is_left = path.split('/').any(|part| matches!(part, "__MACOSX" | ".DS_Store" | ".git"));
    Ok((!is_left).then(|| path.to_owned()))
}

fn told(path: &str) -> String {
    path.chars().map(|c| if c.is_control() { '?' } else { c }).take(80).collect()
}

/// The name of the one folder that all files lie in, which is taken off their paths; `None` where SKILL.md lies at the top.
fn take_folder(files: &mut Files) -> Result<Option<String>> {
    if SKILL_MD.iter().any(|name| files.contains_key(*name)) {
        return Ok(None);
    }
    let tops: HashSet<&str> = files.keys().map(|path| path.split('/').next().unwrap_or_default()).collect();
    let has_one = |top: &&&str| SKILL_MD.iter().any(|name| files.contains_key(&format!("{top}/{name}")));
    match (tops.iter().filter(has_one).count(), tops.iter().next()) {
        (1, Some(top)) if tops.len() == 1 => {
            let folder = (*top).to_owned();
            let inside = format!("{folder}/");
            let all = std::mem::take(files);
            *files = all
                .into_iter()
                .filter_map(|(path, content)| Some((path.strip_prefix(&inside)?.to_owned(), content)))
                .collect();
            Ok(Some(folder))
        }
        (0, _) => Ok(None),
        _ => Err(Error::invalid(
            "There is more than one folder at the top: send one skill at a time, with its folder alone.",
        )),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use zip::{ZipWriter, write::SimpleFileOptions};

    use super::*;

    const HEAD: &str = "---\nname: tidy\ndescription: Tidies up.\n---\nDo it.";

    fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in files {
            writer.start_file(*name, SimpleFileOptions::default()).unwrap();
            writer.write_all(content).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    fn of_zip(files: &[(&str, &[u8])]) -> Result<(SkillRead, Vec<u8>)> {
        read(&["a.zip".to_owned()], vec![zip(files)])
    }

    #[test]
    fn a_zip_and_a_folder_read_alike() {
        let files: [(&str, &[u8]); 3] =
            [("tidy/SKILL.md", HEAD.as_bytes()), ("tidy/scripts/run.sh", b"echo"), ("__MACOSX/x", b"-")];
        let packed = of_zip(&files).unwrap();
        let paths: Vec<String> = files.iter().map(|(path, _)| (*path).to_owned()).collect();
        let sent = read(&paths, files.iter().map(|(_, content)| content.to_vec()).collect()).unwrap();
        assert_eq!(packed, sent);
        let (skill, bytes) = packed;
        assert_eq!((skill.head.name.as_str(), skill.body.as_str()), ("tidy", "Do it."));
        assert_eq!(
            (skill.files, bytes),
            (vec![SkillFile { path: "scripts/run.sh".to_owned(), bytes: 4 }], b"echo".into())
        );
    }

    #[test]
    fn a_lone_file_has_no_folder_to_be_named_like() {
        let (skill, _) = read(&["any.md".replace("any", "SKILL")], vec![HEAD.into()]).unwrap();
        assert_eq!(skill.head.name, "tidy");
        let told = of_zip(&[("other/SKILL.md", HEAD.as_bytes())]).unwrap_err();
        assert!(told.message().contains("its name is 'tidy' and its folder's 'other'"), "{told}");
    }

    #[test]
    fn what_leads_out_of_it_or_is_too_much_is_refused_with_a_sentence() {
        for path in ["../evil", "/etc/passwd", "tidy/../../evil", "C:/evil", "tidy\\..\\evil", "tidy//x", "tidy/\u{1}"]
        {
            let told = of_zip(&[("tidy/SKILL.md", HEAD.as_bytes()), (path, b"x")]).unwrap_err();
            assert!(told.message().contains("no path within a skill"), "{path}: {told}");
        }
        let names: Vec<String> = (0..MAX_FILES + 1).map(|n| format!("tidy/{n}")).collect();
        let many: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b"x"[..])).collect();
        assert!(of_zip(&many).unwrap_err().message().contains("more than 200 files"));
        let bomb = vec![0_u8; MAX_BYTES + 1];
        assert!(of_zip(&[("tidy/SKILL.md", &bomb)]).unwrap_err().message().contains("more than 8 MB"));
        let twice = [("tidy/SKILL.md", HEAD.as_bytes()), ("tidy/A", b"x"), ("tidy/a", b"x")];
        assert!(of_zip(&twice).unwrap_err().message().contains("twice"));
        let two = [("a/SKILL.md", HEAD.as_bytes()), ("b/SKILL.md", HEAD.as_bytes())];
        assert!(of_zip(&two).unwrap_err().message().contains("one skill at a time"));
        assert!(of_zip(&[("tidy/README.md", b"x")]).unwrap_err().message().contains("no SKILL.md"));
        assert!(read(&["a".to_owned()], vec![b"PKnothing".to_vec()]).unwrap_err().message().contains("damaged"));
        assert!(of_zip(&[("SKILL.md", b"\xff\xfe")]).unwrap_err().message().contains("no UTF-8"));
    }

    #[test]
    fn a_link_is_refused() {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        writer.add_symlink("tidy/passwd", "/etc/passwd", SimpleFileOptions::default()).unwrap();
        let zip = writer.finish().unwrap().into_inner();
        assert!(read(&["a.zip".to_owned()], vec![zip]).unwrap_err().message().contains("is a link"));
    }
}
