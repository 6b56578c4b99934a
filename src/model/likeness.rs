//! The likeness of two statements: they say the same, or the later one corrects the earlier. By their words alone:
//! where a model of meaning finds two near each other, [`may_be_one`] still keeps apart what differs in a name, a
//! number or a "not".

use std::collections::BTreeSet;

use super::words;

/// Words that turn a sentence round: texts that differ in one of these never say the same.
const TURNING: &[&str] = &[
    "not", "no", "never", "none", "without", "except", "only", "instead", "t", "from", "to", "before", "after", "left",
    "right", "off", "on", "above", "below", "under", "over", "more", "less",
];
/// Words that texts may differ in and still say the same.
const HOLLOW: &[&str] = &["a", "an", "the", "i", "my", "me", "user", "s", "his", "her", "he", "she", "is", "that"];
/// Words that deny.
const DENYING: &[&str] = &["not", "no", "never", "t", "longer", "anymore", "stopped"];
/// Words that come and go with a denial: "likes", "does not like any more".
const HELPING: &[&str] =
    &["do", "does", "did", "don", "doesn", "didn", "isn", "aren", "any", "more", "be", "are", "am"];

/// Returns whether both say the same: the same words, or one a few hollow ones more.
pub fn same(one: &str, other: &str) -> bool {
    let (one, other) = (telling(one), telling(other));
    let (short, long) = if one.len() <= other.len() { (&one, &other) } else { (&other, &one) };
    if long.is_empty() || short.len() * 5 < long.len() * 4 {
        return false;
    }
    let mut rest = short.iter().peekable();
    let mut extra = Vec::new();
    for word in long {
        if rest.peek() == Some(&word) {
            rest.next();
        } else {
            extra.push(word);
        }
    }
    rest.next().is_none() && !extra.into_iter().any(|word| turns(word))
}

/// Returns whether two statements that a model of meaning finds near each other may say the same. Not where one has a
/// number, a name or a turning word the other lacks, and not where exactly one word stands for another in the same
/// place: that is another value ("in the morning", "in the evening") more often than another way to put it.
pub fn may_be_one(one: &str, other: &str) -> bool {
    let (a, b) = (telling(one), telling(other));
    let replaced = a.len() == b.len() && a.iter().zip(&b).filter(|(x, y)| x != y).count() == 1;
    let names = names(one) == names(other);
    let set = |words: &[String]| words.iter().filter(|word| turns(word)).cloned().collect::<BTreeSet<_>>();
    names && !replaced && set(&a) == set(&b)
}

/// Returns whether the later statement corrects the earlier one: the same thing has another value, or is denied.
pub fn corrects(earlier: &str, later: &str) -> bool {
    let (earlier, later) = (whole_words(earlier), whole_words(later));
    denies(&earlier, &later) || revalues(&earlier, &later)
}

/// The same words, with a denial in one of them.
fn denies(earlier: &[String], later: &[String]) -> bool {
    let denied = |words: &[String]| words.iter().any(|word| DENYING.contains(&word.as_str()));
    let rest = |words: &[String]| -> Vec<String> {
        let kept = words.iter().filter(|w| !DENYING.contains(&w.as_str()) && !HELPING.contains(&w.as_str()));
        kept.flat_map(|word| words::topics(word)).collect()
    };
    denied(earlier) != denied(later) && !rest(earlier).is_empty() && rest(earlier) == rest(later)
}

/// The way a statement gives a thing its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gives {
    /// It has one at a time: "lives in", "is called".
    One,
    /// It is one only for things that have one: "the deadline is", "favourite colour:".
    Attribute,
    /// It changed where nothing but a number did: "has 2 children".
    Number,
}

