//! The file tree a program sees: system programs read-only, a few devices, its own `/tmp`, the workspace, no more.

use std::{
    fs, io,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use rustix::{
    mount::{MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind_recursive, mount_change, unmount},
    process::pivot_root,
};

use super::{
    cover,
    plan::{Part, Plan, Problem, View},
    sys::{Bar, restrict_mounts},
};
use crate::hidden::{MACHINES_OWN, closed_to};

/// The directories of programs and their libraries.
pub(super) const SYSTEM: [&str; 8] = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store"];

/// The files that programs need of `/etc`: nothing here is secret.
pub(super) const ETC: [&str; 22] = [
    "alternatives",
    "bash.bashrc",
    "ca-certificates",
    "debian_version",
    "fonts",
    "inputrc",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "locale.alias",
    "localtime",
    "magic",
    "mime.types",
    "os-release",
    "perl",
    "pki/ca-trust",
    "pki/tls/certs",
    "protocols",
    "services",
    "ssl/certs",
    "ssl/openssl.cnf",
    "timezone",
];

/// The devices: they hold nothing.
pub(super) const DEVICES: [&str; 5] = ["null", "zero", "full", "random", "urandom"];

/// The user number inside: an ordinary one, so that starting a program gives up every privilege of the namespace.
pub(super) const INSIDE_ID: u32 = 1000;

/// Temporary files.
const TMP: &str = "/tmp";

/// Named shared memory.
const SHM: &str = "/dev/shm";

/// The old root, while the new one is furnished.
const OLD: &str = "/.old";

/// Builds the tree and moves into it. This process is alone in its mount namespace.
pub(super) fn build(plan: &Plan) -> Result<(), Problem> {
    let step = |doing: &'static str| move |e: io::Error| Problem::new(Part::Mount, doing)(e);
    let view = &plan.view;
    enter_empty_root(view).map_err(step("make an empty root"))?;
    if view.roots.iter().any(|root| root == Path::new("/")) {
        machine().map_err(step("show the machine"))?;
    } else {
        system().map_err(step("show the system's programs"))?;
        etc(view).map_err(step("furnish /etc"))?;
        own_places().map_err(step("make /tmp"))?;
    }
    devices().map_err(step("furnish /dev"))?;
    if plan.uses(Part::Proc) {
        make_dir("/proc").map_err(step("make /proc"))?;
        let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
        mount("proc", "/proc", "proc", flags, None).map_err(Problem::new(Part::Proc, "mount /proc"))?;
        // Where the server is root, the kernel takes the program for root there, with no capability asked for.
        restrict_mounts(Path::new("/proc"), Bar::Writing).map_err(step("close /proc"))?;
    }
    for root in view.roots.iter().filter(|root| !closed_to(root).any(|tree| root.starts_with(tree))) {
        show(root, Bar::Privileges).map_err(step("show a root"))?;
    }
    cover::own_data(view).map_err(step("cover the server's data"))?;
    cover::programs(&view.blocked).map_err(step("cover blocked programs"))?;
    leave_old_root().map_err(step("leave the old root"))
}

/// The places of the tree whose files lie in memory and are the sandbox's alone.
pub(super) fn in_memory(plan: &Plan) -> Vec<&'static Path> {
    let (tmp, shm) = (Path::new(TMP), Path::new(SHM));
    if !plan.uses(Part::Mount) {
        Vec::new()
    } else if plan.view.roots.iter().any(|root| tmp.starts_with(root)) {
        // The machine's own /tmp is shown there.
        vec![shm]
    } else {
        vec![tmp, shm]
    }
}

