//! Places that calls of a conversation with content from outside lead to: a host and port it has not reached yet is asked
//! about.

use super::assessed::AssessedCall;
use crate::extent::Extent;
use satchel_app::App;
use satchel_model::{
    destination::{Destination, MOST_NAMED},
    error::{Error, Result},
};
use satchel_store::egress;

/// Destinations of a call that its conversation has not reached yet.
#[derive(Default)]
pub(super) struct NewPlaces {
    /// Those the call reaches: from then on they are known.
    reaches: Vec<Destination>,
    /// Those its arguments name, which it may never dial itself.
    names: Vec<Destination>,
    /// The words from outside that may have led to it.
    led_by: &'static str,
}

impl NewPlaces {
    /// Those of a call's extent, without the ones that are `known`. None where no words from outside may have led to it.
    /// Where only such do that describe tools, a tool of theirs leads to its own system.
    ///
    /// # Errors
    ///
    /// Refuses arguments that name more destinations than a person reads.
    pub(super) async fn new(
        app: &App,
        assessed: &AssessedCall<'_>,
        extent: &Extent,
        known: &[Destination],
    ) -> Result<Self> {
        let Some(led_by) = assessed.led_by() else { return Ok(Self::default()) };
        if assessed.call.topic.is_none() && !assessed.call.programmed {
            return Ok(Self::default());
        }
        if extent.names_more {
            let told = format!("The arguments name more than {MOST_NAMED} hosts: send them in several calls.");
            return Err(Error::invalid(told));
        }
        let its_own = !assessed.tainted && assessed.call.tool_words.as_ref().is_some_and(|words| words.of_called);
        let is_known = |place: &Destination| known.contains(place) || (its_own && !extent.names.contains(place));
        let places: Vec<Destination> = extent.places().filter(|place| !is_known(place)).cloned().collect();
        if places.is_empty() {
            return Ok(Self::default());
        }
        let new = match assessed.call.topic {
            Some(topic) => {
                app.net.egress.settle().await;
                egress::unreached(&app.db, topic, places).await?
            }
            // A program that belongs to no conversation: nothing is known that it may have reached.
            None => places,
        };
        let (names, reaches) = new.into_iter().partition(|place| extent.names.contains(place));
        Ok(Self { reaches, names, led_by })
    }

    /// The reason a person is asked about them; `None` where there is none.
    pub(super) fn message(&self) -> Option<String> {
        let Self { reaches, names, led_by } = self;
        let named =
            |places: &[Destination]| places.iter().map(|place| format!("'{place}'")).collect::<Vec<_>>().join(" and ");
        let mut sentences = Vec::new();
        if !reaches.is_empty() {
            sentences.push(format!(
                "It reaches {}, which this conversation has not yet, and {led_by}. Once it has, it does not ask about that \
                 again here.",
                named(reaches)
            ));
        }
        if !names.is_empty() {
            sentences.push(format!(
                "Its arguments name {}, which this conversation has not reached, and {led_by}.",
                named(names)
            ));
        }
        if reaches.iter().chain(names).any(Destination::may_look_like_another) {
            sentences.push("A name is written in letters beyond a to z: it may look like another one.".to_owned());
        }
        (!sentences.is_empty()).then(|| sentences.join(" "))
    }
}
