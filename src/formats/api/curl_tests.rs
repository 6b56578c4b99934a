//! Tests of [`super::curl`]: what a command says is taken over, and no secret.

use serde_json::{Value, json};

use super::curl::read;
use crate::model::catalog::proposal::Proposals;

fn shown(command: &str) -> (Proposals, String) {
    let read = read(command).unwrap_or_else(|error| panic!("{command}: {}", error.message()));
    let text = serde_json::to_string(&read).unwrap();
    (read, text)
}

/// The name and the schema of each parameter.
fn parameters(command: &str) -> Value {
    let (read, _) = shown(command);
    read.operations[0].parameters.iter().map(|one| json!([one.name, one.schema])).collect()
}

#[test]
fn no_secret_of_a_command_is_taken_over_wherever_it_stands() {
    for command in [
        "curl --oauth2-bearer CANARY https://a.example/x",
        "curl -H 'Authorization: Bearer CANARY' https://a.example/x",
        r#"curl -d '{"user":"bob","password":"CANARY"}' https://a.example/x"#,
        r#"curl -d '{"auth":{"who":["CANARY"]},"n":1}' https://a.example/x"#,
        "curl -d 'user=bob&pwd=CANARY' https://a.example/x",
        "curl -d CANARY https://a.example/x",
        "curl -F user=bob -F passcode=CANARY https://a.example/x",
        "curl 'https://a.example/x?sig=CANARY'",
        "curl 'https://a.example/x?api_key=CANARY'",
        "curl -G -d otp=CANARY https://a.example/x",
        "curl -H 'X-Session: CANARY' https://a.example/x",
        "curl -H 'X-Who: Bearer CANARY' https://a.example/x",
        "curl -kvu bob:CANARY https://a.example/x",
        "curl --cookie a=CANARY https://a.example/x",
        "curl https://bob:CANARY@a.example/x",
    ] {
        let (read, text) = shown(command);
        assert!(!text.contains("CANARY"), "{command}: {text}");
        assert_eq!(read.base_url.as_deref(), Some("https://a.example"), "{command}");
        if command != "curl -d CANARY https://a.example/x" {
            assert!(read.warnings.iter().any(|told| told.starts_with("Credentials")), "{command}: {:?}", read.warnings);
        }
    }
    let (read, text) = shown(r#"curl -d '{"user":"bob","password":"x"}' https://a.example/x"#);
    assert!(text.contains("bob") && read.operations[0].method == "POST", "{text}");
    assert_eq!(
        serde_json::to_value(shown("curl --oauth2-bearer T https://a.example").0.auth).unwrap()["type"],
        "bearer"
    );
}

#[test]
fn the_value_of_an_option_is_never_the_url() {
    for command in [
        "curl -T file.txt https://a.example/x",
        "curl -r 0-99 https://a.example/x",
        "curl --proxy-user u:p --limit-rate 5k https://a.example/x",
        "curl -kvu bob:pw https://a.example/x",
        "curl -sSLo out --data-raw a=1 -- https://a.example/x",
        "curl -fsSXPUT https://a.example/x --next https://b.example/y",
    ] {
        let (read, text) = shown(command);
        assert_eq!((read.title.as_str(), read.operations[0].path.as_str()), ("a.example", "/x"), "{text}");
    }
    assert_eq!(shown("curl -T file.txt https://a.example/x").0.operations[0].method, "PUT");
    assert!(read("curl https://a.example -H").unwrap_err().message().contains("-H of the curl command lacks"));
}

#[test]
fn data_and_forms_become_their_fields() {
    let text = |example: &str| json!({"type": "string", "examples": [example]});
    assert_eq!(parameters("curl -G --data-urlencode 'q=a b&c' https://a.example/x"), json!([["q", text("a b&c")]]));
    let form = |fields: Value| json!([["body", {"type": "object", "properties": fields, "contentMediaType": "application/x-www-form-urlencoded"}]]);
    assert_eq!(
        parameters("curl --data-urlencode 'q=a b&c' -d n=1 https://a.example/x"),
        form(json!({"q": text("a b&c"), "n": text("1")}))
    );
    let file = |media: Option<&str>| match media {
        Some(media) => json!({"type": "string", "format": "binary", "contentMediaType": media}),
        None => json!({"type": "string", "format": "binary"}),
    };
    let fields = json!({"file": file(None), "note": text("hi"), "told": {"type": "string"}});
    let upload = json!([["body", {"type": "object", "properties": fields, "contentMediaType": "multipart/form-data"}]]);
    assert_eq!(parameters("curl -F file=@a.png -F note=hi -F 'told=<b.txt' https://a.example/x"), upload);
    let whole = "curl -T a.bin https://a.example/x";
    assert_eq!(parameters(whole), json!([["body", file(Some("application/octet-stream"))]]));
    let image = "curl --data-binary @a.png -H 'content-type: image/png' https://a.example/x";
    assert_eq!(parameters(image), json!([["body", file(Some("image/png"))]]));
    assert!(!shown(image).1.contains("file"), "{}", shown(image).1);
    let json = r#"curl --json '{"a":' --json '1}' https://a.example/x"#;
    assert_eq!(parameters(json)[0][1]["properties"]["a"], json!({"type": "integer", "examples": [1]}));
    let file = "curl -d @body.json -H 'content-type: application/json' https://a.example/x";
    assert_eq!(parameters(file), json!([["body", {}]]));
    assert!(shown(file).1.contains("from a file"));
}

#[test]
fn what_a_browser_copies_is_read() {
    let chrome = r#"curl 'https://a.example/x' -H 'accept: */*' --data-raw $'{"t":"it\'s \u0021"}'"#;
    assert_eq!(parameters(chrome)[0][1]["properties"]["t"]["examples"], json!(["it's !"]));
    let windows = "curl ^\"https://a.example/x^\" ^\n  --data-raw ^\"^{^\\^\"n^\\^\":1^}^\"";
    assert_eq!(parameters(windows)[0][1]["properties"]["n"]["examples"], json!([1]));
}

#[test]
fn what_only_the_shell_knows_is_refused_where_it_is_the_address() {
    for command in ["curl https://$HOST/x", "curl \"https://a.example/${ID}\"", "curl 'https://{host}/x'"] {
        let told = read(command).unwrap_err();
        assert!(told.message().contains("write out"), "{command}: {}", told.message());
    }
    assert_eq!(
        shown("curl 'https://a.example/$metadata' -H \"Authorization: Bearer $TOKEN\"").0.operations[0].path,
        "/$metadata"
    );
}
