//! `/api/audit`: what happened, and whether the record of it stands.

use std::{
    future::ready,
    time::{Duration, Instant},
};

use actix_web::{
    HttpRequest, HttpResponse,
    http::header,
    web::{Bytes, Data, Path, Query},
};
use futures_util::{TryStreamExt, stream};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{
    json::Json,
    path::require_words,
    route::{Guard::Permission, Route, route},
    sse,
    standing::Standing,
    state::State,
};
use crate::http::caller::Who;
use crate::http::error::HttpResult;
use satchel_model::{
    audit::{Anchor, AuditFacets, AuditHistogram, AuditOutcome, Entry, EventType, Verification},
    caller::{Caller, Door},
    error::{Error, Result},
    spec::Risk,
    time::Time,
};
use satchel_store::{
    audit::{self, Filter, MAX_BYTES, Page},
    dir,
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(list, Permission("audit:read")),
        route!(facets, Permission("audit:read")),
        route!(histogram, Permission("audit:read")),
        route!(export, Permission("audit:read")),
        route!(tail, Permission("audit:read")),
        route!(one, Permission("audit:read")),
        route!(verify, Permission("audit:read")),
        route!(anchor, Permission("audit:read")),
    ]
}

/// Most rows one answer holds.
const MAX_ROWS: u32 = 500;
/// Bytes of such an answer, about: what its rows hold, and what all rows have.
const LARGEST: usize = 2 * MAX_BYTES;
/// The interval at which the tail looks for new rows.
const TAIL_EVERY: Duration = Duration::from_millis(500);

/// The rows one answer holds, of those that are wanted. Beside an [`AuditFilter`], so neither knows all parameters: the
/// gate refuses those that nobody takes.
#[derive(Debug, Deserialize, IntoParams)]
pub(super) struct AuditSlice {
    /// The number of rows; 50 if left out, 500 at most.
    limit: Option<u32>,
    /// Rows before this number: the `next` of the answer before.
    before: Option<i64>,
}

/// The rows that are wanted.
#[derive(Debug, Deserialize, IntoParams)]
pub(super) struct AuditFilter {
    /// Event types, by commas.
    event_type: Option<String>,
    /// A tool's id or bare name.
    tool: Option<String>,
    /// User names, by commas.
    user: Option<String>,
    /// Outcomes, by commas.
    outcome: Option<String>,
    /// Risks, by commas.
    risk: Option<String>,
    /// Doors, by commas.
    door: Option<String>,
    /// A conversation's id.
    topic: Option<String>,
    /// Text that stands in the row; the id of a call finds its rows. Other texts are counted among the newest 100,000 rows.
    q: Option<String>,
    /// Rows from this moment on, for instance `2026-11-23T08:00:00Z`.
    #[param(value_type = Option<String>, format = DateTime)]
    from: Option<Time>,
    /// Rows before this moment.
    #[param(value_type = Option<String>, format = DateTime)]
    to: Option<Time>,
}

/// Rows, the newest first.
#[derive(Serialize, ToSchema)]
pub(super) struct AuditPage {
    /// The rows.
    entries: Vec<Entry>,
    /// Give it as `before` for the rows that follow; null at the end.
    next: Option<i64>,
}

/// The newest rows that pass.
#[utoipa::path(get, path = "/api/audit",
    tag = "audit", params(AuditSlice, AuditFilter), responses((status = 200, body = AuditPage)))]
async fn list(
    state: Data<State>,
    Who(caller): Who<Caller>,
    slice: Query<AuditSlice>,
    wanted: Query<AuditFilter>,
) -> HttpResult<HttpResponse> {
    let limit = slice.limit.unwrap_or(50).clamp(1, MAX_ROWS);
    let wanted = Filter { before: slice.before, ..filter(wanted.into_inner())? };
    let page = async {
        let Page { entries, more } = state.app.stores.audit.page(wanted, limit).await?;
        let next = entries.last().map(|e| e.seq).filter(|_| more);
        Ok(AuditPage { entries, next })
    };
    Ok(state.delivery.load(caller.user, LARGEST, page).await?)
}

