//! Helpers: their examples and hard inputs.

use rhai::{Dynamic, Engine, Scope};
use serde_json::Value;

use super::{Clock, all, from_json, register, to_json};
use crate::limits::{MAX_ARRAY, MAX_CALLS, MAX_MAP, MAX_OPERATIONS, MAX_STRING};

pub(super) fn engine() -> Engine {
    let mut engine = Engine::new();
    engine.set_max_operations(MAX_OPERATIONS).set_max_call_levels(MAX_CALLS).set_max_string_size(MAX_STRING);
    engine.set_max_array_size(MAX_ARRAY).set_max_map_size(MAX_MAP);
    register(&mut engine);
    engine
}

fn eval(source: &str) -> Result<Value, String> {
    let value = engine().eval::<Dynamic>(source).map_err(|why| why.to_string())?;
    to_json(&value).map_err(|why| why.to_string())
}

#[track_caller]
fn fails(source: &str, with: &str) {
    let why = eval(source).expect_err(source);
    assert!(why.contains(with), "{source}\n  said: {why}\n  not: {with}");
    assert!(why.len() < 700, "{why}");
}

#[track_caller]
fn gives(source: &str, value: Value) {
    assert_eq!(eval(source).unwrap_or_else(|why| panic!("{source}: {why}")), value, "{source}");
}

#[test]
fn every_example_gives_its_result() {
    let engine = engine();
    for helper in all().iter().flat_map(|group| group.helpers) {
        let value = engine.eval::<Dynamic>(helper.example).unwrap_or_else(|why| panic!("{}: {why}", helper.signature));
        let result: Value = serde_json::from_str(helper.result).expect(helper.signature);
        assert_eq!(to_json(&value).expect(helper.signature), result, "{}", helper.signature);
    }
}

#[test]
fn every_helper_is_listed_once_and_says_what_it_does() {
    let mut signatures: Vec<&str> =
        all().iter().flat_map(|group| group.helpers).map(|helper| helper.signature).collect();
    let count = signatures.len();
    signatures.sort_unstable();
    signatures.dedup();
    assert_eq!(signatures.len(), count);
    for helper in all().iter().flat_map(|group| group.helpers) {
        assert!(helper.what.ends_with('.') && helper.example.contains(helper.name), "{}", helper.signature);
    }
}

#[test]
fn the_guide_lists_every_helper_as_it_is() {
    let guide = include_str!("../../../docs/scripting.md");
    let listed = guide.split_once("with the functions there are -->\n").expect("the mark").1;
    let mut expected = String::new();
    for group in all() {
        expected += &format!("\n### {}\n\n", group.name);
        for helper in group.helpers {
            expected += &format!("- `{}`: {}\n", helper.signature, helper.what);
        }
    }
    assert_eq!(listed.trim(), expected.trim(), "put the list into docs/scripting.md");
}

#[test]
fn now_is_what_the_clock_of_the_run_says() {
    let mut engine = engine();
    let time = chrono::DateTime::parse_from_rfc3339("2026-05-01T23:30:00Z").unwrap().to_utc();
    engine.set_default_tag(Dynamic::from(Clock::fixed(time)));
    assert_eq!(engine.eval::<String>("now()").unwrap(), "2026-05-01T23:30:00Z");
    assert_eq!(engine.eval::<String>("fn f() { today(\"Asia/Tokyo\") } f()").unwrap(), "2026-05-02");
    engine.register_fn("now", || "2030-01-01T00:00:00Z".to_string());
    assert_eq!(engine.eval::<String>("today(\"UTC\")").unwrap(), "2030-01-01");
}

