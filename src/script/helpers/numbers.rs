//! Numbers: rounding without float noise, sums, averages, and numbers as people write them.

use rhai::{Array, Dynamic, Engine};

use super::{
    Group, Helper,
    decimal::{self, Decimal},
    list::helper,
    values::{Fallible, fail, number, quoted},
};

pub(super) const GROUP: Group = Group { name: "numbers", helpers: HELPERS, register };

/// Most digits after the point that are shown.
const MAX_DIGITS: i64 = 15;

/// Currencies whose smallest unit is not a hundredth (ISO 4217).
const UNITS: &[(&str, i64)] = &[
    ("BIF", 0),
    ("CLP", 0),
    ("DJF", 0),
    ("GNF", 0),
    ("ISK", 0),
    ("JPY", 0),
    ("KMF", 0),
    ("KRW", 0),
    ("PYG", 0),
    ("RWF", 0),
    ("UGX", 0),
    ("VND", 0),
    ("VUV", 0),
    ("XAF", 0),
    ("XOF", 0),
    ("XPF", 0),
    ("BHD", 3),
    ("IQD", 3),
    ("JOD", 3),
    ("KWD", 3),
    ("LYD", 3),
    ("OMR", 3),
    ("TND", 3),
    ("CLF", 4),
    ("UYW", 4),
];

