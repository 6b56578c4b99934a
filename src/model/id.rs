//! Typed ids: a `UserId` cannot be passed where a `ConversationId` is meant.

use std::{borrow::Cow, fmt, hash::Hash, marker::PhantomData, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use uuid::Uuid;

use super::{
    error::{Error, Result},
    text::clip,
};

/// The id of a `Noun`: a UUID version 7, so ids sort by the time they were made.
pub struct Id<Noun>(Uuid, PhantomData<fn() -> Noun>);

/// A kind of thing an id can name; the word appears in error messages and in the OpenAPI document.
pub trait Noun {
    /// Lower-case English singular, for instance `conversation`.
    const NAME: &'static str;
    /// The path that lists them, for messages; empty where there is none.
    const LISTED_AT: &'static str = "";
}

impl<N> Id<N> {
    /// A new, unique id.
    pub fn new() -> Self {
        Self(Uuid::now_v7(), PhantomData)
    }
}

impl<N> Id<N> {
    /// Its 32 digits, without hyphens.
    pub fn simple(self) -> String {
        self.0.simple().to_string()
    }
}

impl<N> Default for Id<N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<N: Noun> FromStr for Id<N> {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Uuid::from_str(text)
            .map(|id| Self(id, PhantomData))
            .map_err(|_| Error::not_found(format!("There is no {} '{}'.", N::NAME, shorten(text))))
    }
}

/// At most 40 characters of what somebody typed, for a message.
pub fn shorten(text: &str) -> Cow<'_, str> {
    clip(text, 40)
}

impl<N> Clone for Id<N> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<N> Copy for Id<N> {}
impl<N> PartialEq for Id<N> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}
impl<N> Eq for Id<N> {}
impl<N> PartialOrd for Id<N> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<N> Ord for Id<N> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.cmp(&other.0)
    }
}
impl<N> Hash for Id<N> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}
impl<N> fmt::Display for Id<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
impl<N> fmt::Debug for Id<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
impl<N> Serialize for Id<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}
impl<'de, N: Noun> Deserialize<'de> for Id<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if !deserializer.is_human_readable() {
            return Uuid::deserialize(deserializer).map(|id| Self(id, PhantomData));
        }
        let text = String::deserialize(deserializer)?;
        Uuid::from_str(&text).map(|id| Self(id, PhantomData)).map_err(|_| D::Error::custom(no_id::<N>(&text)))
    }
}

/// Says that something typed is no id, and where ids are found.
fn no_id<N: Noun>(text: &str) -> String {
    let article = if N::NAME.starts_with(['a', 'e', 'i', 'o']) { "an" } else { "a" };
    let listed = match N::LISTED_AT {
        "" => String::new(),
        path => format!(": GET {path} lists them"),
    };
    format!("'{}' is no id of {article} {}{listed}", shorten(text), N::NAME)
}

impl<N> utoipa::PartialSchema for Id<N> {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        use utoipa::openapi::{ObjectBuilder, SchemaFormat, Type};
        ObjectBuilder::new().schema_type(Type::String).format(Some(SchemaFormat::Custom("uuid".to_owned()))).into()
    }
}
impl<N: Noun> utoipa::ToSchema for Id<N> {
    fn name() -> Cow<'static, str> {
        Cow::Owned(format!("{}_id", N::NAME))
    }
}
impl<N: Noun> schemars::JsonSchema for Id<N> {
    fn schema_name() -> Cow<'static, str> {
        Cow::Owned(format!("{}_id", N::NAME))
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "string", "format": "uuid"})
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        knowledge::{CollectionId, DocumentId},
        user::UserId,
    };

    #[test]
    fn what_is_no_id_is_said_with_the_place_that_lists_them() {
        fn refused<T: for<'de> Deserialize<'de> + fmt::Debug>(text: &str) -> String {
            serde_json::from_value::<T>(text.into()).unwrap_err().to_string()
        }
        let collection = "'HR' is no id of a collection: GET /api/knowledge/collections lists them";
        assert_eq!(refused::<CollectionId>("HR"), collection);
        let document = "'nope' is no id of a document: GET /api/knowledge/documents lists them";
        assert_eq!(refused::<DocumentId>("nope"), document);
        assert_eq!(refused::<UserId>("ada"), "'ada' is no id of a user");
        let id = UserId::new();
        assert_eq!(serde_json::from_value::<UserId>(id.to_string().into()).unwrap(), id);
    }
}
