//! Reads a PDF: the text of its pages, and what it says about itself.

use hayro_syntax::{metadata::Metadata, object::DateTime};

use super::{content, encoding::text_string, file, layout, line::Lines};
use crate::{
    extracted::Draft,
    limits::{Budget, Limits},
};
use satchel_model::error::Result;

pub(crate) fn read(bytes: Vec<u8>, limits: &Limits, draft: &mut Draft) -> Result<()> {
    let mut budget = Budget::new(limits);
    let pdf = file::open(bytes)?;
    notes(pdf.metadata(), draft);
    let count = pdf.pages().len();
    budget.page(count.saturating_sub(1))?;
    let (mut lines, mut shared) = (Lines::default(), content::Shared::default());
    for (number, page) in (1..).zip(pdf.pages().iter()) {
        lines.page(number);
        content::run(page, &mut shared, &mut lines, &mut budget)?;
    }
    let lines = lines.end();
    drop((shared, pdf));
    draft.done.pages = u32::try_from(count).ok();
    draft.note("pages", count);
    if lines.is_empty() && count > 0 {
        draft.note("note", "The pages hold no text: they are pictures, perhaps a scan.");
    }
    layout::blocks(&lines, draft)
}

fn notes(info: &Metadata, draft: &mut Draft) {
    let text = |value: &Option<Box<[u8]>>| value.as_deref().map(text_string).unwrap_or_default();
    for (name, value) in [
        ("author", &info.author),
        ("subject", &info.subject),
        ("keywords", &info.keywords),
        ("application", &info.creator),
        ("producer", &info.producer),
    ] {
        draft.note(name, text(value));
    }
    draft.note("created", info.creation_date.map(date));
    draft.note("modified", info.modification_date.map(date));
    draft.title(&text(&info.title));
}

/// A time as RFC 3339. One without a zone is meant as UTC.
fn date(at: DateTime) -> String {
    let DateTime { year, month, day, hour, minute, second, utc_offset_hour: zone, utc_offset_minute: beside } = at;
    let zone = if zone == 0 && beside == 0 { "Z".to_owned() } else { format!("{zone:+03}:{beside:02}") };
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{zone}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_put_into_the_usual_form() {
        let at = DateTime {
            year: 2024,
            month: 1,
            day: 31,
            hour: 23,
            minute: 59,
            second: 8,
            utc_offset_hour: -5,
            utc_offset_minute: 30,
        };
        assert_eq!(date(at), "2024-01-31T23:59:08-05:30");
        assert_eq!(date(DateTime { utc_offset_hour: 0, utc_offset_minute: 0, ..at }), "2024-01-31T23:59:08Z");
    }
}
