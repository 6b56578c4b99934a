//! The statements that the store traces as it prepares them.

use std::{
    collections::BTreeSet,
    fmt::Debug,
    sync::{Arc, Mutex},
};

use tracing::{
    Event, Level, Subscriber,
    field::{Field, Visit},
};
use tracing_subscriber::{
    Layer,
    filter::Targets,
    layer::{Context, SubscriberExt as _},
};

/// The target of these events.
const TARGET: &str = "satchel::sql";

/// The distinct statements so far.
#[derive(Clone, Default)]
pub struct Traced(Arc<Mutex<BTreeSet<String>>>);

/// Begins to note statements, for the rest of the process.
pub fn begin() -> Traced {
    let traced = Traced::default();
    let targets = Targets::new().with_target(TARGET, Level::TRACE);
    let subscriber = tracing_subscriber::registry().with(traced.clone().with_filter(targets));
    tracing::subscriber::set_global_default(subscriber).unwrap();
    traced
}

impl Traced {
    /// Those that only a driver of SQLite is asked are left out.
    pub fn statements(&self) -> BTreeSet<String> {
        let all = self.0.lock().unwrap();
        all.iter().filter(|sql| !sql.starts_with("PRAGMA ")).cloned().collect()
    }
}

impl<S: Subscriber> Layer<S> for Traced {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        event.record(&mut Noted(self));
    }
}

struct Noted<'a>(&'a Traced);

impl Visit for Noted<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "sql" {
            self.0.0.lock().unwrap().insert(value.split_whitespace().collect::<Vec<_>>().join(" "));
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn Debug) {}
}
