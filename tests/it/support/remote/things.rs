//! `things.v1.Things`, a gRPC service of the types that are hard to say in JSON. It gives back what it is sent.

use std::task::{Context, Poll};

use bytes::{Buf, BufMut, Bytes};
use futures_util::stream::{self, BoxStream, StreamExt};
use prost_reflect::prost_types::{
    DescriptorProto, EnumDescriptorProto, EnumValueDescriptorProto, FieldDescriptorProto, FileDescriptorProto,
    FileDescriptorSet, MessageOptions, MethodDescriptorProto, MethodOptions, OneofDescriptorProto,
    ServiceDescriptorProto,
    field_descriptor_proto::{Label, Type},
    method_options::IdempotencyLevel,
};
use tonic::{
    Code, Request, Response, Status,
    codec::{Codec, CompressionEncoding, DecodeBuf, Decoder, EnabledCompressionEncodings, EncodeBuf, Encoder},
    codegen::{Body, BoxFuture, Service, StdError},
    server::{Grpc, NamedService, ServerStreamingService},
};

/// The files of `google.protobuf` its types stand on.
const KNOWN: [&str; 5] = ["any", "duration", "field_mask", "struct", "timestamp"];

/// Its types, as a server tells of them. Nothing imports `things.v1.Linked`, as nothing does that is put into an `Any`.
pub fn types() -> FileDescriptorSet {
    let known = KNOWN.map(|name| {
        let file = prost_reflect::DescriptorPool::global().get_file_by_name(&format!("google/protobuf/{name}.proto"));
        file.unwrap().file_descriptor_proto().clone()
    });
    let linked = FileDescriptorProto {
        name: Some("things/v1/linked.proto".to_owned()),
        package: Some("things.v1".to_owned()),
        syntax: Some("proto3".to_owned()),
        message_type: vec![message("Linked", vec![field("text", 1, Type::String, None)])],
        ..FileDescriptorProto::default()
    };
    let file = known.into_iter().chain([old(), linked, service()]).collect();
    FileDescriptorSet { file }
}

/// A file in proto2, where a field can be required.
fn old() -> FileDescriptorProto {
    let required = FieldDescriptorProto { label: Some(Label::Required.into()), ..field("id", 1, Type::Int32, None) };
    FileDescriptorProto {
        name: Some("things/v1/old.proto".to_owned()),
        package: Some("things.v1".to_owned()),
        message_type: vec![message("Old", vec![required, field("note", 2, Type::String, None)])],
        ..FileDescriptorProto::default()
    }
}

fn service() -> FileDescriptorProto {
    let method = |name: &str, input: &str, streaming| MethodDescriptorProto {
        name: Some(name.to_owned()),
        input_type: Some(format!(".things.v1.{input}")),
        output_type: Some(".things.v1.Thing".to_owned()),
        server_streaming: Some(streaming),
        ..MethodDescriptorProto::default()
    };
    let harmless = IdempotencyLevel::NoSideEffects.into();
    let options = Some(MethodOptions { idempotency_level: Some(harmless), ..MethodOptions::default() });
    let mood = |name: &str, number| EnumValueDescriptorProto {
        name: Some(name.to_owned()),
        number: Some(number),
        options: None,
    };
    FileDescriptorProto {
        name: Some("things/v1/things.proto".to_owned()),
        package: Some("things.v1".to_owned()),
        dependency: KNOWN
            .iter()
            .map(|name| format!("google/protobuf/{name}.proto"))
            .chain(["things/v1/old.proto".to_owned()])
            .collect(),
        syntax: Some("proto3".to_owned()),
        message_type: vec![thing()],
        enum_type: vec![EnumDescriptorProto {
            name: Some("Mood".to_owned()),
            value: vec![mood("UNKNOWN", 0), mood("GLAD", 1)],
            ..EnumDescriptorProto::default()
        }],
        service: vec![ServiceDescriptorProto {
            name: Some("Things".to_owned()),
            method: vec![
                MethodDescriptorProto { options, ..method("Give", "Thing", false) },
                method("Break", "Thing", true),
                method("Take", "Old", false),
                method("Tell", "Thing", false),
            ],
            ..ServiceDescriptorProto::default()
        }],
        ..FileDescriptorProto::default()
    }
}

fn thing() -> DescriptorProto {
    let repeated = |field| FieldDescriptorProto { label: Some(Label::Repeated.into()), ..field };
    let chosen = |field| FieldDescriptorProto { oneof_index: Some(0), ..field };
    let known =
        |name: &str, number, of: &str| field(name, number, Type::Message, Some(&format!(".google.protobuf.{of}")));
    let own = |name: &str, number| field(name, number, Type::Message, Some(".things.v1.Thing"));
    let entry = DescriptorProto {
        options: Some(MessageOptions { map_entry: Some(true), ..MessageOptions::default() }),
        ..message("NamedEntry", vec![field("key", 1, Type::Int32, None), own("value", 2)])
    };
    DescriptorProto {
        nested_type: vec![entry],
        oneof_decl: vec![OneofDescriptorProto { name: Some("side".to_owned()), options: None }],
        ..message(
            "Thing",
            vec![
                known("extra", 1, "Any"),
                known("mask", 2, "FieldMask"),
                known("at", 3, "Timestamp"),
                field("ratio", 4, Type::Float, None),
                known("anything", 5, "Value"),
                field("mood", 6, Type::Enum, Some(".things.v1.Mood")),
                chosen(field("left", 7, Type::String, None)),
                chosen(field("right", 8, Type::Int32, None)),
                own("inner", 9),
                repeated(own("things", 10)),
                known("after", 11, "Duration"),
                repeated(field("named", 12, Type::Message, Some(".things.v1.Thing.NamedEntry"))),
                repeated(field("numbers", 13, Type::Int32, None)),
            ],
        )
    }
}