/// Makes the filter of a query.
///
/// # Errors
///
/// If it has a word that no row can have: nothing would be found, and nobody would know why.
fn filter(query: AuditFilter) -> Result<Filter> {
    require_words::<EventType>("event_type", query.event_type.as_deref())?;
    require_words::<AuditOutcome>("outcome", query.outcome.as_deref())?;
    require_words::<Risk>("risk", query.risk.as_deref())?;
    require_words::<Door>("door", query.door.as_deref())?;
    if query.from.zip(query.to).is_some_and(|(from, to)| from > to) {
        return Err(Error::invalid(
            "The query parameter 'to' is before 'from': no row is after one and before the other.",
        ));
    }
    Ok(Filter {
        before: None,
        after: None,
        event_type: query.event_type,
        tool: query.tool,
        user: query.user,
        user_id: None,
        outcome: query.outcome,
        risk: query.risk,
        door: query.door,
        topic: query.topic,
        call: None,
        text: query.q,
        from: query.from,
        to: query.to,
    })
}

/// Counts the rows that pass, and those under each outcome, risk, door, user, event type and tool: those that would with that
/// one chosen, whatever is chosen of its facet now.
#[utoipa::path(get, path = "/api/audit/facets",
    tag = "audit", params(AuditFilter), responses((status = 200, body = AuditFacets)))]
async fn facets(state: Data<State>, query: Query<AuditFilter>) -> HttpResult<Json<AuditFacets>> {
    Ok(Json(state.app.stores.audit.facets(filter(query.into_inner())?).await?))
}

/// Counts the rows that pass over time, and those of them that failed or were refused.
#[utoipa::path(get, path = "/api/audit/histogram",
    tag = "audit", params(AuditFilter), responses((status = 200, body = AuditHistogram)))]
async fn histogram(state: Data<State>, query: Query<AuditFilter>) -> HttpResult<Json<AuditHistogram>> {
    let filter = filter(query.into_inner())?;
    Ok(Json(state.app.stores.audit.histogram(filter, state.app.clock.now()).await?))
}

/// The rows that pass, all of them, one JSON object a line, the oldest first.
#[utoipa::path(get, path = "/api/audit/export", tag = "audit", params(AuditFilter), responses(
    (status = 200, content_type = "application/x-ndjson", body = String),
))]
async fn export(
    state: Data<State>,
    Who(caller): Who<Caller>,
    query: Query<AuditFilter>,
    request: HttpRequest,
) -> HttpResult<HttpResponse> {
    let (wanted, standing, user) = (filter(query.into_inner())?, Standing::new(&request), caller.user);
    let pages = stream::try_unfold((state, wanted, 0), move |(state, wanted, after)| async move {
        let filter = Filter { after: Some(after), ..wanted.clone() };
        let page =
            state.delivery.page(user, state.app.stores.audit.find(filter, MAX_ROWS), |entries| lines(&entries)).await?;
        Ok::<_, Error>(page.map(|(last, lines)| (lines, (state, wanted, last))))
    });
    // Whoever reads slowly reads rows that are written meanwhile.
    let pages = pages.and_then(move |lines| {
        let standing = standing.clone();
        async move { standing.ensure().await.map(|()| lines) }
    });
    let answer = HttpResponse::Ok()
        .content_type("application/x-ndjson")
        .insert_header((header::CONTENT_DISPOSITION, "attachment; filename=\"audit.jsonl\""))
        .streaming(pages);
    Ok(answer)
}

/// The number of the last of these rows, and all of them, a line each; `None` if there are none.
fn lines(entries: &[Entry]) -> Result<Option<(i64, Bytes)>> {
    let Some(last) = entries.last() else { return Ok(None) };
    let mut lines = Vec::new();
    for entry in entries {
        serde_json::to_writer(&mut lines, entry).map_err(Error::internal)?;
        lines.push(b'\n');
    }
    Ok(Some((last.seq, lines.into())))
}

