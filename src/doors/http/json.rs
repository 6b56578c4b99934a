//! Answers as JSON, whatever their size: the thread that answers writes no more than the beginning of a large one.
//!
//! `actix_web::web::Json` writes all of it there, so no handler answers with that (`tests/it/tidy`).

use actix_web::{
    HttpRequest, HttpResponse, Responder,
    body::BoxBody,
    http::header::{CONTENT_TYPE, HeaderValue},
    web::Data,
};
use bytes::Bytes;
use futures_util::{Stream, TryStreamExt, stream};
use serde::Serialize;

use super::{
    caller::identity,
    delivery::{SMALL, Sink, Writable},
    state::State,
};
use crate::http::error::HttpError;
use satchel_model::error::{Error, Result};

/// An answer with this value.
pub(super) struct Json<T>(pub(super) T);

impl<T: Serialize + Send + 'static> Responder for Json<T> {
    type Body = BoxBody;

    fn respond_to(self, request: &HttpRequest) -> HttpResponse {
        let mut beginning = Sink::beginning(SMALL);
        let written = serde_json::to_writer(&mut beginning, &self.0);
        let mut answer = HttpResponse::Ok();
        answer.insert_header((CONTENT_TYPE, HeaderValue::from_static("application/json")));
        match written {
            Ok(()) => answer.body(beginning.into_kept()),
            Err(error) if error.is_io() => match request.app_data::<Data<State>>() {
                Some(state) => answer.streaming(large(state.clone(), request, Box::new(self.0))),
                None => HttpResponse::from_error(HttpError(Error::internal("the server has no state"))),
            },
            Err(error) => HttpResponse::from_error(HttpError(Error::internal(error))),
        }
    }
}

/// The pieces of a large value, which is written beside the async threads in its person's turn once there is room for it.
fn large(
    state: Data<State>,
    request: &HttpRequest,
    value: Box<dyn Writable>,
) -> impl Stream<Item = Result<Bytes>> + use<> {
    let user = identity(request).ok().map(|identity| identity.caller.user);
    stream::once(async move { state.delivery.unmeasured(user, value).await }).try_flatten()
}

#[cfg(test)]
mod tests {
    use actix_web::{body::MessageBody, test::TestRequest};

    use super::*;

    #[test]
    fn a_small_answer_is_whole() {
        let request = TestRequest::default().to_http_request();
        let answer = Json(["tea", "milk"]).respond_to(&request);
        assert_eq!(answer.headers().get(CONTENT_TYPE).unwrap(), "application/json");
        assert_eq!(answer.into_body().try_into_bytes().unwrap(), r#"["tea","milk"]"#);
    }
}
