//! Memory that is not needed any more, given back to the system at once.
#![expect(unsafe_code, reason = "the allocator and the kernel are asked through C functions")]

/// Gives back what a released model leaves with the allocator, which keeps freed memory for what comes next: most of
/// it was allocated by threads that are gone. To be called once nothing is loaded any more; takes milliseconds.
pub fn give_back() {
    // SAFETY: may be called at any time by any thread; where another allocator is in force it finds nothing.
    unsafe { libmimalloc_sys::mi_collect(true) }
}

/// Lets the pages of bytes inside the program's file go: who reads them next gets them from the file again.
pub fn let_go(bytes: &'static [u8]) {
    let page = rustix::param::page_size();
    let whole = bytes.get(bytes.as_ptr().align_offset(page)..).unwrap_or_default();
    let length = whole.len() / page * page;
    // SAFETY: these pages hold nothing but bytes that are never written: they are what the file has there.
    let done = unsafe { libc::madvise(whole.as_ptr().cast_mut().cast(), length, libc::MADV_DONTNEED) };
    if done != 0 {
        tracing::debug!(error = %std::io::Error::last_os_error(), "the model's pages stay in memory");
    }
}