fn message(name: &str, field: Vec<FieldDescriptorProto>) -> DescriptorProto {
    DescriptorProto { name: Some(name.to_owned()), field, ..DescriptorProto::default() }
}

fn field(name: &str, number: i32, kind: Type, of: Option<&str>) -> FieldDescriptorProto {
    FieldDescriptorProto {
        name: Some(name.to_owned()),
        number: Some(number),
        label: Some(Label::Optional.into()),
        r#type: Some(kind.into()),
        type_name: of.map(str::to_owned),
        ..FieldDescriptorProto::default()
    }
}

/// The service.
#[derive(Clone)]
pub struct Things {
    /// The compression of its answers.
    pub packed: Option<CompressionEncoding>,
}

impl NamedService for Things {
    const NAME: &'static str = "things.v1.Things";
}

impl<B> Service<http::Request<B>> for Things
where
    B: Body + Send + 'static,
    B::Error: Into<StdError> + Send + 'static,
{
    type Response = http::Response<tonic::body::Body>;
    type Error = std::convert::Infallible;
    type Future = BoxFuture<Self::Response, Self::Error>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<B>) -> Self::Future {
        let method = Method(request.uri().path().rsplit('/').next().unwrap().to_owned());
        let mut packed = EnabledCompressionEncodings::default();
        self.packed.into_iter().for_each(|encoding| packed.enable(encoding));
        let mut grpc = Grpc::new(Raw).apply_compression_config(EnabledCompressionEncodings::default(), packed);
        // A call with one answer and a stream with one message are the same bytes.
        Box::pin(async move { Ok(grpc.server_streaming(method, request).await) })
    }
}

struct Method(String);

impl ServerStreamingService<Bytes> for Method {
    type Response = Bytes;
    type ResponseStream = BoxStream<'static, Result<Bytes, Status>>;
    type Future = BoxFuture<Response<Self::ResponseStream>, Status>;

    fn call(&mut self, request: Request<Bytes>) -> Self::Future {
        let given = request.into_inner();
        let answers = match self.0.as_str() {
            "Break" => vec![Ok(given.clone()), Ok(given), Err(broken())],
            "Tell" => vec![Ok(linked_thing())],
            _ => vec![Ok(given)],
        };
        Box::pin(async move { Ok(Response::new(stream::iter(answers).boxed())) })
    }
}

/// `google.rpc.Status`.
#[derive(Clone, PartialEq, prost::Message)]
struct Rich {
    #[prost(message, repeated, tag = "3")]
    details: Vec<prost_types::Any>,
}

/// `google.rpc.LocalizedMessage`.
#[derive(Clone, PartialEq, prost::Message)]
struct Localized {
    #[prost(string, tag = "1")]
    locale: String,
    #[prost(string, tag = "2")]
    message: String,
}

/// `things.v1.Linked`, and a `things.v1.Thing` with one in it.
#[derive(Clone, PartialEq, prost::Message)]
struct Linked {
    #[prost(string, tag = "1")]
    text: String,
}

#[derive(Clone, PartialEq, prost::Message)]
struct Told {
    #[prost(message, optional, tag = "1")]
    extra: Option<prost_types::Any>,
}

fn linked_thing() -> Bytes {
    let value = prost::Message::encode_to_vec(&Linked { text: "told".to_owned() });
    let extra = prost_types::Any { type_url: "type.googleapis.com/things.v1.Linked".to_owned(), value };
    prost::Message::encode_to_vec(&Told { extra: Some(extra) }).into()
}

fn broken() -> Status {
    let said = Localized { locale: "de".to_owned(), message: "Kein Papier".to_owned() };
    let url = "type.googleapis.com/google.rpc.LocalizedMessage";
    let detail = prost_types::Any { type_url: url.to_owned(), value: prost::Message::encode_to_vec(&said) };
    let rich = prost::Message::encode_to_vec(&Rich { details: vec![detail] });
    Status::with_details(Code::ResourceExhausted, "out of paper", rich.into())
}

/// Bytes in, bytes out.
struct Raw;

impl Codec for Raw {
    type Encode = Bytes;
    type Decode = Bytes;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for Raw {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, answer: Bytes, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buffer.put(answer);
        Ok(())
    }
}

impl Decoder for Raw {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        Ok(Some(buffer.copy_to_bytes(buffer.remaining())))
    }
}
