//! A script in the engine it runs in: what it gives, what it is told, how it is checked and tested.

use serde_json::{Value, json};

use super::{check, helpers, machine::Machine, names, state::Nobody, wire::Fault};
use satchel_model::script::TestRun;

const HEAD: &str = "// @name a_tool\n// @description d\n// @when w\n";

fn machine() -> Machine {
    Machine::new(Box::new(Nobody))
}

fn run(body: &str, args: Value) -> Result<Value, Fault> {
    let machine = machine();
    let ast = machine.compile(body).unwrap();
    let ran = machine.run(&ast, helpers::from_json(args).unwrap());
    ran.outcome.map(|value| serde_json::from_str(value.get()).unwrap())
}

fn problems(text: &str) -> Vec<(usize, usize, String, Option<String>)> {
    let found = check::check(&machine(), text).problems;
    found.into_iter().filter(|p| p.is_error()).map(|p| (p.line, p.column, p.message, p.hint)).collect()
}

fn test(text: &str) -> TestRun {
    machine().test(&format!("{HEAD}{text}"))
}

#[test]
fn a_script_turns_arguments_into_a_result() {
    let body =
        "fn double(x) { x * 2 }\nfn run(args) { #{ twice: double(args.n), names: args.names.map(|n| n + \"!\") } }";
    assert_eq!(run(body, json!({"n": 21, "names": ["a"]})), Ok(json!({"twice": 42, "names": ["a!"]})));
    assert_eq!(run("fn run(args) { args.absent }", json!({})), Ok(Value::Null));
}

#[test]
fn what_is_thrown_is_the_error_with_its_place() {
    let fault = run("fn deep() {\n  throw \"no such supplier\";\n}\nfn run(args) { deep() }", json!({})).unwrap_err();
    assert_eq!(fault, Fault { message: "no such supplier".into(), thrown: true, line: Some(2), column: Some(3) });
}

#[test]
fn no_limit_can_be_caught() {
    let body = "fn run(args) { try { loop { } } catch { 1 } }";
    assert!(run(body, json!({})).unwrap_err().message.contains("steps"));
    let body = "fn run(args) { try { let s = \"xxxxxxxx\"; loop { s += s; } } catch { 1 } }";
    assert!(run(body, json!({})).unwrap_err().message.starts_with("Too large"));
}

#[test]
fn nothing_of_the_world_is_there_by_itself() {
    for (body, said) in [
        ("fn run(args) { eval(\"1\") }", "'eval' is not offered"),
        ("import \"a\" as b; fn run(args) { 1 }", "'import' is not offered"),
    ] {
        let found = problems(&format!("{HEAD}{body}"));
        assert!(found.iter().any(|(_, _, message, _)| message.contains(said)), "{body}: {found:?}");
    }
    let fault = run("fn run(args) { tool(\"exec\", #{}) }", json!({})).unwrap_err();
    assert_eq!(fault.message, "The server is gone.");
}

