//! What is stored as a secret stays one, whoever changes the script, and comes to stand nowhere in clear.

use serde_json::{Value, json};

use super::two::{Two, script};

const CANARY: &str = "Zq9-canary-77";
const SECRET: &str = "// @config token secret required \"A token\"";
const PLAIN: &str = "// @config token required \"A token\"";

#[tokio::test]
async fn a_secret_stays_one_whatever_a_header_says_of_it_later() {
    let two = Two::start().await;
    let body = "config(\"token\")";
    two.publish("leaky", &script("leaky", SECRET, body)).await;
    assert_eq!(two.configure("leaky", json!({"token": CANARY})).await, json!({"token": "***"}));
    let plain = script("leaky", PLAIN, body);
    let tried = two.sam_tries("leaky", &plain).await;
    assert_eq!([&tried["success"], &tried["data"]], [&json!(true), &json!("***")], "{tried}");
    two.sam.do_it("PUT", "/api/scripts/leaky", json!({"source": plain})).await;
    let (status, refused) = two.sam.ask("POST", "/api/scripts/leaky/publish", json!({"accept": []})).await;
    let all = json!(["'token' is no secret any more"]);
    assert_eq!((status, &refused["wider"]), (409, &all), "{refused}");
    let live = two.sam.do_it("POST", "/api/scripts/leaky/publish", json!({"accept": all})).await;
    assert_eq!(live["versions"][0]["wider"], all);
    let called = || two.sam.do_it("POST", "/api/tools/leaky/invoke", json!({"params": {}}));
    assert_eq!(called().await["data"], "***");
    assert_eq!(two.configured("leaky").await, json!({"token": "***"}));
    // Keeping it says nothing of it; setting it anew does.
    assert_eq!(two.configure("leaky", json!({"token": "***"})).await, json!({"token": "***"}));
    assert_eq!(called().await["data"], "***");
    assert_eq!(two.configure("leaky", json!({"token": "https://a.example"})).await["token"], "https://a.example");
    assert_eq!(called().await["data"], "https://a.example");
}

#[tokio::test]
async fn a_file_leaves_its_name_to_nobody_else() {
    let two = Two::start().await;
    let host = "// @http api.example.test\n// @kv";
    let body = "kv_set(\"seen\", 1); #{ token: config(\"token\"), kept: kv_keys() }";
    let file = script("fold", &format!("{SECRET}\n{host}"), body);
    two.file("fold", Some(&file)).await;
    two.configure("fold", json!({"token": CANARY})).await;
    let grant = json!({"hosts": ["api.example.test"]});
    two.anna.do_it("PUT", "/api/scripts/fold/grants", grant).await;
    let call = || two.sam.do_it("POST", "/api/tools/fold/invoke", json!({"params": {}}));
    assert_eq!(call().await["data"], json!({"token": "***", "kept": ["seen"]}));
    // A file that is broken for a moment keeps its name.
    let other = script("fold", "// @config token \"t\"\n// @http api.example.test\n// @kv", "config(\"token\")");
    two.file("fold", Some(&file.replace("fn run", "fn run("))).await;
    let tried = two.sam_tries("fold", &other).await;
    assert!(tried["error"].as_str().unwrap().contains("belongs to a file that is broken"), "{tried}");
    let (status, refused) = two.sam.ask("PUT", "/api/scripts/fold", json!({"source": other})).await;
    assert_eq!(status, 409, "{refused}");
    // Nor is anything seen or lost while it is away.
    two.file("fold", None).await;
    let tried = two.sam_tries("fold", &other).await;
    assert_eq!([&tried["success"], &tried["data"]], [&json!(true), &Value::Null], "{tried}");
    let asks = other.replace("config(\"token\")", "http_get(\"https://api.example.test/\")");
    let tried = two.sam_tries("fold", &asks).await;
    assert!(tried["error"].as_str().unwrap().contains("not yet granted"), "{tried}");
    let checked = two.sam.do_it("POST", "/api/scripts/check", json!({"source": asks})).await;
    let granted = |answer: &Value| -> Vec<bool> {
        let hosts = answer["capabilities"].as_array().unwrap().iter().filter(|one| one["kind"] == "http");
        hosts.map(|one| one["granted"].as_bool().unwrap()).collect()
    };
    assert_eq!(granted(&checked), [false]);
    two.file("fold", Some(&file)).await;
    assert_eq!(call().await["data"], json!({"token": "***", "kept": ["seen"]}));
    // Whoever makes a script of that name begins with nothing.
    two.file("fold", None).await;
    two.publish("fold", &script("fold", &format!("// @config token \"t\"\n{host}"), "[config(\"token\"), kv_keys()]"))
        .await;
    assert_eq!(two.configured("fold").await, json!({"token": null}));
    assert_eq!(call().await["data"], json!([null, []]));
    assert_eq!(granted(&two.sam.do_it("GET", "/api/scripts/fold", Value::Null).await), [false]);
}

