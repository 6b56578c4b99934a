//! Bodies with files of the caller's: a form with files, or a file as it is.

use bytes::BytesMut;
use futures_util::TryStreamExt;
use reqwest::multipart::{Form, Part};
use serde_json::Value;

use super::{
    rest::{Body, MAX_BODY},
    spelling::pairs,
};
use satchel_app::App;
use satchel_formats::media;
use satchel_host::files::Rooted;
use satchel_model::{
    caller::Caller,
    catalog::{
        endpoint::Parameter,
        style::Style,
        upload::{FORM, is_file, media_type},
    },
    error::{Error, Result},
};

/// The permission of a caller whose files are sent.
const PERMISSION: &str = "host:fs.read";

/// A body whose files are not read yet.
#[derive(Debug, Clone, PartialEq)]
pub enum Upload {
    /// A file as the whole body.
    File(File),
    /// The fields of a form, by name.
    Form(Vec<(String, Field)>),
}

/// One field of a form.
#[derive(Debug, Clone, PartialEq)]
pub enum Field {
    /// A text.
    Text(String),
    /// An object, as JSON.
    Json(Value),
    /// A file.
    File(File),
}

/// A file that is to be sent.
#[derive(Debug, Clone, PartialEq)]
pub struct File {
    /// Its path, as the caller gave it.
    path: String,
    /// Its media type.
    media: String,
}

impl File {
    /// As a whole body: of the media type the schema names; where it names several, of what the file's name says.
    fn whole(schema: &Value, path: &Value) -> Result<Self> {
        Self::new(path, media_type(schema).filter(|media| !media.contains(['*', ','])))
    }

    /// As a part of a form: where that may be anything, of what the file's name says.
    fn part(schema: &Value, path: &Value) -> Result<Self> {
        let media = media_type(schema).filter(|media| *media != media::ANYTHING && !media.contains(['*', ',']));
        Self::new(path, media)
    }

    fn new(path: &Value, media: Option<&str>) -> Result<Self> {
        let path = path.as_str().filter(|path| !path.is_empty());
        let path = path.ok_or_else(|| Error::invalid("A file is given by its path in the workspace, as a text."))?;
        Ok(Self { path: path.to_owned(), media: media.unwrap_or_else(|| media::of_name(path)).to_owned() })
    }

    /// Returns the name the receiver is told: the last part of its path.
    fn name(&self) -> String {
        let last = self.path.rsplit('/').next().unwrap_or_default();
        last.chars().map(|c| if c.is_control() { '_' } else { c }).collect()
    }
}

impl Upload {
    /// Returns the value of this body, which is a form with files, or a file.
    pub(super) fn new(parameter: &Parameter, value: &Value) -> Result<Self> {
        let schema = &parameter.schema;
        if is_file(schema) {
            return Ok(Self::File(File::whole(schema, value)?));
        }
        let fields =
            value.as_object().ok_or_else(|| Error::invalid("The body is an object: the fields of the form."))?;
        let mut form = Vec::new();
        for (name, value) in fields.iter().filter(|(_, value)| !value.is_null()) {
            let schema = schema.get("properties").and_then(|known| known.get(name)).unwrap_or(&Value::Null);
            form.extend(field(parameter, (name, schema), value)?);
        }
        let is_odd = |name: &str| name.contains(['"', '\\']) || name.contains(char::is_control);
        if form.iter().any(|(name, _)| is_odd(name)) {
            return Err(Error::invalid("The name of a field has no quotes, backslashes or line breaks."));
        }
        Ok(Self::Form(form))
    }

    /// Checks that the caller may send what it holds.
    ///
    /// # Errors
    ///
    /// If it holds files and the caller may not read any, or uses a key that opens none of theirs.
    pub(super) fn require(&self, caller: &Caller) -> Result<()> {
        let reads = match self {
            Self::File(_) => true,
            Self::Form(fields) => fields.iter().any(|(_, field)| matches!(field, Field::File(_))),
        };
        if !reads {
            return Ok(());
        }
        caller.ensure_personal()?;
        caller.require(PERMISSION)
    }

    /// The paths of the files it holds.
    pub(super) fn paths(self) -> Vec<String> {
        match self {
            Self::File(file) => vec![file.path],
            Self::Form(fields) => fields
                .into_iter()
                .filter_map(|(_, field)| if let Field::File(file) = field { Some(file.path) } else { None })
                .collect(),
        }
    }

    /// The body, its files read.
    pub(super) async fn read(self, app: &App, caller: &Caller) -> Result<Body> {
        self.require(caller)?;
        let files = app.files_of(caller.user)?;
        match self {
            Self::File(file) => Ok(Body::Bytes(file.media, files.read_up_to(&file.path, MAX_BODY).await?.into())),
            Self::Form(fields) => form(&files, fields).await,
        }
    }
}

/// A list is a field for each of its items.
fn field(parameter: &Parameter, (name, schema): (&str, &Value), value: &Value) -> Result<Vec<(String, Field)>> {
    let named = |field| (name.to_owned(), field);
    if is_file(schema) {
        let of = schema.get("items").unwrap_or(schema);
        let paths = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
        return paths.iter().map(|path| Ok(named(Field::File(File::part(of, path)?)))).collect();
    }
    let style = parameter.style_of(name);
    Ok(match (style, value) {
        (Style::Plain | Style::Json, Value::Object(_)) => vec![named(Field::Json(value.clone()))],
        _ => pairs(name, value, style).into_iter().map(|(name, text)| (name, Field::Text(text))).collect(),
    })
}

async fn form(files: &Rooted, fields: Vec<(String, Field)>) -> Result<Body> {
    let mut form = Form::new().percent_encode_noop();
    let mut length = 0;
    for (name, field) in fields {
        form = match field {
            Field::Text(text) => form.text(name, text),
            Field::Json(value) => form.part(name, typed(Part::text(value.to_string()), "application/json")?),
            Field::File(file) => {
                let bytes = files.read_up_to(&file.path, MAX_BODY).await?;
                length += bytes.len() as u64;
                if length > MAX_BODY {
                    return Err(Error::invalid(format!(
                        "The files have more than {} MB together: send fewer at once.",
                        MAX_BODY >> 20
                    )));
                }
                form.part(name, typed(Part::bytes(bytes).file_name(file.name()), &file.media)?)
            }
        };
    }
    let media = format!("{FORM}; boundary={}", form.boundary());
    let body: BytesMut = form.into_stream().try_collect().await.map_err(Error::internal)?;
    Ok(Body::Bytes(media, body.freeze()))
}

fn typed(part: Part, media: &str) -> Result<Part> {
    part.mime_str(media).map_err(|error| {
        Error::invalid(format!("'{media}' is no media type: correct it in the endpoint's parameters.")).caused_by(error)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_field_whose_name_breaks_out_is_refused_also_within_another() {
        let schema = json!({"contentMediaType": FORM});
        let body = json!({"name": "body", "in": "body", "schema": schema, "members": {"m": "deep_object"}});
        let body: Parameter = serde_json::from_value(body).unwrap();
        for (given, is_sent) in [
            (json!({"m": {"k": "v"}}), true),
            (json!({"m": {"k\"; x=\"": "v"}}), false),
            (json!({"m": {"a\r\nb": "v"}}), false),
            (json!({"a\"": "v"}), false),
        ] {
            assert_eq!(Upload::new(&body, &given).is_ok(), is_sent, "{given}");
        }
    }
}
