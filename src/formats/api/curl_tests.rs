//! Tests of [`super::curl`]: what a command says is taken over, and no secret.

use serde_json::{Value, json};

use super::curl::read;
use satchel_model::catalog::proposal::Proposals;

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
    for command in [
        "curl https://$HOST/x",
        "curl \"https://a.example/x$ID\"",
        "curl https://a.example/$(id)",
        "curl 'https://{host}/x'",
    ] {
        let told = read(command).unwrap_err();
        assert!(told.message().contains("write out"), "{command}: {}", told.message());
    }
    assert_eq!(
        shown("curl 'https://a.example/$metadata' -H \"Authorization: Bearer $TOKEN\"").0.operations[0].path,
        "/$metadata"
    );
}

fn keys(read: &Proposals) -> Vec<&str> {
    read.operations.iter().map(|one| one.key.as_str()).collect()
}

#[test]
fn each_command_and_each_address_is_an_operation_of_its_own() {
    for text in [
        "curl https://a.example/a\ncurl -X DELETE https://a.example/b",
        "curl https://a.example/a && curl -X DELETE https://a.example/b",
        "curl https://a.example/a; curl -X DELETE https://a.example/b",
        "curl https://a.example/a --next -X DELETE https://a.example/b",
    ] {
        let (read, _) = shown(text);
        assert_eq!(keys(&read), ["GET /a", "DELETE /b"], "{text}");
        assert_eq!(read.warnings, [""; 0], "{text}");
    }
    assert_eq!(keys(&shown("curl https://a.example/a https://a.example/b").0), ["GET /a", "GET /b"]);
}

#[test]
fn what_is_left_out_or_stands_elsewhere_is_told() {
    let (read, text) = shown(
        "curl -u me:it https://a.example/a | jq .\nTOKEN=CANARY\n\
         curl -H 'X-Key: CANARY' https://b.example/a\ncurl http://$X/y",
    );
    assert_eq!(keys(&read), ["GET /a", "GET https://b.example/a"]);
    assert!(!read.operations[0].elsewhere && read.operations[1].elsewhere);
    assert_eq!(serde_json::to_value(&read.auth).unwrap()["type"], "basic");
    assert!(!text.contains("CANARY"), "{text}");
    for told in ["Left out: TOKEN, jq.", "GET /a is on another server (https://b.example)", "holds $X"] {
        assert!(read.warnings.iter().any(|warning| warning.contains(told)), "{told}: {:?}", read.warnings);
    }
    let both = "curl -u me:it https://a.example/a; curl --oauth2-bearer T https://a.example/b";
    assert!(shown(both).0.warnings.iter().any(|told| told.contains("different kinds")));
}

#[test]
fn placeholders_of_documentation_are_parameters_of_the_path() {
    for (command, path, names) in [
        ("curl https://a.example/users/{id}", "/users/{id}", vec!["id"]),
        ("curl https://a.example/users/:id/x", "/users/{id}/x", vec!["id"]),
        ("curl https://a.example/users/<user-id>", "/users/{user-id}", vec!["user-id"]),
        ("curl 'https://a.example/users/<id>?q={q}'", "/users/{id}", vec!["id", "q"]),
        ("curl https://a.example/users/$USER_ID", "/users/{user_id}", vec!["user_id"]),
        ("curl \"https://a.example/users/${ID}?q=$Q\"", "/users/{id}", vec!["id", "q"]),
        (
            "curl https://a.example/users/{{userId}}/posts/{userId}",
            "/users/{userId}/posts/{post_userId}",
            vec!["userId", "post_userId"],
        ),
        ("curl https://a.example/f/{name}.json", "/f/{name}.json", vec!["name"]),
        ("curl https://a.example/users/7/posts/8", "/users/{id}/posts/{post_id}", vec!["id", "post_id"]),
        ("curl https://a.example/{a,b}/x:run", "/%7Ba,b%7D/x:run", vec![]),
    ] {
        let (read, text) = shown(command);
        assert_eq!(read.operations[0].path, path, "{command}");
        let found: Vec<&str> = read.operations[0].parameters.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(found, names, "{command}");
        assert!(!text.contains("\"$"), "{text}");
    }
}

