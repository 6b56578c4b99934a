//! Helpers given anything at all.

use proptest::prelude::*;
use rhai::{Dynamic, Scope};

use super::{Group, all, from_json, tests::engine, to_json};

/// Values that break careless code, and some that make sense.
fn values() -> impl Strategy<Value = Dynamic> {
    let texts = prop::sample::select(vec![
        "",
        " ",
        "a,b\n1,2",
        ",",
        "x",
        "%",
        "%Y-%m-%d",
        "%s%",
        "2026-05-01T09:30:00Z",
        "0000-01-01T00:00:00+23:59",
        "9999-12-31T23:59:59-23:59",
        "1d",
        "-9999999y",
        "P1Y",
        "99999999999999999999h",
        "Europe/Berlin",
        "America/Santiago",
        "day",
        "week",
        "later",
        "EUR",
        "1.234,56",
        "-",
        "a.b[0]",
        "/a/0",
        "[-9223372036854775808]",
        ".[]",
        "(a)|b",
        "$1${x}$$",
        "&amp;&#99999999;&",
        "<a b='c'>&x;</a>",
        "| a |\n|---|\n| \\",
        "{{a}}",
        "{{",
        "é",
        "\u{0}",
        "\u{301}",
        "😀😀",
        "https://example.org:99999/?a=b&a=c",
        "%F0%9F",
        "2026-02-30",
        "nan",
    ]);
    let leaf = prop_oneof![
        4 => texts.prop_map(Dynamic::from),
        1 => any::<String>().prop_map(Dynamic::from),
        2 => prop::sample::select(vec![i64::MIN, -1, 0, 1, 2, 7, 100_001, i64::MAX]).prop_map(Dynamic::from),
        1 => any::<i64>().prop_map(Dynamic::from),
        2 => prop::sample::select(vec![f64::NAN, f64::INFINITY, -0.0, 1e308, 5e-324, 2.5, -1e15]).prop_map(Dynamic::from),
        1 => any::<f64>().prop_map(Dynamic::from),
        1 => Just(Dynamic::UNIT),
        1 => any::<bool>().prop_map(Dynamic::from),
        1 => any::<char>().prop_map(Dynamic::from),
        1 => Just(Dynamic::from(vec![1_u8, 255])),
    ];
    leaf.prop_recursive(3, 24, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Dynamic::from_array),
            prop::collection::vec(("[abn]{0,2}", inner), 0..6).prop_map(|fields| Dynamic::from_map(
                fields.into_iter().map(|(key, value)| (key.into(), value)).collect()
            )),
        ]
    })
}

fn survives(group: &Group, arguments: &[Dynamic]) {
    let engine = engine();
    for helper in group.helpers {
        for count in 0..=arguments.len() {
            for closure in ["", "|x| x", "|x| x.a"] {
                let mut scope = Scope::new();
                let mut names: Vec<String> = (0..count).map(|place| format!("v{place}")).collect();
                for (name, value) in names.iter().zip(arguments) {
                    scope.push_dynamic(name.clone(), value.clone());
                }
                if !closure.is_empty() {
                    match names.last_mut() {
                        Some(last) if count == 2 => *last = closure.to_string(),
                        _ => continue,
                    }
                }
                let _ =
                    engine.eval_with_scope::<Dynamic>(&mut scope, &format!("{}({})", helper.name, names.join(", ")));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_helper_panics_whatever_it_is_given(arguments in prop::collection::vec(values(), 4), place in 0..all().len()) {
        survives(&all()[place], &arguments);
    }

    #[test]
    fn what_is_written_is_read_again(value in values()) {
        if let Ok(json) = to_json(&value) {
            let again = to_json(&from_json(json.clone()).expect("a value")).expect("json");
            prop_assert_eq!(again, json);
        }
    }

    #[test]
    fn rounding_stays_within_half_a_digit(number in -1e12..1e12_f64, digits in 0..6_i64) {
        let rounded = engine().eval::<Dynamic>(&format!("round({number:?}, {digits})")).unwrap().as_float().unwrap();
        prop_assert!((rounded - number).abs() <= 0.500_001 * 10_f64.powi(-(digits as i32)) + number.abs() * 1e-15);
    }

    #[test]
    fn csv_of_anything_comes_back(rows in prop::collection::vec(("\\PC{0,8}", "[ -~\n\"]{0,8}"), 0..8)) {
        let rows: Vec<Dynamic> = rows.into_iter().map(|(a, b)| Dynamic::from_map([("a".into(), a.into()), ("b".into(), b.into())].into())).collect();
        let mut scope = Scope::new();
        scope.push("rows", rows.clone());
        let back = engine().eval_with_scope::<Dynamic>(&mut scope, r#"parse_csv(to_csv(rows, ["a", "b"]))"#).unwrap();
        prop_assert_eq!(to_json(&back).unwrap(), to_json(&rows.into()).unwrap());
    }
}
