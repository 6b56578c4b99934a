//! Damaged files: cut off, flipped, shuffled. Whatever is left of them, reading ends soon, without a panic, with a text or a sentence.

#![expect(clippy::disallowed_methods, reason = "more damages are asked for by an environment variable")]

use rand::{RngExt, SeedableRng, rngs::StdRng};
use satchel::formats::modify;

use super::fixture::{READABLE, bytes, extract};

/// Damages of each file; SATCHEL_DAMAGES asks for more.
fn times() -> u64 {
    std::env::var("SATCHEL_DAMAGES").ok().and_then(|times| times.parse().ok()).unwrap_or(60)
}

/// A file with a few changes, the same for the same number.
fn damaged(mut bytes: Vec<u8>, number: u64) -> Vec<u8> {
    let mut chance = StdRng::seed_from_u64(number);
    match number % 4 {
        0 => bytes.truncate(chance.random_range(0..bytes.len())),
        1 => {
            for _ in 0..chance.random_range(1..40) {
                let at = chance.random_range(0..bytes.len());
                bytes[at] = chance.random();
            }
        }
        2 => {
            let (from, length) = (chance.random_range(0..bytes.len()), chance.random_range(1..2_000));
            let to = (from + length).min(bytes.len());
            bytes.drain(from..to);
        }
        _ => {
            let length = chance.random_range(1..500.min(bytes.len()));
            let (from, to) =
                (chance.random_range(0..bytes.len() - length), chance.random_range(0..bytes.len() - length));
            bytes.copy_within(from..from + length, to);
        }
    }
    bytes
}

/// A refusal a person can act on.
fn is_sentence(message: &str) -> bool {
    message.len() > 20 && message.starts_with(|c: char| c.is_uppercase() || c == '`') && message.ends_with('.')
}

#[test]
fn damaged_files_are_read_or_refused_and_nothing_else() {
    for name in READABLE {
        let whole = bytes(name);
        for number in 0..times() {
            let read = extract(&damaged(whole.clone(), number), name);
            if let Err(error) = read {
                assert!(is_sentence(error.message()), "{name}, damage {number}: {error}");
                assert!(
                    !error.message().contains("keeps it from being read"),
                    "{name}, damage {number}: a reader panicked"
                );
            }
        }
    }
}

#[test]
fn damaged_files_are_changed_or_refused_and_nothing_else() {
    let update = modify::Update { sheet: "Sales".to_owned(), cell: "B2".to_owned(), value: 1.into() };
    for number in 0..times() {
        let text = damaged(bytes("libreoffice.docx"), number);
        let book = damaged(bytes("libreoffice.xlsx"), number);
        let pdf = damaged(bytes("open-aes256.pdf"), number);
        let answers = [
            modify::append(&text, &["x".to_owned()]).map(drop),
            modify::replace(&text, "Revenue", "x").map(drop),
            modify::update_cells(&book, std::slice::from_ref(&update)).map(drop),
            modify::merge(vec![bytes("chromium.pdf"), pdf]).map(drop),
        ];
        for error in answers.into_iter().filter_map(Result::err) {
            assert!(is_sentence(error.message()), "damage {number}: {error:?}");
            assert!(!error.message().contains("keeps it from being read"), "damage {number}: a reader panicked");
        }
    }
}