#[test]
fn a_mistake_is_told_at_its_place_with_what_was_meant() {
    let text = format!("{HEAD}fn run(args) {{\n    let late = [1];\n    for i in lates {{ }}\n}}");
    assert_eq!(
        problems(&text),
        [(6, 14, "Variable \"lates\" is not defined.".to_owned(), Some("Did you mean \"late\", line 5?".to_owned()))]
    );
    let text = format!("{HEAD}fn run(args) {{\n    args.text.to_uper()\n}}");
    assert_eq!(
        problems(&text),
        [(5, 15, "There is no function 'to_uper'.".to_owned(), Some("Did you mean 'to_upper'?".to_owned()))]
    );
    let text = format!("{HEAD}const G = 5;\nfn run(args) {{ G }}");
    assert!(problems(&text)[0].3.as_deref().unwrap().starts_with("Functions see nothing around them"), "{text}");
    let text = format!("{HEAD}fn run(args) {{\n    if args.a {{ let x = 1; }}\n    x\n}}");
    assert!(problems(&text)[0].3.as_deref().unwrap().starts_with("The 'x' of line 5"), "{text}");
    let text = format!("{HEAD}fn walk(args) {{ 1 }}");
    assert_eq!(problems(&text)[0].2, "The script has no function 'run'.");
    let text = format!("{HEAD}\nfn other() {{ 1 }}\n\n  fn run(args, more) {{ 1 }}\nfn last(args) {{ 1 }}");
    assert_eq!(
        (problems(&text)[0].0, problems(&text)[0].1, &*problems(&text)[0].2),
        (7, 6, "'run' takes 2 parameters.")
    );
    let text = format!("{HEAD}fn run() {{ 1 }}\nfn run(args) {{ 1 }}");
    assert_eq!(problems(&text), []);
    let text =
        format!("{HEAD}// @example \"t\" {{}} => 1\n// @uses a,\n//    b\nfn run(args) {{ tool(\"a\", #{{}}) }}");
    let warned = check::check(&machine(), &text).problems;
    let warned: Vec<_> = warned.iter().map(|p| (p.line, p.column, p.end_column, p.message.as_str())).collect();
    assert_eq!(warned, [(6, 7, Some(8), "The header says @uses b, and the script does not.")]);
    let text = format!("{HEAD}fn run(args) {{ tool(\"list\", #{{}}) }}");
    assert_eq!(problems(&text)[0].3.as_deref(), Some("Add // @uses list"));
    let text = format!("{HEAD}fn run(args) {{ http_get(\"https://a.example/x\") }}");
    assert_eq!(problems(&text)[0].3.as_deref(), Some("Add // @http api.example.org"));
    let text = format!("{HEAD}// @http b.example\nfn run(args) {{ http_get(\"https://a.example/x\") }}");
    assert_eq!(problems(&text)[0].3.as_deref(), Some("Add // @http a.example"));
    assert_eq!(
        problems(&format!("{HEAD}fn run(args) {{ config(\"k\") }}"))[0].3.as_deref(),
        Some("Add // @config k \"what it is\"")
    );
    assert_eq!(problems(&format!("{HEAD}fn run(args) {{ kv_keys() }}"))[0].3.as_deref(), Some("Add // @kv"));
    assert_eq!(problems(&format!("{HEAD}fn run(args) {{ (1 ")).len(), 1);
}

#[test]
fn every_member_and_every_text_can_be_written() {
    let words = "abstract as async await break call case catch const continue curry debug default do else eval export \
                 false fn Fn for global go goto if import in is is_def_fn is_def_var is_shared let loop match module new \
                 nil null package print private protected public recorded return shared spawn static super switch sync \
                 test this thread throw true try type_of until use var void while with yield _ __a größe a-b 1a path a_1";
    for word in words.split_whitespace().chain(["", "a b", "a.b", "a\"b"]) {
        let member = names::member("args", word);
        assert_eq!(run(&format!("fn run(args) {{ {member} }}"), json!({word: "it"})), Ok(json!("it")), "{member}");
    }
    assert_eq!(["path", "in", "test"].map(|word| names::member("a", word)), ["a.path", "a[\"in\"]", "a[\"test\"]"]);
    let odd: String = (0..=0xa0).filter_map(char::from_u32).chain("\u{2028}ü${a}`'\u{1f600}".chars()).collect();
    assert_eq!(run(&format!("fn run(args) {{ {} }}", names::text(&odd)), json!({})), Ok(json!(odd)));
}

#[test]
fn a_word_of_the_language_is_no_member_without_quotes() {
    let hint = |body: &str| problems(&format!("{HEAD}fn run(args) {{ {body} }}")).remove(0).3;
    for word in ["default", "in", "new", "test"] {
        let wanted = format!("'{word}' is a word of the language: write [\"{word}\"] instead of .{word}");
        assert_eq!(hint(&format!("let a = args.json.{word}; a")), Some(wanted.clone()));
        assert_eq!(hint(&format!("args.items\n    ?.{word}")), Some(wanted.replace(" .", " ?.").replace(" [", " ?[")));
        if word == "test" {
            continue;
        }
        let wanted = format!("'{word}' is a word of the language: write \"{word}\" in quotes");
        assert_eq!(hint(&format!("#{{ a: 1, {word}: 2 }}")), Some(wanted.clone()));
        assert_eq!(hint(&format!("#{{ {word}: 2 }}")), Some(wanted));
    }
    assert_eq!(hint("args.a.(1)"), None);
}

