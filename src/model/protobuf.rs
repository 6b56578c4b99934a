//! Protobuf's wire format, gone through before it is decoded: a decoded field takes many times its bytes.
//!
//! Format: <https://protobuf.dev/programming-guides/encoding/>.

/// Takes the fields of a message off `left`, those of messages in it included. `None` if there are more, or if messages stand
/// in others deeper than `deepest`, where a decoder would start anew. Bytes that read as a message count as one: nothing but
/// its type tells them apart.
pub fn take_fields(mut message: &[u8], left: &mut usize, deepest: usize) -> Option<()> {
    walk(&mut message, left, deepest)
}

fn walk(rest: &mut &[u8], left: &mut usize, deeper: usize) -> Option<()> {
    while let Some(tag) = varint(rest).filter(|tag| tag >> 3 != 0) {
        *left = left.checked_sub(1)?;
        let skipped = match tag & 7 {
            0 => varint(rest).map(|_| ()),
            1 => split(rest, 8).map(|_| ()),
            5 => split(rest, 4).map(|_| ()),
            2 => {
                let inner = varint(rest).and_then(|length| split(rest, usize::try_from(length).ok()?));
                if let Some(mut inner) = inner.filter(|inner| !inner.is_empty()) {
                    walk(&mut inner, left, deeper.checked_sub(1)?)?;
                }
                inner.map(|_| ())
            }
            // Groups begin and end without a length.
            3 | 4 => Some(()),
            _ => None,
        };
        // What goes on otherwise is no message, and a decoder stops there.
        if skipped.is_none() {
            break;
        }
    }
    Some(())
}

fn varint(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let (byte, after) = rest.split_first()?;
        *rest = after;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

fn split<'a>(rest: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (piece, after) = rest.split_at_checked(length)?;
    *rest = after;
    Some(piece)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_counted_through_all_messages() {
        let count = |message: &[u8]| {
            let mut left = 1_000;
            take_fields(message, &mut left, 100).map(|()| 1_000 - left)
        };
        // 1: 150, 2: "hi" that reads as no message, 3: {1: 150}, 4: fixed32, 5: fixed64.
        let message =
            [&b"\x08\x96\x01\x12\x02hi\x1a\x03\x08\x96\x01"[..], &[0x25, 0, 0, 0, 0, 0x29, 0, 0, 0, 0, 0, 0, 0, 0]];
        assert!((5..=7).contains(&count(&message.concat()).unwrap()));
        assert_eq!(count(&[0x0a, 0].repeat(1_000)), Some(1_000));
        assert_eq!(count(&[0x0a, 0].repeat(1_001)), None);
        let nested = |deep: usize| {
            (0..deep).fold(Vec::new(), |inner: Vec<u8>, _| {
                [&[0x0a, 0x80 | (inner.len() & 0x7f) as u8, (inner.len() >> 7) as u8][..], &inner].concat()
            })
        };
        assert_eq!(count(&nested(101)), Some(101), "as deep as a decoder goes");
        assert_eq!(count(&nested(102)), None, "deeper than what is counted");
        assert_eq!(count(b"\x0a\xff\xff\xff\xff\x0fx"), Some(1), "a length beyond the end");
    }
}
