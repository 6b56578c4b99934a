//! `call_soap_endpoint` against services of both versions.

use satchel::model::error::Kind;
use serde_json::{Value, json};

use crate::support::{
    app::TestApp,
    remote::{
        services::{customers, orders},
        systems::open,
    },
};

const BODY: &str = "<o:Status xmlns:o=\"urn:orders\"><number>7</number></o:Status>";

fn ask(action: &str, body: &str) -> Value {
    json!({"system_id": "orders", "soap_action": action, "body_xml": body, "path": "/services/orders"})
}

#[tokio::test(flavor = "multi_thread")]
async fn both_versions_are_spoken_without_being_told_which() {
    let app = TestApp::start().await;
    let owner = app.caller(&["*"]).await;
    for (system, version, requests) in [("one", "1.1", 1), ("two", "1.2", 2)] {
        let server = orders(version).await;
        open(&app, system, &server.url()).await;
        let mut call = ask("urn:orders#Status", BODY);
        call["system_id"] = json!(system);
        let data = app.data(&owner, "call_soap_endpoint", call).await.unwrap();
        assert_eq!(data["body"]["StatusResponse"], json!({"number": "7", "state": "shipped"}), "{version}");
        assert_eq!(data["header"], json!({"trace": "t-1"}));
        assert_eq!((server.seen().len(), server.last().target.as_str()), (requests, "/services/orders"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_sent_is_what_the_version_says() {
    let (app, old, new) = (TestApp::start().await, orders("1.1").await, orders("1.2").await);
    open(&app, "orders", &old.url()).await;
    let owner = app.caller(&["*"]).await;
    app.data(&owner, "call_soap_endpoint", ask("urn:orders#Status", BODY)).await.unwrap();
    let seen = old.last();
    assert_eq!(seen.header("soapaction"), "\"urn:orders#Status\"");
    assert_eq!(seen.header("content-type"), "text/xml; charset=utf-8");
    assert!(seen.text().contains(&format!("<soap:Body>{BODY}</soap:Body>")), "{}", seen.text());
    open(&app, "new", &new.url()).await;
    let envelope =
        format!("<e:Envelope xmlns:e=\"http://www.w3.org/2003/05/soap-envelope\"><e:Body>{BODY}</e:Body></e:Envelope>");
    let call = json!({"system_id": "new", "soap_action": "urn:orders#Status", "body_xml": envelope});
    app.data(&owner, "call_soap_endpoint", call).await.unwrap();
    let seen = new.last();
    assert_eq!(new.seen().len(), 1);
    assert_eq!(seen.header("content-type"), "application/soap+xml; charset=utf-8; action=\"urn:orders#Status\"");
    assert_eq!(seen.header("soapaction"), "");
    assert!(seen.text().ends_with(&envelope));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fault_is_an_error_with_code_and_reason() {
    let app = TestApp::start().await;
    let owner = app.caller(&["*"]).await;
    for (system, version, code) in [("one", "1.1", "Client"), ("two", "1.2", "Sender")] {
        open(&app, system, &orders(version).await.url()).await;
        let call = json!({"system_id": system, "soap_action": "urn:orders#Cancel", "body_xml": BODY});
        let error = app.call(&owner, "call_soap_endpoint", call).await.err().unwrap();
        assert_eq!(error.message(), format!("The service answered with the fault {code}: Too late"));
        let details = json!({"code": code, "reason": "Too late", "detail": {"state": "shipped"}});
        assert_eq!((error.kind(), error.details()), (Kind::Upstream, Some(&details)));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_and_something_else_are_told_apart() {
    let (app, server, other) = (TestApp::start().await, orders("1.1").await, customers().await);
    open(&app, "orders", &server.url()).await;
    open(&app, "crm", &other.url()).await;
    let owner = app.caller(&["*"]).await;
    let data = app.data(&owner, "call_soap_endpoint", ask("urn:orders#Note", BODY)).await.unwrap();
    assert_eq!(data, json!({"status": 202, "body": null}));
    let call = json!({"system_id": "crm", "soap_action": "", "body_xml": BODY, "path": "/echo"});
    let error = app.call(&owner, "call_soap_endpoint", call).await.err().unwrap();
    assert!(error.message().contains("something else than a SOAP envelope"), "{error}");
    for (action, body) in [
        ("a\"b", BODY),
        ("a\r\nX-Injected: 1", BODY),
        ("a", "no xml"),
        ("a", "<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><a/>"),
        ("a", "<a/></soap:Body></soap:Envelope><b/>"),
    ] {
        let error = app.call(&owner, "call_soap_endpoint", ask(action, body)).await.err().unwrap();
        assert_eq!(error.kind(), Kind::Invalid, "{action} {body}: {error}");
    }
}