#[rustfmt::skip]
const HELPERS: &[Helper] = &[
    helper("round(number, digits) -> number", "Rounds half away from zero to 0 to 15 digits after the point, as on paper; below 0 to tens, hundreds, ….", "round(1.005, 2)", "1.01"),
    helper("sum(array) -> number", "The sum without float noise; integers stay integers.", "sum([0.1, 0.2])", "0.3"),
    helper("product(array) -> number", "The product without float noise; integers stay integers.", "product([3, 1.005])", "3.015"),
    helper("mean(array) -> float", "The average; an error for no numbers.", "mean([1, 2, 4, 5])", "3.0"),
    helper("median(array) -> float", "The middle one, or the average of the middle two; an error for no numbers.", "median([9, 1, 4, 2])", "3.0"),
    helper("percentile(array, percent) -> float", "The value below which so many percent lie (0 to 100), between two by proportion.", "percentile([10, 20, 30, 40], 50)", "25.0"),
    helper("std_dev(array) -> float", "The standard deviation of all of them (not of a sample).", "std_dev([2, 4, 4, 4, 5, 5, 7, 9])", "2.0"),
    helper("min(array) -> number", "The least; an error for no numbers. min(a, b) compares two.", "min([3, 1, 2])", "1"),
    helper("max(array) -> number", "The greatest; an error for no numbers. max(a, b) compares two.", "max([3, 1.5, 2])", "3"),
    helper("clamp(number, low, high) -> number", "The number, but not below low or above high.", "clamp(12, 0, 10)", "10"),
    helper("percent(part, whole) -> float", "How many percent the part is of the whole, to two digits; an error if the whole is 0.", "percent(1, 3)", "33.33"),
    helper("format_number(number, digits) -> text", "With so many digits after the point and commas between thousands.", "format_number(-1234567.895, 2)", r#""-1,234,567.90""#),
    helper("format_number(number, digits, group, point) -> text", "With other signs between thousands and before the fraction.", r#"format_number(1234.5, 2, ".", ",")"#, r#""1.234,50""#),
    helper("format_currency(amount, code) -> text", "With the currency's own number of digits (ISO 4217).", r#"format_currency(1234.5, "JPY")"#, r#""JPY 1,235""#),
    helper("currency_digits(code) -> integer", "How many digits after the point amounts in that currency have.", r#"currency_digits("KWD")"#, "3"),
    helper("parse_number(text) -> number", "A number as people write it: 1,234.56 or 1.234,56 or 1 234,56 or (12.50) for a negative. One comma with three digits after it groups; one point is always decimal.", r#"parse_number("-1.234,56")"#, "-1234.56"),
    helper("parse_number(text, point) -> number", "The same, where the decimal mark is known.", r#"parse_number("1,234", ",")"#, "1.234"),
    helper("is_number(text) -> boolean", "Whether parse_number can read it.", r#"is_number("12 apples")"#, "false"),
];

fn register(engine: &mut Engine) {
    engine
        .register_fn("round", |value: i64, digits: i64| round(value.into(), digits))
        .register_fn("round", |value: f64, digits: i64| round(value.into(), digits))
        .register_fn("sum", |numbers: Array| decimal::sum(&numbers))
        .register_fn("product", |numbers: Array| decimal::product(&numbers))
        .register_fn("mean", |numbers: Array| mean(&numbers))
        .register_fn("median", |numbers: Array| percentile(&numbers, 50.0))
        .register_fn("percentile", |numbers: Array, percent: Dynamic| percentile(&numbers, number(&percent)?))
        .register_fn("std_dev", |numbers: Array| std_dev(&numbers))
        .register_fn("min", |numbers: Array| extreme(numbers, |candidate, best| candidate < best))
        .register_fn("max", |numbers: Array| extreme(numbers, |candidate, best| candidate > best))
        .register_fn("clamp", clamp)
        .register_fn("percent", percent)
        .register_fn("format_number", |value: Dynamic, digits: i64| format(&value, digits, ",", "."))
        .register_fn("format_number", |value: Dynamic, digits: i64, group: &str, point: &str| {
            format(&value, digits, group, point)
        })
        .register_fn("format_currency", currency)
        .register_fn("currency_digits", currency_digits)
        .register_fn("parse_number", |text: &str| parse(text, None))
        .register_fn("parse_number", |text: &str, point: &str| parse(text, Some(point)))
        .register_fn("is_number", |text: &str| parse(text, None).is_ok());
}

fn round(value: Dynamic, digits: i64) -> Fallible<Dynamic> {
    if digits > MAX_DIGITS {
        return fail(format!("round to at most {MAX_DIGITS} digits"));
    }
    match Decimal::from_dynamic(&value) {
        Some(exact) => exact.round(digits).value(value.is_int()),
        None => Ok(value),
    }
}

fn floats(numbers: &Array) -> Fallible<Vec<f64>> {
    if numbers.is_empty() {
        return fail("an array with at least one number is expected; it is empty");
    }
    numbers.iter().map(number).collect()
}

fn mean(numbers: &Array) -> Fallible<f64> {
    let count = floats(numbers)?.len() as f64;
    let sum = decimal::sum(numbers).and_then(|sum| number(&sum));
    Ok(sum.unwrap_or_else(|_| numbers.iter().filter_map(|n| number(n).ok()).sum()) / count)
}

fn percentile(numbers: &Array, percent: f64) -> Fallible<f64> {
    if !(0.0..=100.0).contains(&percent) {
        return fail(format!("a percentage from 0 to 100 is expected, not {percent}"));
    }
    let mut sorted = floats(numbers)?;
    sorted.sort_by(f64::total_cmp);
    let place = (sorted.len() - 1) as f64 * percent / 100.0;
    let at = |place: f64| sorted.get(place as usize).copied().unwrap_or(f64::NAN);
    let (low, high) = (at(place.floor()), at(place.ceil()));
    Ok(low + (high - low) * place.fract())
}

fn std_dev(numbers: &Array) -> Fallible<f64> {
    let mean = mean(numbers)?;
    let squares: Vec<f64> = floats(numbers)?.iter().map(|number| (number - mean).powi(2)).collect();
    Ok((squares.iter().sum::<f64>() / squares.len() as f64).sqrt())
}

fn extreme(numbers: Array, better: fn(f64, f64) -> bool) -> Fallible<Dynamic> {
    floats(&numbers)?;
    let mut best = None;
    for candidate in numbers {
        let value = number(&candidate)?;
        if best.as_ref().is_none_or(|(_, best)| better(value, *best)) {
            best = Some((candidate, value));
        }
    }
    best.map_or_else(|| fail("no numbers"), |(best, _)| Ok(best))
}

fn clamp(value: Dynamic, low: Dynamic, high: Dynamic) -> Fallible<Dynamic> {
    let (size, least, most) = (number(&value)?, number(&low)?, number(&high)?);
    if least > most {
        return fail(format!("low ({least}) is above high ({most})"));
    }
    Ok(if size < least {
        low
    } else if size > most {
        high
    } else {
        value
    })
}

fn percent(part: Dynamic, whole: Dynamic) -> Fallible<Dynamic> {
    let (share, all) = (number(&part)?, number(&whole)?);
    if all == 0.0 {
        return fail("percent of 0 is not defined");
    }
    round((share * 100.0 / all).into(), 2)
}

fn format(value: &Dynamic, digits: i64, group: &str, point: &str) -> Fallible<String> {
    let places = usize::try_from(digits).ok().filter(|_| digits <= MAX_DIGITS);
    let Some(places) = places else { return fail(format!("show 0 to {MAX_DIGITS} digits, not {digits}")) };
    if group.len() > 8 || point.len() > 8 {
        return fail("the signs between thousands and before the fraction are at most 8 bytes long");
    }
    number(value)?;
    let Some(exact) = Decimal::from_dynamic(value) else {
        return fail(format!("{value} is too large to be written out"));
    };
    let rounded = exact.round(digits);
    let (negative, whole, fraction) = rounded.digits(places);
    let mut text = String::new();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            text.push_str(group);
        }
        text.push(digit);
    }
    if places > 0 {
        text.push_str(point);
        text.extend(fraction.chars().take(places));
    }
    Ok(if negative { format!("-{text}") } else { text })
}

fn currency_digits(code: &str) -> Fallible<i64> {
    if code.len() != 3 || !code.bytes().all(|letter| letter.is_ascii_uppercase()) {
        return fail(format!("a currency is three capital letters such as EUR, not {}", quoted(code)));
    }
    Ok(UNITS.iter().find(|(known, _)| *known == code).map_or(2, |(_, digits)| *digits))
}

fn currency(amount: Dynamic, code: &str) -> Fallible<String> {
    Ok(format!("{code} {}", format(&amount, currency_digits(code)?, ",", ".")?))
}

fn parse(text: &str, point: Option<&str>) -> Fallible<Dynamic> {
    let expected = || fail(format!("a number is expected, not {}", quoted(text)));
    let trimmed = text.trim();
    if trimmed.len() > 60 {
        return expected();
    }
    let inner = trimmed.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let signed = inner.unwrap_or(trimmed).trim().replace('\u{2212}', "-");
    let (minus, body) = match signed.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, signed.strip_prefix('+').unwrap_or(&signed)),
    };
    let body: String =
        body.trim().chars().map(|c| if c.is_whitespace() || c == '\'' || c == '’' { ' ' } else { c }).collect();
    let point = match point {
        Some("." | ",") => point,
        Some(other) => return fail(format!("the decimal mark is \".\" or \",\", not {}", quoted(other))),
        None => mark(&body),
    };
    let Some(plain) = plain(&body, point) else { return expected() };
    let signed = if minus != inner.is_some() { format!("-{plain}") } else { plain };
    match (signed.parse::<i64>(), Decimal::parse(&signed)) {
        (Ok(whole), _) => Ok(whole.into()),
        (_, Some(exact)) => Ok(exact.float().into()),
        _ => expected(),
    }
}

/// The decimal mark of a number, if it has one.
fn mark(body: &str) -> Option<&'static str> {
    let (commas, points) = (body.matches(',').count(), body.matches('.').count());
    let last = if body.rfind(',') > body.rfind('.') { "," } else { "." };
    match (commas, points) {
        (0, 0) => None,
        (0, 1) => Some("."),
        (1, 0) => {
            let (whole, rest) = body.split_once(',').unwrap_or((body, ""));
            (rest.len() != 3 || whole == "0" || whole.is_empty()).then_some(",")
        }
        (0, _) | (_, 0) => None,
        _ => Some(last),
    }
}

/// Digits, a point, digits; nothing if groups are not of three.
fn plain(body: &str, point: Option<&str>) -> Option<String> {
    let (whole, fraction) = match point {
        Some(point) => body.split_once(point).unwrap_or((body, "")),
        None => (body, ""),
    };
    let groups: Vec<&str> = whole.split([',', '.', ' ']).collect();
    let signs: std::collections::BTreeSet<char> = whole.chars().filter(|c| !c.is_ascii_digit()).collect();
    let (first, rest) = groups.split_first()?;
    let digits = |text: &str| text.bytes().all(|digit| digit.is_ascii_digit());
    let grouped = rest.is_empty() || ((1..=3).contains(&first.len()) && rest.iter().all(|group| group.len() == 3));
    if !grouped || signs.len() > 1 || !digits(first) || !rest.iter().all(|group| digits(group)) || !digits(fraction) {
        return None;
    }
    let whole = groups.concat();
    match (whole.is_empty(), fraction.is_empty()) {
        (true, true) => None,
        (_, true) => Some(whole),
        (empty, false) => Some(format!("{}.{fraction}", if empty { "0" } else { &whole })),
    }
}
