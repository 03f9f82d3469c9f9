//! Node selectors that can never hold are errors up front (00 D12).

use super::{is_dns1123_subdomain, label_key_problem, label_value_problem};
use crate::api::{NodeSelectorRequirement, TargetSpec};
use crate::diagnostic::{Code, Diagnostic, FieldPath};

const OPERATORS: [&str; 6] = ["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"];
/// The way out for labels.
const SHOW_LABELS: &str = "use labels that nodes carry, as kubectl get nodes --show-labels shows them";
const EFFECTS: [&str; 3] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/// Checks a target at `path` (01 §1.2).
pub fn check_target(target: &TargetSpec, path: &FieldPath, out: &mut Vec<Diagnostic>) {
    for (key, value) in &target.node_selector {
        let path = path.key("nodeSelector").key(key);
        if let Some(problem) = label_key_problem(key) {
            let message = format!("no node can carry a label {key:?}: {problem}");
            out.push(Diagnostic::at(Code::BadSelector, &path, message).at_key().with_help(SHOW_LABELS));
        }
        if let Some(problem) = label_value_problem(value) {
            let message = format!("no node can carry label {key:?} with value {value:?}: {problem}");
            out.push(Diagnostic::at(Code::BadSelector, path, message).with_help(SHOW_LABELS));
        }
    }
    for (index, expression) in target.match_expressions.iter().enumerate() {
        check_expression(expression, &path.key("matchExpressions").index(index), out);
    }
    for (index, name) in target.node_names.iter().enumerate() {
        if !is_dns1123_subdomain(name) {
            let message = format!("{name:?} is no name of a node: lower-case letters, digits, '-' and '.' are allowed");
            let path = path.key("nodeNames").index(index);
            out.push(
                Diagnostic::at(Code::BadSelector, path, message).with_help("use names as kubectl get nodes shows them"),
            );
        }
    }
    for (index, taint) in target.taint_selectors.iter().enumerate() {
        let path = path.key("taintSelectors").index(index);
        if taint.key.is_empty() {
            out.push(
                Diagnostic::at(Code::EmptyField, path.key("key"), "a taint selector names no taint")
                    .with_help("set the key of the taint"),
            );
        } else if let Some(problem) = label_key_problem(&taint.key) {
            let message = format!("{:?} is no taint key: {problem}", taint.key);
            out.push(
                Diagnostic::at(Code::BadSelector, path.key("key"), message)
                    .with_help("use a key as kubectl describe node shows it"),
            );
        }
        if !taint.effect.is_empty() && !EFFECTS.contains(&taint.effect.as_str()) {
            let message = format!(
                "{:?} is no taint effect, so no node matches; allowed are {}",
                taint.effect,
                EFFECTS.join(", ")
            );
            out.push(
                Diagnostic::at(Code::BadSelector, path.key("effect"), message)
                    .with_help("leave it out to match every effect"),
            );
        }
        if let Some(problem) = label_value_problem(&taint.value) {
            let message = format!("{:?} is no taint value: {problem}", taint.value);
            out.push(
                Diagnostic::at(Code::BadSelector, path.key("value"), message)
                    .with_help("leave it out to match every value"),
            );
        }
    }
}

fn check_expression(expression: &NodeSelectorRequirement, path: &FieldPath, out: &mut Vec<Diagnostic>) {
    let (key, operator) = (&expression.key, expression.operator.as_str());
    // The key that stands for the platform's own label until nodes are known is none yet (06 §5.3).
    let waiting = key == crate::fleet::AUTO_TOPOLOGY_KEY;
    if let Some(problem) = label_key_problem(key).filter(|_| !waiting) {
        let message = format!("the key {key:?} of operator {operator:?} is no label key: {problem}");
        out.push(Diagnostic::at(Code::BadSelector, path.key("key"), message).with_help(SHOW_LABELS));
    }
    let values = expression.values.len();
    let wrong = match operator {
        "In" | "NotIn" => (values == 0).then_some(("at least one value", "add the values that are meant")),
        "Exists" | "DoesNotExist" => (values != 0).then_some(("no values", "remove `values`, or use In or NotIn")),
        "Gt" | "Lt" => (values != 1).then_some(("exactly one value", "give one whole number, in quotes")),
        _ => {
            let message = format!("{operator:?} on key {key:?} is no operator; allowed are {}", OPERATORS.join(", "));
            let near = super::nearest(operator, OPERATORS).map(|near| format!("did you mean `{near}`?"));
            out.push(
                Diagnostic::at(Code::BadSelector, path.key("operator"), message)
                    .with_help(near.unwrap_or_else(|| "use one of these operators".into())),
            );
            return;
        }
    };
    if let Some((wanted, help)) = wrong {
        let message = format!("the operator {operator} on key {key:?} takes {wanted}, and there are {values}");
        out.push(Diagnostic::at(Code::BadSelector, path.key("values"), message).with_help(help));
        return;
    }
    for (index, value) in expression.values.iter().enumerate() {
        let path = path.key("values").index(index);
        if matches!(operator, "Gt" | "Lt") {
            if value.parse::<i64>().is_err() {
                let message =
                    format!("the operator {operator} on key {key:?} compares whole numbers, and {value:?} is none");
                out.push(
                    Diagnostic::at(Code::BadSelector, path, message).with_help("give one whole number, in quotes"),
                );
            }
        } else if let Some(problem) = label_value_problem(value) {
            let message = format!("no node can carry value {value:?} of key {key:?}: {problem}");
            out.push(Diagnostic::at(Code::BadSelector, path, message).with_help(SHOW_LABELS));
        }
    }
}
