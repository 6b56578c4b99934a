//! A point in time: milliseconds since 1970, shown as RFC 3339 in UTC.

use std::{fmt, time::Duration};

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Milliseconds since 1970-01-01T00:00:00Z. Reading the clock is `host::clock`'s.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(i64);

impl Time {
    /// From milliseconds since 1970.
    pub fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Milliseconds since 1970.
    pub fn millis(self) -> i64 {
        self.0
    }

    /// This long before it.
    #[must_use]
    pub fn before(self, span: Duration) -> Self {
        Self(self.0.saturating_sub(i64::try_from(span.as_millis()).unwrap_or(i64::MAX)))
    }

    /// This much later.
    #[must_use]
    pub fn after(self, span: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(span.as_millis()).unwrap_or(i64::MAX)))
    }

    /// The calendar day in UTC, for instance `2026-11-20`.
    pub fn day(self) -> String {
        self.to_string().chars().take(10).collect()
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = DateTime::<Utc>::from_timestamp_millis(self.0).unwrap_or_default();
        f.write_str(&time.to_rfc3339_opts(SecondsFormat::Millis, true))
    }
}

impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        DateTime::parse_from_rfc3339(&text).map(|time| Self(time.timestamp_millis())).map_err(serde::de::Error::custom)
    }
}

impl utoipa::PartialSchema for Time {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        use utoipa::openapi::{KnownFormat, ObjectBuilder, SchemaFormat, Type};
        ObjectBuilder::new()
            .schema_type(Type::String)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)))
            .into()
    }
}
impl utoipa::ToSchema for Time {}