#[test]
fn a_particular_kind_of_answer_is_always_asked_for() {
    let github = "curl -H 'Accept: application/vnd.github+json' https://a.example/x";
    assert_eq!(parameters(github), json!([["Accept", {"type": "string", "const": "application/vnd.github+json"}]]));
    let (read, _) = shown(github);
    assert!(read.operations[0].parameters[0].fixed().is_some());
    for plain in ["application/json", "text/html, */*;q=0.8"] {
        assert_eq!(parameters(&format!("curl -H 'Accept: {plain}' https://a.example/x")), json!([]));
    }
}

#[test]
fn a_form_with_files_as_a_browser_copies_it_becomes_its_fields() {
    let text = |example: &str| json!({"type": "string", "examples": [example]});
    let file = json!({"type": "string", "format": "binary"});
    let fields = json!({"note": text("a=1&b"), "up": file, "tags": {"type": "array", "items": text("x")}});
    let wanted = json!([["body", {"type": "object", "properties": fields, "contentMediaType": "multipart/form-data"}]]);
    let part = |name: &str, value: &str| {
        format!("------Web\\r\\nContent-Disposition: form-data; name=\"{name}\"{value}\\r\\n")
    };
    let body = [
        part("note", "\\r\\n\\r\\na=1&b"),
        part("up", "; filename=\"cat.png\"\\r\\nContent-Type: image/png\\r\\n\\r\\n"),
        part("tags", "\\r\\n\\r\\nx"),
        part("tags", "\\r\\n\\r\\ny"),
    ];
    let command = |body: &str| {
        format!(
            "curl 'https://a.example/x' -H 'Content-Type: multipart/form-data; boundary=----Web' --data-raw $'{body}'"
        )
    };
    let copied = command(&format!("{}------Web--\\r\\n", body.concat()));
    assert_eq!(parameters(&copied), wanted);
    assert_eq!(shown(&copied).0.warnings, [""; 0]);
    let (broken, text) = shown(&command("garbage"));
    assert!(broken.warnings[0].contains("a form with files that cannot be read"), "{:?}", broken.warnings);
    assert!(!text.contains("garbage"), "{text}");
}

#[test]
fn a_fixed_header_is_sent_with_every_call() {
    let header = |header: &str| parameters(&format!("curl -H \"{header}\" https://a.example/x"))[0].clone();
    let fixed = "curl -H 'Notion-Version: 2022-06-28' https://a.example/x";
    assert_eq!(parameters(fixed), json!([["Notion-Version", {"type": "string", "const": "2022-06-28"}]]));
    assert!(shown(fixed).0.operations[0].parameters[0].fixed().is_some());
    let open = json!({"type": "string"});
    for (text, name) in [
        ("X-Tenant: $TENANT", "X-Tenant"),
        ("X-Tenant: <tenant>", "X-Tenant"),
        ("Idempotency-Key: 0190b6a8-5b0e-7c3c-9b6a-0123456789ab", "Idempotency-Key"),
        ("X-Session-Key: abc", ""),
    ] {
        let found = header(text);
        assert_eq!(found, if name.is_empty() { Value::Null } else { json!([name, open]) }, "{text}");
    }
    assert_eq!(header("If-Match: abc"), json!(["If-Match", {"type": "string", "examples": ["abc"]}]));
}

#[test]
fn what_a_browser_adds_is_left_out() {
    let names = [
        "sec-ch-ua: x",
        "sec-ch-ua-mobile: ?0",
        "Sec-Fetch-Mode: cors",
        "Priority: u=1",
        "TE: trailers",
        "DNT: 1",
        "Upgrade-Insecure-Requests: 1",
        "Cache-Control: no-cache",
        "Pragma: no-cache",
        "Origin: https://a.example",
        "Referer: https://a.example/",
        "User-Agent: Mozilla/5.0",
        "Accept-Language: de",
        "X-Forwarded-For: 1.2.3.4",
    ];
    let headers: Vec<String> = names.iter().map(|header| format!("-H '{header}'")).collect();
    let command = format!("curl {} -H 'X-Requested-With: XMLHttpRequest' https://a.example/x", headers.join(" "));
    assert_eq!(parameters(&command), json!([["X-Requested-With", {"type": "string", "const": "XMLHttpRequest"}]]));
    let language = "curl -H 'Accept-Language: de' https://a.example/x";
    assert_eq!(parameters(language), json!([["Accept-Language", {"type": "string", "const": "de"}]]));
    let turned = "curl -X POST -H 'X-HTTP-Method-Override: DELETE' https://a.example/x";
    assert!(shown(turned).0.warnings[0].contains("X-HTTP-Method-Override is never sent"));
}

