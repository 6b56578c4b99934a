//! The meters that `/metrics` shows: requests and their time, by route and class of status.

use std::time::{Duration, Instant};

use actix_web::http::Method;
use metrics::{Counter, Key, Label, Level, Metadata, Recorder};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusRecorder};

use satchel_model::{
    llm::Provider,
    provider::health::{ProviderHealth, ProviderState},
};

const CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];
const META: Metadata<'static> = Metadata::new(module_path!(), Level::INFO, None);

/// The counters of one server.
pub(super) struct Meters {
    recorder: PrometheusRecorder,
    /// Counts what no route answers.
    pub(super) other: RouteMeter,
    started: Instant,
}

/// The counters of one route.
pub(super) struct RouteMeter {
    requests: Vec<Counter>,
    micros: Counter,
}

impl Meters {
    pub(super) fn new() -> Self {
        let recorder = PrometheusBuilder::new().build_recorder();
        let other = RouteMeter::new(&recorder, "other", "other");
        Self { recorder, other, started: Instant::now() }
    }

    /// The counters of a route, which are shown from now on.
    pub(super) fn route(&self, method: &Method, path: &str) -> RouteMeter {
        RouteMeter::new(&self.recorder, method.as_str(), path)
    }

    /// Everything counted, in Prometheus' text format.
    pub(super) fn render(&self) -> String {
        let mut text = self.recorder.handle().render();
        let gauges = [
            ("satchel_uptime_seconds", "Time since the start.", self.started.elapsed().as_secs()),
            ("satchel_build_info", "Always 1.", 1),
        ];
        for (name, help, value) in gauges {
            let labels = match name {
                "satchel_build_info" => concat!("{version=\"", env!("CARGO_PKG_VERSION"), "\"}"),
                _ => "",
            };
            text.push_str(&format!("# HELP {name} {help}\n# TYPE {name} gauge\n{name}{labels} {value}\n"));
        }
        text
    }
}

/// The circuit breakers of the model providers, in Prometheus' text format.
pub(super) fn providers<'a>(asked: impl Iterator<Item = (&'a Provider, ProviderHealth)>) -> String {
    let (mut states, mut failures) = (String::new(), String::new());
    for (provider, health) in asked {
        let (id, name, model) = (provider.id, label(&provider.name), label(&provider.model));
        let labels = format!("id=\"{id}\",provider=\"{name}\",model=\"{model}\"");
        for state in [ProviderState::Closed, ProviderState::Open, ProviderState::HalfOpen] {
            let (word, value) = (state.as_str(), u8::from(state == health.state));
            states.push_str(&format!("satchel_model_breaker_state{{{labels},state=\"{word}\"}} {value}\n"));
        }
        failures.push_str(&format!("satchel_model_breaker_failures{{{labels}}} {}\n", health.failures));
    }
    format!(
        "# HELP satchel_model_breaker_state 1 for the state the breaker of a model provider is in.\n\
         # TYPE satchel_model_breaker_state gauge\n{states}\
         # HELP satchel_model_breaker_failures Failures since a model provider last answered.\n\
         # TYPE satchel_model_breaker_failures gauge\n{failures}"
    )
}

/// A text as the value of a label.
fn label(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

impl RouteMeter {
    fn new(recorder: &PrometheusRecorder, method: &str, path: &str) -> Self {
        let labels = || vec![Label::new("method", method.to_owned()), Label::new("route", path.to_owned())];
        let counter =
            |name: &'static str, labels: Vec<Label>| recorder.register_counter(&Key::from_parts(name, labels), &META);
        let requests = CLASSES.iter().map(|class| {
            let mut labels = labels();
            labels.push(Label::from_static_parts("status", class));
            counter("satchel_http_requests_total", labels)
        });
        Self { requests: requests.collect(), micros: counter("satchel_http_request_microseconds_total", labels()) }
    }

    /// Counts an answer.
    pub(super) fn count(&self, status: u16, took: Duration) {
        if let Some(requests) = self.requests.get(usize::from(status / 100).saturating_sub(1)) {
            requests.increment(1);
        }
        self.micros.increment(u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_by_route_and_class() {
        let meters = Meters::new();
        let health = meters.route(&Method::GET, "/healthz");
        health.count(200, Duration::from_micros(7));
        health.count(200, Duration::from_micros(5));
        meters.other.count(404, Duration::from_micros(1));
        let text = meters.render();
        for line in [
            "satchel_http_requests_total{method=\"GET\",route=\"/healthz\",status=\"2xx\"} 2",
            "satchel_http_request_microseconds_total{method=\"GET\",route=\"/healthz\"} 12",
            "satchel_http_requests_total{method=\"other\",route=\"other\",status=\"4xx\"} 1",
        ] {
            assert!(text.contains(line), "{line} is not in\n{text}");
        }
    }
}
