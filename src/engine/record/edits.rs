//! What a person changed in a call's arguments, as it is kept and told: each place that differs, cut around the
//! difference, so that two texts which differ never look the same.

use serde_json::Value;

use super::redact::Secrets;
use satchel_model::{
    audit::extract::{LARGEST, MAX_TEXT, Mask, Unmasked, clip, extract, masked},
    call::Edit,
    json::{Counter, canonical},
    secret::MASK,
    secret_name::is_secret,
};

/// How much of what was changed is kept.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// Most places.
    pub places: usize,
    /// Most characters of a text.
    pub text: usize,
}

/// What an audit row keeps.
const ROW: Bounds = Bounds { places: 50, text: MAX_TEXT };
/// Characters that are kept before the first one that differs.
const BEFORE: usize = 40;
/// Most characters of a place's name.
const NAME: usize = 200;
/// Most bytes of a value that is no text, as JSON.
const VALUE: usize = LARGEST / 4;

/// The changed arguments of a tool of which nothing is known.
pub(super) fn names_only(edits: &[Edit]) -> Vec<Edit> {
    let hidden = |edit: &Edit| Edit { name: clip(&edit.name, NAME, Unmasked), from: MASK.into(), to: MASK.into() };
    edits.iter().take(ROW.places).map(hidden).collect()
}

/// The places that differ, as an audit row keeps them.
pub(super) fn redacted(edits: &[Edit], private: &[&str]) -> Vec<Edit> {
    let (mut kept, more) = within(edits, private, ROW);
    if more > 0 {
        kept.push(Edit { name: "…".to_owned(), from: Value::Null, to: format!("{more} more changes").into() });
    }
    kept
}

/// The places that differ, secrets and private arguments masked, no more than an audit row holds, and the number of those
/// left out. Names are paths: `args[3]`, `headers.accept`.
pub(crate) fn within(edits: &[Edit], private: &[&str], bounds: Bounds) -> (Vec<Edit>, usize) {
    let mut walk = Walk { bounds, room: Counter::new(LARGEST), kept: Vec::new(), more: 0 };
    for edit in edits {
        walk.field(&edit.name, &edit.name, (&edit.from, &edit.to), Secrets { private, is_secret });
    }
    (walk.kept, walk.more)
}

struct Walk {
    bounds: Bounds,
    /// Bytes that are left for places.
    room: Counter,
    kept: Vec<Edit>,
    /// Places left out.
    more: usize,
}

impl Walk {
    /// A member of an object, whose name may say that it is hidden.
    fn field(&mut self, path: &str, name: &str, values: (&Value, &Value), secrets: Secrets<'_>) {
        match secrets.within(name) {
            Some(secrets) => self.value(path, values, secrets),
            None => {
                let kept = |value: &Value| if value.is_null() { Value::Null } else { MASK.into() };
                self.keep(path, || (kept(values.0), kept(values.1)));
            }
        }
    }

    fn value(&mut self, path: &str, (from, to): (&Value, &Value), secrets: Secrets<'_>) {
        if canonical(from) == canonical(to) {
            return;
        }
        match (from, to) {
            (Value::Object(a), Value::Object(b)) => {
                for name in a.keys().chain(b.keys().filter(|name| !a.contains_key(*name))) {
                    let values = (a.get(name).unwrap_or(&Value::Null), b.get(name).unwrap_or(&Value::Null));
                    if canonical(values.0) != canonical(values.1) {
                        self.field(&format!("{path}.{name}"), name, values, secrets);
                    }
                }
            }
            (Value::Array(a), Value::Array(b)) => {
                for at in 0..a.len().max(b.len()) {
                    let values = (a.get(at).unwrap_or(&Value::Null), b.get(at).unwrap_or(&Value::Null));
                    self.value(&format!("{path}[{at}]"), values, secrets);
                }
            }
            (Value::String(a), Value::String(b)) => {
                let most = self.bounds.text;
                self.keep(path, || {
                    let (from, mut to) = around(&masked(a, secrets), &masked(b, secrets), most);
                    if from == to {
                        to.push_str(" (changed in a secret, or further on than is kept)");
                    }
                    (from.into(), to.into())
                });
            }
            // The name that could hide it was looked at above.
            (from, to) => self.keep(path, || (extract(from, VALUE, secrets), extract(to, VALUE, secrets))),
        }
    }

