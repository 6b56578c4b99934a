//! Trying an endpoint out: one real call, whatever the status of its system, told as it came.

use std::time::Instant;

use serde::Serialize;
use serde_json::{Map, Value};

use super::{
    answer::Answer,
    endpoint_call::{self, Spoken},
    graphql, grpc_call,
    rest::Target,
    soap_call, websocket_call,
};
use satchel_model::{
    caller::Caller,
    catalog::{
        endpoint::{Endpoint, Operation},
        system::System,
    },
    error::{Error, Result},
    output::Output,
};

/// The result of a try.
#[derive(Debug, Clone, Default, Serialize, utoipa::ToSchema)]
#[schema(as = EndpointTrial)]
pub struct Trial {
    /// `true` if the system did what it was asked.
    pub ok: bool,
    /// Its status; `null` if no answer came, or if the protocol has none.
    pub status: Option<u16>,
    /// In words, where it did not.
    pub message: Option<String>,
    /// The headers that may be shown.
    #[schema(value_type = Object)]
    pub headers: Map<String, Value>,
    /// The format the body was read as.
    #[schema(value_type = Option<String>)]
    pub format: Option<&'static str>,
    /// The body; of gRPC and WebSockets the messages.
    pub body: Value,
    /// The number of attempts.
    pub attempts: u32,
    /// The duration in milliseconds.
    pub duration_ms: u64,
}

/// Calls an endpoint of any protocol, once. Files that are sent are the caller's.
pub async fn run(target: &Target<'_>, endpoint: &Endpoint, arguments: &Value, caller: &Caller) -> Trial {
    let begun = Instant::now();
    let trial = outcome(target, endpoint, arguments, caller).await;
    Trial { duration_ms: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX), ..trial }
}

async fn outcome(target: &Target<'_>, endpoint: &Endpoint, arguments: &Value, caller: &Caller) -> Trial {
    let system = target.system;
    let spoken = match endpoint_call::spoken(endpoint, system, arguments) {
        Ok(spoken) => spoken,
        Err(error) => return Trial::failed(&error),
    };
    match spoken {
        Spoken::Request => match endpoint_call::answer(target, endpoint, arguments, caller).await {
            Ok(answer) => Trial::answered(endpoint, system, answer),
            Err(error) => Trial::failed(&error),
        },
        Spoken::Grpc(ask) => Trial::from_outcome(grpc_call::call(target, &ask).await),
        Spoken::Websocket(ask) => Trial::from_outcome(websocket_call::call(target, &ask).await),
    }
}

impl Trial {
    /// An answer to a request. GraphQL and SOAP refuse with a good status, too.
    fn answered(endpoint: &Endpoint, system: &System, answer: Answer) -> Self {
        let refusal = match &endpoint.operation {
            Operation::Graphql { query, operation_name } => {
                graphql::call::read(answer.clone(), &system.name, (query, operation_name.as_deref())).err()
            }
            Operation::Soap { .. } => soap_call::read(answer.clone(), &system.name).err(),
            _ => answer.refusal(&system.name),
        };
        Self {
            ok: refusal.is_none(),
            status: Some(answer.status),
            message: refusal.map(|error| error.message().to_owned()),
            format: Some(answer.form.as_str()),
            attempts: answer.attempts,
            headers: answer.headers,
            body: answer.body,
            ..Self::default()
        }
    }

    /// Returns the trial of a protocol without requests.
    fn from_outcome(outcome: Result<Output>) -> Self {
        match outcome {
            Ok(output) => Self { ok: true, format: Some("json"), body: output.data, attempts: 1, ..Self::default() },
            Err(error) => Self::failed(&error),
        }
    }

    fn failed(error: &Error) -> Self {
        let body = error.details().cloned().unwrap_or_default();
        Self { message: Some(error.message().to_owned()), body, ..Self::default() }
    }
}
