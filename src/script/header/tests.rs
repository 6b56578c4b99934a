//! Headers as people write them, and every way to write one wrong.

use std::{borrow::Cow, time::Duration};

use serde_json::json;

use super::*;
use satchel_model::spec::{Category, Risk};

const WHOLE: &str = r#"// @name overdue_digest
// @description Overdue invoices of one supplier,
//    by age
// @when Somebody asks what is late
//
// A comment that is no tag.
// @category data
// @param supplier string "Supplier code"
// @param days integer = 30 "How many days count as late"
// @param order "age" | "total" = "age" "What comes first"
// @param tags string[]? "Only these"
// @risk low_write
// @permission catalog:read
// @timeout 20s
// @config api_key secret required "Key"
// @config base string = "x" "Where"
// @uses list_invoices, parse_json
// @http api.example.org, *.example.org:8443
// @kv
// @example "None" {"supplier": "X"} => {"count": 0}

fn run(args) { 1 }
// @name not_a_tag
"#;

fn problems(text: &str) -> Vec<(usize, usize, String)> {
    let complete = format!("// @name a_tool\n// @description d\n// @when w\n// @example \"t\" {{}} => 1\n{text}");
    parse(&complete).1.into_iter().map(|p| (p.line, p.column, p.message)).collect()
}

#[test]
fn a_whole_header_is_read() {
    let (head, problems) = parse(&WHOLE.replace("base string", "base"));
    let told: Vec<_> = problems.iter().map(|p| (p.line, p.column, p.is_error(), p.message.as_str())).collect();
    assert_eq!(told, [(23, 4, false, "'@name' says nothing here: the header ends where the script begins.")]);
    assert_eq!(head.name, "overdue_digest");
    assert_eq!((head.name_at, &*head.uses_at), ((1, 10), &[(17, 10), (17, 25)][..]));
    assert_eq!(head.description, "Overdue invoices of one supplier, by age");
    assert_eq!((head.category, head.risk), (Category::Data, Risk::LowWrite));
    assert_eq!(head.permission.as_deref(), Some("catalog:read"));
    assert_eq!(head.timeout, Duration::from_secs(20));
    assert_eq!(head.uses, ["list_invoices", "parse_json"]);
    assert_eq!(
        head.hosts.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["api.example.org", "*.example.org:8443"]
    );
    assert!(head.kv);
    assert_eq!((head.settings[0].secret, head.settings[0].required), (true, true));
    assert_eq!(head.settings[1].default.as_deref(), Some("x"));
    assert_eq!(head.examples[0].result, json!({"count": 0}));
    assert_eq!(
        head.schema(),
        json!({
            "type": "object",
            "properties": {
                "supplier": {"type": "string", "description": "Supplier code"},
                "days": {"type": "integer", "description": "How many days count as late", "default": 30},
                "order": {"type": "string", "enum": ["age", "total"], "description": "What comes first", "default": "age"},
                "tags": {"type": "array", "items": {"type": "string"}, "description": "Only these"},
            },
            "required": ["supplier"],
            "additionalProperties": false,
        })
    );
    let given = json!({"days": 3});
    assert_eq!(*head.prepared(Cow::Borrowed(&given)), json!({"days": 3, "order": "age"}));
}

#[test]
fn every_mistake_is_told_at_its_place() {
    for (text, line, column, said) in [
        ("// @nmae x", 5, 4, "There is no tag '@nmae'."),
        ("// @name again", 5, 4, "'@name' stands here a second time."),
        ("//  @risk huge", 5, 11, "'huge' is not a risk."),
        ("// @param Zähler integer \"x\"", 5, 11, "'Zähler' cannot be the name of a parameter."),
        ("// @param a strnig \"x\"", 5, 13, "'strnig' is not a type."),
        ("// @param a integer = \"b\" \"x\"", 5, 23, "The default \"b\" is not what 'a' may hold."),
        ("// @param a integer", 5, 20, "Here what it is should stand, in quotes."),
        ("// @param a integer \"x\" more", 5, 25, "This is more than the tag takes."),
        ("// @timeout 9m", 5, 13, "'9m' is not a time a call may take."),
        ("// @permission *", 5, 16, "'*' is not one permission."),
        ("// @config k secret = \"v\" \"x\"", 5, 23, "A secret has no default: it would stand in the script."),
        ("// @config k secret to a.org \"x\"", 5, 24, "The header does not name the host 'a.org' itself."),
        ("// @config k to a.org \"x\"", 5, 14, "Here 'secret', 'required', a default or what it is should come."),
        ("// @http a b", 5, 12, "This is more than the tag takes."),
        ("// @http good.org, http://x", 5, 20, "'http:' is not a host"),
        ("// @example \"t\" {\"a\": tru} => 1", 5, 26, "This is not the arguments, as a JSON object: expected ident."),
        ("// @example \"t\" {} 1", 5, 20, "Here '=>' and the result should come."),
        ("// @uses", 5, 4, "'@uses' says nothing."),
        ("// @param a string\n//    \"x\" y", 6, 11, "This is more than the tag takes."),
    ] {
        let found = problems(text);
        let [(l, c, message)] = &found[..] else { panic!("{text}: {found:?}") };
        assert!(message.starts_with(said), "{text}: {message}");
        assert_eq!((*l, *c), (line, column), "{text}: {message}");
    }
}

