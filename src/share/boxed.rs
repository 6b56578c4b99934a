//! Values of whatever type in a box of one type. What runs work for many kinds of callers is compiled once with it; generic, it
//! would be compiled for each type that the work returns.

use std::any::{Any, type_name};

use satchel_model::error::{Error, Result};

/// A value whose type only the one who boxed it knows.
pub type Boxed = Box<dyn Any + Send>;

/// Boxes a value.
pub fn boxed<T: Send + 'static>(value: T) -> Boxed {
    Box::new(value)
}

/// Takes the value out again.
///
/// # Errors
///
/// If it has another type: whoever boxed it made a mistake.
pub fn unboxed<T: 'static>(value: Boxed) -> Result<T> {
    let unfit = |_| Error::internal(format!("a value was not of the type {}", type_name::<T>()));
    value.downcast::<T>().map(|value| *value).map_err(unfit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_comes_out_as_its_own_type_alone() {
        assert_eq!(unboxed::<u8>(boxed(7_u8)).unwrap(), 7);
        assert!(unboxed::<u16>(boxed(7_u8)).is_err());
    }
}
