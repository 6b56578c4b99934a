//! Scripts of one name: which of them is meant, and what the others are told.

use super::library::Shown;
use satchel_model::script::Origin;

/// The script a name means: the one that has it, then the console's. A draft is no tool yet, and is meant wherever there
/// is one: it is nowhere else.
pub(super) fn meant<'a>(all: &'a [Shown], name: &str) -> Option<&'a Shown> {
    let alike = all.iter().filter(|shown| shown.name == name);
    alike.min_by_key(|shown| (shown.problem.is_some() && shown.live.is_some(), shown.kept.is_none()))
}

/// The script that is the tool of this name.
pub(super) fn holder<'a>(all: &'a [Shown], name: &str) -> Option<&'a Shown> {
    all.iter().find(|shown| shown.name == name && shown.live.is_some() && shown.problem.is_none())
}

/// Returns why a script cannot have a name, where one of those that come before it has it. Drafts hold no name.
pub(super) fn lost(before: &[Shown], name: &str, origin: Origin) -> Option<String> {
    let holder = before.iter().find(|shown| shown.name == name && shown.live.is_some())?;
    let way = match origin {
        Origin::Folder => "rename the file and its @name",
        Origin::Shipped | Origin::Console => "save a copy under another name",
    };
    Some(format!("There is already {}: {way}.", description(holder)))
}

/// Describes a script in words.
pub(super) fn description(shown: &Shown) -> String {
    let name = &shown.name;
    match shown.origin {
        Origin::Shipped => format!("a shipped script called {name}"),
        Origin::Folder => format!("a file {name}.rhai in the folder of scripts"),
        Origin::Console => format!("a console script called {name}"),
    }
}

/// Tells the drafts whose name a file has by now why they cannot be published.
pub(super) fn tell_drafts(all: &mut [Shown]) {
    let told: Vec<Option<String>> = all
        .iter()
        .map(|shown| {
            let holder = holder(all, &shown.name).filter(|_| shown.live.is_none() && shown.problem.is_none())?;
            lost(std::slice::from_ref(holder), &shown.name, shown.origin)
        })
        .collect();
    for (shown, told) in all.iter_mut().zip(told).filter(|(_, told)| told.is_some()) {
        shown.problem = told;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::scripts::Loaded;
    use satchel_model::time::Time;
    use satchel_store::scripts::Kept;

    fn shown(name: &str, origin: Origin, problem: Option<String>) -> Shown {
        let live = Some(Arc::new(Loaded::ungranted(origin, &format!("// @name {name}"))));
        Shown { live, name: name.to_owned(), origin, problem, kept: None, updated_at: None }
    }

    fn draft(name: &str) -> Shown {
        let draft = Some(format!("// @name {name}"));
        let kept = Kept {
            name: name.to_owned(),
            draft,
            live: None,
            updated_at: Time::from_millis(0),
            updated_by: None,
            author: None,
        };
        Shown { live: None, kept: Some(kept), ..shown(name, Origin::Console, None) }
    }

    #[test]
    fn a_file_of_a_name_that_is_taken_is_told_so_and_hides_nobody() {
        let mut all = vec![shown("times", Origin::Console, None), shown("units", Origin::Shipped, None)];
        let told = |all: &[Shown], name: &str| lost(all, name, Origin::Folder);
        let said = told(&all, "times").unwrap();
        assert_eq!(said, "There is already a console script called times: rename the file and its @name.");
        assert!(told(&all, "units").unwrap().starts_with("There is already a shipped script"));
        assert_eq!(told(&all, "other"), None);
        // Files come before the console's in the list.
        all.insert(0, shown("times", Origin::Folder, Some(said)));
        assert_eq!(meant(&all, "times").map(|one| one.origin), Some(Origin::Console));
        assert!(meant(&all, "other").is_none());
    }

    #[test]
    fn a_draft_holds_no_name_against_a_file_and_is_told_so() {
        let mut all = vec![draft("times"), draft("other"), draft("broken")];
        assert_eq!(lost(&all, "times", Origin::Folder), None);
        all.extend([
            shown("times", Origin::Folder, None),
            shown("broken", Origin::Folder, Some("Line 1: no.".to_owned())),
        ]);
        tell_drafts(&mut all);
        let told: Vec<_> = all.iter().map(|one| one.problem.as_deref()).collect();
        let said = "There is already a file times.rhai in the folder of scripts: save a copy under another name.";
        assert_eq!(told, [Some(said), None, None, None, Some("Line 1: no.")]);
        assert_eq!(holder(&all, "times").map(|one| one.origin), Some(Origin::Folder));
        assert!(holder(&all, "broken").is_none() && holder(&all, "other").is_none());
        // The text of a draft is to be had here alone.
        assert!(meant(&all, "times").is_some_and(|one| one.kept.is_some()));
    }
}
