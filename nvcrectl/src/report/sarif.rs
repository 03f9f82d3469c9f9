//! SARIF 2.1.0, as code scanning and editors read it.

use super::STDIN;
use nvcre_core::diagnostic::{Code, Diagnostic, Severity, Span};
use serde_json::{Map, Value, json};

/// One log with one run.
pub fn log(findings: &[Diagnostic]) -> Value {
    let mut codes: Vec<Code> = findings.iter().map(|f| f.code).collect();
    codes.sort_unstable();
    codes.dedup();
    let rules: Vec<Value> = codes.iter().map(|code| rule(*code)).collect();
    let results: Vec<Value> = findings.iter().map(|finding| result(finding, &codes)).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "nvcrectl", "semanticVersion": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn rule(code: Code) -> Value {
    json!({
        "id": code.to_string(),
        "shortDescription": { "text": code.summary() },
        "defaultConfiguration": { "level": level(code.severity()) },
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Notice => "note",
    }
}

fn result(finding: &Diagnostic, codes: &[Code]) -> Value {
    let help = finding.help.as_ref().map(|help| format!("\nHelp: {help}")).unwrap_or_default();
    let mut out = Map::new();
    out.insert("ruleId".into(), finding.code.to_string().into());
    if let Ok(index) = codes.binary_search(&finding.code) {
        out.insert("ruleIndex".into(), index.into());
    }
    out.insert("level".into(), level(finding.severity).into());
    out.insert("message".into(), json!({ "text": format!("{}{help}", finding.message) }));
    let path = finding.path.as_ref().map(ToString::to_string);
    if let Some(location) = location(finding.file.as_deref(), finding.span, path) {
        out.insert("locations".into(), json!([location]));
    }
    let related = finding.related.iter().filter_map(|related| {
        let file = related.file.as_deref().or(finding.file.as_deref());
        let mut location = location(file, related.span, related.path.as_ref().map(ToString::to_string))?;
        location.insert("message".into(), json!({ "text": related.message }));
        Some(Value::Object(location))
    });
    let related: Vec<Value> = related.collect();
    if !related.is_empty() {
        out.insert("relatedLocations".into(), related.into());
    }
    if let Some(reason) = &finding.accepted {
        let mut suppression = json!({ "kind": "inSource" });
        if let (false, Some(map)) = (reason.is_empty(), suppression.as_object_mut()) {
            map.insert("justification".into(), reason.as_str().into());
        }
        out.insert("suppressions".into(), json!([suppression]));
    }
    Value::Object(out)
}

/// A file with a place in it, and the field; `None` when neither is known.
fn location(file: Option<&str>, span: Option<Span>, path: Option<String>) -> Option<Map<String, Value>> {
    let mut out = Map::new();
    if let Some(file) = file.filter(|file| *file != STDIN) {
        let mut physical = json!({ "artifactLocation": { "uri": uri(file) } });
        if let (Some(span), Some(map)) = (span, physical.as_object_mut()) {
            let region = json!({
                "startLine": span.start.line, "startColumn": span.start.column,
                "endLine": span.end.line, "endColumn": span.end.column,
            });
            map.insert("region".into(), region);
        }
        out.insert("physicalLocation".into(), physical);
    }
    if let Some(path) = path {
        out.insert("logicalLocations".into(), json!([{ "fullyQualifiedName": path }]));
    }
    (!out.is_empty()).then_some(out)
}

/// A file name as a reference of RFC 3986; an absolute one as a `file:` URI.
fn uri(file: &str) -> String {
    let mut out = String::from(if file.starts_with('/') { "file://" } else { "" });
    let first_segment = file.split('/').next().map_or(0, str::len);
    for (place, byte) in file.bytes().enumerate() {
        match byte {
            // A colon in the first segment would make a scheme of it.
            b':' if place < first_segment => out.push_str("%3A"),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b':' => out.push(byte.into()),
            b'\\' if cfg!(windows) => out.push('/'),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_become_references() {
        for (file, wanted) in [
            ("runs/a.yaml", "runs/a.yaml"),
            ("/runs/a b.yaml", "file:///runs/a%20b.yaml"),
            ("c:a.yaml", "c%3Aa.yaml"),
            ("ü/50%.yaml", "%C3%BC/50%25.yaml"),
        ] {
            assert_eq!(uri(file), wanted);
        }
    }

    #[test]
    fn standard_input_is_no_file() {
        let finding = Diagnostic::at(Code::Syntax, "spec", "text").with_file(STDIN);
        let log = log(&[finding]);
        assert_eq!(
            log["runs"][0]["results"][0]["locations"],
            json!([{ "logicalLocations": [{ "fullyQualifiedName": "spec" }] }])
        );
    }
}
