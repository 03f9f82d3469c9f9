//! Following paths through values: elements of lists by number, by name, or by another field that tells them apart.

use crate::diagnostic::{FieldPath, Segment};
use serde_json::Value;
use std::collections::BTreeSet;

/// The value at a path.
pub(crate) fn value_at<'v>(value: &'v Value, path: &FieldPath) -> Option<&'v Value> {
    path.0.iter().try_fold(value, step)
}

/// The value one step below.
pub(crate) fn step<'v>(value: &'v Value, segment: &Segment) -> Option<&'v Value> {
    match segment {
        Segment::Key(key) => value.get(&**key),
        segment => {
            let list = value.as_array()?;
            list.get(find(list, segment)?)
        }
    }
}

/// The place of the element that a step of a path means.
pub(crate) fn find(list: &[Value], step: &Segment) -> Option<usize> {
    match step {
        Segment::Index(index) => (*index < list.len()).then_some(*index),
        Segment::Key(_) => None,
        Segment::Named(name) => list
            .iter()
            .position(|element| named(element) == Some(name))
            .or_else(|| list.iter().position(|element| reference(element).as_deref() == Some(name))),
        Segment::Keyed(field, value) => {
            list.iter().position(|element| element.get(&**field).and_then(key_text).as_deref() == Some(value))
        }
    }
}

/// The names by which paths call the elements of a list, `name` or else `Kind/name` of objects; `None` when one has
/// none or two have the same.
pub(crate) fn names(list: &[Value]) -> Option<Vec<String>> {
    let name = |element: &Value| named(element).map(str::to_owned).or_else(|| reference(element));
    let names: Vec<String> = list.iter().map(name).collect::<Option<_>>()?;
    let unique = names.iter().collect::<BTreeSet<_>>().len() == names.len();
    unique.then_some(names)
}

/// The `name` of an element.
pub(crate) fn named(element: &Value) -> Option<&str> {
    element.get("name").and_then(Value::as_str)
}

/// `Kind/name` of an object, as paths name dependencies; what has a name of its own is told apart by that one.
pub(crate) fn reference(element: &Value) -> Option<String> {
    let name = element.get("metadata").and_then(named)?;
    let kind = element.get("kind").and_then(Value::as_str)?;
    named(element).is_none().then(|| format!("{kind}/{name}"))
}

/// A value as it stands in a path.
pub(crate) fn key_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn elements_are_found_as_paths_name_them() {
        let object = json!({
            "dependencies": [{"kind": "TrainingRuntime", "metadata": {"name": "r"}, "spec": {"n": 1}}],
            "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}],
            "volumeMounts": [{"name": "x", "mountPath": "/a"}, {"name": "x", "mountPath": "/b"}],
        });
        for (path, wanted) in [
            ("dependencies[name=TrainingRuntime/r].spec.n", json!(1)),
            ("env[name=B].value", json!("2")),
            ("env[0].value", json!("1")),
            ("volumeMounts[mountPath=/b].name", json!("x")),
        ] {
            assert_eq!(value_at(&object, &path.into()), Some(&wanted), "{path}");
        }
        for path in ["env[name=C]", "env[2]", "env.A", "volumeMounts[mountPath=/c]"] {
            assert_eq!(value_at(&object, &path.into()), None, "{path}");
        }
        assert_eq!(names(object["env"].as_array().unwrap()), Some(vec!["A".into(), "B".into()]));
        assert_eq!(names(object["dependencies"].as_array().unwrap()), Some(vec!["TrainingRuntime/r".into()]));
        assert_eq!(names(object["volumeMounts"].as_array().unwrap()), None);
    }
}
