//! Redaction: results without the secrets of their run.

use serde_json::{Map, Value};

use crate::settings::ToolSettings;
use satchel_model::{
    error::{Error, Result},
    output::{Content, Output},
    secret::{
        MASK, Secret,
        forms::{self, Numbers},
    },
};

/// Removes this run's secrets from what it gives back, in plain and encoded forms.
pub fn redact(result: Result<Output>, settings: &ToolSettings) -> Result<Output> {
    let forms: Vec<String> = forms::of(settings.secrets().map(Secret::expose));
    if forms.is_empty() {
        return result;
    }
    let hidden = Hidden { forms: &forms, numbers: Numbers::new(&forms) };
    match result {
        Ok(output) => Ok(Output {
            data: hidden.out_of(output.data),
            content: output.content.into_iter().map(|part| clean_part(part, &hidden)).collect(),
            title: output.title.map(|title| hide_text(&title, &forms)),
            html: output.html.map(|html| hide_text(&html, &forms)),
            meta: match hidden.out_of(Value::Object(output.meta)) {
                Value::Object(meta) => meta,
                _ => Map::new(),
            },
        }),
        Err(error) => Err(hide_error(error, &forms)),
    }
}

/// A value without these forms of secrets, in keys and numbers too.
pub fn hide(value: Value, forms: &[String]) -> Value {
    if forms.is_empty() { value } else { Hidden { forms, numbers: Numbers::new(forms) }.out_of(value) }
}

/// A text without these forms of secrets.
pub fn hide_text(text: &str, forms: &[String]) -> String {
    forms::mask(text, forms)
}

/// An error without these forms of secrets, in its details and causes too.
pub fn hide_error(error: Error, forms: &[String]) -> Error {
    error.reworded(|text| hide_text(text, forms), |details| hide(details, forms))
}

/// The forms and numbers that are to be seen nowhere.
struct Hidden<'a> {
    forms: &'a [String],
    numbers: Numbers<'a>,
}

impl Hidden<'_> {
    fn out_of(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(hide_text(&text, self.forms)),
            Value::Number(number) if self.numbers.stand_in(&number) => Value::from(MASK),
            Value::Array(items) => items.into_iter().map(|item| self.out_of(item)).collect(),
            Value::Object(map) => {
                let clean = |(key, item): (String, Value)| (hide_text(&key, self.forms), self.out_of(item));
                Value::Object(map.into_iter().map(clean).collect())
            }
            other => other,
        }
    }
}

fn clean_part(part: Content, hidden: &Hidden<'_>) -> Content {
    match part {
        Content::Text { text } => Content::Text { text: hide_text(&text, hidden.forms) },
        Content::Json { json } => Content::Json { json: hidden.out_of(json) },
        image @ Content::Image { .. } => image,
    }
}