#[test]
fn what_is_said_several_times_is_a_list() {
    let list = json!({"type": "array", "items": {"type": "string", "examples": ["a"]}});
    assert_eq!(parameters("curl 'https://a.example/x?tag=a&tag=b'"), json!([["tag", list]]));
    assert_eq!(parameters("curl -d tag=a -d tag=b https://a.example/x")[0][1]["properties"], json!({"tag": list}));
    assert_eq!(parameters("curl -F tag=a -F tag=b https://a.example/x")[0][1]["properties"], json!({"tag": list}));
    assert_eq!(parameters("curl -g 'https://a.example/x?tag[]=a'"), json!([["tag[]", list]]));
}

#[test]
fn what_stands_around_a_command_is_read_over_and_no_value_of_a_variable_is_kept() {
    for text in [
        "# Lists all.\nexport TOKEN=CANARY\ncurl -H \"Authorization: Bearer $TOKEN\" https://a.example/x",
        "Do:\n```bash\n$ curl -H 'Authorization: Bearer CANARY' https://a.example/x\n```\nand be glad of it; a | b",
        "TOKEN=CANARY curl -H \"Authorization: Bearer ${TOKEN}\" https://a.example/x",
        "sudo -E curl --oauth2-bearer CANARY https://a.example/x",
        "API=https://a.example\nTOKEN=CANARY\ncurl $API/x --oauth2-bearer $TOKEN",
        "TOKEN=$(cat CANARY)\ncurl \"https://a.example/x\" --oauth2-bearer $TOKEN",
    ] {
        let (read, shown) = shown(text);
        assert_eq!((keys(&read), read.base_url.as_deref()), (vec!["GET /x"], Some("https://a.example")), "{text}");
        assert_eq!(serde_json::to_value(&read.auth).unwrap()["type"], "bearer", "{text}");
        assert!(!shown.contains("CANARY"), "{shown}");
    }
    let body = "NAME=CANARY\ncurl -d \"{\\\"name\\\": \\\"$NAME\\\"}\" https://a.example/x";
    assert_eq!(parameters(body)[0][1]["properties"], json!({"name": {"type": "string"}}));
    let path = "API=https://a.example/v1/\ncurl \"$API/users/$ID\"";
    assert_eq!(keys(&shown(path).0), ["GET /v1/users/{id}"]);
}

#[test]
fn segments_in_capitals_are_parameters_of_the_path() {
    for (path, wanted) in [
        ("/repos/OWNER/REPO/issues/ISSUE_NUMBER", "GET /repos/{owner}/{repo}/issues/{issue_number}"),
        ("/api/REST/V2/users", "GET /api/REST/V2/users"),
        ("/API/USERS", "GET /API/USERS"),
    ] {
        assert_eq!(keys(&shown(&format!("curl https://a.example{path}")).0), [wanted]);
    }
}

#[test]
fn every_credential_that_is_dropped_is_told() {
    for command in [
        "curl -H 'X-CSRF-Token: CANARY' -H 'Cookie: a=CANARY' https://a.example/x",
        "curl -b a=CANARY -H 'X-CSRF-Token: CANARY' https://a.example/x",
    ] {
        let (read, text) = shown(command);
        assert_eq!(serde_json::to_value(&read.auth).unwrap()["name"], "Cookie");
        assert!(read.warnings[0].contains("Cookie is proposed, and X-CSRF-Token is not sent"), "{:?}", read.warnings);
        assert!(!text.contains("CANARY"), "{text}");
    }
    let (read, _) = shown("curl -H 'Authorization: Token CANARY' https://a.example/x");
    assert_eq!(serde_json::to_value(&read.auth).unwrap()["name"], "Authorization");
    assert!(read.warnings[0].contains("the whole header"), "{:?}", read.warnings);
    let (read, text) = shown("curl -u sk_CANARY: https://a.example/x");
    assert!(read.warnings[0].contains("enter it under Credentials as username"), "{:?}", read.warnings);
    assert!(!text.contains("CANARY"), "{text}");
    assert!(!shown("curl -u me:it https://a.example/x").0.warnings[0].contains("without a password"));
}
