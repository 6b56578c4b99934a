//! Where calls of a conversation with content from outside lead: a host and port it has not reached yet is asked about.

use super::{Weighed, cannot_ask};
use crate::{
    app::App,
    model::{destination::Destination, error::Result},
    store::egress,
};

/// Those of these places that a tainted conversation has not reached yet. None where the conversation is not tainted.
pub(super) async fn unreached(app: &App, weighed: &Weighed<'_>, places: &[Destination]) -> Result<Vec<Destination>> {
    let (true, Some(topic), false) = (weighed.tainted, weighed.call.topic, places.is_empty()) else {
        return Ok(Vec::new());
    };
    app.egress.settle().await;
    let mut new = Vec::new();
    for place in places {
        if !egress::has_reached(&app.db, topic, place.clone()).await? {
            new.push(place.clone());
        }
    }
    Ok(new)
}

/// Why a person is asked about new places; `None` where there is none.
pub(super) fn told(new: &[Destination]) -> Option<String> {
    if new.is_empty() {
        return None;
    }
    let named: Vec<String> = new.iter().map(|place| format!("'{place}'")).collect();
    let strange = match new.iter().any(Destination::may_look_like_another) {
        true => " Its name is written in letters beyond a to z: it may look like another one.",
        false => "",
    };
    Some(format!(
        "It reaches {}, which this conversation has not yet, and content from outside is in it. Once it has, it does not ask \
         about that again here.{strange}",
        named.join(" and ")
    ))
}

/// Fails where a call within an approved one would reach a new place that its person was not told of.
pub(in crate::engine) async fn ensure_known(app: &App, weighed: &Weighed<'_>, approved: &[Destination]) -> Result<()> {
    if !weighed.tainted {
        return Ok(());
    }
    let mut places = weighed.extent(app).await.destinations;
    places.retain(|place| !approved.contains(place));
    let new = unreached(app, weighed, &places).await?;
    told(&new).map_or(Ok(()), |reason| Err(cannot_ask(weighed, &reason)))
}
