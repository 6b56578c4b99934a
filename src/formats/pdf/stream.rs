//! The bytes of a stream with its filters undone, each no further than the budget allows.

use std::{borrow::Cow, io::Read};

use flate2::read::{DeflateDecoder, ZlibDecoder};
use hayro_syntax::{
    Filter,
    object::{Dict, FromBytes, Object, Stream},
};

use crate::limits::Budget;
use satchel_model::error::{Error, Result};

/// Most filters of one stream.
const MAX_FILTERS: usize = 8;

/// Returns the bytes of a stream, unpacked; none of a picture.
///
/// # Errors
///
/// If they unpack to more than the budget allows.
pub(super) fn data<'a>(stream: &Stream<'a>, budget: &mut Budget) -> Result<Cow<'a, [u8]>> {
    let filters = stream.filters();
    if filters.len() > MAX_FILTERS {
        return Err(Error::invalid("The PDF was refused: a stream in it is packed too many times."));
    }
    let mut data = stream.raw_data();
    for (at, filter) in filters.iter().enumerate() {
        let own = parameters(stream.dict(), at);
        data = match filter {
            Filter::FlateDecode => {
                let inflated = inflate(&data, budget)?;
                Cow::Owned(if own.contains_key("Predictor") { undo("FlateDecode", &own, &data) } else { inflated })
            }
            Filter::LzwDecode => Cow::Owned(undo("LZWDecode", &own, &data)),
            Filter::Ascii85Decode => Cow::Owned(undo("ASCII85Decode", &own, &data)),
            Filter::AsciiHexDecode => Cow::Owned(undo("ASCIIHexDecode", &own, &data)),
            // Some writers leave out the mark of the end, without which the library takes nothing.
            Filter::RunLengthDecode => Cow::Owned(undo("RunLengthDecode", &own, &[data.as_ref(), &[128]].concat())),
            Filter::Crypt => continue,
            Filter::CcittFaxDecode | Filter::Jbig2Decode | Filter::DctDecode | Filter::JpxDecode => {
                return Ok(Cow::default());
            }
        };
        ensure_small(&data, budget)?;
    }
    ensure_small(&data, budget)?;
    budget.unpack(data.len())?;
    Ok(data)
}

fn ensure_small(data: &[u8], budget: &Budget) -> Result<()> {
    if data.len() <= budget.part() { Ok(()) } else { Err(budget.unpacks_too_much()) }
}

/// The parameters of the filter at a place.
fn parameters<'a>(dictionary: &Dict<'a>, at: usize) -> Dict<'a> {
    let given = dictionary.get::<Object<'_>>("DecodeParms").or_else(|| dictionary.get::<Object<'_>>("DP"));
    let own = match given {
        Some(Object::Array(items)) => items.iter::<Object<'_>>().nth(at).and_then(Object::into_dict),
        Some(Object::Dict(own)) if at == 0 => Some(own),
        _ => None,
    };
    own.unwrap_or_default()
}

/// Unpacks deflated bytes; what is cut off or damaged gives what there is. The library has no limit for this.
fn inflate(data: &[u8], budget: &Budget) -> Result<Vec<u8>> {
    let (mut out, room) = (Vec::new(), budget.part() as u64 + 1);
    if ZlibDecoder::new(data).take(room).read_to_end(&mut out).is_err() && out.is_empty() {
        // Without its head, or with a wrong one.
        let raw = data.get(2..).unwrap_or_default();
        let _ = DeflateDecoder::new(raw).take(room).read_to_end(&mut out);
    }
    ensure_small(&out, budget)?;
    Ok(out)
}

/// Undoes one filter. The library undoes all of a stream at once, so it gets a stream of only this one: what each gives is
/// counted.
fn undo(filter: &str, parameters: &Dict<'_>, data: &[u8]) -> Vec<u8> {
    let head = format!("<</Filter/{filter}/Length {}/DecodeParms", data.len());
    let own = if parameters.is_empty() { b"<<>>".as_slice() } else { parameters.data() };
    let stream = [head.as_bytes(), own, b">>stream\n", data, b"\nendstream"].concat();
    let decoded = Stream::from_bytes(&stream).and_then(|stream| stream.decoded().ok().map(Cow::into_owned));
    decoded.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::limits::Limits;

    fn packed(data: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    }

    fn decoded(content: &[u8], entries: &str) -> Result<Vec<u8>> {
        let head = format!("<< {entries} /Length {} >> stream\n", content.len());
        let bytes = [head.as_bytes(), content, b"\nendstream"].concat();
        let stream = Stream::from_bytes(&bytes).unwrap();
        data(&stream, &mut Budget::new(&Limits::default())).map(Cow::into_owned)
    }

    #[test]
    fn filters_are_undone_in_their_order() {
        let hexed: String = packed(b"text").iter().map(|byte| format!("{byte:02x}")).collect();
        let lzw = [0x80, 0x0b, 0x60, 0x50, 0x22, 0x0c, 0x0c, 0x85, 0x01];
        for (content, entries, wanted) in [
            (&b"plain"[..], "", &b"plain"[..]),
            (b"68 65 6c6C 6f>", "/Filter /AHx", b"hello"),
            (b"87cURD]i,\"Ebo80~>", "/Filter [/ASCII85Decode]", b"Hello World!"),
            (&[2, b'a', b'b', b'c', 254, b'x'], "/Filter /RL", b"abcxxx"),
            (hexed.as_bytes(), "/Filter [/ASCIIHexDecode /FlateDecode] /DecodeParms [null null]", b"text"),
            (&lzw, "/Filter /LZWDecode", &[45, 45, 45, 45, 45, 65, 45, 45, 45, 66]),
            (b"a picture", "/Filter /DCTDecode", b""),
        ] {
            assert_eq!(decoded(content, entries).unwrap(), wanted, "{entries}");
        }
        let long: Vec<u8> = (0..20_000_u32).flat_map(|number| number.wrapping_mul(number).to_le_bytes()).collect();
        let cut = packed(&long);
        let found = decoded(&cut[..cut.len() / 2], "/Filter /FlateDecode").unwrap();
        assert!(!found.is_empty() && long.starts_with(&found));
    }

    #[test]
    fn rows_are_predicted() {
        let up = packed(&[2, 1, 2, 2, 1, 1]);
        let parameters = "/Filter /FlateDecode /DecodeParms << /Predictor 12 /Columns 2 >>";
        assert_eq!(decoded(&up, parameters).unwrap(), [1, 2, 2, 3]);
        let left = packed(&[1, 1, 1, 5, 0, 1]);
        let parameters = "/Filter [/FlateDecode] /DecodeParms [<< /Predictor 2 /Columns 3 >>]";
        assert_eq!(decoded(&left, parameters).unwrap(), [1, 2, 3, 5, 5, 6]);
    }

    #[test]
    fn bombs_are_refused() {
        let bomb = packed(&packed(&vec![0; 100 << 20]));
        let refused = decoded(&bomb, "/Filter [/FlateDecode /FlateDecode]").unwrap_err();
        assert!(refused.message().contains("unpacks to more"));
        let refused = decoded(b"", "/Filter [/Fl /Fl /Fl /Fl /Fl /Fl /Fl /Fl /Fl]").unwrap_err();
        assert!(refused.message().contains("too many times"));
    }
}
