//! The question a person is asked about a call: a sentence that names the thing, and the thing's name by itself.

use serde::{Deserialize, Serialize};

use super::{
    text::{clip, one_line},
    unseen::is_unseen,
};

/// Longest part of a question that quotes something, in characters.
const MAX_QUOTED: usize = 120;
/// Longest name a person is asked to type.
const MAX_SUBJECT: usize = 60;

/// The words of an approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// The question: `Delete “Holiday 29”?`
    pub text: String,
    /// The thing it is about, to be typed before something is destroyed: `Holiday 29`. `None` if the thing has no name.
    pub subject: Option<String>,
}

impl Question {
    /// A question about something by its name: `Delete “Holiday 29”?`
    pub fn about(verb: &str, name: &str) -> Self {
        Self::with(&format!("{verb} “{}”?", clipped(name)), name)
    }

    /// A question in words of its own, about something with this name.
    pub fn with(text: &str, subject: &str) -> Self {
        let plain = plain(subject);
        let subject: String = plain.chars().take(MAX_SUBJECT).collect();
        let subject = subject.trim_end();
        Self { text: text.to_owned(), subject: (!subject.is_empty()).then(|| subject.to_owned()) }
    }

    /// A question about a tool whose calls are about nothing that has a name.
    pub fn run(tool: &str) -> Self {
        Self { text: format!("Run {tool}?"), subject: None }
    }

    /// The same with another sentence, if there is one.
    #[must_use]
    pub fn and(self, sentence: Option<&str>) -> Self {
        match sentence {
            Some(sentence) => Self { text: format!("{} {sentence}", self.text), ..self },
            None => self,
        }
    }
}

/// A text in one line as a question quotes it: clipped, and what cannot be seen spelled out.
pub fn clipped(text: &str) -> String {
    clip(&plain(text), MAX_QUOTED).into_owned()
}

/// Names come from outside: what turns the direction of writing or is not seen would make another name of one.
fn plain(text: &str) -> String {
    let mut spelled = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' | '\t' => spelled.push(' '),
            c if is_unseen(c) => spelled.extend(c.escape_unicode()),
            c if c.is_whitespace() => spelled.push(' '),
            c => spelled.push(c),
        }
    }
    one_line(&spelled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_names_the_thing_and_what_to_type() {
        let asked = Question::about("Delete", "Holiday 29");
        assert_eq!((asked.text.as_str(), asked.subject.as_deref()), ("Delete “Holiday 29”?", Some("Holiday 29")));
        assert_eq!(Question::about("Delete", " \n").subject, None, "a name of nothing is none");
        let hidden = Question::about("Delete", "\u{200b}");
        assert_eq!(hidden.subject.as_deref(), Some("\\u{200b}"), "what cannot be seen is typed as it is spelled out");
    }

    #[test]
    fn a_name_from_outside_can_neither_hide_nor_fill_the_page() {
        assert_eq!(Question::about("Delete", "a\u{202e}b\n\n c").text, "Delete “a\\u{202e}b c”?");
        let long = Question::about("Delete", &"é".repeat(500));
        assert_eq!(long.text.chars().count(), "Delete “”?".chars().count() + MAX_QUOTED + 1);
        assert_eq!(long.subject.unwrap().chars().count(), MAX_SUBJECT);
    }
}
