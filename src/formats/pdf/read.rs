//! Reads a PDF: the text of its pages, and what it says about itself.

use lopdf::Dictionary;

use super::{content, file::File, layout, line::Lines, pages};
use crate::{
    extracted::Draft,
    limits::{Budget, Limits},
};
use satchel_model::error::Result;

/// Keys of the document's information, and the names they get.
const NOTES: [(&[u8], &str); 5] = [
    (b"Author", "author"),
    (b"Subject", "subject"),
    (b"Keywords", "keywords"),
    (b"Creator", "application"),
    (b"Producer", "producer"),
];

pub(crate) fn read(bytes: &[u8], limits: &Limits, draft: &mut Draft) -> Result<()> {
    let mut file = File::open(bytes, Budget::new(limits))?;
    let info = file.trailer.clone();
    let info = file.dictionary(&info, b"Info")?;
    notes(&info, &mut file, draft)?;
    let pages = pages::all(&mut file)?;
    let (mut lines, mut fonts) = (Lines::default(), content::Shared::default());
    for (number, page) in (1..).zip(&pages) {
        lines.page(number);
        content::run(page, &mut file, &mut fonts, &mut lines)?;
    }
    let lines = lines.end();
    drop((fonts, file));
    draft.done.pages = u32::try_from(pages.len()).ok();
    draft.note("pages", pages.len());
    if lines.is_empty() && !pages.is_empty() {
        draft.note("note", "The pages hold no text: they are pictures, perhaps a scan.");
    }
    layout::blocks(&lines, draft)
}

fn notes(info: &Dictionary, file: &mut File<'_>, draft: &mut Draft) -> Result<()> {
    let mut text = |key: &[u8]| -> Result<String> {
        let value = file.value(info, key)?;
        Ok(lopdf::decode_text_string(&value).unwrap_or_default())
    };
    let title = text(b"Title")?;
    for (key, name) in NOTES {
        draft.note(name, text(key)?);
    }
    for (key, name) in [(&b"CreationDate"[..], "created"), (b"ModDate", "modified")] {
        draft.note(name, date(&text(key)?));
    }
    draft.title(&title);
    Ok(())
}

/// `D:20240131235959+01'00'` as RFC 3339, as far as it goes.
fn date(text: &str) -> Option<String> {
    let text = text.strip_prefix("D:").unwrap_or(text);
    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
    let part = |from: usize, to: usize| digits.get(from..to);
    let day = format!("{}-{}-{}", part(0, 4)?, part(4, 6).unwrap_or("01"), part(6, 8).unwrap_or("01"));
    let (Some(hour), Some(minute)) = (part(8, 10), part(10, 12)) else { return Some(day) };
    let zone: String = text.get(digits.len()..)?.chars().filter(|c| *c != '\'').collect();
    let zone = match (zone.get(..1), zone.get(1..3), zone.get(3..5)) {
        (Some(sign @ ("+" | "-")), Some(hours), minutes) => format!("{sign}{hours}:{}", minutes.unwrap_or("00")),
        (Some("Z"), ..) => "Z".to_owned(),
        _ => String::new(),
    };
    Some(format!("{day}T{hour}:{minute}:{}{zone}", part(12, 14).unwrap_or("00")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_put_into_the_usual_form() {
        for (given, wanted) in [
            ("D:20240131235958+01'00'", Some("2024-01-31T23:59:58+01:00")),
            ("D:20240131235958Z00'00'", Some("2024-01-31T23:59:58Z")),
            ("D:20240131", Some("2024-01-31")),
            ("2024", Some("2024-01-01")),
            ("yesterday", None),
        ] {
            assert_eq!(date(given).as_deref(), wanted, "{given}");
        }
    }
}
