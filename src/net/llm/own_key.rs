//! A provider's own key, taken out of what it says: also where it comes in several pieces.

use serde_json::Value;

use satchel_model::{
    error::Error,
    json::map_strings,
    llm::{Provider, ToolCall},
    secret::{MASK, Secret},
};

/// Keys shorter than this are not looked for: servers that need none are given words like `none`.
const SHORTEST: usize = 8;

/// Masks one key in what comes.
#[derive(Debug, Default)]
pub(super) struct KeyMask {
    key: Option<Secret>,
    /// The end of the text so far, where it may be the beginning of the key.
    held: String,
}

impl KeyMask {
    /// A mask of this provider's key.
    pub(super) fn new(provider: &Provider) -> Self {
        let key = provider.api_key.clone().filter(|key| key.expose().len() >= SHORTEST);
        Self { key, held: String::new() }
    }

    /// The next piece of a text, as far as it cannot be part of the key any more.
    pub(super) fn feed(&mut self, piece: String) -> String {
        let Some(key) = &self.key else { return piece };
        self.held.push_str(&piece);
        let mut clean = self.held.replace(key.expose(), MASK);
        self.held = clean.split_off(begins_at(&clean, key.expose()));
        clean
    }

    /// The end of the text, which was held back.
    pub(super) fn rest(&mut self) -> String {
        std::mem::take(&mut self.held)
    }

    /// A whole text without the key.
    pub(super) fn text(&self, text: &str) -> String {
        self.key.as_ref().map_or_else(|| text.to_owned(), |key| text.replace(key.expose(), MASK))
    }

    /// A call without the key.
    pub(super) fn call(&self, call: ToolCall) -> ToolCall {
        if self.key.is_none() {
            return call;
        }
        ToolCall {
            id: self.text(&call.id),
            name: self.text(&call.name),
            arguments: self.value(call.arguments),
            malformed: call.malformed.map(|text| self.text(&text)),
        }
    }

    /// An error without the key.
    pub(super) fn error(&self, error: Error) -> Error {
        if self.key.is_none() { error } else { error.reworded(|text| self.text(text), |details| self.value(details)) }
    }

    fn value(&self, value: Value) -> Value {
        map_strings(value, &|text| self.text(text))
    }
}

/// The place in a text from which its end may go on as the key; its length where there is none.
fn begins_at(text: &str, key: &str) -> usize {
    let ends = key.char_indices().map(|(end, _)| end).skip(1);
    let starts = ends.filter_map(|end| key.get(..end)).filter(|start| text.ends_with(start));
    text.len() - starts.map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    const KEY: &str = "sk-sk-sk-canary";

    fn mask() -> KeyMask {
        KeyMask { key: Some(Secret::new(KEY)), held: String::new() }
    }

    fn said(pieces: &[&str]) -> String {
        let mut mask = mask();
        let mut whole: String = pieces.iter().map(|piece| mask.feed((*piece).to_owned())).collect();
        whole.push_str(&mask.rest());
        whole
    }

    #[test]
    fn a_key_in_pieces_is_masked_and_what_only_begins_like_it_is_said() {
        assert_eq!(said(&["Your key is sk-", "sk-sk-can", "ary", "."]), "Your key is ***.");
        assert_eq!(said(&["sk-sk-", "sk-sk-canary"]), "sk-***");
        assert_eq!(said(&["I like sk-", "iing sk"]), "I like sk-iing sk");
    }

    #[test]
    fn a_call_and_an_error_show_no_key_either() {
        let arguments = json!({KEY: [format!("<{KEY}>")]});
        let call =
            ToolCall { id: "1".to_owned(), name: "write".to_owned(), arguments, malformed: Some(KEY.to_owned()) };
        let masked = mask().call(call);
        assert_eq!((masked.arguments, masked.malformed.as_deref()), (json!({"***": ["<***>"]}), Some("***")));
        let error = mask().error(Error::upstream(format!("The model failed: {KEY}")));
        assert_eq!(error.message(), "The model failed: ***");
    }

    proptest! {
        #[test]
        fn wherever_it_is_cut_the_same_is_said(before in "[a-z -]{0,12}", after in "[a-z -]{0,12}", cuts in prop::collection::vec(0_usize..40, 0..6)) {
            let whole = format!("{before}{KEY}{after}");
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(whole.len())).chain([0, whole.len()]).collect();
            cuts.sort_unstable();
            let pieces: Vec<&str> = cuts.windows(2).map(|pair| &whole[pair[0]..pair[1]]).collect();
            prop_assert_eq!(said(&pieces), said(&[&whole]));
            prop_assert!(!said(&pieces).contains(KEY));
        }
    }
}
