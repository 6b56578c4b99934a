//! Business processes as YAML: one document, several, or a list in one.

use std::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, IgnoredAny, MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer},
};
use serde_saphyr::{Error as YamlError, Spanned};

use satchel_model::{
    business_process::draft::{Fault, ProcessDraft},
    error::{Error, Result},
};

/// Longest text, in bytes.
pub const MAX_TEXT: usize = 2 << 20;
/// Most processes of one text.
pub const MOST: usize = 500;
/// Deepest nesting.
const MAX_DEPTH: usize = 50;

/// A document that is one of them, or a list.
struct OneOrMany<T>(Vec<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OneOrMany<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_any(Either(PhantomData))
    }
}

struct Either<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Either<T> {
    type Value = OneOrMany<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a process (`name:`, `steps:`) or a list of them")
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> std::result::Result<Self::Value, M::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(|one| OneOrMany(vec![one]))
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut list: S) -> std::result::Result<Self::Value, S::Error> {
        let mut all = Vec::new();
        while let Some(one) = list.next_element()? {
            all.push(one);
        }
        Ok(OneOrMany(all))
    }
}

/// The places of a process's parts in the text.
#[derive(Deserialize)]
struct Places {
    name: Spanned<IgnoredAny>,
    #[serde(default)]
    steps: Vec<Spanned<IgnoredAny>>,
}

/// Reads the processes of a text, each checked. What is wrong is said with its line.
pub fn read(text: &str) -> Result<Vec<ProcessDraft>> {
    if text.len() > MAX_TEXT {
        return Err(Error::invalid(format!("The text has more than {} MB: import it in parts.", MAX_TEXT >> 20)));
    }
    let drafts: Vec<ProcessDraft> = documents(text)?;
    if drafts.is_empty() {
        return Err(Error::invalid("There is no process in this text: begin with `name:` and `steps:`."));
    }
    if drafts.len() > MOST {
        return Err(Error::invalid(format!("There are {} processes; {MOST} are the most at once.", drafts.len())));
    }
    // Only what could be read has places, and only what is wrong needs them.
    let places: Vec<Places> = documents(text)?;
    let mut names: Vec<(String, u64)> = Vec::new();
    let mut checked = Vec::with_capacity(drafts.len());
    for (draft, place) in drafts.into_iter().zip(&places) {
        let line = place.name.referenced.line();
        let draft = draft.checked().map_err(|fault| wrong(&fault, place))?;
        let key = draft.key();
        if let Some((_, first)) = names.iter().find(|(name, _)| *name == key) {
            let name = &draft.name;
            return Err(Error::invalid(format!(
                "Line {line}: the process '{name}' stands here twice, first in line {first}."
            )));
        }
        names.push((key, line));
        checked.push(draft);
    }
    Ok(checked)
}

/// The processes as YAML, a document each.
pub fn write(drafts: &[ProcessDraft]) -> Result<String> {
    let all: Vec<String> =
        drafts.iter().map(|draft| serde_saphyr::to_string(draft).map_err(Error::internal)).collect::<Result<_>>()?;
    let ended = all.into_iter().map(|text| format!("{}\n", text.trim_end()));
    Ok(ended.collect::<Vec<_>>().join("---\n"))
}

fn wrong(fault: &Fault, place: &Places) -> Error {
    let step = fault.step.and_then(|at| place.steps.get(at)).map(|step| step.referenced.line());
    Error::invalid(format!("Line {}: {}", step.unwrap_or_else(|| place.name.referenced.line()), fault.message))
}

fn documents<T: DeserializeOwned>(text: &str) -> Result<Vec<T>> {
    let budget = serde_saphyr::budget! {
        max_events: 500_000,
        max_nodes: 250_000,
        max_depth: MAX_DEPTH,
    };
    let alias_limits = serde_saphyr::alias_limits! { max_total_replayed_events: 50_000 };
    let options = serde_saphyr::options! { budget: budget, alias_limits: alias_limits };
    let all: Vec<OneOrMany<T>> =
        serde_saphyr::from_multiple_with_options(text, options).map_err(|error| unreadable(&error))?;
    Ok(all.into_iter().flat_map(|OneOrMany(all)| all).collect())
}

