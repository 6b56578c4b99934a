//! Values as they go to the database and come from it, and the Rust types for them.

use std::borrow::Cow;

use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};

use satchel_model::time::Time;

/// Why a value is not read as a type.
#[derive(Debug)]
pub struct Misfit(String);

impl std::fmt::Display for Misfit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

type Fit<T> = Result<T, Misfit>;

/// A value of the database.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value<'a> {
    /// None.
    Null,
    /// A whole number; booleans are 0 and 1, times are milliseconds since 1970.
    Integer(i64),
    /// Another number.
    Real(f64),
    /// Text.
    Text(&'a str),
    /// Bytes.
    Blob(&'a [u8]),
}

impl<'a> Value<'a> {
    pub(super) fn new(value: ValueRef<'a>) -> Fit<Self> {
        Ok(match value {
            ValueRef::Null => Self::Null,
            ValueRef::Integer(number) => Self::Integer(number),
            ValueRef::Real(number) => Self::Real(number),
            ValueRef::Text(text) => Self::Text(std::str::from_utf8(text).map_err(|fault| Misfit(fault.to_string()))?),
            ValueRef::Blob(bytes) => Self::Blob(bytes),
        })
    }
}

impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match *self {
            Self::Null => ValueRef::Null,
            Self::Integer(number) => ValueRef::Integer(number),
            Self::Real(number) => ValueRef::Real(number),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Blob(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

/// A type that a statement binds.
pub trait Bind {
    /// The value that is bound.
    fn value(&self) -> Value<'_>;
}

impl<T: Bind + ?Sized> Bind for &T {
    fn value(&self) -> Value<'_> {
        (**self).value()
    }
}

impl<T: Bind + ?Sized> Bind for Box<T> {
    fn value(&self) -> Value<'_> {
        (**self).value()
    }
}

impl<T: Bind> Bind for Option<T> {
    fn value(&self) -> Value<'_> {
        self.as_ref().map_or(Value::Null, Bind::value)
    }
}

/// Types that are lent as they are.
macro_rules! lent {
    ($variant:ident: $($type:ty),+) => {$(
        impl Bind for $type {
            fn value(&self) -> Value<'_> {
                Value::$variant(self)
            }
        }
    )+};
}

lent!(Text: str, String, Cow<'_, str>);
lent!(Blob: [u8], Vec<u8>);

impl<const N: usize> Bind for [u8; N] {
    fn value(&self) -> Value<'_> {
        Value::Blob(self)
    }
}

impl Bind for f64 {
    fn value(&self) -> Value<'_> {
        Value::Real(*self)
    }
}

impl Bind for Time {
    fn value(&self) -> Value<'_> {
        Value::Integer(self.millis())
    }
}

/// A type that a column is read as.
pub trait Column<'a>: Sized {
    /// Reads the value.
    ///
    /// # Errors
    /// Where it is of another type, or does not fit.
    fn read(value: Value<'a>) -> Fit<Self>;
}

fn mismatch<T>(value: Value<'_>) -> Fit<T> {
    // Never the value itself: this is logged.
    let found = match value {
        Value::Null => "NULL",
        Value::Integer(_) => "a whole number out of range",
        Value::Real(_) => "a number",
        Value::Text(_) => "text",
        Value::Blob(_) => "bytes",
    };
    Err(Misfit(format!("{found} is no {}", std::any::type_name::<T>())))
}

impl<'a, T: Column<'a>> Column<'a> for Option<T> {
    fn read(value: Value<'a>) -> Fit<Self> {
        if value == Value::Null { Ok(None) } else { T::read(value).map(Some) }
    }
}

impl<'a> Column<'a> for &'a str {
    fn read(value: Value<'a>) -> Fit<Self> {
        if let Value::Text(text) = value { Ok(text) } else { mismatch(value) }
    }
}

impl<'a> Column<'a> for &'a [u8] {
    fn read(value: Value<'a>) -> Fit<Self> {
        if let Value::Blob(bytes) = value { Ok(bytes) } else { mismatch(value) }
    }
}

impl Column<'_> for String {
    fn read(value: Value<'_>) -> Fit<Self> {
        <&str>::read(value).map(str::to_owned)
    }
}

impl Column<'_> for Vec<u8> {
    fn read(value: Value<'_>) -> Fit<Self> {
        <&[u8]>::read(value).map(<[u8]>::to_vec)
    }
}

impl<const N: usize> Column<'_> for [u8; N] {
    fn read(value: Value<'_>) -> Fit<Self> {
        <&[u8]>::read(value)?.try_into().or_else(|_| mismatch(value))
    }
}

impl Column<'_> for bool {
    fn read(value: Value<'_>) -> Fit<Self> {
        Ok(i64::read(value)? != 0)
    }
}

impl Column<'_> for f64 {
    fn read(value: Value<'_>) -> Fit<Self> {
        match value {
            Value::Real(number) => Ok(number),
            #[expect(clippy::cast_precision_loss, reason = "as the database itself would")]
            Value::Integer(number) => Ok(number as Self),
            _ => mismatch(value),
        }
    }
}

impl Column<'_> for Time {
    fn read(value: Value<'_>) -> Fit<Self> {
        i64::read(value).map(Self::from_millis)
    }
}

/// Whole numbers, each of which SQLite keeps as one of eight bytes.
macro_rules! whole_numbers {
    ($($type:ty),+) => {$(
        impl Bind for $type {
            fn value(&self) -> Value<'_> {
                Value::Integer(i64::from(*self))
            }
        }

        impl Column<'_> for $type {
            fn read(value: Value<'_>) -> Fit<Self> {
                match value {
                    Value::Integer(number) => Self::try_from(number).or_else(|_| mismatch(value)),
                    _ => mismatch(value),
                }
            }
        }
    )+};
}

whole_numbers!(i64, i32, u32, u16, u8);

impl Bind for bool {
    fn value(&self) -> Value<'_> {
        Value::Integer(i64::from(*self))
    }
}
