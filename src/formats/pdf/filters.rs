//! The bytes of a stream with its filters undone, each no further than the budget allows.

use std::{borrow::Cow, io::Read};

use flate2::read::{DeflateDecoder, ZlibDecoder};
use lopdf::{Dictionary, Object};

use super::{lexer::is_space, lzw};
use crate::limits::Budget;
use satchel_model::error::{Error, Result};

/// Most filters of one stream.
const MAX_FILTERS: usize = 8;

/// Undoes the filters in their order. `parameters` stand beside the filters; images come out empty.
pub(super) fn decode<'a>(
    data: &'a [u8],
    filters: &[Vec<u8>],
    parameters: &[Option<Dictionary>],
    budget: &mut Budget,
) -> Result<Cow<'a, [u8]>> {
    let mut data = Cow::Borrowed(data);
    if filters.is_empty() {
        if data.len() > budget.part() {
            return Err(budget.unpacks_too_much());
        }
        budget.unpack(data.len())?;
    }
    if filters.len() > MAX_FILTERS {
        return Err(Error::invalid("The PDF was refused: a stream in it is packed too many times."));
    }
    for (at, filter) in filters.iter().enumerate() {
        let own = parameters.get(at).and_then(Option::as_ref);
        data = Cow::Owned(match filter.as_slice() {
            b"FlateDecode" | b"Fl" => predict(inflate(&data, budget)?, own),
            b"LZWDecode" | b"LZW" => {
                let early = own.and_then(|own| own.get(b"EarlyChange").and_then(Object::as_i64).ok()).unwrap_or(1) != 0;
                predict(lzw::decode(&data, early, budget)?, own)
            }
            b"ASCII85Decode" | b"A85" => ascii85(&data),
            b"ASCIIHexDecode" | b"AHx" => ascii_hex(&data),
            b"RunLengthDecode" | b"RL" => run_length(&data, budget)?,
            b"Crypt" => continue,
            _ => Vec::new(),
        });
    }
    Ok(data)
}

/// Unpacks deflated bytes; what is cut off or damaged gives what there is.
fn inflate(data: &[u8], budget: &mut Budget) -> Result<Vec<u8>> {
    let most = budget.part();
    let mut out = Vec::new();
    let room = most as u64 + 1;
    if ZlibDecoder::new(data).take(room).read_to_end(&mut out).is_err() && out.is_empty() {
        // Without its head, or with a wrong one.
        let raw = data.get(2..).unwrap_or_default();
        let _ = DeflateDecoder::new(raw).take(room).read_to_end(&mut out);
    }
    if out.len() > most {
        return Err(budget.unpacks_too_much());
    }
    budget.unpack(out.len())?;
    Ok(out)
}

fn run_length(data: &[u8], budget: &mut Budget) -> Result<Vec<u8>> {
    let (mut out, most, mut at) = (Vec::new(), budget.part(), 0);
    while let Some(length) = data.get(at).copied().filter(|length| *length != 128) {
        let count = usize::from(length);
        if count < 128 {
            out.extend_from_slice(data.get(at + 1..).map_or(&[][..], |rest| rest.get(..=count).unwrap_or(rest)));
            at += count + 2;
        } else {
            let byte = data.get(at + 1).copied().unwrap_or_default();
            out.resize(out.len() + 257 - count, byte);
            at += 2;
        }
        if out.len() > most {
            return Err(budget.unpacks_too_much());
        }
    }
    budget.unpack(out.len())?;
    Ok(out)
}

fn ascii_hex(data: &[u8]) -> Vec<u8> {
    let digits = data.iter().take_while(|byte| **byte != b'>').filter_map(|byte| char::from(*byte).to_digit(16));
    let digits: Vec<u8> = digits.filter_map(|digit| u8::try_from(digit).ok()).collect();
    digits.chunks(2).map(|pair| pair.first().unwrap_or(&0) * 16 + pair.get(1).unwrap_or(&0)).collect()
}

fn ascii85(data: &[u8]) -> Vec<u8> {
    let (mut out, mut group) = (Vec::new(), Vec::with_capacity(5));
    let flush = |group: &mut Vec<u32>, out: &mut Vec<u8>| {
        let count = group.len();
        if count > 1 {
            group.resize(5, 84);
            let value = group.iter().fold(0_u32, |sum, digit| sum.wrapping_mul(85).wrapping_add(*digit));
            out.extend(value.to_be_bytes().iter().take(count - 1));
        }
        group.clear();
    };
    for byte in data.iter().filter(|byte| !is_space(**byte)) {
        match byte {
            b'z' if group.is_empty() => out.extend([0; 4]),
            b'!'..=b'u' => group.push(u32::from(byte - b'!')),
            b'~' => break,
            _ => {}
        }
        if group.len() == 5 {
            flush(&mut group, &mut out);
        }
    }
    flush(&mut group, &mut out);
    out
}

