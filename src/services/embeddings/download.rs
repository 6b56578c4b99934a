//! Fetching a model of the catalogue, through the one guarded way out, where the owner allows it.

use std::io::Write;

use sha2::{Digest, Sha256};
use url::Url;

use super::offered::{self, Entry};
use satchel_app::App;
use satchel_index::embed::{
    embedder::{Change, Running, Stage},
    folder::{GRAPH, Incoming, TOKENIZER},
};
use satchel_model::{
    egress::{Origin, Part},
    error::{Error, Result},
};
use satchel_net::{guard::HostPort, http::Request};

/// No file of a model is larger.
const MOST_BYTES: u64 = 3 << 30;
/// Redirects followed: the files lie on other hosts than their names.
const REDIRECTS: u8 = 5;

/// Fetches the model into its folder, which is seen when it is whole.
pub(super) async fn fetch(app: &App, name: &str, entry: &Entry) -> Result<()> {
    let settings = app.settings.get();
    if !settings.embeddings.downloads {
        return Err(Error::denied(offered::NOT_ALLOWED));
    }
    let base: Url =
        settings.embeddings.catalogue.parse().map_err(|e| {
            Error::invalid(format!("The setting embeddings.catalogue is no address: {e}.")).caused_by(e)
        })?;
    let incoming = Incoming::begin(&offered::place(&app.config.data), &entry.folder())?;
    let mut progress = Running { to: name.to_owned(), stage: Stage::Downloading, done: 0, total: 0 };
    let files = TOKENIZER.map(|file| (file, file)).into_iter().chain([(entry.listed.model_file.as_str(), GRAPH)]);
    for (from, to) in files {
        let path = format!("{}/resolve/main/{from}", entry.listed.model_code);
        let url = base.join(&path).map_err(Error::internal)?;
        let hash = fetch_file(app, &base, url, incoming.file(to)?, &mut progress).await?;
        tracing::info!(model = name, file = from, sha256 = hash, "a file of an embedding model was fetched");
    }
    incoming.finish(&entry.description())
}

async fn fetch_file(app: &App, base: &Url, url: Url, mut file: impl Write, progress: &mut Running) -> Result<String> {
    // The administrator's own mirror may stand in a private network; what it redirects to may not.
    let http = app
        .net
        .gate
        .on_behalf(Origin::part(Part::ModelDownload, None))
        .allowing(&HostPort::from_url(base).into_iter().collect::<Vec<_>>());
    let mut request = Request::get(url.clone());
    request.max_redirects = REDIRECTS;
    let mut answer = http.send(request).await?;
    if !answer.status.is_success() {
        return Err(Error::upstream(format!("{url} answers {}: the model cannot be fetched.", answer.status)));
    }
    let length = answer.headers.get("content-length").and_then(|length| length.to_str().ok()?.parse().ok());
    progress.total += length.unwrap_or(0);
    let (mut hash, mut size) = (Sha256::new(), 0_u64);
    while let Some(chunk) = answer.chunk().await? {
        size += chunk.len() as u64;
        if size > MOST_BYTES {
            return Err(Error::upstream(format!("{url} is larger than any embedding model.")));
        }
        hash.update(&chunk);
        file.write_all(&chunk).map_err(Error::internal)?;
        progress.done += chunk.len() as u64;
        app.search.embedder.set_change(Change { running: Some(progress.clone()), failed: None });
    }
    if length.is_some_and(|length| length != size) {
        return Err(Error::upstream(format!("{url} broke off: try again.")));
    }
    Ok(hex::encode(hash.finalize()))
}