/// Ways to give a value, longest first: what stands before is whose, what stands after is the value.
const GIVING: &[(&[&str], Gives)] = &[
    (&["was", "born", "in"], Gives::One),
    (&["was", "born", "on"], Gives::One),
    (&["is", "located", "in"], Gives::One),
    (&["lives", "in"], Gives::One),
    (&["live", "in"], Gives::One),
    (&["is", "called"], Gives::One),
    (&["is", "named"], Gives::One),
    (&["works", "as"], Gives::One),
    (&["works", "for"], Gives::One),
    (&["is", "due"], Gives::One),
    (&["costs"], Gives::One),
    (&["starts", "at"], Gives::One),
    (&["ends", "at"], Gives::One),
    (&["is"], Gives::Attribute),
    (&["are"], Gives::Attribute),
    (&["has"], Gives::Number),
    (&["have"], Gives::Number),
    (&["earns"], Gives::Number),
    (&["pays"], Gives::Number),
    (&["weighs"], Gives::Number),
    (&["was"], Gives::Number),
];
/// Things that have one value at a time.
const ATTRIBUTES: &[&str] = &[
    "address",
    "age",
    "birthday",
    "boss",
    "budget",
    "capital",
    "city",
    "code",
    "colour",
    "color",
    "currency",
    "day",
    "deadline",
    "due",
    "email",
    "employer",
    "favorite",
    "favourite",
    "fee",
    "height",
    "home",
    "iban",
    "job",
    "language",
    "limit",
    "manager",
    "name",
    "nickname",
    "number",
    "owner",
    "password",
    "pet",
    "phone",
    "plan",
    "price",
    "rate",
    "rent",
    "salary",
    "size",
    "status",
    "surname",
    "target",
    "timezone",
    "title",
    "username",
    "version",
    "wage",
    "website",
    "weight",
    "zone",
];
/// A value with one of these says when it holds, so that two may hold side by side.
const QUALIFYING: &[&str] =
    &["and", "also", "during", "on", "while", "when", "until", "since", "sometimes", "usually", "or", "at", "for"];
/// Longest value that is taken for another one's place, in words.
const LONGEST: usize = 6;

fn revalues(earlier: &[String], later: &[String]) -> bool {
    let Some((thing, giving, old)) = split(earlier) else { return false };
    let Some((same_thing, same_giving, new)) = split(later) else { return false };
    if thing != same_thing || giving != same_giving || old == new || old.is_empty() || new.is_empty() {
        return false;
    }
    if numbers_aside(&old) == numbers_aside(&new) {
        return true;
    }
    let plain = |value: &[String]| value.len() <= LONGEST && !value.iter().any(|w| QUALIFYING.contains(&w.as_str()));
    let attribute = thing.last().is_some_and(|word| ATTRIBUTES.contains(&word.as_str()))
        || thing.first().is_some_and(|word| matches!(word.as_str(), "favourite" | "favorite"));
    match giving {
        Gives::One => plain(&old) && plain(&new),
        Gives::Attribute => attribute && plain(&old) && plain(&new),
        Gives::Number => false,
    }
}

/// A statement as whose value, given how, and which.
fn split(words: &[String]) -> Option<(Vec<String>, Gives, Vec<String>)> {
    let begins = |at: usize, way: &[&str]| {
        words.get(at..).is_some_and(|rest| rest.len() > way.len() && rest.iter().zip(way).all(|(word, w)| word == w))
    };
    (0..words.len()).find_map(|at| {
        let (way, giving) = GIVING.iter().find(|(way, _)| begins(at, way))?;
        let thing = words.get(..at)?.iter().filter(|word| !HOLLOW.contains(&word.as_str())).cloned().collect();
        let value = words.get(at + way.len()..)?.iter().filter(|word| !HOLLOW.contains(&word.as_str())).cloned();
        Some((thing, *giving, value.collect()))
    })
}

fn numbers_aside(value: &[String]) -> Vec<&str> {
    let plain = value.iter().map(|word| if word.contains(|c: char| c.is_ascii_digit()) { "#" } else { word.as_str() });
    let plain: Vec<&str> = plain.collect();
    // A value without a number has none that could have changed.
    if plain.contains(&"#") { plain } else { value.iter().map(String::as_str).collect() }
}

/// Every word in order; "key: value" reads as "key is value".
fn whole_words(text: &str) -> Vec<String> {
    match text.split_once(": ") {
        Some((key, value)) if key.split_whitespace().count() <= 4 => words::split(&format!("{key} is {value}")),
        _ => words::split(text),
    }
}

