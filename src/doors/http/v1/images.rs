//! Pictures that come with a message: as they are, or from an address.

use std::time::Duration;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::json;
use url::Url;

use crate::http::state::State;
use satchel_model::{
    caller::Caller,
    egress::{Origin as By, Part},
    error::{Error, Result},
    id::shorten,
    llm::Image,
    origin::Origin,
};
use satchel_net::http::Request;

/// Largest picture that is fetched.
const LARGEST: usize = 5 << 20;
/// Most pictures of a request that are fetched.
const MOST: usize = 20;
/// The longest that one may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// The place pictures are taken from that are not in their address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum From {
    /// Their hosts.
    Anywhere,
    /// None: only those in the request are taken.
    Request,
    /// None: they stand empty.
    Nowhere,
}

/// The pictures of one request.
pub(super) struct Images<'a> {
    state: &'a State,
    caller: &'a Caller,
    from: From,
    fetched: usize,
    /// The origin of the first that was fetched.
    pub(super) origin: Option<Origin>,
}

impl<'a> Images<'a> {
    pub(super) fn new(state: &'a State, caller: &'a Caller) -> Self {
        Self { state, caller, from: From::Anywhere, fetched: 0, origin: None }
    }

    /// Those of a request that is passed on as it came: who answers it fetches them.
    pub(super) fn passed(state: &'a State, caller: &'a Caller) -> Self {
        Self { from: From::Request, ..Self::new(state, caller) }
    }

    /// Those of a request that is only counted: none of them is needed.
    pub(super) fn counted(state: &'a State, caller: &'a Caller) -> Self {
        Self { from: From::Nowhere, ..Self::new(state, caller) }
    }

    /// The picture of an address, which may be a `data:` one.
    ///
    /// # Errors
    ///
    /// If it is none, or cannot be fetched.
    pub(super) async fn at(&mut self, address: &str, field: &str) -> Result<Image> {
        match (address.strip_prefix("data:"), self.from) {
            (Some(data), _) => inline(data, field),
            (None, From::Anywhere) => self.fetch(address, field).await,
            (None, From::Request) => Err(wrong(field, "the picture is not in the request")),
            (None, From::Nowhere) => Ok(Image { mime: String::new(), data: String::new().into() }),
        }
    }

    async fn fetch(&mut self, address: &str, field: &str) -> Result<Image> {
        self.caller.ensure_may_ask_models()?;
        let url = Url::parse(address).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let url = url.ok_or_else(|| wrong(field, "write a data: address with base64, or one of http or https"))?;
        self.fetched += 1;
        if self.fetched > MOST {
            return Err(wrong(field, &format!("at most {MOST} pictures of a request are fetched")));
        }
        let http = self.state.app.net.gate.on_behalf(By::part(Part::Pictures, Some(self.caller.user)));
        let request = Request { max_redirects: 3, limit: Some(PATIENCE), ..Request::get(url) };
        let response = http.send(request).await?;
        let kind = response.headers.get("content-type").and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let mime = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        if !response.status.is_success() || !mime.starts_with("image/") {
            let status = response.status.as_u16();
            return Err(wrong(
                field,
                &format!("there is no picture at '{}': status {status}, {mime}", shorten(address)),
            ));
        }
        let host = response.url.host_str().unwrap_or_default().to_owned();
        let bytes = response.bytes(LARGEST).await?;
        self.origin.get_or_insert_with(|| Origin::new(host, self.state.app.clock.now()));
        Ok(Image { mime, data: STANDARD.encode(&bytes).into() })
    }
}

/// A picture that is in its address.
fn inline(data: &str, field: &str) -> Result<Image> {
    let (head, data) = data.split_once(',').ok_or_else(|| wrong(field, "the data: address has no data"))?;
    let mime = head.strip_suffix(";base64").ok_or_else(|| wrong(field, "the data: address is not in base64"))?;
    picture(mime, data, field)
}

/// A picture in base64.
///
/// # Errors
///
/// If it is none.
pub(super) fn picture(mime: &str, data: &str, field: &str) -> Result<Image> {
    if STANDARD.decode(data).is_err() {
        return Err(wrong(field, "it is not base64"));
    }
    Ok(Image { mime: mime.to_ascii_lowercase(), data: data.into() })
}

/// The error of a field.
pub(super) fn wrong(field: &str, what: &str) -> Error {
    Error::invalid(format!("`{field}`: {what}.")).with_details(json!({"field": field}))
}
