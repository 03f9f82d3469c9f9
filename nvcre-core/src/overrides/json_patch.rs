//! RFC 6902 patches of the job template (04 §4.2).

use super::track::Tracker;
use crate::diagnostic::{Code, Diagnostic, FieldPath, Segment};
use crate::trace::Recorder;
use ::json_patch::jsonptr::PointerBuf;
use ::json_patch::{
    AddOperation, CopyOperation, MoveOperation, PatchErrorKind, PatchOperation, RemoveOperation, ReplaceOperation,
    TestOperation, patch_unsafe,
};
use serde_json::{Map, Value};

const OPERATIONS: &str = "add, remove, replace, move, copy or test";

/// Every fault of a JSON patch at `path` that shows without the job template.
pub(crate) fn problems(patch: &Value, path: &FieldPath) -> Vec<Diagnostic> {
    read(patch, path).err().unwrap_or_default()
}

/// Reads the operations of a patch at `path`; every fault of every operation is a finding.
///
/// # Errors
/// All faults: no list, an unknown operation, a missing or unknown key, a text that is no JSON pointer.
pub(super) fn read(patch: &Value, path: &FieldPath) -> Result<Vec<PatchOperation>, Vec<Diagnostic>> {
    let Some(list) = patch.as_array() else {
        let found = if patch.is_string() { "a text" } else { "no list" };
        return Err(vec![
            Diagnostic::at(
                Code::OverrideShape,
                path,
                format!("jobTemplatePatch is {found}, it must be a list of RFC 6902 operations"),
            )
            .with_help("write the operations as a YAML list, each with op and path, without quoting the whole list"),
        ]);
    };
    let mut operations = Vec::with_capacity(list.len());
    let mut findings = Vec::new();
    for (at, item) in list.iter().enumerate() {
        let path = path.index(at);
        match operation(item) {
            Ok(operation) => operations.push(operation),
            Err((key, problem)) => {
                let path = key.map_or_else(|| path.clone(), |key| path.key(key));
                findings.push(
                    Diagnostic::at(Code::JsonPatchOperation, path, format!("operation {at} of jobTemplatePatch: {problem}"))
                        .with_help("an operation looks like {op: add, path: /spec/workload/trainJob/trainer/env/-, value: …}; in a path ~1 stands for / and ~0 for ~"),
                );
            }
        }
    }
    if findings.is_empty() { Ok(operations) } else { Err(findings) }
}

type Problem = (Option<&'static str>, String);

fn operation(item: &Value) -> Result<PatchOperation, Problem> {
    let map = item.as_object().ok_or_else(|| (None, "it must be an object with op and path".to_owned()))?;
    let op = match map.get("op") {
        Some(Value::String(op)) => op.as_str(),
        Some(other) => return Err((Some("op"), format!("op is {other}, it must be one of {OPERATIONS}"))),
        None => return Err((None, format!("op is missing, it must be one of {OPERATIONS}"))),
    };
    let keys: &[&'static str] = match op {
        "add" | "replace" | "test" => &["op", "path", "value"],
        "move" | "copy" => &["op", "path", "from"],
        "remove" => &["op", "path"],
        _ => return Err((Some("op"), format!("{op:?} is no operation, it must be one of {OPERATIONS}"))),
    };
    if let Some(unknown) = map.keys().find(|k| !keys.contains(&k.as_str())) {
        return Err((None, format!("{unknown:?} is no key of {op:?}, which has {}", keys.join(", "))));
    }
    let path = pointer(map, "path")?;
    let value = || map.get("value").cloned().ok_or_else(|| (None, format!("value is missing, {op:?} needs one")));
    Ok(match op {
        "add" => PatchOperation::Add(AddOperation { path, value: value()? }),
        "replace" => PatchOperation::Replace(ReplaceOperation { path, value: value()? }),
        "test" => PatchOperation::Test(TestOperation { path, value: value()? }),
        "move" => PatchOperation::Move(MoveOperation { path, from: pointer(map, "from")? }),
        "copy" => PatchOperation::Copy(CopyOperation { path, from: pointer(map, "from")? }),
        _ => PatchOperation::Remove(RemoveOperation { path }),
    })
}

fn pointer(map: &Map<String, Value>, key: &'static str) -> Result<PointerBuf, Problem> {
    match map.get(key) {
        Some(Value::String(text)) => PointerBuf::parse(text.as_str()).map_err(|_| {
            let wanted = "a JSON pointer is empty or starts with \"/\", and holds \"~\" only as ~0 or ~1";
            (Some(key), format!("{text:?} is no JSON pointer: {wanted}"))
        }),
        Some(other) => Err((Some(key), format!("{key} is {other}, it must be a JSON pointer"))),
        None => Err((None, format!("{key} is missing"))),
    }
}

/// Applies the operations to the job template, one by one; nothing of the patch is kept when one fails.
///
/// Only the part of the template that the operations have in common is copied, to go back to and to compare with.
///
/// # Errors
/// The first operation that cannot be applied (04 §4.2), among them a `test` that does not hold.
pub(super) fn apply<R: Recorder>(
    template: &mut Value,
    operations: &[PatchOperation],
    path: &FieldPath,
    t: &mut Tracker<'_, R>,
) -> Result<(), Box<Diagnostic>> {
    let place = touched(template, operations);
    let Some(before) = part(template, &place).map(|v| v.clone()) else { return Ok(()) };
    for (at, operation) in operations.iter().enumerate() {
        if let Err(error) = patch_unsafe(template, std::slice::from_ref(operation)) {
            let finding = failure(template, operation, &error.kind, at, &path.index(at));
            if let Some(slot) = part(template, &place) {
                *slot = before;
            }
            return Err(Box::new(finding));
        }
    }
    let segments = || FieldPath(place.iter().map(|key| Segment::Key(key.as_str().into())).collect());
    if let Some(after) = part(template, &place) {
        let after = &*after;
        t.below(segments, |t| t.difference(Some(&before), Some(after)));
    }
    Ok(())
}

/// The deepest map or list that holds everything the operations change: the common start of the parents of their paths.
/// It does not go into list elements, since operations move those about.
fn touched(template: &Value, operations: &[PatchOperation]) -> Vec<String> {
    let parents = |operation: &PatchOperation| -> Vec<Vec<String>> {
        let paths: Vec<&str> = match operation {
            PatchOperation::Test(_) => Vec::new(),
            PatchOperation::Move(op) => vec![op.path.as_str(), op.from.as_str()],
            other => vec![other.path().as_str()],
        };
        let tokens = |path: &str| {
            let mut tokens: Vec<String> =
                path.split('/').skip(1).map(|t| t.replace("~1", "/").replace("~0", "~")).collect();
            tokens.pop();
            tokens
        };
        paths.into_iter().map(tokens).collect()
    };
    let common = operations.iter().flat_map(parents).reduce(|a, b| {
        let length = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
        a.into_iter().take(length).collect()
    });
    let mut here = template;
    let mut steps = Vec::new();
    for token in common.unwrap_or_default() {
        let Some(next) = here.as_object().and_then(|m| m.get(&token)).filter(|v| v.is_object() || v.is_array()) else {
            break;
        };
        steps.push(token);
        here = next;
    }
    steps
}

fn part<'a>(template: &'a mut Value, place: &[String]) -> Option<&'a mut Value> {
    place.iter().try_fold(template, |here, key| here.get_mut(key))
}

