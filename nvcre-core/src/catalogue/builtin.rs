//! The catalogue that comes with the library.

use super::Catalogue;
use std::sync::OnceLock;

/// The data files in one JSON document, kept current by a test. Reading JSON costs a third of the time of YAML (0.3
/// against 0.8 ms, without the check), which counts in a command that starts cold and in the browser.
const DATA: &str = include_str!("data/catalogue.json");

impl Catalogue {
    /// The catalogue that comes with the library; parsed once per process.
    pub fn builtin() -> &'static Self {
        static BUILTIN: OnceLock<Catalogue> = OnceLock::new();
        // That it parses, and is what the data files say, is pinned by the tests below.
        BUILTIN.get_or_init(|| serde_json::from_str(DATA).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use std::fmt::Write;

    const FILES: [(&str, &[u8]); 4] = [
        ("1-platforms.yaml", include_bytes!("data/1-platforms.yaml")),
        ("2-hardware.yaml", include_bytes!("data/2-hardware.yaml")),
        ("3-environment.yaml", include_bytes!("data/3-environment.yaml")),
        ("4-entries.yaml", include_bytes!("data/4-entries.yaml")),
    ];

    /// One line for each element of a list, so that a change shows as one.
    fn print(catalogue: &Catalogue) -> String {
        let Value::Object(fields) = serde_json::to_value(catalogue).unwrap() else { unreachable!() };
        let mut out = String::from("{");
        for (at, (key, value)) in fields.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            match value {
                Value::Array(items) => {
                    let items: Vec<String> = items.iter().map(Value::to_string).collect();
                    write!(out, "{comma}\n\"{key}\":[\n{}\n]", items.join(",\n")).unwrap();
                }
                other => write!(out, "{comma}\n\"{key}\":{other}").unwrap(),
            }
        }
        out + "\n}\n"
    }

    #[test]
    #[allow(clippy::disallowed_methods, reason = "a test may rewrite the generated file")]
    fn data_files_have_no_findings_and_the_json_is_current() {
        let read = Catalogue::read_files(&FILES);
        for finding in &read.diagnostics {
            eprintln!("{finding:?}");
        }
        assert!(read.diagnostics.is_empty(), "the data files have findings, see above");
        let fresh = print(&read.value);
        if std::env::var_os("UPDATE").is_some() {
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/catalogue/data/catalogue.json");
            std::fs::write(path, &fresh).unwrap();
        } else {
            assert!(fresh == DATA, "data/catalogue.json is stale: run `UPDATE=1 cargo test -p nvcre-core catalogue`");
            assert_eq!(read.value, *Catalogue::builtin());
        }
    }
}
