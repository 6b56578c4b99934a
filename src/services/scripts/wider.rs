//! The things a text may do that the live one may not: whoever publishes it must agree to each, in these words.

use std::collections::BTreeSet;

use super::loaded::{Capability, Loaded};
use satchel_model::{
    caller::Permissions,
    error::{Error, Result},
};
use satchel_script::header::Head;

/// Returns what the next text may do that the live one may not. `hidden` are the keys whose stored values are secrets.
pub(super) fn wider(live: Option<&Loaded>, next: &Loaded, hidden: &BTreeSet<String>) -> Vec<String> {
    let told = |loaded: &Loaded| loaded.capabilities().iter().map(Capability::description).collect::<BTreeSet<_>>();
    let before = live.map(told).unwrap_or_default();
    let mut wider: Vec<String> = told(next).difference(&before).cloned().collect();
    let nothing = Head::default();
    let (live, next) = (live.map_or(&nothing, |live| &live.head), &next.head);
    if let Some(needed) = lost_permission(live, next) {
        wider.push(match &next.permission {
            Some(other) => format!("permission {other} instead of {needed}"),
            None => format!("without the permission {needed}"),
        });
    }
    if next.risk < live.risk {
        wider.push(format!("risk {} instead of {}", next.risk.as_str(), live.risk.as_str()));
    }
    let is = |head: &Head, key: &str, secret: bool| head.settings.iter().any(|s| s.key == key && s.secret == secret);
    let opened = next.settings.iter().filter(|setting| {
        let key = setting.key.as_str();
        !setting.secret && !is(live, key, false) && (is(live, key, true) || hidden.contains(key))
    });
    wider.extend(opened.map(|setting| format!("'{}' is no secret any more", setting.key)));
    wider
}

/// Checks the permission the next text asks for.
///
/// # Errors
///
/// If it does not ask for that of the live one, and its author does not hold it.
pub(super) fn require_permission(live: &Head, next: &Head, held: &Permissions) -> Result<()> {
    let what = |needed: &str| format!("leave @permission {needed} in its header");
    require_held(live, lost_permission(live, next), held, what)
}

/// Checks the permission of who deletes the live text.
///
/// # Errors
///
/// If it asks for one they have not got: under its name could stand one then that asks for none.
pub(super) fn require_permission_to_delete(live: &Head, held: &Permissions) -> Result<()> {
    require_held(live, live.permission.as_deref(), held, |_| "somebody who has it may delete it".to_owned())
}

fn require_held(live: &Head, asked: Option<&str>, held: &Permissions, what: impl Fn(&str) -> String) -> Result<()> {
    match asked.filter(|needed| !held.grants(needed)) {
        None => Ok(()),
        Some(needed) => Err(Error::denied(format!(
            "{} asks its callers for the permission '{needed}', which you have not got yourself: {}.",
            live.name,
            what(needed)
        ))),
    }
}

fn lost_permission<'a>(live: &'a Head, next: &Head) -> Option<&'a str> {
    live.permission.as_deref().filter(|needed| next.permission.as_deref() != Some(needed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use satchel_model::script::Origin;

    fn text(header: &str) -> Loaded {
        Loaded::ungranted(Origin::Console, &format!("// @name a\n{header}\nfn run(args) {{ 1 }}"))
    }

    fn more(live: &str, next: &str) -> Vec<String> {
        wider(Some(&text(live)), &text(next), &BTreeSet::from(["old".to_owned()]))
    }

    #[test]
    fn what_kept_callers_away_is_named_when_it_goes() {
        let guarded = "// @risk destructive\n// @permission users:manage";
        assert_eq!(more(guarded, guarded), [""; 0]);
        assert_eq!(more("", guarded), [""; 0]);
        let all = ["without the permission users:manage", "risk read instead of destructive"];
        assert_eq!(more(guarded, ""), all);
        let other = "// @risk destructive\n// @permission audit:read";
        assert_eq!(more(guarded, other), ["permission audit:read instead of users:manage"]);
    }

    #[test]
    fn a_secret_that_becomes_plain_is_named_once() {
        let (secret, plain) = ("// @config key secret \"k\"", "// @config key \"k\"");
        assert_eq!(more(secret, plain), ["'key' is no secret any more"]);
        assert_eq!(more(plain, plain), [""; 0]);
        assert_eq!(more("", plain), [""; 0]);
        assert_eq!(more(plain, secret), ["secret key"]);
        let (two, to_one) = ("// @http a.org, b.org", "// @config key secret to a.org \"k\"\n// @http a.org, b.org");
        let loose = format!("{secret}\n{two}");
        assert_eq!(
            more(&format!("{secret}\n// @http a.org"), &loose),
            ["http b.org", "secret key, sent to any of a.org, b.org"]
        );
        assert_eq!(more(&loose, to_one), ["secret key, sent to a.org"]);
        assert_eq!(more(to_one, &loose), ["secret key, sent to any of a.org, b.org"]);
        let old = "// @config old \"o\"";
        assert_eq!(more("", old), ["'old' is no secret any more"]);
        assert_eq!(more(old, old), [""; 0]);
    }

    #[test]
    fn nobody_takes_a_permission_away_that_he_has_not_got() {
        let head = |header: &str| text(header).head;
        let (guarded, open) = (head("// @permission users:manage"), head(""));
        let (sam, anna) = (Permissions::parse(["scripts:write"]).unwrap(), Permissions::parse(["users:*"]).unwrap());
        require_permission(&guarded, &guarded, &sam).unwrap();
        require_permission(&open, &guarded, &sam).unwrap();
        require_permission(&guarded, &open, &anna).unwrap();
        for less in [open, head("// @permission users:see")] {
            let said = require_permission(&guarded, &less, &sam).unwrap_err();
            assert!(said.message().contains("a asks its callers for the permission 'users:manage'"), "{said}");
        }
    }
}
