//! What a model says about an input or output: element type and dimensions.
#![expect(unsafe_code, reason = "functions of a C interface, see the module's documentation")]

use std::ffi::{CString, c_char};

use ort_sys::{ONNXTensorElementDataType as Element, ONNXType, OrtStatusPtr, OrtTensorTypeAndShapeInfo, OrtTypeInfo};

use super::status;

/// The type of a tensor. Behind both `OrtTypeInfo` and `OrtTensorTypeAndShapeInfo`: there are only tensors.
#[derive(Clone)]
pub(super) struct Info {
    pub(super) element: Element,
    pub(super) dimensions: Vec<Dimension>,
}

/// One axis: its length, -1 where each run has its own, and its name.
#[derive(Clone)]
pub(super) struct Dimension {
    pub(super) length: i64,
    pub(super) name: CString,
}

impl Info {
    /// Hands it to the caller, who gives it back to [`release`].
    pub(super) fn lend(self) -> *mut OrtTypeInfo {
        Box::into_raw(Box::new(self)).cast()
    }
}

/// SAFETY: `info` came from [`Info::lend`] and has not been released.
unsafe fn borrow<'a, T>(info: *const T) -> &'a Info {
    // SAFETY: as the caller promises.
    unsafe { &*info.cast::<Info>() }
}

pub(super) unsafe extern "system" fn kind(_: *const OrtTypeInfo, out: *mut ONNXType) -> OrtStatusPtr {
    // SAFETY: `out` can be written to.
    unsafe { *out = ONNXType::ONNX_TYPE_TENSOR };
    status::fine()
}

pub(super) unsafe extern "system" fn as_tensor(
    info: *const OrtTypeInfo,
    out: *mut *const OrtTensorTypeAndShapeInfo,
) -> OrtStatusPtr {
    // SAFETY: `out` can be written to.
    unsafe { *out = info.cast() };
    status::fine()
}

pub(super) unsafe extern "system" fn element(
    info: *const OrtTensorTypeAndShapeInfo,
    out: *mut Element,
) -> OrtStatusPtr {
    // SAFETY: `info` is one of ours, `out` can be written to.
    unsafe { *out = borrow(info).element };
    status::fine()
}

pub(super) unsafe extern "system" fn rank(info: *const OrtTensorTypeAndShapeInfo, out: *mut usize) -> OrtStatusPtr {
    // SAFETY: `info` is one of ours, `out` can be written to.
    unsafe { *out = borrow(info).dimensions.len() };
    status::fine()
}

pub(super) unsafe extern "system" fn dimensions(
    info: *const OrtTensorTypeAndShapeInfo,
    out: *mut i64,
    count: usize,
) -> OrtStatusPtr {
    // SAFETY: `info` is one of ours.
    for (at, dimension) in unsafe { borrow(info) }.dimensions.iter().take(count).enumerate() {
        // SAFETY: `out` has `count` places.
        unsafe { out.add(at).write(dimension.length) };
    }
    status::fine()
}

pub(super) unsafe extern "system" fn symbols(
    info: *const OrtTensorTypeAndShapeInfo,
    out: *mut *const c_char,
    count: usize,
) -> OrtStatusPtr {
    // SAFETY: `info` is one of ours.
    for (at, dimension) in unsafe { borrow(info) }.dimensions.iter().take(count).enumerate() {
        // SAFETY: `out` has `count` places; the name lives as long as the info, as the interface says.
        unsafe { out.add(at).write(dimension.name.as_ptr()) };
    }
    status::fine()
}

pub(super) unsafe extern "system" fn release(info: *mut OrtTypeInfo) {
    if !info.is_null() {
        // SAFETY: it came from `lend`, and is released once.
        drop(unsafe { Box::from_raw(info.cast::<Info>()) });
    }
}

/// `ort` describes every input once more, for a model editor; there is none, so what it sets goes nowhere.
pub(super) unsafe extern "system" fn create(out: *mut *mut OrtTensorTypeAndShapeInfo) -> OrtStatusPtr {
    let empty = Info { element: Element::ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED, dimensions: Vec::new() };
    // SAFETY: `out` can be written to.
    unsafe { *out = empty.lend().cast() };
    status::fine()
}

pub(super) unsafe extern "system" fn set_element(_: *mut OrtTensorTypeAndShapeInfo, _: Element) -> OrtStatusPtr {
    status::fine()
}

pub(super) unsafe extern "system" fn set_dimensions(
    _: *mut OrtTensorTypeAndShapeInfo,
    _: *const i64,
    _: usize,
) -> OrtStatusPtr {
    status::fine()
}

pub(super) unsafe extern "system" fn set_symbols(
    _: *mut OrtTensorTypeAndShapeInfo,
    _: *mut *const c_char,
    _: usize,
) -> OrtStatusPtr {
    status::fine()
}

pub(super) unsafe extern "system" fn release_created(info: *mut OrtTensorTypeAndShapeInfo) {
    // SAFETY: it came from `create`, and is released once; those that were cast belong to their `OrtTypeInfo`.
    unsafe { release(info.cast()) }
}
