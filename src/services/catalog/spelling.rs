//! Arguments as the text of a query, a form, a path or a header, each list and object in its style.

use serde_json::Value;

use satchel_model::catalog::style::Style;

/// A value in a query or a form.
pub(super) fn pairs(name: &str, value: &Value, style: Style) -> Vec<(String, String)> {
    let one = |text: String| vec![(name.to_owned(), text)];
    match (style, value) {
        (_, Value::Array(items)) if items.is_empty() && style != Style::Json => Vec::new(),
        (Style::Json, Value::Array(_)) => one(value.to_string()),
        (_, Value::Array(_) | Value::Object(_)) if style.separator().is_some() => one(line(value, style)),
        (Style::Exploded, Value::Object(fields)) => {
            let said = fields.iter().filter(|(_, value)| !value.is_null());
            said.flat_map(|(name, value)| pairs(name, value, Style::Plain)).collect()
        }
        (Style::DeepObject, Value::Object(fields)) => {
            let said = fields.iter().filter(|(_, value)| !value.is_null());
            said.flat_map(|(field, value)| pairs(&format!("{name}[{field}]"), value, style)).collect()
        }
        (Style::DeepObject, Value::Array(items)) => {
            let numbered = items.iter().enumerate();
            numbered.flat_map(|(n, item)| pairs(&format!("{name}[{n}]"), item, style)).collect()
        }
        (_, Value::Array(items)) => items.iter().map(|item| (name.to_owned(), text(item))).collect(),
        (_, other) => one(text(other)),
    }
}

/// A value as one text, as a path or a header holds it.
pub(super) fn line(value: &Value, style: Style) -> String {
    let between = style.separator().unwrap_or(',').to_string();
    match (style, value) {
        (Style::Json, Value::Array(_)) => value.to_string(),
        (_, Value::Array(items)) => items.iter().map(text).collect::<Vec<_>>().join(&between),
        (Style::Plain | Style::DeepObject | Style::Json, Value::Object(_)) => value.to_string(),
        (_, Value::Object(fields)) => {
            let equals = if style == Style::Exploded { "=" } else { &between };
            let said = fields.iter().filter(|(_, value)| !value.is_null());
            said.map(|(name, value)| format!("{name}{equals}{}", text(value))).collect::<Vec<_>>().join(&between)
        }
        (_, other) => text(other),
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(text).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn query(value: &Value, style: Style) -> String {
        let pairs = pairs("f", value, style).into_iter().map(|(name, value)| format!("{name}={value}"));
        pairs.collect::<Vec<_>>().join("&")
    }

    #[test]
    fn lists_and_objects_are_written_in_their_style() {
        let (list, object) = (json!([1, "b"]), json!({"size": 2, "tags": ["x", "y"], "none": null}));
        for (style, of_list, of_object) in [
            (Style::Plain, "f=1&f=b", r#"f={"size":2,"tags":["x","y"],"none":null}"#),
            (Style::Exploded, "f=1&f=b", "size=2&tags=x&tags=y"),
            (Style::Comma, "f=1,b", "f=size,2,tags,x,y"),
            (Style::Pipe, "f=1|b", "f=size|2|tags|x,y"),
            (Style::DeepObject, "f[0]=1&f[1]=b", "f[size]=2&f[tags][0]=x&f[tags][1]=y"),
            (Style::Json, r#"f=[1,"b"]"#, r#"f={"size":2,"tags":["x","y"],"none":null}"#),
        ] {
            assert_eq!((query(&list, style).as_str(), query(&object, style).as_str()), (of_list, of_object));
        }
        assert_eq!(query(&json!([]), Style::Comma), "");
        let deep = json!([{"price": "p", "at": {"days": [1]}, "none": null}]);
        assert_eq!(query(&deep, Style::DeepObject), "f[0][price]=p&f[0][at][days][0]=1");
    }

    #[test]
    fn in_a_path_and_a_header_everything_is_one_text() {
        let object = json!({"a": 1, "b": 2});
        assert_eq!(line(&json!([1, 2]), Style::Plain), "1,2");
        assert_eq!(line(&json!([1, 2]), Style::Pipe), "1|2");
        assert_eq!(line(&object, Style::Comma), "a,1,b,2");
        assert_eq!(line(&object, Style::Exploded), "a=1,b=2");
        assert_eq!(line(&json!("x"), Style::Exploded), "x");
    }
}