/// The words of a text that tell something, in order.
fn telling(text: &str) -> Vec<String> {
    words::split(text).into_iter().filter(|word| !HOLLOW.contains(&word.as_str())).collect()
}

fn turns(word: &str) -> bool {
    TURNING.contains(&word) || word.contains(|c: char| c.is_ascii_digit())
}

/// Returns the words written with a capital though no sentence begins there, and every word in capitals.
fn names(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut begins = true;
    for word in text.split_whitespace() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let mut letters = bare.chars();
        let capital = letters.next().is_some_and(char::is_uppercase);
        let shouted = capital && letters.clone().count() > 0 && letters.all(|c| c.is_uppercase() || c.is_numeric());
        if shouted || (capital && !begins) {
            found.insert(bare.to_lowercase());
        }
        begins = word.ends_with(['.', '!', '?', ':']);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_said_again_is_the_same() {
        for (one, other) in [
            ("User prefers reports in CSV", "The user prefers reports in CSV."),
            ("Prefers weekly sales reports in CSV", "prefers weekly sales reports in CSV format"),
        ] {
            assert!(same(one, other) && same(other, one), "{one} / {other}");
            assert!(!corrects(one, other), "{one} / {other}");
        }
    }

    #[test]
    fn what_says_something_else_is_not() {
        for (one, other) in [
            ("Anna has her birthday on a Monday in May", "Ben has his birthday on a Monday in May"),
            ("Moved from Berlin to Paris", "Moved from Paris to Berlin"),
            ("Moved to Paris", "Moved from Paris"),
            ("Likes coffee with milk in the morning", "Does not like coffee with milk in the morning"),
            ("The budget for the project is 100 euros", "The budget for the project is 200 euros"),
            ("Likes cats", "Likes big cats"),
            ("", ""),
        ] {
            assert!(!same(one, other), "{one} / {other}");
        }
    }

    #[test]
    fn another_value_of_the_same_thing_corrects_it() {
        for (earlier, later) in [
            ("The rent is 1200", "The rent is 1300"),
            ("Lives in Bern", "User lives in Basel"),
            ("My favourite colour is green", "My favourite colour is blue"),
            ("Anna's phone: 0123 456", "Anna's phone: 0123 999"),
            ("The budget for the project is 100 euros", "The budget for the project is 200 euros"),
            ("Anna has 2 children", "Anna has 3 children"),
            ("The deadline is Monday", "The deadline is Friday next week"),
            ("Drinks coffee", "Does not drink coffee any more"),
            ("Does not eat fish", "Eats fish"),
        ] {
            assert!(corrects(earlier, later), "{earlier} / {later}");
        }
    }

    #[test]
    fn two_things_that_hold_side_by_side_stay_two() {
        for (earlier, later) in [
            ("Invoice number 3 was paid late", "Invoice number 4 was paid late"),
            ("User is allergic to peanuts", "User is vegetarian"),
            ("Anna is allergic to nuts", "Anna is allergic to milk"),
            ("Likes tea", "Likes coffee"),
            ("Prefers tea", "Prefers green tea in the morning"),
            ("The server is slow", "The server is in Bern"),
            ("The budget for sales is 100", "The budget for travel is 100"),
            ("Works for Acme on Mondays", "Works for Beta on Fridays"),
            ("The meeting on 12 May is at 10", "The meeting on 13 May is at 10"),
        ] {
            assert!(!corrects(earlier, later), "{earlier} / {later}");
        }
    }

    #[test]
    fn near_in_meaning_is_not_one_where_a_name_a_number_or_a_not_differs() {
        assert!(may_be_one("Prefers reports in CSV", "Wants every report as a CSV file"));
        for (one, other) in [
            ("Takes the medicine in the morning", "Takes the medicine in the evening"),
            ("The birthday of Anna is in spring", "In spring is the birthday party of Ben"),
            ("Wants 3 copies of each report", "Each report should come in 4 copies"),
            ("Likes long answers with examples", "Does not like answers that are long"),
        ] {
            assert!(!may_be_one(one, other), "{one} / {other}");
        }
    }
}
