//! Files on their way out: whole or in pieces, and always as a download.

use actix_web::{
    HttpResponse, HttpResponseBuilder,
    http::header::{CONTENT_DISPOSITION, CONTENT_ENCODING},
};
use bytes::Bytes;
use futures_util::stream;
use tokio::{fs::File, io::AsyncReadExt};

use super::delivery::Delivery;
use satchel_model::user::UserId;

/// Bytes of a file read at a time.
const PIECE: usize = 64 << 10;

/// Bytes a download takes in memory: a piece that was read, and its copy on the connection.
const HELD: usize = 2 * PIECE;

/// A file to be downloaded.
pub(super) struct Download<'a> {
    /// The file, open at its beginning.
    pub(super) file: File,
    /// Its name.
    pub(super) name: &'a str,
    /// Its size.
    pub(super) bytes: u64,
}

impl Download<'_> {
    /// Sends it to this person as it is read, when there is room for one more of their downloads.
    pub(super) async fn send(self, delivery: &Delivery, user: UserId) -> HttpResponse {
        let room = delivery.room(user, HELD).await;
        // A file that grows meanwhile is sent as far as it was announced.
        let begin = (self.file.take(self.bytes), room);
        let pieces = stream::try_unfold(begin, |(mut file, room)| async move {
            let mut piece = vec![0; PIECE];
            let count = file.read(&mut piece).await?;
            piece.truncate(count);
            Ok::<_, std::io::Error>((count > 0).then(|| (Bytes::from(piece), (file, room))))
        });
        download(self.name).no_chunking(self.bytes).streaming(pieces)
    }
}

/// Never shown as a page of ours: what is in it came from anywhere.
fn download(name: &str) -> HttpResponseBuilder {
    let mut answer = HttpResponse::Ok();
    answer
        .content_type("application/octet-stream")
        .insert_header((CONTENT_DISPOSITION, disposition(name)))
        .insert_header((CONTENT_ENCODING, "identity"));
    answer
}

/// RFC 6266: a plain name for old programs, the real one for others.
pub(super) fn disposition(name: &str) -> String {
    let plain: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || "._- ".contains(c) { c } else { '_' }).collect();
    let exact: String = url::form_urlencoded::byte_serialize(name.as_bytes()).collect::<String>().replace('+', "%20");
    format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{exact}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_name_cannot_leave_its_header() {
        assert_eq!(
            disposition("a\"b; ü.pdf"),
            "attachment; filename=\"a_b_ _.pdf\"; filename*=UTF-8''a%22b%3B%20%C3%BC.pdf"
        );
    }
}
