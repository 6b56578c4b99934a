//! The contents of a page's answer, by its type: Markdown, text, a document's text, an image.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderMap};
use url::Url;

use satchel_formats::{page, picture};
use satchel_model::{
    error::{Error, Result},
    output::Content,
};
use satchel_services::reading::Reader;

/// Largest image that is handed on, in bytes and in pixels of either side.
const IMAGE_BYTES: usize = 4 << 20;
const IMAGE_SIDE: u32 = 8_192;

/// The note on a page without any text of its own.
const ONLY_SCRIPT: &str = "(This page has no text of its own: it is made by scripts, which are not run here. Open it in \
                           a browser if there is one, or look for the address the scripts get their data from.)";

/// A body, and what is known of it.
pub(super) struct Body {
    pub(super) bytes: Bytes,
    /// Whether there was more.
    pub(super) cut: bool,
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
}

/// The form in which a body is wanted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    /// Markdown of pages, not their source.
    pub(super) extract: bool,
    /// Only the article of a page.
    pub(super) article: bool,
}

/// The result of reading it.
#[derive(Debug, Default)]
pub(super) struct Told {
    pub(super) title: Option<String>,
    pub(super) text: String,
    pub(super) image: Option<Content>,
}

impl Body {
    /// The media type its head names, or what its first bytes look like.
    pub(super) fn mime(&self) -> String {
        let named = self.content_type().split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let start = self.bytes.get(..512).unwrap_or(&self.bytes).to_ascii_lowercase();
        let starts = |text: &str| start.trim_ascii_start().starts_with(text.as_bytes());
        match named.as_str() {
            "" | "application/octet-stream" | "unknown/unknown" => match () {
                () if starts("%pdf-") => "application/pdf",
                () if starts("<!doctype html") || starts("<html") => "text/html",
                () => picture::look(&self.bytes).map_or("application/octet-stream", |picture| picture.mime),
            }
            .to_owned(),
            _ => named,
        }
    }

    pub(super) fn content_type(&self) -> &str {
        self.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// The encoding its head names.
    fn charset(&self) -> Option<&str> {
        let parameter = self.content_type().split(';').skip(1).find_map(|part| {
            let (name, value) = part.split_once('=')?;
            name.trim().eq_ignore_ascii_case("charset").then_some(value)
        })?;
        Some(parameter.trim().trim_matches(['"', '\'']))
    }

    /// As text, whatever it is: bytes that are none become replacement characters.
    pub(super) fn as_text(&self) -> String {
        page::text(&self.bytes, self.charset()).unwrap_or_else(|_| String::from_utf8_lossy(&self.bytes).into_owned())
    }

    /// Reads it for what it is. Takes a while.
    pub(super) fn tell(&self, wanted: Wanted, reader: &Reader) -> Result<Told> {
        if self.bytes.is_empty() {
            return Ok(Told::default());
        }
        let mime = self.mime();
        match mime.as_str() {
            "text/html" | "application/xhtml+xml" if wanted.extract => {
                let page = reader.page(&self.bytes, self.charset(), &self.url, wanted.article)?;
                let is_empty = page.markdown.trim().is_empty() && self.has_script();
                let text = if is_empty { ONLY_SCRIPT.to_owned() } else { page.markdown };
                Ok(Told { title: page.title, text, image: None })
            }
            "image/svg+xml" => Ok(Told { text: self.as_text(), ..Told::default() }),
            image if image.starts_with("image/") => self.image(),
            text if is_text(text) => Ok(Told { text: page::text(&self.bytes, self.charset())?, ..Told::default() }),
            _ => self.document(&mime, reader),
        }
    }

    fn has_script(&self) -> bool {
        self.bytes.windows(7).any(|window| window.eq_ignore_ascii_case(b"<script"))
    }

    fn image(&self) -> Result<Told> {
        let picture = picture::look(&self.bytes).ok_or_else(|| {
            Error::upstream("The address gives an image of a kind that is not read: PNG, JPEG, GIF and WebP are.")
        })?;
        if self.cut || self.bytes.len() > IMAGE_BYTES || picture.width.max(picture.height) > IMAGE_SIDE {
            return Err(Error::upstream(format!(
                "The image has {} x {} pixels and is too large: at most {IMAGE_SIDE} a side and {} MB are taken.",
                picture.width,
                picture.height,
                IMAGE_BYTES >> 20
            )));
        }
        let text = format!("(an image, {}, {} x {} pixels)", picture.mime, picture.width, picture.height);
        let image = Content::Image { mime: picture.mime.to_owned(), data: STANDARD.encode(&self.bytes) };
        Ok(Told { title: None, text, image: Some(image) })
    }

    /// A PDF, or another kind of document.
    fn document(&self, mime: &str, reader: &Reader) -> Result<Told> {
        if self.cut {
            return Err(Error::upstream(format!(
                "The address gives a {mime} of more than {} bytes, which cannot be read in part. Give a larger max_bytes.",
                self.bytes.len()
            )));
        }
        let name = self.url.path_segments().and_then(|mut segments| segments.next_back()).unwrap_or_default();
        match reader.text(&self.bytes, name) {
            Ok(found) => Ok(Told { title: found.title, text: found.text, image: None }),
            Err(_) if mime != "application/pdf" && !mime.contains("officedocument") => {
                let text = format!("({} bytes of {mime}, which is no text)", self.bytes.len());
                Ok(Told { text, ..Told::default() })
            }
            Err(error) => Err(error),
        }
    }
}

fn is_text(mime: &str) -> bool {
    mime.starts_with("text/")
        || mime.ends_with("+json")
        || mime.ends_with("+xml")
        || matches!(
            mime,
            "application/json"
                | "application/xml"
                | "application/xhtml+xml"
                | "application/javascript"
                | "application/x-ndjson"
                | "application/yaml"
                | "application/x-yaml"
                | "application/toml"
                | "application/x-www-form-urlencoded"
        )
}
