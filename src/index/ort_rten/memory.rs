//! Memory as the interface sees it: one kind, the ordinary one, from the C allocator.
#![expect(unsafe_code, reason = "functions of a C interface, see the module's documentation")]

use std::ffi::{CStr, c_char, c_int, c_void};

use ort_sys::{
    ORT_API_VERSION, OrtAllocator, OrtAllocatorType, OrtKeyValuePairs, OrtMemType, OrtMemoryInfo, OrtSession,
    OrtStatusPtr, OrtSyncStream,
};

use super::status::{self, Outcome};

/// Its address stands for "ordinary memory"; nobody looks inside.
static ORDINARY: u8 = 0;

/// Never written to, though the interface passes it as mutable.
static ALLOCATOR: OrtAllocator = OrtAllocator {
    version: ORT_API_VERSION,
    Alloc: Some(allocate),
    Free: Some(free),
    Info: Some(info_of),
    Reserve: Some(reserve),
    GetStats: Some(statistics),
    AllocOnStream: Some(allocate_on_stream),
};

/// What stands for ordinary memory.
pub(super) fn ordinary() -> *const OrtMemoryInfo {
    (&raw const ORDINARY).cast()
}

/// A copy of a name that the caller frees through the allocator.
pub(super) fn lend_name(name: &CStr) -> Outcome<*mut c_char> {
    let bytes = name.to_bytes_with_nul();
    // SAFETY: the new block has the length that is written, and overlaps nothing.
    unsafe {
        let block = libc::malloc(bytes.len());
        if block.is_null() {
            return Err("out of memory".to_owned());
        }
        block.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
        Ok(block.cast())
    }
}

unsafe extern "system" fn allocate(_: *mut OrtAllocator, size: usize) -> *mut c_void {
    // SAFETY: any size may be asked for.
    unsafe { libc::malloc(size) }
}

unsafe extern "system" fn reserve(_: *const OrtAllocator, size: usize) -> *mut c_void {
    // SAFETY: any size may be asked for.
    unsafe { libc::malloc(size) }
}

unsafe extern "system" fn allocate_on_stream(_: *mut OrtAllocator, size: usize, _: *mut OrtSyncStream) -> *mut c_void {
    // SAFETY: any size may be asked for.
    unsafe { libc::malloc(size) }
}

unsafe extern "system" fn free(_: *mut OrtAllocator, block: *mut c_void) {
    // SAFETY: the caller got the block from this allocator, all of whose memory comes from `malloc`.
    unsafe { libc::free(block) }
}

unsafe extern "system" fn info_of(_: *const OrtAllocator) -> *const OrtMemoryInfo {
    ordinary()
}

unsafe extern "system" fn statistics(_: *const OrtAllocator, _: *mut *mut OrtKeyValuePairs) -> OrtStatusPtr {
    status::of(|| Err("this allocator keeps no statistics".to_owned()))
}

pub(super) unsafe extern "system" fn default_allocator(out: *mut *mut OrtAllocator) -> OrtStatusPtr {
    // SAFETY: `out` can be written to.
    unsafe { *out = (&raw const ALLOCATOR).cast_mut() };
    status::fine()
}

pub(super) unsafe extern "system" fn session_allocator(
    _: *const OrtSession,
    _: *const OrtMemoryInfo,
    out: *mut *mut OrtAllocator,
) -> OrtStatusPtr {
    // SAFETY: as for the default one.
    unsafe { default_allocator(out) }
}

pub(super) unsafe extern "system" fn create_info(
    _: *const c_char,
    _: OrtAllocatorType,
    _: c_int,
    _: OrtMemType,
    out: *mut *mut OrtMemoryInfo,
) -> OrtStatusPtr {
    // SAFETY: `out` can be written to. Releasing what it gets does nothing.
    unsafe { *out = ordinary().cast_mut() };
    status::fine()
}

pub(super) unsafe extern "system" fn of_ports(
    _: *const OrtSession,
    out: *mut *const OrtMemoryInfo,
    count: usize,
) -> OrtStatusPtr {
    for at in 0..count {
        // SAFETY: `out` has `count` places.
        unsafe { out.add(at).write(ordinary()) };
    }
    status::fine()
}
