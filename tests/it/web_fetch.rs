//! `web_fetch` and `web-fetch` against a real site: what comes out, what is refused, what is cited.

use std::io::Write;

use flate2::{
    Compression,
    write::{DeflateEncoder, GzEncoder, ZlibEncoder},
};
use satchel::model::{call::Outcome, error::Kind, output::Content, spec::Risk};
use serde_json::{Value, json};

use crate::support::{
    app::TestApp,
    chat::{Chat, find, results},
    fake_llm::{call, say},
    site::{Reply, Site, page, status},
};

const HERONS: &str = "<!doctype html><title>Herons</title><nav><a href=/>Home</a></nav><article><h1>Herons</h1>\
    <p>The heron waits at the water's edge for hours. It is <a href=fish>fond of fish</a> and of nothing else, and stands \
    still until one comes by, which takes as long as it takes.</p><table><tr><th>Bird<th>Legs<tr><td>Heron<td>2</table>\
    <pre>let legs = 2;</pre></article>";

#[tokio::test(flavor = "multi_thread")]
async fn a_page_comes_as_markdown_from_where_it_was_redirected_to() {
    let app = TestApp::start().await;
    let site = Site::new(&app).await;
    site.put("/old", [status(301, &[("location", "/birds/heron")])])
        .put("/birds/heron", [page("text/html; charset=utf-8", HERONS)]);
    let caller = app.caller(&[]).await;
    let data = app.data(&caller, "web_fetch", json!({"url": site.url("/old")})).await.unwrap();
    assert_eq!(
        (&data["status"], &data["final_url"], &data["content_type"], &data["title"], &data["truncated"]),
        (&json!(200), &json!(site.url("/birds/heron")), &json!("text/html"), &json!("Herons"), &json!(false))
    );
    let markdown = data["markdown"].as_str().unwrap();
    for wanted in [&format!("[fond of fish]({})", site.url("/birds/fish")), "| Heron | 2 |", "let legs = 2;"] {
        assert!(markdown.contains(wanted), "{markdown}");
    }
    assert!(!markdown.contains("Home"), "{markdown}");
    let source = json!({"url": site.url("/birds/heron"), "extract_text": false, "user_agent": "Reader/1"});
    assert_eq!(app.data(&caller, "web_fetch", source).await.unwrap()["markdown"], HERONS);
    assert!(site.asked().last().unwrap().to_ascii_lowercase().contains("user-agent: reader/1"));
    let none = json!({"url": site.url("/old"), "max_redirects": 0});
    assert_eq!(app.data(&caller, "web_fetch", none).await.unwrap()["status"], 301);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_is_read_for_what_it_is() {
    let app = TestApp::start().await;
    let site = Site::new(&app).await;
    let png = [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".as_slice(), &[0, 0, 0, 2, 0, 0, 0, 1, 8, 6, 0, 0, 0]].concat();
    let huge = [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".as_slice(), &[0, 1, 0, 0, 0, 0, 0, 1, 8, 6, 0, 0, 0]].concat();
    let owner = app.caller(&["*"]).await;
    let made = json!({"format": "pdf", "title": "Paper", "content": {"paragraphs": ["Herons wait."]}});
    let path = app.data(&owner, "document_create", made).await.unwrap()["path"].as_str().unwrap().to_owned();
    let file = app.satchel.app.files_of(owner.user).unwrap();
    let pdf = file.read_bytes(&path).await.unwrap();
    site.put(
        "/jp",
        [page("text/html; charset=Shift_JIS", encoding_rs::SHIFT_JIS.encode("<p>こんにちは世界").0.into_owned())],
    )
    .put("/a.png", [page("image/png", png)])
    .put("/huge.png", [page("image/png", huge)])
    .put("/a.pdf", [page("application/pdf", pdf)])
    .put("/a.json", [page("application/json", r#"{"a": [1]}"#)])
    .put("/a.bin", [page("application/octet-stream", vec![0, 1, 2, 255, 254, 0, 0])]);
    let read = async |path: &str| app.data(&owner, "web_fetch", json!({"url": site.url(path)})).await;
    assert_eq!(read("/jp").await.unwrap()["markdown"], "こんにちは世界");
    assert_eq!(read("/a.json").await.unwrap()["markdown"], r#"{"a": [1]}"#);
    assert!(read("/a.pdf").await.unwrap()["markdown"].as_str().unwrap().contains("Herons wait."));
    assert_eq!(read("/a.bin").await.unwrap()["markdown"], "(7 bytes of application/octet-stream, which is no text)");
    assert!(read("/huge.png").await.unwrap_err().message().contains("too large"));
    assert_eq!(read("/none").await.unwrap()["status"], 404);
    let Outcome::Done(done) = app.call(&owner, "web_fetch", json!({"url": site.url("/a.png")})).await.unwrap() else {
        panic!("it asked")
    };
    assert!(matches!(&done.output.content[1], Content::Image { mime, .. } if mime == "image/png"));
    assert_eq!(done.output.data["markdown"], "(an image, image/png, 2 x 1 pixels)");
}

#[tokio::test(flavor = "multi_thread")]
async fn neither_size_nor_time_runs_away() {
    let app = TestApp::start().await;
    let site = Site::new(&app).await;
    app.set(json!({"web": {"max_page_mb": 1}})).await;
    let mut bomb = GzEncoder::new(Vec::new(), Compression::best());
    for _ in 0..64 {
        bomb.write_all(&vec![b'x'; 1 << 20]).unwrap();
    }
    let bomb = bomb.finish().unwrap();
    assert!(bomb.len() < 100_000);
    let mut packed = page("text/plain", bomb);
    packed.headers.push(("content-encoding", "gzip".to_owned()));
    site.put("/bomb", [packed]).put("/slow", [Reply { stalls: true, ..page("text/plain", "a") }]);
    let caller = app.caller(&[]).await;
    let data =
        app.data(&caller, "web_fetch", json!({"url": site.url("/bomb"), "max_bytes": 50_000_000})).await.unwrap();
    assert_eq!((&data["bytes"], &data["truncated"]), (&json!(1 << 20), &json!(true)));
    let slow = json!({"url": site.url("/slow"), "timeout_seconds": 0.2});
    let error = app.data(&caller, "web_fetch", slow).await.unwrap_err();
    assert_eq!((error.kind(), error.message()), (Kind::Timeout, "timed out after 0.2s"));
    let both = json!({"url": site.url("/slow"), "timeout": 1, "timeout_seconds": 2});
    assert!(app.data(&caller, "web_fetch", both).await.unwrap_err().message().contains("differ"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_was_packed_unasked_is_unpacked_within_its_limit() {
    let app = TestApp::start().await;
    let site = Site::new(&app).await;
    let text = "herons wait\n".repeat(40_000);
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::best());
    let mut bare = DeflateEncoder::new(Vec::new(), Compression::best());
    let all: [&mut dyn Write; 3] = [&mut gzip, &mut zlib, &mut bare];
    all.into_iter().for_each(|to| to.write_all(text.as_bytes()).unwrap());
    let packed = |encoding: &str, body: Vec<u8>| Reply {
        headers: vec![("content-type", "text/plain".to_owned()), ("content-encoding", encoding.to_owned())],
        ..page("", body)
    };
    let zlib = zlib.finish().unwrap();
    let (gzip, bare) = (gzip.finish().unwrap(), bare.finish().unwrap());
    let half = |packed: &[u8]| packed[..packed.len() / 2].to_vec();
    let (cut, cut_gzip) = (half(&zlib), half(&gzip));
    site.put("/gzip", [packed("x-gzip", gzip)])
        .put("/zlib", [packed("deflate", zlib)])
        .put("/bare", [packed("Deflate", bare)])
        .put("/zstd", [packed("zstd", vec![0x28, 0xb5, 0x2f, 0xfd])])
        .put("/cut", [packed("deflate", cut)])
        .put("/cut-gzip", [packed("x-gzip", cut_gzip)])
        .put("/none", [packed("deflate", Vec::new())]);
    let caller = app.caller(&[]).await;
    let fetch = async |path: &str, most: u32| {
        app.data(&caller, "web_fetch", json!({"url": site.url(path), "max_bytes": most})).await
    };
    for path in ["/gzip", "/zlib", "/bare"] {
        assert_eq!(fetch(path, 1_000_000).await.unwrap()["markdown"], text, "{path}");
        let cut = fetch(path, 1_000).await.unwrap();
        assert_eq!((&cut["truncated"], &cut["bytes"]), (&json!(true), &json!(1_000)), "{path}");
    }
    assert!(fetch("/zstd", 1_000).await.unwrap_err().message().contains("packed as 'zstd'"));
    for path in ["/cut", "/cut-gzip"] {
        let error = fetch(path, 1_000_000).await.unwrap_err();
        assert!(error.message().contains("broke off"), "{path}: {error}");
    }
    assert_eq!(fetch("/none", 1_000).await.unwrap()["markdown"], "");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_scripts_says_so_and_xml_names_its_own_encoding() {
    let app = TestApp::start().await;
    let site = Site::new(&app).await;
    let xml = "<?xml version=\"1.0\" encoding=\"Shift_JIS\"?><a>こんにちは世界</a>";
    site.put(
        "/app",
        [page("text/html", "<!doctype html><title>App</title><div id=root></div><script src=a.js></script>")],
    )
    .put("/xml", [page("application/xml", encoding_rs::SHIFT_JIS.encode(xml).0.into_owned())]);
    let caller = app.caller(&[]).await;
    let fetch = async |path: &str| app.data(&caller, "web_fetch", json!({"url": site.url(path)})).await.unwrap();
    let shown = fetch("/app").await;
    assert!(shown["title"] == "App" && shown["markdown"].as_str().unwrap().contains("made by scripts"), "{shown}");
    assert_eq!(fetch("/xml").await["markdown"], xml);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_public_is_not_fetched_by_any_way() {
    let app = TestApp::start().await;
    let (site, inside) = (Site::new(&app).await, Site::start().await);
    inside.put("/secret", [page("text/plain", "secret")]);
    site.put("/way", [status(302, &[("location", &inside.url("/secret"))])]);
    let caller = app.caller(&["*"]).await;
    for tool in ["web_fetch", "web-fetch"] {
        for url in [inside.url("/secret"), site.url("/way"), inside.url("/secret").replace("127.0.0.1", "localhost")] {
            let error = app.data(&caller, tool, json!({"url": url})).await.unwrap_err();
            assert_eq!(error.kind(), Kind::Denied, "{tool} {url}");
        }
        for url in ["file:///etc/passwd", "ftp://a.example/x", "http://user:pass@a.example/", "nonsense"] {
            assert!(app.data(&caller, tool, json!({"url": url})).await.is_err(), "{tool} {url}");
        }
    }
    assert_eq!(inside.asked(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_site_that_asks_to_be_left_alone_is_where_that_is_set() {
    let app = TestApp::start().await;
    let site = Site::new(&app).await;
    site.put("/robots.txt", [page("text/plain", "User-agent: *\nDisallow: /private\n")])
        .put("/private", [page("text/plain", "mine")])
        .put("/way", [status(302, &[("location", "/private")])])
        .put("/open", [page("text/plain", "yours")]);
    let caller = app.caller(&[]).await;
    let fetch = async |path: &str| app.data(&caller, "web_fetch", json!({"url": site.url(path)})).await;
    assert!(fetch("/private").await.is_ok());
    assert!(site.asked().iter().all(|asked| !asked.contains("robots.txt")));
    app.set(json!({"web": {"respect_robots": true}})).await;
    for path in ["/private", "/way"] {
        assert!(fetch(path).await.unwrap_err().message().contains("robots.txt"), "{path}");
    }
    assert_eq!(fetch("/open").await.unwrap()["markdown"], "yours");
    assert_eq!(site.asked().iter().filter(|asked| asked.contains("robots.txt")).count(), 1, "its rules are kept");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_request_of_the_alias_comes_back_as_it_came() {
    let app = TestApp::start().await;
    let site = Site::new(&app).await;
    site.put("/echo", [page("text/plain", "said")]).put("/gone", [status(404, &[("x-why", "moved")])]);
    let caller = app.caller(&["*"]).await;
    let post = json!({"url": site.url("/echo"), "method": "post", "headers": {"X-Key": "1"}, "body": "hello"});
    let data = app.data(&caller, "web-fetch", post).await.unwrap();
    let keys: Vec<_> = data.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["status", "statusText", "headers", "body", "ok"]);
    assert_eq!(
        (&data["body"], &data["ok"], &data["headers"]["content-type"]),
        (&json!("said"), &json!(true), &json!("text/plain"))
    );
    let asked = site.asked()[0].to_ascii_lowercase();
    assert!(asked.starts_with("post /echo") && asked.contains("x-key: 1") && asked.ends_with("hello"), "{asked}");
    let odd = json!({"url": site.url("/gone"), "method": "BREW"});
    let data = app.data(&caller, "web-fetch", odd).await.unwrap();
    assert_eq!(
        (&data["status"], &data["ok"], &data["headers"]["x-why"]),
        (&json!(404), &json!(false), &json!("moved"))
    );
    assert!(site.asked()[1].starts_with("GET "));
    let nested = json!({"url": site.url("/echo"), "headers": {"a": {"b": "c"}}});
    assert_eq!(app.data(&caller, "web-fetch", nested).await.unwrap_err().kind(), Kind::Invalid);
    let host = json!({"url": site.url("/echo"), "headers": {"Host": "metadata.google.internal"}});
    assert_eq!(app.data(&caller, "web-fetch", host).await.unwrap_err().kind(), Kind::Invalid);
    let registry = app.satchel.invoker.registry();
    let found = registry.find("web_fetch").unwrap();
    for (method, risk) in
        [("get", Risk::Read), ("HEAD", Risk::Read), ("Post", Risk::HighWrite), ("DELETE", Risk::Destructive)]
    {
        let weighed =
            registry.prepare(&found.tool, json!({"url": "https://a.example", "method": method})).map(|call| call.risk);
        assert_eq!(weighed.unwrap(), risk, "{method}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_pages_that_were_fetched_are_cited() {
    let chat = Chat::start(Vec::new()).await;
    let site = Site::new(&chat.app).await;
    site.put("/heron", [page("text/html", HERONS)]).put("/gone", [status(404, &[])]);
    chat.llm.then(vec![
        call("web_fetch", json!({"url": site.url("/heron")})),
        call("web_fetch", json!({"url": site.url("/gone")})),
        call("web_fetch", json!({"url": site.url("/heron")})),
        say("It waits [1]. It eats frogs [2]."),
    ]);
    let (conversation, events) = chat.owner.turn("What does a heron do?").await;
    let told = results(&chat.llm.body(1)).join("\n");
    assert!(told.contains("[1] Herons"), "{told}");
    let cited = &find(&events, "citations").data["citations"];
    assert_eq!(cited.as_array().unwrap().len(), 1, "{cited}");
    let one = &cited[0];
    assert_eq!((&one["number"], &one["title"], &one["url"]), (&json!(1), &json!("Herons"), &json!(site.url("/heron"))));
    assert_eq!((&one["document_id"], &one["chunk_id"]), (&Value::Null, &Value::Null));
    let view = chat.owner.view(&conversation).await;
    assert_eq!(&view["messages"].as_array().unwrap().last().unwrap()["citations"], cited);
    assert_eq!(view["tainted"], true);
    assert!(view["tainted_by"].as_str().unwrap().contains("/heron"), "{view}");
    chat.llm.then(vec![say("As I said [1].")]);
    let (_, events) = chat.owner.turn("And in another conversation?").await;
    assert!(events.iter().all(|event| event.name != "citations"), "another conversation has fetched nothing");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_page_says_carries_nothing_to_a_host_of_its_own_choice() {
    let chat = Chat::start(Vec::new()).await;
    let site = Site::new(&chat.app).await;
    site.put("/heron", [page("text/html", HERONS)]).put("/fish", [page("text/html", HERONS)]);
    let stranger = "http://stranger.example/?secret=1";
    chat.llm.then(vec![
        call("web_fetch", json!({"url": site.url("/heron")})),
        call("web_fetch", json!({"url": site.url("/fish")})),
        call("web_fetch", json!({"url": stranger})),
    ]);
    let conversation = chat.owner.conversation().await;
    let mut stream = chat.owner.say(&conversation, "What does a heron do?").await;
    let events = stream.until("confirmation").await;
    let asked = find(&events, "confirmation");
    assert_eq!(asked.data["ticket"]["arguments"]["url"], stranger, "the same host again is not asked: {asked:?}");
    assert!(asked.data["ticket"]["reason"].as_str().unwrap().contains("stranger.example"), "{asked:?}");
    assert_eq!(site.asked().len(), 2);
    let rows = chat.owner.do_it("GET", "/api/egress?host=stranger.example", Value::Null).await;
    assert_eq!(rows["entries"], json!([]), "nothing was sent before somebody said so");
}
