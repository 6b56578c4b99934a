//! Slugs: the names of systems and endpoints in snake case, each unlike the others.

use std::collections::BTreeSet;

use crate::words;

/// Longest slug.
const MAX_SLUG: usize = 40;

/// The name in snake case, unlike any of `taken`.
pub fn unique_slug(name: &str, fallback: &str, taken: &BTreeSet<String>) -> String {
    let slug = match plain_slug(name) {
        slug if slug.is_empty() => fallback.to_owned(),
        slug => slug,
    };
    let numbered = (2..).map(|n: u32| format!("{slug}_{n}"));
    std::iter::once(slug.clone()).chain(numbered).find(|slug| !taken.contains(slug)).unwrap_or(slug)
}

/// The unique slug of an endpoint; of a name without letters a tool's name may have, that of its method and path.
pub fn endpoint_slug(name: &str, (method, path): (&str, &str), taken: &BTreeSet<String>) -> String {
    let place = plain_slug(&format!("{} {path}", method.to_lowercase()));
    unique_slug(name, &place, taken)
}

fn plain_slug(text: &str) -> String {
    let words = words::apart(text).to_lowercase();
    let mut slug = String::new();
    for word in words.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
        if !slug.is_empty() {
            slug.push('_');
        }
        slug.push_str(word);
    }
    slug.truncate(MAX_SLUG);
    slug.trim_matches('_').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_snake_case_and_unique() {
        let taken = BTreeSet::from(["list_users".to_owned(), "list_users_2".to_owned()]);
        assert_eq!(unique_slug("listUsers", "endpoint", &taken), "list_users_3");
        assert_eq!(unique_slug("Küche / Ä!", "endpoint", &taken), "k_che");
        assert_eq!(unique_slug("東京", "system", &taken), "system");
        assert_eq!(endpoint_slug("東京", ("GET", "/users/{id}"), &taken), "get_users_id");
        assert_eq!(endpoint_slug("東京", ("POST", "/список"), &taken), "post");
    }
}
