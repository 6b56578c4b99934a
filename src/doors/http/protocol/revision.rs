//! Revisions of the protocol that are spoken here, and in what they differ.

use rmcp::model::ProtocolVersion;

/// A revision, the older ones first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::http) enum Revision {
    /// 2025-06-18: a handshake, sessions, structured results.
    June2025,
    /// 2025-11-25: icons, and wrong arguments are failures of a tool.
    November2025,
    /// 2026-07-28: every request stands alone.
    July2026,
}

impl Revision {
    /// All of them, the newest first.
    pub(in crate::http) const ALL: [Self; 3] = [Self::July2026, Self::November2025, Self::June2025];

    /// The revision of a date; `None` if it is not spoken here.
    pub(in crate::http) fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|revision| revision.version().as_str() == text)
    }

    /// The revision that a handshake agrees on: the one asked for, or the newest that begins with one.
    pub(in crate::http) fn agreed(asked: &str) -> Self {
        Self::parse(asked).filter(|revision| !revision.is_stateless()).unwrap_or(Self::November2025)
    }

    /// Its date.
    pub(in crate::http) fn version(self) -> ProtocolVersion {
        match self {
            Self::June2025 => ProtocolVersion::V_2025_06_18,
            Self::November2025 => ProtocolVersion::V_2025_11_25,
            Self::July2026 => ProtocolVersion::V_2026_07_28,
        }
    }

    /// `true` where each request says all there is to know of it: no handshake, no sessions.
    pub(in crate::http) fn is_stateless(self) -> bool {
        self >= Self::July2026
    }

    /// `true` where tools may show icons.
    pub(in crate::http) fn has_icons(self) -> bool {
        self >= Self::November2025
    }

    /// `true` where structured content is any JSON; before, it is an object.
    pub(in crate::http) fn takes_any_structure(self) -> bool {
        self >= Self::July2026
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handshake_agrees_on_what_was_asked_or_on_the_newest_that_has_one() {
        assert_eq!(Revision::agreed("2025-06-18"), Revision::June2025);
        for asked in ["2025-11-25", "2026-07-28", "2099-01-01", "2024-11-05", "", "yesterday"] {
            assert_eq!(Revision::agreed(asked), Revision::November2025, "{asked}");
        }
        assert_eq!(Revision::parse("2099-01-01"), None);
    }
}
