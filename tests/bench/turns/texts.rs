//! What is known, remembered, and asked of it: places that do something with things, in ordinary words.

use serde_json::{Value, json};

use crate::find::{ACTIONS, PLACES, THINGS, word};

/// Questions that begin so are handed to a session.
const HANDED: &str = "Please have another agent find out: ";
/// Questions that begin so end with a call that a person has to allow.
const KEPT: &str = "Please keep the answer in a file: ";

const NAMES: &[&str] = &["Aunt Marta", "Ben", "Chiara", "Dr Okafor", "Farah", "Mr Novak", "Priya", "Sanna", "Tariq"];
const TOWNS: &[&str] = &["Aarhus", "Bergen", "Cork", "Dresden", "Ghent", "Krakow", "Malaga", "Nantes", "Porto", "Riga"];
const DISHES: &[&str] = &["soup", "dumplings", "curry", "stew", "risotto", "lentils", "noodles"];

/// What is spoken of: one of a number of places and one of its things.
#[derive(Debug, Clone, Copy)]
pub(super) struct Subject {
    place: usize,
    thing: usize,
}

impl Subject {
    /// All of them: those of a place stand together.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        (0..PLACES.len()).flat_map(|place| (0..THINGS.len()).map(move |thing| Self { place, thing }))
    }

    /// Its place among all of them.
    pub(super) fn index(self) -> usize {
        self.place * THINGS.len() + self.thing
    }

    /// The subject of a chunk of a document: a document is about one place.
    pub(super) fn of_chunk(document: usize, ordinal: usize) -> Self {
        Self { place: document % PLACES.len(), thing: ordinal % THINGS.len() }
    }

    fn of_question(number: usize) -> Self {
        Self { place: number * 11 % PLACES.len(), thing: number * 3 % THINGS.len() }
    }

    fn words(self) -> (&'static str, &'static str) {
        (word(PLACES, self.place), word(THINGS, self.thing))
    }

    /// What every chunk about it means.
    pub(super) fn meaning(self) -> String {
        let (place, thing) = self.words();
        format!("How the {place} handles each {thing}, and whom to ask about the {thing} of a customer.")
    }

    /// The beginning of a chunk about it.
    pub(super) fn passage(self, ordinal: usize) -> String {
        let (place, thing) = self.words();
        let action = word(ACTIONS, ordinal / THINGS.len());
        format!(
            "To {action} one {thing}, the {place} first looks up its number in the {thing} records. Whoever keeps them \
             at the {place} answers within a day, and nobody may {action} a {thing} of last week without asking."
        )
    }

    /// The title of a document that holds chunks about it.
    pub(super) fn title(self, document: usize) -> String {
        format!("Handbook of the {}, part {}", self.words().0, document / PLACES.len() + 1)
    }
}

/// Something a person remembers, another for each number: the numbers in it keep two that are alike apart. One in five
/// is about what is asked of the server.
pub(super) fn memory(number: usize) -> String {
    let name = word(NAMES, number / 5);
    let (town, dish) = (word(TOWNS, number / 5 + number), word(DISHES, number / 5 + number));
    match number % 5 {
        0 => {
            let (place, thing) = (word(PLACES, number), word(THINGS, number / 5));
            format!("At the {place}, ask for folder {number} before you {} any {thing}.", word(ACTIONS, number * 13))
        }
        1 => format!("{name} from {town} likes to be called before noon, on extension {number}."),
        2 => format!("My train to {town} leaves from platform {number} on Mondays, and I sit at the window."),
        3 => format!("{name} cooks {dish} with {number} grams of rice and no salt."),
        _ => format!("The bicycle I keep for {name} in {town} opens with {number}; its light needs new batteries."),
    }
}

/// A question nobody has asked before, of the length that people ask in.
pub(super) fn question(number: usize) -> String {
    let (place, thing) = Subject::of_question(number).words();
    let (action, number) = (word(ACTIONS, number * 7), number + 1_000);
    match number % 3 {
        0 => format!(
            "Could you please tell me how to {action} the {thing} number {number} that the {place} gave us last week?"
        ),
        1 => format!("Who at the {place} has to {action} {thing} {number}, and by when?"),
        _ => format!("I need to {action} a {thing} for the {place}. It has the number {number}. What comes first?"),
    }
}

/// The same, to be handed to a session.
pub(super) fn handed(number: usize) -> String {
    format!("{HANDED}{}", question(number))
}

/// The same, with an answer that a person has to let be written.
pub(super) fn kept(number: usize) -> String {
    format!("{KEPT}{}", question(number))
}

/// The task that a session is begun with for a question; the question itself where it is not one to be handed on.
pub(super) fn task(question: &str) -> &str {
    question.strip_prefix(HANDED).unwrap_or(question)
}

/// The call that the model answers a question with, if any: its tool and its arguments.
pub(super) fn call(question: &str) -> Option<(&'static str, Value)> {
    if let Some(task) = question.strip_prefix(HANDED) {
        return Some(("sessions_spawn", json!({"task": task, "blocking": true})));
    }
    let kept = question.strip_prefix(KEPT)?;
    Some(("write", json!({"path": "answer.txt", "content": format!("{kept}\nNobody knows yet.\n")})))
}
