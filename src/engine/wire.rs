//! Wire names: what a provider lets a tool be called, `^[a-zA-Z0-9_-]{1,64}$`.

use std::collections::HashMap;

use sha2::{Digest, Sha256};

/// Longest name a provider takes.
const MAX: usize = 64;

/// The wire names of one request, and the way back.
#[derive(Debug, Clone, Default)]
pub struct WireNames {
    ids: HashMap<String, String>,
}

impl WireNames {
    /// Names each id, in order.
    pub fn of<S: AsRef<str>>(ids: impl IntoIterator<Item = S>) -> (Self, Vec<String>) {
        let mut names = Self::default();
        let list = ids.into_iter().map(|id| names.add(id.as_ref())).collect();
        (names, list)
    }

    fn add(&mut self, id: &str) -> String {
        let name = suffixed_name(id).unwrap_or_else(|| encode(id));
        self.ids.insert(name.clone(), id.to_owned());
        name
    }

    /// The id behind a wire name of this request.
    pub fn id(&self, name: &str) -> Option<&str> {
        self.ids.get(name).map(String::as_str)
    }
}

/// `:` becomes `__`, `.` becomes `--`.
fn encode(id: &str) -> String {
    let exact = id.replace(':', "__").replace('.', "--");
    exact.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' }).collect()
}

/// The name of an id that does not read back from a plain one, or is too long: with a suffix made from the id, so that it
/// is the same in every request.
pub fn suffixed_name(id: &str) -> Option<String> {
    let plain = encode(id);
    if plain.len() <= MAX && decode(&plain) == id {
        return None;
    }
    let digest = hex::encode(Sha256::digest(id.as_bytes()));
    let head: String = plain.chars().take(MAX - 9).collect();
    let tail: String = digest.chars().take(8).collect();
    Some(format!("{head}_{tail}"))
}

/// The id a plain wire name stands for, where no suffix was needed.
pub fn decode(name: &str) -> String {
    name.replacen("__", ":", 1).replace("--", ".")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ids_that_look_alike_on_the_wire_are_both_callable() {
        let (names, list) = WireNames::of(["x:a.b", "x:a--b"]);
        assert_ne!(list[0], list[1]);
        assert_eq!(names.id(&list[0]), Some("x:a.b"));
        assert_eq!(names.id(&list[1]), Some("x:a--b"));
    }

    #[test]
    fn a_plain_name_reads_back_by_itself() {
        let (_, list) = WireNames::of(["builtin:web_fetch"]);
        assert_eq!(list, ["builtin__web_fetch"]);
        assert_eq!(decode(&list[0]), "builtin:web_fetch");
    }

    proptest! {
        #[test]
        fn every_id_gets_a_lawful_name_of_its_own(ids in prop::collection::hash_set("[a-z]{1,5}:[a-zA-Zé._ -]{1,90}", 1..20)) {
            let ids: Vec<String> = ids.into_iter().collect();
            let (names, list) = WireNames::of(&ids);
            for (id, name) in ids.iter().zip(&list) {
                prop_assert!((1..=64).contains(&name.len()));
                prop_assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-'));
                prop_assert_eq!(names.id(name), Some(id.as_str()));
                prop_assert!(decode(name) == *id || suffixed_name(id).as_ref() == Some(name));
            }
        }
    }
}
