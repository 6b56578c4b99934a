//! Brings a document's file into the storage: from an address, through the guard, or from a folder of this machine.

use std::path::Path;

use encoding_rs::{Encoding, UTF_8};
use http::header::{ACCEPT, CONTENT_TYPE, HeaderValue};
use tokio::io::AsyncReadExt;
use url::Url;

use satchel_app::App;
use satchel_formats::media;
use satchel_host::folder;
use satchel_model::{
    egress::{Origin, Part},
    error::{Error, Result},
    knowledge::SourceKind,
};
use satchel_net::http::{Request, Response};
use satchel_store::{documents::Content, files::Incoming, ingest::Job};

/// Redirects followed.
const REDIRECTS: u8 = 5;
/// Bytes copied at a time.
const PIECE: usize = 64 << 10;
const ACCEPTED: HeaderValue = HeaderValue::from_static(
    "text/html,application/xhtml+xml,application/pdf,text/markdown,text/plain;q=0.9,*/*;q=0.5",
);

/// The file of a document, fetched, kept and written into its row.
pub(super) async fn fetch(app: &App, job: &Job) -> Result<Content> {
    let uri = job.uri.as_deref().unwrap_or_default();
    match job.source {
        SourceKind::Url => from_address(app, job, uri).await,
        SourceKind::Folder => from_folder(app, job, uri).await,
        SourceKind::Upload | SourceKind::Text => {
            Err(Error::not_found("The document's file is gone from the storage. Send it again."))
        }
    }
}

fn limit(app: &App) -> u64 {
    u64::from(app.settings.get().knowledge.max_file_mb) << 20
}

async fn from_folder(app: &App, job: &Job, path: &str) -> Result<Content> {
    let path = Path::new(path);
    let mut file = folder::open(path)?;
    let mut incoming = app.stores.knowledge.files.receive(limit(app)).await?;
    let mut piece = vec![0; PIECE];
    loop {
        let count = file.read(&mut piece).await.map_err(|error| {
            Error::invalid(format!("'{}' cannot be read: {error}.", path.display())).caused_by(error)
        })?;
        if count == 0 {
            break;
        }
        app.ensure_room(count as u64)?;
        incoming.write(piece.get(..count).unwrap_or_default()).await?;
    }
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mime = media::of_name(&name).to_owned();
    keep(app, job, incoming, name, mime).await
}

async fn from_address(app: &App, job: &Job, address: &str) -> Result<Content> {
    let url = Url::parse(address).map_err(|_| Error::invalid(format!("'{address}' is not an address.")))?;
    let mut request = Request::get(url);
    request.max_redirects = REDIRECTS;
    request.headers.insert(ACCEPT, ACCEPTED);
    let response = app.outbound(Origin::part(Part::Ingest, job.by))?.send(request).await?;
    require_content(&response)?;
    let header = response.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mime = header.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let name = name_of(&response.url, &mime);
    let mime = if mime.is_empty() { media::of_name(&name).to_owned() } else { mime };
    let charset = charset(header).filter(|_| mime.starts_with("text/") || mime == "application/xhtml+xml");
    let incoming = receive(app, response, charset).await?;
    keep(app, job, incoming, name, mime).await
}

/// Reads the body into the storage. What the head says it is encoded in counts more than what the page says, so it is
/// kept as UTF-8 with the mark that counts most of all.
async fn receive(app: &App, mut response: Response, charset: Option<&'static Encoding>) -> Result<Incoming> {
    let mut incoming = app.stores.knowledge.files.receive(limit(app)).await?;
    let Some(charset) = charset.filter(|charset| *charset != UTF_8) else {
        while let Some(piece) = response.chunk().await? {
            app.ensure_room(piece.len() as u64)?;
            incoming.write(&piece).await?;
        }
        return Ok(incoming);
    };
    let mut decoder = charset.new_decoder_with_bom_removal();
    incoming.write("\u{feff}".as_bytes()).await?;
    loop {
        let piece = response.chunk().await?;
        let (bytes, last) = (piece.as_deref().unwrap_or_default(), piece.is_none());
        app.ensure_room(bytes.len() as u64)?;
        let room = decoder.max_utf8_buffer_length(bytes.len()).unwrap_or(bytes.len() * 3 + 16);
        let mut text = String::with_capacity(room);
        let _ = decoder.decode_to_string(bytes, &mut text, last);
        incoming.write(text.as_bytes()).await?;
        if last {
            return Ok(incoming);
        }
    }
}

async fn keep(app: &App, job: &Job, incoming: Incoming, name: String, mime: String) -> Result<Content> {
    let stored = incoming.finish().await?;
    let content = Content { name, mime, bytes: stored.bytes, hash: stored.hash.clone() };
    if let Some(user) = job.by
        && let Err(error) = app.ensure_document_room(user, content.bytes).await
    {
        drop(stored);
        app.stores.knowledge.forget_files([content.hash]).await?;
        return Err(error);
    }
    app.stores.knowledge.ingest.fetched(job, content.clone()).await?;
    Ok(content)
}

/// A page that says it is not there is no document; one that may be there later is tried again.
fn require_content(response: &Response) -> Result<()> {
    let status = response.status.as_u16();
    let host = response.url.host_str().unwrap_or_default();
    match status {
        200..=299 => Ok(()),
        408 | 429 | 500..=599 => Err(Error::upstream(format!("'{host}' answered with status {status}."))),
        _ => Err(Error::invalid(format!(
            "'{host}' answered with status {status}: check that the address can be opened without signing in."
        ))),
    }
}

fn charset(header: &str) -> Option<&'static Encoding> {
    let parameter = header.split(';').skip(1).find_map(|part| part.trim().strip_prefix("charset="))?;
    Encoding::for_label(parameter.trim_matches('"').trim().as_bytes())
}

/// A file name whose ending tells the kind: the media type's where the path has none that does.
fn name_of(url: &Url, mime: &str) -> String {
    let last = url.path_segments().and_then(|mut segments| segments.next_back()).unwrap_or_default();
    let last: String = last.chars().filter(|c| c.is_ascii_alphanumeric() || "._-".contains(*c)).take(100).collect();
    match media::ending(mime) {
        Some(ending) if media::of_name(&last) != mime => {
            format!("{}.{ending}", if last.is_empty() { "index" } else { &last })
        }
        _ if last.is_empty() => "index.html".to_owned(),
        _ => last,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_ends_as_its_content_is() {
        let name = |url: &str, mime: &str| name_of(&Url::parse(url).unwrap(), mime);
        assert_eq!(name("https://a.example/", "text/html"), "index.html");
        assert_eq!(name("https://a.example/guide?x=1", "text/html"), "guide.html");
        assert_eq!(name("https://a.example/a/b.pdf", "application/pdf"), "b.pdf");
        assert_eq!(name("https://a.example/page.php", "text/html"), "page.php.html");
        assert_eq!(name("https://a.example/x.rs", "application/x-rust"), "x.rs");
        assert_eq!(name("https://a.example/..%2f..%2fetc", ""), "..2f..2fetc");
    }

    #[test]
    fn the_charset_is_read_from_the_head() {
        assert_eq!(charset("text/html; charset=\"ISO-8859-1\"").map(Encoding::name), Some("windows-1252"));
        assert_eq!(charset("text/html; boundary=x;charset=utf-8"), Some(UTF_8));
        assert_eq!(charset("text/html"), None);
    }
}
