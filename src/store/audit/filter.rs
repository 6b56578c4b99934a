//! Which rows of the audit are wanted.

use super::counts::Place;
use crate::sql::Tx;
use satchel_model::{call::CallId, error::Result, time::Time};

/// The columns looked through for a text.
const TEXT: &str = "instr(lower(coalesce(tool, '') || ' ' || person || ' ' || action || ' ' || arguments || ' ' \
                    || coalesce(error, '') || ' ' || coalesce(call_id, '') || ' ' || coalesce(approved_by, '') || ' ' \
                    || coalesce(edited, '') || ' ' || coalesce(agent, '')), lower(?)) > 0";

/// Where the rows of a time stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Between {
    /// The numbers between which they do.
    pub place: Place,
    /// Of rows up to this number it is not known.
    pub uncounted: i64,
}

/// Which rows a query wants; empty fields want all.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Rows before this number.
    pub before: Option<i64>,
    /// Rows after this number.
    pub after: Option<i64>,
    /// `tool_invocation`, `chat_turn`, `auth`, `admin_action`; several by commas.
    pub event_type: Option<String>,
    /// Canonical id of the tool, or its bare name.
    pub tool: Option<String>,
    /// User name; several by commas.
    pub user: Option<String>,
    /// Only rows of this user's id, whatever else is asked.
    pub user_id: Option<String>,
    /// `success`, `failure`, `refused`, `waiting`, `stopped`; several by commas.
    pub outcome: Option<String>,
    /// Risks; several by commas.
    pub risk: Option<String>,
    /// Doors; several by commas.
    pub door: Option<String>,
    /// The conversation's id.
    pub topic: Option<String>,
    /// The call's id.
    pub call: Option<String>,
    /// Text that stands in the tool, the action, the arguments, who approved and what they changed, the agent, or the error.
    /// The id of a call that has rows finds those.
    pub text: Option<String>,
    /// Rows from this moment on.
    pub from: Option<Time>,
    /// Rows before this moment.
    pub to: Option<Time>,
}

impl Filter {
    /// The same filter, by the index where its text is the id of a call: links to a call have it there, and any other text is
    /// looked for in every row.
    pub(super) fn resolve(mut self, tx: &Tx) -> Result<Self> {
        let id = self.text.as_deref().and_then(|text| text.trim().parse::<CallId>().ok()).map(|id| id.to_string());
        let Some(id) = id.filter(|_| self.call.is_none()) else { return Ok(self) };
        if tx.exists("SELECT 1 FROM audit WHERE call_id = ?1 LIMIT 1", [&id])? {
            (self.call, self.text) = (Some(id), None);
        }
        Ok(self)
    }

    /// Whether an index finds the few rows it wants.
    pub(super) fn is_indexed(&self) -> bool {
        is_given(&self.topic) || is_given(&self.call)
    }

    /// Whether it asks for nothing but facets and a time, which is what is counted.
    pub(super) fn is_of_facets(&self) -> bool {
        !self.is_indexed() && !is_given(&self.text) && !is_given(&self.user_id)
    }

    /// What it asks for beside facets and a time.
    pub(super) fn without_facets(&self) -> Self {
        Self {
            topic: self.topic.clone(),
            call: self.call.clone(),
            user_id: self.user_id.clone(),
            text: self.text.clone(),
            ..Self::default()
        }
    }

    /// The ids its tool may have.
    pub(super) fn tools(&self) -> Vec<String> {
        match self.tool.as_deref() {
            None | Some("") => Vec::new(),
            Some(id) if id.contains(':') => vec![id.to_owned()],
            Some(name) => vec![name.to_owned(), format!("builtin:{name}")],
        }
    }

    /// A condition and what it binds, in order. `between` is where the rows of its time stand.
    pub(super) fn clause(&self, between: Option<Between>) -> (String, Vec<String>) {
        let mut conditions = vec!["TRUE".to_owned()];
        let mut bound = Vec::new();
        let numbers = [
            ("seq < ?", self.before),
            ("seq > ?", self.after),
            ("time >= ?", self.from.map(Time::millis)),
            ("time < ?", self.to.map(Time::millis)),
        ];
        for (condition, number) in numbers {
            if let Some(number) = number {
                conditions.push(condition.replace('?', &number.to_string()));
            }
        }
        if let Some(Between { place: Place { first, last }, uncounted }) = between {
            conditions.push(match uncounted {
                0 => format!("seq BETWEEN {first} AND {last}"),
                _ => format!("(seq BETWEEN {first} AND {last} OR seq <= {uncounted})"),
            });
        }
        let lists = [
            ("event_type", &self.event_type),
            ("person", &self.user),
            ("user_id", &self.user_id),
            ("outcome", &self.outcome),
            ("risk", &self.risk),
            ("door", &self.door),
            ("topic", &self.topic),
            ("call_id", &self.call),
        ];
        for (column, list) in lists {
            let values = words(list.as_deref());
            if values.is_empty() {
                continue;
            }
            conditions.push(format!("{column} IN ({})", vec!["?"; values.len()].join(", ")));
            bound.extend(values.into_iter().map(str::to_owned));
        }
        let tools = self.tools();
        if !tools.is_empty() {
            conditions.push(format!("tool IN ({})", vec!["?"; tools.len()].join(", ")));
            bound.extend(tools);
        }
        if let Some(text) = self.text.as_deref().filter(|t| !t.is_empty()) {
            conditions.push(TEXT.to_owned());
            bound.push(text.to_owned());
        }
        (conditions.join(" AND "), bound)
    }
}

fn is_given(text: &Option<String>) -> bool {
    text.as_deref().is_some_and(|text| !text.is_empty())
}

/// The values of a list by commas, for which nothing is none.
pub(super) fn words(list: Option<&str>) -> Vec<&str> {
    list.filter(|list| !list.is_empty()).map(|list| list.split(',').map(str::trim).collect()).unwrap_or_default()
}