    /// Keeps a place, or counts it where there is no room left.
    fn keep(&mut self, path: &str, values: impl FnOnce() -> (Value, Value)) {
        if self.more == 0 && self.kept.len() < self.bounds.places {
            let (from, to) = values();
            let edit = Edit { name: clip(path, NAME, Unmasked), from, to };
            if self.room.takes(&edit) {
                return self.kept.push(edit);
            }
        }
        self.more += 1;
    }
}

/// Two texts, cut to so many characters about their first difference.
fn around(from: &str, to: &str, most: usize) -> (String, String) {
    let is_short = |text: &str| text.chars().count() <= most;
    if is_short(from) && is_short(to) {
        return (from.to_owned(), to.to_owned());
    }
    let same = from.chars().zip(to.chars()).take_while(|(a, b)| a == b).count();
    let skipped = same.saturating_sub(BEFORE);
    let cut = |text: &str| {
        let rest: String = text.chars().skip(skipped).collect();
        let start = if skipped > 0 { format!("(after {skipped} characters) …") } else { String::new() };
        format!("{start}{}", clip(&rest, most, Unmasked))
    };
    (cut(from), cut(to))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn kept(asked: Value, ran: Value) -> Value {
        serde_json::to_value(redacted(&Edit::between(&asked, &ran), &["content"])).unwrap()
    }

    #[test]
    fn what_a_person_changed_is_masked_as_the_arguments_are() {
        let found = kept(
            json!({"api_key": "CANARY", "content": "CANARY", "n": 1, "url": "http://a.example/?token=CANARY"}),
            json!({"api_key": "CANARY2", "content": "CANARY2", "n": 2, "url": "http://b.example/?token=CANARY"}),
        );
        let shown = json!([
            {"name": "api_key", "from": "***", "to": "***"},
            {"name": "content", "from": "***", "to": "***"},
            {"name": "n", "from": 1, "to": 2},
            {"name": "url", "from": "http://a.example/?token=***", "to": "http://b.example/?token=***"},
        ]);
        assert_eq!(found, shown);
        let found = kept(
            json!({"headers": {"X-Auth": "CANARY", "accept": "a"}, "also": [{"content": "CANARY"}]}),
            json!({"headers": {"X-Auth": "CANARY2", "accept": "b"}, "also": [{"content": "CANARY2"}]}),
        );
        let shown = json!([
            {"name": "headers.X-Auth", "from": "***", "to": "***"},
            {"name": "headers.accept", "from": "a", "to": "b"},
            {"name": "also[0].content", "from": "***", "to": "***"},
        ]);
        assert_eq!(found, shown);
    }

    #[test]
    fn a_change_far_down_a_list_is_kept() {
        let mut args: Vec<String> = (0..60).map(|n| format!("--n{n}")).collect();
        let asked = json!({"args": args.clone()});
        args[55] = "--delete-everything".to_owned();
        let found = kept(asked, json!({"args": args}));
        assert_eq!(found, json!([{"name": "args[55]", "from": "--n55", "to": "--delete-everything"}]));
    }

    #[test]
    fn a_change_far_down_a_text_is_kept() {
        let start = "é".repeat(5_000);
        let found = kept(json!({"command": format!("{start}; ls")}), json!({"command": format!("{start}; rm")}));
        let (from, to) = (found[0]["from"].as_str().unwrap(), found[0]["to"].as_str().unwrap());
        assert!(
            from.ends_with("; ls") && to.ends_with("; rm") && to.starts_with("(after 4962 characters) …"),
            "{found}"
        );
    }

    #[test]
    fn many_changes_are_counted() {
        let list = |by: u64| (0..80).map(|n| json!(n + by)).collect::<Vec<_>>();
        let found = kept(json!({"n": list(0)}), json!({"n": list(1)}));
        assert_eq!(found.as_array().unwrap().len(), ROW.places + 1);
        assert_eq!(found[ROW.places], json!({"name": "…", "from": null, "to": "30 more changes"}));
    }
}
