//! Tests of rules: conditions, coverage, and what is made of a call.

use serde_json::json;

use super::*;

fn rule(decision: RuleDecision, when: serde_json::Value) -> Rule {
    Rule {
        id: RuleId::new(),
        user: UserId::new(),
        username: "mara".to_owned(),
        everybody: false,
        tool: "builtin:web_fetch".to_owned(),
        when: canonical(serde_json::from_value(when).unwrap()).unwrap(),
        decision,
        agent: None,
        hosts: Vec::new(),
        definition: None,
        expires_at: None,
        ticket: None,
        created_at: Time::from_millis(0),
        uses: 0,
        last_used_at: None,
    }
}

fn allows(when: serde_json::Value, arguments: serde_json::Value) -> bool {
    let schema = json!({"properties": {"method": {"default": "GET"}, "body": {}}});
    rule(RuleDecision::Allow, when).matches(&arguments, &schema, &|_| None)
}

#[test]
fn a_rule_that_allows_covers_every_argument_that_is_not_as_by_default() {
    let when = json!({"/url": {"domain": "example.org"}});
    assert!(allows(when.clone(), json!({"url": "https://example.org/x"})));
    assert!(allows(when.clone(), json!({"url": "https://example.org/x", "method": "GET", "body": null})));
    assert!(!allows(when.clone(), json!({"url": "https://example.org/x", "method": "POST"})));
    assert!(!allows(when.clone(), json!({"url": "https://example.org/x", "body": "secret"})));
    assert!(!allows(when, json!({})));
    let nested = json!({"/a/b": {"equals": 1}, "/c/0": {"one_of": ["x", "y"]}});
    assert!(allows(nested.clone(), json!({"a": {"b": 1}, "c": ["y"]})));
    assert!(!allows(nested.clone(), json!({"a": {"b": 1, "d": 2}, "c": ["y"]})));
    assert!(!allows(nested.clone(), json!({"a": {"b": 1}, "c": ["y", "z"]})));
    assert!(!allows(nested, json!({"a": {"b": 1}, "c": ["y"], "e": {}})));
}

#[test]
fn a_domain_is_a_host_and_those_below_it_and_nothing_that_looks_like_it() {
    let is = |url: &str| allows(json!({"/url": {"domain": "example.org"}}), json!({"url": url}));
    for url in [
        "https://example.org",
        "http://EXAMPLE.org/a?b#c",
        "https://a.b.example.org/",
        "https://example.org./",
        "https://example.org:443/",
        "https:\\\\example.org\\x",
    ] {
        assert!(is(url), "{url}");
    }
    for url in [
        "https://example.org.evil.test/",
        "https://badexample.org/",
        "https://example.org@evil.test/",
        "https://mara:x@example.org/",
        "https://evil.test/example.org",
        "https://example.org:8443/",
        "example.org",
        "https://exаmple.org/",
        "https://evil.test\\@example.org/",
        "file://example.org/x",
        "https://example.orgg/",
    ] {
        assert!(!is(url), "{url}");
    }
    let ported = |url: &str| allows(json!({"/url": {"domain": "example.org:8443"}}), json!({"url": url}));
    assert!(ported("https://a.example.org:8443/") && !ported("https://example.org/"));
    let number = |url: &str| allows(json!({"/url": {"domain": "127.0.0.1"}}), json!({"url": url}));
    assert!(number("http://127.0.0.1/") && number("http://2130706433/") && !number("http://1.127.0.0.1.test/"));
}

#[test]
fn a_prefix_is_a_folder_whatever_way_the_path_takes() {
    let links = |path: &str| -> Option<String> {
        let path = path.replace("link", "/elsewhere");
        let below = if path.starts_with('/') { path } else { format!("/home/{path}") };
        let mut parts: Vec<&str> = Vec::new();
        for part in below.split('/').filter(|part| !part.is_empty() && *part != ".") {
            if part == ".." {
                parts.pop();
            } else {
                parts.push(part);
            }
        }
        (parts.first() != Some(&"outside")).then(|| format!("/{}", parts.join("/")))
    };
    let allow = rule(RuleDecision::Allow, json!({"/path": {"prefix": "reports/"}}));
    let deny = rule(RuleDecision::Deny, json!({"/path": {"prefix": "reports"}}));
    let matches = |rule: &Rule, path: &str| rule.matches(&json!({"path": path}), &json!({}), &links);
    for path in ["reports/a.md", "reports", "./reports/b/c", "x/../reports/a", "/home/reports/a"] {
        assert!(matches(&allow, path) && matches(&deny, path), "{path}");
    }
    for path in ["reports/../secret", "reportsx/a", "link/reports", "a/reports"] {
        assert!(!matches(&allow, path) && !matches(&deny, path), "{path}");
    }
    // What cannot be told is refused by either.
    for path in ["/outside/a", "reports/%2e%2e/x", "reports\\..\\x"] {
        assert!(!matches(&allow, path) && matches(&deny, path), "{path}");
    }
    let url = |text: &str| allows(json!({"/url": {"prefix": "https://example.org/api"}}), json!({"url": text}));
    assert!(url("https://example.org/api/x") && url("https://example.org/x/../api/y"));
    for text in [
        "https://example.org/apis",
        "https://example.org/api/../x",
        "https://example.org/api/%2e%2e/x",
        "https://example.org/api/..%2fx",
        "http://example.org/api/x",
        "https://example.org:8443/api/x",
    ] {
        assert!(!url(text), "{text}");
    }
    let path = |text: &str| allows(json!({"/p": {"prefix": "/api/v1"}}), json!({"p": text}));
    assert!(path("/api/v1/items") && !path("/api/v1/../admin") && !path("/../api/v1") && !path("/api/v10"));
}

#[test]
fn numbers_have_a_limit_and_conditions_that_never_hold_are_refused() {
    let at_most = |value: serde_json::Value| allows(json!({"/n": {"max": 10}}), json!({"n": value}));
    assert!(at_most(json!(10)) && at_most(json!(-3)) && !at_most(json!(10.5)) && !at_most(json!("3")));
    for wrong in [
        json!({}),
        json!({"path": {"equals": 1}}),
        json!({"/": {"equals": 1}}),
        json!({"/a": {"one_of": []}}),
        json!({"/a": {"domain": "https://x"}}),
        json!({"/a": {"domain": "a b"}}),
        json!({"/a": {"domain": ""}}),
        json!({"/a": {"domain": "*.x.org"}}),
        json!({"/a": {"prefix": ""}}),
    ] {
        assert!(canonical(serde_json::from_value(wrong.clone()).unwrap()).is_err(), "{wrong}");
    }
    assert!(serde_json::from_value::<When>(json!({"/a": {"like": "x"}})).is_err());
}

#[test]
fn a_call_becomes_the_hosts_of_its_addresses_and_its_other_values() {
    let schema = json!({"properties": {"method": {"default": "GET"}}});
    let when = conditions(
        &json!({"url": "https://Example.org:8443/a?b", "method": "GET", "body": null, "n": 3, "x/y": "z"}),
        &schema,
    );
    let told = serde_json::to_value(&when).unwrap();
    assert_eq!(told, json!({"/url": {"domain": "example.org:8443"}, "/n": {"equals": 3}, "/x~1y": {"equals": "z"}}));
    let made = rule(RuleDecision::Allow, told);
    assert!(made.names(&Destination::new("example.org", 8443)) && !made.names(&Destination::new("example.org", 443)));
}
