//! What all suites share: finding the cases, reading them, comparing.

use super::differences::{ALL, Difference, NEVER_COMPARED, What};
use nvcre_core::FieldPath;
use nvcre_core::diagnostic::{Diagnostic, Severity};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// One folder of cases, and how each is checked.
pub struct Suite {
    pub folder: &'static str,
    pub cases: &'static [&'static str],
    pub check: fn(&Case),
}

/// One case.
pub struct Case {
    pub suite: String,
    pub name: String,
    pub folder: PathBuf,
}

/// The folder of all golden files; `None`, with a message, when it is absent.
pub fn root() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/golden");
    let root = std::env::var_os("NVCRE_GOLDEN_DIR").map_or_else(beside, PathBuf::from);
    if !root.is_dir() {
        eprintln!("no golden files at {}: nothing is compared (set NVCRE_GOLDEN_DIR)", root.display());
        return None;
    }
    Some(root)
}

fn folders(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let entries = entries.map(|e| e.unwrap()).filter(|e| e.path().is_dir());
    let mut names: Vec<String> = entries.map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Suites and cases of the golden folder that the table does not name.
pub fn unknown(suites: &[Suite], others: &[&str]) -> Vec<String> {
    root().map(|root| unknown_below(&root, suites, others)).unwrap_or_default()
}

/// As [`unknown`], for a folder.
pub fn unknown_below(root: &Path, suites: &[Suite], others: &[&str]) -> Vec<String> {
    let mut out = Vec::new();
    walk(root, "", suites, others, &mut out);
    out
}

fn walk(root: &Path, below: &str, suites: &[Suite], others: &[&str], out: &mut Vec<String>) {
    for name in folders(&root.join(below)) {
        let path = if below.is_empty() { name.clone() } else { format!("{below}/{name}") };
        if let Some(suite) = suites.iter().find(|s| s.folder == below) {
            if !suite.cases.contains(&name.as_str()) {
                out.push(path);
            }
        } else if suites.iter().any(|s| s.folder == path || s.folder.starts_with(&format!("{path}/"))) {
            walk(root, &path, suites, others, out);
        } else if !others.contains(&path.as_str()) {
            out.push(path);
        }
    }
}

/// Checks every case of a suite, and says which ones failed.
pub fn run(folder: &str, suites: &[Suite]) {
    let Some(root) = root() else { return };
    let suite = suites.iter().find(|s| s.folder == folder).unwrap();
    let names = folders(&root.join(folder));
    if names.is_empty() {
        eprintln!("no case of {folder} below {}: nothing is compared", root.display());
    }
    let mut failed = Vec::new();
    for name in names {
        if !suite.cases.contains(&name.as_str()) {
            failed.push(format!("{name} (not known to the harness)"));
            continue;
        }
        let case = Case { suite: folder.into(), folder: root.join(folder).join(&name), name };
        if catch_unwind(AssertUnwindSafe(|| (suite.check)(&case))).is_err() {
            failed.push(case.name);
        }
    }
    assert!(failed.is_empty(), "{folder}: {} cases failed: {}", failed.len(), failed.join(", "));
}

impl Case {
    /// A case without files, for tests of the harness.
    pub fn made_up(suite: &str, name: &str) -> Self {
        Self { suite: suite.into(), name: name.into(), folder: PathBuf::new() }
    }

    pub fn title(&self) -> String {
        format!("{}/{}", self.suite, self.name)
    }

    /// The text of a file.
    pub fn text(&self, file: &str) -> String {
        self.text_if_any(file).unwrap_or_else(|| panic!("{}: no {file}", self.title()))
    }

    /// The text of a file that a case may have.
    pub fn text_if_any(&self, file: &str) -> Option<String> {
        std::fs::read_to_string(self.folder.join(file)).ok()
    }

    /// A YAML file.
    pub fn yaml(&self, file: &str) -> Value {
        serde_yaml::from_str(&self.text(file)).unwrap_or_else(|e| panic!("{}: {file}: {e}", self.title()))
    }

    pub fn input(&self) -> Value {
        self.yaml("input.yaml")
    }

    pub fn expected(&self) -> Value {
        let text = self.text("expected.json");
        serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: expected.json: {e}", self.title()))
    }

    /// Compares what was found with `expected.json`.
    pub fn compare(&self, found: Value) {
        self.compare_with(found, self.expected());
    }

    /// Compares two values up to the deliberate differences.
    pub fn compare_with(&self, found: Value, expected: Value) {
        let wrong = differences(self, found, expected);
        assert!(wrong.is_empty(), "{}:\n  {}", self.title(), wrong.join("\n  "));
    }

    /// The error of a case: none of ours where none is expected; else one of ours names the field and the values of
    /// the sentence (00 D46).
    pub fn compare_error(&self, found: &[Diagnostic], expected: Option<&str>) {
        let errors: Vec<&Diagnostic> = found.iter().filter(|d| d.severity == Severity::Error).collect();
        let Some(sentence) = expected else {
            assert!(errors.is_empty(), "{}: {errors:#?}", self.title());
            return;
        };
        let (path, values) = named_values(sentence);
        let says = |d: &&Diagnostic| {
            let own = d.path.as_ref().map(ToString::to_string).unwrap_or_default();
            let all = format!("{own} {} {}", d.message, d.help.as_deref().unwrap_or(""));
            path.as_ref().is_none_or(|p| same_field(p, d.path.as_ref())) && values.iter().all(|v| all.contains(v))
        };
        assert!(errors.iter().any(says), "{}: nobody says {path:?} {values:?}: {errors:#?}", self.title());
    }
}

/// The field that a sentence begins with, and the values in it: quoted texts, lists in brackets, dotted paths.
pub fn named_values(sentence: &str) -> (Option<FieldPath>, Vec<String>) {
    let (path, rest) = match sentence.split_once(": ") {
        Some((path, rest)) if path.starts_with("spec.") => (Some(FieldPath::parse(path)), rest),
        _ => (None, sentence),
    };
    // What stands in single quotes explains a grammar.
    let mut plain: Vec<&str> = rest.split('\'').step_by(2).collect();
    if rest.matches('\'').count() % 2 == 1 {
        plain = vec![rest];
    }
    let mut values = Vec::new();
    for part in plain {
        for (number, text) in part.split('"').enumerate() {
            if number % 2 == 1 {
                values.push(text.to_owned());
                continue;
            }
            let words = text.split(|c: char| !(c.is_alphanumeric() || c == '.')).map(|w| w.trim_matches('.'));
            values.extend(words.filter(|w| w.matches('.').count() >= 2).map(str::to_owned));
            let lists = text.split('[').skip(1).filter_map(|t| t.split_once(']'));
            values.extend(lists.flat_map(|(list, _)| list.split(", ")).map(str::to_owned));
        }
    }
    (path, values)
}

/// Every place at which two values differ and no difference is listed.
pub fn differences(case: &Case, mut found: Value, mut expected: Value) -> Vec<String> {
    let listed = ALL.iter().filter(|d| d.suite == case.suite && (d.case == "*" || d.case == case.name));
    for difference in listed {
        apply(difference, &mut found, &mut expected);
    }
    for path in NEVER_COMPARED {
        remove(&mut found, path);
        remove(&mut expected, path);
    }
    let mut out = Vec::new();
    walk_values(&found, &expected, "$", &mut out);
    out
}

fn apply(difference: &Difference, found: &mut Value, expected: &mut Value) {
    match difference.what {
        What::Skipped => {
            remove(found, difference.path);
            remove(expected, difference.path);
        }
        What::WordsLess(words) => {
            let Some(Value::Array(list)) = expected.pointer_mut(difference.path) else { return };
            let at = list.windows(words.len()).position(|w| w.iter().zip(words).all(|(a, b)| a == b));
            let at = at.unwrap_or_else(|| panic!("{}: {words:?} is not expected any more", difference.case));
            list.drain(at..at + words.len());
        }
        What::ElementsMore { pointer, unlike } => {
            let Some(Value::Array(list)) = found.pointer_mut(difference.path) else { return };
            list.retain(|e| e.pointer(pointer).and_then(Value::as_str).is_none_or(|text| unlike.contains(&text)));
        }
    }
}

/// Removes what a path with `*` steps names.
fn remove(value: &mut Value, path: &str) {
    let Some(rest) = path.strip_prefix('/') else { return };
    let (step, rest) = rest.split_once('/').map_or((rest, ""), |(step, rest)| (step, rest));
    let deeper = format!("/{rest}");
    match value {
        Value::Object(map) if rest.is_empty() => {
            map.retain(|key, _| step != "*" && key != step);
        }
        Value::Object(map) => {
            map.iter_mut().filter(|(key, _)| step == "*" || *key == step).for_each(|(_, v)| remove(v, &deeper));
        }
        Value::Array(list) if !rest.is_empty() => {
            let wanted = |at: usize| step == "*" || at.to_string() == step;
            list.iter_mut().enumerate().filter(|(at, _)| wanted(*at)).for_each(|(_, v)| remove(v, &deeper));
        }
        _ => {}
    }
}

fn walk_values(found: &Value, expected: &Value, path: &str, out: &mut Vec<String>) {
    match (found, expected) {
        (Value::Object(a), Value::Object(b)) => {
            for (key, value) in a {
                match b.get(key) {
                    Some(other) => walk_values(value, other, &format!("{path}.{key}"), out),
                    None => out.push(format!("{path}.{key}: found {value}, nothing expected")),
                }
            }
            let missing = b.iter().filter(|(key, _)| !a.contains_key(*key));
            out.extend(missing.map(|(key, value)| format!("{path}.{key}: expected {value}, found nothing")));
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (at, (a, b)) in a.iter().zip(b).enumerate() {
                walk_values(a, b, &format!("{path}[{at}]"), out);
            }
        }
        (a, b) if a == b => {}
        (a, b) => out.push(format!("{path}: found {a}, expected {b}")),
    }
}

/// A typed value of a JSON one; its default for null.
pub fn typed<T: DeserializeOwned + Default>(value: &Value) -> T {
    if value.is_null() { T::default() } else { serde_json::from_value(value.clone()).unwrap() }
}

/// The text of a key, possibly empty.
pub fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

/// A number that fits; 0 when absent.
pub fn number<T: TryFrom<i64>>(value: &Value, key: &str) -> T {
    T::try_from(value[key].as_i64().unwrap_or(0)).ok().unwrap()
}

/// The field of an expected sentence, or the field of the override that sets it (D47).
fn same_field(expected: &FieldPath, found: Option<&FieldPath>) -> bool {
    let Some(found) = found else { return false };
    let below = expected.0.get(1..).unwrap_or_default();
    expected == found || found.to_string().starts_with("spec.overrides[") && found.0.ends_with(below)
}
