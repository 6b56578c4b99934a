//! Formulas moved to another cell: what they refer to moves along, unless it is fixed by a `$`.

use super::cell::{COLUMNS, Place, ROWS};

/// The formula as it reads `rows` further down and `columns` further right.
pub(super) fn shifted(formula: &str, rows: i64, columns: i64) -> String {
    let chars: Vec<char> = formula.chars().collect();
    let (mut out, mut at) = (String::with_capacity(formula.len()), 0);
    while let Some(&c) = chars.get(at) {
        let rest = chars.get(at..).unwrap_or_default();
        let length = match c {
            '"' | '\'' => quoted(rest),
            c if c == '$' || c == '_' || c.is_alphanumeric() => {
                let length = word(rest);
                let text: String = rest.iter().take(length).collect();
                // A name before `(` is a function, and one before `!` a sheet.
                let named = matches!(rest.get(length), Some('(' | '!' | '['));
                let moved = if named { None } else { moved(&text, rows, columns) };
                out.push_str(moved.as_deref().unwrap_or(&text));
                at += length;
                continue;
            }
            _ => 1,
        };
        out.extend(rest.iter().take(length));
        at += length;
    }
    out
}

/// Characters up to the end of a quoted text; a doubled quote is one in it, which reads as two texts.
fn quoted(rest: &[char]) -> usize {
    let Some(quote) = rest.first() else { return 0 };
    rest.iter().skip(1).position(|c| c == quote).map_or(rest.len(), |end| end + 2)
}

fn word(rest: &[char]) -> usize {
    let part = |c: &&char| c.is_alphanumeric() || matches!(**c, '$' | '_' | '.');
    rest.iter().take_while(part).count().max(1)
}

/// A cell, as `$A1`, moved; `None` if the word is no cell.
fn moved(word: &str, rows: i64, columns: i64) -> Option<String> {
    let (fixed_column, rest) = word.strip_prefix('$').map_or((false, word), |rest| (true, rest));
    let digits = rest.find(|c: char| !c.is_ascii_alphabetic())?;
    let (letters, rest) = rest.split_at_checked(digits)?;
    let (fixed_row, number) = rest.strip_prefix('$').map_or((false, rest), |rest| (true, rest));
    if letters.is_empty() || number.is_empty() || !number.chars().all(|c| c.is_ascii_digit()) {
        return None;
    }
    let place = Place::parse(&format!("{letters}{number}"))?;
    let shift = |from: u32, by: i64, fixed: bool, most: u32| {
        let to = i64::from(from) + if fixed { 0 } else { by };
        u32::try_from(to).ok().filter(|to| *to < most)
    };
    let row = shift(place.row, rows, fixed_row, ROWS);
    let column = shift(place.column, columns, fixed_column, COLUMNS);
    let (Some(row), Some(column)) = (row, column) else { return Some("#REF!".to_owned()) };
    let plain = Place { row, column }.to_string();
    let letters: String = plain.chars().take_while(char::is_ascii_alphabetic).collect();
    let sign = |fixed: bool| if fixed { "$" } else { "" };
    Some(format!("{}{letters}{}{}", sign(fixed_column), sign(fixed_row), row + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_fixed_moves() {
        for (formula, wanted) in [
            ("B2*C2", "C4*D4"),
            ("SUM($A1:A$9)+$B$1", "SUM($A3:B$9)+$B$1"),
            ("Sheet1!A1&'My A1'!B2&\"A1\"", "Sheet1!B3&'My A1'!C4&\"A1\""),
            ("LOG10(A1)+Rate2020+TRUE", "LOG10(B3)+Rate2020+TRUE"),
            ("IF(A1>1.5E3,\"a\"\"A1\",0)", "IF(B3>1.5E3,\"a\"\"A1\",0)"),
        ] {
            assert_eq!(shifted(formula, 2, 1), wanted);
        }
        assert_eq!(shifted("A1+B2", -1, 0), "#REF!+B1");
    }
}
