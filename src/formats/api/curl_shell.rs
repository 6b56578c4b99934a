//! The surroundings of a curl command where people copy it from: comments, fences of Markdown, variables, `sudo`.

use std::borrow::Cow;

use url::Url;

use super::curl_words::Word;

/// The words that may stand before the name of a program that is run.
const BEFORE: &[&str] = &["sudo", "env", "time", "command", "exec", "export", "set"];
/// The line that opens and closes a piece of code in Markdown.
const FENCE: &str = "```";

/// Returns whether the first thing a text would have run is curl.
pub(super) fn is_curl(text: &str) -> bool {
    let text = unfenced(text);
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map_while(named).any(|name| name.is_some())
}

/// Returns what a line runs: curl; nothing, where it sets variables only; else `None`.
fn named(line: &str) -> Option<Option<()>> {
    let line = line.strip_prefix("$ ").unwrap_or(line);
    let mut has_options = false;
    for word in line.split_whitespace() {
        if assignment(word).is_some() {
            if word.matches(['"', '\'']).count() % 2 == 1 {
                break;
            }
        } else if is_program(word) {
            return Some(Some(()));
        } else if BEFORE.contains(&word) {
            has_options = true;
        } else if !has_options || !word.starts_with('-') {
            return None;
        }
    }
    Some(None)
}

/// The code of a text in Markdown; a text without fences as it is.
pub(super) fn unfenced(text: &str) -> Cow<'_, str> {
    if !text.lines().any(|line| line.starts_with(FENCE)) {
        return Cow::Borrowed(text);
    }
    let mut is_code = false;
    let mut code = String::new();
    for line in text.lines() {
        if line.starts_with(FENCE) {
            is_code = !is_code;
        } else if is_code {
            code.push_str(line);
        }
        code.push('\n');
    }
    Cow::Owned(code)
}

/// Returns whether a word names curl.
pub(super) fn is_program(word: &str) -> bool {
    matches!(word, "curl" | "curl.exe")
}

/// The name and the value of `NAME=value`.
fn assignment(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let fits = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (fits && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')).then_some((name, value))
}

/// The variables that were set so far. Only addresses are kept: anything else may be a secret.
#[derive(Debug, Default)]
pub(super) struct Variables {
    addresses: Vec<(String, String)>,
}

impl Variables {
    /// A command without what stands before its name, with the addresses it refers to in place; and the names of the
    /// variables whose values were not kept.
    pub(super) fn read(&mut self, words: Vec<Word>) -> (Vec<Word>, Vec<String>) {
        let (mut words, mut dropped) = (words.into_iter().peekable(), Vec::new());
        let mut is_before = false;
        while let Some(word) = words.next_if(|word| {
            let text = word.text.as_str();
            BEFORE.contains(&text) || assignment(text).is_some() || (is_before && text.starts_with('-'))
        }) {
            is_before = true;
            let Some((name, value)) = assignment(&word.text) else { continue };
            if word.variable.is_none() && is_address(value) {
                self.addresses.insert(0, (name.to_owned(), value.trim_end_matches('/').to_owned()));
            } else {
                dropped.push(name.to_owned());
            }
        }
        (words.map(|word| self.filled(word)).collect(), dropped)
    }

    fn filled(&self, mut word: Word) -> Word {
        if word.variable.is_none() {
            return word;
        }
        for (name, address) in &self.addresses {
            word.text = word.text.replace(&format!("${{{name}}}"), address);
            let plain = format!("${name}");
            let is_whole = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
            if let Some((before, after)) = word.text.split_once(&plain).filter(|(_, after)| is_whole(after)) {
                word.text = format!("{before}{address}{after}");
            }
        }
        let rest = word.text.split_once('$').map(|(_, rest)| rest.trim_start_matches(['{', '(']));
        let name = |rest: &str| rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().map(str::to_owned);
        word.variable = rest.and_then(name).map(|name| format!("${name}"));
        word
    }
}

/// Returns whether a text is an address and nothing secret.
fn is_address(text: &str) -> bool {
    let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    url.is_some_and(|url| url.username().is_empty() && url.password().is_none() && url.query().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_known_behind_what_people_copy_along() {
        for text in [
            "curl https://a.example",
            "$ curl https://a.example",
            "# Lists all.\n\ncurl https://a.example",
            "Do this:\n```bash\ncurl https://a.example\n```\nand be glad.",
            "TOKEN=x curl https://a.example",
            "export TOKEN='a b'\nURL=https://a.example\ncurl $URL",
            "sudo -E curl https://a.example",
            "#!/bin/sh\nset -e\ncurl https://a.example",
        ] {
            assert!(is_curl(text), "{text}");
        }
        for text in [
            "openapi: 3.0.3",
            "# curl https://a.example\nopenapi: 3.0.3",
            "info:\n  description: |\n    ```\n    curl https://a.example\n    ```",
            "wget https://a.example\ncurl https://a.example",
            "A=1",
            "- curl",
            "",
        ] {
            assert!(!is_curl(text), "{text}");
        }
    }
}
