//! What is hard to say between gRPC and JSON: types nobody imports, times out of range, alternatives, compression, and
//! what a server says of a failure.

use satchel::{
    model::{
        egress::{Origin, Part},
        error::{Error, Kind},
        spec::Risk,
    },
    services::catalog::{grpc_import, offer},
};
use serde_json::{Value, json};

use crate::support::{
    app::TestApp,
    remote::{
        grpc::{Reflection, start, start_gzip, start_with_pages, web_bridge},
        systems::{connect, draft, endpoint, open},
    },
};

/// A server's system, and one who may call it.
struct Called {
    app: TestApp,
    system: satchel::model::catalog::system::System,
}

impl Called {
    async fn at(address: std::net::SocketAddr) -> Self {
        let app = TestApp::start().await;
        let system = open(&app, "things", &format!("http://{address}")).await;
        Self { app, system }
    }

    async fn call(&self, method: &str, body: Value) -> Result<Value, Error> {
        let ask = json!({"system_id": "things", "service": "things.v1.Things", "method": method, "body": body});
        self.app.data(&self.app.caller(&["*"]).await, "call_grpc_endpoint", ask).await
    }

    /// Returns what comes back of a message, without the fields that it did not name.
    async fn given_back(&self, body: Value) -> Value {
        let data = self.call("Give", body.clone()).await.unwrap();
        let fields = body.as_object().unwrap().keys();
        fields.map(|name| (name.clone(), data["message"][name].clone())).collect::<serde_json::Map<_, _>>().into()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_any_is_told_by_its_type_where_the_system_tells_of_it_and_else_by_its_bytes() {
    let called = Called::at(start(Reflection::V1).await).await;
    let linked = json!({"@type": "type.googleapis.com/things.v1.Linked", "text": "Zoë"});
    let nobody = json!({"@type": "type.googleapis.com/nobody.Knows", "value": "CAE="});
    let known = json!({"@type": "type.googleapis.com/google.protobuf.Duration", "value": "1.500s"});
    for extra in [linked.clone(), nobody.clone(), known] {
        let body = json!({"extra": extra, "ratio": 0.5, "left": "a"});
        assert_eq!(called.given_back(body.clone()).await, body);
    }
    let within = json!({"extra": {"@type": "x/things.v1.Thing", "extra": linked, "things": [{"extra": nobody}]}});
    let back = called.given_back(within).await;
    assert_eq!((&back["extra"]["extra"], &back["extra"]["things"][0]["extra"]), (&linked, &nobody));
    let fields = json!({"extra": {"@type": "type.googleapis.com/nobody.Knows", "text": "a"}});
    let error = called.call("Give", fields).await.unwrap_err();
    assert!(error.message().contains("at 'extra': the system does not describe the type 'nobody.Knows'"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_type_that_is_met_in_an_answer_only_is_asked_for() {
    let server = start(Reflection::V1).await;
    for address in [server, web_bridge(server).await] {
        let data = Called::at(address).await.call("Tell", json!({})).await.unwrap();
        let wanted = json!({"@type": "type.googleapis.com/things.v1.Linked", "text": "told"});
        assert_eq!(data["message"]["extra"], wanted);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_mapping_cannot_write_comes_back_all_the_same() {
    let called = Called::at(start(Reflection::V1).await).await;
    let body = json!({
        "mask": "x_1,user_name.y",
        "at": {"seconds": "99999999999999", "nanos": 0},
        "after": {"seconds": "999999999999999", "nanos": 0},
        "ratio": 0.1,
        "anything": null,
        "mood": 7,
        "named": {"3": {"left": "three"}},
    });
    let mut back = called.given_back(body.clone()).await;
    assert_eq!(back["named"]["3"]["left"], "three");
    back["named"] = body["named"].clone();
    assert_eq!(back, body);
    let data = called.call("Give", json!({"anything": null, "mood": 1})).await.unwrap();
    assert_eq!(data["message"].as_object().unwrap().get("anything"), Some(&Value::Null));
    assert_eq!(data["message"]["mood"], "GLAD");
    let data = called.call("Give", json!({"at": null})).await.unwrap();
    assert_eq!(data["message"].as_object().unwrap().get("anything"), None, "nothing is not null");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_in_a_body_is_told_with_its_place() {
    let called = Called::at(start(Reflection::V1).await).await;
    for (body, told) in [
        (json!({"things": [{}, {"after": "soon"}]}), "at 'things[1].after': failed to parse duration; it is seconds"),
        (
            json!({"inner": {"mood": "SAD"}}),
            "at 'inner.mood': unrecognized enum value 'SAD'; it is one of UNKNOWN, GLAD",
        ),
        (json!({"numbers": [1, "x"]}), "at 'numbers[1]': invalid digit found in string"),
        (json!({"named": {"x": {}}}), "at 'named[x]': the key is not of its type"),
        (
            json!({"named": {"1": {"nope": 1}}}),
            "at 'named[1].nope': there is no such field in things.v1.Thing. Its fields: extra",
        ),
        (json!({"inner": {"left": "a", "right": 1}}), "at 'inner.right': only one of 'left' and 'right' may be given"),
        (json!({"extra": {"text": "a"}}), "at 'extra': '@type' is missing"),
    ] {
        let error = called.call("Give", body.clone()).await.unwrap_err();
        assert_eq!(error.kind(), Kind::Invalid);
        assert!(error.message().contains(told), "{body}: {error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_that_compress_are_imported_and_called() {
    let server = start_gzip().await;
    for address in [server, web_bridge(server).await] {
        let called = Called::at(address).await;
        let body = json!({"left": "long ".repeat(1_000)});
        assert_eq!(called.given_back(body.clone()).await, body);
        let http = called.app.satchel.app.outbound(Origin::part(Part::Ingest, None)).unwrap();
        let found = grpc_import::read(&called.app.satchel.app, &http, &called.system).await.unwrap();
        assert!(found.operations.iter().any(|one| one.key == "/things.v1.Things/Give"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn reflection_is_found_behind_pages_that_are_not_there() {
    let server = start_with_pages(Reflection::V1Alpha).await;
    for address in [server, web_bridge(server).await] {
        let called = Called::at(address).await;
        assert_eq!(called.given_back(json!({"left": "a"})).await, json!({"left": "a"}));
    }
    let none = start_with_pages(Reflection::None).await;
    let native = Called::at(none).await.call("Give", json!({})).await.unwrap_err();
    assert!(native.message().contains("no gRPC server reflection"), "{native}");
    assert!(native.message().contains("HTTP status 404"), "{native}");
    let web = Called::at(web_bridge(none).await).await.call("Give", json!({})).await.unwrap_err();
    assert!(web.message().contains("Over gRPC-Web: The system has no gRPC server reflection"), "{web}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_is_told_with_its_details_and_what_came_before_it() {
    let server = start(Reflection::V1).await;
    for address in [server, web_bridge(server).await] {
        let called = Called::at(address).await;
        let error = called.call("Break", json!({"left": "a"})).await.unwrap_err();
        assert_eq!(error.kind(), Kind::Exhausted);
        assert!(
            error.message().ends_with("out of paper (before that came 2 messages, which the details hold)"),
            "{error}"
        );
        let details = error.details().unwrap();
        let said = json!([{"@type": "type.googleapis.com/google.rpc.LocalizedMessage", "locale": "de",
            "message": "Kein Papier"}]);
        assert_eq!((&details["code"], &details["details"]), (&json!(8), &said));
        let left: Vec<&Value> = details["messages"].as_array().unwrap().iter().map(|one| &one["left"]).collect();
        assert_eq!(left, ["a", "a"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn codes_are_kinds_and_a_refused_credential_comes_with_advice() {
    let called = Called::at(start(Reflection::V1).await).await;
    let owner = called.app.caller(&["*"]).await;
    for (code, kind) in [(3, Kind::Invalid), (5, Kind::NotFound), (6, Kind::Conflict), (13, Kind::Upstream)] {
        let ask = json!({"system_id": "things", "service": "echo.v1.Echo", "method": "Fail", "body": {"times": code}});
        assert_eq!(called.app.call(&owner, "call_grpc_endpoint", ask).await.err().unwrap().kind(), kind, "{code}");
    }
    let ask = json!({"system_id": "things", "service": "echo.v1.Echo", "method": "Fail", "body": {"times": 16}});
    let error = called.app.call(&owner, "call_grpc_endpoint", ask).await.err().unwrap();
    assert_eq!(error.kind(), Kind::Unconfigured);
    assert!(error.message().contains("an administrator enters it anew in the console"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn parameters_in_headers_are_sent_as_metadata() {
    let app = TestApp::start().await;
    let address = start(Reflection::V1).await;
    let auth = json!({"auth": {"type": "api_key", "name": "X-API-Key"}});
    let system = connect(&app, "users", &format!("http://{address}"), auth, json!({"api_key": "canary-1"})).await;
    let owner = app.caller(&["*"]).await;
    let told = async |header: &str, value: &str| {
        let said = json!({"name": format!("Say {header}"), "method": "POST", "path": "/echo.v1.Echo/Say",
            "operation": {"protocol": "grpc", "service": "echo.v1.Echo", "rpc": "Say"},
            "parameters": [{"name": header, "in": "header", "schema": {"type": "string"}}]});
        let made = endpoint(&app, &system, said).await;
        offer::offer(&app.satchel.invoker);
        app.data(&owner, &format!("catalog:users.{}", made.slug), json!({header: value})).await
    };
    let data = told("x-trace", "7").await.unwrap();
    assert_eq!(data["message"]["headers"], json!(["x-api-key: ***", "x-trace: 7"]));
    for (name, value, words) in [
        ("grpc-timeout", "1S", "set by gRPC itself"),
        ("x-api-key", "mine", "set by Satchel"),
        ("te", "trailers", "set by"),
        ("blob-bin", "not base64!", "give its value as base64"),
    ] {
        let error = told(name, value).await.unwrap_err();
        assert!(error.kind() == Kind::Invalid && error.message().contains(words), "{name}: {error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_import_makes_calls_learn_the_types_anew() {
    let called = Called::at(start(Reflection::V1).await).await;
    let app = &called.app.satchel.app;
    called.call("Give", json!({})).await.unwrap();
    let key = format!("{} things.v1.Things", called.system.binding());
    assert!(app.net.calling.types(&key).is_some());
    let http = app.outbound(Origin::part(Part::Ingest, None)).unwrap();
    grpc_import::read(app, &http, &called.system).await.unwrap();
    assert!(app.net.calling.types(&key).is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn alternatives_required_fields_and_harmless_methods_are_imported_as_such() {
    let app = TestApp::start().await;
    let system = draft(&app, "things", &format!("http://{}", start(Reflection::V1).await), json!({})).await;
    let http = app.satchel.app.outbound(Origin::part(Part::Ingest, None)).unwrap();
    let found = grpc_import::read(&app.satchel.app, &http, &system).await.unwrap();
    let method =
        |name: &str| found.operations.iter().find(|one| one.key == format!("/things.v1.Things/{name}")).unwrap();
    let (give, take) = (method("Give"), method("Take"));
    assert_eq!((give.risk, take.risk), (Risk::Read, Risk::HighWrite));
    let required: Vec<(&str, bool)> = take.parameters.iter().map(|one| (one.name.as_str(), one.required)).collect();
    assert_eq!(required, [("id", true), ("note", false)]);
    let field = |name: &str| give.parameters.iter().find(|one| one.name == name).unwrap();
    assert_eq!(field("left").description, "Give at most one of this and right.");
    assert_eq!((field("ratio").description.as_str(), field("anything").schema.clone()), ("", json!({})));
    assert_eq!(field("inner").schema["properties"]["right"]["description"], "Give at most one of this and left.");
    let mood = json!({"anyOf": [{"type": "string", "enum": ["UNKNOWN", "GLAD"]}, {"type": "integer"}]});
    assert_eq!(field("mood").schema, mood);
}
