//! Answers as a dialect writes them: piece by piece for whoever reads a stream, whole for whoever does not.

use actix_web::{HttpRequest, HttpResponse, web::Data};
use bytes::Bytes;
use futures_util::{Stream, stream};
use serde::Serialize;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{
    dialect::{Dialect, status_of},
    follow::Followed,
    pieces::{End, Failure, Piece},
};
use crate::http::{error::HttpResult, sse, state::State};
use satchel_model::error::{Error, Kind, Result};

/// Writes an answer in a dialect.
pub(super) trait Writer: Send + 'static {
    /// The beginning of a stream.
    fn open(&mut self) -> String;

    /// The text that a stream has of a piece. The whole answer has it from then on.
    fn write(&mut self, piece: Piece) -> String;

    /// The end of a stream.
    fn close(&mut self, end: &End) -> String;

    /// The whole answer, after its end.
    fn whole(&mut self) -> Value;

    /// The text of the whole answer, if there is nothing else in it.
    fn said(&self) -> Option<String> {
        None
    }
}

/// An event of a stream without a name.
pub(super) fn data(value: &impl Serialize) -> String {
    format!("data: {}\n\n", serde_json::to_string(value).unwrap_or_else(|_| "{}".to_owned()))
}

/// An event of a stream with a name.
pub(super) fn event(name: &str, value: &impl Serialize) -> String {
    format!("event: {name}\n{}", data(value))
}

/// Answers with what comes of a request, as it comes. A client that goes away stops it.
///
/// # Errors
///
/// If the caller has too many streams open.
fn streamed(
    request: &HttpRequest,
    state: Data<State>,
    (answer, writer): (Followed, impl Writer),
) -> HttpResult<HttpResponse> {
    sse::posted(request, frames(state, answer, writer))
}

/// Answers in a stream, or else with the whole once it is there, unless its client has gone by then.
///
/// # Errors
///
/// As [`streamed`] and [`whole`] have them.
pub(super) async fn answer(
    request: &HttpRequest,
    state: Data<State>,
    (answer, writer): (Followed, impl Writer),
    streams: std::result::Result<(), &CancellationToken>,
) -> HttpResult<HttpResponse> {
    match streams {
        Ok(()) => streamed(request, state, (answer, writer)),
        Err(gone) => Ok(whole(answer, writer, gone).await?),
    }
}

fn frames(
    state: Data<State>,
    answer: Followed,
    mut writer: impl Writer,
) -> impl Stream<Item = Result<Bytes>> + 'static {
    let first = writer.open();
    stream::try_unfold((state, answer, writer, Some(first)), |(state, mut answer, mut writer, first)| async move {
        if let Some(first) = first.filter(|first| !first.is_empty()) {
            answer.keep(&first, false).await;
            return Ok(Some((Bytes::from(first), (state, answer, writer, None))));
        }
        loop {
            let next = tokio::select! {
                biased;
                next = tokio::time::timeout(sse::ALIVE_EVERY, answer.pieces.next()) => next,
                () = state.app.lifecycle.shutdown.cancelled() => return Ok(None),
            };
            let written = match next {
                Err(_) => sse::beat(),
                Ok(None) => return Ok::<_, Error>(None),
                Ok(Some(pieces)) => Bytes::from(write(&mut answer, &mut writer, pieces).await),
            };
            if !written.is_empty() {
                return Ok(Some((written, (state, answer, writer, None))));
            }
        }
    })
}

async fn write(answer: &mut Followed, writer: &mut impl Writer, pieces: Vec<Piece>) -> String {
    let (mut text, mut is_over) = (String::new(), false);
    for piece in pieces {
        match piece {
            Piece::End(end) => {
                answer.is_over();
                if matches!(end, End::Failed(_)) {
                    // It can be asked again.
                    answer.named = None;
                }
                is_over = true;
                text.push_str(&writer.close(&end));
                answer.mark(writer.said()).await;
            }
            piece => text.push_str(&writer.write(piece)),
        }
    }
    answer.keep(&text, is_over).await;
    text
}

/// Answers with the whole of what comes of a request, once it is there. A client that goes away before stops it.
///
/// # Errors
///
/// If it failed.
async fn whole(answer: Followed, writer: impl Writer, gone: &CancellationToken) -> Result<HttpResponse> {
    let text = tokio::select! {
        text = collected(answer, writer) => text?,
        () = gone.cancelled() => return Err(Error::new(Kind::Cancelled, "The client went away.")),
    };
    Ok(HttpResponse::Ok().content_type("application/json").body(text))
}

async fn collected(mut answer: Followed, mut writer: impl Writer) -> Result<String> {
    writer.open();
    let mut passed = None;
    while let Some(pieces) = answer.pieces.next().await {
        for piece in pieces {
            match piece {
                Piece::Raw(text) => passed = Some(text),
                Piece::End(End::Failed(failure)) => {
                    answer.is_over();
                    let Failure(error) = *failure;
                    return Err(error);
                }
                Piece::End(end) => {
                    answer.is_over();
                    writer.close(&end);
                    answer.mark(writer.said()).await;
                    let text = passed.unwrap_or_else(|| writer.whole().to_string());
                    answer.keep(&text, true).await;
                    return Ok(text);
                }
                piece => drop(writer.write(piece)),
            }
        }
    }
    Err(Error::internal("an answer ended without its end"))
}

/// Writes what a provider sent as it came, in the dialect of whoever reads it.
pub(super) struct Passing(pub(super) Dialect);

impl Writer for Passing {
    fn open(&mut self) -> String {
        String::new()
    }

    fn write(&mut self, piece: Piece) -> String {
        if let Piece::Raw(frame) = piece { frame } else { String::new() }
    }

    fn close(&mut self, end: &End) -> String {
        match (end, self.0) {
            (End::Failed(failure), dialect) => failed(dialect, failure),
            (_, Dialect::Openai) => "data: [DONE]\n\n".to_owned(),
            (_, Dialect::Anthropic) => String::new(),
        }
    }

    fn whole(&mut self) -> Value {
        Value::Null
    }
}

/// A failure in the middle of a stream.
pub(super) fn failed(dialect: Dialect, Failure(error): &Failure) -> String {
    let told = dialect.told(error, status_of(error), None);
    match dialect {
        Dialect::Openai => data(&told),
        Dialect::Anthropic => event("error", &told),
    }
}
