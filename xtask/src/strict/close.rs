//! Structural schemas as JSON schemas that refuse what the API server refuses.

use serde_json::{Map, Value, json};

/// Closes a schema and everything in it: a field that no schema names is refused, as strict field validation does. What
/// a format of Kubernetes means is written as bounds. `embedded` says that an object without any field is closed as well
/// (in a CRD all its fields would be pruned), not open.
pub fn close(schema: &mut Value, embedded: bool) {
    let Value::Object(map) = schema else { return };
    for (key, value) in map.iter_mut() {
        match (key.as_str(), value) {
            ("properties" | "$defs", Value::Object(fields)) => fields.values_mut().for_each(|f| close(f, embedded)),
            ("items" | "additionalProperties", value) => close(value, embedded),
            // Branches of a number-or-string; they name types only.
            ("anyOf", _) => {}
            ("allOf" | "oneOf" | "not", _) => panic!("{key} is not known here"),
            _ => {}
        }
    }
    let is = |map: &Map<String, Value>, key: &str| map.get(key) == Some(&Value::Bool(true));
    let object = map.get("type").and_then(Value::as_str) == Some("object");
    let open = is(map, "x-kubernetes-preserve-unknown-fields") || map.contains_key("additionalProperties");
    if !open && (map.contains_key("properties") || embedded && object) {
        map.insert("additionalProperties".into(), false.into());
    }
    if is(map, "nullable") {
        let ty = map.get("type").cloned().unwrap_or_default();
        map.insert("type".into(), json!([ty, "null"]));
    }
    bounds(map);
}

fn bounds(map: &mut Map<String, Value>) {
    let (least, most) = match map.get("format").and_then(Value::as_str) {
        Some("int32") => (i32::MIN.into(), i32::MAX.into()),
        Some("int64") => (i64::MIN, i64::MAX),
        _ => return,
    };
    map.remove("format");
    map.entry("minimum").or_insert(least.into());
    map.entry("maximum").or_insert(most.into());
}
