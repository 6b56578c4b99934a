//! Answers on their way to clients. Bytes in memory for them are shared out by person, large ones are written beside the
//! async threads, and who takes nothing is let go.

mod sink;

use std::{
    convert::Infallible,
    net::TcpListener,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use actix_web::{
    HttpResponse,
    body::{BodySize, MessageBody},
};
use bytes::Bytes;
use futures_util::Stream;
use rustix::net::sockopt::set_tcp_user_timeout;
use serde::Serialize;
use serde_json::Value;

pub(super) use self::sink::{Sink, Writable};
use self::sink::{WriteOnce, whole, write_made};
use satchel_engine::cut::{self, Recipient};
use satchel_host::aside;
use satchel_model::{
    call::{CallId, Done},
    error::{Error, Kind, Result},
    json::weighs_more,
    output::Output,
    user::UserId,
};
use satchel_services::answer::InvokeAnswer;
use satchel_share::{Part, Share, behalf};
use satchel_store::tickets::Verdict;

/// Bytes of answers in memory, in all and of one person.
const IN_FLIGHT: (usize, usize) = (128 << 20, 32 << 20);
/// Bytes of large bodies on their way in, in all and of one person.
const ARRIVING: (usize, usize) = (64 << 20, 16 << 20);
/// Answers that are made at once, in all and of one person: what a large one is made of is in memory as well.
const MADE: (usize, usize) = (3, 2);
/// Streams of events that are open, in all and of one person: each holds a connection.
const STREAMS: (usize, usize) = (4_096, 512);
/// A value of fewer bytes is written where it is.
pub(super) const SMALL: usize = 256 << 10;
/// Bytes the connection is given at a time: it copies them.
const PIECE: usize = 64 << 10;
/// Time a client may take nothing of its answer; then its connection ends.
const PATIENCE: Duration = Duration::from_secs(30);

/// Ends connections of a listener that take nothing for [`PATIENCE`]: those it accepts inherit it. An idle connection, for
/// which nothing waits, is left alone (RFC 5482; Linux counts the time of a closed window as well).
pub(super) fn end_silent(listener: &TcpListener) -> Result<()> {
    let millis = u32::try_from(PATIENCE.as_millis()).map_err(Error::internal)?;
    set_tcp_user_timeout(listener, millis).map_err(Error::internal)
}

/// Shares of the bytes of answers and of turns at making them.
pub(super) struct Delivery {
    bytes: Share,
    bodies: Share,
    makers: Share,
    streams: Share,
}

impl Delivery {
    pub(super) fn new() -> Self {
        let share = |(all, each)| Share::new(all, each);
        Self { bytes: share(IN_FLIGHT), bodies: share(ARRIVING), makers: share(MADE), streams: share(STREAMS) }
    }

    /// Room for so many bytes of a person's answers, when there is some for them.
    pub(super) async fn room(&self, user: UserId, bytes: usize) -> Part {
        self.bytes.take(Some(user), bytes).await
    }

    /// Room for so many bytes of a person's bodies on their way in.
    pub(super) async fn body_room(&self, user: UserId, bytes: usize) -> Part {
        self.bodies.take(Some(user), bytes).await
    }

    /// The place of a stream of events of this person, until it ends.
    ///
    /// # Errors
    ///
    /// [`Kind::Exhausted`] where they have as many open as one may.
    pub(super) fn stream(&self, user: Option<UserId>) -> Result<Part> {
        let message = "Too many streams of events are open at once: close some of them, then try again.";
        self.streams.try_take(user, 1).ok_or_else(|| Error::new(Kind::Exhausted, message))
    }

    /// A turn at making or reading something large of a person; `None` is nobody who is known.
    pub(super) async fn turn(&self, who: Option<UserId>) -> Part {
        self.makers.take(who, 1).await
    }

    /// A large value of about so many bytes as JSON, made and written beside the async threads.
    pub(super) async fn json<T, F>(&self, user: UserId, bytes: usize, make: F) -> Result<HttpResponse>
    where
        T: Serialize,
        F: FnOnce() -> T + Send + 'static,
    {
        self.written(user, bytes, write_made(make)).await
    }

    async fn written(&self, user: UserId, bytes: usize, write: WriteOnce) -> Result<HttpResponse> {
        // Room first: whoever has a turn waits for nothing.
        let room = self.room(user, bytes).await;
        let turn = self.turn(Some(user)).await;
        answer(room, turn, write).await
    }

    /// A value of about so many bytes as JSON. Of large ones no more are loaded at once than are made.
    pub(super) async fn load<T>(
        &self,
        user: UserId,
        bytes: usize,
        value: impl Future<Output = Result<T>>,
    ) -> Result<HttpResponse>
    where
        T: Serialize + Send + 'static,
    {
        if bytes <= SMALL {
            return Ok(HttpResponse::Ok().json(value.await?));
        }
        let room = self.room(user, bytes).await;
        let turn = self.turn(Some(user)).await;
        let value = value.await?;
        answer(room, turn, write_made(move || value)).await
    }

    /// A large value as JSON, in pieces. It is measured first: there is room for it before it is written.
    pub(super) async fn unmeasured(&self, user: Option<UserId>, value: Box<dyn Writable>) -> Result<Pieces> {
        let turn = self.turn(user).await;
        let measured = aside::run(move || {
            let bytes = value.measure();
            drop(turn);
            bytes.map(|bytes| (bytes, value))
        });
        let (bytes, value) = measured.await?.ok_or_else(unmade)??;
        let room = self.bytes.take(user, bytes).await;
        let turn = self.turn(user).await;
        pieces(room, turn, Box::new(move |sink| value.write(sink))).await
    }

    /// A page of an answer that is sent page by page: loaded in a person's turn, and written beside the async threads.
    pub(super) async fn page<T, W, F>(&self, user: UserId, page: impl Future<Output = Result<T>>, write: F) -> Result<W>
    where
        T: Send + 'static,
        W: Send + 'static,
        F: FnOnce(T) -> Result<W> + Send + 'static,
    {
        let turn = self.turn(Some(user)).await;
        // A body is asked for its next page outside the task that has answered.
        let page = behalf::run_as(Some(user), page).await?;
        let written = aside::run(move || {
            let written = write(page);
            drop(turn);
            written
        });
        written.await?.ok_or_else(|| Error::internal("a page could not be made"))?
    }

    /// Such a page of about so many bytes, in room of the person's that it takes until it is sent. `write` returns it as
    /// text, and what the next one follows.
    pub(super) async fn page_in_room<T, N, F>(
        &self,
        user: UserId,
        bytes: usize,
        page: impl Future<Output = Result<T>>,
        write: F,
    ) -> Result<(Pieces, N)>
    where
        T: Send + 'static,
        N: Send + 'static,
        F: FnOnce(T) -> Result<(Vec<u8>, N)> + Send + 'static,
    {
        let mut room = self.room(user, bytes).await;
        let (text, next) = self.page(user, page, write).await?;
        room.keep(text.len());
        Ok((Pieces { rest: text.into(), _room: room }, next))
    }

    /// The same call, with as much of its result as an answer holds.
    pub(super) async fn fit(&self, to: Recipient<'_>, mut done: Done) -> Result<Done> {
        if !cut::is_small(&done.output) {
            (done.output, done.handle) = self.fitted(to, done.output, done.handle).await?;
        }
        Ok(done)
    }

    /// A large value of about so many bytes as JSON text, made and written beside the async threads.
    pub(super) async fn written_out<T, F>(&self, user: UserId, bytes: usize, make: F) -> Result<Pieces>
    where
        T: Serialize,
        F: FnOnce() -> T + Send + 'static,
    {
        let room = self.room(user, bytes).await;
        let turn = self.turn(Some(user)).await;
        pieces(room, turn, write_made(make)).await
    }

    /// The answer to a call that worked: its whole result, or as much of it as an answer holds.
    pub(super) async fn done(&self, to: Recipient<'_>, done: Done) -> Result<HttpResponse> {
        let user = to.user;
        let done = self.fit(to, done).await?;
        if cut::is_small(&done.output) {
            return Ok(HttpResponse::Ok().json(InvokeAnswer::done(&done)));
        }
        self.json(user, cut::LARGEST, move || InvokeAnswer::done(&done)).await
    }

    /// The answer to a call that ran and failed.
    pub(super) async fn failed(&self, user: UserId, call: CallId, error: Error) -> Result<HttpResponse> {
        if !error.details().is_some_and(is_large) {
            return Ok(HttpResponse::Ok().json(InvokeAnswer::failed(call, &error)));
        }
        self.json(user, cut::LARGEST, move || InvokeAnswer::failed(call, &error)).await
    }

    /// The verdict on a ticket, with no more of a result than an answer holds.
    pub(super) async fn verdict(&self, to: Recipient<'_>, verdict: Verdict) -> Result<Verdict> {
        match verdict {
            Verdict::Ran { output, duration_ms, approved, handle } if !cut::is_small(&output) => {
                let (output, handle) = self.fitted(to, output, handle).await?;
                Ok(Verdict::Ran { output, duration_ms, approved, handle })
            }
            other => Ok(other),
        }
    }

    async fn fitted(
        &self,
        to: Recipient<'_>,
        output: Output,
        handle: Option<String>,
    ) -> Result<(Output, Option<String>)> {
        let (turn, now) = (self.turn(Some(to.user)).await, to.app.clock.now());
        let fitted = aside::run(move || {
            let _turn = turn;
            if cut::fits(&output) { Ok(output) } else { Err(Box::new(cut::shorten(output, now))) }
        });
        match fitted.await?.ok_or_else(|| Error::internal("a result could not be measured"))? {
            Ok(output) => Ok((output, handle)),
            // Without a turn: writing it down waits for the database.
            Err(excerpt) => Ok(excerpt.keep(to, handle).await),
        }
    }
}

/// Returns whether an answer with this verdict is written in no time.
pub(super) fn is_small(verdict: &Verdict) -> bool {
    match verdict {
        Verdict::Ran { output, .. } => cut::is_small(output),
        Verdict::Failed { details, .. } => !details.as_ref().is_some_and(is_large),
        Verdict::Refused { .. } | Verdict::Changed { .. } => true,
    }
}

fn is_large(details: &Value) -> bool {
    weighs_more(details, cut::SMALL)
}

/// Writes a value as JSON beside the async threads, and answers it.
async fn answer(room: Part, turn: Part, write: WriteOnce) -> Result<HttpResponse> {
    let pieces = pieces(room, turn, write).await?;
    Ok(HttpResponse::Ok().content_type("application/json").body(pieces))
}

async fn pieces(mut room: Part, turn: Part, write: WriteOnce) -> Result<Pieces> {
    let written = aside::run(move || {
        let written = whole(write);
        drop(turn);
        written
    });
    let rest = Bytes::from(written.await?.ok_or_else(unmade)??);
    room.keep(rest.len());
    Ok(Pieces { rest, _room: room })
}

fn unmade() -> Error {
    Error::internal("an answer could not be made")
}

/// A body in memory, given to the connection piece by piece, with the room it takes.
pub(super) struct Pieces {
    rest: Bytes,
    _room: Part,
}

impl Pieces {
    fn next(&mut self) -> Option<Bytes> {
        let length = self.rest.len().min(PIECE);
        (length > 0).then(|| self.rest.split_to(length))
    }
}

impl Stream for Pieces {
    type Item = Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Bytes>>> {
        Poll::Ready(self.next().map(Ok))
    }
}

impl MessageBody for Pieces {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        BodySize::Sized(self.rest.len() as u64)
    }

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Bytes, Infallible>>> {
        Poll::Ready(self.next().map(Ok))
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::HashSet, net::TcpStream, sync::Arc, thread};

    use futures_util::StreamExt;
    use parking_lot::Mutex;
    use rustix::net::sockopt::tcp_user_timeout;
    use serde::Serializer;

    use super::*;

    #[test]
    fn a_connection_that_is_accepted_ends_when_it_takes_nothing() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        end_silent(&listener).unwrap();
        let _client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (accepted, _) = listener.accept().unwrap();
        assert_eq!(u128::from(tcp_user_timeout(&accepted).unwrap()), PATIENCE.as_millis());
    }

    /// An entry that tells which thread writes it.
    struct Entry(Arc<Mutex<HashSet<String>>>);

    impl Serialize for Entry {
        fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
            self.0.lock().insert(thread::current().name().unwrap_or_default().to_owned());
            serializer.serialize_str("an entry")
        }
    }

    #[tokio::test]
    async fn a_large_list_is_measured_and_written_beside_the_thread_that_answers() {
        let (delivery, threads) = (Delivery::new(), Arc::<Mutex<HashSet<String>>>::default());
        let list: Vec<_> = (0..40_000).map(|_| Entry(Arc::clone(&threads))).collect();
        let pieces = delivery.unmeasured(None, Box::new(list)).await.unwrap();
        let bytes = pieces.rest.len();
        assert!(bytes > SMALL && delivery.bytes.left(None) == IN_FLIGHT.1 - bytes, "{bytes}");
        assert_eq!(*threads.lock(), HashSet::from(["aside".to_owned()]));
        let whole: Vec<Bytes> = pieces.map(Result::unwrap).collect().await;
        let whole: Vec<String> = serde_json::from_slice(&whole.concat()).unwrap();
        assert_eq!((whole.len(), delivery.bytes.left(None)), (40_000, IN_FLIGHT.1));
    }

    #[test]
    fn a_body_is_given_piece_by_piece_and_its_room_with_the_last_of_it() {
        let share = Share::new(3 * PIECE, 3 * PIECE);
        let room = share.try_take(None, 2 * PIECE + 1).unwrap();
        let mut body = Pieces { rest: Bytes::from(vec![b'x'; 2 * PIECE + 1]), _room: room };
        assert_eq!(body.size(), BodySize::Sized(2 * PIECE as u64 + 1));
        let mut lengths = Vec::new();
        while let Poll::Ready(Some(Ok(piece))) =
            MessageBody::poll_next(Pin::new(&mut body), &mut Context::from_waker(std::task::Waker::noop()))
        {
            lengths.push(piece.len());
        }
        assert_eq!((lengths, share.left(None)), (vec![PIECE, PIECE, 1], PIECE - 1));
        drop(body);
        assert_eq!(share.left(None), 3 * PIECE);
    }
}
