//! What a text may do that the live one may not: whoever publishes it must agree to each, in these words.

use std::collections::BTreeSet;

use super::loaded::{Capability, Loaded};
use crate::script::header::Head;

/// What the next text may do that the live one may not. `hidden` are the keys whose stored values are secrets.
pub(super) fn wider(live: Option<&Loaded>, next: &Loaded, hidden: &BTreeSet<String>) -> Vec<String> {
    let told = |loaded: &Loaded| loaded.capabilities().iter().map(Capability::told).collect::<BTreeSet<_>>();
    let before = live.map(told).unwrap_or_default();
    let mut wider: Vec<String> = told(next).difference(&before).cloned().collect();
    let nothing = Head::default();
    let (live, next) = (live.map_or(&nothing, |live| &live.head), &next.head);
    let is = |head: &Head, key: &str, secret: bool| head.settings.iter().any(|s| s.key == key && s.secret == secret);
    let opened = next.settings.iter().filter(|setting| {
        let key = setting.key.as_str();
        !setting.secret && !is(live, key, false) && (is(live, key, true) || hidden.contains(key))
    });
    wider.extend(opened.map(|setting| format!("'{}' is no secret any more", setting.key)));
    wider
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::script::Origin;

    fn text(header: &str) -> Loaded {
        Loaded::ungranted(Origin::Console, &format!("// @name a\n{header}\nfn run(args) {{ 1 }}"))
    }

    fn more(live: &str, next: &str) -> Vec<String> {
        wider(Some(&text(live)), &text(next), &BTreeSet::from(["old".to_owned()]))
    }

    #[test]
    fn a_secret_that_becomes_plain_is_named_once() {
        let (secret, plain) = ("// @config key secret \"k\"", "// @config key \"k\"");
        assert_eq!(more(secret, plain), ["'key' is no secret any more"]);
        assert_eq!(more(plain, plain), [""; 0]);
        assert_eq!(more("", plain), [""; 0]);
        assert_eq!(more(plain, secret), ["secret key"]);
        let old = "// @config old \"o\"";
        assert_eq!(more("", old), ["'old' is no secret any more"]);
        assert_eq!(more(old, old), [""; 0]);
    }
}
