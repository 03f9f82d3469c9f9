//! The merged environment and what of it mpirun forwards (02 §8.1–8.3).

use crate::api::{EnvVar, Value};
use crate::diagnostic::FieldPath;
use crate::trace::{Change, Origin, Recorder, Subject};
use std::collections::BTreeSet;

/// Defaults whose name the run does not set, in their order, then the run's own variables in theirs (02 §8.2). Of
/// equal names in the run the last one counts, at its own place (00 D37).
pub fn merged_env<R: Recorder>(base: Vec<EnvVar>, user: &[EnvVar], recorder: &mut R) -> Vec<EnvVar> {
    let own: BTreeSet<&str> = user.iter().map(|v| v.name.as_str()).collect();
    let mut merged = Vec::with_capacity(base.len() + user.len());
    for variable in base {
        if R::ON {
            recorder.record(|| change(&variable, Origin::Default { source: "02 §8.1".into() }, None));
        }
        if !own.contains(variable.name.as_str()) {
            merged.push(variable);
        }
    }
    for (index, variable) in user.iter().enumerate() {
        if R::ON {
            let path = FieldPath::parse("spec.env").index(index);
            recorder.record(|| change(variable, Origin::Run { path }, None));
        }
        let later = user.get(index + 1..).unwrap_or_default();
        if !later.iter().any(|v| v.name == variable.name) {
            merged.push(variable.clone());
        }
    }
    merged
}

fn change(variable: &EnvVar, origin: Origin, old: Option<Value>) -> Change {
    Change { subject: Subject::Env { name: variable.name.clone() }, origin, old, new: Some(env_value(variable)) }
}

/// A variable's value as the trace shows it: a text, or the source.
pub(super) fn env_value(variable: &EnvVar) -> Value {
    match &variable.value_from {
        Some(source) => serde_json::json!({ "valueFrom": source }),
        None => Value::String(variable.value.clone()),
    }
}

/// Names that a list of mpirun arguments forwards with `-x` (02 §8.3): only the exact argument `-x` with an argument
/// after it counts; the name is what stands before the first `=`.
///
/// ```
/// use nvcre_core::workflow::forwarded_names;
/// let words = ["-x", "A=1", "--tag-output", "-x", "B", "-xC=1", "-x"].map(String::from);
/// assert_eq!(forwarded_names(words.iter().map(String::as_str)).into_iter().collect::<Vec<_>>(), ["A", "B"]);
/// ```
pub fn forwarded_names<'a>(words: impl Iterator<Item = &'a str>) -> BTreeSet<&'a str> {
    let mut names = BTreeSet::new();
    let mut words = words.peekable();
    while let Some(word) = words.next() {
        if word == "-x"
            && let Some(pair) = words.peek()
        {
            names.insert(pair.split_once('=').map_or(*pair, |(name, _)| name));
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_user_moves_a_name_to_the_end_and_the_last_of_equal_names_counts() {
        let base = vec![EnvVar::new("A", "1"), EnvVar::new("B", "2")];
        let user = [EnvVar::new("A", "x"), EnvVar::new("C", "3"), EnvVar::new("A", "y")];
        let merged = merged_env(base, &user, &mut ());
        let shown: Vec<String> = merged.iter().map(|v| format!("{}={}", v.name, v.value)).collect();
        assert_eq!(shown, ["B=2", "C=3", "A=y"]);
    }

    #[test]
    fn a_pair_that_looks_like_an_option_is_read_as_upstream_reads_it() {
        let words = ["-x", "-x", "A=1"];
        assert_eq!(forwarded_names(words.into_iter()).into_iter().collect::<Vec<_>>(), ["-x", "A"]);
    }
}
