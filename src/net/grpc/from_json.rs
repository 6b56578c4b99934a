//! Messages from JSON, as protobuf's JSON mapping has it; whatever is wrong is told with its place.

use std::fmt;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use prost::Message;
use prost_reflect::{
    DescriptorPool, DeserializeOptions, DynamicMessage, FieldDescriptor, Kind, MapKey, MessageDescriptor, Value as Held,
};
use serde_json::{Map, Value};

use super::message::{is_well_known, type_name};

/// Names listed in an error.
const LISTED: usize = 20;
/// Longest words of an error.
const TOLD: usize = 300;

/// A mismatch, and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wrong {
    path: String,
    what: String,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.as_str() {
            "" => f.write_str(&self.what),
            path => write!(f, "at '{path}': {}", self.what),
        }
    }
}

type Result<T> = std::result::Result<T, Wrong>;

/// A message of a type. `pool` holds the types that a `google.protobuf.Any` may have.
pub(super) fn message(pool: &DescriptorPool, of: &MessageDescriptor, json: &Value) -> Result<DynamicMessage> {
    Reader { pool }.message(of, json, "")
}

struct Reader<'a> {
    pool: &'a DescriptorPool,
}

impl Reader<'_> {
    fn message(&self, of: &MessageDescriptor, json: &Value, path: &str) -> Result<DynamicMessage> {
        match (of.full_name(), json) {
            ("google.protobuf.Any", Value::Object(map)) => self.any(of, map, path),
            // As those are shown that the mapping cannot write.
            ("google.protobuf.Timestamp" | "google.protobuf.Duration", Value::Object(map)) => span(of, map)
                .ok_or_else(|| wrong(path, "an object holds 'seconds' and 'nanos' here, both whole numbers")),
            ("google.protobuf.FieldMask", Value::String(paths)) if paths.contains('_') => Ok(mask(of, paths)),
            (name, Value::Object(map)) if !is_well_known(name) => self.fields(of, map, path),
            (_, json) => whole(of, json).map_err(|what| {
                let kind = Kind::Message(of.clone());
                wrong(path, format!("{what}{}", expected(&kind)))
            }),
        }
    }

    fn fields(&self, of: &MessageDescriptor, map: &Map<String, Value>, path: &str) -> Result<DynamicMessage> {
        let mut message = DynamicMessage::new(of.clone());
        for (name, json) in map {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            if let Some(extension) = of.get_extension_by_json_name(name) {
                let mut read = single(of, name, json).map_err(|what| wrong(&path, what))?;
                read.take_extension(&extension).into_iter().for_each(|held| message.set_extension(&extension, held));
                continue;
            }
            let field = of.get_field_by_json_name(name).or_else(|| of.get_field_by_name(name));
            let field = field.ok_or_else(|| unknown(of, &path))?;
            let Some(held) = self.field(&field, json, &path)? else { continue };
            require_alone(&message, &field, &path)?;
            message.set_field(&field, held);
        }
        Ok(message)
    }

    /// The value of a field; `None` if `null` leaves it out.
    fn field(&self, field: &FieldDescriptor, json: &Value, path: &str) -> Result<Option<Held>> {
        let of = match field.kind() {
            Kind::Message(of) if field.is_map() => {
                return match (json, of.map_entry_value_field().kind()) {
                    (Value::Object(map), Kind::Message(value)) => self.map(&of, &value, map, path).map(Some),
                    _ => of_parent(field, json, path),
                };
            }
            Kind::Message(of) if has_inside(of.full_name()) => of,
            _ => return of_parent(field, json, path),
        };
        match json {
            Value::Null => Ok(None),
            Value::Array(items) if field.is_list() => {
                let item = |(at, json)| self.message(&of, json, &format!("{path}[{at}]")).map(Held::Message);
                Ok(Some(Held::List(items.iter().enumerate().map(item).collect::<Result<_>>()?)))
            }
            _ if field.is_list() => of_parent(field, json, path),
            json => Ok(Some(Held::Message(self.message(&of, json, path)?))),
        }
    }

    fn map(
        &self,
        entry: &MessageDescriptor,
        value: &MessageDescriptor,
        map: &Map<String, Value>,
        path: &str,
    ) -> Result<Held> {
        let kind = entry.map_entry_key_field().kind();
        let read = map.iter().map(|(name, json)| {
            let path = format!("{path}[{name}]");
            let key = key(&kind, name).ok_or_else(|| wrong(&path, "the key is not of its type"))?;
            Ok((key, Held::Message(self.message(value, json, &path)?)))
        });
        Ok(Held::Map(read.collect::<Result<_>>()?))
    }

    /// An `Any`: `@type` and the fields of that type, or its bytes as base64 in `value` where the type is not known.
    fn any(&self, of: &MessageDescriptor, map: &Map<String, Value>, path: &str) -> Result<DynamicMessage> {
        let mut message = DynamicMessage::new(of.clone());
        if map.is_empty() {
            return Ok(message);
        }
        let url = map.get("@type").and_then(Value::as_str);
        let url =
            url.ok_or_else(|| wrong(path, "'@type' is missing, such as 'type.googleapis.com/package.Message'"))?;
        let mut rest = map.clone();
        rest.remove("@type");
        let bytes = match self.pool.get_message_by_name(type_name(url)) {
            Some(known) if is_well_known(known.full_name()) => self
                .message(&known, rest.get("value").unwrap_or(&Value::Null), &format!("{path}.value"))?
                .encode_to_vec(),
            Some(known) => self.fields(&known, &rest, path)?.encode_to_vec(),
            None => bytes(&rest).ok_or_else(|| {
                let told = "the system does not describe the type '{}': give its bytes as base64 in 'value', alone";
                wrong(path, told.replace("{}", type_name(url)))
            })?,
        };
        message.set_field_by_name("type_url", Held::String(url.to_owned()));
        message.set_field_by_name("value", Held::Bytes(bytes.into()));
        Ok(message)
    }
}

