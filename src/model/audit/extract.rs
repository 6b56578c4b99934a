//! A bounded extract of arguments: as much of each text, of each list and of the whole as an audit row keeps.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::{json::fits, secret::MASK};

/// Most bytes a row keeps of arguments, as JSON.
pub const LARGEST: usize = 16 << 10;
/// Longest text a row keeps of one argument, in characters.
pub const MAX_TEXT: usize = 1_000;
/// Most members a row keeps of one list or object.
pub const MAX_ITEMS: usize = 50;
/// Longest name of a field, in characters.
const MAX_NAME: usize = 80;
/// Least room of a member: enough for a count in words.
const LEAST: usize = 64;
/// Room of a number or a word.
const NUMBER: usize = 26;
/// Bytes of a text that are looked through for secrets: far more than is kept of it.
const LOOKED_AT: usize = 64 << 10;

/// Rules that say what of arguments is hidden.
pub trait Mask: Copy {
    /// The rules within a field of this name; `None` hides it.
    fn within(self, name: &str) -> Option<Self>;

    /// A text without its secrets.
    fn show(self, text: &str) -> Cow<'_, str>;
}

/// Nothing is hidden.
#[derive(Debug, Clone, Copy)]
pub struct Unmasked;

impl Mask for Unmasked {
    fn within(self, _: &str) -> Option<Self> {
        Some(self)
    }

    fn show(self, text: &str) -> Cow<'_, str> {
        Cow::Borrowed(text)
    }
}

/// An extract of a value of about so many bytes at most, as JSON. Every member of a list or an object gets its share of them,
/// so that a long one hides none behind it; what is left out is counted.
pub fn extract(value: &Value, most: usize, mask: impl Mask) -> Value {
    Extract { spent: 0 }.value(value, most, mask)
}

/// So many characters of the beginning of a text, with its length where that is not the whole.
pub fn clip(text: &str, most: usize, mask: impl Mask) -> String {
    shorten(text, Room { characters: most, bytes: usize::MAX }, mask)
}

/// A text without its secrets, as far as it is looked through: of a longer one the rest is left out.
pub fn masked(text: &str, mask: impl Mask) -> Cow<'_, str> {
    mask.show(text.get(..text.floor_char_boundary(LOOKED_AT)).unwrap_or_default())
}

/// An extract that is being made.
struct Extract {
    /// Bytes of what it holds by now.
    spent: usize,
}

/// Bounds of a text.
#[derive(Clone, Copy)]
struct Room {
    characters: usize,
    bytes: usize,
}

impl Extract {
    fn value(&mut self, value: &Value, most: usize, mask: impl Mask) -> Value {
        // What is small enough as a whole needs no shares.
        let most = if fits(value, most) { usize::MAX } else { most };
        match value {
            Value::Object(fields) => self.object(fields, most, mask),
            Value::Array(items) => self.array(items, most, mask),
            Value::String(text) => self.text(text, Room { characters: MAX_TEXT, bytes: most }, mask).into(),
            other => {
                self.spent = self.spent.saturating_add(NUMBER);
                other.clone()
            }
        }
    }

    fn object(&mut self, fields: &Map<String, Value>, most: usize, mask: impl Mask) -> Value {
        let Some(mut shares) = Shares::new(fields.len(), most, self.spent) else {
            return self.count(fields.len(), "fields");
        };
        let (number, mut kept) = (shares.left, Map::new());
        for (name, value) in fields.iter().take(number) {
            let share = shares.take(self.spent);
            let before = self.spent;
            let shown = self.text(name, Room { characters: MAX_NAME, bytes: share / 2 }, Unmasked);
            let value = match mask.within(name) {
                Some(mask) => self.value(value, share.saturating_sub(self.spent.saturating_sub(before)), mask),
                None if value.is_null() => Value::Null,
                None => self.text(MASK, Room { characters: MAX_TEXT, bytes: usize::MAX }, Unmasked).into(),
            };
            kept.insert(shown, value);
        }
        if number < fields.len() {
            kept.insert("…".to_owned(), self.count(fields.len(), "fields"));
        }
        Value::Object(kept)
    }

    fn array(&mut self, items: &[Value], most: usize, mask: impl Mask) -> Value {
        let Some(mut shares) = Shares::new(items.len(), most, self.spent) else {
            return self.count(items.len(), "items");
        };
        let number = shares.left;
        let shown = items.iter().take(number);
        let mut kept: Vec<Value> = shown.map(|item| self.value(item, shares.take(self.spent), mask)).collect();
        if number < items.len() {
            kept.push(self.count(items.len(), "items"));
        }
        Value::Array(kept)
    }

