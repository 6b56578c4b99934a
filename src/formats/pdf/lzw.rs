//! LZW as PDF and TIFF have it: codes of 9 to 12 bits, the highest bit first.

use crate::limits::Budget;
use satchel_model::error::Result;

const CLEAR: usize = 256;
const END: usize = 257;

/// Unpacks; what is cut off gives what there is. `early` is how most writers count.
pub(super) fn decode(data: &[u8], early: bool, budget: &mut Budget) -> Result<Vec<u8>> {
    let (mut out, most) = (Vec::new(), budget.part());
    // Where in the output each code's text stands.
    let mut table: Vec<(usize, usize)> = Vec::new();
    let (mut before, mut width): (Option<(usize, usize)>, u32) = (None, 9);
    let (mut bits, mut held): (u32, u32) = (0, 0);
    for byte in data {
        bits = (bits << 8) | u32::from(*byte);
        held += 8;
        if held < width {
            continue;
        }
        held -= width;
        let code = usize::try_from((bits >> held) & ((1 << width) - 1)).unwrap_or(END);
        if code == END {
            break;
        }
        if code == CLEAR {
            table.clear();
            (before, width) = (None, 9);
            continue;
        }
        let start = out.len();
        match (code, table.get(code.wrapping_sub(258)), before) {
            (0..=255, ..) => out.push(u8::try_from(code).unwrap_or_default()),
            (_, Some((from, length)), _) => out.extend_from_within(*from..from + length),
            (_, None, Some((from, length))) => {
                out.extend_from_within(from..from + length);
                out.extend_from_within(start..=start);
            }
            (_, None, None) => break,
        }
        if let Some((from, length)) = before
            && table.len() < 4096 - 258
        {
            // The text before and the first byte of this one: they stand together in the output.
            table.push((from, length + 1));
        }
        before = Some((start, out.len() - start));
        let next = table.len() + 258 + usize::from(early) + usize::from(before.is_some()) - 1;
        width = match next {
            0..=510 => 9,
            511..=1022 => 10,
            1023..=2046 => 11,
            _ => 12,
        };
        if out.len() > most {
            return Err(budget.unpacks_too_much());
        }
    }
    budget.unpack(out.len())?;
    Ok(out)
}