fn enter_empty_root(view: &View) -> io::Result<()> {
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
    // Any directory does: what lies under it is seen again once the root has moved.
    let base = ["/tmp", "/usr"].map(Path::new).into_iter().find(|dir| dir.is_dir()).unwrap_or(&view.workspace);
    let options = Some(c"mode=755,size=4m");
    mount("tmpfs", base, "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, options)?;
    let old = base.join(OLD.trim_start_matches('/'));
    fs::create_dir(&old)?;
    pivot_root(base, &old)?;
    std::env::set_current_dir("/")
}

fn leave_old_root() -> io::Result<()> {
    unmount(OLD, UnmountFlags::DETACH)?;
    fs::remove_dir(OLD)?;
    mount_remount_read_only("/")
}

/// Only this one mount, not those below it.
pub(super) fn mount_remount_read_only(path: impl AsRef<Path>) -> io::Result<()> {
    let flags = MountFlags::BIND | MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV;
    Ok(rustix::mount::mount_remount(path.as_ref(), flags, "")?)
}

fn old(path: &Path) -> PathBuf {
    Path::new(OLD).join(path.strip_prefix("/").unwrap_or(path))
}

fn system() -> io::Result<()> {
    for path in SYSTEM.map(Path::new) {
        show(path, Bar::Writing)?;
    }
    Ok(())
}

/// All of the machine but [`MACHINES_OWN`]: what an administrator opens with a root of `/`.
fn machine() -> io::Result<()> {
    for entry in fs::read_dir(OLD)? {
        let path = Path::new("/").join(entry?.file_name());
        if path != Path::new(OLD) && !MACHINES_OWN.iter().any(|tree| path == Path::new(tree)) {
            show(&path, Bar::Privileges)?;
        }
    }
    Ok(())
}

/// Places for temporary files. Each name in them costs the kernel about a kilobyte, so these are bounded, too.
fn own_places() -> io::Result<()> {
    tmpfs(Path::new(TMP), "mode=1777,size=256m,nr_inodes=64k")?;
    make_dir("/var")?;
    symlink("/tmp", "/var/tmp")
}

/// Shows a path of the old root at the same place; a link stays a link, and what is not there is left out.
pub(super) fn show(path: &Path, bar: Bar) -> io::Result<()> {
    if path == Path::new("/") {
        return Ok(());
    }
    let source = old(path);
    let Ok(kind) = fs::symlink_metadata(&source) else { return Ok(()) };
    if let Some(parent) = path.parent() {
        make_dir(parent)?;
    }
    if kind.is_symlink() {
        let target = fs::read_link(&source)?;
        return match symlink(target, path) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            other => other,
        };
    }
    if kind.is_dir() {
        make_dir(path)?;
    } else {
        make_file(path)?;
    }
    mount_bind_recursive(&source, path)?;
    restrict_mounts(path, bar)
}

fn etc(view: &View) -> io::Result<()> {
    make_dir("/etc")?;
    for name in etc_names(&old(Path::new("/etc"))) {
        show(&Path::new("/etc").join(name), Bar::Writing)?;
    }
    let home = view.workspace.display();
    let id = rustix::process::getuid().as_raw();
    let group = rustix::process::getgid().as_raw();
    write("/etc/passwd", &format!("satchel:x:{id}:{group}:satchel:{home}:/bin/sh\n"))?;
    write("/etc/group", &format!("satchel:x:{group}:\n"))?;
    write("/etc/hosts", "127.0.0.1 localhost satchel\n::1 localhost\n")?;
    write("/etc/hostname", "satchel\n")
}

/// The names of [`ETC`], and those of versioned run-times.
pub(super) fn etc_names(etc: &Path) -> Vec<PathBuf> {
    let versioned = |name: &str| name.starts_with("java") || name.starts_with("python3");
    let listing = fs::read_dir(etc).into_iter().flatten().flatten();
    let more = listing.filter_map(|entry| entry.file_name().into_string().ok()).filter(|name| versioned(name));
    ETC.iter().map(PathBuf::from).chain(more.map(PathBuf::from)).collect()
}

fn devices() -> io::Result<()> {
    make_dir("/dev")?;
    for name in DEVICES {
        let path = Path::new("/dev").join(name);
        if old(&path).exists() {
            make_file(&path)?;
            mount_bind_recursive(old(&path), &path)?;
            // Where the server is root, so is the owner of the device.
            restrict_mounts(&path, Bar::Changes)?;
        }
    }
    for (name, target) in [("fd", "/proc/self/fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2")] {
        symlink(target, Path::new("/dev").join(name))?;
    }
    tmpfs(Path::new(SHM), "mode=1777,size=64m,nr_inodes=4k")?;
    make_dir("/run")
}

pub(super) fn tmpfs(path: &Path, options: &str) -> io::Result<()> {
    make_dir(path)?;
    let options = std::ffi::CString::new(options)?;
    Ok(mount("tmpfs", path, "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, Some(options.as_c_str()))?)
}

pub(super) fn make_dir(path: impl AsRef<Path>) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).create(path)
}

pub(super) fn make_file(path: &Path) -> io::Result<()> {
    fs::OpenOptions::new().create(true).append(true).open(path).map(drop)
}

#[expect(clippy::disallowed_methods, reason = "this is the host layer, in a tree of its own")]
fn write(path: &str, text: &str) -> io::Result<()> {
    fs::write(path, text)
}
