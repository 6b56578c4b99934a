//! `echo.v1.Echo`, a gRPC service whose types lie in two files and a well-known one, written without a compiler for them.

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use futures_util::{Stream, StreamExt, stream};
use prost_reflect::prost_types::{
    DescriptorProto, EnumDescriptorProto, EnumValueDescriptorProto, FieldDescriptorProto, FileDescriptorProto,
    FileDescriptorSet, MethodDescriptorProto, ServiceDescriptorProto,
    field_descriptor_proto::{Label, Type},
};
use tonic::{
    Code, Request, Response, Status,
    codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder},
    codegen::{Body, BoxFuture, Service, StdError},
    server::{Grpc, NamedService, ServerStreamingService},
};

/// The question: `text` is given back, `times` counts, `code` fails.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Question {
    #[prost(string, tag = "1")]
    pub text: String,
    #[prost(int32, tag = "2")]
    pub times: i32,
    #[prost(enumeration = "Mood", tag = "3")]
    pub mood: i32,
    #[prost(message, optional, tag = "4")]
    pub at: Option<prost_types::Timestamp>,
    #[prost(int64, tag = "5")]
    pub big_number: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
pub enum Mood {
    Unknown = 0,
    Glad = 1,
}

/// The answer: the question, and what the server was told beside it.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Answer {
    #[prost(message, optional, tag = "1")]
    pub question: Option<Question>,
    #[prost(int32, tag = "2")]
    pub number: i32,
    #[prost(string, repeated, tag = "3")]
    pub headers: Vec<String>,
}

/// Its types, as a server tells of them.
pub fn types() -> FileDescriptorSet {
    let method = |name: &str, streaming| MethodDescriptorProto {
        name: Some(name.to_owned()),
        input_type: Some(".echo.v1.Question".to_owned()),
        output_type: Some(".echo.v1.Answer".to_owned()),
        server_streaming: Some(streaming),
        ..MethodDescriptorProto::default()
    };
    let service = FileDescriptorProto {
        name: Some("echo/v1/echo.proto".to_owned()),
        package: Some("echo.v1".to_owned()),
        dependency: vec!["echo/v1/types.proto".to_owned()],
        syntax: Some("proto3".to_owned()),
        message_type: vec![DescriptorProto {
            name: Some("Answer".to_owned()),
            field: vec![
                field("question", 1, Type::Message, Some(".echo.v1.Question")),
                field("number", 2, Type::Int32, None),
                FieldDescriptorProto { label: Some(Label::Repeated.into()), ..field("headers", 3, Type::String, None) },
            ],
            ..DescriptorProto::default()
        }],
        service: vec![ServiceDescriptorProto {
            name: Some("Echo".to_owned()),
            method: vec![method("Say", false), method("Fail", false), method("Stuck", false), method("Count", true)],
            ..ServiceDescriptorProto::default()
        }],
        ..FileDescriptorProto::default()
    };
    let timestamp = prost_reflect::DescriptorPool::global()
        .get_file_by_name("google/protobuf/timestamp.proto")
        .unwrap()
        .file_descriptor_proto()
        .clone();
    FileDescriptorSet { file: vec![timestamp, question(), service] }
}

fn question() -> FileDescriptorProto {
    let value = |name: &str, number| EnumValueDescriptorProto {
        name: Some(name.to_owned()),
        number: Some(number),
        options: None,
    };
    FileDescriptorProto {
        name: Some("echo/v1/types.proto".to_owned()),
        package: Some("echo.v1".to_owned()),
        dependency: vec!["google/protobuf/timestamp.proto".to_owned()],
        syntax: Some("proto3".to_owned()),
        message_type: vec![DescriptorProto {
            name: Some("Question".to_owned()),
            field: vec![
                field("text", 1, Type::String, None),
                field("times", 2, Type::Int32, None),
                field("mood", 3, Type::Enum, Some(".echo.v1.Mood")),
                field("at", 4, Type::Message, Some(".google.protobuf.Timestamp")),
                field("big_number", 5, Type::Int64, None),
            ],
            ..DescriptorProto::default()
        }],
        enum_type: vec![EnumDescriptorProto {
            name: Some("Mood".to_owned()),
            value: vec![value("UNKNOWN", 0), value("GLAD", 1)],
            ..EnumDescriptorProto::default()
        }],
        ..FileDescriptorProto::default()
    }
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
pub struct Echo;

impl NamedService for Echo {
    const NAME: &'static str = "echo.v1.Echo";
}

impl<B> Service<http::Request<B>> for Echo
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
        // A call with one answer and a stream with one message are the same bytes.
        Box::pin(async move { Ok(Grpc::new(Messages).server_streaming(method, request).await) })
    }
}

type Answers = Pin<Box<dyn Stream<Item = Result<Answer, Status>> + Send>>;

struct Method(String);

impl ServerStreamingService<Question> for Method {
    type Response = Answer;
    type ResponseStream = Answers;
    type Future = BoxFuture<Response<Answers>, Status>;

    fn call(&mut self, request: Request<Question>) -> Self::Future {
        let method = self.0.clone();
        Box::pin(async move { Ok(Response::new(answers(&method, request).await?)) })
    }
}

async fn answers(method: &str, request: Request<Question>) -> Result<Answers, Status> {
    let headers: Vec<String> = ["authorization", "x-api-key", "x-trace"]
        .into_iter()
        .filter_map(|name| Some(format!("{name}: {}", request.metadata().get(name)?.to_str().ok()?)))
        .collect();
    let question = request.into_inner();
    let times = question.times;
    let answer = move |number| Answer { question: Some(question.clone()), number, headers: headers.clone() };
    match method {
        "Say" => Ok(Box::pin(stream::iter([Ok(answer(1))]))),
        "Fail" => Err(Status::new(Code::from(times), "it was asked to: ä%")),
        "Stuck" => std::future::pending().await,
        // Below 0 it does not end, and is slow about it.
        "Count" if times < 0 => Ok(Box::pin(stream::iter(1..).then(move |number| {
            let answer = answer(number);
            async move {
                tokio::time::sleep(Duration::from_millis(20)).await;
                Ok(answer)
            }
        }))),
        "Count" => Ok(Box::pin(stream::iter((1..=times).map(move |number| Ok(answer(number)))))),
        other => Err(Status::unimplemented(other)),
    }
}

/// Questions in, answers out.
struct Messages;

impl Codec for Messages {
    type Encode = Answer;
    type Decode = Question;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for Messages {
    type Item = Answer;
    type Error = Status;

    fn encode(&mut self, answer: Answer, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        prost::Message::encode(&answer, buffer).map_err(|error| Status::internal(error.to_string()))
    }
}

impl Decoder for Messages {
    type Item = Question;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<Question>, Status> {
        prost::Message::decode(buffer).map(Some).map_err(|error| Status::internal(error.to_string()))
    }
}