#[test]
fn a_tag_that_is_nearly_right_is_suggested() {
    let (_, problems) = parse("// @descripton x\n");
    assert_eq!(
        problems.iter().find_map(|p| p.hint.as_deref().filter(|h| h.contains("mean"))),
        Some("Did you mean '@description'?")
    );
}

#[test]
fn a_host_covers_what_it_names_and_nothing_else() {
    let covers = |host: &str, url: &str| host.parse::<Host>().unwrap().covers(&url.parse().unwrap());
    for (host, url, expected) in [
        ("api.example.org", "https://api.example.org/x?y", true),
        ("api.example.org", "https://API.example.org./x", true),
        ("api.example.org", "http://api.example.org/x", false),
        ("api.example.org", "https://api.example.org:8443/", false),
        ("api.example.org", "https://api.example.org.evil.test/", false),
        ("api.example.org:8443", "https://api.example.org:8443/", true),
        ("api.example.org:80", "http://api.example.org/", true),
        ("*.example.org", "https://a.b.example.org/", true),
        ("*.example.org", "https://example.org/", false),
        ("*.example.org", "https://badexample.org/", false),
        ("*", "https://anything.test/", true),
        ("*", "http://anything.test/", false),
        ("*:80", "http://anything.test/", true),
        ("[::1]:9000", "http://[::1]:9000/", true),
    ] {
        assert_eq!(covers(host, url), expected, "{host} {url}");
    }
    for (url, needed) in [
        ("https://api.example.org/x", "api.example.org"),
        ("https://api.example.org:8443/", "api.example.org:8443"),
        ("http://localhost/", "localhost:80"),
        ("http://127.0.0.1:21395/", "127.0.0.1:21395"),
        ("http://[::1]:9000/", "[::1]:9000"),
    ] {
        assert_eq!(Host::needed(&url.parse().unwrap()), needed, "{url}");
        assert!(covers(needed, url), "{url}");
    }
    for wrong in ["", "a/b", "u@host", "http://a", "*.", "a*b", "host:99999", "a b", "*.*"] {
        assert!(wrong.parse::<Host>().is_err(), "{wrong}");
    }
}

#[test]
fn an_example_gives_what_the_parameters_take() {
    let told = |arguments: &str| {
        let header = "// @name a\n// @description d\n// @when w\n// @param city string \"x\"\n\
                      // @param days integer? \"x\"\n// @param order \"age\" | \"total\" = \"age\" \"x\"\n";
        let (_, problems) = parse(&format!("{header}// @example \"t\" {arguments} => 1\n"));
        problems.into_iter().map(|p| (p.line, p.message, p.hint.unwrap_or_default())).collect::<Vec<_>>()
    };
    for sound in [r#"{"city": "Bern"}"#, r#"{"city": "Bern", "days": null, "order": "total"}"#] {
        assert_eq!(told(sound), [], "{sound}");
    }
    for (arguments, message, hint) in [
        (r#"{"citty": "Bern"}"#, "The example gives 'citty', and there is no such parameter.", "Did you mean 'city'?"),
        (r#"{"days": 3}"#, "The example does not give 'city', which it must.", "Give it, or let it be left out"),
        (r#"{"city": null}"#, "The example gives null for 'city', which cannot hold it.", "The schema of 'city' is"),
        (r#"{"city": "x", "days": "3"}"#, "The example gives \"3\" for 'days'", "The schema of 'days' is"),
        (r#"{"city": "x", "order": "size"}"#, "The example gives \"size\" for 'order'", "The schema of 'order' is"),
    ] {
        let told = told(arguments);
        let [(7, said, way)] = told.as_slice() else { panic!("{arguments}: {told:?}") };
        assert!(said.starts_with(message) && way.starts_with(hint), "{told:?}");
    }
    // It is told where the argument stands.
    let header = "// @name a\n// @description d\n// @when w\n// @param city string \"x\"\n";
    for (example, at) in [
        ("// @example \"t\"\n//    {\"city\": 1} => 1", (6, 8)),
        ("// @example \"t\" {\"city\": \"ü, } \",\n//    \"town\": [{}]} => 1", (6, 7)),
        ("// @example \"t\"\n//    {} => 1", (6, 7)),
    ] {
        let problems = parse(&format!("{header}{example}\n")).1;
        assert_eq!(problems.iter().map(|p| (p.line, p.column)).collect::<Vec<_>>(), [at], "{problems:?}");
    }
    // A parameter that cannot be read is the one problem.
    let broken =
        parse("// @name a\n// @description d\n// @when w\n// @param c strin \"x\"\n// @example \"t\" {\"c\": 1} => 1")
            .1;
    assert_eq!(broken.len(), 1, "{broken:?}");
}

#[test]
fn a_mark_before_the_text_changes_nothing() {
    let text = "// @name a\n// @description d\nfn run(args) { 1 }";
    let marked = format!("\u{feff}{text}");
    assert_eq!(parse(&marked), parse(text));
    assert_eq!(super::without_mark(&marked), text);
}

proptest::proptest! {
    #[test]
    fn any_text_is_read_without_panic(text in "(// ?@?[a-z]{0,7} ?[\"{}=>,?|a-zä ]{0,20}\n){0,6}") {
        for problem in parse(&text).1 {
            proptest::prop_assert!(problem.line >= 1 && problem.column >= 1);
        }
    }
}
