//! The catalogue that comes with the library.

use super::Catalogue;
use std::sync::OnceLock;

/// The data files as one JSON document, written from `data/*.yaml` (see the test below): JSON is read ten times
/// faster than YAML, which counts in a command that starts cold.
const DATA: &str = include_str!("data/catalogue.json");

impl Catalogue {
    /// The catalogue that comes with the library; parsed once per process.
    pub fn builtin() -> &'static Self {
        static BUILTIN: OnceLock<Catalogue> = OnceLock::new();
        BUILTIN.get_or_init(|| serde_json::from_str(DATA).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn platforms_in_order() {
        let names: Vec<&str> = Catalogue::builtin().platforms.iter().map(|p| p.name.as_str()).collect();
        assert_eq!(names, ["aws", "gcp", "azure", "oci", "onprem", "togetherai", "mistral", "forge", "nscale"]);
    }
}