#[tokio::test]
async fn a_secret_is_not_kept() {
    let two = Two::start().await;
    for (n, body) in [
        "kv_set(\"t\", config(\"token\"))",
        "kv_set(config(\"token\"), 1)",
        "kv_set(\"t\", #{ a: [base64_encode(\"x\" + config(\"token\"))] })",
        "kv_set(\"t\", to_json(#{ a: to_json(config(\"token\")) }))",
        "try { kv_set(\"t\", config(\"token\")) } catch (e) { }",
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("keeps{n}");
        two.publish(&name, &script(&name, &format!("{SECRET}\n// @kv"), body)).await;
        two.configure(&name, json!({"token": format!("{CANARY}\"{n}")})).await;
        let tried = two.sam_tries(&name, &script(&name, &format!("{SECRET}\n// @kv"), body)).await;
        assert!(tried["error"].as_str().is_some_and(|said| said.contains("A secret leaves a script only")), "{tried}");
    }
    let kept = two.app.satchel.app.db.read(|tx| tx.one::<u32>("SELECT count(*) FROM script_values", ()));
    assert_eq!(kept.await.unwrap(), 0);
}

#[tokio::test]
async fn a_secret_is_no_name_of_a_host_a_method_or_a_header() {
    let two = Two::start().await;
    let header = format!("{SECRET}\n// @http *.example.test, a.example.test:8443, zq9-canary-77.fixed.test");
    let named = |body: &str| script("names", &header, body);
    two.publish("names", &named("1")).await;
    two.configure("names", json!({"token": CANARY})).await;
    two.anna
        .do_it("PUT", "/api/scripts/names/grants", json!({"hosts": ["*.example.test", "a.example.test:8443"]}))
        .await;
    for body in [
        "http_get(`https://${config(\"token\")}.example.test/`)",
        "http_get(`https://a.${config(\"token\")}x.example.test/`)",
        "http_get(`https://${config(\"token\")}/`)",
        "http_get(`${config(\"token\")}://a.example.test:8443/`)",
        "http(#{ url: \"https://a.example.test/\", method: config(\"token\") + \" \" })",
        "http(#{ url: \"https://a.example.test/\", method: config(\"token\") })",
        "http(#{ url: \"https://a.example.test/\", headers: parse_json(`{\"${config(\"token\")} \": \"1\"}`) })",
    ] {
        let tried = two.sam_tries("names", &named(body)).await;
        let said = tried["error"].as_str().unwrap();
        assert!(said.starts_with("A secret cannot be part of a host's name"), "{body}: {tried}");
        assert!(!tried.to_string().to_lowercase().contains("zq9-can"), "{body}: {tried}");
    }
    // What stands in the header anyway tells nothing.
    let tried = two.sam_tries("names", &named("http_get(\"https://zq9-canary-77.fixed.test/\")")).await;
    assert!(tried["error"].as_str().unwrap().contains("not yet granted"), "{tried}");
    two.app.satchel.app.net.egress.settle().await;
    let ledger = two.anna.do_it("GET", "/api/egress", Value::Null).await;
    assert!(!ledger.to_string().to_lowercase().contains("canary"), "{ledger}");
}

#[tokio::test]
async fn a_secret_is_masked_in_html_and_in_json_within_json_and_is_long_enough_for_it() {
    let two = Two::start().await;
    let body =
        "#{ html: html_escape(config(\"token\")), json: to_json(to_json(config(\"token\"))), it: config(\"token\") }";
    let text = script("shows", SECRET, body);
    two.publish("shows", &text).await;
    let path = "/api/tools/shows/config";
    let (status, refused) = two.anna.ask("PUT", path, json!({"token": "abc"})).await;
    assert_eq!((status, refused["detail"].as_str().unwrap().contains("4 characters are the least")), (400, true));
    assert_eq!(two.configured("shows").await, json!({"token": null}));
    for secret in ["ab&\"cd'<ef", "7q\"&"] {
        two.configure("shows", json!({"token": secret})).await;
        let tried = two.sam_tries("shows", &text).await;
        assert_eq!(tried["data"], json!({"html": "***", "json": "\"\\\"***\\\"\"", "it": "***"}), "{tried}");
    }
}

#[tokio::test]
async fn a_secret_is_masked_as_a_number() {
    let two = Two::start().await;
    let text = script(
        "counts",
        SECRET,
        "#{ pin: parse_int(config(\"token\")), two: [parse_int(config(\"token\")) * 10, 12] }",
    );
    two.publish("counts", &text).await;
    two.configure("counts", json!({"token": "0047110815"})).await;
    let tried = two.sam_tries("counts", &text).await;
    assert_eq!(tried["data"], json!({"pin": "***", "two": ["***", 12]}), "{tried}");
}
