//! Makes an XLSX of rows of values: numbers stay numbers, and a text that begins with `=` is a formula.

use rust_xlsxwriter::{DocProperties, ExcelDateTime, Formula, Workbook, Worksheet, XlsxError};
use serde_json::Value;

use super::{
    cell::{COLUMNS, ROWS},
    change, number,
};
use crate::office::{
    package::Package,
    rewrite::{Changes, rewrite},
};
use satchel_model::error::{Error, Result};

/// A sheet to be made.
#[derive(Debug, Clone, PartialEq)]
pub struct NewSheet {
    /// Its name.
    pub name: String,
    /// Its rows, from the top; values are texts, numbers, switches or nothing.
    pub rows: Vec<Vec<Value>>,
}

/// A workbook; `created` is seconds since 1970.
pub(crate) fn write(title: &str, sheets: &[NewSheet], created: i64) -> Result<Vec<u8>> {
    if sheets.is_empty() {
        return Err(Error::invalid("A workbook needs a sheet: give `sheets` with a name and rows."));
    }
    let mut book = Workbook::new();
    let mut properties = DocProperties::new().set_title(title);
    if let Ok(time) = ExcelDateTime::from_timestamp(created) {
        properties = properties.set_creation_datetime(&time);
    }
    book.set_properties(&properties);
    for sheet in sheets {
        let page = book.add_worksheet();
        page.set_name(&sheet.name).map_err(|e| refused(&sheet.name, &e))?;
        rows(page, sheet)?;
        page.autofit();
    }
    let bytes = book.save_to_buffer().map_err(|e| match e {
        XlsxError::SheetnameReused(name) => {
            Error::invalid(format!("Two sheets are named '{name}'; names differ in more than capitals."))
        }
        other => Error::internal(other),
    })?;
    let bytes = signed(&bytes)?;
    if !sheets.iter().flat_map(|sheet| sheet.rows.iter().flatten()).any(|value| formula(value).is_some()) {
        return Ok(bytes);
    }
    // Formulas are written with a result of 0, which some programs show; without one they compute it.
    change::update(&bytes, &[])
}

/// The library says that another program made the workbook.
fn signed(bytes: &[u8]) -> Result<Vec<u8>> {
    const PART: &str = "docProps/app.xml";
    let mut package = Package::open(bytes)?;
    let said = package.needed(PART)?;
    let says = said.replace("<Application>Microsoft Excel<", "<Application>Satchel<");
    rewrite(&mut package, &Changes::from([(PART.to_owned(), Some(says.into_bytes()))]))
}

fn rows(page: &mut Worksheet, sheet: &NewSheet) -> Result<()> {
    for (row, values) in (0_u32..).zip(&sheet.rows) {
        for (column, value) in (0_u32..).zip(values) {
            let column = u16::try_from(column).ok().filter(|column| u32::from(*column) < COLUMNS && row < ROWS);
            let column = column.ok_or_else(|| {
                Error::invalid(format!("The sheet '{}' has more than {COLUMNS} columns or {ROWS} rows.", sheet.name))
            })?;
            cell(page, row, column, value).map_err(|e| refused(&sheet.name, &e))?;
        }
    }
    Ok(())
}

fn cell(page: &mut Worksheet, row: u32, column: u16, value: &Value) -> Result<(), XlsxError> {
    match value {
        Value::Null => {}
        Value::Bool(on) => drop(page.write_boolean(row, column, *on)?),
        Value::Number(number) => match number::kept(number) {
            Some(value) => drop(page.write_number(row, column, value)?),
            None => drop(page.write_string(row, column, number.to_string())?),
        },
        Value::String(text) => match formula(value) {
            Some(formula) => drop(page.write_formula(row, column, Formula::new(formula))?),
            None => drop(page.write_string(row, column, text)?),
        },
        other => drop(page.write_string(row, column, other.to_string())?),
    }
    Ok(())
}

/// The formula a value is, without its sign.
fn formula(value: &Value) -> Option<&str> {
    value.as_str()?.strip_prefix('=').filter(|rest| !rest.trim().is_empty())
}

fn refused(sheet: &str, cause: &XlsxError) -> Error {
    Error::invalid(match cause {
        XlsxError::SheetnameCannotBeBlank(_) => "A sheet needs a name.".to_owned(),
        XlsxError::SheetnameLengthExceeded(_) => format!("The sheet's name '{sheet}' is longer than 31 characters."),
        XlsxError::SheetnameContainsInvalidCharacter(_) | XlsxError::SheetnameStartsOrEndsWithApostrophe(_) => format!(
            "The sheet's name '{sheet}' holds one of the characters [ ] : * ? / \\ or begins or ends with an apostrophe."
        ),
        XlsxError::MaxStringLengthExceeded => {
            format!("A text in the sheet '{sheet}' is longer than 32,767 characters, the most a cell holds.")
        }
        other => format!("The sheet '{sheet}' cannot be written: {other}."),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_workbook_says_who_made_it() {
        for value in [json!(1), json!("=1+1")] {
            let sheet = NewSheet { name: "Sheet".to_owned(), rows: vec![vec![value]] };
            let bytes = write("Numbers", &[sheet], 0).unwrap();
            let mut package = Package::open(&bytes).unwrap();
            let said = package.needed("docProps/app.xml").unwrap();
            assert!(said.contains("<Application>Satchel</Application>") && !said.contains("Microsoft"), "{said}");
        }
    }
}
