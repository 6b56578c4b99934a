//! Characters that cannot be seen, or that change the order of what stands beside them: in what a person decides about
//! they are spelled out.

use std::borrow::Cow;

/// Returns whether a character cannot be seen or changes the direction of writing: controls, the general categories
/// `Cf`, `Zl` and `Zp`, and `Default_Ignorable_Code_Point` of Unicode 16 (variation selectors, tags and the Hangul
/// fillers among them); and the empty Braille pattern.
pub fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{890}'..='\u{891}'
            | '\u{8e2}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{110bd}' | '\u{110cd}'
            | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

/// A text in which everything unseen but line breaks and tabs is spelled out: `\u{202e}`.
pub fn visible(text: &str) -> Cow<'_, str> {
    let hides = |c: char| is_unseen(c) && !matches!(c, '\n' | '\t');
    if !text.contains(hides) {
        return Cow::Borrowed(text);
    }
    let mut spelled = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if hides(c) { spelled.extend(c.escape_unicode()) } else { spelled.push(c) }
    }
    Cow::Owned(spelled)
}

#[cfg(test)]
mod tests {
    use super::*;
    use regex::Regex;

    #[test]
    fn what_unicode_calls_invisible_is_unseen() {
        let named = Regex::new(r"[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\x{2800}]").unwrap();
        let wrong: Vec<char> =
            ('\0'..=char::MAX).filter(|c| named.is_match(c.encode_utf8(&mut [0; 4])) != is_unseen(*c)).collect();
        assert!(wrong.is_empty(), "{:?}", wrong.iter().map(|c| c.escape_unicode().to_string()).collect::<Vec<_>>());
    }

    #[test]
    fn what_is_unseen_is_spelled_out_and_the_rest_stays() {
        assert_eq!(visible("rm\u{202e} -rf\u{7} ok\n\té"), "rm\\u{202e} -rf\\u{7} ok\n\té");
        assert_eq!(visible("a\u{61c}\u{ad}\u{3164}\u{e0041}.txt"), "a\\u{61c}\\u{ad}\\u{3164}\\u{e0041}.txt");
        assert!(matches!(visible("notes.txt"), Cow::Borrowed("notes.txt")));
    }
}
