//! Anchors of the audit that belong to a database: those taken up to its last row.

use satchel_model::{audit::Anchor, backup::AuditHead};

/// The lines of those up to the last row. An anchor may be taken while a database is copied: it is of what is not in it.
pub(super) fn up_to(text: &str, head: Option<&AuditHead>) -> String {
    split(text, head).0
}

/// The lines of those up to the last row, and of the later ones.
pub(super) fn split(text: &str, head: Option<&AuditHead>) -> (String, String) {
    let last = head.map_or(0, |head| head.seq);
    text.split_inclusive('\n').partition(|line| match serde_json::from_str::<Anchor>(line) {
        Ok(anchor) => anchor.seq <= last,
        // One that is just being written has no end. What is no anchor stays: a verification names its line.
        Err(_) => line.ends_with('\n'),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_anchors_and_those_half_written_are_told_apart() {
        let line = |seq: i64| format!("{{\"seq\":{seq},\"hash\":\"ab\",\"at\":\"2026-11-23T12:00:00.000Z\"}}\n");
        let text = format!("{}{}not an anchor\n{}{{\"seq\":", line(1), line(7), line(3));
        let head = AuditHead { seq: 3, hash: "ab".to_owned() };
        let (kept, later) = split(&text, Some(&head));
        assert_eq!(kept, format!("{}not an anchor\n{}", line(1), line(3)));
        assert_eq!(later, format!("{}{{\"seq\":", line(7)));
        assert_eq!(up_to(&line(1), None), "");
    }
}
