//! How a static binary looks names up.

/// Keeps to the hosts file and DNS, which are inside the binary.
///
/// A static glibc would otherwise load what `/etc/nsswitch.conf` names (mDNS, systemd): shared libraries made for the
/// machine's own glibc, which may crash in another.
#[cfg(all(target_env = "gnu", target_feature = "crt-static"))]
#[expect(unsafe_code, reason = "glibc offers this in C only")]
pub(super) fn stay_inside() {
    unsafe extern "C" {
        fn __nss_configure_lookup(database: *const std::ffi::c_char, services: *const std::ffi::c_char) -> i32;
    }
    // SAFETY: both texts end with a zero byte and live for ever; glibc takes its own lock.
    let refused = unsafe { __nss_configure_lookup(c"hosts".as_ptr(), c"files dns".as_ptr()) };
    if refused != 0 {
        tracing::warn!("names are looked up as /etc/nsswitch.conf says, which a static binary may not survive");
    }
}

/// A binary that shares the machine's C library looks names up as the machine does.
#[cfg(not(all(target_env = "gnu", target_feature = "crt-static")))]
pub(super) fn stay_inside() {}
