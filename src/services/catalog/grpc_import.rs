//! The operations of a gRPC system, as its reflection describes them: services as groups, methods as operations.

use prost_reflect::{
    DescriptorPool, MethodDescriptor,
    prost_types::{MethodOptions, method_options::IdempotencyLevel},
};

use super::{grpc_call, rest::Target};
use satchel_app::{App, calling::Described};
use satchel_model::{
    catalog::{
        auth::Auth,
        endpoint::{Operation, Parameter, ParameterPlace},
        proposal::{Proposal, Proposals},
        style::Style,
        system::System,
    },
    error::Result,
    spec::Risk,
};
use satchel_net::{grpc::schema, http::Http};

/// Most methods of one system, and most fields of all they take that are written out.
const MOST: usize = 2_000;
const MOST_FIELDS: usize = 200_000;

/// Asks a system what it offers, with its credential. It need not be in use yet.
pub async fn read(app: &App, http: &Http, system: &System) -> Result<Proposals> {
    let target = Target { app, cx: None, http, system, endpoint: None };
    let mut operations = Vec::new();
    let mut transport = "native";
    let mut left = MOST_FIELDS;
    let each = |service: &str, described: &Described| {
        transport = if described.web { "gRPC-Web" } else { "native" };
        operations.extend(of_service(&described.pool, service, MOST + 1 - operations.len(), &mut left));
        operations.len() <= MOST
    };
    grpc_call::services(&target, each).await?;
    let mut warnings = Vec::new();
    if operations.len() > MOST {
        warnings.push(format!("It has more than {MOST} methods, of which as many are shown."));
        operations.truncate(MOST);
    }
    Ok(Proposals {
        format: format!("gRPC reflection ({transport})"),
        title: system.name.clone(),
        description: String::new(),
        base_url: system.base_url.as_ref().map(ToString::to_string),
        auth: Auth::None,
        operations,
        warnings,
    })
}

fn of_service(pool: &DescriptorPool, service: &str, most: usize, left: &mut usize) -> Vec<Proposal> {
    let found = pool.get_service_by_name(service);
    let methods = found.iter().flat_map(|service| service.methods());
    methods.take(most).map(|method| proposal(&method, left)).collect()
}

fn proposal(method: &MethodDescriptor, left: &mut usize) -> Proposal {
    let service = method.parent_service();
    let (service, rpc) = (service.full_name().to_owned(), method.name().to_owned());
    let input = method.input();
    let parameters = schema::fields(&input, left).into_iter().map(|field| Parameter {
        name: field.name,
        place: ParameterPlace::Variable,
        style: Style::Plain,
        members: Default::default(),
        required: field.required,
        description: field.description,
        schema: field.schema,
    });
    let mut warnings = Vec::new();
    if method.is_client_streaming() {
        warnings.push("It takes a stream: one message is sent.".to_owned());
    }
    let answers = if method.is_server_streaming() { "a stream of" } else { "one" };
    let path = format!("/{service}/{rpc}");
    Proposal {
        key: path.clone(),
        group: Some(service.clone()),
        name: rpc.clone(),
        description: format!("Takes {} and gives {answers} {}.", input.full_name(), method.output().full_name()),
        when_to_use: String::new(),
        parameters: parameters.collect(),
        operation: Operation::Grpc { service, rpc },
        method: "POST".to_owned(),
        path,
        risk: risk(method),
        warnings,
        elsewhere: false,
    }
}

/// A method's risk: its name says nothing that could be relied on, its `idempotency_level` does.
fn risk(method: &MethodDescriptor) -> Risk {
    let options = method.method_descriptor_proto().options.as_ref();
    match options.map(MethodOptions::idempotency_level) {
        Some(IdempotencyLevel::NoSideEffects) => Risk::Read,
        _ => Risk::HighWrite,
    }
}
