//! What a statement binds.

use super::value::Bind;
use satchel_model::error::Result;

/// The values that a statement binds, in the order of its `?1`, `?2`: nothing, a tuple, an array or a list.
pub trait Params {
    /// Hands each of them over, in order.
    ///
    /// # Errors
    /// The first that `bind` gives.
    fn each(&self, bind: &mut dyn FnMut(&dyn Bind) -> Result<()>) -> Result<()>;
}

impl Params for () {
    fn each(&self, _: &mut dyn FnMut(&dyn Bind) -> Result<()>) -> Result<()> {
        Ok(())
    }
}

impl<T: Bind> Params for [T] {
    fn each(&self, bind: &mut dyn FnMut(&dyn Bind) -> Result<()>) -> Result<()> {
        self.iter().try_for_each(|value| bind(value))
    }
}

impl<T: Bind, const N: usize> Params for [T; N] {
    fn each(&self, bind: &mut dyn FnMut(&dyn Bind) -> Result<()>) -> Result<()> {
        self.as_slice().each(bind)
    }
}

impl<T: Bind> Params for Vec<T> {
    fn each(&self, bind: &mut dyn FnMut(&dyn Bind) -> Result<()>) -> Result<()> {
        self.as_slice().each(bind)
    }
}

impl<T: Params + ?Sized> Params for &T {
    fn each(&self, bind: &mut dyn FnMut(&dyn Bind) -> Result<()>) -> Result<()> {
        (**self).each(bind)
    }
}

/// Tuples, whose values are of different types.
macro_rules! tuples {
    ($($name:ident)+) => {
        impl<$($name: Bind),+> Params for ($($name,)+) {
            fn each(&self, bind: &mut dyn FnMut(&dyn Bind) -> Result<()>) -> Result<()> {
                #[expect(non_snake_case, reason = "each value is named as its type is")]
                let ($($name,)+) = self;
                $(bind($name)?;)+
                Ok(())
            }
        }
    };
}

tuples!(A B);
tuples!(A B C);
tuples!(A B C D);
tuples!(A B C D E);
tuples!(A B C D E F);
tuples!(A B C D E F G);
tuples!(A B C D E F G H);

/// More values than a tuple may have.
macro_rules! params {
    ($($value:expr),+ $(,)?) => {
        [$(&$value as &dyn $crate::sql::Bind),+]
    };
}
pub(crate) use params;
