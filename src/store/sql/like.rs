//! Patterns of LIKE.

/// A LIKE pattern that finds the text itself, whatever signs it holds.
pub(crate) fn like(text: &str) -> String {
    let mut pattern = String::from("%");
    for c in text.chars() {
        if matches!(c, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern + "%"
}