fn failure(
    template: &Value,
    operation: &PatchOperation,
    kind: &PatchErrorKind,
    at: usize,
    path: &FieldPath,
) -> Diagnostic {
    let target = operation.path().as_str();
    let name = match operation {
        PatchOperation::Add(_) => "add",
        PatchOperation::Remove(_) => "remove",
        PatchOperation::Replace(_) => "replace",
        PatchOperation::Move(_) => "move",
        PatchOperation::Copy(_) => "copy",
        PatchOperation::Test(_) => "test",
    };
    let start = format!("operation {at} of jobTemplatePatch ({name} {target:?})");
    match (operation, kind) {
        (PatchOperation::Test(test), PatchErrorKind::TestFailed) => {
            let found = template.pointer(target).cloned().unwrap_or_default();
            Diagnostic::at(
                Code::JsonPatchTest,
                path.key("value"),
                format!("{start}: the job template holds {found} there, the test wants {}", test.value),
            )
            .with_help(
                "a test that does not hold is an error; to apply the override only in some cases, say so in `when`",
            )
        }
        (PatchOperation::Test(test), _) => Diagnostic::at(
            Code::JsonPatchTest,
            path.key("path"),
            format!("{start}: the job template has nothing there, the test wants {}", test.value),
        )
        .with_help("a test that does not hold is an error; to apply the override only in some cases, say so in `when`"),
        (PatchOperation::Move(op), PatchErrorKind::CannotMoveInsideItself) => Diagnostic::at(
            Code::JsonPatchFailed,
            path.key("from"),
            format!("{start}: {:?} cannot be moved into itself", op.from.as_str()),
        ),
        (
            PatchOperation::Move(MoveOperation { from, .. }) | PatchOperation::Copy(CopyOperation { from, .. }),
            PatchErrorKind::InvalidFromPointer,
        ) => Diagnostic::at(
            Code::JsonPatchFailed,
            path.key("from"),
            format!("{start}: the job template has nothing at {:?}{}", from.as_str(), reach(template, from.as_str())),
        ),
        _ => {
            let finding = Diagnostic::at(
                Code::JsonPatchFailed,
                path.key("path"),
                format!("{start}: there is no such place in the job template{}", reach(template, target)),
            );
            match (operation, target.rsplit_once('/')) {
                (PatchOperation::Add(_), Some((list, "-"))) => finding.with_help(format!(
                    "an empty list is not in the job template: add the whole list with path {list} first, and after any override that replaces it"
                )),
                _ => finding.with_help(
                    "the paths start at the job template, for example /spec/workload/trainJob/trainer/args/0; \
                     empty optional fields are not there",
                ),
            }
        }
    }
}

/// How far a pointer leads, for messages.
fn reach(template: &Value, pointer: &str) -> String {
    let mut ends: Vec<usize> = pointer.match_indices('/').map(|(at, _)| at).collect();
    ends.push(pointer.len());
    let deepest = ends.into_iter().rev().filter_map(|end| pointer.get(..end)).find(|p| template.pointer(p).is_some());
    match deepest {
        Some("") | None => String::new(),
        Some(deepest) => match template.pointer(deepest) {
            Some(Value::Array(list)) => format!("; {deepest} is a list of {}", list.len()),
            Some(Value::Object(_)) => format!("; the deepest part that exists is {deepest}"),
            Some(other) => format!("; {deepest} is {other}"),
            None => String::new(),
        },
    }
}
