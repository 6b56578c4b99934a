//! The origin of content that nobody here wrote or typed (SECURITY.md, "Origin").

use serde::{Deserialize, Serialize};
use url::Url;

use super::{caller::Caller, time::Time, user::UserId};

/// The place outside that content came from, and when it came in. Kept with whatever is stored while such content was
/// in the conversation: who reads it later has read from that place too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Origin {
    /// The tool that brought it and the place it was brought from, for instance `web_fetch: https://invoices.example/may`.
    pub source: String,
    /// The time at which it came in.
    pub at: Time,
    /// The person whose program wrote it, with a key of theirs; `None` for what came from elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = "uuid")]
    pub program_of: Option<UserId>,
}

impl Origin {
    /// Of this place, which was read now.
    pub fn new(source: impl Into<String>, at: Time) -> Self {
        Self { source: source.into(), at, program_of: None }
    }

    /// The origin of what a command says that could read a file with this one. What is of such an output already says so
    /// once.
    #[must_use]
    pub fn of_workspace(self, file: &str) -> Self {
        if self.source.contains(HOLDS) {
            self
        } else {
            Self::new(format!("{HOLDS}{file} from {}", self.source), self.at)
        }
    }

    /// The origin of what a program writes that calls with a key: what it has read nobody knows. `None` for a person.
    pub fn of_program(caller: &Caller, by: &str, now: Time) -> Option<Self> {
        (!caller.is_person()).then(|| Self {
            program_of: Some(caller.user),
            ..Self::new(format!("{by}: a program of {}", caller.username), now)
        })
    }

    /// Returns whether it is outside for this caller: what a program of a person wrote is not for another program of
    /// that person.
    pub fn is_outside_for(&self, caller: &Caller) -> bool {
        caller.is_person() || self.program_of != Some(caller.user)
    }

    /// The origin of what holds content of both: of a place outside before a program's, and of two persons' programs
    /// nobody's own.
    pub fn joined(first: Option<Self>, second: Option<Self>) -> Option<Self> {
        match (first, second) {
            (Some(first), Some(second)) if first.program_of != second.program_of => {
                let program_first = first.program_of.is_some() && second.program_of.is_none();
                Some(Self { program_of: None, ..if program_first { second } else { first } })
            }
            (first, second) => first.or(second),
        }
    }

    /// The same for what everybody may read: only the tool, and the host of an address. The rest may be private, a search
    /// for instance, or the name of a file.
    #[must_use]
    pub fn for_all(self) -> Self {
        if self.program_of.is_some() {
            return self;
        }
        let source = match self.source.split_once(": ") {
            _ if self.source.contains(HOLDS) => "files in a workspace".to_owned(),
            Some((tool, place)) => match Url::parse(place).ok().as_ref().and_then(Url::host_str) {
                Some(host) if place.contains("://") => format!("{tool}: {host}"),
                _ => tool.to_owned(),
            },
            None => self.source,
        };
        Self { source, ..self }
    }
}

/// Begins the source of what comes of a command, before a file that it could read.
const HOLDS: &str = "the workspace holds ";

/// The time at which a file last changed, in nanoseconds since 1970. Nobody can set that back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastChange {
    /// The file itself.
    pub file: i64,
    /// The file, or a directory on the way to it: what was moved with its directory did not change itself.
    pub path: i64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_workspace_holds_is_said_once() {
        let page = Origin::new("web_fetch: https://invoices.example/may", Time::from_millis(7));
        let first = page.of_workspace("invoices.csv");
        assert_eq!(first.source, "the workspace holds invoices.csv from web_fetch: https://invoices.example/may");
        assert_eq!(first.clone().of_workspace("copy.csv"), first);
    }

    #[test]
    fn what_holds_words_of_a_page_and_of_a_program_is_outside_for_every_program() {
        let (ann, bob) = (UserId::new(), UserId::new());
        let page = || Origin::new("web_fetch: https://invoices.example/may", Time::from_millis(7));
        let of = |user| Origin { program_of: Some(user), ..Origin::new("write: a program", Time::from_millis(7)) };
        let joined = |first, second| Origin::joined(Some(first), Some(second)).unwrap();
        assert_eq!(joined(of(ann), page()), page());
        assert_eq!(joined(page(), of(ann)), page());
        assert_eq!(joined(of(ann), of(ann)), of(ann));
        assert_eq!(joined(of(ann), of(bob)).program_of, None);
        assert_eq!(Origin::joined(None, Some(of(ann))), Some(of(ann)));
    }

    #[test]
    fn everybody_reads_the_tool_and_the_host_and_nothing_private() {
        for (source, wanted) in [
            ("web_fetch: https://ann:secret@invoices.example:8443/may?of=ann", "web_fetch: invoices.example"),
            ("web_search: is ann ill", "web_search"),
            ("web_search: is: ann ill", "web_search"),
            ("web_search: is ann ill: cancer", "web_search"),
            ("web_search: http:cancer", "web_search"),
            ("document: web_fetch: https://trusted.example/", "document"),
            ("list_mail", "list_mail"),
            ("document: Wages of May", "document"),
            ("the workspace holds wages.xlsx from web_fetch: https://a.example/", "files in a workspace"),
            ("exec: the workspace holds wages.xlsx from a page", "files in a workspace"),
        ] {
            assert_eq!(Origin::new(source, Time::from_millis(7)).for_all().source, wanted, "{source}");
        }
    }
}
