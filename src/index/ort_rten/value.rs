//! Tensors: those a caller lends for a run, and those a run gives back.
#![expect(unsafe_code, reason = "functions of a C interface, see the module's documentation")]

use std::{
    ffi::{c_int, c_void},
    ptr, slice,
};

use ort_sys::{ONNXTensorElementDataType as Element, OrtMemoryInfo, OrtStatusPtr, OrtValue};
use rten::Value;
use rten_tensor::{Layout, Tensor as Data};

use super::{
    memory,
    status::{self, Outcome},
};

const FLOAT: Element = Element::ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
const INT64: Element = Element::ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64;
const INPUTS: &str = "inputs are 64-bit integers or floats";

/// Behind `OrtValue`. The pointer is all that anybody reads or writes through, so no reference can contradict another.
pub(super) struct Tensor {
    shape: Vec<i64>,
    element: Element,
    data: *mut c_void,
    owner: Owner,
}

/// Whose the memory is.
enum Owner {
    /// The caller's, who keeps it until the value is released.
    Caller,
    /// A box of so many floats.
    Floats(usize),
    /// A box of so many whole numbers, as wide as ONNX has them.
    Integers(usize),
}

impl Tensor {
    /// What a run gave.
    pub(super) fn of(value: Value) -> Outcome<Self> {
        let shape = value.shape().iter().map(|&length| i64::try_from(length)).collect::<Result<_, _>>();
        let shape = shape.map_err(|e| e.to_string())?;
        match value {
            Value::FloatTensor(floats) => {
                let floats = floats.into_data().into_boxed_slice();
                let owner = Owner::Floats(floats.len());
                Ok(Self { shape, element: FLOAT, data: Box::into_raw(floats).cast(), owner })
            }
            Value::Int32Tensor(whole) => {
                let whole: Box<[i64]> = whole.into_data().into_iter().map(i64::from).collect();
                let owner = Owner::Integers(whole.len());
                Ok(Self { shape, element: INT64, data: Box::into_raw(whole).cast(), owner })
            }
            _ => Err("the model gives neither floats nor integers".to_owned()),
        }
    }

    /// Hands it to the caller, who gives it back to [`release`].
    pub(super) fn lend(self) -> *mut OrtValue {
        Box::into_raw(Box::new(self)).cast()
    }

    /// SAFETY: `value` came from [`Tensor::lend`] and has not been released.
    unsafe fn borrow<'a>(value: *const OrtValue) -> &'a Self {
        // SAFETY: as the caller promises.
        unsafe { &*value.cast::<Self>() }
    }

    fn lengths(&self) -> Outcome<Vec<usize>> {
        let whole = |&length| usize::try_from(length).map_err(|_| "a length is negative".to_owned());
        self.shape.iter().map(whole).collect()
    }

    /// SAFETY: memory that was lent is still there.
    unsafe fn to_rten(&self) -> Outcome<Value> {
        let lengths = self.lengths()?;
        let count = lengths.iter().product();
        match self.element {
            INT64 => {
                // SAFETY: there are as many of them as the shape says: `borrow` and `of` have seen to it.
                let wide = unsafe { slice::from_raw_parts(self.data.cast::<i64>(), count) };
                // rten counts in 32 bits; token ids and masks fit.
                let narrow = wide.iter().map(|&number| i32::try_from(number)).collect::<Result<Vec<_>, _>>();
                value(&lengths, narrow.map_err(|_| "an input number does not fit 32 bits")?)
            }
            // SAFETY: as above.
            FLOAT => value(&lengths, unsafe { slice::from_raw_parts(self.data.cast::<f32>(), count) }.to_vec()),
            _ => Err(INPUTS.to_owned()),
        }
    }
}

impl Drop for Tensor {
    fn drop(&mut self) {
        // SAFETY: `of` took these boxes apart, and only here they are put together again.
        unsafe {
            match self.owner {
                Owner::Caller => {}
                Owner::Floats(count) => {
                    drop(Box::from_raw(ptr::slice_from_raw_parts_mut(self.data.cast::<f32>(), count)))
                }
                Owner::Integers(count) => {
                    drop(Box::from_raw(ptr::slice_from_raw_parts_mut(self.data.cast::<i64>(), count)))
                }
            }
        }
    }
}

fn value<T>(lengths: &[usize], numbers: Vec<T>) -> Outcome<Value>
where
    Value: From<Data<T>>,
{
    Value::from_shape(lengths, numbers).map_err(|e| e.to_string())
}

/// SAFETY: `value` came from [`Tensor::lend`] and has not been released, nor has memory that was lent to it.
pub(super) unsafe fn input(value: *const OrtValue) -> Outcome<Value> {
    // SAFETY: as the caller promises.
    unsafe { Tensor::borrow(value).to_rten() }
}

pub(super) unsafe extern "system" fn borrow(
    _: *const OrtMemoryInfo,
    data: *mut c_void,
    bytes: usize,
    shape: *const i64,
    rank: usize,
    element: Element,
    out: *mut *mut OrtValue,
) -> OrtStatusPtr {
    status::of(|| {
        let size = match element {
            INT64 => size_of::<i64>(),
            FLOAT => size_of::<f32>(),
            _ => return Err(INPUTS.to_owned()),
        };
        // SAFETY: `shape` has `rank` numbers; a null pointer comes with none.
        let shape = if rank == 0 { Vec::new() } else { unsafe { slice::from_raw_parts(shape, rank) }.to_vec() };
        let tensor = Tensor { shape, element, data, owner: Owner::Caller };
        let wanted = tensor.lengths()?.iter().try_fold(size, |product, length| product.checked_mul(*length));
        if data.is_null() || wanted != Some(bytes) {
            return Err("the input's memory is not what its shape says".to_owned());
        }
        // SAFETY: `out` can be written to.
        unsafe { *out = tensor.lend() };
        Ok(())
    })
}

pub(super) unsafe extern "system" fn is_tensor(_: *const OrtValue, out: *mut c_int) -> OrtStatusPtr {
    // SAFETY: `out` can be written to.
    unsafe { *out = 1 };
    status::fine()
}

pub(super) unsafe extern "system" fn data(value: *mut OrtValue, out: *mut *mut c_void) -> OrtStatusPtr {
    // SAFETY: `value` is one of ours, `out` can be written to.
    unsafe { *out = Tensor::borrow(value).data };
    status::fine()
}

pub(super) unsafe extern "system" fn memory_info(_: *const OrtValue, out: *mut *const OrtMemoryInfo) -> OrtStatusPtr {
    // SAFETY: `out` can be written to.
    unsafe { *out = memory::ordinary() };
    status::fine()
}

pub(super) unsafe extern "system" fn shape(
    value: *const OrtValue,
    element: *mut Element,
    lengths: *mut *const i64,
    rank: *mut usize,
) -> OrtStatusPtr {
    // SAFETY: `value` is one of ours, and keeps its shape where it is until it is released.
    let tensor = unsafe { Tensor::borrow(value) };
    // SAFETY: all three can be written to.
    unsafe {
        *element = tensor.element;
        *lengths = tensor.shape.as_ptr();
        *rank = tensor.shape.len();
    }
    status::fine()
}

pub(super) unsafe extern "system" fn release(value: *mut OrtValue) {
    if !value.is_null() {
        // SAFETY: it came from `lend`, and is released once.
        drop(unsafe { Box::from_raw(value.cast::<Tensor>()) });
    }
}
