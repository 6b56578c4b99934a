//! Wire names: what a provider lets a tool be called, `^[a-zA-Z0-9_-]{1,64}$`.

use sha2::{Digest, Sha256};

/// Longest name a provider takes.
const MAX: usize = 64;

/// The name of an id: the same in every request, and no other id's.
pub fn name(id: &str) -> String {
    suffixed_name(id).unwrap_or_else(|| encode(id))
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
    use std::collections::HashSet;

    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ids_that_look_alike_have_names_of_their_own() {
        assert_eq!(name("x:a.b"), "x__a--b");
        assert_ne!(name("x:a.b"), name("x:a--b"));
    }

    #[test]
    fn a_plain_name_reads_back_by_itself() {
        assert_eq!(name("builtin:web_fetch"), "builtin__web_fetch");
        assert_eq!(decode("builtin__web_fetch"), "builtin:web_fetch");
    }

    proptest! {
        #[test]
        fn every_id_gets_a_lawful_name_of_its_own(ids in prop::collection::hash_set("[a-z]{1,5}:[a-zA-Zé._ -]{1,90}", 1..20)) {
            let names: HashSet<String> = ids.iter().map(|id| name(id)).collect();
            prop_assert_eq!(names.len(), ids.len());
            for id in &ids {
                let name = name(id);
                prop_assert!((1..=64).contains(&name.len()));
                prop_assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-'));
                prop_assert!(decode(&name) == *id || suffixed_name(id) == Some(name));
            }
        }
    }
}
