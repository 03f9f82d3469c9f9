//! The catalogue that comes with the library.

use super::Catalogue;
use std::sync::OnceLock;

/// The data files. Their format stands in `data/README.md`.
const FILES: [(&str, &[u8]); 4] = [
    ("1-platforms.yaml", include_bytes!("data/1-platforms.yaml")),
    ("2-hardware.yaml", include_bytes!("data/2-hardware.yaml")),
    ("3-environment.yaml", include_bytes!("data/3-environment.yaml")),
    ("4-entries.yaml", include_bytes!("data/4-entries.yaml")),
];

impl Catalogue {
    /// The catalogue that comes with the library; parsed once per process. Its checks are run by a test.
    pub fn builtin() -> &'static Self {
        static BUILTIN: OnceLock<Catalogue> = OnceLock::new();
        BUILTIN.get_or_init(|| Self::parse_files(&FILES).value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_files_have_no_findings() {
        let read = Catalogue::read_files(&FILES);
        let told: Vec<String> =
            read.diagnostics.iter().map(|d| format!("{:?}:{:?} {}", d.file, d.span, d.message)).collect();
        assert!(told.is_empty(), "the data files have findings:\n{}", told.join("\n"));
        assert_eq!(read.value, *Catalogue::builtin());
    }

    #[test]
    fn the_example_of_the_format_has_no_findings() {
        let text = include_str!("data/README.md");
        let (_, rest) = text.split_once("```yaml\n").unwrap();
        let (example, _) = rest.split_once("```").unwrap();
        let files: Vec<(&str, &[u8])> = FILES.into_iter().chain([("README.md", example.as_bytes())]).collect();
        let read = Catalogue::read_files(&files);
        assert_eq!(read.diagnostics, []);
        assert_eq!(read.value.entries.len(), Catalogue::builtin().entries.len() + 1);
    }
}
