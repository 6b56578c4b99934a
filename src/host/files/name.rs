//! Names of files made of titles.

/// Longest name made of a title, in characters.
const MAX_NAME: usize = 80;

/// A title as a file's name: letters, digits and single hyphens.
pub fn stored_name(title: &str) -> String {
    let mut name = String::new();
    for c in title.chars() {
        match c {
            c if c.is_alphanumeric() || c == '_' => name.push(c),
            _ if name.is_empty() || name.ends_with('-') => {}
            _ => name.push('-'),
        }
    }
    let mut name: String = name.chars().take(MAX_NAME).collect();
    while name.ends_with('-') || name.len() > 200 {
        name.pop();
    }
    if name.is_empty() { "document".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_become_names_that_lead_nowhere_else() {
        for (title, wanted) in [
            ("Q4 report: costs & gains", "Q4-report-costs-gains"),
            ("../../etc/passwd", "etc-passwd"),
            ("Größe 日本", "Größe-日本"),
            (" ./ ", "document"),
        ] {
            assert_eq!(stored_name(title), wanted);
        }
        assert!(stored_name(&"語".repeat(300)).len() <= 200);
    }
}
