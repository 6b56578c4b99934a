//! An answer being read: in pieces, each waited for with a limit, and never more than the reader asked for.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use reqwest::{
    StatusCode,
    header::{self, HeaderMap},
};
use tokio::time::Instant;
use url::Url;

use super::{
    http::{failure, too_long, too_slow},
    meter::Meter,
    room::{Growth, Room},
    unpack::Unpacker,
};
use satchel_model::{
    error::{Error, Result},
    figure,
    json::holds_more_values,
};

/// Most values of an answer in JSON: parsed, each takes many times its bytes.
const MAX_VALUES: usize = 100_000;

/// The head of an answer, and its body to come. Dropping it closes the connection.
#[derive(Debug)]
pub struct Response {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The address it came from, after redirects.
    pub url: Url,
    body: reqwest::Response,
    /// The decoder, where it is packed otherwise than was asked for, and what is not unpacked yet.
    unpacker: Option<Unpacker>,
    packed: Bytes,
    patience: Duration,
    /// The time at which it is to have ended, and after how long that is.
    end: Option<(Instant, Duration)>,
    meter: Meter,
}

impl Response {
    pub(super) fn new(mut body: reqwest::Response, url: Url, patience: Duration, meter: Meter) -> Self {
        let mut headers = std::mem::take(body.headers_mut());
        let unpacker = Unpacker::from_headers(&mut headers);
        let status = body.status();
        Self { status, headers, url, body, unpacker, packed: Bytes::new(), patience, end: None, meter }
    }

    /// It is to end so long after `began`, however steadily it comes.
    pub(super) fn end_within(&mut self, began: Instant, limit: Duration) {
        self.end = began.checked_add(limit).map(|end| (end, limit));
    }

    /// The address it redirects to, if it does: an error where that is none.
    pub fn redirect(&self) -> Option<Result<Url>> {
        let redirects = matches!(self.status.as_u16(), 301 | 302 | 303 | 307 | 308);
        let location = self.headers.get(header::LOCATION).filter(|_| redirects)?;
        let target = location.to_str().ok().and_then(|text| self.url.join(text).ok());
        Some(target.ok_or_else(|| Error::upstream("The address redirects to something that is not an address.")))
    }

    /// From now on, how long to wait for a piece.
    pub fn wait_at_most(&mut self, patience: Duration) {
        self.patience = patience;
    }

    /// The next piece, none at the end. A body that stalls is an error.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>> {
        loop {
            let Some(unpacker) = &mut self.unpacker else { return self.received().await };
            if !self.packed.is_empty() {
                let piece = unpacker.unpack(&mut self.packed)?;
                if !piece.is_empty() {
                    return Ok(Some(piece));
                }
                continue;
            }
            match self.received().await? {
                Some(packed) => self.packed = packed,
                None => {
                    let rest = self.unpacker.take().map(|mut unpacker| unpacker.rest()).transpose()?;
                    return Ok(rest.filter(|rest| !rest.is_empty()));
                }
            }
        }
    }

    /// The next piece as it came.
    async fn received(&mut self) -> Result<Option<Bytes>> {
        let left = self.end.map(|(end, _)| end.saturating_duration_since(Instant::now()));
        let patience = left.map_or(self.patience, |left| left.min(self.patience));
        match tokio::time::timeout(patience, self.body.chunk()).await {
            Ok(Ok(piece)) => {
                self.meter.received(piece.as_ref().map_or(0, Bytes::len));
                Ok(piece)
            }
            Ok(Err(error)) => Err(self.meter.failed(failure(&self.url, error))),
            Err(_) => {
                let late = match self.end {
                    Some((end, limit)) if Instant::now() >= end => too_long(&self.url, limit),
                    _ => too_slow(&self.url, self.patience),
                };
                Err(self.meter.failed(late))
            }
        }
    }

    /// The first `cap` bytes, and whether there was more. Reading stops there, whatever the length header says.
    pub async fn first_bytes(mut self, cap: usize) -> Result<(Bytes, bool)> {
        let mut read = BytesMut::new();
        while let Some(chunk) = self.chunk().await? {
            let room = cap.saturating_sub(read.len());
            if chunk.len() > room {
                read.extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
                return Ok((read.freeze(), true));
            }
            read.extend_from_slice(&chunk);
        }
        Ok((read.freeze(), false))
    }

    /// The whole body; more than `cap` bytes is an error.
    pub async fn bytes(self, cap: usize) -> Result<Bytes> {
        match self.first_bytes(cap).await? {
            (bytes, false) => Ok(bytes),
            (_, true) => Err(Error::upstream(format!("The answer is longer than {}.", figure::bytes(cap as u64)))),
        }
    }

    /// The first `most` bytes of the body, and whether there was more. Room is taken as it grows.
    pub async fn receive(mut self, room: &Room, most: usize) -> Result<(Bytes, bool)> {
        let (mut received, mut growth) = (BytesMut::new(), Growth::new(room, most));
        while let Some(piece) = self.chunk().await? {
            let left = most.saturating_sub(received.len());
            growth.reach(received.len() + piece.len().min(left)).await?;
            if piece.len() > left {
                received.extend_from_slice(piece.get(..left).unwrap_or_default());
                return Ok((received.freeze(), true));
            }
            received.extend_from_slice(&piece);
        }
        Ok((received.freeze(), false))
    }

    /// The whole body; more than `most` bytes is an error. Room is taken as it grows.
    pub async fn receive_whole(self, room: &Room, most: usize) -> Result<Bytes> {
        match self.receive(room, most).await? {
            (bytes, false) => Ok(bytes),
            (_, true) => Err(Error::upstream(format!("The answer is longer than {}.", figure::bytes(most as u64)))),
        }
    }

    /// The whole body as JSON.
    ///
    /// # Errors
    ///
    /// A body of more than `cap` bytes, one that is not JSON, and one of more values than are read.
    pub async fn json(self, cap: usize) -> Result<serde_json::Value> {
        let bytes = self.bytes(cap).await?;
        let text =
            str::from_utf8(&bytes).map_err(|error| Error::upstream("The answer is not UTF-8.").caused_by(error))?;
        if holds_more_values(text, MAX_VALUES) {
            return Err(Error::upstream(format!("The answer holds more than {MAX_VALUES} values.")));
        }
        serde_json::from_str(text).map_err(|error| Error::upstream("The answer is not JSON.").caused_by(error))
    }
}
