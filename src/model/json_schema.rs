//! A JSON Schema as a tool's spec holds it.

use std::{fmt, sync::Arc};

use serde_json::Value;

/// A JSON Schema (2020-12). Cheap to clone. One of the thousands that a catalog brings is kept as its text, a fraction of
/// what it takes when read; few of them are looked at.
#[derive(Clone)]
pub struct JsonSchema(Kept);

#[derive(Clone)]
enum Kept {
    Read(Arc<Value>),
    Text(Arc<str>),
}

impl JsonSchema {
    /// Keeps a schema as its text: [`Self::document`] reads it at every look.
    pub fn compact(document: &Value) -> Self {
        Self(Kept::Text(document.to_string().into()))
    }

    /// Returns the schema's document.
    pub fn document(&self) -> Arc<Value> {
        match &self.0 {
            Kept::Read(document) => Arc::clone(document),
            // It was written from a document, so it can be read.
            Kept::Text(text) => Arc::new(serde_json::from_str(text).unwrap_or_default()),
        }
    }
}

impl From<Value> for JsonSchema {
    fn from(document: Value) -> Self {
        Arc::new(document).into()
    }
}

impl From<Arc<Value>> for JsonSchema {
    fn from(document: Arc<Value>) -> Self {
        Self(Kept::Read(document))
    }
}

impl PartialEq for JsonSchema {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Kept::Text(one), Kept::Text(other)) => one == other,
            _ => self.document() == other.document(),
        }
    }
}

impl fmt::Debug for JsonSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.document().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_text_is_read_as_what_was_written() {
        let document = json!({"type": "object", "properties": {"b": {"type": "string"}, "a": {"type": "integer"}}});
        let compact = JsonSchema::compact(&document);
        assert_eq!(*compact.document(), document);
        assert_eq!(compact, JsonSchema::from(document.clone()));
        assert_ne!(compact, JsonSchema::compact(&json!({"type": "object"})));
    }
}
