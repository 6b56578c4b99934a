//! Scripts of one name: which of them is meant, and what the others are told.

use super::library::Shown;
use crate::model::script::Origin;

/// The script a name means: the one that has it, then the console's.
pub(super) fn meant<'a>(all: &'a [Shown], name: &str) -> Option<&'a Shown> {
    let alike = all.iter().filter(|shown| shown.name == name);
    alike.min_by_key(|shown| (shown.problem.is_some(), shown.kept.is_none()))
}

/// Why a script cannot have a name, where one of those that come before it has it.
pub(super) fn lost(before: &[Shown], name: &str, origin: Origin) -> Option<String> {
    let holder = before.iter().find(|shown| shown.name == name)?;
    let whose = match holder.origin {
        Origin::Shipped => "shipped",
        Origin::Folder => "saved",
        Origin::Console => "console",
    };
    let way = match origin {
        Origin::Folder => "rename the file and its @name",
        Origin::Shipped | Origin::Console => "save a copy under another name",
    };
    Some(format!("There is already a {whose} script called {name}: {way}."))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::engine::scripts::Loaded;

    fn shown(name: &str, origin: Origin, problem: Option<String>) -> Shown {
        let live = Some(Arc::new(Loaded::ungranted(origin, &format!("// @name {name}"))));
        Shown { live, name: name.to_owned(), origin, problem, kept: None, updated_at: None }
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
}