fn unreadable(error: &YamlError) -> Error {
    let bare = error.without_snippet();
    let whole = bare.to_string();
    let first = whole.lines().next().unwrap_or_default();
    let what = first.split(" at line ").next().unwrap_or_default().trim_end_matches([':', '.', ',']);
    let what: String = what.chars().take(300).collect();
    let place = bare.location().map_or_else(String::new, |at| format!("Line {}, column {}: ", at.line(), at.column()));
    Error::invalid(format!("{place}{what}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SALE: &str = "\
name: Sale
category: Sales
steps:
  - id: offer
    name: Write the offer
    who: Sales
  - name: Send it
    depends_on: [offer]
";

    fn refused(text: &str) -> String {
        read(text).unwrap_err().message().to_owned()
    }

    #[test]
    fn one_document_several_and_a_list_are_read() {
        let names = |text: &str| read(text).unwrap().into_iter().map(|one| one.name).collect::<Vec<_>>();
        let other = SALE.replace("Sale\n", "Refund\n");
        assert_eq!(names(SALE), ["Sale"]);
        assert_eq!(names(&format!("# all of them\n---\n{SALE}---\n{other}")), ["Sale", "Refund"]);
        let list = format!("- {}\n- {}", SALE.trim_end().replace('\n', "\n  "), other.trim_end().replace('\n', "\n  "));
        assert_eq!(names(&list), ["Sale", "Refund"]);
    }

    #[test]
    fn what_was_written_is_read_again() {
        let text = SALE.replace(
            "Sales\nsteps",
            "Sales\ndescription: |\n  Two lines:\n  'and' \"marks\" # all\nowner: 'no'\ntags: ['1', yes please]\nsteps",
        );
        let read_once = read(&text).unwrap();
        assert_eq!(read_once[0].description, "Two lines:\n'and' \"marks\" # all");
        let again = read(
            &write(&[read_once[0].clone(), ProcessDraft { name: "B".to_owned(), ..read_once[0].clone() }]).unwrap(),
        );
        let again = again.unwrap();
        assert_eq!((&again[0], again[1].name.as_str()), (&read_once[0], "B"));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (text, wanted) in [
            (SALE.replace("who:", "whose:"), "Line 6, column 5: unknown field `whose`"),
            (SALE.replace("[offer]", "[offr]"), "Line 7: Step 'Send it' depends on 'offr', which is no step"),
            (SALE.replace("    name: Write the offer\n", ""), "missing field `name`"),
            (SALE.replace("steps:", "steps: 3\nother:"), "Line 3"),
            (format!("{SALE}---\n{SALE}"), "Line 10: the process 'Sale' stands here twice, first in line 1."),
            ("name: [unclosed".to_owned(), "Line "),
            ("just words".to_owned(), "a process (`name:`, `steps:`) or a list of them"),
            ("# nothing\n".to_owned(), "There is no process in this text"),
            ("name: A\nsteps: []".to_owned(), "Line 1: The process 'A' has no steps"),
        ] {
            let message = refused(&text);
            assert!(message.contains(wanted), "{message}\nlacks {wanted}");
        }
    }

    #[test]
    fn a_text_that_grows_as_it_is_read_is_refused() {
        let mut bomb = String::from("name: x\na0: &a0 [1,1,1,1,1,1,1,1,1,1]\n");
        for n in 1..9 {
            let before = format!("*a{},", n - 1).repeat(10);
            bomb.push_str(&format!("a{n}: &a{n} [{before}]\n"));
        }
        assert!(read(&bomb).is_err());
        assert!(refused(&"x".repeat(MAX_TEXT + 1)).contains("import it in parts"));
    }
}
