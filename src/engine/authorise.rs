//! Step 2: may this caller use this tool now? A yes becomes a grant, through which alone the tool runs.

use super::{bounds, policy::View, tool::Tool};
use satchel_model::{
    caller::Caller,
    error::{Error, Kind, Result},
    settings::Settings,
};

/// Fails with the reason where the caller may not use the tool, a policy layer denies it, or nobody may now.
pub(super) fn check(tool: &Tool, caller: &Caller, settings: &Settings, policy: &View) -> Result<()> {
    // First: whoever may not use it is not told that it is denied or switched off either.
    permitted(tool, caller)?;
    bounds::check(tool, caller, policy)?;
    match policy.denial(tool) {
        Some(denial) => Err(denial.error(&tool.spec().name)),
        None => switched_on(tool, settings),
    }
}

/// Whether the caller may know of the tool at all: a model is never shown others.
pub fn may_see(tool: &Tool, caller: &Caller) -> bool {
    permitted(tool, caller).is_ok()
}

/// Returns whether the caller may use the tool as far as permissions, policies and the bounds of the agent that acts go:
/// lists show no others.
pub fn may_use(tool: &Tool, caller: &Caller, policy: &View) -> bool {
    may_see(tool, caller) && policy.allows(tool) && bounds::check(tool, caller, policy).is_ok()
}

/// Checks the bounds of the agent that acts for the caller, and of those within whose bounds it does.
///
/// # Errors
///
/// If it may not call the tool, with the bound that says so.
pub fn within_bounds(tool: &Tool, caller: &Caller, policy: &View) -> Result<()> {
    bounds::check(tool, caller, policy)
}

/// Returns whether it can be called now; what is denied or switched off is not offered to a model.
pub fn may_call(tool: &Tool, caller: &Caller, settings: &Settings, policy: &View) -> bool {
    may_use(tool, caller, policy) && switched_on(tool, settings).is_ok() && tool.check_available(settings).is_ok()
}

/// Fails where the caller lacks the tool's permission, or shows a key that does not open what belongs to the person. The
/// reason is for the audit: the caller is answered as if there were no such tool.
pub fn permitted(tool: &Tool, caller: &Caller) -> Result<()> {
    let spec = tool.spec();
    if tool.personal_things().is_some() {
        caller.ensure_personal()?;
    }
    match spec.permission.as_deref() {
        Some(permission) if !caller.permissions.grants(permission) => Err(Error::denied(format!(
            "You may not use {}: it needs the permission '{permission}'. An administrator can grant it.",
            spec.name
        ))),
        _ => Ok(()),
    }
}

/// Fails where the kill switch, its source's or its own is off.
pub fn switched_on(tool: &Tool, settings: &Settings) -> Result<()> {
    let spec = tool.spec();
    if !settings.tools_enabled {
        return Err(Error::new(Kind::Disabled, "Tools are disabled."));
    }
    if settings.disabled_sources.contains(&spec.source) {
        let source = spec.source.as_str();
        return Err(Error::new(Kind::Disabled, format!("Tools are disabled: all from {source} are switched off.")));
    }
    if settings.disabled_tools.iter().any(|name| *name == spec.name || *name == spec.id()) {
        return Err(Error::new(Kind::Disabled, format!("The tool {} is switched off.", spec.name)));
    }
    Ok(())
}