#[test]
fn nothing_grows_before_its_size_is_known() {
    for source in [
        r#"let t = repeat("x", 1000000); t.replace("x", t)"#,
        r#"replaced(repeat("x", 100000), "", repeat("y", 1000))"#,
        r#"repeat("ab", 9223372036854775807)"#,
        r#"pad_start("x", 9223372036854775807, "-")"#,
        r#"let a = []; a.pad(100000, repeat("x", 1000)); join(a, ", ")"#,
        r#"split(repeat("x", 1000000), "")"#,
        r#"repeat("x ", 500000).split()"#,
        r#"regex_find_all(repeat("x", 1000000), "x")"#,
        r#"regex_replace(repeat("x", 1000000), "x", "yyyyyyyyyyyyyy")"#,
        r#"regex_replace(repeat("x", 100000), "(.*)", repeat("$1", 50))"#,
        r##"template(repeat("{{a}}", 1000), #{a: repeat("x", 10000)})"##,
        r#"let a = []; a.pad(100000, repeat("x", 1000)); to_json(a)"#,
        r#"let a = []; a.pad(300, []); for i in 0..300 { a[i].pad(1000, 1) } flatten(a)"#,
        r#"indent(repeat("x\n", 100000), 1000)"#,
        r#"hex_encode(repeat("x", 1000000))"#,
        r#"html_escape(repeat("\"", 500000))"#,
        r#"url_encode(repeat("ü", 400000))"#,
    ] {
        let why = eval(source).expect_err(source);
        assert!(
            ["at most", "larger than", "too large", "Length"].iter().any(|part| why.contains(part)),
            "{source}: {why}"
        );
    }
}