/// Undoes the prediction of rows that PNG and TIFF know.
fn predict(data: Vec<u8>, parameters: Option<&Dictionary>) -> Vec<u8> {
    let number = |key: &[u8], usual: usize, most: usize| {
        let given = parameters.and_then(|own| own.get(key).ok()).and_then(|value| value.as_i64().ok());
        given.and_then(|value| usize::try_from(value).ok()).unwrap_or(usual).clamp(1, most)
    };
    let (predictor, colors) = (number(b"Predictor", 1, 15), number(b"Colors", 1, 32));
    let (bits, columns) = (number(b"BitsPerComponent", 8, 16), number(b"Columns", 1, 1 << 20));
    let pixel = (colors * bits).div_ceil(8);
    let row = (colors * bits * columns).div_ceil(8);
    match predictor {
        10.. => png(&data, pixel, row),
        2 if bits == 8 => {
            let mut data = data;
            for line in data.chunks_mut(row) {
                for at in pixel..line.len() {
                    let left = line.get(at - pixel).copied().unwrap_or_default();
                    line.get_mut(at).into_iter().for_each(|byte| *byte = byte.wrapping_add(left));
                }
            }
            data
        }
        _ => data,
    }
}

fn png(data: &[u8], pixel: usize, row: usize) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::with_capacity(data.len());
    let mut above = vec![0; row];
    for line in data.chunks(row + 1) {
        let Some((kind, line)) = line.split_first() else { break };
        let mut current = Vec::with_capacity(row);
        for (at, byte) in line.iter().enumerate() {
            let of = |line: &[u8], at: Option<usize>| at.and_then(|at| line.get(at)).copied().unwrap_or_default();
            let (left, up) = (of(&current, at.checked_sub(pixel)), of(&above, Some(at)));
            let corner = of(&above, at.checked_sub(pixel));
            let guess = match kind {
                1 => left,
                2 => up,
                3 => u8::try_from((u16::from(left) + u16::from(up)) / 2).unwrap_or_default(),
                4 => paeth(left, up, corner),
                _ => 0,
            };
            current.push(byte.wrapping_add(guess));
        }
        out.extend_from_slice(&current);
        current.resize(row, 0);
        above = current;
    }
    out
}

fn paeth(left: u8, up: u8, corner: u8) -> u8 {
    let guess = i16::from(left) + i16::from(up) - i16::from(corner);
    let far = |from: u8| (guess - i16::from(from)).abs();
    match () {
        () if far(left) <= far(up) && far(left) <= far(corner) => left,
        () if far(up) <= far(corner) => up,
        () => corner,
    }
}

/// The names of a stream's filters, whichever way they are written.
pub(super) fn names(filter: &Object) -> Vec<Vec<u8>> {
    match filter {
        Object::Name(name) => vec![name.clone()],
        Object::Array(names) => names.iter().filter_map(|name| name.as_name().ok().map(<[u8]>::to_vec)).collect(),
        _ => Vec::new(),
    }
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

    fn decoded(data: Vec<u8>, filters: &[&str]) -> Result<Vec<u8>> {
        let filters: Vec<Vec<u8>> = filters.iter().map(|name| name.as_bytes().to_vec()).collect();
        decode(&data, &filters, &[], &mut Budget::new(&Limits::default())).map(Cow::into_owned)
    }

    #[test]
    fn filters_are_undone_in_their_order() {
        assert_eq!(decoded(b"68 65 6c6C 6f>".to_vec(), &["AHx"]).unwrap(), b"hello");
        assert_eq!(decoded(b"87cURD]i,\"Ebo80~>".to_vec(), &["ASCII85Decode"]).unwrap(), b"Hello World!");
        assert_eq!(decoded(vec![2, b'a', b'b', b'c', 254, b'x', 128], &["RL"]).unwrap(), b"abcxxx");
        let hexed: String = packed(b"text").iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(decoded(hexed.into_bytes(), &["ASCIIHexDecode", "FlateDecode"]).unwrap(), b"text");
        let lzw = vec![0x80, 0x0b, 0x60, 0x50, 0x22, 0x0c, 0x0c, 0x85, 0x01];
        assert_eq!(decoded(lzw, &["LZWDecode"]).unwrap(), [45, 45, 45, 45, 45, 65, 45, 45, 45, 66]);
    }

    #[test]
    fn rows_are_predicted() {
        let own = |pairs: &[(&str, i64)]| {
            pairs.iter().map(|(key, value)| (key.as_bytes().to_vec(), Object::Integer(*value))).collect()
        };
        let up = predict(vec![2, 1, 2, 2, 1, 1], Some(&own(&[("Predictor", 12), ("Columns", 2)])));
        assert_eq!(up, [1, 2, 2, 3]);
        let left = predict(vec![1, 1, 1, 5, 0, 1], Some(&own(&[("Predictor", 2), ("Columns", 3)])));
        assert_eq!(left, [1, 2, 3, 5, 5, 6]);
    }

    #[test]
    fn bombs_are_refused() {
        let bomb = packed(&packed(&vec![0; 100 << 20]));
        assert!(decoded(bomb, &["FlateDecode", "FlateDecode"]).unwrap_err().message().contains("unpacks to more"));
        assert!(decoded(vec![], &["Fl"; 9]).unwrap_err().message().contains("too many times"));
    }
}
