//! The place of a cell: `B3` and the like.

/// Columns and rows a sheet can have.
pub(crate) const COLUMNS: u32 = 16_384;
/// See [`COLUMNS`].
pub(crate) const ROWS: u32 = 1_048_576;

/// A cell's place, both counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Place {
    /// From the top.
    pub(crate) row: u32,
    /// From the left.
    pub(crate) column: u32,
}

impl Place {
    /// Reads `B3`, also `$B$3` and in small letters.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let plain: String = text.trim().chars().filter(|c| *c != '$').collect();
        let digits = plain.find(|c: char| c.is_ascii_digit())?;
        let (letters, number) = plain.split_at_checked(digits)?;
        let row = number.parse::<u32>().ok().filter(|row| (1..=ROWS).contains(row))? - 1;
        Some(Self { row, column: column(letters)? })
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (mut letters, mut rest) = (Vec::new(), self.column + 1);
        while rest > 0 {
            let digit = u8::try_from((rest - 1) % 26).unwrap_or_default();
            letters.push(char::from(b'A' + digit));
            rest = (rest - 1) / 26;
        }
        letters.reverse();
        write!(f, "{}{}", letters.into_iter().collect::<String>(), self.row + 1)
    }
}

/// A column's number from its letters.
fn column(letters: &str) -> Option<u32> {
    if letters.is_empty() || letters.len() > 3 {
        return None;
    }
    let digit = |c: char| c.is_ascii_alphabetic().then(|| u32::from(c.to_ascii_uppercase()) - u32::from('A') + 1);
    let number = letters.chars().try_fold(0, |sum, c| Some(sum * 26 + digit(c)?))?;
    (number <= COLUMNS).then(|| number - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_and_written() {
        for (text, row, column) in [("A1", 0, 0), ("Z9", 8, 25), ("AA10", 9, 26), ("XFD1048576", 1_048_575, 16_383)] {
            assert_eq!(Place::parse(text), Some(Place { row, column }));
            assert_eq!(Place { row, column }.to_string(), text);
        }
        assert_eq!(Place::parse(" $b$3 "), Place::parse("B3"));
        for wrong in ["", "A", "1", "A0", "XFE1", "A1048577", "AAAA1", "A1B", "é1"] {
            assert_eq!(Place::parse(wrong), None, "{wrong}");
        }
    }
}
