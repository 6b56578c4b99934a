//! A DNS server that answers as a test wants: one answer after another, the last one from then on.

use std::{
    collections::HashMap,
    net::{IpAddr, SocketAddr},
    pin::Pin,
    sync::Arc,
};

use hickory_server::{
    Server,
    net::runtime::Time,
    proto::{
        op::{Header, HeaderCounts, Metadata, ResponseCode},
        rr::{Name, RData, Record, RecordType, rdata::CNAME},
    },
    server::{Request, RequestHandler, ResponseHandler, ResponseInfo},
    zone_handler::MessageResponseBuilder,
};
use parking_lot::Mutex;
use tokio::net::UdpSocket;

/// A running server.
pub struct Dns {
    pub address: SocketAddr,
    book: Arc<Mutex<Book>>,
    _server: Server<Answers>,
}

#[derive(Default)]
struct Book {
    answers: HashMap<(String, RecordType), Vec<Vec<RData>>>,
    asked: Vec<String>,
}

impl Dns {
    /// Starts without any name.
    pub async fn start() -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let address = socket.local_addr().unwrap();
        let book = Arc::<Mutex<Book>>::default();
        let mut server = Server::new(Answers { book: Arc::clone(&book) });
        server.register_socket(socket);
        Self { address, book, _server: server }
    }

    /// A name and what it leads to, question by question, kept by nobody.
    pub fn name(&self, name: &str, steps: &[&[&str]]) -> &Self {
        for kind in [RecordType::A, RecordType::AAAA] {
            let answers = steps.iter().map(|step| step.iter().filter_map(|text| record(text, kind)).collect());
            self.book.lock().answers.insert((format!("{name}."), kind), answers.collect());
        }
        self
    }

    /// A name that is another name.
    pub fn alias(&self, name: &str, target: &str) -> &Self {
        for kind in [RecordType::A, RecordType::AAAA] {
            let data = RData::CNAME(CNAME(Name::from_utf8(format!("{target}.")).unwrap()));
            self.book.lock().answers.insert((format!("{name}."), kind), vec![vec![data]]);
        }
        self
    }

    /// Returns what was asked, in order.
    pub fn asked(&self) -> Vec<String> {
        self.book.lock().asked.clone()
    }
}

fn record(text: &str, kind: RecordType) -> Option<RData> {
    match (text.parse().unwrap(), kind) {
        (IpAddr::V4(address), RecordType::A) => Some(RData::A(address.into())),
        (IpAddr::V6(address), RecordType::AAAA) => Some(RData::AAAA(address.into())),
        _ => None,
    }
}

struct Answers {
    book: Arc<Mutex<Book>>,
}

impl Answers {
    fn answer(&self, name: &str, kind: RecordType) -> Option<Vec<RData>> {
        let mut book = self.book.lock();
        book.asked.push(name.to_owned());
        let steps = book.answers.get_mut(&(name.to_owned(), kind))?;
        if steps.len() > 1 { Some(steps.remove(0)) } else { steps.first().cloned() }
    }

    async fn handle(&self, request: &Request, mut to: impl ResponseHandler) -> ResponseInfo {
        let info = request.request_info().unwrap();
        let name: Name = info.query.name().into();
        let found = self.answer(&name.to_string().to_ascii_lowercase(), info.query.query_type());
        let mut metadata = Metadata::response_from_request(&request.metadata);
        metadata.authoritative = true;
        if found.is_none() {
            metadata.response_code = ResponseCode::NXDomain;
        }
        let records: Vec<Record> =
            found.into_iter().flatten().map(|data| Record::from_rdata(name.clone(), 0, data)).collect();
        let response = MessageResponseBuilder::from_message_request(request).build(metadata, &records, [], [], []);
        to.send_response(response).await.unwrap_or_else(|_| Header { metadata, counts: HeaderCounts::default() }.into())
    }
}

impl RequestHandler for Answers {
    fn handle_request<'a, 'b, 'c, R, T>(
        &'a self,
        request: &'b Request,
        to: R,
    ) -> Pin<Box<dyn Future<Output = ResponseInfo> + Send + 'c>>
    where
        'a: 'c,
        'b: 'c,
        Self: 'c,
        R: 'c + ResponseHandler,
        T: 'c + Time,
    {
        Box::pin(self.handle(request, to))
    }
}
