//! What is stored as a secret comes to stand nowhere in clear.

use serde_json::{Value, json};

use super::two::{Two, script};

const CANARY: &str = "Zq9-canary-77";
const SECRET: &str = "// @config token secret required \"A token\"";

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
    let kept = two
        .app
        .satchel
        .app
        .db
        .read(|c| Ok(c.query_row("SELECT count(*) FROM script_values", (), |row| row.get::<_, u32>(0))?));
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
    two.app.satchel.app.egress.settle().await;
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
