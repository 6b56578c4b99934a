//! Places the tree must not show, though they lie in a root: the server's own data, and programs that are blocked.

use std::{
    collections::BTreeSet,
    fs, io,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use rustix::mount::mount_bind_recursive;

use super::{
    mask,
    plan::View,
    sys::{Bar, restrict_mounts},
    view::{make_file, mount_remount_read_only, show, tmpfs},
};

/// Stands for a file that is not shown: nobody may read or run it.
const NOTHING: &str = "/.nothing";

/// Covers the server's own data wherever it shows, then puts the user's folder in it back.
pub(super) fn own_data(view: &View) -> io::Result<()> {
    let own = view.own.as_deref();
    let (inside, around): (Vec<_>, Vec<_>) =
        view.hidden.iter().partition(|place| own.is_some_and(|own| place.starts_with(own)));
    let covered = cover_all(&around)?;
    if let Some(own) = own {
        show(own, Bar::Privileges)?;
    }
    // Whatever was mounted there came back with it.
    covered.into_iter().chain(cover_all(&inside)?).try_for_each(mount_remount_read_only)
}

/// Covers what is there of these. Gives back the empty directories that cover some.
fn cover_all(places: &[&PathBuf]) -> io::Result<Vec<PathBuf>> {
    let mut covered = Vec::new();
    for place in places {
        match fs::symlink_metadata(place) {
            Ok(about) if about.is_dir() => {
                pin_way(place)?;
                tmpfs(place, "mode=755,size=64k")?;
                covered.push((*place).clone());
            }
            Ok(_) => {
                pin_way(place)?;
                cover_file(place)?;
            }
            // It does not show, or lies in one that was covered.
            Err(_) => {}
        }
    }
    Ok(covered)
}

/// Mounts each directory on the way to a place on itself: what is a mount can be neither renamed nor removed. Otherwise
/// a command could move what holds the place to where the next command finds it uncovered.
fn pin_way(place: &Path) -> io::Result<()> {
    let way: Vec<&Path> = place.ancestors().skip(1).filter(|dir| *dir != Path::new("/")).collect();
    way.into_iter().rev().try_for_each(|dir| Ok(mount_bind_recursive(dir, dir)?))
}

fn cover_file(file: &Path) -> io::Result<()> {
    let nothing = Path::new(NOTHING);
    if !nothing.exists() {
        make_file(nothing)?;
        fs::set_permissions(nothing, PermissionsExt::from_mode(0o000))?;
    }
    mount_bind_recursive(nothing, file)?;
    restrict_mounts(file, Bar::Writing)
}

/// Blocked programs can be neither run nor copied.
#[expect(clippy::disallowed_methods, reason = "this is the host layer, in a tree of its own")]
pub(super) fn programs(blocked: &[String]) -> io::Result<()> {
    // One directory of programs may be a link to another.
    let programs: BTreeSet<_> =
        mask::programs(blocked).into_iter().filter_map(|path| path.canonicalize().ok()).collect();
    programs.iter().try_for_each(|program| cover_file(program))?;
    // What is mounted stays when its name is gone.
    match fs::remove_file(NOTHING) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
}
