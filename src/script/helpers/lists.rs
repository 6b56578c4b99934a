//! Arrays and maps: sorting, grouping, picking.

use std::{cmp::Ordering, collections::HashSet};

use rhai::{Array, Dynamic, Engine, FnPtr, Map, NativeCallContext};

use super::{
    Group, Helper,
    list::helper,
    values::{Fallible, check_array, check_text, fail, kind, number, scalar_text, to_json_text},
};
use crate::limits::MAX_MAP;

pub(super) const GROUP: Group = Group { name: "lists", helpers: HELPERS, register };

/// Deepest maps that `deep_merge` goes into.
const MERGE_DEPTH: usize = 32;

#[rustfmt::skip]
const HELPERS: &[Helper] = &[
    helper("sorted(array) -> array", "A sorted copy: nothing first, then booleans, numbers, texts; maps are an error.", "sorted([3, 1.5, 2])", "[1.5, 2, 3]"),
    helper("sorted_by(array, key) -> array", "A copy sorted by a field's name or by what a function gives of an element; equal ones stay in order.", r#"sorted_by([#{n: 2}, #{n: 1}], "n")"#, r#"[{"n": 1}, {"n": 2}]"#),
    helper("sorted_desc_by(array, key) -> array", "As sorted_by, the greatest first; equal ones stay in order.", "sorted_desc_by([1, 3, 2], |x| x)", "[3, 2, 1]"),
    helper("group_by(array, key) -> map", "The elements under each value of a field or function.", r#"group_by([#{k: "a", n: 1}, #{k: "b", n: 2}, #{k: "a", n: 3}], "k").a.len"#, "2"),
    helper("count_by(array, key) -> map", "How many elements have each value of a field or function.", r#"count_by(["a", "bb", "c"], |x| x.len)"#, r#"{"1": 2, "2": 1}"#),
    helper("index_by(array, key) -> map", "The last element with each value of a field or function.", r#"index_by([#{id: 7, n: "x"}], "id")"#, r#"{"7": {"id": 7, "n": "x"}}"#),
    helper("sum_by(array, key) -> number", "The sum of a field or of what a function gives, without float noise.", r#"sum_by([#{n: 0.1}, #{n: 0.2}], "n")"#, "0.3"),
    helper("pluck(array, key) -> array", "One field of every map; () where it is missing.", r#"pluck([#{a: 1}, #{b: 2}], "a")"#, "[1, null]"),
    helper("matching(array, fields) -> array", "The maps that have all these fields with these values.", r#"matching([#{a: 1, b: 2}, #{a: 3}], #{a: 3})"#, r#"[{"a": 3}]"#),
    helper("unique(array) -> array", "Each value once, in the order of their first places; 1 and 1.0 are the same.", "unique([2, 1, 2, 1.0])", "[2, 1]"),
    helper("unique_by(array, key) -> array", "The first element with each value of a field or function.", r#"unique_by([#{a: 1, n: 1}, #{a: 1, n: 2}], "a")"#, r#"[{"a": 1, "n": 1}]"#),
    helper("flatten(array) -> array", "Takes one level of nested arrays apart.", "flatten([1, [2, [3]]])", "[1, 2, [3]]"),
    helper("chunk(array, size) -> array", "Arrays of that many elements; the last may be shorter.", "chunk([1, 2, 3], 2)", "[[1, 2], [3]]"),
    helper("zip(first, second) -> array", "Pairs of elements, as many as the shorter has.", r#"zip([1, 2, 3], ["a", "b"])"#, r#"[[1, "a"], [2, "b"]]"#),
    helper("take_first(array, count) -> array", "The first elements, at most so many.", "take_first([1, 2, 3], 2)", "[1, 2]"),
    helper("compact(array) -> array", "Without the nothings ().", "compact([1, (), 2])", "[1, 2]"),
    helper("difference(first, second) -> array", "What of the first is not in the second.", "difference([1, 2, 3], [2])", "[1, 3]"),
    helper("intersection(first, second) -> array", "What of the first is in the second.", "intersection([1, 2, 3], [2, 3, 4])", "[2, 3]"),
    helper("pick(map, keys) -> map", "Only these keys; missing ones are left out.", r#"pick(#{a: 1, b: 2}, ["a", "x"])"#, r#"{"a": 1}"#),
    helper("omit(map, keys) -> map", "All but these keys.", r#"omit(#{a: 1, b: 2}, ["a"])"#, r#"{"b": 2}"#),
    helper("deep_merge(map, other) -> map", "Both, the other's values winning; maps in both are merged in turn.", "deep_merge(#{a: #{x: 1}}, #{a: #{y: 2}})", r#"{"a": {"x": 1, "y": 2}}"#),
    helper("entries(map) -> array", "Its keys and values, sorted by key.", "entries(#{b: 2, a: 1})", r#"[{"key": "a", "value": 1}, {"key": "b", "value": 2}]"#),
    helper("from_entries(array) -> map", "A map of what entries gives.", r#"from_entries([#{key: "a", value: 1}])"#, r#"{"a": 1}"#),
];

fn register(engine: &mut Engine) {
    engine
        .register_fn("sorted", |array: Array| order(array.clone(), array))
        .register_fn("sort", |array: &mut Array| order(array.clone(), array.clone()).map(|sorted| *array = sorted))
        .register_fn("sort_desc", |array: &mut Array| {
            order(array.clone(), array.clone()).map(|sorted| *array = sorted.into_iter().rev().collect())
        })
        .register_fn("order", |array: &mut Array| order(array.clone(), array.clone()))
        .register_fn("sort", sort_with)
        .register_fn("sort_by", sort_with)
        .register_fn("order_by", |context: NativeCallContext, array: Array, comparer: FnPtr| {
            merge_sorted(&context, &comparer, array)
        })
        .register_fn("pluck", pluck)
        .register_fn("matching", matching)
        .register_fn("unique", |array: Array| unique(array.clone(), array))
        .register_fn("flatten", flatten)
        .register_fn("chunk", chunk)
        .register_fn("zip", |first: Array, second: Array| -> Array {
            first.into_iter().zip(second).map(|(a, b)| Dynamic::from(vec![a, b])).collect()
        })
        .register_fn("take_first", |array: Array, count: i64| -> Array {
            array.into_iter().take(usize::try_from(count).unwrap_or(0)).collect()
        })
        .register_fn("compact", |array: Array| -> Array { array.into_iter().filter(|item| !item.is_unit()).collect() })
        .register_fn("difference", |first: Array, second: Array| select(first, second, false))
        .register_fn("intersection", |first: Array, second: Array| select(first, second, true))
        .register_fn("pick", |map: Map, keys: Array| only(map, keys, true))
        .register_fn("omit", |map: Map, keys: Array| only(map, keys, false))
        .register_fn("deep_merge", |map: Map, other: Map| deep_merge(map, other, 0))
        .register_fn("entries", entries)
        .register_fn("from_entries", from_entries);
    register_keyed(engine);
}

/// Registers what takes a key as a field's name or as a function.
fn register_keyed(engine: &mut Engine) {
    keyed(engine, "sorted_by", order);
    keyed(engine, "sorted_desc_by", order_desc);
    keyed(engine, "group_by", group_by);
    keyed(engine, "count_by", count_by);
    keyed(engine, "index_by", index_by);
    keyed(engine, "unique_by", unique);
    keyed(engine, "sum_by", |keys, _| super::decimal::sum(&keys));
}

fn keyed<T: rhai::Variant + Clone>(engine: &mut Engine, name: &str, with: fn(Array, Array) -> Fallible<T>) {
    engine.register_fn(name, move |array: Array, key: &str| with(pluck(array.clone(), key)?, array)).register_fn(
        name,
        move |context: NativeCallContext, array: Array, key: FnPtr| {
            let keys: Fallible<Array> =
                array.iter().map(|item| key.call_within_context(&context, (item.clone(),))).collect();
            with(keys?, array)
        },
    );
}

fn pluck(array: Array, key: &str) -> Fallible<Array> {
    let field = |item: Dynamic| match item.as_map_ref() {
        Ok(map) => Ok(map.get(key).cloned().unwrap_or(Dynamic::UNIT)),
        Err(_) => {
            fail(format!("an array of maps is expected, to take {key:?} of each; one of them is {}", kind(&item)))
        }
    };
    array.into_iter().map(field).collect()
}

/// The order of scalars: nothing, booleans, numbers, texts; NaN is the greatest number.
#[derive(Debug, PartialEq, PartialOrd)]
enum Rank {
    Nothing,
    Truth(bool),
    Number(f64, i64),
    Text(String),
}

fn rank(value: &Dynamic) -> Fallible<Rank> {
    if value.is_unit() {
        return Ok(Rank::Nothing);
    }
    if let Ok(truth) = value.as_bool() {
        return Ok(Rank::Truth(truth));
    }
    if let Ok(number) = number(value) {
        return Ok(Rank::Number(number, value.as_int().unwrap_or(0)));
    }
    match scalar_text(value) {
        Ok(text) => Ok(Rank::Text(text)),
        Err(_) => {
            fail(format!("{} cannot be sorted: sort by one of its fields, sorted_by(array, \"field\")", kind(value)))
        }
    }
}

fn compare(a: &Rank, b: &Rank) -> Ordering {
    match (a, b) {
        (Rank::Number(a, whole_a), Rank::Number(b, whole_b)) => {
            // integers beyond 2^53 are one float
            let floats = if a == b { Ordering::Equal } else { a.total_cmp(b) };
            floats.then_with(|| if a.abs() >= 9e15 { whole_a.cmp(whole_b) } else { Ordering::Equal })
        }
        _ => a.partial_cmp(b).unwrap_or(Ordering::Equal),
    }
}

fn ranked(keys: Array, array: Array) -> Fallible<Vec<(Rank, Dynamic)>> {
    keys.iter().zip(array).map(|(key, item)| Ok((rank(key)?, item))).collect()
}

fn order(keys: Array, array: Array) -> Fallible<Array> {
    let mut ranked = ranked(keys, array)?;
    ranked.sort_by(|(a, _), (b, _)| compare(a, b));
    Ok(ranked.into_iter().map(|(_, item)| item).collect())
}

fn order_desc(keys: Array, array: Array) -> Fallible<Array> {
    let mut ranked = ranked(keys, array)?;
    ranked.sort_by(|(a, _), (b, _)| compare(b, a));
    Ok(ranked.into_iter().map(|(_, item)| item).collect())
}

/// Rhai's own sort by a comparer would swallow its errors, limits among them, and panic where it lies.
fn sort_with(context: NativeCallContext<'_>, array: &mut Array, comparer: FnPtr) -> Fallible<()> {
    *array = merge_sorted(&context, &comparer, array.clone())?;
    Ok(())
}

fn merge_sorted(context: &NativeCallContext<'_>, comparer: &FnPtr, mut left: Array) -> Fallible<Array> {
    if left.len() < 2 {
        return Ok(left);
    }
    let mut sorted = Array::with_capacity(left.len());
    let right = left.split_off(left.len() / 2);
    let mut left = merge_sorted(context, comparer, left)?.into_iter().peekable();
    let mut right = merge_sorted(context, comparer, right)?.into_iter().peekable();
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        // asked whether the later one comes first: equal ones stay in order
        let answer = comparer.call_within_context::<Dynamic>(context, (b.clone(), a.clone()))?;
        let turned = match (answer.as_int(), answer.as_bool()) {
            (Ok(order), _) => order < 0,
            (_, Ok(first)) => first,
            _ => {
                return fail(format!(
                    "a comparer gives -1, 0 or 1, or whether the first comes first; not {}",
                    kind(&answer)
                ));
            }
        };
        sorted.extend(if turned { right.next() } else { left.next() });
    }
    sorted.extend(left.chain(right));
    Ok(sorted)
}

/// Puts a value under a key, as long as the map may grow.
fn slot<'a>(map: &'a mut Map, key: &Dynamic) -> Fallible<&'a mut Dynamic> {
    let key = scalar_text(key)?;
    check_text(key.len())?;
    if map.len() >= MAX_MAP && !map.contains_key(key.as_str()) {
        return fail(format!("more than {MAX_MAP} different keys"));
    }
    Ok(map.entry(key.into()).or_insert(Dynamic::UNIT))
}

fn group_by(keys: Array, array: Array) -> Fallible<Map> {
    let mut groups = Map::new();
    for (key, item) in keys.iter().zip(array) {
        let group = slot(&mut groups, key)?;
        if let Some(mut members) = group.write_lock::<Array>() {
            members.push(item);
            continue;
        }
        *group = vec![item].into();
    }
    Ok(groups)
}

fn count_by(keys: Array, _: Array) -> Fallible<Map> {
    let mut counts = Map::new();
    for key in &keys {
        let count = slot(&mut counts, key)?;
        *count = (count.as_int().unwrap_or(0) + 1).into();
    }
    Ok(counts)
}

fn index_by(keys: Array, array: Array) -> Fallible<Map> {
    let mut index = Map::new();
    for (key, item) in keys.iter().zip(array) {
        *slot(&mut index, key)? = item;
    }
    Ok(index)
}

/// Returns the key that makes two values the same: their JSON, whole floats as integers.
fn identity(value: &Dynamic) -> Fallible<String> {
    if let Ok(float) = value.as_float()
        && float.fract() == 0.0
        && float.abs() < 9e15
    {
        return Ok(format!("{float:.0}"));
    }
    to_json_text(value)
}

fn unique(keys: Array, array: Array) -> Fallible<Array> {
    let (mut seen, mut kept) = (HashSet::new(), Array::new());
    for (key, item) in keys.iter().zip(array) {
        if seen.insert(identity(key)?) {
            kept.push(item);
        }
    }
    Ok(kept)
}

fn select(first: Array, second: Array, wanted: bool) -> Fallible<Array> {
    let second: HashSet<String> = second.iter().map(identity).collect::<Fallible<_>>()?;
    let mut kept = Array::new();
    for item in first {
        if second.contains(&identity(&item)?) == wanted {
            kept.push(item);
        }
    }
    Ok(kept)
}

fn matching(array: Array, fields: Map) -> Fallible<Array> {
    let wanted: Vec<_> = fields.iter().map(|(key, value)| Ok((key, identity(value)?))).collect::<Fallible<_>>()?;
    let mut kept = Array::new();
    for item in array {
        let Ok(map) = item.as_map_ref() else {
            return fail(format!("an array of maps is expected; one of its elements is {}", kind(&item)));
        };
        let mut all = true;
        for (key, value) in &wanted {
            all &= map.get(key.as_str()).map(identity).transpose()?.as_ref() == Some(value);
        }
        drop(map);
        if all {
            kept.push(item);
        }
    }
    Ok(kept)
}

fn flatten(array: Array) -> Fallible<Array> {
    let mut flat = Array::new();
    for item in array {
        let items = item.as_array_ref().map(|inner| inner.len());
        check_array(flat.len().saturating_add(items.unwrap_or(1)))?;
        match item.as_array_ref() {
            Ok(inner) => flat.extend(inner.iter().cloned()),
            Err(_) => flat.push(item.clone()),
        }
    }
    Ok(flat)
}

fn chunk(array: Array, size: i64) -> Fallible<Array> {
    let size = usize::try_from(size).ok().filter(|size| *size > 0);
    let Some(size) = size else { return fail("chunks have at least one element: give a size from 1") };
    Ok(array.chunks(size).map(|part| Dynamic::from(part.to_vec())).collect())
}

fn only(map: Map, keys: Array, wanted: bool) -> Fallible<Map> {
    let keys: HashSet<String> = keys.iter().map(scalar_text).collect::<Fallible<_>>()?;
    Ok(map.into_iter().filter(|(key, _)| keys.contains(key.as_str()) == wanted).collect())
}

fn deep_merge(mut map: Map, other: Map, depth: usize) -> Fallible<Map> {
    if depth > MERGE_DEPTH {
        return fail(format!("the maps are nested deeper than {MERGE_DEPTH}"));
    }
    for (key, theirs) in other {
        let ours = map.get(&key).and_then(|ours| ours.as_map_ref().ok().map(|ours| ours.clone()));
        let inner = theirs.as_map_ref().ok().map(|inner| inner.clone());
        let value = match (ours, inner) {
            (Some(ours), Some(inner)) => deep_merge(ours, inner, depth + 1)?.into(),
            _ => theirs,
        };
        *slot(&mut map, &key.to_string().into())? = value;
    }
    Ok(map)
}

fn entries(map: Map) -> Array {
    let entry = |(key, value): (rhai::Identifier, Dynamic)| {
        Dynamic::from(Map::from([("key".into(), key.to_string().into()), ("value".into(), value)]))
    };
    map.into_iter().map(entry).collect()
}

fn from_entries(array: Array) -> Fallible<Map> {
    let mut map = Map::new();
    for item in array {
        let entry =
            item.as_map_ref().ok().and_then(|entry| Some((entry.get("key")?.clone(), entry.get("value").cloned())));
        let Some((key, value)) = entry else {
            return fail("an array of maps with key and value is expected, as entries(map) gives it");
        };
        *slot(&mut map, &key)? = value.unwrap_or(Dynamic::UNIT);
    }
    Ok(map)
}