/// New rows as they are written, as server-sent events; each event's id is the row's number, and `Last-Event-ID` goes on after it.
#[utoipa::path(get, path = "/api/audit/tail",
    tag = "audit", responses((status = 200, description = "Server-sent events, each of this form", content_type = "text/event-stream", body = sse::ServerSentEvent)))]
async fn tail(state: Data<State>, Who(caller): Who<Caller>, request: HttpRequest) -> HttpResult<HttpResponse> {
    let seen = request.headers().get("last-event-id").and_then(|value| value.to_str().ok()?.parse::<i64>().ok());
    let start = match seen {
        Some(seq) => seq,
        None => state.app.stores.audit.find(Filter::default(), 1).await?.first().map_or(0, |e| e.seq),
    };
    let user = caller.user;
    let events = stream::try_unfold((state, start), move |(state, after)| async move {
        let silent = Instant::now();
        loop {
            tokio::select! {
                () = state.app.lifecycle.shutdown.cancelled() => return Ok::<_, Error>(None),
                () = tokio::time::sleep(TAIL_EVERY) => {}
            }
            let filter = Filter { after: Some(after), ..Filter::default() };
            let entries = state.app.stores.audit.find(filter, MAX_ROWS).await?;
            let Some(last) = entries.last().map(|e| e.seq) else {
                if silent.elapsed() < sse::ALIVE_EVERY {
                    continue;
                }
                return Ok(Some((sse::beat(), (state, after))));
            };
            let text = state.delivery.page(user, ready(Ok(entries)), |entries| events_of(&entries)).await?;
            return Ok(Some((text, (state, last))));
        }
    });
    Ok(sse::response(&request, events))
}

/// Each of these rows as an event.
fn events_of(entries: &[Entry]) -> Result<Bytes> {
    let events: Result<String> =
        entries.iter().map(|entry| sse::event(&entry.seq.to_string(), "entry", entry)).collect();
    Ok(events?.into())
}

/// One row.
#[utoipa::path(get, path = "/api/audit/entries/{seq}", tag = "audit", responses((status = 200, body = Entry)))]
async fn one(state: Data<State>, Who(caller): Who<Caller>, seq: Path<i64>) -> HttpResult<HttpResponse> {
    Ok(state.delivery.load(caller.user, LARGEST, state.app.stores.audit.get(*seq)).await?)
}

/// Reads the whole chain and says whether it stands, the data directory's anchors included.
#[utoipa::path(post, path = "/api/audit/verify", tag = "audit", responses((status = 200, body = Verification)))]
async fn verify(state: Data<State>) -> HttpResult<Json<Verification>> {
    let anchors = audit::parse_anchors(&dir::anchors(&state.app.config.data, None)?)?;
    Ok(Json(state.app.stores.audit.verify(anchors, state.app.clock.now()).await?))
}

/// Takes an anchor; keep it elsewhere. The data directory keeps a copy.
#[utoipa::path(post, path = "/api/audit/anchors", tag = "audit", responses((status = 200, body = Anchor)))]
async fn anchor(state: Data<State>) -> HttpResult<Json<Anchor>> {
    let anchor = state.app.stores.audit.anchor(state.app.clock.now()).await?;
    let line = serde_json::to_string(&anchor).map_err(Error::internal)?;
    dir::keep_anchor(&state.app.config.data, &line)?;
    Ok(Json(anchor))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, from_value, json};

    #[test]
    fn a_word_no_row_has_is_refused_with_those_there_are() {
        let refused = |query: Value| filter(from_value(query).unwrap()).unwrap_err().message().to_owned();
        assert_eq!(
            refused(json!({"outcome": "success, zzz"})),
            "The query parameter 'outcome' knows no 'zzz': expected one of `success`, `failure`, `refused`, `waiting`, `stopped`."
        );
        for name in ["event_type", "risk", "door"] {
            assert!(refused(json!({name: "zzz"})).starts_with(&format!("The query parameter '{name}' knows no 'zzz'")));
        }
        let known = json!({"event_type": "auth,admin_action", "outcome": "", "risk": "low_write", "door": "cli"});
        assert_eq!(filter(from_value(known).unwrap()).unwrap().event_type.as_deref(), Some("auth,admin_action"));
    }
}