#[test]
fn values_that_do_not_fit_are_told_in_words() {
    let told =
        |body: &str| run(&format!("fn run(args) {{ {body} }}"), json!({"price": 2, "name": "a"})).unwrap_err().message;
    assert_eq!(
        told("args.quantity * args.price"),
        "'*' cannot take nothing () and a whole number: is a field missing?"
    );
    assert_eq!(
        told("args.name * args.price"),
        "'*' cannot take a text and a whole number: parse_number makes a number of a text."
    );
    assert!(
        told("sum(args.name)").starts_with("'sum' cannot take a text: it is called as sum("),
        "{}",
        told("sum(args.name)")
    );
    assert_eq!(told("args.b.c"), "'c' cannot be read of nothing (): is a field missing?");
    assert_eq!(told("args.b[\"c\"]"), "Nothing () has no element by a text: is a field missing?");
    assert_eq!(told("if args.b { 1 }"), "This must be true or false, and is nothing (): is a field missing?");
    assert_eq!(
        run("fn two(a, b) { a }\nfn run(args) { two(1) }", json!({})).unwrap_err().message,
        "'two' takes 2 arguments, and is given 1."
    );
}

#[test]
fn examples_and_tests_run_with_recorded_answers() {
    let text = r#"// @uses rates
// @http api.example
// @kv
// @config key secret "k"
// @config base = "EUR" "b"
// @example "Twice" {"n": 2} => {"twice": 4}
// @example "Wrong" {"n": 2} => {"twice": 5}
fn run(args) {
    if args.n == 0 { throw "zero"; }
    if args.n == 1 { return http(#{ url: "https://api.example/r", query: #{ a: "b c" }, headers: #{ x: config("key") } }).json.rate; }
    if args.n == 4 { return tool("rates", #{ a: 4.0 }); }
    if args.n == 3 { kv_set("n", kv_get("n")); return [tool("rates", #{ a: 1 }).x, config("base"), kv_keys(), now()]; }
    #{ twice: args.n * 2, more: true }
}
recorded {
    http_answer("GET", "https://api.example/r?a=b+c", #{ body: #{ rate: 1.5 } });
    tool_answer("rates", (), #{ x: 7 });
    tool_answer("rates", #{ a: 4 }, 8);
    config_value("key", "k1");
    time_is("2026-05-01T12:00:00Z");
}
test "a request" { assert_eq(run(#{ n: 1 }), 1.5); }
test "the rest" { kv_set("n", 1); assert_eq(run(#{ n: 3 }), [7, "EUR", ["n"], "2026-05-01T12:00:00.000Z"]); }
test "nothing is left of the one before" { assert_eq(kv_keys(), []); }
test "numbers are recorded by their values" { assert_eq(run(#{ n: 4 }), 8); }
test "what is no number is not nothing" { assert_eq(0.0 / 0.0, ()); }
test "throws" { assert_throws(|| run(#{ n: 0 }), "zero"); }
test "differs" {
    assert_eq(run(#{ n: 5 }).twice, 11);
}
test "is not thrown" { assert_throws(|| run(#{ n: 5 })); }
test "loops" { loop { } }
test "asks what is not recorded" { try { http_get("https://api.example/other") } catch { } }
test "asks elsewhere" { http_get("https://other.example/") }
"#;
    let run = test(text);
    let told: Vec<(&str, bool, &str)> =
        run.results.iter().map(|r| (r.name.as_str(), r.passed, r.message.as_deref().unwrap_or_default())).collect();
    assert_eq!(
        told.iter().map(|(name, passed, _)| (*name, *passed)).collect::<Vec<_>>(),
        [
            ("Twice", true),
            ("Wrong", false),
            ("a request", true),
            ("the rest", true),
            ("nothing is left of the one before", true),
            ("numbers are recorded by their values", true),
            ("what is no number is not nothing", false),
            ("throws", true),
            ("differs", false),
            ("is not thrown", false),
            ("loops", false),
            ("asks what is not recorded", false),
            ("asks elsewhere", false),
        ],
        "{told:?}"
    );
    let differs = &run.results[8];
    assert_eq!((&differs.expected, &differs.got, differs.line), (&Some(json!(11)), &Some(json!(10)), Some(32)));
    assert!(told[10].2.contains("steps"), "{told:?}");
    assert!(told[11].2.contains("No answer is recorded for GET https://api.example/other"), "{told:?}");
    assert!(told[12].2.contains("// @http"), "{told:?}");
}
