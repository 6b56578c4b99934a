//! Skills that are taken in: as a zip, as the files of a folder, or from an address through the guard.

use std::time::Duration;

use sha2::{Digest, Sha256};
use url::Url;

use crate::reading::Reader;
use satchel_app::App;
use satchel_model::{
    egress::{Origin, Part},
    error::{Error, Result},
    skill::{MAX_BYTES, SkillRead, WholeSkill},
    user::UserId,
};
use satchel_net::http::Request;
use satchel_store::{
    people::Actor,
    skills::{NewSkill, Skills, origin_of},
};

/// Redirects followed.
const REDIRECTS: u8 = 5;
/// Longest time an address may take in all.
const LONGEST: Duration = Duration::from_secs(60);

/// The files of a skill, with the paths they were sent under.
#[derive(Debug, Default)]
pub struct Sent {
    /// The path of each.
    pub paths: Vec<String>,
    /// Its bytes.
    pub contents: Vec<Vec<u8>>,
}

impl Sent {
    /// The bytes of all of them.
    pub fn bytes(&self) -> usize {
        self.contents.iter().map(Vec::len).sum()
    }
}

/// Takes in what was sent.
///
/// # Errors
///
/// If it is no skill, or there is one of its name that is not to be replaced.
pub async fn take_sent(app: &App, by: &Actor, sent: Sent, replace: bool) -> Result<WholeSkill> {
    take(app, by, sent, ("upload".to_owned(), replace)).await
}

/// Fetches a skill: a SKILL.md, or a zip.
///
/// # Errors
///
/// As [`take_sent`], and if the address cannot be reached.
pub async fn take_from(app: &App, by: &Actor, address: &str, replace: bool) -> Result<WholeSkill> {
    let wrong = || Error::invalid("'url' is not an address: write it whole, as https://example.org/skill.zip.");
    let url = Url::parse(address.trim()).map_err(|_| wrong())?;
    let (content, url) = fetched(app, by.caller.user, url).await?;
    let last = url.path_segments().and_then(|mut parts| parts.next_back()).unwrap_or_default();
    // A lone file is the SKILL.md, whatever its address calls it.
    let path = if content.starts_with(b"PK") { last.to_owned() } else { "SKILL.md".to_owned() };
    let sent = Sent { paths: vec![path], contents: vec![content] };
    take(app, by, sent, (url.to_string(), replace)).await
}

async fn fetched(app: &App, user: UserId, url: Url) -> Result<(Vec<u8>, Url)> {
    let mut request = Request::get(url);
    request.max_redirects = REDIRECTS;
    request.limit = Some(LONGEST);
    let response = app.outbound(Origin::part(Part::Skills, Some(user)))?.send(request).await?;
    if !response.status.is_success() {
        let (host, status) = (response.url.host_str().unwrap_or_default(), response.status.as_u16());
        return Err(Error::invalid(format!(
            "'{host}' answered with status {status}: check that the address can be opened without signing in."
        )));
    }
    let url = response.url.clone();
    Ok((response.bytes(MAX_BYTES).await?.to_vec(), url))
}

async fn take(app: &App, by: &Actor, sent: Sent, (source, replace): (String, bool)) -> Result<WholeSkill> {
    let (reader, bytes) = (Reader::new(&app.host.readers), sent.bytes() as u64);
    let Sent { paths, contents } = sent;
    let read = move || reader.skill(paths, &contents);
    let (read, bytes) = app.host.work.run_on(Some(by.caller.user), bytes, read).await?;
    app.ensure_room(bytes.len() as u64)?;
    let digest = digest(&read, &bytes)?;
    let origin = origin_of(&read.head.name, &source, by);
    Skills::new(&app.db).put(by, NewSkill { read, bytes, source, digest, origin, replace }).await
}

/// The digest of all that a skill says.
fn digest(read: &SkillRead, bytes: &[u8]) -> Result<String> {
    let mut all = Sha256::new();
    all.update(serde_json::to_vec(read).map_err(Error::internal)?);
    all.update(bytes);
    Ok(hex::encode(all.finalize()))
}
