//! A gRPC server whose reflection says whatever a test wants it to.

use std::{net::SocketAddr, sync::Arc};

use futures_util::stream::{BoxStream, StreamExt};
use tokio::net::TcpListener;
use tonic::{
    Request, Response, Status, Streaming,
    transport::{Server, server::TcpIncoming},
};
use tonic_reflection::pb::v1::{
    FileDescriptorResponse, ServerReflectionRequest, ServerReflectionResponse,
    server_reflection_request::MessageRequest,
    server_reflection_response::MessageResponse,
    server_reflection_server::{ServerReflection, ServerReflectionServer},
};

/// What it answers a question with.
pub type Says = Arc<dyn Fn(MessageRequest) -> MessageResponse + Send + Sync>;

struct Told(Says);

#[tonic::async_trait]
impl ServerReflection for Told {
    type ServerReflectionInfoStream = BoxStream<'static, Result<ServerReflectionResponse, Status>>;

    async fn server_reflection_info(
        &self,
        request: Request<Streaming<ServerReflectionRequest>>,
    ) -> Result<Response<Self::ServerReflectionInfoStream>, Status> {
        let says = Arc::clone(&self.0);
        let answers = request.into_inner().map(move |asked| {
            let answer = asked?.message_request.map(|question| says(question));
            Ok(ServerReflectionResponse { message_response: answer, ..Default::default() })
        });
        Ok(Response::new(answers.boxed()))
    }
}

/// Starts it.
pub async fn start(says: Says) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let service = ServerReflectionServer::new(Told(says));
    let server = Server::builder().add_service(service).serve_with_incoming(TcpIncoming::from(listener));
    tokio::spawn(async move { server.await.unwrap() });
    address
}

/// The answer with these files.
pub fn files(encoded: Vec<Vec<u8>>) -> MessageResponse {
    MessageResponse::FileDescriptorResponse(FileDescriptorResponse { file_descriptor_proto: encoded })
}
