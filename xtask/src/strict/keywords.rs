//! Keywords of Kubernetes that JSON schema does not have.

use cel::extractors::This;
use cel::parser::PrattParser;
use cel::{Context, Env, common::ast::IdedExpr};
use jsonschema::{Keyword, ValidationError};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::Arc;

/// A keyword as `jsonschema` takes it.
pub type Boxed = Box<dyn for<'i> Keyword<'i>>;

/// `x-kubernetes-list-type`: elements of a `map` differ in their keys, those of a `set` as a whole.
pub fn list_type(parent: &Map<String, Value>, kind: &Value) -> Boxed {
    match kind.as_str() {
        Some("map") => {
            let keys = parent["x-kubernetes-list-map-keys"].as_array().unwrap();
            let default = |key: &str| parent["items"]["properties"][key]["default"].clone();
            let keys = keys.iter().map(|key| key.as_str().unwrap()).map(|key| (key.to_owned(), default(key)));
            Box::new(Distinct(Some(keys.collect())))
        }
        Some("set") => Box::new(Distinct(None)),
        _ => Box::new(Rules(Vec::new())),
    }
}

/// Keys and their defaults, or the whole element.
struct Distinct(Option<Vec<(String, Value)>>);

impl Distinct {
    fn repeated(&self, list: &Value) -> Option<String> {
        let mut seen: Vec<Value> = Vec::new();
        for element in list.as_array()? {
            let key = match &self.0 {
                Some(keys) => keys.iter().map(|(key, default)| element.get(key).unwrap_or(default).clone()).collect(),
                None => element.clone(),
            };
            if seen.contains(&key) {
                return Some(key.to_string());
            }
            seen.push(key);
        }
        None
    }
}

impl<'i> Keyword<'i> for Distinct {
    fn validate(&self, list: &'i Value) -> Result<(), ValidationError<'i>> {
        match self.repeated(list) {
            Some(key) => Err(ValidationError::custom(format!("two elements of the list are {key}"))),
            None => Ok(()),
        }
    }

    fn is_valid(&self, list: &'i Value) -> bool {
        self.repeated(list).is_none()
    }
}

/// `x-kubernetes-validations`. Rules on changes (`oldSelf`) say nothing about an object that is created.
pub fn validations(rules: &Value) -> Boxed {
    let rules = rules.as_array().unwrap().iter().filter_map(|rule| {
        let text = rule["rule"].as_str().unwrap();
        let parsed = || PrattParser::new().parse(text).unwrap_or_else(|e| panic!("{text}: {e}"));
        (!text.contains("oldSelf")).then(|| (text.to_owned(), parsed()))
    });
    Box::new(Rules(rules.collect()))
}

struct Rules(Vec<(String, IdedExpr)>);

impl Rules {
    fn broken(&self, value: &Value) -> Option<String> {
        self.0.iter().find_map(|(text, rule)| {
            let mut context = Context::with_env(Arc::new(Env::stdlib()));
            context.add_variable_from_value("self", to_cel(value));
            context.add_function("split", split).unwrap();
            match cel::Value::resolve(rule, &context) {
                Ok(cel::Value::Bool(true)) => None,
                Ok(_) => Some(format!("the rule `{text}` does not hold")),
                Err(error) => Some(format!("the rule `{text}`: {error}")),
            }
        })
    }
}

/// One of the string functions that Kubernetes adds to CEL.
fn split(This(text): This<Arc<String>>, separator: Arc<String>) -> cel::Value {
    text.split(separator.as_str()).map(cel::Value::from).collect::<Vec<_>>().into()
}

impl<'i> Keyword<'i> for Rules {
    fn validate(&self, value: &'i Value) -> Result<(), ValidationError<'i>> {
        self.broken(value).map_or(Ok(()), |text| Err(ValidationError::custom(text)))
    }

    fn is_valid(&self, value: &'i Value) -> bool {
        self.broken(value).is_none()
    }
}

/// JSON as CEL sees it in the API server: whole numbers are `int`.
fn to_cel(value: &Value) -> cel::Value {
    match value {
        Value::Null => cel::Value::Null,
        Value::Bool(b) => (*b).into(),
        Value::Number(n) => match n.as_i64() {
            Some(n) => n.into(),
            None => n.as_f64().unwrap_or(f64::NAN).into(),
        },
        Value::String(s) => s.as_str().into(),
        Value::Array(list) => list.iter().map(to_cel).collect::<Vec<_>>().into(),
        Value::Object(map) => {
            let entries: HashMap<String, cel::Value> = map.iter().map(|(k, v)| (k.clone(), to_cel(v))).collect();
            entries.into()
        }
    }
}
