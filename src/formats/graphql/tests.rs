//! Operations read from GraphQL documents, hostile ones above all.

use super::*;
use proptest::prelude::*;
use satchel_model::catalog::graphql::{Given, Step};

fn fields(document: &str, name: Option<&str>) -> (Kind, Vec<String>) {
    let read = operation(document, name).unwrap();
    (read.kind, read.fields)
}

#[test]
fn the_operation_and_its_outermost_fields_are_found() {
    assert_eq!(fields("{ a b { c } }", None), (Kind::Query, vec!["a".to_owned(), "b".to_owned()]));
    let document = r#"
        # mutation { harmless }
        mutation Pay($id: ID! = "}", $n: [Int!] = [1, -2.5e3]) @live(if: true) {
          mine: pay(id: $id, note: """a "quoted" text }""") @include(if: true) { ok }
          ...Rest
          ... on Mutation { inline(x: {a: "}"}) }
          ... @skip(if: false) { bare }
        }
        fragment Rest on Mutation { refund, pay { __typename } ...Deep }
        fragment Deep on Mutation { cancel }
    "#;
    assert_eq!(
        fields(document, None),
        (Kind::Mutation, ["pay", "refund", "cancel", "inline", "bare"].map(str::to_owned).to_vec())
    );
}

#[test]
fn a_field_is_known_by_those_it_stands_in() {
    let document = "mutation { customer { new: rename(id: 1) { id __typename } ...F } } fragment F on C { rename { name } tags { ...F2 } } fragment F2 on T { id }";
    let read = operation(document, None).unwrap();
    assert_eq!(read.fields, ["customer"]);
    let paths: Vec<&str> = read.paths.keys().map(String::as_str).collect();
    let expected = [
        "customer",
        "customer.on:C.rename",
        "customer.on:C.rename.name",
        "customer.on:C.tags",
        "customer.on:C.tags.on:T.id",
        "customer.rename",
        "customer.rename.id",
    ];
    assert_eq!(paths, expected);
    assert_eq!(read.actions(), ["customer"]);
    let several =
        operation("mutation Harmless { customer { rename { id name } } wipe account { purge } }", None).unwrap();
    assert_eq!(several.actions(), ["customer.rename", "wipe", "account.purge"]);
    let leaves: Vec<&str> = read.leaves.keys().map(String::as_str).collect();
    assert_eq!(leaves, ["customer.on:C.rename.name", "customer.on:C.tags.on:T.id", "customer.rename.id"]);
    let alike = operation("{ a aB a_b { c } a1 }", None).unwrap();
    assert_eq!(alike.leaves.keys().collect::<Vec<_>>(), ["a", "a1", "aB", "a_b.c"]);
}

#[test]
fn fragments_that_multiply_are_refused() {
    let level = |n: usize| format!("fragment F{n} on Q {{ a {{ ...F{0} }} b {{ ...F{0} }} }} ", n + 1);
    let doubled: String = (0..40).map(level).collect();
    assert!(operation(&format!("{{ ...F0 }} {doubled} fragment F40 on Q {{ c }}"), None).is_err());
    let deep = |n: usize| format!("fragment F{n} on Q {{ {}...F{}{} }} ", "a { ".repeat(40), n + 1, " }".repeat(40));
    let chained: String = (0..40).map(deep).collect();
    assert!(operation(&format!("{{ ...F0 }} {chained} fragment F40 on Q {{ c }}"), None).is_err());
    let long = "x".repeat(30_000);
    assert!(operation(&format!("{{ {long} {{ {} }} }}", "a: b ".repeat(6_000)), None).is_err());
}

#[test]
fn of_several_operations_one_is_named() {
    let document = "query A { a } mutation B { b }";
    assert_eq!(fields(document, Some("B")), (Kind::Mutation, vec!["b".to_owned()]));
    let told = |name| operation(document, name).unwrap_err().message().to_owned();
    assert!(told(None).ends_with("name one as operation_name: A, B."));
    assert!(told(Some("C")).ends_with("no operation 'C'. It has: A, B."));
}

