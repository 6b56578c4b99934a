//! Media types, and the endings of files that stand for them.

/// The media type of what could be anything.
pub const ANYTHING: &str = "application/octet-stream";

/// Endings and their media types; the first ending of a type is the one a file of it is given.
const ENDINGS: &[(&str, &str)] = &[
    ("html", "text/html"),
    ("html", "application/xhtml+xml"),
    ("htm", "text/html"),
    ("pdf", "application/pdf"),
    ("md", "text/markdown"),
    ("markdown", "text/markdown"),
    ("txt", "text/plain"),
    ("csv", "text/csv"),
    ("tsv", "text/tab-separated-values"),
    ("json", "application/json"),
    ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ("pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("png", "image/png"),
    ("gif", "image/gif"),
    ("webp", "image/webp"),
    ("svg", "image/svg+xml"),
    ("mp3", "audio/mpeg"),
    ("wav", "audio/wav"),
    ("opus", "audio/ogg"),
    ("aac", "audio/aac"),
    ("flac", "audio/flac"),
    ("webm", "audio/webm"),
];

/// The media type a file's name stands for by its ending; [`ANYTHING`] where it says nothing.
pub fn of_name(name: &str) -> &'static str {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).unwrap_or_default();
    ENDINGS.iter().find(|(known, _)| *known == ending).map_or(ANYTHING, |(_, media)| media)
}

/// The ending of files of a media type, where it is one of the known.
pub fn ending(media: &str) -> Option<&'static str> {
    ENDINGS.iter().find(|(_, known)| *known == media).map(|(ending, _)| *ending)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ending_stands_for_a_media_type_and_the_other_way_round() {
        for (name, media) in [
            ("a.PDF", "application/pdf"),
            ("a.b.htm", "text/html"),
            ("a.zip", ANYTHING),
            ("readme", ANYTHING),
            ("", ANYTHING),
        ] {
            assert_eq!(of_name(name), media, "{name}");
        }
        assert_eq!(ending("text/html"), Some("html"));
        assert_eq!(ending("image/jpeg"), Some("jpg"));
        assert_eq!(ending("application/zip"), None);
    }
}
