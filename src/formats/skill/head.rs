//! The rules of agentskills.io for the head of a SKILL.md, as its reference validator has them.

use std::collections::BTreeMap;

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

use super::yaml::{self, Yaml, wrong};
use satchel_model::{
    error::{Error, Result},
    skill::SkillHead,
};

/// Most characters of a name, a description, and what it says of its surroundings.
const LONGEST: (usize, usize, usize) = (64, 1_024, 500);
/// The fields a head may have.
const FIELDS: [&str; 6] = ["name", "description", "license", "allowed-tools", "metadata", "compatibility"];

/// The head and the text of a SKILL.md in a folder of this name; a file that lies in none has no folder to be named like.
pub(super) fn read(text: &str, folder: Option<&str>) -> Result<(SkillHead, String)> {
    let rest = text.strip_prefix("---").ok_or_else(|| {
        Error::invalid("SKILL.md does not begin with a head: write `---`, `name:` and `description:`, `---` first.")
    })?;
    let (head, body) = rest
        .split_once("---")
        .ok_or_else(|| Error::invalid("The head of SKILL.md is not closed: write `---` on a line below it."))?;
    let fields = yaml::mapping(head)?;
    if let Some((field, _)) = fields.iter().find(|(field, _)| !FIELDS.contains(&field.as_str())) {
        let known = FIELDS.join(", ");
        return Err(wrong(&format!("it has a field '{}', and these are there: {known}", clipped(field))));
    }
    let field = |name: &str| fields.iter().find(|(known, _)| known == name).map(|(_, value)| value);
    let name = checked_name(required(field("name"), "name")?, folder)?;
    let description = required(field("description"), "description")?;
    within(description, LONGEST.1, "description")?;
    let compatibility = match field("compatibility") {
        Some(Yaml::Text(text)) => {
            within(text, LONGEST.2, "compatibility")?;
            Some(text.trim().to_owned())
        }
        Some(_) => return Err(wrong("its 'compatibility' is no text")),
        None => None,
    };
    let head = SkillHead {
        name,
        description: description.trim().to_owned(),
        license: field("license").and_then(Yaml::text).map(|text| text.trim().to_owned()),
        compatibility,
        metadata: metadata(field("metadata")),
        allowed_tools: tools(field("allowed-tools")),
    };
    Ok((head, body.trim().to_owned()))
}

fn required<'a>(value: Option<&'a Yaml>, name: &str) -> Result<&'a str> {
    let text = value.and_then(Yaml::text).filter(|text| !text.trim().is_empty());
    text.ok_or_else(|| wrong(&format!("its '{name}' is missing or no text")))
}

fn within(text: &str, most: usize, field: &str) -> Result<()> {
    match text.chars().count() {
        given if given > most => Err(wrong(&format!("its '{field}' has {given} characters, and {most} are the most"))),
        _ => Ok(()),
    }
}

fn checked_name(given: &str, folder: Option<&str>) -> Result<String> {
    let name: String = given.trim().nfkc().collect();
    within(&name, LONGEST.0, "name")?;
    let plain = |c: char| c == '-' || (c.is_alphanumeric() && !is_combining_mark(c));
    let told = clipped(&name);
    if name != name.to_lowercase() {
        return Err(wrong(&format!("its name '{told}' is not in lower case")));
    }
    if name.starts_with('-') || name.ends_with('-') || name.contains("--") || !name.chars().all(plain) {
        let rule = "letters in lower case and digits, with single hyphens between them";
        return Err(wrong(&format!("its name '{told}' is not made of {rule}")));
    }
    if let Some(folder) = folder
        && folder.nfkc().collect::<String>() != name
    {
        let folder = clipped(folder);
        return Err(wrong(&format!("its name is '{told}' and its folder's '{folder}': they must be the same")));
    }
    Ok(name)
}

fn clipped(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(80).collect()
}

fn metadata(value: Option<&Yaml>) -> BTreeMap<String, String> {
    let Some(Yaml::Map(entries)) = value else { return BTreeMap::new() };
    let text = |value: &Yaml| value.text().map(str::to_owned);
    entries.iter().filter_map(|(key, value)| Some((key.clone(), text(value)?))).collect()
}

/// A list, or one text with spaces or commas between the tools. What stands in brackets belongs to its tool.
fn tools(value: Option<&Yaml>) -> Vec<String> {
    let texts: Vec<&str> = match value {
        Some(Yaml::Text(text)) => vec![text],
        Some(Yaml::List(items)) => items.iter().filter_map(Yaml::text).collect(),
        Some(Yaml::Map(_)) | None => Vec::new(),
    };
    let mut tools = Vec::new();
    for text in texts {
        let (mut entry, mut depth) = (String::new(), 0_usize);
        for c in text.chars() {
            match c {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 && (c.is_whitespace() || c == ',') {
                tools.push(std::mem::take(&mut entry));
            } else {
                entry.push(c);
            }
        }
        tools.push(entry);
    }
    tools.retain(|tool| !tool.is_empty());
    tools
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(fields: &str) -> Result<SkillHead> {
        read(&format!("---\n{fields}\n---\n# Do\n"), Some("invoice-check")).map(|(head, _)| head)
    }

    #[test]
    fn tools_are_taken_apart_at_spaces_and_commas_outside_brackets() {
        let given = "name: invoice-check\ndescription: Checks.\nallowed-tools: Read, Bash(git add:*) web_fetch";
        assert_eq!(head(given).unwrap().allowed_tools, ["Read", "Bash(git add:*)", "web_fetch"]);
        let given = "name: invoice-check\ndescription: Checks.\nallowed-tools:\n- read\n- write";
        assert_eq!(head(given).unwrap().allowed_tools, ["read", "write"]);
    }

    #[test]
    fn a_head_is_read_whole() {
        let given =
            "name: invoice-check\ndescription: |\n  Checks.\nlicense: MIT\ncompatibility: any\nmetadata:\n  a: 1";
        let read = head(given).unwrap();
        assert_eq!((read.description.as_str(), read.license.as_deref()), ("Checks.", Some("MIT")));
        assert_eq!((read.compatibility.as_deref(), &read.metadata["a"]), (Some("any"), &"1".to_owned()));
    }
}