/// Returns whether the messages of a type are read here, and not by the mapping alone.
fn has_inside(name: &str) -> bool {
    let ours = ["Any", "Timestamp", "Duration", "FieldMask"];
    !is_well_known(name) || name.strip_prefix("google.protobuf.").is_some_and(|name| ours.contains(&name))
}

/// A time or a duration by its fields.
fn span(of: &MessageDescriptor, map: &Map<String, Value>) -> Option<DynamicMessage> {
    let mut message = DynamicMessage::new(of.clone());
    for (name, json) in map {
        let number = json.as_i64().or_else(|| json.as_str()?.parse().ok())?;
        match name.as_str() {
            "seconds" => message.set_field_by_name("seconds", Held::I64(number)),
            "nanos" => message.set_field_by_name("nanos", Held::I32(number.try_into().ok()?)),
            _ => return None,
        }
    }
    Some(message)
}

/// Paths that are no camel case, as they are.
fn mask(of: &MessageDescriptor, paths: &str) -> DynamicMessage {
    let mut message = DynamicMessage::new(of.clone());
    let paths = paths.split(',').filter(|path| !path.is_empty()).map(|path| Held::String(path.to_owned()));
    message.set_field_by_name("paths", Held::List(paths.collect()));
    message
}

fn bytes(rest: &Map<String, Value>) -> Option<Vec<u8>> {
    let text = rest.get("value")?.as_str().filter(|_| rest.len() == 1)?;
    STANDARD.decode(text).ok()
}

/// Checks that no other field of the same `oneof` is there already.
///
/// # Errors
///
/// If one is.
fn require_alone(message: &DynamicMessage, field: &FieldDescriptor, path: &str) -> Result<()> {
    let Some(group) = field.containing_oneof() else { return Ok(()) };
    match group.fields().find(|other| other != field && message.has_field(other)) {
        None => Ok(()),
        Some(other) => {
            let told = format!("only one of '{}' and '{}' may be given", other.json_name(), field.json_name());
            Err(wrong(path, told))
        }
    }
}

/// The value of a field that needs no look inside; of a list, the error names the item.
fn of_parent(field: &FieldDescriptor, json: &Value, path: &str) -> Result<Option<Held>> {
    let (of, name) = (field.parent_message(), field.json_name());
    let read = |json: &Value| single(of, name, json);
    let error = match read(json) {
        Ok(mut message) => return Ok(message.take_field(field)),
        Err(error) => error,
    };
    let items = json.as_array().filter(|_| field.is_list()).into_iter().flatten().enumerate();
    let mut failed = items.filter_map(|(at, item)| Some((at, read(&Value::Array(vec![item.clone()])).err()?)));
    let (path, what) = match failed.next() {
        Some((at, what)) => (format!("{path}[{at}]"), what),
        None => (path.to_owned(), error),
    };
    Err(wrong(&path, format!("{what}{}", expected(&field.kind()))))
}

/// Returns how a value of a kind is written, where that is not plain.
fn expected(kind: &Kind) -> String {
    let written = match kind {
        Kind::Bytes => "base64",
        Kind::Enum(of) => {
            let names: Vec<String> = of.values().take(LISTED).map(|value| value.name().to_owned()).collect();
            return format!("; it is one of {}", names.join(", "));
        }
        Kind::Message(of) => match of.full_name() {
            "google.protobuf.Timestamp" => "a time as '2026-05-01T10:00:00Z'",
            "google.protobuf.Duration" => "seconds with an s, as '1.5s'",
            "google.protobuf.FieldMask" => "paths in camel case with commas between them, as 'user.name,email'",
            _ => return String::new(),
        },
        _ => return String::new(),
    };
    format!("; it is {written}")
}

/// A message with one field.
fn single(of: &MessageDescriptor, name: &str, json: &Value) -> std::result::Result<DynamicMessage, String> {
    whole(of, &Value::Object(Map::from_iter([(name.to_owned(), json.clone())])))
}

fn whole(of: &MessageDescriptor, json: &Value) -> std::result::Result<DynamicMessage, String> {
    let options = DeserializeOptions::new().deny_unknown_fields(true);
    DynamicMessage::deserialize_with_options(of.clone(), json, &options).map_err(|error| error.to_string())
}

fn unknown(of: &MessageDescriptor, path: &str) -> Wrong {
    let fields: Vec<String> = of.fields().take(LISTED).map(|field| field.json_name().to_owned()).collect();
    let fields = if fields.is_empty() { "none".to_owned() } else { fields.join(", ") };
    wrong(path, format!("there is no such field in {}. Its fields: {fields}.", of.full_name()))
}

fn wrong(path: &str, what: impl Into<String>) -> Wrong {
    Wrong { path: path.chars().take(TOLD).collect(), what: what.into().chars().take(TOLD).collect() }
}

fn key(kind: &Kind, text: &str) -> Option<MapKey> {
    match kind {
        Kind::Bool => text.parse().ok().map(MapKey::Bool),
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => text.parse().ok().map(MapKey::I32),
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => text.parse().ok().map(MapKey::I64),
        Kind::Uint32 | Kind::Fixed32 => text.parse().ok().map(MapKey::U32),
        Kind::Uint64 | Kind::Fixed64 => text.parse().ok().map(MapKey::U64),
        _ => Some(MapKey::String(text.to_owned())),
    }
}
