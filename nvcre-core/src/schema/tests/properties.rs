//! What holds for every input.

use super::*;
use proptest::prelude::*;

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-z0-9]{0,6}".prop_map(Value::from),
    ];
    let names: Vec<&'static str> =
        Table::get().structs().iter().flat_map(|s| s.fields.iter().map(|f| f.name)).collect();
    leaf.prop_recursive(8, 96, 8, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::btree_map(prop::sample::select(names.clone()), inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().map(|(k, v)| (k.to_owned(), v)).collect())),
        ]
    })
}

proptest! {
    /// Whatever comes in, serde accepts what is left, and what is left has nothing more to find.
    #[test]
    fn what_is_left_is_sound(spec in json(), lenient: bool) {
        let value = json!({ "apiVersion": "a", "kind": "b", "metadata": {}, "spec": spec });
        let mut findings = Vec::new();
        let mode = Mode { lenient, partial: false };
        let left = check_value("WorkloadRun", &value, &FieldPath::root(), mode, &mut findings);
        serde_json::from_value::<WorkloadRun>(left.clone()).unwrap();
        let mut places: Vec<_> = findings.iter().map(|d| (d.code, d.path.clone())).collect();
        places.sort();
        let all = places.len();
        places.dedup();
        prop_assert_eq!(all, places.len(), "the same thing twice");
    }
}