    fn text(&mut self, text: &str, room: Room, mask: impl Mask) -> String {
        let kept = shorten(text, room, mask);
        self.spent = self.spent.saturating_add(kept.chars().map(bytes).sum::<usize>() + 4);
        kept
    }

    fn count(&mut self, number: usize, things: &str) -> Value {
        self.spent = self.spent.saturating_add(LEAST / 2);
        format!("… ({number} {things})").into()
    }
}

/// Shares of the members of a list or an object: one that needs less leaves more to those that follow.
struct Shares {
    /// Members that have none yet.
    left: usize,
    /// Bytes of the extract where the last of them ends.
    end: usize,
}

impl Shares {
    /// As many shares as there is room for; `None` if there is room for none of them.
    fn new(members: usize, most: usize, spent: usize) -> Option<Self> {
        let room = most.saturating_sub(LEAST);
        let left = members.min(MAX_ITEMS).min(room / LEAST);
        (left > 0 || members == 0).then(|| Self { left, end: spent.saturating_add(room) })
    }

    /// Bytes for the next member.
    fn take(&mut self, spent: usize) -> usize {
        let share = self.end.saturating_sub(spent) / self.left.max(1);
        self.left = self.left.saturating_sub(1);
        share
    }
}

/// The beginning of a text without its secrets, with the length of the text where it is longer.
fn shorten(text: &str, room: Room, mask: impl Mask) -> String {
    let shown = masked(text, mask);
    if text.len() <= LOOKED_AT && head(&shown, room).len() == shown.len() {
        return shown.into_owned();
    }
    let shown = head(&shown, Room { bytes: room.bytes.saturating_sub(LEAST / 2), ..room });
    format!("{shown}… ({} characters)", text.chars().count())
}

/// As much of the beginning of a text as there is room for.
fn head(text: &str, room: Room) -> &str {
    let mut spent = 0_usize;
    for (n, (at, character)) in text.char_indices().enumerate() {
        spent += bytes(character);
        if n == room.characters || spent > room.bytes {
            return text.get(..at).unwrap_or_default();
        }
    }
    text
}

/// Bytes of a character in a text of JSON.
fn bytes(character: char) -> usize {
    match character {
        '"' | '\\' | '\n' | '\r' | '\t' => 2,
        '\0'..='\u{1f}' => 6,
        other => other.len_utf8(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn extract_of(value: &Value) -> Value {
        extract(value, LARGEST, Unmasked)
    }

    fn object(fields: usize, value: impl Fn(usize) -> Value) -> Value {
        Value::Object((0..fields).map(|n| (format!("k{n}"), value(n))).collect())
    }

    #[test]
    fn what_is_small_stays_as_it_is() {
        let rows: Vec<Value> =
            (0..MAX_ITEMS).map(|n| json!({"a": n, "b": null, "c": "tea", "d": [true, 1.5]})).collect();
        let given = json!({"rows": rows, "text": "x".repeat(MAX_TEXT), "empty": [{}, []]});
        assert_eq!(extract_of(&given), given);
    }

    #[test]
    fn of_many_fields_and_items_the_first_stay_and_all_are_counted() {
        let kept = extract_of(&json!({"a": object(60, |n| json!(n)), "b": (0..60).collect::<Vec<_>>()}));
        assert_eq!(kept["a"].as_object().unwrap().len(), MAX_ITEMS + 1);
        assert_eq!((&kept["a"]["k49"], &kept["a"]["…"]), (&json!(49), &json!("… (60 fields)")));
        assert_eq!((&kept["b"][49], &kept["b"][MAX_ITEMS]), (&json!(49), &json!("… (60 items)")));
    }

    #[test]
    fn a_long_argument_hides_none_behind_it() {
        let kept = extract_of(&json!({"args": vec!["x".repeat(5_000); 5_000], "command": "rm -rf /"}));
        assert_eq!(kept["command"], "rm -rf /");
        assert!(kept["args"][0].as_str().unwrap().ends_with("… (5000 characters)"), "{kept}");
    }

    #[test]
    fn an_extract_is_bounded_whatever_it_is_of() {
        let long = "\u{1}".repeat(9_000);
        let deep = (0..120).fold(json!(long), |inner, n| json!({long.clone(): inner, "n": n, "list": [long, long]}));
        let wide = object(8_000, |_| object(60, |n| json!([n, long])));
        let names: Value = (0..60).map(|n| (format!("{n}{long}"), json!(1))).collect::<Map<_, _>>().into();
        let texts = object(50, |_| json!("é".repeat(990)));
        for value in [deep, wide, names, texts, json!(long), json!([[[vec![vec![long.clone(); 900]; 9]]]])] {
            let kept = extract_of(&value);
            assert!(fits(&kept, LARGEST), "{kept}");
            assert!(!fits(&kept, 500), "{kept}");
        }
    }
}
