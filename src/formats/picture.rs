//! The facts in an image's first bytes, without unpacking it.

/// A kind of image that browsers and models take, and its size in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Picture {
    /// The media type.
    pub mime: &'static str,
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
}

/// Reads the head of a PNG, GIF, JPEG or WebP; `None` if it is no such image.
pub fn look(bytes: &[u8]) -> Option<Picture> {
    png(bytes).or_else(|| gif(bytes)).or_else(|| webp(bytes)).or_else(|| jpeg(bytes))
}

fn big(bytes: &[u8], at: usize, count: usize) -> Option<u32> {
    Some(bytes.get(at..at + count)?.iter().fold(0, |sum, byte| (sum << 8) | u32::from(*byte)))
}

fn little(bytes: &[u8], at: usize, count: usize) -> Option<u32> {
    Some(bytes.get(at..at + count)?.iter().rev().fold(0, |sum, byte| (sum << 8) | u32::from(*byte)))
}

/// <https://www.w3.org/TR/png-3/#11IHDR>
fn png(bytes: &[u8]) -> Option<Picture> {
    bytes.starts_with(b"\x89PNG\r\n\x1a\n").then_some(())?;
    Some(Picture { mime: "image/png", width: big(bytes, 16, 4)?, height: big(bytes, 20, 4)? })
}

/// <https://www.w3.org/Graphics/GIF/spec-gif89a.txt>
fn gif(bytes: &[u8]) -> Option<Picture> {
    (bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a")).then_some(())?;
    Some(Picture { mime: "image/gif", width: little(bytes, 6, 2)?, height: little(bytes, 8, 2)? })
}

/// <https://www.rfc-editor.org/rfc/rfc9649#section-2>
fn webp(bytes: &[u8]) -> Option<Picture> {
    (bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP")).then_some(())?;
    let (width, height) = match bytes.get(12..16)? {
        b"VP8X" => (little(bytes, 24, 3)? + 1, little(bytes, 27, 3)? + 1),
        b"VP8L" => {
            let bits = little(bytes, 21, 4)?;
            ((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1)
        }
        b"VP8 " => (little(bytes, 26, 2)? & 0x3fff, little(bytes, 28, 2)? & 0x3fff),
        _ => return None,
    };
    Some(Picture { mime: "image/webp", width, height })
}

/// Goes from marker to marker up to the frame's (ITU-T T.81, B.2.2).
fn jpeg(bytes: &[u8]) -> Option<Picture> {
    bytes.starts_with(&[0xff, 0xd8, 0xff]).then_some(())?;
    let mut at = 2;
    loop {
        let marker = big(bytes, at, 2)?;
        if matches!(marker, 0xffc0..=0xffcf) && !matches!(marker, 0xffc4 | 0xffc8 | 0xffcc) {
            return Some(Picture { mime: "image/jpeg", width: big(bytes, at + 7, 2)?, height: big(bytes, at + 5, 2)? });
        }
        if marker < 0xff01 {
            return None;
        }
        at += 2 + big(bytes, at + 2, 2)?.max(2) as usize;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_four_kinds_tell_their_size() {
        let png = [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".as_slice(), &[0, 0, 2, 0, 0, 0, 1, 0]].concat();
        let gif = [b"GIF89a".as_slice(), &[0, 2, 0, 1]].concat();
        let webp = [b"RIFF____WEBPVP8X\x0a\0\0\0\0\0\0\0".as_slice(), &[255, 1, 0, 255, 0, 0]].concat();
        let jpeg = [&[0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 1][..], &[0xff, 0xc2, 0, 11, 8, 1, 0, 2, 0]].concat();
        for (bytes, mime) in [(png, "image/png"), (gif, "image/gif"), (webp, "image/webp"), (jpeg, "image/jpeg")] {
            assert_eq!(look(&bytes), Some(Picture { mime, width: 512, height: 256 }));
            assert_eq!(look(&bytes[..8]), None);
        }
        assert_eq!(look(b"<svg xmlns='http://www.w3.org/2000/svg'/>"), None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_looked_at_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            look(&bytes);
            look(&[&[0xff, 0xd8, 0xff], &bytes[..]].concat());
        }
    }
}
