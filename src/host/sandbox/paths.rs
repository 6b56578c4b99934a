//! Landlock: what may be read, run and written, whatever the mounts show.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use landlock::{
    ABI, Access, AccessFs, BitFlags, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr,
    RulesetError, RulesetStatus, Scope,
};

use super::{
    plan::{Part, Plan, Problem},
    view::{DEVICES, SYSTEM, etc_names},
};
use crate::hidden::closed_to;

/// The newest rules asked for; an older kernel keeps those it knows.
const NEWEST: ABI = ABI::V6;

/// Restricts this process and its children.
pub(super) fn restrict(plan: &Plan) -> Result<(), Problem> {
    let rules = open_ruleset().map_err(Problem::new(Part::Landlock, "make rules"))?;
    let rules = grant_all(rules, plan).map_err(Problem::new(Part::Landlock, "grant paths"))?;
    let status = rules.restrict_self().map_err(Problem::new(Part::Landlock, "restrict"))?;
    match status.ruleset {
        RulesetStatus::NotEnforced => Err(Problem::new(Part::Landlock, "restrict")("this kernel has none")),
        _ => Ok(()),
    }
}

fn open_ruleset() -> Result<RulesetCreated, RulesetError> {
    Ruleset::default().handle_access(AccessFs::from_all(NEWEST))?.scope(Scope::from_all(NEWEST))?.create()
}

fn grant_all(mut rules: RulesetCreated, plan: &Plan) -> Result<RulesetCreated, RulesetError> {
    let reading = AccessFs::from_read(NEWEST);
    let all = AccessFs::from_all(NEWEST);
    // In a tree of its own what is hidden is covered already.
    let is_covered = plan.uses(Part::Mount);
    let hidden = if is_covered { Vec::new() } else { plan.view.hidden.clone() };
    for path in readable(plan) {
        rules = grant(rules, &path, reading, &hidden)?;
    }
    for name in DEVICES {
        rules = grant(rules, &Path::new("/dev").join(name), AccessFs::ReadFile | AccessFs::WriteFile, &hidden)?;
    }
    for path in private(plan) {
        rules = grant(rules, Path::new(path), all, &hidden)?;
    }
    for root in &plan.view.roots {
        let machines = closed_to(root).filter(|_| !is_covered).map(Path::to_owned);
        let not_of_root: Vec<PathBuf> = hidden.iter().cloned().chain(machines).collect();
        rules = grant(rules, root, all, &not_of_root)?;
    }
    let Some(own) = &plan.view.own else { return Ok(rules) };
    let in_own: Vec<PathBuf> = hidden.into_iter().filter(|place| place.starts_with(own)).collect();
    grant(rules, own, all, &in_own)
}

/// With a tree of its own everything in it may be read; otherwise only what such a tree would show.
fn readable(plan: &Plan) -> Vec<PathBuf> {
    if plan.uses(Part::Mount) {
        return vec![PathBuf::from("/")];
    }
    let etc = Path::new("/etc");
    let proc = ["self", "cpuinfo", "meminfo", "stat", "loadavg", "uptime", "filesystems", "version"];
    SYSTEM
        .iter()
        .map(PathBuf::from)
        .chain(etc_names(etc).into_iter().map(|name| etc.join(name)))
        .chain(["passwd", "group", "hosts", "nsswitch.conf"].map(|name| etc.join(name)))
        .chain(proc.map(|name| Path::new("/proc").join(name)))
        .collect()
}

/// Directories that are this sandbox's own.
fn private(plan: &Plan) -> &'static [&'static str] {
    if plan.uses(Part::Mount) { &["/tmp", "/dev/shm"] } else { &[] }
}

/// Grants a path; where something hidden lies in it, all that is beside the way there: a rule cannot be taken back for
/// a part of what it grants. What is hidden is not granted at all.
fn grant(
    rules: RulesetCreated,
    path: &Path,
    access: BitFlags<AccessFs>,
    hidden: &[PathBuf],
) -> Result<RulesetCreated, RulesetError> {
    let Ok(path) = path.canonicalize() else { return Ok(rules) };
    if hidden.iter().any(|place| path.starts_with(place)) {
        return Ok(rules);
    }
    if hidden.iter().any(|place| place.starts_with(&path)) {
        return beside(&path).into_iter().try_fold(rules, |rules, path| grant(rules, &path, access, hidden));
    }
    let Ok(opened) = PathFd::new(&path) else { return Ok(rules) };
    let access = if path.is_dir() { access } else { access & AccessFs::from_file(NEWEST) };
    rules.add_rule(PathBeneath::new(opened, access))
}

fn beside(path: &Path) -> Vec<PathBuf> {
    let children = |dir: fs::ReadDir| dir.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>();
    let listed = fs::read_dir(path).and_then(children).unwrap_or_default();
    // A link is not followed: what it leads to is granted where it lies, or not at all.
    listed.into_iter().filter(|child| !child.is_symlink()).collect()
}