#[test]
fn a_mutation_cannot_pass_for_a_query() {
    for document in [
        "mutation{a}",
        "\u{feff}mutation{a}",
        ",,mutation,X,{a}",
        "#{\nmutation\r\n{a}",
        "fragment F on Q { x } mutation { ...G } fragment G on M { a }",
    ] {
        assert_eq!(fields(document, None), (Kind::Mutation, vec!["a".to_owned()]), "{document}");
    }
    assert_eq!(fields("subscription { a }", None).0, Kind::Subscription);
}

#[test]
fn what_is_not_clear_is_refused() {
    for document in [
        "",
        "query",
        "{",
        "{ a",
        "{}",
        "query A { a } query A { b }",
        "{ ...F }",
        "{ ...F } fragment F on Q { ...F }",
        "type A { a: Int }",
        "{ a(x: \") }",
        "{ a } ;",
    ] {
        assert!(operation(document, None).is_err(), "{document}");
    }
    assert!(operation(&format!("{{{}", "... {".repeat(10_000)), None).is_err());
}

#[test]
fn what_texts_and_comments_hold_decides_nothing() {
    for document in [
        r#"query { a(x: "mutation { b }") }"#,
        r#"query { a(x: """ " } mutation { b } [[[ """) }"#,
        r#"query { a(x: ["", "\"", "\\", "\u{1F600} \uD83D\uDE00 \q", """x"""]) }"#,
        "# mutation { b }\r\n{ a } # }",
        "query Q # mutation\n { a }",
        "fragment F on#\nM { a } { ...F }",
        "{ a(x: \"#\") # \"\n }",
    ] {
        assert_eq!(fields(document, None), (Kind::Query, vec!["a".to_owned()]), "{document}");
    }
    assert_eq!(fields(r#"mutation { a(x: "query { b }") }"#, None).0, Kind::Mutation);
}

#[test]
fn torn_documents_are_refused_wherever_they_are_torn() {
    let document =
        r#"mutation M($n: [Int!] = [1, 2]) { a(x: "b", y: {z: """c"""}) @d { e } ...F } fragment F on G { h }"#;
    assert_eq!(fields(document, None), (Kind::Mutation, vec!["a".to_owned(), "h".to_owned()]));
    for end in 0..document.len() {
        assert!(operation(&document[..end], None).is_err(), "{}", &document[..end]);
    }
    for document in [r#"{ a(x: """) }"#, r#"{ a(x: """b\""") }"#, "{ a(x: \"b\n\") }", r#"{ a(x: "b\") }"#] {
        assert!(operation(document, None).is_err(), "{document}");
    }
}

#[test]
fn hostile_documents_are_refused_before_they_cost_anything() {
    let many = |piece: &str, times: usize| -> String { piece.repeat(times) };
    let deep = |open: &str, inner: &str, close: &str, n: usize| -> String {
        format!("{}{inner}{}", open.repeat(n), close.repeat(n))
    };
    // What is as deep as allowed is read with the stack of a thread of tests, which is smaller than any other's.
    assert!(operation(&deep("{ a ", "", "}", 64), None).is_ok());
    assert!(operation(&format!("{{ a(x: {}) }}", deep("[", "", "]", 62)), None).is_ok());
    for document in [
        deep("{ a ", "", "}", 65),
        deep("{ a ", "", "}", 50_000),
        deep("{ ... ", "{ a }", "}", 50_000),
        format!("{{ a(x: {}) }}", deep("[", "", "]", 50_000)),
        format!("{{ a(x: {}) }}", deep("{b: ", "1", "}", 50_000)),
        format!("query($x: {}) {{ a }}", deep("[", "I", "]", 50_000)),
        // What closes in a text or a comment closes nothing.
        format!("{{ a(x: {}", many("[ \"]\" ", 50_000)),
        many("{ a # }\n", 50_000),
        // An empty text, and one that hides what it does not.
        format!("{{ a(x: [\"\"\"x\"{}\\\"\"\"", many("[", 50_000)),
        many("{", 1 << 19),
        format!("{{ {} }}", many("a ", 200_000)),
        format!("{{ a(x: [{}]) }}", many("1 ", 200_000)),
        many("a", (1 << 20) + 1),
    ] {
        assert!(operation(&document, None).is_err(), "{}", document.get(..60).unwrap_or(&document));
    }
}

#[test]
fn long_texts_and_many_fields_are_read() {
    let document = format!("mutation {{ a(x: \"{}\") }}", "é".repeat(400_000));
    assert_eq!(fields(&document, None), (Kind::Mutation, vec!["a".to_owned()]));
    let names: Vec<String> = (0..9_000).map(|n| format!("f{n}")).collect();
    assert_eq!(fields(&format!("{{ {} }}", names.join(" ")), None), (Kind::Query, names));
}

#[test]
fn fragments_in_fragments_are_followed_once_and_only_so_deep() {
    let chain = |count: usize, inner: &str| {
        let one = |n| format!("fragment F{n} on Q {{ ...F{0} ...F{0} }} ", n + 1);
        let all: String = (0..count).map(one).collect();
        format!("{{ ...F0 }} {all} fragment F{count} on Q {{ {inner} }}")
    };
    assert_eq!(fields(&chain(40, "a"), None).1, ["a"]);
    assert!(operation(&chain(1_500, "a"), None).is_err());
    assert!(operation(&chain(3, "a ...F1"), None).is_err());
    assert!(operation("{ ...F ...F } fragment F on Q { a } fragment F on Q { b }", None).is_err());
}

#[test]
fn only_one_operation_can_be_meant() {
    for document in ["{ a } mutation B { b }", "{ a } { b }", "query A { a } mutation A { b }"] {
        for name in [None, Some("A"), Some("B"), Some("")] {
            assert!(operation(document, name).is_err(), "{document} {name:?}");
        }
    }
    let document = "query A { a } query C { c } mutation B { b }";
    let told = operation(document, Some("D")).unwrap_err();
    assert!(told.message().ends_with("It has: A, C, B."), "{told}");
    assert!(operation("mutation B { b }", Some("A")).is_err());
    assert!(operation("mutation { b }", Some("A")).is_err());
}

#[test]
fn an_error_says_where() {
    let told = operation("{\n  a(x: \"b\",) \n  ? }", None).unwrap_err();
    assert!(told.message().contains(" at line 3, column 3: expected "), "{told}");
}

proptest! {
    #[test]
    fn any_text_is_read_without_panic(document in "\\PC{0,60}") {
        let _ = operation(&document, None);
    }

    #[test]
    fn any_tokens_are_read_without_panic(tokens in prop::collection::vec(
        prop::sample::select(vec!["{", "}", "(", ")", "...", "on", "query", "mutation", "fragment", "a", "\"", "@", ":", "#", "\n"]), 0..30)) {
        let _ = operation(&tokens.join(" "), None);
    }
}

#[test]
fn what_servers_read_in_different_ways_is_refused() {
    for document in [
        "#\r query Q($v: String = \"\"\"\n mutation { pay } #\r \"\"\") { a }",
        "#\u{2028}mutation\n{ a }",
        "#\u{85}mutation\n{ a }",
        "{ a(b: \"\"\" \\\"\"\" \"\"\") }",
    ] {
        assert!(operation(document, None).is_err(), "{document:?}");
    }
    assert_eq!(operation("# lines\r\n{ a }\n# end", None).unwrap().fields, ["a"]);
}

#[test]
fn a_description_says_nothing_of_what_runs() {
    for document in [
        "\"\"\"Deletes } everything {.\"\"\"\nmutation M { a }",
        "\"One\" fragment F on M { a } \"Two\" mutation M { ...F }",
        "# c\n\"One\"mutation{a}",
    ] {
        assert_eq!(fields(document, None), (Kind::Mutation, vec!["a".to_owned()]), "{document}");
    }
    for document in [
        "\"One\" \"Two\" query A { a }",
        "\"One\" { a }",
        "query A { \"One\" a }",
        "query \"One\" A { a }",
        "\"One\" queryA { a }",
    ] {
        assert!(operation(document, None).is_err(), "{document}");
    }
}

#[test]
fn the_values_of_arguments_are_known_as_they_are_written() {
    let document = "mutation($v: V) { a(n: 1, t: \"x\", l: [$v, null], o: {e: E}) { b(t: \"\"\"x\"\"\") } c }";
    let read = operation(document, None).unwrap();
    let plain = |text: &str| Given::Plain(text.to_owned());
    let given = |list: Vec<(&str, Given)>| list.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    let of_a = given(vec![
        ("n", plain("1")),
        ("t", plain("\"x\"")),
        ("l", Given::List(vec![Given::Variable, plain("null")])),
        ("o", Given::Object(given(vec![("e", plain("E"))]))),
    ]);
    let of_b = given(vec![("t", plain("\"\"\"x\"\"\""))]);
    let steps: Vec<Step> = read.steps.iter().map(|step| step.as_ref().clone()).collect();
    let expected = [
        Step { path: "a".to_owned(), arguments: of_a, within: 0 },
        Step { path: "a.b".to_owned(), arguments: of_b, within: 1 },
    ];
    assert_eq!(steps, expected);
    let places: Vec<_> =
        read.leaves.iter().map(|(leaf, steps)| (leaf.as_str(), steps.iter().copied().collect::<Vec<_>>())).collect();
    assert_eq!(places, [("a.b", vec![2]), ("c", vec![0])]);
}

#[test]
fn what_is_named_twice_in_one_place_is_refused() {
    for document in [
        "{ a(x: 1, x: 2) }",
        "{ a(x: 1 y: {x: 1} x : 2) }",
        "{ a(in: {x: {y: 1}, z: 2,\n x\n: 3}) }",
        "{ a(in: [{x: 1 x: 2}]) }",
        "{ a @d(x: 1, x: 2) }",
        "query($v: I = 1, $v: I = 2) { a }",
        "query($v: I = {x: 1, x: 2}) { a }",
        "{ ...F } fragment F on Q { a(x: \"(\", x: 2) }",
    ] {
        let told = operation(document, None).unwrap_err();
        assert!(told.message().contains("twice in one place"), "{document}: {told}");
    }
    for document in [
        "{ x: a(x: 1, y: {x: 1, z: [{x: 1}, {x: 2}]}) { x: b(x: 1) } x: a(x: x y: x) @d(x: 1) @e(x: 2) }",
        "query A($x: I = {x: 1}) { a(x: $x, y: \"x: 1\") } # (x: 1, x: 2)",
    ] {
        assert!(operation(document, None).is_ok(), "{document}");
    }
}

#[test]
fn a_field_of_which_only_the_type_is_asked_for_is_a_leaf_of_its_own() {
    for document in [
        "{ a(x: 1) { b } y: a(x: 2) { __typename } }",
        "{ y: a(x: 2) { ...F } a(x: 1) { ...F b } } fragment F on R { __typename }",
        "{ a(x: 2) { ... on R { __typename } ... { __typename } } a(x: 1) { b { __typename } __typename } }",
        "{ a(x: 1) { ...F } a(x: 2) { ...G } } fragment F on R { ...G b } fragment G on R { __typename }",
    ] {
        let read = operation(document, None).unwrap();
        let value = |path: &str| -> Vec<&Given> {
            let steps = read.leaves[path].iter();
            steps.map(|step| &read.steps[step - 1].arguments[0].1).collect()
        };
        let below = read.leaves.keys().find(|leaf| leaf.ends_with(".b")).unwrap();
        assert_eq!(read.leaves.len(), 2, "{document}");
        let plain = |text: &str| Given::Plain(text.to_owned());
        assert_eq!((value("a"), value(below)), (vec![&plain("2")], vec![&plain("1")]), "{document}");
    }
    assert_eq!(operation("{ a { b { ok __typename } __typename } }", None).unwrap().actions(), ["a.b.ok"]);
    assert_eq!(operation("{ a { b } x: a { __typename } }", None).unwrap().actions(), ["a"]);
}
