//! JSON objects out of values that are moved in. `serde_json::json!` serialises every value that is put into it, and so
//! copies a tree once per level that it is built in.

/// A JSON object: `object! { "key": value, … }`, where a value is anything that [`serde_json::Value`] can be made from.
macro_rules! object {
    ($($key:tt : $value:expr),* $(,)?) => {
        serde_json::Value::Object(serde_json::Map::from_iter([
            $((String::from($key), serde_json::Value::from($value)),)*
        ]))
    };
}

pub(crate) use object;

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn builds_what_json_builds() {
        let list = vec![json!(1), json!("x")];
        let built = object! { "b": list, "a": object! { "n": 3, "t": "text", "f": false }, "e": object! {} };
        assert_eq!(built, json!({"a": {"n": 3, "t": "text", "f": false}, "b": [1, "x"], "e": {}}));
    }
}
