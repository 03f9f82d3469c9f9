//! The findings of a rendering put together: each once, without those that only follow from others, with their places.

use super::RunInput;
use crate::api::WorkloadRun;
use crate::diagnostic::{Code, Diagnostic, FieldPath, Segment, Severity};
use crate::fleet::Inventory;
use crate::schema;
use crate::yaml::Source;

/// Findings of reading and of rules, each once, with their places, in the order of the file.
pub(super) fn join(
    input: &RunInput,
    run: &WorkloadRun,
    inventory: Option<&Inventory>,
    mut found: Vec<Diagnostic>,
) -> Vec<Diagnostic> {
    let mut rules: Vec<Diagnostic> = Vec::with_capacity(found.len());
    // Nodes that could not be read may be the ones that are missed.
    let missed = |d: &Diagnostic| {
        matches!(d.code, Code::NoEligibleNodes | Code::NotEnoughNodes | Code::UnknownNodeNames)
            && inventory.is_some_and(|inventory| inventory.incomplete)
    };
    found.retain(|d| !missed(d));
    for finding in schema::without_repeats(&input.diagnostics, found) {
        let same = |d: &Diagnostic| d.code == finding.code && d.path == finding.path && d.message == finding.message;
        if !rules.iter().any(same) {
            rules.push(finding);
        }
    }
    let mut rules = without_follow_ups(&input.diagnostics, rules);
    place(input.source.as_ref(), run, &mut rules);
    let mut all = input.diagnostics.clone();
    all.extend(rules);
    crate::diagnostic::sort(&mut all);
    all
}

/// Findings without those that only say what another error leads to: no node for a target that is wrong itself, a count
/// of the result that the run's own field is to blame for.
fn without_follow_ups(reading: &[Diagnostic], rules: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let errors: Vec<(Code, FieldPath)> = reading
        .iter()
        .chain(&rules)
        .filter(|d| d.severity == Severity::Error)
        .filter_map(|d| Some((d.code, d.path.clone()?)))
        .collect();
    let other = |rule: &Diagnostic, not: &[Code], is: &dyn Fn(&FieldPath, &FieldPath) -> bool| {
        let Some(path) = &rule.path else { return false };
        errors.iter().any(|(code, error)| *code != rule.code && !not.contains(code) && is(path, error))
    };
    // Of several that speak of one size, one stays.
    let sizes = [Code::NegativeCount, Code::JobSize];
    // What stands in the result and was led back to no field follows from the errors of the run, when there are any.
    let of_result = |path: &FieldPath| {
        matches!(path.0.as_slice(), [Segment::Key(spec), Segment::Key(part), ..]
            if &**spec == "spec" && matches!(&**part, "jobTemplate" | "dependencies"))
    };
    let own_errors = errors.iter().any(|(_, path)| !of_result(path));
    // What a platform would do with the run is nothing to tell when it is open which one it is.
    let open = |d: &Diagnostic| {
        matches!(d.code, Code::HeterogeneousPlatform | Code::UndeterminedArchitecture) && d.severity == Severity::Error
    };
    let open_platform = rules.iter().any(open);
    let follows = |rule: &Diagnostic| match rule.code {
        Code::PlatformAdvice | Code::ResourceNotOffered => open_platform,
        _ if own_errors && rule.path.as_ref().is_some_and(of_result) => true,
        // An override that is wrong changes nothing because it is wrong.
        Code::OverrideNoOp => other(rule, &[], &|path, error| error.0.starts_with(&path.0)),
        Code::NoEligibleNodes => other(rule, &[], &|path, error| error != path && error.0.starts_with(&path.0)),
        Code::NegativeCount => other(rule, &[], &|path, error| error == path),
        Code::JobSize => other(rule, &sizes, &|path, error| error == path),
        Code::UnpinnedWithoutSize => other(rule, &sizes, &|path, error| error == path),
        _ => false,
    };
    let kept: Vec<bool> = rules.iter().map(|rule| !follows(rule)).collect();
    rules.into_iter().zip(kept).filter(|(_, kept)| *kept).map(|(rule, _)| rule).collect()
}

/// Adds file, line and column; what speaks of no field, or of one that only the result has, belongs to the file as a
/// whole, and so does a name or namespace that stands in a flag and not in the file.
pub(super) fn place(source: Option<&Source>, run: &WorkloadRun, findings: &mut [Diagnostic]) {
    let Some(source) = source else { return };
    source.locate(findings);
    let metadata = source.root.as_ref().and_then(|root| root.get("metadata"));
    let written = |key: &str| metadata.and_then(|m| m.get(key)).and_then(|value| value.as_str()).unwrap_or_default();
    let fields = [("name", &run.metadata.name), ("namespace", &run.metadata.namespace)];
    let by_flag: Vec<FieldPath> = fields
        .into_iter()
        .filter(|(key, value)| written(key) != value.as_str())
        .map(|(key, _)| FieldPath::root().key("metadata").key(key))
        .collect();
    for finding in findings {
        finding.file.get_or_insert_with(|| source.file.clone());
        if finding.path.as_ref().is_some_and(|path| by_flag.contains(path)) {
            finding.span = None;
        }
    }
}
