//! gRPC-Web: the same frames in the body of an ordinary HTTP answer, trailers last.

use http::{
    HeaderMap, HeaderValue, Method,
    header::{ACCEPT, CONTENT_TYPE},
};
use tokio::time::{Instant, timeout_at};
use url::Url;

use super::{
    frames,
    line::{Ask, Collected, Reply, address, ended_at_once, too_slow},
    status::Status,
};
use crate::{
    http::{Http, Request, Response},
    room::Room,
};
use satchel_model::error::Result;

const GRPC_WEB: HeaderValue = HeaderValue::from_static("application/grpc-web+proto");

/// A server that is reached by gRPC-Web.
#[derive(Debug)]
pub struct Web {
    pub(super) http: Http,
    pub(super) base: Url,
    pub(super) headers: HeaderMap,
    pub(super) room: Room,
}

impl Web {
    pub(super) async fn call(&self, ask: Ask) -> Result<Reply> {
        let deadline = Instant::now() + ask.patience;
        let url = address(&self.base, &ask)?;
        let mut request = Request::new(Method::POST, url.clone());
        request.headers.extend(self.headers.iter().map(|(name, value)| (name.clone(), value.clone())));
        request.headers.insert(CONTENT_TYPE, GRPC_WEB);
        request.headers.insert(ACCEPT, GRPC_WEB);
        request.headers.insert("grpc-accept-encoding", HeaderValue::from_static(frames::ACCEPTED));
        request.headers.insert("x-grpc-web", HeaderValue::from_static("1"));
        request.body = frames::join(&ask.messages);
        request.patience = ask.patience;
        let answer = self.http.send(request).await?;
        if let Some(status) = ended_at_once(&url, answer.status, &answer.headers)? {
            return Ok(Collected::new(&ask, &answer.headers, &self.room).done(Some(status)));
        }
        self.collect(answer, &ask, &url, deadline).await
    }

    async fn collect(&self, mut answer: Response, ask: &Ask, url: &Url, mut end: Instant) -> Result<Reply> {
        let mut collected = Collected::new(ask, &answer.headers, &self.room);
        loop {
            let Ok(piece) = timeout_at(end, answer.chunk()).await else {
                return if collected.has_begun() { Ok(collected.cut()) } else { Err(too_slow(url, ask.patience)) };
            };
            let piece = match piece {
                Ok(Some(piece)) => piece,
                Ok(None) => return Ok(collected.done(None)),
                Err(_) if collected.has_begun() => return Ok(collected.broken()),
                Err(error) => return Err(error),
            };
            let begun = Instant::now();
            if let (trailers, false) = collected.take(&piece).await? {
                return Ok(collected.done(trailers.as_ref().and_then(Status::from_headers)));
            }
            end += begun.elapsed();
        }
    }
}