#[test]
fn numbers_round_as_on_paper() {
    gives(
        "[round(2.5, 0), round(-2.5, 0), round(1.005, 2), round(2.675, 2), round(1.15, 1)]",
        serde_json::json!([3.0, -3.0, 1.01, 2.68, 1.2]),
    );
    gives("[round(1250, -2), round(-1250, -2), round(7, 3), round(49, -2)]", serde_json::json!([1300, -1300, 7, 0]));
    gives("round(1e300, 2)", serde_json::json!(1e300));
    gives("sum([0.1, 0.2, 0.3])", serde_json::json!(0.6));
    gives("sum([])", serde_json::json!(0));
    fails("sum([9223372036854775807, 1])", "beyond what an integer can be");
    fails(r#"sum([1, "2"])"#, "an array of numbers is expected; one of its elements is a text");
    fails("mean([])", "it is empty");
    gives(r#"format_currency(2.345, "KWD")"#, serde_json::json!("KWD 2.345"));
    fails(r#"format_currency(1, "euro")"#, "three capital letters");
    gives("format_number(0.5, 0)", serde_json::json!("1"));
    gives("format_number(-0.001, 2)", serde_json::json!("0.00"));
}

#[test]
fn numbers_are_read_as_people_write_them() {
    for (text, number) in [
        ("1,234.56", 1234.56),
        ("1.234,56", 1234.56),
        ("1 234,5", 1234.5),
        ("1'234.5", 1234.5),
        ("(12.50)", -12.5),
        ("1,234", 1234.0),
        ("0,234", 0.234),
        ("1,23", 1.23),
        ("1.234", 1.234),
        ("1.234.567", 1_234_567.0),
        ("-5", -5.0),
        (".5", 0.5),
    ] {
        let value = eval(&format!("parse_number({text:?})")).unwrap_or_else(|why| panic!("{text}: {why}"));
        assert_eq!(value.as_f64(), Some(number), "{text}");
    }
    for text in ["", "-", "1,2,3", "12,34.5", "1.2.3", "abc", "1e5", "1,234,56", "1 23"] {
        fails(&format!("parse_number({text:?})"), "a number is expected");
    }
}

#[test]
fn clocks_that_change_are_told_of() {
    fails(r#"local_time("2026-03-29 02:30", "Europe/Berlin")"#, "clocks there skip");
    fails(r#"local_time("2026-10-25 02:30", "Europe/Berlin")"#, "show 2026-10-25 02:30:00 twice");
    gives(r#"local_time("2026-10-25 02:30", "Europe/Berlin", "earlier")"#, "2026-10-25T02:30:00+02:00".into());
    gives(r#"local_time("2026-03-29 02:30", "Europe/Berlin", "later")"#, "2026-03-29T03:30:00+02:00".into());
    gives(r#"local_time("2026-03-29 02:30", "Europe/Berlin", "earlier")"#, "2026-03-29T01:30:00+01:00".into());
    gives(r#"start_of("2026-09-06T12:00:00-03:00", "day", "America/Santiago")"#, "2026-09-06T01:00:00-03:00".into());
    gives(r#"add_time("2026-10-24T02:30:00+02:00", "1d", "Europe/Berlin")"#, "2026-10-25T02:30:00+02:00".into());
    gives(r#"add_time("2026-10-26T02:30:00+01:00", "-1d", "Europe/Berlin")"#, "2026-10-25T02:30:00+01:00".into());
    gives(r#"add_time("2024-02-29", "1 year")"#, "2025-02-28T00:00:00Z".into());
    gives(r#"start_of("2026-01-01T00:30:00Z", "week")"#, "2025-12-29T00:00:00Z".into());
    gives(r#"start_of("2026-10-25T02:30:00+01:00", "hour", "Europe/Berlin")"#, "2026-10-25T02:00:00+01:00".into());
    fails(r#"to_zone("2026-01-01", "Mars/Phobos")"#, "is no time zone");
    fails(r#"add_time("9999-12-31", "2d")"#, "beyond the years");
    fails(r#"add_time("2026-01-01", "soon")"#, "is no span of time");
    fails(r#"format_time("2026-01-01", "%Q")"#, "is no format");
    fails(r#"add_time("yesterday", "1d")"#, "is no time");
    fails(r#"parse_time("31.02.2026", "%d.%m.%Y")"#, "is not written as");
    fails("sleep(10)", "cannot wait");
    fails("timestamp()", "no stopwatch");
}

#[test]
fn csv_is_read_and_written_whole() {
    gives(
        "parse_csv(\"\\ufeffa,b\\r\\n\\\"x\\r\\ny\\\",\\\"q\\\"\\\"q\\\"\\r\\n\")",
        serde_json::json!([{"a": "x\r\ny", "b": "q\"q"}]),
    );
    gives(r#"parse_csv("")"#, serde_json::json!([]));
    gives(r#"csv_columns("a,,a,a", ",")"#, serde_json::json!(["a", "column_2", "a_2", "a_3"]));
    fails(r#"parse_csv("a,b\n1,2\n3")"#, "line 3 has 1 values, but there are 2 columns");
    fails(r#"parse_csv("a", "ab")"#, "one ASCII character");
    gives("parse_csv(to_csv([#{a: \"x\\ny,\\\"\", b: ()}]))", serde_json::json!([{"a": "x\ny,\"", "b": ""}]));
}

#[test]
fn lists_are_sorted_by_what_they_are() {
    gives(r#"sorted(["b", 2, (), true, 1.5, "a"])"#, serde_json::json!([null, true, 1.5, 2, "a", "b"]));
    gives("let a = [3, 1, 2]; a.sort(); a", serde_json::json!([1, 2, 3]));
    gives(
        "sorted([9223372036854775807, 9223372036854775806])",
        serde_json::json!([9223372036854775806_i64, 9223372036854775807_i64]),
    );
    fails("sorted([#{}])", "a map cannot be sorted: sort by one of its fields");
    fails("sorted_by([1], \"a\")", "an array of maps is expected");
    fails("sorted_by([1], |x| throw \"no\")", "no");
    gives("group_by([1, 2, 3], |x| x % 2)", serde_json::json!({"0": [2], "1": [1, 3]}));
    gives("let a = [3, 1, 2]; a.sort(|a, b| b - a); a", serde_json::json!([3, 2, 1]));
    gives(
        "let a = [[1, 1], [0, 2], [1, 3]]; a.sort(|a, b| a[0] < b[0]); a",
        serde_json::json!([[0, 2], [1, 1], [1, 3]]),
    );
    gives("let a = []; for n in 0..500 { a.push(n) } a.sort(|a, b| (a * b) % 3 == 0); a.len", 500.into());
    fails("let a = [1, 2]; a.sort(|a, b| throw \"no\"); a", "no");
    fails("let a = [1, 2]; a.sort(|a, b| \"x\"); a", "a comparer gives -1, 0 or 1");
    fails("chunk([1], 0)", "at least one");
}

#[test]
fn json_keeps_what_scripts_can_have() {
    fails("to_json(|| 1)", "a function cannot be JSON");
    fails("to_json(blob(2))", "blob");
    fails("to_json(0.0 / 0.0)", "JSON has no number");
    fails("let a = []; for i in 0..100 { a = [a] } to_json(a)", "nested deeper");
    fails(r#"parse_json("{a: 1}")"#, "line 1 column 2");
    gives("parse_json(\"18446744073709551616\")", serde_json::json!(18446744073709551616.0));
    gives(r##"json_path(#{"a.b": [1], x: 1}, "[\"a.b\"][0]")"##, serde_json::json!(1));
    gives(r#"json_path(1, "a[0].b")"#, Value::Null);
    fails(r#"json_path(1, "a..b")"#, "is no path");
    fails(r#"json_pointer(1, "a")"#, "is no JSON Pointer");
}

#[test]
fn jq_does_what_jq_does() {
    for (filter, input, outputs) in [
        (".", "1", "[1]"),
        (".a[] | . * 2", r#"{"a": [1, 2.5]}"#, "[2, 5.0]"),
        ("[.[] | select(.x) | .y] | add", r#"[{"x": true, "y": "a"}, {"x": false}, {"x": 1, "y": "b"}]"#, r#"["ab"]"#),
        (".[0] += 5 | .[1:] |= map(. - 1)", "[1, 2, 3]", "[[6, 1, 2]]"),
        ("path(..)", r#"{"a": [1]}"#, r#"[[], ["a"], ["a", 0]]"#),
        ("[range(3)], [range(0; 10; 4)], [range(3; 0; -1)]", "null", "[[0, 1, 2], [0, 4, 8], [3, 2, 1]]"),
        ("reduce .[] as {a: $x} (0; . + $x)", r#"[{"a": 1}, {"a": 2}]"#, "[3]"),
        ("to_entries | map(\"\\(.key)=\\(.value)\") | join(\"&\")", r#"{"a": 1, "b": [2]}"#, r#"["a=1&b=[2]"]"#),
        ("def f(x): if . > 3 then . else . + x | f(x) end; f(1)", "1", "[4]"),
        ("[.[] | tostring | test(\"^[0-9]+$\")]", r#"[1, "a"]"#, "[[true, false]]"),
        (
            "group_by(.a) | map({a: .[0].a, n: length})",
            r#"[{"a": 1}, {"a": 2}, {"a": 1}]"#,
            r#"[[{"a": 1, "n": 2}, {"a": 2, "n": 1}]]"#,
        ),
        ("first(range(1000000000)), limit(2; repeat(1))", "null", "[0, 1, 1]"),
        ("del(.a), (.b //= 3), (try error(\"x\") catch .)", r#"{"a": 1}"#, r#"[{}, {"a": 1, "b": 3}, "x"]"#),
        ("walk(if type == \"number\" then . + 1 else . end)", "[1, [2]]", "[[2, [3]]]"),
        ("split(\", \") | map(ascii_upcase), (\"a-b\" / \"-\")", "\"a, b\"", r#"[["A", "B"], ["a", "b"]]"#),
        ("fromjson | tojson", r#""[1, 2]""#, r#"["[1,2]"]"#),
        ("@base64, @csv?", r#""abc""#, r#"["YWJj"]"#),
    ] {
        let mut scope = Scope::new();
        scope.push("input", from_json(serde_json::from_str(input).unwrap()).unwrap());
        scope.push("filter", filter.to_string());
        let value = engine().eval_with_scope::<Dynamic>(&mut scope, "jq(filter, input)");
        match value {
            Ok(value) => {
                assert_eq!(to_json(&value).unwrap(), serde_json::from_str::<Value>(outputs).unwrap(), "{filter}")
            }
            Err(why) => assert!(filter.contains("@csv"), "{filter}: {why}"),
        }
    }
}

#[test]
fn a_jq_filter_may_take_many_steps_but_gives_back_only_so_much() {
    gives(r#"jq("reduce range(300000) as $i (0; . + 1)", ())"#, serde_json::json!([300_000]));
    gives(r#"jq("[range(20000)] | map(. * 2) | length", ())"#, serde_json::json!([20_000]));
    for filter in ["repeat(1)", "label $x | repeat(1)", "range(1; infinite)"] {
        fails(&format!("jq({filter:?}, ())"), "jq stopped: more than 10000 outputs");
    }
    for filter in ["reduce range(60) as $i ([]; [., .])", "reduce range(70) as $i ([]; [.])", "[range(200000)]"] {
        let why = eval(&format!("jq({filter:?}, ())")).expect_err(filter);
        assert!(why.contains("jq stopped") || why.contains("elements"), "{filter}: {why}");
    }
    // An error may quote a value that is written nowhere as large as it would be.
    for filter in ["reduce range(60) as $i ([]; [., .]) | error", "reduce range(60) as $i ([]; [., .]) | . + 1"] {
        fails(&format!("jq({filter:?}, ())"), "…");
    }
}

#[test]
fn jq_sees_nothing_of_the_machine_and_says_what_is_wrong() {
    for filter in [
        "env",
        "env.PATH",
        "halt",
        "now",
        "debug",
        "stderr",
        "localtime",
        "$ENV",
        "input",
        "inputs",
        "input_filename",
        "include \"a\"; .",
        "import \"a\" as a; .",
        "import \"a\" as $a; $a",
    ] {
        assert!(eval(&format!("jq({filter:?}, 1)")).is_err(), "{filter}");
    }
    fails(r#"jq(".a |", 1)"#, "is no jq filter");
    fails(r#"jq("nothing_known", 1)"#, "unknown filter nothing_known");
    fails(r#"jq(".a", 1)"#, "jq stopped");
    for bomb in [
        "repeat(\"(\", 1900)",
        "repeat(\"[\", 1900)",
        "repeat(\"-\", 1900) + \"1\"",
        "repeat(\"try \", 400) + \".\"",
        "repeat(\".|\", 900) + \".\"",
        "repeat(\"def f: \", 200)",
        "repeat(\"if \", 400)",
        "repeat(\".\", 2000)",
        "repeat(\". as $x|\", 200) + \".\"",
        "repeat(\"..\", 999)",
    ] {
        assert!(eval(&format!("jq({bomb}, 1)")).is_err(), "{bomb}");
    }
}

#[test]
fn patterns_are_bounded_and_their_errors_say_where() {
    fails(r#"regex_match("x", "(")"#, "is not a regular expression: unclosed group");
    fails(r#"regex_match("x", "((((a{100}){100}){100}){100})")"#, "too large");
    fails(r#"regex_match("x", "(?=a)")"#, "look-around");
    fails(r#"regex_match("x", repeat("a", 5000))"#, "at most 4000 bytes");
    gives(r#"regex_match(repeat("a", 1000) + "!", "^(a+)+$")"#, false.into());
}

#[test]
fn markup_is_read_as_it_is_written() {
    gives(r#"strip_tags("a < b <SCRIPT>if (1<2) {}</Script>c<!-- <b> -->d <br/>e &copy;")"#, "a < b c d e ©".into());
    gives(
        r#"parse_xml("<?xml version='1.0'?><!-- c --><r><a><![CDATA[<b>]]> &amp; &#x41;</a></r>").children[0].text"#,
        "<b> & A".into(),
    );
    fails(r#"parse_xml("<a><b></a>")"#, "cannot be read");
    fails(r#"parse_xml("<a>")"#, "not closed");
    fails(r#"parse_xml(repeat("<a>", 100))"#, "nested deeper");
    fails(r#"parse_xml("plain")"#, "no element");
    gives(r#"parse_markdown_table("text\n\n| n | v |\n|:--|--:|\n| a | |\n| b |\nend").len"#, 2.into());
    gives(
        "parse_markdown_table(markdown_table([#{a: \"x|y\\\\z\", b: 1}]))",
        serde_json::json!([{"a": "x|y\\z", "b": "1"}]),
    );
    fails(r#"parse_markdown_table("a | b")"#, "no Markdown table");
    fails(r#"parse_url("https://a:b@c/")"#, "user name or password");
    fails(r#"base64_decode("!!")"#, "is not base64");
    fails(r##"template("{{a}}", #{})"##, "wants {{a}}, which has no value");
}
